//! `unittest`, driven by the same supervisor as pytest.
//!
//! It runs where there are tests and nothing speaks of pytest. Files of tests are found by their names and
//! imported one by one, so that one that cannot be imported does not hide the others. Plain functions that
//! need nothing of pytest run as well.

use super::pytest::{self, Driven};
use super::python::{self, Root};
use super::{Canary, Dimension, Gate, GateCommand, GateOutput, Project, Setup, mentions};
use crate::report::{Report, ReportError};

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

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let setup = |root: Root| {
            let because = because(project, &root)?;
            Some(Setup { because, folder: root.folder, detail: String::new() })
        };
        python::roots(project).into_iter().filter_map(setup).collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let own = python::environment_program(project, &setup.folder, "python");
        pytest::driver_command(Driven::Unittest, setup, project, own)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<Report, ReportError> {
        pytest::driver_report(setup, output)
    }

    fn canary(&self, setup: &Setup, project: &Project, word: &str) -> Option<Canary> {
        Some(pytest::canary(Driven::Unittest, setup, project, word))
    }
}

/// Says why the tests of a folder are run with unittest; `None` where pytest runs them, or there are none.
pub(super) fn because(project: &Project, root: &Root) -> Option<String> {
    let first = root.tests.first()?;
    if pytest::because(project, root).is_some() {
        return None;
    }
    let called = mentions::mentioned(project, &["unittest"]);
    if called.is_some() || pytest::is_installed(project, &root.folder) {
        return called;
    }
    let first = python::within(&root.folder, first);
    Some(format!("{first} is a file of tests, and nothing speaks of pytest"))
}
