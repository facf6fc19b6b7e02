//! That nothing which counts less makes up for what counts more.

use assize_core::finding::{Certainty, Severity};
use assize_gate::exec_report::{ExecReport, TestSummary, TroubleReport};
use assize_gate::gate::GateTrouble;
use assize_report::Diagnostic;

use super::*;
use crate::case::PatchedFile;

fn gate(id: &str, dimension: Dimension, state: GateState, objections: usize) -> GateResult {
    let text = format!(r#"{{"id":"{id}","because":"","dimensions":[],"state":"passed","time_ms":1,"command":"{id}"}}"#);
    let found = Diagnostic {
        severity: Severity::Error,
        ..serde_json::from_str(r#"{"code":"E1","severity":"error","message":"m"}"#).expect("a diagnostic")
    };
    let plain: GateResult = serde_json::from_str(&text).expect("a result");
    GateResult { dimensions: vec![dimension], state, new: vec![found; objections], ..plain }
}

/// A run of tests: which fail, by `(passed before, edge)`.
fn tests(failing: &[(bool, bool)]) -> GateResult {
    let failing: Vec<FailingTest> = failing
        .iter()
        .map(|(passed_before, edge)| FailingTest {
            id: "t".to_owned(),
            path: None,
            edge: *edge,
            failed_before: !passed_before,
            passed_before: *passed_before,
            excuse: None,
            message: None,
        })
        .collect();
    let state = if failing.is_empty() { GateState::Passed } else { GateState::Failed };
    let summary = TestSummary { passed: 5, failed: failing.len(), failing, ..TestSummary::default() };
    GateResult { tests: Some(summary), ..gate("pytest", Dimension::TestsFunctional, state, 0) }
}

fn troubled(state: GateState) -> GateResult {
    let trouble = TroubleReport { kind: GateTrouble::TimedOut, detail: String::new(), ready_by: None };
    GateResult { trouble: Some(trouble), ..gate("pytest", Dimension::TestsFunctional, state, 0) }
}

fn finding(rule: &str) -> Finding {
    Finding {
        rule: rule.to_owned(),
        severity: Severity::Error,
        certainty: Certainty::Certain,
        path: None,
        line: None,
        message: "m".to_owned(),
    }
}

fn ranking_key(gates: Vec<GateResult>, findings: Vec<Finding>, lines: usize, convention: f64) -> RankingKey {
    let inputs = ReviewInputs {
        exec: ExecReport::of(gates, None),
        findings,
        looked_at: vec![Dimension::Compilation, Dimension::Security],
        patch_summary: vec![PatchedFile {
            path: "src/a.py".to_owned(),
            added: lines,
            removed: 0,
            gone: false,
            held: false,
        }],
        ..ReviewInputs::default()
    };
    let outcome = crate::court::decide(&inputs).outcome;
    RankingKey::of(&inputs, outcome, Some(convention))
}

#[test]
fn each_criterion_outweighs_all_that_come_after_it() {
    let broken = || gate("cargo-check", Dimension::Compilation, GateState::Failed, 1);
    let lint = || gate("ruff-check", Dimension::Style, GateState::Failed, 1);
    // Each is worse than the next for one reason, and better in whatever counts less.
    let from_worst = [
        (Criterion::Applies, RankingKey::unfit(1)),
        (Criterion::Builds, ranking_key(vec![broken(), tests(&[])], vec![], 1, 1.0)),
        (Criterion::Regressions, ranking_key(vec![tests(&[(true, false)])], vec![], 1, 1.0)),
        (Criterion::TargetTests, ranking_key(vec![tests(&[(false, false)])], vec![], 1, 1.0)),
        (Criterion::EdgeTests, ranking_key(vec![tests(&[(false, true)])], vec![], 1, 1.0)),
        (Criterion::SecurityAndBoundaries, ranking_key(vec![tests(&[])], vec![finding("security-shell")], 1, 1.0)),
        (Criterion::Ruling, ranking_key(vec![tests(&[]), lint()], vec![], 1, 1.0)),
        (Criterion::Convention, ranking_key(vec![tests(&[])], vec![], 1, 0.3)),
        (Criterion::Size, ranking_key(vec![tests(&[])], vec![], 200, 0.9)),
    ];
    let best = ranking_key(vec![tests(&[])], vec![], 10, 0.9);
    for (position, (criterion, worse)) in from_worst.iter().enumerate() {
        assert_eq!(worse.differs(&best), Some(*criterion), "{worse:?}");
        for (_, better) in &from_worst[position + 1..] {
            assert_eq!(worse.cmp(better), Ordering::Less, "{criterion:?}: {worse:?}\n{better:?}");
        }
        assert!(*worse < best);
    }
}

#[test]
fn fewer_faults_are_better_and_not_knowing_lies_between() {
    let two = ranking_key(vec![tests(&[(false, false), (false, false)])], vec![], 1, 1.0);
    let one = ranking_key(vec![tests(&[(false, false)])], vec![], 90, 0.0);
    let hangs = ranking_key(vec![troubled(GateState::Errored)], vec![], 1, 1.0);
    let no_tool = ranking_key(vec![troubled(GateState::NotReady)], vec![], 1, 1.0);
    let green = ranking_key(vec![tests(&[])], vec![], 90, 0.0);
    assert!(hangs < two && two < one && one < green);
    assert!(hangs < no_tool && no_tool < green);
    assert!(Measure::Faults(9) < Measure::Faults(1));
    assert!(Measure::Faults(1) < Measure::Unknown && Measure::Unknown < Measure::Holds);
}

#[test]
fn a_gate_that_came_to_no_result_is_not_one_that_is_not_there() {
    let trouble = TroubleReport { kind: GateTrouble::MissingTool, detail: String::new(), ready_by: None };
    let errored = GateResult { trouble: Some(trouble), ..gate("ruff-check", Dimension::Style, GateState::NotReady, 0) };
    let of = |gates: Vec<GateResult>| ranking_key(gates, vec![], 1, 1.0).other_faults;
    assert_eq!(of(vec![tests(&[])]), Measure::Holds);
    assert_eq!(of(vec![tests(&[]), errored]), Measure::Unknown);
}

#[test]
fn tampering_with_tests_is_a_regression() {
    let tampered = ranking_key(vec![tests(&[])], vec![finding("test-deleted")], 1, 1.0);
    assert_eq!(tampered.regressions, Measure::Faults(1));
    assert!(tampered < ranking_key(vec![tests(&[(false, false)])], vec![], 500, 0.0));
}

#[test]
fn taste_tells_apart_only_what_evidence_does_not() {
    let of = |lines, convention| ranking_key(vec![tests(&[])], vec![], lines, convention);
    assert!(of(1, 0.2).ties_with(&of(80, 0.9)));
    assert!(!of(1, 0.2).ties_with(&ranking_key(vec![tests(&[(false, true)])], vec![], 1, 0.2)));
    assert_eq!(of(3, 0.5).cmp(&of(3, 0.5)), Ordering::Equal);
}

#[test]
fn sums_keep_what_is_known() {
    use Measure::{Faults, Holds, Unknown};
    for (one, other, sum) in [
        (Holds, Holds, Holds),
        (Holds, Unknown, Unknown),
        (Unknown, Faults(2), Faults(2)),
        (Faults(1), Faults(2), Faults(3)),
        (Faults(UNCOUNTED), Faults(2), Faults(UNCOUNTED)),
    ] {
        assert_eq!((one.and(other), other.and(one)), (sum, sum));
    }
    assert_eq!((Measure::of(0), Measure::of(3)), (Holds, Faults(3)));
}
