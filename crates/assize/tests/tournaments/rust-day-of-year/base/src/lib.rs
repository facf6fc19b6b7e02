//! Days of the Gregorian calendar.

mod days;

pub use days::{date_of, day_of_year, days_between, is_leap};
