//! Grammars, the facts of a source file, and how imports find files.
//!
//! Every function works on texts and paths that its caller passes in. No function reads a tree itself.
//!
//! # Example
//!
//! ```rust
//! use assize_syntax::facts::Role;
//! use assize_syntax::language::{errors, read};
//!
//! let text = "\
//! from billing.tax import rate
//!
//! class Invoice:
//!     def total(self, net):
//!         return net * rate()
//! ";
//! let facts = read("shop/invoice.py", text).expect("Python can be read");
//! assert_eq!(facts.imports[0].path, "billing.tax");
//! assert_eq!(facts.imports[0].names, ["rate"]);
//!
//! let names: Vec<_> = facts.names.iter().map(|name| (name.line, name.role, name.text)).collect();
//! assert_eq!(names, [(3, Role::Type, "Invoice"), (4, Role::Method, "total"), (4, Role::Parameter, "net")]);
//!
//! // A syntax error is reported with its line.
//! assert_eq!(errors("shop/broken.py", "total = (1 +\n")[0].0, 1);
//! assert!(read("shop/notes.txt", "total = 1\n").is_none());
//! ```

pub mod cfg;
pub mod completion_marker;
pub mod cut_off;
pub mod facts;
pub mod failing_body;
pub mod import;
pub mod inline_tests;
pub mod language;
pub mod manifest;
pub mod mutant;
pub mod removed;
pub mod schema_type;
pub mod script_object;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tree;
