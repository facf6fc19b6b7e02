//! Task runners: what stands behind `make test`, `tox -e lint`, `just check` and their like.
//!
//! Each runner is one function that gets the words of its call and returns the scripts that it runs. It must not know which tools there
//! are.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use assize_core::path::parent;
use regex::Regex;
use serde_json::Value;

use super::workflow::PipelineStep;
use crate::document::{at, entries, items, text, toml, yaml};

/// The texts of manifests and of files that configure tools, by path.
pub(super) type ManifestTexts = BTreeMap<String, String>;

/// How deep variables may stand within variables.
const VARIABLES_DEEP_MAX: usize = 4;

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
    PipelineStep { script, folder: Some(folder.to_owned()), source }
}

/// `make TARGET`: its recipe, behind those of what it needs. `None` where there is no such file.
pub(super) fn make(call: TaskCall<'_>) -> Option<Vec<PipelineStep>> {
    if let Some(folder) = call.values(&["-C", "--directory"], false).first() {
        let folder = super::shell::joined(call.folder, folder)?;
        let without: Vec<&str> =
            call.arguments.iter().copied().filter(|word| *word != "-C" && !folder.ends_with(word)).collect();
        return make(TaskCall { arguments: &without, folder: &folder, ..call });
    }
    let (path, text) = call.file(&["GNUmakefile", "makefile", "Makefile"])?;
    let rules = Recipes::of_make(text);
    Some(rules.steps(call.names(), &path, call.folder))
}

/// `just RECIPE`.
pub(super) fn just(call: TaskCall<'_>) -> Option<Vec<PipelineStep>> {
    let (path, text) = call.file(&["justfile", "Justfile", ".justfile"])?;
    Some(Recipes::of_just(text).steps(call.names(), &path, call.folder))
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
        recipes.add(name, needs, &list.join("\n"));
    }
    let names: Vec<&str> = call.names().collect();
    let names = if names.is_empty() { vec!["default"] } else { names };
    Some(recipes.steps(names.into_iter(), &path, call.folder))
}

/// Rules with what they need and what they run, in the order of the file.
#[derive(Default)]
struct Recipes {
    order: Vec<String>,
    rules: BTreeMap<String, (Vec<String>, String)>,
}

impl Recipes {
    fn add(&mut self, name: &str, needs: Vec<String>, script: &str) {
        if !self.rules.contains_key(name) {
            self.order.push(name.to_owned());
        }
        let rule = self.rules.entry(name.to_owned()).or_default();
        rule.0.extend(needs);
        rule.1.push_str(script);
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
                    recipes.add(name, Vec::new(), &format!("{command}\n"));
                }
                continue;
            }
            let Some((names, needs)) = line.split_once(':').filter(|(_, needs)| !needs.starts_with('=')) else {
                continue;
            };
            if names.contains('=') || names.starts_with(['#', '.', ' ']) {
                continue;
            }
            open = names.split_whitespace().map(str::to_owned).collect();
            let needs: Vec<String> = needs.trim_start_matches(':').split_whitespace().map(str::to_owned).collect();
            open.iter().for_each(|name| recipes.add(name, needs.clone(), ""));
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
                    recipes.add(name, Vec::new(), &format!("{command}\n"));
                }
                continue;
            }
            if let Some((name, value)) = line.split_once(":=") {
                variables.insert(name.trim().trim_start_matches("export "), value.trim().trim_matches(['\'', '"']));
                continue;
            }
            open = None;
            let Some((head, needs)) = line.split_once(':').filter(|_| !line.starts_with(['#', '['])) else { continue };
            let Some(name) = head.split_whitespace().next() else { continue };
            let name = name.trim_start_matches('@').to_owned();
            let needs = needs.split_whitespace().map(|need| need.trim_matches(['(', ')', '&']).to_owned());
            recipes.add(&name, needs.filter(|need| !need.is_empty()).collect(), "");
            open = Some(name);
        }
        recipes
    }

    /// What runs for some names; for none, the first rule.
    fn steps<'n>(&self, names: impl Iterator<Item = &'n str>, path: &str, folder: &str) -> Vec<PipelineStep> {
        let mut wanted: Vec<String> = names.filter(|name| self.rules.contains_key(*name)).map(str::to_owned).collect();
        if wanted.is_empty() {
            wanted.extend(self.order.first().cloned());
        }
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(name) = wanted.get(at).cloned() {
            at += 1;
            let Some((needs, script)) = self.rules.get(&name) else { continue };
            let new: Vec<String> = needs.iter().filter(|need| !wanted.contains(need)).cloned().collect();
            wanted.extend(new);
            if !script.trim().is_empty() {
                found.push(step(script.clone(), folder, format!("{path}, `{name}`")));
            }
        }
        found
    }
}

/// Puts in the variables that a file sets; others stay.
fn substituted(line: &str, variables: &BTreeMap<&str, &str>, open: [&str; 2], depth: usize) -> String {
    let mut found = String::new();
    let mut rest = line;
    while let Some(start) = open.iter().filter_map(|open| rest.find(open)).min() {
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
        let program = if entry.is_empty() { self::text(hook, &["id"]) } else { entry };
        let arguments = items(hook, &["args"]).filter_map(Value::as_str).map(crate::preparation::quoted);
        [program.to_owned()].into_iter().chain(arguments).collect::<Vec<_>>().join(" ")
    };
    Some(named.filter(|hook| !is_manual(hook)).map(|hook| step(script(hook), call.folder, path.clone())).collect())
}

/// `tox`: the commands of its environments.
pub(super) fn tox(call: TaskCall<'_>) -> Option<Vec<PipelineStep>> {
    let wanted: Vec<&str> = call
        .values(&["-e", "--env"], false)
        .into_iter()
        .flat_map(|list| list.split(','))
        .filter(|name| !name.is_empty())
        .collect();
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
            words.map(crate::preparation::quoted).collect::<Vec<_>>().join(" ")
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
        let listed: Vec<String> = in_braces(&listed.replace('\n', ","))
            .iter()
            .flat_map(|list| list.split([',', ' ']))
            .map(str::to_owned)
            .collect();
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
            if !in_braces(&condition[1]).iter().flat_map(|list| list.split(',')).any(holds) {
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
            if filled == line {
                break;
            }
            line = filled.into_owned();
        }
        Some(line)
    }
}

/// `py{310,311}-x,lint` written out. Commas outside of braces stay.
fn in_braces(text: &str) -> Vec<String> {
    let Some((before, rest)) = text.split_once('{') else { return vec![text.to_owned()] };
    let Some((inner, after)) = rest.split_once('}') else { return vec![text.to_owned()] };
    // Braces belong to the name that they stand in.
    let start = before.rfind(',').map_or(0, |at| at + 1);
    let end = after.find([',', '\n']).unwrap_or(after.len());
    let mut found: Vec<String> = Vec::new();
    if start > 0 {
        found.push(before[..start - 1].to_owned());
    }
    for part in inner.split(',') {
        found.extend(in_braces(&format!("{}{}{}", &before[start..], part.trim(), &after[..end])));
    }
    if end < after.len() {
        found.extend(in_braces(&after[end + 1..]));
    }
    found
}

/// `nox`: what its sessions run, as far as that stands in plain strings.
pub(super) fn nox(call: TaskCall<'_>) -> Option<Vec<PipelineStep>> {
    static SESSION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^def (\w+)\(").expect("a pattern"));
    static NAMED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"name\s*=\s*["']([^"']+)["']"#).expect("a pattern"));
    static RUN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"session\.run(?:_always|_install)?\(").expect("a pattern"));
    let (path, text) = call.file(&["noxfile.py"])?;
    let wanted = call.values(&["-s", "--session", "--sessions", "-e"], true);
    let mut found = Vec::new();
    for session in SESSION.captures_iter(text) {
        let whole = session.get(0).expect("the whole match");
        let above = text[..whole.start()].rfind("\n\n").map_or(0, |at| at + 1);
        let above = &text[above..whole.start()];
        if !above.contains("session") {
            continue;
        }
        let name = NAMED.captures(above).map_or_else(|| session[1].to_owned(), |named| named[1].to_owned());
        let is_wanted = |wanted: &&str| {
            wanted.split(['(', ' ']).next().is_some_and(|wanted| {
                wanted == name || wanted.rsplit_once('-').is_some_and(|(wanted, _)| wanted == name)
            })
        };
        if !wanted.is_empty() && !wanted.iter().any(is_wanted) {
            continue;
        }
        let body = &text[whole.end()..];
        let end = ["\n@", "\ndef ", "\nif "].iter().filter_map(|next| body.find(next)).min().unwrap_or(body.len());
        let body = &body[..end];
        let lines: Vec<String> = RUN
            .find_iter(body)
            .map(|run| {
                strings(&body[run.end()..])
                    .iter()
                    .map(|word| crate::preparation::quoted(word))
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        found.push(step(lines.join("\n"), call.folder, format!("{path}, session `{name}`")));
    }
    Some(found)
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

/// `poe`, `hatch run`, `pdm run`: tasks that stand in `pyproject.toml`. `None` where there is none of the name.
pub(super) fn pyproject(call: TaskCall<'_>, program: &str) -> Option<Vec<PipelineStep>> {
    let (path, text) = call.file(&["pyproject.toml"])?;
    let file = toml(text)?;
    let name = call.names().find(|name| *name != "run")?;
    let (environment, task) = name.split_once(':').unwrap_or(("default", name));
    let found = match program {
        "poe" => at(&file, &["tool", "poe", "tasks", name]),
        "pdm" => at(&file, &["tool", "pdm", "scripts", name]),
        _ => at(&file, &["tool", "hatch", "envs", environment, "scripts", task]),
    }?;
    let same = |task: &str| match program {
        "hatch" => format!("hatch run {environment}:{task}"),
        _ => format!("{program} {task}"),
    };
    let script = match found {
        Value::String(text)
            if program == "hatch" && at(&file, &["tool", "hatch", "envs", environment, "scripts", text]).is_some() =>
        {
            same(text)
        }
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let is_sequence = program == "poe";
            let line = |value: &Value| {
                value
                    .as_str()
                    .map(|text| if is_sequence { same(text) } else { text.to_owned() })
                    .unwrap_or_else(|| self::text(value, &["cmd"]).to_owned())
            };
            list.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        table => {
            let sequence = items(table, &["sequence"]).chain(items(table, &["composite"]));
            let listed = sequence.filter_map(Value::as_str).map(same);
            ["cmd", "shell", "script"]
                .iter()
                .map(|key| self::text(table, &[key]).to_owned())
                .chain(listed)
                .collect::<Vec<_>>()
                .join("\n")
        }
    };
    Some(vec![step(script.replace("{args}", ""), call.folder, format!("{path}, `{name}`"))])
}

/// Where the packages of a workspace stand, and which of them a call means.
pub(super) fn packages(call: TaskCall<'_>, named: &[&str]) -> Vec<String> {
    let below = |path: &&String| path.ends_with("package.json") && !parent(path).is_empty();
    let all = call.manifests.keys().filter(below).map(|path| parent(path));
    let patterns = workspaces(call);
    let is_member = |folder: &str| {
        let holds = |pattern: &String| fits_path(pattern.trim_start_matches("./").trim_end_matches('/'), folder);
        patterns.iter().filter(|pattern| !pattern.starts_with('!')).any(holds)
            && !patterns
                .iter()
                .filter_map(|pattern| pattern.strip_prefix('!').map(str::to_owned))
                .any(|pattern| holds(&pattern))
    };
    let is_named = |folder: &str| {
        let name = call.manifests.get(&format!("{folder}/package.json")).and_then(|text| crate::document::json(text));
        let name = name.as_ref().map_or("", |manifest| self::text(manifest, &["name"])).to_owned();
        let fits = |wanted: &str| {
            let wanted =
                wanted.trim_matches(['{', '}']).trim_start_matches("...").trim_end_matches("...").trim_end_matches('^');
            let path = wanted.trim_start_matches("./").trim_end_matches('/');
            crate::pattern::fits(wanted, &name) || fits_path(path, folder)
        };
        let (out, within): (Vec<&str>, Vec<&str>) = named.iter().partition(|wanted| wanted.starts_with('!'));
        (within.is_empty() || within.iter().any(|wanted| fits(wanted))) && !out.iter().any(|wanted| fits(&wanted[1..]))
    };
    all.filter(|folder| (patterns.is_empty() || is_member(folder)) && is_named(folder)).map(str::to_owned).collect()
}

/// The patterns of the folders that belong to a workspace.
fn workspaces(call: TaskCall<'_>) -> Vec<String> {
    let texts = |value: &Value, way: &[&str]| {
        items(value, way).filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    let of_pnpm = call.manifests.get("pnpm-workspace.yaml").and_then(|text| yaml(text));
    if let Some(file) = of_pnpm {
        return texts(&file, &["packages"]);
    }
    let root = call.manifests.get("package.json").and_then(|text| crate::document::json(text)).unwrap_or_default();
    let listed = texts(&root, &["workspaces"]);
    if listed.is_empty() { texts(&root, &["workspaces", "packages"]) } else { listed }
}

/// Returns whether a path fits a pattern: `*` is one part, `**` any number of them.
fn fits_path(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    fits_parts(&pattern, &path)
}

fn fits_parts(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => (0..=path.len()).any(|skipped| fits_parts(rest, &path[skipped..])),
        ([first, pattern @ ..], [part, path @ ..]) => crate::pattern::fits(first, part) && fits_parts(pattern, path),
        _ => false,
    }
}
