//! What judges and bidders of the market answer.

pub mod bids;
pub mod boxes;
pub mod requirements;
