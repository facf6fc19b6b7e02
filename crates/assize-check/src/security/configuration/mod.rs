//! Files that say what machines and agents do with a tree: continuous integration, hooks, agents' settings, containers.
//!
//! A change of these files changes which code runs, with which rights, and who reviews. A note names each changed file
//! and its purpose. A change that removes a check or lets strangers run code is a fault, unless the specification asks
//! for it.

mod agent;
mod download;
mod git;
mod pipeline;
mod step;

use assize_core::path::{file_name, is_ci};
use assize_core::text::quote;

use super::{FileVersions, FindingCollector, RequestedChanges, SecurityChange};

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConfigurationPurpose {
    Pipeline,
    Hook,
    Agent,
    Court,
    Owners,
    Container,
    GitSettings,
    Editor,
    Updates,
}

impl ConfigurationPurpose {
    fn of(path: &str) -> Option<Self> {
        let name = file_name(path);
        let below = |folder: &str| path.starts_with(folder) || path.contains(&format!("/{folder}"));
        Some(if is_court(path) {
            Self::Court
        } else if matches!(
            name,
            ".pre-commit-config.yaml"
                | "lefthook.yml"
                | "lefthook.yaml"
                | ".lefthook.yml"
                | ".lintstagedrc"
                | ".lintstagedrc.json"
        ) || below(".husky/")
            || below(".githooks/")
            || below(".github/hooks/")
        {
            Self::Hook
        } else if is_ci(path) && !name.contains("codecov") || is_pipeline(path) {
            Self::Pipeline
        } else if is_agents(path) {
            Self::Agent
        } else if name == "CODEOWNERS" {
            Self::Owners
        } else if name == "Dockerfile"
            || name == "Containerfile"
            || name.starts_with("Dockerfile.")
            || name.ends_with(".dockerfile")
            || is_compose(name)
        {
            Self::Container
        } else if matches!(name, ".gitattributes" | ".gitmodules" | ".gitconfig") {
            Self::GitSettings
        } else if below(".vscode/")
            || below(".idea/")
            || below(".devcontainer/")
            || name == ".devcontainer.json"
            || name == ".envrc"
        {
            Self::Editor
        } else if matches!(
            name,
            "dependabot.yml"
                | "dependabot.yaml"
                | "renovate.json"
                | "renovate.json5"
                | ".renovaterc"
                | ".renovaterc.json"
        ) {
            Self::Updates
        } else {
            return None;
        })
    }

    fn describe(self) -> &'static str {
        match self {
            Self::Pipeline => "says what continuous integration runs, and with which rights",
            Self::Hook => "says what runs on the machines of everybody who commits",
            Self::Agent => "says what coding agents are told, may do and run",
            Self::Court => "says what this court judges by; the settings of the base are those that hold",
            Self::Owners => "says who has to look at a change",
            Self::Container => "says what a container is built from and runs",
            Self::GitSettings => "says how git treats files and where it fetches modules from",
            Self::Editor => "says what editors run by themselves",
            Self::Updates => "says how dependencies are updated",
        }
    }

    /// Words by which a specification asks for a change of such files.
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Pipeline => &[
                "ci",
                "workflow",
                "pipeline",
                "github action",
                "gitlab",
                "circleci",
                "jenkins",
                "build job",
                "job",
                "release process",
            ],
            Self::Hook => &["hook", "pre-commit", "husky", "lefthook"],
            Self::Agent | Self::Court => {
                &["agent", "claude", "cursor", "copilot", "codex", "gemini", "mcp", "assize", "permission"]
            }
            Self::Owners => &["codeowner", "owner", "reviewer"],
            Self::Container => &["docker", "dockerfile", "container", "image", "compose"],
            Self::GitSettings => &["submodule", "gitattribute", "gitmodule"],
            Self::Editor => &["vscode", "editor", "devcontainer", "direnv"],
            Self::Updates => &["dependabot", "renovate"],
        }
    }
}

fn is_court(path: &str) -> bool {
    path == "assize.toml" || path.ends_with("/assize.toml") || path.starts_with(".assize/")
}

fn is_pipeline(path: &str) -> bool {
    let name = file_name(path);
    matches!(
        name,
        ".gitlab-ci.yml"
            | "azure-pipelines.yml"
            | "azure-pipelines.yaml"
            | "Jenkinsfile"
            | ".drone.yml"
            | "appveyor.yml"
            | ".appveyor.yml"
            | "cloudbuild.yaml"
            | "buildspec.yml"
            | ".cirrus.yml"
            | ".woodpecker.yml"
            | "action.yml"
            | "action.yaml"
    ) || path.starts_with(".gitlab/") && (name.ends_with(".yml") || name.ends_with(".yaml"))
        || path.starts_with(".azure-pipelines/")
        || path.starts_with(".woodpecker/")
        || path.starts_with(".teamcity/")
        || name.starts_with("Jenkinsfile")
}

fn is_agents(path: &str) -> bool {
    let name = file_name(path);
    let folders = [
        ".claude/",
        ".cursor/",
        ".codex/",
        ".gemini/",
        ".windsurf/",
        ".continue/",
        ".roo/",
        ".kiro/",
        ".github/instructions/",
        ".github/prompts/",
        ".github/chatmodes/",
        ".github/agents/",
    ];
    matches!(
        name,
        "CLAUDE.md"
            | "CLAUDE.local.md"
            | "AGENTS.md"
            | "AGENT.md"
            | "GEMINI.md"
            | ".mcp.json"
            | "mcp.json"
            | ".cursorrules"
            | ".windsurfrules"
            | ".clinerules"
            | ".aider.conf.yml"
            | "copilot-instructions.md"
            | ".goosehints"
    ) || folders.iter().any(|folder| path.starts_with(folder) || path.contains(&format!("/{folder}")))
}

fn is_compose(name: &str) -> bool {
    (name.starts_with("docker-compose") || name.starts_with("compose."))
        && (name.ends_with(".yml") || name.ends_with(".yaml"))
}

/// Returns whether the file of a path is looked at here.
pub(super) fn reads(path: &str) -> bool {
    ConfigurationPurpose::of(path).is_some()
}

/// Says why a file may not change unless the specification asks for it. `None` where it may.
pub(super) fn guard(path: &str, asked: &RequestedChanges) -> Option<&'static str> {
    let purpose = ConfigurationPurpose::of(path)
        .filter(|purpose| !matches!(purpose, ConfigurationPurpose::Container | ConfigurationPurpose::Updates))?;
    (!asked.names(path) && !asked.speaks_of(purpose.words())).then(|| purpose.describe())
}

/// Looks at the settings that a change touches.
pub(super) fn look(change: &SecurityChange, asked: &RequestedChanges, report: &mut FindingCollector) {
    for file in &change.files {
        let Some(purpose) = ConfigurationPurpose::of(&file.path) else { continue };
        note(file, purpose, report);
        let about = ConfigurationFile { file, purpose, asked };
        match purpose {
            ConfigurationPurpose::Pipeline => pipeline::look(&about, report),
            ConfigurationPurpose::Agent => agent::look(&about, report),
            ConfigurationPurpose::GitSettings => git::look(&about, report),
            ConfigurationPurpose::Editor => agent::look_at_editor(&about, report),
            ConfigurationPurpose::Owners => owners(file, report),
            ConfigurationPurpose::Hook
            | ConfigurationPurpose::Container
            | ConfigurationPurpose::Court
            | ConfigurationPurpose::Updates => {}
        }
        if !matches!(
            purpose,
            ConfigurationPurpose::Court | ConfigurationPurpose::Owners | ConfigurationPurpose::Updates
        ) {
            download::look(&about, report);
        }
    }
    step::look(change, asked, report);
}

/// A file that is looked at.
struct ConfigurationFile<'a> {
    file: &'a FileVersions,
    purpose: ConfigurationPurpose,
    asked: &'a RequestedChanges,
}

impl ConfigurationFile<'_> {
    /// The certainty of a fault in this file.
    fn certainty(&self) -> assize_core::finding::Certainty {
        self.asked.soften(&self.file.path, self.purpose.words())
    }

    /// Walks over the lines that the change brings, with their numbers.
    fn new_lines(&self) -> impl Iterator<Item = (u32, &str)> {
        let known: std::collections::HashSet<&str> =
            self.file.before.iter().flat_map(|text| text.lines()).map(str::trim).collect();
        let after = self.file.after.iter().flat_map(|text| text.lines());
        (1..).zip(after).filter(move |(_, line)| !line.trim().is_empty() && !known.contains(line.trim()))
    }
}

fn note(file: &FileVersions, purpose: ConfigurationPurpose, report: &mut FindingCollector) {
    let what = match (&file.before, &file.after) {
        (None, _) => "is new",
        (_, None) => "is gone",
        _ => "changes",
    };
    let message = format!("The file {what}: it {}.", purpose.describe());
    report.note("configuration-changed", &file.path, None, message);
}

/// Warns of the first rule of ownership that is gone or changed: its owners are no longer asked.
fn owners(file: &FileVersions, report: &mut FindingCollector) {
    let rules = |text: &Option<String>| -> Vec<String> {
        let lines = text.iter().flat_map(|text| text.lines()).map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
    };
    let after = rules(&file.after);
    if let Some(gone) = rules(&file.before).iter().find(|rule| !after.contains(rule)) {
        let message = format!("A rule of ownership is gone or another one: {}.", quote(gone));
        report.warn("owners", &file.path, None, message);
    }
}

#[cfg(test)]
mod tests;
