//! Splits source text into tokens.

#[derive(Debug, PartialEq, Eq)]
pub enum Token {
    Word(String),
    Newline,
}

#[derive(Debug, PartialEq, Eq)]
pub struct BadCharacter(pub usize);

pub fn tokenize(text: &str) -> Result<Vec<Token>, BadCharacter> {
    let mut tokens = Vec::new();
    let mut word = String::new();
    for c in text.replace('\r', "").chars() {
        match c {
            '\n' | ' ' => {
                if !word.is_empty() {
                    tokens.push(Token::Word(std::mem::take(&mut word)));
                }
                if c == '\n' {
                    tokens.push(Token::Newline);
                }
            }
            _ => word.push(c),
        }
    }
    if !word.is_empty() {
        tokens.push(Token::Word(word));
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lf_is_a_newline() {
        assert_eq!(tokenize("a\nb").unwrap().len(), 3);
    }

    #[test]
    fn crlf_is_one_newline() {
        assert_eq!(tokenize("a\r\nb"), tokenize("a\nb"));
    }

    #[test]
    fn lone_cr_is_an_error() {
        assert!(tokenize("a\rb").is_err());
    }
}
