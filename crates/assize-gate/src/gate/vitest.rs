//! `vitest run`: a runner of tests for projects that are built with Vite, and many others.

use assize_report::{ReportError, ToolReport};

use super::javascript;
use super::runner::{self, EXPECTED, JavaScriptRunner, PositionalMeaning, expecting};
use super::script::ScriptStep;
use super::{Canary, Dimension, Gate, GateCommand, GateOutput, Project, Setup};

/// A runner of tests for JavaScript.
pub struct Vitest;

pub(super) const RUNNER: JavaScriptRunner = JavaScriptRunner {
    name: "vitest",
    is_call: |step: &ScriptStep| {
        step.head() == "vitest"
            && step
                .arguments()
                .first()
                .is_none_or(|word| !matches!(word.text.as_str(), "bench" | "list" | "init" | "typecheck"))
    },
    first: &["run"],
    last: &["--reporter={reports}/vitest.mjs", "--coverage.enabled=false", "--passWithNoTests=false"],
    dropped: &[
        "run",
        "watch",
        "dev",
        "related",
        "--run",
        "-w",
        "--watch",
        "--reporter",
        "--ui",
        "--coverage",
        "--outputFile",
        "--passWithNoTests",
    ],
    valued: &[
        "--reporter",
        "--outputFile",
        "-c",
        "--config",
        "-t",
        "--testNamePattern",
        "--project",
        "--dir",
        "--root",
        "-r",
    ],
    variables: &[("NODE_OPTIONS", "--require {reports}/watch.cjs")],
    canary: |word, _, typed| {
        let check = if typed { "// @ts-nocheck\n" } else { "" };
        expecting(word, &format!("{check}import {{ expect, test }} from 'vitest';\n"))
    },
    names: &EXPECTED,
    named: PositionalMeaning::Parts,
    picks: &["-t", "--testNamePattern", "--changed", "--shard"],
};

impl Gate for Vitest {
    fn id(&self) -> &'static str {
        "vitest"
    }

    fn summary(&self) -> &'static str {
        "runs JavaScript and TypeScript tests with Vitest"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["vitest"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let found = javascript::packages(project).into_iter().filter_map(|package| {
            RUNNER.called(project, &package).or_else(|| {
                let because = javascript::because(project, &package, "vitest")?;
                let tested = !javascript::test_files(project, &package.folder).is_empty();
                let tested = tested && !RUNNER.is_left_over(project, &package);
                tested.then(|| Setup { folder: package.folder.clone(), because, detail: String::new() })
            })
        });
        found.collect()
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let program = javascript::program(project, &setup.folder, "vitest");
        RUNNER.command(setup, project, &program, &[])
    }

    fn built(&self, setup: &Setup, project: &Project) -> Option<Setup> {
        runner::built(setup, project)
    }

    fn command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        let program = javascript::program(project, &setup.folder, "vitest");
        RUNNER.command_for(setup, project, (&program, &[]), files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        JavaScriptRunner::report(setup, output)
    }

    fn canary(&self, setup: &Setup, project: &Project, word: &str) -> Option<Canary> {
        Some(RUNNER.canary(setup, project, word, &RUNNER.beside(setup, project, word)?))
    }
}
