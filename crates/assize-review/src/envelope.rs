//! The result of the review court as programs read it.

use assize_core::envelope::{Envelope, VERSION};
use assize_core::finding::Finding;
use assize_gate::exec_report::ExecReport;
use serde::{Deserialize, Serialize};

use crate::case::ReviewInputs;
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

/// What `assize gates` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GatesEnvelope<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// What the gates found.
    pub exec: &'a ExecReport,
    /// What was found without running anything.
    pub findings: &'a [Finding],
    /// Parts of the evidence that could not be gathered, and why.
    pub missing: &'a [String],
    /// What was left out, and why.
    pub limits: &'a [String],
}

impl<'a> GatesEnvelope<'a> {
    /// Makes the document of what the gates found.
    pub fn of(inputs: &'a ReviewInputs) -> Self {
        let ReviewInputs { exec, findings, missing, limits, .. } = inputs;
        Self { assize: VERSION, exec, findings, missing, limits }
    }
}
