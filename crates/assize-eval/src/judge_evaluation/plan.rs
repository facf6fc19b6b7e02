//! How many records to label, and which.
//!
//! Labels are dear, so that their number follows from how narrow an interval has to be, and from how much the judge's own labels add. Which
//! records are next follows from a seed and from their content: everybody gets the same sample, a larger one begins with the
//! smaller one, and the order of the file says nothing.

use serde::{Deserialize, Serialize};

use super::calibrate::{AgreementPart, JudgeEvaluation, LABELS_FOR_RATES_MIN};
use crate::calibration::interval::{Confidence, share};
use crate::record::selection::{SampleKey, lot};

/// A record that could be labelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelCandidate {
    /// Its name.
    pub id: String,
    /// The hash of its content.
    pub hash: String,
    /// Whether a person has labelled it.
    pub labelled: bool,
}

/// What is known beforehand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleAssumptions {
    /// The share of records that fails, as far as it is known; else the share that needs the most labels is taken.
    pub rate: Option<f64>,
    /// How many labels one label is worth together with what the judge says: 1 where the judge says nothing.
    pub worth: f64,
}

/// How many records to label, and which.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabelPlan {
    /// How far the rate may be off on either side.
    pub within: f64,
    /// How many labelled records that takes, all together.
    pub sample: u64,
    /// Whether that is every record there is.
    pub all: bool,
    /// How many of the sample are labelled.
    pub labelled: u64,
    /// How many labelled records are not in the sample: their labels are good, and no random draw chose them.
    pub labelled_outside: u64,
    /// The records to label next, in this order.
    pub next: Vec<String>,
}

impl SampleAssumptions {
    /// Nothing is known.
    const NOTHING: Self = Self { rate: None, worth: 1.0 };

    /// What a trial shows of one mode. Where its labels tell nothing of all records, nothing is taken for known.
    fn of(evaluation: &JudgeEvaluation, part: &AgreementPart) -> Self {
        let labels = part.counts.total() as f64;
        match part.rates.prediction_powered.filter(|_| evaluation.advice.method.is_some()) {
            Some(both) if labels > 0.0 => Self { rate: Some(both.rate.value), worth: both.effective_labels / labels },
            _ => Self::NOTHING,
        }
    }
}

/// Plans for what a trial has shown so far: the mode that needs the most labels decides.
pub fn plan_after(candidates: &[LabelCandidate], evaluation: &JudgeEvaluation, within: f64, seed: u64) -> LabelPlan {
    let plans =
        evaluation.modes.iter().map(|part| plan(candidates, SampleAssumptions::of(evaluation, part), within, seed));
    plans.max_by_key(|plan| plan.sample).unwrap_or_else(|| plan(candidates, SampleAssumptions::NOTHING, within, seed))
}

/// Plans for a rate that is off by at most `within` on either side, in 95 of 100 samples.
pub fn plan(candidates: &[LabelCandidate], expected: SampleAssumptions, within: f64, seed: u64) -> LabelPlan {
    let all = candidates.len() as u64;
    let sample = needed(expected, within, all);
    let mut order: Vec<(SampleKey, &LabelCandidate)> =
        candidates.iter().map(|one| (lot(&one.hash, seed), one)).collect();
    order.sort_by(|(one, first), (other, second)| one.cmp(other).then_with(|| first.id.cmp(&second.id)));
    let size = usize::try_from(sample).unwrap_or(usize::MAX).min(order.len());
    let (chosen, rest) = order.split_at(size);
    let labelled = |part: &[(SampleKey, &LabelCandidate)]| part.iter().filter(|(_, one)| one.labelled).count() as u64;
    LabelPlan {
        within,
        sample,
        all: sample == all,
        labelled: labelled(chosen),
        labelled_outside: labelled(rest),
        next: chosen.iter().filter(|(_, one)| !one.labelled).map(|(_, one)| one.id.clone()).collect(),
    }
}

/// The fewest labels whose interval is narrow enough, and no fewer than intervals need to hold; all records where even they do not suffice.
fn needed(expected: SampleAssumptions, within: f64, all: u64) -> u64 {
    let suffices = |labels: u64| {
        let worth = (labels as f64 * expected.worth.max(1.0)).floor();
        let rate = expected.rate.unwrap_or(0.5);
        let fails = (worth * rate).round();
        // Counts up to 2^53 are exact as floats, and there are no more records.
        let found = share(fails as u64, worth as u64, Confidence::USUAL);
        found.is_some_and(|rate| (rate.high - rate.value).max(rate.value - rate.low) <= within)
    };
    let least = LABELS_FOR_RATES_MIN.min(all);
    if suffices(least) {
        return least;
    }
    let (mut few, mut enough) = (least, all);
    while enough - few > 1 {
        let middle = few + (enough - few) / 2;
        *if suffices(middle) { &mut enough } else { &mut few } = middle;
    }
    enough
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(count: usize) -> Vec<LabelCandidate> {
        let one = |at: usize| LabelCandidate {
            id: format!("r{at}"),
            hash: blake3::hash(&at.to_le_bytes()).to_string(),
            labelled: at < 10,
        };
        (0..count).map(one).collect()
    }

    const NOTHING: SampleAssumptions = SampleAssumptions::NOTHING;

    #[test]
    fn a_narrower_interval_takes_more_labels() {
        // 1.96² / 4 / w² less what Wilson's interval saves.
        for (within, sample) in [(0.1, LABELS_FOR_RATES_MIN), (0.09, 116), (0.05, 381), (0.03, 1_064)] {
            let found = plan(&candidates(5_000), NOTHING, within, 1).sample;
            assert!(found.abs_diff(sample) <= 3, "{within}: {found}");
        }
        let rare = plan(&candidates(5_000), SampleAssumptions { rate: Some(0.1), worth: 1.0 }, 0.05, 1).sample;
        let helped = plan(&candidates(5_000), SampleAssumptions { rate: Some(0.1), worth: 2.0 }, 0.05, 1).sample;
        assert!(rare < 220 && helped <= rare / 2 + 1, "{rare} {helped}");
        let none = plan(&candidates(5_000), SampleAssumptions { rate: Some(0.0), worth: 1.0 }, 0.04, 1).sample;
        assert!(none > 80, "of so few without a failure 8 of 100 may fail: {none}");
        let few = plan(&candidates(200), NOTHING, 0.01, 1);
        assert!(few.all && few.sample == 200);
        assert_eq!(plan(&candidates(5_000), NOTHING, 0.4, 1).sample, LABELS_FOR_RATES_MIN);
        assert_eq!(plan(&[], NOTHING, 0.1, 1).sample, 0);
    }

    #[test]
    fn a_sample_grows_and_does_not_depend_on_the_file() {
        let records = candidates(2_000);
        let small = plan(&records, NOTHING, 0.1, 7);
        let large = plan(&records, NOTHING, 0.05, 7);
        assert_eq!(large.next[..small.next.len()], small.next);
        let mut turned = records.clone();
        turned.reverse();
        assert_eq!(plan(&turned, NOTHING, 0.1, 7), small);
        assert_ne!(plan(&records, NOTHING, 0.1, 8).next, small.next);
    }

    #[test]
    fn labels_that_nobody_drew_stay_outside() {
        let found = plan(&candidates(5_000), NOTHING, 0.1, 1);
        assert_eq!(found.labelled + found.labelled_outside, 10);
        assert_eq!(found.next.len() as u64 + found.labelled, found.sample);
    }
}
