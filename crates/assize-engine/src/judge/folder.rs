//! A private folder for data that is stored between runs.
//!
//! Only its owner can read it or write to it; files are replaced atomically. This module must not know what the files
//! contain.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

/// The pause between two attempts to take a lock.
const LOCK_POLL: Duration = Duration::from_millis(2);

/// Whether a file must survive a power loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durable {
    /// It may be lost.
    No,
    /// It is on disk when the write returns.
    Yes,
}

/// A folder that no other user can write to.
#[derive(Debug, Clone)]
pub(super) struct PrivateFolder {
    path: PathBuf,
}

impl PrivateFolder {
    /// Opens a folder, and creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// Also fails if other users could have written its contents.
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
        let meta = fs::metadata(&path)?;
        if meta.mode() & 0o022 != 0 || meta.uid() != rustix::process::geteuid().as_raw() {
            let message = format!("{} can be written by others; change its mode to 700", path.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        Ok(Self { path })
    }

    /// Returns the path of a file in it.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Reads a file. Returns `None` if there is none.
    ///
    /// # Errors
    ///
    /// Also fails if it is larger than the limit.
    pub(super) fn read(&self, name: &str, bytes_max: usize) -> io::Result<Option<Vec<u8>>> {
        let file = match File::open(self.file(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut bytes = Vec::new();
        file.take(bytes_max as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > bytes_max {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {bytes_max} bytes")));
        }
        Ok(Some(bytes))
    }

    /// Replaces a file atomically.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written; the old one is then unchanged.
    pub(super) fn write(&self, name: &str, bytes: &[u8], durable: Durable) -> io::Result<()> {
        // Such a file has mode 600.
        let mut file = tempfile::NamedTempFile::new_in(&self.path)?;
        file.write_all(bytes)?;
        if durable == Durable::Yes {
            file.as_file().sync_all()?;
        }
        file.persist(self.file(name))?;
        if durable == Durable::Yes {
            File::open(&self.path)?.sync_all()?;
        }
        Ok(())
    }

    /// Locks a name against all other threads and processes, until the result is dropped.
    ///
    /// # Errors
    ///
    /// Fails if others hold the lock until the deadline.
    pub(super) fn lock(&self, name: &str, deadline: Instant) -> io::Result<File> {
        let file = fs::OpenOptions::new().create(true).append(true).mode(0o600).open(self.file(name))?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(LOCK_POLL),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use super::*;

    fn folder() -> (tempfile::TempDir, PrivateFolder) {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let folder = PrivateFolder::open(temporary.path().join("a/b")).expect("a new folder");
        (temporary, folder)
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it exists").permissions().mode() & 0o777
    }

    #[test]
    fn files_are_private() {
        let (_temporary, folder) = folder();
        folder.write("f", b"x", Durable::Yes).expect("written");
        drop(folder.lock("l", Instant::now()).expect("locked"));
        assert_eq!((mode(&folder.path), mode(&folder.file("f")), mode(&folder.file("l"))), (0o700, 0o600, 0o600));
        assert_eq!(mode(folder.path.parent().expect("a parent")), 0o700);
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_not_used() {
        let (_temporary, folder) = folder();
        for (mode, good) in [(0o755, true), (0o775, false), (0o702, false)] {
            fs::set_permissions(&folder.path, fs::Permissions::from_mode(mode)).expect("changed");
            assert_eq!(PrivateFolder::open(folder.path.clone()).is_ok(), good, "{mode:o}");
        }
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let (_temporary, folder) = folder();
        assert_eq!(folder.read("f", 3).expect("readable"), None);
        folder.write("f", b"123", Durable::No).expect("written");
        assert_eq!(folder.read("f", 3).expect("readable").as_deref(), Some(&b"123"[..]));
        assert!(folder.read("f", 2).is_err());
    }

    #[test]
    fn a_lock_is_waited_for_until_the_deadline() {
        let (_temporary, folder) = folder();
        let held = folder.lock("l", Instant::now()).expect("free");
        assert!(folder.lock("l", Instant::now() + Duration::from_millis(20)).is_err());
        drop(held);
        assert!(folder.lock("l", Instant::now()).is_ok());
    }
}
