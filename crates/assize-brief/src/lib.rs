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
pub mod glossary;
pub mod graph;
pub mod layer;
pub mod naming;
pub mod one_way;
pub mod pages;
pub mod public;
pub mod render;
pub mod tally;
pub mod unit;
pub mod words;
