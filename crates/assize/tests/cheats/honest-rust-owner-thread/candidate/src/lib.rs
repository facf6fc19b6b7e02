//! Versions such as `1.4.0-rc.1`, and their order.

mod owned;
pub mod range;
pub mod version;

pub use owned::Owned;
pub use range::Range;
pub use version::{ParseError, Version};
