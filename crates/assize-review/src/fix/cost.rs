//! What asking fixers costs, and when enough was spent.
//!
//! A fix and the making of candidates count alike and stop alike. What is not known is not nothing: a sum with an unknown
//! part is unknown.

use assize_core::opinion::JudgeRecord;
use serde::{Deserialize, Serialize};

use crate::fix::policy::{FixEnding, FixPolicy};

/// What was spent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spending {
    /// Milliseconds that it took.
    pub time_ms: u64,
    /// US dollars that it cost; `None` where the cost is unknown.
    pub cost_usd: Option<f64>,
}

impl Default for Spending {
    fn default() -> Self {
        Self { time_ms: 0, cost_usd: Some(0.0) }
    }
}

impl Spending {
    /// Adds what one step has spent.
    pub fn add(&mut self, time_ms: u64, cost_usd: Option<f64>) {
        self.time_ms = self.time_ms.saturating_add(time_ms);
        self.cost_usd = self.cost_usd.zip(cost_usd).map(|(before, now)| before + now);
    }

    /// Returns what is used up of what a policy allows.
    pub fn used_up(&self, policy: &FixPolicy) -> Option<FixEnding> {
        if self.time_ms >= policy.time_s_max.saturating_mul(1_000) {
            return Some(FixEnding::TimeSpent);
        }
        match (policy.cost_usd_max, self.cost_usd) {
            (Some(_), None) => Some(FixEnding::PriceUnknown),
            (Some(most), Some(spent)) if spent >= most => Some(FixEnding::MoneySpent),
            _ => None,
        }
    }
}

/// What asking a fixer came to cost, one or several times.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Costs {
    /// How often it was asked.
    pub requests: u32,
    /// How many of its answers came out of the cache.
    pub cached: u32,
    /// Tokens sent.
    pub tokens_in: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// Time and money.
    #[serde(flatten)]
    pub spent: Spending,
}

impl Costs {
    /// Adds one asking. `fixer` says who answered, where a model did.
    pub fn add(&mut self, time_ms: u64, cost_usd: Option<f64>, fixer: Option<&JudgeRecord>) {
        self.requests = self.requests.saturating_add(1);
        self.spent.add(time_ms, cost_usd);
        if let Some(fixer) = fixer {
            self.cached = self.cached.saturating_add(u32::from(fixer.cached));
            self.tokens_in = self.tokens_in.saturating_add(fixer.tokens_in);
            self.tokens_out = self.tokens_out.saturating_add(fixer.tokens_out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_at_its_limit_and_not_before() {
        let policy = FixPolicy { time_s_max: 2, cost_usd_max: Some(0.5), ..FixPolicy::default() };
        let used_up = |time_ms, cost_usd| Spending { time_ms, cost_usd }.used_up(&policy);
        assert_eq!(used_up(1_999, Some(0.49)), None);
        assert_eq!(used_up(2_000, Some(0.0)), Some(FixEnding::TimeSpent));
        assert_eq!(used_up(0, Some(0.5)), Some(FixEnding::MoneySpent));
        assert_eq!(used_up(0, None), Some(FixEnding::PriceUnknown));
        assert_eq!(Spending { time_ms: 0, cost_usd: None }.used_up(&FixPolicy::default()), None);
    }

    #[test]
    fn a_sum_with_an_unknown_part_is_unknown() {
        let model = JudgeRecord { cached: true, tokens_in: 100, tokens_out: 20, ..JudgeRecord::default() };
        let mut costs = Costs::default();
        costs.add(5, Some(0.25), Some(&model));
        costs.add(5, Some(0.25), None);
        assert_eq!((costs.requests, costs.cached, costs.tokens_in, costs.tokens_out), (2, 1, 100, 20));
        assert_eq!(costs.spent, Spending { time_ms: 10, cost_usd: Some(0.5) });
        costs.add(5, None, None);
        assert_eq!(costs.spent, Spending { time_ms: 15, cost_usd: None });
    }
}
