//! The data-set court in the ledger.

use assize_eval::court::COURT;
use assize_ledger::event::LedgerEvent;

use super::Court;
use crate::render;

/// The court that judges records.
pub struct Eval;

impl Court for Eval {
    fn id(&self) -> &'static str {
        COURT
    }

    fn line(&self, event: &LedgerEvent) -> Option<String> {
        Some(match event {
            LedgerEvent::EvalRuled(record) => format!("{}  {}", render::outcome(record.outcome), record.headline()),
            LedgerEvent::EvalCorrected(record) => format!("{}  {}", render::outcome(record.outcome), record.headline()),
            _ => return None,
        })
    }
}
