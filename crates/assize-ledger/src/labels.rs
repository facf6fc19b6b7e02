//! What people said of the stop court's blocks, read off the ledger.
//!
//! `assize ledger mark` says it outright. `assize: accept` after a block, a pause right after one, and an approval of a finding
//! say that the block was wrong.

use std::collections::BTreeMap;

use assize_core::opinion::Opinion;
use assize_stop::calibration::{Answer, BlockSample};
use assize_stop::court::{Disposition, StopRecord};
use assize_stop::verdict::StopVerdict;

use crate::event::LedgerEvent;

/// What people said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopLabels {
    /// The blocks, oldest first.
    pub blocks: Vec<BlockSample>,
    /// How many acceptances a person called wrong.
    pub missed: u64,
}

/// A ruling that people may speak of.
struct LabelledRuling {
    session: String,
    /// The rules and judges that blocked, with what a person said of each; none where the stop was allowed.
    sources: Vec<(String, Option<Answer>)>,
    /// What a person said of the acceptance.
    of_acceptance: Option<Answer>,
}

/// Reads labels off entries, oldest first: their numbers, sessions and events.
pub fn labels<'a>(entries: impl IntoIterator<Item = (u64, &'a str, &'a LedgerEvent)>) -> StopLabels {
    let mut rulings: BTreeMap<u64, LabelledRuling> = BTreeMap::new();
    // The latest block of each session, and the one that nothing has followed.
    let mut latest: BTreeMap<&str, u64> = BTreeMap::new();
    let mut just_before = None;
    for (number, session, event) in entries {
        let before = just_before.take();
        match event {
            LedgerEvent::StopRuled(record) => {
                let sources = blocked_by(record);
                if !sources.is_empty() {
                    latest.insert(session, number);
                    just_before = Some(number);
                }
                rulings.insert(number, LabelledRuling { session: session.to_owned(), sources, of_acceptance: None });
            }
            LedgerEvent::Prompted { overrules: true, .. } => {
                answer(&mut rulings, latest.remove(session), Answer::Wrong, None);
            }
            LedgerEvent::Paused { .. } => answer(&mut rulings, before, Answer::Wrong, None),
            LedgerEvent::Approved { approval } => {
                answer(&mut rulings, latest.values().max().copied(), Answer::Wrong, Some(&approval.rule));
            }
            LedgerEvent::Marked { entry, answer: said } => answer(&mut rulings, Some(*entry), *said, None),
            _ => {}
        }
    }
    let missed = rulings.values().filter(|ruling| ruling.of_acceptance == Some(Answer::Wrong)).count() as u64;
    let blocks = rulings.into_values().flat_map(|LabelledRuling { session, sources, .. }| {
        sources.into_iter().map(move |(source, answer)| BlockSample { source, session: session.clone(), answer })
    });
    StopLabels { blocks: blocks.collect(), missed }
}

/// Notes what a person said of a ruling; of one of its rules alone, where one is named.
fn answer(rulings: &mut BTreeMap<u64, LabelledRuling>, number: Option<u64>, said: Answer, rule: Option<&str>) {
    let Some(ruling) = number.and_then(|number| rulings.get_mut(&number)) else { return };
    if ruling.sources.is_empty() {
        ruling.of_acceptance = Some(said);
    }
    for (source, answer) in &mut ruling.sources {
        if rule.is_none_or(|rule| rule == source) {
            *answer = Some(said);
        }
    }
}

/// The rules and judges that blocked an agent. Rules that found something for sure come before what a judge thinks.
fn blocked_by(record: &StopRecord) -> Vec<(String, Option<Answer>)> {
    if !matches!(record.decision.disposition, Disposition::Block { .. }) {
        return Vec::new();
    }
    let mut sources: Vec<String> = record.blocking_rules().map(str::to_owned).collect();
    if sources.is_empty() {
        let against = |opinion: &&Opinion<StopVerdict>| opinion.verdict.as_ref().is_ok_and(|verdict| !verdict.pass);
        let judges = record.inputs.opinions.iter().filter(against);
        sources = judges.map(|opinion| format!("judge {}", opinion.judge.id)).collect();
    }
    sources.sort();
    sources.dedup();
    sources.into_iter().map(|source| (source, None)).collect()
}
