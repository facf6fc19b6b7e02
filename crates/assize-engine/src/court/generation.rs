//! Has a fixer make the candidates of a tournament.
//!
//! The user's tree is only read. What has to happen next says the core; every step is handed to whoever keeps the record
//! before the next one begins, so that nothing that was paid for is asked for again.

use std::path::{Path, PathBuf};
use std::time::Instant;

use assize_core::court::generation::{Generated, Generation, GenerationEffect, GenerationStart, GenerationStep};
use assize_core::court::review::{ReviewCase, ReviewRecord};
use assize_core::fix::rounds::{FixPolicy, Proposed};
use assize_core::patch::{Handed, Patch, PatchLimits};
use assize_core::path::is_code;
use assize_core::prompt::fix::{FixExhibits, files_that_matter};
use assize_core::text::Untrusted;

use super::review::{self, ReviewError, Step, Terms};
use crate::fix::desk::Desk;
use crate::fix::proposal::{Tried, proposal};
use crate::fix::{FixError, SHOWN_BYTES_MAX, millis};
use crate::fixer::{Answer, Fixer, Request};
use crate::ground::Ground;
use crate::patch::PatchTerms;

/// Under what terms candidates are made.
pub struct GenerationTerms<'a> {
    /// How it is found out what is missing in the base. No model judges that.
    pub review: &'a Terms,
    /// What a patch may do.
    pub patches: &'a PatchTerms,
    /// How long it goes on, and what it may cost. The rounds are as many as candidates.
    pub policy: FixPolicy,
    /// Who is asked.
    pub fixer: &'a dyn Fixer,
    /// How many candidates are asked for.
    pub asked_for: usize,
}

/// What is going on, for whoever waits.
pub enum Progress<'a> {
    /// The base is being judged.
    Judging(Step<'a>),
    /// The fixer is being asked.
    Asking {
        /// For which candidate, counted from 1.
        number: usize,
        /// Whether it is asked once more.
        again: bool,
    },
}

/// The making of candidates for a project.
pub struct Generator<'a> {
    terms: &'a GenerationTerms<'a>,
    case: &'a ReviewCase,
    home: PathBuf,
    desk: Desk,
}

/// What a fixer is shown whichever candidate it makes.
struct Shown {
    record: ReviewRecord,
    exhibits: FixExhibits,
}

impl<'a> Generator<'a> {
    /// Copies the base, and says what the making begins with.
    ///
    /// # Errors
    ///
    /// Fails when the base cannot be read or copied.
    pub fn new(
        case: &'a ReviewCase,
        terms: &'a GenerationTerms<'a>,
        folder: &Path,
    ) -> Result<(Self, GenerationStart), ReviewError> {
        let project = Ground::project(folder);
        let home = project.repository()?.as_ref().map_or(folder, |repository| repository.root()).to_owned();
        let desk = Desk::new(review::base_of(case, &project)?)?;
        let start = GenerationStart {
            specification: case.specification.clone(),
            tree: desk.start().to_owned(),
            fixer: terms.fixer.identity(),
            asked_for: terms.asked_for,
        };
        Ok((Self { terms, case, home, desk }, start))
    }

    /// Goes on to the end, and returns what became of all candidates, with the patches by their numbers. `earlier` are the
    /// recorded steps of a tournament that was interrupted; each new step is handed to `keep` before the next one begins.
    /// `handed_in` candidates come before those that are made.
    ///
    /// # Errors
    ///
    /// Fails when the base cannot be judged at all, or a step cannot be kept.
    pub fn run(
        mut self,
        earlier: &[GenerationStep],
        handed_in: usize,
        keep: &mut dyn FnMut(&GenerationStep) -> Result<(), String>,
        watch: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(Generated, Vec<(usize, Patch)>), FixError> {
        let mut generation = Generation::begin(self.terms.policy, self.terms.asked_for, earlier);
        let mut shown: Option<Shown> = None;
        loop {
            let (step, failure) = match generation.effect() {
                GenerationEffect::End => return Ok(generation.end(handed_in)),
                GenerationEffect::Try { number, patch } => {
                    let patch = Ok(Handed::Operations(patch));
                    let terms = PatchTerms { limits: PatchLimits::NONE, ..self.terms.patches.clone() };
                    let answer = Answer { patch, record: None, cost_usd: Some(0.0) };
                    self.try_out(number, Instant::now(), answer, &terms)
                }
                GenerationEffect::Ask { number, faults } => {
                    let shown = match &mut shown {
                        Some(shown) => shown,
                        none => none.insert(self.look(watch)?),
                    };
                    watch(Progress::Asking { number, again: !faults.is_empty() });
                    shown.exhibits.faults = faults;
                    self.ask(number, shown)?
                }
            };
            keep(&step).map_err(FixError::Keep)?;
            if let Some(error) = failure {
                return Err(error.into());
            }
            generation.take(&step);
        }
    }

    /// Finds out what is missing in the base.
    fn look(&self, watch: &mut dyn FnMut(Progress<'_>)) -> Result<Shown, ReviewError> {
        let base = self.desk.copy();
        let ground = Ground::copy(&base.path(), &self.home);
        let nobody: review::Ask<'_> = &mut |_, _, _| {};
        let watch = &mut |step: Step<'_>| watch(Progress::Judging(step));
        let record = review::hold(self.case.clone(), self.terms.review, &ground, watch, nobody)?;
        // Nothing has changed yet: what may have to change is the code.
        let code = base.files().iter().map(String::as_str).filter(|path| is_code(path));
        let read = |path: &&str| Some(((*path).to_owned(), Untrusted::new(base.text(path, SHOWN_BYTES_MAX)?)));
        let exhibits = FixExhibits {
            review: review::exhibits(self.case, &ground)?,
            files: files_that_matter(&record, code).iter().filter_map(read).collect(),
            ..FixExhibits::default()
        };
        Ok(Shown { record, exhibits })
    }

    fn ask(&mut self, number: usize, shown: &Shown) -> Result<(GenerationStep, Option<ReviewError>), ReviewError> {
        let begin = Instant::now();
        // Whoever may change files gets a copy of its own.
        let scratch = self.desk.copy().again()?;
        let (tree, original) = (scratch.path(), self.desk.path());
        let answer = self.terms.fixer.ask(&Request {
            tree: &tree,
            original: &original,
            record: &shown.record,
            exhibits: &shown.exhibits,
            limits: self.terms.patches.limits,
        });
        Ok(self.try_out(number, begin, answer, self.terms.patches))
    }

    /// Tries an answer; says besides why that failed, if it did.
    fn try_out(
        &mut self,
        number: usize,
        begin: Instant,
        answer: Answer,
        terms: &PatchTerms,
    ) -> (GenerationStep, Option<ReviewError>) {
        let Tried { proposal, patch, failure } = proposal(&mut self.desk, &self.home, terms, answer.patch);
        let proposed = Proposed { proposal, time_ms: millis(begin), cost_usd: answer.cost_usd };
        (GenerationStep { number, proposed, patch, fixer: answer.record }, failure)
    }
}
