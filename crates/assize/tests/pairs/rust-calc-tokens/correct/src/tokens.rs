//! From text to tokens.

/// A piece of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// A whole number.
    Number(u64),
    /// One of `+ - * / ( )`.
    Symbol(u8),
}

/// Splits `text` into tokens. The error is the place of the byte that fits nowhere.
pub fn tokens(text: &str) -> Result<Vec<Token>, usize> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(&byte) = bytes.get(place) {
        match byte {
            b' ' | b'\n' => place += 1,
            b'+' | b'-' | b'*' | b'/' | b'(' | b')' => {
                found.push(Token::Symbol(byte));
                place += 1;
            }
            b'0'..=b'9' => {
                let start = place;
                while bytes.get(place).is_some_and(u8::is_ascii_digit) {
                    place += 1;
                }
                found.push(Token::Number(
                    text[start..place].parse().map_err(|_| start)?,
                ));
            }
            b'#' => {
                while bytes.get(place).is_some_and(|&byte| byte != b'\n') {
                    place += 1;
                }
            }
            _ => return Err(place),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::Token::{Number, Symbol};
    use super::*;

    #[test]
    fn numbers_and_symbols() {
        assert_eq!(
            tokens("12+(3)"),
            Ok(vec![
                Number(12),
                Symbol(b'+'),
                Symbol(b'('),
                Number(3),
                Symbol(b')')
            ])
        );
    }

    #[test]
    fn comment_after_a_token() {
        assert_eq!(tokens("1 # one\n2"), Ok(vec![Number(1), Number(2)]));
    }

    #[test]
    fn comment_line() {
        assert_eq!(tokens("# + ? (\n7\n"), Ok(vec![Number(7)]));
    }

    #[test]
    fn edge_comment_in_the_last_line() {
        assert_eq!(tokens("7 # seven"), Ok(vec![Number(7)]));
    }

    #[test]
    fn edge_empty_comment() {
        assert_eq!(tokens("#\n#\n1"), Ok(vec![Number(1)]));
    }

    #[test]
    fn edge_unicode_in_a_comment() {
        assert_eq!(tokens("1 # größe 日\n"), Ok(vec![Number(1)]));
    }

    #[test]
    fn edge_empty_text() {
        assert_eq!(tokens(""), Ok(vec![]));
    }

    #[test]
    fn edge_unicode_fits_nowhere() {
        assert_eq!(tokens("1 × 2"), Err(2));
    }

    #[test]
    fn edge_number_past_the_maximum() {
        assert_eq!(tokens("18446744073709551616"), Err(0));
    }
}
