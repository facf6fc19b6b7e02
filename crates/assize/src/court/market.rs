//! Runs of the market in the ledger.

use assize_core::text::quote;
use assize_ledger::event::LedgerEvent;
use assize_market::envelope::COURT;

use super::Court;
use crate::render;

/// The court that ranks bids.
pub struct Market;

impl Court for Market {
    fn id(&self) -> &'static str {
        COURT
    }

    fn line(&self, event: &LedgerEvent) -> Option<String> {
        Some(match event {
            LedgerEvent::MarketStarted(start) => format!("market began  {} on {}", start.source, start.branch),
            LedgerEvent::MarketStepped(step) => render::market::run::step_line(step),
            LedgerEvent::MarketEnded(ending) => {
                format!("{}  {}", render::outcome(ending.outcome()), quote(&ending.sentence()))
            }
            _ => return None,
        })
    }
}
