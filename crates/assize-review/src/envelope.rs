//! The result of the review court as programs read it.

use assize_core::envelope::Envelope;
use assize_gate::exec_report::ExecReport;
use serde::{Deserialize, Serialize};

use crate::court::ReviewRecord;
use crate::verdict::ReviewVerdict;

/// The result of the review court, with what its gates found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewEnvelope {
    /// What every court says.
    #[serde(flatten)]
    pub envelope: Envelope<ReviewVerdict>,
    /// The commit that the change was measured from; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// What the gates found.
    pub exec: ExecReport,
    /// What was left out, and why.
    #[serde(default)]
    pub limits: Vec<String>,
}

impl ReviewEnvelope {
    /// Puts a ruling of the review court into its outer shape.
    pub fn of(record: &ReviewRecord) -> Self {
        let inputs = &record.inputs;
        let envelope = Envelope {
            fingerprint: Some(inputs.fingerprint.clone()),
            ..Envelope::new("review", &record.ruling, &inputs.findings, &inputs.opinions)
        };
        Self { envelope, base: inputs.case.base.clone(), exec: inputs.exec.clone(), limits: inputs.limits.clone() }
    }
}
