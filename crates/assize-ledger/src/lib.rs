//! The record: the events of all courts, how a session's state is folded from them, and the chain of hashes that holds them.

pub mod chain;
pub mod document;
pub mod event;
