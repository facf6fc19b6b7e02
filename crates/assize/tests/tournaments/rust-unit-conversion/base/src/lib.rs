//! Lengths in various units.

mod convert;
mod unit;

pub use convert::{convert, parse, Length};
pub use unit::Unit;
