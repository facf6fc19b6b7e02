//! `oxlint --format=json`: lints of JavaScript and TypeScript, where the project runs oxlint.

use assize_report::{ReportError, ToolReport, oxlint};

use super::javascript;
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, mentions};

/// A linter of JavaScript.
pub struct Oxlint;

impl Gate for Oxlint {
    fn id(&self) -> &'static str {
        "oxlint"
    }

    fn summary(&self) -> &'static str {
        "runs oxlint's rules on JavaScript and TypeScript code"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Style]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["oxlint"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        javascript::called_setups(project, "oxlint")
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let mut command = javascript::command(setup, project, "oxlint", &["--format=json"]);
        command.arguments.extend(mentions::named_paths(project, &setup.folder, self.calls(), true));
        command
    }

    fn rewrite(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        javascript::command(setup, project, "oxlint", &["--fix"]).on(files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        Ok(javascript::place(oxlint::parse(&output.stdout)?, setup, output))
    }
}
