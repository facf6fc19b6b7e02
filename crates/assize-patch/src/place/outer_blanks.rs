//! Blocks that begin or end with blank lines which the file does not have.
//!
//! Blank lines that the block looks for, and that do not stay, mean nothing where it stands somewhere without them. Those that
//! are on both sides mean nothing either, unless a line that comes would then be the outermost: another line of the file may
//! stand between that and the blank one.

use super::{MatchTier, Placement, SearchedLines};
use crate::block::{HunkLine, HunkLineKind, LineEndRule, between_lines};

/// Most blank lines on both sides that are left aside above a block, and below it.
const SHARED_MAX: usize = 2;

/// The blank lines at one end of a block: those that it looks for, and those that it puts there.
#[derive(Clone, Copy)]
struct OuterBlanks {
    old: usize,
    new: usize,
}

impl OuterBlanks {
    fn of<'l>(old: impl Iterator<Item = &'l str>, new: impl Iterator<Item = &'l str>) -> Self {
        let is_blank = |line: &&str| line.trim().is_empty();
        Self { old: old.take_while(is_blank).count(), new: new.take_while(is_blank).count() }
    }

    /// How many of those that are looked for do not stay.
    fn excess(self) -> usize {
        self.old.saturating_sub(self.new)
    }

    /// How many may be left aside on both sides.
    fn shared_max(self) -> usize {
        self.old.min(self.new).min(SHARED_MAX)
    }
}

/// Finds the places of a block without some of the blank lines around it: as few as will do.
pub(super) fn places<'a>(searched: &SearchedLines<'_>, block: &[HunkLine]) -> Vec<Placement<'a>> {
    let side = |gone: HunkLineKind| -> Option<Vec<&str>> {
        block.iter().filter(|line| line.kind != gone).map(HunkLine::text).collect()
    };
    let is_unsaid = block.iter().all(|line| line.end == LineEndRule::Unsaid);
    let (Some(old), Some(new)) = (side(HunkLineKind::Added), side(HunkLineKind::Removed)) else { return Vec::new() };
    if !is_unsaid || old.iter().all(|line| line.trim().is_empty()) {
        return Vec::new();
    }
    let above = OuterBlanks::of(old.iter().copied(), new.iter().copied());
    let below = OuterBlanks::of(old.iter().rev().copied(), new.iter().rev().copied());
    let excess = (above.excess(), below.excess());
    let shared = (0..=above.shared_max()).flat_map(|one| (0..=below.shared_max()).map(move |other| (one, other)));
    let mut shared: Vec<(usize, usize)> = shared.filter(|shared| excess != (0, 0) || *shared != (0, 0)).collect();
    shared.sort_by_key(|(above, below)| above + below);
    let found = shared.into_iter().filter(|(above, below)| above + below <= new.len()).map(|shared| {
        let bare_old = &old[excess.0 + shared.0..old.len() - excess.1 - shared.1];
        let bare = between_lines(bare_old, &new[shared.0..new.len() - shared.1]);
        let mut found = searched.with_other_lines(&bare, MatchTier::Near, false);
        let is_whole = found.iter().all(|place| is_enclosed(searched, place, shared));
        found.truncate(if is_whole { found.len() } else { 0 });
        found
    });
    found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

/// Whether a line that is looked for, or the end of the file, stands between each line that comes and the blank lines that were left
/// aside.
fn is_enclosed(searched: &SearchedLines<'_>, place: &Placement<'_>, (above, below): (usize, usize)) -> bool {
    let lines = place.lines();
    let is_old = |line: Option<&HunkLine>| line.is_some_and(HunkLine::is_old);
    let by_above = above == 0 || lines.start == 0 || is_old(place.block.first());
    by_above && (below == 0 || lines.end == searched.lines.count() || is_old(place.block.last()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::TextLines;

    #[test]
    fn blank_lines_on_both_sides_are_left_aside_where_the_file_has_none() {
        let text = "a = 1\n\ndef f():\n    return 1\nb = 2\n";
        let starts = |old: &[&str], new: &[&str]| {
            let searched = SearchedLines::of(TextLines::of(text.as_bytes()));
            let block = between_lines(old, new);
            places(&searched, &block).iter().map(|place| place.lines().start).collect::<Vec<_>>()
        };
        let (head, last) = ("def f():", "b = 2");
        let (found, put) = ([head, "    return 1"], [head, "    return 2"]);
        assert_eq!(starts(&[&found[..], &[last, ""]].concat(), &[&put[..], &[last, ""]].concat()), [2]);
        assert_eq!(starts(&["", "a = 1"], &["", "c = 3", "a = 1"]), [0], "nothing stands above it");
        // Another line may stand between the new one and the blank one, but not below the last of the file.
        assert_eq!(starts(&[head, "    return 1", ""], &[head, "    return 1", "    pass", ""]), [0_usize; 0]);
        assert_eq!(starts(&[last, ""], &[last, "c = 3", ""]), [4]);
    }
}
