//! The change adds code that stands in for the real thing.

use std::sync::LazyLock;

use regex::Regex;
use assize_core::diff::{DiffLineKind, FileChange};
use assize_core::finding::{Certainty, Severity};
use assize_ecosystem::{Language, is_code, is_generated};
use assize_core::path::is_example;
use assize_core::text::quote;

use super::reading::{has_word, DirectiveWish, CodeLine, MovedLines, DiffSide, enclosing, names_function, opens_function, read};
use super::function_shape::function_name;
use super::{Findings, Needs, Rule};
use crate::claim::{claims_remaining_work, leaves_undone};
use crate::evidence::Evidence;

/// See the module.
pub struct PlaceholderAdded;

impl Rule for PlaceholderAdded {
    fn id(&self) -> &'static str {
        "placeholder-added"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        // Who asks for a stub gets one.
        let asked = DirectiveWish::new(evidence, &WANTED);
        let mut moved = MovedLines::new(diff);
        let glance = findings.glance;
        for file in glance.adding(&HINTS).filter(|file| is_code(&file.path) && !is_generated(&file.path)) {
            check_file(file, evidence, &asked, &mut moved, findings);
        }
    }
}

static WANTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:stubs?|placeholders?|skeletons?|scaffold(?:ing)?|todo!?|unimplemented|not ?implemented\w*|boilerplate|mock-?ups?|outline)\b")
        .expect("valid pattern")
});

/// A construct that fails when it is reached, because its code is not written yet.
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
        r"^(?:[Tt]odo|TODO|FIXME|XXX|HACK)\b|[\s(]@?(?:TODO|FIXME|XXX|HACK)(?:\([^)]*\))?:",
        r"|(?i:^(?:this is |just |only )?(?:an? )?(?:placeholder|stub)\b|\b(?:placeholder|stub)(?:bed)? (?:implementation|value|data|logic|until|for now|response|function|method|code)\b|\bis (?:just |only )?a (?:placeholder|stub)\b)",
        r"|(?i:\b(?:for now\b|dummy (?:implementation|value)|not (?:yet )?implemented|implement (?:this )?later|",
        r"(?:in|for) (?:a )?(?:real|production)(?: \w+)?,? (?:implementation|code|app|system|this|we|you|use)|simplified (?:version|implementation)|",
        r"rest of (?:the )?(?:code|implementation)|existing code (?:here|remains)|your code here|temporary (?:hack|workaround|fix)|",
        r"left as an exercise|would (?:normally|actually) (?:be|call|do|use)|hard-?coded (?:for|until|because)))",
    ))
    .expect("valid pattern")
});

/// At least one of these stands in every stub and admission, the words of prose in the usual spellings.
const HINTS: [&str; 43] = [
    "TODO",
    "FIXME",
    "XXX",
    "HACK",
    "todo",
    "unimplemented",
    "mplement",
    "fatalError",
    "panic",
    "UnsupportedOperation",
    "for now",
    "For now",
    "FOR NOW",
    "placeholder",
    "Placeholder",
    "PLACEHOLDER",
    "stub",
    "Stub",
    "STUB",
    "dummy",
    "Dummy",
    "DUMMY",
    "or real",
    "or a real",
    "or prod",
    "or a prod",
    "n real",
    "n a real",
    "n prod",
    "n a prod",
    "xisting code",
    "EXISTING CODE",
    "our code",
    "YOUR CODE",
    "emporary",
    "TEMPORARY",
    "eft as an",
    "LEFT AS AN",
    "ould ",
    "OULD ",
    "ard-coded",
    "ardcoded",
    "HARDCODED",
];

fn may_be_stub(raw: &str) -> bool {
    ["todo!", "unimplemented!", "NotImplemented", "UnsupportedOperation", "throw", "panic", "TODO(", "fatalError"]
        .iter()
        .any(|word| raw.contains(word))
}

/// Returns whether a line that did not change says the same.
fn stands_already(file: &FileChange, raw: &str) -> bool {
    let mut lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
    lines.any(|line| line.kind == DiffLineKind::Context && line.text.inspect().trim() == raw.trim())
}

fn check_file(
    file: &FileChange,
    evidence: &Evidence,
    asked: &DirectiveWish<'_>,
    moved: &mut MovedLines<'_>,
    findings: &mut Findings<'_>,
) {
    for lines in &read(file, DiffSide::New) {
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.changed) {
            let aside = line.in_test || is_example(&file.path) || is_double(&file.path);
            if may_be_stub(line.raw) && STUB.is_match(line.raw) && STUB_WORD.is_match(&line.code) {
                let Some(purpose) = purpose(lines, index, Language::of(&file.path), evidence) else { continue };
                if !moved.take(line.raw) {
                    // Where a base class already says so of its others, that is how it says so.
                    let is_abstract = line.raw.contains("NotImplemented") || line.raw.contains("UnsupportedOperation");
                    let is_usual = is_abstract && stands_already(file, line.raw);
                    let excused = aside || is_usual || asked.is_asked() || is_named_by_user(line.raw, evidence) || purpose == StubPurpose::Deliberate;
                    let certainty = if excused { Certainty::Likely } else { Certainty::Certain };
                    findings.at(file, Some(line.number), Severity::Error, certainty, stub_message(line));
                }
            } else if !aside && admits(line) && !is_wanted_mark(line, asked) && !moved.take(line.raw) {
                let message = format!(
                    "The comment {} admits that something is left out. Finish it, or say in the final message what is missing and why.",
                    quote(line.raw)
                );
                let certainty = if is_left_open(lines, index, Language::of(&file.path), evidence) { Certainty::Certain } else { Certainty::Likely };
                let severity = if certainty == Certainty::Certain { Severity::Error } else { Severity::Warning };
                findings.at(file, Some(line.number), severity, certainty, message);
            }
        }
    }
}

/// Returns whether a mark for later came with the function that it stands in, which a directive asks for, and the message speaks of nothing
/// that is left.
fn is_left_open(lines: &[CodeLine<'_>], index: usize, language: Option<Language>, evidence: &Evidence) -> bool {
    static MARK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^@?(?:TODO|FIXME|XXX)\b").expect("valid pattern"));
    let Some(language) = language.filter(|_| MARK.is_match(&lines[index].comment)) else { return false };
    let name = |line: &CodeLine<'_>| function_name(&line.code, language).filter(|_| line.changed);
    let named = enclosing(lines, index).find_map(name).is_some_and(|name| names_function(evidence, &name));
    let message = evidence.message();
    named && !message.trim().is_empty() && leaves_undone(message).is_none() && claims_remaining_work(message).is_none()
}

/// Returns whether the user speaks of the very error that a line throws.
fn is_named_by_user(raw: &str, evidence: &Evidence) -> bool {
    let words = raw.split(|letter: char| !letter.is_alphanumeric());
    let mut errors = words.filter(|word| word.len() > 8 && (word.ends_with("Exception") || word.ends_with("Error")));
    errors.any(|error| evidence.user_texts().any(|text| has_word(text, error)))
}

/// Returns whether the comment of a line admits something, outside of what it quotes.
fn admits(line: &CodeLine<'_>) -> bool {
    !line.comment.is_empty()
        && ADMISSION.is_match(&line.comment)
        && (!line.comment.contains('`') || {
            let unquoted: Vec<&str> = line.comment.split('`').step_by(2).collect();
            ADMISSION.is_match(&unquoted.join("``"))
        })
}

/// Returns whether the comment is a mark for later that a directive asks for.
fn is_wanted_mark(line: &CodeLine<'_>, asked: &DirectiveWish<'_>) -> bool {
    let mark = line.comment.trim_start_matches('@');
    ["TODO", "FIXME"].iter().any(|word| mark.starts_with(word)) && asked.is_asked()
}

fn stub_message(line: &CodeLine<'_>) -> String {
    format!(
        "{} stands where working code was asked for. Write the code; if the case is not to be supported, say so in the error.",
        quote(line.raw)
    )
}

/// Stand-ins for other code are stubs by design.
fn is_double(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    ["mock", "stub", "fake", "dumm", "unimplemented", "not_implemented", "unsupported", "noop"]
        .iter()
        .any(|word| lower.contains(word))
}

/// What a stub may be for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StubPurpose {
    /// It stands in place of code that is not written yet.
    Missing,
    /// It may refuse what is not supported, or leave a method to subclasses.
    Deliberate,
}

/// Tells a stub from a refusal; nothing for an abstract method.
fn purpose(lines: &[CodeLine<'_>], index: usize, language: Option<Language>, evidence: &Evidence) -> Option<StubPurpose> {
    let line = &lines[index];
    if line.code.contains("todo!") || line.code.contains("TODO(") {
        return Some(StubPurpose::Missing);
    }
    if language == Some(Language::Python) {
        return python_purpose(lines, index, evidence);
    }
    let bare_refusal = line.code.contains("UnsupportedOperation") && !UNFINISHED.is_match(line.raw);
    let explained = line.code.contains("unimplemented!") && line.code.contains('"') && !UNFINISHED.is_match(line.raw);
    let contract = enclosing(lines, index).any(|line| {
        let mut words = line.code.split_whitespace();
        words.any(|word| matches!(word, "trait" | "interface" | "abstract" | "protocol"))
    });
    let deliberate = bare_refusal || explained || contract || REFUSAL.is_match(said(line)) || is_refused(lines, index);
    Some(if deliberate { StubPurpose::Deliberate } else { StubPurpose::Missing })
}

/// Returns whether a stub stands on a path for cases that were not asked for: a condition, a loop, an
/// `else`, a default or a `catch`. A named case is no such path: the author thought of it and left it out.
fn is_refused(lines: &[CodeLine<'_>], index: usize) -> bool {
    static REFUSED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^[}\s]*(?:if|else|elif|elsif|unless|default|catch|except|rescue|while|for|_\s*=>|_\s+if)\b|^\s*_\s*=>",
        )
        .expect("valid pattern")
    });
    static NAMED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s*case\b|=>").expect("valid pattern"));
    let own = &lines[index];
    if REFUSED.is_match(&own.code) {
        return true;
    }
    let mut around = enclosing(lines, index).take_while(|line| !opens_function(&line.code));
    !NAMED.is_match(&own.code)
        && around
            .find(|line| REFUSED.is_match(&line.code) || NAMED.is_match(&line.code))
            .is_some_and(|line| REFUSED.is_match(&line.code))
}

/// What an error says, from its first quote on.
fn said<'a>(line: &CodeLine<'a>) -> &'a str {
    line.raw.find(['"', '\'', '`']).map_or("", |start| &line.raw[start..])
}

/// Words of an error that refuses on purpose.
static REFUSAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)subclass|overrid|abstract|\bmust\b|derived|init\(coder|unsupported|not supported|cannot|can't|unhandled|\bonly\b",
    )
    .expect("valid pattern")
});

/// Words of an error that admits that something is to come.
static UNFINISHED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:todo|fixme|yet|later|stub|not implemented|implement (?:me|this)|placeholder)\b")
        .expect("valid pattern")
});

/// In Python an abstract method raises NotImplementedError by design, and a branch does to refuse
/// what is not supported. A function that does nothing else was not written.
fn python_purpose(lines: &[CodeLine<'_>], index: usize, evidence: &Evidence) -> Option<StubPurpose> {
    if is_abstract(lines, index) {
        return None;
    }
    let Some(heading) = enclosing(lines, index).find(|line| opens_function(&line.code)) else {
        return Some(StubPurpose::Deliberate);
    };
    let start = lines.iter().position(|line| line.number == heading.number).unwrap_or(index);
    let alone = lines[start + 1..index].iter().all(|line| line.is_bare() || !line.code.contains(char::is_alphanumeric));
    // A function inside of anything but its module may be a method or one of several variants.
    let name = heading.code.split("def ").nth(1).and_then(|rest| rest.split('(').next()).unwrap_or_default();
    let own = heading.indent() == 0 || names_function(evidence, name);
    let statement: Vec<&str> = lines[index..].iter().take(3).map(|line| line.raw).collect();
    let refuses = REFUSAL.is_match(&statement.join(" ")) || lines[index].code.contains(" from ");
    Some(if alone && own && !refuses { StubPurpose::Missing } else { StubPurpose::Deliberate })
}

/// The part of a stub that is code and not the text it prints.
static STUB_WORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:todo|unimplemented|panic)!|NotImplemented|UnsupportedOperation|\bthrow\b|\bpanic\(|\bTODO\(|\bfatalError\(")
        .expect("valid pattern")
});

/// Methods that subclasses must write, and signatures that have no body.
fn is_abstract(lines: &[CodeLine<'_>], index: usize) -> bool {
    let marks = ["@abstractmethod", "abc.abstractmethod", "(ABC)", "Protocol)", "overload"];
    lines[index.saturating_sub(12)..index].iter().any(|line| marks.iter().any(|mark| line.code.contains(mark)))
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
    fn a_mark_for_later_in_what_a_directive_names_is_certain() {
        let lines = "+    public func trim(toBytes limit: Int) -> Int {\n+        // TODO: eviction\n+        return 0\n+    }\n";
        let check = |message: &str| {
            let spoken = crate::rule::testing::asked("Add `trim(toBytes:)` which removes the oldest files", message);
            grades(&PlaceholderAdded, &Evidence { diff: changed("Sources/Cache.swift", lines).diff, ..spoken })
        };
        assert_eq!(check("`trim(toBytes:)` is in, oldest first."), [Certainty::Certain]);
        assert_eq!(check("`trim` is there, eviction is still missing."), [Certainty::Likely]);
    }

    #[test]
    fn stubs_are_certain() {
        for (path, line) in [
            ("src/a.rs", "+    todo!()"),
            ("src/a.rs", "+    unimplemented!(\"later\")"),
            ("src/a.py", "+def load(path):\n+    \"\"\"Loads.\"\"\"\n+    raise NotImplementedError"),
            ("src/a.ts", "+  throw new Error('Not implemented');"),
            ("src/A.java", "+    throw new UnsupportedOperationException(\"Not implemented yet\");"),
            ("src/a.go", "+\tpanic(\"not implemented\")"),
            ("src/a.go", "+\tcase io.SeekEnd:\n+\t\tpanic(\"not implemented\")"),
            ("src/a.rs", "+        Kind::B => unimplemented!(),"),
            ("src/A.cs", "+ throw new NotImplementedException();"),
        ] {
            assert_eq!(check(path, line), [Certainty::Certain], "{line}");
        }
    }

    #[test]
    fn refusals_and_methods_for_subclasses_are_likely() {
        for (path, lines) in [
            ("src/a.py", "+        raise NotImplementedError"),
            ("src/a.py", " class Base:\n+    def load(self):\n+        raise NotImplementedError"),
            ("src/a.py", "+def load(kind):\n+    if kind == 'x':\n+        raise NotImplementedError(kind)"),
            ("src/a.py", "+def load(kind):\n+    raise NotImplementedError('subclasses override this')"),
            ("src/a.rs", "+        _ => unimplemented!(),"),
            ("src/a.rs", "+    if cfg!(windows) {\n+        unimplemented!()"),
            ("src/a.rs", "+    unimplemented!(\"needs a kernel that has it\")"),
            ("src/A.java", "+    throw new UnsupportedOperationException();"),
            ("src/a.ts", "+      default:\n+        throw new Error('Not implemented: ' + kind);"),
            ("src/a.swift", "+    fatalError(\"init(coder:) has not been implemented\")"),
            ("src/stubs/a.rs", "+    unimplemented!()"),
        ] {
            assert_eq!(check(path, lines), [Certainty::Likely], "{lines}");
        }
    }

    #[test]
    fn a_method_that_a_directive_names_is_no_base_for_subclasses() {
        let mut evidence =
            changed("src/a.py", " class Store:\n+    def load_all(self):\n+        raise NotImplementedError");
        evidence.directives.extend(Directive::from_prompt("Implement Store.load_all", 1, Vec::new()));
        assert_eq!(grades(&PlaceholderAdded, &evidence), [Certainty::Certain]);
    }

    #[test]
    fn admissions_are_likely() {
        for line in [
            "+    // TODO: handle errors",
            "+    // TODO(kim) handle errors",
            "+    // FIXME this is wrong",
            "+    f(); // slow, FIXME: use an index",
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
            ("src/a.py", "+    # pop chunks until the placeholder fits, then break"),
            ("src/a.py", "+    # when a service stub is subclassed"),
            ("tests/a.rs", "+    // TODO: more cases"),
            ("src/lint.rs", "+//! Finds what was left for later: `todo!()`, `unimplemented!()` and FIXME comments."),
            ("src/lint.rs", "+/// Reports `TODO: x` and XXX markers."),
            ("src/lint.rs", "+/// Reports `not implemented` errors."),
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
        let marked = |directive: &str| {
            let mut evidence = changed("src/a.py", "+    # TODO(SHOP-91): wrong for business customers");
            evidence.directives.extend(Directive::from_prompt(directive, 1, Vec::new()));
            grades(&PlaceholderAdded, &evidence)
        };
        assert_eq!(marked("Leave the discount alone, but put a TODO with the number SHOP-91 there"), []);
        assert_eq!(marked("Fix the discount, and leave no TODO behind"), [Certainty::Likely]);
    }
}
