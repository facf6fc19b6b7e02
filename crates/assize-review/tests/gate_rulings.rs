//! How the court rules on every end of a gate's run, with every end of the same gate's run on the base.

use assize_core::finding::Severity;
use assize_core::ruling::Outcome;
use assize_gate::exec_report::testing::{STYLE, SampleRunEnd, TESTS, diagnostic, lint, result, run_that};
use assize_gate::exec_report::{ExecReport, GateResult};
use assize_gate::gate::{Dimension, GateRun, GateState, GateTrouble};
use assize_review::case::{PatchedFile, ReviewInputs, ReviewPolicy};
use assize_review::court::decide;

fn lint_that(ended: SampleRunEnd) -> Option<GateRun> {
    match ended {
        SampleRunEnd::Green => Some(lint(&[])),
        SampleRunEnd::Red => Some(lint(&[diagnostic(1, "unused os", Severity::Error)])),
        other => run_that(other),
    }
}

/// How the court rules when this gate is the only one.
fn ruled(result: GateResult, require: &[Dimension]) -> char {
    let inputs = ReviewInputs {
        exec: ExecReport::of(vec![result], None),
        patch_summary: vec![PatchedFile {
            path: "src/a.py".to_owned(),
            added: 1,
            removed: 0,
            gone: false,
            held: false,
        }],
        policy: ReviewPolicy { require: require.to_vec(), ..ReviewPolicy::default() },
        ..ReviewInputs::default()
    };
    match decide(&inputs).outcome {
        Outcome::Accept => 'a',
        Outcome::Revise => 'r',
        Outcome::Reject => 'x',
        Outcome::Unjudged => 'u',
    }
}

/// Checks one row after the other: what comes of each end with the change, by what came of the base.
fn check_rulings(
    columns: &[SampleRunEnd],
    rows: &[(SampleRunEnd, &str)],
    dimensions: &'static [Dimension],
    run_of: fn(SampleRunEnd) -> Option<GateRun>,
) {
    let mut wrong = Vec::new();
    for (ended, expected) in rows {
        let run = run_of(*ended).expect("a run of the change");
        let expected: Vec<char> = expected.chars().filter(|letter| *letter != ' ').collect();
        assert_eq!(expected.len(), columns.len(), "{ended:?}");
        for (column, wanted) in columns.iter().zip(expected) {
            let found = result(&run, run_of(*column).as_ref(), dimensions);
            let require = if dimensions == TESTS { TESTS } else { &[] };
            let state = found.state;
            assert_eq!(
                matches!(state, GateState::Errored | GateState::NotReady),
                found.trouble.is_some(),
                "{ended:?} on {column:?}"
            );
            assert!(
                state != GateState::Passed || dimensions != TESTS || *ended == SampleRunEnd::Green,
                "{ended:?} on {column:?}"
            );
            let ruling = ruled(found, require);
            if ruling != wanted {
                wrong.push(format!("{ended:?} on {column:?}: {ruling}, not {wanted} ({state:?})"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `a`ccept, `r`evise, `x` for reject, `u`njudged. A red run of tests is never green, whatever the base did; one that
/// executed no test is not either.
#[test]
fn every_end_of_tests_has_its_ruling_on_every_base() {
    use GateTrouble::{Contradiction, Crashed, Forged, Machine, MissingTool, NoReport, NoSandbox, OverLimit, TimedOut};
    use SampleRunEnd::{
        Absent, AllRed, Green, HalfBuilt, NoTests, Red, Skipped, TimedOutMidway, Troubled, Unbuilt, Unready,
    };
    let columns = [
        Absent,
        Green,
        Red,
        AllRed,
        TimedOutMidway,
        Skipped,
        NoTests,
        Unbuilt,
        HalfBuilt,
        Unready,
        Troubled(NoReport),
        Troubled(Crashed),
        Troubled(TimedOut),
        Troubled(OverLimit),
        Troubled(Contradiction),
        Troubled(MissingTool),
        Troubled(NoSandbox),
        Troubled(Machine),
        Troubled(Forged),
    ];
    let rows = [
        // By the base: it ran tests, or there is none to ask; it found no test; it was not built; it did not work.
        (Green, "aaaaa aa aaa aaaaaaaaa"),
        (Red, "rrrrr rr rrr rrrrrrrrr"),
        (AllRed, "rrrrr rr rrr rrrrrrrrr"),
        (TimedOutMidway, "rrrrr uu uru uuuuuuuuu"),
        (Skipped, "urrrr uu uru uuuuuuuuu"),
        // Tests that the base only skips are gone as well.
        (NoTests, "urrrr ru uru uuuuuuuuu"),
        // What neither side can build is not ready, unless the change touches the file.
        (Unbuilt, "rrrrr rr urr rrrrrrrrr"),
        (HalfBuilt, "rrrrr rr uur rrrrrrrrr"),
        (Unready, "rrrrr rr rru rrrrrrrrr"),
        (Troubled(NoReport), "urrrr uu uru uuuuuuuuu"),
        (Troubled(Crashed), "rrrrr uu uru uuuuuuuuu"),
        (Troubled(TimedOut), "rrrrr uu uru uuuuuuuuu"),
        (Troubled(OverLimit), "rrrrr uu uru uuuuuuuuu"),
        (Troubled(Contradiction), "rrrrr uu uru uuuuuuuuu"),
        (Troubled(MissingTool), "uuuuu uu uuu uuuuuuuuu"),
        (Troubled(NoSandbox), "uuuuu uu uuu uuuuuuuuu"),
        // The machine is no fault of a change, even where the base worked.
        (Troubled(Machine), "uuuuu uu uuu uuuuuuuuu"),
        (Troubled(Forged), "xxxxx xx xxx xxxxxxxxx"),
    ];
    check_rulings(&columns, &rows, TESTS, run_that);
}

/// What a compiler, linter or formatter objects to counts when it is new; that it came to no result is the change's
/// fault where the base came to one. Elsewhere it is not ready, and these rulings do not depend on it.
#[test]
fn every_end_of_a_check_has_its_ruling_on_every_base() {
    use GateTrouble::{Contradiction, Crashed, Forged, Machine, MissingTool, NoReport, NoSandbox, OverLimit, TimedOut};
    use SampleRunEnd::{Absent, Green, Red, Redder, Troubled, Warned};
    let columns = [
        Absent,
        Green,
        Red,
        Redder,
        Warned,
        Troubled(NoReport),
        Troubled(Crashed),
        Troubled(TimedOut),
        Troubled(MissingTool),
        Troubled(Machine),
        Troubled(Forged),
    ];
    let rows = [
        (Green, "aaaaa aaaaaa"),
        (Red, "rraar rrrrrr"),
        (Redder, "rrrar rrrrrr"),
        (Warned, "rrrra rrrrrr"),
        (Troubled(NoReport), "arrrr aaaaaa"),
        (Troubled(Crashed), "arrrr aaaaaa"),
        (Troubled(TimedOut), "arrrr aaaaaa"),
        (Troubled(OverLimit), "arrrr aaaaaa"),
        (Troubled(Contradiction), "arrrr aaaaaa"),
        (Troubled(MissingTool), "aaaaa aaaaaa"),
        (Troubled(NoSandbox), "aaaaa aaaaaa"),
        (Troubled(Machine), "aaaaa aaaaaa"),
        (Troubled(Forged), "xxxxx xxxxxx"),
    ];
    check_rulings(&columns, &rows, STYLE, lint_that);
}
