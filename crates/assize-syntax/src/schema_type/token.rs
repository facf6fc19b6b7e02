//! Words and signs, as the formats that are read here have them in common.
//!
//! What stands in comments is left out. Nothing is ever refused: a string without an end goes to the end of
//! the file.

/// A word or sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'t> {
    /// Its text, without quotes.
    pub(super) text: &'t str,
    /// What it is.
    pub(super) kind: TokenKind,
    /// The line that it begins in, counted from 1.
    pub(super) line: u32,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A word or number.
    Word,
    /// A name in quotes.
    Quoted,
    /// A string.
    Text,
    /// One sign.
    Sign,
}

/// How a format writes what is not words and signs.
pub(super) struct Lexicon {
    /// What begins a comment that goes to the end of the line.
    pub(super) line_comments: &'static [&'static str],
    /// Whether `/* … */` is a comment.
    pub(super) block_comments: bool,
    /// What begins and ends a string.
    pub(super) strings: &'static [&'static str],
    /// What begins and ends a name in quotes.
    pub(super) names: &'static [(&'static str, &'static str)],
    /// Signs that may stand in a word.
    pub(super) in_words: &'static [char],
    /// Whether `$tag$ … $tag$` is a string.
    pub(super) dollar_strings: bool,
}

impl Token<'_> {
    /// Returns whether it is this sign.
    pub(super) fn is(&self, sign: &str) -> bool {
        self.kind == TokenKind::Sign && self.text == sign
    }

    /// Returns whether it is this word, in small or capital letters.
    pub(super) fn says(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Returns whether it names something.
    pub(super) fn is_name(&self) -> bool {
        match self.kind {
            TokenKind::Word => !self.text.starts_with(|first: char| first.is_ascii_digit()),
            TokenKind::Quoted => !self.text.is_empty(),
            TokenKind::Text | TokenKind::Sign => false,
        }
    }
}

/// Takes a text apart.
pub(super) fn tokens<'t>(text: &'t str, lexicon: &Lexicon) -> Vec<Token<'t>> {
    let mut found = Vec::new();
    let mut line = 1;
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    while let Some(first) = rest.chars().next() {
        let (token, length) = next(rest, first, lexicon);
        if let Some((text, kind)) = token {
            found.push(Token { text, kind, line });
        }
        let (passed, after) = rest.split_at(length.clamp(first.len_utf8(), rest.len()));
        let breaks = passed.bytes().filter(|byte| *byte == b'\n').count();
        line += u32::try_from(breaks).unwrap_or(u32::MAX - line);
        rest = after;
    }
    found
}

/// What a text begins with, and how long that is.
fn next<'t>(rest: &'t str, first: char, lexicon: &Lexicon) -> (Option<(&'t str, TokenKind)>, usize) {
    if first.is_whitespace() {
        return (None, first.len_utf8());
    }
    if lexicon.line_comments.iter().any(|mark| rest.starts_with(mark)) {
        return (None, rest.find('\n').unwrap_or(rest.len()));
    }
    if lexicon.block_comments && rest.starts_with("/*") {
        return (None, rest[2..].find("*/").map_or(rest.len(), |end| end + 4));
    }
    let enclosed = |open: &str, close: &str, kind| {
        let end = closing(&rest[open.len()..], close);
        let inner = &rest[open.len()..open.len() + end];
        (Some((inner, kind)), open.len() + end + close.len())
    };
    if let Some(quote) = lexicon.strings.iter().find(|quote| rest.starts_with(**quote)) {
        return enclosed(quote, quote, TokenKind::Text);
    }
    let is_array = |open: &str| open == "[" && rest[1..].starts_with(|next: char| next == ']' || next.is_ascii_digit());
    if let Some((open, close)) = lexicon.names.iter().find(|(open, _)| rest.starts_with(open) && !is_array(open)) {
        return enclosed(open, close, TokenKind::Quoted);
    }
    if lexicon.dollar_strings && first == '$' {
        let tag = rest[1..].find('$').map(|end| &rest[..end + 2]);
        if let Some(tag) = tag.filter(|tag| tag[1..tag.len() - 1].chars().all(|letter| is_in_word(letter, lexicon))) {
            let end = rest[tag.len()..].find(tag).map_or(rest.len(), |end| end + 2 * tag.len());
            return (Some(("", TokenKind::Text)), end);
        }
    }
    let end = rest.find(|letter| !is_in_word(letter, lexicon)).unwrap_or(rest.len());
    if end > 0 {
        return (Some((&rest[..end], TokenKind::Word)), end);
    }
    (Some((&rest[..first.len_utf8()], TokenKind::Sign)), first.len_utf8())
}

/// Where a string ends: a quote that is doubled or after a backslash is a part of it.
fn closing(text: &str, close: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if text.as_bytes()[at..].starts_with(close.as_bytes()) {
            let doubled = close.len() == 1 && close != "]" && bytes.get(at + 1) == Some(&bytes[at]);
            if !doubled {
                return at;
            }
            at += 2;
        } else {
            at += if bytes[at] == b'\\' { 2 } else { 1 };
        }
    }
    bytes.len()
}

fn is_in_word(letter: char, lexicon: &Lexicon) -> bool {
    letter.is_alphanumeric() || letter == '_' || lexicon.in_words.contains(&letter)
}

/// A walk over tokens that never goes past their end.
pub(super) struct Tokens<'a, 't> {
    list: &'a [Token<'t>],
    at: usize,
}

impl<'a, 't> Tokens<'a, 't> {
    /// Begins at the first token.
    pub(super) fn new(list: &'a [Token<'t>]) -> Self {
        Self { list, at: 0 }
    }

    /// The present token.
    pub(super) fn peek(&self) -> Option<Token<'t>> {
        self.list.get(self.at).copied()
    }

    /// The token so many places further.
    pub(super) fn ahead(&self, places: usize) -> Option<Token<'t>> {
        self.list.get(self.at + places).copied()
    }

    /// Takes the present token.
    pub(super) fn take(&mut self) -> Option<Token<'t>> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    /// Takes the present token if it is this sign.
    pub(super) fn take_sign(&mut self, sign: &str) -> bool {
        let is_it = self.peek().is_some_and(|token| token.is(sign));
        self.at += usize::from(is_it);
        is_it
    }

    /// Takes the present token if it is this word.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let is_it = self.peek().is_some_and(|token| token.says(word));
        self.at += usize::from(is_it);
        is_it
    }

    /// Takes the present token if it is a name.
    pub(super) fn take_name(&mut self) -> Option<Token<'t>> {
        let name = self.peek().filter(Token::is_name)?;
        self.at += 1;
        Some(name)
    }

    /// Takes all up to one of these signs outside of brackets, or a bracket that closes what is around.
    pub(super) fn take_until(&mut self, signs: &[&str]) -> &'a [Token<'t>] {
        let start = self.at;
        let mut depth = 0_usize;
        while let Some(token) = self.peek() {
            let sign = if token.kind == TokenKind::Sign { token.text } else { "" };
            if depth == 0 && (signs.contains(&sign) || matches!(sign, ")" | "]" | "}")) {
                break;
            }
            match sign {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
        &self.list[start..self.at]
    }

    /// Takes what stands in brackets, if such an opening one is next, and returns what is between them.
    pub(super) fn take_brackets(&mut self, open: &str) -> Option<&'a [Token<'t>]> {
        if !self.take_sign(open) {
            return None;
        }
        let inner = self.take_until(&[]);
        // Whatever closes it.
        self.at = (self.at + 1).min(self.list.len());
        Some(inner)
    }
}

/// Tokens as one text: a blank between words, none around signs.
pub(super) fn joined(tokens: &[Token<'_>]) -> String {
    let mut text = String::new();
    let mut after_word = false;
    for token in tokens {
        let is_word = token.kind != TokenKind::Sign;
        if after_word && is_word {
            text.push(' ');
        }
        text.push_str(token.text);
        if token.is(",") {
            text.push(' ');
        }
        // `numeric(10, 2) unsigned`
        after_word = is_word || token.is(")") || token.is("]");
    }
    text
}
