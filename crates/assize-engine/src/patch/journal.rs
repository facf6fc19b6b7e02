//! What is about to be written, on disk before any of it is.
//!
//! From the moment the journal stands under its name, the patch is decided: whoever comes next
//! carries out what is left of it. A journal that is cut or damaged never stood there whole, or was
//! tampered with; it is never carried out. Neither is one that names a path that no patch may: whoever made
//! the tree may have made the journal as well.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use assize_core::patch::{Change, Entry, File as Content, Pin, check_path};
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
/// Longest journal: all the bytes that one patch may write.
const JOURNAL_BYTES_MAX: u64 = 1 << 30;
/// The bytes of the number that says how long the head is.
const LENGTH_BYTES: usize = 8;

/// What a journal says.
#[derive(Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Tells the files of this patch that lie beside their places from all others.
    pub nonce: u64,
    /// What becomes of each file.
    pub changes: Cow<'a, [Change]>,
}

impl Record<'_> {
    /// Returns the name under which a file is written before it is moved to its place.
    pub fn beside(&self, index: usize) -> String {
        format!(".assize-patch-{:016x}-{index}", self.nonce)
    }
}

/// Returns whether a file is what it was before a change.
pub fn is_before(change: &Change, entry: &Entry) -> bool {
    match (entry, &change.before) {
        (Entry::File(file), Some(pin)) => Pin::of(file) == *pin,
        // The plan says that nothing will be left in the folder.
        (Entry::Absent | Entry::Folder, None) => true,
        _ => false,
    }
}

/// Returns whether a file is what a change makes of it.
pub fn is_after(change: &Change, entry: &Entry) -> bool {
    match (entry, &change.after) {
        (Entry::File(file), Some(after)) => file == after,
        // A folder may have taken the place of a file.
        (Entry::Absent | Entry::Folder, None) => true,
        _ => false,
    }
}

/// The head of a journal: all but the bytes of the files, which follow it in this order.
#[derive(Serialize, Deserialize)]
struct Head<'a> {
    nonce: u64,
    #[serde(borrow)]
    files: Vec<Named<'a>>,
}

#[derive(Serialize, Deserialize)]
struct Named<'a> {
    path: &'a str,
    /// The hash and the mode of the file before.
    before: Option<(&'a str, bool)>,
    /// The length and the mode of the file after.
    after: Option<(u64, bool)>,
}

impl<'a> Named<'a> {
    fn of(change: &'a Change) -> Self {
        Self {
            path: &change.path,
            before: change.before.as_ref().map(|pin| (pin.hash.as_str(), pin.executable)),
            after: change.after.as_ref().map(|file| (file.bytes.len() as u64, file.executable)),
        }
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
    #[error("{} is damaged or from another version; nothing was changed because of it; look at it and remove it", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
    },
}

/// Where the journal of a tree stands.
pub struct Journal<'a> {
    folder: BorrowedFd<'a>,
    /// Where that is, for messages.
    shown: &'a Path,
    bytes_max: u64,
}

impl<'a> Journal<'a> {
    pub const fn within(folder: BorrowedFd<'a>, shown: &'a Path) -> Self {
        Self { folder, shown, bytes_max: JOURNAL_BYTES_MAX }
    }

    pub fn path(&self) -> PathBuf {
        self.shown.join(NAME)
    }

    fn failed(&self, source: io::Error) -> JournalError {
        JournalError::Io { path: self.path(), source }
    }

    /// Returns whether one is there, whole or not.
    pub fn stands(&self) -> bool {
        rustix::fs::statat(self.folder, NAME, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Writes a journal. When this returns, it survives a loss of power.
    pub fn write(&self, record: &Record<'_>, fuse: &Fuse) -> Result<(), JournalError> {
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

    /// Takes away what was left of a journal that never stood under its name: its patch was never decided.
    pub fn forget_unfinished(&self) -> Result<(), JournalError> {
        match rustix::fs::unlinkat(self.folder, UNFINISHED, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(self.failed(error.into())),
        }
    }

    /// Reads the journal of a patch that was interrupted, if there is one.
    pub fn read(&self) -> Result<Option<Record<'static>>, JournalError> {
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
        whole.map(Some).ok_or_else(|| JournalError::Damaged { path: self.path() })
    }

    /// Takes the journal away: the patch is carried out.
    pub fn close(&self, fuse: &Fuse) -> Result<(), JournalError> {
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
fn encoded(record: &Record<'_>) -> io::Result<Vec<u8>> {
    let head = Head { nonce: record.nonce, files: record.changes.iter().map(Named::of).collect() };
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

/// Reads the bytes of a journal.
fn decoded(bytes: &[u8]) -> Option<Record<'static>> {
    let (hash, body) = bytes.strip_prefix(MAGIC)?.split_at_checked(HASH_BYTES)?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let (length, rest) = body.split_first_chunk::<LENGTH_BYTES>()?;
    let (head, mut contents) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let head: Head<'_> = postcard::from_bytes(head).ok()?;
    let mut change = |file: Named<'_>| {
        check_path(file.path).ok()?;
        let after = match file.after {
            Some((length, executable)) => {
                let (content, rest) = contents.split_at_checked(usize::try_from(length).ok()?)?;
                contents = rest;
                Some(Content { bytes: content.to_vec(), executable })
            }
            None => None,
        };
        let before = file.before.map(|(hash, executable)| Pin { hash: hash.to_owned(), executable });
        Some(Change { path: file.path.to_owned(), before, after })
    };
    let changes = head.files.into_iter().map(&mut change).collect::<Option<Vec<_>>>()?;
    contents.is_empty().then_some(Record { nonce: head.nonce, changes: changes.into() })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::fd::AsFd as _;

    use super::*;

    fn record() -> Record<'static> {
        let after = |bytes: &[u8], executable| Some(Content { bytes: bytes.to_vec(), executable });
        let pin = Pin { hash: "00".into(), executable: false };
        Record {
            nonce: 7,
            changes: Cow::Owned(vec![
                Change { path: "a".into(), before: None, after: after(b"x\xFF", true) },
                Change { path: "b/c".into(), before: Some(pin.clone()), after: None },
                Change { path: "d".into(), before: Some(pin), after: after(b"", false) },
            ]),
        }
    }

    #[test]
    fn a_journal_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let opened = File::open(folder.path()).expect("opened");
        let journal = Journal::within(opened.as_fd(), folder.path());
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
        let opened = File::open(folder.path()).expect("opened");
        let length = encoded(&record()).expect("encoded").len() as u64;
        let limited = |bytes_max| Journal { bytes_max, ..Journal::within(opened.as_fd(), folder.path()) };
        assert!(limited(length - 1).write(&record(), &Fuse::default()).is_err());
        limited(length).write(&record(), &Fuse::default()).expect("written");
        assert_eq!(limited(length).read().expect("read"), Some(record()));
        assert!(matches!(limited(length - 1).read(), Err(JournalError::Damaged { .. })));
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
