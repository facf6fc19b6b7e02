//! `ava`: a runner of tests for JavaScript that runs each file in a process or thread of its own.

use std::collections::BTreeMap;

use assize_core::path::{parent, within};
use assize_report::{ReportError, ToolReport};

use super::javascript;
use super::runner::{self, JavaScriptRunner, PositionalMeaning};
use super::script::ScriptStep;
use super::{Canary, Dimension, Gate, GateCommand, GateOutput, Project, Setup};

/// A runner of tests for JavaScript.
pub struct Ava;

pub(super) const RUNNER: JavaScriptRunner = JavaScriptRunner {
    name: "ava",
    is_call: |step: &ScriptStep| step.head() == "ava",
    first: &["--tap"],
    last: &[],
    dropped: &["--tap", "-t", "--watch", "-w", "--verbose", "-v", "--fail-fast", "--no-color", "--color"],
    valued: &[
        "--config",
        "--match",
        "-m",
        "--concurrency",
        "-c",
        "--timeout",
        "-T",
        "--node-arguments",
        "--environment-variables",
    ],
    variables: &[("NODE_OPTIONS", "--require {reports}/watch.cjs --require {reports}/ava.cjs")],
    canary: |word, module, _| asserting(word, module),
    names: &["is", "deepEqual", "throws"],
    named: PositionalMeaning::Paths,
    picks: &["--match", "-m"],
};

impl Gate for Ava {
    fn id(&self) -> &'static str {
        "ava"
    }

    fn summary(&self) -> &'static str {
        "runs JavaScript and TypeScript tests with AVA"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["ava"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        javascript::packages(project).iter().filter_map(|package| RUNNER.called(project, package)).collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let program = javascript::program(project, &setup.folder, "ava");
        RUNNER.command(setup, project, &program, &[])
    }

    fn built(&self, setup: &Setup, project: &Project) -> Option<Setup> {
        runner::built(setup, project)
    }

    fn command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        let program = javascript::program(project, &setup.folder, "ava");
        RUNNER.command_for(setup, project, (&program, &[]), files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        JavaScriptRunner::report(setup, output)
    }

    fn canary(&self, setup: &Setup, project: &Project, word: &str) -> Option<Canary> {
        if RUNNER.names_files(setup, project) {
            return Some(RUNNER.canary(setup, project, word, &RUNNER.beside(setup, project, word)?));
        }
        // A file of settings may name other files of tests than those that AVA finds by default.
        let package = javascript::package(project, &setup.folder);
        let has_file =
            javascript::files(project, &setup.folder).any(|path| path.starts_with("ava.config.") && !path.contains('/'));
        let names_files = package.key("ava").is_some_and(|settings| settings.get("files").is_some());
        if has_file || names_files {
            return None;
        }
        let files = javascript::test_files(project, &setup.folder);
        let (folder, ending) = most_tests(&files)?;
        Some(RUNNER.canary(setup, project, word, &within(&folder, &format!("test-{word}.{ending}"))))
    }
}

/// The folder with most of the tests that AVA reads without settings, and how their names end.
fn most_tests(files: &[String]) -> Option<(String, &str)> {
    let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for path in files {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        if ["js", "cjs", "mjs"].contains(&ending) {
            *places.entry((parent(path), ending)).or_default() += 1;
        }
    }
    let ((folder, ending), _) = places.into_iter().max_by_key(|(_, count)| *count)?;
    Some((folder.to_owned(), ending))
}

/// Tests of ours with the assertions of AVA.
fn asserting(word: &str, module: bool) -> String {
    let load = if module { "import test from 'ava';\n" } else { "const test = require('ava');\n" };
    format!(
        "// Put here for one run, to see that failures are reported.\n{load}\
         test('{word} is fails', (t) => {{ t.is(1 + 1, 3); }});\n\
         test('{word} is passes', (t) => {{ t.is(1 + 1, 2); }});\n\
         test('{word} deepEqual fails', (t) => {{ t.deepEqual({{ a: [1] }}, {{ a: [2] }}); }});\n\
         test('{word} deepEqual passes', (t) => {{ t.deepEqual({{ a: [1] }}, {{ a: [1] }}); }});\n\
         test('{word} throws fails', (t) => {{ t.throws(() => 1); }});\n\
         test('{word} throws passes', (t) => {{ t.throws(() => {{ throw new Error('as it must'); }}); }});\n"
    )
}
