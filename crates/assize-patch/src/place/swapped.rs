//! Blocks whose lines of context stand in another order than in the file.
//!
//! Only lines that stay may be swapped, and none of them past a line that goes or comes. So each change still stands between
//! the same lines.

use super::near::{LINES_MIN, WEIGHT_MIN};
use super::{Placement, SearchedLines, squeezed};
use crate::block::{HunkLine, HunkLineKind};

/// Longest block that is compared.
const OLD_LINES_MAX: usize = 200;

/// Lines below each other that may stand in any order.
struct SwappedRun<'b> {
    /// Their texts in the order of the alphabet, without blanks at the end.
    sorted: Vec<&'b [u8]>,
}

/// Finds the places of a block whose context is in another order.
pub(super) fn places<'a>(searched: &SearchedLines<'_>, block: &'a [HunkLine]) -> Vec<Placement<'a>> {
    let runs = runs(block);
    let count: usize = runs.iter().map(|run| run.sorted.len()).sum();
    let weights = block.iter().filter(|line| line.is_old()).filter_map(|line| Some(squeezed(line.text()?).len()));
    let (lines, weight) = weights.filter(|weight| *weight > 0).fold((0, 0), |(lines, sum), one| (lines + 1, sum + one));
    let Some(last) = searched.lines.count().checked_sub(count) else { return Vec::new() };
    if lines < LINES_MIN || weight < WEIGHT_MIN || count > OLD_LINES_MAX || !searched.may_compare(last + 1) {
        return Vec::new();
    }
    (0..=last).filter(|start| stands(searched, &runs, *start)).map(|start| Placement::at(block, start)).collect()
}

/// Returns the runs of a block: lines that stay, without one between them that goes or comes, and each line that goes.
fn runs(block: &[HunkLine]) -> Vec<SwappedRun<'_>> {
    let mut runs: Vec<SwappedRun<'_>> = Vec::new();
    let mut is_open = false;
    for line in block {
        let is_context = line.kind == HunkLineKind::Context;
        match runs.last_mut() {
            Some(run) if is_context && is_open => run.sorted.push(line.content.trim_ascii_end()),
            _ if line.is_old() => runs.push(SwappedRun { sorted: vec![line.content.trim_ascii_end()] }),
            _ => {}
        }
        is_open = is_context;
    }
    runs.iter_mut().for_each(|run| run.sorted.sort_unstable());
    runs
}

/// Whether the runs stand one below the other from a line on.
fn stands(searched: &SearchedLines<'_>, runs: &[SwappedRun<'_>], start: usize) -> bool {
    let mut at = start;
    runs.iter().all(|run| {
        let rows = at..at + run.sorted.len();
        at = rows.end;
        let content = |row: usize| searched.lines.content(row).trim_ascii_end();
        if run.sorted.binary_search(&content(rows.start)).is_err() {
            return false;
        }
        let mut there: Vec<&[u8]> = rows.map(content).collect();
        there.sort_unstable();
        there == run.sorted
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::between_lines;
    use crate::line::TextLines;

    #[test]
    fn lines_that_stay_may_be_swapped_on_their_side_of_a_change() {
        let text = "import first\nimport second\nimport third\nimport fourth\n\nfirst()\n";
        let starts = |old: &[&str], new: &[&str]| {
            let searched = SearchedLines::of(TextLines::of(text.as_bytes()));
            let block = between_lines(old, new);
            places(&searched, &block).iter().map(|place| place.lines().start).collect::<Vec<_>>()
        };
        let (a, b, c) = ("import first", "import second", "import third");
        assert_eq!(starts(&[b, a, c], &[b, a, "import x", c]), [0]);
        assert_eq!(starts(&[b, a, c, "import fourth"], &[b, a, "import fourth"]), [0]);
        // Past a line that comes, past one that goes, and with a line that is not there.
        assert_eq!(starts(&[a, c, b], &[a, "import x", c, b]), [0]);
        assert_eq!(starts(&[b, c, a], &[b, "import x", c, a]), [0_usize; 0]);
        assert_eq!(starts(&[a, c, b], &[a, b]), [0_usize; 0]);
        assert_eq!(starts(&[b, a, "import fifth"], &[b, a, "import x", "import fifth"]), [0_usize; 0]);
    }
}
