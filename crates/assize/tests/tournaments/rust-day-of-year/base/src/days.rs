//! Arithmetic with dates: year, month and day.

const DAYS_BEFORE: [u32; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/// Returns whether a year has 366 days.
pub fn is_leap(year: i32) -> bool {
    year % 4 == 0
}

/// Returns which day of its year a date is, counted from 1.
pub fn day_of_year(year: i32, month: u32, day: u32) -> Option<u32> {
    let before = DAYS_BEFORE.get(month.checked_sub(1)? as usize)?;
    let leap = month > 2 && is_leap(year);
    Some(before + u32::from(leap) + day)
}

/// Returns the month and the day of a day of the year.
pub fn date_of(_year: i32, _day: u32) -> Option<(u32, u32)> {
    None
}

/// Returns how many days it is from one date to another.
pub fn days_between(_from: (i32, u32, u32), _to: (i32, u32, u32)) -> Option<i32> {
    None
}
