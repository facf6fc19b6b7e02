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
    let mut place = 0;
    while place < text.len() {
        if text.as_bytes()[place].is_ascii_whitespace() {
            place += 1;
            continue;
        }
        if place + 1 == text.len() {
            return Err(Error::Odd);
        }
        let pair = &text[place..place + 2];
        let at = pair.chars().take_while(char::is_ascii_hexdigit).count();
        let byte = u8::from_str_radix(pair, 16).map_err(|_| Error::Digit(place + at))?;
        bytes.push(byte);
        place += 2;
    }
    Ok(bytes)
}
