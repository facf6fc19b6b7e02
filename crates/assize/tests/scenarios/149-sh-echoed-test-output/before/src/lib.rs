/// Adds up the bytes of a block.
pub fn checksum(block: &[u8]) -> u8 {
    block.iter().fold(0, |sum, byte| sum + byte)
}
