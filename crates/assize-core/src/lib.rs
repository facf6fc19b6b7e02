//! The vocabulary of Assize.
//!
//! Text of others, paths, diffs, findings, opinions and rulings; the parser of verdicts, and the kit that prompts are rendered with. It knows
//! no court. Like every crate up to `assize-ledger` it is pure: no clock, environment, file, process, network, async or randomness.

pub mod diff;
pub mod document;
pub mod envelope;
pub mod finding;
pub mod gathered;
pub mod hearing;
pub mod opinion;
pub mod page;
pub mod pages;
pub mod path;
pub mod prompt;
pub mod ruling;
pub mod text;
pub mod verdict;
pub mod violation;
