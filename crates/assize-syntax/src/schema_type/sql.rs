//! Tables, views and types that SQL declares, whatever the dialect.
//!
//! Statements are found by their first words, so that a dialect's other statements need not be understood. Columns
//! that the same file adds later belong to their table; what other files change is not known here.

use std::borrow::Cow;

use super::token::{Lexicon, Token, TokenKind, Tokens, joined, tokens};
use super::{SchemaType, SchemaTypeKind, Types};

const LEXICON: Lexicon = Lexicon {
    line_comments: &["--"],
    block_comments: true,
    strings: &["'"],
    names: &[("\"", "\""), ("`", "`"), ("[", "]")],
    in_words: &[],
    dollar_strings: true,
};

/// Words between `CREATE` and what is created.
const QUALIFIERS: &[&str] = &[
    "or",
    "replace",
    "global",
    "local",
    "temp",
    "temporary",
    "unlogged",
    "external",
    "foreign",
    "virtual",
    "transient",
    "materialized",
    "recursive",
];

/// Words that a column's type ends before.
const AFTER_TYPE: &[&str] = &[
    "as",
    "auto_increment",
    "autoincrement",
    "charset",
    "check",
    "collate",
    "comment",
    "constraint",
    "default",
    "deferrable",
    "encode",
    "generated",
    "identity",
    "invisible",
    "key",
    "not",
    "null",
    "on",
    "primary",
    "references",
    "rowguidcol",
    "sparse",
    "stored",
    "unique",
    "virtual",
];

/// Reads the types of a file.
pub(super) fn read(text: &str) -> Types {
    let text = without_copied_rows(text);
    let list = tokens(&text, &LEXICON);
    let mut types = Types::default();
    for statement in statements(&list) {
        let mut tokens = Tokens::new(statement);
        if tokens.take_word("create") {
            create(&mut tokens, &mut types);
        } else if tokens.take_word("alter") && tokens.take_word("table") {
            alter(&mut tokens, &mut types);
        }
    }
    types
}

/// Leaves the rows of `COPY … FROM stdin;` out, and keeps their lines: what stands in them is no SQL.
fn without_copied_rows(text: &str) -> Cow<'_, str> {
    let begins = |line: &str| line.starts_with("COPY ") && line.trim_end().ends_with("FROM stdin;");
    if !text.lines().any(begins) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut in_rows = false;
    for line in text.lines() {
        if !in_rows {
            kept.push_str(line);
        }
        in_rows = if in_rows { line != "\\." } else { begins(line) };
        kept.push('\n');
    }
    Cow::Owned(kept)
}

/// Takes a file apart. Some dialects end a statement with a line `GO` or with nothing.
fn statements<'a, 't>(list: &'a [Token<'t>]) -> Vec<&'a [Token<'t>]> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut depth = 0_usize;
    for (at, token) in list.iter().enumerate() {
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth = depth.saturating_sub(1);
        }
        let opens_line = at > 0 && list[at - 1].line < token.line;
        let follows = |word: &str| list.get(at + 1).is_some_and(|next| next.says(word));
        let begins = token.says("create") || token.says("go") || token.says("alter") && follows("table");
        if token.is(";") || depth == 0 && opens_line && begins {
            found.push(&list[start..at]);
            start = at + usize::from(token.is(";"));
            depth = 0;
        }
    }
    found.push(&list[start.min(list.len())..]);
    found
}

fn create(tokens: &mut Tokens<'_, '_>, types: &mut Types) {
    while QUALIFIERS.iter().any(|word| tokens.take_word(word)) {}
    let kind = match tokens.take() {
        Some(word) if word.says("table") => SchemaTypeKind::Table,
        Some(word) if word.says("view") => SchemaTypeKind::View,
        Some(word) if word.says("type") => SchemaTypeKind::Object,
        Some(word) if word.says("domain") => SchemaTypeKind::Scalar,
        _ => return,
    };
    if tokens.take_word("if") {
        tokens.take_word("not");
        tokens.take_word("exists");
    }
    let Some((name, line)) = qualified_name(tokens) else { return };
    let mut found = SchemaType::new(&name, kind, line);
    match kind {
        // A piece of another table has the same columns.
        SchemaTypeKind::Table if tokens.take_word("partition") => return,
        SchemaTypeKind::Table => {
            if tokens.take_word("using") {
                tokens.take_name();
            }
            for entry in entries(tokens.take_brackets("(").unwrap_or_default()) {
                table_entry(entry, &mut found);
            }
            inherited(tokens, &mut found);
        }
        SchemaTypeKind::View => {
            for entry in entries(tokens.take_brackets("(").unwrap_or_default()) {
                if let Some(name) = entry.first().filter(|name| name.is_name()) {
                    found.field(name.text, "", false, name.line);
                }
            }
        }
        SchemaTypeKind::Scalar => {
            tokens.take_word("as");
            let of = tokens.take_until(&[";"]);
            found.part(&joined(&of[..type_end(of)]));
        }
        _ => {
            tokens.take_word("as");
            if tokens.take_word("enum") {
                found.kind = SchemaTypeKind::Enum;
                for value in
                    tokens.take_brackets("(").unwrap_or_default().iter().filter(|value| value.kind == TokenKind::Text)
                {
                    found.field(value.text, "", false, value.line);
                }
            } else if let Some(attributes) = tokens.take_brackets("(") {
                entries(attributes).for_each(|entry| column(entry, &mut found));
            } else {
                found.kind = SchemaTypeKind::Scalar;
            }
        }
    }
    types.push(found);
}

/// `) INHERITS (one, other)`
fn inherited(tokens: &mut Tokens<'_, '_>, found: &mut SchemaType) {
    if tokens.take_word("inherits") {
        for of in entries(tokens.take_brackets("(").unwrap_or_default()) {
            if let Some((name, _)) = qualified_name(&mut Tokens::new(of)) {
                found.part(&name);
            }
        }
    }
}

/// `ALTER TABLE name ADD COLUMN …, ADD CONSTRAINT …`
fn alter(tokens: &mut Tokens<'_, '_>, types: &mut Types) {
    if tokens.take_word("if") {
        tokens.take_word("exists");
    }
    tokens.take_word("only");
    let Some((name, _)) = qualified_name(tokens) else { return };
    let Some(table) = types.list.iter_mut().find(|known| known.name.eq_ignore_ascii_case(&name)) else { return };
    for action in entries(tokens.take_until(&[])) {
        let mut action = Tokens::new(action);
        if !action.take_word("add") {
            continue;
        }
        let is_column = action.take_word("column");
        if action.take_word("if") {
            action.take_word("not");
            action.take_word("exists");
        }
        let rest = action.take_until(&[]);
        if is_column { column(rest, table) } else { table_entry(rest, table) }
    }
}

/// A name with that of its schema, as it is written but for quotes.
fn qualified_name(tokens: &mut Tokens<'_, '_>) -> Option<(String, u32)> {
    let first = tokens.take_name()?;
    let mut name = first.text.to_owned();
    while tokens.take_sign(".") {
        name.push('.');
        name.push_str(tokens.take_name()?.text);
    }
    Some((name, first.line))
}

/// What stands between commas outside of brackets.
fn entries<'a, 't>(list: &'a [Token<'t>]) -> impl Iterator<Item = &'a [Token<'t>]> {
    let mut tokens = Tokens::new(list);
    std::iter::from_fn(move || {
        tokens.peek()?;
        let entry = tokens.take_until(&[","]);
        tokens.take();
        Some(entry)
    })
}

/// A column, or a constraint of several.
fn table_entry(entry: &[Token<'_>], found: &mut SchemaType) {
    let mut tokens = Tokens::new(entry);
    if tokens.take_word("constraint") {
        tokens.take_name();
    }
    let Some(first) = tokens.peek() else { return };
    let next = tokens.ahead(1);
    let next_is = |text: &str| next.is_some_and(|next| next.is(text) || next.says(text));
    if first.says("primary") && next_is("key") {
        let columns = entry.iter().position(|token| token.is("(")).map(|at| &entry[at..]).unwrap_or_default();
        let columns = Tokens::new(columns).take_brackets("(").unwrap_or_default();
        for field in &mut found.fields {
            field.required |= columns.iter().any(|column| column.text.eq_ignore_ascii_case(&field.name));
        }
    } else if first.says("like") {
        tokens.take();
        if let Some((of, _)) = qualified_name(&mut tokens) {
            found.part(&of);
        }
    } else if !is_constraint(first, next, entry) {
        column(entry, found);
    }
}

/// Returns whether an entry is no column. `key` and `index` are the names of columns as well: `key varchar(20)` has a
/// number in its brackets where `KEY name (column)` has a name.
fn is_constraint(first: Token<'_>, next: Option<Token<'_>>, entry: &[Token<'_>]) -> bool {
    let next_is = |text: &str| next.is_some_and(|next| next.is(text) || next.says(text));
    if entry.first().is_some_and(|first| first.says("constraint")) {
        return true;
    }
    let of_columns = || {
        let inner = entry.iter().position(|token| token.is("(")).and_then(|at| entry.get(at + 1));
        inner.is_some_and(Token::is_name)
    };
    match first.text.to_ascii_lowercase().as_str() {
        _ if first.kind != TokenKind::Word => false,
        "check" | "exclude" => next_is("(") || next_is("using"),
        "foreign" => next_is("key"),
        "unique" => next_is("(") || next_is("key") || next_is("index") || next_is("clustered") || of_columns(),
        "period" => next_is("for"),
        "fulltext" | "spatial" | "key" | "index" => of_columns(),
        _ => false,
    }
}

fn column(entry: &[Token<'_>], found: &mut SchemaType) {
    let Some((name, rest)) = entry.split_first().filter(|(name, _)| name.is_name()) else { return };
    // `tokenize = 'porter'` is an option and no column.
    if rest.first().is_some_and(|next| next.is("=")) {
        return;
    }
    let says = |first: &str, second: &str| rest.windows(2).any(|pair| pair[0].says(first) && pair[1].says(second));
    let required = says("not", "null") || says("primary", "key");
    found.field(name.text, &joined(&rest[..type_end(rest)]), required, name.line);
}

/// Where a column's type ends.
fn type_end(rest: &[Token<'_>]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in rest.iter().enumerate() {
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth = depth.saturating_sub(1);
        }
        let is_character_set = token.says("character") && rest.get(at + 1).is_some_and(|next| next.says("set"));
        if depth == 0 && (is_character_set || AFTER_TYPE.iter().any(|word| token.says(word))) {
            return at;
        }
    }
    rest.len()
}
