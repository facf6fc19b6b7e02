//! The order of versions.

use std::cmp::Ordering;

/// Compares two versions.
///
/// ```
/// use std::cmp::Ordering;
///
/// assert_eq!(version_order::compare("1.2", "1.3"), Ordering::Less);
/// assert_eq!(version_order::compare("1.10", "1.9"), Ordering::Greater);
/// ```
pub fn compare(left: &str, right: &str) -> Ordering {
    let (left, left_pre) = split(left);
    let (right, right_pre) = split(right);
    let numbers = (0..left.len().max(right.len()))
        .map(|place| part(&left, place).cmp(&part(&right, place)))
        .find(|order| order.is_ne());
    numbers.unwrap_or(match left_pre {
        None => Ordering::Equal,
        Some(_) => Ordering::Less,
    })
}

fn split(version: &str) -> (Vec<u64>, Option<&str>) {
    let (numbers, pre) = match version.split_once('-') {
        Some((numbers, pre)) => (numbers, Some(pre)),
        None => (version, None),
    };
    let numbers = numbers.split('.').map(|part| part.parse().unwrap_or(0));
    (numbers.collect(), pre)
}

fn part(numbers: &[u64], place: usize) -> u64 {
    numbers.get(place).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each version is smaller than the next one.
    fn rising(versions: &[&str]) {
        for pair in versions.windows(2) {
            assert_eq!(compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(compare(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
        }
    }

    #[test]
    fn parts_in_order() {
        rising(&["1.0.0", "1.0.1", "1.1.0", "2.0.0"]);
    }

    #[test]
    fn parts_are_numbers() {
        rising(&["1.2", "1.9", "1.10", "1.100", "10.0"]);
    }

    #[test]
    fn pre_release_comes_first() {
        rising(&["1.9", "2.0-alpha", "2.0-beta", "2.0", "2.1-alpha"]);
    }

    #[test]
    fn equal_versions() {
        assert_eq!(compare("3.1.4", "3.1.4"), Ordering::Equal);
    }

    #[test]
    fn edge_missing_parts_are_zero() {
        assert_eq!(compare("1.2", "1.2.0"), Ordering::Equal);
        rising(&["1.2", "1.2.0.1"]);
    }

    #[test]
    fn edge_empty_version_is_zero() {
        assert_eq!(compare("", "0.0"), Ordering::Equal);
    }

    #[test]
    fn edge_leading_zeros() {
        assert_eq!(compare("1.02", "1.2"), Ordering::Equal);
    }

    #[test]
    fn edge_maximum() {
        rising(&["1.18446744073709551614", "1.18446744073709551615"]);
    }
}
