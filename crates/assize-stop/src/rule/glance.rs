//! A first look at a change, shared by all rules: may a file hold what a rule looks for?
//!
//! A hook judges one change and is gone, so that to build a regular expression costs more than to
//! run it. Rules therefore name texts that stand in everything they find, and build and read nothing
//! for a file that has none of them. It must not know any rule.

use std::cell::OnceCell;
use std::ops::Range;

use assize_core::diff::{Diff, DiffLineKind, FileChange};

/// The changed files of a change with their text, read once and not before the first question.
pub(super) struct Glance<'a> {
    diff: Option<&'a Diff>,
    texts: OnceCell<ChangedTexts>,
}

/// The lines of all files, one after the other.
struct ChangedTexts {
    text: String,
    files: Vec<FileText>,
    triples: Triples,
}

/// Where the lines of one file stand, by what became of them.
#[derive(Default)]
struct FileText {
    removed: Range<usize>,
    context: Range<usize>,
    added: Range<usize>,
}

impl<'a> Glance<'a> {
    /// Reads nothing until the first question.
    pub(super) fn new(diff: Option<&'a Diff>) -> Self {
        Self { diff, texts: OnceCell::new() }
    }

    /// Walks over the files whose added lines hold one of the texts.
    pub(super) fn adding(&self, hints: &[&'static str]) -> impl Iterator<Item = &'a FileChange> {
        let texts = self.texts();
        let hints = texts.possible(hints);
        self.files().filter(move |(_, at)| holds(&texts.text[at.added.clone()], &hints)).map(|(file, _)| file)
    }

    /// Walks over the files whose added lines hold one of the texts, or that lost lines beside one of
    /// them.
    pub(super) fn adding_or_near(&self, hints: &[&'static str]) -> impl Iterator<Item = &'a FileChange> {
        let texts = self.texts();
        let hints = texts.possible(hints);
        self.files()
            .filter(move |(_, at)| {
                holds(&texts.text[at.added.clone()], &hints)
                    || !at.removed.is_empty() && holds(&texts.text[at.context.clone()], &hints)
            })
            .map(|(file, _)| file)
    }

    /// Walks over the files of which any line holds one of the texts.
    pub(super) fn showing(&self, hints: &[&'static str]) -> impl Iterator<Item = &'a FileChange> {
        let texts = self.texts();
        let hints = texts.possible(hints);
        self.files()
            .filter(move |(_, at)| holds(&texts.text[at.removed.start..at.added.end], &hints))
            .map(|(file, _)| file)
    }

    /// Walks over the files that lose lines which hold one of the texts.
    pub(super) fn losing(&self, hints: &[&'static str]) -> impl Iterator<Item = &'a FileChange> {
        let texts = self.texts();
        let hints = texts.possible(hints);
        self.files().filter(move |(_, at)| holds(&texts.text[at.removed.clone()], &hints)).map(|(file, _)| file)
    }

    /// Walks over the files with their added lines.
    pub(super) fn added(&self) -> impl Iterator<Item = (&'a FileChange, &str)> {
        let texts = self.texts();
        self.files().map(|(file, at)| (file, &texts.text[at.added.clone()]))
    }

    fn files(&self) -> impl Iterator<Item = (&'a FileChange, &FileText)> {
        let files = self.diff.map_or(&[][..], |diff| &diff.files);
        files.iter().zip(&self.texts().files)
    }

    fn texts(&self) -> &ChangedTexts {
        self.texts.get_or_init(|| ChangedTexts::of(self.diff.map_or(&[][..], |diff| &diff.files)))
    }
}

fn holds(text: &str, hints: &[&str]) -> bool {
    hints.iter().any(|hint| text.contains(hint))
}

impl ChangedTexts {
    fn of(files: &[FileChange]) -> Self {
        let mut text = String::new();
        let mut push = |file: &FileChange, kind: DiffLineKind| {
            let start = text.len();
            for line in file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind) {
                text.push_str(line.text.inspect());
                text.push('\n');
            }
            start..text.len()
        };
        let files = files
            .iter()
            .map(|file| FileText {
                removed: push(file, DiffLineKind::Removed),
                context: push(file, DiffLineKind::Context),
                added: push(file, DiffLineKind::Added),
            })
            .collect();
        let triples = Triples::of(&text);
        Self { text, files, triples }
    }

    /// Leaves out the hints that stand nowhere in the change.
    fn possible(&self, hints: &[&'static str]) -> Vec<&'static str> {
        hints.iter().copied().filter(|hint| self.triples.may_hold(hint)).collect()
    }
}

/// The sequences of three bytes that a text has, as a set that may hold more than it should.
struct Triples(Vec<u64>);

impl Triples {
    const BITS: u32 = 16;

    fn of(text: &str) -> Self {
        let mut set = vec![0_u64; 1 << (Self::BITS - 6)];
        for triple in text.as_bytes().windows(3) {
            let slot = Self::slot(triple);
            set[slot >> 6] |= 1 << (slot & 63);
        }
        Self(set)
    }

    fn slot(triple: &[u8]) -> usize {
        let number = u32::from(triple[0]) | u32::from(triple[1]) << 8 | u32::from(triple[2]) << 16;
        (number.wrapping_mul(0x9E37_79B1) >> (32 - Self::BITS)) as usize
    }

    /// Says no only if the text does not hold the words.
    fn may_hold(&self, words: &str) -> bool {
        words.as_bytes().windows(3).all(|triple| {
            let slot = Self::slot(triple);
            self.0[slot >> 6] >> (slot & 63) & 1 == 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{modified, with_files};

    #[test]
    fn files_are_found_by_what_became_of_their_lines() {
        let evidence = with_files(vec![
            modified("a.rs", " catch\n-old\n+new"),
            modified("b.rs", " catch\n+other"),
            modified("c.rs", "-other\n+x"),
        ]);
        let glance = Glance::new(evidence.diff.get());
        let paths = |files: &mut dyn Iterator<Item = &FileChange>| -> String {
            files.map(|file| &file.path[..1]).collect::<Vec<_>>().join("")
        };
        assert_eq!(paths(&mut glance.adding(&["new"])), "a");
        assert_eq!(paths(&mut glance.adding(&["other", "new"])), "ab");
        assert_eq!(paths(&mut glance.adding(&["catch", "old"])), "");
        assert_eq!(paths(&mut glance.adding_or_near(&["catch"])), "a");
        assert_eq!(paths(&mut glance.losing(&["other"])), "c");
        assert_eq!(paths(&mut glance.showing(&["catch"])), "ab");
        assert_eq!(paths(&mut glance.showing(&["nothing of it"])), "");
        assert_eq!(glance.added().map(|(_, text)| text).collect::<String>(), "new\nother\nx\n");
        assert_eq!(Glance::new(None).adding(&["new"]).count(), 0);
    }

    #[test]
    fn what_a_text_holds_is_never_denied() {
        let text = "fn main() { println!(\"größe\"); }";
        let triples = Triples::of(text);
        for start in 0..text.len() {
            for end in start..=text.len() {
                if let Some(part) = text.get(start..end) {
                    assert!(triples.may_hold(part), "{part}");
                }
            }
        }
        assert!(!triples.may_hold("eprint") && !triples.may_hold("unwrap"));
    }
}
