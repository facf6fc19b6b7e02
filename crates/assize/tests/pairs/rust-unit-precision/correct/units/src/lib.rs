//! Measures as text.

/// A unit of length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// 1 m.
    Metre,
    /// 1000 m.
    Kilometre,
}

/// Writes `metres` in the given unit with that many decimals.
pub fn format_length(metres: f64, unit: Length, decimals: usize) -> String {
    match unit {
        Length::Metre => format!("{metres:.decimals$} m"),
        Length::Kilometre => format!("{:.decimals$} km", metres / 1000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metres() {
        assert_eq!(format_length(12.346, Length::Metre, 2), "12.35 m");
    }

    #[test]
    fn kilometres() {
        assert_eq!(format_length(1500.0, Length::Kilometre, 2), "1.50 km");
    }

    #[test]
    fn decimals_can_be_chosen() {
        assert_eq!(format_length(1234.0, Length::Kilometre, 1), "1.2 km");
        assert_eq!(format_length(1234.0, Length::Kilometre, 3), "1.234 km");
    }

    #[test]
    fn edge_zero() {
        assert_eq!(format_length(0.0, Length::Metre, 2), "0.00 m");
    }

    #[test]
    fn edge_no_decimals() {
        assert_eq!(format_length(7.6, Length::Metre, 0), "8 m");
    }

    #[test]
    fn edge_negative_length() {
        assert_eq!(format_length(-2500.0, Length::Kilometre, 1), "-2.5 km");
    }
}
