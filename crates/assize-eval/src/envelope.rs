//! The results of `assize eval` as programs read them.

use std::collections::BTreeMap;

use assize_core::envelope::VERSION;
use assize_core::finding::{Finding, Severity};
use assize_core::ruling::Outcome;
use serde::Serialize;

use crate::court::{COURT, RubricRef};
use crate::judge_evaluation::calibrate::{Belief, JudgeEvaluation};
use crate::judge_evaluation::compare::JudgementComparison;
use crate::judge_evaluation::correct::{Correcting, Correction};
use crate::judge_evaluation::drift::RunDrift;
use crate::judge_evaluation::plan::LabelPlan;
use crate::judge_evaluation::tally::RulingTally;
use crate::requests::{RequestEstimate, RequestTotals};
use crate::rubric::Rubric;
use crate::verdict::template::TemplateRevision;

/// What each result by a rubric begins with.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvalHeader {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The court: `eval`.
    pub court: &'static str,
    /// What the court ruled.
    pub outcome: Outcome,
    /// The rubric.
    pub rubric: RubricRef,
}

impl EvalHeader {
    fn of(rubric: &Rubric, outcome: Outcome) -> Self {
        Self { assize: VERSION, court: COURT, outcome, rubric: RubricRef::of(rubric) }
    }
}

/// What `assize eval lint` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LintEnvelope<'a> {
    /// The rubric, and `revise` where there is a warning.
    #[serde(flatten)]
    pub header: EvalHeader,
    /// The warnings and notes.
    pub findings: &'a [Finding],
}

impl<'a> LintEnvelope<'a> {
    /// Makes the envelope of what a rubric is warned of.
    pub fn of(rubric: &Rubric, findings: &'a [Finding]) -> Self {
        let warns = findings.iter().any(|finding| finding.severity >= Severity::Warning);
        let outcome = if warns { Outcome::Revise } else { Outcome::Accept };
        Self { header: EvalHeader::of(rubric, outcome), findings }
    }
}

/// What `assize eval run` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TallyEnvelope<'a> {
    /// The rubric and the ruling on the data set.
    #[serde(flatten)]
    pub header: EvalHeader,
    /// How many records there are of each ruling, mode and judge.
    pub tally: &'a RulingTally,
    /// What the judges were asked; absent where the verdicts were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<&'a RequestTotals>,
}

impl<'a> TallyEnvelope<'a> {
    /// Makes the envelope of a run.
    pub fn of(rubric: &Rubric, tally: &'a RulingTally, asked: Option<&'a RequestTotals>) -> Self {
        Self { header: EvalHeader::of(rubric, tally.outcome()), tally, asked }
    }
}

/// What `assize eval run --dry-run` and `assize eval correct --dry-run` print.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeedEnvelope<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The court: `eval`.
    pub court: &'static str,
    /// The rubric.
    pub rubric: RubricRef,
    /// What would be asked.
    pub need: &'a RequestEstimate,
}

impl<'a> NeedEnvelope<'a> {
    /// Makes the envelope of what a run would take.
    pub fn of(rubric: &Rubric, need: &'a RequestEstimate) -> Self {
        Self { assize: VERSION, court: COURT, rubric: RubricRef::of(rubric), need }
    }
}

/// What `assize eval compare --against` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriftEnvelope<'a> {
    /// The rubric, and `revise` where something drifted.
    #[serde(flatten)]
    pub header: EvalHeader,
    /// What differs from the baseline.
    pub drift: &'a RunDrift,
}

impl<'a> DriftEnvelope<'a> {
    /// Makes the envelope of what drifted.
    pub fn of(rubric: &Rubric, outcome: Outcome, drift: &'a RunDrift) -> Self {
        Self { header: EvalHeader::of(rubric, outcome), drift }
    }
}

/// What an evaluation is about.
#[derive(Debug, Clone, Copy)]
pub struct EvaluationSubject<'a> {
    /// The rubric.
    pub rubric: &'a Rubric,
    /// The evaluated judge.
    pub judge: &'a str,
    /// Who labelled.
    pub raters: &'a [String],
    /// Labels on which raters differ.
    pub disputed: usize,
    /// Verdicts and labels that name no content.
    pub by_name_alone: usize,
}

/// What `assize eval calibrate` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvaluationEnvelope<'a> {
    /// The rubric, and `accept` where the judge can be trusted.
    #[serde(flatten)]
    pub header: EvalHeader,
    /// How far the judge agrees with people.
    #[serde(rename = "trial")]
    pub evaluation: &'a JudgeEvaluation,
    /// The evaluated judge.
    pub judge: &'a str,
    /// Who labelled.
    pub raters: &'a [String],
    /// Labels on which raters differ.
    pub disputed: usize,
    /// Verdicts and labels that name no content.
    pub joined_by_name_alone: usize,
}

impl<'a> EvaluationEnvelope<'a> {
    /// Makes the envelope of a judge evaluation.
    pub fn of(subject: &EvaluationSubject<'a>, evaluation: &'a JudgeEvaluation) -> Self {
        let outcome = match evaluation.belief {
            Belief::Trusted => Outcome::Accept,
            Belief::Untrusted => Outcome::Reject,
            Belief::Inconclusive => Outcome::Unjudged,
        };
        Self {
            header: EvalHeader::of(subject.rubric, outcome),
            evaluation,
            judge: subject.judge,
            raters: subject.raters,
            disputed: subject.disputed,
            joined_by_name_alone: subject.by_name_alone,
        }
    }
}

/// What `assize eval compare --with` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparisonEnvelope<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The court: `eval`.
    pub court: &'static str,
    /// The two judgements side by side.
    pub comparison: &'a JudgementComparison,
}

impl<'a> ComparisonEnvelope<'a> {
    /// Makes the envelope of a comparison.
    pub fn of(comparison: &'a JudgementComparison) -> Self {
        Self { assize: VERSION, court: COURT, comparison }
    }
}

/// What `assize eval plan` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanEnvelope<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The court: `eval`.
    pub court: &'static str,
    /// The rubric.
    pub rubric: RubricRef,
    /// How many records people should label, and which.
    pub plan: &'a LabelPlan,
}

impl<'a> PlanEnvelope<'a> {
    /// Makes the envelope of a plan.
    pub fn of(rubric: &Rubric, plan: &'a LabelPlan) -> Self {
        Self { assize: VERSION, court: COURT, rubric: RubricRef::of(rubric), plan }
    }
}

/// What `assize eval correct --corrected` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CorrectionEnvelope<'a> {
    /// The rubric and the ruling on the corrected records.
    #[serde(flatten)]
    pub header: EvalHeader,
    /// What the correction came to.
    pub correction: &'a Correction,
}

impl<'a> CorrectionEnvelope<'a> {
    /// Makes the envelope of a correction.
    pub fn of(rubric: &Rubric, correction: &'a Correction) -> Self {
        Self { header: EvalHeader::of(rubric, correction.outcome()), correction }
    }
}

/// What a corrector did, as it is shown.
#[derive(Debug, Clone, Copy)]
pub struct CorrectionSummary<'a> {
    /// What the records were held against.
    pub rubric: &'a Rubric,
    /// What came of it.
    pub correcting: &'a Correcting,
    /// What was asked.
    pub asked: &'a RequestTotals,
    /// Records that have no correction, and why.
    pub open: &'a [(String, String)],
    /// The template, where one was revised.
    pub revision: Option<&'a TemplateRevision>,
}

/// What `assize eval correct --corrector` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CorrectingEnvelope<'a> {
    /// The rubric and the ruling on the corrected records.
    #[serde(flatten)]
    pub header: EvalHeader,
    /// What the corrector did, and what came of it.
    pub correcting: &'a Correcting,
    /// What the judges were asked.
    pub asked: &'a RequestTotals,
    /// Records without a correction.
    pub open: Vec<OpenRecord<'a>>,
    /// The revised template; absent where none was revised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<&'a TemplateRevision>,
}

/// A record without a correction.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpenRecord<'a> {
    /// The record.
    pub record: &'a str,
    /// Why it has none.
    pub why: &'a str,
}

impl<'a> CorrectingEnvelope<'a> {
    /// Makes the envelope of a corrector's work.
    pub fn of(work: &CorrectionSummary<'a>) -> Self {
        let CorrectionSummary { rubric, correcting, asked, open, revision } = *work;
        let open = open.iter().map(|(record, why)| OpenRecord { record, why }).collect();
        Self { header: EvalHeader::of(rubric, correcting.outcome()), correcting, asked, open, revision }
    }
}

/// A line of the file that `assize eval label` writes.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabelLine<'a> {
    /// The id of the record, under the field that the rubric names.
    #[serde(flatten)]
    pub id: BTreeMap<&'a str, &'a str>,
    /// The hash of the record.
    pub record: &'a str,
    /// The hash of the rubric.
    pub rubric: &'a str,
    /// Who labelled.
    pub rater: &'a str,
    /// The label of each mode: 1 for fail, 0 for pass, `null` where it is open.
    pub labels: &'a BTreeMap<String, Option<u8>>,
    /// A note of the rater.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub note: &'a str,
    /// When it was labelled, in milliseconds since 1970, as a text.
    pub at: String,
}
