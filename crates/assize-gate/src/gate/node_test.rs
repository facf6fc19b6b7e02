//! `node --test`: the runner of tests that comes with Node.

use assize_core::path::{parent, within};
use assize_ecosystem::command::CommandRole;
use assize_ecosystem::is_collected_by_node;
use assize_report::{ToolReport, ReportError};

use super::javascript::{self, NodePackage};
use super::runner::{self, ASSERTED, PositionalMeaning, JavaScriptRunner, asserting};
use super::script::ScriptStep;
use super::{Canary, Dimension, Gate, GateCommand, GateOutput, Project, Setup};

/// The runner of tests that comes with Node.
pub struct NodeTest;

/// A file of tests has the time of two tests before its process is ended: Node gives a file as much time as a test.
const TIME: &str = "--test-timeout={file_milliseconds}";

pub(super) const RUNNER: JavaScriptRunner = JavaScriptRunner {
    name: "node --test",
    is_call: |step: &ScriptStep| {
        matches!(step.head(), "node" | "tsx") && step.arguments().iter().any(|word| word.text == "--test")
    },
    first: &[
        "--require",
        "{reports}/watch.cjs",
        "--test-reporter={reports}/node_test.mjs",
        "--test-reporter-destination=stdout",
        TIME,
    ],
    last: &[],
    dropped: &[
        "--test-reporter",
        "--test-reporter-destination",
        "--test-timeout",
        "--watch",
        "--experimental-test-coverage",
        "--test-isolation",
        "--experimental-test-isolation",
        "--test-force-exit",
    ],
    valued: &[
        "--test-reporter",
        "--test-reporter-destination",
        "--test-name-pattern",
        "--test-skip-pattern",
        "--import",
        "--require",
        "-r",
        "--loader",
        "--experimental-loader",
        "-C",
        "--conditions",
    ],
    variables: &[],
    canary: |word, module, _| {
        let load = if module { "import test from 'node:test';\n" } else { "const test = require('node:test');\n" };
        format!("{load}{}", asserting(word, module, "test"))
    },
    names: &ASSERTED,
    named: PositionalMeaning::Paths,
    picks: &["--test-name-pattern", "--test-skip-pattern", "--test-only"],
};

impl Gate for NodeTest {
    fn id(&self) -> &'static str {
        "node-test"
    }

    fn summary(&self) -> &'static str {
        "runs JavaScript tests with node --test"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["node --test"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        javascript::packages(project).iter().filter_map(|package| setup(project, package)).collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        RUNNER.command(setup, project, "node", &["--test"])
    }

    fn built(&self, setup: &Setup, project: &Project) -> Option<Setup> {
        runner::built(setup, project)
    }

    fn command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        RUNNER.command_for(setup, project, ("node", &["--test"]), files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        JavaScriptRunner::report(setup, output)
    }

    fn canary(&self, setup: &Setup, project: &Project, word: &str) -> Option<Canary> {
        let default = || {
            // Without a pattern Node looks for files by their names, whatever kind of module they are.
            let tests = plain_tests(project, &setup.folder);
            let folder = tests.first().map_or("", |path| parent(path)).to_owned();
            within(&folder, &format!("{word}.test.cjs"))
        };
        let path = match RUNNER.names_files(setup, project) {
            false => default(),
            true => RUNNER.beside(setup, project, word)?,
        };
        Some(RUNNER.canary(setup, project, word, &path))
    }
}

fn setup(project: &Project, package: &NodePackage) -> Option<Setup> {
    if let Some(setup) = RUNNER.called(project, package) {
        return Some(setup);
    }
    // A script that is not plain is not run; what it calls is.
    let plain_call = package.script("test").filter(|text| text.contains("node --test"));
    if plain_call.is_some() {
        let because = format!("{} has the script `test`, which calls node --test", package.path());
        return Some(Setup { folder: package.folder.clone(), because, detail: String::new() });
    }
    // A project without dependencies has no other runner.
    if package.has_dependencies() || package.script("test").is_some_and(|text| !is_placeholder(text)) {
        return None;
    }
    // Without a manifest of its own, files are named so in projects of other languages as well.
    let tests_otherwise = project.pipeline.commands.iter().any(|command| command.role() == CommandRole::Test);
    if tests_otherwise && !project.files.contains(&package.path()) {
        return None;
    }
    let tests = plain_tests(project, &package.folder);
    let path = within(&package.folder, tests.first()?);
    let because = format!("{path} is a file of tests, and nothing speaks of another runner");
    Some(Setup { folder: package.folder.clone(), because, detail: String::new() })
}

/// What `npm init` writes.
pub(super) fn is_placeholder(text: &str) -> bool {
    text.contains("no test specified")
}

/// Files of tests that Node finds by default.
fn plain_tests(project: &Project, folder: &str) -> Vec<String> {
    let is_plain = |path: &&str| is_collected_by_node(path);
    javascript::files(project, folder).filter(is_plain).map(str::to_owned).collect()
}
