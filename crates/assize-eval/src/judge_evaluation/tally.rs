//! What a run came to: how many records fail, in which modes, and who said so.
//!
//! The court's rulings and what each judge said are counted apart: clauses decide for the court, and a judge is tried by its own words. What
//! was not judged is in no rate.

use std::collections::BTreeMap;

use assize_core::finding::Finding;
use assize_core::ruling::Outcome;
use serde::{Deserialize, Serialize};

use crate::court::repeat::{self, Noise};
use crate::court::{RecordOpinion, RecordRuling};
use crate::verdict::record::RecordVerdict;

/// Findings that are kept with their records; of all others the count is kept.
pub const FINDINGS_KEPT_MAX: usize = 1_000;

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RulingTally {
    /// How many records there are.
    pub records: u64,
    /// How many fail in no mode.
    pub accepted: u64,
    /// How many fail in a mode.
    pub rejected: u64,
    /// How many are open: no mode fails, and not all were judged.
    pub unjudged: u64,
    /// Why, and how often.
    pub causes: BTreeMap<String, u64>,
    /// The first record of each cause, with the detail.
    pub examples: BTreeMap<String, (String, String)>,
    /// The court's rulings on each mode, in the order of the rubric.
    pub modes: Vec<ModeTally>,
    /// What each judge said.
    pub judges: BTreeMap<String, JudgeTally>,
    /// How many findings there are of each rule.
    pub rules: BTreeMap<String, u64>,
    /// Where judges contradict what can be counted: the record, and what was found.
    pub contradictions: Vec<(String, Finding)>,
}

/// The court's rulings on one mode.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModeTally {
    /// The mode.
    pub mode: String,
    /// How many records fail in it.
    pub fails: u64,
    /// How many of these by a clause.
    pub computed: u64,
    /// How many pass.
    pub passes: u64,
    /// How many are open.
    pub unjudged: u64,
}

/// What one judge said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgeTally {
    /// How many records it judged.
    pub judged: u64,
    /// How many it did not, although it was asked.
    pub unjudged: u64,
    /// How many of its labels say that a record fails.
    pub fails: u64,
    /// How many labels it gave.
    pub labels: u64,
    /// How many records it fails in a mode.
    pub records_failed: u64,
    /// How many records it fails in each mode, in the order of the rubric; `None` where it was not asked about it.
    pub modes: Vec<Option<u64>>,
    /// How often it gave each score, the lowest first.
    pub scores: [u64; 5],
    /// How much it differs from itself in each mode, in the order of the rubric; empty where it was asked once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub noise: Vec<Noise>,
}

/// Rules whose findings say that a judge was wrong about what can be counted.
const CONTRADICTIONS: [&str; 2] = ["clause-contradicted", "count-contradicted"];

impl RulingTally {
    /// Counts one more ruling.
    pub fn add(&mut self, ruling: &RecordRuling) {
        self.records += 1;
        *match ruling.outcome {
            Outcome::Accept => &mut self.accepted,
            Outcome::Reject | Outcome::Revise => &mut self.rejected,
            Outcome::Unjudged => &mut self.unjudged,
        } += 1;
        if let Some(unjudged) = &ruling.unjudged {
            let cause = unjudged.cause.as_str();
            *self.causes.entry(cause.to_owned()).or_default() += 1;
            let example = || (ruling.record.id.clone(), unjudged.detail.clone());
            self.examples.entry(cause.to_owned()).or_insert_with(example);
        }
        self.modes.resize_with(ruling.modes.len(), ModeTally::default);
        for (tally, mode) in self.modes.iter_mut().zip(&ruling.modes) {
            if tally.mode.is_empty() {
                tally.mode.clone_from(&mode.mode);
            }
            match mode.outcome {
                Outcome::Accept => tally.passes += 1,
                Outcome::Unjudged => tally.unjudged += 1,
                Outcome::Reject | Outcome::Revise => {
                    tally.fails += 1;
                    tally.computed += u64::from(mode.computed);
                }
            }
        }
        for opinion in repeat::settled(&ruling.opinions).iter() {
            let judge = self.judges.entry(opinion.judge.id.clone()).or_default();
            match &opinion.verdict {
                Ok(verdict) => judge.add(verdict, self.modes.iter().map(|mode| mode.mode.as_str())),
                Err(_) => judge.unjudged += 1,
            }
        }
        if ruling.opinions.iter().any(|opinion| opinion.judge.repeat.is_some()) {
            self.add_noise(&ruling.opinions);
        }
        for finding in &ruling.findings {
            *self.rules.entry(finding.rule.clone()).or_default() += 1;
            if CONTRADICTIONS.contains(&finding.rule.as_str()) && self.contradictions.len() < FINDINGS_KEPT_MAX {
                self.contradictions.push((ruling.record.id.clone(), finding.clone()));
            }
        }
    }

    fn add_noise(&mut self, opinions: &[RecordOpinion]) {
        let modes: Vec<&str> = self.modes.iter().map(|mode| mode.mode.as_str()).collect();
        for (id, of_modes) in repeat::noise(opinions, &modes) {
            let noise = &mut self.judges.entry(id.to_owned()).or_default().noise;
            noise.resize_with(of_modes.len(), Noise::default);
            noise.iter_mut().zip(of_modes).for_each(|(sum, more)| *sum += more);
        }
    }

    /// Returns what the run amounts to: everything accepted, something rejected, or something open. Of no record nothing was judged.
    pub fn outcome(&self) -> Outcome {
        match (self.rejected, self.unjudged) {
            (0, 0) if self.records > 0 => Outcome::Accept,
            (0, _) => Outcome::Unjudged,
            _ => Outcome::Reject,
        }
    }
}

impl JudgeTally {
    fn add<'a>(&mut self, verdict: &RecordVerdict, modes: impl Iterator<Item = &'a str>) {
        self.judged += 1;
        self.labels += verdict.labels.len() as u64;
        let fails = verdict.labels.iter().filter(|label| label.fails()).count() as u64;
        self.fails += fails;
        self.records_failed += u64::from(fails > 0);
        for (at, mode) in modes.enumerate() {
            if self.modes.len() <= at {
                self.modes.push(None);
            }
            if let Some(label) = verdict.label(mode) {
                *self.modes[at].get_or_insert(0) += u64::from(label.fails());
            }
        }
        let score = verdict.overall_quality_score.unwrap_or_default();
        if let Some(score) = self.scores.get_mut(usize::from(score).wrapping_sub(1)) {
            *score += 1;
        }
    }

    /// Returns the mean of its scores; `None` where it gave none.
    pub fn mean_score(&self) -> Option<f64> {
        let count: u64 = self.scores.iter().sum();
        let sum: u64 = (1..).zip(self.scores).map(|(score, count)| score * count).sum();
        (count > 0).then(|| sum as f64 / count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::court::RecordJudge;
    use crate::court::{EvalTerms, RubricRef, decide};
    use crate::record::Record;
    use crate::rubric::Rubric;
    use crate::rubric::tests::SMALL;
    use crate::verdict::record::ModeLabel;
    use assize_core::opinion::PanelRule;
    use assize_core::ruling::{Cause, Unjudged};
    use serde_json::json;

    #[test]
    fn the_court_and_its_judges_are_counted_apart() {
        let (rubric, clauses) = Rubric::read(SMALL).expect("sound");
        let reference = RubricRef::of(&rubric);
        let terms = EvalTerms { rubric: &rubric, clauses: &clauses, reference: &reference, panel: PanelRule::AnyFail };
        let mut tally = RulingTally::default();
        // Too many steps, passed by the judge; failed by the judge; good; open.
        for (steps, label) in [(9, Some(0)), (2, Some(1)), (2, Some(0)), (2, None)] {
            let of = |mode: &str, label| ModeLabel { mode: mode.to_owned(), label, reason: "So it is.".to_owned() };
            let said = |label| RecordVerdict {
                labels: vec![of("too_long", label), of("vague", label)],
                overall_quality_score: Some(4),
            };
            let verdict = label.map(said).ok_or_else(|| Unjudged::new(Cause::Empty, "the reply is blank"));
            let judge = RecordJudge { id: "j".to_owned(), ..RecordJudge::default() };
            let record = json!({"id": "a", "difficulty": "beginner", "steps": vec!["x"; steps]});
            let record = Record::of(record, "id").expect("a record");
            tally.add(&decide(&terms, &record, vec![RecordOpinion { judge, verdict }]));
        }
        assert_eq!((tally.records, tally.accepted, tally.rejected, tally.unjudged), (4, 1, 2, 1));
        assert_eq!(tally.causes, BTreeMap::from([("empty".to_owned(), 1)]));
        let first = ModeTally { mode: "too_long".to_owned(), fails: 2, computed: 1, passes: 1, unjudged: 1 };
        assert_eq!(tally.modes[0], first);
        let judge = &tally.judges["j"];
        assert_eq!((judge.judged, judge.unjudged, judge.fails, judge.labels, judge.records_failed), (3, 1, 2, 6, 1));
        assert_eq!(judge.modes, [Some(1), Some(1)]);
        assert_eq!(judge.mean_score(), Some(4.0));
        assert_eq!(tally.contradictions.len(), 1);
        assert_eq!(tally.outcome(), Outcome::Reject);
        assert_eq!(tally.examples["empty"], ("a".to_owned(), "the reply is blank".to_owned()));
        assert_eq!(RulingTally::default().outcome(), Outcome::Unjudged, "nothing was judged");
    }
}
