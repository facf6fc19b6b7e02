//! Decides which gates run: of those that a project could use, the ones that its maintainers run, and of these the ones
//! that a change can affect.
//!
//! Declared gates always run, and so do those that come with a language. A linter, a formatter or a type checker may be
//! set up although no complete pipeline calls it. It would judge a change by rules that the project does not apply. A
//! package of an example or of a playground would judge it by what the project does not test. This module decides over
//! what [`Gate::detect`] finds; it must not run anything.

use std::collections::{BTreeMap, BTreeSet};

use assize_ecosystem::pipeline::{PackageScript, PipelineCommand};
use assize_ecosystem::{FileRole, is_tried_or_copied};
use serde::{Deserialize, Serialize};

use crate::gate::{Dimension, GATES, Gate, Project, Setup, name_of};
use crate::packages::Packages;

/// Which gates run.
pub struct GatePlan<'g> {
    /// Those that run, in their order.
    pub due: Vec<(&'g dyn Gate, Setup)>,
    /// Those that were recognized and do not.
    pub left_out: Vec<LeftOutGate>,
}

/// A gate that was recognized and does not run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOutGate {
    /// Its id.
    pub id: String,
    /// The folder that it would run in, relative to the root; empty for the root itself.
    pub folder: String,
    /// By what it was recognized.
    pub because: String,
    /// Why it does not run.
    pub why: String,
}

/// What a plan is made from, beside the project.
#[derive(Clone, Copy)]
pub struct PlanTerms<'g, 't> {
    /// The gates that the project declares.
    pub declared: &'g [Box<dyn Gate>],
    /// The gates that are switched off, by the names that results show: `pytest`, or `pytest in examples/tutorial` for one folder.
    pub off: &'t BTreeSet<String>,
    /// The only gates that are to run, by the same names; all where it is empty.
    pub only: &'t BTreeSet<String>,
    /// The files that a change touches, where only what it can affect is to run.
    pub changed: Option<&'t BTreeSet<String>>,
}

impl PlanTerms<'_, '_> {
    fn is_wanted(&self, gate: &str, folder: &str) -> bool {
        self.only.is_empty() || self.only.contains(gate) || self.only.contains(&name_of(gate, folder))
    }
}

/// Says in one sentence what is left out; nothing where nothing is.
pub fn summary_of(left_out: &[LeftOutGate]) -> Option<String> {
    let switched_off = |gate: &&LeftOutGate| gate.why != SWITCHED_OFF;
    let names: Vec<String> = left_out.iter().filter(switched_off).map(|gate| name_of(&gate.id, &gate.folder)).collect();
    let shown = assize_core::text::listed(&names, NAMES_SHOWN_MAX);
    (!names.is_empty()).then(|| format!("set up and not run: {shown} (`assize gates --plan` says why)"))
}

impl<'g> GatePlan<'g> {
    /// Plans the gates of a project.
    pub fn of(project: &Project, terms: PlanTerms<'g, '_>) -> Self {
        let built_in = GATES.iter().copied();
        let all = built_in.chain(terms.declared.iter().map(AsRef::as_ref));
        let recognized: Vec<(&dyn Gate, Setup)> = all
            .filter(|gate| !terms.off.contains(gate.id()))
            .flat_map(|gate| gate.detect(project).into_iter().map(move |setup| (gate, setup)))
            .filter(|(gate, setup)| terms.is_wanted(gate.id(), &setup.folder))
            .collect();
        let calls = Calls::of(project, &recognized);
        let declared: BTreeSet<&str> = terms.declared.iter().map(|gate| gate.id()).collect();
        let mut plan = Self { due: Vec::new(), left_out: Vec::new() };
        for (gate, mut setup) in recognized {
            let why = if terms.off.contains(&name_of(gate.id(), &setup.folder)) {
                Some(SWITCHED_OFF.to_owned())
            } else if declared.contains(gate.id()) {
                None
            } else {
                calls.why_not(gate, &setup)
            };
            match why {
                Some(why) => plan.leave_out(gate, setup, why),
                None => {
                    if let Some(call) = calls.of_gate(gate, &setup) {
                        setup.because = format!("{} calls `{}`", call.source, shortened(&call.text()));
                    } else if let Some(script) = calls.script(&setup).filter(|script| !script.source.is_empty()) {
                        setup.because = format!("{} calls the script `{}`", script.source, script.name);
                    }
                    plan.due.push((gate, setup));
                }
            }
        }
        if let Some(changed) = terms.changed {
            plan.keep_affected(project, changed, &declared);
        }
        plan
    }

    fn leave_out(&mut self, gate: &dyn Gate, Setup { folder, because, .. }: Setup, why: String) {
        self.left_out.push(LeftOutGate { id: gate.id().to_owned(), folder, because, why });
    }

    /// Leaves out the gates of packages that a change cannot affect, unless that would leave none.
    fn keep_affected(&mut self, project: &Project, changed: &BTreeSet<String>, declared: &BTreeSet<&str>) {
        let packages = Packages::of(project);
        let Some(affected) = packages.affected(changed) else { return };
        let is_due = |(gate, setup): &(&dyn Gate, Setup)| {
            declared.contains(gate.id()) || !packages.is_one(&setup.folder) || affected.contains(&setup.folder)
        };
        if !self.due.iter().any(is_due) {
            return;
        }
        let (due, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.due).into_iter().partition(is_due);
        self.due = due;
        for (gate, setup) in rest {
            self.leave_out(
                gate,
                setup,
                "the change touches neither this package nor one that it depends on".to_owned(),
            );
        }
    }
}

/// Why a gate does not run that others of its kind do.
const NOT_CALLED_THERE: &str = "nothing that the maintainers run calls it in this folder";
/// Why a gate does not run that the settings leave out.
const SWITCHED_OFF: &str = "it is switched off by `skip`";
/// Most gates that are named at once.
const NAMES_SHOWN_MAX: usize = 6;
/// The longest call that is shown as the reason for a gate, in characters.
const CALL_CHARS_MAX: usize = 80;

fn shortened(call: &str) -> String {
    if call.chars().count() <= CALL_CHARS_MAX {
        return call.to_owned();
    }
    let start: String = call.chars().take(CALL_CHARS_MAX - 1).collect();
    format!("{start}…")
}

/// Which gates the maintainers' commands stand for.
struct Calls<'p> {
    project: &'p Project,
    /// The commands that call a gate's tool, by the gate's id.
    by_gate: BTreeMap<&'static str, Vec<&'p PipelineCommand>>,
    /// The runners of tests that were recognized, and the folders that they run in.
    runners: BTreeSet<(String, String)>,
}

impl<'p> Calls<'p> {
    fn of(project: &'p Project, recognized: &[(&dyn Gate, Setup)]) -> Self {
        let runners = recognized.iter().filter(|(gate, _)| gate.dimensions().contains(&Dimension::TestsFunctional));
        let runners = runners.map(|(gate, setup)| (gate.id().to_owned(), setup.folder.clone())).collect();
        let mut by_gate: BTreeMap<&str, Vec<&PipelineCommand>> = BTreeMap::new();
        for command in &project.pipeline.commands {
            let called = |gate: &&'static dyn Gate| {
                let calls = gate.calls().iter().filter(|call| command.begins_with(call));
                calls.map(|call| call.len()).max().map(|length| (length, gate.id()))
            };
            let found: Vec<(usize, &str)> = GATES.iter().filter_map(called).collect();
            // `ruff format` is not `ruff`.
            let longest = found.iter().map(|(length, _)| *length).max();
            for (_, id) in found.iter().filter(|(length, _)| Some(*length) == longest) {
                by_gate.entry(id).or_default().push(command);
            }
        }
        Self { project, by_gate, runners }
    }

    /// The command that calls a gate's tool where the gate runs.
    fn of_gate(&self, gate: &dyn Gate, setup: &Setup) -> Option<&'p PipelineCommand> {
        self.commands(gate).iter().copied().find(|command| is_there(command, &setup.folder))
    }

    /// The script of a package that a gate runs, where the maintainers call it.
    fn script(&self, setup: &Setup) -> Option<&'p PackageScript> {
        let called = self.project.pipeline.scripts.iter().filter(|_| !setup.detail.is_empty());
        called.into_iter().find(|script| script.folder == setup.folder && script.name == setup.detail)
    }

    fn commands(&self, gate: &dyn Gate) -> &[&'p PipelineCommand] {
        self.by_gate.get(gate.id()).map_or(&[], Vec::as_slice)
    }

    /// Returns whether the maintainers run tests in a folder with the runner of another gate, which runs there.
    fn runs_others(&self, gate: &dyn Gate, folder: &str) -> bool {
        let mut others = self.runners.iter().filter(|(id, at)| id != gate.id() && at == folder);
        others
            .any(|(id, _)| self.by_gate.get(id.as_str()).into_iter().flatten().any(|command| command.folder == folder))
    }

    /// Says why a gate that was recognized does not run; `None` where it does.
    fn why_not(&self, gate: &dyn Gate, setup: &Setup) -> Option<String> {
        let pipeline = &self.project.pipeline;
        let folder = setup.folder.as_str();
        let is_called_there = self.of_gate(gate, setup).is_some() || self.script(setup).is_some();
        if is_called_there {
            return None;
        }
        if is_aside(gate, folder) {
            return Some(NOT_CALLED_THERE.to_owned());
        }
        let may_be_called = !setup.detail.is_empty() || !gate.calls().is_empty();
        // A package below the root that the maintainers build for another kind of machine cannot be tested on this one.
        let is_foreign = |command: &PipelineCommand| {
            let builds = ["build", "check"].iter().any(|call| command.begins_with(&format!("cargo {call}")));
            let names_target = command.words.iter().any(|word| word == "--target" || word.starts_with("--target="));
            builds && names_target && is_there(command, folder)
        };
        let is_of_cargo = !folder.is_empty() && gate.builds_in() == Some("cargo");
        if is_of_cargo && may_be_called && pipeline.settled().iter().any(is_foreign) {
            return Some(NOT_CALLED_THERE.to_owned());
        }
        if !pipeline.is_complete {
            return None;
        }
        if !folder.is_empty() && may_be_called {
            return Some(NOT_CALLED_THERE.to_owned());
        }
        let is_checker = gate.dimensions().iter().any(|it| matches!(it, Dimension::Style | Dimension::Types));
        let runs_tests = gate.dimensions().contains(&Dimension::TestsFunctional);
        let is_script = !setup.detail.is_empty();
        if runs_tests && is_script && self.runs_others(gate, folder) {
            return Some("the maintainers run other tests in its place".to_owned());
        }
        (is_checker && may_be_called && self.commands(gate).is_empty() || is_script && !runs_tests)
            .then(|| "it is set up, and nothing that the maintainers run calls it".to_owned())
    }
}

/// Returns whether a folder holds no part of the project itself: examples, measurements, what tests work on.
fn is_aside(gate: &dyn Gate, folder: &str) -> bool {
    let role = |ending: &str| FileRole::of(&format!("{folder}/module.{ending}"));
    // A file of settings for tests of Python may lie beside them.
    let is_of_python = matches!(gate.id(), "pytest" | "unittest");
    let endings: &[&str] = if is_of_python { &["py"] } else { &["go", "js", "py", "rs"] };
    endings.iter().any(|ending| match role(ending) {
        FileRole::Example | FileRole::Benchmark | FileRole::Fixture => true,
        role => role.is_for_tests() && !is_of_python,
    }) && !folder.is_empty()
        || folder.split('/').any(is_tried_or_copied)
}

/// Returns whether a command runs in a folder, or names something in it.
fn is_there(command: &PipelineCommand, folder: &str) -> bool {
    if command.folder == folder {
        return true;
    }
    let Some(inside) = folder.strip_prefix(&command.folder) else { return false };
    let inside = inside.trim_start_matches('/');
    command.words.iter().skip(1).any(|word| {
        let value =
            word.split_once('=').filter(|(option, _)| option.starts_with("--")).map_or(&**word, |(_, value)| value);
        let word = value.trim_start_matches("./").trim_end_matches('/');
        !inside.is_empty() && (word == inside || word.strip_prefix(inside).is_some_and(|rest| rest.starts_with('/')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(manifests: &[(&str, &str)], files: &[&str]) -> Project {
        let manifests: BTreeMap<String, String> =
            manifests.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let files = files.iter().map(|path| (*path).to_owned()).chain(manifests.keys().cloned()).collect();
        Project::new(files, manifests, BTreeSet::new())
    }

    fn workflow(steps: &[&str]) -> String {
        let steps: String = steps.iter().map(|step| format!("      - run: {step}\n")).collect();
        format!("on: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n{steps}")
    }

    fn due(project: &Project, off: &[&str], changed: Option<&[&str]>) -> String {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        let (off, changed) = (owned(off), changed.map(owned));
        let plan = GatePlan::of(
            project,
            PlanTerms { declared: &[], off: &off, only: &BTreeSet::new(), changed: changed.as_ref() },
        );
        plan.due.iter().map(|(gate, setup)| name_of(gate.id(), &setup.folder)).collect::<Vec<_>>().join(", ")
    }

    const CI: &str = ".github/workflows/ci.yml";

    #[test]
    fn a_checker_that_a_complete_pipeline_does_not_call_is_left_out() {
        let settings = "[tool.ruff.format]\n[tool.mypy]\n[tool.black]\n";
        let with = |steps: &[&str]| {
            let text = workflow(steps);
            due(&project(&[("pyproject.toml", settings), (CI, &text)], &["a.py", "tests/test_a.py"]), &[], None)
        };
        assert_eq!(with(&["pytest", "ruff format --check"]), "python-compile, ruff-format, pytest");
        assert_eq!(with(&["python -m unittest"]), "python-compile, unittest");
        assert_eq!(with(&["pytest", "ruff check", "mypy ."]), "python-compile, ruff-check, mypy, pytest");
        let all = "python-compile, ruff-format, black, ruff-check, mypy, pytest";
        assert_eq!(with(&["pytest", "./ci/lint.sh"]), all, "who knows what that runs");
        assert_eq!(with(&["pip install ."]), all.replace("pytest", "unittest"), "nothing speaks of pytest");
    }

    #[test]
    fn the_reason_is_what_the_maintainers_run() {
        let text = workflow(&["tox"]);
        let tox = "[testenv]\ncommands = pytest -x\n";
        let project = project(&[("tox.ini", tox), (CI, &text)], &["tests/test_a.py"]);
        let plan = GatePlan::of(
            &project,
            PlanTerms { declared: &[], off: &BTreeSet::new(), only: &BTreeSet::new(), changed: None },
        );
        let (_, setup) = plan.due.iter().find(|(gate, _)| gate.id() == "pytest").expect("pytest");
        assert_eq!(setup.because, "tox.ini, environment `py` calls `pytest -x`");
    }

    #[test]
    fn tests_of_examples_are_not_the_project_s() {
        let manifests = [
            ("pyproject.toml", "[tool.pytest.ini_options]\n"),
            ("examples/tutorial/pyproject.toml", "[tool.pytest.ini_options]\n"),
        ];
        let files = ["tests/test_a.py", "examples/tutorial/tests/test_b.py"];
        assert_eq!(due(&project(&manifests, &files), &[], None), "python-compile, pytest");
        let text = workflow(&["pytest", "cd examples/tutorial && pytest"]);
        let with = [&manifests[..], &[(CI, text.as_str())]].concat();
        assert_eq!(due(&project(&with, &files), &[], None), "python-compile, pytest, pytest in examples/tutorial");
        assert_eq!(due(&project(&with, &files), &["pytest in examples/tutorial"], None), "python-compile, pytest");
        assert_eq!(due(&project(&with, &files), &["pytest"], None), "python-compile");
    }

    #[test]
    fn a_script_that_the_maintainers_call_goes_before_a_runner_that_is_only_set_up() {
        let one = r#"{"scripts":{"bench":"vitest bench","test":"own-scripts test"}}"#;
        let with = |step: &str| {
            let text = workflow(&[step]);
            let manifests = [
                ("package.json", r#"{"workspaces":["packages/*"]}"#),
                ("packages/one/package.json", one),
                (CI, text.as_str()),
            ];
            due(&project(&manifests, &["packages/one/src/a.spec.ts"]), &[], None)
        };
        assert_eq!(with("npm test --workspaces"), "package-test in packages/one");
        assert_eq!(with("./who-knows.sh"), "vitest in packages/one");
    }

    #[test]
    fn the_script_stays_where_the_runner_that_the_maintainers_call_has_no_gate() {
        let with = |version: &str| {
            let manifest = format!(
                r#"{{"scripts":{{"test":"tap test","ci":"tap --100 test"}},"devDependencies":{{"tap":"{version}"}}}}"#
            );
            let text = workflow(&["npm run ci"]);
            due(&project(&[("package.json", &manifest), (CI, &text)], &["test/a.js"]), &[], None)
        };
        assert_eq!(with("^12.0.0"), "package-test");
        assert_eq!(with("^18.0.0"), "tap");
    }

    #[test]
    fn a_package_that_is_built_for_another_machine_is_not_tested() {
        let with = |calls: &[&str]| {
            let text = workflow(&[&["./who-knows.sh", "cargo test"], calls].concat());
            let manifests = [("Cargo.toml", "[package]\n"), ("no-std/Cargo.toml", "[package]\n"), (CI, text.as_str())];
            let all = due(&project(&manifests, &["src/lib.rs", "no-std/src/main.rs"]), &[], None);
            all.split(", ").filter(|name| name.contains("test in")).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(with(&[]), "cargo-test in no-std", "it cannot be known");
        assert_eq!(with(&["cd no-std && cargo build --target thumbv6m-none-eabi"]), "");
        assert_eq!(with(&["cargo build --target=thumbv6m-none-eabi --manifest-path=./no-std/Cargo.toml"]), "");
        for calls in [
            &["cd no-std && cargo build --target x", "cd no-std && cargo test"][..],
            &[
                "cargo build --target x --manifest-path=no-std/Cargo.toml",
                "cargo test --manifest-path=no-std/Cargo.toml",
            ],
            // What else runs there is not known.
            &["cargo build --manifest-path no-std/Cargo.toml"],
            &["cargo fmt --manifest-path=no-std/Cargo.toml -- --check"],
            &["cd no-std && cargo insta test"],
            &["cargo nextest run --manifest-path no-std/Cargo.toml"],
        ] {
            assert_eq!(with(calls), "cargo-test in no-std", "{calls:?}");
        }
    }

    const ROOT: &str = r#"{"workspaces":["packages/*"],"scripts":{"test":"vitest run","build":"npm run build -ws"}}"#;
    const ONE: &str = r#"{"name":"one","scripts":{"build":"vite build","test":"vitest"}}"#;
    const TWO: &str = r#"{"name":"two","dependencies":{"one":"workspace:*"},"scripts":{"build":"rollup -c"}}"#;
    const THREE: &str = r#"{"name":"three","scripts":{"build":"rollup -c"}}"#;

    #[test]
    fn in_a_workspace_only_what_is_called_runs() {
        let manifests = |steps: &[&str]| {
            let text = workflow(steps);
            let all = [
                ("package.json", ROOT),
                ("packages/one/package.json", ONE),
                ("packages/two/package.json", TWO),
                ("playground/x/package.json", THREE),
                (CI, &text),
            ];
            due(&project(&all, &[]), &[], None)
        };
        assert_eq!(manifests(&["npm test"]), "vitest");
        assert_eq!(
            manifests(&["npm test", "npm run build"]),
            "package-build in packages/one, package-build in packages/two, vitest"
        );
        assert_eq!(manifests(&["npm test", "npm run build -w two"]), "package-build in packages/two, vitest");
    }

    #[test]
    fn types_of_packages_to_try_or_to_copy_are_checked_only_where_the_pipeline_does() {
        const ASIDE: [&str; 4] = ["playground/x", "templates/y", "packages/create/template-z", "e2e/z"];
        let types = |steps: Option<&[&str]>| {
            let text = steps.map(workflow);
            let folders = || ASIDE.into_iter().chain(["packages/one"]);
            let settings: Vec<(String, &str)> = folders()
                .flat_map(|folder| [("package.json", THREE), ("tsconfig.json", "{}")].map(|it| (folder, it)))
                .map(|(folder, (name, text))| (format!("{folder}/{name}"), text))
                .collect();
            let mut manifests = vec![("package.json", ROOT)];
            manifests.extend(settings.iter().map(|(path, text)| (path.as_str(), *text)));
            manifests.extend(text.as_deref().map(|text| (CI, text)));
            let sources: Vec<String> = folders().map(|folder| format!("{folder}/src/a.ts")).collect();
            let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
            let all = due(&project(&manifests, &sources), &[], None);
            all.split(", ").filter(|name| name.starts_with("tsc")).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(types(None), "tsc in packages/one");
        assert_eq!(types(Some(&["./ci/check.sh"])), "tsc in packages/one", "who knows what that runs");
        assert_eq!(types(Some(&["npm test"])), "");
        assert_eq!(types(Some(&["npm test", "npx tsc --noEmit -p packages/one"])), "tsc in packages/one");
        for folder in ASIDE {
            for call in [format!("cd {folder} && npx tsc --noEmit"), format!("npx tsc --noEmit -p {folder}")] {
                let alone = format!("tsc in {folder}");
                assert_eq!(types(Some(&["npm test", &call])), alone, "{call}");
                let both = types(Some(&["./ci/check.sh", &call]));
                let mut both: Vec<&str> = both.split(", ").collect();
                both.sort_unstable_by_key(|name| *name == alone);
                assert_eq!(both, ["tsc in packages/one", &alone], "{call}");
            }
        }
    }

    #[test]
    fn a_package_runs_when_a_change_can_affect_it() {
        let manifests = [
            ("package.json", ROOT),
            ("packages/one/package.json", ONE),
            ("packages/two/package.json", TWO),
            ("packages/three/package.json", THREE),
        ];
        let project = project(&manifests, &["docs/a.md"]);
        let build = |folder: &str| format!("package-build in packages/{folder}");
        let all = format!("{}, {}, {}, vitest, vitest in packages/one", build("one"), build("three"), build("two"));
        assert_eq!(due(&project, &[], None), all);
        assert_eq!(
            due(&project, &[], Some(&["packages/one/a.ts"])),
            format!("{}, {}, vitest, vitest in packages/one", build("one"), build("two"))
        );
        assert_eq!(due(&project, &[], Some(&["packages/two/a.ts"])), format!("{}, vitest", build("two")));
        assert_eq!(due(&project, &[], Some(&["docs/a.md"])), "vitest");
        let reached = [("packages/three".to_owned(), ["packages/two".to_owned()].into())].into();
        let by_path = Project { reaches: reached, ..project.clone() };
        assert_eq!(
            due(&by_path, &[], Some(&["packages/two/a.ts"])),
            format!("{}, {}, vitest", build("three"), build("two"))
        );
        let reaches = [("packages/two".to_owned(), ["docs/a.md".to_owned()].into())].into();
        let by_file = Project { reaches, ..project.clone() };
        assert_eq!(due(&by_file, &[], Some(&["docs/a.md"])), format!("{}, vitest", build("two")));
        assert_eq!(due(&project, &[], Some(&["scripts/a.ts"])), all);
        assert_eq!(due(&project, &[], Some(&["package-lock.json"])), all);
    }
}
