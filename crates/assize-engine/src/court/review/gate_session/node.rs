//! Chooses the version of Node with which the tests of a project run.

use std::collections::BTreeSet;

use assize_ecosystem::node_version::NamedNode;
use assize_gate::gate::{GateState, GateTrouble};
use assize_gate::status_alone::is_status_alone;
use assize_report::TestOutcome;

use super::{BaseLookup, GateSession, Planned, PreparedWorktrees, is_test_runner};
use crate::court::review::{ReviewStep, not_installed, prepare};
use crate::gate::{GateExecution, PreparedWorktree};
use crate::work_copy::CopyError;

/// The ecosystem whose tests are meant.
const NODE: &str = "node";

/// How it begins what the report says of another version of Node.
pub(in crate::court::review) const NODE_RAN: &str = "Node ";

/// What the tests of JavaScript came to on a copy of the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct TestCounts {
    passed: usize,
    failed: usize,
}

impl TestCounts {
    fn of(base: &PreparedWorktree, ran: &GateExecution) -> Self {
        let count = |outcome| ran.run.cases().filter(|case| case.outcome == outcome).count();
        if is_status_alone(&ran.run) {
            return Self { passed: 1, failed: 0 };
        }
        // A runner that comes to no result has failed as a whole. Where no package could be installed, all tools are missing,
        // and another version of Node may install them.
        let is_missing = matches!(ran.run.trouble, Some((GateTrouble::MissingTool, _))) && base.has_node_packages();
        let whole = usize::from(ran.run.state != GateState::Passed && !is_missing);
        Self { passed: count(TestOutcome::Passed), failed: count(TestOutcome::Failed).max(whole) }
    }

    fn any_fails(self) -> bool {
        self.failed > 0
    }

    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// Another version of Node that everything runs with.
pub(super) struct ChosenNode {
    /// What the report says of it.
    pub(super) note: String,
    /// What could not be installed with it.
    pub(super) not_installed: BTreeSet<String>,
}

/// Returns whether another version of Node may be what tests lack that ran on a copy.
pub(super) fn may_lack_node(planned: Planned<'_>, on: &PreparedWorktree, ran: &GateExecution) -> bool {
    is_of_node(planned, on) && TestCounts::of(on, ran).any_fails()
}

fn is_of_node(planned: Planned<'_>, base: &PreparedWorktree) -> bool {
    let command = planned.gate.command(planned.setup, &base.project);
    is_test_runner(planned.gate) && command.ecosystem().is_some_and(|ecosystem| ecosystem.id == NODE)
}

impl GateSession<'_> {
    /// Has everything run with a version of Node that the project names, if tests fail on the base with the installed
    /// version, and more pass with that one. Where there is no base, the tree stands for it.
    pub(super) fn choose_node(&mut self, worktrees: &mut PreparedWorktrees) -> Result<Option<ChosenNode>, CopyError> {
        let PreparedWorktrees { base, change, .. } = worktrees;
        let base = base.as_mut().unwrap_or(change);
        let Some(installed) = base.node_version() else { return Ok(None) };
        let Some(named) = base.other_node(&installed) else { return Ok(None) };
        let before = self.tests_of_node(base)?;
        if !before.any_fails() {
            return Ok(None);
        }
        let because = format!("as {} names it: with {installed}, which is installed, fewer tests pass", named.source);
        let on = if worktrees.base.is_some() { " on the base" } else { "" };
        let not_installed = self.take_node(worktrees, &named, before.passed + 1)?;
        Ok(not_installed.map(|not_installed| ChosenNode {
            note: format!("{NODE_RAN}{} ran, {because}{on}", named.major),
            not_installed,
        }))
    }

    /// Has everything run with the version of Node that the change names in place of the base's, if the tests of the base
    /// pass with it as well.
    pub(super) fn choose_node_of_change(
        &mut self,
        worktrees: &mut PreparedWorktrees,
    ) -> Result<Option<ChosenNode>, CopyError> {
        let Some(base) = &mut worktrees.base else { return Ok(None) };
        let Some(installed) = base.node_version() else { return Ok(None) };
        let Some(named) = worktrees.change.other_node(&installed).filter(|named| named.replaces_installed) else {
            return Ok(None);
        };
        if base.other_node(&installed).is_some_and(|of_base| of_base.replaces_installed) {
            return Ok(None);
        }
        let before = self.tests_of_node(base)?;
        let not_installed = self.take_node(worktrees, &named, before.passed)?;
        let because = format!("as {} of the change names it in place of {installed}, which is installed", named.source);
        Ok(not_installed.map(|not_installed| ChosenNode {
            note: format!("{NODE_RAN}{} ran, {because}", named.major),
            not_installed,
        }))
    }

    /// Takes a version of Node for all copies, if at least so many tests of the base pass with it, or of the tree where there
    /// is none. What the project depends on is installed anew for it, and what was found out before is forgotten. Returns what
    /// could not be installed then.
    fn take_node(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        named: &NamedNode,
        passed_min: usize,
    ) -> Result<Option<BTreeSet<String>>, CopyError> {
        (self.watch)(ReviewStep::Preparing { because: &named.source, printed: "" });
        let (terms, sandbox) = (self.terms, self.sandbox);
        let with_node =
            |worktree: &PreparedWorktree| worktree.with_node(named.major, sandbox, &terms.gates.preparation);
        let Some(mut first) = with_node(worktrees.base.as_ref().unwrap_or(&worktrees.change))? else {
            return Ok(None);
        };
        let mut results = prepare(&mut first, sandbox, terms, (&worktrees.source, None), self.watch)?;
        if self.tests_of_node(&mut first)?.passed < passed_min {
            return Ok(None);
        }
        let PreparedWorktrees { base, held, change, source, .. } = worktrees;
        if let Some(base) = base {
            // All of them have it, or none.
            let mut others = Vec::new();
            for worktree in held.iter().chain([&*change]) {
                let Some(mut other) = with_node(worktree)? else { return Ok(None) };
                results.extend(prepare(&mut other, sandbox, terms, (source, Some(&first.copy)), self.watch)?);
                others.push(other);
            }
            for (worktree, other) in held.iter_mut().chain([change]).zip(others) {
                *worktree = other;
            }
            *base = first;
        } else {
            *change = first;
        }
        self.of_change.clear();
        self.of_held.clear();
        self.of_base.clear();
        self.sees_canary.clear();
        self.needs_build.clear();
        self.base_build = None;
        Ok(Some(not_installed(results)))
    }

    /// Counts the tests of JavaScript that pass and fail on a copy of the base, as they are or once it is built.
    fn tests_of_node(&mut self, base: &mut PreparedWorktree) -> Result<TestCounts, CopyError> {
        let mut all = TestCounts::default();
        for (gate, setup) in self.plan(base).due {
            if !is_of_node(Planned { gate, setup: &setup }, base) {
                continue;
            }
            let ran = self.find_out(base, Planned { gate, setup: &setup }, BaseLookup::Taken)?;
            let mut counts = TestCounts::of(base, &ran);
            let built = gate.built(&setup, &base.project).filter(|_| counts.any_fails());
            if let Some(setup) = built {
                let ran = self.find_out(base, Planned { gate, setup: &setup }, BaseLookup::Taken)?;
                counts = [counts, TestCounts::of(base, &ran)].into_iter().max_by_key(|it| it.passed).unwrap_or(counts);
            }
            all.add(counts);
        }
        Ok(all)
    }
}
