//! Reports that are one JSON document.
//!
//! It tells a report that stops before its end from one that is of another kind, for all formats
//! alike. It must not know any of them.

use assize_core::text::without_lone_surrogates;
use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::error::Category;

use super::plain::plain;
use super::{ReportError, message};

/// Reads a report that is one JSON document. Escape sequences of a terminal around it do not matter.
///
/// # Errors
///
/// It is too large, empty, cut off, or no document of this shape.
pub fn document<T: DeserializeOwned>(format: &'static str, bytes: &[u8]) -> Result<T, ReportError> {
    let text = plain(bytes)?;
    let text = text.trim();
    if text.is_empty() {
        return Err(ReportError::Empty);
    }
    value(text).map_err(|error| match error.classify() {
        Category::Eof => ReportError::Truncated(error.to_string()),
        _ => ReportError::Malformed { format, detail: message(&error.to_string()) },
    })
}

/// Reads one value. Half of a pair of surrogates, where a tool has cut a text, stands for an unknown character.
///
/// # Errors
///
/// It is no JSON of this shape.
pub fn value<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text).or_else(|first| serde_json::from_str(&without_lone_surrogates(text)).map_err(|_| first))
}

/// Reads a part of a document that nothing depends on: `None` where it has another shape.
///
/// # Errors
///
/// It is no JSON.
pub fn optional<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(serde_json::Value::deserialize(deserializer)?).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_depends_on_may_have_any_shape() {
        #[derive(serde::Deserialize)]
        struct NumberedPart {
            #[serde(default, deserialize_with = "optional")]
            number: Option<u8>,
        }
        for (text, number) in [
            (r#"{"number":1}"#, Some(1)),
            (r#"{"number":256}"#, None),
            (r#"{"number":[{"a":1}]}"#, None),
            (r#"{"number":null}"#, None),
            ("{}", None),
        ] {
            assert_eq!(document::<NumberedPart>("a part", text.as_bytes()).unwrap().number, number, "{text}");
        }
    }

    #[test]
    fn half_of_an_emoji_hides_no_report() {
        let read = |text: &str| document::<Vec<String>>("texts", text.as_bytes()).unwrap();
        assert_eq!(read(r#"["cut \ud83d", "\udcff", "\\ud83d"]"#), ["cut \u{fffd}", "\u{fffd}", r"\ud83d"]);
    }

    #[test]
    fn what_is_no_whole_document_says_what_it_is() {
        let read = |text: &str| document::<Vec<u8>>("numbers", text.as_bytes());
        assert_eq!(read("\u{feff}\u{1b}[0m[1, 2]\n\u{1b}[0m"), Ok(vec![1, 2]));
        assert_eq!(read(" \n"), Err(ReportError::Empty));
        assert!(matches!(read("[1, 2"), Err(ReportError::Truncated(_))));
        for text in ["[1] [2]", "{}", "[1]x", "Oops"] {
            assert!(matches!(read(text), Err(ReportError::Malformed { format: "numbers", .. })), "{text}");
        }
    }
}
