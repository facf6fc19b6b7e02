//! The review court in the ledger.

use assize_core::text::quote;
use assize_ledger::event::LedgerEvent;
use assize_review::court::{ReviewRecord, decide};

use super::{Again, Before, Court, changed_outcome, read_again};
use crate::exit::Result;
use crate::render::{self, comment};

/// The id of the court.
pub const ID: &str = "review";

/// The review court.
pub struct Review;

impl Court for Review {
    fn id(&self) -> &'static str {
        ID
    }

    fn line(&self, event: &LedgerEvent) -> Option<String> {
        let LedgerEvent::ReviewRuled(record) = event else { return None };
        let ruling = &record.ruling;
        let why = match (&ruling.verdict, &ruling.unjudged) {
            (Some(verdict), _) => verdict.explanations.root_cause.clone(),
            (None, Some(unjudged)) => unjudged.to_string(),
            (None, None) => String::new(),
        };
        Some(format!("{}  {}", render::outcome(ruling.outcome), quote(&why)))
    }

    fn human(&self, event: &LedgerEvent) -> Option<String> {
        let LedgerEvent::ReviewRuled(record) = event else { return None };
        Some(render::review::human(record))
    }

    fn markdown(&self, event: &LedgerEvent) -> Option<String> {
        let LedgerEvent::ReviewRuled(record) = event else { return None };
        Some(comment::review(record))
    }

    fn again(&self, event: &LedgerEvent, _before: Before<'_>) -> Option<Result<Again>> {
        let LedgerEvent::ReviewRuled(record) = event else { return None };
        Some(Ok(again(record)))
    }
}

/// Makes a ruling again out of its inputs, with every reply read once more.
pub fn again(record: &ReviewRecord) -> Again {
    let mut inputs = record.inputs.clone();
    let mut differences = read_again(&mut inputs.opinions);
    let ruling = decide(&inputs);
    if ruling != record.ruling {
        differences.push(changed_outcome(record.ruling.outcome, ruling.outcome));
    }
    Again { outcome: ruling.outcome, differences }
}
