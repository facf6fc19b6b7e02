//! The shape in which courts hand their results to programs.
//!
//! A copy made for the outside, with a version of its own: what the courts work with may change
//! without it. Fields are added, never renamed or removed, while [`VERSION`] stays the same.

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::gathered::Fingerprint;
use crate::opinion::{EVIDENCE_JUDGE, JudgeRecord, Opinion};
use crate::ruling::{Outcome, Ruling, Unjudged};

/// The version that every document carries in its field `assize`.
pub const VERSION: u32 = 1;

/// The result of a court. `V` is the court's own verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Puts a ruling into its outer shape. The evidence judge comes first, then the judges that gave an opinion.
    pub fn new<O>(court: &str, ruling: &Ruling<V>, findings: &[Finding], opinions: &[Opinion<O>]) -> Self
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
