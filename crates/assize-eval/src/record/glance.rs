//! The identity of a record: its name and the hash of its content, for callers that need nothing else of it.
//!
//! A data set is read twice, and the first time nearly always for this alone. This module takes the JSON apart without
//! copying its texts, in a fraction of the time that a full read takes. It must not say what is wrong with a record: a
//! caller that gets no answer reads the record in full, and that read reports the fault.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number};

use super::{ID_CHARS_MAX, RECORD_BYTES_MAX, Record, finish, hash_boolean, hash_number, hash_text, open};

/// Reads who a record is, out of its JSON: its fields are left out. `None` where it is no record, or not for sure.
pub fn glance(json: &str, id_field: &str) -> Option<Record> {
    if json.len() > RECORD_BYTES_MAX {
        return None;
    }
    let JsonNode::Object(fields) = serde_json::from_str(json).ok()? else { return None };
    let id = match &fields.iter().find(|(name, _)| name == id_field)?.1 {
        JsonNode::Text(id) if !id.trim().is_empty() => id.clone().into_owned(),
        JsonNode::Number(id) => id.to_string(),
        _ => return None,
    };
    if id.chars().count() > ID_CHARS_MAX {
        return None;
    }
    let mut hasher = blake3::Hasher::new();
    hash_object(&fields, &mut hasher);
    Some(Record { id, fields: Map::new(), hash: finish(&hasher) })
}

/// Some JSON, whose texts are borrowed where they stand there without escapes.
enum JsonNode<'j> {
    Null,
    Boolean(bool),
    Number(Number),
    Text(Cow<'j, str>),
    List(Vec<Self>),
    /// In the order of the names, none of which stands there twice.
    Object(Vec<(Cow<'j, str>, Self)>),
}

/// As [`super::content_hash`] does.
fn hash_object(fields: &[(Cow<'_, str>, JsonNode<'_>)], hasher: &mut blake3::Hasher) {
    open(hasher, b'{', fields.len());
    for (name, value) in fields {
        hash_text(name, hasher);
        hash_node(value, hasher);
    }
}

fn hash_node(node: &JsonNode<'_>, hasher: &mut blake3::Hasher) {
    match node {
        JsonNode::Object(fields) => hash_object(fields, hasher),
        JsonNode::List(items) => {
            open(hasher, b'[', items.len());
            items.iter().for_each(|item| hash_node(item, hasher));
        }
        JsonNode::Text(text) => hash_text(text, hasher),
        JsonNode::Number(number) => hash_number(number, hasher),
        JsonNode::Boolean(truth) => hash_boolean(*truth, hasher),
        JsonNode::Null => open(hasher, b'n', 0),
    }
}

impl<'de: 'j, 'j> Deserialize<'de> for JsonNode<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyNode)
    }
}

struct AnyNode;

impl<'de> Visitor<'de> for AnyNode {
    type Value = JsonNode<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<JsonNode<'de>, E> {
        Ok(JsonNode::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<JsonNode<'de>, E> {
        Ok(JsonNode::Boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<JsonNode<'de>, E> {
        Ok(JsonNode::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<JsonNode<'de>, E> {
        Ok(JsonNode::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<JsonNode<'de>, E> {
        Number::from_f64(value).map(JsonNode::Number).ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<JsonNode<'de>, E> {
        Ok(JsonNode::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<JsonNode<'de>, E> {
        Ok(JsonNode::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<JsonNode<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(JsonNode::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<JsonNode<'de>, A::Error> {
        let mut fields = Vec::new();
        while let Some((FieldName(name), value)) = entries.next_entry::<FieldName<'de>, JsonNode<'de>>()? {
            fields.push((name, value));
        }
        fields.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        if fields.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(A::Error::custom("a field stands there twice"));
        }
        Ok(JsonNode::Object(fields))
    }
}

/// The name of a field.
struct FieldName<'j>(Cow<'j, str>);

impl<'de: 'j, 'j> Deserialize<'de> for FieldName<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match AnyNode::text(deserializer)? {
            JsonNode::Text(name) => Ok(Self(name)),
            _ => Err(D::Error::custom("a name is no text")),
        }
    }
}

impl AnyNode {
    fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<JsonNode<'de>, D::Error> {
        deserializer.deserialize_str(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::read_json;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn read(json: &str) -> Result<Record, String> {
        Record::of(read_json(json)?, "id")
    }

    /// Any JSON, not too deep.
    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_filter_map("finite", |number| Number::from_f64(number).map(Value::Number)),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::hash_map("[a-c\"\\\\é]{0,2}", inner, 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn whoever_glances_sees_who_reads_it_whole(id in "[a\\\\\"é ]{0,3}", content in any_json(), number: i32, named: bool) {
            let id = if named { Value::from(id) } else { Value::from(number) };
            let json = json!({"text": content, "id": id, "more": [content]}).to_string();
            let seen = glance(&json, "id").map(|record| (record.id, record.hash));
            let whole = read(&json).ok().map(|record| (record.id, record.hash));
            prop_assert_eq!(seen, whole);
        }
    }

    #[test]
    fn what_is_no_record_is_not_seen() {
        for json in [
            "",
            "{",
            "[]",
            "7",
            r#"{"text":"a"}"#,
            r#"{"id":null}"#,
            r#"{"id":" "}"#,
            r#"{"id":[1]}"#,
            r#"{"id":"a"} x"#,
            r#"{"id":"a","id":"b"}"#,
            r#"{"id":"a","made":[{"x":1,"\u0078":2}]}"#,
            r#"{"id":1e999}"#,
        ] {
            assert!(glance(json, "id").is_none() && read(json).is_err(), "{json}");
        }
        let sized = |bytes: usize| format!(r#"{{"id":"a","text":"{}"}}"#, "x".repeat(bytes - 20));
        assert!(glance(&sized(RECORD_BYTES_MAX), "id").is_some());
        assert!(glance(&sized(RECORD_BYTES_MAX + 1), "id").is_none());
        let named = |chars: usize| json!({"id": "é".repeat(chars)}).to_string();
        assert!(glance(&named(ID_CHARS_MAX), "id").is_some() && glance(&named(ID_CHARS_MAX + 1), "id").is_none());
    }
}
