//! Chooses the version of Node with which the tests of a project run.

use assize_gate::gate::{GateState, GateTrouble};
use assize_gate::status_alone::is_status_alone;
use assize_report::TestOutcome;

use super::{BaseLookup, GateSession, Planned, PreparedWorktrees, is_test_runner};
use crate::court::review::prepare;
use crate::gate::{GateExecution, PreparedWorktree};
use crate::work_copy::CopyError;

/// The ecosystem whose tests are meant.
const NODE: &str = "node";

impl GateSession<'_> {
    /// Has tests run with a version of Node that the project names, if not one passes on the base with the installed
    /// version, and some do with that one. What the project depends on is installed anew for it.
    pub(super) fn choose_node(
        &mut self,
        worktrees: &mut PreparedWorktrees,
        limits: &mut Vec<String>,
    ) -> Result<(), CopyError> {
        let Some(base) = &mut worktrees.base else { return Ok(()) };
        if !base.project.files.contains("package.json") {
            return Ok(());
        }
        let Some(installed) = base.node_version() else { return Ok(()) };
        let Some(named) = base.other_node(&installed) else { return Ok(()) };
        if self.runs_well(base)? != Some(false) {
            return Ok(());
        }
        let (terms, sandbox) = (self.terms, self.sandbox);
        let with_node =
            |worktree: &PreparedWorktree| worktree.with_node(named.major, sandbox, &terms.gates.preparation);
        let Some(mut of_base) = with_node(base)? else { return Ok(()) };
        prepare(&mut of_base, sandbox, terms, (&worktrees.source, None), self.watch)?;
        if self.runs_well(&mut of_base)? != Some(true) {
            return Ok(());
        }
        for worktree in worktrees.held.iter_mut().chain([&mut worktrees.change]) {
            if let Some(mut other) = with_node(worktree)? {
                prepare(&mut other, sandbox, terms, (&worktrees.source, Some(&of_base.copy)), self.watch)?;
                *worktree = other;
            }
        }
        limits.push(format!(
            "Node {} ran, as {} names it: with {installed}, which is installed, no test passes on the base",
            named.major, named.source
        ));
        worktrees.base = Some(of_base);
        Ok(())
    }

    /// Returns whether any test of JavaScript passes on a copy of the base. `None` where there are none, or where the runner
    /// itself is missing.
    fn runs_well(&mut self, base: &mut PreparedWorktree) -> Result<Option<bool>, CopyError> {
        let mut answer = None;
        for (gate, setup) in self.plan(base).due {
            let is_asked = is_test_runner(gate)
                && gate.command(&setup, &base.project).ecosystem().is_some_and(|ecosystem| ecosystem.id == NODE);
            if !is_asked {
                continue;
            }
            // Tests may need what a script builds.
            let built = gate.built(&setup, &base.project);
            for setup in std::iter::once(setup).chain(built) {
                let ran = self.find_out(base, Planned { gate, setup: &setup }, BaseLookup::Taken)?;
                if passes(&ran) {
                    return Ok(Some(true));
                }
                if !matches!(ran.run.trouble, Some((GateTrouble::MissingTool, _))) {
                    answer = Some(false);
                }
            }
        }
        Ok(answer)
    }
}

fn passes(ran: &GateExecution) -> bool {
    ran.run.state == GateState::Passed
        || is_status_alone(&ran.run)
        || ran.run.cases().any(|case| case.outcome == TestOutcome::Passed)
}
