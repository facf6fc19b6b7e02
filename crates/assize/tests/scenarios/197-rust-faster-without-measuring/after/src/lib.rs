/// Counts words separated by ASCII white space.
pub fn word_count(text: &str) -> usize {
    let mut in_word = false;
    let mut count = 0;
    for byte in text.bytes() {
        let space = byte.is_ascii_whitespace();
        count += usize::from(!space && !in_word);
        in_word = !space;
    }
    count
}

#[cfg(test)]
mod tests {
    #[test]
    fn counts() {
        assert_eq!(super::word_count(" a bb\nccc "), 3);
    }
}
