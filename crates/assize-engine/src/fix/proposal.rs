//! What a fixer answers, tried on the state that is laid out: a patch that fits, or what is wrong with it.
//!
//! A fix and the making of candidates take an answer in alike. This module must not know what was asked, or why.

use std::collections::BTreeSet;
use std::path::Path;

use assize_core::fix::rounds::Proposal;
use assize_core::patch::{Handed, Patch};
use assize_core::ruling::{Cause, Unjudged};

use super::desk::{Desk, Made};
use crate::court::review::{self, ReviewError};
use crate::fixer::NoPatch;
use crate::ground::Ground;
use crate::patch::{PatchError, PatchTerms, Prepared, check};

/// What came of trying an answer.
pub struct Tried {
    /// What it proposes.
    pub proposal: Proposal,
    /// Its patch, where that fits or could not be tried.
    pub patch: Option<Patch>,
    /// Why it could not be tried. The answer is paid for: it has to be kept before anybody gives up.
    pub failure: Option<ReviewError>,
}

/// Takes in what a fixer answers. `home` is the project that the desk has a copy of.
pub fn proposal(desk: &mut Desk, home: &Path, terms: &PatchTerms, answer: Result<Handed, NoPatch>) -> Tried {
    let mut failure = None;
    let (proposal, patch) = match answer {
        Ok(handed) => match fitting(desk, &handed, terms) {
            Ok((_, prepared)) if prepared.plan.changes.is_empty() => (Proposal::Nothing, None),
            Ok((made, prepared)) => match unseen(desk, home, made.clone()) {
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
    Tried { proposal, patch, failure }
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
