//! Gates: a project's own checks, how they are called, and what a run of them is worth beside the base.
//!
//! # Example
//!
//! The gates of a project are recognized by its files. What a run is worth is decided in one place.
//!
//! ```rust
//! use assize_gate::gate::{GATES, GateOutput, GateRun, GateState, Project};
//!
//! let manifest = "[package]\nname = \"shop\"\nedition = \"2024\"\n";
//! let files = ["Cargo.toml", "src/lib.rs"].map(str::to_owned).into();
//! let manifests = [("Cargo.toml".to_owned(), manifest.to_owned())].into();
//! let project = Project::new(files, manifests, ["cargo".to_owned()].into());
//! let used: Vec<_> = GATES.iter().filter(|gate| !gate.detect(&project).is_empty()).collect();
//! let ids: Vec<&str> = used.iter().map(|gate| gate.id()).collect();
//! assert_eq!(ids, ["cargo-check", "cargo-test"]);
//!
//! let gate = **used.last().expect("a gate");
//! let setup = &gate.detect(&project)[0];
//! assert_eq!(gate.command(setup, &project).program, "cargo");
//!
//! // The command ended with status 0, but it reported no test: that is not a pass.
//! let output = GateOutput { status: Some(0), ..GateOutput::default() };
//! assert_eq!(GateRun::of(gate, setup, &output, None).state, GateState::Errored);
//! ```

pub mod comparison;
pub mod document;
pub mod excuse;
pub mod exec_report;
pub mod gate;
pub mod missing_name;
pub mod mutation;
pub mod narrowed;
pub mod packages;
pub mod pages;
pub mod parser;
pub mod plan;
pub mod stand_in;
pub mod status_alone;
pub mod test_policy;
