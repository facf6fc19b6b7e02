//! What a field holds, in the few words that code and schemas have in common.

use assize_ecosystem::Language;
use assize_syntax::schema_type::SchemaFormat;
use serde::{Deserialize, Serialize};

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum FieldShape {
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

impl FieldShape {
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
    pub(super) fn of_code(language: Language, text: &str) -> Self {
        let text = text.trim().trim_start_matches(':').trim();
        match language {
            Language::Rust => rust(text),
            Language::Go => go(text),
            Language::Python => python(text.trim_matches(['"', '\''])),
            Language::Java => java(text),
            Language::TypeScript | Language::Tsx | Language::JavaScript => script(text),
            _ => Self::Other,
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

fn json(text: &str) -> FieldShape {
    let kinds: Vec<&str> = if text.ends_with(")[]") { vec![text] } else { text.split(" | ").collect() };
    let mut kinds = kinds.into_iter().filter(|kind| *kind != "null");
    let (Some(kind), None) = (kinds.next(), kinds.next()) else { return FieldShape::Other };
    if kind.ends_with("[]") || kind == "array" {
        return FieldShape::List;
    }
    match kind {
        "string" => FieldShape::Text,
        "integer" => FieldShape::Integer,
        "number" => FieldShape::Number,
        "boolean" => FieldShape::Truth,
        _ if kind.starts_with("map<") => FieldShape::Map,
        // A format may be a type of its own: a date, a number in a text.
        _ if kind.starts_with("integer(") => FieldShape::Integer,
        _ if kind.starts_with("number(") => FieldShape::Number,
        _ => FieldShape::Other,
    }
}

fn protobuf(text: &str) -> FieldShape {
    if text.starts_with("repeated ") {
        return FieldShape::List;
    }
    match text {
        "string" => FieldShape::Text,
        "bool" => FieldShape::Truth,
        "int32" | "uint32" | "sint32" | "fixed32" | "sfixed32" => FieldShape::Integer,
        "float" | "double" => FieldShape::Number,
        _ if text.starts_with("map<") => FieldShape::Map,
        // Numbers of 64 bits are texts in JSON and numbers in code.
        _ => FieldShape::Other,
    }
}

fn graphql(text: &str) -> FieldShape {
    let text = text.trim_end_matches('!');
    match text {
        "String" => FieldShape::Text,
        "Int" => FieldShape::Integer,
        "Float" => FieldShape::Number,
        "Boolean" => FieldShape::Truth,
        _ if text.starts_with('[') => FieldShape::List,
        _ => FieldShape::Other,
    }
}

/// What stands in the brackets of one of these, such as `Option<…>`.
fn inside<'t>(text: &'t str, names: &[&str], open: char, close: char) -> Option<&'t str> {
    let (name, rest) = text.split_once(open)?;
    let name = name.trim().rsplit(['.', ':']).next().unwrap_or_default();
    names.contains(&name).then(|| rest.trim_end().strip_suffix(close)).flatten()
}

fn rust(text: &str) -> FieldShape {
    if let Some(inner) = inside(text, &["Option", "Box", "Arc", "Rc"], '<', '>') {
        return rust(inner.trim());
    }
    let name = text.split('<').next().unwrap_or_default().rsplit("::").next().unwrap_or_default().trim();
    match name {
        "String" | "str" => FieldShape::Text,
        "Cow" if text.ends_with("str>") => FieldShape::Text,
        "bool" => FieldShape::Truth,
        "f32" | "f64" => FieldShape::Number,
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => {
            FieldShape::Integer
        }
        "Vec" | "HashSet" | "BTreeSet" | "VecDeque" if !text.contains("<u8>") => FieldShape::List,
        "HashMap" | "BTreeMap" | "IndexMap" => FieldShape::Map,
        _ if text.starts_with('&') && text.ends_with("str") => FieldShape::Text,
        _ => FieldShape::Other,
    }
}

fn go(text: &str) -> FieldShape {
    let text = text.trim_start_matches('*');
    match text {
        "string" => FieldShape::Text,
        "bool" => FieldShape::Truth,
        "float32" | "float64" => FieldShape::Number,
        "int" | "int8" | "int16" | "int32" | "int64" | "uint" | "uint8" | "uint16" | "uint32" | "uint64" => {
            FieldShape::Integer
        }
        "[]byte" => FieldShape::Other,
        _ if text.starts_with("[]") => FieldShape::List,
        _ if text.starts_with("map[") => FieldShape::Map,
        _ => FieldShape::Other,
    }
}

fn python(text: &str) -> FieldShape {
    if let Some(inner) = inside(text, &["Optional", "Required", "NotRequired", "ReadOnly"], '[', ']') {
        return python(inner.trim());
    }
    if text.contains('|') && !text.contains('[') {
        let mut kinds = text.split('|').map(str::trim).filter(|kind| *kind != "None");
        return match (kinds.next(), kinds.next()) {
            (Some(kind), None) => python(kind),
            _ => FieldShape::Other,
        };
    }
    let text = text.strip_suffix("| None").map_or(text, str::trim);
    match text.split('[').next().unwrap_or_default().rsplit('.').next().unwrap_or_default() {
        "str" => FieldShape::Text,
        "int" => FieldShape::Integer,
        "float" => FieldShape::Number,
        "bool" => FieldShape::Truth,
        _ if text.contains('|') => FieldShape::Other,
        "list" | "List" | "Sequence" | "set" | "Set" | "tuple" | "Tuple" | "frozenset" => FieldShape::List,
        "dict" | "Dict" | "Mapping" => FieldShape::Map,
        _ => FieldShape::Other,
    }
}

fn java(text: &str) -> FieldShape {
    if let Some(inner) = inside(text, &["Optional"], '<', '>') {
        return java(inner.trim());
    }
    if text.ends_with("[]") {
        return if text == "byte[]" { FieldShape::Other } else { FieldShape::List };
    }
    match text.split('<').next().unwrap_or_default().rsplit('.').next().unwrap_or_default() {
        "String" => FieldShape::Text,
        "boolean" | "Boolean" => FieldShape::Truth,
        "byte" | "short" | "int" | "long" | "Byte" | "Short" | "Integer" | "Long" | "BigInteger" => FieldShape::Integer,
        "float" | "double" | "Float" | "Double" | "BigDecimal" => FieldShape::Number,
        "List" | "Set" | "Collection" => FieldShape::List,
        "Map" => FieldShape::Map,
        _ => FieldShape::Other,
    }
}

fn script(text: &str) -> FieldShape {
    if !text.contains(['<', '(', '{']) && text.contains('|') {
        let mut kinds = text.split('|').map(str::trim).filter(|kind| !matches!(*kind, "null" | "undefined" | ""));
        return match (kinds.next(), kinds.next()) {
            (Some(kind), None) => script(kind),
            _ => FieldShape::Other,
        };
    }
    if text.contains(" | ") {
        return FieldShape::Other;
    }
    match text {
        "string" => FieldShape::Text,
        "number" => FieldShape::Number,
        "boolean" => FieldShape::Truth,
        _ if text.ends_with("[]") || text.starts_with("Array<") || text.starts_with("ReadonlyArray<") => {
            FieldShape::List
        }
        _ if text.starts_with("Record<") || text.starts_with("Map<") => FieldShape::Map,
        _ => FieldShape::Other,
    }
}
