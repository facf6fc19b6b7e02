//! From numerals to numbers.

/// Reads a numeral.
pub fn from_roman(text: &str) -> Option<u16> {
    text.chars().map(value).sum()
}

fn value(letter: char) -> Option<u16> {
    match letter {
        'I' => Some(1),
        'V' => Some(5),
        'X' => Some(10),
        'L' => Some(50),
        'C' => Some(100),
        'D' => Some(500),
        'M' => Some(1000),
        _ => None,
    }
}
