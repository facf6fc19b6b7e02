//! What `go vet` and `go build` print: one objection a line, below the name of its package.
//!
//! Its output has no end that could be missed: silence and status 0 mean that nothing is wrong. It
//! must not know which of the two ran.

use std::sync::LazyLock;

use regex::Regex;
use assize_core::finding::Severity;

use super::plain::plain;
use super::{Diagnostic, ToolReport, ReportError, message};

/// `vet: ./a.go:3:5: undefined: x`, `b/b.go:2: cannot …` or `a.go:3:5: …`.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:vet: )?(?<path>\S[^:]*\.\w+):(?<line>\d+)(?::\d+)?: (?<words>.+)$").expect("the pattern is fixed")
});

/// Reads the output.
///
/// # Errors
///
/// It is larger than is read.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let text = plain(bytes)?;
    let mut report = ToolReport::default();
    for line in text.lines() {
        if let Some(found) = LINE.captures(line) {
            report.object(Diagnostic {
                code: "go".to_owned(),
                severity: Severity::Error,
                path: Some(found["path"].trim_start_matches("./").replace('\\', "/")),
                line: found["line"].parse().ok(),
                message: message(&found["words"]),
                offer: None,
            });
        } else if let Some(last) = report.diagnostics.last_mut()
            && line.starts_with('\t')
            && last.message.len() < super::MESSAGE_BYTES_MAX
        {
            last.message = message(&format!("{}\n{}", last.message, line.trim()));
        } else if let Some(words) = line.strip_prefix("go: ").or_else(|| line.strip_prefix("vet: ")) {
            // What goes wrong before any file is read: modules that are not there, a go.mod that cannot be read.
            if !words.starts_with("downloading ") && !words.starts_with("finding ") {
                report.object(Diagnostic {
                    code: "go".to_owned(),
                    severity: Severity::Error,
                    path: None,
                    line: None,
                    message: message(words),
                    offer: None,
                });
            }
        }
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objections_have_a_place() {
        let text = "# example.com/m/b [example.com/m/b.test]\nb/b.go:2:23: cannot use \"x\" as int\n\thave (string)\n\
                    # example.com/m\nvet: ./a.go:3:5: undefined: x\n./c.go:7: old style\r\ngo: downloading x\ngo: no module\n\
                    note: nothing\n";
        let found = parse(text.as_bytes()).unwrap().diagnostics;
        let seen: Vec<_> = found.iter().map(|it| (it.path.as_deref(), it.line, it.message.as_str())).collect();
        assert_eq!(
            seen,
            [
                (Some("b/b.go"), Some(2), "cannot use \"x\" as int\nhave (string)"),
                (Some("a.go"), Some(3), "undefined: x"),
                (Some("c.go"), Some(7), "old style"),
                (None, None, "no module"),
            ]
        );
        assert_eq!(parse(b"").unwrap(), ToolReport::default());
    }
}
