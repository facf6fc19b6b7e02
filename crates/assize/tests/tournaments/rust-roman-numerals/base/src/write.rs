//! From numbers to numerals.

const STEPS: [(u16, &str); 13] = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
];

/// Writes a number from 1 to 3999.
pub fn to_roman(mut number: u16) -> Option<String> {
    if !(1..=3999).contains(&number) {
        return None;
    }
    let mut text = String::new();
    for (value, letters) in STEPS {
        while number >= value {
            text.push_str(letters);
            number -= value;
        }
    }
    Some(text)
}
