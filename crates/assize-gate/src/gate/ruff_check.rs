//! `ruff check`: lints of Python, where the project has them run.

use assize_core::finding::Severity;
use assize_report::{ReportError, ToolReport, ruff};

use super::python::{self, PythonTool};
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, mentions};

/// A linter of Python.
pub struct RuffCheck;

pub(super) const RUFF: PythonTool = PythonTool { name: "ruff", calls: &["ruff check", "ruff-check", "ruff"] };

impl Gate for RuffCheck {
    fn id(&self) -> &'static str {
        "ruff-check"
    }

    fn summary(&self) -> &'static str {
        "runs ruff's lints on Python code"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Style]
    }

    fn calls(&self) -> &'static [&'static str] {
        RUFF.calls
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        RUFF.setups(project)
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let mut command = RUFF.command(setup, project, &["check", "--no-cache", "--no-fix", "--output-format=json"]);
        command.arguments.extend(mentions::named_paths(project, &setup.folder, &RUFF.calls[..2], false));
        command
    }

    fn imports_nothing(&self) -> bool {
        true
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        python::is_there(output)?;
        Ok(python::place(ruff::parse(&output.stdout)?, setup, output))
    }

    fn fails_at(&self, _setup: &Setup) -> Severity {
        Severity::Warning
    }
}
