//! The desk of a fix: one copy of the tree, laid out in whatever state is looked at.
//!
//! States are kept as what differs from the tree that was handed in, so that many of them cost no more than their
//! patches. This module must not know why a state is looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use assize_core::patch::{Change, Entry, File, Patch, Pin, Snapshot, between};

use crate::tree::{self, hash_file, short};
use crate::work_copy::{CopyError, WorkCopy};

/// What differs from the tree as it was handed in; nothing stands for a file that is gone.
type Overlay = BTreeMap<String, Option<File>>;

/// A copy of a tree, and the states that it can be laid out in.
#[derive(Debug)]
pub struct Desk {
    copy: WorkCopy,
    /// What tells the tree as it was handed in from any other.
    start: String,
    /// Files as they were handed in, as far as a state differs from them.
    originals: Overlay,
    states: Vec<Overlay>,
    laid: usize,
}

impl Desk {
    /// Takes a copy of the tree that was handed in. It is state 0.
    ///
    /// # Errors
    ///
    /// Fails when the copy cannot be read.
    pub fn new(copy: WorkCopy) -> Result<Self, CopyError> {
        let failed = |error| CopyError::Io { path: copy.path(), error };
        let start = tree_id(&copy.path(), copy.files()).map_err(failed)?;
        Ok(Self { copy, start, originals: Overlay::new(), states: vec![Overlay::new()], laid: 0 })
    }

    /// Returns the folder of the copy, as it is laid out.
    pub fn path(&self) -> std::path::PathBuf {
        self.copy.path()
    }

    /// Returns the copy, as it is laid out.
    pub fn copy(&self) -> &WorkCopy {
        &self.copy
    }

    /// Returns what tells the tree as it was handed in from any other.
    pub fn start(&self) -> &str {
        &self.start
    }

    /// Lays out a state.
    ///
    /// # Errors
    ///
    /// Fails when a file cannot be written.
    pub fn lay(&mut self, state: usize) -> Result<(), CopyError> {
        let (from, to) = (&self.states[self.laid], &self.states[state]);
        let paths: BTreeSet<&String> = from.keys().chain(to.keys()).collect();
        let mut writes = Vec::new();
        for path in paths {
            let wanted = to.get(path).or_else(|| self.originals.get(path)).cloned().flatten();
            if from.get(path) != to.get(path) {
                writes.push((path.clone(), wanted));
            }
        }
        // Files that go make room first: one may lie where a folder has to be.
        for (path, _) in writes.iter().filter(|(_, file)| file.is_none()) {
            self.copy.remove(path)?;
        }
        for (path, file) in &writes {
            if let Some(file) = file {
                self.copy.write_file(path, &file.bytes, file.executable)?;
            }
        }
        self.laid = state;
        Ok(())
    }

    /// Takes in what a patch makes of the state that is laid out, and returns what tells the new state from any other.
    /// It is no state yet: only [`Self::keep`] makes it one.
    pub fn made(&self, changes: &[Change], tree: &Snapshot) -> Made {
        let mut overlay = self.states[self.laid].clone();
        let mut originals = self.originals.clone();
        for change in changes {
            let before = match tree.entry(&change.path) {
                Entry::File(file) => Some(file.clone()),
                _ => None,
            };
            let original = originals.entry(change.path.clone()).or_insert(before);
            if *original == change.after {
                overlay.remove(&change.path);
            } else {
                overlay.insert(change.path.clone(), change.after.clone());
            }
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.start.as_bytes());
        for (path, file) in &overlay {
            hash_file(&mut hasher, path, file.as_ref());
        }
        Made { id: short(&hasher), overlay, originals }
    }

    /// Makes what a patch made the next state.
    pub fn keep(&mut self, made: Made) -> usize {
        self.originals = made.originals;
        self.states.push(made.overlay);
        self.states.len() - 1
    }

    /// Lays out what a patch makes for a look at it, and goes back; it becomes no state.
    ///
    /// # Errors
    ///
    /// Fails when a file cannot be written.
    pub fn try_out<T>(&mut self, made: Made, look: impl FnOnce(&WorkCopy) -> T) -> Result<T, CopyError> {
        let (laid, originals) = (self.laid, self.originals.clone());
        let state = self.keep(made);
        self.lay(state)?;
        let seen = look(&self.copy);
        self.lay(laid)?;
        self.states.pop();
        self.originals = originals;
        Ok(seen)
    }

    /// Returns the patch from the tree as it was handed in to a state, and what its files have to be.
    pub fn patch_to(&self, state: usize) -> (Patch, BTreeMap<String, Option<Pin>>) {
        let original = |path: &String| self.originals.get(path).and_then(Option::as_ref);
        let overlay = &self.states[state];
        let ops = overlay.iter().flat_map(|(path, file)| between(path, original(path), file.as_ref()));
        let pins = overlay.keys().map(|path| (path.clone(), original(path).map(Pin::of)));
        (Patch { ops: ops.collect() }, pins.collect())
    }
}

/// What a patch makes of a state.
#[derive(Debug, Clone)]
pub struct Made {
    /// What tells it from any other state.
    pub id: String,
    overlay: Overlay,
    originals: Overlay,
}

/// Returns what tells the tree of these paths from any other.
///
/// # Errors
///
/// Fails when something cannot be read.
pub fn tree_id(folder: &Path, paths: &BTreeSet<String>) -> io::Result<String> {
    tree::id(folder, paths, &|_, bytes| bytes)
}
