//! `go test -json`: Go's own runner of tests.

use std::collections::BTreeSet;

use assize_core::path::{is_below, parent, relative_to, within};
use assize_ecosystem::holds_tests;
use assize_report::{ToolReport, ReportError, go_test};

use super::{Canary, Dimension, Gate, GateCommand, GateOutput, Project, Setup, go};

/// The runner of tests that comes with Go.
pub struct GoTest;

/// A package of tests has the time of four tests: Go has no limit for one alone, and names the one that ran out of it.
const TIME: &str = "-timeout={package_seconds}s";

impl Gate for GoTest {
    fn id(&self) -> &'static str {
        "go-test"
    }

    fn summary(&self) -> &'static str {
        "runs Go tests with go test"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["go test", "gotestsum"]
    }

    fn builds_in(&self) -> Option<&'static str> {
        Some("go")
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        go::setups(project, holds_tests)
    }

    fn command(&self, setup: &Setup, _project: &Project) -> GateCommand {
        // Vetting is a gate of its own. What was found out before about unchanged packages is not taken over.
        go::command(setup, "go", &["test", "-json", "-count=1", "-vet=off", "-gcflags=-e", TIME, "./..."])
    }

    fn command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        let inside = files.iter().filter(|path| is_below(path, &setup.folder) && project.files.contains(**path));
        let package = |path: &&str| format!("./{}", relative_to(parent(path), &setup.folder));
        let packages: BTreeSet<String> = inside.map(package).collect();
        let mut command = self.command(setup, project);
        command.arguments.pop();
        command.arguments.extend(packages.iter().cloned());
        (!packages.is_empty()).then_some(command)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        go::looked(output)?;
        let mut report = go_test::parse_with_builds(&output.stdout, &output.stderr)?;
        if let Some(run) = &mut report.tests {
            for case in run.cases.iter_mut().filter(|case| run.faults.contains(&case.id)) {
                case.message = case.message.take().map(|text| go::with_places(&text, setup, output));
            }
        }
        Ok(report)
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        // 2: a package does not build, in old versions.
        &[0, 1, 2]
    }

    fn canary(&self, setup: &Setup, project: &Project, word: &str) -> Option<Canary> {
        let module = go::module(setup, project)?;
        // A package of its own: the names of others are not known here.
        let path = within(&setup.folder, &format!("canary{word}/canary_test.go"));
        let ids = |end: &str| vec![format!("{module}/canary{word}.Test_{word}_{end}")];
        let text = CANARY.replace("WORD", word);
        Some(Canary { failing: ids("fails"), passing: ids("passes"), files: [(path, text)].into(), ..Canary::default() })
    }
}

const CANARY: &str = r#"// Package canary is put here for one run, to see that failures are reported.
package canary

import "testing"

func Test_WORD_fails(t *testing.T) {
	if 1+1 != 3 {
		t.Errorf("as it must")
	}
}

func Test_WORD_passes(t *testing.T) {
	if 1+1 != 2 {
		t.Errorf("it must not")
	}
}
"#;
