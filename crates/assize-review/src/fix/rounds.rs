//! The rounds of a fix: judge, ask for a patch, judge the result, until it is accepted or asking again is of no use.
//!
//! [`Rounds`] is a state machine: events go in, and the next effect comes out. Its state depends on its events alone,
//! so that an interrupted fix resumes exactly where it stopped. The recorded events lead to the same effect, and no
//! paid question is asked again. Trees are numbers here, in the order in which they were first judged; 0 is the tree as
//! it was handed in.
//!
//! A fixer is asked on top of the best state so far, and a state that is no better is dropped. Tools may also continue
//! from a state that is as good: fixing one fault often uncovers the next, and tools cost nothing.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::ruling::{Outcome, Unjudged};
use serde::{Deserialize, Serialize};

use super::cost::Spending;
use crate::fix::policy::FixEnding;
use crate::fix::policy::FixPolicy;
use crate::ranking_key::RankingKey;

/// Who offers a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PatchOrigin {
    /// The tools themselves: built in, and free.
    Mechanical,
    /// The fixer that is configured: a model, or a program.
    Configured,
}

/// How often something is objected to, by what tells one objection from another wherever it has moved.
pub type ObjectionCounts = BTreeMap<String, u32>;

/// What came of judging a state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgedState {
    /// Where it stands.
    #[serde(rename = "standing")]
    pub ranking_key: RankingKey,
    /// The objections. Without an objection there is nothing to fix.
    pub objections: ObjectionCounts,
    /// Whether nothing differs from what the change is measured from.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unchanged: bool,
    /// How long it took, in milliseconds.
    pub time_ms: u64,
    /// The cost, in US dollars; `None` where it is unknown.
    pub cost_usd: Option<f64>,
}

/// What came of asking for a patch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Proposed {
    /// What was proposed.
    pub proposal: Proposal,
    /// How long it took, in milliseconds.
    pub time_ms: u64,
    /// The cost, in US dollars; `None` where it is unknown.
    pub cost_usd: Option<f64>,
}

/// What a fixer proposes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Proposal {
    /// A patch that fits.
    Fits {
        /// What tells the tree that it makes from any other.
        tree: String,
    },
    /// A patch that does not fit, or no patch at all, and what is wrong with it.
    Unfit(Vec<String>),
    /// Nothing: the fixer sees nothing that it could fix.
    Nothing,
    /// The fixer could not be asked.
    Unavailable(Unjudged),
    /// A patch that could not be tried, for a reason outside the patch. It is paid for, and is tried when the fix
    /// resumes.
    Untried(Unjudged),
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FixEvent {
    /// A state was judged.
    Judged(JudgedState),
    /// A fixer was asked.
    Proposed(Proposed),
}

/// What has to happen next.
#[derive(Debug, Clone, PartialEq)]
pub enum FixEffect {
    /// Judge this state.
    Judge(usize),
    /// Ask for a patch.
    Propose {
        /// Whom.
        by: PatchOrigin,
        /// On top of which state.
        from: usize,
        /// What was wrong with the patch before, when it is asked for once more.
        faults: Vec<String>,
    },
    /// It is over.
    End(FixEnding),
}

/// One patch that was asked for, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FixRound {
    /// Who was asked.
    pub by: PatchOrigin,
    /// On top of which state.
    pub from: usize,
    /// What came of it.
    pub came: RoundOutcome,
}

/// What came of a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RoundOutcome {
    /// Nothing yet: somebody is being asked.
    Asked,
    /// A new state, which is being judged.
    Made(usize),
    /// A new state that is better than all before.
    Better(usize),
    /// A new state that is as good, with other objections: tools go on from there.
    Even(usize),
    /// A new state that is no better, and was dropped.
    Dropped(usize),
    /// A tree that was known already: that of this state.
    #[serde(rename = "known")]
    Repeated(usize),
    /// No patch that fits, and what was wrong.
    Unfit(Vec<String>),
    /// Nothing.
    Nothing,
    /// The fixer could not be asked, or its answer could not be tried.
    Unavailable,
}

/// A fix at work.
#[derive(Debug, Clone, PartialEq)]
pub struct Rounds {
    policy: FixPolicy,
    configured: bool,
    /// Every state, by its tree, with what came of judging it.
    trees: BTreeMap<String, usize>,
    judged: Vec<JudgedState>,
    best: usize,
    /// The state that tools go on from: the best, or one that is as good.
    front: usize,
    rounds: Vec<FixRound>,
    asked_tools: BTreeSet<usize>,
    spent: Spending,
    /// What is waited for.
    effect: FixEffect,
    /// Why nothing came of the last question.
    outage: Option<FixerOutage>,
}

/// A question of which nothing came.
#[derive(Debug, Clone, PartialEq)]
struct FixerOutage {
    /// What had come of the round before it.
    before: RoundOutcome,
    /// Whether there is an answer, which could not be tried.
    is_answered: bool,
}

impl Rounds {
    /// Begins a fix of a tree. `configured` says whether there is a fixer beside the tools.
    pub fn begin(policy: FixPolicy, configured: bool, tree: impl Into<String>) -> (Self, FixEffect) {
        let rounds = Self {
            policy,
            configured,
            trees: BTreeMap::from([(tree.into(), 0)]),
            judged: Vec::new(),
            best: 0,
            front: 0,
            rounds: Vec::new(),
            asked_tools: BTreeSet::new(),
            spent: Spending::default(),
            effect: FixEffect::Judge(0),
            outage: None,
        };
        (rounds, FixEffect::Judge(0))
    }

    /// Returns the best state so far.
    pub fn best(&self) -> usize {
        self.best
    }

    /// Returns whether a tree is that of a state already.
    pub fn knows(&self, tree: &str) -> bool {
        self.trees.contains_key(tree)
    }

    /// Returns what came of judging a state.
    pub fn judged(&self, state: usize) -> Option<&JudgedState> {
        self.judged.get(state)
    }

    /// Returns the rounds so far.
    pub fn rounds(&self) -> &[FixRound] {
        &self.rounds
    }

    /// Returns what was spent.
    pub fn spent(&self) -> Spending {
        self.spent
    }

    /// Takes in an event and returns the next effect. An event that the fix does not wait for changes nothing.
    pub fn step(&mut self, event: FixEvent) -> FixEffect {
        self.effect = match (&self.effect, event) {
            (FixEffect::Judge(_), FixEvent::Judged(judged)) => self.hear(judged),
            (FixEffect::Propose { .. }, FixEvent::Proposed(proposed)) => self.take(proposed),
            // A later call may have asked a fixer again that could not be asked before.
            (FixEffect::End(FixEnding::Unavailable(_)), FixEvent::Proposed(proposed)) if self.outage.is_some() => {
                self.reopen();
                self.take(proposed)
            }
            (effect, _) => effect.clone(),
        };
        self.effect.clone()
    }

    /// Resumes a fix after an interruption. A fixer that could not be asked is asked again while the limits are not
    /// used up, since the obstacle may be gone. An answer that could not be tried is paid for already, so the limits do
    /// not apply.
    pub fn retry(&mut self) -> FixEffect {
        if let Some(outage) = &self.outage {
            self.effect = match self.spent_up().filter(|_| !outage.is_answered) {
                Some(ending) => FixEffect::End(ending),
                None => self.reopen(),
            };
        }
        self.effect.clone()
    }

    /// Makes the last round what it was before its last question, and puts that again.
    fn reopen(&mut self) -> FixEffect {
        let Some((round, outage)) = self.rounds.last_mut().zip(self.outage.take()) else { return self.effect.clone() };
        round.came = outage.before;
        let faults = if let RoundOutcome::Unfit(faults) = &round.came { faults.clone() } else { Vec::new() };
        FixEffect::Propose { by: round.by, from: round.from, faults }
    }

    /// Takes in what came of judging the newest state.
    fn hear(&mut self, judged: JudgedState) -> FixEffect {
        self.spent.add(judged.time_ms, judged.cost_usd);
        let state = self.judged.len();
        let outcome = judged.ranking_key.ruling;
        let unchanged = state == 0 && judged.unchanged;
        let repeats = self.judged.iter().any(|earlier| earlier.objections == judged.objections);
        let accepted = outcome == Outcome::Accept;
        let better =
            state == 0 || accepted || judged.ranking_key.improves_on(&self.judged[self.best].ranking_key).is_some();
        let ties = self.judged.get(self.best).is_some_and(|best| best.ranking_key.ties_with(&judged.ranking_key));
        self.judged.push(judged);
        let round = self.rounds.last_mut();
        let by = round.as_ref().map(|round| round.by);
        let even = !better && ties && !repeats && by == Some(PatchOrigin::Mechanical);
        if let Some(round) = round {
            round.came = match (better, even) {
                (true, _) => RoundOutcome::Better(state),
                (false, true) => RoundOutcome::Even(state),
                (false, false) => RoundOutcome::Dropped(state),
            };
        }
        if better {
            self.best = state;
        }
        self.front = if even { state } else { self.best };
        match outcome {
            Outcome::Accept | Outcome::Unjudged if unchanged => return FixEffect::End(FixEnding::Unchanged),
            Outcome::Accept => return FixEffect::End(FixEnding::Accepted),
            Outcome::Unjudged if better => return FixEffect::End(FixEnding::Unjudged),
            Outcome::Reject if state == 0 => return FixEffect::End(FixEnding::Rejected),
            _ => {}
        }
        if by == Some(PatchOrigin::Configured) && repeats {
            return FixEffect::End(FixEnding::Repeats);
        }
        self.next()
    }

    /// Takes in what a fixer offers.
    fn take(&mut self, proposed: Proposed) -> FixEffect {
        self.spent.add(proposed.time_ms, proposed.cost_usd);
        let Some(round) = self.rounds.last_mut() else { return FixEffect::Judge(0) };
        let (by, from) = (round.by, round.from);
        match proposed.proposal {
            Proposal::Fits { tree } => {
                let state = self.judged.len();
                if let Some(known) = self.trees.get(&tree) {
                    round.came = RoundOutcome::Repeated(*known);
                    return if by == PatchOrigin::Mechanical {
                        self.next()
                    } else {
                        FixEffect::End(FixEnding::Repeats)
                    };
                }
                self.trees.insert(tree, state);
                round.came = RoundOutcome::Made(state);
                FixEffect::Judge(state)
            }
            Proposal::Unfit(faults) => {
                let first = !matches!(round.came, RoundOutcome::Unfit(_));
                round.came = RoundOutcome::Unfit(faults.clone());
                // Asking once more is part of the round. A second patch that does not fit ends the round.
                if by == PatchOrigin::Configured && first && self.spent_up().is_none() {
                    return FixEffect::Propose { by, from, faults };
                }
                self.next()
            }
            Proposal::Nothing => {
                round.came = RoundOutcome::Nothing;
                if by == PatchOrigin::Mechanical { self.next() } else { FixEffect::End(FixEnding::NothingOffered) }
            }
            Proposal::Unavailable(why) => self.go_without(false, why),
            Proposal::Untried(why) => self.go_without(true, why),
        }
    }

    /// Ends the last round without an answer, or without one that could be tried.
    fn go_without(&mut self, is_answered: bool, why: Unjudged) -> FixEffect {
        let Some(round) = self.rounds.last_mut() else { return self.effect.clone() };
        let before = std::mem::replace(&mut round.came, RoundOutcome::Unavailable);
        if round.by == PatchOrigin::Mechanical {
            return self.next();
        }
        self.outage = Some(FixerOutage { before, is_answered });
        FixEffect::End(FixEnding::Unavailable(why))
    }

    /// Returns what is used up of what all rounds share.
    fn spent_up(&self) -> Option<FixEnding> {
        self.spent.used_up(&self.policy)
    }

    fn rounds_of(&self, by: PatchOrigin) -> u32 {
        u32::try_from(self.rounds.iter().filter(|round| round.by == by).count()).unwrap_or(u32::MAX)
    }

    /// Says who is asked next: what tools offer comes first, since it is free.
    fn next(&mut self) -> FixEffect {
        // What tools offer is free, but judging it need not be.
        let costs = self.judged.iter().any(|judged| judged.cost_usd != Some(0.0));
        if let Some(ending) = self.spent_up().filter(|ending| costs || *ending == FixEnding::TimeSpent) {
            return FixEffect::End(ending);
        }
        let free = self.rounds_of(PatchOrigin::Mechanical) < self.policy.rounds_max;
        let (by, from) = if free && self.asked_tools.insert(self.front) {
            (PatchOrigin::Mechanical, self.front)
        } else if !self.configured {
            return FixEffect::End(if free { FixEnding::NothingOffered } else { FixEnding::RoundsSpent });
        } else if self.rounds_of(PatchOrigin::Configured) >= self.policy.rounds_max {
            return FixEffect::End(FixEnding::RoundsSpent);
        } else if let Some(ending) = self.spent_up() {
            return FixEffect::End(ending);
        } else {
            (PatchOrigin::Configured, self.best)
        };
        self.rounds.push(FixRound { by, from, came: RoundOutcome::Asked });
        FixEffect::Propose { by, from, faults: Vec::new() }
    }
}

#[cfg(test)]
mod tests;
