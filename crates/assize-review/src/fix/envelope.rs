//! The result of a fix as programs read it.

use assize_core::envelope::VERSION;
use assize_core::ruling::Outcome;
use serde::Serialize;

use super::record::FixEnd;
use crate::court::ReviewRecord;
use crate::envelope::ReviewEnvelope;

/// The id of the court, as envelopes and the ledger name it.
pub const COURT: &str = "fix";

/// What `assize fix` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FixEnvelope<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The court: `fix`.
    pub court: &'static str,
    /// The ruling on the best state that was found.
    pub outcome: Outcome,
    /// How the fix went.
    pub fix: &'a FixEnd,
    /// The review of the best state.
    pub review: ReviewEnvelope,
}

impl<'a> FixEnvelope<'a> {
    /// Makes the envelope of a fix, with the review of the best state.
    pub fn of(end: &'a FixEnd, review: &ReviewRecord) -> Self {
        let review = ReviewEnvelope::of(review);
        Self { assize: VERSION, court: COURT, outcome: end.outcome, fix: end, review }
    }
}

/// What `assize fix --resume` prints without an id.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResumableFixes<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The fixes that can be resumed, the newest first.
    pub open: &'a [ResumableFixRow<'a>],
}

impl<'a> ResumableFixes<'a> {
    /// Makes the document of these fixes.
    pub fn of(open: &'a [ResumableFixRow<'a>]) -> Self {
        Self { assize: VERSION, open }
    }
}

/// A fix that can be resumed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResumableFixRow<'a> {
    /// Its id, as `--resume` takes it.
    pub id: &'a str,
    /// When it began, in milliseconds since 1970.
    pub begun: i64,
    /// The commit that its change is measured from.
    pub base: Option<&'a str>,
    /// Whether it began with the tree that is there now.
    pub of_this_tree: bool,
    /// What was asked for.
    pub specification: &'a str,
}
