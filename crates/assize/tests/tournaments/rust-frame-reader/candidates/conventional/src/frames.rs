//! Takes frames out of bytes.

use crate::checksum::checksum;

/// How many bytes a frame may have.
pub const LIMIT: usize = 1024;

/// Why there are no more frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// A frame has more bytes than [`LIMIT`].
    TooLong,
}

/// Bytes that are not yet a frame.
#[derive(Debug, Default)]
pub struct Frames {
    bytes: Vec<u8>,
    damaged: usize,
    failed: bool,
}

impl Frames {
    /// Takes bytes and returns the frames that are complete with them.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        if self.failed {
            return Err(Error::TooLong);
        }
        self.bytes.extend_from_slice(bytes);
        let mut complete = Vec::new();
        while let [high, low, rest @ ..] = self.bytes.as_slice() {
            let length = usize::from(u16::from_be_bytes([*high, *low]));
            if length > LIMIT {
                self.failed = true;
                self.bytes.clear();
                return Err(Error::TooLong);
            }
            let Some((expected, content)) = rest.get(..=length).and_then(<[u8]>::split_first)
            else {
                break;
            };
            if checksum(content) != *expected {
                // A damaged frame is left out.
                self.damaged = 1;
                continue;
            }
            complete.push(content.to_vec());
            self.bytes.drain(..length + 3);
        }
        Ok(complete)
    }

    /// Returns how many frames had a wrong checksum.
    pub fn damaged(&self) -> usize {
        self.damaged
    }

    /// Returns how many bytes belong to no complete frame yet.
    pub fn waiting(&self) -> usize {
        self.bytes.len()
    }
}
