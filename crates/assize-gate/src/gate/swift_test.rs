//! `swift test`: SwiftPM's runner of tests.
//!
//! With `--parallel` it leaves a JUnit file, and one more for tests of Swift Testing. A build that fails leaves none: then the compiler's
//! errors are the report.

use std::collections::BTreeSet;

use assize_core::finding::Severity;
use assize_core::path::{file_name, parent, within};
use assize_ecosystem::holds_tests;
use assize_report::plain::plain;
use assize_report::{Diagnostic, ReportError, TestRun, ToolReport, junit, message};

use super::declared::{placed, together};
use super::maven::outermost;
use super::{Canary, Dimension, Gate, GateCommand, GateOutput, Project, REPORTS, Setup};

/// The runner of tests that comes with Swift.
pub struct SwiftTest;

impl Gate for SwiftTest {
    fn id(&self) -> &'static str {
        "swift-test"
    }

    fn summary(&self) -> &'static str {
        "builds a Swift package and runs its tests with swift test"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Compilation, Dimension::TestsFunctional]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let has_tests = |setup: &Setup| tests_below(project, &setup.folder).next().is_some();
        outermost(project, &["Package.swift"]).into_iter().filter(has_tests).collect()
    }

    fn command(&self, setup: &Setup, _project: &Project) -> GateCommand {
        let report = format!("{REPORTS}/swift.xml");
        // Packages are not fetched: the sandbox has no network.
        let options = ["test", "--parallel", "--skip-update", "--disable-automatic-resolution", "--xunit-output"];
        let mut arguments: Vec<String> = options.map(str::to_owned).into();
        arguments.push(report);
        GateCommand {
            program: "swift".to_owned(),
            arguments,
            folder: setup.folder.clone(),
            environment: [].into(),
            provided: [].into(),
        }
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        let files = output.reports.iter().filter(|(name, _)| name.ends_with(".xml"));
        let reports = files.map(|(_, bytes)| junit::parse(bytes)).collect::<Result<Vec<_>, _>>()?;
        let mut report = together(reports)?;
        let printed = plain(&[&output.stdout[..], b"\n", &output.stderr].concat())?;
        if output.status != Some(0) {
            let mut seen = BTreeSet::new();
            let errors = printed.lines().filter_map(compiler_error).filter(|found| seen.insert(found.clone()));
            errors.for_each(|found| report.object(found));
            if report.tests.is_none() && report.diagnostics.is_empty() {
                return Err(ReportError::Truncated("the build did not come to its tests".to_owned()));
            }
        } else if report.tests.is_none() {
            report.tests = Some(TestRun::default());
        }
        Ok(placed(report, setup, output))
    }

    fn canary(&self, setup: &Setup, project: &Project, word: &str) -> Option<Canary> {
        let beside = tests_below(project, &setup.folder).find(|path| path.contains("Tests/"))?;
        let folder = parent(beside);
        let target = file_name(folder);
        let ids = |end: &str| vec![format!("{target}.Canary_{word} > test_{word}_{end}")];
        let path = within(folder, &format!("Canary_{word}.swift"));
        let text = CANARY.replace("WORD", word);
        Some(Canary { failing: ids("fails"), passing: ids("passes"), files: [(path, text)].into(), ..Canary::default() })
    }
}

/// Files of tests in a folder, relative to the root.
fn tests_below<'p>(project: &'p Project, folder: &'p str) -> impl Iterator<Item = &'p str> {
    let is_test = |path: &&str| path.ends_with(".swift") && holds_tests(path);
    let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    project.files.iter().map(String::as_str).filter(move |path| path.starts_with(&start)).filter(is_test)
}

/// Reads a line of the compiler: `/a/B.swift:3:9: error: words`.
fn compiler_error(line: &str) -> Option<Diagnostic> {
    let (place, words) = line.split_once(": error: ")?;
    let mut parts = place.rsplitn(3, ':');
    let (_, line, path) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Diagnostic {
        code: "compile".to_owned(),
        severity: Severity::Error,
        path: Some(path.to_owned()).filter(|path| path.ends_with(".swift"))?.into(),
        line: Some(line.parse().ok()?),
        message: message(words),
        offer: None,
    })
}

const CANARY: &str = r#"// Written for one run, to see that failures are reported.
import XCTest

final class Canary_WORD: XCTestCase {
    func test_WORD_fails() {
        XCTAssertEqual(1 + 1, 3)
    }

    func test_WORD_passes() {
        XCTAssertEqual(1 + 1, 2)
    }
}
"#;

#[cfg(test)]
mod tests {
    use assize_report::TestOutcome;

    use super::super::python::tests::project;
    use super::*;

    const REPORT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>

<testsuites>
<testsuite name="TestResults" errors="0" tests="2" failures="1" time="0.1">
<testcase classname="ShopTests.CartTests" name="testTotal" time="0.05">
</testcase>
<testcase classname="ShopTests.CartTests" name="testEmpty" time="0.05">
<failure message="failed"></failure>
</testcase>
</testsuite>
</testsuites>
"#;

    fn output(status: i32, stderr: &str, report: Option<&str>) -> GateOutput {
        let reports = report.map(|text| ("swift.xml".to_owned(), text.as_bytes().to_vec()));
        GateOutput {
            status: Some(status),
            stderr: stderr.as_bytes().to_vec(),
            reports: reports.into_iter().collect(),
            ..GateOutput::default()
        }
    }

    #[test]
    fn a_package_with_tests_is_recognized() {
        let test = "Tests/ShopTests/CartTests.swift";
        for (files, folders) in [
            (&["Package.swift", "Sources/Shop/Cart.swift", test][..], &[""][..]),
            (&["Package.swift", "Sources/Shop/Cart.swift"], &[]),
            (&["ios/Package.swift", "ios/Tests/ShopTests/CartTests.swift"], &["ios"]),
            (&["Sources/Shop/Cart.swift", test], &[]),
        ] {
            let setups = SwiftTest.detect(&project(&[], files, &["swift"]));
            let found: Vec<&str> = setups.iter().map(|setup| setup.folder.as_str()).collect();
            assert_eq!(found, folders, "{files:?}");
        }
        let project = project(&[], &["Package.swift", test], &["swift"]);
        let canary = SwiftTest.canary(&SwiftTest.detect(&project)[0], &project, "k3").expect("a place beside the tests");
        assert_eq!(canary.failing, ["ShopTests.Canary_k3 > test_k3_fails"]);
        assert!(canary.files.contains_key("Tests/ShopTests/Canary_k3.swift"));
    }

    #[test]
    fn tests_and_compiler_errors_are_read() {
        let setup = Setup { folder: String::new(), because: String::new(), detail: String::new() };
        let parse = |output: GateOutput| SwiftTest.parse(&setup, &output);
        let tests = parse(output(1, "", Some(REPORT))).expect("a report").tests.expect("tests");
        let outcomes: Vec<_> = tests.cases.iter().map(|case| (case.id.as_str(), case.outcome)).collect();
        assert_eq!(
            outcomes,
            [
                ("ShopTests.CartTests > testTotal", TestOutcome::Passed),
                ("ShopTests.CartTests > testEmpty", TestOutcome::Failed)
            ]
        );
        let error = "Sources/Shop/Cart.swift:3:9: error: cannot find 'x' in scope\n";
        let broken = parse(output(1, error, None)).expect("the compiler speaks");
        assert_eq!(broken.diagnostics[0].line, Some(3));
        assert_eq!(broken.diagnostics[0].path.as_deref(), Some("Sources/Shop/Cart.swift"));
        assert!(parse(output(1, "error: no such module\n", None)).is_err());
    }
}
