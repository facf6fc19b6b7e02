//! What compilers and linters offer to mend by themselves, as a patch: no model is asked.
//!
//! Only offers of the faults that it is given are taken, so that the faults an old project had before stay as they are.
//! Each offer is meant in the files as the tool saw them, and knows nothing of the others: two that meet are not both
//! taken in one round. It must not know which tool made an offer, and not whether the result is any good: the gates say
//! that afterwards.

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::Serialize;
use source::Source;

use crate::exec_report::line_of;
use crate::patch::{File, Patch, PatchLimits, between, check_path};
use crate::report::{Diagnostic, Offer, OfferedEdit};

/// Most offers that are taken in one round; the next one gets the rest.
pub const OFFERS_MAX: usize = 200;

/// An offer that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The fault that it would mend, as people are shown it.
    pub fault: String,
    /// Why not.
    pub because: Because,
}

/// Why an offer was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// It is about something that no patch may touch, or that is no text.
    NoFile,
    /// It names a place that is not there, or its edits overlap each other.
    NoPlace,
    /// It meets another one that was taken.
    Overlap,
    /// Another one takes lines out of the same block already, and a block of Python's cannot be empty.
    Block,
    /// The patch is as large as one may be.
    NoRoom,
}

impl Because {
    /// Whether another round may take it.
    pub fn is_for_later(self) -> bool {
        matches!(self, Self::Overlap | Self::Block | Self::NoRoom)
    }
}

/// Makes a patch of what the tools offer for these faults, and says which offers are left: of two that meet the first is
/// taken. `read` returns the file at a path if a patch may touch it.
pub fn patch(faults: &[Diagnostic], limits: &PatchLimits, read: &dyn Fn(&str) -> Option<File>) -> (Patch, Vec<Left>) {
    let mut round = Round::default();
    let mut left: Vec<(usize, Because)> = Vec::new();
    for (index, fault) in faults.iter().enumerate() {
        let Some(offer) = &fault.offer else { continue };
        if let Err(because) = round.take(index, offer, read) {
            left.push((index, because));
        }
    }
    let mut patch = round.patch();
    while !round.taken.is_empty() && !limits.check(&patch).is_empty() {
        let beyond = round.taken.split_off(round.taken.len() / 2);
        left.extend(beyond.into_iter().map(|taken| (taken.fault, Because::NoRoom)));
        patch = round.patch();
    }
    left.sort_unstable();
    let left = left.into_iter().map(|(index, because)| Left { fault: line_of(&faults[index]), because });
    (patch, left.collect())
}

/// What is taken in one round.
#[derive(Default)]
struct Round {
    /// What was read; `None` where no patch may touch it, or where it is no text.
    sources: BTreeMap<String, Option<Source>>,
    taken: Vec<Taken>,
    /// What is taken of each file: where it begins, where it ends, and the text in its place.
    spans: BTreeMap<String, BTreeMap<usize, (usize, String)>>,
    /// Blocks that lines are taken out of, by their file and the line above them.
    blocks: BTreeSet<(String, usize)>,
}

/// An offer that is taken.
struct Taken {
    /// Which of the faults it mends.
    fault: usize,
    edits: Vec<Edit>,
}

/// An edit at a place that is there.
struct Edit {
    path: String,
    span: Range<usize>,
    text: String,
}

impl Round {
    fn take(&mut self, fault: usize, offer: &Offer, read: &dyn Fn(&str) -> Option<File>) -> Result<(), Because> {
        if self.taken.len() == OFFERS_MAX {
            return Err(Because::NoRoom);
        }
        let edits = offer.edits.iter().map(|edit| self.placed(edit, read));
        let mut edits = edits.collect::<Result<Vec<_>, _>>()?;
        edits.sort_by(|one, other| (&one.path, one.span.start).cmp(&(&other.path, other.span.start)));
        let overlap = |one: &Edit, next: &Edit| {
            // Two texts at the same place are two ways to mend it.
            one.path == next.path && (next.span.start < one.span.end || next.span == one.span)
        };
        if edits.windows(2).any(|pair| matches!(pair, [one, next] if overlap(one, next))) {
            return Err(Because::NoPlace);
        }
        // Offers share edits, such as an import that both need. Whatever shrinks the patch lets the later ones go first.
        edits.retain(|edit| !self.is_taken(edit));
        if edits.iter().any(|edit| self.is_met(edit)) {
            return Err(Because::Overlap);
        }
        let blocks: Vec<(String, usize)> = edits.iter().filter_map(|edit| self.block(edit)).collect();
        if blocks.iter().any(|block| self.blocks.contains(block)) {
            return Err(Because::Block);
        }
        self.blocks.extend(blocks);
        for edit in &edits {
            let spans = self.spans.entry(edit.path.clone()).or_default();
            spans.insert(edit.span.start, (edit.span.end, edit.text.clone()));
        }
        self.taken.push(Taken { fault, edits });
        Ok(())
    }

    /// Looks up where an edit is to be made.
    fn placed(&mut self, edit: &OfferedEdit, read: &dyn Fn(&str) -> Option<File>) -> Result<Edit, Because> {
        let path = &edit.path;
        if !self.sources.contains_key(path) {
            let file = check_path(path).ok().and_then(|()| read(path));
            self.sources.insert(path.clone(), file.and_then(Source::of));
        }
        let source = self.sources.get(path).and_then(Option::as_ref).ok_or(Because::NoFile)?;
        let (start, end) = source.byte_at(edit.start).zip(source.byte_at(edit.end)).ok_or(Because::NoPlace)?;
        if end < start {
            return Err(Because::NoPlace);
        }
        Ok(Edit { path: path.clone(), span: start..end, text: source.with_endings(&edit.replacement, start) })
    }

    fn is_taken(&self, edit: &Edit) -> bool {
        let taken = self.spans.get(&edit.path).and_then(|taken| taken.get(&edit.span.start));
        taken.is_some_and(|(end, text)| (*end, text) == (edit.span.end, &edit.text))
    }

    /// Whether an edit overlaps what is taken, or touches it within a line, where tools do not take both either. Lines
    /// that follow each other can both be replaced, but which of two texts that are put in between comes first nobody knows.
    fn is_met(&self, edit: &Edit) -> bool {
        let (Some(taken), Some(Some(source))) = (self.spans.get(&edit.path), self.sources.get(&edit.path)) else {
            return false;
        };
        let follow = |one: &Range<usize>, next: &Range<usize>| {
            one.end == next.start && !one.is_empty() && !next.is_empty() && source.begins_line(next.start)
        };
        let near = taken.range(..=edit.span.end).rev().map(|(start, (end, _))| *start..*end);
        let mut near = near.take_while(|one| one.end >= edit.span.start);
        near.any(|one| !follow(&one, &edit.span) && !follow(&edit.span, &one))
    }

    /// The block of Python's that an edit takes lines out of.
    fn block(&self, edit: &Edit) -> Option<(String, usize)> {
        let is_python = edit.path.ends_with(".py") || edit.path.ends_with(".pyi");
        let source = self.sources.get(&edit.path)?.as_ref().filter(|_| is_python && edit.text.trim().is_empty())?;
        Some((edit.path.clone(), source.block_above(&edit.span)?))
    }

    /// Writes down what is taken.
    fn patch(&self) -> Patch {
        let mut by_path: BTreeMap<&str, Vec<&Edit>> = BTreeMap::new();
        for edit in self.taken.iter().flat_map(|taken| &taken.edits) {
            by_path.entry(&edit.path).or_default().push(edit);
        }
        let mut ops = Vec::new();
        for (path, mut edits) in by_path {
            let Some(Some(source)) = self.sources.get(path) else { continue };
            // What an offer puts in before a place and what it puts in that place are two edits.
            edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
            let before = &source.file;
            let mut after = File { bytes: Vec::with_capacity(before.bytes.len()), executable: before.executable };
            let mut copied = 0;
            for edit in edits {
                after.bytes.extend_from_slice(&before.bytes[copied..edit.span.start]);
                after.bytes.extend_from_slice(edit.text.as_bytes());
                copied = edit.span.end;
            }
            after.bytes.extend_from_slice(&before.bytes[copied..]);
            ops.extend(between(path, Some(before), Some(&after)));
        }
        Patch { ops }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::finding::Severity;
    use crate::report::Position::{self, Byte};

    /// An edit: the file, where it begins and ends, and the text.
    type Said<'a> = (&'a str, u32, u32, &'a str);

    fn fault(code: usize, edits: &[Said<'_>]) -> Diagnostic {
        let edit = |(path, start, end, text): &Said<'_>| OfferedEdit {
            path: (*path).to_owned(),
            start: Byte(*start),
            end: Byte(*end),
            replacement: (*text).to_owned(),
        };
        Diagnostic {
            code: code.to_string(),
            severity: Severity::Warning,
            path: None,
            line: None,
            message: String::new(),
            offer: Offer::of(edits.iter().map(edit).collect()),
        }
    }

    fn read(path: &str) -> Option<File> {
        match path {
            "a.rs" => Some(File::plain("ab\ncd\nef\n")),
            "é.rs" => Some(File::plain("é\n")),
            "image.rs" => Some(File::plain(*b"a\xff")),
            "../a.rs" | "/a.rs" => Some(File::plain("outside")),
            _ => None,
        }
    }

    /// What one round makes of `a.rs`, and why offers are left.
    fn round(faults: &[Diagnostic]) -> (String, Vec<(String, Because)>) {
        let (patch, left) = patch(faults, &PatchLimits::default(), &read);
        let text = made(&patch, "a.rs", &read("a.rs").unwrap_or_default());
        (text, left.into_iter().map(|left| (left.fault, left.because)).collect())
    }

    fn made(patch: &Patch, path: &str, before: &File) -> String {
        let tree = crate::patch::Snapshot::of_files([(path.to_owned(), before.clone())]);
        let ops = patch.ops.iter().filter(|op| op.path() == path).cloned().collect();
        let changes = crate::patch::plan(&Patch { ops }, &tree).map(|plan| plan.changes).unwrap_or_default();
        let after = changes.into_iter().next().and_then(|change| change.after).unwrap_or_else(|| before.clone());
        String::from_utf8(after.bytes).unwrap()
    }

    #[test]
    fn offers_are_taken_whole_and_the_first_of_those_that_meet() {
        use Because::{NoFile, NoPlace, Overlap};
        /// The edits of each offer, what becomes of `a.rs`, and which are left.
        type Case<'a> = (&'a [&'a [Said<'a>]], &'a str, &'a [(usize, Because)]);
        let cases: [Case<'_>; 17] = [
            (&[&[("a.rs", 0, 2, "x")], &[("a.rs", 3, 5, "y")]], "x\ny\nef\n", &[]),
            (&[&[("a.rs", 6, 8, "z"), ("a.rs", 0, 0, "x")]], "xab\ncd\nz\n", &[]),
            (&[&[("a.rs", 0, 1, "x"), ("a.rs", 1, 1, "y")]], "xyb\ncd\nef\n", &[]),
            (&[&[("a.rs", 3, 5, "y")], &[("a.rs", 4, 8, "z")]], "ab\ny\nef\n", &[(1, Overlap)]),
            (&[&[("a.rs", 3, 4, "y")], &[("a.rs", 4, 5, "z")]], "ab\nyd\nef\n", &[(1, Overlap)]),
            (&[&[("a.rs", 3, 6, "")], &[("a.rs", 0, 3, "")]], "ef\n", &[]),
            (&[&[("a.rs", 3, 6, "")], &[("a.rs", 3, 3, "x")]], "ab\nef\n", &[(1, Overlap)]),
            (&[&[("a.rs", 3, 3, "x")], &[("a.rs", 3, 3, "y")]], "ab\nxcd\nef\n", &[(1, Overlap)]),
            (&[&[("a.rs", 3, 3, "x")], &[("a.rs", 3, 3, "x"), ("a.rs", 6, 7, "")]], "ab\nxcd\nf\n", &[]),
            (&[&[("a.rs", 1, 7, "")], &[("a.rs", 0, 1, "x"), ("é.rs", 0, 2, "y")]], "af\n", &[(1, Overlap)]),
            (&[&[("a.rs", 0, 2, "x"), ("a.rs", 1, 3, "y")]], "ab\ncd\nef\n", &[(0, NoPlace)]),
            (&[&[("a.rs", 0, 0, "x"), ("a.rs", 0, 0, "y")]], "ab\ncd\nef\n", &[(0, NoPlace)]),
            (&[&[("a.rs", 8, 10, "x")], &[("a.rs", 9, 9, "y")]], "ab\ncd\nef\ny", &[(0, NoPlace)]),
            (&[&[("a.rs", 2, 1, "x")], &[("é.rs", 1, 2, "x")]], "ab\ncd\nef\n", &[(0, NoPlace), (1, NoPlace)]),
            (&[&[("a.rs", 0, 2, "x"), ("none.rs", 0, 0, "y")]], "ab\ncd\nef\n", &[(0, NoFile)]),
            (&[&[("../a.rs", 0, 1, "x")], &[("/a.rs", 0, 1, "x")]], "ab\ncd\nef\n", &[(0, NoFile), (1, NoFile)]),
            (&[&[("image.rs", 0, 1, "x")], &[]], "ab\ncd\nef\n", &[(0, NoFile)]),
        ];
        for (offers, expected, left) in cases {
            let faults: Vec<Diagnostic> = offers.iter().enumerate().map(|(code, edits)| fault(code, edits)).collect();
            let left: Vec<_> = left.iter().map(|(code, because)| (format!(" [{code}]"), *because)).collect();
            assert_eq!(round(&faults), (expected.to_owned(), left), "{offers:?}");
        }
    }

    #[test]
    fn a_block_of_python_is_not_emptied_by_two() {
        let text = "if a:\n    b\n    # c\n    d\n    e\nelse:\n    f\n";
        let read = |_: &str| Some(File::plain(text));
        let gone = |path: &'static str, line: &str| {
            let start = text.find(line).unwrap() as u32;
            fault(0, &[(path, start, start + line.len() as u32, "")])
        };
        for (path, lines, left) in [
            ("a.py", &["    b\n", "    d\n"][..], &[Because::Block][..]),
            ("a.pyi", &["    b\n", "    d\n", "    e\n"], &[Because::Block; 2]),
            ("a.py", &["    b\n", "    f\n"], &[]),
            ("a.rs", &["    b\n", "    d\n"], &[]),
        ] {
            let faults: Vec<Diagnostic> = lines.iter().map(|line| gone(path, line)).collect();
            let found = patch(&faults, &PatchLimits::default(), &read).1;
            assert_eq!(found.iter().map(|left| left.because).collect::<Vec<_>>(), left, "{path} {lines:?}");
        }
    }

    #[test]
    fn only_the_faults_that_are_given_are_mended() {
        let (old, new) = (fault(0, &[("a.rs", 0, 2, "x")]), fault(1, &[("a.rs", 3, 5, "y")]));
        let found = crate::comparison::new_diagnostics(&[old.clone(), new], &[old], &Default::default());
        assert_eq!(round(&found), ("ab\ny\nef\n".to_owned(), Vec::new()));
    }

    /// Offers for every second line of a long file, one each.
    fn many(count: usize) -> (Vec<Diagnostic>, File) {
        let edit = |number: usize| [("long.rs", 4 * number as u32, 4 * number as u32 + 1, "y")];
        let faults = (0..count).map(|number| fault(number, &edit(number))).collect();
        (faults, File::plain("x\n\n\n".repeat(count)))
    }

    #[test]
    fn a_round_takes_so_many_offers_and_no_more_than_a_patch_may_hold() {
        let wide = PatchLimits { ops_max: 10 * OFFERS_MAX, bytes_max: 1 << 20 };
        let narrow = PatchLimits { ops_max: 10, ..wide };
        for (offers, limits, taken) in [
            (OFFERS_MAX, wide, OFFERS_MAX),
            (OFFERS_MAX + 1, wide, OFFERS_MAX),
            (10, narrow, 10),
            (11, narrow, 5),
            (1, PatchLimits { bytes_max: 9, ..wide }, 1),
            (1, PatchLimits { bytes_max: 8, ..wide }, 0),
        ] {
            let (faults, file) = many(offers);
            let (patch, left) = patch(&faults, &limits, &|_| Some(file.clone()));
            assert_eq!(limits.check(&patch), []);
            assert_eq!(made(&patch, "long.rs", &file).matches('y').count(), taken, "{offers} {limits:?}");
            assert_eq!(left.iter().filter(|left| left.because == Because::NoRoom).count(), offers - taken);
            assert!(left.iter().all(|left| left.because.is_for_later()));
        }
    }

    #[test]
    fn an_executable_file_stays_one() {
        let file = File { bytes: b"a\rb\n".to_vec(), executable: true };
        let faults = [fault(0, &[("a.rs", 0, 1, "x\r")])];
        let (patch, _) = patch(&faults, &PatchLimits::default(), &|_| Some(file.clone()));
        let tree = crate::patch::Snapshot::of_files([("a.rs".to_owned(), file.clone())]);
        let after = crate::patch::plan(&patch, &tree).unwrap().changes.remove(0).after.unwrap();
        assert_eq!(after, File { bytes: b"x\r\rb\n".to_vec(), executable: true });
    }

    /// Any place, most of them near those of a short text.
    fn position() -> impl Strategy<Value = Position> {
        prop_oneof![
            (0..40_u32).prop_map(Position::Byte),
            (0..40_u32).prop_map(Position::Utf16),
            (0..6_u32, 0..12_u32).prop_map(|(line, column)| Position::Character { line, column }),
        ]
    }

    proptest! {
        #[test]
        fn whatever_is_offered_the_patch_fits_and_nothing_else_changes(
            text in "\u{feff}?([a é😀\n\r]|\r\n){0,24}",
            offers in prop::collection::vec(prop::collection::vec((position(), position(), "[xß\n]{0,2}"), 1..3), 0..6),
        ) {
            let edit = |(start, end, replacement): (Position, Position, String)| {
                OfferedEdit { path: "a.py".to_owned(), start, end, replacement }
            };
            let offer = |edits: Vec<_>| Offer::of(edits.into_iter().map(edit).collect());
            let faults: Vec<Diagnostic> =
                offers.into_iter().map(|edits| Diagnostic { offer: offer(edits), ..fault(0, &[]) }).collect();
            let file = File::plain(text);
            let (patch, left) = patch(&faults, &PatchLimits::default(), &|_| Some(file.clone()));
            let tree = crate::patch::Snapshot::of_files([("a.py".to_owned(), file.clone())]);
            if patch.ops.is_empty() {
                return Ok(());
            }
            let changes = crate::patch::plan(&patch, &tree).unwrap().changes;
            let after = changes[0].after.clone().unwrap().bytes;
            prop_assert!(left.len() < faults.len());
            prop_assert!(std::str::from_utf8(&after).is_ok());
            let mark = "\u{feff}".as_bytes();
            prop_assert_eq!(file.bytes.starts_with(mark), after.starts_with(mark));
        }
    }
}
