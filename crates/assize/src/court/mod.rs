//! The courts, one file each, named by the id under which the ledger records them.
//!
//! A court says here how its events are shown and how a ruling is made again from the record. To add one: write the file
//! with a type that implements [`Court`], and add it to `courts!` below. This module knows no command.

use assize_core::opinion::Opinion;
use assize_core::ruling::{Cause, Outcome};
use assize_core::verdict::{Verdict, read};
use assize_ledger::event::LedgerEvent;

use crate::exit::Result;

/// Declares the courts: their modules and the list of them.
macro_rules! courts {
    ($($module:ident::$court:ident,)*) => {
        $(pub mod $module;)*

        /// Every court.
        pub static COURTS: &[&dyn Court] = &[$(&$module::$court),*];
    };
}

courts! {
    stop::Stop,
    review::Review,
    fix::Fix,
    tournament::Tournament,
    market::Market,
    eval::Eval,
}

/// Reads the events of a case that stand before a ruling.
pub type Before<'a> = &'a dyn Fn() -> Result<Vec<LedgerEvent>>;

/// One court, as far as the ledger knows it. Every function returns `None` for an event of another court.
pub trait Court: Sync {
    /// The id under which the ledger records its cases; also the name of the file.
    fn id(&self) -> &'static str;

    /// Sums an event up on one line.
    fn line(&self, event: &LedgerEvent) -> Option<String>;

    /// Shows a ruling in full to a person; `None` also for an event of which there is no more to show.
    fn human(&self, _event: &LedgerEvent) -> Option<String> {
        None
    }

    /// Shows a ruling in full as Markdown; `None` also for an event that has no such form.
    fn markdown(&self, _event: &LedgerEvent) -> Option<String> {
        None
    }

    /// Makes a ruling again from what was recorded, without any model; `None` also for an event that is no ruling.
    fn again(&self, _event: &LedgerEvent, _before: Before<'_>) -> Option<Result<Again>> {
        None
    }
}

/// Returns the ids of all courts.
pub fn ids() -> Vec<&'static str> {
    COURTS.iter().map(|court| court.id()).collect()
}

/// Sums an event up on one line.
pub fn line(event: &LedgerEvent) -> String {
    let line = COURTS.iter().find_map(|court| court.line(event));
    line.unwrap_or_else(|| match event {
        LedgerEvent::Unknown => "an event of a later version of Assize".to_owned(),
        known => known.kind().to_owned(),
    })
}

/// What a ruling comes out as when it is made again.
pub struct Again {
    /// The outcome.
    pub outcome: Outcome,
    /// In what it differs from the record.
    pub differences: Vec<String>,
}

/// Reads every recorded reply again, and says which of them reads differently.
fn read_again<V: Verdict + PartialEq>(opinions: &mut [Opinion<V>]) -> Vec<String> {
    let mut differences = Vec::new();
    for opinion in opinions {
        let Some(reply) = &opinion.reply else { continue };
        let read = read::<V>(reply, &[]);
        // That a verdict was planted shows only beside the judged material, which is not recorded.
        let planted = matches!(&opinion.verdict, Err(unjudged) if unjudged.cause == Cause::Forged);
        if !planted && read != opinion.verdict {
            differences.push(format!("the reply of {} reads differently", opinion.judge.id));
            opinion.verdict = read;
        }
    }
    differences
}

fn changed_outcome(was: Outcome, is: Outcome) -> String {
    if was == is {
        format!("the ruling is {is} again, for other reasons")
    } else {
        format!("the ruling was {was} and is now {is}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_court_has_an_id_of_its_own() {
        let mut ids: Vec<&str> = COURTS.iter().map(|court| court.id()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), COURTS.len());
    }

    #[test]
    fn an_event_that_no_court_knows_still_has_a_line() {
        assert_eq!(line(&LedgerEvent::Unknown), "an event of a later version of Assize");
    }
}
