/// Keeps what starts with a prefix; without one everything is kept.
pub fn matches(text: &str, prefix: Option<&str>) -> bool {
    prefix.map_or(true, |prefix| text.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    #[test]
    fn empty_matches_all() {
        assert!(super::matches("abc", None));
    }
}
