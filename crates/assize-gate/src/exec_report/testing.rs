//! Runs of gates for the tests of those that weigh them.

use assize_core::finding::Severity;
use assize_ecosystem::test_kind::default_edge_words;
use assize_report::{Diagnostic, TestCase, TestOutcome, TestRun, ToolReport};

use super::{Circumstances, GateResult, TestsOf};
use crate::comparison::Moves;
use crate::excuse::Excuses;
use crate::gate::{Dimension, GateRun, GateState, GateTrouble};

/// What a gate that runs tests counts for.
pub const TESTS: &[Dimension] = &[Dimension::TestsFunctional];
/// What a linter counts for.
pub const STYLE: &[Dimension] = &[Dimension::Style];

/// An objection in `a.py`.
pub fn diagnostic(line: u32, message: &str, severity: Severity) -> Diagnostic {
    Diagnostic {
        code: "F401".to_owned(),
        severity,
        path: Some("a.py".to_owned()),
        line: Some(line),
        message: message.to_owned(),
        offer: None,
    }
}

/// A run of a linter that found this.
pub fn lint(found: &[Diagnostic]) -> GateRun {
    let state =
        if found.iter().any(|found| found.severity == Severity::Error) { GateState::Failed } else { GateState::Passed };
    GateRun { state, trouble: None, report: Some(ToolReport { diagnostics: found.to_vec(), ..ToolReport::default() }) }
}

/// A run of tests with these ends.
pub fn tested(cases: &[(&str, TestOutcome)]) -> GateRun {
    let case = |(id, outcome): &(&str, TestOutcome)| TestCase {
        id: (*id).to_owned(),
        path: None,
        outcome: *outcome,
        message: None,
        time_ms: None,
    };
    let run = TestRun { cases: cases.iter().map(case).collect(), ..TestRun::default() };
    let state = if run.count(TestOutcome::Failed) > 0 { GateState::Failed } else { GateState::Passed };
    GateRun { state, trouble: None, report: Some(ToolReport { tests: Some(run), ..ToolReport::default() }) }
}

/// A run of tests that do not build for a fault in a file.
pub fn unbuilt(path: &str) -> GateRun {
    let fault = Diagnostic { path: Some(path.to_owned()), ..diagnostic(1, "no such function", Severity::Error) };
    GateRun { state: GateState::Failed, ..lint(&[fault]) }
}

/// A run that came to no result.
pub fn troubled(kind: GateTrouble) -> GateRun {
    GateRun { state: GateState::Errored, trouble: Some((kind, "why".to_owned())), report: None }
}

/// A run set against the one on the base.
pub fn result(run: &GateRun, base: Option<&GateRun>, dimensions: &'static [Dimension]) -> GateResult {
    result_of(run, base, dimensions, &Moves::default())
}

/// The same of a change that touches files.
pub fn result_of(run: &GateRun, base: Option<&GateRun>, dimensions: &'static [Dimension], moves: &Moves) -> GateResult {
    result_excusing(run, base, dimensions, moves, (TestsOf::Base, &Excuses::new()))
}

/// The same with whose tests they are, and which of them are excused.
pub fn result_excusing(
    run: &GateRun,
    base: Option<&GateRun>,
    dimensions: &'static [Dimension],
    moves: &Moves,
    (tests_of, excuses): (TestsOf, &Excuses),
) -> GateResult {
    let words = default_edge_words();
    let about = Circumstances {
        id: "gate",
        folder: "",
        because: "",
        dimensions,
        fails_at: Severity::Error,
        tests_of,
        time_ms: 1,
        command: "gate".to_owned(),
        output: "one\n\ntwo\n",
        edge_words: &words,
        excuses,
        ready_by: Some("install"),
    };
    GateResult::of(run, base, moves, &about)
}

/// What came of a run, on the base or with the change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleRunEnd {
    /// The gate is not there.
    Absent,
    /// Nothing is wrong.
    Green,
    /// One of two tests fails; of a linter, what the base objects to as well.
    Red,
    /// Every test fails.
    AllRed,
    /// A linter has one objection more.
    Redder,
    /// It ends with a fault over warnings alone.
    Warned,
    /// All tests were skipped.
    Skipped,
    /// It ran to its end and found no test.
    NoTests,
    /// Code does not build, at a place that is named.
    Unbuilt,
    /// The same, but for a part of which the tests ran.
    HalfBuilt,
    /// Something before the tests does not work, at a place that is not known.
    Unready,
    /// It was killed, and some tests had passed by then.
    TimedOutMidway,
    /// It came to no result.
    Troubled(GateTrouble),
}

/// A run of tests that ended in this way; `None` where there is none.
pub fn run_that(ended: SampleRunEnd) -> Option<GateRun> {
    use TestOutcome::{Failed, Passed, Skipped};
    let one = || diagnostic(1, "unused os", Severity::Error);
    let failed = |found: Diagnostic| GateRun { state: GateState::Failed, ..lint(&[found]) };
    Some(match ended {
        SampleRunEnd::Absent => return None,
        SampleRunEnd::Green => tested(&[("test_a", Passed), ("test_b", Passed)]),
        SampleRunEnd::Red => tested(&[("test_a", Passed), ("test_b", Failed)]),
        SampleRunEnd::AllRed => tested(&[("test_a", Failed), ("test_b", Failed)]),
        SampleRunEnd::Skipped => {
            let run = tested(&[("test_a", Skipped), ("test_b", Skipped)]);
            GateRun { report: run.report, ..troubled(GateTrouble::NoTests) }
        }
        SampleRunEnd::NoTests => GateRun { report: tested(&[]).report, ..troubled(GateTrouble::NoTests) },
        SampleRunEnd::Unbuilt => failed(one()),
        SampleRunEnd::HalfBuilt => {
            let tests = tested(&[("test_a", Passed)]).report.and_then(|report| report.tests);
            let report = failed(one()).report.map(|report| ToolReport { tests, ..report });
            GateRun { report, ..failed(one()) }
        }
        SampleRunEnd::Unready => {
            failed(Diagnostic { path: None, line: None, ..diagnostic(1, "no network", Severity::Error) })
        }
        SampleRunEnd::TimedOutMidway => {
            GateRun { report: tested(&[("test_a", Passed)]).report, ..troubled(GateTrouble::TimedOut) }
        }
        SampleRunEnd::Redder => lint(&[one(), diagnostic(2, "unused re", Severity::Error)]),
        SampleRunEnd::Warned => failed(diagnostic(1, "odd", Severity::Warning)),
        SampleRunEnd::Troubled(kind) => troubled(kind),
    })
}
