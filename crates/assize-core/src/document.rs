//! What commands without a court print for programs.

use std::path::Path;

use serde::Serialize;

use crate::envelope::VERSION;
use crate::page::Page;
use crate::violation::Violation;

/// What `assize review --check-verdict` and `--check-patch` print.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DocumentCheck<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// Whether nothing is wrong with the documents.
    pub ok: bool,
    /// Everything that is wrong with them.
    pub errors: &'a [Violation],
}

impl<'a> DocumentCheck<'a> {
    /// Makes the document of these faults.
    pub fn of(errors: &'a [Violation]) -> Self {
        Self { assize: VERSION, ok: errors.is_empty(), errors }
    }
}

/// What `assize explain` prints: a document for each page, one a line.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PageDocument<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// What the page is about: `rule`, `gate` or `cause`.
    pub subject: &'static str,
    /// The ids that it explains. The first one names the page.
    pub ids: &'a [&'static str],
    /// The page in one sentence.
    pub summary: String,
    /// The page, in Markdown.
    pub text: &'static str,
}

impl<'a> PageDocument<'a> {
    /// Makes the document of a page.
    pub fn of(page: &'a Page) -> Self {
        let (subject, summary) = (page.subject.as_str(), page.summary());
        Self { assize: VERSION, subject, ids: &page.ids, summary, text: page.text }
    }
}

/// How one check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CheckState {
    /// It works.
    Good,
    /// It works, and there is something to know.
    Note,
    /// A judge could not judge.
    Unjudged,
    /// It does not work.
    Bad,
}

/// A check of `assize doctor`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DoctorCheck {
    /// What is checked.
    pub name: String,
    /// How it came out.
    pub state: CheckState,
    /// What was found.
    pub detail: String,
}

/// What `assize doctor` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DoctorReport<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// Whether the gate is up.
    pub up: bool,
    /// Each check.
    pub checks: &'a [DoctorCheck],
}

impl<'a> DoctorReport<'a> {
    /// Makes the document of these checks.
    pub fn of(checks: &'a [DoctorCheck]) -> Self {
        let up = checks.iter().all(|check| matches!(check.state, CheckState::Good | CheckState::Note));
        Self { assize: VERSION, up, checks }
    }
}

/// The hooks of an agent.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InstalledHooks<'a> {
    /// The id of the agent.
    pub agent: &'static str,
    /// The file of its settings.
    pub path: &'a Path,
    /// Whether the file was changed.
    pub changed: bool,
    /// What is left to do by hand; `null` where nothing is.
    pub then: Option<&'static str>,
}

/// What `assize init` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InitDocument<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The hooks of each agent.
    pub installed: Vec<InstalledHooks<'a>>,
}

impl<'a> InitDocument<'a> {
    /// Makes the document of these hooks.
    pub fn of(installed: Vec<InstalledHooks<'a>>) -> Self {
        Self { assize: VERSION, installed }
    }
}

/// What `assize demo` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DemoDocument<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// Each part.
    #[serde(rename = "scenes")]
    pub parts: Vec<DemoPart<'a>>,
}

impl<'a> DemoDocument<'a> {
    /// Makes the document of these parts.
    pub fn of(parts: Vec<DemoPart<'a>>) -> Self {
        Self { assize: VERSION, parts }
    }
}

/// A part of the demo.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DemoPart<'a> {
    /// What it shows.
    #[serde(rename = "scene")]
    pub title: &'static str,
    /// The courts that it shows.
    pub courts: &'static [&'static str],
    /// Whether every command did what was expected.
    pub as_expected: bool,
    /// The commands; absent where the part did not come to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<DemoStep<'a>>>,
    /// Why the part broke off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why the part was left out on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<&'a str>,
}

/// A command of the demo.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DemoStep<'a> {
    /// What was typed.
    pub command: &'a str,
    /// The exit code; `null` where the program was killed.
    pub exit: Option<i32>,
    /// The document that it printed, or a list of several.
    pub result: &'a serde_json::Value,
}
