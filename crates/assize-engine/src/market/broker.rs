//! The broker: carries out the steps of a market run.
//!
//! It reads the issue, asks bidders, and lets judges rank their bids. It lets the winner implement in a copy, runs the
//! review court on the result, commits, and records the outcome of every bidder. Effects that are repeated after a
//! crash find the earlier ones: events have names of their own, commits and comments carry a marker, and a set tick
//! remains. `assize-market` decides the next step.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

use assize_core::opinion::Opinion;
use assize_core::ruling::{Cause, Outcome, Unjudged};
use assize_core::text::{Untrusted, head, make_visible};
use assize_market::bid::RepositoryIndex as _;
use assize_market::checklist::{BoxName, Checkbox, boxes};
use assize_market::outcome::BidderOutcome;
use assize_market::prompt::{boxes_question, extract_question};
use assize_market::reputation::Reputations;
use assize_market::requirement::{ExplicitRequirement, Guideline, Requirements};
use assize_market::run::{
    Attention, BidReply, ImplementationReply, MarketEffect, MarketEnding, MarketRun, MarketStep, Winner, events as told,
};
use assize_market::verdict::boxes::{BoxOpinion, BoxesVerdict};
use assize_market::verification::{Verification, VerificationInput, tested};
use assize_patch::{Patch, PatchInput, PatchLimits, PatchTerms, Protection};
use assize_review::case::ReviewCase;
use assize_review::fix::rounds::Proposal;
use serde_json::json;

use super::bid_scoring::{BidScoring, Judging, ScoredBids, affected};
use super::bidder::{BidRequest, Bidder, ImplementationRequest};
use super::branch::{Branch, BranchError};
use super::commit_step::{CommitError, CommitOutcome, CommitStep};
use super::events;
use super::external_command::{CommandEnvironment, ProgramConfig, run as send};
use super::source::{SourceError, SpecificationSource};
use super::survey_lookup::SurveyLookup;
use crate::brief;
use crate::court::review::{self, ReviewError, ReviewStep};
use crate::fix::proposal::{fitting, proposal};
use crate::fix::workspace::FixWorkspace;
use crate::git::Repository;
use crate::random::fresh_nonce;
use crate::work_copy::{CopyError, WorkCopy};
use crate::work_tree::WorkTree;

/// The label of an issue in progress.
pub const IN_PROGRESS: &str = "in-progress";
/// The label of an issue that needs a person.
pub const ATTENTION: &str = "attention-needed";
/// The most bidders that are asked concurrently.
pub const AT_A_TIME_MAX: usize = 8;
/// How large the change of an implementation may be.
pub const IMPLEMENTATION_LIMITS: PatchLimits = PatchLimits { ops_max: 1_000, bytes_max: 2 * 1024 * 1024 };
/// The longest first line of a commit message, in characters.
const SUBJECT_CHARS_MAX: usize = 72;

/// The terms of a run.
pub struct MarketTerms<'a> {
    /// The bidders.
    pub bidders: &'a [Bidder],
    /// How implementations are judged.
    pub review: &'a review::ReviewTerms,
    /// The judges.
    pub judging: &'a dyn Judging,
    /// How many times each judge is shown the bids.
    pub showings: u32,
    /// The program that prints the test coverage of lines, in per cent.
    pub coverage: Option<&'a ProgramConfig>,
    /// The project's guidelines for changes.
    pub guidelines: &'a [Guideline],
    /// Whether boxes and guidelines are read by rules only, even if there are judges.
    pub rules_only: bool,
    /// The environment of programs.
    pub environment: &'a CommandEnvironment,
    /// The folder of the project's state.
    pub state: &'a Path,
    /// The clock: milliseconds since 1970, and the UTC time as text.
    pub now: fn() -> (i64, String),
}

/// Why a run stopped. Completed steps remain, and are found when it is resumed.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    /// The issue or the file failed.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The branch failed.
    #[error(transparent)]
    Branch(#[from] BranchError),
    /// The review court failed.
    #[error(transparent)]
    Review(#[from] ReviewError),
    /// The event history failed.
    #[error(transparent)]
    Events(#[from] events::EventsError),
    /// Verified work cannot be committed.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The record cannot be stored.
    #[error("the ledger: {0}")]
    Keep(String),
    /// The record does not fit the project.
    #[error("what is recorded of the interrupted run does not fit: {0}; --anew begins again")]
    Record(String),
}

impl From<CopyError> for BrokerError {
    fn from(error: CopyError) -> Self {
        Self::Review(error.into())
    }
}

/// The progress of a run.
pub enum MarketProgress<'a> {
    /// A long operation began.
    Doing(&'a str),
    /// The review court is at work.
    Judging(ReviewStep<'a>),
    /// A step was completed, with the state of the run after it.
    Came(&'a MarketRun, &'a MarketStep),
}

/// Carries out a run.
pub struct Broker<'a> {
    terms: &'a MarketTerms<'a>,
    source: &'a dyn SpecificationSource,
    branch: &'a Branch,
    /// The root of the project.
    home: PathBuf,
}

impl<'a> Broker<'a> {
    /// Makes a broker for the project at `home`.
    pub fn new(
        terms: &'a MarketTerms<'a>,
        source: &'a dyn SpecificationSource,
        branch: &'a Branch,
        home: &Path,
    ) -> Self {
        Self { terms, source, branch, home: home.to_owned() }
    }

    /// Runs to the end. `earlier` are the recorded steps of an interrupted run. `keep` stores each new step before
    /// anything else happens.
    ///
    /// # Errors
    ///
    /// Fails if something cannot be read, written or stored.
    pub fn run(
        &self,
        run: &mut MarketRun,
        first: MarketEffect,
        earlier: Vec<MarketStep>,
        keep: &mut dyn FnMut(&MarketStep) -> Result<(), String>,
        watch: &mut dyn FnMut(MarketProgress<'_>),
    ) -> Result<MarketEnding, BrokerError> {
        let mut effect = first;
        for step in earlier {
            effect = run.step(step.clone());
            watch(MarketProgress::Came(run, &step));
        }
        if !matches!(effect, MarketEffect::Flag(_) | MarketEffect::Record | MarketEffect::End(_)) {
            // A person who starts the run again has looked at the issue.
            self.source.label(&[IN_PROGRESS], &[ATTENTION])?;
        }
        loop {
            let mut took = |run: &mut MarketRun, step: MarketStep, watch: &mut dyn FnMut(MarketProgress<'_>)| {
                keep(&step).map_err(BrokerError::Keep)?;
                let effect = run.step(step.clone());
                watch(MarketProgress::Came(run, &step));
                Ok::<_, BrokerError>(effect)
            };
            effect = match effect {
                MarketEffect::End(ending) => {
                    let (add, remove) = match ending {
                        MarketEnding::Complete => (&[][..], &[IN_PROGRESS, ATTENTION][..]),
                        MarketEnding::Rotated { .. } => (&[IN_PROGRESS][..], &[ATTENTION][..]),
                        _ => return Ok(ending),
                    };
                    self.source.label(add, remove)?;
                    // The specification may be part of the project.
                    self.record(run)?;
                    return Ok(ending);
                }
                MarketEffect::Ask(bidders) => {
                    watch(MarketProgress::Doing(&format!("asking {} for a bid", bidders.join(", "))));
                    self.ask(run, &bidders, &mut |run, step| took(run, step, watch))?
                }
                effect => {
                    let step = self.carry_out(run, &effect, watch)?;
                    took(run, step, watch)?
                }
            };
        }
    }

    fn carry_out(
        &self,
        run: &MarketRun,
        effect: &MarketEffect,
        watch: &mut dyn FnMut(MarketProgress<'_>),
    ) -> Result<MarketStep, BrokerError> {
        self.commit_step().check(&run.start().branch)?;
        let missing = |what: &str| BrokerError::Record(format!("{what} is missing"));
        let winner = || run.winner().ok_or_else(|| missing("the winner"));
        let patch = || run.patch().ok_or_else(|| missing("the change"));
        Ok(match effect {
            MarketEffect::Extract => self.extract()?,
            MarketEffect::Rank => {
                watch(MarketProgress::Doing("ranking the bids"));
                self.rank(run)?
            }
            MarketEffect::Implement => {
                let winner = winner()?;
                watch(MarketProgress::Doing(&format!("{} is being implemented", winner.proposal_id)));
                MarketStep::Implemented { made: self.implement(run, winner)? }
            }
            MarketEffect::Verify => self.verify(run, winner()?, patch()?, watch)?,
            MarketEffect::Commit => self.commit(run, winner()?, patch()?)?,
            MarketEffect::Keep => MarketStep::Preserved { commit: self.keep_failed(run)? },
            MarketEffect::Tell(outcomes) => self.write_outcomes(run, outcomes),
            MarketEffect::Write(events) => {
                for event in events {
                    events::record(self.terms.state, event)?;
                }
                MarketStep::Written
            }
            MarketEffect::Tick(boxes) => self.tick(boxes)?,
            MarketEffect::Record => self.record(run)?,
            MarketEffect::Flag(attention) => {
                self.flag(run, attention)?;
                MarketStep::Flagged
            }
            MarketEffect::Ask(_) | MarketEffect::End(_) => return Err(missing("what has to happen next")),
        })
    }

    fn extract(&self) -> Result<MarketStep, BrokerError> {
        let issue = self.source.read()?;
        let boxes = boxes(&issue.body).map_err(SourceError::from)?;
        let ticked = boxes.iter().filter(|found| found.ticked).count();
        let MarketTerms { guidelines, judging, rules_only, .. } = *self.terms;
        let requirements = if rules_only {
            Requirements::by_rules(&boxes, guidelines)
        } else {
            requirements(&boxes, &issue.body, guidelines, judging)
        };
        Ok(MarketStep::Extracted { title: issue.title, requirements, ticked })
    }

    /// Returns the reputation of all bidders.
    fn reputations(&self) -> Result<Reputations, BrokerError> {
        let names: BTreeSet<String> = self.terms.bidders.iter().map(|bidder| bidder.id.clone()).collect();
        Ok(Reputations::of(&names, events::read(self.terms.state)?))
    }

    /// Copies a commit. Uncommitted changes of people are not part of the work, and bidders have no access to the
    /// event history.
    fn copy(&self, commit: &str) -> Result<WorkCopy, BrokerError> {
        let repository = Repository::discover(&self.home).map_err(ReviewError::from)?;
        let repository = repository.ok_or_else(|| BrokerError::Record("there is no repository any more".to_owned()))?;
        let mut copy = WorkCopy::of_commit(&repository, commit)?;
        let commit_step = self.commit_step();
        let kept: Vec<String> = copy.files().iter().filter(|path| commit_step.is_state(path)).cloned().collect();
        kept.iter().try_for_each(|path| copy.remove(path))?;
        Ok(copy)
    }

    fn ask(
        &self,
        run: &mut MarketRun,
        bidders: &[String],
        took: &mut dyn FnMut(&mut MarketRun, MarketStep) -> Result<MarketEffect, BrokerError>,
    ) -> Result<MarketEffect, BrokerError> {
        self.commit_step().check(&run.start().branch)?;
        let copy = self.copy(&self.branch.head()?)?;
        let brief = self.brief(&copy);
        let reputation = self.reputations()?;
        let begin = Instant::now();
        let requirements = run.requirements().clone();
        let failure = run.failure().cloned();
        let earlier_ms = run.latest_ms();
        let asked = self.terms.bidders.iter().filter(|bidder| bidders.contains(&bidder.id));
        let asked: Vec<(&Bidder, u32)> = asked.map(|bidder| (bidder, run.left(&bidder.id))).collect();
        let MarketTerms { environment, now, bidders: all, .. } = *self.terms;
        let (next, mut last) = (AtomicUsize::new(0), None);
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            for _ in 0..asked.len().min(AT_A_TIME_MAX) {
                let (sender, asked, next, copy) = (sender.clone(), &asked, &next, &copy);
                let (requirements, brief, failure, reputation) = (&requirements, &brief, failure.as_ref(), &reputation);
                scope.spawn(move || {
                    while let Some((bidder, iterations)) = asked.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let reputation = reputation.bidders.get(&bidder.id).cloned().unwrap_or_default();
                        let iterations = *iterations;
                        let call = BidRequest {
                            requirements,
                            brief,
                            reputation: &reputation,
                            bidders: all.len(),
                            iterations,
                            failure,
                        };
                        // Each bidder has a copy of its own, so that none sees the edits of another.
                        let came = match copy.again() {
                            Ok(copy) => bidder.bid(&call, environment, &copy, now().0),
                            Err(error) => BidReply::Nothing(format!("it could not be asked: {error}")),
                        };
                        let elapsed = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
                        let submitted_ms = earlier_ms.saturating_add(elapsed);
                        let step = MarketStep::Asked { bidder: bidder.id.clone(), submitted_ms, came };
                        // The receiver listens until the last bid, unless a step cannot be stored.
                        if sender.send(step).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            for step in receiver {
                last = Some(took(run, step)?);
            }
            Ok::<_, BrokerError>(())
        })?;
        let nobody = || BrokerError::Record(format!("{} are not configured any more", bidders.join(", ")));
        last.ok_or_else(nobody)
    }

    /// Returns the project brief.
    fn brief(&self, copy: &WorkCopy) -> Untrusted<String> {
        brief::look(None, None, copy, brief::BriefAudience::Judges).brief
    }

    fn rank(&self, run: &MarketRun) -> Result<MarketStep, BrokerError> {
        let start = run.start();
        let candidates = run.candidates();
        let copy = self.copy(&self.branch.head()?)?;
        let survey = brief::survey_copy(&copy);
        let scoring = BidScoring {
            seed: start.seed,
            purpose: &format!("iteration {}, round {}", run.iteration(), run.round()),
            showings: self.terms.showings,
            measures: &start.measures,
            judging: self.terms.judging,
        };
        let bids: Vec<_> = candidates.iter().map(|candidate| (candidate.submitted_ms, &candidate.bid)).collect();
        let affected = affected(&copy, candidates.iter().flat_map(|candidate| &candidate.bid.changes));
        let ScoredBids { named, ranking, judges } =
            scoring.rank(&bids, run.requirements(), &SurveyLookup::of(&survey), &affected);
        let who = named.into_iter().map(|(name, at)| (name, candidates[at].bidder.clone())).collect();
        Ok(MarketStep::Ranked { who, ranking, judges })
    }

    fn bidder(&self, id: &str) -> Result<&Bidder, BrokerError> {
        let found = self.terms.bidders.iter().find(|bidder| bidder.id == id);
        found.ok_or_else(|| BrokerError::Record(format!("bidder `{id}` is not configured any more")))
    }

    fn patch_terms(run: &MarketRun) -> PatchTerms {
        let protection = Protection::by(&run.asked_for());
        PatchTerms { limits: IMPLEMENTATION_LIMITS, protection, ..PatchTerms::default() }
    }

    fn implement(&self, run: &MarketRun, winner: &Winner) -> Result<ImplementationReply, BrokerError> {
        let bidder = self.bidder(&winner.bidder)?;
        let mut workspace = FixWorkspace::new(self.copy(&self.branch.head()?)?)?;
        let scratch = workspace.copy().again()?;
        let affected = affected(workspace.copy(), &winner.bid.changes);
        let promised = run.promised();
        let original = workspace.path();
        let work = ImplementationRequest {
            bid: &winner.bid,
            requirements: &promised,
            failure: run.failure(),
            iterations: run.left(&winner.bidder),
            affected: &affected,
            limits: IMPLEMENTATION_LIMITS,
            original: &original,
        };
        let answer = bidder.implement(&work, self.terms.environment, &scratch, (self.terms.now)().0);
        let tried = proposal(&mut workspace, &self.home, &Self::patch_terms(run), answer);
        Ok(match (tried.proposal, tried.patch) {
            (Proposal::Fits { .. }, Some(patch)) => match self.why_protected(&patch)? {
                Some(why) => ImplementationReply::Nothing(why),
                None => ImplementationReply::Patch(Box::new(patch)),
            },
            (Proposal::Unfit(faults), _) => ImplementationReply::Nothing(faults.join("; ")),
            (Proposal::Unavailable(why) | Proposal::Untried(why), _) => ImplementationReply::Unjudged(why),
            _ => ImplementationReply::Nothing("it changed nothing".to_owned()),
        })
    }

    /// Returns which part of a change is protected from the implementer.
    fn why_protected(&self, patch: &Patch) -> Result<Option<String>, BrokerError> {
        let commit_step = self.commit_step();
        for op in &patch.ops {
            if let Some(why) = commit_step.why_protected(op.path())? {
                return Ok(Some(format!("it changes {}, which {why}", op.path())));
            }
        }
        Ok(None)
    }

    fn verify(
        &self,
        run: &MarketRun,
        winner: &Winner,
        patch: &Patch,
        watch: &mut dyn FnMut(MarketProgress<'_>),
    ) -> Result<MarketStep, BrokerError> {
        let base = self.branch.head()?;
        let mut workspace = FixWorkspace::new(self.copy(&base)?)?;
        let before = self.coverage(workspace.copy());
        let terms = PatchTerms { limits: PatchLimits::NONE, ..Self::patch_terms(run) };
        let made = fitting(&workspace, &PatchInput::Operations(patch.clone()), &terms);
        let made = match made {
            Ok((made, _)) => made,
            // The commit has changed and the patch does not fit it: that is not the implementer's fault.
            Err(faults) => {
                let why = format!("the change does not fit any more: {}", faults.join("; "));
                return Ok(MarketStep::Implemented {
                    made: ImplementationReply::Unjudged(Unjudged::new(Cause::Unavailable, why)),
                });
            }
        };
        let state = workspace.keep(made);
        workspace.check_out(state)?;
        let promised = run.promised();
        let case =
            ReviewCase { specification: Untrusted::new(run.asked_for()), base: Some(base), ..ReviewCase::default() };
        let work_tree = WorkTree::copy(&workspace.path(), &self.home);
        let review = review::hold(
            case.clone(),
            self.terms.review,
            &work_tree,
            &mut |step| watch(MarketProgress::Judging(step)),
            &mut |ids, question, each| self.terms.judging.review(ids, question, each),
        )?;
        let after = before.and_then(|_| self.coverage(workspace.copy()));
        let diff = review::diff(&case, &work_tree)?;
        let judged = if review.ruling.outcome == Outcome::Accept && self.terms.judging.is_there() {
            watch(MarketProgress::Doing("asking which boxes are done"));
            let boxes: Vec<&ExplicitRequirement> = promised.explicit_requirements.iter().collect();
            let budget = self.terms.review.policy.diff_budget;
            Some(by_box(self.terms.judging.boxes(&boxes_question(&boxes, &diff, budget, &fresh_nonce()))))
        } else {
            None
        };
        let tested = tested(&diff);
        let input =
            VerificationInput { record: &review, tested: &tested, coverage: (before, after), judged: judged.as_ref() };
        let verification = Verification::of(&winner.bid, run.requirements(), &input);
        let survey = brief::survey_copy(workspace.copy());
        let lookup = SurveyLookup::of(&survey);
        let planned = run.candidates().iter().flat_map(|candidate| &candidate.bid.changes).map(|change| &change.path);
        let paths: BTreeSet<&String> = planned.chain(&verification.files).collect();
        let modules = paths.into_iter().map(|path| (path.clone(), lookup.module_of(path))).collect();
        Ok(MarketStep::Verified { verification: Box::new(verification), review: Box::new(review), modules })
    }

    /// Measures the coverage of a copy, in per cent. Returns `None` if no program is configured or it prints no
    /// number.
    fn coverage(&self, copy: &WorkCopy) -> Option<f64> {
        let scratch = copy.again().ok()?;
        let printed = send(self.terms.coverage?, self.terms.environment, &scratch, "", &json!({})).ok()?.stdout;
        let text = String::from_utf8_lossy(&printed).into_owned();
        let last = text.split_whitespace().last()?.trim_end_matches('%').parse::<f64>().ok()?;
        (0.0..=100.0).contains(&last).then_some(last)
    }

    fn commit_step(&self) -> CommitStep<'_> {
        CommitStep::new(self.branch, &self.home, self.terms.state, self.source)
    }

    fn commit(&self, run: &MarketRun, winner: &Winner, patch: &Patch) -> Result<MarketStep, BrokerError> {
        if let Some(commit) = self.branch.commit_with(&run.marker())? {
            return Ok(MarketStep::Committed { commit });
        }
        let head = self.branch.head()?;
        if run.verified_on() != Some(&head) {
            return Ok(MarketStep::Outdated);
        }
        let terms = Self::patch_terms(run);
        let committed = self.commit_step().commit(self.copy(&head)?, &head, patch, &terms, &message(run, winner))?;
        Ok(match committed {
            CommitOutcome::Commit(commit) => MarketStep::Committed { commit },
            CommitOutcome::Refused(why) => MarketStep::CommitRefused { why },
        })
    }

    /// Commits the failed implementation to a branch of its own, so that a person can look at it. No later work is
    /// based on it.
    fn keep_failed(&self, run: &MarketRun) -> Result<Option<String>, BrokerError> {
        let (Some(patch), Some(on)) = (run.patch(), run.verified_on()) else { return Ok(None) };
        let message = format!(
            "Not accepted: {}\n\nThe last implementation of both rounds, kept for a person to look at. It did not hold.\n\n{}\n",
            subject(run),
            run.marker()
        );
        let (terms, name) = (Self::patch_terms(run), run.failed_branch());
        Ok(Some(self.commit_step().keep_aside(self.copy(on)?, on, patch, &terms, &name, &message)?))
    }

    fn write_outcomes(&self, run: &MarketRun, outcomes: &[BidderOutcome]) -> MarketStep {
        let (_, timestamp) = (self.terms.now)();
        MarketStep::OutcomesRecorded { events: told(outcomes, run.start(), run.iteration(), &timestamp) }
    }

    fn tick(&self, boxes: &[BoxName]) -> Result<MarketStep, BrokerError> {
        let gone = if boxes.is_empty() { Vec::new() } else { self.source.tick(boxes)?.gone };
        Ok(MarketStep::Ticked { gone })
    }

    /// Commits the market's state, and a specification that is part of the project.
    fn record(&self, run: &MarketRun) -> Result<MarketStep, BrokerError> {
        // Events that were stashed or removed in the meantime are written again.
        run.events().iter().try_for_each(|event| events::record(self.terms.state, event).map(drop))?;
        let commit_step = self.commit_step();
        commit_step.check(&run.start().branch)?;
        let message =
            format!("Market: what became of {}\n\n{}\n", subject(run), run.marker().replace("-Run", "-Record"));
        Ok(MarketStep::Recorded { commit: commit_step.record(&message)? })
    }

    fn flag(&self, run: &MarketRun, attention: &Attention) -> Result<(), BrokerError> {
        self.source.label(&[ATTENTION], &[])?;
        let marker = format!("<!-- assize: {}/attention -->", run.start().run);
        let branch = if run.is_kept() { run.failed_branch() } else { run.start().branch.clone() };
        let text = attention_text(attention, &branch);
        self.source.comment(&marker, &text)?;
        Ok(())
    }
}

/// Returns the text for a person in the issue. Output of programs and bidders is in code blocks, so that it cannot
/// contain boxes, mentions or comments.
fn attention_text(attention: &Attention, branch: &str) -> String {
    let quoted = |text: &str| format!("````text\n{}\n````", make_visible(text).replace("```", "\"\"\""));
    let notice = match attention {
        Attention::Failed { initial, replan } => format!(
            "Both initial and replan rounds failed. Manual intervention required.\n\n**Initial failure:**\n\n{}\n\n**Replan failure:**\n\n{}",
            quoted(&initial.summary()),
            quoted(&replan.summary())
        ),
        attention => format!("Manual intervention required:\n\n{}", quoted(&attention.sentence())),
    };
    format!("## Marketplace Failure\n\n{notice}\n\nCheck branch: `{branch}`")
}

/// Reads the requirements: from a judge if there is one and its reply is valid, otherwise by rules.
pub fn requirements(
    boxes: &[Checkbox],
    specification: &str,
    guidelines: &[Guideline],
    judging: &dyn Judging,
) -> Requirements {
    let by_rules = Requirements::by_rules(boxes, guidelines);
    if !judging.is_there() || by_rules.explicit_requirements.is_empty() {
        return by_rules;
    }
    let question = extract_question(&by_rules, specification, guidelines, &fresh_nonce());
    let read = judging.extract(&question).into_iter().filter_map(|opinion| opinion.verdict.ok());
    read.into_iter().find_map(|verdict| by_rules.read_by(verdict)).unwrap_or(by_rules)
}

fn by_box(opinions: Vec<Opinion<BoxesVerdict>>) -> BTreeMap<String, Vec<BoxOpinion>> {
    let mut all: BTreeMap<String, Vec<BoxOpinion>> = BTreeMap::new();
    for verdict in opinions.into_iter().filter_map(|opinion| opinion.verdict.ok()) {
        for found in verdict.boxes {
            all.entry(found.id.clone()).or_default().push(found);
        }
    }
    all
}

fn subject(run: &MarketRun) -> String {
    let title: String = run.title().split_whitespace().collect::<Vec<_>>().join(" ");
    let of = run.start().issue_number.map_or_else(String::new, |number| format!("#{number}: "));
    head(&format!("{of}{title}"), SUBJECT_CHARS_MAX).to_owned()
}

/// Returns a commit message that says what was done and how it was verified.
fn message(run: &MarketRun, winner: &Winner) -> String {
    let mut text = format!("Implement {}\n\n", subject(run));
    for requirement in &run.promised().explicit_requirements {
        text.push_str(&format!("- {}: {}\n", requirement.id, requirement.checkbox));
    }
    if let Some(verification) = run.verification() {
        let (passed, ran) = verification.tests;
        let (held, checks) = verification.quality;
        text.push_str(&format!(
            "\n{} files; {passed} of {ran} tests and {held} of {checks} other checks passed.\n",
            verification.files.len()
        ));
    }
    text.push_str(&format!("\nAssize-Bidder: {}\n{}\n", winner.bidder, run.marker()));
    text
}
