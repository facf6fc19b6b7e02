//! The folder in which a tree keeps what Assize knows of it: opened without following links, and locked.
//!
//! Whoever made the tree may have put a link in its place, and may do so at any moment. What was opened here is
//! used from then on; its path is for messages alone.

use std::fs::{File, TryLockError};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::journal::Journal;
use super::root::{FOLDER, Root};

/// The name of the folder.
pub const STATE_FOLDER: &str = ".assize";
const LOCK: &str = "patch.lock";
const LOCK_FILE: OFlags = OFlags::RDWR.union(OFlags::CREATE).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The folder, for one process at a time.
pub struct State {
    folder: OwnedFd,
    path: PathBuf,
    _lock: File,
}

impl State {
    /// Opens the folder, which is made if it is not there; nothing if another process has it.
    pub fn open(root: &Root, tree: &Path) -> io::Result<Option<Self>> {
        match rustix::fs::mkdirat(root, STATE_FOLDER, Mode::RWXU) {
            Ok(()) => rustix::fs::fsync(root)?,
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let folder = opened(root)?;
        let lock = locked(folder.as_fd())?;
        Ok(lock.map(|lock| Self { folder, path: tree.join(STATE_FOLDER), _lock: lock }))
    }

    /// Returns the journal that stands in the folder, or will.
    pub fn journal(&self) -> Journal<'_> {
        Journal::within(self.folder.as_fd(), &self.path)
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // It is still locked: whoever has opened it sees that it is gone, and makes another.
        let _ = rustix::fs::unlinkat(&self.folder, LOCK, AtFlags::empty());
    }
}

/// Returns whether a patch was interrupted in a tree, or is being applied there.
pub fn is_interrupted(root: &Root) -> bool {
    opened(root).is_ok_and(|folder| Journal::within(folder.as_fd(), Path::new("")).stands())
}

fn opened(root: &Root) -> io::Result<OwnedFd> {
    match rustix::fs::openat(root, STATE_FOLDER, FOLDER, Mode::empty()) {
        Err(Errno::LOOP | Errno::MLINK | Errno::NOTDIR) => Err(io::Error::other("is no folder")),
        opened => Ok(opened?),
    }
}

/// Locks the folder; nothing if it is locked.
fn locked(folder: BorrowedFd<'_>) -> io::Result<Option<File>> {
    loop {
        let lock = File::from(rustix::fs::openat(folder, LOCK, LOCK_FILE, Mode::RUSR | Mode::WUSR)?);
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // Whoever had it before may have taken it away after it was opened here.
        match rustix::fs::statat(folder, LOCK, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if stat.st_ino == rustix::fs::fstat(&lock)?.st_ino => return Ok(Some(lock)),
            Ok(_) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
