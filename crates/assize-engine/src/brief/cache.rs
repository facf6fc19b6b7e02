//! What surveys found out, kept in one file for each project.
//!
//! A line that says what it is, a hash over the index, the index, the counts of all names, and one row of bytes for each
//! file. The index alone is read at once; it holds the hashes of the others. A row is checked and read back when its file
//! is met, by the thread that met it. The rows of files that did not change are copied as they are. A file that is damaged, or was made by another program than this one, counts as none.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use assize_brief::facts::{FileFacts, Import, Names, PassedOver};
use assize_brief::tally::{Counted, NameTally};
use foldhash::{HashMap, HashMapExt as _};
use serde::{Deserialize, Serialize};

use super::Said;
use super::scene::Looked;
use super::tally::CountedNames;

/// The largest file that is read back, in bytes.
pub const CACHE_BYTES_MAX: u64 = 512 * 1024 * 1024;

const MAGIC: &[u8] = b"assize brief 2\n";

/// A hash of contents.
pub type Digest = [u8; 16];

/// What a file looks like from outside. While it stays the same, so do the contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// The size, in bytes.
    pub size: u64,
    /// When its contents changed last, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// When anything about it changed last: unlike the other, nobody can set it.
    pub changed_ns: i64,
}

/// A file in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indexed {
    /// Nothing where the file was too fresh to be known by its times.
    pub stamp: Option<Stamp>,
    /// The hash of its contents.
    pub digest: Digest,
    /// What its names are counted for.
    pub counted: Counted,
    /// The hash of its row.
    row: Digest,
    /// Bytes of its row.
    bytes: u32,
}

#[derive(Serialize, Deserialize)]
struct Index<'a> {
    program: Digest,
    /// The hash of the counts, and their bytes.
    tally: (Digest, u32),
    #[serde(borrow)]
    files: Vec<(&'a str, Indexed)>,
}

/// What is known from earlier surveys.
#[derive(Debug, Default)]
pub struct Kept<'a> {
    files: HashMap<&'a str, (Indexed, Row<'a>)>,
    /// The counts with their hash.
    tally: Option<(Digest, &'a [u8])>,
}

/// What is kept of one file: written anew, or copied.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    digest: Digest,
    bytes: Cow<'a, [u8]>,
}

impl<'a> Kept<'a> {
    /// Reads the index; empty when anything is wrong with it.
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
        let index: Index<'_> = postcard::from_bytes(index).ok()?;
        if index.program != program() {
            return None;
        }
        let (tally, mut rows) = rest.split_at_checked(index.tally.1 as usize)?;
        let mut files = HashMap::with_capacity(index.files.len());
        for (path, indexed) in index.files {
            let (bytes, rest) = rows.split_at_checked(indexed.bytes as usize)?;
            rows = rest;
            files.insert(path, (indexed, Row { digest: indexed.row, bytes: Cow::Borrowed(bytes) }));
        }
        rows.is_empty().then_some(Self { files, tally: Some((index.tally.0, tally)) })
    }

    /// Returns what is known of a file, and its row.
    pub fn get(&self, path: &str) -> Option<&(Indexed, Row<'a>)> {
        self.files.get(path)
    }

    /// Returns what is known of every file, in no order.
    pub fn files(&self) -> impl Iterator<Item = (&'a str, &(Indexed, Row<'a>))> {
        self.files.iter().map(|(path, known)| (*path, known))
    }

    /// Returns the counts of all names; `None` where there are none.
    pub fn tally(&self) -> Option<NameTally> {
        let (hash, bytes) = self.tally?;
        if digest(bytes) == hash { postcard::from_bytes(bytes).ok() } else { None }
    }

    /// Returns how many files are known.
    pub fn len(&self) -> usize {
        self.files.len()
    }
}

/// A file's facts, in the order of the row. The form is our own: that of the brief leaves out what is empty, and a row has
/// no names by which that could be seen.
type FactsRow<Text, Names, Imports> = (u32, Text, Names, Imports, bool, Option<PassedOver>);

/// Facts, the schema as JSON, text, lines.
type Columns<Facts, Text> = (Option<Facts>, Option<Text>, Option<Text>, u32);

impl<'a> Row<'a> {
    /// Writes what a file says; `None` where that cannot be, or is too large for a row.
    pub fn of(said: &Said) -> Option<Self> {
        let facts: Option<FactsRow<&Option<String>, &Names, &[Import]>> = said.facts.as_ref().map(|facts| {
            (facts.lines, &facts.package, &facts.names, &facts.imports[..], facts.has_errors, facts.passed_over)
        });
        let schema = said.schema.as_ref().map(serde_json::to_string).transpose().ok()?;
        let row: Columns<_, &str> = (facts, schema.as_deref(), said.text.as_deref(), said.lines);
        let bytes = postcard::to_stdvec(&row).ok().filter(|row| u32::try_from(row.len()).is_ok())?;
        Some(Self { digest: digest(&bytes), bytes: Cow::Owned(bytes) })
    }

    /// Reads it back; `None` where it is damaged.
    pub fn said(&self) -> Option<Said> {
        type Facts = FactsRow<Option<String>, Names, Vec<Import>>;
        if digest(&self.bytes) != self.digest {
            return None;
        }
        let (facts, schema, text, lines): Columns<Facts, String> = postcard::from_bytes(&self.bytes).ok()?;
        let facts = facts.map(|(lines, package, names, imports, has_errors, passed_over)| FileFacts {
            lines,
            package,
            names,
            imports,
            has_errors,
            passed_over,
        });
        let schema = schema.map(|schema| serde_json::from_str(&schema)).transpose().ok()?;
        Some(Said { facts, schema, text, lines })
    }
}

/// Returns where what is known of a project is kept.
pub fn place(cache: &Path, root: &Path) -> PathBuf {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    cache.join(blake3::hash(root.as_os_str().as_bytes()).to_hex().as_str())
}

/// Reads the file; nothing where there is none, or one that is too large.
pub fn load(place: &Path) -> Vec<u8> {
    load_within(place, CACHE_BYTES_MAX)
}

/// As [`load`], with a limit of its own.
pub fn load_within(place: &Path, bytes_max: u64) -> Vec<u8> {
    let fits = fs::metadata(place).is_ok_and(|meta| meta.is_file() && meta.len() <= bytes_max);
    if fits { fs::read(place).unwrap_or_default() } else { Vec::new() }
}

/// Writes the file whole: what was found in the files, and the counts of their names.
///
/// # Errors
///
/// Fails when it cannot be written.
pub fn keep(place: &Path, files: &[Looked<'_>], names: &CountedNames) -> io::Result<()> {
    let folder = place.parent().unwrap_or(place);
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let tally = postcard::to_stdvec(&names.tally).map_err(io::Error::other)?;
    let size = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(io::Error::other);
    let mut rows: Vec<&[u8]> = Vec::with_capacity(files.len() + 1);
    rows.push(&tally);
    let tally = (digest(&tally), size(&tally)?);
    let mut index = Index { program: program(), tally, files: Vec::with_capacity(files.len()) };
    for (file, counted) in files.iter().zip(&names.counted) {
        let Some((found, Some(row))) = file.found.as_ref().map(|found| (found, &found.row)) else { continue };
        let (stamp, digest, counted, bytes) = (found.stamp, found.digest, *counted, size(&row.bytes)?);
        index.files.push((&file.path, Indexed { stamp, digest, counted, row: row.digest, bytes }));
        rows.push(&row.bytes);
    }
    let index = postcard::to_stdvec(&index).map_err(io::Error::other)?;
    let index_bytes = size(&index)?.to_le_bytes();
    let hash = blake3::hash(&index);
    // Only its owner may read what a temporary file holds; that stays so.
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

/// What this program is: another build of it may read other things out of the same file.
fn program() -> Digest {
    static PROGRAM: OnceLock<Digest> = OnceLock::new();
    *PROGRAM.get_or_init(|| {
        let meta = std::env::current_exe().and_then(fs::metadata);
        let seen = meta.map(|meta| (meta.len(), meta.mtime(), meta.mtime_nsec())).unwrap_or_default();
        digest(format!("{} {seen:?}", env!("CARGO_PKG_VERSION")).as_bytes())
    })
}

/// Returns the hash of contents.
pub fn digest(bytes: &[u8]) -> Digest {
    let mut digest = Digest::default();
    digest.copy_from_slice(&blake3::hash(bytes).as_bytes()[..size_of::<Digest>()]);
    digest
}
