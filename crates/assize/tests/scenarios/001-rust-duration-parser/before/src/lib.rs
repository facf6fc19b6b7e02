//! Durations for humans.

use std::time::Duration;

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
}
