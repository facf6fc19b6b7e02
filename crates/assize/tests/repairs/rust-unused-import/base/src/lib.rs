//! Counting words.

mod legacy;

pub use legacy::initials;

/// Returns how many words a text has.
pub fn words(text: &str) -> usize {
    text.split_whitespace().count()
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
    fn edge_empty_text() {
        assert_eq!(words(""), 0);
    }
}
