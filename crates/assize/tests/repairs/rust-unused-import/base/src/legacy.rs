//! What was there before.

use std::collections::HashSet;

/// Returns the first letter of each word.
pub fn initials(text: &str) -> String {
    let letters = text.split_whitespace().filter_map(|word| word.chars().next());
    return letters.collect();
}
