//! `prettier --check`: is code formatted, where the project has Prettier format it.

use assize_report::{ReportError, ToolReport, prettier};

use super::javascript;
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, mentions};

/// A formatter of JavaScript and others.
pub struct Prettier;

impl Gate for Prettier {
    fn id(&self) -> &'static str {
        "prettier"
    }

    fn summary(&self) -> &'static str {
        "checks that files are formatted as Prettier would"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Style]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["prettier"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        javascript::checked_setups(project, "prettier", &["--check", "-c", "--list-different", "-l"])
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let mut command = javascript::command(setup, project, "prettier", &["--check", "--no-color"]);
        command.arguments.extend(mentions::named_paths(project, &setup.folder, self.calls(), true));
        command
    }

    fn is_formatter(&self) -> bool {
        true
    }

    fn rewrite(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        javascript::command(setup, project, "prettier", &["--write", "--no-color"]).on(files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        let report = prettier::parse(&[&output.stdout[..], b"\n", &output.stderr].concat())?;
        Ok(javascript::place(report, setup, output))
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        // 2: a file cannot be parsed, among other troubles.
        &[0, 1, 2]
    }
}
