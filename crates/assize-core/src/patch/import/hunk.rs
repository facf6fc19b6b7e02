//! Lines that change, with the lines around them, and where in a file they are meant.

use std::ops::Range;

use similar::{Algorithm, ChangeTag, capture_diff_slices};

use crate::patch::line::{BYTE_ORDER_MARK, Ending, Lines};
use crate::patch::locate::{Shift, Tier, normalized, shift_at};
use crate::patch::nearest::nearest;

/// Whether a line stays, goes or comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// It stays; it only says where.
    Context,
    /// It goes.
    Removed,
    /// It comes.
    Added,
}

/// What a format says about the end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// Nothing: that of the lines around it is meant.
    Unsaid,
    /// This, or that there is none.
    Said(Option<Ending>),
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkLine {
    /// Whether it stays, goes or comes.
    pub kind: LineKind,
    /// What stands in it, without its ending.
    pub content: Vec<u8>,
    /// How it ends.
    pub end: LineEnd,
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
pub struct Hunk {
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
}

impl Hunk {
    /// Returns a hunk that puts new lines in the place of old ones; those that both have stay untouched.
    pub fn between(line: usize, old: &[&str], new: &[&str]) -> Self {
        let lines = capture_diff_slices(Algorithm::Myers, old, new)
            .iter()
            .flat_map(|step| step.iter_changes(old, new))
            .map(|change| HunkLine {
                kind: match change.tag() {
                    ChangeTag::Equal => LineKind::Context,
                    ChangeTag::Delete => LineKind::Removed,
                    ChangeTag::Insert => LineKind::Added,
                },
                content: change.value().as_bytes().to_vec(),
                end: LineEnd::Unsaid,
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
        }
    }

    /// Returns the lines that have to be there.
    fn old(&self) -> Vec<&HunkLine> {
        self.lines.iter().filter(|line| line.kind != LineKind::Added).collect()
    }

    /// Whether the byte order mark of a file is a part of its first line: to whoever names it there, and to whoever says
    /// each byte and puts lines before it.
    fn counts_mark(&self) -> bool {
        let old = self.old();
        let is_first = self.start == Some(0) && self.lines.iter().any(|line| line.end != LineEnd::Unsaid);
        old.iter().any(|line| line.content.starts_with(BYTE_ORDER_MARK)) || (old.is_empty() && is_first)
    }
}

/// Something to say of a hunk, by its line.
type Said = (usize, String);

/// A place that was found for a hunk.
struct Place<'a> {
    hunk: &'a Hunk,
    lines: Range<usize>,
    tier: Tier,
}

/// Puts hunks into a text; returns it with what was overlooked.
pub(super) fn applied(text: &[u8], hunks: &[Hunk]) -> Result<(Vec<u8>, Vec<Said>), Vec<Said>> {
    let lines = if hunks.iter().any(Hunk::counts_mark) { Lines::with_mark(text) } else { Lines::of(text) };
    let (mut places, mut notes, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    let mut from = 0;
    for hunk in hunks {
        match found(&lines, hunk, from) {
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
        if pair[1].lines.start < pair[0].lines.end {
            let line = pair[1].lines.start + 1;
            faults
                .push((pair[1].hunk.line, format!("overlaps the change of line {} at line {line}", pair[0].hunk.line)));
        }
    }
    if !faults.is_empty() {
        faults.sort();
        return Err(faults);
    }
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

/// Finds the places of a hunk, and says what was overlooked.
fn found<'a>(lines: &Lines<'_>, hunk: &'a Hunk, from: usize) -> Result<(Vec<Place<'a>>, Option<String>), String> {
    let old = hunk.old();
    let from = anchored(lines, hunk, from)?;
    let count = old.len();
    let place = |start: usize, tier| Place { hunk, lines: start..start + count, tier };
    if old.is_empty() {
        // Nothing says where, but a number or an anchor.
        let start = match (hunk.start, hunk.anchors.is_empty()) {
            (Some(start), _) if start > lines.count() => {
                return Err(format!("begins on line {}, but the file has {}", start + 1, lines.count()));
            }
            (Some(start), _) if hunk.deletes > lines.count() - start => {
                return Err(format!(
                    "takes {} lines from line {} on, but the file has {}",
                    hunk.deletes,
                    start + 1,
                    lines.count()
                ));
            }
            (Some(start), _) => start,
            (None, true) => lines.count(),
            (None, false) => from,
        };
        return Ok((vec![Place { hunk, lines: start..start + hunk.deletes, tier: Tier::Exact }], None));
    }
    let tiers = [Tier::Exact, Tier::LineEndings, Tier::TrailingSpace, Tier::Indentation, Tier::Punctuation];
    for tier in tiers {
        let fits = |start: &usize| matches(lines, *start, hunk, &old, tier);
        // A number that holds needs no search.
        if let Some(start) = hunk.start.filter(|_| tier == Tier::Exact).filter(fits) {
            return Ok((vec![place(start, tier)], None));
        }
        let all: Vec<usize> = (0..(lines.count() + 1).saturating_sub(count)).filter(fits).collect();
        let below: Vec<usize> = all.iter().copied().filter(|start| *start >= from).collect();
        let starts = match (hunk.start, hunk.anchors.is_empty(), below.len()) {
            _ if all.is_empty() => continue,
            (None, false, 1..) => below[..1].to_vec(),
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
        if tier != Tier::Exact {
            overlooked.push(format!("overlooking {}", tier.overlooks()));
        }
        if let Some(said) = hunk.start.filter(|said| starts != [*said]) {
            overlooked.push(format!("on line {} instead of {}", starts[0] + 1, said + 1));
        }
        let note = (!overlooked.is_empty()).then(|| format!("its lines were found {}", overlooked.join(", ")));
        return Ok((starts.into_iter().map(|start| place(start, tier)).collect(), note));
    }
    let text: Vec<String> = old.iter().map(|line| String::from_utf8_lossy(&line.content).into_owned()).collect();
    Err(format!("its lines do not stand there{}", nearest(lines, &text.join("\n"))))
}

/// Follows anchors; returns the line below the last one.
fn anchored(lines: &Lines<'_>, hunk: &Hunk, from: usize) -> Result<usize, String> {
    let mut from = if hunk.anchors.is_empty() { from } else { 0 };
    for anchor in &hunk.anchors {
        let is_it = |line: &usize, trimmed: bool| {
            let content = String::from_utf8_lossy(lines.content(*line));
            if trimmed { content.trim() == anchor.trim() } else { content == *anchor }
        };
        let below = |trimmed| (from..lines.count()).find(|line| is_it(line, trimmed));
        let Some(line) = below(false).or_else(|| below(true)) else {
            return Err(format!("the line {anchor:?}, which leads to it, is not there{}", nearest(lines, anchor)));
        };
        from = line + 1;
    }
    Ok(from)
}

/// Compares the lines of a hunk with those of a file.
fn matches(lines: &Lines<'_>, start: usize, hunk: &Hunk, old: &[&HunkLine], tier: Tier) -> bool {
    if start + old.len() > lines.count() || (hunk.to_end && start + old.len() != lines.count()) {
        return false;
    }
    if tier > Tier::LineEndings {
        let wanted: Option<Vec<_>> =
            old.iter().map(|line| Some(normalized(std::str::from_utf8(&line.content).ok()?, tier))).collect();
        return wanted.is_some_and(|wanted| shift_at(lines, start, &wanted, tier).is_some());
    }
    old.iter().enumerate().all(|(offset, line)| {
        let ends = tier == Tier::LineEndings || ends_alike(lines, start + offset, line);
        ends && lines.content(start + offset) == line.content
    })
}

fn ends_alike(lines: &Lines<'_>, line: usize, of: &HunkLine) -> bool {
    match of.end {
        LineEnd::Unsaid => true,
        LineEnd::Said(ending) => lines.ending(line) == ending,
    }
}

/// Writes what stands in a place afterwards.
fn put(bytes: &mut Vec<u8>, lines: &Lines<'_>, place: &Place<'_>) {
    let wanted: Vec<_> = place.hunk.old().iter().map(|line| String::from_utf8_lossy(&line.content)).collect();
    let wanted: Vec<_> = wanted.iter().map(|line| normalized(line, place.tier)).collect();
    let shift = if place.tier == Tier::Indentation {
        shift_at(lines, place.lines.start, &wanted, place.tier).unwrap_or(Shift::None)
    } else {
        Shift::None
    };
    let mut at = place.lines.start;
    let last = place.hunk.lines.iter().rposition(|line| line.kind != LineKind::Removed);
    for (index, line) in place.hunk.lines.iter().enumerate() {
        match line.kind {
            LineKind::Context => {
                bytes.extend_from_slice(lines.whole(at));
                at += 1;
            }
            LineKind::Removed => at += 1,
            LineKind::Added => {
                let near = lines.ending_near(at.min(lines.count().saturating_sub(1)));
                if lines.is_within_line(bytes) {
                    bytes.extend_from_slice(near.bytes());
                }
                let content = String::from_utf8_lossy(&line.content);
                match shift.apply(&content).filter(|_| place.tier == Tier::Indentation) {
                    Some(shifted) => bytes.extend_from_slice(shifted.as_bytes()),
                    None => bytes.extend_from_slice(&line.content),
                }
                let is_last = Some(index) == last && place.lines.end == lines.count();
                bytes.extend_from_slice(ending_of(line, place, lines, is_last, near));
            }
        }
    }
}

/// Returns how a line ends that comes.
fn ending_of(line: &HunkLine, place: &Place<'_>, lines: &Lines<'_>, is_last: bool, near: Ending) -> &'static [u8] {
    let was_open = lines.count() > 0 && lines.ending(lines.count() - 1).is_none();
    match line.end {
        // What the hunk says of endings holds where it is right about those that are there.
        LineEnd::Said(ending) if place.tier == Tier::Exact => ending.map_or(b"", Ending::bytes),
        LineEnd::Said(None) if is_last => b"",
        LineEnd::Unsaid if is_last && was_open && place.hunk.at_end == AtEnd::AsBefore => b"",
        _ => near.bytes(),
    }
}
