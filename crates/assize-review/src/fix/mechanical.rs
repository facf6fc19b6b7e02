//! The fixes that compilers and linters offer, as one patch: no model is asked.
//!
//! The patch takes only the offers of the faults that it is given, so that the faults an old project had before stay as
//! they are. Each offer refers to the files as the tool saw them, and does not know the other offers. Of two offers
//! that meet, one round takes at most one. This module must not know which tool made an offer, nor whether the result
//! is any good: the gates judge that afterwards.

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use assize_patch::{FileContent, Patch, PatchLimits, between, check_path};
use assize_report::{Diagnostic, Offer, OfferedEdit};

use source::SourceText;

/// Most offers that are taken in one round; the next one gets the rest.
pub const OFFERS_MAX: usize = 200;

/// Makes a patch of what the tools offer for these faults: of two that meet the first is taken. `read` returns the file at
/// a path if a patch may touch it.
pub fn patch(faults: &[Diagnostic], limits: &PatchLimits, read: &dyn Fn(&str) -> Option<FileContent>) -> Patch {
    let mut round = MechanicalRound::default();
    for offer in faults.iter().filter_map(|fault| fault.offer.as_ref()) {
        // What is not taken is offered again in the next round.
        let _ = round.take(offer, read);
    }
    let mut patch = round.patch();
    while !round.taken.is_empty() && !limits.check(&patch).is_empty() {
        round.taken.truncate(round.taken.len() / 2);
        patch = round.patch();
    }
    patch
}

/// What is taken in one round.
#[derive(Default)]
struct MechanicalRound {
    /// What was read; `None` where no patch may touch it, or where it is no text.
    sources: BTreeMap<String, Option<SourceText>>,
    /// The edits of each offer that is taken.
    taken: Vec<Vec<PlacedEdit>>,
    /// What is taken of each file: where it begins, where it ends, and the text in its place.
    spans: BTreeMap<String, BTreeMap<usize, (usize, String)>>,
    /// Blocks that lines are taken out of, by their file and the line above them.
    blocks: BTreeSet<(String, usize)>,
}

/// An edit at a place that is there.
struct PlacedEdit {
    path: String,
    span: Range<usize>,
    text: String,
}

impl MechanicalRound {
    /// Takes an offer, whole; `None` where it cannot be taken in this round.
    fn take(&mut self, offer: &Offer, read: &dyn Fn(&str) -> Option<FileContent>) -> Option<()> {
        if self.taken.len() == OFFERS_MAX {
            return None;
        }
        let edits = offer.edits.iter().map(|edit| self.placed(edit, read));
        let mut edits = edits.collect::<Option<Vec<_>>>()?;
        edits.sort_by(|one, other| (&one.path, one.span.start).cmp(&(&other.path, other.span.start)));
        let overlap = |one: &PlacedEdit, next: &PlacedEdit| {
            // Two texts at the same place are two alternative fixes.
            one.path == next.path && (next.span.start < one.span.end || next.span == one.span)
        };
        if edits.windows(2).any(|pair| matches!(pair, [one, next] if overlap(one, next))) {
            return None;
        }
        // Offers share edits, such as an import that both need. Whatever shrinks the patch lets the later ones go first.
        edits.retain(|edit| !self.is_taken(edit));
        if edits.iter().any(|edit| self.is_met(edit)) {
            return None;
        }
        let blocks: Vec<(String, usize)> = edits.iter().filter_map(|edit| self.block(edit)).collect();
        if blocks.iter().any(|block| self.blocks.contains(block)) {
            return None;
        }
        self.blocks.extend(blocks);
        for edit in &edits {
            let spans = self.spans.entry(edit.path.clone()).or_default();
            spans.insert(edit.span.start, (edit.span.end, edit.text.clone()));
        }
        self.taken.push(edits);
        Some(())
    }

    /// Looks up where an edit is to be made; `None` where it names no place of a text that a patch may touch.
    fn placed(&mut self, edit: &OfferedEdit, read: &dyn Fn(&str) -> Option<FileContent>) -> Option<PlacedEdit> {
        let path = &edit.path;
        if !self.sources.contains_key(path) {
            let file = check_path(path).ok().and_then(|()| read(path));
            self.sources.insert(path.clone(), file.and_then(SourceText::of));
        }
        let source = self.sources.get(path).and_then(Option::as_ref)?;
        let (start, end) = source.byte_at(edit.start).zip(source.byte_at(edit.end))?;
        if end < start {
            return None;
        }
        Some(PlacedEdit { path: path.clone(), span: start..end, text: source.with_endings(&edit.replacement, start) })
    }

    fn is_taken(&self, edit: &PlacedEdit) -> bool {
        let taken = self.spans.get(&edit.path).and_then(|taken| taken.get(&edit.span.start));
        taken.is_some_and(|(end, text)| (*end, text) == (edit.span.end, &edit.text))
    }

    /// Returns whether an edit overlaps a taken edit, or touches one within a line. Tools do not take both edits then
    /// either. Lines that follow each other can both be replaced. But two texts between them cannot both be inserted,
    /// since their order is unknown.
    fn is_met(&self, edit: &PlacedEdit) -> bool {
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
    fn block(&self, edit: &PlacedEdit) -> Option<(String, usize)> {
        let is_python = edit.path.ends_with(".py") || edit.path.ends_with(".pyi");
        let source = self.sources.get(&edit.path)?.as_ref().filter(|_| is_python && edit.text.trim().is_empty())?;
        Some((edit.path.clone(), source.block_above(&edit.span)?))
    }

    /// Writes down what is taken.
    fn patch(&self) -> Patch {
        let mut by_path: BTreeMap<&str, Vec<&PlacedEdit>> = BTreeMap::new();
        for edit in self.taken.iter().flatten() {
            by_path.entry(&edit.path).or_default().push(edit);
        }
        let mut ops = Vec::new();
        for (path, mut edits) in by_path {
            let Some(Some(source)) = self.sources.get(path) else { continue };
            // An offer may insert a text before a place and also replace that place: these are two edits.
            edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
            let before = &source.file;
            let mut after =
                FileContent { bytes: Vec::with_capacity(before.bytes.len()), executable: before.executable };
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
    use assize_core::finding::Severity;
    use assize_report::Position::{self, Byte};

    /// An edit: the file, where it begins and ends, and the text.
    type SampleEdit<'a> = (&'a str, u32, u32, &'a str);

    fn fault(code: usize, edits: &[SampleEdit<'_>]) -> Diagnostic {
        let edit = |(path, start, end, text): &SampleEdit<'_>| OfferedEdit {
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

    fn read(path: &str) -> Option<FileContent> {
        match path {
            "a.rs" => Some(FileContent::plain("ab\ncd\nef\n")),
            "é.rs" => Some(FileContent::plain("é\n")),
            "image.rs" => Some(FileContent::plain(*b"a\xff")),
            "../a.rs" | "/a.rs" => Some(FileContent::plain("outside")),
            _ => None,
        }
    }

    /// What one round makes of `a.rs`.
    fn round(faults: &[Diagnostic]) -> String {
        let patch = patch(faults, &PatchLimits::default(), &read);
        assert!(patch.ops.iter().all(|op| op.path() == "a.rs"), "{patch:?}");
        made(&patch, "a.rs", &read("a.rs").unwrap_or_default())
    }

    fn made(patch: &Patch, path: &str, before: &FileContent) -> String {
        let tree = assize_patch::Snapshot::of_files([(path.to_owned(), before.clone())]);
        let ops = patch.ops.iter().filter(|op| op.path() == path).cloned().collect();
        let changes = assize_patch::plan(&Patch { ops }, &tree).map(|plan| plan.changes).unwrap_or_default();
        let after = changes.into_iter().next().and_then(|change| change.after).unwrap_or_else(|| before.clone());
        String::from_utf8(after.bytes).unwrap()
    }

    #[test]
    fn offers_are_taken_whole_and_the_first_of_those_that_meet() {
        /// The edits of each offer, and what becomes of `a.rs`.
        type MechanicalCase<'a> = (&'a [&'a [SampleEdit<'a>]], &'a str);
        let cases: [MechanicalCase<'_>; 17] = [
            (&[&[("a.rs", 0, 2, "x")], &[("a.rs", 3, 5, "y")]], "x\ny\nef\n"),
            (&[&[("a.rs", 6, 8, "z"), ("a.rs", 0, 0, "x")]], "xab\ncd\nz\n"),
            (&[&[("a.rs", 0, 1, "x"), ("a.rs", 1, 1, "y")]], "xyb\ncd\nef\n"),
            (&[&[("a.rs", 3, 5, "y")], &[("a.rs", 4, 8, "z")]], "ab\ny\nef\n"),
            (&[&[("a.rs", 3, 4, "y")], &[("a.rs", 4, 5, "z")]], "ab\nyd\nef\n"),
            (&[&[("a.rs", 3, 6, "")], &[("a.rs", 0, 3, "")]], "ef\n"),
            (&[&[("a.rs", 3, 6, "")], &[("a.rs", 3, 3, "x")]], "ab\nef\n"),
            (&[&[("a.rs", 3, 3, "x")], &[("a.rs", 3, 3, "y")]], "ab\nxcd\nef\n"),
            (&[&[("a.rs", 3, 3, "x")], &[("a.rs", 3, 3, "x"), ("a.rs", 6, 7, "")]], "ab\nxcd\nf\n"),
            (&[&[("a.rs", 1, 7, "")], &[("a.rs", 0, 1, "x"), ("é.rs", 0, 2, "y")]], "af\n"),
            (&[&[("a.rs", 0, 2, "x"), ("a.rs", 1, 3, "y")]], "ab\ncd\nef\n"),
            (&[&[("a.rs", 0, 0, "x"), ("a.rs", 0, 0, "y")]], "ab\ncd\nef\n"),
            (&[&[("a.rs", 8, 10, "x")], &[("a.rs", 9, 9, "y")]], "ab\ncd\nef\ny"),
            (&[&[("a.rs", 2, 1, "x")], &[("é.rs", 1, 2, "x")]], "ab\ncd\nef\n"),
            (&[&[("a.rs", 0, 2, "x"), ("none.rs", 0, 0, "y")]], "ab\ncd\nef\n"),
            (&[&[("../a.rs", 0, 1, "x")], &[("/a.rs", 0, 1, "x")]], "ab\ncd\nef\n"),
            (&[&[("image.rs", 0, 1, "x")], &[]], "ab\ncd\nef\n"),
        ];
        for (offers, expected) in cases {
            let faults: Vec<Diagnostic> = offers.iter().enumerate().map(|(code, edits)| fault(code, edits)).collect();
            assert_eq!(round(&faults), expected, "{offers:?}");
        }
    }

    #[test]
    fn a_block_of_python_is_not_emptied_by_two() {
        let text = "if a:\n    b\n    # c\n    d\n    e\nelse:\n    f\n";
        let read = |_: &str| Some(FileContent::plain(text));
        let gone = |path: &'static str, line: &str| {
            let start = text.find(line).unwrap() as u32;
            fault(0, &[(path, start, start + line.len() as u32, "")])
        };
        for (path, lines, taken) in [
            ("a.py", &["    b\n", "    d\n"][..], &["    b\n"][..]),
            ("a.pyi", &["    b\n", "    d\n", "    e\n"], &["    b\n"]),
            ("a.py", &["    b\n", "    f\n"], &["    b\n", "    f\n"]),
            ("a.rs", &["    b\n", "    d\n"], &["    b\n", "    d\n"]),
        ] {
            let faults: Vec<Diagnostic> = lines.iter().map(|line| gone(path, line)).collect();
            let patch = patch(&faults, &PatchLimits::default(), &read);
            let expected = taken.iter().fold(text.to_owned(), |text, line| text.replacen(line, "", 1));
            assert_eq!(made(&patch, path, &FileContent::plain(text)), expected, "{path} {lines:?}");
        }
    }

    #[test]
    fn only_the_faults_that_are_given_are_mended() {
        let (old, new) = (fault(0, &[("a.rs", 0, 2, "x")]), fault(1, &[("a.rs", 3, 5, "y")]));
        let found = assize_gate::comparison::new_diagnostics(&[old.clone(), new], &[old], &Default::default());
        assert_eq!(round(&found), "ab\ny\nef\n");
    }

    /// Offers for every second line of a long file, one each.
    fn many(count: usize) -> (Vec<Diagnostic>, FileContent) {
        let edit = |number: usize| [("long.rs", 4 * number as u32, 4 * number as u32 + 1, "y")];
        let faults = (0..count).map(|number| fault(number, &edit(number))).collect();
        (faults, FileContent::plain("x\n\n\n".repeat(count)))
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
            let patch = patch(&faults, &limits, &|_| Some(file.clone()));
            assert_eq!(limits.check(&patch), []);
            assert_eq!(made(&patch, "long.rs", &file).matches('y').count(), taken, "{offers} {limits:?}");
        }
    }

    #[test]
    fn an_executable_file_stays_one() {
        let file = FileContent { bytes: b"a\rb\n".to_vec(), executable: true };
        let faults = [fault(0, &[("a.rs", 0, 1, "x\r")])];
        let patch = patch(&faults, &PatchLimits::default(), &|_| Some(file.clone()));
        let tree = assize_patch::Snapshot::of_files([("a.rs".to_owned(), file.clone())]);
        let after = assize_patch::plan(&patch, &tree).unwrap().changes.remove(0).after.unwrap();
        assert_eq!(after, FileContent { bytes: b"x\r\rb\n".to_vec(), executable: true });
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
            let file = FileContent::plain(text);
            let patch = patch(&faults, &PatchLimits::default(), &|_| Some(file.clone()));
            let tree = assize_patch::Snapshot::of_files([("a.py".to_owned(), file.clone())]);
            if patch.ops.is_empty() {
                return Ok(());
            }
            let changes = assize_patch::plan(&patch, &tree).unwrap().changes;
            let after = changes[0].after.clone().unwrap().bytes;
            prop_assert!(std::str::from_utf8(&after).is_ok());
            let mark = "\u{feff}".as_bytes();
            prop_assert_eq!(file.bytes.starts_with(mark), after.starts_with(mark));
        }
    }
}
