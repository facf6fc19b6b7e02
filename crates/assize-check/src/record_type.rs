//! The types of code that are written to and read from documents: interfaces, data classes, structs with their names
//! on the wire.
//!
//! They are what a schema describes once more, so that both can be held against each other. A field has the name and
//! the requiredness that it has in the document: renamings by serde, by pydantic's aliases and by tags of Go are
//! applied. Where fields come from elsewhere (inherited, flattened, embedded), the type is *open*: what it lacks
//! proves nothing. One language is one file; it knows one file's text and must not judge.

pub mod drift;
mod go;
mod java;
mod python;
mod rust;
mod script;
mod shape;

use assize_ecosystem::Language;
use assize_syntax::language::parse;
use serde::{Deserialize, Serialize};
use tree_sitter::Node;

pub use shape::FieldShape;

/// The record types of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordFile {
    /// Whether its first comment says that it was generated.
    pub generated: bool,
    /// The files that this comment names, such as `order.schema.json`.
    pub sources: Vec<String>,
    /// Its types, in the order of the file.
    pub types: Vec<RecordType>,
}

/// A type with fields that have names in a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordType {
    /// Its name in the code.
    pub name: String,
    /// The line, counted from 1.
    pub line: u32,
    /// Whether other files can use it.
    pub public: bool,
    /// Whether it has fields that do not stand here.
    pub open: bool,
    /// Its fields, in the order of the file.
    pub fields: Vec<RecordField>,
}

/// A field of a record type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordField {
    /// The name in the document.
    pub name: String,
    /// Whether a document must have it.
    pub required: bool,
    /// What it holds.
    pub shape: FieldShape,
    /// The line, counted from 1.
    pub line: u32,
}

/// Lines at the beginning of a file in which it may say that it was generated.
pub const HEAD_LINES_MAX: usize = 12;
/// Most types that are kept of one file.
pub const TYPES_MAX: usize = 2_000;
/// Most fields that are kept of one type; a type with more is open.
pub const FIELDS_MAX: usize = 500;

/// Reads the record types of a file; `None` where its language has none or it cannot be parsed.
pub fn read(path: &str, text: &str) -> Option<RecordFile> {
    let parsed = parse(path, text)?;
    let root = parsed.tree.root_node();
    let mut types = match parsed.language {
        Language::TypeScript | Language::Tsx => script::read(root, text),
        Language::Python => python::read(root, text),
        Language::Rust => rust::read(root, text),
        Language::Go => go::read(root, text),
        Language::Java => java::read(root, text),
        _ => return None,
    };
    types.truncate(TYPES_MAX);
    for record in &mut types {
        record.open |= record.fields.len() > FIELDS_MAX;
        record.fields.truncate(FIELDS_MAX);
    }
    let (generated, sources) = head(text);
    Some(RecordFile { generated, sources, types })
}

/// What the comment at the beginning says of where the file comes from.
fn head(text: &str) -> (bool, Vec<String>) {
    const ENDINGS: [&str; 8] = [".json", ".yaml", ".yml", ".proto", ".graphql", ".graphqls", ".gql", ".sql"];
    let mut generated = false;
    let mut sources = Vec::new();
    let marks = ["//", "#", "/*", "*", "--", "\"\"\"", "'''"];
    let comments = text
        .lines()
        .take(HEAD_LINES_MAX)
        .map(str::trim)
        .take_while(|line| line.is_empty() || marks.iter().any(|mark| line.starts_with(mark)));
    for line in comments {
        let lower = line.to_ascii_lowercase();
        generated |= ["generated", "do not edit", "do not modify"].iter().any(|word| lower.contains(word));
        let words = line.split(|character: char| character.is_whitespace() || "\"'`(),;<>".contains(character));
        let named = words.map(|word| word.trim_end_matches(['.', ':', '*'])).filter(|word| {
            let bare = !word.contains("://") && word.len() > 5;
            bare && ENDINGS.iter().any(|ending| word.ends_with(ending))
        });
        sources.extend(named.map(|word| word.trim_start_matches("./").to_owned()));
    }
    (generated, sources)
}

fn of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

fn field_text<'t>(node: Node<'_>, field: &str, text: &'t str) -> &'t str {
    node.child_by_field_name(field).map_or("", |child| of(child, text))
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

fn line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}

/// Visits the nodes of a few kinds without going into anything else, and hands each to `visit`.
fn within<'t>(root: Node<'t>, containers: &[&str], visit: &mut dyn FnMut(Node<'t>)) {
    let mut left = vec![root];
    while let Some(node) = left.pop() {
        visit(node);
        if containers.contains(&node.kind()) {
            let mut inner = children(node);
            inner.reverse();
            left.extend(inner);
        }
    }
}

#[cfg(test)]
mod tests;
