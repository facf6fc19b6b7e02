//! The review court, the judge/fix loop and the tournament.

pub mod case;
pub mod court;
pub mod envelope;
pub mod fix;
pub mod prompt;
pub mod ranking_key;
pub mod tournament;
pub mod validate;
pub mod verdict;
