//! Adds up the amounts of a plain list: one entry a line, a name and an amount.

pub mod parse;
pub mod total;
