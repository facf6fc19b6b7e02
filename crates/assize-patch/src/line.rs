//! A file as lines, byte for byte.
//!
//! Files are bytes: one may hold text that is no UTF-8, begin with a byte order mark, or mix line
//! endings. What a patch does not touch has to stay as it is, so nothing here decodes or
//! normalizes. A line ends with `\n` or `\r\n`; a lone `\r` is an ordinary byte, as git has it.

use std::borrow::Cow;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The byte order mark of UTF-8. It stands before the first line and belongs to none.
pub const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns the shortest way from old lines to new ones (Myers, An O(ND) Difference Algorithm and Its Variations, 1986).
pub fn line_diff(old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
    capture_diff_slices(Algorithm::Myers, old, new)
}

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnding {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

impl LineEnding {
    /// Returns the bytes.
    pub const fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
        }
    }
}

/// The lines of a text.
#[derive(Debug, Clone)]
pub struct TextLines<'a> {
    text: &'a [u8],
    /// Where each line begins, and where the last one ends.
    bounds: Vec<usize>,
}

impl<'a> TextLines<'a> {
    /// Finds the lines of a text. An empty one has none, and an ending at the end begins no further line.
    pub fn of(text: &'a [u8]) -> Self {
        Self::from(text, if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 })
    }

    /// Finds the lines of a text, with a byte order mark as a part of the first.
    pub fn with_mark(text: &'a [u8]) -> Self {
        Self::from(text, 0)
    }

    fn from(text: &'a [u8], first: usize) -> Self {
        let mut bounds = vec![first];
        bounds.extend(memchr::memchr_iter(b'\n', &text[first..]).map(|at| first + at + 1));
        if bounds.last() != Some(&text.len()) {
            bounds.push(text.len());
        }
        Self { text, bounds }
    }

    /// Returns the text.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Returns how many there are.
    pub fn count(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Returns where lines stand in the text, endings included. `lines` counts from 0; behind the last line
    /// lies the end of the text.
    pub fn span(&self, lines: Range<usize>) -> Range<usize> {
        self.bounds[lines.start]..self.bounds[lines.end]
    }

    /// Returns all lines, each with its ending.
    pub fn all(&self) -> Vec<&'a [u8]> {
        (0..self.count()).map(|line| self.whole(line)).collect()
    }

    /// Returns a line with its ending.
    pub fn whole(&self, line: usize) -> &'a [u8] {
        &self.text[self.bounds[line]..self.bounds[line + 1]]
    }

    /// Returns a line without its ending.
    pub fn content(&self, line: usize) -> &'a [u8] {
        let whole = self.whole(line);
        whole.strip_suffix(b"\r\n").or_else(|| whole.strip_suffix(b"\n")).unwrap_or(whole)
    }

    /// Returns how a line ends; the last one may have no ending.
    pub fn ending(&self, line: usize) -> Option<LineEnding> {
        let whole = self.whole(line);
        if whole.ends_with(b"\r\n") { Some(LineEnding::CrLf) } else { whole.ends_with(b"\n").then_some(LineEnding::Lf) }
    }

    /// Returns the line in which a byte stands; the last one for what lies behind.
    pub fn line_at(&self, byte: usize) -> usize {
        self.bounds.partition_point(|&start| start <= byte).saturating_sub(1).min(self.count().saturating_sub(1))
    }

    /// Whether the beginning of a new text, which begins with the same mark as this one, stops within a line.
    pub fn is_within_line(&self, begun: &[u8]) -> bool {
        begun.len() > self.bounds[0] && !begun.ends_with(b"\n")
    }

    /// Returns the ending for a line that is inserted before `line`: that of the line which stands there, else
    /// of the nearest one above.
    pub fn ending_near(&self, line: usize) -> LineEnding {
        let there = (line < self.count()).then(|| self.ending(line)).flatten();
        there
            .or_else(|| (0..line.min(self.count())).rev().find_map(|above| self.ending(above)))
            .unwrap_or(LineEnding::Lf)
    }
}

/// Gives the lines of an inserted text the ending of the lines around them. A text that has `\r\n` of its own keeps its
/// endings.
pub fn with_ending(text: &str, ending: LineEnding) -> Cow<'_, [u8]> {
    if ending == LineEnding::Lf || !text.contains('\n') || text.contains("\r\n") {
        Cow::Borrowed(text.as_bytes())
    } else {
        Cow::Owned(text.replace('\n', "\r\n").into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(text: &[u8]) -> Vec<&[u8]> {
        let lines = TextLines::of(text);
        (0..lines.count()).map(|line| lines.content(line)).collect()
    }

    #[test]
    fn a_text_is_cut_where_git_cuts_it() {
        let cases: [(&[u8], &[&[u8]]); 9] = [
            (b"", &[]),
            (b"a", &[b"a"]),
            (b"a\n", &[b"a"]),
            (b"a\nb", &[b"a", b"b"]),
            (b"\n\n", &[b"", b""]),
            (b"a\r\nb\n", &[b"a", b"b"]),
            (b"a\rb\n", &[b"a\rb"]),
            (b"\xEF\xBB\xBFa\n", &[b"a"]),
            (b"\xEF\xBB\xBF", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(contents(text), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_together_are_the_text() {
        for text in [&b"a\r\nb\nc"[..], b"", b"\n", b"x\xFF\n\r\n", b"\r\r\n"] {
            let lines = TextLines::of(text);
            let joined: Vec<u8> = (0..lines.count()).flat_map(|line| lines.whole(line).to_vec()).collect();
            assert_eq!(joined, text);
            assert_eq!(lines.span(0..lines.count()), 0..text.len());
        }
    }

    #[test]
    fn a_byte_knows_its_line() {
        let lines = TextLines::of(b"ab\n\ncd");
        assert_eq!([0, 2, 3, 4, 5, 6, 99].map(|byte| lines.line_at(byte)), [0, 0, 1, 2, 2, 2, 2]);
        assert_eq!(TextLines::of(b"").line_at(0), 0);
    }

    #[test]
    fn what_is_put_in_ends_like_its_neighbours() {
        let mixed = TextLines::of(b"a\r\nb\nc");
        assert_eq!(
            [0, 1, 2, 3].map(|line| mixed.ending_near(line)),
            [LineEnding::CrLf, LineEnding::Lf, LineEnding::Lf, LineEnding::Lf]
        );
        assert_eq!(TextLines::of(b"").ending_near(0), LineEnding::Lf);
        assert_eq!(with_ending("x\ny\n", LineEnding::CrLf), &b"x\r\ny\r\n"[..]);
        assert_eq!(with_ending("x\r\ny\n", LineEnding::CrLf), &b"x\r\ny\n"[..], "it says what it wants");
        assert_eq!(with_ending("x\ny\n", LineEnding::Lf), &b"x\ny\n"[..]);
    }
}
