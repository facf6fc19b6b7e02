//! Whether two groups of records differ by more than chance.

use statrs::function::gamma::ln_gamma;

/// How many of two groups have something, and how many have not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TwoGroups {
    /// In the first group: with it and without.
    pub first: [u64; 2],
    /// In the second group: with it and without.
    pub second: [u64; 2],
}

/// Tables whose probability is larger than that of the one that was seen by less than this part are as likely: the rest is rounding.
const AS_LIKELY: f64 = 1e-7;

/// Returns the probability of a difference as unlikely as this one, or more so, if both groups have it equally often: Fisher's exact test,
/// two-sided by the probabilities of all tables with the same margins (Fisher 1935; Agresti 2013, section 3.5.3). `None` where a
/// margin is empty: then there is nothing to compare.
pub fn fisher(groups: TwoGroups) -> Option<f64> {
    let TwoGroups { first: [with, without], second: [other_with, other_without] } = groups;
    let (first, second) = (with + without, other_with + other_without);
    let (all_with, all_without) = (with + other_with, without + other_without);
    if first == 0 || second == 0 || all_with == 0 || all_without == 0 {
        return None;
    }
    let ln_choose = |of: u64, count: u64| ln_factorial(of) - ln_factorial(count) - ln_factorial(of - count);
    let total = ln_choose(first + second, all_with);
    let ln_probability = |count: u64| ln_choose(first, count) + ln_choose(second, all_with - count) - total;
    let seen = ln_probability(with) + AS_LIKELY;
    let counts = all_with.saturating_sub(second)..=first.min(all_with);
    let sum: f64 = counts.map(ln_probability).filter(|here| *here <= seen).map(f64::exp).sum();
    Some(sum.min(1.0))
}

fn ln_factorial(count: u64) -> f64 {
    ln_gamma(count as f64 + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_test_of_other_programs() {
        // scipy.stats.fisher_exact(...).pvalue
        for (first, second, expected) in [
            ([8, 2], [1, 5], 0.034_965_035),
            ([1, 9], [11, 3], 0.002_759_456),
            ([10, 0], [0, 10], 0.000_010_825_088),
            ([5, 5], [5, 5], 1.0),
            ([3, 1], [2, 2], 1.0),
        ] {
            let found = fisher(TwoGroups { first, second }).expect("something to compare");
            assert!((found - expected).abs() < 1e-8, "{first:?} {second:?}: {found}");
            let turned = fisher(TwoGroups { first: second, second: first }).expect("the same");
            assert!((found - turned).abs() < 1e-12, "whichever is first");
        }
    }

    #[test]
    fn where_a_margin_is_empty_there_is_nothing_to_compare() {
        for (first, second) in [([0, 0], [1, 2]), ([1, 2], [0, 0]), ([0, 3], [0, 4]), ([3, 0], [4, 0])] {
            assert_eq!(fisher(TwoGroups { first, second }), None, "{first:?} {second:?}");
        }
        assert!(
            fisher(TwoGroups { first: [400_000, 100_000], second: [100_000, 400_000] }).expect("large").abs() < 1e-9
        );
    }
}
