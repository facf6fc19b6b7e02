//! Where the lines of two versions of a file differ.
//!
//! Blocks that begin or end alike leave it open which of their lines went or came: of three tests in a row, the one in the middle
//! may have gone with its own first line or with that of the next. What was written at once most likely goes at once, and
//! nothing comes to stand in the midst of it.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Lines of the old version that went, and of the new one that came in their place. One of the two may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineChange {
    /// Lines that went, from 0.
    pub gone: Range<usize>,
    /// Lines that came, from 0.
    pub come: Range<usize>,
}

impl LineChange {
    fn moved(&self, by: isize) -> Self {
        let range = |range: &Range<usize>| range.start.wrapping_add_signed(by)..range.end.wrapping_add_signed(by);
        Self { gone: range(&self.gone), come: range(&self.come) }
    }

    /// How often it parts lines that were written at once.
    fn parts(&self, is_together: &impl Fn(usize) -> bool) -> usize {
        let ends = [self.gone.start, self.gone.end];
        ends[..ends.len() - usize::from(self.gone.is_empty())].iter().filter(|at| is_together(**at)).count()
    }
}

/// Returns the changes between two versions, in their order. `is_together` says whether a line of the old version was written at
/// once with the one before it.
pub(super) fn line_changes(old: &[&str], new: &[&str], is_together: impl Fn(usize) -> bool) -> Vec<LineChange> {
    let changed = capture_diff_slices(Algorithm::Myers, old, new).into_iter().filter_map(|op| match op {
        DiffOp::Equal { .. } => None,
        op => Some(LineChange { gone: op.old_range(), come: op.new_range() }),
    });
    let mut changes: Vec<LineChange> = changed.collect();
    for at in 0..changes.len() {
        let change = &changes[at];
        let lines = match (change.gone.is_empty(), change.come.is_empty()) {
            (false, true) => (old, &change.gone),
            (true, false) => (new, &change.come),
            _ => continue,
        };
        let before = if at == 0 { 0 } else { changes[at - 1].gone.end };
        let after = changes.get(at + 1).map_or(old.len(), |next| next.gone.start);
        let (up, down) = room(lines.0, lines.1, change.gone.start - before, after - change.gone.end);
        let moves = (0..=down).map(|by| by.cast_signed()).chain((1..=up).map(|by| -by.cast_signed()));
        let moved = moves.map(|by| change.moved(by));
        if let Some(best) = moved.min_by_key(|moved| moved.parts(&is_together)) {
            changes[at] = best;
        }
    }
    changes
}

/// How far a run of lines may move up and down and still be alike, where so many lines around it stay.
fn room(lines: &[&str], run: &Range<usize>, above: usize, below: usize) -> (usize, usize) {
    let up = (1..=above).take_while(|by| lines[run.start - by] == lines[run.end - by]).count();
    let down = (0..below).take_while(|by| lines[run.start + by] == lines[run.end + by]).count();
    (up, down)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of<'t>(texts: &[&'t str]) -> Vec<&'t str> {
        texts.iter().flat_map(|text| text.split(' ')).collect()
    }

    #[test]
    fn what_was_written_at_once_goes_at_once() {
        let block = |name: &'static str| ["#[test]", name, "assert", "}"].join(" ");
        let (one, two, three) = (block("one"), block("two"), block("three"));
        let old = of(&[&one, &two, &three]);
        let new = of(&[&one, &three]);
        let changes = line_changes(&old, &new, |at| at % 4 != 0);
        assert_eq!(changes, [LineChange { gone: 4..8, come: 4..4 }]);
        let back = line_changes(&new, &old, |at| at % 4 != 0);
        assert_eq!(back, [LineChange { gone: 4..4, come: 4..8 }]);
    }

    proptest! {
        /// The old version with all changes made is the new one.
        #[test]
        fn changes_lead_from_one_version_to_the_other(
            old in proptest::collection::vec("[ab]", 0..12),
            new in proptest::collection::vec("[ab]", 0..12),
            together in proptest::collection::vec(any::<bool>(), 13),
        ) {
            let (old, new): (Vec<&str>, Vec<&str>) =
                (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
            let mut made: Vec<&str> = Vec::new();
            let mut at = 0;
            for change in line_changes(&old, &new, |at| together[at]) {
                prop_assert!(change.gone.start >= at);
                made.extend(&old[at..change.gone.start]);
                made.extend(&new[change.come.clone()]);
                at = change.gone.end;
            }
            made.extend(&old[at..]);
            prop_assert_eq!(made, new);
        }
    }
}
