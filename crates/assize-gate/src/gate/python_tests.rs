//! The tests of a Python project: which runner they are written for, and the supervisor that drives it.
//!
//! The reports of pytest and unittest are written in the process that the judged code runs in, at a place that it can find.
//! `drivers/supervise.py` starts the runner in a process of its own, with a plug-in that reports what happens, and keeps the channel to
//! itself; see there.

use std::collections::BTreeMap;

use assize_core::path::within;
use assize_report::{ReportError, ToolReport, driver_events};
use serde_json::json;

use super::python::{self, PythonRoot, PythonTool};
use super::{Canary, GateCommand, GateOutput, ONE_TEST, Project, Setup, TEST_SECONDS_VARIABLE, mentions};

const PYTEST: PythonTool = PythonTool { name: "pytest", calls: &["pytest", "py.test"] };
/// The file that tells the supervisor what to do.
const SETTINGS: &str = "settings.json";
/// Where pytest's own code for tests stands by custom.
const CONFTEST: [&str; 3] = ["conftest.py", "tests/conftest.py", "test/conftest.py"];

/// Says what speaks of pytest in a folder. Where it is configured nothing else is needed, otherwise there have to be tests.
pub(super) fn pytest_because(project: &Project, root: &PythonRoot) -> Option<String> {
    let configured = PYTEST.configured(project, &root.folder);
    if configured.is_some() || root.tests.is_empty() {
        return configured;
    }
    let in_folders =
        [root.folder.as_str(), ""].into_iter().flat_map(|folder| CONFTEST.map(|name| within(folder, name)));
    if let Some(path) = in_folders.into_iter().find(|path| project.files.contains(path)) {
        return Some(format!("there is a {path}"));
    }
    let shown = |folder: &str| PYTEST.because(project, folder).or_else(|| PYTEST.depended_on(project, folder));
    shown(&root.folder).or_else(|| shown(""))
}

/// Returns whether pytest can be started for a folder.
pub(super) fn is_installed(project: &Project, folder: &str) -> bool {
    ["pytest", "py.test"]
        .into_iter()
        .any(|name| project.programs.contains(name) || python::environment_program(project, folder, name).is_some())
}

/// What the supervisor drives.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Driven {
    Pytest,
    Unittest,
}

impl Driven {
    fn name(self) -> &'static str {
        match self {
            Self::Pytest => "pytest",
            Self::Unittest => "unittest",
        }
    }

    /// What a test has to have an outcome of before it counts as passed.
    fn phases(self) -> &'static [&'static str] {
        match self {
            Self::Pytest => &["setup", "call", "teardown"],
            Self::Unittest => &["call"],
        }
    }

    fn worker(self) -> (&'static str, &'static str) {
        match self {
            Self::Pytest => ("pytest_worker.py", include_str!("../../drivers/pytest_worker.py")),
            Self::Unittest => ("unittest_worker.py", include_str!("../../drivers/unittest_worker.py")),
        }
    }
}

/// The command for some files of tests alone, relative to the root. `None` where none of them is a file of tests. With
/// `mutated`, their tests run mutated as well, and all of them have to be files of tests.
pub(super) fn driver_command_for(
    driven: Driven,
    setup: &Setup,
    project: &Project,
    own: Option<String>,
    files: &[&str],
    mutated: bool,
) -> Option<GateCommand> {
    let root = root(project, &setup.folder);
    let is_named = |test: &&str| files.contains(&&*within(&setup.folder, test));
    let named: Vec<&str> = root.tests.iter().map(String::as_str).filter(is_named).collect();
    if named.is_empty() || mutated && named.len() < files.len() {
        return None;
    }
    let narrowing = Narrowing { only: &named, mutated: if mutated { &named } else { &[] } };
    Some(command_of(driven, setup, project, own, &root, narrowing))
}

/// The files of tests to which a run is held.
#[derive(Clone, Copy)]
struct Narrowing<'f> {
    /// The only ones that run; all if there is none.
    only: &'f [&'f str],
    /// Those whose tests run mutated as well.
    mutated: &'f [&'f str],
}

/// The command that starts the supervisor; `own` is the project's interpreter, where that is to be taken.
pub(super) fn driver_command(driven: Driven, setup: &Setup, project: &Project, own: Option<String>) -> GateCommand {
    let root = root(project, &setup.folder);
    let all: Vec<&str> = root.tests.iter().map(String::as_str).collect();
    command_of(driven, setup, project, own, &root, Narrowing { only: &[], mutated: &all })
}

fn command_of(
    driven: Driven,
    setup: &Setup,
    project: &Project,
    own: Option<String>,
    root: &PythonRoot,
    narrowing: Narrowing<'_>,
) -> GateCommand {
    let sources = within(&setup.folder, "src/");
    let has_src = project.files.iter().any(|path| path.starts_with(&sources) && path.ends_with(".py"));
    let settings = json!({
        "runner": driven.name(),
        "phases": driven.phases(),
        "files": root.tests,
        "mutated": narrowing.mutated,
        "only": narrowing.only,
        "has_src": has_src,
    });
    let (worker, source) = driven.worker();
    let provided = [
        (SETTINGS, settings.to_string()),
        ("supervise.py", include_str!("../../drivers/supervise.py").to_owned()),
        ("worker.py", include_str!("../../drivers/worker.py").to_owned()),
        ("mutated_tests.py", include_str!("../../drivers/mutated_tests.py").to_owned()),
        (worker, source.to_owned()),
    ];
    let python = own.or_else(|| python::on_the_path(project, &["python3", "python"]));
    GateCommand {
        program: python.unwrap_or_else(|| "python3".to_owned()),
        arguments: vec!["-I".to_owned(), "-B".to_owned(), format!("{}/supervise.py", super::REPORTS)],
        folder: setup.folder.clone(),
        environment: BTreeMap::from([
            ("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()),
            (TEST_SECONDS_VARIABLE.to_owned(), ONE_TEST.to_owned()),
        ]),
        provided: provided.map(|(name, text)| (name.to_owned(), text)).into(),
    }
}

/// Reads what the supervisor wrote.
pub(super) fn driver_report(setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
    let read = if output.timed_out { driver_events::parse_part } else { driver_events::parse };
    Ok(python::place(read(&output.stdout)?, setup, output))
}

fn root(project: &Project, folder: &str) -> PythonRoot {
    let found = python::roots(project).into_iter().find(|root| root.folder == folder);
    found.unwrap_or_else(|| PythonRoot { folder: folder.to_owned(), tests: Vec::new() })
}

/// A file of tests of ours, which the supervisor keeps outside of the project.
pub(super) fn canary(driven: Driven, setup: &Setup, word: &str) -> Canary {
    let path = within(&setup.folder, &format!("test_{word}.py"));
    let mut text = CLASS.replace("WORD", word);
    let mut names: Vec<String> =
        ["equal", "error", "raises", "true"].iter().map(|kind| format!("Case_{word}::test_{kind}")).collect();
    if driven == Driven::Pytest {
        text.push_str(&FUNCTIONS.replace("WORD", word));
        names.extend(["assert", "error", "raises"].iter().map(|kind| format!("test_{word}_{kind}")));
    }
    let ids = |end: &str| names.iter().map(|name| format!("{path}::{name}_{end}")).collect();
    let files = [(path.clone(), text)].into();
    Canary { failing: ids("fails"), passing: ids("passes"), files, by_command: true, ..Canary::default() }
}

const CLASS: &str = r#""""Put here for one run, to see that failures are reported."""

import unittest


class Case_WORD(unittest.TestCase):
    """Assertions of unittest."""

    def test_equal_fails(self):
        self.assertEqual(1 + 1, 3)

    def test_equal_passes(self):
        self.assertEqual(1 + 1, 2)

    def test_true_fails(self):
        self.assertTrue(1 + 1 == 3)

    def test_true_passes(self):
        self.assertTrue(1 + 1 == 2)

    def test_raises_fails(self):
        with self.assertRaises(ValueError):
            int("1")

    def test_raises_passes(self):
        with self.assertRaises(ValueError):
            int("x")

    def test_error_fails(self):
        raise RuntimeError("as it must")

    def test_error_passes(self):
        self.assertFalse(False)
"#;

const FUNCTIONS: &str = r#"

import pytest  # noqa: E402


def test_WORD_assert_fails():
    assert 1 + 1 == 3


def test_WORD_assert_passes():
    assert 1 + 1 == 2


def test_WORD_error_fails():
    raise RuntimeError("as it must")


def test_WORD_error_passes():
    pass


def test_WORD_raises_fails():
    with pytest.raises(ValueError):
        int("1")


def test_WORD_raises_passes():
    with pytest.raises(ValueError):
        int("x")
"#;

/// Says why the tests of a folder are run with unittest; `None` where pytest runs them, or there are none.
pub(super) fn unittest_because(project: &Project, root: &PythonRoot) -> Option<String> {
    let first = root.tests.first()?;
    if pytest_because(project, root).is_some() {
        return None;
    }
    let called = mentions::mentioned(project, &["unittest"]);
    if called.is_some() || is_installed(project, &root.folder) {
        return called;
    }
    let first = within(&root.folder, first);
    Some(format!("{first} is a file of tests, and nothing speaks of pytest"))
}

#[cfg(test)]
mod tests {
    use super::super::Gate as _;
    use super::super::pytest::Pytest;
    use super::super::python::tests::project;
    use super::super::unittest::Unittest;
    use super::*;

    fn setup(folder: &str) -> Setup {
        Setup { folder: folder.to_owned(), because: String::new(), detail: String::new() }
    }

    #[test]
    fn the_runner_is_found_without_configuration_and_with_it() {
        let tests = "tests/test_a.py";
        let none: &[(&str, &str)] = &[];
        for (manifests, files, programs, pytest, unittest) in [
            (none, &[tests][..], &["python3", "pytest"][..], "tests/test_a.py is a file of tests", ""),
            (none, &["test_a.py"], &["python3", ".venv/bin/pytest"], "test_a.py is a file of tests", ""),
            (none, &[tests], &["python3"], "", "tests/test_a.py is a file of tests, and nothing speaks of pytest"),
            (none, &[tests, "conftest.py"], &["python3"], "there is a conftest.py", ""),
            (
                &[("pyproject.toml", "[tool.pytest.ini_options]\n")],
                &["a.py"],
                &["python3"],
                "pyproject.toml has [tool.pytest]",
                "",
            ),
            (&[("setup.cfg", "[tool:pytest]\n")], &[tests], &["python3"], "setup.cfg has [tool:pytest]", ""),
            (&[("requirements.txt", "pytest\n")], &[tests], &["python3"], "requirements.txt depends on pytest", ""),
            (&[("requirements.txt", "pytest\n")], &["a.py"], &["python3", "pytest"], "", ""),
            (
                &[("Makefile", "test:\n\tpython3 -m unittest\n")],
                &[tests],
                &["python3", "pytest"],
                "",
                "Makefile, `test` calls `unittest`",
            ),
            (
                &[("tox.ini", "[testenv]\ncommands = pytest -q\n")],
                &[tests],
                &["python3"],
                "tox.ini, environment `py` calls `pytest`",
                "",
            ),
            (none, &["a.py"], &["python3", "pytest"], "", ""),
        ] {
            let project = project(manifests, files, programs);
            let because = |setups: Vec<Setup>| setups.first().map_or(String::new(), |setup| setup.because.clone());
            let what = format!("{manifests:?} {files:?} {programs:?}");
            assert_eq!(because(Pytest.detect(&project)), pytest, "pytest: {what}");
            assert_eq!(because(Unittest.detect(&project)), unittest, "unittest: {what}");
        }
    }

    #[test]
    fn the_interpreter_is_the_one_that_has_pytest() {
        for (programs, program) in [
            (&["python3", "pytest", ".venv/bin/python", ".venv/bin/pytest"][..], ".venv/bin/python"),
            (&["python3", "pytest", ".venv/bin/python"], "python3"),
            (&["python3", ".venv/bin/python"], ".venv/bin/python"),
            (&["python", "pytest"], "python"),
            (&[], "python3"),
        ] {
            assert_eq!(Pytest.command(&setup(""), &project(&[], &[], programs)).program, program, "{programs:?}");
        }
    }

    #[test]
    fn a_canary_is_named_as_it_will_be_reported() {
        let project = project(&[("pkg/pyproject.toml", "")], &["pkg/tests/test_a.py"], &[]);
        let canary = Pytest.canary(&setup("pkg"), &project, "abc").unwrap();
        assert_eq!(canary.files.keys().collect::<Vec<_>>(), ["pkg/test_abc.py"]);
        assert!(canary.failing.contains(&"pkg/test_abc.py::Case_abc::test_equal_fails".to_owned()));
        assert!(canary.passing.contains(&"pkg/test_abc.py::test_abc_raises_passes".to_owned()));
        assert_eq!((canary.failing.len(), canary.passing.len()), (7, 7));
        assert_eq!(Unittest.canary(&setup("pkg"), &project, "abc").unwrap().failing.len(), 4);
    }

    #[test]
    fn the_driver_is_told_what_to_look_at() {
        let files = ["pkg/tests/test_a.py", "pkg/src/p/x.py"];
        let project = project(&[("pkg/setup.py", "")], &files, &["python3"]);
        let command = Pytest.command(&setup("pkg"), &project);
        let settings: serde_json::Value = serde_json::from_str(&command.provided["settings.json"]).unwrap();
        assert_eq!(settings["files"], json!(["tests/test_a.py"]));
        assert_eq!(settings["has_src"], json!(true));
        assert_eq!((command.folder.as_str(), command.arguments[2].as_str()), ("pkg", "{reports}/supervise.py"));
    }
}
