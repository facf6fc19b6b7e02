//! Looks at a work tree before and after tool calls, and keeps what changed in between.
//!
//! One journal is kept for each work tree, whatever sessions work in it, beside the project's ledger. A look compares the
//! size, the times and the inode of each file with those of the look before; only what differs is read. This module must
//! not know which tools there are, or whose a change is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use assize_stop::observation::{CallEvent, Observation, ObservedFile, OpenCall, follow};
use ignore::WalkBuilder;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::git::{Repository, head_of};
use crate::ledger_place::LedgerPlace;
use crate::regular_file;

/// The most files of a tree that is looked at.
pub const FILES_MAX: usize = 50_000;
/// The largest file whose contents are kept, in bytes.
pub const KEPT_BYTES_MAX: u64 = 256 * 1024;
/// The largest file that is read to see whether it changed, in bytes.
const READ_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Bytes of observations above which those that no running session needs are dropped.
pub const OBSERVATIONS_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The most files of one observation that are looked up in git.
const LOOKED_UP_MAX: usize = 5_000;
/// A file that was changed this close to a look may change again without a trace.
const RACY_NS: i64 = 20_000_000;

/// A failure of the journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// The tree has more files than are looked at.
    #[error("the tree has more than {FILES_MAX} files")]
    TooLarge,
    /// The journal lacks observations.
    #[error("the journal of the work tree lacks what happened since the session began")]
    Cut,
}

/// The journal of a work tree.
#[derive(Debug, Clone)]
pub struct TreeJournal {
    folder: PathBuf,
    root: PathBuf,
}

/// What the last look saw, and which calls are open.
#[derive(Debug, Default, Serialize, Deserialize)]
struct LastLook {
    /// How many observations there were.
    seq: u64,
    calls: Vec<OpenCall>,
    /// The commit that was checked out.
    head: Option<String>,
    /// `None` before the first look.
    files: Option<BTreeMap<String, FileLook>>,
}

/// What a look saw of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FileLook {
    bytes: u64,
    modified_ns: i64,
    changed_ns: i64,
    inode: u64,
    /// Whether it may change again and have the same times.
    is_racy: bool,
    /// Its contents, where the times do not tell whether they change.
    hash: Option<String>,
}

impl TreeJournal {
    /// Returns the journal of a project's tree, beside its ledger; `None` without a place out of the tree.
    pub fn of(place: &LedgerPlace, root: &Path) -> Option<Self> {
        let folder = place.file().parent().filter(|_| place.is_anchored())?;
        Some(Self { folder: folder.join("journal"), root: root.to_owned() })
    }

    /// Looks at the tree, keeps what has changed since the last look, and takes an event of a session into account. Returns how many
    /// observations there are.
    ///
    /// # Errors
    ///
    /// See [`JournalError`].
    pub fn record(&self, at_ms: i64, session: &str, event: &CallEvent) -> Result<u64, JournalError> {
        self.make_folders()?;
        let _lock = self.lock()?;
        let mut state = self.state();
        self.look(at_ms, &mut state)?;
        follow(&mut state.calls, session, event);
        self.keep_state(&state)?;
        Ok(state.seq)
    }

    /// Notes the present contents of files, so that later changes of them can be told line by line.
    ///
    /// # Errors
    ///
    /// See [`JournalError`].
    pub fn note(&self, at_ms: i64, paths: &[&str]) -> Result<u64, JournalError> {
        self.make_folders()?;
        let _lock = self.lock()?;
        let mut state = self.state();
        if !paths.is_empty() {
            let files = paths.iter().map(|path| self.observed(path)).collect();
            self.append(&Observation { files, noted: true, ..self.observation(at_ms, &mut state) })?;
            self.keep_state(&state)?;
        }
        Ok(state.seq)
    }

    /// Returns all observations that are kept, oldest first.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read, and if some are missing after the first `needed`.
    pub fn observations(&self, needed: u64) -> Result<Vec<Observation>, JournalError> {
        let path = self.folder.join("observations.jsonl");
        let expected = self.state().seq;
        let file = match regular_file::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound && expected == 0 && needed == 0 => {
                return Ok(Vec::new());
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(JournalError::Cut),
            Err(error) => return Err(JournalError::Io { path, error }),
        };
        let lines = BufReader::new(file).lines().map_while(Result::ok);
        let found: Vec<Observation> = lines.filter_map(|line| serde_json::from_str(&line).ok()).collect();
        let is_whole = found.windows(2).all(|pair| pair[1].seq == pair[0].seq + 1)
            && found.last().map_or(0, |last| last.seq) == expected
            && expected >= needed
            && found.first().is_none_or(|first| first.seq <= needed + 1);
        if is_whole { Ok(found) } else { Err(JournalError::Cut) }
    }

    /// Returns the contents of a file as it was observed, where they were kept and are text.
    pub fn contents(&self, file: &ObservedFile) -> Option<String> {
        let bytes = regular_file::read(&self.kept(file.hash.as_deref()?), KEPT_BYTES_MAX).ok()?;
        String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
    }

    fn kept(&self, hash: &str) -> PathBuf {
        let name: String = hash.chars().filter(char::is_ascii_hexdigit).collect();
        self.folder.join("contents").join(name)
    }

    fn make_folders(&self) -> Result<(), JournalError> {
        let folder = self.folder.join("contents");
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        made.map_err(|error| JournalError::Io { path: folder, error })
    }

    fn lock(&self) -> Result<File, JournalError> {
        let path = self.folder.join("lock");
        let mut options = File::options();
        options
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
        let locked = options.open(&path).and_then(|file| file.lock().map(|()| file));
        locked.map_err(|error| JournalError::Io { path, error })
    }

    /// A state that cannot be read is none: then everything is seen for the first time.
    fn state(&self) -> LastLook {
        let bytes = fs::read(self.folder.join("state")).unwrap_or_default();
        postcard::from_bytes(&bytes).unwrap_or_default()
    }

    fn keep_state(&self, state: &LastLook) -> Result<(), JournalError> {
        let path = self.folder.join("state");
        let kept = || -> io::Result<()> {
            let bytes = postcard::to_allocvec(state).map_err(io::Error::other)?;
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            file.write_all(&bytes)?;
            file.persist(&path)?;
            Ok(())
        };
        kept().map_err(|error| JournalError::Io { path: path.clone(), error })
    }

    fn look(&self, at_ms: i64, state: &mut LastLook) -> Result<(), JournalError> {
        let head = head_of(&self.root).ok().flatten();
        let is_moved = state.files.is_some() && state.head != head;
        state.head = head;
        let mut files = self.files(state.files.as_ref())?;
        if let Some(before) = &state.files {
            let paths: BTreeSet<&String> = before.keys().chain(files.keys()).collect();
            let differs = |path: &&String| !is_same(before.get(*path), files.get(*path));
            let changed: Vec<String> = paths.into_iter().filter(differs).cloned().collect();
            if !changed.is_empty() {
                let observed = changed.iter().map(|path| self.observed(path)).collect();
                let mut observation = Observation { files: observed, ..self.observation(at_ms, state) };
                if !observation.open.is_empty() {
                    self.ask_git(&mut observation, is_moved);
                }
                self.append(&observation)?;
            }
        }
        for look in files.values_mut().filter(|look| !look.is_racy) {
            look.hash = None;
        }
        state.files = Some(files);
        Ok(())
    }

    /// Lists the files of the tree, without those that an ignore list of the tree names.
    fn files(&self, before: Option<&BTreeMap<String, FileLook>>) -> Result<BTreeMap<String, FileLook>, JournalError> {
        let now_ns = nanoseconds(SystemTime::now());
        let mut walk = WalkBuilder::new(&self.root);
        walk.hidden(false).parents(false).git_exclude(false).git_global(false).require_git(false).follow_links(false);
        walk.filter_entry(|entry| !matches!(entry.file_name().to_str(), Some(".git" | ".assize")));
        let mut found = BTreeMap::new();
        for entry in walk.build().flatten() {
            let is_listed = entry.file_type().is_some_and(|kind| kind.is_file() || kind.is_symlink());
            let path = entry.path().strip_prefix(&self.root).ok().and_then(Path::to_str);
            let (true, Some(path), Ok(meta)) = (is_listed, path, entry.path().symlink_metadata()) else { continue };
            if found.len() == FILES_MAX {
                return Err(JournalError::TooLarge);
            }
            let mut look = FileLook {
                bytes: meta.len(),
                modified_ns: meta.mtime() * 1_000_000_000 + meta.mtime_nsec(),
                changed_ns: meta.ctime() * 1_000_000_000 + meta.ctime_nsec(),
                inode: meta.ino(),
                is_racy: false,
                hash: None,
            };
            look.is_racy = now_ns - look.changed_ns.max(look.modified_ns) < RACY_NS;
            let was_racy = before.and_then(|before| before.get(path)).is_some_and(|before| before.is_racy);
            if look.is_racy || was_racy {
                look.hash = self.read(path).map(|(hash, _)| hash);
            }
            found.insert(path.to_owned(), look);
        }
        Ok(found)
    }

    /// Hashes a file, and returns its contents with the hash. A link's contents are where it leads.
    fn read(&self, path: &str) -> Option<(String, Vec<u8>)> {
        use std::os::unix::ffi::OsStringExt as _;

        let full = self.root.join(path);
        let meta = fs::symlink_metadata(&full).ok()?;
        let bytes = if meta.is_symlink() {
            fs::read_link(&full).ok()?.into_os_string().into_vec()
        } else {
            regular_file::read(&full, READ_BYTES_MAX).ok()?
        };
        Some((blake3::hash(&bytes).to_hex().to_string(), bytes))
    }

    /// Describes a file as it is, and keeps its contents.
    fn observed(&self, path: &str) -> ObservedFile {
        let Some((hash, bytes)) = self.read(path) else {
            return ObservedFile { path: path.to_owned(), ..ObservedFile::default() };
        };
        let kept = self.kept(&hash);
        if bytes.len() as u64 <= KEPT_BYTES_MAX && !kept.exists() {
            // Without them the file is told as a whole only.
            let _ = fs::write(kept, &bytes);
        }
        ObservedFile { path: path.to_owned(), hash: Some(hash), ..ObservedFile::default() }
    }

    /// Begins the next observation.
    fn observation(&self, at_ms: i64, state: &mut LastLook) -> Observation {
        let mut open: Vec<String> = state.calls.iter().map(|call| call.session.clone()).collect();
        open.sort_unstable();
        open.dedup();
        state.seq += 1;
        Observation { seq: state.seq, at_ms, open, noted: false, merged: None, files: Vec::new() }
    }

    fn append(&self, observation: &Observation) -> Result<(), JournalError> {
        let path = self.folder.join("observations.jsonl");
        let written = || -> io::Result<()> {
            let mut line = serde_json::to_vec(observation)?;
            line.push(b'\n');
            let flags = OFlags::NOFOLLOW.bits().cast_signed();
            File::options().create(true).append(true).mode(0o600).custom_flags(flags).open(&path)?.write_all(&line)
        };
        written().map_err(|error| JournalError::Io { path: path.clone(), error })
    }

    /// Adds which of the files git had before, since when, and what was merged.
    fn ask_git(&self, observation: &mut Observation, is_moved: bool) {
        let Ok(Some(repository)) = Repository::discover(&self.root) else { return };
        let is_merging = self.root.join(".git/MERGE_HEAD").exists();
        observation.merged = (is_moved || is_merging).then(|| repository.merged()).flatten();
        let contents = |file: &ObservedFile| {
            let kept = fs::read(self.kept(file.hash.as_deref()?)).ok();
            kept.or_else(|| self.read(&file.path).map(|(_, bytes)| bytes))
        };
        let object = |file: &ObservedFile| repository.object_of(&contents(file)?);
        let objects: Vec<Option<String>> = observation.files.iter().take(LOOKED_UP_MAX).map(object).collect();
        let named: Vec<&str> = objects.iter().flatten().map(String::as_str).collect();
        let Ok(there) = repository.objects_since(&named) else { return };
        for (file, object) in observation.files.iter_mut().zip(&objects) {
            if let Some((object, since)) = object.as_ref().and_then(|object| Some((object, there.get(object)?))) {
                file.object = Some(object.clone());
                file.object_since_ms = *since;
            }
        }
    }
}

impl FileLook {
    fn stat(&self) -> (u64, i64, i64, u64) {
        (self.bytes, self.modified_ns, self.changed_ns, self.inode)
    }
}

/// Two looks at a file tell the same contents.
fn is_same(before: Option<&FileLook>, now: Option<&FileLook>) -> bool {
    match (before, now) {
        (Some(before), Some(now)) => match (&before.hash, &now.hash) {
            (Some(before), Some(now)) => before == now,
            _ => before.stat() == now.stat(),
        },
        (None, None) => true,
        _ => false,
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
