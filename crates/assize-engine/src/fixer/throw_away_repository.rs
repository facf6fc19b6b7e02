//! A git repository in the copy that a fixer works in: coding agents look at what they changed, and commit it.
//!
//! It has one commit, the tree as it was given. It is removed before anything is compared, so that what is committed in it
//! counts like any other edit. Without git there is none.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::sandbox::remove;
use crate::search_path::SearchPath;

/// Who commits in it, unless the fixer says otherwise.
const SETTINGS: [(&str, &str); 4] = [
    ("user.name", "assize"),
    ("user.email", "assize@localhost"),
    ("commit.gpgsign", "false"),
    ("core.hooksPath", "/dev/null"),
];

/// A repository that lasts as long as this value.
pub(super) struct ThrowAwayRepository {
    folder: PathBuf,
}

impl ThrowAwayRepository {
    /// Makes it in a tree that has none.
    pub(super) fn make(tree: &Path) -> Option<Self> {
        let folder = tree.join(".git");
        if folder.symlink_metadata().is_ok() {
            return None;
        }
        let program = SearchPath::of_process(tree).find("git")?;
        let git = |arguments: &[&str]| {
            let mut git = Command::new(&program);
            git.args(arguments).current_dir(tree).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
                git.env_remove(name);
            }
            git.status().is_ok_and(|status| status.success())
        };
        let made = Self { folder };
        let is_made = git(&["init", "--quiet", "--template="])
            && SETTINGS.iter().all(|(name, value)| git(&["config", name, value]))
            && git(&["add", "--all"])
            && git(&["commit", "--quiet", "--allow-empty", "--message", "as it was given"]);
        is_made.then_some(made)
    }
}

impl Drop for ThrowAwayRepository {
    fn drop(&mut self) {
        let _ = remove(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn it_has_the_tree_as_it_was_and_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a.txt"), "old\n").expect("written");
        let made = ThrowAwayRepository::make(folder.path()).expect("git is there");
        fs::write(folder.path().join("a.txt"), "new\n").expect("written");
        let shown = Command::new("git").args(["diff", "HEAD"]).current_dir(folder.path()).output().expect("git runs");
        assert!(String::from_utf8_lossy(&shown.stdout).contains("-old\n+new\n"));
        assert!(ThrowAwayRepository::make(folder.path()).is_none(), "there is one");
        drop(made);
        let left: Vec<_> = fs::read_dir(folder.path()).expect("readable").flatten().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        assert_eq!(fs::read_to_string(folder.path().join("a.txt")).expect("there"), "new\n");
    }
}
