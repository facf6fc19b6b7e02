//! A change to a work tree, and the parser of git's own patch format.
//!
//! The engine runs git and hands over the bytes; this module only reads them. It must not know
//! how the bytes were come by.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::text::Untrusted;

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FileStatus {
    /// The file is new.
    Added,
    /// The file's contents or mode changed.
    Modified,
    /// The file is gone.
    Deleted,
    /// The file moved, possibly with changes.
    Renamed,
    /// A merge left the file undecided.
    Unmerged,
}

/// Whether a line of a hunk came, went or stayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DiffLineKind {
    /// In both states.
    Context,
    /// Only in the new state.
    Added,
    /// Only in the old state.
    Removed,
}

/// One line of a hunk, without its line ending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffLine {
    /// Whether the line came, went or stayed.
    pub kind: DiffLineKind,
    /// The text of the line.
    pub text: Untrusted<String>,
}

/// A run of neighbouring changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffHunk {
    /// First line in the old state, counted from 1.
    pub old_start: u32,
    /// First line in the new state, counted from 1.
    pub new_start: u32,
    /// The lines, in order.
    pub lines: Vec<DiffLine>,
}

impl DiffHunk {
    /// Makes a hunk of a whole file. A line is new as far as the old text has fewer of it; which of several equal ones is the
    /// new one is not said.
    pub fn whole(before: &str, after: &str) -> Self {
        let mut left: HashMap<&str, usize> = HashMap::new();
        for line in before.lines() {
            *left.entry(line).or_default() += 1;
        }
        let mut lines = Vec::new();
        for line in after.lines() {
            let kind = match left.get_mut(line) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    DiffLineKind::Context
                }
                _ => DiffLineKind::Added,
            };
            lines.push(DiffLine { kind, text: Untrusted::new(line) });
        }
        let gone = left.iter().flat_map(|(line, count)| std::iter::repeat_n(*line, *count));
        lines.extend(gone.map(|line| DiffLine { kind: DiffLineKind::Removed, text: Untrusted::new(line) }));
        Self { old_start: 1, new_start: 1, lines }
    }

    /// Takes the hunk back out of the new text, whose other lines stay as they are. `None` if that text has other lines there.
    pub fn undo(&self, after: &str) -> Option<String> {
        let before = self.lines.iter().filter(|line| line.kind != DiffLineKind::Added).map(|line| line.text.inspect());
        let own: Vec<&str> = self
            .lines
            .iter()
            .filter(|line| line.kind != DiffLineKind::Removed)
            .map(|line| line.text.inspect())
            .collect();
        let lines: Vec<&str> = after.split_inclusive('\n').collect();
        // A hunk that only takes lines away from an empty place names the line before it.
        let start = (self.new_start as usize).saturating_sub(usize::from(!own.is_empty()));
        let end = start.checked_add(own.len()).filter(|end| *end <= lines.len())?;
        let is_there =
            lines[start..end].iter().zip(&own).all(|(line, own)| line.trim_end_matches(['\n', '\r']) == *own);
        let undone = || {
            let ending = if lines.first().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
            let before = before.flat_map(|line| [line, ending]);
            lines[..start].iter().copied().chain(before).chain(lines[end..].iter().copied()).collect()
        };
        is_there.then(undone)
    }
}

/// A syntax error that the new state of a file has and the old one had not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewSyntaxError {
    /// Line in the new state, counted from 1.
    pub line: u32,
    /// What the parser stumbled over.
    pub text: Untrusted<String>,
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileChange {
    /// Path in the new state (in the old one for a deleted file), forward slashes.
    pub path: String,
    /// Path in the old state, where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// What happened.
    pub status: FileStatus,
    /// Whether git does not track the file.
    #[serde(default)]
    pub untracked: bool,
    /// Whether the contents are not text.
    #[serde(default)]
    pub binary: bool,
    /// Whether the old state is known. When it is not, every line counts as added and rules
    /// must be content with likely findings.
    pub old_known: bool,
    /// The changed lines with their surroundings.
    pub hunks: Vec<DiffHunk>,
    /// Lines that were left out because the file's change is larger than its budget.
    #[serde(default)]
    pub lines_cut: u32,
    /// New syntax errors, where the language has a grammar.
    #[serde(default)]
    pub syntax_errors: Vec<NewSyntaxError>,
}

impl FileChange {
    /// Makes a change without hunks.
    pub fn new(path: impl Into<String>, status: FileStatus) -> Self {
        Self {
            path: path.into(),
            old_path: None,
            status,
            untracked: false,
            binary: false,
            old_known: true,
            hunks: Vec::new(),
            lines_cut: 0,
            syntax_errors: Vec::new(),
        }
    }

    /// Makes an added file out of its whole contents.
    pub fn added(path: impl Into<String>, contents: &str) -> Self {
        let lines: Vec<DiffLine> =
            contents.lines().map(|line| DiffLine { kind: DiffLineKind::Added, text: Untrusted::new(line) }).collect();
        let mut change = Self::new(path, FileStatus::Added);
        if !lines.is_empty() {
            change.hunks.push(DiffHunk { old_start: 0, new_start: 1, lines });
        }
        change
    }

    /// Walks over the lines that the new state has gained, with their numbers counted from 1.
    pub fn added_lines(&self) -> impl Iterator<Item = (u32, &str)> {
        self.hunks.iter().flat_map(|hunk| {
            let mut number = hunk.new_start;
            hunk.lines.iter().filter_map(move |line| match line.kind {
                DiffLineKind::Removed => None,
                kind => {
                    let at = number;
                    number = number.saturating_add(1);
                    (kind == DiffLineKind::Added).then_some((at, line.text.inspect()))
                }
            })
        })
    }

    /// Walks over the lines of the new state that are new or stand where some were removed, counted from 1.
    pub fn touched_lines(&self) -> impl Iterator<Item = u32> {
        let removed_at = self.hunks.iter().flat_map(|hunk| {
            let mut number = hunk.new_start;
            hunk.lines.iter().filter_map(move |line| match line.kind {
                DiffLineKind::Removed => Some(number),
                DiffLineKind::Added | DiffLineKind::Context => {
                    number = number.saturating_add(1);
                    None
                }
            })
        });
        self.added_lines().map(|(number, _)| number).chain(removed_at)
    }

    /// Walks over the lines that the new state has lost, with their old numbers counted from 1.
    pub fn removed_lines(&self) -> impl Iterator<Item = (u32, &str)> {
        self.hunks.iter().flat_map(|hunk| {
            let mut number = hunk.old_start;
            hunk.lines.iter().filter_map(move |line| match line.kind {
                DiffLineKind::Added => None,
                kind => {
                    let at = number;
                    number = number.saturating_add(1);
                    (kind == DiffLineKind::Removed).then_some((at, line.text.inspect()))
                }
            })
        })
    }

    /// Counts added lines, those that were cut not included.
    pub fn added_count(&self) -> usize {
        self.added_lines().count()
    }

    /// Counts removed lines, those that were cut not included.
    pub fn removed_count(&self) -> usize {
        self.removed_lines().count()
    }
}

/// Everything that changed since the baseline.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diff {
    /// The commit that the new state is compared with; `None` for a tree without commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// The changed files, by path.
    pub files: Vec<FileChange>,
    /// What was left out, and why. Shown to judges and people.
    #[serde(default)]
    pub limits: Vec<String>,
}

impl Diff {
    /// Returns whether no file changed.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Finds the change of a path.
    pub fn file(&self, path: &str) -> Option<&FileChange> {
        self.files.iter().find(|file| file.path == path)
    }
}

/// Most lines of one file's change that are kept. Further lines are counted in
/// [`FileChange::lines_cut`].
pub const FILE_LINES_MAX: usize = 4_000;
/// Longest line that is kept, in bytes; the rest of it is dropped.
pub const LINE_BYTES_MAX: usize = 4_000;

/// Reads the output of `git diff` (patch format, `-M`, no colour, `a/` and `b/` prefixes).
///
/// The reader is tolerant: what it does not know it passes over, since a strange repository must
/// not stop the court. Bytes that are not UTF-8 are replaced.
pub fn parse_git_patch(patch: &[u8]) -> Vec<FileChange> {
    let mut reader = PatchReader::default();
    for line in patch.split(|byte| *byte == b'\n') {
        reader.line(line);
    }
    reader.finish()
}

#[derive(Default)]
struct PatchReader {
    files: Vec<FileChange>,
    current: Option<FileChange>,
    old_left: u32,
    new_left: u32,
    kept: usize,
}

impl PatchReader {
    fn line(&mut self, raw: &[u8]) {
        if self.old_left > 0 || self.new_left > 0 {
            self.body(raw);
        } else {
            self.header(&String::from_utf8_lossy(raw));
        }
    }

    fn body(&mut self, raw: &[u8]) {
        let (kind, rest) = match raw.first() {
            Some(b'+') => (DiffLineKind::Added, &raw[1..]),
            Some(b'-') => (DiffLineKind::Removed, &raw[1..]),
            Some(b' ') => (DiffLineKind::Context, &raw[1..]),
            Some(b'\\') => return,
            _ => (DiffLineKind::Context, raw),
        };
        if kind != DiffLineKind::Added {
            self.old_left = self.old_left.saturating_sub(1);
        }
        if kind != DiffLineKind::Removed {
            self.new_left = self.new_left.saturating_sub(1);
        }
        let Some(file) = &mut self.current else { return };
        if self.kept >= FILE_LINES_MAX {
            file.lines_cut += 1;
            return;
        }
        self.kept += 1;
        let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
        let text = String::from_utf8_lossy(&rest[..rest.len().min(LINE_BYTES_MAX)]).into_owned();
        if let Some(hunk) = file.hunks.last_mut() {
            hunk.lines.push(DiffLine { kind, text: Untrusted::new(text) });
        }
    }

    fn header(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("diff --git ") {
            self.begin(split_git_paths(rest));
            return;
        }
        if let Some(path) = line.strip_prefix("* Unmerged path ") {
            self.begin(Some((path.to_owned(), path.to_owned())));
            self.set_status(FileStatus::Unmerged);
            return;
        }
        if let Some(rest) = line.strip_prefix("@@ ") {
            self.hunk(rest);
        } else if line.starts_with("new file mode") {
            self.set_status(FileStatus::Added);
        } else if line.starts_with("deleted file mode") {
            self.set_status(FileStatus::Deleted);
        } else if let Some(path) = line.strip_prefix("rename from ") {
            self.set_status(FileStatus::Renamed);
            if let Some(file) = &mut self.current {
                file.old_path = Some(unquote(path));
            }
        } else if let Some(path) = line.strip_prefix("rename to ") {
            if let Some(file) = &mut self.current {
                file.path = unquote(path);
            }
        } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            if let Some(file) = &mut self.current {
                file.binary = true;
            }
        } else if let Some(path) = line.strip_prefix("--- ") {
            self.set_path(path, "a/", FileStatus::Deleted);
        } else if let Some(path) = line.strip_prefix("+++ ") {
            self.set_path(path, "b/", FileStatus::Added);
        }
    }

    fn begin(&mut self, paths: Option<(String, String)>) {
        self.files.extend(self.current.take());
        self.kept = 0;
        let (_, new) = paths.unwrap_or_default();
        self.current = Some(FileChange::new(new, FileStatus::Modified));
    }

    fn set_status(&mut self, status: FileStatus) {
        if let Some(file) = &mut self.current {
            file.status = status;
        }
    }

    /// `---` and `+++` lines name the path without the ambiguity of the `diff --git` line. The
    /// old name counts only when there is no new one.
    fn set_path(&mut self, raw: &str, prefix: &str, for_status: FileStatus) {
        let raw = raw.strip_suffix('\t').unwrap_or(raw);
        if raw == "/dev/null" {
            return;
        }
        let path = unquote(raw);
        let Some(path) = path.strip_prefix(prefix) else { return };
        let Some(file) = &mut self.current else { return };
        if for_status == FileStatus::Added || file.status == FileStatus::Deleted {
            path.clone_into(&mut file.path);
        }
    }

    fn hunk(&mut self, rest: &str) {
        let mut parts = rest.split(' ');
        let old = parts.next().and_then(|part| range(part.strip_prefix('-')?));
        let new = parts.next().and_then(|part| range(part.strip_prefix('+')?));
        if let (Some((old_start, old_count)), Some((new_start, new_count)), Some(file)) = (old, new, &mut self.current)
        {
            self.old_left = old_count;
            self.new_left = new_count;
            file.hunks.push(DiffHunk { old_start, new_start, lines: Vec::new() });
        }
    }

    fn finish(mut self) -> Vec<FileChange> {
        self.files.extend(self.current.take());
        self.files.retain(|file| !file.path.is_empty());
        self.files
    }
}

/// Reads `12,3` or `12`.
fn range(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

/// Splits the rest of a `diff --git` line. Only files without `---` and `+++` lines (empty,
/// binary or mode changes) depend on it; both names are then equal, which resolves spaces.
fn split_git_paths(rest: &str) -> Option<(String, String)> {
    if rest.starts_with('"') {
        let end = closing_quote(rest)?;
        let old = unquote(&rest[..=end]);
        let new = unquote(rest.get(end + 2..)?);
        return Some((old.strip_prefix("a/")?.to_owned(), new.strip_prefix("b/")?.to_owned()));
    }
    let middle = rest.len() / 2;
    if rest.is_char_boundary(middle)
        && let (Some(old), Some(new)) = (rest.get(..middle), rest.get(middle + 1..))
        && let (Some(old), Some(new)) = (old.strip_prefix("a/"), new.strip_prefix("b/"))
        && old == new
    {
        return Some((old.to_owned(), new.to_owned()));
    }
    let (old, new) = rest.split_once(" b/")?;
    Some((old.strip_prefix("a/")?.to_owned(), unquote(new)))
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(index),
            _ => {}
        }
    }
    None
}

/// Undoes git's C-style quoting of unusual paths.
fn unquote(path: &str) -> String {
    let Some(inner) = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')) else {
        return path.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'v') => bytes.push(11),
            Some(b'f') => bytes.push(12),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    if let Some(next @ b'0'..=b'7') = rest.peek().copied() {
                        value = value * 8 + u32::from(next - b'0');
                        rest.next();
                    }
                }
                bytes.push((value & 0xff) as u8);
            }
            Some(other) => bytes.push(other),
            None => bytes.push(b'\\'),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(patch: &str) -> FileChange {
        let mut files = parse_git_patch(patch.as_bytes());
        assert_eq!(files.len(), 1, "{files:?}");
        files.remove(0)
    }

    #[test]
    fn a_modification_has_numbered_lines() {
        let file = one(
            "diff --git a/a.rs b/a.rs\nindex 1..2 100644\n--- a/a.rs\n+++ b/a.rs\n@@ -3,2 +3,3 @@ fn x\n keep\n-old\n+new\n+more\n",
        );
        assert_eq!(file.status, FileStatus::Modified);
        assert_eq!(file.added_lines().collect::<Vec<_>>(), [(4, "new"), (5, "more")]);
        assert_eq!(file.removed_lines().collect::<Vec<_>>(), [(4, "old")]);
    }

    #[test]
    fn a_hunk_is_taken_back_out_of_the_text_that_has_it() {
        let change = one(
            "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n@@ -8,2 +8,3 @@\n eight\n+8.5\n nine\n@@ -20,1 +20,0 @@\n-twenty\n",
        );
        let between: String = (3..8).map(|line| format!("{line}\n")).collect();
        let text = |first: &str, half: &str| format!("{first}\ntwo\n{between}eight\n{half}nine\n");
        let undone = |hunk: usize, text: &str| change.hunks[hunk].undo(text);
        let now = text("1", "8.5\n");
        assert_eq!(undone(0, &now), Some(text("one", "8.5\n")));
        assert_eq!(undone(1, &now), Some(text("1", "")));
        assert_eq!(undone(0, &text("one", "")), None, "it is not there");
        assert_eq!(undone(1, "1\ntwo\n"), None, "the text is shorter");
        assert_eq!(undone(0, "1\r\ntwo\r\n"), Some("one\r\ntwo\r\n".to_owned()));
        let gone = one("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -2,1 +1,0 @@\n-two\n");
        assert_eq!(gone.hunks[0].undo("one\nthree\n"), Some("one\ntwo\nthree\n".to_owned()));
    }

    #[test]
    fn lines_that_look_like_headers_stay_in_their_hunk() {
        let file =
            one("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n--- a/evil\n+++ b/evil\n diff --git a/z b/z\n");
        assert_eq!(file.path, "a");
        assert_eq!(file.added_lines().next(), Some((1, "++ b/evil")));
    }

    #[test]
    fn quoted_spaced_and_renamed_paths_are_read() {
        assert_eq!(one("diff --git a/a b.txt b/a b.txt\nnew file mode 100644\nindex 0..1\n").path, "a b.txt");
        assert_eq!(one("diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nold mode 1\nnew mode 2\n").path, "ä");
        let renamed = one("diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n");
        assert_eq!((renamed.path.as_str(), renamed.old_path.as_deref()), ("y", Some("x")));
        assert_eq!(renamed.status, FileStatus::Renamed);
        assert_eq!(one("* Unmerged path c.txt\n").status, FileStatus::Unmerged);
        let gone = one("diff --git a/g b/g\ndeleted file mode 100644\n--- a/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
        assert_eq!((gone.path.as_str(), gone.status), ("g", FileStatus::Deleted));
    }

    #[test]
    fn a_file_is_cut_at_its_limit_and_says_so() {
        let patch = |lines: usize| {
            let body = "+x\n".repeat(lines);
            format!("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1,{lines} @@\n{body}")
        };
        assert_eq!(one(&patch(FILE_LINES_MAX)).lines_cut, 0);
        assert_eq!(one(&patch(FILE_LINES_MAX + 1)).lines_cut, 1);
    }

    #[test]
    fn no_bytes_make_it_panic() {
        for patch in [
            &b"@@ -1 +1 @@\n+x"[..],
            b"diff --git \"a\n",
            b"diff --git a b\n@@ -x +y @@\n",
            b"\xff\xfe\n",
            b"diff --git \"a/\\",
        ] {
            let _ = parse_git_patch(patch);
        }
    }
}
