//! The files of a tree as patches see them: their bytes and executable bits, without the folders of git and Assize.
//!
//! The author of a tree chose its contents. So links are never followed, and something that no patch can express is an
//! error and never skipped. Trees can be large, so files are read one at a time. This module must not know what the
//! trees are for.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use assize_patch::{FileContent, Patch, between};
use ignore::WalkBuilder;

use crate::patch::FILE_BYTES_MAX;
use crate::regular_file;
use crate::work_copy::leads_through_a_link;

/// What is at a path of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TreeEntry {
    File,
    /// A link and its target.
    Link(PathBuf),
    /// A pipe, a socket, a device, or anything whose name is not text.
    Unsayable,
}

/// Lists everything below a folder; `walk` says what is skipped.
fn things(folder: &Path, walk: &mut WalkBuilder) -> io::Result<BTreeMap<String, TreeEntry>> {
    walk.hidden(false).follow_links(false);
    walk.filter_entry(|entry| entry.depth() != 1 || !matches!(entry.file_name().to_str(), Some(".git" | ".assize")));
    let mut found = BTreeMap::new();
    for entry in walk.build() {
        let entry = entry.map_err(io::Error::other)?;
        let Some(kind) = entry.file_type().filter(|kind| !kind.is_dir()) else { continue };
        let Ok(path) = entry.path().strip_prefix(folder) else { continue };
        let thing = match path.to_str() {
            Some(_) if kind.is_file() => TreeEntry::File,
            Some(_) if kind.is_symlink() => TreeEntry::Link(std::fs::read_link(entry.path())?),
            _ => TreeEntry::Unsayable,
        };
        found.insert(path.to_string_lossy().into_owned(), thing);
    }
    Ok(found)
}

/// Reads a file. Returns `None` if there is none, if something else or a link is at its path, or if it is larger than
/// a patch may make it.
///
/// # Errors
///
/// Fails if it cannot be read.
pub fn file(folder: &Path, path: &str) -> io::Result<Option<FileContent>> {
    if leads_through_a_link(folder, path) {
        return Ok(None);
    }
    let full = folder.join(path);
    let meta = match std::fs::symlink_metadata(&full) {
        Ok(meta) if meta.is_file() && meta.len() <= FILE_BYTES_MAX => meta,
        Ok(_) => return Ok(None),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let bytes = regular_file::read(&full, FILE_BYTES_MAX)?;
    Ok(Some(FileContent { bytes, executable: meta.permissions().mode() & 0o100 != 0 }))
}

/// Returns the patch from one tree to an edited version of it. Ignored files do not count, unless they existed before.
///
/// # Errors
///
/// Fails if a tree cannot be read, and if no patch can express the edit: a link, or a file that is too large.
pub fn difference(before: &Path, after: &Path) -> io::Result<Patch> {
    if std::fs::symlink_metadata(after)?.is_symlink() {
        return Err(unsayable(".", "was replaced by a link"));
    }
    let old = things(before, WalkBuilder::new(before).standard_filters(false))?;
    let all = things(after, WalkBuilder::new(after).standard_filters(false))?;
    let mut listed = WalkBuilder::new(after);
    listed.require_git(false).parents(false).git_global(false).git_exclude(false).ignore(false);
    let new: BTreeSet<String> = things(after, &mut listed)?.into_keys().collect();
    let paths: BTreeSet<&String> = old.keys().chain(all.keys().filter(|path| new.contains(*path))).collect();
    let mut ops = Vec::new();
    for path in paths {
        match (old.get(path), all.get(path)) {
            (Some(TreeEntry::Link(one)), Some(TreeEntry::Link(other))) if one == other => {}
            (Some(TreeEntry::Unsayable), Some(TreeEntry::Unsayable)) => {}
            (Some(TreeEntry::Unsayable), _) | (_, Some(TreeEntry::Unsayable)) => {
                return Err(unsayable(path, "is no file, or its name is no text: no patch makes or takes it away"));
            }
            (Some(TreeEntry::Link(_)), _) | (_, Some(TreeEntry::Link(_))) => {
                return Err(unsayable(path, "is a link, which no patch makes, changes or takes away"));
            }
            (Some(TreeEntry::File), Some(TreeEntry::File)) if is_same(&before.join(path), &after.join(path))? => {}
            (was, is) => {
                let read = |folder: &Path, thing: Option<&TreeEntry>| match thing {
                    None => Ok(None),
                    Some(_) => file(folder, path)?.map(Some).ok_or_else(|| unsayable(path, "is too large for a patch")),
                };
                ops.extend(between(path, read(before, was)?.as_ref(), read(after, is)?.as_ref()));
            }
        }
    }
    Ok(Patch { ops })
}

fn unsayable(path: &str, what: &str) -> io::Error {
    io::Error::other(format!("{path} {what}"))
}

fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    let (a, b) = (std::fs::symlink_metadata(one)?, std::fs::symlink_metadata(other)?);
    let executable = |meta: &std::fs::Metadata| meta.permissions().mode() & 0o100 != 0;
    Ok(a.len() == b.len() && executable(&a) == executable(&b) && hash_of(one)? == hash_of(other)?)
}

fn hash_of(path: &Path) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(regular_file::open(path)?)?;
    Ok(hasher.finalize())
}

/// Returns the identity of a tree with these paths: files with their bytes, and links with their targets. `content`
/// selects the part of a file that counts.
///
/// # Errors
///
/// Fails if something cannot be read.
pub fn id(folder: &Path, paths: &BTreeSet<String>, content: &dyn Fn(&str, Vec<u8>) -> Vec<u8>) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    for path in paths {
        let full = folder.join(path);
        let Ok(meta) = std::fs::symlink_metadata(&full) else { continue };
        if meta.is_symlink() {
            let target = std::fs::read_link(&full)?;
            hash_part(&mut hasher, path, 3, blake3::hash(target.as_os_str().as_encoded_bytes()));
        } else if meta.is_file() && meta.len() > FILE_BYTES_MAX {
            hash_part(&mut hasher, path, 4, hash_of(&full)?);
        } else if let Some(file) = file(folder, path)? {
            hash_part(&mut hasher, path, 1 + u8::from(file.executable), blake3::hash(&content(path, file.bytes)));
        }
    }
    Ok(short(&hasher))
}

/// Adds the identity of a file to a hash; `None` stands for a removed file.
pub fn hash_file(hasher: &mut blake3::Hasher, path: &str, file: Option<&FileContent>) {
    match file {
        Some(file) => hash_part(hasher, path, 1 + u8::from(file.executable), blake3::hash(&file.bytes)),
        None => hash_part(hasher, path, 0, blake3::hash(b"")),
    }
}

fn hash_part(hasher: &mut blake3::Hasher, path: &str, kind: u8, content: blake3::Hash) {
    hasher.update(&(path.len() as u64).to_le_bytes());
    hasher.update(path.as_bytes());
    hasher.update(&[kind]);
    hasher.update(content.as_bytes());
}

/// Returns a hash as 32 hexadecimal digits.
pub fn short(hasher: &blake3::Hasher) -> String {
    hasher.finalize().to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    use rustix::fs::{FileType, Mode};

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

    /// The paths of the operations from one tree to another, or why there are none.
    fn differences(before: &Path, after: &Path) -> Result<Vec<String>, String> {
        let patch = difference(before, after).map_err(|error| error.to_string())?;
        Ok(patch.ops.iter().map(|op| op.path().to_owned()).collect())
    }

    #[test]
    fn a_difference_names_what_comes_goes_and_changes() {
        let before = tree(&[("a", "1\n"), ("b", "2\n"), ("c/d", "3\n"), (".gitignore", "built\n")]);
        let after = tree(&[("a", "1\n"), ("b", "4\n"), ("e", "5\n"), (".gitignore", "built\n"), ("built/x", "6\n")]);
        fs::create_dir_all(after.path().join(".git")).expect("made");
        fs::write(after.path().join(".git/config"), "x").expect("written");
        assert_eq!(differences(before.path(), after.path()), Ok(vec!["b".into(), "c/d".into(), "e".into()]));
        assert_eq!(differences(after.path(), after.path()), Ok(Vec::new()));
        // Existing files count, even if they are ignored now.
        let hidden = tree(&[("a", "9\n"), ("b", "2\n"), ("c/d", "3\n"), (".gitignore", "built\na\n")]);
        assert_eq!(differences(before.path(), hidden.path()), Ok(vec![".gitignore".into(), "a".into()]));
        // A file can replace a folder, and a folder a file.
        let swapped = tree(&[("a", "1\n"), ("b", "2\n"), ("c", "now a file\n"), (".gitignore", "built\n")]);
        assert_eq!(differences(before.path(), swapped.path()), Ok(vec!["c".into(), "c/d".into()]));
        assert_eq!(differences(swapped.path(), before.path()), Ok(vec!["c".into(), "c/d".into()]));
    }

    #[test]
    fn what_no_patch_can_say_is_an_error_and_no_removal() {
        let before = tree(&[("src/a", "1\n"), ("b", "2\n")]);
        let moved = tree(&[("lib/a", "1\n"), ("b", "2\n")]);
        symlink("lib", moved.path().join("src")).expect("a link");
        let outside = tree(&[("src/a", "1\n")]);
        symlink("/etc/hostname", outside.path().join("b")).expect("a link");
        let large = tree(&[("src/a", "1\n"), ("b", "2\n")]);
        fs::File::options()
            .write(true)
            .open(large.path().join("b"))
            .and_then(|it| it.set_len(FILE_BYTES_MAX + 1))
            .expect("sized");
        for (after, words) in [(&moved, "src is a link"), (&outside, "b is a link"), (&large, "b is too large")] {
            let told = differences(before.path(), after.path()).expect_err("refused");
            assert!(told.contains(words), "{told}");
        }
        let renamed = tree(&[("src/a", "1\n")]);
        fs::write(renamed.path().join(std::ffi::OsStr::from_bytes(b"b\xff")), "2\n").expect("written");
        let piped = tree(&[("src/a", "1\n")]);
        rustix::fs::mknodat(rustix::fs::CWD, piped.path().join("b"), FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
        for after in [&renamed, &piped] {
            let told = differences(before.path(), after.path()).expect_err("refused");
            assert!(told.contains("no patch makes or takes it away"), "{told}");
            assert_eq!(self::differences(after.path(), after.path()), Ok(Vec::new()), "what stays may be what it is");
        }
        assert_eq!(file(moved.path(), "src/a").expect("looked at"), None, "nothing is read through a link");
        assert_eq!(differences(large.path(), large.path()), Ok(Vec::new()), "what stays may be as large as it is");
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
    fn links_modes_and_bytes_distinguish_trees() {
        let paths = BTreeSet::from(["a".to_owned(), "link".to_owned()]);
        let id_of = |text: &str, target: &str, mode: u32| {
            let folder = tree(&[("a", text)]);
            fs::set_permissions(folder.path().join("a"), fs::Permissions::from_mode(mode)).expect("a mode");
            symlink(target, folder.path().join("link")).expect("a link");
            id(folder.path(), &paths, &|_, bytes| bytes).expect("an id")
        };
        let one = id_of("1", "a", 0o644);
        assert_eq!(one, id_of("1", "a", 0o644));
        for other in [id_of("2", "a", 0o644), id_of("1", "b", 0o644), id_of("1", "a", 0o755)] {
            assert_ne!(one, other);
        }
    }
}
