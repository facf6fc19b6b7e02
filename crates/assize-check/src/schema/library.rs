//! The JSON Schemas of a tree: where their parts stand, and what their references mean.
//!
//! A reference leads to a part of the tree, to an address on the network, or nowhere. Network addresses are not looked
//! up. This module does not know which values a schema accepts.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::path::file_name;
use jsonschema::Draft;
use serde_json::Value;

use super::document::{DocumentSyntax, ParsedDocument, join, read};

/// Most documents that references are followed into.
pub const DOCUMENTS_MAX: usize = 2_000;
/// Most parts of one schema that are looked at.
pub const PARTS_MAX: usize = 100_000;

/// Keywords with one schema.
const ONE: [&str; 13] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "extends",
];
/// Keywords with a list of schemas.
const LIST: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
/// Keywords with schemas by name.
const MAP: [&str; 6] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties", "dependencies"];

/// A schema document of a tree.
#[derive(Debug, Clone)]
pub struct SchemaDocument {
    /// The document.
    pub document: ParsedDocument,
    /// The draft that it is written in; `None` where it does not say.
    pub draft: Option<Draft>,
}

impl SchemaDocument {
    /// Makes an entry of a document.
    pub fn new(document: ParsedDocument) -> Self {
        let draft = document.value.get("$schema").and_then(Value::as_str).and_then(draft_of);
        Self { document, draft }
    }
}

/// Returns the draft that a `$schema` names; `None` for any other dialect.
pub fn draft_of(uri: &str) -> Option<Draft> {
    let bare = uri.trim_end_matches('#').trim_start_matches("https://").trim_start_matches("http://");
    Some(match bare {
        "json-schema.org/draft-04/schema" => Draft::Draft4,
        "json-schema.org/draft-06/schema" => Draft::Draft6,
        "json-schema.org/draft-07/schema" => Draft::Draft7,
        "json-schema.org/draft/2019-09/schema" => Draft::Draft201909,
        "json-schema.org/draft/2020-12/schema" => Draft::Draft202012,
        _ => return None,
    })
}

/// Where a reference leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReferenceTarget {
    /// To a part of a document of the tree.
    Found {
        /// The document.
        path: String,
        /// The part.
        pointer: String,
    },
    /// Out of the tree; it is not looked up.
    Remote,
    /// To something beside the tree's own files, such as a package that is installed.
    Outside,
    /// Nowhere, and why.
    Missing(String),
}

/// A part of a schema, with what references in it are relative to.
#[derive(Debug, Clone)]
pub struct SchemaPart<'v> {
    /// Where it stands.
    pub pointer: String,
    /// What it says.
    pub value: &'v Value,
    /// What references in it are relative to.
    pub base: ReferenceBase,
}

/// What references are relative to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReferenceBase {
    /// Where the resource begins.
    pub pointer: String,
    /// The URI that the resource gives itself.
    pub id: Option<String>,
}

impl ReferenceBase {
    /// The base within a part, which may give itself another identity.
    fn within(&self, pointer: &str, value: &Value) -> Self {
        let id = value.get("$id").or_else(|| value.get("id")).and_then(Value::as_str);
        let Some(id) = id.filter(|id| !id.starts_with('#') && !id.is_empty()) else { return self.clone() };
        // Beside `$ref` older drafts ignore it.
        if value.get("$ref").is_some() {
            return self.clone();
        }
        let id = id.split('#').next().unwrap_or(id);
        let absolute = self.id.as_deref().map_or_else(|| id.to_owned(), |base| join_uri(base, id));
        if is_absolute(&absolute) {
            Self { pointer: pointer.to_owned(), id: Some(absolute) }
        } else if pointer.is_empty() {
            // `"$id": "order.json"` only says what the file is called.
            self.clone()
        } else {
            Self { pointer: pointer.to_owned(), id: self.id.clone() }
        }
    }
}

/// The schemas of a tree.
pub struct Library<'a> {
    paths: &'a BTreeSet<String>,
    entries: BTreeMap<String, SchemaDocument>,
    ids: BTreeMap<String, (String, String)>,
}

impl<'a> Library<'a> {
    /// Begins with some documents; those that they refer to are added.
    pub fn new(
        texts: &'a BTreeMap<String, String>,
        paths: &'a BTreeSet<String>,
        entries: BTreeMap<String, SchemaDocument>,
    ) -> Self {
        Self::gathered(texts, paths, entries, wanted)
    }

    /// As [`Library::new`], for documents that hold schemas somewhere: references count wherever they stand.
    pub fn whole(
        texts: &'a BTreeMap<String, String>,
        paths: &'a BTreeSet<String>,
        entries: BTreeMap<String, SchemaDocument>,
    ) -> Self {
        Self::gathered(texts, paths, entries, wanted_anywhere)
    }

    fn gathered(
        texts: &'a BTreeMap<String, String>,
        paths: &'a BTreeSet<String>,
        entries: BTreeMap<String, SchemaDocument>,
        wanted: fn(&Value) -> BTreeSet<String>,
    ) -> Self {
        let mut library = Self { paths, entries: BTreeMap::new(), ids: BTreeMap::new() };
        let mut due: Vec<(String, SchemaDocument)> = entries.into_iter().rev().collect();
        while let Some((path, entry)) = due.pop() {
            if library.entries.len() == DOCUMENTS_MAX {
                break;
            }
            let references = wanted(&entry.document.value);
            library.add(path.clone(), entry);
            for file in references.iter().filter_map(|reference| beside(&path, reference)) {
                let known = library.entries.contains_key(&file) || due.iter().any(|(path, _)| *path == file);
                let document = (!known).then(|| document_of(texts, &file)).flatten();
                due.extend(document.map(|document| (file, SchemaDocument::new(document))));
            }
        }
        library
    }

    fn add(&mut self, path: String, entry: SchemaDocument) {
        let mut found = Vec::new();
        for part in parts(&entry.document.value) {
            if part.base.pointer == part.pointer
                && let Some(id) = &part.base.id
            {
                found.push((id.clone(), (path.clone(), part.pointer.clone())));
            }
        }
        self.ids.extend(found);
        self.entries.insert(path, entry);
    }

    /// The document of a path.
    pub fn entry(&self, path: &str) -> Option<&SchemaDocument> {
        self.entries.get(path)
    }

    /// Every document, by its path.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &SchemaDocument)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// The path of the document that gives itself a URI.
    pub fn by_id(&self, uri: &str) -> Option<&str> {
        self.ids.get(uri.trim_end_matches('#')).filter(|(_, pointer)| pointer.is_empty()).map(|(path, _)| path.as_str())
    }

    /// The value of a part.
    pub fn value(&self, path: &str, pointer: &str) -> Option<&Value> {
        self.entries.get(path)?.document.value.pointer(pointer)
    }

    /// What references in a part are relative to.
    pub fn base_at(&self, path: &str, pointer: &str) -> ReferenceBase {
        let mut base = ReferenceBase::default();
        let Some(mut value) = self.entries.get(path).map(|entry| &entry.document.value) else { return base };
        base = base.within("", value);
        let mut at = String::new();
        for step in pointer.split('/').skip(1) {
            at = format!("{at}/{step}");
            let Some(inner) = value.pointer(&format!("/{step}")) else { return base };
            value = inner;
            base = base.within(&at, value);
        }
        base
    }

    /// Says where a reference leads that stands in a document.
    pub fn resolve(&self, path: &str, base: &ReferenceBase, reference: &str) -> ReferenceTarget {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let (path, root) = match self.document(path, base, document) {
            Ok(found) => found,
            Err(target) => return target,
        };
        self.within(path, root, fragment)
    }

    /// The document and the part of it that a URI without fragment means.
    fn document(&self, path: &str, base: &ReferenceBase, document: &str) -> Result<(String, String), ReferenceTarget> {
        if document.is_empty() {
            return Ok((path.to_owned(), base.pointer.clone()));
        }
        let absolute = base.id.as_deref().map_or_else(|| document.to_owned(), |base| join_uri(base, document));
        if let Some(found) = self.ids.get(&absolute) {
            return Ok(found.clone());
        }
        if is_absolute(document) {
            return Err(ReferenceTarget::Remote);
        }
        let mut outside = document.contains("node_modules/");
        if let Some(file) = beside(path, document) {
            if self.entries.contains_key(&file) {
                return Ok((file, String::new()));
            }
            if self.paths.contains(&file) {
                // It is there, and too large, no JSON, or left out by a limit.
                return Err(ReferenceTarget::Outside);
            }
        } else {
            outside = true;
        }
        if base.id.is_some() {
            return Err(ReferenceTarget::Remote);
        }
        if outside {
            return Err(ReferenceTarget::Outside);
        }
        Err(ReferenceTarget::Missing(format!("there is no file {}", assize_core::text::quote(document))))
    }

    fn within(&self, path: String, root: String, fragment: &str) -> ReferenceTarget {
        let fragment = decoded(fragment);
        if fragment.is_empty() {
            return ReferenceTarget::Found { path, pointer: root };
        }
        if fragment.starts_with('/') {
            let pointers = [format!("{root}{fragment}"), fragment.clone()];
            return match pointers.into_iter().find(|pointer| self.value(&path, pointer).is_some()) {
                Some(pointer) => ReferenceTarget::Found { path, pointer },
                None => ReferenceTarget::Missing(format!(
                    "{} has nothing at {}",
                    assize_core::text::quote(file_name(&path)),
                    assize_core::text::quote(&fragment)
                )),
            };
        }
        let marked = format!("#{fragment}");
        let root = self.entries.get(&path).map(|entry| &entry.document.value);
        let anchor = root.into_iter().flat_map(parts).find(|part| {
            let says = |key: &str, text: &str| part.value.get(key).and_then(Value::as_str) == Some(text);
            says("$anchor", &fragment)
                || says("$dynamicAnchor", &fragment)
                || says("$id", &marked)
                || says("id", &marked)
        });
        match anchor {
            Some(part) => ReferenceTarget::Found { path, pointer: part.pointer },
            None => ReferenceTarget::Missing(format!(
                "{} has no anchor {}",
                assize_core::text::quote(file_name(&path)),
                assize_core::text::quote(&fragment)
            )),
        }
    }
}

/// The files that the references of a schema name.
fn wanted(root: &Value) -> BTreeSet<String> {
    parts(root).into_iter().flat_map(|part| references(part.value)).filter_map(file_of).collect()
}

fn wanted_anywhere(root: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut left = vec![root];
    while let Some(value) = left.pop() {
        found.extend(references(value).filter_map(file_of));
        match value {
            Value::Object(map) => left.extend(map.values()),
            Value::Array(items) => left.extend(items),
            _ => {}
        }
    }
    found
}

/// The file that a reference names, if it names one.
fn file_of(reference: &str) -> Option<String> {
    let document = reference.split('#').next().unwrap_or_default();
    (!document.is_empty() && !is_absolute(document)).then(|| document.to_owned())
}

/// Reads the document of a file, where it is one that a reference can lead into.
fn document_of(texts: &BTreeMap<String, String>, path: &str) -> Option<ParsedDocument> {
    let syntax = DocumentSyntax::of(path)
        .filter(|syntax| !matches!(syntax, DocumentSyntax::Toml | DocumentSyntax::JsonLines))?;
    let mut documents = read(syntax, texts.get(path)?).ok()?;
    (!documents.is_empty()).then(|| documents.remove(0))
}

/// The parts of a schema that are schemas themselves, the whole first. Data in it (`enum`, `const`, examples) is none.
pub fn parts(root: &Value) -> Vec<SchemaPart<'_>> {
    let mut found: Vec<SchemaPart<'_>> = Vec::new();
    let mut left =
        vec![SchemaPart { pointer: String::new(), value: root, base: ReferenceBase::default().within("", root) }];
    while let Some(part) = left.pop() {
        if found.len() == PARTS_MAX {
            break;
        }
        let mut inner: Vec<SchemaPart<'_>> = Vec::new();
        for (steps, value) in below(part.value) {
            let pointer = steps.iter().fold(part.pointer.clone(), |pointer, step| join(&pointer, step));
            let base = part.base.within(&pointer, value);
            inner.push(SchemaPart { pointer, value, base });
        }
        inner.reverse();
        left.extend(inner);
        found.push(part);
    }
    found
}

/// The schemas right below a schema, each with the way to it.
pub fn below(value: &Value) -> Vec<(Vec<String>, &Value)> {
    let Value::Object(map) = value else { return Vec::new() };
    let mut found = Vec::new();
    for (key, value) in map {
        let key = key.as_str();
        match value {
            Value::Object(inner) if MAP.contains(&key) => {
                let schemas = inner.iter().filter(|(_, value)| value.is_object() || value.is_boolean());
                found.extend(schemas.map(|(name, value)| (vec![key.to_owned(), name.clone()], value)));
            }
            Value::Object(_) | Value::Bool(_) if ONE.contains(&key) => found.push((vec![key.to_owned()], value)),
            Value::Array(items) if LIST.contains(&key) => {
                let items = items.iter().enumerate();
                found.extend(items.map(|(index, value)| (vec![key.to_owned(), index.to_string()], value)));
            }
            _ => {}
        }
    }
    found
}

/// The references that stand in a part itself.
pub fn references(part: &Value) -> impl Iterator<Item = &str> {
    ["$ref", "$dynamicRef"].into_iter().filter_map(|key| part.get(key)).filter_map(Value::as_str)
}

/// Returns whether a URI names its scheme.
pub fn is_absolute(uri: &str) -> bool {
    let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme);
    scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// The file of the tree that a relative path means; `None` where it leads out of the tree.
pub fn beside(path: &str, relative: &str) -> Option<String> {
    let relative = decoded(relative.split(['?', '#']).next().unwrap_or_default());
    let mut steps: Vec<&str> = match relative.starts_with('/') {
        true => Vec::new(),
        false => path.split('/').collect::<Vec<_>>().split_last().map(|(_, folders)| folders.to_vec())?,
    };
    for step in relative.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop()?;
            }
            step => steps.push(step),
        }
    }
    Some(steps.join("/"))
}

/// Resolves a relative reference against a URI (RFC 3986, 5.2, as far as schemas need it).
pub fn join_uri(base: &str, reference: &str) -> String {
    if is_absolute(reference) {
        return reference.to_owned();
    }
    let (scheme, rest) = base.split_once(':').unwrap_or(("", base));
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            (format!("//{}", &rest[..end]), &rest[end..])
        }
        None => (String::new(), rest),
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let joined = beside(path.trim_start_matches('/'), reference).unwrap_or_default();
    format!("{scheme}:{authority}/{joined}")
}

fn decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match hex.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(files: &[(&str, &str)], from: &str, reference: &str) -> String {
        let texts: BTreeMap<String, String> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let paths = texts.keys().cloned().collect();
        let entries = texts
            .keys()
            .filter_map(|path| Some((path.clone(), SchemaDocument::new(document_of(&texts, path)?))))
            .collect();
        let library = Library::new(&texts, &paths, entries);
        match library.resolve(from, &library.base_at(from, ""), reference) {
            ReferenceTarget::Found { path, pointer } => format!("{path}#{pointer}"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn references_lead_somewhere_out_of_the_tree_or_nowhere() {
        let files = [
            ("a/order.json", r#"{"$defs": {"line": {"$anchor": "line"}, "a/b": {}}, "$ref": "common.json"}"#),
            ("a/common.json", r#"{"definitions": {"id": {"type": "string"}}}"#),
            ("remote.json", r#"{"$id": "https://shop.example/schemas/remote.json", "$defs": {"x": {}}}"#),
            ("named.json", r#"{"$id": "https://shop.example/schemas/named.json"}"#),
            ("inner.json", r#"{"$id": "https://a.example/r", "$defs": {"in": {"$id": "in", "$defs": {"deep": {}}}}}"#),
        ];
        for (from, reference, expected) in [
            ("a/order.json", "#", "a/order.json#"),
            ("a/order.json", "#/$defs/line", "a/order.json#/$defs/line"),
            ("a/order.json", "#/$defs/a~1b", "a/order.json#/$defs/a~1b"),
            ("a/order.json", "#/%24defs/line", "a/order.json#/$defs/line"),
            ("a/order.json", "#line", "a/order.json#/$defs/line"),
            ("a/order.json", "common.json#/definitions/id", "a/common.json#/definitions/id"),
            ("a/order.json", "./common.json", "a/common.json#"),
            ("a/order.json", "../named.json", "named.json#"),
            ("a/order.json", "https://shop.example/schemas/named.json", "named.json#"),
            ("remote.json", "named.json", "named.json#"),
            ("inner.json", "in#/$defs/deep", "inner.json#/$defs/in/$defs/deep"),
            ("a/order.json", "https://elsewhere.example/x.json", "Remote"),
            ("remote.json", "unknown.json", "Remote"),
            ("a/order.json", "../../x.json", "Outside"),
            ("a/order.json", "../node_modules/x/x.json", "Outside"),
            ("a/order.json", "customer.json", "Missing(\"there is no file `customer.json`\")"),
            ("a/order.json", "#/$defs/none", "Missing(\"`order.json` has nothing at `/$defs/none`\")"),
            ("a/order.json", "#none", "Missing(\"`order.json` has no anchor `none`\")"),
        ] {
            assert_eq!(target(&files, from, reference), expected, "{from} {reference}");
        }
    }

    #[test]
    fn data_is_no_part_of_a_schema() {
        let schema = serde_json::json!({
            "properties": {"$ref": {"type": "string"}, "enum": {"enum": [{"$ref": "#/no"}]}},
            "default": {"$ref": "#/no"}, "examples": [{"properties": {"a": {"$ref": "#/no"}}}],
            "items": [{"not": {}}], "dependencies": {"a": ["b"], "c": {"required": ["d"]}},
        });
        let pointers: Vec<String> = parts(&schema).into_iter().map(|part| part.pointer).collect();
        let expected = ["", "/properties/$ref", "/properties/enum", "/items/0", "/items/0/not", "/dependencies/c"];
        assert_eq!(pointers, expected);
        assert_eq!(parts(&schema).iter().flat_map(|part| references(part.value)).count(), 0);
    }

    #[test]
    fn uris_are_joined() {
        for (base, reference, expected) in [
            ("https://a.example/b/c.json", "d.json", "https://a.example/b/d.json"),
            ("https://a.example/b/c.json", "../d.json", "https://a.example/d.json"),
            ("https://a.example/b/c.json", "/d.json", "https://a.example/d.json"),
            ("https://a.example", "d.json", "https://a.example/d.json"),
            ("https://a.example/b", "urn:x:y", "urn:x:y"),
        ] {
            assert_eq!(join_uri(base, reference), expected, "{base} {reference}");
        }
    }

    #[test]
    fn parts_and_documents_are_looked_at_up_to_their_limits() {
        let wide = |count: usize| serde_json::json!({"allOf": vec![serde_json::json!({}); count]});
        assert_eq!(parts(&wide(PARTS_MAX - 1)).len(), PARTS_MAX);
        assert_eq!(parts(&wide(PARTS_MAX)).len(), PARTS_MAX, "the schema itself is a part");

        let documents = |count: usize| {
            let named = |at: usize| format!(r#"{{"$ref": "{}.json"}}"#, at + 1);
            let texts: BTreeMap<String, String> = (0..count).map(|at| (format!("{at}.json"), named(at))).collect();
            let paths = texts.keys().cloned().collect();
            let first = SchemaDocument::new(document_of(&texts, "0.json").expect("it is there"));
            Library::new(&texts, &paths, [("0.json".to_owned(), first)].into()).entries().count()
        };
        assert_eq!(documents(DOCUMENTS_MAX), DOCUMENTS_MAX);
        assert_eq!(documents(DOCUMENTS_MAX + 1), DOCUMENTS_MAX);
    }
}
