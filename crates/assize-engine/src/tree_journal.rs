//! Looks at a work tree before and after tool calls, and keeps what changed in between.
//!
//! One journal is kept for each work tree, whatever sessions work in it, beside the project's ledger. A look compares the
//! size, the times and the inode of each file with those of the look before; only what differs is read. This module must
//! not know which tools there are, or whose a change is.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use assize_patch::git_object;
use assize_stop::observation::{
    CallEvent, GitMove, Observation, ObservedFile, OpenCall, OpenSession, UnheardCall, follow,
};
use ignore::WalkBuilder;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::git::Repository;
use crate::ledger_place::LedgerPlace;
use crate::random::fresh_word;
use crate::{private_file, regular_file};

/// The most files of a tree that is looked at.
pub const FILES_MAX: usize = 50_000;
/// The largest file whose contents are kept, in bytes.
pub const KEPT_BYTES_MAX: u64 = 256 * 1024;
/// The largest file that is read to see whether it changed, in bytes.
const READ_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Bytes of observations above which the older half is dropped when a session begins.
pub const OBSERVATIONS_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Bytes of kept contents above which the older half of the observations is dropped when a session begins.
pub const CONTENTS_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// A file that was changed this close to a look may change again without a trace.
const RACY_NS: i64 = 20_000_000;

/// Most sessions of which it is known when they were heard last.
const HEARD_MAX: usize = 64;

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

/// How far a journal had come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalMark {
    /// The journal.
    pub journal: String,
    /// How many observations it had.
    pub observations: u64,
}

/// What a session did before its beginning was heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierWork {
    /// How many observations there were before it.
    pub before: u64,
    /// The files that changed while its calls were open.
    pub paths: HashSet<String>,
}

/// What the last look saw, and which calls are open.
#[derive(Debug, Default, Serialize, Deserialize)]
struct LastLook {
    /// Names the journal: one that is begun anew is another one.
    journal: String,
    /// How many observations there were.
    seq: u64,
    calls: Vec<OpenCall>,
    /// How many observations there were when each session was heard last, the latest at the end.
    heard: Vec<(String, u64)>,
    /// Where git stood.
    position: Option<String>,
    /// In the order of their paths; `None` before the first look.
    files: Option<Vec<FileLook>>,
}

/// What a look saw of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FileLook {
    path: String,
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
        Some(Self { folder: place.beside("journal")?, root: root.to_owned() })
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
        let mut state = self.begun();
        let is_heard = |ended: &str| state.calls.iter().any(|open| open.session == session && open.call == *ended);
        let (is_unheard, over) = match event {
            CallEvent::Ended { call, .. } => (!is_heard(call), Some((session, call.as_str()))),
            event => (*event == CallEvent::WaitsUnheard, None),
        };
        let since = state.heard.iter().find(|(heard, _)| heard == session).map_or(state.seq, |(_, seq)| *seq);
        let unheard = is_unheard.then(|| UnheardCall { session: session.to_owned(), since });
        self.look(at_ms, &mut state, over, unheard)?;
        let event = self.within(event);
        follow(&mut state.calls, at_ms, session, &event);
        if let (CallEvent::Began { path: Some(path), edit: Some(edit), .. }, Some(call)) =
            (&event, state.calls.last_mut())
        {
            let before =
                self.read(path).map_or_else(String::new, |(_, bytes)| String::from_utf8_lossy(&bytes).into_owned());
            call.writes = edit.applied(&before).map(|text| hash_of(text.as_bytes()));
        }
        state.heard.retain(|(heard, _)| heard != session);
        state.heard.push((session.to_owned(), state.seq));
        let more = state.heard.len().saturating_sub(HEARD_MAX);
        state.heard.drain(..more);
        self.keep_state(&state)?;
        Ok(state.seq)
    }

    /// Returns an event with the path of the file that it names below the root. A file elsewhere is none of the tree's.
    fn within(&self, event: &CallEvent) -> CallEvent {
        let CallEvent::Began { call, path: Some(path), edit } = event else { return event.clone() };
        let real = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        let full = self.root.join(path);
        let below = full.strip_prefix(&self.root).or_else(|_| full.strip_prefix(&real));
        let path = below.map_or_else(|_| path.clone(), |below| below.to_string_lossy().into_owned());
        CallEvent::Began { call: call.clone(), path: Some(path), edit: edit.clone() }
    }

    /// Notes the present contents of files, so that later changes of them can be told line by line.
    ///
    /// # Errors
    ///
    /// See [`JournalError`].
    pub fn note(&self, at_ms: i64, paths: &[&str]) -> Result<JournalMark, JournalError> {
        self.make_folders()?;
        let _lock = self.lock()?;
        self.prune(OBSERVATIONS_BYTES_MAX, CONTENTS_BYTES_MAX)?;
        let mut state = self.begun();
        if !paths.is_empty() {
            let files = paths.iter().map(|path| self.observed(path)).collect();
            self.append(&Observation { files, noted: true, ..Self::observation(at_ms, &mut state, None) })?;
            self.keep_state(&state)?;
        }
        Ok(JournalMark { journal: state.journal, observations: state.seq })
    }

    /// Returns all observations that are kept, oldest first.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read, if some are missing after a mark, and if the journal is another one.
    pub fn observations(&self, mark: &JournalMark) -> Result<Vec<Observation>, JournalError> {
        let path = self.folder.join("observations.jsonl");
        let LastLook { journal, seq: expected, .. } = self.state();
        let needed = mark.observations;
        if journal != mark.journal {
            return Err(JournalError::Cut);
        }
        let file = match regular_file::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound && expected == 0 && needed == 0 => {
                return Ok(Vec::new());
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(JournalError::Cut),
            Err(error) => return Err(JournalError::Io { path, error }),
        };
        let lines = BufReader::new(file).lines().map_while(Result::ok);
        let mut found: Vec<Observation> = Vec::new();
        for observation in lines.filter_map(|line| serde_json::from_str::<Observation>(&line).ok()) {
            // What was killed before it had kept its state is observed again, with what has changed since.
            let _again = found.pop_if(|last| last.seq == observation.seq);
            found.push(observation);
        }
        // What was lost before the mark is missed by others.
        let since = &found[found.iter().position(|one| one.seq > needed).unwrap_or(found.len())..];
        let is_whole = expected >= needed && since.iter().map(|one| one.seq).eq(needed + 1..=expected);
        if is_whole { Ok(found) } else { Err(JournalError::Cut) }
    }

    /// Returns what was observed of sessions whose beginning was not heard; `None` where their calls changed nothing.
    pub fn earlier(&self, sessions: &[String]) -> Option<EarlierWork> {
        let file = regular_file::open(&self.folder.join("observations.jsonl")).ok()?;
        let lines = BufReader::new(file).lines().map_while(Result::ok);
        let observations = lines.filter_map(|line| serde_json::from_str::<Observation>(&line).ok());
        let is_own = |one: &Observation| !one.noted && one.open.iter().any(|open| sessions.contains(&open.session));
        let mut own = observations.filter(is_own).peekable();
        let before = own.peek()?.seq.saturating_sub(1);
        Some(EarlierWork { before, paths: own.flat_map(|one| one.files).map(|file| file.path).collect() })
    }

    /// Returns the contents of a file as it was observed, where they were kept and are text.
    pub fn contents(&self, file: &ObservedFile) -> Option<String> {
        let hash = file.hash.as_deref()?;
        let bytes = regular_file::read(&self.kept(hash), KEPT_BYTES_MAX).ok().filter(|bytes| hash_of(bytes) == hash)?;
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
        private_file::lock(&path).map_err(|error| JournalError::Io { path, error })
    }

    /// Drops the older half of the observations where they or their contents take too much room. A session that needs them
    /// is told that they are missing.
    fn prune(&self, observations_max: u64, contents_max: u64) -> Result<(), JournalError> {
        let path = self.folder.join("observations.jsonl");
        let contents = || fs::read_dir(self.folder.join("contents")).into_iter().flatten().flatten();
        let bytes = fs::metadata(&path).map_or(0, |meta| meta.len());
        let of_contents: u64 = contents().filter_map(|file| Some(file.metadata().ok()?.len())).sum();
        if bytes <= observations_max && of_contents <= contents_max {
            return Ok(());
        }
        let pruned = || -> io::Result<()> {
            let text = fs::read_to_string(&path)?;
            let lines: Vec<&str> = text.lines().collect();
            let left = &lines[lines.len().div_ceil(2)..];
            private_file::replace(&path, left.iter().map(|line| format!("{line}\n")).collect::<String>().as_bytes())?;
            let seen = left.iter().filter_map(|line| serde_json::from_str::<Observation>(line).ok());
            let needed: HashSet<String> = seen.flat_map(|one| one.files).filter_map(|file| file.hash).collect();
            for file in contents().filter(|file| !needed.contains(&*file.file_name().to_string_lossy())) {
                fs::remove_file(file.path())?;
            }
            Ok(())
        };
        pruned().map_err(|error| JournalError::Io { path: path.clone(), error })
    }

    /// A state that cannot be read is none: then everything is seen for the first time.
    /// The last look; where none is known, observations begin anew.
    fn begun(&self) -> LastLook {
        let state = self.state();
        if state.seq == 0 && state.files.is_none() {
            // Where they cannot be removed, the journal is found to be cut.
            let _ = fs::remove_file(self.folder.join("observations.jsonl"));
        }
        state
    }

    fn state(&self) -> LastLook {
        let bytes = fs::read(self.folder.join("state")).unwrap_or_default();
        let begun = || LastLook { journal: fresh_word(), ..LastLook::default() };
        postcard::from_bytes(&bytes).ok().filter(|last: &LastLook| !last.journal.is_empty()).unwrap_or_else(begun)
    }

    fn keep_state(&self, state: &LastLook) -> Result<(), JournalError> {
        let path = self.folder.join("state");
        let bytes = postcard::to_allocvec(state).map_err(io::Error::other);
        bytes.and_then(|bytes| private_file::replace(&path, &bytes)).map_err(|error| JournalError::Io { path, error })
    }

    fn look(
        &self,
        at_ms: i64,
        state: &mut LastLook,
        over: Option<(&str, &str)>,
        unheard: Option<UnheardCall>,
    ) -> Result<(), JournalError> {
        let position = Repository::position(&self.root);
        let is_moved = state.files.is_some() && state.position != position;
        state.position = position;
        let mut files = self.files(state.files.as_deref().unwrap_or_default())?;
        if let Some(before) = &state.files {
            let observed: Vec<ObservedFile> = changed(before, &files).map(|path| self.observed(path)).collect();
            let git = is_moved.then(|| self.git_move()).flatten();
            if !observed.is_empty() || git.is_some() || unheard.is_some() {
                self.append(&Observation { files: observed, git, unheard, ..Self::observation(at_ms, state, over) })?;
            }
        }
        for file in files.iter_mut().filter(|file| !file.is_racy) {
            file.hash = None;
        }
        state.files = Some(files);
        Ok(())
    }

    /// Lists the files of the tree, without those that an ignore list of the tree names.
    fn files(&self, before: &[FileLook]) -> Result<Vec<FileLook>, JournalError> {
        let racy: HashSet<&str> = before.iter().filter(|file| file.is_racy).map(|file| file.path.as_str()).collect();
        let now_ns = nanoseconds(SystemTime::now());
        let mut walk = WalkBuilder::new(&self.root);
        walk.hidden(false).parents(false).git_exclude(false).git_global(false).require_git(false).follow_links(false);
        walk.filter_entry(|entry| !matches!(entry.file_name().to_str(), Some(".git" | ".assize")));
        let mut found = Vec::with_capacity(before.len());
        for entry in walk.build().flatten() {
            let is_listed = entry.file_type().is_some_and(|kind| kind.is_file() || kind.is_symlink());
            let path = entry.path().strip_prefix(&self.root).ok().and_then(Path::to_str);
            let (true, Some(path), Ok(meta)) = (is_listed, path, entry.path().symlink_metadata()) else { continue };
            if found.len() == FILES_MAX {
                return Err(JournalError::TooLarge);
            }
            let mut look = FileLook {
                path: path.to_owned(),
                bytes: meta.len(),
                modified_ns: meta.mtime() * 1_000_000_000 + meta.mtime_nsec(),
                changed_ns: meta.ctime() * 1_000_000_000 + meta.ctime_nsec(),
                inode: meta.ino(),
                is_racy: false,
                hash: None,
            };
            look.is_racy = now_ns - look.changed_ns.max(look.modified_ns) < RACY_NS;
            if look.is_racy || racy.contains(path) {
                look.hash = self.read(path).map(|(hash, _)| hash);
            }
            found.push(look);
        }
        found.sort_unstable_by(|one, other| one.path.cmp(&other.path));
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
        Some((hash_of(&bytes), bytes))
    }

    /// Describes a file as it is, and keeps its contents.
    fn observed(&self, path: &str) -> ObservedFile {
        let Some((hash, bytes)) = self.read(path) else {
            return ObservedFile { path: path.to_owned(), ..ObservedFile::default() };
        };
        let kept = self.kept(&hash);
        let is_kept = || kept.metadata().is_ok_and(|meta| meta.len() == bytes.len() as u64);
        if bytes.len() as u64 <= KEPT_BYTES_MAX && !is_kept() {
            // Without them the file is told as a whole only.
            let _ = fs::write(&kept, &bytes);
        }
        ObservedFile { path: path.to_owned(), hash: Some(hash), object: Some(git_object(&bytes)) }
    }

    /// Begins the next observation. A call of a session may be over with it.
    fn observation(at_ms: i64, state: &mut LastLook, over: Option<(&str, &str)>) -> Observation {
        let open = |call: &OpenCall| OpenSession {
            session: call.session.clone(),
            path: call.path.clone(),
            writes: call.writes.clone(),
            is_over: over == Some((&call.session, &call.call)),
        };
        let mut open: Vec<OpenSession> = state.calls.iter().map(open).collect();
        open.sort_unstable();
        open.dedup();
        state.seq += 1;
        Observation { seq: state.seq, at_ms, open, ..Observation::default() }
    }

    /// Where the repository stands after git has moved something.
    fn git_move(&self) -> Option<GitMove> {
        let repository = Repository::discover(&self.root).ok().flatten()?;
        Some(GitMove {
            head: repository.head().ok().flatten(),
            fetched: repository.fetched().unwrap_or_default(),
            stashed: repository.stashed(),
        })
    }

    fn append(&self, observation: &Observation) -> Result<(), JournalError> {
        let path = self.folder.join("observations.jsonl");
        let written = || -> io::Result<()> {
            let mut line = serde_json::to_vec(observation)?;
            line.push(b'\n');
            let flags = OFlags::NOFOLLOW.bits().cast_signed();
            let mut options = File::options();
            options.create(true).read(true).append(true).mode(0o600).custom_flags(flags);
            let mut file = options.open(&path)?;
            let (bytes, mut last) = (file.metadata()?.len(), [b'\n']);
            if bytes > 0 {
                file.read_exact_at(&mut last, bytes - 1)?;
            }
            // A line whose process was killed has no end.
            if last != [b'\n'] {
                line.insert(0, b'\n');
            }
            file.write_all(&line)
        };
        written().map_err(|error| JournalError::Io { path: path.clone(), error })
    }
}

fn hash_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

impl FileLook {
    fn stat(&self) -> (u64, i64, i64, u64) {
        (self.bytes, self.modified_ns, self.changed_ns, self.inode)
    }

    /// Two looks tell the same contents.
    fn is_same_as(&self, other: &Self) -> bool {
        match (&self.hash, &other.hash) {
            (Some(hash), Some(other)) => hash == other,
            _ => self.stat() == other.stat(),
        }
    }
}

/// Walks over the paths of files that are not the same in two looks. Both are in the order of their paths.
fn changed<'a>(before: &'a [FileLook], now: &'a [FileLook]) -> impl Iterator<Item = &'a str> {
    let (mut before, mut now) = (before.iter().peekable(), now.iter().peekable());
    std::iter::from_fn(move || {
        loop {
            let (old, new) = (before.peek(), now.peek());
            let order = match (old, new) {
                (None, None) => return None,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(old), Some(new)) => old.path.cmp(&new.path),
            };
            let old = before.next_if(|_| order != Ordering::Greater);
            let new = now.next_if(|_| order != Ordering::Less);
            if !old.zip(new).is_some_and(|(old, new)| old.is_same_as(new)) {
                return old.or(new).map(|file| file.path.as_str());
            }
        }
    })
}

fn nanoseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use assize_testkit::repo::Repo;

    use super::*;

    fn journal(repo: &Repo) -> TreeJournal {
        let place = LedgerPlace::of_project(&repo.outside().join("state"), &repo.path());
        TreeJournal::of(&place, &repo.path()).expect("a place")
    }

    fn began(call: &str) -> CallEvent {
        CallEvent::Began { call: call.to_owned(), path: None, edit: None }
    }

    /// The beginning of a journal.
    fn start(journal: &TreeJournal) -> JournalMark {
        JournalMark { journal: journal.state().journal, observations: 0 }
    }

    fn paths(observation: &Observation) -> Vec<&str> {
        observation.files.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn a_look_sees_what_came_went_and_changed() {
        let repo = Repo::with_commit(&[("a.rs", "1\n"), ("b.rs", "1\n"), ("c.rs", "1\n"), (".gitignore", "target\n")]);
        let journal = journal(&repo);
        assert_eq!(
            journal.record(1, "s", &began("1")).expect("a look"),
            0,
            "the first look has nothing to compare with"
        );
        repo.write("a.rs", "2\n");
        fs::remove_file(repo.path().join("b.rs")).expect("removed");
        repo.write("d.rs", "1\n");
        repo.write("target/out", "1\n");
        repo.write(".assize/x", "1\n");
        assert_eq!(journal.record(2, "s", &CallEvent::Idle).expect("a look"), 1);
        assert_eq!(journal.record(3, "s", &CallEvent::Idle).expect("a look"), 1, "nothing is new");
        let seen = journal.observations(&start(&journal)).expect("kept");
        assert_eq!((paths(&seen[0]), seen[0].open[0].session.as_str()), (vec!["a.rs", "b.rs", "d.rs"], "s"));
        let text: Vec<Option<String>> = seen[0].files.iter().map(|file| journal.contents(file)).collect();
        assert_eq!(text, [Some("2\n".to_owned()), None, Some("1\n".to_owned())]);
    }

    #[test]
    fn contents_that_change_within_the_same_moment_are_seen() {
        let repo = Repo::with_commit(&[("a.rs", "1\n")]);
        let journal = journal(&repo);
        let path = repo.path().join("a.rs");
        let time = fs::metadata(&path).and_then(|meta| meta.modified()).expect("a time");
        let set = |text: &str| {
            fs::write(&path, text).expect("written");
            File::options().write(true).open(&path).and_then(|file| file.set_modified(time)).expect("set");
        };
        set("2\n");
        journal.record(1, "s", &began("1")).expect("a look");
        set("3\n");
        assert_eq!(journal.record(2, "s", &CallEvent::Idle).expect("a look"), 1);
    }

    #[test]
    fn what_git_did_is_noted_where_a_call_was_open() {
        let repo = Repo::with_commit(&[("a.rs", "1\n")]);
        let journal = journal(&repo);
        journal.record(1, "s", &began("1")).expect("a look");
        repo.write("b.rs", "1\n");
        journal.record(2, "s", &began("2")).expect("a look");
        repo.write("c.rs", "1\n");
        repo.commit("c");
        journal.record(3, "s", &CallEvent::Idle).expect("a look");
        let seen = journal.observations(&start(&journal)).expect("kept");
        let heads: Vec<Option<&str>> =
            seen.iter().map(|one| one.git.as_ref().and_then(|moved| moved.head.as_deref())).collect();
        assert_eq!(heads, [None, Some(repo.head().as_str())]);
        assert_eq!(seen[0].files[0].object.as_deref(), Some("d00491fd7e5bb6fa28c517a0bb32b8b506539d4d"));
    }

    #[test]
    fn a_journal_that_grows_too_large_loses_its_older_half() {
        let repo = Repo::with_commit(&[("a.rs", "1\n")]);
        let journal = journal(&repo);
        for number in 0..5 {
            repo.write("a.rs", &format!("{number}\n"));
            journal.record(number, "s", &began("1")).expect("a look");
        }
        let bytes = fs::metadata(journal.folder.join("observations.jsonl")).expect("kept").len();
        journal.prune(bytes, 8).expect("at the limits");
        assert_eq!(journal.observations(&start(&journal)).expect("all").len(), 4);
        for (observations_max, contents_max, left) in [(bytes - 1, 8, 2), (bytes, 3, 1)] {
            journal.prune(observations_max, contents_max).expect("past one of them");
            assert!(matches!(journal.observations(&start(&journal)), Err(JournalError::Cut)));
            let later = JournalMark { observations: 4 - left, ..start(&journal) };
            let seen = journal.observations(&later).expect("the later half");
            assert!(seen.iter().flat_map(|one| &one.files).all(|file| journal.contents(file).is_some()));
            let kept = fs::read_dir(journal.folder.join("contents")).expect("a folder").count();
            assert_eq!((seen.len(), kept), (left as usize, left as usize));
        }
    }

    #[test]
    fn a_journal_goes_on_after_a_kill_and_after_it_lost_its_state() {
        let repo = Repo::with_commit(&[("a.rs", "1\n")]);
        let journal = journal(&repo);
        let look = |text: &str| {
            repo.write("a.rs", text);
            journal.record(1, "s", &began("1")).expect("a look");
        };
        look("2\n");
        let (state, observations) = (journal.folder.join("state"), journal.folder.join("observations.jsonl"));
        let before = fs::read(&state).expect("kept");
        look("3\n");
        // The process ended when it had told what it saw, then while it told it.
        fs::write(&state, &before).expect("written");
        look("4\n");
        let whole = fs::read_to_string(&observations).expect("kept");
        fs::write(&observations, format!("{whole}{{\"seq\":")).expect("written");
        look("5\n");
        let seen = journal.observations(&start(&journal)).expect("whole");
        let last = seen.last().and_then(|last| journal.contents(&last.files[0]));
        assert_eq!((seen.len(), last.as_deref()), (2, Some("5\n")));

        let lost = start(&journal);
        fs::remove_file(&state).expect("removed");
        look("6\n");
        look("7\n");
        assert!(matches!(journal.observations(&lost), Err(JournalError::Cut)), "what was begun before is lost");
        assert_eq!(journal.observations(&start(&journal)).expect("begun anew").len(), 1);
    }

    #[test]
    fn contents_that_were_changed_are_not_taken() {
        let repo = Repo::with_commit(&[("a.rs", "1\n")]);
        let journal = journal(&repo);
        journal.record(1, "s", &began("1")).expect("a look");
        repo.write("a.rs", "2\n");
        journal.record(2, "s", &CallEvent::Idle).expect("a look");
        let seen = journal.observations(&start(&journal)).expect("kept").pop().expect("one").files.remove(0);
        assert_eq!(journal.contents(&seen).as_deref(), Some("2\n"));
        fs::write(journal.kept(seen.hash.as_deref().expect("a hash")), "").expect("written");
        assert_eq!(journal.contents(&seen), None);
    }

    #[test]
    fn a_call_whose_beginning_was_not_heard_may_be_whose_work_it_is() {
        let repo = Repo::with_commit(&[("a.rs", "1\n")]);
        let journal = journal(&repo);
        journal.record(1, "s", &CallEvent::Idle).expect("a look");
        repo.write("a.rs", "2\n");
        journal.record(2, "s", &CallEvent::Ended { call: "1".to_owned(), task: None }).expect("a look");
        repo.write("a.rs", "3\n");
        journal.record(3, "s", &CallEvent::Idle).expect("a look");
        let seen = journal.observations(&start(&journal)).expect("kept");
        let unheard = |session: &str, since: u64| Some(UnheardCall { session: session.to_owned(), since });
        assert_eq!(seen.iter().map(|one| one.unheard.clone()).collect::<Vec<_>>(), [unheard("s", 0), None]);
        journal.record(4, "other", &CallEvent::Idle).expect("a look");
        repo.write("a.rs", "4\n");
        journal.record(5, "other", &CallEvent::Idle).expect("a look");
        journal.record(6, "s", &CallEvent::Ended { call: "2".to_owned(), task: None }).expect("a look");
        let last = journal.observations(&start(&journal)).expect("kept").pop().expect("one");
        assert_eq!((last.seq, last.unheard), (4, unheard("s", 2)), "what others saw in between may be of the call");
    }

    #[test]
    fn a_journal_that_lacks_something_says_so() {
        let repo = Repo::with_commit(&[("a.rs", "1\n")]);
        let journal = journal(&repo);
        for number in 0..4 {
            repo.write("a.rs", &format!("{number}\n"));
            journal.record(number, "s", &began("1")).expect("a look");
        }
        assert_eq!(journal.observations(&start(&journal)).expect("kept").len(), 3);
        let path = journal.folder.join("observations.jsonl");
        let whole = fs::read_to_string(&path).expect("kept");
        let lines: Vec<&str> = whole.lines().collect();
        for cut in [String::new(), lines[..2].join("\n"), [lines[0], lines[2]].join("\n"), lines[2].to_owned()] {
            fs::write(&path, cut + "\n").expect("written");
            assert!(matches!(journal.observations(&start(&journal)), Err(JournalError::Cut)));
        }
        let later = JournalMark { observations: 2, ..start(&journal) };
        assert_eq!(journal.observations(&later).expect("as much as is needed").len(), 1);
        fs::write(&path, [lines[0], "torn", lines[2]].join("\n") + "\n").expect("written");
        assert_eq!(journal.observations(&later).expect("what is lost is not needed").len(), 2);
        let other = JournalMark { journal: "another".to_owned(), ..later };
        assert!(matches!(journal.observations(&other), Err(JournalError::Cut)));
        fs::remove_file(&path).expect("removed");
        assert!(matches!(journal.observations(&start(&journal)), Err(JournalError::Cut)));
    }
}
