//! Card numbers.

pub mod luhn;
pub mod mask;
