//! Measures how far a judge agrees with people, and whether that suffices to trust it without them.
//!
//! Each mode is evaluated alone, and so are all modes together and the records as a whole. A figure that the labels
//! cannot give is left undefined, and an undefined figure never makes a judge trusted.

use serde::{Deserialize, Serialize};

use super::audit::{Audit, audit};
use crate::calibration::agreement::{ac1, kappa};
use crate::calibration::confusion::Confusion;
use crate::calibration::interval::{Confidence, Estimate, share};
use crate::calibration::rate::{Powered, Sample, human_only, prediction_powered, rogan_gladen};
use crate::judge_evaluation::rated_record::RatedRecord;
use crate::judge_evaluation::rated_record::label;
use crate::rubric::Trust;

/// How far a judge agrees with people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgeEvaluation {
    /// How many records there are, how many the judge judged in every mode, and how many a person labelled at all.
    pub records: u64,
    /// How many of them the judge judged in every mode.
    pub judged: u64,
    /// How many of them a person labelled in any mode.
    pub labelled: u64,
    /// Each mode, in the order of the rubric.
    pub modes: Vec<AgreementPart>,
    /// All modes together: each label counts.
    pub pooled: AgreementPart,
    /// The records as a whole: each fails that fails in any mode.
    pub whole: AgreementPart,
    /// Whether what is seen on the labelled records can be carried over to the others.
    pub audit: Audit,
    /// Which rate is to be believed, and why.
    pub advice: Advice,
    /// What follows.
    pub belief: Belief,
    /// Why.
    pub reasons: Vec<String>,
}

/// Which rate is to be believed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Advice {
    /// The way of telling; `None` where none of them can be relied on.
    pub method: Option<Method>,
    /// Why.
    pub why: String,
}

/// A way of telling how many records really fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// By the person's labels alone.
    HumanOnly,
    /// By both together.
    PredictionPowered,
}

/// Labels from which the rate by both together holds what it promises, whatever the judge is like: `cargo xtask coverage`.
pub const LABELS_FOR_RATES_MIN: u64 = 100;
/// Labels from which it does where the judge was seen to err.
pub const LABELS_WITH_ERRORS_MIN: u64 = 50;
/// How many errors have to have been seen. Of a judge of whom none were, fewer labels cannot tell how often it errs.
pub const ERRORS_MIN: u64 = 3;
/// Labels from which the rate by people alone holds what it promises.
pub const LABELS_OF_PEOPLE_MIN: u64 = 200;

/// Labels from which the intervals of kappa and AC1 hold what they promise, in the settings of `cargo xtask coverage`.
pub const LABELS_FOR_AGREEMENT_MIN: u64 = 50;

/// How many labels a label has to be worth for the judge's own to be taken in.
const WORTHWHILE: f64 = 1.05;

/// Returns whether the rate by both together holds what it promises, with so many labels of which so many differ from the judge's.
pub fn both_hold(labels: u64, errors: u64) -> bool {
    labels >= LABELS_FOR_RATES_MIN || labels >= LABELS_WITH_ERRORS_MIN && errors >= ERRORS_MIN
}

impl Advice {
    /// Which rate of a part is to be believed; `labels` is how many records a person labelled.
    fn of(audit: &Audit, part: &AgreementPart, labels: u64) -> Self {
        let none = |why: String| Self { method: None, why };
        if let Some(fault) = audit.faults.first() {
            return none(format!("{fault}: what is seen on them holds for them alone"));
        }
        if labels < LABELS_WITH_ERRORS_MIN {
            return none(format!(
                "judged and labelled records: {labels}, too few for any interval to hold; {LABELS_WITH_ERRORS_MIN} to {LABELS_FOR_RATES_MIN} are needed"
            ));
        }
        let errors = part.counts.judge_only + part.counts.person_only;
        let holds = part.others > 0 && both_hold(labels, errors);
        let all = part.counts.total() as f64;
        let worth = part.rates.prediction_powered.map_or(0.0, |both| both.effective_labels);
        let is_worthwhile = worth > all * WORTHWHILE;
        match (holds, labels >= LABELS_OF_PEOPLE_MIN) {
            (true, people) if is_worthwhile || !people => Self {
                method: Some(Method::PredictionPowered),
                why: format!("the judge's labels make {all:.0} labels worth {worth:.0}"),
            },
            (_, true) => Self {
                method: Some(Method::HumanOnly),
                why: "the judge's labels add nothing to those of people".to_owned(),
            },
            _ if part.others == 0 => none(format!(
                "all {labels} judged records are labelled, so that the share is known for them; for other records like them {LABELS_OF_PEOPLE_MIN} labels are needed"
            )),
            _ => none(format!(
                "of {labels} labels {errors} differ from the judge's, too few to tell how often it errs; {LABELS_FOR_RATES_MIN} labels are needed"
            )),
        }
    }
}

/// Whether a judge can be believed without a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Belief {
    /// It surely is below a threshold.
    Untrusted,
    /// The labels do not tell.
    Inconclusive,
    /// It surely is at or above all thresholds.
    Trusted,
}

impl Belief {
    /// Returns the word that is shown and stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Untrusted => "untrusted",
            Self::Inconclusive => "inconclusive",
            Self::Trusted => "trusted",
        }
    }
}

/// What one mode, or several together, show of a judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgreementPart {
    /// What it is about: the id of a mode, `all modes` or `records`.
    pub name: String,
    /// Labels of the person for which the judge said nothing: they are in no figure.
    pub unjudged: u64,
    /// How the labels meet.
    pub counts: Confusion,
    /// The share of labels on which both agree.
    pub agreement: Option<Estimate>,
    /// The same for a judge that says one thing of every record, whichever is right more often.
    pub constant_guess: Option<f64>,
    /// Cohen's kappa.
    pub kappa: Option<Estimate>,
    /// Gwet's AC1.
    pub ac1: Option<Estimate>,
    /// The share of failing records that the judge fails.
    pub sensitivity: Option<Estimate>,
    /// The share of good records that the judge passes.
    pub specificity: Option<Estimate>,
    /// Labels of the judge on records that no person labelled.
    pub others: u64,
    /// How many records really fail.
    pub rates: Rates,
    /// Which of these is to be believed.
    pub advice: Advice,
    /// Whether the judge can be believed here.
    pub belief: Belief,
    /// Why.
    pub why: String,
}

/// How many records fail, by each way of telling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rates {
    /// As the judge has it, uncorrected.
    pub judge: Option<Estimate>,
    /// By the person's labels alone.
    pub human_only: Option<Estimate>,
    /// By the judge's labels of the others, its errors taken back.
    pub rogan_gladen: Option<Estimate>,
    /// By both together.
    pub prediction_powered: Option<Powered>,
}

impl Rates {
    fn of(sample: &Sample, confidence: Confidence) -> Self {
        Self {
            judge: sample.judge_rate(confidence),
            human_only: human_only(sample, confidence),
            rogan_gladen: rogan_gladen(sample, confidence),
            prediction_powered: prediction_powered(sample, confidence),
        }
    }
}

/// Tries a judge. `modes` are the ids of the rubric's modes, and `strata` the fields by which records are told apart.
pub fn try_judge(modes: &[&str], strata: &[String], seen: &[RatedRecord], trust: &Trust) -> JudgeEvaluation {
    let confidence = Confidence::USUAL;
    // Of many modes that are looked at one falls short by chance sooner or later: their intervals are wider (Bonferroni).
    let strict =
        Confidence::try_from(1.0 - (1.0 - f64::from(confidence)) / modes.len().max(1) as f64).unwrap_or(confidence);
    let all = |name: &str, pairs: Vec<LabelPair>, records, decided_by| {
        AgreementPart::of(name, &pairs, confidence, decided_by, records, trust)
    };
    let of_mode = |mode: usize| {
        seen.iter().map(move |seen| LabelPair { judge: label(&seen.judge, mode), person: label(&seen.person, mode) })
    };
    let each = modes.iter().enumerate().map(|(mode, name)| all(name, of_mode(mode).collect(), None, strict));
    let mut parts: Vec<AgreementPart> = each.collect();
    let tried = |seen: &&RatedRecord| {
        seen.judge.iter().zip(&seen.person).any(|(judge, person)| judge.is_some() && person.is_some())
    };
    let tried = seen.iter().filter(tried).count() as u64;
    let mut pooled = all("all modes", (0..modes.len()).flat_map(of_mode).collect(), Some(tried), confidence);
    let whole = seen
        .iter()
        .map(|seen| LabelPair { judge: any(&seen.judge, modes.len()), person: any(&seen.person, modes.len()) });
    let mut whole = all("records", whole.collect(), None, confidence);
    let (belief, reasons) = conclude(&parts, &pooled);
    let count = |wanted: &dyn Fn(&RatedRecord) -> bool| seen.iter().filter(|seen| wanted(seen)).count() as u64;
    let audit = audit(strata, seen);
    let labelled = count(&|seen| seen.person.iter().any(Option::is_some));
    for part in parts.iter_mut().chain([&mut whole]) {
        part.advice = Advice::of(&audit, part, part.counts.total());
    }
    // Labels of one record are no labels of several.
    pooled.advice = Advice::of(&audit, &pooled, tried);
    JudgeEvaluation {
        records: seen.len() as u64,
        judged: count(&|seen| (0..modes.len()).all(|mode| label(&seen.judge, mode).is_some())),
        labelled,
        modes: parts,
        advice: pooled.advice.clone(),
        pooled,
        whole,
        audit,
        belief,
        reasons,
    }
}

/// Whether a record fails in any mode; `None` unless every mode has a label. To count those that fail anyway and not those that may yet pass
/// would make the share of failures larger than it is.
fn any(labels: &[Option<bool>], modes: usize) -> Option<bool> {
    let all: Option<Vec<bool>> = (0..modes).map(|mode| label(labels, mode)).collect();
    all.map(|labels| labels.contains(&true))
}

/// A label of each.
#[derive(Clone, Copy)]
struct LabelPair {
    judge: Option<bool>,
    person: Option<bool>,
}

impl AgreementPart {
    /// `records` is how many records the labels belong to, where that is not one each.
    fn of(
        name: &str,
        pairs: &[LabelPair],
        confidence: Confidence,
        decided_by: Confidence,
        records: Option<u64>,
        trust: &Trust,
    ) -> Self {
        let both = pairs.iter().filter_map(|pair| Some((pair.judge?, pair.person?)));
        let counts = Confusion::of(both);
        let others = || pairs.iter().filter(|pair| pair.person.is_none()).filter_map(|pair| pair.judge);
        let sample = Sample {
            labelled: counts,
            others_failed: others().filter(|fails| *fails).count() as u64,
            others: others().count() as u64,
        };
        let guess = counts.constant_guess();
        let (belief, why) = believe(&counts, records.unwrap_or(counts.total()), decided_by, trust);
        Self {
            name: name.to_owned(),
            unjudged: pairs.iter().filter(|pair| pair.person.is_some() && pair.judge.is_none()).count() as u64,
            counts,
            agreement: share(counts.agreed(), counts.total(), confidence),
            constant_guess: share(guess.agreed(), guess.total(), confidence).map(|guess| guess.value),
            kappa: kappa(&counts, confidence),
            ac1: ac1(&counts, confidence),
            sensitivity: share(counts.both_fail, counts.person_fails(), confidence),
            specificity: share(counts.both_pass, counts.person_passes(), confidence),
            others: sample.others,
            rates: Rates::of(&sample, confidence),
            advice: Advice { method: None, why: String::new() },
            belief,
            why,
        }
    }
}

/// Sets what labels show against what is asked for.
fn believe(counts: &Confusion, records: u64, confidence: Confidence, trust: &Trust) -> (Belief, String) {
    let sensitivity = share(counts.both_fail, counts.person_fails(), confidence);
    let specificity = share(counts.both_pass, counts.person_passes(), confidence);
    let asked = [
        ("kappa", Some(trust.kappa_min), kappa(counts, confidence)),
        ("sensitivity", trust.sensitivity_min, sensitivity),
        ("specificity", trust.specificity_min, specificity),
    ];
    let asked: Vec<_> = asked.into_iter().filter_map(|(name, least, found)| Some((name, least?, found))).collect();
    // The table beside it shows intervals of the usual confidence.
    let level = f64::from(confidence) * 100.0;
    let wider =
        if confidence == Confidence::USUAL { String::new() } else { format!(" (at {level:.1} %, for several modes)") };
    // The intervals of few labels are not to be relied on, on either side.
    if records < trust.labels_min {
        return (
            Belief::Inconclusive,
            format!("judged and labelled: {records} where {} are asked for", trust.labels_min),
        );
    }
    for (name, least, found) in &asked {
        if let Some(found) = found.filter(|found| found.high < *least) {
            let (high, least) = told_apart(found.high, *least);
            return (Belief::Untrusted, format!("{name} is at most {high}{wider}, below {least}"));
        }
    }
    for (name, least, found) in &asked {
        match found {
            None => return (Belief::Inconclusive, format!("{name} is undefined")),
            Some(found) if found.low < *least => {
                let (low, least) = told_apart(found.low, *least);
                let why = format!("{name} may be as low as {low}{wider}, and {least} is asked for");
                return (Belief::Inconclusive, why);
            }
            Some(_) => {}
        }
    }
    (Belief::Trusted, "every figure that is asked for is surely reached".to_owned())
}

/// Writes two figures that differ with as many digits, at least two, as show that they do.
fn told_apart(one: f64, other: f64) -> (String, String) {
    let written = |digits: usize| (format!("{one:.digits$}"), format!("{other:.digits$}"));
    (2..6).map(written).find(|(one, other)| one != other).unwrap_or_else(|| written(2))
}

/// What follows from all parts: a judge is trusted in every mode, or not at all.
fn conclude(modes: &[AgreementPart], pooled: &AgreementPart) -> (Belief, Vec<String>) {
    let parts = || std::iter::once(pooled).chain(modes);
    let belief = parts().map(|part| part.belief).min().unwrap_or(Belief::Inconclusive);
    let of_belief: Vec<&AgreementPart> =
        parts().filter(|part| part.belief == belief && belief != Belief::Trusted).collect();
    let mut whys: Vec<&str> = Vec::new();
    for part in &of_belief {
        if !whys.contains(&part.why.as_str()) {
            whys.push(&part.why);
        }
    }
    let reason = |why: &str| {
        let names: Vec<&str> = of_belief.iter().filter(|part| part.why == why).map(|part| part.name.as_str()).collect();
        let everywhere = names.len() == modes.len() + 1 && modes.len() > 1;
        if everywhere { format!("in every mode: {why}") } else { format!("{}: {why}", names.join(", ")) }
    };
    (belief, whys.into_iter().map(reason).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both fail, judge only, person only, both pass.
    fn seen(counts: [usize; 4]) -> Vec<RatedRecord> {
        let kinds = [(true, true), (true, false), (false, true), (false, false)];
        let kinds = kinds.into_iter().zip(counts);
        kinds
            .flat_map(|((judge, person), count)| {
                vec![RatedRecord { judge: vec![Some(judge)], person: vec![Some(person)], strata: Vec::new() }; count]
            })
            .collect()
    }

    fn belief(counts: [usize; 4], trust: &Trust) -> (Belief, String) {
        let evaluation = try_judge(&["m"], &[], &seen(counts), trust);
        (evaluation.belief, evaluation.modes[0].why.clone())
    }

    #[test]
    fn figures_that_differ_look_different() {
        let written = |one, other| told_apart(one, other);
        assert_eq!(written(0.61, 0.7), ("0.61".to_owned(), "0.70".to_owned()));
        assert_eq!(written(0.6988, 0.7), ("0.699".to_owned(), "0.700".to_owned()));
        assert_eq!(written(0.7, 0.7), ("0.70".to_owned(), "0.70".to_owned()));
    }

    #[test]
    fn a_judge_is_believed_only_where_the_labels_show_it() {
        let usual = Trust::default();
        for (counts, expected, why) in [
            ([40, 2, 2, 56], Belief::Trusted, "surely reached"),
            ([20, 10, 10, 20], Belief::Untrusted, "kappa is at most"),
            ([12, 3, 3, 17], Belief::Inconclusive, "may be as low as"),
            ([9, 0, 1, 10], Belief::Inconclusive, "judged and labelled: 20 where 30"),
            ([0, 0, 0, 40], Belief::Inconclusive, "kappa is undefined"),
            ([0, 5, 5, 0], Belief::Inconclusive, "judged and labelled: 10 where 30"),
            ([0, 15, 15, 0], Belief::Untrusted, "kappa is at most"),
        ] {
            let (found, says) = belief(counts, &usual);
            assert_eq!(found, expected, "{counts:?}: {says}");
            assert!(says.contains(why), "{counts:?}: {says}");
        }
        let strict = Trust { sensitivity_min: Some(0.9), ..usual };
        assert_eq!(belief([40, 2, 2, 56], &strict).0, Belief::Inconclusive);
    }

    #[test]
    fn many_labels_of_few_records_are_few() {
        let modes: Vec<String> = (0..40).map(|mode| format!("m{mode}")).collect();
        let modes: Vec<&str> = modes.iter().map(String::as_str).collect();
        let wrong = RatedRecord {
            judge: vec![Some(true); 40],
            person: (0..40).map(|mode| Some(mode % 2 == 0)).collect(),
            strata: Vec::new(),
        };
        let evaluation = try_judge(&modes, &[], &[wrong], &Trust::default());
        assert_eq!(evaluation.pooled.why, "judged and labelled: 1 where 30 are asked for");
        assert_eq!(evaluation.reasons, ["in every mode: judged and labelled: 1 where 30 are asked for"]);
    }

    #[test]
    fn one_mode_that_cannot_be_believed_takes_the_others_along() {
        let good = seen([40, 2, 2, 56]);
        let bad = seen([20, 30, 30, 20]);
        let both: Vec<RatedRecord> = good
            .into_iter()
            .zip(bad)
            .map(|(one, other)| RatedRecord {
                judge: [one.judge, other.judge].concat(),
                person: [one.person, other.person].concat(),
                strata: Vec::new(),
            })
            .collect();
        let evaluation = try_judge(&["good", "bad"], &[], &both, &Trust::default());
        assert_eq!(evaluation.belief, Belief::Untrusted);
        assert!(evaluation.reasons.iter().any(|reason| reason.starts_with("bad: ")), "{:?}", evaluation.reasons);
        assert_eq!(evaluation.modes[0].belief, Belief::Trusted);
    }

    #[test]
    fn what_nobody_said_is_in_no_figure() {
        let judge =
            |label| RatedRecord { judge: vec![label, Some(false)], person: vec![Some(true), None], strata: Vec::new() };
        let evaluation =
            try_judge(&["a", "b"], &[], &[judge(None), judge(Some(true)), judge(Some(false))], &Trust::default());
        assert_eq!(evaluation.modes[0].counts, Confusion { both_fail: 1, person_only: 1, ..Confusion::default() });
        assert_eq!((evaluation.modes[0].unjudged, evaluation.judged, evaluation.labelled), (1, 2, 3));
        assert_eq!(evaluation.modes[1].counts.total(), 0);
        assert_eq!(evaluation.modes[1].agreement, None);
        // The person has not said of any record how it stands as a whole.
        assert_eq!((evaluation.whole.counts, evaluation.whole.unjudged), (Confusion::default(), 0));
    }
}
