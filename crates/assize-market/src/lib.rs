//! The market: several bidders compete for an issue, and the market learns whom to believe.
//!
//! A broker reads the requirements, ranks bids without knowing whose they are, has the winner implement, has the review court verify, and keeps
//! score. What is computed here is computed from values; whoever runs bidders and reads issues stands elsewhere.

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
