//! Descriptions of interfaces after OpenAPI 3.0 and 3.1, and Swagger 2: their structure, references, parameters and
//! examples.
//!
//! Schemas in 3.1 are JSON Schemas; those of 3.0 are held against the draft that they come from. What a document leaves
//! to extensions (`x-…`) is not looked at.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::finding::Certainty;
use assize_core::text::quote;
use jsonschema::Draft;
use serde_json::{Map, Value};

use super::document::{ParsedDocument, join};
use super::effort;
use super::json_schema::{self, SchemaViolation};
use super::library::{Library, ReferenceBase, ReferenceTarget, SchemaDocument};
use super::{Aspect, Checked, SchemaTree};

/// Most operations of one document that are looked at.
pub const OPERATIONS_MAX: usize = 5_000;

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// The version that a document names.
pub fn version(root: &Value) -> Option<&str> {
    root.get("openapi").or_else(|| root.get("swagger")).and_then(Value::as_str)
}

/// Looks at every document.
pub(super) fn check(tree: &SchemaTree<'_>, documents: &BTreeMap<String, ParsedDocument>, checked: &mut Checked) {
    let entries = documents
        .iter()
        .map(|(path, document)| (path.clone(), SchemaDocument { document: document.clone(), draft: None }));
    let library = Library::whole(tree.texts, tree.paths, entries.collect());
    let mut remote = 0;
    for (path, document) in documents {
        checked.saw(Aspect::OpenApi);
        let mut look = OpenApiCheck { library: &library, path, root: &document.value, wrong: Vec::new(), remote: 0 };
        let operations = look.all();
        if operations > OPERATIONS_MAX {
            checked
                .limit(format!("only {OPERATIONS_MAX} of {operations} operations of {} were looked at", quote(path)));
        }
        remote += usize::from(look.remote > 0);
        let mut by_code: BTreeMap<&'static str, Vec<SchemaViolation>> = BTreeMap::new();
        for (code, wrong) in look.wrong {
            by_code.entry(code).or_default().push(wrong);
        }
        for (code, wrong) in by_code {
            checked.wrong(Aspect::OpenApi, code, path, document, &wrong);
        }
    }
    if remote > 0 {
        checked.limit(format!("{remote} OpenAPI documents refer to the network, which is never asked"));
    }
}

struct OpenApiCheck<'l> {
    library: &'l Library<'l>,
    path: &'l str,
    root: &'l Value,
    wrong: Vec<(&'static str, SchemaViolation)>,
    remote: usize,
}

impl<'l> OpenApiCheck<'l> {
    fn say(&mut self, code: &'static str, pointer: &str, certainty: Certainty, message: String) {
        self.wrong.push((code, SchemaViolation { pointer: pointer.to_owned(), message, certainty }));
    }

    /// Looks at all parts, and returns how many operations there are.
    fn all(&mut self) -> usize {
        self.head();
        self.references();
        let mut ids: BTreeMap<String, String> = BTreeMap::new();
        let mut operations = 0;
        for (route, item) in entries(self.root.get("paths")) {
            let pointer = join("/paths", route);
            if route.starts_with("x-") {
                continue;
            }
            if !route.starts_with('/') {
                self.say(
                    "structure",
                    &pointer,
                    Certainty::Certain,
                    format!("the path {} does not begin with `/`", quote(route)),
                );
            }
            for (method, operation) in entries(Some(item)).filter(|(method, _)| METHODS.contains(method)) {
                operations += 1;
                if operations <= OPERATIONS_MAX {
                    let pointer = join(&pointer, method);
                    self.operation(&pointer, operation, &mut ids);
                    self.parameters(route, item, operation, &pointer);
                }
            }
        }
        self.schemas();
        operations
    }

    /// What every document has.
    fn head(&mut self) {
        let is_3_1 = version(self.root).is_some_and(|version| !version.starts_with("3.0") && version.starts_with('3'));
        for (way, name) in [("/info", "info"), ("/info/title", "title"), ("/info/version", "version")] {
            if self.root.pointer(way).is_none() && (way == "/info" || self.root.get("info").is_some()) {
                let around = way.rsplit_once('/').map_or("", |(around, _)| around);
                self.say("structure", around, Certainty::Certain, format!("{} is missing", quote(name)));
            }
        }
        let wanted: &[&str] = if is_3_1 { &["paths", "components", "webhooks"] } else { &["paths"] };
        if wanted.iter().all(|key| self.root.get(key).is_none()) {
            self.say("structure", "", Certainty::Certain, format!("{} is missing", quote(&wanted.join(", "))));
        }
        if self.root.get("paths").is_some_and(|paths| !paths.is_object()) {
            self.say("structure", "/paths", Certainty::Certain, "`paths` is not an object".to_owned());
        }
    }

    /// References anywhere but in data.
    fn references(&mut self) {
        let mut left: Vec<(String, &'l Value)> = vec![(String::new(), self.root)];
        while let Some((pointer, value)) = left.pop() {
            match value {
                Value::Object(map) => {
                    let in_names = pointer.ends_with("/properties") || pointer.ends_with("/patternProperties");
                    if let Some(reference) = map.get("$ref").and_then(Value::as_str).filter(|_| !in_names) {
                        self.reference(&pointer, reference);
                    }
                    for (key, inner) in map {
                        let data = matches!(&**key, "example" | "examples" | "default" | "enum" | "const" | "value");
                        // `examples` of components and media types are named, and may be references themselves.
                        let named = key == "examples" && inner.is_object();
                        if (!data || in_names || named) && !key.starts_with("x-") {
                            left.push((join(&pointer, key), inner));
                        }
                    }
                }
                Value::Array(items) => {
                    left.extend(items.iter().enumerate().map(|(index, item)| (format!("{pointer}/{index}"), item)));
                }
                _ => {}
            }
        }
    }

    fn reference(&mut self, pointer: &str, reference: &str) {
        match self.library.resolve(self.path, &ReferenceBase::default(), reference) {
            ReferenceTarget::Missing(why) => {
                let message = format!("the reference {} leads nowhere: {why}", quote(reference));
                self.say("broken-reference", &join(pointer, "$ref"), Certainty::Certain, message);
            }
            ReferenceTarget::Remote => self.remote += 1,
            ReferenceTarget::Found { .. } | ReferenceTarget::Outside => {}
        }
    }

    fn operation(&mut self, pointer: &str, operation: &'l Value, ids: &mut BTreeMap<String, String>) {
        if !operation.is_object() {
            self.say("structure", pointer, Certainty::Certain, "an operation is an object".to_owned());
            return;
        }
        if let Some(id) = operation.get("operationId").and_then(Value::as_str)
            && let Some(other) = ids.insert(id.to_owned(), pointer.to_owned())
        {
            let message = format!("the operationId {} is that of {} as well", quote(id), quote(&other));
            self.say("duplicate-operation", &join(pointer, "operationId"), Certainty::Certain, message);
        }
        let is_3_1 = version(self.root).is_some_and(|version| version.starts_with("3.1") || version.starts_with("3.2"));
        match operation.get("responses") {
            None if is_3_1 => {}
            None => self.say("structure", pointer, Certainty::Certain, "`responses` is missing".to_owned()),
            Some(responses) => {
                for (code, _) in entries(Some(responses)) {
                    let is_code = code == "default"
                        || code.starts_with("x-")
                        || code.len() == 3
                            && code.starts_with(|first: char| ('1'..='5').contains(&first))
                            && (code.ends_with("XX") || code.bytes().all(|byte| byte.is_ascii_digit()));
                    if !is_code {
                        let at = join(&join(pointer, "responses"), code);
                        self.say("structure", &at, Certainty::Certain, format!("{} is no status code", quote(code)));
                    }
                }
            }
        }
    }

    /// What stands in braces in a path is declared, and what is declared stands there.
    fn parameters(&mut self, route: &str, item: &'l Value, operation: &'l Value, pointer: &str) {
        let mut declared: BTreeSet<(String, String)> = BTreeSet::new();
        for (list, own) in [(item.get("parameters"), false), (operation.get("parameters"), true)] {
            let mut seen = BTreeSet::new();
            for (index, parameter) in list.and_then(Value::as_array).into_iter().flatten().enumerate() {
                let at = format!("{pointer}/parameters/{index}");
                let Some(parameter) = self.followed(parameter) else { return };
                let text = |key: &str| parameter.get(key).and_then(Value::as_str).map(str::to_owned);
                let (Some(name), Some(place)) = (text("name"), text("in")) else {
                    if own && parameter.is_object() {
                        let message = "a parameter has a `name` and says where it stands (`in`)".to_owned();
                        self.say("structure", &at, Certainty::Certain, message);
                    }
                    continue;
                };
                if own && !seen.insert((name.clone(), place.clone())) {
                    let message = format!("the parameter {} is declared twice", quote(&name));
                    self.say("parameter", &at, Certainty::Certain, message);
                }
                if own && place == "path" && parameter.get("required") != Some(&Value::Bool(true)) {
                    let message = format!("the parameter {} stands in the path and is not `required`", quote(&name));
                    self.say("parameter", &at, Certainty::Certain, message);
                }
                if own && place == "path" && !route.contains(&format!("{{{name}}}")) {
                    let message = format!("the parameter {} does not stand in the path {}", quote(&name), quote(route));
                    self.say("parameter", &at, Certainty::Certain, message);
                }
                declared.insert((name, place));
            }
        }
        for name in templates(route) {
            if !declared.contains(&(name.to_owned(), "path".to_owned())) {
                let message = format!("{} stands in the path {} and is no parameter", quote(name), quote(route));
                self.say("parameter", pointer, Certainty::Certain, message);
            }
        }
    }

    /// What a reference leads to; the value itself where it is none.
    fn followed(&self, value: &'l Value) -> Option<&'l Value> {
        let mut value = value;
        for _ in 0..10 {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return Some(value) };
            let ReferenceTarget::Found { path, pointer } =
                self.library.resolve(self.path, &ReferenceBase::default(), reference)
            else {
                return None;
            };
            value = self.library.value(&path, &pointer)?;
        }
        None
    }

    /// Schemas, with what they give as default and example.
    fn schemas(&mut self) {
        let is_3_1 = version(self.root).is_some_and(|version| version.starts_with("3.1") || version.starts_with("3.2"));
        let draft = if is_3_1 { Draft::Draft202012 } else { Draft::Draft4 };
        let dialect = self.root.get("jsonSchemaDialect").and_then(Value::as_str);
        if dialect.is_some_and(|dialect| !dialect.contains("spec.openapis.org/oas/3.") && !dialect.contains("2020-12"))
        {
            return;
        }
        for (pointer, schema) in schemas_in(self.root) {
            let wrong = if is_3_1 { self.meta(draft, schema) } else { self.meta_3_0(schema) };
            for mut found in wrong {
                found.pointer = format!("{pointer}{}", found.pointer);
                self.wrong.push(("invalid-schema", found));
            }
            for (key, certainty) in [("default", Certainty::Certain), ("example", Certainty::Likely)] {
                self.value_of(&pointer, schema, key, draft, certainty);
            }
        }
    }

    fn meta(&self, draft: Draft, schema: &Value) -> Vec<SchemaViolation> {
        json_schema::against_meta_schema(&SchemaDocument { document: shallow(schema), draft: Some(draft) })
    }

    /// What OpenAPI 3.0 adds to its draft is taken away before. It bears more than the draft does, so that only what
    /// is plainly no schema counts.
    fn meta_3_0(&self, schema: &Value) -> Vec<SchemaViolation> {
        let mut wrong = self.meta(Draft::Draft4, schema);
        wrong.retain(|found| !found.pointer.starts_with("/required") && !found.pointer.starts_with("/enum"));
        wrong.retain(|found| found.pointer != "/type" || schema.get("type").is_none_or(|of| of != "file"));
        if let Some(kind) = schema.get("type").filter(|kind| kind.is_array()) {
            let message = format!("`type` is a list ({kind}), which OpenAPI 3.0 does not have");
            wrong.push(SchemaViolation { pointer: "/type".to_owned(), message, certainty: Certainty::Likely });
        }
        wrong
    }

    /// Holds a value that a schema itself gives against the schema.
    fn value_of(&mut self, pointer: &str, schema: &'l Value, key: &str, draft: Draft, certainty: Certainty) {
        let Some(value) = schema.get(key) else { return };
        let nullable = schema.get("nullable") == Some(&Value::Bool(true));
        let refers = |value: &Value| super::library::parts(value).iter().any(|part| part.value.get("$ref").is_some());
        if value.is_null() && nullable || refers(schema) || schema.get("externalValue").is_some() {
            return;
        }
        // A document of many values is counted by its size: parts of a schema without references cannot multiply.
        if effort_of(schema, value) > effort::VISITS_MAX {
            return;
        }
        for found in json_schema::part_against(&without_nullable(schema), draft, value).unwrap_or_default() {
            let at = format!("{}{}", join(pointer, key), found.pointer);
            let message = format!("the {key} does not fit its own schema: {}", found.message);
            self.say("value", &at, certainty.min(found.certainty), message);
        }
    }
}

/// Returns a part with empty schemas below it. The schemas below are checked separately.
fn shallow(schema: &Value) -> ParsedDocument {
    let mut schema = schema.clone();
    if let Value::Object(map) = &mut schema {
        for key in ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"] {
            if let Some(Value::Object(inner)) = map.get_mut(key) {
                inner
                    .values_mut()
                    .filter(|value| value.is_object())
                    .for_each(|value| *value = Value::Object(Map::new()));
            }
        }
        for key in ["allOf", "anyOf", "oneOf", "prefixItems"] {
            if let Some(Value::Array(inner)) = map.get_mut(key) {
                inner.iter_mut().filter(|value| value.is_object()).for_each(|value| *value = Value::Object(Map::new()));
            }
        }
        for key in ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"] {
            if map.get(key).is_some_and(Value::is_object) {
                map.insert(key.to_owned(), Value::Object(Map::new()));
            }
        }
    }
    ParsedDocument { value: schema, ..ParsedDocument::default() }
}

fn effort_of(schema: &Value, value: &Value) -> u64 {
    let size = |value: &Value| value.to_string().len() as u64;
    size(schema).saturating_mul(size(value)) / 16
}

/// A schema of OpenAPI 3.0 that may be null says so in its own way.
fn without_nullable(schema: &Value) -> Value {
    let mut schema = schema.clone();
    fn walk(value: &mut Value, depth: usize) {
        if depth > 100 {
            return;
        }
        match value {
            Value::Object(map) => {
                if map.get("nullable") == Some(&Value::Bool(true)) {
                    if let Some(Value::String(kind)) = map.get("type").cloned() {
                        map.insert("type".to_owned(), serde_json::json!([kind, "null"]));
                    }
                    if let Some(Value::Array(values)) = map.get_mut("enum") {
                        values.push(Value::Null);
                    }
                }
                map.values_mut().for_each(|value| walk(value, depth + 1));
            }
            Value::Array(items) => items.iter_mut().for_each(|value| walk(value, depth + 1)),
            _ => {}
        }
    }
    walk(&mut schema, 0);
    schema
}

/// Every schema of a document, those within others included, with its place.
fn schemas_in(root: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    let mut left: Vec<(String, &Value)> = vec![(String::new(), root)];
    fn push_all<'v>(found: &mut Vec<(String, &'v Value)>, pointer: &str, schema: &'v Value) {
        for part in super::library::parts(schema) {
            found.push((format!("{pointer}{}", part.pointer), part.value));
        }
    }
    while let Some((pointer, value)) = left.pop() {
        match value {
            Value::Object(map) => {
                for (key, inner) in map.iter().filter(|(key, _)| !key.starts_with("x-")) {
                    let at = join(&pointer, key);
                    let is_list =
                        pointer == "/components" && key == "schemas" || pointer.is_empty() && key == "definitions";
                    if is_list {
                        for (name, schema) in entries(Some(inner)) {
                            push_all(&mut found, &join(&at, name), schema);
                        }
                    } else if key == "schema" && (inner.is_object() || inner.is_boolean()) {
                        push_all(&mut found, &at, inner);
                    } else if !matches!(&**key, "example" | "examples" | "default" | "value" | "enum") {
                        left.push((at, inner));
                    }
                }
            }
            Value::Array(items) => {
                left.extend(items.iter().enumerate().map(|(index, item)| (format!("{pointer}/{index}"), item)));
            }
            _ => {}
        }
    }
    found
}

fn entries(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}

/// The names in braces of a path.
fn templates(route: &str) -> impl Iterator<Item = &str> {
    route.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::OPERATIONS_MAX;
    use crate::schema::tests::looked;

    fn look(files: &[(&str, &str)]) -> Vec<String> {
        looked(files, |tree, checked| *checked = super::super::check(tree))
    }

    fn document(paths: &str) -> String {
        format!("openapi: 3.0.3\ninfo: {{title: Shop, version: '1'}}\npaths:\n{paths}")
    }

    const OK: &str = "responses: {'200': {description: fine}}";

    #[test]
    fn a_document_has_its_structure() {
        for (text, expected) in [
            (document(&format!("  /a:\n    get: {{{OK}}}\n")), &[][..]),
            ("openapi: 3.0.3\ninfo: {title: a, version: '1'}\n".to_owned(), &["1 structure"]),
            ("openapi: 3.1.0\ninfo: {title: a, version: '1'}\ncomponents: {}\n".to_owned(), &[]),
            ("openapi: 3.0.3\ninfo: {title: a}\npaths: {}\n".to_owned(), &["2 structure"]),
            ("openapi: 3.0.3\npaths: {}\n".to_owned(), &["1 structure"]),
            (document("  /a:\n    get: {summary: a}\n"), &["5 structure"]),
            (document(&format!("  a:\n    get: {{{OK}}}\n")), &["4 structure"]),
            (document("  /a:\n    get:\n      responses:\n        ok: {description: a}\n"), &["7 structure"]),
            (
                document(&format!(
                    "  /a:\n    get: {{operationId: x, {OK}}}\n  /b:\n    get: {{operationId: x, {OK}}}\n"
                )),
                &["7 duplicate-operation"],
            ),
        ] {
            assert_eq!(look(&[("api.yaml", &text)]), expected, "{text}");
        }
        assert_eq!(look(&[("api.json", "{\n\"openapi\": \"3.0.0\",\n\"info\": {\n}")]), ["1 unreadable"]);
    }

    #[test]
    fn parameters_of_a_path_are_declared() {
        let with = |parameters: &str| {
            document(&format!("  /a/{{id}}:\n    get:\n      {OK}\n      parameters: {parameters}\n"))
        };
        for (parameters, expected) in [
            ("[{name: id, in: path, required: true, schema: {type: string}}]", &[][..]),
            ("[]", &["5 parameter"]),
            ("[{name: id, in: query}]", &["5 parameter"]),
            ("[{name: id, in: path}]", &["7 parameter"]),
            ("[{name: id, in: path, required: true}, {name: no, in: path, required: true}]", &["7 parameter"]),
            ("[{name: id, in: path, required: true}, {in: query}]", &["7 structure"]),
            ("[{$ref: '#/components/parameters/none'}]", &["7 broken-reference"]),
        ] {
            assert_eq!(look(&[("api.yaml", &with(parameters))]), expected, "{parameters}");
        }
    }

    #[test]
    fn schemas_and_their_values_are_looked_at() {
        let with = |schema: &str| {
            format!(
                "{}components:\n  schemas:\n    A:\n      {schema}\n",
                document("  {}\n").replace("  {}\n", "  /a: {}\n")
            )
        };
        for (schema, expected) in [
            ("{type: object, properties: {a: {type: integer, default: 1}}}", &[][..]),
            ("{type: strng}", &["8 invalid-schema"]),
            ("{type: integer, default: x}", &["8 value"]),
            ("{type: integer, example: x}", &["8 value?"]),
            ("{type: integer, nullable: true, default: null}", &[]),
            ("{$ref: '#/components/schemas/B'}", &["8 broken-reference"]),
            ("{properties: {a: {$ref: 'other.yaml#/A'}}}", &["8 broken-reference"]),
            ("{properties: {$ref: {type: string}}}", &[]),
            ("{type: string, example: {$ref: nothing}}", &["8 value?"]),
            ("{minimum: 0, exclusiveMinimum: true}", &[]),
        ] {
            assert_eq!(look(&[("api.yaml", &with(schema))]), expected, "{schema}");
        }
        let newer = with("{type: [string, 'null'], exclusiveMinimum: 1}").replace("3.0.3", "3.1.0");
        assert_eq!(look(&[("api.yaml", &newer)]), [""; 0]);
        let other = ("other.yaml", "A: {type: string}\n");
        assert_eq!(look(&[("api.yaml", &with("{$ref: 'other.yaml#/A'}")), other]), [""; 0]);
    }

    #[test]
    fn operations_are_looked_at_up_to_their_limit() {
        let of = |sound: usize| {
            let routes: String = (0..sound)
                .map(|at| format!("  /a{at:05}:\n    get: {{responses: {{'200': {{description: ok}}}}}}\n"))
                .collect();
            let last = "  /z/{id}:\n    get: {responses: {'200': {description: ok}}}\n";
            look(&[("a.yaml", &format!("openapi: 3.0.3\ninfo: {{title: a, version: '1'}}\npaths:\n{routes}{last}"))])
        };
        assert_eq!(of(OPERATIONS_MAX - 1).len(), 1);
        assert_eq!(of(OPERATIONS_MAX).len(), 0);
    }
}
