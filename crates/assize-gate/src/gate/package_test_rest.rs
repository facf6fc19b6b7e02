//! What a script for tests runs behind its runner, and no other gate covers.
//!
//! `node --test && node verify.js` tests with both. The runner is a gate of its own and stands for the script; the rest leaves
//! only its status, and counts as one test. It proves nothing about the tests of the runner.

use assize_ecosystem::find_tool;
use assize_ecosystem::tool::ToolKind;
use assize_report::{ReportError, TestCase, TestOutcome, TestRun, ToolReport};

use super::javascript;
use super::package_script::{self, STATUSES};
use super::runner::{self, JavaScriptRunner};
use super::script::{self, ScriptStep};
use super::{
    Dimension, Gate, GateCommand, GateOutput, Project, Setup, ava, borp, jest, mocha, node_test, tap, tape, tsc, vitest,
};

/// The commands behind the runner.
pub struct PackageTestRest;

/// The runners that stand for the script which calls them.
const RUNNERS: [&JavaScriptRunner; 8] = [
    &node_test::RUNNER,
    &borp::RUNNER,
    &ava::RUNNER,
    &vitest::RUNNER,
    &jest::RUNNER,
    &mocha::RUNNER,
    &tap::RUNNER,
    &tape::RUNNER,
];
/// Programs that test nothing: they tidy up, or report what was measured.
const IDLE: [&str; 16] = [
    "bundlesize", "c8", "check-coverage", "codecov", "coveralls", "cp", "echo", "git", "istanbul", "merge", "mkdir", "mv", "nyc", "report", "rimraf", "rm",
];

impl Gate for PackageTestRest {
    fn id(&self) -> &'static str {
        "package-test-rest"
    }

    fn summary(&self) -> &'static str {
        "runs what a script for tests does behind its runner"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let mut found: Vec<Setup> = Vec::new();
        for package in javascript::packages(project) {
            for called in RUNNERS.iter().filter_map(|runner| runner.called(project, &package)) {
                let steps = script::steps(&package, &called.detail).unwrap_or_default();
                let Some(first) = rest(project, &package.folder, &steps).next() else { continue };
                let because = format!("{}, script `{}` runs `{}` behind its runner", package.path(), called.detail, first.shell());
                let setup = Setup { because, ..called };
                if !found.iter().any(|other| (&other.folder, &other.detail) == (&setup.folder, &setup.detail)) {
                    found.push(setup);
                }
            }
        }
        found
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let environment = javascript::runner_environment();
        let is_covered = |step: &ScriptStep| is_covered(project, &setup.folder, step);
        GateCommand { environment, ..package_script::command_without(setup, project, is_covered) }
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        let mut report = package_script::report(setup, output)?;
        let fault = report.diagnostics.pop();
        let case = TestCase {
            id: format!("the script `{}` behind its runner", setup.detail),
            path: None,
            outcome: if fault.is_some() { TestOutcome::Failed } else { TestOutcome::Passed },
            message: fault.map(|fault| fault.message),
            time_ms: None,
        };
        report.tests = Some(TestRun { cases: vec![case], ..TestRun::default() });
        Ok(report)
    }

    fn is_supplement(&self) -> bool {
        true
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        STATUSES
    }
}

/// The commands behind the last call of a runner that no gate covers.
fn rest<'s>(project: &Project, folder: &str, steps: &'s [ScriptStep]) -> impl Iterator<Item = &'s ScriptStep> {
    let last = steps.iter().rposition(is_call).map_or(steps.len(), |at| at + 1);
    steps[last..].iter().filter(move |step| !is_covered(project, folder, step))
}

fn is_covered(project: &Project, folder: &str, step: &ScriptStep) -> bool {
    is_call(step)
        || is_told(step, has_types(project, folder))
        || is_fetched(project, folder, step)
        || script::is_of_workspace(step)
}

fn is_call(step: &ScriptStep) -> bool {
    RUNNERS.iter().any(|runner| (runner.is_call)(step))
}

/// Returns whether a gate for types looks at the package.
fn has_types(project: &Project, folder: &str) -> bool {
    tsc::Tsc.detect(project).iter().any(|setup| setup.folder == folder)
}

/// Returns whether a command fetches the program that it starts.
fn is_fetched(project: &Project, folder: &str, step: &ScriptStep) -> bool {
    if !matches!(step.head(), "npx" | "bunx" | "pnpx") {
        return false;
    }
    let package = javascript::packages(project).into_iter().find(|package| package.folder == folder);
    let called = step.arguments().iter().map(|word| word.text.as_str()).find(|word| !word.starts_with('-'));
    // `@scope/name` is a name, `name@version` asks for a version.
    called.is_some_and(|called| package.is_none_or(|package| !package.depends_on(called)))
}

/// Returns whether another gate tells what a command does, or it tests nothing.
fn is_told(step: &ScriptStep, has_types: bool) -> bool {
    let kinds = [ToolKind::Linter, ToolKind::Formatter];
    let is_lint = find_tool(step.head()).is_some_and(|tool| tool.kinds.iter().any(|kind| kinds.contains(kind)));
    let audits = ["audit", "outdated", "pack", "publish"];
    let is_audit = step.arguments().first().is_some_and(|word| audits.contains(&word.text.as_str()));
    runner::is_style_check(step) || is_lint || is_audit || IDLE.contains(&step.head()) || step.head() == "tsc" && has_types
}

#[cfg(test)]
mod tests {
    use super::super::python::tests::project;
    use super::*;

    #[test]
    fn what_no_other_gate_covers_runs() {
        let of = |scripts: &str, more: &[&str]| {
            let manifest = format!(r#"{{"scripts":{{{scripts}}}}}"#);
            let project = project(&[("package.json", &manifest)], more, &[]);
            let setups = PackageTestRest.detect(&project);
            let command = |setup: &Setup| {
                let command = PackageTestRest.command(setup, &project);
                command.arguments[1].lines().last().unwrap_or_default().to_owned()
            };
            setups.iter().map(command).collect::<Vec<_>>().join(" / ")
        };
        for (scripts, expected) in [
            (r#""test":"node --test a""#, ""),
            (r#""test":"node --test a && node verify.js""#, "node verify.js"),
            (r#""test":"gen && mocha && sh test/more.sh""#, "gen && sh test/more.sh"),
            (r#""test":"mocha","posttest":"node verify.js""#, "node verify.js"),
            (r#""test":"tape a.js && make -C sub test""#, "make -C sub test"),
            (r#""test":"mocha && jest && eslint . && standard""#, ""),
            (r#""test":"nyc mocha && nyc report && codecov && rm -rf x && npm audit""#, ""),
            (r#""test":"node --test && tsc -p tsconfig.check.json""#, "tsc -p tsconfig.check.json"),
            (r#""test":"node verify.js && node --test""#, ""),
            (r#""test":"tape a.js","posttest":"npx npm@'>=10.2' audit --production""#, ""),
            (r#""test":"tape a.js && npx @scope/check validate""#, ""),
        ] {
            assert_eq!(of(scripts, &["a.test.js"]), expected, "{scripts}");
        }
        let script = r#""test":"node --test && tsc -p tsconfig.check.json""#;
        assert_eq!(of(script, &["a.test.ts", "tsconfig.json"]), "", "the checker of types has it");
    }

    #[test]
    fn its_status_is_one_test() {
        let setup = Setup { folder: String::new(), because: String::new(), detail: "test".to_owned() };
        let outcome = |status| {
            let output = GateOutput { status: Some(status), ..GateOutput::default() };
            PackageTestRest.parse(&setup, &output).map(|report| report.tests.expect("tests").cases.remove(0).outcome)
        };
        assert_eq!(outcome(0), Ok(TestOutcome::Passed));
        assert_eq!(outcome(1), Ok(TestOutcome::Failed));
        assert!(outcome(127).is_err());
    }
}
