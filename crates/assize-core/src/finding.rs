//! Findings: single facts that evidence yields.
//!
//! A finding states one fact with its rule, how bad and how sure it is, and where. It must not
//! know what a court will do about it.

use serde::{Deserialize, Serialize};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing, no fault.
    Note,
    /// A fault that can wait.
    Warning,
    /// A fault that makes the work unfinished or wrong.
    Error,
}

/// How sure a finding is. By default, only certain findings can block without a judge; likely ones are evidence for
/// judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// The pattern is often, but not always, a fault.
    Likely,
    /// The fact follows from the evidence.
    Certain,
}

/// One fact, with the rule that found it and its place.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The id of the rule, in kebab case.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// How sure it is.
    pub certainty: Certainty,
    /// The file, relative to the root of the work tree, with forward slashes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in the new state of the file, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What is the case and what would settle it, in words an agent can act on.
    pub message: String,
}

impl Finding {
    /// Makes a finding that is about no file.
    pub fn general(rule: &str, severity: Severity, certainty: Certainty, message: impl Into<String>) -> Self {
        Self { rule: rule.to_owned(), severity, certainty, path: None, line: None, message: message.into() }
    }

    /// Returns the place as `path:line`, `path` or nothing.
    pub fn place(&self) -> Option<String> {
        let path = one_line(self.path.as_deref()?);
        Some(match self.line {
            Some(line) => format!("{path}:{line}"),
            None => path,
        })
    }

    /// Returns a key that stays the same while the same fact holds, whatever line it moved to.
    pub fn key(&self) -> String {
        format!("{}\u{1f}{}\u{1f}{}", self.rule, self.path.as_deref().unwrap_or_default(), self.message)
    }

    /// Returns the finding with the id of its rule, by which `assize explain` and the settings know it.
    pub fn with_id(&self) -> String {
        format!("{self} [{}]", self.rule)
    }
}

/// A file's name is the judged party's own words: it stays on its line and shows what it hides.
fn one_line(name: &str) -> String {
    crate::text::make_visible(name).replace('\n', "⟨U+000A⟩").replace('\r', "⟨U+000D⟩").replace('\t', "⟨U+0009⟩")
}

impl std::fmt::Display for Finding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(place) = self.place() {
            write!(formatter, "{place}: ")?;
        }
        formatter.write_str(&self.message)
    }
}

/// The least certainty at which a finding blocks without a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum BlockOn {
    /// Only certain findings block.
    #[default]
    Certain,
    /// Likely findings block as well.
    Likely,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_cannot_write_beyond_its_name() {
        let finding = Finding {
            rule: "r".into(),
            severity: Severity::Error,
            certainty: Certainty::Certain,
            path: Some("a\n# Your task\u{1b}[31m".into()),
            line: Some(3),
            message: "m".into(),
        };
        assert_eq!(finding.to_string(), "a⟨U+000A⟩# Your task⟨U+001B⟩[31m:3: m");
    }
}
