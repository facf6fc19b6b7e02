//! Rulings on records as JUnit XML.

use assize_core::ruling::Outcome;
use assize_eval::court::RecordRuling;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::visible;
use crate::exit::Failure;

/// Rulings on records as tests: one for each record.
#[derive(Default)]
pub struct RulingTestCases(Vec<TestCase>);

impl RulingTestCases {
    /// Adds a ruling.
    pub fn add(&mut self, ruling: &RecordRuling) {
        let failed = ruling.modes.iter().filter(|mode| mode.outcome == Outcome::Reject);
        let reasons: Vec<String> = failed.map(|mode| format!("{}: {}", mode.mode, mode.reason)).collect();
        let mut status = match ruling.outcome {
            Outcome::Accept => TestCaseStatus::success(),
            Outcome::Revise | Outcome::Reject => TestCaseStatus::non_success(NonSuccessKind::Failure),
            // An unjudged record has not failed.
            Outcome::Unjudged => TestCaseStatus::non_success(NonSuccessKind::Error),
        };
        let open = ruling.unjudged.as_ref().map(ToString::to_string);
        let message = reasons.into_iter().chain(open).collect::<Vec<_>>().join("\n");
        if ruling.outcome != Outcome::Accept {
            status.set_message(visible(&message));
        }
        self.0.push(TestCase::new(visible(&ruling.record.id), status));
    }

    /// Writes them.
    ///
    /// # Errors
    ///
    /// Fails when they cannot be written as XML.
    pub fn junit(self, rubric: &str) -> Result<String, Failure> {
        let mut suite = TestSuite::new(rubric);
        suite.add_test_cases(self.0);
        let mut report = Report::new("assize");
        report.add_test_suite(suite);
        let failed = |error: quick_junit::SerializeError| Failure::new(format!("the rulings as JUnit: {error}"));
        report.to_string().map_err(failed)
    }
}
