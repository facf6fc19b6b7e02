//! Blocks that leave out blank lines of the file.
//!
//! All other lines that the block looks for have to stand below each other. The blank lines between them are put back. Where
//! lines come in such a gap, the blank lines may stand above or below them: the block has to say which, by the blank lines
//! that it adds itself, by which line becomes which, or by the depth of the lines.

use std::borrow::Cow;

use super::counterpart::{begins_alike, ends_alike};
use super::near::{LINES_MIN, WEIGHT_MIN};
use super::{BlockRow, Placement, SearchedLines, squeezed};
use crate::block::{HunkLine, HunkLineKind, LineEndRule};
use crate::indent::parted;

/// Where the blank lines of a gap stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlankSide {
    /// Above the lines that come.
    Above,
    /// Below them.
    Below,
}

/// Finds the places of a block that leaves out blank lines; nothing if it is not clear in one of them what it means.
pub(super) fn places<'a>(searched: &SearchedLines<'_>, block: &[HunkLine]) -> Option<Vec<Placement<'a>>> {
    let old: Vec<&HunkLine> = block.iter().filter(|line| line.is_old()).collect();
    let weights = old.iter().filter_map(|line| Some(squeezed(line.text()?).len())).filter(|weight| *weight > 0);
    let (lines, weight) = weights.fold((0, 0), |(lines, sum), weight| (lines + 1, sum + weight));
    if lines < LINES_MIN || weight < WEIGHT_MIN || !searched.may_compare(searched.lines.count()) {
        return Some(Vec::new());
    }
    let laid = (0..searched.lines.count()).filter_map(|start| rows_from(searched, &old, start));
    let filled = laid.map(|rows| with_blanks(block, &rows));
    let place = |block: Vec<HunkLine>, start: usize| {
        let count = block.iter().filter(|line| line.is_old()).count();
        let rows = (start..start + count).map(BlockRow::At).collect();
        Placement { block: Cow::Owned(block), rows, ..Placement::default() }
    };
    let found = filled.map(|filled| filled.map(|(block, start)| place(block, start)));
    found.collect()
}

/// Returns the rows of the old lines of a block that begins on a line, with nothing but blank lines between them.
fn rows_from(searched: &SearchedLines<'_>, old: &[&HunkLine], start: usize) -> Option<Vec<usize>> {
    let content = |row: usize| searched.lines.content(row).trim_ascii_end();
    let (mut rows, mut next) = (Vec::with_capacity(old.len()), start);
    for line in old {
        let is_it = |row: usize| content(row) == line.content.trim_ascii_end();
        if !line.is_blank() && !rows.is_empty() {
            next += (next..searched.lines.count()).take_while(|row| content(*row).is_empty()).count();
        }
        if next >= searched.lines.count() || !is_it(next) {
            return None;
        }
        rows.push(next);
        next += 1;
    }
    Some(rows)
}

/// Returns a block with the blank lines that it leaves out, and the row on which it begins; nothing if it is not clear where they
/// stand in it.
fn with_blanks(block: &[HunkLine], rows: &[usize]) -> Option<(Vec<HunkLine>, usize)> {
    let old: Vec<usize> = (0..block.len()).filter(|index| block[*index].is_old()).collect();
    let blank = || HunkLine { kind: HunkLineKind::Context, content: Vec::new(), end: LineEndRule::Unsaid };
    let (first, last) = (*old.first()?, *old.last()?);
    let mut filled = block[..=first].to_vec();
    for (pair, rows) in old.windows(2).zip(rows.windows(2)) {
        let count = rows[1] - rows[0] - 1;
        let added = &block[pair[0] + 1..pair[1]];
        let side = if count == 0 { BlankSide::Below } else { side(block, (pair[0], pair[1]), count)? };
        let blanks = || (0..count).map(|_| blank());
        match side {
            BlankSide::Above => filled.extend(blanks().chain(added.iter().cloned())),
            BlankSide::Below => filled.extend(added.iter().cloned().chain(blanks())),
        }
        filled.push(block[pair[1]].clone());
    }
    filled.extend_from_slice(&block[last + 1..]);
    Some((filled, *rows.first()?))
}

/// Says where so many blank lines stand between two old lines of a block, which are named by their place in it.
fn side(block: &[HunkLine], (above, below): (usize, usize), count: usize) -> Option<BlankSide> {
    let added = &block[above + 1..below];
    let kinds = (block[above].kind, block[below].kind);
    let is_blank = |line: &&HunkLine| line.is_blank();
    let (first, last) = (added.iter().take_while(is_blank).count(), added.iter().rev().take_while(is_blank).count());
    match kinds {
        // Whether the blank lines go as well is not said.
        (HunkLineKind::Removed, HunkLineKind::Removed) => None,
        // The new lines that stand below the old one may begin above the blank lines.
        (_, HunkLineKind::Removed) if added.is_empty() && !begins_alike(block, below) => None,
        _ if added.is_empty() => (!meets_blank(block, (above, below))).then_some(BlankSide::Below),
        (HunkLineKind::Context, HunkLineKind::Context) if first == added.len() => Some(BlankSide::Below),
        // The new lines bring the blank lines that part them from one neighbour, so those of the file part them from the other.
        (HunkLineKind::Context, HunkLineKind::Context) if (first, last) == (0, count) => Some(BlankSide::Above),
        (HunkLineKind::Context, HunkLineKind::Context) if (first, last) == (count, 0) => Some(BlankSide::Below),
        (HunkLineKind::Context, HunkLineKind::Context) if (first, last) != (0, 0) => None,
        (HunkLineKind::Removed, _) if ends_alike(block, below - 1) => Some(BlankSide::Below),
        (_, HunkLineKind::Context) => ends_above(&block[above], added, &block[below]).then_some(BlankSide::Below),
        _ => None,
    }
}

/// Whether blank lines between two old lines of a block would stand next to another blank line, once those beside them are gone: the block
/// may mean that one of them goes as well.
fn meets_blank(block: &[HunkLine], (above, below): (usize, usize)) -> bool {
    let is_left = |line: &&HunkLine| line.kind != HunkLineKind::Removed;
    let meets = |line: Option<&HunkLine>| line.is_some_and(HunkLine::is_blank);
    let is_gone = |index: usize| block[index].kind == HunkLineKind::Removed;
    is_gone(above) && meets(block[..above].iter().rfind(is_left))
        || is_gone(below) && meets(block[below..].iter().find(is_left))
}

/// Whether lines that come belong to what stands above them: they are as deep, and deeper than what stands below.
fn ends_above(above: &HunkLine, added: &[HunkLine], below: &HunkLine) -> bool {
    let depth = |line: &HunkLine| parted(&line.content).0.len();
    let mut told = added.iter().filter(|line| !line.is_blank()).map(depth);
    told.clone().next() == Some(depth(above)) && told.all(|one| one > depth(below))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::sample_block;
    use crate::line::TextLines;
    use crate::place::{PlacedEndings, put};

    const TEXT: &str = "import os\n\nVERSION = 1\n\n\ndef first():\n    one = 1\n    return one\n\n\ndef second():\n    two = 2\n\n    return two\n";

    fn made(lines: &[&str]) -> Vec<String> {
        let block = sample_block(lines);
        let searched = SearchedLines::of(TextLines::of(TEXT.as_bytes()));
        let made = |place: &Placement<'_>| {
            let mut bytes = Vec::new();
            put(&mut bytes, &searched.lines, place, PlacedEndings { are_said: false, ends_last: false });
            String::from_utf8(bytes).expect("text")
        };
        places(&searched, &block).unwrap_or_default().iter().map(made).collect()
    }

    #[test]
    fn blank_lines_that_are_left_out_stand_where_the_block_says() {
        // A line becomes another.
        assert_eq!(
            made(&[" import os", "-VERSION = 1", "+VERSION = 2", " def first():"]),
            ["import os\n\nVERSION = 2\n\n\ndef first():\n"]
        );
        // The new lines bring the blank lines of one side.
        let (above, below) = ("    return one\n", "def second():\n");
        let third = "def third():\n    pass\n";
        let bringing = |lines: &[&str]| made(&[&["     return one"], lines, &[" def second():"]].concat());
        let expected = [format!("{above}\n\n{third}\n\n{below}")];
        assert_eq!(bringing(&["+def third():", "+    pass", "+", "+"]), expected);
        assert_eq!(bringing(&["+", "+", "+def third():", "+    pass"]), expected);
        // They are as deep as what stands above, and deeper than what stands below.
        assert_eq!(bringing(&["+    # so it is"]), [format!("{above}    # so it is\n\n\n{below}")]);
        // Nothing comes in the gap.
        let head = " def second():";
        assert_eq!(
            made(&[head, "-    two = 2", "+    two = 3", "     return two"]),
            ["def second():\n    two = 3\n\n    return two\n"]
        );
    }

    #[test]
    fn where_the_block_does_not_say_it_nothing_is_found() {
        let none: [String; 0] = [];
        for block in [
            &[" import os", "+import sys", " VERSION = 1"][..],
            &[" import os", "-VERSION = 1", "+VERSION = 2", "+# the usual", " def first():"],
            &["     return one", "+def third():", "+    pass", "+", " def second():"],
            &["     return one", "+", "+def third():", "+    pass", "+", "+", " def second():"],
            // Whether the blank line between them goes is not said, and another line stands between these.
            &[" def second():", "-    two = 2", "-    return two", "+    return 2"],
            &[" def first():", "-    return one", "+    return 1", " def second():"],
            // The first new line may stand above the blank line or below it.
            &[" import os", "-VERSION = 1", "+import sys", "+VERSION = 2", " def first():"],
        ] {
            assert_eq!(made(block), none, "{block:?}");
        }
    }
}
