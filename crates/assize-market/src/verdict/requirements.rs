//! The verdict of a judge that reads an issue: what has to be done for each box, and what the project demands besides.

use std::collections::BTreeSet;

use assize_core::verdict::{Verdict, at_most, check_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most characters of a component, a demand or a reason.
pub const DEMAND_CHARS_MAX: usize = 1_000;
/// Most components of a box, and most demands of the project.
pub const DEMANDS_MAX: usize = 30;

/// What a judge reads out of an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequirementsVerdict {
    /// Each open box once.
    pub explicit_requirements: Vec<ReadBox>,
    /// What the project demands of this work without a box saying so.
    pub implicit_requirements: Vec<ReadDemand>,
}

/// What has to be done for a box.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadBox {
    /// The box: `req_1`.
    pub id: String,
    /// What has to be done for it, one by one.
    pub components: Vec<String>,
}

/// What the project demands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadDemand {
    /// What it demands of this work.
    pub text: String,
    /// The sentence of the guidelines, or of the issue, that it follows from.
    pub reasoning: String,
}

impl Verdict for RequirementsVerdict {
    const NAME: &'static str = "requirements";
    const MARK: &'static str = "implicit_requirements";

    fn schema() -> serde_json::Value {
        let mut schema: serde_json::Value = schemars::schema_for!(Self).into();
        schema["properties"]["implicit_requirements"]["maxItems"] = DEMANDS_MAX.into();
        let components = &mut schema["$defs"]["ReadBox"]["properties"]["components"];
        components["minItems"] = 1.into();
        components["maxItems"] = DEMANDS_MAX.into();
        schema
    }

    fn check(&self) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        for found in &self.explicit_requirements {
            if !seen.insert(&found.id) {
                return Err(format!("`{}` is read twice", found.id));
            }
            if found.components.is_empty() {
                return Err(format!("`{}` has no component", found.id));
            }
            at_most("components", found.components.len(), DEMANDS_MAX)?;
            found.components.iter().try_for_each(|text| check_text("components", text, DEMAND_CHARS_MAX))?;
        }
        at_most("implicit_requirements", self.implicit_requirements.len(), DEMANDS_MAX)?;
        for demand in &self.implicit_requirements {
            check_text("text", &demand.text, DEMAND_CHARS_MAX)?;
            check_text("reasoning", &demand.reasoning, DEMAND_CHARS_MAX)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::verdict::{Payload, Reply, StopReason, read};

    #[test]
    fn what_is_read_has_limits_on_both_sides() {
        let is_read = |components: &[String], again: bool, demands: usize| {
            let one = ReadBox { id: "req_1".to_owned(), components: components.to_vec() };
            let demand = ReadDemand { text: "Test it.".to_owned(), reasoning: "`CLAUDE.md` says so.".to_owned() };
            let verdict = RequirementsVerdict {
                explicit_requirements: vec![one; if again { 2 } else { 1 }],
                implicit_requirements: vec![demand; demands],
            };
            let text = serde_json::to_string(&verdict).expect("JSON");
            read::<RequirementsVerdict>(&Reply { payload: Payload::Text(text), stop: StopReason::Complete }, &[])
                .is_ok()
        };
        let one = ["Add it".to_owned()];
        assert!(
            is_read(&one, false, 0)
                && is_read(&one, false, DEMANDS_MAX)
                && is_read(&vec![one[0].clone(); 30], false, 1)
        );
        assert!(!is_read(&[], false, 0) && !is_read(&one, true, 0) && !is_read(&one, false, DEMANDS_MAX + 1));
        assert!(!is_read(&vec![one[0].clone(); 31], false, 0));
        let long = |chars: usize| ["x".repeat(chars)];
        assert!(is_read(&long(DEMAND_CHARS_MAX), false, 0) && !is_read(&long(DEMAND_CHARS_MAX + 1), false, 0));
    }
}
