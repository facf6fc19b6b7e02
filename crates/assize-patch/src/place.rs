//! The place of a block's lines in a file, and the lines of this place after the block is applied.
//!
//! There is one search, in tiers: byte for byte first, then overlooking more and more. The first tier that finds
//! anything decides. Differences that a tier overlooks are never written: lines that stay are copied from the file,
//! whatever the block has in their place. This module must not know files, operations or formats.

mod blanks;
mod counterpart;
mod depths;
mod elided;
mod near;
mod outer_blanks;
mod parts;
mod spoken_depth;
mod swapped;

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::ops::Range;

use super::block::{HunkLine, HunkLineKind, LineEndRule, between_lines, without_numbers};
use super::indent::{IndentMap, parted};
use super::line::{LineEnding, TextLines};
pub(super) use depths::{DepthsShown, indent_together, is_depth_doubtful};
use spoken_depth::{SpokenDepth, spoken_depth};

/// How loosely a text was compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchTier {
    /// Byte for byte.
    Exact,
    /// `\n` in what is looked for matches `\r\n`.
    LineEndings,
    /// White space at the ends of lines does not count.
    TrailingSpace,
    /// All lines may be indented further, or less, by the same white space.
    Indentation,
    /// Typographic quotes, dashes and spaces match their plain forms.
    Punctuation,
    /// No white space within a line counts.
    Spacing,
    /// Line numbers stand before the lines that are looked for.
    Numbered,
    /// Lines between those that are looked for are left out.
    Elided,
    /// Lines that only say where may differ.
    Near,
}

impl MatchTier {
    /// Every tier that compares whole lines, in the order in which they are tried.
    pub(super) const OF_LINES: [Self; 9] = [
        Self::Exact,
        Self::LineEndings,
        Self::TrailingSpace,
        Self::Indentation,
        Self::Punctuation,
        Self::Spacing,
        Self::Numbered,
        Self::Elided,
        Self::Near,
    ];

    /// Says what was overlooked.
    pub const fn overlooks(self) -> &'static str {
        match self {
            Self::Exact => "nothing",
            Self::LineEndings => "line endings",
            Self::TrailingSpace => "white space at the ends of lines",
            Self::Indentation => "the depth of indentation",
            Self::Punctuation => "typographic quotes, dashes and spaces",
            Self::Spacing => "white space within lines",
            Self::Numbered => "line numbers before the lines",
            Self::Elided => "that lines are left out",
            Self::Near => "that some of the lines around it differ",
        }
    }
}

/// Where a line of a block stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockRow {
    /// On this line.
    At(usize),
    /// Nowhere: it only says where, and is not there.
    Absent,
    /// All lines up to this one are meant by it.
    Through(usize),
}

/// A place where a block stands.
#[derive(Debug, Clone, Default)]
pub(super) struct Placement<'a> {
    /// The block as it was found.
    pub block: Cow<'a, [HunkLine]>,
    /// Where each of its old lines stands.
    pub rows: Vec<BlockRow>,
    /// How its lines are indented there.
    pub indent: IndentMap,
    /// What it shows of the depths of lines in the patch.
    pub depths: DepthsShown,
}

/// A line as it stands in a file afterwards.
#[derive(Debug)]
pub(super) struct PlacedLine<'a> {
    /// Its content, without its ending.
    pub content: Cow<'a, [u8]>,
    /// Whether it comes.
    pub is_added: bool,
}

impl<'a> Placement<'a> {
    /// Returns a place of lines right below each other.
    pub(super) fn at(block: &'a [HunkLine], start: usize) -> Self {
        let old = block.iter().filter(|line| line.is_old()).count();
        let rows = (start..start + old).map(BlockRow::At).collect();
        Self { block: Cow::Borrowed(block), rows, ..Self::default() }
    }

    /// Returns a place with a block of its own.
    pub(super) fn into_owned(self) -> Placement<'static> {
        let Self { block, rows, indent, depths } = self;
        Placement { block: Cow::Owned(block.into_owned()), rows, indent, depths }
    }

    /// Returns what stands in its lines afterwards.
    pub(super) fn new_lines<'l>(&'l self, lines: &'l TextLines<'_>) -> Vec<PlacedLine<'l>> {
        let mut rows = self.rows.iter();
        let mut new = Vec::with_capacity(self.block.len());
        for line in self.block.iter() {
            let row = if line.is_old() { rows.next() } else { None };
            match (line.kind, row) {
                (HunkLineKind::Context, Some(BlockRow::At(row))) => {
                    new.push(PlacedLine { content: Cow::Borrowed(lines.content(*row)), is_added: false });
                }
                (HunkLineKind::Added, _) => {
                    let content = self.indent.apply(&line.content).unwrap_or(Cow::Borrowed(&line.content));
                    new.push(PlacedLine { content, is_added: true });
                }
                _ => {}
            }
        }
        new
    }

    /// Returns the lines from the first one to the last one.
    pub(super) fn lines(&self) -> Range<usize> {
        let found = || {
            self.rows.iter().filter_map(|row| match row {
                BlockRow::At(line) => Some(*line),
                BlockRow::Absent | BlockRow::Through(_) => None,
            })
        };
        found().next().map_or(0..0, |first| first..found().next_back().unwrap_or(first) + 1)
    }
}

/// The lines of a file, made ready for a search.
pub(super) struct SearchedLines<'t> {
    pub lines: TextLines<'t>,
    squeezed: OnceCell<Vec<Option<String>>>,
    /// How many comparisons are left to tiers that try many ways.
    comparisons: Cell<usize>,
}

/// Most comparisons of lines in a file by tiers that try many ways: a short text can ask for very many.
const COMPARISONS_MAX: usize = 500_000;

impl<'t> SearchedLines<'t> {
    pub(super) fn of(lines: TextLines<'t>) -> Self {
        Self { lines, squeezed: OnceCell::new(), comparisons: Cell::new(COMPARISONS_MAX) }
    }

    /// Takes comparisons from those that are left; whether there were as many.
    fn may_compare(&self, count: usize) -> bool {
        let left = self.comparisons.get().checked_sub(count);
        self.comparisons.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Whether no comparison is left: then what was found may not be all there is.
    fn is_exhausted(&self) -> bool {
        self.comparisons.get() == 0
    }

    /// Returns each line without white space, and with plain punctuation; nothing for what is no text.
    pub(super) fn squeezed(&self) -> &[Option<String>] {
        self.squeezed.get_or_init(|| {
            let line = |line| std::str::from_utf8(self.lines.content(line)).ok().map(squeezed);
            (0..self.lines.count()).map(line).collect()
        })
    }

    /// Finds the place of a block some of whose lines differ, and that is meant to begin on a line.
    ///
    /// What a single kind of mistake explains is tried first: blank lines around it, lines of context in another order, hunks that
    /// run together, blank lines within it.
    pub(super) fn near<'a>(&self, block: &'a [HunkLine], said: Option<usize>) -> Vec<Placement<'a>> {
        type PlaceSearch<'s, 'a> = &'s dyn Fn() -> Option<Vec<Placement<'a>>>;
        let searches: [PlaceSearch<'_, 'a>; 5] = [
            &|| Some(outer_blanks::places(self, block)),
            &|| Some(swapped::places(self, block)),
            &|| Some(parts::places(self, block)),
            // Where that is unclear, nothing else makes it clear.
            &|| blanks::places(self, block),
            &|| Some(near::places(self, block, said)),
        ];
        let found =
            searches.into_iter().map(|search| search()).find(|found| found.as_ref().is_none_or(|it| !it.is_empty()));
        found.flatten().unwrap_or_default()
    }

    /// Returns the file with a block applied in a place.
    fn result(&self, place: &Placement<'_>) -> Vec<u8> {
        let (mut bytes, count) = (Vec::new(), self.lines.count());
        put_from(&mut bytes, &self.lines, place, PlacedEndings { are_said: false, ends_last: false }, 0..count);
        bytes.extend_from_slice(&self.lines.text()[self.lines.span(place.lines().end..count)]);
        bytes
    }

    /// Finds the places of a block in a tier. Where they have to reach the end of the file, others are none.
    pub(super) fn places<'a>(&self, block: &'a [HunkLine], tier: MatchTier, to_end: bool) -> Vec<Placement<'a>> {
        let old: Vec<&HunkLine> = block.iter().filter(|line| line.is_old()).collect();
        if old.is_empty() {
            return Vec::new();
        }
        match tier {
            MatchTier::Exact | MatchTier::LineEndings => self.by_bytes(block, &old, tier, to_end),
            MatchTier::TrailingSpace | MatchTier::Indentation | MatchTier::Punctuation | MatchTier::Spacing => {
                self.by_text(block, &old, tier, to_end)
            }
            MatchTier::Numbered => self.numbered(block, to_end),
            MatchTier::Elided if !to_end => elided::places(self, block),
            MatchTier::Near if !to_end => self.near(block, None),
            MatchTier::Elided | MatchTier::Near => Vec::new(),
        }
    }

    /// Whether lines stand on this line and those below it, byte for byte.
    pub(super) fn stand_at(&self, old: &[&HunkLine], tier: MatchTier, start: usize) -> bool {
        let is_there = start.checked_add(old.len()).is_some_and(|end| end <= self.lines.count());
        let ends_alike = |line: usize, of: &HunkLine| match of.end {
            LineEndRule::Unsaid => true,
            LineEndRule::Marked(ending) => self.lines.ending(line) == ending,
        };
        let is_same = |(offset, line): (usize, &&HunkLine)| {
            (tier == MatchTier::LineEndings || ends_alike(start + offset, line))
                && self.lines.content(start + offset) == line.content
        };
        is_there && old.iter().enumerate().all(is_same)
    }

    fn starts(&self, count: usize, to_end: bool) -> Range<usize> {
        let Some(last) = self.lines.count().checked_sub(count) else { return 0..0 };
        if to_end { last..last + 1 } else { 0..last + 1 }
    }

    fn by_bytes<'a>(
        &self,
        block: &'a [HunkLine],
        old: &[&HunkLine],
        tier: MatchTier,
        to_end: bool,
    ) -> Vec<Placement<'a>> {
        let starts = self.starts(old.len(), to_end).filter(|start| self.stand_at(old, tier, *start));
        starts.map(|start| Placement::at(block, start)).collect()
    }

    fn by_text<'a>(
        &self,
        block: &'a [HunkLine],
        old: &[&HunkLine],
        tier: MatchTier,
        to_end: bool,
    ) -> Vec<Placement<'a>> {
        let Some(wanted) =
            old.iter().map(|line| line.text().map(|text| normalized(text, tier))).collect::<Option<Vec<_>>>()
        else {
            return Vec::new();
        };
        if wanted.iter().all(|line| line.trim().is_empty()) {
            return Vec::new();
        }
        let stands = |start: &usize| {
            wanted.iter().enumerate().all(|(offset, want)| match tier {
                MatchTier::Spacing => self.squeezed()[start + offset].as_deref() == Some(want),
                _ => std::str::from_utf8(self.lines.content(start + offset))
                    .is_ok_and(|there| normalized(there, tier) == *want),
            })
        };
        let starts = self.starts(old.len(), to_end).filter(stands);
        let place = |start| self.indented(Placement::at(block, start), tier);
        starts.filter_map(place).collect()
    }

    /// Returns how each old line of a block is indented, and how in its place; nothing for blank lines, and for those that differ.
    fn indents<'p>(&'p self, place: &'p Placement<'_>) -> Vec<Option<(&'p str, &'p str)>> {
        let old = place.block.iter().filter(|line| line.is_old());
        let pair = |(line, row): (&'p HunkLine, &BlockRow)| match row {
            BlockRow::At(row) if !line.is_blank() && self.is_like(line, *row) => {
                Some((parted(&line.content).0, parted(self.lines.content(*row)).0))
            }
            _ => None,
        };
        old.zip(&place.rows).map(pair).collect()
    }

    /// Works out how lines are indented in a place; nothing if a line that comes cannot be indented so.
    pub(super) fn indented<'a>(&self, mut place: Placement<'a>, tier: MatchTier) -> Option<Placement<'a>> {
        if matches!(tier, MatchTier::Exact | MatchTier::LineEndings | MatchTier::TrailingSpace) {
            return Some(place);
        }
        let pairs = self.indents(&place);
        let map = self.indent_map(&place, &pairs);
        if tier == MatchTier::Indentation && !map.is_shift() {
            return None;
        }
        if map.is_contradictory() && (!self.keeps_depths(&place) || self.moves_kept_line(&place)) {
            return None;
        }
        let depth = spoken_depth(&place.block, &pairs, &map);
        drop(pairs);
        place.depths = DepthsShown::of(&map, &depth);
        match depth {
            SpokenDepth::OfPatch if is_known(&place.block, &map) => place.indent = map,
            SpokenDepth::OfPatch => place.block = Cow::Owned(self.with_counterparts(&place, &map)?),
            SpokenDepth::OfFile => place.block = Cow::Owned(self.with_own_lines(&place)?),
            SpokenDepth::Unclear => return None,
        }
        is_known(&place.block, &place.indent).then_some(place)
    }

    /// Learns how indentations become those of the file. Where lines that go contradict those that stay, and these stand as deep as in
    /// the file, the depth of those that go is a mistake.
    fn indent_map(&self, place: &Placement<'_>, pairs: &[Option<(&str, &str)>]) -> IndentMap {
        let map = IndentMap::of(pairs.iter().flatten().copied());
        if !map.is_contradictory() {
            return map;
        }
        let old = place.block.iter().filter(|line| line.is_old());
        let stay = || old.clone().zip(pairs).filter(|(line, _)| line.kind == HunkLineKind::Context);
        let context = || stay().filter_map(|(_, pair)| *pair);
        if context().all(|(from, to)| from == to) && context().any(|(from, _)| !from.is_empty()) {
            IndentMap::default()
        } else {
            map
        }
    }

    /// Whether the lines that stay keep their depth, where a patch does not show it: no line goes that has lines below it which stay,
    /// unless another takes its place.
    fn keeps_depths(&self, place: &Placement<'_>) -> bool {
        let (counterparts, depth) = (counterpart::counterparts(&place.block), |row| self.depth(row));
        let olds = (0..place.block.len()).filter(|index| place.block[*index].is_old());
        let mut gone: Option<usize> = None;
        for (index, row) in olds.zip(&place.rows) {
            let BlockRow::At(row) = row else { continue };
            let line = &place.block[index];
            let is_replaced = counterparts.values().any(|old| *old == index);
            match (line.kind, gone) {
                (HunkLineKind::Removed, None) if !is_replaced => gone = Some(depth(*row)),
                (HunkLineKind::Removed, _) if !is_replaced => {}
                (_, Some(above)) if !line.is_blank() && depth(*row) > above => return false,
                (_, Some(_)) if line.is_blank() => {}
                _ => gone = None,
            }
        }
        let end = place.lines().end;
        gone.is_none_or(|above| end >= self.lines.count() || depth(end) <= above)
    }

    /// Whether a line that stays is indented otherwise than in the file beside one that comes, where others are indented as there: that may
    /// be a mistake, or the depth that it gets.
    fn moves_kept_line(&self, place: &Placement<'_>) -> bool {
        let olds = (0..place.block.len()).filter(|index| place.block[*index].is_old());
        let kept = olds.zip(&place.rows).filter_map(|(index, row)| match row {
            BlockRow::At(row) if place.block[index].kind == HunkLineKind::Context && !place.block[index].is_blank() => {
                Some((index, parted(&place.block[index].content).0, parted(self.lines.content(*row)).0))
            }
            _ => None,
        });
        let kept: Vec<(usize, &str, &str)> = kept.collect();
        let comes = |index: usize| place.block.get(index).is_some_and(|line| line.kind == HunkLineKind::Added);
        let is_beside = |index: usize| comes(index + 1) || index.checked_sub(1).is_some_and(comes);
        kept.iter().any(|(_, said, there)| !said.is_empty() && said == there)
            && kept.iter().any(|(index, said, there)| said != there && is_beside(*index))
    }

    fn depth(&self, row: usize) -> usize {
        parted(self.lines.content(row)).0.len()
    }

    /// Returns a block with the lines of the file in the place of its old ones, and with new ones as deep as the lines whose place
    /// they take, where the patch gives both the same depth and nothing else shows it.
    fn with_counterparts(&self, place: &Placement<'_>, map: &IndentMap) -> Option<Vec<HunkLine>> {
        let counterparts = counterpart::counterparts(&place.block);
        let olds: Vec<usize> = (0..place.block.len()).filter(|index| place.block[*index].is_old()).collect();
        let row = |index: usize| match place.rows.get(olds.iter().position(|old| *old == index)?) {
            Some(BlockRow::At(row)) => Some(*row),
            _ => None,
        };
        let line = |(index, line): (usize, &HunkLine)| -> Option<HunkLine> {
            let content = if line.is_old() {
                self.lines.content(row(index)?).to_vec()
            } else if let Some(known) = map.apply(&line.content) {
                known.into_owned()
            } else {
                let old = *counterparts.get(&index)?;
                let (indent, rest) = parted(&line.content);
                let is_same = indent == parted(&place.block[old].content).0;
                let to = parted(self.lines.content(row(old).filter(|_| is_same)?)).0;
                [to.as_bytes(), rest].concat()
            };
            Some(HunkLine { content, ..line.clone() })
        };
        place.block.iter().enumerate().map(line).collect()
    }

    /// Returns a block with the lines of the file in the place of its old ones; its new ones stay as they are.
    fn with_own_lines(&self, place: &Placement<'_>) -> Option<Vec<HunkLine>> {
        let own = |row: &BlockRow| match row {
            BlockRow::At(row) => std::str::from_utf8(self.lines.content(*row)).ok(),
            BlockRow::Absent | BlockRow::Through(_) => None,
        };
        let old: Vec<&str> = place.rows.iter().map(own).collect::<Option<_>>()?;
        let new = place.block.iter().filter(|line| line.kind != HunkLineKind::Removed);
        let new: Vec<&str> = new.map(HunkLine::text).collect::<Option<_>>()?;
        Some(between_lines(&old, &new))
    }

    /// Whether a line of a block and one of the file differ in white space alone.
    pub(super) fn is_like(&self, line: &HunkLine, row: usize) -> bool {
        line.text().is_some_and(|text| self.squeezed()[row].as_deref() == Some(squeezed(text).as_str()))
    }

    /// Finds a block with line numbers before its lines.
    fn numbered<'a>(&self, block: &[HunkLine], to_end: bool) -> Vec<Placement<'a>> {
        let bare = without_numbers(block);
        bare.map(|bare| self.with_other_lines(&bare, MatchTier::Numbered, to_end)).unwrap_or_default()
    }

    /// Finds a block whose lines were put differently, by the tiers below one.
    fn with_other_lines<'a>(&self, block: &[HunkLine], below: MatchTier, to_end: bool) -> Vec<Placement<'a>> {
        for tier in MatchTier::OF_LINES.into_iter().filter(|tier| *tier < below) {
            let found = self.places(block, tier, to_end);
            if !found.is_empty() {
                return found.into_iter().map(Placement::into_owned).collect();
            }
        }
        Vec::new()
    }
}

/// Whether it is known how each line that comes is indented.
fn is_known(block: &[HunkLine], indent: &IndentMap) -> bool {
    block.iter().filter(|line| !line.is_old()).all(|line| indent.apply(&line.content).is_some())
}

/// Returns a line without what its tier does not look at.
fn normalized(line: &str, tier: MatchTier) -> Cow<'_, str> {
    match tier {
        MatchTier::Indentation => Cow::Borrowed(line.trim()),
        MatchTier::Punctuation => plain(line.trim_end()),
        MatchTier::Spacing => Cow::Owned(squeezed(line)),
        _ => Cow::Borrowed(line.trim_end()),
    }
}

/// Returns a line without white space, and with plain punctuation.
pub(super) fn squeezed(line: &str) -> String {
    plain(line).chars().filter(|character| !character.is_whitespace()).collect()
}

/// Returns a line with plain punctuation in place of typographic.
fn plain(line: &str) -> Cow<'_, str> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    let one = |character| match character {
        '\u{2018}'..='\u{201B}' => '\'',
        '\u{201C}'..='\u{201F}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{A0}' | '\u{2002}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        other => other,
    };
    Cow::Owned(line.chars().map(one).collect())
}

/// How lines that come end in a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedEndings {
    /// Whether what the block says of endings holds: it is right about those that are there.
    pub are_said: bool,
    /// Whether a last line gets an ending where the file's last line has none, and the block does not say.
    pub ends_last: bool,
}

/// Writes what stands in the lines of a place afterwards.
pub(super) fn put(bytes: &mut Vec<u8>, lines: &TextLines<'_>, place: &Placement<'_>, endings: PlacedEndings) {
    let range = place.lines();
    put_from(bytes, lines, place, endings, range);
}

/// Writes what stands in these lines afterwards, which may be more than those that were found.
pub(super) fn put_from(
    bytes: &mut Vec<u8>,
    lines: &TextLines<'_>,
    place: &Placement<'_>,
    endings: PlacedEndings,
    range: Range<usize>,
) {
    let mut at = range.start;
    let mut rows = place.rows.iter();
    let last = place.block.iter().rposition(|line| line.kind != HunkLineKind::Removed);
    for (index, line) in place.block.iter().enumerate() {
        if line.is_old() {
            let (from, until) = match rows.next() {
                Some(BlockRow::At(row)) => (*row, *row + 1),
                Some(BlockRow::Through(row)) => (*row, *row),
                Some(BlockRow::Absent) | None => continue,
            };
            bytes.extend_from_slice(&lines.text()[lines.span(at..from)]);
            if line.kind == HunkLineKind::Context {
                bytes.extend_from_slice(&lines.text()[lines.span(from..until)]);
            }
            at = until;
            continue;
        }
        let near = lines.ending_near(at.min(lines.count().saturating_sub(1)));
        if lines.is_within_line(bytes) {
            bytes.extend_from_slice(near.bytes());
        }
        bytes.extend_from_slice(&place.indent.apply(&line.content).unwrap_or(Cow::Borrowed(&line.content)));
        let is_last = Some(index) == last && range.end == lines.count();
        bytes.extend_from_slice(ending_of(line, lines, endings, is_last, near));
    }
}

/// Returns how a line ends that comes.
fn ending_of(
    line: &HunkLine,
    lines: &TextLines<'_>,
    endings: PlacedEndings,
    is_last: bool,
    near: LineEnding,
) -> &'static [u8] {
    let was_open = lines.count() > 0 && lines.ending(lines.count() - 1).is_none();
    match line.end {
        LineEndRule::Marked(ending) if endings.are_said => ending.map_or(b"", LineEnding::bytes),
        LineEndRule::Marked(None) if is_last => b"",
        LineEndRule::Unsaid if is_last && was_open && !endings.ends_last => b"",
        _ => near.bytes(),
    }
}
