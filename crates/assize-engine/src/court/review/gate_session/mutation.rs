//! Runs the tests that a change adds on the code of the base and on mutants of the changed lines.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use assize_ecosystem::{is_code, is_test};
use assize_gate::excuse::passed_in;
use assize_gate::exec_report::GateResult;
use assize_gate::gate::{GateRun, GateState, name_of};
use assize_gate::mutation::{MutantOutcome, MutantResult, MutationReport, added_tests, failing_on_base, outcome};
use assize_review::case::ReviewScope;
use assize_syntax::inline_tests::FILE_BYTES_MAX;
use assize_syntax::mutant::{Mutant, MutationOperator, WrittenFile, choose};

use super::{GateSession, PreparedWorktrees, ReviewError, ReviewStep, TreeState, is_test_runner};
use crate::gate::Planned;
use crate::work_copy::{CopyError, WorkCopy};

/// How much is done to find out whether tests notice faults.
#[derive(Debug, Clone, Copy)]
pub struct MutationTerms {
    /// The most mutants of a change; none are made if it is 0.
    pub mutants_max: usize,
    /// How long their runs may take together. A run that has begun comes to its end.
    pub time: Duration,
}

impl MutationTerms {
    /// No mutants.
    pub const NONE: Self = Self { mutants_max: 0, time: Duration::ZERO };
}

/// A run takes at most so many times as long as that without a fault. What takes longer hangs.
const SLOWDOWN_MAX: u64 = 5;
/// The seconds that every run may take at least.
const RUN_SECONDS_MIN: u64 = 10;

/// Runs of some tests, one after the other.
struct MutationRuns<'a> {
    planned: Planned<'a>,
    /// The files of the tests.
    files: Vec<&'a str>,
    tests: BTreeSet<String>,
    until: Instant,
    /// The most seconds of a run.
    seconds_max: u64,
    /// How long the last one took.
    last: Duration,
}

impl MutationRuns<'_> {
    fn has_time(&self) -> bool {
        Instant::now() + self.last <= self.until
    }
}

impl GateSession<'_> {
    /// Finds out whether the tests that the change adds notice faults in the code that it changes. Where gates object,
    /// it makes no mutants: their findings have to be fixed first.
    pub(in crate::court::review) fn mutate(
        &mut self,
        worktrees: &PreparedWorktrees,
        results: &[GateResult],
        limits: &mut Vec<String>,
    ) -> Result<Vec<MutationReport>, ReviewError> {
        let terms = self.terms.gates.mutation;
        let is_red = results.iter().any(|result| matches!(result.state, GateState::Failed | GateState::Errored));
        if terms.mutants_max == 0 || is_red || self.so_far.case.scope == ReviewScope::Everything {
            return Ok(Vec::new());
        }
        let change = &worktrees.change.copy;
        let here = |path: &&str| change.files().contains(*path);
        let changed = self.diff.files.iter().map(|file| file.path.as_str()).filter(here);
        let inline = worktrees.inline.iter().map(String::as_str);
        let touched: BTreeSet<&str> = changed.filter(|path| is_test(path) && is_code(path)).chain(inline).collect();
        let mutants = if touched.is_empty() { Vec::new() } else { self.mutants(change, terms.mutants_max) };
        if mutants.is_empty() {
            return Ok(Vec::new());
        }
        let plan = self.plan(&worktrees.change);
        let until = Instant::now() + terms.time;
        let mut reports = Vec::new();
        for (gate, setup) in plan.due.iter().filter(|(gate, _)| is_test_runner(*gate)) {
            let key = (gate.id().to_owned(), setup.folder.clone());
            let Some(ran) = self.of_change.get(&key) else { continue };
            let paths = touched.iter().map(|path| (*path).to_owned()).collect();
            let tests = added_tests(&ran.run, self.of_base.get(&key), &paths);
            if tests.is_empty() {
                continue;
            }
            let planned = Planned { gate: *gate, setup };
            let files = touched.iter().copied().collect();
            let seconds_max = self.terms.gates.run.limits.wall_seconds;
            let runs = MutationRuns { planned, files, tests, until, seconds_max, last: Duration::ZERO };
            match self.run_mutants(worktrees, runs, &mutants)? {
                Some(report) => reports.push(report),
                None => limits.push(format!(
                    "{}: the tests that the change adds do not pass by themselves, so they were not tried on faults",
                    name_of(gate.id(), &setup.folder)
                )),
            }
        }
        Ok(reports)
    }

    /// The mutants of the lines that the change wrote.
    fn mutants(&self, change: &WorkCopy, most: usize) -> Vec<(String, Mutant)> {
        let code = self.diff.files.iter().filter(|file| is_code(&file.path) && !is_test(&file.path));
        let written = code.filter_map(|file| {
            let text = change.text(&file.path, FILE_BYTES_MAX as u64)?;
            let lines = file.added_lines().map(|(line, _)| line).collect();
            Some(WrittenFile { path: file.path.clone(), text, lines })
        });
        choose(&written.collect::<Vec<_>>(), most)
    }

    /// Runs tests on the base and on mutants. `None` where they do not pass on the change by themselves.
    fn run_mutants(
        &mut self,
        worktrees: &PreparedWorktrees,
        mut runs: MutationRuns<'_>,
        mutants: &[(String, Mutant)],
    ) -> Result<Option<MutationReport>, ReviewError> {
        let name = name_of(runs.planned.gate.id(), &runs.planned.setup.folder);
        (self.watch)(ReviewStep::Gate { name: &name, on: TreeState::Mutants, done: 0, of: mutants.len() });
        let mut last = worktrees.change.copy.again()?;
        let plain = self.run_narrowed(worktrees, &mut runs, &mut last)?;
        if passed_in(&runs.tests, &plain).len() < runs.tests.len() {
            return Ok(None);
        }
        runs.seconds_max = runs.seconds_max.min(runs.last.as_secs().max(RUN_SECONDS_MIN / SLOWDOWN_MAX) * SLOWDOWN_MAX);
        let mut report = MutationReport {
            gate: name.clone(),
            tests: runs.tests.len(),
            fail_on_base: None,
            mutants: Vec::new(),
            not_run: 0,
        };
        let swapped = if runs.has_time() { worktrees.swapped(runs.files.iter().copied())? } else { None };
        if let Some(mut copy) = swapped {
            copy.freshen(&last)?;
            let ran = self.run_narrowed(worktrees, &mut runs, &mut copy)?;
            report.fail_on_base = failing_on_base(&runs.tests, &ran);
            last = copy;
        }
        let cut_off = if runs.has_time() { self.cut_off(&worktrees.change.copy)? } else { None };
        if let Some((mut copy, _)) = cut_off {
            copy.freshen(&last)?;
            let ran = self.run_narrowed(worktrees, &mut runs, &mut copy)?;
            let outcome = outcome(&runs.tests, &ran);
            let (operator, before, after) = (MutationOperator::CutOff, String::new(), String::new());
            report.mutants.push(MutantResult { path: None, line: None, operator, before, after, outcome });
            last = copy;
            // Tests that do not come to the changed functions say nothing of other faults in them either.
            if outcome == MutantOutcome::Survived {
                return Ok(Some(report));
            }
        }
        let mut copy = worktrees.change.copy.again()?;
        copy.freshen(&last)?;
        let mut originals = BTreeMap::new();
        for (number, (path, mutant)) in mutants.iter().enumerate() {
            if !runs.has_time() {
                report.not_run = mutants.len() - number;
                break;
            }
            (self.watch)(ReviewStep::Gate { name: &name, on: TreeState::Mutants, done: number, of: mutants.len() });
            let original = copy.text(path, FILE_BYTES_MAX as u64).unwrap_or_default();
            let original: &String = originals.entry(path.clone()).or_insert(original);
            copy.write(path, &mutant.apply(original))?;
            let ran = self.run_narrowed(worktrees, &mut runs, &mut copy)?;
            copy.write(path, original)?;
            let (before, after) = mutant.shown(original);
            report.mutants.push(MutantResult {
                path: Some(path.clone()),
                line: Some(mutant.line),
                operator: mutant.operator,
                before,
                after,
                outcome: outcome(&runs.tests, &ran),
            });
        }
        Ok(Some(report))
    }

    /// Runs the tests on a copy, with the build output of the change.
    fn run_narrowed(
        &mut self,
        worktrees: &PreparedWorktrees,
        runs: &mut MutationRuns<'_>,
        copy: &mut WorkCopy,
    ) -> Result<GateRun, CopyError> {
        let mut terms = self.run_terms(runs.planned);
        terms.limits.wall_seconds = runs.seconds_max;
        let began = Instant::now();
        let watch = &mut *self.watch;
        let ran = worktrees.change.run_files(runs.planned, &runs.files, copy, self.sandbox, &terms, &mut |text| {
            watch(ReviewStep::Printed(text));
        })?;
        runs.last = began.elapsed();
        Ok(ran.run)
    }
}
