//! The market's dealings with the world: bidders, issues, the branch, the history, and what is known of a tree.

pub mod appraisal;
pub mod bidder;
pub mod branch;
pub mod broker;
pub mod errand;
pub mod events;
pub mod known;
pub mod landing;
pub mod source;
