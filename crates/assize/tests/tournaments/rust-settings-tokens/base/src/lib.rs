//! Settings files.

mod lex;

pub use lex::{tokens, Token};
