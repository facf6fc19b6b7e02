//! The state folder of a tree: opened without following links, and locked.
//!
//! The author of the tree may have put a link in its place, and may do so at any moment. So the folder that was opened
//! here is used from then on. Its path is only for messages.

use std::fs::{File, TryLockError};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::journal::PatchJournal;
use super::root::{FOLDER, OpenTree};

/// The name of the folder.
pub const STATE_FOLDER: &str = ".assize";
const LOCK: &str = "patch.lock";
const LOCK_FILE: OFlags = OFlags::RDWR.union(OFlags::CREATE).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The folder, locked by one process.
pub struct StateFolder {
    folder: OwnedFd,
    path: PathBuf,
    _lock: File,
}

impl StateFolder {
    /// Opens the folder, and creates it if it does not exist. Returns `None` if another process has locked it.
    pub fn open(root: &OpenTree, tree: &Path) -> io::Result<Option<Self>> {
        match rustix::fs::mkdirat(root, STATE_FOLDER, Mode::RWXU) {
            Ok(()) => rustix::fs::fsync(root)?,
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let folder = open_folder(root)?;
        let lock = locked(folder.as_fd())?;
        Ok(lock.map(|lock| Self { folder, path: tree.join(STATE_FOLDER), _lock: lock }))
    }

    /// Returns the journal file of the folder.
    pub fn journal(&self) -> PatchJournal<'_> {
        PatchJournal::within(self.folder.as_fd(), &self.path)
    }
}

impl Drop for StateFolder {
    fn drop(&mut self) {
        // The file is still locked. A process that has opened it sees that it was removed, and creates another one.
        let _ = rustix::fs::unlinkat(&self.folder, LOCK, AtFlags::empty());
    }
}

/// Returns whether a patch was interrupted in a tree, or is being applied there.
pub fn is_interrupted(root: &OpenTree) -> bool {
    open_folder(root).is_ok_and(|folder| PatchJournal::within(folder.as_fd(), Path::new("")).stands())
}

fn open_folder(root: &OpenTree) -> io::Result<OwnedFd> {
    match rustix::fs::openat(root, STATE_FOLDER, FOLDER, Mode::empty()) {
        Err(Errno::LOOP | Errno::MLINK | Errno::NOTDIR) => Err(io::Error::other("is no folder")),
        opened => Ok(opened?),
    }
}

/// Locks the folder. Returns `None` if it is locked.
fn locked(folder: BorrowedFd<'_>) -> io::Result<Option<File>> {
    loop {
        let lock = File::from(rustix::fs::openat(folder, LOCK, LOCK_FILE, Mode::RUSR | Mode::WUSR)?);
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // The previous holder may have removed the file after it was opened here.
        match rustix::fs::statat(folder, LOCK, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if stat.st_ino == rustix::fs::fstat(&lock)?.st_ino => return Ok(Some(lock)),
            Ok(_) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
