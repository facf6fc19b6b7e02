//! What the gates found, all together.
//!
//! [`GateResult::of`] says what one gate's run means for a change, against the run of the same gate on
//! the base; [`ExecReport`] is the sum. Neither decides: that is the court's business.

#[cfg(any(test, feature = "testing"))]
pub mod testing;

use std::collections::{BTreeMap, BTreeSet};

use assize_core::finding::{Finding, Severity};
use assize_core::text::{beginning, ending, first_line};
use assize_ecosystem::test_kind::{TestKind, kind_of};
use assize_report::{Diagnostic, TestCase, TestOutcome, TestRun};
use serde::{Deserialize, Serialize};

use crate::comparison::{Moves, TestComparison, compare_tests, new_diagnostics};
use crate::excuse::{Excuse, Excuses};
use crate::gate::{Dimension, Gate, GateRun, GateState, GateTrouble};
use crate::mutation::MutationReport;

/// The most characters of a reason why a gate is not ready, in one line of it.
const WHY_CHARS_MAX: usize = 300;
/// Most new diagnostics of a gate that are kept; the rest is counted.
pub const NEW_DIAGNOSTICS_MAX: usize = 200;
/// Most tests of a gate that are named: failing ones, missing ones, ones that no longer run.
pub const TESTS_NAMED_MAX: usize = 200;
/// Longest message of a failing test that is kept, in characters.
pub const TEST_MESSAGE_CHARS_MAX: usize = 1_000;
/// Lines of a log that are kept, from its end.
pub const LOG_LINES_MAX: usize = 20;
/// Longest line of a log that is kept, in characters.
pub const LOG_LINE_CHARS_MAX: usize = 300;

/// Everything that the gates say of a change.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExecReport {
    /// New objections of linters and formatters.
    pub lint_errors: Vec<String>,
    /// New objections of compilers and type checkers.
    pub type_errors: Vec<String>,
    /// The tests.
    pub test: TestTotals,
    /// Faults of schemas.
    pub schema_errors: Vec<String>,
    /// Imports that break a boundary.
    pub boundary_errors: Vec<String>,
    /// The ends of the logs of gates that did not pass.
    pub logs_tail: Vec<String>,
    /// Every gate.
    pub gates: Vec<GateResult>,
    /// Whether the tests that the change adds notice faults in it, for each gate that was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutation: Vec<MutationReport>,
    /// How far the gates were held back from the machine; `None` when none ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// Why nothing is known of a dimension, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unknown: BTreeMap<String, String>,
}

/// The tests of all runners together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TestTotals {
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed and are not excused.
    pub failed: usize,
    /// Tests that failed and are excused.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub excused: usize,
    /// Tests that were not run, by their own word.
    pub skipped: usize,
    /// Tests that a filter left out.
    pub deselected: usize,
    /// Tests that failed as they were marked to.
    pub expected_failures: usize,
    /// Tests that passed although they were marked to fail.
    pub unexpected_passes: usize,
    /// What failed, one line each.
    pub details: Vec<String>,
    /// Share of lines that tests cover, in per cent; `None` where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage_pct: Option<f64>,
}

/// What one gate says of a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateResult {
    /// The gate.
    pub id: String,
    /// The folder that it ran in, relative to the root; empty for the root.
    #[serde(default)]
    pub folder: String,
    /// By what it was recognized.
    pub because: String,
    /// What its objections count against.
    pub dimensions: Vec<Dimension>,
    /// Which state of the tests it ran.
    #[serde(default)]
    pub tests_of: TestsOf,
    /// How it ended. Objections that the base has as well do not make it fail.
    pub state: GateState,
    /// Why it came to no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<TroubleReport>,
    /// New objections that count.
    #[serde(default)]
    pub new: Vec<Diagnostic>,
    /// New objections beyond [`NEW_DIAGNOSTICS_MAX`].
    #[serde(default)]
    pub new_left_out: usize,
    /// Objections that the base has as well.
    #[serde(default)]
    pub known: usize,
    /// The tests that it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestSummary>,
    /// Share of lines that tests cover, in per cent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage_pct: Option<f64>,
    /// How long it took, in milliseconds.
    pub time_ms: u64,
    /// The command, for a shell.
    pub command: String,
    /// The end of its log when it did not pass.
    #[serde(default)]
    pub log: Vec<String>,
}

/// Which tests a runner was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TestsOf {
    /// Those of the base, with its configuration: they decide.
    #[default]
    Base,
    /// Those that the change brings, with its configuration. They can fail, and prove little.
    Change,
}

/// Why a gate came to no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TroubleReport {
    /// The kind of reason.
    pub kind: GateTrouble,
    /// The reason in words.
    pub detail: String,
    /// The command that makes the gate ready, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_by: Option<String>,
}

/// The tests of one gate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestSummary {
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed and are not excused.
    pub failed: usize,
    /// Tests that failed and are excused.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub excused: usize,
    /// Tests that were not run, by their own word.
    pub skipped: usize,
    /// Tests that a filter left out.
    pub deselected: usize,
    /// Tests that failed as they were marked to.
    pub expected_failures: usize,
    /// Tests that passed although they were marked to fail.
    pub unexpected_passes: usize,
    /// How many of those that ran are about edge cases.
    pub edge: usize,
    /// Failing tests, at most [`TESTS_NAMED_MAX`].
    pub failing: Vec<FailingTest>,
    /// How many failing tests are about edge cases.
    pub edge_failed: usize,
    /// How they stand against those of the base; `None` when there is nothing to compare with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_base: Option<TestComparison>,
    /// The tests that passed, by their ids. They are not kept on record.
    #[serde(skip)]
    pub passed_ids: Vec<String>,
    /// The tests that did not run, by their ids. They are not kept on record.
    #[serde(skip)]
    pub skipped_ids: Vec<String>,
}

/// A test that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailingTest {
    /// Its name.
    pub id: String,
    /// The file that it stands in, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether it is about an edge case.
    pub edge: bool,
    /// Whether it failed in the base as well.
    pub failed_before: bool,
    /// Whether it passed in the base: then it is broken now.
    #[serde(default)]
    pub passed_before: bool,
    /// Why it is not held against the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excuse: Option<Excuse>,
    /// What it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

pub(crate) fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl FailingTest {
    /// Returns the line of its message that says most: the one that names what was expected or went wrong.
    pub fn says(&self) -> Option<&str> {
        const TELLING: [&str; 7] = ["Error", "assert", "panicked", "expected", "Expected", "!==", "did not"];
        let lines =
            || self.message.iter().flat_map(|message| message.lines()).map(str::trim).filter(|line| !line.is_empty());
        lines().find(|line| TELLING.iter().any(|word| line.contains(word))).or_else(|| lines().next())
    }
}

/// What is known of a gate's run besides its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Circumstances<'a> {
    /// The gate.
    pub id: &'a str,
    /// The folder that it ran in.
    pub folder: &'a str,
    /// By what it was recognized.
    pub because: &'a str,
    /// What its objections count against.
    pub dimensions: &'a [Dimension],
    /// The least severity that counts.
    pub fails_at: Severity,
    /// Which state of the tests it ran.
    pub tests_of: TestsOf,
    /// How long it took, in milliseconds.
    pub time_ms: u64,
    /// The command, for a shell.
    pub command: String,
    /// What it printed.
    pub output: &'a str,
    /// The words that mark tests of edge cases.
    pub edge_words: &'a BTreeSet<String>,
    /// The failing tests that are excused.
    pub excuses: &'a Excuses,
    /// The command that prepares the folder, where one is known.
    pub ready_by: Option<&'a str>,
}

/// The most tests for each that passes that may fail on the base as well. Beyond it, what passes shows nothing of a change.
const RED_FOR_ONE_PASSED_MAX: usize = 9;

impl GateResult {
    /// Says what a gate's run means for a change. `base` is the same gate's run on the base; without one, everything
    /// counts as new.
    pub fn of(run: &GateRun, base: Option<&GateRun>, moves: &Moves, about: &Circumstances<'_>) -> Self {
        let report = run.report.as_ref();
        let tests_before = base.and_then(|base| base.report.as_ref()).and_then(|report| report.tests.as_ref());
        let tests = report.and_then(|report| report.tests.as_ref());
        let summary = tests.map(|tests| TestSummary::of(tests, tests_before, about));
        let failed_tests = summary.as_ref().map_or(0, |summary| summary.failed);
        let excused = summary.as_ref().map_or(0, |summary| summary.excused);
        let is_adapted = about.excuses.values().any(|excuse| excuse.is_by_change());
        let shows_nothing = !is_adapted
            && summary.as_ref().is_some_and(|summary| match about.tests_of {
                TestsOf::Base => summary.passed * RED_FOR_ONE_PASSED_MAX < excused,
                TestsOf::Change => summary.passed == 0,
            });
        let ObjectionSplit { mut new, known, beyond } =
            ObjectionSplit::of(run, base, moves, about.fails_at, failed_tests + excused);
        let new_left_out = new.len().saturating_sub(NEW_DIAGNOSTICS_MAX) + beyond;
        new.truncate(NEW_DIAGNOSTICS_MAX);
        let runs_tests = about.dimensions.contains(&Dimension::TestsFunctional);
        let nothing_new = new.is_empty() && new_left_out == 0 && failed_tests == 0;
        let (state, trouble) = match run.state {
            GateState::Passed if runs_tests && executed(run) == 0 && !measures_coverage_alone(run) => {
                came_to_no_test(run, base, moves)
            }
            GateState::Failed if nothing_new && known > 0 && runs_tests => came_to_no_test(run, base, moves),
            GateState::Failed if nothing_new && excused > 0 && shows_nothing => {
                let passed = summary.as_ref().map_or(0, |summary| summary.passed);
                let detail = match passed {
                    0 => "every test fails, on the base as well".to_owned(),
                    _ => format!("{excused} of {} tests fail, on the base as well", passed + excused),
                };
                (GateState::NotReady, Some(TroubleReport { kind: GateTrouble::NoTests, detail, ready_by: None }))
            }
            GateState::Failed if nothing_new && known + excused > 0 => (GateState::Passed, None),
            GateState::Errored => {
                let (kind, detail) = run.trouble.clone().unwrap_or((GateTrouble::NoReport, String::new()));
                let state = if is_to_blame(kind, runs_tests, base) { GateState::Errored } else { GateState::NotReady };
                let ready_by = about.ready_by.filter(|_| state == GateState::NotReady && may_lack_packages(kind));
                let ready_by = ready_by.map(str::to_owned);
                (state, Some(TroubleReport { kind, detail, ready_by }))
            }
            state => (state, None),
        };
        let log = if state == GateState::Passed { Vec::new() } else { log_tail(about.output) };
        Self {
            id: about.id.to_owned(),
            folder: about.folder.to_owned(),
            because: about.because.to_owned(),
            dimensions: about.dimensions.to_vec(),
            tests_of: about.tests_of,
            state,
            trouble,
            new,
            new_left_out,
            known,
            tests: summary,
            coverage_pct: report.and_then(|report| report.coverage_pct),
            time_ms: about.time_ms,
            command: about.command.clone(),
            log,
        }
    }

    /// Returns the gate with the folder that it ran in.
    pub fn name(&self) -> String {
        let of = if self.tests_of == TestsOf::Change { " (tests of the change)" } else { "" };
        if self.folder.is_empty() { format!("{}{of}", self.id) } else { format!("{} in {}{of}", self.id, self.folder) }
    }

    /// Says why the gate is not ready, and what makes it ready.
    pub fn why_not_ready(&self) -> String {
        let (why, by) = match &self.trouble {
            Some(trouble) => (trouble.detail.as_str(), trouble.ready_by.as_deref()),
            None => ("no reason is known", None),
        };
        let by = by.map_or_else(String::new, |command| format!("; `{command}` makes it ready"));
        let why = first_line(why);
        let why = beginning(&why, WHY_CHARS_MAX);
        format!("{} is not ready: {why}{by}", self.name())
    }

    /// Returns whether the gate runs tests.
    pub fn is_test_runner(&self) -> bool {
        self.dimensions.contains(&Dimension::TestsFunctional)
    }

    /// Says what is known of a dimension: whether it holds, or `None` when the gate says nothing of it.
    pub fn holds(&self, dimension: Dimension) -> Option<bool> {
        let concerns = self.dimensions.contains(&dimension)
            || dimension == Dimension::TestsEdge && self.dimensions.contains(&Dimension::TestsFunctional);
        if !concerns || matches!(self.state, GateState::Absent | GateState::NotReady) {
            return None;
        }
        let is_of_tests = matches!(dimension, Dimension::TestsFunctional | Dimension::TestsEdge);
        if is_of_tests && self.state == GateState::Passed && self.tests.is_none() && self.coverage_pct.is_some() {
            return None;
        }
        let is_aside = dimension == Dimension::TestsEdge && !self.dimensions.contains(&Dimension::TestsEdge);
        if is_aside && self.state == GateState::Passed && self.tests.as_ref().is_none_or(|tests| tests.edge == 0) {
            return None;
        }
        let tests = self.tests.as_ref().filter(|_| self.state == GateState::Failed && self.new.is_empty());
        match (tests, dimension) {
            // A run that came to its end says which kind of test failed.
            (Some(tests), Dimension::TestsEdge) => Some(tests.edge_failed == 0),
            (Some(tests), Dimension::TestsFunctional) => Some(tests.failed == tests.edge_failed),
            _ => Some(self.state == GateState::Passed),
        }
    }
}

/// What a run objects to, set against the base.
struct ObjectionSplit {
    /// What the base has not.
    new: Vec<Diagnostic>,
    /// How many of them the base has as well.
    known: usize,
    /// How many more objections than in the base the report left out. It is unknown what they say.
    beyond: usize,
}

impl ObjectionSplit {
    fn of(run: &GateRun, base: Option<&GateRun>, moves: &Moves, fails_at: Severity, failed_tests: usize) -> Self {
        let from = |run: Option<&GateRun>, severity: Severity| -> Vec<Diagnostic> {
            let report = run.and_then(|run| run.report.as_ref());
            let found = report.into_iter().flat_map(|report| &report.diagnostics);
            found.filter(|found| found.severity >= severity).cloned().collect()
        };
        let mut severity = fails_at;
        let mut now = from(Some(run), severity);
        // A tool that was told to take warnings for faults fails by what would not count otherwise.
        if run.state == GateState::Failed && now.is_empty() && failed_tests == 0 {
            severity = Severity::Note;
            now = from(Some(run), severity);
        }
        let left_out = |run: Option<&GateRun>| {
            run.and_then(|run| run.report.as_ref()).map_or(0, |report| report.diagnostics_left_out)
        };
        let new = new_diagnostics(&now, &from(base, severity), moves);
        let known = now.len() - new.len();
        Self { new, known, beyond: left_out(Some(run)).saturating_sub(left_out(base)) }
    }
}

/// Returns whether a report says how much tests cover and nothing of the tests: it shows that a threshold holds, and not that
/// a test passed.
fn measures_coverage_alone(run: &GateRun) -> bool {
    run.report.as_ref().is_some_and(|report| report.coverage_pct.is_some() && report.tests.is_none())
}

/// How many tests a run came to.
fn executed(run: &GateRun) -> usize {
    run.report.as_ref().and_then(|report| report.tests.as_ref()).map_or(0, TestRun::executed)
}

/// What a run of tests is worth that did not come to its tests, or not to all of them, and has no objection that is new.
/// Nothing is shown to work then, whatever the base did.
///
/// A file that the change touches and that does not build is the change's doing, unless the base has come to no test for the
/// same reason. For anything else the base tells.
fn came_to_no_test(run: &GateRun, base: Option<&GateRun>, moves: &Moves) -> (GateState, Option<TroubleReport>) {
    let objections = || run.report.iter().flat_map(|report| &report.diagnostics);
    let placed = objections().find(|found| found.path.is_some());
    let why = placed.or_else(|| objections().next()).map(line_of);
    let why = why.map_or_else(String::new, |why| format!(", on the base as well: {why}"));
    let came = if executed(run) == 0 { "it came to no test" } else { "it did not come to all tests" };
    // None of them is new: where the base comes to no test either, they stand there as well.
    let stands_in_base = base.is_some_and(|base| executed(base) == 0);
    let in_change =
        !stands_in_base && objections().filter_map(|found| found.path.as_deref()).any(|path| moves.touch(path));
    let is_worse = executed(run) == 0 && worked(base, true);
    let state = if in_change || is_worse { GateState::Errored } else { GateState::NotReady };
    (state, Some(TroubleReport { kind: GateTrouble::NoTests, detail: format!("{came}{why}"), ready_by: None }))
}

/// Returns whether a gate came to a result on the base. A runner of tests did if it executed any.
fn worked(base: Option<&GateRun>, runs_tests: bool) -> bool {
    base.is_some_and(|base| {
        if runs_tests { executed(base) > 0 } else { matches!(base.state, GateState::Passed | GateState::Failed) }
    })
}

/// Returns whether a project has no test yet to hold a change to: the runner came to its end and found none, on the base
/// and with what the base has. Tests that could not be built or that crashed are there.
pub fn no_tests_yet(held: &GateRun, base: Option<&GateRun>) -> bool {
    let found_none = |run: &GateRun| {
        executed(run) == 0 && run.trouble.as_ref().is_some_and(|(kind, _)| *kind == GateTrouble::NoTests)
    };
    found_none(held) && base.is_none_or(found_none)
}

/// Returns whether the tests of the base do not run, on the base either: they do not build, or something else went wrong
/// before the first of them. They tell nothing of a change then.
pub fn cannot_be_held(held: &GateRun, base: Option<&GateRun>) -> bool {
    let came_to_none = |run: &GateRun| {
        let Some(report) = &run.report else { return false };
        let is_unbuilt = executed(run) == 0 && report.diagnostics.iter().any(|found| found.path.is_some());
        let has_faults_alone = |tests: &TestRun| {
            !tests.faults.is_empty() && tests.cases.iter().all(|case| tests.faults.contains(&case.id))
        };
        is_unbuilt || report.tests.as_ref().is_some_and(has_faults_alone)
    };
    came_to_none(held) && base.is_some_and(came_to_none)
}

/// Says whether a change is to blame for a gate that came to no result.
///
/// The base tells: a gate that works there and not here was broken by the change. Without a base, a run of tests that
/// hangs, crashes or runs into a limit is the doing of the code under test.
fn is_to_blame(kind: GateTrouble, runs_tests: bool, base: Option<&GateRun>) -> bool {
    match kind {
        GateTrouble::Forged => true,
        GateTrouble::MissingTool | GateTrouble::NoSandbox | GateTrouble::Machine => false,
        GateTrouble::TimedOut | GateTrouble::Crashed | GateTrouble::OverLimit | GateTrouble::Contradiction => {
            base.map_or(runs_tests, |_| worked(base, runs_tests))
        }
        GateTrouble::NoReport | GateTrouble::StatusAlone | GateTrouble::NoTests => worked(base, runs_tests),
    }
}

/// Returns whether an installation can be what a gate lacks that came to no result.
fn may_lack_packages(kind: GateTrouble) -> bool {
    matches!(
        kind,
        GateTrouble::MissingTool
            | GateTrouble::Crashed
            | GateTrouble::NoReport
            | GateTrouble::Contradiction
            | GateTrouble::Machine
    )
}

impl TestSummary {
    /// The failing tests that are named and not excused.
    pub fn held(&self) -> impl Iterator<Item = &FailingTest> {
        self.failing.iter().filter(|test| test.excuse.is_none())
    }

    fn of(tests: &TestRun, before: Option<&TestRun>, about: &Circumstances<'_>) -> Self {
        let is_edge_id = |id: &str| kind_of(id, about.edge_words) == TestKind::Edge;
        let is_edge = |case: &&TestCase| is_edge_id(&case.id);
        let before_with = |outcome: TestOutcome| -> BTreeSet<&str> {
            let cases = before.into_iter().flat_map(|run| &run.cases);
            cases.filter(|case| case.outcome == outcome).map(|case| &*case.id).collect()
        };
        let (failed_before, passed_before) = (before_with(TestOutcome::Failed), before_with(TestOutcome::Passed));
        let failing = || tests.cases.iter().filter(|case| case.outcome == TestOutcome::Failed);
        let ids_of = |outcomes: &[TestOutcome]| -> Vec<String> {
            let cases = tests.cases.iter().filter(|case| outcomes.contains(&case.outcome));
            cases.map(|case| case.id.clone()).collect()
        };
        let is_excused = |case: &&TestCase| about.excuses.contains_key(&case.id);
        let name = |case: &TestCase| FailingTest {
            id: case.id.clone(),
            path: case.path.clone(),
            edge: is_edge(&case),
            failed_before: failed_before.contains(&*case.id),
            passed_before: passed_before.contains(&*case.id),
            excuse: about.excuses.get(&case.id).copied(),
            message: case.message.as_deref().map(|message| beginning(message, TEST_MESSAGE_CHARS_MAX).into_owned()),
        };
        let against_base = before.map(|before| {
            let mut comparison = compare_tests(tests, before);
            let is_by_change = |id: &String| about.excuses.get(id).is_some_and(|excuse| excuse.is_by_change());
            comparison.missing.retain(|id| !is_by_change(id));
            comparison.no_longer_run.retain(|id| !is_by_change(id));
            comparison.missing.truncate(TESTS_NAMED_MAX);
            comparison.no_longer_run.truncate(TESTS_NAMED_MAX);
            let gone = comparison.missing.iter().chain(&comparison.no_longer_run);
            comparison.edge_gone = gone.filter(|id| is_edge_id(id)).cloned().collect();
            comparison
        });
        Self {
            passed: tests.count(TestOutcome::Passed),
            failed: failing().filter(|case| !is_excused(case)).count(),
            excused: failing().filter(is_excused).count(),
            skipped: tests.count(TestOutcome::Skipped),
            deselected: tests.count(TestOutcome::Deselected),
            expected_failures: tests.count(TestOutcome::ExpectedFailure),
            unexpected_passes: tests.count(TestOutcome::UnexpectedPass),
            edge: tests.cases.iter().filter(|case| case.outcome.was_executed()).filter(is_edge).count(),
            failing: {
                let held = failing().filter(|case| !is_excused(case)).chain(failing().filter(is_excused));
                held.take(TESTS_NAMED_MAX).map(name).collect()
            },
            edge_failed: failing().filter(is_edge).filter(|case| !is_excused(case)).count(),
            against_base,
            passed_ids: ids_of(&[TestOutcome::Passed, TestOutcome::ExpectedFailure, TestOutcome::UnexpectedPass]),
            skipped_ids: ids_of(&[TestOutcome::Skipped]),
        }
    }
}

fn log_tail(output: &str) -> Vec<String> {
    // What a tool writes for programs is read elsewhere.
    let for_people = |line: &&str| !line.trim().is_empty() && !line.starts_with("{\"");
    let lines: Vec<&str> = output.lines().filter(for_people).collect();
    let from = lines.len().saturating_sub(LOG_LINES_MAX);
    lines[from..].iter().map(|line| beginning(line, LOG_LINE_CHARS_MAX).into_owned()).collect()
}

/// Shows a diagnostic on one line.
pub fn line_of(diagnostic: &Diagnostic) -> String {
    let place = match (&diagnostic.path, diagnostic.line) {
        (Some(path), Some(line)) => format!("{path}:{line}: "),
        (Some(path), None) => format!("{path}: "),
        _ => String::new(),
    };
    let message = first_line(&diagnostic.message);
    format!("{place}{message} [{}]", diagnostic.code)
}

impl ExecReport {
    /// Sums up what the gates say.
    pub fn of(gates: Vec<GateResult>, sandbox: Option<String>) -> Self {
        let mut report = Self { sandbox, ..Self::default() };
        for gate in &gates {
            let lines = gate.new.iter().map(line_of);
            let concerns = |dimension| gate.dimensions.contains(&dimension);
            if concerns(Dimension::Style) {
                report.lint_errors.extend(lines);
            } else if concerns(Dimension::Types) || concerns(Dimension::Compilation) {
                report.type_errors.extend(lines);
            } else if concerns(Dimension::Schema) {
                report.schema_errors.extend(lines);
            } else if concerns(Dimension::Boundaries) {
                report.boundary_errors.extend(lines);
            }
            if let Some(tests) = &gate.tests {
                report.test.add(tests);
            }
            report.test.coverage_pct = gate.coverage_pct.or(report.test.coverage_pct);
            if !gate.log.is_empty() {
                report.logs_tail.push(format!("== {} ==", gate.name()));
                report.logs_tail.extend(gate.log.iter().cloned());
            }
        }
        report.gates = gates;
        report
    }

    /// Adds the imports that the built-in look found to break a boundary.
    #[must_use]
    pub fn with_boundaries(mut self, findings: &[Finding]) -> Self {
        self.boundary_errors.extend(findings.iter().map(|finding| {
            let place = finding.place().map(|place| format!("{place}: ")).unwrap_or_default();
            format!("{place}{} [{}]", finding.message, finding.rule)
        }));
        self
    }

    /// Names the gates that are known and that the project does not use, or leaves out.
    #[must_use]
    pub fn with_absent<'g>(mut self, known: impl IntoIterator<Item = &'g dyn Gate>, off: &BTreeSet<String>) -> Self {
        let used: BTreeSet<String> = self.gates.iter().map(|gate| gate.id.clone()).collect();
        let absent = known.into_iter().filter(|gate| !used.contains(gate.id())).map(|gate| GateResult {
            id: gate.id().to_owned(),
            folder: String::new(),
            because: if off.contains(gate.id()) {
                "it is left out".to_owned()
            } else {
                "nothing calls for it".to_owned()
            },
            dimensions: gate.dimensions().to_vec(),
            tests_of: TestsOf::Base,
            state: GateState::Absent,
            trouble: None,
            new: Vec::new(),
            new_left_out: 0,
            known: 0,
            tests: None,
            coverage_pct: None,
            time_ms: 0,
            command: String::new(),
            log: Vec::new(),
        });
        self.gates.extend(absent);
        self
    }

    /// Says of dimensions that nothing has measured why. `looked_at` are those that a built-in gate covers.
    #[must_use]
    pub fn with_unknown(mut self, looked_at: &[Dimension]) -> Self {
        for dimension in Dimension::STATED.into_iter().filter(|dimension| !looked_at.contains(dimension)) {
            if self.bound(dimension).is_none() {
                self.unknown.insert(dimension.as_str().to_owned(), self.why_unknown(dimension));
            }
        }
        self
    }

    /// Notes down what became of the tests that the change adds.
    #[must_use]
    pub fn with_mutation(self, mutation: Vec<MutationReport>) -> Self {
        Self { mutation, ..self }
    }

    fn why_unknown(&self, dimension: Dimension) -> String {
        let concerns = |gate: &&GateResult| {
            gate.dimensions.contains(&dimension) || dimension == Dimension::TestsEdge && gate.is_test_runner()
        };
        let not_ready: Vec<String> = self
            .used()
            .filter(concerns)
            .filter(|gate| gate.state == GateState::NotReady)
            .map(|gate| format!("{} is not ready", gate.name()))
            .collect();
        match (not_ready.is_empty(), dimension) {
            (false, _) => not_ready.join("; "),
            (true, Dimension::TestsEdge) => "no test of an edge case ran".to_owned(),
            (true, _) => "no gate looks at it".to_owned(),
        }
    }

    /// The gates that the project uses.
    pub fn used(&self) -> impl Iterator<Item = &GateResult> {
        self.gates.iter().filter(|gate| gate.state != GateState::Absent)
    }

    /// Returns the score that the gates leave to a dimension: 0 where one of them objects or came to no result, 1 where
    /// all that concern it have no objection, `None` where none concerns it.
    pub fn bound(&self, dimension: Dimension) -> Option<f64> {
        let mut all = self.gates.iter().filter_map(|gate| gate.holds(dimension)).peekable();
        all.peek()?;
        Some(if all.all(|holds| holds) { 1.0 } else { 0.0 })
    }
}

impl TestTotals {
    fn add(&mut self, tests: &TestSummary) {
        self.passed += tests.passed;
        self.failed += tests.failed;
        self.skipped += tests.skipped;
        self.deselected += tests.deselected;
        self.expected_failures += tests.expected_failures;
        self.unexpected_passes += tests.unexpected_passes;
        for test in &tests.failing {
            let message = test.message.as_deref().map(|message| ending(message.trim(), 200).replace('\n', " "));
            self.details.push(match message {
                Some(message) if !message.is_empty() => format!("{}: {message}", test.id),
                _ => test.id.clone(),
            });
        }
    }
}

#[cfg(test)]
mod tests;
