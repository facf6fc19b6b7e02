//! The stop court: may the agent stop?

pub mod claim;
pub mod court;
pub mod directive;
pub mod envelope;
pub mod evidence;
pub mod loop_control;
pub mod prompt;
pub mod rule;
pub mod session;
pub mod transcript;
pub mod verdict;
