//! `go vet`: what compiles and is wrong all the same, in Go code and its tests.

use assize_report::{ReportError, ToolReport};

use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, go};

/// Lints that come with Go.
pub struct GoVet;

impl Gate for GoVet {
    fn id(&self) -> &'static str {
        "go-vet"
    }

    fn summary(&self) -> &'static str {
        "runs go vet on Go code and its tests"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Style]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["go test", "go vet", "golangci-lint"]
    }

    fn builds_in(&self) -> Option<&'static str> {
        Some("go")
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        go::setups(project, go::is_code)
    }

    fn command(&self, setup: &Setup, _project: &Project) -> GateCommand {
        go::command(setup, "go", &["vet", "./..."])
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        go::objections(setup, output)
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        // 2: `go vet` has found something, or `go build` has, by version.
        &[0, 1, 2]
    }
}
