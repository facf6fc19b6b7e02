//! Which tests and settings a specification asks to change.
//!
//! "Adapt the tests" asks for other tests, "change the parser so tests pass" for other code. So a word for changing opens what it
//! has for its object, and nothing that merely stands in the same sentence. In doubt nothing is opened. This must not know
//! what is done with what stays closed.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use assize_ecosystem::is_checker_setting;

use super::tool;
use super::{is_held, is_setting_of_runs, may_be_held};

/// What a specification asks to change of that by which a change is judged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WritableScope {
    /// Nothing: tests and settings are those of the base.
    #[default]
    None,
    /// The files that it names, and those that the tools that it names are told by.
    Named(BTreeSet<String>),
    /// All tests and their aids, but no settings of checks and runners.
    All,
    /// All tests and their aids, and what it names besides.
    AllAnd(BTreeSet<String>),
}

impl WritableScope {
    fn names(&self) -> impl Iterator<Item = &str> {
        let names = match self {
            Self::Named(names) | Self::AllAnd(names) => Some(names),
            Self::None | Self::All => None,
        };
        names.into_iter().flatten().map(String::as_str)
    }

    /// Returns whether all tests are open.
    pub fn opens_tests(&self) -> bool {
        matches!(self, Self::All | Self::AllAnd(_))
    }

    /// Returns whether tests may go that the base has: some are open, or what picks them is.
    pub fn lets_tests_go(&self) -> bool {
        self.opens_tests() || self.names().any(|name| tool::is_runner(name) || may_be_held(name))
    }

    /// Returns whether a file belongs to the tests by its path and stays closed.
    pub fn holds(&self, path: &str) -> bool {
        is_held(path) && !self.opens(path)
    }

    /// Returns whether a file may be the change's own: it belongs to tests that are open, or it is named, or a tool is that
    /// is told by it.
    pub fn opens(&self, path: &str) -> bool {
        let of_tool = |name: &str| tool::guarded_tools().any(|tool| tool.id == name && tool.may_read(path));
        self.opens_tests() && !is_setting_of_runs(path)
            || self.names().any(|name| name == path || path.ends_with(&format!("/{name}")) || of_tool(name))
    }

    /// Reads out of a specification what it asks to change.
    ///
    /// A word for changing counts where a clause begins with it: "adapt the tests", "and update them", "the tests must be
    /// adapted". "The tests" have to be its object, with nothing but articles, adjectives and names between, and with no verb
    /// after them: "change the parser so tests pass" and "add an edit distance test helper" open none. A file may stand
    /// further behind it ("change the expected total in `tests/test_a.py`"), before any word that speaks of another thing:
    /// "so", "until", "make", "pass". A tool's settings are opened by its name ("configure ruff", "loosen the mypy settings").
    /// A manifest that holds them is then open as a whole, and named alone it opens nothing: "bump the version in `pyproject.toml`".
    /// What a sentence forbids it does not open, and a test that is to be *added* needs no opening.
    pub fn by(specification: &str) -> Self {
        let mut named = BTreeSet::new();
        let mut all = false;
        for sentence in sentences(specification).filter(|sentence| !forbids(sentence)) {
            let found = SentenceReading::of(&words(&sentence));
            all |= found.tests || asks_in_the_passive(&sentence);
            named.extend(found.named);
        }
        if all {
            named.retain(|name| is_tool(name) || !Self::All.opens(name));
        }
        match (all, named.is_empty()) {
            (true, true) => Self::All,
            (true, false) => Self::AllAnd(named),
            (false, true) => Self::None,
            (false, false) => Self::Named(named),
        }
    }
}

fn is_tool(name: &str) -> bool {
    tool::guarded_tools().any(|tool| tool.id == name)
}

/// Returns whether a sentence says what is not to be done.
fn forbids(sentence: &str) -> bool {
    static FORBIDS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?xi)\b(?:(?:not|never|without|don['’]t|must\s+(?:stay|still)|off[\s-]limits|read[\s-]only|leave|keep|untouched
              |unchanged|(?:alter|chang|edit|modif|touch|updat)\w*\s+(?:none|nothing))\b
              |except(?:\s+for)?\s*:)",
        )
            .expect("valid pattern")
    });
    FORBIDS.is_match(sentence)
}

/// Returns the files that a specification asks to change, and those that it asks to add.
///
/// A file that is to be added has to be the object of the verb, or one of several: "add a `conftest.py`", "create `src/a.py` and
/// `pytest.ini`", but not "add a loader that reads `pytest.ini`". What it forbids it does not ask for.
pub fn asked_files(specification: &str) -> BTreeSet<String> {
    let readings =
        sentences(specification).filter(|sentence| !forbids(sentence)).map(|it| SentenceReading::of(&words(&it)));
    readings.flat_map(|found| found.named.into_iter().chain(found.added)).collect()
}

/// Cuts a text into sentences. A heading is one. An item of a list is read with the words that lead the list in, "change
/// these files:", unless it asks for something itself; what those words forbid is forbidden in any case.
///
/// What is quoted asks for nothing: blocks of code, lines behind `>`, and comments of HTML are left out.
pub fn sentences(text: &str) -> impl Iterator<Item = String> {
    static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?ms)^[ \t]*```.*?^[ \t]*```[ \t]*$|<!--.*?-->|^[ \t]*>[^\n]*$").expect("valid pattern")
    });
    let asked = QUOTED.replace_all(text, "");
    all_sentences(&asked).map(Cow::into_owned).collect::<Vec<_>>().into_iter()
}

fn all_sentences(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    // A full stop within a file's name ends no sentence.
    static ENDS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[.!?](?:\s+|$)|\n\s*\n").expect("valid pattern"));
    let mut lead: Option<(BlockKind, &str)> = None;
    let mut found: Vec<Cow<'_, str>> = Vec::new();
    for (kind, block) in blocks(text) {
        let mut parts = ENDS.split(block).filter(|part| !part.trim().is_empty());
        if kind == BlockKind::Item
            && let Some((of, lead)) = lead
            && let Some(first) = parts.next()
        {
            found.push(led_in(lead, of, first));
        }
        let before = found.len();
        found.extend(parts.map(Cow::Borrowed));
        let last = block.trim_end().trim_end_matches(['*', '_']);
        match kind {
            BlockKind::Item => {}
            BlockKind::Text if !last.ends_with(':') => lead = None,
            BlockKind::Text | BlockKind::Heading => {
                // The sentence before the colon leads in, and not all of its paragraph.
                let start = ENDS.find_iter(last).last().map_or(0, |end| end.end());
                lead = (found.len() > before).then(|| (kind, &last[start..]));
            }
        }
    }
    found.into_iter()
}

/// What a part of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Heading,
    Text,
    /// An item of a list, without its mark.
    Item,
}

/// Cuts a text into headings, items of lists, and what is between them.
fn blocks(text: &str) -> Vec<(BlockKind, &str)> {
    static STARTS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^(?:#.*$|[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+)").expect("valid pattern"));
    let mut found = Vec::new();
    let mut open = (BlockKind::Text, 0);
    for start in STARTS.find_iter(text) {
        found.push((open.0, open.1, start.start()));
        open = (BlockKind::Item, start.end());
        if start.as_str().starts_with('#') {
            found.push((BlockKind::Heading, start.start(), start.end()));
            open.0 = BlockKind::Text;
        }
    }
    found.push((open.0, open.1, text.len()));
    let mut blocks = Vec::new();
    for (kind, from, to) in found {
        let block = &text[from..to];
        // The rest of an item is indented.
        let is_flush = |at: usize| block[at + 1..].starts_with(|first: char| !first.is_whitespace());
        let ends = block.match_indices('\n').map(|(at, _)| at).find(|at| is_flush(*at));
        match ends.filter(|_| kind == BlockKind::Item) {
            Some(at) => blocks.extend([(kind, &block[..at]), (BlockKind::Text, &block[at..])]),
            None => blocks.push((kind, block)),
        }
    }
    blocks.retain(|(_, block)| !block.trim().is_empty());
    blocks
}

/// Reads an item of a list with what leads the list in.
fn led_in<'t>(lead: &str, of: BlockKind, item: &'t str) -> Cow<'t, str> {
    static FILES_TO_CHANGE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?xi)\b(?:files|tests|modules)\b [^.]* \b
              (?:to\s+(?:change|edit|update|modify|adapt|adjust)
              |be\s+(?:changed|edited|updated|modified|adapted|adjusted))\b \W*$",
        )
        .expect("valid pattern")
    });
    let asks_itself = asks(&words(&item.to_lowercase()), 0).is_some();
    if lead.trim_end_matches(':').trim_end().ends_with(" by") {
        // "It is covered by:" names what the files do, and asks nothing of them.
        return item.into();
    }
    if forbids(lead) && (of == BlockKind::Text || !asks_itself) {
        return format!("{lead} {item}").into();
    }
    if asks_itself {
        return item.into();
    }
    if FILES_TO_CHANGE.is_match(lead) { format!("change {item}").into() } else { format!("{lead} {item}").into() }
}

/// "The tests must be adapted": at the beginning of a clause, since "code that breaks the tests must be changed" asks for code.
fn asks_in_the_passive(sentence: &str) -> bool {
    static PASSIVE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?xi)(?:^\W*|[,;:]\s*|\band\s+)
              (?:(?:the|these|those|its|all|any|existing|old|affected|corresponding|related|unit|integration)\s+){0,3}
              (?:tests|test\s+(?:files|suites|cases|data|fixtures)|snapshots)
              (?:\s+(?:in|of|for|under)\s+\S+)?\s+
              (?:must|should|shall|may|needs?\s+to|ha(?:ve|s)\s+to|(?:is|are)\s+to)\s+(?:(?:also|then|therefore)\s+)?be\s+
              (?:updated|changed|adapted|adjusted|rewritten|moved|renamed|removed|deleted|edited|modified|replaced|migrated|ported)\b",
        )
        .expect("valid pattern")
    });
    PASSIVE.is_match(sentence)
}

/// Cuts a sentence into words and marks. A mark is a word of its own; quotes and full stops at the end are left out.
fn words(sentence: &str) -> Vec<&str> {
    static WORDS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[\w./\\@`'’*\[\]-]*[\w\]][`'’*]*|[,;:()–—]|\s[-]\s").expect("valid pattern"));
    let words = WORDS.find_iter(sentence).map(|word| word.as_str().trim().trim_matches(['`', '\'', '’', '*']));
    words.map(|word| word.strip_prefix("./").unwrap_or(word)).collect()
}

fn is(word: Option<&str>, list: &[&str]) -> bool {
    word.is_some_and(|word| list.contains(&word))
}

fn is_mark(word: &str) -> bool {
    matches!(word, "," | ";" | ":" | "(" | ")" | "–" | "—" | "-")
}

/// Words before a verb that asks.
const LEADS: [&str; 15] = [
    "accordingly",
    "afterwards",
    "also",
    "and",
    "by",
    "finally",
    "includes",
    "including",
    "instead",
    "involves",
    "means",
    "or",
    "please",
    "requires",
    "then",
];
/// Words between "you" or "we" and a verb that asks.
const MAY: [&str; 6] = ["can", "may", "must", "shall", "should", "will"];
/// Words before "to" and a verb that asks.
const TO: [&str; 14] = [
    "allowed",
    "fine",
    "free",
    "going",
    "has",
    "have",
    "necessary",
    "need",
    "needs",
    "ok",
    "okay",
    "remember",
    "required",
    "want",
];
/// Words that may follow the object of a verb: it ends there.
const AFTER: [&str; 42] = [
    "according",
    "accordingly",
    "affected",
    "again",
    "also",
    "and",
    "appropriately",
    "as",
    "at",
    "because",
    "below",
    "by",
    "called",
    "concerned",
    "covering",
    "for",
    "from",
    "if",
    "in",
    "instead",
    "into",
    "involved",
    "named",
    "of",
    "on",
    "or",
    "so",
    "that",
    "then",
    "to",
    "too",
    "under",
    "using",
    "when",
    "where",
    "which",
    "while",
    "whose",
    "with",
    "within",
    "until",
    "unless",
];
/// Words that end the object of a verb before it was reached.
const BREAKS: [&str; 32] = [
    "and",
    "as",
    "at",
    "because",
    "before",
    "by",
    "code",
    "for",
    "from",
    "how",
    "if",
    "implementation",
    "in",
    "into",
    "of",
    "on",
    "or",
    "that",
    "to",
    "under",
    "until",
    "using",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "why",
    "with",
    "within",
    "whatever",
];
/// Words with which a sentence goes over to something else, such as what is to come of it.
const TURNS: [&str; 33] = [
    "according",
    "because",
    "broken",
    "bug",
    "bugs",
    "check",
    "crash",
    "ensure",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "failures",
    "get",
    "green",
    "let",
    "make",
    "makes",
    "making",
    "match",
    "matches",
    "pass",
    "passes",
    "passing",
    "per",
    "red",
    "run",
    "satisfy",
    "see",
    "so",
    "till",
    "until",
];
/// Words by which what stands behind them is no object.
const REFERS: [&str; 16] = [
    "against",
    "as",
    "breaks",
    "by",
    "defined",
    "demanded",
    "described",
    "expected",
    "for",
    "given",
    "like",
    "required",
    "shown",
    "specified",
    "stated",
    "via",
];
/// What a file does that is no object.
const DOES: [&str; 26] = [
    "asks",
    "asserts",
    "becomes",
    "calls",
    "checks",
    "covers",
    "demands",
    "describes",
    "exercises",
    "expects",
    "goes",
    "imports",
    "needs",
    "relies",
    "requires",
    "says",
    "shows",
    "specifies",
    "stays",
    "succeed",
    "succeeds",
    "tests",
    "uses",
    "wants",
    "work",
    "works",
];
const ARTICLES: [&str; 13] =
    ["a", "an", "any", "both", "each", "every", "its", "our", "the", "their", "these", "this", "those"];
/// What tests are called besides what they test.
const KINDS: [&str; 8] = ["affected", "corresponding", "existing", "integration", "old", "related", "snapshot", "unit"];
/// Verbs that are nouns as well: "edit distance tests" are tests of an edit distance.
const NOUNS: [&str; 8] = ["change", "changes", "edit", "edits", "move", "moves", "port", "ports"];
/// What tests consist of, and what is meant by "test" before it.
const PARTS: [&str; 22] = [
    "assertions",
    "case",
    "cases",
    "classes",
    "code",
    "data",
    "expectations",
    "file",
    "files",
    "fixture",
    "fixtures",
    "functions",
    "helper",
    "helpers",
    "modules",
    "names",
    "snapshot",
    "snapshots",
    "suite",
    "suites",
    "support",
    "utilities",
];
/// What a tool is told by.
const SETTINGS: [&str; 13] = [
    "config",
    "configs",
    "configuration",
    "levels",
    "options",
    "rules",
    "section",
    "setting",
    "settings",
    "setup",
    "table",
    "thresholds",
    "strictness",
];
/// Tools whose names mean something else as well.
const AMBIGUOUS: [&str; 15] = [
    "ava",
    "bandit",
    "black",
    "c8",
    "coverage",
    "cypress",
    "flow",
    "karma",
    "mocha",
    "nyc",
    "playwright",
    "rustc",
    "tox",
    "ty",
    "xo",
];
/// Words between a verb and the tests, at most: "update all of the existing unit tests".
const BETWEEN_MAX: usize = 5;

/// What a word asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    /// That something be otherwise.
    Change,
    /// That something be right, which may well be the code: "fix the tests" opens none.
    Mend,
    /// That something come, which opens settings and no tests.
    Bring,
}

fn verb(word: &str) -> Option<Verb> {
    static CHANGES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?x)^(?:(?:updat|chang|rewrit|mov|renam|remov|delet|replac|migrat|regenerat)(?:e|es|ing)
              |(?:adapt|adjust|edit|port)(?:s|ing)?|modif(?:y|ies|ying))$",
        )
        .expect("valid pattern")
    });
    static BRINGS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?x)^(?:(?:introduc|configur|enabl|creat)(?:e|es|ing)
              |(?:add|loosen|tighten|relax|extend|set|switch)(?:s|es|ting|ing)?)$",
        )
        .expect("valid pattern")
    });
    match word {
        "correct" | "corrects" | "correcting" | "fix" | "fixes" | "fixing" => Some(Verb::Mend),
        word if CHANGES.is_match(word) => Some(Verb::Change),
        word => BRINGS.is_match(word).then_some(Verb::Bring),
    }
}

/// What a sentence was found to open.
#[derive(Debug, Default)]
struct SentenceReading {
    tests: bool,
    named: BTreeSet<String>,
    /// Files that are to be made.
    added: BTreeSet<String>,
}

impl SentenceReading {
    fn of(words: &[&str]) -> Self {
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        let mut found = Self::default();
        // A file that stood before the verb, and whether the verb has to come back to it: "the total in FILE is wrong; correct it".
        let mut before: Option<(&str, bool)> = None;
        let mut turned = false;
        let mut since: Option<(Verb, usize)> = None;
        for (at, word) in words.iter().enumerate() {
            if let Some(verb) = asks(&lower, at) {
                (since, turned) = (Some((verb, at)), false);
                let comes_back = is(lower.get(at + 1).copied(), &["it", "them", "these", "this", "those"]);
                let file = before.take().filter(|(_, comes)| comes_back || !comes);
                found.named.extend(file.map(|(file, _)| file.to_owned()));
            } else if TURNS.contains(&lower[at]) {
                (since, turned, before) = (None, true, None);
            } else if opens_by_name(word) {
                if turned || refers(&lower, at) {
                    continue;
                }
                if let Some((Verb::Bring, start)) = since
                    && is_added(&lower, start, at)
                {
                    found.added.insert((*word).to_owned());
                }
                match since {
                    Some((verb, start)) if opens_file(&lower, verb, start, at) => {
                        found.named.insert((*word).to_owned());
                    }
                    None if at > 0 && lower[at - 1] == "in" => {
                        let is_wrong = is(lower.get(at + 1).copied(), &["are", "is"]);
                        before = (at == 1 || is_wrong).then_some((*word, at > 1));
                    }
                    _ => {}
                }
            } else if let Some((verb, start)) = since {
                found.tests |= verb == Verb::Change && is_object(&lower, start, at) && names_tests(&lower, at);
                found.named.extend(named_tool(&lower, start, at));
            }
        }
        found
    }
}

/// Returns whether the word is a verb at the beginning of a clause, where it asks for something.
fn asks(words: &[&str], at: usize) -> Option<Verb> {
    let verb = verb(words[at])?;
    let back = |steps: usize| at.checked_sub(steps).map(|at| words[at]);
    let leads = match back(1) {
        None => true,
        Some(word) if is_mark(word) || LEADS.contains(&word) => true,
        Some(word) if is_number(word) => at == 1,
        Some("to") => is(back(2), &TO),
        Some(word) => MAY.contains(&word) && is(back(2), &["you", "we"]),
    };
    leads.then_some(verb)
}

fn is_number(word: &str) -> bool {
    word.chars().all(|letter| letter.is_ascii_digit())
}

/// Returns whether a word is a file that a specification may open by naming it.
fn opens_by_name(word: &str) -> bool {
    word.contains('.') && (may_be_held(word) || is_checker_setting(word))
}

/// Returns whether a verb opens a file that stands behind it.
fn opens_file(words: &[&str], verb: Verb, start: usize, at: usize) -> bool {
    match verb {
        Verb::Change => true,
        // "Fix tests/test_a.py" may well ask for code.
        Verb::Mend => !words[start].starts_with("fix") || words[at - 1] == "in",
        Verb::Bring => is_checker_setting(words[at]),
    }
}

/// Returns whether a file is only spoken of: something else is to fit it, or it does something itself.
fn refers(words: &[&str], at: usize) -> bool {
    let back = |steps: usize| at.checked_sub(steps).map(|at| words[at]);
    let next = words.get(at + 1).copied();
    let is_well = is(next, &["are", "be", "is"]) && is(words.get(at + 2).copied(), &["green", "happy", "right"]);
    let does = is(next, &DOES) || next != Some("so") && is(next, &TURNS);
    is(back(1), &REFERS) || is(back(1), &["in", "of"]) && is(back(2), &REFERS) || does || is_well
}

/// Returns whether a word is the object of the verb: nothing but an article, adjectives and names between.
fn is_object(words: &[&str], verb: usize, at: usize) -> bool {
    let between = &words[verb + 1..at];
    let rest = match between {
        ["all" | "any" | "each" | "some", "of", rest @ ..] | ["all" | "up", rest @ ..] => rest,
        rest => rest,
    };
    let (article, rest) = match rest {
        [first, rest @ ..] if ARTICLES.contains(first) => (true, rest),
        rest => (false, rest),
    };
    let plain = |word: &&str| {
        let breaks = [&BREAKS[..], &TURNS, &ARTICLES].iter().any(|list| list.contains(word));
        !breaks && !is_mark(word) && (article || KINDS.contains(word) || !NOUNS.contains(&words[verb]))
    };
    between.len() <= BETWEEN_MAX && rest.iter().all(plain)
}

/// Returns whether a file is what a verb adds, alone or as one of several: "add tests/a.py and a conftest.py".
fn is_added(words: &[&str], verb: usize, at: usize) -> bool {
    let next = if is(words.get(at + 1).copied(), &["file", "files"]) { at + 2 } else { at + 1 };
    let joins = |word: &&str| matches!(*word, "and" | "or" | ",");
    let part = |part: &[&str]| {
        let rest = part.strip_prefix(&["new"]).unwrap_or(part);
        let rest = if rest.first().is_some_and(|first| ARTICLES.contains(first)) { &rest[1..] } else { rest };
        let stops =
            |word: &&str| [&BREAKS[..], &TURNS, &ARTICLES].iter().any(|list| list.contains(word)) || is_mark(word);
        rest.len() <= BETWEEN_MAX && !rest.iter().any(stops)
    };
    // Behind "and" may stand a verb: "add a cache and read pytest.ini". Nothing but an article shows that it is none.
    let is_noun = |part: &[&str]| part.first().is_none_or(|first| ARTICLES.contains(first) || is_name(first));
    // "Add these files: a, b": the list begins behind the colon.
    let between = &words[verb + 1..at];
    let mut parts = between.strip_suffix(&[":"]).unwrap_or(between).split(joins);
    parts.next().is_some_and(part) && parts.all(|one| part(one) && is_noun(one)) && ends(words, next)
}

fn is_name(word: &str) -> bool {
    word.contains(['/', '.'])
}

/// Returns whether an object ends before a word: what follows is no verb and no noun that it belongs to.
fn ends(words: &[&str], next: usize) -> bool {
    words
        .get(next)
        .is_none_or(|word| is_mark(word) || is_number(word) || AFTER.contains(word) || word.contains(['/', '.', '_']))
}

/// Returns whether tests are named by the word, and by the one after it.
fn names_tests(words: &[&str], at: usize) -> bool {
    match words[at] {
        "test" | "tests" => ends(words, at + 1) || is(words.get(at + 1).copied(), &PARTS) && ends(words, at + 2),
        "assertions" | "snapshot" | "snapshots" => ends(words, at + 1),
        _ => false,
    }
}

/// The tool whose settings are the object of the verb: "configure ruff", "loosen the mypy settings", "migrate to vitest".
fn named_tool(words: &[&str], verb: usize, at: usize) -> Option<String> {
    let word = words[at].strip_suffix("'s").unwrap_or(words[at]);
    let table = word.trim_matches(['[', ']']).strip_prefix("tool.").and_then(|rest| rest.split('.').next());
    let tool = tool::guarded_tools().find(|tool| tool.id == table.unwrap_or(word))?;
    let sure = !AMBIGUOUS.contains(&tool.id);
    let moved = matches!(words[verb], "migrate" | "move" | "port" | "switch") && matches!(words[at - 1], "from" | "to");
    let told = is(words.get(at + 1).copied(), &SETTINGS) && ends(words, at + 2);
    let asked = is_object(words, verb, at) && (told || sure && ends(words, at + 1)) || sure && moved;
    // A text that names a table means the settings of its tool: "the limit in [tool.ruff]".
    (asked || table.is_some()).then(|| tool.id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &str) -> WritableScope {
        WritableScope::Named(names.split(' ').map(str::to_owned).collect())
    }

    #[test]
    fn a_specification_opens_the_tests_that_it_asks_to_change() {
        for specification in [
            "Rename `a` to `b` and adapt the tests.",
            "Update the unit tests to the new format",
            "Update the snapshot of its test.",
            "Adapt tests.",
            "Please update all of the existing tests accordingly.",
            "Change all the tests",
            // As many words between as there may be.
            "Update all of the existing unit tests.",
            "Update any affected tests, then tidy up.",
            "Rewrite the parser tests so they use tables.",
            "Update `merge` tests where needed.",
            "Delete the old integration tests.",
            "Replace the test suite by tables.",
            "Adapt the test fixtures to the new format.",
            "Change the test `test_a` too.",
            "Modify the test_a tests in place of new ones.\n\nMove the tests to spec.",
            "1. Rename it\n2. Adapt the tests\n3. Write it down",
            "Do this:\n- rename it\n- adapt the tests\n- write it down",
            "## Tests\nAdapt the tests.",
            "You may change the tests.",
            "We need it sorted. You will need to update the tests.",
            "This includes adapting the tests.",
            "The parser changes; also rewrite its tests.",
            "The tests must be adapted.",
            "Sort them, and the existing tests should be updated.",
            "Tests in tests/test_a.py need to be rewritten.",
            "Change the tests in `tests/test_a.py` accordingly: replace `test_x` by `test_y`.",
        ] {
            assert_eq!(WritableScope::by(specification), WritableScope::All, "{specification}");
        }
    }

    #[test]
    fn a_specification_that_only_speaks_of_tests_opens_none() {
        for specification in [
            "Add a parser for durations.",
            "Fix the failing tests.",
            "Fix the tests.",
            "Update the failing tests.",
            "Add tests for the empty case.",
            "All tests in tests/test_a.py pass.",
            "Change the output. Do not change the tests.",
            "Move it without editing any tests",
            "Change src/a.py so that it works.",
            // Other things are to change.
            "Change the parser so tests pass.",
            "Change the parser so that all tests pass.",
            "Change the parser, so tests pass.",
            "Adjust code until all tests pass.",
            "Rewrite it and make tests pass.",
            "Rewrite it and the tests pass.",
            "Change the parser to pass tests.",
            "Change merge for the tests.",
            "Change the code that tests call.",
            "Change the code the tests call.",
            "Change the function tests rely on.",
            "Change code and tests pass.",
            "Update the code under test.",
            "Rename what tests import.",
            "Change how tests see it.",
            "Replace the loop because tests are slow.",
            "Change the parser, tests pass then.",
            "Update it: tests exist already.",
            "Remove the bug; tests are there.",
            "Modify merge and run the tests.",
            "Code that breaks the tests must be changed.",
            "The code under test should be rewritten.",
            // The word is not the verb, or tests are not what it changes.
            "Add an edit distance test helper.",
            "# Edit distance tests\n\nMake them pass.",
            "Port scanner tests fail.",
            "Change the test runner.",
            // One word too many between.
            "Update all of the existing old unit tests.",
            "Update the test command in CI.",
            "Remove the test mode of the server.",
            "Delete snapshots older than a week.",
            "Let teachers edit tests.",
            "Teachers can edit tests.",
            "An update changes tests of the plugin.",
            "Correct tests are hard to write.",
            // A file is spoken of.
            "Change src/a.py so tests/test_a.py passes.",
            "Adjust the code until tests/test_a.py is green.",
            "Fix merge so that it matches tests/test_a.py.",
            "Fix the failure in tests/test_a.py.",
            "Fix tests/test_a.py.",
            "Change merge as described in tests/test_a.py.",
            "Change merge for tests/test_a.py.",
            "Rewrite it and make tests/test_a.py pass.",
            "Change what tests/test_a.py covers.",
            "Update merge; tests/test_a.py shows how.",
            "The tests exist in tests/test_a.py; change merge accordingly.",
            "Add a case to tests/test_a.py.",
        ] {
            assert_eq!(WritableScope::by(specification), WritableScope::None, "{specification}");
        }
    }

    #[test]
    fn a_specification_opens_the_files_and_tools_that_it_names() {
        for (specification, names) in [
            ("The expected value in tests/test_a.py is wrong; correct it there.", "tests/test_a.py"),
            ("Move `tests/conftest.py` up.", "tests/conftest.py"),
            ("Change the expected total in tests/test_a.py from 3 to 4, so that it fits.", "tests/test_a.py"),
            ("In tests/test_a.py, replace 3 by 4.", "tests/test_a.py"),
            ("Fix the typo in tests/test_a.py.", "tests/test_a.py"),
            ("Update src/a.py and tests/test_a.py.", "tests/test_a.py"),
            ("Change `vitest.config.ts` so that it finds more.", "vitest.config.ts"),
            ("Loosen `ruff.toml`.", "ruff.toml"),
            ("Add a rule to tools/ruff.toml.", "tools/ruff.toml"),
            ("Replace .eslintrc.json by eslint.config.mjs.", ".eslintrc.json"),
            ("Loosen the ruff rules.", "ruff"),
            ("Configure mypy.", "mypy"),
            ("Set up prettier for the project.", "prettier"),
            ("Raise the limit: change `[tool.ruff]` in pyproject.toml.", "ruff"),
            ("Update the pytest settings in `pyproject.toml`.", "pytest"),
            ("Add a black configuration.", "black"),
            ("Switch from flake8 to ruff.", "flake8 ruff"),
        ] {
            assert_eq!(WritableScope::by(specification), named(names), "{specification}");
        }
        for specification in [
            "Bump the version in pyproject.toml.",
            "Add a dependency to package.json.",
            "Change the parser so ruff passes.",
            "Make mypy happy.",
            "Change the code, then run ruff.",
            "Paint the background black.",
            "Replace white by black.",
            "Add a ruff plugin.",
            "Add code that passes ruff.toml.",
            "Do not touch the ruff rules; add no ruff.toml, never change it.",
            "Add a test coverage report.",
            // Names of tools that are other words as well.
            "Rename NYC to New York in the list of cities.",
            "Update nyc and la.",
            "Set C8 to 5 in the sheet.",
            "Set ty to the vertical offset.",
            "Add a bandit to the second level.",
            "Add XO to the list of games.",
            "Update tox to run on 3.13.",
            "Update rustc to 1.90.",
            "Add playwright to the list of professions.",
            "Change the flow of the page.",
        ] {
            assert_eq!(WritableScope::by(specification), WritableScope::None, "{specification}");
        }
        let both = |names: &str| WritableScope::AllAnd(names.split(' ').map(str::to_owned).collect());
        assert_eq!(WritableScope::by("Adapt the tests and loosen `ruff.toml`."), both("ruff.toml"));
        assert_eq!(WritableScope::by("Migrate the tests from jest to vitest."), both("jest vitest"));
    }

    #[test]
    fn items_of_a_list_are_read_with_what_leads_the_list_in() {
        for (specification, names) in [
            ("Change these files:\n- `tests/test_a.py`\n- `src/a.py`", "tests/test_a.py"),
            ("Change these files:\n\n* tests/test_a.py\n* tests/test_b.py\n", "tests/test_a.py tests/test_b.py"),
            ("Please update the following:\n1. src/a.py\n2. tests/test_a.py: the new total", "tests/test_a.py"),
            ("Files to change:\n- tests/test_a.py\n", "tests/test_a.py"),
            ("Change these files:\n- `tests/test_a.py`: it tests nothing, except for zero", "tests/test_a.py"),
            ("**Change these files:**\n- `tests/test_a.py`", "tests/test_a.py"),
            ("## Files to change\n\n- `tests/test_a.py`\n\n## Notes\n\n- `tests/test_b.py`\n", "tests/test_a.py"),
            ("The following files have to be changed:\n  - [ ] tests/test_a.py\n", "tests/test_a.py"),
            ("Rename it. Then edit:\n- `tests/test_a.py`\nThat is all: see\n- `tests/test_b.py`", "tests/test_a.py"),
            ("To do:\n- rename `a`\n- change `tests/test_a.py`\n", "tests/test_a.py"),
            ("# It must not crash\n\n- change `tests/test_a.py`\n", "tests/test_a.py"),
        ] {
            assert_eq!(WritableScope::by(specification), named(names), "{specification}");
        }
        for specification in [
            "Leave these files as they are:\n- `tests/test_a.py`",
            "Do not change these files:\n- `tests/test_a.py`\n- change of `tests/test_b.py`",
            "Do not:\n- change tests/test_a.py\n- adapt the tests\n",
            "See also:\n- `tests/test_a.py`",
            "It fails for:\n- `tests/test_a.py`",
            "Change the parser. Its tests:\n- `tests/test_a.py`",
            "Change these files:\n- `src/a.py`\n\nThe tests:\n- `tests/test_a.py`",
            "## Files that must stay\n\n- `tests/test_a.py`",
            "Change all files except:\n- `tests/test_a.py`",
            "Change nothing in:\n- `tests/test_a.py`",
            "Changing these files is off limits:\n- `tests/test_a.py`",
            "Change these files:\n- `tests/test_a.py` (read only)",
            "Change these files:\n- `tests/test_a.py` must still pass",
            "Change the rounding of total, which is covered by:\n- `tests/test_a.py`",
            "Change:\n```\n- tests/test_a.py\n```",
            "> Change these files:\n> - `tests/test_a.py`",
            "<!-- Change these files:\n- `tests/test_a.py` -->",
            "Change the parser so that these pass:\n- `tests/test_a.py`",
        ] {
            assert_eq!(WritableScope::by(specification), WritableScope::None, "{specification}");
        }
        for (specification, names) in [
            ("Add these files:\n- `conftest.py`\n- `src/a.py`\n", "conftest.py"),
            ("Create the following files:\n- tests/conftest.py\n", "tests/conftest.py"),
        ] {
            let expected: BTreeSet<String> = names.split(' ').map(str::to_owned).collect();
            assert_eq!(asked_files(specification), expected, "{specification}");
        }
    }

    #[test]
    fn a_specification_asks_for_the_files_that_it_has_added_or_changed() {
        for (specification, names) in [
            ("Add a conftest.py with the fixtures.", "conftest.py"),
            ("Create tests/conftest.py", "tests/conftest.py"),
            ("Add a new `pytest.ini` file, and use it.", "pytest.ini"),
            ("Sort them and add a .npmrc.", ".npmrc"),
            ("Add a parser and a conftest.py.", "conftest.py"),
            ("Create src/a.py, tests/conftest.py and pytest.ini.", "pytest.ini tests/conftest.py"),
            ("Change the fixtures in tests/conftest.py.", "tests/conftest.py"),
            ("In tests/conftest.py, add a fixture.", "tests/conftest.py"),
            ("# It must not crash\nAdd a conftest.py", "conftest.py"),
            ("Add a conftest.py\n# Leave the rest\nIt is fine.", "conftest.py"),
        ] {
            let expected: BTreeSet<String> = names.split(' ').map(str::to_owned).collect();
            assert_eq!(asked_files(specification), expected, "{specification}");
        }
        for specification in [
            "The loader fails on `pytest.ini` files with tabs.",
            "Read pytest.ini as well.",
            "Add support for pytest.ini.",
            "Add a pytest.ini parser.",
            "Add a loader that reads pytest.ini.",
            "Add a loader that reads setup.cfg and pytest.ini.",
            "Add a cache and read pytest.ini.",
            "Add a check of conftest.py.",
            "Add a link to conftest.py.",
            "Do not add a conftest.py.",
            "Add a parser. It fails on conftest.py.",
            "# Add a conftest.py, not a plugin\nSort them.",
        ] {
            assert_eq!(asked_files(specification), BTreeSet::new(), "{specification}");
        }
    }

    #[test]
    fn what_is_opened_is_open_and_no_more() {
        let all = WritableScope::All;
        let ruff = named("ruff");
        for (opened, path, expected) in [
            (&WritableScope::None, "tests/test_a.py", false),
            (&all, "tests/test_a.py", true),
            (&all, "tests/conftest.py", true),
            (&all, "support/same.js", true),
            (&all, "src/__snapshots__/a.snap", true),
            (&all, "tests/fixtures/ruff.toml", true),
            (&all, "tests/fixtures/pyproject.toml", true),
            (&all, "jest.setup.ts", true),
            (&all, "ruff.toml", false),
            (&all, "tests/ruff.toml", false),
            (&all, "mypy.ini", false),
            (&all, ".eslintrc.json", false),
            (&all, "pyproject.toml", false),
            (&all, "package.json", false),
            (&all, "pytest.ini", false),
            (&all, "tests/pytest.ini", false),
            (&all, "vitest.config.ts", false),
            (&all, "node_modules/.bin/vitest", false),
            (&ruff, "ruff.toml", true),
            (&ruff, "pyproject.toml", true),
            (&ruff, "mypy.ini", false),
            (&ruff, "package.json", false),
            (&ruff, "tests/test_a.py", false),
            (&named("tests/test_a.py"), "kit/tests/test_a.py", true),
            (&named("tests/test_a.py"), "tests/test_b.py", false),
        ] {
            assert_eq!(opened.opens(path), expected, "{opened:?} {path}");
        }
        for (opened, expected) in [
            (&WritableScope::None, false),
            (&all, true),
            (&ruff, false),
            (&named("ruff.toml"), false),
            (&named("pytest"), true),
            // What measures coverage picks no tests.
            (&named("codecov"), false),
            (&named("codecov.yml"), false),
            (&named(".nycrc"), false),
            (&named("tests/test_a.py"), true),
            (&WritableScope::AllAnd(BTreeSet::from(["ruff".to_owned()])), true),
        ] {
            assert_eq!(opened.lets_tests_go(), expected, "{opened:?}");
        }
    }
}
