//! What a fix may cost, and how it ends.

use assize_core::ruling::Unjudged;
use serde::{Deserialize, Serialize};

/// The limits at which a fix stops.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FixPolicy {
    /// Most rounds of the configured fixer. What tools offer is free; it has as many rounds of its own.
    pub rounds_max: u32,
    /// Most seconds, judging included.
    pub time_s_max: u64,
    /// Most US dollars, judging included; without it only the budget of a day holds.
    pub cost_usd_max: Option<f64>,
}

impl Default for FixPolicy {
    fn default() -> Self {
        Self { rounds_max: 3, time_s_max: 1_800, cost_usd_max: None }
    }
}

/// Why a fix is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FixEnding {
    /// The best state is accepted.
    Accepted,
    /// Nothing differs from the base, and nothing is objected to.
    Unchanged,
    /// The court rejects the work, and no patch can fix that.
    Rejected,
    /// The court could not say what is wrong.
    Unjudged,
    /// The rounds are used up.
    RoundsSpent,
    /// The time is used up.
    TimeSpent,
    /// The money is used up.
    MoneySpent,
    /// A limit of cost is set, and the cost of a paid step is unknown.
    PriceUnknown,
    /// A patch led to where an earlier one had led.
    Repeats,
    /// No fixer offers anything more.
    NothingOffered,
    /// The fixer could not be asked.
    Unavailable(Unjudged),
}

impl FixEnding {
    /// Says it in words.
    pub fn sentence(&self) -> String {
        match self {
            Self::Accepted => "it is accepted".to_owned(),
            Self::Unchanged => "there is nothing to fix, since nothing differs from the base".to_owned(),
            Self::Rejected => "the work is rejected, which no small patch can fix".to_owned(),
            Self::Unjudged => "it could not be judged".to_owned(),
            Self::RoundsSpent => "the rounds are used up".to_owned(),
            Self::TimeSpent => "the time is used up".to_owned(),
            Self::MoneySpent => "the money is used up".to_owned(),
            Self::PriceUnknown => "there is a limit of cost, and what was paid is unknown".to_owned(),
            Self::Repeats => "a patch led to where an earlier one had led".to_owned(),
            Self::NothingOffered => "no fixer offers anything more".to_owned(),
            Self::Unavailable(why) => format!("the fixer could not be asked: {why}"),
        }
    }
}
