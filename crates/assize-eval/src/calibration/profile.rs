//! Intervals of agreement: every coefficient with which the labels that were seen are no surprise.
//!
//! Large-sample intervals take a coefficient for normally distributed. With few labels, or labels that nearly all say the same, they are far too sure: of six
//! records that both fail and four that only a person fails they would say that kappa is 0 and nothing else. Here a coefficient is
//! within the interval unless the table that explains the labels best under it is too far from them, by the power divergence of Cressie and Read
//! (1984): what is nearest is found by the likelihood, and how far it is by that statistic (as in Lang 2008, "Score and
//! profile likelihood confidence intervals for contingency table parameters").
//!
//! For kappa, a table of two raters is given by how often each says "fails", `a` and `b`, and by kappa: with `h = (a + b − 2ab) / 2` both
//! fail a record with probability `ab + kappa h`. In `b` alone each probability is linear, so that the logarithm of the likelihood is concave
//! and has one maximum, which is found by bisection; over `a` the best of a grid is refined. (To let the two take turns does
//! not do: where a pair of labels was never seen, they get stuck on the edge of what can be.) AC1 depends on how often both raters
//! together say "fails" and on how often they agree, and not on who says what where they differ: one share remains.

use std::ops::RangeInclusive;

use super::confusion::Confusion;
use super::interval::Confidence;

/// Halvings of an interval on the way to where the likelihood is greatest.
const HALVINGS: usize = 40;
/// Halvings on the way to the end of an interval: far below what is shown.
const EDGE_HALVINGS: usize = 24;
/// Shares of the first rater that are looked at before the best is refined.
const GRID: usize = 24;
/// Golden sections of what lies around the best.
const SECTIONS: usize = 30;
/// Kappas that are looked at lie between this and its opposite.
const FARTHEST: f64 = 1.0 - 1e-9;
/// The power of the divergence: 0 would be the likelihood ratio, 1 Pearson's statistic. Of the powers from 1.0 to 1.5 this one brings the
/// intervals nearest to 95 of a hundred in the settings of `cargo xtask coverage`, by the exact probabilities of all tables of 50, 100 and 200 labels:
/// 94.4 to 95.7. Far from those settings, 50 and 100 labels hold in 91 to 97 of a hundred, and 200 in 94 to 96.
const POWER: f64 = 1.30;

/// Returns the ends of the interval of kappa. `value` is that of the labels.
pub(super) fn of_kappa(counts: &Confusion, value: f64, confidence: Confidence) -> (f64, f64) {
    let table = ContingencyTable::of(counts);
    interval(value, confidence, |kappa| divergence(&table.0, table.nearest(kappa)))
}

/// How far counts are from probabilities that should explain them (Cressie and Read 1984, eq. 2.5); infinite where nothing can.
fn divergence<const CELLS: usize>(counts: &[f64; CELLS], probabilities: Option<[f64; CELLS]>) -> f64 {
    let Some(probabilities) = probabilities else { return f64::INFINITY };
    let total: f64 = counts.iter().sum();
    let of_cell = |(count, probability): (&f64, f64)| match *count {
        count if count <= 0.0 => 0.0,
        _ if probability <= 0.0 => f64::INFINITY,
        count => count * ((count / (total * probability)).powf(POWER) - 1.0),
    };
    let sum: f64 = counts.iter().zip(probabilities).map(of_cell).sum();
    2.0 / (POWER * (POWER + 1.0)) * sum
}

/// Returns the ends of the interval of AC1. `value` is that of the labels.
pub(super) fn of_ac1(counts: &Confusion, value: f64, confidence: Confidence) -> (f64, f64) {
    let [both, first, second, neither] = ContingencyTable::of(counts).0;
    let cells = [both, first + second, neither];
    let likelihood = |probabilities: [f64; 3]| -> f64 {
        let of_cell = |(count, probability): (&f64, f64)| match *count {
            count if count <= 0.0 => 0.0,
            _ if probability <= 0.0 => f64::NEG_INFINITY,
            count => count * probability.ln(),
        };
        cells.iter().zip(probabilities).map(of_cell).sum()
    };
    let at = |ac1: f64, fails: f64| {
        let chance = 2.0 * fails * (1.0 - fails);
        let apart = (1.0 - ac1) * (1.0 - chance);
        let probabilities = [fails - apart / 2.0, apart, 1.0 - fails - apart / 2.0];
        probabilities.iter().all(|probability| *probability >= 0.0).then_some(probabilities)
    };
    // Both probabilities of agreement are at least 0 between this share and its opposite.
    let least = |ac1: f64| {
        let half = (1.0 - ac1) / 2.0;
        let (linear, root) = (2.0 * half + 1.0, ((2.0 * half + 1.0).powi(2) - 8.0 * half * half).max(0.0).sqrt());
        if half < 1e-12 { 0.0 } else { ((linear - root) / (4.0 * half)).min(0.5) }
    };
    interval(value, confidence, |ac1| {
        let of = |fails: f64| at(ac1, fails).map_or(f64::NEG_INFINITY, likelihood);
        divergence(&cells, greatest(least(ac1)..=1.0 - least(ac1), of).and_then(|fails| at(ac1, fails)))
    })
}

/// The interval around a value within which the labels are near enough to what would explain them.
fn interval(value: f64, confidence: Confidence, distance: impl Fn(f64) -> f64) -> (f64, f64) {
    let allowed = confidence.z().powi(2);
    let fits = &|coefficient: f64| distance(coefficient) <= allowed;
    (edge(value, -FARTHEST, fits), edge(value, FARTHEST, fits))
}

/// The last kappa that fits, on the way from one that does to the farthest.
fn edge(fitting: f64, farthest: f64, fits: impl Fn(f64) -> bool) -> f64 {
    if fits(farthest) {
        return farthest.signum();
    }
    let (mut fitting, mut beyond) = (fitting, farthest);
    for _ in 0..EDGE_HALVINGS {
        let middle = f64::midpoint(fitting, beyond);
        *if fits(middle) { &mut fitting } else { &mut beyond } = middle;
    }
    fitting
}

/// The share of a range at which a value is greatest: the best of a grid, refined by golden sections. `None` where no share has a value.
fn greatest(range: RangeInclusive<f64>, of: impl Fn(f64) -> f64) -> Option<f64> {
    let (least, most) = range.into_inner();
    let step = (most - least) / GRID as f64;
    let grid = (0..GRID).map(|at| least + (at as f64 + 0.5) * step).map(|share| (share, of(share)));
    let best = grid.max_by(|(_, one), (_, other)| one.total_cmp(other));
    let (best, reached) = best.filter(|(_, reached)| *reached > f64::NEG_INFINITY)?;
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = ((best - step).max(least), (best + step).min(most));
    let (mut lower, mut upper) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_lower, mut at_upper) = (of(lower), of(upper));
    for _ in 0..SECTIONS {
        if at_lower > at_upper {
            (high, upper, at_upper) = (upper, lower, at_lower);
            lower = high - golden * (high - low);
            at_lower = of(lower);
        } else {
            (low, lower, at_lower) = (lower, upper, at_upper);
            upper = low + golden * (high - low);
            at_upper = of(upper);
        }
    }
    let found = [(best, reached), (lower, at_lower), (upper, at_upper)];
    found.into_iter().max_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(share, _)| share)
}

/// Labels of two raters: both fail, the first only, the second only, both pass.
struct ContingencyTable([f64; 4]);

impl ContingencyTable {
    fn of(counts: &Confusion) -> Self {
        Self([counts.both_fail, counts.judge_only, counts.person_only, counts.both_pass].map(|count| count as f64))
    }

    /// The same with the raters in each other's place.
    fn turned(&self) -> Self {
        let [both, first, second, neither] = self.0;
        Self([both, second, first, neither])
    }

    /// The probabilities with a kappa that explain the labels best; `None` where nothing can.
    fn nearest(&self, kappa: f64) -> Option<[f64; 4]> {
        let turned = self.turned();
        // Raters who nearly always differ each fail about half: of a kappa k below 0 a share b can be only where b (1 - b) is at least
        // -k / (2 (1 - k)). Elsewhere there is nothing to find, and the grid would miss what there is.
        let least = if kappa < 0.0 { (1.0 - ((1.0 + kappa) / (1.0 - kappa)).max(0.0).sqrt()) / 2.0 } else { 0.0 };
        let first = greatest(least..=1.0 - least, |first| match turned.suiting(kappa, first) {
            Some(second) => self.of_shares(kappa, first, second),
            None => f64::NEG_INFINITY,
        })?;
        let second = turned.suiting(kappa, first)?;
        Some(lines(kappa, second).map(|line| line.at_zero + line.slope * first))
    }

    /// The share of the first rater that suits a kappa and a share of the second best; `None` where none can be.
    fn suiting(&self, kappa: f64, second: f64) -> Option<f64> {
        let lines = lines(kappa, second);
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        for LinearProbability { at_zero, slope } in lines {
            if slope > 0.0 {
                low = low.max(-at_zero / slope);
            } else if slope < 0.0 {
                high = high.min(-at_zero / slope);
            } else if at_zero < 0.0 {
                return None;
            }
        }
        if low > high {
            return None;
        }
        let rises = |share: f64| {
            let mut slope_of_all = 0.0;
            for (count, LinearProbability { at_zero, slope }) in self.0.iter().zip(lines) {
                let probability = at_zero + slope * share;
                if *count > 0.0 && probability <= 0.0 {
                    return slope > 0.0;
                }
                if *count > 0.0 {
                    slope_of_all += count * slope / probability;
                }
            }
            slope_of_all > 0.0
        };
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            *if rises(middle) { &mut low } else { &mut high } = middle;
        }
        Some(f64::midpoint(low, high))
    }

    fn of_shares(&self, kappa: f64, first: f64, second: f64) -> f64 {
        let of_cell = |(count, line): (&f64, LinearProbability)| {
            let probability = line.at_zero + line.slope * first;
            if *count > 0.0 { count * probability.max(f64::MIN_POSITIVE).ln() } else { 0.0 }
        };
        self.0.iter().zip(lines(kappa, second)).map(of_cell).sum()
    }
}

/// A probability as it depends on the share of the first rater.
#[derive(Clone, Copy)]
struct LinearProbability {
    at_zero: f64,
    slope: f64,
}

/// The probabilities of a table, for a kappa and a share of the second rater.
fn lines(kappa: f64, second: f64) -> [LinearProbability; 4] {
    let line = |at_zero, slope| LinearProbability { at_zero, slope };
    let (at_zero, slope) = (kappa * second / 2.0, second + kappa * (1.0 - 2.0 * second) / 2.0);
    [
        line(at_zero, slope),
        line(-at_zero, 1.0 - slope),
        line(second - at_zero, -slope),
        line(1.0 - second + at_zero, slope - 1.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::agreement::kappa;
    use super::*;

    #[test]
    fn few_labels_leave_much_open() {
        // By another program, which looks over a fine grid of both shares.
        for (counts, low, high) in [
            ([13, 4, 7, 36], 0.320_550, 0.750_187),
            ([6, 2, 0, 2], -0.003_136, 0.857_624),
            ([1, 0, 2, 7], -0.086_658, 0.821_883),
            ([0, 2, 1, 7], -0.424_227, 0.598_525),
            ([6, 0, 4, 0], -0.434_821, 0.507_025),
            ([30, 0, 0, 30], 0.864_202, 1.0),
            ([32, 6, 5, 57], 0.601_712, 0.864_596),
        ] {
            let [both_fail, judge_only, person_only, both_pass] = counts;
            let counts = Confusion { both_fail, judge_only, person_only, both_pass };
            let found = kappa(&counts, Confidence::USUAL).expect("a value");
            let close = |one: f64, other: f64| (one - other).abs() < 1e-4;
            assert!(close(found.low, low) && close(found.high, high), "{counts:?}: {found:?}");
        }
    }

    #[test]
    fn what_can_hardly_be_is_found_in_its_narrow_band() {
        let counts = Confusion { both_fail: 1, judge_only: 99, person_only: 0, both_pass: 1 };
        let found = super::super::agreement::ac1(&counts, Confidence::USUAL).expect("a value");
        assert!(found.low < -0.985 && found.high > found.value, "{found:?}");
    }

    #[test]
    fn the_interval_holds_the_kappa_and_turns_with_the_raters() {
        for at in (0..400_u64).step_by(13) {
            let mut parts = [at % 7, at / 7 % 5, at / 35 % 4, at / 140 * 9 % 11];
            let table = |[both_fail, judge_only, person_only, both_pass]: [u64; 4]| {
                kappa(&Confusion { both_fail, judge_only, person_only, both_pass }, Confidence::USUAL)
            };
            let Some(found) = table(parts) else { continue };
            assert!(
                -1.0 <= found.low && found.low <= found.value && found.value <= found.high && found.high <= 1.0,
                "{parts:?}"
            );
            parts.swap(1, 2);
            let turned = table(parts).expect("the same labels");
            assert!((found.low - turned.low).abs() < 1e-4 && (found.high - turned.high).abs() < 1e-4, "{parts:?}");
        }
    }
}
