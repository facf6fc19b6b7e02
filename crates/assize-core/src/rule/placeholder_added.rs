//! The change adds code that stands in for the real thing.

use std::sync::LazyLock;

use regex::Regex;

use super::reading::{Asked, Line, Moved, Side, adds, read};
use super::{Findings, Needs, Rule};
use crate::diff::FileChange;
use crate::evidence::Evidence;
use crate::finding::{Certainty, Severity};
use crate::path::{Language, is_code, is_example, is_generated};
use crate::text::quote;

/// See the module.
pub struct PlaceholderAdded;

impl Rule for PlaceholderAdded {
    fn id(&self) -> &'static str {
        "placeholder-added"
    }

    fn summary(&self) -> &'static str {
        "The change adds a placeholder or stub where working code was asked for."
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        // Who asks for a stub gets one.
        let asked = Asked::new(evidence, &WANTED);
        let mut moved = Moved::new(diff);
        for file in diff.files.iter().filter(|file| is_code(&file.path) && !is_generated(&file.path)) {
            if adds(file, &HINT) {
                check_file(file, &asked, &mut moved, findings);
            }
        }
    }
}

static WANTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:stubs?|placeholders?|skeletons?|scaffold(?:ing)?|todo!?|unimplemented|not ?implemented|boilerplate|mock-?ups?|outline)\b")
        .expect("valid pattern")
});

/// A construct that fails when it is reached because nobody wrote it.
static STUB: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(?:todo|unimplemented)!\s*[(\[{]",
        r"|\braise\s+NotImplementedError\b",
        r"|\bthrow\s+new\s+(?:NotImplementedException|UnsupportedOperationException|NotImplementedError)\s*\(\s*(?:\)|[\x22'`](?i:.*(?:implement|todo|stub)))",
        r"|\bthrow\s+(?:new\s+)?Error\s*\(\s*[\x22'`](?i:.{0,40}(?:not (?:yet )?implemented|todo|unimplemented|stub))",
        r"|\bpanic!?\s*\(\s*[\x22`](?i:.{0,40}(?:not (?:yet )?implemented|todo|unimplemented|stub))",
        r"|\b(?:TODO|fatalError)\(\s*[\x22](?i:.*(?:implement|todo|stub))",
    ))
    .expect("valid pattern")
});

/// A comment that admits that the code beside it is not the real thing.
static ADMISSION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:\bTODO\b|\bFIXME\b|\bXXX\b|\bHACK\b)",
        r"|(?i:\b(?:for now\b|placeholder|stub(?:bed)?\b|dummy (?:implementation|value)|not (?:yet )?implemented|implement (?:this )?later|",
        r"(?:in|for) (?:a )?(?:real|production)(?: \w+)?,? (?:implementation|code|app|system|this|we|you|use)|simplified (?:version|implementation)|",
        r"rest of (?:the )?(?:code|implementation)|existing code (?:here|remains)|your code here|temporary (?:hack|workaround|fix)|",
        r"left as an exercise|would (?:normally|actually) (?:be|call|do|use)|hard-?coded (?:for|until|because)))",
    ))
    .expect("valid pattern")
});

/// At least one of these stands in every stub and admission.
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        "TODO|FIXME|XXX|HACK|todo|unimplemented|mplement|fatalError|panic|UnsupportedOperation|(?i:for now|placeholder|stub|dummy|",
        "for (?:a )?(?:real|prod)|in (?:a )?(?:real|prod)|existing code|your code|temporary|left as an|would |hard-?coded)",
    ))
    .expect("valid pattern")
});

fn check_file(file: &FileChange, asked: &Asked<'_>, moved: &mut Moved<'_>, findings: &mut Findings<'_>) {
    let language = Language::of(&file.path);
    for lines in &read(file, Side::New) {
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.changed) {
            let aside = line.in_test || is_example(&file.path);
            if STUB.is_match(line.raw) && STUB_WORD.is_match(&line.code) && !is_abstract(lines, index, language) {
                if !moved.take(line.raw) {
                    let certainty = if aside || asked.is_asked() { Certainty::Likely } else { Certainty::Certain };
                    findings.at(
                        file,
                        Some(line.number),
                        Severity::Error,
                        certainty,
                        format!("{} stands where working code was asked for. Write the code.", quote(line.raw)),
                    );
                }
            } else if !aside && ADMISSION.is_match(&line.comment) && !moved.take(line.raw) {
                findings.at(file, Some(line.number), Severity::Warning, Certainty::Likely, format!("The comment {} admits that something is left out. Finish it, or say in the final message what is missing and why.", quote(line.raw)));
            }
        }
    }
}

/// The part of a stub that is code and not the text it prints.
static STUB_WORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:todo|unimplemented|panic)!|NotImplemented|UnsupportedOperation|\bthrow\b|\bpanic\(|\bTODO\(|\bfatalError\(")
        .expect("valid pattern")
});

/// In Python an abstract method raises NotImplementedError by design.
fn is_abstract(lines: &[Line<'_>], index: usize, language: Option<Language>) -> bool {
    if language != Some(Language::Python) {
        return false;
    }
    lines[index.saturating_sub(12)..index]
        .iter()
        .any(|line| ["@abstractmethod", "(ABC)", "Protocol)"].iter().any(|mark| line.code.contains(mark)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;
    use crate::rule::testing::{changed, grades};

    fn check(path: &str, lines: &str) -> Vec<Certainty> {
        grades(&PlaceholderAdded, &changed(path, lines))
    }

    #[test]
    fn stubs_are_certain() {
        for (path, line) in [
            ("src/a.rs", "+    todo!()"),
            ("src/a.rs", "+    unimplemented!(\"later\")"),
            ("src/a.py", "+        raise NotImplementedError"),
            ("src/a.ts", "+  throw new Error('Not implemented');"),
            ("src/A.java", "+    throw new UnsupportedOperationException();"),
            ("src/a.go", "+\tpanic(\"not implemented\")"),
            ("src/A.cs", "+ throw new NotImplementedException();"),
        ] {
            assert_eq!(check(path, line), [Certainty::Certain], "{line}");
        }
    }

    #[test]
    fn admissions_are_likely() {
        for line in [
            "+    // TODO: handle errors",
            "+    // For now we return an empty list",
            "+    // in a real implementation this would call the API",
        ] {
            assert_eq!(check("src/a.rs", line), [Certainty::Likely], "{line}");
        }
    }

    #[test]
    fn counter_examples() {
        for (path, lines) in [
            ("src/a.rs", "+    let message = \"todo!() is not allowed\";"),
            ("src/a.rs", "+    // we no longer call todo!() here"),
            ("src/a.rs", "     todo!()"),
            ("src/a.rs", "-    todo!()"),
            ("src/a.rs", "-    todo!()\n+        todo!()"),
            ("docs/a.md", "+use todo!() with care"),
            (
                "src/a.py",
                "+class Base(ABC):\n+    @abstractmethod\n+    def run(self):\n+        raise NotImplementedError",
            ),
            ("src/todo.ts", "+const todoList = todos.map(renderTodo);"),
            ("src/a.java", "+ throw new UnsupportedOperationException(\"immutable list\");"),
            ("src/a.rs", "+    // the stubborn case"),
            ("tests/a.rs", "+    // TODO: more cases"),
        ] {
            assert_eq!(check(path, lines), [], "{lines}");
        }
    }

    #[test]
    fn a_stub_that_was_asked_for_is_not_certain() {
        let mut evidence = changed("src/a.rs", "+    todo!()");
        evidence.directives.extend(Directive::from_prompt(
            "Write a skeleton of the parser with todo!() bodies",
            1,
            Vec::new(),
        ));
        assert_eq!(grades(&PlaceholderAdded, &evidence), [Certainty::Likely]);
        assert_eq!(check("tests/a.rs", "+    todo!()"), [Certainty::Likely]);
    }
}
