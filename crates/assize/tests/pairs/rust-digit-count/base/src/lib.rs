//! Numbers as digits.

/// Returns how many digits `value` has in base `base`, or nothing if there is no such base.
pub fn digit_count(value: u64, base: u64) -> Option<u64> {
    todo!("count the digits of {value} in base {base}")
}

#[cfg(test)]
mod tests {
    use super::digit_count;

    #[test]
    fn decimal() {
        assert_eq!(digit_count(7, 10), Some(1));
        assert_eq!(digit_count(1234, 10), Some(4));
    }

    #[test]
    fn binary() {
        assert_eq!(digit_count(255, 2), Some(8));
        assert_eq!(digit_count(256, 2), Some(9));
    }

    #[test]
    fn base_larger_than_value() {
        assert_eq!(digit_count(99, 100), Some(1));
    }

    #[test]
    fn edge_zero_has_one_digit() {
        assert_eq!(digit_count(0, 10), Some(1));
    }

    #[test]
    fn edge_power_of_the_base() {
        assert_eq!(digit_count(999, 10), Some(3));
        assert_eq!(digit_count(1000, 10), Some(4));
    }

    #[test]
    fn edge_maximum() {
        assert_eq!(digit_count(u64::MAX, 2), Some(64));
        assert_eq!(digit_count(u64::MAX, u64::MAX), Some(2));
    }

    #[test]
    fn edge_base_zero() {
        assert_eq!(digit_count(5, 0), None);
    }

    #[test]
    fn edge_base_one() {
        assert_eq!(digit_count(5, 1), None);
    }
}
