//! The shape in which courts hand their results to programs.
//!
//! A copy made for the outside, with a version of its own: what the courts work with may change
//! without it. Fields are added, never renamed or removed, while [`VERSION`] stays the same.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::court::stop::{EVIDENCE_JUDGE, StopRecord};
use crate::evidence::Fingerprint;
use crate::finding::Finding;
use crate::opinion::JudgeRecord;
use crate::ruling::{Outcome, Unjudged};
use crate::verdict::StopVerdict;

/// The version that every document carries in its field `assize`.
pub const VERSION: u32 = 1;

/// The result of a court. `V` is the court's own verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Envelope<V> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The court.
    pub court: String,
    /// What the court ruled.
    pub outcome: Outcome,
    /// Why nothing was judged, when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unjudged: Option<Unjudged>,
    /// The verdict; absent when nothing was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<V>,
    /// What the evidence shows.
    pub findings: Vec<Finding>,
    /// Who judged. The evidence judge comes first.
    pub judges: Vec<JudgeRecord>,
    /// The state of the work tree that was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
}

impl Envelope<StopVerdict> {
    /// Puts a ruling of the stop court into its outer shape.
    pub fn of_stop(record: &StopRecord) -> Self {
        let ruling = &record.decision.ruling;
        let mut judges = vec![JudgeRecord { id: EVIDENCE_JUDGE.to_owned(), ..JudgeRecord::default() }];
        judges.extend(record.inputs.opinions.iter().map(|opinion| opinion.judge.clone()));
        Self {
            assize: VERSION,
            court: "stop".to_owned(),
            outcome: ruling.outcome,
            unjudged: ruling.unjudged.clone(),
            verdict: ruling.verdict.clone(),
            findings: record.inputs.findings.clone(),
            judges,
            fingerprint: record.inputs.evidence.as_ref().map(|evidence| evidence.fingerprint.clone()),
        }
    }
}
