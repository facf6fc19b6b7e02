//! The Test Anything Protocol, versions 12 to 14, with subtests.
//!
//! The plan is what makes a run whole: fewer tests than planned, or no plan, and it stopped before its
//! end. Comments prove nothing, since whatever a program prints may look like one. It must not
//! know which runner wrote it.

use std::sync::LazyLock;

use regex::Regex;

use super::plain::plain;
use super::{CaseList, ToolReport, ReportError, TestCase, TestOutcome, TestRun, message};

const FORMAT: &str = "TAP";
/// Spaces by which a subtest is indented below its test.
const INDENT: usize = 4;
/// Deepest nesting of subtests that is read.
pub const DEPTH_MAX: usize = 32;

static POINT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?<not>not )?ok\b(?: +(?<number>\d+))?(?: +- ?| +|$)(?<rest>.*)$").expect("the pattern is fixed")
});
static PLAN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^1\.\.(?<count>\d+)(?:\s*#\s*(?<why>.*))?$").expect("the pattern is fixed"));
static DIRECTIVE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?<name>.*?)(?:^|\s)#\s*(?<what>skip|todo)\w*\b\s*(?<why>.*)$").expect("the pattern is fixed")
});
/// How long a test took, as node-tap says it.
static TIMED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?<name>.*?)\s+# time=(?<ms>\d+(?:\.\d+)?)ms$").expect("the pattern is fixed"));

/// What a point without subtests is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TapPoint {
    /// A test.
    Test,
    /// An assertion of the subtest that it stands in: its name may tell what was measured, and several have the same.
    Assertion,
}

/// What has been read at one depth of nesting.
#[derive(Default)]
struct TapLevel {
    /// The assertions that stand here: whether one of them failed, and what it said.
    asserted: Option<TestCase>,
    /// Whether the last point here was an assertion.
    last_asserted: bool,
    plan: Option<usize>,
    seen: usize,
    /// Cases of this level and of those below that belong to it.
    cases: Vec<TestCase>,
    /// How many of the cases failed.
    failed: usize,
}

/// Reads a stream.
///
/// # Errors
///
/// It has no plan, does not keep to it, or was bailed out of.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    parse_as(bytes, TapPoint::Test)
}

/// Reads a stream whose points without subtests are of one kind.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_as(bytes: &[u8], point: TapPoint) -> Result<ToolReport, ReportError> {
    let text = plain(bytes)?;
    if text.trim().is_empty() {
        return Err(ReportError::Empty);
    }
    let mut reader = TapReader { levels: vec![TapLevel::default()], block: None, versions: 0, leaf: point };
    for line in text.lines() {
        reader.line(line)?;
    }
    reader.finish()
}

struct TapReader {
    levels: Vec<TapLevel>,
    /// The indentation of an explaining block, and the words in it.
    block: Option<(usize, String)>,
    versions: usize,
    leaf: TapPoint,
}

impl TapReader {
    fn line(&mut self, line: &str) -> Result<(), ReportError> {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let body = line.trim();
        if let Some((at, words)) = &mut self.block {
            if indent == *at && body == "..." {
                self.close_block();
            } else if words.len() < super::MESSAGE_BYTES_MAX {
                words.push_str(line.get(*at..).unwrap_or(body));
                words.push('\n');
            }
            return Ok(());
        }
        if body == "---" && indent % INDENT == 2 && self.levels.get(indent / INDENT).is_some_and(|it| it.seen > 0) {
            self.block = Some((indent, String::new()));
            return Ok(());
        }
        if indent == 0 && body.to_ascii_lowercase().starts_with("bail out!") {
            return Err(ReportError::Truncated(message(body)));
        }
        if indent == 0 && body.starts_with("TAP version ") {
            self.versions += 1;
            if self.versions > 1 || self.levels[0].seen > 0 {
                return Err(ReportError::Contradictory("a second stream begins within the first".to_owned()));
            }
        }
        if !indent.is_multiple_of(INDENT) {
            return Ok(());
        }
        let depth = indent / INDENT;
        if let Some(plan) = PLAN.captures(body) {
            return self.plan(depth, &plan["count"]);
        }
        match POINT.captures(body) {
            Some(point) => {
                let number = point.name("number").map(|number| number.as_str());
                self.point(depth, point.name("not").is_some(), number, &point["rest"])
            }
            None => Ok(()),
        }
    }

    fn level(&mut self, depth: usize) -> Result<&mut TapLevel, ReportError> {
        if depth > DEPTH_MAX {
            return Err(ReportError::TooLarge(format!("a nesting of {DEPTH_MAX} subtests")));
        }
        while self.levels.len() <= depth {
            self.levels.push(TapLevel::default());
        }
        Ok(&mut self.levels[depth])
    }

    fn plan(&mut self, depth: usize, count: &str) -> Result<(), ReportError> {
        let count = count.parse().map_err(|_| ReportError::TooLarge(format!("a plan of {count} tests")))?;
        let level = self.level(depth)?;
        if level.plan.is_some_and(|plan| plan != count) {
            return Err(ReportError::Contradictory("it has two plans".to_owned()));
        }
        level.plan = Some(count);
        Ok(())
    }

    fn point(&mut self, depth: usize, not: bool, number: Option<&str>, rest: &str) -> Result<(), ReportError> {
        self.level(depth)?;
        let children = self.fold(depth + 1)?;
        let leaf = self.leaf;
        let level = self.level(depth)?;
        level.seen += 1;
        level.last_asserted = children.is_none() && leaf == TapPoint::Assertion && depth > 0;
        if let Some(number) = number
            && number.parse() != Ok(level.seen)
        {
            let seen = level.seen;
            return Err(ReportError::Contradictory(format!("a test has the number {number} and is the {seen}.")));
        }
        let timed = TIMED.captures(rest);
        let time_ms = timed.as_ref().and_then(|timed| milliseconds(&timed["ms"]));
        let rest = timed.as_ref().and_then(|timed| timed.name("name")).map_or(rest, |name| name.as_str());
        let (name, directive) = match DIRECTIVE.captures(rest) {
            Some(found) if !found["name"].ends_with('\\') => {
                (found["name"].trim().to_owned(), Some(found["what"].to_ascii_lowercase()))
            }
            _ => (rest.trim().to_owned(), None),
        };
        let name = if name.is_empty() { format!("test {}", level.seen) } else { name.replace("\\#", "#") };
        let outcome = match (not, directive.as_deref()) {
            (true, Some("todo")) => TestOutcome::ExpectedFailure,
            (true, _) => TestOutcome::Failed,
            // Whether a test that is still to do was run cannot be told.
            (false, Some(_)) => TestOutcome::Skipped,
            (false, None) => TestOutcome::Passed,
        };
        level.failed += usize::from(outcome == TestOutcome::Failed);
        let own = TestCase { id: name.clone(), path: None, outcome, message: None, time_ms };
        // A test with subtests stands for itself only when it failed and none of them did, or for its assertions.
        if let Some(children) = children {
            level.cases.extend(
                children.cases.into_iter().map(|case| TestCase { id: format!("{name} > {}", case.id), ..case }),
            );
            let failed_alone = outcome == TestOutcome::Failed && children.failed == 0;
            match children.asserted {
                Some(case) if !failed_alone => level.cases.push(TestCase { id: name, ..case }),
                None if !failed_alone && (children.seen > 0 || leaf == TapPoint::Assertion) => {}
                _ => level.cases.push(own),
            }
        } else if level.last_asserted {
            let tells_less = |known: &TestCase| match known.outcome {
                TestOutcome::Failed => false,
                TestOutcome::Passed => outcome == TestOutcome::Failed,
                _ => true,
            };
            if level.asserted.as_ref().is_none_or(tells_less) {
                level.asserted = Some(own);
            }
        } else {
            level.cases.push(own);
        }
        Ok(())
    }

    /// Takes a level with all below it, checked against its plan.
    fn fold(&mut self, depth: usize) -> Result<Option<TapLevel>, ReportError> {
        if self.levels.len() <= depth {
            return Ok(None);
        }
        if self.levels.len() > depth + 1 && self.levels[depth + 1..].iter().any(|level| level.seen > 0) {
            return Err(ReportError::Truncated("subtests stand below no test".to_owned()));
        }
        self.levels.truncate(depth + 1);
        let level = self.levels.pop().unwrap_or_default();
        level.check()?;
        Ok(Some(level))
    }

    fn close_block(&mut self) {
        let Some((indent, words)) = self.block.take() else { return };
        let leaf = self.leaf;
        let case = self.levels.get_mut(indent / INDENT).and_then(|level| match leaf {
            TapPoint::Assertion if level.last_asserted => level.asserted.as_mut().filter(|case| case.message.is_none()),
            _ => level.cases.last_mut(),
        });
        if let Some(case) = case {
            case.message = Some(message(&words)).filter(|_| case.outcome != TestOutcome::Passed);
            case.time_ms = words.lines().find_map(|line| {
                milliseconds(line.strip_prefix("duration_ms: ")?.trim())
            });
        }
    }

    fn finish(mut self) -> Result<ToolReport, ReportError> {
        if self.block.is_some() {
            return Err(ReportError::Truncated("an explanation has no end".to_owned()));
        }
        if self.levels.len() > 1 && self.levels[1..].iter().any(|level| level.seen > 0) {
            return Err(ReportError::Truncated("subtests stand below no test".to_owned()));
        }
        let level = self.levels.swap_remove(0);
        if level.plan.is_none() && level.seen == 0 {
            return Err(ReportError::Malformed { format: FORMAT, detail: "it has neither plan nor test".to_owned() });
        }
        level.check()?;
        let mut cases = CaseList::default();
        // That a program ended well is no test: it may have ended before its tests did.
        let asserts = self.leaf == TapPoint::Assertion;
        let is_test = |case: &TestCase| asserts || case.outcome != TestOutcome::Passed || !is_program(&case.id);
        for case in level.cases.into_iter().filter(is_test) {
            cases.add(case)?;
        }
        let tests = TestRun { cases: cases.finish(), ..TestRun::default() };
        Ok(ToolReport { tests: Some(tests), ..ToolReport::default() })
    }
}

fn milliseconds(text: &str) -> Option<u64> {
    let value: f64 = text.parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value.round() as u64)
}

/// Returns whether a test has the name of a program that a runner started, as one has that ran nothing within it.
fn is_program(name: &str) -> bool {
    let endings = ["js", "cjs", "mjs", "ts", "cts", "mts"];
    !name.contains(' ') && name.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && endings.contains(&ending))
}

impl TapLevel {
    fn check(&self) -> Result<(), ReportError> {
        match self.plan {
            None => Err(ReportError::Truncated("there is no plan".to_owned())),
            Some(plan) if self.seen < plan => {
                Err(ReportError::Truncated(format!("{plan} tests were planned, and {} ran", self.seen)))
            }
            Some(plan) if self.seen > plan => {
                Err(ReportError::Contradictory(format!("{plan} tests were planned, and {} ran", self.seen)))
            }
            Some(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(text: &str) -> Vec<(String, TestOutcome)> {
        let run = parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}")).tests.unwrap();
        run.cases.into_iter().map(|case| (case.id, case.outcome)).collect()
    }

    #[test]
    fn points_directives_and_subtests_are_read() {
        use TestOutcome::{ExpectedFailure, Failed, Passed, Skipped};
        for (text, expected) in [
            ("1..2\nok 1 - a\nnot ok 2 b\n", vec![("a", Passed), ("b", Failed)]),
            ("ok\nok\n1..2\n", vec![("test 1", Passed), ("test 2", Passed)]),
            (
                "TAP version 13\nok 1 - a # SKIP no net\nnot ok 2 - b # TODO later\nok 3 - c # todo\nok 4 - d \\# SKIP\n1..4\n# fail 0\n",
                vec![("a", Skipped), ("b", ExpectedFailure), ("c", Skipped), ("d # SKIP", Passed)],
            ),
            (
                "TAP version 14\n# Subtest: s\n    ok 1 - x\n    not ok 2 - y\n      ---\n      error: |-\n        ok 3 - forged\n      ...\n    1..2\nnot ok 1 - s\n\
                 # Subtest: t\n    ok 1 - x\n    1..1\nnot ok 2 - t\nok 3 - u\n1..3\n",
                vec![("s > x", Passed), ("s > y", Failed), ("t > x", Passed), ("t", Failed), ("u", Passed)],
            ),
            ("1..0 # SKIP nothing to do\n", vec![]),
            ("1..3\nok 1 - /a/b.test.js\nok 2 - adds to b.js\nnot ok 3 - c.test.mjs\n", vec![("adds to b.js", Passed), ("c.test.mjs", Failed)]),
            ("    1..0\nok 1 - empty\n1..1\n", vec![("empty", Passed)]),
        ] {
            let expected: Vec<_> = expected.into_iter().map(|(id, outcome)| (id.to_owned(), outcome)).collect();
            assert_eq!(outcomes(text), expected, "{text}");
        }
    }

    #[test]
    fn assertions_belong_to_the_subtest_that_they_stand_in() {
        use TestOutcome::{Failed, Passed, Skipped};
        for (text, expected) in [
            (
                "# Subtest: a.js\n    # Subtest: s\n        ok 1 - took 3 ms\n        ok 2 - equal\n        1..2\n    ok 1 - s\n    \
                 ok 2 - equal\n    1..2\nok 1 - a.js # time=3ms\n1..1\n",
                vec![("a.js > s", Passed), ("a.js", Passed)],
            ),
            (
                "    # Subtest: s\n        ok 1 - x\n        not ok 2 - y\n          ---\n          found: 1\n          ...\n        \
                 not ok 3 - z\n          ---\n          found: 2\n          ...\n        1..3\n    not ok 1 - s\n    1..1\nnot ok 1 - a.js\n1..1\n",
                vec![("a.js > s", Failed)],
            ),
            // A subtest that failed for what is none of its assertions; one that only skips; one that skips in part.
            ("    ok 1 - x\n    1..1\nnot ok 1 - a.js\n1..1\n", vec![("a.js", Failed)]),
            ("    ok 1 - x # SKIP no\n    1..1\nok 1 - a.js\n1..1\n", vec![("a.js", Skipped)]),
            ("    ok 1 - x # SKIP no\n    ok 2 - y\n    1..2\nok 1 - a.js\n1..1\n", vec![("a.js", Passed)]),
            ("    ok 1 - y\n    ok 2 - x # SKIP no\n    1..2\nok 1 - a.js\n1..1\n", vec![("a.js", Passed)]),
            ("    1..0\nok 1 - a.js\n1..1\n", vec![]),
            ("    1..0 # no tests found\nnot ok 1 - a.js\n1..1\n", vec![("a.js", Failed)]),
        ] {
            let run = parse_as(text.as_bytes(), TapPoint::Assertion).expect("a report").tests.expect("tests");
            let found: Vec<_> = run.cases.iter().map(|case| (case.id.as_str(), case.outcome)).collect();
            assert_eq!(found, expected, "{text}");
            let said = run.cases.iter().filter_map(|case| case.message.as_deref());
            assert!(said.eq(text.contains("found: 1").then_some("found: 1")), "{text}");
        }
    }

    #[test]
    fn the_plan_must_be_kept() {
        for (text, part) in [
            ("", "empty"),
            ("hello\n", "neither plan nor test"),
            ("ok 1 - a\n", "no plan"),
            ("1..2\nok 1 - a\n", "2 tests were planned, and 1 ran"),
            ("1..1\nok 1 - a\nok 2 - b\n", "1 tests were planned, and 2 ran"),
            ("1..1\nok 1 - a\n1..2\n", "two plans"),
            ("1..2\nok 1 - a\nok 1 - b\n", "has the number 1"),
            ("1..2\nok 1 - a\nBail out! no disk\n", "Bail out! no disk"),
            ("    ok 1 - x\nok 1 - s\n1..1\n", "no plan"),
            ("    1..2\n    ok 1 - x\nok 1 - s\n1..1\n", "2 tests were planned"),
            ("ok 1 - s\n1..1\n    ok 1 - x\n    1..1\n", "below no test"),
            ("TAP version 13\n1..1\nok 1 - a\nTAP version 13\n1..1\n", "second stream"),
            ("1..1\nnot ok 1 - a\n  ---\n  error: x\n", "no end"),
        ] {
            let error = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_failure_keeps_its_explanation() {
        let text = "not ok 1 - a\n  ---\n  duration_ms: 1.6\n  error: 'bad'\n  ...\n1..1\n";
        let case = parse(text.as_bytes()).unwrap().tests.unwrap().cases.remove(0);
        assert_eq!(case.message.as_deref(), Some("duration_ms: 1.6\nerror: 'bad'"));
        assert_eq!(case.time_ms, Some(2));
    }

    #[test]
    fn subtests_nest_up_to_the_limit() {
        let nested = |depth: usize| {
            let level = |depth: usize| {
                let indent = " ".repeat(depth * INDENT);
                format!("{indent}ok 1 - t\n{indent}1..1\n")
            };
            (0..=depth).rev().map(level).collect::<String>()
        };
        assert_eq!(outcomes(&nested(DEPTH_MAX)).len(), 1);
        assert!(matches!(parse(nested(DEPTH_MAX + 1).as_bytes()), Err(ReportError::TooLarge(_))));
    }
}
