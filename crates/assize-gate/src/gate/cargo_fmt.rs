//! `cargo fmt --check`: is it formatted, where the project has that looked at.

use assize_core::finding::Severity;
use assize_core::path::file_name;
use assize_report::{ToolReport, ReportError, rustfmt};

use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, cargo, mentions};

/// Rust's formatter.
pub struct CargoFmt;

impl Gate for CargoFmt {
    fn id(&self) -> &'static str {
        "cargo-fmt"
    }

    fn summary(&self) -> &'static str {
        "checks that a Cargo workspace is formatted as rustfmt would"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Style]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["cargo fmt", "cargo-fmt", "fmt", "rustfmt"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let file = project.files.iter().find(|path| matches!(file_name(path), "rustfmt.toml" | ".rustfmt.toml"));
        let because = file.map(|path| format!("there is a {path}"));
        let because = because.or_else(|| mentions::mentioned(project, &["cargo fmt", "rustfmt"]));
        because.map_or_else(Vec::new, |because| cargo::setups(project, &because))
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        called(setup, project, &["fmt", "--all", "--check", "--", "--color=never"])
    }

    fn is_formatter(&self) -> bool {
        true
    }

    fn rewrite(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        // It formats packages, and rustfmt alone would have to be told the edition of each file.
        (!files.is_empty()).then(|| called(setup, project, &["fmt", "--all"]))
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        cargo::is_there(output)?;
        let report = rustfmt::parse(&[&output.stdout[..], b"\n", &output.stderr].concat())?;
        Ok(cargo::place(report, setup, output))
    }

    fn fails_at(&self, _setup: &Setup) -> Severity {
        Severity::Warning
    }
}

fn called(setup: &Setup, project: &Project, arguments: &[&str]) -> GateCommand {
    let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    // It knows neither `--offline` nor `--locked`.
    GateCommand { arguments, ..cargo::command(setup, project, &[]) }
}

#[cfg(test)]
mod tests {
    use super::super::cargo::tests::project;
    use super::*;

    #[test]
    fn it_is_used_where_it_is_spoken_of() {
        let package = ("Cargo.toml", "[package]\nname = \"p\"\n");
        assert!(CargoFmt.detect(&project(&[package], &[])).is_empty());
        assert_eq!(CargoFmt.detect(&project(&[package], &[".rustfmt.toml"]))[0].because, "there is a .rustfmt.toml");
        assert!(!CargoFmt.detect(&project(&[package, ("justfile", "lint:\n  cargo fmt --check\n")], &[])).is_empty());
    }
}
