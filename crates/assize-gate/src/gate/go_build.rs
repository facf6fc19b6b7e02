//! `go build`: does Go code compile.

use assize_report::{ReportError, ToolReport};

use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, go};

/// The compiler of Go.
pub struct GoBuild;

impl Gate for GoBuild {
    fn id(&self) -> &'static str {
        "go-build"
    }

    fn summary(&self) -> &'static str {
        "compiles Go code with go build"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Compilation]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["go build", "go test", "go vet", "golangci-lint"]
    }

    fn builds_in(&self) -> Option<&'static str> {
        Some("go")
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        go::setups(project, go::is_code)
    }

    fn command(&self, setup: &Setup, _project: &Project) -> GateCommand {
        go::command(setup, "go", &["build", "-o", "/dev/null", "./..."])
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        go::objections(setup, output)
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        // 2: `go vet` has found something, or `go build` has, by version.
        &[0, 1, 2]
    }
}
