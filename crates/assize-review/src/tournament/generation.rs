//! The candidates that a fixer makes for a tournament: which one to ask for next, and when to stop asking.
//!
//! [`Generation`] is a state machine whose state depends on its steps alone, as in [`crate::fix::rounds`]. An
//! interrupted generation resumes from the record, and no patch that was paid for is asked for again. A fixer that
//! cannot be asked makes no candidate, so that no candidate loses by it; the result reports this. This module must not
//! know what a patch does to a tree.

use assize_core::opinion::JudgeRecord;
use assize_core::ruling::{Cause, Unjudged};
use assize_core::text::Untrusted;
use assize_patch::Patch;
use serde::{Deserialize, Serialize};

use crate::fix::cost::Costs;
use crate::fix::policy::{FixEnding, FixPolicy};
use crate::fix::rounds::{Proposal, Proposed};

/// Faults of a patch that are named as the reason why there is no candidate.
const FAULTS_NAMED: usize = 3;

/// The inputs that a generation began with. An interrupted generation resumes only if all of them are the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GenerationStart {
    /// What was asked for.
    pub specification: Untrusted<String>,
    /// What tells the tree of the base from any other.
    pub tree: String,
    /// The fixer: everything that shapes what it answers.
    pub fixer: String,
    /// How many candidates are asked for.
    pub asked_for: usize,
}

/// One asking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GenerationStep {
    /// For which candidate, counted from 1.
    pub number: usize,
    /// What came of it.
    pub proposed: Proposed,
    /// The patch, where one fits or could not be tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Patch>,
    /// Who proposed it, where a model did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixer: Option<JudgeRecord>,
}

/// What became of the candidates that a fixer was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Generated {
    /// How many were asked for.
    pub asked_for: usize,
    /// How many could be made.
    pub made: usize,
    /// What all of them cost.
    pub costs: Costs,
    /// Each of them.
    pub attempts: Vec<Attempt>,
}

/// What became of one candidate that a fixer was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Attempt {
    /// Which one, counted from 1.
    pub number: usize,
    /// Which candidate of the tournament it is; `None` where it could not be made.
    pub index: Option<usize>,
    /// Why it could not be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Unjudged>,
    /// What it cost.
    pub costs: Costs,
}

impl Generated {
    /// Returns the costs of a candidate; `None` for a candidate that was not made here.
    pub fn costs_of(&self, candidate: usize) -> Option<&Costs> {
        self.attempts.iter().find(|attempt| attempt.index == Some(candidate)).map(|attempt| &attempt.costs)
    }

    /// Returns the candidates that could not be made, with the reasons.
    pub fn missing(&self) -> impl Iterator<Item = (&Attempt, &Unjudged)> {
        self.attempts.iter().filter_map(|attempt| Some((attempt, attempt.missing.as_ref()?)))
    }

    /// Says why there is no candidate at all; nothing where there is one.
    pub fn why_none(&self) -> Option<Unjudged> {
        let (_, first) = self.missing().next().filter(|_| self.made == 0)?;
        Some(Unjudged::new(first.cause, format!("no candidate could be made: {}", first.detail)))
    }
}

/// What has to happen next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GenerationEffect {
    /// Ask for a candidate.
    Ask {
        /// Which one, counted from 1.
        number: usize,
        /// What was wrong with the patch before, when it is asked for once more.
        faults: Vec<String>,
    },
    /// Try an answer that is paid for, and could not be tried before.
    Try {
        /// For which candidate, counted from 1.
        number: usize,
        /// The answer.
        patch: Patch,
    },
    /// All were asked for, or nothing is left to pay with.
    End,
}

/// The making of candidates at work.
#[derive(Debug, Clone, PartialEq)]
pub struct Generation {
    policy: FixPolicy,
    costs: Costs,
    candidates: Vec<CandidateGeneration>,
}

/// One candidate that is being made.
#[derive(Debug, Clone, PartialEq, Default)]
struct CandidateGeneration {
    costs: Costs,
    patch: Option<Patch>,
    /// What was wrong with the last answer, where it was no patch that fits.
    faults: Option<Vec<String>>,
    missing: Option<Unjudged>,
    is_over: bool,
    /// Whether the fixer could not be asked the last time, or its answer not be tried.
    is_out: bool,
    /// The answer that could not be tried.
    untried: Option<Patch>,
}

impl CandidateGeneration {
    fn take(&mut self, step: &GenerationStep) {
        let proposal = &step.proposed.proposal;
        add(&mut self.costs, step, self.untried.is_some());
        self.is_out = matches!(proposal, Proposal::Unavailable(_) | Proposal::Untried(_));
        self.untried = step.patch.clone().filter(|_| matches!(proposal, Proposal::Untried(_)));
        self.is_over = true;
        self.missing = match proposal {
            Proposal::Fits { .. } => {
                self.patch.clone_from(&step.patch);
                None
            }
            Proposal::Nothing => Some(Unjudged::new(Cause::NotBeforeCourt, "the fixer offers nothing")),
            Proposal::Unavailable(why) | Proposal::Untried(why) => Some(why.clone()),
            Proposal::Unfit(faults) => {
                // Asking once more is part of the generation. A second patch that does not fit ends it.
                self.is_over = self.faults.replace(faults.clone()).is_some();
                Some(Unjudged::new(Cause::Malformed, format!("no patch that fits: {}", named(faults))))
            }
        };
    }
}

/// Adds the costs of a step. A step that only tries an earlier answer again asks no fixer.
fn add(costs: &mut Costs, step: &GenerationStep, is_retrial: bool) {
    let Proposed { time_ms, cost_usd, .. } = step.proposed;
    if is_retrial {
        costs.spent.add(time_ms, cost_usd);
    } else {
        costs.add(time_ms, cost_usd, step.fixer.as_ref());
    }
}

fn named(faults: &[String]) -> String {
    let more = faults.len().saturating_sub(FAULTS_NAMED);
    let all = faults.iter().take(FAULTS_NAMED).cloned().collect::<Vec<_>>().join("; ");
    if more > 0 { format!("{all}; and {more} more") } else { all }
}

impl Generation {
    /// Begins with what is recorded of one that was interrupted, if anything. What that could not ask for is asked for again:
    /// whatever was in the way may be gone.
    pub fn begin(policy: FixPolicy, asked_for: usize, earlier: &[GenerationStep]) -> Self {
        let candidates = vec![CandidateGeneration::default(); asked_for];
        let mut generation = Self { policy, costs: Costs::default(), candidates };
        for step in earlier {
            generation.take(step);
        }
        for making in generation.candidates.iter_mut().filter(|making| making.is_out) {
            making.is_over = false;
        }
        generation
    }

    /// Returns how many candidates there are by now.
    pub fn made(&self) -> usize {
        self.candidates.iter().filter(|making| making.patch.is_some()).count()
    }

    /// Takes in what came of asking.
    pub fn take(&mut self, step: &GenerationStep) {
        let making = step.number.checked_sub(1).and_then(|index| self.candidates.get_mut(index));
        // One that could not be asked for may have been asked for again after an interruption.
        let Some(making) = making.filter(|making| !making.is_over || making.is_out) else { return };
        add(&mut self.costs, step, making.untried.is_some());
        making.take(step);
    }

    /// Says what has to happen next.
    pub fn effect(&self) -> GenerationEffect {
        let mut all = self.candidates.iter().enumerate().filter(|(_, making)| !making.is_over);
        if let Some((index, patch)) = all.find_map(|(index, making)| Some((index, making.untried.clone()?))) {
            return GenerationEffect::Try { number: index + 1, patch };
        }
        let open = self.candidates.iter().position(|making| !making.is_over);
        match open.filter(|_| self.spent_up().is_none()) {
            Some(index) => {
                let faults = self.candidates[index].faults.clone().unwrap_or_default();
                GenerationEffect::Ask { number: index + 1, faults }
            }
            None => GenerationEffect::End,
        }
    }

    fn spent_up(&self) -> Option<FixEnding> {
        self.costs.spent.used_up(&self.policy)
    }

    /// Returns what became of all of them, and the patches by their numbers. `handed_in` candidates come before them.
    pub fn end(self, handed_in: usize) -> (Generated, Vec<(usize, Patch)>) {
        let unasked = self.spent_up().map(|ending| {
            let cause = if ending == FixEnding::TimeSpent { Cause::Timeout } else { Cause::OverBudget };
            Unjudged::new(cause, ending.sentence())
        });
        let mut patches = Vec::new();
        let (asked_for, costs) = (self.candidates.len(), self.costs);
        let attempts = self.candidates.into_iter().enumerate().map(|(index, making)| {
            let number = index + 1;
            let CandidateGeneration { costs, patch, missing, .. } = making;
            let place = patch.map(|patch| {
                patches.push((number, patch));
                handed_in + patches.len() - 1
            });
            let missing = if place.is_some() { None } else { missing.or_else(|| unasked.clone()) };
            Attempt { number, index: place, missing, costs }
        });
        let attempts = attempts.collect();
        (Generated { asked_for, made: patches.len(), costs, attempts }, patches)
    }
}

#[cfg(test)]
mod tests;
