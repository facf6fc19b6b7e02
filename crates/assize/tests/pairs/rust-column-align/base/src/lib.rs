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
