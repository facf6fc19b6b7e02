//! Bytes as Base64.

mod decode;
mod encode;

pub use decode::{decode, Error};
pub use encode::encode;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
