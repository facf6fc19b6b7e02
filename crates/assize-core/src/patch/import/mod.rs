//! Patches as others write them, brought into the four operations.
//!
//! Each format is one file: it reads a text into drafts and knows no tree. Drafts say what is to become
//! of which file, by the lines around the place. [`Drafts::settle`] finds these places in a tree, under the same rules as everywhere:
//! one place or none, and what was overlooked is said. What comes out is made from the bytes before and
//! after, so it means exactly what was found.

mod apply_patch;
mod fenced;
mod hunk;
mod search_replace;
mod unified;

use std::collections::BTreeMap;

pub use self::hunk::{AtEnd, Hunk, HunkLine, LineEnd, LineKind};
use super::inverse::between;
use super::path::check_path;
use super::plan::Note;
use super::snapshot::{Entry, File, Snapshot};
use super::{Op, Patch};
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
        /// Its new name.
        to: Option<String>,
        /// Whether it stays under its old name as well.
        keep: bool,
        /// Its new mode, where that is said.
        executable: Option<bool>,
        /// The lines that change.
        hunks: Vec<Hunk>,
    },
}

impl Draft {
    fn paths(&self) -> impl Iterator<Item = &str> {
        let (path, to) = match self {
            Self::Add { path, .. } | Self::Remove { path, .. } => (path, None),
            Self::Change { path, to, .. } => (path, to.as_ref()),
        };
        std::iter::once(path).chain(to).map(String::as_str)
    }
}

/// What a text asks for, before anybody looked at a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drafts {
    /// Where each stands in the text, as a line counted from 1, and what it is.
    pub drafts: Vec<(usize, Draft)>,
}

/// What an import comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The patch, which fits the tree that it was settled in.
    pub patch: Patch,
    /// What was overlooked to find places.
    pub notes: Vec<Note>,
}

impl Drafts {
    /// Returns every path that has to be read before [`Self::settle`].
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.drafts.iter().flat_map(|(_, draft)| draft.paths())
    }

    /// Finds the places of a tree that are meant.
    ///
    /// # Errors
    ///
    /// Lists what does not fit, with its line in the text.
    pub fn settle(&self, tree: &Snapshot) -> Result<Imported, Vec<Violation>> {
        let mut settling = Settling { tree, files: BTreeMap::new(), faults: Vec::new(), notes: Vec::new() };
        for (line, draft) in &self.drafts {
            let faults = draft.paths().filter_map(|path| Some((path, check_path(path).err()?)));
            let faults: Vec<String> = faults.map(|(path, fault)| format!("the path {path:?} {fault}")).collect();
            if faults.is_empty() {
                settling.draft(*line, draft);
            } else {
                faults.into_iter().for_each(|fault| settling.fault(*line, fault));
            }
        }
        if self.drafts.is_empty() {
            settling.faults.push(Violation::new("", "nothing in the text is a change of a file"));
        }
        if !settling.faults.is_empty() {
            return Err(settling.faults);
        }
        let ops: Vec<Op> = settling
            .files
            .iter()
            .flat_map(|(path, after)| between(path, settling.before(path), after.as_ref()))
            .collect();
        Ok(Imported { patch: Patch { ops }, notes: settling.notes })
    }
}

struct Settling<'a> {
    tree: &'a Snapshot,
    /// What files become that were spoken of so far.
    files: BTreeMap<String, Option<File>>,
    faults: Vec<Violation>,
    notes: Vec<Note>,
}

impl<'a> Settling<'a> {
    fn fault(&mut self, line: usize, message: impl Into<String>) {
        self.faults.push(Violation::new(format!("line {line}"), message));
    }

    fn note(&mut self, line: usize, message: impl Into<String>) {
        self.notes.push(Note { at: format!("line {line}"), message: message.into() });
    }

    fn before(&self, path: &str) -> Option<&'a File> {
        match self.tree.entry(path) {
            Entry::File(file) => Some(file),
            _ => None,
        }
    }

    /// Returns a file as it is after the drafts so far.
    fn now(&self, path: &str) -> Option<File> {
        self.files.get(path).cloned().unwrap_or_else(|| self.before(path).cloned())
    }

    fn draft(&mut self, line: usize, draft: &Draft) {
        for path in draft.paths() {
            if let Entry::Foreign(what) = self.tree.entry(path) {
                self.fault(line, format!("{path} is {what}, which no patch may touch"));
                return;
            }
        }
        match draft {
            Draft::Add { path, bytes, executable, instead } => {
                let there = self.now(path);
                if there.is_some() && !instead {
                    self.fault(line, format!("{path} is there already"));
                    return;
                }
                if there.is_some() {
                    self.note(line, format!("{path} is there already and is written anew"));
                }
                let executable = executable.unwrap_or(there.is_some_and(|file| file.executable));
                self.files.insert(path.clone(), Some(File { bytes: bytes.clone(), executable }));
            }
            Draft::Remove { path, content } => match (self.now(path), content) {
                (None, _) => self.missing(line, path),
                (Some(file), Some(content)) if file.bytes != *content => {
                    self.fault(line, format!("{path} is not what the patch takes away"));
                }
                (Some(_), _) => drop(self.files.insert(path.clone(), None)),
            },
            Draft::Change { path, to, keep, executable, hunks } => {
                let Some(file) = self.now(path) else {
                    self.missing(line, path);
                    return;
                };
                let Some(bytes) = self.changed(path, &file.bytes, hunks) else { return };
                let file = File { bytes, executable: executable.unwrap_or(file.executable) };
                if let Some(to) = to.as_ref().filter(|to| *to != path) {
                    if self.now(to).is_some() {
                        self.note(line, format!("{to} is there already; {path} takes its place"));
                    }
                    if !keep {
                        self.files.insert(path.clone(), None);
                    }
                    self.files.insert(to.clone(), Some(file));
                } else {
                    self.files.insert(path.clone(), Some(file));
                }
            }
        }
    }

    fn missing(&mut self, line: usize, path: &str) {
        let folder = if *self.tree.entry(path) == Entry::Folder { "a folder" } else { "not there" };
        self.fault(line, format!("{path} is {folder}"));
    }

    fn changed(&mut self, path: &str, text: &[u8], hunks: &[Hunk]) -> Option<Vec<u8>> {
        match hunk::applied(text, hunks) {
            Ok((bytes, notes)) => {
                for (line, note) in notes {
                    self.note(line, format!("{path}: {note}"));
                }
                Some(bytes)
            }
            Err(faults) => {
                for (line, fault) in faults {
                    self.fault(line, format!("{path}: {fault}"));
                }
                None
            }
        }
    }
}

#[cfg(test)]
mod tests;
