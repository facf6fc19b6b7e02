//! Scores of a game.

/// Returns the sum of all throws.
pub fn total(throws: &[u32]) -> u32 {
    throws.iter().sum()
}

/// Returns the highest throw.
pub fn best(throws: &[u32]) -> u32 {
    throws.iter().copied().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throws_are_added() {
        assert_eq!(total(&[1, 2, 3]), 6);
        assert_eq!(best(&[1, 3, 2]), 3);
    }

    #[test]
    fn edge_no_throw() {
        assert_eq!(total(&[]), 0);
        assert_eq!(best(&[]), 0);
    }
}
