//! A file in which tools name places, each in its own unit.
//!
//! Minified files have lines of a megabyte, and a report may name a hundred places in each of them; so what is counted
//! is counted once. It must not know what happens at a place.

use std::ops::Range;

use assize_patch::FileContent;
use assize_report::Position;

/// Bytes between two counts.
const STRIDE: usize = 256;
const MARK: &str = "\u{feff}";

/// A file that is text.
#[derive(Debug, Clone)]
pub(super) struct SourceText {
    /// The file as it was read.
    pub file: FileContent,
    /// The bytes of its byte order mark.
    mark: usize,
    /// Counts at every [`STRIDE`] bytes behind the mark.
    counts: Vec<PositionCount>,
    /// Where lines begin; a lone carriage return ends one as well.
    lines: Vec<usize>,
}

/// What stands between the mark and a place.
#[derive(Debug, Clone, Copy)]
struct PositionCount {
    byte: usize,
    utf16: usize,
    characters: usize,
}

impl SourceText {
    /// Takes a file; `None` where it is no text.
    pub fn of(file: FileContent) -> Option<Self> {
        let text = std::str::from_utf8(&file.bytes).ok()?;
        let mark = if text.starts_with(MARK) { MARK.len() } else { 0 };
        let (mut counts, mut lines) = (Vec::new(), vec![mark]);
        let mut now = PositionCount { byte: mark, utf16: 0, characters: 0 };
        let mut next = mark;
        let mut rest = text[mark..].chars().peekable();
        while let Some(character) = rest.next() {
            if now.byte >= next {
                counts.push(now);
                next = now.byte + STRIDE;
            }
            now.byte += character.len_utf8();
            now.utf16 += character.len_utf16();
            now.characters += 1;
            if character == '\n' || character == '\r' && rest.peek() != Some(&'\n') {
                lines.push(now.byte);
            }
        }
        Some(Self { file, mark, counts, lines })
    }

    /// The text, its mark included.
    pub fn text(&self) -> &str {
        // It was one when it was taken.
        std::str::from_utf8(&self.file.bytes).unwrap_or_default()
    }

    /// Looks a place up: where it is in the bytes of the file. `None` where there is no such place, or one within a
    /// character, a line's ending or the byte order mark.
    pub fn byte_at(&self, position: Position) -> Option<usize> {
        let byte = match position {
            Position::Byte(byte) => byte as usize,
            Position::Utf16(units) => self.byte_behind(units as usize, |count| count.utf16, char::len_utf16)?,
            Position::Character { line, column } => {
                let line = (line as usize).checked_sub(1)?;
                let start = *self.lines.get(line)?;
                let end = self.lines.get(line + 1).map_or(self.file.bytes.len(), |next| *next);
                let before = (column as usize).checked_sub(1)?.checked_add(self.characters_before(start))?;
                self.byte_behind(before, |count| count.characters, |_| 1).filter(|byte| *byte <= end)?
            }
        };
        let text = self.text();
        let is_place = byte >= self.mark && text.is_char_boundary(byte);
        let splits_ending = is_place && text[byte..].starts_with('\n') && text[..byte].ends_with('\r');
        (is_place && !splits_ending).then_some(byte)
    }

    /// The place that so many units lie before.
    fn byte_behind(&self, units: usize, of: fn(&PositionCount) -> usize, width: fn(char) -> usize) -> Option<usize> {
        let count = self.counts.partition_point(|count| of(count) <= units).checked_sub(1);
        let (mut byte, mut seen) = match count {
            Some(at) => (self.counts[at].byte, of(&self.counts[at])),
            None => (self.mark, 0),
        };
        for character in self.text()[byte..].chars() {
            if seen >= units {
                break;
            }
            seen += width(character);
            byte += character.len_utf8();
        }
        (seen == units).then_some(byte)
    }

    fn characters_before(&self, byte: usize) -> usize {
        let at = self.counts.partition_point(|count| count.byte <= byte);
        let from =
            at.checked_sub(1).map_or(PositionCount { byte: self.mark, utf16: 0, characters: 0 }, |at| self.counts[at]);
        from.characters + self.text()[from.byte..byte].chars().count()
    }

    /// Whether a line begins at a place.
    pub fn begins_line(&self, byte: usize) -> bool {
        self.lines.binary_search(&byte).is_ok()
    }

    /// Returns the text to insert at a place, with the line endings of the lines around it. Compilers show code without
    /// these endings.
    pub fn with_endings(&self, text: &str, place: usize) -> String {
        let around = &self.file.bytes;
        let next = memchr::memchr(b'\n', &around[place..]).map(|at| place + at);
        let ending = next.or_else(|| memchr::memrchr(b'\n', &around[..place]));
        let is_crlf = ending.is_some_and(|at| around[..at].ends_with(b"\r"));
        if is_crlf && !text.contains('\r') { text.replace('\n', "\r\n") } else { text.to_owned() }
    }

    /// The line, counted from 1, above which a block of lines stands that are indented alike, if `range` takes whole
    /// lines out of such a block. Only indentation says what a block is; comments and empty lines are in none.
    pub fn block_above(&self, range: &Range<usize>) -> Option<usize> {
        let text = self.text();
        let line = self.lines.partition_point(|start| *start <= range.start).checked_sub(1)?;
        let whole = text[self.lines[line]..range.start].trim().is_empty()
            && (text[..range.end].ends_with(['\n', '\r']) || text[range.end..].trim_start_matches(' ').is_empty());
        let depth = |line: usize| {
            let text = &text[self.lines[line]..self.lines.get(line + 1).map_or(text.len(), |next| *next)];
            let code = text.trim_start();
            (!code.is_empty() && !code.starts_with('#')).then(|| text.len() - code.len())
        };
        let own = depth(line).filter(|depth| *depth > 0 && whole)?;
        (0..line).rev().find(|above| depth(*above).is_some_and(|depth| depth < own)).map(|above| above + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Position::{Byte, Utf16};

    const fn at(line: u32, column: u32) -> Position {
        Position::Character { line, column }
    }

    fn source(text: &str) -> SourceText {
        SourceText::of(FileContent::plain(text)).unwrap()
    }

    #[test]
    fn places_are_found_in_each_unit() {
        let text = "\u{feff}aé😀b\r\nc\rd\n";
        let cases: [(Position, Option<usize>); 26] = [
            (Byte(0), None),
            (Byte(3), Some(3)),
            (Byte(5), None),
            (Byte(6), Some(6)),
            (Byte(11), Some(11)),
            (Byte(12), None),
            (Byte(13), Some(13)),
            (Byte(17), Some(17)),
            (Byte(18), None),
            (Utf16(0), Some(3)),
            (Utf16(2), Some(6)),
            (Utf16(3), None),
            (Utf16(4), Some(10)),
            (Utf16(6), None),
            (Utf16(11), Some(17)),
            (Utf16(12), None),
            (at(0, 1), None),
            (at(1, 0), None),
            (at(1, 1), Some(3)),
            (at(1, 4), Some(10)),
            (at(1, 6), None),
            (at(1, 8), None),
            (at(2, 1), Some(13)),
            (at(3, 1), Some(15)),
            (at(4, 1), Some(17)),
            (at(4, 2), None),
        ];
        for (position, expected) in cases {
            assert_eq!(source(text).byte_at(position), expected, "{position:?}");
        }
        assert_eq!(source("").byte_at(at(1, 1)), Some(0));
        assert_eq!(source("").byte_at(Utf16(0)), Some(0));
        assert_eq!(source("a").byte_at(Utf16(u32::MAX)), None);
        assert!(SourceText::of(FileContent::plain(*b"a\xff")).is_none());
    }

    #[test]
    fn places_in_long_files_are_those_that_one_counts() {
        let line = "a😀é\t".repeat(STRIDE / 2) + "\r\n";
        let text = "\u{feff}".to_owned() + &line.repeat(4);
        let source = source(&text);
        let (mut utf16, mut byte) = (0, "\u{feff}".len());
        for (number, line) in text["\u{feff}".len()..].split_inclusive('\n').enumerate() {
            for (column, character) in line.chars().enumerate() {
                let places = [Byte(byte as u32), Utf16(utf16), at(number as u32 + 1, column as u32 + 1)];
                let expected = if character == '\n' { None } else { Some(byte) };
                assert_eq!(places.map(|place| source.byte_at(place)), [expected; 3], "{number}:{column}");
                byte += character.len_utf8();
                utf16 += character.len_utf16() as u32;
            }
        }
    }

    #[test]
    fn what_is_put_in_ends_like_the_lines_around() {
        for (text, place, put, expected) in [
            ("a\r\nb\r\n", 0, "x\ny", "x\r\ny"),
            ("a\r\nb", 4, "x\ny", "x\r\ny"),
            ("a\r\nb\n", 4, "x\ny", "x\ny"),
            ("a\nb\n", 0, "x\r\ny", "x\r\ny"),
            ("a\r\n", 0, "x\r\ny", "x\r\ny"),
            ("a", 0, "x\ny", "x\ny"),
        ] {
            assert_eq!(source(text).with_endings(put, place), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_of_one_block_have_one_line_above() {
        let text = "def f():\n    a\n    # c\n\n    b\n    if x:\n        y\nz\n";
        for (gone, expected) in [
            ("    a\n", Some(1)),
            ("    b\n", Some(1)),
            ("        y\n", Some(6)),
            ("z\n", None),
            ("a", None),
            ("def f():\n", None),
        ] {
            let start = text.find(gone).unwrap();
            assert_eq!(source(text).block_above(&(start..start + gone.len())), expected, "{gone:?}");
        }
    }
}
