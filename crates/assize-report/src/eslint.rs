//! ESLint's JSON (`--format json`).
//!
//! A file that cannot be parsed is a fault like any other. It must not know which files were meant to be linted.

use serde::Deserialize;
use assize_core::finding::Severity;

use super::{Diagnostic, Offer, OfferedEdit, Position, ToolReport, ReportError, json, message};

const FORMAT: &str = "ESLint's JSON";

/// The endings of files that are JavaScript or TypeScript as a whole.
pub const CODE_ENDINGS: [&str; 8] = ["js", "cjs", "mjs", "jsx", "ts", "cts", "mts", "tsx"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EslintFile {
    file_path: String,
    messages: Vec<EslintMessage>,
    error_count: usize,
    #[serde(default)]
    fatal_error_count: usize,
    warning_count: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EslintMessage {
    rule_id: Option<String>,
    severity: u8,
    #[serde(default)]
    fatal: bool,
    message: String,
    line: Option<f64>,
    #[serde(default, deserialize_with = "json::optional")]
    fix: Option<EslintFix>,
}

/// What `--fix` would do. What is less sure stands under `suggestions`.
#[derive(Deserialize)]
struct EslintFix {
    /// Where a fix reaches into the byte order mark, it begins below 0. Such a fix is not read.
    range: (u32, u32),
    text: String,
}

/// Reads a report.
///
/// # Errors
///
/// It is no whole report, or its counts do not agree with its messages.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let files: Vec<EslintFile> = json::document(FORMAT, bytes)?;
    let mut report = ToolReport::default();
    for file in &files {
        let errors = file.messages.iter().filter(|it| it.severity == 2).count();
        let warnings = file.messages.iter().filter(|it| it.severity == 1).count();
        if errors < file.error_count.max(file.fatal_error_count) || warnings < file.warning_count {
            return Err(ReportError::Contradictory(format!(
                "{} has {} errors and {} warnings, and {errors} and {warnings} are listed",
                file.file_path, file.error_count, file.warning_count
            )));
        }
        for found in &file.messages {
            let syntax = if found.fatal { "syntax" } else { "eslint" };
            report.object(Diagnostic {
                code: found.rule_id.clone().unwrap_or_else(|| syntax.to_owned()),
                severity: match found.severity {
                    1 if !found.fatal => Severity::Warning,
                    0 => Severity::Note,
                    _ => Severity::Error,
                },
                path: Some(file.file_path.replace('\\', "/")),
                line: found.line.filter(|line| *line >= 1.0).map(|line| line as u32),
                message: message(&found.message),
                offer: found.fix.as_ref().and_then(|fix| offer(&file.file_path, fix)),
            });
        }
    }
    Ok(report)
}

fn offer(path: &str, fix: &EslintFix) -> Option<Offer> {
    // A text that begins with a byte order mark replaces the file's own mark, and is not inserted beside it.
    if !is_linted_whole(path) || fix.text.starts_with('\u{feff}') {
        return None;
    }
    let (start, end) = (Position::Utf16(fix.range.0), Position::Utf16(fix.range.1));
    Offer::of(vec![OfferedEdit { path: path.to_owned(), start, end, replacement: fix.text.clone() }])
}

/// Returns whether places count from the beginning of the file. Of documents with code in them ESLint is given the
/// code alone, and whether the places were counted on to the document is the plug-in's affair.
fn is_linted_whole(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| CODE_ENDINGS.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(messages: &str, errors: usize, warnings: usize) -> String {
        format!(
            r#"[{{"filePath":"/p/a.js","messages":[{messages}],"suppressedMessages":[],"errorCount":{errors},"fatalErrorCount":0,"warningCount":{warnings},"usedDeprecatedRules":[]}}]"#
        )
    }

    #[test]
    fn messages_keep_rule_severity_and_line() {
        let text = file(
            r#"{"ruleId":"eqeqeq","severity":2,"message":"Expected '==='.","line":3,"column":1},{"ruleId":null,"severity":1,"message":"File ignored"},{"ruleId":null,"fatal":true,"severity":2,"message":"Parsing error","line":1}"#,
            2,
            1,
        );
        let found = parse(text.as_bytes()).unwrap().diagnostics;
        let seen: Vec<_> = found.iter().map(|it| (it.code.as_str(), it.severity, it.line)).collect();
        assert_eq!(
            seen,
            [
                ("eqeqeq", Severity::Error, Some(3)),
                ("eslint", Severity::Warning, None),
                ("syntax", Severity::Error, Some(1)),
            ]
        );
    }

    #[test]
    fn what_is_not_whole_is_refused() {
        assert!(matches!(parse(file("", 1, 0).as_bytes()), Err(ReportError::Contradictory(_))));
        assert!(matches!(parse(file("", 0, 1).as_bytes()), Err(ReportError::Contradictory(_))));
        assert!(matches!(parse(b"[{\"filePath\":\"a"), Err(ReportError::Truncated(_))));
        assert!(matches!(parse(b"Oops! Something went wrong!"), Err(ReportError::Malformed { .. })));
        assert!(matches!(parse(b"[{}]"), Err(ReportError::Malformed { .. })));
        assert_eq!(parse(b""), Err(ReportError::Empty));
        assert_eq!(parse(b"[]"), Ok(ToolReport::default()));
    }
}
