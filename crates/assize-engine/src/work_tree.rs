//! A folder with a tree to be judged, which may be a copy.
//!
//! The judged tree need not be the one in the user's project: fixers and candidates work in copies. A copy has no
//! repository and no dependencies of its own; it uses those of the project from which it was made. This module must
//! not know how copies are made.

use std::path::{Path, PathBuf};

use crate::git::{GitError, Repository};

/// A folder with a tree, and the project to which it belongs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkTree {
    folder: PathBuf,
    original: Option<PathBuf>,
    /// The repository of our own that has snapshots of it.
    snapshot: Option<PathBuf>,
}

impl WorkTree {
    /// Returns the tree of a project itself. The folder may be inside the project.
    pub fn project(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), ..Self::default() }
    }

    /// Returns the tree of a project without git, with the repository that has its snapshots.
    pub fn with_snapshot(folder: &Path, snapshot: &Path) -> Self {
        Self { folder: folder.to_owned(), snapshot: Some(snapshot.to_owned()), ..Self::default() }
    }

    /// Returns a copy of a project's tree.
    pub fn copy(folder: &Path, of: &Path) -> Self {
        Self { folder: folder.to_owned(), original: Some(of.to_owned()), ..Self::default() }
    }

    /// Returns the folder of the tree.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder of the project. For a tree that is not a copy, that is the folder of the tree.
    pub fn home(&self) -> &Path {
        self.original.as_deref().unwrap_or(&self.folder)
    }

    /// Finds the repository, with this folder as its work tree. Returns `None` if there is none.
    ///
    /// # Errors
    ///
    /// Fails if there is a repository that cannot be read.
    pub fn repository(&self) -> Result<Option<Repository>, GitError> {
        match (&self.original, &self.snapshot) {
            (Some(original), _) => Repository::with_work_tree(original, &self.folder),
            (None, Some(snapshot)) => Repository::with_work_tree(snapshot, &self.folder),
            (None, None) => Repository::discover(&self.folder),
        }
    }
}
