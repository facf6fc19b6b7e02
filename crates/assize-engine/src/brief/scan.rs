//! Scans the files of a tree on several threads.
//!
//! The result does not depend on the number of threads or on the cache. Only when a limit is reached does it depend on
//! the order in which files are found. Omitted files are reported. This module must not know what the files mean
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

use assize_brief::brief::{LIMIT_FILES_MAX, ReachedLimit};
use assize_brief::capability::counts_lines;
use assize_brief::tally::CountedFor;
use assize_syntax::facts::{FileFacts, SkipReason};
use assize_syntax::language::{FILE_BYTES_MAX, FactsReader, language_of};
use assize_syntax::manifest::{MANIFEST_BYTES_MAX, wants_text};
use assize_syntax::schema_type::{self, SCHEMA_BYTES_MAX, may_be_schema};
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};
use rustix::fs::OFlags;

use super::cache::{CacheRow, CachedSurvey, ContentDigest, Stamp, SurveyCacheEntry, digest};
use super::{Effort, FileSummary, Surveyed, TreeSurvey};
use crate::git::odd_ignore_list;

/// The most paths of one tree that are scanned.
pub const PATHS_MAX: usize = 1_000_000;
/// The most bytes of files that one survey covers, including cached ones.
pub const SURVEY_BYTES_MAX: u64 = 2 * 1024 * 1024 * 1024;
/// How many bytes of an oversized file are read to count its lines.
pub const COUNTED_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A file that changed less than this before the survey began may change again without a change of its times.
const FRESH_NS: i64 = 2_000_000_000;

/// Folders that do not belong to the project's tree.
const NOT_OURS: [&str; 2] = [".git", ".assize"];

/// The limits of a scan.
#[derive(Debug, Clone, Copy)]
pub struct ScanBounds {
    pub paths: usize,
    pub bytes: u64,
}

impl Default for ScanBounds {
    fn default() -> Self {
        Self { paths: PATHS_MAX, bytes: SURVEY_BYTES_MAX }
    }
}

/// Results that exist before a scan.
#[derive(Debug, Clone, Copy)]
pub enum PriorSurvey<'k> {
    /// None.
    Nothing,
    /// The cached results of earlier surveys of this tree.
    Cached(&'k CachedSurvey<'k>),
    /// A survey of a similar tree.
    Survey(&'k TreeSurvey),
}

/// A scanned file.
#[derive(Debug)]
pub struct ScannedFile<'k> {
    pub path: String,
    /// `None` for a file that is not read.
    pub found: Option<ScannedContent<'k>>,
}

impl ScannedFile<'_> {
    /// Returns the summary of the file.
    pub fn summary(&self) -> Option<&FileSummary> {
        self.found.as_ref().map(|found| found.summary.as_ref())
    }

    /// Returns the cache entry of the file, if it is to be cached. `counted` says how its names are counted.
    pub fn entry(&self, counted: CountedFor) -> Option<SurveyCacheEntry<'_>> {
        let found = self.found.as_ref()?;
        let row = found.row.as_ref()?;
        Some(SurveyCacheEntry { path: &self.path, stamp: found.stamp, digest: found.digest, counted, row })
    }

    /// Returns the facts of the file, if it is source code.
    pub fn facts(&self) -> Option<&FileFacts> {
        self.summary()?.facts.as_ref()
    }
}

/// The content of a scanned file.
#[derive(Debug)]
pub struct ScannedContent<'k> {
    pub digest: ContentDigest,
    /// `None` if the file is too fresh for its times to be reliable.
    pub stamp: Option<Stamp>,
    pub summary: Arc<FileSummary>,
    /// The row for the cache, if results are cached.
    pub row: Option<CacheRow<'k>>,
    /// Whether the cache already holds exactly this.
    pub is_cached: bool,
}

/// Why a file was omitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Omission {
    Unreadable,
    OddName,
    TooMuch,
    TooMany,
}

/// A tree, with the results so far.
#[derive(Debug)]
pub struct ScanContext<'k> {
    root: &'k Path,
    earlier: PriorSurvey<'k>,
    bounds: ScanBounds,
    began_ns: i64,
    paths: AtomicUsize,
    bytes: AtomicU64,
    harvest: Mutex<ScanResults<'k>>,
}

#[derive(Debug, Default)]
struct ScanResults<'k> {
    files: Vec<ScannedFile<'k>>,
    omitted: Vec<(Omission, String)>,
    effort: Effort,
}

impl<'k> ScanContext<'k> {
    pub fn new(root: &'k Path, earlier: PriorSurvey<'k>, bounds: ScanBounds) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let began_ns = i64::try_from(since.as_nanos()).unwrap_or(i64::MAX);
        let harvest = Mutex::new(ScanResults::default());
        Self { root, earlier, bounds, began_ns, paths: AtomicUsize::new(0), bytes: AtomicU64::new(0), harvest }
    }

    /// Scans all files below the root that git does not ignore. A folder whose ignore list is a pipe or a device is
    /// omitted, because reading it would block.
    pub fn walk(&self) {
        let odd = Arc::new(Mutex::new(Vec::from_iter(odd_ignore_list(self.root))));
        let found = Arc::clone(&odd);
        if self.is_omitted(&odd) {
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
            .visit(&mut ScanWorkers(self));
        self.is_omitted(&odd);
    }

    /// Reports ignore lists that were not opened. Returns whether there are any.
    fn is_omitted(&self, odd: &Mutex<Vec<PathBuf>>) -> bool {
        let odd = std::mem::take(&mut *odd.lock().unwrap_or_else(PoisonError::into_inner));
        let mut harvest = self.harvest.lock().unwrap_or_else(PoisonError::into_inner);
        for path in &odd {
            let path = path.strip_prefix(self.root).unwrap_or(path).to_string_lossy().into_owned();
            harvest.omitted.push((Omission::Unreadable, path));
        }
        !odd.is_empty()
    }

    /// Scans the given files.
    pub fn go_through(&self, paths: &BTreeSet<String>) {
        let paths: Vec<&String> = paths.iter().collect();
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..threads() {
                scope.spawn(|| {
                    let mut worker = ScanWorker::new(self);
                    while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let full = self.root.join(path);
                        if !leads_through_a_link(self.root, path) {
                            worker.look(path, &full, None);
                        }
                    }
                });
            }
        });
    }

    /// Returns the results.
    pub fn finish(self) -> ScanOutcome<'k> {
        let mut harvest = self.harvest.into_inner().unwrap_or_else(PoisonError::into_inner);
        harvest.files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        let mut omitted: BTreeMap<Omission, BTreeSet<String>> = BTreeMap::new();
        for (why, path) in harvest.omitted {
            omitted.entry(why).or_default().insert(path);
        }
        let limits = omitted.into_iter().map(|(why, paths)| ReachedLimit {
            message: match why {
                Omission::Unreadable => "files that could not be read".to_owned(),
                Omission::OddName => "files whose names are no text".to_owned(),
                Omission::TooMuch => format!("files beyond {} bytes in all", self.bounds.bytes),
                Omission::TooMany => format!("files beyond the first {} that were met", self.bounds.paths),
            },
            left_out: u32::try_from(paths.len()).unwrap_or(u32::MAX),
            files: paths.into_iter().take(LIMIT_FILES_MAX).collect(),
        });
        ScanOutcome { files: harvest.files, limits: limits.collect(), effort: harvest.effort }
    }
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Returns whether a parent folder is a link, so that the file is elsewhere.
fn leads_through_a_link(root: &Path, path: &str) -> bool {
    let parents = path.match_indices('/').map(|(end, _)| &path[..end]);
    parents.into_iter().any(|parent| root.join(parent).is_symlink())
}

/// The results of a scan.
#[derive(Debug)]
pub struct ScanOutcome<'k> {
    pub files: Vec<ScannedFile<'k>>,
    limits: Vec<ReachedLimit>,
    effort: Effort,
}

impl ScanOutcome<'_> {
    /// Returns whether the results differ from the cache.
    pub fn differs_from(&self, cached: &CachedSurvey<'_>) -> bool {
        let found = || self.files.iter().filter_map(|file| file.found.as_ref()).filter(|found| found.row.is_some());
        found().count() != cached.len() || found().any(|found| !found.is_cached)
    }

    /// Returns the survey for a brief.
    pub fn survey(self) -> TreeSurvey {
        let files = self
            .files
            .into_iter()
            .map(|file| Surveyed { path: file.path, summary: file.found.map(|found| (found.digest, found.summary)) });
        TreeSurvey { files: files.collect(), tally: None, limits: self.limits, effort: self.effort }
    }
}

/// Starts one worker on each thread.
struct ScanWorkers<'s, 'k>(&'s ScanContext<'k>);

impl<'s> ParallelVisitorBuilder<'s> for ScanWorkers<'s, '_> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 's> {
        Box::new(ScanWorker::new(self.0))
    }
}

/// Scans files one after the other. It hands over its results when it is dropped.
struct ScanWorker<'s, 'k> {
    context: &'s ScanContext<'k>,
    reader: FactsReader,
    buffer: Vec<u8>,
    harvest: ScanResults<'k>,
}

impl Drop for ScanWorker<'_, '_> {
    fn drop(&mut self) {
        let mut all = self.context.harvest.lock().unwrap_or_else(PoisonError::into_inner);
        all.files.append(&mut self.harvest.files);
        all.omitted.append(&mut self.harvest.omitted);
        all.effort.read += self.harvest.effort.read;
        all.effort.parsed += self.harvest.effort.parsed;
    }
}

impl ParallelVisitor for ScanWorker<'_, '_> {
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
        let relative = entry.path().strip_prefix(self.context.root).unwrap_or(entry.path());
        let Some(path) = relative.to_str() else {
            self.omit(Omission::OddName, relative.to_string_lossy().into_owned());
            return WalkState::Continue;
        };
        if self.context.paths.fetch_add(1, Ordering::Relaxed) >= self.context.bounds.paths {
            self.omit(Omission::TooMany, path.to_owned());
            return WalkState::Quit;
        }
        let stamp = bytes_wanted(path).and_then(|_| entry.metadata().ok()).map(|meta| Stamp::of(&meta));
        self.look(path, entry.path(), stamp);
        WalkState::Continue
    }
}

impl<'s, 'k> ScanWorker<'s, 'k> {
    fn new(context: &'s ScanContext<'k>) -> Self {
        Self { context, reader: FactsReader::new(), buffer: Vec::new(), harvest: ScanResults::default() }
    }

    fn omit(&mut self, why: Omission, path: String) {
        self.harvest.omitted.push((why, path));
    }

    /// Scans one file. `stamp` holds its size and times if they are known.
    fn look(&mut self, path: &str, full: &Path, stamp: Option<Stamp>) {
        let found = match bytes_wanted(path) {
            None => Ok(None),
            Some(bytes_max) => match self.cached(path, stamp) {
                Ok(None) => self.read(path, full, bytes_max),
                known => known,
            },
        };
        match found {
            Ok(found) => self.harvest.files.push(ScannedFile { path: path.to_owned(), found }),
            // The file was removed in the meantime.
            Err(ScanFault::Io(error)) if error.kind() == io::ErrorKind::NotFound => {}
            // A link, a pipe or the like does not belong to the tree.
            Err(ScanFault::NotAFile) => {}
            Err(fault) => {
                let why = if matches!(fault, ScanFault::TooMuch) { Omission::TooMuch } else { Omission::Unreadable };
                self.harvest.files.push(ScannedFile { path: path.to_owned(), found: None });
                self.omit(why, path.to_owned());
            }
        }
    }

    /// Returns the cached content of a file whose size and times are unchanged.
    fn cached(&self, path: &str, stamp: Option<Stamp>) -> Result<Option<ScannedContent<'k>>, ScanFault> {
        let (PriorSurvey::Cached(cached), Some(stamp)) = (self.context.earlier, stamp) else { return Ok(None) };
        let same = cached.get(path).filter(|(indexed, _)| indexed.stamp == Some(stamp));
        let Some((indexed, row)) = same else { return Ok(None) };
        let Some(summary) = row.summary().map(Arc::new) else { return Ok(None) };
        self.context.reserve_bytes(stamp.size)?;
        let row = Some(row.clone());
        Ok(Some(ScannedContent { digest: indexed.digest, stamp: indexed.stamp, summary, row, is_cached: true }))
    }

    fn read(&mut self, path: &str, full: &Path, bytes_max: usize) -> Result<Option<ScannedContent<'k>>, ScanFault> {
        let mut file = open(full)?;
        let meta = file.metadata().map_err(ScanFault::Io)?;
        if !meta.is_file() {
            return Err(ScanFault::NotAFile);
        }
        let stamp = Stamp::of(&meta);
        self.context.reserve_bytes(stamp.size)?;
        self.buffer.clear();
        (&mut file).take(bytes_max as u64 + 1).read_to_end(&mut self.buffer).map_err(ScanFault::Io)?;
        self.harvest.effort.read += 1;
        let is_old_enough = stamp.modified_ns.max(stamp.changed_ns).saturating_add(FRESH_NS) < self.context.began_ns;
        let stamp = is_old_enough.then_some(stamp);
        let digest = digest(&self.buffer);
        let is_whole = self.buffer.len() <= bytes_max;
        match self.context.earlier {
            PriorSurvey::Cached(cached) => {
                let same = cached.get(path).filter(|(indexed, _)| is_whole && indexed.digest == digest);
                let known = same.and_then(|(indexed, row)| Some((indexed, row, row.summary()?)));
                if let Some((indexed, row, summary)) = known {
                    let is_kept = indexed.stamp == stamp;
                    let row = Some(row.clone());
                    return Ok(Some(ScannedContent {
                        digest,
                        stamp,
                        summary: Arc::new(summary),
                        row,
                        is_cached: is_kept,
                    }));
                }
                let summary = self.parse(path, file)?;
                let row = CacheRow::of(&summary);
                Ok(Some(ScannedContent { digest, stamp, summary: Arc::new(summary), row, is_cached: false }))
            }
            PriorSurvey::Survey(like) => {
                let same = like.find(path).filter(|(known, _)| is_whole && *known == digest);
                let summary = match same {
                    Some((_, summary)) => Arc::clone(summary),
                    None => Arc::new(self.parse(path, file)?),
                };
                Ok(Some(ScannedContent { digest, stamp, summary, row: None, is_cached: false }))
            }
            PriorSurvey::Nothing => {
                let summary = Arc::new(self.parse(path, file)?);
                Ok(Some(ScannedContent { digest, stamp, summary, row: None, is_cached: false }))
            }
        }
    }

    /// Summarizes the buffer; `rest` is the part of the file after it.
    fn parse(&mut self, path: &str, rest: File) -> Result<FileSummary, ScanFault> {
        self.harvest.effort.parsed += 1;
        let lines = lines_of(&self.buffer, rest).map_err(ScanFault::Io)?;
        let text = String::from_utf8_lossy(&self.buffer);
        let facts = if self.buffer.len() > FILE_BYTES_MAX && language_of(path).is_some() {
            Some(FileFacts { lines, passed_over: Some(SkipReason::TooLarge), ..FileFacts::default() })
        } else {
            self.reader.read(path, &text)
        };
        let schema = if may_be_schema(path) { schema_type::read(path, &text) } else { None };
        Ok(FileSummary { facts, schema, text: wants_text(path).then(|| text.into_owned()), lines })
    }
}

impl ScanContext<'_> {
    /// Reserves the bytes of a file. Fails if that exceeds the limit.
    fn reserve_bytes(&self, size: u64) -> Result<(), ScanFault> {
        let size = size.min(COUNTED_BYTES_MAX);
        let before = self.bytes.fetch_add(size, Ordering::Relaxed);
        if before.saturating_add(size) > self.bounds.bytes { Err(ScanFault::TooMuch) } else { Ok(()) }
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

/// Why a file has no content.
#[derive(Debug)]
enum ScanFault {
    Io(io::Error),
    NotAFile,
    TooMuch,
}

/// Opens a file without following a link and without waiting at a pipe.
fn open(full: &Path) -> Result<File, ScanFault> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC).bits();
    let flags = i32::try_from(flags).unwrap_or_default();
    OpenOptions::new().read(true).custom_flags(flags).open(full).map_err(|error| {
        let is_link = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
        if is_link { ScanFault::NotAFile } else { ScanFault::Io(error) }
    })
}

/// Returns how many bytes of a file are read, or `None` if the file is not read.
fn bytes_wanted(path: &str) -> Option<usize> {
    let source = language_of(path).map(|_| FILE_BYTES_MAX);
    let schema = may_be_schema(path).then_some(SCHEMA_BYTES_MAX);
    let manifest = wants_text(path).then_some(MANIFEST_BYTES_MAX);
    let counted = counts_lines(path).then_some(FILE_BYTES_MAX);
    source.max(schema).max(manifest).max(counted)
}

/// Counts the lines of the buffer and of the rest of the file.
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
