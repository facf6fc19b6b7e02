//! How far the line numbers of hunks can be believed.
//!
//! Models guess numbers, and files change below a patch. A hunk whose lines stand in one place proves its number right or
//! wrong, and with it those of its file. Where a text names the file as it was by its hash, that proves all of them. How
//! lines are found must not be known here.

use crate::git_object;

/// Fewest lines that say something of a hunk that is told from its like by its number.
const TOLD_MIN: usize = 2;
/// How many lines off a number may well be that nothing proves: its like must not stand as near.
const DISTANCE_MIN: usize = 50;

/// What is known of a hunk's number.
#[derive(Debug, Clone, Copy)]
pub(super) struct HunkNumber {
    /// The line that it says, counted from 0.
    pub said: usize,
    /// Where its lines stand, if they stand in one place.
    pub found: Option<usize>,
}

/// What is known of the numbers of a file's hunks.
#[derive(Debug)]
pub(super) struct NumberTrust {
    numbers: Vec<Option<HunkNumber>>,
    /// Whether the file is the one that the text was made for, where the text names it.
    is_base: Option<bool>,
    is_disproved: bool,
}

impl NumberTrust {
    pub(super) fn of(numbers: Vec<Option<HunkNumber>>, is_base: Option<bool>) -> Self {
        let is_wrong = |number: &HunkNumber| number.found.is_some_and(|found| found != number.said);
        let is_disproved = is_base != Some(true) && numbers.iter().flatten().any(is_wrong);
        Self { numbers, is_base, is_disproved }
    }

    /// Whether a hunk of the file does not stand on the line that it says.
    pub(super) fn is_disproved(&self) -> bool {
        self.is_disproved
    }

    /// Whether the number of a hunk is proved: by the hash of the file, or by a hunk further down, since then nothing came or went
    /// above that.
    pub(super) fn holds(&self, index: usize) -> bool {
        if self.is_base == Some(true) {
            return true;
        }
        let Some(own) = self.numbers[index] else { return false };
        let is_proof = |number: &HunkNumber| number.said > own.said && number.found == Some(number.said);
        !self.is_disproved && self.numbers.iter().flatten().any(is_proof)
    }

    /// Returns which of several places a hunk means: that on its line, if nothing speaks against the number, or that which is moved
    /// like the hunks above and below it. `told` is how many of its lines say something.
    pub(super) fn among(&self, index: usize, starts: &[usize], told: usize) -> Option<usize> {
        let own = self.numbers[index]?;
        let is_place = |start: &usize| starts.contains(start);
        let is_far = starts.iter().all(|start| *start == own.said || start.abs_diff(own.said) >= DISTANCE_MIN);
        let is_likely = !self.is_disproved && self.is_base != Some(false) && told >= TOLD_MIN && is_far;
        if self.holds(index) || is_likely {
            return Some(own.said).filter(is_place);
        }
        let moved = |number: &HunkNumber| number.found?.checked_signed_diff(number.said);
        let others = || self.numbers.iter().flatten().filter(|number| number.found.is_some());
        let above = others().filter(|number| number.said < own.said).max_by_key(|number| number.said).map(moved)??;
        let below = others().filter(|number| number.said > own.said).min_by_key(|number| number.said).map(moved)??;
        (above == below).then(|| own.said.checked_add_signed(above)).flatten().filter(is_place)
    }
}

/// Whether git calls a text by a hash that begins so.
pub(super) fn is_blob(text: &[u8], hash: &str) -> bool {
    let is_it = |text: &[u8]| git_object(text).starts_with(&hash.to_ascii_lowercase());
    // Where git keeps `\n` for what is `\r\n` in the tree, it counts the same lines.
    let is_long = hash.len() >= HASH_DIGITS_MIN && hash.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_long && (is_it(text) || memchr::memmem::find(text, b"\r\n").is_some() && is_it(&unix(text)))
}

/// Shortest hash that proves something.
const HASH_DIGITS_MIN: usize = 7;

fn unix(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(content) => bytes.extend_from_slice(&[content, b"\n"].concat()),
            None => bytes.extend_from_slice(line),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trust(numbers: &[(usize, Option<usize>)], is_base: Option<bool>) -> NumberTrust {
        NumberTrust::of(
            numbers.iter().map(|(said, found)| Some(HunkNumber { said: *said, found: *found })).collect(),
            is_base,
        )
    }

    #[test]
    fn a_number_is_proved_by_a_hunk_below_it_or_by_the_hash() {
        for (numbers, is_base, index, expected) in [
            (vec![(3, None)], None, 0, false),
            (vec![(3, None)], Some(true), 0, true),
            (vec![(3, None)], Some(false), 0, false),
            (vec![(3, None), (9, Some(9))], None, 0, true),
            (vec![(3, Some(3)), (9, None)], None, 1, false),
            (vec![(1, Some(7)), (3, None), (9, Some(9))], None, 1, false),
        ] {
            assert_eq!(trust(&numbers, is_base).holds(index), expected, "{numbers:?} {is_base:?}");
        }
    }

    #[test]
    fn one_of_several_places_is_told_by_its_number_unless_that_is_disproved() {
        for (numbers, is_base, index, told, expected) in [
            (vec![(10, None)], None, 0, 2, Some(10)),
            (vec![(10, None)], None, 0, 1, None),
            (vec![(10, None)], Some(false), 0, 2, None),
            (vec![(10, None)], Some(true), 0, 1, Some(10)),
            (vec![(11, None)], None, 0, 2, None),
            (vec![(2, Some(8)), (10, None)], None, 1, 2, None),
            (vec![(2, Some(8)), (4, None), (90, Some(96))], None, 1, 2, Some(10)),
            (vec![(2, Some(8)), (4, None), (90, Some(95))], None, 1, 2, None),
        ] {
            let found = trust(&numbers, is_base).among(index, &[10, 60], told);
            assert_eq!(found, expected, "{numbers:?} {is_base:?}");
        }
    }

    #[test]
    fn a_number_alone_does_not_tell_between_places_close_to_each_other() {
        for (other, expected) in [(59, None), (60, Some(10))] {
            assert_eq!(trust(&[(10, None)], None).among(0, &[10, other], 2), expected, "{other}");
        }
    }

    #[test]
    fn git_names_a_file_by_its_bytes() {
        assert!(is_blob(b"a\n", "7898192"));
        assert!(is_blob(b"a\r\n", "7898192"), "git keeps it with `\\n`");
        assert!(is_blob(b"", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"));
        for hash in ["7898193", "789819", "", "789819g"] {
            assert!(!is_blob(b"a\n", hash), "{hash}");
        }
    }
}
