//! Roman numerals.

pub mod parse;
pub mod write;

pub use parse::from_roman;
pub use write::to_roman;
