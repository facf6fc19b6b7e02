//! The cost of a model by tokens.
//!
//! Prices come from the configuration. None are built in, because they change. This module must not know any provider.

use assize_core::prompt::Question;

/// The assumed bytes of a token in the bound on a question's cost. Ordinary text has about four. Only a text of digits
/// and signs has fewer than two on average.
pub const BYTES_PER_TOKEN_MIN: u64 = 2;
/// Bytes that may be added to the question: a schema in the rules, the previous error, the request itself.
pub const OVERHEAD_BYTES: u64 = 4_096;
/// The highest accepted price of a million tokens, in US dollars.
pub const PRICE_USD_MAX: f64 = 100_000.0;

/// The prices of a million tokens, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Prices {
    /// Input tokens.
    pub in_usd_per_mtok: Option<f64>,
    /// Output tokens.
    pub out_usd_per_mtok: Option<f64>,
}

impl Prices {
    /// Checks configured prices.
    ///
    /// # Errors
    ///
    /// Names the invalid price.
    pub fn new(in_usd_per_mtok: Option<f64>, out_usd_per_mtok: Option<f64>) -> Result<Self, String> {
        for (name, price) in [("price_in_usd_per_mtok", in_usd_per_mtok), ("price_out_usd_per_mtok", out_usd_per_mtok)]
        {
            check_price(name, price)?;
        }
        Ok(Self { in_usd_per_mtok, out_usd_per_mtok })
    }

    /// Returns the cost of so many tokens, or `None` if a price is missing.
    pub fn cost_usd(&self, tokens_in: u64, tokens_out: u64) -> Option<f64> {
        let price = |tokens: u64, usd_per_mtok: f64| tokens as f64 * usd_per_mtok / 1e6;
        Some(price(tokens_in, self.in_usd_per_mtok?) + price(tokens_out, self.out_usd_per_mtok?))
    }

    /// Returns the most that a question can cost.
    pub fn worst_cost_usd(&self, question: &Question, tokens_out_max: u64) -> Option<f64> {
        let bytes = question.system.len() + question.prompt.len() + question.schema.to_string().len();
        self.cost_usd((bytes as u64 + OVERHEAD_BYTES) / BYTES_PER_TOKEN_MIN, tokens_out_max)
    }
}

/// Checks a configured amount.
pub(super) fn check_price(name: &str, usd: Option<f64>) -> Result<(), String> {
    match usd {
        Some(usd) if !(0.0..=PRICE_USD_MAX).contains(&usd) => {
            Err(format!("{name} is {usd}, not between 0 and {PRICE_USD_MAX}"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::testing::question;

    #[test]
    fn a_cost_takes_both_prices() {
        let prices = Prices::new(Some(3.0), Some(15.0)).expect("prices");
        assert_eq!(prices.cost_usd(1_000_000, 100_000), Some(4.5));
        assert_eq!(Prices::new(Some(3.0), None).expect("prices").cost_usd(1, 1), None);
        assert_eq!(Prices::default().cost_usd(0, 0), None);
    }

    #[test]
    fn prices_have_limits() {
        for price in [0.0, PRICE_USD_MAX] {
            assert!(Prices::new(Some(price), Some(price)).is_ok());
        }
        for price in [-0.01, PRICE_USD_MAX + 1.0, f64::NAN, f64::INFINITY] {
            assert!(Prices::new(Some(price), None).is_err());
            assert!(Prices::new(None, Some(price)).expect_err("no price").contains("price_out"));
        }
    }

    #[test]
    fn the_worst_cost_grows_with_the_question() {
        let prices = Prices::new(Some(2.0), Some(1.0)).expect("prices");
        let short = prices.worst_cost_usd(&question(), 1_000_000).expect("a bound");
        let mut longer = question();
        longer.prompt.push_str(&"x".repeat(2_000_000));
        let long = prices.worst_cost_usd(&longer, 1_000_000).expect("a bound");
        assert!(short > 1.0, "{short}");
        assert!((long - short - 2.0).abs() < 1e-9, "{long} {short}");
    }
}
