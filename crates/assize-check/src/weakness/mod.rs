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
#[cfg(test)]
mod table;

use assize_ecosystem::Language;
use assize_syntax::language::{language_of, parse};
use serde::{Deserialize, Serialize};
use tree_sitter::Node;

/// How bad a weakness is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WeaknessSeverity {
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
pub enum WeaknessFamily {
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
    pub family: WeaknessFamily,
    /// The first line that it stands on, counted from 1.
    pub line: u32,
    /// The last line that it stands on.
    pub end_line: u32,
    /// Whether no honest reason for it is in sight.
    pub certain: bool,
    /// How bad it is.
    pub severity: WeaknessSeverity,
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
    pub family: WeaknessFamily,
    /// One sentence: what it finds.
    pub summary: &'static str,
    /// Extensions of the files that it reads, one a language.
    pub languages: &'static [&'static str],
}

const fn weakness(id: &'static str, languages: &'static [&'static str], summary: &'static str) -> RuleInfo {
    RuleInfo { id, family: WeaknessFamily::Weakness, summary, languages }
}

const fn interference(id: &'static str, languages: &'static [&'static str], summary: &'static str) -> RuleInfo {
    RuleInfo { id, family: WeaknessFamily::Interference, summary, languages }
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
    interference(
        "name-hidden",
        &["py", "ts", "rs"],
        "A name is put together of fixed parts, so that no search finds it.",
    ),
    interference("assertion-swallowed", &["py", "ts", "rs"], "An assertion fails and the test does not."),
];

pub use assize_syntax::language::FILE_BYTES_MAX;

/// Most findings of one rule and one certainty in a file. Findings beyond the limit are dropped, so it is higher than
/// their number in any hand-written file.
pub const PER_RULE_MAX: usize = 2_000;
/// Longest excerpt, in bytes.
pub const EXCERPT_BYTES_MAX: usize = 240;

/// The id under which a file is reported that is too large to be searched.
pub const UNREAD: &str = "code-unread";

/// Searches the syntax tree of a file from its root; returns whether all of it was searched in time.
type SearchFunction = for<'t> fn(Node<'t>, &'t str, &str, &mut WeaknessCollector<'t>) -> bool;

/// Returns how files of a language are searched; `None` where no rule knows it.
fn search_of(language: Language) -> Option<SearchFunction> {
    Some(match language {
        Language::Python => python::search,
        Language::JavaScript | Language::TypeScript | Language::Tsx => script::search,
        Language::Go => go::search,
        Language::Java => java::search,
        Language::Rust => rust::search,
        _ => return None,
    })
}

/// Searches a file. The path tells the language; nothing is found in a language that no rule knows.
pub fn find(path: &str, text: &str) -> Vec<Weakness> {
    let Some(search) = language_of(path).and_then(search_of) else { return Vec::new() };
    let Some(parsed) = parse(path, text) else {
        return too_large(path)
            .filter(|_| text.len() > FILE_BYTES_MAX)
            .or_else(|| Some(too_slow()))
            .into_iter()
            .collect();
    };
    let mut found = WeaknessCollector { text, weaknesses: Vec::new() };
    let root = parsed.tree.root_node();
    let whole = search(root, text, path, &mut found);
    let mut weaknesses = found.weaknesses;
    if !whole {
        weaknesses.push(too_slow());
    }
    weaknesses.sort_by(|one, other| (one.line, &one.rule).cmp(&(other.line, &other.rule)));
    weaknesses
}

/// What is to be said of a file that is larger than [`FILE_BYTES_MAX`]; `None` where it would not be searched anyway.
pub fn too_large(path: &str) -> Option<Weakness> {
    language_of(path).and_then(search_of)?;
    Some(unread(format!("The file is larger than {FILE_BYTES_MAX} bytes and was not searched for weaknesses.")))
}

fn too_slow() -> Weakness {
    unread("The file is made so that it takes too long to search for weaknesses; not all of it was.".to_owned())
}

/// Says that a file was not searched, or not all of it.
fn unread(message: String) -> Weakness {
    Weakness {
        rule: UNREAD.to_owned(),
        family: WeaknessFamily::Weakness,
        line: 1,
        end_line: 1,
        certain: true,
        severity: WeaknessSeverity::Warning,
        message,
        excerpt: String::new(),
        in_test: false,
    }
}

/// How sure and how bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Grade {
    certain: bool,
    severity: WeaknessSeverity,
}

/// A fault without an honest reason in sight.
const SURE: Grade = Grade { certain: true, severity: WeaknessSeverity::Error };
/// A fact that is worth a warning, whatever its reason.
const SURE_WARNING: Grade = Grade { certain: true, severity: WeaknessSeverity::Warning };
/// A fact that is worth knowing.
const SURE_NOTE: Grade = Grade { certain: true, severity: WeaknessSeverity::Note };
/// Often a fault.
const LIKELY: Grade = Grade { certain: false, severity: WeaknessSeverity::Error };
/// Sometimes a fault.
const LIKELY_WARNING: Grade = Grade { certain: false, severity: WeaknessSeverity::Warning };

impl Grade {
    /// The grade where something speaks for an honest reason.
    fn unless(self, excuse: bool) -> Self {
        Self { certain: self.certain && !excuse, ..self }
    }
}

/// Takes the findings of a file.
struct WeaknessCollector<'t> {
    text: &'t str,
    weaknesses: Vec<Weakness>,
}

impl WeaknessCollector<'_> {
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
        let family = info.map_or(WeaknessFamily::Weakness, |info| info.family);
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
    fn work_is_spent_up_to_its_limit() {
        // Each statement looks for the value of `q` in the whole function.
        let function = |count: usize| format!("def f(db):\n{}", "    db.execute(q)\n".repeat(count));
        let rules = |count: usize| -> Vec<String> {
            find("a.py", &function(count)).into_iter().map(|found| found.rule).collect()
        };
        assert_eq!(rules(500), [""; 0]);
        assert_eq!(rules(15_000), [UNREAD]);
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
