//! Runs the project's own checks at a stop, on a copy of the tree, within a limit of time.
//!
//! What a check came to on the same tree is taken from the cache. A check that fails is run on the commit at which the
//! session began as well, and once more on the copy where there is time. This module must not judge what a failure means.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use assize_core::finding::Severity;
use assize_ecosystem::Language;
use assize_gate::comparison::{Moves, new_diagnostics};
use assize_gate::gate::{Dimension, Gate, GateRun, GateState, GateTrouble, Setup, name_of};
use assize_gate::status_alone::is_status_alone;
use assize_report::{Diagnostic, TestOutcome};
use assize_stop::verification::{
    CheckEnd, CheckKind, CheckRun, ComparedTests, LostTestCase, StopVerification, TestLoss, VerificationRequest,
};
use serde::{Deserialize, Serialize};

use crate::court::review::{GateTerms, ReviewError, paths_of, sandbox_beside, source_state};
use crate::gate::preparation::PreparationTerms;
use crate::gate::{BaseCache, GateExecution, Planned, PreparedWorktree, ProjectBuild, RunTerms, RunnerTest};
use crate::git::Repository;
use crate::private_file;
use crate::regular_file;
use crate::sandbox::{Sandbox, SandboxLimits};
use crate::scratch::Scratch;
use crate::work_copy::{CopyError, WorkCopy};
use crate::work_tree::WorkTree;

/// How long it counts that checks were not done in time: the machine may have been busy.
pub const TOO_SLOW_KEPT: Duration = Duration::from_secs(3_600);
/// The most results that are kept.
pub const RESULTS_MAX: usize = 200;
/// The largest result that is read, in bytes.
const RESULT_BYTES_MAX: u64 = 1024 * 1024;
/// The most failures that a result names.
pub const FAILURES_NAMED_MAX: usize = 20;

/// How the checks of a stop are run.
pub struct VerificationTerms<'a> {
    /// The gates.
    pub gates: &'a GateTerms,
    /// How long all of them may take.
    pub limit: Duration,
}

/// Runs the checks that a stop calls for. What could not be run is part of the result.
pub fn verify(request: &VerificationRequest, terms: &VerificationTerms<'_>, work_tree: &WorkTree) -> StopVerification {
    let begun = Instant::now();
    let found = CheckRunner { request, terms, begun, is_cut_off: Cell::new(false) }.run(work_tree);
    let found = found.unwrap_or_else(|error| StopVerification::not_run(error.to_string()));
    let time_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    StopVerification { asked: request.kinds.clone(), time_ms, ..found }
}

struct CheckRunner<'a> {
    request: &'a VerificationRequest,
    terms: &'a VerificationTerms<'a>,
    begun: Instant,
    /// Whether something was not done in time.
    is_cut_off: Cell<bool>,
}

/// The trees of one verification.
struct VerifiedTrees<'a> {
    repository: Option<&'a Repository>,
    sandbox: Sandbox,
    change: PreparedWorktree,
    build: Option<ProjectBuild>,
    /// The folder for build output at the start of the session, where none is kept.
    spare: PathBuf,
    /// The tree at which the session began; copied once it is asked for.
    base: Option<PreparedWorktree>,
}

impl<'a> CheckRunner<'a> {
    fn run(&self, work_tree: &WorkTree) -> Result<StopVerification, ReviewError> {
        let gates = self.terms.gates;
        let repository = work_tree.repository()?;
        let root = repository.as_ref().map_or(work_tree.folder(), Repository::root);
        let home = repository.as_ref().map_or(work_tree.home(), Repository::home);
        let copy = WorkCopy::of_folder(root, paths_of(root, repository.as_ref())?)?;
        let results = Results { folder: gates.cache.as_ref().map(|cache| cache.join("verified-1")) };
        let (state, project) = (self.state_of(&copy, home), hash_of(&[home.as_os_str().as_encoded_bytes()]));
        if let Some(known) = results.get(&state) {
            return Ok(StopVerification { cached: true, ..known });
        }
        let sandbox = sandbox_beside(home, gates.sandbox)?;
        let scratch =
            Scratch::new("assize-build-").map_err(|error| CopyError::Io { path: std::env::temp_dir(), error })?;
        let build = gates.cache.as_deref().and_then(|cache| ProjectBuild::open(cache, &project[..16]));
        let folder = |name: &str| {
            let path = scratch.path().join(name);
            fs::create_dir_all(&path).map_err(|error| CopyError::Io { path: path.clone(), error })?;
            Ok::<_, CopyError>(path)
        };
        let (spare, own) = (folder("start")?, folder("now")?);
        let output = build.as_ref().map_or(own, ProjectBuild::output);
        let change = PreparedWorktree::new(copy, home, &gates.search_path, output);
        let due = self.due(&change, repository.as_ref())?;
        if due.is_empty() {
            return Ok(StopVerification::not_run(
                "the project has no such check (`assize gates --plan` shows those that it has)",
            ));
        }
        let mut names: BTreeSet<String> =
            due.iter().map(|(gate, setup, _)| name_of(gate.id(), &setup.folder)).collect();
        if self.request.kinds.is_empty() {
            // Some files of tests are faster than all.
            names.insert(format!("{:?}", self.request.compared));
        }
        let mut times = results.times(&project);
        if let Some(expected) = times.expected(&names).filter(|expected| *expected > self.terms.limit) {
            return Ok(StopVerification::not_run(format!(
                "about {} s expected, and `verify_s` is {}",
                expected.as_secs().max(1),
                self.terms.limit.as_secs()
            )));
        }
        let mut trees = VerifiedTrees { repository: repository.as_ref(), sandbox, change, build, spare, base: None };
        if let Some(missing) = self.prepare(&mut trees, &due)? {
            self.is_cut_off.set(self.left() < Duration::from_secs(1));
            self.keep_times(&mut times, &names, (&results, &project));
            return Ok(StopVerification::not_run(missing));
        }
        if let Some(build) = &trees.build {
            build.date(&trees.change.copy)?;
        }
        let begun = SystemTime::now();
        let mut verification = StopVerification::default();
        for (gate, setup, kind) in &due {
            let planned = Planned { gate: *gate, setup };
            let run = if self.request.kinds.contains(kind) {
                Some(self.check(&mut trees, planned, *kind)?)
            } else {
                self.compare(&mut trees, planned)?
            };
            verification.runs.extend(run);
        }
        if self.request.compared == ComparedTests::All {
            let abandoned = self.abandoned(&mut trees, &due)?;
            verification.runs.extend(abandoned);
        }
        if let Some(build) = &trees.build {
            build.built(&trees.change.copy, begun);
        }
        let is_known = |run: &CheckRun| !matches!(run.end, CheckEnd::Unknown { .. });
        let is_whole = !self.is_cut_off.get() && verification.runs.iter().all(is_known);
        self.keep_times(&mut times, &names, (&results, &project));
        if is_whole {
            results.put(&state, &verification);
        }
        Ok(verification)
    }

    /// Keeps how long all took; what was cut off takes longer than it had.
    fn keep_times(&self, times: &mut CheckTimes, names: &BTreeSet<String>, (results, project): (&Results, &str)) {
        let took =
            if self.is_cut_off.get() { self.terms.limit + Duration::from_millis(1) } else { self.begun.elapsed() };
        times.note(names, took);
        results.keep_times(project, times);
    }

    /// The time that is left.
    fn left(&self) -> Duration {
        self.terms.limit.saturating_sub(self.begun.elapsed())
    }

    /// Hashes everything that shapes the result.
    fn state_of(&self, copy: &WorkCopy, home: &Path) -> String {
        let gates = self.terms.gates;
        let mut parts: Vec<Vec<u8>> = vec![
            env!("CARGO_PKG_VERSION").into(),
            home.as_os_str().as_encoded_bytes().to_vec(),
            format!("{:?}", self.request).into_bytes(),
            format!("{:?} {:?} {:?}", gates.off, gates.known_red, gates.sandbox).into_bytes(),
            format!("{:?} {} {}", gates.run.limits, gates.run.network, gates.run.test_seconds).into_bytes(),
        ];
        parts.extend(gates.declared.iter().map(|gate| gate.id().as_bytes().to_vec()));
        for (path, hash) in copy.digests() {
            parts.extend([path.into_bytes(), hash.as_bytes().to_vec()]);
        }
        for (path, target) in copy.links() {
            parts.extend([path.into_bytes(), target.into_os_string().into_encoded_bytes()]);
        }
        hash_of(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    /// Returns the gates that tell what is asked for, of those that the session can have affected.
    fn due(
        &self,
        change: &PreparedWorktree,
        repository: Option<&Repository>,
    ) -> Result<Vec<(&'a dyn Gate, Setup, CheckKind)>, ReviewError> {
        let changed = match (repository, &self.request.baseline) {
            (Some(repository), Some(baseline)) => {
                let untracked = repository.files()?.into_iter().filter(|file| !file.tracked).map(|file| file.path);
                Some(repository.changed_paths(Some(baseline))?.into_iter().chain(untracked).collect())
            }
            _ => None,
        };
        let plan = self.terms.gates.plan(&change.project, changed.as_ref());
        let asked = |(gate, setup): (&'a dyn Gate, Setup)| {
            let compares = |kind: CheckKind| kind == CheckKind::Tests && self.request.compared != ComparedTests::None;
            let is_due = |kind: &CheckKind| self.request.kinds.contains(kind) || compares(*kind);
            let kind = kinds_of(gate).into_iter().find(is_due)?;
            Some((gate, setup, kind))
        };
        Ok(plan.due.into_iter().filter_map(asked).collect())
    }

    /// Installs what the gates depend on, as a review does. Returns what is missing.
    fn prepare(
        &self,
        trees: &mut VerifiedTrees<'_>,
        due: &[(&dyn Gate, Setup, CheckKind)],
    ) -> Result<Option<String>, ReviewError> {
        let due: Vec<(&dyn Gate, Setup)> = due.iter().map(|(gate, setup, _)| (*gate, setup.clone())).collect();
        let plans = trees.change.plans(&due);
        if plans.is_empty() {
            return Ok(None);
        }
        let source = source_state(trees.repository, self.request.baseline.as_deref());
        let terms = PreparationTerms { seconds: self.left().as_secs().max(1), ..self.terms.gates.preparation.clone() };
        let base = self.base_copy(trees.repository)?;
        let results = trees.change.prepare(&plans, &trees.sandbox, &terms, (&source, base.as_ref()), &mut |_, _| {})?;
        let failed = results.into_iter().find_map(|result| Some((result.plan.commands.join(" && "), result.failure?)));
        Ok(failed.map(|(command, why)| format!("what the checks need is not installed (`{command}`: {why})")))
    }

    fn base_copy(&self, repository: Option<&Repository>) -> Result<Option<WorkCopy>, ReviewError> {
        let of_commit = |(repository, commit): (&Repository, &String)| WorkCopy::of_commit(repository, commit);
        Ok(repository.zip(self.request.baseline.as_ref()).map(of_commit).transpose()?)
    }

    /// Runs one check and compares it with the start of the session.
    fn check(
        &self,
        trees: &mut VerifiedTrees<'_>,
        planned: Planned<'_>,
        kind: CheckKind,
    ) -> Result<CheckRun, ReviewError> {
        let began = Instant::now();
        let ran = self.run_on(&mut trees.change, planned, &trees.sandbox)?;
        let took = began.elapsed();
        let mut end = end_of(&ran.run);
        let compares = kind == CheckKind::Tests && self.request.compared != ComparedTests::None;
        let of_base = if end.is_none() || compares { self.run_on_base(trees, planned)? } else { None };
        if end.is_none() {
            let mut failures = self.failures(&ran.run, of_base.as_ref().map(|ran| &ran.run), planned);
            if let Ok(found) = &mut failures
                && !found.is_empty()
                && self.left() > took
            {
                let again = self.run_on(&mut trees.change, planned, &trees.sandbox)?;
                found.keep_failing(&again.run);
                end = found
                    .is_empty()
                    .then(|| CheckEnd::Unknown { why: "it failed once, and passed when it ran again".to_owned() });
            }
            end = end.or(Some(match failures {
                Err(why) => CheckEnd::Unknown { why },
                Ok(found) => found.end(),
            }));
        }
        let of_base = of_base.as_ref().filter(|_| compares);
        Ok(check_run(planned, kind, &ran, end.unwrap_or(CheckEnd::Passed), of_base))
    }

    /// Runs the tests whose files the session changed, on the copy and at the start of the session. `None` where the gate has
    /// none of them, or cannot be held to files.
    fn compare(&self, trees: &mut VerifiedTrees<'_>, planned: Planned<'_>) -> Result<Option<CheckRun>, ReviewError> {
        let ComparedTests::Of(paths) = &self.request.compared else {
            let (ran, of_base) =
                (self.run_on(&mut trees.change, planned, &trees.sandbox)?, self.run_on_base(trees, planned)?);
            return Ok(Some(check_run(planned, CheckKind::Tests, &ran, CheckEnd::Compared, of_base.as_ref())));
        };
        let command = planned.gate.command(planned.setup, &trees.change.project);
        let languages = command.ecosystem().map_or(&[][..], |ecosystem| ecosystem.languages);
        let is_own = |path: &&String| Language::of(path).is_some_and(|language| languages.contains(&language));
        let own: Vec<&str> = paths.iter().filter(is_own).map(String::as_str).collect();
        if own.is_empty() {
            return Ok(None);
        }
        self.base_tree(trees)?;
        let of_base = self.at_start(trees, |base, sandbox| self.run_files(base, planned, &own, sandbox))?.flatten();
        let Some(of_base) = of_base.filter(|ran| ran.run.cases().next().is_some()) else { return Ok(None) };
        // Where no file is left, no test is: their text went with them.
        let Some(ran) = self.run_files(&trees.change, planned, &own, &trees.sandbox)? else { return Ok(None) };
        Ok(Some(check_run(planned, CheckKind::Tests, &ran, CheckEnd::Compared, Some(&of_base))))
    }

    /// Runs the runners of tests of the session's start that are not used any more: what passed there no longer runs, unless
    /// another runner has it.
    fn abandoned(
        &self,
        trees: &mut VerifiedTrees<'_>,
        due: &[(&dyn Gate, Setup, CheckKind)],
    ) -> Result<Vec<CheckRun>, ReviewError> {
        self.base_tree(trees)?;
        let Some(base) = &trees.base else { return Ok(Vec::new()) };
        let is_left = |(gate, setup): &(&dyn Gate, Setup)| {
            let is_same =
                |(other, of, _): &(&dyn Gate, Setup, CheckKind)| other.id() == gate.id() && of.folder == setup.folder;
            kinds_of(*gate) == [CheckKind::Tests] && !gate.is_supplement() && !due.iter().any(is_same)
        };
        let left: Vec<(&dyn Gate, Setup)> =
            self.terms.gates.plan(&base.project, None).due.into_iter().filter(is_left).collect();
        let mut runs = Vec::new();
        for (gate, setup) in &left {
            let planned = Planned { gate: *gate, setup };
            let Some(of_base) = self.run_on_base(trees, planned)? else { continue };
            let none = GateExecution { run: assize_gate::excuse::no_run(), ..of_base.clone() };
            let mut run = check_run(planned, CheckKind::Tests, &none, CheckEnd::Compared, Some(&of_base));
            let passed = of_base.run.cases().filter(|case| case.outcome == TestOutcome::Passed);
            let lost = passed.map(|case| LostTestCase { id: case.id.clone(), loss: TestLoss::Gone });
            run.lost = lost.take(FAILURES_NAMED_MAX).collect();
            runs.push(run);
        }
        Ok(runs)
    }

    /// Runs the tests of those of the files that a tree has, in the time that is left.
    fn run_files(
        &self,
        worktree: &PreparedWorktree,
        planned: Planned<'_>,
        files: &[&str],
        sandbox: &Sandbox,
    ) -> Result<Option<GateExecution>, CopyError> {
        let files: Vec<&str> = files.iter().copied().filter(|path| worktree.copy.files().contains(*path)).collect();
        if files.is_empty() {
            return Ok(None);
        }
        let ran = worktree.run_some(planned, &files, sandbox, &self.run_terms(), &mut |_| {})?;
        if let Some(ran) = &ran {
            self.is_cut_off.set(self.is_cut_off.get() || is_cut_off(&ran.run));
        }
        Ok(ran)
    }

    fn run_terms(&self) -> RunTerms {
        let run = &self.terms.gates.run;
        let wall_seconds = run.limits.wall_seconds.min(self.left().as_secs().max(1));
        RunTerms { limits: SandboxLimits { wall_seconds, ..run.limits.clone() }, ..run.clone() }
    }

    /// Runs a gate in the time that is left.
    fn run_on(
        &self,
        worktree: &mut PreparedWorktree,
        planned: Planned<'_>,
        sandbox: &Sandbox,
    ) -> Result<GateExecution, CopyError> {
        let ran = worktree.run(planned, sandbox, &self.run_terms(), RunnerTest::None, &mut |_| {})?;
        self.is_cut_off.set(self.is_cut_off.get() || is_cut_off(&ran.run));
        Ok(ran)
    }

    /// Runs a gate at the commit at which the session began, or takes what a review found out there. `None` where there is no
    /// such commit, or where the gate was not used there.
    fn run_on_base(
        &self,
        trees: &mut VerifiedTrees<'_>,
        planned: Planned<'_>,
    ) -> Result<Option<GateExecution>, ReviewError> {
        let gates = self.terms.gates;
        let (Some(repository), Some(commit)) = (trees.repository, &self.request.baseline) else { return Ok(None) };
        self.base_tree(trees)?;
        let Some(base) = &trees.base else { return Ok(None) };
        let is_same =
            |(gate, setup): &(&dyn Gate, Setup)| gate.id() == planned.gate.id() && setup.folder == planned.setup.folder;
        let plan = gates.plan(&base.project, None);
        let Some((gate, setup)) = plan.due.into_iter().find(is_same) else { return Ok(None) };
        let planned = Planned { gate, setup: &setup };
        let cache = BaseCache::new(gates.cache.as_deref());
        let tier = trees.sandbox.level().tier.to_string();
        let key = BaseCache::key(&repository.tree_of(commit)?, planned, base, &gates.run, &tier, &|name| {
            std::env::var(name).ok()
        });
        if let Some(known) = key.as_ref().and_then(|key| cache.get(key)) {
            return Ok(Some(known));
        }
        let ran = self.at_start(trees, |base, sandbox| self.run_on(base, planned, sandbox))?;
        if let Some((key, ran)) = key.zip(ran.as_ref()).filter(|(_, ran)| !is_cut_off(&ran.run)) {
            cache.put(&key, ran, false);
        }
        Ok(ran)
    }

    /// Runs something at the start of the session; `None` without one. Both trees share their build output, and build tools go
    /// by the times of files.
    fn at_start<T>(
        &self,
        trees: &mut VerifiedTrees<'_>,
        run: impl FnOnce(&mut PreparedWorktree, &Sandbox) -> Result<T, CopyError>,
    ) -> Result<Option<T>, CopyError> {
        let Some(base) = &mut trees.base else { return Ok(None) };
        if let Some(build) = &trees.build {
            build.built(&trees.change.copy, self.began());
            build.date(&base.copy)?;
        }
        let ran = run(base, &trees.sandbox)?;
        if let Some(build) = &trees.build {
            build.built(&base.copy, self.began());
            build.date(&trees.change.copy)?;
        }
        Ok(Some(ran))
    }

    /// Copies the tree at which the session began, if that is not done yet and there is one.
    fn base_tree(&self, trees: &mut VerifiedTrees<'_>) -> Result<(), ReviewError> {
        if trees.base.is_none()
            && let Some(copy) = self.base_copy(trees.repository)?
        {
            let build = trees.build.as_ref().map_or_else(|| trees.spare.clone(), ProjectBuild::output);
            trees.base = Some(trees.change.with_copy(copy, build));
        }
        Ok(())
    }

    /// When this verification began: no file that it builds is older.
    fn began(&self) -> SystemTime {
        SystemTime::now().checked_sub(self.begun.elapsed()).unwrap_or(UNIX_EPOCH)
    }

    /// Returns what fails and did not when the session began, or why that is not known.
    fn failures(&self, run: &GateRun, base: Option<&GateRun>, planned: Planned<'_>) -> Result<Failures, String> {
        if let Some(base) = base {
            let is_told = matches!(base.state, GateState::Passed | GateState::Failed)
                || is_status_alone(base)
                || matches!(base.trouble, Some((GateTrouble::NoTests, _)));
            if !is_told {
                let why = base.trouble.as_ref().map_or("it came to no result there", |(_, why)| why.as_str());
                return Err(format!("it fails, and whether it did when the session began is not known: {why}"));
            }
        }
        let outcome_before: BTreeMap<&str, TestOutcome> =
            base.into_iter().flat_map(GateRun::cases).map(|case| (case.id.as_str(), case.outcome)).collect();
        let is_passing = |run: &GateRun| run.cases().any(|case| case.outcome == TestOutcome::Passed);
        if run.cases().next().is_some() && !is_passing(run) && !base.is_some_and(is_passing) {
            return Err("none of its tests passes, now or when the session began".to_owned());
        }
        let mut found = Failures::default();
        let failing = run.cases().filter(|case| case.outcome == TestOutcome::Failed);
        for case in failing.filter(|case| !self.terms.gates.known_red.contains(&case.id)) {
            match outcome_before.get(case.id.as_str()) {
                Some(TestOutcome::Failed) => {}
                Some(TestOutcome::Passed) => drop(found.before.insert(case.id.clone())),
                _ => drop(found.new.insert(case.id.clone())),
            }
        }
        let least = planned.gate.fails_at(planned.setup);
        let objections = |run: &GateRun| -> Vec<Diagnostic> { objections(run, least) };
        let had = base.map(objections).unwrap_or_default();
        for new in new_diagnostics(&objections(run), &had, &Moves::default()) {
            let place = match (&new.path, new.line) {
                (Some(path), Some(line)) => format!("{path}:{line}: "),
                (Some(path), None) => format!("{path}: "),
                _ => String::new(),
            };
            found.before.insert(format!("{place}{}", new.message));
        }
        Ok(found)
    }
}

fn reports_failures(run: &GateRun) -> bool {
    run.cases().any(|case| case.outcome == TestOutcome::Failed)
}

fn is_cut_off(run: &GateRun) -> bool {
    matches!(run.trouble, Some((GateTrouble::TimedOut, _)))
}

/// Describes a run, and what of the tests of the session's start no longer runs where that is compared.
fn check_run(
    planned: Planned<'_>,
    kind: CheckKind,
    ran: &GateExecution,
    end: CheckEnd,
    of_base: Option<&GateExecution>,
) -> CheckRun {
    let is_told = |run: &GateRun| {
        matches!(run.state, GateState::Passed | GateState::Failed)
            || matches!(run.trouble, Some((GateTrouble::NoTests | GateTrouble::StatusAlone, _)))
    };
    let now: BTreeMap<&str, TestOutcome> = ran.run.cases().map(|case| (case.id.as_str(), case.outcome)).collect();
    let before: BTreeMap<&str, TestOutcome> =
        of_base.into_iter().flat_map(|ran| ran.run.cases()).map(|case| (case.id.as_str(), case.outcome)).collect();
    // A build that fails has no tests either.
    let is_compared = of_base.is_some_and(|of_base| is_told(&of_base.run))
        && is_told(&ran.run)
        && objections(&ran.run, Severity::Error).is_empty();
    let loss = |id: &str| match now.get(id) {
        None => Some(TestLoss::Gone),
        Some(TestOutcome::Skipped | TestOutcome::Deselected | TestOutcome::ExpectedFailure) => Some(TestLoss::Skipped),
        Some(TestOutcome::Passed | TestOutcome::Failed | TestOutcome::UnexpectedPass) => None,
    };
    let runs = |outcome: TestOutcome| !matches!(outcome, TestOutcome::Skipped | TestOutcome::Deselected);
    let gone = |ended: TestOutcome| -> Vec<LostTestCase> {
        let ran = before.iter().filter(|(_, outcome)| is_compared && **outcome == ended);
        let lost = ran.filter_map(|(id, _)| Some(LostTestCase { id: (*id).to_owned(), loss: loss(id)? }));
        lost.take(FAILURES_NAMED_MAX).collect()
    };
    CheckRun {
        name: name_of(planned.gate.id(), &planned.setup.folder),
        kind,
        command: format!("`{}`", ran.command),
        tests: now.values().filter(|outcome| runs(**outcome)).count() as u64,
        end,
        lost: gone(TestOutcome::Passed),
        hidden: gone(TestOutcome::Failed),
        added: now.iter().filter(|(id, outcome)| is_compared && runs(**outcome) && !before.contains_key(*id)).count()
            as u64,
    }
}

/// Returns what a run objects to.
fn objections(run: &GateRun, least: Severity) -> Vec<Diagnostic> {
    let all = run.report.iter().flat_map(|report| &report.diagnostics);
    all.filter(|found| found.severity >= least).cloned().collect()
}

/// What fails and did not when the session began.
#[derive(Debug, Default)]
struct Failures {
    before: BTreeSet<String>,
    new: BTreeSet<String>,
}

impl Failures {
    fn is_empty(&self) -> bool {
        self.before.is_empty() && self.new.is_empty()
    }

    /// Leaves out tests that pass when they run again.
    fn keep_failing(&mut self, again: &GateRun) {
        let passed: BTreeSet<&str> =
            again.cases().filter(|case| case.outcome == TestOutcome::Passed).map(|case| case.id.as_str()).collect();
        for failures in [&mut self.before, &mut self.new] {
            failures.retain(|id| !passed.contains(id.as_str()));
        }
    }

    fn end(self) -> CheckEnd {
        if self.is_empty() {
            return CheckEnd::KnownRed;
        }
        let named = |list: BTreeSet<String>| list.into_iter().take(FAILURES_NAMED_MAX).collect();
        CheckEnd::Broken { before: named(self.before), new: named(self.new) }
    }
}

/// How a run ended, where that needs no comparison.
fn end_of(run: &GateRun) -> Option<CheckEnd> {
    match (run.state, &run.trouble) {
        (GateState::Passed, _) => Some(CheckEnd::Passed),
        (GateState::Failed, _) => None,
        // It reports failures, and ends as if there were none.
        (_, Some((GateTrouble::Contradiction, _))) if reports_failures(run) => None,
        _ if is_status_alone(run) => {
            Some(CheckEnd::Unknown { why: "it ends well, and does not say which tests ran".to_owned() })
        }
        (_, Some((GateTrouble::TimedOut, why))) => Some(CheckEnd::Unknown { why: format!("{why} (`verify_s`)") }),
        (_, Some((_, why))) => Some(CheckEnd::Unknown { why: why.clone() }),
        _ => Some(CheckEnd::Unknown { why: "it came to no result".to_owned() }),
    }
}

/// The kinds of checks that a gate is.
fn kinds_of(gate: &dyn Gate) -> Vec<CheckKind> {
    let dimensions = gate.dimensions();
    if dimensions.contains(&Dimension::TestsFunctional) {
        return vec![CheckKind::Tests];
    }
    let pairs = [
        (Dimension::Compilation, CheckKind::Build),
        (Dimension::Types, CheckKind::Types),
        (Dimension::Style, CheckKind::Lint),
    ];
    pairs.into_iter().filter(|(dimension, _)| dimensions.contains(dimension)).map(|(_, kind)| kind).collect()
}

fn hash_of(parts: &[&[u8]]) -> String {
    let mut hash = blake3::Hasher::new();
    for part in parts {
        hash.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hash.finalize().to_hex().to_string()
}

/// What is kept of earlier verifications.
struct Results {
    folder: Option<PathBuf>,
}

/// How long checks took the last time, by their names.
#[derive(Debug, Default, Serialize, Deserialize)]
struct CheckTimes {
    /// The names of the checks that ran together, and what that came to.
    runs: BTreeMap<String, CheckTime>,
}

/// How long some checks took.
#[derive(Debug, Serialize, Deserialize)]
struct CheckTime {
    ms: u64,
    /// When that was, in seconds since 1970.
    at_s: u64,
}

impl CheckTimes {
    /// How long the checks will take at least, as far as that is known.
    fn expected(&self, names: &BTreeSet<String>) -> Option<Duration> {
        let time = self.runs.get(&key_of(names))?;
        let age = Duration::from_secs(now_s().saturating_sub(time.at_s));
        (age < TOO_SLOW_KEPT).then(|| Duration::from_millis(time.ms))
    }

    fn note(&mut self, names: &BTreeSet<String>, time: Duration) {
        let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.runs.insert(key_of(names), CheckTime { ms, at_s: now_s() });
    }
}

fn key_of(names: &BTreeSet<String>) -> String {
    names.iter().cloned().collect::<Vec<_>>().join(", ")
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

impl Results {
    fn get(&self, state: &str) -> Option<StopVerification> {
        let path = self.folder.as_ref()?.join("results").join(state);
        serde_json::from_slice(&regular_file::read(&path, RESULT_BYTES_MAX).ok()?).ok()
    }

    /// Keeps a result. If that fails, the next verification only takes longer.
    fn put(&self, state: &str, found: &StopVerification) {
        let Some(folder) = self.folder.as_ref().map(|folder| folder.join("results")) else { return };
        if fs::create_dir_all(&folder).is_ok() {
            let _ = private_file::replace(&folder.join(state), &serde_json::to_vec(found).unwrap_or_default());
            leave_newest(&folder);
        }
    }

    fn times(&self, project: &str) -> CheckTimes {
        let read = || {
            let path = self.folder.as_ref()?.join("times").join(project);
            serde_json::from_slice(&regular_file::read(&path, RESULT_BYTES_MAX).ok()?).ok()
        };
        read().unwrap_or_default()
    }

    fn keep_times(&self, project: &str, times: &CheckTimes) {
        let Some(folder) = self.folder.as_ref().map(|folder| folder.join("times")) else { return };
        if fs::create_dir_all(&folder).is_ok() {
            let _ = private_file::replace(&folder.join(project), &serde_json::to_vec(times).unwrap_or_default());
            leave_newest(&folder);
        }
    }
}

/// Removes the oldest files of a folder, so that [`RESULTS_MAX`] are left.
fn leave_newest(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let dated = |entry: fs::DirEntry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()));
    let mut entries: Vec<(SystemTime, PathBuf)> = entries.flatten().filter_map(dated).collect();
    entries.sort();
    let surplus = entries.len().saturating_sub(RESULTS_MAX);
    for (_, path) in entries.into_iter().take(surplus) {
        let _ = fs::remove_file(path);
    }
}
