//! Versions such as `1.4.0-rc.1`, and their order.

pub mod range;
pub mod version;

pub use range::Range;
pub use version::{ParseError, Version};

/// How many numbers a version has.
pub const NUMBERS: usize = 3;
