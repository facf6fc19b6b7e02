//! What `assize ledger` prints for programs.

use assize_core::approval::Approval;
use assize_core::envelope::VERSION;
use assize_core::ruling::Outcome;
use assize_stop::calibration::Answer;
use serde::Serialize;

use crate::chain::Header;

/// A line of `assize ledger show` and `assize ledger export`. `P` is the event, as it is written.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LedgerLine<'a, P: ?Sized> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// What the entry says of its event.
    #[serde(flatten)]
    pub header: &'a Header,
    /// The hash of the entry, which covers the one before it.
    pub hash: String,
    /// The event.
    pub payload: &'a P,
}

impl<'a, P: ?Sized> LedgerLine<'a, P> {
    /// Makes the line of an entry.
    pub fn of(header: &'a Header, hash: &[u8], payload: &'a P) -> Self {
        Self { assize: VERSION, header, hash: hexadecimal(hash), payload }
    }
}

/// What `assize ledger verify` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LedgerCheck {
    /// The version of this shape: 1.
    pub assize: u32,
    /// Whether the chain holds.
    pub sound: bool,
    /// How many entries there are, where it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<u64>,
    /// The hash of the last entry, where it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// What is damaged, where it does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
}

impl LedgerCheck {
    /// Makes the document of a chain that holds.
    pub fn sound(entries: u64, head: &[u8]) -> Self {
        Self { assize: VERSION, sound: true, entries: Some(entries), head: Some(hexadecimal(head)), damage: None }
    }

    /// Makes the document of a chain that is damaged.
    pub fn damaged(damage: String) -> Self {
        Self { assize: VERSION, sound: false, entries: None, head: None, damage: Some(damage) }
    }
}

/// What `assize approve` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApprovalDocument {
    /// The version of this shape: 1.
    pub assize: u32,
    /// What is approved.
    pub approvals: Vec<Approval>,
}

impl ApprovalDocument {
    /// Makes the document.
    pub fn of(approvals: Vec<Approval>) -> Self {
        Self { assize: VERSION, approvals }
    }
}

/// What `assize ledger mark` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MarkDocument {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The entry with the ruling.
    pub entry: u64,
    /// What was said of it.
    pub answer: Answer,
}

impl MarkDocument {
    /// Makes the document.
    pub fn of(entry: u64, answer: Answer) -> Self {
        Self { assize: VERSION, entry, answer }
    }
}

/// What `assize ledger replay` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayDocument<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The entry.
    pub entry: u64,
    /// Whether the ruling is the same again.
    pub same: bool,
    /// The ruling now.
    pub outcome: Outcome,
    /// What differs.
    pub differences: &'a [String],
}

impl<'a> ReplayDocument<'a> {
    /// Makes the document of a replay.
    pub fn of(entry: u64, outcome: Outcome, differences: &'a [String]) -> Self {
        Self { assize: VERSION, entry, same: differences.is_empty(), outcome, differences }
    }
}

/// What `assize ledger show --shadow` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShadowSummary {
    /// The version of this shape: 1.
    pub assize: u32,
    /// How many stops were judged.
    pub stops: u64,
    /// The entries of those that would have been blocked.
    pub would_block: Vec<u64>,
    /// How many could not be judged.
    pub unjudged: u64,
}

impl ShadowSummary {
    /// Makes the document of these counts.
    pub fn of(stops: u64, would_block: Vec<u64>, unjudged: u64) -> Self {
        Self { assize: VERSION, stops, would_block, unjudged }
    }
}

/// Writes bytes as hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
