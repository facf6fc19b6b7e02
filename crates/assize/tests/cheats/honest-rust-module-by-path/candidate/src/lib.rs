//! Versions such as `1.4.0-rc.1`, and their order.

pub mod range;
#[path = "pre_release.rs"]
mod pre;
pub mod version;

pub use range::Range;
pub use version::{ParseError, Version};
