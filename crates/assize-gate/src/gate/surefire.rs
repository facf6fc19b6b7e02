//! Reads the reports of Maven and Gradle. Both leave one JUnit file for each class of tests, below the folders of what
//! they build, and both print what the compiler says.
//!
//! A class that was begun and has no file is red: its process was left. A build that did not come to its tests is red
//! only where the compiler names a place. Otherwise the cause is unknown, and there is no report. This module must not
//! know how Maven and Gradle are called.

use std::collections::BTreeSet;

use assize_core::finding::Severity;
use assize_report::plain::plain;
use assize_report::{CaseList, Diagnostic, ReportError, TestCase, TestOutcome, TestRun, ToolReport, junit, message};

use super::declared::{placed, together};
use super::{GateOutput, Setup};

/// Reads the reports of all classes, and what the compiler says.
pub(super) fn report(setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
    let files = output.reports.iter().filter(|(name, _)| name.ends_with(".xml"));
    let reports = files.map(|(_, bytes)| junit::parse(bytes)).collect::<Result<Vec<_>, _>>()?;
    let mut report = together(reports)?;
    let said = plain(&[&output.stdout[..], b"\n", &output.stderr].concat())?;
    if output.status != Some(0) {
        let mut seen = BTreeSet::new();
        said.lines()
            .filter_map(fault)
            .filter(|found| seen.insert(found.clone()))
            .for_each(|found| report.object(found));
        let left = left_classes(&said, report.tests.as_ref());
        if !left.is_empty() {
            report.tests = Some(with_failed(report.tests.take(), left)?);
        }
    }
    if report.tests.is_none() && report.diagnostics.is_empty() {
        if output.status != Some(0) {
            return Err(ReportError::Truncated(format!("the build did not come to its tests: {}", reason(&said))));
        }
        report.tests = Some(TestRun::default());
    }
    Ok(placed(report, setup, output))
}

/// Reads a line of a compiler: Maven's `[ERROR] /a/B.java:[3,9] words`, javac's `/a/B.java:3: error: words`, Kotlin's
/// `e: file:///a/B.kt:3:9 words` or `e: /a/B.kt: (3, 9): words`.
fn fault(line: &str) -> Option<Diagnostic> {
    let (place, line, words) = if let Some(rest) = line.strip_prefix("[ERROR] ") {
        let (place, rest) = rest.split_once(":[")?;
        let (at, words) = rest.split_once(']')?;
        (place, at.split(',').next()?, words)
    } else if let Some(rest) = line.strip_prefix("e: ") {
        let rest = rest.strip_prefix("file://").unwrap_or(rest);
        let end = rest.find(".kt:").map(|at| at + 3)?;
        let (at, words) = rest[end + 1..].trim_start().split_once(' ')?;
        (
            &rest[..end],
            at.trim_start_matches('(').split([':', ',']).next()?,
            words.split_once("): ").map_or(words, |it| it.1),
        )
    } else {
        let (place, words) = line.split_once(": error: ")?;
        let (place, at) = place.rsplit_once(':')?;
        (place, at, words)
    };
    let is_source = [".java", ".kt", ".kts", ".groovy", ".scala"].iter().any(|ending| place.ends_with(ending));
    let line = line.parse().ok().filter(|_| is_source)?;
    Some(Diagnostic {
        code: "compile".to_owned(),
        severity: Severity::Error,
        path: Some(place.to_owned()),
        line: Some(line),
        message: message(words),
        offer: None,
    })
}

/// Classes of tests that surefire says to have begun and not to have ended.
fn left_classes<'a>(said: &'a str, tests: Option<&TestRun>) -> Vec<&'a str> {
    let lines = || said.lines().map(|line| line.strip_prefix("[INFO] ").unwrap_or(line).trim());
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "._$".contains(c));
    let begun: BTreeSet<&str> =
        lines().filter_map(|line| line.strip_prefix("Running ")).filter(|it| is_name(it)).collect();
    let told = |class: &str| {
        let start = format!("{class} > ");
        tests.is_some_and(|run| run.cases.iter().any(|case| case.id == class || case.id.starts_with(&start)))
    };
    begun.into_iter().filter(|class| !told(class)).collect()
}

fn with_failed(run: Option<TestRun>, classes: Vec<&str>) -> Result<TestRun, ReportError> {
    let mut cases = CaseList::default();
    for case in run.into_iter().flat_map(|run| run.cases) {
        cases.add(case)?;
    }
    for class in classes {
        let words = "it began, and its end was not reported".to_owned();
        let id = class.to_owned();
        cases.add(TestCase { id, path: None, outcome: TestOutcome::Failed, message: Some(words), time_ms: None })?;
    }
    Ok(TestRun { cases: cases.finish(), ..TestRun::default() })
}

/// The line that says most of why a build ended.
fn reason(said: &str) -> String {
    let lines = || said.lines().map(str::trim);
    let of_maven = lines().find_map(|line| line.strip_prefix("[ERROR] ").filter(|rest| !rest.is_empty()));
    let of_gradle = || lines().skip_while(|line| *line != "* What went wrong:").skip(1).find(|line| !line.is_empty());
    let reason = of_maven.or_else(of_gradle).or_else(|| lines().rfind(|line| !line.is_empty()));
    assize_core::text::head(reason.unwrap_or("it printed nothing"), 400).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_compiler_says_has_a_place() {
        for (line, expected) in [
            ("[ERROR] /p/A.java:[3,9] cannot find symbol", Some(("/p/A.java", 3, "cannot find symbol"))),
            ("/p/A.java:3: error: ';' expected", Some(("/p/A.java", 3, "';' expected"))),
            ("e: file:///p/A.kt:3:9 Unresolved reference: x", Some(("/p/A.kt", 3, "Unresolved reference: x"))),
            ("e: /p/A.kt: (3, 9): Unresolved reference: x", Some(("/p/A.kt", 3, "Unresolved reference: x"))),
            ("[ERROR] Failed to execute goal x:[y] -> [Help 1]", None),
            ("[INFO] /p/A.java:[3,9] no", None),
            ("/p/A.java:3: warning: old", None),
            ("a test printed A.txt:3: error: no", None),
            ("e: .kt:", None),
            ("/p/A.java:x: error: no number", None),
        ] {
            let found =
                fault(line).map(|found| (found.path.unwrap_or_default(), found.line.unwrap_or(0), found.message));
            let wanted = expected.map(|(path, line, words)| (path.to_owned(), line, words.to_owned()));
            assert_eq!(found, wanted, "{line}");
        }
    }

    #[test]
    fn a_class_without_a_report_was_left() {
        let said = "[INFO] Running a.BTest\n[INFO] Running a.CTest\nRunning out of words\nRunning a.D$E\n";
        let run = with_failed(None, vec!["a.BTest"]).unwrap();
        assert_eq!(left_classes(said, None), ["a.BTest", "a.CTest", "a.D$E"]);
        assert_eq!(left_classes(said, Some(&run)), ["a.CTest", "a.D$E"]);
    }

    #[test]
    fn a_build_says_why_it_did_not_come_to_its_tests() {
        for (said, expected) in [
            ("[INFO] x\n[ERROR] \n[ERROR] No plugin.\n[ERROR] Help\n", "No plugin."),
            ("FAILURE: x\n\n* What went wrong:\n\nNo network.\n\n* Try:\n", "No network."),
            ("something\n\n", "something"),
            ("", "it printed nothing"),
        ] {
            assert_eq!(reason(said), expected);
        }
    }
}
