//! Blocks that stand in the file in several parts: hunks that run together under one header, or under none.
//!
//! A block may be parted where two lines meet that both only say where. Each part has to change something, and to stand in
//! exactly one place of the file as it is written, below the part before it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::near::{LINES_MIN, WEIGHT_MIN};
use super::{BlockRow, Placement, SearchedLines, squeezed};
use crate::block::{HunkLine, HunkLineKind};

/// Most parts of a block.
const PARTS_MAX: usize = 32;

/// Finds the place of a block in parts; several if it can be parted so that it says different things.
pub(super) fn places<'a>(searched: &SearchedLines<'_>, block: &'a [HunkLine]) -> Vec<Placement<'a>> {
    let Some(parting) = PartTable::of(searched, block) else { return Vec::new() };
    let place =
        |parts: PartRanges| Placement { block: Cow::Borrowed(block), rows: parts.rows(), ..Placement::default() };
    parting.ways().into_iter().filter(|parts| parts.0.len() > 1).map(place).collect()
}

/// The parts of a block, from the last one to the first: how many old lines each has, and on which line it begins.
#[derive(Debug, Clone, Default)]
struct PartRanges(Vec<Range<usize>>);

impl PartRanges {
    fn rows(&self) -> Vec<BlockRow> {
        self.0.iter().rev().cloned().flatten().map(BlockRow::At).collect()
    }
}

/// What is known of a block and a file, so that the block can be parted.
struct PartTable<'b> {
    block: &'b [HunkLine],
    /// For each old line, by its place in the block: on which lines of the file it stands, and how many of the old lines from it on
    /// stand there below each other.
    stands: BTreeMap<usize, Vec<Range<usize>>>,
}

impl<'b> PartTable<'b> {
    /// Compares each line with each; nothing if these are too many.
    fn of(searched: &SearchedLines<'_>, block: &'b [HunkLine]) -> Option<Self> {
        let old: Vec<usize> = (0..block.len()).filter(|index| block[*index].is_old()).collect();
        let lines = &searched.lines;
        if !searched.may_compare(old.len().saturating_mul(lines.count())) {
            return None;
        }
        let mut stands: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
        let mut below: BTreeMap<usize, usize> = BTreeMap::new();
        for index in old.into_iter().rev() {
            let content = block[index].content.trim_ascii_end();
            let rows = (0..lines.count()).filter(|row| lines.content(*row).trim_ascii_end() == content);
            let runs: BTreeMap<usize, usize> =
                rows.map(|row| (row, below.get(&(row + 1)).copied().unwrap_or(row + 1))).collect();
            stands.insert(index, runs.iter().map(|(start, end)| *start..*end).collect());
            below = runs;
        }
        Some(Self { block, stands })
    }

    /// Returns the ways to part the block, one for each thing that it may say.
    fn ways(&self) -> Vec<PartRanges> {
        let is_cut = |at: &usize| [*at - 1, *at].iter().all(|line| self.block[*line].kind == HunkLineKind::Context);
        let cuts: Vec<usize> = [0].into_iter().chain((1..self.block.len()).filter(is_cut)).collect();
        let mut below: BTreeMap<usize, Vec<PartRanges>> =
            BTreeMap::from([(self.block.len(), vec![PartRanges::default()])]);
        for from in cuts.into_iter().rev() {
            let mut found: Vec<PartRanges> = Vec::new();
            for (to, ways) in &below {
                let Some(part) = self.only_place(from..*to) else { continue };
                let fits = |way: &&PartRanges| {
                    way.0.len() < PARTS_MAX && way.0.last().is_none_or(|next| next.start >= part.end)
                };
                for way in ways.iter().filter(fits) {
                    let parts = PartRanges(way.0.iter().cloned().chain([part.clone()]).collect());
                    if found.iter().all(|other| !self.says_the_same((from, other), &parts)) {
                        found.push(parts);
                    }
                }
            }
            below.insert(from, found);
        }
        below.remove(&0).unwrap_or_default()
    }

    /// Whether two ways to part what stands from a line on put all changes in the same places.
    fn says_the_same(&self, (from, one): (usize, &PartRanges), other: &PartRanges) -> bool {
        let rows = |parts: &PartRanges| {
            let (rows, mut next) = (parts.rows(), 0);
            let changed = self.block[from..].iter().filter_map(|line| {
                let row = rows.get(next).copied();
                next += usize::from(line.is_old());
                // What comes stands below an old line of its part.
                let above = next.checked_sub(1).and_then(|above| rows.get(above)).copied();
                match line.kind {
                    HunkLineKind::Context => None,
                    HunkLineKind::Removed => Some(row),
                    HunkLineKind::Added => Some(above.or(row)),
                }
            });
            changed.collect::<Vec<_>>()
        };
        rows(one) == rows(other)
    }

    /// Returns where a part stands, if that is one place alone and the part says enough.
    fn only_place(&self, part: Range<usize>) -> Option<Range<usize>> {
        let lines = &self.block[part.clone()];
        let old: Vec<&HunkLine> = lines.iter().filter(|line| line.is_old()).collect();
        let first = part.start + lines.iter().position(HunkLine::is_old)?;
        let mut stands = self.stands[&first].iter().filter(|run| run.len() >= old.len());
        let start = stands.next().filter(|_| stands.next().is_none())?.start;
        let weights = old.iter().filter_map(|line| Some(squeezed(line.text()?).len())).filter(|weight| *weight > 0);
        let says_enough = weights.clone().count() >= LINES_MIN && weights.sum::<usize>() >= WEIGHT_MIN;
        let changes = lines.iter().any(|line| line.kind != HunkLineKind::Context);
        (says_enough && changes).then_some(start..start + old.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::TextLines;
    use crate::place::{PlacedEndings, put};

    const TEXT: &str = "def first():\n    one = 1\n    return one\n\n\ndef second():\n    two = 2\n    return two\n\n\n\
                        def third():\n    three = 3\n    return three\n";

    fn made(block: &[&str]) -> Vec<String> {
        let line = |line: &&str| {
            let kind = match &line[..1] {
                "+" => HunkLineKind::Added,
                "-" => HunkLineKind::Removed,
                _ => HunkLineKind::Context,
            };
            HunkLine { kind, content: line.as_bytes()[1..].to_vec(), end: crate::block::LineEndRule::Unsaid }
        };
        let block: Vec<HunkLine> = block.iter().map(line).collect();
        let searched = SearchedLines::of(TextLines::of(TEXT.as_bytes()));
        let made = |place: &Placement<'_>| {
            let mut bytes = Vec::new();
            put(&mut bytes, &searched.lines, place, PlacedEndings { are_said: false, ends_last: false });
            String::from_utf8(bytes).expect("text")
        };
        places(&searched, &block).iter().map(made).collect()
    }

    fn both_changed() -> String {
        TEXT.replace("one = 1", "one = 11").replace("    three = 3\n", "    three = 3\n    three += 1\n")
    }

    #[test]
    fn hunks_that_run_together_are_parted() {
        let first = [" def first():", "-    one = 1", "+    one = 11", "     return one"];
        let third = [" def third():", "     three = 3", "+    three += 1", "     return three"];
        let both = [&first[..], &third[..]].concat();
        assert_eq!(made(&both), [both_changed()]);
        // A blank line between them may belong to either.
        let above = [&first[..], &[" "]].concat();
        let below = [&[" ", " "], &third[..]].concat();
        assert_eq!(made(&[above, below].concat()), [both_changed()]);
        // In another order, with a part that is not there or says too little, and where nothing has to be parted.
        assert_eq!(made(&[&third[..], &first[..]].concat()), Vec::<String>::new());
        assert_eq!(made(&[&first[..], &[" def fourth():", "+    pass", "     return"]].concat()), Vec::<String>::new());
        assert_eq!(made(&[&first[..], &[" ", "+    pass", " "]].concat()), Vec::<String>::new());
        assert_eq!(made(&first), Vec::<String>::new());
    }

    #[test]
    fn there_may_be_many_of_them_and_each_has_one_place() {
        let lines = |number: usize| {
            [format!("def number_{number}():"), format!("    value = {number}"), "    return value".to_owned()]
        };
        let text: String = (0..40).flat_map(lines).map(|line| line + "\n").collect();
        let block = |numbers: std::ops::Range<usize>| -> Vec<HunkLine> {
            let hunk = |number: usize| {
                let [above, old, below] = lines(number * 2);
                let new = old.replace("value =", "value = -");
                [
                    (HunkLineKind::Context, above),
                    (HunkLineKind::Removed, old),
                    (HunkLineKind::Added, new),
                    (HunkLineKind::Context, below),
                ]
            };
            let line = |(kind, text): (HunkLineKind, String)| HunkLine {
                kind,
                content: text.into_bytes(),
                end: crate::block::LineEndRule::Unsaid,
            };
            numbers.flat_map(hunk).map(line).collect()
        };
        let count =
            |text: &str, block: &[HunkLine]| places(&SearchedLines::of(TextLines::of(text.as_bytes())), block).len();
        assert_eq!(count(&text, &block(0..12)), 1);
        // A second place of one part is one too many.
        let twice: String = lines(8).map(|line| line + "\n").concat();
        assert_eq!(count(&(text + &twice), &block(0..12)), 0);
    }
}
