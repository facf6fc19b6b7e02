//! What mypy prints, for people or as JSON lines.
//!
//! Its text ends with a sum in every version, which proves that nothing is missing; its JSON, known since 1.11
//! and only switched on by the project itself, has no end. It must not know how strict mypy was told to be.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;
use assize_core::finding::Severity;

use super::{Diagnostic, ToolReport, ReportError, message, plain::plain, json};

const FORMAT: &str = "mypy's output";

#[derive(Deserialize)]
struct MypyDiagnostic {
    file: String,
    line: i64,
    message: String,
    hint: Option<String>,
    code: Option<String>,
    severity: String,
}

/// Reads what was printed on standard output.
///
/// # Errors
///
/// The sum is missing, or does not fit the errors that are named.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let text = plain(bytes)?;
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return Err(ReportError::Empty);
    }
    if lines.iter().any(|line| line.starts_with("{\"file\"")) { json(&lines) } else { people(&lines) }
}

fn json(lines: &[&str]) -> Result<ToolReport, ReportError> {
    let mut report = ToolReport::default();
    for line in lines {
        let found: MypyDiagnostic = json::value(line)
            .map_err(|error| ReportError::Malformed { format: FORMAT, detail: error.to_string() })?;
        let text = match found.hint {
            Some(hint) if !hint.is_empty() => format!("{}\n{hint}", found.message),
            _ => found.message,
        };
        report.object(Diagnostic {
            code: found.code.unwrap_or_else(|| "mypy".to_owned()),
            severity: severity(&found.severity),
            path: Some(found.file),
            line: u32::try_from(found.line).ok().filter(|line| *line > 0),
            message: message(&text),
            offer: None,
        });
    }
    Ok(report)
}

fn people(lines: &[&str]) -> Result<ToolReport, ReportError> {
    static LINE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(.+?)(?::(\d+))?(?::\d+){0,3}: (error|warning|note): (.*?)(?:  \[([a-z0-9_-]+)\])?$")
            .expect("valid pattern")
    });
    static ERRORS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^Found (\d{1,9}) errors? in \d+ files? \(").expect("valid pattern"));
    static NONE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^Success: no (?:issues|errors) found in \d+ source files?$").expect("valid pattern")
    });
    let mut report = ToolReport::default();
    let mut errors = 0_usize;
    let mut sum = None;
    for line in lines {
        if let Some(found) = ERRORS.captures(line) {
            sum = Some(found[1].parse().unwrap_or(usize::MAX));
        } else if NONE.is_match(line) {
            sum = Some(0);
        } else if let Some(found) = LINE.captures(line) {
            let severity = severity(&found[3]);
            errors += usize::from(severity == Severity::Error);
            report.object(Diagnostic {
                code: found.get(5).map_or("mypy", |code| code.as_str()).to_owned(),
                severity,
                path: Some(found[1].to_owned()),
                line: found.get(2).and_then(|line| line.as_str().parse().ok()),
                message: message(&found[4]),
                offer: None,
            });
        }
    }
    match sum {
        Some(sum) if sum == errors => Ok(report),
        Some(sum) => Err(ReportError::Contradictory(format!("it names {errors} errors, its sum says {sum}"))),
        None => Err(ReportError::Truncated("mypy gave no sum".to_owned())),
    }
}

fn severity(word: &str) -> Severity {
    match word {
        "note" => Severity::Note,
        "warning" => Severity::Warning,
        _ => Severity::Error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        let report = parse(text.as_bytes()).map_err(|error| error.to_string())?;
        let word = |found: &Diagnostic| {
            let line = found.line.map_or("-".to_owned(), |line| line.to_string());
            format!(
                "{:?} {} {line} {} {}",
                found.severity,
                found.path.as_deref().unwrap_or("-"),
                found.code,
                found.message
            )
        };
        Ok(report.diagnostics.iter().map(word).collect())
    }

    #[test]
    fn text_and_json_say_the_same() {
        let text = "a.py:5:12: error: Bad (got \"int\")  [return-value]\na.py:5: note: See: error: here\n\
                    Found 1 error in 1 file (checked 2 source files)\n";
        let json = r#"{"file": "a.py", "line": 5, "column": 11, "message": "Bad (got \"int\")", "hint": null, "code": "return-value", "severity": "error"}
{"file": "a.py", "line": 5, "column": 0, "message": "See: error: here", "hint": null, "code": null, "severity": "note"}
"#;
        assert_eq!(read(text), read(json));
        assert_eq!(
            read(text).unwrap(),
            ["Error a.py 5 return-value Bad (got \"int\")", "Note a.py 5 mypy See: error: here"]
        );
    }

    #[test]
    fn lines_have_many_shapes() {
        for (text, expected) in [
            ("Success: no issues found in 1 source file\n", vec![]),
            (
                "x.py: error: Cannot read file\nFound 1 error in 1 file (errors prevented further checking)\n",
                vec!["Error x.py - mypy Cannot read file"],
            ),
            (
                "a b.py:1:2:1:9: error: e  [a-b]\nFound 1 error in 1 file (checked 1 source file)\n",
                vec!["Error a b.py 1 a-b e"],
            ),
            (
                "a.py:3: error: Found 2 errors in 1 file (\nFound 1 error in 1 file (checked 1 source file)\n",
                vec!["Error a.py 3 mypy Found 2 errors in 1 file ("],
            ),
        ] {
            assert_eq!(read(text), Ok(expected.into_iter().map(str::to_owned).collect()), "{text}");
        }
    }

    #[test]
    fn the_sum_has_to_be_there_and_to_fit() {
        for text in [
            "",
            "\n",
            "a.py:5: error: e  [x]\n",
            "a.py:5: error: e  [x]\nFound 2 errors in 1 file (checked 1 source file)\n",
            "a.py:5: error: e  [x]\nSuccess: no issues found in 1 source file\n",
            "Found 1 error in 1 file (checked 1 source file)\n",
            "Traceback (most recent call last):\n",
            "{\"file\": \"a.py\"}\n",
            "{\"file\": \"a.py\"\n",
        ] {
            assert!(read(text).is_err(), "{text}: {:?}", read(text));
        }
    }
}
