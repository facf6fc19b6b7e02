//! What the maintainers of a project run: the commands of its pipelines and of its hooks before commits, and what stands behind the task
//! runners and scripts that these call.
//!
//! This says what is called, and where that is written. What a command is worth is for others to say.

mod called;
mod shell;
mod task_runner;
mod workflow;

use std::collections::{BTreeMap, BTreeSet};

use assize_core::path::{file_name, parent};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::command::CommandRole;
use crate::{command_role, document};
use shell::ShellCommand;
use task_runner::TaskCall;
use workflow::{PipelineFile, PipelineStep};

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
    /// Whether a pipeline was found that tests or checks every change.
    pub is_pipeline: bool,
    /// What could not be read and may check a change, in words.
    pub unread: Vec<String>,
}

impl Pipeline {
    /// Reads what the files of a project say. `manifests` are the texts of those that configure tools, by path.
    pub fn read(manifests: &BTreeMap<String, String>) -> Self {
        let mut files: Vec<PipelineFile> = Vec::new();
        for (path, text) in manifests {
            let is_workflow = path.starts_with(".github/workflows/");
            let is_other = matches!(path.as_str(), ".gitlab-ci.yml" | "azure-pipelines.yml" | ".circleci/config.yml");
            if path.starts_with(".ci/") || path == "Jenkinsfile" {
                files.push(workflow::script(path, text));
            } else if is_workflow || is_other {
                let Some(file) = document::yaml(text) else {
                    let unread = vec![format!("{path}: it is no YAML")];
                    files.push(PipelineFile { steps: Vec::new(), unread });
                    continue;
                };
                files.push(if is_workflow { workflow::github(path, &file) } else { workflow::other(path, &file) });
            }
        }
        let mut expander =
            Expander { manifests, packages: node_packages(manifests), found: Self::default(), seen: BTreeSet::new() };
        for file in files {
            expander.found.unread.extend(file.unread);
            file.steps.into_iter().for_each(|step| expander.step(&step, 0));
        }
        let is_checked = |command: &PipelineCommand| matches!(command.role(), CommandRole::Test | CommandRole::Check);
        let is_pipeline = expander.found.commands.iter().any(is_checked);
        let is_complete = expander.found.unread.is_empty() && is_pipeline;
        // Hooks are run before every commit, whether a pipeline runs them or not.
        expander.call("pre-commit run", "");
        if expander.found.commands.is_empty() || !is_complete {
            // Nothing says which of these are run.
            ["tox", "nox"].iter().for_each(|runner| expander.call(runner, ""));
            for target in
                ["test", "tests", "check", "lint", "format", "fmt", "typecheck", "types", "style", "ci", "all"]
            {
                expander.call(&format!("make {target}"), "");
                expander.call(&format!("just {target}"), "");
                expander.call(&format!("task {target}"), "");
            }
        }
        Self { is_complete, is_pipeline, ..expander.found }
    }
}

fn node_packages(manifests: &BTreeMap<String, String>) -> BTreeMap<String, Value> {
    let own = manifests.iter().filter(|(path, _)| file_name(path) == "package.json" && !path.contains("node_modules/"));
    own.filter_map(|(path, text)| Some((parent(path).to_owned(), document::json(text)?))).collect()
}

/// Follows commands to what they call.
struct Expander<'m> {
    manifests: &'m BTreeMap<String, String>,
    /// The manifests of npm, by folder.
    packages: BTreeMap<String, Value>,
    found: Pipeline,
    /// Calls of runners that were followed, with their folders.
    seen: BTreeSet<(String, String)>,
}

impl Expander<'_> {
    fn call(&mut self, script: &str, folder: &str) {
        let step = PipelineStep { script: script.to_owned(), folder: Some(folder.to_owned()), source: String::new() };
        self.step(&step, 0);
    }

    fn step(&mut self, step: &PipelineStep, depth: usize) {
        let Some(folder) = &step.folder else { return };
        for command in shell::commands(&step.script, folder) {
            self.command(&command, &step.source, depth);
        }
    }

    fn command(&mut self, ShellCommand { words, folder }: &ShellCommand, source: &str, depth: usize) {
        let Some(folder) = folder else { return };
        let words = called::unwrapped(words);
        if words.is_empty() || self.found.commands.len() == COMMANDS_MAX {
            return;
        }
        let command = PipelineCommand { words, folder: folder.clone(), source: source.to_owned() };
        let is_new = self.seen.insert((command.text(), folder.clone()));
        if !is_new || depth > DEPTH_MAX {
            return;
        }
        let steps = self.behind(&command);
        if !source.is_empty() {
            if steps.is_none() && is_script(&command) {
                self.found.unread.push(format!("{source}: it calls {}", command.text()));
            }
            self.found.commands.push(command);
        }
        steps.into_iter().flatten().for_each(|step| self.step(&step, depth + 1));
    }

    /// The steps behind a call of a task runner or script. `None` where it is none.
    fn behind(&mut self, command: &PipelineCommand) -> Option<Vec<PipelineStep>> {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let (program, arguments) = words.split_first()?;
        let call = TaskCall { arguments, folder: &command.folder, manifests: self.manifests };
        match *program {
            "make" | "gmake" => task_runner::make(call),
            "just" => task_runner::just(call),
            "task" => task_runner::task(call),
            "tox" => task_runner::tox(call),
            "nox" => task_runner::nox(call),
            "pre-commit" | "prek" if arguments.contains(&"run") => task_runner::pre_commit(call),
            "hatch" if arguments.first() == Some(&"test") => Some(vec![same_place(command, "pytest")]),
            "hatch" if arguments.first() == Some(&"fmt") => Some(vec![same_place(command, "ruff check\nruff format")]),
            "poe" | "hatch" | "pdm" => task_runner::pyproject(call, program),
            "npm" | "pnpm" | "yarn" | "bun" | "turbo" | "lerna" | "nx" => self.package_script(program, call),
            "run-s" | "run-p" | "npm-run-all" | "npm-run-all2" => {
                let names: Vec<&str> = arguments.iter().copied().filter(|word| !word.starts_with('-')).collect();
                Some(self.scripts(std::slice::from_ref(&command.folder), &names))
            }
            _ => None,
        }
    }

    /// The scripts of a package, or of all packages of a workspace, that a package manager is told to run.
    fn package_script(&mut self, program: &str, call: TaskCall<'_>) -> Option<Vec<PipelineStep>> {
        const VALUED: [&str; 8] = ["--filter", "-F", "-w", "--workspace", "--cwd", "--prefix", "--scope", "-C"];
        let mut words = call.arguments.iter().copied().peekable();
        let (mut named, mut rest, mut is_everywhere, mut folder) =
            (Vec::new(), Vec::new(), false, call.folder.to_owned());
        while let Some(word) = words.next() {
            let (option, value) = word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value)));
            match option {
                "--" => break,
                "-r" | "--recursive" | "-ws" | "--workspaces" | "workspaces" | "foreach" | "-A" | "--all" => {
                    is_everywhere = true;
                }
                // pnpm's is the root, npm's names a package.
                "-w" | "--workspace-root" if program == "pnpm" => {}
                _ if VALUED.contains(&option) => {
                    let Some(value) = value.or_else(|| words.next()) else { continue };
                    if matches!(option, "--cwd" | "--prefix" | "-C") {
                        folder = shell::joined(&folder, value)?;
                    } else {
                        named.push(value);
                        is_everywhere = true;
                    }
                }
                "workspace" => {
                    named.extend(words.next());
                    is_everywhere = true;
                }
                _ if option.starts_with('-') => {}
                _ => rest.push(word),
            }
        }
        let name = match (program, rest.as_slice()) {
            (_, ["run" | "run-script" | "run-many", name, ..]) => *name,
            ("npm", ["test" | "t" | "tst", ..]) => "test",
            ("npm", ["start", ..]) | ("bun", ["test" | "install" | "add", ..]) => return None,
            ("pnpm" | "yarn" | "bun" | "turbo" | "nx", [name, ..]) => *name,
            _ => return None,
        };
        is_everywhere |= matches!(program, "turbo" | "lerna" | "nx");
        let folders = if is_everywhere {
            task_runner::packages(call, &named)
        } else {
            // npm looks for the package above.
            let above = std::iter::successors(Some(folder.as_str()), |at| (!at.is_empty()).then(|| parent(at)));
            above.into_iter().find(|at| self.packages.contains_key(*at)).map(str::to_owned).into_iter().collect()
        };
        let steps = self.scripts(&folders, &[name]);
        (!steps.is_empty()).then_some(steps)
    }

    /// The scripts of these names in these packages, with those that are run before and behind them.
    fn scripts(&mut self, folders: &[String], names: &[&str]) -> Vec<PipelineStep> {
        let mut steps = Vec::new();
        for folder in folders {
            let scripts = self.packages.get(folder).and_then(|package| package.get("scripts")?.as_object());
            for (name, text) in scripts.into_iter().flatten() {
                let is_meant = |wanted: &&str| {
                    crate::pattern::fits(wanted, name)
                        || ["pre", "post"].iter().any(|part| name.strip_prefix(part) == Some(*wanted))
                };
                if let Some(text) = text.as_str().filter(|_| names.iter().any(is_meant)) {
                    let path =
                        if folder.is_empty() { "package.json".to_owned() } else { format!("{folder}/package.json") };
                    let source = format!("{path}, script `{name}`");
                    let script = PackageScript { folder: folder.clone(), name: name.clone() };
                    if !self.found.scripts.contains(&script) {
                        self.found.scripts.push(script);
                    }
                    steps.push(PipelineStep { script: text.to_owned(), folder: Some(folder.clone()), source });
                }
            }
        }
        steps
    }
}

fn same_place(command: &PipelineCommand, script: &str) -> PipelineStep {
    PipelineStep { script: script.to_owned(), folder: Some(command.folder.clone()), source: command.source.clone() }
}

/// Returns whether a command is a script of the project's that may test or check it, and of which nothing more is known.
fn is_script(command: &PipelineCommand) -> bool {
    let mut words = command.words.iter().map(String::as_str);
    let shells = ["bash", "sh", "python", "python3", "node"];
    let Some(script) = words.find(|word| !shells.contains(word) && !word.starts_with('-')) else { return false };
    let is_file = [".sh", ".py", ".bash", ".mjs", ".js"].iter().any(|ending| script.ends_with(ending));
    let name = file_name(script);
    let tells = ["test", "check", "lint", "ci", "verify"]
        .iter()
        .any(|word| name.split(['.', '_', '-']).any(|part| part == *word));
    let is_task = command.begins_with("cargo xtask") || command.begins_with("cargo make");
    is_file && tells || is_task
}

#[cfg(test)]
mod tests;
