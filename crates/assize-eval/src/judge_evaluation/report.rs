//! What a report of a run shows: the same figures for a page, for programs and for CI.
//!
//! It is made record by record, so that a run of any size can be reported; of the records themselves those are kept that fail or are open, up to
//! a limit. How a report looks must not be known here.

use std::collections::BTreeMap;

use assize_core::ruling::Outcome;
use serde::{Deserialize, Serialize};

use super::calibrate::{AgreementPart, JudgeEvaluation, Method};
use super::compare::ModeComparison;
use super::correct::Correction;
use super::tally::RulingTally;
use crate::calibration::interval::{Confidence, Estimate, share};
use crate::court::{RecordRuling, RubricRef};
use crate::record::Record;
use crate::rubric::Rubric;

/// Records that a report shows.
pub const RECORDS_SHOWN_MAX: usize = 2_000;
/// Values of a field that are told apart; the rest is one.
pub const VALUES_MAX: usize = 40;
/// What stands for all values beyond them.
const OTHERS: &str = "others";

/// What a report shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvalReport {
    /// The version of this shape: 1.
    pub assize: u32,
    /// What it is about.
    pub title: String,
    /// When it was made.
    pub made_at: String,
    /// What the records were judged by.
    pub rubric: RubricCard,
    /// The counts.
    pub tally: RulingTally,
    /// How many records fail, by mode.
    pub rates: Vec<Rate>,
    /// How many fail, by the value of a field.
    pub by_field: Vec<ByField>,
    /// How many records fail in both of two modes; in the diagonal, in the one.
    pub co_occurrence: Vec<Vec<u64>>,
    /// How far the judge agrees with people, where people have labelled.
    #[serde(rename = "trial")]
    pub evaluation: Option<JudgeEvaluation>,
    /// What a correction of the records came to, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<CorrectionPhases>,
    /// What each judge has cost.
    pub judges: Vec<JudgeCard>,
    /// The records that fail or are open.
    pub records: Vec<RecordCard>,
    /// How many of them are left out.
    pub records_left_out: u64,
}

/// A rubric, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RubricCard {
    /// Its name.
    pub id: String,
    /// Its hash.
    pub hash: String,
    /// What a record is.
    pub subject: String,
    /// Its modes.
    pub modes: Vec<ModeCard>,
}

/// A mode, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModeCard {
    /// Its name.
    pub id: String,
    /// What it asks.
    pub asks: String,
}

/// How many records fail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rate {
    /// In which mode; `all modes` or `records`.
    pub name: String,
    /// By the rulings alone, of what was judged.
    pub judge: Option<Estimate>,
    /// With the judge's errors taken back, where labels of people allow that.
    pub corrected: Option<Estimate>,
    /// By which method.
    pub by: Option<String>,
    /// Why by that one, or why by none.
    pub why: String,
}

/// How many records fail, by the value of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ByField {
    /// The field.
    pub field: String,
    /// Its values.
    pub rows: Vec<ValueRow>,
}

/// The records with one value of a field.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ValueRow {
    /// The value.
    pub value: String,
    /// How many there are.
    pub records: u64,
    /// How many fail.
    pub failed: u64,
    /// How many are open.
    pub unjudged: u64,
    /// How many fail in each mode, in the order of the rubric.
    pub modes: Vec<u64>,
    /// How many are open in each.
    pub modes_unjudged: Vec<u64>,
}

/// What a correction came to, stage by stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CorrectionPhases {
    /// How many labels failed, before and after.
    #[serde(rename = "stages")]
    pub phases: Vec<CorrectionPhase>,
    /// What moved in each mode.
    pub modes: Vec<Transitions>,
    /// What has to be known beside it.
    pub notes: Vec<String>,
}

/// One stage of a correction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CorrectionPhase {
    /// Its name.
    pub name: String,
    /// Labels that fail a record.
    pub fails: u64,
}

/// How labels of one mode moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Transitions {
    /// The mode.
    pub mode: String,
    /// Failed before, and pass now.
    pub fixed: u64,
    /// Passed before, and fail now.
    pub introduced: u64,
    /// Failed before, and still do.
    pub remaining: u64,
    /// Passed before, and still do.
    pub untouched: u64,
}

impl CorrectionPhases {
    /// Shows a correction, with what has to be known beside it.
    pub fn of(correction: &Correction, notes: Vec<String>) -> Self {
        let transitions = |moved: &ModeComparison| Transitions {
            mode: moved.name.clone(),
            fixed: moved.only_first,
            introduced: moved.only_second,
            remaining: moved.remaining,
            untouched: moved.neither,
        };
        let pooled = transitions(&correction.comparison.pooled);
        let phase = |name: &str, fails| CorrectionPhase { name: name.to_owned(), fails };
        Self {
            phases: vec![
                phase("before the correction", pooled.remaining + pooled.fixed),
                phase("after the correction", pooled.remaining + pooled.introduced),
            ],
            modes: correction.comparison.modes.iter().map(transitions).collect(),
            notes,
        }
    }
}

/// What a judge has cost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgeCard {
    /// Its id.
    pub id: String,
    /// The model, where it is known.
    pub model: Option<String>,
    /// How many records it judged.
    pub judged: u64,
    /// How many it did not.
    pub unjudged: u64,
    /// Tokens sent, for the replies that count.
    pub tokens_in: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// Price of these replies in US dollars, where it is known of all.
    pub cost_usd: Option<f64>,
}

/// A record that fails or is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordCard {
    /// Its name.
    pub id: String,
    /// Reject or unjudged.
    pub outcome: Outcome,
    /// Its score, where there is one.
    pub score: Option<u8>,
    /// Why it is open.
    pub cause: Option<String>,
    /// Its values of the fields by which records are told apart.
    pub fields: BTreeMap<String, String>,
    /// What the court holds of each mode.
    pub modes: Vec<crate::court::ModeRuling>,
    /// What was found.
    pub findings: Vec<ReportedFinding>,
}

/// A finding, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportedFinding {
    /// Its rule.
    pub rule: String,
    /// What was found.
    pub message: String,
}

/// A report in the making.
#[derive(Debug)]
pub struct ReportBuilder {
    report: EvalReport,
    fields: Vec<BTreeMap<String, ValueRow>>,
}

impl ReportBuilder {
    /// Begins a report; records are told apart by these fields.
    pub fn begin(rubric: &Rubric, fields: &[String], title: &str, made_at: &str) -> Self {
        let RubricRef { id, hash } = RubricRef::of(rubric);
        let modes: Vec<ModeCard> =
            rubric.modes.iter().map(|mode| ModeCard { id: mode.id.clone(), asks: mode.asks.clone() }).collect();
        let by_field = |field: &String| ByField { field: field.clone(), rows: Vec::new() };
        let report = EvalReport {
            assize: assize_core::envelope::VERSION,
            title: title.to_owned(),
            made_at: made_at.to_owned(),
            tally: RulingTally::default(),
            rates: Vec::new(),
            by_field: fields.iter().map(by_field).collect(),
            co_occurrence: vec![vec![0; modes.len()]; modes.len()],
            rubric: RubricCard { id, hash, subject: rubric.subject.clone(), modes },
            evaluation: None,
            correction: None,
            judges: Vec::new(),
            records: Vec::new(),
            records_left_out: 0,
        };
        Self { report, fields: vec![BTreeMap::new(); fields.len()] }
    }

    /// Adds what the court holds of the next record.
    pub fn add(&mut self, record: &Record, ruling: &RecordRuling) {
        let report = &mut self.report;
        report.tally.add(ruling);
        let fails: Vec<bool> = ruling.modes.iter().map(|mode| mode.outcome == Outcome::Reject).collect();
        for (row, _) in report.co_occurrence.iter_mut().zip(&fails).filter(|(_, fails)| **fails) {
            row.iter_mut().zip(&fails).for_each(|(cell, fails)| *cell += u64::from(*fails));
        }
        for opinion in &ruling.opinions {
            let known = report.judges.iter().position(|judge| judge.id == opinion.judge.id);
            let at = known.unwrap_or_else(|| {
                let id = opinion.judge.id.clone();
                report.judges.push(JudgeCard { id, cost_usd: Some(0.0), ..JudgeCard::default() });
                report.judges.len() - 1
            });
            let card = &mut report.judges[at];
            card.judged += u64::from(opinion.verdict.is_ok());
            card.unjudged += u64::from(opinion.verdict.is_err());
            card.tokens_in += opinion.judge.tokens_in;
            card.tokens_out += opinion.judge.tokens_out;
            card.model = card.model.take().or_else(|| opinion.judge.model.clone());
            card.cost_usd = card.cost_usd.zip(opinion.judge.cost_usd).map(|(sum, usd)| sum + usd);
        }
        let mut values = BTreeMap::new();
        for (rows, ByField { field, .. }) in self.fields.iter_mut().zip(&report.by_field) {
            let value = record.text_of(field);
            let is_new = !rows.contains_key(&value) && rows.len() >= VALUES_MAX;
            let row = rows.entry(if is_new { OTHERS.to_owned() } else { value.clone() }).or_default();
            row.records += 1;
            row.failed += u64::from(ruling.outcome == Outcome::Reject);
            row.unjudged += u64::from(ruling.outcome == Outcome::Unjudged);
            row.modes.resize(fails.len(), 0);
            row.modes.iter_mut().zip(&fails).for_each(|(count, fails)| *count += u64::from(*fails));
            row.modes_unjudged.resize(fails.len(), 0);
            let open = ruling.modes.iter().map(|mode| mode.outcome == Outcome::Unjudged);
            row.modes_unjudged.iter_mut().zip(open).for_each(|(count, open)| *count += u64::from(open));
            values.insert(field.clone(), value);
        }
        if ruling.outcome == Outcome::Accept {
            return;
        }
        if report.records.len() >= RECORDS_SHOWN_MAX {
            report.records_left_out += 1;
            return;
        }
        let found = |finding: &assize_core::finding::Finding| ReportedFinding {
            rule: finding.rule.clone(),
            message: finding.message.clone(),
        };
        report.records.push(RecordCard {
            id: record.id.clone(),
            outcome: ruling.outcome,
            score: ruling.verdict.as_ref().and_then(|verdict| verdict.overall_quality_score),
            cause: ruling.unjudged.as_ref().map(ToString::to_string),
            fields: values,
            modes: ruling.modes.clone(),
            findings: ruling.findings.iter().map(found).collect(),
        });
    }

    /// Ends it, with how far the judge agrees with people and what a correction came to, where there was any.
    pub fn finish(self, evaluation: Option<JudgeEvaluation>, correction: Option<CorrectionPhases>) -> EvalReport {
        let Self { mut report, fields } = self;
        for (by_field, rows) in report.by_field.iter_mut().zip(fields) {
            by_field.rows = rows.into_iter().map(|(value, row)| ValueRow { value, ..row }).collect();
            by_field.rows.sort_by_key(|row| (row.value == OTHERS, std::cmp::Reverse(row.records)));
        }
        report.rates = rates(&report.tally, evaluation.as_ref());
        (report.evaluation, report.correction) = (evaluation, correction);
        report
    }
}

fn rates(tally: &RulingTally, evaluation: Option<&JudgeEvaluation>) -> Vec<Rate> {
    let of_judge = |fails: u64, passes: u64| share(fails, fails + passes, Confidence::USUAL);
    let mut rates: Vec<(String, Option<Estimate>)> =
        tally.modes.iter().map(|mode| (mode.mode.clone(), of_judge(mode.fails, mode.passes))).collect();
    rates.push(("records".to_owned(), of_judge(tally.rejected, tally.accepted)));
    let rate = |(name, judge): (String, Option<Estimate>)| {
        let part = evaluation
            .and_then(|evaluation| evaluation.modes.iter().chain([&evaluation.whole]).find(|part| part.name == name));
        let (corrected, by, why) = match (evaluation, part) {
            (None, _) => (None, None, "no record has been labelled".to_owned()),
            (Some(_), None) => (None, None, "no judge is asked about it".to_owned()),
            (Some(_), Some(part)) => corrected(part),
        };
        Rate { name, judge, corrected, by, why }
    };
    rates.into_iter().map(rate).collect()
}

fn corrected(part: &AgreementPart) -> (Option<Estimate>, Option<String>, String) {
    let why = part.advice.why.clone();
    match part.advice.method {
        None => (None, None, why),
        Some(Method::HumanOnly) => (part.rates.human_only, Some("people alone".to_owned()), why),
        Some(Method::PredictionPowered) => {
            (part.rates.prediction_powered.map(|both| both.rate), Some("PPI++".to_owned()), why)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::court::tests::opinion;
    use crate::court::{EvalTerms, decide};
    use crate::rubric::tests::SMALL;
    use assize_core::opinion::PanelRule;
    use serde_json::json;

    fn draft(records: usize) -> ReportBuilder {
        let (rubric, clauses) = Rubric::read(SMALL).expect("sound");
        let reference = RubricRef::of(&rubric);
        let terms = EvalTerms { rubric: &rubric, clauses: &clauses, reference: &reference, panel: PanelRule::AnyFail };
        let mut draft = ReportBuilder::begin(&rubric, &["kind".to_owned()], "Guides", "today");
        for at in 0..records {
            let steps = vec!["x"; if at.is_multiple_of(3) { 9 } else { 2 }];
            let record = json!({"id": at, "difficulty": "beginner", "steps": steps, "kind": format!("k{}", at % 50)});
            let record = Record::of(record, "id").expect("a record");
            let opinions = vec![opinion("j", [0, u8::from(at.is_multiple_of(2))])];
            draft.add(&record, &decide(&terms, &record, opinions));
        }
        draft
    }

    #[test]
    fn figures_follow_from_the_rulings() {
        let report = draft(60).finish(None, None);
        // Twenty have too many steps, thirty are vague, ten are both.
        assert_eq!(report.co_occurrence, [[20, 10], [10, 30]]);
        assert_eq!((report.tally.rejected, report.records.len()), (40, 40));
        let values: Vec<u64> =
            report.rates.iter().map(|rate| (rate.judge.expect("judged").value * 60.0).round() as u64).collect();
        assert_eq!(values, [20, 30, 40]);
        assert!(report.rates.iter().all(|rate| rate.corrected.is_none()));
        assert_eq!((report.judges[0].judged, report.judges[0].cost_usd), (60, None));
        let rows = &report.by_field[0].rows;
        assert_eq!(rows.len(), VALUES_MAX + 1);
        assert_eq!(rows.last().map(|row| (row.value.as_str(), row.records)), Some((OTHERS, 10)));
        assert_eq!(rows.iter().map(|row| row.failed).sum::<u64>(), 40);
    }

    #[test]
    fn so_many_records_are_shown_and_no_more() {
        let count = |records: usize| {
            let report = draft(records).finish(None, None);
            (report.records.len(), report.records_left_out)
        };
        // Two of three fail.
        assert_eq!(count(3_000), (RECORDS_SHOWN_MAX, 0));
        assert_eq!(count(3_001), (RECORDS_SHOWN_MAX, 1));
    }
}
