//! Where files and hunks stand in a unified diff, so that nothing of it is lost.
//!
//! The library that reads diffs passes over what it cannot place: lines beyond the counts of a hunk's header, a hunk
//! below a blank line, a file without hunks. Here every line that may be a part of a change is accounted for, or named as
//! a fault. What the lines mean for a file must not be known here.

use std::ops::Range;

use assize_core::violation::Violation;

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
    /// Its header and its hunks, without what stands around them.
    pub text: Vec<u8>,
    /// The lines with `@@`.
    pub hunks: Vec<usize>,
    /// Whether it begins with `diff --git`.
    pub is_git: bool,
    /// Whether somebody gave every line of the diff the ending `\r\n`.
    pub is_crlf: bool,
    /// Whether it is the first of a further commit.
    pub is_anew: bool,
    /// The line behind its last one.
    until: usize,
}

impl DiffSection {
    /// Whether its header says that the file held something before.
    pub fn had_content(&self) -> bool {
        let mut header = self.text.split(|byte| *byte == b'\n').take_while(|line| !line.starts_with(b"@@"));
        let hashes = header.find_map(|line| line.strip_prefix(b"index "));
        hashes.is_some_and(|hashes| !is_nothing(hashes.split(|byte| *byte == b'.').next().unwrap_or_default()))
    }
}

/// Finds the files of a diff. Text before, between and behind them is allowed.
///
/// # Errors
///
/// Lists with their lines what belongs to a change, but to no file and no hunk.
pub(super) fn sections(text: &[u8]) -> Result<Vec<DiffSection>, Vec<Violation>> {
    let reader = OutlineReader::of(text);
    if reader.faults.is_empty() { Ok(reader.sections) } else { Err(reader.faults) }
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
    /// Within the hunk of this line, with so many old and new lines to come.
    Hunk { line: usize, old: usize, new: usize },
    /// Behind a hunk, right below its last line or not.
    Behind { directly: bool },
    /// Behind a fault of a file, within its lines or below them; the rest of it is passed over.
    Lost { within: bool },
}

/// What a header has said so far.
#[derive(Clone, Copy, Default)]
struct DiffHeader {
    /// `---`: hunks have to follow.
    is_named: bool,
    /// Another hash before and after: hunks have to follow as well.
    is_changed: bool,
    /// A change of mode or name, which needs no hunk.
    says_more: bool,
}

struct OutlineReader {
    /// The line that is read.
    number: usize,
    state: OutlineState,
    /// Whether a commit began since the last file.
    is_anew: bool,
    sections: Vec<DiffSection>,
    faults: Vec<Violation>,
}

impl OutlineReader {
    /// Reads a whole diff.
    fn of(text: &[u8]) -> Self {
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let mut reader =
            Self { number: 0, state: OutlineState::Apart, is_anew: false, sections: Vec::new(), faults: Vec::new() };
        for (index, line) in lines.iter().enumerate() {
            reader.number = index + 1;
            reader.line(index + 1, line, lines.get(index + 1).copied().unwrap_or_default());
            if matches!(reader.state, OutlineState::Lost { within: true }) {
                reader.reach();
            }
        }
        reader.end();
        reader
    }

    fn fault(&mut self, line: usize, message: &str) {
        self.faults.push(Violation::new(format!("line {line}"), message));
        let within = matches!(
            self.state,
            OutlineState::Head(_) | OutlineState::Hunk { .. } | OutlineState::Lost { within: true }
        );
        self.state = OutlineState::Lost { within };
    }

    /// Has the file reach to the line that is read.
    fn reach(&mut self) {
        if let Some(section) = self.sections.last_mut() {
            section.until = self.number + 1;
        }
    }

    /// Takes a line up into the file.
    fn take(&mut self, line: &[u8]) {
        self.reach();
        if let Some(section) = self.sections.last_mut() {
            // In a header, the ending is that of the diff; in a hunk, it may be that of the file.
            let of_diff = section.is_crlf && section.hunks.is_empty();
            match line.strip_suffix(b"\r\n").filter(|_| of_diff) {
                Some(content) => section.text.extend_from_slice(&[content, b"\n"].concat()),
                None => section.text.extend_from_slice(line),
            }
            // That the diff lost its own last ending says nothing of the file.
            if !line.ends_with(b"\n") {
                section.text.extend_from_slice(if section.is_crlf { b"\r\n" } else { b"\n" });
            }
        }
    }

    fn line(&mut self, number: usize, line: &[u8], next: &[u8]) {
        let is_pair = line.starts_with(b"--- ") && next.starts_with(b"+++ ");
        // One name alone will do, but below a hunk it may as well be a line of it.
        let is_lone = matches!(self.state, OutlineState::Apart)
            && (line.starts_with(b"--- ") || line.starts_with(b"+++ "))
            && next.starts_with(b"@@ ");
        if line.starts_with(b"\\") && !line.starts_with(NO_ENDING) && self.is_at_hunk() {
            self.fault(number, "begins with a backslash, but is not `\\ No newline at end of file`");
            return;
        }
        if self.hunk_line(line) || self.head_line(line) {
            return;
        }
        if line.starts_with(b"diff --git ") {
            self.open(number, line, true);
        } else if is_pair || is_lone {
            self.open(number, line, false);
        } else if line.starts_with(b"@@") {
            self.hunk(number, line);
        } else {
            self.other(number, line, next);
        }
    }

    fn is_at_hunk(&self) -> bool {
        matches!(self.state, OutlineState::Hunk { .. } | OutlineState::Behind { .. })
    }

    /// Begins a file.
    fn open(&mut self, number: usize, line: &[u8], is_git: bool) {
        self.end();
        let is_crlf = line.ends_with(b"\r\n");
        let is_anew = std::mem::take(&mut self.is_anew) && !self.sections.is_empty();
        let (text, hunks) = (Vec::new(), Vec::new());
        self.sections.push(DiffSection { line: number, text, hunks, is_git, is_crlf, is_anew, until: number });
        self.state = OutlineState::Head(DiffHeader { is_named: !is_git, ..DiffHeader::default() });
        self.take(line);
    }

    /// Ends what has begun.
    fn end(&mut self) {
        let line = self.sections.last().map_or(0, |section| section.line);
        match self.state {
            OutlineState::Head(head) if head.is_named || head.is_changed || !head.says_more => {
                self.fault(line, "no hunk stands below it; it may be cut");
            }
            OutlineState::Hunk { line, .. } => self.fault(line, MISCOUNTED),
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
        } else if !begins(&["+++ ", "similarity index ", "dissimilarity index "]) {
            return false;
        }
        self.take(line);
        true
    }

    /// Begins a hunk.
    fn hunk(&mut self, number: usize, line: &[u8]) {
        if !matches!(self.state, OutlineState::Head(_) | OutlineState::Behind { directly: true }) {
            if !matches!(self.state, OutlineState::Lost { .. }) {
                self.fault(
                    number,
                    "a hunk has to stand right below the header of its file, or below another hunk of it",
                );
            }
            return;
        }
        let Some((old, new)) = counts(line) else {
            self.fault(
                number,
                if line.starts_with(b"@@@") {
                    "is of the diff of a merge, which is not taken; compare with one of its parents"
                } else {
                    "is no header of a hunk, such as `@@ -1,3 +1,4 @@`"
                },
            );
            return;
        };
        if let Some(section) = self.sections.last_mut() {
            section.hunks.push(number);
        }
        self.take(line);
        self.state = within(number, old, new);
    }

    /// Takes a line up into a hunk, if it belongs there.
    fn hunk_line(&mut self, line: &[u8]) -> bool {
        let (at, old, new) = match self.state {
            OutlineState::Hunk { line, old, new } => (line, old, new),
            OutlineState::Behind { directly: true } if line.starts_with(NO_ENDING) => {
                self.take(line);
                return true;
            }
            _ => return false,
        };
        let left = match line.first() {
            Some(b' ' | b'\n') => old.checked_sub(1).zip(new.checked_sub(1)),
            Some(b'-') => old.checked_sub(1).zip(Some(new)),
            Some(b'+') => Some(old).zip(new.checked_sub(1)),
            Some(b'\\') => Some((old, new)),
            _ => None,
        };
        let Some((old, new)) = left else {
            self.fault(at, MISCOUNTED);
            return false;
        };
        self.take(line);
        self.state = within(at, old, new);
        true
    }

    /// Looks at a line that belongs to no header and no hunk.
    fn other(&mut self, number: usize, line: &[u8], next: &[u8]) {
        let of_file = match self.state {
            OutlineState::Head(_) => self.sections.last().map_or(number, |section| section.line),
            _ => number,
        };
        if is_binary(line) {
            self.fault(of_file, "is a binary patch, which is not taken; hand the file in whole");
        } else if matches!(self.state, OutlineState::Head(_)) {
            self.end();
            self.state = OutlineState::Apart;
        } else if self.is_at_hunk() {
            self.state = OutlineState::Behind { directly: false };
            if ends_diff(line, next) {
                self.state = OutlineState::Apart;
            } else if matches!(line.first(), Some(b'+' | b'-' | b'\\')) {
                self.fault(
                    number,
                    "stands behind a hunk and belongs to none; the header of the hunk may count too few lines",
                );
            }
        }
        self.is_anew |= names_commit(line);
    }
}

const MISCOUNTED: &str = "its header counts other lines than stand below it; it may be cut";

fn within(line: usize, old: usize, new: usize) -> OutlineState {
    if (old, new) == (0, 0) { OutlineState::Behind { directly: true } } else { OutlineState::Hunk { line, old, new } }
}

/// Reads how many old and new lines a hunk has: `@@ -1,3 +1,4 @@`, where `,1` may be left out.
fn counts(line: &[u8]) -> Option<(usize, usize)> {
    let line = String::from_utf8_lossy(line);
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let count = |range: &str| match range.split_once(',') {
        Some((start, count)) => start.parse::<usize>().ok().and(count.parse().ok()),
        None => range.parse::<usize>().ok().and(Some(1)),
    };
    Some((count(old)?, count(new)?))
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
    line == b"GIT binary patch" || (line.starts_with(b"Binary files ") && line.ends_with(b" differ"))
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
            Ok(found) => Ok(found.into_iter().map(|section| (section.line, section.hunks)).collect()),
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
        let apart = "a hunk has to stand right below the header of its file, or below another hunk of it";
        let bare = "no hunk stands below it; it may be cut";
        for (text, expected) in [
            (format!("{FILE}-b\n+B\n"), format!("line 7: {behind}")),
            (format!("{FILE}\n b\n+B\n"), format!("line 9: {behind}")),
            (format!("{FILE}b\n+B\n"), format!("line 8: {behind}")),
            (format!("{FILE}-- \n+B\n"), format!("line 7: {behind}")),
            (format!("{FILE}\n@@ -3 +3 @@\n-c\n+C\n"), format!("line 8: {apart}")),
            ("x\n@@ -1 +1 @@\n-a\n+A\n".to_owned(), format!("line 2: {apart}")),
            (FILE.replace("-1 +1", "-1,2 +1"), format!("line 4: {MISCOUNTED}")),
            (FILE.replace("-1 +1", "-0,0 +1"), format!("line 4: {MISCOUNTED}")),
            (FILE.replace("-1 +1", "-1 +1,18446744073709551615"), format!("line 4: {MISCOUNTED}")),
            (
                FILE.replace("-1 +1", "-1 +1,18446744073709551616"),
                "line 4: is no header of a hunk, such as `@@ -1,3 +1,4 @@`".to_owned(),
            ),
            (FILE.replace("-1 +1", "def f():"), "line 4: is no header of a hunk, such as `@@ -1,3 +1,4 @@`".to_owned()),
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
                "line 7: is a binary patch, which is not taken; hand the file in whole".to_owned(),
            ),
        ] {
            let faults = outlined(&text).expect_err("refused");
            assert_eq!(faults[0], expected, "{text}");
        }
    }

    #[test]
    fn each_file_has_its_faults() {
        let short = FILE.replace("-1 +1", "-1,2 +1,2");
        assert_eq!(outlined(&format!("{short}{short}{FILE}")).expect_err("refused").len(), 2);
    }

    #[test]
    fn a_commit_begins_anew() {
        let anew = |between: &str| {
            let found = sections(format!("{FILE}{between}{FILE}").as_bytes()).expect("a diff");
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
        let found = sections(FILE.replace('\n', "\r\n").as_bytes()).expect("a diff");
        assert_eq!(found[0].text, b"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\r\n-a\r\n+A\r\n");
        assert!(found[0].is_crlf);
    }
}
