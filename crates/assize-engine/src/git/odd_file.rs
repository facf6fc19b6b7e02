//! Finds files that would block git.
//!
//! git opens ignore lists, attributes, references and objects at fixed paths. A pipe there blocks git forever, and a
//! device may never end. The search only runs when git takes long, because a walk through the whole tree would slow
//! down every stop of an agent.

use std::fs;
use std::path::{Path, PathBuf};

/// Files that git reads in every folder of a work tree.
const READ_ON_THE_WAY: [&str; 2] = [".gitignore", ".gitattributes"];
/// The largest ignore list that is read, in bytes.
pub(super) const IGNORE_LIST_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// The most folder entries that are searched.
pub(super) const ENTRIES_MAX: usize = 2_000_000;

/// Returns a file of the work tree that git reads and that is not a regular file.
pub(crate) fn in_work_tree(root: &Path) -> Option<PathBuf> {
    let read = |path: &Path| path.file_name().is_some_and(|name| READ_ON_THE_WAY.iter().any(|read| name == *read));
    find(root, ENTRIES_MAX, &|path| read(path) && is_odd(path))
}

/// Returns a file of a git folder that is not a regular file.
pub(super) fn in_git_folder(folder: &Path) -> Option<PathBuf> {
    find(folder, ENTRIES_MAX, &is_odd)
}

/// Returns the ignore list of a folder if reading it could block or never end.
pub(crate) fn ignore_list(folder: &Path) -> Option<PathBuf> {
    let lists = [folder.join(".gitignore"), folder.join(".git/info/exclude")];
    lists.into_iter().find(|path| {
        let large = || fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() > IGNORE_LIST_BYTES_MAX);
        is_odd(path) || large()
    })
}

/// Returns whether opening or reading a path may block. Links are followed, as git does in its own folder.
fn is_odd(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

/// Searches everything below a folder except folders. Does not follow links or enter a nested `.git`.
fn find(top: &Path, mut entries_max: usize, wanted: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            entries_max = entries_max.checked_sub(1)?;
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && entry.file_name() != ".git" {
                folders.push(entry.path());
            } else if !is_folder && wanted(&entry.path()) {
                return Some(entry.path());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    fn tree() -> tempfile::TempDir {
        let tree = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(tree.path().join("a/b")).expect("made");
        fs::create_dir_all(tree.path().join(".git")).expect("made");
        fs::write(tree.path().join("a/.gitignore"), "x\n").expect("written");
        fs::create_dir(tree.path().join("a/.gitattributes")).expect("made");
        tree
    }

    fn pipe(path: &Path) {
        assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
    }

    #[test]
    fn pipes_devices_and_sockets_are_found_where_git_reads() {
        let none = tree();
        for other in ["a/pipe", ".git/pipe"] {
            pipe(&none.path().join(other));
        }
        assert_eq!(in_work_tree(none.path()), None, "git opens none of these");
        assert_eq!(in_git_folder(&none.path().join(".git")), Some(none.path().join(".git/pipe")));

        type OddFileMaker = fn(&Path);
        let makers: [(&str, OddFileMaker); 4] = [
            (".gitattributes", pipe),
            ("a/b/.gitignore", |path| symlink("/dev/zero", path).expect("a link")),
            ("a/b/.gitattributes", |path| symlink("../pipe", path).expect("a link")),
            (".gitignore", |path| drop(UnixListener::bind(path).expect("a socket"))),
        ];
        for (path, make) in makers {
            let tree = tree();
            pipe(&tree.path().join("a/pipe"));
            make(&tree.path().join(path));
            assert_eq!(in_work_tree(tree.path()), Some(tree.path().join(path)));
        }
    }

    #[test]
    fn lists_of_ignored_files_are_plain_and_not_too_large() {
        let tree = tempfile::tempdir().expect("a temporary folder");
        let list = tree.path().join(".gitignore");
        assert_eq!(ignore_list(tree.path()), None, "there is none");
        let file = fs::File::create(&list).expect("made");
        file.set_len(IGNORE_LIST_BYTES_MAX).expect("grown");
        assert_eq!(ignore_list(tree.path()), None, "at the limit");
        file.set_len(IGNORE_LIST_BYTES_MAX + 1).expect("grown");
        assert_eq!(ignore_list(tree.path()), Some(list.clone()), "one past it");
        fs::remove_file(&list).expect("removed");
        symlink("/dev/zero", &list).expect("a link");
        assert_eq!(ignore_list(tree.path()), Some(list.clone()));
        fs::remove_file(&list).expect("removed");
        fs::create_dir_all(tree.path().join(".git/info")).expect("made");
        pipe(&tree.path().join(".git/info/exclude"));
        assert_eq!(ignore_list(tree.path()), Some(tree.path().join(".git/info/exclude")));
    }

    #[test]
    fn the_search_ends() {
        let tree = tempfile::tempdir().expect("a temporary folder");
        pipe(&tree.path().join(".gitignore"));
        assert!(find(tree.path(), 1, &is_odd).is_some(), "at the limit");
        assert!(find(tree.path(), 0, &is_odd).is_none(), "one past it");
    }
}
