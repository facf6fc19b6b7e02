//! The tournament: which of several candidates answers the specification best?
//!
//! [`TournamentCourt`] says which candidates have to be judged and which pairs have to be compared. [`rank`] makes the
//! decision, as a function of the record. Evidence comes first: candidates are ordered by their [`RankingKey`], and
//! judges compare only those that evidence cannot tell apart. Neither the order in which candidates are handed in nor
//! the one in which they are judged decides anything. This module must not know how a candidate is judged.
//!
//! A candidate that cannot come first any more may be stopped before its next gate. When that happens is chance: it
//! depends on which candidates were judged before. So the court takes back all results of a candidate after the first
//! gate that put it behind the best. Its reported results are then the same, whichever candidate was faster.

pub mod envelope;
pub mod generation;
pub mod prompt;
pub mod verdict;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use assize_core::opinion::Opinion;
use assize_core::ruling::{Cause, Outcome, Unjudged};
use assize_core::text::Untrusted;
use assize_gate::exec_report::{ExecReport, GateResult};
use assize_gate::gate::GateState;
use assize_patch::Patch;
use serde::{Deserialize, Serialize};

use crate::case::ReviewInputs;
use crate::court::ReviewRecord;
use crate::ranking_key::RankingKey;
use crate::tournament::generation::Generated;
use crate::tournament::verdict::{PairChoice, PairVerdict};

/// Most candidates of one tournament.
pub const CANDIDATES_MAX: usize = 200;
/// Most candidates of a tie that judges compare, each with each; where more share the lead, none is compared.
pub const COMPARED_MAX: usize = 8;
/// What stands among the limits of a review that was broken off.
pub const STOPPED_EARLY: &str = "it was stopped early: it cannot come first any more";

/// A candidate as it was handed in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TournamentCandidate {
    /// What people call it.
    pub name: String,
    /// What tells the tree that it makes from any other, differences left out that mean nothing; or what keeps it from
    /// being laid out.
    pub tree: Result<String, Vec<String>>,
    /// Its operations, where it was handed in or made as a patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Patch>,
}

/// What is known of a candidate that was judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Assessment {
    /// Where it stands.
    #[serde(rename = "standing")]
    pub ranking_key: RankingKey,
    /// What the review court recorded of it.
    pub review: Box<ReviewRecord>,
    /// How well it fits the project's conventions.
    pub convention: Conformity,
    /// Why no more is told of it than what was known after one of its gates, where that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// How the gates of a candidate went, one after the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GateProgress {
    /// How many came to a result. In its report they stand before what was looked at without running anything.
    pub gates: usize,
    /// How many limits its review had before the first of them ran.
    pub limits: usize,
    /// What was known while another gate was still to come.
    pub checkpoints: Vec<GateCheckpoint>,
    /// How well it fits the conventions by what is known without any gate.
    pub convention: Conformity,
}

/// What was known of a candidate while a gate was still to come.
#[derive(Debug, Clone, PartialEq)]
pub struct GateCheckpoint {
    /// How many gates had come to a result.
    pub gates: usize,
    /// The best that it could still come to.
    pub bound: RankingKey,
}

/// Returns the best that a candidate can still come to of which so much is known.
pub fn bound(so_far: &ReviewInputs) -> RankingKey {
    RankingKey::of(so_far, Outcome::Unjudged, None).at_best()
}

impl Assessment {
    /// Makes the assessment of a reviewed candidate: computes its ranking key, and reads from the limits of the review
    /// whether it was stopped early ([`STOPPED_EARLY`]).
    pub fn of(review: ReviewRecord, convention: Conformity) -> Self {
        let ranking_key = RankingKey::of(&review.inputs, review.ruling.outcome, convention.fit);
        let stopped = review.inputs.limits.iter().find(|limit| *limit == STOPPED_EARLY).cloned();
        Self { ranking_key, review: Box::new(review), convention, stopped }
    }

    /// Takes back what was found out after a stage.
    fn cut(&mut self, course: &GateProgress, checkpoint: &GateCheckpoint) {
        let mut inputs = std::mem::take(&mut self.review.inputs);
        inputs.exec = up_to(inputs.exec, course.gates, checkpoint.gates);
        inputs.limits.truncate(course.limits);
        inputs.limits.push(STOPPED_EARLY.to_owned());
        *self = Self::of(ReviewRecord::of(inputs), course.convention.clone());
    }

    /// Takes away the gates that are absent, and returns them.
    fn take_absent(&mut self) -> Vec<GateResult> {
        let gates = std::mem::take(&mut self.review.inputs.exec.gates);
        let (absent, used) = gates.into_iter().partition(|gate| gate.state == GateState::Absent);
        self.review.inputs.exec.gates = used;
        absent
    }
}

/// Returns a report as it would be if only the first of its gates had run.
fn up_to(report: ExecReport, gates: usize, kept: usize) -> ExecReport {
    let whole = ExecReport::of(report.gates, report.sandbox);
    let boundaries = report.boundary_errors.into_iter().skip(whole.boundary_errors.len());
    let remains = |index: usize, gate: &GateResult| index < kept || index >= gates && gate.state != GateState::Absent;
    let gates = whole.gates.into_iter().enumerate().filter(|(index, gate)| remains(*index, gate));
    let mut cut = ExecReport::of(gates.map(|(_, gate)| gate).collect(), whole.sandbox);
    cut.boundary_errors.extend(boundaries);
    cut
}

/// How well a change fits a project's conventions, each from 0 to 1.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Conformity {
    /// Its conventions alone; `None` where there is nothing to measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<f64>,
    /// The weighted total with what the gates say. It is reported and decides nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// All parts that it is made of.
    #[serde(default)]
    pub parts: serde_json::Value,
}

/// What judges said of two candidates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairComparison {
    /// The first one that was shown.
    pub first: usize,
    /// The second one.
    pub second: usize,
    /// What they said.
    pub opinions: Vec<Opinion<PairVerdict>>,
}

/// Everything that the result depends on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TournamentInputs {
    /// What was asked for.
    pub specification: Untrusted<String>,
    /// The commit that candidates are laid over; `None` where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The candidates, in the order in which they were handed in.
    pub candidates: Vec<TournamentCandidate>,
    /// What is known of each; nothing of one that was not judged, since an earlier one has the same tree.
    pub assessments: Vec<Option<Assessment>>,
    /// What judges said of pairs, each in both orders.
    pub comparisons: Vec<PairComparison>,
    /// Gates that are known and that no candidate uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<GateResult>,
}

impl TournamentInputs {
    /// Returns the first candidate with the same tree; `None` for one that cannot be laid out.
    pub fn original(&self, candidate: usize) -> Option<usize> {
        let tree = self.candidates.get(candidate)?.tree.as_ref().ok()?;
        self.candidates.iter().position(|other| other.tree.as_ref() == Ok(tree))
    }

    /// Returns where a candidate stands; one that was not judged yet, nowhere.
    pub fn ranking_key(&self, candidate: usize) -> Option<RankingKey> {
        match &self.candidates.get(candidate)?.tree {
            Err(faults) => Some(RankingKey::unfit(faults.len())),
            Ok(_) => self.assessment(candidate).map(|known| known.ranking_key),
        }
    }

    /// Returns what is known of a candidate, or of the first one with the same tree.
    pub fn assessment(&self, candidate: usize) -> Option<&Assessment> {
        self.assessments.get(self.original(candidate)?)?.as_ref()
    }

    /// Takes in what is known of a candidate.
    fn assess(&mut self, candidate: usize, assessment: Assessment) {
        if self.assessments.len() <= candidate {
            self.assessments.resize(candidate + 1, None);
        }
        self.assessments[candidate] = Some(assessment);
    }

    /// Returns the candidates whose gates were run to their end, with what is known of each.
    fn finished(&self) -> impl Iterator<Item = (usize, &Assessment)> {
        let known = self.assessments.iter().enumerate().filter_map(|(index, known)| Some((index, known.as_ref()?)));
        known.filter(|(_, known)| known.stopped.is_none())
    }
}

/// Where a candidate ended up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CandidateRank {
    /// Which candidate, counted from 0 as they were handed in.
    pub index: usize,
    /// Its rank, counted from 1; candidates that nothing tells apart share one.
    pub rank: usize,
    /// Where it stands.
    #[serde(rename = "standing")]
    pub ranking_key: RankingKey,
    /// Comparisons with its like that it won, less those that it lost.
    pub preferred: i32,
    /// The candidate with the same tree, where that was handed in before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<usize>,
}

/// What a tournament comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ranking {
    /// The best candidate; `None` where none can be laid out at all.
    pub winner_index: Option<usize>,
    /// Other candidates that nothing tells from the best, duplicates left out.
    pub tied: Vec<usize>,
    /// What the review court holds of the best.
    pub outcome: Outcome,
    /// Every candidate, the best first.
    pub places: Vec<CandidateRank>,
}

/// What stands in the ledger of a tournament.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TournamentRecord {
    /// What the result depends on.
    pub inputs: TournamentInputs,
    /// The result.
    pub ranking: Ranking,
    /// What became of the candidates that a fixer was asked for, where one was. It decides nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generated: Option<Generated>,
}

impl TournamentRecord {
    /// Says why nothing was judged, where nothing was.
    pub fn unjudged(&self) -> Option<Unjudged> {
        if self.ranking.outcome != Outcome::Unjudged {
            return None;
        }
        let best = self.ranking.winner_index.and_then(|winner| self.inputs.assessment(winner));
        let of_best = best.and_then(|known| known.review.ruling.unjudged.clone());
        let of_fixer = || self.generated.as_ref().and_then(Generated::why_none);
        let nobody = || Unjudged::new(Cause::NotBeforeCourt, "there is no candidate");
        Some(of_best.or_else(of_fixer).unwrap_or_else(nobody))
    }
}

/// Decides a tournament. A pure function of what is recorded of it.
pub fn rank(inputs: &TournamentInputs) -> Ranking {
    let preferred = preferences(inputs);
    let place = |index: usize| CandidateRank {
        index,
        rank: 0,
        ranking_key: inputs.ranking_key(index).unwrap_or_else(|| RankingKey::unfit(1)),
        preferred: inputs.original(index).and_then(|original| preferred.get(&original)).copied().unwrap_or_default(),
        duplicate_of: inputs.original(index).filter(|original| *original != index),
    };
    let mut places: Vec<CandidateRank> = (0..inputs.candidates.len()).map(place).collect();
    // What is left is told apart by the tree itself, so that the order of candidates says nothing.
    let tree = |place: &CandidateRank| inputs.candidates[place.index].tree.clone().ok();
    places.sort_by(|one, other| {
        let unlike = compare(one, other).reverse();
        unlike.then_with(|| tree(one).cmp(&tree(other))).then_with(|| one.index.cmp(&other.index))
    });
    let mut rank = 1;
    for position in 0..places.len() {
        if position > 0 && compare(&places[position - 1], &places[position]).is_ne() {
            rank = position + 1;
        }
        places[position].rank = rank;
    }
    let fits = |place: &&CandidateRank| inputs.candidates[place.index].tree.is_ok();
    let winner = places.first().filter(fits);
    let tied = |place: &&CandidateRank| place.rank == 1 && place.duplicate_of.is_none();
    let tied = places.iter().filter(fits).skip(1).filter(tied).map(|place| place.index);
    // Without candidates there is nothing to judge.
    let of_none = if inputs.candidates.is_empty() { Outcome::Unjudged } else { Outcome::Revise };
    Ranking {
        winner_index: winner.map(|place| place.index),
        tied: tied.collect(),
        outcome: winner.map_or(of_none, |place| place.ranking_key.ruling),
        places,
    }
}

/// Orders two places: by evidence, then by what judges prefer, then by taste that can be counted.
fn compare(one: &CandidateRank, other: &CandidateRank) -> Ordering {
    if one.ranking_key.ties_with(&other.ranking_key) {
        one.preferred.cmp(&other.preferred).then_with(|| one.ranking_key.cmp(&other.ranking_key))
    } else {
        one.ranking_key.cmp(&other.ranking_key)
    }
}

/// Counts the comparisons that each candidate won, less those that it lost (Copeland, "A reasonable social welfare
/// function", 1951). A judge prefers a candidate who does so in both orders; several judges, by more votes.
fn preferences(inputs: &TournamentInputs) -> BTreeMap<usize, i32> {
    let mut votes: BTreeMap<(usize, usize), BTreeMap<&str, [i32; 2]>> = BTreeMap::new();
    for comparison in &inputs.comparisons {
        let (low, high) = (comparison.first.min(comparison.second), comparison.first.max(comparison.second));
        for opinion in &comparison.opinions {
            let Ok(verdict) = &opinion.verdict else { continue };
            let vote = match (verdict.choice, comparison.first == low) {
                (PairChoice::First, true) | (PairChoice::Second, false) => 1,
                (PairChoice::Second, true) | (PairChoice::First, false) => -1,
                (PairChoice::Tie, _) => 0,
            };
            votes.entry((low, high)).or_default().entry(&opinion.judge.id).or_default()
                [usize::from(comparison.first != low)] = vote;
        }
    }
    let mut score: BTreeMap<usize, i32> = BTreeMap::new();
    for ((low, high), judges) in votes {
        // A judge that sees it otherwise when the order is another one does not know.
        let sum: i32 = judges.values().map(|[one, other]| if one == other { *one } else { 0 }).sum();
        *score.entry(low).or_default() += sum.signum();
        *score.entry(high).or_default() -= sum.signum();
    }
    score
}

/// Something that happened.
#[derive(Debug, Clone)]
pub enum TournamentEvent {
    /// A candidate was judged.
    Assessed {
        /// Which one.
        candidate: usize,
        /// What is known of it now.
        assessment: Box<Assessment>,
        /// How that came to be known.
        course: GateProgress,
    },
    /// Judges have compared two candidates.
    Compared(Box<PairComparison>),
}

/// What has to happen next.
#[derive(Debug, Clone, PartialEq)]
pub enum TournamentEffect {
    /// Judge these candidates, in any order, as many at once as can be.
    Assess(Vec<usize>),
    /// Have judges compare these pairs, shown in this order.
    Compare(Vec<(usize, usize)>),
    /// Record the result, then show it.
    Rule(Box<TournamentRecord>),
}

/// The court at work on one tournament.
#[derive(Debug)]
pub struct TournamentCourt {
    inputs: TournamentInputs,
    has_judges: bool,
    courses: BTreeMap<usize, GateProgress>,
    waiting: Vec<(usize, usize)>,
}

impl TournamentCourt {
    /// Opens the court over candidates of which none was judged yet.
    pub fn new(inputs: TournamentInputs, has_judges: bool) -> Self {
        Self { inputs, has_judges, courses: BTreeMap::new(), waiting: Vec::new() }
    }

    /// Says what has to happen first.
    pub fn begin(&mut self) -> TournamentEffect {
        let all = 0..self.inputs.candidates.len();
        let due: Vec<usize> = all.filter(|index| self.inputs.original(*index) == Some(*index)).collect();
        if due.is_empty() { self.rule() } else { TournamentEffect::Assess(due) }
    }

    /// Takes in what happened; returns what has to happen next once nothing is waited for any more.
    pub fn step(&mut self, event: TournamentEvent) -> Option<TournamentEffect> {
        match event {
            TournamentEvent::Assessed { candidate, assessment, course } => {
                self.inputs.assess(candidate, *assessment);
                self.courses.insert(candidate, course);
                let all = 0..self.inputs.candidates.len();
                let fits = |index: &usize| self.inputs.original(*index).is_some();
                if all.filter(fits).any(|index| self.inputs.assessment(index).is_none()) {
                    return None;
                }
                self.cut();
                self.waiting = self.pairs();
                Some(if self.waiting.is_empty() {
                    self.rule()
                } else {
                    TournamentEffect::Compare(self.waiting.clone())
                })
            }
            TournamentEvent::Compared(comparison) => {
                self.waiting.retain(|pair| *pair != (comparison.first, comparison.second));
                self.inputs.comparisons.push(*comparison);
                self.waiting.is_empty().then(|| self.rule())
            }
        }
    }

    /// Returns the standing that a candidate has to reach to be of any interest: the best of those that are known.
    pub fn best(&self) -> Option<RankingKey> {
        self.inputs.finished().map(|(_, known)| known.ranking_key).max()
    }

    /// Pairs of those that share the lead as far as evidence goes, each in both orders.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let Some(best) = self.best().filter(|_| self.has_judges) else { return Vec::new() };
        let leads = |(_, known): &(usize, &Assessment)| known.ranking_key.ties_with(&best);
        let leading: Vec<usize> = self.inputs.finished().filter(leads).map(|(index, _)| index).collect();
        if leading.len() > COMPARED_MAX {
            return Vec::new();
        }
        let with = |one: usize| leading.iter().map(move |other| (one, *other));
        leading.iter().flat_map(|one| with(*one)).filter(|(one, other)| one != other).collect()
    }

    /// Takes back the results that a candidate has only because no better candidate was known yet. The best candidate
    /// was never behind, so it keeps all of its results.
    fn cut(&mut self) {
        let Some(best) = self.best() else { return };
        for (candidate, course) in &self.courses {
            let Some(Some(known)) = self.inputs.assessments.get_mut(*candidate) else { continue };
            // Of what could not be read to the end there is no report to cut.
            let is_whole = known.review.inputs.exec.used().count() >= course.gates;
            if let Some(checkpoint) = course.checkpoints.iter().find(|checkpoint| is_whole && checkpoint.bound < best) {
                known.cut(course, checkpoint);
            }
        }
    }

    /// Puts the gates that are absent wherever anybody looked to its end in one place.
    fn gather_absent(&mut self) {
        let mut absent: Option<Vec<GateResult>> = None;
        let mut used: BTreeSet<String> = BTreeSet::new();
        for known in self.inputs.assessments.iter_mut().flatten() {
            let of_this = known.take_absent();
            used.extend(known.review.inputs.exec.gates.iter().map(|gate| gate.id.clone()));
            if known.stopped.is_none() && absent.is_none() {
                absent = Some(of_this);
            }
        }
        self.inputs.absent = absent.unwrap_or_default();
        self.inputs.absent.retain(|gate| !used.contains(&gate.id));
    }

    fn rule(&mut self) -> TournamentEffect {
        self.gather_absent();
        let inputs = std::mem::take(&mut self.inputs);
        let ranking = rank(&inputs);
        TournamentEffect::Rule(Box::new(TournamentRecord { inputs, ranking, generated: None }))
    }
}

#[cfg(test)]
mod tests;
