//! Carries out patches: whole or not at all.
//!
//! What a patch makes of a tree is decided by the core, out of what was read here. Then the whole result goes
//! into one journal, which is made durable; only then files are written, each beside its place and moved
//! there. A crash before the journal stands leaves everything as it was; after that the next run finishes what is
//! left. That needs a handful of waits for the disk, however many files there are.

mod journal;
mod root;

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use assize_core::patch::{self, Handed, Patch, PatchLimits, Plan, Protection, Snapshot};
use assize_core::violation::Violation;

pub use self::journal::JournalError;
use self::journal::{Journal, Step};
pub use self::root::{FILE_BYTES_MAX, Root};

/// Where a tree keeps what Assize knows of it.
const STATE_FOLDER: &str = ".assize";
const LOCK: &str = "patch.lock";

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

/// Says what a patch would do to a tree, and touches nothing.
///
/// # Errors
///
/// Lists what does not fit.
pub fn check(tree: &Path, terms: &PatchTerms, handed: &Handed) -> Result<Prepared, PatchError> {
    let root = Root::open(tree).map_err(|source| PatchError::Io { path: tree.to_owned(), source })?;
    prepare(tree, &root, terms, handed)
}

/// What holds for every patch that is handed in.
#[derive(Debug, Clone, Default)]
pub struct PatchTerms {
    /// How large it may be.
    pub limits: PatchLimits,
    /// Which files it may not touch.
    pub protection: Protection,
}

fn prepare(tree: &Path, root: &Root, terms: &PatchTerms, handed: &Handed) -> Result<Prepared, PatchError> {
    let read = |paths: &[&str]| root.snapshot(paths).map_err(|source| PatchError::Io { path: tree.to_owned(), source });
    let snapshot = read(&handed.paths())?;
    let imported = handed.settle(&snapshot, &terms.limits).map_err(PatchError::Unfit)?;
    let mut faults = terms.protection.check(&imported.patch);
    match patch::plan(&imported.patch, &snapshot) {
        Ok(mut plan) if faults.is_empty() => {
            plan.notes.splice(0..0, imported.notes);
            let inverse = patch::inverse(&plan, &snapshot);
            Ok(Prepared { patch: imported.patch, plan, inverse, tree: snapshot })
        }
        Ok(_) => Err(PatchError::Unfit(faults)),
        Err(unfit) => {
            faults.extend(unfit);
            Err(PatchError::Unfit(faults))
        }
    }
}

/// A tree that patches are applied to, one at a time.
pub struct Patcher {
    path: PathBuf,
    root: Root,
    state: PathBuf,
    _lock: File,
    finished_earlier: bool,
}

impl Patcher {
    /// Opens a tree, waits for nobody, and finishes an earlier patch that was interrupted.
    ///
    /// # Errors
    ///
    /// Says why no patch can be applied.
    pub fn open(path: &Path) -> Result<Self, PatchError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| PatchError::Io { path, source }
        };
        let root = Root::open(path).map_err(failed(path))?;
        let state = path.join(STATE_FOLDER);
        match DirBuilder::new().mode(0o700).create(&state) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(&state)(error)),
            _ => {}
        }
        if !fs::symlink_metadata(&state).map_err(failed(&state))?.is_dir() {
            return Err(failed(&state)(io::Error::other("is no folder")));
        }
        let lock_path = state.join(LOCK);
        let lock = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
            .open(&lock_path)
            .map_err(failed(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(PatchError::Busy { root: path.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(failed(&lock_path)(error)),
        }
        let mut patcher = Self { path: path.to_owned(), root, state, _lock: lock, finished_earlier: false };
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
        prepare(&self.path, &self.root, terms, handed)
    }

    /// Applies a patch.
    ///
    /// # Errors
    ///
    /// Says why nothing was changed or, where the system failed in the middle, what is left to do.
    pub fn apply(&self, terms: &PatchTerms, handed: &Handed) -> Result<Prepared, PatchError> {
        let prepared = self.prepare(terms, handed)?;
        if !prepared.plan.changes.is_empty() {
            let steps: Vec<Step> = prepared.plan.changes.iter().map(Step::of).collect();
            self.unchanged(&steps)?;
            let journal = Journal::within(&self.state);
            journal.write(&steps)?;
            self.carry_out(&steps)?;
            journal.close()?;
        }
        Ok(prepared)
    }

    /// Checks that every file still is what the plan was made for.
    fn unchanged(&self, steps: &[Step]) -> Result<(), PatchError> {
        for step in steps {
            let entry = self.root.entry(&step.path);
            let entry = entry.map_err(|source| PatchError::Io { path: self.path.join(&step.path), source })?;
            if !step.is_before(&entry) {
                return Err(PatchError::Changed { path: step.path.clone() });
            }
        }
        Ok(())
    }

    /// Writes what the journal says. Files that go make room first: one may lie where a folder has to be.
    fn carry_out(&self, steps: &[Step]) -> Result<(), PatchError> {
        let interrupted = |step: &Step| {
            let path = step.path.clone();
            move |source| PatchError::Interrupted { path, source }
        };
        for step in steps.iter().filter(|step| step.after.is_none()) {
            self.root.take(&step.path).map_err(interrupted(step))?;
        }
        for (index, step) in steps.iter().enumerate() {
            if let Some(file) = step.content() {
                self.root.put(&step.path, &file, &beside(index)).map_err(interrupted(step))?;
            }
        }
        if let Some(step) = steps.first() {
            self.root.sync().map_err(interrupted(step))?;
        }
        Ok(())
    }

    /// Finishes a patch that was interrupted; returns whether there was one.
    fn finish_earlier(&self) -> Result<bool, PatchError> {
        let journal = Journal::within(&self.state);
        let Some(steps) = journal.read()? else { return Ok(false) };
        let mut left = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            self.root.sweep(&step.path, &beside(index));
            let entry = self.root.entry(&step.path);
            let entry = entry.map_err(|source| PatchError::Io { path: self.path.join(&step.path), source })?;
            if step.is_before(&entry) {
                left.push(step.clone());
            } else if !step.is_after(&entry) {
                return Err(PatchError::Stuck { path: step.path.clone(), journal: journal.path() });
            }
        }
        self.carry_out(&left)?;
        self.root.sync().map_err(|source| PatchError::Io { path: self.path.clone(), source })?;
        journal.close()?;
        Ok(true)
    }
}

/// The name under which a file is written before it is moved to its place. The journal knows it by its number.
fn beside(index: usize) -> String {
    format!(".assize-patch-{index}")
}

#[cfg(test)]
mod tests;
