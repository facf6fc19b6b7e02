//! Holds the tournament: lays candidates out, has each reviewed in a copy of its own, and has judges compare those that
//! evidence cannot tell apart.
//!
//! The user's own tree is only read. Every candidate is laid over the same base; what its gates say and what build tools
//! make of it is found out once for all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use assize_brief::brief::{Analysis, Brief};
use assize_brief::convention::{self, Change, ChangedFile, ExecSignal, Habits};
use assize_core::court::review::{ReviewCase, ReviewInputs, ReviewRecord};
use assize_core::court::standing::{Measure, Standing};
use assize_core::court::tournament::{
    Assessment, Candidate, Comparison, Conformity, Course, STOPPED_EARLY, Stage, TournamentCourt, TournamentEffect,
    TournamentEvent, TournamentInputs, TournamentRecord, bound,
};
use assize_core::diff::Diff;
use assize_core::exec_report::{ExecReport, GateResult};
use assize_core::gate::Dimension;
use assize_core::opinion::Opinion;
use assize_core::patch::{Handed, Patch};
use assize_core::prompt::Question;
use assize_core::prompt::pair::{Pair, pair_question};
use assize_core::verdict::PairVerdict;

use super::fresh_nonce;
use super::review::{self, ReviewError, Step, Terms, Tree};
use crate::brief::{Survey, survey_copy_within_limit};
use crate::ground::Ground;
use crate::patch::{PatchError, PatchTerms, check};
use crate::scratch::Scratch;
use crate::tree;
use crate::work_copy::{CopyError, WorkCopy};

/// Puts a question to judges and hands on each opinion as it comes in.
pub type Ask<'a> = &'a mut dyn FnMut(&[String], &Question, &mut dyn FnMut(Opinion<PairVerdict>));

/// With fewer candidates, finding out about the base beforehand costs more than it spares.
pub const PREPARED_FROM: usize = 3;
/// Bytes of a changed file that is read for its conventions.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// A candidate as it is handed in.
pub struct Entrant {
    /// What people call it.
    pub name: String,
    /// What it is made of.
    pub source: Source,
}

/// What a candidate is made of.
pub enum Source {
    /// A patch of the base.
    Patch(Handed),
    /// A document that is no patch, and what is wrong with it.
    Unreadable(Vec<String>),
    /// The tree of a folder.
    Folder(PathBuf),
    /// The tree of a commit.
    Commit(String),
}

/// Under what terms a tournament is held.
pub struct TournamentTerms {
    /// How each candidate is reviewed. No model judges a single candidate.
    pub review: Terms,
    /// What a patch may do.
    pub patches: PatchTerms,
    /// Ids of the judges that compare candidates within a tie.
    pub judges: Vec<String>,
    /// How many candidates are reviewed at a time.
    pub jobs: usize,
}

/// What is going on, for whoever waits.
pub enum Progress<'a> {
    /// The base is looked at.
    Base,
    /// A candidate's review began.
    Began(&'a str),
    /// A candidate was judged.
    Ended {
        /// What people call it.
        name: &'a str,
        /// Where it stands.
        standing: &'a Standing,
        /// How many were judged.
        done: usize,
        /// How many there are to judge.
        of: usize,
    },
    /// Judges compare two candidates.
    Comparing(usize, usize),
}

/// Holds a tournament over candidates for the project of a folder.
///
/// # Errors
///
/// Fails when the base cannot be read or copied, and when the sandbox that was demanded cannot be had. What is wrong with a
/// candidate is no error.
pub fn hold(
    case: &ReviewCase,
    entrants: &[Entrant],
    terms: TournamentTerms,
    folder: &Path,
    watch: &mut dyn FnMut(Progress<'_>),
    ask: Ask<'_>,
) -> Result<TournamentRecord, ReviewError> {
    let project = Ground::project(folder);
    let repository = project.repository()?;
    let home = repository.as_ref().map_or(folder, |repository| repository.root()).to_owned();
    let base = review::base_of(case, &project)?;
    let hall = Hall { case, home: &home, base: &base, patches: &terms.patches };
    let laid: Vec<Laid> = entrants.iter().map(|entrant| hall.lay(entrant)).collect();
    let unchanged = id_of(&base).map_err(|error| CopyError::Io { path: base.path(), error })?;
    let candidates = entrants.iter().zip(&laid).map(|(entrant, laid)| {
        let of = |laid: &(WorkCopy, Option<Patch>)| match id_of(&laid.0) {
            Ok(id) if id == unchanged => Err(vec!["it changes nothing".to_owned()]),
            Ok(id) => Ok(id),
            Err(error) => Err(vec![error.to_string()]),
        };
        let tree = laid.as_ref().map_err(Vec::clone).and_then(of);
        let patch = laid.as_ref().ok().and_then(|(_, patch)| patch.clone());
        Candidate { name: entrant.name.clone(), tree, patch }
    });
    let inputs = TournamentInputs {
        specification: case.specification.clone(),
        base: case.base.clone(),
        candidates: candidates.collect(),
        ..TournamentInputs::default()
    };
    let build = Scratch::new("assize-build-").map_err(|error| CopyError::Io { path: std::env::temp_dir(), error })?;
    let best: Arc<Mutex<Option<Standing>>> = Arc::default();
    let mut review = Terms { judges: Vec::new(), hopeless: Some(hopeless(best.clone())), ..terms.review };
    let mut court = TournamentCourt::new(inputs, !terms.judges.is_empty());
    let mut effect = court.begin();
    let survey = survey_copy_within_limit(&base);
    loop {
        effect = match effect {
            TournamentEffect::Rule(record) => return Ok(*record),
            TournamentEffect::Assess(due) => {
                if due.len() >= PREPARED_FROM {
                    watch(Progress::Base);
                    review::prepare_base(case, &review, &project, build.path(), &mut |_| {})?;
                    review.gates.seed = Some(build.path().to_owned());
                }
                let jobs = terms.jobs.clamp(1, due.len());
                let heat = Heat {
                    hall: &hall,
                    entrants,
                    laid: &laid,
                    review: &review,
                    survey: survey.as_ref(),
                    best: &best,
                    jobs,
                };
                heat.run(&due, &mut court, watch)?
            }
            TournamentEffect::Compare(pairs) => {
                let mut next = None;
                for (first, second) in pairs {
                    watch(Progress::Comparing(first, second));
                    let comparison = hall.compare(&laid, (first, second), &terms.judges, ask)?;
                    next = court.step(TournamentEvent::Compared(Box::new(comparison)));
                }
                next.unwrap_or_else(|| court.begin())
            }
        };
    }
}

/// Says that a candidate cannot come first any more, whatever its other gates say.
fn hopeless(best: Arc<Mutex<Option<Standing>>>) -> review::Hopeless {
    Arc::new(move |so_far: &ReviewInputs| {
        let best = *best.lock().unwrap_or_else(PoisonError::into_inner);
        best.is_some_and(|best| bound(so_far) < best)
    })
}

/// A candidate in a copy of its own, with its operations where it is a patch; or what keeps it from being laid out.
type Laid = Result<(WorkCopy, Option<Patch>), Vec<String>>;

/// Copies the tree of a folder: what its own git lists, where it has one.
fn copy_of(folder: &Path) -> Result<WorkCopy, ReviewError> {
    let repository = Ground::project(folder).repository()?.filter(|found| found.root() == folder);
    Ok(WorkCopy::of_folder(folder, review::paths_of(folder, repository.as_ref())?)?)
}

/// What all candidates have in common.
struct Hall<'a> {
    case: &'a ReviewCase,
    home: &'a Path,
    base: &'a WorkCopy,
    patches: &'a PatchTerms,
}

impl Hall<'_> {
    /// Lays a candidate out in a copy of its own; says what keeps it from that, whatever it is: no candidate keeps the others
    /// from being judged.
    fn lay(&self, entrant: &Entrant) -> Laid {
        let said = |error: &dyn std::fmt::Display| vec![error.to_string()];
        match &entrant.source {
            Source::Unreadable(faults) => Err(faults.clone()),
            Source::Patch(handed) => self.lay_patch(handed).map(|(copy, patch)| (copy, Some(patch))),
            Source::Folder(folder) => copy_of(folder).map(|copy| (copy, None)).map_err(|error| said(&error)),
            Source::Commit(revision) => {
                let copy = self.copy_of_commit(revision).map_err(|error| said(&error))?;
                copy.map(|copy| (copy, None)).ok_or_else(|| vec![format!("{revision}: there is no repository")])
            }
        }
    }

    fn copy_of_commit(&self, revision: &str) -> Result<Option<WorkCopy>, ReviewError> {
        let Some(repository) = Ground::project(self.home).repository()? else { return Ok(None) };
        let commit = repository.resolve(revision)?;
        Ok(Some(WorkCopy::of_commit(&repository, &commit)?))
    }

    fn lay_patch(&self, handed: &Handed) -> Result<(WorkCopy, Patch), Vec<String>> {
        let said = |error: &dyn std::fmt::Display| vec![error.to_string()];
        let mut copy = self.base.again().map_err(|error| said(&error))?;
        let prepared = check(&copy.path(), self.patches, handed).map_err(|error| match error {
            PatchError::Unfit(faults) => faults.iter().map(ToString::to_string).collect(),
            error => said(&error),
        })?;
        copy.carry_out(&prepared.plan.changes).map_err(|error| said(&error))?;
        Ok((copy, prepared.patch))
    }

    fn ground(&self, copy: &WorkCopy) -> Ground {
        Ground::copy(&copy.path(), self.home)
    }

    /// Has judges compare two candidates.
    fn compare(
        &self,
        laid: &[Laid],
        (first, second): (usize, usize),
        judges: &[String],
        ask: Ask<'_>,
    ) -> Result<Comparison, ReviewError> {
        let diff = |index: usize| match &laid[index] {
            Ok((copy, _)) => review::diff(self.case, &self.ground(copy)),
            Err(_) => Ok(Diff::default()),
        };
        let brief = crate::brief::look(None, None, self.base, crate::brief::Reader::Judges).brief;
        let pair = Pair {
            specification: &self.case.specification,
            brief: &brief,
            first: &diff(first)?,
            second: &diff(second)?,
            budget: assize_core::prompt::DiffBudget::default(),
        };
        let mut opinions = Vec::new();
        ask(judges, &pair_question(&pair, &fresh_nonce()), &mut |opinion| opinions.push(opinion));
        Ok(Comparison { first, second, opinions })
    }
}

/// Candidates that are reviewed at the same time.
struct Heat<'a> {
    hall: &'a Hall<'a>,
    entrants: &'a [Entrant],
    laid: &'a [Laid],
    review: &'a Terms,
    survey: Option<&'a Survey>,
    /// The best standing so far: what cannot reach it is stopped early.
    best: &'a Mutex<Option<Standing>>,
    jobs: usize,
}

/// What a worker says.
enum News {
    Began(usize),
    Ended(usize, Result<Box<Assessed>, ReviewError>),
}

/// What is known of a candidate, and how that came to be known.
struct Assessed {
    assessment: Assessment,
    course: Course,
}

impl Heat<'_> {
    fn run(
        &self,
        due: &[usize],
        court: &mut TournamentCourt,
        watch: &mut dyn FnMut(Progress<'_>),
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
            for news in receiver {
                match news {
                    News::Began(index) => watch(Progress::Began(&self.entrants[index].name)),
                    News::Ended(_, Err(error)) => failed = Some(error),
                    News::Ended(candidate, Ok(assessed)) => {
                        done += 1;
                        let Assessed { assessment, course } = *assessed;
                        let assessment = Box::new(assessment);
                        let (name, standing) = (&self.entrants[candidate].name, assessment.standing);
                        watch(Progress::Ended { name, standing: &standing, done, of: due.len() });
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

    fn work(&self, next: &Mutex<impl Iterator<Item = usize>>, sender: &Sender<News>) {
        loop {
            let Some(index) = next.lock().unwrap_or_else(PoisonError::into_inner).next() else { return };
            // Whoever listens does so until the last worker is done.
            let _ = sender.send(News::Began(index));
            let Ok((copy, _)) = &self.laid[index] else { continue };
            let _ = sender.send(News::Ended(index, self.assess(copy).map(Box::new)));
        }
    }

    fn assess(&self, copy: &WorkCopy) -> Result<Assessed, ReviewError> {
        let ground = self.hall.ground(copy);
        let nobody: review::Ask<'_> = &mut |_, _, _| {};
        let mut log = Log::default();
        let record = review::hold(self.hall.case.clone(), self.review, &ground, &mut |step| log.see(step), nobody)?;
        // A change that cannot be read is ruled upon above; it has no conventions.
        let diff = review::diff(self.hall.case, &ground).unwrap_or_default();
        let mut course = log.course(&record);
        let mut convention = Conformity::default();
        if let Some(survey) = self.survey {
            let built_in = record.inputs.exec.gates.iter().skip(course.gates).cloned().collect();
            let without_gates = ExecReport::of(built_in, None);
            let reports = [&record.inputs.exec, &without_gates];
            [convention, course.convention] = conformity(survey, copy, &diff, &record, reports);
            // The total takes the gates in.
            course.convention.total = None;
        }
        let stopped = record.inputs.limits.iter().find(|limit| *limit == STOPPED_EARLY).cloned();
        let standing = Standing::of(&record.inputs, record.ruling.outcome, convention.fit);
        let assessment = Assessment { standing, review: Box::new(record), convention, stopped };
        Ok(Assessed { assessment, course })
    }
}

/// What is seen of a review while it goes on.
#[derive(Default)]
struct Log {
    /// Gates that ran on the candidate, whatever their result counts for.
    begun: usize,
    results: Vec<GateResult>,
    /// Whether another gate is to come after the one that runs.
    goes_on: bool,
    /// How many results there were whenever another gate was still to come.
    stages: Vec<usize>,
}

impl Log {
    fn see(&mut self, step: Step<'_>) {
        match step {
            Step::Gate { on: Tree::Held | Tree::Change, done, of, .. } => {
                self.begun += 1;
                self.goes_on = done + 1 < of;
            }
            Step::Ended { result } => {
                self.results.push(result.clone());
                if self.goes_on {
                    self.stages.push(self.results.len());
                }
            }
            Step::Gate { .. } | Step::Copying | Step::Printed(_) | Step::Judging => {}
        }
    }

    fn course(self, record: &ReviewRecord) -> Course {
        let limits = &record.inputs.limits;
        // Gates whose result counts for nothing leave a limit each, and so does whoever stops them.
        let stopped = limits.iter().any(|limit| limit == STOPPED_EARLY);
        let of_gates = self.begun.saturating_sub(self.results.len()) + usize::from(stopped);
        let so_far = |gates: usize| ReviewInputs {
            case: record.inputs.case.clone(),
            policy: record.inputs.policy.clone(),
            exec: ExecReport::of(self.results[..gates].to_vec(), None),
            ..ReviewInputs::default()
        };
        let stage = |gates: &usize| Stage { gates: *gates, bound: bound(&so_far(*gates)) };
        Course {
            gates: self.results.len(),
            limits: limits.len().saturating_sub(of_gates),
            stages: self.stages.iter().map(stage).collect(),
            convention: Conformity::default(),
        }
    }
}

/// Says how well a change fits the conventions of its base, once by each of some reports of gates.
fn conformity<const REPORTS: usize>(
    base: &Survey,
    copy: &WorkCopy,
    diff: &Diff,
    record: &ReviewRecord,
    reports: [&ExecReport; REPORTS],
) -> [Conformity; REPORTS] {
    let inputs = &record.inputs;
    let tree = base.tree();
    let analysis = Analysis::of(&tree);
    let brief: Brief = base.brief();
    let habits = Habits::of(&tree, analysis.parts(), &brief);
    let texts: BTreeMap<&str, (String, BTreeSet<u32>)> = diff
        .files
        .iter()
        .filter_map(|file| {
            let added = file.added_lines().map(|(line, _)| line).collect();
            Some((file.path.as_str(), (copy.text(&file.path, FILE_BYTES_MAX)?, added)))
        })
        .collect();
    let files: Vec<ChangedFile<'_>> =
        texts.iter().map(|(path, (text, added))| ChangedFile { path, text, added }).collect();
    let found = |prefix: &str| inputs.findings.iter().filter(|finding| finding.rule.starts_with(prefix)).count();
    let signal = exec_signal(&Standing::of(inputs, record.ruling.outcome, None));
    reports.map(|report| {
        let looked = |dimension| {
            inputs.looked_at.contains(&dimension) || report.used().any(|gate| gate.dimensions.contains(&dimension))
        };
        let score = convention::score(
            &habits,
            &Change {
                files: &files,
                task: inputs.case.specification.inspect(),
                boundary_breaks: looked(Dimension::Boundaries).then(|| found("boundary-")),
                schema_faults: looked(Dimension::Schema).then(|| found("schema-") + report.schema_errors.len()),
            },
        );
        let total = signal.map(|signal| score.total(signal));
        Conformity { fit: score.fit, total, parts: serde_json::to_value(&score).unwrap_or_default() }
    })
}

/// What the gates say in the words of the seed's formula; nothing where they came to no result.
fn exec_signal(standing: &Standing) -> Option<ExecSignal> {
    let tests = standing.regressions.and(standing.target_tests).and(standing.edge_tests);
    let others = standing.builds.and(standing.other_faults).and(standing.security_and_boundaries);
    match (tests, others) {
        (Measure::Faults(_), _) => Some(ExecSignal::Failing),
        (Measure::Unknown, _) | (_, Measure::Unknown) => None,
        (Measure::Holds, Measure::Faults(_)) => Some(ExecSignal::Noisy),
        (Measure::Holds, Measure::Holds) => Some(ExecSignal::Clean),
    }
}

/// What tells a tree from any other. How lines end, and whether the last one of them does, means nothing in code.
fn id_of(copy: &WorkCopy) -> std::io::Result<String> {
    tree::id(&copy.path(), copy.files(), &|path, bytes| if ends_mean_nothing(path) { plain(&bytes) } else { bytes })
}

/// Whether a language takes all ends of lines for the same. A shell does not.
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
        let best: Arc<Mutex<Option<Standing>>> = Arc::default();
        let is_hopeless = hopeless(best.clone());
        assert!(!is_hopeless(&broken), "nothing is known to be better");
        *best.lock().expect("no thread failed") = Some(Standing::of(&sound, Outcome::Accept, None));
        assert!(is_hopeless(&broken) && !is_hopeless(&sound));
        *best.lock().expect("no thread failed") = Some(Standing::of(&broken, Outcome::Revise, None));
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
