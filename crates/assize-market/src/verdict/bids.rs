//! The verdict of a judge that reads bids: how well each is made, and how elegant it is.

use std::collections::BTreeSet;

use assize_core::verdict::{Verdict, check_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most characters of a reason.
pub const BID_REASON_CHARS_MAX: usize = 2_000;
/// Characters of a reason that a judge is asked for at most.
const REASON_CHARS_ASKED: usize = 400;

/// What a judge says of bids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BidsVerdict {
    /// Each bid once.
    pub bids: Vec<JudgedBid>,
}

/// What a judge says of one bid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgedBid {
    /// What it was called: `proposal_1`.
    pub proposal_id: String,
    /// Whether it fits what is there, keeps parts apart, and can be maintained.
    pub technical_quality: JudgedScore,
    /// Whether it is novel or elegant, and simpler than what is obvious.
    pub innovation: JudgedScore,
}

/// A score with its reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgedScore {
    /// Why.
    pub reason: String,
    /// From 0 to 1.
    pub score: f64,
}

impl Verdict for BidsVerdict {
    const NAME: &'static str = "bids_verdict";
    const MARK: &'static str = "technical_quality";

    fn schema() -> serde_json::Value {
        let mut schema: serde_json::Value = schemars::schema_for!(Self).into();
        let score = &mut schema["$defs"]["JudgedScore"]["properties"];
        score["reason"]["maxLength"] = REASON_CHARS_ASKED.into();
        score["score"]["minimum"] = 0.into();
        score["score"]["maximum"] = 1.into();
        schema
    }

    fn check(&self) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        for JudgedBid { proposal_id, technical_quality, innovation } in &self.bids {
            if !seen.insert(proposal_id) {
                return Err(format!("`{proposal_id}` is judged twice"));
            }
            for (name, JudgedScore { reason, score }) in
                [("technical_quality", technical_quality), ("innovation", innovation)]
            {
                check_text("reason", reason, BID_REASON_CHARS_MAX)?;
                if !(0.0..=1.0).contains(score) {
                    return Err(format!("`{name}` is {score}, not between 0 and 1"));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::verdict::{Payload, Reply, StopReason, read};

    #[test]
    fn every_score_has_a_reason_and_lies_in_its_range() {
        let text = |score: &str, reason: &str, again: bool| {
            let one = format!(
                r#"{{"proposal_id":"proposal_1","technical_quality":{{"reason":"{reason}","score":{score}}},"innovation":{{"reason":"Plain.","score":0.5}}}}"#
            );
            let twice = if again { format!(",{one}") } else { String::new() };
            format!(r#"{{"bids":[{one}{twice}]}}"#)
        };
        let is_read = |text: String| {
            let reply = Reply { payload: Payload::Text(text), stop: StopReason::Complete };
            read::<BidsVerdict>(&reply, &[]).is_ok()
        };
        let long = "x".repeat(BID_REASON_CHARS_MAX);
        assert!(is_read(text("0.5", "It fits.", false)) && is_read(text("1.0", &long, false)));
        assert!(!is_read(text("1.01", "It fits.", false)) && !is_read(text("-0.1", "It fits.", false)));
        assert!(!is_read(text("0.5", "…", false)) && !is_read(text("0.5", &format!("{long}x"), false)));
        assert!(!is_read(text("0.5", "It fits.", true)), "judged twice");
    }
}
