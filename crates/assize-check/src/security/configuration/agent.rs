//! Settings of coding agents and of editors: their rights to act without asking, and the commands that they run
//! automatically.

use assize_core::text::quote;
use serde_json::Value;

use super::ConfigurationFile;
use crate::security::FindingCollector;
use assize_ecosystem::document::{at, entries, items, json, line_with, text, toml};

/// Looks at an agent's settings. What it is told in words is for a reader to judge.
pub(super) fn look(about: &ConfigurationFile<'_>, report: &mut FindingCollector) {
    let Some(after) = about.file.after.as_deref() else { return };
    let read = |text: &str| if about.file.path.ends_with(".toml") { toml(text) } else { json(text) };
    let Some(now) = read(after) else { return };
    let then = about.file.before.as_deref().and_then(read).unwrap_or(Value::Null);
    let path = &about.file.path;
    let line = |word: &str| line_with(after, &[word]);
    for (what, word) in unbounded(&now) {
        if !unbounded(&then).iter().any(|(old, _)| *old == what) {
            let message = format!("The agent is let act without asking: {}. Take it out, or ask for it.", quote(&what));
            report.fault("agent-unbounded", about.certainty(), path, line(&word), message);
        }
    }
    // One command may stand behind several events: it is told once.
    let mut known = commands(&then);
    for command in commands(&now) {
        if known.contains(&command) {
            continue;
        }
        let first = command.split_whitespace().next().unwrap_or_default();
        let message = format!("The agent runs a new command without asking: {}.", quote(&command));
        report.note("agent-command", path, line(first), message);
        known.push(command);
    }
}

/// Settings that take every limit away, with a word by which their line is found.
fn unbounded(value: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut is = |way: &[&str], bad: &[&str]| {
        let given = at(value, way).map(|given| given.as_str().map_or_else(|| given.to_string(), str::to_owned));
        if let Some(given) = given.filter(|given| bad.contains(&given.as_str())) {
            found.push((format!("{} = {given}", way.join(".")), way[way.len() - 1].to_owned()));
        }
    };
    is(&["permissions", "defaultMode"], &["bypassPermissions"]);
    is(&["approval_policy"], &["never"]);
    is(&["sandbox_mode"], &["danger-full-access"]);
    is(&["enableAllProjectMcpServers"], &["true"]);
    is(&["chat.tools.autoApprove"], &["true"]);
    is(&["chat.tools.global.autoApprove"], &["true"]);
    is(&["autoAccept"], &["true"]);
    let everything = ["*", "Bash", "Bash(*)", "Bash(:*)", "shell(*)", "Shell(*)"];
    for allowed in items(value, &["permissions", "allow"]).filter_map(Value::as_str) {
        if everything.contains(&allowed) {
            found.push((format!("permissions.allow = {allowed}"), format!("\"{allowed}\"")));
        }
    }
    found
}

/// Commands that run by themselves: hooks, and servers that are started.
fn commands(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let groups = entries(value, &["hooks"]).flat_map(|(_, groups)| items(groups, &[]));
    for group in groups {
        let hooks = items(group, &["hooks"]).chain(std::iter::once(group));
        found.extend(hooks.map(|hook| text(hook, &["command"]).to_owned()).filter(|command| !command.is_empty()));
    }
    let servers = ["mcpServers", "servers", "mcp_servers"].into_iter().flat_map(|key| entries(value, &[key]));
    for (_, server) in servers {
        let words =
            std::iter::once(text(server, &["command"])).chain(items(server, &["args"]).filter_map(Value::as_str));
        let command = words.collect::<Vec<_>>().join(" ").trim().to_owned();
        let address = text(server, &["url"]);
        found.extend([command, address.to_owned()].into_iter().filter(|text| !text.is_empty()));
    }
    found
}

/// Looks at settings by which an editor runs something when a folder is opened.
pub(super) fn look_at_editor(about: &ConfigurationFile<'_>, report: &mut FindingCollector) {
    let Some(after) = about.file.after.as_deref() else { return };
    let Some(now) = json(after) else { return };
    let then = about.file.before.as_deref().and_then(json).unwrap_or(Value::Null);
    let path = &about.file.path;
    let by_itself = |value: &Value| -> Vec<String> {
        let opened = items(value, &["tasks"]).filter(|task| text(task, &["runOptions", "runOn"]) == "folderOpen");
        opened.map(|task| text(task, &["command"]).to_owned()).collect()
    };
    let known = by_itself(&then);
    for command in by_itself(&now).into_iter().filter(|command| !known.contains(command)) {
        let message = format!("The editor runs {} as soon as somebody opens the folder.", quote(&command));
        report.warn("editor-command", path, line_with(after, &["folderOpen"]), message);
    }
    for key in [
        "initializeCommand",
        "onCreateCommand",
        "updateContentCommand",
        "postCreateCommand",
        "postStartCommand",
        "postAttachCommand",
    ] {
        if let Some(command) = at(&now, &[key]).filter(|command| at(&then, &[key]) != Some(command)) {
            let command = command.as_str().map_or_else(|| command.to_string(), str::to_owned);
            let message = format!("`{key}` runs {}.", quote(&command));
            report.note("editor-command", path, line_with(after, &[key]), message);
        }
    }
}
