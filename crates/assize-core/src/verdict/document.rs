//! Checks of documents that others hand in, with every fault listed by its place.
//!
//! The parser of verdicts stops at the first fault, since a judge is asked again anyway. The author of a judge or a fixer wants to see all
//! of them. Each court checks its own documents with this kit. This module must not know where a document came from.

use serde_json::Value;

use super::json::Unambiguous;
use super::{text_faults, too_many};
use crate::violation::Violation;

/// Collects faults, and knows where it is.
#[derive(Default)]
pub struct Checker {
    /// What was found so far, in order.
    pub found: Vec<Violation>,
}

/// A part of a document: what it is called, and what stands there.
pub struct DocumentPlace<'a> {
    /// The place, such as `ops[3].find`; empty for the document as a whole.
    pub at: String,
    /// What stands there, if anything.
    pub value: Option<&'a Value>,
}

impl<'a> DocumentPlace<'a> {
    /// The whole document.
    pub fn root(value: &'a Value) -> Self {
        Self { at: String::new(), value: Some(value) }
    }

    /// A field of this part.
    pub fn field(&self, name: &str) -> Self {
        let at = if self.at.is_empty() { name.to_owned() } else { format!("{}.{name}", self.at) };
        Self { at, value: self.value.and_then(|value| value.get(name)) }
    }

    /// The items of this part, if it is a list.
    pub fn items(&self) -> impl Iterator<Item = Self> {
        let items = self.value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        items.iter().enumerate().map(|(index, value)| Self { at: format!("{}[{index}]", self.at), value: Some(value) })
    }
}

impl Checker {
    /// Notes a fault.
    pub fn say(&mut self, at: &str, message: impl Into<String>) {
        self.found.push(Violation { at: at.to_owned(), message: message.into() });
    }

    /// Checks that an object is there and has no fields but the known ones.
    pub fn object(&mut self, place: &DocumentPlace<'_>, known: &[&str]) -> bool {
        match place.value {
            Some(Value::Object(object)) => {
                for name in object.keys().filter(|name| !known.contains(&name.as_str())) {
                    let names = known.join(", ");
                    self.say(&place.field(name).at, format!("is no known field; there are {names}"));
                }
                true
            }
            value => {
                self.say(&place.at, expected("an object", value));
                false
            }
        }
    }

    /// Checks a list and its length.
    pub fn list(&mut self, place: &DocumentPlace<'_>, most: usize) {
        match place.value {
            Some(Value::Array(items)) => {
                if let Some(fault) = too_many(items.len(), most) {
                    self.say(&place.at, fault);
                }
            }
            value => self.say(&place.at, expected("a list", value)),
        }
    }

    /// Checks that a string is there, and returns it.
    pub fn string<'a>(&mut self, place: &DocumentPlace<'a>) -> Option<&'a str> {
        match place.value {
            Some(Value::String(text)) => Some(text),
            value => {
                self.say(&place.at, expected("a string", value));
                None
            }
        }
    }

    /// Checks a text that has to say something.
    pub fn text(&mut self, place: &DocumentPlace<'_>, chars_max: usize) {
        for fault in self.string(place).into_iter().flat_map(|text| text_faults(text, chars_max)) {
            self.say(&place.at, fault);
        }
    }

    /// Checks a string that is one of a few words.
    pub fn one_of(&mut self, place: &DocumentPlace<'_>, words: &[&str]) {
        if let Some(word) = self.string(place)
            && !words.contains(&word)
        {
            self.say(&place.at, format!("is {word:?}, not one of {}", words.join(", ")));
        }
    }

    /// Checks a number from 0 to 1.
    pub fn score(&mut self, place: &DocumentPlace<'_>) {
        match place.value.and_then(Value::as_f64) {
            Some(score) if (0.0..=1.0).contains(&score) && !score.is_sign_negative() => {}
            Some(score) => self.say(&place.at, format!("is {score}, not between 0 and 1")),
            None => self.say(&place.at, expected("a number", place.value)),
        }
    }

    /// Checks a whole number that fits its field.
    pub fn count(&mut self, place: &DocumentPlace<'_>, least: u64) {
        match place.value.and_then(Value::as_u64) {
            Some(count) if (least..=u64::from(u32::MAX)).contains(&count) => {}
            Some(count) => self.say(&place.at, format!("is {count}, not between {least} and {}", u32::MAX)),
            None => self.say(&place.at, expected("a whole number", place.value)),
        }
    }

    /// Reads what was found in order, so that what passes here is what the types hold.
    ///
    /// # Errors
    ///
    /// Lists every fault.
    pub fn read<T: serde::de::DeserializeOwned>(self, value: &Value) -> Result<T, Vec<Violation>> {
        if !self.found.is_empty() {
            return Err(self.found);
        }
        serde_json::from_value(value.clone()).map_err(|error| vec![Violation::new("", error.to_string())])
    }
}

/// Says what stands where something else is expected.
pub fn expected(what: &str, value: Option<&Value>) -> String {
    let found = match value {
        None => return format!("is missing; {what} is expected"),
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "true or false",
        Some(Value::Number(_)) => "another number",
        Some(Value::String(_)) => "a string",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    };
    format!("is {found} where {what} is expected")
}

/// Reads JSON in which every key stands once.
///
/// # Errors
///
/// Says that the text is too long or no such JSON.
pub fn parse(text: &str, bytes_max: usize) -> Result<Value, Vec<Violation>> {
    let whole = |message: String| vec![Violation { at: String::new(), message }];
    if text.len() > bytes_max {
        return Err(whole(format!("the document has {} bytes, more than {bytes_max}", text.len())));
    }
    let Unambiguous(value) =
        serde_json::from_str(text).map_err(|error| whole(format!("the document is no JSON: {error}")))?;
    Ok(value)
}
