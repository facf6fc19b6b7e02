//! The I/O of the market: bidders, issues, the branch, the event history, and lookups in the tree.

pub mod bid_scoring;
pub mod bidder;
pub mod branch;
pub mod broker;
pub mod commit_step;
pub mod events;
pub mod external_command;
pub mod source;
pub mod survey_lookup;
