//! oxlint's JSON (`--format=json`).
//!
//! A file that cannot be parsed is a fault like any other. It must not know which files were meant to be linted.

use assize_core::finding::Severity;
use serde::Deserialize;

use super::{Diagnostic, ReportError, ToolReport, json, message};

const FORMAT: &str = "oxlint's JSON";

#[derive(Deserialize)]
struct OxlintReport {
    diagnostics: Vec<OxlintDiagnostic>,
    number_of_files: usize,
}

#[derive(Deserialize)]
struct OxlintDiagnostic {
    message: String,
    /// Absent where the file cannot be parsed.
    code: Option<String>,
    severity: OxlintSeverity,
    filename: Option<String>,
    #[serde(default)]
    labels: Vec<OxlintLabel>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum OxlintSeverity {
    Error,
    Warning,
    Advice,
}

#[derive(Deserialize)]
struct OxlintLabel {
    span: OxlintSpan,
}

#[derive(Deserialize)]
struct OxlintSpan {
    line: Option<u32>,
}

/// Reads a report.
///
/// # Errors
///
/// It is no whole report, or no file was linted.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let read: OxlintReport = json::document(FORMAT, bytes)?;
    let mut report = ToolReport::default();
    for found in &read.diagnostics {
        let is_syntax = found.code.is_none();
        report.object(Diagnostic {
            code: found.code.clone().unwrap_or_else(|| "syntax".to_owned()),
            severity: match found.severity {
                OxlintSeverity::Error => Severity::Error,
                _ if is_syntax => Severity::Error,
                OxlintSeverity::Warning => Severity::Warning,
                OxlintSeverity::Advice => Severity::Note,
            },
            path: found.filename.as_ref().map(|path| path.replace('\\', "/")),
            line: found.labels.first().and_then(|label| label.span.line).filter(|line| *line > 0),
            message: message(&found.message),
            offer: None,
        });
    }
    if read.number_of_files == 0 && report.diagnostics.is_empty() {
        return Err(ReportError::Malformed { format: FORMAT, detail: "no file was linted".to_owned() });
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lints_have_a_severity_and_files_without_syntax_a_fault() {
        let text = r#"{ "diagnostics": [
            {"message": "`debugger` statement is not allowed","code": "eslint(no-debugger)","severity": "error",
             "filename": "src\\l.js","labels": [{"label":"here","span": {"offset": 0,"length": 9,"line": 1,"column": 1}}]},
            {"message": "Unused","code": "eslint(no-unused-vars)","severity": "warning","filename": "a.js","labels": []},
            {"message": "Unexpected token","severity": "error","filename": "bad.js","labels": [{"span": {"line": 3}}]}],
            "number_of_files": 3, "number_of_rules": 96, "threads_count": 2, "start_time": 0.6 }"#;
        let found = parse(text.as_bytes()).expect("a report").diagnostics;
        let seen: Vec<_> = found
            .iter()
            .map(|it| (it.code.as_str(), it.severity, it.path.as_deref().unwrap_or_default(), it.line))
            .collect();
        let expected = [
            ("eslint(no-debugger)", Severity::Error, "src/l.js", Some(1)),
            ("eslint(no-unused-vars)", Severity::Warning, "a.js", None),
            ("syntax", Severity::Error, "bad.js", Some(3)),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_part_of_a_report_and_a_run_over_nothing_are_refused() {
        for (text, part) in [
            ("", "empty"),
            (r#"{ "diagnostics": [{"message": "x""#, "EOF"),
            ("No files found to lint.", "expected value"),
            (r#"{"diagnostics": [], "number_of_files": 0}"#, "no file was linted"),
        ] {
            let error = parse(text.as_bytes()).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
