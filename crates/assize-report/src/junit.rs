//! JUnit's XML, as many tools write it.
//!
//! There is no one schema: suites nest or not, counts stand on suites or on the root, a test may
//! have several results. What all agree on is read; what the tool itself says of its counts must not
//! be worse than what its cases show, for then cases are missing. It must not know which tool
//! wrote it.

use super::xml::{Element, XmlEvent, walk};
use super::{CaseList, ToolReport, ReportError, TestCase, TestOutcome, TestRun, message};

const FORMAT: &str = "JUnit XML";

/// Reads a report.
///
/// # Errors
///
/// It is no whole report, or its counts say that results are missing.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let mut cases = CaseList::default();
    parse_into(&mut cases, bytes)?;
    let tests = TestRun { cases: cases.finish(), ..TestRun::default() };
    Ok(ToolReport { tests: Some(tests), ..ToolReport::default() })
}

/// Reads one of several reports of the same run.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_into(cases: &mut CaseList, bytes: &[u8]) -> Result<(), ReportError> {
    let mut reader = JUnit { frames: Vec::new(), cases };
    walk(FORMAT, bytes, |piece| match piece {
        XmlEvent::Open(element) => reader.open(&element),
        XmlEvent::Text(text) => {
            reader.text(&text);
            Ok(())
        }
        XmlEvent::Close => reader.close(),
    })
}

struct JUnit<'a> {
    frames: Vec<Frame>,
    cases: &'a mut CaseList,
}

enum Frame {
    Suite(Suite),
    Case(JUnitCase),
    /// A failure, error or skip, with its text.
    Reported(JUnitResult, String),
    /// What says nothing of results: properties, output.
    Other,
}

struct Suite {
    name: String,
    path: Option<String>,
    declared: JUnitCounts,
    found: JUnitCounts,
}

#[derive(Default, Clone, Copy)]
struct JUnitCounts {
    tests: usize,
    failures: usize,
    errors: usize,
}

struct JUnitCase {
    id: String,
    path: Option<String>,
    time_ms: Option<u64>,
    failures: usize,
    errors: usize,
    skipped: bool,
    words: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum JUnitResult {
    Failure,
    Error,
    Skipped,
}

impl JUnit<'_> {
    fn open(&mut self, element: &Element) -> Result<(), ReportError> {
        let frame = match (self.frames.last(), element.name.as_str()) {
            (None, "testsuites" | "testsuite") => self.suite(element)?,
            (None, other) => {
                return Err(malformed(&format!("its root is `{other}`")));
            }
            (Some(Frame::Suite(_)), "testsuite" | "testsuites") => self.suite(element)?,
            (Some(Frame::Suite(_)), "testcase") => self.case(element)?,
            (Some(Frame::Suite(_) | Frame::Case(_)), name) => match said(name) {
                Some(said) => Frame::Reported(said, element.get("message").unwrap_or_default().to_owned()),
                None => Frame::Other,
            },
            (Some(Frame::Reported(..) | Frame::Other), "testcase") => {
                return Err(malformed("a test stands within something else"));
            }
            (Some(Frame::Reported(..) | Frame::Other), _) => Frame::Other,
        };
        self.frames.push(frame);
        Ok(())
    }

    fn suite(&self, element: &Element) -> Result<Frame, ReportError> {
        let count = |name: &str| match element.get(name) {
            None => Ok(0),
            Some(text) => text.trim().parse::<usize>().map_err(|_| malformed(&format!("{name} is `{text}`"))),
        };
        let declared = JUnitCounts { tests: count("tests")?, failures: count("failures")?, errors: count("errors")? };
        let name = element.get("name").unwrap_or_default().to_owned();
        let path = element.get("file").or_else(|| element.get("filepath")).map(slashes);
        Ok(Frame::Suite(Suite { name, path, declared, found: JUnitCounts::default() }))
    }

    fn case(&self, element: &Element) -> Result<Frame, ReportError> {
        let name = element.get("name").ok_or_else(|| malformed("a test has no name"))?;
        let suites = self.frames.iter().filter_map(|frame| match frame {
            Frame::Suite(suite) => Some(suite),
            _ => None,
        });
        // Node's reporter calls every class `test`.
        let class = element.get("classname").filter(|class| *class != "test");
        let mut parts: Vec<&str> = match class {
            Some(class) => vec![class],
            None => suites.clone().skip(1).map(|suite| suite.name.as_str()).filter(|name| !name.is_empty()).collect(),
        };
        if parts.is_empty() {
            parts.extend(suites.clone().map(|suite| suite.name.as_str()).filter(|name| !name.is_empty()));
        }
        parts.push(name);
        let mut case = JUnitCase {
            id: parts.join(" > "),
            path: element.get("file").map(slashes).or_else(|| suites.filter_map(|suite| suite.path.clone()).next_back()),
            time_ms: element.get("time").and_then(milliseconds),
            failures: 0,
            errors: 0,
            skipped: false,
            words: Vec::new(),
        };
        for attribute in ["status", "result"] {
            match element.get(attribute).unwrap_or_default().to_ascii_lowercase().as_str() {
                "failed" | "failure" | "fail" => case.failures = 1,
                "error" | "errored" | "broken" => case.errors = 1,
                "skipped" | "disabled" | "notrun" | "ignored" | "suppressed" | "pending" => case.skipped = true,
                _ => {}
            }
        }
        Ok(Frame::Case(case))
    }

    fn text(&mut self, text: &str) {
        if let Some(Frame::Reported(_, words)) = self.frames.last_mut()
            && words.len() < super::MESSAGE_BYTES_MAX
        {
            if !words.is_empty() && !words.ends_with('\n') && words.trim_end() != text.trim() {
                words.push('\n');
            }
            words.push_str(text);
        }
    }

    fn close(&mut self) -> Result<(), ReportError> {
        match self.frames.pop() {
            Some(Frame::Reported(said, words)) => match self.frames.last_mut() {
                Some(Frame::Case(case)) => case.hear(said, &words),
                Some(Frame::Suite(suite)) if said != JUnitResult::Skipped => {
                    suite.found.errors += 1;
                    let id = if suite.name.is_empty() { "the whole suite".to_owned() } else { suite.name.clone() };
                    let path = suite.path.clone();
                    return self.cases.add(TestCase {
                        id,
                        path,
                        outcome: TestOutcome::Failed,
                        message: Some(message(&words)),
                        time_ms: None,
                    });
                }
                _ => {}
            },
            Some(Frame::Case(case)) => {
                let found = JUnitCounts { tests: 1, failures: case.failures, errors: case.errors };
                if let Some(Frame::Suite(suite)) = self.frames.last_mut() {
                    suite.found.add(found);
                }
                return self.cases.add(case.done());
            }
            Some(Frame::Suite(suite)) => {
                suite.check()?;
                if let Some(Frame::Suite(parent)) = self.frames.last_mut() {
                    parent.found.add(suite.found);
                }
            }
            Some(Frame::Other) | None => {}
        }
        Ok(())
    }
}

impl JUnitCounts {
    fn add(&mut self, other: Self) {
        self.tests += other.tests;
        self.failures += other.failures;
        self.errors += other.errors;
    }
}

impl Suite {
    /// More declared than found means that something was lost. An error while a test that passed is taken down may be
    /// counted as a test of its own, and some tools count errors as failures.
    fn check(&self) -> Result<(), ReportError> {
        let red = self.found.failures + self.found.errors;
        for (what, declared, found) in [
            ("tests", self.declared.tests, self.found.tests + self.found.errors),
            ("failures", self.declared.failures, red),
            ("errors", self.declared.errors, red),
        ] {
            if declared > found {
                let name = &self.name;
                let detail = format!("the suite `{name}` counts {declared} {what}, and {found} stand in it");
                return Err(ReportError::Contradictory(message(&detail)));
            }
        }
        Ok(())
    }
}

impl JUnitCase {
    fn hear(&mut self, said: JUnitResult, words: &str) {
        match said {
            JUnitResult::Failure => self.failures += 1,
            JUnitResult::Error => self.errors += 1,
            JUnitResult::Skipped => self.skipped = true,
        }
        if !words.trim().is_empty() {
            self.words.push(words.trim().to_owned());
        }
    }

    fn done(self) -> TestCase {
        let outcome = match (self.failures + self.errors, self.skipped) {
            (0, false) => TestOutcome::Passed,
            (0, true) => TestOutcome::Skipped,
            _ => TestOutcome::Failed,
        };
        let words = (!self.words.is_empty()).then(|| message(&self.words.join("\n")));
        TestCase { id: self.id, path: self.path, outcome, message: words, time_ms: self.time_ms }
    }
}

/// What an element within a test says of it. A failure that a later attempt made good is none.
fn said(element: &str) -> Option<JUnitResult> {
    match element.to_ascii_lowercase().as_str() {
        "failure" | "rerunfailure" => Some(JUnitResult::Failure),
        "error" | "rerunerror" => Some(JUnitResult::Error),
        "skipped" | "skip" | "ignored" | "disabled" => Some(JUnitResult::Skipped),
        _ => None,
    }
}

fn malformed(detail: &str) -> ReportError {
    ReportError::Malformed { format: FORMAT, detail: message(detail) }
}

fn slashes(path: &str) -> String {
    path.replace('\\', "/")
}

/// Seconds, which some tools write with a comma for thousands.
fn milliseconds(seconds: &str) -> Option<u64> {
    let seconds: f64 = seconds.replace(',', "").trim().parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then_some((seconds * 1000.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(text: &str) -> Vec<(String, TestOutcome)> {
        let run = parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}")).tests.unwrap();
        run.check().unwrap();
        run.cases.into_iter().map(|case| (case.id, case.outcome)).collect()
    }

    #[test]
    fn shapes_of_many_tools_are_read() {
        use TestOutcome::{Failed, Passed, Skipped};
        for (text, expected) in [
            (
                r#"<testsuite name="s" tests="3" failures="1" errors="0" skipped="1"><properties><property name="a" value="b"/></properties>
                   <testcase classname="a.B" name="x" time="1,000.5"/><testcase classname="a.B" name="y"><failure message="m"><![CDATA[t]]></failure>
                   <system-out>failures="0" &lt;/testsuite&gt;</system-out></testcase><testcase classname="a.B" name="z"><skipped/></testcase></testsuite>"#,
                vec![("a.B > x", Passed), ("a.B > y", Failed), ("a.B > z", Skipped)],
            ),
            (
                r#"<testsuites><testsuite name="a"><testsuite name="b"><testcase name="x" classname="test"><error/></testcase></testsuite>
                   <testcase name="y"/></testsuite></testsuites>"#,
                vec![("a > b > x", Failed), ("a > y", Passed)],
            ),
            (
                r#"<testsuites tests="2" errors="1"><testsuite name="t" tests="2" errors="1"><testcase name="x"><error message="at the end"/></testcase></testsuite></testsuites>"#,
                vec![("t > x", Failed)],
            ),
            (
                r#"<testsuite><testcase name="x"><flakyFailure message="first"/></testcase><testcase name="x" status="notrun"/><testcase name="z" result="failed"/></testsuite>"#,
                vec![("x", Passed), ("x #2", Skipped), ("z", Failed)],
            ),
            (r#"<testsuite name="s"><error message="did not load"/></testsuite>"#, vec![("s", Failed)]),
            (
                r#"<testsuite name="s"><testcase name="x"><skipped/><failure/></testcase></testsuite>"#,
                vec![("s > x", Failed)],
            ),
            (r#"<testsuites name="none" tests="0"/>"#, vec![]),
        ] {
            let expected: Vec<_> = expected.into_iter().map(|(id, outcome)| (id.to_owned(), outcome)).collect();
            assert_eq!(outcomes(text), expected, "{text}");
        }
    }

    #[test]
    fn results_that_are_counted_and_not_there_are_missed() {
        for text in [
            r#"<testsuite tests="2"><testcase name="x"/></testsuite>"#,
            r#"<testsuite failures="1"><testcase name="x"/></testsuite>"#,
            r#"<testsuite errors="1"><testcase name="x"/></testsuite>"#,
            r#"<testsuites failures="2"><testsuite failures="1"><testcase name="x"><failure/></testcase></testsuite></testsuites>"#,
        ] {
            assert!(matches!(parse(text.as_bytes()), Err(ReportError::Contradictory(_))), "{text}");
        }
    }

    #[test]
    fn what_is_no_report_is_refused() {
        for text in [
            "<html/>",
            r#"<testsuite tests="many"/>"#,
            "<testsuite><testcase/></testsuite>",
            r#"<testsuite><system-out><testcase name="x"/></system-out></testsuite>"#,
        ] {
            assert!(matches!(parse(text.as_bytes()), Err(ReportError::Malformed { .. })), "{text}");
        }
        assert!(matches!(parse(b"<testsuite><testcase name=\"x\">"), Err(ReportError::Truncated(_))));
    }

    #[test]
    fn a_failure_keeps_its_words_and_its_file() {
        let text = r#"<testsuite file="a\b.py"><testcase name="x" time="0.25"><failure message="1 != 2">1 != 2
at line 3</failure></testcase></testsuite>"#;
        let case = parse(text.as_bytes()).unwrap().tests.unwrap().cases.remove(0);
        assert_eq!(case.path.as_deref(), Some("a/b.py"));
        assert_eq!(case.message.as_deref(), Some("1 != 2\n1 != 2\nat line 3"));
        assert_eq!(case.time_ms, Some(250));
    }
}
