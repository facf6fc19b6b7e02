//! `gofmt -l`: is Go code formatted.

use assize_core::finding::Severity;
use assize_report::{Diagnostic, ToolReport, ReportError, go_vet};
use assize_report::plain::plain;

use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, go};

/// The formatter that comes with Go.
pub struct Gofmt;

impl Gate for Gofmt {
    fn id(&self) -> &'static str {
        "gofmt"
    }

    fn summary(&self) -> &'static str {
        "checks that Go code is formatted as gofmt would"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Style]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["go fmt", "gofmt", "gofumpt"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        go::setups(project, go::is_code)
    }

    fn command(&self, setup: &Setup, _project: &Project) -> GateCommand {
        go::command(setup, "gofmt", &["-l", "."])
    }

    fn is_formatter(&self) -> bool {
        true
    }

    fn rewrite(&self, setup: &Setup, _project: &Project, files: &[&str]) -> Option<GateCommand> {
        go::command(setup, "gofmt", &["-w"]).on(files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        // Files that are not formatted are listed on one stream, those that cannot be parsed complained of on the other.
        let mut report = go_vet::parse(&output.stderr)?;
        for line in plain(&output.stdout)?.lines().filter(|line| line.ends_with(".go")) {
            report.object(Diagnostic {
                code: "format".to_owned(),
                severity: Severity::Error,
                path: Some(line.replace('\\', "/")),
                line: None,
                message: "gofmt would write this file differently".to_owned(),
                offer: None,
            });
        }
        Ok(go::place(report, setup, output))
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        // 2: a file cannot be parsed.
        &[0, 1, 2]
    }
}
