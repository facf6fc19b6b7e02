//! The workspace of a fix: one copy of the tree, in which any state can be checked out.
//!
//! A state is stored as its difference from the original tree, so that many states cost no more than their patches.
//! This module must not know why a state is examined.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use assize_patch::{FileContent, FilePin, FileTransition, Patch, PathState, Snapshot, between};

use crate::tree::{self, hash_file, short};
use crate::work_copy::{CopyError, WorkCopy};

/// The difference from the original tree; `None` stands for a removed file.
type Overlay = BTreeMap<String, Option<FileContent>>;

/// A copy of a tree, and its stored states.
#[derive(Debug)]
pub struct FixWorkspace {
    copy: WorkCopy,
    /// The identity of the original tree.
    start: String,
    /// Original files from which some state differs.
    originals: Overlay,
    states: Vec<Overlay>,
    current: usize,
}

impl FixWorkspace {
    /// Takes over a copy of the original tree, which becomes state 0.
    ///
    /// # Errors
    ///
    /// Fails if the copy cannot be read.
    pub fn new(copy: WorkCopy) -> Result<Self, CopyError> {
        let failed = |error| CopyError::Io { path: copy.path(), error };
        let start = tree_id(&copy.path(), copy.files()).map_err(failed)?;
        Ok(Self { copy, start, originals: Overlay::new(), states: vec![Overlay::new()], current: 0 })
    }

    /// Returns the folder of the copy in its current state.
    pub fn path(&self) -> std::path::PathBuf {
        self.copy.path()
    }

    /// Returns the copy in its current state.
    pub fn copy(&self) -> &WorkCopy {
        &self.copy
    }

    /// Returns the identity of the original tree.
    pub fn start(&self) -> &str {
        &self.start
    }

    /// Checks out a state.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be written.
    pub fn check_out(&mut self, state: usize) -> Result<(), CopyError> {
        let (from, to) = (&self.states[self.current], &self.states[state]);
        let paths: BTreeSet<&String> = from.keys().chain(to.keys()).collect();
        let mut writes = Vec::new();
        for path in paths {
            let wanted = to.get(path).or_else(|| self.originals.get(path)).cloned().flatten();
            if from.get(path) != to.get(path) {
                writes.push((path.clone(), wanted));
            }
        }
        // Files are removed first, because a folder may be needed at their path.
        for (path, _) in writes.iter().filter(|(_, file)| file.is_none()) {
            self.copy.remove(path)?;
        }
        for (path, file) in &writes {
            if let Some(file) = file {
                self.copy.write_file(path, &file.bytes, file.executable)?;
            }
        }
        self.current = state;
        Ok(())
    }

    /// Computes what a patch makes of the current state, and its identity. [`Self::keep`] makes it a state.
    pub fn made(&self, changes: &[FileTransition], tree: &Snapshot) -> PatchedState {
        let mut overlay = self.states[self.current].clone();
        let mut originals = self.originals.clone();
        for change in changes {
            let before = match tree.entry(&change.path) {
                PathState::File(file) => Some(file.clone()),
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
        PatchedState { id: short(&hasher), overlay, originals }
    }

    /// Stores a patched state as the next state.
    pub fn keep(&mut self, made: PatchedState) -> usize {
        self.originals = made.originals;
        self.states.push(made.overlay);
        self.states.len() - 1
    }

    /// Checks out a patched state, calls `look`, and restores the current state. The patched state is not stored.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be written.
    pub fn try_out<T>(&mut self, made: PatchedState, look: impl FnOnce(&WorkCopy) -> T) -> Result<T, CopyError> {
        let (current, originals) = (self.current, self.originals.clone());
        let state = self.keep(made);
        self.check_out(state)?;
        let seen = look(&self.copy);
        self.check_out(current)?;
        self.states.pop();
        self.originals = originals;
        Ok(seen)
    }

    /// Returns the patch from the original tree to a state, with the required contents of its files.
    pub fn patch_to(&self, state: usize) -> (Patch, BTreeMap<String, Option<FilePin>>) {
        let original = |path: &String| self.originals.get(path).and_then(Option::as_ref);
        let overlay = &self.states[state];
        let ops = overlay.iter().flat_map(|(path, file)| between(path, original(path), file.as_ref()));
        let pins = overlay.keys().map(|path| (path.clone(), original(path).map(FilePin::of)));
        (Patch { ops: ops.collect() }, pins.collect())
    }
}

/// The result of a patch on a state.
#[derive(Debug, Clone)]
pub struct PatchedState {
    /// Its identity.
    pub id: String,
    overlay: Overlay,
    originals: Overlay,
}

/// Returns the identity of a tree with these paths.
///
/// # Errors
///
/// Fails if something cannot be read.
pub fn tree_id(folder: &Path, paths: &BTreeSet<String>) -> io::Result<String> {
    tree::id(folder, paths, &|_, bytes| bytes)
}
