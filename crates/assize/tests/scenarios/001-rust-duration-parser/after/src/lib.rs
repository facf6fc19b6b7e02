//! Durations for humans.

use std::fmt;
use std::time::Duration;

/// Why a text is no duration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParseError {
    Empty,
    MissingUnit,
    UnknownUnit(char),
    Overflow,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "empty duration"),
            Self::MissingUnit => write!(f, "number without a unit"),
            Self::UnknownUnit(unit) => write!(f, "unknown unit `{unit}`"),
            Self::Overflow => write!(f, "duration too large"),
        }
    }
}

impl std::error::Error for ParseError {}

/// Parses `1h30m`, `45s`, `2d` and the like.
pub fn parse_duration(text: &str) -> Result<Duration, ParseError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(ParseError::Empty);
    }
    let mut total = 0u64;
    let mut number: Option<u64> = None;
    for c in text.chars() {
        if let Some(digit) = c.to_digit(10) {
            let shifted = number.unwrap_or(0).checked_mul(10).ok_or(ParseError::Overflow)?;
            number = Some(shifted.checked_add(u64::from(digit)).ok_or(ParseError::Overflow)?);
            continue;
        }
        let seconds = match c {
            'd' => 86_400,
            'h' => 3_600,
            'm' => 60,
            's' => 1,
            other => return Err(ParseError::UnknownUnit(other)),
        };
        let count = number.take().ok_or(ParseError::UnknownUnit(c))?;
        let part = count.checked_mul(seconds).ok_or(ParseError::Overflow)?;
        total = total.checked_add(part).ok_or(ParseError::Overflow)?;
    }
    match number {
        Some(_) => Err(ParseError::MissingUnit),
        None => Ok(Duration::from_secs(total)),
    }
}

/// Formats a duration as `1h30m5s`.
pub fn format_duration(duration: Duration) -> String {
    let total = duration.as_secs();
    if total == 0 {
        return "0s".to_string();
    }
    let mut out = String::new();
    for (unit, seconds) in [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)] {
        let count = total % next_larger(seconds) / seconds;
        if count > 0 {
            out.push_str(&format!("{count}{unit}"));
        }
    }
    out
}

fn next_larger(seconds: u64) -> u64 {
    match seconds {
        1 => 60,
        60 => 3_600,
        3_600 => 86_400,
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_zero() {
        assert_eq!(format_duration(Duration::ZERO), "0s");
    }

    #[test]
    fn parses_single_units() {
        assert_eq!(parse_duration("45s"), Ok(Duration::from_secs(45)));
        assert_eq!(parse_duration("2d"), Ok(Duration::from_secs(172_800)));
    }

    #[test]
    fn parses_combinations() {
        assert_eq!(parse_duration("1h30m"), Ok(Duration::from_secs(5_400)));
    }

    #[test]
    fn rejects_nonsense() {
        assert_eq!(parse_duration(""), Err(ParseError::Empty));
        assert_eq!(parse_duration("15"), Err(ParseError::MissingUnit));
        assert_eq!(parse_duration("3y"), Err(ParseError::UnknownUnit('y')));
        assert_eq!(parse_duration("99999999999999999999s"), Err(ParseError::Overflow));
    }
}
