//! Protocol buffers: messages, enumerations and services.

use super::token::{Lexicon, Token, Tokens, joined, tokens};
use super::{SchemaType, SchemaTypeKind, Types};

const LEXICON: Lexicon = Lexicon {
    line_comments: &["//"],
    block_comments: true,
    strings: &["\"", "'"],
    names: &[],
    in_words: &['.'],
    dollar_strings: false,
};

/// A block that is open.
struct ProtobufBlock {
    kind: BlockKind,
    /// The place of its type, if it has one that is kept.
    place: Option<usize>,
    /// Its name, with those of the messages around it.
    name: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    /// A message, and what is in a `oneof`.
    Message,
    Enum,
    Service,
    /// Fields of another's message.
    Extension,
}

/// Reads the types of a file.
pub(super) fn read(text: &str) -> Types {
    let list = tokens(text, &LEXICON);
    let mut tokens = Tokens::new(&list);
    let mut types = Types::default();
    let mut open: Vec<ProtobufBlock> = Vec::new();
    while let Some(first) = tokens.peek() {
        if tokens.take_sign("}") {
            open.pop();
            continue;
        }
        if first.kind != super::token::TokenKind::Word {
            tokens.take();
            continue;
        }
        statement(&mut tokens, &mut open, &mut types);
    }
    types
}

fn statement<'t>(tokens: &mut Tokens<'_, 't>, open: &mut Vec<ProtobufBlock>, types: &mut Types) {
    let Some(first) = tokens.peek() else { return };
    let around = open.last().map(|block| block.kind);
    let opens_block =
        tokens.ahead(1).is_some_and(|name| name.is_name()) && tokens.ahead(2).is_some_and(|sign| sign.is("{"));
    let kind = match first.text {
        "message" => Some((BlockKind::Message, SchemaTypeKind::Object)),
        "enum" => Some((BlockKind::Enum, SchemaTypeKind::Enum)),
        "service" => Some((BlockKind::Service, SchemaTypeKind::Service)),
        _ => None,
    };
    match (first.text, kind) {
        (_, Some((block, kind))) if opens_block => {
            tokens.take();
            if let Some(name) = tokens.take() {
                begin(name, block, kind, open, types);
            }
            tokens.take_sign("{");
        }
        ("oneof" | "extend", _) if opens_block => {
            let kind = if first.text == "oneof" { BlockKind::Message } else { BlockKind::Extension };
            let outer = open.last();
            let place = outer.and_then(|block| block.place).filter(|_| kind == BlockKind::Message);
            let name = outer.map_or_else(String::new, |block| block.name.clone());
            open.push(ProtobufBlock { kind, place, name });
            (0..3).for_each(|_| {
                tokens.take();
            });
        }
        ("rpc", _) if around == Some(BlockKind::Service) => call(tokens, open, types),
        _ => field(tokens, around, open, types),
    }
}

fn begin(name: Token<'_>, block: BlockKind, kind: SchemaTypeKind, open: &mut Vec<ProtobufBlock>, types: &mut Types) {
    let around = open.last().map(|block| block.name.as_str()).filter(|name| !name.is_empty());
    let full = around.map_or_else(|| name.text.to_owned(), |around| format!("{around}.{}", name.text));
    let place = types.push(SchemaType::new(&full, kind, name.line));
    open.push(ProtobufBlock { kind: block, place, name: full });
}

/// `rpc Name (stream A) returns (B);` or `{ … }`
fn call(tokens: &mut Tokens<'_, '_>, open: &[ProtobufBlock], types: &mut Types) {
    tokens.take();
    let Some(name) = tokens.take_name() else { return };
    let request = tokens.take_brackets("(").map(joined).unwrap_or_default();
    tokens.take_word("returns");
    let response = tokens.take_brackets("(").map(joined).unwrap_or_default();
    if tokens.take_brackets("{").is_none() {
        tokens.take_sign(";");
    }
    if let Some(place) = open.last().and_then(|block| block.place) {
        types.list[place].field(name.text, &format!("{request} -> {response}"), false, name.line);
    }
}

/// `repeated Line lines = 3 [packed = true];`, a value of an enumeration, or whatever else ends with a semicolon.
fn field(tokens: &mut Tokens<'_, '_>, around: Option<BlockKind>, open: &mut Vec<ProtobufBlock>, types: &mut Types) {
    let statement = tokens.take_until(&[";", "{"]);
    let before_number = statement.iter().position(|token| token.is("=")).map(|equals| &statement[..equals]);
    let declared = before_number.and_then(<[Token<'_>]>::split_last).filter(|(name, _)| name.is_name());
    let place = open.last().and_then(|block| block.place);
    let mut group = None;
    match (around, declared) {
        (Some(BlockKind::Enum), Some((name, []))) => {
            if let Some(place) = place {
                types.list[place].field(name.text, "", false, name.line);
            }
        }
        (Some(BlockKind::Message | BlockKind::Extension), Some((name, before)))
            if !before.is_empty() && before[0].text != "option" =>
        {
            let label = before[0].text;
            let of = if matches!(label, "optional" | "required") { &before[1..] } else { before };
            if of.last().is_some_and(|of| of.text == "group") {
                group = Some(*name);
            }
            if let Some(place) = place {
                let text = if group.is_some() { name.text.to_owned() } else { joined(of) };
                types.list[place].field(name.text, &text, label == "required", name.line);
            }
        }
        _ => {}
    }
    match group {
        Some(name) if tokens.take_sign("{") => begin(name, BlockKind::Message, SchemaTypeKind::Object, open, types),
        _ if tokens.take_brackets("{").is_some() || tokens.take_sign(";") => {}
        // A bracket that was never opened; a block's end is for who opened it.
        _ if tokens.peek().is_some_and(|token| token.is("}")) => {}
        _ => {
            tokens.take();
        }
    }
}
