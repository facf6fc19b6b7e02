//! Biome's JSON (`--reporter=json`), of versions 1 and 2.
//!
//! Version 1 gives places as offsets together with the code, version 2 as lines. It must not know
//! which files were meant to be checked.

use serde::Deserialize;
use assize_core::finding::Severity;

use super::{Diagnostic, ToolReport, ReportError, json, message};

const FORMAT: &str = "Biome's JSON";

#[derive(Deserialize)]
struct BiomeReport {
    summary: BiomeSummary,
    diagnostics: Vec<BiomeDiagnostic>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BiomeSummary {
    errors: usize,
    #[serde(default)]
    warnings: usize,
    #[serde(default)]
    diagnostics_not_printed: usize,
}

#[derive(Deserialize)]
struct BiomeDiagnostic {
    category: Option<String>,
    severity: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    message: BiomeText,
    location: Option<BiomeLocation>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum BiomeText {
    Plain(String),
    Marked(Vec<Mark>),
}

impl Default for BiomeText {
    fn default() -> Self {
        Self::Marked(Vec::new())
    }
}

#[derive(Deserialize)]
struct Mark {
    content: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BiomeLocation {
    path: Option<BiomePath>,
    start: Option<Start>,
    span: Option<(usize, usize)>,
    source_code: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum BiomePath {
    Path(String),
    File { file: String },
    Other(serde::de::IgnoredAny),
}

#[derive(Deserialize)]
struct Start {
    line: u32,
}

/// Reads a report.
///
/// # Errors
///
/// It is no whole report, or counts more faults than it lists.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let document: BiomeReport = json::document(FORMAT, bytes)?;
    let mut report = ToolReport::default();
    for found in document.diagnostics {
        report.object(found.diagnostic());
    }
    let not_printed = document.summary.diagnostics_not_printed;
    let listed = |severity| report.diagnostics.iter().filter(|found| found.severity == severity).count();
    let (errors, warnings) = (listed(Severity::Error), listed(Severity::Warning));
    let spare = report.diagnostics_left_out + not_printed;
    if document.summary.errors > errors + spare || document.summary.warnings > warnings + spare {
        return Err(ReportError::Contradictory(format!(
            "it counts {} errors and {} warnings, and lists {errors} and {warnings}",
            document.summary.errors, document.summary.warnings
        )));
    }
    report.diagnostics_left_out += not_printed;
    Ok(report)
}

impl BiomeDiagnostic {
    fn diagnostic(self) -> Diagnostic {
        let words = match self.message {
            _ if !self.description.is_empty() => self.description,
            BiomeText::Plain(words) => words,
            BiomeText::Marked(marks) => marks.into_iter().map(|mark| mark.content).collect(),
        };
        let line = self.location.as_ref().and_then(BiomeLocation::line);
        let path = match self.location.and_then(|location| location.path) {
            Some(BiomePath::Path(path) | BiomePath::File { file: path }) => {
                Some(path.replace('\\', "/").trim_start_matches("./").to_owned())
            }
            Some(BiomePath::Other(_)) | None => None,
        };
        Diagnostic {
            code: self.category.unwrap_or_else(|| "biome".to_owned()),
            severity: match self.severity.as_str() {
                "information" | "info" | "hint" => Severity::Note,
                "warning" => Severity::Warning,
                _ => Severity::Error,
            },
            path,
            line,
            message: message(&words),
            offer: None,
        }
    }
}

impl BiomeLocation {
    fn line(&self) -> Option<u32> {
        if let Some(start) = &self.start {
            return Some(start.line).filter(|line| *line > 0);
        }
        let code = self.source_code.as_ref()?.as_bytes();
        let before = code.get(..self.span?.0)?;
        Some(before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes_of_places_are_read() {
        let old = r#"{"summary":{"errors":2,"warnings":0},"diagnostics":[
            {"category":"lint/a","severity":"error","description":"d","message":[{"elements":[],"content":"m"}],"location":{"path":{"file":"./a.js"},"span":[4,6],"sourceCode":"x\ny\nz"}},
            {"category":"format","severity":"fatal","description":"","message":[{"elements":[],"content":"m"},{"elements":[],"content":"n"}],"location":{"path":{"file":"a.js"},"span":null,"sourceCode":null}}],"command":"ci"}"#;
        let new = r#"{"summary":{"errors":1,"warnings":1,"diagnosticsNotPrinted":2},"diagnostics":[
            {"severity":"warning","message":"m","category":"lint/a","location":{"path":"a.js","start":{"line":3,"column":1}}},
            {"severity":"error","message":"mn","category":"format","location":{"path":"a.js","start":{"line":0,"column":0}}},
            {"severity":"information","message":"i","category":null,"location":null}],"command":"ci"}"#;
        let seen = |text: &str| {
            let report = parse(text.as_bytes()).unwrap();
            let all = report.diagnostics.into_iter().map(|it| (it.severity, it.path, it.line, it.message));
            (all.collect::<Vec<_>>(), report.diagnostics_left_out)
        };
        let a = || Some("a.js".to_owned());
        assert_eq!(
            seen(old),
            (vec![(Severity::Error, a(), Some(3), "d".into()), (Severity::Error, a(), None, "mn".into())], 0)
        );
        assert_eq!(
            seen(new),
            (
                vec![
                    (Severity::Warning, a(), Some(3), "m".into()),
                    (Severity::Error, a(), None, "mn".into()),
                    (Severity::Note, None, None, "i".into()),
                ],
                2
            )
        );
    }

    #[test]
    fn faults_that_are_counted_and_not_listed_are_missed() {
        let text = r#"{"summary":{"errors":1},"diagnostics":[]}"#;
        assert!(matches!(parse(text.as_bytes()), Err(ReportError::Contradictory(_))));
        assert!(matches!(parse(b"{\"summary\":"), Err(ReportError::Truncated(_))));
        assert!(matches!(parse(b"{\"diagnostics\":[]}"), Err(ReportError::Malformed { .. })));
    }
}
