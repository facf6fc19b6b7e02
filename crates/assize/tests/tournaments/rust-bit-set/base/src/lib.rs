//! Sets of small numbers.

mod set;

pub use set::{BitSet, LIMIT};
