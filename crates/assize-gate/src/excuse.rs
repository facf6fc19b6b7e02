//! Failing tests that are not held against a change: known red ones, and flaky ones.
//!
//! A test that fails on the base with the same words is known red if it does not depend on what changed. Whether it does
//! is found out by running it with every changed function cut off: a test that then says the same as before does not
//! reach the change. This module compares runs; it must not know who makes them.

use std::collections::{BTreeMap, BTreeSet};

use assize_report::{TestCase, TestOutcome};
use serde::{Deserialize, Serialize};

use crate::gate::GateRun;

/// Why a failing test is not held against the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Excuse {
    /// It fails on the base as well, and does not depend on what changed.
    KnownRed,
    /// It passed when it was run again on the same tree.
    Flaky,
}

/// The tests that are excused, by their ids.
pub type Excuses = BTreeMap<String, Excuse>;

fn failing(run: &GateRun) -> impl Iterator<Item = &TestCase> {
    let tests = run.report.as_ref().and_then(|report| report.tests.as_ref());
    tests.into_iter().flat_map(|tests| &tests.cases).filter(|case| case.outcome == TestOutcome::Failed)
}

fn messages(run: &GateRun) -> BTreeMap<&str, String> {
    failing(run).map(|case| (case.id.as_str(), gist(case.message.as_deref().unwrap_or_default()))).collect()
}

/// The most characters of a message that are compared.
const GIST_CHARS_MAX: usize = 2_000;

/// Returns a message without what differs from run to run: numbers, addresses and times.
fn gist(message: &str) -> String {
    let mut text = String::new();
    for character in message.chars().take(GIST_CHARS_MAX) {
        match character {
            '0'..='9' if text.ends_with('#') => {}
            '0'..='9' => text.push('#'),
            // The rest of a number to base 16.
            'a'..='f' | 'A'..='F' | 'x' if text.ends_with('#') => {}
            other => text.push(other),
        }
    }
    text
}

/// Returns the tests that fail on both sides and say the same.
pub fn red_alike(run: &GateRun, base: &GateRun) -> BTreeSet<String> {
    let before = messages(base);
    let alike = messages(run).into_iter().filter(|(id, message)| before.get(id) == Some(message));
    alike.map(|(id, _)| id.to_owned()).collect()
}

/// Returns which of these tests do not depend on what changed: they say the same with every changed function cut off.
/// That run must have come to its tests.
pub fn independent_of_change(ids: &BTreeSet<String>, run: &GateRun, cut_off: &GateRun) -> BTreeSet<String> {
    let alike = red_alike(run, cut_off);
    ids.intersection(&alike).cloned().collect()
}

/// Returns the tests that passed on the base and fail with the change.
pub fn newly_failing(run: &GateRun, base: &GateRun) -> BTreeSet<String> {
    let tests = base.report.as_ref().and_then(|report| report.tests.as_ref());
    let cases = tests.into_iter().flat_map(|tests| &tests.cases);
    let passed: BTreeSet<&str> =
        cases.filter(|case| case.outcome == TestOutcome::Passed).map(|case| case.id.as_str()).collect();
    failing(run).filter(|case| passed.contains(case.id.as_str())).map(|case| case.id.clone()).collect()
}

/// Returns which of these tests passed in a run.
pub fn passed_in(ids: &BTreeSet<String>, run: &GateRun) -> BTreeSet<String> {
    let tests = run.report.as_ref().and_then(|report| report.tests.as_ref());
    let cases = tests.into_iter().flat_map(|tests| &tests.cases);
    let passed = cases.filter(|case| case.outcome == TestOutcome::Passed && ids.contains(&case.id));
    passed.map(|case| case.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec_report::testing::tested;

    fn red(says: &[(&str, &str)]) -> GateRun {
        let mut run = tested(&says.iter().map(|(id, _)| (*id, TestOutcome::Failed)).collect::<Vec<_>>());
        let tests = run.report.as_mut().and_then(|report| report.tests.as_mut()).expect("tests");
        for (case, (_, message)) in tests.cases.iter_mut().zip(says) {
            case.message = Some((*message).to_owned());
        }
        run
    }

    #[test]
    fn only_tests_that_say_the_same_are_alike() {
        let base = red(&[("a", "refused at 0x7f3a after 12 s"), ("b", "1 != 2"), ("c", "no such file")]);
        let now = red(&[("a", "refused at 0x81bb after 9 s"), ("b", "None != 2"), ("d", "no such file")]);
        assert_eq!(red_alike(&now, &base), BTreeSet::from(["a".to_owned()]));
    }

    #[test]
    fn a_test_that_reaches_a_function_says_so_when_it_is_cut_off() {
        let now = red(&[("a", "refused"), ("b", "1 != 2")]);
        let cut_off = red(&[("a", "refused"), ("b", "RuntimeError: w")]);
        let both = BTreeSet::from(["a".to_owned(), "b".to_owned()]);
        assert_eq!(independent_of_change(&both, &now, &cut_off), BTreeSet::from(["a".to_owned()]));
        assert_eq!(independent_of_change(&both, &now, &tested(&[])), BTreeSet::new(), "it came to no test");
    }

    #[test]
    fn a_test_is_flaky_where_it_passes_again() {
        let base = tested(&[("a", TestOutcome::Passed), ("b", TestOutcome::Failed)]);
        let new = newly_failing(&red(&[("a", ""), ("b", ""), ("c", "")]), &base);
        assert_eq!(new, BTreeSet::from(["a".to_owned()]));
        assert_eq!((passed_in(&new, &base), passed_in(&new, &red(&[("a", "")]))), (new, BTreeSet::new()));
    }
}
