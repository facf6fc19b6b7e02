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
    let end = text.find(|character: char| !matches!(character, '0'..='9' | '.' | '-'))?;
    let (number, unit) = text.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = [whole.strip_prefix('-').unwrap_or(whole), fraction];
    let is_digits =
        |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits.iter().all(is_digits) {
        return None;
    }
    let fraction = number.split_once('.').map_or("", |(_, fraction)| fraction);
    Some(Length {
        number: format!("{whole}{fraction}").parse().ok()?,
        places: u32::try_from(fraction.len()).ok()?,
        unit: Unit::named(unit.strip_prefix(' ').unwrap_or(unit))?,
    })
}

/// Writes a length in another unit.
pub fn convert(length: Length, unit: Unit) -> Option<String> {
    let tenths = i128::from(length.number) * length.unit.tenths();
    let scale = 10_i128.checked_pow(length.places)?;
    let divisor = scale.checked_mul(unit.tenths())?;
    let sign = if tenths < 0 { "-" } else { "" };
    let mut text = format!("{sign}{}", (tenths / divisor).abs());
    let mut rest = (tenths % divisor).abs();
    if rest > 0 {
        text.push('.');
    }
    let most = text.len() + 60;
    while rest > 0 && text.len() < most {
        rest = rest.checked_mul(10)?;
        text.push_str(&(rest / divisor).to_string());
        rest %= divisor;
    }
    (rest == 0).then_some(text)
}
