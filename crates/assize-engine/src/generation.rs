//! Lets a fixer make the candidates of a tournament.
//!
//! The user's tree is only read. The pure state machine decides the next step. Every step is stored before the next
//! one begins, so that no paid answer is requested twice.

use std::path::{Path, PathBuf};
use std::time::Instant;

use assize_core::text::Untrusted;
use assize_ecosystem::is_code;
use assize_patch::{Patch, PatchInput, PatchLimits};
use assize_review::case::ReviewCase;
use assize_review::court::ReviewRecord;
use assize_review::fix::policy::FixPolicy;
use assize_review::fix::prompt::{FixAttachments, files_that_matter};
use assize_review::fix::rounds::Proposed;
use assize_review::tournament::generation::{Generated, Generation, GenerationEffect, GenerationStart, GenerationStep};

use crate::court::review::{self, ReviewError, ReviewStep, ReviewTerms};
use crate::fix::proposal::{TriedProposal, proposal};
use crate::fix::workspace::FixWorkspace;
use crate::fix::{FixError, SHOWN_BYTES_MAX, millis};
use crate::fixer::{FixAnswer, FixRequest, Fixer};
use crate::patch::PatchTerms;
use crate::work_tree::WorkTree;

/// The terms for making candidates.
pub struct GenerationTerms<'a> {
    /// How the base is reviewed to find what is missing. No model judges that.
    pub review: &'a ReviewTerms,
    /// What a patch may do.
    pub patches: &'a PatchTerms,
    /// How long it continues, and what it may cost. There are as many rounds as candidates.
    pub policy: FixPolicy,
    /// The fixer.
    pub fixer: &'a dyn Fixer,
    /// How many candidates are requested.
    pub asked_for: usize,
}

/// The progress of making candidates.
pub enum GenerationProgress<'a> {
    /// The base is being judged.
    Judging(ReviewStep<'a>),
    /// The fixer is being asked.
    Asking {
        /// The number of the candidate, counted from 1.
        number: usize,
        /// Whether it is asked again.
        again: bool,
    },
}

/// Makes candidates for a project.
pub struct Generator<'a> {
    terms: &'a GenerationTerms<'a>,
    case: &'a ReviewCase,
    home: PathBuf,
    workspace: FixWorkspace,
}

/// What the fixer is shown for every candidate.
struct FixerInput {
    record: ReviewRecord,
    attachments: FixAttachments,
}

impl<'a> Generator<'a> {
    /// Copies the base, and returns the generator with its start record.
    ///
    /// # Errors
    ///
    /// Fails if the base cannot be read or copied.
    pub fn new(
        case: &'a ReviewCase,
        terms: &'a GenerationTerms<'a>,
        folder: &Path,
    ) -> Result<(Self, GenerationStart), ReviewError> {
        let project = WorkTree::project(folder);
        let home = project.repository()?.as_ref().map_or(folder, |repository| repository.root()).to_owned();
        let workspace = FixWorkspace::new(review::base_of(case, &project)?)?;
        let start = GenerationStart {
            specification: case.specification.clone(),
            tree: workspace.start().to_owned(),
            fixer: terms.fixer.identity(),
            asked_for: terms.asked_for,
        };
        Ok((Self { terms, case, home, workspace }, start))
    }

    /// Runs to the end. Returns the outcome of all candidates, and the patches by candidate number. `earlier` are the
    /// recorded steps of an interrupted tournament. `keep` stores each new step before the next one begins.
    /// `handed_in` candidates precede the generated ones.
    ///
    /// # Errors
    ///
    /// Fails if the base cannot be judged, or a step cannot be stored.
    pub fn run(
        mut self,
        earlier: &[GenerationStep],
        given_count: usize,
        keep: &mut dyn FnMut(&GenerationStep) -> Result<(), String>,
        watch: &mut dyn FnMut(GenerationProgress<'_>),
    ) -> Result<(Generated, Vec<(usize, Patch)>), FixError> {
        let mut generation = Generation::begin(self.terms.policy, self.terms.asked_for, earlier);
        let mut shown: Option<FixerInput> = None;
        loop {
            let (step, failure) = match generation.effect() {
                GenerationEffect::End => return Ok(generation.end(given_count)),
                GenerationEffect::Try { number, patch } => {
                    let patch = Ok(PatchInput::Operations(patch));
                    let terms = PatchTerms { limits: PatchLimits::NONE, ..self.terms.patches.clone() };
                    let answer = FixAnswer { patch, record: None, cost_usd: Some(0.0) };
                    self.try_out(number, Instant::now(), answer, &terms)
                }
                GenerationEffect::Ask { number, faults } => {
                    let shown = match &mut shown {
                        Some(shown) => shown,
                        none => none.insert(self.look(watch)?),
                    };
                    watch(GenerationProgress::Asking { number, again: !faults.is_empty() });
                    shown.attachments.faults = faults;
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

    /// Reviews the base to find what is missing.
    fn look(&self, watch: &mut dyn FnMut(GenerationProgress<'_>)) -> Result<FixerInput, ReviewError> {
        let base = self.workspace.copy();
        let work_tree = WorkTree::copy(&base.path(), &self.home);
        let nobody: review::AskReviewJudges<'_> = &mut |_, _, _| {};
        let watch = &mut |step: ReviewStep<'_>| watch(GenerationProgress::Judging(step));
        let record = review::hold(self.case.clone(), self.terms.review, &work_tree, watch, nobody)?;
        // Nothing has changed yet, so any code may have to change.
        let code = base.files().iter().map(String::as_str).filter(|path| is_code(path));
        let read = |path: &&str| Some(((*path).to_owned(), Untrusted::new(base.text(path, SHOWN_BYTES_MAX)?)));
        let attachments = FixAttachments {
            review: review::attachments(self.case, &work_tree)?,
            files: files_that_matter(&record, code).iter().filter_map(read).collect(),
            ..FixAttachments::default()
        };
        Ok(FixerInput { record, attachments })
    }

    fn ask(&mut self, number: usize, shown: &FixerInput) -> Result<(GenerationStep, Option<ReviewError>), ReviewError> {
        let begin = Instant::now();
        // A fixer may change files, so it gets a copy of its own.
        let scratch = self.workspace.copy().again()?;
        let (tree, original) = (scratch.path(), self.workspace.path());
        let answer = self.terms.fixer.ask(&FixRequest {
            tree: &tree,
            original: &original,
            record: &shown.record,
            attachments: &shown.attachments,
            limits: self.terms.patches.limits,
        });
        Ok(self.try_out(number, begin, answer, self.terms.patches))
    }

    /// Tries an answer. Also returns the error if it could not be tried.
    fn try_out(
        &mut self,
        number: usize,
        begin: Instant,
        answer: FixAnswer,
        terms: &PatchTerms,
    ) -> (GenerationStep, Option<ReviewError>) {
        let TriedProposal { proposal, patch, failure } = proposal(&mut self.workspace, &self.home, terms, answer.patch);
        let proposed = Proposed { proposal, time_ms: millis(begin), cost_usd: answer.cost_usd };
        (GenerationStep { number, proposed, patch, fixer: answer.record }, failure)
    }
}
