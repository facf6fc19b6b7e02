//! Puts what was verified onto the branch, and what failed beside it.
//!
//! This is the one place where the market writes into a project that people work in. What they have changed meanwhile is never written over: whatever is not as it
//! was committed, and not as we would write it, ends the run with its name. Why something is committed must not be known here.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use assize_core::patch::{Change, File, Handed, Patch, PatchLimits, PatchTerms};

use super::branch::{Branch, BranchError};
use super::source::{DRAFT_PREFIX, Source};
use crate::fix::desk::Desk;
use crate::fix::proposal::fitting;
use crate::patch::{PatchError, Patcher};
use crate::tree;
use crate::work_copy::{CopyError, WorkCopy};

/// Why something could not be put there.
#[derive(Debug, thiserror::Error)]
pub enum LandingError {
    /// git.
    #[error(transparent)]
    Branch(#[from] BranchError),
    /// A copy of the tree.
    #[error("a copy of the tree: {0}")]
    Copy(#[from] CopyError),
    /// The patch.
    #[error("the change cannot be written: {0}")]
    Patch(#[from] PatchError),
    /// Files were changed by others.
    #[error("{0} changed meanwhile, by you or by a hook; stash or undo that")]
    Changed(String),
    /// Something else is checked out.
    #[error("{is} is checked out, and the run is on {was}; check that out, or begin again with --anew")]
    Moved {
        /// What is checked out.
        is: String,
        /// What was.
        was: String,
    },
    /// The change does not fit the commit that it was made for.
    #[error("the change does not fit any more: {0}")]
    Unfit(String),
    /// A file cannot be read.
    #[error("{path}: {error}")]
    Io {
        /// Which one.
        path: String,
        /// Why.
        error: std::io::Error,
    },
}

/// What came of a commit that hooks have a say in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Landed {
    /// It is there.
    Commit(String),
    /// A hook refused it, or there is nothing to commit.
    Refused(String),
}

/// The project, and what in it is ours.
pub struct Landing<'a> {
    branch: &'a Branch,
    home: &'a Path,
    /// The folder of the project's state.
    state: &'a Path,
    source: &'a dyn Source,
}

impl<'a> Landing<'a> {
    /// Looks at a project. `home` is the root of its repository.
    pub fn new(branch: &'a Branch, home: &'a Path, state: &'a Path, source: &'a dyn Source) -> Self {
        Self { branch, home, state, source }
    }

    /// Returns the path of the specification within the project, where it lies there.
    pub fn specification(&self) -> Option<String> {
        self.within(self.source.place()?)
    }

    fn within(&self, place: &Path) -> Option<String> {
        let home = self.home.canonicalize().ok()?;
        let place = place.canonicalize().ok()?;
        place.strip_prefix(home).ok()?.to_str().map(str::to_owned)
    }

    /// Returns why an implementation may not touch a path; `None` where it may. What it is judged by, and what keeps score, is not its to change.
    ///
    /// # Errors
    ///
    /// Fails where git does.
    pub fn why_closed(&self, path: &str) -> Result<Option<&'static str>, LandingError> {
        // Some file systems take one case for the other.
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

    /// Returns whether a path belongs to what we keep.
    pub fn is_state(&self, path: &str) -> bool {
        let below = |state: String| path.strip_prefix(&state).is_some_and(|rest| rest.starts_with('/'));
        self.within(self.state).is_some_and(below)
    }

    /// Returns whether a path is ours to change besides: the specification, and what we keep.
    pub fn is_own(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.is_state(path) || name.starts_with(DRAFT_PREFIX) || self.specification().as_deref() == Some(path)
    }

    /// Looks whether the branch of the run is checked out.
    ///
    /// # Errors
    ///
    /// Says what is checked out instead.
    pub fn check(&self, branch: &str) -> Result<(), LandingError> {
        let current = self.branch.current()?;
        if current.as_deref() == Some(branch) {
            return Ok(());
        }
        let is = current.map_or_else(|| "no branch".to_owned(), |name| format!("`{name}`"));
        Err(LandingError::Moved { is, was: format!("`{branch}`") })
    }

    /// Returns whether a file of the project is this one, or not there where there is none.
    fn is_as(&self, path: &str, wanted: Option<&File>) -> Result<bool, LandingError> {
        let failed = |error| LandingError::Io { path: path.to_owned(), error };
        match wanted {
            Some(wanted) => Ok(tree::file(self.home, path).map_err(failed)?.as_ref() == Some(wanted)),
            // A link or a folder in its place is something.
            None => match std::fs::symlink_metadata(self.home.join(path)) {
                Ok(_) => Ok(false),
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(true),
                Err(error) => Err(failed(error)),
            },
        }
    }

    /// Looks whether nothing in the tree was changed by others. `changes` are what the run was about to write. Returns what of that is there.
    ///
    /// # Errors
    ///
    /// Names what was changed.
    fn check_tree(&self, changes: &BTreeMap<&str, Option<&File>>) -> Result<Vec<String>, LandingError> {
        let (mut ours, mut others) = (Vec::new(), Vec::new());
        for path in self.branch.dirty()?.into_iter().filter(|path| !self.is_own(path)) {
            match changes.get(path.as_str()) {
                Some(after) if self.is_as(&path, *after)? => ours.push(path),
                _ => others.push(path),
            }
        }
        if others.is_empty() { Ok(ours) } else { Err(LandingError::Changed(others.join(", "))) }
    }

    /// Commits a change, as its owner would. `copy` is one of the commit `on`, which it was verified on and which is checked out. What is committed is what was
    /// judged, to the byte: hooks may refuse it, and may not change it.
    ///
    /// # Errors
    ///
    /// Fails where somebody else changed something, or git does not do what was asked.
    pub fn commit(
        &self,
        copy: WorkCopy,
        on: &str,
        patch: &Patch,
        terms: &PatchTerms,
        message: &str,
    ) -> Result<Landed, LandingError> {
        // A patch that was interrupted is finished first, and taken back with the rest.
        let patcher = Patcher::open(self.home)?;
        let (desk, changes) = laid(copy, patch, terms)?;
        let planned: BTreeMap<&str, Option<&File>> =
            changes.iter().map(|change| (change.path.as_str(), change.after.as_ref())).collect();
        let ours = self.check_tree(&planned)?;
        self.branch.restore(&ours)?;
        let terms = PatchTerms { limits: PatchLimits::NONE, ..terms.clone() };
        patcher.apply(&terms, &Handed::Operations(patch.clone()))?;
        let paths: Vec<String> = planned.keys().map(|path| (*path).to_owned()).collect();
        let refusal = self.branch.refusal(&paths, message)?;
        // Whoever edited one of them while hooks were at work keeps what they wrote.
        self.check_tree(&planned)?;
        if let Some(why) = refusal {
            self.branch.restore(&paths)?;
            return Ok(Landed::Refused(why));
        }
        let tree = self.branch.tree_of(&desk.path(), on, &paths)?;
        match self.branch.commit_tree(&tree, on, &paths, message)? {
            Some(commit) => Ok(Landed::Commit(commit)),
            None => {
                self.branch.restore(&paths)?;
                Ok(Landed::Refused("it changes nothing that git keeps".to_owned()))
            }
        }
    }

    /// Keeps a change that failed on a branch of its own, and touches nothing that is checked out. `copy` is one of the commit `on`, which it was made for.
    ///
    /// # Errors
    ///
    /// Fails where git does not do what was asked.
    pub fn keep_aside(
        &self,
        copy: WorkCopy,
        on: &str,
        patch: &Patch,
        terms: &PatchTerms,
        name: &str,
        message: &str,
    ) -> Result<String, LandingError> {
        let (desk, changes) = laid(copy, patch, terms)?;
        let paths: Vec<String> = changes.into_iter().map(|change| change.path).collect();
        let tree = self.branch.tree_of(&desk.path(), on, &paths)?;
        Ok(self.branch.commit_aside(name, &tree, on, message)?)
    }

    /// Commits what we keep of the market, and a specification that lies in the project, unless git is told to leave them out.
    ///
    /// # Errors
    ///
    /// Fails where git does not do what was asked.
    pub fn record(&self, message: &str) -> Result<Option<String>, LandingError> {
        let specification = self.specification();
        let events = self.within(self.state).map(|state| format!("{state}/market/events/"));
        let is_kept = |path: &String| {
            let is_event = events.as_ref().is_some_and(|events| path.starts_with(events.as_str()));
            is_event && path.ends_with(".json") || Some(path) == specification.as_ref()
        };
        let paths: Vec<String> = self.branch.dirty()?.into_iter().filter(is_kept).collect();
        Ok(self.branch.commit(&paths, message)?)
    }
}

/// Lays out what a patch makes of a copy.
fn laid(copy: WorkCopy, patch: &Patch, terms: &PatchTerms) -> Result<(Desk, Vec<Change>), LandingError> {
    let mut desk = Desk::new(copy)?;
    let terms = PatchTerms { limits: PatchLimits::NONE, ..terms.clone() };
    let made = fitting(&desk, &Handed::Operations(patch.clone()), &terms);
    let (made, prepared) = made.map_err(|faults| LandingError::Unfit(faults.join("; ")))?;
    let state = desk.keep(made);
    desk.lay(state)?;
    Ok((desk, prepared.plan.changes))
}
