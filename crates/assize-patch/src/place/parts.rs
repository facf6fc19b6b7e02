//! Blocks that stand in the file in several parts: hunks that run together under one header, or under none.
//!
//! A block may be parted where two lines meet that both only say where. Each part has to change something, and to stand in
//! exactly one place of the file as it is written, below the part before it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::near::{LINES_MIN, WEIGHT_MIN};
use super::{BlockRow, MatchTier, Placement, SearchedLines, squeezed};
use crate::block::{HunkLine, HunkLineKind};

/// Most parts of a block.
const PARTS_MAX: usize = 4;

/// Finds the place of a block in parts; several if it can be parted so that it says different things.
pub(super) fn places<'a>(searched: &SearchedLines<'_>, block: &'a [HunkLine]) -> Vec<Placement<'a>> {
    let mut ways = Vec::new();
    collect(searched, block, (0, PARTS_MAX), &Vec::new(), &mut ways);
    if searched.is_exhausted() {
        return Vec::new();
    }
    // Lines between two parts may belong to either, and the same comes of it.
    let mut results = BTreeSet::new();
    let place = |rows| Placement { block: Cow::Borrowed(block), rows, ..Placement::default() };
    ways.into_iter().map(place).filter(|place| results.insert(searched.result(place))).collect()
}

/// Collects the ways to lay the rest of a block on lines from one on; `above` is where the parts above it stand.
fn collect(
    searched: &SearchedLines<'_>,
    block: &[HunkLine],
    (from, parts_max): (usize, usize),
    above: &[BlockRow],
    ways: &mut Vec<Vec<BlockRow>>,
) {
    let is_cut = |at: &usize| [*at - 1, *at].iter().all(|line| block[*line].kind == HunkLineKind::Context);
    let cuts: Vec<usize> = (1..block.len()).filter(is_cut).collect();
    for cut in cuts.into_iter().chain([block.len()]) {
        let (part, rest) = block.split_at(cut);
        let is_whole = rest.is_empty() && above.is_empty();
        if is_whole || !rest.is_empty() && parts_max == 1 {
            continue;
        }
        let Some(start) = only_place(searched, part).filter(|start| *start >= from) else { continue };
        let count = part.iter().filter(|line| line.is_old()).count();
        let rows: Vec<BlockRow> = above.iter().copied().chain((start..start + count).map(BlockRow::At)).collect();
        if rest.is_empty() {
            ways.push(rows);
        } else {
            collect(searched, rest, (start + count, parts_max - 1), &rows, ways);
        }
    }
}

/// Returns the line on which a part begins, if it stands in one place alone and says enough.
fn only_place(searched: &SearchedLines<'_>, part: &[HunkLine]) -> Option<usize> {
    let old = || part.iter().filter(|line| line.is_old());
    let weights = old().filter_map(|line| Some(squeezed(line.text()?).len())).filter(|weight| *weight > 0);
    let says_enough = weights.clone().count() >= LINES_MIN && weights.sum::<usize>() >= WEIGHT_MIN;
    let changes = part.iter().any(|line| line.kind != HunkLineKind::Context);
    if !says_enough || !changes || !searched.may_compare(searched.lines.count()) {
        return None;
    }
    let tiers = [MatchTier::Exact, MatchTier::LineEndings, MatchTier::TrailingSpace];
    let found = tiers.into_iter().map(|tier| searched.places(part, tier, false)).find(|found| !found.is_empty())?;
    match found.as_slice() {
        [one] => Some(one.lines().start),
        _ => None,
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
}
