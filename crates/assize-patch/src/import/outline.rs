//! Where files and hunks stand in a unified diff, so that nothing of it is lost.
//!
//! Every line that may be a part of a change is accounted for, or named as a fault. The counts of a hunk's header are
//! believed where they fit the lines below it. Models count wrong, or write no numbers at all: then a hunk reaches as far as
//! its lines look like those of one. What the lines mean for a file must not be known here.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use assize_core::violation::Violation;

use super::hunk::{HunkLine, HunkLineKind, LineEndRule, OtherReading};
use crate::line::LineEnding;

/// What `diff` writes below a line that has no ending.
const NO_ENDING: &[u8] = b"\\ No newline at end of file";
/// What git calls a file without content: by SHA-1 and by SHA-256.
const EMPTY_FILES: [&[u8]; 2] =
    [b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", b"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"];
/// Shortest name of a commit, and that of one in full by SHA-1.
const COMMIT_DIGITS_MIN: usize = 7;
const COMMIT_DIGITS: usize = 40;

/// What a diff says of one file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DiffSection {
    /// On which line it begins, counted from 1.
    pub line: usize,
    /// Its header, without what stands around it.
    pub header: Vec<u8>,
    /// Its hunks.
    pub hunks: Vec<OutlinedHunk>,
    /// What was overlooked to read its hunks, by line.
    pub notes: Vec<(usize, String)>,
    /// Its binary patch, as it stands there.
    pub binary: Vec<u8>,
    /// Whether it begins with `diff --git`.
    pub is_git: bool,
    /// Whether a program printed it, outside of a code fence.
    pub is_printed: bool,
    /// Whether somebody gave every line of the diff the ending `\r\n`.
    pub is_crlf: bool,
    /// Whether it is the first of a further commit.
    pub is_anew: bool,
    /// The line behind its last one.
    until: usize,
}

/// A hunk as it stands in a diff.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OutlinedHunk {
    /// The line of its header, counted from 1; its first one if it has no header.
    pub line: usize,
    /// On which line the old text begins, as the header says it, and whether it says that there is none.
    pub start: Option<(usize, bool)>,
    /// Its lines.
    pub lines: Vec<HunkLine>,
    /// How its lines may be read otherwise, where its header says so.
    pub other: Option<OtherReading>,
    /// How many old and new lines it lacks by its header, where the text ends below it and may be cut.
    pub missing: Option<(usize, usize)>,
    /// Whether its header counts other lines than stand below it.
    pub is_miscounted: bool,
}

impl DiffSection {
    /// Whether its header says that the file held something before.
    pub fn had_content(&self) -> bool {
        self.base().is_some_and(|hash| !is_nothing(hash))
    }

    /// Returns by which hash its header names the file as it was.
    pub fn base(&self) -> Option<&[u8]> {
        self.hashes()?.split(|byte| *byte == b'.').next()
    }

    /// Returns by which hashes its header names the file as it was and as it becomes.
    pub fn hashes(&self) -> Option<&[u8]> {
        self.header.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"index "))
    }
}

/// Finds the files of a diff. Text before, between and behind them is allowed.
///
/// # Errors
///
/// Lists with their lines what belongs to a change, but to no file and no hunk.
pub(super) fn sections(text: &[u8]) -> Result<Vec<DiffSection>, Vec<Violation>> {
    let mut reader = OutlineReader::of(text);
    // Where counts are wrong above, they prove nothing of a cut here.
    let count_wrong = |hunk: &OutlinedHunk| hunk.is_miscounted && hunk.missing.is_none();
    let hunks = || reader.sections.iter().flat_map(|section| &section.hunks);
    if hunks().any(count_wrong) {
        reader.sections.iter_mut().flat_map(|section| &mut section.hunks).for_each(|hunk| hunk.missing = None);
    }
    reader.sections.iter_mut().for_each(read_once);
    if reader.faults.is_empty() { Ok(reader.sections) } else { Err(reader.faults) }
}

/// Removes the hunks of a file that are the same as one above, numbers and all: both would change the same lines.
fn read_once(section: &mut DiffSection) {
    let mut firsts: BTreeMap<u64, usize> = BTreeMap::new();
    let mut hunks: Vec<OutlinedHunk> = Vec::with_capacity(section.hunks.len());
    for hunk in section.hunks.drain(..) {
        let mut hasher = DefaultHasher::new();
        hunk.lines.iter().for_each(|line| line.content.hash(&mut hasher));
        let first = *firsts.entry(hasher.finish()).or_insert(hunks.len());
        match hunks.get(first) {
            Some(same) if same.is_again(&hunk) => {
                let note = format!("is the same as the hunk on line {}, and is read once", same.line);
                section.notes.push((hunk.line, note));
            }
            _ => hunks.push(hunk),
        }
    }
    section.hunks = hunks;
}

impl OutlinedHunk {
    /// Whether another hunk says the same. One that may be cut may have said more.
    fn is_again(&self, other: &Self) -> bool {
        let is_whole = self.missing.is_none() && other.missing.is_none();
        is_whole && self.start == other.start && self.is_miscounted == other.is_miscounted && self.lines == other.lines
    }
}

/// Returns the lines of each file of a diff, sound or not.
pub(super) fn stretches(text: &[u8]) -> Vec<Range<usize>> {
    OutlineReader::of(text).sections.iter().map(|section| section.line..section.until).collect()
}

/// Where the reader is.
#[derive(Clone, Copy)]
enum OutlineState {
    /// Outside of any change.
    Apart,
    /// Within the header of a file.
    Head(DiffHeader),
    /// Behind a hunk; whether nothing but blank lines stands between, and whether its header is right.
    Behind { directly: bool, is_counted: bool },
    /// Within the two blocks of a binary patch.
    Binary,
    /// Behind a fault of a file, within its lines or below them; the rest of it is passed over.
    Lost { within: bool },
}

/// What a header has said so far.
#[derive(Clone, Copy, Default)]
struct DiffHeader {
    /// `---`: hunks have to follow.
    is_named: bool,
    /// `+++`: the header is complete.
    is_complete: bool,
    /// Another hash before and after: hunks have to follow as well.
    is_changed: bool,
    /// A change of mode or name, which needs no hunk.
    says_more: bool,
}

struct OutlineReader<'t> {
    lines: Vec<&'t [u8]>,
    /// The line that is read, counted from 1.
    number: usize,
    state: OutlineState,
    /// Whether a commit began since the last file.
    is_anew: bool,
    /// Whether a code fence is open.
    is_fenced: bool,
    /// Whether the last hunk was ended by the end of its fence.
    was_fenced: bool,
    sections: Vec<DiffSection>,
    faults: Vec<Violation>,
}

impl<'t> OutlineReader<'t> {
    /// Reads a whole diff.
    fn of(text: &'t [u8]) -> Self {
        let mut reader = Self {
            lines: text.split_inclusive(|byte| *byte == b'\n').collect(),
            number: 0,
            state: OutlineState::Apart,
            is_anew: false,
            is_fenced: false,
            was_fenced: false,
            sections: Vec::new(),
            faults: Vec::new(),
        };
        while reader.number < reader.lines.len() {
            reader.number += 1;
            reader.line();
            if matches!(reader.state, OutlineState::Lost { within: true }) {
                reader.reach();
            }
        }
        reader.end();
        reader
    }

    /// Returns a line by its number, which counts from 1; an empty one behind the last.
    fn at(&self, number: usize) -> &'t [u8] {
        self.lines.get(number - 1).copied().unwrap_or_default()
    }

    fn fault(&mut self, line: usize, message: &str) {
        self.faults.push(Violation::new(format!("line {line}"), message));
        let within = matches!(self.state, OutlineState::Head(_) | OutlineState::Lost { within: true });
        self.state = OutlineState::Lost { within };
    }

    /// Has the file reach to the line that is read.
    fn reach(&mut self) {
        if let Some(section) = self.sections.last_mut() {
            section.until = self.number + 1;
        }
    }

    /// Takes a line up into the header of the file.
    fn take(&mut self, line: &[u8]) {
        self.reach();
        if let Some(section) = self.sections.last_mut() {
            let content = line.strip_suffix(b"\r\n").filter(|_| section.is_crlf);
            let content = content.or_else(|| line.strip_suffix(b"\n")).unwrap_or(line);
            section.header.extend_from_slice(&[content, b"\n"].concat());
        }
    }

    fn line(&mut self) {
        let (line, next) = (self.at(self.number), self.at(self.number + 1));
        let is_pair = line.starts_with(b"--- ") && next.starts_with(b"+++ ");
        // One name alone will do, but below a hunk it may as well be a line of it.
        let is_lone = matches!(self.state, OutlineState::Apart)
            && (line.starts_with(b"--- ") || line.starts_with(b"+++ "))
            && next.starts_with(b"@@")
            && !next.starts_with(b"@@@")
            || self.is_at_hunk() && self.is_new_name(self.number);
        if line.starts_with(b"\\") && !line.starts_with(NO_ENDING) && self.is_at_hunk() {
            self.fault(self.number, "begins with a backslash, but is not `\\ No newline at end of file`");
            return;
        }
        if self.head_line(line) || self.binary_line(line) {
            return;
        }
        if line.starts_with(b"diff --git ") {
            self.open(line, true);
        } else if is_pair || is_lone {
            self.open(line, false);
        } else if line.starts_with(b"@@") {
            self.hunk(line);
        } else if matches!(self.state, OutlineState::Head(head) if head.is_complete)
            && matches!(line.first(), Some(b' ' | b'+' | b'-'))
        {
            self.body(HunkHead { line: self.number, numbers: None, marked: None }, self.number);
        } else {
            self.other(line, next);
        }
    }

    fn is_at_hunk(&self) -> bool {
        matches!(self.state, OutlineState::Behind { .. })
    }

    /// Begins a file.
    fn open(&mut self, line: &[u8], is_git: bool) {
        self.end();
        self.was_fenced = false;
        self.sections.push(DiffSection {
            line: self.number,
            header: Vec::new(),
            hunks: Vec::new(),
            notes: Vec::new(),
            binary: Vec::new(),
            is_git,
            is_printed: !self.is_fenced && (is_git || self.is_of_program(line)),
            is_crlf: line.ends_with(b"\r\n"),
            is_anew: std::mem::take(&mut self.is_anew) && !self.sections.is_empty(),
            until: self.number,
        });
        self.state = OutlineState::Head(DiffHeader { is_named: !is_git, ..DiffHeader::default() });
        if line.starts_with(b"+++ ") {
            self.state = OutlineState::Head(DiffHeader { is_named: true, is_complete: true, ..DiffHeader::default() });
        }
        self.take(line);
    }

    /// Whether the first line of a file has what only programs write: the date of the file, or a line above with the command, or with
    /// the name of the file.
    fn is_of_program(&self, line: &[u8]) -> bool {
        let above = if self.number > 1 { self.at(self.number - 1) } else { b"" };
        let dated =
            memchr::memchr(b'\t', line).is_some_and(|tab| line[tab + 1..].first().is_some_and(u8::is_ascii_digit));
        dated || [&b"diff "[..], b"Index: ", b"======"].iter().any(|words| above.starts_with(words))
    }

    /// Ends what has begun.
    fn end(&mut self) {
        let line = self.sections.last().map_or(0, |section| section.line);
        match self.state {
            OutlineState::Head(head) if head.is_named || head.is_changed || !head.says_more => {
                self.fault(line, "no hunk stands below it; it may be cut");
            }
            _ => {}
        }
    }

    /// Takes a line up into the header of a file, if it belongs there.
    fn head_line(&mut self, line: &[u8]) -> bool {
        let OutlineState::Head(head) = &mut self.state else { return false };
        let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word.as_bytes()));
        if begins(&["old mode ", "new mode ", "new file mode ", "deleted file mode ", "rename ", "copy "]) {
            head.says_more = true;
        } else if let Some(hashes) = line.strip_prefix(b"index ") {
            head.is_changed = is_change(hashes);
        } else if line.starts_with(b"--- ") && !head.is_named {
            head.is_named = true;
        } else if line.starts_with(b"+++ ") && !head.is_complete {
            head.is_complete = true;
        } else if is_blank(line) && head.is_complete {
            return self.skip_to_hunk();
        } else if !begins(&["similarity index ", "dissimilarity index "]) {
            return false;
        }
        self.take(line);
        true
    }

    /// Passes over the empty lines between the header of a file and that of its first hunk.
    fn skip_to_hunk(&mut self) -> bool {
        let text = (self.number..=self.lines.len()).find(|number| !is_blank(self.at(*number)));
        let hunk = text.filter(|number| is_hunk_header(self.at(*number)));
        self.number = hunk.map_or(self.number, |number| number - 1);
        hunk.is_some()
    }

    /// Takes a line up into a binary patch.
    fn binary_line(&mut self, line: &[u8]) -> bool {
        if matches!(self.state, OutlineState::Head(_)) && line.trim_ascii_end() == BINARY {
            self.state = OutlineState::Binary;
        } else if !matches!(self.state, OutlineState::Binary) {
            return false;
        }
        let content = line.trim_ascii_end();
        let is_block = content.starts_with(b"literal ") || content.starts_with(b"delta ");
        // A line of data says its length with a letter, and has no blank.
        let is_data = content.first().is_some_and(u8::is_ascii_alphabetic) && !content.contains(&b' ');
        if content != BINARY && !content.is_empty() && !is_block && !is_data || content == b"--" {
            self.state = OutlineState::Apart;
            return false;
        }
        self.reach();
        if let Some(section) = self.sections.last_mut() {
            section.binary.extend_from_slice(&[content, b"\n"].concat());
        }
        true
    }

    /// Begins a hunk.
    fn hunk(&mut self, line: &[u8]) {
        let is_of_file = match self.state {
            OutlineState::Head(_) => true,
            OutlineState::Behind { directly, .. } => directly,
            // A further code fence continues the same file.
            OutlineState::Apart => {
                let is_first = self.number > 1 && is_fence(self.at(self.number - 1)) && self.is_fenced;
                is_first && self.sections.last().is_some_and(|section| !section.hunks.is_empty())
            }
            OutlineState::Binary | OutlineState::Lost { .. } => false,
        };
        if !is_of_file {
            if !matches!(self.state, OutlineState::Lost { .. }) {
                self.fault(
                    self.number,
                    "a hunk has to stand below the header of its file, or below another hunk of it",
                );
            }
        } else if line.starts_with(b"@@@") {
            self.fault(self.number, "is of the diff of a merge, which is not taken; compare with one of its parents");
        } else {
            let numbers = numbers(line);
            let (marked, from) = match self.start_marker(self.number + 1).filter(|_| numbers.is_none()) {
                Some((start, from)) => (Some(start), from),
                None => (None, self.number + 1),
            };
            self.body(HunkHead { line: self.number, numbers, marked }, from);
        }
    }

    /// Reads the number that models write below a header where they know it from search/replace blocks: `:start_line:12`.
    /// Returns it with the line below.
    fn start_marker(&self, number: usize) -> Option<(usize, usize)> {
        let word = |number: usize, name: &str| -> Option<usize> {
            std::str::from_utf8(self.at(number)).ok()?.trim_end().strip_prefix(name)?.trim().parse().ok()
        };
        let start = word(number, ":start_line:").filter(|start| *start > 0)?;
        let below = number + 1 + usize::from(word(number + 1, ":end_line:").is_some());
        // Dashes may also be a line that goes, but then a line of context stands above it, unless the file begins there.
        let is_rule = self.at(below).trim_ascii_end() == b"-------";
        let is_above_context = matches!(self.at(below + 1), [b' ', rest @ ..] if !rest.trim_ascii().is_empty());
        Some((start, below + usize::from(is_rule && is_above_context && start > 1)))
    }

    /// Takes up the lines of a hunk, which begin on line `from`.
    fn body(&mut self, head: HunkHead, from: usize) {
        let HunkHead { line, numbers, marked } = head;
        let exactly = numbers.and_then(|numbers| self.counted(from, numbers, |_, line| LineSign::of(line)));
        let repaired = numbers.filter(|_| exactly.is_none()).and_then(|numbers| self.repaired(from, numbers));
        let (signs, other) = match (exactly, repaired) {
            (Some(signs), _) => (signs, None),
            (None, Some(Repair::SignsLost(signs))) => {
                let all: Vec<LineSign> = signs.iter().map(|sign| sign.unsigned_context()).collect();
                let lines = self.lines_of(from, &all);
                let is_needed = !self.is_fenced;
                (signs, Some(OtherReading { lines, why: OtherReading::SIGNS_LOST, is_needed, is_told: true }))
            }
            (None, repaired) => {
                let until = self.loosely(from, numbers);
                let other = match repaired {
                    Some(Repair::AddedBlanks(signs)) => Some(self.plus_lost(from, &signs)),
                    _ => None,
                };
                ((from..until).map(|number| LineSign::loosely(self.at(number))).collect(), other)
            }
        };
        let until = from + signs.len();
        let lines = self.lines_of(from, &signs);
        if lines.is_empty() {
            self.number = line;
            self.fault(line, "no line of a hunk stands below it; it may be cut");
            return;
        }
        let count = |other: HunkLineKind| lines.iter().filter(|line| line.kind != other).count();
        let (old, new) = (count(HunkLineKind::Added), count(HunkLineKind::Removed));
        let is_miscounted = numbers.is_some_and(|numbers| (numbers.old, numbers.new) != (old, new));
        let is_last = (until..=self.lines.len()).all(|number| self.at(number).trim_ascii().is_empty());
        let missing = numbers.filter(|_| is_miscounted && is_last);
        let missing = missing.and_then(|numbers| numbers.old.checked_sub(old).zip(numbers.new.checked_sub(new)));
        let is_old = lines.iter().any(|line| line.kind != HunkLineKind::Added);
        // Of lines that only come, a number alone does not say whether it counts the line above.
        let marked = marked.filter(|_| is_old).map(|start| (start, false));
        let start = numbers.map(|numbers| (numbers.start, numbers.old == 0)).or(marked);
        self.number = until - 1;
        self.reach();
        if let Some(section) = self.sections.last_mut() {
            if is_miscounted {
                section.notes.push((line, "its header counts other lines than stand below it".to_owned()));
            }
            section.hunks.push(OutlinedHunk { line, start, lines, other, missing, is_miscounted });
        }
        self.state = OutlineState::Behind { directly: true, is_counted: numbers.is_some() && !is_miscounted };
    }

    /// Returns the lines of a hunk, which have these signs from line `from` on.
    fn lines_of(&self, from: usize, signs: &[LineSign]) -> Vec<HunkLine> {
        // That the diff lost its own last ending says nothing of the file.
        let is_crlf = self.sections.last().is_some_and(|section| section.is_crlf);
        let usual = if is_crlf { LineEnding::CrLf } else { LineEnding::Lf };
        let mut lines: Vec<HunkLine> = Vec::with_capacity(signs.len());
        for (number, sign) in (from..).zip(signs) {
            let (kind, is_signed) = match *sign {
                LineSign::Line { kind, is_signed } => (kind, is_signed),
                LineSign::NoEnding => {
                    if let Some(last) = lines.last_mut() {
                        // Its return belongs to the line, unless somebody gave one to every line of the diff.
                        if last.end == LineEndRule::Marked(Some(LineEnding::CrLf)) && usual == LineEnding::Lf {
                            last.content.push(b'\r');
                        }
                        last.end = LineEndRule::Marked(None);
                    }
                    continue;
                }
            };
            let content = self.at(number).get(usize::from(is_signed)..).unwrap_or_default();
            let (content, ending) = match (content.strip_suffix(b"\r\n"), content.strip_suffix(b"\n")) {
                (Some(content), _) => (content, LineEnding::CrLf),
                (None, Some(content)) => (content, LineEnding::Lf),
                (None, None) => (content, usual),
            };
            lines.push(HunkLine { kind, content: content.to_vec(), end: LineEndRule::Marked(Some(ending)) });
        }
        lines
    }

    fn plus_lost(&self, from: usize, signs: &[LineSign]) -> OtherReading {
        let lines = self.lines_of(from, signs);
        OtherReading { lines, why: OtherReading::PLUS_LOST, is_needed: false, is_told: true }
    }

    /// Returns the signs of a hunk that is as long as its header says; nothing if its lines, or those below, do not fit that.
    fn counted(
        &self,
        from: usize,
        numbers: HunkNumbers,
        sign: impl Fn(usize, &[u8]) -> Option<LineSign>,
    ) -> Option<Vec<LineSign>> {
        let (mut old, mut new, mut signs) = (numbers.old, numbers.new, Vec::new());
        loop {
            let line = self.at(from + signs.len());
            if (old, new) == (0, 0) && !line.starts_with(NO_ENDING) {
                break;
            }
            let sign = sign(signs.len(), line)?;
            (old, new) = match sign {
                LineSign::Line { kind: HunkLineKind::Context, .. } => old.checked_sub(1).zip(new.checked_sub(1))?,
                LineSign::Line { kind: HunkLineKind::Removed, .. } => (old.checked_sub(1)?, new),
                LineSign::Line { kind: HunkLineKind::Added, .. } => (old, new.checked_sub(1)?),
                LineSign::NoEnding => (old, new),
            };
            signs.push(sign);
        }
        (!signs.is_empty() && !self.goes_on(from + signs.len())).then_some(signs)
    }

    /// Reads the lines of a hunk that are not as many as its header counts, but would be if they had not lost their signs.
    fn repaired(&self, from: usize, numbers: HunkNumbers) -> Option<Repair> {
        let added = || self.with_added_blanks(from, numbers).map(Repair::AddedBlanks);
        let lost = || self.with_lost_signs(from, numbers).map(Repair::SignsLost);
        added().or_else(lost)
    }

    /// Reads empty lines as added: those beside added ones, or else all of them. Below the last line of a hunk, an empty one only
    /// parts it from what follows.
    fn with_added_blanks(&self, from: usize, numbers: HunkNumbers) -> Option<Vec<LineSign>> {
        let signs: Vec<LineSign> = (from..).map_while(|number| LineSign::of(self.at(number))).collect();
        let beside = spread_to_blanks(&signs, |index| is_blank(self.at(from + index)));
        let all = |index: usize| {
            if is_blank(self.at(from + index)) { Some(LineSign::ADDED_BLANK) } else { signs.get(index).copied() }
        };
        let counted = self.counted(from, numbers, |index, _| beside.get(index).copied());
        let counted = counted.or_else(|| self.counted(from, numbers, |index, _| all(index)))?;
        let is_whole = counted.last() != Some(&LineSign::ADDED_BLANK);
        (is_whole && counted.contains(&LineSign::ADDED_BLANK)).then_some(counted)
    }

    /// Reads lines without a sign as context. One of them has to stand above the last change, since words may follow that.
    fn with_lost_signs(&self, from: usize, numbers: HunkNumbers) -> Option<Vec<LineSign>> {
        let is_part = |line: &[u8]| !line.is_empty() && !line.starts_with(b"@@") && !ends_diff(line, b"");
        let counted = self.counted(from, numbers, |_, line| is_part(line).then(|| LineSign::loosely(line)))?;
        let until = from + counted.len();
        let is_change = |sign: &LineSign| sign.is_signed() && *sign != LineSign::CONTEXT;
        let last = counted.iter().rposition(is_change)?;
        let is_lost = |(number, sign): (usize, &LineSign)| !sign.is_signed() && !is_blank(self.at(number));
        let is_told = (from..).zip(&counted[..last]).any(is_lost);
        let is_over = is_blank(self.at(until)) || self.at(until).is_empty() || self.at(until).starts_with(b"@@");
        (is_told && (is_over || self.ends_hunk(until))).then_some(counted)
    }

    /// Whether lines that belong to the hunk above stand on a line or further down.
    fn goes_on(&self, number: usize) -> bool {
        let is_like = |line: &[u8]| matches!(line.first(), Some(b' ' | b'+' | b'-')) || matches!(line, b"\n" | b"\r\n");
        let below = (number..=self.lines.len()).take_while(|at| is_like(self.at(*at)) && !self.ends_hunk(*at));
        let is_more = |line: &[u8], is_direct: bool| match line.first() {
            Some(b'+' | b'-') => is_direct || self.is_fenced || !is_list(line),
            Some(b' ') => is_direct,
            _ => false,
        };
        let is_direct = |at: usize| (number..at).all(|above| !self.at(above).trim_ascii().is_empty());
        below.into_iter().any(|at| is_more(self.at(at), is_direct(at)))
    }

    /// Returns the line behind a hunk whose length nothing says: behind the last line that looks like one of it.
    fn loosely(&self, from: usize, numbers: Option<HunkNumbers>) -> usize {
        let counted = numbers.map_or(0, |numbers| numbers.old.max(numbers.new));
        let (mut until, mut at) = (from, from);
        while at <= self.lines.len() && !self.ends_hunk(at) {
            // Lines up to a blank one.
            // In a code fence, a line of context may have lost its blank.
            let is_line = |line: &[u8]| match line.first() {
                Some(b' ' | b'+' | b'-') => true,
                Some(b'\\') => line.starts_with(NO_ENDING),
                Some(b'@' | b'\n' | b'\r') | None => false,
                Some(_) => self.is_fenced,
            };
            let begin = at;
            while at <= self.lines.len() && is_line(self.at(at)) && !self.ends_hunk(at) {
                at += 1;
            }
            let is_told = |line: &[u8]| matches!(line.first(), Some(b' ' | b'-')) && line.len() > 2;
            let is_close = at - from <= counted.saturating_add(1);
            if at == begin
                || !(self.is_fenced || until == from || is_close || (begin..at).any(|line| is_told(self.at(line))))
            {
                break;
            }
            until = at;
            while at <= self.lines.len() && matches!(self.at(at), b"\n" | b"\r\n") {
                at += 1;
            }
        }
        until
    }

    /// Whether a line is none of a hunk, even if it looks like one.
    fn ends_hunk(&self, number: usize) -> bool {
        let (line, next) = (self.at(number), self.at(number + 1));
        let is_pair = line.starts_with(b"--- ") && next.starts_with(b"+++ ") && self.is_hunk(number + 2);
        is_pair || self.is_new_name(number) || ends_diff(line, next)
    }

    /// Whether a hunk begins on a line, or its header stands below empty ones.
    fn is_hunk(&self, number: usize) -> bool {
        let begins = |line: &[u8]| line.starts_with(b"@@") || matches!(line.first(), Some(b' ' | b'-' | b'+'));
        let below = || (number..=self.lines.len()).find(|number| !is_blank(self.at(*number)));
        begins(self.at(number)) || below().is_some_and(|number| is_hunk_header(self.at(number)))
    }

    /// Whether a line is the header of a file that has nothing but `+++`: a hunk stands below it, and nothing right above.
    fn is_new_name(&self, number: usize) -> bool {
        let (line, next) = (self.at(number), self.at(number + 1));
        let is_apart = number == 1 || is_blank(self.at(number - 1)) || is_fence(self.at(number - 1));
        let is_file = |name: &[u8]| name.starts_with(b"b/") || memchr::memchr2(b'/', b'.', name).is_some();
        is_apart && line.strip_prefix(b"+++ ").is_some_and(is_file) && is_hunk_header(next)
    }

    /// Whether a line is that of a list in words below a hunk, which is as long as its header says.
    fn is_list(&self, line: &[u8]) -> bool {
        let is_apart = self.number > 1 && self.at(self.number - 1).trim_ascii().is_empty();
        match self.state {
            OutlineState::Behind { directly, is_counted: true } => (!directly || is_apart) && is_list(line),
            _ => false,
        }
    }

    /// Looks at a line that belongs to no header and no hunk.
    fn other(&mut self, line: &[u8], next: &[u8]) {
        let of_file = match self.state {
            OutlineState::Head(_) => self.sections.last().map_or(self.number, |section| section.line),
            _ => self.number,
        };
        if is_fence(line) {
            self.was_fenced |= self.is_fenced && self.is_at_hunk();
            self.is_fenced = !self.is_fenced;
        }
        if is_binary(line) {
            self.fault(of_file, "is a binary file, and its content is not there; compare with `git diff --binary`");
        } else if matches!(self.state, OutlineState::Head(_)) {
            self.end();
            self.state = OutlineState::Apart;
        } else if self.is_at_hunk() {
            if ends_diff(line, next) {
                self.state = OutlineState::Apart;
            } else if self.is_list(line) {
                // Words below a diff.
            } else if matches!(line.first(), Some(b'+' | b'-' | b'\\')) {
                self.fault(
                    self.number,
                    "stands behind a hunk and belongs to none; the header of the hunk may count too few lines",
                );
            }
        }
        if let OutlineState::Behind { directly, .. } = &mut self.state {
            *directly &= line.trim_ascii().is_empty();
        }
        // A fence within the lines of a hunk that lost their blanks seems to end it.
        let is_rule = line.trim_ascii_end().iter().all(|byte| *byte == b'-');
        if self.was_fenced
            && matches!(self.state, OutlineState::Apart)
            && matches!(line.first(), Some(b'+' | b'-'))
            && !is_rule
            && !is_list(line)
        {
            self.fault(
                self.number,
                "stands behind a code fence and belongs to no hunk; a hunk may be cut by its own lines",
            );
        }
        self.is_anew |= names_commit(line);
    }
}

/// Whether a line is that of a list: no code begins with a single blank.
fn is_list(line: &[u8]) -> bool {
    matches!(line, [b'-' | b'+', b' ', first, ..] if !first.is_ascii_whitespace())
}

/// Whether nothing at all stands in a line. One with blanks may be a line of context.
fn is_blank(line: &[u8]) -> bool {
    matches!(line, b"\n" | b"\r\n")
}

fn is_hunk_header(line: &[u8]) -> bool {
    line.starts_with(b"@@") && !line.starts_with(b"@@@")
}

fn is_fence(line: &[u8]) -> bool {
    line.starts_with(b"```") || line.starts_with(b"~~~")
}

const BINARY: &[u8] = b"GIT binary patch";

/// How a line of a hunk is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineSign {
    /// It stays, goes or comes; whether it begins with the sign of that.
    Line { kind: HunkLineKind, is_signed: bool },
    /// It says that the line above has no ending.
    NoEnding,
}

impl LineSign {
    const CONTEXT: Self = Self::Line { kind: HunkLineKind::Context, is_signed: true };
    const BARE: Self = Self::Line { kind: HunkLineKind::Context, is_signed: false };
    const ADDED_BLANK: Self = Self::Line { kind: HunkLineKind::Added, is_signed: false };

    /// Reads a line that has its sign; only an empty one may lack it.
    fn of(line: &[u8]) -> Option<Self> {
        let is_signed = matches!(line.first(), Some(b' ' | b'+' | b'-')) || line.starts_with(NO_ENDING);
        (is_signed || is_blank(line)).then(|| Self::loosely(line))
    }

    /// Reads a line; one without a sign is context.
    fn loosely(line: &[u8]) -> Self {
        match line.first() {
            Some(b'-') => Self::Line { kind: HunkLineKind::Removed, is_signed: true },
            Some(b'+') => Self::Line { kind: HunkLineKind::Added, is_signed: true },
            Some(b' ') => Self::CONTEXT,
            Some(b'\\') if line.starts_with(NO_ENDING) => Self::NoEnding,
            _ => Self::BARE,
        }
    }

    fn is_signed(self) -> bool {
        matches!(self, Self::Line { is_signed: true, .. })
    }

    /// Returns a line of context without a sign; others as they are.
    fn unsigned_context(self) -> Self {
        if self == Self::CONTEXT { Self::BARE } else { self }
    }
}

/// Returns the signs of lines, of which empty ones beside added ones are added as well.
fn spread_to_blanks(signs: &[LineSign], is_blank: impl Fn(usize) -> bool) -> Vec<LineSign> {
    let is_added = |sign: LineSign| matches!(sign, LineSign::Line { kind: HunkLineKind::Added, .. });
    let mut signs = signs.to_vec();
    let down = (1..signs.len()).map(|at| (at, at - 1));
    let up = (1..signs.len()).rev().map(|at| (at - 1, at));
    for (at, beside) in down.chain(up) {
        if is_blank(at) && is_added(signs[beside]) {
            signs[at] = LineSign::ADDED_BLANK;
        }
    }
    signs
}

/// What the header of a hunk shows of signs that lines below it have lost.
enum Repair {
    /// Empty lines are added.
    AddedBlanks(Vec<LineSign>),
    /// Lines without a sign are context. Whether those that begin with blanks have lost one as well is not known.
    SignsLost(Vec<LineSign>),
}

/// What stands above the lines of a hunk.
#[derive(Clone, Copy)]
struct HunkHead {
    /// The line of its header; its first one if it has none.
    line: usize,
    numbers: Option<HunkNumbers>,
    /// The number below its header.
    marked: Option<usize>,
}

/// What the header of a hunk says in numbers.
#[derive(Clone, Copy)]
struct HunkNumbers {
    start: usize,
    old: usize,
    new: usize,
}

/// Reads where a hunk begins and how many old and new lines it has: `@@ -1,3 +1,4 @@`, where `,1` may be left out.
fn numbers(line: &[u8]) -> Option<HunkNumbers> {
    let line = String::from_utf8_lossy(line);
    let mut words = line.strip_prefix("@@")?.split_whitespace();
    let range = |word: &str| match word.split_once(',') {
        Some((start, count)) => start.parse::<usize>().ok().zip(count.parse::<usize>().ok()),
        None => word.parse::<usize>().ok().zip(Some(1)),
    };
    let (start, old) = range(words.next()?.strip_prefix('-')?)?;
    let (_, new) = range(words.next()?.strip_prefix('+')?)?;
    Some(HunkNumbers { start, old, new })
}

/// Whether `0123abc..4567def 100644` says that a file has another content.
fn is_change(hashes: &[u8]) -> bool {
    let hashes = hashes.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    !hashes.split(|byte| *byte == b'.').all(is_nothing)
}

/// Whether a hash is that of no file or of an empty one.
fn is_nothing(hash: &[u8]) -> bool {
    hash.iter().all(|digit| *digit == b'0') || EMPTY_FILES.iter().any(|empty| empty.starts_with(hash))
}

fn is_binary(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    line.starts_with(b"Binary files ") && line.ends_with(b" differ")
}

/// Whether no line of a hunk can follow: what programs write between diffs and behind them, and the end of a code fence.
fn ends_diff(line: &[u8], next: &[u8]) -> bool {
    let is_signature = line.trim_ascii_end() == b"--" && !matches!(next.first(), Some(b'+' | b'-' | b' '));
    let begins = [&b"```"[..], b"~~~", b"diff ", b"Index: ", b"Only in "];
    is_signature || names_commit(line) || begins.iter().any(|words| line.starts_with(words))
}

/// Whether a line begins a commit, as `git log`, `git log --oneline --no-abbrev` and `git format-patch` write it.
fn names_commit(line: &[u8]) -> bool {
    let named = line.strip_prefix(b"commit ").or_else(|| line.strip_prefix(b"From "));
    let least = if named.is_some() { COMMIT_DIGITS_MIN } else { COMMIT_DIGITS };
    let name = named.unwrap_or(line);
    let digits = name.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    digits >= least && name.get(digits).is_none_or(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the line of each file with those of its hunks, or the faults.
    fn outlined(text: &str) -> Result<Vec<(usize, Vec<usize>)>, Vec<String>> {
        match sections(text.as_bytes()) {
            Ok(found) => Ok(found
                .into_iter()
                .map(|section| (section.line, section.hunks.iter().map(|hunk| hunk.line).collect()))
                .collect()),
            Err(faults) => Err(faults.iter().map(Violation::to_string).collect()),
        }
    }

    const FILE: &str = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+A\n";

    #[test]
    fn files_and_hunks_are_found_among_other_text() {
        let plain = FILE.trim_start_matches("diff --git a/f b/f\n");
        for (text, expected) in [
            (FILE.to_owned(), vec![(1, vec![4])]),
            (format!("Prose\n- with a list\n\n{FILE}\nMore.\n* of it\n"), vec![(4, vec![7])]),
            (format!("```diff\n{FILE}```\n- a list\n"), vec![(2, vec![5])]),
            (format!("{FILE}-- \n2.47.3\n\n+ x\n"), vec![(1, vec![4])]),
            (format!("{FILE}{FILE}"), vec![(1, vec![4]), (7, vec![10])]),
            (format!("{FILE}{plain}{FILE}"), vec![(1, vec![4]), (7, vec![9]), (12, vec![15])]),
            (format!("{FILE}\n\n{plain}"), vec![(1, vec![4]), (9, vec![11])]),
            (format!("{FILE}\\ No newline at end of file\n@@ -3,0 +4 @@\n+x\n"), vec![(1, vec![4, 8])]),
            ("--- f\n@@ -1,2 +1 @@\n--- a\n+++ b\n-\n".to_owned(), vec![(1, vec![2])]),
            ("diff --git a/x b/y\nrename from x\nrename to y\n\ncommit 1\n".to_owned(), vec![(1, vec![])]),
            ("diff --git a/x b/x\nnew file mode 100644\nindex 000..e69de29\n".to_owned(), vec![(1, vec![])]),
            ("diff --git a/x b/x\ndeleted file mode 100755\nindex 473a0f4..0\n".to_owned(), vec![(1, vec![])]),
            ("--- one thing\n\n+++ another\n".to_owned(), vec![]),
        ] {
            assert_eq!(outlined(&text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_would_be_lost_is_named_with_its_line() {
        let behind = "stands behind a hunk and belongs to none; the header of the hunk may count too few lines";
        let apart = "a hunk has to stand below the header of its file, or below another hunk of it";
        let bare = "no hunk stands below it; it may be cut";
        for (text, expected) in [
            (format!("{FILE}\n+b\n"), format!("line 8: {behind}")),
            (format!("{FILE}b\n+B\n"), format!("line 8: {behind}")),
            (
                format!("```\n{FILE}```\n+b\n```\n"),
                "line 9: stands behind a code fence and belongs to no hunk; a hunk may be cut by its own lines"
                    .to_owned(),
            ),
            (format!("{FILE}\nb\n@@ -3 +3 @@\n-c\n+C\n"), format!("line 9: {apart}")),
            ("x\n@@ -1 +1 @@\n-a\n+A\n".to_owned(), format!("line 2: {apart}")),
            (format!("{FILE}@@ -3 +3 @@\n"), "line 7: no line of a hunk stands below it; it may be cut".to_owned()),
            ("--- a/f\n+++ b/f\n".to_owned(), format!("line 1: {bare}")),
            ("diff --git a/f b/f\nindex 1234567..89abcde 100644\n".to_owned(), format!("line 1: {bare}")),
            (
                format!("diff --git a/f b/f\nnew file mode 100644\nindex 0000000..e69de28\n{FILE}"),
                format!("line 1: {bare}"),
            ),
            (
                "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n".to_owned(),
                format!("line 1: {bare}"),
            ),
            (
                format!("{FILE}\\ Kein Zeilenumbruch am Dateiende.\n"),
                "line 7: begins with a backslash, but is not `\\ No newline at end of file`".to_owned(),
            ),
            (
                format!("{FILE}diff --cc g\n--- a/g\n+++ b/g\n@@@ -1 -1 +1 @@@\n--a\n++b\n"),
                "line 10: is of the diff of a merge, which is not taken; compare with one of its parents".to_owned(),
            ),
            (
                format!("{FILE}Binary files a/g and b/g differ\n"),
                "line 7: is a binary file, and its content is not there; compare with `git diff --binary`".to_owned(),
            ),
        ] {
            let faults = outlined(&text).expect_err("refused");
            assert_eq!(faults[0], expected, "{text}");
        }
    }

    #[test]
    fn a_hunk_reaches_as_far_as_its_lines_do_where_its_header_is_wrong_or_missing() {
        let file = |header: &str, body: &str| format!("--- a/f\n+++ b/f\n{header}{body}");
        let body = " a\n-b\n+B\n\n c\n";
        let other = " x\n-y\n+Y\n\n z\n";
        for (text, lines) in [
            (file("@@ -1,4 +1,4 @@\n", body), vec![5]),
            (file("@@ -1,9 +1,9 @@\n", body), vec![5]),
            (file("@@ -1,2 +1,2 @@\n", body), vec![3]),
            (file("@@ -1,2 +1,2 @@\n", " a\n-b\n+B\n-c\n"), vec![4]),
            (file("@@ -1,1 +1,9 @@\n", body), vec![5]),
            (file("@@\n", body), vec![5]),
            (file("@@ @@\n", body), vec![5]),
            (file("@@ ... @@\n", body), vec![5]),
            (file("@@ def f():\n", body), vec![5]),
            (file("@@ -?,? +?,? @@\n", body), vec![5]),
            (file("", body), vec![5]),
            (format!("{}\nThat is all.\n- a list\n", file("@@ -1,4 +1,4 @@\n", body)), vec![5]),
            (format!("```\n{}```\nThen:\n\n```diff\n@@ ... @@\n{other}```\n", file("@@\n", body)), vec![5, 5]),
            (file("@@ ... @@\n", &format!("{body}@@ ... @@\n{other}")), vec![5, 5]),
            (file("@@ ... @@\n", &format!("{body}\n\n@@ ... @@\n{other}")), vec![5, 5]),
            (file("@@ -1,90 +1,90 @@\n", &format!("{body}--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n")), vec![5, 2]),
            (format!("```diff\n{}\n+ more\n```\n", file("@@\n", body)), vec![7]),
            (format!("{}-- \n2.47.3\n", file("@@\n", body)), vec![5]),
        ] {
            let found = sections(text.as_bytes()).unwrap_or_else(|faults| panic!("{faults:?}: {text}"));
            let hunks = found.iter().flat_map(|section| &section.hunks);
            assert_eq!(hunks.map(|hunk| hunk.lines.len()).collect::<Vec<_>>(), lines, "{text}");
        }
    }

    #[test]
    fn empty_lines_above_a_hunk_are_passed_over_and_words_are_not() {
        let (head, hunk) = FILE.split_at(FILE.find("@@").expect("a hunk"));
        for (text, expected) in [
            (format!("{head}\n\n{hunk}"), Some(vec![(1, vec![6])])),
            (format!("{head}\n{hunk}\n@@ -3 +3 @@\n-c\n+C\n\n"), Some(vec![(1, vec![5, 9])])),
            (format!("{head}\n{hunk}{head}\n{hunk}"), Some(vec![(1, vec![5]), (8, vec![12])])),
            (format!("{head}\n{hunk}").replace('\n', "\r\n"), Some(vec![(1, vec![5])])),
            (format!("{head}\nWords.\n\n{hunk}"), None),
            (format!("{head}\n-a\n+A\n"), None),
            (format!("{head}\n@{hunk}"), None),
        ] {
            assert_eq!(outlined(&text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn a_number_may_stand_below_the_header_of_a_hunk() {
        let start = |body: &str| {
            let text = format!("--- a/f\n+++ b/f\n{body}");
            let found = sections(text.as_bytes()).ok()?;
            let hunk = found.first()?.hunks.first()?;
            Some((hunk.start.map(|(start, _)| start), hunk.lines.len()))
        };
        for (body, expected) in [
            ("@@\n:start_line:7\n a\n-b\n", Some((Some(7), 2))),
            ("@@\n:start_line: 7\n:end_line:8\n-------\n a\n-b\n", Some((Some(7), 2))),
            ("@@ def f():\n:start_line:7\n-------\n a\n-b\n", Some((Some(7), 2))),
            // Dashes that may go, and a line that says its place by a number alone.
            ("@@\n:start_line:1\n-------\n a\n", Some((Some(1), 2))),
            ("@@\n:start_line:7\n-------\n-b\n", Some((Some(7), 2))),
            ("@@\n:start_line:7\n--------\n a\n-b\n", Some((Some(7), 3))),
            ("@@\n:start_line:7\n+b\n", Some((None, 1))),
            ("@@\n:start_line:0\n a\n-b\n", None),
            ("@@\n:start_line:x\n a\n-b\n", None),
            ("@@ -1,2 +1 @@\n:start_line:7\n a\n-b\n", None),
            ("@@\n :start_line:7\n-b\n", Some((None, 2))),
        ] {
            assert_eq!(start(body), expected, "{body}");
        }
    }

    #[test]
    fn a_file_may_have_its_new_name_alone() {
        let hunk = &FILE[FILE.find("@@").expect("a hunk")..];
        for (text, expected) in [
            (format!("+++ b/f\n{hunk}"), Some(vec![(1, vec![2])])),
            (format!("+++ b/f\n{hunk}\n+++ b/g\n{hunk}"), Some(vec![(1, vec![2]), (6, vec![7])])),
            (format!("```\n+++ b/f\n{hunk}```\n\n```\n+++ b/g\n{hunk}```\n"), Some(vec![(2, vec![3]), (9, vec![10])])),
            // Right below a hunk it may be a line that comes.
            ("--- f\n+++ f\n@@ -1 +1,2 @@\n a\n+++ b/g\n@@ -3 +4 @@\n-c\n+C\n".to_owned(), Some(vec![(1, vec![3, 6])])),
            (format!("{FILE}\n+++ i;\n@@ -3 +3 @@\n-c\n+C\n"), None),
            (format!("{FILE}\n+++ b/g\nno hunk\n"), None),
        ] {
            assert_eq!(outlined(&text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn lines_that_lack_at_the_end_of_a_text_may_be_cut() {
        let missing = |text: &str| {
            sections(text.as_bytes()).expect("a diff").last().expect("a file").hunks.last().expect("a hunk").missing
        };
        let short = FILE.replace("-1 +1", "-1,2 +1,3");
        assert_eq!(missing(&short), Some((1, 2)));
        assert_eq!(missing(&format!("```\n{short}```\n")), None, "the fence is closed");
        assert_eq!(missing(&format!("{short}\nThat is all.\n")), None);
        assert_eq!(missing(&FILE.replace("-1 +1", "-1,0 +1,3")), None, "no cut adds a line");
        assert_eq!(missing(&format!("{short}{short}")), None, "counts are wrong elsewhere");
    }

    #[test]
    fn each_file_has_its_faults() {
        let empty = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n";
        assert_eq!(outlined(&format!("{empty}diff --git a/g b/g\n{empty}{FILE}")).expect_err("refused").len(), 2);
    }

    #[test]
    fn a_commit_begins_anew() {
        let anew = |between: &str| {
            let text = format!("{FILE}{between}{FILE}");
            let found = sections(text.as_bytes()).expect("a diff");
            found.iter().map(|section| section.is_anew).collect::<Vec<_>>()
        };
        for (between, expected) in [
            ("", false),
            ("From 012345 Mon Sep 17\n", false),
            ("From 0123456 Mon Sep 17\n", true),
            ("\ncommit 0123456\nAuthor: A\n\n    - Why.\n\n", true),
            ("commit 0123456x\n", false),
            ("0123456789012345678901234567890123456789 Why\n", true),
            ("012345678901234567890123456789012345678 Why\n", false),
        ] {
            assert_eq!(anew(between), [false, expected], "{between}");
        }
    }

    #[test]
    fn a_header_loses_the_endings_of_a_converted_diff() {
        let text = FILE.replace('\n', "\r\n");
        let found = sections(text.as_bytes()).expect("a diff");
        assert_eq!(found[0].header, b"diff --git a/f b/f\n--- a/f\n+++ b/f\n");
        assert!(found[0].hunks[0].lines.iter().all(|line| line.end == LineEndRule::Marked(Some(LineEnding::CrLf))));
        assert!(found[0].is_crlf);
    }
}
