//! Weak and dishonest code, found in the syntax tree of one file.
//!
//! Two families. A *weakness* endangers users: checks of certificates switched off, a shell that is handed text put
//! together, keys that are not verified. An *interference* deceives tests: objects that are equal to everything, a
//! patched test runner, code that behaves otherwise while it is tested. Only code counts: comments and texts are nodes
//! of their own kind here, and never searched.
//!
//! `certain` means that the fact stands in the code and no honest reason for it is in sight. What has honest uses is
//! likely. Who judges must still know which lines are new and which files are tests; this module does not.
//!
//! One language is one file. To add a rule: add a line to [`RULES`], file it in the languages' files, and add examples
//! and counter-examples to `table.rs`; a test holds that each rule has both in each of its languages.

mod code;
mod go;
mod java;
mod origin;
mod python;
mod rust;
mod script;
mod shared;

use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Tree};

/// How bad a weakness is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// A fault that can wait.
    Warning,
    /// A fault that endangers users, or makes tests say nothing.
    Error,
}

/// Whom a rule protects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// The users of the program.
    Weakness,
    /// Those who trust its tests. In test code itself these are ordinary means.
    Interference,
}

/// A thing that a file does and should not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Weakness {
    /// The id of the rule, see [`RULES`].
    pub rule: String,
    /// Whom the rule protects.
    pub family: Family,
    /// The first line that it stands on, counted from 1.
    pub line: u32,
    /// The last line that it stands on.
    pub end_line: u32,
    /// Whether no honest reason for it is in sight.
    pub certain: bool,
    /// How bad it is.
    pub severity: Severity,
    /// What is the case, and what would settle it. Holds no text of the file.
    pub message: String,
    /// The code itself, cut and on one line: text of the judged, not to be shown bare. Together with the rule it tells
    /// whether the same thing stood there before.
    pub excerpt: String,
    /// Whether it stands in a test that the language marks as such inside of the file.
    pub in_test: bool,
}

/// A rule, for lists and documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RuleInfo {
    /// The id, in kebab case.
    pub id: &'static str,
    /// Whom it protects.
    pub family: Family,
    /// One sentence: what it finds.
    pub summary: &'static str,
    /// Extensions of the files that it reads, one a language.
    pub languages: &'static [&'static str],
}

const fn weakness(id: &'static str, languages: &'static [&'static str], summary: &'static str) -> RuleInfo {
    RuleInfo { id, family: Family::Weakness, summary, languages }
}

const fn interference(id: &'static str, languages: &'static [&'static str], summary: &'static str) -> RuleInfo {
    RuleInfo { id, family: Family::Interference, summary, languages }
}

/// Every rule.
pub static RULES: &[RuleInfo] = &[
    weakness("tls-unverified", &["py", "ts", "go", "java", "rs"], "A connection takes any certificate."),
    weakness("shell-injection", &["py", "ts", "go", "java", "rs"], "A shell runs text that is put together."),
    weakness("code-injection", &["py", "ts", "java"], "Code that is not fixed is evaluated."),
    weakness("unsafe-deserialization", &["py", "ts", "java"], "Bytes are turned into objects that can run code."),
    weakness("sql-injection", &["py", "ts", "go", "java", "rs"], "A statement is put together of values."),
    weakness("path-traversal", &["py", "ts", "go", "java"], "A stranger's words name the file that is opened."),
    weakness("weak-hash", &["py", "ts", "go", "java"], "A password, key or signature is hashed with MD5 or SHA-1."),
    weakness("debug-server", &["py"], "A server runs with its debugger open."),
    weakness("open-cors", &["py", "ts", "go", "java"], "Every site may call with the user's credentials."),
    weakness("token-unverified", &["py", "ts", "go", "java", "rs"], "A token counts without its signature."),
    weakness("temporary-name", &["py"], "A temporary file is named before it is made."),
    weakness("open-permissions", &["py", "ts", "go", "java", "rs"], "Every user of the machine may write the file."),
    weakness("unsafe-code", &["rs"], "Code is added that the compiler does not check."),
    interference("always-equal", &["py", "ts", "java", "rs"], "An object is equal to everything."),
    interference("runner-touched", &["py", "ts", "java", "go"], "Code outside of tests reaches into the test runner."),
    interference("builtin-replaced", &["py", "ts", "rs"], "What the language provides is replaced for everybody."),
    interference("caller-inspected", &["py", "ts", "go", "java", "rs"], "Code looks at who calls it."),
    interference("test-detected", &["py", "ts", "go", "java", "rs"], "Code behaves otherwise while it is tested."),
    interference("process-ended", &["py", "ts", "go", "java", "rs"], "Code ends the process behind the runner's back."),
    interference("result-imitated", &["py", "ts", "go", "java", "rs"], "Code prints what a test runner would print."),
    interference("hidden-start", &["rs"], "Code runs before anybody calls it."),
    interference("tests-rewritten", &["py", "ts", "rs"], "Code outside of tests writes over test files."),
    interference("name-hidden", &["py", "ts"], "A name is put together of fixed parts, so that no search finds it."),
    interference("assertion-swallowed", &["py", "ts", "rs"], "An assertion fails and nobody hears of it."),
];

/// Largest file that is searched, in bytes. Of a larger one it is said that it was not.
pub const FILE_BYTES_MAX: usize = 1024 * 1024;
/// Most findings of one rule and one certainty in a file; a flood says no more than its beginning.
pub const PER_RULE_MAX: usize = 50;
/// Longest excerpt, in bytes.
pub const EXCERPT_BYTES_MAX: usize = 240;

/// The id under which a file is reported that is too large to be searched.
pub const UNREAD: &str = "code-unread";

/// Searches a file. The path tells the language; a file in no known language has nothing.
pub fn find(path: &str, text: &str) -> Vec<Weakness> {
    let Some(language) = Language::of(path) else { return Vec::new() };
    if text.len() > FILE_BYTES_MAX {
        return vec![Weakness {
            rule: UNREAD.to_owned(),
            family: Family::Weakness,
            line: 1,
            end_line: 1,
            certain: true,
            severity: Severity::Warning,
            message: format!("The file is larger than {FILE_BYTES_MAX} bytes and was not searched for weaknesses."),
            excerpt: String::new(),
            in_test: false,
        }];
    }
    let Some(tree) = parse(language, text) else { return Vec::new() };
    let mut found = Found { text, weaknesses: Vec::new() };
    let root = tree.root_node();
    match language {
        Language::Python => python::search(root, text, path, &mut found),
        Language::JavaScript | Language::TypeScript | Language::Tsx => script::search(root, text, path, &mut found),
        Language::Go => go::search(root, text, path, &mut found),
        Language::Java => java::search(root, text, path, &mut found),
        Language::Rust => rust::search(root, text, path, &mut found),
    }
    let mut weaknesses = found.weaknesses;
    weaknesses.sort_by(|one, other| (one.line, &one.rule).cmp(&(other.line, &other.rule)));
    weaknesses
}

/// The languages that are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Go,
    Java,
    Rust,
}

impl Language {
    fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        Some(match name.rsplit_once('.')?.1 {
            "py" | "pyw" | "pyi" => Self::Python,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "go" => Self::Go,
            "java" => Self::Java,
            "rs" => Self::Rust,
            _ => return None,
        })
    }
}

fn parse(language: Language, text: &str) -> Option<Tree> {
    let grammar: tree_sitter::Language = match language {
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        Language::Go => tree_sitter_go::LANGUAGE.into(),
        Language::Java => tree_sitter_java::LANGUAGE.into(),
        Language::Rust => tree_sitter_rust::LANGUAGE.into(),
    };
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&grammar).ok()?;
    parser.parse(text, None)
}

/// How sure and how bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Grade {
    certain: bool,
    severity: Severity,
}

/// A fault without an honest reason in sight.
const SURE: Grade = Grade { certain: true, severity: Severity::Error };
/// A fact that is worth a warning, whatever its reason.
const SURE_WARNING: Grade = Grade { certain: true, severity: Severity::Warning };
/// A fact that is worth knowing.
const SURE_NOTE: Grade = Grade { certain: true, severity: Severity::Note };
/// Often a fault.
const LIKELY: Grade = Grade { certain: false, severity: Severity::Error };
/// Sometimes a fault.
const LIKELY_WARNING: Grade = Grade { certain: false, severity: Severity::Warning };

impl Grade {
    /// The grade where something speaks for an honest reason.
    fn unless(self, excuse: bool) -> Self {
        Self { certain: self.certain && !excuse, ..self }
    }
}

/// Takes the findings of a file.
struct Found<'t> {
    text: &'t str,
    weaknesses: Vec<Weakness>,
}

impl Found<'_> {
    /// Files a finding that stands at a node.
    fn file(&mut self, rule: &'static str, at: Node<'_>, grade: Grade, message: impl Into<String>) {
        self.file_at(rule, at, at, grade, message);
    }

    /// Files a finding that is about one node and quotes another.
    fn file_at(
        &mut self,
        rule: &'static str,
        at: Node<'_>,
        quoted: Node<'_>,
        grade: Grade,
        message: impl Into<String>,
    ) {
        let info = RULES.iter().find(|info| info.id == rule);
        let family = info.map_or(Family::Weakness, |info| info.family);
        let same = |known: &&Weakness| known.rule == rule && known.certain == grade.certain;
        if self.weaknesses.iter().filter(same).count() >= PER_RULE_MAX {
            return;
        }
        let end = at.end_position();
        let last = if end.column == 0 { end.row } else { end.row + 1 };
        let line = code::line(at);
        let weakness = Weakness {
            rule: rule.to_owned(),
            family,
            line,
            end_line: u32::try_from(last).unwrap_or(u32::MAX).max(line),
            certain: grade.certain,
            severity: grade.severity,
            message: message.into(),
            excerpt: excerpt(self.text.get(quoted.byte_range()).unwrap_or_default()),
            in_test: false,
        };
        // The same place can be met by two ways of finding the same thing.
        let twice = self.weaknesses.iter_mut().find(|known| {
            known.rule == weakness.rule && known.line == weakness.line && known.excerpt == weakness.excerpt
        });
        match twice {
            Some(known) if known.certain >= weakness.certain => {}
            Some(known) => *known = weakness,
            None => self.weaknesses.push(weakness),
        }
    }

    /// Marks what was found between two lines as standing in a test.
    fn mark_test(&mut self, from: u32, to: u32) {
        // What tests rest on must not be replaced for them either.
        let excused = |weakness: &&mut Weakness| !matches!(weakness.rule.as_str(), "builtin-replaced" | "hidden-start");
        for weakness in
            self.weaknesses.iter_mut().filter(excused).filter(|found| found.line >= from && found.end_line <= to)
        {
            weakness.in_test = true;
        }
    }
}

/// Puts code on one line and cuts it.
fn excerpt(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > EXCERPT_BYTES_MAX {
            break;
        }
    }
    let mut end = line.len().min(EXCERPT_BYTES_MAX);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line.truncate(end);
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_searched_up_to_its_limit() {
        let head = "import requests\nrequests.get(u, verify=False)\n";
        let padded = |bytes: usize| format!("{head}#{}", " ".repeat(bytes - head.len() - 1));
        let rules = |text: &str| -> Vec<String> { find("a.py", text).into_iter().map(|found| found.rule).collect() };
        assert_eq!(rules(&padded(FILE_BYTES_MAX)), ["tls-unverified"]);
        assert_eq!(rules(&padded(FILE_BYTES_MAX + 1)), [UNREAD]);
    }

    #[test]
    fn a_rule_files_at_most_its_limit() {
        let lines = |count: usize| {
            let calls: Vec<String> =
                (0..count).map(|index| format!("requests.get('https://a/{index}', verify=False)")).collect();
            format!("import requests\n{}\n", calls.join("\n"))
        };
        assert_eq!(find("a.py", &lines(PER_RULE_MAX)).len(), PER_RULE_MAX);
        assert_eq!(find("a.py", &lines(PER_RULE_MAX + 1)).len(), PER_RULE_MAX);
    }

    #[test]
    fn an_excerpt_is_one_short_line() {
        assert_eq!(excerpt("a(\n    b,\n)"), "a( b, )");
        assert_eq!(excerpt(&"x".repeat(EXCERPT_BYTES_MAX)).len(), EXCERPT_BYTES_MAX);
        assert_eq!(excerpt(&"x".repeat(EXCERPT_BYTES_MAX + 1)).len(), EXCERPT_BYTES_MAX);
        assert_eq!(excerpt(&"é".repeat(EXCERPT_BYTES_MAX)).len(), EXCERPT_BYTES_MAX);
    }

    #[test]
    fn rules_have_ids_of_their_own_and_say_what_they_find() {
        let mut seen = std::collections::BTreeSet::new();
        for rule in RULES {
            assert!(rule.id.chars().all(|character| character.is_ascii_lowercase() || character == '-'), "{}", rule.id);
            assert!(seen.insert(rule.id), "{} stands there twice", rule.id);
            assert!(rule.summary.ends_with('.') && !rule.languages.is_empty(), "{}", rule.id);
        }
    }

    #[test]
    fn deep_nesting_is_survived() {
        for (path, open, close) in [("a.py", "(", ")"), ("a.ts", "[", "]"), ("a.rs", "{", "}"), ("a.go", "(", ")")] {
            let text = format!("x = {}{}", open.repeat(20_000), close.repeat(20_000));
            assert!(find(path, &text).is_empty(), "{path}");
        }
        let chain = format!("x = a{}\n", ".b(c)".repeat(20_000));
        assert!(find("a.js", &chain).is_empty());
        let sum = format!("import os\nos.system({} + x)\n", vec!["'a'"; 20_000].join(" + "));
        assert!(find("a.py", &sum).len() <= 1);
    }
}
