//! The shape in which courts hand their results to programs.
//!
//! A copy made for the outside, with a version of its own: what the courts work with may change
//! without it. Fields are added, never renamed or removed, while [`VERSION`] stays the same.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::court::review::ReviewRecord;
use crate::court::stop::{EVIDENCE_JUDGE, StopRecord};
use crate::evidence::Fingerprint;
use crate::exec_report::ExecReport;
use crate::finding::Finding;
use crate::opinion::{JudgeRecord, Opinion};
use crate::ruling::{Outcome, Ruling, Unjudged};
use crate::verdict::{ReviewVerdict, StopVerdict};

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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<V>,
    /// What the evidence shows.
    pub findings: Vec<Finding>,
    /// Who judged. The evidence judge comes first.
    pub judges: Vec<JudgeRecord>,
    /// The state of the work tree that was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
}

impl<V> Envelope<V> {
    fn new<O>(court: &str, ruling: &Ruling<V>, findings: &[Finding], opinions: &[Opinion<O>]) -> Self
    where
        V: Clone,
    {
        let mut judges = vec![JudgeRecord { id: EVIDENCE_JUDGE.to_owned(), ..JudgeRecord::default() }];
        judges.extend(opinions.iter().map(|opinion| opinion.judge.clone()));
        Self {
            assize: VERSION,
            court: court.to_owned(),
            outcome: ruling.outcome,
            unjudged: ruling.unjudged.clone(),
            verdict: ruling.verdict.clone(),
            findings: findings.to_vec(),
            judges,
            fingerprint: None,
        }
    }
}

impl Envelope<StopVerdict> {
    /// Puts a ruling of the stop court into its outer shape.
    pub fn of_stop(record: &StopRecord) -> Self {
        let inputs = &record.inputs;
        Self {
            fingerprint: inputs.evidence.as_ref().map(|evidence| evidence.fingerprint.clone()),
            ..Self::new("stop", &record.decision.ruling, &inputs.findings, &inputs.opinions)
        }
    }
}

/// The result of the review court, with what its gates found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
