//! The files of a tree as patches see them: their bytes and whether they can be executed; no links, nothing of git or of ours.
//!
//! Trees can be large: files are read one at a time. This module must not know what the trees are for.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use assize_core::patch::{File, Patch, between};

use crate::patch::FILE_BYTES_MAX;
use crate::regular_file;

/// Lists the files below a folder that a patch can speak of.
///
/// # Errors
///
/// Fails when a folder cannot be read.
pub fn paths(folder: &Path) -> io::Result<BTreeSet<String>> {
    let mut walk = ignore::WalkBuilder::new(folder);
    walk.standard_filters(false).follow_links(false);
    walk.filter_entry(|entry| entry.depth() != 1 || !matches!(entry.file_name().to_str(), Some(".git" | ".assize")));
    let mut paths = BTreeSet::new();
    for entry in walk.build() {
        let entry = entry.map_err(io::Error::other)?;
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let relative = entry.path().strip_prefix(folder).ok().and_then(Path::to_str);
        paths.extend(relative.filter(|_| is_file).map(str::to_owned));
    }
    Ok(paths)
}

/// Reads a file; `None` where there is none, where something else lies in its place, or where it is larger than a patch may
/// make it.
///
/// # Errors
///
/// Fails when it cannot be read.
pub fn file(folder: &Path, path: &str) -> io::Result<Option<File>> {
    let full = folder.join(path);
    let meta = match std::fs::symlink_metadata(&full) {
        Ok(meta) if meta.is_file() && meta.len() <= FILE_BYTES_MAX => meta,
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let bytes = regular_file::read(&full, FILE_BYTES_MAX)?;
    Ok(Some(File { bytes, executable: meta.permissions().mode() & 0o100 != 0 }))
}

/// Returns the patch that leads from one tree to another.
///
/// # Errors
///
/// Fails when one of them cannot be read.
pub fn difference(before: &Path, after: &Path) -> io::Result<Patch> {
    let mut ops = Vec::new();
    for path in paths(before)?.union(&paths(after)?) {
        ops.extend(between(path, file(before, path)?.as_ref(), file(after, path)?.as_ref()));
    }
    Ok(Patch { ops })
}

/// Feeds what tells a file from any other to a hash.
pub fn hash_file(hasher: &mut blake3::Hasher, path: &str, file: Option<&File>) {
    hasher.update(&(path.len() as u64).to_le_bytes());
    hasher.update(path.as_bytes());
    match file {
        Some(file) => {
            hasher.update(&[1 + u8::from(file.executable)]);
            hasher.update(blake3::hash(&file.bytes).as_bytes());
        }
        None => {
            hasher.update(&[0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (path, text) in files {
            let full = folder.path().join(path);
            fs::create_dir_all(full.parent().expect("a folder")).expect("made");
            fs::write(full, text).expect("written");
        }
        folder
    }

    #[test]
    fn links_and_what_is_not_the_projects_are_passed_over() {
        let folder =
            tree(&[("a", "1"), ("b/.git/c", "2"), (".git/config", "3"), (".assize/ledger.db", "4"), (".hidden", "5")]);
        symlink("/etc/hostname", folder.path().join("link")).expect("a link");
        symlink("/etc", folder.path().join("folder")).expect("a link");
        let found = paths(folder.path()).expect("read");
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), [".hidden", "a", "b/.git/c"]);
        assert_eq!(file(folder.path(), "link").expect("passed over"), None);
        assert_eq!(file(folder.path(), "gone").expect("passed over"), None);
        assert_eq!(file(folder.path(), "a").expect("read"), Some(File::plain(&b"1"[..])));
    }

    #[test]
    fn a_file_is_read_up_to_what_a_patch_may_make_of_it() {
        let folder = tree(&[("a", "")]);
        for (bytes, is_read) in [(FILE_BYTES_MAX, true), (FILE_BYTES_MAX + 1, false)] {
            fs::File::options()
                .write(true)
                .open(folder.path().join("a"))
                .and_then(|it| it.set_len(bytes))
                .expect("sized");
            assert_eq!(file(folder.path(), "a").expect("looked at").is_some(), is_read, "{bytes}");
        }
    }

    #[test]
    fn a_difference_names_what_comes_goes_and_changes() {
        let (before, after) =
            (tree(&[("a", "1\n"), ("b", "2\n"), ("c", "3\n")]), tree(&[("a", "1\n"), ("b", "4\n"), ("d", "5\n")]));
        let patch = difference(before.path(), after.path()).expect("read");
        let paths: Vec<&str> = patch.ops.iter().map(assize_core::patch::Op::path).collect();
        assert_eq!(paths, ["b", "c", "d"]);
        assert!(difference(after.path(), after.path()).expect("read").ops.is_empty());
    }
}
