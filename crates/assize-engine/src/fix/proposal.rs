//! What a fixer answers, tried on the state that is laid out: a patch that fits, or what is wrong with it.
//!
//! A fix and the making of candidates take an answer in alike. This module must not know what was asked, or why.

use std::collections::BTreeSet;
use std::path::Path;

use assize_core::fix::rounds::Proposal;
use assize_core::patch::{Handed, Patch};

use super::desk::{Desk, Made};
use crate::court::review::{self, ReviewError};
use crate::fixer::NoPatch;
use crate::ground::Ground;
use crate::patch::{PatchError, PatchTerms, Prepared, check};

/// Takes in what a fixer answers. `home` is the project that the desk has a copy of.
///
/// # Errors
///
/// Fails when the state cannot be laid out or looked at.
pub fn proposal(
    desk: &mut Desk,
    home: &Path,
    terms: &PatchTerms,
    answer: Result<Handed, NoPatch>,
) -> Result<(Proposal, Option<Patch>), ReviewError> {
    Ok(match answer {
        Ok(handed) => match fitting(desk, &handed, terms) {
            Ok((_, prepared)) if prepared.plan.changes.is_empty() => (Proposal::Nothing, None),
            Ok((made, prepared)) => match unseen(desk, home, made.clone())? {
                faults if faults.is_empty() => (Proposal::Fits { tree: made.id }, Some(prepared.patch)),
                faults => (Proposal::Unfit(faults), None),
            },
            Err(faults) => (Proposal::Unfit(faults), None),
        },
        Err(NoPatch::Nothing) => (Proposal::Nothing, None),
        Err(NoPatch::Unreadable(faults)) => (Proposal::Unfit(faults), None),
        Err(NoPatch::Unavailable(why)) => (Proposal::Unavailable(why), None),
    })
}

/// Tries a patch on the state that is laid out.
///
/// # Errors
///
/// Says what is wrong with it.
pub fn fitting(desk: &Desk, handed: &Handed, terms: &PatchTerms) -> Result<(Made, Prepared), Vec<String>> {
    match check(&desk.path(), terms, handed) {
        Ok(prepared) => Ok((desk.made(&prepared.plan.changes, &prepared.tree), prepared)),
        Err(PatchError::Unfit(faults)) => Err(faults.iter().map(ToString::to_string).collect()),
        Err(error) => Err(vec![error.to_string()]),
    }
}

/// Lists files of a tree that git would ignore: no gate sees them, so that nobody would judge what is written.
fn unseen(desk: &mut Desk, home: &Path, made: Made) -> Result<Vec<String>, ReviewError> {
    desk.try_out(made, |copy| {
        let repository = Ground::copy(&copy.path(), home).repository()?;
        let listed: BTreeSet<String> = review::paths_of(&copy.path(), repository.as_ref())?.into_iter().collect();
        let fault = |path: &String| format!("{path} would be ignored by git, and nobody would judge it");
        Ok(copy.files().difference(&listed).map(fault).collect())
    })?
}
