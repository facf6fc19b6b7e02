//! The checksum of a frame.

/// Returns the XOR of bytes.
pub fn checksum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |sum, byte| sum ^ byte)
}
