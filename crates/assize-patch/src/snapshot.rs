//! The files at the paths that a patch names, as they were read from a tree.
//!
//! Planning needs no more than this. This module does not know which code read the files, or from
//! where. The plan names the hash of every file that it was made for. With the hashes, the code that
//! applies the plan can see that no file has changed since.

use std::collections::{BTreeMap, BTreeSet};

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileContent {
    /// What stands in it.
    pub bytes: Vec<u8>,
    /// Whether it can be executed.
    pub executable: bool,
}

impl FileContent {
    /// Returns a file with this content that is not executable.
    pub fn plain(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), executable: false }
    }

    /// Returns what tells this content from any other, in hexadecimal digits: BLAKE3 over it.
    pub fn hash(&self) -> String {
        blake3::hash(&self.bytes).to_hex().to_string()
    }
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PathState {
    /// Nothing.
    #[default]
    Absent,
    /// A file with one name.
    File(FileContent),
    /// A folder.
    Folder,
    /// Something that no patch touches: a link, a file with several names, a device. Says what it is.
    Foreign(&'static str),
}

/// What was read from a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    entries: BTreeMap<String, PathState>,
    names: BTreeMap<String, BTreeSet<String>>,
}

impl Snapshot {
    /// Takes up what stands at a path.
    pub fn put(&mut self, path: impl Into<String>, entry: PathState) {
        self.entries.insert(path.into(), entry);
    }

    /// Takes up the names that a folder holds; the root is the empty path.
    pub fn put_names(&mut self, folder: impl Into<String>, names: impl IntoIterator<Item = String>) {
        self.names.entry(folder.into()).or_default().extend(names);
    }

    /// Returns what stands at a path: nothing, if it was not read.
    pub fn entry(&self, path: &str) -> &PathState {
        self.entries.get(path).unwrap_or(&PathState::Absent)
    }

    /// Returns the names in a folder.
    pub fn names(&self, folder: &str) -> impl Iterator<Item = &str> {
        self.names.get(folder).into_iter().flatten().map(String::as_str)
    }

    /// Returns every path that was read, with what stands there.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &PathState)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// Returns a tree of which these files are all there is. For tests, and for trees that stand nowhere.
    pub fn of_files(files: impl IntoIterator<Item = (String, FileContent)>) -> Self {
        let mut snapshot = Self::default();
        for (path, file) in files {
            let mut rest = path.as_str();
            loop {
                let (folder, name) = rest.rsplit_once('/').unwrap_or(("", rest));
                snapshot.put_names(folder, [name.to_owned()]);
                if folder.is_empty() {
                    break;
                }
                snapshot.put(folder, PathState::Folder);
                rest = folder;
            }
            snapshot.put(path, PathState::File(file));
        }
        snapshot
    }
}
