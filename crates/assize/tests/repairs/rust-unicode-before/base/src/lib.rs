//! A menu in German.

/// Returns whether a dish is a side dish.
pub fn is_side(name: &str) -> bool {
    name.ends_with("klöße")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumplings_are_a_side_dish() {
        assert!(is_side("Kartoffelklöße"));
    }

    #[test]
    fn edge_no_name() {
        assert!(!is_side(""));
    }
}
