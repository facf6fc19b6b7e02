//! Where a ledger lies, and where its anchor is kept.
//!
//! What the judged party can remove is no proof. So the ledger of a project lies in the user's state folder, where the
//! sandboxes of agents do not let them write, and not in the work tree, which `git clean` empties. Its anchor is kept
//! twice, so that entries that are gone are missed even when the folder of the ledger is. This module must not know what
//! is in a ledger.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use assize_ledger::anchor::{Anchor, AnchorDamage, SealKey};

use crate::{private_file, regular_file};

/// The name of a ledger's file.
const LEDGER: &str = "ledger.db";
/// The folder of the second copies.
const SECOND_COPIES: &str = "anchors";
/// The most bytes of an anchor or a key that are read.
const ANCHOR_BYTES_MAX: u64 = 16 * 1024;
/// Digits of a project's key.
const KEY_DIGITS: usize = 16;
/// The most characters of a project's name in its key.
const NAME_CHARS_MAX: usize = 40;

/// A failure to read or write an anchor. Every message names the file.
#[derive(Debug, thiserror::Error)]
pub enum AnchorError {
    /// No copy of the anchor can be relied on.
    #[error("{path}: {damage}")]
    Damaged {
        /// The copy.
        path: PathBuf,
        /// What is wrong with it.
        damage: AnchorDamage,
    },
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
}

/// Where a ledger lies.
#[derive(Debug, Clone)]
pub struct LedgerPlace {
    file: PathBuf,
    anchor: Option<AnchorPlace>,
}

/// Where the anchor of a ledger is kept.
#[derive(Debug, Clone)]
struct AnchorPlace {
    /// Its copies, in different folders.
    copies: [PathBuf; 2],
    key: PathBuf,
}

impl LedgerPlace {
    /// Returns where the ledger of a project lies below a state folder.
    pub fn of_project(state: &Path, project: &Path) -> Self {
        let key = project_key(project);
        let folder = state.join("projects").join(&key);
        let second = state.join(SECOND_COPIES).join(format!("{key}.json"));
        let anchor = AnchorPlace { copies: [folder.join("anchor.json"), second], key: state.join("key") };
        Self { file: folder.join(LEDGER), anchor: Some(anchor) }
    }

    /// Returns a place without an anchor: entries that are removed from its end are not missed.
    pub fn unanchored(file: PathBuf) -> Self {
        Self { file, anchor: None }
    }

    /// Returns the ledger's file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the place of something else beside the ledger; `None` without a place out of the project.
    pub fn beside(&self, name: &str) -> Option<PathBuf> {
        self.file.parent().filter(|_| self.is_anchored()).map(|folder| folder.join(name))
    }

    /// Returns whether entries that are gone from the end are missed.
    pub fn is_anchored(&self) -> bool {
        self.anchor.is_some()
    }

    /// Makes the folders that the ledger needs, for their owner only.
    pub(crate) fn make_folders(&self) -> io::Result<()> {
        let Some(anchor) = &self.anchor else { return Ok(()) };
        for copy in &anchor.copies {
            if let Some(folder) = copy.parent() {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            }
        }
        Ok(())
    }

    /// Reads the anchor, from the copy that has come further. Returns `None` if there is no copy, or no place for one.
    pub(crate) fn anchor(&self) -> Result<Option<Anchor>, AnchorError> {
        match &self.anchor {
            Some(place) => place.read(&self.file),
            None => Ok(None),
        }
    }

    /// Moves the anchor forward. It never goes back: another process may have come further in the meantime.
    pub(crate) fn advance(&self, anchor: &Anchor) -> Result<(), AnchorError> {
        let Some(place) = &self.anchor else { return Ok(()) };
        let _lock = place.lock()?;
        if place.read(&self.file).ok().flatten().is_some_and(|there| there.entries >= anchor.entries) {
            return Ok(());
        }
        place.write(&self.file, anchor)
    }

    /// Puts an anchor in the place of whatever is there.
    pub(crate) fn replace_anchor(&self, anchor: &Anchor) -> Result<(), AnchorError> {
        let Some(place) = &self.anchor else { return Ok(()) };
        let _lock = place.lock()?;
        place.write(&self.file, anchor)
    }
}

impl AnchorPlace {
    fn read(&self, ledger: &Path) -> Result<Option<Anchor>, AnchorError> {
        let is_missing =
            |path: &PathBuf| fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        if self.copies.iter().all(is_missing) {
            return Ok(None);
        }
        let key = self.key()?;
        let copies = self.copies.each_ref().map(|path| read_copy(path, ledger, &key));
        let furthest = copies.iter().flatten().max_by_key(|anchor| anchor.entries).copied();
        match furthest {
            Some(anchor) => Ok(Some(anchor)),
            None => {
                let [first, second] = copies;
                // A copy that is there says more than one that is not.
                let is_absent =
                    matches!(&first, Err(AnchorError::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound);
                if is_absent { second } else { first }.map(Some)
            }
        }
    }

    fn write(&self, ledger: &Path, anchor: &Anchor) -> Result<(), AnchorError> {
        let text = anchor.sealed(&ledger.to_string_lossy(), &self.key()?);
        for path in &self.copies {
            private_file::replace_durably(path, text.as_bytes()).map_err(|error| failed(path, error))?;
        }
        Ok(())
    }

    /// Reads the key of the seal. Draws one if there is none; of two processes that do so at once, one wins.
    fn key(&self) -> Result<SealKey, AnchorError> {
        let failed = |error| failed(&self.key, error);
        match regular_file::read(&self.key, ANCHOR_BYTES_MAX) {
            Ok(bytes) => return read_key(&bytes).ok_or_else(|| failed(io::Error::other("it is no key of Assize"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        let mut key = SealKey::default();
        getrandom::fill(&mut key).map_err(|error| failed(io::Error::other(error.to_string())))?;
        let text = format!("{}\n", blake3::Hash::from_bytes(key).to_hex());
        match private_file::create_durably(&self.key, text.as_bytes()) {
            Ok(()) => Ok(key),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.key(),
            Err(error) => Err(failed(error)),
        }
    }

    /// Waits until no other process writes the anchor.
    fn lock(&self) -> Result<File, AnchorError> {
        let path = self.copies[0].with_extension("lock");
        private_file::lock(&path).map_err(|error| failed(&path, error))
    }
}

fn read_copy(path: &Path, ledger: &Path, key: &SealKey) -> Result<Anchor, AnchorError> {
    let bytes = regular_file::read(path, ANCHOR_BYTES_MAX).map_err(|error| failed(path, error))?;
    Anchor::parse(&String::from_utf8_lossy(&bytes), &ledger.to_string_lossy(), key)
        .map_err(|damage| AnchorError::Damaged { path: path.to_owned(), damage })
}

fn failed(path: &Path, error: io::Error) -> AnchorError {
    AnchorError::Io { path: path.to_owned(), error }
}

fn read_key(bytes: &[u8]) -> Option<SealKey> {
    let text = std::str::from_utf8(bytes).ok()?;
    Some(*blake3::Hash::from_hex(text.trim_end()).ok()?.as_bytes())
}

/// Names the folder of a project: by the name of its folder, which a person recognizes, and by its real path.
fn project_key(project: &Path) -> String {
    let real = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    let hash = blake3::hash(real.as_os_str().as_encoded_bytes()).to_hex();
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    let name: String =
        real.file_name().unwrap_or(OsStr::new("root")).to_string_lossy().chars().filter(is_plain).collect();
    let name: String = name.trim_start_matches('.').chars().take(NAME_CHARS_MAX).collect();
    format!("{name}-{}", &hash[..KEY_DIGITS])
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn place(state: &Path) -> LedgerPlace {
        let place = LedgerPlace::of_project(state, Path::new("/work/a project"));
        place.make_folders().expect("made");
        place
    }

    fn anchor(entries: u64) -> Anchor {
        Anchor { entries, head: [3; 32] }
    }

    #[test]
    fn an_anchor_goes_forward_and_never_back() {
        let state = tempfile::tempdir().expect("a folder");
        let place = place(state.path());
        assert_eq!(place.anchor().expect("readable"), None);
        for (next, then) in [(0, 0), (3, 3), (2, 3), (4, 4)] {
            place.advance(&anchor(next)).expect("written");
            assert_eq!(place.anchor().expect("readable"), Some(anchor(then)));
        }
        place.replace_anchor(&anchor(1)).expect("written");
        assert_eq!(place.anchor().expect("readable"), Some(anchor(1)));
        let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
        assert_eq!((mode(&state.path().join("key")), mode(&state.path().join(SECOND_COPIES))), (0o600, 0o700));
    }

    #[test]
    fn one_good_copy_is_enough_and_the_further_one_counts() {
        let state = tempfile::tempdir().expect("a folder");
        let place = place(state.path());
        place.advance(&anchor(5)).expect("written");
        let [first, second] = place.anchor.clone().expect("anchored").copies;
        let old = fs::read(&first).expect("a copy");
        place.advance(&anchor(6)).expect("written");
        for (path, contents) in [(&first, &b"garbage"[..]), (&second, b"garbage"), (&first, &old), (&second, &old)] {
            let before = fs::read(path).expect("a copy");
            fs::write(path, contents).expect("changed");
            assert_eq!(place.anchor().expect("readable"), Some(anchor(6)), "{}", path.display());
            fs::remove_file(path).expect("removed");
            assert_eq!(place.anchor().expect("readable"), Some(anchor(6)), "{}", path.display());
            fs::write(path, before).expect("restored");
        }
        for path in [&first, &second] {
            fs::write(path, "garbage").expect("changed");
        }
        assert!(matches!(place.anchor(), Err(AnchorError::Damaged { damage: AnchorDamage::Malformed(_), .. })));
    }

    #[test]
    fn an_anchor_is_worth_nothing_without_its_key() {
        let state = tempfile::tempdir().expect("a folder");
        let place = place(state.path());
        place.advance(&anchor(5)).expect("written");
        let key = state.path().join("key");
        fs::remove_file(&key).expect("removed");
        assert!(matches!(place.anchor(), Err(AnchorError::Damaged { damage: AnchorDamage::NotSealed, .. })));
        fs::write(&key, "no key").expect("written");
        assert!(place.anchor().expect_err("refused").to_string().contains("no key of Assize"));
    }

    #[test]
    fn many_processes_draw_one_key() {
        let state = tempfile::tempdir().expect("a folder");
        let place = place(state.path());
        std::thread::scope(|scope| {
            for entries in 1..=16 {
                let place = &place;
                scope.spawn(move || place.advance(&anchor(entries)).expect("written"));
            }
        });
        assert_eq!(place.anchor().expect("readable"), Some(anchor(16)));
    }

    #[test]
    fn projects_are_told_apart_by_their_path_and_recognized_by_their_name() {
        let key = |path: &str| project_key(Path::new(path));
        assert!(key("/a/my app").starts_with("myapp-"), "{}", key("/a/my app"));
        assert!(key("/a/..x").starts_with("x-") && key("/").starts_with("root-"));
        assert_ne!(key("/a/app"), key("/b/app"));
        assert!(key(&format!("/{}", "n".repeat(500))).len() < 64);
    }
}
