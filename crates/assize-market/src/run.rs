//! A run of the market, as a state machine: what happened goes in, what has to happen next comes out.
//!
//! Requirements are read, bids are asked for and ranked, the winner implements, the review court verifies. Where that
//! fails, one more round is held, in which all bidders know what failed. Where that fails as well, a person is called.
//! What has happened is kept step by step, and the same steps lead to the same state, so that a killed run resumes
//! where it was. This module must not know what carries anything out.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::opinion::JudgeRecord;
use assize_core::ruling::{Cause, Outcome, Unjudged};
use assize_patch::Patch;
use assize_review::court::ReviewRecord;
use serde::{Deserialize, Serialize};

use super::bid::Bid;
use super::checklist::BoxName;
use super::event::MarketEvent;
use super::outcome::{BidderOutcome, Implemented, RoundResult, SAME_BID_LIKENESS, outcomes};
use super::ranking::{Dimensions, Parts, Ranked, TOTAL_MIN, delivered, selected};
use super::requirement::{ExtractedBy, Requirements};
use super::rotation::{RotationDecision, onward};
use super::verification::{FailureDetails, FailureType, MarketFailure, Verification};
use crate::reputation::Deltas;

/// What a bidder has for the whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BidderTerms {
    /// Its name.
    pub bidder: String,
    /// Its weight as the run began, of all weights, which sum to 1.
    pub weight: f64,
    /// How often what it bids may be implemented.
    pub iterations: u32,
}

/// What bids and implementations are measured by.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measures {
    /// What each dimension counts for.
    pub dimensions: Dimensions,
    /// What the parts of a dimension count for.
    pub parts: Parts,
    /// What outcomes do to a weight.
    pub deltas: Deltas,
}

/// What a run begins with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MarketStart {
    /// Its id: comments and commits carry it, so that none is made twice.
    pub run: String,
    /// Where the work comes from: `issue 12`, or a file.
    pub source: String,
    /// The number of the issue, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_number: Option<u64>,
    /// The branch that the work goes to.
    pub branch: String,
    /// The commit that it leaves from.
    pub base: String,
    /// What orders are drawn from.
    pub seed: u64,
    /// What tells the settings from any others.
    pub settings: String,
    /// Who bids.
    pub bidders: Vec<BidderTerms>,
    /// What bids and implementations are measured by.
    pub measures: Measures,
}

impl MarketStart {
    /// Returns how many implementations all bidders have together.
    pub fn pool(&self) -> u32 {
        self.bidders.iter().map(|terms| terms.iterations).sum()
    }
}

/// A bid that takes part, and whose it is.
#[derive(Debug, Clone, PartialEq)]
pub struct SubmittedBid {
    /// Whose.
    pub bidder: String,
    /// When it came, in milliseconds since bids were asked for.
    pub submitted_ms: u64,
    /// The bid.
    pub bid: Bid,
}

/// What bidders are told of the round that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailureContext {
    /// What its bid was called.
    pub failed_proposal: String,
    /// Whose it was.
    pub failed_bidder: String,
    /// In what way it failed.
    pub failure_type: FailureType,
    /// What went wrong.
    pub failure_details: FailureDetails,
    /// The bid.
    pub failed_proposal_details: Bid,
}

impl FailureContext {
    fn failure(&self) -> MarketFailure {
        MarketFailure { failure_type: self.failure_type, failure_details: self.failure_details.clone() }
    }
}

/// What came of asking a bidder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BidReply {
    /// Its bid.
    Bid(Box<Bid>),
    /// None, and why.
    Nothing(String),
}

/// What came of having a bid implemented.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ImplementationReply {
    /// A change that fits.
    Patch(Box<Patch>),
    /// None, and why.
    Nothing(String),
    /// The bidder could not be asked, or its change could not be tried.
    Unjudged(Unjudged),
}

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum MarketStep {
    /// The requirements were read.
    Extracted {
        /// What the work is called.
        title: String,
        /// What is demanded.
        requirements: Requirements,
        /// Boxes that are ticked already.
        ticked: usize,
    },
    /// A bidder was asked.
    Asked {
        /// The bidder.
        bidder: String,
        /// When it answered, in milliseconds since bids were asked for.
        submitted_ms: u64,
        /// Its answer.
        came: BidReply,
    },
    /// The bids were ranked.
    Ranked {
        /// Whose bid each of them is.
        who: BTreeMap<String, String>,
        /// The ranking.
        ranking: Vec<Ranked>,
        /// The judges that were asked, each time.
        judges: Vec<JudgeRecord>,
    },
    /// The winner's bid was implemented.
    Implemented {
        /// What came of it.
        made: ImplementationReply,
    },
    /// The implementation was verified.
    Verified {
        /// What came of it.
        verification: Box<Verification>,
        /// What the review court recorded.
        review: Box<ReviewRecord>,
        /// The module of each file that changed, or that a bid would change.
        modules: BTreeMap<String, String>,
    },
    /// What passed was committed.
    Committed {
        /// The commit.
        commit: String,
    },
    /// Somebody else committed something since it was verified.
    Outdated,
    /// The repository's own hooks refused the commit.
    CommitRefused {
        /// What they say.
        why: String,
    },
    /// What failed in the end was kept on a branch of its own, where there was something.
    #[serde(rename = "kept")]
    Preserved {
        /// The commit.
        commit: Option<String>,
    },
    /// What became of the bidders was put into words; the events are not written yet.
    #[serde(rename = "told")]
    OutcomesRecorded {
        /// The events.
        events: Vec<MarketEvent>,
    },
    /// The events are written.
    Written,
    /// Boxes were ticked.
    Ticked {
        /// Those that are not found any more.
        gone: Vec<BoxName>,
    },
    /// Events and ticks were committed, where they belong to the repository.
    Recorded {
        /// The commit.
        commit: Option<String>,
    },
    /// A person was called.
    Flagged,
}

/// Why a person is called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Attention {
    /// Both rounds failed.
    Failed {
        /// What failed first.
        initial: MarketFailure,
        /// What failed then.
        replan: MarketFailure,
    },
    /// No bid is good enough.
    NoneGood {
        /// The best total.
        best: f64,
    },
    /// There is no bid.
    NoBids(Vec<String>),
    /// The work could not be judged.
    Unjudged(Unjudged),
    /// Something is open that belongs to what was done, and no bidder has an iteration left.
    OutOfIterations(Vec<String>),
}

/// How a run ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MarketEnding {
    /// All boxes are ticked.
    Complete,
    /// A part is done; what is open belongs to something else, and is for another run with a fresh view.
    Rotated {
        /// What is open.
        open: Vec<String>,
    },
    /// A person has to look.
    Attention(Attention),
    /// Another run was begun in its place.
    Abandoned,
}

impl MarketEnding {
    /// Returns what it amounts to: whether the work that was asked for was taken.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Complete | Self::Rotated { .. } => Outcome::Accept,
            Self::Abandoned | Self::Attention(Attention::NoBids(_) | Attention::Unjudged(_)) => Outcome::Unjudged,
            Self::Attention(_) => Outcome::Reject,
        }
    }

    /// Says it in one sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::Complete => "every box is ticked".to_owned(),
            Self::Rotated { open } => format!("a part is done; open, and about something else: {}", open.join(", ")),
            Self::Abandoned => "another run was begun in its place".to_owned(),
            Self::Attention(attention) => attention.sentence(),
        }
    }
}

impl Attention {
    /// Says it in one sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::Failed { initial, replan } => {
                format!("both rounds failed, first by {}, then by {}", initial.summary(), replan.summary())
            }
            Self::NoneGood { best } => format!("the best bid has {best:.2} where {TOTAL_MIN} is the least"),
            Self::NoBids(why) if why.is_empty() => "no bidder could bid".to_owned(),
            Self::NoBids(why) => format!("there is no bid: {}", why.join("; ")),
            // A judge may be missing, the bidder may not answer, or its patch may not fit any more: `why` says which.
            Self::Unjudged(why) => format!("the work could not be judged: {why}"),
            Self::OutOfIterations(open) => format!("no iteration is left; open: {}", open.join(", ")),
        }
    }
}

/// What has to happen next.
#[derive(Debug, Clone, PartialEq)]
pub enum MarketEffect {
    /// Read the requirements.
    Extract,
    /// Ask these bidders.
    Ask(Vec<String>),
    /// Rank the candidates.
    Rank,
    /// Have the winner's bid implemented.
    Implement,
    /// Verify what was implemented.
    Verify,
    /// Commit what passed.
    Commit,
    /// Keep what failed, on a branch of its own.
    Keep,
    /// Put into words what became of the bidders.
    Tell(Vec<BidderOutcome>),
    /// Write these events.
    Write(Vec<MarketEvent>),
    /// Tick these boxes.
    Tick(Vec<BoxName>),
    /// Commit events and ticks.
    Record,
    /// Call a person.
    Flag(Attention),
    /// End.
    End(MarketEnding),
}

/// The bid that is implemented.
#[derive(Debug, Clone, PartialEq)]
pub struct Winner {
    /// Whose it is.
    pub bidder: String,
    /// What it was called.
    pub proposal_id: String,
    /// How good it was found to be.
    pub score: f64,
    /// The bid.
    pub bid: Bid,
    /// Which implementation of this bidder's it is, from 1.
    pub iteration: u32,
}

/// What follows once the outcomes are told.
#[derive(Debug, Clone, PartialEq)]
enum OutcomeFollowUp {
    Replan,
    Flag(Attention),
    Tick,
}

/// A run of the market.
#[derive(Debug, Clone)]
pub struct MarketRun {
    start: MarketStart,
    title: String,
    requirements: Requirements,
    /// Implementations of each bidder so far.
    used: BTreeMap<String, u32>,
    round: u32,
    asked: BTreeSet<String>,
    skipped: Vec<String>,
    candidates: Vec<SubmittedBid>,
    resubmitted: Vec<String>,
    winner: Option<Winner>,
    patch: Option<Patch>,
    verification: Option<Verification>,
    /// The commit that the change was measured from.
    verified_on: Option<String>,
    modules: BTreeMap<String, String>,
    /// The round that failed, and how.
    failed: Option<(RoundResult, FailureContext)>,
    then: OutcomeFollowUp,
    done: Vec<BoxName>,
    /// Whether what failed was kept.
    kept: bool,
    told: Vec<MarketEvent>,
}

impl MarketRun {
    /// Begins a run.
    pub fn begin(start: MarketStart) -> (Self, MarketEffect) {
        let run = Self {
            start,
            title: String::new(),
            requirements: Requirements::default(),
            used: BTreeMap::new(),
            round: 1,
            asked: BTreeSet::new(),
            skipped: Vec::new(),
            candidates: Vec::new(),
            resubmitted: Vec::new(),
            winner: None,
            patch: None,
            verification: None,
            verified_on: None,
            modules: BTreeMap::new(),
            failed: None,
            then: OutcomeFollowUp::Replan,
            done: Vec::new(),
            kept: false,
            told: Vec::new(),
        };
        (run, MarketEffect::Extract)
    }

    /// Takes in what happened, and says what has to happen next.
    pub fn step(&mut self, step: MarketStep) -> MarketEffect {
        match step {
            MarketStep::Extracted { title, requirements, .. } => self.extracted(title, requirements),
            MarketStep::Asked { bidder, submitted_ms, came } => self.asked(bidder, submitted_ms, came),
            MarketStep::Ranked { who, ranking, .. } => self.ranked(&who, &ranking),
            MarketStep::Implemented { made: ImplementationReply::Patch(patch) } => {
                self.patch = Some(*patch);
                MarketEffect::Verify
            }
            MarketStep::Implemented { made: ImplementationReply::Nothing(why) } => {
                self.fail(MarketFailure::saying(FailureType::NotImplemented, &why))
            }
            MarketStep::Implemented { made: ImplementationReply::Unjudged(why) } => self.stop(Attention::Unjudged(why)),
            MarketStep::Verified { verification, modules, review } => {
                self.verified_on = review.inputs.case.base.clone();
                self.verified(*verification, modules)
            }
            MarketStep::Committed { .. } => {
                self.then = OutcomeFollowUp::Tick;
                self.tell(true)
            }
            MarketStep::Outdated => MarketEffect::Verify,
            MarketStep::CommitRefused { why } => self.fail(MarketFailure::saying(FailureType::CommitRefused, &why)),
            MarketStep::Preserved { commit } => {
                self.kept = commit.is_some();
                let told =
                    outcomes(&self.round_result(self.implemented(false)), self.before(), &self.start.measures.deltas);
                match &self.then {
                    OutcomeFollowUp::Flag(attention) if told.is_empty() => MarketEffect::Flag(attention.clone()),
                    _ => MarketEffect::Tell(told),
                }
            }
            MarketStep::OutcomesRecorded { events } => {
                self.told.extend(events.iter().cloned());
                MarketEffect::Write(events)
            }
            MarketStep::Written => match self.then.clone() {
                OutcomeFollowUp::Replan => self.replan(),
                OutcomeFollowUp::Flag(attention) => MarketEffect::Flag(attention),
                OutcomeFollowUp::Tick => MarketEffect::Tick(self.evidenced()),
            },
            MarketStep::Ticked { gone } => {
                self.done = self.evidenced();
                self.done.extend(gone);
                MarketEffect::Record
            }
            MarketStep::Recorded { .. } => match self.then.clone() {
                OutcomeFollowUp::Flag(attention) => MarketEffect::End(MarketEnding::Attention(attention)),
                _ => self.onward(),
            },
            // What is said in a specification that lies in the project is recorded with the rest.
            MarketStep::Flagged => MarketEffect::Record,
        }
    }

    /// Returns what the run began with.
    pub fn start(&self) -> &MarketStart {
        &self.start
    }

    /// Returns what the work is called.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns what is demanded.
    pub fn requirements(&self) -> &Requirements {
        &self.requirements
    }

    /// Returns which round it is: 1, or 2 after a failure.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// Returns how many implementations there were so far, this one included.
    pub fn iteration(&self) -> u32 {
        self.used.values().sum()
    }

    /// Returns how many implementations a bidder has left.
    pub fn left(&self, bidder: &str) -> u32 {
        let allotted =
            self.start.bidders.iter().find(|terms| terms.bidder == bidder).map_or(0, |terms| terms.iterations);
        allotted.saturating_sub(self.used.get(bidder).copied().unwrap_or(0))
    }

    /// Returns the bids that take part in this round.
    pub fn candidates(&self) -> &[SubmittedBid] {
        &self.candidates
    }

    /// Returns the bid that is implemented.
    pub fn winner(&self) -> Option<&Winner> {
        self.winner.as_ref()
    }

    /// Returns what was implemented.
    pub fn patch(&self) -> Option<&Patch> {
        self.patch.as_ref()
    }

    /// Returns the commit that it was measured from when it was verified.
    pub fn verified_on(&self) -> Option<&str> {
        self.verified_on.as_deref()
    }

    /// Returns when the last bid of this round came, in milliseconds since bids were asked for.
    pub fn latest_ms(&self) -> u64 {
        self.candidates.iter().map(|candidate| candidate.submitted_ms).max().unwrap_or(0)
    }

    /// Returns what came of verifying it.
    pub fn verification(&self) -> Option<&Verification> {
        self.verification.as_ref()
    }

    /// Returns what bidders are told of the round that failed.
    pub fn failure(&self) -> Option<&FailureContext> {
        self.failed.as_ref().map(|(_, failure)| failure)
    }

    /// Returns how good the implementation was found to be, from 0 to 1.
    pub fn implementation_score(&self) -> Option<f64> {
        let (winner, verification) = (self.winner.as_ref()?, self.verification.as_ref()?);
        let might = self.left(&winner.bidder) + winner.iteration;
        let open = self.requirements.explicit_requirements.len();
        let delivered_ = verification.delivered(open, (winner.iteration, might));
        let Measures { dimensions, parts, .. } = &self.start.measures;
        delivered(&winner.bid, &delivered_, parts).total(dimensions)
    }

    /// Returns the requirements that the winner is to do, and everything that is demanded of any change.
    pub fn promised(&self) -> Requirements {
        let Some(winner) = &self.winner else { return Requirements::default() };
        let all = self.requirements.explicit_requirements.iter();
        Requirements {
            explicit_requirements: all.filter(|requirement| winner.bid.addresses(requirement)).cloned().collect(),
            ..self.requirements.clone()
        }
    }

    /// Returns what people asked for of what the winner is to do, in their own words: what a judge or a guideline adds opens no
    /// protected file.
    pub fn asked_for(&self) -> String {
        let mut parts = Vec::new();
        for requirement in self.promised().explicit_requirements {
            parts.push(requirement.checkbox);
            if self.requirements.extracted_by == ExtractedBy::Rules {
                parts.extend(requirement.components);
            }
        }
        parts.dedup();
        parts.join("\n\n")
    }

    /// Returns the line by which a commit of this part of the run is told from any other.
    pub fn marker(&self) -> String {
        format!("Assize-Run: {}/{}", self.start.run, self.iteration())
    }

    /// Returns the branch that keeps what failed in both rounds.
    pub fn failed_branch(&self) -> String {
        format!("{}-not-accepted-{}", self.start.branch, self.start.run.get(..8).unwrap_or(&self.start.run))
    }

    /// Returns everything that was told so far.
    pub fn events(&self) -> &[MarketEvent] {
        &self.told
    }

    /// Returns whether something is kept there.
    pub fn is_kept(&self) -> bool {
        self.kept
    }

    /// Returns the boxes that are shown to be done.
    fn evidenced(&self) -> Vec<BoxName> {
        let Some(verification) = &self.verification else { return Vec::new() };
        let done: BTreeSet<&str> = verification.evidenced().collect();
        let all = self.requirements.explicit_requirements.iter();
        all.filter(|requirement| done.contains(requirement.id.as_str())).map(|found| found.box_name()).collect()
    }

    fn extracted(&mut self, title: String, requirements: Requirements) -> MarketEffect {
        self.title = title;
        self.requirements = requirements;
        if self.requirements.explicit_requirements.is_empty() {
            return MarketEffect::End(MarketEnding::Complete);
        }
        self.ask_again()
    }

    /// Asks everybody who has an implementation left.
    fn ask_again(&mut self) -> MarketEffect {
        self.asked = BTreeSet::new();
        self.skipped = Vec::new();
        self.candidates = Vec::new();
        self.resubmitted = Vec::new();
        self.verification = None;
        self.winner = None;
        self.ask()
    }

    fn ask(&mut self) -> MarketEffect {
        let bidders = self.start.bidders.iter().map(|terms| terms.bidder.clone());
        let able: Vec<String> = bidders.filter(|bidder| self.left(bidder) > 0).collect();
        let missing: Vec<String> = able.iter().filter(|bidder| !self.asked.contains(*bidder)).cloned().collect();
        match (missing.is_empty(), self.candidates.is_empty()) {
            (false, _) => MarketEffect::Ask(missing),
            (true, false) => MarketEffect::Rank,
            (true, true) if able.is_empty() => {
                let open = self.requirements.explicit_requirements.iter().map(|found| found.id.clone()).collect();
                self.give_up(Attention::OutOfIterations(open))
            }
            (true, true) => self.give_up(Attention::NoBids(self.skipped.clone())),
        }
    }

    fn asked(&mut self, bidder: String, submitted_ms: u64, came: BidReply) -> MarketEffect {
        self.asked.insert(bidder.clone());
        match came {
            BidReply::Nothing(why) => self.skipped.push(format!("{bidder}: {why}")),
            BidReply::Bid(bid) => {
                let is_same = |failure: &FailureContext| {
                    failure.failed_bidder == bidder
                        && failure.failed_proposal_details.likeness(&bid) >= SAME_BID_LIKENESS
                };
                if self.failure().is_some_and(is_same) {
                    self.skipped.push(format!("{bidder}: it hands in again what failed"));
                    self.resubmitted.push(bidder);
                } else {
                    self.candidates.push(SubmittedBid { bidder, submitted_ms, bid: *bid });
                }
            }
        }
        self.ask()
    }

    fn ranked(&mut self, who: &BTreeMap<String, String>, ranking: &[Ranked]) -> MarketEffect {
        let taken = selected(ranking).and_then(|ranked| {
            let bidder = who.get(&ranked.proposal_id)?;
            let candidate = self.candidates.iter().find(|candidate| candidate.bidder == *bidder)?;
            Some((ranked, candidate))
        });
        let Some((ranked, candidate)) = taken else {
            let best = ranking.first().map_or(0.0, |first| first.total_score);
            return self.give_up(Attention::NoneGood { best });
        };
        let used = self.used.entry(candidate.bidder.clone()).or_insert(0);
        *used += 1;
        self.winner = Some(Winner {
            bidder: candidate.bidder.clone(),
            proposal_id: ranked.proposal_id.clone(),
            score: ranked.total_score,
            bid: candidate.bid.clone(),
            iteration: *used,
        });
        MarketEffect::Implement
    }

    fn verified(&mut self, verification: Verification, modules: BTreeMap<String, String>) -> MarketEffect {
        self.modules = modules;
        let (passed, failure) = (verification.passed(), verification.failure.clone());
        let unjudged = verification.unjudged.clone();
        self.verification = Some(verification);
        match (passed, failure) {
            (true, _) => MarketEffect::Commit,
            (false, Some(failure)) => self.fail(failure),
            // An implementation that could not be judged has not failed.
            (false, None) => {
                let why = || Unjudged::new(Cause::Unavailable, "the review court gave no reason");
                self.stop(Attention::Unjudged(unjudged.unwrap_or_else(why)))
            }
        }
    }

    fn flag(&mut self, attention: Attention) -> MarketEffect {
        self.then = OutcomeFollowUp::Flag(attention.clone());
        MarketEffect::Flag(attention)
    }

    /// Ends a round in which nothing was implemented that could be judged. Who handed in again what had failed has done so.
    fn stop(&mut self, attention: Attention) -> MarketEffect {
        let told = outcomes(&self.round_result(None), self.before(), &self.start.measures.deltas);
        if told.is_empty() {
            return self.flag(attention);
        }
        self.then = OutcomeFollowUp::Flag(attention);
        MarketEffect::Tell(told)
    }

    /// Ends a round without a bid that could be implemented. After a failure, that is what a person is told of as well.
    fn give_up(&mut self, attention: Attention) -> MarketEffect {
        let Some((_, before)) = &self.failed else { return self.stop(attention) };
        let replan = MarketFailure::saying(FailureType::NotImplemented, &attention.sentence());
        self.then = OutcomeFollowUp::Flag(Attention::Failed { initial: before.failure(), replan });
        MarketEffect::Keep
    }

    /// Ends a round whose implementation failed.
    fn fail(&mut self, failure: MarketFailure) -> MarketEffect {
        if let Some((_, before)) = &self.failed {
            self.then = OutcomeFollowUp::Flag(Attention::Failed { initial: before.failure(), replan: failure });
            return MarketEffect::Keep;
        }
        let Some(winner) = self.winner.clone() else { return self.flag(Attention::NoBids(self.skipped.clone())) };
        let effect = self.tell(false);
        let MarketFailure { failure_type, failure_details } = failure;
        let context = FailureContext {
            failed_proposal: winner.proposal_id,
            failed_bidder: winner.bidder,
            failure_type,
            failure_details,
            failed_proposal_details: winner.bid,
        };
        self.then = OutcomeFollowUp::Replan;
        self.failed = Some((self.round_result(self.implemented(false)), context));
        effect
    }

    fn tell(&self, passed: bool) -> MarketEffect {
        let round = self.round_result(self.implemented(passed));
        MarketEffect::Tell(outcomes(&round, self.before(), &self.start.measures.deltas))
    }

    fn before(&self) -> Option<&RoundResult> {
        self.failed.as_ref().map(|(round, _)| round)
    }

    fn implemented(&self, passed: bool) -> Option<Implemented> {
        let winner = self.winner.as_ref()?;
        Some(Implemented {
            bidder: winner.bidder.clone(),
            passed,
            proposal_score: winner.score,
            implementation_score: self.implementation_score(),
            stated_probability: winner.bid.success_probability,
            iterations: 1,
            metrics: self.verification.as_ref().map(|found| found.metrics.clone()).unwrap_or_default(),
        })
    }

    fn round_result(&self, implemented: Option<Implemented>) -> RoundResult {
        RoundResult {
            bidders: self.candidates.iter().map(|candidate| candidate.bidder.clone()).collect(),
            resubmitted: self.resubmitted.clone(),
            implemented,
        }
    }

    fn replan(&mut self) -> MarketEffect {
        self.round = 2;
        self.ask_again()
    }

    fn onward(&mut self) -> MarketEffect {
        let open = self.requirements.explicit_requirements.iter();
        let open: Vec<String> =
            open.filter(|found| !self.done.contains(&found.box_name())).map(|found| found.id.clone()).collect();
        let planned: Vec<_> = self.candidates.iter().flat_map(|candidate| candidate.bid.changes.clone()).collect();
        let touched = self.verification.iter().flat_map(|found| found.files.clone()).collect();
        let module_of = |path: &str| self.modules.get(path).cloned().unwrap_or_default();
        let left = self.start.pool().saturating_sub(self.iteration());
        match onward(&open, &planned, &touched, &module_of, left) {
            RotationDecision::Rotate => MarketEffect::End(MarketEnding::Rotated { open }),
            RotationDecision::Attention(related) => self.flag(Attention::OutOfIterations(related)),
            // Others may have added a box, or taken a tick away: whether all is done is read there.
            RotationDecision::Complete | RotationDecision::Continue(_) => {
                self.round = 1;
                self.patch = None;
                self.failed = None;
                self.done = Vec::new();
                MarketEffect::Extract
            }
        }
    }
}

/// Puts what became of bidders into the form in which it is kept.
pub fn events(outcomes: &[BidderOutcome], start: &MarketStart, iteration: u32, timestamp: &str) -> Vec<MarketEvent> {
    let event = |told: &BidderOutcome| {
        let implemented = told.implemented.as_ref();
        MarketEvent {
            timestamp: timestamp.to_owned(),
            issue_number: start.issue_number,
            run: Some(format!("{}/{iteration}", start.run)),
            bot_id: told.bidder.clone(),
            outcome: told.outcome,
            proposal_score: implemented.map(|made| made.proposal_score),
            implementation_score: implemented.and_then(|made| made.implementation_score),
            accuracy: told.accuracy,
            stated_probability: implemented.map(|made| made.stated_probability),
            // Sums of hundredths are not always hundredths.
            weight_delta: (told.weight_delta * 1e9).round() / 1e9,
            iteration_count: implemented.map_or(0, |made| made.iterations),
            metrics: implemented.map(|made| made.metrics.clone()).unwrap_or_default(),
        }
    };
    outcomes.iter().map(event).collect()
}

/// Returns 32 digits that tell a text from any other.
pub fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::bid::tests::{bid, change};
    use super::super::bid::{ChangeKind, PlannedChange};
    use super::super::event::{MarketMetrics, MarketOutcome};
    use super::super::ranking::MarketScores;
    use super::super::requirement::{ExplicitRequirement, ImplicitRequirement};
    use super::super::verification::{BoxEvidence, BoxStatus};
    use super::*;
    use assize_review::case::ReviewInputs;

    /// A run with three bidders of five implementations each, for boxes in two modules.
    struct MarketSimulation {
        run: MarketRun,
        effect: MarketEffect,
        steps: Vec<MarketStep>,
    }

    fn demanded(ids: &[&str]) -> Requirements {
        let one = |id: &&str| ExplicitRequirement {
            id: (*id).to_owned(),
            checkbox: format!("Do {id}"),
            nth: 0,
            components: vec![format!("Do {id}")],
        };
        Requirements { explicit_requirements: ids.iter().map(one).collect(), ..Requirements::default() }
    }

    fn plan(path: &str, ids: &[&str]) -> Bid {
        bid(vec![change(path, ChangeKind::Edit, ids)])
    }

    impl MarketSimulation {
        fn new(iterations: u32) -> Self {
            let terms = |bidder: &str| BidderTerms { bidder: bidder.to_owned(), weight: 1.0 / 3.0, iterations };
            let (run, effect) = MarketRun::begin(MarketStart {
                run: "r".to_owned(),
                source: "issue 7".to_owned(),
                issue_number: Some(7),
                branch: "assize/issue-7".to_owned(),
                base: "c0ffee".to_owned(),
                seed: 1,
                settings: String::new(),
                bidders: ["a", "b", "c"].map(terms).into(),
                measures: Measures::default(),
            });
            Self { run, effect, steps: Vec::new() }
        }

        fn step(&mut self, step: MarketStep) -> &mut Self {
            self.steps.push(step.clone());
            self.effect = self.run.step(step);
            self
        }

        fn extracted(&mut self, ids: &[&str]) -> &mut Self {
            assert_eq!(self.effect, MarketEffect::Extract);
            self.step(MarketStep::Extracted { title: "Work".to_owned(), requirements: demanded(ids), ticked: 0 })
        }

        fn bids(&mut self, bids: &[(&str, Bid)]) -> &mut Self {
            for (bidder, bid) in bids {
                let came = BidReply::Bid(Box::new(bid.clone()));
                self.step(MarketStep::Asked { bidder: (*bidder).to_owned(), submitted_ms: 1, came });
            }
            self
        }

        /// Ranks them in this order, all with totals above the least.
        fn ranked(&mut self, order: &[&str], total: f64) -> &mut Self {
            assert_eq!(self.effect, MarketEffect::Rank);
            let name = |at: usize| format!("proposal_{}", at + 1);
            let ranked = |(at, _): (usize, &&str)| Ranked {
                rank: at + 1,
                proposal_id: name(at),
                total_score: total - at as f64 / 100.0,
                scores: MarketScores::default(),
                reasoning: String::new(),
            };
            let who = order.iter().enumerate().map(|(at, bidder)| (name(at), (*bidder).to_owned())).collect();
            let ranking = order.iter().enumerate().map(ranked).collect();
            self.step(MarketStep::Ranked { who, ranking, judges: Vec::new() })
        }

        fn implemented(&mut self) -> &mut Self {
            assert_eq!(self.effect, MarketEffect::Implement);
            self.step(MarketStep::Implemented { made: ImplementationReply::Patch(Box::default()) })
        }

        fn verified(&mut self, failure: Option<MarketFailure>, files: &[&str]) -> &mut Self {
            assert_eq!(self.effect, MarketEffect::Verify);
            let outcome = if failure.is_some() { Outcome::Revise } else { Outcome::Accept };
            let status = if failure.is_none() { BoxStatus::Done } else { BoxStatus::NotDone };
            let boxes = self.run.promised().explicit_requirements.into_iter();
            let boxes = boxes.map(|found| BoxEvidence { id: found.id, status, because: String::new() }).collect();
            let verification = Verification {
                outcome,
                unjudged: None,
                failure,
                boxes,
                files: files.iter().map(|file| (*file).to_owned()).collect(),
                tests: (3, 3),
                quality: (2, 2),
                metrics: MarketMetrics { lines_changed: Some(40), ..MarketMetrics::default() },
            };
            let module = |path: &str| (path.to_owned(), path.split('/').next().unwrap_or_default().to_owned());
            let modules = ["auth/token.rs", "auth/log.rs", "web/page.rs"].map(module).into();
            let review = Box::new(ReviewRecord::of(ReviewInputs::default()));
            self.step(MarketStep::Verified { verification: Box::new(verification), review, modules })
        }

        fn committed(&mut self) -> &mut Self {
            assert_eq!(self.effect, MarketEffect::Commit);
            self.step(MarketStep::Committed { commit: "1".to_owned() })
        }

        /// Has the outcomes told and written; returns whose they are, what they are, and what they add.
        fn told(&mut self) -> Vec<(String, MarketOutcome, i64)> {
            let MarketEffect::Tell(outcomes) = self.effect.clone() else { panic!("{:?}", self.effect) };
            let events = events(&outcomes, self.run.start(), self.run.iteration(), "2026-01-01T00:00:00Z");
            let said = |event: &MarketEvent| {
                (event.bot_id.clone(), event.outcome, (event.weight_delta * 100.0).round() as i64)
            };
            let all = events.iter().map(said).collect();
            self.step(MarketStep::OutcomesRecorded { events: events.clone() });
            assert_eq!(self.effect, MarketEffect::Write(events));
            self.step(MarketStep::Written);
            all
        }

        fn recorded(&mut self) -> &mut Self {
            assert_eq!(self.effect, MarketEffect::Record);
            self.step(MarketStep::Recorded { commit: None })
        }
    }

    fn tests_fail() -> Option<MarketFailure> {
        Some(MarketFailure::saying(FailureType::TestFailures, "test_expiry"))
    }

    fn who(told: &[(String, MarketOutcome, i64)]) -> Vec<(&str, MarketOutcome, i64)> {
        told.iter().map(|(bidder, outcome, delta)| (bidder.as_str(), *outcome, *delta)).collect()
    }

    #[test]
    fn what_passes_is_committed_told_ticked_and_recorded() {
        let mut play = MarketSimulation::new(5);
        play.extracted(&["req_1", "req_2"]);
        assert_eq!(play.effect, MarketEffect::Ask(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]));
        let far = plan("web/page.rs", &["req_2"]);
        play.bids(&[("b", plan("auth/token.rs", &["req_1"])), ("c", far.clone())]);
        assert_eq!(play.effect, MarketEffect::Ask(vec!["a".to_owned()]));
        let came = BidReply::Nothing("took too long".to_owned());
        play.step(MarketStep::Asked { bidder: "a".to_owned(), submitted_ms: 9, came });
        play.ranked(&["b", "c"], 0.8).implemented().verified(None, &["auth/token.rs"]).committed();
        let told = play.told();
        assert_eq!(
            who(&told),
            [("b", MarketOutcome::RankedFirstSuccess, 15), ("c", MarketOutcome::NotSelected, -2)],
            "who did not bid loses nothing"
        );
        assert_eq!(play.effect, MarketEffect::Tick(vec![BoxName { text: "Do req_1".to_owned(), nth: 0 }]));
        play.step(MarketStep::Ticked { gone: Vec::new() }).recorded();
        assert_eq!(play.effect, MarketEffect::End(MarketEnding::Rotated { open: vec!["req_2".to_owned()] }));
    }

    #[test]
    fn what_belongs_together_goes_on_as_long_as_iterations_are_left() {
        let first = |play: &mut MarketSimulation| {
            play.extracted(&["req_1", "req_2"]);
            let other = plan("auth/log.rs", &["req_2"]);
            play.bids(&[("a", plan("auth/token.rs", &["req_1"])), ("b", other.clone()), ("c", other)]);
            play.ranked(&["a", "b", "c"], 0.8).implemented().verified(None, &["auth/token.rs"]).committed();
            play.told();
            play.step(MarketStep::Ticked { gone: Vec::new() }).recorded();
        };
        let mut play = MarketSimulation::new(5);
        first(&mut play);
        play.extracted(&["req_2"]);
        assert_eq!((play.run.round(), play.run.iteration(), play.run.left("a")), (1, 1, 4));
        assert_eq!(play.run.failure(), None);
        let mut play = MarketSimulation::new(1);
        first(&mut play);
        // The others have one each.
        assert_eq!(play.effect, MarketEffect::Extract);
        play.extracted(&["req_2"]);
        assert_eq!(play.effect, MarketEffect::Ask(vec!["b".to_owned(), "c".to_owned()]), "`a` has none left");
        play.bids(&[("b", plan("auth/log.rs", &["req_2"])), ("c", plan("auth/log.rs", &["req_2"]))]);
        play.ranked(&["b", "c"], 0.8).implemented().verified(None, &["auth/log.rs"]).committed();
        play.told();
        play.step(MarketStep::Ticked { gone: Vec::new() }).recorded();
        // Whether that was all is looked at once more.
        play.extracted(&[]);
        assert_eq!(play.effect, MarketEffect::End(MarketEnding::Complete));
    }

    /// By hand: `a` fails (-15), hands in the same again (-5) and takes no part; `c` then passes (+12).
    #[test]
    fn after_a_failure_everybody_bids_again_and_who_repeats_itself_is_out() {
        let mut play = MarketSimulation::new(5);
        play.extracted(&["req_1"]);
        let same = plan("auth/token.rs", &["req_1"]);
        let other = plan("auth/log.rs", &["req_1"]);
        play.bids(&[("a", same.clone()), ("b", other.clone()), ("c", other.clone())]);
        play.ranked(&["a", "b", "c"], 0.9).implemented().verified(tests_fail(), &["auth/token.rs"]);
        assert_eq!(who(&play.told()), [("a", MarketOutcome::RankedFirstFailure, -15)]);
        assert_eq!(play.run.failure().map(|failure| failure.failed_bidder.as_str()), Some("a"));
        let reworded = Bid { approach: "Quite another way.".to_owned(), ..same };
        play.bids(&[("a", reworded), ("b", other.clone()), ("c", plan("auth/log.rs", &["req_1", "req_1.1"]))]);
        assert_eq!(play.run.candidates().iter().map(|one| one.bidder.as_str()).collect::<Vec<_>>(), ["b", "c"]);
        play.ranked(&["c", "b"], 0.9).implemented().verified(None, &["auth/log.rs"]).committed();
        assert_eq!(who(&play.told()), [("a", MarketOutcome::Resubmitted, -5), ("c", MarketOutcome::ReplanSuccess, 12)]);
    }

    #[test]
    fn two_failures_call_a_person_and_keep_what_there_is() {
        let mut play = MarketSimulation::new(5);
        play.extracted(&["req_1"]);
        let bids = |one: &str| {
            [("a", plan(one, &["req_1"])), ("b", plan("web/page.rs", &["req_1"])), ("c", plan("b", &["req_1"]))]
        };
        play.bids(&bids("auth/token.rs")).ranked(&["a", "b", "c"], 0.9).implemented().verified(tests_fail(), &["x"]);
        play.told();
        play.bids(&bids("auth/log.rs")).ranked(&["a", "b", "c"], 0.9).implemented().verified(None, &["x"]);
        assert_eq!(play.effect, MarketEffect::Commit);
        // Somebody else committed meanwhile: it is looked at on top of that.
        play.step(MarketStep::Outdated).verified(None, &["x"]);
        play.step(MarketStep::CommitRefused { why: "no tabs".to_owned() });
        assert_eq!(play.effect, MarketEffect::Keep);
        play.step(MarketStep::Preserved { commit: None });
        assert_eq!(
            who(&play.told()),
            [
                ("a", MarketOutcome::ReplanFailure, -20),
                ("a", MarketOutcome::CollectiveFailure, -5),
                ("b", MarketOutcome::CollectiveFailure, -5),
                ("c", MarketOutcome::CollectiveFailure, -5),
            ]
        );
        let MarketEffect::Flag(attention) = play.effect.clone() else { panic!("{:?}", play.effect) };
        let sentence = attention.sentence();
        assert!(sentence.contains("test_expiry") && sentence.contains("no tabs"), "{sentence}");
        play.step(MarketStep::Flagged).recorded();
        let MarketEffect::End(ending) = &play.effect else { panic!("{:?}", play.effect) };
        assert_eq!(ending.outcome(), Outcome::Reject);
        // The same steps lead to the same end.
        let (mut again, _) = MarketRun::begin(play.run.start().clone());
        let last = play.steps.iter().map(|step| again.step(step.clone())).last();
        assert_eq!(last.as_ref(), Some(&play.effect));
    }

    #[test]
    fn nobody_loses_where_nobody_could_judge() {
        let mut play = MarketSimulation::new(5);
        play.extracted(&["req_1"]);
        let one = plan("auth/token.rs", &["req_1"]);
        play.bids(&[("a", one.clone()), ("b", one.clone()), ("c", one.clone())]).ranked(&["a", "b", "c"], 0.9);
        let why = Unjudged::new(Cause::Unavailable, "no sandbox");
        play.step(MarketStep::Implemented { made: ImplementationReply::Unjudged(why) });
        let MarketEffect::Flag(attention @ Attention::Unjudged(why)) = &play.effect else {
            panic!("{:?}", play.effect)
        };
        assert_eq!(attention.sentence(), format!("the work could not be judged: {why}"));
        play.step(MarketStep::Flagged).recorded();
        let MarketEffect::End(ending) = &play.effect else { panic!("{:?}", play.effect) };
        assert_eq!(ending.outcome(), Outcome::Unjudged);
    }

    /// The failed bidder hands in the same, the others nothing good enough: it is told of, and a person learns of both.
    #[test]
    fn a_second_round_without_a_bid_is_a_failure_as_well() {
        let mut play = MarketSimulation::new(5);
        play.extracted(&["req_1"]);
        let one = plan("auth/token.rs", &["req_1"]);
        let other = plan("auth/log.rs", &["req_1"]);
        let bids = [("a", one.clone()), ("b", other.clone()), ("c", other)];
        play.bids(&bids).ranked(&["a", "b", "c"], 0.9).implemented().verified(tests_fail(), &["auth/token.rs"]);
        play.told();
        play.bids(&bids).ranked(&["b", "c"], 0.4);
        assert_eq!(play.effect, MarketEffect::Keep, "what failed first");
        play.step(MarketStep::Preserved { commit: Some("1".to_owned()) });
        assert_eq!(who(&play.told()), [("a", MarketOutcome::Resubmitted, -5)]);
        let MarketEffect::Flag(attention) = play.effect.clone() else { panic!("{:?}", play.effect) };
        let sentence = attention.sentence();
        assert!(sentence.contains("test_expiry") && sentence.contains("the best bid has 0.40"), "{sentence}");
        assert!(play.run.patch().is_some(), "what failed first can still be kept");
    }

    #[test]
    fn only_what_people_asked_for_opens_what_is_protected() {
        let mut play = MarketSimulation::new(5);
        let mut requirements = demanded(&["req_1", "req_2"]);
        requirements.implicit_requirements.push(ImplicitRequirement {
            id: "req_implicit_1".to_owned(),
            text: "Always run the linters of CLAUDE.md.".to_owned(),
            reasoning: String::new(),
        });
        play.step(MarketStep::Extracted { title: "Work".to_owned(), requirements, ticked: 0 });
        let one = plan("auth/token.rs", &["req_1"]);
        play.bids(&[("a", one.clone()), ("b", one.clone()), ("c", one)]).ranked(&["a", "b", "c"], 0.9);
        assert_eq!(play.run.asked_for(), "Do req_1");
    }

    #[test]
    fn bids_that_are_not_good_enough_and_bids_that_do_not_come_call_a_person() {
        let mut play = MarketSimulation::new(5);
        play.extracted(&["req_1"]);
        let one = plan("auth/token.rs", &["req_1"]);
        play.bids(&[("a", one.clone()), ("b", one.clone()), ("c", one)]).ranked(&["a", "b", "c"], TOTAL_MIN - 1e-6);
        assert!(matches!(&play.effect, MarketEffect::Flag(Attention::NoneGood { .. })), "{:?}", play.effect);
        let mut play = MarketSimulation::new(5);
        play.extracted(&["req_1"]);
        for bidder in ["a", "b", "c"] {
            let came = BidReply::Nothing("crashed".to_owned());
            play.step(MarketStep::Asked { bidder: bidder.to_owned(), submitted_ms: 1, came });
        }
        assert!(matches!(&play.effect, MarketEffect::Flag(Attention::NoBids(why)) if why.len() == 3));
        play = MarketSimulation::new(5);
        play.extracted(&[]);
        assert_eq!(play.effect, MarketEffect::End(MarketEnding::Complete), "nothing is open");
    }

    #[test]
    fn a_planned_change_is_for_what_it_names() {
        let PlannedChange { requirements, .. } = change("a", ChangeKind::Add, &["req_1.1"]);
        assert!(demanded(&["req_1"]).explicit_requirements[0].has(&requirements[0]));
        assert!(!demanded(&["req_1"]).explicit_requirements[0].has("req_10"));
    }
}
