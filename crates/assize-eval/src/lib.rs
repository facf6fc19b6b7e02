//! The data-set court: which records are good, and how far the judge that says so can be trusted.

pub mod calibration;
pub mod court;
pub mod envelope;
pub mod judge_evaluation;
pub mod pages;
pub mod prompt;
pub mod record;
pub mod requests;
pub mod rubric;
pub mod run;
pub mod verdict;
