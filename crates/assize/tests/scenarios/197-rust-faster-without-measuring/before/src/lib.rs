/// Counts words separated by ASCII white space.
pub fn word_count(text: &str) -> usize {
    text.split_whitespace().count()
}

#[cfg(test)]
mod tests {
    #[test]
    fn counts() {
        assert_eq!(super::word_count(" a bb\nccc "), 3);
    }
}
