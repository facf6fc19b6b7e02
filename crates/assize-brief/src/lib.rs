//! What a source tree says of itself.
//!
//! Names and their casing, the words of the domain, imports and layers, what tools and schemas
//! there are: read out of the files with tree-sitter. Everything here takes texts and returns
//! values; who walks the tree and keeps what is known is not its business, and it must not judge.

pub mod boundary;
pub mod brief;
pub mod budget;
pub mod capability;
pub mod convention;
pub mod facts;
pub mod glossary;
pub mod graph;
pub mod import;
pub mod inline_tests;
pub mod language;
pub mod layer;
pub mod manifest;
pub mod naming;
pub mod path;
pub mod public;
pub mod record_type;
pub mod render;
pub mod schema_type;
pub mod tally;
#[cfg(test)]
mod testing;
pub mod tree;
pub mod unit;
pub mod weakness;
pub mod witness;
pub mod words;
