//! `borp`: a program around Node's own runner of tests.

use assize_report::{ReportError, ToolReport};

use super::javascript;
use super::node_test;
use super::runner::{self, ASSERTED, JavaScriptRunner, PositionalMeaning};
use super::script::ScriptStep;
use super::{Canary, Dimension, Gate, GateCommand, GateOutput, Project, Setup};

/// A program around Node's own runner of tests.
pub struct Borp;

pub(super) const RUNNER: JavaScriptRunner = JavaScriptRunner {
    name: "borp",
    is_call: |step: &ScriptStep| step.head() == "borp",
    first: &["--reporter", "{reports}/node_test.mjs", "--timeout", "{file_milliseconds}"],
    last: &[],
    dropped: &[
        "--reporter", "-r", "--timeout", "-t", "--no-timeout", "--watch", "-w", "--coverage", "-C", "--check-coverage",
        "--coverage-exclude", "-X", "--lines", "--branches", "--functions", "--statements",
    ],
    valued: &[
        "--reporter", "-r", "--timeout", "-t", "--coverage-exclude", "-X", "--lines", "--branches", "--functions",
        "--statements", "--pattern", "-p", "--concurrency", "-c", "--ignore", "-i", "--post-compile", "-P",
    ],
    // Each file of tests is a process of its own.
    variables: &[("NODE_OPTIONS", "--require {reports}/watch.cjs")],
    canary: node_test::RUNNER.canary,
    names: &ASSERTED,
    named: PositionalMeaning::Paths,
    picks: &["--only", "-o", "--pattern", "-p"],
};

impl Gate for Borp {
    fn id(&self) -> &'static str {
        "borp"
    }

    fn summary(&self) -> &'static str {
        "runs JavaScript tests with borp"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["borp"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        javascript::packages(project).iter().filter_map(|package| RUNNER.called(project, package)).collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let program = javascript::program(project, &setup.folder, "borp");
        RUNNER.command(setup, project, &program, &[])
    }

    fn built(&self, setup: &Setup, project: &Project) -> Option<Setup> {
        runner::built(setup, project)
    }

    fn command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        let program = javascript::program(project, &setup.folder, "borp");
        RUNNER.command_for(setup, project, (&program, &[]), files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        JavaScriptRunner::report(setup, output)
    }

    fn canary(&self, setup: &Setup, project: &Project, word: &str) -> Option<Canary> {
        let path = RUNNER.beside(setup, project, word)?;
        Some(RUNNER.canary(setup, project, word, &path))
    }
}
