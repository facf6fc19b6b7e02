use crate::Report;

pub mod leftovers;
pub mod tabs;

pub type Check = fn(&str) -> Vec<Report>;

pub const ALL: &[(&str, Check)] = &[("leftovers", leftovers::check), ("tabs", tabs::check)];
