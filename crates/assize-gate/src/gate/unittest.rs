//! `unittest`, driven by the same supervisor as pytest.
//!
//! It runs where there are tests and nothing speaks of pytest. Files of tests are found by their names and
//! imported one by one, so that one that cannot be imported does not hide the others. Plain functions that
//! need nothing of pytest run as well.

use assize_report::{ToolReport, ReportError};

use super::python::{self, PythonRoot};
use super::python_tests::{self, Driven, unittest_because};
use super::{Canary, Dimension, Gate, GateCommand, GateOutput, Project, Setup};

/// Python's own runner of tests.
pub struct Unittest;

impl Gate for Unittest {
    fn id(&self) -> &'static str {
        "unittest"
    }

    fn summary(&self) -> &'static str {
        "runs Python tests with unittest"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["unittest"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let setup = |root: PythonRoot| {
            let because = unittest_because(project, &root)?;
            Some(Setup { because, folder: root.folder, detail: String::new() })
        };
        python::roots(project).into_iter().filter_map(setup).collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let own = python::environment_program(project, &setup.folder, "python");
        python_tests::driver_command(Driven::Unittest, setup, project, own)
    }

    fn command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        let own = python::environment_program(project, &setup.folder, "python");
        python_tests::driver_command_for(Driven::Unittest, setup, project, own, files, false)
    }

    fn judging_command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        let own = python::environment_program(project, &setup.folder, "python");
        python_tests::driver_command_for(Driven::Unittest, setup, project, own, files, true)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        python_tests::driver_report(setup, output)
    }

    fn canary(&self, setup: &Setup, _project: &Project, word: &str) -> Option<Canary> {
        Some(python_tests::canary(Driven::Unittest, setup, word))
    }
}
