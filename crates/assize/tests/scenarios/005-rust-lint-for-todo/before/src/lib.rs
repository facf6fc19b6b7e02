//! A tiny linter.

pub mod checks;

#[derive(Debug, PartialEq, Eq)]
pub struct Report {
    pub line: usize,
    pub message: String,
}
