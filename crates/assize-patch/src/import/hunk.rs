//! Lines that change, with the lines around them, and where in a file they are meant.

use std::borrow::Cow;
use std::ops::Range;

use similar::{Algorithm, ChangeTag, capture_diff_slices};

use crate::line::{BYTE_ORDER_MARK, LineEnding, TextLines};
use crate::locate::{IndentShift, MatchTier, normalized, shift_at};
use crate::nearest::nearest;

/// Whether a line stays, goes or comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HunkLineKind {
    /// It stays; it only says where.
    Context,
    /// It goes.
    Removed,
    /// It comes.
    Added,
}

/// What a format says about the end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEndRule {
    /// Nothing: that of the lines around it is meant.
    Unsaid,
    /// This, or that there is none.
    Marked(Option<LineEnding>),
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkLine {
    /// Whether it stays, goes or comes.
    pub kind: HunkLineKind,
    /// What stands in it, without its ending.
    pub content: Vec<u8>,
    /// How it ends.
    pub end: LineEndRule,
}

/// What becomes of a file's last line, if a hunk puts it there and does not say how it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtEnd {
    /// It ends as the last line did.
    AsBefore,
    /// It gets an ending.
    Ended,
}

/// Lines that change in one place, or in several that are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftHunk {
    /// Where it stands in the text of the patch, counted from 1.
    pub line: usize,
    /// On which line of the file it begins, counted from 0, where that is said.
    pub start: Option<usize>,
    /// How many lines go from there on, whatever stands in them.
    pub deletes: usize,
    /// Lines above it, each somewhere below the one before, that lead to the place.
    pub anchors: Vec<String>,
    /// Its lines.
    pub lines: Vec<HunkLine>,
    /// Whether it has to reach the end of the file.
    pub to_end: bool,
    /// In how many places it is meant.
    pub occurrences: usize,
    /// How its last line ends, if that is the last of the file.
    pub at_end: AtEnd,
    /// Whether the file has to be empty, or not there.
    pub of_empty: bool,
}

impl DraftHunk {
    /// Returns a hunk that puts new lines in the place of old ones; those that both have stay untouched.
    pub fn between(line: usize, old: &[&str], new: &[&str]) -> Self {
        let lines = capture_diff_slices(Algorithm::Myers, old, new)
            .iter()
            .flat_map(|step| step.iter_changes(old, new))
            .map(|change| HunkLine {
                kind: match change.tag() {
                    ChangeTag::Equal => HunkLineKind::Context,
                    ChangeTag::Delete => HunkLineKind::Removed,
                    ChangeTag::Insert => HunkLineKind::Added,
                },
                content: change.value().as_bytes().to_vec(),
                end: LineEndRule::Unsaid,
            })
            .collect();
        Self { line, lines, ..Self::at(line) }
    }

    /// Returns a hunk without lines.
    pub fn at(line: usize) -> Self {
        Self {
            line,
            start: None,
            deletes: 0,
            anchors: Vec::new(),
            lines: Vec::new(),
            to_end: false,
            occurrences: 1,
            at_end: AtEnd::AsBefore,
            of_empty: false,
        }
    }

    /// Returns the lines that have to be there.
    fn old(&self) -> Vec<&HunkLine> {
        self.lines.iter().filter(|line| line.kind != HunkLineKind::Added).collect()
    }

    /// Whether nothing in it is looked for: a number says where it is meant, an anchor, or the end of the file.
    pub(super) fn is_bare(&self) -> bool {
        self.old().is_empty()
    }

    /// Whether the byte order mark of a file is a part of its first line: to whoever names it there, and to whoever says
    /// each byte and puts lines before it.
    fn counts_mark(&self) -> bool {
        let old = self.old();
        let is_first = self.start == Some(0) && self.lines.iter().any(|line| line.end != LineEndRule::Unsaid);
        old.iter().any(|line| line.content.starts_with(BYTE_ORDER_MARK)) || (old.is_empty() && is_first)
    }
}

/// Something to say of a hunk, by its line.
type LineNote = (usize, String);

/// A place that was found for a hunk.
struct HunkPlace<'a> {
    hunk: &'a DraftHunk,
    lines: Range<usize>,
    tier: MatchTier,
}

/// How often what comes nearest to a text that is not there is still looked for. That takes longer than all tiers together.
pub(super) struct Hints(pub usize);

impl Hints {
    /// Says what comes nearest to a text, as the end of a sentence.
    fn nearest(&mut self, lines: &TextLines<'_>, find: &str) -> String {
        match self.0.checked_sub(1) {
            Some(left) => {
                self.0 = left;
                nearest(lines, find)
            }
            None => String::new(),
        }
    }
}

/// Puts hunks into a text; returns it with what was overlooked.
pub(super) fn applied(
    text: &[u8],
    hunks: &[DraftHunk],
    hints: &mut Hints,
) -> Result<(Vec<u8>, Vec<LineNote>), Vec<LineNote>> {
    let lines = lines_for(text, hunks);
    let (places, notes) = placed(&lines, hunks, hints)?;
    let mut bytes = Vec::with_capacity(text.len());
    bytes.extend_from_slice(&text[..lines.span(0..0).start]);
    let mut copied = 0;
    for place in &places {
        bytes.extend_from_slice(&text[lines.span(copied..place.lines.start)]);
        put(&mut bytes, &lines, place);
        copied = place.lines.end;
    }
    bytes.extend_from_slice(&text[lines.span(copied..lines.count())]);
    Ok((bytes, notes))
}

/// Returns the lines of a text that hunks stand on, in the order of the text; nothing where they do not fit.
pub(super) fn stands(text: &[u8], hunks: &[DraftHunk]) -> Option<Vec<Range<usize>>> {
    let lines = lines_for(text, hunks);
    let (places, _) = placed(&lines, hunks, &mut Hints(0)).ok()?;
    Some(places.into_iter().map(|place| place.lines).collect())
}

/// Whether the lines of each hunk stand in a text as they are: on the line that it says, or on any if it says none.
pub(super) fn stand_exactly(text: &[u8], hunks: &[DraftHunk]) -> bool {
    let lines = lines_for(text, hunks);
    hunks.iter().all(|hunk| {
        let old = hunk.old();
        let Some(wanted) = NormalizedHunk::of(hunk, &old, MatchTier::Exact) else { return false };
        match hunk.start {
            _ if old.is_empty() => true,
            Some(start) => wanted.stands_at(&lines, start),
            None => (0..lines.count()).any(|start| wanted.stands_at(&lines, start)),
        }
    })
}

fn lines_for<'t>(text: &'t [u8], hunks: &[DraftHunk]) -> TextLines<'t> {
    if hunks.iter().any(DraftHunk::counts_mark) { TextLines::with_mark(text) } else { TextLines::of(text) }
}

/// Finds the places of hunks, in the order of the text; returns them with what was overlooked.
fn placed<'a>(
    lines: &TextLines<'_>,
    hunks: &'a [DraftHunk],
    hints: &mut Hints,
) -> Result<(Vec<HunkPlace<'a>>, Vec<LineNote>), Vec<LineNote>> {
    let (mut places, mut notes, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    let mut from = 0;
    for hunk in hunks {
        match found(lines, hunk, from, hints) {
            Ok((found, note)) => {
                from = found.last().map_or(from, |place| place.lines.end);
                places.extend(found);
                notes.extend(note.map(|note| (hunk.line, note)));
            }
            Err(fault) => faults.push((hunk.line, fault)),
        }
    }
    places.sort_by_key(|place| (place.lines.start, place.lines.end));
    for pair in places.windows(2) {
        // Of two texts that are put in at one place nobody knows which comes first.
        let is_one_place = pair[1].lines == pair[0].lines && pair[0].lines.is_empty();
        if is_one_place || pair[1].lines.start < pair[0].lines.end {
            let line = pair[1].lines.start + 1;
            faults
                .push((pair[1].hunk.line, format!("overlaps the change of line {} at line {line}", pair[0].hunk.line)));
        }
    }
    faults.sort();
    if faults.is_empty() { Ok((places, notes)) } else { Err(faults) }
}

/// Finds the places of a hunk, and says what was overlooked.
fn found<'a>(
    lines: &TextLines<'_>,
    hunk: &'a DraftHunk,
    from: usize,
    hints: &mut Hints,
) -> Result<(Vec<HunkPlace<'a>>, Option<String>), String> {
    let old = hunk.old();
    let from = anchored(lines, hunk, from, hints)?;
    let count = old.len();
    let place = |start: usize, tier| HunkPlace { hunk, lines: start..start + count, tier };
    if old.is_empty() {
        let start = numbered(lines, hunk, from)?;
        return Ok((vec![HunkPlace { hunk, lines: start..start + hunk.deletes, tier: MatchTier::Exact }], None));
    }
    let tiers = [
        MatchTier::Exact,
        MatchTier::LineEndings,
        MatchTier::TrailingSpace,
        MatchTier::Indentation,
        MatchTier::Punctuation,
    ];
    for tier in tiers {
        let Some(wanted) = NormalizedHunk::of(hunk, &old, tier) else { continue };
        let fits = |start: &usize| wanted.stands_at(lines, *start);
        // A number that holds needs no search.
        if let Some(start) = hunk.start.filter(|_| tier == MatchTier::Exact).filter(fits) {
            return Ok((vec![place(start, tier)], None));
        }
        let all: Vec<usize> = (0..(lines.count() + 1).saturating_sub(count)).filter(fits).collect();
        let below: Vec<usize> = all.iter().copied().filter(|start| *start >= from).collect();
        let starts = match (hunk.start, hunk.anchors.is_empty(), below.len()) {
            _ if all.is_empty() => continue,
            (None, false, 1..) => below[..1].to_vec(),
            // An anchor leads downwards, or is itself the first of the lines.
            (None, false, 0) => match all.iter().find(|start| **start + 1 == from) {
                Some(start) => vec![*start],
                None => continue,
            },
            (None, true, 1..) if hunk.occurrences == 1 && below.len() == 1 => below,
            _ => all,
        };
        if starts.len() != hunk.occurrences {
            let numbers: Vec<String> = starts.iter().take(5).map(|start| (start + 1).to_string()).collect();
            return Err(format!(
                "its lines stand there {} times where {} is meant (lines {}); give more of the lines around them",
                starts.len(),
                hunk.occurrences,
                numbers.join(", ")
            ));
        }
        let mut overlooked = Vec::new();
        if tier != MatchTier::Exact {
            overlooked.push(format!("overlooking {}", tier.overlooks()));
        }
        if let Some(said) = hunk.start.filter(|said| starts != [*said]) {
            overlooked.push(format!("on line {} instead of {}", starts[0] + 1, said + 1));
        }
        let note = (!overlooked.is_empty()).then(|| format!("its lines were found {}", overlooked.join(", ")));
        return Ok((starts.into_iter().map(|start| place(start, tier)).collect(), note));
    }
    let text: Vec<String> = old.iter().map(|line| String::from_utf8_lossy(&line.content).into_owned()).collect();
    Err(format!("its lines do not stand there{}", hints.nearest(lines, &text.join("\n"))))
}

/// Returns the line of a hunk that has none to be found by: nothing says where it is, but a number or an anchor.
fn numbered(lines: &TextLines<'_>, hunk: &DraftHunk, from: usize) -> Result<usize, String> {
    let count = lines.count();
    match (hunk.start, hunk.anchors.is_empty()) {
        _ if hunk.of_empty && count > 0 => {
            let way_out = "for lines at the top of a file, give a line of context below them, or say them as an edit";
            Err(format!("is meant in an empty file, as `-0,0` says, but this one is not; {way_out}"))
        }
        (Some(start), _) if start > count => {
            Err(format!("begins on line {}, but the file has {count}", start.saturating_add(1)))
        }
        (Some(start), _) if hunk.deletes > count - start => {
            let deletes = hunk.deletes;
            Err(format!("takes {deletes} lines from line {} on, but the file has {count}", start.saturating_add(1)))
        }
        (Some(start), _) => Ok(start),
        (None, true) => Ok(count),
        (None, false) => Ok(from),
    }
}

/// Follows anchors; returns the line below the last one.
fn anchored(lines: &TextLines<'_>, hunk: &DraftHunk, from: usize, hints: &mut Hints) -> Result<usize, String> {
    let mut from = if hunk.anchors.is_empty() { from } else { 0 };
    for anchor in &hunk.anchors {
        let is_it = |line: &usize, trimmed: bool| {
            let content = String::from_utf8_lossy(lines.content(*line));
            if trimmed { content.trim() == anchor.trim() } else { content == *anchor }
        };
        let below = |trimmed| (from..lines.count()).find(|line| is_it(line, trimmed));
        let Some(line) = below(false).or_else(|| below(true)) else {
            let hint = hints.nearest(lines, anchor);
            return Err(format!("the line {anchor:?}, which leads to it, is not there{hint}"));
        };
        from = line + 1;
    }
    Ok(from)
}

/// The lines of a hunk as a tier compares them.
struct NormalizedHunk<'a> {
    hunk: &'a DraftHunk,
    old: &'a [&'a HunkLine],
    /// What is left of them under a tier that overlooks something within lines.
    normal: Vec<Cow<'a, str>>,
    tier: MatchTier,
}

impl<'a> NormalizedHunk<'a> {
    /// Returns nothing where the tier compares text, and the lines are none.
    fn of(hunk: &'a DraftHunk, old: &'a [&'a HunkLine], tier: MatchTier) -> Option<Self> {
        let loose = if tier > MatchTier::LineEndings { old } else { &[] };
        let normal = |line: &&'a HunkLine| Some(normalized(std::str::from_utf8(&line.content).ok()?, tier));
        Some(Self { hunk, old, normal: loose.iter().map(normal).collect::<Option<_>>()?, tier })
    }

    /// Compares them with those of a file.
    fn stands_at(&self, lines: &TextLines<'_>, start: usize) -> bool {
        let end = start.saturating_add(self.old.len());
        if end > lines.count() || (self.hunk.to_end && end != lines.count()) {
            return false;
        }
        if self.tier > MatchTier::LineEndings {
            let mut added = self.hunk.lines.iter().filter(|line| line.kind == HunkLineKind::Added);
            return shift_at(lines, start, &self.normal, self.tier)
                .is_some_and(|shift| added.all(|line| shifted(&shift, &line.content).is_some()));
        }
        self.old.iter().enumerate().all(|(offset, line)| {
            let ends = self.tier == MatchTier::LineEndings || ends_alike(lines, start + offset, line);
            ends && lines.content(start + offset) == line.content
        })
    }
}

/// Indents a line that comes as far as what was found; nothing if it has too little to be taken away. It may be no UTF-8.
fn shifted<'t>(shift: &IndentShift<'_>, line: &'t [u8]) -> Option<Cow<'t, [u8]>> {
    let is_blank = std::str::from_utf8(line).is_ok_and(|line| line.trim().is_empty());
    match shift {
        IndentShift::Further(by) if !is_blank => Some(Cow::Owned([by.as_bytes(), line].concat())),
        IndentShift::Less(by) if !is_blank => line.strip_prefix(by.as_bytes()).map(Cow::Borrowed),
        IndentShift::None | IndentShift::Further(_) | IndentShift::Less(_) => Some(Cow::Borrowed(line)),
    }
}

fn ends_alike(lines: &TextLines<'_>, line: usize, of: &HunkLine) -> bool {
    match of.end {
        LineEndRule::Unsaid => true,
        LineEndRule::Marked(ending) => lines.ending(line) == ending,
    }
}

/// Writes what stands in a place afterwards.
fn put(bytes: &mut Vec<u8>, lines: &TextLines<'_>, place: &HunkPlace<'_>) {
    let old = place.hunk.old();
    let wanted = NormalizedHunk::of(place.hunk, &old, place.tier).filter(|_| place.tier == MatchTier::Indentation);
    let shift = wanted.as_ref().and_then(|wanted| shift_at(lines, place.lines.start, &wanted.normal, place.tier));
    let shift = shift.unwrap_or(IndentShift::None);
    let mut at = place.lines.start;
    let last = place.hunk.lines.iter().rposition(|line| line.kind != HunkLineKind::Removed);
    for (index, line) in place.hunk.lines.iter().enumerate() {
        match line.kind {
            HunkLineKind::Context => {
                bytes.extend_from_slice(lines.whole(at));
                at += 1;
            }
            HunkLineKind::Removed => at += 1,
            HunkLineKind::Added => {
                let near = lines.ending_near(at.min(lines.count().saturating_sub(1)));
                if lines.is_within_line(bytes) {
                    bytes.extend_from_slice(near.bytes());
                }
                bytes.extend_from_slice(&shifted(&shift, &line.content).unwrap_or(Cow::Borrowed(&line.content)));
                let is_last = Some(index) == last && place.lines.end == lines.count();
                bytes.extend_from_slice(ending_of(line, place, lines, is_last, near));
            }
        }
    }
}

/// Returns how a line ends that comes.
fn ending_of(
    line: &HunkLine,
    place: &HunkPlace<'_>,
    lines: &TextLines<'_>,
    is_last: bool,
    near: LineEnding,
) -> &'static [u8] {
    let was_open = lines.count() > 0 && lines.ending(lines.count() - 1).is_none();
    match line.end {
        // What the hunk says of endings holds where it is right about those that are there.
        LineEndRule::Marked(ending) if place.tier == MatchTier::Exact => ending.map_or(b"", LineEnding::bytes),
        LineEndRule::Marked(None) if is_last => b"",
        LineEndRule::Unsaid if is_last && was_open && place.hunk.at_end == AtEnd::AsBefore => b"",
        _ => near.bytes(),
    }
}
