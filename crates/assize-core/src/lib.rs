//! The vocabulary of Assize.
//!
//! Text of others, paths, diffs, findings, opinions and rulings; the parser of verdicts, and the kit that prompts are rendered with. It knows
//! no court. Like every crate up to `assize-ledger` it is pure: no clock, environment, file, process, network, async or randomness.
//!
//! # Example
//!
//! A judge's reply is read as one verdict, or there is a reason why nothing was judged.
//!
//! ```rust
//! use assize_core::ruling::Cause;
//! use assize_core::verdict::{Reply, Verdict, check_text, read};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct CoverageVerdict {
//!     pass: bool,
//!     reason: String,
//! }
//!
//! impl Verdict for CoverageVerdict {
//!     const NAME: &'static str = "coverage_verdict";
//!     const MARK: &'static str = "pass";
//!     fn schema() -> serde_json::Value {
//!         serde_json::json!({"type": "object", "required": ["pass", "reason"]})
//!     }
//!     fn check(&self) -> Result<(), String> {
//!         check_text("reason", &self.reason, 400)
//!     }
//! }
//!
//! let reply = Reply::text("My verdict:\n{\"pass\": false, \"reason\": \"A test is missing.\"}");
//! assert_eq!(read(&reply, &[]), Ok(CoverageVerdict { pass: false, reason: "A test is missing.".to_owned() }));
//!
//! // Prose is not interpreted: the reply has no verdict, so nothing was judged.
//! let unjudged = read::<CoverageVerdict>(&Reply::text("It passes."), &[]).unwrap_err();
//! assert_eq!(unjudged.cause, Cause::Malformed);
//! ```

pub mod approval;
pub mod diff;
pub mod document;
pub mod envelope;
pub mod finding;
pub mod gathered;
pub mod hearing;
pub mod opinion;
pub mod page;
pub mod pages;
pub mod path;
pub mod prompt;
pub mod ruling;
pub mod text;
pub mod tree_paths;
pub mod verdict;
pub mod violation;
