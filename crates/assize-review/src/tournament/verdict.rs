//! The verdict of a judge that compares two candidates.

use assize_core::verdict::{Verdict, check_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most characters of a reason.
pub const PAIR_REASON_CHARS_MAX: usize = 4_000;
/// Characters of a reason that a judge is asked for at most.
const REASON_CHARS_ASKED: usize = 400;

/// Which of two candidates is better, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PairVerdict {
    /// Why: what tells them apart.
    pub reason: String,
    /// The better one.
    pub choice: PairChoice,
}

/// The better one of two candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PairChoice {
    /// The one that was shown first.
    First,
    /// The one that was shown second.
    Second,
    /// Neither.
    Tie,
}

impl Verdict for PairVerdict {
    const NAME: &'static str = "pair_verdict";
    const MARK: &'static str = "choice";

    fn schema() -> serde_json::Value {
        let mut schema: serde_json::Value = schemars::schema_for!(Self).into();
        schema["properties"]["reason"]["maxLength"] = REASON_CHARS_ASKED.into();
        schema
    }

    fn check(&self) -> Result<(), String> {
        check_text("reason", &self.reason, PAIR_REASON_CHARS_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::verdict::{Payload, Reply, StopReason, read};

    #[test]
    fn a_choice_comes_with_a_reason() {
        let of = |text: &str| {
            let reply = Reply { payload: Payload::Text(text.to_owned()), stop: StopReason::Complete };
            read::<PairVerdict>(&reply, &[]).map(|verdict| verdict.choice).ok()
        };
        let long = "x".repeat(PAIR_REASON_CHARS_MAX);
        assert_eq!(of(r#"{"reason":"It handles the empty list.","choice":"second"}"#), Some(PairChoice::Second));
        assert_eq!(of(r#"{"reason":"…","choice":"second"}"#), None);
        assert_eq!(of(r#"{"reason":"Both.","choice":"both"}"#), None);
        assert_eq!(of(&format!(r#"{{"reason":"{long}","choice":"tie"}}"#)), Some(PairChoice::Tie));
        assert_eq!(of(&format!(r#"{{"reason":"{long}x","choice":"tie"}}"#)), None);
    }
}
