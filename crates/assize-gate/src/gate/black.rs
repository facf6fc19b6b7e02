//! `black --check`: is Python code formatted, where the project has black format it.

use assize_core::finding::Severity;
use assize_report::{ReportError, ToolReport, black};

use super::python::{self, PythonTool};
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, mentions};

/// A formatter of Python.
pub struct Black;

const BLACK: PythonTool = PythonTool { name: "black", calls: &["black"] };

impl Gate for Black {
    fn id(&self) -> &'static str {
        "black"
    }

    fn summary(&self) -> &'static str {
        "checks that Python code is formatted as black would"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Style]
    }

    fn calls(&self) -> &'static [&'static str] {
        BLACK.calls
    }

    fn builds_in(&self) -> Option<&'static str> {
        Some("black")
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        BLACK.setups(project)
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let mut command = called(setup, project, &["--check", "--no-color"]);
        command.arguments.extend(mentions::named_paths(project, &setup.folder, BLACK.calls, false));
        command
    }

    fn is_formatter(&self) -> bool {
        true
    }

    fn rewrite(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        called(setup, project, &["--no-color"]).on(files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        python::is_there(output)?;
        Ok(python::place(black::parse(&output.stderr)?, setup, output))
    }

    fn fails_at(&self, _setup: &Setup) -> Severity {
        Severity::Warning
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        // 123: a file cannot be parsed.
        &[0, 1, 123]
    }
}

fn called(setup: &Setup, project: &Project, arguments: &[&str]) -> GateCommand {
    let mut command = BLACK.command(setup, project, arguments);
    // It reads again only what differs from the base, as it does for somebody who has it.
    command.environment.insert("BLACK_CACHE_DIR".to_owned(), format!("{}/black", super::BUILD));
    command
}
