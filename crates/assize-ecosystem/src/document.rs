//! Manifests, lock files and settings as trees, whatever language they are written in.
//!
//! A document that cannot be read is `None`; the caller that needs the file reports that. An alias of YAML is read as
//! null, since following aliases can turn a small file into a large tree.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// How deep maps and lists may be nested.
pub const DEPTH_MAX: usize = 100;
/// Longest text that is read as a document, in bytes. Lock files grow large.
pub const DOCUMENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Reads JSON; comments and trailing commas are let pass, which settings of editors have.
pub fn json(text: &str) -> Option<Value> {
    if text.len() > DOCUMENT_BYTES_MAX {
        return None;
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).ok().or_else(|| {
        // The reader of comments goes down as deep as the text does.
        let options = jsonc_parser::ParseOptions::default();
        if is_deep(text) { None } else { jsonc_parser::parse_to_serde_value(text, &options).ok() }
    })
}

/// Reads a `package.json`. Its scripts have what npm puts for the variables of its own settings, such as
/// `$npm_package_config_paths`.
pub fn node_manifest(text: &str) -> Option<Value> {
    const PREFIX: &str = "$npm_package_config_";
    let mut manifest = json(text)?;
    if !text.contains(PREFIX) {
        return Some(manifest);
    }
    let settings = manifest.get("config").and_then(Value::as_object).into_iter().flatten();
    let mut settings: Vec<(String, String)> =
        settings.filter_map(|(key, value)| Some((format!("{PREFIX}{key}"), value.as_str()?.to_owned()))).collect();
    // `$a_b` is not `$a`.
    settings.sort_by_key(|(variable, _)| std::cmp::Reverse(variable.len()));
    let scripts = manifest.get_mut("scripts").and_then(Value::as_object_mut);
    for script in scripts.into_iter().flat_map(serde_json::Map::values_mut) {
        if let Value::String(script) = script {
            *script = settings.iter().fold(std::mem::take(script), |text, (name, value)| text.replace(name, value));
        }
    }
    Some(manifest)
}

/// Returns whether brackets are open deeper than [`DEPTH_MAX`]; those within strings count, which does no harm.
fn is_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEPTH_MAX
    })
}

/// Reads TOML.
pub fn toml(text: &str) -> Option<Value> {
    if text.len() > DOCUMENT_BYTES_MAX {
        return None;
    }
    serde_json::to_value(toml::from_str::<toml::Table>(text.strip_prefix('\u{feff}').unwrap_or(text)).ok()?).ok()
}

/// A map or list of YAML that is open; a map's values stand in a row: key, value, key, value.
struct OpenYamlContainer {
    is_map: bool,
    items: Vec<Value>,
}

impl OpenYamlContainer {
    fn close(self) -> Value {
        if !self.is_map {
            return Value::Array(self.items);
        }
        let mut map = Map::new();
        let mut items = self.items.into_iter();
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            map.insert(key.as_str().map_or_else(|| key.to_string(), str::to_owned), value);
        }
        Value::Object(map)
    }
}

/// Reads the first document of a YAML file.
pub fn yaml(text: &str) -> Option<Value> {
    if text.len() > DOCUMENT_BYTES_MAX {
        return None;
    }
    let mut open: Vec<OpenYamlContainer> = Vec::new();
    for event in Parser::new_from_str(text) {
        let value = match event.ok()?.0 {
            Event::Scalar(text, ScalarStyle::Plain, ..) => plain(&text),
            Event::Scalar(text, ..) => Value::String(text.into_owned()),
            Event::Alias(_) => Value::Null,
            event @ (Event::SequenceStart(..) | Event::MappingStart(..)) => {
                if open.len() == DEPTH_MAX {
                    return None;
                }
                open.push(OpenYamlContainer { is_map: matches!(event, Event::MappingStart(..)), items: Vec::new() });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop()?.close(),
            _ => continue,
        };
        match open.last_mut() {
            Some(parent) => parent.items.push(value),
            None => return Some(value),
        }
    }
    None
}

/// Words of YAML that are no strings. Numbers stay text: `1.10` is a version.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => Value::String(text.to_owned()),
    }
}

/// Lends what stands at the end of a way through maps.
pub fn at<'v>(value: &'v Value, way: &[&str]) -> Option<&'v Value> {
    way.iter().try_fold(value, |value, name| value.get(name))
}

/// Walks over the entries of the map at the end of a way; none where there is no map.
pub fn entries<'v>(value: &'v Value, way: &[&str]) -> impl Iterator<Item = (&'v String, &'v Value)> + use<'v> {
    at(value, way).and_then(Value::as_object).into_iter().flatten()
}

/// Walks over the items of the list at the end of a way; none where there is no list.
pub fn items<'v>(value: &'v Value, way: &[&str]) -> impl Iterator<Item = &'v Value> + use<'v> {
    at(value, way).and_then(Value::as_array).into_iter().flatten()
}

/// Lends the text at the end of a way; empty where there is none.
pub fn text<'v>(value: &'v Value, way: &[&str]) -> &'v str {
    at(value, way).and_then(Value::as_str).unwrap_or_default()
}

/// Finds the first line that has all of some texts, counted from 1.
pub fn line_with(text: &str, words: &[&str]) -> Option<u32> {
    let at = text.lines().position(|line| words.iter().all(|word| line.contains(word)))?;
    u32::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn three_languages_make_the_same_tree() {
        let expected = json!({"a": {"b": ["1.10", "x"]}, "c": true});
        assert_eq!(json("{\"a\":{\"b\":[\"1.10\",\"x\"]}, // why\n\"c\":true,}"), Some(expected.clone()));
        assert_eq!(
            toml("c = true\n[a]\nb = ['1.10', 'x']\n").map(|value| value["a"].clone()),
            Some(expected["a"].clone())
        );
        assert_eq!(yaml("a:\n  b:\n    - 1.10\n    - x\nc: true\n"), Some(expected));
        assert_eq!(yaml("a: &x {b: 1}\nc: *x\n").map(|value| value["c"].clone()), Some(Value::Null));
        assert_eq!((json("{"), toml("a ="), yaml("a: [")), (None, None, None));
    }

    #[test]
    fn nesting_and_length_have_limits() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(yaml(&nested(DEPTH_MAX)).is_some() && yaml(&nested(DEPTH_MAX + 1)).is_none());
        let long = |bytes: usize| format!("[\"{}\"]", "x".repeat(bytes - 4));
        assert!(json(&long(DOCUMENT_BYTES_MAX)).is_some() && json(&long(DOCUMENT_BYTES_MAX + 1)).is_none());
        let _ = json(&nested(100_000));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn any_text_can_be_tried(text in "[\\[\\]{}:,\"'a-c&*!|>#=\n -]{0,80}") {
            let _ = (json(&text), toml(&text), yaml(&text));
        }
    }
}
