//! Tournaments in the ledger.

use assize_core::text::quote;
use assize_ledger::event::LedgerEvent;
use assize_review::fix::policy::FixPolicy;
use assize_review::tournament::generation::{Generation, GenerationStep};
use assize_review::tournament::{TournamentRecord, rank};

use super::{Again, Before, Court};
use crate::exit::Result;
use crate::render;

/// The id of the court.
pub use assize_review::tournament::envelope::COURT as ID;

/// The court that ranks candidates.
pub struct Tournament;

impl Court for Tournament {
    fn id(&self) -> &'static str {
        ID
    }

    fn line(&self, event: &LedgerEvent) -> Option<String> {
        Some(match event {
            LedgerEvent::TournamentStarted(start) => format!(
                "tournament began  {} candidates asked for  {}",
                start.asked_for,
                quote(start.specification.inspect())
            ),
            LedgerEvent::TournamentStepped(step) => render::tournament::step_line(step),
            LedgerEvent::TournamentRuled(record) => {
                let headline = render::tournament::headline(record);
                format!("{}  {}", render::outcome(record.ranking.outcome), quote(&headline))
            }
            _ => return None,
        })
    }

    fn human(&self, event: &LedgerEvent) -> Option<String> {
        let LedgerEvent::TournamentRuled(record) = event else { return None };
        Some(render::tournament::human(record))
    }

    fn again(&self, event: &LedgerEvent, before: Before<'_>) -> Option<Result<Again>> {
        let LedgerEvent::TournamentRuled(record) = event else { return None };
        Some(before().map(|before| again(record, before)))
    }
}

/// Returns the request to a fixer that an event records.
pub fn step_of(event: LedgerEvent) -> Option<GenerationStep> {
    match event {
        LedgerEvent::TournamentStepped(step) => Some(*step),
        _ => None,
    }
}

/// Says in what the candidates that a fixer made are others than its recorded answers come to.
fn generated_again(record: &TournamentRecord, before: Vec<LedgerEvent>) -> Vec<String> {
    let Some(generated) = &record.generated else { return Vec::new() };
    let steps: Vec<GenerationStep> = before.into_iter().filter_map(step_of).collect();
    let handed_in = record.inputs.candidates.len().saturating_sub(generated.made);
    // What was asked for in the end says the record; a limit ends nothing here.
    let policy = FixPolicy { time_s_max: u64::MAX, cost_usd_max: None, ..FixPolicy::default() };
    let (again, patches) = Generation::begin(policy, generated.asked_for, &steps).end(handed_in);
    let mut differences = Vec::new();
    for (attempt, again) in generated.attempts.iter().zip(&again.attempts) {
        let patch = patches.iter().find(|(number, _)| *number == attempt.number).map(|(_, patch)| patch);
        let judged = attempt.index.and_then(|index| record.inputs.candidates.get(index)?.patch.as_ref());
        if attempt.index != again.index || judged.is_some_and(|judged| Some(judged) != patch) {
            differences.push(format!("candidate {} is another one than the fixer made", attempt.number));
        } else if attempt.costs.requests != again.costs.requests {
            let (requests, told) = (again.costs.requests, attempt.costs.requests);
            differences.push(format!("candidate {} was asked for {requests} times, not {told}", attempt.number));
        }
    }
    differences
}

fn again(record: &TournamentRecord, before: Vec<LedgerEvent>) -> Again {
    let ranking = rank(&record.inputs);
    let mut differences = Vec::new();
    if ranking.winner_index != record.ranking.winner_index {
        let name = |index: Option<usize>| index.map_or("none".to_owned(), |index| format!("candidate {index}"));
        differences.push(format!("{} wins, not {}", name(ranking.winner_index), name(record.ranking.winner_index)));
    } else if ranking != record.ranking {
        differences.push("the order of the candidates is another one".to_owned());
    }
    differences.extend(generated_again(record, before));
    Again { outcome: ranking.outcome, differences }
}
