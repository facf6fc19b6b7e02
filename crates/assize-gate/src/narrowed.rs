//! Runs of the tests of some files, completed by a run of all.
//!
//! The tests of a change differ from those of the base only in the files that the change touches. With the code of the
//! change the others have run already. This module puts both runs together; it must not know which files are touched.

use std::collections::BTreeSet;

use assize_report::{TestCase, TestOutcome, TestRun};

use crate::comparison::go_package;
use crate::gate::{GateRun, GateState};

/// Completes a run of the tests of `files` by what a run of all tests says of the other files. `None` where the run of
/// some does not say enough, such as when a test fails that may lean on others.
pub fn completed(some: &GateRun, all: &GateRun, files: &BTreeSet<String>) -> Option<GateRun> {
    // Where something could not be built, its tests are not among all.
    let is_built = all.report.as_ref().is_some_and(|report| report.diagnostics.is_empty());
    let came_to_its_end = matches!(all.state, GateState::Passed | GateState::Failed);
    if some.state != GateState::Passed || !came_to_its_end || !is_built {
        return None;
    }
    let groups: BTreeSet<&str> = some.cases().map(group).collect();
    let is_other = |case: &&TestCase| {
        !groups.contains(group(case)) && !case.path.as_ref().is_some_and(|path| files.contains(path))
    };
    let others: Vec<TestCase> = all.cases().filter(is_other).cloned().collect();
    let all_faults = all.report.iter().flat_map(|report| &report.tests).flat_map(|tests| &tests.faults);
    let faults_of_others =
        all_faults.filter(|id| others.iter().any(|case| case.id == **id)).cloned().collect::<Vec<_>>();
    let mut run = some.clone();
    if others.iter().any(|case| case.outcome == TestOutcome::Failed) {
        run.state = GateState::Failed;
    }
    let tests = run.report.as_mut()?.tests.as_mut()?;
    let cases = std::mem::take(&mut tests.cases).into_iter().chain(others).collect();
    let faults = std::mem::take(&mut tests.faults);
    // What the runner says of its sum is no longer right.
    *tests = TestRun { cases, announced: None, faults: faults.into_iter().chain(faults_of_others).collect() };
    Some(run)
}

/// What always runs as a whole: the file of a test, or the program or the package that the runner names it by.
fn group(case: &TestCase) -> &str {
    let of_cargo = || case.id.split_once(' ').map(|(program, _)| program);
    let named = || of_cargo().or_else(|| go_package(&case.id)).unwrap_or(&case.id);
    case.path.as_deref().unwrap_or_else(named)
}

#[cfg(test)]
mod tests {
    use TestOutcome::{Failed, Passed};

    use super::*;
    use crate::exec_report::testing::tested;

    fn ids(run: &GateRun) -> Vec<(&str, TestOutcome)> {
        run.cases().map(|case| (case.id.as_str(), case.outcome)).collect()
    }

    fn in_files(mut run: GateRun) -> GateRun {
        for case in &mut run.report.as_mut().expect("a report").tests.as_mut().expect("tests").cases {
            case.path = case.id.split_once("::").map(|(path, _)| path.to_owned());
        }
        run
    }

    #[test]
    fn files_that_were_left_out_are_as_they_were() {
        let some = in_files(tested(&[("a.py::new", Passed)]));
        let all = in_files(tested(&[("a.py::old", Passed), ("b.py::x", Passed), ("gone.py::y", Passed)]));
        let files = ["a.py", "gone.py"].map(str::to_owned).into();
        let run = completed(&some, &all, &files).expect("it says enough");
        assert_eq!(ids(&run), [("a.py::new", Passed), ("b.py::x", Passed)]);
        assert_eq!(run.state, GateState::Passed);
        let red = in_files(tested(&[("b.py::x", Failed)]));
        assert_eq!(completed(&some, &red, &files).expect("it says enough").state, GateState::Failed);
    }

    #[test]
    fn programs_and_packages_run_as_a_whole() {
        for (some, all, kept) in [
            ("p::a new", ["p::a old", "p::b x"], "p::b x"),
            ("e.com/m/a.TestNew", ["e.com/m/a.TestOld/sub", "e.com/m/b.TestX"], "e.com/m/b.TestX"),
        ] {
            let all = tested(&[(all[0], Passed), (all[1], Passed)]);
            let run = completed(&tested(&[(some, Passed)]), &all, &BTreeSet::new()).expect("it says enough");
            assert_eq!(ids(&run), [(some, Passed), (kept, Passed)]);
        }
    }

    #[test]
    fn a_failure_says_nothing_by_itself() {
        let (green, red) = (tested(&[("a", Passed)]), tested(&[("a", Failed)]));
        assert_eq!(completed(&red, &green, &BTreeSet::new()), None);
        assert_eq!(completed(&green, &crate::exec_report::testing::unbuilt("a.rs"), &BTreeSet::new()), None);
        let none = GateRun { state: GateState::Errored, ..green.clone() };
        assert_eq!(completed(&green, &none, &BTreeSet::new()), None);
    }
}
