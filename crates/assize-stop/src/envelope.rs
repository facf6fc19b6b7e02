//! The result of the stop court as programs read it.

use assize_core::envelope::{Envelope, VERSION};
use assize_core::page::Page;
use serde::Serialize;

use crate::court::StopRecord;
use crate::verdict::StopVerdict;

/// Puts a ruling of the stop court into its outer shape.
pub fn envelope(record: &StopRecord) -> Envelope<StopVerdict> {
    let inputs = &record.inputs;
    Envelope {
        fingerprint: inputs.evidence.as_ref().map(|evidence| evidence.fingerprint.clone()),
        ..Envelope::new("stop", &record.decision.ruling, &inputs.findings, &inputs.opinions)
    }
}

/// A line of `assize stop --rules`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleDocument {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The id of the rule.
    pub rule: &'static str,
    /// What it finds, in one sentence.
    pub summary: String,
}

impl RuleDocument {
    /// Makes the document of the rule that a page explains.
    pub fn of(page: &Page) -> Self {
        Self { assize: VERSION, rule: page.id(), summary: page.summary() }
    }
}

/// What `assize pause` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PauseDocument {
    /// The version of this shape: 1.
    pub assize: u32,
    /// Whether the court is paused: it is.
    pub paused: bool,
    /// Until when, in milliseconds since 1970; `null` where only `assize resume` ends it.
    pub until_ms: Option<i64>,
}

impl PauseDocument {
    /// Makes the document of a pause.
    pub fn until(until_ms: Option<i64>) -> Self {
        Self { assize: VERSION, paused: true, until_ms }
    }
}

/// What `assize resume` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResumeDocument {
    /// The version of this shape: 1.
    pub assize: u32,
    /// Whether the court is paused: it is not any more.
    pub paused: bool,
}

impl Default for ResumeDocument {
    fn default() -> Self {
        Self { assize: VERSION, paused: false }
    }
}
