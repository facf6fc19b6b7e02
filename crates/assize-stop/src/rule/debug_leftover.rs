//! Output or breakpoints that served the search for a fault were left in.

use std::sync::LazyLock;

use regex::Regex;
use assize_core::diff::FileChange;
use assize_core::finding::{Certainty, Severity};
use assize_ecosystem::{Language, is_code, is_generated};
use assize_core::path::{file_name, is_example};
use assize_core::text::quote;

use super::reading::{DirectiveWish, CodeLine, MovedLines, DiffSide, is_guarded, read};
use super::{Findings, Needs, Rule};
use crate::evidence::Evidence;

/// See the module.
pub struct DebugLeftover;

impl Rule for DebugLeftover {
    fn id(&self) -> &'static str {
        "debug-leftover"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let asked = DirectiveWish::new(evidence, &WANTED);
        let mut moved = MovedLines::new(diff);
        let earnest = |file: &&FileChange| is_code(&file.path) && !is_generated(&file.path) && !is_example(&file.path);
        let glance = findings.glance;
        for file in glance.adding(&HINTS).filter(earnest) {
            check_file(file, &asked, &mut moved, findings);
        }
    }
}

static WANTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:debug(?:s|ged|ger|ging)?|log(?:s|ged|ging)?|print(?:s|ed|ing)?|trac(?:e|es|ing)|console|breakpoints?|diagnos[a-z]+|instrument[a-z]*|dump(?:s|ed)?|output|stdout|stderr|pdb|pry)\b")
        .expect("valid pattern")
});

/// At least one of these stands in everything that the rule finds.
const HINTS: [&str; 15] = [
    "dbg!",
    "console.",
    "debugger",
    "breakpoint(",
    "set_trace",
    "binding.",
    "byebug",
    "print",
    "Print",
    "puts ",
    "var_dump",
    "WriteLine",
    "echo",
    "dd(",
    "NSLog",
];

fn check_file(file: &FileChange, asked: &DirectiveWish<'_>, moved: &mut MovedLines<'_>, findings: &mut Findings<'_>) {
    let language = Language::of(&file.path);
    let talks = is_entry_point(&file.path);
    for lines in &read(file, DiffSide::New) {
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.changed) {
            let Some(certainty) = leftover(lines, index, language) else { continue };
            // A program that talks to a terminal prints, and tests may.
            if certainty == Certainty::Likely && (talks || line.in_test) || moved.take(line.raw) {
                continue;
            }
            // What helps to debug is built of breakpoints.
            let aside = line.in_test || file_name(&file.path).contains("debug");
            let certainty = if aside { Certainty::Likely } else { certainty };
            let Some(certainty) = asked.soften(certainty) else { continue };
            let message = format!(
                "{} was left over from debugging. Remove it, or log it the way the rest of the code does.",
                quote(line.raw)
            );
            findings.at(file, Some(line.number), Severity::Warning, certainty, message);
        }
    }
}

/// Returns whether the file belongs to a program whose output is its purpose.
fn is_entry_point(path: &str) -> bool {
    let name = file_name(path);
    let stem = name.split('.').next().unwrap_or(name);
    let folder = path.split('/').rev().skip(1).any(|folder| {
        matches!(
            folder,
            "bin"
                | "cli"
                | "cmd"
                | "tools"
                | "tool"
                | "script"
                | "commands"
                | "command"
                | "management"
                | "hack"
                | "xtask"
                | "dev"
                | "docs"
                | "notebooks"
        )
    });
    folder
        || matches!(
            stem,
            "main"
                | "cli"
                | "__main__"
                | "manage"
                | "setup"
                | "noxfile"
                | "gulpfile"
                | "Gruntfile"
                | "Rakefile"
                | "build"
                | "logger"
                | "logging"
                | "console"
                | "debug"
        )
        || name.contains(".config.")
        || Language::of(path) == Some(Language::Shell)
}

fn leftover(lines: &[CodeLine<'_>], index: usize, language: Option<Language>) -> Option<Certainty> {
    let line = &lines[index];
    if breaks(line.code.trim(), language?) {
        // Some programs offer a way into the debugger.
        return Some(if is_guarded(lines, index) { Certainty::Likely } else { Certainty::Certain });
    }
    (prints(lines, index, language?) && !is_guarded_by_debug(lines, index)).then_some(Certainty::Likely)
}

/// Whether a statement stops the program in a debugger, or is a `dbg!`, which no finished code keeps.
fn breaks(code: &str, language: Language) -> bool {
    match language {
        Language::Rust => has_dbg(code),
        Language::Python => {
            static PDB: LazyLock<Regex> = LazyLock::new(|| {
                Regex::new(r"^(?:import i?pdb;?\s*)?(?:i?pdb\.set_trace|breakpoint|pdb\.Pdb\([^)]*\)\.set_trace)\([^)]*\)$|^import i?pdb; ").expect("valid pattern")
            });
            (code.contains("set_trace") || code.contains("breakpoint") || code.contains("pdb")) && PDB.is_match(code)
        }
        Language::Ruby => matches!(code, "binding.pry" | "binding.irb" | "byebug" | "binding.break"),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            matches!(code, "debugger;" | "debugger") || code.ends_with("{ debugger; }")
        }
        _ => false,
    }
}

fn has_dbg(code: &str) -> bool {
    let start = |index: usize| {
        code[..index]
            .chars()
            .next_back()
            .is_none_or(|before| !before.is_alphanumeric() && before != '_' && before != '!')
    };
    // In a macro's own rules it is passed on.
    code.match_indices("dbg!(").any(|(index, _)| start(index)) && !code.contains("macro_rules!") && !code.contains('$')
}

fn prints(lines: &[CodeLine<'_>], index: usize, language: Language) -> bool {
    let line = &lines[index];
    let code = line.code.trim_start();
    match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let logs = |line: &CodeLine<'_>| line.code.contains("console.log(") || line.code.contains("console.dir(");
            // Where the neighbours print to the console too, that is how the file logs.
            logs(line) && !lines.iter().any(|other| !other.changed && logs(other))
        }
        Language::Php => {
            code.starts_with("var_dump(")
                || code.starts_with("dd(")
                || code.starts_with("print_r(")
                || shouts(line.raw, code)
        }
        _ => shouts(line.raw, code),
    }
}

/// Output such as `print("DEBUG: …")`, `println!("here")` or `puts '>>> x'`.
fn shouts(raw: &str, code: &str) -> bool {
    static SHOUT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?:\be?print(?:ln)?!?|\bfmt\.Print(?:ln|f)|\bSystem\.out\.print(?:ln)?|\bConsole\.WriteLine|\bNSLog|^puts|^p|^echo|\bprintf|\bstd::cout\s*<<)[\s(]*@?f?[\x22'`]",
            r"(?:\[?(?:DEBUG|debug|Debug)\b|[Hh]ere\b|HERE\b|xxx|XXX|>>>|!!!|-{3,}\s*[Dd]ebug|test ?[0-9]*[\x22']|TEST\b|got here|reached\b)",
        ))
        .expect("valid pattern")
    });
    let hint = ["print", "Print", "puts", "p ", "echo", "WriteLine", "NSLog", "cout"];
    hint.iter().any(|word| code.contains(word)) && SHOUT.is_match(raw.trim_start())
}

/// Output that a switch turns on is a feature.
fn is_guarded_by_debug(lines: &[CodeLine<'_>], index: usize) -> bool {
    let own = &lines[index];
    let above = lines[..index].iter().rev().find(|line| !line.is_bare() && line.indent() < own.indent());
    let switch = |line: &CodeLine<'_>| {
        let lower = line.code.to_ascii_lowercase();
        ["debug", "verbose", "trace", "dev", "log"].iter().any(|word| lower.contains(word)) && lower.contains("if")
    };
    above.is_some_and(switch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;
    use crate::rule::testing::{changed, grades};
    use Certainty::{Certain, Likely};

    fn check(path: &str, lines: &str) -> Vec<Certainty> {
        grades(&DebugLeftover, &changed(path, lines))
    }

    #[test]
    fn breakpoints_are_certain() {
        for (path, lines) in [
            ("src/a.rs", concat!("+    let x = db", "g!(parse(y));\n")),
            ("src/a.py", "+    breakpoint()\n"),
            ("src/a.py", "+    import pdb; pdb.set_trace()\n"),
            ("src/a.py", "+        pdb.set_trace()\n"),
            ("app/a.rb", "+    binding.pry\n"),
            ("app/a.rb", "+    byebug\n"),
            ("src/a.ts", "+    debugger;\n"),
            ("src/a.jsx", "+  debugger\n"),
        ] {
            assert_eq!(check(path, lines), [Certain], "{lines}");
        }
    }

    #[test]
    fn debug_output_is_likely() {
        for (path, lines) in [
            ("src/a.ts", "+  console.log('user', user);\n"),
            ("src/a.py", "+    print(\"here\")\n"),
            ("src/a.py", "+    print(f\"DEBUG: {x}\")\n"),
            ("src/a.rs", "+    eprintln!(\"DEBUG {x:?}\");\n"),
            ("pkg/a.go", "+\tfmt.Println(\"DEBUG\", x)\n"),
            ("src/a.php", "+    var_dump($user);\n"),
            ("src/A.java", "+    System.out.println(\">>> \" + x);\n"),
            ("app/a.rb", "+    puts 'reached the end'\n"),
            ("src/A.cs", "+    Console.WriteLine(\"here 1\");\n"),
            ("src/a.py", " if settings.INSPECT:\n+    breakpoint()\n"),
            ("tests/a.rs", concat!("+    db", "g!(x);\n")),
            ("src/meta/debug.py", "+    pdb.set_trace()\n"),
        ] {
            assert_eq!(check(path, lines), [Likely], "{lines}");
        }
    }

    #[test]
    fn what_was_asked_for_is_softened() {
        let asked = |path: &str, lines: &str| {
            let mut evidence = changed(path, lines);
            evidence.directives.extend(Directive::from_prompt("Add debug output to the parser", 1, Vec::new()));
            grades(&DebugLeftover, &evidence)
        };
        assert_eq!(asked("src/a.py", "+    print('DEBUG', x)\n"), []);
        assert_eq!(asked("src/a.py", "+    breakpoint()\n"), [Likely]);
    }

    #[test]
    fn counter_examples() {
        for (path, lines) in [
            ("src/a.rs", "+    let text = \"dbg!(x)\";\n"),
            ("src/a.rs", "+    my_dbg!(x);\n"),
            ("src/a.rs", "+        $(dbg!($value)),+\n"),
            ("src/a.rs", "+    println!(\"{total}\");\n"),
            ("src/a.py", "+    self.breakpoint(3)\n+    debugger.breakpoint()\n"),
            ("src/a.py", "+    # breakpoint()\n"),
            ("src/a.py", "+    print(report)\n"),
            ("src/a.ts", "+  console.error('failed', error);\n"),
            ("src/cli/run.ts", "+  console.log('done');\n"),
            ("scripts/build.js", "+  console.log('done');\n"),
            ("vite.config.ts", "+  console.log('done');\n"),
            ("src/server.ts", "   console.log('starting');\n+  console.log('listening');\n"),
            ("src/a.ts", "+  if (options.debug) {\n+    console.log(state);\n+  }\n"),
            ("src/a.ts", "-  console.log(a);\n+    console.log(a);\n"),
            ("src/a.ts", "+const debuggerUrl = attach(debugger_);\n"),
            ("src/a.test.ts", "+  console.log('x');\n"),
            ("examples/a.py", "+breakpoint()\n"),
            ("pkg/a.go", "+\tlog.Println(\"DEBUG\", x)\n"),
            ("src/a.py", "+DOC = '''\n+breakpoint()\n+'''\n"),
        ] {
            assert_eq!(check(path, lines), [], "{path}: {lines}");
        }
    }
}
