//! The commands, one file each, named by what users type.

pub mod brief;
pub mod completions;
pub mod demo;
pub mod doctor;
pub mod eval;
pub mod fix;
pub mod hook;
pub mod init;
pub mod ledger;
pub mod market;
pub mod patch;
pub mod pause;
pub mod review;
pub mod sandbox_launch;
pub mod stop;
pub mod tournament;
