//! The files of a tree, by their paths, for documents that name them.
//!
//! Paths are relative to the root, with forward slashes. This module must not read the tree.

use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};

use crate::path::folders_above;

/// The files of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TreePaths(BTreeSet<String>);

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtPath<'t> {
    /// A file, or a link.
    File,
    /// A folder with files in it.
    Folder,
    /// Nothing can stand there, because this file is where a folder would have to be.
    BelowFile(&'t str),
    /// Nothing.
    Nothing,
}

impl TreePaths {
    /// Returns what stands at a path.
    pub fn at(&self, path: &str) -> AtPath<'_> {
        if self.0.contains(path) {
            return AtPath::File;
        }
        let inside = format!("{path}/");
        let next = self.0.range::<str, _>((Excluded(inside.as_str()), Unbounded)).next();
        if next.is_some_and(|next| next.starts_with(&inside)) {
            return AtPath::Folder;
        }
        match folders_above(path).find_map(|folder| self.0.get(folder)) {
            Some(file) => AtPath::BelowFile(file),
            None => AtPath::Nothing,
        }
    }
}

impl<P: Into<String>> FromIterator<P> for TreePaths {
    fn from_iter<I: IntoIterator<Item = P>>(paths: I) -> Self {
        Self(paths.into_iter().map(Into::into).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_file_a_folder_or_nothing() {
        let tree: TreePaths = ["src", "tests/a.py", "tests.py", "z/y/x"].into_iter().collect();
        for (path, expected) in [
            ("src", AtPath::File),
            ("src/a.py", AtPath::BelowFile("src")),
            ("src/a/b.py", AtPath::BelowFile("src")),
            ("tests", AtPath::Folder),
            ("tests/a.py", AtPath::File),
            ("tests/b.py", AtPath::Nothing),
            ("tests/a", AtPath::Nothing),
            ("z/y", AtPath::Folder),
            ("z/y/x", AtPath::File),
            ("zz", AtPath::Nothing),
            ("test", AtPath::Nothing),
        ] {
            assert_eq!(tree.at(path), expected, "{path}");
        }
    }
}
