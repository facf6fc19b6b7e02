//! Hides card numbers.

/// Returns a number of which only the last four characters are shown.
pub fn mask(number: &str) -> String {
    let shown = number.chars().count().saturating_sub(4);
    let hide = |(place, character)| if place < shown { '*' } else { character };
    number.chars().enumerate().map(hide).collect()
}
