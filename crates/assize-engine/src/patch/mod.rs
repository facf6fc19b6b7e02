//! Applies patches: completely or not at all.
//!
//! `assize-patch` computes what a patch makes of a tree from what was read here. Then the whole result is written to
//! one journal, which is made durable. Every file is written beside its place. If that fails, these files and the
//! journal are removed. Only when all files are on disk are they moved to their places. A crash before the journal is
//! complete leaves the tree unchanged; after that, the next run finishes the patch. This needs only a few syncs,
//! however many files there are.

mod fuse;
mod journal;
mod root;
mod state;
mod syntax;

use std::borrow::Cow;
use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use assize_core::violation::Violation;
use assize_patch::{self, FileTransition, FittingPatch, Patch, PatchDocumentFaults, PatchInput, PatchPlan, Snapshot};

use self::fuse::Fuse;
use self::journal::{PatchJournalRecord, is_after, is_before};
use self::root::OpenTree;
use self::state::{STATE_FOLDER, StateFolder, is_interrupted};

pub use self::journal::PatchJournalError;
pub use self::root::FILE_BYTES_MAX;
pub use assize_patch::{PatchTerms, SyntaxPolicy};

/// How many files each thread handles. Most of the time for a file is spent in the file system's metadata.
const FILES_PER_THREAD: usize = 64;
const THREADS_MAX: usize = 4;

/// Why a patch was not applied.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    /// The patch does not fit.
    #[error("the patch does not fit; nothing was changed")]
    Unfit(Vec<Violation>),
    /// Another process is applying a patch.
    #[error("another patch is being applied to {}; nothing was changed", root.display())]
    Busy {
        /// The tree.
        root: PathBuf,
    },
    /// Another process is applying a patch, or was interrupted.
    #[error("a patch is being applied to {}, or was interrupted there; `assize patch apply` finishes it", root.display())]
    Unfinished {
        /// The tree.
        root: PathBuf,
    },
    /// A file changed while the patch was planned.
    #[error("{path} was changed meanwhile; nothing was changed by the patch")]
    Changed {
        /// The file.
        path: String,
    },
    /// A patch was interrupted, and a file changed since.
    #[error("an earlier patch was interrupted, and {path} was changed since; restore it or remove {}", journal.display())]
    Stuck {
        /// The file.
        path: String,
        /// The journal of that patch.
        journal: PathBuf,
    },
    /// An interrupted patch cannot be finished now; the next run tries again.
    #[error("an earlier patch was interrupted and cannot be finished: {path}: {source}")]
    Unfinishable {
        /// The file that could not be written.
        path: String,
        /// The error.
        source: io::Error,
    },
    /// Not all files could be written; the next run tries again.
    #[error("{path}: {source}; the patch is half applied, and the next run finishes it")]
    Interrupted {
        /// The file that could not be written.
        path: String,
        /// The error.
        source: io::Error,
    },
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] PatchJournalError),
    /// A file or folder cannot be read.
    #[error("{}: {source}; nothing was changed", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
}

/// A patch that fits a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedPatch {
    /// Its operations.
    pub patch: Patch,
    /// What it makes of the tree.
    pub plan: PatchPlan,
    /// The inverse patch.
    pub inverse: Patch,
    /// The tree for which it was prepared.
    pub tree: Snapshot,
}

/// Computes what a patch would do to a tree, without changing anything. If a patch was interrupted, the tree is in no
/// defined state.
///
/// # Errors
///
/// Lists what does not fit.
pub fn check(tree: &Path, terms: &PatchTerms, input: &PatchInput) -> Result<PreparedPatch, PatchError> {
    let root = OpenTree::open(tree, Fuse::default()).map_err(|source| failed(tree, source))?;
    if is_interrupted(&root) {
        return Err(PatchError::Unfinished { root: tree.to_owned() });
    }
    draft(tree, &root, terms, input).map(PlannedPatch::prepared)
}

/// Lists everything that is wrong with an invalid document, without changing anything.
///
/// # Errors
///
/// Fails if the tree cannot be read.
pub fn faults(tree: &Path, terms: &PatchTerms, unsound: &PatchDocumentFaults) -> Result<Vec<Violation>, PatchError> {
    let root = OpenTree::open(tree, Fuse::default()).map_err(|source| failed(tree, source))?;
    if is_interrupted(&root) {
        return Err(PatchError::Unfinished { root: tree.to_owned() });
    }
    let paths: Vec<&str> = unsound.sound.iter().map(|(_, op)| op.path()).collect();
    let snapshot = root.snapshot(&paths).map_err(|source| failed(tree, source))?;
    Ok(terms.faults(unsound, &snapshot))
}

fn failed(path: &Path, source: io::Error) -> PatchError {
    PatchError::Io { path: path.to_owned(), source }
}

/// A patch that fits, before its inverse is computed.
struct PlannedPatch {
    patch: Patch,
    plan: PatchPlan,
    tree: Snapshot,
}

impl PlannedPatch {
    fn inverse(&self) -> Patch {
        assize_patch::inverse(&self.plan, &self.tree)
    }

    fn prepared(self) -> PreparedPatch {
        let inverse = self.inverse();
        self.with(inverse)
    }

    fn with(self, inverse: Patch) -> PreparedPatch {
        PreparedPatch { patch: self.patch, plan: self.plan, inverse, tree: self.tree }
    }
}

fn draft(tree: &Path, root: &OpenTree, terms: &PatchTerms, input: &PatchInput) -> Result<PlannedPatch, PatchError> {
    let snapshot = root.snapshot(&input.paths()).map_err(|source| failed(tree, source))?;
    let FittingPatch { patch, plan } = terms.fit(input, &snapshot).map_err(PatchError::Unfit)?;
    if terms.syntax == SyntaxPolicy::Guarded {
        let broken = syntax::broken(&patch, &plan, &snapshot);
        if !broken.is_empty() {
            return Err(PatchError::Unfit(broken));
        }
    }
    Ok(PlannedPatch { patch, plan, tree: snapshot })
}

/// A tree to which patches are applied, one at a time.
pub struct Patcher {
    path: PathBuf,
    root: OpenTree,
    state: StateFolder,
    fuse: Fuse,
    finished_earlier: bool,
}

/// A change with its number in the journal.
type NumberedTransition<'a> = (usize, &'a FileTransition);

impl Patcher {
    /// Opens a tree without waiting for other processes, and finishes an interrupted patch.
    ///
    /// # Errors
    ///
    /// Says why no patch can be applied.
    pub fn open(path: &Path) -> Result<Self, PatchError> {
        Self::open_with_fuse(path, Fuse::default())
    }

    fn open_with_fuse(path: &Path, fuse: Fuse) -> Result<Self, PatchError> {
        let root = OpenTree::open(path, fuse.clone()).map_err(|source| failed(path, source))?;
        let state = StateFolder::open(&root, path).map_err(|source| failed(&path.join(STATE_FOLDER), source))?;
        let state = state.ok_or_else(|| PatchError::Busy { root: path.to_owned() })?;
        let mut patcher = Self { path: path.to_owned(), root, state, fuse, finished_earlier: false };
        patcher.finished_earlier = patcher.finish_earlier()?;
        Ok(patcher)
    }

    /// Returns whether an interrupted patch was finished when the tree was opened.
    pub fn finished_earlier(&self) -> bool {
        self.finished_earlier
    }

    /// Computes what a patch would do.
    ///
    /// # Errors
    ///
    /// Lists what does not fit.
    pub fn prepare(&self, terms: &PatchTerms, input: &PatchInput) -> Result<PreparedPatch, PatchError> {
        draft(&self.path, &self.root, terms, input).map(PlannedPatch::prepared)
    }

    /// Applies a patch.
    ///
    /// # Errors
    ///
    /// Says why nothing was changed or, if the system failed midway, what remains to be done.
    pub fn apply(&self, terms: &PatchTerms, input: &PatchInput) -> Result<PreparedPatch, PatchError> {
        let draft = draft(&self.path, &self.root, terms, input)?;
        // The inverse is computed while the disk works.
        let inverse = thread::scope(|scope| {
            let helper = thread::Builder::new().spawn_scoped(scope, || draft.inverse());
            let committed = self.commit(&draft);
            let inverse = match helper {
                Ok(helper) => helper.join().unwrap_or_else(|panic| resume_unwind(panic)),
                Err(_) => draft.inverse(),
            };
            committed.map(|()| inverse)
        })?;
        Ok(draft.with(inverse))
    }

    fn commit(&self, draft: &PlannedPatch) -> Result<(), PatchError> {
        if draft.plan.changes.is_empty() {
            return Ok(());
        }
        for change in &draft.plan.changes {
            let entry = self.root.entry(&change.path);
            let entry = entry.map_err(|source| failed(&self.path.join(&change.path), source))?;
            if entry != *draft.tree.entry(&change.path) {
                return Err(PatchError::Changed { path: change.path.clone() });
            }
        }
        let nonce = getrandom::u64().map_err(|error| failed(&self.path, io::Error::other(error)))?;
        let record = PatchJournalRecord { nonce, changes: Cow::Borrowed(&draft.plan.changes) };
        self.state.journal().write(&record, &self.fuse)?;
        let pending: Vec<NumberedTransition<'_>> = record.changes.iter().enumerate().collect();
        let written = match self.write_beside(&record, &pending) {
            Ok(written) => written,
            Err((path, source)) => {
                // No file is in its place yet, so nothing has to be finished.
                self.sweep(&record);
                self.state.journal().close(&self.fuse)?;
                return Err(failed(&self.path.join(path), source));
            }
        };
        self.carry_out(&record, &pending, &written)?;
        Ok(self.state.journal().close(&self.fuse)?)
    }

    /// Writes every file of the journal's changes to disk, each under a temporary name. Everything that can fail for
    /// lack of space or rights fails here, before any file is in its place. Returns the folders.
    fn write_beside<'c>(
        &self,
        record: &PatchJournalRecord<'_>,
        pending: &[NumberedTransition<'c>],
    ) -> Result<Vec<&'c str>, (String, io::Error)> {
        for (_, change) in pending.iter().filter(|(_, change)| change.after.is_none()) {
            self.root.may_take(&change.path).map_err(|source| (change.path.clone(), source))?;
        }
        let written = self.in_parts(pending, |root, (index, change)| match &change.after {
            Some(file) => root
                .write_beside(&change.path, file, &record.beside(*index))
                .map_err(|source| (change.path.clone(), source)),
            None => Ok(""),
        })?;
        // If a file is moved to its place before its bytes are on disk, it may be empty after a power loss.
        self.sync().map_err(|source| (STATE_FOLDER.to_owned(), source))?;
        Ok(written)
    }

    /// Carries out changes of a journal. Files are removed first, because a folder may be needed at their path.
    fn carry_out(
        &self,
        record: &PatchJournalRecord<'_>,
        pending: &[NumberedTransition<'_>],
        written: &[&str],
    ) -> Result<(), PatchError> {
        for (_, change) in pending.iter().filter(|(_, change)| change.after.is_none()) {
            self.root.take(&change.path).map_err(|source| interrupted(&change.path, source))?;
        }
        let files: Vec<(NumberedTransition<'_>, &str)> = pending.iter().copied().zip(written.iter().copied()).collect();
        self.in_parts(&files, |root, ((index, change), written)| {
            if change.after.is_none() {
                return Ok(());
            }
            root.rename_into_place(&change.path, written, &record.beside(*index))
                .map_err(|source| interrupted(&change.path, source))
        })?;
        self.sync().map_err(|source| interrupted(STATE_FOLDER, source))
    }

    /// Processes many items, a part of them on each thread. Stops at the first error.
    fn in_parts<I: Sync, T: Send, E: Send>(
        &self,
        items: &[I],
        each: impl Fn(&OpenTree, &I) -> Result<T, E> + Sync,
    ) -> Result<Vec<T>, E> {
        let threads = (items.len() / FILES_PER_THREAD).clamp(1, THREADS_MAX);
        let base = self.root.base();
        let all = |part: &[I]| {
            let root = OpenTree::over(base.clone());
            part.iter().map(|item| each(&root, item)).collect::<Result<Vec<T>, E>>()
        };
        let mut parts = items.chunks(items.len().div_ceil(threads).max(1));
        let first = parts.next().unwrap_or_default();
        thread::scope(|scope| {
            let helpers: Vec<_> =
                parts.map(|part| (part, thread::Builder::new().spawn_scoped(scope, || all(part)))).collect();
            helpers.into_iter().fold(all(first), |done, (part, helper)| {
                let helped = match helper {
                    Ok(helper) => helper.join().unwrap_or_else(|panic| resume_unwind(panic)),
                    Err(_) => all(part),
                };
                done.and_then(|mut done| {
                    done.extend(helped?);
                    Ok(done)
                })
            })
        })
    }

    fn sync(&self) -> io::Result<()> {
        self.fuse.burn()?;
        self.root.sync()
    }

    /// Removes temporary files.
    fn sweep(&self, record: &PatchJournalRecord<'_>) {
        for (index, change) in record.changes.iter().enumerate() {
            self.root.sweep(&change.path, &record.beside(index));
        }
    }

    /// Finishes an interrupted patch. Returns whether there was one.
    fn finish_earlier(&self) -> Result<bool, PatchError> {
        let journal = self.state.journal();
        journal.forget_unfinished()?;
        let Some(record) = journal.read()? else { return Ok(false) };
        self.sweep(&record);
        let mut pending = Vec::new();
        for (index, change) in record.changes.iter().enumerate() {
            let entry = self.root.entry(&change.path);
            let entry = entry.map_err(|source| failed(&self.path.join(&change.path), source))?;
            // If a file was removed, the folder that became empty may still exist.
            if is_before(change, &entry) || change.after.is_none() && entry == assize_patch::PathState::Absent {
                pending.push((index, change));
            } else if !is_after(change, &entry) {
                return Err(PatchError::Stuck { path: change.path.clone(), journal: journal.path() });
            }
        }
        let written = match self.write_beside(&record, &pending) {
            Ok(written) => written,
            Err((path, source)) => {
                // What was written takes space that the next run may need.
                self.sweep(&record);
                return Err(PatchError::Unfinishable { path, source });
            }
        };
        self.carry_out(&record, &pending, &written)?;
        journal.close(&self.fuse)?;
        Ok(true)
    }
}

fn interrupted(path: &str, source: io::Error) -> PatchError {
    PatchError::Interrupted { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests;
