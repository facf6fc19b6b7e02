//! The steps of pipelines: workflows of GitHub as they are written, those of others by what their keys are called.
//!
//! Read is what a change is checked by: jobs that publish, measure or run by the clock are left out, and so are those for other systems
//! than Linux. It must not know which tools there are.

use std::collections::BTreeMap;

use serde_json::Value;

use super::condition::may_hold;
use super::shell::joined;
use super::step::{ManifestTexts, PipelineStep, UNKNOWN};
use crate::document::{at, items, text, yaml};

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
/// What happens to a pull request when its commits are new.
const TYPES: [&str; 3] = ["opened", "reopened", "synchronize"];
/// Words in the name of a job or file that does not check changes.
const ASIDE: [&str; 17] = [
    "bench",
    "benchmark",
    "benchmarks",
    "codspeed",
    "deploy",
    "doc",
    "docs",
    "downstream",
    "fuzz",
    "nightly",
    "pages",
    "profiling",
    "publish",
    "rebase",
    "release",
    "stale",
    "wheels",
];
/// Words in the name of a job that checks changes all the same.
const CHECKS: [&str; 13] = [
    "check",
    "checks",
    "ci",
    "format",
    "lint",
    "mypy",
    "style",
    "test",
    "tests",
    "type",
    "types",
    "typing",
    "typecheck",
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
const CHECKING: [&str; 12] =
    ["black", "check", "eslint", "flake8", "format", "lint", "linter", "mypy", "prettier", "style", "test", "types"];
/// Words in the name of an action that only handles what others found, or looks at something else than code.
const HANDLING: [&str; 17] = [
    "audit",
    "cache",
    "checkout",
    "codecov",
    "links",
    "markdownlint",
    "pr",
    "publish",
    "report",
    "reporter",
    "reporting",
    "result",
    "results",
    "setup",
    "spelling",
    "title",
    "upload",
];
/// How toolchains of Rust are called that come out every night.
const NIGHTLY: &str = "nightly";
/// Where a row says with which compiler of Rust it runs.
const TOOLCHAINS: [&str; 6] = [
    "env.RUSTUP_TOOLCHAIN",
    "matrix.rust",
    "matrix.rust_version",
    "matrix.rust-version",
    "matrix.toolchain",
    "matrix.channel",
];
/// Most runs of one job, with each of its variables.
const ROWS_MAX: usize = 64;
/// Most steps of one file.
const STEPS_MAX: usize = 10_000;
/// How deep actions of the project may stand within actions.
const ACTIONS_DEEP_MAX: usize = 3;

/// The values of `matrix.x`, `env.x` and `inputs.x` in one run of a job.
type Row = BTreeMap<String, String>;

/// Reads a workflow of GitHub. Actions of the project's own stand among `manifests`.
pub(super) fn github(path: &str, workflow: &Value, manifests: &ManifestTexts) -> PipelineFile {
    let on = &workflow["on"];
    let is_proposed = on == "pull_request"
        || on.as_array().is_some_and(|events| events.iter().any(|event| event == "pull_request"))
        || on.get("pull_request").is_some();
    let mut reader = WorkflowReader {
        event: if is_proposed { "pull_request" } else { "push" },
        manifests,
        known: BTreeMap::new(),
        is_nightly: false,
        file: PipelineFile::default(),
    };
    if !checks_changes(on) || !is_proposed && is_aside(path.rsplit('/').next().unwrap_or(path)) {
        return reader.file;
    }
    let mut given = Row::new();
    for (name, input) in at(on, &["workflow_call", "inputs"]).and_then(Value::as_object).into_iter().flatten() {
        set(&mut given, &format!("inputs.{name}"), &input["default"]);
    }
    set_all(&mut given, "env", &workflow["env"]);
    let folder = default_folder(workflow);
    for (name, job) in at(workflow, &["jobs"]).and_then(Value::as_object).into_iter().flatten() {
        let source = format!("{path}, job `{name}`");
        let title = text(job, &["name"]);
        if is_aside(name) && is_aside(if title.is_empty() { name } else { title }) {
            continue;
        }
        if let Some(called) = job["uses"].as_str() {
            // One of the project's own is read as the file that it is.
            let is_other = !called.starts_with("./") && !is_aside(called.split('@').next().unwrap_or(called));
            if is_other && reader.may_run(job, &given) {
                reader.file.unread.push(format!("{source}: it calls {called}"));
            }
            continue;
        }
        let folder = default_folder(job).or_else(|| folder.clone()).unwrap_or_default();
        for row in rows(job, &given) {
            let runs_on = filled(&job["runs-on"].to_string(), &row);
            if is_elsewhere(&runs_on) || !reader.may_run(job, &row) {
                continue;
            }
            // A row of the matrix says it, whatever sets the compiler up.
            reader.is_nightly = TOOLCHAINS.iter().any(|key| row.get(*key).is_some_and(|it| it.starts_with(NIGHTLY)));
            let is_foreign = items(job, &["steps"]).any(|step| !text(step, &["with", "repository"]).is_empty());
            reader.steps(items(job, &["steps"]), &row, &folder, (&source, is_foreign), 0);
        }
    }
    // What any compiler runs counts for all.
    reader.file.steps.sort_by_key(|step| step.is_nightly);
    reader.file
}

/// Reads the steps of a workflow.
struct WorkflowReader<'m> {
    event: &'static str,
    manifests: &'m ManifestTexts,
    /// Steps by what they run and where, with their place among the steps of the file.
    known: BTreeMap<(String, Option<String>), usize>,
    /// Whether the compiler of Rust is a nightly one from here on.
    is_nightly: bool,
    file: PipelineFile,
}

impl WorkflowReader<'_> {
    /// Returns whether a job or a step decides something, and may run for a change.
    fn may_run(&self, of: &Value, row: &Row) -> bool {
        let condition = match &of["if"] {
            Value::String(text) => text.clone(),
            Value::Bool(truth) => truth.to_string(),
            _ => String::new(),
        };
        of["continue-on-error"] != Value::Bool(true) && may_hold(&condition, row, self.event)
    }

    fn steps<'v>(
        &mut self,
        steps: impl Iterator<Item = &'v Value>,
        row: &Row,
        folder: &str,
        (source, is_foreign): (&str, bool),
        depth: usize,
    ) {
        // From there on the folder of another repository is worked in.
        let mut foreign: Vec<String> = Vec::new();
        for step in steps {
            let mut row = row.clone();
            set_all(&mut row, "env", &step["env"]);
            if !self.may_run(step, &row) || text(step, &["shell"]).contains("pwsh") {
                continue;
            }
            if is_foreign && !text(step, &["with", "repository"]).is_empty() {
                foreign.push(filled(text(step, &["with", "path"]), &row));
                continue;
            }
            let within = text(step, &["working-directory"]);
            let folder = match filled(if within.is_empty() { folder } else { within }, &row) {
                // What only the system that runs it knows.
                known if known.contains(UNKNOWN) => None,
                known => joined("", &known),
            };
            let is_within = |path: &String| folder.as_deref().is_some_and(|folder| folder == path || path.is_empty());
            if foreign.iter().any(is_within) {
                continue;
            }
            if let Some(toolchain) = toolchain(step, &row) {
                self.is_nightly = toolchain.starts_with(NIGHTLY);
            }
            match (step["run"].as_str(), step["uses"].as_str()) {
                (Some(run), _) => {
                    let lines = run.lines().filter(|line| !line.contains("secrets."));
                    let script = filled(&lines.collect::<Vec<_>>().join("\n"), &row);
                    self.add(with_environment(&script, &row), folder, source);
                }
                (None, Some(action)) => self.action(action, step, &row, folder, (source, depth)),
                (None, None) => {}
            }
        }
    }

    fn action(
        &mut self,
        action: &str,
        step: &Value,
        row: &Row,
        folder: Option<String>,
        (source, depth): (&str, usize),
    ) {
        if let Some(own) = action.strip_prefix("./") {
            let own = own.trim_end_matches('/');
            let texts = ["yml", "yaml"].map(|ending| self.manifests.get(&format!("{own}/action.{ending}")));
            let Some(own) = texts.into_iter().flatten().next().and_then(|text| yaml(text)) else { return };
            if depth < ACTIONS_DEEP_MAX {
                let mut row = row.clone();
                for (name, input) in at(&own, &["inputs"]).and_then(Value::as_object).into_iter().flatten() {
                    set(&mut row, &format!("inputs.{name}"), &input["default"]);
                }
                set_all(&mut row, "inputs", &step["with"]);
                let folder = folder.unwrap_or_default();
                self.steps(items(&own, &["runs", "steps"]), &row, &folder, (source, false), depth + 1);
            }
            return;
        }
        match action_command(action, step) {
            Ok(Some(command)) => self.add(filled(&command, row), folder, source),
            Ok(None) => {}
            Err(what) => {
                let what = format!("{source}: {what}");
                if !self.file.unread.contains(&what) {
                    self.file.unread.push(what);
                }
            }
        }
    }

    fn add(&mut self, script: String, folder: Option<String>, source: &str) {
        let key = (script.clone(), folder.clone());
        if let Some(known) = self.known.get(&key).and_then(|at| self.file.steps.get_mut(*at)) {
            known.is_nightly &= self.is_nightly;
            return;
        }
        if self.file.steps.len() == STEPS_MAX {
            let unread = format!("{source}: more than {STEPS_MAX} steps");
            if self.file.unread.last() != Some(&unread) {
                self.file.unread.push(unread);
            }
            return;
        }
        self.known.insert(key, self.file.steps.len());
        let is_nightly = self.is_nightly;
        self.file.steps.push(PipelineStep { script, folder, source: source.to_owned(), is_nightly });
    }
}

/// The toolchain of Rust that a step sets up.
fn toolchain(step: &Value, row: &Row) -> Option<String> {
    let uses = text(step, &["uses"]);
    // The old action only installs one, unless it is told to use it.
    let is_used = uses.contains("rust-toolchain")
        || uses.contains("setup-rust")
        || uses.contains("actions-rs/toolchain")
            && at(step, &["with", "override"]).is_some_and(|it| it == true || it == "true");
    if is_used {
        let named = ["toolchain", "rust-version", "channel"].map(|key| text(step, &["with", key]));
        let named = named.into_iter().find(|named| !named.is_empty()).unwrap_or_default();
        let version = uses.split_once('@').map_or("", |(_, version)| version);
        return Some(filled(if named.is_empty() { version } else { named }, row));
    }
    let run = filled(text(step, &["run"]), row);
    let calls = ["rustup default ", "rustup override set "];
    let commands = run.lines().flat_map(|line| line.split("&&"));
    let set = commands.filter(|command| calls.iter().any(|call| command.trim().starts_with(call))).last();
    set.and_then(|command| command.split_whitespace().last()).map(str::to_owned)
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
    let step = PipelineStep { script, folder: Some(String::new()), source: path.to_owned(), ..PipelineStep::default() };
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
                        let (folder, source) = (Some(String::new()), path.to_owned());
                        file.steps.push(PipelineStep { script, folder, source, ..PipelineStep::default() });
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
            let types: Vec<&Value> = items(about, &["types"]).collect();
            let is_later = !types.is_empty() && !types.iter().any(|kind| TYPES.iter().any(|new| *kind == new));
            EVENTS.contains(&event.as_str()) && !is_for_tags && !is_later
        }),
        _ => false,
    }
}

/// Returns whether a name says that something does not check changes.
fn is_aside(name: &str) -> bool {
    let name = name.to_lowercase();
    let has = |list: &[&str]| name.split(|letter: char| !letter.is_alphanumeric()).any(|word| list.contains(&word));
    has(&ASIDE) && !has(&CHECKS)
}

/// Returns whether a name is that of another system than Linux.
fn is_elsewhere(runs_on: &str) -> bool {
    let runs_on = runs_on.to_lowercase();
    runs_on.contains("windows") || runs_on.contains("macos")
}

fn default_folder(of: &Value) -> Option<String> {
    let folder = text(of, &["defaults", "run", "working-directory"]);
    (!folder.is_empty()).then(|| folder.to_owned())
}

/// The runs of a job: each value of its matrix with each other, and those that are added.
fn rows(job: &Value, given: &Row) -> Vec<Row> {
    let mut given = given.clone();
    set_all(&mut given, "env", &job["env"]);
    let matrix = at(job, &["strategy", "matrix"]).and_then(Value::as_object);
    let Some(matrix) = matrix else { return vec![given] };
    let mut rows = vec![given.clone()];
    for (name, values) in matrix.iter().filter(|(name, _)| !matches!(name.as_str(), "include" | "exclude")) {
        let Some(values) = values.as_array() else { continue };
        let here = values.iter().filter(|value| !is_elsewhere(&value.to_string()));
        let mut values: Vec<&Value> = here.collect();
        values.truncate(ROWS_MAX);
        let with = |row: &Row, value: &Value| {
            let mut row = row.clone();
            set(&mut row, &format!("matrix.{name}"), value);
            row
        };
        // Each value at least once, where all together are too many.
        let all: Vec<Row> = if rows.len() * values.len() <= ROWS_MAX {
            rows.iter().flat_map(|row| values.iter().map(move |value| with(row, value))).collect()
        } else {
            let more = values.iter().zip(rows.iter().cycle()).map(|(value, row)| with(row, value));
            more.chain(rows.iter().filter_map(|row| values.first().map(|value| with(row, value)))).collect()
        };
        rows = all;
    }
    let is_bare = rows.len() == 1 && rows[0] == given;
    let first = rows.first().cloned().unwrap_or_else(|| given.clone());
    for added in matrix.get("include").and_then(Value::as_array).into_iter().flatten().take(ROWS_MAX) {
        let Some(added) =
            added.as_object().filter(|added| !added.values().any(|value| is_elsewhere(&value.to_string())))
        else {
            continue;
        };
        // Those that agree with what is added get it; where none does, it is a run of its own.
        let agrees = |row: &Row| {
            added.iter().all(|(name, value)| {
                let known = row.get(&format!("matrix.{name}"));
                known.is_none_or(|known| value.as_str().map_or_else(|| value.to_string(), str::to_owned) == *known)
            })
        };
        let is_extension = !is_bare && rows.iter().any(agrees);
        let extend = |row: &mut Row| added.iter().for_each(|(name, value)| set(row, &format!("matrix.{name}"), value));
        if is_extension {
            rows.iter_mut().filter(|row| agrees(row)).for_each(extend);
        } else {
            let mut row = if is_bare { given.clone() } else { first.clone() };
            extend(&mut row);
            rows.push(row);
        }
    }
    if is_bare && rows.len() > 1 {
        rows.remove(0);
    }
    rows
}

/// Sets a variable, and those below it where it is a map.
fn set(row: &mut Row, name: &str, value: &Value) {
    match value {
        Value::String(text) => {
            let text = filled(text, row);
            row.insert(name.to_owned(), text);
        }
        Value::Bool(_) | Value::Number(_) => _ = row.insert(name.to_owned(), value.to_string()),
        Value::Object(map) => map.iter().for_each(|(key, value)| set(row, &format!("{name}.{key}"), value)),
        _ => {}
    }
}

fn set_all(row: &mut Row, name: &str, values: &Value) {
    for (key, value) in values.as_object().into_iter().flatten() {
        set(row, &format!("{name}.{key}"), value);
    }
}

/// Puts the variables of a run in, [`UNKNOWN`] for other expressions.
fn filled(text: &str, row: &Row) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${{") {
        filled.push_str(before);
        let (expression, after) = behind.split_once("}}").unwrap_or((behind, ""));
        filled.push_str(row.get(expression.trim()).map_or(UNKNOWN, String::as_str));
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// Puts the variables of the environment that a run sets in.
fn with_environment(script: &str, row: &Row) -> String {
    let mut script = script.to_owned();
    if !script.contains('$') {
        return script;
    }
    // The longest first: one name may begin another.
    let mut set: Vec<(&str, &String)> =
        row.iter().filter_map(|(name, value)| Some((name.strip_prefix("env.")?, value))).collect();
    set.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    for (name, value) in set {
        script = script.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value);
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::yaml;

    fn read(text: &str) -> Vec<String> {
        let file = github(".github/workflows/ci.yml", &yaml(text).expect("a document"), &BTreeMap::new());
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
            (job("    env: {S: lint}\n    steps:\n      - run: nox -s \"$S\"\n        env: {SX: a}\n"), &["|nox -s \"lint\""]),
            (
                job("    strategy:\n      matrix:\n        env: [a, b]\n    steps:\n      - run: tox -e ${{ matrix.env }} ${{ github.x }}\n"),
                &["|tox -e a ${{}}", "|tox -e b ${{}}"],
            ),
            (
                job("    strategy:\n      matrix:\n        include:\n          - {t: {x: lint}}\n          - {t: {x: type}}\n    steps:\n      - run: nox -s ${{ matrix.t.x }}\n"),
                &["|nox -s lint", "|nox -s type"],
            ),
            (job("    defaults:\n      run:\n        working-directory: web\n    steps:\n      - run: npm test\n      - run: x\n        working-directory: ./api\n"), &["web|npm test", "api|x"]),
            (job("    steps:\n      - run: x\n        working-directory: ${{ env.A }}\n"), &["?|x"]),
            (job("    steps:\n      - run: |\n          x ${{ secrets.A }}\n          y\n      - run: a\n        if: runner.os == 'Windows'\n      - run: b\n        continue-on-error: true\n"), &["|y"]),
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
