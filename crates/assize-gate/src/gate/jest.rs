//! `jest`: a runner of tests for JavaScript, with its own assertions.

use assize_report::{ReportError, ToolReport};

use super::javascript;
use super::runner::{self, EXPECTED, JavaScriptRunner, PositionalMeaning, expecting};
use super::script::ScriptStep;
use super::{Canary, Dimension, Gate, GateCommand, GateOutput, Project, Setup};

/// A runner of tests for JavaScript.
pub struct Jest;

pub(super) const RUNNER: JavaScriptRunner = JavaScriptRunner {
    name: "jest",
    is_call: |step: &ScriptStep| step.starts("jest") || is_behind_node(step),
    first: &[],
    last: &["--ci", "--reporters={reports}/jest.cjs", "--coverage=false", "--watchAll=false"],
    dropped: &[
        "--reporters",
        "--watch",
        "--watchAll",
        "--coverage",
        "--json",
        "--outputFile",
        "--silent",
        "--verbose",
        "--passWithNoTests",
        "--ci",
        "--onlyChanged",
        "-o",
    ],
    valued: &["--reporters", "--outputFile", "-c", "--config", "-t", "--testNamePattern", "--maxWorkers", "-w"],
    // A single file of tests runs in the runner's own process.
    variables: &[("NODE_OPTIONS", "--require {reports}/watch.cjs"), ("ASSIZE_WATCH", "1")],
    canary: |word, _, typed| expecting(word, if typed { "// @ts-nocheck\n" } else { "" }),
    names: &EXPECTED,
    named: PositionalMeaning::Parts,
    picks: &["-t", "--testNamePattern", "--shard", "--changedSince", "--findRelatedTests", "--runTestsByPath"],
};

/// `node --experimental-vm-modules node_modules/jest/bin/jest.js`
fn is_behind_node(step: &ScriptStep) -> bool {
    step.head() == "node"
        && step
            .arguments()
            .iter()
            .any(|word| word.text.ends_with("jest/bin/jest.js") || word.text.ends_with(".bin/jest"))
}

impl Gate for Jest {
    fn id(&self) -> &'static str {
        "jest"
    }

    fn summary(&self) -> &'static str {
        "runs JavaScript and TypeScript tests with Jest"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["jest"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let found = javascript::packages(project).into_iter().filter_map(|package| {
            RUNNER.called(project, &package).or_else(|| {
                let because = javascript::because(project, &package, "jest")?;
                let tested = !javascript::test_files(project, &package.folder).is_empty();
                let tested = tested && !RUNNER.is_left_over(project, &package);
                tested.then(|| Setup { folder: package.folder.clone(), because, detail: String::new() })
            })
        });
        found.collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let program = javascript::program(project, &setup.folder, "jest");
        RUNNER.command(setup, project, &program, &[])
    }

    fn built(&self, setup: &Setup, project: &Project) -> Option<Setup> {
        runner::built(setup, project)
    }

    fn command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        let program = javascript::program(project, &setup.folder, "jest");
        RUNNER.command_for(setup, project, (&program, &[]), files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        JavaScriptRunner::report(setup, output)
    }

    fn canary(&self, setup: &Setup, project: &Project, word: &str) -> Option<Canary> {
        Some(RUNNER.canary(setup, project, word, &RUNNER.beside(setup, project, word)?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::python::tests::project;
    use super::*;

    #[test]
    fn settings_that_are_left_over_are_no_reason() {
        for (package, is_used) in [
            (r#"{"scripts":{"test":"jest"}}"#, true),
            (r#"{"devDependencies":{"jest":"29"}}"#, true),
            (r#"{"scripts":{"test":"react-scripts test"}}"#, true),
            (r#"{"scripts":{"test":"vitest run","unit":"jest src"},"devDependencies":{"jest":"29"}}"#, true),
            (r#"{"scripts":{"test":"vitest run"},"devDependencies":{"vitest":"3"}}"#, false),
            (r#"{"scripts":{"test":"npm run unit","unit":"node --test"}}"#, false),
        ] {
            let project = project(&[("package.json", package)], &["jest.config.js", "tests/a.test.ts"], &[]);
            assert_eq!(!Jest.detect(&project).is_empty(), is_used, "{package}");
        }
    }
}
