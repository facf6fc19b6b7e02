//! A verdict for the tests of the parser. It has every kind of field that the courts' verdicts have.

use serde::{Deserialize, Serialize};

use crate::tree_paths::{AtPath, TreePaths};

use super::{Verdict, at_most, check_text};

/// Most items, and most characters of a text.
const ITEMS_MAX: usize = 50;
const CHARS_MAX: usize = 4_000;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SampleVerdict {
    pub pass: bool,
    pub reason: String,
    pub missing_items: Vec<String>,
    pub questions_for_user: Vec<String>,
    pub forward_progress: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub convergence_estimate: Option<f64>,
    pub suggested_next_steps: Vec<String>,
}

impl Verdict for SampleVerdict {
    const NAME: &'static str = "sample_verdict";
    const MARK: &'static str = "pass";

    fn schema() -> serde_json::Value {
        serde_json::json!({})
    }

    fn check(&self) -> Result<(), String> {
        check_text("reason", &self.reason, CHARS_MAX)?;
        at_most("missingItems", self.missing_items.len(), ITEMS_MAX)?;
        match self.convergence_estimate {
            Some(estimate) if !(0.0..=1.0).contains(&estimate) || estimate.is_sign_negative() => {
                Err(format!("`convergenceEstimate` is {estimate}, not between 0 and 1"))
            }
            _ if self.pass && !self.missing_items.is_empty() => {
                Err("`pass` is true although `missingItems` is not empty".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn check_files(&self, tree: &TreePaths) -> Result<(), String> {
        let missing = self.missing_items.iter().find(|item| tree.at(item) != AtPath::File);
        missing.map_or(Ok(()), |item| Err(format!("`missingItems` names {item:?}, which does not exist")))
    }
}
