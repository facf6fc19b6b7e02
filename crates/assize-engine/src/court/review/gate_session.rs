//! Runs the gates of one review on the copies of the tree, and compares each with the base.

use std::collections::BTreeSet;

use assize_core::diff::Diff;
use assize_core::finding::{Certainty, Finding, Severity};
use assize_ecosystem::{is_code, is_test};
use assize_gate::comparison::Moves;
use assize_gate::excuse::{self, Excuse, Excuses};
use assize_gate::exec_report::{Circumstances, ExecReport, GateResult, TestsOf, no_tests_yet};
use assize_gate::gate::{Dimension, Gate, GateRun, GateState, Setup};
use assize_review::case::ReviewInputs;
use assize_review::tournament::STOPPED_EARLY;
use assize_syntax::cut_off::with_functions_cut_off;
use assize_syntax::inline_tests::FILE_BYTES_MAX;

use super::{PreparedWorktrees, ReviewError, ReviewStep, ReviewTerms, TreeState};
use crate::gate::{BaseCache, GateExecution, Planned, PreparedWorktree, detect};
use crate::random::fresh_word;
use crate::sandbox::Sandbox;
use crate::scratch::Scratch;
use crate::work_copy::{CopyError, WorkCopy};

/// The most newly failing tests that are run again: more of them are no accident.
const RERUN_TESTS_MAX: usize = 20;

/// Whether a cached base result may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BaseLookup {
    /// A cached result is used.
    Taken,
    /// The gate runs in any case, because its build output is needed.
    FoundOutAnew,
}

/// The gates of one review.
pub(super) struct GateSession<'a> {
    pub(super) terms: &'a ReviewTerms,
    pub(super) sandbox: &'a Sandbox,
    pub(super) diff: &'a Diff,
    pub(super) moves: &'a Moves,
    pub(super) base_tree: Option<String>,
    /// The inputs so far, without the gates.
    pub(super) so_far: ReviewInputs,
    pub(super) watch: &'a mut dyn FnMut(ReviewStep<'_>),
}

/// A gate, its setup, and the copy on which it runs.
type Due<'a> = (&'a dyn Gate, Setup, TreeState);

impl<'a> GateSession<'a> {
    pub(super) fn run_all(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        limits: &mut Vec<String>,
    ) -> Result<(Vec<GateResult>, Vec<Finding>), ReviewError> {
        let of =
            |worktree: &PreparedWorktree| detect(&worktree.project, &self.terms.gates.declared, &self.terms.gates.off);
        let on_change = of(&worktrees.change);
        let on_held = worktrees.held.as_ref().map(of);
        let on_base = worktrees.base.as_ref().map(of).unwrap_or_default();
        let due = due(on_change, on_held);
        let findings = removed(&on_base, &due);
        let mut results = Vec::new();
        let mut last = TreeState::Base;
        for (number, (gate, setup, tree)) in due.iter().enumerate() {
            worktrees.freshen(*tree, last)?;
            last = *tree;
            let name = name_of(*gate, setup);
            (self.watch)(ReviewStep::Gate { name: &name, on: *tree, done: number, of: due.len() });
            let word = fresh_word();
            let word = (*tree != TreeState::Base && is_test_runner(*gate)).then_some(word.as_str());
            let planned = Planned { gate: *gate, setup };
            let ran = self.run_on(worktrees.get(*tree), planned, word)?;
            let base = self.base_run(worktrees, &on_base, planned, &ran)?;
            let base = base.as_ref().map(|base| &base.run);
            let excuses = self.excuses(worktrees, planned, *tree, &ran.run, base)?;
            let result = self.result(planned, *tree, &ran, base, &excuses, worktrees.held.is_some());
            let came_with_change = *tree == TreeState::Held && no_tests_yet(&ran.run, base);
            if came_with_change {
                limits.push(format!("the base has no tests for {name}: those of the change are the only ones"));
                continue;
            }
            (self.watch)(ReviewStep::Ended { result: &result });
            results.push(result);
            if number + 1 < due.len() && self.is_hopeless(&results) {
                limits.push(STOPPED_EARLY.to_owned());
                break;
            }
        }
        Ok((results, findings))
    }

    fn is_hopeless(&self, results: &[GateResult]) -> bool {
        let Some(hopeless) = &self.terms.hopeless else { return false };
        let exec = ExecReport::of(results.to_vec(), None);
        hopeless(&ReviewInputs { exec, ..self.so_far.clone() })
    }

    fn run_on(
        &mut self,
        worktree: &mut PreparedWorktree,
        planned: Planned<'_>,
        word: Option<&str>,
    ) -> Result<GateExecution, CopyError> {
        let watch = &mut *self.watch;
        worktree.run(planned, self.sandbox, &self.terms.gates.run, word, &mut |text| {
            watch(ReviewStep::Printed(text));
        })
    }

    /// Runs the same gate on the base if that is informative: for tests, to know which existed; for other gates, only
    /// if they object.
    fn base_run(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        on_base: &[(&'a dyn Gate, Setup)],
        Planned { gate, setup }: Planned<'_>,
        ran: &GateExecution,
    ) -> Result<Option<GateExecution>, CopyError> {
        let Some(worktree) = &mut worktrees.base else { return Ok(None) };
        let quiet = ran.run.state == GateState::Passed && !is_test_runner(gate);
        let same = |(other, of): &&(&dyn Gate, Setup)| other.id() == gate.id() && of.folder == setup.folder;
        let Some((gate, setup)) = on_base.iter().find(same).filter(|_| !quiet) else { return Ok(None) };
        self.find_out(worktree, Planned { gate: *gate, setup }, BaseLookup::Taken).map(Some)
    }

    /// Returns the result of a gate on the base, from the cache or by running it.
    pub(super) fn find_out(
        &mut self,
        worktree: &mut PreparedWorktree,
        planned: Planned<'_>,
        lookup: BaseLookup,
    ) -> Result<GateExecution, CopyError> {
        let cache = BaseCache::new(self.terms.gates.cache.as_deref());
        let tier = self.sandbox.level().tier.to_string();
        let variable = |name: &str| std::env::var(name).ok();
        let key = self
            .base_tree
            .as_ref()
            .and_then(|tree| BaseCache::key(tree, planned, worktree, &self.terms.gates.run, &tier, &variable));
        let cached = key.as_ref().filter(|_| lookup == BaseLookup::Taken).and_then(|key| cache.get(key));
        if let Some(ran) = cached {
            return Ok(ran);
        }
        let name = name_of(planned.gate, planned.setup);
        (self.watch)(ReviewStep::Gate { name: &name, on: TreeState::Base, done: 0, of: 0 });
        let ran = self.run_on(worktree, planned, None)?;
        if let Some(key) = key {
            cache.put(&key, &ran);
        }
        Ok(ran)
    }

    /// Finds out which failing tests are not held against the change: those that the base lists, those that pass when
    /// they are run again, and those that fail on the base alike and do not depend on what changed.
    fn excuses(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        planned: Planned<'_>,
        tree: TreeState,
        run: &GateRun,
        base: Option<&GateRun>,
    ) -> Result<Excuses, ReviewError> {
        let listed = self.terms.gates.known_red.iter().map(|id| (id.clone(), Excuse::KnownRed));
        let mut excuses: Excuses = listed.collect();
        let Some(base) = base.filter(|_| run.state == GateState::Failed && is_test_runner(planned.gate)) else {
            return Ok(excuses);
        };
        let mut newly_failing = excuse::newly_failing(run, base);
        newly_failing.retain(|id| !excuses.contains_key(id));
        let flaky = self.passing_again(worktrees.get(tree), planned, newly_failing)?;
        excuses.extend(flaky.into_iter().map(|id| (id, Excuse::Flaky)));
        let mut alike = excuse::red_alike(run, base);
        alike.retain(|id| !excuses.contains_key(id) && !self.names(id));
        if tree == TreeState::Held && !alike.is_empty() {
            // A test that the change alters so that it passes is what the change is about.
            let altered = self.run_on(&mut worktrees.change, planned, None)?;
            alike = excuse::independent_of_change(&alike, run, &altered.run);
        }
        let red = self.independent(worktrees.get(tree), planned, run, alike)?;
        excuses.extend(red.into_iter().map(|id| (id, Excuse::KnownRed)));
        Ok(excuses)
    }

    /// Returns which of these tests pass each time that they are run again.
    fn passing_again(
        &mut self,
        worktree: &mut PreparedWorktree,
        planned: Planned<'_>,
        mut ids: BTreeSet<String>,
    ) -> Result<BTreeSet<String>, CopyError> {
        if self.terms.gates.reruns == 0 || ids.len() > RERUN_TESTS_MAX {
            return Ok(BTreeSet::new());
        }
        for _ in 0..self.terms.gates.reruns {
            if ids.is_empty() {
                break;
            }
            let again = self.run_on(worktree, planned, Some(&fresh_word()))?;
            ids = excuse::passed_in(&ids, &again.run);
        }
        Ok(ids)
    }

    /// Returns which of these failing tests do not depend on what changed, by running them with every changed function
    /// cut off.
    fn independent(
        &mut self,
        of: &PreparedWorktree,
        planned: Planned<'_>,
        run: &GateRun,
        ids: BTreeSet<String>,
    ) -> Result<BTreeSet<String>, CopyError> {
        if ids.is_empty() {
            return Ok(ids);
        }
        let Some(copy) = self.cut_off(&of.copy)? else { return Ok(BTreeSet::new()) };
        // Nothing that is built here may be taken for the change's own later.
        let build =
            Scratch::new("assize-build-").map_err(|error| CopyError::Io { path: std::env::temp_dir(), error })?;
        let mut probe = of.with_copy(copy, build.path().to_owned());
        let cut_off = self.run_on(&mut probe, planned, None)?;
        Ok(excuse::independent_of_change(&ids, run, &cut_off.run))
    }

    /// Returns whether the specification names a test: then it is asked to pass.
    fn names(&self, id: &str) -> bool {
        let name = id.rsplit([':', '>', '/', ' ', '.']).find(|part| part.len() > 3).unwrap_or(id);
        self.so_far.case.specification.inspect().contains(name.split('[').next().unwrap_or(name))
    }

    /// Copies a tree with every changed function cut off. `None` where a change to code cannot be told by that.
    fn cut_off(&self, of: &WorkCopy) -> Result<Option<WorkCopy>, CopyError> {
        let word = fresh_word();
        let mut copy = of.again()?;
        let code = self.diff.files.iter().filter(|file| is_code(&file.path) && !is_test(&file.path));
        for file in code.filter(|file| of.files().contains(&file.path)) {
            let lines: BTreeSet<u32> = file.touched_lines().collect();
            let text = copy.text(&file.path, FILE_BYTES_MAX as u64);
            let Some(text) = text.and_then(|text| with_functions_cut_off(&file.path, &text, &lines, &word)) else {
                return Ok(None);
            };
            copy.write(&file.path, &text)?;
        }
        Ok(Some(copy))
    }

    fn result(
        &self,
        Planned { gate, setup }: Planned<'_>,
        tree: TreeState,
        ran: &GateExecution,
        base: Option<&GateRun>,
        excuses: &Excuses,
        apart: bool,
    ) -> GateResult {
        let tests_of =
            if tree == TreeState::Change && apart && is_test_runner(gate) { TestsOf::Change } else { TestsOf::Base };
        let about = Circumstances {
            id: gate.id(),
            folder: &setup.folder,
            because: &setup.because,
            dimensions: gate.dimensions(),
            fails_at: gate.fails_at(),
            tests_of,
            time_ms: ran.time_ms,
            command: ran.command.clone(),
            output: &ran.output,
            edge_words: &self.terms.gates.edge_words,
            excuses,
            ready_by: ran.ready_by.as_deref(),
        };
        GateResult::of(&ran.run, base, self.moves, &about)
    }
}

/// Returns what runs where: all gates on the change, and before its tests those of the base.
fn due<'a>(on_change: Vec<(&'a dyn Gate, Setup)>, on_held: Option<Vec<(&'a dyn Gate, Setup)>>) -> Vec<Due<'a>> {
    let (tests, checks): (Vec<_>, Vec<_>) = on_change.into_iter().partition(|(gate, _)| is_test_runner(*gate));
    let held = on_held.into_iter().flatten().filter(|(gate, _)| is_test_runner(*gate));
    let on = |tree| move |(gate, setup)| (gate, setup, tree);
    checks
        .into_iter()
        .map(on(TreeState::Change))
        .chain(held.map(on(TreeState::Held)))
        .chain(tests.into_iter().map(on(TreeState::Change)))
        .collect()
}

/// Reports gates that the base uses and the change no longer uses.
fn removed(on_base: &[(&dyn Gate, Setup)], due: &[Due<'_>]) -> Vec<Finding> {
    let gone = on_base
        .iter()
        .filter(|(gate, setup)| !due.iter().any(|(other, of, _)| other.id() == gate.id() && of.folder == setup.folder));
    gone.map(|(gate, setup)| Finding {
        rule: "gate-removed".to_owned(),
        severity: Severity::Error,
        certainty: Certainty::Likely,
        path: None,
        line: None,
        message: format!("The base uses {} ({}); the change does so no more.", name_of(*gate, setup), setup.because),
    })
    .collect()
}

fn is_test_runner(gate: &dyn Gate) -> bool {
    gate.dimensions().contains(&Dimension::TestsFunctional)
}

fn name_of(gate: &dyn Gate, setup: &Setup) -> String {
    if setup.folder.is_empty() { gate.id().to_owned() } else { format!("{} in {}", gate.id(), setup.folder) }
}
