//! The tree that a brief is made of: paths, what the source files say, the texts of manifests.
//!
//! It is an index over borrowed values, built anew for each brief. It must not know where they
//! come from: a file system, a commit, or a test.

use assize_core::path::{folders_above, is_plain, parent};
use foldhash::HashMap;

use crate::facts::{FileFacts, Import};
use crate::schema_type::SchemaFile;

/// The most files that are looked at.
pub const FILES_MAX: usize = 200_000;

/// The longest path that is looked at, in bytes.
pub const PATH_BYTES_MAX: usize = 4096;

/// The most imports of one file that are looked at.
pub const IMPORTS_PER_FILE_MAX: usize = 10_000;

/// One file, as it is handed in.
#[derive(Debug, Clone, Copy, Default)]
pub struct TreeFile<'a> {
    /// The path, relative to the root, with forward slashes.
    pub path: &'a str,
    /// What it says, when it is source code of a language that is read.
    pub facts: Option<&'a FileFacts>,
    /// The types that it declares, when it is a schema.
    pub schema: Option<&'a SchemaFile>,
    /// Its text, when [`crate::manifest::wants_text`] asks for it.
    pub text: Option<&'a str>,
    /// Its lines, when they are known and there are no facts.
    pub lines: Option<u32>,
}

/// A file of a [`SourceTree`]. Ids follow the order of the paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(u32);

/// A folder of a [`SourceTree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FolderId(u32);

impl FileId {
    /// Returns the position of the file in the tree.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl FolderId {
    /// Returns the position of the folder in the tree.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug)]
struct TreeFolder<'a> {
    path: &'a str,
    files: Vec<FileId>,
}

/// What is known of a source tree.
#[derive(Debug, Default)]
pub struct SourceTree<'a> {
    files: Vec<TreeFile<'a>>,
    by_path: HashMap<&'a str, FileId>,
    folders: Vec<TreeFolder<'a>>,
    folder_by_path: HashMap<&'a str, FolderId>,
    left_out: usize,
    odd_paths: usize,
}

impl<'a> SourceTree<'a> {
    /// Indexes the files. Their order does not matter; of two with one path, the first counts.
    pub fn new(files: impl IntoIterator<Item = TreeFile<'a>>) -> Self {
        let mut tree = Self { files: files.into_iter().collect(), ..Self::default() };
        let given = tree.files.len();
        tree.files.retain(|file| is_plain(file.path) && file.path.len() <= PATH_BYTES_MAX);
        tree.odd_paths = given - tree.files.len();
        tree.files.sort_by_key(|file| file.path);
        tree.files.dedup_by_key(|file| file.path);
        tree.left_out = tree.files.len().saturating_sub(FILES_MAX);
        tree.files.truncate(FILES_MAX);
        tree.by_path.reserve(tree.files.len());
        tree.folder("");
        let mut last = ("", FolderId(0));
        for position in 0..tree.files.len() {
            let path = tree.files[position].path;
            let id = FileId(position as u32);
            tree.by_path.insert(path, id);
            if parent(path) != last.0 {
                last = (parent(path), tree.folder(parent(path)));
            }
            tree.folders[last.1.index()].files.push(id);
        }
        tree
    }

    fn folder(&mut self, path: &'a str) -> FolderId {
        if let Some(&id) = self.folder_by_path.get(path) {
            return id;
        }
        for above in folders_above(path) {
            if self.folder_by_path.contains_key(above) {
                break;
            }
            self.add_folder(above);
        }
        self.add_folder(path)
    }

    fn add_folder(&mut self, path: &'a str) -> FolderId {
        let id = FolderId(self.folders.len() as u32);
        self.folders.push(TreeFolder { path, files: Vec::new() });
        self.folder_by_path.insert(path, id);
        id
    }

    /// Returns every file, in the order of the paths.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (FileId, &TreeFile<'a>)> {
        self.files.iter().enumerate().map(|(position, file)| (FileId(position as u32), file))
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns how many files were left out because of [`FILES_MAX`].
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Returns how many files were left out because their paths cannot be those of a tree.
    pub fn odd_paths(&self) -> usize {
        self.odd_paths
    }

    /// Finds a file by its path.
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// Finds a folder by its path; the root is the empty string.
    pub fn find_folder(&self, path: &str) -> Option<FolderId> {
        self.folder_by_path.get(path).copied()
    }

    /// Returns the file's path.
    pub fn path(&self, file: FileId) -> &'a str {
        self.files[file.index()].path
    }

    /// Returns the folder's path.
    pub fn folder_path(&self, folder: FolderId) -> &'a str {
        self.folders[folder.index()].path
    }

    /// Returns the files that stand directly in a folder.
    pub fn files_in(&self, folder: FolderId) -> &[FileId] {
        &self.folders[folder.index()].files
    }

    /// Returns every folder.
    pub fn folders(&self) -> impl Iterator<Item = (FolderId, &'a str)> {
        self.folders.iter().enumerate().map(|(position, folder)| (FolderId(position as u32), folder.path))
    }

    /// Returns what the file says, when that is known.
    pub fn facts(&self, file: FileId) -> Option<&'a FileFacts> {
        self.files[file.index()].facts
    }

    /// Returns the file's imports, as far as they are looked at.
    pub fn imports(&self, file: FileId) -> &'a [Import] {
        let imports = self.facts(file).map_or(&[][..], |facts| &facts.imports[..]);
        &imports[..imports.len().min(IMPORTS_PER_FILE_MAX)]
    }

    /// Returns the file's text, when it was handed in.
    pub fn text(&self, file: FileId) -> Option<&'a str> {
        self.files[file.index()].text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree<'a>(paths: &[&'a str]) -> SourceTree<'a> {
        SourceTree::new(paths.iter().map(|path| TreeFile { path, ..TreeFile::default() }))
    }

    #[test]
    fn files_and_folders_are_found() {
        let tree = tree(&["b/c/d.rs", "a.rs", "b/e.rs", "a.rs"]);
        assert_eq!(tree.len(), 3);
        assert_eq!(tree.files().map(|(_, file)| file.path).collect::<Vec<_>>(), ["a.rs", "b/c/d.rs", "b/e.rs"]);
        let folder = tree.find_folder("b").unwrap();
        assert_eq!(tree.files_in(folder).iter().map(|&id| tree.path(id)).collect::<Vec<_>>(), ["b/e.rs"]);
        assert!(tree.find_folder("b/c").is_some() && tree.find_folder("").is_some());
        assert_eq!(tree.find("b/c"), None);
    }

    #[test]
    fn paths_that_lead_out_are_left_out() {
        let tree = tree(&["../a.rs", "/etc/passwd", "a//b", "ok.rs"]);
        assert_eq!((tree.len(), tree.odd_paths()), (1, 3));
        let longest = "a".repeat(PATH_BYTES_MAX);
        let longer = "a".repeat(PATH_BYTES_MAX + 1);
        assert_eq!(self::tree(&[&longest, &longer]).odd_paths(), 1);
    }

    #[test]
    fn files_are_limited() {
        let names: Vec<String> = (0..=FILES_MAX).map(|number| format!("{number:07}")).collect();
        let at = |count: usize| {
            SourceTree::new(names[..count].iter().map(|path| TreeFile { path, ..TreeFile::default() })).left_out()
        };
        assert_eq!((at(FILES_MAX), at(FILES_MAX + 1)), (0, 1));
    }

    #[test]
    fn imports_of_a_file_are_limited() {
        let import = || Import { path: "a".into(), ..crate::testing::import("a") };
        for (count, expected) in
            [(IMPORTS_PER_FILE_MAX, IMPORTS_PER_FILE_MAX), (IMPORTS_PER_FILE_MAX + 1, IMPORTS_PER_FILE_MAX)]
        {
            let facts = FileFacts { imports: (0..count).map(|_| import()).collect(), ..FileFacts::default() };
            let tree = SourceTree::new([TreeFile { path: "a.rs", facts: Some(&facts), ..TreeFile::default() }]);
            assert_eq!(tree.imports(tree.find("a.rs").unwrap()).len(), expected);
        }
    }
}
