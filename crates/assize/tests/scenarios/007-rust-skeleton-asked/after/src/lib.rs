//! Notes.

pub mod store;
