//! What `ruff format --check` prints: which files it would write anew.
//!
//! Old versions name each file on a line, new ones show the difference below a place. Both end with a
//! sum, and the sum has to fit. It must not know how the code should look.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use assize_core::finding::Severity;

use super::{Diagnostic, ToolReport, ReportError, message, plain::plain};

/// Reads what was printed, on both streams.
///
/// # Errors
///
/// The sum is missing, or does not fit the files that are named.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    static SUM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(\d{1,9}) files? (?:would be reformatted(?:, \d+ files? (?:already formatted|left unchanged))?|already formatted|left unchanged)$")
            .expect("valid pattern")
    });
    static UNREADABLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^error: Failed to (?:parse|format) (.+?)(?::(\d+):\d+)?: (.+)$").expect("valid pattern")
    });
    let text = plain(bytes)?;
    let mut report = ToolReport::default();
    let mut files = BTreeSet::new();
    let mut sum = None;
    // The words above a place, until it comes.
    let mut title: Option<&str> = None;
    for line in text.lines() {
        if let Some(found) = UNREADABLE.captures(line) {
            let line = found.get(2).and_then(|line| line.as_str().parse().ok());
            report.object(objection("invalid-syntax", Severity::Error, &found[1], line, &found[3]));
        } else if let Some(path) = line.strip_prefix("Would reformat: ") {
            files.insert(path.to_owned());
            report.object(objection("ruff-format", Severity::Warning, path, None, NOT_FORMATTED));
        } else if line.starts_with("unformatted: ") || line.starts_with("invalid-syntax: ") {
            title = Some(line);
        } else if let (Some(words), Some((path, line))) = (title, line.trim_start().strip_prefix("--> ").map(place)) {
            title = None;
            if let Some(fault) = words.strip_prefix("invalid-syntax: ") {
                report.object(objection("invalid-syntax", Severity::Error, path, line, fault));
            } else {
                files.insert(path.to_owned());
                report.object(objection("ruff-format", Severity::Warning, path, line, NOT_FORMATTED));
            }
        } else if let Some(found) = SUM.captures(line) {
            let clean = !line.contains("would be");
            sum = Some(if clean { 0 } else { found[1].parse().unwrap_or(usize::MAX) });
        }
    }
    let unreadable = report.diagnostics.iter().any(|found| found.severity == Severity::Error);
    match sum {
        Some(sum) if sum == files.len() => Ok(report),
        Some(sum) => Err(ReportError::Contradictory(format!("{} files are named, its sum says {sum}", files.len()))),
        // It states no sum when all that it could read is as it should be.
        None if unreadable && files.is_empty() => Ok(report),
        None => Err(ReportError::Truncated("ruff gave no sum".to_owned())),
    }
}

const NOT_FORMATTED: &str = "it is not formatted as `ruff format` would";

fn objection(code: &str, severity: Severity, path: &str, line: Option<u32>, text: &str) -> Diagnostic {
    Diagnostic { code: code.to_owned(), severity, path: Some(path.to_owned()), line, message: message(text), offer: None }
}

/// Takes `path:line:column` apart.
fn place(text: &str) -> (&str, Option<u32>) {
    let mut parts = text.rsplitn(3, ':');
    let (column, line, path) = (parts.next(), parts.next(), parts.next());
    match (path, line.and_then(|line| line.parse().ok()), column) {
        (Some(path), Some(line), Some(_)) => (path, Some(line)),
        _ => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, Option<u32>)>, String> {
        let report = parse(text.as_bytes()).map_err(|error| error.to_string())?;
        Ok(report.diagnostics.into_iter().map(|found| (found.path.unwrap_or_default(), found.line)).collect())
    }

    #[test]
    fn files_are_named_in_old_and_new_ways() {
        for (text, places) in [
            ("3 files already formatted\n", vec![]),
            ("3 files left unchanged\n", vec![]),
            ("Would reformat: a.py\n1 file would be reformatted\n", vec![("a.py", None)]),
            (
                "Would reformat: a.py\nWould reformat: b c.py\n2 files would be reformatted, 1 file already formatted\n",
                vec![("a.py", None), ("b c.py", None)],
            ),
            (
                "unformatted: File would be reformatted\n --> src/a.py:3:1\n  |\n3 +\n  |\n\n1 file would be reformatted\n",
                vec![("src/a.py", Some(3))],
            ),
            ("invalid-syntax: Expected a parameter\n --> b.py:1:7\n  |\n", vec![("b.py", Some(1))]),
            ("error: Failed to parse b.py:1:7: Expected\n", vec![("b.py", Some(1))]),
        ] {
            let places: Vec<_> = places.into_iter().map(|(path, line)| (path.to_owned(), line)).collect();
            assert_eq!(read(text), Ok(places), "{text}");
        }
    }

    #[test]
    fn the_sum_has_to_be_there_and_to_fit() {
        for text in [
            "",
            "Would reformat: a.py\n",
            "Would reformat: a.py\n2 files would be reformatted\n",
            "unformatted: File would be reformatted\n --> a.py:3:1\n",
            "1 file would be reformatted\n",
            "Would reformat: a.py\n1 file already formatted\n",
        ] {
            assert!(read(text).is_err(), "{text}: {:?}", read(text));
        }
    }
}
