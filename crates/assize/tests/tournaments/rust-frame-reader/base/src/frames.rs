//! Takes frames out of bytes.

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
}

impl Frames {
    /// Takes bytes and returns the frames that are complete with them.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        self.bytes.extend_from_slice(bytes);
        Ok(Vec::new())
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
