//! Whether the tests that a change adds notice faults in the code that it changes.
//!
//! They run on the code of the base and on mutants of the changed lines. A test that passes everywhere proves nothing.
//! One mutant that survives is information: it may do what the code did. Tests are called hollow where nothing fails:
//! no mutant of several, nor the base. This module weighs runs; it must not know who makes them.

use std::collections::BTreeSet;

use assize_core::finding::{Certainty, Finding, Severity};
use assize_report::{TestCase, TestOutcome};
use assize_syntax::mutant::MutationOperator;
use serde::{Deserialize, Serialize};

use crate::excuse::{file_of, passed_in};
use crate::gate::{GateRun, GateTrouble};

/// The fewest mutants that must have survived before tests are called hollow. One in which every changed function fails
/// counts for all.
pub const SURVIVORS_MIN: usize = 3;

/// What became of the tests that a change adds, for one gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MutationReport {
    /// The gate that runs them, as results show it.
    pub gate: String,
    /// How many tests the change adds.
    pub tests: usize,
    /// How many of them fail on the code of the base; `None` where they did not come to run there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_on_base: Option<usize>,
    /// The mutants that ran.
    pub mutants: Vec<MutantResult>,
    /// How many more there was no time for.
    #[serde(default, skip_serializing_if = "crate::exec_report::is_zero")]
    pub not_run: usize,
}

/// What became of one mutant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MutantResult {
    /// The file; `None` where every changed function fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What it does.
    pub operator: MutationOperator,
    /// The line as the change wrote it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// The line with the fault.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub after: String,
    /// What the tests said.
    pub outcome: MutantOutcome,
}

/// What tests say of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MutantOutcome {
    /// At least one of them no longer passes.
    Killed,
    /// All of them pass.
    Survived,
    /// They could not run: it does not build, or the machine kept them from it.
    Unbuilt,
}

/// Returns the tests that a change adds: they pass, the base has none of the name, and they stand in a file that the
/// change touches, where the runner says in which.
pub fn added_tests(change: &GateRun, base: Option<&GateRun>, touched: &BTreeSet<String>) -> BTreeSet<String> {
    let before: BTreeSet<&str> = base.into_iter().flat_map(GateRun::cases).map(|case| case.id.as_str()).collect();
    let is_added = |case: &&TestCase| {
        case.outcome == TestOutcome::Passed
            && !before.contains(&*case.id)
            && file_of(case).is_none_or(|path| touched.contains(path))
    };
    change.cases().filter(is_added).map(|case| case.id.clone()).collect()
}

/// Returns what the tests say of a mutant.
pub fn outcome(tests: &BTreeSet<String>, run: &GateRun) -> MutantOutcome {
    let of_machine = [GateTrouble::MissingTool, GateTrouble::NoSandbox, GateTrouble::Machine, GateTrouble::OverLimit];
    if run.trouble.as_ref().is_some_and(|(trouble, _)| of_machine.contains(trouble)) {
        return MutantOutcome::Unbuilt;
    }
    let is_unbuilt = run.report.as_ref().is_some_and(|report| {
        let is_red = report.diagnostics.iter().any(|found| found.severity == Severity::Error);
        is_red && report.tests.as_ref().is_none_or(|tests| tests.executed() == 0)
    });
    if is_unbuilt {
        MutantOutcome::Unbuilt
    } else if passed_in(tests, run).len() == tests.len() {
        MutantOutcome::Survived
    } else {
        MutantOutcome::Killed
    }
}

/// Returns how many of the tests fail on the code of the base. `None` where they did not come to run there, as where they
/// use a name that only the change has.
pub fn failing_on_base(tests: &BTreeSet<String>, run: &GateRun) -> Option<usize> {
    let ran: Vec<&TestCase> = run.cases().filter(|case| tests.contains(&case.id)).collect();
    let failed = ran.iter().filter(|case| case.outcome == TestOutcome::Failed).count();
    (failed > 0 || ran.len() == tests.len()).then_some(failed)
}

impl MutationReport {
    /// How many mutants had this outcome.
    pub fn count(&self, outcome: MutantOutcome) -> usize {
        self.mutants.iter().filter(|mutant| mutant.outcome == outcome).count()
    }

    /// Returns whether no run on faulty code or on that of the base failed, and enough were made.
    pub fn is_hollow(&self) -> bool {
        let cut_off_survived = self
            .mutants
            .iter()
            .any(|mutant| mutant.operator == MutationOperator::CutOff && mutant.outcome == MutantOutcome::Survived);
        // That a test notices when nothing works says little.
        let killed = |mutant: &MutantResult| {
            mutant.operator != MutationOperator::CutOff && mutant.outcome == MutantOutcome::Killed
        };
        let is_enough = cut_off_survived || self.count(MutantOutcome::Survived) >= SURVIVORS_MIN;
        !self.mutants.iter().any(killed) && self.fail_on_base.is_none_or(|failed| failed == 0) && is_enough
    }

    /// Says that the tests are hollow, with the mutant that they missed.
    pub fn finding(&self) -> Option<Finding> {
        if !self.is_hollow() {
            return None;
        }
        let missed = self.mutants.iter().filter(|mutant| mutant.outcome == MutantOutcome::Survived);
        let missed = missed.min_by_key(|mutant| mutant.operator)?;
        let tests = if self.tests == 1 {
            "The test that the change adds passes".to_owned()
        } else {
            format!("All {} tests that the change adds pass", self.tests)
        };
        let base = if self.fail_on_base.is_some() { "with the code of the base, and " } else { "" };
        let fault = match missed.operator {
            MutationOperator::CutOff => "where every changed function fails at once".to_owned(),
            _ => {
                let count = self.count(MutantOutcome::Survived);
                format!(
                    "with each of {count} faults in the changed lines, such as `{}` for `{}`",
                    missed.after, missed.before
                )
            }
        };
        Some(Finding {
            rule: "hollow-tests".to_owned(),
            severity: Severity::Error,
            certainty: Certainty::Likely,
            path: missed.path.clone(),
            line: missed.line,
            message: format!("{}: {tests} {base}{fault}.", self.gate),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec_report::testing::tested;
    use crate::gate::GateState;

    fn ids(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn mutant(operator: MutationOperator, outcome: MutantOutcome) -> MutantResult {
        let (before, after) = ("a < b".to_owned(), "a >= b".to_owned());
        MutantResult { path: Some("a.py".to_owned()), line: Some(3), operator, before, after, outcome }
    }

    fn report(fail_on_base: Option<usize>, mutants: Vec<MutantResult>) -> MutationReport {
        MutationReport { gate: "pytest".to_owned(), tests: 2, fail_on_base, mutants, not_run: 0 }
    }

    #[test]
    fn tests_that_pass_and_that_the_base_lacks_are_added() {
        use TestOutcome::*;
        let base = tested(&[("t.py::a", Passed)]);
        let change = tested(&[
            ("t.py::a", Passed),
            ("t.py::b", Passed),
            ("t.py::c", Skipped),
            ("u.py::d", Passed),
            ("p x", Passed),
        ]);
        assert_eq!(added_tests(&change, Some(&base), &ids(&["t.py"])), ids(&["p x", "t.py::b"]));
        assert_eq!(added_tests(&change, None, &ids(&["u.py"])), ids(&["p x", "u.py::d"]));
    }

    #[test]
    fn a_mutant_is_killed_by_any_test_that_no_longer_passes() {
        use TestOutcome::*;
        let tests = ids(&["a", "b"]);
        assert_eq!(outcome(&tests, &tested(&[("a", Passed), ("b", Passed), ("c", Failed)])), MutantOutcome::Survived);
        assert_eq!(outcome(&tests, &tested(&[("a", Passed), ("b", Failed)])), MutantOutcome::Killed);
        assert_eq!(outcome(&tests, &tested(&[("a", Passed)])), MutantOutcome::Killed, "it is gone");
        let trouble = |kind| GateRun { state: GateState::Errored, trouble: Some((kind, String::new())), report: None };
        assert_eq!(outcome(&tests, &trouble(GateTrouble::TimedOut)), MutantOutcome::Killed);
        assert_eq!(outcome(&tests, &trouble(GateTrouble::Machine)), MutantOutcome::Unbuilt);
    }

    #[test]
    fn what_does_not_run_on_the_base_says_nothing() {
        use TestOutcome::*;
        let tests = ids(&["a", "b"]);
        assert_eq!(failing_on_base(&tests, &tested(&[("a", Passed), ("b", Failed)])), Some(1));
        assert_eq!(failing_on_base(&tests, &tested(&[("a", Passed), ("b", Passed)])), Some(0));
        assert_eq!(failing_on_base(&tests, &tested(&[("a", Passed), ("file", Failed)])), None);
    }

    #[test]
    fn tests_are_hollow_where_nothing_makes_them_fail() {
        use MutantOutcome::*;
        use MutationOperator::*;
        let survived = |count| vec![mutant(Negate, Survived); count];
        let with = |mut mutants: Vec<_>, more| {
            mutants.push(more);
            mutants
        };
        for (fail_on_base, mutants, expected) in [
            (None, survived(SURVIVORS_MIN), true),
            (Some(0), survived(SURVIVORS_MIN), true),
            (Some(1), survived(SURVIVORS_MIN), false),
            (None, survived(SURVIVORS_MIN - 1), false),
            (None, with(survived(SURVIVORS_MIN - 1), mutant(Negate, Unbuilt)), false),
            (None, with(survived(SURVIVORS_MIN), mutant(Negate, Killed)), false),
            (None, with(survived(SURVIVORS_MIN), mutant(CutOff, Killed)), true),
            (None, vec![mutant(CutOff, Survived)], true),
            (None, vec![mutant(CutOff, Unbuilt)], false),
        ] {
            let report = report(fail_on_base, mutants);
            assert_eq!(report.is_hollow(), expected, "{report:?}");
        }
    }

    #[test]
    fn the_finding_names_the_mutant_that_was_missed() {
        let found =
            report(Some(0), vec![mutant(MutationOperator::Negate, MutantOutcome::Survived); 3]).finding().unwrap();
        assert_eq!((found.path.as_deref(), found.line), (Some("a.py"), Some(3)));
        assert_eq!(
            found.message,
            "pytest: All 2 tests that the change adds pass with the code of the base, and with each of 3 faults in the changed \
             lines, such as `a >= b` for `a < b`."
        );
    }
}
