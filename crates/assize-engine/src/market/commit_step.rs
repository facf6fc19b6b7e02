//! Commits verified work to the branch, and failed work to another branch.
//!
//! Only here does the market write into a project in which people work. Changes of people are never overwritten: if a
//! file is neither as committed nor as the run would write it, the run ends and names the file. This module must not
//! know why something is committed.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use assize_patch::{FileContent, FileTransition, Patch, PatchInput, PatchLimits, PatchTerms};

use super::branch::{Branch, BranchError};
use super::source::{DRAFT_PREFIX, SpecificationSource};
use crate::fix::proposal::fitting;
use crate::fix::workspace::FixWorkspace;
use crate::patch::{PatchError, Patcher};
use crate::tree;
use crate::work_copy::{CopyError, WorkCopy};

/// Why a commit step failed.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// git failed.
    #[error(transparent)]
    Branch(#[from] BranchError),
    /// A copy of the tree failed.
    #[error("a copy of the tree: {0}")]
    Copy(#[from] CopyError),
    /// The patch failed.
    #[error("the change cannot be written: {0}")]
    Patch(#[from] PatchError),
    /// Files were changed by others.
    #[error("{0} changed meanwhile, by you or by a hook; stash or undo that")]
    Changed(String),
    /// Another branch is checked out.
    #[error("{is} is checked out, and the run is on {was}; check that out, or begin again with --anew")]
    Moved {
        /// The current branch.
        is: String,
        /// The expected branch.
        was: String,
    },
    /// The change does not fit the commit for which it was made.
    #[error("the change does not fit any more: {0}")]
    Unfit(String),
    /// A file cannot be read.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// The error.
        error: std::io::Error,
    },
}

/// The result of a commit that hooks may refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitOutcome {
    /// The commit.
    Commit(String),
    /// A hook refused it, or there is nothing to commit.
    Refused(String),
}

/// Commits to the project.
pub struct CommitStep<'a> {
    branch: &'a Branch,
    home: &'a Path,
    /// The folder of the project's state.
    state: &'a Path,
    source: &'a dyn SpecificationSource,
}

impl<'a> CommitStep<'a> {
    /// Makes a commit step for the repository root `home`.
    pub fn new(branch: &'a Branch, home: &'a Path, state: &'a Path, source: &'a dyn SpecificationSource) -> Self {
        Self { branch, home, state, source }
    }

    /// Returns the path of the specification within the project, if it is part of the project.
    pub fn specification(&self) -> Option<String> {
        self.within(self.source.place()?)
    }

    fn within(&self, place: &Path) -> Option<String> {
        let home = self.home.canonicalize().ok()?;
        let place = place.canonicalize().ok()?;
        place.strip_prefix(home).ok()?.to_str().map(str::to_owned)
    }

    /// Returns why an implementation may not touch a path, or `None` if it may. It may not change the files by which
    /// it is judged, or the event history.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn why_protected(&self, path: &str) -> Result<Option<&'static str>, CommitError> {
        // Some file systems ignore case.
        let path = path.to_lowercase();
        let below = |folder: Option<String>| {
            folder.map(|folder| folder.to_lowercase()).is_some_and(|folder| {
                path == folder || path.strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/'))
            })
        };
        if below(self.specification()) {
            return Ok(Some("is the specification"));
        }
        if path == ".assize" || path.starts_with(".assize/") || below(self.within(self.state)) {
            return Ok(Some("is where the score is kept"));
        }
        if below(self.branch.hooks_folder()?.and_then(|folder| self.within(&folder))) {
            return Ok(Some("holds the hooks that commits are checked by"));
        }
        Ok(None)
    }

    /// Returns whether a path belongs to the market's state.
    pub fn is_state(&self, path: &str) -> bool {
        let below = |state: String| path.strip_prefix(&state).is_some_and(|rest| rest.starts_with('/'));
        self.within(self.state).is_some_and(below)
    }

    /// Returns whether the run itself may change a path: the specification and the state.
    pub fn is_own(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.is_state(path) || name.starts_with(DRAFT_PREFIX) || self.specification().as_deref() == Some(path)
    }

    /// Checks that the branch of the run is checked out.
    ///
    /// # Errors
    ///
    /// Returns what is checked out instead.
    pub fn check(&self, branch: &str) -> Result<(), CommitError> {
        let current = self.branch.current()?;
        if current.as_deref() == Some(branch) {
            return Ok(());
        }
        let is = current.map_or_else(|| "no branch".to_owned(), |name| format!("`{name}`"));
        Err(CommitError::Moved { is, was: format!("`{branch}`") })
    }

    /// Returns whether a file of the project has these contents, or is missing if `wanted` is `None`.
    fn is_as(&self, path: &str, wanted: Option<&FileContent>) -> Result<bool, CommitError> {
        let failed = |error| CommitError::Io { path: path.to_owned(), error };
        match wanted {
            Some(wanted) => Ok(tree::file(self.home, path).map_err(failed)?.as_ref() == Some(wanted)),
            // A link or a folder in its place counts as present.
            None => match std::fs::symlink_metadata(self.home.join(path)) {
                Ok(_) => Ok(false),
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(true),
                Err(error) => Err(failed(error)),
            },
        }
    }

    /// Checks that others changed nothing in the tree. `changes` are what the run is about to write. Returns those
    /// that are already there.
    ///
    /// # Errors
    ///
    /// Names the files that were changed.
    fn check_tree(&self, changes: &BTreeMap<&str, Option<&FileContent>>) -> Result<Vec<String>, CommitError> {
        let (mut ours, mut others) = (Vec::new(), Vec::new());
        for path in self.branch.dirty()?.into_iter().filter(|path| !self.is_own(path)) {
            match changes.get(path.as_str()) {
                Some(after) if self.is_as(&path, *after)? => ours.push(path),
                _ => others.push(path),
            }
        }
        if others.is_empty() { Ok(ours) } else { Err(CommitError::Changed(others.join(", "))) }
    }

    /// Commits a change as the owner would. `copy` is a copy of the commit `on`, on which the change was verified and
    /// which is checked out. The committed bytes are exactly those that were judged: hooks may refuse them, but not
    /// change them.
    ///
    /// # Errors
    ///
    /// Fails if somebody else changed something, or if git fails.
    pub fn commit(
        &self,
        copy: WorkCopy,
        on: &str,
        patch: &Patch,
        terms: &PatchTerms,
        message: &str,
    ) -> Result<CommitOutcome, CommitError> {
        // An interrupted patch is finished first, and reverted with the rest.
        let patcher = Patcher::open(self.home)?;
        let (workspace, changes) = checked_out(copy, patch, terms)?;
        let planned: BTreeMap<&str, Option<&FileContent>> =
            changes.iter().map(|change| (change.path.as_str(), change.after.as_ref())).collect();
        let ours = self.check_tree(&planned)?;
        self.branch.restore(&ours)?;
        let terms = PatchTerms { limits: PatchLimits::NONE, ..terms.clone() };
        patcher.apply(&terms, &PatchInput::Operations(patch.clone()))?;
        let paths: Vec<String> = planned.keys().map(|path| (*path).to_owned()).collect();
        let refusal = self.branch.refusal(&paths, message)?;
        // Edits that people made while hooks ran are kept.
        self.check_tree(&planned)?;
        if let Some(why) = refusal {
            self.branch.restore(&paths)?;
            return Ok(CommitOutcome::Refused(why));
        }
        let tree = self.branch.tree_of(&workspace.path(), on, &paths)?;
        match self.branch.commit_tree(&tree, on, &paths, message)? {
            Some(commit) => Ok(CommitOutcome::Commit(commit)),
            None => {
                self.branch.restore(&paths)?;
                Ok(CommitOutcome::Refused("it changes nothing that git keeps".to_owned()))
            }
        }
    }

    /// Commits a failed change to a branch of its own, and changes nothing that is checked out. `copy` is a copy of
    /// the commit `on`, for which the change was made.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn keep_aside(
        &self,
        copy: WorkCopy,
        on: &str,
        patch: &Patch,
        terms: &PatchTerms,
        name: &str,
        message: &str,
    ) -> Result<String, CommitError> {
        let (workspace, changes) = checked_out(copy, patch, terms)?;
        let paths: Vec<String> = changes.into_iter().map(|change| change.path).collect();
        let tree = self.branch.tree_of(&workspace.path(), on, &paths)?;
        Ok(self.branch.commit_aside(name, &tree, on, message)?)
    }

    /// Commits the market's state, and a specification that is part of the project, unless git ignores them.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn record(&self, message: &str) -> Result<Option<String>, CommitError> {
        let specification = self.specification();
        let events = self.within(self.state).map(|state| format!("{state}/market/events/"));
        let is_unchanged = |path: &String| {
            let is_event = events.as_ref().is_some_and(|events| path.starts_with(events.as_str()));
            is_event && path.ends_with(".json") || Some(path) == specification.as_ref()
        };
        let paths: Vec<String> = self.branch.dirty()?.into_iter().filter(is_unchanged).collect();
        Ok(self.branch.commit(&paths, message)?)
    }
}

/// Checks out the result of a patch in a copy.
fn checked_out(
    copy: WorkCopy,
    patch: &Patch,
    terms: &PatchTerms,
) -> Result<(FixWorkspace, Vec<FileTransition>), CommitError> {
    let mut workspace = FixWorkspace::new(copy)?;
    let terms = PatchTerms { limits: PatchLimits::NONE, ..terms.clone() };
    let made = fitting(&workspace, &PatchInput::Operations(patch.clone()), &terms);
    let (made, prepared) = made.map_err(|faults| CommitError::Unfit(faults.join("; ")))?;
    let state = workspace.keep(made);
    workspace.check_out(state)?;
    Ok((workspace, prepared.plan.changes))
}
