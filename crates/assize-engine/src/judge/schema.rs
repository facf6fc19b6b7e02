//! JSON schemas in the dialects that interfaces accept.
//!
//! Each verdict has one schema. Interfaces accept different subsets of JSON Schema and reject or silently ignore the
//! rest. Constraints that are removed here are still checked by the strict verdict parser. This module must not know
//! any verdict.

use serde_json::{Map, Value};

/// Keywords with one schema.
const ONE: [&str; 9] = [
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedProperties",
];
/// Keywords with a list of schemas.
const LIST: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
/// Keywords with named schemas.
const NAMED: [&str; 5] = ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"];

/// Keywords that limit numbers and lists.
const LIMITS: [&str; 9] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "pattern",
];
/// Keywords that limit texts.
const TEXT_LIMITS: [&str; 2] = ["minLength", "maxLength"];

/// Where limits are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SchemaLimits {
    /// In the schema: without them, small models loop until the token limit.
    Schema,
    /// In the description, for servers that reject them.
    Description,
}

/// Returns the schema without its dialect and formats, which only other programs use.
pub(super) fn plain(schema: &Value) -> Value {
    changed(schema, &|schema| {
        schema.remove("$schema");
        schema.remove("format");
    })
}

/// Returns the schema for the `claude` program, which silently ignores a schema that names a dialect or an unknown
/// format. Limits are moved to the description, because the program would reject a verdict that is one word too long.
pub(super) fn claude(schema: &Value) -> Value {
    changed(&plain(schema), &|schema| describe(schema, &[&TEXT_LIMITS[..], &LIMITS[..]].concat()))
}

/// Returns the schema in the dialect of OpenAI's strict mode: closed objects, every field required. An optional field
/// must already accept null, because null could not be read otherwise.
pub(super) fn openai_strict(schema: &Value, limits: SchemaLimits) -> Value {
    changed(schema, &|schema| {
        narrow(schema);
        schema.remove("title");
        schema.remove("default");
        if limits == SchemaLimits::Description {
            describe(schema, &[&TEXT_LIMITS[..], &LIMITS[..]].concat());
        }
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            let names = properties.keys().cloned().map(Value::String).collect();
            schema.insert("required".to_owned(), Value::Array(names));
        }
    })
}

/// Returns the schema in the dialect of Anthropic's structured outputs: closed objects, no limits.
pub(super) fn anthropic(schema: &Value) -> Value {
    changed(schema, &|schema| {
        narrow(schema);
        describe(schema, &[&TEXT_LIMITS[..], &LIMITS[..]].concat());
    })
}

/// Applies what both dialects require.
fn narrow(schema: &mut Map<String, Value>) {
    schema.remove("$schema");
    schema.remove("format");
    if let Some(branches) = schema.remove("oneOf") {
        schema.insert("anyOf".to_owned(), branches);
    }
    if schema.contains_key("$ref") {
        schema.retain(|keyword, _| keyword == "$ref" || keyword == "$defs");
    }
    if schema.contains_key("properties") {
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
}

/// Moves keywords into the description.
fn describe(schema: &mut Map<String, Value>, keywords: &[&str]) {
    let keyword_texts: Vec<String> = keywords
        .iter()
        .filter_map(|keyword| schema.remove(*keyword).map(|value| format!("{keyword}: {value}")))
        .collect();
    if keyword_texts.is_empty() {
        return;
    }
    let described = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let description = format!("{described} ({})", keyword_texts.join(", "));
    schema.insert("description".to_owned(), Value::String(description.trim_start().to_owned()));
}

/// Changes a schema and every schema in it. A property whose name is a keyword is not a keyword.
fn changed(schema: &Value, change: &dyn Fn(&mut Map<String, Value>)) -> Value {
    let Value::Object(schema) = schema else { return schema.clone() };
    let mut schema = schema.clone();
    change(&mut schema);
    for (keyword, value) in &mut schema {
        let keyword = keyword.as_str();
        if ONE.contains(&keyword) {
            *value = changed(value, change);
        } else if LIST.contains(&keyword) {
            value.as_array_mut().into_iter().flatten().for_each(|item| *item = changed(item, change));
        } else if NAMED.contains(&keyword) {
            value.as_object_mut().into_iter().flatten().for_each(|(_, item)| *item = changed(item, change));
        }
    }
    Value::Object(schema)
}

#[cfg(test)]
mod tests {
    use assize_core::verdict::Verdict as _;
    use assize_stop::verdict::StopVerdict;
    use serde_json::json;

    use super::*;

    fn sample() -> Value {
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Sample",
            "type": "object",
            "properties": {
                "format": {"type": "number", "format": "double", "minimum": 0, "maximum": 1, "description": "A share."},
                "minimum": {"type": ["string", "null"], "default": null, "maxLength": 9},
                "kind": {"oneOf": [{"const": "a", "description": "A."}, {"$ref": "#/$defs/b", "description": "B."}]},
                "plan": {"type": "array", "maxItems": 2, "items": {"$ref": "#/$defs/step"}},
            },
            "required": ["format"],
            "$defs": {
                "b": {"const": "b"},
                "step": {"type": "object", "properties": {"file": {"type": "string", "minLength": 1}}},
            },
        })
    }

    #[test]
    fn the_plain_schema_names_no_dialect_and_no_format() {
        let schema = plain(&sample());
        assert_eq!(schema.get("$schema"), None);
        assert_eq!(
            schema["properties"]["format"],
            json!({"type": "number", "minimum": 0, "maximum": 1, "description": "A share."})
        );
        assert_eq!(schema["properties"]["kind"], sample()["properties"]["kind"]);
    }

    #[test]
    fn the_claude_program_gets_limits_as_text() {
        let schema = claude(&sample());
        assert_eq!((schema.get("$schema"), schema["properties"]["format"].get("format")), (None, None));
        assert_eq!(
            schema["properties"]["format"],
            json!({"type": "number", "description": "A share. (minimum: 0, maximum: 1)"})
        );
        assert_eq!(schema["required"], json!(["format"]));
    }

    #[test]
    fn openai_gets_closed_objects_with_every_field_required() {
        let mut schema = openai_strict(&sample(), SchemaLimits::Schema);
        // They are in the order of the properties.
        schema["required"].as_array_mut().expect("a list").sort_by_key(ToString::to_string);
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "format": {"type": "number", "minimum": 0, "maximum": 1, "description": "A share."},
                    "minimum": {"type": ["string", "null"], "maxLength": 9},
                    "kind": {"anyOf": [{"const": "a", "description": "A."}, {"$ref": "#/$defs/b"}]},
                    "plan": {"type": "array", "maxItems": 2, "items": {"$ref": "#/$defs/step"}},
                },
                "required": ["format", "kind", "minimum", "plan"],
                "$defs": {
                    "b": {"const": "b"},
                    "step": {
                        "type": "object",
                        "additionalProperties": false,
                        "properties": {"file": {"type": "string", "minLength": 1}},
                        "required": ["file"],
                    },
                },
            })
        );
    }

    #[test]
    fn limits_can_go_into_the_description() {
        let schema = openai_strict(&sample(), SchemaLimits::Description);
        assert_eq!(
            schema["properties"]["format"],
            json!({"type": "number", "description": "A share. (minimum: 0, maximum: 1)"})
        );
        assert_eq!(schema["properties"]["minimum"]["description"], "(maxLength: 9)");
    }

    #[test]
    fn anthropic_gets_closed_objects_without_limits() {
        let schema = anthropic(&sample());
        assert_eq!(schema["required"], json!(["format"]));
        assert_eq!(schema["properties"]["plan"]["maxItems"], Value::Null);
        assert_eq!(schema["properties"]["plan"]["description"], "(maxItems: 2)");
        assert_eq!(schema["$defs"]["step"]["additionalProperties"], false);
        assert_eq!(schema["$defs"]["step"]["properties"]["file"]["minLength"], Value::Null);
    }

    #[test]
    fn what_may_be_missing_from_a_stop_verdict_accepts_null() {
        let strict = openai_strict(&StopVerdict::schema(), SchemaLimits::Schema);
        let required = StopVerdict::schema()["required"].clone();
        let names =
            |schema: &Value| schema["properties"].as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>());
        assert_eq!(names(&strict), names(&StopVerdict::schema()), "models write fields in this order");
        for (name, property) in strict["properties"].as_object().expect("properties") {
            let optional = !required.as_array().expect("a list").iter().any(|field| field == name);
            let nullable = property["type"].as_array().is_some_and(|types| types.iter().any(|kind| kind == "null"));
            assert_eq!(optional, nullable, "{name}: {property}");
        }
    }
}
