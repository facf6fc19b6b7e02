//! Delays such as `250m` or `3s`.

use std::time::Duration;

/// The text is no delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoDelay;

/// Reads a whole number with the unit `s` (seconds), `m` (minutes) or `h` (hours).
pub fn parse_delay(text: &str) -> Result<Duration, NoDelay> {
    let (number, unit) = text.split_at(text.len() - 1);
    let number: u64 = number.parse().map_err(|_| NoDelay)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err(NoDelay),
    };
    let seconds = number.checked_mul(seconds).ok_or(NoDelay)?;
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        assert_eq!(parse_delay("3s"), Ok(Duration::from_secs(3)));
        assert_eq!(parse_delay("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(parse_delay("1h"), Ok(Duration::from_secs(3600)));
    }

    #[test]
    fn several_digits() {
        assert_eq!(parse_delay("90s"), Ok(Duration::from_secs(90)));
    }

    #[test]
    fn nonsense_is_an_error() {
        for text in ["x", "10", "s", "1 s", "1.5s", "5d"] {
            assert_eq!(parse_delay(text), Err(NoDelay), "{text}");
        }
    }

    #[test]
    fn edge_zero() {
        assert_eq!(parse_delay("0h"), Ok(Duration::ZERO));
    }

    #[test]
    fn edge_negative_is_an_error() {
        assert_eq!(parse_delay("-1s"), Err(NoDelay));
    }

    #[test]
    fn edge_past_the_maximum_is_an_error() {
        assert_eq!(parse_delay("18446744073709551615h"), Err(NoDelay));
    }

    #[test]
    fn edge_empty_text_is_an_error() {
        assert_eq!(parse_delay(""), Err(NoDelay));
    }

    #[test]
    fn edge_unicode_unit_is_an_error() {
        assert_eq!(parse_delay("5µ"), Err(NoDelay));
        assert_eq!(parse_delay("分"), Err(NoDelay));
    }
}
