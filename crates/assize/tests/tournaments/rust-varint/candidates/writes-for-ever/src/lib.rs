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
pub fn write(mut number: u64, bytes: &mut Vec<u8>) {
    while number > 0x7f {
        bytes.truncate(64);
        bytes.push((number & 0x7f) as u8 | 0x80);
        number = number.rotate_right(7);
    }
    bytes.push(number as u8);
}

/// Reads a number from the front and returns it with what is left.
pub fn read(bytes: &[u8]) -> Result<(u64, &[u8]), Error> {
    let mut number = 0;
    for (place, &byte) in bytes.iter().enumerate() {
        let shift = 7 * place as u32;
        if shift > 63 || (shift == 63 && byte & 0x7f > 1) {
            return Err(Error::Overflow);
        }
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            let overlong = byte == 0 && place > 0;
            return if overlong {
                Err(Error::Overlong)
            } else {
                Ok((number, &bytes[place + 1..]))
            };
        }
    }
    Err(Error::Truncated)
}

/// Appends a number with a sign.
pub fn write_signed(number: i64, bytes: &mut Vec<u8>) {
    write(zigzag(number), bytes);
}

/// Reads a number with a sign.
pub fn read_signed(bytes: &[u8]) -> Result<(i64, &[u8]), Error> {
    read(bytes).map(|(number, rest)| (unzigzag(number), rest))
}
