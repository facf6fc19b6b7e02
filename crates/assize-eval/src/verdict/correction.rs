//! What a corrector answers: new values for fields of a record.

use std::collections::HashSet;

use assize_core::verdict::{Verdict, at_most, check_text, forbidden, too_many};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::record::correction::FieldChange;

/// Most fields that one correction changes.
pub const CHANGES_MAX: usize = 100;
/// Most characters of a new value.
pub const VALUE_CHARS_MAX: usize = 100_000;
/// Most characters of the summary.
const SUMMARY_CHARS_MAX: usize = 4_000;
/// Characters of the summary that a corrector is asked for at most.
const SUMMARY_CHARS_ASKED: usize = 600;

/// How a record is to be corrected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordCorrection {
    /// The fields that get a new value; none where the record cannot be corrected.
    pub changes: Vec<FieldChange>,
    /// What was changed, or why nothing can be.
    pub summary: String,
}

impl Verdict for RecordCorrection {
    const NAME: &'static str = "record_correction";
    const MARK: &'static str = "changes";

    fn schema() -> Value {
        let mut schema: Value = schemars::schema_for!(Self).into();
        schema["properties"]["summary"]["maxLength"] = SUMMARY_CHARS_ASKED.into();
        schema["properties"]["changes"]["maxItems"] = CHANGES_MAX.into();
        schema
    }

    fn check(&self) -> Result<(), String> {
        at_most("changes", self.changes.len(), CHANGES_MAX)?;
        check_text("summary", &self.summary, SUMMARY_CHARS_MAX)?;
        let mut fields = HashSet::new();
        for FieldChange { field, value } in &self.changes {
            if !fields.insert(field) {
                return Err(format!("`{field}` is changed twice"));
            }
            if let Some(fault) = too_many(value.chars().count(), VALUE_CHARS_MAX) {
                return Err(format!("the value of `{field}` {fault}"));
            }
            if let Some(character) = forbidden(value) {
                return Err(format!("the value of `{field}` contains the character U+{:04X}", character as u32));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::verdict::{Payload, Reply, StopReason, read};
    use serde_json::json;

    fn verdict_parser(reply: &Value) -> Result<RecordCorrection, String> {
        let reply = Reply { payload: Payload::Structured(reply.to_string()), stop: StopReason::Complete };
        read(&reply, &[]).map_err(|unjudged| unjudged.detail)
    }

    #[test]
    fn a_correction_is_parsed_or_rejected_with_a_reason() {
        let change = |field: &str, value: &str| json!({"field": field, "value": value});
        let of = |changes: Vec<Value>| json!({"changes": changes, "summary": "The first step turns the power off."});
        let many = |count: usize| of((0..count).map(|at| change(&format!("f{at}"), "x")).collect());
        for (reply, says) in [
            (of(vec![change("steps", "[]"), change("tip", "")]), ""),
            (of(vec![]), ""),
            (many(CHANGES_MAX), ""),
            (many(CHANGES_MAX + 1), "101 where 100 is the most"),
            (of(vec![change("a", &"x".repeat(VALUE_CHARS_MAX))]), ""),
            (of(vec![change("a", &"x".repeat(VALUE_CHARS_MAX + 1))]), "the value of `a` has 100001"),
            (of(vec![change("a", "x"), change("a", "y")]), "`a` is changed twice"),
            (of(vec![change("a", "x\u{e0041}")]), "U+E0041"),
            (json!({"changes": [], "summary": "..."}), "`summary` has no words"),
            (json!({"changes": []}), "missing field `summary`"),
            (json!({"changes": [], "summary": "None.", "pass": true}), "unknown field"),
        ] {
            let read = verdict_parser(&reply);
            let error = read.as_ref().err().map_or("", String::as_str);
            assert!(error.contains(says) && error.is_empty() == says.is_empty(), "{says}: {error}");
        }
    }
}
