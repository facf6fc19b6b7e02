//! What `cargo fmt --check` prints: differences, and what it could not read.
//!
//! There is no sum and no end: nothing printed means that all is as it should be, and whether that is so only
//! the exit status says. It must not know how the code should look.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use assize_core::finding::Severity;

use super::{Diagnostic, ToolReport, ReportError, message, plain::plain};

/// Reads what was printed, on both streams.
///
/// # Errors
///
/// It is larger than what is read.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    static DIFF: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^Diff in (.+?)(?: at line |:)(\d+):$").expect("valid pattern"));
    static PLACE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s*--> (.+):(\d+):\d+$").expect("valid pattern"));
    let text = plain(bytes)?;
    let mut report = ToolReport::default();
    let mut lines = text.lines().peekable();
    // The words above a place, until it comes.
    let mut fault: Option<&str> = None;
    // A file that belongs to several targets is read for each of them.
    let mut seen = BTreeSet::new();
    let mut object = |found: Diagnostic| {
        if seen.insert(found.clone()) {
            report.object(found);
        }
    };
    while let Some(line) = lines.next() {
        if let Some(found) = DIFF.captures(line) {
            let mut first = None;
            while let Some(part) = lines.next_if(|line| line.starts_with([' ', '+', '-']) || line.is_empty()) {
                first = first.or_else(|| part.strip_prefix(['+', '-']).filter(|code| !code.trim().is_empty()));
            }
            let text = match first {
                Some(code) => format!("it is not formatted as rustfmt would, from `{}` on", code.trim()),
                None => "it is not formatted as rustfmt would: blank lines".to_owned(),
            };
            object(objection(Severity::Warning, &found[1], found[2].parse().ok(), &text));
        } else if let Some(words) = line.strip_prefix("error: ").or_else(|| line.strip_prefix("error[")) {
            fault = Some(words);
        } else if let (Some(words), Some(found)) = (fault, PLACE.captures(line)) {
            fault = None;
            object(objection(Severity::Error, &found[1], found[2].parse().ok(), words));
        }
    }
    Ok(report)
}

fn objection(severity: Severity, path: &str, line: Option<u32>, text: &str) -> Diagnostic {
    Diagnostic { code: "rustfmt".to_owned(), severity, path: Some(path.to_owned()), line, message: message(text), offer: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_named_in_old_and_new_ways() {
        let text = "Diff in /p/src/lib.rs at line 12:\n a\n-fn x( ) {}\n+fn x() {}\n \nDiff in \\\\?\\C:\\p\\src\\a.rs:3:\n-\n \n\
                    Diff in /p/b.rs:1:\n-Diff in /p/c.rs:1:\n+x\nerror: this file contains an unclosed delimiter\n \
                    --> /p/src/m.rs:7:12\n  |\n --> /p/src/n.rs:1:1\n";
        let found: Vec<(String, Option<u32>, Severity)> = parse(text.as_bytes())
            .unwrap()
            .diagnostics
            .into_iter()
            .map(|found| (found.path.unwrap_or_default(), found.line, found.severity))
            .collect();
        let warning = Severity::Warning;
        assert_eq!(
            found,
            [
                ("/p/src/lib.rs".to_owned(), Some(12), warning),
                ("\\\\?\\C:\\p\\src\\a.rs".to_owned(), Some(3), warning),
                ("/p/b.rs".to_owned(), Some(1), warning),
                ("/p/src/m.rs".to_owned(), Some(7), Severity::Error),
            ]
        );
    }

    #[test]
    fn what_differs_is_shown() {
        let report = parse(b"Diff in a.rs:1:\n x\n-\n-fn  a() {}\n").unwrap();
        assert!(report.diagnostics[0].message.ends_with("from `fn  a() {}` on"));
        assert_eq!(parse(b"").unwrap(), ToolReport::default());
        let twice = parse(b"Diff in a.rs:1:\n-x\nDiff in a.rs:1:\n-x\n").unwrap();
        assert_eq!(twice.diagnostics.len(), 1);
    }
}
