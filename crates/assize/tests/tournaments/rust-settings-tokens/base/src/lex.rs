//! From text to tokens.

/// A piece of a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// Letters, digits and underscores.
    Name(String),
    /// A whole number.
    Number(i64),
    /// A text in quotes, without escapes.
    Text(String),
    /// One of `= [ ] ,`.
    Sign(char),
}

/// Splits a text into tokens. The error is the byte where it lies.
pub fn tokens(text: &str) -> Result<Vec<Token>, usize> {
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(first) = text[place..].chars().next() {
        let rest = &text[place..];
        place += match first {
            '=' | '[' | ']' | ',' => {
                found.push(Token::Sign(first));
                1
            }
            _ if first.is_ascii_whitespace() => 1,
            _ if first.is_ascii_alphabetic() => {
                let length = name_length(rest);
                found.push(Token::Name(rest[..length].to_owned()));
                length
            }
            _ => return Err(place),
        };
    }
    Ok(found)
}

fn name_length(text: &str) -> usize {
    let is_end = |character: char| !character.is_ascii_alphanumeric() && character != '_';
    text.find(is_end).unwrap_or(text.len())
}
