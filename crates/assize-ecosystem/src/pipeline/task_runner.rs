//! Task runners: what stands behind `make test`, `tox -e lint`, `just check` and their like.
//!
//! Each runner is one function that gets the words of its call and returns the scripts that it runs. It must not know which tools there
//! are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use assize_core::path::parent;
use regex::Regex;
use serde_json::Value;

use super::step::{ManifestTexts, PipelineStep, UNKNOWN};
use crate::document::{at, entries, items, text, toml, yaml};
use crate::preparation::quoted;

/// What a file of make is called; the first that there is counts.
pub const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];
/// How deep variables may stand within variables.
const VARIABLES_DEEP_MAX: usize = 4;
/// How long a line may become by its variables, in bytes.
const LINE_BYTES_MAX: usize = 16 * 1024;

/// What a call of a task runner is about.
#[derive(Clone, Copy)]
pub(super) struct TaskCall<'a> {
    /// Its arguments, without the program.
    pub arguments: &'a [&'a str],
    /// The folder that it runs in.
    pub folder: &'a str,
    /// The files of the project.
    pub manifests: &'a ManifestTexts,
}

impl<'a> TaskCall<'a> {
    /// Lends the first of these files in the folder.
    fn file(&self, names: &[&str]) -> Option<(String, &'a str)> {
        names.iter().find_map(|name| {
            let path = if self.folder.is_empty() { (*name).to_owned() } else { format!("{}/{name}", self.folder) };
            let text = self.manifests.get(&path)?;
            Some((path, text.as_str()))
        })
    }

    /// The values of an option, whether they stand with it or behind it; with `many` all words up to the next option.
    fn values(&self, options: &[&str], many: bool) -> Vec<&'a str> {
        let mut found = Vec::new();
        let mut words = self.arguments.iter().copied().peekable();
        while let Some(word) = words.next() {
            let behind = options.iter().find_map(|option| word.strip_prefix(option));
            match behind {
                Some("") => {
                    while let Some(value) = words.next_if(|word| !word.starts_with('-')) {
                        found.push(value);
                        if !many {
                            break;
                        }
                    }
                }
                Some(value) if value.starts_with('=') => found.push(&value[1..]),
                Some(value) if !word.starts_with("--") => found.push(value),
                _ => {}
            }
        }
        found
    }

    /// The words that are no options.
    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.arguments.iter().copied().filter(|word| !word.starts_with('-') && !word.contains('='))
    }
}

fn step(script: String, folder: &str, source: String) -> PipelineStep {
    PipelineStep { script, folder: Some(folder.to_owned()), source, ..PipelineStep::default() }
}

/// `make TARGET`: its recipe, and those of what it needs. `None` where there is no such file or rule.
pub(super) fn make(call: TaskCall<'_>) -> Option<Vec<PipelineStep>> {
    let (mut folder, mut names) = (call.folder.to_owned(), Vec::new());
    let mut words = call.arguments.iter().copied();
    while let Some(word) = words.next() {
        let attached = ["--directory=", "-C"].iter().find_map(|option| word.strip_prefix(option));
        match (word, attached) {
            ("-C" | "--directory", _) => folder = super::shell::joined(&folder, words.next()?)?,
            (_, Some(to)) => folder = super::shell::joined(&folder, to)?,
            ("-f" | "-j" | "--file" | "-o" | "-W", _) => _ = words.next(),
            _ if word.starts_with('-') || word.contains('=') => {}
            _ => names.push(word),
        }
    }
    let call = TaskCall { arguments: &[], folder: &folder, ..call };
    let (path, text) = call.file(&MAKEFILES)?;
    Recipes::of_make(text).steps(&names, &path, &folder)
}

/// `just RECIPE`.
pub(super) fn just(call: TaskCall<'_>) -> Option<Vec<PipelineStep>> {
    let (path, text) = call.file(&["justfile", "Justfile", ".justfile"])?;
    Recipes::of_just(text).steps(&call.names().collect::<Vec<_>>(), &path, call.folder)
}

/// `task TASK`.
pub(super) fn task(call: TaskCall<'_>) -> Option<Vec<PipelineStep>> {
    let (path, text) = call.file(&["Taskfile.yml", "Taskfile.yaml"])?;
    let file = yaml(text)?;
    let mut recipes = Recipes::default();
    for (name, task) in entries(&file, &["tasks"]) {
        let commands = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => {
                let called = self::text(other, &["task"]);
                if called.is_empty() { self::text(other, &["cmd"]).to_owned() } else { format!("task {called}") }
            }
        };
        let needs = items(task, &["deps"]).filter_map(|need| need.as_str().map(str::to_owned)).collect();
        let list: Vec<String> = match task {
            Value::String(text) => vec![text.clone()],
            Value::Array(list) => list.iter().map(commands).collect(),
            task => items(task, &["cmds"]).map(commands).chain([self::text(task, &["cmd"]).to_owned()]).collect(),
        };
        recipes.add(name, needs, list);
    }
    let names: Vec<&str> = call.names().collect();
    let names = if names.is_empty() { vec!["default"] } else { names };
    recipes.steps(&names, &path, call.folder)
}

/// The commands that `make TARGET…` runs, in its order: what a rule needs goes before it. `None` where that cannot be told for
/// sure: fewer commands than make runs would test less. `is_there` says whether a file exists.
pub fn make_commands(text: &str, targets: &[&str], is_there: &dyn Fn(&str) -> bool) -> Option<Vec<String>> {
    let plain = PlainMakefile::of(text)?;
    let (mut found, mut seen) = (Vec::new(), Vec::new());
    targets.iter().try_for_each(|target| plain.visit(target, is_there, &mut seen, &mut found))?;
    Some(found)
}

/// What stands in a file of make, where all of it is plain: rules with names, and variables that are set once.
struct PlainMakefile {
    recipes: Recipes,
    phony: BTreeSet<String>,
    /// Rules that are not plain, by name.
    odd: BTreeSet<String>,
    has_patterns: bool,
}

impl PlainMakefile {
    fn of(text: &str) -> Option<Self> {
        const DIRECTIVES: [&str; 27] = [
            ".DELETE_ON_ERROR",
            ".EXPORT_ALL_VARIABLES",
            ".IGNORE",
            ".NOTPARALLEL",
            ".ONESHELL",
            ".POSIX",
            ".RECIPEPREFIX",
            ".SECONDEXPANSION",
            ".SHELLFLAGS",
            "-include",
            "MAKEFLAGS",
            "SHELL",
            "define",
            "else",
            "endef",
            "endif",
            "export",
            "ifdef",
            "ifeq",
            "ifndef",
            "ifneq",
            "include",
            "override",
            "sinclude",
            "undefine",
            "unexport",
            "vpath",
        ];
        let text = text.replace("\\\n", " ");
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut plain = String::new();
        let (mut phony, mut odd, mut has_patterns) = (BTreeSet::new(), BTreeSet::new(), false);
        for line in text.lines().filter(|line| !line.starts_with('\t')) {
            let line = line.trim();
            let word = line.split(|c: char| c.is_whitespace() || "(:=?+!".contains(c)).next().unwrap_or_default();
            if DIRECTIVES.contains(&word) {
                return None;
            }
            if let Some((name, _)) = assignment(line) {
                // A value that grows, or that a command gives, is none that can be read here.
                let is_simple = !line[name.len()..].trim_start().starts_with(['+', '!']);
                *counts.entry(name.to_owned()).or_default() += if is_simple { 1 } else { 2 };
            }
        }
        let is_unclear = |line: &str| assignment(line).is_some_and(|(name, _)| counts[name] > 1);
        for line in text.lines() {
            let is_recipe = line.starts_with('\t');
            if !is_recipe && is_unclear(line.trim()) {
                continue;
            }
            plain.push_str(if is_recipe { line } else { line.trim() });
            plain.push('\n');
            let rule = line.split_once(':').filter(|_| !is_recipe && assignment(line.trim()).is_none());
            let Some((names, needs)) = rule.filter(|(names, _)| !names.trim_start().starts_with('#')) else { continue };
            let needs = needs.split('#').next().unwrap_or_default();
            if names.trim() == ".PHONY" {
                phony.extend(needs.split_whitespace().map(str::to_owned));
                continue;
            }
            has_patterns |= names.contains('%') || names.trim_start().starts_with('.') && names.trim() != ".SILENT";
            let is_odd = needs.contains(['$', ';', '|', '%', ':', '=']) || names.contains('$');
            odd.extend(names.split_whitespace().filter(|_| is_odd).map(str::to_owned));
            if names.contains('$') {
                return None;
            }
        }
        Some(Self { recipes: Recipes::of_make(&plain), phony, odd, has_patterns })
    }

    /// Visits what a rule needs, then the rule, each once.
    fn visit(
        &self,
        name: &str,
        is_there: &dyn Fn(&str) -> bool,
        seen: &mut Vec<String>,
        found: &mut Vec<String>,
    ) -> Option<()> {
        let recipe = self.recipes.rules.get(name);
        let Some(recipe) = recipe else {
            // Without a rule, it is a file that has to be there; one that matches a pattern may be made anew.
            return (is_there(name) && !self.has_patterns).then_some(());
        };
        if seen.iter().any(|other| other == name) {
            return Some(());
        }
        seen.push(name.to_owned());
        let is_phony = self.phony.contains(name);
        if self.odd.contains(name) || recipe.is_given_twice || is_there(name) && !is_phony {
            return None;
        }
        recipe.needs.iter().try_for_each(|need| self.visit(need, is_there, seen, found))?;
        for command in &recipe.commands {
            let command = command.trim_start_matches(['@', '+', ' ']);
            if command.starts_with('-') || found.len() >= MAKE_COMMANDS_MAX {
                return None;
            }
            found.push(command.to_owned());
        }
        Some(())
    }
}

/// The name and the operator's place of a line that sets a variable.
fn assignment(line: &str) -> Option<(&str, usize)> {
    let at = line.find('=')?;
    let name = line[..at].trim_end_matches([':', '?', '+', '!']).trim_end();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
    is_name.then_some((name, at))
}

/// Most commands of a rule of make that are taken apart.
pub const MAKE_COMMANDS_MAX: usize = 64;

/// What a rule needs and what it runs, each command in a shell of its own.
#[derive(Default)]
struct Recipe {
    needs: Vec<String>,
    commands: Vec<String>,
    /// Whether commands stand behind more than one line with its name.
    is_given_twice: bool,
}

/// Rules, in the order of the file.
#[derive(Default)]
struct Recipes {
    order: Vec<String>,
    rules: BTreeMap<String, Recipe>,
}

impl Recipes {
    fn add(&mut self, name: &str, needs: Vec<String>, commands: Vec<String>) {
        if !self.rules.contains_key(name) {
            self.order.push(name.to_owned());
        }
        let rule = self.rules.entry(name.to_owned()).or_default();
        rule.needs.extend(needs);
        rule.commands.extend(commands);
    }

    /// Notes that a line with the name of a rule opens a recipe.
    fn open(&mut self, name: &str) {
        if let Some(rule) = self.rules.get_mut(name) {
            rule.is_given_twice |= !rule.commands.is_empty();
        }
    }

    fn of_make(text: &str) -> Self {
        let text = text.replace("\\\n", " ");
        let mut variables: BTreeMap<&str, &str> = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with(['\t', '#'])) {
            if let Some((name, value)) = line.split_once('=') {
                variables
                    .insert(name.trim_end_matches([':', '?', '+']).trim_end_matches([':', '?']).trim(), value.trim());
            }
        }
        let mut recipes = Self::default();
        let mut open: Vec<String> = Vec::new();
        for line in text.lines() {
            if let Some(command) = line.strip_prefix('\t') {
                for name in &open {
                    let command = substituted(command, &variables, ["$(", "${"], 0);
                    recipes.add(name, Vec::new(), vec![command]);
                }
                continue;
            }
            let Some((names, needs)) = line.split_once(':').filter(|(_, needs)| !needs.starts_with('=')) else {
                continue;
            };
            open.clear();
            if names.contains('=') || names.starts_with(['#', '.', ' ']) {
                continue;
            }
            let needs = needs.split('#').next().unwrap_or_default();
            open = names.split_whitespace().map(str::to_owned).collect();
            open.iter().for_each(|name| recipes.open(name));
            let needs: Vec<String> = needs.trim_start_matches(':').split_whitespace().map(str::to_owned).collect();
            open.iter().for_each(|name| recipes.add(name, needs.clone(), Vec::new()));
        }
        recipes
    }

    fn of_just(text: &str) -> Self {
        let mut variables: BTreeMap<&str, &str> = BTreeMap::new();
        let mut recipes = Self::default();
        let mut open: Option<String> = None;
        for line in text.lines() {
            if line.starts_with([' ', '\t']) {
                if let Some(name) = &open {
                    let command = substituted(line.trim(), &variables, ["{{", "{{"], 0);
                    recipes.add(name, Vec::new(), vec![command]);
                }
                continue;
            }
            if let Some((name, value)) = line.split_once(":=") {
                variables.insert(name.trim().trim_start_matches("export "), value.trim().trim_matches(['\'', '"']));
                continue;
            }
            open = None;
            let Some((head, needs)) = line.split_once(':').filter(|_| !line.starts_with(['#', '['])) else { continue };
            let needs = needs.split('#').next().unwrap_or_default();
            let Some(name) = head.split_whitespace().next() else { continue };
            let name = name.trim_start_matches('@').to_owned();
            let needs = needs.split_whitespace().map(|need| need.trim_matches(['(', ')', '&']).to_owned());
            recipes.add(&name, needs.filter(|need| !need.is_empty()).collect(), Vec::new());
            open = Some(name);
        }
        recipes
    }

    /// What runs for some names; for none, the first rule. `None` where a name has no rule.
    fn steps(&self, names: &[&str], path: &str, folder: &str) -> Option<Vec<PipelineStep>> {
        if names.iter().any(|name| !self.rules.contains_key(*name)) {
            return None;
        }
        let mut wanted: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        if wanted.is_empty() {
            wanted.extend(self.order.first().cloned());
        }
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(name) = wanted.get(at).cloned() {
            at += 1;
            let Some(recipe) = self.rules.get(&name) else { continue };
            let new: Vec<String> = recipe.needs.iter().filter(|need| !wanted.contains(need)).cloned().collect();
            wanted.extend(new);
            let commands = recipe.commands.iter().filter(|command| !command.trim().is_empty());
            let script: String = commands.map(|command| format!("({command}\n)\n")).collect();
            if !script.is_empty() {
                found.push(step(script, folder, format!("{path}, `{name}`")));
            }
        }
        Some(found)
    }
}

/// Replaces the variables that a file sets, and `MAKE`. Other variables stay as they are.
fn substituted(line: &str, variables: &BTreeMap<&str, &str>, open: [&str; 2], depth: usize) -> String {
    let mut found = String::new();
    let mut rest = line;
    while let Some(start) = open.iter().filter_map(|open| rest.find(open)).min() {
        if found.len() > LINE_BYTES_MAX {
            return found;
        }
        let close = match &rest[start..] {
            inner if inner.starts_with("{{") => "}}",
            inner if inner.starts_with("$(") => ")",
            _ => "}",
        };
        let inner = start + 2;
        let Some(end) = rest[inner..].find(close).map(|end| inner + end) else { break };
        found.push_str(&rest[..start]);
        match variables.get(rest[inner..end].trim()) {
            Some(value) if depth < VARIABLES_DEEP_MAX => {
                found.push_str(&substituted(value, variables, open, depth + 1));
            }
            _ if &rest[inner..end] == "MAKE" => found.push_str("make"),
            _ => found.push_str(&rest[start..end + close.len()]),
        }
        rest = &rest[end + close.len()..];
    }
    found.push_str(rest);
    found
}

/// `pre-commit run`: the hooks, each by its id or by what it says that it runs.
pub(super) fn pre_commit(call: TaskCall<'_>) -> Option<Vec<PipelineStep>> {
    let (path, text) = call.file(&[".pre-commit-config.yaml", "prek.toml"])?;
    let config = if path.ends_with(".toml") { toml(text) } else { yaml(text) }?;
    let wanted: Vec<&str> = call.names().filter(|name| *name != "run").collect();
    let hooks = items(&config, &["repos"]).flat_map(|repo| items(repo, &["hooks"]));
    let named = hooks.filter(|hook| wanted.is_empty() || wanted.contains(&self::text(hook, &["id"])));
    let is_manual = |hook: &&Value| items(hook, &["stages"]).any(|when| when == "manual");
    let script = |hook: &Value| {
        let entry = self::text(hook, &["entry"]);
        let id = self::text(hook, &["id"]);
        // A hook of ruff is called by what it runs, with a hyphen.
        let program = if !entry.is_empty() {
            entry.to_owned()
        } else if id.starts_with("ruff-") {
            id.replacen('-', " ", 1)
        } else {
            id.to_owned()
        };
        let arguments = items(hook, &["args"]).filter_map(Value::as_str).map(quoted);
        [program].into_iter().chain(arguments).collect::<Vec<_>>().join(" ")
    };
    Some(named.filter(|hook| !is_manual(hook)).map(|hook| step(script(hook), call.folder, path.clone())).collect())
}

/// `golangci-lint run` and `fmt`: the formatter of Go, where its settings ask for one; it formats nothing unasked.
pub(super) fn golangci_lint(call: TaskCall<'_>) -> Option<Vec<PipelineStep>> {
    let names = [".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"];
    let mut folder = call.folder;
    let (path, text) = loop {
        match (TaskCall { folder, ..call }).file(&names) {
            Some(found) => break found,
            None if folder.is_empty() => return None,
            None => folder = parent(folder),
        }
    };
    let settings = if path.ends_with(".toml") { toml(text) } else { yaml(text) }?;
    let enabled = [&["linters", "enable"][..], &["formatters", "enable"]];
    let mut enabled = enabled.iter().flat_map(|way| items(&settings, way));
    let formats = enabled.any(|name| matches!(name.as_str(), Some("gofmt" | "gofumpt" | "goimports")));
    let all = at(&settings, &["linters", "enable-all"]).and_then(Value::as_bool) == Some(true);
    Some((formats || all).then(|| step("gofmt -l .".to_owned(), call.folder, path)).into_iter().collect())
}

/// `tox`: the commands of its environments.
pub(super) fn tox(call: TaskCall<'_>) -> Option<Vec<PipelineStep>> {
    let wanted: Vec<&str> = call
        .values(&["-e", "--env"], false)
        .into_iter()
        .flat_map(|list| list.split(','))
        .filter(|name| !name.is_empty())
        .collect();
    let wanted = if wanted.iter().any(|name| name.contains('$')) { Vec::new() } else { wanted };
    if let Some((path, text)) = call.file(&["tox.ini"]) {
        return Some(ToxSections::of(text).steps(&wanted, &path, call.folder));
    }
    let (path, text) = call.file(&["tox.toml", "pyproject.toml"])?;
    let file = toml(text)?;
    let settings = if path.ends_with("tox.toml") { Some(&file) } else { at(&file, &["tool", "tox"]) }?;
    let legacy = self::text(settings, &["legacy_tox_ini"]);
    if !legacy.is_empty() {
        return Some(ToxSections::of(legacy).steps(&wanted, &path, call.folder));
    }
    let listed = items(settings, &["env_list"]).filter_map(Value::as_str);
    let names: Vec<&str> = if wanted.is_empty() { listed.collect() } else { wanted };
    let commands = |name: &str| {
        let own = at(settings, &["env", name, "commands"]).or_else(|| at(settings, &["env_run_base", "commands"]));
        let lines = own.and_then(Value::as_array).into_iter().flatten();
        let words = |line: &Value| {
            let words = line.as_array().into_iter().flatten().filter_map(Value::as_str);
            words.map(quoted).collect::<Vec<_>>().join(" ")
        };
        lines.map(words).collect::<Vec<_>>().join("\n")
    };
    Some(
        names
            .into_iter()
            .map(|name| step(commands(name), call.folder, format!("{path}, environment `{name}`")))
            .collect(),
    )
}

/// The sections of a `tox.ini`.
struct ToxSections(BTreeMap<String, BTreeMap<String, String>>);

impl ToxSections {
    fn of(text: &str) -> Self {
        let mut sections: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        let (mut section, mut key) = (String::new(), String::new());
        for line in text.replace("\\\n", " ").lines().filter(|line| !line.trim_start().starts_with(['#', ';'])) {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.trim_end().strip_suffix(']')) {
                name.clone_into(&mut section);
            } else if line.starts_with([' ', '\t']) {
                if let Some(value) = sections.get_mut(&section).and_then(|section| section.get_mut(&key)) {
                    value.push('\n');
                    value.push_str(line.trim());
                }
            } else if let Some((name, value)) = line.split_once('=') {
                name.trim().clone_into(&mut key);
                sections.entry(section.clone()).or_default().insert(key.clone(), value.trim().to_owned());
            }
        }
        Self(sections)
    }

    fn get(&self, section: &str, key: &str) -> Option<&str> {
        self.0.get(section)?.get(key).map(String::as_str)
    }

    fn steps(&self, wanted: &[&str], path: &str, folder: &str) -> Vec<PipelineStep> {
        let listed = self.get("tox", "envlist").or_else(|| self.get("tox", "env_list")).unwrap_or("py");
        let listed = in_braces(listed);
        let names: Vec<String> =
            if wanted.is_empty() { listed } else { wanted.iter().map(|name| (*name).to_owned()).collect() };
        let mut found = Vec::new();
        for name in names.iter().filter(|name| !name.is_empty()) {
            let own = self.0.keys().find(|section| {
                let listed = section.strip_prefix("testenv:").map(in_braces);
                listed.is_some_and(|listed| listed.iter().any(|listed| listed == name))
            });
            let commands =
                own.and_then(|section| self.get(section, "commands")).or_else(|| self.get("testenv", "commands"));
            let lines = commands.unwrap_or_default().lines().filter_map(|line| self.line(line, name));
            let script = lines.collect::<Vec<_>>().join("\n");
            let step = step(script, folder, format!("{path}, environment `{name}`"));
            if !found.iter().any(|other: &PipelineStep| other.script == step.script) {
                found.push(step);
            }
        }
        found
    }

    /// A line of commands as it is for an environment; `None` where it is for others.
    fn line(&self, line: &str, name: &str) -> Option<String> {
        static CONDITION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^([\w.{},!-]+):\s+").expect("a pattern"));
        static REFERENCE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\{([^{}]*)\}").expect("a pattern"));
        let mut line = line.trim();
        if let Some(condition) = CONDITION.captures(line) {
            let factors: Vec<&str> = name.split('-').collect();
            let holds = |all: &str| {
                all.split('-').all(|factor| match factor.strip_prefix('!') {
                    Some(factor) => !factors.contains(&factor),
                    None => factors.contains(&factor),
                })
            };
            if !in_braces(&condition[1]).iter().any(|all| holds(all)) {
                return None;
            }
            line = &line[condition[0].len()..];
        }
        let mut line = line.to_owned();
        for _ in 0..VARIABLES_DEEP_MAX {
            let filled = REFERENCE.replace_all(&line, |found: &regex::Captures<'_>| {
                let inner = &found[1];
                if let Some((section, key)) = inner.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
                    return self.get(section, key).unwrap_or_default().to_owned();
                }
                let (head, default) = inner.split_once(':').unwrap_or((inner, ""));
                match head {
                    "posargs" => default.to_owned(),
                    "env" => default.split_once(':').map_or("", |(_, default)| default).to_owned(),
                    "toxinidir" | "tox_root" => ".".to_owned(),
                    "envpython" => "python".to_owned(),
                    _ => String::new(),
                }
            });
            if filled == line || filled.len() > LINE_BYTES_MAX {
                break;
            }
            line = filled.into_owned();
        }
        Some(line)
    }
}

/// Most names that braces are written out to.
const NAMES_MAX: usize = 1_000;

/// `py{310,311}-x,lint` written out.
fn in_braces(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let names = text.split(|letter: char| {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (letter == ',' || letter == '\n')
    });
    names.map(str::trim).filter(|name| !name.is_empty()).flat_map(written_out).take(NAMES_MAX).collect()
}

fn written_out(name: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop().filter(|_| done.len() + open.len() < NAMES_MAX) {
        let parts = name.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
        match parts {
            None => done.push(name),
            Some((before, (inner, after))) => {
                open.extend(inner.split(',').rev().map(|part| format!("{before}{}{after}", part.trim())));
            }
        }
    }
    done
}

/// A function of a file of nox.
struct NoxFunction<'t> {
    /// The session that it is, where it is one.
    session: Option<String>,
    body: &'t str,
}

/// `nox`: what its sessions run, as far as that stands in plain strings.
pub(super) fn nox(call: TaskCall<'_>) -> Option<Vec<PipelineStep>> {
    static LISTED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"nox\.options\.sessions\s*=\s*[\[(]([^\])]*)").expect("a pattern"));
    let (path, text) = call.file(&["noxfile.py"])?;
    let mut wanted = call.values(&["-s", "--session", "--sessions", "-e", "-rs", "-Rs"], true);
    if wanted.is_empty() {
        let listed = LISTED.captures(text).and_then(|listed| listed.get(1)).map_or("", |listed| listed.as_str());
        wanted = listed.split([',', ' ', '\n']).map(|name| name.trim_matches(['"', '\''])).collect();
        wanted.retain(|name| !name.is_empty());
    }
    if wanted.iter().any(|name| name.contains('$')) {
        wanted.clear();
    }
    let functions = nox_functions(text);
    let is_wanted = |name: &str| {
        wanted.is_empty()
            || wanted.iter().any(|wanted| {
                let plain = wanted.split(['(', ' ']).next().unwrap_or(wanted);
                plain == name || plain.rsplit_once('-').is_some_and(|(plain, _)| plain == name)
            })
    };
    let sessions = functions.values().filter_map(|function| Some((function.session.as_deref()?, function.body)));
    let steps = sessions.filter(|(name, _)| is_wanted(name)).map(|(name, body)| {
        let lines = nox_commands(body, &functions, 0);
        step(lines.join("\n"), call.folder, format!("{path}, session `{name}`"))
    });
    Some(steps.collect())
}

/// The functions of a file of nox, by their names.
fn nox_functions(text: &str) -> BTreeMap<&str, NoxFunction<'_>> {
    static FUNCTION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^def (\w+)\(").expect("a pattern"));
    static NAMED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"name\s*=\s*["']([^"']+)["']"#).expect("a pattern"));
    let mut functions = BTreeMap::new();
    let heads: Vec<(usize, usize, &str)> = FUNCTION
        .captures_iter(text)
        .filter_map(|found| {
            let (whole, name) = (found.get(0)?, found.get(1)?);
            Some((whole.start(), whole.end(), name.as_str()))
        })
        .collect();
    for (number, (start, end, name)) in heads.iter().enumerate() {
        let above = &text[text[..*start].rfind("\n\n").map_or(0, |at| at + 1)..*start];
        let named = || NAMED.captures(above).map_or_else(|| (*name).to_owned(), |named| named[1].to_owned());
        let body = &text[*end..heads.get(number + 1).map_or(text.len(), |next| next.0)];
        functions.insert(*name, NoxFunction { session: above.contains("session").then(named), body });
    }
    functions
}

/// The commands that a session runs, and those of the functions that it hands itself to.
fn nox_commands(body: &str, functions: &BTreeMap<&str, NoxFunction<'_>>, depth: usize) -> Vec<String> {
    static CALL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)session\.run(?:_always|_install)?\(|^\s+(\w+)\(\s*session\b").expect("a pattern")
    });
    let mut found = Vec::new();
    for call in CALL.captures_iter(body) {
        let end = call.get(0).map_or(0, |whole| whole.end());
        match call.get(1).map(|name| functions.get(name.as_str())) {
            None => found.push(session_command(&body[end..])),
            Some(Some(function)) if depth < VARIABLES_DEEP_MAX && found.len() < NAMES_MAX => {
                found.extend(nox_commands(function.body, functions, depth + 1));
            }
            Some(_) => {}
        }
    }
    found
}

/// Returns the command of a call of `session.run`; an unknown command where it does not begin with a plain string.
fn session_command(arguments: &str) -> String {
    let words = strings(arguments);
    let is_plain = arguments.trim_start().starts_with(['"', '\'']);
    if is_plain {
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    } else {
        format!("{UNKNOWN} test")
    }
}

/// The plain strings among the arguments of a call that has just been opened, up to one that has a name.
fn strings(text: &str) -> Vec<String> {
    static STRING: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"^(?:"([^"\n]*)"|'([^'\n]*)')"#).expect("a pattern"));
    static OTHER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^(?:\*?[\w.]+(\s*=)?|[,\s]+|#[^\n]*\n)").expect("a pattern"));
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        if let Some(string) = STRING.captures(rest) {
            found.push(string.get(1).or_else(|| string.get(2)).map_or("", |text| text.as_str()).to_owned());
            rest = &rest[string[0].len()..];
        } else if let Some(other) = OTHER.captures(rest) {
            if other.get(1).is_some() {
                return found;
            }
            rest = &rest[other[0].len()..];
        } else {
            return found;
        }
    }
}

/// `poe`, `hatch run`, `pdm run`: tasks that stand in `pyproject.toml`, or a command that is run as it is. `None` where
/// neither is called.
pub(super) fn pyproject(call: TaskCall<'_>, program: &str) -> Option<Vec<PipelineStep>> {
    let (mut environment, mut words) = ("default", call.arguments.iter().copied().peekable());
    while let Some(option) = words.next_if(|word| word.starts_with(['-', '+'])) {
        if matches!(option, "-e" | "--env" | "-p" | "-C") {
            let value = words.next()?;
            environment = if option.contains('e') { value } else { environment };
        }
    }
    if program != "poe" {
        words.next_if_eq(&"run")?;
    }
    while words.next_if(|word| word.starts_with(['-', '+'])).is_some() {}
    let mut name = words.next()?;
    if let Some((named, task)) = name.split_once(':').filter(|_| program == "hatch") {
        (environment, name) = (named, task);
    }
    let (path, text) = call.file(&["pyproject.toml"]).unwrap_or_default();
    let file = toml(text).unwrap_or_default();
    let table = match program {
        "poe" => at(&file, &["tool", "poe", "tasks"]),
        "pdm" => at(&file, &["tool", "pdm", "scripts"]),
        _ => at(&file, &["tool", "hatch", "envs", environment, "scripts"]),
    };
    let Some(found) = table.and_then(|table| table.get(name)) else {
        let rest: Vec<String> = [name].into_iter().chain(words).map(quoted).collect();
        return (program != "poe").then(|| vec![step(rest.join(" "), call.folder, format!("{program} run"))]);
    };
    let called = |task: &str| match program {
        "hatch" => format!("hatch run {environment}:{task}"),
        "pdm" => format!("pdm run {task}"),
        _ => format!("poe {task}"),
    };
    let is_task = |text: &str| table.is_some_and(|table| table.get(text).is_some());
    let script = task_script(found, program == "poe", &called, &is_task);
    Some(vec![step(script.replace("{args}", ""), call.folder, format!("{path}, `{name}`"))])
}

/// The script of a task. A list of poe's names tasks, one of the others has commands; either may be the other.
fn task_script(task: &Value, is_poe: bool, called: &dyn Fn(&str) -> String, is_task: &dyn Fn(&str) -> bool) -> String {
    let in_list = |value: &Value| match value {
        Value::String(text) if is_poe || is_task(text) => called(text),
        other => task_script(other, is_poe, called, is_task),
    };
    match task {
        Value::String(text) if !is_poe && is_task(text) => called(text),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(in_list).collect::<Vec<_>>().join("\n"),
        table => {
            let lists = ["sequence", "composite"].iter().flat_map(|key| items(table, &[key]));
            let own = ["cmd", "shell", "script"].iter().map(|key| text(table, &[key]).to_owned());
            let named = text(table, &["ref"]);
            let named = (!named.is_empty()).then(|| called(named));
            own.chain(named).chain(lists.map(in_list)).collect::<Vec<_>>().join("\n")
        }
    }
}
