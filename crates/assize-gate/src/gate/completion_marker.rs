//! Completion markers: what tests themselves say of their end, beside what the runner says of them.
//!
//! A runner reports what its process prints, and whatever is tested runs in the same process: it can print the lines of
//! a harness and end. A completion marker stands in the body of the test and says a word that only it has when the body is left. Here
//! is decided what a report is worth with what they said; who put them there, and how, is not known here.

use std::collections::BTreeSet;

use assize_report::TestOutcome;

use super::{GateRun, GateState, GateTrouble};

/// The variable that tells the build where completion markers write. A command that sets it takes completion markers.
pub const VARIABLE: &str = "ASSIZE_MARKERS";
/// The file in the folder of reports in which they write, one word a line.
pub const REPORT: &str = "markers";
/// Provided file: in each line a number and a path. The file of the path is put back as it was from [`ORIGINAL`] before the
/// first test runs, where it still is as in [`MARKED`].
pub const LIST: &str = "marked.list";
/// Provided files: what stood at a path, by its number.
pub const ORIGINAL: &str = "original.";
/// Provided files: what stands there during the build, by its number.
pub const MARKED: &str = "marked.";

/// The file in the folder of reports that names files which were rewritten during the build, one a line.
pub const REWRITTEN: &str = "rewritten";

/// A test that says itself how it was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionMarker {
    /// How the runner may call the test; more than once where several programs hold it.
    pub ids: Vec<String>,
    /// The word for an end without a panic.
    pub ended: String,
    /// The word for a panic.
    pub panicked: String,
    /// Words that it never says.
    pub silent: Vec<String>,
    /// Whether the test passes by a panic.
    pub should_panic: bool,
}

/// What a run left behind beside the runner's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunArtifacts<'a> {
    /// What completion markers wrote.
    pub words: &'a [u8],
    /// The list of files that were rewritten during the build.
    pub rewritten: &'a [u8],
}

/// Holds a run against what completion markers wrote. A test that is reported as passed has failed where its marker is silent; that
/// the runner knows no such test is nothing to object to.
pub fn hear(markers: &[CompletionMarker], left: RunArtifacts<'_>, run: &mut GateRun) {
    let forged = |detail: String| (GateState::Errored, Some((GateTrouble::Forged, detail)));
    if let Some(path) = String::from_utf8_lossy(left.rewritten).lines().next().filter(|_| !markers.is_empty()) {
        (run.state, run.trouble) = forged(format!("{path} was rewritten during the build"));
        return;
    }
    let text = String::from_utf8_lossy(left.words);
    let said: BTreeSet<&str> = text.lines().map(str::trim).collect();
    if markers.iter().flat_map(|marker| &marker.silent).any(|word| said.contains(word.as_str())) {
        (run.state, run.trouble) = forged("a word was written that no test writes".to_owned());
        return;
    }
    let Some(tests) = run.report.as_mut().and_then(|report| report.tests.as_mut()) else { return };
    let word = |marker: &'_ CompletionMarker| {
        let word = if marker.should_panic { &marker.panicked } else { &marker.ended };
        said.contains(word.as_str())
    };
    // Of tests of one name that are compiled on different platforms, one speaks for all.
    let ids = |speaks: bool| markers.iter().filter(move |one| word(one) == speaks).flat_map(|one| &one.ids);
    let heard: BTreeSet<&String> = ids(true).collect();
    let silent: BTreeSet<&String> = ids(false).filter(|id| !heard.contains(id)).collect();
    let mut turned = 0;
    for case in &mut tests.cases {
        if case.outcome == TestOutcome::Passed && silent.contains(&case.id) {
            case.outcome = TestOutcome::Failed;
            case.message = Some(SILENT.to_owned());
            turned += 1;
        }
    }
    if let Some(announced) = &mut tests.announced {
        announced.passed = announced.passed.saturating_sub(turned);
        announced.failed += turned;
    }
    if turned > 0 && run.state == GateState::Passed {
        run.state = GateState::Failed;
    }
}

const SILENT: &str = "it is reported as passed, and its body was never left: the process was ended in it, or another test runs under its name";

#[cfg(test)]
mod tests {
    use super::*;
    use assize_report::{Announced, TestCase, TestRun, ToolReport};

    fn marker(id: &str, should_panic: bool) -> CompletionMarker {
        CompletionMarker {
            ids: vec![id.to_owned(), format!("bin {id}")],
            ended: format!("{id}-e"),
            panicked: format!("{id}-p"),
            silent: vec![format!("{id}-s")],
            should_panic,
        }
    }

    fn run(cases: &[(&str, TestOutcome)]) -> GateRun {
        let cases: Vec<TestCase> = cases
            .iter()
            .map(|(id, outcome)| TestCase {
                id: (*id).to_owned(),
                path: None,
                outcome: *outcome,
                message: None,
                time_ms: None,
            })
            .collect();
        let announced = Some(Announced { passed: cases.len(), ..Announced::default() });
        let report =
            ToolReport { tests: Some(TestRun { cases, announced, ..TestRun::default() }), ..ToolReport::default() };
        GateRun { state: GateState::Passed, trouble: None, report: Some(report) }
    }

    #[test]
    fn a_test_has_passed_when_its_marker_says_so() {
        use TestOutcome::{Failed, Passed, Skipped};
        for (should_panic, outcome, said, state) in [
            (false, Passed, "a-e\n", GateState::Passed),
            (false, Passed, "", GateState::Failed),
            (false, Passed, "b-e\n", GateState::Failed),
            (false, Passed, "a-p\n", GateState::Failed),
            // It was run again.
            (false, Passed, "a-p\na-e\n", GateState::Passed),
            (true, Passed, "a-p\n", GateState::Passed),
            (true, Passed, "a-e\n", GateState::Failed),
            (false, Skipped, "", GateState::Passed),
            (false, Passed, "a-e\na-s\n", GateState::Errored),
            (false, Failed, "a-s\n", GateState::Errored),
        ] {
            let mut run = run(&[("a", outcome), ("other", Passed)]);
            hear(&[marker("a", should_panic)], RunArtifacts { words: said.as_bytes(), rewritten: b"" }, &mut run);
            assert_eq!(run.state, state, "{should_panic} {outcome:?} {said}");
            assert_eq!(run.trouble.is_some(), state == GateState::Errored, "{said}");
        }
    }

    #[test]
    fn of_two_tests_of_one_name_one_speaks() {
        let other = CompletionMarker { ended: "x".to_owned(), ..marker("a", false) };
        for (said, state) in [("a-e\n", GateState::Passed), ("x\n", GateState::Passed), ("", GateState::Failed)] {
            let mut run = run(&[("a", TestOutcome::Passed)]);
            let left = RunArtifacts { words: said.as_bytes(), rewritten: b"" };
            hear(&[marker("a", false), other.clone()], left, &mut run);
            assert_eq!(run.state, state, "{said}");
        }
    }

    #[test]
    fn sums_stay_sums() {
        let mut run = run(&[("a", TestOutcome::Passed), ("bin a", TestOutcome::Passed), ("b", TestOutcome::Passed)]);
        hear(&[marker("a", false)], RunArtifacts::default(), &mut run);
        let tests = run.report.unwrap().tests.unwrap();
        assert_eq!(tests.announced, Some(Announced { passed: 1, failed: 2, skipped: 0 }));
        assert_eq!(tests.count(TestOutcome::Failed), 2);
        assert!(tests.check().is_ok());
    }

    #[test]
    fn rewritten_tests_say_nothing() {
        let mut run = run(&[("a", TestOutcome::Passed)]);
        hear(&[marker("a", false)], RunArtifacts { words: b"a-e\n", rewritten: b"/w/tests/a.rs\n" }, &mut run);
        assert_eq!(run.state, GateState::Errored);
        assert!(run.trouble.unwrap().1.starts_with("/w/tests/a.rs was rewritten"));
    }

    #[test]
    fn a_run_without_tests_stays_as_it_is() {
        let mut run = GateRun { state: GateState::Failed, trouble: None, report: Some(ToolReport::default()) };
        hear(&[marker("a", false)], RunArtifacts::default(), &mut run);
        assert_eq!(run.state, GateState::Failed);
    }
}
