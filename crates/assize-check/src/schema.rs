//! What a look at a tree's schemas, and at the documents that belong to them, tells.
//!
//! Texts come in and faults go out: nothing is run, nothing is fetched, and everything has a limit. One format is one
//! file. What of it is new, and what it costs, is not known here.

pub mod document;
pub mod effort;
pub mod graphql;
pub mod instance;
pub mod json_schema;
pub mod library;
pub mod open_api;
pub mod protobuf;
pub mod sql;

use std::collections::{BTreeMap, BTreeSet};

use assize_core::finding::{Certainty, Severity};
use assize_core::path::is_example;
use assize_core::text::quote;
use assize_ecosystem::is_test;
use assize_report::Diagnostic;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use document::{DocumentSyntax, ParsedDocument, UnreadDocument};
use library::{Library, SchemaDocument};

/// Most faults of one file that are told.
pub const FILE_FAULTS_MAX: usize = 50;

/// A kind of things that are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aspect {
    /// JSON Schemas.
    JsonSchema,
    /// Descriptions of interfaces after OpenAPI.
    OpenApi,
    /// Protocol buffers.
    Protobuf,
    /// The schema language of GraphQL.
    Graphql,
    /// Definitions in SQL.
    Sql,
    /// Documents that belong to a JSON Schema.
    Instances,
    /// Types in code that a schema describes as well.
    Types,
}

impl Aspect {
    /// Every aspect, in the order in which they are shown.
    pub const ALL: [Self; 7] =
        [Self::JsonSchema, Self::OpenApi, Self::Protobuf, Self::Graphql, Self::Sql, Self::Instances, Self::Types];

    /// The id under which its result is shown, and by which it is left out.
    pub fn id(self) -> &'static str {
        match self {
            Self::JsonSchema => "schema-json",
            Self::OpenApi => "schema-openapi",
            Self::Protobuf => "schema-protobuf",
            Self::Graphql => "schema-graphql",
            Self::Sql => "schema-sql",
            Self::Instances => "schema-instances",
            Self::Types => "schema-types",
        }
    }

    /// Says how many of its things there are.
    pub fn counted(self, count: usize) -> String {
        let (one, many) = match self {
            Self::JsonSchema => ("JSON Schema", "JSON Schemas"),
            Self::OpenApi => ("OpenAPI document", "OpenAPI documents"),
            Self::Protobuf => ("protobuf file", "protobuf files"),
            Self::Graphql => ("GraphQL schema", "GraphQL schemas"),
            Self::Sql => ("SQL file", "SQL files"),
            Self::Instances => ("document with a schema", "documents with a schema"),
            Self::Types => ("file with types of a schema", "files with types of a schema"),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}

/// Which documents belong to a schema, as a project declares it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    /// The schema's path, from the root of the tree.
    pub schema: String,
    /// A glob of the documents' paths; without one the schema alone is looked at.
    #[serde(default)]
    pub instances: Option<String>,
}

/// A state of a tree, as far as its schemas go.
#[derive(Debug, Clone, Copy)]
pub struct SchemaTree<'a> {
    /// The texts of the files that may be schemas or documents.
    pub texts: &'a BTreeMap<String, String>,
    /// Every path of the tree.
    pub paths: &'a BTreeSet<String>,
    /// The paths that a change touches: they are looked at first.
    pub changed: &'a BTreeSet<String>,
    /// What the project declares.
    pub declared: &'a [Declared],
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFault {
    /// What was looked at.
    pub aspect: Aspect,
    /// How sure it is.
    pub certainty: Certainty,
    /// What and where.
    pub found: Diagnostic,
}

/// What a look told.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Checked {
    /// How many files of each kind were looked at.
    pub looked_at: BTreeMap<Aspect, usize>,
    /// What is wrong.
    pub faults: Vec<SchemaFault>,
    /// What was not judged, and why.
    pub limits: Vec<String>,
    /// How many faults each file has.
    told: BTreeMap<(Aspect, String), usize>,
}

impl Checked {
    fn saw(&mut self, aspect: Aspect) {
        *self.looked_at.entry(aspect).or_default() += 1;
    }

    /// Files a fault. In tests and examples, where faults may be wanted, none is certain.
    fn fault(&mut self, aspect: Aspect, code: &str, place: (&str, u32), certainty: Certainty, message: String) {
        let (path, line) = place;
        let told = self.told.entry((aspect, path.to_owned())).or_default();
        *told += 1;
        if *told > FILE_FAULTS_MAX {
            return self.limit(format!("only the first {FILE_FAULTS_MAX} faults of {} are told", quote(path)));
        }
        let certainty = if is_test(path) || is_example(path) { Certainty::Likely } else { certainty };
        self.faults.push(SchemaFault {
            aspect,
            certainty,
            found: Diagnostic {
                code: code.to_owned(),
                severity: Severity::Error,
                path: Some(path.to_owned()),
                line: Some(line),
                message,
                offer: None,
            },
        });
    }

    /// Files what is wrong with a document, with the lines of its places.
    fn wrong(
        &mut self,
        aspect: Aspect,
        code: &str,
        path: &str,
        document: &ParsedDocument,
        wrong: &[json_schema::SchemaViolation],
    ) {
        if wrong.len() > FILE_FAULTS_MAX {
            self.limit(format!("only {FILE_FAULTS_MAX} of {} faults of {} are told", wrong.len(), quote(path)));
        }
        for found in wrong.iter().take(FILE_FAULTS_MAX) {
            let message = format!("{}{}", found.message, at(&found.pointer));
            self.fault(aspect, code, (path, document.line(&found.pointer)), found.certainty, message);
        }
    }

    fn limit(&mut self, what: String) {
        if !self.limits.contains(&what) {
            self.limits.push(what);
        }
    }
}

/// Names a place within a document; its root needs no name.
fn at(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(" (at {})", quote(pointer)) }
}

/// How surely a file is a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claim {
    /// It says so, or the project does.
    Sure,
    /// It lies where schemas lie.
    ByPlace,
}

/// Looks at everything.
pub fn check(tree: &SchemaTree<'_>) -> Checked {
    let mut checked = Checked::default();
    let documents = Documents::of(tree, &mut checked);
    let entries = documents
        .schemas
        .iter()
        .map(|(path, (document, _))| (path.clone(), SchemaDocument::new(document.clone())))
        .collect();
    let library = Library::new(tree.texts, tree.paths, entries);
    json_schemas(&library, &documents, &mut checked);
    open_api::check(tree, &documents.interfaces, &mut checked);
    instance::check(tree, &library, &mut checked);
    protobuf::check(tree, &mut checked);
    graphql::check(tree, &mut checked);
    sql::check(tree, &mut checked);
    checked
}

/// The documents of a tree that are schemas.
#[derive(Default)]
struct Documents {
    schemas: BTreeMap<String, (ParsedDocument, Claim)>,
    interfaces: BTreeMap<String, ParsedDocument>,
}

impl Documents {
    fn of(tree: &SchemaTree<'_>, checked: &mut Checked) -> Self {
        let mut documents = Self::default();
        for (path, text) in tree.texts {
            let syntax = DocumentSyntax::of(path)
                .filter(|syntax| !matches!(syntax, DocumentSyntax::Toml | DocumentSyntax::JsonLines));
            let Some((syntax, by_name)) = syntax.map(|syntax| (syntax, named(tree, path))) else { continue };
            let is_interface = ["openapi", "swagger"].iter().any(|word| says_version(text, word));
            let names_draft = text.contains("json-schema.org/") && text.contains("$schema");
            if by_name.is_none() && !names_draft && !is_interface {
                continue;
            }
            let mut read = match document::read(syntax, text) {
                Ok(read) if !read.is_empty() => read,
                Ok(_) => continue,
                Err(UnreadDocument::OverLimit(limit)) => {
                    checked.limit(format!("{} was not looked at: {limit}", quote(path)));
                    continue;
                }
                Err(UnreadDocument::Malformed { line, message }) => {
                    let aspect = if is_interface { Aspect::OpenApi } else { Aspect::JsonSchema };
                    let certainty = if by_name == Some(Claim::Sure) || says_so(text) {
                        Certainty::Certain
                    } else {
                        Certainty::Likely
                    };
                    checked.saw(aspect);
                    checked.fault(aspect, "unreadable", (path, line), certainty, message);
                    continue;
                }
            };
            let document = read.remove(0);
            let own = document.value.get("$schema").and_then(Value::as_str).unwrap_or_default();
            if is_interface && open_api::version(&document.value).is_some() {
                odd(&document, path, Aspect::OpenApi, checked);
                documents.interfaces.insert(path.clone(), document);
            } else if own.contains("json-schema.org/") {
                documents.schemas.insert(path.clone(), (document, Claim::Sure));
            } else if let Some(claim) = by_name.filter(|_| own.is_empty() && looks_like_schema(&document.value)) {
                documents.schemas.insert(path.clone(), (document, claim));
            }
        }
        documents
    }
}

/// What strict readers would not take is told, and does not turn a change away.
fn odd(document: &ParsedDocument, path: &str, aspect: Aspect, checked: &mut Checked) {
    for (line, what) in document.oddities.iter().take(FILE_FAULTS_MAX) {
        let message = format!("strict readers refuse this: {what}");
        checked.fault(aspect, "not-strict", (path, *line), Certainty::Likely, message);
    }
}

/// Says whether a file is a schema by its name or by what the project declares.
fn named(tree: &SchemaTree<'_>, path: &str) -> Option<Claim> {
    let name = assize_core::path::file_name(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if tree.declared.iter().any(|declared| declared.schema == path) || stem.ends_with(".schema") {
        return Some(Claim::Sure);
    }
    let folder = path.rsplit('/').nth(1).unwrap_or_default();
    (stem.ends_with("-schema") || matches!(folder, "schema" | "schemas")).then_some(Claim::ByPlace)
}

/// Returns whether a text says at its beginning which draft it is written in.
fn says_so(text: &str) -> bool {
    const HEAD_BYTES: usize = 2_000;
    let head = assize_core::text::head(text, HEAD_BYTES);
    head.contains("\"$schema\"") && head.contains("json-schema.org/")
        || ["openapi", "swagger"].iter().any(|word| says_version(head, word))
}

/// Returns whether a key with a version stands in a text: `openapi: 3.1.0`, `"swagger": "2.0"`.
fn says_version(text: &str, key: &str) -> bool {
    text.match_indices(key).any(|(at, _)| {
        let before = text[..at].trim_end_matches(['"', '\'']).chars().next_back();
        let after = text[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        let version = after.strip_prefix(':').map(str::trim_start).map(|rest| rest.trim_start_matches(['"', '\'']));
        before.is_none_or(|before| before.is_whitespace() || matches!(before, '{' | ',' | '\u{feff}'))
            && version.is_some_and(|version| version.starts_with(['2', '3']))
    })
}

/// Returns whether a value has what schemas consist of.
fn looks_like_schema(value: &Value) -> bool {
    let is_type = |value: &Value| {
        value.as_str().is_some_and(|word| {
            matches!(word, "object" | "array" | "string" | "number" | "integer" | "boolean" | "null")
        })
    };
    ["properties", "$defs", "definitions", "patternProperties"]
        .iter()
        .any(|key| value.get(key).is_some_and(Value::is_object))
        || ["oneOf", "anyOf", "allOf", "enum"].iter().any(|key| value.get(key).is_some_and(Value::is_array))
        || value.get("type").is_some_and(is_type)
        || value.get("$ref").is_some_and(Value::is_string)
}

fn json_schemas(library: &Library<'_>, documents: &Documents, checked: &mut Checked) {
    let mut remote = 0;
    for (path, (document, claim)) in &documents.schemas {
        checked.saw(Aspect::JsonSchema);
        odd(document, path, Aspect::JsonSchema, checked);
        let Some(entry) = library.entry(path) else {
            checked.limit(format!("only {} JSON Schemas were looked at", library::DOCUMENTS_MAX));
            break;
        };
        let lower = |mut wrong: Vec<json_schema::SchemaViolation>| {
            for found in wrong.iter_mut().filter(|_| *claim == Claim::ByPlace) {
                found.certainty = Certainty::Likely;
            }
            wrong
        };
        let own = document.value.get("$schema").and_then(Value::as_str);
        if own.is_some() && entry.draft.is_none() {
            checked
                .limit(format!("{} is written in a dialect that is not known here, and was not judged", quote(path)));
        } else {
            let wrong = lower(json_schema::against_meta_schema(entry));
            checked.wrong(Aspect::JsonSchema, "invalid", path, document, &wrong);
        }
        let (wrong, elsewhere) = json_schema::broken_references(library, path);
        checked.wrong(Aspect::JsonSchema, "broken-reference", path, document, &lower(wrong));
        remote += usize::from(elsewhere > 0);
    }
    if remote > 0 {
        let files = if remote == 1 { "1 schema refers".to_owned() } else { format!("{remote} schemas refer") };
        checked.limit(format!("{files} to the network, which is never asked: what is there was not judged"));
    }
}

#[cfg(test)]
mod tests;
