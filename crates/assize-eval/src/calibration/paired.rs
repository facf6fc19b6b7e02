//! Whether two judgements of the same records differ by more than chance, and what is left of that when many are compared.

use statrs::function::gamma::ln_gamma;

/// Returns the probability of a difference as large as this one, or larger, if both judgements fail records equally often:
/// McNemar's test in its mid-p form (Fagerland, Lydersen and Laake 2013, section 2.4). `only_first` and `only_second` are the
/// records that one of them fails and the other passes; with none of them the result is 1.
pub fn mcnemar_mid_p(only_first: u64, only_second: u64) -> f64 {
    let (fewer, all) = (only_first.min(only_second), only_first + only_second);
    if all == 0 {
        return 1.0;
    }
    let here = half_binomial(fewer, all);
    if only_first == only_second {
        return 1.0 - here / 2.0;
    }
    // From here downwards each term is smaller than the one before by a known factor.
    let (mut term, mut tail) = (here, here);
    for hits in (1..=fewer).rev() {
        term *= hits as f64 / (all - hits + 1) as f64;
        tail += term;
        if term < tail * f64::EPSILON {
            break;
        }
    }
    (2.0 * tail - here).min(1.0)
}

/// The probability of so many heads among so many coins.
fn half_binomial(hits: u64, of: u64) -> f64 {
    let ln_factorial = |count: u64| ln_gamma(count as f64 + 1.0);
    (ln_factorial(of) - ln_factorial(hits) - ln_factorial(of - hits) - of as f64 * std::f64::consts::LN_2).exp()
}

/// Returns probabilities of several tests as they are when all of them are looked at: Holm's (1979) step-down adjustment, which
/// holds whatever the tests have to do with each other. `None` stands for a test that could not be made; it takes no part.
pub fn holm(tests: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut order: Vec<(usize, f64)> =
        tests.iter().enumerate().filter_map(|(index, test)| Some((index, (*test)?))).collect();
    order.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let mut adjusted = vec![None; tests.len()];
    let mut least = 0.0_f64;
    for (rank, (index, probability)) in order.iter().enumerate() {
        least = least.max(((order.len() - rank) as f64 * probability).min(1.0));
        adjusted[*index] = Some(least);
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mid_p_is_that_of_the_tables() {
        // 2 P(X <= m) - P(X = m), and 1 - P(X = m) / 2 where both are as many, for X of Binomial(b + c, 1/2), with scipy.stats.binom.
        for (first, second, expected) in [
            (0, 0, 1.0),
            (1, 1, 0.75),
            (0, 6, 0.015_625),
            (1, 7, 0.039_062_5),
            (6, 30, 0.000_041_257_590),
            (59, 45, 0.171_564_697),
            (1_000, 1_100, 0.029_110_634),
        ] {
            let found = mcnemar_mid_p(first, second);
            assert!((found - expected).abs() < 1e-6, "{first} {second}: {found}");
            assert!((found - mcnemar_mid_p(second, first)).abs() < 1e-15, "whichever is first");
        }
        assert!(mcnemar_mid_p(1_000_000_000, 1_000_100_000) > 0.01, "no number is too large");
    }

    #[test]
    fn tests_that_are_looked_at_together_have_to_be_clearer() {
        let found = holm(&[Some(0.04), None, Some(0.01), Some(0.03), Some(0.9)]);
        assert_eq!(found, [Some(0.09), None, Some(0.04), Some(0.09), Some(0.9)]);
        assert_eq!(holm(&[]), []);
        assert_eq!(holm(&[Some(0.7), Some(0.8)]), [Some(1.0), Some(1.0)]);
    }
}
