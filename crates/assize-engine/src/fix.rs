//! Carries out a fix: judges, asks fixers, tries their patches in a copy, and keeps the best state.
//!
//! The user's tree is only read here. What has to happen next says the core; every step is handed to whoever keeps the
//! record before the next one begins, so that a fix which was interrupted goes on where it stopped.

pub mod desk;
pub mod proposal;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use assize_core::court::review::{ReviewCase, ReviewRecord};
use assize_core::court::standing::Standing;
use assize_core::fix::cost::Spent;
use assize_core::fix::record::{FixEnd, FixStart, FixStep, is_unchanged, objections};
use assize_core::fix::rounds::{
    By, Came, Ending, FixEffect, FixEvent, FixPolicy, Judged, Proposal, Proposed, Round, Rounds,
};
use assize_core::patch::{Handed, Patch, PatchLimits, Pin, Protection};
use assize_core::prompt::fix::{FixExhibits, files_that_matter};
use assize_core::text::{Untrusted, head};

use crate::court::review::{self, Ask, ReviewError, Step, Terms};
use crate::fixer::{Answer, Fixer, NoPatch, Request, mechanical};
use crate::ground::Ground;
use crate::patch::PatchTerms;
use crate::work_copy::{CopyError, WorkCopy};
use desk::Desk;
use proposal::{Tried, fitting, proposal};

/// Under what terms a fix goes on.
pub struct FixTerms<'a> {
    /// How states are judged.
    pub review: &'a Terms,
    /// How long it goes on.
    pub policy: FixPolicy,
    /// How large a patch may be.
    pub limits: PatchLimits,
    /// Who is asked beside the tools.
    pub fixer: Option<&'a dyn Fixer>,
}

/// Why a fix could not go on.
#[derive(Debug, thiserror::Error)]
pub enum FixError {
    /// A state could not be judged.
    #[error(transparent)]
    Review(#[from] ReviewError),
    /// The record does not lead to where it says.
    #[error("what is recorded of the interrupted fix does not fit this tree: {0}")]
    Record(String),
    /// The record cannot be kept. Nothing goes on that nobody could take up again.
    #[error("the ledger: {0}")]
    Keep(String),
}

impl From<CopyError> for FixError {
    fn from(error: CopyError) -> Self {
        Self::Review(error.into())
    }
}

/// What is going on, for whoever waits.
pub enum Progress<'a> {
    /// A state is being judged.
    Judging(Step<'a>),
    /// A fixer is being asked.
    Asking {
        /// Who.
        by: By,
        /// Which round it is, counted from 1.
        round: usize,
        /// Whether it is asked once more.
        again: bool,
    },
    /// A round is over.
    Came(&'a Round),
}

/// What a fix came to.
pub struct Fixed {
    /// For the record. Nothing is written into the user's tree yet.
    pub end: FixEnd,
    /// What the court recorded of the best state.
    pub review: ReviewRecord,
    /// What the files of the user's tree have to be, so that the patch may be put in.
    pub pins: BTreeMap<String, Option<Pin>>,
    /// The root of the project, which the patch belongs into.
    pub home: PathBuf,
    /// What tells the tree that was handed in from any other.
    pub start: String,
}

impl Fixed {
    /// Returns whether the project still is the tree that was handed in: otherwise the ruling holds for something else.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be read.
    pub fn is_current(&self) -> Result<bool, ReviewError> {
        Ok(tree_of(&self.home)? == self.start)
    }
}

/// Returns what tells the tree of a project from any other.
///
/// # Errors
///
/// Fails when it cannot be read.
pub fn tree_of(folder: &Path) -> Result<String, ReviewError> {
    let repository = Ground::project(folder).repository()?;
    let home = repository.as_ref().map_or(folder, |repository| repository.root());
    let paths = review::paths_of(home, repository.as_ref())?.into_iter().collect();
    Ok(desk::tree_id(home, &paths).map_err(|error| CopyError::Io { path: home.to_owned(), error })?)
}

/// A fix of the tree of a project.
pub struct Fix<'a> {
    terms: &'a FixTerms<'a>,
    case: ReviewCase,
    /// The root of the project.
    home: PathBuf,
    desk: Desk,
    patches: PatchTerms,
}

impl<'a> Fix<'a> {
    /// Copies the tree of a project, and says what the fix begins with. `settings` is all that a ruling depends on
    /// besides, in any form.
    ///
    /// # Errors
    ///
    /// Fails when the tree cannot be read or copied.
    pub fn new(
        case: ReviewCase,
        terms: &'a FixTerms<'a>,
        folder: &Path,
        settings: &str,
    ) -> Result<(Self, FixStart), FixError> {
        let repository = Ground::project(folder).repository().map_err(ReviewError::from)?;
        let home = repository.as_ref().map_or(folder, |repository| repository.root()).to_owned();
        let desk = Desk::new(WorkCopy::of_folder(&home, review::paths_of(&home, repository.as_ref())?)?)?;
        let protection = Protection::by(case.specification.inspect());
        let patches = PatchTerms { limits: terms.limits, protection, ..PatchTerms::default() };
        let start = FixStart {
            case: case.clone(),
            tree: desk.start().to_owned(),
            settings: blake3::hash(settings.as_bytes()).to_hex()[..32].to_owned(),
            policy: terms.policy,
            fixer: terms.fixer.map(Fixer::identity),
        };
        Ok((Self { terms, case, home, desk, patches }, start))
    }

    /// Goes on to the end. `earlier` are the recorded steps of a fix that was interrupted; each new step is handed to
    /// `keep` before the next one begins.
    ///
    /// # Errors
    ///
    /// Fails when a state cannot be judged at all, or a step cannot be kept.
    pub fn run(
        mut self,
        earlier: Vec<FixStep>,
        keep: &mut dyn FnMut(&FixStep) -> Result<(), String>,
        watch: &mut dyn FnMut(Progress<'_>),
        ask: Ask<'_>,
    ) -> Result<Fixed, FixError> {
        let (mut rounds, mut effect) =
            Rounds::begin(self.terms.policy, self.terms.fixer.is_some(), self.desk.start().to_owned());
        let mut steps = earlier;
        for step in &steps {
            self.take_up(step, &rounds)?;
            effect = rounds.step(step.event.clone());
        }
        if !steps.is_empty() {
            effect = rounds.retry();
        }
        // The next round has begun already, unless this one goes on or was the last.
        let over = |round: &&Round| !matches!(round.came, Came::Asked | Came::Made(_));
        let mut told = rounds.rounds().iter().take_while(over).count();
        loop {
            let (step, failure) = match &effect {
                FixEffect::End(ending) => return self.end(ending.clone(), &rounds, &steps),
                FixEffect::Judge(state) => (self.judge(*state, watch, ask)?, None),
                FixEffect::Propose { by, from, faults } => {
                    let round = rounds.rounds().len();
                    watch(Progress::Asking { by: *by, round, again: !faults.is_empty() });
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
            while let Some(round) = rounds.rounds().get(told).filter(over) {
                watch(Progress::Came(round));
                told += 1;
            }
        }
    }

    /// Makes the state that a step leads to.
    fn take_up(&mut self, step: &FixStep, rounds: &Rounds) -> Result<(), FixError> {
        let FixEvent::Proposed(Proposed { proposal: Proposal::Fits { tree }, .. }) = &step.event else { return Ok(()) };
        if rounds.knows(tree) {
            return Ok(());
        }
        let Some(patch) = &step.patch else { return Err(FixError::Record("a patch is missing".to_owned())) };
        self.desk.lay(rounds.rounds().last().map_or(0, |round| round.from))?;
        let terms = PatchTerms { limits: PatchLimits::NONE, ..self.patches.clone() };
        let made = fitting(&self.desk, &Handed::Operations(patch.clone()), &terms);
        match made {
            Ok((made, _)) if made.id == *tree => {
                self.desk.keep(made);
                Ok(())
            }
            Ok(_) => Err(FixError::Record("a patch makes another tree".to_owned())),
            Err(faults) => Err(FixError::Record(faults.join("; "))),
        }
    }

    fn judge(&mut self, state: usize, watch: &mut dyn FnMut(Progress<'_>), ask: Ask<'_>) -> Result<FixStep, FixError> {
        let begin = Instant::now();
        self.desk.lay(state)?;
        let ground = Ground::copy(&self.desk.path(), &self.home);
        let record = review::hold(
            self.case.clone(),
            self.terms.review,
            &ground,
            &mut |step| watch(Progress::Judging(step)),
            ask,
        )?;
        let costs = record.inputs.opinions.iter().map(|opinion| opinion.judge.cost_usd);
        let judged = Judged {
            standing: Standing::of(&record.inputs, record.ruling.outcome, None),
            objections: objections(&record),
            unchanged: is_unchanged(&record),
            time_ms: millis(begin),
            // The sum of nothing is a negative zero.
            cost_usd: costs.sum::<Option<f64>>().map(|cost| cost + 0.0),
        };
        Ok(FixStep { event: FixEvent::Judged(judged), patch: None, fixer: None, review: Some(Box::new(record)) })
    }

    fn propose(
        &mut self,
        by: By,
        from: usize,
        faults: &[String],
        rounds: &Rounds,
        steps: &[FixStep],
    ) -> Result<(FixStep, Option<FixError>), FixError> {
        let begin = Instant::now();
        self.desk.lay(from)?;
        let record = review_of(steps, from).ok_or_else(|| FixError::Record("a ruling is missing".to_owned()))?;
        let untried = steps.last().filter(|_| by == By::Configured).and_then(untried);
        // What is tried once more has kept to the limits before.
        let limits = if by == By::Mechanical || untried.is_some() { PatchLimits::NONE } else { self.patches.limits };
        let answer = match (untried, by, self.terms.fixer) {
            (Some(patch), ..) => {
                Answer { patch: Ok(Handed::Operations(patch.clone())), record: None, cost_usd: Some(0.0) }
            }
            (None, By::Configured, Some(fixer)) => self.ask(fixer, record, faults, rounds, steps)?,
            _ => self.ask_tools(record)?,
        };
        let terms = PatchTerms { limits, ..self.patches.clone() };
        let Tried { proposal, patch, failure } = proposal(&mut self.desk, &self.home, &terms, answer.patch);
        let failure = failure.map(FixError::from);
        if by == By::Mechanical
            && let Some(error) = failure
        {
            // Tools say the same again, for nothing.
            return Err(error);
        }
        let event = FixEvent::Proposed(Proposed { proposal, time_ms: millis(begin), cost_usd: answer.cost_usd });
        Ok((FixStep { event, patch, fixer: answer.record, review: None }, failure))
    }

    fn ask_tools(&self, record: &ReviewRecord) -> Result<Answer, FixError> {
        let gates = &self.terms.review.gates;
        let patch = mechanical::offered(record, self.desk.copy(), &self.home, gates, &self.patches.protection)?;
        let patch = if patch.ops.is_empty() { Err(NoPatch::Nothing) } else { Ok(Handed::Operations(patch)) };
        Ok(Answer { patch, record: None, cost_usd: Some(0.0) })
    }

    fn ask(
        &self,
        fixer: &dyn Fixer,
        record: &ReviewRecord,
        faults: &[String],
        rounds: &Rounds,
        steps: &[FixStep],
    ) -> Result<Answer, FixError> {
        // Whoever may change files gets a copy of its own.
        let scratch = self.desk.copy().again()?;
        let read = |path: &&str| Some(((*path).to_owned(), Untrusted::new(scratch.text(path, SHOWN_BYTES_MAX)?)));
        let exhibits = FixExhibits {
            review: review::exhibits(&self.case, &Ground::copy(&self.desk.path(), &self.home))?,
            files: files_that_matter(record, []).iter().filter_map(read).collect(),
            tried: tried(rounds, steps),
            faults: faults.to_vec(),
        };
        let (tree, original) = (scratch.path(), self.desk.path());
        Ok(fixer.ask(&Request {
            tree: &tree,
            original: &original,
            record,
            exhibits: &exhibits,
            limits: self.terms.limits,
        }))
    }

    fn end(self, ending: Ending, rounds: &Rounds, steps: &[FixStep]) -> Result<Fixed, FixError> {
        let best = rounds.best();
        let missing = || FixError::Record("a ruling is missing".to_owned());
        let review = review_of(steps, best).ok_or_else(missing)?.clone();
        let (before, after) = rounds.judged(0).zip(rounds.judged(best)).ok_or_else(missing)?;
        let (patch, pins) = self.desk.patch_to(best);
        let Spent { time_ms, cost_usd } = rounds.spent();
        let end = FixEnd {
            ending,
            outcome: review.ruling.outcome,
            best,
            before: before.standing,
            after: after.standing,
            rounds: rounds.rounds().to_vec(),
            time_ms,
            cost_usd,
            patch,
            written: false,
        };
        let start = self.desk.start().to_owned();
        Ok(Fixed { end, review, pins, home: self.home, start })
    }
}

/// Bytes of a file that is read to be shown.
pub(crate) const SHOWN_BYTES_MAX: u64 = 1024 * 1024;
/// Bytes of an earlier patch that a fixer is shown.
const TRIED_BYTES_MAX: usize = 4_000;

/// Returns the milliseconds since a moment.
pub(crate) fn millis(begin: Instant) -> u64 {
    u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Returns what the court recorded of a state: states are judged in the order of their numbers.
fn review_of(steps: &[FixStep], state: usize) -> Option<&ReviewRecord> {
    steps.iter().filter_map(|step| step.review.as_deref()).nth(state)
}

/// Returns the answer of a step that is paid for and could not be tried.
fn untried(step: &FixStep) -> Option<&Patch> {
    match &step.event {
        FixEvent::Proposed(Proposed { proposal: Proposal::Untried(_), .. }) => step.patch.as_ref(),
        _ => None,
    }
}

/// Tells of earlier patches of the configured fixer that were dropped or could not be used. Without that the same question
/// would be put again, and get the same answer. The last round is the one that is going on.
fn tried(rounds: &Rounds, steps: &[FixStep]) -> Vec<Untrusted<String>> {
    let fits = |step: &&FixStep| match &step.event {
        FixEvent::Proposed(proposed) => matches!(proposed.proposal, Proposal::Fits { .. }),
        FixEvent::Judged(_) => false,
    };
    let mut patches = steps.iter().filter(fits).filter_map(|step| step.patch.as_ref());
    let mut told = Vec::new();
    let earlier = rounds.rounds().split_last().map_or(&[][..], |(_, earlier)| earlier);
    for round in earlier {
        let text = match &round.came {
            Came::Asked | Came::Nothing | Came::Unavailable => continue,
            Came::Unfit(faults) => {
                format!("An answer that could not be used: {}", shown(faults.iter().map(String::as_str)))
            }
            Came::Dropped(state) => {
                let (Some(patch), Some(judged)) = (patches.next(), rounds.judged(*state)) else { continue };
                let objections: Vec<String> = judged.objections.keys().map(|key| key.replace('\u{1f}', " ")).collect();
                let text = serde_json::to_string(patch).unwrap_or_default();
                let led_to = shown(objections.iter().map(String::as_str));
                format!("{}\nIt led to: {led_to}", head(&text, TRIED_BYTES_MAX))
            }
            Came::Made(_) | Came::Better(_) | Came::Even(_) | Came::Known(_) => {
                patches.next();
                continue;
            }
        };
        if round.by == By::Configured {
            told.push(Untrusted::new(text));
        }
    }
    told
}

/// Most faults of an earlier patch that a fixer is told of.
const FAULTS_TOLD_MAX: usize = 10;

fn shown<'a>(faults: impl Iterator<Item = &'a str>) -> String {
    faults.take(FAULTS_TOLD_MAX).collect::<Vec<_>>().join("; ")
}
