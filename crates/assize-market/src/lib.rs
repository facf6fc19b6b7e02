//! The market: several bidders compete for an issue, and each bidder's track record decides its weight.
//!
//! A broker reads the requirements and ranks bids without knowing whose they are. It has the winner implement and the
//! review court verify, and it keeps the track record. This crate computes from values; the code that runs bidders and
//! reads issues is elsewhere.
//!
//! # Example
//!
//! ```rust
//! use assize_market::ranking::{Dimensions, MarketScores, RankingEntry, rank, selected};
//!
//! let entry = |proposal_id: &str, submitted_ms, alignment, risk| RankingEntry {
//!     proposal_id: proposal_id.to_owned(),
//!     submitted_ms,
//!     scores: MarketScores { spec_alignment: Some(alignment), risk: Some(risk), ..MarketScores::default() },
//!     reasoning: format!("It covers {alignment} of what is demanded."),
//! };
//! let bids = vec![
//!     entry("proposal_1", 100, 0.6, 0.9),
//!     entry("proposal_2", 300, 1.0, 0.7),
//!     entry("proposal_3", 200, 1.0, 0.7),
//! ];
//! let ranking = rank(bids, &Dimensions::default());
//!
//! // Of two equal bids, the one that came first ranks higher.
//! let order: Vec<&str> = ranking.iter().map(|ranked| ranked.proposal_id.as_str()).collect();
//! assert_eq!(order, ["proposal_3", "proposal_2", "proposal_1"]);
//! assert_eq!(selected(&ranking).map(|ranked| ranked.rank), Some(1));
//!
//! // No bid is good enough: a person has to be asked.
//! let ranking = rank(vec![entry("proposal_1", 0, 0.2, 0.6)], &Dimensions::default());
//! assert_eq!(selected(&ranking), None);
//! ```

pub mod bid;
pub mod blind;
pub mod budget;
pub mod checklist;
pub mod envelope;
pub mod event;
#[cfg(test)]
mod histories;
pub mod outcome;
pub mod panel;
pub mod policy;
pub mod prompt;
pub mod ranking;
pub mod reputation;
pub mod requirement;
pub mod rotation;
pub mod run;
pub mod simplex;
pub mod verdict;
pub mod verification;
