//! Schemas and documents, good and bad, and schemas that were made to do harm.

use super::*;
use serde_json::json;

fn library_of<'a>(schema: Value, texts: &'a BTreeMap<String, String>, paths: &'a BTreeSet<String>) -> Library<'a> {
    let document = ParsedDocument { value: schema, ..ParsedDocument::default() };
    Library::new(texts, paths, BTreeMap::from([("a.json".to_owned(), SchemaDocument::new(document))]))
}

fn meta(schema: Value) -> Vec<String> {
    let entry = SchemaDocument::new(ParsedDocument { value: schema, ..ParsedDocument::default() });
    against_meta_schema(&entry).into_iter().map(|wrong| format!("{}: {}", wrong.pointer, wrong.message)).collect()
}

fn fits(schema: Value, instance: Value) -> Vec<String> {
    let (texts, paths) = Default::default();
    let library = library_of(schema, &texts, &paths);
    let ready = ready(&library, "a.json").map_err(|why| format!("{why:?}")).expect("usable");
    let document = ParsedDocument { value: instance, ..ParsedDocument::default() };
    let wrong = against(&library, "a.json", &ready, &document).expect("within limits");
    wrong.into_iter().map(|wrong| format!("{}: {}", wrong.pointer, wrong.message)).collect()
}

const D7: &str = "http://json-schema.org/draft-07/schema#";
const D12: &str = "https://json-schema.org/draft/2020-12/schema";

#[test]
fn schemas_are_held_against_their_draft() {
    for draft in [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        D7,
        "https://json-schema.org/draft/2019-09/schema",
        D12,
    ] {
        let good = json!({"$schema": draft, "type": "object", "properties": {"a": {"type": ["string", "null"]}}});
        assert_eq!(meta(good), [""; 0], "{draft}");
        let bad = meta(json!({"$schema": draft, "properties": {"a": {"type": "strng"}}}));
        assert!(bad[0].starts_with("/properties/a/type: `\"strng\"`"), "{bad:?}");
        let bad = meta(json!({"$schema": draft, "required": "a"}));
        assert!(bad[0].starts_with("/required: "), "{bad:?}");
    }
    // What one draft allows, another does not.
    assert_eq!(meta(json!({"$schema": D7, "items": [{}]})), [""; 0]);
    assert_eq!(meta(json!({"$schema": D12, "items": [{}]})).len(), 1);
    // Without a draft it is enough to fit one.
    assert_eq!(meta(json!({"items": [{}]})), [""; 0]);
    assert_eq!(meta(json!({"exclusiveMinimum": true, "minimum": 1})), [""; 0]);
    assert_eq!(meta(json!({"exclusiveMinimum": 1})), [""; 0]);
    assert_ne!(meta(json!({"type": "strng"})), [""; 0]);
}

#[test]
fn documents_are_held_against_their_schema() {
    let schema = json!({
        "$schema": D7, "type": "object", "required": ["id"], "additionalProperties": false,
        "properties": {"id": {"type": "string", "pattern": "^[a-z]+$"}, "kind": {"enum": ["a", "b"]},
            "lines": {"type": "array", "items": {"$ref": "#/definitions/line"}}},
        "definitions": {"line": {"oneOf": [{"type": "object", "required": ["sku"]}, {"type": "string"}]}}
    });
    for (instance, expected) in [
        (json!({"id": "x", "lines": ["a", {"sku": 1}]}), &[][..]),
        (json!({"id": "x", "$schema": "./a.json"}), &[]),
        (json!({}), &[": \"id\" is a required property"]),
        (json!({"id": "X"}), &["/id: `\"X\"` does not match \"^[a-z]+$\""]),
        (json!({"id": "x", "nmae": 1}), &[": Additional properties are not allowed ('nmae' was unexpected)"]),
        (json!({"id": 1}), &["/id: `1` is not of type \"string\""]),
        (json!({"id": "x", "kind": "c"}), &["/kind: `\"c\"` is not one of \"a\" or \"b\""]),
        (
            json!({"id": "x", "lines": [{"ska": 1}]}),
            &["/lines/0: \"sku\" is a required property; or this object is not of type \"string\""],
        ),
    ] {
        assert_eq!(fits(schema.clone(), instance.clone()), expected, "{instance}");
    }
}

#[test]
fn patterns_that_are_not_linear_are_left_out() {
    let hard = json!({"patternProperties": {"^(?!x)": {"type": "string"}}, "additionalProperties": false});
    assert_eq!(fits(hard, json!({"a": 1})), [""; 0]);
    for (pattern, linear) in [
        ("^(a+)+$", true),
        ("^(?=a)", false),
        ("(a)\\1", false),
        ("\\\\1", true),
        ("\\d+", true),
        ("(?<name>a)\\k<name>", false),
    ] {
        assert_eq!(is_linear(pattern), linear, "{pattern}");
    }
    assert!(is_linear(&"a".repeat(PATTERN_BYTES_MAX)) && !is_linear(&"a".repeat(PATTERN_BYTES_MAX + 1)));
    // Thirty letters are enough to keep a back-tracking engine busy for hours.
    let greedy = json!({"pattern": "^(a|a|a)+$"});
    assert_eq!(fits(greedy, json!("a".repeat(5_000) + "b")).len(), 1);
}

#[test]
fn a_schema_with_too_many_patterns_is_left_alone() {
    let (texts, paths) = Default::default();
    let of = |count: usize| {
        let list: Vec<Value> = (0..count).map(|index| json!({"pattern": format!("^{index}$")})).collect();
        ready(&library_of(json!({"anyOf": list}), &texts, &paths), "a.json").err()
    };
    assert_eq!((of(PATTERNS_MAX), of(PATTERNS_MAX + 1)), (None, Some(Unusable::OverLimit)));
}

#[test]
fn hostile_schemas_are_compiled_in_time_and_space() {
    let (texts, paths) = Default::default();
    let compiled = |schema: Value| ready(&library_of(schema, &texts, &paths), "a.json").is_ok();
    let mut doubling = serde_json::Map::new();
    let mut chain = serde_json::Map::new();
    for level in 0..60 {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        doubling.insert(format!("d{level}"), json!({"allOf": [next, next], "properties": {"a": next, "b": next}}));
    }
    for link in 0..3_000 {
        chain.insert(format!("d{link}"), json!({"$ref": format!("#/$defs/d{}", link + 1)}));
    }
    doubling.insert("d60".to_owned(), json!({}));
    chain.insert("d3000".to_owned(), json!({}));
    assert!(compiled(json!({"$defs": doubling, "$ref": "#/$defs/d0"})));
    assert!(compiled(json!({"$defs": chain, "$ref": "#/$defs/d0"})));
    let _ = compiled(json!({"$ref": "#"}));
    let _ = compiled(json!({"pattern": "(a{900}){900}"}));
    let mut deep = json!({"type": "strng"});
    for _ in 0..90 {
        deep = json!({"items": deep});
    }
    assert_eq!(meta(json!({"$schema": D7, "not": deep.clone()})).len(), 1);
    assert_eq!(meta(json!({"$schema": D12, "not": deep})).len(), 1);
}

#[test]
fn references_across_documents_are_followed_and_the_network_is_not_asked() {
    let texts = BTreeMap::from([
        ("s/common.json".to_owned(), r#"{"$defs": {"id": {"type": "string"}}}"#.to_owned()),
        ("s/deep.json".to_owned(), r##"{"$ref": "common.json#/$defs/id"}"##.to_owned()),
    ]);
    let paths: BTreeSet<String> = texts.keys().cloned().collect();
    let outcome = |id: Option<&str>, reference: &str| {
        let mut schema = json!({"properties": {"id": {"$ref": reference}}});
        if let Some(id) = id {
            schema["$id"] = json!(id);
        }
        let document = ParsedDocument { value: schema, ..ParsedDocument::default() };
        let entries = BTreeMap::from([("s/a.json".to_owned(), SchemaDocument::new(document))]);
        let library = Library::new(&texts, &paths, entries);
        let ready = match ready(&library, "s/a.json") {
            Ok(ready) => ready,
            Err(why) => return format!("{why:?}"),
        };
        let wrong = |value: Value| {
            let document = ParsedDocument { value, ..ParsedDocument::default() };
            against(&library, "s/a.json", &ready, &document).expect("within limits").len()
        };
        format!("{} {}", wrong(json!({"id": "x"})), wrong(json!({"id": 1})))
    };
    for id in [None, Some("a.json"), Some("/schemas/a.json"), Some("https://shop.example/a.json")] {
        assert_eq!(outcome(id, "common.json#/$defs/id"), "0 1", "{id:?}");
        assert_eq!(outcome(id, "deep.json"), "0 1", "{id:?}");
    }
    assert_eq!(outcome(None, "https://elsewhere.example/a.json"), "Remote");
    assert_eq!(outcome(None, "none.json"), "Faulty");
}
