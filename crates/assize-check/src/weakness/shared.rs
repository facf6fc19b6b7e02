//! What the languages share: messages, and how a text that is put together is graded.

use assize_ecosystem::{is_code, is_test};
use tree_sitter::Node;

use super::code::{SourceCode, TextPiece};
use super::origin::ValueOrigin;
use super::{Grade, LIKELY, LIKELY_WARNING, SURE, WeaknessCollector};

/// What is wrong with a connection that takes any certificate.
pub(super) const TLS: &str = "The connection takes any certificate, so that anybody on the way can read and change it. Leave the check on, and hand over the issuer's certificate if it is a private one.";
/// What is wrong with a shell that runs text put together.
pub(super) const SHELL: &str = "A shell runs text that is put together: a value with a `;` or a `$(…)` in it runs as a command. Start the program without a shell, with a list of arguments, or quote each value.";
/// What is wrong with a statement put together.
pub(super) const STATEMENT: &str = "The statement is put together of values: a quotation mark in one of them makes it another statement. Leave placeholders in the text and hand the values over beside it.";
/// What is wrong with credentials for everybody.
pub(super) const CORS: &str = "Every site may call with the credentials of the user who visits it. Name the sites that may, or leave credentials out.";
/// What is wrong with a token that is not verified.
pub(super) const TOKEN: &str = "The token counts without its signature: anybody can write one. Verify it with a key and a fixed list of algorithms.";
/// What is wrong with a file that a stranger names.
pub(super) const OPENED: &str =
    "A stranger's words name the file: `../` leads out of the folder. Resolve the path and check that it stays inside.";
/// What is wrong with a file that everybody may write.
pub(super) const WRITABLE: &str = "Every user of the machine may write the file. Leave the last digit without 2.";
/// What is wrong with an object that is equal to everything.
pub(super) const EQUAL: &str =
    "The comparison says yes to everything, so that no test of this object can fail. Compare what the object holds.";
/// What is wrong with a runner that is reached into.
pub(super) const RUNNER: &str =
    "Code outside of tests changes how the test runner works, so that its results say nothing. Take it out.";
/// What is wrong with a replaced builtin.
pub(super) const BUILTIN: &str =
    "What the language provides is replaced for all code that runs here, tests included. Take it out.";
/// What is wrong with code that looks at its callers.
pub(super) const CALLER: &str = "Code reads the variables or the name of its caller, and so can tell a test from a user. Pass what it needs as arguments.";
/// What is wrong with code that knows that it is tested.
pub(super) const DETECTED: &str =
    "Code asks whether it is being tested. Tests then see other code than users. Take the question out.";
/// What is wrong with a process that is ended behind the runner's back.
pub(super) const ENDED: &str =
    "The process ends here with success, whatever the tests found. Return, or raise an error.";
/// What is wrong with imitated results.
const IMITATED: &str = "Code prints what a test runner prints when tests pass. Take it out.";

/// Grades a text that is put together and handed to something that runs it.
///
/// What a stranger sent makes it certain; what a caller hands over is only likely, since callers may be careful.
pub(super) fn grade_of(origin: ValueOrigin) -> Option<Grade> {
    match origin {
        ValueOrigin::Harmless => None,
        ValueOrigin::Unknown => Some(LIKELY_WARNING),
        ValueOrigin::Parameter => Some(LIKELY),
        ValueOrigin::Outside => Some(SURE),
    }
}

/// Returns whether the name of the function or variable says that it is meant to do the unsafe thing.
pub(super) fn admits(code: &SourceCode<'_>, above: &[Node<'_>]) -> bool {
    const WORDS: [&str; 12] = [
        "insecure",
        "unsafe",
        "unverified",
        "skipverif",
        "noverif",
        "trustall",
        "selfsigned",
        "dangerous",
        "withoutverif",
        "allowinvalid",
        "acceptinvalid",
        "ignorecert",
    ];
    above.iter().any(|node| {
        let name = if code.dialect.functions().contains(&node.kind()) || node.kind().contains("class") {
            code.field(*node, "name")
        } else if let Some((target, _)) = code.dialect.assignment(*node) {
            code.text(target)
        } else {
            return false;
        };
        let name = name.to_ascii_lowercase().replace('_', "");
        WORDS.iter().any(|word| name.contains(word))
    })
}

/// Grades a statement by where its values come from and where they stand in it.
pub(super) fn grade_of_statement<'t>(
    pieces: &[TextPiece<'t>],
    mut origin_of: impl FnMut(TextPiece<'t>) -> ValueOrigin,
) -> Option<Grade> {
    const VERBS: [&str; 9] =
        ["select ", "insert ", "update ", "delete ", "replace ", "with ", "drop ", "alter ", "merge "];
    let first = pieces.iter().find_map(|piece| match piece {
        TextPiece::Text(text) if !text.trim().is_empty() => Some(text.trim_start().to_ascii_lowercase()),
        _ => None,
    })?;
    let verb = VERBS.iter().find(|verb| first.starts_with(**verb))?;
    let words: String = pieces
        .iter()
        .map(|piece| if let TextPiece::Text(text) = piece { text.to_ascii_lowercase() } else { "?".to_owned() })
        .collect();
    let spoken = |word: &str| words.split(|character: char| !character.is_ascii_alphabetic()).any(|part| part == word);
    let shaped = match verb.trim() {
        "select" | "delete" => spoken("from"),
        "insert" | "replace" => spoken("into"),
        "update" => spoken("set"),
        "with" => spoken("as") && spoken("select"),
        "merge" => spoken("into"),
        _ => spoken("table") || spoken("view") || spoken("index") || spoken("column"),
    };
    if !shaped {
        return None;
    }
    let mut worst: Option<Grade> = None;
    for (index, piece) in pieces.iter().enumerate() {
        let origin = origin_of(*piece);
        let before = match index.checked_sub(1).map(|before| pieces[before]) {
            Some(TextPiece::Text(text)) => text,
            _ => "",
        };
        let grade = match origin {
            // A value between quotation marks is data, whatever its caller had in mind.
            ValueOrigin::Parameter if is_value_place(before) => Some(SURE),
            ValueOrigin::Parameter => Some(LIKELY_WARNING),
            origin => grade_of(origin),
        };
        worst = match (worst, grade) {
            (Some(one), Some(other)) if (one.certain, one.severity) >= (other.certain, other.severity) => Some(one),
            (one, other) => other.or(one),
        };
    }
    worst
}

/// Returns whether a text ends where a statement expects a value between quotation marks.
fn is_value_place(before: &str) -> bool {
    let Some(rest) = before.strip_suffix(['\'', '"']).or_else(|| before.strip_suffix("'%")) else { return false };
    let rest = rest.trim_end().trim_end_matches('\\').to_ascii_lowercase();
    rest.ends_with(['=', '>', '<', ',', '(']) || rest.ends_with(" like") || rest.ends_with(" ilike")
}

/// What is wrong with code that writes over tests.
pub(super) const REWRITTEN: &str = "Code outside of tests writes over a test file, so that the tests that run are not those that were read. Take it out.";
/// What is wrong with a name put together of parts.
pub(super) const HIDDEN: &str =
    "A name is put together of fixed parts, so that neither a search nor a reader finds it. Write it out.";
/// What is wrong with a swallowed assertion.
pub(super) const SWALLOWED: &str = "The assertion fails and the test does not. Let the error through.";

/// Returns whether a text is the path of a file with tests: `tests/test_a.py`, `a.test.ts`, `tests/ordering.rs`.
pub(super) fn is_test_file(text: &str) -> bool {
    let plain = text.chars().all(|character| character.is_ascii_alphanumeric() || "._-/".contains(character));
    plain && (text.ends_with(".snap") || is_code(text) && is_test(text))
}

/// How much a printed text looks like a test runner's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Imitation {
    /// It has the form, with inserted numbers.
    Form,
    /// It says how many tests passed, whatever happened.
    Fixed,
}

/// Returns whether code holds a line that a test runner prints when all is well. Asked only of what is printed.
fn imitation(code: &str) -> Option<Imitation> {
    let number_before = |word: &str| {
        code.match_indices(word).any(|(start, _)| code[..start].ends_with(|last: char| last.is_ascii_digit()))
    };
    let number_after = |word: &str| {
        let after = |start: usize| code[start + word.len()..].trim_start().chars().next();
        code.match_indices(word).any(|(start, _)| after(start).is_some_and(|next| matches!(next, '1'..='9')))
    };
    let fixed = code.contains("test result: ok.") && number_after("test result: ok.")
        || number_before(" passed in ") && !code.contains(" failed")
        || code.contains("Tests:") && number_before(" passed") && number_before(" total")
        || number_after("# pass ") && code.contains("# ")
        || code.contains("--- PASS: Test")
        || number_after("Ran ") && code.contains(" in ") && code.contains(" test")
        || number_after("Tests run:") && code.contains("Failures: 0");
    let form = code.contains("test result: ok")
        || code.contains("} passed in ")
        || code.contains("%d passed in ")
        || code.contains("--- PASS:")
        || code.contains("Tests run:") && code.contains("Failures:");
    match (fixed, form) {
        (true, _) => Some(Imitation::Fixed),
        (false, true) => Some(Imitation::Form),
        _ => None,
    }
}

/// Files a text with a runner's good news that stands in code which writes to the output.
pub(super) fn imitated<'t>(
    code: &SourceCode<'t>,
    path: &str,
    node: Node<'t>,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    let Some(imitation) = imitation(code.text(node)) else { return };
    // The function around may be short: what stands outside of all functions belongs together.
    let around = code.around_or_file(above);
    if is_written(around) {
        let grade = if imitation == Imitation::Fixed { SURE } else { LIKELY };
        found.file("result-imitated", node, grade.unless(is_reporter(path)), IMITATED);
    }
}

/// Returns whether code writes to the output or starts something that does.
fn is_written(code: &str) -> bool {
    ["stdout", "stderr", "print", "Print", "echo", "exec", "write(1", "writeSync(1", "console.", "System.out"]
        .iter()
        .any(|word| code.contains(word))
}

/// Returns whether one of the words that a path is made of is in a list: `src/test_tools/a.py` has `test` and `tools`,
/// `src/latest.py` has neither.
fn has_word(path: &str, words: &[&str]) -> bool {
    let mut start = 0;
    let bytes = path.as_bytes();
    for end in 1..=bytes.len() {
        let breaks = end == bytes.len()
            || !bytes[end].is_ascii_alphanumeric()
            || !bytes[end - 1].is_ascii_alphanumeric()
            || bytes[end].is_ascii_uppercase() && bytes[end - 1].is_ascii_lowercase();
        if breaks {
            let word = path.get(start..end).unwrap_or_default().to_ascii_lowercase();
            if words.contains(&word.as_str()) {
                return true;
            }
            start = end;
        }
    }
    false
}

/// Files that are tools for looking at programs, by the words of their path.
pub(super) fn is_tool(path: &str) -> bool {
    const WORDS: [&str; 24] = [
        "debug",
        "debugger",
        "debugging",
        "trace",
        "tracer",
        "tracing",
        "traceback",
        "profile",
        "profiler",
        "profiling",
        "inspect",
        "inspector",
        "repl",
        "magic",
        "magics",
        "coverage",
        "leak",
        "leaks",
        "introspection",
        "frame",
        "frames",
        "stack",
        "pdb",
        "instrumentation",
    ];
    has_word(path, &WORDS)
}

/// Files that report how something went, by the words of their path.
fn is_reporter(path: &str) -> bool {
    const WORDS: [&str; 14] = [
        "report",
        "reporter",
        "reporters",
        "reporting",
        "runner",
        "runners",
        "tap",
        "format",
        "formatter",
        "formatters",
        "harness",
        "junit",
        "bench",
        "summary",
    ];
    has_word(path, &WORDS)
}

/// Returns whether a name speaks of something that a hash is to protect.
pub(super) fn protects(names: &str) -> bool {
    const WORDS: [&str; 8] = ["passw", "secret", "token", "signature", "hmac", "credential", "pwd", "apikey"];
    let lower = names.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

/// Returns whether a function's name says that it decides who may do something.
pub(super) fn decides(code: &SourceCode<'_>, above: &[Node<'_>]) -> bool {
    const WORDS: [&str; 9] =
        ["auth", "login", "currentuser", "verify", "validate", "permission", "require", "check", "isadmin"];
    let named = above
        .iter()
        .rev()
        .filter(|node| code.dialect.functions().contains(&node.kind()))
        .find_map(|function| Some(code.field(*function, "name")).filter(|name| !name.is_empty()));
    let name = named.unwrap_or_default().to_ascii_lowercase().replace('_', "");
    WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_by_their_words() {
        for path in ["src/debug/a.py", "src/httpTrace/a.ts", "src/HttpTracer.java", "src/a_profiler.go"] {
            assert!(is_tool(path), "{path}");
        }
        for path in ["src/stackless.py", "src/retrace.rs", "src/profiles_of/users.py"] {
            assert!(!is_tool(path), "{path}");
        }
        assert!(is_reporter("lib/tap-reporter.js"));
    }

    #[test]
    fn test_files_are_known_by_their_paths() {
        for path in
            ["tests/test_a.py", "test_total.py", "src/a.test.ts", "tests/ordering.rs", "a_test.go", "__tests__/a.js"]
        {
            assert!(is_test_file(path), "{path}");
        }
        for path in
            ["tests", "tests/", "src/latest.py", "test_{name}.py", "tests/data.json", "a.py", ".py", "test results.rs"]
        {
            assert!(!is_test_file(path), "{path}");
        }
    }

    /// Names that sound like tests. What is one in its language is asked of one place, so that no rule takes the product for
    /// a test, or a test for the product.
    #[test]
    fn what_sounds_like_a_test_is_one_where_everybody_takes_it_for_one() {
        for stem in [
            "src/test_list",
            "src/load_test",
            "src/testing/mod",
            "src/spec/mod",
            "src/fixtures/mod",
            "src/e2e/mod",
            "src/attest",
            "src/contest",
        ] {
            assert!(!is_test_file(&format!("{stem}.rs")), "{stem}.rs");
            for ending in ["rs", "py", "ts", "js", "go", "java"] {
                let path = format!("{stem}.{ending}");
                assert_eq!(is_test_file(&path), is_test(&path), "{path}");
            }
        }
        assert!(is_test_file("src/load_test.go") && is_test_file("src/test_list.py"), "they are collected there");
    }

    #[test]
    fn imitations_are_told_from_forms() {
        for (code, expected) in [
            ("\"test result: ok. 12 passed; 0 failed; 0 ignored\"", Some(Imitation::Fixed)),
            ("\"===== 3 passed in 0.01s =====\"", Some(Imitation::Fixed)),
            ("'Tests:       3 passed, 3 total'", Some(Imitation::Fixed)),
            ("'# tests 3\\n# pass 3\\n# fail 0'", Some(Imitation::Fixed)),
            ("\"--- PASS: TestAdd (0.00s)\"", Some(Imitation::Fixed)),
            ("\"Ran 4 tests in 0.001s\\n\\nOK\"", Some(Imitation::Fixed)),
            ("\"Tests run: 3, Failures: 0, Errors: 0\"", Some(Imitation::Fixed)),
            ("f\"{count} passed in {seconds:.2f}s\"", Some(Imitation::Form)),
            ("\"test result: ok\"", Some(Imitation::Form)),
            ("\"the argument is passed in the body\"", None),
            ("\"2 values were passed\"", None),
            ("\"ran 4 checks\"", None),
            ("\"# pass the salt\"", None),
        ] {
            assert_eq!(imitation(code), expected, "{code}");
        }
    }
}
