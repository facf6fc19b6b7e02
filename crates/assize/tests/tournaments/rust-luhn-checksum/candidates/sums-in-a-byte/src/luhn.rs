//! The check digit.

/// Returns whether a number has the right check digit.
pub fn is_valid(number: &str) -> bool {
    digits(number).is_some_and(|digits| digits.len() > 1 && sum(&digits, false).is_multiple_of(10))
}

/// Returns the digit that makes a number valid when it is appended.
pub fn check_digit(number: &str) -> Option<u8> {
    let sum = sum(&digits(number)?, true);
    Some(((10 - sum % 10) % 10) as u8)
}

fn digits(number: &str) -> Option<Vec<u32>> {
    let mut digits = Vec::new();
    for part in number.split([' ', '-']) {
        if part.is_empty() {
            return None;
        }
        for character in part.chars() {
            digits.push(character.to_digit(10)?);
        }
    }
    Some(digits)
}

fn sum(digits: &[u32], mut doubled: bool) -> u32 {
    let mut sum = 0_u8;
    for digit in digits.iter().rev() {
        let add = match (doubled, digit * 2) {
            (false, _) => *digit,
            (true, twice) if twice > 9 => twice - 9,
            (true, twice) => twice,
        };
        sum += add as u8;
        doubled = !doubled;
    }
    u32::from(sum)
}
