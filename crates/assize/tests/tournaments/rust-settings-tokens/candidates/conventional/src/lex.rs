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
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' => {
                let (content, length) = quoted(rest).map_err(|offset| place + offset)?;
                found.push(Token::Text(content));
                length
            }
            '-' | '0'..='9' => {
                let length = number_length(rest);
                let number = rest[..length].parse().map_err(|_| place)?;
                found.push(Token::Number(number));
                length
            }
            _ => return Err(place),
        };
    }
    Ok(found)
}

/// Returns how many bytes a number takes.
fn number_length(text: &str) -> usize {
    let is_end = |character: char| !character.is_ascii_digit();
    text[1..].find(is_end).map_or(text.len(), |end| end + 1)
}

/// Reads a text in quotes and returns how many bytes it takes. The error is where it lies.
fn quoted(text: &str) -> Result<(String, usize), usize> {
    let mut content = String::new();
    let mut place = 1;
    loop {
        let rest = &text[place..];
        place += match rest.chars().next() {
            None | Some('\n') => return Err(0),
            Some('"') => return Ok((content, place + 1)),
            Some('\\') if rest.len() == 1 => return Err(0),
            Some('\\') => {
                let (character, length) = escape(&rest[1..]).ok_or(place)?;
                content.push(character);
                1 + length
            }
            Some(character) => {
                content.push(character);
                character.len_utf8()
            }
        };
    }
}

/// Reads what follows a backslash and returns how many bytes it takes.
fn escape(text: &str) -> Option<(char, usize)> {
    let character = match text.chars().next()? {
        'n' => '\n',
        't' => '\t',
        '"' => '"',
        '\\' => '\\',
        'u' => {
            let digits = text.strip_prefix("u{")?.split('}').next()?;
            let is_closed = text[2 + digits.len()..].starts_with('}');
            let is_plain = digits.len() <= 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let code = u32::from_str_radix(digits, 16).ok()?;
            let character = char::from_u32(code).filter(|_| is_closed && is_plain)?;
            return Some((character, digits.len() + 3));
        }
        _ => return None,
    };
    Some((character, 1))
}

fn name_length(text: &str) -> usize {
    let is_end = |character: char| !character.is_ascii_alphanumeric() && character != '_';
    text.find(is_end).unwrap_or(text.len())
}
