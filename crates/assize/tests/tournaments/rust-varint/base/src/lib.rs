//! Numbers of variable length.

mod zigzag;

pub use zigzag::{unzigzag, zigzag};

/// Why a number can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// The bytes end within it.
    Truncated,
    /// It has more than 64 bits.
    Overflow,
    /// It has more bytes than it needs.
    Overlong,
}

/// Appends a number.
pub fn write(number: u64, bytes: &mut Vec<u8>) {
    bytes.push((number & 0x7f) as u8);
}

/// Reads a number from the front and returns it with what is left.
pub fn read(bytes: &[u8]) -> Result<(u64, &[u8]), Error> {
    let (first, rest) = bytes.split_first().ok_or(Error::Truncated)?;
    Ok((u64::from(*first), rest))
}

/// Appends a number with a sign.
pub fn write_signed(number: i64, bytes: &mut Vec<u8>) {
    write(number.unsigned_abs(), bytes);
}

/// Reads a number with a sign.
pub fn read_signed(bytes: &[u8]) -> Result<(i64, &[u8]), Error> {
    read(bytes).map(|(number, rest)| (number as i64, rest))
}
