//! Bytes as hexadecimal text.

/// Why a text can't be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// No digit stands at this byte.
    Digit(usize),
    /// The last byte has one digit only.
    Odd,
}

/// Writes bytes with two digits each.
pub fn encode(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads bytes.
pub fn decode(text: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut characters = text.char_indices();
    while let Some((place, high)) = characters.next() {
        if high.is_ascii_whitespace() {
            continue;
        }
        let high = digit(place, high)?;
        let (place, low) = characters.next().ok_or(Error::Odd)?;
        bytes.push(high << 4 | digit(place, low)?);
    Ok(bytes)
}

fn digit(place: usize, character: char) -> Result<u8, Error> {
    let value = character.to_digit(16).ok_or(Error::Digit(place))?;
    Ok(value as u8)
}
