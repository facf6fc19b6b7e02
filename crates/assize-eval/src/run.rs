//! What the ledger keeps of a run over a data set, or of its correction: by what, by whom, at what price, and what came of it.
//!
//! Not each ruling: those follow from the records, the rubric and the replies, which are kept beside the ledger, and stand in the
//! results. What a run asked for must not be known here.

use assize_core::opinion::PanelRule;
use assize_core::ruling::Outcome;
use serde::{Deserialize, Serialize};

use crate::court::RubricRef;
use crate::judge_evaluation::correct::CorrectionCounts;
use crate::judge_evaluation::tally::ModeTally;

/// A run over a data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunRecord {
    /// What it was judged by.
    pub rubric: RubricRef,
    /// The hash of all records, in their order.
    pub data: String,
    /// Who was asked.
    pub judges: Vec<SeatedJudge>,
    /// How often each was asked about a record.
    pub repeats: u32,
    /// How their opinions became one.
    pub panel: PanelRule,
    /// Calls that were made.
    pub calls: u64,
    /// What they cost, in US dollars; calls whose cost is not known count with the most that they can cost.
    pub spent_usd: f64,
    /// Calls of which it is unknown whether they were paid for.
    pub lost: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// How many records there are.
    pub records: u64,
    /// How many fail in no mode.
    pub accepted: u64,
    /// How many fail in one.
    pub rejected: u64,
    /// How many are open.
    pub unjudged: u64,
    /// The rulings on each mode.
    pub modes: Vec<ModeTally>,
}

/// Who was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SeatedJudge {
    /// The id in the configuration.
    pub id: String,
    /// Everything besides the question that shapes its replies.
    pub identity: String,
}

impl RunRecord {
    /// Says in one line what came of it.
    pub fn headline(&self) -> String {
        let Self { rubric, records, accepted, rejected, unjudged, calls, .. } = self;
        let id = &rubric.id;
        format!(
            "{records} records by {id}: {accepted} accepted, {rejected} rejected, {unjudged} unjudged; {calls} calls"
        )
    }
}

/// A correction of a data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CorrectionRecord {
    /// What the records were held against.
    pub rubric: RubricRef,
    /// The hash of all failing records, in their order.
    pub data: String,
    /// Who corrected them.
    pub corrector: SeatedJudge,
    /// Who judged what came of it.
    pub judges: Vec<SeatedJudge>,
    /// Calls that were made.
    pub calls: u64,
    /// What they cost, in US dollars; calls whose cost is not known count with the most that they can cost.
    pub spent_usd: f64,
    /// Calls of which it is unknown whether they were paid for.
    pub lost: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// What became of the records.
    #[serde(flatten)]
    pub counts: CorrectionCounts,
    /// The hash of the template as it was revised, where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
}

impl CorrectionRecord {
    /// Says in one line what came of it.
    pub fn headline(&self) -> String {
        let Self { rubric, counts, calls, .. } = self;
        format!("{}: {}; {calls} calls", rubric.id, counts.headline())
    }
}
