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
        Excuse::RedAdapted => "failed before, rewritten by the change: ",
        Excuse::Removed => "removed by the change with what it tests: ",
        Excuse::Deprecated => "fails for a deprecation alone: ",
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
    let failed = gate.tests.as_ref().filter(|tests| tests.failed > 0);
    let failed = failed.map(|tests| format!("{} of {} tests failed", tests.failed, tests.failed + tests.passed));
    let message = trouble.into_iter().chain(what).chain(failed).collect::<Vec<_>>().join("\n");
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

    /// What somebody sees of the cases of a suite: class, name, how it ended, and its message.
    fn cases(xml: &str, suite: &str) -> Vec<String> {
        let read = Report::deserialize_from_str(xml).expect("a report");
        let suite = read.test_suites.iter().find(|of| of.name.as_str() == suite).expect("the suite");
        let shown = suite.test_cases.iter().map(|case| {
            let (end, message) = match &case.status {
                TestCaseStatus::Success { .. } => ("passed", None),
                TestCaseStatus::NonSuccess { kind: NonSuccessKind::Failure, message, .. } => ("failure", message.as_ref()),
                TestCaseStatus::NonSuccess { kind: NonSuccessKind::Error, message, .. } => ("error", message.as_ref()),
                TestCaseStatus::Skipped { message, .. } => ("skipped", message.as_ref()),
            };
            let class = case.classname.as_ref().map_or("none", |class| class.as_str());
            let message = message.map_or("", |message| message.as_str());
            format!("{class} | {} | {end} | {message}", case.name.as_str()).trim_end().to_owned()
        });
        shown.collect()
    }

    /// The attribute of a suite, as those read it who do not count cases.
    fn attribute<'x>(xml: &'x str, suite: &str, name: &str) -> &'x str {
        let (_, tag) = xml.split_once(&format!("<testsuite name=\"{suite}\"")).expect("the suite");
        let tag = &tag[..tag.find('>').expect("closed")];
        let (_, value) = tag.split_once(&format!(" {name}=\"")).expect("the attribute");
        value.split('"').next().expect("a value")
    }

    #[test]
    fn what_does_not_keep_a_change_out_is_no_failure() {
        use assize_core::finding::{BlockOn, Certainty, Finding};

        let mut record = record();
        record.inputs.exec.gates.truncate(1);
        let gate = &mut record.inputs.exec.gates[0];
        gate.state = GateState::Passed;
        let tests = gate.tests.as_mut().expect("tests");
        let excused = |id: &str, excuse| FailingTest { id: id.to_owned(), excuse: Some(excuse), ..tests.failing[0].clone() };
        let failing = vec![excused("test_a.py::T::test_host", Excuse::KnownRed), excused("test_net", Excuse::Flaky)];
        tests.failing = failing;
        let finding = |rule: &str, certainty, severity| Finding {
            rule: rule.to_owned(),
            certainty,
            severity,
            ..record.inputs.findings[0].clone()
        };
        record.inputs.findings = vec![
            finding("secret", Certainty::Likely, Severity::Error),
            finding("security-dependency-added", Certainty::Certain, Severity::Note),
        ];
        let xml = Junit.write(&record).expect("XML");
        assert!(!xml.contains("<failure") && !xml.contains("<error"), "{xml}");
        assert_eq!(cases(&xml, "findings"), ["src/a|b.py | secret | skipped | src/a|b.py:9: A key stands in the code."]);
        assert_eq!(
            cases(&xml, "pytest"),
            [
                "test_a.py::T | test_host | skipped | known red: assert 1 == 2\n<script>@everyone",
                "tests | test_net | skipped | flaky: assert 1 == 2\n<script>@everyone",
            ]
        );
        // The same finding fails where the policy has it block.
        record.inputs.policy.block_on = BlockOn::Likely;
        let xml = Junit.write(&record).expect("XML");
        assert_eq!((attribute(&xml, "findings", "tests"), attribute(&xml, "findings", "failures")), ("1", "1"), "{xml}");
    }

    #[test]
    fn every_test_is_counted_under_its_class_and_says_what_is_wrong() {
        let mut record = record();
        let tests = record.inputs.exec.gates[0].tests.as_mut().expect("tests");
        tests.passed_ids = ["test_a.py::T::test_one", "test/a.test.js > total adds", "plain"].map(str::to_owned).into();
        tests.skipped_ids = vec!["test_b.py::test_windows".to_owned()];
        let xml = Junit.write(&record).expect("XML");
        let count = |name| attribute(&xml, "pytest", name).parse::<usize>().expect("a number");
        assert_eq!((count("tests"), count("failures"), count("errors"), count("skipped")), (5, 1, 0, 1), "{xml}");
        let found = cases(&xml, "pytest");
        assert_eq!(
            found,
            [
                "test_a.py::T | test_one | passed |",
                "test/a.test.js | total adds | passed |",
                "tests | plain | passed |",
                "test_b.py | test_windows | skipped |",
                "test_a.py | test_zero | failure | assert 1 == 2\n<script>@everyone",
            ]
        );
        assert_eq!(
            cases(&xml, "gates")[1..],
            [
                "gates | ruff-check | failure | src/a.py:3: `os` imported but unused [F401]",
                "gates | mypy | skipped | mypy is not installed",
            ]
        );
    }
}
