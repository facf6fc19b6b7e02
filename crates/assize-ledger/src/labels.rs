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
    /// How many blocks a person called right.
    pub caught: u64,
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
    // The block of each session that no ruling has followed, and whether a prompt was to let its state pass.
    let mut open: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
    let mut just_before = None;
    for (number, session, event) in entries {
        let before = just_before.take();
        match event {
            LedgerEvent::StopRuled(record) => {
                let sources = blocked_by(record);
                let followed = open.remove(session);
                if sources.is_empty() {
                    // The court let the state pass, so that the prompt was a person's.
                    let overruled = followed.filter(|(_, passes)| *passes).map(|(block, _)| block);
                    answer(&mut rulings, overruled, Answer::Wrong, None);
                } else {
                    open.insert(session, (number, false));
                    just_before = Some(number);
                }
                rulings.insert(number, LabelledRuling { session: session.to_owned(), sources, of_acceptance: None });
            }
            LedgerEvent::Prompted { overrules: true, .. } => {
                if let Some((_, passes)) = open.get_mut(session) {
                    *passes = true;
                }
            }
            LedgerEvent::Paused { .. } => answer(&mut rulings, before, Answer::Wrong, None),
            LedgerEvent::Approved { approval, entry } => {
                answer(&mut rulings, Some(*entry), Answer::Wrong, Some(&approval.rule));
            }
            LedgerEvent::Marked { entry, answer: said } => answer(&mut rulings, Some(*entry), *said, None),
            _ => {}
        }
    }
    let missed = rulings.values().filter(|ruling| ruling.of_acceptance == Some(Answer::Wrong)).count() as u64;
    let is_right = |ruling: &&LabelledRuling| ruling.sources.iter().any(|(_, answer)| *answer == Some(Answer::Right));
    let caught = rulings.values().filter(is_right).count() as u64;
    let blocks = rulings.into_values().flat_map(|LabelledRuling { session, sources, .. }| {
        sources.into_iter().map(move |(source, answer)| BlockSample { source, session: session.clone(), answer })
    });
    StopLabels { blocks: blocks.collect(), caught, missed }
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

#[cfg(test)]
mod tests {
    use assize_core::finding::{Certainty, Finding, Severity};
    use assize_stop::court::{EvidenceSummary, StopCase, StopInputs};
    use assize_stop::session::SessionState;

    use super::*;

    fn ruled(rules: &[&str]) -> LedgerEvent {
        let finding = |rule: &&str| Finding::general(rule, Severity::Error, Certainty::Certain, "x");
        let mut inputs = StopInputs::without_evidence(StopCase::default());
        inputs.evidence = Some(EvidenceSummary::default());
        inputs.findings = rules.iter().map(finding).collect();
        let asked = assize_stop::directive::Directive::from_prompt("Add it", 1, Vec::new()).expect("a user's words");
        let session = SessionState { active: vec![asked], ..SessionState::default() };
        LedgerEvent::StopRuled(Box::new(StopRecord::of(inputs, &session)))
    }

    fn lets_pass() -> LedgerEvent {
        LedgerEvent::Prompted {
            agent: String::new(),
            prompt_id: String::new(),
            directive: None,
            overrules: true,
            baseline: None,
            transcript: None,
        }
    }

    fn read(events: &[(&str, LedgerEvent)]) -> (Vec<(String, Option<Answer>)>, u64, u64) {
        let numbered = events.iter().zip(1..).map(|((session, event), number)| (number, *session, event));
        let seen = labels(numbered);
        (seen.blocks.into_iter().map(|block| (block.source, block.answer)).collect(), seen.caught, seen.missed)
    }

    #[test]
    fn people_speak_of_a_block_in_several_ways() {
        let (right, wrong) = (Some(Answer::Right), Some(Answer::Wrong));
        let mark = |entry, answer| ("-", LedgerEvent::Marked { entry, answer });
        let a = |answer| vec![("a".to_owned(), answer)];
        assert_eq!(read(&[("s", ruled(&["a"]))]), (a(None), 0, 0));
        assert_eq!(read(&[("s", ruled(&["a"])), mark(1, Answer::Right)]), (a(right), 1, 0));
        assert_eq!(read(&[("s", ruled(&["a"])), ("s", lets_pass()), ("s", ruled(&[]))]), (a(wrong), 0, 0));
        assert_eq!(read(&[("s", ruled(&["a"])), ("-", LedgerEvent::Paused { until_ms: None })]), (a(wrong), 0, 0));
        assert_eq!(read(&[("s", ruled(&[])), mark(1, Answer::Wrong)]), (Vec::new(), 0, 1));
    }

    #[test]
    fn what_says_nothing_of_a_block_is_no_answer() {
        let a = |answer| vec![("a".to_owned(), answer)];
        // A prompt that the court did not believe, one after the fault was fixed, and a pause later on.
        let unbelieved = read(&[("s", ruled(&["a"])), ("s", lets_pass()), ("s", ruled(&["a"]))]);
        assert_eq!(unbelieved.0, [a(None), a(None)].concat());
        assert_eq!(read(&[("s", ruled(&["a"])), ("s", ruled(&[])), ("s", lets_pass()), ("s", ruled(&[]))]).0, a(None));
        let paused = ("-", LedgerEvent::Paused { until_ms: None });
        assert_eq!(read(&[("s", ruled(&["a"])), ("t", ruled(&[])), paused]).0, a(None));
        let two = read(&[("s", ruled(&["a", "b"])), ("-", LedgerEvent::Marked { entry: 1, answer: Answer::Right })]);
        assert_eq!(two.1, 1, "one stop was caught, by two rules");
    }
}
