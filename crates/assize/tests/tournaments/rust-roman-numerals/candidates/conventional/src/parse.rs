//! From numerals to numbers.

/// Reads a numeral, in capital or small letters.
pub fn from_roman(text: &str) -> Option<u16> {
    let mut number = 0_u16;
    let mut letters = text.chars().map(value).peekable();
    while let Some(letter) = letters.next() {
        let letter = letter?;
        match letters.peek() {
            Some(&Some(next)) if next > letter => number = number.checked_sub(letter)?,
            _ => number = number.checked_add(letter)?,
        }
    }
    (number > 0).then_some(number)
}

/// Returns what a letter stands for.
fn value(letter: char) -> Option<u16> {
    match letter.to_ascii_uppercase() {
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
