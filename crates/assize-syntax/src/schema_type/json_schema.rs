//! JSON Schema, and OpenAPI, which is built on it.
//!
//! A reference is named by its last segment. An object that is written out within another has no name and is no type
//! of its own: its field says `object`.

use super::document::DocumentNode;
use super::{SchemaFormat, SchemaType, SchemaTypeKind, Types, file_name};

/// How deep a type's text is written out, and how deep `allOf` is followed.
const TYPE_DEPTH_MAX: usize = 6;
/// Choices that a type's text lists.
const CHOICES_MAX: usize = 6;

/// What a file claims to be, before it is parsed.
pub(super) fn claims(path: &str, text: &str) -> Option<SchemaFormat> {
    let is_json = path.ends_with(".json");
    let begins = |line: &str, key: &str| {
        let line = line.trim_start_matches(['"', '\'']);
        line.strip_prefix(key).is_some_and(|rest| rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':'))
    };
    let says = |key: &str| {
        if is_json {
            text.match_indices(&format!("\"{key}\"")).any(|(at, _)| begins(&text[at..], key))
        } else {
            text.lines().any(|line| begins(line, key))
        }
    };
    if says("openapi") || says("swagger") {
        return Some(SchemaFormat::OpenApi);
    }
    let is_schema = text.contains("json-schema.org") && says("$schema");
    (is_schema || is_named_so(path)).then_some(SchemaFormat::JsonSchema)
}

fn is_named_so(path: &str) -> bool {
    let name = file_name(path);
    let folder = path.strip_suffix(name).unwrap_or_default().trim_end_matches('/');
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.ends_with(".schema") || stem.ends_with("-schema") || matches!(file_name(folder), "schema" | "schemas")
}

/// Reads the types of a document; `None` where it is no schema after all.
pub(super) fn read(path: &str, root: &DocumentNode<'_>) -> Option<(SchemaFormat, Types)> {
    let mut types = Types::default();
    let is_api =
        ["openapi", "swagger"].iter().any(|key| root.get(key).is_some_and(|version| !version.text().is_empty()));
    if is_api && ["paths", "components", "definitions", "webhooks"].iter().any(|key| root.get(key).is_some()) {
        let schemas = root.get("components").and_then(|components| components.get("schemas"));
        for list in schemas.into_iter().chain(root.get("definitions")) {
            definitions(list, &mut types);
        }
        return (!types.list.is_empty()).then_some((SchemaFormat::OpenApi, types));
    }
    let says_so = root.get("$schema").is_some_and(|of| of.text().contains("json-schema.org"));
    let lists = || ["$defs", "definitions"].iter().filter_map(|key| root.get(key));
    if !(says_so
        || is_named_so(path)
            && (is_schema(root) || lists().any(|list| list.entries().any(|(_, part)| is_schema(part)))))
    {
        return None;
    }
    if is_schema(root) {
        let stem = file_name(path).rsplit_once('.').map_or("", |(stem, _)| stem);
        let stem = stem.strip_suffix(".schema").unwrap_or(stem);
        let title = root.get("title").map(DocumentNode::text).filter(|title| !title.is_empty());
        types.push(schema(title.unwrap_or(stem), root, 1));
    }
    lists().for_each(|list| definitions(list, &mut types));
    (!types.list.is_empty()).then_some((SchemaFormat::JsonSchema, types))
}

/// Returns whether a node says what its values are like.
fn is_schema(node: &DocumentNode<'_>) -> bool {
    let has_map = |key: &str| node.get(key).is_some_and(DocumentNode::is_map);
    let has_list = |key: &str| node.get(key).is_some_and(DocumentNode::is_list);
    has_map("properties")
        || has_map("patternProperties")
        || has_map("items") && node.get("type").is_some()
        || ["oneOf", "anyOf", "allOf", "enum"].iter().any(|key| has_list(key))
        || node.get("$ref").is_some_and(|to| !to.text().is_empty())
        || node.get("const").is_some()
        || node
            .get("type")
            .is_some_and(|of| is_type_word(of.text()) || of.items().iter().any(|one| is_type_word(one.text())))
}

fn is_type_word(word: &str) -> bool {
    matches!(word, "object" | "array" | "string" | "number" | "integer" | "boolean" | "null")
}

/// Notes down named schemas. A list may be sorted into groups: then what is in a group is meant.
fn definitions(list: &DocumentNode<'_>, types: &mut Types) {
    let mut left: Vec<(String, u32, &DocumentNode<'_>)> = named(list, "");
    left.reverse();
    while let Some((name, line, node)) = left.pop() {
        let place = left.len();
        if is_schema(node) || node.get("description").is_some() {
            types.push(schema(&name, node, line));
            for inner in ["$defs", "definitions"].iter().filter_map(|key| node.get(key)) {
                left.extend(named(inner, &format!("{name}.")));
            }
        } else {
            left.extend(named(node, &format!("{name}.")));
        }
        left[place..].reverse();
    }
}

fn named<'n, 't>(list: &'n DocumentNode<'t>, around: &str) -> Vec<(String, u32, &'n DocumentNode<'t>)> {
    let maps = list.entries().filter(|(_, node)| node.is_map());
    maps.map(|(key, node)| (format!("{around}{}", key.text()), key.line, node)).collect()
}

fn schema(name: &str, node: &DocumentNode<'_>, line: u32) -> SchemaType {
    let values = node.get("enum").map(DocumentNode::items).unwrap_or_default();
    let choices = ["oneOf", "anyOf"].iter().filter_map(|key| node.get(key)).flat_map(DocumentNode::items);
    let has_fields = node.get("properties").is_some() || node.get("allOf").is_some();
    let is_object = has_fields || node.get("type").is_some_and(|of| of.text() == "object");
    let mut found = SchemaType::new(name, SchemaTypeKind::Object, line);
    if !is_object && (!values.is_empty() || node.get("const").is_some()) {
        found.kind = SchemaTypeKind::Enum;
        for value in values.iter().chain(node.get("const")) {
            found.field(value.text(), "", false, value.line);
        }
    } else if !is_object && choices.clone().next().is_some() {
        found.kind = SchemaTypeKind::Union;
        choices.for_each(|choice| found.part(&choice_text(choice)));
    } else if !is_object {
        found.kind = SchemaTypeKind::Scalar;
        found.part(&type_text(node, 0));
    }
    if is_object {
        let mut required = Vec::new();
        fields(node, 0, &mut found, &mut required);
        for field in &mut found.fields {
            field.required |= required.contains(&field.name.as_str());
        }
    }
    found
}

/// One of several choices: its title, its values, the fields that tell it from others, or its type.
fn choice_text(choice: &DocumentNode<'_>) -> String {
    let title = choice.get("title").map(DocumentNode::text).filter(|title| !title.is_empty());
    let values = choice.get("enum").map(DocumentNode::items).unwrap_or_default().iter().chain(choice.get("const"));
    let values: Vec<&str> = values.map(DocumentNode::text).take(CHOICES_MAX).collect();
    let fields = choice.get("properties").into_iter().flat_map(DocumentNode::entries).map(|(name, _)| name.text());
    let fields: Vec<&str> = fields.take(CHOICES_MAX).collect();
    match title {
        Some(title) => title.to_owned(),
        None if !values.is_empty() => values.join(" | "),
        None if !fields.is_empty() => format!("{{{}}}", fields.join(", ")),
        None => type_text(choice, 0),
    }
}

/// Notes down the fields of an object, those that it takes over by `allOf` included.
fn fields<'n>(node: &'n DocumentNode<'_>, depth: usize, found: &mut SchemaType, required: &mut Vec<&'n str>) {
    required.extend(node.get("required").map(DocumentNode::items).unwrap_or_default().iter().map(DocumentNode::text));
    for (name, property) in node.get("properties").into_iter().flat_map(DocumentNode::entries) {
        let own = property.get("required").is_some_and(|required| required.text() == "true");
        found.field(name.text(), &type_text(property, 0), own, name.line);
    }
    for part in node.get("allOf").map(DocumentNode::items).unwrap_or_default() {
        if let Some(to) = part.get("$ref") {
            found.part(last_segment(to.text()));
        } else if depth < TYPE_DEPTH_MAX {
            fields(part, depth + 1, found, required);
        }
    }
    for choice in ["oneOf", "anyOf"].iter().filter_map(|key| node.get(key)).flat_map(DocumentNode::items) {
        if let Some(to) = choice.get("$ref") {
            found.part(last_segment(to.text()));
        }
    }
}

/// A type in few words: `string`, `Order[]`, `string(date-time) | null`.
fn type_text(node: &DocumentNode<'_>, depth: usize) -> String {
    if depth > TYPE_DEPTH_MAX {
        return "…".to_owned();
    }
    let inner = |node: &DocumentNode<'_>| type_text(node, depth + 1);
    let text = |key: &str| node.get(key).map_or("", DocumentNode::text);
    let choices = |list: &[DocumentNode<'_>]| {
        let mut texts: Vec<String> = Vec::new();
        for choice in list.iter().map(inner) {
            if !texts.contains(&choice) {
                texts.push(choice);
            }
        }
        if texts.len() > CHOICES_MAX {
            texts.truncate(CHOICES_MAX);
            texts.push("…".to_owned());
        }
        texts.join(" | ")
    };
    let simple = |word: &str| match word {
        "array" => match node.get("items").filter(|items| items.is_map()).map(inner) {
            Some(of) if of.contains(' ') => format!("({of})[]"),
            Some(of) => format!("{of}[]"),
            None => "array".to_owned(),
        },
        "object" => match node.get("additionalProperties").filter(|more| more.is_map()) {
            Some(more) if node.get("properties").is_none() => format!("map<{}>", inner(more)),
            _ => "object".to_owned(),
        },
        "string" | "number" | "integer" if !text("format").is_empty() => format!("{word}({})", text("format")),
        _ => word.to_owned(),
    };
    let list = |key: &str| node.get(key).map(DocumentNode::items).filter(|list| !list.is_empty());
    let found = if let Some(to) = node.get("$ref").or_else(|| node.get("$dynamicRef")) {
        last_segment(to.text()).to_owned()
    } else if let Some(words) = list("type") {
        words
            .iter()
            .map(|word| if word.is_map() { inner(word) } else { simple(word.text()) })
            .collect::<Vec<_>>()
            .join(" | ")
    } else if !text("type").is_empty() {
        simple(text("type"))
    } else if let Some(list) =
        list("oneOf").or_else(|| list("anyOf")).or_else(|| list("allOf").filter(|all| all.len() == 1))
    {
        choices(list)
    } else if list("allOf").is_some() || node.get("properties").is_some() {
        "object".to_owned()
    } else if node.get("items").is_some() {
        simple("array")
    } else if list("enum").is_some() || node.get("const").is_some() {
        "enum".to_owned()
    } else {
        "any".to_owned()
    };
    if text("nullable") == "true" { format!("{found} | null") } else { found }
}

/// The name that a reference ends with: `#/$defs/Order`, `order.schema.json`, `#Order`.
fn last_segment(to: &str) -> &str {
    let path = to.trim_end_matches(['/', '#']);
    let name = path.rsplit(['/', '#']).next().unwrap_or(path);
    let name = name.strip_suffix(".json").unwrap_or(name);
    let name = name.strip_suffix(".schema").unwrap_or(name);
    if name.is_empty() { "#" } else { name }
}
