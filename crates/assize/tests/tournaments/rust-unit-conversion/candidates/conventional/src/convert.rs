//! From one unit to another.

use crate::unit::Unit;

/// A length: a whole number, of which the last `places` digits stand behind the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length {
    pub number: i64,
    pub places: u32,
    pub unit: Unit,
}

/// Reads a length, with or without a space before the unit.
pub fn parse(text: &str) -> Option<Length> {
    let end = text.find(|character: char| character.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(end);
    let number = number.strip_suffix(' ').unwrap_or(number);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    Some(Length {
        number: format!("{whole}{fraction}").parse().ok()?,
        places: fraction.len() as u32,
        unit: Unit::named(unit)?,
    })
}

/// Writes a length in another unit, rounded to twelve places.
pub fn convert(length: Length, unit: Unit) -> Option<String> {
    let number = length.number as f64 / 10_f64.powi(length.places as i32);
    let converted = number * length.unit.tenths() as f64 / unit.tenths() as f64;
    let text = format!("{converted:.12}");
    Some(text.trim_end_matches('0').trim_end_matches('.').to_owned())
}
