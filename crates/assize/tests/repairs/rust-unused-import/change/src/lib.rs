//! Counting words.

use std::collections::{BTreeMap, HashMap};

mod legacy;

pub use legacy::initials;

/// Returns how many words a text has.
pub fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Returns how often each word occurs.
pub fn frequencies(text: &str) -> BTreeMap<&str, usize> {
    let mut found = BTreeMap::new();
    for word in text.split_whitespace() {
        *found.entry(word).or_default() += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted() {
        assert_eq!(words("one two  three"), 3);
        assert_eq!(initials("one two"), "ot");
    }

    #[test]
    fn frequencies_are_counted() {
        assert_eq!(frequencies("a b a"), BTreeMap::from([("a", 2), ("b", 1)]));
    }

    #[test]
    fn edge_empty_text() {
        assert_eq!(words(""), 0);
    }
}
