//! `oxfmt --check`: is code formatted, where the project has oxfmt format it.

use assize_report::{ReportError, ToolReport, oxfmt};

use super::javascript;
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, mentions};

/// A formatter of JavaScript and others.
pub struct Oxfmt;

impl Gate for Oxfmt {
    fn id(&self) -> &'static str {
        "oxfmt"
    }

    fn summary(&self) -> &'static str {
        "checks that files are formatted as oxfmt would"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Style]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["oxfmt"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        javascript::called_setups(project, "oxfmt")
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let mut command = javascript::command(setup, project, "oxfmt", &["--check"]);
        command.arguments.extend(mentions::named_paths(project, &setup.folder, self.calls(), true));
        command
    }

    fn is_formatter(&self) -> bool {
        true
    }

    fn rewrite(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        javascript::command(setup, project, "oxfmt", &["--write"]).on(files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        let report = oxfmt::parse(&[&output.stdout[..], b"\n", &output.stderr].concat())?;
        Ok(javascript::place(report, setup, output))
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        // 2: a file cannot be parsed, among other troubles.
        &[0, 1, 2]
    }
}
