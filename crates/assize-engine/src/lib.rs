//! The I/O shell of Assize: carries out the effects that courts ask for.
//!
//! Processes, git, HTTP, the ledger and the clock are here. Nothing here decides what the judged work is worth. The
//! pure crates decide that, so that each decision can be tested and replayed without any I/O.

pub mod brief;
pub mod court;
pub mod database;
pub mod evidence;
pub mod expand;
pub mod fix;
pub mod fixer;
pub mod gate;
pub mod generation;
pub mod git;
pub mod judge;
pub mod ledger;
pub mod market;
pub mod patch;
pub mod process;
mod process_tree;
pub mod random;
pub mod records;
pub mod regular_file;
#[cfg(target_os = "linux")]
pub mod sandbox;
pub mod schema;
mod scratch;
pub mod search_path;
pub mod security;
pub mod syntax;
pub mod transcript;
pub mod tree;
pub mod work_copy;
pub mod work_tree;
