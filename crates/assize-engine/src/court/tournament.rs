//! Runs the tournament: checks candidates out, reviews each in a copy of its own, and lets judges compare candidates
//! that the evidence cannot separate.
//!
//! The user's own tree is only read. All candidates have the same base; the results of its gates and its build output
//! are made once for all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use assize_brief::brief::{Analysis, Brief};
use assize_brief::convention::{self, BaseConventions, ChangedSource, ConventionChange, ExecSignal};
use assize_core::diff::Diff;
use assize_core::opinion::Opinion;
use assize_core::prompt::Question;
use assize_gate::exec_report::{ExecReport, GateResult};
use assize_gate::gate::Dimension;
use assize_patch::{Patch, PatchInput};
use assize_review::case::{ReviewCase, ReviewInputs};
use assize_review::court::ReviewRecord;
use assize_review::ranking_key::{Measure, RankingKey};
use assize_review::tournament::prompt::{PairPrompt, pair_question};
use assize_review::tournament::verdict::PairVerdict;
use assize_review::tournament::{
    Assessment, Conformity, GateCheckpoint, GateProgress, PairComparison, STOPPED_EARLY, TournamentCandidate,
    TournamentCourt, TournamentEffect, TournamentEvent, TournamentInputs, TournamentRecord, bound,
};

use super::review::{self, ReviewError, ReviewStep, ReviewTerms, TreeState};
use crate::brief::{TreeSurvey, survey_copy_within_limit};
use crate::patch::{PatchError, PatchTerms, check};
use crate::random::fresh_nonce;
use crate::scratch::Scratch;
use crate::tree;
use crate::work_copy::{CopyError, WorkCopy};
use crate::work_tree::WorkTree;

/// Asks judges a question and passes on each opinion as it arrives.
pub type AskPairJudges<'a> = &'a mut dyn FnMut(&[String], &Question, &mut dyn FnMut(Opinion<PairVerdict>));

/// With fewer candidates than this, preparing the base costs more than it saves.
pub const PREPARED_FROM: usize = 3;
/// The most bytes of a changed file that are read for its conventions.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// A candidate as it was submitted.
pub struct CandidateInput {
    /// Its name.
    pub name: String,
    /// Its source.
    pub source: CandidateSource,
}

/// The source of a candidate.
pub enum CandidateSource {
    /// A patch of the base.
    Patch(PatchInput),
    /// A document that is not a patch, with its errors.
    Unreadable(Vec<String>),
    /// The tree of a folder.
    Folder(PathBuf),
    /// The tree of a commit.
    Commit(String),
}

/// The terms of a tournament.
pub struct TournamentTerms {
    /// How each candidate is reviewed. No model judges a single candidate.
    pub review: ReviewTerms,
    /// What a patch may do.
    pub patches: PatchTerms,
    /// The ids of the judges that compare candidates within a tie.
    pub judges: Vec<String>,
    /// How many candidates are reviewed at the same time.
    pub jobs: usize,
}

/// The progress of a tournament.
pub enum TournamentProgress<'a> {
    /// The base is being examined.
    Base,
    /// The review of a candidate began.
    Began(&'a str),
    /// A candidate was judged.
    Ended {
        /// Its name.
        name: &'a str,
        /// Its ranking key.
        ranking_key: &'a RankingKey,
        /// How many candidates are judged.
        done: usize,
        /// How many there are to judge.
        of: usize,
    },
    /// Judges compare two candidates.
    Comparing(usize, usize),
}

/// Runs a tournament over candidates for the project of a folder.
///
/// # Errors
///
/// Fails if the base cannot be read or copied, and if the required sandbox is not available. A faulty candidate is not
/// an error.
pub fn hold(
    case: &ReviewCase,
    entrants: &[CandidateInput],
    terms: TournamentTerms,
    folder: &Path,
    watch: &mut dyn FnMut(TournamentProgress<'_>),
    ask: AskPairJudges<'_>,
) -> Result<TournamentRecord, ReviewError> {
    let project = WorkTree::project(folder);
    let repository = project.repository()?;
    let home = repository.as_ref().map_or(folder, |repository| repository.root()).to_owned();
    let base = review::base_of(case, &project)?;
    let context = TournamentContext { case, home: &home, base: &base, patches: &terms.patches };
    let copies: Vec<CandidateCopy> = entrants.iter().map(|entrant| context.check_out(entrant)).collect();
    let unchanged = id_of(&base).map_err(|error| CopyError::Io { path: base.path(), error })?;
    let candidates = entrants.iter().zip(&copies).map(|(entrant, copies)| {
        let of = |copies: &(WorkCopy, Option<Patch>)| match id_of(&copies.0) {
            Ok(id) if id == unchanged => Err(vec!["it changes nothing".to_owned()]),
            Ok(id) => Ok(id),
            Err(error) => Err(vec![error.to_string()]),
        };
        let tree = copies.as_ref().map_err(Vec::clone).and_then(of);
        let patch = copies.as_ref().ok().and_then(|(_, patch)| patch.clone());
        TournamentCandidate { name: entrant.name.clone(), tree, patch }
    });
    let inputs = TournamentInputs {
        specification: case.specification.clone(),
        base: case.base.clone(),
        candidates: candidates.collect(),
        ..TournamentInputs::default()
    };
    let build = Scratch::new("assize-build-").map_err(|error| CopyError::Io { path: std::env::temp_dir(), error })?;
    let best: Arc<Mutex<Option<RankingKey>>> = Arc::default();
    let mut review = ReviewTerms { judges: Vec::new(), hopeless: Some(hopeless(best.clone())), ..terms.review };
    let mut court = TournamentCourt::new(inputs, !terms.judges.is_empty());
    let mut effect = court.begin();
    let survey = survey_copy_within_limit(&base);
    loop {
        effect = match effect {
            TournamentEffect::Rule(record) => return Ok(*record),
            TournamentEffect::Assess(due) => {
                if due.len() >= PREPARED_FROM {
                    watch(TournamentProgress::Base);
                    let built = review::prepare_base(case, &review, &project, build.path(), &mut |_| {})?;
                    review.gates.base_build = built.map(Arc::new);
                }
                let jobs = terms.jobs.clamp(1, due.len());
                let batch = ReviewBatch {
                    context: &context,
                    entrants,
                    copies: &copies,
                    review: &review,
                    survey: survey.as_ref(),
                    best: &best,
                    jobs,
                };
                batch.run(&due, &mut court, watch)?
            }
            TournamentEffect::Compare(pairs) => {
                let mut next = None;
                for (first, second) in pairs {
                    watch(TournamentProgress::Comparing(first, second));
                    let comparison = context.compare(&copies, (first, second), &terms.judges, ask)?;
                    next = court.step(TournamentEvent::Compared(Box::new(comparison)));
                }
                next.unwrap_or_else(|| court.begin())
            }
        };
    }
}

/// Decides whether a candidate can no longer become first, whatever its remaining gates report.
fn hopeless(best: Arc<Mutex<Option<RankingKey>>>) -> review::Hopeless {
    Arc::new(move |so_far: &ReviewInputs| {
        let best = *best.lock().unwrap_or_else(PoisonError::into_inner);
        best.is_some_and(|best| bound(so_far) < best)
    })
}

/// The copy of a candidate, with its operations if it is a patch; or why it cannot be checked out.
type CandidateCopy = Result<(WorkCopy, Option<Patch>), Vec<String>>;

/// Copies the tree of a folder. If it has a repository, copies the files that git lists.
fn copy_of(folder: &Path) -> Result<WorkCopy, ReviewError> {
    let repository = WorkTree::project(folder).repository()?.filter(|found| found.root() == folder);
    Ok(WorkCopy::of_folder(folder, review::paths_of(folder, repository.as_ref())?)?)
}

/// What all candidates share.
struct TournamentContext<'a> {
    case: &'a ReviewCase,
    home: &'a Path,
    base: &'a WorkCopy,
    patches: &'a PatchTerms,
}

impl TournamentContext<'_> {
    /// Checks a candidate out in a copy of its own. Any failure concerns only this candidate and is returned as its
    /// errors.
    fn check_out(&self, entrant: &CandidateInput) -> CandidateCopy {
        let message = |error: &dyn std::fmt::Display| vec![error.to_string()];
        match &entrant.source {
            CandidateSource::Unreadable(faults) => Err(faults.clone()),
            CandidateSource::Patch(input) => self.check_out_patch(input).map(|(copy, patch)| (copy, Some(patch))),
            CandidateSource::Folder(folder) => {
                copy_of(folder).map(|copy| (copy, None)).map_err(|error| message(&error))
            }
            CandidateSource::Commit(revision) => {
                let copy = self.copy_of_commit(revision).map_err(|error| message(&error))?;
                copy.map(|copy| (copy, None)).ok_or_else(|| vec![format!("{revision}: there is no repository")])
            }
        }
    }

    fn copy_of_commit(&self, revision: &str) -> Result<Option<WorkCopy>, ReviewError> {
        let Some(repository) = WorkTree::project(self.home).repository()? else { return Ok(None) };
        let commit = repository.resolve(revision)?;
        Ok(Some(WorkCopy::of_commit(&repository, &commit)?))
    }

    fn check_out_patch(&self, input: &PatchInput) -> Result<(WorkCopy, Patch), Vec<String>> {
        let message = |error: &dyn std::fmt::Display| vec![error.to_string()];
        let mut copy = self.base.again().map_err(|error| message(&error))?;
        let prepared = check(&copy.path(), self.patches, input).map_err(|error| match error {
            PatchError::Unfit(faults) => faults.iter().map(ToString::to_string).collect(),
            error => message(&error),
        })?;
        copy.carry_out(&prepared.plan.changes).map_err(|error| message(&error))?;
        Ok((copy, prepared.patch))
    }

    fn work_tree(&self, copy: &WorkCopy) -> WorkTree {
        WorkTree::copy(&copy.path(), self.home)
    }

    /// Lets judges compare two candidates.
    fn compare(
        &self,
        copies: &[CandidateCopy],
        (first, second): (usize, usize),
        judges: &[String],
        ask: AskPairJudges<'_>,
    ) -> Result<PairComparison, ReviewError> {
        let diff = |index: usize| match &copies[index] {
            Ok((copy, _)) => review::diff(self.case, &self.work_tree(copy)),
            Err(_) => Ok(Diff::default()),
        };
        let brief = crate::brief::look(None, None, self.base, crate::brief::BriefAudience::Judges).brief;
        let pair = PairPrompt {
            specification: &self.case.specification,
            brief: &brief,
            first: &diff(first)?,
            second: &diff(second)?,
            budget: assize_core::prompt::DiffBudget::default(),
        };
        let mut opinions = Vec::new();
        ask(judges, &pair_question(&pair, &fresh_nonce()), &mut |opinion| opinions.push(opinion));
        Ok(PairComparison { first, second, opinions })
    }
}

/// Candidates that are reviewed at the same time.
struct ReviewBatch<'a> {
    context: &'a TournamentContext<'a>,
    entrants: &'a [CandidateInput],
    copies: &'a [CandidateCopy],
    review: &'a ReviewTerms,
    survey: Option<&'a TreeSurvey>,
    /// The best ranking key so far. Candidates that cannot reach it are stopped early.
    best: &'a Mutex<Option<RankingKey>>,
    jobs: usize,
}

/// An event from a worker.
enum WorkerEvent {
    Began(usize),
    Ended(usize, Result<Box<CandidateAssessment>, ReviewError>),
}

/// The assessment of a candidate, with the course of its review.
struct CandidateAssessment {
    assessment: Assessment,
    course: GateProgress,
}

impl ReviewBatch<'_> {
    fn run(
        &self,
        due: &[usize],
        court: &mut TournamentCourt,
        watch: &mut dyn FnMut(TournamentProgress<'_>),
    ) -> Result<TournamentEffect, ReviewError> {
        let next = Mutex::new(due.iter().copied());
        let (sender, receiver) = channel();
        thread::scope(|scope| {
            for _ in 0..self.jobs {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || self.work(next, &sender));
            }
            drop(sender);
            let (mut done, mut effect, mut failed) = (0, None, None);
            for event in receiver {
                match event {
                    WorkerEvent::Began(index) => watch(TournamentProgress::Began(&self.entrants[index].name)),
                    WorkerEvent::Ended(_, Err(error)) => failed = Some(error),
                    WorkerEvent::Ended(candidate, Ok(assessed)) => {
                        done += 1;
                        let CandidateAssessment { assessment, course } = *assessed;
                        let assessment = Box::new(assessment);
                        let (name, ranking_key) = (&self.entrants[candidate].name, assessment.ranking_key);
                        watch(TournamentProgress::Ended { name, ranking_key: &ranking_key, done, of: due.len() });
                        effect = court.step(TournamentEvent::Assessed { candidate, assessment, course });
                        *self.best.lock().unwrap_or_else(PoisonError::into_inner) = court.best();
                    }
                }
            }
            match (failed, effect) {
                (Some(error), _) => Err(error),
                (None, effect) => Ok(effect.unwrap_or_else(|| court.begin())),
            }
        })
    }

    fn work(&self, next: &Mutex<impl Iterator<Item = usize>>, sender: &Sender<WorkerEvent>) {
        loop {
            let Some(index) = next.lock().unwrap_or_else(PoisonError::into_inner).next() else { return };
            // The receiver listens until the last worker has ended.
            let _ = sender.send(WorkerEvent::Began(index));
            let Ok((copy, _)) = &self.copies[index] else { continue };
            let _ = sender.send(WorkerEvent::Ended(index, self.assess(copy).map(Box::new)));
        }
    }

    fn assess(&self, copy: &WorkCopy) -> Result<CandidateAssessment, ReviewError> {
        let work_tree = self.context.work_tree(copy);
        let nobody: review::AskReviewJudges<'_> = &mut |_, _, _| {};
        let mut log = ReviewLog::default();
        let record =
            review::hold(self.context.case.clone(), self.review, &work_tree, &mut |step| log.see(step), nobody)?;
        // A change that cannot be read was ruled upon above; it has no conventions.
        let diff = review::diff(self.context.case, &work_tree).unwrap_or_default();
        let mut course = log.course(&record);
        let mut convention = Conformity::default();
        if let Some(survey) = self.survey {
            let built_in = record.inputs.exec.gates.iter().skip(course.gates).cloned().collect();
            let without_gates = ExecReport::of(built_in, None);
            let reports = [&record.inputs.exec, &without_gates];
            [convention, course.convention] = conformity(survey, copy, &diff, &record, reports);
            // The total includes the gates, which are unknown here.
            course.convention.total = None;
        }
        Ok(CandidateAssessment { assessment: Assessment::of(record, convention), course })
    }
}

/// What is observed during a review.
#[derive(Default)]
struct ReviewLog {
    /// Gates that ran on the candidate, including those whose result does not count.
    begun: usize,
    results: Vec<GateResult>,
    /// Whether another gate follows the running one.
    goes_on: bool,
    /// The number of results each time another gate followed.
    checkpoints: Vec<usize>,
}

impl ReviewLog {
    fn see(&mut self, step: ReviewStep<'_>) {
        match step {
            ReviewStep::Gate { on: TreeState::Held | TreeState::Change, done, of, .. } => {
                self.begun += 1;
                self.goes_on = done + 1 < of;
            }
            ReviewStep::Ended { result } => {
                self.results.push(result.clone());
                if self.goes_on {
                    self.checkpoints.push(self.results.len());
                }
            }
            ReviewStep::Gate { .. }
            | ReviewStep::Copying
            | ReviewStep::Preparing { .. }
            | ReviewStep::Printed(_)
            | ReviewStep::Judging => {}
        }
    }

    fn course(self, record: &ReviewRecord) -> GateProgress {
        let limits = &record.inputs.limits;
        // Each gate whose result does not count leaves a limit, and so does stopping early.
        let stopped = limits.iter().any(|limit| limit == STOPPED_EARLY);
        let of_gates = self.begun.saturating_sub(self.results.len()) + usize::from(stopped);
        let so_far = |gates: usize| ReviewInputs {
            case: record.inputs.case.clone(),
            policy: record.inputs.policy.clone(),
            exec: ExecReport::of(self.results[..gates].to_vec(), None),
            ..ReviewInputs::default()
        };
        let checkpoint = |gates: &usize| GateCheckpoint { gates: *gates, bound: bound(&so_far(*gates)) };
        GateProgress {
            gates: self.results.len(),
            limits: limits.len().saturating_sub(of_gates),
            checkpoints: self.checkpoints.iter().map(checkpoint).collect(),
            convention: Conformity::default(),
        }
    }
}

/// Scores how well a change fits the conventions of its base, once for each of several gate reports.
fn conformity<const REPORTS: usize>(
    base: &TreeSurvey,
    copy: &WorkCopy,
    diff: &Diff,
    record: &ReviewRecord,
    reports: [&ExecReport; REPORTS],
) -> [Conformity; REPORTS] {
    let inputs = &record.inputs;
    let tree = base.tree();
    let analysis = Analysis::of(&tree);
    let brief: Brief = base.brief();
    let conventions = BaseConventions::of(&tree, analysis.roles(), &brief);
    let texts: BTreeMap<&str, (String, BTreeSet<u32>)> = diff
        .files
        .iter()
        .filter_map(|file| {
            let added = file.added_lines().map(|(line, _)| line).collect();
            Some((file.path.as_str(), (copy.text(&file.path, FILE_BYTES_MAX)?, added)))
        })
        .collect();
    let files: Vec<ChangedSource<'_>> =
        texts.iter().map(|(path, (text, added))| ChangedSource { path, text, added }).collect();
    let found = |prefix: &str| inputs.findings.iter().filter(|finding| finding.rule.starts_with(prefix)).count();
    let signal = exec_signal(&RankingKey::of(inputs, record.ruling.outcome, None));
    reports.map(|report| {
        let is_examined = |dimension| {
            inputs.looked_at.contains(&dimension) || report.used().any(|gate| gate.dimensions.contains(&dimension))
        };
        let score = convention::score(
            &conventions,
            &ConventionChange {
                files: &files,
                task: inputs.case.specification.inspect(),
                boundary_breaks: is_examined(Dimension::Boundaries).then(|| found("boundary-")),
                schema_faults: is_examined(Dimension::Schema).then(|| found("schema-") + report.schema_errors.len()),
            },
        );
        let total = signal.map(|signal| score.total(signal));
        Conformity { fit: score.fit, total, parts: serde_json::to_value(&score).unwrap_or_default() }
    })
}

/// Returns the gate results as the scoring formula takes them; `None` if they came to no result.
fn exec_signal(ranking_key: &RankingKey) -> Option<ExecSignal> {
    let tests = ranking_key.regressions.and(ranking_key.target_tests).and(ranking_key.edge_tests);
    let others = ranking_key.builds.and(ranking_key.other_faults).and(ranking_key.security_and_boundaries);
    match (tests, others) {
        (Measure::Faults(_), _) => Some(ExecSignal::Failing),
        (Measure::Unknown, _) | (_, Measure::Unknown) => None,
        (Measure::Holds, Measure::Faults(_)) => Some(ExecSignal::Noisy),
        (Measure::Holds, Measure::Holds) => Some(ExecSignal::Clean),
    }
}

/// Returns the identity of a tree. Line ends, and whether the last line has one, do not count in code.
fn id_of(copy: &WorkCopy) -> std::io::Result<String> {
    tree::id(&copy.path(), copy.files(), &|path, bytes| if ends_mean_nothing(path) { plain(&bytes) } else { bytes })
}

/// Returns whether a language ignores the kind of line ends. A shell does not.
fn ends_mean_nothing(path: &str) -> bool {
    const ENDINGS: [&str; 10] = ["rs", "py", "js", "mjs", "cjs", "jsx", "ts", "tsx", "go", "java"];
    path.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

fn plain(bytes: &[u8]) -> Vec<u8> {
    let mut plain: Vec<u8> = Vec::with_capacity(bytes.len() + 1);
    for (index, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(index + 1) != Some(&b'\n') {
            plain.push(*byte);
        }
    }
    if plain.last().is_some_and(|last| *last != b'\n') {
        plain.push(b'\n');
    }
    plain
}

#[cfg(test)]
mod tests {
    use assize_core::finding::{Certainty, Finding, Severity};
    use assize_core::ruling::Outcome;

    use super::*;

    #[test]
    fn a_candidate_is_hopeless_once_its_faults_put_it_behind() {
        let found = |rule: &str| Finding {
            rule: rule.to_owned(),
            severity: Severity::Error,
            certainty: Certainty::Certain,
            path: None,
            line: None,
            message: "m".to_owned(),
        };
        let with = |findings: Vec<Finding>| ReviewInputs { findings, ..ReviewInputs::default() };
        let (sound, broken) = (with(vec![]), with(vec![found("syntax-error")]));
        let best: Arc<Mutex<Option<RankingKey>>> = Arc::default();
        let is_hopeless = hopeless(best.clone());
        assert!(!is_hopeless(&broken), "nothing is known to be better");
        *best.lock().expect("no thread failed") = Some(RankingKey::of(&sound, Outcome::Accept, None));
        assert!(is_hopeless(&broken) && !is_hopeless(&sound));
        *best.lock().expect("no thread failed") = Some(RankingKey::of(&broken, Outcome::Revise, None));
        assert!(!is_hopeless(&broken), "what may be as good goes on");
    }

    #[test]
    fn how_lines_end_means_nothing_where_a_language_says_so() {
        for (path, means_nothing) in
            [("a.rs", true), ("a.py", true), ("a.mjs", true), ("run.sh", false), ("a.txt", false), ("Makefile", false)]
        {
            assert_eq!(ends_mean_nothing(path), means_nothing, "{path}");
        }
        assert_eq!(plain(b"a\r\nb"), b"a\nb\n");
        assert_eq!(plain(b"a\rb\n"), b"a\rb\n");
        assert_eq!(plain(b""), b"");
    }
}
