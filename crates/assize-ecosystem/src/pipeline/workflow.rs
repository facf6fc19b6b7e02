//! The steps of pipelines: workflows of GitHub as they are written, those of others by what their keys are called.
//!
//! Read is what a change is checked by: jobs that publish, measure or run by the clock are left out, and so are those for other systems
//! than Linux. It must not know which tools there are.

use std::collections::BTreeMap;

use serde_json::Value;

use super::shell::joined;
use crate::document::{at, items, text};

/// A step of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PipelineStep {
    /// What it runs, for a shell.
    pub script: String,
    /// The folder that it runs in; `None` where that is not known.
    pub folder: Option<String>,
    /// Where it stands: the file, and the job.
    pub source: String,
}

/// What a file of a pipeline says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PipelineFile {
    /// Its steps.
    pub steps: Vec<PipelineStep>,
    /// Parts that may check a change, and cannot be read.
    pub unread: Vec<String>,
}

/// Events for which a change is checked.
const EVENTS: [&str; 5] = ["merge_group", "pull_request", "pull_request_target", "push", "workflow_call"];
/// Words in the name of a job or file that does not check changes.
const ASIDE: [&str; 14] = [
    "bench",
    "benchmark",
    "benchmarks",
    "deploy",
    "doc",
    "docs",
    "downstream",
    "fuzz",
    "nightly",
    "pages",
    "publish",
    "release",
    "stale",
    "wheels",
];
/// Actions that run a tool by themselves: by what their name begins with, and the command that they stand for.
const ACTIONS: [(&str, &str); 12] = [
    ("actions-rs/clippy", "cargo clippy"),
    ("actions-rust-lang/rustfmt", "cargo fmt --check"),
    ("astral-sh/ruff-action", "ruff check"),
    ("chartboost/ruff-action", "ruff check"),
    ("dominikh/staticcheck-action", "staticcheck ./..."),
    ("giraffate/clippy-action", "cargo clippy"),
    ("golangci/golangci-lint-action", "golangci-lint run"),
    ("jakebailey/pyright-action", "pyright"),
    ("jpetrucciani/mypy-check", "mypy"),
    ("pre-commit/action", "pre-commit run --all-files"),
    ("psf/black", "black --check ."),
    ("tox-dev/action-pre-commit-uv", "pre-commit run --all-files"),
];
/// Words in the name of an action that checks code by a tool that its name does not tell.
const CHECKING: [&str; 7] = ["check", "format", "lint", "mypy", "style", "test", "types"];
/// Words in the name of an action that only handles what others found.
const HANDLING: [&str; 7] = ["cache", "checkout", "codecov", "report", "setup", "upload", "results"];
/// Most runs of one job, with each of its variables.
const ROWS_MAX: usize = 64;

/// The variables of one run of a job.
type Row = BTreeMap<String, String>;

/// Reads a workflow of GitHub.
pub(super) fn github(path: &str, workflow: &Value) -> PipelineFile {
    let mut file = PipelineFile::default();
    if !checks_changes(&workflow["on"]) || is_aside(path.rsplit('/').next().unwrap_or(path)) {
        return file;
    }
    let folder = default_folder(workflow);
    for (name, job) in at(workflow, &["jobs"]).and_then(Value::as_object).into_iter().flatten() {
        if is_aside(name) || is_left_out(job) {
            continue;
        }
        let source = format!("{path}, job `{name}`");
        if let Some(called) = job["uses"].as_str() {
            // One of the project's own is read as the file that it is.
            if !called.starts_with("./") {
                file.unread.push(format!("{source}: it calls {called}"));
            }
            continue;
        }
        let folder = default_folder(job).or_else(|| folder.clone()).unwrap_or_default();
        for row in rows(job) {
            let runs_on = filled(&job["runs-on"].to_string(), &row).to_lowercase();
            if runs_on.contains("windows") || runs_on.contains("macos") {
                continue;
            }
            for step in items(job, &["steps"]) {
                read_step(step, &row, &folder, &source, &mut file);
            }
        }
    }
    file
}

fn read_step(step: &Value, row: &Row, folder: &str, source: &str, file: &mut PipelineFile) {
    if is_left_out(step) || is_elsewhere(text(step, &["if"]), row) {
        return;
    }
    let script = match (step["run"].as_str(), step["uses"].as_str()) {
        (Some(run), _) if run.contains("secrets.") => return,
        (Some(run), _) => filled(run, row),
        (None, Some(action)) => match action_command(action, step) {
            Ok(Some(command)) => filled(&command, row),
            Ok(None) => return,
            Err(what) => {
                file.unread.push(format!("{source}: {what}"));
                return;
            }
        },
        (None, None) => return,
    };
    let within = text(step, &["working-directory"]);
    let folder = match filled(if within.is_empty() { folder } else { within }, row) {
        // What only the system that runs it knows.
        known if known.is_empty() && !within.is_empty() => None,
        known => joined("", &known),
    };
    let step = PipelineStep { script, folder, source: source.to_owned() };
    if !file.steps.contains(&step) {
        file.steps.push(step);
    }
}

/// The command that an action stands for; nothing for one that only prepares.
fn action_command(action: &str, step: &Value) -> Result<Option<String>, String> {
    let name = action.split('@').next().unwrap_or(action).to_lowercase();
    let with = |key: &str| text(step, &["with", key]).to_owned();
    if name == "actions-rs/cargo" {
        return Ok(Some(format!("cargo {} {}", with("command"), with("args"))));
    }
    if let Some((_, command)) = ACTIONS.iter().find(|(start, _)| name.starts_with(start)) {
        let arguments = with("args");
        let own = arguments.starts_with("format") || arguments.starts_with("check");
        return Ok(Some(if own && command.starts_with("ruff") {
            format!("ruff {arguments}")
        } else {
            (*command).to_owned()
        }));
    }
    let parts: Vec<&str> = name.split(['/', '-', '_', '.']).collect();
    let has = |words: &[&str]| parts.iter().any(|part| words.contains(part));
    if has(&CHECKING) && !has(&HANDLING) { Err(format!("the action {action}")) } else { Ok(None) }
}

/// Reads a script of a pipeline: shell text as a whole, or the texts that a `Jenkinsfile` hands to its shell.
pub(super) fn script(path: &str, text: &str) -> PipelineFile {
    let is_shell = |text: &str| text.lines().next().is_none_or(|line| !line.starts_with("#!") || line.ends_with("sh"));
    let script = if path.ends_with("Jenkinsfile") {
        let calls = text.lines().filter_map(|line| line.trim().strip_prefix("sh "));
        calls.map(|call| call.trim_matches(['\'', '"'])).collect::<Vec<_>>().join("\n")
    } else if is_shell(text) {
        text.to_owned()
    } else {
        String::new()
    };
    let step = PipelineStep { script, folder: Some(String::new()), source: path.to_owned() };
    PipelineFile { steps: vec![step], unread: Vec::new() }
}

/// Reads the pipeline of another system: whatever stands under keys by which they call a script.
pub(super) fn other(path: &str, pipeline: &Value) -> PipelineFile {
    let mut file = PipelineFile::default();
    gather(pipeline, path, &mut file);
    file
}

fn gather(value: &Value, path: &str, file: &mut PipelineFile) {
    const SCRIPTS: [&str; 6] = ["bash", "before_script", "cmds", "command", "run", "script"];
    match value {
        Value::Array(values) => values.iter().for_each(|value| gather(value, path, file)),
        Value::Object(map) => {
            for (key, value) in map {
                if is_aside(key) {
                    continue;
                }
                if SCRIPTS.contains(&key.as_str()) {
                    let lines: Vec<&str> = match value {
                        Value::String(text) => vec![text],
                        Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
                        _ => Vec::new(),
                    };
                    if !lines.is_empty() {
                        let script = lines.join("\n");
                        file.steps.push(PipelineStep { script, folder: Some(String::new()), source: path.to_owned() });
                        continue;
                    }
                }
                gather(value, path, file);
            }
        }
        _ => {}
    }
}

fn checks_changes(on: &Value) -> bool {
    match on {
        Value::String(event) => EVENTS.contains(&event.as_str()),
        Value::Array(events) => events.iter().filter_map(Value::as_str).any(|event| EVENTS.contains(&event)),
        Value::Object(events) => events.iter().any(|(event, about)| {
            let is_for_tags = about.get("tags").is_some() && about.get("branches").is_none();
            EVENTS.contains(&event.as_str()) && !is_for_tags
        }),
        _ => false,
    }
}

/// Returns whether a name says that something does not check changes.
fn is_aside(name: &str) -> bool {
    name.to_lowercase().split(|letter: char| !letter.is_alphanumeric()).any(|word| ASIDE.contains(&word))
}

/// Returns whether a job or step decides nothing, or runs for other events.
fn is_left_out(of: &Value) -> bool {
    let condition = text(of, &["if"]);
    let elsewhere = ["refs/tags", "'release'", "'schedule'", "workflow_dispatch", "failure()", "cancelled()"];
    of["continue-on-error"] == Value::Bool(true)
        || of["if"] == Value::Bool(false)
        || elsewhere.iter().any(|word| condition.contains(word))
}

/// Returns whether a condition is for another system, as `runner.os == 'Windows'` is.
fn is_elsewhere(condition: &str, row: &Row) -> bool {
    let condition = filled(condition, row);
    ["'Windows'", "'macOS'", "'windows-latest'", "'macos-latest'"]
        .iter()
        .any(|system| condition.contains(&format!("== {system}")))
        || condition.contains("!= 'Linux'")
}

fn default_folder(of: &Value) -> Option<String> {
    let folder = text(of, &["defaults", "run", "working-directory"]);
    (!folder.is_empty()).then(|| folder.to_owned())
}

/// The runs of a job: each value of its matrix with each other, and those that are added.
fn rows(job: &Value) -> Vec<Row> {
    let matrix = at(job, &["strategy", "matrix"]).and_then(Value::as_object);
    let Some(matrix) = matrix else { return vec![Row::new()] };
    let mut rows = vec![Row::new()];
    for (name, values) in matrix.iter().filter(|(name, _)| !matches!(name.as_str(), "include" | "exclude")) {
        let Some(values) = values.as_array() else { continue };
        let with = |row: &Row, value: &Value| {
            let mut row = row.clone();
            set(&mut row, name, value);
            row
        };
        rows = rows.iter().flat_map(|row| values.iter().map(move |value| with(row, value))).take(ROWS_MAX).collect();
    }
    let is_bare = rows.len() == 1 && rows[0].is_empty();
    for added in matrix.get("include").and_then(Value::as_array).into_iter().flatten().take(ROWS_MAX) {
        let mut row = Row::new();
        for (name, value) in added.as_object().into_iter().flatten() {
            set(&mut row, name, value);
        }
        rows.push(row);
    }
    if is_bare && rows.len() > 1 {
        rows.remove(0);
    }
    rows
}

/// Sets a variable, and those below it where it is a map.
fn set(row: &mut Row, name: &str, value: &Value) {
    match value {
        Value::String(text) => _ = row.insert(name.to_owned(), text.clone()),
        Value::Bool(_) | Value::Number(_) => _ = row.insert(name.to_owned(), value.to_string()),
        Value::Object(map) => map.iter().for_each(|(key, value)| set(row, &format!("{name}.{key}"), value)),
        _ => {}
    }
}

/// Puts the variables of a matrix in; other expressions become nothing.
fn filled(text: &str, row: &Row) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${{") {
        filled.push_str(before);
        let (expression, after) = behind.split_once("}}").unwrap_or((behind, ""));
        let name = expression.trim().strip_prefix("matrix.").unwrap_or_default();
        filled.push_str(row.get(name).map_or("", String::as_str));
        rest = after;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::yaml;

    fn read(text: &str) -> Vec<String> {
        let file = github(".github/workflows/ci.yml", &yaml(text).expect("a document"));
        let shown = |step: PipelineStep| format!("{}|{}", step.folder.as_deref().unwrap_or("?"), step.script.trim());
        let unread = file.unread.into_iter().map(|what| format!("unread {what}"));
        file.steps.into_iter().map(shown).chain(unread).collect()
    }

    fn job(rest: &str) -> String {
        format!("on: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n{rest}")
    }

    #[test]
    fn steps_are_read_with_their_variables() {
        for (text, expected) in [
            (job("    steps:\n      - run: pytest\n      - uses: actions/checkout@v4\n"), &["|pytest"][..]),
            (
                job("    strategy:\n      matrix:\n        env: [a, b]\n    steps:\n      - run: tox -e ${{ matrix.env }} ${{ github.x }}\n"),
                &["|tox -e a", "|tox -e b"],
            ),
            (
                job("    strategy:\n      matrix:\n        include:\n          - {t: {x: lint}}\n          - {t: {x: type}}\n    steps:\n      - run: nox -s ${{ matrix.t.x }}\n"),
                &["|nox -s lint", "|nox -s type"],
            ),
            (job("    defaults:\n      run:\n        working-directory: web\n    steps:\n      - run: npm test\n      - run: x\n        working-directory: ./api\n"), &["web|npm test", "api|x"]),
            (job("    steps:\n      - run: x\n        working-directory: ${{ env.A }}\n"), &["?|x"]),
            (job("    steps:\n      - run: x ${{ secrets.A }}\n      - run: a\n        if: runner.os == 'Windows'\n      - run: b\n        continue-on-error: true\n"), &[]),
            (job("    steps:\n      - uses: pre-commit/action@v3\n      - uses: astral-sh/ruff-action@v3\n        with: {args: format --check}\n"), &["|pre-commit run --all-files", "|ruff format --check"]),
            (job("    steps:\n      - uses: a/super-linter-check@v1\n"), &["unread .github/workflows/ci.yml, job `test`: the action a/super-linter-check@v1"]),
            ("on: push\njobs:\n  a:\n    uses: org/x/.github/workflows/y.yml@v1\n  b:\n    uses: ./.github/workflows/z.yml\n".to_owned(), &["unread .github/workflows/ci.yml, job `a`: it calls org/x/.github/workflows/y.yml@v1"]),
        ] {
            assert_eq!(read(&text), expected, "{text}");
        }
    }

    #[test]
    fn what_does_not_check_changes_on_this_system_is_left_out() {
        let with = |on: &str, name: &str, runs_on: &str| {
            read(&format!("on: {on}\njobs:\n  {name}:\n    runs-on: {runs_on}\n    steps:\n      - run: pytest\n"))
                .len()
        };
        assert_eq!(with("[pull_request]", "test", "ubuntu-24.04"), 1);
        assert_eq!(with("{push: {branches: [main]}}", "test", "ubuntu-24.04"), 1);
        assert_eq!(with("{push: {tags: ['*']}}", "test", "ubuntu-24.04"), 0);
        assert_eq!(with("{schedule: [{cron: x}]}", "test", "ubuntu-24.04"), 0);
        assert_eq!(with("push", "publish-docs", "ubuntu-24.04"), 0);
        assert_eq!(with("push", "test", "windows-latest"), 0);
        let matrix = "    strategy:\n      matrix:\n        os: [windows-latest, ubuntu-latest]\n    steps:\n      - run: a ${{ matrix.os }}\n";
        let text = format!("on: push\njobs:\n  test:\n    runs-on: ${{{{ matrix.os }}}}\n{matrix}");
        assert_eq!(read(&text), ["|a ubuntu-latest"]);
    }

    #[test]
    fn scripts_of_pipelines_are_read_as_they_are() {
        let read = |path: &str, text: &str| script(path, text).steps.remove(0).script;
        assert_eq!(read(".ci/run", "#!/usr/bin/env bash\npytest\n"), "#!/usr/bin/env bash\npytest\n");
        assert_eq!(read(".ci/run.py", "#!/usr/bin/env python3\nx()\n"), "");
        assert_eq!(read("Jenkinsfile", "stage('a') {\n  sh 'mvn test'\n  sh \"make\"\n}\n"), "mvn test\nmake");
    }

    #[test]
    fn other_systems_call_scripts_by_other_names() {
        let text =
            "image: x\ntest:\n  before_script: [a]\n  script:\n    - pytest\n    - mypy src\ndeploy:\n  script: [b]\n";
        let file = other(".gitlab-ci.yml", &yaml(text).expect("a document"));
        let scripts: Vec<&str> = file.steps.iter().map(|step| step.script.as_str()).collect();
        assert_eq!(scripts, ["a", "pytest\nmypy src"]);
    }
}
