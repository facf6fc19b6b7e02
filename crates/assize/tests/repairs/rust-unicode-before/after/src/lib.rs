//! A menu in German.

/// Returns whether a dish is a side dish.
pub fn is_side(name: &str) -> bool {
    name.ends_with("klöße")
}

/// Returns whether a dish is a main dish.
pub fn is_main(name: &str) -> bool {
    !name.ends_with("klöße") && !name.contains('🌿') && !name.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumplings_are_a_side_dish() {
        assert!(is_side("Kartoffelklöße"));
    }

    #[test]
    fn other_dishes_are_main_dishes() {
        assert!(is_main("Sauerbraten"));
        assert!(!is_main("🌿 Salat"));
        assert!(!is_main(" "));
    }

    #[test]
    fn edge_no_name() {
        assert!(!is_side(""));
    }
}
