//! A review as JUnit XML: one suite for the tests of each runner, one for the gates, one for the findings.
//!
//! A failure is what keeps the change from being accepted. What is excused, cannot work here or only tells somebody something is a case that
//! was skipped, with the reason, or one that passed.

use assize_core::finding::Severity;
use assize_gate::comparison::own_name;
use assize_gate::excuse::Excuse;
use assize_gate::exec_report::{FailingTest, GateResult, line_of};
use assize_gate::gate::GateState;
use assize_review::court::{ReviewRecord, blocks};
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
    for gate in gates() {
        let Some(tests) = &gate.tests else { continue };
        let mut suite = TestSuite::new(gate.name());
        suite.add_test_cases(tests.passed_ids.iter().map(|id| test_case(id, TestCaseStatus::success())));
        suite.add_test_cases(tests.skipped_ids.iter().map(|id| test_case(id, TestCaseStatus::skipped())));
        suite.add_test_cases(tests.failing.iter().map(failing_case));
        suite.set_time(std::time::Duration::from_millis(gate.time_ms));
        report.add_test_suite(suite);
    }
    let mut suite = TestSuite::new("findings");
    for finding in record.inputs.findings.iter().filter(|finding| finding.severity != Severity::Note) {
        let mut status = match blocks(finding, &record.inputs.policy) {
            true => TestCaseStatus::non_success(NonSuccessKind::Failure),
            false => TestCaseStatus::skipped(),
        };
        status.set_message(visible(&finding.to_string()));
        let mut case = TestCase::new(finding.rule.clone(), status);
        case.set_classname(visible(finding.path.as_deref().unwrap_or("findings")));
        suite.add_test_case(case);
    }
    report.add_test_suite(suite);
    report
}

fn failing_case(test: &FailingTest) -> TestCase {
    let mut status = match test.excuse {
        None => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Some(_) => TestCaseStatus::skipped(),
    };
    let excuse = test.excuse.map(|excuse| match excuse {
        Excuse::KnownRed => "known red: ",
        Excuse::Flaky => "flaky: ",
        Excuse::Adapted => "adapted by the change: ",
        Excuse::Removed => "removed by the change with what it tests: ",
    });
    let message = test.message.as_deref().unwrap_or("the test failed");
    status.set_message(visible(&format!("{}{message}", excuse.unwrap_or_default())));
    test_case(&test.id, status)
}

/// A test under its own name, in the class that its file and what it stands in make.
fn test_case(id: &str, status: TestCaseStatus) -> TestCase {
    let name = own_name(id);
    let class = id.strip_suffix(name).unwrap_or_default().trim_end_matches([':', ' ', '>']);
    let mut case = TestCase::new(visible(name), status);
    case.set_classname(visible(if class.is_empty() { "tests" } else { class }));
    case
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
    case.set_classname("gates");
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
