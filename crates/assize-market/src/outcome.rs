//! What a run of the market comes to for each bidder.
//!
//! One round is held; where its winner fails, one more, in which the failed bidder has to bring something new. What became of everybody is
//! told in events, one each, in the order in which it happened. How rounds are held must not be known here.

use super::event::{MarketMetrics, MarketOutcome};
use crate::reputation::{Deltas, accuracy};

/// How alike two bids are at which the second is the same again: what changed then is no other plan.
pub const SAME_BID_LIKENESS: f64 = 0.9;

/// What a round came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RoundResult {
    /// Whose bids took part.
    pub bidders: Vec<String>,
    /// Who handed in the bid again that had failed, which takes no part.
    pub resubmitted: Vec<String>,
    /// The bid that was implemented; `None` where none was good enough.
    pub implemented: Option<Implemented>,
}

/// What became of the bid that was implemented.
#[derive(Debug, Clone, PartialEq)]
pub struct Implemented {
    /// Whose it was.
    pub bidder: String,
    /// Whether everything that was checked passed.
    pub passed: bool,
    /// How good the bid was found to be.
    pub proposal_score: f64,
    /// How good the implementation was found to be; `None` where it came to nothing that could be scored.
    pub implementation_score: Option<f64>,
    /// How probable the bidder had called its success.
    pub stated_probability: f64,
    /// Iterations that it took.
    pub iterations: u32,
    /// What it came to.
    pub metrics: MarketMetrics,
}

/// What became of one bidder, to be told as an event.
#[derive(Debug, Clone, PartialEq)]
pub struct BidderOutcome {
    /// The bidder.
    pub bidder: String,
    /// What became of it.
    pub outcome: MarketOutcome,
    /// What that adds to its weight.
    pub weight_delta: f64,
    /// What its bid became, where it was implemented.
    pub implemented: Option<Implemented>,
    /// How near the bid's score came to that of the implementation.
    pub accuracy: Option<f64>,
}

/// Returns the outcome of a round for each bidder. `before` is the round that failed before it, where there was one.
///
/// Where the first round passes, the winner gains, and every other bidder whose bid took part loses a little. Where it
/// fails, only the winner loses. The second round has rules of its own. Where it passes, its winner gains, and no
/// bidder loses for not being selected. Where it fails, its winner loses, and loses more if it was the one that had
/// failed before; then every bidder loses.
pub fn outcomes(round: &RoundResult, before: Option<&RoundResult>, deltas: &Deltas) -> Vec<BidderOutcome> {
    let simply = |bidder: &String, outcome| BidderOutcome {
        bidder: bidder.clone(),
        outcome,
        weight_delta: deltas.of(outcome, None, false),
        implemented: None,
        accuracy: None,
    };
    let mut all: Vec<BidderOutcome> =
        round.resubmitted.iter().map(|bidder| simply(bidder, MarketOutcome::Resubmitted)).collect();
    let Some(implemented) = &round.implemented else { return all };
    let outcome = match (before.is_some(), implemented.passed) {
        (false, true) => MarketOutcome::RankedFirstSuccess,
        (false, false) => MarketOutcome::RankedFirstFailure,
        (true, true) => MarketOutcome::ReplanSuccess,
        (true, false) => MarketOutcome::ReplanFailure,
    };
    let failed_before = before.and_then(|before| before.implemented.as_ref());
    let again = failed_before.is_some_and(|failed| failed.bidder == implemented.bidder);
    let accuracy = implemented.implementation_score.map(|score| accuracy(implemented.proposal_score, score));
    all.push(BidderOutcome {
        bidder: implemented.bidder.clone(),
        outcome,
        weight_delta: deltas.of(outcome, accuracy, again),
        implemented: Some(implemented.clone()),
        accuracy,
    });
    match outcome {
        MarketOutcome::RankedFirstSuccess => {
            let others = round.bidders.iter().filter(|bidder| **bidder != implemented.bidder);
            all.extend(others.map(|bidder| simply(bidder, MarketOutcome::NotSelected)));
        }
        MarketOutcome::ReplanFailure => {
            // Who was there before and dropped out has failed with the others.
            let mut everybody: Vec<&String> = before.iter().flat_map(|before| &before.bidders).collect();
            everybody.extend(round.bidders.iter().chain(&round.resubmitted));
            everybody.sort();
            everybody.dedup();
            all.extend(everybody.into_iter().map(|bidder| simply(bidder, MarketOutcome::CollectiveFailure)));
        }
        _ => {}
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(bidders: &[&str], winner: &str, passed: bool) -> RoundResult {
        RoundResult {
            bidders: bidders.iter().map(|name| (*name).to_owned()).collect(),
            resubmitted: Vec::new(),
            implemented: Some(Implemented {
                bidder: winner.to_owned(),
                passed,
                proposal_score: 0.87,
                implementation_score: Some(0.85),
                stated_probability: 0.9,
                iterations: 2,
                metrics: MarketMetrics::default(),
            }),
        }
    }

    fn told(round: &RoundResult, before: Option<&RoundResult>) -> Vec<(String, &'static str, i64)> {
        let percent = |delta: f64| (delta * 100.0).round() as i64;
        let outcomes = outcomes(round, before, &Deltas::default());
        outcomes.into_iter().map(|told| (told.bidder, told.outcome.id(), percent(told.weight_delta))).collect()
    }

    fn as_told(wanted: &[(&str, &'static str, i64)]) -> Vec<(String, &'static str, i64)> {
        wanted.iter().map(|(bidder, outcome, percent)| ((*bidder).to_owned(), *outcome, *percent)).collect()
    }

    #[test]
    fn a_success_is_the_winners_and_costs_the_others_a_little() {
        let first = round(&["a", "b", "c"], "b", true);
        let wanted = [("b", "ranked_first_success", 15), ("a", "not_selected", -2), ("c", "not_selected", -2)];
        assert_eq!(told(&first, None), as_told(&wanted));
        let accuracy = outcomes(&first, None, &Deltas::default())[0].accuracy.expect("implemented");
        assert!((accuracy - 0.98).abs() < 1e-12);
    }

    #[test]
    fn a_failure_is_the_winners_alone_and_the_next_round_stands_by_itself() {
        let first = round(&["a", "b"], "a", false);
        assert_eq!(told(&first, None), as_told(&[("a", "ranked_first_failure", -15)]));
        let second = round(&["a", "b"], "b", true);
        assert_eq!(told(&second, Some(&first)), as_told(&[("b", "replan_success", 12)]));
    }

    #[test]
    fn who_fails_twice_loses_more_and_everybody_loses() {
        let first = round(&["a", "b", "c"], "a", false);
        let twice = round(&["a", "b"], "a", false);
        let everybody =
            [("a", "collective_failure", -5), ("b", "collective_failure", -5), ("c", "collective_failure", -5)];
        let mut wanted = as_told(&[("a", "replan_failure", -20)]);
        wanted.extend(as_told(&everybody));
        assert_eq!(told(&twice, Some(&first)), wanted);
        let other = round(&["a", "b"], "b", false);
        assert_eq!(told(&other, Some(&first))[0], ("b".to_owned(), "replan_failure", -15));
    }

    #[test]
    fn the_same_bid_again_costs_and_takes_no_part() {
        let first = round(&["a", "b"], "a", false);
        let second = RoundResult { resubmitted: vec!["a".to_owned()], ..round(&["b"], "b", true) };
        assert_eq!(told(&second, Some(&first)), as_told(&[("a", "resubmitted", -5), ("b", "replan_success", 12)]));
        let nobody = RoundResult { implemented: None, ..second };
        assert_eq!(told(&nobody, Some(&first)), as_told(&[("a", "resubmitted", -5)]));
    }
}
