//! Carries out patches: whole or not at all.
//!
//! What a patch makes of a tree is decided by the core, out of what was read here. Then the whole result goes
//! into one journal, which is made durable. Every file is written beside its place; where that fails, all of it is taken away
//! again, and the journal with it. Only when all of them are on the disk is any moved to its place. A crash before the journal stands
//! leaves everything as it was; after that the next run finishes what is left. That needs a handful of waits for the
//! disk, however many files there are.

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

use assize_core::patch::{self, Change, Fit, Handed, Patch, Plan, Snapshot, Unsound};
pub use assize_core::patch::{PatchTerms, Syntax};
use assize_core::violation::Violation;

use self::fuse::Fuse;
pub use self::journal::JournalError;
use self::journal::{Record, is_after, is_before};
pub use self::root::FILE_BYTES_MAX;
use self::root::Root;
use self::state::{STATE_FOLDER, State, is_interrupted};

/// Files that are enough work for a thread. Most of the time of each goes into the file system's own bookkeeping.
const FILES_PER_THREAD: usize = 64;
const THREADS_MAX: usize = 4;

/// Why a patch was not applied.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    /// It does not fit.
    #[error("the patch does not fit; nothing was changed")]
    Unfit(Vec<Violation>),
    /// Somebody else applies one.
    #[error("another patch is being applied to {}; nothing was changed", root.display())]
    Busy {
        /// To which tree.
        root: PathBuf,
    },
    /// Somebody else applies one, or did and was interrupted.
    #[error("a patch is being applied to {}, or was interrupted there; `assize patch apply` finishes it", root.display())]
    Unfinished {
        /// To which tree.
        root: PathBuf,
    },
    /// Files changed while the patch was planned.
    #[error("{path} was changed meanwhile; nothing was changed by the patch")]
    Changed {
        /// Which one.
        path: String,
    },
    /// A patch was interrupted, and files changed since.
    #[error("an earlier patch was interrupted, and {path} was changed since; put it right or remove {}", journal.display())]
    Stuck {
        /// Which one.
        path: String,
        /// What is left of that patch.
        journal: PathBuf,
    },
    /// An earlier patch was interrupted, and cannot be finished now; the next run tries again.
    #[error("an earlier patch was interrupted and cannot be finished: {path}: {source}")]
    Unfinishable {
        /// Which file could not be written.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// Not all could be written; the next run tries again.
    #[error("{path}: {source}; the patch is half applied, and the next run finishes it")]
    Interrupted {
        /// Which file could not be written.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Something cannot be read.
    #[error("{}: {source}; nothing was changed", path.display())]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// A patch that fits a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// Its operations.
    pub patch: Patch,
    /// What it makes of the tree.
    pub plan: Plan,
    /// The patch that takes it back.
    pub inverse: Patch,
    /// What it was prepared for.
    pub tree: Snapshot,
}

/// Says what a patch would do to a tree, and touches nothing. Where a patch was interrupted, there is no tree that anybody
/// meant.
///
/// # Errors
///
/// Lists what does not fit.
pub fn check(tree: &Path, terms: &PatchTerms, handed: &Handed) -> Result<Prepared, PatchError> {
    let root = Root::open(tree, Fuse::default()).map_err(|source| failed(tree, source))?;
    if is_interrupted(&root) {
        return Err(PatchError::Unfinished { root: tree.to_owned() });
    }
    draft(tree, &root, terms, handed).map(Draft::prepared)
}

/// Lists everything that is wrong with a document that cannot be taken, and touches nothing.
///
/// # Errors
///
/// Fails if the tree cannot be read.
pub fn faults(tree: &Path, terms: &PatchTerms, unsound: &Unsound) -> Result<Vec<Violation>, PatchError> {
    let root = Root::open(tree, Fuse::default()).map_err(|source| failed(tree, source))?;
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

/// A patch that fits, before anybody has worked out how it is taken back.
struct Draft {
    patch: Patch,
    plan: Plan,
    tree: Snapshot,
}

impl Draft {
    fn inverse(&self) -> Patch {
        patch::inverse(&self.plan, &self.tree)
    }

    fn prepared(self) -> Prepared {
        let inverse = self.inverse();
        self.with(inverse)
    }

    fn with(self, inverse: Patch) -> Prepared {
        Prepared { patch: self.patch, plan: self.plan, inverse, tree: self.tree }
    }
}

fn draft(tree: &Path, root: &Root, terms: &PatchTerms, handed: &Handed) -> Result<Draft, PatchError> {
    let snapshot = root.snapshot(&handed.paths()).map_err(|source| failed(tree, source))?;
    let Fit { patch, plan } = terms.fit(handed, &snapshot).map_err(PatchError::Unfit)?;
    if terms.syntax == Syntax::Guarded {
        let broken = syntax::broken(&patch, &plan, &snapshot);
        if !broken.is_empty() {
            return Err(PatchError::Unfit(broken));
        }
    }
    Ok(Draft { patch, plan, tree: snapshot })
}

/// A tree that patches are applied to, one at a time.
pub struct Patcher {
    path: PathBuf,
    root: Root,
    state: State,
    fuse: Fuse,
    finished_earlier: bool,
}

/// A change with its number in the journal.
type Numbered<'a> = (usize, &'a Change);

impl Patcher {
    /// Opens a tree, waits for nobody, and finishes an earlier patch that was interrupted.
    ///
    /// # Errors
    ///
    /// Says why no patch can be applied.
    pub fn open(path: &Path) -> Result<Self, PatchError> {
        Self::open_until(path, Fuse::default())
    }

    fn open_until(path: &Path, fuse: Fuse) -> Result<Self, PatchError> {
        let root = Root::open(path, fuse.clone()).map_err(|source| failed(path, source))?;
        let state = State::open(&root, path).map_err(|source| failed(&path.join(STATE_FOLDER), source))?;
        let state = state.ok_or_else(|| PatchError::Busy { root: path.to_owned() })?;
        let mut patcher = Self { path: path.to_owned(), root, state, fuse, finished_earlier: false };
        patcher.finished_earlier = patcher.finish_earlier()?;
        Ok(patcher)
    }

    /// Returns whether an earlier patch, which had been interrupted, was finished when the tree was opened.
    pub fn finished_earlier(&self) -> bool {
        self.finished_earlier
    }

    /// Says what a patch would do.
    ///
    /// # Errors
    ///
    /// Lists what does not fit.
    pub fn prepare(&self, terms: &PatchTerms, handed: &Handed) -> Result<Prepared, PatchError> {
        draft(&self.path, &self.root, terms, handed).map(Draft::prepared)
    }

    /// Applies a patch.
    ///
    /// # Errors
    ///
    /// Says why nothing was changed or, where the system failed in the middle, what is left to do.
    pub fn apply(&self, terms: &PatchTerms, handed: &Handed) -> Result<Prepared, PatchError> {
        let draft = draft(&self.path, &self.root, terms, handed)?;
        // What takes it back is worked out while the disk is waited for.
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

    fn commit(&self, draft: &Draft) -> Result<(), PatchError> {
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
        let record = Record { nonce, changes: Cow::Borrowed(&draft.plan.changes) };
        self.state.journal().write(&record, &self.fuse)?;
        let left: Vec<Numbered<'_>> = record.changes.iter().enumerate().collect();
        let staged = match self.stage(&record, &left) {
            Ok(staged) => staged,
            Err((path, source)) => {
                // Nothing stands in its place yet, so that nobody has to finish anything.
                self.sweep(&record);
                self.state.journal().close(&self.fuse)?;
                return Err(failed(&self.path.join(path), source));
            }
        };
        self.carry_out(&record, &left, &staged)?;
        Ok(self.state.journal().close(&self.fuse)?)
    }

    /// Writes every file that changes of a journal make, each under another name, to the disk. All that can fail for want of
    /// room or rights fails here, before anything is in its place. Returns the folders.
    fn stage<'c>(&self, record: &Record<'_>, left: &[Numbered<'c>]) -> Result<Vec<&'c str>, (String, io::Error)> {
        for (_, change) in left.iter().filter(|(_, change)| change.after.is_none()) {
            self.root.may_take(&change.path).map_err(|source| (change.path.clone(), source))?;
        }
        let staged = self.in_parts(left, |root, (index, change)| match &change.after {
            Some(file) => {
                root.stage(&change.path, file, &record.beside(*index)).map_err(|source| (change.path.clone(), source))
            }
            None => Ok(""),
        })?;
        // A file that is moved to its place before its bytes are on the disk may be empty after a loss of power.
        self.sync().map_err(|source| (STATE_FOLDER.to_owned(), source))?;
        Ok(staged)
    }

    /// Makes changes of a journal. Files that go make room first: one may lie where a folder has to be.
    fn carry_out(&self, record: &Record<'_>, left: &[Numbered<'_>], staged: &[&str]) -> Result<(), PatchError> {
        for (_, change) in left.iter().filter(|(_, change)| change.after.is_none()) {
            self.root.take(&change.path).map_err(|source| interrupted(&change.path, source))?;
        }
        let files: Vec<(Numbered<'_>, &str)> = left.iter().copied().zip(staged.iter().copied()).collect();
        self.in_parts(&files, |root, ((index, change), staged)| {
            if change.after.is_none() {
                return Ok(());
            }
            root.put(&change.path, staged, &record.beside(*index)).map_err(|source| interrupted(&change.path, source))
        })?;
        self.sync().map_err(|source| interrupted(STATE_FOLDER, source))
    }

    /// Does something for each of many, a part of them in each thread, as far as it succeeds.
    fn in_parts<I: Sync, T: Send, E: Send>(
        &self,
        items: &[I],
        each: impl Fn(&Root, &I) -> Result<T, E> + Sync,
    ) -> Result<Vec<T>, E> {
        let threads = (items.len() / FILES_PER_THREAD).clamp(1, THREADS_MAX);
        let base = self.root.base();
        let all = |part: &[I]| {
            let root = Root::over(base.clone());
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

    /// Takes away what lies beside its place.
    fn sweep(&self, record: &Record<'_>) {
        for (index, change) in record.changes.iter().enumerate() {
            self.root.sweep(&change.path, &record.beside(index));
        }
    }

    /// Finishes a patch that was interrupted; returns whether there was one.
    fn finish_earlier(&self) -> Result<bool, PatchError> {
        let journal = self.state.journal();
        journal.forget_unfinished()?;
        let Some(record) = journal.read()? else { return Ok(false) };
        self.sweep(&record);
        let mut left = Vec::new();
        for (index, change) in record.changes.iter().enumerate() {
            let entry = self.root.entry(&change.path);
            let entry = entry.map_err(|source| failed(&self.path.join(&change.path), source))?;
            // Where a file is gone, the folder that it left empty may still be there.
            if is_before(change, &entry) || change.after.is_none() && entry == patch::Entry::Absent {
                left.push((index, change));
            } else if !is_after(change, &entry) {
                return Err(PatchError::Stuck { path: change.path.clone(), journal: journal.path() });
            }
        }
        let staged = match self.stage(&record, &left) {
            Ok(staged) => staged,
            Err((path, source)) => {
                // What was written by now takes up room that the next run may need.
                self.sweep(&record);
                return Err(PatchError::Unfinishable { path, source });
            }
        };
        self.carry_out(&record, &left, &staged)?;
        journal.close(&self.fuse)?;
        Ok(true)
    }
}

fn interrupted(path: &str, source: io::Error) -> PatchError {
    PatchError::Interrupted { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests;
