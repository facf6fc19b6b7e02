//! Blocks of which some lines are not as they stand in the file.
//!
//! Only lines that say where may differ, be missing, or be too many: what goes has to be there, but for white space. The lines
//! that are the same have to outweigh those that are not, and no other place may come close.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::counterpart::ends_alike;
use super::{BlockRow, MatchTier, Placement, SearchedLines, squeezed};
use crate::block::{HunkLine, HunkLineKind};
use crate::nearest::{likeness, pairs_of};

/// Longest block, and most places that are compared.
const OLD_LINES_MAX: usize = 100;
const PLACES_MAX: usize = 32;
/// How alike two lines have to be, so that one may stand for the other.
const LIKENESS_MIN: f64 = 0.6;
/// Characters of a line that count.
const WEIGHT_MAX: usize = 40;
/// How much of a block has to be the same, in hundredths, and by how much more than in any other place.
const SAME_MIN: usize = 60;
/// How much has to be the same where a number says the place.
const SAME_MIN_NUMBERED: usize = 35;
const MARGIN_MIN: usize = 20;
/// What a line of the file weighs that is passed over within a block.
const ROW_WEIGHT: usize = 8;
/// Characters of a line that is more than a bracket.
const TELLING_WEIGHT_MIN: usize = 2;
/// How many rows away a line may stand that was left out, or has others before it.
const REACH: usize = 3;
/// Characters that have to be the same, and lines.
pub(super) const WEIGHT_MIN: usize = 16;
pub(super) const LINES_MIN: usize = 2;

/// An old line of the block.
struct NearLine<'b> {
    line: &'b HunkLine,
    text: String,
    weight: usize,
    pairs: BTreeMap<[char; 2], usize>,
}

/// A way to lay the block over the file.
struct NearWay {
    rows: Vec<BlockRow>,
    /// Whether the line is the same there, by the order of the old lines.
    same: Vec<bool>,
    weight: usize,
}

/// Finds the place of a block some of whose lines differ; several if none stands out.
pub(super) fn places<'a>(
    searched: &SearchedLines<'_>,
    block: &'a [HunkLine],
    said: Option<usize>,
) -> Vec<Placement<'a>> {
    let old = block.iter().filter(|line| line.is_old());
    let near_line = |line: &'a HunkLine| {
        let text = squeezed(line.text()?);
        let weight = text.chars().take(WEIGHT_MAX).count();
        Some(NearLine { line, pairs: pairs_of(line.text()?), text, weight })
    };
    let Some(old) = old.map(near_line).collect::<Option<Vec<_>>>() else { return Vec::new() };
    let total: usize = old.iter().map(|line| line.weight).sum();
    if !searched.may_compare(searched.lines.count() / 16) {
        return Vec::new();
    }
    if old.len() < LINES_MIN || old.len() > OLD_LINES_MAX || total < WEIGHT_MIN {
        return Vec::new();
    }
    let Some(seeds) = seeds(searched, &old) else { return Vec::new() };
    let mut ways: Vec<NearWay> = Vec::new();
    for (index, row) in seeds {
        let way = laid(searched, &old, index, row);
        if let Some(way) = way.filter(|way| ways.iter().all(|other| other.rows != way.rows)) {
            ways.push(way);
        }
    }
    if searched.is_exhausted() {
        return Vec::new();
    }
    ways.sort_by_key(|way| std::cmp::Reverse(way.weight));
    let Some(best) = ways.first() else { return Vec::new() };
    let share = |weight: usize| weight * 100 / total.max(1);
    let lines = best.same.iter().zip(&old).filter(|(is_same, line)| **is_same && line.weight > 0).count();
    let begins = |way: &NearWay| {
        way.rows.iter().zip(0..).find_map(|(row, index)| match row {
            BlockRow::At(row) if way.same[index] => row.checked_sub(index),
            _ => None,
        })
    };
    let same_min = if said.is_some() && begins(best) == said { SAME_MIN_NUMBERED } else { SAME_MIN };
    if share(best.weight) < same_min || best.weight < WEIGHT_MIN || lines < LINES_MIN {
        return Vec::new();
    }
    let place = |way: &NearWay| {
        let place = Placement { block: Cow::Borrowed(block), rows: way.rows.clone(), ..Placement::default() };
        searched.indented(place, MatchTier::Near)
    };
    let is_close = |way: &&NearWay| share(way.weight) + MARGIN_MIN > share(best.weight);
    let Some(found) = place(best) else { return Vec::new() };
    // A place in which its lines cannot be indented is not meant.
    let rivals = ways[1..].iter().filter(is_close).filter_map(place);
    let mut results = BTreeSet::from([searched.result(&found)]);
    let others: Vec<_> = rivals.filter(|rival| results.insert(searched.result(rival))).collect();
    let is_sure = !others.is_empty() || is_pinned(searched, best, &old, block);
    if is_sure { std::iter::once(found).chain(others).collect() } else { Vec::new() }
}

/// Returns lines of the block with lines of the file that are the same: those of a line that goes, or else of the rarest.
fn seeds(searched: &SearchedLines<'_>, old: &[NearLine<'_>]) -> Option<Vec<(usize, usize)>> {
    let rows = |line: &NearLine<'_>| -> Vec<usize> {
        let all = searched.squeezed().iter().enumerate();
        all.filter(|(_, there)| there.as_deref() == Some(line.text.as_str())).map(|(row, _)| row).collect()
    };
    let told = || old.iter().enumerate().filter(|(_, line)| line.weight > TELLING_WEIGHT_MIN);
    let removed: Vec<_> = told().filter(|(_, line)| line.line.kind == HunkLineKind::Removed).collect();
    let mut found: Vec<(usize, Vec<usize>)> = if removed.is_empty() {
        told().map(|(index, line)| (index, rows(line))).filter(|(_, rows)| !rows.is_empty()).collect()
    } else {
        removed.into_iter().map(|(index, line)| (index, rows(line))).collect()
    };
    found.sort_by_key(|(_, rows)| rows.len());
    // What goes stands in each place that is one; of what stays, several lines may be wrong.
    let is_removed = found.first().is_some_and(|(index, _)| old[*index].line.kind == HunkLineKind::Removed);
    found.truncate(if is_removed { 1 } else { 3 });
    let seeds: Vec<(usize, usize)> =
        found.into_iter().flat_map(|(index, rows)| rows.into_iter().map(move |row| (index, row))).collect();
    (!seeds.is_empty() && seeds.len() <= PLACES_MAX).then_some(seeds)
}

/// Lays a block over the lines around one that is the same.
fn laid(searched: &SearchedLines<'_>, old: &[NearLine<'_>], index: usize, row: usize) -> Option<NearWay> {
    let slack = old.len() / 2 + 3;
    let begin = row.saturating_sub(index + slack);
    let end = (row + old.len() - index + slack).min(searched.lines.count());
    let above = aligned(searched, &old[..index], begin..row, true)?;
    let below = aligned(searched, &old[index + 1..], row + 1..end, false)?;
    let mut way = above;
    way.rows.push(BlockRow::At(row));
    way.same.push(true);
    way.rows.extend(below.rows);
    way.same.extend(below.same);
    way.weight += below.weight + old[index].weight;
    Some(way)
}

/// Aligns lines with those of a file that lie next to a line that is the same: above it, or below it.
fn aligned(
    searched: &SearchedLines<'_>,
    old: &[NearLine<'_>],
    rows: std::ops::Range<usize>,
    is_above: bool,
) -> Option<NearWay> {
    let (count, width) = (old.len(), rows.len());
    if !searched.may_compare(count * width) {
        return None;
    }
    // Both are walked from the line that is the same.
    let line = |step: usize| if is_above { &old[count - 1 - step] } else { &old[step] };
    let row = |step: usize| if is_above { rows.end - 1 - step } else { rows.start + step };
    let mut best = vec![vec![(i64::MIN / 2, NearStep::Stop); width + 1]; count + 1];
    best[0][0] = (0, NearStep::Stop);
    for taken in 0..=count {
        for passed in 0..=width {
            if (taken, passed) == (0, 0) {
                continue;
            }
            let mut ways = Vec::with_capacity(3);
            if taken > 0 && passed > 0 {
                let worth = worth(searched, line(taken - 1), row(passed - 1));
                ways.extend(worth.map(|worth| (best[taken - 1][passed - 1].0 + worth, NearStep::Both)));
            }
            if taken > 0 && line(taken - 1).line.kind == HunkLineKind::Context {
                ways.push((best[taken - 1][passed].0 - 2, NearStep::Line));
            }
            if passed > 0 {
                let is_blank = searched.squeezed()[row(passed - 1)].as_ref().is_some_and(String::is_empty);
                ways.push((best[taken][passed - 1].0 - if is_blank { 3 } else { 12 }, NearStep::Row));
            }
            best[taken][passed] =
                ways.into_iter().max_by_key(|(worth, _)| *worth).unwrap_or((i64::MIN / 2, NearStep::Stop));
        }
    }
    let mut passed = (0..=width).max_by_key(|passed| (best[count][*passed].0, width - passed))?;
    if best[count][passed].0 < i64::MIN / 4 {
        return None;
    }
    let mut way = NearWay { rows: Vec::new(), same: Vec::new(), weight: 0 };
    let mut taken = count;
    while (taken, passed) != (0, 0) {
        match best[taken][passed].1 {
            NearStep::Both => {
                (taken, passed) = (taken - 1, passed - 1);
                let is_same = searched.squeezed()[row(passed)].as_deref() == Some(line(taken).text.as_str());
                way.rows.push(BlockRow::At(row(passed)));
                way.same.push(is_same);
                way.weight += if is_same { line(taken).weight } else { 0 };
            }
            NearStep::Line => {
                taken -= 1;
                way.rows.push(BlockRow::Absent);
                way.same.push(false);
            }
            NearStep::Row => {
                passed -= 1;
                let is_told = searched.squeezed()[row(passed)].as_ref().is_none_or(|text| !text.is_empty());
                way.weight = way.weight.saturating_sub(if is_told { ROW_WEIGHT } else { 0 });
            }
            NearStep::Stop => return None,
        }
    }
    if !is_above {
        way.rows.reverse();
        way.same.reverse();
    }
    Some(way)
}

#[derive(Clone, Copy)]
enum NearStep {
    Stop,
    /// The line stands on the row.
    Both,
    /// The line stands nowhere.
    Line,
    /// The row is passed over.
    Row,
}

/// Returns what it is worth to lay a line on a row; nothing if it must not lie there.
fn worth(searched: &SearchedLines<'_>, line: &NearLine<'_>, row: usize) -> Option<i64> {
    let there = searched.squeezed()[row].as_deref()?;
    if there == line.text {
        return Some(i64::try_from(line.weight).unwrap_or(0) * 2 + 2);
    }
    if line.line.kind != HunkLineKind::Context || there.is_empty() != line.text.is_empty() {
        return None;
    }
    let text = std::str::from_utf8(searched.lines.content(row)).ok()?;
    let (shorter, longer) = (there.len().min(line.text.len()), there.len().max(line.text.len()));
    if shorter * 3 < longer {
        return Some(-1);
    }
    let is_like = likeness(&line.pairs, &pairs_of(text)) >= LIKENESS_MIN;
    Some(if is_like { i64::try_from(line.weight).unwrap_or(0) } else { -1 })
}

/// Whether it is certain where each line goes or comes: what goes in a row stands in a row, a blank line that goes stands next to
/// a line of the block, and what comes stands between two lines that are neighbours in the file as well, one of which is the
/// same and no mere bracket, or both.
fn is_pinned(searched: &SearchedLines<'_>, way: &NearWay, old: &[NearLine<'_>], block: &[HunkLine]) -> bool {
    let pins = NearPins { searched, way, old };
    let mut at = 0;
    let mut before: Option<HunkLineKind> = None;
    for (index, line) in block.iter().enumerate() {
        let is_pinned = match (line.kind, before) {
            (HunkLineKind::Removed, before) => pins.goes(at, before.is_some_and(|kind| kind != HunkLineKind::Context)),
            (HunkLineKind::Added, Some(HunkLineKind::Removed)) => {
                let until = block[index..].iter().take_while(|line| !line.is_old()).count();
                ends_alike(block, index + until - 1) || pins.replaces(at)
            }
            (HunkLineKind::Added, Some(HunkLineKind::Added)) | (HunkLineKind::Context, _) => true,
            (HunkLineKind::Added, _) => pins.comes(at),
        };
        if !is_pinned {
            return false;
        }
        at += usize::from(line.is_old());
        before = Some(line.kind);
    }
    true
}

/// Where the old lines of a block stand, which are named by their order.
struct NearPins<'n, 'b> {
    searched: &'n SearchedLines<'n>,
    way: &'n NearWay,
    old: &'n [NearLine<'b>],
}

impl NearPins<'_, '_> {
    fn row(&self, index: usize) -> Option<usize> {
        match self.way.rows.get(index) {
            Some(BlockRow::At(row)) => Some(*row),
            _ => None,
        }
    }

    fn are_neighbours(&self, above: usize, below: usize) -> bool {
        self.row(above).zip(self.row(below)).is_some_and(|(above, below)| below == above + 1)
    }

    /// Whether a line goes for certain. Lines go one below the other, with lines that come between them or without.
    fn goes(&self, at: usize, is_in_row: bool) -> bool {
        let is_by_above = at > 0 && self.are_neighbours(at - 1, at);
        let is_blank = self.old[at].weight == 0;
        (is_by_above || !is_blank || self.are_neighbours(at, at + 1)) && (is_by_above || !is_in_row || at == 0)
    }

    /// Whether lines that come take the place of those above, which go: no line stands below it that is not named.
    fn replaces(&self, at: usize) -> bool {
        let below = (at..self.old.len()).find_map(|index| self.row(index));
        let next = self.row(at - 1).map(|above| above + 1);
        below.is_none_or(|below| Some(below) == next) && !self.is_close_by(at, next)
    }

    /// Whether it is certain where lines come that do not take the place of others.
    fn comes(&self, at: usize) -> bool {
        let found = |index: usize| self.row(index).map(|row| (index, row));
        let (above, below) = ((0..at).rev().find_map(found), (at..self.old.len()).find_map(found));
        let is_same = |found: Option<(usize, usize)>, next: usize| {
            found.is_some_and(|(index, _)| index == next && self.way.same[index])
        };
        let tells = |index: usize| self.old[index].weight > TELLING_WEIGHT_MIN;
        let (by_above, by_below) = (at > 0 && is_same(above, at - 1), is_same(below, at));
        let is_close = by_above && (by_below || tells(at - 1)) || by_below && tells(at);
        let is_between = match (above, below) {
            (Some((_, above)), Some((_, below))) => below == above + 1,
            (None, None) => false,
            _ => true,
        };
        let is_told =
            |index: Option<usize>, row: Option<usize>| index.is_none_or(|index| !self.is_close_by(index, row));
        is_close
            && is_between
            && is_told(Some(at), above.map(|(_, row)| row + 1))
            && is_told(at.checked_sub(1), below.and_then(|(_, row)| row.checked_sub(1)))
    }

    /// Whether a line that was laid on no row, or on another, stands close to one all the same: then lines may stand between which
    /// the block leaves out.
    fn is_close_by(&self, index: usize, row: Option<usize>) -> bool {
        let Some((line, row)) = self.old.get(index).zip(row) else { return false };
        let rows = row.saturating_sub(REACH)..(row + REACH + 1).min(self.searched.lines.count());
        let is_taken =
            |row: usize| self.way.rows.iter().zip(&self.way.same).any(|(at, same)| *same && *at == BlockRow::At(row));
        let is_it = |row: usize| self.searched.squeezed()[row].as_deref() == Some(line.text.as_str());
        line.weight > 0 && !self.way.same[index] && rows.into_iter().any(|row| is_it(row) && !is_taken(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::between_lines;
    use crate::line::TextLines;
    use crate::place::{PlacedEndings, put};

    const TEXT: &str = "class Pair:\n    def first(self):\n        return self.one\n\n    def second(self):\n        # the other\n        return self.two\n\n    def both(self):\n        return (self.one, self.two)\n";

    /// Returns what stands in the place of a block afterwards, for each place that comes into question.
    fn made(old: &[&str], new: &[&str], said: Option<usize>) -> Vec<String> {
        let searched = SearchedLines::of(TextLines::of(TEXT.as_bytes()));
        let block = between_lines(old, new);
        let made = |place: &Placement<'_>| {
            let mut bytes = Vec::new();
            put(&mut bytes, &searched.lines, place, PlacedEndings { are_said: false, ends_last: false });
            String::from_utf8(bytes).expect("text")
        };
        places(&searched, &block, said).iter().map(made).collect()
    }

    #[test]
    fn lines_that_only_say_where_may_differ() {
        let right = "    def second(self):\n        # the other\n        return self.two + 1\n\n    def both(self):\n";
        let (gone, new) = ("        return self.two", "        return self.two + 1");
        for above in [
            // They stay as they stand in the file.
            vec!["    def second(self):", "        # the othr"],
            vec!["    def second(selves):", "        # the other"],
            vec!["    def second(self):", "        # something else altogether"],
        ] {
            let old = [&above[..], &[gone, "", "    def both(self):"]].concat();
            let fresh = [&above[..], &[new, "", "    def both(self):"]].concat();
            assert_eq!(made(&old, &fresh, None), [right], "{above:?}");
        }
        // One that is not there, and one that is left out.
        let old =
            ["    def second(self):", "        # the other", "        # one more", gone, "", "    def both(self):"];
        let fresh =
            ["    def second(self):", "        # the other", "        # one more", new, "", "    def both(self):"];
        assert_eq!(made(&old, &fresh, None), [right]);
        let (old, fresh) = (
            ["    def second(self):", gone, "", "    def both(self):"],
            ["    def second(self):", new, "", "    def both(self):"],
        );
        assert_eq!(made(&old, &fresh, None), [right]);
    }

    #[test]
    fn what_goes_has_to_be_there_and_what_comes_needs_a_neighbour() {
        let (above, below) = ("    def second(self):", "    def both(self):");
        let none: [String; 0] = [];
        let gone = "        return self.too";
        assert_eq!(
            made(&[above, "        # the other", gone, "", below], &[above, "        # the other", "", below], None),
            none
        );
        // Between these two stand lines that the patch does not name.
        assert_eq!(made(&[above, "", below], &[above, "        x = 1", "", below], None), none);
        // A blank line that goes, and stands nowhere near.
        assert_eq!(made(&["", "    def second(me):", gone, below], &["    def second(me):", gone, below], None), none);
        // Too little is the same, unless a number says the place as well.
        let (old, new) = (
            ["    what was above once and is not", "        return self.two", "    and what was below once as well"],
            "        x",
        );
        let fresh = [old[0], new, old[2]];
        assert_eq!(made(&old, &fresh, None), none);
    }
}
