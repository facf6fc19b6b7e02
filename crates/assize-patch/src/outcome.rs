//! What commands say of a patch, as programs read it.

use assize_core::envelope::VERSION;
use assize_core::violation::Violation;
use serde::Serialize;

use crate::Patch;
use crate::plan::{FileTransition, Note, PatchPlan};

/// What `assize patch check` and `assize patch apply` print.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatchDocument<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// Whether the patch fits.
    pub ok: bool,
    /// Everything that is wrong with it.
    pub errors: &'a [Violation],
    /// What it does where it fits.
    #[serde(flatten)]
    pub fit: Option<PatchEffect<'a>>,
}

/// What a patch does that fits.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PatchEffect<'a> {
    /// What to know of its operations.
    pub notes: &'a [Note],
    /// The files that it changes.
    pub changes: Vec<ChangedFile<'a>>,
    /// Whether it was written.
    pub written: bool,
    /// Whether the tree has all of it already.
    pub already_applied: bool,
    /// The patch as operations.
    pub patch: &'a Patch,
    /// The patch that takes it back.
    pub inverse: &'a Patch,
}

/// A file that a patch changes.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangedFile<'a> {
    /// The file.
    pub path: &'a str,
    /// What happens to it: `add`, `remove` or `change`.
    pub kind: &'static str,
}

impl<'a> PatchDocument<'a> {
    /// Makes the document of a patch that fits.
    pub fn fits(plan: &'a PatchPlan, patch: &'a Patch, inverse: &'a Patch, is_written: bool) -> Self {
        let change = |change: &'a FileTransition| ChangedFile { path: &change.path, kind: change.kind() };
        let fit = PatchEffect {
            notes: &plan.notes,
            changes: plan.changes.iter().map(change).collect(),
            written: is_written && !plan.is_applied,
            already_applied: plan.is_applied,
            patch,
            inverse,
        };
        Self { assize: VERSION, ok: true, errors: &[], fit: Some(fit) }
    }

    /// Makes the document of a patch that does not fit.
    pub fn unfit(errors: &'a [Violation]) -> Self {
        Self { assize: VERSION, ok: false, errors, fit: None }
    }
}
