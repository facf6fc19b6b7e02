//! Which files a task is likely about, and which of their names.
//!
//! Three kinds of evidence are weighed for each file:
//!
//! - **text**: words of the task in its path and in the names that it declares, by BM25 (Robertson and Zaragoza, "The
//!   Probabilistic Relevance Framework: BM25 and Beyond", 2009); a name or path that the task spells out counts more.
//! - **history**: files that were changed together under subjects like the task, and files that are changed often and
//!   lately.
//! - **neighbours**: what imports it, what it imports, what is changed together with it, and the test of it or the code
//!   that it tests.
//!
//! Each is scaled to its best file. It must not know where the history comes from.

use std::collections::BTreeMap;

use assize_core::path::{file_name, without_ending};
use assize_ecosystem::FileRole;
use assize_syntax::facts::{DeclaredName, Role};
use assize_syntax::tree::{FileId, SourceTree, TreeFile};
use foldhash::{HashMap, HashMapExt, HashSet};

use crate::graph::{FileGraph, ImportTarget};
use crate::words::{singular, words};

/// The most files that are returned.
pub const FILES_MAX: usize = 200;
/// The most names of one file that are returned.
pub const NAMES_MAX: usize = 60;
/// The most commits of a history that are looked at.
pub const COMMITS_MAX: usize = 1_000;
/// Commits of more files say nothing of any of them.
pub const COMMIT_FILES_MAX: usize = 40;

/// How much each kind of evidence counts.
const TEXT: f64 = 1.0;
const LIKE_COMMITS: f64 = 0.7;
const CHURN: f64 = 0.45;
const IMPORTS: f64 = 0.25;
const TOGETHER: f64 = 0.35;
const TESTED: f64 = 0.5;
/// BM25: how soon repetition stops to count, and how much a long file is held against it.
const K1: f64 = 1.2;
const B: f64 = 0.6;
/// How much a word of the path counts, in occurrences among the names.
const PATH_WORD: f64 = 3.0;
/// How many commits it takes until a change counts half.
const HALF_LIFE: f64 = 60.0;

/// Words of tasks that say nothing of what they are about.
const COMMON: [&str; 66] = [
    "a", "add", "added", "all", "allow", "an", "and", "as", "at", "avoid", "be", "better", "bug", "bump", "by", "can",
    "change", "chore", "clean", "cleanup", "correct", "do", "doc", "docs", "don", "drop", "ensure", "feat", "feature",
    "fix", "fixed", "fixes", "for", "from", "handle", "if", "improve", "in", "instead", "into", "is", "issue", "it",
    "make", "more", "move", "new", "not", "of", "on", "only", "or", "refactor", "remove", "rename", "should",
    "simplify", "support", "the", "to", "up", "update", "use", "when", "with", "without",
];

/// What is known of earlier changes, the latest first.
#[derive(Debug, Clone, Default)]
pub struct ChangeHistory {
    /// The changes.
    pub commits: Vec<PastChange>,
}

/// An earlier change.
#[derive(Debug, Clone, Default)]
pub struct PastChange {
    /// The first line of its message.
    pub subject: String,
    /// The files that it touched, as they were called then.
    pub paths: Vec<String>,
}

/// A file that a task is likely about.
#[derive(Debug, Clone, PartialEq)]
pub struct RelevantFile {
    /// Its path.
    pub path: String,
    /// How likely, beside the others. The first one has the most.
    pub score: f64,
    /// Names that it declares, those that the task is likely about first.
    pub names: Vec<String>,
}

/// Brings a word into the form in which words are compared.
fn stem(word: &str) -> String {
    let lower = word.to_lowercase();
    let mut stem = singular(&lower).into_owned();
    for end in ["ization", "ation", "ate", "ing", "ed", "er", "or", "ion", "ment", "able", "e"] {
        if let Some(short) = stem.strip_suffix(end).filter(|short| short.len() > 2) {
            stem.truncate(short.len());
            break;
        }
    }
    // `stripp` of `stripping`.
    let last = stem.chars().last();
    if stem.len() > 3 && stem.chars().rev().nth(1) == last && last.is_some_and(|it| !"aeiousl".contains(it)) {
        stem.pop();
    }
    stem
}

/// The words of a task, each with its stem; common ones are left out.
fn stems(text: &str) -> HashSet<String> {
    words(text)
        .map(str::to_lowercase)
        .filter(|word| word.len() > 1 && !COMMON.contains(&&**word) && !word.bytes().all(|it| it.is_ascii_digit()))
        .map(|word| stem(&word))
        .collect()
}

/// Pieces of a text that may be names of code or paths, as they stand there.
fn spelled_out(text: &str) -> HashSet<&str> {
    let is_part = |letter: char| letter.is_alphanumeric() || "_-./:".contains(letter);
    let pieces = text.split(|letter: char| !is_part(letter)).map(|it| it.trim_matches(['.', ':', '-', '/']));
    let parts =
        pieces.flat_map(|piece| [piece].into_iter().chain(piece.split(['.', ':', '/']).filter(|it| !it.is_empty())));
    // A plain small word is a word and no name.
    parts.filter(|it| it.len() > 2 && !it.bytes().all(|letter| letter.is_ascii_lowercase())).collect()
}

/// How often the stems of a file occur.
struct FileTerms {
    counts: HashMap<String, f64>,
    length: f64,
}

struct RelevanceRanking<'t, 'a> {
    tree: &'t SourceTree<'a>,
    graph: &'t FileGraph,
    history: &'t ChangeHistory,
    ids: HashMap<&'t str, FileId>,
    task: HashSet<String>,
    spelled: HashSet<&'t str>,
}

/// Ranks the files of a tree for a task; without words, its source files by history and imports alone. Vendored, generated
/// and empty files are left out.
pub fn relevant_files<'t, 'a>(
    tree: &'t SourceTree<'a>,
    graph: &'t FileGraph,
    history: &'t ChangeHistory,
    task: &'t str,
) -> Vec<RelevantFile> {
    let ids = tree.files().map(|(id, file)| (file.path, id)).collect();
    let ranking = RelevanceRanking { tree, graph, history, ids, task: stems(task), spelled: spelled_out(task) };
    ranking.files()
}

/// Scales scores so that the best is 1.
fn scaled(mut scores: Vec<f64>) -> Vec<f64> {
    let most = scores.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        scores.iter_mut().for_each(|score| *score /= most);
    }
    scores
}

impl<'t, 'a> RelevanceRanking<'t, 'a> {
    fn files(&self) -> Vec<RelevantFile> {
        let (like, churn) = self.past();
        let text = scaled(self.text());
        let mut own: Vec<f64> =
            (0..self.tree.len()).map(|at| TEXT * text[at] + LIKE_COMMITS * like[at] + CHURN * churn[at]).collect();
        for (at, near) in self.near(&own).into_iter().enumerate() {
            own[at] += near;
        }
        let mut ranked: Vec<(FileId, f64)> = self.tree.files().map(|(id, _)| (id, own[id.index()])).collect();
        let is_for_any = self.task.is_empty() && self.spelled.is_empty();
        let is_own = |id: &FileId| match self.graph.roles[id.index()] {
            FileRole::Vendored | FileRole::Generated | FileRole::Fixture => false,
            role => !is_for_any || role.is_production() && self.tree.facts(*id).is_some(),
        };
        ranked.retain(|(id, score)| *score > 0.0 && is_own(id));
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        ranked.truncate(FILES_MAX);
        let file = |(id, score): (FileId, f64)| RelevantFile {
            path: self.tree.path(id).to_owned(),
            score,
            names: self.names(id),
        };
        ranked.into_iter().map(file).collect()
    }

    /// How well each file fits the words of the task.
    fn text(&self) -> Vec<f64> {
        if self.task.is_empty() && self.spelled.is_empty() {
            return vec![0.0; self.tree.len()];
        }
        let terms: Vec<FileTerms> = self.tree.files().map(|(id, _)| self.terms(id)).collect();
        let count = terms.len() as f64;
        let mean = terms.iter().map(|file| file.length).sum::<f64>() / count.max(1.0);
        let mut spread: HashMap<&str, f64> = HashMap::new();
        for word in terms.iter().flat_map(|file| file.counts.keys()) {
            *spread.entry(word).or_default() += 1.0;
        }
        let rarity = |word: &str| {
            let with = spread.get(word).copied().unwrap_or(0.0);
            (1.0 + (count - with + 0.5) / (with + 0.5)).ln()
        };
        let score = |(file, (id, _)): (&FileTerms, (FileId, &TreeFile<'_>))| {
            let words = self.task.iter().filter_map(|word| Some((word, *file.counts.get(word)?)));
            let of_words = words.map(|(word, often)| {
                let held_back = K1 * (1.0 - B + B * file.length / mean.max(1.0));
                rarity(word) * often * (K1 + 1.0) / (often + held_back)
            });
            of_words.sum::<f64>() + self.spelled_in(id) * count.ln_1p()
        };
        terms.iter().zip(self.tree.files()).map(score).collect()
    }

    /// The words of a file: of its path, and of the names that it declares, each once.
    fn terms(&self, id: FileId) -> FileTerms {
        let mut counts: HashMap<String, f64> = HashMap::new();
        let path = self.tree.path(id);
        for word in words(path) {
            counts.entry(stem(word)).and_modify(|count| *count = count.max(PATH_WORD)).or_insert(PATH_WORD);
        }
        let mut length = 0.0;
        for text in self.tree.facts(id).into_iter().flat_map(|facts| facts.names.texts()) {
            length += 1.0;
            for word in words(text) {
                *counts.entry(stem(word)).or_default() += 1.0;
            }
        }
        FileTerms { counts, length }
    }

    /// How many names that the task spells out a file has: its own name, or ones that it declares.
    fn spelled_in(&self, id: FileId) -> f64 {
        let path = self.tree.path(id);
        let name = file_name(path);
        let is_path = |piece: &&&str| **piece == name || path.ends_with(**piece) && piece.contains('/');
        let named = self.spelled.iter().filter(|piece| is_path(piece)).count() as f64;
        let declares = |facts: &assize_syntax::facts::FileFacts| {
            let wanted = |name: &DeclaredName<'_>| is_declared(name) && self.spelled.contains(name.text);
            facts.names.iter().filter(wanted).map(|name| name.text).collect::<HashSet<_>>().len() as f64
        };
        named * 2.0 + self.tree.facts(id).map_or(0.0, declares)
    }

    /// How much each file was changed by changes like the task, and how often and lately by any.
    fn past(&self) -> (Vec<f64>, Vec<f64>) {
        let (mut like, mut churn) = (vec![0.0; self.tree.len()], vec![0.0; self.tree.len()]);
        let commits = || self.history.commits.iter().take(COMMITS_MAX);
        let subjects: Vec<HashSet<String>> = commits().map(|commit| stems(&commit.subject)).collect();
        let mut spread: HashMap<&str, f64> = HashMap::new();
        for word in subjects.iter().flatten() {
            *spread.entry(word).or_default() += 1.0;
        }
        let count = subjects.len() as f64;
        for (age, (commit, subject)) in commits().zip(&subjects).enumerate() {
            if commit.paths.len() > COMMIT_FILES_MAX {
                continue;
            }
            let shared = subject.intersection(&self.task);
            let alike: f64 = shared.map(|word| (1.0 + count / spread.get(&**word).copied().unwrap_or(1.0)).ln()).sum();
            let share = 1.0 / (commit.paths.len() as f64).sqrt().max(1.0);
            let late = 0.5_f64.powf(age as f64 / HALF_LIFE);
            for id in commit.paths.iter().filter_map(|path| self.ids.get(&**path)) {
                like[id.index()] += alike * share * (0.3 + 0.7 * late) / (1.0 + subject.len() as f64).sqrt();
                churn[id.index()] += share * late;
            }
        }
        (scaled(like), scaled(churn))
    }

    /// What each file gets from those that it is connected with.
    fn near(&self, own: &[f64]) -> Vec<f64> {
        let mut near = vec![0.0; own.len()];
        let mut best_of = |at: usize, score: f64| near[at] = f64::max(near[at], score);
        for edge in &self.graph.edges {
            let ImportTarget::File(to) = edge.to else { continue };
            let (from, to) = (edge.from.index(), to.index());
            best_of(to, IMPORTS * own[from]);
            best_of(from, IMPORTS * own[to]);
        }
        // What is changed together: how often, of all changes of the other one.
        let mut changes: BTreeMap<usize, f64> = BTreeMap::new();
        let mut together: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for commit in self.history.commits.iter().take(COMMITS_MAX).filter(|it| it.paths.len() <= COMMIT_FILES_MAX) {
            let ids: Vec<usize> =
                commit.paths.iter().filter_map(|path| self.ids.get(&**path)).map(|id| id.index()).collect();
            for one in &ids {
                *changes.entry(*one).or_default() += 1.0;
                for other in ids.iter().filter(|other| *other != one) {
                    *together.entry((*one, *other)).or_default() += 1.0;
                }
            }
        }
        for ((one, other), times) in together {
            // Of few changes nothing follows.
            best_of(other, TOGETHER * own[one] * times / (changes[&one] + 2.0));
        }
        let mut by_stem: HashMap<String, Vec<usize>> = HashMap::new();
        for (id, file) in self.tree.files() {
            by_stem.entry(tested_name(file.path)).or_default().push(id.index());
        }
        for group in by_stem.values().filter(|group| (2..=6).contains(&group.len())) {
            for one in group {
                for other in group.iter().filter(|other| *other != one) {
                    best_of(*other, TESTED * own[*one]);
                }
            }
        }
        near
    }

    /// The names of a file, those with words of the task first, then what stands for itself and is offered to others.
    fn names(&self, id: FileId) -> Vec<String> {
        let Some(facts) = self.tree.facts(id) else { return Vec::new() };
        let mut worth: HashMap<&str, (f64, u32)> = HashMap::new();
        for name in facts.names.iter().filter(is_declared) {
            let asked = words(name.text).filter(|word| self.task.contains(&stem(word))).count() as f64;
            let spelled = f64::from(u8::from(self.spelled.contains(name.text)));
            let kind = match name.role {
                Role::Type | Role::Interface | Role::Enum | Role::Component => 1.0,
                Role::Function | Role::Method | Role::Module => 0.8,
                Role::Constant => 0.5,
                _ => 0.2,
            };
            let offered = if name.public { 0.3 } else { 0.0 };
            let value = 2.0 * asked + 4.0 * spelled + kind + offered;
            let known = worth.entry(name.text).or_insert((0.0, name.line));
            known.0 = f64::max(known.0, value);
        }
        let mut names: Vec<(&str, (f64, u32))> = worth.into_iter().collect();
        names
            .sort_by(|one, other| other.1.0.total_cmp(&one.1.0).then(one.1.1.cmp(&other.1.1)).then(one.0.cmp(other.0)));
        names.truncate(NAMES_MAX);
        names.into_iter().map(|(name, _)| name.to_owned()).collect()
    }
}

/// Whether a name is one that others may use.
fn is_declared(name: &DeclaredName<'_>) -> bool {
    name.text.len() > 2 && !matches!(name.role, Role::Parameter | Role::TypeParameter | Role::Test)
}

/// What a file and its tests have in common: the words of the name, without endings and without what says that it is a
/// test.
fn tested_name(path: &str) -> String {
    let name = without_ending(file_name(path));
    let said = words(name.split('.').next().unwrap_or(name)).map(str::to_lowercase);
    said.filter(|word| !["test", "tests", "spec"].contains(&&**word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brief::Analysis;
    use assize_syntax::language::read;

    fn ranked(files: &[(&str, &str)], history: &[(&str, &[&str])], task: &str) -> Vec<RelevantFile> {
        let facts: Vec<_> = files.iter().map(|(path, text)| read(path, text)).collect();
        let files = files.iter().zip(&facts);
        let tree = SourceTree::new(files.map(|((path, _), facts)| TreeFile {
            path,
            facts: facts.as_ref(),
            ..TreeFile::default()
        }));
        let past = |(subject, paths): &(&str, &[&str])| PastChange {
            subject: (*subject).to_owned(),
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        };
        let history = ChangeHistory { commits: history.iter().map(past).collect() };
        let analysis = Analysis::of(&tree);
        relevant_files(&tree, analysis.files(), &history, task)
    }

    const FILES: [(&str, &str); 5] = [
        (
            "shop/cart.py",
            "from shop.money import Amount\n\ndef cart_total(cart):\n    return Amount(cart)\n\ndef empty(): pass\n",
        ),
        ("shop/money.py", "class Amount:\n    def rounded(self): pass\n"),
        ("shop/mail.py", "def send_invoice(): pass\n"),
        ("tests/test_cart.py", "def test_total(): pass\n"),
        ("CHANGES.md", ""),
    ];

    fn paths(found: &[RelevantFile]) -> Vec<&str> {
        found.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn words_of_the_task_lead_to_files_their_tests_and_their_imports() {
        let found = ranked(&FILES, &[], "Fix totals of empty carts");
        assert_eq!(paths(&found), ["shop/cart.py", "tests/test_cart.py", "shop/money.py"]);
        assert_eq!(found[0].names, ["cart_total", "empty"]);
        assert_eq!(paths(&ranked(&FILES, &[], "Round `Amount.rounded` down"))[0], "shop/money.py");
        assert_eq!(paths(&ranked(&FILES, &[], "see mail.py"))[0], "shop/mail.py");
        assert_eq!(paths(&ranked(&FILES, &[], "")), [""; 0]);
    }

    #[test]
    fn the_past_leads_to_files_as_well() {
        let history: [(&str, &[&str]); 3] = [
            ("Send invoices twice", &["shop/mail.py", "CHANGES.md"]),
            ("Round amounts", &["shop/money.py", "CHANGES.md"]),
            ("Release", &["gone.py"]),
        ];
        let found = ranked(&FILES, &history, "Invoices are sent late");
        assert_eq!(paths(&found)[..2], ["shop/mail.py", "CHANGES.md"]);
        let found = ranked(&FILES, &history, "");
        assert_eq!(paths(&found)[..2], ["shop/mail.py", "shop/money.py"], "every change is about what it changed");
    }

    #[test]
    fn words_are_compared_by_their_stems() {
        for (one, other) in
            [("stripping", "strip"), ("parser", "parse"), ("quotes", "quoted"), ("Validation", "validate")]
        {
            assert_eq!(stem(one), stem(other), "{one} {other}");
        }
        assert_ne!(stem("call"), stem("cache"));
    }
}
