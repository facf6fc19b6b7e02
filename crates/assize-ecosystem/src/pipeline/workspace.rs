//! The packages of a workspace of npm and the scripts in them, and which of them a call of a package manager means.
//!
//! It must not know what the scripts do.

use std::collections::BTreeMap;

use assize_core::path::{file_name, parent};
use serde_json::Value;

use super::PackageScript;
use super::shell::joined;
use super::step::{ManifestTexts, PipelineStep};
use super::task_runner::TaskCall;
use crate::document::{items, node_manifest, text, yaml};
use crate::pattern::fits;
use crate::preparation::quoted;

/// Most parts of any length that a pattern of folders may have.
const WILD_PARTS_MAX: usize = 3;
/// Words of package managers that are no names of scripts, nor of programs.
pub const OWN_WORDS: [&str; 34] = [
    "add",
    "audit",
    "cache",
    "ci",
    "config",
    "create",
    "dedupe",
    "deploy",
    "dlx",
    "exec",
    "i",
    "import",
    "info",
    "init",
    "install",
    "link",
    "login",
    "node",
    "npm",
    "outdated",
    "pack",
    "publish",
    "rebuild",
    "remove",
    "run",
    "set",
    "setup",
    "store",
    "up",
    "version",
    "why",
    "workspace",
    "workspaces",
    "x",
];

/// What a call of a package manager comes to.
pub(super) struct ScriptSteps {
    /// The steps behind it.
    pub steps: Vec<PipelineStep>,
    /// The scripts that it calls.
    pub scripts: Vec<PackageScript>,
}

/// The packages of a project.
pub(super) struct NodeWorkspace {
    /// Their manifests, by folder.
    packages: BTreeMap<String, Value>,
    /// The patterns of the folders of members, and their roots.
    members: Vec<(String, String)>,
}

impl NodeWorkspace {
    pub fn of(manifests: &ManifestTexts) -> Self {
        let own =
            manifests.iter().filter(|(path, _)| file_name(path) == "package.json" && !path.contains("node_modules/"));
        let packages: BTreeMap<String, Value> =
            own.filter_map(|(path, text)| Some((parent(path).to_owned(), node_manifest(text)?))).collect();
        let mut members = Vec::new();
        let texts = |value: &Value, way: &[&str]| {
            items(value, way).filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
        };
        for (folder, manifest) in &packages {
            let of_pnpm = if folder.is_empty() {
                "pnpm-workspace.yaml".to_owned()
            } else {
                format!("{folder}/pnpm-workspace.yaml")
            };
            let of_pnpm = manifests.get(&of_pnpm).and_then(|text| yaml(text)).map(|file| texts(&file, &["packages"]));
            let listed = of_pnpm.into_iter().flatten().chain(texts(manifest, &["workspaces"]));
            let listed = listed.chain(texts(manifest, &["workspaces", "packages"]));
            members.extend(listed.map(|pattern| (folder.clone(), pattern)));
        }
        Self { packages, members }
    }

    /// What a call of a package manager, or of a runner of a workspace's scripts, runs. `None` where it calls no script.
    pub fn called(&self, program: &str, call: TaskCall<'_>, source: &str) -> Option<ScriptSteps> {
        const VALUED: [&str; 9] =
            ["--filter", "-F", "-w", "--workspace", "--cwd", "--prefix", "--scope", "-C", "--dir"];
        let mut words = call.arguments.iter().copied().peekable();
        let (mut named, mut rest, mut is_everywhere, mut folder) =
            (Vec::new(), Vec::new(), false, call.folder.to_owned());
        let mut targets: Vec<&str> = Vec::new();
        while let Some(word) = words.next() {
            let (option, value) = word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value)));
            match option {
                "--" => break,
                // What stands behind a tool is the tool's.
                _ if !rest.is_empty() && program != "turbo" && program != "nx" && !self.takes_more(&rest) => {
                    rest.push(word);
                }
                "-r" | "--recursive" | "-ws" | "--workspaces" | "workspaces" | "foreach" | "-A" | "--all" => {
                    is_everywhere = true;
                }
                // pnpm's is the root, npm's names a package.
                "-w" | "--workspace-root" if program == "pnpm" => {}
                "-t" | "--target" | "--targets" if program == "nx" => {
                    let behind = std::iter::from_fn(|| words.next_if(|word| !word.starts_with('-')));
                    targets.extend(value.into_iter().chain(behind).flat_map(|list| list.split(',')));
                }
                "--from" if is_everywhere => named.extend(value.or_else(|| words.next())),
                _ if VALUED.contains(&option) => {
                    let Some(value) = value.or_else(|| words.next()) else { continue };
                    if matches!(option, "--cwd" | "--prefix" | "-C" | "--dir") {
                        folder = joined(&folder, value)?;
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
        let is_runner = matches!(program, "turbo" | "lerna" | "nx");
        let names: Vec<&str> = match (program, rest.as_slice()) {
            ("nx", _) if !targets.is_empty() => targets,
            ("nx", ["affected" | "run-many", ..]) => return None,
            ("turbo", ["run", names @ ..] | names) => names.to_vec(),
            (_, ["run" | "run-script", name, ..]) => vec![*name],
            ("npm", ["test" | "t" | "tst", ..]) => vec!["test"],
            ("npm", _) | (_, []) => return None,
            ("bun", ["test", ..]) => return None,
            (_, ["add" | "create" | "i" | "init" | "install" | "link" | "pack" | "publish" | "remove", ..]) => {
                return None;
            }
            ("pnpm" | "yarn" | "bun" | "nx", [name, ..]) => vec![*name],
            _ => return None,
        };
        let folders = if is_everywhere || is_runner {
            self.folders(&named)
        } else {
            // npm looks for the package above.
            let above = std::iter::successors(Some(folder.as_str()), |at| (!at.is_empty()).then(|| parent(at)));
            above.into_iter().find(|at| self.packages.contains_key(*at)).map(str::to_owned).into_iter().collect()
        };
        let found = self.scripts(&folders, &names, source);
        if !found.steps.is_empty() {
            return Some(found);
        }
        // No script has the name: then it is a tool that is installed.
        let tool: &[&str] = match rest.as_slice() {
            ["exec" | "run", tool @ ..] | tool => tool,
        };
        tool.first().filter(|name| matches!(program, "pnpm" | "yarn") && !OWN_WORDS.contains(name))?;
        let script = tool.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        let folders = if is_everywhere { folders } else { vec![folder] };
        let step = |folder: String| PipelineStep {
            script: script.clone(),
            folder: Some(folder),
            source: source.to_owned(),
            ..PipelineStep::default()
        };
        Some(ScriptSteps { steps: folders.into_iter().map(step).collect(), scripts: Vec::new() })
    }

    /// Returns whether options behind these words are still the package manager's.
    fn takes_more(&self, words: &[&str]) -> bool {
        let is_script = |name: &str| {
            self.packages
                .values()
                .any(|package| package.get("scripts").is_some_and(|scripts| scripts.get(name).is_some()))
        };
        matches!(words, ["run" | "run-script"])
            || words.last().is_some_and(|name| is_script(name))
            || matches!(words, ["exec"])
    }

    /// The folders of the members of a workspace that a call names, or of all.
    fn folders(&self, named: &[&str]) -> Vec<String> {
        let all = self.packages.keys().filter(|folder| !folder.is_empty());
        let is_member = |folder: &str| {
            let holds = |root: &str, pattern: &str| {
                let inside = if root.is_empty() {
                    Some(folder)
                } else {
                    folder.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'))
                };
                inside.is_some_and(|inside| fits_path(pattern.trim_start_matches("./").trim_end_matches('/'), inside))
            };
            self.members.iter().any(|(root, pattern)| !pattern.starts_with('!') && holds(root, pattern))
                && !self
                    .members
                    .iter()
                    .any(|(root, pattern)| pattern.strip_prefix('!').is_some_and(|pattern| holds(root, pattern)))
        };
        let is_named = |folder: &str| {
            let name = self.packages.get(folder).map_or("", |manifest| text(manifest, &["name"]));
            let is_it = |wanted: &str| {
                let wanted = wanted
                    .trim_matches(['{', '}'])
                    .trim_start_matches("...")
                    .trim_end_matches("...")
                    .trim_end_matches('^');
                let path = wanted.trim_start_matches("./").trim_end_matches('/');
                fits(wanted, name) || fits_path(path, folder)
            };
            let (out, within): (Vec<&str>, Vec<&str>) = named.iter().partition(|wanted| wanted.starts_with('!'));
            (within.is_empty() || within.iter().any(|wanted| is_it(wanted)))
                && !out.iter().any(|wanted| is_it(&wanted[1..]))
        };
        all.filter(|folder| (self.members.is_empty() || is_member(folder)) && is_named(folder)).cloned().collect()
    }

    /// The scripts of these names in these packages, with those that are run before and behind them.
    pub fn scripts(&self, folders: &[String], names: &[&str], source: &str) -> ScriptSteps {
        let mut found = ScriptSteps { steps: Vec::new(), scripts: Vec::new() };
        // pnpm's pattern of names.
        let names: Vec<String> = names
            .iter()
            .map(|name| {
                name.strip_prefix("/^")
                    .and_then(|name| name.strip_suffix('/'))
                    .map_or((*name).to_owned(), |name| format!("{name}*"))
            })
            .collect();
        for folder in folders {
            let scripts = self.packages.get(folder).and_then(|package| package.get("scripts")?.as_object());
            for (name, text) in scripts.into_iter().flatten() {
                let is_meant = |wanted: &String| {
                    fits(wanted, name)
                        || ["pre", "post"].iter().any(|part| name.strip_prefix(part) == Some(wanted.as_str()))
                };
                if let Some(text) = text.as_str().filter(|_| names.iter().any(is_meant)) {
                    let path =
                        if folder.is_empty() { "package.json".to_owned() } else { format!("{folder}/package.json") };
                    let (folder, name) = (folder.clone(), name.clone());
                    let place = format!("{path}, script `{name}`");
                    found.steps.push(PipelineStep {
                        script: text.to_owned(),
                        folder: Some(folder.clone()),
                        source: place,
                        ..PipelineStep::default()
                    });
                    found.scripts.push(PackageScript { folder, name, source: source.to_owned() });
                }
            }
        }
        found
    }
}

/// Returns whether a path fits a pattern: `*` is one part, `**` any number of them.
fn fits_path(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    pattern.iter().filter(|part| **part == "**").count() <= WILD_PARTS_MAX && fits_parts(&pattern, &path)
}

fn fits_parts(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => (0..=path.len()).any(|skipped| fits_parts(rest, &path[skipped..])),
        ([first, pattern @ ..], [part, path @ ..]) => fits(first, part) && fits_parts(pattern, path),
        _ => false,
    }
}
