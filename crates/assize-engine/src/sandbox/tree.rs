//! Folders written by hostile programs: reads, measures and removes them safely.
//!
//! Links are never followed, pipes never block, and no depth, name or mode of a folder prevents its removal. Reading
//! and removing are for after a run, when nothing changes any more; measuring is also safe during one.

use std::collections::HashSet;
use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, chmodat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

/// The deepest folder that is measured.
const DEPTH_MAX: usize = 128;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens a folder below another one, without following links.
pub(super) fn descend(root: &Path, below: &Path) -> io::Result<OwnedFd> {
    let mut at = openat(CWD, root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    for part in below.components() {
        at = match part {
            Component::CurDir => continue,
            Component::Normal(name) => enter(&at, name)?,
            _ => return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path leaves its folder")),
        };
    }
    Ok(at)
}

/// Opens a folder in a folder, but not a link.
pub(super) fn enter(folder: &OwnedFd, name: impl rustix::path::Arg) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(folder, name, flags, Mode::empty()).map_err(|error| match error {
        Errno::LOOP | Errno::NOTDIR => io::Error::other("a link or a file stands in the way"),
        error => error.into(),
    })
}

/// Reads a file that a job has written, such as a report: a regular file below `folder`, with only one name. No link
/// is followed, and nothing blocks.
///
/// # Errors
///
/// Fails if there is no such file, if it is something else, and if it is larger than `bytes_max`.
pub fn read_written(folder: &Path, below: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let name =
        below.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let parent = descend(folder, below.parent().unwrap_or(Path::new("")))?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(&parent, name, flags, Mode::empty()).map_err(|error| match error {
        Errno::LOOP => io::Error::other("it is a link"),
        error => error.into(),
    })?;
    let stat = rustix::fs::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::Error::other("it is not a regular file"));
    }
    if stat.st_nlink != 1 {
        return Err(io::Error::other("it has more than one name"));
    }
    let mut bytes = Vec::new();
    File::from(file).take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > bytes_max) {
        return Err(io::Error::other(format!("it is larger than {bytes_max} bytes")));
    }
    Ok(bytes)
}

/// The disk usage of a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DiskUsage {
    /// Bytes, with one block for each folder and empty file.
    pub(super) bytes: u64,
    /// Whether there are folders too deep to be measured.
    pub(super) deep: bool,
}

/// Measures a folder. Stops above `bytes_max`.
pub(super) fn measure(folder: &Path, bytes_max: u64) -> DiskUsage {
    let mut usage = DiskUsage::default();
    let mut linked = HashSet::new();
    let mut open: Vec<Dir> = Vec::new();
    open.extend(openat(CWD, folder, FOLDER, Mode::empty()).and_then(Dir::new));
    loop {
        let depth = open.len();
        let Some(top) = open.last_mut() else { return usage };
        let Some(Ok(entry)) = top.read() else {
            open.pop();
            continue;
        };
        if matches!(entry.file_name().to_bytes(), b"." | b"..") {
            continue;
        }
        let Ok(folder) = top.fd() else { continue };
        let Ok(stat) = statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) else { continue };
        if stat.st_nlink > 1 && !linked.insert((stat.st_dev, stat.st_ino)) {
            continue;
        }
        usage.bytes += u64::try_from(stat.st_blocks).unwrap_or(0).saturating_mul(512).max(4096);
        if usage.bytes > bytes_max {
            return usage;
        }
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            if depth == DEPTH_MAX {
                usage.deep = true;
            } else if let Ok(below) = openat(folder, entry.file_name(), FOLDER, Mode::empty()).and_then(Dir::new) {
                open.push(below);
            }
        }
    }
}

/// Removes a folder with all its contents, however deep they are and whatever their modes are.
///
/// Folders are moved to the top before they are emptied, so that neither the length of a path nor the number of open
/// files is a limit.
///
/// # Errors
///
/// Fails if something cannot be removed.
pub fn remove(folder: &Path) -> io::Result<()> {
    if !folder.symlink_metadata()?.is_dir() {
        return std::fs::remove_file(folder);
    }
    chmodat(CWD, folder, Mode::RWXU, AtFlags::empty())?;
    let top = openat(CWD, folder, FOLDER, Mode::empty())?;
    let mut lifted = 0_u64;
    let mut waiting = empty(&top, &top, &mut lifted)?;
    while let Some(name) = waiting.pop() {
        let below = openat(&top, &name, FOLDER, Mode::empty())?;
        waiting.extend(empty(&below, &top, &mut lifted)?);
        unlinkat(&top, &name, AtFlags::REMOVEDIR)?;
    }
    Ok(rustix::fs::rmdir(folder)?)
}

/// Removes the files of a folder and moves its folders to the top. Returns their names there.
fn empty(folder: &OwnedFd, top: &OwnedFd, lifted: &mut u64) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    let mut listing = Dir::read_from(folder)?;
    while let Some(entry) = listing.read() {
        let entry = entry?;
        if matches!(entry.file_name().to_bytes(), b"." | b"..") {
            continue;
        }
        names.push(entry.file_name().to_owned());
    }
    let mut folders = Vec::new();
    for name in names {
        let stat = statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
            unlinkat(folder, &name, AtFlags::empty())?;
            continue;
        }
        // A folder must be writable to be moved, because its `..` entry changes.
        chmodat(folder, &name, Mode::RWXU, AtFlags::empty())?;
        folders.push(lift(folder.as_fd(), &name, top, lifted)?);
    }
    Ok(folders)
}

fn lift(from: impl AsFd, name: &CString, top: &OwnedFd, lifted: &mut u64) -> io::Result<CString> {
    loop {
        *lifted += 1;
        let new = CString::new(format!(".assize-removed-{lifted}"))?;
        match renameat(&from, name, top, &new) {
            Ok(()) => return Ok(new),
            // The name is taken by something that will be removed as well.
            Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR | Errno::ISDIR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::process::Command;

    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    fn make_deep(root: &Path, depth: usize) {
        let mut at = openat(CWD, root, FOLDER, Mode::empty()).expect("open");
        for _ in 0..depth {
            rustix::fs::mkdirat(&at, "a_name_of_some_length", Mode::RWXU).expect("a folder");
            at = openat(&at, "a_name_of_some_length", FOLDER, Mode::empty()).expect("open");
        }
    }

    #[test]
    fn only_a_plain_file_below_its_folder_is_read() {
        let folder = folder();
        let root = folder.path().join("reports");
        fs::create_dir_all(root.join("deep")).expect("a folder");
        fs::write(folder.path().join("secret"), "secret").expect("a file");
        fs::write(root.join("deep/report.xml"), "1234567890").expect("a file");
        fs::hard_link(folder.path().join("secret"), root.join("hard")).expect("a link");
        symlink("../secret", root.join("link")).expect("a link");
        symlink("..", root.join("up")).expect("a link");
        symlink("deep", root.join("side")).expect("a link");
        assert!(Command::new("mkfifo").arg(root.join("fifo")).status().expect("mkfifo").success());
        let read = |name: &str, max| read_written(&root, Path::new(name), max);
        assert_eq!(read("deep/report.xml", 10).expect("at the limit"), b"1234567890");
        assert_eq!(read("./deep/report.xml", 10).expect("read").len(), 10);
        assert!(read("deep/report.xml", 9).is_err(), "one past the limit");
        for name in ["hard", "link", "up/secret", "side/report.xml", "fifo", "deep", "../secret", "missing", ""] {
            assert!(read(name, 100).is_err(), "{name}");
        }
        assert!(read_written(&root, &folder.path().join("secret"), 100).is_err(), "an absolute path");
    }

    #[test]
    fn a_folder_is_measured_without_following_links() {
        let folder = folder();
        let root = folder.path().join("work");
        fs::create_dir(&root).expect("a folder");
        fs::write(folder.path().join("big"), vec![1; 1 << 20]).expect("a file");
        symlink("../big", root.join("link")).expect("a link");
        symlink("..", root.join("up")).expect("a link");
        assert!(measure(&root, u64::MAX).bytes <= 3 * 4096);
        fs::write(root.join("a"), vec![1; 1 << 20]).expect("a file");
        fs::hard_link(root.join("a"), root.join("b")).expect("a link");
        let bytes = measure(&root, u64::MAX).bytes;
        assert!((1 << 20..(1 << 20) + (1 << 16)).contains(&bytes), "counted once: {bytes}");
        File::create(root.join("sparse")).and_then(|file| file.set_len(1 << 30)).expect("a file");
        assert!(measure(&root, u64::MAX).bytes < 1 << 21, "holes take no room");
        assert!(measure(&root, 1 << 19).bytes > 1 << 19, "it stops beyond the limit");
    }

    #[test]
    fn a_deep_folder_is_measured_to_its_limit_and_removed() {
        for (depth, deep) in [(DEPTH_MAX - 1, false), (DEPTH_MAX, true)] {
            let folder = folder();
            make_deep(folder.path(), depth);
            assert_eq!(measure(folder.path(), u64::MAX).deep, deep, "{depth}");
        }
        let folder = folder();
        let root = folder.path().join("root");
        fs::create_dir(&root).expect("a folder");
        make_deep(&root, 5_000);
        remove(&root).expect("removed");
        assert!(!root.exists());
    }

    #[test]
    fn nothing_that_a_folder_holds_stops_its_removal() {
        let folder = folder();
        let root = folder.path().join("root");
        let kept = folder.path().join("kept");
        fs::create_dir_all(root.join("closed/inner")).expect("a folder");
        fs::create_dir(&kept).expect("a folder");
        fs::write(kept.join("file"), "kept").expect("a file");
        symlink(&kept, root.join("link")).expect("a link");
        symlink("/no/such/place", root.join("closed/inner/broken")).expect("a link");
        fs::write(root.join(".assize-removed-1"), "in the way").expect("a file");
        fs::create_dir_all(root.join(".assize-removed-2/x")).expect("a folder");
        for path in ["closed/inner", "closed", ""] {
            fs::set_permissions(root.join(path), fs::Permissions::from_mode(0o000)).expect("a mode");
        }
        remove(&root).expect("removed");
        assert!(!root.exists());
        assert_eq!(fs::read_to_string(kept.join("file")).expect("there"), "kept");
    }
}
