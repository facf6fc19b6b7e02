//! The stop court: may the agent stop?
//!
//! # Example
//!
//! The agent says that all tests pass. Its transcript shows that the last run failed.
//!
//! ```rust
//! use assize_core::finding::Certainty;
//! use assize_core::gathered::EvidencePart;
//! use assize_core::text::Untrusted;
//! use assize_stop::evidence::Evidence;
//! use assize_stop::rule::{RuleSettings, run};
//! use assize_stop::transcript::{FactsBuilder, ToolCall, ToolResult};
//!
//! let mut facts = FactsBuilder::default();
//! facts.call("1", ToolCall::Command { command: "cargo test".to_owned(), background: false });
//! let output = "test result: FAILED. 1 passed; 2 failed; 0 ignored".to_owned();
//! facts.result("1", &ToolResult { is_error: true, exit_status: Some(101), output });
//!
//! let evidence = Evidence {
//!     transcript: EvidencePart::Gathered(facts.finish()),
//!     final_message: Some(Untrusted::new("Done. All tests pass.")),
//!     ..Evidence::missing("no git repository")
//! };
//! let report = run(&evidence, &RuleSettings::default());
//! assert_eq!(report.findings[0].rule, "contradicted-claim");
//! assert_eq!(report.findings[0].certainty, Certainty::Certain);
//!
//! // Rules that need the diff could not be run, and the report names them.
//! assert!(report.not_run.iter().any(|rule| rule == "test-deleted"));
//! ```

pub mod answer_rows;
pub mod attribution;
pub mod audit;
pub mod background;
pub mod calibration;
pub mod check_runs;
pub mod claim;
pub mod claim_scope;
pub mod court;
pub mod directive;
pub mod envelope;
pub mod evidence;
pub mod loop_control;
pub mod names;
pub mod observation;
mod phrases;
pub mod prompt;
pub mod requested_checks;
pub mod rule;
mod seen_failures;
pub mod session;
mod sibling_names;
pub mod spoken_names;
pub mod transcript;
pub mod verdict;
pub mod verification;
