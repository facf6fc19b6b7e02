//! The verdict of a judge that looks whether what was asked for is done, box by box.

use std::collections::BTreeSet;

use assize_core::verdict::{Verdict, check_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most characters of a reason.
pub const BOX_REASON_CHARS_MAX: usize = 2_000;
/// Characters of a reason that a judge is asked for at most.
const REASON_CHARS_ASKED: usize = 400;

/// What a judge says of boxes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxesVerdict {
    /// Each box once.
    pub boxes: Vec<BoxOpinion>,
}

/// What a judge says of one box.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxOpinion {
    /// The requirement: `req_1`.
    pub id: String,
    /// What shows that it is done, or what is missing.
    pub reason: String,
    /// The changed file in which it is done; nothing where it is not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether all of it is done.
    pub met: bool,
}

impl Verdict for BoxesVerdict {
    const NAME: &'static str = "boxes_verdict";
    const MARK: &'static str = "met";

    fn schema() -> serde_json::Value {
        let mut schema: serde_json::Value = schemars::schema_for!(Self).into();
        schema["$defs"]["BoxOpinion"]["properties"]["reason"]["maxLength"] = REASON_CHARS_ASKED.into();
        schema
    }

    fn check(&self) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        for found in &self.boxes {
            if !seen.insert(&found.id) {
                return Err(format!("`{}` is judged twice", found.id));
            }
            check_text("reason", &found.reason, BOX_REASON_CHARS_MAX)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::verdict::{Payload, Reply, StopReason, read};

    #[test]
    fn every_box_is_judged_once_and_with_a_reason() {
        let is_read = |boxes: &str| {
            let reply =
                Reply { payload: Payload::Text(format!(r#"{{"boxes":[{boxes}]}}"#)), stop: StopReason::Complete };
            read::<BoxesVerdict>(&reply, &[]).is_ok()
        };
        let met = r#"{"id":"req_1","reason":"It mints a token.","path":"auth.py","met":true}"#;
        let missing = r#"{"id":"req_2","reason":"There is none.","met":false}"#;
        assert!(is_read(met) && is_read(&format!("{met},{missing}")));
        assert!(!is_read(&format!("{met},{met}")) && !is_read(&met.replace("It mints a token.", "…")));
        let long = |chars: usize| met.replace("It mints a token.", &"x".repeat(chars));
        assert!(is_read(&long(BOX_REASON_CHARS_MAX)) && !is_read(&long(BOX_REASON_CHARS_MAX + 1)));
    }
}
