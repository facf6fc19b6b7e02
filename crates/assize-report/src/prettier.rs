//! What Prettier prints with `--check` (both streams, one after the other).
//!
//! Its last line says how it went; without it the run was not brought to an end. It must not know
//! which files were meant to be checked.

use std::sync::LazyLock;

use regex::Regex;
use assize_core::finding::Severity;

use super::plain::plain;
use super::{Diagnostic, ToolReport, ReportError, message};

const FORMAT: &str = "Prettier's output";

/// `[error] src/a.js: SyntaxError: Unexpected token (1:9)`
static BROKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?<path>\S.*?): (?<words>\w*Error: .*?(?: \((?<line>\d+):\d+\))?)$").expect("the pattern is fixed")
});

/// Reads the output.
///
/// # Errors
///
/// It has no end, or says that Prettier itself did not work.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let text = plain(bytes)?;
    if text.trim().is_empty() {
        return Err(ReportError::Empty);
    }
    let mut report = ToolReport::default();
    let mut trouble = Vec::new();
    let (mut begun, mut ended) = (false, false);
    // Up to version 2.0 files are listed without more.
    let is_unmarked = !text.lines().any(|line| line.starts_with("[warn] ") || line.starts_with("[error] "));
    for line in text.lines().map(str::trim_end) {
        let words = line.strip_prefix("[warn] ").or_else(|| line.strip_prefix("[error] ")).unwrap_or(line);
        if [
            "All matched files use Prettier code style!",
            "Code style issues ",
            "Error occurred when checking code style",
        ]
        .iter()
        .any(|end| words.starts_with(end))
        {
            ended = true;
        } else if begun && is_unmarked && !line.starts_with([' ', '>']) && !line.is_empty() {
            report.object(unformatted(line));
        } else if line == "Checking formatting..." {
            begun = true;
        } else if let Some(path) = line.strip_prefix("[warn] ") {
            if !path.starts_with("Ignored unknown option") && !path.starts_with("jsxBracketSameLine is deprecated") {
                report.object(unformatted(path));
            }
        } else if let Some(words) = line.strip_prefix("[error] ") {
            match BROKEN.captures(words) {
                Some(found) => report.object(Diagnostic {
                    code: "syntax".to_owned(),
                    severity: Severity::Error,
                    path: Some(found["path"].replace('\\', "/")),
                    line: found.name("line").and_then(|line| line.as_str().parse().ok()),
                    message: message(&found["words"]),
                    offer: None,
                }),
                // A quotation of the code follows a syntax error, in lines of its own.
                None if words.starts_with(['>', ' ']) => {}
                None => trouble.push(words.to_owned()),
            }
        }
    }
    match trouble.first() {
        Some(words) => Err(ReportError::Malformed { format: FORMAT, detail: message(words) }),
        None if !ended => Err(ReportError::Truncated("its last line is missing".to_owned())),
        None => Ok(report),
    }
}

/// Returns the objection to a file that is not as the formatter would write it.
fn unformatted(path: &str) -> Diagnostic {
    Diagnostic {
        code: "format".to_owned(),
        severity: Severity::Error,
        path: Some(path.replace('\\', "/")),
        line: None,
        message: "the formatter would write this file differently".to_owned(),
        offer: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_and_syntax_errors_have_a_line() {
        let text = "Checking formatting...\n[warn] a b.js\n[error] bad.js: SyntaxError: Unexpected token (1:9)\n\
                    [error] > 1 | let a = ;\n[error]     |         ^\n\
                    [warn] Code style issues found in 2 files. Run Prettier with --write to fix.\n";
        let found = parse(text.as_bytes()).unwrap().diagnostics;
        let seen: Vec<_> = found.iter().map(|it| (it.code.as_str(), it.path.as_deref().unwrap(), it.line)).collect();
        assert_eq!(seen, [("format", "a b.js", None), ("syntax", "bad.js", Some(1))]);
        let old = "Checking formatting...\n.travis.yml\nsrc/a b.js\nCode style issues found in the above file(s). Forgot to run Prettier?\n";
        let paths: Vec<_> = parse(old.as_bytes()).unwrap().diagnostics.into_iter().filter_map(|it| it.path).collect();
        assert_eq!(paths, [".travis.yml", "src/a b.js"]);
        let clean = "Checking formatting...\nAll matched files use Prettier code style!\n";
        assert_eq!(parse(clean.as_bytes()).unwrap(), ToolReport::default());
    }

    #[test]
    fn a_run_without_its_end_is_refused() {
        for (text, part) in [
            ("", "empty"),
            ("Checking formatting...\n", "last line"),
            ("Checking formatting...\n[warn] a.js\n", "last line"),
            (
                "[error] No files matching the pattern were found: \"x\".\nAll matched files use Prettier code style!\n",
                "No files",
            ),
            ("[error] Invalid configuration file `.prettierrc`: bad\n", "Invalid configuration"),
        ] {
            let error = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
