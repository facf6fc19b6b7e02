//! Searches in sorted slices.

mod search;

pub use search::{first_at_least, nearest, span};
