//! Grammars, the facts of a source file, and how imports find files.
//!
//! Everything here works on texts and paths that are handed to it; nothing reads a tree by itself.

pub mod completion_marker;
pub mod facts;
pub mod import;
pub mod inline_tests;
pub mod language;
pub mod manifest;
pub mod schema_type;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tree;
