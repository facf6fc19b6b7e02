//! Text.

/// Returns a text of so many blanks.
pub fn blanks(width: usize) -> String {
    " ".repeat(width)
}
