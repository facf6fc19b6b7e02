//! An estimate with what is known of how far it may be off, and intervals for a share of counted things.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, Normal};

/// A figure out of a sample, with an interval that holds the true one in a stated share of samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// Returns an estimate around a value.
    pub(super) fn around(value: f64, reach: f64) -> Self {
        Self { value, low: value - reach, high: value + reach }
    }

    /// Returns the estimate within what the figure can be at all.
    #[must_use]
    pub fn within(self, least: f64, most: f64) -> Self {
        let Self { value, low, high } = self;
        Self { value: value.clamp(least, most), low: low.clamp(least, most), high: high.clamp(least, most) }
    }

    /// Returns how wide the interval is.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Returns whether the interval holds a figure.
    pub fn holds(&self, figure: f64) -> bool {
        (self.low..=self.high).contains(&figure)
    }
}

/// In how many of a hundred samples an interval is to hold the true figure, as a share: above 0 and below 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "f64", into = "f64")]
pub struct Confidence(f64);

impl Confidence {
    /// 95 in a hundred.
    pub const USUAL: Self = Self(0.95);

    /// Returns how many standard deviations of a normal distribution lie on either side of its middle.
    pub fn z(self) -> f64 {
        Normal::standard().inverse_cdf(f64::midpoint(1.0, self.0))
    }
}

impl TryFrom<f64> for Confidence {
    type Error = &'static str;

    fn try_from(share: f64) -> Result<Self, Self::Error> {
        if share > 0.0 && share < 1.0 { Ok(Self(share)) } else { Err("lies between 0 and 1, and is neither") }
    }
}

impl From<Confidence> for f64 {
    fn from(confidence: Confidence) -> Self {
        confidence.0
    }
}

/// Returns a share of counted things; `None` if none were counted. Wilson's score interval (Wilson 1927; eq. 4 in Brown,
/// Cai and DasGupta 2001).
pub fn share(hits: u64, of: u64, confidence: Confidence) -> Option<Estimate> {
    if of == 0 || hits > of {
        return None;
    }
    let (n, z) = (of as f64, confidence.z());
    let p = hits as f64 / n;
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let reach = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    // At either end the sum is off by a rounding.
    let low = if hits == 0 { 0.0 } else { middle - reach };
    let high = if hits == of { 1.0 } else { middle + reach };
    Some(Estimate { value: p, low, high }.within(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        assert!(close(Confidence::USUAL.z(), 1.959_964));
        assert!(close(Confidence::try_from(0.9).expect("a share").z(), 1.644_854));
        for share in [0.0, 1.0, -0.1, f64::NAN] {
            assert!(Confidence::try_from(share).is_err(), "{share}");
        }
    }

    #[test]
    fn a_share_has_the_interval_of_wilson() {
        // statsmodels.stats.proportion.proportion_confint(k, n, method="wilson")
        for (hits, of, low, high) in [
            (0, 10, 0.0, 0.277_533),
            (1, 10, 0.017_876, 0.404_150),
            (36, 180, 0.148_109, 0.264_429),
            (10, 10, 0.722_467, 1.0),
        ] {
            let found = share(hits, of, Confidence::USUAL).expect("counted");
            assert!(close(found.low, low) && close(found.high, high), "{hits} of {of}: {found:?}");
            assert!(found.holds(found.value));
        }
        assert_eq!(share(0, 0, Confidence::USUAL), None);
        assert_eq!(share(2, 1, Confidence::USUAL), None);
    }
}
