//! What tools report, read into one shape.
//!
//! One format is one file with a pure `parse`. A parser takes the bytes of a report and returns
//! what stands in it, or says why it cannot be read; it never guesses, and it must not know which
//! gate ran the tool, what the exit status was, or what a court makes of it. That a report is
//! absent, cut off or crashed midway is an error here, never an empty report.
//!
//! # Example
//!
//! ```rust
//! use assize_report::{ReportError, TestOutcome, parse_as};
//!
//! let xml = br#"<testsuite name="cart" tests="2" failures="1">
//!   <testcase classname="test_cart" name="empty" file="tests/test_cart.py"/>
//!   <testcase classname="test_cart" name="discount" file="tests/test_cart.py">
//!     <failure message="9 != 10"/>
//!   </testcase>
//! </testsuite>"#;
//! let report = parse_as("junit", xml).expect("JUnit is a known format")?;
//! let run = report.tests.expect("JUnit reports tests");
//! assert_eq!((run.count(TestOutcome::Passed), run.count(TestOutcome::Failed)), (1, 1));
//! assert_eq!(run.cases[1].message.as_deref(), Some("9 != 10"));
//!
//! // A report that stops before its end is an error, never an empty report.
//! let cut = parse_as("junit", &xml[..100]).expect("JUnit is a known format");
//! assert!(matches!(cut, Err(ReportError::Truncated(_))));
//! # Ok::<(), ReportError>(())
//! ```

use std::collections::{BTreeMap, BTreeSet};

use assize_core::finding::Severity;
use serde::{Deserialize, Serialize};

pub use offer::{OFFER_BYTES_MAX, OFFER_EDITS_MAX, Offer, OfferedEdit, Position};

pub mod cargo_test;
pub mod driver_events;
pub mod events;
pub mod json;
mod offer;
pub mod plain;
pub mod python_compile;
pub mod xml;

/// Declares the modules of formats and their registry in one line a format.
macro_rules! formats {
    ($($module:ident: $name:literal),* $(,)?) => {
        $(pub mod $module;)*
        /// Every format, by the name under which configuration picks it.
        pub static FORMATS: &[ReportFormat] = &[$(ReportFormat { name: $name, parse: $module::parse }),*];
    };
}

formats! {
    biome: "biome",
    black: "black",
    cobertura: "cobertura",
    eslint: "eslint",
    go_test: "go-test",
    go_vet: "go-vet",
    junit: "junit",
    lcov: "lcov",
    libtest: "libtest",
    mypy: "mypy",
    nextest: "nextest",
    oxfmt: "oxfmt",
    oxlint: "oxlint",
    prettier: "prettier",
    pyright: "pyright",
    ruff: "ruff",
    ruff_format: "ruff-format",
    rustc_json: "rustc-json",
    rustfmt: "rustfmt",
    sarif: "sarif",
    tap: "tap",
    tsc: "tsc",
}

/// A format of reports.
#[derive(Debug, Clone, Copy)]
pub struct ReportFormat {
    /// The name by which users pick it.
    pub name: &'static str,
    /// Reads a report.
    pub parse: fn(&[u8]) -> Result<ToolReport, ReportError>,
}

/// Finds a format by its name.
pub fn format(name: &str) -> Option<&'static ReportFormat> {
    FORMATS.iter().find(|format| format.name == name)
}

/// Reads a report in the format of a name; `None` when there is no such format.
pub fn parse_as(name: &str, bytes: &[u8]) -> Option<Result<ToolReport, ReportError>> {
    format(name).map(|format| (format.parse)(bytes))
}

/// Largest report that is read, in bytes.
pub const REPORT_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Most diagnostics that are kept of one report; the rest is counted.
pub const DIAGNOSTICS_MAX: usize = 20_000;
/// Most test cases that are kept of one report; beyond it the report is refused, since no part of
/// a test run stands for the whole.
pub const CASES_MAX: usize = 200_000;
/// Longest message that is kept, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 4_000;

/// What one tool says of one tree.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolReport {
    /// What it objects to.
    pub diagnostics: Vec<Diagnostic>,
    /// Diagnostics beyond [`DIAGNOSTICS_MAX`].
    #[serde(default)]
    pub diagnostics_left_out: usize,
    /// The tests that it ran; `None` when it is no test runner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestRun>,
    /// Share of lines that tests cover, in per cent from 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage_pct: Option<f64>,
}

/// One objection of a tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// The tool's own code for it, such as `E0308` or `no-unused-vars`; the tool's name where it has none.
    pub code: String,
    /// How bad it is, by the tool's own word.
    pub severity: Severity,
    /// The file as the tool names it, made relative to the root of the tree where that is possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The tool's message, in one text.
    pub message: String,
    /// The fix that the tool itself offers, where the tool calls that fix safe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<Offer>,
}

/// The tests that a runner ran.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestRun {
    /// Every case that it reports, each once.
    pub cases: Vec<TestCase>,
    /// What the runner itself says how many there were, where it says so; a parser fills it in so
    /// that the sum can be checked against the cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announced: Option<Announced>,
    /// Those of the cases that are no tests: something went wrong outside of every test.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub faults: BTreeSet<String>,
}

/// A runner's own summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Announced {
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed, errors included.
    pub failed: usize,
    /// Tests that did not run.
    pub skipped: usize,
}

/// One test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestCase {
    /// The name by which the runner calls it, unique within the run.
    pub id: String,
    /// The file that it stands in, where the runner says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How it ended.
    pub outcome: TestOutcome,
    /// What it says when it did not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How long it took, in milliseconds, where the runner says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
}

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// It passed.
    Passed,
    /// It failed, crashed, timed out, or could not be set up.
    Failed,
    /// It was not run, by its own or the runner's word (skipped, ignored, pending, todo).
    Skipped,
    /// It was left out by a filter.
    Deselected,
    /// It failed as it was marked to.
    ExpectedFailure,
    /// It passed although it was marked to fail.
    UnexpectedPass,
}

/// Why a report cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// There is nothing in it.
    #[error("the report is empty")]
    Empty,
    /// It stops before its end.
    #[error("the report stops before its end: {0}")]
    Truncated(String),
    /// It is not of the format.
    #[error("the report cannot be read as {format}: {detail}")]
    Malformed {
        /// The format.
        format: &'static str,
        /// What is wrong.
        detail: String,
    },
    /// It is larger than the limit.
    #[error("the report is larger than {0}")]
    TooLarge(String),
    /// The tool that should have written it is not installed.
    #[error("{0}")]
    MissingTool(String),
    /// The tool ended well, and left nothing but its status.
    #[error("{0}")]
    StatusAlone(String),
    /// It contradicts itself, such as a summary that does not match its cases.
    #[error("the report contradicts itself: {0}")]
    Contradictory(String),
}

impl ToolReport {
    /// Adds a diagnostic, or counts it beyond [`DIAGNOSTICS_MAX`].
    pub fn object(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < DIAGNOSTICS_MAX {
            self.diagnostics.push(diagnostic);
        } else {
            self.diagnostics_left_out += 1;
        }
    }
}

/// Collects cases and tells those apart that a runner calls by the same name: the second `name` becomes `name #2`.
#[derive(Debug, Clone, Default)]
pub struct CaseList {
    cases: Vec<TestCase>,
    seen: BTreeMap<String, usize>,
}

impl CaseList {
    /// Adds a case.
    ///
    /// # Errors
    ///
    /// There are more than [`CASES_MAX`].
    pub fn add(&mut self, mut case: TestCase) -> Result<(), ReportError> {
        if self.cases.len() == CASES_MAX {
            return Err(ReportError::TooLarge(format!("{CASES_MAX} test cases")));
        }
        let mut id = case.id.clone();
        while let Some(times) = self.seen.get_mut(&id) {
            *times += 1;
            id = format!("{} #{times}", case.id);
        }
        self.seen.insert(id.clone(), 1);
        case.id = id;
        self.cases.push(case);
        Ok(())
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// Returns the cases, each with an id of its own.
    pub fn finish(self) -> Vec<TestCase> {
        self.cases
    }
}

impl TestRun {
    /// Counts the cases with an outcome.
    pub fn count(&self, outcome: TestOutcome) -> usize {
        self.cases.iter().filter(|case| case.outcome == outcome).count()
    }

    /// Counts the cases that ran: skipped and deselected ones say nothing of the code.
    pub fn executed(&self) -> usize {
        self.cases.iter().filter(|case| case.outcome.was_executed()).count()
    }

    /// Checks the limits, that no case is named twice, and that the runner's own summary does not claim fewer failures or
    /// more passes than its cases show.
    ///
    /// # Errors
    ///
    /// Says what does not fit.
    pub fn check(&self) -> Result<(), ReportError> {
        if self.cases.len() > CASES_MAX {
            return Err(ReportError::TooLarge(format!("{CASES_MAX} test cases")));
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = self.cases.iter().find(|case| !seen.insert(&case.id)) {
            return Err(ReportError::Contradictory(format!("the test {} is reported twice", twice.id)));
        }
        let Some(announced) = self.announced else { return Ok(()) };
        let passed = self.count(TestOutcome::Passed);
        let failed = self.count(TestOutcome::Failed);
        if announced.passed > passed || announced.failed != failed {
            return Err(ReportError::Contradictory(format!(
                "its summary says {} passed and {} failed, its cases say {passed} and {failed}",
                announced.passed, announced.failed
            )));
        }
        Ok(())
    }
}

impl TestOutcome {
    /// Returns whether the test was run to an end.
    pub fn was_executed(self) -> bool {
        !matches!(self, Self::Skipped | Self::Deselected)
    }
}

/// Cuts a message to [`MESSAGE_BYTES_MAX`], without what only a terminal understands.
pub fn message(text: &str) -> String {
    let text = plain::without_escapes(text);
    assize_core::text::head(text.trim(), MESSAGE_BYTES_MAX).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(outcomes: &[TestOutcome], announced: Option<Announced>) -> TestRun {
        let case = |(index, outcome): (usize, &TestOutcome)| TestCase {
            id: format!("t{index}"),
            path: None,
            outcome: *outcome,
            message: None,
            time_ms: None,
        };
        TestRun { cases: outcomes.iter().enumerate().map(case).collect(), announced, ..TestRun::default() }
    }

    #[test]
    fn a_summary_must_not_be_better_than_the_cases() {
        use TestOutcome::{Failed, Passed, Skipped};
        let said = |passed, failed| Some(Announced { passed, failed, skipped: 0 });
        for (outcomes, announced, sound) in [
            (&[Passed, Failed, Skipped][..], None, true),
            (&[Passed, Failed], said(1, 1), true),
            (&[Passed, Failed], said(2, 0), false),
            (&[Passed, Passed], said(2, 1), false),
            (&[Passed], said(2, 0), false),
        ] {
            assert_eq!(run(outcomes, announced).check().is_ok(), sound, "{outcomes:?} {announced:?}");
        }
    }

    #[test]
    fn a_test_is_reported_once() {
        let mut twice = run(&[TestOutcome::Passed, TestOutcome::Failed], None);
        twice.cases[1].id = twice.cases[0].id.clone();
        assert!(matches!(twice.check(), Err(ReportError::Contradictory(_))));
    }

    #[test]
    fn a_run_is_read_up_to_its_limit() {
        let mut cases = run(&vec![TestOutcome::Passed; CASES_MAX], None);
        assert_eq!(cases.check(), Ok(()));
        let more = TestCase { id: "one more".to_owned(), ..cases.cases[0].clone() };
        cases.cases.push(more);
        assert!(matches!(cases.check(), Err(ReportError::TooLarge(_))));
    }

    #[test]
    fn skipped_and_deselected_tests_were_not_run() {
        let run = run(&[TestOutcome::Passed, TestOutcome::Skipped, TestOutcome::Deselected], None);
        assert_eq!((run.executed(), run.count(TestOutcome::Passed)), (1, 1));
    }
}
