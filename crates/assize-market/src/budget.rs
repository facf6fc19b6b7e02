//! How many iterations each bidder may take.
//!
//! A pool is shared out by weight and efficiency, in whole iterations: everybody gets at least one, and what is left by rounding goes to
//! those who were nearest to one more.

/// How well a bidder has used iterations: those of its implementations that succeeded, for each iteration that all of them took, with
/// one of each counted beforehand. It lies above 0 and at most at 1; who has implemented nothing yet has 1.
pub fn efficiency(successes: u32, iterations: u32) -> f64 {
    (f64::from(successes) + 1.0) / (f64::from(iterations.max(successes)) + 1.0)
}

/// A pool that does not reach for one iteration each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{pool} iterations are too few for {bidders} bidders: each has at least one")]
pub struct PoolTooSmall {
    /// Iterations in all.
    pub pool: u32,
    /// Who shares them.
    pub bidders: usize,
}

/// Shares a pool out in proportion to `shares`, by the method of the largest remainder (Hamilton), with at least one for each: who is
/// due less than one gets one, and the others share what is left. Equal remainders go to the one named first.
///
/// # Errors
///
/// Fails where the pool has fewer iterations than there are bidders.
pub fn allot(pool: u32, shares: &[f64]) -> Result<Vec<u32>, PoolTooSmall> {
    let too_small = PoolTooSmall { pool, bidders: shares.len() };
    if u32::try_from(shares.len()).map_or(true, |bidders| bidders > pool) {
        return Err(too_small);
    }
    let shares: Vec<f64> = shares.iter().map(|share| if share.is_finite() { share.max(0.0) } else { 0.0 }).collect();
    let mut open: Vec<usize> = (0..shares.len()).collect();
    let mut left = pool;
    let mut allotted = vec![1; shares.len()];
    let due = |at: usize, open: &[usize], left: u32| {
        let sum: f64 = open.iter().map(|at| shares[*at]).sum();
        if sum > 0.0 { f64::from(left) * shares[at] / sum } else { f64::from(left) / open.len() as f64 }
    };
    // Who is due less than one lowers what is left for the others, of whom some may now be due less than one.
    loop {
        let (enough, less): (Vec<usize>, Vec<usize>) = open.iter().partition(|at| due(**at, &open, left) >= 1.0);
        if less.is_empty() {
            break;
        }
        left -= less.len() as u32;
        open = enough;
    }
    let dues: Vec<(usize, f64)> = open.iter().map(|at| (*at, due(*at, &open, left))).collect();
    let mut rest = left;
    for (at, due) in &dues {
        allotted[*at] = due.floor() as u32;
        rest -= allotted[*at];
    }
    let mut by_remainder = dues;
    by_remainder.sort_by(|(_, one), (_, other)| other.fract().total_cmp(&one.fract()));
    for (at, _) in by_remainder.into_iter().cycle().take(rest as usize) {
        allotted[at] += 1;
    }
    Ok(allotted)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_pool_is_shared_in_proportion() {
        for (pool, shares, wanted) in [
            (10, &[0.5, 0.3, 0.2][..], &[5, 3, 2][..]),
            // 5.5, 3.3 and 2.2: the half is the largest remainder.
            (11, &[0.5, 0.3, 0.2], &[6, 3, 2]),
            // 6, 3.6 and 2.4.
            (12, &[0.5, 0.3, 0.2], &[6, 4, 2]),
            (3, &[0.9, 0.05, 0.05], &[1, 1, 1]),
            (10, &[0.9, 0.05, 0.05], &[8, 1, 1]),
            (7, &[1.0, 1.0, 1.0], &[3, 2, 2]),
            (7, &[0.0, 0.0, 0.0], &[3, 2, 2]),
            (7, &[f64::NAN, 1.0, f64::INFINITY], &[1, 5, 1]),
            (0, &[], &[]),
        ] {
            assert_eq!(allot(pool, shares).as_deref(), Ok(wanted), "{pool} {shares:?}");
        }
    }

    #[test]
    fn everybody_has_one_or_there_is_no_market() {
        assert_eq!(allot(3, &[0.2; 3]).as_deref(), Ok(&[1, 1, 1][..]));
        let error = allot(2, &[0.2; 3]).expect_err("too few");
        assert_eq!(error.to_string(), "2 iterations are too few for 3 bidders: each has at least one");
    }

    #[test]
    fn efficiency_is_success_by_iteration() {
        for (successes, iterations, wanted) in [(0, 0, 1.0), (3, 3, 1.0), (3, 9, 0.4), (0, 4, 0.2), (5, 2, 1.0)] {
            assert!((efficiency(successes, iterations) - wanted).abs() < 1e-12);
        }
    }

    proptest! {
        #[test]
        fn the_whole_pool_is_shared_out(shares in prop::collection::vec(0.0..1.0_f64, 1..20), more in 0..500_u32) {
            let pool = shares.len() as u32 + more;
            let allotted = allot(pool, &shares).expect("enough");
            prop_assert_eq!(allotted.iter().sum::<u32>(), pool);
            prop_assert!(allotted.iter().all(|count| *count >= 1));
            for one in 0..shares.len() {
                for other in 0..shares.len() {
                    prop_assert!(shares[one] <= shares[other] || allotted[one] >= allotted[other]);
                }
            }
        }
    }
}
