//! With which runners the tests of a change run, and how these are put to the test.

use std::collections::BTreeSet;

use assize_ecosystem::holds_tests;
use assize_gate::excuse::{self, Excuses};
use assize_gate::exec_report::GateResult;
use assize_gate::gate::{Gate, GateRun, GateState, GateTrouble, Setup, name_of};
use assize_gate::status_alone::{as_test, is_status_alone, notices};
use assize_report::TestOutcome;
use assize_report::driver_events::WHOLE;

use super::{
    BaseLookup, BaseRun, GateSession, PreparedWorktrees, ReviewStep, TreeState, is_mute, is_same, is_test_runner,
    key_of, printed,
};
use crate::gate::{GateExecution, Planned, PreparedWorktree, RunTerms, RunnerTest};
use crate::random::fresh_word;
use crate::work_copy::CopyError;

/// The change as it was submitted, and the runners of tests that are called there.
struct OwnRunners<'a> {
    worktree: PreparedWorktree,
    due: Vec<(&'a dyn Gate, Setup)>,
}

impl<'a> GateSession<'a> {
    /// The runners of tests that the change calls by its own settings, where these are others than the base's.
    fn runners_by_own_settings(&self, worktrees: &PreparedWorktrees) -> Result<Option<OwnRunners<'a>>, CopyError> {
        let Some(copy) = worktrees.with_own_settings()? else { return Ok(None) };
        let worktree = worktrees.change.with_copy(copy, worktrees.change.build().to_owned());
        let mut due = self.plan(&worktree).due;
        due.retain(|(gate, _)| is_test_runner(*gate));
        Ok(Some(OwnRunners { worktree, due }))
    }

    /// Runs tests of the change with runners that it alone calls, where its code has passed the tests of the base with one
    /// that it no longer calls. `None` where they do not pass so, or leave aside a file of tests that the change touches: then
    /// the runner of the base shows how they end.
    pub(super) fn given_up(
        &mut self,
        worktrees: &PreparedWorktrees,
        planned: Planned<'_>,
    ) -> Result<Option<Vec<GateResult>>, CopyError> {
        let has_passed = self.of_held.get(&key_of(planned)).is_some_and(|held| held.state == GateState::Passed);
        if !has_passed {
            return Ok(None);
        }
        let Some(own) = self.runners_by_own_settings(worktrees)? else { return Ok(None) };
        if own.due.iter().any(|(gate, setup)| is_same(planned, Planned { gate: *gate, setup })) {
            return Ok(None);
        }
        let mut left = touched_files_of_tests(worktrees);
        let mut results = Vec::new();
        for (gate, setup) in &own.due {
            let planned = Planned { gate: *gate, setup };
            let ran = self.run_own(&own.worktree, planned)?;
            if ran.run.state != GateState::Passed {
                return Ok(None);
            }
            for case in ran.run.cases().filter(|case| case.outcome.was_executed()) {
                excuse::file_of(case).map(|file| left.remove(file));
            }
            results.push(self.result(planned, TreeState::Change, &ran, None, &Excuses::new(), true));
        }
        Ok((left.is_empty() && !results.is_empty()).then_some(results))
    }

    /// Runs tests of the change by its own settings.
    fn run_own(&mut self, own: &PreparedWorktree, planned: Planned<'_>) -> Result<GateExecution, CopyError> {
        let ran = self.run_watched(own, own.copy.again()?, planned)?;
        if ran.run.state == GateState::Passed || is_status_alone(&ran.run) {
            return Ok(ran);
        }
        // A test may fail now and then, or come upon a canary.
        self.run_apart(own, own.copy.again()?, planned, RunnerTest::Markers)
    }

    /// Takes the tests of a change as they end by its own settings, where those of the base keep them from running well and
    /// nothing was asked for: by the settings of the base the code passes the tests of the base, as far as the base does. What
    /// failed before has to pass, and each file of tests that the change touches has to run.
    pub(super) fn by_own_settings(
        &mut self,
        worktrees: &PreparedWorktrees,
        planned: Planned<'_>,
        ran: GateExecution,
        limits: &mut Vec<String>,
    ) -> Result<GateExecution, CopyError> {
        let key = key_of(planned);
        let loses_nothing = |held: &GateRun| {
            let base = self.of_base.get(&key).filter(|base| base.state != GateState::Passed);
            held.state == GateState::Passed || base.is_some_and(|base| excuse::newly_failing(held, base).is_empty())
        };
        // Where the change touches no tests, those of the base ran; a base that cannot run says nothing of them.
        let is_mute = |base: &GateRun| !matches!(base.state, GateState::Passed | GateState::Failed);
        let base_is_mute = || worktrees.held.is_none() && self.of_base.get(&key).is_some_and(is_mute);
        let may_differ = self.is_unspecified() && self.of_held.get(&key).map_or_else(base_is_mute, loses_nothing);
        if ran.run.state == GateState::Passed || !may_differ {
            return Ok(ran);
        }
        let Some(own) = self.runners_by_own_settings(worktrees)? else { return Ok(ran) };
        let same = own.due.iter().map(|(gate, setup)| Planned { gate: *gate, setup }).find(|it| is_same(planned, *it));
        let Some(same) = same else { return Ok(ran) };
        let mut again = self.run_own(&own.worktree, same)?;
        let settles = if is_status_alone(&again.run) {
            let settled = self.notices_what_changed(&own.worktree, same)?;
            again.run = as_test(&format!("the script `{}`", same.setup.detail));
            settled
        } else {
            // What runs beside a runner names no files.
            let files = if planned.gate.is_supplement() { BTreeSet::new() } else { touched_files_of_tests(worktrees) };
            again.run.state == GateState::Passed && settles_all(&again.run, &ran.run, &files)
        };
        if !settles {
            return Ok(ran);
        }
        let name = name_of(planned.gate.id(), &planned.setup.folder);
        limits.push(format!(
            "{name}: the tests of the change ran with its own settings; with the base's they do not pass"
        ));
        Ok(again)
    }

    /// Returns whether a script fails once every changed function, or module, is cut off.
    pub(super) fn notices_what_changed(
        &mut self,
        worktree: &PreparedWorktree,
        planned: Planned<'_>,
    ) -> Result<bool, CopyError> {
        let Some((copy, word)) = self.cut_off_or_modules(&worktree.copy)? else { return Ok(false) };
        let cut_off = self.run_apart(worktree, copy, planned, RunnerTest::None)?;
        Ok(notices(printed(&cut_off), &word))
    }

    /// How the runner of tests that may have been altered is put to the test.
    pub(super) fn test_of<'w>(&self, planned: Planned<'_>, word: &'w str) -> RunnerTest<'w> {
        if self.sees_canary.contains(&key_of(planned)) { RunnerTest::Markers } else { RunnerTest::Canary(word) }
    }

    /// The terms of a run beside the base's.
    pub(super) fn run_terms(&self, planned: Planned<'_>) -> RunTerms {
        let mut terms = self.terms.gates.run.clone();
        terms.test_seconds = self.waits.get(&key_of(planned)).copied().unwrap_or(terms.test_seconds);
        terms
    }

    /// Runs a gate on one of the copies. Where tests hang on the base, all have less time, unless that ends one that did not
    /// hang there.
    pub(super) fn run_in_time(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        tree: TreeState,
        planned: Planned<'_>,
        base: Option<&GateExecution>,
    ) -> Result<GateExecution, CopyError> {
        let key = key_of(planned);
        let seconds_max = self.terms.gates.run.test_seconds;
        let short = base.and_then(|base| excuse::short_wait(&base.run, base.time_ms, seconds_max));
        if let Some(short) = short {
            self.waits.entry(key.clone()).or_insert(short);
        }
        let ran = self.run_on_tree(worktrees, tree, planned)?;
        let is_short = self.run_terms(planned).test_seconds < seconds_max;
        if !is_short || base.is_none_or(|base| !excuse::hangs_anew(&ran.run, &base.run)) {
            return Ok(ran);
        }
        self.waits.insert(key.clone(), seconds_max);
        self.of_change.remove(&key);
        self.run_on_tree(worktrees, tree, planned)
    }

    /// Runs tests again with more time where one was ended that passed on the base, and the base was slow as well.
    pub(super) fn with_more_time(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        planned: Planned<'_>,
        tree: TreeState,
        (ran, base): (GateExecution, Option<&GateExecution>),
        limits: &mut Vec<String>,
    ) -> Result<GateExecution, CopyError> {
        const PATIENCE: u32 = 4;
        let Some(base) = base.filter(|_| is_test_runner(planned.gate)) else { return Ok(ran) };
        let mut terms = self.run_terms(planned);
        let is_slow = base.time_ms >= u64::from(terms.test_seconds) * 1_000 / 2;
        if !is_slow || !excuse::is_overdue(&ran.run, &base.run) {
            return Ok(ran);
        }
        terms.test_seconds *= PATIENCE;
        let worktree = worktrees.get(tree);
        let (_output, mut probe) = self.apart(worktree, worktree.copy.again()?, planned)?;
        let word = fresh_word();
        let test = self.test_of(planned, &word);
        let watch = &mut *self.watch;
        let again = probe.run(planned, self.sandbox, &terms, test, &mut |text| watch(ReviewStep::Printed(text)))?;
        if excuse::is_overdue(&again.run, &base.run) {
            return Ok(ran);
        }
        let name = name_of(planned.gate.id(), &planned.setup.folder);
        limits.push(format!("{name}: a test had {} seconds, since the base is slow here as well", terms.test_seconds));
        self.remember(tree, planned, &again);
        Ok(again)
    }

    /// Runs tests again without a canary where tests of the project come upon it, or where it does not work in the project.
    /// The base shows whether that is so: nothing in it knows the change.
    pub(super) fn out_of_sight(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        planned: Planned<'_>,
        tree: TreeState,
        (ran, base): (GateExecution, Option<&GateExecution>),
        limits: &mut Vec<String>,
    ) -> Result<GateExecution, CopyError> {
        let key = key_of(planned);
        let is_asked = is_test_runner(planned.gate) && !self.sees_canary.contains(&key);
        let (Some(base), Some(worktree)) = (base.filter(|_| is_asked), &mut worktrees.base) else { return Ok(ran) };
        let is_forged = |run: &GateRun| matches!(run.trouble, Some((GateTrouble::Forged, _)));
        let is_red = planned.gate.builds_in().is_none() && !excuse::newly_failing(&ran.run, &base.run).is_empty();
        let why = if is_forged(&ran.run) {
            let beside = self.run_of_base(worktree, planned, BaseRun::BesideCanary)?;
            is_forged(&beside.run).then_some("its runner does not report one as it should")
        } else if is_mute(&ran.run) && !is_mute(&base.run) {
            let beside = self.run_of_base(worktree, planned, BaseRun::BesideCanary)?;
            is_mute(&beside.run).then_some("its runner comes to no result beside one")
        } else if is_red {
            self.comes_upon_canary(worktree, planned, &base.run)?.then_some("tests fail when one stands beside them")
        } else {
            None
        };
        let Some(why) = why else { return Ok(ran) };
        let name = name_of(planned.gate.id(), &planned.setup.folder);
        limits.push(format!("{name} ran without a canary: on the base, {why}"));
        self.sees_canary.insert(key.clone());
        self.of_change.remove(&key);
        self.run_on_tree(worktrees, tree, planned)
    }

    /// Returns whether tests of the base fail beside a canary, and only there. What fails now and then has to do so again.
    fn comes_upon_canary(
        &mut self,
        worktree: &mut PreparedWorktree,
        planned: Planned<'_>,
        base: &GateRun,
    ) -> Result<bool, CopyError> {
        let beside = self.known_of_base(worktree, planned, (BaseLookup::Taken, BaseRun::BesideCanary))?;
        let mut seen = excuse::newly_failing(&beside.run, base);
        for how in [BaseRun::BesideCanary, BaseRun::Alone] {
            if seen.is_empty() {
                break;
            }
            let again = self.run_of_base(worktree, planned, how)?;
            let failing = excuse::newly_failing(&again.run, base);
            seen.retain(|id| failing.contains(id) == (how == BaseRun::BesideCanary));
        }
        Ok(!seen.is_empty())
    }
}

/// The files of tests that the change touches and leaves there.
fn touched_files_of_tests(worktrees: &PreparedWorktrees) -> BTreeSet<String> {
    let mut touched = worktrees.touched_tests();
    touched.retain(|path| worktrees.change.copy.files().contains(path) && holds_tests(path));
    touched
}

/// Returns whether another run of tests passes what failed in the first one, and runs each of these files of tests.
fn settles_all(again: &GateRun, first: &GateRun, files: &BTreeSet<String>) -> bool {
    let passed: BTreeSet<&str> =
        again.cases().filter(|case| case.outcome == TestOutcome::Passed).map(|case| case.id.as_str()).collect();
    let mut failed = first.cases().filter(|case| case.outcome == TestOutcome::Failed);
    let ran: BTreeSet<&str> =
        again.cases().filter(|case| case.outcome.was_executed()).filter_map(excuse::file_of).collect();
    failed.all(|case| passed.contains(case.id.as_str()) || case.id.ends_with(WHOLE))
        && files.iter().all(|file| ran.contains(file.as_str()))
}
