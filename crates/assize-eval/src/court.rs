//! The court of records: whether a record fails, and in which modes.
//!
//! Clauses are evidence, and evidence dominates: a record that fails by a clause fails, whatever a judge says. What neither a clause nor a
//! judge has decided is unjudged, never a pass. Where a judge's label or reason contradicts what can be counted, that is
//! a finding, so that people see how far the judge can be trusted. How a judge is reached must not be known here.

pub mod pace;
pub mod repeat;
pub mod scheduler;

use assize_core::envelope::VERSION;
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::opinion::{PanelRule, combine};
use assize_core::ruling::{Cause, Outcome, Unjudged};
use assize_core::text::quote;
use serde::{Deserialize, Serialize};

use crate::record::{Record, RecordRef, claim};
use crate::rubric::clause::FailedClause;
use crate::rubric::{Clauses, FailureMode, Rubric};
use crate::verdict::record::{ModeLabel, RecordVerdict};

/// The name of this court.
pub const COURT: &str = "eval";

/// The rubric that a ruling was made by.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RubricRef {
    /// Its name.
    pub id: String,
    /// The hash of all that rulings by it depend on.
    pub hash: String,
}

impl RubricRef {
    /// Returns how rulings speak of a rubric.
    pub fn of(rubric: &Rubric) -> Self {
        Self { id: rubric.id.clone(), hash: rubric.hash() }
    }
}

/// What one judge says of a record. Nothing of it differs from one run to another that got the same replies: a run that was
/// interrupted and went on publishes what it would have published anyway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordOpinion {
    /// Who says so.
    pub judge: RecordJudge,
    /// The verdict, or why there is none.
    pub verdict: Result<RecordVerdict, Unjudged>,
}

impl RecordOpinion {
    /// Returns whether the record fails in a mode; `None` where nothing is said of it.
    pub fn fails(&self, mode: &str) -> Option<bool> {
        Some(self.verdict.as_ref().ok()?.label(mode)?.fails())
    }
}

/// Who judged a record, with what, and at what price.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordJudge {
    /// The judge's id.
    pub id: String,
    /// Which time of several, counted from 1, where the judge was asked several times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<u32>,
    /// The model, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Hash of what it was asked, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// Tokens sent for this reply.
    #[serde(default)]
    pub tokens_in: u64,
    /// Tokens received.
    #[serde(default)]
    pub tokens_out: u64,
    /// Price in US dollars, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// What the court holds of one record, as it is published: one line of the results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordRuling {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The court: `eval`.
    pub court: String,
    /// The record.
    pub record: RecordRef,
    /// The rubric.
    pub rubric: RubricRef,
    /// Accept where it fails in no mode, reject where it fails in one.
    pub outcome: Outcome,
    /// Why it was not judged, when it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unjudged: Option<Unjudged>,
    /// The court's verdict; absent while a mode is unjudged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<RecordVerdict>,
    /// What the court holds of each mode.
    pub modes: Vec<ModeRuling>,
    /// What the evidence shows.
    pub findings: Vec<Finding>,
    /// What each judge said.
    pub opinions: Vec<RecordOpinion>,
}

/// What the court holds of a record in one mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModeRuling {
    /// The mode.
    pub mode: String,
    /// Accept, reject or unjudged.
    pub outcome: Outcome,
    /// Whether a clause decided it.
    pub computed: bool,
    /// Why.
    pub reason: String,
}

/// What a record is judged by.
#[derive(Debug, Clone, Copy)]
pub struct EvalTerms<'a> {
    /// The rubric.
    pub rubric: &'a Rubric,
    /// Its clauses.
    pub clauses: &'a Clauses,
    /// How rulings speak of it.
    pub reference: &'a RubricRef,
    /// How several judges become one.
    pub panel: PanelRule,
}

/// Decides on a record.
pub fn decide(terms: &EvalTerms<'_>, record: &Record, opinions: Vec<RecordOpinion>) -> RecordRuling {
    let broken = terms.clauses.broken_by(&record.fields);
    let judges = repeat::settled(&opinions);
    let rulings = terms.rubric.modes.iter().enumerate().map(|(at, mode)| {
        let broken: Vec<&FailedClause> = broken.iter().filter(|broken| broken.mode == at).collect();
        of_mode(mode, &broken, &judges, terms.panel)
    });
    let modes: Vec<ModeRuling> = rulings.collect();
    let outcome = modes.iter().map(|mode| mode.outcome).min().unwrap_or(Outcome::Unjudged);
    let verdict = verdict(&modes, &judges);
    RecordRuling {
        assize: VERSION,
        court: COURT.to_owned(),
        record: record.reference(),
        rubric: terms.reference.clone(),
        outcome,
        unjudged: (outcome == Outcome::Unjudged).then(|| unjudged(&modes, &judges)),
        verdict,
        findings: findings(terms.rubric, record, &broken, &judges),
        modes,
        opinions,
    }
}

/// The lower of what the clauses allow and what the judges think.
fn of_mode(mode: &FailureMode, broken: &[&FailedClause], opinions: &[RecordOpinion], panel: PanelRule) -> ModeRuling {
    let ruled = |outcome, computed, reason: String| ModeRuling { mode: mode.id.clone(), outcome, computed, reason };
    let failed: Vec<&str> = broken
        .iter()
        .filter(|broken| broken.unknown.is_none())
        .map(|broken| mode.clauses[broken.clause].says.as_str())
        .collect();
    if !failed.is_empty() {
        return ruled(Outcome::Reject, true, failed.join("; "));
    }
    let unknown = broken.iter().find_map(|broken| {
        let says = &mode.clauses[broken.clause].says;
        Some(format!("{says}: cannot be computed, {}", broken.unknown.as_ref()?))
    });
    if !mode.is_asked() {
        return match unknown {
            Some(unknown) => ruled(Outcome::Unjudged, true, unknown),
            None => ruled(Outcome::Accept, true, "no clause is broken".to_owned()),
        };
    }
    let (opinion, reason) = opinion_of(mode, opinions, panel);
    match unknown {
        Some(unknown) if opinion > Outcome::Unjudged => ruled(Outcome::Unjudged, true, unknown),
        _ => ruled(opinion, false, reason),
    }
}

/// What the judges think of a record in one mode, together.
fn opinion_of(mode: &FailureMode, opinions: &[RecordOpinion], panel: PanelRule) -> (Outcome, String) {
    let labels: Vec<Option<&ModeLabel>> =
        opinions.iter().map(|opinion| opinion.verdict.as_ref().ok()?.label(&mode.id)).collect();
    let outcome = |label: &Option<&ModeLabel>| match label {
        None => Outcome::Unjudged,
        Some(label) if label.fails() => Outcome::Reject,
        Some(_) => Outcome::Accept,
    };
    let outcomes: Vec<Outcome> = labels.iter().map(outcome).collect();
    match combine(panel, &outcomes) {
        None => (Outcome::Unjudged, "there is no verdict of a judge".to_owned()),
        Some(Err(unjudged)) => (Outcome::Unjudged, unjudged.to_string()),
        Some(Ok(together)) => {
            let said = labels.iter().flatten().find(|label| outcome(&Some(label)) == together);
            (together, said.map_or_else(|| "no judge judged".to_owned(), |label| label.reason.clone()))
        }
    }
}

fn verdict(modes: &[ModeRuling], opinions: &[RecordOpinion]) -> Option<RecordVerdict> {
    let label = |mode: &ModeRuling| {
        let label = match mode.outcome {
            Outcome::Accept => 0,
            Outcome::Reject | Outcome::Revise => 1,
            Outcome::Unjudged => return None,
        };
        Some(ModeLabel { mode: mode.mode.clone(), label, reason: mode.reason.clone() })
    };
    let labels = modes.iter().map(label).collect::<Option<Vec<ModeLabel>>>()?;
    let verdicts = opinions.iter().filter_map(|opinion| opinion.verdict.as_ref().ok());
    Some(RecordVerdict { labels, overall_quality_score: middle_score(verdicts) })
}

/// The score in the middle; of two the lower one.
fn middle_score<'a>(verdicts: impl Iterator<Item = &'a RecordVerdict>) -> Option<u8> {
    let mut scores: Vec<u8> = verdicts.filter_map(|verdict| verdict.overall_quality_score).collect();
    scores.sort_unstable();
    scores.get(scores.len().saturating_sub(1) / 2).copied()
}

fn unjudged(modes: &[ModeRuling], opinions: &[RecordOpinion]) -> Unjudged {
    if let Some(silent) = opinions.iter().find_map(|opinion| opinion.verdict.as_ref().err()) {
        return silent.clone();
    }
    let open: Vec<&ModeRuling> = modes.iter().filter(|mode| mode.outcome == Outcome::Unjudged).collect();
    if let Some(mode) = open.iter().find(|mode| mode.computed) {
        return Unjudged::new(Cause::EvidenceMissing, format!("`{}`: {}", mode.mode, mode.reason));
    }
    if opinions.is_empty() {
        let names: Vec<&str> = open.iter().map(|mode| mode.mode.as_str()).collect();
        return Unjudged::new(Cause::NotBeforeCourt, format!("no verdict of a judge on {}", names.join(", ")));
    }
    let why = open.first().map_or("no mode was judged", |mode| mode.reason.as_str());
    Unjudged::new(Cause::Disagreement, why)
}

fn findings(rubric: &Rubric, record: &Record, broken: &[FailedClause], opinions: &[RecordOpinion]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for FailedClause { mode, clause, unknown } in broken {
        let mode = &rubric.modes[*mode];
        let says = &mode.clauses[*clause].says;
        if let Some(why) = unknown {
            let message = format!("`{}`: {says}: cannot be computed, {why}", mode.id);
            findings.push(Finding::general("clause-unknown", Severity::Warning, Certainty::Certain, message));
            continue;
        }
        findings.push(Finding::general(
            "clause-broken",
            Severity::Error,
            Certainty::Certain,
            format!("`{}`: {says}", mode.id),
        ));
        for (judge, label) in labels(opinions).filter(|(_, label)| label.mode == mode.id && !label.fails()) {
            let message = format!(
                "`{judge}` passes `{}`, which a clause fails: {says}; it says {}",
                mode.id,
                quote(&label.reason)
            );
            findings.push(Finding::general("clause-contradicted", Severity::Warning, Certainty::Certain, message));
        }
    }
    for (judge, label) in labels(opinions) {
        for miscount in claim::miscounts(&label.reason, &record.fields) {
            let (says, field, count) = (quote(&miscount.says), quote(&miscount.field), miscount.count);
            let message = format!("`{judge}` says {says} of `{}`, and {field} has {count}", label.mode);
            findings.push(Finding::general("count-contradicted", Severity::Warning, Certainty::Likely, message));
        }
    }
    findings
}

fn labels(opinions: &[RecordOpinion]) -> impl Iterator<Item = (&str, &ModeLabel)> {
    opinions.iter().flat_map(|opinion| {
        let verdict = opinion.verdict.as_ref().ok();
        verdict.into_iter().flat_map(|verdict| &verdict.labels).map(|label| (opinion.judge.id.as_str(), label))
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::rubric::tests::SMALL;
    use serde_json::json;

    pub(crate) fn opinion(judge: &str, labels: [u8; 2]) -> RecordOpinion {
        let label =
            |mode: &str, label| ModeLabel { mode: mode.to_owned(), label, reason: format!("As {judge} sees it.") };
        RecordOpinion {
            judge: RecordJudge { id: judge.to_owned(), ..RecordJudge::default() },
            verdict: Ok(RecordVerdict {
                labels: vec![label("too_long", labels[0]), label("vague", labels[1])],
                overall_quality_score: Some(3),
            }),
        }
    }

    fn silent(judge: &str) -> RecordOpinion {
        RecordOpinion { verdict: Err(Unjudged::new(Cause::Timeout, "it took too long")), ..opinion(judge, [0, 0]) }
    }

    fn rule(steps: usize, opinions: Vec<RecordOpinion>) -> RecordRuling {
        let (rubric, clauses) = Rubric::read(SMALL).expect("sound");
        let reference = RubricRef::of(&rubric);
        let terms = EvalTerms { rubric: &rubric, clauses: &clauses, reference: &reference, panel: PanelRule::AnyFail };
        let record = json!({"id": "a", "difficulty": "beginner", "steps": vec!["x"; steps]});
        decide(&terms, &Record::of(record, "id").expect("a record"), opinions)
    }

    fn rules(ruling: &RecordRuling) -> Vec<&str> {
        ruling.findings.iter().map(|finding| finding.rule.as_str()).collect()
    }

    #[test]
    fn a_record_fails_where_a_clause_or_a_judge_says_so() {
        use Outcome::{Accept, Reject, Unjudged};
        for (steps, opinions, outcome, modes) in [
            (8, vec![opinion("j", [0, 0])], Accept, [Accept, Accept]),
            (9, vec![opinion("j", [0, 0])], Reject, [Reject, Accept]),
            (8, vec![opinion("j", [1, 0])], Reject, [Reject, Accept]),
            (8, vec![opinion("j", [0, 1]), opinion("k", [0, 0])], Reject, [Accept, Reject]),
            (8, vec![silent("j")], Unjudged, [Unjudged, Unjudged]),
            (9, vec![silent("j")], Reject, [Reject, Unjudged]),
            (8, vec![], Unjudged, [Unjudged, Unjudged]),
            (9, vec![], Reject, [Reject, Unjudged]),
            (8, vec![opinion("j", [0, 0]), silent("k")], Unjudged, [Unjudged, Unjudged]),
            (8, vec![opinion("j", [1, 0]), silent("k")], Reject, [Reject, Unjudged]),
        ] {
            let case = format!("{steps} steps, {} opinions", opinions.len());
            let ruling = rule(steps, opinions);
            assert_eq!(ruling.outcome, outcome, "{case}");
            assert_eq!(ruling.modes.iter().map(|mode| mode.outcome).collect::<Vec<_>>(), modes, "{case}");
            assert_eq!(ruling.unjudged.is_some(), outcome == Unjudged, "{case}");
            assert_eq!(ruling.verdict.is_some(), !modes.contains(&Unjudged), "{case}");
        }
    }

    #[test]
    fn a_judge_that_miscounts_is_named() {
        let mut mistaken = opinion("j", [0, 0]);
        if let Ok(verdict) = &mut mistaken.verdict {
            verdict.labels[0].reason = "It does not exceed 8 steps.".to_owned();
        }
        let ruling = rule(9, vec![mistaken.clone()]);
        assert_eq!(rules(&ruling), ["clause-broken", "clause-contradicted", "count-contradicted"]);
        assert_eq!(rules(&rule(8, vec![mistaken])), [] as [&str; 0]);
    }

    #[test]
    fn what_cannot_be_computed_is_unjudged() {
        let (rubric, clauses) = Rubric::read(SMALL).expect("sound");
        let reference = RubricRef::of(&rubric);
        let terms = EvalTerms { rubric: &rubric, clauses: &clauses, reference: &reference, panel: PanelRule::AnyFail };
        let record = Record::of(json!({"id": "a", "difficulty": "beginner"}), "id").expect("a record");
        let ruling = decide(&terms, &record, vec![opinion("j", [0, 0])]);
        assert_eq!(ruling.outcome, Outcome::Unjudged);
        assert_eq!(ruling.unjudged.expect("said").cause, Cause::EvidenceMissing);
        let failed = decide(&terms, &record, vec![opinion("j", [1, 0])]);
        assert_eq!(failed.outcome, Outcome::Reject, "the judge found it failing anyway");
        assert_eq!(rules(&failed), ["clause-unknown"]);
    }

    #[test]
    fn a_ruling_is_published_and_read_back() {
        let ruling = rule(9, vec![opinion("j", [0, 1]), silent("k")]);
        let text = serde_json::to_string(&ruling).expect("JSON");
        assert_eq!(serde_json::from_str::<RecordRuling>(&text).expect("the same shape"), ruling);
        assert!(text.starts_with(r#"{"assize":1,"court":"eval","record":{"id":"a","hash":""#), "{text}");
    }
}
