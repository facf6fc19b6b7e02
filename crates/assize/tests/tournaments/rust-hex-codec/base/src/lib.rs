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
    if text.is_empty() {
        return Ok(Vec::new());
    }
    Err(Error::Odd)
}
