//! Files of our own that only their owner may read: replaced as a whole, and locked.
//!
//! This module must not know what is in them.

use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Replaces a file: whatever happens, the old one is there or the new one. Its folder must exist.
///
/// # Errors
///
/// Fails if it cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    written(path, bytes)?.persist(path)?;
    Ok(())
}

/// Replaces a file as [`replace`] does, so that a power loss leaves no part of it either.
///
/// # Errors
///
/// Fails if it cannot be written.
pub fn replace_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = written(path, bytes)?;
    file.as_file().sync_data()?;
    file.persist(path)?;
    Ok(())
}

/// Creates a file durably. Fails with [`io::ErrorKind::AlreadyExists`] if there is one.
///
/// # Errors
///
/// Fails if it cannot be written.
pub fn create_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = written(path, bytes)?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path)?;
    Ok(())
}

/// Writes a temporary file beside a path. Such a file has mode 600.
fn written(path: &Path, bytes: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new("/")))?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Waits until no other process holds the lock at a path, and holds it until the result is dropped.
///
/// # Errors
///
/// Fails if the file cannot be opened or locked, and for a link.
pub fn lock(path: &Path) -> io::Result<File> {
    let file = lock_file(path)?;
    file.lock()?;
    Ok(file)
}

/// Takes the lock at a path like [`lock`]. `None` where another process holds it.
///
/// # Errors
///
/// Fails if the file cannot be opened or locked, and for a link.
pub fn try_lock(path: &Path) -> io::Result<Option<File>> {
    let file = lock_file(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn lock_file(path: &Path) -> io::Result<File> {
    let no_follow = OFlags::NOFOLLOW.bits().cast_signed();
    File::options().write(true).create(true).truncate(false).mode(0o600).custom_flags(no_follow).open(path)
}
