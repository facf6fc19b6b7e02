//! How far two raters agree beyond what chance would give them.
//!
//! Either coefficient is 1 where they always agree and 0 where they agree as often as chance alone would have it. They differ in
//! what they take for chance: see each. Where a coefficient has no value, it is `None`, and nothing else stands for it.

use super::confusion::Confusion;
use super::interval::{Confidence, Estimate};
use super::profile;

/// Returns Cohen's kappa (Cohen 1960, eq. 1): chance is that each rater says "fails" as often as it does, of any record.
/// `None` where both say one and the same of all records: then chance explains everything.
///
/// The interval is by power divergence, which also holds where labels are few or nearly all the same: see `profile.rs`.
pub fn kappa(counts: &Confusion, confidence: Confidence) -> Option<Estimate> {
    let shares = Shares::of(counts)?;
    let chance: f64 = (0..2).map(|label| shares.judge(label) * shares.person(label)).sum();
    if is_one(chance) {
        return None;
    }
    let value = (shares.agreed() - chance) / (1.0 - chance);
    let (low, high) = profile::of_kappa(counts, value, confidence);
    Some(Estimate { value, low, high })
}

/// Returns Gwet's AC1 (Gwet 2008, eq. 6): chance is that a record is hard and both guess. It has a value wherever records were
/// counted, also where nearly all of them pass, which is where kappa fails.
///
/// The interval is by power divergence, as for [`kappa`].
pub fn ac1(counts: &Confusion, confidence: Confidence) -> Option<Estimate> {
    let shares = Shares::of(counts)?;
    let fails = f64::midpoint(shares.judge(0), shares.person(0));
    let chance = 2.0 * fails * (1.0 - fails);
    let value = (shares.agreed() - chance) / (1.0 - chance);
    let (low, high) = profile::of_ac1(counts, value, confidence);
    Some(Estimate { value, low, high })
}

/// The share of each pair of labels, by the judge's and the person's: 0 is "fails".
struct Shares([[f64; 2]; 2]);

impl Shares {
    fn of(counts: &Confusion) -> Option<Self> {
        let n = counts.total() as f64;
        let share = |count: u64| count as f64 / n;
        (counts.total() > 0).then(|| {
            Self([
                [share(counts.both_fail), share(counts.judge_only)],
                [share(counts.person_only), share(counts.both_pass)],
            ])
        })
    }

    fn judge(&self, label: usize) -> f64 {
        self.0[label][0] + self.0[label][1]
    }

    fn person(&self, label: usize) -> f64 {
        self.0[0][label] + self.0[1][label]
    }

    fn agreed(&self) -> f64 {
        self.0[0][0] + self.0[1][1]
    }
}

fn is_one(share: f64) -> bool {
    (1.0 - share).abs() < 1e-12
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn counts(both_fail: u64, judge_only: u64, person_only: u64, both_pass: u64) -> Confusion {
        Confusion { both_fail, judge_only, person_only, both_pass }
    }

    #[test]
    fn chance_is_taken_off() {
        for (counts, expected) in [
            (counts(13, 4, 7, 36), Some(0.571)),
            (counts(6, 2, 0, 2), Some(0.545)),
            (counts(1, 0, 2, 7), Some(0.412)),
            (counts(0, 2, 1, 7), Some(-0.154)),
            (counts(6, 0, 4, 0), Some(0.0)),
            (counts(0, 0, 0, 10), None),
            (counts(10, 0, 0, 0), None),
            (counts(0, 0, 0, 0), None),
        ] {
            let found = kappa(&counts, Confidence::USUAL);
            assert_eq!(found.map(|one| (one.value * 1e3).round() / 1e3 + 0.0), expected, "{counts:?}");
            assert!(found.is_none_or(|one| one.low <= one.value && one.value <= one.high), "{found:?}");
        }
    }

    #[test]
    fn both_have_the_values_of_other_programs() {
        // statsmodels.stats.inter_rater.cohens_kappa, and irrCAC's CAC(...).gwet().
        let kappa = kappa(&counts(13, 4, 7, 36), Confidence::USUAL).expect("a value");
        assert!((kappa.value - 0.571_428_571).abs() < 1e-6, "{kappa:?}");
        for (counts, value) in [
            (counts(13, 4, 7, 36), 0.680_310_002),
            (counts(0, 1, 0, 99), 0.989_899_500),
            (counts(6, 2, 0, 2), 0.655_172_414),
        ] {
            let ac1 = ac1(&counts, Confidence::USUAL).expect("a value");
            assert!((ac1.value - value).abs() < 1e-6 && ac1.holds(value) && ac1.high <= 1.0, "{ac1:?}");
        }
    }

    #[test]
    fn rare_faults_leave_something_to_say() {
        let rare = counts(0, 1, 0, 99);
        assert!(kappa(&rare, Confidence::USUAL).is_some_and(|kappa| kappa.value.abs() < 1e-9));
        assert!(ac1(&rare, Confidence::USUAL).is_some_and(|ac1| ac1.value > 0.98 && ac1.high <= 1.0));
        let all = ac1(&counts(0, 0, 0, 10), Confidence::USUAL).expect("a value");
        assert!(is_one(all.value) && (0.6..0.95).contains(&all.low), "ten records are no proof: {all:?}");
        assert_eq!(ac1(&counts(0, 0, 0, 0), Confidence::USUAL), None);
    }
}
