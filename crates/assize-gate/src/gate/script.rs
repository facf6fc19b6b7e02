//! The scripts of a `package.json`, taken apart into the commands that they run one after the other.
//!
//! Only what is plain is taken apart: commands joined by `&&`, with calls of other scripts filled in. Anything else
//! stays one text for a shell. It must not know what is made of the commands.

use assize_core::path::join;
use assize_ecosystem::command::CommandRole;
use assize_ecosystem::pipeline::{OWN_WORDS, valued_options};

use super::javascript::NodePackage;

/// Deepest nesting of scripts that call scripts.
pub const SCRIPT_DEPTH_MAX: usize = 8;
/// Most commands that a script is taken apart into.
pub const STEPS_MAX: usize = 64;

/// A word of a command, as it is written and as it is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// With its quotes, so that a shell reads the same again.
    pub raw: String,
    /// Without them.
    pub text: String,
}

/// One command of a script.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ScriptStep {
    /// Variables that are set for it.
    pub variables: Vec<Word>,
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// The folder that the script changes to before it, relative to the package.
    pub folder: String,
}

impl ScriptStep {
    /// The program.
    pub fn head(&self) -> &str {
        self.words.first().map_or("", |word| word.text.as_str())
    }

    /// The runner of tests that the command starts, or has a program start that hands its arguments on, and how many words say
    /// so.
    fn runner(&self) -> Option<(&'static str, usize)> {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        assize_ecosystem::javascript_runner(&words)
    }

    /// Returns whether the command starts a runner of this name.
    pub fn starts(&self, name: &str) -> bool {
        self.runner().is_some_and(|(runner, _)| runner == name)
    }

    /// The arguments of the runner that the command starts; of another command, all of its own.
    pub fn runner_arguments(&self) -> &[Word] {
        self.words.get(self.runner().map_or(1, |(_, words)| words)..).unwrap_or_default()
    }

    /// The arguments.
    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Writes the command for a shell in the folder of the package.
    pub fn shell(&self) -> String {
        let call = self.variables.iter().chain(&self.words).map(|word| word.raw.as_str()).collect::<Vec<_>>().join(" ");
        if self.folder.is_empty() { call } else { format!("(cd '{}' && {call})", self.folder) }
    }
}

impl Word {
    /// A word without quotes.
    pub fn plain(text: &str) -> Self {
        Self { raw: text.to_owned(), text: text.to_owned() }
    }
}

/// What stands between the names of scripts that run one after the other.
pub(super) const AND: &str = " && ";

/// Takes the script of a name apart, with what npm runs before and after it, or several. `None` where one is not plain.
pub(super) fn steps(package: &NodePackage, names: &str) -> Option<Vec<ScriptStep>> {
    let mut found = Vec::new();
    for name in names.split(AND) {
        fill(package, name, 0, &mut found)?;
    }
    (!found.is_empty()).then_some(found)
}

fn fill(package: &NodePackage, name: &str, depth: usize, found: &mut Vec<ScriptStep>) -> Option<()> {
    let names = [format!("pre{name}"), name.to_owned(), format!("post{name}")];
    names.iter().filter_map(|name| package.script(name)).try_for_each(|text| fill_text(package, text, depth, found))
}

fn fill_text(package: &NodePackage, text: &str, depth: usize, found: &mut Vec<ScriptStep>) -> Option<()> {
    if depth > SCRIPT_DEPTH_MAX {
        return None;
    }
    let mut folder = String::new();
    for mut step in split(text)? {
        if step.head() == "cd" {
            folder = changed_to(&folder, &step)?;
            continue;
        }
        folder.clone_into(&mut step.folder);
        if let Some(made) = made(package, &step, depth) {
            found.extend(made);
            continue;
        }
        step = unwrapped(package, step);
        match called(package, &step) {
            // Another package may stand in the folder.
            Some(_) if !folder.is_empty() => return None,
            Some((scripts, more)) => {
                for script in scripts {
                    fill(package, &script, depth + 1, found)?;
                }
                // What is handed on goes to the last command.
                found.last_mut()?.words.extend(more);
            }
            None => found.push(step),
        }
        if found.len() > STEPS_MAX {
            return None;
        }
    }
    (found.len() <= STEPS_MAX).then_some(())
}

/// What `make` runs for its targets, where all of it is plain.
fn made(package: &NodePackage, step: &ScriptStep, depth: usize) -> Option<Vec<ScriptStep>> {
    if step.head() != "make" || !step.folder.is_empty() || !step.variables.is_empty() || step.arguments().is_empty() {
        return None;
    }
    let targets: Vec<&str> = step.arguments().iter().map(|word| word.text.as_str()).collect();
    let mut found = Vec::new();
    for command in package.make_commands(&targets)? {
        fill_text(package, &command, depth + 1, &mut found)?;
    }
    (!found.is_empty()).then_some(found)
}

/// The folder that a `cd` leads to. `None` where it leads out of the package, or where it cannot be told.
fn changed_to(folder: &str, step: &ScriptStep) -> Option<String> {
    let [target] = step.arguments() else { return None };
    let is_plain = !target.text.starts_with(['/', '~', '-']) && !target.text.contains('\'');
    is_plain.then(|| join(folder, &target.text))?
}

/// Splits a line at `&&`; `None` where a shell would do more with it than that.
fn split(text: &str) -> Option<Vec<ScriptStep>> {
    let mut steps = vec![ScriptStep::default()];
    let mut raw = String::new();
    let mut quote: Option<char> = None;
    let mut characters = text.trim().chars().peekable();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), _) if character == open => {
                quote = None;
                raw.push(character);
            }
            (Some('"'), '$' | '`' | '\\') | (None, '$' | '`' | '\\' | ';' | '<' | '>' | '(' | ')' | '\n' | '#') => {
                return None;
            }
            (Some(_), _) => raw.push(character),
            (None, '\'' | '"') => {
                quote = Some(character);
                raw.push(character);
            }
            // What tests print is often made more readable. How they ended is what counts.
            (None, '|') if characters.peek() != Some(&'|') => {
                word(&mut steps, &mut raw)?;
                steps.last().filter(|step| runs_tests(step))?;
                let rest: String = characters.by_ref().collect();
                let (shown, behind) = rest.split_once("&&").unwrap_or((&rest, ""));
                let is_plain = |character: char| character.is_ascii_alphanumeric() || " -_./@=".contains(character);
                if !shown.chars().all(is_plain) {
                    return None;
                }
                if !behind.is_empty() {
                    steps.extend(split(behind)?);
                }
            }
            (None, '|') => return None,
            (None, '&') => {
                characters.next_if_eq(&'&')?;
                word(&mut steps, &mut raw)?;
                steps.push(ScriptStep::default());
            }
            (None, ' ' | '\t') => word(&mut steps, &mut raw)?,
            (None, _) => raw.push(character),
        }
    }
    word(&mut steps, &mut raw)?;
    (quote.is_none() && steps.iter().all(|step| !step.words.is_empty())).then_some(steps)
}

/// Returns whether a command runs tests.
pub(super) fn runs_tests(step: &ScriptStep) -> bool {
    let words: Vec<&str> = step.words.iter().map(|word| word.text.as_str()).collect();
    assize_ecosystem::command_role(&words) == CommandRole::Test
}

/// Ends a word.
fn word(steps: &mut [ScriptStep], raw: &mut String) -> Option<()> {
    if raw.is_empty() {
        return Some(());
    }
    let text = shlex::split(raw)?.concat();
    let word = Word { raw: std::mem::take(raw), text };
    let step = steps.last_mut()?;
    let cross = matches!(step.words.first(), Some(word) if word.text == "cross-env");
    if (step.words.is_empty() || cross && step.words.len() == 1) && is_assignment(&word.text) {
        step.variables.push(word);
    } else if cross && step.words.len() == 1 {
        step.words = vec![word];
    } else {
        step.words.push(word);
    }
    Some(())
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Returns whether a command only calls scripts of the packages of a workspace. Their own gates run these.
pub(super) fn is_of_workspace(step: &ScriptStep) -> bool {
    const EVERYWHERE: [&str; 8] =
        ["--filter", "--recursive", "--workspace", "--workspaces", "-F", "-r", "-ws", "workspaces"];
    let word = |word: &Word| word.text.split('=').next().is_some_and(|option| EVERYWHERE.contains(&option));
    match step.head() {
        "turbo" | "lerna" | "nx" => true,
        "npm" | "pnpm" | "yarn" | "bun" => step.arguments().iter().any(word),
        _ => false,
    }
}

/// The scripts that a command calls, one after the other, and what is handed on to the last one.
fn called(package: &NodePackage, step: &ScriptStep) -> Option<(Vec<String>, Vec<Word>)> {
    let manager = step.head();
    if matches!(manager, "run-s" | "run-p" | "npm-run-all" | "npm-run-all2") {
        let names = step.arguments().iter().map(|word| word.text.as_str()).filter(|word| !word.starts_with('-'));
        let scripts: Vec<Vec<String>> = names.map(|name| scripts_of(package, name)).collect::<Option<_>>()?;
        return (!scripts.is_empty()).then(|| (scripts.concat(), Vec::new()));
    }
    if !matches!(manager, "npm" | "pnpm" | "yarn" | "bun") || is_of_workspace(step) {
        return None;
    }
    let quiet = |word: &&Word| matches!(word.text.as_str(), "-s" | "--silent" | "--quiet" | "-q");
    let mut words = step.arguments().iter().filter(|word| !quiet(word)).peekable();
    let first = words.next()?.text.as_str();
    let name = match first {
        "run" | "run-script" => words.next()?.text.as_str(),
        "test" | "t" | "tst" if manager == "npm" => "test",
        "bun" | "exec" | "install" | "ci" | "x" | "dlx" => return None,
        name if manager != "npm" => name,
        _ => return None,
    };
    let pattern = name.strip_prefix("/^").and_then(|name| name.strip_suffix('/')).filter(|_| manager == "pnpm");
    let scripts = match pattern {
        Some(beginning) => scripts_of(package, &format!("{beginning}**"))?,
        None => package.script(name).map(|_| vec![name.to_owned()])?,
    };
    let more = words.filter(|word| word.text != "--").cloned().collect();
    Some((scripts, more))
}

/// The scripts that a name means: `test:*` means each of one part more, `test:**` any that begins so. `None` where there is none,
/// or where more is asked of it than its name.
fn scripts_of(package: &NodePackage, name: &str) -> Option<Vec<String>> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_:.".contains(character);
    let beginning = name.trim_end_matches('*');
    if !beginning.chars().all(is_plain) {
        return None;
    }
    let fits = |script: &str| match &name[beginning.len()..] {
        "" => script == name,
        "*" => script.strip_prefix(beginning).is_some_and(|rest| !rest.contains(':')),
        _ => script.starts_with(beginning),
    };
    let found: Vec<String> = package.scripts().into_iter().filter(|script| fits(script)).map(str::to_owned).collect();
    (!found.is_empty()).then_some(found)
}

/// Takes away what only starts a command: `npx`, `pnpm exec`, the folder of programs, and tools that measure coverage. What is left
/// may call a script of the package.
fn unwrapped(package: &NodePackage, mut step: ScriptStep) -> ScriptStep {
    if called(package, &step).is_some() {
        return step;
    }
    let path = step.head().strip_prefix("./").unwrap_or(step.head());
    if let Some(name) = path.strip_prefix("node_modules/.bin/").filter(|_| step.folder.is_empty()) {
        step.words[0] = Word::plain(name);
    }
    let texts: Vec<&str> = step.words.iter().map(|word| word.text.as_str()).collect();
    let skipped = match texts.as_slice() {
        // A package that is named with its scope or version is fetched, and no program of the project.
        ["npx" | "bunx" | "pnpx", ..] if texts[1..].iter().any(|word| word.contains('@')) => return step,
        ["npx" | "bunx" | "pnpx", ..] | ["c8" | "nyc", ..] => 1,
        ["pnpm" | "npm" | "yarn" | "bun", "exec" | "x", ..] | ["istanbul", "cover", ..] => 2,
        // What is no script and no word of the manager's is a program of the project.
        ["yarn" | "pnpm", tool, ..] if !tool.starts_with('-') && !OWN_WORDS.contains(tool) => 1,
        _ => return step,
    };
    let valued = valued_options(texts[0]);
    let mut is_value = false;
    // Options, their values, and numbers that are values of some.
    let is_option = |word: &&Word| {
        let is_behind = std::mem::replace(&mut is_value, valued.contains(&word.text.as_str()));
        is_behind || word.text.starts_with('-') || word.text.parse::<f64>().is_ok()
    };
    let flags = step.words[skipped..].iter().take_while(is_option).count();
    if step.words.len() <= skipped + flags {
        return step;
    }
    let mut words = step.words[skipped + flags..].to_vec();
    if texts[0] == "istanbul" {
        // What is behind the dashes is for the program, and that of mocha is named by its file.
        if words.get(1).is_some_and(|word| word.text == "--") {
            words.remove(1);
        }
        if words[0].text.rsplit('/').next() == Some("_mocha") {
            words[0] = Word::plain("mocha");
        }
    }
    unwrapped(package, ScriptStep { words, ..step })
}

#[cfg(test)]
mod tests {
    use super::super::javascript::packages;
    use super::super::python::tests::project;
    use super::*;

    fn read(scripts: &str, name: &str) -> Option<Vec<String>> {
        read_beside(&[], &[], scripts, name)
    }

    fn read_beside(manifests: &[(&str, &str)], files: &[&str], scripts: &str, name: &str) -> Option<Vec<String>> {
        let manifest = format!(r#"{{"scripts":{{{scripts}}}}}"#);
        let project = project(&[&[("package.json", manifest.as_str())], manifests].concat(), files, &[]);
        let package = packages(&project).remove(0);
        steps(&package, name).map(|steps| steps.iter().map(ScriptStep::shell).collect())
    }

    #[test]
    fn plain_scripts_are_taken_apart() {
        for (scripts, expected) in [
            (r#""test":"node --test""#, &["node --test"][..]),
            (r#""test":"nyc --lines 100 --reporter=text tape test.js""#, &["tape test.js"]),
            (r#""test":"tape test.js | tap-spec && tsc""#, &["tape test.js", "tsc"]),
            (r#""test":"npx @scope/check x && tape a.js""#, &["npx @scope/check x", "tape a.js"]),
            (r#""test":"tsc -p . && node --test dist/*.test.js""#, &["tsc -p .", "node --test dist/*.test.js"]),
            (r#""test":"npm run build && node --test","build":"tsc""#, &["tsc", "node --test"]),
            (
                r#""test":"npm run -s unit -- --bail","unit":"vitest run","preunit":"gen""#,
                &["gen", "vitest run --bail"],
            ),
            (r#""pretest":"tsc","test":"mocha","posttest":"eslint .""#, &["tsc", "mocha", "eslint ."]),
            (r#""test":"run-s test:*","test:a":"tsc","test:b":"mocha","test:b:c":"x""#, &["tsc", "mocha"]),
            (r#""test":"npm-run-all -s lint unit","lint":"eslint .","unit":"mocha""#, &["eslint .", "mocha"]),
            (r#""test":"pnpm run /^test:/","test:a":"tsc","test:b:c":"mocha""#, &["tsc", "mocha"]),
            (r#""test":"run-s gone","x":"y""#, &["run-s gone"]),
            (r#""test":"run-s 'a -- {1}'","a":"y""#, &["run-s 'a -- {1}'"]),
            (r#""test":"A=1 cross-env B='2 3' npx --no-install jest -t 'a b'""#, &["A=1 B='2 3' jest -t 'a b'"]),
            (r#""test":"c8 --reporter=text node --test 'a/**/*.js'""#, &["node --test 'a/**/*.js'"]),
            (r#""test":"c8 --exclude build -x test -r text -r html mocha""#, &["mocha"]),
            (r#""test":"nyc -r lcov -e .ts -x '*.test.ts' ava""#, &["ava"]),
            (r#""test":"istanbul cover _mocha""#, &["mocha"]),
            (r#""test":"istanbul cover --dir x node_modules/.bin/_mocha -- -R dot a.js""#, &["mocha -R dot a.js"]),
            (r#""test":"pnpm exec vitest run""#, &["vitest run"]),
            (r#""test":"cd tests && A=1 mocha a && cd .. && x""#, &["(cd 'tests' && A=1 mocha a)", "x"]),
            (r#""test":"npm run a && x","a":"cd b/../c && y""#, &["(cd 'c' && y)", "x"]),
            (r#""test":"yarn jest","lint":"x""#, &["jest"]),
            (r#""test":"c8 --all pnpm unit","unit":"uvu .""#, &["uvu ."]),
            (r#""test":"yarn unit","unit":"jest""#, &["jest"]),
            (r#""test":"yarn tsd --files a && yarn install && mocha""#, &["tsd --files a", "yarn install", "mocha"]),
        ] {
            assert_eq!(
                read(scripts, "test").as_deref(),
                Some(&expected.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()[..]),
                "{scripts}"
            );
        }
    }

    #[test]
    fn rules_of_make_are_filled_in() {
        let rules = "BIN = ./node_modules/.bin\ntest: lint src.js unit\n\nlint:\n\t@${BIN}/eslint .\nunit: lint\n\tcd test && A=1 mocha\n.PHONY: test\n";
        let of = |rules: &str, files: &[&str], script: &str| {
            read_beside(&[("Makefile", rules)], files, &format!(r#""test":"{script}""#), "test")
                .map(|steps| steps.join("; "))
        };
        let all = Some("eslint .; (cd 'test' && A=1 mocha)".to_owned());
        assert_eq!(of(rules, &["test/a.js", "src.js"], "make test"), all);
        assert_eq!(of(rules, &[], "make lint unit"), all, "each once");
        for (rules, files, script) in [
            ("test:\n\tmocha\n", &["test/a.js"][..], "make test"),
            (rules, &[], "make none"),
            (rules, &[], "make -k test"),
            (rules, &[], "make"),
            (rules, &[], "make test A=1"),
            ("test:\n\t-mocha\n", &[], "make test"),
            ("test:\n\tmocha; true\n", &[], "make test"),
            ("test:\n\tmocha $(FILES)\n", &[], "make test"),
            (".IGNORE:\ntest:\n\tmocha\n", &[], "make test"),
            ("ifdef A\ntest:\n\tmocha\nendif\n", &[], "make test"),
            ("test:\n", &[], "make test"),
            ("T = b\nT += a\ntest:\n\tmocha $(T)\n", &[], "make test"),
            ("test: $(SUITES)\n\tmocha\nSUITES = a\n", &[], "make test"),
            ("export ALL = 1\ntest:\n\tmocha\n", &[], "make test"),
            ("F = a\nF ?= b\ntest:\n\tmocha $(F)\n", &[], "make test"),
            ("test: F = a\ntest:\n\tmocha $(F)\n", &[], "make test"),
            (" ifndef X\nF = a\n else\nF = b\n endif\ntest:\n\tmocha $(F)\n", &[], "make test"),
            ("F = a\nALL := $(F)\nF := b\ntest:\n\tmocha $(ALL)\n", &[], "make test"),
            ("test: unit ; mocha b\nunit:\n\tmocha a\n", &[], "make test"),
            ("test:\n\tmocha\n.RECIPEPREFIX = >\n", &[], "make test"),
            ("test: gone\n\tmocha\n", &[], "make test"),
            ("test:\n\tmocha a\ntest:\n\tmocha b\n", &[], "make test"),
            ("test: a.o\n\tmocha a\n%.o: %.c\n\tcc\n", &["a.o"], "make test"),
        ] {
            assert_eq!(of(rules, files, script).as_deref(), Some(script), "{rules}");
        }
        assert_eq!(of("test:\n\tmake test\n", &[], "make test").as_deref(), Some("make test"));
        for (commands, is_known) in [(STEPS_MAX, true), (STEPS_MAX + 1, false)] {
            let rules = format!("test:\n{}", "\tx\n".repeat(commands));
            assert_eq!(of(&rules, &[], "make test").expect("steps") != "make test", is_known, "{commands}");
        }
    }

    #[test]
    fn anything_else_stays_whole() {
        for text in [
            "cd .. && a",
            "cd ~ && a",
            "cd && a",
            "cd b && npm run test",
            "a || true",
            "a | b",
            "a; b",
            "a $B",
            "a `b`",
            "(a)",
            "a > b",
            "a & b",
            "a &&",
            "\\\"$a\\\"",
            "'a",
        ] {
            assert_eq!(read(&format!(r#""test":"{text}""#), "test"), None, "{text}");
        }
    }

    #[test]
    fn scripts_that_call_each_other_come_to_an_end() {
        assert_eq!(read(r#""test":"npm test""#, "test"), None);
        let chain = |depth: usize| {
            let links = (0..depth).map(|at| format!(r#""s{at}":"npm run s{}""#, at + 1)).collect::<Vec<_>>().join(",");
            read(&format!(r#"{links},"s{depth}":"x""#), "s0")
        };
        assert!(chain(SCRIPT_DEPTH_MAX).is_some());
        assert!(chain(SCRIPT_DEPTH_MAX + 1).is_none());
        let long = |steps: usize| read(&format!(r#""test":"{}""#, vec!["x"; steps].join(" && ")), "test");
        assert!(long(STEPS_MAX).is_some());
        assert!(long(STEPS_MAX + 1).is_none());
    }
}
