//! Where a court sits: a folder with a tree, which may be a copy.
//!
//! What is judged need not be what lies in the user's project: fixers and candidates work in copies. A copy has no
//! repository and no dependencies of its own; both are those of the project that it was made of. This module must not
//! know how copies are made.

use std::path::{Path, PathBuf};

use crate::git::{GitError, Repository};

/// A folder with a tree, and the project that it is a state of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ground {
    folder: PathBuf,
    original: Option<PathBuf>,
}

impl Ground {
    /// The tree of a project itself. The folder may lie within it.
    pub fn project(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), original: None }
    }

    /// A copy of the tree of a project.
    pub fn copy(folder: &Path, of: &Path) -> Self {
        Self { folder: folder.to_owned(), original: Some(of.to_owned()) }
    }

    /// Returns the folder whose tree is meant.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder of the project; that of the tree, unless it is a copy.
    pub fn home(&self) -> &Path {
        self.original.as_deref().unwrap_or(&self.folder)
    }

    /// Finds the repository, with this tree as its work tree; `None` where there is none.
    ///
    /// # Errors
    ///
    /// Fails when there is a repository that cannot be read.
    pub fn repository(&self) -> Result<Option<Repository>, GitError> {
        match &self.original {
            Some(original) => Repository::with_work_tree(original, &self.folder),
            None => Repository::discover(&self.folder),
        }
    }
}
