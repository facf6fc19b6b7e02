//! Syntax errors, as tree-sitter finds them.
//!
//! The grammars are in `assize-syntax`; this module caches results between stops. It reports parse errors and must not
//! judge them.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;

use assize_core::diff::NewSyntaxError;
use assize_core::text::Untrusted;
use assize_syntax::language::language_of;

pub use assize_syntax::language::FILE_BYTES_MAX;

/// Files known to have no syntax errors, cached between stops. Most files are unchanged at the next stop, and parsing
/// is the slowest part of examining a change.
///
/// The file on disk is a sequence of hashes. If it is damaged or too large, it is started again.
#[derive(Debug, Default)]
pub struct ParsedCache {
    path: Option<PathBuf>,
    hashes: HashSet<SourceDigest>,
    fresh: Vec<SourceDigest>,
}

/// A hash of the language and the contents of a file.
type SourceDigest = [u8; 16];

/// The largest cache file, in bytes.
pub const SOUND_BYTES_MAX: usize = 1024 * 1024;

impl ParsedCache {
    /// Reads the cache; without a folder, it is empty.
    pub fn open(folder: Option<&Path>) -> Self {
        let path = folder.map(|folder| folder.join("syntax-1"));
        let bytes = path.as_ref().and_then(|path| fs::read(path).ok()).unwrap_or_default();
        let intact = bytes.len() <= SOUND_BYTES_MAX && bytes.len().is_multiple_of(size_of::<SourceDigest>());
        if !intact && let Some(path) = &path {
            // It can be created again at any time.
            let _ = fs::remove_file(path);
        }
        let known = if intact { bytes.as_chunks().0.iter().copied().collect() } else { HashSet::new() };
        Self { path, hashes: known, fresh: Vec::new() }
    }

    fn digest(path: &str, text: &str) -> SourceDigest {
        let mut hasher = blake3::Hasher::new();
        hasher
            .update(language_of(path).map_or("", |language| language.id()).as_bytes())
            .update(&[0])
            .update(text.as_bytes());
        let mut digest = SourceDigest::default();
        digest.copy_from_slice(&hasher.finalize().as_bytes()[..size_of::<SourceDigest>()]);
        digest
    }

    /// Stores new results. If they cannot be written, the next stop only takes longer.
    pub fn close(self) {
        use std::io::Write as _;

        let Some(path) = self.path.filter(|_| !self.fresh.is_empty()) else { return };
        if let Some(folder) = path.parent() {
            let _ = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        }
        // In one write, so that hashes of several processes do not mix.
        let row = self.fresh.concat();
        let opened = fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path);
        let _ = opened.and_then(|mut file| file.write_all(&row));
    }
}

/// Finds the syntax errors of many files, on as many threads as the machine has.
pub fn errors_of_all(files: &[(&str, String)], sound: &mut ParsedCache) -> Vec<Vec<NewSyntaxError>> {
    let digests: Vec<SourceDigest> = files.iter().map(|(path, text)| ParsedCache::digest(path, text)).collect();
    let unknown: Vec<usize> = (0..files.len()).filter(|index| !sound.hashes.contains(&digests[*index])).collect();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(unknown.len()).max(1);
    let share = unknown.len().div_ceil(threads).max(1);
    let found: Vec<(usize, Vec<NewSyntaxError>)> = thread::scope(|scope| {
        let parsers: Vec<_> = unknown
            .chunks(share)
            .map(|part| {
                scope.spawn(move || {
                    part.iter().map(|index| (*index, errors(files[*index].0, &files[*index].1))).collect::<Vec<_>>()
                })
            })
            .collect();
        parsers.into_iter().flat_map(|parser| parser.join().unwrap_or_default()).collect()
    });
    let mut all = vec![Vec::new(); files.len()];
    for (index, errors) in found {
        if errors.is_empty() {
            sound.fresh.push(digests[index]);
        }
        all[index] = errors;
    }
    all
}

/// Finds the syntax errors of a file. Returns none if there is no grammar for its language, if its grammar reports
/// false errors, or if the file is larger than [`FILE_BYTES_MAX`].
pub fn errors(path: &str, text: &str) -> Vec<NewSyntaxError> {
    let found = assize_syntax::language::errors(path, text).into_iter();
    found.map(|(line, text)| NewSyntaxError { line, text: Untrusted::new(text) }).collect()
}

/// Finds the syntax errors that a change makes of a sound file, also in declarations of TypeScript.
pub fn errors_in_changed(path: &str, before: &str, after: &str) -> Vec<NewSyntaxError> {
    let found = assize_syntax::language::errors_in_changed(path, before, after).into_iter();
    found.map(|(line, text)| NewSyntaxError { line, text: Untrusted::new(text) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<u32> {
        errors(path, text).into_iter().map(|error| error.line).collect()
    }

    #[test]
    fn each_grammar_finds_an_error_and_accepts_sound_code() {
        for (path, sound, broken) in [
            ("a.rs", "fn a() {}\n", "fn a() {\n"),
            ("a.py", "def a():\n    pass\n", "def a(:\n    pass\n"),
            ("a.js", "function a() {}\n", "function a( {}\n"),
            ("a.ts", "let a: number = 1;\n", "let a: = ;\n"),
            ("a.tsx", "const a = <b>c</b>;\n", "const a = <b>c;\n"),
            ("a.go", "package a\n\nfunc a() {}\n", "package a\n\nfunc a( {}\n"),
            ("A.java", "class A { void a() {} }\n", "class A { void a( {} }\n"),
        ] {
            assert!(lines(path, sound).is_empty(), "{path}");
            assert!(!lines(path, broken).is_empty(), "{path}");
        }
    }

    #[test]
    fn what_is_sound_is_remembered_and_damage_is_begun_anew() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let files = [("a.rs", "fn a() {}".to_owned()), ("b.rs", "fn b( {".to_owned())];
        let look = || {
            let mut sound = ParsedCache::open(Some(folder.path()));
            let known = sound.hashes.len();
            let found = errors_of_all(&files, &mut sound);
            sound.close();
            (known, found.iter().map(|errors| !errors.is_empty()).collect::<Vec<_>>())
        };
        assert_eq!(look(), (0, vec![false, true]));
        assert_eq!(look(), (1, vec![false, true]));
        let path = folder.path().join("syntax-1");
        fs::write(&path, "torn").expect("written");
        assert_eq!(look(), (0, vec![false, true]));
        fs::write(&path, vec![0; SOUND_BYTES_MAX]).expect("written");
        assert_eq!(look().0, 1);
        fs::write(&path, vec![0; SOUND_BYTES_MAX + 16]).expect("written");
        assert_eq!(look().0, 0);
        assert_ne!(ParsedCache::digest("a.rs", "x"), ParsedCache::digest("a.py", "x"));
    }

    #[test]
    fn files_without_a_grammar_and_large_ones_are_passed_over() {
        assert!(lines("a.txt", "fn a( {").is_empty());
        assert!(lines("a.d.ts", "let a: = ;").is_empty(), "its grammar is wrong about declarations");
        let padded = |bytes: usize| format!("fn a( {{{}", " ".repeat(bytes - 7));
        assert!(!lines("a.rs", &padded(FILE_BYTES_MAX)).is_empty());
        assert!(lines("a.rs", &padded(FILE_BYTES_MAX + 1)).is_empty());
    }
}
