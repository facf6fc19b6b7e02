//! Scripts of a `package.json` behind which stands no tool that we know: they are run as they are.
//!
//! Such a script has no report that could be read. It leaves only its status: a fault when it is not 0, and no
//! objection when it is 0. For tests that is not enough, since the status does not tell whether any test ran. This
//! module must not know which scripts there are.

use std::collections::BTreeMap;

use assize_core::finding::Severity;
use assize_core::path::within;
use assize_report::plain::plain;
use assize_report::{Diagnostic, ReportError, ToolReport, message};

use super::javascript::{self, NodePackage};
use super::script::{self, ScriptStep};
use super::{GateCommand, GateOutput, Project, Setup, machine, runner};

/// Most bytes of what a script printed that are kept.
const PRINTED_BYTES_MAX: usize = 2_000;
/// What a shell ends with when it does not find a program, or must not start it.
const NOT_FOUND: [i32; 2] = [126, 127];

/// Statuses that scripts end with; those of signals and of programs that are not there are none of them.
pub(super) const STATUSES: &[i32] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 126, 127];

/// Finds the first of these scripts in each package, unless all that it does is done by tools that are gates of their own.
pub(super) fn setups(
    project: &Project,
    names: &[&str],
    is_covered: impl Fn(&NodePackage, &ScriptStep) -> bool,
) -> Vec<Setup> {
    let found = javascript::packages(project).into_iter().filter_map(|package| {
        let name = names.iter().find(|name| package.script(name).is_some())?;
        let steps = script::steps(&package, name);
        let is_left = |step: &ScriptStep| is_covered(&package, step) || script::is_of_workspace(step);
        let covered = steps.is_some_and(|steps| steps.iter().all(is_left));
        (!covered).then(|| Setup {
            folder: package.folder.clone(),
            because: format!("{} has the script `{name}`", package.path()),
            detail: (*name).to_owned(),
        })
    });
    found.collect()
}

/// The command: the script as npm would run it, without npm's own settings in between.
pub(super) fn command(setup: &Setup, project: &Project) -> GateCommand {
    command_without(setup, project, |_| false)
}

/// The same without some of its commands, where it can be taken apart.
pub(super) fn command_without(
    setup: &Setup,
    project: &Project,
    is_left_out: impl Fn(&ScriptStep) -> bool,
) -> GateCommand {
    let package = javascript::package(project, &setup.folder);
    // What comes behind tests, such as an audit, does not decide.
    let post = if setup.detail == "test" { String::new() } else { format!("post{}", setup.detail) };
    let parts = [format!("pre{}", setup.detail), setup.detail.clone(), post];
    let texts: Vec<&str> = parts.iter().filter_map(|name| package.script(name)).collect();
    let line = match script::steps(&package, &setup.detail) {
        Some(steps) => {
            let wanted = steps.into_iter().filter(|step| !is_left_out(step));
            let commands = wanted.map(|step| runner::named(project, &setup.folder, step).shell());
            commands.collect::<Vec<_>>().join(" && ")
        }
        None => texts.iter().map(|text| format!("{{ {text}\n}}")).collect::<Vec<_>>().join(" && "),
    };
    let path = runner::path_of_programs(project, &setup.folder);
    GateCommand {
        program: "sh".to_owned(),
        arguments: vec!["-c".to_owned(), format!("{path}{line}\n")],
        folder: setup.folder.clone(),
        environment: javascript::environment(),
        provided: BTreeMap::new(),
    }
}

/// Reads the status: a fault of the whole script, or nothing.
pub(super) fn report(setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
    let mut report = ToolReport::default();
    match output.status {
        Some(0) | None => {}
        Some(status) if NOT_FOUND.contains(&status) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.trim().lines().last().unwrap_or("a program is not there");
            return Err(ReportError::MissingTool(message(last)));
        }
        Some(_) if machine::is_at_fault(output) => {
            return Err(ReportError::Malformed {
                format: "a script's status",
                detail: "the machine kept it from working".to_owned(),
            });
        }
        Some(status) => {
            let printed = [&output.stdout[..], b"\n", &output.stderr].concat();
            let printed = plain(&printed)?;
            let said = assize_core::text::tail(printed.trim(), PRINTED_BYTES_MAX);
            report.object(Diagnostic {
                code: format!("script:{}", setup.detail),
                severity: Severity::Error,
                path: Some(within(&setup.folder, "package.json")),
                line: None,
                message: message(&format!("the script `{}` ended with status {status}: {said}", setup.detail)),
                offer: None,
            });
        }
    }
    Ok(javascript::place(report, setup, output))
}

#[cfg(test)]
mod tests {
    use super::super::python::tests::project;
    use super::super::{Gate, GateRun, GateState, GateTrouble};
    use super::*;
    use crate::gate::package_build::PackageBuild;
    use crate::gate::package_lint::PackageLint;
    use crate::gate::package_test::PackageTest;
    use crate::gate::package_typecheck::PackageTypecheck;

    #[test]
    fn scripts_of_tools_that_are_gates_are_left_to_them() {
        for (script, text, more, found) in [
            ("lint", "eslint .", "", ""),
            ("lint", "eslint . && prettier --check .", "", ""),
            ("lint", "oxlint && oxfmt --check", "", ""),
            ("lint", "standard", "", "package-lint lint"),
            ("lint", "eslint . && knip", "", "package-lint lint"),
            ("typecheck", "tsc --noEmit", "", ""),
            ("typecheck", "vue-tsc --noEmit", "", "package-typecheck typecheck"),
            ("build", "tsc -p .", "", ""),
            ("build", "npm run clean && vite build", r#","clean":"rm -rf dist""#, "package-build build"),
            ("test", "node --test", "", ""),
            ("test", "tsc -p . && node --test dist/*.test.js", "", ""),
            ("test", "vitest", "", ""),
            ("test", "node test.js", "", "package-test test"),
            ("test", "echo \\\"Error: no test specified\\\" && exit 1", "", ""),
            ("build", "pnpm -r --filter=./packages/* run build", "", ""),
            ("lint", "turbo lint && eslint .", "", ""),
            ("start", "node a.js", "", ""),
        ] {
            let manifest = format!(r#"{{"scripts":{{"{script}":"{text}"{more}}}}}"#);
            let project = project(&[("package.json", &manifest)], &["a.js"], &[]);
            let gates: [&dyn Gate; 4] = [&PackageBuild, &PackageLint, &PackageTest, &PackageTypecheck];
            let all = gates.iter().flat_map(|gate| {
                gate.detect(&project).into_iter().map(|setup| format!("{} {}", gate.id(), setup.detail))
            });
            assert_eq!(all.collect::<Vec<_>>().join(" "), found, "{script}: {text}");
        }
    }

    #[test]
    fn what_is_a_gate_of_its_own_is_not_checked_twice() {
        let manifest = r#"{"scripts":{"lint":"tsc -p . && eslint . && knip"}}"#;
        for (files, expected) in [
            (&["a.js", "eslint.config.js"][..], "tsc -p . && knip\n"),
            // Without its settings eslint is no gate here.
            (&["a.js"], "tsc -p . && eslint . && knip\n"),
        ] {
            let project = project(&[("package.json", manifest)], files, &[]);
            let command = PackageLint.command(&PackageLint.detect(&project)[0], &project);
            assert!(command.arguments[1].ends_with(expected), "{:?}", command.arguments);
        }
    }

    #[test]
    fn a_script_is_run_without_npm() {
        for (text, expected) in [
            ("vite build", "PATH=\"$PATH:$PWD/node_modules/.bin\"\n./node_modules/.bin/vite build\n"),
            ("node a.js && b", "PATH=\"$PATH:$PWD/node_modules/.bin\"\nnode a.js && b\n"),
            ("a || b", "PATH=\"$PATH:$PWD/node_modules/.bin\"\n{ a || b\n}\n"),
        ] {
            let manifest = format!(r#"{{"scripts":{{"build":"{text}"}}}}"#);
            let programs = ["node_modules/.bin/vite", "node_modules/.bin/node"];
            let project = project(&[("package.json", &manifest)], &[], &programs);
            let found = PackageBuild.command(&PackageBuild.detect(&project)[0], &project);
            assert_eq!((found.program.as_str(), found.arguments[1].as_str()), ("sh", expected));
        }
    }

    #[test]
    fn only_a_status_is_known_of_a_script() {
        use GateState::{Errored, Failed, Passed};
        let setup = Setup { folder: String::new(), because: String::new(), detail: "x".to_owned() };
        let run = |gate: &dyn Gate, status: Option<i32>| {
            let output = GateOutput { status, stderr: b"sh: 1: x: not found".to_vec(), ..GateOutput::default() };
            let run = GateRun::of(gate, &setup, &output, None);
            (run.state, run.trouble.map(|(kind, _)| kind))
        };
        assert_eq!(run(&PackageBuild, Some(0)), (Passed, None));
        assert_eq!(run(&PackageBuild, Some(2)), (Failed, None));
        assert_eq!(run(&PackageBuild, Some(127)), (Errored, Some(GateTrouble::MissingTool)));
        assert_eq!(run(&PackageBuild, None), (Errored, Some(GateTrouble::Crashed)));
        assert_eq!(run(&PackageTest, Some(0)), (Errored, Some(GateTrouble::StatusAlone)), "nobody knows what ran");
        assert_eq!(run(&PackageTest, Some(1)), (Failed, None));
    }

    #[test]
    fn a_script_for_tests_runs_without_what_rewrites_the_files() {
        for (text, expected) in [
            ("tap -R min test && npm run lint", "tap -R min test"),
            ("standard && run-them", "standard && run-them"),
            ("prettier --write . && run-them --fix", "run-them --fix"),
        ] {
            let manifest = format!(r#"{{"scripts": {{"test": "{text}", "lint": "standard --fix"}}}}"#);
            let project = project(&[("package.json", &manifest)], &["test/a.js"], &[]);
            let setup = Setup { folder: String::new(), because: String::new(), detail: "test".to_owned() };
            let command = PackageTest.command(&setup, &project);
            let line = command.arguments[1].lines().last().expect("a line");
            assert_eq!(line.replace("'", ""), expected, "{text}");
        }
    }
}
