//! The convention score: how well a change fits the conventions of the tree of its base.
//!
//! Without a model, from names, words and paths. What is measured comes in parts ([`ConventionScore`]); where there is
//! nothing to measure, a part is unknown, and unknown is neither 0 nor 1. Boundaries and schemas are judged elsewhere
//! and come in as counts. It must not know of candidates, of rulings, or of what the score is used for.
//!
//! ```text
//! total       = 0.35 identifiers + 0.20 boundaries + 0.15 schema + 0.10 file pattern + 0.20 exec signals
//! identifiers = 0.60 glossary overlap + 0.40 casing
//! ```
//!
//! These are the published weights. Those of the parts that are known are scaled up to one.
//!
//! # The glossary overlap
//!
//! The published measure is the index of Jaccard (*The Distribution of the Flora in the Alpine Zone*, New Phytologist
//! 11, 1912): of the words of the change *and* the glossary, the share that is in both. The whole glossary, up to a
//! hundred words, is in the denominator. So a change with two of these words reaches 0.02, and a change with more names
//! scores higher. This index is reported beside the others ([`Identifiers::jaccard`]) and is part of no score.
//!
//! The score uses containment (Broder, *On the Resemblance and Containment of Documents*, SEQUENCES 1997): of the words
//! that the change brings, the share that the tree knows. A word is known when a name of the production code or the
//! task has it: the glossary lists only the heaviest words, and the others are known as well. Words of any program
//! (`get`, `list`) are not counted at all, so that a name such as `dataItem` does not raise the score.
//!
//! Files of 43 packages (Rust, Python, Go) were compared with the rest of their own package and with the other
//! packages. The package's own file scores above a foreign one in 93 % of pairs by containment and in 91 % by Jaccard,
//! with casing in 92 % and 89 %. By rank, Jaccard correlates with the number of words (Spearman 0.57), containment
//! hardly (−0.21). That shows which is the better measure, not that either tells good names from bad.
//!
//! # Unused names
//!
//! Padding can raise a share: names that fit and serve no purpose. So a name counts *in favour* only where the lines
//! that the change brings mention it once more than they declare it, in code and not in comments or texts. Against the
//! change it always counts. So a declaration that nothing mentions never raises the score. Test functions, which only
//! their runner calls, are among these declarations.
//!
//! # What it cannot see
//!
//! - A name that is mentioned for show, or whose only use is an unrelated thing of the same name. Linters see some of
//!   that.
//! - Whether a new file is of any use: one that is named well turns an unknown file pattern into 1.
//! - A use outside of the change, by reflection or by a framework: such a name counts for nothing, unless it is wrong.
//! - Whether a word means what it means elsewhere, and which of two words of any program is usual (`get`, `fetch`).
//! - Names that somebody else's contract wants in another casing, unless the tree has that very name already.
//! - Names that are not declared but made: by macros, by assignment to other objects. Files of languages that are not
//!   read.

mod added_name;
mod base;
mod pattern;
mod source;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use assize_ecosystem::FileRole;
use assize_syntax::language::keywords;
use serde::{Deserialize, Serialize};

use crate::glossary::{role_weight, term};
use crate::render::visible;
use crate::words::words;
use added_name::AddedName;
use base::NameFit;
use pattern::Pattern;
use source::ParsedSource;

pub use base::BaseConventions;

/// What the names that a change brings weigh.
pub const IDENTIFIERS_WEIGHT: f64 = 0.35;
/// What the boundaries weigh.
pub const BOUNDARIES_WEIGHT: f64 = 0.20;
/// What the schemas weigh.
pub const SCHEMA_WEIGHT: f64 = 0.15;
/// What the names of new files weigh.
pub const FILE_PATTERN_WEIGHT: f64 = 0.10;
/// What the project's own checks weigh.
pub const EXEC_WEIGHT: f64 = 0.20;
/// What the words of names weigh among all that is measured of names.
pub const GLOSSARY_WEIGHT: f64 = 0.6;
/// What the casing of names weighs among all that is measured of names.
pub const CASING_WEIGHT: f64 = 0.4;
/// What a change gets whose new files are not named like those around them.
pub const FILE_PATTERN_BROKEN: f64 = 0.7;

/// The most files of a change that are looked at: the first by path.
pub const FILES_MAX: usize = 1_000;
/// The most remarks about one thing.
pub const REMARKS_EACH_MAX: usize = 10;

/// A change, as far as it is measured here.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConventionChange<'a> {
    /// The files that it adds and changes, each path once, in any order.
    pub files: &'a [ChangedSource<'a>],
    /// What was asked for: the words of the task are known, whatever the tree says.
    pub task: &'a str,
    /// Findings of boundaries that it breaks; `None` where there are no boundaries or they were not checked.
    pub boundary_breaks: Option<usize>,
    /// Faults of schemas that the base has not; `None` where no schema was checked.
    pub schema_faults: Option<usize>,
}

/// A file that a change adds or changes.
#[derive(Debug, Clone, Copy)]
pub struct ChangedSource<'a> {
    /// Its path in the change.
    pub path: &'a str,
    /// Its text in the change.
    pub text: &'a str,
    /// The lines that the change has added or changed, counted from 1.
    pub added: &'a BTreeSet<u32>,
}

/// What the project's own checks say of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExecSignal {
    /// Tests fail.
    Failing,
    /// Tests pass, linters or type checkers complain.
    Noisy,
    /// Everything passes.
    Clean,
}

impl ExecSignal {
    /// What it is worth, as published.
    pub fn value(self) -> f64 {
        match self {
            Self::Failing => 0.2,
            Self::Noisy => 0.6,
            Self::Clean => 1.0,
        }
    }
}

/// How well a change fits the conventions of its base, part by part. Values lie between 0 and 1; `None` is unknown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConventionScore {
    /// All known parts without the exec signals: what candidates are ordered by, since tests were weighed before.
    pub fit: Option<f64>,
    /// The names that it brings.
    pub identifiers: Identifiers,
    /// 1 where no boundary is broken, else 0.
    pub boundaries: Option<f64>,
    /// 1 where no schema has a new fault, else 0.
    pub schema: Option<f64>,
    /// The names of its new files.
    pub file_pattern: FilePattern,
    /// What does not fit, at most [`REMARKS_EACH_MAX`] about one thing.
    pub remarks: Vec<Remark>,
    /// Remarks beyond these.
    pub remarks_left_out: u32,
    /// Files that were not looked at: too many, too large, generated, or too hard to read.
    pub files_left_out: u32,
}

/// What is measured of the names that a change brings: those on its lines that the file did not declare before.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identifiers {
    /// Both parts together.
    pub value: Option<f64>,
    /// The share of their words that the tree or the task knows.
    pub glossary_overlap: Option<f64>,
    /// The share of them in the casing that is recommended for their kind.
    pub casing: Option<f64>,
    /// The published overlap of their words with the glossary. It enters nothing.
    pub jaccard: Option<f64>,
    /// Words that are known, of names that are used.
    pub words_known: u32,
    /// Words that are not.
    pub words_foreign: u32,
    /// Names in the recommended casing that are used.
    pub cased_right: u32,
    /// Names in another casing.
    pub cased_wrong: u32,
    /// Names that count for nothing in their favour: the change declares them and mentions them nowhere else.
    pub unused: u32,
}

/// What is measured of the names of new files.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilePattern {
    /// 1 where all are named like the files around them, else [`FILE_PATTERN_BROKEN`].
    pub value: Option<f64>,
    /// New files around which there is a pattern.
    pub counted: u32,
    /// Those of them that do not follow it.
    pub broken: u32,
}

/// Something that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Remark {
    /// The part that it is about.
    pub about: RemarkTopic,
    /// The file.
    pub path: String,
    /// The line; `None` where it is about the file's own name.
    pub line: Option<u32>,
    /// What is the case, and what is usual.
    pub message: String,
}

/// What a remark is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RemarkTopic {
    /// The name of a new file.
    FilePattern,
    /// How a name is written.
    Casing,
    /// A word that neither the base nor the task knows.
    Glossary,
}

impl ConventionScore {
    /// The published total, for a change that the project's own checks have seen. Where they did not run there is
    /// none: a missing report is not made up for by the other parts.
    pub fn total(&self, exec: ExecSignal) -> f64 {
        let [identifiers, boundaries, schema, file_pattern] = self.parts();
        let exec = (EXEC_WEIGHT, Some(exec.value()));
        mean(&[identifiers, boundaries, schema, file_pattern, exec]).unwrap_or_default()
    }

    fn parts(&self) -> [(f64, Option<f64>); 4] {
        [
            (IDENTIFIERS_WEIGHT, self.identifiers.value),
            (BOUNDARIES_WEIGHT, self.boundaries),
            (SCHEMA_WEIGHT, self.schema),
            (FILE_PATTERN_WEIGHT, self.file_pattern.value),
        ]
    }
}

/// The mean of the parts that are known, each with its weight; `None` where none is.
fn mean(parts: &[(f64, Option<f64>)]) -> Option<f64> {
    let known = || parts.iter().filter_map(|(weight, value)| Some((*weight, (*value)?)));
    let weights: f64 = known().map(|(weight, _)| weight).sum();
    (weights > 0.0).then(|| (known().map(|(weight, value)| weight * value).sum::<f64>() / weights).clamp(0.0, 1.0))
}

fn share(part: usize, rest: usize) -> Option<f64> {
    (part + rest > 0).then(|| part as f64 / (part + rest) as f64)
}

/// Measures a change by the conventions of its base. The order of its files does not matter.
pub fn score(base: &BaseConventions<'_>, change: &ConventionChange<'_>) -> ConventionScore {
    let (sources, files_left_out) = ParsedSource::read(base, change.files);
    let names = source::names(base, &sources);
    let mut remarks = Vec::new();
    let mut identifiers = Identifiers::default();
    measure_words(base, change.task, &names, &mut identifiers, &mut remarks);
    measure_casing(base, &names, &mut identifiers, &mut remarks);
    identifiers.value = mean(&[(GLOSSARY_WEIGHT, identifiers.glossary_overlap), (CASING_WEIGHT, identifiers.casing)]);
    let none_of = |count: usize| if count == 0 { 1.0 } else { 0.0 };
    let mut score = ConventionScore {
        fit: None,
        identifiers,
        boundaries: change.boundary_breaks.map(none_of),
        schema: change.schema_faults.map(none_of),
        file_pattern: measure_files(base, &sources, &mut remarks),
        remarks: Vec::new(),
        remarks_left_out: 0,
        files_left_out,
    };
    score.fit = mean(&score.parts());
    (score.remarks, score.remarks_left_out) = cut(remarks);
    score
}

/// Counts the words of the names that stand for something of the domain.
fn measure_words(
    base: &BaseConventions<'_>,
    task: &str,
    names: &[AddedName<'_>],
    found: &mut Identifiers,
    remarks: &mut Vec<Remark>,
) {
    if base.words.is_empty() {
        return;
    }
    let mut lower = String::new();
    let task: BTreeSet<String> =
        words(task).filter_map(|word| Some(term(word, &[], &mut lower)?.into_owned())).collect();
    let (mut all, mut known, mut foreign) = (BTreeSet::new(), BTreeSet::new(), BTreeMap::new());
    for name in names.iter().filter(|name| name.in_production && role_weight(name.role) > 0) {
        for word in words(name.text) {
            let Some(word) = term(word, keywords(name.language), &mut lower) else { continue };
            all.insert(word.to_string());
            if !base.words.contains(word.as_ref()) && !task.contains(word.as_ref()) {
                foreign.entry(word.into_owned()).or_insert(name);
            } else if name.is_used {
                known.insert(word.into_owned());
            }
        }
    }
    let shared = all.iter().filter(|word| base.terms.contains(word.as_str())).count();
    found.jaccard = share(shared, all.len() + base.terms.len() - 2 * shared).filter(|_| !all.is_empty());
    found.glossary_overlap = share(known.len(), foreign.len());
    (found.words_known, found.words_foreign) = (known.len() as u32, foreign.len() as u32);
    remarks.extend(foreign.iter().map(|(word, name)| Remark {
        about: RemarkTopic::Glossary,
        path: name.path.to_owned(),
        line: Some(name.line),
        message: format!("`{}` in `{}` is a word that no name of the base has", visible(word), visible(name.text)),
    }));
}

/// Counts the names that are written as such names are.
fn measure_casing(
    base: &BaseConventions<'_>,
    names: &[AddedName<'_>],
    found: &mut Identifiers,
    remarks: &mut Vec<Remark>,
) {
    for name in names {
        match base.fit(name) {
            NameFit::Unknown => {}
            NameFit::Right if name.is_used => found.cased_right += 1,
            NameFit::Right => found.unused += 1,
            NameFit::Wrong { written, usual } => {
                found.cased_wrong += 1;
                remarks.push(Remark {
                    about: RemarkTopic::Casing,
                    path: name.path.to_owned(),
                    line: Some(name.line),
                    message: format!("`{}` is {written}; {usual}", visible(name.text)),
                });
            }
        }
    }
    found.casing = share(found.cased_right as usize, found.cased_wrong as usize);
}

/// Holds the names of new files against those around them.
fn measure_files(base: &BaseConventions<'_>, sources: &[ParsedSource<'_>], remarks: &mut Vec<Remark>) -> FilePattern {
    let mut found = FilePattern::default();
    for source in sources.iter().filter(|source| base.is_new(source.path)) {
        let siblings = base.siblings(source.language, source.role == FileRole::Test);
        let Some(pattern) = siblings.and_then(|siblings| Pattern::around(siblings, source.path)) else { continue };
        let faults = pattern.faults(source.path);
        found.counted += 1;
        found.broken += u32::from(!faults.is_empty());
        let remark =
            |message| Remark { about: RemarkTopic::FilePattern, path: source.path.to_owned(), line: None, message };
        remarks.extend(faults.into_iter().map(remark));
    }
    let value = if found.broken == 0 { 1.0 } else { FILE_PATTERN_BROKEN };
    found.value = (found.counted > 0).then_some(value);
    found
}

/// Leaves the first remarks about each thing, and says how many others there were.
fn cut(mut remarks: Vec<Remark>) -> (Vec<Remark>, u32) {
    remarks.sort();
    let all = remarks.len();
    let mut kept: BTreeMap<RemarkTopic, usize> = BTreeMap::new();
    remarks.retain(|remark| {
        let count = kept.entry(remark.about).or_default();
        *count += 1;
        *count <= REMARKS_EACH_MAX
    });
    let left_out = all - remarks.len();
    (remarks, left_out as u32)
}
