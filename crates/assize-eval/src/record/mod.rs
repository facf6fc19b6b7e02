//! One record of a data set: the case that the court of records hears.
//!
//! A record is an object of fields, named by one of them. What was said of it belongs to this very content: the hash is of the content,
//! whatever order its fields stand in, so that a label can be told from one of an earlier edition of the same record. Where records
//! come from, and how many there are, must not be known here.

pub mod claim;
pub mod correction;
pub mod glance;
pub mod selection;

use assize_core::text::quote;
use assize_core::verdict::json::Unambiguous;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

/// Largest record, in bytes of JSON.
pub const RECORD_BYTES_MAX: usize = 1024 * 1024;
/// Longest id of a record, in characters.
pub const ID_CHARS_MAX: usize = 400;
/// Hexadecimal digits of a content hash.
pub const HASH_DIGITS: usize = 32;

/// One record.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its name, unique in its data set.
    pub id: String,
    /// Its content.
    pub fields: Map<String, Value>,
    /// The hash of its content.
    pub hash: String,
}

/// A record as others speak of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordRef {
    /// Its name.
    pub id: String,
    /// The hash of its content, where the source of the verdict or label knew it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

impl Record {
    /// Makes a record of what stands in a data set; `id_field` names it.
    ///
    /// # Errors
    ///
    /// Says why it is no record: no object, or without a name.
    pub fn of(value: Value, id_field: &str) -> Result<Self, String> {
        let Value::Object(fields) = value else { return Err(format!("is {}, not an object", kind(&value))) };
        let id = match fields.get(id_field) {
            Some(Value::String(id)) if !id.trim().is_empty() => id.clone(),
            Some(Value::Number(id)) => id.to_string(),
            Some(Value::String(_)) => return Err(format!("has a blank {}", quote(id_field))),
            Some(other) => {
                return Err(format!("has {} as its {}, not a text or a number", kind(other), quote(id_field)));
            }
            None => return Err(format!("has no field {}, which would name it", quote(id_field))),
        };
        if id.chars().count() > ID_CHARS_MAX {
            return Err(format!("has an id of {} characters where {ID_CHARS_MAX} is the most", id.chars().count()));
        }
        let hash = content_hash(&fields);
        Ok(Self { id, fields, hash })
    }

    /// Returns what a field holds, as a text; what is not there is `-`.
    pub fn text_of(&self, field: &str) -> String {
        match self.fields.get(field) {
            None | Some(Value::Null) => "-".to_owned(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        }
    }

    /// Returns how others may speak of it.
    pub fn reference(&self) -> RecordRef {
        RecordRef { id: self.id.clone(), hash: Some(self.hash.clone()) }
    }
}

/// A hash of records in their order: what a data set holds, whatever it is called.
#[derive(Debug, Default)]
pub struct DatasetDigest(blake3::Hasher);

impl DatasetDigest {
    /// Adds the next record.
    pub fn add(&mut self, record: &Record) {
        self.0.update(record.hash.as_bytes());
    }

    /// Returns the hash of all of them.
    pub fn finish(&self) -> String {
        finish(&self.0)
    }
}

/// Reads what a data set, or a file of verdicts or labels, holds of one record. It has to be JSON in which no object
/// has a key twice, since it would be unknown which of the two was meant.
///
/// # Errors
///
/// Says why it is no such JSON, or that it is larger than [`RECORD_BYTES_MAX`].
pub fn read_json(json: &str) -> Result<Value, String> {
    if json.len() > RECORD_BYTES_MAX {
        return Err(format!("has more than {RECORD_BYTES_MAX} bytes"));
    }
    let Unambiguous(value) = serde_json::from_str(json).map_err(|error| format!("is no JSON: {error}"))?;
    Ok(value)
}

/// Returns the hash of a record's content. The order of fields does not count; that of lists does.
pub fn content_hash(fields: &Map<String, Value>) -> String {
    let mut hasher = blake3::Hasher::new();
    hash_object(fields, &mut hasher);
    finish(&hasher)
}

fn finish(hasher: &blake3::Hasher) -> String {
    hasher.finalize().to_hex()[..HASH_DIGITS].to_owned()
}

fn hash_object(fields: &Map<String, Value>, hasher: &mut blake3::Hasher) {
    let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
    fields.sort_unstable_by_key(|(name, _)| *name);
    open(hasher, b'{', fields.len());
    for (name, value) in fields {
        hash_text(name, hasher);
        hash_value(value, hasher);
    }
}

fn hash_value(value: &Value, hasher: &mut blake3::Hasher) {
    match value {
        Value::Object(fields) => hash_object(fields, hasher),
        Value::Array(items) => {
            open(hasher, b'[', items.len());
            items.iter().for_each(|item| hash_value(item, hasher));
        }
        Value::String(text) => hash_text(text, hasher),
        Value::Number(number) => hash_number(number, hasher),
        Value::Bool(truth) => hash_boolean(*truth, hasher),
        Value::Null => open(hasher, b'n', 0),
    }
}

fn hash_number(number: &Number, hasher: &mut blake3::Hasher) {
    let text = number.to_string();
    open(hasher, b'#', text.len());
    hasher.update(text.as_bytes());
}

fn hash_boolean(truth: bool, hasher: &mut blake3::Hasher) {
    open(hasher, if truth { b't' } else { b'f' }, 0);
}

fn hash_text(text: &str, hasher: &mut blake3::Hasher) {
    open(hasher, b'"', text.len());
    hasher.update(text.as_bytes());
}

/// Every part begins with its kind and its length, so that no two contents are hashed as the same bytes.
fn open(hasher: &mut blake3::Hasher, kind: u8, length: usize) {
    let mut opening = [kind; 9];
    opening[1..].copy_from_slice(&(length as u64).to_le_bytes());
    hasher.update(&opening);
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn hash(value: Value) -> String {
        Record::of(value, "id").expect("a record").hash
    }

    #[test]
    fn a_record_is_named_by_a_field() {
        let record = Record::of(json!({"key": 7, "text": "a"}), "key").expect("a record");
        assert_eq!(record.id, "7");
        for (value, says) in [
            (json!([1]), "is a list"),
            (json!({"text": "a"}), "no field `key`"),
            (json!({"key": " "}), "a blank `key`"),
            (json!({"key": [1]}), "has a list as its `key`"),
        ] {
            let error = Record::of(value, "key").expect_err(says);
            assert!(error.contains(says), "{error}");
        }
        let named = |chars: usize| Record::of(json!({"key": "é".repeat(chars)}), "key");
        assert!(named(ID_CHARS_MAX).is_ok() && named(ID_CHARS_MAX + 1).is_err());
    }

    #[test]
    fn a_key_that_stands_there_twice_is_refused() {
        assert!(read_json(r#"{"id": "a", "steps": []}"#).is_ok());
        for json in [r#"{"id": "a", "id": "b"}"#, r#"{"id": "a", "made": [{"x": 1, "\u0078": 2}]}"#, "{", ""] {
            assert!(read_json(json).is_err(), "{json}");
        }
    }

    #[test]
    fn the_hash_is_of_the_content() {
        let one = hash(json!({"id": "a", "steps": ["x", "y"], "made": {"by": "p", "at": 1}}));
        assert_eq!(one, hash(json!({"made": {"at": 1, "by": "p"}, "steps": ["x", "y"], "id": "a"})));
        assert_eq!(one.len(), HASH_DIGITS);
        for other in [
            json!({"id": "a", "steps": ["y", "x"], "made": {"by": "p", "at": 1}}),
            json!({"id": "a", "steps": ["xy"], "made": {"by": "p", "at": 1}}),
            json!({"id": "a", "steps": ["x", "y"], "made": {"by": "p", "at": "1"}}),
            json!({"id": "a", "steps": ["x", "y"], "made": {"by": "p", "at": 1}, "more": null}),
            json!({"id": "b", "steps": ["x", "y"], "made": {"by": "p", "at": 1}}),
        ] {
            assert_ne!(one, hash(other.clone()), "{other}");
        }
    }

    proptest! {
        #[test]
        fn other_texts_have_other_hashes(one in "[a\"{}\\[\\],:]{0,6}", other in "[a\"{}\\[\\],:]{0,6}") {
            let equal = hash(json!({"id": "r", "text": one})) == hash(json!({"id": "r", "text": other}));
            prop_assert_eq!(equal, one == other);
        }
    }
}
