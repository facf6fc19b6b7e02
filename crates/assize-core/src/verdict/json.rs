//! JSON as the verdict parser reads it: every key once, and nothing sent that was not read.
//!
//! Serde is lenient where a verdict must not be: it reads a list as a record, `{"accept":null}` as
//! an enum's value, and lets the last of two equal keys of a map win. This module must not know
//! what a verdict is.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

/// Any JSON in which no object has a key twice, however the key is spelled.
pub struct Unambiguous(pub Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyJson).map(Self)
    }
}

struct AnyJson;

impl<'de> Visitor<'de> for AnyJson {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Unambiguous(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((key, Unambiguous(value))) = entries.next_entry::<String, _>()? {
            match object.entry(key) {
                Entry::Vacant(entry) => entry.insert(value),
                Entry::Occupied(entry) => {
                    return Err(A::Error::custom(format_args!("duplicate field `{}`", entry.key())));
                }
            };
        }
        Ok(Value::Object(object))
    }
}

/// Returns whether some JSON is `written`, but for white space between its parts.
pub(super) fn is_spelled(sent: &str, written: &str) -> bool {
    if sent == written {
        return true;
    }
    let (mut in_string, mut escaped) = (false, false);
    let mut written = written.bytes();
    for byte in sent.bytes() {
        if !in_string && matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            continue;
        }
        if written.next() != Some(byte) {
            return false;
        }
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            _ => {}
        }
    }
    written.next().is_none()
}

/// Checks that `read` holds everything that was `sent`, in the same form. What was not sent may
/// have been filled in, and null stands for not sent.
///
/// # Errors
///
/// Names the part that was read as something else.
pub(super) fn nothing_lost(sent: &Value, read: &Value) -> Result<(), String> {
    let lost = match (sent, read) {
        (Value::Object(sent), Value::Object(read)) => {
            return sent.iter().try_for_each(|(key, value)| match read.get(key) {
                Some(counterpart) => nothing_lost(value, counterpart),
                None if value.is_null() => Ok(()),
                None => Err(format!("unknown field `{key}`")),
            });
        }
        (Value::Array(sent), Value::Array(read)) if sent.len() == read.len() => {
            return sent.iter().zip(read).try_for_each(|(sent, read)| nothing_lost(sent, read));
        }
        // 1 and 1.0 are the same number.
        (Value::Number(sent), Value::Number(read)) => sent.as_f64() != read.as_f64(),
        _ => sent != read,
    };
    if lost { Err(format!("`{sent}` stands where the schema has another form")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_stands_once_at_every_depth() {
        let read = |text: &str| serde_json::from_str::<Unambiguous>(text).map(|Unambiguous(value)| value);
        assert_eq!(
            read(r#"{"a":[1,-2,0.5,null,true,{"a":"b"}]}"#).expect("good"),
            json!({"a":[1,-2,0.5,null,true,{"a":"b"}]})
        );
        for twice in [r#"{"a":1,"a":1}"#, r#"[{"b":{"a":1,"\u0061":2}}]"#] {
            let error = read(twice).expect_err(twice).to_string();
            assert!(error.starts_with("duplicate field `a`"), "{error}");
        }
    }

    #[test]
    fn white_space_counts_in_texts_alone() {
        let written = r#"{"a":[1,"b c \\\" d"],"e":null}"#;
        for sent in [written, "\t{ \"a\" : [ 1 ,\n \"b c \\\\\\\" d\" ], \"e\": null }\r\n"] {
            assert!(is_spelled(sent, written), "{sent}");
        }
        for sent in [
            r#"{"a":[1,"b  c \\\" d"],"e":null}"#,
            r#"{"a":[1,"bc \\\" d"],"e":null}"#,
            r#"{"a":[1.0,"b c \\\" d"],"e":null}"#,
            r#"{"a":[1,"b\u0020c \\\" d"],"e":null}"#,
            r#"{"e":null,"a":[1,"b c \\\" d"]}"#,
            r#"{"a":[1,"b c \\\" d"],"e":null,"e":null}"#,
            r#"{"a":[1,"b c \\\" d"]}"#,
            "",
        ] {
            assert!(!is_spelled(sent, written), "{sent}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_spelled_alike_means_the_same(
            text in "[ab \\\\\"\t]{0,6}",
            number in -2..2_i64,
            inserted in proptest::sample::select(&[" ", "\n", "\\", "\"", "1", ","][..]),
            share in 0.0..1.0_f64,
        ) {
            let value = json!({"a": [text, number], "b c": {"d": null, "e": text}});
            let written = value.to_string();
            let at = (written.len() as f64 * share) as usize;
            let sent = format!("{}{inserted}{}", &written[..at], &written[at..]);
            if is_spelled(&sent, &written) && let Ok(Unambiguous(read)) = serde_json::from_str(&sent) {
                proptest::prop_assert_eq!(read, value);
            }
        }
    }

    #[test]
    fn what_was_read_is_all_that_was_sent() {
        for (sent, read) in [
            (json!({"a": 1}), json!({"a": 1.0, "filled_in": []})),
            (json!({"a": null}), json!({})),
            (json!({"a": [{"b": "c"}]}), json!({"a": [{"b": "c"}]})),
        ] {
            assert_eq!(nothing_lost(&sent, &read), Ok(()));
        }
        for (sent, read) in [
            (json!({"a": 1}), json!({})),
            (json!([true]), json!({"pass": true})),
            (json!({"a": {"accept": null}}), json!({"a": "accept"})),
            (json!({"a": [1, 2]}), json!({"a": [1]})),
            (json!({"a": [{"b": 1}]}), json!({"a": [{}]})),
            (json!({"a": 1}), json!({"a": "1"})),
        ] {
            assert!(nothing_lost(&sent, &read).is_err(), "{sent} read as {read}");
        }
    }
}
