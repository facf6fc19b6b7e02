//! From bytes to text.

use crate::ALPHABET;

/// Writes bytes.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |place| u32::from(chunk.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let index = (bits >> (18 - 6 * place)) as usize & 63;
            let is_data = place < chunk.len();
            text.push(if is_data {
                ALPHABET[index] as char
            } else {
                '='
            });
        }
    }
    text
}
