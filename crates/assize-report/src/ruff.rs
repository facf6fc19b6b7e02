//! What `ruff check --output-format=json` says.
//!
//! One array, whole or not at all. Old versions call a fault of syntax `E999` or give it no code,
//! new ones `invalid-syntax`. It must not know which rules are on.

use serde::Deserialize;
use serde::de::IgnoredAny;
use assize_core::finding::Severity;

use super::{Diagnostic, Offer, OfferedEdit, Position, ToolReport, ReportError, json, message};

#[derive(Deserialize)]
struct RuffDiagnostic {
    code: Option<String>,
    filename: String,
    location: Option<RuffLocation>,
    message: String,
    /// The cell of a notebook in which its places count.
    cell: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "json::optional")]
    fix: Option<RuffFix>,
}

#[derive(Deserialize)]
struct RuffLocation {
    row: u32,
    #[serde(default)]
    column: u32,
}

#[derive(Deserialize)]
struct RuffFix {
    applicability: String,
    edits: Vec<RuffEdit>,
}

#[derive(Deserialize)]
struct RuffEdit {
    content: String,
    location: RuffLocation,
    end_location: RuffLocation,
}

/// Reads a report.
///
/// # Errors
///
/// It is no whole array of ruff's diagnostics.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let found: Vec<RuffDiagnostic> = json::document("ruff's JSON", bytes)?;
    let mut report = ToolReport::default();
    for found in found {
        let offer = found.offer();
        let code = found.code.unwrap_or_else(|| "invalid-syntax".to_owned());
        let severity =
            if matches!(code.as_str(), "invalid-syntax" | "E999") { Severity::Error } else { Severity::Warning };
        report.object(Diagnostic {
            code,
            severity,
            path: Some(found.filename),
            line: found.location.map(|location| location.row),
            message: message(&found.message),
            offer,
        });
    }
    Ok(report)
}

impl RuffDiagnostic {
    fn offer(&self) -> Option<Offer> {
        let fix = self.fix.as_ref().filter(|fix| fix.applicability == "safe" && self.cell.is_none())?;
        let edit = |edit: &RuffEdit| OfferedEdit {
            path: self.filename.clone(),
            start: edit.location.position(),
            end: edit.end_location.position(),
            replacement: edit.content.clone(),
        };
        Offer::of(fix.edits.iter().map(edit).collect())
    }
}

impl RuffLocation {
    fn position(&self) -> Position {
        Position::Character { line: self.row, column: self.column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_and_syntax_are_told_apart() {
        let read = |code: &str| {
            let text =
                format!(r#"[{{"code":{code},"filename":"/p/a.py","location":{{"row":3,"column":1}},"message":"m"}}]"#);
            let report = parse(text.as_bytes()).unwrap();
            (report.diagnostics[0].code.clone(), report.diagnostics[0].severity)
        };
        assert_eq!(read("\"F401\""), ("F401".to_owned(), Severity::Warning));
        for code in ["null", "\"invalid-syntax\"", "\"E999\""] {
            assert_eq!(read(code).1, Severity::Error, "{code}");
        }
    }

    #[test]
    fn only_a_whole_array_is_a_report() {
        assert_eq!(parse(b"[]\n").unwrap(), ToolReport::default());
        let whole = r#"[{"code":"F401","filename":"a.py","location":{"row":1,"column":1},"message":"m"}]"#;
        for end in 0..whole.len() {
            assert!(parse(&whole.as_bytes()[..end]).is_err(), "{end}");
        }
    }
}
