//! Scores of a game.

/// Returns the sum of all throws.
pub fn total(throws: &[u32]) -> u32 {
    throws.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throws_are_added() {
        assert_eq!(total(&[1, 2, 3]), 6);
    }

    #[test]
    fn edge_no_throw() {
        assert_eq!(total(&[]), 0);
    }
}
