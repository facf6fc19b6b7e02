//! Versions such as `1.4.0-rc.1`, and their order.

pub mod span;
pub mod version;

pub use span::Span;
pub use version::{ParseError, Version};
