//! What a run means for a change, against the run on its base.

use assize_core::diff::{Diff, FileChange};

use super::testing::{
    STYLE, SampleRunEnd, TESTS, diagnostic, lint, result, result_excusing, result_of, run_that, tested, troubled,
};
use super::*;
use crate::excuse::Excuse;

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
    let failing = &result.tests.expect("tests").failing[0];
    assert!(failing.failed_before && !failing.passed_before);
}

#[test]
fn where_hardly_a_test_passes_on_the_base_what_passes_shows_nothing() {
    use TestOutcome::{Failed, Passed};
    for (red, tests_of, state) in [
        (RED_FOR_ONE_PASSED_MAX, TestsOf::Base, GateState::Passed),
        (RED_FOR_ONE_PASSED_MAX + 1, TestsOf::Base, GateState::NotReady),
        (RED_FOR_ONE_PASSED_MAX + 1, TestsOf::Change, GateState::Passed),
    ] {
        let names: Vec<String> = (0..red).map(|number| format!("test_{number}")).collect();
        let failing = names.iter().map(|name| (name.as_str(), Failed));
        let run = tested(&failing.chain([("test_sound", Passed)]).collect::<Vec<_>>());
        let excuses = names.iter().map(|name| (name.clone(), Excuse::KnownRed)).collect();
        let result = result_excusing(&run, Some(&run), TESTS, &Moves::default(), (tests_of, &excuses));
        assert_eq!(result.state, state, "{red} {tests_of:?}");
    }
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
fn tests_of_edge_cases_that_are_gone_are_named() {
    use TestOutcome::{Passed, Skipped};
    let base = tested(&[("test_a", Passed), ("test_empty", Passed), ("test_negative", Passed), ("test_b", Passed)]);
    let now = tested(&[("test_a", Passed), ("test_negative", Skipped), ("test_b", Skipped)]);
    let comparison = result(&now, Some(&base), TESTS).tests.and_then(|tests| tests.against_base).expect("compared");
    assert_eq!(
        (comparison.missing, comparison.no_longer_run, comparison.edge_gone),
        (
            vec!["test_empty".to_owned()],
            vec!["test_negative".to_owned(), "test_b".to_owned()],
            vec!["test_empty".to_owned(), "test_negative".to_owned()]
        )
    );
}

#[test]
fn a_measure_of_coverage_says_nothing_of_tests() {
    let report = assize_report::ToolReport { coverage_pct: Some(81.5), ..Default::default() };
    let run = |state| GateRun { state, trouble: None, report: Some(report.clone()) };
    let passed = result(&run(GateState::Passed), Some(&run(GateState::Passed)), TESTS);
    assert_eq!((passed.state, passed.trouble.is_none()), (GateState::Passed, true));
    assert_eq!((passed.holds(Dimension::TestsFunctional), passed.holds(Dimension::TestsEdge)), (None, None));
    let below = result(&run(GateState::Failed), Some(&run(GateState::Passed)), TESTS);
    assert_eq!((below.state, below.holds(Dimension::TestsFunctional)), (GateState::Failed, Some(false)));
    let alone = ExecReport::of(vec![passed], None);
    assert_eq!(alone.bound(Dimension::TestsFunctional), None, "no test has passed");
}

#[test]
fn a_change_is_blamed_for_what_works_without_it() {
    let (sound, green) = (lint(&[]), tested(&[("test_a", TestOutcome::Passed)]));
    let broken = troubled(GateTrouble::Crashed);
    use GateTrouble::{Crashed, Forged, Machine, MissingTool, NoReport, NoTests, TimedOut};
    for (kind, dimensions, base, blamed) in [
        (TimedOut, TESTS, None, true),
        (TimedOut, TESTS, Some(&broken), false),
        (TimedOut, TESTS, Some(&green), true),
        (TimedOut, STYLE, None, false),
        (TimedOut, STYLE, Some(&sound), true),
        (Crashed, STYLE, Some(&broken), false),
        (NoReport, TESTS, Some(&green), true),
        (NoReport, TESTS, None, false),
        (NoTests, TESTS, None, false),
        (NoTests, TESTS, Some(&green), true),
        // It is said to run tests, and ran none on the base either.
        (NoTests, TESTS, Some(&sound), false),
        (MissingTool, TESTS, Some(&green), false),
        // A fault of the machine is nobody's, whatever worked on the base.
        (Machine, TESTS, None, false),
        (Machine, TESTS, Some(&green), false),
        (Machine, TESTS, Some(&broken), false),
        (Machine, STYLE, None, false),
        (Machine, STYLE, Some(&sound), false),
        (Forged, STYLE, None, true),
    ] {
        let state = if blamed { GateState::Errored } else { GateState::NotReady };
        let result = result(&troubled(kind), base, dimensions);
        assert_eq!(result.state, state, "{kind:?} {dimensions:?} {}", base.is_some());
        assert_eq!(result.holds(dimensions[0]), blamed.then_some(false));
        let may_lack_packages = !blamed && matches!(kind, Crashed | Machine | NoReport | MissingTool);
        let ready_by = result.trouble.and_then(|trouble| trouble.ready_by);
        assert_eq!(ready_by.is_some(), may_lack_packages, "{kind:?}");
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
    assert_eq!(report.lint_errors, ["a.py:3: unused os… [F401]"]);
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
fn gates_that_are_not_used_are_named_and_say_nothing() {
    let used = GateResult { id: "ruff-check".to_owned(), ..result(&lint(&[]), None, STYLE) };
    let off = ["mypy".to_owned()].into();
    let report = ExecReport::of(vec![used], None).with_absent(crate::gate::GATES.iter().copied(), &off);
    assert_eq!(report.gates.len(), crate::gate::GATES.len());
    assert_eq!(report.used().map(|gate| gate.id.as_str()).collect::<Vec<_>>(), ["ruff-check"]);
    let because = |id: &str| report.gates.iter().find(|gate| gate.id == id).map(|gate| gate.because.as_str());
    assert_eq!((because("mypy"), because("eslint")), (Some("it is left out"), Some("nothing calls for it")));
    assert_eq!((report.bound(Dimension::Style), report.bound(Dimension::Types)), (Some(1.0), None));
}

#[test]
fn broken_boundaries_are_errors_of_their_own() {
    let finding = Finding {
        rule: "boundary".to_owned(),
        severity: Severity::Error,
        certainty: assize_core::finding::Certainty::Certain,
        path: Some("core/a.py".to_owned()),
        line: Some(3),
        message: "core does not import web".to_owned(),
    };
    let report = ExecReport::of(Vec::new(), None).with_boundaries(&[finding]);
    assert_eq!(report.boundary_errors, ["core/a.py:3: core does not import web [boundary]"]);
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
    assert_eq!(log_tail(&"x".repeat(LOG_LINE_CHARS_MAX + 1))[0].chars().count(), LOG_LINE_CHARS_MAX);
    let failing = |count: usize| {
        let ids: Vec<String> = (0..count).map(|index| format!("t{index}")).collect();
        let cases: Vec<_> = ids.iter().map(|id| (id.as_str(), TestOutcome::Failed)).collect();
        result(&tested(&cases), None, TESTS).tests.expect("tests").failing.len()
    };
    assert_eq!((failing(TESTS_NAMED_MAX), failing(TESTS_NAMED_MAX + 1)), (TESTS_NAMED_MAX, TESTS_NAMED_MAX));
}

#[test]
fn a_run_without_a_test_says_why() {
    let says = |ended: SampleRunEnd| {
        let run = run_that(ended).expect("a run");
        let result = result(&run, Some(&run), TESTS);
        assert_eq!(result.state, GateState::NotReady, "the base does not build either");
        let trouble = result.trouble.expect("trouble");
        (trouble.kind, trouble.detail)
    };
    let known = "it came to no test, on the base as well:";
    assert_eq!(says(SampleRunEnd::Unbuilt), (GateTrouble::NoTests, format!("{known} a.py:1: unused os [F401]")));
    assert_eq!(says(SampleRunEnd::Unready), (GateTrouble::NoTests, format!("{known} no network [F401]")));
    let half = "it did not come to all tests, on the base as well:";
    assert_eq!(says(SampleRunEnd::HalfBuilt), (GateTrouble::NoTests, format!("{half} a.py:1: unused os [F401]")));
    // Whoever touches a file that did not build before need not mend it; what came to tests before has to come to them.
    let touched = Moves::of(&Diff { files: vec![FileChange::added("a.py", "import os\n")], ..Diff::default() });
    let state_on = |base: SampleRunEnd| {
        let run = run_that(SampleRunEnd::Unbuilt).expect("a run");
        result_of(&run, run_that(base).as_ref(), TESTS, &touched).state
    };
    assert_eq!(state_on(SampleRunEnd::Unbuilt), GateState::NotReady);
    assert_eq!(state_on(SampleRunEnd::HalfBuilt), GateState::Errored);
    // A linter that was declared to be a runner of tests runs none.
    let none = result(&lint(&[]), None, TESTS);
    let trouble = none.trouble.expect("trouble");
    assert_eq!((none.state, trouble.kind), (GateState::NotReady, GateTrouble::NoTests));
    assert_eq!(trouble.detail, "it came to no test");
}

#[test]
fn objections_that_nobody_knows_are_not_known() {
    let run = |left_out: usize| {
        let mut run = lint(&[diagnostic(1, "unused os", Severity::Error)]);
        run.report.as_mut().expect("a report").diagnostics_left_out = left_out;
        run
    };
    for (now, before, state, beyond) in
        [(7, Some(7), GateState::Passed, 0), (8, Some(7), GateState::Failed, 1), (7, None, GateState::Failed, 7)]
    {
        let base = before.map(run);
        let found = result(&run(now), base.as_ref(), STYLE);
        assert_eq!((found.state, found.new_left_out), (state, beyond), "{now} and {before:?}");
    }
}

#[test]
fn a_project_has_no_tests_yet_only_where_nothing_kept_them_from_running() {
    use SampleRunEnd::{Absent, Green, NoTests, Skipped, Troubled, Unbuilt};
    for (held, base, expected) in [
        (NoTests, Absent, true),
        (NoTests, NoTests, true),
        (Skipped, Skipped, true),
        (NoTests, Green, false),
        (NoTests, Unbuilt, false),
        (NoTests, Troubled(GateTrouble::Crashed), false),
        (NoTests, Troubled(GateTrouble::NoReport), false),
        (Unbuilt, Unbuilt, false),
        (Green, NoTests, false),
        (Troubled(GateTrouble::NoReport), Troubled(GateTrouble::NoReport), false),
    ] {
        let run = run_that(held).expect("a run");
        assert_eq!(no_tests_yet(&run, run_that(base).as_ref()), expected, "{held:?} on {base:?}");
    }
}
