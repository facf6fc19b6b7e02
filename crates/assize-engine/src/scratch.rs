//! Temporary folders that are removed when the process ends, however it ends.
//!
//! All folders of a process stand in one, its run folder, which the process holds a lock on. A process that exits runs no
//! destructors, so code that ends the process calls `sweep`. After a kill nothing runs: the next process that needs a
//! folder removes run folders whose lock is free. This module must not know what the folders contain.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What the name of a run folder begins with.
const RUN: &str = "assize-run-";
/// What its name begins with until it is locked.
const UNLOCKED: &str = "assize-new-";
/// How many times the removal of a folder is attempted.
const ATTEMPTS: usize = 5;
const PAUSE: Duration = Duration::from_millis(20);

static SCRATCHES: Mutex<Scratches> = Mutex::new(Scratches { run: None, live: BTreeSet::new() });

/// The folders of this process.
struct Scratches {
    run: Option<RunFolder>,
    live: BTreeSet<PathBuf>,
}

/// The folder that holds all others of a process.
#[derive(Debug)]
struct RunFolder {
    path: PathBuf,
    /// The open folder, with the lock that tells other processes that this one is alive.
    _lock: Option<File>,
}

impl RunFolder {
    /// Creates the folder in another one, and removes those that killed processes left there.
    fn new(around: &Path) -> io::Result<Self> {
        remove_left(around);
        // Two processes that begin at the same moment may draw the same name.
        let mut made = Self::make(around);
        for _ in 1..ATTEMPTS {
            if made.is_ok() {
                break;
            }
            made = Self::make(around);
        }
        made
    }

    fn make(around: &Path) -> io::Result<Self> {
        let path = tempfile::Builder::new().prefix(UNLOCKED).tempdir_in(around)?.keep();
        let lock = File::open(&path).ok().filter(|folder| folder.try_lock().is_ok());
        if lock.is_none() {
            // Without a lock the next process would take the folder for one that was left.
            return Ok(Self { path, _lock: None });
        }
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let locked = around.join(name.replacen(UNLOCKED, RUN, 1));
        match fs::rename(&path, &locked) {
            Ok(()) => Ok(Self { path: locked, _lock: lock }),
            Err(error) => {
                let _ = fs::remove_dir(&path);
                Err(error)
            }
        }
    }
}

/// Removes the run folders of processes that are gone. What belongs to another user stays.
fn remove_left(around: &Path) {
    for entry in fs::read_dir(around).into_iter().flatten().flatten() {
        let is_run = entry.file_name().to_str().is_some_and(|name| name.starts_with(RUN));
        let is_folder = is_run && entry.file_type().is_ok_and(|kind| kind.is_dir());
        let Some(folder) = is_folder.then(|| File::open(entry.path()).ok()).flatten() else { continue };
        if folder.try_lock().is_ok() {
            // What cannot be removed now is tried again by the next process.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

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
        let mut scratches = SCRATCHES.lock().unwrap_or_else(PoisonError::into_inner);
        if scratches.run.as_ref().is_none_or(|run| !run.path.is_dir()) {
            scratches.run = Some(RunFolder::new(&std::env::temp_dir())?);
        }
        let run = scratches.run.as_ref().map(|run| run.path.clone()).unwrap_or_default();
        let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(run)?;
        let path = folder.path().to_owned();
        scratches.live.insert(path.clone());
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
        let mut scratches = SCRATCHES.lock().unwrap_or_else(PoisonError::into_inner);
        scratches.live.remove(&self.path);
        if scratches.live.is_empty()
            && let Some(run) = scratches.run.take()
        {
            // It holds more only if a folder could not be removed, and then the next process tries.
            let _ = fs::remove_dir(&run.path);
        }
    }
}

/// Removes every remaining folder and prevents new ones. Called before the process ends.
pub(crate) fn sweep() {
    let scratches = SCRATCHES.lock().unwrap_or_else(PoisonError::into_inner);
    for folder in scratches.run.iter().map(|run| &run.path) {
        // Programs that were just killed may still write for a moment. A folder that cannot be removed remains until
        // the next process.
        for _ in 0..ATTEMPTS {
            if fs::remove_dir_all(folder).is_ok() {
                break;
            }
            std::thread::sleep(PAUSE);
        }
    }
    std::mem::forget(scratches);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_registered_while_it_exists() {
        let known = |path: &Path| SCRATCHES.lock().unwrap_or_else(PoisonError::into_inner).live.contains(path);
        let scratch = Scratch::new("assize-test-").expect("a folder");
        let path = scratch.path().to_owned();
        assert!(known(&path) && path.is_dir());
        drop(scratch);
        assert!(!known(&path) && !path.exists());
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let around = tempfile::tempdir().expect("a folder");
        let names = || -> Vec<String> {
            let entries = fs::read_dir(around.path()).expect("a folder").flatten();
            let mut names: Vec<String> = entries.map(|it| it.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        };
        for name in ["assize-run-left/copy", "assize-new-fresh", "other"] {
            fs::create_dir_all(around.path().join(name)).expect("a folder");
        }
        fs::write(around.path().join("assize-run-file"), "").expect("written");
        let alive = RunFolder::new(around.path()).expect("a run folder");
        let own = alive.path.file_name().expect("a name").to_string_lossy().into_owned();
        let mut expected = vec![own.as_str(), "assize-new-fresh", "assize-run-file", "other"];
        expected.sort_unstable();
        assert_eq!(names(), expected);
        let second = RunFolder::new(around.path()).expect("another one");
        assert!(alive.path.is_dir() && second.path.is_dir(), "both are in use");
        drop(alive);
        drop(second);
        let third = RunFolder::new(around.path()).expect("a third one");
        assert_eq!(names().iter().filter(|name| name.starts_with(RUN)).count(), 2, "its own folder and the file");
        assert!(third.path.is_dir());
    }
}
