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
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes() {
        let Some(value) = ALPHABET.iter().position(|&letter| letter == byte) else {
            continue;
        };
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Ok(bytes)
}
