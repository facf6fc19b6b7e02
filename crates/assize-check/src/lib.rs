//! What is found in a change without running anything: secrets and other dangers, faults of schemas, weaknesses of tests and code.

pub mod pages;
pub mod record_type;
pub mod schema;
pub mod security;
pub mod weakness;
