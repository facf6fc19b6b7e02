//! `tape`: a runner of tests for JavaScript whose tests are plain programs.

use assize_report::{ReportError, ToolReport};

use super::javascript;
use super::runner::{self, ASSERTED, JavaScriptRunner, PositionalMeaning};
use super::script::ScriptStep;
use super::{Canary, Dimension, Gate, GateCommand, GateOutput, Project, Setup};

/// A runner of tests for JavaScript.
pub struct Tape;

pub(super) const RUNNER: JavaScriptRunner = JavaScriptRunner {
    name: "tape",
    is_call: |step: &ScriptStep| step.head() == "tape",
    first: &["-r", "{reports}/tape.cjs"],
    last: &[],
    dropped: &[],
    valued: &["--require", "-r", "--ignore", "-i", "--ignore-pattern"],
    // The tests run in the runner's own process.
    variables: &[("NODE_OPTIONS", "--require {reports}/watch.cjs"), ("ASSIZE_WATCH", "1")],
    canary: |word, module, _| asserting(word, module),
    names: &ASSERTED,
    named: PositionalMeaning::Paths,
    picks: &[],
};

impl Gate for Tape {
    fn id(&self) -> &'static str {
        "tape"
    }

    fn summary(&self) -> &'static str {
        "runs JavaScript tests with tape"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["tape"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        javascript::packages(project).iter().filter_map(|package| RUNNER.called(project, package)).collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let program = javascript::program(project, &setup.folder, "tape");
        RUNNER.command(setup, project, &program, &[])
    }

    fn built(&self, setup: &Setup, project: &Project) -> Option<Setup> {
        runner::built(setup, project)
    }

    fn command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        let program = javascript::program(project, &setup.folder, "tape");
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

/// Tests of ours with the assertions of tape.
fn asserting(word: &str, module: bool) -> String {
    let load = if module { "import test from 'tape';\n" } else { "const test = require('tape');\n" };
    format!(
        "// Put here for one run, to see that failures are reported.\n{load}\
         test('{word} equal fails', (t) => {{ t.equal(1 + 1, 3); t.end(); }});\n\
         test('{word} equal passes', (t) => {{ t.equal(1 + 1, 2); t.end(); }});\n\
         test('{word} deepStrictEqual fails', (t) => {{ t.deepEqual({{ a: [1] }}, {{ a: [2] }}); t.end(); }});\n\
         test('{word} deepStrictEqual passes', (t) => {{ t.deepEqual({{ a: [1] }}, {{ a: [1] }}); t.end(); }});\n\
         test('{word} throws fails', (t) => {{ t.throws(() => 1); t.end(); }});\n\
         test('{word} throws passes', (t) => {{ t.throws(() => {{ throw new Error('as it must'); }}); t.end(); }});\n"
    )
}
