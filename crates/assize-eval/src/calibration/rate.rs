//! How many records really fail, out of what a judge says of all of them and a person of some.
//!
//! The judge's own rate is no answer: it counts its false alarms and leaves out what it missed. Three ways correct that. They differ in
//! what they take for granted: [`human_only`] uses the person's labels alone, [`rogan_gladen`] takes the judge's error rates from
//! them, and [`prediction_powered`] takes from them how a label depends on what the judge says. The last two need labels
//! that are a random sample of the records, and so does the first.

use serde::{Deserialize, Serialize};

use super::confusion::Confusion;
use super::interval::{Confidence, Estimate, share};

/// What is known of a set of records: both labels of some, the judge's alone of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sample {
    /// The records that a person labelled as well.
    pub labelled: Confusion,
    /// How many others the judge fails.
    pub others_failed: u64,
    /// How many others there are.
    pub others: u64,
}

impl Sample {
    /// Returns how many of all records the judge fails.
    pub fn judge_rate(&self, confidence: Confidence) -> Option<Estimate> {
        share(self.labelled.judge_fails() + self.others_failed, self.labelled.total() + self.others, confidence)
    }
}

/// Returns the person's rate among the records that the person labelled, with Wilson's interval. `None` without labels.
pub fn human_only(sample: &Sample, confidence: Confidence) -> Option<Estimate> {
    share(sample.labelled.person_fails(), sample.labelled.total(), confidence)
}

/// Returns the judge's rate among the other records, corrected by its sensitivity and specificity (Rogan and Gladen 1978,
/// eq. 2), with the interval of Lang and Reiczigel (2014, section 2.2), which takes in that all three come from samples.
///
/// `None` where the labels show no record that fails or none that passes, where there are no other records, and where the
/// judge fails good records as readily as bad ones: then its rate says nothing.
pub fn rogan_gladen(sample: &Sample, confidence: Confidence) -> Option<Estimate> {
    let counts = &sample.labelled;
    let (fails, passes, others) = (counts.person_fails(), counts.person_passes(), sample.others);
    if fails == 0 || passes == 0 || others == 0 {
        return None;
    }
    let of = |hits: u64, total: u64| hits as f64 / total as f64;
    let (sensitivity, specificity) = (of(counts.both_fail, fails), of(counts.both_pass, passes));
    if sensitivity + specificity - 1.0 <= 0.0 {
        return None;
    }
    let corrected =
        |rate: f64, sensitivity: f64, specificity: f64| (rate + specificity - 1.0) / (sensitivity + specificity - 1.0);
    let value = corrected(of(sample.others_failed, others), sensitivity, specificity);
    // Each share is moved towards one half, as if a few records more had been seen of either kind.
    let z = confidence.z();
    let moved = |hits: u64, total: u64, added: f64| {
        let total = total as f64 + added;
        ((hits as f64 + added / 2.0) / total, total)
    };
    let (rate, n) = moved(sample.others_failed, others, z * z);
    let (sensitivity, n_fails) = moved(counts.both_fail, fails, 2.0);
    let (specificity, n_passes) = moved(counts.both_pass, passes, 2.0);
    // Where few labels leave it open whether the judge tells good records from bad ones, its rate says nothing either.
    if sensitivity + specificity - 1.0 <= 0.0 {
        return None;
    }
    let middle = corrected(rate, sensitivity, specificity);
    let spread = |share: f64, of: f64| share * (1.0 - share) / of;
    let (by_sensitivity, by_specificity) = (spread(sensitivity, n_fails), spread(specificity, n_passes));
    let shift = 2.0 * z * z * (middle * by_sensitivity - (1.0 - middle) * by_specificity);
    let variance = spread(rate, n) + middle.powi(2) * by_sensitivity + (1.0 - middle).powi(2) * by_specificity;
    let reach = z * variance.sqrt() / (sensitivity + specificity - 1.0).abs();
    let around = Estimate::around(middle + shift, reach).within(0.0, 1.0);
    let value = value.clamp(0.0, 1.0);
    Some(Estimate { value, low: around.low.min(value), high: around.high.max(value) })
}

/// A rate that labels and judgements give together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Powered {
    /// The rate.
    pub rate: Estimate,
    /// How many labels would tell as much by themselves.
    pub effective_labels: f64,
    /// How far the judge is trusted: 0 where it says nothing of the person's label, 1 where it could stand for it; below 0 where it says
    /// the opposite.
    pub weight: f64,
}

/// Records that are counted as seen of each kind in the interval of [`prediction_powered`]: what has not been seen among few
/// labels may exist. Chosen by simulation: `cargo xtask coverage`.
const UNSEEN: f64 = 0.09;

/// Returns the prediction-powered estimate with the weight that makes it most precise (PPI++: Angelopoulos, Duchi and Zrnic
/// 2023, eq. 3 and proposition 2). For two labels it is the share of each of the judge's labels that the person fails, weighed by how often
/// the judge gives it (Tenenbein 1970).
///
/// The interval is symmetric in the logarithm of the odds, with the counts that `UNSEEN` adds (as in Rubin and Schenker 1987): the
/// large-sample interval of the rate itself holds it too seldom below some hundred labels. Where the person's labels are all of
/// one kind it is Wilson's for as many labels as would be as precise ([`Powered::effective_labels`]). `None` without labels.
pub fn prediction_powered(sample: &Sample, confidence: Confidence) -> Option<Powered> {
    if sample.labelled.total() == 0 {
        return None;
    }
    let seen = Strata::of(sample, 0.0);
    let strata = Strata::of(sample, UNSEEN);
    let (middle, variance) = (strata.rate(), strata.variance());
    let effective_labels = middle * (1.0 - middle) / variance;
    let person_fails = sample.labelled.person_fails();
    let interval = if person_fails > 0 && person_fails < sample.labelled.total() {
        in_odds(middle, variance, confidence)
    } else {
        wilson(middle, effective_labels, confidence)
    };
    // Of labels that all lie on one side of the judge, nothing can be learned for the other.
    let is_mixed = seen.of.iter().all(|of| *of > 0.0);
    let (n, others) = (sample.labelled.total() as f64, sample.others as f64);
    let (value, weight) = if is_mixed {
        (seen.rate(), seen.difference() * others / (n + others))
    } else {
        (sample.labelled.person_fails() as f64 / n, 0.0)
    };
    let rate = Estimate { value, low: interval.low.min(value), high: interval.high.max(value) };
    Some(Powered { rate: rate.within(0.0, 1.0), effective_labels, weight })
}

/// The labels by what the judge says of the record: 0 where it fails it.
struct Strata {
    fails: [f64; 2],
    of: [f64; 2],
    /// How many records the judge fails, and how many there are.
    judged: f64,
    all: f64,
}

impl Strata {
    fn of(sample: &Sample, unseen: f64) -> Self {
        let counts = &sample.labelled;
        let more = |count: u64, kinds: f64| count as f64 + kinds * unseen;
        Self {
            fails: [more(counts.both_fail, 1.0), more(counts.person_only, 1.0)],
            of: [more(counts.judge_fails(), 2.0), more(counts.total() - counts.judge_fails(), 2.0)],
            judged: more(counts.judge_fails() + sample.others_failed, 2.0),
            all: more(counts.total() + sample.others, 4.0),
        }
    }

    fn share(&self, stratum: usize) -> f64 {
        self.fails[stratum] / self.of[stratum]
    }

    fn rate(&self) -> f64 {
        let judged = self.judged / self.all;
        judged * self.share(0) + (1.0 - judged) * self.share(1)
    }

    /// How much more often the person fails what the judge fails than what it passes.
    fn difference(&self) -> f64 {
        self.share(0) - self.share(1)
    }

    fn variance(&self) -> f64 {
        let judged = self.judged / self.all;
        let within = |stratum: usize| self.share(stratum) * (1.0 - self.share(stratum)) / self.of[stratum];
        judged.powi(2) * within(0)
            + (1.0 - judged).powi(2) * within(1)
            + self.difference().powi(2) * judged * (1.0 - judged) / self.all
    }
}

/// The interval of a share that is symmetric in the logarithm of its odds.
fn in_odds(share: f64, variance: f64, confidence: Confidence) -> Estimate {
    let odds = (share / (1.0 - share)).ln();
    let reach = confidence.z() * variance.sqrt() / (share * (1.0 - share));
    let of = |odds: f64| 1.0 / (1.0 + (-odds).exp());
    Estimate { value: share, low: of(odds - reach), high: of(odds + reach) }
}

/// Wilson's interval for a share of so many, not all of them whole.
fn wilson(share: f64, of: f64, confidence: Confidence) -> Estimate {
    let z = confidence.z();
    let middle = (share + z * z / (2.0 * of)) / (1.0 + z * z / of);
    let reach = z / (1.0 + z * z / of) * (share * (1.0 - share) / of + z * z / (4.0 * of * of)).sqrt();
    Estimate { value: share, ..Estimate::around(middle, reach) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn sample(counts: [u64; 4], others_failed: u64, others: u64) -> Sample {
        let [both_fail, judge_only, person_only, both_pass] = counts;
        Sample { labelled: Confusion { both_fail, judge_only, person_only, both_pass }, others_failed, others }
    }

    fn is_close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    #[test]
    fn errors_of_the_judge_are_taken_back() {
        let known = sample([32, 6, 5, 57], 190, 500);
        let found = rogan_gladen(&known, Confidence::USUAL).expect("both kinds were seen");
        assert!(is_close(found.value, (0.38 + 57.0 / 63.0 - 1.0) / (32.0 / 37.0 + 57.0 / 63.0 - 1.0)), "{found:?}");
        assert!(found.low < found.value && found.value < found.high);
        for useless in [
            sample([0, 6, 0, 57], 10, 500),
            sample([32, 0, 5, 0], 10, 500),
            sample([32, 6, 5, 57], 0, 0),
            // It fails good records as readily as bad ones.
            sample([5, 5, 5, 5], 100, 500),
            sample([1, 9, 9, 1], 100, 500),
            sample([1, 99, 0, 1], 1_000, 1_000),
        ] {
            assert_eq!(rogan_gladen(&useless, Confidence::USUAL), None, "{useless:?}");
        }
    }

    #[test]
    fn a_judge_that_knows_something_is_worth_labels() {
        let known = sample([32, 6, 5, 57], 190, 500);
        let powered = prediction_powered(&known, Confidence::USUAL).expect("labels");
        let alone = human_only(&known, Confidence::USUAL).expect("labels");
        assert!(powered.rate.width() < alone.width() && powered.effective_labels > 150.0, "{powered:?}");
        // Tenenbein: 228 of 600 are failed by the judge, 32 of 38 of these by the person, and 5 of 62 of the others.
        let expected = 228.0 / 600.0 * 32.0 / 38.0 + 372.0 / 600.0 * 5.0 / 62.0;
        assert!(is_close(powered.rate.value, expected), "{powered:?}");
        let blind = prediction_powered(&sample([10, 10, 10, 10], 250, 500), Confidence::USUAL).expect("labels");
        assert!(is_close(blind.rate.value, 0.5) && blind.weight.abs() < 1e-9, "{blind:?}");
        assert!((38.0..42.0).contains(&blind.effective_labels), "{blind:?}");
    }

    #[test]
    fn the_interval_is_that_of_another_program() {
        for (counts, others_failed, others, low, high) in [
            ([32, 6, 5, 57], 190, 500, 0.305_275, 0.440_172),
            ([10, 10, 10, 10], 250, 500, 0.350_458, 0.649_542),
            ([0, 0, 3, 27], 20, 500, 0.034_525, 0.331_500),
            ([9, 0, 0, 21], 600, 2_000, 0.267_591, 0.334_686),
        ] {
            let found = prediction_powered(&sample(counts, others_failed, others), Confidence::USUAL).expect("labels");
            assert!(is_close(found.rate.low, low) && is_close(found.rate.high, high), "{counts:?}: {found:?}");
        }
    }

    #[test]
    fn what_nobody_saw_is_not_excluded() {
        for counts in [[0, 0, 0, 30], [0, 0, 3, 27], [30, 0, 0, 0]] {
            let powered = prediction_powered(&sample(counts, 20, 500), Confidence::USUAL).expect("labels");
            let rate = powered.rate;
            assert!((0.0..=1.0).contains(&rate.low) && (0.0..=1.0).contains(&rate.high), "{rate:?}");
            assert!(rate.low <= rate.value && rate.value <= rate.high && rate.width() > 0.02, "{counts:?}: {rate:?}");
        }
        assert_eq!(prediction_powered(&Sample::default(), Confidence::USUAL), None);
        assert_eq!(human_only(&Sample::default(), Confidence::USUAL), None);
    }
}
