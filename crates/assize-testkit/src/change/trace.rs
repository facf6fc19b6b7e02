//! What a program leaves behind: in a tree that it should only read, and anywhere that it should not have written to.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// What lies below a folder, in words that change when it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderSnapshot(BTreeMap<PathBuf, String>);

impl FolderSnapshot {
    /// Looks at everything below a folder but what lies at `except`. No link is followed and nothing but files is opened.
    pub fn of(top: &Path, except: &[PathBuf]) -> Self {
        let mut seen = BTreeMap::new();
        each(top, &mut |path| {
            if except.iter().any(|left_out| path.starts_with(left_out)) {
                return;
            }
            let Ok(meta) = fs::symlink_metadata(path) else { return };
            let times = format!("{:o} {}.{}", meta.mode(), meta.mtime(), meta.mtime_nsec());
            let words = if meta.is_symlink() {
                format!("link to {:?}", fs::read_link(path))
            } else if meta.is_dir() {
                // Its time changes with every file in it, also with one that is left out.
                format!("folder {:o}", meta.mode())
            } else {
                format!("{times} {} bytes, {} links", meta.len(), meta.nlink())
            };
            seen.insert(path.to_owned(), words);
        });
        Self(seen)
    }

    /// Names what is different now.
    pub fn changes(&self, now: &Self) -> Vec<String> {
        let gone =
            self.0.keys().filter(|path| !now.0.contains_key(*path)).map(|path| format!("{} is gone", path.display()));
        let other = now.0.iter().filter_map(|(path, words)| match self.0.get(path) {
            None => Some(format!("{} is new", path.display())),
            Some(before) if before != words => Some(format!("{} was {before} and is {words}", path.display())),
            Some(_) => None,
        });
        gone.chain(other).collect()
    }
}

/// Names the files below a folder in which a text stands.
pub fn holding(text: &str, top: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    each(top, &mut |path| {
        let is_file = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file());
        if is_file && fs::read(path).is_ok_and(|bytes| contains(&bytes, text)) {
            found.push(path.to_owned());
        }
    });
    found
}

/// Returns whether a text stands among bytes.
pub fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn each(folder: &Path, visit: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        visit(&entry.path());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            each(&entry.path(), visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_change_is_seen() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("a/ours")).expect("made");
        for path in ["a/same", "a/gone", "a/other", "a/ours/left-out"] {
            fs::write(at(path), "one").expect("written");
        }
        let look = || FolderSnapshot::of(folder.path(), &[at("a/ours")]);
        let before = look();
        assert_eq!(before.changes(&look()), Vec::<String>::new());
        fs::write(at("a/ours/new"), "two").expect("written");
        assert_eq!(before.changes(&look()), Vec::<String>::new());
        fs::remove_file(at("a/gone")).expect("removed");
        fs::write(at("a/other"), "three").expect("written");
        fs::create_dir(at("b")).expect("made");
        let changes = before.changes(&look()).join("\n");
        for (path, word) in [("a/gone", "gone"), ("a/other", "was"), ("b", "new")] {
            assert!(changes.lines().any(|line| line.contains(path) && line.contains(word)), "{path}: {changes}");
        }
        assert_eq!(changes.lines().count(), 3, "{changes}");
    }

    #[test]
    fn a_text_is_found_wherever_it_stands() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("a")).expect("made");
        fs::write(folder.path().join("a/b"), b"\xff\0secret\0").expect("written");
        fs::write(folder.path().join("c"), "secre t").expect("written");
        std::os::unix::fs::symlink("a/b", folder.path().join("link")).expect("a link");
        assert_eq!(holding("secret", folder.path()), [folder.path().join("a/b")]);
    }
}
