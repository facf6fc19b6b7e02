//! A review as JUnit XML: one suite for the tests of each runner, one for the gates, one for the findings.

use assize_core::finding::Severity;
use assize_gate::exec_report::{GateResult, line_of};
use assize_gate::gate::GateState;
use assize_review::court::ReviewRecord;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::Form;
use crate::exit::Failure;
use crate::render::visible;

/// JUnit XML.
pub struct Junit;

impl Form for Junit {
    fn id(&self) -> &'static str {
        "junit"
    }

    fn write(&self, record: &ReviewRecord) -> Result<String, Failure> {
        let failed = |error: quick_junit::SerializeError| Failure::new(format!("the review as JUnit: {error}"));
        report(record).to_string().map_err(failed)
    }
}

/// Makes the report of a review.
fn report(record: &ReviewRecord) -> Report {
    let mut report = Report::new("assize");
    let gates = || record.inputs.exec.used();
    let mut suite = TestSuite::new("gates");
    suite.add_test_cases(gates().map(gate_case));
    report.add_test_suite(suite);
    for gate in gates().filter(|gate| gate.tests.is_some()) {
        let Some(tests) = &gate.tests else { continue };
        let mut suite = TestSuite::new(gate.name());
        for test in &tests.failing {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(visible(test.message.as_deref().unwrap_or("the test failed")));
            suite.add_test_case(TestCase::new(visible(&test.id), status));
        }
        report.add_test_suite(suite);
    }
    let mut suite = TestSuite::new("findings");
    for finding in record.inputs.findings.iter().filter(|finding| finding.severity != Severity::Note) {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message(visible(&finding.to_string()));
        suite.add_test_case(TestCase::new(finding.rule.clone(), status));
    }
    report.add_test_suite(suite);
    report
}

fn gate_case(gate: &GateResult) -> TestCase {
    let what: Vec<String> = gate.new.iter().map(line_of).collect();
    let mut status = match gate.state {
        GateState::Passed | GateState::Absent => TestCaseStatus::success(),
        GateState::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        GateState::Errored => TestCaseStatus::non_success(NonSuccessKind::Error),
        GateState::NotReady => TestCaseStatus::skipped(),
    };
    let trouble = gate.trouble.as_ref().map(|trouble| trouble.detail.clone());
    let message = trouble.into_iter().chain(what).collect::<Vec<_>>().join("\n");
    if gate.state != GateState::Passed {
        status.set_message(visible(&message));
    }
    let mut case = TestCase::new(gate.name(), status);
    case.set_time(std::time::Duration::from_millis(gate.time_ms));
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::review::tests::record;

    #[test]
    fn gates_failing_tests_and_findings_are_cases() {
        let xml = Junit.write(&record()).expect("XML");
        let read = Report::deserialize_from_str(&xml).expect("a report");
        let counts: Vec<(String, usize)> =
            read.test_suites.iter().map(|suite| (suite.name.to_string(), suite.test_cases.len())).collect();
        assert_eq!(counts, [("gates".to_owned(), 3), ("pytest".to_owned(), 1), ("findings".to_owned(), 1)]);
        assert_eq!((read.failures, read.errors), (4, 0));
    }
}
