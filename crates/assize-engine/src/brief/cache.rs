//! The cache of survey results: one file for each project.
//!
//! The file holds a magic line, the hash of the index, the index, the counts of all names, and one row of bytes for
//! each surveyed file. Only the index is read at once; it holds the hashes of the other parts. A row is verified and
//! decoded when its file is scanned, on the thread that scans it. Rows of unchanged files are copied as they are. A
//! cache that is damaged or was written by another build counts as empty.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use assize_brief::tally::{CountedFor, NameTally};
use assize_syntax::facts::{FileFacts, Import, NameTable, SkipReason};
use foldhash::{HashMap, HashMapExt as _};
use serde::{Deserialize, Serialize};

use super::FileSummary;

/// The largest cache file that is read, in bytes.
pub const CACHE_BYTES_MAX: u64 = 512 * 1024 * 1024;

const MAGIC: &[u8] = b"assize brief 2\n";

/// A hash of file contents.
pub type ContentDigest = [u8; 16];

/// The size and times of a file. As long as they are unchanged, the contents are too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// The size, in bytes.
    pub size: u64,
    /// The time of the last change to the contents, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// The time of the last change of any kind. Unlike `modified_ns`, programs cannot set it.
    pub changed_ns: i64,
}

/// The index entry of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indexed {
    /// `None` if the file was too fresh for its times to be reliable.
    pub stamp: Option<Stamp>,
    /// The hash of its contents.
    pub digest: ContentDigest,
    /// How its names are counted.
    pub counted: CountedFor,
    /// The hash of its row.
    row: ContentDigest,
    /// The length of its row, in bytes.
    bytes: u32,
}

#[derive(Serialize, Deserialize)]
struct CacheIndex<'a> {
    program: ContentDigest,
    /// The hash of the counts, and their length in bytes.
    tally: (ContentDigest, u32),
    #[serde(borrow)]
    files: Vec<(&'a str, Indexed)>,
}

/// The cached results of earlier surveys.
#[derive(Debug, Default)]
pub struct CachedSurvey<'a> {
    files: HashMap<&'a str, (Indexed, CacheRow<'a>)>,
    /// The counts with their hash.
    tally: Option<(ContentDigest, &'a [u8])>,
}

/// The cached bytes of one file: newly encoded, or borrowed from the cache.
#[derive(Debug, Clone)]
pub struct CacheRow<'a> {
    digest: ContentDigest,
    bytes: Cow<'a, [u8]>,
}

impl<'a> CachedSurvey<'a> {
    /// Reads the index. Returns an empty cache if it is invalid.
    pub fn of(bytes: &'a [u8]) -> Self {
        Self::read(bytes).unwrap_or_default()
    }

    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (hash, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<32>()?;
        let (index_bytes, rest) = rest.split_first_chunk::<4>()?;
        let (index, rest) = rest.split_at_checked(u32::from_le_bytes(*index_bytes) as usize)?;
        if blake3::hash(index).as_bytes() != hash {
            return None;
        }
        let index: CacheIndex<'_> = postcard::from_bytes(index).ok()?;
        if index.program != program() {
            return None;
        }
        let (tally, mut rows) = rest.split_at_checked(index.tally.1 as usize)?;
        let mut files = HashMap::with_capacity(index.files.len());
        for (path, indexed) in index.files {
            let (bytes, rest) = rows.split_at_checked(indexed.bytes as usize)?;
            rows = rest;
            files.insert(path, (indexed, CacheRow { digest: indexed.row, bytes: Cow::Borrowed(bytes) }));
        }
        rows.is_empty().then_some(Self { files, tally: Some((index.tally.0, tally)) })
    }

    /// Returns the index entry and the row of a file.
    pub fn get(&self, path: &str) -> Option<&(Indexed, CacheRow<'a>)> {
        self.files.get(path)
    }

    /// Returns the index entry and the row of every file, in no order.
    pub fn files(&self) -> impl Iterator<Item = (&'a str, &(Indexed, CacheRow<'a>))> {
        self.files.iter().map(|(path, known)| (*path, known))
    }

    /// Returns the counts of all names, or `None` if there are none or they are damaged.
    pub fn tally(&self) -> Option<NameTally> {
        let (hash, bytes) = self.tally?;
        if digest(bytes) == hash { postcard::from_bytes(bytes).ok() } else { None }
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }
}

/// The facts of a file as the row stores them. The serialized form in the brief omits empty fields; a row has no field
/// names, so it cannot.
type FactsRow<Text, Names, Imports, Includes> = (u32, Text, Names, Imports, Includes, bool, Option<SkipReason>);

/// Facts, the schema as JSON, text, number of lines.
type FactsColumns<Facts, Text> = (Option<Facts>, Option<Text>, Option<Text>, u32);

impl<'a> CacheRow<'a> {
    /// Encodes the summary of a file. Returns `None` if it cannot be encoded or is too large for a row.
    pub fn of(summary: &FileSummary) -> Option<Self> {
        type FactsRef<'f> = FactsRow<&'f Option<String>, &'f NameTable, &'f [Import], &'f [String]>;
        let facts: Option<FactsRef<'_>> = summary.facts.as_ref().map(|facts| {
            let FileFacts { lines, package, names, imports, includes, has_errors, passed_over } = facts;
            (*lines, package, names, &imports[..], &includes[..], *has_errors, *passed_over)
        });
        let schema = summary.schema.as_ref().map(serde_json::to_string).transpose().ok()?;
        let row: FactsColumns<_, &str> = (facts, schema.as_deref(), summary.text.as_deref(), summary.lines);
        let bytes = postcard::to_stdvec(&row).ok().filter(|row| u32::try_from(row.len()).is_ok())?;
        Some(Self { digest: digest(&bytes), bytes: Cow::Owned(bytes) })
    }

    /// Decodes the row. Returns `None` if it is damaged.
    pub fn summary(&self) -> Option<FileSummary> {
        type Facts = FactsRow<Option<String>, NameTable, Vec<Import>, Vec<String>>;
        if digest(&self.bytes) != self.digest {
            return None;
        }
        let (facts, schema, text, lines): FactsColumns<Facts, String> = postcard::from_bytes(&self.bytes).ok()?;
        let facts = facts.map(|(lines, package, names, imports, includes, has_errors, passed_over)| FileFacts {
            lines,
            package,
            names,
            imports,
            includes,
            has_errors,
            passed_over,
        });
        let schema = schema.map(|schema| serde_json::from_str(&schema)).transpose().ok()?;
        Some(FileSummary { facts, schema, text, lines })
    }
}

/// Returns the path of the cache file of a project.
pub fn place(cache: &Path, root: &Path) -> PathBuf {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    cache.join(blake3::hash(root.as_os_str().as_bytes()).to_hex().as_str())
}

/// Reads the cache file. Returns nothing if it is missing or larger than [`CACHE_BYTES_MAX`].
pub fn load(place: &Path) -> Vec<u8> {
    load_within(place, CACHE_BYTES_MAX)
}

/// Reads as [`load`] does, with another limit.
pub fn load_within(place: &Path, bytes_max: u64) -> Vec<u8> {
    let fits = fs::metadata(place).is_ok_and(|meta| meta.is_file() && meta.len() <= bytes_max);
    if fits { fs::read(place).unwrap_or_default() } else { Vec::new() }
}

/// A file to be stored in the cache.
#[derive(Debug, Clone, Copy)]
pub struct SurveyCacheEntry<'a> {
    /// Its path within the tree.
    pub path: &'a str,
    /// `None` if the file is too fresh for its times to be reliable.
    pub stamp: Option<Stamp>,
    /// The hash of its contents.
    pub digest: ContentDigest,
    /// How its names are counted.
    pub counted: CountedFor,
    /// Its encoded summary.
    pub row: &'a CacheRow<'a>,
}

/// Replaces the cache file with these entries and counts.
///
/// # Errors
///
/// Fails if it cannot be written.
pub fn keep<'a>(
    place: &Path,
    entries: impl Iterator<Item = SurveyCacheEntry<'a>>,
    tally: &NameTally,
) -> io::Result<()> {
    let folder = place.parent().unwrap_or(place);
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let tally = postcard::to_stdvec(tally).map_err(io::Error::other)?;
    let size = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(io::Error::other);
    let mut rows: Vec<&[u8]> = vec![&tally];
    let mut index = CacheIndex { program: program(), tally: (digest(&tally), size(&tally)?), files: Vec::new() };
    for SurveyCacheEntry { path, stamp, digest, counted, row } in entries {
        index.files.push((path, Indexed { stamp, digest, counted, row: row.digest, bytes: size(&row.bytes)? }));
        rows.push(&row.bytes);
    }
    let index = postcard::to_stdvec(&index).map_err(io::Error::other)?;
    let index_bytes = size(&index)?.to_le_bytes();
    let hash = blake3::hash(&index);
    // A temporary file is readable by its owner only, and keeps that mode.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    let mut out = io::BufWriter::with_capacity(1024 * 1024, file.as_file_mut());
    for part in [MAGIC, hash.as_bytes(), &index_bytes, &index].into_iter().chain(rows) {
        out.write_all(part)?;
    }
    out.flush()?;
    drop(out);
    file.persist(place)?;
    Ok(())
}

/// Identifies this build: another build may extract other facts from the same file.
fn program() -> ContentDigest {
    static PROGRAM: OnceLock<ContentDigest> = OnceLock::new();
    *PROGRAM.get_or_init(|| {
        let meta = std::env::current_exe().and_then(fs::metadata);
        let seen = meta.map(|meta| (meta.len(), meta.mtime(), meta.mtime_nsec())).unwrap_or_default();
        digest(format!("{} {seen:?}", env!("CARGO_PKG_VERSION")).as_bytes())
    })
}

/// Returns the hash of file contents.
pub fn digest(bytes: &[u8]) -> ContentDigest {
    let mut digest = ContentDigest::default();
    digest.copy_from_slice(&blake3::hash(bytes).as_bytes()[..size_of::<ContentDigest>()]);
    digest
}
