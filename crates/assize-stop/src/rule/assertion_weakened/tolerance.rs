//! What a comparison of numbers with a tolerance lets pass.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A number as it stands in code, or as a runner prints it.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)(?:\b|-)[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?").expect("valid pattern")
});

/// Below this part of a number, a difference is noise of its binary form.
const NOISE: f64 = 1e-6;

/// What a line compared exactly, and now compares with a tolerance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tolerated {
    expected: f64,
    tolerance: f64,
}

impl Tolerated {
    /// Returns the numbers, each with its tolerance, that the new line may tolerate where the old one compared exactly.
    pub(super) fn of(old: &str, new: &str) -> Vec<Self> {
        if tolerance(old, 1.0).is_some() || tolerance(new, 1.0).is_none() {
            return Vec::new();
        }
        let stays = |number: &f64| *number != 0.0 && numbers(new).any(|other| other == *number);
        let stated = numbers(old).filter(stays);
        stated.filter_map(|expected| Some(Self { expected, tolerance: tolerance(new, expected)? })).collect()
    }

    /// Returns whether a report of failures sets another number against the expected one, by more than noise, that passes now.
    pub(super) fn admits_one_of(self, report: &str) -> bool {
        let lines: Vec<Vec<f64>> = report.lines().map(|line| numbers(line).collect()).collect();
        let is_expected = |number: &f64| *number == self.expected;
        let is_let_in = |number: &f64| {
            let difference = (number - self.expected).abs();
            difference > NOISE * self.expected.abs() && difference <= self.tolerance
        };
        // Runners print what they expected and what came on one line, or on two that follow each other.
        lines.windows(2).any(|pair| {
            let both = || pair[0].iter().chain(&pair[1]);
            both().any(is_expected) && both().any(is_let_in)
        })
    }
}

fn numbers(text: &str) -> impl Iterator<Item = f64> {
    NUMBER.find_iter(text).filter_map(|number| number.as_str().replace('_', "").parse().ok())
}

/// The tolerance of a comparison; `None` where it has none.
fn tolerance(line: &str, expected: f64) -> Option<f64> {
    static GIVEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?-u)\babs(?:_tol)?=(?P<abs>[0-9.e+-]+)|\brel(?:_tol)?=(?P<rel>[0-9.e+-]+)|toBeCloseTo\([ -+\--~]+, *(?P<digits>[0-9]+)\)|\bplaces=(?P<places>[0-9]+)|",
            r"\b(?:delta=|accuracy: ?|epsilon ?= ?|be_within\(|within\(|offset\(|plusOrMinus )(?P<near>[0-9][0-9.e_-]*)|",
            r"(?:_NEAR|InDelta|assertEquals|assertEqualsWithDelta|assert_in_delta|AreEqual|assertAlmostEqual)\([ -~]*, *(?P<last>[0-9][0-9.e_-]*)(?:, *[\x22'][ -~]*[\x22'])?\)|",
            r"\babs\(\)? *(?:<=?) *(?P<below>[0-9][0-9.e_-]*)|abs\([ -~]*\) *<=? *(?P<under>[0-9][0-9.e_-]*)",
        ))
        .expect("valid pattern")
    });
    let value = |found: &Captures<'_>, name: &str| found.name(name).and_then(|it| it.as_str().replace('_', "").parse::<f64>().ok());
    let given = GIVEN.captures_iter(line).filter_map(|found| {
        let digits = value(&found, "digits").or_else(|| value(&found, "places"));
        let plain = ["abs", "near", "last", "below", "under"].iter().find_map(|name| value(&found, name));
        let part = value(&found, "rel").map(|part| part * expected.abs());
        plain.or(part).or_else(|| digits.map(|digits| 0.5 * 10f64.powf(-digits)))
    });
    let widest = given.reduce(f64::max);
    widest.or_else(|| {
        let defaults = [("approx(", NOISE * expected.abs()), ("toBeCloseTo(", 0.005), ("assertAlmostEqual(", 0.5e-7), ("isclose(", 1e-9 * expected.abs())];
        defaults.iter().find(|(call, _)| line.contains(call)).map(|(_, tolerance)| *tolerance)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_read_as_the_call_means_it() {
        for (line, expected) in [
            ("assert gross(30.0) == pytest.approx(35.7, abs=0.02)", Some(0.02)),
            ("assert balance(1000) == pytest.approx(1051.27, rel=1e-3)", Some(1.05127)),
            ("expect(gross(30)).toBeCloseTo(35.7, 1)", Some(0.05)),
            ("expect(gross(30)).toBeCloseTo(35.7)", Some(0.005)),
            ("self.assertAlmostEqual(gross(30), 35.7, places=1)", Some(0.05)),
            ("EXPECT_NEAR(gross(30), 35.7, 0.1);", Some(0.1)),
            ("assert!((gross(30.0) - 35.7).abs() < 0.02);", Some(0.02)),
            ("XCTAssertEqual(gross(30), 35.7, accuracy: 0.02)", Some(0.02)),
            ("assert gross(30.0) == 35.7", None),
        ] {
            let number = if line.contains("1051") { 1051.27 } else { 35.7 };
            let found = tolerance(line, number);
            let is_near = found.zip(expected).is_none_or(|(found, expected)| (found - expected).abs() < 1e-6);
            assert!(found.is_some() == expected.is_some() && is_near, "{line}: {found:?}");
        }
    }

    #[test]
    fn what_a_run_showed_is_let_in_or_kept_out() {
        let admits = |old: &str, new: &str, report: &str| Tolerated::of(old, new).iter().any(|it| it.admits_one_of(report));
        let old = "assert gross(30.0) == 35.7";
        assert!(admits(old, "assert gross(30.0) == approx(35.7, abs=0.02)", "E  assert 35.69 == 35.7\n1 failed"));
        assert!(!admits(old, "assert gross(30.0) == approx(35.7, abs=0.005)", "E  assert 35.69 == 35.7\n1 failed"));
        assert!(!admits(old, "assert gross(30.0) == approx(35.7)", "E  assert 35.69 == 35.7\n1 failed"));
        let sum = ("assert total() == 0.6", "assert total() == approx(0.6, abs=0.01)");
        assert!(!admits(sum.0, sum.1, "E  assert 0.6000000000000001 == 0.6\n1 failed"), "noise");
        let split = "Expected: 35.7\nReceived: 35.69\n";
        assert!(admits("expect(gross(30)).toBe(35.7)", "expect(gross(30)).toBeCloseTo(35.7, 1)", split));
    }
}
