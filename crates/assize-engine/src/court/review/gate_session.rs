//! Runs the gates of one review on the copies of the tree, and compares each with the base.

mod adaptation;
mod mutation;
mod node;
mod reversion;
mod runners;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::SystemTime;

use assize_core::diff::Diff;
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::path::{file_name, is_below};
use assize_ecosystem::pipeline::PipelineCommand;
use assize_ecosystem::{Language, holds_tests, is_code, is_test};
use assize_gate::comparison::{
    BrokenRule, CheckerKind, Moves, keep_shared, new_diagnostics, take_out_broken_rules, take_out_unread,
};
use assize_gate::excuse::{self, Excuses};
use assize_gate::exec_report::{Circumstances, ExecReport, GateResult, TestsOf, cannot_be_held, no_tests_yet};
use assize_gate::gate::{Dimension, Gate, GateRun, GateState, GateTrouble, NAMED_FILES_MAX, Project, Setup, name_of};
use assize_gate::narrowed::completed;
use assize_gate::plan::{self, GatePlan};
use assize_gate::status_alone::{PrintedRun, as_test, is_status_alone, prints_alike};
use assize_report::TestOutcome;
use assize_review::case::{ReviewInputs, ReviewScope};
use assize_review::tournament::STOPPED_EARLY;
use assize_syntax::cut_off::{with_code_cut_off, with_functions_cut_off, with_module_cut_off};
use assize_syntax::inline_tests::FILE_BYTES_MAX;

use self::adaptation::{Adaptation, by_change};
use self::node::ChosenNode;
use super::{NOT_INSTALLED, PreparedWorktrees, ReviewError, ReviewStep, ReviewTerms, TreeState};
use crate::gate::{
    BaseBuild, BaseCache, BuildStore, GateExecution, MANIFEST_BYTES_MAX, Planned, PreparedWorktree, RunTerms,
    RunnerTest, StoredBuild, is_missing_tool,
};
use crate::random::fresh_word;
use crate::sandbox::Sandbox;
use crate::scratch::Scratch;
use crate::work_copy::{CopyError, WorkCopy};

pub use self::mutation::MutationTerms;
pub(super) use self::node::NODE_RAN;

/// The most newly failing tests that are run again: more of them are no accident.
const RERUN_TESTS_MAX: usize = 20;

/// What a canary beside the tests of the base is named with. Nothing there is judged, and runs are compared by the names.
const WORD_FOR_BASE: &str = "canarybesidethebase";

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
    /// Files that come from the base with the tests, though their names may be those of no tests.
    pub(super) of_tests: BTreeSet<String>,
    /// Whether all tests of the base that are gone are removed with what they test, by test runners.
    deletions: BTreeMap<(String, String), Deletions>,
    /// The copy on which a gate ran last.
    last: TreeState,
    /// What test runners, by id and folder, made of the change.
    of_change: BTreeMap<(String, String), GateExecution>,
    /// What they made of the change with the tests of the base.
    of_held: BTreeMap<(String, String), GateRun>,
    /// What they made of the base.
    of_base: BTreeMap<(String, String), GateRun>,
    /// The seconds that a test has with runners, by id and folder, whose tests of the base hang in part.
    waits: BTreeMap<(String, String), u32>,
    /// Test runners, by id and folder, beside whose tests ours cannot stand.
    sees_canary: BTreeSet<(String, String)>,
    /// The build output of the base.
    base_build: Option<Arc<BaseBuild>>,
    /// Test runners, by id and folder, whose tests need what a script builds.
    needs_build: BTreeSet<(String, String)>,
    /// Whether it was tried whether the project lacks another version of Node.
    tried_node: bool,
    /// The ends of gates that were passed on.
    ended: Vec<(String, TestsOf, GateState)>,
}

/// Adds the results of gates that have none yet.
fn add_new(results: &mut Vec<GateResult>, more: Vec<GateResult>) {
    let is_new = |one: &GateResult| !results.iter().any(|had| had.name() == one.name());
    let new: Vec<GateResult> = more.into_iter().filter(is_new).collect();
    results.extend(new);
}

/// What becomes of the tests of one runner.
struct Deletions {
    languages: Vec<Language>,
    are_explained: bool,
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
            deletions: BTreeMap::new(),
            of_tests: BTreeSet::new(),
            last: TreeState::Base,
            of_change: BTreeMap::new(),
            of_held: BTreeMap::new(),
            of_base: BTreeMap::new(),
            waits: BTreeMap::new(),
            sees_canary: BTreeSet::new(),
            base_build: None,
            needs_build: BTreeSet::new(),
            tried_node: false,
            ended: Vec::new(),
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
        let limits_before = limits.len();
        self.find_builds(worktrees)?;
        let of = |worktree: &PreparedWorktree| self.plan(worktree).due;
        let GatePlan { due: on_change, left_out } = self.plan(&worktrees.change);
        limits.extend(plan::summary_of(&left_out));
        let on_held = worktrees.held.as_ref().map(of);
        let on_base = worktrees.base.as_ref().map(of).unwrap_or_default();
        let due = due(on_change, on_held);
        self.begin_with_base_build(worktrees, &on_base, &due)?;
        let mut findings = removed(worktrees, &on_base, &due);
        let (mut results, mut without_tests) = (Vec::new(), BTreeSet::new());
        for (number, (gate, setup, tree)) in due.iter().enumerate() {
            let name = name_of(gate.id(), &setup.folder);
            (self.watch)(ReviewStep::Gate { name: &name, on: *tree, done: number, of: due.len() });
            let planned = Planned { gate: *gate, setup };
            let given_up = if *tree == TreeState::Change { self.given_up(worktrees, planned)? } else { None };
            if let Some(own) = given_up {
                limits.push(format!("{name}: the change no longer runs its tests with it"));
                add_new(&mut results, own);
                continue;
            }
            let is_runner = is_test_runner(*gate);
            let of_base = if is_runner { self.base_run(worktrees, &on_base, planned, None)? } else { None };
            let ran = match self.not_installed(worktrees, &on_base, planned) {
                Some(known) => known,
                None => self.run_in_time(worktrees, *tree, planned, of_base.as_ref())?,
            };
            let base = if is_runner { of_base } else { self.base_run(worktrees, &on_base, planned, Some(&ran))? };
            if let Some(chosen) = self.other_node(worktrees, planned, *tree, (&ran, base.as_ref()))? {
                limits.truncate(limits_before);
                limits.retain(|limit| !limit.contains(NOT_INSTALLED));
                limits.extend(chosen.not_installed);
                limits.push(chosen.note);
                return self.run_all(worktrees, limits);
            }
            if gate.is_supplement() && base.as_ref().is_some_and(|base| base.run.state != GateState::Passed) {
                limits.push(format!("{name} does not pass on the base and is left out"));
                continue;
            }
            let base = self.as_named_now(worktrees, planned, base, &ran.run)?;
            if let Some(base) = base.as_ref().filter(|_| is_test_runner(*gate)) {
                self.of_base.insert((gate.id().to_owned(), setup.folder.clone()), base.run.clone());
            }
            let ran = self.out_of_sight(worktrees, planned, *tree, (ran, base.as_ref()), limits)?;
            let (ran, base) = self.told_by_status(worktrees, planned, *tree, (ran, base), limits)?;
            let (ran, base) = self.as_built(worktrees, planned, (ran, base))?;
            let ran = if *tree == TreeState::Change && is_test_runner(*gate) {
                self.by_own_settings(worktrees, planned, ran, limits)?
            } else {
                ran
            };
            let ran = self.with_more_time(worktrees, planned, *tree, (ran, base.as_ref()), limits)?;
            let base = base.as_ref().map(|base| &base.run);
            if *tree == TreeState::Held && no_tests_yet(&ran.run, base) {
                limits.push(format!("the base has no tests for {name}: those of the change are the only ones"));
                continue;
            }
            if *tree == TreeState::Held && cannot_be_held(&ran.run, base) {
                limits.push(format!(
                    "the base's tests for {name} do not run there either: those of the change are the only ones"
                ));
                continue;
            }
            let ran = self.without_objections_to_settings(worktrees, planned, *tree, (ran, base), limits)?;
            let ran = self.without_rules_that_the_base_breaks(worktrees, planned, ran, base, limits);
            let ran = self.with_stand_ins(worktrees, planned, *tree, ran, limits)?;
            let mut excuses = self.excuses(worktrees, planned, *tree, &ran.run, base)?;
            let adaptation = self.adaptation(worktrees, planned, *tree, &ran.run, base)?;
            if let Some(finding) = adaptation.of_whole_run(&name) {
                findings.push(finding);
                continue;
            }
            match adaptation {
                Adaptation::Moved => {
                    limits.push(format!("{name}: all tests of the base run elsewhere under the same names"));
                    continue;
                }
                Adaptation::Tests(tests) => excuses.extend(tests.excuses()),
                Adaptation::Rebuilt | Adaptation::Script | Adaptation::Reverted(_) => {}
            }
            if is_test_runner(*gate) && no_tests_yet(&ran.run, base) {
                without_tests.insert(name.clone());
            }
            let result = self.result(planned, *tree, &ran, base, &excuses, worktrees.held.is_some());
            findings.extend(by_change(&name, &excuses));
            self.tell_end(&result);
            results.push(result);
            if number + 1 < due.len() && self.is_hopeless(&results) {
                limits.push(STOPPED_EARLY.to_owned());
                break;
            }
        }
        leave_out(&mut results, without_tests, limits);
        Ok((results, findings))
    }

    /// Chooses another version of Node, once, where one may be what the tests lack that fail.
    fn other_node(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        planned: Planned<'_>,
        tree: TreeState,
        (ran, ran_on_base): (&GateExecution, Option<&GateExecution>),
    ) -> Result<Option<ChosenNode>, CopyError> {
        let base_lacks = match (&worktrees.base, ran_on_base) {
            (Some(base), Some(ran_on_base)) => node::may_lack_node(planned, base, ran_on_base),
            (Some(_), None) => return Ok(None),
            (None, _) => node::may_lack_node(planned, &worktrees.change, ran),
        };
        let change_lacks = tree != TreeState::Base && node::may_lack_node(planned, &worktrees.change, ran);
        if !base_lacks && !change_lacks || std::mem::replace(&mut self.tried_node, true) {
            return Ok(None);
        }
        if base_lacks { self.choose_node(worktrees) } else { self.choose_node_of_change(worktrees) }
    }

    /// Returns whether running has shown that tests which are gone from a file are removed with what they test.
    pub(super) fn explains_deletions(&self, path: &str) -> bool {
        let Some(language) = Language::of(path) else { return false };
        let mut own = self.deletions.values().filter(|it| it.languages.contains(&language)).peekable();
        own.peek().is_some() && own.all(|it| it.are_explained)
    }

    /// Says that a gate has ended. With another version of Node all runs again, and nothing is said twice.
    fn tell_end(&mut self, result: &GateResult) {
        let end = (result.name(), result.tests_of, result.state);
        if !self.ended.contains(&end) {
            (self.watch)(ReviewStep::Ended { result });
            self.ended.push(end);
        }
    }

    /// Plans the gates of a copy for this change.
    pub(super) fn plan(&self, worktree: &PreparedWorktree) -> GatePlan<'a> {
        let mut plan = self.terms.gates.plan(&worktree.project, self.changed().as_ref());
        for (gate, setup) in &mut plan.due {
            let key = key_of(Planned { gate: *gate, setup });
            if self.needs_build.contains(&key)
                && let Some(built) = gate.built(setup, &worktree.project)
            {
                *setup = built;
            }
        }
        plan
    }

    /// Finds out which gates need what the project builds, where its pipeline may build it first: on the base more tests pass
    /// then, or a checker objects to less.
    fn find_builds(&mut self, worktrees: &mut PreparedWorktrees) -> Result<(), CopyError> {
        let Some(base) = &mut worktrees.base else { return Ok(()) };
        let passed = |ran: &GateExecution| ran.run.cases().filter(|case| case.outcome == TestOutcome::Passed).count();
        for (gate, setup) in self.plan(base).due {
            let Some(built) = gate.built(&setup, &base.project) else { continue };
            let planned = Planned { gate, setup: &setup };
            let plain = self.find_out(base, planned, BaseLookup::Taken)?;
            if plain.run.state == GateState::Passed {
                continue;
            }
            let ran = self.find_out(base, Planned { gate, setup: &built }, BaseLookup::Taken)?;
            // A script that leaves nothing but its status has no tests that could be counted.
            let ends_well = is_status_alone(&ran.run) && !is_status_alone(&plain.run);
            let objects_to_less = !is_test_runner(gate) && objections(&ran.run) < objections(&plain.run);
            if passed(&ran) > passed(&plain) || ends_well || objects_to_less {
                self.needs_build.insert(key_of(planned));
            }
        }
        Ok(())
    }

    /// Lets a checker that objects to the change, and not to the base, look at both once they are built: what the
    /// maintainers build first may be what it misses.
    fn as_built(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        planned: Planned<'_>,
        (ran, base): (GateExecution, Option<GateExecution>),
    ) -> Result<(GateExecution, Option<GateExecution>), CopyError> {
        let (Some(before), Some(worktree)) = (&base, &mut worktrees.base) else { return Ok((ran, base)) };
        let is_asked = ran.run.state == GateState::Failed && !is_test_runner(planned.gate);
        let builds_alike = |built: &Setup| {
            let command = |of: &PreparedWorktree| planned.gate.command(built, &of.project);
            command(worktree) == command(&worktrees.change)
        };
        let built =
            planned.gate.built(planned.setup, &worktree.project).filter(|built| is_asked && builds_alike(built));
        let Some(built) = built.filter(|_| objections(&ran.run) > objections(&before.run)) else {
            return Ok((ran, base));
        };
        let planned = Planned { gate: planned.gate, setup: &built };
        let before_built = self.find_out(worktree, planned, BaseLookup::Taken)?;
        if before_built.run.state == GateState::Errored || objections(&before_built.run) > objections(&before.run) {
            return Ok((ran, base));
        }
        let again = self.run_apart(&worktrees.change, worktrees.change.copy.again()?, planned, RunnerTest::None)?;
        let is_better = matches!(again.run.state, GateState::Passed | GateState::Failed)
            && objections(&again.run) < objections(&ran.run);
        Ok(if is_better { (again, Some(before_built)) } else { (ran, base) })
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
                let terms = self.run_terms(planned);
                self.run_on(worktrees.get(tree), planned, test, &terms)?
            }
        };
        if is_test_runner(planned.gate) {
            self.remember(tree, planned, &ran);
        }
        Ok(ran)
    }

    /// Keeps what a runner of tests made of the change, so that it is asked for once.
    fn remember(&mut self, tree: TreeState, planned: Planned<'_>, ran: &GateExecution) {
        match tree {
            TreeState::Change => drop(self.of_change.insert(key_of(planned), ran.clone())),
            TreeState::Held => drop(self.of_held.insert(key_of(planned), ran.run.clone())),
            TreeState::Base | TreeState::Mutants => {}
        }
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
        let terms = self.run_terms(planned);
        let watch = &mut *self.watch;
        let ran = change.run_some(planned, &files, self.sandbox, &terms, &mut |text| {
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
        terms: &RunTerms,
    ) -> Result<GateExecution, CopyError> {
        let watch = &mut *self.watch;
        worktree.run(planned, self.sandbox, terms, test, &mut |text| watch(ReviewStep::Printed(text)))
    }

    /// Runs the same gate on the base if that is informative: for tests, in any case, to know which exist and which hang; for
    /// other gates, only if they object to the change.
    fn base_run(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        on_base: &[(&'a dyn Gate, Setup)],
        Planned { gate, setup }: Planned<'_>,
        ran: Option<&GateExecution>,
    ) -> Result<Option<GateExecution>, CopyError> {
        let Some(worktree) = &mut worktrees.base else { return Ok(None) };
        let quiet = ran.is_some_and(|ran| ran.run.state == GateState::Passed);
        let same = |(other, of): &&(&dyn Gate, Setup)| other.id() == gate.id() && of.folder == setup.folder;
        // A checker that the base does not use yet finds old faults there as well.
        let used = on_base.iter().find(same).map(|(gate, setup)| Planned { gate: *gate, setup });
        let unused = (!is_test_runner(gate)).then_some(Planned { gate, setup });
        let Some(planned) = used.or(unused).filter(|_| !quiet) else { return Ok(None) };
        let same_dependencies = worktree.has_dependencies_of(&worktrees.change);
        if let Some(ran) = ran.filter(|ran| same_dependencies && is_missing_tool(&ran.run)) {
            let command = planned.gate.command(planned.setup, &worktree.project);
            if worktree.is_dependency(&command.program) && command == gate.command(setup, &worktrees.change.project) {
                if let (cache, Some(key)) = self.kept_of_base(worktree, planned, BaseRun::Alone) {
                    cache.put(&key, ran, true);
                }
                return Ok(Some(ran.clone()));
            }
        }
        if !is_test_runner(planned.gate) && !same_dependencies {
            // What another version of a checker objects to in old code is not the change's fault.
            let copy = worktree.copy.again()?;
            let (_output, mut probe) = self.apart(&worktrees.change, copy, planned)?;
            return self.find_out(&mut probe, planned, BaseLookup::Taken).map(Some);
        }
        self.find_out(worktree, planned, BaseLookup::Taken).map(Some)
    }

    /// Calls tests of the base as they are called now, where their names are others in each run of the base as well.
    fn as_named_now(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        planned: Planned<'_>,
        base: Option<GateExecution>,
        run: &GateRun,
    ) -> Result<Option<GateExecution>, CopyError> {
        let Some(mut ran) = base else { return Ok(None) };
        let names = if is_test_runner(planned.gate) { excuse::renumbered(run, &ran.run) } else { BTreeMap::new() };
        if let Some(worktree) = worktrees.base.as_mut().filter(|_| !names.is_empty()) {
            let again = self.run_of_base(worktree, planned, BaseRun::Alone)?;
            excuse::rename(&mut ran.run, &names, &again.run);
        }
        Ok(Some(ran))
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
        let (cache, key) = self.kept_of_base(worktree, planned, how);
        let cached = key.as_ref().filter(|_| lookup == BaseLookup::Taken).and_then(|key| cache.get(key));
        if let Some(ran) = cached {
            return Ok(ran);
        }
        let name = name_of(planned.gate.id(), &planned.setup.folder);
        (self.watch)(ReviewStep::Gate { name: &name, on: TreeState::Base, done: 0, of: 0 });
        let ran = self.run_of_base(worktree, planned, how)?;
        if let Some(key) = key {
            let command = planned.gate.command(planned.setup, &worktree.project);
            cache.put(&key, &ran, worktree.is_dependency(&command.program));
        }
        Ok(ran)
    }

    /// Where it is kept what a gate made of the base. Without a key nothing is.
    fn kept_of_base(
        &self,
        worktree: &PreparedWorktree,
        planned: Planned<'_>,
        how: BaseRun,
    ) -> (BaseCache, Option<String>) {
        let tier = self.sandbox.level().tier.to_string();
        let tree = self.base_tree.as_ref();
        let key =
            tree.and_then(|tree| BaseCache::key(tree, planned, worktree, &self.terms.gates.run, &tier, &variable));
        (BaseCache::new(self.terms.gates.cache.as_deref()), key.map(|key| key + how.suffix()))
    }

    /// What it is known to end with that a checker is not installed: the change has the same dependencies, and calls it alike.
    fn not_installed(
        &self,
        worktrees: &PreparedWorktrees,
        on_base: &[(&'a dyn Gate, Setup)],
        planned: Planned<'_>,
    ) -> Option<GateExecution> {
        let (base, change) = (worktrees.base.as_ref()?, &worktrees.change);
        let (gate, setup) = on_base.iter().find(|(gate, setup)| is_same(Planned { gate: *gate, setup }, planned))?;
        let command = planned.gate.command(planned.setup, &change.project);
        let is_alike = !is_test_runner(planned.gate)
            && base.has_dependencies_of(change)
            && base.is_dependency(&command.program)
            && gate.command(setup, &base.project) == command;
        let (cache, key) = self.kept_of_base(base, Planned { gate: *gate, setup }, BaseRun::Alone);
        key.filter(|_| is_alike).and_then(|key| cache.get(&key)).filter(|ran| is_missing_tool(&ran.run))
    }

    fn run_of_base(
        &mut self,
        worktree: &mut PreparedWorktree,
        planned: Planned<'_>,
        how: BaseRun,
    ) -> Result<GateExecution, CopyError> {
        let test = match how {
            BaseRun::Alone => RunnerTest::None,
            BaseRun::BesideCanary => RunnerTest::CanaryOnBase(WORD_FOR_BASE),
        };
        self.run_on(worktree, planned, test, &self.terms.gates.run.clone())
    }

    /// Returns whether nothing was asked for: then what the change does is what is wanted.
    fn is_unspecified(&self) -> bool {
        self.so_far.case.specification.inspect().trim().is_empty()
    }

    /// Leaves out what a gate objects to only with the settings of the base, where the change has others and nothing was
    /// asked for: then its settings are as good as those of the base. Where those of the base cannot be read beside the
    /// change, such as a script of another kind of modules, the change's are taken.
    fn without_objections_to_settings(
        &mut self,
        worktrees: &PreparedWorktrees,
        planned: Planned<'_>,
        tree: TreeState,
        (mut ran, base): (GateExecution, Option<&GateRun>),
        limits: &mut Vec<String>,
    ) -> Result<GateExecution, CopyError> {
        let is_mute = is_mute(&ran.run);
        let is_asked = tree == TreeState::Change && self.is_unspecified();
        if !is_asked || !is_mute && ran.run.state != GateState::Failed || is_test_runner(planned.gate) {
            return Ok(ran);
        }
        let diagnostics =
            |run: &GateRun| run.report.as_ref().map_or_else(Vec::new, |report| report.diagnostics.clone());
        let is_old =
            |base: &GateRun| new_diagnostics(&diagnostics(&ran.run), &diagnostics(base), self.moves).is_empty();
        if !is_mute && base.is_some_and(is_old) {
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
        let before = objections(&ran.run);
        if matches!(own.run.state, GateState::Passed | GateState::Failed) {
            keep_shared(&mut ran.run, &own.run);
        }
        let gone = before - objections(&ran.run);
        if gone > 0 {
            let objections = if gone == 1 { "objection" } else { "objections" };
            limits.push(format!(
                "only the base's settings, which the change alters, make for {gone} {objections} of {name}"
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
        let pipeline = &worktrees.change.project.pipeline;
        let is_called = || {
            let calls = |command: &PipelineCommand| gate.calls().iter().any(|call| command.begins_with(call));
            pipeline.commands.iter().any(calls)
        };
        if let Some(base) = base.filter(|_| gate.is_formatter())
            && take_out_unread(&mut ran.run, base) > 0
        {
            let name = name_of(gate.id(), &setup.folder);
            limits.push(format!("{name} could not read a file on the base; its layout is not judged"));
        }
        if let Some((base, kind)) = base.zip(CheckerKind::of(gate)) {
            let is_called = is_called();
            let files = &worktrees.base.as_ref().unwrap_or(&worktrees.change).project.files;
            let counts = BrokenRule::of(is_called, kind, base, files);
            let count = counts.map_or(0, |counts| take_out_broken_rules(&mut ran.run, base, self.moves, counts, files));
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
        let (_output, mut probe) = self.apart(like, copy, planned)?;
        let terms = self.run_terms(planned);
        self.run_on(&mut probe, planned, test, &terms)
    }

    /// Returns a copy with what another one depends on, and a folder of its own for its build output.
    fn apart(
        &self,
        like: &PreparedWorktree,
        copy: WorkCopy,
        planned: Planned<'_>,
    ) -> Result<(Scratch, PreparedWorktree), CopyError> {
        let output =
            Scratch::new("assize-build-").map_err(|error| CopyError::Io { path: std::env::temp_dir(), error })?;
        if let Some(base_build) = self.base_build.as_ref().filter(|_| planned.gate.builds_in().is_some()) {
            base_build.give_to([&copy].into_iter(), output.path())?;
        }
        let probe = like.with_copy(copy, output.path().to_owned());
        Ok((output, probe))
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
        let changes_types_alone = self.changes_types_alone(worktrees);
        let worktree = worktrees.get(tree);
        if !changes_types_alone && !self.notices_what_changed(worktree, planned)? {
            return Ok((ran, base));
        }
        let why = if changes_types_alone {
            "the change declares types alone"
        } else {
            "it failed when every changed function or module did"
        };
        limits.push(format!("{name} leaves no report: the script ended well, as on the base, and {why}"));
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
        for (path, lines) in self.changed_code(of) {
            let text = copy.text(path, FILE_BYTES_MAX as u64);
            let Some(text) = text.and_then(|text| with_functions_cut_off(path, &text, &lines, &word)) else {
                return Ok(None);
            };
            copy.write(path, &text)?;
        }
        Ok(Some((copy, word)))
    }

    /// The same where code outside of functions has changed, or nothing that runs: whole modules are cut off if there is nothing
    /// else. `None` where nothing can be cut off.
    fn cut_off_or_modules(&self, of: &WorkCopy) -> Result<Option<(WorkCopy, String)>, CopyError> {
        let word = fresh_word();
        let mut copy = of.again()?;
        let code = self.changed_code(of).filter(|(path, _)| !declares_types(path));
        let texts = code.filter_map(|(path, lines)| Some((path, lines, of.text(path, FILE_BYTES_MAX as u64)?)));
        let cut = |(path, lines, text): (_, BTreeSet<u32>, String)| {
            let cut = with_code_cut_off(path, &text, &lines, &word);
            (path, text, cut)
        };
        let files: Vec<_> = texts.map(cut).collect();
        let is_any_cut = files.iter().any(|(_, text, cut)| cut.as_ref().is_some_and(|cut| cut != text));
        for (path, text, cut) in &files {
            let text = if is_any_cut { cut.clone() } else { with_module_cut_off(path, text, &word) };
            let Some(text) = text else { return Ok(None) };
            copy.write(path, &text)?;
        }
        Ok((!files.is_empty()).then_some((copy, word)))
    }

    /// The code of the change that is in a tree, without what comes from the base with the tests, and the lines that it touches.
    fn changed_code(&self, of: &WorkCopy) -> impl Iterator<Item = (&str, BTreeSet<u32>)> {
        let is_product = |path: &String| is_code(path) && !is_test(path) && !self.of_tests.contains(path);
        let files = self.diff.files.iter().filter(move |file| is_product(&file.path));
        let there = files.filter(|file| of.files().contains(&file.path));
        there.map(|file| (file.path.as_str(), file.touched_lines().collect()))
    }

    /// Returns whether the change alters declarations of types alone, beside tests and texts, and manifests of which nothing is left with
    /// the base's settings.
    fn changes_types_alone(&self, worktrees: &PreparedWorktrees) -> bool {
        // What nothing that runs looks at.
        const ABOUT: [&str; 9] = [
            "version",
            "description",
            "keywords",
            "author",
            "contributors",
            "license",
            "repository",
            "bugs",
            "funding",
        ];
        let read = |of: &WorkCopy, path: &str| -> Option<serde_json::Map<String, serde_json::Value>> {
            let mut fields: serde_json::Map<_, _> = serde_json::from_str(&of.text(path, MANIFEST_BYTES_MAX)?).ok()?;
            fields.retain(|name, _| !ABOUT.contains(&&**name));
            Some(fields)
        };
        let is_as_before = |path: &String| {
            let base = worktrees.base.as_ref().and_then(|base| read(&base.copy, path));
            file_name(path) == "package.json" && base.is_some() && base == read(&worktrees.change.copy, path)
        };
        let says_nothing = |path: &String| {
            is_test(path) || self.of_tests.contains(path) || path.ends_with(".md") || is_as_before(path)
        };
        let mut told = self.diff.files.iter().map(|file| &file.path).filter(|path| !says_nothing(path)).peekable();
        told.peek().is_some() && told.all(|path| declares_types(path))
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

/// Leaves out gates that find no test, on the base either, where those in other folders pass.
fn leave_out(results: &mut Vec<GateResult>, without_tests: BTreeSet<String>, limits: &mut Vec<String>) {
    let passed = |result: &GateResult| {
        result.state == GateState::Passed && result.tests.as_ref().is_some_and(|tests| tests.passed > 0)
    };
    if results.iter().any(passed) {
        results.retain(|result| !without_tests.contains(&name_of(&result.id, &result.folder)));
        limits.extend(without_tests.into_iter().map(|name| format!("{name}: there is no test, on the base either")));
    }
}

/// How much a checker objects to.
fn objections(run: &GateRun) -> usize {
    run.report.as_ref().map_or(0, |report| report.diagnostics.len())
}

/// Returns whether a file declares types and holds nothing that runs.
fn declares_types(path: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts", ".pyi"].iter().any(|ending| path.ends_with(ending))
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

/// Returns whether the change leaves tests where a runner has run them in the base, and runs none there.
fn leaves_tests(
    worktrees: &PreparedWorktrees,
    (gate, setup): (&dyn Gate, &Setup),
    on_base: &[(&dyn Gate, Setup)],
    due: &[Due<'_>],
) -> bool {
    let Some(base) = worktrees.base.as_ref().filter(|_| is_test_runner(gate)) else { return false };
    let ecosystem = |gate: &dyn Gate, setup: &Setup, of: &Project| gate.command(setup, of).ecosystem();
    let Some(own) = ecosystem(gate, setup, &base.project) else { return false };
    let runs = |other: &dyn Gate, setup: &Setup, of: &Project| {
        is_test_runner(other) && ecosystem(other, setup, of).is_some_and(|it| it.id == own.id)
    };
    let inner = on_base.iter().filter(|(_, of)| of.folder.len() > setup.folder.len());
    let inner = inner.filter(|(other, of)| runs(*other, of, &base.project)).map(|(_, of)| of.folder.as_str());
    let of_change = due.iter().filter(|(.., tree)| *tree == TreeState::Change);
    let now = of_change.filter(|(other, of, _)| runs(*other, of, &worktrees.change.project));
    let elsewhere: Vec<&str> = inner.chain(now.map(|(_, of, _)| of.folder.as_str())).collect();
    // In Rust tests stand beside the code.
    let is_tested = |path: &str| holds_tests(path) || Language::of(path) == Some(Language::Rust);
    let is_own = |path: &str| Language::of(path).is_some_and(|it| own.languages.contains(&it)) && is_code(path);
    let left = base.copy.files().intersection(worktrees.change.copy.files()).map(String::as_str);
    let mut left = left.filter(|path| is_below(path, &setup.folder) && is_own(path) && is_tested(path));
    left.any(|path| !elsewhere.iter().any(|folder| is_below(path, folder)))
}

/// Reports gates that the base uses and the change no longer uses. That is certain where tests are left that none runs.
fn removed(worktrees: &PreparedWorktrees, on_base: &[(&dyn Gate, Setup)], due: &[Due<'_>]) -> Vec<Finding> {
    let certainty = |gate: &dyn Gate, setup: &Setup| {
        if leaves_tests(worktrees, (gate, setup), on_base, due) { Certainty::Certain } else { Certainty::Likely }
    };
    let gone = on_base
        .iter()
        .filter(|(gate, setup)| !due.iter().any(|(other, of, _)| other.id() == gate.id() && of.folder == setup.folder));
    gone.map(|(gate, setup)| Finding {
        rule: "gate-removed".to_owned(),
        severity: Severity::Error,
        certainty: certainty(*gate, setup),
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

/// Returns whether a run came to nothing: its tool crashed, or left no report.
fn is_mute(run: &GateRun) -> bool {
    matches!(run.trouble, Some((GateTrouble::NoReport | GateTrouble::Crashed, _))) && run.cases().next().is_none()
}

fn is_test_runner(gate: &dyn Gate) -> bool {
    gate.dimensions().contains(&Dimension::TestsFunctional)
}
