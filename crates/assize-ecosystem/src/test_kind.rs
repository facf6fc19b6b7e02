//! Tells tests of edge cases from tests of what a program ordinarily does.
//!
//! By the words of a test's name, since that is all that every runner reports. The words can be
//! configured. A name that says nothing is that of a functional test.

use std::collections::BTreeSet;

/// Words that mark the test of an edge case, in lower case.
pub const EDGE_WORDS: [&str; 60] = [
    "absent",
    "bad",
    "blank",
    "bound",
    "boundary",
    "bounds",
    "corner",
    "corrupt",
    "duplicate",
    "duplicates",
    "edge",
    "empty",
    "error",
    "errors",
    "exceeds",
    "exceeding",
    "extreme",
    "fail",
    "fails",
    "failure",
    "fuzz",
    "huge",
    "illegal",
    "infinite",
    "infinity",
    "invalid",
    "large",
    "limit",
    "limits",
    "malformed",
    "max",
    "maximum",
    "min",
    "minimum",
    "missing",
    "nan",
    "negative",
    "nil",
    "none",
    "null",
    "outside",
    "overflow",
    "panics",
    "raise",
    "raises",
    "reject",
    "rejects",
    "single",
    "throw",
    "throws",
    "truncated",
    "undefined",
    "underflow",
    "unexpected",
    "unicode",
    "unknown",
    "unsupported",
    "whitespace",
    "wrong",
    "zero",
];

/// What a test is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestKind {
    /// What the program ordinarily does.
    Functional,
    /// The rim of what it accepts, or beyond.
    Edge,
}

/// Tells what a test is about by the words of its name. The names of files and folders before the last `::`, `>`, `/` or
/// `.` count as well: `tests/edge_cases.py::test_a` is one.
pub fn kind_of(id: &str, edge_words: &BTreeSet<String>) -> TestKind {
    let mut word = String::new();
    let mut previous = ' ';
    let mut edge = false;
    let mut end = |word: &mut String| {
        edge |= edge_words.contains(word.as_str());
        word.clear();
    };
    for character in id.chars() {
        let begins = !character.is_alphabetic() || (character.is_uppercase() && !previous.is_uppercase());
        if begins {
            end(&mut word);
        }
        if character.is_alphabetic() {
            word.extend(character.to_lowercase());
        }
        previous = character;
    }
    end(&mut word);
    if edge { TestKind::Edge } else { TestKind::Functional }
}

/// The words that hold where none are configured.
pub fn default_edge_words() -> BTreeSet<String> {
    EDGE_WORDS.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_name_decide() {
        let words = default_edge_words();
        for edge in [
            "tests/test_gcd.py::test_zero",
            "tests/edge_cases.py::test_a",
            "parse::tests::rejects_garbage",
            "Parser > throws on bad input",
            "TestEmptyList",
            "testMaxValue",
            "handles null",
        ] {
            assert_eq!(kind_of(edge, &words), TestKind::Edge, "{edge}");
        }
        for functional in
            ["test_gcd.py::test_small_numbers", "adds two numbers", "tests::maximal_munch", "TestZeroconf", ""]
        {
            assert_eq!(kind_of(functional, &words), TestKind::Functional, "{functional}");
        }
        assert_eq!(kind_of("handles_leap_days", &BTreeSet::from(["leap".to_owned()])), TestKind::Edge);
    }

    #[test]
    fn the_words_are_sorted_and_each_is_there_once() {
        assert_eq!(default_edge_words().len(), EDGE_WORDS.len());
    }
}
