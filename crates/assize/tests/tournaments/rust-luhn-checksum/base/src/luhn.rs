//! The check digit.

/// Returns whether a number has the right check digit.
pub fn is_valid(number: &str) -> bool {
    !number.is_empty() && number.chars().all(|character| character.is_ascii_digit())
}

/// Returns the digit that makes a number valid when it is appended.
pub fn check_digit(_number: &str) -> Option<u8> {
    None
}
