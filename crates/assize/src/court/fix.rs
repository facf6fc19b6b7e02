//! Fixes in the ledger: the review court, round by round.

use assize_core::ruling::Outcome;
use assize_core::text::quote;
use assize_ledger::event::LedgerEvent;
use assize_review::fix::record::FixEnd;
use assize_review::fix::rounds::{FixEffect, Rounds};

use super::{Again, Before, Court, review};
use crate::exit::{Failure, Result};
use crate::render;

/// The id of the court.
pub use assize_review::fix::envelope::COURT as ID;

/// The review court, over the rounds of a fix.
pub struct Fix;

impl Court for Fix {
    fn id(&self) -> &'static str {
        ID
    }

    fn line(&self, event: &LedgerEvent) -> Option<String> {
        Some(match event {
            LedgerEvent::FixStarted(start) => format!("fix began  {}", quote(start.case.specification.inspect())),
            LedgerEvent::FixStepped(step) => render::fix::step_line(step),
            LedgerEvent::FixEnded(end) => {
                let kept = if end.written { "written into the tree" } else { "nothing written" };
                format!("{}  {}; {kept}", render::outcome(end.outcome), end.ending.sentence())
            }
            LedgerEvent::PatchIntended { patch, .. } => format!("patch to be applied  {} operations", patch.ops.len()),
            LedgerEvent::PatchApplied { patch, .. } => format!("patch applied  {} operations", patch.ops.len()),
            _ => return None,
        })
    }

    fn human(&self, event: &LedgerEvent) -> Option<String> {
        let LedgerEvent::FixStepped(step) = event else { return None };
        step.review.as_deref().map(render::review::human)
    }

    fn again(&self, event: &LedgerEvent, before: Before<'_>) -> Option<Result<Again>> {
        match event {
            LedgerEvent::FixStepped(step) => step.review.as_ref().map(|record| Ok(review::again(record))),
            LedgerEvent::FixEnded(end) => Some(before().and_then(|before| again(end, &before))),
            _ => None,
        }
    }
}

/// Goes through the recorded steps of a fix once more.
fn again(end: &FixEnd, before: &[LedgerEvent]) -> Result<Again> {
    let start = before.iter().find_map(|event| if let LedgerEvent::FixStarted(start) = event { Some(start) } else { None });
    let start = start.ok_or_else(|| Failure::new("the beginning of this fix is not in the ledger"))?;
    let (mut rounds, mut effect) = Rounds::begin(start.policy, start.fixer.is_some(), start.tree.clone());
    for event in before {
        if let LedgerEvent::FixStepped(step) = event {
            effect = rounds.step(step.event.clone());
        }
    }
    let mut differences = Vec::new();
    // A limit may have ended what went on after its fixer could not be asked.
    if ![effect, rounds.retry()].contains(&FixEffect::End(end.ending.clone())) {
        differences.push(format!("it does not end because {}", end.ending.sentence()));
    }
    if rounds.best() != end.best {
        differences.push(format!("state {} is best, not {}", rounds.best(), end.best));
    }
    let outcome = rounds.judged(rounds.best()).map_or(Outcome::Unjudged, |judged| judged.ranking_key.ruling);
    if outcome != end.outcome {
        differences.push(format!("the outcome is {outcome}, not {}", end.outcome));
    }
    Ok(Again { outcome, differences })
}
