//! The result of the stop court as programs read it.

use assize_core::envelope::{Envelope, VERSION};
use assize_core::page::Page;
use serde::{Deserialize, Serialize};

use crate::audit::{AuditedProject, AuditedSession, by_project};
use crate::calibration::StopCalibration;
use crate::court::StopRecord;
use crate::verdict::StopVerdict;
use crate::verification::StopVerification;

/// The result of the stop court, with what it ran and what it did not see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StopEnvelope {
    /// What every court says.
    #[serde(flatten)]
    pub envelope: Envelope<StopVerdict>,
    /// What running the project's checks came to; absent where none had to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<StopVerification>,
    /// What was left out, and why.
    #[serde(default)]
    pub limits: Vec<String>,
}

impl StopEnvelope {
    /// Puts a ruling into its outer shape.
    pub fn of(record: &StopRecord) -> Self {
        let inputs = &record.inputs;
        let evidence = inputs.evidence.as_ref();
        Self {
            envelope: Envelope {
                fingerprint: evidence.map(|evidence| evidence.fingerprint.clone()),
                ..Envelope::new("stop", &record.decision.ruling, &inputs.findings, &inputs.opinions)
            },
            verification: evidence.and_then(|evidence| evidence.verification.clone()),
            limits: evidence.map(|evidence| evidence.limits.clone()).unwrap_or_default(),
        }
    }
}

/// What `assize stop audit` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditEnvelope {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The projects, the one with the most claims first.
    pub projects: Vec<AuditedProject>,
    /// The sessions, the newest first.
    pub sessions: Vec<AuditedSession>,
    /// Transcripts that could not be read, with the reason.
    pub unread: Vec<String>,
}

impl AuditEnvelope {
    /// Sums sessions up.
    pub fn of(sessions: Vec<AuditedSession>, unread: Vec<String>) -> Self {
        Self { assize: VERSION, projects: by_project(&sessions), sessions, unread }
    }
}

/// What `assize stop calibrate` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CalibrationEnvelope {
    /// The version of this shape: 1.
    pub assize: u32,
    /// What is known.
    #[serde(flatten)]
    pub calibration: StopCalibration,
    /// The rules that no longer block alone from now on.
    pub downgraded: Vec<String>,
}

impl CalibrationEnvelope {
    /// Makes the document.
    pub fn of(calibration: StopCalibration, downgraded: Vec<String>) -> Self {
        Self { assize: VERSION, calibration, downgraded }
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
