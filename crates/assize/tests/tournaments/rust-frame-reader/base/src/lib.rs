//! Frames in a stream of bytes.

mod checksum;
mod frames;

pub use checksum::checksum;
pub use frames::{Error, Frames, LIMIT};
