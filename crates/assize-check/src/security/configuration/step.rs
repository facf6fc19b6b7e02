//! Steps of continuous integration that test: those that went, and those that decide nothing any more.
//!
//! One way for all systems: commands are collected from the tree of a file, each with what its surroundings say of whether its
//! failure counts. A command that still decides somewhere in the tree, in another file as well, is not missed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use assize_core::finding::Certainty;
use regex::Regex;
use serde_json::Value;

use super::ConfigurationPurpose;
use crate::security::{FindingCollector, RequestedChanges, SecurityChange, listed};
use assize_ecosystem::document::{DEPTH_MAX, line_with, yaml};

/// Looks for tests that the pipelines of the base ran and those of the change do not.
pub(super) fn look(change: &SecurityChange, asked: &RequestedChanges, report: &mut FindingCollector) {
    let pipelines = || {
        change.files.iter().filter(|file| ConfigurationPurpose::of(&file.path) == Some(ConfigurationPurpose::Pipeline))
    };
    let beside =
        change.beside.iter().filter(|(path, _)| ConfigurationPurpose::of(path) == Some(ConfigurationPurpose::Pipeline));
    let mut decides: BTreeSet<String> = BTreeSet::new();
    let mut silent: BTreeSet<String> = BTreeSet::new();
    let after = pipelines().filter_map(|file| Some((&file.path, file.after.as_ref()?)));
    for (path, text) in after.chain(beside.map(|(path, text)| (path, text))) {
        for (command, counts) in commands(path, text) {
            if counts { &mut decides } else { &mut silent }.insert(command);
        }
    }
    for file in pipelines() {
        let Some(before) = &file.before else { continue };
        let decided =
            commands(&file.path, before).into_iter().filter(|(_, counts)| *counts).map(|(command, _)| command);
        let lost: BTreeSet<String> = decided.filter(|command| !decides.contains(command)).collect();
        // Another command of the same kind may have taken its place.
        let replaced = decides.iter().any(|command| !commands(&file.path, before).contains_key(command));
        let (muted, gone): (Vec<String>, Vec<String>) = lost.into_iter().partition(|command| silent.contains(command));
        let certainty = asked.soften(&file.path, ConfigurationPurpose::Pipeline.words());
        if !muted.is_empty() {
            let line = file.after.as_deref().and_then(|text| line_with(text, &[muted[0].as_str()]));
            let message = format!(
                "These steps of CI no longer decide, whatever they find: {}. Let them decide again.",
                listed(muted)
            );
            report.fault("ci-weakened", certainty, &file.path, line, message);
        }
        if !gone.is_empty() {
            let message = format!("CI no longer runs {}. Let it run again, or say where else it runs.", listed(gone));
            let sure = if replaced || !decides.is_empty() { Certainty::Likely } else { certainty };
            report.fault("ci-weakened", sure, &file.path, None, message);
        }
    }
}

/// The commands of a pipeline that test something, and whether their failure counts.
fn commands(path: &str, text: &str) -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    if path.ends_with(".yml") || path.ends_with(".yaml") {
        if let Some(root) = yaml(text) {
            walk(&root, true, 0, &mut found);
        }
    } else {
        // `sh 'make test'`
        let quoted = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in quoted.filter_map(|line| line.trim_start().strip_prefix("sh ")) {
            script(line.trim_matches(['\'', '"', '(', ')', ' ']), true, &mut found);
        }
    }
    found
}

/// Keys under which systems keep commands.
const SCRIPTS: [&str; 10] =
    ["run", "script", "bash", "command", "commands", "before_script", "after_script", "pwsh", "powershell", "cmd"];

fn walk(value: &Value, counts: bool, depth: usize, found: &mut BTreeMap<String, bool>) {
    if depth > DEPTH_MAX {
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, counts, depth + 1, found)),
        Value::Object(map) => {
            let counts = counts && !is_silenced(map);
            for (key, value) in map {
                let is_script = SCRIPTS.contains(&key.as_str());
                match value {
                    Value::String(text) if is_script => script(text, counts, found),
                    Value::Array(lines) if is_script => {
                        for line in lines {
                            match line.as_str() {
                                Some(line) => script(line, counts, found),
                                None => walk(line, counts, depth + 1, found),
                            }
                        }
                    }
                    value => walk(value, counts, depth + 1, found),
                }
            }
        }
        _ => {}
    }
}

/// Returns whether the failure of what stands in a map does not count, or it does not run at all.
fn is_silenced(map: &serde_json::Map<String, Value>) -> bool {
    let word = |key: &str| {
        map.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned()))
    };
    let is = |key: &str, words: &[&str]| word(key).is_some_and(|word| words.contains(&word.as_str()));
    ["continue-on-error", "allow_failure", "continueOnError", "soft_fail", "ignore_failure"]
        .iter()
        .any(|key| is(key, &["true", "yes"]))
        || is("if", &["false", "${{ false }}", "${{false}}"])
        || is("condition", &["false"])
        || is("enabled", &["false"])
        || is("when", &["never", "manual"])
        || is("skip", &["true"])
}

/// A command that tests.
static TESTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:[Tt]ests?|pytest|tox|nox|jest|vitest|mocha|playwright|cypress|rspec|phpunit|nextest|ctest|go vet|clippy|eslint|ruff check|mypy|pyright|cargo audit|cargo deny|npm audit|bandit|semgrep|gitleaks|trivy)\b")
        .expect("valid pattern")
});

/// Commands that only prepare, tell or store.
static TELLS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:echo|printf|mkdir|cp|mv|rm|cat|ls|cd|export|set|git|docker (?:login|push|pull|tag)|pip install|pip3 install|npm (?:ci|install|i)\b|yarn (?:add|install)|apt|sudo apt|curl|wget|aws|gsutil|tar|zip)\b|upload|report|publish|codecov|coveralls|artifact|--version|install ")
        .expect("valid pattern")
});

/// Ways in which a command hides its failure.
static MASKED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\s*(?:\|\|\s*(?:true|:|exit 0|echo\b.*)|;\s*(?:true|exit 0)|--exit-zero|--passWithNoTests-only)\s*$")
        .expect("valid pattern")
});

fn script(text: &str, counts: bool, found: &mut BTreeMap<String, bool>) {
    let tolerant = text.lines().any(|line| line.trim() == "set +e");
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let (command, masked) = match MASKED.find(line) {
            Some(mask) => (&line[..mask.start()], true),
            None => (line, false),
        };
        if TESTS.is_match(command) && !TELLS.is_match(command) {
            let counted = found.entry(command.to_owned()).or_default();
            *counted |= counts && !masked && !tolerant;
        }
    }
}
