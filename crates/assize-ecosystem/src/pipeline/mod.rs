//! What the maintainers of a project run: the commands of its pipelines and of its hooks before commits, and what stands behind the task
//! runners and scripts that these call.
//!
//! This says what is called, and where that is written. What a command is worth is for others to say.

mod called;
mod checking_task;
mod condition;
mod shell;
mod step;
mod task_runner;
mod workflow;
mod workspace;

pub use workspace::OWN_WORDS;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use assize_core::path::{file_name, parent};
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::command::CommandRole;
use crate::{command_role, document};
use checking_task::CHECKING_TASKS;
use shell::ShellCommand;
use step::{PipelineStep, UNKNOWN};
use task_runner::TaskCall;
use workflow::PipelineFile;
use workspace::{NodeWorkspace, ScriptSteps};

pub use called::valued_options;
pub use checking_task::{CheckingTask, checking_tasks};
pub use task_runner::{MAKE_COMMANDS_MAX, MAKEFILES, make_commands};

/// Deepest nesting of task runners that call each other.
pub const DEPTH_MAX: usize = 8;
/// Most commands that are read from a project.
pub const COMMANDS_MAX: usize = 4_000;

/// A command that the maintainers run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PipelineCommand {
    /// The program and its arguments, without quotes and without what only starts it, such as `uv run`.
    pub words: Vec<String>,
    /// The folder that it runs in, relative to the root.
    pub folder: String,
    /// Where it is written: the file, and the job, recipe or environment.
    pub source: String,
    /// Whether it is run with a nightly compiler of Rust alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_nightly: bool,
}

impl PipelineCommand {
    /// The command as one text.
    pub fn text(&self) -> String {
        self.words.join(" ")
    }

    /// Returns whether it begins with these words, divided by blanks.
    pub fn begins_with(&self, words: &str) -> bool {
        let mut own = self.words.iter();
        words.split(' ').all(|word| own.next().is_some_and(|own| own == word))
    }

    /// What it is for.
    pub fn role(&self) -> CommandRole {
        command_role(&self.words.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

/// A script of a package of npm that the maintainers run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PackageScript {
    /// The folder of the package, relative to the root.
    pub folder: String,
    /// The name of the script.
    pub name: String,
    /// Where it is called.
    pub source: String,
}

/// What the maintainers of a project run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Pipeline {
    /// The commands, in the order in which they stand.
    pub commands: Vec<PipelineCommand>,
    /// The scripts of packages that they call, in the order in which they are called.
    pub scripts: Vec<PackageScript>,
    /// Whether a pipeline that tests or checks every change could be read in full. What is not among the commands is then
    /// not run by the maintainers.
    pub is_complete: bool,
    /// What could not be read and may check a change, in words.
    pub unread: Vec<String>,
    /// What scripts of packages run, whether anything calls them or not: people may. Where a change has been joined with the
    /// base, those of the base alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_scripts: Vec<PipelineCommand>,
    /// How many of the commands stand in the base already, where a change has been joined with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_base: Option<usize>,
    /// Whether Rust's linter is called, and no file has warnings taken for errors, in a call or in a variable beside it.
    pub lets_rust_warnings_pass: bool,
}

/// `-D warnings`, `-Dclippy::all`, `["-D", "warnings"]`, `--deny warnings`, `warnings = "deny"`, `deny: warnings`,
/// `CARGO_BUILD_WARNINGS: deny`, and an action that sets `RUSTFLAGS` by default.
static RUST_WARNINGS_DENIED: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"(?:-D|-F|--deny|--forbid|deny:)[\s"',=]*(?:warnings|clippy::|unused)|(?i:\bwarnings|_WARNINGS)["']?\s*[=:]\s*["']?deny|setup-rust-toolchain"#;
    Regex::new(pattern).expect("the pattern is fixed")
});

/// What a variable gives to rustdoc, which is nothing that the linter has: `RUSTDOCFLAGS: -D warnings`.
static RUSTDOC_FLAGS: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"RUSTDOCFLAGS["']?\s*(?::[ \t]*(?:"[^"]*"|'[^']*'|[^\n,}]*)|=\s*(?:"[^"]*"|'[^']*'|\S*))"#;
    Regex::new(pattern).expect("the pattern is fixed")
});

/// Whether a file has warnings of rustc or of clippy taken for errors.
fn denies_rust_warnings(text: &str) -> bool {
    // Other variables may get their value from it.
    let is_handed_on = ["$RUSTDOCFLAGS", "{RUSTDOCFLAGS", "env.RUSTDOCFLAGS"].iter().any(|it| text.contains(it))
        || RUSTDOC_FLAGS.find_iter(text).any(|found| found.as_str().contains('&'));
    let text = if is_handed_on { text.into() } else { RUSTDOC_FLAGS.replace_all(text, "") };
    RUST_WARNINGS_DENIED.is_match(&text)
}

impl Pipeline {
    /// Joins what an earlier state of the project says with this one, the earlier first: a later state must not have its
    /// tools look at less.
    #[must_use]
    pub fn after(self, base: &Self) -> Self {
        let mut joined = base.clone();
        joined.from_base = Some(base.commands.len());
        let same =
            |one: &PipelineCommand, other: &PipelineCommand| one.words == other.words && one.folder == other.folder;
        joined.commands.extend(self.commands.into_iter().filter(|it| !base.commands.iter().any(|had| same(had, it))));
        let scripts = self
            .scripts
            .into_iter()
            .filter(|it| !base.scripts.iter().any(|had| had.folder == it.folder && had.name == it.name));
        joined.scripts.extend(scripts);
        joined.unread.extend(self.unread.into_iter().filter(|it| !base.unread.contains(it)));
        joined.is_complete = base.is_complete && self.is_complete;
        joined.lets_rust_warnings_pass = base.lets_rust_warnings_pass && self.lets_rust_warnings_pass;
        joined
    }

    /// The commands of the base, where a change has been joined with it; else all.
    pub fn settled(&self) -> &[PipelineCommand] {
        &self.commands[..self.from_base.unwrap_or(self.commands.len()).min(self.commands.len())]
    }

    /// The calls of a tool that say how much it looks at: none where a change alone has such calls, since they could have it
    /// look at less than without them.
    pub fn calls(&self, is_call: impl Fn(&PipelineCommand) -> bool) -> Vec<&PipelineCommand> {
        if !self.settled().iter().any(&is_call) {
            return Vec::new();
        }
        self.commands.iter().filter(|command| is_call(command)).collect()
    }

    /// Reads what the files of a project say. `manifests` are the texts of those that configure tools, by path.
    pub fn read(manifests: &BTreeMap<String, String>) -> Self {
        let mut files: Vec<PipelineFile> = Vec::new();
        for (path, text) in manifests {
            let is_yaml = path.ends_with(".yml") || path.ends_with(".yaml");
            let is_workflow = path.starts_with(".github/workflows/") && is_yaml;
            let is_other = matches!(path.as_str(), ".gitlab-ci.yml" | "azure-pipelines.yml" | ".circleci/config.yml");
            if path.starts_with(".ci/") || path == "Jenkinsfile" {
                files.push(workflow::script(path, text));
            } else if is_workflow || is_other {
                let Some(file) = document::yaml(text) else {
                    let unread = vec![format!("{path}: it is no YAML")];
                    files.push(PipelineFile { steps: Vec::new(), unread });
                    continue;
                };
                files.push(if is_workflow {
                    workflow::github(path, &file, manifests)
                } else {
                    workflow::other(path, &file)
                });
            }
        }
        let workspace = NodeWorkspace::of(manifests);
        let mut expander = Expander { manifests, workspace, found: Self::default(), seen: BTreeSet::new() };
        for file in files {
            expander.found.unread.extend(file.unread);
            file.steps.into_iter().for_each(|step| expander.step(&step, 0));
        }
        let is_checked = |command: &PipelineCommand| matches!(command.role(), CommandRole::Test | CommandRole::Check);
        let is_complete = expander.found.unread.is_empty() && expander.found.commands.iter().any(is_checked);
        // Hooks are run before every commit, whether a pipeline runs them or not.
        expander.call("pre-commit run", "");
        if expander.found.commands.is_empty() || !is_complete {
            // Nothing says which of these are run.
            ["tox", "nox", "npm test"].iter().for_each(|runner| expander.call(runner, ""));
            for target in CHECKING_TASKS {
                expander.call(&format!("make {target}"), "");
                expander.call(&format!("just {target}"), "");
                expander.call(&format!("task {target}"), "");
            }
        }
        let lets_rust_warnings_pass = expander.found.commands.iter().any(|command| command.begins_with("cargo clippy"))
            && !manifests.values().any(|text| denies_rust_warnings(text));
        Self { is_complete, lets_rust_warnings_pass, in_scripts: in_scripts(manifests), ..expander.found }
    }
}

/// What the scripts of packages run.
fn in_scripts(manifests: &BTreeMap<String, String>) -> Vec<PipelineCommand> {
    let mut found = Vec::new();
    for (path, text) in manifests.iter().filter(|(path, _)| file_name(path) == "package.json") {
        let manifest = document::node_manifest(text).unwrap_or_default();
        for (name, script) in manifest["scripts"].as_object().into_iter().flatten() {
            for ShellCommand { words, folder } in shell::commands(script.as_str().unwrap_or_default(), parent(path)) {
                let (words, source) = (called::unwrapped(&words), format!("{path}, script `{name}`"));
                let Some(folder) = folder.filter(|_| !words.is_empty() && found.len() < COMMANDS_MAX) else { continue };
                found.push(PipelineCommand { words, folder, source, is_nightly: false });
            }
        }
    }
    found
}

/// Follows commands to what they call.
struct Expander<'m> {
    manifests: &'m BTreeMap<String, String>,
    workspace: NodeWorkspace,
    found: Pipeline,
    /// Calls of runners that were followed, with their folders.
    seen: BTreeSet<(String, String)>,
}

/// What stands behind a command.
enum Behind {
    /// It is the work itself.
    Nothing,
    /// It runs these.
    Steps(Vec<PipelineStep>),
    /// It runs something that cannot be read.
    Unread,
}

impl Expander<'_> {
    fn call(&mut self, script: &str, folder: &str) {
        let step =
            PipelineStep { script: script.to_owned(), folder: Some(folder.to_owned()), ..PipelineStep::default() };
        self.step(&step, 0);
    }

    fn step(&mut self, step: &PipelineStep, depth: usize) {
        let Some(folder) = &step.folder else { return };
        for command in shell::commands(&step.script, folder) {
            self.command(&command, step, depth);
        }
    }

    fn command(&mut self, ShellCommand { words, folder }: &ShellCommand, step: &PipelineStep, depth: usize) {
        let Some(folder) = folder else { return };
        let source = step.source.as_str();
        let is_nightly = step.is_nightly || words.iter().any(|word| word.starts_with("+nightly"));
        let mut words = called::unwrapped(words);
        if words.first().is_some_and(|program| !program.contains(UNKNOWN)) {
            words.retain(|word| !word.contains(UNKNOWN));
        }
        let asks_the_tool = |word: &String| matches!(word.as_str(), "--version" | "-V" | "--help" | "-h");
        if words.is_empty() || words.iter().skip(1).any(asks_the_tool) {
            return;
        }
        if self.found.commands.len() == COMMANDS_MAX {
            let unread = format!("more than {COMMANDS_MAX} commands");
            if self.found.unread.last() != Some(&unread) {
                self.found.unread.push(unread);
            }
            return;
        }
        let command = PipelineCommand { words, folder: folder.clone(), source: source.to_owned(), is_nightly };
        let is_new = self.seen.insert((command.text(), folder.clone()));
        if !is_new {
            let same = |known: &&mut PipelineCommand| known.words == command.words && known.folder == command.folder;
            if let Some(known) = self.found.commands.iter_mut().find(same) {
                known.is_nightly &= is_nightly;
            }
        }
        if !is_new || depth > DEPTH_MAX {
            return;
        }
        let behind = self.behind(&command);
        if !source.is_empty() {
            if matches!(behind, Behind::Unread) {
                let text = command.text().replace(UNKNOWN, "…");
                self.found.unread.push(format!("{source}: it calls {text}"));
            }
            self.found.commands.push(command);
        }
        if let Behind::Steps(steps) = behind {
            for behind in steps {
                self.step(&PipelineStep { is_nightly, ..behind }, depth + 1);
            }
        }
    }

    /// What stands behind a command: a task runner or a script is followed, as far as it can be read.
    fn behind(&mut self, command: &PipelineCommand) -> Behind {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let Some((&program, arguments)) = words.split_first() else { return Behind::Nothing };
        let call = TaskCall { arguments, folder: &command.folder, manifests: self.manifests };
        let followed = match program {
            "make" | "gmake" => task_runner::make(call),
            "just" => task_runner::just(call),
            "task" => task_runner::task(call),
            "tox" => task_runner::tox(call),
            "nox" => task_runner::nox(call),
            "pre-commit" | "prek" if arguments.contains(&"run") => task_runner::pre_commit(call),
            "golangci-lint" => task_runner::golangci_lint(call),
            "hatch" if arguments.first() == Some(&"test") => Some(vec![same_place(command, "pytest")]),
            "hatch" if arguments.first() == Some(&"fmt") => Some(vec![same_place(command, "ruff check\nruff format")]),
            "poe" | "hatch" | "pdm" => task_runner::pyproject(call, program),
            "bash" | "dash" | "sh" | "zsh" if arguments.first().is_some_and(|word| is_text_option(word)) => {
                arguments.get(1).map(|script| vec![same_place(command, script)])
            }
            "npm" | "pnpm" | "yarn" | "bun" | "turbo" | "lerna" | "nx" => {
                let found = self.workspace.called(program, call, &command.source);
                found.map(|found| self.with_scripts(found))
            }
            "run-s" | "run-p" | "npm-run-all" | "npm-run-all2" => {
                let names: Vec<&str> = arguments.iter().copied().filter(|word| !word.starts_with('-')).collect();
                let folder = std::slice::from_ref(&command.folder);
                let found = self.workspace.scripts(folder, &names, &command.source);
                Some(self.with_scripts(found))
            }
            _ => None,
        };
        match followed {
            Some(steps) => Behind::Steps(steps),
            None if hides_checks(&words) => Behind::Unread,
            None => Behind::Nothing,
        }
    }

    fn with_scripts(&mut self, found: ScriptSteps) -> Vec<PipelineStep> {
        let known = &mut self.found.scripts;
        let is_known = |known: &[PackageScript], script: &PackageScript| {
            known.iter().any(|other| other.folder == script.folder && other.name == script.name)
        };
        for script in found.scripts {
            if !is_known(known, &script) {
                known.push(script);
            }
        }
        found.steps
    }
}

fn same_place(command: &PipelineCommand, script: &str) -> PipelineStep {
    PipelineStep {
        script: script.to_owned(),
        folder: Some(command.folder.clone()),
        source: command.source.clone(),
        ..PipelineStep::default()
    }
}

/// Returns whether an option of a shell says that its text comes next: `-c`, `-ec`.
fn is_text_option(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
}

/// Runners of tasks whose files are not read.
const UNREAD_RUNNERS: [&str; 18] = [
    "act",
    "bazel",
    "concurrently",
    "dagger",
    "deno",
    "docker",
    "earthly",
    "hatch",
    "inv",
    "invoke",
    "lerna",
    "mise",
    "nix",
    "nx",
    "pixi",
    "rake",
    "rye",
    "turbo",
];
/// Words in names of tasks and scripts that check something.
const CHECK_WORDS: [&str; 18] = [
    "all",
    "check",
    "checks",
    "ci",
    "fmt",
    "format",
    "lint",
    "mypy",
    "precommit",
    "qa",
    "style",
    "test",
    "tests",
    "type",
    "typecheck",
    "types",
    "validate",
    "verify",
];
/// Words in names of scripts that only prepare something, or come behind the checks.
const PREPARING: [&str; 32] = [
    "bench",
    "benchmark",
    "bootstrap",
    "build",
    "bump",
    "cache",
    "clean",
    "configure",
    "coverage",
    "deploy",
    "deps",
    "disk",
    "docs",
    "download",
    "env",
    "free",
    "generate",
    "init",
    "install",
    "license",
    "package",
    "prepare",
    "publish",
    "release",
    "report",
    "server",
    "setup",
    "start",
    "sync",
    "update",
    "upload",
    "version",
];

/// Returns whether a command that could not be followed may check the project: a task by its name, a script of the project's
/// unless its name says that it does something else.
fn hides_checks(words: &[&str]) -> bool {
    let parts = |word: &str| -> Vec<String> {
        let parts = word.split(|letter: char| !letter.is_alphanumeric());
        parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
    };
    let has = |word: &str, list: &[&str]| parts(word).iter().any(|part| list.contains(&part.as_str()));
    let Some((&program, arguments)) = words.split_first() else { return false };
    let checks = arguments.iter().any(|word| !word.starts_with('-') && has(word, &CHECK_WORDS));
    match program {
        _ if program.starts_with('$') => checks || arguments.is_empty(),
        "make" | "gmake" | "just" | "task" | "tox" | "nox" | "poe" => checks || arguments.is_empty(),
        "cargo" => matches!(arguments.first(), Some(&("xtask" | "make"))),
        _ if UNREAD_RUNNERS.contains(&program) => checks,
        "node" if arguments.contains(&"--test") => false,
        "bash" | "sh" | "python" | "python3" | "node" => {
            let script = arguments.iter().find(|word| !word.starts_with('-'));
            let is_own =
                |name: &str| if program == "node" { has(name, &CHECK_WORDS) } else { is_own_script(name, &has) };
            script.is_some_and(|script| script.contains(['.', '/']) && is_own(file_name(script)))
        }
        _ if program.starts_with(['/', '~']) => false,
        _ if program.contains('/') || program.ends_with(".sh") => is_own_script(file_name(program), &has),
        _ => false,
    }
}

fn is_own_script(name: &str, has: &dyn Fn(&str, &[&str]) -> bool) -> bool {
    has(name, &CHECK_WORDS) || !has(name, &PREPARING)
}

#[cfg(test)]
mod tests;
