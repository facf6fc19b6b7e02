//! Patches as others write them, brought into the four operations.
//!
//! Each format is one file: it reads a text into drafts and knows no tree. Drafts say what is to become
//! of which file, by the lines around the place. [`Drafts::settle`] finds these places in a tree, under the same rules as everywhere:
//! one place or none, and what was overlooked is said.

mod apply_patch;
mod binary;
mod fenced;
mod hunk;
mod naming;
mod outline;
mod reversed;
mod search_replace;
mod settle;
mod suspicion;
mod trust;
mod unified;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use assize_core::violation::Violation;

use crate::PatchLimits;

pub use self::binary::BinaryChange;
pub use self::hunk::{AtEnd, DraftHunk, HunkLine, HunkLineKind, LineEndRule, OtherReading};
pub use self::naming::OtherName;
pub use self::settle::Imported;

/// Most hunks for each operation that a patch may have: each is looked for in a whole file.
const HUNKS_PER_OP_MAX: usize = 8;

/// A format in which others write patches.
pub trait PatchFormat: Sync {
    /// What users type.
    fn id(&self) -> &'static str;
    /// What it is, in a line.
    fn summary(&self) -> &'static str;
    /// Whether a text looks like it.
    fn fits(&self, text: &[u8]) -> bool {
        !self.stretches(text).is_empty()
    }
    /// Returns the lines, counted from 1, that patches in this format take up: each from its first marker to its last, whatever
    /// stands between them. In order; what is cut reaches to the end of the text.
    fn stretches(&self, text: &[u8]) -> Vec<Range<usize>>;
    /// Reads a text.
    ///
    /// # Errors
    ///
    /// Lists what cannot be read, or cannot be said by the four operations, with its line.
    fn read(&self, text: &[u8]) -> Result<Drafts, Vec<Violation>>;
}

macro_rules! formats {
    ($($module:ident::$name:ident),* $(,)?) => {
        /// Every format, in the order in which they are tried on a text that does not say what it is.
        pub const FORMATS: &[&dyn PatchFormat] = &[$(&$module::$name),*];
    };
}

formats![apply_patch::ApplyPatch, search_replace::SearchReplace, fenced::Fenced, unified::Unified];

/// Returns the format of this name.
pub fn format(id: &str) -> Option<&'static dyn PatchFormat> {
    FORMATS.iter().copied().find(|format| format.id() == id)
}

/// Returns the format that a text looks like: where there are several, the one that begins first, as long as all others stand
/// within it. A diff may change a file that shows a patch.
///
/// # Errors
///
/// Says which formats stand side by side: to take one of them would be to leave out the other without a word.
pub fn recognized(text: &[u8]) -> Result<Option<&'static dyn PatchFormat>, Violation> {
    let stretches = FORMATS.iter().map(|format| (*format, format.stretches(text)));
    let mut found: Vec<_> = stretches.filter(|(_, stretches)| !stretches.is_empty()).collect();
    found.sort_by_key(|(_, stretches)| stretches[0].start);
    let Some(((format, own), others)) = found.split_first() else {
        return Ok(FORMATS.iter().copied().find(|format| format.fits(text)));
    };
    let rest = without(text, own);
    let apart = others.iter().filter_map(|(other, _)| Some((*other, other.stretches(&rest).first()?.start)));
    let apart: Vec<_> = apart.collect();
    let Some((_, line)) = apart.first() else { return Ok(Some(*format)) };
    let all = std::iter::once((*format, own[0].start)).chain(apart.iter().copied());
    let named: Vec<String> = all.map(|(format, line)| format!("{} on line {line}", format.id())).collect();
    let count = ["two", "three"].get(named.len() - 2).unwrap_or(&"four");
    let message = format!("holds patches in {count} formats ({}); say which with --from", named.join(", "));
    Err(Violation::new(format!("line {line}"), message))
}

/// Returns a text with nothing in some of its lines, so that the others keep their numbers.
fn without(text: &[u8], stretches: &[Range<usize>]) -> Vec<u8> {
    let is_within = |number: usize| {
        let before = &stretches[..stretches.partition_point(|stretch| stretch.start <= number)];
        before.last().is_some_and(|stretch| stretch.contains(&number))
    };
    let lines = text.split_inclusive(|byte| *byte == b'\n').enumerate();
    lines.flat_map(|(index, line)| if is_within(index + 1) { &b"\n"[..] } else { line }).copied().collect()
}

/// Returns the lines from each that begins a patch to the one that ends it; what is cut reaches to the end of the text.
fn between_markers<'t, B>(
    text: &'t str,
    begins: impl Fn(&'t str) -> Option<B>,
    ends: impl Fn(&B, &str) -> bool,
) -> Vec<Range<usize>> {
    let (mut found, mut begin) = (Vec::new(), None);
    for (number, line) in (1..).zip(text.lines()) {
        match &begin {
            None => begin = begins(line).map(|begun| (number, begun)),
            Some((first, begun)) if ends(begun, line) => {
                found.push(*first..number + 1);
                begin = None;
            }
            Some(_) => {}
        }
    }
    found.extend(begin.map(|(first, _)| first..usize::MAX));
    found
}

/// What is to become of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileDraft {
    /// It is made.
    Add {
        /// Where.
        path: String,
        /// Its content.
        bytes: Vec<u8>,
        /// Whether it can be executed, where that is said.
        executable: Option<bool>,
        /// Whether it may take the place of another file.
        instead: bool,
    },
    /// It goes.
    Remove {
        /// Which.
        path: String,
        /// What it has to hold, where that is said.
        content: Option<Vec<u8>>,
    },
    /// Lines of it change, and it may get another name.
    Change {
        /// Which.
        path: String,
        /// Where it stands afterwards, if not in its place.
        to: Option<DraftTarget>,
        /// Its new mode, where that is said.
        executable: Option<bool>,
        /// The lines that change.
        hunks: Vec<DraftHunk>,
        /// How all of it changes, where it is no text.
        binary: Option<BinaryChange>,
    },
}

/// Where a file goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftTarget {
    /// Its new name.
    pub path: String,
    /// Whether it stays under its old name as well.
    pub keep: bool,
    /// Whether it may take the place of another file.
    pub instead: bool,
}

impl FileDraft {
    /// Returns a change of lines alone.
    fn change(path: &str, hunks: Vec<DraftHunk>) -> Self {
        Self::Change { path: path.to_owned(), to: None, executable: None, hunks, binary: None }
    }

    /// Returns the paths where something else stands afterwards.
    fn changed(&self) -> impl Iterator<Item = &str> {
        let is_copied = matches!(self, Self::Change { to: Some(to), .. } if to.keep);
        self.paths().skip(usize::from(is_copied))
    }

    /// Returns the lines that change.
    fn hunks(&self) -> &[DraftHunk] {
        match self {
            Self::Change { hunks, .. } => hunks,
            Self::Add { .. } | Self::Remove { .. } => &[],
        }
    }

    /// Returns every path that it speaks of.
    fn paths(&self) -> impl Iterator<Item = &str> {
        let (path, to) = match self {
            Self::Add { path, .. } | Self::Remove { path, .. } => (path, None),
            Self::Change { path, to, .. } => (path, to.as_ref().map(|to| &to.path)),
        };
        std::iter::once(path).chain(to).map(String::as_str)
    }
}

/// What a text asks for, before anybody looked at a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drafts {
    /// Where each stands in the text, as a line counted from 1, and what it is.
    pub drafts: Vec<(usize, FileDraft)>,
    /// The lines of those that begin a further commit: they are meant in what those above make.
    pub anew: BTreeSet<usize>,
    /// What was overlooked to read it, by line.
    pub notes: Vec<(usize, String)>,
    /// Which other file a draft may mean, by its line: the tree tells.
    pub other_names: BTreeMap<usize, OtherName>,
}

impl Drafts {
    /// Returns every path that has to be read before [`Self::settle`].
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let others = self.other_names.values().flat_map(OtherName::paths);
        self.drafts.iter().flat_map(|(_, draft)| draft.paths()).chain(others)
    }

    /// Lists what is too much of it, before a file is read and a place is looked for.
    ///
    /// A file that changes takes an operation. A hunk may take none of its own: neighbours become one splice, and what is no
    /// UTF-8 is written anew. How many operations there are is known, and checked, once everything is found.
    pub fn too_much(&self, limits: &PatchLimits) -> Vec<Violation> {
        let changed: BTreeSet<&str> = self.drafts.iter().flat_map(|(_, draft)| draft.changed()).collect();
        let hunks: usize = self.drafts.iter().map(|(_, draft)| draft.hunks().len()).sum();
        let hunks_max = limits.ops_max.saturating_mul(HUNKS_PER_OP_MAX);
        let mut faults = Vec::new();
        if changed.len() > limits.ops_max {
            let most = limits.ops_max;
            let message = format!("is about {} files, each an operation, where {most} is the most", changed.len());
            faults.push(Violation::new("", message));
        }
        if hunks > hunks_max {
            faults.push(Violation::new("", format!("has {hunks} hunks where {hunks_max} is the most")));
        }
        faults
    }
}

impl From<Vec<(usize, FileDraft)>> for Drafts {
    fn from(drafts: Vec<(usize, FileDraft)>) -> Self {
        Self { drafts, ..Self::default() }
    }
}

#[cfg(test)]
mod tests;
