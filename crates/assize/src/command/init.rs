//! `assize init`: sets up the hooks of coding agents, and removes them again.
//!
//! A settings file belongs to its user: it is merged into, never rewritten, and `--uninstall` gives
//! it back byte for byte.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use assize_core::document::{InitDocument, InstalledHooks};
use assize_core::text::make_visible;
use assize_ecosystem::ECOSYSTEMS;
use assize_ecosystem::pattern::fits;
use assize_ecosystem::tool::{Sign, ToolKind};
use serde_json::json;

use crate::command::gates;
use crate::config::{Config, FILE_NAME};
use crate::exit::{Exit, Failure, Result};
use crate::hook::{ADAPTERS, Adapter, SettingsScope, adapter};
use crate::host::Host;
use crate::output::{Format, Output, print};

/// Arguments of `assize init`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  assize init                      the agents that are used here, for this project
  assize init claude-code codex    these agents
  assize init --user claude-code   for all projects of this user
  assize init --uninstall")]
pub struct Arguments {
    /// Agents: claude-code, codex, gemini, cursor, copilot [default: those that are used here].
    agents: Vec<String>,
    /// Change the user's own settings instead of the project's.
    #[arg(long)]
    user: bool,
    /// Remove the hooks and give the settings back as they were.
    #[arg(long)]
    uninstall: bool,
    /// The program that hooks call [default: this one].
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let output = output.or_human();
    let scope = if arguments.user { SettingsScope::User } else { SettingsScope::Project };
    let base = match scope {
        SettingsScope::User => host.home().ok_or_else(|| Failure::new("HOME is not set"))?,
        SettingsScope::Project => host.project(),
    };
    if arguments.uninstall {
        let all = arguments.agents.is_empty();
        let agents = if all { ADAPTERS.to_vec() } else { choose(&arguments.agents, host)? };
        return uninstall(&agents, scope, &base, output);
    }
    let program = program(arguments)?;
    let agents = choose(&arguments.agents, host)?;
    let planned: Vec<(&dyn Adapter, PathBuf)> =
        agents.into_iter().map(|agent| (agent, agent.settings_path(scope, &base))).collect();
    // Nothing is written before everything is known to be possible.
    for (agent, path) in &planned {
        let current = read_if_there(path)?.unwrap_or_default();
        agent.reads(&current).map_err(|error| unusable(path, &error))?;
        agent.install(&current, &program).map_err(|error| unusable(path, &error))?;
    }
    if scope == SettingsScope::Project {
        write_configuration(&base, host, output)?;
    }
    let mut done = Vec::new();
    for (agent, path) in &planned {
        let changed = install(*agent, path, &program)?;
        done.push(InstalledHooks { agent: agent.id(), path, changed, then: agent.after_install() });
        if output.format != Format::Json {
            let said = if changed { "hooks written to" } else { "hooks already in" };
            print(&format!("{}: {said} {}\n", agent.name(), path.display()));
            agent.after_install().iter().for_each(|then| print(&format!("  {then}\n")));
        }
    }
    if output.format == Format::Json {
        print(&format!("{}\n", json!(InitDocument::of(done))));
        return Ok(Exit::Done);
    }
    if scope == SettingsScope::Project {
        let named: Vec<String> = planned.iter().map(|(_, path)| path.strip_prefix(&base).unwrap_or(path).display().to_string()).collect();
        output.note(&format!(
            "note: {} {} a path of this machine; leave {} out of commits, or use --user",
            named.join(", "),
            if named.len() == 1 { "names" } else { "name" },
            if named.len() == 1 { "it" } else { "them" }
        ));
    }
    if program.components().any(|part| part.as_os_str() == "target") {
        output.note(&format!(
            "note: the hooks call {}, which a clean build removes; `cargo install --path crates/assize` gives the program a lasting place",
            program.display()
        ));
    }
    output.note("`assize doctor` proves that the gate is up.");
    Ok(Exit::Done)
}

/// A mistyped path would silently disable the gate, so it is absolute and has to exist.
fn program(arguments: &Arguments) -> Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;

    let path = match &arguments.program {
        // As it was named: the target of a link may be gone after the next upgrade.
        Some(path) => {
            std::path::absolute(path).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?
        }
        None => std::env::current_exe().map_err(|error| Failure::new(format!("the path of this program: {error}")))?,
    };
    match fs::metadata(&path) {
        Ok(meta) if meta.is_file() && meta.permissions().mode() & 0o111 != 0 => Ok(path),
        Ok(_) => Err(Failure::new(format!("{} is no program", path.display()))),
        Err(error) => Err(Failure::new(format!("{}: {error}", path.display()))),
    }
}

fn choose(wanted: &[String], host: &Host) -> Result<Vec<&'static dyn Adapter>> {
    let known = || ADAPTERS.iter().map(|adapter| adapter.id()).collect::<Vec<_>>().join(", ");
    if wanted.is_empty() {
        let used: Vec<&'static dyn Adapter> = ADAPTERS.iter().copied().filter(|agent| is_used(*agent, host)).collect();
        if used.is_empty() {
            return Err(Failure::new("no coding agent was found: there is no folder of one in this project or in the home folder")
                .hint(format!("name one: assize init AGENT, with AGENT one of {}", known())));
        }
        return Ok(used);
    }
    wanted
        .iter()
        .map(|id| {
            adapter(id)
                .ok_or_else(|| Failure::new(format!("no agent is called `{id}`")).hint(format!("one of {}", known())))
        })
        .collect()
}

/// An agent is used here when the project or the user has its folder.
fn is_used(agent: &dyn Adapter, host: &Host) -> bool {
    let folder = |scope, base: PathBuf| agent.settings_path(scope, &base).parent().is_some_and(Path::is_dir);
    let by_project = agent.id() != "copilot" && folder(SettingsScope::Project, host.project());
    by_project
        || host.home().is_some_and(|home| {
            let copilot = agent.id() == "copilot" && home.join(".copilot").is_dir();
            copilot || folder(SettingsScope::User, home)
        })
}

/// Adds our hooks to an agent's settings. Returns whether the file was changed.
fn install(agent: &dyn Adapter, path: &Path, program: &Path) -> Result<bool> {
    let current = read_if_there(path)?;
    let installed =
        agent.install(current.as_deref().unwrap_or_default(), program).map_err(|error| unusable(path, &error))?;
    if current.as_deref() == Some(installed.as_str()) {
        return Ok(false);
    }
    write(path, &installed)?;
    Ok(true)
}

/// Removes our hooks from an agent's settings. Returns whether the file was changed. A file in
/// which nothing is left was made by us.
fn remove(agent: &dyn Adapter, path: &Path) -> Result<bool> {
    let Some(current) = read_if_there(path)? else { return Ok(false) };
    let restored = agent.uninstall(&current).map_err(|error| unusable(path, &error))?;
    if restored == current {
        return Ok(false);
    }
    if restored.trim().is_empty() {
        fs::remove_file(path).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    } else {
        write(path, &restored)?;
    }
    Ok(true)
}

fn unusable(path: &Path, error: &crate::hook::SettingsError) -> Failure {
    Failure::new(format!("{}: {error}", path.display())).hint("the file was left as it is")
}

fn uninstall(agents: &[&'static dyn Adapter], scope: SettingsScope, base: &Path, output: Output) -> Result {
    let mut any = false;
    for agent in agents {
        let path = agent.settings_path(scope, base);
        if remove(*agent, &path)? {
            any = true;
            print(&format!("{}: hooks removed from {}\n", agent.name(), path.display()));
        }
    }
    if !any {
        output.note("no hooks of Assize were found");
    }
    Ok(Exit::Done)
}

fn read_if_there(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::new(format!("{}: {error}", path.display())).hint("the file was left as it is")),
    }
}

/// Writes a file whole or not at all; a link is followed, the mode is kept.
fn write(path: &Path, text: &str) -> Result<()> {
    let failed = |error: std::io::Error| Failure::new(format!("{}: {error}", path.display()));
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = real.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    if let Ok(meta) = fs::metadata(&real) {
        fs::set_permissions(file.path(), meta.permissions()).map_err(failed)?;
    }
    file.persist(&real).map_err(|error| failed(error.error))?;
    Ok(())
}

/// What the files at the top of a project give away: its ecosystems, each with the tools that get its dependencies.
fn stacks(names: &BTreeSet<String>) -> Vec<String> {
    let has = |pattern: &str| names.iter().any(|name| fits(pattern, name));
    let found = ECOSYSTEMS.iter().filter(|it| !it.name.is_empty() && it.manifests.iter().any(|file| has(file)));
    let described = found.map(|ecosystem| {
        let managers = ecosystem.tools.iter().filter(|tool| {
            let is_there = |sign: &Sign| matches!(sign, Sign::File(file) if has(file));
            tool.kinds.contains(&ToolKind::PackageManager) && tool.signs.iter().any(is_there)
        });
        let managers: Vec<&str> = managers.map(|tool| tool.id).collect();
        if managers.is_empty() { ecosystem.name.to_owned() } else { format!("{} ({})", ecosystem.name, managers.join(", ")) }
    });
    described.collect()
}

fn write_configuration(project: &Path, host: &Host, output: Output) -> Result<()> {
    let path = project.join(FILE_NAME);
    let entries = fs::read_dir(project).into_iter().flatten().flatten();
    let stacks = stacks(&entries.filter(|entry| entry.path().is_file()).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect());
    if !stacks.is_empty() {
        output.note(&format!("found: {}", stacks.join(", ")));
    }
    if path.exists() {
        return Ok(());
    }
    write(&path, &with_plan(&gates::planned(&Config::default(), host)))?;
    output.note(&format!("{FILE_NAME}: written to {}", path.display()));
    Ok(())
}

/// The template with the gates that run here, as far as they are shown.
fn with_plan(gates: &[(String, String)]) -> String {
    const HEAD: &str = "[gates]\n";
    let line = |text: &str| make_visible(text).replace('\n', " ");
    let mut plan = String::new();
    for (name, because) in gates.iter().take(GATES_LISTED_MAX) {
        plan.push_str(&format!("#   {}: {}\n", line(name), line(because)));
    }
    let more = gates.len().saturating_sub(GATES_LISTED_MAX);
    if more > 0 {
        plan.push_str(&format!("#   and {more} more\n"));
    }
    if plan.is_empty() {
        return TEMPLATE.to_owned();
    }
    let plan = format!("# What runs here, and why; `assize gates --plan` shows it anew, with the commands:\n{plan}");
    TEMPLATE.replacen(HEAD, &format!("{HEAD}{plan}"), 1)
}

/// The most gates that the configuration lists.
pub const GATES_LISTED_MAX: usize = 30;

/// The configuration that `init` writes; every setting at its default.
pub const TEMPLATE: &str = include_str!("../../assize.template.toml");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_at_the_top_tell_the_stacks() {
        for (names, expected) in [
            (&["Cargo.toml", "README.md"][..], "Rust (cargo)"),
            (&["package.json", "pnpm-lock.yaml", "pyproject.toml", "uv.lock"], "Python (uv), JavaScript or TypeScript (pnpm)"),
            (&["pyproject.toml"], "Python"),
            (&["build.gradle.kts"], "Java or Kotlin (gradle)"),
            (&["Shop.sln"], "C#"),
            (&["README.md"], ""),
        ] {
            assert_eq!(stacks(&names.iter().map(|name| (*name).to_owned()).collect()).join(", "), expected);
        }
    }

    #[test]
    fn the_gates_that_run_are_listed_up_to_a_limit() {
        let gates = |count: usize| vec![("pytest".to_owned(), "there is a\ntox.ini".to_owned()); count];
        assert_eq!(with_plan(&[]), TEMPLATE);
        assert!(with_plan(&gates(1)).contains("#   pytest: there is a tox.ini\n"));
        for (count, more) in [(GATES_LISTED_MAX, false), (GATES_LISTED_MAX + 1, true)] {
            let text = with_plan(&gates(count));
            assert_eq!(text.contains("#   and 1 more\n"), more);
            assert!(crate::config::Config::parse(&text, FILE_NAME).is_ok());
        }
    }

    #[test]
    fn the_template_says_what_holds_without_it() {
        let config = crate::config::Config::parse(TEMPLATE, FILE_NAME).expect("the template is valid");
        assert_eq!(format!("{config:#?}"), format!("{:#?}", crate::config::Config::default()));
    }
}
