//! `mocha`: a runner of tests for JavaScript that leaves assertions to others.

use assize_core::path::{parent, within};
use assize_report::{ReportError, ToolReport};

use super::javascript;
use super::runner::{self, ASSERTED, JavaScriptRunner, PositionalMeaning, asserting};
use super::script::ScriptStep;
use super::{Canary, Dimension, Gate, GateCommand, GateOutput, Project, Setup};

/// A runner of tests for JavaScript.
pub struct Mocha;

pub(super) const RUNNER: JavaScriptRunner = JavaScriptRunner {
    name: "mocha",
    is_call: |step: &ScriptStep| step.starts("mocha") && !names_project(step),
    first: &[],
    last: &["--reporter", "{reports}/mocha.cjs"],
    dropped: &[
        "--reporter",
        "-R",
        "--watch",
        "-w",
        "--reporter-option",
        "--reporter-options",
        "-O",
        "--parallel",
        "-p",
    ],
    valued: &[
        "--reporter",
        "-R",
        "--reporter-option",
        "--reporter-options",
        "-O",
        "--require",
        "-r",
        "--timeout",
        "-t",
        "--grep",
        "-g",
        "--ui",
        "-u",
        "--file",
        "--import",
        "--loader",
        "--extension",
        "--config",
        "--ignore",
    ],
    // The tests run in the runner's own process.
    variables: &[("NODE_OPTIONS", "--require {reports}/watch.cjs"), ("ASSIZE_WATCH", "1")],
    canary: |word, module, _| asserting(word, module, "it"),
    names: &ASSERTED,
    named: PositionalMeaning::Paths,
    picks: &["--grep", "-g", "--fgrep", "-f"],
};

/// `ts-mocha -p tsconfig.json`, where `-p` has a value; mocha's own has none.
fn names_project(step: &ScriptStep) -> bool {
    step.head() == "ts-mocha" && step.arguments().iter().any(|word| word.text == "-p")
}

/// Mocha ends with the number of tests that failed, ours among them. From 126 on a shell says other things.
const STATUSES: [i32; 126] = {
    let mut all = [0; 126];
    let mut at = 0;
    while at < all.len() {
        all[at] = at as i32;
        at += 1;
    }
    all
};

impl Gate for Mocha {
    fn id(&self) -> &'static str {
        "mocha"
    }

    fn summary(&self) -> &'static str {
        "runs JavaScript tests with Mocha"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["mocha"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let found = javascript::packages(project).into_iter().filter_map(|package| {
            RUNNER.called(project, &package).or_else(|| {
                let because = javascript::because(project, &package, "mocha")?;
                let tested = !default_tests(project, &package.folder).is_empty();
                let own = package.script("test").is_none_or(|text| text.contains("mocha"));
                (tested && own).then(|| Setup { folder: package.folder.clone(), because, detail: String::new() })
            })
        });
        found.collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let program = javascript::program(project, &setup.folder, "mocha");
        RUNNER.command(setup, project, &program, &[])
    }

    fn built(&self, setup: &Setup, project: &Project) -> Option<Setup> {
        runner::built(setup, project)
    }

    fn command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        let program = javascript::program(project, &setup.folder, "mocha");
        RUNNER.command_for(setup, project, (&program, &[]), files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        JavaScriptRunner::report(setup, output)
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        &STATUSES
    }

    fn canary(&self, setup: &Setup, project: &Project, word: &str) -> Option<Canary> {
        let path = if RUNNER.names_files(setup, project) {
            RUNNER.beside(setup, project, word)?
        } else {
            // Without a pattern Mocha takes what lies directly in `test`; a file of settings may say something else.
            let tests = default_tests(project, &setup.folder);
            let first = tests.first().filter(|_| {
                javascript::configured(project, &javascript::package(project, &setup.folder), "mocha").is_none()
            })?;
            let name = assize_core::path::file_name(first);
            within(parent(first), &format!("{word}{}", &name[name.find('.')?..]))
        };
        Some(RUNNER.canary(setup, project, word, &path))
    }
}

/// Files that Mocha finds by default.
fn default_tests(project: &Project, folder: &str) -> Vec<String> {
    let is_default =
        |path: &&str| parent(path) == "test" && [".js", ".cjs", ".mjs"].iter().any(|ending| path.ends_with(ending));
    let found: Vec<String> = javascript::files(project, folder).filter(is_default).map(str::to_owned).collect();
    if found.is_empty() { javascript::test_files(project, folder) } else { found }
}
