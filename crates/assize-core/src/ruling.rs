//! Outcomes, and the order in which they bound each other.
//!
//! `ruling = min(evidence, opinion)`: no opinion raises a ruling above what the evidence allows,
//! and not knowing is never better than an acceptance. This module must not know any court.

use serde::{Deserialize, Serialize};

/// What a court or a judge arrives at. The order is the one in which outcomes bound each other:
/// the lower one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The work misses what was asked for.
    Reject,
    /// The work has to go on.
    Revise,
    /// The work could not be judged.
    Unjudged,
    /// The work may stand.
    Accept,
}

impl Outcome {
    /// Returns the name that is shown and stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reject => "reject",
            Self::Revise => "revise",
            Self::Unjudged => "unjudged",
            Self::Accept => "accept",
        }
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Why something was not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The deadline passed.
    Timeout,
    /// The judge could not be reached or answered with an error, all attempts included.
    Unavailable,
    /// The model declined to answer.
    Refused,
    /// The reply stopped at the token limit.
    Truncated,
    /// The reply is blank.
    Empty,
    /// The reply is no verdict.
    Malformed,
    /// The reply carries a verdict that is not the judge's own, or more than one.
    Forged,
    /// Asking would have cost more than the budget has left.
    OverBudget,
    /// The judges do not agree in the way the panel asks for.
    Disagreement,
    /// The evidence could not be gathered.
    EvidenceMissing,
    /// The ledger could not be read or written, so a block could not be counted.
    LedgerUnavailable,
    /// The agent is itself a judge at work.
    Recursion,
    /// The event could not be read.
    MalformedEvent,
    /// The configuration cannot be used.
    BadConfiguration,
    /// There was nothing to judge, or no judge was to judge it.
    NotBeforeCourt,
}

impl Cause {
    /// Returns the name that is shown and stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Unavailable => "unavailable",
            Self::Refused => "refused",
            Self::Truncated => "truncated",
            Self::Empty => "empty",
            Self::Malformed => "malformed",
            Self::Forged => "forged",
            Self::OverBudget => "over_budget",
            Self::Disagreement => "disagreement",
            Self::EvidenceMissing => "evidence_missing",
            Self::LedgerUnavailable => "ledger_unavailable",
            Self::Recursion => "recursion",
            Self::MalformedEvent => "malformed_event",
            Self::BadConfiguration => "bad_configuration",
            Self::NotBeforeCourt => "not_before_court",
        }
    }
}

/// The statement that the work could not be judged, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unjudged {
    /// The kind of reason.
    pub cause: Cause,
    /// The reason in words.
    pub detail: String,
}

impl Unjudged {
    /// Makes the statement.
    pub fn new(cause: Cause, detail: impl Into<String>) -> Self {
        Self { cause, detail: detail.into() }
    }
}

impl std::fmt::Display for Unjudged {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.cause.as_str(), self.detail)
    }
}

/// What a court holds of the work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ruling<V> {
    /// The outcome.
    pub outcome: Outcome,
    /// Why nothing was judged, when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unjudged: Option<Unjudged>,
    /// The verdict; `None` when nothing was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<V>,
}

impl<V> Ruling<V> {
    /// Makes a ruling with its verdict.
    pub fn of(outcome: Outcome, verdict: V) -> Self {
        Self { outcome, unjudged: None, verdict: Some(verdict) }
    }

    /// Makes the ruling that nothing was judged.
    pub fn unjudged(unjudged: Unjudged) -> Self {
        Self { outcome: Outcome::Unjudged, unjudged: Some(unjudged), verdict: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_outcome_bounds_the_higher() {
        use Outcome::{Accept, Reject, Revise, Unjudged};
        for (evidence, opinion, ruling) in [
            (Accept, Accept, Accept),
            (Accept, Unjudged, Unjudged),
            (Accept, Revise, Revise),
            (Revise, Accept, Revise),
            (Revise, Unjudged, Revise),
            (Unjudged, Accept, Unjudged),
            (Reject, Revise, Reject),
        ] {
            assert_eq!(evidence.min(opinion), ruling, "{evidence} with {opinion}");
        }
    }
}
