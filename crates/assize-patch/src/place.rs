//! The place of a block's lines in a file, and the lines of this place after the block is applied.
//!
//! There is one search, in tiers: byte for byte first, then overlooking more and more. The first tier that finds
//! anything decides. Differences that a tier overlooks are never written: lines that stay are copied from the file,
//! whatever the block has in their place. This module must not know files, operations or formats.

mod elided;
mod near;
mod parts;

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::ops::Range;

use similar::DiffTag;

use super::block::{HunkLine, HunkLineKind, LineEndRule, between_lines, without_numbers};
use super::indent::{IndentMap, parted};
use super::line::{LineEnding, TextLines, line_diff};

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
#[derive(Debug, Clone)]
pub(super) struct Placement<'a> {
    /// The block as it was found.
    pub block: Cow<'a, [HunkLine]>,
    /// Where each of its old lines stands.
    pub rows: Vec<BlockRow>,
    /// How its lines are indented there.
    pub indent: IndentMap,
}

/// How the indentations of a patch become those of a file, and whether those of other blocks say something of it.
pub(super) fn indent_together(searched: &SearchedLines<'_>, places: &mut [&mut Placement<'_>]) -> Result<(), usize> {
    if places.iter().all(|place| place.indent.is_shift()) {
        return Ok(());
    }
    let pairs: Vec<(String, String)> = places
        .iter()
        .flat_map(|place| searched.indents(place))
        .flatten()
        .map(|(from, to)| (from.to_owned(), to.to_owned()))
        .collect();
    let map = IndentMap::of(pairs.iter().map(|(from, to)| (from.as_str(), to.as_str())));
    for (index, place) in
        places.iter_mut().enumerate().filter(|(_, place)| place.indent.is_same() || !place.indent.is_shift())
    {
        let mut added = place.block.iter().filter(|line| !line.is_old());
        if !added.all(|line| map.apply(&line.content).is_some()) {
            return Err(index);
        }
        place.indent = map.clone();
    }
    Ok(())
}

impl<'a> Placement<'a> {
    /// Returns a place of lines right below each other.
    pub(super) fn at(block: &'a [HunkLine], start: usize) -> Self {
        let old = block.iter().filter(|line| line.is_old()).count();
        let rows = (start..start + old).map(BlockRow::At).collect();
        Self { block: Cow::Borrowed(block), rows, indent: IndentMap::default() }
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
    /// Blank lines around it that are searched for and do not stay mean nothing where the block stands somewhere without
    /// them, and hunks that run together are parted.
    pub(super) fn near<'a>(&self, block: &'a [HunkLine], said: Option<usize>) -> Vec<Placement<'a>> {
        let bare = without_outer_blanks(block).map(|bare| self.with_other_lines(&bare, MatchTier::Near, false));
        let found = bare.unwrap_or_default();
        let found = if found.is_empty() { parts::places(self, block) } else { found };
        if found.is_empty() { near::places(self, block, said) } else { found }
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
        let map = IndentMap::of(pairs.iter().flatten().copied());
        if tier == MatchTier::Indentation && !map.is_shift() {
            return None;
        }
        let depth = spoken_depth(&place.block, &pairs, &map);
        drop(pairs);
        match depth {
            SpokenDepth::OfPatch => place.indent = map,
            SpokenDepth::OfFile => place.block = Cow::Owned(self.with_own_lines(&place)?),
            SpokenDepth::Unclear => return None,
        }
        let mut added = place.block.iter().filter(|line| !line.is_old());
        let is_known = added.all(|line| place.indent.apply(&line.content).is_some());
        is_known.then_some(place)
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
                let owned = |place: Placement<'_>| Placement {
                    block: Cow::Owned(place.block.into_owned()),
                    rows: place.rows,
                    indent: place.indent,
                };
                return found.into_iter().map(owned).collect();
            }
        }
        Vec::new()
    }
}

/// Returns a block without the blank lines by which what it searches for begins or ends further out than what it puts there.
fn without_outer_blanks(block: &[HunkLine]) -> Option<Vec<HunkLine>> {
    if block.iter().any(|line| line.end != LineEndRule::Unsaid) {
        return None;
    }
    let side = |gone: HunkLineKind| -> Option<Vec<&str>> {
        block.iter().filter(|line| line.kind != gone).map(HunkLine::text).collect()
    };
    let (old, new) = (side(HunkLineKind::Added)?, side(HunkLineKind::Removed)?);
    let is_blank = |line: &&&str| line.trim().is_empty();
    let above = |lines: &[&str]| lines.iter().take_while(is_blank).count();
    let below = |lines: &[&str]| lines.iter().rev().take_while(is_blank).count();
    if above(&old) == old.len() {
        return None;
    }
    let (more_above, more_below) = (above(&old).saturating_sub(above(&new)), below(&old).saturating_sub(below(&new)));
    let bare = &old[more_above..old.len() - more_below];
    (bare.len() < old.len()).then(|| between_lines(bare, &new))
}

/// By what the lines that come are indented, where those that are looked for are not indented as the file is.
enum SpokenDepth {
    /// As those that are looked for.
    OfPatch,
    /// As the file is.
    OfFile,
    /// The lines give no clear answer.
    Unclear,
}

/// Says by what the lines that come are indented. Lines on both sides that have the same text speak for the patch where they have
/// the same depth in it, and for the file where the new one has the depth that the old one has there.
fn spoken_depth<'b>(block: &'b [HunkLine], pairs: &[Option<(&str, &str)>], map: &IndentMap) -> SpokenDepth {
    if map.is_same() {
        return SpokenDepth::OfPatch;
    }
    let side = |gone: HunkLineKind| block.iter().filter(move |line| line.kind != gone);
    let (old, new): (Vec<_>, Vec<_>) = (side(HunkLineKind::Added).collect(), side(HunkLineKind::Removed).collect());
    let rest = |lines: &[&'b HunkLine]| lines.iter().map(|line| line.content.trim_ascii()).collect::<Vec<_>>();
    let (mut for_patch, mut for_file) = (0, 0);
    for (one, other) in same_pairs(&rest(&old), &rest(&new)) {
        let Some((from, to)) = pairs[one] else { continue };
        let indent = parted(&new[other].content).0;
        for_patch += usize::from(indent == from && from != to);
        for_file += usize::from(indent == to && from != to);
    }
    let added: Vec<&&HunkLine> =
        new.iter().filter(|line| line.kind == HunkLineKind::Added && !line.is_blank()).collect();
    let depth = |line: &&&HunkLine| parted(&line.content).0.len();
    let least = added.iter().map(depth).min().unwrap_or(0);
    let told = || pairs.iter().flatten();
    let from = told().map(|pair| pair.0.len()).min().unwrap_or(0);
    let to = told().map(|pair| pair.1.len()).min().unwrap_or(0);
    let is_seen = |line: &&&HunkLine| told().any(|(from, _)| *from == parted(&line.content).0);
    let is_deep = !added.is_empty()
        && least == to
        && to != from
        && !added.iter().filter(|line| depth(line) == least).all(is_seen);
    match (for_patch > 0, for_file > 0) {
        (true, true) => SpokenDepth::Unclear,
        (true, false) if is_deep => SpokenDepth::Unclear,
        (true, false) => SpokenDepth::OfPatch,
        (false, true) if least >= to || added.is_empty() => SpokenDepth::OfFile,
        (false, true) => SpokenDepth::Unclear,
        (false, false) if is_deep => SpokenDepth::OfFile,
        (false, false) => SpokenDepth::OfPatch,
    }
}

/// Pairs what is the same in two lists, in their order.
fn same_pairs(old: &[&[u8]], new: &[&[u8]]) -> Vec<(usize, usize)> {
    let steps = line_diff(old, new);
    let same = steps.iter().filter(|step| step.tag() == DiffTag::Equal);
    same.flat_map(|step| step.old_range().zip(step.new_range())).collect()
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
