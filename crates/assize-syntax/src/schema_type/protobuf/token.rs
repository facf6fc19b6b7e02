//! Words and signs of protocol buffers.

/// A word, number, string or sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProtobufToken<'t> {
    /// Its text; a string has its quotes.
    pub(super) text: &'t str,
    /// What it is.
    pub(super) kind: ProtobufTokenKind,
    /// The line that it begins in, counted from 1.
    pub(super) line: u32,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProtobufTokenKind {
    /// A word.
    Word,
    /// A number.
    Number,
    /// A string.
    Text,
    /// One sign.
    Sign,
    /// A comment or string without an end, or what is no part of the language.
    Bad,
}

/// Takes a text apart. Comments are left out.
pub(super) fn tokens(text: &str) -> Vec<ProtobufToken<'_>> {
    let mut found = Vec::new();
    let mut line = 1;
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    while let Some(first) = rest.chars().next() {
        let (kind, length) = next(rest, first);
        let (passed, after) = rest.split_at(length);
        if let Some(kind) = kind {
            found.push(ProtobufToken { text: passed, kind, line });
        }
        line += u32::try_from(passed.bytes().filter(|byte| *byte == b'\n').count()).unwrap_or(u32::MAX - line);
        rest = after;
    }
    found
}

/// What a text begins with, and how long that is.
fn next(rest: &str, first: char) -> (Option<ProtobufTokenKind>, usize) {
    let until = |ends: fn(char) -> bool| rest.find(ends).unwrap_or(rest.len());
    match first {
        ' ' | '\t' | '\r' | '\n' | '\u{b}' | '\u{c}' => (None, 1),
        _ if rest.starts_with("//") => (None, until(|letter| letter == '\n')),
        _ if rest.starts_with("/*") => match rest[2..].find("*/") {
            Some(end) => (None, end + 4),
            None => (Some(ProtobufTokenKind::Bad), rest.len()),
        },
        '"' | '\'' => match closing(rest, first) {
            Some(end) => (Some(ProtobufTokenKind::Text), end),
            None => (Some(ProtobufTokenKind::Bad), until(|letter| letter == '\n')),
        },
        'a'..='z' | 'A'..='Z' | '_' => {
            (Some(ProtobufTokenKind::Word), until(|letter| !letter.is_ascii_alphanumeric() && letter != '_'))
        }
        '0'..='9' => (Some(ProtobufTokenKind::Number), number(rest)),
        '.' if rest[1..].starts_with(|next: char| next.is_ascii_digit()) => {
            (Some(ProtobufTokenKind::Number), number(rest))
        }
        _ if first.is_ascii_punctuation() => (Some(ProtobufTokenKind::Sign), 1),
        _ => (Some(ProtobufTokenKind::Bad), first.len_utf8()),
    }
}

/// Where a string ends, its quote included; nothing where its line ends before.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// How long a number is: `12`, `0x1f`, `1.5e-3`, `1f`
fn number(text: &str) -> usize {
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        let is_exponent_sign = !is_hex && matches!(letter, '+' | '-') && matches!(before, 'e' | 'E');
        if !letter.is_ascii_alphanumeric() && letter != '.' && !is_exponent_sign {
            return at;
        }
        before = letter;
    }
    text.len()
}
