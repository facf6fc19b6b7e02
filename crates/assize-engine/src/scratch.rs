//! Temporary folders that are removed when the process ends, even by a signal.
//!
//! A process that exits runs no destructors, so copies of whole trees would remain. Code that ends the process calls
//! [`sweep`]. This module must not know what the folders contain.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How many times the removal of a folder is attempted.
const ATTEMPTS: usize = 5;
const PAUSE: Duration = Duration::from_millis(20);

static LIVE_FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A temporary folder that is removed when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Set until it is dropped.
    folder: Option<tempfile::TempDir>,
}

impl Scratch {
    /// Creates a folder whose name begins with a prefix.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be created.
    pub fn new(prefix: &str) -> io::Result<Self> {
        // Locked while the folder is created, so that the sweep misses none.
        let mut folders = LIVE_FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::Builder::new().prefix(prefix).tempdir()?;
        let path = folder.path().to_owned();
        folders.insert(path.clone());
        Ok(Self { path, folder: Some(folder) })
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Only after the removal, because a signal may arrive while a large folder is being removed.
        drop(self.folder.take());
        LIVE_FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.path);
    }
}

/// Removes every remaining folder and prevents new ones. Called before the process ends.
pub(crate) fn sweep() {
    let folders = LIVE_FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    for folder in folders.iter() {
        // Programs that were just killed may still write for a moment. A folder that cannot be removed remains,
        // because the process is about to end.
        for _ in 0..ATTEMPTS {
            if std::fs::remove_dir_all(folder).is_ok() {
                break;
            }
            std::thread::sleep(PAUSE);
        }
    }
    std::mem::forget(folders);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_registered_while_it_exists() {
        let known = |path: &Path| LIVE_FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).contains(path);
        let scratch = Scratch::new("assize-test-").expect("a folder");
        let path = scratch.path().to_owned();
        assert!(known(&path) && path.is_dir());
        drop(scratch);
        assert!(!known(&path) && !path.exists());
    }
}
