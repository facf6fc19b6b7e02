//! Finds out which failing tests are not held against a change, by running them again, elsewhere and without what they test.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::diff::{Diff, DiffHunk, FileChange};
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::path::{file_name, parent};
use assize_core::text::listed;
use assize_ecosystem::{Language, is_code};
use assize_gate::excuse::{self, AdaptationRuns, Excuse, Excuses, PartRuns};
use assize_gate::gate::{GateRun, GateState, GateTrouble, name_of};
use assize_gate::missing_name::missing_names;
use assize_gate::stand_in::{objections, stand_ins};
use assize_gate::status_alone::is_status_alone;
use assize_gate::test_policy::without_runners;
use assize_syntax::cut_off::{with_code_cut_off, with_functions_cut_off};
use assize_syntax::failing_body::{TestSource, may_share, with_failing_bodies};
use assize_syntax::inline_tests::FILE_BYTES_MAX;
use assize_syntax::removed::{RemovedDeclaration, has_word, removed_declarations, renamed_declarations, with_name};

use super::reversion::taken_back;
use super::{
    Deletions, GateSession, PreparedWorktrees, RERUN_TESTS_MAX, ReviewError, ReviewStep, TreeState, is_test_runner,
    key_of,
};
use crate::gate::{GateExecution, Planned, PreparedWorktree, RunnerTest};
use crate::random::fresh_word;
use crate::work_copy::{CopyError, WorkCopy};

/// A file of a change, and one of its hunks.
type ChangePart<'diff> = (&'diff str, &'diff DiffHunk);
/// Texts of files in place of those that are there, and why tests run with them.
type OtherTexts = (BTreeMap<String, String>, &'static str);

/// Why the base's tests ran with other files than the change has.
const RENAMED: &str = "the base's tests ran with the names that things have with the change";
const UNSETTLED: &str = "the base's tests ran without what new settings tell their runner";

/// What a reader has to check of tests that are rewritten.
const CHECK_EXPECTATIONS: &str = "the new expectations are what you want";

impl GateSession<'_> {
    /// Finds out which failing tests are not held against the change: those that the base lists, those that pass when
    /// they are run again, and those that fail on the base alike and do not depend on what changed.
    pub(super) fn excuses(
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
        let by_machine = excuse::kept_by_machine(&alike, run);
        alike.retain(|id| !by_machine.contains(id));
        excuses.extend(by_machine.into_iter().map(|id| (id, Excuse::KnownRed)));
        if tree == TreeState::Held && !alike.is_empty() {
            // A test that the change alters so that it passes is what the change is about.
            let altered = self.run_on_tree(worktrees, TreeState::Change, planned)?;
            alike = excuse::independent_of_change(&alike, run, &altered.run);
        }
        let red = self.independent(worktrees.get(tree), planned, run, alike)?;
        excuses.extend(red.into_iter().map(|id| (id, Excuse::KnownRed)));
        Ok(excuses)
    }

    /// Finds out which tests of the base the change adapts, where nothing says that it must not.
    pub(super) fn adaptation(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        planned: Planned<'_>,
        tree: TreeState,
        held: &GateRun,
        base: Option<&GateRun>,
    ) -> Result<Adaptation, ReviewError> {
        if tree == TreeState::Held && is_test_runner(planned.gate) {
            let ecosystem = planned.gate.command(planned.setup, &worktrees.change.project).ecosystem();
            let languages = ecosystem.map(|it| it.languages.to_vec()).unwrap_or_default();
            self.deletions.insert(key_of(planned), Deletions { languages, are_explained: false });
        }
        let none = Ok(Adaptation::Tests(RewrittenTests::default()));
        let is_allowed = self.is_unspecified() && self.terms.policy.adapted_tests.is_allowed();
        let is_asked = tree == TreeState::Held && held.state != GateState::Passed && is_allowed;
        let Some(base) = base.filter(|_| is_asked) else { return none };
        if let Some(commit) = self.takes_back(worktrees, planned, base)? {
            if let Some(deletions) = self.deletions.get_mut(&key_of(planned)) {
                deletions.are_explained = true;
            }
            return Ok(Adaptation::Reverted(commit));
        }
        if self.weakened.iter().any(|finding| finding.path.is_none()) {
            return none;
        }
        let all_touched = worktrees.touched_tests();
        let mut touched = all_touched.clone();
        touched.retain(|path| !self.weakened.iter().any(|finding| finding.path.as_ref() == Some(path)));
        let change = self.run_on_tree(worktrees, TreeState::Change, planned)?;
        if is_status_alone(base) {
            // A script is one test: what it says of one thing would pay for what it no longer says of another.
            if held.state != GateState::Failed || !is_status_alone(&change.run) || !self.weakened.is_empty() {
                return none;
            }
            let Some(copy) = worktrees.swapped([])? else { return none };
            let swapped = self.run_apart(&worktrees.change, copy, planned, RunnerTest::None)?;
            // Anything fails on the base that uses a name which the change brings.
            let is_adapted = swapped.run.state == GateState::Failed && missing_names(&swapped.output).is_empty();
            return if is_adapted { Ok(Adaptation::Script) } else { none };
        }
        // As long as nothing tells against it, the new versions are taken to fail on the base.
        let (change, touched, swapped) = (&change.run, &touched, &excuse::no_run());
        let nothing = &BTreeSet::new();
        let runs = AdaptationRuns { base, held, change, swapped, touched, removed: nothing, gone: nothing };
        if runs.is_moved() {
            return Ok(Adaptation::Moved);
        }
        if change.state == GateState::Errored {
            return none;
        }
        let mut declarations = self.gone_declarations(worktrees, &runs.missed_names());
        declarations.extend(self.gone_modules(worktrees, &runs.missed_modules()));
        let gone = declarations.iter().map(|it| it.name.clone()).collect();
        let runs_of_all = AdaptationRuns { touched: &all_touched, gone: &gone, ..runs };
        let removed = self.removed(worktrees, planned, &runs_of_all, &declarations)?;
        let runs = AdaptationRuns { removed: &removed, gone: &gone, ..runs };
        let deprecated = self.passing_despite_deprecations(worktrees.get(tree), planned, &runs.warned())?;
        let rewritten = RewrittenTests { removed: removed.clone(), deprecated, ..RewrittenTests::default() };
        if let Some(deletions) = self.deletions.get_mut(&key_of(planned)) {
            deletions.are_explained = runs.removes_all_that_are_gone();
        }
        // What is run for it shows more than how an assertion is spelled.
        let of_all = AdaptationRuns { touched: &all_touched, ..runs };
        let may_be_adapted = of_all.adapted();
        if may_be_adapted.is_empty() && of_all.unexplained(&may_be_adapted).is_empty() && !runs.is_rebuilt() {
            return Ok(Adaptation::Tests(rewritten));
        }
        let Some(copy) = worktrees.swapped([])? else { return none };
        let swapped = self.run_apart(&worktrees.change, copy.again()?, planned, RunnerTest::None)?;
        let renamed = self.under_other_names(worktrees, TreeState::Base, &copy);
        let ways = vec![(renamed, RENAMED)];
        let (swapped, _) = self.run_with_stand_ins(&worktrees.change, (&copy, ways), planned, swapped)?;
        let of_machine = [GateTrouble::Machine, GateTrouble::MissingTool, GateTrouble::TimedOut];
        if swapped.run.trouble.as_ref().is_some_and(|(kind, _)| of_machine.contains(kind)) {
            // It says nothing of the base's code.
            return Ok(Adaptation::Tests(rewritten));
        }
        let runs = AdaptationRuns { swapped: &swapped.run, ..runs };
        if runs.is_rebuilt() {
            return if self.the_rest_passes(worktrees, planned, &runs)? { Ok(Adaptation::Rebuilt) } else { none };
        }
        let (mut adapted, red) = (runs.adapted(), runs.red_adapted());
        let runs_of_all = AdaptationRuns { touched: &all_touched, ..runs };
        adapted.extend(self.called_for(worktrees, planned, &runs_of_all, &adapted)?);
        Ok(Adaptation::Tests(RewrittenTests { adapted, red, ..rewritten }))
    }

    /// Finds out which tests of the base fail for nothing but parts of the change that its own tests ask for.
    fn called_for(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        planned: Planned<'_>,
        runs: &AdaptationRuns<'_>,
        adapted: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, ReviewError> {
        let (mut open, mut telling) = (runs.unexplained(adapted), runs.telling());
        let mut called = BTreeSet::new();
        if open.is_empty() || telling.is_empty() {
            return Ok(called);
        }
        let parts = parts(self.diff, &self.of_tests, &worktrees.change.copy);
        // Without the only part it is the base.
        if parts.len() == 1 {
            let without = PartRuns { held: runs.base, change: runs.swapped };
            return Ok(runs.called_for(&open, &mut telling, without));
        }
        for part in parts {
            if open.is_empty() || telling.is_empty() {
                break;
            }
            let held = self.run_without(worktrees.get(TreeState::Held), planned, part)?;
            let Some(held) = held.filter(|held| !excuse::passed_in(&open, held).is_empty()) else { continue };
            let Some(change) = self.run_without(&worktrees.change, planned, part)? else { continue };
            called.extend(runs.called_for(&open, &mut telling, PartRuns { held: &held, change: &change }));
            open.retain(|id| !called.contains(id));
        }
        Ok(called)
    }

    /// Runs a gate on a tree without one part of the change, unless the tree has something else in its place.
    fn run_without(
        &mut self,
        tree: &PreparedWorktree,
        planned: Planned<'_>,
        (path, hunk): ChangePart<'_>,
    ) -> Result<Option<GateRun>, CopyError> {
        let text = tree.copy.text(path, FILE_BYTES_MAX as u64).and_then(|text| hunk.undo(&text));
        let Some(text) = text else { return Ok(None) };
        let mut copy = tree.copy.again()?;
        copy.write(path, &text)?;
        Ok(Some(self.run_apart(tree, copy, planned, RunnerTest::None)?.run))
    }

    /// Returns the commit whose work the change takes back, if no test of its own fails that passed on the base.
    fn takes_back(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        planned: Planned<'_>,
        base: &GateRun,
    ) -> Result<Option<String>, ReviewError> {
        let (root, _) = &worktrees.origin;
        let Some(commit) = self.so_far.case.base.as_ref().and_then(|base| taken_back(root, base, self.diff)) else {
            return Ok(None);
        };
        let change = self.run_on_tree(worktrees, TreeState::Change, planned)?;
        Ok(excuse::fails_no_more(&change.run, base).then_some(commit))
    }

    /// Lets each test of the base speak for itself where files of tests cannot be loaded for a name that is not there.
    pub(super) fn with_stand_ins(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        planned: Planned<'_>,
        tree: TreeState,
        ran: GateExecution,
        limits: &mut Vec<String>,
    ) -> Result<GateExecution, CopyError> {
        if tree != TreeState::Held || !is_test_runner(planned.gate) {
            return Ok(ran);
        }
        let Some(held) = &worktrees.held else { return Ok(ran) };
        let renamed = self.under_other_names(worktrees, tree, &held.copy);
        let unsettled = self.without_new_settings(worktrees, &held.copy);
        let held = worktrees.get(tree);
        let ways = vec![(renamed, RENAMED), (unsettled, UNSETTLED)];
        let (again, made) = self.run_with_stand_ins(held, (&held.copy, ways), planned, ran)?;
        if let Some(OtherFiles { paths, why }) = made {
            let name = name_of(planned.gate.id(), &planned.setup.folder);
            let files = listed(&paths.into_iter().collect::<Vec<_>>(), 5);
            limits.push(format!("{name}: {why}, in {files}"));
            self.remember(tree, planned, &again);
        }
        Ok(again)
    }

    /// Returns the files of one tree as they are under the names of the other, so that the tests of that one find what they
    /// test: with the code of the change its files under their old names, and the base's tests with the new names of what they
    /// call; in the base the other way round, and the code that the change adds. Tests are read in the copy that they run on:
    /// others stand beside them in their file.
    ///
    /// Files of languages whose programs are put together by a compiler are left out, but for new packages of Go: it takes
    /// in what lies in its folders, or is told where to find what.
    fn under_other_names(
        &self,
        worktrees: &PreparedWorktrees,
        tree: TreeState,
        run_on: &WorkCopy,
    ) -> BTreeMap<String, String> {
        let Some(base) = worktrees.base.as_ref().map(|base| &base.copy) else { return BTreeMap::new() };
        let change = &worktrees.change.copy;
        let text = |copy: &WorkCopy, path: &str| copy.text(path, FILE_BYTES_MAX as u64);
        let is_found = |path: &str| match Language::of(path).filter(|_| !assize_ecosystem::holds_tests(path)) {
            Some(Language::Go) => !base.files().iter().any(|other| parent(other) == parent(path)),
            Some(language) => language == Language::Python || language.is_script(),
            None => false,
        };
        let files = self.moves.renamed().filter(|(old, new)| is_found(old) && is_found(new));
        let mut found: BTreeMap<String, String> = if tree == TreeState::Held {
            files.filter_map(|(old, new)| Some((old.to_owned(), text(change, new)?))).collect()
        } else {
            let is_added =
                |path: &&str| is_found(path) && change.files().contains(*path) && !base.files().contains(*path);
            let added = self.diff.files.iter().map(|file| file.path.as_str()).filter(is_added);
            let added = added.filter_map(|path| Some((path.to_owned(), text(change, path)?)));
            added.chain(files.filter_map(|(old, new)| Some((new.to_owned(), text(base, old)?)))).collect()
        };
        found.extend(self.tests_with_other_names(worktrees, base, (tree, run_on)));
        found
    }

    /// Returns the files with the tests that run on one tree, with the names that functions, types and constants have there.
    fn tests_with_other_names(
        &self,
        worktrees: &PreparedWorktrees,
        base: &WorkCopy,
        (tree, run_on): (TreeState, &WorkCopy),
    ) -> BTreeMap<String, String> {
        let (before, now) = (self.code_texts(base), self.code_texts(&worktrees.change.copy));
        let mut names = renamed_declarations(&before, &now);
        let is_in = |texts: &[(&str, String)], name: &str| texts.iter().any(|(_, text)| has_word(text, name));
        names.retain(|old, new| !is_in(&now, old) && !is_in(&before, new));
        let renamed = |text: &str| {
            names.iter().fold(text.to_owned(), |text, (old, new)| {
                let (from, to) = if tree == TreeState::Held { (old, new) } else { (new, old) };
                with_name(&text, from, to)
            })
        };
        let changed = worktrees.touched_tests().into_iter().filter_map(|path| {
            let text = run_on.text(&path, FILE_BYTES_MAX as u64)?;
            let now = renamed(&text);
            (now != text).then_some((path, now))
        });
        changed.collect()
    }

    /// Returns the manifests that the change adds, without what they tell runners of tests: those of the base are told nothing.
    fn without_new_settings(&self, worktrees: &PreparedWorktrees, held: &WorkCopy) -> BTreeMap<String, String> {
        let Some(base) = worktrees.base.as_ref().map(|base| &base.copy) else { return BTreeMap::new() };
        let new = self.diff.files.iter().map(|file| &file.path).filter(|path| !base.files().contains(*path));
        let without = |path: &String| {
            let text = held.text(path, FILE_BYTES_MAX as u64)?;
            Some((path.clone(), without_runners(path, &text)?))
        };
        new.filter_map(without).collect()
    }

    /// Runs a gate again on a copy with stand-ins for the names that its tests miss, as long as more tests can be run for
    /// that; first in other ways, each with other files. Returns the last run, and what other files it has and why.
    fn run_with_stand_ins(
        &mut self,
        like: &PreparedWorktree,
        (of, mut ways): (&WorkCopy, Vec<OtherTexts>),
        planned: Planned<'_>,
        ran: GateExecution,
    ) -> Result<(GateExecution, Option<OtherFiles>), CopyError> {
        const MISSING: &str =
            "what the base's tests miss with the change, or what cannot be built of them, fails alone";
        // A compiler speaks of imports first, then of types, then of what is borrowed, and of ten places at a time.
        const ROUNDS_MAX: usize = 6;
        if ran.run.state == GateState::Passed {
            return Ok((ran, None));
        }
        let stood_in = self.stood_in(&ran.run, of);
        ways.push((stood_in, MISSING));
        for (mut missing, why) in ways.into_iter().filter(|(missing, _)| !missing.is_empty()) {
            let (mut copy, mut last, mut paths) = (of.again()?, ran.clone(), BTreeSet::new());
            for _ in 0..ROUNDS_MAX {
                if missing.is_empty() {
                    break;
                }
                for (path, text) in missing {
                    copy.write(&path, &text)?;
                    paths.insert(path);
                }
                last = self.run_apart(like, copy.again()?, planned, RunnerTest::None)?;
                missing = self.stood_in(&last.run, &copy);
            }
            if excuse::says_more(&last.run, &ran.run) {
                // Another name may be the wrong one for something else that bears it.
                excuse::take_passes(&mut last.run, &ran.run);
                return Ok((last, Some(OtherFiles { paths, why })));
            }
        }
        Ok((ran, None))
    }

    /// Returns the new texts of files with which more tests can be run: with stand-ins for names that are missed, or without
    /// what a compiler objects to in tests. It gives up where code that is no test cannot be built either.
    fn stood_in(&self, run: &GateRun, copy: &WorkCopy) -> BTreeMap<String, String> {
        let text = |path: &str| copy.text(path, FILE_BYTES_MAX as u64);
        let appended = stand_ins(run, copy.files()).into_iter().filter_map(|(path, stand_in)| {
            let whole = text(&path).unwrap_or_default();
            (!whole.contains(&stand_in)).then(|| (path, whole + &stand_in))
        });
        let objections = objections(run);
        let is_of_tests = |path: &str| assize_ecosystem::holds_tests(path) || self.of_tests.contains(path);
        let is_asked = |path: &&String| objections.keys().any(|of| may_share(of, path));
        let texts: Vec<(&String, String)> =
            copy.files().iter().filter(is_asked).filter_map(|path| Some((path, text(path)?))).collect();
        let sources: Vec<TestSource<'_>> =
            texts.iter().map(|(path, text)| TestSource { path, text, is_of_tests: is_of_tests(path) }).collect();
        let rewritten = with_failing_bodies(&sources, &objections).unwrap_or_default();
        appended.chain(rewritten).collect()
    }

    /// Runs the tests of the base that can be built with the code of the change, with the change's version of those files
    /// that cannot. Returns whether they pass, as far as that can be found out.
    pub(super) fn the_rest_passes(
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

    /// Finds what the change removes of these names. What code of the change still speaks of is not removed: code that breaks
    /// for it is broken by the change.
    fn gone_declarations(&self, worktrees: &PreparedWorktrees, missed: &BTreeSet<&str>) -> Vec<RemovedDeclaration> {
        let Some(base) = worktrees.base.as_ref().filter(|_| !missed.is_empty()) else { return Vec::new() };
        let (before, now) = (self.code_texts(&base.copy), self.code_texts(&worktrees.change.copy));
        let mut declarations = removed_declarations(&before, &now);
        let is_used = |name: &str| now.iter().any(|(_, text)| has_word(text, name));
        declarations.retain(|it| missed.contains(&*it.name) && !is_used(&it.name));
        let asked = self.asked_elsewhere(&worktrees.change.copy, &declarations);
        declarations.retain(|it| !asked.contains(&it.name));
        declarations
    }

    /// Finds the modules of these names that the change removes and that no code of the change imports any more, each as a
    /// declaration of all that it holds.
    fn gone_modules(&self, worktrees: &PreparedWorktrees, missed: &BTreeSet<&str>) -> Vec<RemovedDeclaration> {
        let Some(base) = worktrees.base.as_ref().filter(|_| !missed.is_empty()) else { return Vec::new() };
        let change = &worktrees.change.copy;
        let (before, now) = (self.code_texts(&base.copy), self.code_texts(change));
        let gone = before.iter().filter(|(path, _)| !change.files().contains(*path));
        let modules = gone.map(|(path, text)| RemovedDeclaration {
            path: (*path).to_owned(),
            name: module_name(path).to_owned(),
            line: 1,
            lines: (1..).zip(text.lines()).map(|(line, _)| line).collect(),
        });
        let is_asked = |module: &RemovedDeclaration| {
            now.iter().any(|(_, text)| asks_for(text, &module.name))
                || !self.asked_elsewhere(change, std::slice::from_ref(module)).is_empty()
        };
        modules.filter(|module| missed.contains(&*module.name) && !is_asked(module)).collect()
    }

    /// The files of code that the change touches and a copy has, with their texts; files of tests are none.
    fn code_texts(&self, copy: &WorkCopy) -> Vec<(&str, String)> {
        let code = self.diff.files.iter().flat_map(|file| [Some(&file.path), file.old_path.as_ref()]).flatten();
        let code: BTreeSet<&str> =
            code.map(String::as_str).filter(|path| is_code(path) && !assize_ecosystem::holds_tests(path)).collect();
        let there = code.into_iter().filter(|path| copy.files().contains(*path));
        there.filter_map(|path| Some((path, copy.text(path, FILE_BYTES_MAX as u64)?))).collect()
    }

    /// Finds out which tests of the base the change removes with what they test: with its code, they or their files say that
    /// something is not there which the change removes, and on the base they fail when all of that is cut off.
    fn removed(
        &mut self,
        worktrees: &PreparedWorktrees,
        planned: Planned<'_>,
        runs: &AdaptationRuns<'_>,
        declarations: &[RemovedDeclaration],
    ) -> Result<BTreeSet<String>, CopyError> {
        let Some(base) = &worktrees.base else { return Ok(BTreeSet::new()) };
        let gone = runs.gone_with_a_name();
        if gone.is_empty() {
            return Ok(gone);
        }
        let word = fresh_word();
        let mut copy = base.copy.again()?;
        for (path, text) in self.code_texts(&base.copy) {
            let of_file = declarations.iter().filter(|it| it.path == path);
            let lines: BTreeSet<u32> = of_file.flat_map(|it| it.lines.iter().copied()).collect();
            // Of a file that is gone, all goes.
            let is_there = worktrees.change.copy.files().contains(path);
            let cut_off = if is_there { with_functions_cut_off } else { with_code_cut_off };
            if let Some(text) = cut_off(path, &text, &lines, &word) {
                copy.write(path, &text)?;
            }
        }
        let cut_off = self.run_apart(base, copy, planned, RunnerTest::None)?;
        Ok(runs.removed_with_their_subject(&gone, &cut_off.run, &word))
    }

    /// Returns the names of what is removed that code which the change does not touch still calls or imports.
    fn asked_elsewhere(&self, change: &WorkCopy, removed: &[RemovedDeclaration]) -> BTreeSet<String> {
        let touched: BTreeSet<&str> = self.diff.files.iter().map(|file| file.path.as_str()).collect();
        let is_other = |path: &&String| {
            is_code(path)
                && !assize_ecosystem::holds_tests(path)
                && !self.of_tests.contains(*path)
                && !touched.contains(path.as_str())
        };
        let mut asked = BTreeSet::new();
        for text in change.files().iter().filter(is_other).filter_map(|path| change.text(path, FILE_BYTES_MAX as u64)) {
            let names = removed.iter().map(|it| &it.name).filter(|name| asks_for(&text, name));
            asked.extend(names.cloned());
        }
        asked
    }

    /// Returns which of these tests pass each time that they are run again.
    pub(super) fn passing_again(
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

    /// Returns which of these tests pass where warnings of deprecation are no errors.
    fn passing_despite_deprecations(
        &mut self,
        of: &PreparedWorktree,
        planned: Planned<'_>,
        ids: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, CopyError> {
        if ids.is_empty() {
            return Ok(BTreeSet::new());
        }
        let (_output, probe) = self.apart(of, of.copy.again()?, planned)?;
        let terms = self.run_terms(planned);
        let watch = &mut *self.watch;
        let quiet = probe.run_despite_deprecations(planned, self.sandbox, &terms, &mut |text| {
            watch(ReviewStep::Printed(text));
        })?;
        Ok(quiet.map(|ran| excuse::passed_in(ids, &ran.run)).unwrap_or_default())
    }

    /// Returns which of these failing tests do not depend on what changed, by running them with every changed function
    /// cut off. With an empty specification, none of them had to be fixed, and all are returned.
    pub(super) fn independent(
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
}

/// Returns the parts of what a change does to code. Of many there are none, and none where a file is gone.
fn parts<'diff>(diff: &'diff Diff, of_tests: &BTreeSet<String>, change: &WorkCopy) -> Vec<ChangePart<'diff>> {
    const PARTS_MAX: usize = 6;
    let is_product = |path: &String| is_code(path) && !assize_ecosystem::holds_tests(path) && !of_tests.contains(path);
    let files: Vec<&FileChange> = diff.files.iter().filter(|file| is_product(&file.path)).collect();
    let parts: Vec<_> =
        files.iter().flat_map(|file| file.hunks.iter().map(|hunk| (file.path.as_str(), hunk))).collect();
    let are_whole = files.iter().all(|file| change.files().contains(&file.path) && file.lines_cut == 0);
    if are_whole && parts.len() <= PARTS_MAX { parts } else { Vec::new() }
}

/// Files that were others for a run than they are in its tree.
struct OtherFiles {
    paths: BTreeSet<String>,
    /// What a report says of them, as the beginning of a sentence.
    why: &'static str,
}

/// What a change does with tests of the base that its code does not pass.
pub(super) enum Adaptation {
    /// It adapts or removes these.
    Tests(RewrittenTests),
    /// It rewrites files that cannot be built with its code otherwise.
    Rebuilt,
    /// It rewrites tests of a script that leaves nothing but its status.
    Script,
    /// It moves all of them.
    Moved,
    /// It takes the work of this commit back, and its tests with it.
    Reverted(String),
}

impl Adaptation {
    /// Reports what the change does with all tests of a runner at once, if it does: those of the base then tell nothing of it.
    pub(super) fn of_whole_run(&self, gate: &str) -> Option<Finding> {
        match self {
            Self::Rebuilt => Some(rewritten(gate, "cannot be built")),
            Self::Script => Some(rewritten(gate, "fail")),
            Self::Reverted(commit) => Some(reverted(gate, commit)),
            Self::Tests(_) | Self::Moved => None,
        }
    }
}

/// Tests of the base that a change adapts or removes, by their ids.
#[derive(Default)]
pub(super) struct RewrittenTests {
    /// It makes these fail and rewrites them.
    adapted: BTreeSet<String>,
    /// These failed before, and it rewrites them so that they pass on the base as well.
    red: BTreeSet<String>,
    /// It removes these with what they test.
    removed: BTreeSet<String>,
    /// They fail for warnings of deprecation alone.
    deprecated: BTreeSet<String>,
}

impl RewrittenTests {
    /// Returns why each is not held against the change.
    pub(super) fn excuses(self) -> impl Iterator<Item = (String, Excuse)> {
        let kinds = [
            (self.adapted, Excuse::Adapted),
            (self.red, Excuse::RedAdapted),
            (self.removed, Excuse::Removed),
            (self.deprecated, Excuse::Deprecated),
        ];
        kinds.into_iter().flat_map(|(ids, excuse)| ids.into_iter().map(move |id| (id, excuse)))
    }
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

/// Reports tests of the base that have another outcome with the code of the change, which rewrites them.
fn rewritten(gate: &str, outcome: &str) -> Finding {
    let what = format!("tests of the base {outcome} with the code of the change, which rewrites them");
    tests_adapted(gate, &what, CHECK_EXPECTATIONS)
}

/// Reports that the change takes back what a commit brought, and tests of the base with it.
fn reverted(gate: &str, commit: &str) -> Finding {
    const SHOWN: usize = 12;
    let commit = &commit[..commit.len().min(SHOWN)];
    let what = format!("the change takes back what commit {commit} brought, and tests of the base with it");
    tests_adapted(gate, &what, "that is to be taken back")
}

/// Reports the tests that the change adapts, and those that it removes.
pub(super) fn by_change(gate: &str, excuses: &Excuses) -> Vec<Finding> {
    const SHOWN: usize = 5;
    let reported = |(of, does, check): (Excuse, &str, &str)| {
        let ids: Vec<&str> = excuses.iter().filter(|(_, excuse)| **excuse == of).map(|(id, _)| id.as_str()).collect();
        let what = || format!("the change {does}: {}", listed(&ids, SHOWN));
        (!ids.is_empty()).then(|| tests_adapted(gate, &what(), check))
    };
    let kinds = [
        (Excuse::Adapted, "makes tests of the base fail and rewrites them", CHECK_EXPECTATIONS),
        (
            Excuse::RedAdapted,
            "rewrites tests that failed on the base, so that they pass there without its code",
            "the tests were wrong, and not the code",
        ),
        (Excuse::Removed, "removes tests of the base with the code that they test", "that code is to go"),
        (Excuse::Deprecated, "deprecates what tests of the base use, and rewrites them", "it is to be deprecated"),
    ];
    kinds.into_iter().filter_map(reported).collect()
}

/// The last part of the name by which a file is imported.
fn module_name(path: &str) -> &str {
    let stem = file_name(path).split('.').next().unwrap_or_default();
    if matches!(stem, "index" | "__init__" | "mod") { file_name(parent(path)) } else { stem }
}

/// Returns whether code calls what bears a name, takes it out of something, or imports it, rather than declares it.
fn asks_for(text: &str, name: &str) -> bool {
    const IMPORTS: [&str; 4] = ["import", "use ", "require", "export {"];
    const DECLARES: [&str; 4] = ["def ", "fn ", "func ", "function "];
    text.lines().filter(|line| has_word(line, name)).any(|line| {
        let taken = [".", "::", "->"].iter().any(|joint| line.contains(&format!("{joint}{name}")));
        let called = line.contains(&format!("{name}("));
        let declared = DECLARES.iter().any(|word| line.contains(&format!("{word}{name}")));
        !declared && (taken || called || IMPORTS.iter().any(|word| line.contains(word)))
    })
}
