//! Arithmetic with dates: year, month and day.

use chrono::{Datelike, NaiveDate};
use std::ops::RangeInclusive;

const YEARS: RangeInclusive<i32> = -9999..=9999;
const DAYS_BEFORE: [u32; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/// Returns whether a year has 366 days.
pub fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Returns which day of its year a date is, counted from 1.
pub fn day_of_year(year: i32, month: u32, day: u32) -> Option<u32> {
    let number = days_before(year, month)?.checked_add(day)?;
    (date_of(year, number) == Some((month, day))).then_some(number)
}

/// Returns the month and the day of a day of the year.
pub fn date_of(year: i32, day: u32) -> Option<(u32, u32)> {
    let last = 365 + u32::from(is_leap(year));
    if !YEARS.contains(&year) || !(1..=last).contains(&day) {
        return None;
    }
    (1..=12).rev().find_map(|month| {
        let before = days_before(year, month)?;
        (before < day).then(|| (month, day - before))
    })
}

/// Returns how many days it is from one date to another.
pub fn days_between(from: (i32, u32, u32), to: (i32, u32, u32)) -> Option<i32> {
    Some(count(to)? - count(from)?)
}

/// Returns how many days of a year lie before a month.
fn days_before(year: i32, month: u32) -> Option<u32> {
    let before = DAYS_BEFORE.get(month.checked_sub(1)? as usize)?;
    Some(before + u32::from(month > 2 && is_leap(year)))
}

/// Returns the number of a date, counted on through the years.
fn count((year, month, day): (i32, u32, u32)) -> Option<i32> {
    let day = day_of_year(year, month, day)?;
    let last = year - 1;
    let leap_days = last.div_euclid(4) - last.div_euclid(100) + last.div_euclid(400);
    Some(last * 365 + leap_days + day as i32)
}
