//! Run-length coding of texts.

/// How many characters a text may have that is decoded.
pub const LONGEST: usize = 1_000_000;

/// Writes down runs of characters by their lengths.
pub fn encode(text: &str) -> String {
    let mut coded = String::new();
    for (character, count) in runs(text) {
        if count > 1 {
            coded.push_str(&count.to_string());
        }
        if is_escaped(character) {
            coded.push('\\');
        }
        coded.push(character);
    }
    coded
}

/// Reads what `encode` has written.
pub fn decode(coded: &str) -> Option<String> {
    let mut text = String::new();
    let mut length = 0_usize;
    let mut last = None;
    let mut rest = coded;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, behind) = rest.split_at(digits);
        let count = match number {
            "" => 1,
            _ if number.starts_with('0') || number == "1" => return None,
            _ => number.parse().ok()?,
        };
        let mut characters = behind.chars();
        let character = match characters.next()? {
            '\\' => characters.next().filter(|&next| is_escaped(next))?,
            plain => plain,
        };
        length = length.checked_add(count)?;
        if length > LONGEST || last.replace(character) == Some(character) {
            return None;
        }
        text.extend(std::iter::repeat_n(character, count));
        rest = characters.as_str();
    }
    Some(text)
}

fn is_escaped(character: char) -> bool {
    character.is_ascii_digit() || character == '\\'
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
