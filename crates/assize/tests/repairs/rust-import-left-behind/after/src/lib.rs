//! Lists without repetitions.

use std::cmp::Reverse;

/// Returns each number once, in ascending order.
pub fn distinct(numbers: &[u32]) -> Vec<u32> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}

/// Returns the numbers, the greatest first.
pub fn falling(numbers: &[u32]) -> Vec<u32> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by_key(|number| Reverse(*number));
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_go() {
        assert_eq!(distinct(&[3, 1, 1]), [1, 3]);
        assert_eq!(falling(&[1, 3, 2]), [3, 2, 1]);
    }

    #[test]
    fn edge_nothing() {
        assert_eq!(distinct(&[]), [0; 0]);
    }
}
