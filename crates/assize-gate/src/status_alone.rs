//! What a script is worth that runs tests and leaves nothing but its status.
//!
//! Status 0 alone proves nothing. It does where the script turns red as soon as every changed function fails, and its
//! words say that it has come upon one; and where it prints what it prints on the base, so that it has come to its end.
//! This module compares runs; it must not know who makes them.

use std::collections::BTreeMap;

use assize_report::{TestCase, TestOutcome, TestRun, ToolReport};

use crate::gate::{GateRun, GateState, GateTrouble};

/// How many of a hundred lines of the base may be missing.
const MISSING_PERCENT_MAX: usize = 10;

/// A run, with what it printed.
#[derive(Debug, Clone, Copy)]
pub struct PrintedRun<'a> {
    /// The run.
    pub run: &'a GateRun,
    /// What it printed.
    pub printed: &'a str,
}

/// Returns whether a run ended well, and left nothing but its status.
pub fn is_status_alone(run: &GateRun) -> bool {
    run.trouble.as_ref().is_some_and(|(kind, _)| *kind == GateTrouble::StatusAlone)
}

/// Returns whether a run prints what the base prints, but for numbers and a few lines. Nothing is like nothing else.
pub fn prints_alike(run: PrintedRun<'_>, base: PrintedRun<'_>) -> bool {
    let (mut now, before) = (counted(run.printed), counted(base.printed));
    let lines: usize = before.values().sum();
    let mut missing = 0;
    for (line, count) in before {
        missing += count.saturating_sub(now.remove(&line).unwrap_or(0));
    }
    lines > 0 && missing * 100 <= lines * MISSING_PERCENT_MAX
}

/// Returns whether a run with every changed function cut off came upon one of them, and is red for it.
pub fn notices(cut_off: PrintedRun<'_>, word: &str) -> bool {
    cut_off.run.state == GateState::Failed && cut_off.printed.contains(word)
}

/// The run of a script of which it is known that it tests: one test, which passed.
pub fn as_test(name: &str) -> GateRun {
    let case = TestCase { id: name.to_owned(), path: None, outcome: TestOutcome::Passed, message: None, time_ms: None };
    let tests = Some(TestRun { cases: vec![case], ..TestRun::default() });
    GateRun { state: GateState::Passed, trouble: None, report: Some(ToolReport { tests, ..ToolReport::default() }) }
}

/// The lines of a text without their numbers, and how often each is there.
fn counted(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut plain = String::new();
        for character in line.chars() {
            match character {
                '0'..='9' | '.' if plain.ends_with('#') => {}
                '0'..='9' => plain.push('#'),
                other => plain.push(other),
            }
        }
        *counts.entry(plain).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(printed: &str, base: &str) -> bool {
        let run = as_test("script");
        prints_alike(PrintedRun { run: &run, printed }, PrintedRun { run: &run, printed: base })
    }

    #[test]
    fn a_script_that_comes_to_its_end_prints_what_it_prints_on_the_base() {
        let base = "a.js  • • •   (3 / 3)\n\n  Total:     3\n  Duration:  1.25ms\n";
        assert!(alike("a.js  • • •   (4 / 4)\n  Total:     4\n  Duration:  0.7ms\n", base));
        assert!(!alike("a.js  • • •", base), "it has been left before its end");
        assert!(!alike("", ""), "a script that prints nothing says nothing");
        let lines = |count: usize| (0..count).map(|at| format!("test {}\n", "x".repeat(at + 1))).collect::<String>();
        assert!(alike(&lines(18), &lines(20)));
        assert!(!alike(&lines(17), &lines(20)));
    }

    #[test]
    fn a_red_run_has_to_name_what_was_cut_off() {
        let (green, red) = (as_test("script"), GateRun { state: GateState::Failed, ..as_test("script") });
        let said = |run, printed| notices(PrintedRun { run, printed }, "word");
        assert!(said(&red, "Error: word\n"));
        assert!(!said(&red, "tsc: unreachable code\n"), "it is red for something else");
        assert!(!said(&green, "Error: word\n"));
    }
}
