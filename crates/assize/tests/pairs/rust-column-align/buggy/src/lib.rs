//! Text in columns.

/// Pads `text` with spaces on the right up to `width` characters.
///
/// ```
/// assert_eq!(columns::left("nut", 5), "nut  ");
/// ```
pub fn left(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}

/// Pads `text` with spaces on the left up to `width` characters.
///
/// ```
/// assert_eq!(columns::right("42", 5), "   42");
/// ```
pub fn right(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.len());
    format!("{}{text}", " ".repeat(missing))
}
