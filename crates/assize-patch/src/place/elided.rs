//! Blocks that leave lines out: `...`, or a comment such as `// ... existing code ...`.
//!
//! What is left out stays as it is. The parts around it have to stand in the file in their order, and in one way only. A part is not
//! looked for beyond the function or the block in which the one above it stands: no line between them is indented less
//! than what is left out.

use std::borrow::Cow;

use super::{BlockRow, MatchTier, Placement, SearchedLines, squeezed};
use crate::block::{HunkLine, HunkLineKind, is_elision};
use crate::indent::parted;

/// Most ways that are followed: more than one is too many.
const WAYS_MAX: usize = 16;

/// A part of a block between what is left out.
struct ElidedPart {
    /// Its old lines, without white space.
    lines: Vec<String>,
    /// How deep what is left out below it is indented; nothing behind the last part.
    gap: Option<usize>,
    /// How deep its first and its last line are indented, blank ones left aside.
    depths: (usize, usize),
}

/// Finds the places of a block that leaves lines out.
pub(super) fn places<'a>(searched: &SearchedLines<'_>, block: &'a [HunkLine]) -> Vec<Placement<'a>> {
    let is_gap = |line: &HunkLine| line.kind == HunkLineKind::Context && line.text().is_some_and(is_elision);
    if !block.iter().any(is_gap) {
        return Vec::new();
    }
    // At the beginning and at the end it says nothing.
    let is_told = |line: &HunkLine| !is_gap(line) && !line.is_blank();
    let (Some(first), Some(last)) = (block.iter().position(is_told), block.iter().rposition(is_told)) else {
        return Vec::new();
    };
    let block = &block[first..=last];
    let Some(parts) = parts(block, is_gap) else { return Vec::new() };
    let mut found = Vec::new();
    // What cannot be tried to the end is not told.
    if !follow(searched, &parts, &mut Vec::new(), &mut found) {
        return Vec::new();
    }
    let place = |starts: &Vec<usize>| {
        let mut rows = Vec::new();
        for (part, start) in parts.iter().zip(starts) {
            if !rows.is_empty() {
                rows.push(BlockRow::Through(*start));
            }
            rows.extend((*start..start + part.lines.len()).map(BlockRow::At));
        }
        let place = Placement { block: Cow::Borrowed(block), rows, ..Placement::default() };
        searched.indented(place, MatchTier::Elided)
    };
    found.iter().filter_map(place).collect()
}

fn parts(block: &[HunkLine], is_gap: impl Fn(&HunkLine) -> bool) -> Option<Vec<ElidedPart>> {
    let depth = |line: &HunkLine| parted(&line.content).0.len();
    let mut parts: Vec<ElidedPart> = Vec::new();
    let mut lines: Vec<&HunkLine> = Vec::new();
    let mut end = |lines: &mut Vec<&HunkLine>, gap: Option<usize>| -> Option<()> {
        let told = || lines.iter().filter(|line| !line.is_blank());
        let depths = (depth(told().next()?), depth(told().next_back()?));
        let text = lines.iter().map(|line| line.text().map(squeezed)).collect::<Option<_>>()?;
        parts.push(ElidedPart { lines: text, gap, depths });
        lines.clear();
        Some(())
    };
    for line in block.iter().filter(|line| line.is_old()) {
        if is_gap(line) {
            end(&mut lines, Some(depth(line)))?;
        } else {
            lines.push(line);
        }
    }
    end(&mut lines, None)?;
    Some(parts)
}

/// Follows every way to place the parts one below the other; whether all were followed.
fn follow(
    searched: &SearchedLines<'_>,
    parts: &[ElidedPart],
    taken: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
) -> bool {
    if found.len() >= WAYS_MAX {
        return true;
    }
    let Some(part) = parts.get(taken.len()) else {
        found.push(taken.clone());
        return true;
    };
    let above = taken.last().map(|start| (&parts[taken.len() - 1], *start));
    let from = above.map_or(0, |(part, start)| start + part.lines.len());
    let until = (searched.lines.count() + 1).saturating_sub(part.lines.len());
    for start in from..until {
        if !searched.may_compare(1) {
            return false;
        }
        let stands = |(offset, line): (usize, &String)| searched.squeezed()[start + offset].as_ref() == Some(line);
        if part.lines.iter().enumerate().all(stands)
            && above.is_none_or(|(above, begin)| is_within(searched, (above, begin), (part, start)))
        {
            taken.push(start);
            let is_followed = follow(searched, parts, taken, found);
            taken.pop();
            if !is_followed {
                return false;
            }
        }
    }
    true
}

/// Whether no line between two parts is indented less than what is left out there.
fn is_within(searched: &SearchedLines<'_>, above: (&ElidedPart, usize), below: (&ElidedPart, usize)) -> bool {
    let depth = |line: usize| parted(searched.lines.content(line)).0.len();
    let is_told = |line: &usize| !searched.lines.content(*line).trim_ascii().is_empty();
    let end = above.1 + above.0.lines.len();
    let (last, first) = ((above.1..end).rfind(is_told), (below.1..below.1 + below.0.lines.len()).find(is_told));
    let (Some(last), Some(first)) = (last.map(depth), first.map(depth)) else { return false };
    let gap = above.0.gap.unwrap_or(0);
    // In the file, it is as deep as the neighbour with which it is in line, or deeper than the one above it.
    let least = if gap == below.0.depths.0 {
        first
    } else if gap == above.0.depths.1 {
        last
    } else if gap > above.0.depths.1 {
        last + 1
    } else {
        last.min(first)
    };
    (end..below.1).filter(is_told).all(|line| depth(line) >= least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::between_lines;
    use crate::line::TextLines;

    /// Returns on which lines the parts of a block stand, for each way to place it.
    fn placed(text: &str, old: &[&str]) -> Vec<Vec<usize>> {
        let searched = SearchedLines::of(TextLines::of(text.as_bytes()));
        let block = between_lines(old, old);
        let rows = |place: &Placement<'_>| {
            let at = place.rows.iter().filter_map(|row| match row {
                BlockRow::At(row) => Some(*row),
                BlockRow::Absent | BlockRow::Through(_) => None,
            });
            at.collect()
        };
        places(&searched, &block).iter().map(rows).collect()
    }

    const TEXT: &str = "def a():\n    x()\n    y()\n    return 1\ndef b():\n    x()\n    return 2\n    return 3\n";

    #[test]
    fn parts_stand_in_one_function_and_in_one_way() {
        let none: Vec<Vec<usize>> = Vec::new();
        for (old, expected) in [
            (vec!["def a():", "    ...", "    return 1"], vec![vec![0, 3]]),
            (vec!["def a():", "    # ...", "    y()", "    # ...", "    return 1"], vec![vec![0, 2, 3]]),
            (vec!["...", "def b():", "    ...", "    return 3", "..."], vec![vec![4, 7]]),
            (vec!["    x()", "    ...", "    return 2"], vec![vec![5, 6]]),
            // Another function begins in between.
            (vec!["def a():", "    ...", "    return 2"], none.clone()),
            (vec!["def a():", "    return 1"], none.clone()),
        ] {
            assert_eq!(placed(TEXT, &old), expected, "{old:?}");
        }
        assert_eq!(placed("f:\n  a\n  b\n  a\n", &["f:", "  ...", "  a"]).len(), 2, "nobody knows which is meant");
    }

    #[test]
    fn ways_are_tried_up_to_a_limit() {
        let text = "a\n".repeat(3_000);
        let old: Vec<&str> = ["a", "..."].repeat(20).into_iter().chain(["b"]).collect();
        assert_eq!(placed(&text, &old), [[0; 0]; 0]);
    }
}
