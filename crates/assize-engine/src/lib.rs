//! The I/O shell of Assize: carries out what courts ask for.
//!
//! Processes, git, HTTP, the ledger and the clock live here. Nothing here decides what the judged
//! work is worth: that is the core's business, so that it can be tested and replayed without any
//! of this.

pub mod brief;
pub mod court;
pub mod database;
pub mod evidence;
pub mod expand;
pub mod fix;
pub mod fixer;
pub mod gate;
pub mod git;
pub mod ground;
pub mod judge;
pub mod ledger;
pub mod market;
pub mod patch;
pub mod process;
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
