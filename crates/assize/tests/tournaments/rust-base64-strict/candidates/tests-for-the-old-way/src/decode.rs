//! From text to bytes.

use crate::ALPHABET;

/// Why a text can't be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// The byte at this place is not in the alphabet.
    Character(usize),
    /// The length is no multiple of four.
    Length,
    /// There is a `=` at this place that does not belong there.
    Padding(usize),
    /// Bits behind the data are not zero.
    TrailingBits,
}

/// Reads bytes.
pub fn decode(text: &str) -> Result<Vec<u8>, Error> {
    let value = |byte: u8| ALPHABET.iter().position(|&letter| letter == byte);
    let is_wrong = |byte: u8| byte != b'=' && value(byte).is_none();
    if let Some(place) = text.bytes().position(is_wrong) {
        return Err(Error::Character(place));
    }
    if !text.len().is_multiple_of(4) {
        return Err(Error::Length);
    }
    let data = text.find('=').unwrap_or(text.len());
    let padding = &text[data..];
    if padding.len() > 2 || padding.bytes().any(|byte| byte != b'=') {
        return Err(Error::Padding(data));
    }
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for value in text[..data].bytes().filter_map(value) {
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Ok(bytes)
}
