//! Patches as others write them, brought into the four operations.
//!
//! Each format is one file: it reads a text into drafts and knows no tree. Drafts say what is to become
//! of which file, by the lines around the place. [`Drafts::settle`] finds these places in a tree, under the same rules as everywhere:
//! one place or none, and what was overlooked is said.

mod apply_patch;
mod fenced;
mod hunk;
mod outline;
mod reversed;
mod search_replace;
mod settle;
mod unified;

use std::collections::BTreeSet;

pub use self::hunk::{AtEnd, Hunk, HunkLine, LineEnd, LineKind};
pub use self::settle::Imported;
use crate::violation::Violation;

/// A format in which others write patches.
pub trait Format: Sync {
    /// What users type.
    fn id(&self) -> &'static str;
    /// What it is, in a line.
    fn summary(&self) -> &'static str;
    /// Whether a text looks like it.
    fn fits(&self, text: &[u8]) -> bool;
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
        pub const FORMATS: &[&dyn Format] = &[$(&$module::$name),*];
    };
}

formats![apply_patch::ApplyPatch, search_replace::SearchReplace, fenced::Fenced, unified::Unified];

/// Returns the format of this name.
pub fn format(id: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.id() == id)
}

/// Returns the first format that a text looks like.
pub fn recognized(text: &[u8]) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.fits(text))
}

/// What is to become of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Draft {
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
        to: Option<Target>,
        /// Its new mode, where that is said.
        executable: Option<bool>,
        /// The lines that change.
        hunks: Vec<Hunk>,
    },
}

/// Where a file goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its new name.
    pub path: String,
    /// Whether it stays under its old name as well.
    pub keep: bool,
    /// Whether it may take the place of another file.
    pub instead: bool,
}

impl Draft {
    /// Returns a change of lines alone.
    fn change(path: &str, hunks: Vec<Hunk>) -> Self {
        Self::Change { path: path.to_owned(), to: None, executable: None, hunks }
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
    pub drafts: Vec<(usize, Draft)>,
    /// The lines of those that begin a further commit: they are meant in what those above make.
    pub anew: BTreeSet<usize>,
}

impl Drafts {
    /// Returns every path that has to be read before [`Self::settle`].
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.drafts.iter().flat_map(|(_, draft)| draft.paths())
    }
}

impl From<Vec<(usize, Draft)>> for Drafts {
    fn from(drafts: Vec<(usize, Draft)>) -> Self {
        Self { drafts, anew: BTreeSet::new() }
    }
}

#[cfg(test)]
mod tests;
