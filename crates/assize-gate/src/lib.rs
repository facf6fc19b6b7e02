//! Gates: a project's own checks, how they are called, and what a run of them is worth beside the base.

pub mod comparison;
pub mod document;
pub mod exec_report;
pub mod gate;
pub mod pages;
pub mod test_policy;
