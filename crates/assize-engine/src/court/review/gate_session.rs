//! Runs the gates of one review on the copies of the tree, and compares each with the base.

mod mutation;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::SystemTime;

use assize_core::diff::Diff;
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::text::listed;
use assize_ecosystem::pipeline::PipelineCommand;
use assize_ecosystem::{is_code, is_test};
use assize_gate::comparison::{BrokenRule, Moves, keep_shared, take_out_broken_rules};
use assize_gate::excuse::{self, AdaptationRuns, Excuse, Excuses};
use assize_gate::exec_report::{Circumstances, ExecReport, GateResult, TestsOf, no_tests_yet};
use assize_gate::gate::{Dimension, Gate, GateRun, GateState, GateTrouble, NAMED_FILES_MAX, Setup, name_of};
use assize_gate::narrowed::completed;
use assize_gate::plan::{self, GatePlan};
use assize_gate::status_alone::{PrintedRun, as_test, is_status_alone, notices, prints_alike};
use assize_review::case::{ReviewInputs, ReviewScope};
use assize_review::tournament::STOPPED_EARLY;
use assize_syntax::cut_off::with_functions_cut_off;
use assize_syntax::inline_tests::FILE_BYTES_MAX;
use assize_syntax::removed::removed_declarations;

use super::{PreparedWorktrees, ReviewError, ReviewStep, ReviewTerms, TreeState};
use crate::gate::{
    BaseBuild, BaseCache, BuildStore, GateExecution, Planned, PreparedWorktree, RunnerTest, StoredBuild,
};
use crate::random::fresh_word;
use crate::sandbox::Sandbox;
use crate::scratch::Scratch;
use crate::work_copy::{CopyError, WorkCopy};

pub use self::mutation::MutationTerms;

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

/// Whether a canary stands beside the tests of the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BaseRun {
    Alone,
    BesideCanary,
}

impl BaseRun {
    /// What the key of a cached run ends with.
    fn suffix(self) -> &'static str {
        match self {
            Self::Alone => "",
            Self::BesideCanary => "-canary",
        }
    }
}

/// The gates of one review.
pub(super) struct GateSession<'a> {
    terms: &'a ReviewTerms,
    sandbox: &'a Sandbox,
    diff: &'a Diff,
    moves: &'a Moves,
    base_tree: Option<String>,
    /// The inputs so far, without the gates.
    so_far: ReviewInputs,
    watch: &'a mut dyn FnMut(ReviewStep<'_>),
    /// What says that the change makes tests weaker.
    pub(super) weakened: Vec<Finding>,
    /// The copy on which a gate ran last.
    last: TreeState,
    /// What test runners, by id and folder, made of the change.
    of_change: BTreeMap<(String, String), GateExecution>,
    /// What they made of the change with the tests of the base.
    of_held: BTreeMap<(String, String), GateRun>,
    /// What they made of the base.
    of_base: BTreeMap<(String, String), GateRun>,
    /// Test runners, by id and folder, beside whose tests ours cannot stand.
    sees_canary: BTreeSet<(String, String)>,
    /// The build output of the base.
    base_build: Option<Arc<BaseBuild>>,
}

/// A gate, its setup, and the copy on which it runs.
type Due<'a> = (&'a dyn Gate, Setup, TreeState);

impl<'a> GateSession<'a> {
    pub(super) fn new(
        terms: &'a ReviewTerms,
        (sandbox, base_tree): (&'a Sandbox, Option<String>),
        (diff, moves): (&'a Diff, &'a Moves),
        so_far: ReviewInputs,
        watch: &'a mut dyn FnMut(ReviewStep<'_>),
    ) -> Self {
        Self {
            terms,
            sandbox,
            diff,
            moves,
            base_tree,
            so_far,
            watch,
            weakened: Vec::new(),
            last: TreeState::Base,
            of_change: BTreeMap::new(),
            of_held: BTreeMap::new(),
            of_base: BTreeMap::new(),
            sees_canary: BTreeSet::new(),
            base_build: None,
        }
    }

    /// Returns the build output of the base: what is kept of it, or what these gates leave behind that build something.
    /// Output that is too large to be kept is made only if it is to be found out anew.
    pub(super) fn base_build(
        &mut self,
        base: &mut PreparedWorktree,
        gates: &[Planned<'_>],
        lookup: BaseLookup,
    ) -> Result<Option<BaseBuild>, CopyError> {
        let building: Vec<Planned<'_>> =
            gates.iter().copied().filter(|planned| planned.gate.builds_in().is_some()).collect();
        if building.is_empty() {
            return Ok(None);
        }
        let store = BuildStore::new(self.terms.gates.cache.as_deref());
        let tier = self.sandbox.level().tier.to_string();
        let key = self.base_tree.as_ref().and_then(|tree| BaseCache::build_key(tree, base, &tier, &variable));
        match key.as_ref().map_or(StoredBuild::Unknown, |key| store.get(key, &base.copy)) {
            StoredBuild::Stored(build) => return Ok(Some(build)),
            StoredBuild::TooLarge if lookup == BaseLookup::Taken => return Ok(None),
            StoredBuild::TooLarge | StoredBuild::Unknown => {}
        }
        let begun = SystemTime::now();
        for planned in building {
            self.find_out(base, planned, BaseLookup::FoundOutAnew)?;
        }
        let build = BaseBuild::new(base.build().to_owned(), begun, &base.copy);
        if let Some(key) = key {
            store.put(&key, &build);
        }
        Ok(Some(build))
    }

    /// Lets the builds of the change begin with that of the base.
    fn begin_with_base_build(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        on_base: &[(&'a dyn Gate, Setup)],
        due: &[Due<'a>],
    ) -> Result<(), CopyError> {
        let gates = on_base.iter().map(|(gate, setup)| Planned { gate: *gate, setup });
        let is_due =
            |base: &Planned<'_>| due.iter().any(|(gate, setup, _)| is_same(*base, Planned { gate: *gate, setup }));
        let gates: Vec<Planned<'_>> = gates.filter(is_due).collect();
        let PreparedWorktrees { base: Some(base), held, change, .. } = worktrees else { return Ok(()) };
        self.base_build = match &self.terms.gates.base_build {
            Some(known) => Some(known.clone()),
            None => self.base_build(base, &gates, BaseLookup::Taken)?.map(Arc::new),
        };
        let Some(build) = &self.base_build else { return Ok(()) };
        let copies = [Some(&change.copy), held.as_ref().map(|held| &held.copy)];
        build.give_to(copies.into_iter().flatten(), change.build())
    }

    pub(super) fn run_all(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        limits: &mut Vec<String>,
    ) -> Result<(Vec<GateResult>, Vec<Finding>), ReviewError> {
        let changed = self.changed();
        let plan = |worktree: &PreparedWorktree| self.terms.gates.plan(&worktree.project, changed.as_ref());
        let of = |worktree: &PreparedWorktree| plan(worktree).due;
        let GatePlan { due: on_change, left_out } = plan(&worktrees.change);
        limits.extend(plan::summary_of(&left_out));
        let on_held = worktrees.held.as_ref().map(of);
        let on_base = worktrees.base.as_ref().map(of).unwrap_or_default();
        let due = due(on_change, on_held);
        self.begin_with_base_build(worktrees, &on_base, &due)?;
        let mut findings = removed(&on_base, &due);
        let mut results = Vec::new();
        for (number, (gate, setup, tree)) in due.iter().enumerate() {
            let name = name_of(gate.id(), &setup.folder);
            (self.watch)(ReviewStep::Gate { name: &name, on: *tree, done: number, of: due.len() });
            let planned = Planned { gate: *gate, setup };
            if *tree == TreeState::Change && self.is_given_up(worktrees, planned)? {
                limits.push(format!("{name}: the change no longer runs its tests with it"));
                continue;
            }
            let ran = self.run_on_tree(worktrees, *tree, planned)?;
            let base = self.base_run(worktrees, &on_base, planned, &ran)?;
            if let Some(base) = base.as_ref().filter(|_| is_test_runner(*gate)) {
                self.of_base.insert((gate.id().to_owned(), setup.folder.clone()), base.run.clone());
            }
            let ran = self.out_of_sight(worktrees, planned, *tree, (ran, base.as_ref()), limits)?;
            let (ran, base) = self.told_by_status(worktrees, planned, *tree, (ran, base), limits)?;
            let base = base.as_ref().map(|base| &base.run);
            if *tree == TreeState::Held && no_tests_yet(&ran.run, base) {
                limits.push(format!("the base has no tests for {name}: those of the change are the only ones"));
                continue;
            }
            let ran = self.without_objections_to_settings(worktrees, planned, *tree, ran, limits)?;
            let ran = self.without_rules_that_the_base_breaks(worktrees, planned, ran, base, limits);
            let mut excuses = self.excuses(worktrees, planned, *tree, &ran.run, base)?;
            match self.adaptation(worktrees, planned, *tree, &ran.run, base)? {
                Adaptation::Rebuilt => {
                    findings.push(rewritten(&name, "cannot be built"));
                    continue;
                }
                Adaptation::Script => {
                    findings.push(rewritten(&name, "fail"));
                    continue;
                }
                Adaptation::Moved => {
                    limits.push(format!("{name}: all tests of the base run elsewhere under the same names"));
                    continue;
                }
                Adaptation::Tests { adapted, removed } => {
                    excuses.extend(adapted.into_iter().map(|id| (id, Excuse::Adapted)));
                    excuses.extend(removed.into_iter().map(|id| (id, Excuse::Removed)));
                }
            }
            let result = self.result(planned, *tree, &ran, base, &excuses, worktrees.held.is_some());
            findings.extend(by_change(&name, &excuses));
            (self.watch)(ReviewStep::Ended { result: &result });
            results.push(result);
            if number + 1 < due.len() && self.is_hopeless(&results) {
                limits.push(STOPPED_EARLY.to_owned());
                break;
            }
        }
        results.extend(self.own_runners(worktrees, &due, limits)?);
        Ok((results, findings))
    }

    /// The runners of tests that the change calls by its own settings, where these are others than the base's.
    fn runners_by_own_settings(
        &self,
        worktrees: &PreparedWorktrees,
    ) -> Result<Option<(WorkCopy, Vec<(&'a dyn Gate, Setup)>)>, CopyError> {
        let Some(copy) = worktrees.with_own_settings()? else { return Ok(None) };
        let own = worktrees.change.with_copy(copy.again()?, worktrees.change.build().to_owned());
        let mut due = self.terms.gates.plan(&own.project, self.changed().as_ref()).due;
        due.retain(|(gate, _)| is_test_runner(*gate));
        Ok(Some((copy, due)))
    }

    /// Returns whether the change no longer calls a runner with which its code has passed the tests of the base.
    fn is_given_up(&self, worktrees: &PreparedWorktrees, planned: Planned<'_>) -> Result<bool, CopyError> {
        let has_passed = self.of_held.get(&key_of(planned)).is_some_and(|held| held.state == GateState::Passed);
        if !has_passed {
            return Ok(false);
        }
        let own = self.runners_by_own_settings(worktrees)?;
        let is_called = |own: &[(&dyn Gate, Setup)]| {
            own.iter().any(|(gate, setup)| is_same(planned, Planned { gate: *gate, setup }))
        };
        Ok(own.is_some_and(|(_, own)| !own.is_empty() && !is_called(&own)))
    }

    /// Runs tests of the change with runners that it alone calls.
    fn own_runners(
        &mut self,
        worktrees: &PreparedWorktrees,
        due: &[Due<'a>],
        limits: &mut Vec<String>,
    ) -> Result<Vec<GateResult>, CopyError> {
        let is_kept = |(gate, setup, tree): &Due<'_>| {
            *tree == TreeState::Change
                && is_test_runner(*gate)
                && self.of_change.contains_key(&key_of(Planned { gate: *gate, setup }))
        };
        if worktrees.held.is_none() || due.iter().any(is_kept) {
            return Ok(Vec::new());
        }
        let Some((copy, own)) = self.runners_by_own_settings(worktrees)? else { return Ok(Vec::new()) };
        let mut results = Vec::new();
        for (gate, setup) in &own {
            let planned = Planned { gate: *gate, setup };
            let ran = self.run_watched(&worktrees.change, copy.again()?, planned)?;
            let result = self.result(planned, TreeState::Change, &ran, None, &Excuses::new(), true);
            if result.state == GateState::NotReady {
                limits.push(format!("{} is not ready: {}", result.name(), result.why_not_ready()));
            } else {
                results.push(result);
            }
        }
        Ok(results)
    }

    /// Runs a gate on one of the copies, the test runner of the change once only.
    fn run_on_tree(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        tree: TreeState,
        planned: Planned<'_>,
    ) -> Result<GateExecution, CopyError> {
        let key = key_of(planned);
        if let Some(ran) = self.of_change.get(&key).filter(|_| tree == TreeState::Change) {
            return Ok(ran.clone());
        }
        worktrees.freshen(tree, self.last)?;
        self.last = tree;
        let of_touched = if tree == TreeState::Change { self.run_touched(worktrees, planned)? } else { None };
        let ran = match of_touched {
            Some(ran) => ran,
            None => {
                let word = fresh_word();
                let is_tested = tree != TreeState::Base && is_test_runner(planned.gate);
                let test = if is_tested { self.test_of(planned, &word) } else { RunnerTest::None };
                self.run_on(worktrees.get(tree), planned, test)?
            }
        };
        if is_test_runner(planned.gate) {
            match tree {
                TreeState::Change => drop(self.of_change.insert(key, ran.clone())),
                TreeState::Held => drop(self.of_held.insert(key, ran.run.clone())),
                TreeState::Base | TreeState::Mutants => {}
            }
        }
        Ok(ran)
    }

    /// Runs the tests of the change in the files that it touches. All others are those of the base, which have run with the
    /// same code. `None` where that does not settle how all tests end.
    fn run_touched(
        &mut self,
        worktrees: &PreparedWorktrees,
        planned: Planned<'_>,
    ) -> Result<Option<GateExecution>, CopyError> {
        let key = key_of(planned);
        let (Some(held), true) = (self.of_held.get(&key), worktrees.touches_tests_alone) else { return Ok(None) };
        let touched = worktrees.touched_tests();
        let change = &worktrees.change;
        let files: Vec<&str> =
            touched.iter().filter(|path| change.copy.files().contains(*path)).map(String::as_str).collect();
        if files.is_empty() || files.len() > NAMED_FILES_MAX {
            return Ok(None);
        }
        let watch = &mut *self.watch;
        let ran = change.run_some(planned, &files, self.sandbox, &self.terms.gates.run, &mut |text| {
            watch(ReviewStep::Printed(text));
        })?;
        Ok(ran.and_then(|ran| Some(GateExecution { run: completed(&ran.run, held, &touched)?, ..ran })))
    }

    /// The files that the change touches, where there is a change.
    fn changed(&self) -> Option<BTreeSet<String>> {
        if self.so_far.case.scope == ReviewScope::Everything {
            return None;
        }
        Some(self.diff.files.iter().map(|file| file.path.clone()).collect())
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
        test: RunnerTest<'_>,
    ) -> Result<GateExecution, CopyError> {
        let watch = &mut *self.watch;
        worktree.run(planned, self.sandbox, &self.terms.gates.run, test, &mut |text| {
            watch(ReviewStep::Printed(text));
        })
    }

    /// How the runner of tests that may have been altered is put to the test.
    fn test_of<'w>(&self, planned: Planned<'_>, word: &'w str) -> RunnerTest<'w> {
        if self.sees_canary.contains(&key_of(planned)) { RunnerTest::Markers } else { RunnerTest::Canary(word) }
    }

    /// Runs tests again without a canary where tests of the project come upon it. The base shows whether they do: nothing
    /// in it knows the change.
    fn out_of_sight(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        planned: Planned<'_>,
        tree: TreeState,
        (ran, base): (GateExecution, Option<&GateExecution>),
        limits: &mut Vec<String>,
    ) -> Result<GateExecution, CopyError> {
        let key = key_of(planned);
        let is_asked = is_test_runner(planned.gate) && planned.gate.builds_in().is_none();
        let Some(base) = base.filter(|_| is_asked && !self.sees_canary.contains(&key)) else { return Ok(ran) };
        let is_red = !excuse::newly_failing(&ran.run, &base.run).is_empty();
        let Some(worktree) = worktrees.base.as_mut().filter(|_| is_red) else { return Ok(ran) };
        let beside = self.known_of_base(worktree, planned, (BaseLookup::Taken, BaseRun::BesideCanary))?;
        if excuse::newly_failing(&beside.run, &base.run).is_empty() {
            return Ok(ran);
        }
        let name = name_of(planned.gate.id(), &planned.setup.folder);
        limits.push(format!("{name} ran without a canary: on the base, tests fail when one stands beside them"));
        self.sees_canary.insert(key.clone());
        self.of_change.remove(&key);
        self.run_on_tree(worktrees, tree, planned)
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
        // A checker that the base does not use yet finds old faults there as well.
        let used = on_base.iter().find(same).map(|(gate, setup)| Planned { gate: *gate, setup });
        let unused = (!is_test_runner(gate)).then_some(Planned { gate, setup });
        let Some(planned) = used.or(unused).filter(|_| !quiet) else { return Ok(None) };
        if !is_test_runner(planned.gate) && !worktree.has_dependencies_of(&worktrees.change) {
            // What another version of a checker objects to in old code is not the change's fault.
            let copy = worktree.copy.again()?;
            return self.run_apart(&worktrees.change, copy, planned, RunnerTest::None).map(Some);
        }
        self.find_out(worktree, planned, BaseLookup::Taken).map(Some)
    }

    /// Returns the result of a gate on the base, from the cache or by running it.
    pub(super) fn find_out(
        &mut self,
        worktree: &mut PreparedWorktree,
        planned: Planned<'_>,
        lookup: BaseLookup,
    ) -> Result<GateExecution, CopyError> {
        self.known_of_base(worktree, planned, (lookup, BaseRun::Alone))
    }

    fn known_of_base(
        &mut self,
        worktree: &mut PreparedWorktree,
        planned: Planned<'_>,
        (lookup, how): (BaseLookup, BaseRun),
    ) -> Result<GateExecution, CopyError> {
        let cache = BaseCache::new(self.terms.gates.cache.as_deref());
        let tier = self.sandbox.level().tier.to_string();
        let key = self
            .base_tree
            .as_ref()
            .and_then(|tree| BaseCache::key(tree, planned, worktree, &self.terms.gates.run, &tier, &variable))
            .map(|key| key + how.suffix());
        let cached = key.as_ref().filter(|_| lookup == BaseLookup::Taken).and_then(|key| cache.get(key));
        if let Some(ran) = cached {
            return Ok(ran);
        }
        let name = name_of(planned.gate.id(), &planned.setup.folder);
        (self.watch)(ReviewStep::Gate { name: &name, on: TreeState::Base, done: 0, of: 0 });
        let word = fresh_word();
        let test = match how {
            BaseRun::Alone => RunnerTest::None,
            BaseRun::BesideCanary => RunnerTest::Canary(&word),
        };
        let ran = self.run_on(worktree, planned, test)?;
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
        excuses.extend(excuse::without_plugin(run, base).into_iter().map(|id| (id, Excuse::KnownRed)));
        let mut newly_failing = excuse::newly_failing(run, base);
        newly_failing.retain(|id| !excuses.contains_key(id));
        let flaky = self.passing_again(worktrees.get(tree), planned, newly_failing)?;
        excuses.extend(flaky.into_iter().map(|id| (id, Excuse::Flaky)));
        let mut alike = excuse::red_alike(run, base);
        let spec = self.so_far.case.specification.inspect();
        alike.retain(|id| !excuses.contains_key(id));
        let mut alike = excuse::unasked(alike, run, spec);
        if tree == TreeState::Held && !alike.is_empty() {
            // A test that the change alters so that it passes is what the change is about.
            let altered = self.run_on_tree(worktrees, TreeState::Change, planned)?;
            alike = excuse::independent_of_change(&alike, run, &altered.run);
        }
        let red = self.independent(worktrees.get(tree), planned, run, alike)?;
        excuses.extend(red.into_iter().map(|id| (id, Excuse::KnownRed)));
        Ok(excuses)
    }

    /// Returns whether nothing was asked for: then what the change does is what is wanted.
    fn is_unspecified(&self) -> bool {
        self.so_far.case.specification.inspect().trim().is_empty()
    }

    /// Finds out which tests of the base the change adapts, where nothing says that it must not.
    fn adaptation(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        planned: Planned<'_>,
        tree: TreeState,
        held: &GateRun,
        base: Option<&GateRun>,
    ) -> Result<Adaptation, ReviewError> {
        let none = Ok(Adaptation::Tests { adapted: BTreeSet::new(), removed: BTreeSet::new() });
        let is_allowed = self.is_unspecified() && self.terms.policy.adapted_tests.is_allowed();
        let is_asked = tree == TreeState::Held && held.state != GateState::Passed && is_allowed;
        let Some(base) = base.filter(|_| is_asked) else { return none };
        if self.weakened.iter().any(|finding| finding.path.is_none()) {
            return none;
        }
        let all_touched = worktrees.touched_tests();
        let mut touched = all_touched.clone();
        touched.retain(|path| !self.weakened.iter().any(|finding| finding.path.as_ref() == Some(path)));
        let change = self.run_on_tree(worktrees, TreeState::Change, planned)?;
        if is_status_alone(base) {
            if held.state != GateState::Failed || !is_status_alone(&change.run) {
                return none;
            }
            let Some(copy) = worktrees.swapped([])? else { return none };
            let swapped = self.run_apart(&worktrees.change, copy, planned, RunnerTest::None)?;
            let is_adapted = swapped.run.state == GateState::Failed;
            return if is_adapted { Ok(Adaptation::Script) } else { none };
        }
        // As long as nothing tells against it, the new versions are taken to fail on the base.
        let (change, touched, swapped) = (&change.run, &touched, &excuse::no_run());
        let runs = AdaptationRuns { base, held, change, swapped, touched, removed: &BTreeSet::new() };
        if runs.is_moved() {
            return Ok(Adaptation::Moved);
        }
        if change.state == GateState::Errored {
            return none;
        }
        let removed = self.removed(worktrees, planned, &AdaptationRuns { touched: &all_touched, ..runs })?;
        let runs = AdaptationRuns { removed: &removed, ..runs };
        if runs.adapted().is_empty() && !runs.is_rebuilt() {
            return Ok(Adaptation::Tests { adapted: BTreeSet::new(), removed });
        }
        let Some(copy) = worktrees.swapped([])? else { return none };
        let swapped = self.run_apart(&worktrees.change, copy, planned, RunnerTest::None)?;
        let runs = AdaptationRuns { swapped: &swapped.run, ..runs };
        if runs.is_rebuilt() {
            return if self.the_rest_passes(worktrees, planned, &runs)? { Ok(Adaptation::Rebuilt) } else { none };
        }
        let adapted = runs.adapted();
        Ok(Adaptation::Tests { adapted, removed })
    }

    /// Runs the tests of the base that can be built with the code of the change, with the change's version of those files
    /// that cannot. Returns whether they pass, as far as that can be found out.
    fn the_rest_passes(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        planned: Planned<'_>,
        runs: &AdaptationRuns<'_>,
    ) -> Result<bool, ReviewError> {
        const ATTEMPTS_MAX: usize = 3;
        let mut replaced = runs.unbuilt_files(runs.held);
        for _ in 0..ATTEMPTS_MAX {
            if replaced.is_superset(runs.touched) {
                return Ok(true);
            }
            let mut copy = worktrees.get(TreeState::Held).copy.again()?;
            for path in replaced.iter().filter(|path| worktrees.change.copy.files().contains(*path)) {
                copy.take_from(&worktrees.change.copy, path)?;
            }
            let ran = self.run_apart(worktrees.get(TreeState::Held), copy, planned, RunnerTest::None)?;
            let more = runs.unbuilt_files(&ran.run);
            if ran.run.cases().next().is_some() || more.is_subset(&replaced) {
                return Ok(!runs.breaks_one(&ran.run));
            }
            replaced.extend(more);
        }
        Ok(true)
    }

    /// Finds out which tests of the base the change removes with what they test: with its code, they or their files say that
    /// something is not there which the change removes, and on the base they fail when all of that is cut off.
    fn removed(
        &mut self,
        worktrees: &PreparedWorktrees,
        planned: Planned<'_>,
        runs: &AdaptationRuns<'_>,
    ) -> Result<BTreeSet<String>, CopyError> {
        let Some(base) = &worktrees.base else { return Ok(BTreeSet::new()) };
        let code = self.diff.files.iter().flat_map(|file| [Some(&file.path), file.old_path.as_ref()]).flatten();
        let code: BTreeSet<&str> =
            code.map(String::as_str).filter(|path| is_code(path) && !assize_ecosystem::holds_tests(path)).collect();
        let texts = |copy: &WorkCopy| -> Vec<(&str, String)> {
            let there = code.iter().filter(|path| copy.files().contains(**path));
            there.filter_map(|path| Some((*path, copy.text(path, FILE_BYTES_MAX as u64)?))).collect()
        };
        let (before, now) = (texts(&base.copy), texts(&worktrees.change.copy));
        let declarations = removed_declarations(&before, &now);
        // What code of the change still speaks of is not removed: code that breaks for it is broken by the change.
        let is_used = |name: &str| now.iter().any(|(_, text)| has_word(text, name));
        let declarations: Vec<_> = declarations.into_iter().filter(|it| !is_used(&it.name)).collect();
        let gone = runs.gone_with_a_name(&declarations.iter().map(|it| it.name.as_str()).collect());
        if gone.is_empty() {
            return Ok(gone);
        }
        let word = fresh_word();
        let mut copy = base.copy.again()?;
        for (path, text) in before {
            let of_file = declarations.iter().filter(|it| it.path == path);
            let lines: BTreeSet<u32> = of_file.flat_map(|it| it.lines.iter().copied()).collect();
            if let Some(text) = with_functions_cut_off(path, &text, &lines, &word) {
                copy.write(path, &text)?;
            }
        }
        let cut_off = self.run_apart(base, copy, planned, RunnerTest::None)?;
        Ok(runs.removed_with_their_subject(&gone, &cut_off.run, &word))
    }

    /// Leaves out what a gate objects to only with the settings of the base, where the change has others and nothing was
    /// asked for: then its settings are as good as those of the base. Where those of the base cannot be read beside the
    /// change, such as a script of another kind of modules, the change's are taken.
    fn without_objections_to_settings(
        &mut self,
        worktrees: &PreparedWorktrees,
        planned: Planned<'_>,
        tree: TreeState,
        mut ran: GateExecution,
        limits: &mut Vec<String>,
    ) -> Result<GateExecution, CopyError> {
        let is_mute = ran.run.state == GateState::Errored
            && matches!(ran.run.trouble, Some((GateTrouble::NoReport | GateTrouble::Crashed, _)));
        let is_asked = tree == TreeState::Change && self.is_unspecified();
        if !is_asked || !is_mute && ran.run.state != GateState::Failed || is_test_runner(planned.gate) {
            return Ok(ran);
        }
        let Some(copy) = worktrees.with_own_settings()? else { return Ok(ran) };
        let own = self.run_apart(&worktrees.change, copy, planned, RunnerTest::None)?;
        let name = name_of(planned.gate.id(), &planned.setup.folder);
        if is_mute {
            if !matches!(own.run.state, GateState::Passed | GateState::Failed) {
                return Ok(ran);
            }
            limits.push(format!("{name} comes to no result with the base's settings; it ran with those of the change"));
            return Ok(own);
        }
        let count = |run: &GateRun| run.report.as_ref().map_or(0, |report| report.diagnostics.len());
        let before = count(&ran.run);
        if matches!(own.run.state, GateState::Passed | GateState::Failed) {
            keep_shared(&mut ran.run, &own.run);
        }
        let gone = before - count(&ran.run);
        if gone > 0 {
            limits.push(format!(
                "{gone} objections of {name} hold only with the base's settings, which the change alters"
            ));
        }
        Ok(ran)
    }

    /// Leaves out what a linter objects to by rules that the base breaks as well, where that shows that the maintainers do
    /// not hold to them: see [`BrokenRule`].
    fn without_rules_that_the_base_breaks(
        &self,
        worktrees: &PreparedWorktrees,
        planned: Planned<'_>,
        mut ran: GateExecution,
        base: Option<&GateRun>,
        limits: &mut Vec<String>,
    ) -> GateExecution {
        let Planned { gate, setup } = planned;
        let is_linter = gate.dimensions().iter().all(|dimension| *dimension == Dimension::Style);
        let pipeline = &worktrees.change.project.pipeline;
        let is_called = || {
            let calls = |command: &PipelineCommand| gate.calls().iter().any(|call| command.begins_with(call));
            pipeline.commands.iter().any(calls)
        };
        if let Some(base) = base.filter(|_| is_linter) {
            let is_called = is_called();
            let files = &worktrees.base.as_ref().unwrap_or(&worktrees.change).project.files;
            let counts = BrokenRule::of(is_called, gate.is_formatter(), base, files);
            let count = counts.map_or(0, |counts| take_out_broken_rules(&mut ran.run, base, self.moves, counts));
            if count > 0 {
                let name = name_of(gate.id(), &setup.folder);
                let why = if is_called {
                    "though the maintainers run it: theirs has other rules or another version"
                } else {
                    "and nothing shows that the maintainers run it"
                };
                limits.push(format!("{count} objections of {name} are of rules that the base breaks as well, {why}"));
            }
        }
        ran
    }

    /// Runs tests of the change once more on a copy. They are watched as closely as the first time: otherwise what
    /// deceives the runner alone would pass now.
    fn run_watched(
        &mut self,
        like: &PreparedWorktree,
        copy: WorkCopy,
        planned: Planned<'_>,
    ) -> Result<GateExecution, CopyError> {
        let word = fresh_word();
        let test = self.test_of(planned, &word);
        self.run_apart(like, copy, planned, test)
    }

    /// Runs a gate on a copy whose build output must not be taken for that of another one.
    fn run_apart(
        &mut self,
        like: &PreparedWorktree,
        copy: WorkCopy,
        planned: Planned<'_>,
        test: RunnerTest<'_>,
    ) -> Result<GateExecution, CopyError> {
        let build =
            Scratch::new("assize-build-").map_err(|error| CopyError::Io { path: std::env::temp_dir(), error })?;
        if let Some(base_build) = self.base_build.as_ref().filter(|_| planned.gate.builds_in().is_some()) {
            base_build.give_to([&copy].into_iter(), build.path())?;
        }
        let mut probe = like.with_copy(copy, build.path().to_owned());
        self.run_on(&mut probe, planned, test)
    }

    /// Returns which of these tests pass each time that they are run again.
    fn passing_again(
        &mut self,
        worktree: &PreparedWorktree,
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
            // What the run before left in the tree may be why a test passes now.
            let copy = worktree.copy.again()?;
            let again = self.run_watched(worktree, copy, planned)?;
            ids = excuse::passed_in(&ids, &again.run);
        }
        Ok(ids)
    }

    /// Returns which of these failing tests do not depend on what changed, by running them with every changed function
    /// cut off. With an empty specification, none of them had to be fixed, and all are returned.
    fn independent(
        &mut self,
        of: &PreparedWorktree,
        planned: Planned<'_>,
        run: &GateRun,
        ids: BTreeSet<String>,
    ) -> Result<BTreeSet<String>, CopyError> {
        if ids.is_empty() || self.is_unspecified() {
            return Ok(ids);
        }
        let Some((copy, _)) = self.cut_off(&of.copy)? else { return Ok(BTreeSet::new()) };
        let cut_off = self.run_watched(of, copy, planned)?;
        Ok(excuse::independent_of_change(&ids, run, &cut_off.run))
    }

    /// Finds out by running whether a script that leaves nothing but its status tests the change.
    fn told_by_status(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        planned: Planned<'_>,
        tree: TreeState,
        (ran, base): (GateExecution, Option<GateExecution>),
        limits: &mut Vec<String>,
    ) -> Result<(GateExecution, Option<GateExecution>), CopyError> {
        let (Some(before), true) = (&base, is_status_alone(&ran.run)) else { return Ok((ran, base)) };
        let name = name_of(planned.gate.id(), &planned.setup.folder);
        let proven = |mut ran: GateExecution| {
            ran.run = as_test(&format!("the script `{}`", planned.setup.detail));
            ran
        };
        let key = key_of(planned);
        // With its own tests a change prints something else.
        let held = self.of_held.get(&key).filter(|_| tree == TreeState::Change);
        let is_known = held.is_some_and(|held| held.state == GateState::Passed);
        if is_known {
            return Ok((proven(ran), base));
        }
        // Where it was red with the tests of the base, it comes to its tests.
        let was_red = self.of_held.get(&key).is_some_and(|held| held.state == GateState::Failed);
        let comes_to_its_end = was_red || prints_alike(printed(&ran), printed(before));
        if !is_status_alone(&before.run) || !comes_to_its_end {
            return Ok((ran, base));
        }
        let worktree = worktrees.get(tree);
        let Some((copy, word)) = self.cut_off(&worktree.copy)? else { return Ok((ran, base)) };
        let cut_off = self.run_apart(worktree, copy, planned, RunnerTest::None)?;
        if !notices(printed(&cut_off), &word) {
            return Ok((ran, base));
        }
        limits.push(format!(
            "{name} leaves no report: the script ended well, as on the base, and failed when every changed function did"
        ));
        let ran = proven(ran);
        if tree == TreeState::Held {
            self.of_held.insert(key, ran.run.clone());
        }
        Ok((ran, base.map(proven)))
    }

    /// Copies a tree with every changed function cut off, and returns the word with which they fail. `None` where a change
    /// to code cannot be told by that.
    fn cut_off(&self, of: &WorkCopy) -> Result<Option<(WorkCopy, String)>, CopyError> {
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
        Ok(Some((copy, word)))
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
            fails_at: gate.fails_at(setup),
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

fn printed(ran: &GateExecution) -> PrintedRun<'_> {
    PrintedRun { run: &ran.run, printed: &ran.output }
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
        message: format!(
            "The base uses {} ({}); the change does so no more.",
            name_of(gate.id(), &setup.folder),
            setup.because
        ),
    })
    .collect()
}

/// What a change does with tests of the base that its code does not pass.
enum Adaptation {
    /// It adapts or removes these.
    Tests { adapted: BTreeSet<String>, removed: BTreeSet<String> },
    /// It rewrites files that cannot be built with its code otherwise.
    Rebuilt,
    /// It rewrites tests of a script that leaves nothing but its status.
    Script,
    /// It moves all of them.
    Moved,
}

/// Reports what a change does with tests of the base, and what a reader has to check.
fn tests_adapted(gate: &str, what: &str, check: &str) -> Finding {
    Finding {
        rule: "tests-adapted".to_owned(),
        severity: Severity::Error,
        certainty: Certainty::Likely,
        path: None,
        line: None,
        message: format!("{gate}: {what}. Check that {check}, or say with --spec what is asked for."),
    }
}

/// What a reader has to check of tests that are rewritten.
const CHECK_EXPECTATIONS: &str = "the new expectations are what you want";

/// Reports tests of the base that have another outcome with the code of the change, which rewrites them.
fn rewritten(gate: &str, outcome: &str) -> Finding {
    let what = format!("tests of the base {outcome} with the code of the change, which rewrites them");
    tests_adapted(gate, &what, CHECK_EXPECTATIONS)
}

/// Reports the tests that the change adapts, and those that it removes.
fn by_change(gate: &str, excuses: &Excuses) -> Vec<Finding> {
    const SHOWN: usize = 5;
    let reported = |(of, does, check): (Excuse, &str, &str)| {
        let ids: Vec<&str> = excuses.iter().filter(|(_, excuse)| **excuse == of).map(|(id, _)| id.as_str()).collect();
        let what = || format!("the change {does}: {}", listed(&ids, SHOWN));
        (!ids.is_empty()).then(|| tests_adapted(gate, &what(), check))
    };
    let kinds = [
        (Excuse::Adapted, "makes tests of the base fail and rewrites them", CHECK_EXPECTATIONS),
        (Excuse::Removed, "removes tests of the base with the code that they test", "that code is to go"),
    ];
    kinds.into_iter().filter_map(reported).collect()
}

/// Returns whether two gates are the same, whatever they were recognized by.
fn is_same(one: Planned<'_>, other: Planned<'_>) -> bool {
    one.gate.id() == other.gate.id() && one.setup.folder == other.setup.folder
}

/// What the runs of a gate are found by.
fn key_of(planned: Planned<'_>) -> (String, String) {
    (planned.gate.id().to_owned(), planned.setup.folder.clone())
}

/// Looks up an environment variable of this process.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn is_test_runner(gate: &dyn Gate) -> bool {
    gate.dimensions().contains(&Dimension::TestsFunctional)
}
/// Returns whether a name stands in a text as a whole word.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}
