//! The results of the market as programs read them.

use std::collections::BTreeMap;

use assize_core::envelope::VERSION;
use assize_core::ruling::Outcome;
use serde::Serialize;

use crate::event::MarketEvent;
use crate::policy::{PastOutcomes, PolicyResult};
use crate::ranking::{Ranked, selected};
use crate::reputation::{Deltas, ReputationStep, Reputations};
use crate::requirement::Requirements;
use crate::run::{BidderTerms, MarketEnding, MarketRun};
use crate::verification::Verification;

/// The id of the court, as envelopes and the ledger name it.
pub const COURT: &str = "market";
/// What is printed once every box is ticked, for a program that runs the market in a loop.
pub const PROMISE: &str = "COMPLETE";
/// By how much the delta of an event may differ from what the market gives for its outcome.
const DELTA_TOLERANCE: f64 = 1e-9;

/// What `assize market extract` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequirementsEnvelope<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The court: `market`.
    pub court: &'static str,
    /// What is demanded.
    pub requirements: &'a Requirements,
}

impl<'a> RequirementsEnvelope<'a> {
    /// Makes the envelope of what is demanded.
    pub fn of(requirements: &'a Requirements) -> Self {
        Self { assize: VERSION, court: COURT, requirements }
    }
}

/// What `assize market rank` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RankingEnvelope<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The court: `market`.
    pub court: &'static str,
    /// The bids, the best first.
    pub rankings: &'a [Ranked],
    /// `accept` where a bid is taken, else `reject`.
    pub outcome: Outcome,
    /// The file of each bid, by the id that it was ranked under.
    pub bids: &'a BTreeMap<String, String>,
    /// The seed that drew the orders in which bids were shown.
    pub seed: u64,
}

impl<'a> RankingEnvelope<'a> {
    /// Makes the envelope of a ranking; `bids` says which bid is which.
    pub fn of(rankings: &'a [Ranked], bids: &'a BTreeMap<String, String>, seed: u64) -> Self {
        let outcome = if selected(rankings).is_some() { Outcome::Accept } else { Outcome::Reject };
        Self { assize: VERSION, court: COURT, rankings, outcome, bids, seed }
    }
}

/// What `assize market status` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReputationsEnvelope<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The court: `market`.
    pub court: &'static str,
    /// The reputation of each bidder.
    #[serde(rename = "standing")]
    pub reputations: &'a Reputations,
}

impl<'a> ReputationsEnvelope<'a> {
    /// Makes the envelope of reputations.
    pub fn of(reputations: &'a Reputations) -> Self {
        Self { assize: VERSION, court: COURT, reputations }
    }
}

/// What `assize market replay` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistoryEnvelope<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The court: `market`.
    pub court: &'static str,
    /// The events, the oldest first.
    pub history: Vec<HistoryEntry<'a>>,
}

/// An event, and what it did to the weights.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistoryEntry<'a> {
    /// The name of its file.
    pub file: String,
    /// The event.
    pub event: &'a MarketEvent,
    /// The weight of each bidder before it.
    pub before: BTreeMap<&'a str, f64>,
    /// The weight of each bidder after it.
    pub after: BTreeMap<&'a str, f64>,
    /// The delta that the market gives for this outcome; `null` where the event has it.
    pub expected_delta: Option<f64>,
}

impl<'a> HistoryEnvelope<'a> {
    /// Makes the envelope of what each event did to these bidders.
    pub fn of(bidders: &[&'a str], steps: &'a [ReputationStep], deltas: &Deltas) -> Self {
        let weights = |weights: &[f64]| bidders.iter().copied().zip(weights.iter().copied()).collect();
        let entry = |step: &'a ReputationStep| HistoryEntry {
            file: step.event.file_name(),
            event: &step.event,
            before: weights(&step.before),
            after: weights(&step.after),
            expected_delta: expected_delta(step, deltas),
        };
        Self { assize: VERSION, court: COURT, history: steps.iter().map(entry).collect() }
    }
}

/// Returns what the market gives for the outcome of an event, where the event differs from all of it.
pub fn expected_delta(step: &ReputationStep, deltas: &Deltas) -> Option<f64> {
    let event = &step.event;
    let given = [false, true].map(|again| deltas.of(event.outcome, event.accuracy, again));
    let fits = given.iter().any(|delta| (delta - event.weight_delta).abs() <= DELTA_TOLERANCE);
    (!fits).then_some(given[0])
}

/// What `assize market simulate` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulationEnvelope<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The court: `market`.
    pub court: &'static str,
    /// What the policies come to.
    pub simulation: Simulation<'a>,
}

/// What policies come to on a table of past outcomes.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Simulation<'a> {
    /// How many tasks the table has.
    pub tasks: usize,
    /// How many bidders it has.
    pub bidders: usize,
    /// The bidder that passed most tasks.
    pub best: BestBidder<'a>,
    /// Each policy.
    pub policies: &'a [PolicyResult],
}

/// The bidder that passed most tasks of a table.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BestBidder<'a> {
    /// Its id.
    pub bidder: &'a str,
    /// The share of the tasks that it passed.
    pub passed: f64,
}

impl<'a> SimulationEnvelope<'a> {
    /// Makes the envelope of what policies come to.
    pub fn of(table: &'a PastOutcomes, policies: &'a [PolicyResult]) -> Self {
        let (best, passed) = table.best();
        let best = BestBidder { bidder: &table.bidders()[best], passed: passed as f64 / table.tasks() as f64 };
        let simulation = Simulation { tasks: table.tasks(), bidders: table.bidders().len(), best, policies };
        Self { assize: VERSION, court: COURT, simulation }
    }
}

/// What `assize market run` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MarketRunEnvelope<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The court: `market`.
    pub court: &'static str,
    /// What is demanded.
    pub requirements: &'a Requirements,
    /// The ruling on the run.
    pub outcome: Outcome,
    /// How the run ended.
    pub ending: &'a MarketEnding,
    /// The id of the run.
    pub run: &'a str,
    /// Where the work comes from.
    pub source: &'a str,
    /// The branch of the commits.
    pub branch: &'a str,
    /// The seed that drew the orders in which bids were shown.
    pub seed: u64,
    /// The bidders, with what the run gave them.
    pub bidders: &'a [BidderTerms],
    /// How many implementations were made.
    pub iterations: Iterations,
    /// The ranking of each round.
    pub rounds: &'a [RoundRanking],
    /// The verification of each implementation.
    pub verifications: &'a [Verification],
    /// The commits.
    pub commits: &'a [String],
    /// The events that were written.
    pub events: &'a [MarketEvent],
    /// `COMPLETE` once every box is ticked; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promise: Option<&'static str>,
}

/// How many implementations a run made.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Iterations {
    /// How many were made.
    pub used: u32,
    /// How many all bidders have together.
    pub of: u32,
}

/// The ranking of a round.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoundRanking {
    /// The round: 1, or 2 after a failure.
    pub round: u32,
    /// The bids, the best first.
    pub rankings: Vec<Ranked>,
    /// Whose bid is which, by the id that it was ranked under.
    pub bidders: BTreeMap<String, String>,
}

/// What a run produced so far.
#[derive(Debug, Default)]
pub struct RunProducts {
    /// The ranking of each round.
    pub rounds: Vec<RoundRanking>,
    /// The verification of each implementation.
    pub verifications: Vec<Verification>,
    /// The commits.
    pub commits: Vec<String>,
    /// The events that were written.
    pub events: Vec<MarketEvent>,
}

impl<'a> MarketRunEnvelope<'a> {
    /// Makes the envelope of a run that ended.
    pub fn of(run: &'a MarketRun, products: &'a RunProducts, ending: &'a MarketEnding) -> Self {
        let start = run.start();
        Self {
            assize: VERSION,
            court: COURT,
            requirements: run.requirements(),
            outcome: ending.outcome(),
            ending,
            run: &start.run,
            source: &start.source,
            branch: &start.branch,
            seed: start.seed,
            bidders: &start.bidders,
            iterations: Iterations { used: run.iteration(), of: start.pool() },
            rounds: &products.rounds,
            verifications: &products.verifications,
            commits: &products.commits,
            events: &products.events,
            promise: (*ending == MarketEnding::Complete).then_some(PROMISE),
        }
    }
}
