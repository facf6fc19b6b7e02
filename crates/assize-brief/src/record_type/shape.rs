//! What a field holds, in the few words that code and schemas have in common.

use serde::{Deserialize, Serialize};

use crate::language::LanguageId;
use crate::schema_type::SchemaFormat;

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// A text.
    Text,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// True or false.
    Truth,
    /// A list.
    List,
    /// Values by name.
    Map,
    /// Something else, or nothing that can be told.
    #[default]
    Other,
}

impl Shape {
    /// Its name in a sentence.
    pub fn shown(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::Truth => "a boolean",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Other => "something else",
        }
    }

    /// Returns whether both surely hold something else.
    pub fn contradicts(self, other: Self) -> bool {
        let numbers = [Self::Integer, Self::Number];
        self != Self::Other
            && other != Self::Other
            && self != other
            && !(numbers.contains(&self) && numbers.contains(&other))
    }

    /// Reads the type of a field of code.
    pub(super) fn of_code(language: LanguageId, text: &str) -> Self {
        let text = text.trim().trim_start_matches(':').trim();
        match language {
            LanguageId::Rust => rust(text),
            LanguageId::Go => go(text),
            LanguageId::Python => python(text.trim_matches(['"', '\''])),
            LanguageId::Java => java(text),
            LanguageId::TypeScript | LanguageId::Tsx | LanguageId::JavaScript => script(text),
        }
    }

    /// Reads the type of a schema's field. What a format writes in a way of its own is no more than something else.
    pub(super) fn of_schema(format: SchemaFormat, text: &str) -> Self {
        match format {
            SchemaFormat::JsonSchema | SchemaFormat::OpenApi => json(text),
            SchemaFormat::Protobuf => protobuf(text),
            SchemaFormat::Graphql => graphql(text),
            SchemaFormat::Sql => Self::Other,
        }
    }
}

fn json(text: &str) -> Shape {
    let kinds: Vec<&str> = if text.ends_with(")[]") { vec![text] } else { text.split(" | ").collect() };
    let mut kinds = kinds.into_iter().filter(|kind| *kind != "null");
    let (Some(kind), None) = (kinds.next(), kinds.next()) else { return Shape::Other };
    if kind.ends_with("[]") || kind == "array" {
        return Shape::List;
    }
    match kind {
        "string" => Shape::Text,
        "integer" => Shape::Integer,
        "number" => Shape::Number,
        "boolean" => Shape::Truth,
        _ if kind.starts_with("map<") => Shape::Map,
        // A format may be a type of its own: a date, a number in a text.
        _ if kind.starts_with("integer(") => Shape::Integer,
        _ if kind.starts_with("number(") => Shape::Number,
        _ => Shape::Other,
    }
}

fn protobuf(text: &str) -> Shape {
    if text.starts_with("repeated ") {
        return Shape::List;
    }
    match text {
        "string" => Shape::Text,
        "bool" => Shape::Truth,
        "int32" | "uint32" | "sint32" | "fixed32" | "sfixed32" => Shape::Integer,
        "float" | "double" => Shape::Number,
        _ if text.starts_with("map<") => Shape::Map,
        // Numbers of 64 bits are texts in JSON and numbers in code.
        _ => Shape::Other,
    }
}

fn graphql(text: &str) -> Shape {
    let text = text.trim_end_matches('!');
    match text {
        "String" => Shape::Text,
        "Int" => Shape::Integer,
        "Float" => Shape::Number,
        "Boolean" => Shape::Truth,
        _ if text.starts_with('[') => Shape::List,
        _ => Shape::Other,
    }
}

/// What stands in the brackets of one of these, such as `Option<…>`.
fn inside<'t>(text: &'t str, names: &[&str], open: char, close: char) -> Option<&'t str> {
    let (name, rest) = text.split_once(open)?;
    let name = name.trim().rsplit(['.', ':']).next().unwrap_or_default();
    names.contains(&name).then(|| rest.trim_end().strip_suffix(close)).flatten()
}

fn rust(text: &str) -> Shape {
    if let Some(inner) = inside(text, &["Option", "Box", "Arc", "Rc"], '<', '>') {
        return rust(inner.trim());
    }
    let name = text.split('<').next().unwrap_or_default().rsplit("::").next().unwrap_or_default().trim();
    match name {
        "String" | "str" => Shape::Text,
        "Cow" if text.ends_with("str>") => Shape::Text,
        "bool" => Shape::Truth,
        "f32" | "f64" => Shape::Number,
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => {
            Shape::Integer
        }
        "Vec" | "HashSet" | "BTreeSet" | "VecDeque" if !text.contains("<u8>") => Shape::List,
        "HashMap" | "BTreeMap" | "IndexMap" => Shape::Map,
        _ if text.starts_with('&') && text.ends_with("str") => Shape::Text,
        _ => Shape::Other,
    }
}

fn go(text: &str) -> Shape {
    let text = text.trim_start_matches('*');
    match text {
        "string" => Shape::Text,
        "bool" => Shape::Truth,
        "float32" | "float64" => Shape::Number,
        "int" | "int8" | "int16" | "int32" | "int64" | "uint" | "uint8" | "uint16" | "uint32" | "uint64" => {
            Shape::Integer
        }
        "[]byte" => Shape::Other,
        _ if text.starts_with("[]") => Shape::List,
        _ if text.starts_with("map[") => Shape::Map,
        _ => Shape::Other,
    }
}

fn python(text: &str) -> Shape {
    if let Some(inner) = inside(text, &["Optional", "Required", "NotRequired", "ReadOnly"], '[', ']') {
        return python(inner.trim());
    }
    if text.contains('|') && !text.contains('[') {
        let mut kinds = text.split('|').map(str::trim).filter(|kind| *kind != "None");
        return match (kinds.next(), kinds.next()) {
            (Some(kind), None) => python(kind),
            _ => Shape::Other,
        };
    }
    let text = text.strip_suffix("| None").map_or(text, str::trim);
    match text.split('[').next().unwrap_or_default().rsplit('.').next().unwrap_or_default() {
        "str" => Shape::Text,
        "int" => Shape::Integer,
        "float" => Shape::Number,
        "bool" => Shape::Truth,
        _ if text.contains('|') => Shape::Other,
        "list" | "List" | "Sequence" | "set" | "Set" | "tuple" | "Tuple" | "frozenset" => Shape::List,
        "dict" | "Dict" | "Mapping" => Shape::Map,
        _ => Shape::Other,
    }
}

fn java(text: &str) -> Shape {
    if let Some(inner) = inside(text, &["Optional"], '<', '>') {
        return java(inner.trim());
    }
    if text.ends_with("[]") {
        return if text == "byte[]" { Shape::Other } else { Shape::List };
    }
    match text.split('<').next().unwrap_or_default().rsplit('.').next().unwrap_or_default() {
        "String" => Shape::Text,
        "boolean" | "Boolean" => Shape::Truth,
        "byte" | "short" | "int" | "long" | "Byte" | "Short" | "Integer" | "Long" | "BigInteger" => Shape::Integer,
        "float" | "double" | "Float" | "Double" | "BigDecimal" => Shape::Number,
        "List" | "Set" | "Collection" => Shape::List,
        "Map" => Shape::Map,
        _ => Shape::Other,
    }
}

fn script(text: &str) -> Shape {
    if !text.contains(['<', '(', '{']) && text.contains('|') {
        let mut kinds = text.split('|').map(str::trim).filter(|kind| !matches!(*kind, "null" | "undefined" | ""));
        return match (kinds.next(), kinds.next()) {
            (Some(kind), None) => script(kind),
            _ => Shape::Other,
        };
    }
    if text.contains(" | ") {
        return Shape::Other;
    }
    match text {
        "string" => Shape::Text,
        "number" => Shape::Number,
        "boolean" => Shape::Truth,
        _ if text.ends_with("[]") || text.starts_with("Array<") || text.starts_with("ReadonlyArray<") => Shape::List,
        _ if text.starts_with("Record<") || text.starts_with("Map<") => Shape::Map,
        _ => Shape::Other,
    }
}
