//! What oxfmt prints with `--check` (both streams, one after the other).
//!
//! Its last lines say how it went; without them the run was not brought to an end. It must not know which files were meant
//! to be checked.

use std::sync::LazyLock;

use assize_core::finding::Severity;
use regex::Regex;

use super::plain::plain;
use super::{Diagnostic, ReportError, ToolReport, message};

const FORMAT: &str = "oxfmt's output";

/// `src/a.js (3ms)`
static UNFORMATTED: LazyLock<Regex> = LazyLock::new(|| fixed(r"^(?<path>\S.*) \([0-9.]+(?:ms|s)\)$"));
/// `  x Unexpected token`, with a sign in place of the letter where the terminal can show it.
static FAULT: LazyLock<Regex> = LazyLock::new(|| fixed(r"^\s+(?:x|×) (?<words>.+)$"));
/// `   ,-[src/a.js:1:7]`
static PLACE: LazyLock<Regex> = LazyLock::new(|| fixed(r"^\s+(?:,-|╭─)\[(?<path>.+):(?<line>\d+):\d+\]$"));

fn fixed(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is fixed")
}

/// Reads the output.
///
/// # Errors
///
/// It has no end, or says that oxfmt itself did not work.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    const ENDS: [&str; 3] =
        ["All matched files use the correct format.", "Format issues found in above ", "Error occurred when checking "];
    let text = plain(bytes)?;
    if text.trim().is_empty() {
        return Err(ReportError::Empty);
    }
    let mut report = ToolReport::default();
    let (mut ended, mut began, mut said) = (false, false, None);
    for line in text.lines().map(str::trim_end) {
        if ENDS.iter().any(|end| line.starts_with(end)) {
            ended = true;
        } else if line.starts_with("Checking formatting") {
            began = true;
        } else if let Some(found) = UNFORMATTED.captures(line) {
            report.object(objection("format", &found["path"], None, "the formatter would write this file differently"));
        } else if let Some(found) = FAULT.captures(line) {
            said = Some(found["words"].to_owned());
        } else if let (Some(found), Some(words)) = (PLACE.captures(line), said.as_deref()) {
            let line = found["line"].parse().ok();
            report.object(objection("syntax", &found["path"], line, words));
            said = None;
        }
    }
    match said {
        Some(words) => Err(ReportError::Malformed { format: FORMAT, detail: message(&words) }),
        None if !began => {
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            Err(ReportError::Malformed { format: FORMAT, detail: message(first) })
        }
        None if !ended => Err(ReportError::Truncated("its last line is missing".to_owned())),
        None => Ok(report),
    }
}

fn objection(code: &str, path: &str, line: Option<u32>, words: &str) -> Diagnostic {
    Diagnostic {
        code: code.to_owned(),
        severity: Severity::Error,
        path: Some(path.replace('\\', "/")),
        line,
        message: message(words),
        offer: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_and_syntax_errors_have_a_line() {
        let text = "Checking formatting...\n\na b.js (0ms)\npackage.json (1.2s)\n\n  x Unexpected token\n   ,-[bad.js:1:7]\n \
                    1 | const = ;\n   :       ^\n   `----\nError occurred when checking code style in the above files.\n";
        let found = parse(text.as_bytes()).expect("a report").diagnostics;
        let seen: Vec<_> =
            found.iter().map(|it| (it.code.as_str(), it.path.as_deref().unwrap_or_default(), it.line)).collect();
        assert_eq!(seen, [("format", "a b.js", None), ("format", "package.json", None), ("syntax", "bad.js", Some(1))]);
        let clean = "Checking formatting...\n\nAll matched files use the correct format.\nFinished in 7ms on 1 files using 2 \
                     threads.\nNo config found, using defaults. Please add a config file or try `oxfmt --init` if needed.\n";
        assert_eq!(parse(clean.as_bytes()).expect("a report"), ToolReport::default());
        let signs = "Checking formatting...\n  × Expected `}`\n   ╭─[src/a.ts:12:3]\nError occurred when checking code style.\n";
        let found = parse(signs.as_bytes()).expect("a report").diagnostics;
        assert_eq!((found.len(), found[0].line, found[0].message.as_str()), (1, Some(12), "Expected `}`"));
    }

    #[test]
    fn a_run_without_its_end_is_refused() {
        for (text, part) in [
            ("", "empty"),
            ("Checking formatting...\n", "last line"),
            ("Checking formatting...\na.js (1ms)\n", "last line"),
            ("Failed to load configuration file.\nbad JSON\n", "Failed to load"),
            ("Checking formatting...\n  x No such option\nAll matched files use the correct format.\n", "No such option"),
        ] {
            let error = parse(text.as_bytes()).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
