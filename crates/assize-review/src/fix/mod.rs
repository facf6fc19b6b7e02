//! From a verdict to a remedy: who offers a patch, and when to stop asking.
//!
//! [`rounds`] says what has to happen next, and keeps the best state so far; [`mechanical`] puts together what tools
//! themselves offer; [`cost`] counts what is spent. None of them knows how a tool is run, how a model is reached, or where
//! a tree lies.

pub mod cost;
pub mod envelope;
pub mod mechanical;
pub mod policy;
pub mod prompt;
pub mod record;
pub mod rounds;
