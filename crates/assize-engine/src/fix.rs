//! Carries out a fix: judges states, asks fixers, tries their patches in a copy, and keeps the best state.
//!
//! The user's tree is only read here. The pure state machine decides the next step. Every step is stored before the
//! next one begins, so that an interrupted fix can be resumed.

pub mod proposal;
pub mod workspace;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use assize_core::text::{Untrusted, head};
use assize_patch::{FilePin, Patch, PatchInput, PatchLimits, Protection};
use assize_review::case::ReviewCase;
use assize_review::court::ReviewRecord;
use assize_review::fix::cost::Spending;
use assize_review::fix::policy::{FixEnding, FixPolicy};
use assize_review::fix::prompt::{FixAttachments, files_that_matter};
use assize_review::fix::record::{FixEnd, FixStart, FixStep, is_unchanged, objections};
use assize_review::fix::rounds::{
    FixEffect, FixEvent, FixRound, JudgedState, PatchOrigin, Proposal, Proposed, RoundOutcome, Rounds,
};
use assize_review::ranking_key::RankingKey;

use crate::court::review::{self, AskReviewJudges, ReviewError, ReviewStep, ReviewTerms};
use crate::fixer::{FixAnswer, FixRequest, Fixer, NoPatch, mechanical};
use crate::patch::PatchTerms;
use crate::work_copy::{CopyError, WorkCopy};
use crate::work_tree::WorkTree;
use proposal::{TriedProposal, fitting, proposal};
use workspace::FixWorkspace;

/// The terms of a fix.
pub struct FixTerms<'a> {
    /// How states are judged.
    pub review: &'a ReviewTerms,
    /// How long it continues, and what it may cost.
    pub policy: FixPolicy,
    /// How large a patch may be.
    pub limits: PatchLimits,
    /// The fixer that is asked in addition to the tools.
    pub fixer: Option<&'a dyn Fixer>,
}

/// Why a fix failed.
#[derive(Debug, thiserror::Error)]
pub enum FixError {
    /// A state could not be judged.
    #[error(transparent)]
    Review(#[from] ReviewError),
    /// The recorded steps do not lead to the recorded state.
    #[error("what is recorded of the interrupted fix does not fit this tree: {0}")]
    Record(String),
    /// A step cannot be stored. The fix stops, because it could not be resumed.
    #[error("the ledger: {0}")]
    Keep(String),
}

impl From<CopyError> for FixError {
    fn from(error: CopyError) -> Self {
        Self::Review(error.into())
    }
}

/// The progress of a fix.
pub enum FixProgress<'a> {
    /// A state is being judged.
    Judging(ReviewStep<'a>),
    /// A fixer is being asked.
    Asking {
        /// The fixer.
        by: PatchOrigin,
        /// The round, counted from 1.
        round: usize,
        /// Whether it is asked again.
        again: bool,
    },
    /// A round is over.
    Came(&'a FixRound),
}

/// The result of a fix.
pub struct Fixed {
    /// For the record. Nothing is written into the user's tree yet.
    pub end: FixEnd,
    /// The review record of the best state.
    pub review: ReviewRecord,
    /// What the files of the user's tree must be for the patch to be applied.
    pub pins: BTreeMap<String, Option<FilePin>>,
    /// The root of the project to which the patch belongs.
    pub home: PathBuf,
    /// The identity of the tree at the start.
    pub start: String,
}

impl Fixed {
    /// Returns whether the project is still the same tree as at the start. If not, the ruling does not hold for it.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn is_current(&self) -> Result<bool, ReviewError> {
        Ok(tree_of(&self.home)? == self.start)
    }
}

/// Returns the identity of a project's tree.
///
/// # Errors
///
/// Fails if it cannot be read.
pub fn tree_of(folder: &Path) -> Result<String, ReviewError> {
    let repository = WorkTree::project(folder).repository()?;
    let home = repository.as_ref().map_or(folder, |repository| repository.root());
    let paths = review::paths_of(home, repository.as_ref())?.into_iter().collect();
    Ok(workspace::tree_id(home, &paths).map_err(|error| CopyError::Io { path: home.to_owned(), error })?)
}

/// A fix of a project's tree.
pub struct FixRun<'a> {
    terms: &'a FixTerms<'a>,
    case: ReviewCase,
    /// The root of the project.
    home: PathBuf,
    workspace: FixWorkspace,
    patches: PatchTerms,
}

impl<'a> FixRun<'a> {
    /// Copies the tree of a project, and returns the fix with its start record. `settings` is everything else that a
    /// ruling depends on, in any form.
    ///
    /// # Errors
    ///
    /// Fails if the tree cannot be read or copied.
    pub fn new(
        case: ReviewCase,
        terms: &'a FixTerms<'a>,
        folder: &Path,
        settings: &str,
    ) -> Result<(Self, FixStart), FixError> {
        let repository = WorkTree::project(folder).repository().map_err(ReviewError::from)?;
        let home = repository.as_ref().map_or(folder, |repository| repository.root()).to_owned();
        let workspace = FixWorkspace::new(WorkCopy::of_folder(&home, review::paths_of(&home, repository.as_ref())?)?)?;
        let protection = Protection::by(case.specification.inspect());
        let patches = PatchTerms { limits: terms.limits, protection, ..PatchTerms::default() };
        let start = FixStart {
            case: case.clone(),
            tree: workspace.start().to_owned(),
            settings: blake3::hash(settings.as_bytes()).to_hex()[..32].to_owned(),
            policy: terms.policy,
            fixer: terms.fixer.map(Fixer::identity),
        };
        Ok((Self { terms, case, home, workspace, patches }, start))
    }

    /// Runs to the end. `earlier` are the recorded steps of an interrupted fix. `keep` stores each new step before the
    /// next one begins.
    ///
    /// # Errors
    ///
    /// Fails if a state cannot be judged, or a step cannot be stored.
    pub fn run(
        mut self,
        earlier: Vec<FixStep>,
        keep: &mut dyn FnMut(&FixStep) -> Result<(), String>,
        watch: &mut dyn FnMut(FixProgress<'_>),
        ask: AskReviewJudges<'_>,
    ) -> Result<Fixed, FixError> {
        let (mut rounds, mut effect) =
            Rounds::begin(self.terms.policy, self.terms.fixer.is_some(), self.workspace.start().to_owned());
        let mut steps = earlier;
        for step in &steps {
            self.take_up(step, &rounds)?;
            effect = rounds.step(step.event.clone());
        }
        if !steps.is_empty() {
            effect = rounds.retry();
        }
        // The next round has already begun, unless this one continues or was the last.
        let over = |round: &&FixRound| !matches!(round.came, RoundOutcome::Asked | RoundOutcome::Made(_));
        let mut reported = rounds.rounds().iter().take_while(over).count();
        loop {
            let (step, failure) = match &effect {
                FixEffect::End(ending) => return self.end(ending.clone(), &rounds, &steps),
                FixEffect::Judge(state) => (self.judge(*state, watch, ask)?, None),
                FixEffect::Propose { by, from, faults } => {
                    let round = rounds.rounds().len();
                    watch(FixProgress::Asking { by: *by, round, again: !faults.is_empty() });
                    self.propose(*by, *from, faults, &rounds, &steps)?
                }
            };
            keep(&step).map_err(FixError::Keep)?;
            if let Some(error) = failure {
                return Err(error);
            }
            self.take_up(&step, &rounds)?;
            effect = rounds.step(step.event.clone());
            steps.push(step);
            while let Some(round) = rounds.rounds().get(reported).filter(over) {
                watch(FixProgress::Came(round));
                reported += 1;
            }
        }
    }

    /// Makes the state to which a recorded step leads.
    fn take_up(&mut self, step: &FixStep, rounds: &Rounds) -> Result<(), FixError> {
        let FixEvent::Proposed(Proposed { proposal: Proposal::Fits { tree }, .. }) = &step.event else { return Ok(()) };
        if rounds.knows(tree) {
            return Ok(());
        }
        let Some(patch) = &step.patch else { return Err(FixError::Record("a patch is missing".to_owned())) };
        self.workspace.check_out(rounds.rounds().last().map_or(0, |round| round.from))?;
        let terms = self.patches.clone().checked_before();
        let made = fitting(&self.workspace, &PatchInput::Operations(patch.clone()), &terms);
        match made {
            Ok((made, _)) if made.id == *tree => {
                self.workspace.keep(made);
                Ok(())
            }
            Ok(_) => Err(FixError::Record("a patch makes another tree".to_owned())),
            Err(faults) => Err(FixError::Record(faults.join("; "))),
        }
    }

    fn judge(
        &mut self,
        state: usize,
        watch: &mut dyn FnMut(FixProgress<'_>),
        ask: AskReviewJudges<'_>,
    ) -> Result<FixStep, FixError> {
        let begin = Instant::now();
        self.workspace.check_out(state)?;
        let work_tree = WorkTree::copy(&self.workspace.path(), &self.home);
        let record = review::hold(
            self.case.clone(),
            self.terms.review,
            &work_tree,
            &mut |step| watch(FixProgress::Judging(step)),
            ask,
        )?;
        let costs = record.inputs.opinions.iter().map(|opinion| opinion.judge.cost_usd);
        let judged = JudgedState {
            ranking_key: RankingKey::of(&record.inputs, record.ruling.outcome, None),
            objections: objections(&record),
            unchanged: is_unchanged(&record),
            time_ms: millis(begin),
            // The sum of no floats is negative zero.
            cost_usd: costs.sum::<Option<f64>>().map(|cost| cost + 0.0),
        };
        Ok(FixStep { event: FixEvent::Judged(judged), patch: None, fixer: None, review: Some(Box::new(record)) })
    }

    fn propose(
        &mut self,
        by: PatchOrigin,
        from: usize,
        faults: &[String],
        rounds: &Rounds,
        steps: &[FixStep],
    ) -> Result<(FixStep, Option<FixError>), FixError> {
        let begin = Instant::now();
        self.workspace.check_out(from)?;
        let record = review_of(steps, from).ok_or_else(|| FixError::Record("a ruling is missing".to_owned()))?;
        let untried = steps.last().filter(|_| by == PatchOrigin::Configured).and_then(untried);
        // An answer that is tried again was within the limits before.
        let limits =
            if by == PatchOrigin::Mechanical || untried.is_some() { PatchLimits::NONE } else { self.patches.limits };
        let answer = match (untried, by, self.terms.fixer) {
            (Some(patch), ..) => {
                FixAnswer { patch: Ok(PatchInput::Operations(patch.clone())), record: None, cost_usd: Some(0.0) }
            }
            (None, PatchOrigin::Configured, Some(fixer)) => self.ask(fixer, record, faults, rounds, steps)?,
            _ => self.ask_tools(record)?,
        };
        let protection = match by {
            PatchOrigin::Mechanical => self.patches.protection.for_tools(),
            PatchOrigin::Configured => self.patches.protection.clone(),
        };
        let terms = PatchTerms { limits, protection, ..self.patches.clone() };
        let TriedProposal { proposal, patch, failure } =
            proposal(&mut self.workspace, &self.home, &terms, answer.patch);
        let failure = failure.map(FixError::from);
        if by == PatchOrigin::Mechanical
            && let Some(error) = failure
        {
            // Tools give the same answer again at no cost.
            return Err(error);
        }
        let event = FixEvent::Proposed(Proposed { proposal, time_ms: millis(begin), cost_usd: answer.cost_usd });
        Ok((FixStep { event, patch, fixer: answer.record, review: None }, failure))
    }

    fn ask_tools(&self, record: &ReviewRecord) -> Result<FixAnswer, FixError> {
        let gates = &self.terms.review.gates;
        let patch = mechanical::offered(record, self.workspace.copy(), &self.home, gates, &self.patches.protection)?;
        let patch = if patch.ops.is_empty() { Err(NoPatch::Nothing) } else { Ok(PatchInput::Operations(patch)) };
        Ok(FixAnswer { patch, record: None, cost_usd: Some(0.0) })
    }

    fn ask(
        &self,
        fixer: &dyn Fixer,
        record: &ReviewRecord,
        faults: &[String],
        rounds: &Rounds,
        steps: &[FixStep],
    ) -> Result<FixAnswer, FixError> {
        // A fixer may change files, so it gets a copy of its own.
        let scratch = self.workspace.copy().again()?;
        let read = |path: &&str| Some(((*path).to_owned(), Untrusted::new(scratch.text(path, SHOWN_BYTES_MAX)?)));
        let attachments = FixAttachments {
            review: review::attachments(&self.case, &WorkTree::copy(&self.workspace.path(), &self.home))?,
            files: files_that_matter(record, []).iter().filter_map(read).collect(),
            tried: tried(rounds, steps),
            faults: faults.to_vec(),
        };
        let (tree, original) = (scratch.path(), self.workspace.path());
        Ok(fixer.ask(&FixRequest {
            tree: &tree,
            original: &original,
            record,
            attachments: &attachments,
            limits: self.terms.limits,
        }))
    }

    fn end(self, ending: FixEnding, rounds: &Rounds, steps: &[FixStep]) -> Result<Fixed, FixError> {
        let best = rounds.best();
        let missing = || FixError::Record("a ruling is missing".to_owned());
        let review = review_of(steps, best).ok_or_else(missing)?.clone();
        let (before, after) = rounds.judged(0).zip(rounds.judged(best)).ok_or_else(missing)?;
        let (patch, pins) = self.workspace.patch_to(best);
        let Spending { time_ms, cost_usd } = rounds.spent();
        let end = FixEnd {
            ending,
            outcome: review.ruling.outcome,
            best,
            before: before.ranking_key,
            after: after.ranking_key,
            rounds: rounds.rounds().to_vec(),
            time_ms,
            cost_usd,
            patch,
            written: false,
        };
        let start = self.workspace.start().to_owned();
        Ok(Fixed { end, review, pins, home: self.home, start })
    }
}

/// The most bytes of a file that is shown to a fixer.
pub(crate) const SHOWN_BYTES_MAX: u64 = 1024 * 1024;
/// The most bytes of an earlier patch that is shown to a fixer.
const TRIED_BYTES_MAX: usize = 4_000;

/// Returns the milliseconds since a moment.
pub(crate) fn millis(begin: Instant) -> u64 {
    u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Returns the review record of a state. States are judged in the order of their numbers.
fn review_of(steps: &[FixStep], state: usize) -> Option<&ReviewRecord> {
    steps.iter().filter_map(|step| step.review.as_deref()).nth(state)
}

/// Returns the answer of a step that was paid for and could not be tried.
fn untried(step: &FixStep) -> Option<&Patch> {
    match &step.event {
        FixEvent::Proposed(Proposed { proposal: Proposal::Untried(_), .. }) => step.patch.as_ref(),
        _ => None,
    }
}

/// Describes earlier patches of the configured fixer that were dropped or unusable. Without that, the same question
/// would get the same answer. The last round is the current one.
fn tried(rounds: &Rounds, steps: &[FixStep]) -> Vec<Untrusted<String>> {
    let fits = |step: &&FixStep| match &step.event {
        FixEvent::Proposed(proposed) => matches!(proposed.proposal, Proposal::Fits { .. }),
        FixEvent::Judged(_) => false,
    };
    let mut patches = steps.iter().filter(fits).filter_map(|step| step.patch.as_ref());
    let mut reported = Vec::new();
    let earlier = rounds.rounds().split_last().map_or(&[][..], |(_, earlier)| earlier);
    for round in earlier {
        let text = match &round.came {
            RoundOutcome::Asked | RoundOutcome::Nothing | RoundOutcome::Unavailable => continue,
            RoundOutcome::Unfit(faults) => {
                format!("An answer that could not be used: {}", shown(faults.iter().map(String::as_str)))
            }
            RoundOutcome::Dropped(state) => {
                let (Some(patch), Some(judged)) = (patches.next(), rounds.judged(*state)) else { continue };
                let objections: Vec<String> = judged.objections.keys().map(|key| key.replace('\u{1f}', " ")).collect();
                let text = serde_json::to_string(patch).unwrap_or_default();
                let led_to = shown(objections.iter().map(String::as_str));
                format!("{}\nIt led to: {led_to}", head(&text, TRIED_BYTES_MAX))
            }
            RoundOutcome::Made(_) | RoundOutcome::Better(_) | RoundOutcome::Even(_) | RoundOutcome::Repeated(_) => {
                patches.next();
                continue;
            }
        };
        if round.by == PatchOrigin::Configured {
            reported.push(Untrusted::new(text));
        }
    }
    reported
}

/// The most faults of an earlier patch that are shown to a fixer.
const FAULTS_SHOWN_MAX: usize = 10;

fn shown<'a>(faults: impl Iterator<Item = &'a str>) -> String {
    faults.take(FAULTS_SHOWN_MAX).collect::<Vec<_>>().join("; ")
}
