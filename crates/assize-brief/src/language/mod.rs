//! Languages: one file each.
