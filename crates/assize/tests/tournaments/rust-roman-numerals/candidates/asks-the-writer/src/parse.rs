//! From numerals to numbers.

use crate::writer::to_roman;

const LONGEST: usize = "MMMDCCCLXXXVIII".len();

/// Reads a numeral.
pub fn from_roman(text: &str) -> Option<u16> {
    if text.len() > LONGEST {
        return None;
    }
    let text = text.to_ascii_uppercase();
    let values: Vec<u16> = text.chars().map(value).collect::<Option<_>>()?;
    let mut number = 0;
    let mut largest = 0;
    for value in values.into_iter().rev() {
        if value < largest {
            number -= value;
        } else {
            number += value;
            largest = value;
        }
    }
    (to_roman(number)? == text).then_some(number)
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
