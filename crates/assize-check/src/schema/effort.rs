//! The work of validating a document against a schema, counted before the validation.
//!
//! A small schema can ask for endless work: references in a circle, or choices of choices whose number doubles with
//! each level. This module counts every pair of a schema's part and a document's value once, with the number of visits
//! by a validator. A document beyond a limit is not validated, so that no run waits for it.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::library::{Library, ReferenceBase, ReferenceTarget};

/// Most pairs of a schema's part and a value.
pub const PAIRS_MAX: usize = 400_000;
/// Most visits of a validator.
pub const VISITS_MAX: u64 = 2_000_000;
/// How deep a validator may go: parts within parts and references together.
pub const DEPTH_MAX: usize = 1_000;

/// Why a document is not held against a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EffortExceeded {
    /// References lead in a circle without going on in the document.
    Endless,
    /// More work than the limits allow.
    TooMuch,
}

/// Counts the visits that it takes to hold a value against a schema.
///
/// # Errors
///
/// Says why it should not be tried.
pub fn visits(library: &Library<'_>, path: &str, instance: &Value) -> Result<u64, EffortExceeded> {
    let Some(schema) = library.value(path, "") else { return Ok(0) };
    let mut count = EffortCounter { library, known: HashMap::new(), open: HashSet::new(), targets: HashMap::new() };
    let spot = SchemaSpot { path, pointer: String::new() };
    let visits = count.of(&spot, schema, instance, 0)?;
    if visits > VISITS_MAX { Err(EffortExceeded::TooMuch) } else { Ok(visits) }
}

/// Where a part of a schema stands.
#[derive(Debug, Clone)]
struct SchemaSpot<'l> {
    path: &'l str,
    pointer: String,
}

struct EffortCounter<'l> {
    library: &'l Library<'l>,
    /// By the addresses of a part and a value, which stand still meanwhile.
    known: HashMap<(usize, usize), u64>,
    open: HashSet<(usize, usize)>,
    targets: HashMap<usize, Vec<(SchemaSpot<'l>, &'l Value)>>,
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

impl<'l> EffortCounter<'l> {
    fn of(
        &mut self,
        spot: &SchemaSpot<'l>,
        schema: &'l Value,
        value: &Value,
        depth: usize,
    ) -> Result<u64, EffortExceeded> {
        let Value::Object(keywords) = schema else { return Ok(1) };
        let pair = (address(schema), address(value));
        if let Some(known) = self.known.get(&pair) {
            return Ok(*known);
        }
        if !self.open.insert(pair) {
            return Err(EffortExceeded::Endless);
        }
        if self.known.len() + self.open.len() > PAIRS_MAX || depth >= DEPTH_MAX {
            return Err(EffortExceeded::TooMuch);
        }
        let mut visits = 1_u64;
        for (part, inner) in self.led_to(spot, schema) {
            visits = visits.saturating_add(self.of(&part, inner, value, depth + 1)?);
        }
        for (keyword, content) in keywords {
            let part = SchemaSpot { path: spot.path, pointer: format!("{}/{keyword}", spot.pointer) };
            visits = visits.saturating_add(self.keyword(&part, keyword, content, keywords, value, depth)?);
        }
        // What is left over is found by going through everything once more.
        if keywords.contains_key("unevaluatedProperties") || keywords.contains_key("unevaluatedItems") {
            visits = visits.saturating_mul(2);
        }
        self.open.remove(&pair);
        self.known.insert(pair, visits);
        Ok(visits)
    }

    /// The work for one keyword, whose part of the schema is at `part`.
    fn keyword(
        &mut self,
        part: &SchemaSpot<'l>,
        keyword: &str,
        content: &'l Value,
        around: &'l serde_json::Map<String, Value>,
        value: &Value,
        depth: usize,
    ) -> Result<u64, EffortExceeded> {
        let mut visits = 0_u64;
        let mut add = |this: &mut Self, steps: &[&str], inner: &'l Value, value: &Value| {
            let pointer =
                steps.iter().fold(part.pointer.clone(), |pointer, step| super::document::join(&pointer, step));
            let spot = SchemaSpot { path: part.path, pointer };
            visits = visits.saturating_add(this.of(&spot, inner, value, depth + 1)?);
            Ok(())
        };
        match (keyword, content) {
            ("allOf" | "anyOf" | "oneOf", Value::Array(list)) => {
                for (index, inner) in list.iter().enumerate() {
                    add(self, &[&index.to_string()], inner, value)?;
                }
            }
            ("not" | "if" | "then" | "else", inner) => add(self, &[], inner, value)?,
            ("dependentSchemas" | "dependencies", Value::Object(map)) => {
                for (name, inner) in map.iter().filter(|(name, inner)| inner.is_object() && value.get(name).is_some()) {
                    add(self, &[name], inner, value)?;
                }
            }
            ("properties", Value::Object(map)) => {
                for (name, inner) in map {
                    if let Some(value) = value.get(name) {
                        add(self, &[name], inner, value)?;
                    }
                }
            }
            // Which names a pattern fits is not looked at: it is taken to fit them all.
            ("patternProperties", Value::Object(map)) => {
                for (name, inner) in map {
                    for value in value.as_object().into_iter().flatten().map(|(_, value)| value) {
                        add(self, &[name], inner, value)?;
                    }
                }
            }
            ("additionalProperties" | "unevaluatedProperties", inner) => {
                let named = around.get("properties").and_then(Value::as_object);
                let others = value.as_object().into_iter().flatten();
                let others = others.filter(|(name, _)| named.is_none_or(|named| !named.contains_key(*name)));
                for (_, value) in others {
                    add(self, &[], inner, value)?;
                }
            }
            (
                "items" | "additionalItems" | "contains" | "unevaluatedItems",
                inner @ (Value::Object(_) | Value::Bool(_)),
            ) => {
                for value in value.as_array().into_iter().flatten() {
                    add(self, &[], inner, value)?;
                }
            }
            ("items" | "prefixItems", Value::Array(list)) => {
                let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
                for (index, (inner, value)) in list.iter().zip(items).enumerate() {
                    add(self, &[&index.to_string()], inner, value)?;
                }
            }
            ("propertyNames", _) => visits = value.as_object().map_or(0, |map| map.len() as u64),
            ("uniqueItems", _) => visits = value.as_array().map_or(0, |list| list.len() as u64),
            _ => {}
        }
        Ok(visits)
    }

    /// Where the references of a part lead. One that is found only at run time may lead to any anchor of its name.
    fn led_to(&mut self, spot: &SchemaSpot<'l>, schema: &'l Value) -> Vec<(SchemaSpot<'l>, &'l Value)> {
        let has_reference = ["$ref", "$dynamicRef", "$recursiveRef"].iter().any(|key| schema.get(key).is_some());
        if !has_reference {
            return Vec::new();
        }
        if let Some(known) = self.targets.get(&address(schema)) {
            return known.clone();
        }
        let base = self.library.base_at(spot.path, &spot.pointer);
        let mut targets = Vec::new();
        let text = |key: &str| schema.get(key).and_then(Value::as_str);
        if let Some(reference) = text("$ref") {
            targets.extend(self.target(spot.path, &base, reference));
        }
        if let Some(reference) = text("$dynamicRef") {
            targets.extend(self.target(spot.path, &base, reference));
            let anchor = reference.rsplit('#').next().unwrap_or_default();
            targets.extend(self.everywhere("$dynamicAnchor", &Value::from(anchor)));
        }
        if text("$recursiveRef").is_some() {
            targets.extend(self.target(spot.path, &base, "#"));
            targets.extend(self.everywhere("$recursiveAnchor", &Value::Bool(true)));
        }
        let mut seen = HashSet::new();
        targets.retain(|(_, value)| seen.insert(address(value)));
        self.targets.insert(address(schema), targets.clone());
        targets
    }

    fn target(&self, path: &str, base: &ReferenceBase, reference: &str) -> Option<(SchemaSpot<'l>, &'l Value)> {
        let ReferenceTarget::Found { path, pointer } = self.library.resolve(path, base, reference) else { return None };
        self.part(&path, pointer)
    }

    fn part(&self, path: &str, pointer: String) -> Option<(SchemaSpot<'l>, &'l Value)> {
        let (path, entry) = self.library.entries().find(|(known, _)| *known == path)?;
        let value = entry.document.value.pointer(&pointer)?;
        Some((SchemaSpot { path, pointer }, value))
    }

    fn everywhere(&self, key: &str, marked: &Value) -> Vec<(SchemaSpot<'l>, &'l Value)> {
        let mut found = Vec::new();
        for (path, entry) in self.library.entries() {
            let parts = super::library::parts(&entry.document.value);
            let marked = parts.into_iter().filter(|part| part.value.get(key) == Some(marked));
            found.extend(marked.map(|part| (SchemaSpot { path, pointer: part.pointer }, part.value)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::schema::document::ParsedDocument;
    use crate::schema::library::SchemaDocument;
    use serde_json::json;

    fn count(schema: Value, instance: &Value) -> Result<u64, EffortExceeded> {
        let (texts, paths) = (BTreeMap::new(), std::collections::BTreeSet::new());
        let document = ParsedDocument { value: schema, ..ParsedDocument::default() };
        let entries = BTreeMap::from([("a.json".to_owned(), SchemaDocument::new(document))]);
        visits(&Library::new(&texts, &paths, entries), "a.json", instance)
    }

    /// A chain of definitions, each of which refers twice to the next.
    fn doubling(levels: usize) -> Value {
        let mut defs = serde_json::Map::new();
        for level in 0..levels {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            defs.insert(format!("d{level}"), json!({"anyOf": [next, next]}));
        }
        defs.insert(format!("d{levels}"), json!({"type": "string"}));
        json!({"$defs": defs, "$ref": "#/$defs/d0"})
    }

    #[test]
    fn circles_are_found() {
        for schema in [
            json!({"$ref": "#"}),
            json!({"allOf": [{"$ref": "#"}]}),
            json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}),
            json!({"$dynamicAnchor": "x", "anyOf": [{"$dynamicRef": "#x"}]}),
        ] {
            assert_eq!(count(schema.clone(), &json!(1)), Err(EffortExceeded::Endless), "{schema}");
        }
        // Each reference of a tree leads one level deeper into the document.
        let tree = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
        assert!(count(tree, &json!({"left": {"right": {}}, "right": {}})).is_ok());
    }

    #[test]
    fn doubling_work_is_refused_at_the_limit() {
        let fits = count(doubling(17), &json!("a")).expect("within the limit");
        assert!(fits > VISITS_MAX / 4 && fits <= VISITS_MAX, "{fits}");
        assert_eq!(count(doubling(20), &json!("a")), Err(EffortExceeded::TooMuch));
        assert_eq!(count(doubling(300), &json!("a")), Err(EffortExceeded::TooMuch));
    }

    #[test]
    fn depth_and_pairs_have_limits() {
        let chain = |length: usize| {
            let mut defs = serde_json::Map::new();
            for link in 0..length {
                defs.insert(format!("d{link}"), json!({"$ref": format!("#/$defs/d{}", link + 1)}));
            }
            defs.insert(format!("d{length}"), json!({"type": "string"}));
            json!({"$defs": defs, "$ref": "#/$defs/d0"})
        };
        assert!(count(chain(DEPTH_MAX - 2), &json!("a")).is_ok());
        assert_eq!(count(chain(DEPTH_MAX - 1), &json!("a")), Err(EffortExceeded::TooMuch));
        let items = |count: usize| Value::Array(vec![json!("a"); count]);
        let each = json!({"items": {"type": "string"}});
        assert!(count(each.clone(), &items(PAIRS_MAX - 1)).is_ok());
        assert_eq!(count(each, &items(PAIRS_MAX)), Err(EffortExceeded::TooMuch));
    }
}
