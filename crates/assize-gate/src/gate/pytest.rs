//! `pytest`, driven by a supervisor of ours.
//!
//! pytest's own reports are written in the process that the judged code runs in, at a place that it can
//! find. `drivers/supervise.py` starts pytest in a process of its own, with a plug-in that tells what
//! happens, and keeps the channel to itself; see there. Options of the project stay in force but for those that
//! leave tests out, start a debugger or spread the run over processes.
//!
//! The tests run twice, each time with mutated tests in the place of half of them (`drivers/mutated_tests.py`). A
//! mutated test expects something else. Chance decides in which run a test is mutated, so that the code cannot know it
//! beforehand. A test that passes both as it is and mutated has not looked at what the code gave. That is an error
//! where the code gave something plain, or something that the project itself made equal to anything. Where a package
//! or a test brought the thing along, it is a warning: the thing may be equal to much for a good reason.
//!
//! Tests that together take longer than a minute are not run mutated, and a warning says so.

use assize_core::path::within;
use assize_report::{ToolReport, ReportError};

use super::python::{self, PythonRoot};
use super::python_tests::{self, Driven, pytest_because, unittest_because};
use super::{Canary, Dimension, Gate, GateCommand, GateOutput, Project, Setup};

/// The runner of tests that most Python projects use.
pub struct Pytest;

impl Gate for Pytest {
    fn id(&self) -> &'static str {
        "pytest"
    }

    fn summary(&self) -> &'static str {
        "runs Python tests with pytest"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["pytest"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        python::roots(project).into_iter().filter_map(|root| setup(project, root)).collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        python_tests::driver_command(Driven::Pytest, setup, project, own_python(setup, project))
    }

    fn command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        python_tests::driver_command_for(Driven::Pytest, setup, project, own_python(setup, project), files, false)
    }

    fn judging_command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        python_tests::driver_command_for(Driven::Pytest, setup, project, own_python(setup, project), files, true)
    }

    fn despite_deprecations(&self, mut command: GateCommand) -> Option<GateCommand> {
        // Options go before settings, and of several filters that fit the last one counts.
        const QUIET: &str = "-W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning -W ignore::FutureWarning";
        command.environment.insert("PYTEST_ADDOPTS".to_owned(), QUIET.to_owned());
        Some(command)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        python_tests::driver_report(setup, output)
    }

    fn canary(&self, setup: &Setup, _project: &Project, word: &str) -> Option<Canary> {
        Some(python_tests::canary(Driven::Pytest, setup, word))
    }
}

/// The project's interpreter. An environment without pytest is of no use when there is one with it.
fn own_python(setup: &Setup, project: &Project) -> Option<String> {
    let own = python::environment_program(project, &setup.folder, "python");
    let has_pytest = python::environment_program(project, &setup.folder, "pytest").is_some();
    let elsewhere = project.programs.contains("pytest") || project.programs.contains("py.test");
    own.filter(|_| has_pytest || !elsewhere)
}

fn setup(project: &Project, root: PythonRoot) -> Option<Setup> {
    let because = pytest_because(project, &root).or_else(|| {
        let ours = python_tests::is_installed(project, &root.folder) && unittest_because(project, &root).is_none();
        let first = root.tests.first().filter(|_| ours)?;
        Some(format!("{} is a file of tests", within(&root.folder, first)))
    })?;
    Some(Setup { folder: root.folder, because, detail: String::new() })
}

