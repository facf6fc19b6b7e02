//! Measures as text.

/// A unit of length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// 1 m.
    Metre,
    /// 1000 m.
    Kilometre,
}

/// Writes `metres` in the given unit.
pub fn format_length(metres: f64, unit: Length) -> String {
    match unit {
        Length::Metre => format!("{metres:.2} m"),
        Length::Kilometre => format!("{:.2} km", metres / 1000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metres() {
        assert_eq!(format_length(12.346, Length::Metre), "12.35 m");
    }

    #[test]
    fn kilometres() {
        assert_eq!(format_length(1500.0, Length::Kilometre), "1.50 km");
    }

    #[test]
    fn edge_zero() {
        assert_eq!(format_length(0.0, Length::Metre), "0.00 m");
    }
}
