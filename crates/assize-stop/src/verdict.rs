//! The verdict of the stop court.

use assize_core::verdict::{Verdict, at_most, check_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Most characters of a reason.
pub const REASON_CHARS_MAX: usize = 4_000;
/// Most items of a list.
pub const ITEMS_MAX: usize = 50;
/// Most characters of an item.
pub const ITEM_CHARS_MAX: usize = 1_000;

/// Characters of a reason that a judge is asked for at most.
pub const REASON_CHARS_ASKED: usize = 500;
/// Items of a list that a judge is asked for at most.
pub const ITEMS_ASKED: usize = 6;
/// Characters of an item that a judge is asked for at most.
pub const ITEM_CHARS_ASKED: usize = 200;

/// Whether the agent may stop, and what it would have to do otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopVerdict {
    /// Whether everything that was asked for is done, as the evidence shows it.
    pub pass: bool,
    /// Why, in one to three sentences.
    #[schemars(length(min = 1, max = REASON_CHARS_MAX))]
    pub reason: String,
    /// What is missing, one item each; empty for a pass.
    #[schemars(length(max = ITEMS_MAX), inner(length(max = ITEM_CHARS_MAX)))]
    pub missing_items: Vec<String>,
    /// Questions that only the user can answer.
    #[schemars(length(max = ITEMS_MAX), inner(length(max = ITEM_CHARS_MAX)))]
    pub questions_for_user: Vec<String>,
    /// Whether the work came closer to its goal since the last stop.
    pub forward_progress: bool,
    /// How much of the work is done, from 0 (nothing) to 1 (everything).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub convergence_estimate: Option<f64>,
    /// What the agent should do next, one step each.
    #[schemars(length(max = ITEMS_MAX), inner(length(max = ITEM_CHARS_MAX)))]
    pub suggested_next_steps: Vec<String>,
}

impl Verdict for StopVerdict {
    const NAME: &'static str = "stop_verdict";
    const MARK: &'static str = "pass";

    /// Asks for less than is accepted: small models fill whatever they are given, up to their
    /// token limit, and a reply that is cut says nothing. The estimate is asked for in tenths,
    /// since not every server keeps a number within a range.
    fn schema() -> serde_json::Value {
        let mut schema: serde_json::Value = schemars::schema_for!(Self).into();
        let Some(fields) = schema["properties"].as_object_mut() else { return schema };
        for (name, field) in fields {
            match name.as_str() {
                "reason" => field["maxLength"] = json!(REASON_CHARS_ASKED),
                "convergenceEstimate" => {
                    field["enum"] = json!([null, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
                }
                _ if field["type"] == "array" => {
                    field["maxItems"] = json!(ITEMS_ASKED);
                    field["items"]["maxLength"] = json!(ITEM_CHARS_ASKED);
                }
                _ => {}
            }
        }
        schema
    }

    fn check(&self) -> Result<(), String> {
        check_text("reason", &self.reason, REASON_CHARS_MAX)?;
        for (name, items) in [
            ("missingItems", &self.missing_items),
            ("questionsForUser", &self.questions_for_user),
            ("suggestedNextSteps", &self.suggested_next_steps),
        ] {
            at_most(name, items.len(), ITEMS_MAX)?;
            items.iter().try_for_each(|item| check_text(name, item, ITEM_CHARS_MAX))?;
        }
        if let Some(estimate) = self.convergence_estimate
            && (!(0.0..=1.0).contains(&estimate) || estimate.is_sign_negative())
        {
            return Err(format!("`convergenceEstimate` is {estimate}, not between 0 and 1"));
        }
        if self.pass && !self.missing_items.is_empty() {
            return Err("`pass` is true although `missingItems` is not empty".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(change: impl FnOnce(&mut StopVerdict)) -> Result<(), String> {
        let mut verdict = StopVerdict {
            pass: false,
            reason: "r".to_owned(),
            missing_items: vec!["m".to_owned()],
            questions_for_user: Vec::new(),
            forward_progress: false,
            convergence_estimate: Some(1.0),
            suggested_next_steps: Vec::new(),
        };
        change(&mut verdict);
        verdict.check()
    }

    #[test]
    fn every_limit_holds_at_the_limit_and_one_past_it() {
        assert_eq!(verdict(|v| v.reason = "x".repeat(REASON_CHARS_MAX)), Ok(()));
        assert!(verdict(|v| v.reason = "x".repeat(REASON_CHARS_MAX + 1)).is_err());
        assert_eq!(verdict(|v| v.missing_items = vec!["x".into(); ITEMS_MAX]), Ok(()));
        assert!(verdict(|v| v.missing_items = vec!["x".into(); ITEMS_MAX + 1]).is_err());
        assert_eq!(verdict(|v| v.missing_items = vec!["é".repeat(ITEM_CHARS_MAX)]), Ok(()));
        assert!(verdict(|v| v.missing_items = vec!["é".repeat(ITEM_CHARS_MAX + 1)]).is_err());
        assert_eq!(verdict(|v| v.convergence_estimate = Some(0.0)), Ok(()));
        for estimate in [-0.0, -0.001, 1.001, f64::NAN, f64::INFINITY] {
            assert!(verdict(|v| v.convergence_estimate = Some(estimate)).is_err(), "{estimate}");
        }
    }

    #[test]
    fn judges_are_asked_for_the_verdict_before_its_reasons_and_for_no_more_than_is_accepted() {
        let schema = StopVerdict::schema();
        let fields: Vec<&str> = schema["properties"].as_object().expect("fields").keys().map(String::as_str).collect();
        assert_eq!(fields[..3], ["pass", "reason", "missingItems"]);
        assert_eq!(schema["properties"]["missingItems"]["maxItems"], ITEMS_ASKED);
        const {
            assert!(
                REASON_CHARS_ASKED <= REASON_CHARS_MAX
                    && ITEMS_ASKED <= ITEMS_MAX
                    && ITEM_CHARS_ASKED <= ITEM_CHARS_MAX
            );
        };
    }

    #[test]
    fn parts_must_not_contradict_each_other() {
        assert!(verdict(|v| v.pass = true).is_err());
        assert!(verdict(|v| v.reason = "  ".to_owned()).is_err());
        assert!(verdict(|v| v.suggested_next_steps = vec![" ".to_owned()]).is_err());
    }
}
