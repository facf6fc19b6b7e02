//! Workflows: what they run for whom, with which rights, and whose code they take.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use assize_core::text::quote;
use regex::Regex;
use serde_json::Value;

use super::ConfigurationFile;
use crate::security::{FindingCollector, listed};
use assize_ecosystem::document::{at, entries, items, line_with, text, yaml};

/// Looks at a workflow.
pub(super) fn look(about: &ConfigurationFile<'_>, report: &mut FindingCollector) {
    let Some(after) = about.file.after.as_deref() else { return };
    let path = &about.file.path;
    if !(path.ends_with(".yml") || path.ends_with(".yaml")) {
        return;
    }
    let Some(now) = yaml(after) else {
        report.warn(
            "configuration-changed",
            path,
            None,
            "The file cannot be read as YAML, so what it does is unknown.".to_owned(),
        );
        return;
    };
    let then = about.file.before.as_deref().and_then(yaml).unwrap_or(Value::Null);
    if runs_strangers(&now) && !runs_strangers(&then) {
        let message = "The workflow runs for pull requests of strangers with the rights and secrets of this repository, and takes their code. Run it on `pull_request`, or do not check their code out.".to_owned();
        let line = line_with(after, &["pull_request_target"]).or_else(|| line_with(after, &["workflow_run"]));
        report.fault("ci-trigger", about.certainty(), path, line, message);
    } else if serves_strangers(&now) && !serves_strangers(&then) {
        let message =
            "The workflow runs for pull requests of strangers with the rights and secrets of this repository."
                .to_owned();
        report.warn("ci-trigger", path, line_with(after, &["pull_request_target"]), message);
    }
    if writes_all(&now) && !writes_all(&then) {
        let message = "The workflow may write everything. Name the rights that it needs.".to_owned();
        report.fault("ci-permissions", about.certainty(), path, line_with(after, &["write-all"]), message);
    }
    let gained: Vec<String> = rights(&now).difference(&rights(&then)).cloned().collect();
    if !gained.is_empty() {
        let message = format!("The workflow gets rights to write: {}.", listed(gained));
        report.note("ci-permissions", path, line_with(after, &["permissions"]), message);
    }
    let loose: Vec<String> = unpinned(&now).difference(&unpinned(&then)).cloned().collect();
    if let Some(first) = loose.first() {
        let line = line_with(after, &[first]);
        let message = format!(
            "Actions of others are new and not held fast by a commit: {}. Their owner decides what runs.",
            listed(loose)
        );
        report.note("ci-action", path, line, message);
    }
    injections(about, report);
}

fn jobs(workflow: &Value) -> impl Iterator<Item = &Value> {
    entries(workflow, &["jobs"]).map(|(_, job)| job)
}

fn steps(workflow: &Value) -> impl Iterator<Item = &Value> {
    jobs(workflow).flat_map(|job| items(job, &["steps"])).chain(items(workflow, &["runs", "steps"]))
}

/// Returns whether a workflow runs with its own rights for changes of others.
fn privileged(workflow: &Value) -> bool {
    // `on` is a word for truth in old YAML; the reader leaves it a word.
    let Some(on) = at(workflow, &["on"]) else { return false };
    let is = |name: &str| name == "pull_request_target" || name == "workflow_run" || name == "issue_comment";
    match on {
        Value::String(name) => name == "pull_request_target",
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        Value::Object(map) => map.keys().any(|name| is(name)),
        _ => false,
    }
}

/// The parts of a workflow that run with its own rights for changes of strangers: its jobs and steps that no condition
/// keeps from it.
fn parts_for_strangers(workflow: &Value) -> (Vec<&Value>, Vec<&Value>) {
    if !privileged(workflow) {
        return (Vec::new(), Vec::new());
    }
    let strangers = |value: &&Value| !keeps_strangers_out(text(value, &["if"]));
    let jobs: Vec<&Value> = jobs(workflow).filter(strangers).collect();
    let steps = jobs.iter().flat_map(|job| items(job, &["steps"])).chain(items(workflow, &["runs", "steps"]));
    let steps = steps.filter(strangers).collect();
    (jobs, steps)
}

/// Returns whether a workflow runs with its own rights for changes of strangers.
fn serves_strangers(workflow: &Value) -> bool {
    !parts_for_strangers(workflow).0.is_empty()
}

/// Returns whether a privileged workflow takes the code of a stranger.
fn runs_strangers(workflow: &Value) -> bool {
    const HEADS: [&str; 6] = [
        "github.event.pull_request.head",
        "github.head_ref",
        "github.event.workflow_run.head",
        "refs/pull/",
        "github.event.pull_request.merge_commit_sha",
        "github.event.number",
    ];
    let head = |text: &str| HEADS.iter().any(|head| text.contains(head));
    let takes = |step: &Value| {
        let checks_out = text(step, &["uses"]).starts_with("actions/checkout")
            && (head(text(step, &["with", "ref"])) || head(text(step, &["with", "repository"])));
        let run = text(step, &["run"]);
        checks_out
            || (run.contains("git checkout") || run.contains("git fetch") || run.contains("gh pr checkout"))
                && (head(run) || run.contains("gh pr checkout"))
    };
    parts_for_strangers(workflow).1.into_iter().any(takes)
}

/// Returns whether a condition of a job or of a step holds only where a pull request comes from the repository itself, whose
/// branches no one writes to without rights.
fn keeps_strangers_out(condition: &str) -> bool {
    const OWN: [&str; 3] = [
        "github.event.pull_request.head.repo.full_name==github.repository",
        "github.repository==github.event.pull_request.head.repo.full_name",
        "github.event.workflow_run.head_repository.full_name==github.repository",
    ];
    // Beside anything else, be it a line's end, what stands in braces is a text, and a text holds always.
    let inside = condition.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")).unwrap_or(condition);
    if inside.contains("${{") || inside.contains("}}") {
        return false;
    }
    let condition: String = inside.chars().filter(|c| !c.is_whitespace()).collect();
    all_of(&condition).is_some_and(|parts| parts.iter().any(|part| OWN.contains(part)))
}

/// Splits a condition into what has to hold all at once. `None` where one part of it is enough.
fn all_of(condition: &str) -> Option<Vec<&str>> {
    let (mut depth, mut quoted, mut from) = (0_usize, false, 0);
    let mut parts = Vec::new();
    for (at, character) in condition.char_indices() {
        match character {
            '\'' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            '|' if depth == 0 => return None,
            '&' if depth == 0 => {
                parts.push(&condition[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&condition[from..]);
    (depth == 0 && !quoted).then_some(parts)
}

fn writes_all(workflow: &Value) -> bool {
    let all = |value: &Value| text(value, &["permissions"]) == "write-all";
    all(workflow) || jobs(workflow).any(all)
}

fn rights(workflow: &Value) -> BTreeSet<String> {
    let of = |value| entries(value, &["permissions"]).filter(|(_, right)| right.as_str() == Some("write"));
    std::iter::once(workflow).chain(jobs(workflow)).flat_map(of).map(|(name, _)| name.clone()).collect()
}

/// Actions of others that are named by a branch or tag, which can be moved.
fn unpinned(workflow: &Value) -> BTreeSet<String> {
    let used = steps(workflow).chain(jobs(workflow)).map(|step| text(step, &["uses"]));
    let loose = |uses: &&str| {
        let Some((name, revision)) = uses.rsplit_once('@') else { return false };
        let own = name.starts_with("./")
            || name.starts_with("actions/")
            || name.starts_with("github/")
            || name.starts_with("docker://");
        let fixed = revision.len() >= 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
        !own && !fixed
    };
    used.filter(loose).map(str::to_owned).collect()
}

/// Words of strangers that are put into a script before the shell reads it.
fn injections(about: &ConfigurationFile<'_>, report: &mut FindingCollector) {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\$\{\{[^}]*\bgithub\.(?:head_ref|event\.(?:issue\.(?:title|body)|pull_request\.(?:title|body|head\.(?:ref|label|repo\.default_branch))|comment\.body|review\.body|review_comment\.body|discussion\.(?:title|body)|head_commit\.(?:message|author\.(?:name|email))|commits[^}]*\.message|pages[^}]*\.page_name))")
            .expect("valid pattern")
    });
    let in_script = |number: u32| script_lines(about.file.after.as_deref().unwrap_or_default()).contains(&number);
    for (number, line) in about.new_lines() {
        if WORDS.is_match(line) && in_script(number) {
            let message = format!(
                "{} puts words of strangers into a script. Hand them over in `env`, and quote the variable.",
                quote(line)
            );
            report.fault("ci-injection", about.certainty(), &about.file.path, Some(number), message);
            return;
        }
    }
}

/// The lines of a workflow that belong to scripts.
fn script_lines(source: &str) -> BTreeSet<u32> {
    let mut lines = BTreeSet::new();
    let mut depth = None;
    for (number, line) in (1..).zip(source.lines()) {
        let indent = line.len() - line.trim_start().len();
        if line.trim().is_empty() {
            continue;
        }
        if depth.is_some_and(|depth| indent <= depth) {
            depth = None;
        }
        let bare = line.trim_start().trim_start_matches("- ");
        if depth.is_none() && (bare.starts_with("run:") || bare.starts_with("script:")) {
            lines.insert(number);
            depth = Some(line.len() - bare.len());
        } else if depth.is_some() {
            lines.insert(number);
        }
    }
    lines
}
