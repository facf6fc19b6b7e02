use crate::Report;

pub mod tabs;

pub type Check = fn(&str) -> Vec<Report>;

pub const ALL: &[(&str, Check)] = &[("tabs", tabs::check)];
