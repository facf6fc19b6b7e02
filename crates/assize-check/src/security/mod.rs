//! What a change means for the security of those who use it, as far as its texts tell.
//!
//! Pure: it gets the texts of files before and after a change, and returns findings. What is merely listed, such as a new
//! dependency, is a note and blocks nothing; what takes a safeguard away is a fault, unless the specification asks for it. Weaknesses in code are
//! found in syntax trees, which this crate does not know; they come in by another way.

mod address;
mod asked;
mod configuration;
mod dependency;
mod download;
pub mod hidden;
pub mod secret;

use std::collections::BTreeSet;

use assize_core::finding::{Certainty, Finding, Severity};

pub use asked::RequestedChanges;
pub use assize_ecosystem::document::{DEPTH_MAX, DOCUMENT_BYTES_MAX};

/// A file of a change, with its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileVersions {
    /// Its path after the change, or before it where it is gone.
    pub path: String,
    /// What it was; `None` where it was not there, or is no text.
    pub before: Option<String>,
    /// What it is; `None` where it is gone, or is no text.
    pub after: Option<String>,
}

/// A change, as far as settings and manifests go.
#[derive(Debug, Clone, Default)]
pub struct SecurityChange {
    /// The changed files for which [`reads`] holds.
    pub files: Vec<FileVersions>,
    /// Files that the change leaves as they are and for which [`reads`] holds: what it does without may be there.
    pub beside: Vec<(String, String)>,
    /// Whether it is known what was there before. Otherwise nothing is certain.
    pub base_known: bool,
}

/// Returns whether the file of a path is looked at here.
pub fn reads(path: &str) -> bool {
    dependency::reads(path) || configuration::reads(path)
}

/// Says why a file may not change unless the specification asks for it: it steers machines, agents or reviewers, or is
/// a lock file. `None` for any other file, or where the specification asks for the change.
pub fn guard(path: &str, asked: &RequestedChanges) -> Option<&'static str> {
    configuration::guard(path, asked).or_else(|| dependency::guard(path, asked))
}

/// Looks at a change.
pub fn findings(change: &SecurityChange, asked: &RequestedChanges) -> Vec<Finding> {
    let mut report = FindingCollector { findings: Vec::new(), base_known: change.base_known };
    dependency::look(change, asked, &mut report);
    configuration::look(change, asked, &mut report);
    report.findings
}

/// The rules of the stop court that look at every added line; for security at those as well that a diff does not show.
pub const LINE_RULES: [&str; 2] = ["secret", "hidden-character"];

/// Adds what the rules of the stop court found. What they say of added lines is known already, from more lines than a diff
/// shows, and a step of CI is named once.
pub fn join(findings: &mut Vec<Finding>, of_rules: Vec<Finding>) {
    let weakened: BTreeSet<Option<String>> = of_rules
        .iter()
        .filter(|finding| finding.rule == "check-disabled" && finding.certainty == Certainty::Certain)
        .map(|finding| finding.path.clone())
        .collect();
    findings.retain(|finding| finding.rule != "security-ci-weakened" || !weakened.contains(&finding.path));
    let known = |finding: &Finding| LINE_RULES.contains(&finding.rule.as_str()) && finding.path.is_some();
    findings.extend(of_rules.into_iter().filter(|finding| !known(finding)));
}

/// Takes findings.
#[derive(Debug)]
struct FindingCollector {
    findings: Vec<Finding>,
    base_known: bool,
}

impl FindingCollector {
    /// Lists a fact, which is no fault.
    fn note(&mut self, rule: &str, path: &str, line: Option<u32>, message: String) {
        self.file(rule, Severity::Note, Certainty::Certain, path, line, message);
    }

    /// Files what somebody should look at.
    fn warn(&mut self, rule: &str, path: &str, line: Option<u32>, message: String) {
        self.file(rule, Severity::Warning, Certainty::Likely, path, line, message);
    }

    /// Files a fault.
    fn fault(&mut self, rule: &str, certainty: Certainty, path: &str, line: Option<u32>, message: String) {
        let certainty = if self.base_known { certainty } else { Certainty::Likely };
        self.file(rule, Severity::Error, certainty, path, line, message);
    }

    fn file(
        &mut self,
        rule: &str,
        severity: Severity,
        certainty: Certainty,
        path: &str,
        line: Option<u32>,
        message: String,
    ) {
        let rule = format!("security-{rule}");
        let message = without_secrets(message);
        self.findings.push(Finding { rule, severity, certainty, path: Some(path.to_owned()), line, message });
    }
}

/// What is quoted may hold a key or a password, which a message must not repeat.
fn without_secrets(message: String) -> String {
    if secret::find(&[(1, &message)], "").is_none() {
        return message;
    }
    let parts = message.split('`').enumerate();
    parts.map(|(index, part)| if index % 2 == 1 { "…" } else { part }).collect::<Vec<_>>().join("`")
}

/// Joins names for a message, the first of them only.
fn listed(names: impl IntoIterator<Item = String>) -> String {
    const SHOWN: usize = 20;
    let names: Vec<String> = names.into_iter().map(|name| assize_core::text::quote(&name)).collect();
    assize_core::text::listed(&names, SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_message_repeats_a_key() {
        let key = format!("gh{}_{}", "p", "9fK2mQ7xW4bR8tY1vL6nZ3cJ5hD0sA9gE2uP");
        let settings = format!("{{\"mcpServers\":{{\"a\":{{\"command\":\"a --token {key}\"}}}}}}");
        let file = FileVersions { path: ".mcp.json".to_owned(), before: None, after: Some(settings) };
        let change = SecurityChange { files: vec![file], beside: Vec::new(), base_known: true };
        let found = findings(&change, &RequestedChanges::default());
        assert!(found.iter().any(|finding| finding.rule == "security-agent-command"), "{found:?}");
        assert!(found.iter().all(|finding| !finding.message.contains(&key)), "{found:?}");
    }
}
