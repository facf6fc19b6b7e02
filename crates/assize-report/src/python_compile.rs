//! What our own script says of Python files that do not compile: one JSON object a line, the last one a sum.
//!
//! It must not know which files there are.

use assize_core::finding::Severity;
use serde::Deserialize;

use super::{Diagnostic, ReportError, ToolReport, json, message, plain::plain};

const FORMAT: &str = "the lines of compile.py";

#[derive(Deserialize)]
#[serde(untagged)]
enum CompileLine {
    Fault { path: String, line: Option<u32>, message: String },
    Sum { files: usize, faults: usize },
}

/// Reads what the script printed.
///
/// # Errors
///
/// The sum is missing, does not fit, or says that there was no file.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let malformed = |detail: String| ReportError::Malformed { format: FORMAT, detail };
    let text = plain(bytes)?;
    let mut report = ToolReport::default();
    let mut found = 0;
    let mut sum = None;
    for line in text.lines() {
        if sum.is_some() {
            return Err(malformed("lines follow the sum".to_owned()));
        }
        match json::value(line).map_err(|error| malformed(error.to_string()))? {
            CompileLine::Fault { path, line, message: text } => {
                found += 1;
                report.object(Diagnostic {
                    code: "python".to_owned(),
                    severity: Severity::Error,
                    path: Some(path),
                    line: line.filter(|line| *line > 0),
                    message: message(&text),
                    offer: None,
                });
            }
            CompileLine::Sum { files, faults } => sum = Some((files, faults)),
        }
    }
    match sum {
        None if text.trim().is_empty() => Err(ReportError::Empty),
        None => Err(ReportError::Truncated("it gave no sum".to_owned())),
        Some((0, _)) => Err(ReportError::Empty),
        Some((_, faults)) if faults != found => {
            Err(ReportError::Contradictory(format!("it names {found} faults, its sum says {faults}")))
        }
        Some(_) => Ok(report),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAULT: &str = "{\"path\":\"a.py\",\"line\":3,\"message\":\"SyntaxError: invalid syntax\"}\n";

    #[test]
    fn faults_are_read() {
        let report = parse(format!("{FAULT}{{\"files\":2,\"faults\":1}}\n").as_bytes()).unwrap();
        assert_eq!((report.diagnostics.len(), report.diagnostics[0].line), (1, Some(3)));
        assert_eq!(parse(b"{\"files\":2,\"faults\":0}\n").unwrap(), ToolReport::default());
    }

    #[test]
    fn the_sum_has_to_be_there_and_to_fit() {
        for text in [
            String::new(),
            FAULT.to_owned(),
            "{\"files\":0,\"faults\":0}\n".to_owned(),
            "{\"files\":2,\"faults\":1}\n".to_owned(),
            format!("{FAULT}{{\"files\":2,\"faults\":0}}\n"),
            format!("{{\"files\":2,\"faults\":0}}\n{FAULT}"),
            "Traceback\n".to_owned(),
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
