//! A tree under many eyes: threads go through its files and read what is worth reading.
//!
//! The same tree gives the same findings, however many threads there are and whatever was known before; only beyond
//! the limits it depends on which file was met first. What is left out is said. It must not know what the files mean
//! together.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use assize_brief::brief::{LIMIT_FILES_MAX, Limit};
use assize_brief::capability::counts_lines;
use assize_brief::facts::{FileFacts, PassedOver};
use assize_brief::language::{FILE_BYTES_MAX, Reader, language_of};
use assize_brief::manifest::{MANIFEST_BYTES_MAX, wants_text};
use assize_brief::schema_type::{self, SCHEMA_BYTES_MAX, may_be_schema};
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};
use rustix::fs::OFlags;

use super::cache::{Digest, Kept, Row, Stamp, digest};
use super::{Effort, Said, Survey, Surveyed};
use crate::git::odd_ignore_list;

/// The most paths of one tree that are looked at.
pub const PATHS_MAX: usize = 1_000_000;
/// The most bytes of files that one survey covers, those included that are known from before.
pub const SURVEY_BYTES_MAX: u64 = 2 * 1024 * 1024 * 1024;
/// How far into a file that is too large its lines are counted, in bytes.
pub const COUNTED_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A file that changed less than this before the survey began may change once more without its times showing it.
const FRESH_NS: i64 = 2_000_000_000;

/// Folders that are no part of a project's tree.
const NOT_OURS: [&str; 2] = [".git", ".assize"];

/// How much is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub paths: usize,
    pub bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { paths: PATHS_MAX, bytes: SURVEY_BYTES_MAX }
    }
}

/// What is known before a survey.
#[derive(Debug, Clone, Copy)]
pub enum Earlier<'k> {
    /// Nothing.
    Nothing,
    /// What earlier surveys of this tree kept.
    Kept(&'k Kept<'k>),
    /// A survey of a tree much like this one.
    Survey(&'k Survey),
}

/// A file that was looked at.
#[derive(Debug)]
pub struct Looked<'k> {
    pub path: String,
    /// Nothing for a file that nobody wants to read.
    pub found: Option<Found<'k>>,
}

impl Looked<'_> {
    /// Returns what the file says.
    pub fn said(&self) -> Option<&Said> {
        self.found.as_ref().map(|found| found.said.as_ref())
    }

    /// Returns what it says as source code.
    pub fn facts(&self) -> Option<&FileFacts> {
        self.said()?.facts.as_ref()
    }
}

/// What was found in a file.
#[derive(Debug)]
pub struct Found<'k> {
    pub digest: Digest,
    /// Nothing where the file is too fresh to be known by its times.
    pub stamp: Option<Stamp>,
    pub said: Arc<Said>,
    /// What is to be kept of it, if anything is kept.
    pub row: Option<Row<'k>>,
    /// Whether exactly this was kept before.
    pub is_kept: bool,
}

/// Why a file was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Omission {
    Unreadable,
    OddName,
    TooMuch,
    TooMany,
}

/// A tree, and what has been found in it so far.
#[derive(Debug)]
pub struct Scene<'k> {
    root: &'k Path,
    earlier: Earlier<'k>,
    bounds: Bounds,
    began_ns: i64,
    paths: AtomicUsize,
    bytes: AtomicU64,
    harvest: Mutex<Harvest<'k>>,
}

#[derive(Debug, Default)]
struct Harvest<'k> {
    files: Vec<Looked<'k>>,
    omitted: Vec<(Omission, String)>,
    effort: Effort,
}

impl<'k> Scene<'k> {
    pub fn new(root: &'k Path, earlier: Earlier<'k>, bounds: Bounds) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let began_ns = i64::try_from(since.as_nanos()).unwrap_or(i64::MAX);
        let harvest = Mutex::new(Harvest::default());
        Self { root, earlier, bounds, began_ns, paths: AtomicUsize::new(0), bytes: AtomicU64::new(0), harvest }
    }

    /// Looks at all files below the root that git would not ignore. A folder whose list of ignored files is a pipe or a
    /// device is left out: its reader would wait for ever.
    pub fn walk(&self) {
        let odd = Arc::new(Mutex::new(Vec::from_iter(odd_ignore_list(self.root))));
        let found = Arc::clone(&odd);
        if self.left_out(&odd) {
            return;
        }
        WalkBuilder::new(self.root)
            .hidden(false)
            .ignore(false)
            .git_global(false)
            .parents(false)
            .require_git(false)
            .threads(threads())
            .filter_entry(move |entry| {
                let list = entry.file_type().filter(FileType::is_dir).and_then(|_| odd_ignore_list(entry.path()));
                let plain = list.is_none();
                found.lock().unwrap_or_else(PoisonError::into_inner).extend(list);
                plain && !NOT_OURS.iter().any(|name| entry.file_name() == *name)
            })
            .build_parallel()
            .visit(&mut Crew(self));
        self.left_out(&odd);
    }

    /// Says of lists that they were not opened, if there are any.
    fn left_out(&self, odd: &Mutex<Vec<PathBuf>>) -> bool {
        let odd = std::mem::take(&mut *odd.lock().unwrap_or_else(PoisonError::into_inner));
        let mut harvest = self.harvest.lock().unwrap_or_else(PoisonError::into_inner);
        for path in &odd {
            let path = path.strip_prefix(self.root).unwrap_or(path).to_string_lossy().into_owned();
            harvest.omitted.push((Omission::Unreadable, path));
        }
        !odd.is_empty()
    }

    /// Looks at these files.
    pub fn go_through(&self, paths: &BTreeSet<String>) {
        let paths: Vec<&String> = paths.iter().collect();
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..threads() {
                scope.spawn(|| {
                    let mut looker = Looker::new(self);
                    while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let full = self.root.join(path);
                        if !leads_through_a_link(self.root, path) {
                            looker.look(path, &full, None);
                        }
                    }
                });
            }
        });
    }

    /// Returns what was found.
    pub fn finish(self) -> Outcome<'k> {
        let mut harvest = self.harvest.into_inner().unwrap_or_else(PoisonError::into_inner);
        harvest.files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        let mut omitted: BTreeMap<Omission, BTreeSet<String>> = BTreeMap::new();
        for (why, path) in harvest.omitted {
            omitted.entry(why).or_default().insert(path);
        }
        let limits = omitted.into_iter().map(|(why, paths)| Limit {
            message: match why {
                Omission::Unreadable => "files that could not be read".to_owned(),
                Omission::OddName => "files whose names are no text".to_owned(),
                Omission::TooMuch => format!("files beyond {} bytes in all", self.bounds.bytes),
                Omission::TooMany => format!("files beyond the first {} that were met", self.bounds.paths),
            },
            left_out: u32::try_from(paths.len()).unwrap_or(u32::MAX),
            files: paths.into_iter().take(LIMIT_FILES_MAX).collect(),
        });
        Outcome { files: harvest.files, limits: limits.collect(), effort: harvest.effort }
    }
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Returns whether a folder on the way is a link: the file lies elsewhere then.
fn leads_through_a_link(root: &Path, path: &str) -> bool {
    let parents = path.match_indices('/').map(|(end, _)| &path[..end]);
    parents.into_iter().any(|parent| root.join(parent).is_symlink())
}

/// All that a survey found.
#[derive(Debug)]
pub struct Outcome<'k> {
    pub files: Vec<Looked<'k>>,
    limits: Vec<Limit>,
    effort: Effort,
}

impl Outcome<'_> {
    /// Returns whether this is not exactly what is kept already.
    pub fn is_news_to(&self, kept: &Kept<'_>) -> bool {
        let found = || self.files.iter().filter_map(|file| file.found.as_ref()).filter(|found| found.row.is_some());
        found().count() != kept.len() || found().any(|found| !found.is_kept)
    }

    /// Keeps what a brief is made of.
    pub fn survey(self) -> Survey {
        let files = self
            .files
            .into_iter()
            .map(|file| Surveyed { path: file.path, said: file.found.map(|found| (found.digest, found.said)) });
        Survey { files: files.collect(), tally: None, limits: self.limits, effort: self.effort }
    }
}

/// Sends a looker into each thread.
struct Crew<'s, 'k>(&'s Scene<'k>);

impl<'s> ParallelVisitorBuilder<'s> for Crew<'s, '_> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 's> {
        Box::new(Looker::new(self.0))
    }
}

/// Looks at files, one after the other. It hands over what it found when it is gone.
struct Looker<'s, 'k> {
    scene: &'s Scene<'k>,
    reader: Reader,
    buffer: Vec<u8>,
    harvest: Harvest<'k>,
}

impl Drop for Looker<'_, '_> {
    fn drop(&mut self) {
        let mut all = self.scene.harvest.lock().unwrap_or_else(PoisonError::into_inner);
        all.files.append(&mut self.harvest.files);
        all.omitted.append(&mut self.harvest.omitted);
        all.effort.read += self.harvest.effort.read;
        all.effort.parsed += self.harvest.effort.parsed;
    }
}

impl ParallelVisitor for Looker<'_, '_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                self.omit(Omission::Unreadable, error.to_string());
                return WalkState::Continue;
            }
        };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return WalkState::Continue;
        }
        let relative = entry.path().strip_prefix(self.scene.root).unwrap_or(entry.path());
        let Some(path) = relative.to_str() else {
            self.omit(Omission::OddName, relative.to_string_lossy().into_owned());
            return WalkState::Continue;
        };
        if self.scene.paths.fetch_add(1, Ordering::Relaxed) >= self.scene.bounds.paths {
            self.omit(Omission::TooMany, path.to_owned());
            return WalkState::Quit;
        }
        let stamp = bytes_wanted(path).and_then(|_| entry.metadata().ok()).map(|meta| Stamp::of(&meta));
        self.look(path, entry.path(), stamp);
        WalkState::Continue
    }
}

impl<'s, 'k> Looker<'s, 'k> {
    fn new(scene: &'s Scene<'k>) -> Self {
        Self { scene, reader: Reader::new(), buffer: Vec::new(), harvest: Harvest::default() }
    }

    fn omit(&mut self, why: Omission, path: String) {
        self.harvest.omitted.push((why, path));
    }

    /// Looks at one file. `stamp` is how it looks from outside, where that is known already.
    fn look(&mut self, path: &str, full: &Path, stamp: Option<Stamp>) {
        let found = match bytes_wanted(path) {
            None => Ok(None),
            Some(bytes_max) => match self.known(path, stamp) {
                Ok(None) => self.read(path, full, bytes_max),
                known => known,
            },
        };
        match found {
            Ok(found) => self.harvest.files.push(Looked { path: path.to_owned(), found }),
            // It is gone by now.
            Err(Fault::Io(error)) if error.kind() == io::ErrorKind::NotFound => {}
            // A link, a pipe or the like: no part of what is looked at.
            Err(Fault::NotAFile) => {}
            Err(fault) => {
                let why = if matches!(fault, Fault::TooMuch) { Omission::TooMuch } else { Omission::Unreadable };
                self.harvest.files.push(Looked { path: path.to_owned(), found: None });
                self.omit(why, path.to_owned());
            }
        }
    }

    /// What is known of a file that looks as it did before.
    fn known(&self, path: &str, stamp: Option<Stamp>) -> Result<Option<Found<'k>>, Fault> {
        let (Earlier::Kept(kept), Some(stamp)) = (self.scene.earlier, stamp) else { return Ok(None) };
        let same = kept.get(path).filter(|(indexed, _)| indexed.stamp == Some(stamp));
        let Some((indexed, row)) = same else { return Ok(None) };
        let Some(said) = row.said().map(Arc::new) else { return Ok(None) };
        self.scene.take_room(stamp.size)?;
        let row = Some(row.clone());
        Ok(Some(Found { digest: indexed.digest, stamp: indexed.stamp, said, row, is_kept: true }))
    }

    fn read(&mut self, path: &str, full: &Path, bytes_max: usize) -> Result<Option<Found<'k>>, Fault> {
        let mut file = open(full)?;
        let meta = file.metadata().map_err(Fault::Io)?;
        if !meta.is_file() {
            return Err(Fault::NotAFile);
        }
        let stamp = Stamp::of(&meta);
        self.scene.take_room(stamp.size)?;
        self.buffer.clear();
        (&mut file).take(bytes_max as u64 + 1).read_to_end(&mut self.buffer).map_err(Fault::Io)?;
        self.harvest.effort.read += 1;
        let settled = stamp.modified_ns.max(stamp.changed_ns).saturating_add(FRESH_NS) < self.scene.began_ns;
        let stamp = settled.then_some(stamp);
        let digest = digest(&self.buffer);
        let is_whole = self.buffer.len() <= bytes_max;
        match self.scene.earlier {
            Earlier::Kept(kept) => {
                let same = kept.get(path).filter(|(indexed, _)| is_whole && indexed.digest == digest);
                let known = same.and_then(|(indexed, row)| Some((indexed, row, row.said()?)));
                if let Some((indexed, row, said)) = known {
                    let is_kept = indexed.stamp == stamp;
                    let row = Some(row.clone());
                    return Ok(Some(Found { digest, stamp, said: Arc::new(said), row, is_kept }));
                }
                let said = self.parse(path, file)?;
                let row = Row::of(&said);
                Ok(Some(Found { digest, stamp, said: Arc::new(said), row, is_kept: false }))
            }
            Earlier::Survey(like) => {
                let same = like.find(path).filter(|(known, _)| is_whole && *known == digest);
                let said = match same {
                    Some((_, said)) => Arc::clone(said),
                    None => Arc::new(self.parse(path, file)?),
                };
                Ok(Some(Found { digest, stamp, said, row: None, is_kept: false }))
            }
            Earlier::Nothing => {
                let said = Arc::new(self.parse(path, file)?);
                Ok(Some(Found { digest, stamp, said, row: None, is_kept: false }))
            }
        }
    }

    /// Reads what the buffer says; `rest` is what stands behind it in the file.
    fn parse(&mut self, path: &str, rest: File) -> Result<Said, Fault> {
        self.harvest.effort.parsed += 1;
        let lines = lines_of(&self.buffer, rest).map_err(Fault::Io)?;
        let text = String::from_utf8_lossy(&self.buffer);
        let facts = if self.buffer.len() > FILE_BYTES_MAX && language_of(path).is_some() {
            Some(FileFacts { lines, passed_over: Some(PassedOver::TooLarge), ..FileFacts::default() })
        } else {
            self.reader.read(path, &text)
        };
        let schema = if may_be_schema(path) { schema_type::read(path, &text) } else { None };
        Ok(Said { facts, schema, text: wants_text(path).then(|| text.into_owned()), lines })
    }
}

impl Scene<'_> {
    /// Counts the bytes of a file, and fails where they are beyond what is looked at.
    fn take_room(&self, size: u64) -> Result<(), Fault> {
        let size = size.min(COUNTED_BYTES_MAX);
        let before = self.bytes.fetch_add(size, Ordering::Relaxed);
        if before.saturating_add(size) > self.bounds.bytes { Err(Fault::TooMuch) } else { Ok(()) }
    }
}

impl Stamp {
    fn of(meta: &Metadata) -> Self {
        let ns = |seconds: i64, ns: i64| seconds.saturating_mul(1_000_000_000).saturating_add(ns);
        Self {
            size: meta.len(),
            modified_ns: ns(meta.mtime(), meta.mtime_nsec()),
            changed_ns: ns(meta.ctime(), meta.ctime_nsec()),
        }
    }
}

/// Why a file has nothing to say.
#[derive(Debug)]
enum Fault {
    Io(io::Error),
    NotAFile,
    TooMuch,
}

/// Opens a file, but no link, and without waiting for whoever is at the other end of a pipe.
fn open(full: &Path) -> Result<File, Fault> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC).bits();
    let flags = i32::try_from(flags).unwrap_or_default();
    OpenOptions::new().read(true).custom_flags(flags).open(full).map_err(|error| {
        let is_link = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
        if is_link { Fault::NotAFile } else { Fault::Io(error) }
    })
}

/// Returns how much of a file is wanted, in bytes; `None` where nobody wants it.
fn bytes_wanted(path: &str) -> Option<usize> {
    let source = language_of(path).map(|_| FILE_BYTES_MAX);
    let schema = may_be_schema(path).then_some(SCHEMA_BYTES_MAX);
    let manifest = wants_text(path).then_some(MANIFEST_BYTES_MAX);
    let counted = counts_lines(path).then_some(FILE_BYTES_MAX);
    source.max(schema).max(manifest).max(counted)
}

/// Counts the lines of what was read and of what stands behind it.
fn lines_of(read: &[u8], rest: File) -> io::Result<u32> {
    let breaks = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
    let mut rest = rest.take(COUNTED_BYTES_MAX);
    let mut block = [0; 8 * 1024];
    let mut lines = breaks(read);
    let mut last = read.last().copied();
    loop {
        let bytes = rest.read(&mut block)?;
        if bytes == 0 {
            lines += usize::from(last.is_some_and(|byte| byte != b'\n'));
            return Ok(u32::try_from(lines).unwrap_or(u32::MAX));
        }
        lines += breaks(&block[..bytes]);
        last = block.get(bytes - 1).copied();
    }
}
