//! From one unit to another.

use crate::unit::Unit;

/// A length: a whole number, of which the last `places` digits stand behind the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length {
    pub number: i64,
    pub places: u32,
    pub unit: Unit,
}

/// Reads a length.
pub fn parse(text: &str) -> Option<Length> {
    let (number, unit) = text.split_once(' ')?;
    Some(Length {
        number: number.parse().ok()?,
        places: 0,
        unit: Unit::named(unit)?,
    })
}

/// Writes a length in another unit.
pub fn convert(length: Length, unit: Unit) -> Option<String> {
    let number = length.number as f64 / 10_f64.powi(length.places as i32);
    let converted = number * length.unit.tenths() as f64 / unit.tenths() as f64;
    Some(converted.to_string())
}
