//! Rust: structs that serde writes or reads.

use assize_ecosystem::Language;
use tree_sitter::Node;

use super::{FieldShape, RecordField, RecordType, children, field_text, line, of, within};

/// Reads the record types of a file.
pub(super) fn read(root: Node<'_>, text: &str) -> Vec<RecordType> {
    let mut types = Vec::new();
    within(root, &["source_file", "mod_item", "declaration_list"], &mut |container| {
        if !matches!(container.kind(), "source_file" | "declaration_list") {
            return;
        }
        let mut attributes = Vec::new();
        for item in children(container) {
            match item.kind() {
                "attribute_item" => attributes.push(of(item, text)),
                "struct_item" => types.extend(record(item, &std::mem::take(&mut attributes), text)),
                _ => attributes.clear(),
            }
        }
    });
    types
}

fn record(item: Node<'_>, attributes: &[&str], text: &str) -> Option<RecordType> {
    let derived = attributes.iter().filter(|attribute| attribute.starts_with("#[derive"));
    if !derived.into_iter().any(|attribute| attribute.contains("Serialize") || attribute.contains("Deserialize")) {
        return None;
    }
    let body = item.child_by_field_name("body").filter(|body| body.kind() == "field_declaration_list")?;
    let settings = serde_settings(attributes);
    if has(&settings, "transparent")
        || has(&settings, "untagged")
        || settings.iter().any(|(name, _)| matches!(*name, "into" | "from" | "try_from" | "remote"))
    {
        return None;
    }
    let case = value(&settings, "rename_all");
    // `rename_all(serialize = "…", deserialize = "…")` has two names for each field.
    let split = attributes.iter().any(|attribute| attribute.contains("rename_all("));
    let mut open = split
        || item
            .child_by_field_name("type_parameters")
            .is_some_and(|list| of(list, text).contains(|letter: char| letter.is_ascii_uppercase()));
    let all_default = has(&settings, "default");
    let mut fields = Vec::new();
    let mut pending = Vec::new();
    for member in children(body) {
        match member.kind() {
            "attribute_item" => pending.push(of(member, text)),
            "field_declaration" => {
                let own = serde_settings(&std::mem::take(&mut pending));
                if has(&own, "skip") {
                    continue;
                }
                if has(&own, "flatten") {
                    open = true;
                    continue;
                }
                let plain = field_text(member, "name", text).trim_start_matches("r#");
                let renamed = value(&own, "rename").map(str::to_owned);
                let name = renamed.unwrap_or_else(|| case.map_or(plain.to_owned(), |case| in_case(plain, case)));
                let kind = field_text(member, "type", text);
                let optional = kind.starts_with("Option<") || kind.contains("::Option<");
                let left_out = all_default
                    || has(&own, "default")
                    || has(&own, "skip_serializing_if")
                    || has(&own, "skip_deserializing")
                    || has(&own, "skip_serializing");
                // A hand-written serializer or deserializer gives the field another shape.
                let by_hand = has(&own, "with") || has(&own, "serialize_with") || has(&own, "deserialize_with");
                let shape = if by_hand { FieldShape::Other } else { FieldShape::of_code(Language::Rust, kind) };
                fields.push(RecordField { name, required: !optional && !left_out, shape, line: line(member) });
            }
            _ => pending.clear(),
        }
    }
    let visible = children(item).iter().any(|child| child.kind() == "visibility_modifier");
    Some(RecordType {
        name: field_text(item, "name", text).to_owned(),
        line: line(item),
        public: visible,
        open,
        fields,
    })
}

/// The settings of `#[serde(a, b = "c")]` attributes.
fn serde_settings<'t>(attributes: &[&'t str]) -> Vec<(&'t str, Option<&'t str>)> {
    let mut settings = Vec::new();
    for attribute in attributes {
        let inner = attribute.trim_start_matches("#[").trim_end_matches(']').trim();
        let Some(list) = inner.strip_prefix("serde").map(str::trim_start).and_then(|rest| rest.strip_prefix('('))
        else {
            continue;
        };
        for part in list.trim_end_matches(')').split(',') {
            let (name, value) = match part.split_once('=') {
                Some((name, value)) => (name.trim(), Some(value.trim().trim_matches('"'))),
                None => (part.trim(), None),
            };
            settings.push((name, value));
        }
    }
    settings
}

fn has(settings: &[(&str, Option<&str>)], name: &str) -> bool {
    settings.iter().any(|(known, _)| *known == name)
}

fn value<'t>(settings: &[(&str, Option<&'t str>)], name: &str) -> Option<&'t str> {
    settings.iter().find(|(known, _)| *known == name).and_then(|(_, value)| *value)
}

/// Writes a name of a field, which is in snake case, as serde's `rename_all` does.
fn in_case(name: &str, case: &str) -> String {
    let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    };
    match case {
        "lowercase" | "snake_case" => name.to_owned(),
        "UPPERCASE" | "SCREAMING_SNAKE_CASE" => name.to_ascii_uppercase(),
        "PascalCase" => words.iter().map(|word| capital(word)).collect(),
        "camelCase" => words
            .iter()
            .enumerate()
            .map(|(index, word)| if index == 0 { (*word).to_owned() } else { capital(word) })
            .collect(),
        "kebab-case" => name.replace('_', "-"),
        "SCREAMING-KEBAB-CASE" => name.to_ascii_uppercase().replace('_', "-"),
        _ => name.to_owned(),
    }
}
