//! The journal of a patch: what is about to be written, on disk before any of it is written.
//!
//! Once the journal exists under its name, the patch is decided, and the next process to open the tree finishes it. A
//! journal that is truncated or damaged was never complete or was tampered with, and is never carried out. Neither is
//! one with a path that no patch may have, because the author of the tree may have written the journal as well.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use assize_patch::{FileContent, FilePin, FileTransition, PathState, check_path};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::fuse::Fuse;
use super::root::NEW_FILE;

/// The first bytes of a journal, with its version.
const MAGIC: &[u8] = b"assize patch journal 2\n";
const NAME: &str = "patch.journal";
const UNFINISHED: &str = "patch.journal.new";
const HASH_BYTES: usize = 32;
/// The longest journal: the most bytes that one patch may write.
const JOURNAL_BYTES_MAX: u64 = 1 << 30;
/// The bytes of the number that gives the length of the head.
const LENGTH_BYTES: usize = 8;

/// The content of a journal.
#[derive(Debug, PartialEq, Eq)]
pub struct PatchJournalRecord<'a> {
    /// Identifies this patch's files beside their places.
    pub nonce: u64,
    /// The change of each file.
    pub changes: Cow<'a, [FileTransition]>,
}

impl PatchJournalRecord<'_> {
    /// Returns the name under which a file is written before it is moved to its place.
    pub fn beside(&self, index: usize) -> String {
        format!(".assize-patch-{:016x}-{index}", self.nonce)
    }
}

/// Returns whether a file is as it was before a change.
pub fn is_before(change: &FileTransition, entry: &PathState) -> bool {
    match (entry, &change.before) {
        (PathState::File(file), Some(pin)) => FilePin::of(file) == *pin,
        // The plan ensures that nothing remains in the folder.
        (PathState::Absent | PathState::Folder, None) => true,
        _ => false,
    }
}

/// Returns whether a file is as it is after a change.
pub fn is_after(change: &FileTransition, entry: &PathState) -> bool {
    match (entry, &change.after) {
        (PathState::File(file), Some(after)) => file == after,
        // A folder may have replaced a file.
        (PathState::Absent | PathState::Folder, None) => true,
        _ => false,
    }
}

/// The head of a journal: everything except the bytes of the files, which follow it in this order.
#[derive(Serialize, Deserialize)]
struct JournalHead<'a> {
    nonce: u64,
    #[serde(borrow)]
    files: Vec<JournalFile<'a>>,
}

#[derive(Serialize, Deserialize)]
struct JournalFile<'a> {
    path: &'a str,
    /// The hash and the mode of the file before.
    before: Option<(&'a str, bool)>,
    /// The length and the mode of the file after.
    after: Option<(u64, bool)>,
}

impl<'a> JournalFile<'a> {
    fn of(change: &'a FileTransition) -> Self {
        Self {
            path: &change.path,
            before: change.before.as_ref().map(|pin| (pin.hash.as_str(), pin.executable)),
            after: change.after.as_ref().map(|file| (file.bytes.len() as u64, file.executable)),
        }
    }
}

/// Why a journal cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum PatchJournalError {
    /// A file operation failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The file is not a journal, or not a complete one.
    #[error("{} is damaged or from another version; nothing was changed because of it; look at it and remove it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
}

/// The journal file of a tree.
pub struct PatchJournal<'a> {
    folder: BorrowedFd<'a>,
    /// The path for messages.
    shown: &'a Path,
    bytes_max: u64,
}

impl<'a> PatchJournal<'a> {
    pub const fn within(folder: BorrowedFd<'a>, shown: &'a Path) -> Self {
        Self { folder, shown, bytes_max: JOURNAL_BYTES_MAX }
    }

    pub fn path(&self) -> PathBuf {
        self.shown.join(NAME)
    }

    fn failed(&self, source: io::Error) -> PatchJournalError {
        PatchJournalError::Io { path: self.path(), source }
    }

    /// Returns whether there is a journal, complete or not.
    pub fn stands(&self) -> bool {
        rustix::fs::statat(self.folder, NAME, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Writes a journal. When this returns, it survives a power loss.
    pub fn write(&self, record: &PatchJournalRecord<'_>, fuse: &Fuse) -> Result<(), PatchJournalError> {
        let write = || -> io::Result<()> {
            let bytes = encoded(record)?;
            if bytes.len() as u64 > self.bytes_max {
                let message = format!("the patch writes more than {} bytes", self.bytes_max);
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
            }
            fuse.burn()?;
            let mode = Mode::RUSR | Mode::WUSR;
            let mut file = File::from(rustix::fs::openat(self.folder, UNFINISHED, NEW_FILE, mode)?);
            fuse.burn()?;
            file.write_all(&bytes)?;
            fuse.burn()?;
            file.sync_data()?;
            fuse.burn()?;
            rustix::fs::renameat(self.folder, UNFINISHED, self.folder, NAME)?;
            fuse.burn()?;
            Ok(rustix::fs::fsync(self.folder)?)
        };
        write().map_err(|error| self.failed(error))
    }

    /// Removes an unfinished journal that never got its final name: its patch was never decided.
    pub fn forget_unfinished(&self) -> Result<(), PatchJournalError> {
        match rustix::fs::unlinkat(self.folder, UNFINISHED, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(self.failed(error.into())),
        }
    }

    /// Reads the journal of an interrupted patch, if there is one.
    pub fn read(&self) -> Result<Option<PatchJournalRecord<'static>>, PatchJournalError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut bytes = Vec::new();
        match rustix::fs::openat(self.folder, NAME, flags, Mode::empty()) {
            Ok(file) => {
                let read = File::from(file).take(self.bytes_max + 1).read_to_end(&mut bytes);
                read.map_err(|error| self.failed(error))?
            }
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(self.failed(error.into())),
        };
        let whole = if bytes.len() as u64 > self.bytes_max { None } else { decoded(&bytes) };
        whole.map(Some).ok_or_else(|| PatchJournalError::Damaged { path: self.path() })
    }

    /// Removes the journal after the patch was carried out.
    pub fn close(&self, fuse: &Fuse) -> Result<(), PatchJournalError> {
        let close = || -> io::Result<()> {
            fuse.burn()?;
            rustix::fs::unlinkat(self.folder, NAME, AtFlags::empty())?;
            fuse.burn()?;
            Ok(rustix::fs::fsync(self.folder)?)
        };
        close().map_err(|error| self.failed(error))
    }
}

/// Returns the bytes of a journal.
fn encoded(record: &PatchJournalRecord<'_>) -> io::Result<Vec<u8>> {
    let head = JournalHead { nonce: record.nonce, files: record.changes.iter().map(JournalFile::of).collect() };
    let head = postcard::to_stdvec(&head).map_err(io::Error::other)?;
    let contents = || record.changes.iter().filter_map(|change| Some(change.after.as_ref()?.bytes.as_slice()));
    let start = MAGIC.len() + HASH_BYTES;
    let length = start + LENGTH_BYTES + head.len() + contents().map(<[u8]>::len).sum::<usize>();
    let mut bytes = Vec::with_capacity(length);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&[0; HASH_BYTES]);
    bytes.extend_from_slice(&(head.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&head);
    contents().for_each(|content| bytes.extend_from_slice(content));
    let hash = blake3::hash(&bytes[start..]);
    bytes[MAGIC.len()..start].copy_from_slice(hash.as_bytes());
    Ok(bytes)
}

/// Parses the bytes of a journal.
fn decoded(bytes: &[u8]) -> Option<PatchJournalRecord<'static>> {
    let (hash, body) = bytes.strip_prefix(MAGIC)?.split_at_checked(HASH_BYTES)?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let (length, rest) = body.split_first_chunk::<LENGTH_BYTES>()?;
    let (head, mut contents) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let head: JournalHead<'_> = postcard::from_bytes(head).ok()?;
    let mut change = |file: JournalFile<'_>| {
        check_path(file.path).ok()?;
        let after = match file.after {
            Some((length, executable)) => {
                let (content, rest) = contents.split_at_checked(usize::try_from(length).ok()?)?;
                contents = rest;
                Some(FileContent { bytes: content.to_vec(), executable })
            }
            None => None,
        };
        let before = file.before.map(|(hash, executable)| FilePin { hash: hash.to_owned(), executable });
        Some(FileTransition { path: file.path.to_owned(), before, after })
    };
    let changes = head.files.into_iter().map(&mut change).collect::<Option<Vec<_>>>()?;
    contents.is_empty().then_some(PatchJournalRecord { nonce: head.nonce, changes: changes.into() })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::fd::AsFd as _;

    use super::*;

    fn record() -> PatchJournalRecord<'static> {
        let after = |bytes: &[u8], executable| Some(FileContent { bytes: bytes.to_vec(), executable });
        let pin = FilePin { hash: "00".into(), executable: false };
        PatchJournalRecord {
            nonce: 7,
            changes: Cow::Owned(vec![
                FileTransition { path: "a".into(), before: None, after: after(b"x\xFF", true) },
                FileTransition { path: "b/c".into(), before: Some(pin.clone()), after: None },
                FileTransition { path: "d".into(), before: Some(pin), after: after(b"", false) },
            ]),
        }
    }

    #[test]
    fn a_journal_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let handle = File::open(folder.path()).expect("opened");
        let journal = PatchJournal::within(handle.as_fd(), folder.path());
        assert_eq!(journal.read().expect("read"), None);
        journal.write(&record(), &Fuse::default()).expect("written");
        assert_eq!(journal.read().expect("read"), Some(record()));
        journal.close(&Fuse::default()).expect("closed");
        assert_eq!(journal.read().expect("read"), None);
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 0);
    }

    #[test]
    fn a_journal_has_a_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let handle = File::open(folder.path()).expect("opened");
        let length = encoded(&record()).expect("encoded").len() as u64;
        let limited = |bytes_max| PatchJournal { bytes_max, ..PatchJournal::within(handle.as_fd(), folder.path()) };
        assert!(limited(length - 1).write(&record(), &Fuse::default()).is_err());
        limited(length).write(&record(), &Fuse::default()).expect("written");
        assert_eq!(limited(length).read().expect("read"), Some(record()));
        assert!(matches!(limited(length - 1).read(), Err(PatchJournalError::Damaged { .. })));
    }

    #[test]
    fn a_journal_that_is_cut_or_changed_is_never_carried_out() {
        let whole = encoded(&record()).expect("encoded");
        for length in 0..whole.len() {
            assert_eq!(decoded(&whole[..length]), None, "cut at {length}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert_eq!(decoded(&changed), None, "changed at {at}");
        }
        assert_eq!(decoded(&[&whole[..], b"x"].concat()), None, "longer");
    }

    #[test]
    fn a_journal_that_somebody_made_leads_nowhere_else() {
        for path in ["../a", "/etc/a", ".git/hooks/pre-commit", "a/../../b", "", ".assize/x"] {
            let mut made = record();
            made.changes.to_mut()[0].path = path.to_owned();
            assert_eq!(decoded(&encoded(&made).expect("encoded")), None, "{path:?}");
        }
    }
}
