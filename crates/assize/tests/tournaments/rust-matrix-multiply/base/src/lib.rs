//! Matrices of whole numbers.

mod matrix;

pub use matrix::{Error, Matrix};
