//! How many tests ran, read off the closing lines of well-known runners.
//!
//! Works on untrusted output: the result is evidence of what was printed, no more. It must not
//! know which command printed it.

use std::sync::LazyLock;

use assize_core::text::tail;
use assize_ecosystem::Language;
use regex::Regex;
use serde::{Deserialize, Serialize};

/// Counts of tests, added up over all closing lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestTally {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed or ended in an error.
    pub failed: u64,
    /// Tests that were skipped or ignored.
    pub skipped: u64,
}

/// Bytes of output that are looked at, from the end.
pub const LOOKED_AT_BYTES: usize = 256 * 1024;

/// Words of which at least one stands in every closing line; looked for first, all in one pass, since most output
/// has none.
const HINTS: [&str; 33] = [
    "Tests: ",
    "passed",
    "failed",
    "passing",
    "no tests ran",
    "Tests run:",
    "# pass",
    "ℹ pass",
    "ok  ",
    "ok\t",
    "--- FAIL",
    "FAIL\t",
    "examples,",
    "OK (",
    "Ran ",
    "tests passed",
    "tests completed",
    "test completed",
    "no test",
    "No test",
    "No examples",
    "Tests  no",
    " failures",
    " failure",
    "Failed:",
    "failed out of",
    "PASSED",
    "FAILED",
    "All tests",
    "successes",
    "succeeded",
    "Fail: ",
    ": Total ",
];

/// Adds up what the closing lines of test runners say; `None` where there is no such line.
pub fn tally(output: &str) -> Option<TestTally> {
    static HINT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(&HINTS.map(regex::escape).join("|")).expect("valid pattern"));
    let output = tail(output, LOOKED_AT_BYTES);
    if !HINT.is_match(output) {
        return None;
    }
    let mut tally = TestTally::default();
    let mut seen = false;
    let mut python_ran = None;
    for raw in output.lines() {
        let line = strip_ansi(raw);
        let line = line.trim();
        let line = ["[INFO] ", "[WARNING] ", "[ERROR] ", "[info] ", "[error] "]
            .iter()
            .find_map(|level| line.strip_prefix(level))
            .unwrap_or(line);
        if let Some((passed, failed, skipped)) = closing_line(line) {
            seen = true;
            tally.passed += passed;
            tally.failed += failed;
            tally.skipped += skipped;
        } else if let Some(ran) = unittest_ran(line) {
            python_ran = Some(ran);
        } else if let Some(ran) = python_ran
            && let Some(failed) = unittest_end(line)
        {
            seen = true;
            tally.failed += failed;
            tally.passed += ran.saturating_sub(failed);
            python_ran = None;
        }
    }
    seen.then_some(tally)
}

fn strip_ansi(line: &str) -> String {
    static ANSI: LazyLock<Regex> = LazyLock::new(|| Regex::new("\u{1b}\\[[0-9;]*[A-Za-z]").expect("valid pattern"));
    if line.contains('\u{1b}') { ANSI.replace_all(line, "").into_owned() } else { line.to_owned() }
}

/// Reads one line that closes a run; gives passed, failed, skipped.
fn closing_line(line: &str) -> Option<(u64, u64, u64)> {
    if let Some(rest) = line.strip_prefix("test result: ") {
        return Some((count(rest, "passed")?, count(rest, "failed")?, count(rest, "ignored").unwrap_or(0)));
    }
    // nextest: `Summary [ 0.1s] 3 tests run: 2 passed, 1 failed, 0 skipped`
    if line.starts_with("Summary [") && line.contains("tests run:")
        || line.starts_with("Summary [") && line.contains("test run:")
    {
        let rest = line.split_once("run:")?.1;
        let failed = count(rest, "failed").unwrap_or(0) + count(rest, "timed out").unwrap_or(0);
        return Some((count(rest, "passed").unwrap_or(0), failed, count(rest, "skipped").unwrap_or(0)));
    }
    if NO_TEST.iter().any(|words| line.trim_start_matches("Error: ").starts_with(words))
        || line.starts_with('?') && line.ends_with("[no test files]")
    {
        return Some((0, 0, 0));
    }
    // pytest: `=== 1 failed, 2 passed, 1 error in 0.1s ===`, or the same without rules with -q
    if line.contains("no tests ran") {
        return Some((0, 0, 0));
    }
    static PYTEST: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^=*\s*(\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|warnings?|deselected)(?:, )?)+ in [\d.]+ ?m?s")
            .expect("valid pattern")
    });
    if PYTEST.is_match(line) {
        let failed =
            count(line, "failed").unwrap_or(0) + count(line, "error").or_else(|| count(line, "errors")).unwrap_or(0);
        return Some((count(line, "passed").unwrap_or(0), failed, count(line, "skipped").unwrap_or(0)));
    }
    // jest and vitest: `Tests: 1 failed, 2 passed, 3 total`, `Tests  2 passed (2)`
    if let Some(rest) = line.strip_prefix("Tests:").or_else(|| line.strip_prefix("Tests ")) {
        if rest.trim_start().starts_with("succeeded") {
            return counted_line(line);
        }
        let (passed, failed) = (count(rest, "passed"), count(rest, "failed"));
        if passed.is_some() || failed.is_some() {
            let skipped = count(rest, "skipped").unwrap_or(0) + count(rest, "todo").unwrap_or(0);
            return Some((passed.unwrap_or(0), failed.unwrap_or(0), skipped));
        }
        // surefire and phpunit: `Tests run: 3, Failures: 1, Errors: 0, Skipped: 0`
        if let Some(run) = labelled(line, "Tests run:").or_else(|| labelled(line, "Tests:")) {
            let failed = labelled(line, "Failures:").unwrap_or(0) + labelled(line, "Errors:").unwrap_or(0);
            let skipped = labelled(line, "Skipped:").unwrap_or(0);
            return Some((run.saturating_sub(failed + skipped), failed, skipped));
        }
    }
    if let Some(rest) = line.strip_prefix("OK (") {
        return Some((count(rest, "tests").or_else(|| count(rest, "test"))?, 0, 0));
    }
    // gradle: `3 tests completed, 1 failed, 1 skipped`
    if let Some(all) = count(line, "tests completed").or_else(|| count(line, "test completed"))
        && line.starts_with(|first: char| first.is_ascii_digit())
    {
        let (failed, skipped) = (count(line, "failed").unwrap_or(0), count(line, "skipped").unwrap_or(0));
        return Some((all.saturating_sub(failed + skipped), failed, skipped));
    }
    if let Some(counted) = plain_line(line) {
        return Some(counted);
    }
    // mocha: `3 passing (10ms)`, `1 failing`
    static MOCHA: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^(\d+) (passing|failing)(?: \(.*\))?$").expect("valid pattern"));
    if let Some(found) = MOCHA.captures(line) {
        let number = found[1].parse().ok()?;
        return Some(if &found[2] == "passing" { (number, 0, 0) } else { (0, number, 0) });
    }
    // node:test and TAP: `# pass 3`, `# fail 1`; newer node prints `ℹ pass 3`
    if let Some(rest) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ ")) {
        let (word, number) = rest.split_once(' ')?;
        let number = number.trim().parse().ok()?;
        return match word {
            "pass" => Some((number, 0, 0)),
            "fail" => Some((0, number, 0)),
            "skipped" => Some((0, 0, number)),
            _ => None,
        };
    }
    go_line(line).or_else(|| rspec_line(line)).or_else(|| counted_line(line))
}

/// Closing lines that hold their counts beside words of their own: `all`, `pass`, `fail`, `error` and `skip`.
const COUNTED: [&str; 14] = [
    // ctest
    r"^\d+% tests passed, (?<fail>\d+) tests? failed out of (?<all>\d+)",
    // minitest
    r"^(?<all>\d+) (?:runs|tests), \d+ assertions, (?<fail>\d+) failures, (?<error>\d+) errors(?:, \d+ pendings, \d+ omissions|, (?<skip>\d+) skips)?",
    // ExUnit, bats
    r"^(?:\d+ doctests?, )?(?<all>\d+) tests?, (?<fail>\d+) failures?(?:, (?:\d+ excluded, )?(?<skip>\d+) skipped)?",
    // dotnet
    r"^(?:Passed|Failed|Skipped)! +- Failed: +(?<fail>\d+), Passed: +(?<pass>\d+), Skipped: +(?<skip>\d+),",
    // XCTest, Swift Testing
    r"^Executed (?<all>\d+) tests?, with (?:(?<skip>\d+) tests? skipped and )?(?<fail>\d+) failures?",
    r"^\S+ Test run with (?<all>\d+) tests?(?: in \d+ suites?)? (?:passed|failed after .* with (?<fail>\d+) issues?)",
    // ScalaTest, MUnit
    r"^Tests: succeeded (?<pass>\d+), failed (?<fail>\d+), canceled \d+, ignored (?<skip>\d+)",
    r"^(?:Passed|Failed): Total \d+, Failed (?<fail>\d+), Errors (?<error>\d+), Passed (?<pass>\d+)",
    // GoogleTest
    r"^\[  PASSED  \] (?<pass>\d+) tests?\.",
    r"^\[  FAILED  \] (?<fail>\d+) tests?, listed below",
    // Catch2, busted
    r"^test cases: \d+ \| (?:(?<pass>\d+) passed)?(?: \| )?(?:(?<fail>\d+) failed)?",
    r"^(?<pass>\d+) success(?:es)? / (?<fail>\d+) failures? / (?<error>\d+) errors? / (?<skip>\d+) pending",
    // tasty, Zig
    r"^All (?<all>\d+) tests passed",
    // tasty
    r"^(?<fail>\d+) out of (?<all>\d+) tests failed",
];

fn counted_line(line: &str) -> Option<(u64, u64, u64)> {
    static PATTERNS: LazyLock<Vec<Regex>> =
        LazyLock::new(|| COUNTED.iter().map(|pattern| Regex::new(pattern).expect("valid pattern")).collect());
    let found = PATTERNS.iter().find_map(|pattern| pattern.captures(line))?;
    let number = |name: &str| found.name(name).and_then(|digits| digits.as_str().parse::<u64>().ok());
    let failed = number("fail").unwrap_or(0) + number("error").unwrap_or(0);
    let skipped = number("skip").unwrap_or(0);
    let passed = number("pass").or_else(|| number("all").map(|all| all.saturating_sub(failed + skipped)));
    Some((passed.unwrap_or(0), failed, skipped))
}

/// What runners say that found nothing to run, at the beginning of a line.
const NO_TEST: [&str; 9] = [
    "No tests found",
    "No test files found",
    "No tests executed",
    "No test is available",
    "No test matches",
    "No examples found",
    "Tests  no tests",
    "no tests to run",
    "testing: warning: no tests to run",
];

/// deno: `ok | 3 passed | 0 failed (5ms)`; playwright: `3 passed (5.1s)`, `1 failed`; doctest: `3 passed and 0 failed.`
fn plain_line(line: &str) -> Option<(u64, u64, u64)> {
    if line.starts_with("ok | ") || line.starts_with("FAILED | ") {
        return Some((count(line, "passed")?, count(line, "failed")?, count(line, "ignored").unwrap_or(0)));
    }
    let rest = line.trim_end_matches('.');
    let rest = rest.split_once(" (").filter(|(_, time)| time.ends_with("s)")).map_or(rest, |(counts, _)| counts);
    let words: Vec<&str> = rest.split(' ').take(6).collect();
    match words[..] {
        [passed, "passed"] => Some((passed.parse().ok()?, 0, 0)),
        [failed, "failed"] => Some((0, failed.parse().ok()?, 0)),
        [passed, "passed", "and", failed, "failed"] => Some((passed.parse().ok()?, failed.parse().ok()?, 0)),
        _ => None,
    }
}

/// go test prints one line a package and, with -v, one a test; packages are counted.
fn go_line(line: &str) -> Option<(u64, u64, u64)> {
    let mut words = line.split_whitespace();
    match (words.next()?, words.next()) {
        ("ok", Some(package)) if package.contains('/') || package.contains('.') => {
            Some(if line.contains("[no tests to run]") { (0, 0, 0) } else { (1, 0, 0) })
        }
        // Runners of scripts begin so as well, with the name of a file.
        ("FAIL", Some(package))
            if (package.contains('/') || package.contains('.')) && Language::of(package).is_none() =>
        {
            Some((0, 1, 0))
        }
        ("---", Some("FAIL:")) => Some((0, 1, 0)),
        _ => None,
    }
}

fn rspec_line(line: &str) -> Option<(u64, u64, u64)> {
    static RSPEC: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?").expect("valid pattern"));
    let found = RSPEC.captures(line)?;
    let (all, failed): (u64, u64) = (found[1].parse().ok()?, found[2].parse().ok()?);
    Some((all.saturating_sub(failed), failed, 0))
}

fn unittest_ran(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("Ran ")?;
    let (number, rest) = rest.split_once(' ')?;
    (rest.starts_with("test")).then(|| number.parse().ok())?
}

fn unittest_end(line: &str) -> Option<u64> {
    if line == "OK" || line.starts_with("OK (") {
        return Some(0);
    }
    let rest = line.strip_prefix("FAILED (")?;
    let value = |name: &str| -> u64 {
        rest.split(name)
            .nth(1)
            .and_then(|after| after.split(|c: char| !c.is_ascii_digit()).next())
            .and_then(|digits| digits.parse().ok())
            .unwrap_or(0)
    };
    Some((value("failures=") + value("errors=")).max(1))
}

/// Reads the number before a word: `3 passed`.
fn count(text: &str, word: &str) -> Option<u64> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '|' | '=' | ')'))
        .filter(|w| !w.is_empty())
        .collect();
    let wanted: Vec<&str> = word.split(' ').collect();
    words.windows(wanted.len() + 1).find(|window| window[1..] == wanted[..]).and_then(|window| window[0].parse().ok())
}

/// Reads the number after a label: `Failures: 1`.
fn labelled(text: &str, label: &str) -> Option<u64> {
    let rest = text.split_once(label)?.1.trim_start();
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &str, expected: Option<(u64, u64, u64)>) {
        let expected = expected.map(|(passed, failed, skipped)| TestTally { passed, failed, skipped });
        assert_eq!(tally(output), expected, "{output}");
    }

    #[test]
    fn closing_lines_of_the_usual_runners_are_read() {
        check(
            "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\ntest result: FAILED. 1 passed; 2 failed; 0 ignored",
            Some((6, 2, 1)),
        );
        check("     Summary [   0.1s] 3 tests run: 2 passed, 1 failed, 4 skipped", Some((2, 1, 4)));
        check("===== 1 failed, 2 passed, 1 skipped, 1 error in 0.12s =====", Some((2, 2, 1)));
        check("3 passed in 0.01s", Some((3, 0, 0)));
        check("==== no tests ran in 0.00s ====", Some((0, 0, 0)));
        check("Tests:       1 failed, 2 passed, 3 total", Some((2, 1, 0)));
        check(
            "\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m2 passed\u{1b}[39m\u{1b}[22m\u{1b}[90m (2)\u{1b}[39m",
            Some((2, 0, 0)),
        );
        check("Tests run: 4, Failures: 1, Errors: 1, Skipped: 1", Some((1, 2, 1)));
        check("  3 passing (12ms)\n  1 failing", Some((3, 1, 0)));
        check("# tests 4\n# pass 3\n# fail 1", Some((3, 1, 0)));
        check("ℹ pass 2\nℹ fail 0", Some((2, 0, 0)));
        check("ok  \texample.org/a\t0.01s\nFAIL\texample.org/b\t0.02s", Some((1, 1, 0)));
        check("ok  \texample.org/a\t0.01s [no tests to run]", Some((0, 0, 0)));
        check("4 examples, 1 failure", Some((3, 1, 0)));
        check("67% tests passed, 1 tests failed out of 3", Some((2, 1, 0)));
        check("3 runs, 5 assertions, 1 failures, 0 errors, 1 skips", Some((1, 1, 1)));
        check("2 doctests, 4 tests, 1 failure", Some((3, 1, 0)));
        check(
            "Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 2 s - A.dll (net8.0)",
            Some((3, 0, 1)),
        );
        check("\t Executed 3 tests, with 1 failure (0 unexpected) in 0.1 (0.1) seconds", Some((2, 1, 0)));
        check("[info] Tests: succeeded 2, failed 1, canceled 0, ignored 1, pending 0", Some((2, 1, 1)));
        check("[info] Passed: Total 3, Failed 0, Errors 0, Passed 3", Some((3, 0, 0)));
        check("[  PASSED  ] 3 tests.\n[  FAILED  ] 1 test, listed below:", Some((3, 1, 0)));
        check("test cases: 3 | 2 passed | 1 failed", Some((2, 1, 0)));
        check("3 successes / 1 failure / 0 errors / 0 pending : 0.1 seconds", Some((3, 1, 0)));
        check("1 out of 3 tests failed (0.00s)", Some((2, 1, 0)));
        check("OK (3 tests, 5 assertions)", Some((3, 0, 0)));
        check("Ran 3 tests in 0.001s\n\nFAILED (failures=1)", Some((2, 1, 0)));
        check("Ran 3 tests in 0.001s\n\nOK", Some((3, 0, 0)));
        check("3 tests completed, 1 failed", Some((2, 1, 0)));
        check("12 tests completed, 2 failed, 1 skipped", Some((9, 2, 1)));
        check("3 items passed all tests:\n3 passed and 0 failed.\nTest passed.", Some((3, 0, 0)));
        check("ok | 3 passed | 1 failed (5ms)", Some((3, 1, 0)));
        check("  1 failed\n    a.spec.js:3:1 › books\n  4 passed (5.1s)", Some((4, 1, 0)));
    }

    #[test]
    fn runs_without_a_test_are_told_from_no_run() {
        for output in [
            "No tests found, exiting with code 0",
            "Error: No test files found: \"test/*.js\"",
            "No test files found, exiting with code 0",
            "      Tests  no tests",
            "testing: warning: no tests to run\nPASS\nok  \texample.org/a\t0.01s [no tests to run]",
            "?   \texample.org/a\t[no test files]",
            "No tests executed!",
            "No examples found.\n\n0 examples, 0 failures",
            "test result: ok. 0 passed; 0 failed; 0 ignored",
            "ok | 0 passed | 0 failed (2ms)",
            "  0 passing (1ms)",
            "Running 0 tests using 0 workers\n  0 passed (1s)",
            "Tests:       0 passed, 0 total",
        ] {
            check(output, Some((0, 0, 0)));
        }
        check("?   \texample.org/a\t[no test files]\nok  \texample.org/b\t0.01s", Some((1, 0, 0)));
        for output in ["there are no tests to run here", "See: No tests found", "what is a [no test files]"] {
            check(output, None);
        }
    }

    #[test]
    fn other_output_is_no_closing_line() {
        check("", None);
        check("the check passed and nothing failed", None);
        check("12 passed away", None);
        check("some passed\n1 failed attempt\nthe job completed, 1 failed", None);
        check("Tests are in tests/", None);
    }
}
