//! What Maven and Gradle have in common: they leave one JUnit file for each class of tests, below the folders of what they
//! build. It must not know how they are called.

use super::declared::{placed, together};
use super::{GateOutput, Setup};
use crate::finding::Severity;
use crate::report::{Diagnostic, Report, ReportError, junit, message, plain::plain};

/// Reads the reports of all classes. A build that failed before any test ran is a fault of its own.
pub(super) fn report(setup: &Setup, output: &GateOutput) -> Result<Report, ReportError> {
    let files = output.reports.iter().filter(|(name, _)| name.ends_with(".xml"));
    let reports = files.map(|(_, bytes)| junit::parse(bytes)).collect::<Result<Vec<_>, _>>()?;
    let mut report = if reports.is_empty() && output.status == Some(0) {
        return Err(ReportError::Empty);
    } else {
        together(reports)?
    };
    if report.tests.is_none() {
        let said = plain(&[&output.stdout[..], b"\n", &output.stderr].concat())?;
        report.object(Diagnostic {
            code: "build".to_owned(),
            severity: Severity::Error,
            path: None,
            line: None,
            message: message(&format!(
                "the build did not come to its tests: {}",
                crate::text::tail(said.trim(), 2_000)
            )),
        });
    }
    Ok(placed(report, setup, output))
}
