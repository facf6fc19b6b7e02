//! A fault of a document that a user or a program handed in.
//!
//! Verdicts, patches and plans are checked whole, so that their author sees every fault at once.

use std::fmt;

use serde::Serialize;

/// A fault of a document, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Violation {
    /// The place, such as `scores.types` or `ops[3].find`; empty for the document as a whole.
    pub at: String,
    /// What is wrong.
    pub message: String,
}

impl Violation {
    /// Returns a fault at a place.
    pub fn new(at: impl Into<String>, message: impl Into<String>) -> Self {
        Self { at: at.into(), message: message.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at.as_str() {
            "" => formatter.write_str(&self.message),
            at => write!(formatter, "{at}: {}", self.message),
        }
    }
}
