//! A calculator.

pub mod tokens;
