//! Lines that change, with the lines around them, and where in a file they are meant.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::suspicion::suspicion;
use super::trust::{HunkNumber, NumberTrust, is_blob};
pub use crate::block::{HunkLine, HunkLineKind, LineEndRule};
use crate::block::{between_lines, is_worded_elision};
use crate::line::{BYTE_ORDER_MARK, TextLines};
use crate::nearest::nearest;
use crate::place::{
    DepthsShown, MatchTier, PlacedEndings, PlacedLine, Placement, SearchedLines, indent_together, is_depth_doubtful,
    put_from,
};

/// What becomes of a file's last line, if a hunk puts it there and does not say how it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtEnd {
    /// It ends as the last line did.
    AsBefore,
    /// It gets an ending.
    Ended,
}

/// How the lines of a hunk may be read otherwise. A header can count wrong as well, so the file decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherReading {
    /// The lines.
    pub lines: Vec<HunkLine>,
    /// What is overlooked to read them so.
    pub why: &'static str,
    /// Whether the lines have to stand in the file in one of the two readings.
    pub is_needed: bool,
    /// Whether the header says so. Otherwise what stands in the file as it is written is meant.
    pub is_told: bool,
}

impl OtherReading {
    /// Lines of context are without their sign.
    pub(super) const SIGNS_LOST: &'static str = "its context lacks the space at the beginning of lines";
    /// Empty lines that come are without their sign.
    pub(super) const PLUS_LOST: &'static str = "empty lines among the added ones lack their `+`";
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
    /// Whether it stands below the hunk before it, if several places are left.
    pub follows: bool,
    /// Whether its number is meant, whatever else stands in the file.
    pub is_by_number: bool,
    /// Whether a program printed it, which writes every line as it is.
    pub is_printed: bool,
    /// By which hash the text names the file as it was.
    pub base: Option<String>,
    /// How many old and new lines it lacks by its header, where the text may be cut.
    pub missing: Option<(usize, usize)>,
    /// How its lines may be read otherwise.
    pub other: Option<OtherReading>,
}

impl DraftHunk {
    /// Returns a hunk that puts new lines in the place of old ones; those that both have stay untouched.
    pub fn between(line: usize, old: &[&str], new: &[&str]) -> Self {
        let lines = between_lines(old, new);
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
            follows: false,
            is_by_number: false,
            is_printed: false,
            base: None,
            missing: None,
            other: None,
        }
    }

    /// Returns the hunk as it may be read otherwise; itself if it may not.
    pub(super) fn in_other_reading(&self) -> Self {
        let lines = self.other.as_ref().map_or(&self.lines, |other| &other.lines).clone();
        Self { lines, other: None, ..self.clone() }
    }

    /// Returns the lines that have to be there.
    fn old(&self) -> Vec<&HunkLine> {
        self.lines.iter().filter(|line| line.kind != HunkLineKind::Added).collect()
    }

    /// Whether nothing in it is looked for: a number says where it is meant, an anchor, or the end of the file.
    pub(super) fn is_bare(&self) -> bool {
        self.old().is_empty()
    }

    /// Whether the hunk counts the byte order mark of a file as a part of the first line. It does if one of its old
    /// lines begins with the mark. So does one that only adds lines at the beginning and states their endings.
    fn counts_mark(&self) -> bool {
        let old = self.old();
        let is_first = self.start == Some(0) && self.lines.iter().any(|line| line.end != LineEndRule::Unsaid);
        old.iter().any(|line| line.content.starts_with(BYTE_ORDER_MARK)) || (old.is_empty() && is_first)
    }
}

/// Hunks as they are meant in a text, and what was overlooked.
type ReadHunks<'h> = (Cow<'h, [DraftHunk]>, Vec<LineNote>);

/// Returns hunks as they are meant in a text, where their lines can be read in two ways, and what was overlooked.
pub(super) fn read_in<'h>(text: &[u8], hunks: &'h [DraftHunk]) -> Result<ReadHunks<'h>, Vec<LineNote>> {
    let other = |hunk: &DraftHunk| hunk.other.clone().or_else(|| signs_lost(&hunk.lines));
    let others: Vec<Option<OtherReading>> = hunks.iter().map(other).collect();
    if others.iter().all(Option::is_none) {
        return Ok((Cow::Borrowed(hunks), Vec::new()));
    }
    let searched = SearchedLines::of(lines_for(text, hunks));
    let (mut meant, mut notes, mut faults) = (hunks.to_vec(), Vec::new(), Vec::new());
    let mut is_lost = false;
    for (hunk, other) in meant.iter_mut().zip(others) {
        hunk.other = None;
        let Some(other) = other else { continue };
        match is_other(&searched, &hunk.lines, &other) {
            Ok(true) => {
                notes.push((hunk.line, other.why.to_owned()));
                is_lost |= other.why == OtherReading::SIGNS_LOST;
                hunk.lines = other.lines;
                // Only where the header counts these lines, it shows that none is cut.
                hunk.missing = hunk.missing.filter(|_| !other.is_told);
            }
            Ok(false) => {}
            Err(message) => faults.push((hunk.line, message)),
        }
    }
    // Beside a hunk without signs, lines that stand elsewhere by a blank may have lost it as well: their depth is not known.
    let is_doubtful = |hunk: &&DraftHunk| !hunk.is_bare() && !stands_closely(&searched, &hunk.lines);
    if is_lost && faults.is_empty() {
        let fault =
            "its lines do not stand there as they are, and another hunk lacks the space at the beginning of lines";
        faults.extend(meant.iter().filter(is_doubtful).map(|hunk| (hunk.line, fault.to_owned())));
    }
    if faults.is_empty() { Ok((Cow::Owned(meant), notes)) } else { Err(faults) }
}

/// Whether lines stand in a file as they are, but for their ends.
fn stands_closely(searched: &SearchedLines<'_>, lines: &[HunkLine]) -> bool {
    let tiers = [MatchTier::Exact, MatchTier::LineEndings, MatchTier::TrailingSpace];
    tiers.iter().any(|tier| !searched.places(lines, *tier, false).is_empty())
}

/// Returns the lines of a unified diff with the blank that each line of context begins with, which may be a part of it: where a model
/// leaves out the signs of context, indented lines seem to have one. Lines that come may have lost a blank as well, so others have
/// to show that they did not.
fn signs_lost(lines: &[HunkLine]) -> Option<OtherReading> {
    let text = || lines.iter().filter(|line| !line.is_blank());
    let is_context = |line: &HunkLine| line.kind == HunkLineKind::Context;
    let is_signed = |line: &HunkLine| line.end != LineEndRule::Unsaid && line.content.starts_with(b" ");
    let blanks = |line: &HunkLine| line.content.iter().take_while(|byte| **byte == b' ').count();
    let is_even = |line: &HunkLine| (blanks(line) + usize::from(is_context(line))).is_multiple_of(2);
    let is_shown = text().any(|line| line.kind == HunkLineKind::Removed) || text().all(is_even);
    if !text().any(is_context) || !text().filter(|line| is_context(line)).all(is_signed) || !is_shown {
        return None;
    }
    let whole = |line: &HunkLine| {
        let sign: &[u8] = if is_context(line) && !line.content.is_empty() { b" " } else { b"" };
        HunkLine { content: [sign, &line.content].concat(), ..line.clone() }
    };
    let lines = lines.iter().map(whole).collect();
    Some(OtherReading { lines, why: OtherReading::SIGNS_LOST, is_needed: false, is_told: false })
}

/// Whether the other reading of a hunk is the one that stands in a file.
fn is_other(searched: &SearchedLines<'_>, lines: &[HunkLine], other: &OtherReading) -> Result<bool, String> {
    let stands = |lines: &[HunkLine]| stands_closely(searched, lines);
    let why = other.why;
    let is_own = stands(lines);
    if is_own && !other.is_told {
        return Ok(false);
    }
    match (is_own, stands(&other.lines)) {
        (true, true) if lines != other.lines => Err(format!("can be read in two ways, and both stand there: {why}")),
        (false, false) if other.is_needed => Err(format!("its lines do not stand there as they are, and {why}")),
        (is_own, is_other) => Ok(is_other && !is_own),
    }
}

/// Something to say of a hunk, by its line.
type LineNote = (usize, String);

/// A place that was found for a hunk.
struct HunkPlace<'a> {
    hunk: &'a DraftHunk,
    lines: Range<usize>,
    tier: MatchTier,
    placement: Placement<'a>,
}

/// What a search for a hunk came to.
struct FoundPlaces<'a> {
    tier: MatchTier,
    /// Every place in the first tier that has any.
    places: Vec<Placement<'a>>,
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

/// What hunks make of a text.
pub(super) struct AppliedHunks {
    /// The text.
    pub bytes: Vec<u8>,
    /// What was overlooked.
    pub notes: Vec<LineNote>,
    /// What they show of the depths of lines in the patch.
    pub depths: DepthsShown,
    /// The line of a hunk of which the depth of new lines is doubtful, if other hunks show that depths are scaled, or lost.
    pub doubtful: [Option<usize>; 2],
}

/// Applies hunks to a text.
pub(super) fn applied(text: &[u8], hunks: &[DraftHunk], hints: &mut Hints) -> Result<AppliedHunks, Vec<LineNote>> {
    let searched = SearchedLines::of(lines_for(text, hunks));
    let lines = &searched.lines;
    let (places, notes) = placed(&searched, hunks, hints)?;
    check_new_lines(lines, &places)?;
    let mut bytes = Vec::with_capacity(text.len());
    bytes.extend_from_slice(&text[..lines.span(0..0).start]);
    let mut copied = 0;
    for place in &places {
        bytes.extend_from_slice(&text[lines.span(copied..place.lines.start)]);
        let endings =
            PlacedEndings { are_said: place.tier == MatchTier::Exact, ends_last: place.hunk.at_end == AtEnd::Ended };
        put_from(&mut bytes, lines, &place.placement, endings, place.lines.clone());
        copied = place.lines.end;
    }
    bytes.extend_from_slice(&text[lines.span(copied..lines.count())]);
    let depths = places.iter().map(|place| place.placement.depths).max().unwrap_or_default();
    let doubtful = [DepthsShown::Scaled, DepthsShown::Lost].map(|shown| {
        let is_doubtful = |place: &&HunkPlace<'_>| is_depth_doubtful(&searched, &place.placement, shown);
        places.iter().filter(|place| !place.hunk.is_printed).find(is_doubtful).map(|place| place.hunk.line)
    });
    Ok(AppliedHunks { bytes, notes, depths, doubtful })
}

/// Refuses hunks that no program printed if their new lines look as if something changed them on the way.
fn check_new_lines(lines: &TextLines<'_>, places: &[HunkPlace<'_>]) -> Result<(), Vec<LineNote>> {
    let written: Vec<&HunkPlace<'_>> = places.iter().filter(|place| !place.hunk.is_printed).collect();
    let new: Vec<Vec<PlacedLine<'_>>> = written.iter().map(|place| place.placement.new_lines(lines)).collect();
    let text: Vec<&HunkLine> = written.iter().flat_map(|place| &place.hunk.lines).collect();
    match (suspicion(lines, &new, &text), written.first()) {
        (Some(fault), Some(first)) => Err(vec![(first.hunk.line, fault)]),
        _ => Ok(()),
    }
}

/// Returns the lines of a text that hunks stand on, in the order of the text; nothing where they do not fit.
pub(super) fn stands(text: &[u8], hunks: &[DraftHunk]) -> Option<Vec<Range<usize>>> {
    let searched = SearchedLines::of(lines_for(text, hunks));
    let (places, _) = placed(&searched, hunks, &mut Hints(0)).ok()?;
    Some(places.into_iter().map(|place| place.lines).collect())
}

/// Whether the lines of each hunk stand in a text as they are: on the line that it says, or on any if it says none.
pub(super) fn stand_exactly(text: &[u8], hunks: &[DraftHunk]) -> bool {
    let searched = SearchedLines::of(lines_for(text, hunks));
    hunks.iter().all(|hunk| {
        let old = hunk.old();
        let stands = |start: usize| {
            let is_end = start.checked_add(old.len()) == Some(searched.lines.count());
            (is_end || !hunk.to_end) && searched.stand_at(&old, MatchTier::Exact, start)
        };
        match hunk.start {
            _ if old.is_empty() => true,
            Some(start) => stands(start),
            None => (0..searched.lines.count()).any(stands),
        }
    })
}

fn lines_for<'t>(text: &'t [u8], hunks: &[DraftHunk]) -> TextLines<'t> {
    if hunks.iter().any(DraftHunk::counts_mark) { TextLines::with_mark(text) } else { TextLines::of(text) }
}

/// Finds the places of hunks, in the order of the text; returns them with what was overlooked.
fn placed<'a>(
    searched: &SearchedLines<'_>,
    hunks: &'a [DraftHunk],
    hints: &mut Hints,
) -> Result<(Vec<HunkPlace<'a>>, Vec<LineNote>), Vec<LineNote>> {
    let mut found: Vec<Option<FoundPlaces<'a>>> = hunks.iter().map(|hunk| search(searched, hunk)).collect();
    leave_taken(&mut found);
    let trust = trust(searched, hunks, &found);
    let (mut places, mut notes, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    let mut from = 0;
    for (index, (hunk, found)) in hunks.iter().zip(found).enumerate() {
        let chosen = match found {
            _ if let Some(line) = elided_addition(hunk) => {
                Err(format!("adds {line:?}, which stands for code that is left out; give all of it"))
            }
            None if hunk.is_bare() => bare(searched, (hunk, index), &trust, from, hints),
            None => Err(not_there(searched, hunk, hints)),
            Some(found) => chosen(searched, (hunk, index), found, &trust, from, hints),
        };
        match chosen.and_then(|(found, note)| Ok((uncut(searched, hunk, found)?, note))) {
            Ok((found, note)) => {
                from = found.last().map_or(from, |place| place.lines.end);
                places.extend(found);
                notes.extend(note.map(|note| (hunk.line, note)));
            }
            Err(fault) => faults.push((hunk.line, fault)),
        }
    }
    let mut placements: Vec<&mut Placement<'_>> = places.iter_mut().map(|place| &mut place.placement).collect();
    if let Err(index) = indent_together(searched, &mut placements) {
        let fault = "it cannot be told how its lines are indented: other hunks are indented otherwise than the file";
        faults.push((places[index].hunk.line, fault.to_owned()));
    }
    places.sort_by_key(|place| (place.lines.start, place.lines.end));
    faults.extend(overlaps(&places));
    faults.sort();
    if faults.is_empty() { Ok((places, notes)) } else { Err(faults) }
}

/// Removes places that another hunk takes which stands as it is in one place alone: no two may change the same lines.
fn leave_taken(found: &mut [Option<FoundPlaces<'_>>]) {
    let only = |found: &FoundPlaces<'_>| (found.places.len() == 1).then(|| found.places[0].lines());
    let is_close = |found: &&FoundPlaces<'_>| found.tier < MatchTier::Elided;
    let taken: Vec<Range<usize>> = found.iter().flatten().filter(is_close).filter_map(only).collect();
    let is_free = |place: &Placement<'_>| {
        let lines = place.lines();
        taken.iter().all(|taken| taken.end <= lines.start || lines.end <= taken.start)
    };
    for found in found.iter_mut().flatten().filter(|found| found.places.len() > 1) {
        if found.places.iter().any(is_free) {
            found.places.retain(is_free);
        }
    }
}

/// Looks for hunks on the same lines.
fn overlaps(places: &[HunkPlace<'_>]) -> Vec<LineNote> {
    let mut faults = Vec::new();
    for pair in places.windows(2) {
        // The order of two texts that are inserted at one place is not known.
        let is_one_place = pair[1].lines == pair[0].lines && pair[0].lines.is_empty();
        if is_one_place || pair[1].lines.start < pair[0].lines.end {
            let line = pair[1].lines.start + 1;
            faults
                .push((pair[1].hunk.line, format!("overlaps the change of line {} at line {line}", pair[0].hunk.line)));
        }
    }
    faults
}

/// Looks for a hunk in every tier until one has a place.
fn search<'a>(searched: &SearchedLines<'_>, hunk: &'a DraftHunk) -> Option<FoundPlaces<'a>> {
    MatchTier::OF_LINES.into_iter().find_map(|tier| {
        let places = match tier {
            MatchTier::Near if hunk.to_end => Vec::new(),
            MatchTier::Near => searched.near(&hunk.lines, hunk.start),
            _ => searched.places(&hunk.lines, tier, hunk.to_end),
        };
        (!places.is_empty()).then_some(FoundPlaces { tier, places })
    })
}

/// Says how far the numbers of hunks can be believed.
fn trust(searched: &SearchedLines<'_>, hunks: &[DraftHunk], found: &[Option<FoundPlaces<'_>>]) -> NumberTrust {
    let number = |(hunk, found): (&DraftHunk, &Option<FoundPlaces<'_>>)| {
        let only = found.as_ref().filter(|found| found.places.len() == 1 && hunk.occurrences == 1);
        Some(HunkNumber { said: hunk.start?, found: only.map(|found| found.places[0].lines().start) })
    };
    let numbers: Vec<Option<HunkNumber>> = hunks.iter().zip(found).map(number).collect();
    let base = hunks.iter().find_map(|hunk| hunk.base.as_deref());
    NumberTrust::of(numbers, base.map(|base| is_blob(searched.lines.text(), base)))
}

/// Returns a line of a hunk that comes and only stands for others, unless the same goes or stays.
fn elided_addition(hunk: &DraftHunk) -> Option<&str> {
    let is_old = |text: &str| hunk.old().iter().any(|line| line.text().is_some_and(|old| old.trim() == text.trim()));
    let mut added = hunk.lines.iter().filter(|line| !line.is_old()).filter_map(HunkLine::text);
    added.find(|text| is_worded_elision(text) && !is_old(text)).map(str::trim)
}

/// Says that the lines of a hunk are not there.
fn not_there(searched: &SearchedLines<'_>, hunk: &DraftHunk, hints: &mut Hints) -> String {
    let old = hunk.old();
    let text: Vec<String> = old.iter().map(|line| String::from_utf8_lossy(&line.content).into_owned()).collect();
    format!("its lines do not stand there{}", hints.nearest(&searched.lines, &text.join("\n")))
}

/// Most lines at the top of a file that a hunk may have left out which is said to begin it: what comes may stand above or below them.
/// Where more stand there, its number is merely wrong.
const TOP_LINES_MAX: usize = 3;

/// What was decided of a hunk: its places, and what was overlooked.
type ChosenPlaces<'a> = (Vec<HunkPlace<'a>>, Option<String>);

/// Chooses the places that are meant among those that were found.
fn chosen<'a>(
    searched: &SearchedLines<'_>,
    (hunk, index): (&'a DraftHunk, usize),
    found: FoundPlaces<'a>,
    trust: &NumberTrust,
    from: usize,
    hints: &mut Hints,
) -> Result<ChosenPlaces<'a>, String> {
    let FoundPlaces { tier, places } = found;
    let from = anchored(searched, hunk, from, hints)?;
    let starts: Vec<usize> = places.iter().map(|place| place.lines().start).collect();
    let below = starts.partition_point(|start| *start < from);
    let only = |index: usize| index..index + 1;
    let meant = match hunk.anchors.is_empty() {
        // An anchor leads downwards, or is itself the first of the lines.
        false => match starts.iter().position(|start| *start + 1 == from) {
            _ if below < starts.len() => only(below),
            Some(index) => only(index),
            None => return Err(not_there(searched, hunk, hints)),
        },
        true if hunk.occurrences != 1 || starts.len() == 1 => 0..starts.len(),
        true if hunk.is_by_number
            && let Some(index) = starts.iter().position(|start| Some(*start) == hunk.start) =>
        {
            only(index)
        }
        true if hunk.follows && starts.len() - below == 1 => only(below),
        true => {
            let told: usize = hunk.lines.iter().filter(|line| line.is_old() && !line.is_blank()).count();
            // Where lines differ or are left out, a number is not enough.
            let meant = trust.among(index, &starts, told).filter(|_| tier < MatchTier::Elided);
            meant.map_or(0..starts.len(), |start| starts.iter().position(|one| *one == start).map_or(0..0, only))
        }
    };
    if meant.len() != hunk.occurrences {
        return Err(not_one(&starts, hunk.occurrences));
    }
    let mut overlooked = Vec::new();
    if tier != MatchTier::Exact {
        overlooked.push(format!("overlooking {}", tier.overlooks()));
    }
    let starts = &starts[meant.clone()];
    if let [start @ 1..=TOP_LINES_MAX] = *starts
        && hunk.start == Some(0)
        && hunk.lines.first().is_some_and(|line| !line.is_old())
    {
        let way_out = "give the line above those that come";
        return Err(format!("begins the file, as its header says, but its lines stand below line {start}; {way_out}"));
    }
    if let Some(said) = hunk.start.filter(|said| *starts != [*said]) {
        overlooked.push(format!("on line {} instead of {}", starts[0] + 1, said.saturating_add(1)));
    }
    let note = (!overlooked.is_empty()).then(|| format!("its lines were found {}", overlooked.join(", ")));
    let places = places.into_iter().skip(meant.start).take(meant.len());
    let places = places.map(|placement| HunkPlace { hunk, lines: placement.lines(), tier, placement });
    Ok((places.collect(), note))
}

/// Says that lines stand in more or fewer places than are meant.
fn not_one(starts: &[usize], meant: usize) -> String {
    let distinct: BTreeSet<usize> = starts.iter().map(|start| start + 1).collect();
    let numbers: Vec<String> = distinct.iter().take(5).map(usize::to_string).collect();
    let place = match numbers.as_slice() {
        [only] if starts.len() > 1 => format!("in several ways from line {only} on"),
        numbers => format!("lines {}", numbers.join(", ")),
    };
    let count = starts.len();
    format!("its lines stand there {count} times where {meant} is meant ({place}); give more of the lines around them")
}

/// Refuses a hunk that may be cut: its header counts more lines than stand below it at the end of the text. A miscount is told from
/// that by the file, if it has not so many lines, or by the lines behind the last change, if no change can follow those.
fn uncut<'a>(
    searched: &SearchedLines<'_>,
    hunk: &DraftHunk,
    places: Vec<HunkPlace<'a>>,
) -> Result<Vec<HunkPlace<'a>>, String> {
    let Some((old, new)) = hunk.missing else { return Ok(places) };
    let behind = hunk.lines.iter().rev().take_while(|line| line.kind == HunkLineKind::Context).count();
    let end = places.last().map_or(0, |place| place.lines.end);
    let is_past = end + old > searched.lines.count();
    // As many lines stand behind the last change of a hunk as before its first; further changes would need still more.
    let before = hunk.lines.iter().take_while(|line| line.kind == HunkLineKind::Context).count();
    let is_told = old.max(new) <= behind.min(before) && end + old != searched.lines.count();
    if is_past || is_told {
        Ok(places)
    } else {
        Err("its header counts more lines than stand below it; it may be cut".to_owned())
    }
}

/// Returns the place of a hunk that has no line to be found by: nothing says where it is, but a number or an anchor.
fn bare<'a>(
    searched: &SearchedLines<'_>,
    (hunk, index): (&'a DraftHunk, usize),
    trust: &NumberTrust,
    from: usize,
    hints: &mut Hints,
) -> Result<ChosenPlaces<'a>, String> {
    let from = anchored(searched, hunk, from, hints)?;
    let start = numbered(&searched.lines, (hunk, index), trust, from)?;
    let lines = start..start + hunk.deletes;
    let placement = Placement::at(&hunk.lines, start);
    Ok((vec![HunkPlace { hunk, lines, tier: MatchTier::Exact, placement }], None))
}

/// Returns the line of a hunk that has none to be found by.
fn numbered(
    lines: &TextLines<'_>,
    (hunk, index): (&DraftHunk, usize),
    trust: &NumberTrust,
    from: usize,
) -> Result<usize, String> {
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
        (Some(start), _) if hunk.is_by_number || count == 0 || trust.holds(index) => Ok(start),
        (Some(start), _) => {
            let why = if trust.is_disproved() { "other hunks do not stand on theirs" } else { "nothing else shows it" };
            let line = start.saturating_add(1);
            Err(format!("adds lines at line {line} by its number alone, but {why}; give a line of context around them"))
        }
        (None, true) if hunk.follows || count == 0 => Ok(count),
        (None, true) => Err("adds lines, but nothing says where; give a line of context around them".to_owned()),
        (None, false) => Ok(from),
    }
}

/// Follows anchors; returns the line below the last one.
fn anchored(searched: &SearchedLines<'_>, hunk: &DraftHunk, from: usize, hints: &mut Hints) -> Result<usize, String> {
    let lines = &searched.lines;
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
