//! What the tasks of one file run that test or check: `test` of a Makefile, the environments of tox, the sessions of nox.
//!
//! It says what is written there, and not whether a pipeline calls it.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::path::file_name;

use crate::command::CommandRole;
use crate::command_role;

use super::step::PipelineStep;
use super::task_runner::{self, TaskCall};
use super::{CHECK_WORDS, shell};

/// Names that tasks which test or check have by custom.
pub(super) const CHECKING_TASKS: [&str; 11] =
    ["test", "tests", "check", "lint", "format", "fmt", "typecheck", "types", "style", "ci", "all"];

/// A task with what it runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CheckingTask {
    /// Where it stands: the file, and the recipe or environment.
    pub source: String,
    /// What it runs, for a shell.
    pub script: String,
}

/// Returns the tasks of a file that test or check by their names, and those of what they need that call a tool which does.
/// Empty for a file of no task runner.
pub fn checking_tasks(path: &str, text: &str) -> BTreeSet<CheckingTask> {
    type TaskReader = fn(TaskCall<'_>, &str) -> Option<Vec<PipelineStep>>;
    let name = file_name(path);
    let (readers, asks_for_all): (&[(TaskReader, &str)], bool) = match name {
        "GNUmakefile" | "makefile" | "Makefile" => (&[(|call, _| task_runner::make(call), "")], false),
        "justfile" | "Justfile" | ".justfile" => (&[(|call, _| task_runner::just(call), "")], false),
        "Taskfile.yml" | "Taskfile.yaml" => (&[(|call, _| task_runner::task(call), "")], false),
        "tox.ini" | "tox.toml" => (&[(|call, _| task_runner::tox(call), "")], true),
        "noxfile.py" => (&[(|call, _| task_runner::nox(call), "")], true),
        "pyproject.toml" => (
            &[(task_runner::pyproject, "poe"), (task_runner::pyproject, "hatch"), (task_runner::pyproject, "pdm")],
            false,
        ),
        "package.json" => return checking_scripts(text),
        _ => return BTreeSet::new(),
    };
    let manifests = BTreeMap::from([(name.to_owned(), text.to_owned())]);
    let mut found = BTreeSet::new();
    for (reader, program) in readers {
        let mut run = |arguments: &[&str]| {
            let steps = reader(TaskCall { arguments, folder: "", manifests: &manifests }, program);
            // What stands in no file is called as it is.
            let written = steps.into_iter().flatten().filter(|step| step.source.starts_with(name));
            let written = written.filter(|step| asks_for_all || is_named_so(&step.source) || checks(&step.script));
            found.extend(written.map(|step| CheckingTask { source: step.source, script: step.script }));
        };
        match (asks_for_all, *program) {
            (true, _) => run(&[]),
            (false, "" | "poe") => CHECKING_TASKS.iter().for_each(|task| run(&[task])),
            (false, _) => CHECKING_TASKS.iter().for_each(|task| run(&["run", task])),
        }
    }
    found
}

/// Returns the scripts of a package that test or check by their names, those that they call, and with each what a package
/// manager runs before and behind it.
fn checking_scripts(manifest: &str) -> BTreeSet<CheckingTask> {
    const CALLERS: [&str; 8] = ["npm", "pnpm", "yarn", "bun", "run-s", "run-p", "npm-run-all", "npm-run-all2"];
    let manifest: serde_json::Value = serde_json::from_str(manifest).unwrap_or_default();
    let scripts = manifest.get("scripts").and_then(serde_json::Value::as_object);
    let scripts: BTreeMap<&str, &str> =
        scripts.into_iter().flatten().filter_map(|(name, text)| Some((name.as_str(), text.as_str()?))).collect();
    let is_named_so =
        |name: &str| name.split(|letter: char| !letter.is_alphanumeric()).any(|part| CHECK_WORDS.contains(&part));
    let mut wanted: Vec<&str> = scripts.keys().copied().filter(|name| is_named_so(name)).collect();
    let mut at = 0;
    while let Some(script) = wanted.get(at).and_then(|name| scripts.get(name)) {
        at += 1;
        let calls = shell::commands(script, "").into_iter();
        let calls = calls.filter(|call| call.words.first().is_some_and(|program| CALLERS.contains(&program.as_str())));
        let named = calls.flat_map(|call| call.words).filter_map(|word| scripts.get_key_value(word.as_str()));
        let new: Vec<&str> = named.map(|(name, _)| *name).filter(|name| !wanted.contains(name)).collect();
        wanted.extend(new);
    }
    let with_hooks = |name: &str| {
        let parts = [format!("pre{name}"), name.to_owned(), format!("post{name}")];
        let texts: Vec<&str> = parts.iter().filter_map(|part| scripts.get(part.as_str()).copied()).collect();
        CheckingTask { source: format!("package.json, `{name}`"), script: texts.join("\n") }
    };
    wanted.into_iter().map(with_hooks).collect()
}

/// Returns whether a step stands under a name that says that it tests or checks.
fn is_named_so(source: &str) -> bool {
    let name = source.split('`').nth(1).unwrap_or_default();
    CHECKING_TASKS.contains(&name)
}

/// Returns whether a script calls a tool that tests or checks.
fn checks(script: &str) -> bool {
    let is_check = |command: &shell::ShellCommand| {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        matches!(command_role(&words), CommandRole::Test | CommandRole::Check)
    };
    shell::commands(script, "").iter().any(is_check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tasks_that_check_are_found_by_what_each_runner_calls_them() {
        for (path, text, expected) in [
            (
                "Makefile",
                "all: build\nbuild:\n\tcc -c a.c\ntest: build unit\nunit:\n\tpytest\nlint:\n\t./lint\nclean:\n\trm -f a.o\n",
                vec![("Makefile, `lint`", "(./lint\n)"), ("Makefile, `unit`", "(pytest\n)")],
            ),
            ("sub/justfile", "test:\n    cargo test\n", vec![("justfile, `test`", "(cargo test\n)")]),
            (
                "Taskfile.yml",
                "tasks:\n  lint:\n    cmds: [ruff check]\n  deploy: scp a b\n",
                vec![("Taskfile.yml, `lint`", "(ruff check\n)")],
            ),
            (
                "tox.ini",
                "[tox]\nenvlist = py\n[testenv]\ncommands = pytest -q\n",
                vec![("tox.ini, environment `py`", "pytest -q")],
            ),
            (
                "noxfile.py",
                "import nox\n\n@nox.session\ndef tests(session):\n    session.run(\"pytest\")\n",
                vec![("noxfile.py, session `tests`", "pytest")],
            ),
            (
                "pyproject.toml",
                "[tool.hatch.envs.default.scripts]\ntest = \"pytest\"\n[tool.poe.tasks]\nlint = \"ruff check\"\nserve = \"a\"\n",
                vec![("pyproject.toml, `lint`", "ruff check"), ("pyproject.toml, `test`", "pytest")],
            ),
            (
                "package.json",
                r#"{"scripts": {"test": "npm run unit && eslint .", "pretest": "tsc", "unit": "mocha", "build": "tsc", "check:types": "tsc"}}"#,
                vec![
                    ("package.json, `check:types`", "tsc"),
                    ("package.json, `test`", "tsc\nnpm run unit && eslint ."),
                    ("package.json, `unit`", "mocha"),
                ],
            ),
            ("package.json", "{", vec![]),
            ("src/main.py", "test:\n\tpytest\n", vec![]),
            ("Makefile", "", vec![]),
        ] {
            let found = checking_tasks(path, text);
            let found: Vec<(&str, &str)> = found.iter().map(|task| (&*task.source, task.script.trim())).collect();
            assert_eq!(found, expected, "{path}");
        }
    }
}
