//! A record with other values in some of its fields.
//!
//! A corrector may change what it was shown and nothing else: the name of a record, fields that it did not see, and the kind of a value stay
//! as they were, so that the corrected record can take the place of the other in any program.

use assize_core::text::quote;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Record, kind, read_json};

/// A new value for a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldChange {
    /// The field.
    pub field: String,
    /// Its value: the text itself where the field holds a text, JSON where it holds something else.
    pub value: String,
}

/// Returns a record with new values; `shown` are the fields that may be changed, all but the name where it is empty.
///
/// # Errors
///
/// Says in one sentence which change cannot be made, or that the record would stay as it is.
pub fn corrected(record: &Record, id_field: &str, shown: &[String], changes: &[FieldChange]) -> Result<Record, String> {
    let mut fields = record.fields.clone();
    for FieldChange { field, value } in changes {
        if field == id_field {
            return Err(format!("{} names the record, and must stay", quote(field)));
        }
        let is_shown = shown.is_empty() || shown.contains(field);
        let Some(old) = fields.get_mut(field).filter(|_| is_shown) else {
            return Err(format!("the record has no field {}", quote(field)));
        };
        *old = new_value(old, value).map_err(|error| format!("the value of {}: {error}", quote(field)))?;
    }
    let corrected = Value::Object(fields);
    // It has to be read again as any other record is: by its size, and by how deep it is nested.
    read_json(&corrected.to_string()).map_err(|error| format!("the corrected record {error}"))?;
    let corrected = Record::of(corrected, id_field)?;
    if corrected.hash == record.hash {
        return Err("the new values are those that the record has already".to_owned());
    }
    Ok(corrected)
}

/// Reads a value in place of another one of the same kind. What holds nothing may get anything.
fn new_value(old: &Value, text: &str) -> Result<Value, String> {
    match old {
        Value::String(_) => Ok(Value::from(text)),
        Value::Null => Ok(read_json(text).unwrap_or_else(|_| Value::from(text))),
        _ => {
            let new = read_json(text)?;
            let is_same_kind = std::mem::discriminant(old) == std::mem::discriminant(&new);
            if is_same_kind { Ok(new) } else { Err(format!("is {}, not {}", kind(&new), kind(old))) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn guide() -> Record {
        let fields = json!({"id": "a", "text": "[1]", "steps": ["x"], "count": 2, "draft": true, "note": null});
        Record::of(fields, "id").expect("a record")
    }

    fn change(field: &str, value: &str) -> FieldChange {
        FieldChange { field: field.to_owned(), value: value.to_owned() }
    }

    #[test]
    fn values_keep_their_kind() {
        for (field, value, expected) in [
            ("text", "[2]", json!("[2]")),
            ("text", "", json!("")),
            ("steps", r#"["y", "z"]"#, json!(["y", "z"])),
            ("count", "3.5", json!(3.5)),
            ("draft", "false", json!(false)),
            ("note", "plain words", json!("plain words")),
            ("note", "{\"a\":1}", json!({"a": 1})),
        ] {
            let record = corrected(&guide(), "id", &[], &[change(field, value)]).expect("a change");
            assert_eq!(record.fields[field], expected);
            let order = |record: &Record| record.fields.keys().cloned().collect::<Vec<_>>();
            assert_eq!(order(&record), order(&guide()), "fields stay in their order");
        }
    }

    #[test]
    fn a_corrected_record_can_be_read_again() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(corrected(&guide(), "id", &[], &[change("steps", &nested(126))]).is_ok());
        let error = corrected(&guide(), "id", &[], &[change("steps", &nested(127))]).expect_err("too deep");
        assert!(error.contains("the corrected record is no JSON: recursion"), "{error}");
        let frame = serde_json::to_string(&guide().fields).expect("JSON").len() - "[1]".len();
        let of = |bytes: usize| change("text", &"x".repeat(bytes - frame));
        let most = crate::record::RECORD_BYTES_MAX;
        assert!(corrected(&guide(), "id", &[], &[of(most)]).is_ok());
        let error = corrected(&guide(), "id", &[], &[of(most + 1)]).expect_err("too large");
        assert!(error.contains("the corrected record has more than"), "{error}");
    }

    #[test]
    fn what_may_not_be_changed_is_not() {
        let shown = ["steps".to_owned()];
        for (shown, field, value, says) in [
            (&[][..], "id", "b", "`id` names the record"),
            (&[], "title", "b", "no field `title`"),
            (&shown[..], "text", "b", "no field `text`"),
            (&[], "steps", "Shut it off.", "the value of `steps`: is no JSON"),
            (&[], "steps", r#"{"a":1}"#, "is an object, not a list"),
            (&[], "steps", r#"[{"a":1,"a":2}]"#, "the value of `steps`: is no JSON"),
            (&[], "count", "\"2\"", "is a text, not a number"),
            (&[], "steps", r#"["x"]"#, "those that the record has already"),
        ] {
            let error = corrected(&guide(), "id", shown, &[change(field, value)]).expect_err(says);
            assert!(error.contains(says), "{error}");
        }
        assert!(corrected(&guide(), "id", &[], &[]).is_err(), "nothing was changed");
    }
}
