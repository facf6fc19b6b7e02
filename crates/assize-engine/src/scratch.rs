//! Temporary folders that go with the process, also when a signal ends it.
//!
//! A process that exits runs no destructors, and copies of whole trees would stay behind. Whoever ends the process calls
//! [`sweep`]. This module must not know what the folders hold.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often a folder is tried to be removed, and how long is waited in between.
const ATTEMPTS: usize = 5;
const PAUSE: Duration = Duration::from_millis(20);

static STANDING: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A temporary folder, removed with its owner.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// There until it is dropped.
    folder: Option<tempfile::TempDir>,
}

impl Scratch {
    /// Makes a folder whose name begins with a prefix.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be made.
    pub fn new(prefix: &str) -> io::Result<Self> {
        // Held while the folder is made, so that none is missed.
        let mut standing = STANDING.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::Builder::new().prefix(prefix).tempdir()?;
        let path = folder.path().to_owned();
        standing.insert(path.clone());
        Ok(Self { path, folder: Some(folder) })
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Only when it is gone: a signal may come while a large one is being removed.
        drop(self.folder.take());
        STANDING.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.path);
    }
}

/// Removes every folder that stands, and lets none be made any more. For whoever ends the process.
pub(crate) fn sweep() {
    let standing = STANDING.lock().unwrap_or_else(PoisonError::into_inner);
    for folder in standing.iter() {
        // Programs that were killed just now may write for another moment. What cannot be removed stays: there is nobody
        // left to tell.
        for _ in 0..ATTEMPTS {
            if std::fs::remove_dir_all(folder).is_ok() {
                break;
            }
            std::thread::sleep(PAUSE);
        }
    }
    std::mem::forget(standing);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_known_as_long_as_it_stands() {
        let known = |path: &Path| STANDING.lock().unwrap_or_else(PoisonError::into_inner).contains(path);
        let scratch = Scratch::new("assize-test-").expect("a folder");
        let path = scratch.path().to_owned();
        assert!(known(&path) && path.is_dir());
        drop(scratch);
        assert!(!known(&path) && !path.exists());
    }
}
