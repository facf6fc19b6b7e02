//! `cargo nextest run`, where the project has set it up: every test in a process of its own.
//!
//! Nextest goes by exit statuses, so that a test that ends its process with status 0 would pass; the runner of ours
//! that `cargo test` gets as well looks for the harness' result. Its events are on its own standard output, which
//! the tests do not have, unlike its JUnit file.

use assize_report::{ToolReport, ReportError, nextest, rustc_json};

use super::{Canary, Dimension, Gate, GateCommand, GateOutput, Project, Setup, cargo, cargo_test, machine};

/// The runner of tests that many Rust projects prefer.
pub struct CargoNextest;

/// The status with which it ends when the build fails.
const BUILD_FAILED: i32 = 101;

impl Gate for CargoNextest {
    fn id(&self) -> &'static str {
        "cargo-nextest"
    }

    fn summary(&self) -> &'static str {
        "builds and runs the tests of a Cargo workspace, each in its own process"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["cargo nextest"]
    }

    fn builds_in(&self) -> Option<&'static str> {
        Some("cargo")
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let setups = cargo::setups(project, "there is a .config/nextest.toml");
        setups.into_iter().filter(|setup| cargo::uses_nextest(project, &setup.folder)).collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let arguments = [
            "nextest",
            "run",
            "--workspace",
            "--no-fail-fast",
            "--color=never",
            "--message-format=libtest-json-plus",
            "--status-level=none",
            "--final-status-level=none",
            "--success-output=never",
            "--failure-output=never",
            "--config",
            cargo_test::RUNNER,
        ];
        let mut command = cargo_test::with_runner(cargo::command(setup, project, &arguments));
        command.program = "cargo-nextest".to_owned();
        command.environment.insert("NEXTEST_EXPERIMENTAL_LIBTEST_JSON".to_owned(), "1".to_owned());
        command
    }

    fn command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        cargo::only(self.command(setup, project), setup, project, files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        if output.status == Some(BUILD_FAILED) && output.stdout.trim_ascii().is_empty() {
            let report = rustc_json::parse_text(&output.stderr)?;
            // What nextest itself could not do has no place in the code.
            let is_placed = report.diagnostics.iter().any(|found| found.path.is_some());
            if !is_placed && machine::is_at_fault(output) {
                return Err(ReportError::Empty);
            }
            return Ok(cargo::place(report, setup, output));
        }
        let both = [&output.stdout[..], b"\n", &output.stderr].concat();
        if output.timed_out { nextest::parse_part(&both) } else { nextest::parse(&both) }
    }

    fn canary(&self, setup: &Setup, project: &Project, word: &str) -> Option<Canary> {
        cargo_test::canary(setup, project, word)
    }

    fn test_ids(&self, setup: &Setup, project: &Project, tests: &[(String, String)]) -> Vec<Vec<String>> {
        cargo::test_ids(setup, project, tests)
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        // 4: there was no test; 100: tests failed.
        &[0, 4, 100, BUILD_FAILED]
    }
}
