//! Words and signs of SQL, whatever the dialect.
//!
//! Comments, the commands of `psql` and the rows of `COPY … FROM stdin` are left out. Nothing is ever refused: a string
//! without an end goes to the end of the file.

/// A word or sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SqlToken<'t> {
    /// Its text, without quotes.
    pub(super) text: &'t str,
    /// What it is.
    pub(super) kind: SqlTokenKind,
    /// The line that it begins in, counted from 1.
    pub(super) line: u32,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SqlTokenKind {
    /// A word or number.
    Word,
    /// A name in quotes.
    Quoted,
    /// A string.
    Text,
    /// One sign.
    Sign,
}

/// What begins and ends a name in quotes.
const NAME_QUOTES: &[(char, char)] = &[('"', '"'), ('`', '`'), ('[', ']')];

impl SqlToken<'_> {
    /// Returns whether it is this sign.
    pub(super) fn is(&self, sign: &str) -> bool {
        self.kind == SqlTokenKind::Sign && self.text == sign
    }

    /// How many round brackets are open behind it.
    pub(super) fn depth_after(&self, depth: usize) -> usize {
        if self.is("(") { depth + 1 } else { depth.saturating_sub(usize::from(self.is(")"))) }
    }

    /// Returns whether it is this word, in small or capital letters.
    pub(super) fn says(&self, word: &str) -> bool {
        self.kind == SqlTokenKind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Returns whether it names something.
    pub(super) fn is_name(&self) -> bool {
        match self.kind {
            SqlTokenKind::Word => !self.text.starts_with(|first: char| first.is_ascii_digit()),
            SqlTokenKind::Quoted => !self.text.is_empty(),
            SqlTokenKind::Text | SqlTokenKind::Sign => false,
        }
    }
}

/// Takes a text apart, and says whether every quote and comment in it is closed.
///
/// In the standard a backslash is a letter like any other; MySQL and others escape the next one with it. That is not written
/// anywhere, so that the reading counts in which all quotes are closed. Where both close them, MySQL's other marks
/// decide; without one nothing is sure.
pub(super) fn tokens(text: &str) -> (Vec<SqlToken<'_>>, bool) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let plain = Lexer::new(text, false).all();
    if plain.closed && !plain.closes_after_backslash {
        return (plain.found, true);
    }
    let escaped = Lexer::new(text, true).all();
    let is_mysql = || {
        let says = |token: &SqlToken<'_>| ["engine", "auto_increment"].iter().any(|word| token.says(word));
        text.contains('`') || escaped.found.iter().any(says)
    };
    match (plain.closed, escaped.closed) {
        (false, true) => (escaped.found, true),
        (true, true) if is_mysql() => (escaped.found, true),
        (true, false) => (plain.found, true),
        _ => (plain.found, false),
    }
}

struct Lexer<'t> {
    rest: &'t str,
    line: u32,
    /// Whether a backslash in quotes escapes what follows.
    escapes: bool,
    /// Whether only blanks stand before this place in its line.
    opens_line: bool,
    /// Whether a token ends at this place.
    adjoins: bool,
    closed: bool,
    /// Whether a quote that closes a string stands behind a backslash.
    closes_after_backslash: bool,
    found: Vec<SqlToken<'t>>,
}

impl<'t> Lexer<'t> {
    fn new(text: &'t str, escapes: bool) -> Self {
        Self {
            rest: text,
            line: 1,
            escapes,
            opens_line: true,
            adjoins: false,
            closed: true,
            closes_after_backslash: false,
            found: Vec::new(),
        }
    }

    fn all(mut self) -> Self {
        while let Some(first) = self.rest.chars().next() {
            let skipped = self.skipped(first);
            let length = skipped.unwrap_or_else(|| self.token(first));
            self.adjoins = skipped.is_none();
            let (passed, after) = self.rest.split_at(length.clamp(first.len_utf8(), self.rest.len()));
            let breaks = passed.bytes().filter(|byte| *byte == b'\n').count();
            self.line += u32::try_from(breaks).unwrap_or(u32::MAX - self.line);
            self.opens_line = passed.ends_with('\n') || self.opens_line && first.is_whitespace();
            self.rest = after;
        }
        self
    }

    /// The length of what is no part of a statement.
    fn skipped(&mut self, first: char) -> Option<usize> {
        let rest = self.rest;
        let line = || rest.find('\n').unwrap_or(rest.len());
        if first.is_whitespace() {
            return Some(first.len_utf8());
        }
        // `#` and `//` begin comments in some dialects and are parts of operators in others; a backslash begins a command
        // of psql.
        let is_remark = !self.adjoins && (rest.starts_with("# ") || rest.starts_with("//"));
        if rest.starts_with("--") || is_remark || self.opens_line && matches!(first, '#' | '\\') {
            return Some(line());
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/").map(|end| end + 4);
            self.closed &= end.is_some();
            return Some(end.unwrap_or(rest.len()));
        }
        let copies = self.opens_line && {
            let command = rest[..line()].trim_end().to_ascii_lowercase();
            command.starts_with("copy ") && command.ends_with("from stdin;")
        };
        copies.then(|| rest.find("\n\\.").map_or(rest.len(), |end| end + 3))
    }

    /// Notes the token that the rest begins with, and returns its length.
    fn token(&mut self, first: char) -> usize {
        let rest = self.rest;
        if first == '\'' {
            // `E'…'` has escapes in every dialect that knows it.
            let escaped = self.adjoins && self.found.last().is_some_and(|before| before.says("e"));
            return self.quoted(('\'', '\''), SqlTokenKind::Text, self.escapes || escaped);
        }
        let follows_name =
            self.adjoins && self.found.last().is_some_and(|before| before.kind == SqlTokenKind::Word || before.is("]"));
        let is_number = |next: char| next == ']' || next.is_ascii_digit();
        let is_array = first == '[' && (follows_name || rest[1..].starts_with(is_number));
        if let Some(quotes) = NAME_QUOTES.iter().find(|(open, _)| *open == first && !is_array) {
            return self.quoted(*quotes, SqlTokenKind::Quoted, self.escapes && first == '"');
        }
        if first == '$' {
            let tag = rest[1..].find('$').map(|end| &rest[..end + 2]);
            if let Some(tag) = tag.filter(|tag| tag[1..tag.len() - 1].chars().all(is_in_word)) {
                let end = rest[tag.len()..].find(tag).map(|end| end + 2 * tag.len());
                self.closed &= end.is_some();
                self.note("", SqlTokenKind::Text);
                return end.unwrap_or(rest.len());
            }
        }
        // A dollar may stand within a word, but not at its beginning.
        let end = rest.find(|letter| !is_in_word(letter) && letter != '$').unwrap_or(rest.len());
        if end > 0 && first != '$' {
            self.note(&rest[..end], SqlTokenKind::Word);
            return end;
        }
        self.note(&rest[..first.len_utf8()], SqlTokenKind::Sign);
        first.len_utf8()
    }

    fn quoted(&mut self, (open, close): (char, char), kind: SqlTokenKind, escapes: bool) -> usize {
        let inner = &self.rest[open.len_utf8()..];
        let end = closing(inner, close, escapes);
        self.closed &= end.is_some();
        let end = end.unwrap_or(inner.len());
        self.closes_after_backslash |= !escapes && close == '\'' && inner[..end].ends_with('\\');
        self.note(&inner[..end], kind);
        open.len_utf8() + end + close.len_utf8()
    }

    fn note(&mut self, text: &'t str, kind: SqlTokenKind) {
        self.found.push(SqlToken { text, kind, line: self.line });
    }
}

/// Where a string ends. A quote that is doubled is a part of it.
fn closing(text: &str, close: char, escapes: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if char::from(*byte) == close {
            if bytes.get(at + 1) != Some(byte) || close == ']' {
                return Some(at);
            }
            at += 2;
        } else {
            at += if escapes && *byte == b'\\' { 2 } else { 1 };
        }
    }
    None
}

fn is_in_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// A walk over tokens that never goes past their end.
pub(super) struct Tokens<'a, 't> {
    list: &'a [SqlToken<'t>],
    at: usize,
}

impl<'a, 't> Tokens<'a, 't> {
    /// Begins at the first token.
    pub(super) fn new(list: &'a [SqlToken<'t>]) -> Self {
        Self { list, at: 0 }
    }

    /// The present token.
    pub(super) fn peek(&self) -> Option<SqlToken<'t>> {
        self.list.get(self.at).copied()
    }

    /// What has not been taken.
    pub(super) fn rest(&self) -> &'a [SqlToken<'t>] {
        &self.list[self.at..]
    }

    /// Takes the present token.
    pub(super) fn take(&mut self) -> Option<SqlToken<'t>> {
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

    /// Takes these words, if all of them come next.
    pub(super) fn take_words(&mut self, words: &[&str]) -> bool {
        let are_next =
            words.len() <= self.rest().len() && self.rest().iter().zip(words).all(|(token, word)| token.says(word));
        self.at += if are_next { words.len() } else { 0 };
        are_next
    }

    /// Takes the present token if it is one of these words, and returns which.
    pub(super) fn take_any(&mut self, words: &[&'static str]) -> Option<&'static str> {
        let token = self.peek()?;
        let word = words.iter().find(|word| token.says(word))?;
        self.at += 1;
        Some(word)
    }

    /// Takes the present token if it is a name.
    pub(super) fn take_name(&mut self) -> Option<SqlToken<'t>> {
        let name = self.peek().filter(SqlToken::is_name)?;
        self.at += 1;
        Some(name)
    }

    /// Takes all up to one of these signs outside of brackets, or a bracket that closes what is around. Outside of round
    /// brackets an angle is one as well: `map<string, int>`.
    pub(super) fn take_until(&mut self, signs: &[&str]) -> &'a [SqlToken<'t>] {
        let start = self.at;
        let (mut depth, mut angles) = (0_usize, 0_usize);
        while let Some(token) = self.peek() {
            let sign = if token.kind == SqlTokenKind::Sign { token.text } else { "" };
            if depth == 0 && (angles == 0 && signs.contains(&sign) || sign == ")") {
                break;
            }
            depth = token.depth_after(depth);
            match sign {
                "<" if depth == 0 => angles += 1,
                ">" if depth == 0 => angles = angles.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
        &self.list[start..self.at]
    }

    /// Takes what stands in round brackets, if such a one is next, and returns what is between them.
    pub(super) fn take_brackets(&mut self) -> Option<&'a [SqlToken<'t>]> {
        if !self.take_sign("(") {
            return None;
        }
        let inner = self.take_until(&[]);
        self.at = (self.at + 1).min(self.list.len());
        Some(inner)
    }
}

/// What stands between commas outside of brackets.
pub(super) fn entries<'a, 't>(list: &'a [SqlToken<'t>]) -> impl Iterator<Item = &'a [SqlToken<'t>]> {
    let mut tokens = Tokens::new(list);
    std::iter::from_fn(move || {
        tokens.peek()?;
        let entry = tokens.take_until(&[","]);
        tokens.take();
        Some(entry)
    })
}

/// Tokens as one text: a blank between words, none around signs.
pub(super) fn joined(tokens: &[SqlToken<'_>]) -> String {
    let mut text = String::new();
    let mut after_word = false;
    for token in tokens {
        let is_word = token.kind != SqlTokenKind::Sign;
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
