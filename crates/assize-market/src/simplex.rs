//! Weights that sum to one, each within bounds.
//!
//! A change of one weight is a change of all: the others give or take evenly, as far as their bounds allow. The result is the point of
//! the bounded simplex that lies nearest to the changed weights, found exactly and not by repeated clamping, which leaves the
//! bounds or the sum. This module must not know whose weights they are.

/// Lowest weight, as long as there is enough for it: of more than twenty holders each has at least half an even share.
pub const WEIGHT_MIN: f64 = 0.05;
/// Highest weight, where there is room for it: one holder alone has all of it.
pub const WEIGHT_MAX: f64 = 0.60;

/// Between what each of so many weights lies.
///
/// An even share always lies within the bounds, so that there are weights that fit.
pub fn bounds(count: usize) -> (f64, f64) {
    let even = 1.0 / count.max(1) as f64;
    let least = if even < WEIGHT_MIN { even / 2.0 } else { WEIGHT_MIN };
    (least, WEIGHT_MAX.max(even))
}

/// Returns the weights that sum to 1, lie within [`bounds`], and are nearest to those given (least squares).
///
/// They have the form `clamp(w - t)` with one `t` for all; the sum falls as `t` grows, in straight pieces between the points at which a
/// weight meets a bound (Kiwiel 2008, "Breakpoint searching algorithms for the continuous quadratic knapsack problem",
/// equations 2 to 4). What is no number counts as 0.
pub fn project(weights: &[f64]) -> Vec<f64> {
    let (least, most) = bounds(weights.len());
    let weights: Vec<f64> = weights.iter().map(|weight| if weight.is_finite() { *weight } else { 0.0 }).collect();
    let clamped = |shift: f64| weights.iter().map(move |weight| (weight - shift).clamp(least, most));
    let mut points: Vec<f64> = weights.iter().flat_map(|weight| [weight - least, weight - most]).collect();
    points.sort_by(f64::total_cmp);
    // The last point at which the sum is still 1 or more: from there to the next one it is a straight line.
    let after = points.partition_point(|point| clamped(*point).sum::<f64>() >= 1.0);
    let Some(from) = after.checked_sub(1).map(|at| points[at]) else { return clamped(0.0).collect() };
    // As the points were computed, so that rounding cannot tell them apart.
    let free = |weight: &&f64| **weight - most <= from && **weight - least > from;
    let moving = weights.iter().filter(free).count();
    let surplus = clamped(from).sum::<f64>() - 1.0;
    let shift = if moving == 0 { from } else { from + surplus / moving as f64 };
    clamped(shift).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(is: &[f64], wanted: &[f64]) {
        assert_eq!(is.len(), wanted.len());
        for (is, wanted) in is.iter().zip(wanted) {
            assert!((is - wanted).abs() < 1e-12, "{is} {wanted}");
        }
    }

    #[test]
    fn what_one_gains_the_others_lose_evenly() {
        let third = 1.0 / 3.0;
        near(&project(&[third + 0.10, third, third]), &[0.4, 0.3, 0.3]);
        near(
            &project(&[third + 0.15, third - 0.02, third - 0.02]),
            &[third + 0.15 - 0.11 / 3.0, third - 0.17 / 3.0, third - 0.17 / 3.0],
        );
    }

    #[test]
    fn bounds_hold_and_the_rest_is_shared() {
        near(&project(&[0.70, 0.25, 0.05]), &[0.60, 0.30, 0.10]);
        near(&project(&[0.45, 0.50, -0.10]), &[0.45, 0.50, 0.05]);
        near(&project(&[9.0, -9.0, -9.0]), &[0.60, 0.20, 0.20]);
        near(&project(&[0.0, 0.0]), &[0.5, 0.5]);
    }

    #[test]
    fn few_and_many_have_bounds_of_their_own() {
        assert_eq!(project(&[]), [] as [f64; 0]);
        near(&project(&[0.2]), &[1.0]);
        assert_eq!((bounds(20), bounds(40)), ((0.05, 0.60), (0.0125, 0.60)));
        near(&project(&[0.5; 20]), &[0.05; 20]);
        near(&project(&[0.5; 40]), &[0.025; 40]);
        near(&project(&[f64::NAN, f64::INFINITY, 0.0]), &[1.0 / 3.0; 3]);
    }

    proptest! {
        #[test]
        fn it_sums_to_one_within_bounds(weights in prop::collection::vec(-2.0..2.0_f64, 2..30)) {
            let (least, most) = bounds(weights.len());
            let projected = project(&weights);
            prop_assert!((projected.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{projected:?}");
            prop_assert!(projected.iter().all(|weight| (least..=most).contains(weight)), "{projected:?}");
        }

        #[test]
        fn what_fits_stays_as_it_is(weights in prop::collection::vec(-2.0..2.0_f64, 2..30)) {
            let once = project(&weights);
            for (is, was) in project(&once).iter().zip(&once) {
                prop_assert!((is - was).abs() < 1e-12);
            }
        }

        #[test]
        fn no_other_point_that_fits_is_nearer(
            weights in prop::collection::vec(-1.0..1.0_f64, 3..8),
            other in prop::collection::vec(-1.0..1.0_f64, 8),
        ) {
            let distance = |point: &[f64]| point.iter().zip(&weights).map(|(one, two)| (one - two).powi(2)).sum::<f64>();
            let other = project(&other[..weights.len()]);
            prop_assert!(distance(&project(&weights)) <= distance(&other) + 1e-12);
        }

        #[test]
        fn more_stays_more(weights in prop::collection::vec(-2.0..2.0_f64, 2..30)) {
            let projected = project(&weights);
            for one in 0..weights.len() {
                for other in 0..weights.len() {
                    prop_assert!(weights[one] < weights[other] || projected[one] >= projected[other] - 1e-15);
                }
            }
        }
    }
}
