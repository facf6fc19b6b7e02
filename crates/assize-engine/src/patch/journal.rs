//! What is about to be written, on disk before any of it is.
//!
//! From the moment the journal stands under its name, the patch is decided: whoever comes next
//! carries out what is left of it. A journal that is cut or damaged never stood there whole, or was
//! tampered with; it is never carried out.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use assize_core::patch::{Change, Entry, File as Content, Pin};
use serde::{Deserialize, Serialize};

/// The first bytes of a journal, with its version.
const MAGIC: &[u8] = b"assize patch journal 1\n";
const NAME: &str = "patch.journal";
const UNFINISHED: &str = "patch.journal.new";
const HASH_BYTES: usize = 32;

/// One file of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub path: String,
    /// The hash and the mode of the file before.
    pub before: Option<(String, bool)>,
    /// The bytes and the mode of the file after.
    pub after: Option<(Vec<u8>, bool)>,
}

impl Step {
    pub fn of(change: &Change) -> Self {
        Self {
            path: change.path.clone(),
            before: change.before.as_ref().map(|pin| (pin.hash.clone(), pin.executable)),
            after: change.after.as_ref().map(|file| (file.bytes.clone(), file.executable)),
        }
    }

    /// Returns whether a file is what it was before.
    pub fn is_before(&self, entry: &Entry) -> bool {
        match (entry, &self.before) {
            (Entry::File(file), Some((hash, executable))) => {
                Pin::of(file) == Pin { hash: hash.clone(), executable: *executable }
            }
            // The plan says that nothing will be left in the folder.
            (Entry::Absent | Entry::Folder, None) => true,
            _ => false,
        }
    }

    /// Returns whether a file is what it is to be.
    pub fn is_after(&self, entry: &Entry) -> bool {
        match (entry, &self.after) {
            (Entry::File(file), Some((bytes, executable))) => file.bytes == *bytes && file.executable == *executable,
            // A folder may have taken the place of a file.
            (Entry::Absent | Entry::Folder, None) => true,
            _ => false,
        }
    }

    pub fn content(&self) -> Option<Content> {
        self.after.as_ref().map(|(bytes, executable)| Content { bytes: bytes.clone(), executable: *executable })
    }
}

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system says so.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it says.
        source: io::Error,
    },
    /// It is no journal, or not a whole one.
    #[error("{} is damaged or from another version; nothing was changed because of it", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
    },
}

/// Where journals of a tree stand.
pub struct Journal<'a> {
    folder: &'a Path,
}

impl<'a> Journal<'a> {
    pub const fn within(folder: &'a Path) -> Self {
        Self { folder }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    fn failed(&self, name: &str) -> impl FnOnce(io::Error) -> JournalError {
        let path = self.folder.join(name);
        move |source| JournalError::Io { path, source }
    }

    /// Writes a journal. When this returns, it survives a loss of power.
    pub fn write(&self, steps: &[Step]) -> Result<(), JournalError> {
        let body = postcard::to_stdvec(steps).map_err(|error| self.failed(NAME)(io::Error::other(error)))?;
        let hash = blake3::hash(&body);
        let path = self.folder.join(UNFINISHED);
        let write = || -> io::Result<()> {
            let _ = fs::remove_file(&path);
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
            file.write_all(MAGIC)?;
            file.write_all(hash.as_bytes())?;
            file.write_all(&body)?;
            file.sync_data()?;
            fs::rename(&path, self.path())?;
            self.sync_folder()
        };
        write().map_err(self.failed(NAME))
    }

    /// Reads the journal of a patch that was interrupted, if there is one.
    pub fn read(&self) -> Result<Option<Vec<Step>>, JournalError> {
        let bytes = match fs::read(self.path()) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.failed(NAME)(error)),
        };
        decoded(&bytes).map(Some).ok_or_else(|| JournalError::Damaged { path: self.path() })
    }

    /// Takes the journal away: the patch is carried out.
    pub fn close(&self) -> Result<(), JournalError> {
        fs::remove_file(self.path()).and_then(|()| self.sync_folder()).map_err(self.failed(NAME))
    }

    fn sync_folder(&self) -> io::Result<()> {
        File::open(self.folder)?.sync_all()
    }
}

/// Reads the bytes of a journal.
fn decoded(bytes: &[u8]) -> Option<Vec<Step>> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (hash, body) = rest.split_at_checked(HASH_BYTES)?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    postcard::from_bytes(body).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps() -> Vec<Step> {
        vec![
            Step { path: "a".into(), before: None, after: Some((b"x\xFF".to_vec(), true)) },
            Step { path: "b/c".into(), before: Some(("00".into(), false)), after: None },
        ]
    }

    #[test]
    fn a_journal_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Journal::within(folder.path());
        assert_eq!(journal.read().expect("read"), None);
        journal.write(&steps()).expect("written");
        assert_eq!(journal.read().expect("read"), Some(steps()));
        journal.close().expect("closed");
        assert_eq!(journal.read().expect("read"), None);
    }

    #[test]
    fn a_journal_that_is_cut_or_changed_is_never_carried_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Journal::within(folder.path());
        journal.write(&steps()).expect("written");
        let whole = fs::read(journal.path()).expect("read");
        for length in 0..whole.len() {
            assert_eq!(decoded(&whole[..length]), None, "cut at {length}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert_eq!(decoded(&changed), None, "changed at {at}");
        }
        fs::write(journal.path(), &whole[..whole.len() - 1]).expect("written");
        assert!(matches!(journal.read(), Err(JournalError::Damaged { .. })));
    }
}
