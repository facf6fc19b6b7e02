//! How reliable each bidder is: its weight and its Brier score, computed from the history of events.
//!
//! Nothing is kept but the events. Their order is their own, not that in which they arrive, and what stands there twice counts once, so
//! that every machine which has the same files finds the same weights. A bidder is judged twice: by its weight, which the
//! deltas of the market move, and by its Brier score, which says what its stated probabilities are worth.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::budget::efficiency;
use super::event::{EventPlace, MarketEvent, MarketOutcome};
use super::simplex::project;

/// What outcomes do to a weight.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Deltas {
    /// For the winner whose implementation passed.
    pub success: f64,
    /// For a winner besides whose bid was nearly as good as its implementation.
    pub accuracy_bonus: f64,
    /// How accurate a bid has to be for that; it has to be more.
    pub accuracy_above: f64,
    /// For everybody whose bid was not taken when another one passed.
    pub not_selected: f64,
    /// For the winner whose implementation failed.
    pub failure: f64,
    /// For the winner of the round after a failure whose implementation passed.
    pub replan_success: f64,
    /// For a winner who failed in both rounds.
    pub repeated_failure: f64,
    /// For everybody when both rounds failed.
    pub collective_failure: f64,
    /// For handing in the same bid again after a failure.
    pub resubmitted: f64,
}

impl Default for Deltas {
    fn default() -> Self {
        Self {
            success: 0.10,
            accuracy_bonus: 0.05,
            accuracy_above: 0.85,
            not_selected: -0.02,
            failure: -0.15,
            replan_success: 0.12,
            repeated_failure: -0.20,
            collective_failure: -0.05,
            resubmitted: -0.05,
        }
    }
}

impl Deltas {
    /// Returns what an outcome does to a weight. `accuracy` is that of the bid, where it was implemented; `again` says whether the bidder
    /// had failed in the round before.
    pub fn of(&self, outcome: MarketOutcome, accuracy: Option<f64>, again: bool) -> f64 {
        let bonus =
            if accuracy.is_some_and(|accuracy| accuracy > self.accuracy_above) { self.accuracy_bonus } else { 0.0 };
        match outcome {
            MarketOutcome::RankedFirstSuccess => self.success + bonus,
            MarketOutcome::RankedFirstFailure => self.failure,
            MarketOutcome::NotSelected => self.not_selected,
            MarketOutcome::ReplanSuccess => self.replan_success,
            MarketOutcome::ReplanFailure if again => self.repeated_failure,
            MarketOutcome::ReplanFailure => self.failure,
            MarketOutcome::CollectiveFailure => self.collective_failure,
            MarketOutcome::Resubmitted => self.resubmitted,
        }
    }
}

/// How near a bid's score came to that of its implementation: 1 less their distance.
pub fn accuracy(proposal_score: f64, implementation_score: f64) -> f64 {
    1.0 - (proposal_score - implementation_score).abs()
}

/// How a bidder stands.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BidderReputation {
    /// Its weight.
    pub weight: f64,
    /// Its weight after each event that changed it, the first one before any.
    pub history: Vec<f64>,
    /// Its implementations, and those of them that passed.
    pub implemented: u32,
    /// See there.
    pub succeeded: u32,
    /// Iterations that all of them took.
    pub iterations: u32,
    /// See [`efficiency`].
    pub efficiency: f64,
    /// The mean squared distance of its stated probabilities from what became of its implementations (Brier 1950), from 0 (best) to 1;
    /// `None` where it stated none.
    pub brier: Option<f64>,
    /// How many probabilities that is.
    pub stated: u32,
}

/// One step of the history.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReputationStep {
    /// The event.
    pub event: MarketEvent,
    /// All weights before it, in the order of the bidders' names.
    pub before: Vec<f64>,
    /// All weights after it.
    pub after: Vec<f64>,
}

/// The history, and where it has led.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reputations {
    /// How each bidder stands, by its name.
    pub bidders: BTreeMap<String, BidderReputation>,
    /// Events about bidders that do not take part any more; they change no weight.
    pub others: u64,
}

impl Reputations {
    /// Folds events into the standing of those who take part; whatever order they come in, and however often each of them.
    pub fn of(bidders: &BTreeSet<String>, events: impl IntoIterator<Item = MarketEvent>) -> Self {
        Self::told(bidders, events, &mut |_| {})
    }

    /// Does the same, and tells each step on the way.
    pub fn told(
        bidders: &BTreeSet<String>,
        events: impl IntoIterator<Item = MarketEvent>,
        tell: &mut dyn FnMut(ReputationStep),
    ) -> Self {
        let in_order: BTreeMap<EventPlace, MarketEvent> =
            events.into_iter().map(|event| (event.place(), event)).collect();
        let mut weights = project(&vec![1.0 / bidders.len().max(1) as f64; bidders.len()]);
        let names: Vec<&String> = bidders.iter().collect();
        let begin = |(name, weight): (&&String, &f64)| {
            let reputation =
                BidderReputation { weight: *weight, history: vec![*weight], ..BidderReputation::default() };
            ((*name).clone(), ReputationAccumulator { reputation, squares: 0.0 })
        };
        let mut counted: BTreeMap<String, ReputationAccumulator> = names.iter().zip(&weights).map(begin).collect();
        let mut others = 0;
        for event in in_order.into_values() {
            let Some(at) = names.iter().position(|name| **name == event.bot_id) else {
                others += 1;
                continue;
            };
            let mut changed = weights.clone();
            changed[at] += event.weight_delta;
            let after = project(&changed);
            if let Some(counted) = counted.get_mut(&event.bot_id) {
                counted.see(&event);
            }
            for (name, weight) in names.iter().zip(&after) {
                if let Some(counted) = counted.get_mut(*name) {
                    counted.weigh(*weight);
                }
            }
            let before = std::mem::replace(&mut weights, after.clone());
            tell(ReputationStep { event, before, after });
        }
        let bidders = counted.into_iter().map(|(name, counted)| (name, counted.finish())).collect();
        Self { bidders, others }
    }
}

/// A standing while it is counted.
struct ReputationAccumulator {
    reputation: BidderReputation,
    /// Squared distances of stated probabilities, summed up.
    squares: f64,
}

impl ReputationAccumulator {
    fn see(&mut self, event: &MarketEvent) {
        let reputation = &mut self.reputation;
        let Some(passed) = event.outcome.implemented() else { return };
        reputation.implemented += 1;
        reputation.succeeded += u32::from(passed);
        reputation.iterations = reputation.iterations.saturating_add(event.iteration_count);
        if let Some(probability) = event.stated_probability {
            reputation.stated += 1;
            self.squares += (probability - f64::from(u8::from(passed))).powi(2);
        }
    }

    fn weigh(&mut self, weight: f64) {
        if self.reputation.history.last() != Some(&weight) {
            self.reputation.history.push(weight);
        }
        self.reputation.weight = weight;
    }

    fn finish(mut self) -> BidderReputation {
        let reputation = &mut self.reputation;
        reputation.efficiency = efficiency(reputation.succeeded, reputation.iterations);
        reputation.brier = (reputation.stated > 0).then(|| self.squares / f64::from(reputation.stated));
        self.reputation
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::event::tests::event;
    use super::super::simplex::bounds;
    use super::*;

    fn bidders(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn weights(reputation: &Reputations) -> Vec<f64> {
        reputation.bidders.values().map(|bidder| bidder.weight).collect()
    }

    fn near(is: &[f64], wanted: &[f64]) {
        assert_eq!(is.len(), wanted.len());
        assert!(is.iter().zip(wanted).all(|(is, wanted)| (is - wanted).abs() < 1e-12), "{is:?} {wanted:?}");
    }

    #[test]
    fn outcomes_move_weights_as_the_market_says() {
        let deltas = Deltas::default();
        for (outcome, accuracy, again, delta) in [
            (MarketOutcome::RankedFirstSuccess, Some(0.85), false, 0.10),
            (MarketOutcome::RankedFirstSuccess, Some(0.86), false, 0.15),
            (MarketOutcome::RankedFirstSuccess, None, false, 0.10),
            (MarketOutcome::RankedFirstFailure, Some(0.99), false, -0.15),
            (MarketOutcome::NotSelected, None, false, -0.02),
            (MarketOutcome::ReplanSuccess, Some(0.99), false, 0.12),
            (MarketOutcome::ReplanFailure, None, false, -0.15),
            (MarketOutcome::ReplanFailure, None, true, -0.20),
            (MarketOutcome::CollectiveFailure, None, false, -0.05),
            (MarketOutcome::Resubmitted, None, false, -0.05),
        ] {
            let is = deltas.of(outcome, accuracy, again);
            assert!((is - delta).abs() < 1e-12, "{outcome:?}: {is}");
        }
        assert!((accuracy(0.87, 0.85) - 0.98).abs() < 1e-12);
    }

    /// By hand: a third each; `a` fails (−.15), so that the others gain a twentieth each; `c` then passes in the second round (+.12),
    /// of which the others bear .04 each, itself as well.
    #[test]
    fn a_failure_and_the_success_after_it() {
        let events = [
            event("a", "2026-01-01T00:00:00Z", MarketOutcome::RankedFirstFailure, -0.15),
            event("c", "2026-01-01T00:10:00Z", MarketOutcome::ReplanSuccess, 0.12),
        ];
        let mut steps = Vec::new();
        let reputation = Reputations::told(&bidders(&["a", "b", "c"]), events, &mut |step| steps.push(step));
        let third = 1.0 / 3.0;
        near(&steps[0].after, &[third - 0.10, third + 0.05, third + 0.05]);
        near(&weights(&reputation), &[third - 0.14, third + 0.01, third + 0.13]);
        assert_eq!(reputation.bidders["c"].history.len(), 3);
        assert_eq!((reputation.bidders["a"].implemented, reputation.bidders["a"].succeeded), (1, 0));
    }

    #[test]
    fn probabilities_that_were_stated_are_scored() {
        let stated = |bot: &str, at: &str, outcome, probability| MarketEvent {
            stated_probability: Some(probability),
            iteration_count: 2,
            ..event(bot, at, outcome, 0.0)
        };
        let reputation = Reputations::of(
            &bidders(&["a", "b"]),
            [
                stated("a", "2026-01-01T00:00:00Z", MarketOutcome::RankedFirstSuccess, 0.9),
                stated("a", "2026-01-02T00:00:00Z", MarketOutcome::RankedFirstFailure, 0.8),
                // What was not implemented says nothing of the probability.
                stated("b", "2026-01-02T00:00:00Z", MarketOutcome::NotSelected, 0.8),
                event("gone", "2026-01-02T00:00:00Z", MarketOutcome::RankedFirstFailure, -0.15),
            ],
        );
        let bidder = &reputation.bidders["a"];
        assert!((bidder.brier.expect("scored") - (0.01 + 0.64) / 2.0).abs() < 1e-12);
        assert_eq!((bidder.stated, bidder.iterations), (2, 4));
        assert!((bidder.efficiency - 0.4).abs() < 1e-12);
        assert_eq!((reputation.bidders["b"].brier, reputation.others), (None, 1));
    }

    fn histories() -> impl Strategy<Value = Vec<MarketEvent>> {
        let one = (0..5_usize, 0..60_u32, 0..MarketOutcome::ALL.len(), -0.2..0.2_f64);
        let made = |(bot, minute, outcome, delta): (usize, u32, usize, f64)| {
            let at = format!("2026-01-01T00:{minute:02}:00Z");
            event(["a", "b", "c", "d", "gone"][bot], &at, MarketOutcome::ALL[outcome], delta)
        };
        prop::collection::vec(one.prop_map(made), 0..30)
    }

    proptest! {
        #[test]
        fn whatever_order_and_however_often(events in histories(), seed in any::<u64>()) {
            let all = bidders(&["a", "b", "c", "d"]);
            let reputation = Reputations::of(&all, events.clone());
            let mut shuffled = events.clone();
            // Some come twice, as they do when branches are merged.
            shuffled.extend(events.iter().take(seed as usize % 7).cloned());
            let places = shuffled.len() as u64;
            for at in (1..shuffled.len()).rev() {
                shuffled.swap(at, (seed.rotate_left(at as u32) % places.min(at as u64 + 1)) as usize);
            }
            prop_assert_eq!(&Reputations::of(&all, shuffled), &reputation);
            let (least, most) = bounds(4);
            let weights = weights(&reputation);
            prop_assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!(weights.iter().all(|weight| (least..=most).contains(weight)));
        }
    }
}
