//! The pure core of Assize.
//!
//! Cases, evidence, rules, opinions, rulings and the courts as state machines. Everything here
//! takes values and returns values: no clock, environment, file, process, network, async or
//! randomness. `cargo xtask ci` checks that.

pub mod calibration;
pub mod claim;
pub mod comparison;
pub mod court;
pub mod diff;
pub mod directive;
pub mod envelope;
pub mod evidence;
pub mod exec_report;
pub mod finding;
pub mod fix;
pub mod gate;
pub mod ledger;
pub mod market;
pub mod opinion;
pub mod patch;
pub mod path;
pub mod prompt;
pub mod record;
pub mod report;
pub mod rubric;
pub mod rule;
pub mod ruling;
pub mod schema_check;
pub mod security;
pub mod session;
pub mod test_kind;
pub mod test_policy;
pub mod text;
pub mod transcript;
pub mod trial;
pub mod verdict;
pub mod violation;
