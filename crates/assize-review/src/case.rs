//! What is before the review court: the change, the policy, and everything that a ruling depends on.

use crate::verdict::ReviewVerdict;
use assize_core::finding::BlockOn;
use assize_core::finding::Finding;
use assize_core::gathered::Fingerprint;
use assize_core::opinion::{Opinion, PanelRule};
use assize_core::prompt::DiffBudget;
use assize_core::text::Untrusted;
use assize_gate::exec_report::ExecReport;
use assize_gate::gate::Dimension;
use assize_gate::test_policy::WritableScope;
use serde::{Deserialize, Serialize};

/// The policy of the review court.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ReviewPolicy {
    /// How several judges become one.
    pub panel: PanelRule,
    /// How much of a change judges are shown.
    pub diff_budget: DiffBudget,
    /// The least certainty at which a finding blocks without a judge.
    pub block_on: BlockOn,
    /// Dimensions of which something has to be known before a change of code is accepted.
    pub require: Vec<Dimension>,
    /// When a change may rewrite tests of the base that fail with its code.
    pub adapted_tests: AdaptedTests,
}

/// When a change may rewrite tests of the base that fail with its code, apart from those that the specification opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AdaptedTests {
    /// Where there is no specification: what the change does is then what is wanted.
    #[default]
    WithoutSpecification,
    /// Never.
    Never,
}

impl AdaptedTests {
    /// Returns whether a change without a specification may do so.
    pub fn is_allowed(self) -> bool {
        self == Self::WithoutSpecification
    }
}

impl Default for ReviewPolicy {
    fn default() -> Self {
        Self {
            panel: PanelRule::default(),
            diff_budget: DiffBudget::default(),
            block_on: BlockOn::default(),
            require: vec![Dimension::TestsFunctional],
            adapted_tests: AdaptedTests::default(),
        }
    }
}

/// How much of the tree is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ReviewScope {
    /// What the change brings.
    #[default]
    Change,
    /// Everything, as if nothing had been there before.
    Everything,
}

/// One change before the court.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewCase {
    /// What was asked for.
    pub specification: Untrusted<String>,
    /// The commit that the change is measured from; `None` where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// How much of the tree is judged.
    #[serde(default)]
    pub scope: ReviewScope,
    /// The tests and settings that the specification asks to change.
    #[serde(default)]
    pub opened: WritableScope,
    /// What the author says of the change: a claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Untrusted<String>>,
}

/// One file of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatchedFile {
    /// Where it is.
    pub path: String,
    /// Lines that came.
    pub added: usize,
    /// Lines that went.
    pub removed: usize,
    /// Whether the change removes the file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
    /// Whether the tests of the base ran with this file as the base has it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
}

/// Everything that a ruling depends on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewInputs {
    /// The change.
    pub case: ReviewCase,
    /// The policy that was in force.
    pub policy: ReviewPolicy,
    /// The files that changed.
    pub patch_summary: Vec<PatchedFile>,
    /// The state of the tree that was judged.
    pub fingerprint: Fingerprint,
    /// What the gates found.
    pub exec: ExecReport,
    /// What rules and built-in gates found.
    pub findings: Vec<Finding>,
    /// Dimensions that a built-in gate has looked at.
    pub looked_at: Vec<Dimension>,
    /// Parts of the evidence that could not be gathered, and why. If there are any, the court cannot accept the change.
    pub missing: Vec<String>,
    /// What was left out, and why.
    pub limits: Vec<String>,
    /// The opinions of the judges; empty when the evidence alone decided or no judge is configured.
    pub opinions: Vec<Opinion<ReviewVerdict>>,
}
