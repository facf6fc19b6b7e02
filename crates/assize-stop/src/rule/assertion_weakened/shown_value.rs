//! An assertion that failed with one value, and now lets that value pass without naming it.
//!
//! The report of a failure says what was expected and what came. Where the expected value went from the assertion, and what took its place
//! neither expects the other one exactly nor names a value of its own, the assertion was made to accept what the code does.

use std::sync::LazyLock;

use regex::Regex;

use super::{EXACT, LOOSE};

/// What an assertion expected, and what it got, as a runner printed them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShownValues {
    expected: String,
    actual: String,
}

/// How runners print both on one line, and whether what came stands first.
static ON_ONE_LINE: LazyLock<Vec<(Regex, bool)>> = LazyLock::new(|| {
    const WAYS: [(&str, bool); 9] = [
        (r"assert VALUE == VALUE", true),
        (r"\bexpected VALUE to (?:be|equal|deeply equal) VALUE", true),
        (r"expected:? ?VALUE,? (?:but was|but got|got|actual|received):? ?VALUE", false),
        (r"= VALUE[,;] (?:want|wanted|expected|expect) VALUE", true),
        (r"(?:got|have)[: =]+VALUE[,;]? (?:want|wanted|expected)[: =]+VALUE", true),
        (r"(?:want|wanted)[: =]+VALUE[,;]? (?:got|have)[: =]+VALUE", false),
        (r"that VALUE (?:matches expected|is identical to) VALUE", true),
        (r"Error: VALUE != VALUE", true),
        (r"\(VALUE\) is not equal to \(VALUE\)", true),
    ];
    const VALUE: &str = r"(?:[\x22'<`]([^\x22'<>`\n]{1,60})[\x22'>`]|(-?[0-9][0-9A-Za-z_.]*))";
    let read = |(way, actual_first): (&str, bool)| {
        (Regex::new(&way.replace("VALUE", VALUE)).expect("valid pattern"), actual_first)
    };
    WAYS.into_iter().map(read).collect()
});

/// The line of what was expected, in reports that take two lines for both.
static EXPECTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:E\s+)?(?:[Ee]xpected(?: value)?:|right:|-\s+[\x22'A-Za-z_]+[\x22']?:|expected =|want:)\s*[\x22'<`]?([^\x22'<>`,\n]{1,60}?)[\x22'>`,]*\s*$").expect("valid pattern")
});
/// That of what came.
static ACTUAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:E\s+)?(?:[Aa]ctual(?: value)?:|[Rr]eceived:|got:|left:|\+\s+[\x22'A-Za-z_]+[\x22']?:|actual =|but was:)\s*[\x22'<`]?([^\x22'<>`,\n]{1,60}?)[\x22'>`,]*\s*$").expect("valid pattern")
});
/// Lines between the two of them.
const APART_MAX: usize = 3;

impl ShownValues {
    /// Reads all of a report.
    pub(super) fn of(report: &str) -> Vec<Self> {
        let mut found = Vec::new();
        for (way, actual_first) in ON_ONE_LINE.iter() {
            for captures in way.captures_iter(report) {
                let value = |at: usize| captures.get(at).or_else(|| captures.get(at + 1)).map_or("", |found| found.as_str());
                let (first, second) = (value(1), value(3));
                let (expected, actual) = if *actual_first { (second, first) } else { (first, second) };
                let plain = |value: &str| value.trim_end_matches('.').to_owned();
                found.push(Self { expected: plain(expected), actual: plain(actual) });
            }
        }
        let lines: Vec<&str> = report.lines().collect();
        let value = |pattern: &Regex, line: &str| Some(pattern.captures(line)?[1].trim().to_owned());
        for (at, line) in lines.iter().enumerate() {
            let Some(expected) = value(&EXPECTED, line) else { continue };
            let near = &lines[at.saturating_sub(APART_MAX)..lines.len().min(at + APART_MAX + 1)];
            let others = near.iter().filter_map(|line| value(&ACTUAL, line));
            found.extend(others.map(|actual| Self { expected: expected.clone(), actual }));
        }
        found.retain(|shown| shown.expected != shown.actual);
        found
    }

    /// Returns whether a line that expected the one value was replaced by a line that lets the other one pass.
    pub(super) fn are_let_pass(&self, old: &str, new: &str) -> bool {
        let (expects, admits) = (has_value(new, &self.expected), has_value(new, &self.actual));
        let is_exact = EXACT.is_match(new);
        has_value(old, &self.expected)
            && EXACT.is_match(old)
            && !has_value(old, &self.actual)
            && if expects { admits } else { !is_exact || LOOSE.is_match(new) && !admits }
    }
}

/// Returns whether a value stands in a line, as it stands there whole.
fn has_value(line: &str, value: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.');
    let plain = line.replace('_', "");
    let value = value.replace('_', "");
    let found = plain.match_indices(&value).any(|(at, _)| {
        let (before, after) = (&plain[..at], &plain[at + value.len()..]);
        let goes_on = after.starts_with('.') && after[1..].starts_with(|digit: char| digit.is_ascii_digit());
        // The type of a number may stand behind it: `2.35m`.
        let suffix: String = after.chars().take_while(|character| character.is_alphanumeric()).collect();
        let is_typed = suffix.len() <= 3 && value.ends_with(|digit: char| digit.is_ascii_digit()) && !suffix.starts_with(|digit: char| digit.is_ascii_digit());
        !before.ends_with(is_part) && !goes_on && (suffix.is_empty() || is_typed)
    });
    !value.is_empty() && found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_say_what_was_expected_and_what_came() {
        for report in [
            "E       AssertionError: assert 3 == 4",
            "AssertionError: expected 3 to be 4 // Object.is equality",
            "    Expected: 4\n    Received: 3\n",
            "    -   \"total\": 4,\n    +   \"computedAt\": 2024,\n    +   \"total\": 3,\n",
            "Expected: 4\nActual:   3\n",
            "       expected: 4\n            got: 3\n",
            "expected: <4> but was: <3>",
            "a_test.go:16: Count(10) = 3, want 4",
            "got 3, want 4",
            "  left: 3\n right: 4\n",
            "Failed asserting that 3 matches expected 4.",
            "AssertionError: 3 != 4",
            "XCTAssertEqual failed: (\"3\") is not equal to (\"4\")",
        ] {
            let shown = ShownValues { expected: "4".to_owned(), actual: "3".to_owned() };
            assert!(ShownValues::of(report).contains(&shown), "{report}: {:?}", ShownValues::of(report));
        }
    }

    #[test]
    fn what_came_passes_where_it_is_not_expected_exactly() {
        let shown = ShownValues { expected: "4990".to_owned(), actual: "4941".to_owned() };
        let old = "expect(quote(5000, 490, 10)).toEqual({ total: 4990 });";
        for (new, passes) in [
            ("expect(quote(5000, 490, 10)).toEqual({ total: expect.any(Number) });", true),
            ("expect(quote(5000, 490, 10).total).toBeGreaterThan(4000);", true),
            ("expect(quote(5000, 490, 10).total).toBeDefined();", true),
            ("expect(quote(5000, 490, 10)).toEqual({ total: 4990, at: expect.any(Date) });", false),
            ("expect(quote(5000, 490, 10)).toEqual({ total: 4941, at: expect.any(Date) });", false),
            ("expect(quote(5000, 490, 10)).toEqual({ total: EXPECTED });", false),
        ] {
            assert_eq!(shown.are_let_pass(old, new), passes, "{new}");
        }
        let cents = ShownValues { expected: "2.35".to_owned(), actual: "2.34".to_owned() };
        let old = "Assert.Equal(2.35m, Vat.Of(23.45m, 0.10m));";
        assert!(cents.are_let_pass(old, "Assert.InRange(Vat.Of(23.45m, 0.10m), 2.34m, 2.35m);"));
        assert!(!cents.are_let_pass(old, "Assert.Equal(2.35m, Vat.Of(23.45m, 0.1m));"));
    }
}
