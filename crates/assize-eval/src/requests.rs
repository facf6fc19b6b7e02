//! What asking judges would take, and what it came to.
//!
//! Plain figures: commands count them, `render` shows them, and the JSON output carries them under their names.

use serde::Serialize;

/// What a run would take, or has taken, of judges.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestEstimate {
    /// Questions: one for each record, judge and repeat.
    pub questions: u64,
    /// How many have a reply already.
    pub answered: u64,
    /// Tokens that one call for each of the others sends, about.
    pub tokens_in: u64,
    /// What that costs at least, about, in US dollars; `None` where a price is not known.
    pub usd_low: Option<f64>,
    /// What that costs at most: every reply as long as it may be, and every question asked twice.
    pub usd_high: Option<f64>,
    /// A judge whose price is not known, and the settings that would make it known.
    #[serde(skip)]
    pub priceless: Option<(String, &'static str)>,
}

impl RequestEstimate {
    /// Nothing so far.
    pub fn nothing() -> Self {
        Self { usd_low: Some(0.0), usd_high: Some(0.0), ..Self::default() }
    }

    /// Adds what another case takes.
    pub fn add(&mut self, other: Self) {
        self.questions += other.questions;
        self.answered += other.answered;
        self.tokens_in += other.tokens_in;
        self.usd_low = self.usd_low.zip(other.usd_low).map(|(sum, usd)| sum + usd);
        self.usd_high = self.usd_high.zip(other.usd_high).map(|(sum, usd)| sum + usd);
        self.priceless = self.priceless.take().or(other.priceless);
    }
}

/// A call in progress when its run ended. Whether it was billed is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InterruptedCall {
    /// The record that it was about.
    pub record: String,
    /// The judge.
    pub judge: String,
}

/// What asking came to.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestTotals {
    /// Questions: one for each record, judge and repeat.
    pub questions: u64,
    /// How many had a reply before.
    pub answered_before: u64,
    /// Calls of this run, those of before it was interrupted included.
    pub calls: u64,
    /// What they cost, in US dollars; calls whose cost is not known count with the most that they can cost.
    pub spent_usd: f64,
    /// Calls that were under way when the run was interrupted: they may have been paid for, and are made again.
    pub interrupted: Vec<InterruptedCall>,
    /// Calls that got no answer while others did: they may have been paid for.
    pub stuck: Vec<InterruptedCall>,
}

impl RequestTotals {
    /// Adds what asking came to in another part of the same run.
    pub fn add(&mut self, later: Self) {
        let first = self.questions == 0;
        self.questions += later.questions;
        self.answered_before += later.answered_before;
        // Both are counted over the whole run.
        (self.calls, self.spent_usd) = (later.calls, later.spent_usd);
        if first {
            self.interrupted = later.interrupted;
        }
        self.stuck.extend(later.stuck);
    }
}
