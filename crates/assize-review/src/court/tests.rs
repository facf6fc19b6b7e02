//! What the gates leave of a change, and what no judge can raise.

use assize_gate::comparison::TestComparison;
use assize_gate::exec_report::{FailingTest, TestSummary, TroubleReport};
use assize_report::Diagnostic;

use assize_gate::exec_report::ExecReport;
use assize_gate::test_policy::WritableScope;

use super::*;
use crate::case::PatchedFile;
use crate::case::ReviewInputs;
use crate::case::ReviewScope;

fn gate(id: &str, dimensions: &[Dimension], state: GateState) -> GateResult {
    GateResult {
        id: id.to_owned(),
        folder: String::new(),
        because: String::new(),
        dimensions: dimensions.to_vec(),
        tests_of: TestsOf::Base,
        state,
        trouble: None,
        new: Vec::new(),
        new_left_out: 0,
        known: 0,
        tests: None,
        coverage_pct: None,
        time_ms: 1,
        command: id.to_owned(),
        log: Vec::new(),
    }
}

fn tests(state: GateState, passed: usize, failing: &[&str]) -> GateResult {
    let failing: Vec<FailingTest> = failing
        .iter()
        .map(|id| FailingTest {
            id: (*id).to_owned(),
            path: None,
            edge: false,
            failed_before: false,
            passed_before: false,
            excuse: None,
            message: Some("trace\nAssertionError: 1 != 2".to_owned()),
        })
        .collect();
    let summary = TestSummary { passed, failed: failing.len(), failing, ..TestSummary::default() };
    GateResult { tests: Some(summary), ..gate("pytest", &[Dimension::TestsFunctional], state) }
}

fn lint(path: &str, message: &str) -> GateResult {
    let found = Diagnostic {
        code: "F401".to_owned(),
        severity: Severity::Error,
        path: Some(path.to_owned()),
        line: Some(3),
        message: message.to_owned(),
        offer: None,
    };
    GateResult { new: vec![found], ..gate("ruff-check", &[Dimension::Style], GateState::Failed) }
}

fn troubled(gate: GateResult, kind: GateTrouble, state: GateState) -> GateResult {
    let trouble = TroubleReport { kind, detail: "test_a did not end".to_owned(), ready_by: None };
    GateResult { state, trouble: Some(trouble), ..gate }
}

fn inputs(gates: Vec<GateResult>) -> ReviewInputs {
    ReviewInputs {
        exec: ExecReport::of(gates, None),
        patch_summary: vec![PatchedFile {
            path: "src/a.py".to_owned(),
            added: 1,
            removed: 0,
            gone: false,
            held: false,
        }],
        ..ReviewInputs::default()
    }
}

fn green() -> GateResult {
    tests(GateState::Passed, 3, &[])
}

fn finding(rule: &str, severity: Severity, certainty: Certainty) -> Finding {
    Finding {
        rule: rule.to_owned(),
        severity,
        certainty,
        path: Some("src/a.py".to_owned()),
        line: Some(7),
        message: "It is so.".to_owned(),
    }
}

#[test]
fn the_gates_bound_the_ruling() {
    use GateState::{Absent, Errored, Failed, Passed};
    let style = &[Dimension::Style][..];
    let vanished = |mut gate: GateResult| {
        let against = TestComparison { missing: vec!["test_gone".to_owned()], ..TestComparison::default() };
        gate.tests.as_mut().expect("tests").against_base = Some(against);
        gate
    };
    for (what, gates, outcome) in [
        ("all green", vec![green(), gate("ruff", style, Passed)], Outcome::Accept),
        ("a test fails", vec![tests(Failed, 2, &["test_a"])], Outcome::Revise),
        ("a new objection", vec![green(), lint("src/a.py", "unused")], Outcome::Revise),
        ("hangs", vec![troubled(green(), GateTrouble::TimedOut, GateState::Errored)], Outcome::Revise),
        (
            "no tool that is required",
            vec![green(), troubled(gate("mypy", style, Errored), GateTrouble::MissingTool, GateState::NotReady)],
            Outcome::Accept,
        ),
        (
            "no tool for the tests",
            vec![green(), troubled(green(), GateTrouble::MissingTool, GateState::NotReady)],
            Outcome::Unjudged,
        ),
        ("forged", vec![troubled(green(), GateTrouble::Forged, GateState::Errored)], Outcome::Reject),
        (
            "red beside unknown",
            vec![lint("a", "b"), troubled(green(), GateTrouble::MissingTool, GateState::NotReady)],
            Outcome::Revise,
        ),
        ("no tests at all", vec![gate("ruff", style, Passed)], Outcome::Unjudged),
        ("tests absent", vec![gate("pytest", &[Dimension::TestsFunctional], Absent)], Outcome::Unjudged),
        ("a test is gone", vec![vanished(green())], Outcome::Revise),
    ] {
        let ruling = decide(&inputs(gates));
        assert_eq!(ruling.outcome, outcome, "{what}");
        assert_eq!(ruling.verdict.is_some(), outcome != Outcome::Unjudged, "{what}");
        if let Some(verdict) = ruling.verdict {
            assert_eq!(assize_core::verdict::Verdict::check(&verdict), Ok(()), "{what}");
        }
    }
}

#[test]
fn tests_are_not_asked_of_prose_nor_where_the_policy_does_without() {
    let mut prose = inputs(Vec::new());
    prose.patch_summary[0].path = "README.md".to_owned();
    assert_eq!(decide(&prose).outcome, Outcome::Accept);
    prose.case.scope = ReviewScope::Everything;
    assert_eq!(decide(&prose).outcome, Outcome::Unjudged);
    let mut without = inputs(Vec::new());
    without.policy.require.clear();
    assert_eq!(decide(&without).outcome, Outcome::Accept);
    without.missing.push("diff: no git".to_owned());
    assert_eq!(decide(&without).outcome, Outcome::Unjudged);
}

#[test]
fn a_specification_that_opens_the_tests_lets_them_go() {
    let against = TestComparison { no_longer_run: vec!["test_b".to_owned()], ..TestComparison::default() };
    let mut gate = green();
    gate.tests.as_mut().expect("tests").against_base = Some(against);
    let mut open = inputs(vec![gate]);
    assert_eq!(decide(&open).outcome, Outcome::Revise);
    open.case.opened = WritableScope::All;
    assert_eq!(decide(&open).outcome, Outcome::Accept);
}

#[test]
fn a_test_of_an_edge_case_that_vanishes_counts_against_edge_cases() {
    for (missing, edge_gone, expected) in [
        (vec!["test_empty"], vec!["test_empty"], (Some(1.0), Some(0.0))),
        (vec!["test_sum"], vec![], (Some(0.0), Some(1.0))),
        (vec!["test_sum", "test_empty"], vec!["test_empty"], (Some(0.0), Some(0.0))),
        (vec![], vec![], (Some(1.0), Some(1.0))),
    ] {
        let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let against =
            TestComparison { missing: owned(&missing), edge_gone: owned(&edge_gone), ..TestComparison::default() };
        let mut gate = green();
        let tests = gate.tests.as_mut().expect("tests");
        tests.against_base = Some(against);
        tests.edge = 1;
        let ruling = decide(&inputs(vec![gate]));
        assert_eq!(ruling.outcome, if missing.is_empty() { Outcome::Accept } else { Outcome::Revise }, "{missing:?}");
        let scores = ruling.verdict.expect("a verdict").scores;
        assert_eq!((scores.tests_functional, scores.tests_edge), expected, "{missing:?}");
    }
}

#[test]
fn one_fault_of_one_compiler_is_said_once_whichever_gates_run_it() {
    let stops = |id: &str, dimension| {
        let found = Diagnostic {
            code: "E0308".to_owned(),
            severity: Severity::Error,
            path: Some("src/lib.rs".to_owned()),
            line: Some(3),
            message: "mismatched types\nexpected `u32`".to_owned(),
            offer: None,
        };
        GateResult { new: vec![found], ..gate(id, &[dimension], GateState::Failed) }
    };
    let mut clippy = stops("cargo-clippy", Dimension::Style);
    let another = Diagnostic { line: Some(9), message: "needless".to_owned(), ..clippy.new[0].clone() };
    clippy.new.push(another);
    let gates = vec![
        stops("cargo-check", Dimension::Compilation),
        stops("cargo-doc", Dimension::Style),
        stops("cargo-test", Dimension::TestsFunctional),
        clippy,
    ];
    let verdict = decide(&inputs(gates)).verdict.expect("a verdict");
    let steps: Vec<(&str, &str)> =
        verdict.fix_plan.iter().map(|step| (step.file.as_str(), step.brief.as_str())).collect();
    assert_eq!(steps, [("src/lib.rs", "line 3: mismatched types… [E0308]; line 9: needless [E0308]")]);
    let cause = &verdict.explanations.root_cause;
    assert!(cause.contains("cargo-doc: the same. cargo-test: the same. cargo-clippy: 2 faults new: "), "{cause}");
}

#[test]
fn a_plan_names_files_of_the_tree_and_adds_what_the_change_removed() {
    let mut inputs = inputs(vec![lint("/usr/lib/python3/os.py", "odd"), lint("../beside.py", "odd"), green()]);
    inputs.patch_summary.push(PatchedFile {
        path: "tests/test_a.py".to_owned(),
        added: 0,
        removed: 9,
        gone: true,
        held: false,
    });
    let gone = Finding {
        path: Some("tests/test_a.py".to_owned()),
        line: None,
        ..finding("test-deleted", Severity::Error, Certainty::Certain)
    };
    inputs.findings.push(gone);
    let verdict = decide(&inputs).verdict.expect("a verdict");
    let steps: Vec<(&str, FixOperation)> =
        verdict.fix_plan.iter().map(|step| (step.file.as_str(), step.operation)).collect();
    assert_eq!(steps, [("tests/test_a.py", FixOperation::Add)]);
    assert!(verdict.explanations.root_cause.contains("/usr/lib/python3/os.py"), "{verdict:?}");
    assert_eq!(assize_core::verdict::Verdict::check(&verdict), Ok(()));
}

#[test]
fn findings_count_against_their_dimension() {
    use Certainty::{Certain, Likely};
    for (rule, severity, certainty, outcome, zeroed) in [
        ("security-tls-off", Severity::Error, Certain, Outcome::Revise, Some(Dimension::Security)),
        ("security-dependency", Severity::Note, Certain, Outcome::Accept, None),
        ("security-tls-off", Severity::Error, Likely, Outcome::Accept, None),
        ("boundary-break", Severity::Error, Certain, Outcome::Revise, Some(Dimension::Boundaries)),
        ("schema-invalid", Severity::Error, Certain, Outcome::Revise, Some(Dimension::Schema)),
        ("syntax-error", Severity::Error, Certain, Outcome::Revise, Some(Dimension::Compilation)),
        ("placeholder-added", Severity::Warning, Certain, Outcome::Revise, None),
    ] {
        let mut inputs = inputs(vec![green()]);
        inputs.findings.push(finding(rule, severity, certainty));
        let ruling = decide(&inputs);
        let verdict = ruling.verdict.expect("a verdict");
        assert_eq!((ruling.outcome, verdict.scores.zeroed().next()), (outcome, zeroed), "{rule} {certainty:?}");
        assert_eq!(verdict.fix_plan.is_empty(), outcome == Outcome::Accept, "{rule}");
    }
}

#[test]
fn the_verdict_says_what_is_wrong_and_where() {
    let gates = vec![tests(GateState::Failed, 2, &["test_a"]), lint("src/b.py", "unused os")];
    let verdict = decide(&inputs(gates)).verdict.expect("a verdict");
    assert_eq!(
        (verdict.scores.tests_functional, verdict.scores.style, verdict.scores.types),
        (Some(0.0), Some(0.0), None)
    );
    let cause = &verdict.explanations.root_cause;
    assert!(cause.contains("1 of 3 tests failed: test_a (AssertionError: 1 != 2)"), "{cause}");
    assert!(cause.contains("ruff-check: 1 fault new: src/b.py:3: unused os [F401]"), "{cause}");
    let steps: Vec<(&str, &str)> =
        verdict.fix_plan.iter().map(|step| (step.file.as_str(), step.brief.as_str())).collect();
    assert_eq!(steps[1], ("src/b.py", "line 3: unused os [F401]"));
    assert_eq!(steps[0].0, "src/a.py");
    assert!(steps[0].1.starts_with("make these tests pass: test_a"), "{steps:?}");
}

#[test]
fn a_file_that_comes_from_the_base_is_not_what_failing_tests_ask_to_edit() {
    let mut inputs = inputs(vec![tests(GateState::Failed, 2, &["test_a"])]);
    let held = |path: &str| PatchedFile { path: path.to_owned(), added: 1, removed: 1, gone: false, held: true };
    inputs.patch_summary.extend([held("shop/testing.py"), held("tests/test_a.py")]);
    let verdict = decide(&inputs).verdict.expect("a verdict");
    let steps: Vec<(&str, &str)> =
        verdict.fix_plan.iter().map(|step| (step.file.as_str(), step.brief.as_str())).collect();
    assert_eq!(steps.iter().map(|step| step.0).collect::<Vec<_>>(), ["shop/testing.py", "src/a.py"], "{steps:?}");
    assert!(steps[0].1.contains("name it in the specification"), "{steps:?}");
    inputs.patch_summary = vec![held("shop/test_data.py")];
    let plan = decide(&inputs).verdict.expect("a verdict").fix_plan;
    assert_eq!(
        plan.iter().map(|step| &*step.file).collect::<Vec<_>>(),
        ["shop/test_data.py"],
        "nothing else was changed"
    );
}

fn opinion(judge: &str, verdict: ReviewOutcome, types: f64) -> Opinion<ReviewVerdict> {
    let scores = Scores::of(|dimension| Some(if dimension == Dimension::Types { types } else { 1.0 }));
    let step = FixPlanStep { file: "src/a.py".to_owned(), operation: FixOperation::Edit, brief: judge.to_owned() };
    let verdict = ReviewVerdict {
        verdict,
        scores,
        explanations: Explanations { root_cause: format!("{judge} says so"), minimal_fix: "m".to_owned() },
        fix_plan: if verdict == ReviewOutcome::Accept { Vec::new() } else { vec![step] },
    };
    Opinion::of(judge, Ok(verdict))
}

#[test]
fn no_judge_raises_a_ruling_or_a_score() {
    let mut red = inputs(vec![lint("src/a.py", "unused"), green()]);
    red.opinions.push(opinion("kind", ReviewOutcome::Accept, 1.0));
    let ruling = decide(&red);
    assert_eq!((ruling.outcome, ruling.verdict.expect("a verdict").scores.style), (Outcome::Revise, Some(0.0)));
    let mut sound = inputs(vec![green()]);
    sound.opinions.push(opinion("strict", ReviewOutcome::Revise, 0.4));
    sound.opinions.push(opinion("kind", ReviewOutcome::Accept, 1.0));
    let ruling = decide(&sound);
    let verdict = ruling.verdict.expect("a verdict");
    assert_eq!(
        (ruling.outcome, verdict.scores.types, verdict.fix_plan[0].brief.as_str()),
        (Outcome::Revise, Some(0.4), "strict")
    );
    assert_eq!(verdict.explanations.root_cause, "strict says so");
}

#[test]
fn judges_are_asked_only_where_the_evidence_would_accept() {
    let gathered =
        |inputs: ReviewInputs| ReviewEvent::Gathered { inputs: Box::new(inputs), attachments: Box::default() };
    let court = || ReviewCourt::new(vec!["a".to_owned(), "b".to_owned()], Nonce::new([1; 16]));
    let mut red = court();
    assert!(matches!(red.step(gathered(inputs(vec![lint("a", "b")])))[..], [ReviewEffect::Rule(_)]));
    let mut sound = court();
    assert!(matches!(sound.step(gathered(inputs(vec![green()])))[..], [ReviewEffect::Ask { .. }]));
    assert!(sound.step(ReviewEvent::OpinionReceived(Box::new(opinion("b", ReviewOutcome::Accept, 1.0)))).is_empty());
    let effects = sound.step(ReviewEvent::DeadlinePassed);
    let [ReviewEffect::Rule(record)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(record.ruling.outcome, Outcome::Unjudged);
    let ids: Vec<&str> = record.inputs.opinions.iter().map(|opinion| opinion.judge.id.as_str()).collect();
    assert_eq!(ids, ["a", "b"]);
    assert_eq!(ReviewRecord::of(record.inputs.clone()), **record);
    assert!(sound.step(ReviewEvent::DeadlinePassed).is_empty());
}
