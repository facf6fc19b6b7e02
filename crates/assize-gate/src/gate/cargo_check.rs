//! `cargo check`: does it compile, tests and examples included.

use assize_report::{ToolReport, ReportError, rustc_json};

use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, cargo};

/// The compiler.
pub struct CargoCheck;

impl Gate for CargoCheck {
    fn id(&self) -> &'static str {
        "cargo-check"
    }

    fn summary(&self) -> &'static str {
        "compiles every target of a Cargo workspace without building it"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Compilation, Dimension::Types]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["cargo build", "cargo check", "cargo clippy", "cargo nextest", "cargo test"]
    }

    fn builds_in(&self) -> Option<&'static str> {
        Some("cargo")
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        cargo::setups(project, "there is a Cargo.toml")
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        cargo::command(setup, project, &["check", "--workspace", "--all-targets", "--message-format=json", cargo::KEEP_GOING])
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        let report = rustc_json::parse(&output.stdout)?;
        Ok(cargo::place(cargo::explain(report, output), setup, output))
    }

    fn newer_options(&self) -> &'static [&'static str] {
        &[cargo::KEEP_GOING]
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        &[0, 101]
    }
}
