//! The types that a project's schemas declare: JSON Schema, OpenAPI, protobuf, GraphQL and SQL tables.
//!
//! Each format has one reader, which tells what a file says and where it stumbles; [`read`] makes types of it: names,
//! fields, what type they have and whether they are required. What a format's own tool would refuse is passed over
//! here, so that one odd statement does not hide the others. It knows one file's text; references are names and are not
//! followed.

mod document;
pub mod graphql;
mod json_schema;
pub mod protobuf;
pub mod sql;

use serde::{Deserialize, Serialize};

/// Largest schema that is read, in bytes.
pub const SCHEMA_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Types that are kept of one file.
pub const TYPES_MAX: usize = 2_000;
/// Fields that are kept of one type.
pub const FIELDS_MAX: usize = 500;
/// Longest text of a name or type that is kept, in characters.
pub const TEXT_CHARS_MAX: usize = 120;

/// The schema types of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SchemaFile {
    /// The format that it is written in.
    pub format: SchemaFormat,
    /// The types that it declares, in the order of the file.
    pub types: Vec<SchemaType>,
    /// Types that were left out because there are more than [`TYPES_MAX`].
    #[serde(default)]
    pub types_left_out: usize,
    /// Why it was not read, if that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<SchemaUnread>,
}

/// Why a schema was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SchemaUnread {
    /// It is larger than [`SCHEMA_BYTES_MAX`].
    TooLarge,
    /// It is no JSON or YAML, or nested deeper than is read.
    Malformed {
        /// The line at which that shows, counted from 1.
        line: u32,
        /// What is wrong.
        message: String,
    },
}

/// A format of schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SchemaFormat {
    /// JSON Schema, of any draft.
    JsonSchema,
    /// OpenAPI 3, and Swagger 2.
    OpenApi,
    /// Protocol buffers, 2 and 3.
    Protobuf,
    /// The schema definition language of GraphQL.
    Graphql,
    /// Data definitions in SQL, whatever the dialect.
    Sql,
}

/// A type that a schema declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SchemaType {
    /// Its name, with those of the types around it: `Order.Line`.
    pub name: String,
    /// What it is.
    pub kind: SchemaTypeKind,
    /// What it has: fields, columns, the values of an enumeration, the calls of a service.
    pub fields: Vec<SchemaField>,
    /// Fields that were left out because there are more than [`FIELDS_MAX`].
    #[serde(default)]
    pub fields_left_out: usize,
    /// Types that it is made of: the members of a union, interfaces, what it inherits from or stands for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// The line, counted from 1.
    pub line: u32,
}

/// What a schema type is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SchemaTypeKind {
    /// Something with fields.
    Object,
    /// A choice of values.
    Enum,
    /// A choice of types.
    Union,
    /// Another name for a type, or a type of its own without fields.
    Scalar,
    /// What other types fulfil.
    Interface,
    /// An object that is given to a query.
    Input,
    /// A set of calls.
    Service,
    /// A table.
    Table,
    /// A view of tables.
    View,
}

/// A field of a schema type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SchemaField {
    /// Its name.
    pub name: String,
    /// Its type, as the format writes it; empty for the value of an enumeration.
    #[serde(rename = "type", default, skip_serializing_if = "String::is_empty")]
    pub type_text: String,
    /// Whether it must be there.
    pub required: bool,
    /// The line, counted from 1.
    pub line: u32,
}

/// Returns whether a file may hold a schema, by its name. Code that walks a tree need not read other files.
pub fn may_be_schema(path: &str) -> bool {
    candidate(path).is_some()
}

/// Reads the types that a file declares; `None` where it is no schema or declares none.
///
/// JSON and YAML are schemas when they say so: by `openapi`, `swagger`, a `$schema` of json-schema.org, or by
/// their name (`….schema.json`, a folder `schema` or `schemas`) together with what a schema consists of.
pub fn read(path: &str, text: &str) -> Option<SchemaFile> {
    let candidate = candidate(path)?;
    let format = match candidate {
        SchemaSyntax::Json | SchemaSyntax::Yaml => json_schema::claims(path, text)?,
        SchemaSyntax::Protobuf => SchemaFormat::Protobuf,
        SchemaSyntax::Graphql => SchemaFormat::Graphql,
        SchemaSyntax::Sql => SchemaFormat::Sql,
    };
    let unread = |why| Some(SchemaFile { format, types: Vec::new(), types_left_out: 0, unread: Some(why) });
    if text.len() > SCHEMA_BYTES_MAX {
        return unread(SchemaUnread::TooLarge);
    }
    let types = match candidate {
        SchemaSyntax::Json | SchemaSyntax::Yaml => {
            let parsed =
                if candidate == SchemaSyntax::Json { document::from_json(text) } else { document::from_yaml(text) };
            match parsed {
                Ok(root) => return json_schema::read(path, &root).map(|(format, types)| types.finish(format)),
                Err(why) => return unread(why),
            }
        }
        SchemaSyntax::Protobuf => protobuf::types(text),
        SchemaSyntax::Graphql => graphql::types(text),
        SchemaSyntax::Sql => sql::types(text),
    };
    (!types.list.is_empty()).then(|| types.finish(format))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SchemaSyntax {
    Json,
    Yaml,
    Protobuf,
    Graphql,
    Sql,
}

fn candidate(path: &str) -> Option<SchemaSyntax> {
    let (stem, extension) = file_name(path).rsplit_once('.')?;
    let candidate = match extension {
        "json" => SchemaSyntax::Json,
        "yaml" | "yml" => SchemaSyntax::Yaml,
        "proto" => SchemaSyntax::Protobuf,
        "graphql" | "graphqls" | "gql" => SchemaSyntax::Graphql,
        "sql" | "ddl" => SchemaSyntax::Sql,
        _ => return None,
    };
    let is_lock = stem.ends_with("-lock") || stem.ends_with(".lock");
    (!stem.is_empty() && !is_lock).then_some(candidate)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Collects types within the limits.
#[derive(Default)]
struct Types {
    list: Vec<SchemaType>,
    left_out: usize,
}

impl Types {
    /// Adds a type; its place in the list, unless there are too many.
    fn push(&mut self, found: SchemaType) -> Option<usize> {
        if self.list.len() == TYPES_MAX {
            self.left_out += 1;
            return None;
        }
        self.list.push(found);
        Some(self.list.len() - 1)
    }

    fn finish(self, format: SchemaFormat) -> SchemaFile {
        SchemaFile { format, types: self.list, types_left_out: self.left_out, unread: None }
    }
}

impl SchemaType {
    fn new(name: &str, kind: SchemaTypeKind, line: u32) -> Self {
        Self { name: shortened(name), kind, fields: Vec::new(), fields_left_out: 0, parts: Vec::new(), line }
    }

    /// Adds a field, unless there are too many.
    fn field(&mut self, name: &str, type_text: &str, required: bool, line: u32) {
        if self.fields.len() == FIELDS_MAX {
            self.fields_left_out += 1;
            return;
        }
        self.fields.push(SchemaField { name: shortened(name), type_text: shortened(type_text), required, line });
    }

    /// Adds a type that it is made of, once.
    fn part(&mut self, name: &str) {
        let name = shortened(name);
        if self.parts.len() < FIELDS_MAX && !self.parts.contains(&name) {
            self.parts.push(name);
        }
    }
}

/// A text up to [`TEXT_CHARS_MAX`], an ellipsis in place of the rest.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        None => text.to_owned(),
        Some(_) => text.chars().take(TEXT_CHARS_MAX - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests;
