//! What a source tree says of itself.
//!
//! Names and their casing, the words of the domain, imports and layers, what tools and schemas
//! there are: read out of the files with tree-sitter. Everything here takes texts and returns
//! values; who walks the tree and keeps what is known is not its business, and it must not judge.
//!
//! # Example
//!
//! ```rust
//! use assize_brief::brief::Analysis;
//! use assize_brief::render::plain;
//! use assize_syntax::language::read;
//! use assize_syntax::tree::{SourceTree, TreeFile};
//!
//! let files = [
//!     ("shop/cart.py", "from shop.tax import tax_rate\n\ndef cart_total(cart):\n    return cart.net * tax_rate()\n"),
//!     ("shop/tax.py", "def tax_rate():\n    return 1.19\n"),
//! ];
//! let facts = files.map(|(path, text)| read(path, text));
//! let tree = SourceTree::new(files.iter().zip(&facts).map(|((path, _), facts)| TreeFile {
//!     path,
//!     facts: facts.as_ref(),
//!     ..TreeFile::default()
//! }));
//!
//! let brief = Analysis::of(&tree).brief();
//! assert_eq!((brief.summary.source_files, brief.summary.imports_inside), (2, 1));
//! assert!(brief.public_names.names.iter().any(|name| name.name == "cart_total"));
//! assert!(plain(&brief).contains("cart_total"));
//! ```

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
pub mod relevance;
pub mod render;
pub mod tally;
pub mod unit;
pub mod words;
