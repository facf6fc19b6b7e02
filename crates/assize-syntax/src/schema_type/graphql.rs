//! The schema definition language of GraphQL. Queries and fragments declare nothing and are passed over.

use super::token::{Lexicon, Token, TokenKind, Tokens, tokens};
use super::{SchemaType, SchemaTypeKind, Types};

const LEXICON: Lexicon = Lexicon {
    line_comments: &["#"],
    block_comments: false,
    strings: &["\"\"\"", "\""],
    names: &[],
    in_words: &[],
    dollar_strings: false,
};

/// Reads the types of a file.
pub(super) fn read(text: &str) -> Types {
    let list = tokens(text, &LEXICON);
    let mut tokens = Tokens::new(&list);
    let mut types = Types::default();
    while let Some(first) = tokens.take() {
        let extends = first.text == "extend" && first.kind == TokenKind::Word;
        let word = if extends { tokens.take().unwrap_or(first) } else { first };
        let kind = match word.text {
            _ if word.kind != TokenKind::Word => None,
            "type" => Some(SchemaTypeKind::Object),
            "interface" => Some(SchemaTypeKind::Interface),
            "input" => Some(SchemaTypeKind::Input),
            "enum" => Some(SchemaTypeKind::Enum),
            "union" => Some(SchemaTypeKind::Union),
            "scalar" => Some(SchemaTypeKind::Scalar),
            _ => None,
        };
        match kind {
            Some(kind) => definition(kind, extends, &mut tokens, &mut types),
            None if word.is("{") => {
                tokens.take_until(&[]);
                tokens.take();
            }
            None if word.kind == TokenKind::Word && word.text == "directive" => {
                // Its arguments may be called as a definition begins.
                tokens.take_sign("@");
                tokens.take_name();
                tokens.take_brackets("(");
            }
            None if matches!(word.text, "query" | "mutation" | "subscription" | "fragment" | "schema") => {
                tokens.take_until(&["{"]);
            }
            None => {}
        }
    }
    types
}

fn definition(kind: SchemaTypeKind, extends: bool, tokens: &mut Tokens<'_, '_>, types: &mut Types) {
    let Some(name) = tokens.take_name() else { return };
    let known = types.list.iter().position(|known| extends && known.name == name.text);
    let Some(place) = known.or_else(|| types.push(SchemaType::new(name.text, kind, name.line))) else { return };
    let found = &mut types.list[place];
    if tokens.take_word("implements") {
        parts("&", tokens, found);
    }
    directives(tokens);
    if kind == SchemaTypeKind::Union {
        if tokens.take_sign("=") {
            parts("|", tokens, found);
        }
        return;
    }
    if kind == SchemaTypeKind::Scalar {
        return;
    }
    let Some(block) = tokens.take_brackets("{") else { return };
    let mut block = Tokens::new(block);
    while let Some(token) = block.take() {
        if !token.is_name() {
            continue;
        }
        if kind == SchemaTypeKind::Enum {
            found.field(token.text, "", false, token.line);
            directives(&mut block);
        } else {
            field(token, &mut block, found);
        }
    }
}

/// Names with signs between them; the first may have one before it. The older form has none.
fn parts(sign: &str, tokens: &mut Tokens<'_, '_>, found: &mut SchemaType) {
    tokens.take_sign(sign);
    while let Some(name) = tokens.take_name() {
        found.part(name.text);
        if !tokens.take_sign(sign) && sign == "|" {
            return;
        }
    }
}

fn directives(tokens: &mut Tokens<'_, '_>) {
    while tokens.take_sign("@") {
        tokens.take_name();
        tokens.take_brackets("(");
    }
}

/// `name(argument: Int = 1): [Type!]! = default @directive`
fn field(name: Token<'_>, block: &mut Tokens<'_, '_>, found: &mut SchemaType) {
    block.take_brackets("(");
    if !block.take_sign(":") {
        return;
    }
    let mut text = String::new();
    while block.take_sign("[") {
        text.push('[');
    }
    text.push_str(block.take_name().map_or("", |name| name.text));
    while let Some(sign) = block.peek().filter(|sign| sign.is("!") || sign.is("]")) {
        text.push_str(sign.text);
        block.take();
    }
    let has_default = block.take_sign("=");
    if has_default && block.take_brackets("{").or_else(|| block.take_brackets("[")).is_none() {
        block.take();
    }
    directives(block);
    found.field(name.text, &text, text.ends_with('!') && !has_default, name.line);
}
