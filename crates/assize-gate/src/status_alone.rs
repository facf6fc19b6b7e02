//! What a script is worth that runs tests and leaves nothing but its status.
//!
//! Status 0 alone proves nothing. It does where the script turns red as soon as every changed function fails, and its
//! words say that it has come upon one; and where it prints what it prints on the base, so that it has come to its end.
//! This module compares runs; it must not know who makes them.

use std::collections::BTreeMap;

use assize_report::{TestCase, TestOutcome, TestRun, ToolReport};

use crate::comparison::counted;
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

/// Returns whether a run prints what the base prints, but for numbers and a few lines: its last line is there, so that it has
/// come to its end, and no line complains that does not on the base. Nothing is like nothing else.
pub fn prints_alike(run: PrintedRun<'_>, base: PrintedRun<'_>) -> bool {
    let last = base.printed.lines().map(str::trim).rfind(|line| !line.is_empty()).map(without_numbers);
    let (mut now, before) = (lines_of(run.printed), lines_of(base.printed));
    let ends_alike = last.is_some_and(|last| now.contains_key(&last));
    let lines: usize = before.values().sum();
    let mut missing = 0;
    for (line, count) in before {
        missing += count.saturating_sub(now.get(&line).copied().unwrap_or(0));
        if let Some(more) = now.get_mut(&line) {
            *more = more.saturating_sub(count);
        }
    }
    let complains = now.iter().any(|(line, more)| *more > 0 && is_complaint(line));
    ends_alike && !complains && missing * 100 <= lines * MISSING_PERCENT_MAX
}

/// Words with which a script says that something went wrong, or was not tried.
const COMPLAINTS: [&str; 12] = [
    "assert",
    "cancel",
    "error",
    "exception",
    "expected",
    "fail",
    "mismatch",
    "not ok",
    "pending",
    "skip",
    "todo",
    "warn",
];

/// Returns whether a line speaks of something that went wrong, or that nothing did.
fn is_complaint(line: &str) -> bool {
    let line = line.to_lowercase();
    line.contains(['✗', '✘', '✖', '×']) || COMPLAINTS.iter().any(|word| line.contains(word))
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
fn lines_of(text: &str) -> BTreeMap<String, usize> {
    counted(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(without_numbers))
}

/// A line without its numbers. Where it speaks of what went wrong, it still says of each number whether it is 0, but for times.
fn without_numbers(line: &str) -> String {
    let keeps_zero = is_complaint(line);
    let mut plain = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let number = rest.len() - rest.trim_start_matches(|it: char| it.is_ascii_digit() || it == '.').len();
        if !first.is_ascii_digit() {
            plain.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (number, after) = rest.split_at(number);
        let is_time = ["ms", "µs", "s"].iter().any(|unit| {
            let after = after.trim_start().strip_prefix(unit);
            after.is_some_and(|after| !after.starts_with(char::is_alphanumeric))
        });
        plain.push(if keeps_zero && number == "0" && !is_time { '0' } else { '#' });
        rest = after;
    }
    plain
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
        let without = |first: usize| lines(20).split_inclusive('\n').skip(first).collect::<String>();
        assert!(alike(&without(2), &lines(20)));
        assert!(!alike(&without(3), &lines(20)));
        assert!(!alike(&lines(19), &lines(20)), "the last test did not run");
    }

    #[test]
    fn a_script_that_complains_does_not_print_the_same() {
        let base = "ok total\npassed: 2\nfailed: 0\ndone in 1.2 s\n";
        assert!(alike("ok total\nok mean\npassed: 3\nfailed: 0\ndone in 2 s\n", base));
        for more in ["Assertion failed: total of a list\n", "not ok total\n", "# SKIP total\n", "✗ total\n"] {
            assert!(!alike(&format!("{more}{base}"), base), "{more}");
            assert!(alike(&format!("{more}{base}"), &format!("{more}{base}")), "{more}");
        }
        assert!(!alike("ok total\npassed: 1\nfailed: 1\ndone in 1.2 s\n", base));
        assert!(alike("4 passed, 0 failed, 0 ms\n", "3 passed, 0 failed, 1.25 ms\n"));
        assert!(!alike("3 passed, 1 failed, 1 ms\n", "4 passed, 0 failed, 1 ms\n"));
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
