//! What a review asks for: only what the change is to blame for, and scores only of what was measured.

use std::collections::BTreeSet;

use assize_core::finding::Severity;
use assize_core::ruling::Outcome;
use assize_ecosystem::test_kind::default_edge_words;
use assize_gate::comparison::Moves;
use assize_gate::excuse::{Excuse, Excuses};
use assize_gate::exec_report::testing::{STYLE, SampleRunEnd, TESTS, lint, result, run_that, tested};
use assize_gate::exec_report::{Circumstances, ExecReport, GateResult, TestsOf};
use assize_report::TestOutcome;
use assize_review::case::{PatchedFile, ReviewInputs, ReviewPolicy};
use assize_review::court::decide;
use assize_review::verdict::ReviewVerdict;

/// A change of one file, judged by these gates.
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

fn verdict(inputs: &ReviewInputs) -> (Outcome, ReviewVerdict) {
    let ruling = decide(inputs);
    let outcome = ruling.outcome;
    (outcome, ruling.verdict.unwrap_or_else(|| panic!("{:?}", ruling.unjudged)))
}

/// A run of four tests of which all but `test_ok` fail, some of them excused.
fn failing(excused: &[(&str, Excuse)]) -> GateResult {
    use TestOutcome::{Failed, Passed};
    let run = tested(&[
        ("test_ok", Passed),
        ("test_broken", Failed),
        ("test_network", Failed),
        ("test_now_and_then", Failed),
    ]);
    let excuses: Excuses = excused.iter().map(|(id, excuse)| ((*id).to_owned(), *excuse)).collect();
    let words: BTreeSet<String> = default_edge_words();
    let about = Circumstances {
        id: "pytest",
        folder: "",
        because: "",
        dimensions: TESTS,
        fails_at: Severity::Error,
        tests_of: TestsOf::Base,
        time_ms: 1,
        command: "pytest".to_owned(),
        output: "",
        edge_words: &words,
        excuses: &excuses,
        ready_by: None,
    };
    GateResult::of(&run, Some(&run), &Moves::default(), &about)
}

#[test]
fn a_plan_asks_for_no_test_that_is_excused() {
    let network = ("test_network", Excuse::KnownRed);
    let flaky = ("test_now_and_then", Excuse::Flaky);
    for (excused, asked, fix) in [
        (&[][..], &["test_broken", "test_network", "test_now_and_then"][..], "the 3 failing tests pass"),
        (&[network], &["test_broken", "test_now_and_then"], "the 2 failing tests pass"),
        (&[network, flaky], &["test_broken"], "the failing test passes"),
    ] {
        let (outcome, verdict) = verdict(&inputs(vec![failing(excused)]));
        assert_eq!(outcome, Outcome::Revise, "{excused:?}");
        let plan: String = verdict.fix_plan.iter().map(|step| step.brief.as_str()).collect();
        for id in ["test_ok", "test_broken", "test_network", "test_now_and_then"] {
            let whole = format!("{plan} {} {}", verdict.explanations.root_cause, verdict.explanations.minimal_fix);
            assert_eq!(whole.contains(id), asked.contains(&id), "{id} with {excused:?}: {whole}");
            assert_eq!(plan.contains(id), asked.contains(&id), "{id} with {excused:?}: {plan}");
        }
        assert!(verdict.explanations.minimal_fix.contains(fix), "{}", verdict.explanations.minimal_fix);
    }
}

#[test]
fn what_nothing_measured_has_no_score() {
    let style = || result(&lint(&[]), None, STYLE);
    let tests = |ended| {
        let run = run_that(ended).expect("a run");
        result(&run, Some(&run), TESTS)
    };
    for (gates, functional, scored_style) in [
        (vec![], None, None),
        (vec![tests(SampleRunEnd::Green)], Some(1.0), None),
        (vec![style()], None, Some(1.0)),
        (vec![tests(SampleRunEnd::Green), style()], Some(1.0), Some(1.0)),
        // A runner without a test measures nothing.
        (vec![tests(SampleRunEnd::NoTests)], None, None),
        (vec![tests(SampleRunEnd::Skipped), style()], None, Some(1.0)),
        // A gate that is said to run tests and ran none measures nothing either.
        (vec![result(&lint(&[]), None, TESTS)], None, None),
    ] {
        let count = gates.len();
        let policy = ReviewPolicy { require: Vec::new(), ..ReviewPolicy::default() };
        let (outcome, verdict) = verdict(&ReviewInputs { policy, ..inputs(gates) });
        assert_eq!(outcome, Outcome::Accept);
        let scores = verdict.scores;
        assert_eq!((scores.tests_functional, scores.style), (functional, scored_style), "{count} gates");
        assert_eq!((scores.types, scores.compilation), (None, None), "{count} gates");
        let json = serde_json::to_value(scores).expect("JSON");
        for name in ["compilation", "tests_functional", "tests_edge", "types", "style", "security"] {
            assert!(json.get(name).is_some(), "{name} is said to be unknown, and not left out: {json}");
        }
    }
}
