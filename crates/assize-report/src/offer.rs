//! The fix that a tool itself offers for a fault that it found.
//!
//! Every tool counts places in its own way, and only the source shows what they mean. So a place is kept as the tool
//! gave it, with its unit. `fix::mechanical` of the crate `assize-review` looks it up. This module must not know any
//! tool.

use serde::{Deserialize, Serialize};

/// Most edits of one offer; one that has more is not kept.
pub const OFFER_EDITS_MAX: usize = 100;
/// Most bytes that the paths and texts of one offer may have together; one that has more is not kept.
pub const OFFER_BYTES_MAX: usize = 16 * 1024;

/// Edits that fix a fault together, and that the tool calls safe. Either all of them are applied or none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Offer {
    /// The edits, all of them meant in the files as the tool saw them.
    pub edits: Vec<OfferedEdit>,
}

/// One edit of an offer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferedEdit {
    /// The file as the tool names it, made relative to the root of the tree where that is possible.
    pub path: String,
    /// Where what goes begins.
    pub start: Position,
    /// Where it ends; the same place if nothing goes.
    pub end: Position,
    /// The text that takes its place.
    pub replacement: String,
}

/// A place in a file, in the unit of the tool that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Position {
    /// Bytes before it, those of a byte order mark among them.
    Byte(u32),
    /// UTF-16 code units before it, without a byte order mark.
    Utf16(u32),
    /// A line and a character of it, both counted from 1, a byte order mark left out. A lone carriage return ends a
    /// line as well.
    Character {
        /// The line.
        line: u32,
        /// The character, in Unicode scalar values.
        column: u32,
    },
}

impl Offer {
    /// Makes an offer; `None` where there is nothing in it, or more than is kept.
    pub fn of(edits: Vec<OfferedEdit>) -> Option<Self> {
        let bytes: usize = edits.iter().map(|edit| edit.path.len() + edit.replacement.len()).sum();
        let is_kept = (1..=OFFER_EDITS_MAX).contains(&edits.len()) && bytes <= OFFER_BYTES_MAX;
        is_kept.then_some(Self { edits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Diagnostic;

    #[test]
    fn offers_are_kept_up_to_their_limits() {
        let edit = |bytes: usize| OfferedEdit {
            path: "a".to_owned(),
            start: Position::Byte(0),
            end: Position::Byte(0),
            replacement: "x".repeat(bytes - 1),
        };
        for (edits, bytes, kept) in [
            (0, 1, false),
            (1, 1, true),
            (OFFER_EDITS_MAX, 1, true),
            (OFFER_EDITS_MAX + 1, 1, false),
            (1, OFFER_BYTES_MAX, true),
            (1, OFFER_BYTES_MAX + 1, false),
            (2, OFFER_BYTES_MAX / 2, true),
            (2, OFFER_BYTES_MAX / 2 + 1, false),
        ] {
            assert_eq!(Offer::of(vec![edit(bytes); edits]).is_some(), kept, "{edits} edits of {bytes} bytes");
        }
    }

    #[test]
    fn a_fault_that_was_recorded_without_an_offer_has_none() {
        let text = r#"{"code":"c","severity":"error","message":"m"}"#;
        let fault: Diagnostic = serde_json::from_str(text).unwrap();
        assert_eq!(fault.offer, None);
        assert_eq!(serde_json::to_string(&fault).unwrap(), text);
    }

    #[test]
    fn a_place_says_its_unit() {
        for (position, text) in [
            (Position::Byte(7), r#"{"byte":7}"#),
            (Position::Utf16(7), r#"{"utf16":7}"#),
            (Position::Character { line: 1, column: 2 }, r#"{"character":{"line":1,"column":2}}"#),
        ] {
            assert_eq!(serde_json::to_string(&position).unwrap(), text);
            assert_eq!(serde_json::from_str::<Position>(text).unwrap(), position);
        }
    }
}
