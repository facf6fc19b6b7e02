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

/// Returns how many days a month has in a year that may be a leap year.
pub fn days_in(month: u32, is_leap: bool) -> u32 {
    if month == 2 && is_leap {
        return 29;
    }
    days(month)
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
    fn leap_years_have_a_day_more() {
        assert_eq!(days_in(2, true), 29);
        assert_eq!(days_in(2, false), 28);
        assert_eq!(days_in(3, true), 31);
    }

    #[test]
    fn edge_no_month() {
        assert_eq!(days(13), 0);
    }
}
