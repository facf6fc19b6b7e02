//! The judge's own trial: what it said of records, set against what others say of the same records.
//!
//! Verdicts and labels come from files that people and other programs wrote. They are read strictly, joined with the records by their content, and
//! only then counted: a figure over labels that belong to other records is worse than none. What the figures mean stands in
//! [`crate::calibration`]; files, terminals and pages must not be known here.

pub mod audit;
pub mod calibrate;
pub mod compare;
pub mod correct;
pub mod drift;
pub mod handed;
pub mod import;
pub mod join;
pub mod label;
pub mod plan;
pub mod rated_record;
pub mod report;
pub mod tally;
