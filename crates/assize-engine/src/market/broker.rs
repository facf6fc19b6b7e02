//! The broker: carries out what a run of the market asks for.
//!
//! It reads the issue, asks bidders, has judges look at their bids, has the winner implement in a copy, holds the review court over that, commits, and
//! writes down what became of everybody. Whatever reaches the world a second time after a crash finds what the first time left: events have
//! names of their own, commits and comments carry a mark, a tick that is set stays. What has to happen next, the core says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

use assize_core::court::review::ReviewCase;
use assize_core::fix::rounds::Proposal;
use assize_core::market::bid::Tree as _;
use assize_core::market::checklist::{BoxName, Checkbox, boxes};
use assize_core::market::outcome::BidderOutcome;
use assize_core::market::requirement::{ExplicitRequirement, Guideline, Requirements};
use assize_core::market::run::{
    Attention, Came, Made, MarketEffect, MarketEnding, MarketRun, MarketStep, Winner, events as told,
};
use assize_core::market::standing::Standing;
use assize_core::market::verification::{Scene, Verification, tested};
use assize_core::opinion::Opinion;
use assize_core::patch::{Handed, Patch, PatchLimits, PatchTerms, Protection};
use assize_core::prompt::market::{boxes_question, extract_question};
use assize_core::ruling::{Cause, Outcome, Unjudged};
use assize_core::text::{Untrusted, head, make_visible};
use assize_core::verdict::{BoxOpinion, BoxesVerdict};
use serde_json::json;

use super::appraisal::{Appraisal, Appraised, Judging, affected};
use super::bidder::{Bidder, Call, Work};
use super::branch::{Branch, BranchError};
use super::errand::{ProgramConfig, Yard, run as send};
use super::events;
use super::known::Known;
use super::landing::{Landed, Landing, LandingError};
use super::source::{Source, SourceError};
use crate::brief;
use crate::court::fresh_nonce;
use crate::court::review::{self, ReviewError, Step};
use crate::fix::desk::Desk;
use crate::fix::proposal::{fitting, proposal};
use crate::git::Repository;
use crate::ground::Ground;
use crate::work_copy::{CopyError, WorkCopy};

/// The label of an issue that is being worked on.
pub const IN_PROGRESS: &str = "in-progress";
/// The label of an issue that a person has to look at.
pub const ATTENTION: &str = "attention-needed";
/// How many bidders are asked at a time.
pub const AT_A_TIME_MAX: usize = 8;
/// How large the change of an implementation may be.
pub const IMPLEMENTATION_LIMITS: PatchLimits = PatchLimits { ops_max: 1_000, bytes_max: 2 * 1024 * 1024 };
/// Longest message of a commit's first line, in characters.
const SUBJECT_CHARS_MAX: usize = 72;

/// What a run goes by.
pub struct MarketTerms<'a> {
    /// Who bids.
    pub bidders: &'a [Bidder],
    /// How implementations are judged.
    pub review: &'a review::Terms,
    /// Who is asked for opinions.
    pub judging: &'a dyn Judging,
    /// How often each judge is shown the bids.
    pub showings: u32,
    /// What prints the share of lines that tests cover, in per cent.
    pub coverage: Option<&'a ProgramConfig>,
    /// In which files the project says how it wants to be changed.
    pub guidelines: &'a [Guideline],
    /// Whether boxes and guidelines are taken as they stand, whoever could be asked.
    pub rules_only: bool,
    /// Where programs run.
    pub yard: &'a Yard,
    /// The folder of the project's state.
    pub state: &'a Path,
    /// The clock: milliseconds since 1970, and the same in words, in UTC.
    pub now: fn() -> (i64, String),
}

/// Why a run cannot go on. What was done stays done, and is found again.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    /// The issue or the file.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The branch.
    #[error(transparent)]
    Branch(#[from] BranchError),
    /// The review court.
    #[error(transparent)]
    Review(#[from] ReviewError),
    /// The history.
    #[error(transparent)]
    Events(#[from] events::EventsError),
    /// What was verified cannot be put onto the branch.
    #[error(transparent)]
    Landing(#[from] LandingError),
    /// The record cannot be kept.
    #[error("the ledger: {0}")]
    Keep(String),
    /// What is recorded does not fit what is there.
    #[error("what is recorded of the interrupted run does not fit: {0}; --anew begins again")]
    Record(String),
}

impl From<CopyError> for BrokerError {
    fn from(error: CopyError) -> Self {
        Self::Review(error.into())
    }
}

/// What is going on, for whoever waits.
pub enum Progress<'a> {
    /// Something takes long.
    Doing(&'a str),
    /// The review court is at work.
    Judging(Step<'a>),
    /// Something happened, and this is what the run has come to.
    Came(&'a MarketRun, &'a MarketStep),
}

/// A broker at work.
pub struct Broker<'a> {
    terms: &'a MarketTerms<'a>,
    source: &'a dyn Source,
    branch: &'a Branch,
    /// The root of the project.
    home: PathBuf,
}

impl<'a> Broker<'a> {
    /// Makes a broker for the project at `home`.
    pub fn new(terms: &'a MarketTerms<'a>, source: &'a dyn Source, branch: &'a Branch, home: &Path) -> Self {
        Self { terms, source, branch, home: home.to_owned() }
    }

    /// Goes on to the end. `earlier` are the recorded steps of a run that was interrupted; each new one is handed to `keep` before
    /// anything else happens.
    ///
    /// # Errors
    ///
    /// Fails where something cannot be read, written or kept.
    pub fn run(
        &self,
        run: &mut MarketRun,
        first: MarketEffect,
        earlier: Vec<MarketStep>,
        keep: &mut dyn FnMut(&MarketStep) -> Result<(), String>,
        watch: &mut dyn FnMut(Progress<'_>),
    ) -> Result<MarketEnding, BrokerError> {
        let mut effect = first;
        for step in earlier {
            effect = run.step(step.clone());
            watch(Progress::Came(run, &step));
        }
        if !matches!(effect, MarketEffect::Flag(_) | MarketEffect::Record | MarketEffect::End(_)) {
            // Whoever calls it again has looked.
            self.source.label(&[IN_PROGRESS], &[ATTENTION])?;
        }
        loop {
            let mut took = |run: &mut MarketRun, step: MarketStep, watch: &mut dyn FnMut(Progress<'_>)| {
                keep(&step).map_err(BrokerError::Keep)?;
                let effect = run.step(step.clone());
                watch(Progress::Came(run, &step));
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
                    // The specification may lie in the project.
                    self.record(run)?;
                    return Ok(ending);
                }
                MarketEffect::Ask(bidders) => {
                    watch(Progress::Doing(&format!("asking {} for a bid", bidders.join(", "))));
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
        watch: &mut dyn FnMut(Progress<'_>),
    ) -> Result<MarketStep, BrokerError> {
        self.landing().check(&run.start().branch)?;
        let missing = |what: &str| BrokerError::Record(format!("{what} is missing"));
        let winner = || run.winner().ok_or_else(|| missing("the winner"));
        let patch = || run.patch().ok_or_else(|| missing("the change"));
        Ok(match effect {
            MarketEffect::Extract => self.extract()?,
            MarketEffect::Rank => {
                watch(Progress::Doing("ranking the bids"));
                self.rank(run)?
            }
            MarketEffect::Implement => {
                let winner = winner()?;
                watch(Progress::Doing(&format!("{} is being implemented", winner.proposal_id)));
                MarketStep::Implemented { made: self.implement(run, winner)? }
            }
            MarketEffect::Verify => self.verify(run, winner()?, patch()?, watch)?,
            MarketEffect::Commit => self.commit(run, winner()?, patch()?)?,
            MarketEffect::Keep => MarketStep::Kept { commit: self.keep_failed(run)? },
            MarketEffect::Tell(outcomes) => self.tell(run, outcomes),
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

    /// Returns how everybody stands.
    fn standing(&self) -> Result<Standing, BrokerError> {
        let names: BTreeSet<String> = self.terms.bidders.iter().map(|bidder| bidder.id.clone()).collect();
        Ok(Standing::of(&names, events::read(self.terms.state)?))
    }

    /// Copies a commit: what people change meanwhile is theirs, and no part of the work. Who takes part has no business with the score.
    fn copy(&self, commit: &str) -> Result<WorkCopy, BrokerError> {
        let repository = Repository::discover(&self.home).map_err(ReviewError::from)?;
        let repository = repository.ok_or_else(|| BrokerError::Record("there is no repository any more".to_owned()))?;
        let mut copy = WorkCopy::of_commit(&repository, commit)?;
        let landing = self.landing();
        let kept: Vec<String> = copy.files().iter().filter(|path| landing.is_state(path)).cloned().collect();
        kept.iter().try_for_each(|path| copy.remove(path))?;
        Ok(copy)
    }

    fn ask(
        &self,
        run: &mut MarketRun,
        bidders: &[String],
        took: &mut dyn FnMut(&mut MarketRun, MarketStep) -> Result<MarketEffect, BrokerError>,
    ) -> Result<MarketEffect, BrokerError> {
        self.landing().check(&run.start().branch)?;
        let copy = self.copy(&self.branch.head()?)?;
        let brief = self.brief(&copy);
        let standing = self.standing()?;
        let begin = Instant::now();
        let requirements = run.requirements().clone();
        let failure = run.failure().cloned();
        let earlier_ms = run.latest_ms();
        let asked = self.terms.bidders.iter().filter(|bidder| bidders.contains(&bidder.id));
        let asked: Vec<(&Bidder, u32)> = asked.map(|bidder| (bidder, run.left(&bidder.id))).collect();
        let MarketTerms { yard, now, bidders: all, .. } = *self.terms;
        let (next, mut last) = (AtomicUsize::new(0), None);
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            for _ in 0..asked.len().min(AT_A_TIME_MAX) {
                let (sender, asked, next, copy) = (sender.clone(), &asked, &next, &copy);
                let (requirements, brief, failure, standing) = (&requirements, &brief, failure.as_ref(), &standing);
                scope.spawn(move || {
                    while let Some((bidder, iterations)) = asked.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let standing = standing.bidders.get(&bidder.id).cloned().unwrap_or_default();
                        let iterations = *iterations;
                        let call =
                            Call { requirements, brief, standing: &standing, bidders: all.len(), iterations, failure };
                        // Each has a copy of its own: what one does there, no other sees.
                        let came = match copy.again() {
                            Ok(copy) => bidder.bid(&call, yard, &copy, now().0),
                            Err(error) => Came::Nothing(format!("it could not be asked: {error}")),
                        };
                        let elapsed = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
                        let submitted_ms = earlier_ms.saturating_add(elapsed);
                        let step = MarketStep::Asked { bidder: bidder.id.clone(), submitted_ms, came };
                        // Nobody hangs up before the last bid, unless nothing can be kept any more.
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

    /// What the project says of itself.
    fn brief(&self, copy: &WorkCopy) -> Untrusted<String> {
        brief::look(None, None, copy, brief::Reader::Judges).brief
    }

    fn rank(&self, run: &MarketRun) -> Result<MarketStep, BrokerError> {
        let start = run.start();
        let candidates = run.candidates();
        let copy = self.copy(&self.branch.head()?)?;
        let survey = brief::survey_copy(&copy);
        let appraisal = Appraisal {
            seed: start.seed,
            purpose: &format!("iteration {}, round {}", run.iteration(), run.round()),
            showings: self.terms.showings,
            measures: &start.measures,
            judging: self.terms.judging,
        };
        let bids: Vec<_> = candidates.iter().map(|candidate| (candidate.submitted_ms, &candidate.bid)).collect();
        let affected = affected(&copy, candidates.iter().flat_map(|candidate| &candidate.bid.changes));
        let Appraised { named, ranking, judges } =
            appraisal.rank(&bids, run.requirements(), &Known::of(&survey), &affected);
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

    fn implement(&self, run: &MarketRun, winner: &Winner) -> Result<Made, BrokerError> {
        let bidder = self.bidder(&winner.bidder)?;
        let mut desk = Desk::new(self.copy(&self.branch.head()?)?)?;
        let scratch = desk.copy().again()?;
        let affected = affected(desk.copy(), &winner.bid.changes);
        let promised = run.promised();
        let original = desk.path();
        let work = Work {
            bid: &winner.bid,
            requirements: &promised,
            failure: run.failure(),
            iterations: run.left(&winner.bidder),
            affected: &affected,
            limits: IMPLEMENTATION_LIMITS,
            original: &original,
        };
        let answer = bidder.implement(&work, self.terms.yard, &scratch, (self.terms.now)().0);
        let tried = proposal(&mut desk, &self.home, &Self::patch_terms(run), answer);
        Ok(match (tried.proposal, tried.patch) {
            (Proposal::Fits { .. }, Some(patch)) => match self.why_closed(&patch)? {
                Some(why) => Made::Nothing(why),
                None => Made::Patch(Box::new(patch)),
            },
            (Proposal::Unfit(faults), _) => Made::Nothing(faults.join("; ")),
            (Proposal::Unavailable(why) | Proposal::Untried(why), _) => Made::Unjudged(why),
            _ => Made::Nothing("it changed nothing".to_owned()),
        })
    }

    /// Says which part of a change is not the implementer's to make.
    fn why_closed(&self, patch: &Patch) -> Result<Option<String>, BrokerError> {
        let landing = self.landing();
        for op in &patch.ops {
            if let Some(why) = landing.why_closed(op.path())? {
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
        watch: &mut dyn FnMut(Progress<'_>),
    ) -> Result<MarketStep, BrokerError> {
        let base = self.branch.head()?;
        let mut desk = Desk::new(self.copy(&base)?)?;
        let before = self.coverage(desk.copy());
        let terms = PatchTerms { limits: PatchLimits::NONE, ..Self::patch_terms(run) };
        let made = fitting(&desk, &Handed::Operations(patch.clone()), &terms);
        let made = match made {
            Ok((made, _)) => made,
            // Somebody committed what it does not fit: nobody here is to blame.
            Err(faults) => {
                let why = format!("the change does not fit any more: {}", faults.join("; "));
                return Ok(MarketStep::Implemented { made: Made::Unjudged(Unjudged::new(Cause::Unavailable, why)) });
            }
        };
        let state = desk.keep(made);
        desk.lay(state)?;
        let promised = run.promised();
        let case =
            ReviewCase { specification: Untrusted::new(run.asked_for()), base: Some(base), ..ReviewCase::default() };
        let ground = Ground::copy(&desk.path(), &self.home);
        let review = review::hold(
            case.clone(),
            self.terms.review,
            &ground,
            &mut |step| watch(Progress::Judging(step)),
            &mut |ids, question, each| self.terms.judging.review(ids, question, each),
        )?;
        let after = before.and_then(|_| self.coverage(desk.copy()));
        let diff = review::diff(&case, &ground)?;
        let judged = if review.ruling.outcome == Outcome::Accept && self.terms.judging.is_there() {
            watch(Progress::Doing("asking which boxes are done"));
            let boxes: Vec<&ExplicitRequirement> = promised.explicit_requirements.iter().collect();
            let budget = self.terms.review.policy.diff_budget;
            Some(by_box(self.terms.judging.boxes(&boxes_question(&boxes, &diff, budget, &fresh_nonce()))))
        } else {
            None
        };
        let tested = tested(&diff);
        let scene = Scene { record: &review, tested: &tested, coverage: (before, after), judged: judged.as_ref() };
        let verification = Verification::of(&winner.bid, run.requirements(), &scene);
        let survey = brief::survey_copy(desk.copy());
        let known = Known::of(&survey);
        let planned = run.candidates().iter().flat_map(|candidate| &candidate.bid.changes).map(|change| &change.path);
        let paths: BTreeSet<&String> = planned.chain(&verification.files).collect();
        let modules = paths.into_iter().map(|path| (path.clone(), known.module_of(path))).collect();
        Ok(MarketStep::Verified { verification: Box::new(verification), review: Box::new(review), modules })
    }

    /// Measures the coverage of a copy, in per cent; `None` where nothing is configured for it, or that says nothing.
    fn coverage(&self, copy: &WorkCopy) -> Option<f64> {
        let scratch = copy.again().ok()?;
        let printed = send(self.terms.coverage?, self.terms.yard, &scratch, "", &json!({})).ok()?.stdout;
        let text = String::from_utf8_lossy(&printed).into_owned();
        let last = text.split_whitespace().last()?.trim_end_matches('%').parse::<f64>().ok()?;
        (0.0..=100.0).contains(&last).then_some(last)
    }

    fn landing(&self) -> Landing<'_> {
        Landing::new(self.branch, &self.home, self.terms.state, self.source)
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
        let landed = self.landing().commit(self.copy(&head)?, &head, patch, &terms, &message(run, winner))?;
        Ok(match landed {
            Landed::Commit(commit) => MarketStep::Committed { commit },
            Landed::Refused(why) => MarketStep::CommitRefused { why },
        })
    }

    /// Keeps what failed in the end, so that a person can look at it. It is no base for anything: it goes to a branch of its own.
    fn keep_failed(&self, run: &MarketRun) -> Result<Option<String>, BrokerError> {
        let (Some(patch), Some(on)) = (run.patch(), run.verified_on()) else { return Ok(None) };
        let message = format!(
            "Not accepted: {}\n\nThe last implementation of both rounds, kept for a person to look at. It did not hold.\n\n{}\n",
            subject(run),
            run.marker()
        );
        let (terms, name) = (Self::patch_terms(run), run.failed_branch());
        Ok(Some(self.landing().keep_aside(self.copy(on)?, on, patch, &terms, &name, &message)?))
    }

    fn tell(&self, run: &MarketRun, outcomes: &[BidderOutcome]) -> MarketStep {
        let (_, timestamp) = (self.terms.now)();
        MarketStep::Told { events: told(outcomes, run.start(), run.iteration(), &timestamp) }
    }

    fn tick(&self, boxes: &[BoxName]) -> Result<MarketStep, BrokerError> {
        let gone = if boxes.is_empty() { Vec::new() } else { self.source.tick(boxes)?.gone };
        Ok(MarketStep::Ticked { gone })
    }

    /// Commits what we keep of the market, and a specification that lies in the project.
    fn record(&self, run: &MarketRun) -> Result<MarketStep, BrokerError> {
        // What was stashed or cleaned away meanwhile has happened all the same.
        run.events().iter().try_for_each(|event| events::record(self.terms.state, event).map(drop))?;
        let landing = self.landing();
        landing.check(&run.start().branch)?;
        let message =
            format!("Market: what became of {}\n\n{}\n", subject(run), run.marker().replace("-Run", "-Record"));
        Ok(MarketStep::Recorded { commit: landing.record(&message)? })
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

/// What a person is told in the issue. What programs and bidders said stands in code: nothing there is a box, a mention or a comment.
fn attention_text(attention: &Attention, branch: &str) -> String {
    let quoted = |text: &str| format!("````text\n{}\n````", make_visible(text).replace("```", "\"\"\""));
    let told = match attention {
        Attention::Failed { initial, replan } => format!(
            "Both initial and replan rounds failed. Manual intervention required.\n\n**Initial failure:**\n\n{}\n\n**Replan failure:**\n\n{}",
            quoted(&initial.summary()),
            quoted(&replan.summary())
        ),
        attention => format!("Manual intervention required:\n\n{}", quoted(&attention.sentence())),
    };
    format!("## Marketplace Failure\n\n{told}\n\nCheck branch: `{branch}`")
}

/// Reads what is demanded: by a judge, where one is there and what it says holds, and else by rules.
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

/// Says in a commit what was done, and what it was verified by.
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
