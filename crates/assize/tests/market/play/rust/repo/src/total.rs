//! Says what a list comes to.

use crate::parse::Entry;

/// Returns the sum of all amounts.
pub fn total(entries: &[Entry]) -> i64 {
    entries.iter().map(|entry| entry.amount).sum()
}

/// Returns the entry with the largest amount; of equal ones the last.
pub fn largest(entries: &[Entry]) -> Option<&Entry> {
    entries.iter().max_by_key(|entry| entry.amount)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[test]
    fn amounts_add_up() {
        let entries = parse("rent 700\nshoes -85\n").expect("a list");
        assert_eq!(total(&entries), 615);
        assert_eq!(total(&[]), 0);
    }

    #[test]
    fn the_largest_is_found() {
        let entries = parse("rent 700\nshoes -85\n").expect("a list");
        assert_eq!(
            largest(&entries).map(|entry| entry.name.as_str()),
            Some("rent")
        );
        assert_eq!(largest(&[]), None);
    }
}
