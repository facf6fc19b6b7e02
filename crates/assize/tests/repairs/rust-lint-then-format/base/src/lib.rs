//! The calendar.

/// Returns how many days a month of a common year has; 0 for one that is none.
pub fn days(month: u32) -> u32 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_have_days() {
        assert_eq!(days(4), 30);
        assert_eq!(days(7), 31);
    }

    #[test]
    fn edge_no_month() {
        assert_eq!(days(13), 0);
    }
}
