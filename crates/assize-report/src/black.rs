//! What `black --check` prints: which files it would write anew.
//!
//! It ends with a sum, and the sum has to fit. It must not know how the code should look.

use std::sync::LazyLock;

use regex::Regex;
use assize_core::finding::Severity;

use super::{Diagnostic, ToolReport, ReportError, message, plain::plain};

/// Reads what was printed on standard error.
///
/// # Errors
///
/// The sum is missing, or does not fit the files that are named.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    static SUM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\d+ files? would (?:be|fail)|^\d+ files? would be left unchanged").expect("valid pattern")
    });
    static WOULD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(\d{1,9}) files? would be reformatted").expect("valid pattern"));
    static FAIL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(\d{1,9}) files? would fail to reformat").expect("valid pattern"));
    static OLD_FAULT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^error: cannot format (.+?): (?:Cannot parse(?: for target version \S+)?: (\d+):\d+: )?(.+)$")
            .expect("valid pattern")
    });
    static NEW_FAULT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^error: cannot parse: (.+):(\d+):\d+$").expect("valid pattern"));
    let text = plain(bytes)?;
    let mut report = ToolReport::default();
    let (mut would, mut fail, mut sum) = (0, 0, None);
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("would reformat ") {
            would += 1;
            report.object(objection(Severity::Warning, path, None, "it is not formatted as black would"));
        } else if let Some(found) = NEW_FAULT.captures(line) {
            fail += 1;
            report.object(objection(Severity::Error, &found[1], found[2].parse().ok(), "it cannot be parsed"));
        } else if let Some(found) = OLD_FAULT.captures(line) {
            fail += 1;
            let line = found.get(2).and_then(|line| line.as_str().parse().ok());
            report.object(objection(Severity::Error, &found[1], line, &found[3]));
        } else if SUM.is_match(line) {
            let number = |pattern: &Regex| {
                pattern.captures(line).map_or(0, |found| found[1].parse::<usize>().unwrap_or(usize::MAX))
            };
            sum = Some((number(&WOULD), number(&FAIL)));
        }
    }
    match sum {
        Some(sum) if sum == (would, fail) => Ok(report),
        Some((sum_would, sum_fail)) => Err(ReportError::Contradictory(format!(
            "{would} files are named and {fail} cannot be read, its sum says {sum_would} and {sum_fail}"
        ))),
        None if text.trim().is_empty() || text.contains("No Python files") => Err(ReportError::Empty),
        None => Err(ReportError::Truncated("black gave no sum".to_owned())),
    }
}

fn objection(severity: Severity, path: &str, line: Option<u32>, text: &str) -> Diagnostic {
    Diagnostic { code: "black".to_owned(), severity, path: Some(path.to_owned()), line, message: message(text), offer: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, Option<u32>)>, String> {
        let report = parse(text.as_bytes()).map_err(|error| error.to_string())?;
        Ok(report.diagnostics.into_iter().map(|found| (found.path.unwrap_or_default(), found.line)).collect())
    }

    #[test]
    fn files_are_named() {
        for (text, places) in [
            ("All done! ✨ 🍰 ✨\n2 files would be left unchanged.\n", vec![]),
            ("would reformat a.py\n\nOh no! 💥 💔 💥\n1 file would be reformatted.\n", vec![("a.py", None)]),
            (
                "would reformat a b.py\nerror: cannot format b.py: Cannot parse: 1:6: def g(:\n\nOh no! 💥 💔 💥\n\
                 1 file would be reformatted, 3 files would be left unchanged, 1 file would fail to reformat.\n",
                vec![("a b.py", None), ("b.py", Some(1))],
            ),
            (
                "error: cannot parse: b.py:7:6\n    def g(:\nParseError: bad input\n\nOh no!\n1 file would fail to reformat.\n",
                vec![("b.py", Some(7))],
            ),
        ] {
            let places: Vec<_> = places.into_iter().map(|(path, line)| (path.to_owned(), line)).collect();
            assert_eq!(read(text), Ok(places), "{text}");
        }
    }

    #[test]
    fn the_sum_has_to_be_there_and_to_fit() {
        for text in [
            "",
            "No Python files are present to be formatted. Nothing to do 😴\n",
            "would reformat a.py\n",
            "would reformat a.py\n2 files would be reformatted.\n",
            "would reformat a.py\n2 files would be left unchanged.\n",
            "1 file would fail to reformat.\n",
        ] {
            assert!(read(text).is_err(), "{text}: {:?}", read(text));
        }
    }
}
