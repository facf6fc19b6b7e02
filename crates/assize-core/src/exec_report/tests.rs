//! What a run means for a change, against the run on its base.

use super::*;
use crate::report::Report;
use crate::test_kind::default_edge_words;

const TESTS: &[Dimension] = &[Dimension::TestsFunctional];
const STYLE: &[Dimension] = &[Dimension::Style];

fn diagnostic(line: u32, message: &str, severity: Severity) -> Diagnostic {
    Diagnostic {
        code: "F401".to_owned(),
        severity,
        path: Some("a.py".to_owned()),
        line: Some(line),
        message: message.to_owned(),
    }
}

fn lint(found: &[Diagnostic]) -> GateRun {
    let state =
        if found.iter().any(|found| found.severity == Severity::Error) { GateState::Failed } else { GateState::Passed };
    GateRun { state, trouble: None, report: Some(Report { diagnostics: found.to_vec(), ..Report::default() }) }
}

fn tested(cases: &[(&str, TestOutcome)]) -> GateRun {
    let case = |(id, outcome): &(&str, TestOutcome)| TestCase {
        id: (*id).to_owned(),
        path: None,
        outcome: *outcome,
        message: None,
        time_ms: None,
    };
    let run = TestRun { cases: cases.iter().map(case).collect(), announced: None };
    let state = if run.count(TestOutcome::Failed) > 0 { GateState::Failed } else { GateState::Passed };
    GateRun { state, trouble: None, report: Some(Report { tests: Some(run), ..Report::default() }) }
}

fn troubled(kind: GateTrouble) -> GateRun {
    GateRun { state: GateState::Errored, trouble: Some((kind, "why".to_owned())), report: None }
}

fn result(run: &GateRun, base: Option<&GateRun>, dimensions: &'static [Dimension]) -> GateResult {
    let words = default_edge_words();
    let about = Circumstances {
        id: "gate",
        folder: "",
        because: "",
        dimensions,
        fails_at: Severity::Error,
        tests_of: TestsOf::Base,
        time_ms: 1,
        command: "gate".to_owned(),
        output: "one\n\ntwo\n",
        edge_words: &words,
    };
    GateResult::of(run, base, &Moves::default(), &about)
}

#[test]
fn what_the_base_has_as_well_does_not_fail_a_gate() {
    let old = lint(&[diagnostic(1, "unused os", Severity::Error)]);
    let same = result(&old, Some(&old), STYLE);
    assert_eq!((same.state, same.known, same.new.len()), (GateState::Passed, 1, 0));
    let more = lint(&[diagnostic(1, "unused os", Severity::Error), diagnostic(2, "unused re", Severity::Error)]);
    let worse = result(&more, Some(&old), STYLE);
    assert_eq!((worse.state, worse.known, worse.new.len()), (GateState::Failed, 1, 1));
    assert_eq!(result(&old, None, STYLE).state, GateState::Failed);
    let warnings = lint(&[diagnostic(1, "odd", Severity::Warning)]);
    assert_eq!(result(&warnings, None, STYLE).new.len(), 0);
}

#[test]
fn a_failing_test_counts_even_if_it_failed_before() {
    use TestOutcome::{Failed, Passed};
    let red = tested(&[("test_a", Passed), ("test_b", Failed)]);
    let result = result(&red, Some(&red), TESTS);
    assert_eq!(result.state, GateState::Failed);
    assert!(result.tests.expect("tests").failing[0].failed_before);
}

#[test]
fn edge_cases_and_the_ordinary_are_told_apart() {
    use TestOutcome::{Failed, Passed};
    for (run, functional, edge) in [
        (tested(&[("test_a", Passed), ("test_empty", Passed)]), true, true),
        (tested(&[("test_a", Failed), ("test_empty", Passed)]), false, true),
        (tested(&[("test_a", Passed), ("test_empty", Failed)]), true, false),
    ] {
        let result = result(&run, None, TESTS);
        assert_eq!(
            (result.holds(Dimension::TestsFunctional), result.holds(Dimension::TestsEdge)),
            (Some(functional), Some(edge))
        );
        assert_eq!(result.holds(Dimension::Style), None);
    }
    let crashed = result(&troubled(GateTrouble::Crashed), None, TESTS);
    assert_eq!(crashed.holds(Dimension::TestsFunctional), Some(false));
    assert_eq!(crashed.holds(Dimension::TestsEdge), Some(false));
}

#[test]
fn a_change_is_blamed_for_what_works_without_it() {
    let sound = lint(&[]);
    let broken = troubled(GateTrouble::Crashed);
    use GateTrouble::{Crashed, Forged, MissingTool, NoReport, NoTests, TimedOut};
    for (kind, dimensions, base, blamed) in [
        (TimedOut, TESTS, None, true),
        (TimedOut, TESTS, Some(&broken), true),
        (TimedOut, STYLE, None, false),
        (TimedOut, STYLE, Some(&sound), true),
        (Crashed, STYLE, Some(&broken), false),
        (NoReport, TESTS, Some(&sound), true),
        (NoReport, TESTS, None, false),
        (NoTests, TESTS, None, false),
        (NoTests, TESTS, Some(&sound), true),
        (MissingTool, TESTS, Some(&sound), false),
        (Forged, STYLE, None, true),
    ] {
        let trouble = result(&troubled(kind), base, dimensions).trouble.expect("trouble");
        assert_eq!(trouble.to_blame, blamed, "{kind:?} {dimensions:?} {}", base.is_some());
    }
}

#[test]
fn the_report_has_the_fields_that_programs_know() {
    use TestOutcome::{Failed, Passed, Skipped};
    let gates = vec![
        result(&lint(&[diagnostic(3, "unused os\nmore", Severity::Error)]), None, STYLE),
        result(&lint(&[diagnostic(4, "bad type", Severity::Error)]), None, &[Dimension::Types]),
        result(&tested(&[("test_a", Failed), ("test_b", Passed), ("test_c", Skipped)]), None, TESTS),
    ];
    let report = ExecReport::of(gates, Some("namespaces".to_owned()));
    assert_eq!(report.lint_errors, ["a.py:3: unused os [F401]"]);
    assert_eq!(report.type_errors, ["a.py:4: bad type [F401]"]);
    assert_eq!((report.test.passed, report.test.failed, report.test.skipped), (1, 1, 1));
    assert_eq!(report.test.details, ["test_a"]);
    assert_eq!(report.logs_tail[..3], ["== gate ==", "one", "two"]);
    let json = serde_json::to_value(&report).expect("JSON");
    for field in ["lintErrors", "typeErrors", "test", "schemaErrors", "boundaryErrors", "logsTail", "gates"] {
        assert!(json.get(field).is_some(), "{field}");
    }
    assert_eq!(report.bound(Dimension::Style), Some(0.0));
    assert_eq!(report.bound(Dimension::Compilation), None);
}

#[test]
fn what_is_kept_has_limits() {
    let run = |count: usize| {
        let found: Vec<_> =
            (0..count).map(|index| diagnostic(1, &format!("x{}", "y".repeat(index)), Severity::Error)).collect();
        result(&lint(&found), None, STYLE)
    };
    assert_eq!((run(NEW_DIAGNOSTICS_MAX).new.len(), run(NEW_DIAGNOSTICS_MAX).new_left_out), (NEW_DIAGNOSTICS_MAX, 0));
    assert_eq!(
        (run(NEW_DIAGNOSTICS_MAX + 1).new.len(), run(NEW_DIAGNOSTICS_MAX + 1).new_left_out),
        (NEW_DIAGNOSTICS_MAX, 1)
    );
    let lines = |count: usize| log_tail(&"x\n".repeat(count)).len();
    assert_eq!((lines(LOG_LINES_MAX), lines(LOG_LINES_MAX + 1)), (LOG_LINES_MAX, LOG_LINES_MAX));
    assert_eq!(log_tail(&"x".repeat(LOG_LINE_BYTES_MAX + 1))[0].len(), LOG_LINE_BYTES_MAX);
    let failing = |count: usize| {
        let ids: Vec<String> = (0..count).map(|index| format!("t{index}")).collect();
        let cases: Vec<_> = ids.iter().map(|id| (id.as_str(), TestOutcome::Failed)).collect();
        result(&tested(&cases), None, TESTS).tests.expect("tests").failing.len()
    };
    assert_eq!((failing(TESTS_NAMED_MAX), failing(TESTS_NAMED_MAX + 1)), (TESTS_NAMED_MAX, TESTS_NAMED_MAX));
}
