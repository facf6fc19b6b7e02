//! Units of length.

/// A unit of length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Millimetre,
    Centimetre,
    Metre,
    Kilometre,
    Inch,
    Foot,
    Mile,
}

impl Unit {
    /// Returns the unit of an abbreviation.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "mm" => Self::Millimetre,
            "cm" => Self::Centimetre,
            "m" => Self::Metre,
            "km" => Self::Kilometre,
            "in" => Self::Inch,
            "ft" => Self::Foot,
            "mi" => Self::Mile,
            _ => return None,
        })
    }

    /// Returns how many tenths of a millimetre it has.
    pub fn tenths(self) -> i128 {
        match self {
            Self::Millimetre => 10,
            Self::Centimetre => 100,
            Self::Metre => 10_000,
            Self::Kilometre => 10_000_000,
            Self::Inch => 254,
            Self::Foot => 12 * 254,
            Self::Mile => 5280 * 12 * 254,
        }
    }
}
