//! Tries a fixer's answer on the state that is checked out: either the patch fits, or its faults are returned.
//!
//! Fixes and the making of candidates share this. This module must not know what was asked, or why.

use std::collections::BTreeSet;
use std::path::Path;

use assize_core::ruling::{Cause, Unjudged};
use assize_patch::{Patch, PatchInput};
use assize_review::fix::rounds::Proposal;

use super::workspace::{FixWorkspace, PatchedState};
use crate::court::review::{self, ReviewError};
use crate::fixer::NoPatch;
use crate::patch::{PatchError, PatchTerms, PreparedPatch, check};
use crate::work_tree::WorkTree;

/// The result of trying an answer.
pub struct TriedProposal {
    /// The proposal.
    pub proposal: Proposal,
    /// Its patch, if it fits or could not be tried.
    pub patch: Option<Patch>,
    /// Why it could not be tried. The answer is paid for, so it must be stored before the fix is given up.
    pub failure: Option<ReviewError>,
}

/// Tries an answer. `home` is the project from which the workspace was copied.
pub fn proposal(
    workspace: &mut FixWorkspace,
    home: &Path,
    terms: &PatchTerms,
    answer: Result<PatchInput, NoPatch>,
) -> TriedProposal {
    let mut failure = None;
    let (proposal, patch) = match answer {
        Ok(input) => match fitting(workspace, &input, terms) {
            Ok((_, prepared)) if prepared.plan.changes.is_empty() => (Proposal::Nothing, None),
            Ok((made, prepared)) => match unseen(workspace, home, made.clone()) {
                Ok(faults) if faults.is_empty() => (Proposal::Fits { tree: made.id }, Some(prepared.patch)),
                Ok(faults) => (Proposal::Unfit(faults), None),
                Err(error) => {
                    let why = Unjudged::new(Cause::Unavailable, format!("it could not be tried: {error}"));
                    failure = Some(error);
                    (Proposal::Untried(why), Some(prepared.patch))
                }
            },
            Err(faults) => (Proposal::Unfit(faults), None),
        },
        Err(NoPatch::Nothing) => (Proposal::Nothing, None),
        Err(NoPatch::Unreadable(faults)) => (Proposal::Unfit(faults), None),
        Err(NoPatch::Unavailable(why)) => (Proposal::Unavailable(why), None),
    };
    TriedProposal { proposal, patch, failure }
}

/// Tries a patch on the state that is checked out.
///
/// # Errors
///
/// Returns the faults of the patch.
pub fn fitting(
    workspace: &FixWorkspace,
    input: &PatchInput,
    terms: &PatchTerms,
) -> Result<(PatchedState, PreparedPatch), Vec<String>> {
    match check(&workspace.path(), terms, input) {
        Ok(prepared) => Ok((workspace.made(&prepared.plan.changes, &prepared.tree), prepared)),
        Err(PatchError::Unfit(faults)) => Err(faults.iter().map(ToString::to_string).collect()),
        Err(error) => Err(vec![error.to_string()]),
    }
}

/// Lists the files that git would ignore. No gate sees such files, so they would not be judged.
fn unseen(workspace: &mut FixWorkspace, home: &Path, made: PatchedState) -> Result<Vec<String>, ReviewError> {
    workspace.try_out(made, |copy| {
        let repository = WorkTree::copy(&copy.path(), home).repository()?;
        let listed: BTreeSet<String> = review::paths_of(&copy.path(), repository.as_ref())?.into_iter().collect();
        let fault = |path: &String| format!("git would ignore {path}, so no gate or judge would see it");
        Ok(copy.files().difference(&listed).map(fault).collect())
    })?
}
