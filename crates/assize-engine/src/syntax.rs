//! Syntax errors, as tree-sitter sees them.
//!
//! The grammars are those of `assize-brief`; here is what is remembered between stops. Reports where the parser
//! stumbles; it must not judge.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;

use assize_brief::language::language_of;
use assize_core::diff::SyntaxError;
use assize_core::text::Untrusted;

pub use assize_brief::language::FILE_BYTES_MAX;

/// Files that are known to be free of errors, kept between stops: most files are the same at the
/// next one, and parsing is the dearest part of looking at a change.
///
/// The file on disk is a row of hashes and no more; when it is damaged or grown too large it is
/// begun anew.
#[derive(Debug, Default)]
pub struct Sound {
    path: Option<PathBuf>,
    known: HashSet<Digest>,
    fresh: Vec<Digest>,
}

/// A hash over the language and the contents of a file.
type Digest = [u8; 16];

/// Largest file of known hashes, in bytes.
pub const SOUND_BYTES_MAX: usize = 1024 * 1024;

impl Sound {
    /// Reads what is known; nothing where there is no folder to keep it in.
    pub fn open(folder: Option<&Path>) -> Self {
        let path = folder.map(|folder| folder.join("syntax-1"));
        let bytes = path.as_ref().and_then(|path| fs::read(path).ok()).unwrap_or_default();
        let intact = bytes.len() <= SOUND_BYTES_MAX && bytes.len().is_multiple_of(size_of::<Digest>());
        if !intact && let Some(path) = &path {
            // It can be made anew at any time.
            let _ = fs::remove_file(path);
        }
        let known = if intact { bytes.as_chunks().0.iter().copied().collect() } else { HashSet::new() };
        Self { path, known, fresh: Vec::new() }
    }

    fn digest(path: &str, text: &str) -> Digest {
        let mut hasher = blake3::Hasher::new();
        hasher
            .update(language_of(path).map_or("", |language| language.id()).as_bytes())
            .update(&[0])
            .update(text.as_bytes());
        let mut digest = Digest::default();
        digest.copy_from_slice(&hasher.finalize().as_bytes()[..size_of::<Digest>()]);
        digest
    }

    /// Keeps what was learnt. That it cannot be kept costs time and nothing else.
    pub fn close(self) {
        use std::io::Write as _;

        let Some(path) = self.path.filter(|_| !self.fresh.is_empty()) else { return };
        if let Some(folder) = path.parent() {
            let _ = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        }
        // One write, so that rows of several processes do not mix.
        let row = self.fresh.concat();
        let opened = fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path);
        let _ = opened.and_then(|mut file| file.write_all(&row));
    }
}

/// Finds the syntax errors of many files at once, in as many threads as the machine has.
pub fn errors_of_all(files: &[(&str, String)], sound: &mut Sound) -> Vec<Vec<SyntaxError>> {
    let digests: Vec<Digest> = files.iter().map(|(path, text)| Sound::digest(path, text)).collect();
    let unknown: Vec<usize> = (0..files.len()).filter(|index| !sound.known.contains(&digests[*index])).collect();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(unknown.len()).max(1);
    let share = unknown.len().div_ceil(threads).max(1);
    let found: Vec<(usize, Vec<SyntaxError>)> = thread::scope(|scope| {
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

/// Finds the syntax errors of a file; empty where there is no grammar for its language, where its grammar is known to
/// report what is none, or where the file is larger than [`FILE_BYTES_MAX`].
pub fn errors(path: &str, text: &str) -> Vec<SyntaxError> {
    let found = assize_brief::language::errors(path, text).into_iter();
    found.map(|(line, text)| SyntaxError { line, text: Untrusted::new(text) }).collect()
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
            let mut sound = Sound::open(Some(folder.path()));
            let known = sound.known.len();
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
        assert_ne!(Sound::digest("a.rs", "x"), Sound::digest("a.py", "x"));
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
