//! Headers of letters.

/// Returns the name of a header, without the colon.
pub fn name(line: &str) -> Option<&str> {
    line.split_once(':').map(|(name, _)| name)
}

/// Returns the value of a header.
pub fn value<'line>(line: &'line str) -> Option<&'line str> {
    line.split_once(':').map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_stands_before_the_colon() {
        assert_eq!(name("To: me"), Some("To"));
        assert_eq!(value("To: me "), Some("me"));
    }

    #[test]
    fn edge_no_colon() {
        assert_eq!(name("To me"), None);
    }
}
