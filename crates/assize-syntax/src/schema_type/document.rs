//! JSON and YAML as one tree that knows its lines.
//!
//! Aliases of YAML stand for nothing here: to follow them is to let a small file become a large tree.

use std::borrow::Cow;

use jsonc_parser::ast;
use saphyr_parser::{Event, Parser, ScalarStyle};

use super::SchemaUnread;

/// How deep maps and lists may be nested.
pub(super) const DEPTH_MAX: usize = 100;

/// A part of a document.
#[derive(Debug, PartialEq)]
pub(super) struct DocumentNode<'t> {
    /// The line that it begins in, counted from 1.
    pub(super) line: u32,
    /// What it is.
    pub(super) value: DocumentValue<'t>,
}

/// What a part of a document is.
#[derive(Debug, PartialEq)]
pub(super) enum DocumentValue<'t> {
    /// Keys with their values, in the order of the text.
    Map(Vec<(DocumentNode<'t>, DocumentNode<'t>)>),
    /// Values.
    List(Vec<DocumentNode<'t>>),
    /// A string in quotes, or any word or number.
    Scalar(Cow<'t, str>),
    /// `null`, or an alias.
    Nothing,
}

impl<'t> DocumentNode<'t> {
    /// What stands under a key.
    pub(super) fn get(&self, key: &str) -> Option<&DocumentNode<'t>> {
        self.entries().find(|(name, _)| name.text() == key).map(|(_, value)| value)
    }

    /// The keys with their values; none where it is no map.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&DocumentNode<'t>, &DocumentNode<'t>)> {
        let list = if let DocumentValue::Map(list) = &self.value { list.as_slice() } else { &[] };
        list.iter().map(|(key, value)| (key, value))
    }

    /// The values; none where it is no list.
    pub(super) fn items(&self) -> &[DocumentNode<'t>] {
        if let DocumentValue::List(list) = &self.value { list } else { &[] }
    }

    /// Its text; empty where it is none.
    pub(super) fn text(&self) -> &str {
        if let DocumentValue::Scalar(text) = &self.value { text } else { "" }
    }

    /// Returns whether it is a map.
    pub(super) fn is_map(&self) -> bool {
        matches!(self.value, DocumentValue::Map(_))
    }

    /// Returns whether it is a list.
    pub(super) fn is_list(&self) -> bool {
        matches!(self.value, DocumentValue::List(_))
    }
}

fn malformed(line: u32, message: &impl ToString) -> SchemaUnread {
    let message = message.to_string();
    SchemaUnread::Malformed { line, message: super::shortened(message.lines().next().unwrap_or_default()) }
}

fn too_deep(line: u32) -> SchemaUnread {
    malformed(line, &format!("nested deeper than {DEPTH_MAX} levels"))
}

/// Reads JSON. Comments and trailing commas are let pass: schemas written by hand have them.
pub(super) fn from_json(text: &str) -> Result<DocumentNode<'_>, SchemaUnread> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let breaks: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let line = |at: usize| u32::try_from(breaks.partition_point(|end| *end < at) + 1).unwrap_or(u32::MAX);
    let options = jsonc_parser::ParseOptions {
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        ..jsonc_parser::ParseOptions::default()
    };
    let parsed = jsonc_parser::parse_to_ast(text, &jsonc_parser::CollectOptions::default(), &options)
        .map_err(|error| malformed(line(error.range().start), &error.kind()))?;
    let root = parsed.value.ok_or_else(|| malformed(1, &"the file is empty"))?;
    json_node(root, 0, &line)
}

fn json_node<'t>(
    value: ast::Value<'t>,
    depth: usize,
    line: &impl Fn(usize) -> u32,
) -> Result<DocumentNode<'t>, SchemaUnread> {
    let at = |start: usize, value| DocumentNode { line: line(start), value };
    let inner =
        |value, start| if depth < DEPTH_MAX { json_node(value, depth + 1, line) } else { Err(too_deep(line(start))) };
    Ok(match value {
        ast::Value::StringLit(text) => at(text.range.start, DocumentValue::Scalar(text.value)),
        ast::Value::NumberLit(number) => at(number.range.start, DocumentValue::Scalar(Cow::Borrowed(number.value))),
        ast::Value::BooleanLit(truth) => {
            at(truth.range.start, DocumentValue::Scalar(Cow::Borrowed(if truth.value { "true" } else { "false" })))
        }
        ast::Value::NullKeyword(null) => at(null.range.start, DocumentValue::Nothing),
        ast::Value::Object(object) => {
            let start = object.range.start;
            let mut entries = Vec::with_capacity(object.properties.len());
            for property in object.properties {
                let key = at(property.range.start, DocumentValue::Scalar(Cow::Owned(property.name.into_string())));
                entries.push((key, inner(property.value, start)?));
            }
            at(start, DocumentValue::Map(entries))
        }
        ast::Value::Array(array) => {
            let start = array.range.start;
            let items: Result<_, _> = array.elements.into_iter().map(|element| inner(element, start)).collect();
            at(start, DocumentValue::List(items?))
        }
    })
}

/// Reads the first document of a YAML file.
pub(super) fn from_yaml(text: &str) -> Result<DocumentNode<'_>, SchemaUnread> {
    // Maps and lists that are open. A map's values stand in a row: key, value, key, value.
    let mut open: Vec<(u32, bool, Vec<DocumentNode<'_>>)> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| malformed(number(error.marker().line()), &error.info()))?;
        let line = number(span.start.line());
        let value = match event {
            Event::Scalar(text, ScalarStyle::Plain, ..) if matches!(&*text, "" | "~" | "null") => {
                DocumentValue::Nothing
            }
            Event::Scalar(text, ..) => DocumentValue::Scalar(text),
            Event::Alias(_) => DocumentValue::Nothing,
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.len() == DEPTH_MAX {
                    return Err(too_deep(line));
                }
                open.push((line, matches!(event, Event::MappingStart(..)), Vec::new()));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some((line, is_map, items)) = open.pop() else { continue };
                let value = if is_map { DocumentValue::Map(in_pairs(items)) } else { DocumentValue::List(items) };
                let node = DocumentNode { line, value };
                match open.last_mut() {
                    Some((_, _, items)) => items.push(node),
                    None => return Ok(node),
                }
                continue;
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {
                continue;
            }
        };
        match open.last_mut() {
            Some((_, _, items)) => items.push(DocumentNode { line, value }),
            None => return Ok(DocumentNode { line, value }),
        }
    }
    Err(malformed(1, &"the file is empty"))
}

fn in_pairs(items: Vec<DocumentNode<'_>>) -> Vec<(DocumentNode<'_>, DocumentNode<'_>)> {
    let mut items = items.into_iter();
    std::iter::from_fn(|| Some((items.next()?, items.next()?))).collect()
}

fn number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}
