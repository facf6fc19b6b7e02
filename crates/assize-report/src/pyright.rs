//! What `pyright --outputjson` says.
//!
//! One document with a summary, which has to fit. It must not know how strict pyright was told to be.

use serde::Deserialize;
use assize_core::finding::Severity;

use super::{Diagnostic, ToolReport, ReportError, json, message};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PyrightOutput {
    general_diagnostics: Vec<PyrightDiagnostic>,
    summary: PyrightSummary,
}

#[derive(Deserialize)]
struct PyrightDiagnostic {
    #[serde(alias = "uri")]
    file: Option<String>,
    severity: String,
    message: String,
    range: Option<PyrightRange>,
    rule: Option<String>,
}

#[derive(Deserialize)]
struct PyrightRange {
    start: PyrightPosition,
}

#[derive(Deserialize)]
struct PyrightPosition {
    line: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PyrightSummary {
    files_analyzed: usize,
    error_count: usize,
    warning_count: usize,
}

/// Reads a report.
///
/// # Errors
///
/// It is no whole document, no file was looked at, or its summary does not fit.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let output: PyrightOutput = json::document("pyright's JSON", bytes)?;
    let mut report = ToolReport::default();
    let (mut errors, mut warnings) = (0, 0);
    for found in output.general_diagnostics {
        let severity = match found.severity.as_str() {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => Severity::Note,
        };
        errors += usize::from(severity == Severity::Error);
        warnings += usize::from(severity == Severity::Warning);
        report.object(Diagnostic {
            code: found.rule.unwrap_or_else(|| "pyright".to_owned()),
            severity,
            path: found.file,
            // It counts lines from 0.
            line: found.range.map(|range| range.start.line.saturating_add(1)),
            message: message(&found.message),
            offer: None,
        });
    }
    let summary = output.summary;
    if (summary.error_count, summary.warning_count) != (errors, warnings) {
        return Err(ReportError::Contradictory(format!(
            "it names {errors} errors and {warnings} warnings, its summary says {} and {}",
            summary.error_count, summary.warning_count
        )));
    }
    if summary.files_analyzed == 0 && errors == 0 {
        return Err(ReportError::Empty);
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(errors: usize, files: usize) -> String {
        format!(
            r#"{{"version":"1","generalDiagnostics":[{{"file":"/p/a.py","severity":"error","message":"bad\n  worse","range":{{"start":{{"line":4,"character":1}},"end":{{"line":4,"character":2}}}},"rule":"reportReturnType"}},{{"file":"/p/a.py","severity":"information","message":"i"}}],"summary":{{"filesAnalyzed":{files},"errorCount":{errors},"warningCount":0,"informationCount":1,"timeInSec":0.8}}}}"#
        )
    }

    #[test]
    fn lines_are_counted_from_one() {
        let report = parse(text(1, 3).as_bytes()).unwrap();
        let first = &report.diagnostics[0];
        assert_eq!(
            (first.code.as_str(), first.line, first.message.as_str()),
            ("reportReturnType", Some(5), "bad\n  worse")
        );
        assert_eq!((report.diagnostics[1].severity, report.diagnostics[1].line), (Severity::Note, None));
    }

    #[test]
    fn the_summary_has_to_be_there_and_to_fit() {
        let whole = text(1, 3);
        for end in 0..whole.len() {
            assert!(parse(&whole.as_bytes()[..end]).is_err(), "{end}");
        }
        assert!(matches!(parse(text(0, 3).as_bytes()), Err(ReportError::Contradictory(_))));
        let nothing = r#"{"generalDiagnostics":[],"summary":{"filesAnalyzed":0,"errorCount":0,"warningCount":0}}"#;
        assert_eq!(parse(nothing.as_bytes()), Err(ReportError::Empty));
    }
}
