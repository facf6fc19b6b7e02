//! What the TypeScript compiler prints, `--pretty false` or not.
//!
//! Its output has no end that could be missed: that nothing is printed means that nothing is wrong,
//! and the exit status says the same. It must not know which projects were compiled.

use std::sync::LazyLock;

use regex::Regex;
use assize_core::finding::Severity;

use super::plain::plain;
use super::{Diagnostic, ToolReport, ReportError, message};

/// `src/a.ts(1,14): error TS2322: …`, `src/a.ts:1:14 - error TS2322: …` or `error TS18003: …`.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:(?<path>\S.*?)(?:\((?<line>\d+),\d+\): |:(?<pretty>\d+):\d+ - ))?(?<kind>error|warning|message) (?<code>TS\d+): (?<words>.*)$")
        .expect("the pattern is fixed")
});

/// Reads the output.
///
/// # Errors
///
/// It is larger than is read.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let text = plain(bytes)?;
    let mut report = ToolReport::default();
    let mut open: Option<Diagnostic> = None;
    for line in text.lines() {
        if let Some(found) = LINE.captures(line) {
            let number = found.name("line").or_else(|| found.name("pretty"));
            report.object_some(open.take());
            open = Some(Diagnostic {
                code: found["code"].to_owned(),
                severity: match &found["kind"] {
                    "error" => Severity::Error,
                    "warning" => Severity::Warning,
                    _ => Severity::Note,
                },
                path: found.name("path").map(|path| path.as_str().replace('\\', "/")),
                line: number.and_then(|number| number.as_str().parse().ok()),
                message: found["words"].to_owned(),
                offer: None,
            });
        } else if let Some(open) = &mut open
            && line.starts_with("  ")
            && open.message.len() < super::MESSAGE_BYTES_MAX
        {
            // What explains the message is indented below it.
            open.message.push('\n');
            open.message.push_str(line.trim_end());
        } else {
            report.object_some(open.take());
        }
    }
    report.object_some(open);
    for diagnostic in &mut report.diagnostics {
        diagnostic.message = message(&diagnostic.message);
    }
    Ok(report)
}

impl ToolReport {
    fn object_some(&mut self, diagnostic: Option<Diagnostic>) {
        if let Some(diagnostic) = diagnostic {
            self.object(diagnostic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_are_read_with_place_and_explanation() {
        let text = "src/a (1).ts(1,14): error TS2322: Type 'string' is not assignable.\r\n  Types of property 'a'.\r\n    No.\r\n\
                    error TS18003: No inputs were found.\n\
                    \x1b[96msrc/b.ts\x1b[0m:\x1b[93m2\x1b[0m:\x1b[93m4\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS2304: \x1b[0mCannot find name 'x'.\n\n\
                    \x1b[7m2\x1b[0m x\n\nFound 2 errors.\nnoise: error TS1: x";
        let found = parse(text.as_bytes()).unwrap().diagnostics;
        let seen: Vec<_> =
            found.iter().map(|it| (it.code.as_str(), it.path.as_deref(), it.line, it.message.as_str())).collect();
        assert_eq!(
            seen,
            [
                (
                    "TS2322",
                    Some("src/a (1).ts"),
                    Some(1),
                    "Type 'string' is not assignable.\n  Types of property 'a'.\n    No."
                ),
                ("TS18003", None, None, "No inputs were found."),
                ("TS2304", Some("src/b.ts"), Some(2), "Cannot find name 'x'."),
            ]
        );
        assert!(found.iter().all(|it| it.severity == Severity::Error));
    }

    #[test]
    fn silence_is_no_objection() {
        assert_eq!(parse(b"").unwrap(), ToolReport::default());
        assert_eq!(parse(b"Found 0 errors. Watching for file changes.\n").unwrap(), ToolReport::default());
    }
}
