//! Whole histories, played at random: rounds that pass and fail, brokers that die in the middle, files that come twice and in any order.
//!
//! Ten thousand are played with the tests. A million: `PROPTEST_CASES=1000000 cargo test --release -p assize-market histories`.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use proptest::prelude::*;

use super::budget::allot;
use super::event::{MarketEvent, MarketMetrics};
use super::outcome::{BidderOutcome, Implemented, RoundResult, outcomes};
use super::simplex::bounds;
use crate::reputation::{Deltas, Reputations};

const HISTORIES_MIN: u32 = 10_000;
const BIDDERS_MAX: usize = 6;
const RUNS_MAX: usize = 4;
const POOL_MAX: u32 = 60;

/// Draws a round among these bidders, after another one or not.
fn round(random: &mut Rng, bidders: &[String], before: Option<&RoundResult>) -> RoundResult {
    let mut taking_part: Vec<String> = bidders.iter().filter(|_| random.u8(..10) > 0).cloned().collect();
    let failed = before.and_then(|before| before.implemented.as_ref()).map(|failed| failed.bidder.clone());
    let resubmitted: Vec<String> = failed.into_iter().filter(|_| random.u8(..4) == 0).collect();
    taking_part.retain(|bidder| !resubmitted.contains(bidder));
    let implemented = (!taking_part.is_empty() && random.u8(..10) > 0).then(|| Implemented {
        bidder: taking_part[random.usize(..taking_part.len())].clone(),
        passed: random.bool(),
        proposal_score: random.f64(),
        implementation_score: random.bool().then(|| random.f64()),
        stated_probability: random.f64(),
        iterations: random.u32(1..9),
        metrics: MarketMetrics::default(),
    });
    RoundResult { bidders: taking_part, resubmitted, implemented }
}

/// Writes down what became of somebody.
fn event(told: BidderOutcome, run: usize, second: usize) -> MarketEvent {
    let implemented = told.implemented.as_ref();
    MarketEvent {
        timestamp: format!("2026-01-01T00:{:02}:{:02}Z", second / 60, second % 60),
        issue_number: None,
        run: Some(format!("run-{run}")),
        bot_id: told.bidder,
        outcome: told.outcome,
        proposal_score: implemented.map(|implemented| implemented.proposal_score),
        implementation_score: implemented.and_then(|implemented| implemented.implementation_score),
        accuracy: told.accuracy,
        stated_probability: implemented.map(|implemented| implemented.stated_probability),
        weight_delta: told.weight_delta,
        iteration_count: implemented.map_or(0, |implemented| implemented.iterations),
        metrics: MarketMetrics::default(),
    }
}

/// Plays the runs of a history, and returns the events of each round; several rounds may fall into the same second.
fn played(random: &mut Rng, bidders: &[String]) -> Vec<Vec<MarketEvent>> {
    let mut rounds = Vec::new();
    for run in 0..random.usize(1..=RUNS_MAX) {
        let second = random.usize(..8);
        let first = round(random, bidders, None);
        let mut told = vec![outcomes(&first, None, &Deltas::default())];
        if first.implemented.as_ref().is_some_and(|implemented| !implemented.passed) {
            let next = round(random, bidders, Some(&first));
            told.push(outcomes(&next, Some(&first), &Deltas::default()));
        }
        let written = |told: Vec<BidderOutcome>| told.into_iter().map(|told| event(told, run, second)).collect();
        rounds.extend(told.into_iter().map(written));
    }
    rounds
}

/// Writes the events of rounds into a folder. A broker that dies has written some events of a round. The broker that
/// resumes the run writes all events of the round.
fn written(random: &mut Rng, rounds: &[Vec<MarketEvent>]) -> BTreeMap<String, MarketEvent> {
    let mut folder = BTreeMap::new();
    for events in rounds {
        let dies_after = random.usize(..=events.len());
        for event in events[..dies_after].iter().chain(events) {
            folder.insert(event.file_name(), event.clone());
        }
    }
    folder
}

fn check(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let bidders: Vec<String> = (0..random.usize(2..=BIDDERS_MAX)).map(|at| format!("bidder_{at}")).collect();
    let roster: BTreeSet<String> = bidders.iter().cloned().collect();
    let rounds = played(&mut random, &bidders);
    let all: Vec<MarketEvent> = rounds.iter().flatten().cloned().collect();

    // Two branches hold a part of the rounds each, some of them both, and are merged.
    let mut side = |takes: fn(usize) -> bool| {
        let part: Vec<Vec<MarketEvent>> =
            rounds.iter().enumerate().filter(|(at, _)| takes(*at)).map(|(_, round)| round.clone()).collect();
        written(&mut random, &part)
    };
    let mut merged = side(|at| at % 3 != 0);
    merged.extend(side(|at| at % 3 != 1));
    assert_eq!(merged.len(), all.len(), "seed {seed}: an event is lost or doubled");

    let reputations = Reputations::of(&roster, all.clone());
    let mut shuffled: Vec<MarketEvent> = merged.into_values().chain(all).collect();
    random.shuffle(&mut shuffled);
    assert_eq!(Reputations::of(&roster, shuffled), reputations, "seed {seed}: the order of files matters");

    let (least, most) = bounds(bidders.len());
    let weights: Vec<f64> = reputations.bidders.values().map(|bidder| bidder.weight).collect();
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9, "seed {seed}: {weights:?}");
    assert!(weights.iter().all(|weight| (least..=most).contains(weight)), "seed {seed}: {weights:?}");
    let counted: u32 = reputations.bidders.values().map(|bidder| bidder.implemented).sum();
    let implemented = rounds.iter().flatten().filter(|event| event.outcome.implemented().is_some()).count();
    assert_eq!(counted as usize, implemented, "seed {seed}");

    let pool = random.u32(bidders.len() as u32..=POOL_MAX);
    let shares: Vec<f64> = reputations.bidders.values().map(|bidder| bidder.weight * bidder.efficiency).collect();
    let budgets = allot(pool, &shares).expect("enough for everybody");
    assert_eq!(budgets.iter().sum::<u32>(), pool, "seed {seed}");
    assert!(budgets.iter().all(|budget| *budget >= 1), "seed {seed}: {budgets:?}");
}

/// As many as the environment asks for, and no fewer than belong to the tests.
fn histories() -> ProptestConfig {
    let asked = ProptestConfig::default();
    ProptestConfig { cases: asked.cases.max(HISTORIES_MIN), failure_persistence: None, ..asked }
}

proptest! {
    #![proptest_config(histories())]
    #[test]
    fn in_any_history_weights_and_budgets_hold(seed in any::<u64>()) {
        check(seed);
    }
}
