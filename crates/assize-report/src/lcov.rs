//! Coverage as lcov's trace files have it.
//!
//! It must not know which share of lines is enough.

use std::collections::BTreeMap;

use super::plain::plain;
use super::{ToolReport, ReportError};

const FORMAT: &str = "an lcov trace file";

/// Reads a trace file.
///
/// # Errors
///
/// It is empty, cut off, or no trace file.
pub fn parse(bytes: &[u8]) -> Result<ToolReport, ReportError> {
    let text = plain(bytes)?;
    if text.trim().is_empty() {
        return Err(ReportError::Empty);
    }
    let mut files: BTreeMap<String, BTreeMap<u32, bool>> = BTreeMap::new();
    let mut open: Option<String> = None;
    for (index, line) in text.lines().enumerate() {
        let malformed = || ReportError::Malformed { format: FORMAT, detail: format!("line {}", index + 1) };
        let (kind, rest) = line.trim().split_once(':').unwrap_or((line.trim(), ""));
        match kind {
            "SF" if open.is_none() => {
                files.entry(rest.to_owned()).or_default();
                open = Some(rest.to_owned());
            }
            "DA" => {
                let lines = open.as_ref().and_then(|file| files.get_mut(file)).ok_or_else(malformed)?;
                let mut fields = rest.split(',');
                let line: u32 = fields.next().and_then(|line| line.parse().ok()).ok_or_else(malformed)?;
                // A count may be larger than fits, and `gcov` writes some with an exponent.
                let hits: f64 = fields.next().and_then(|hits| hits.parse().ok()).ok_or_else(malformed)?;
                *lines.entry(line).or_default() |= hits > 0.0;
            }
            "end_of_record" if open.is_some() => open = None,
            "SF" | "end_of_record" => return Err(malformed()),
            _ => {}
        }
    }
    if files.is_empty() {
        return Err(ReportError::Malformed { format: FORMAT, detail: "it names no file".to_owned() });
    }
    if let Some(file) = open {
        return Err(ReportError::Truncated(format!("the record of {file} has no end")));
    }
    let lines = || files.values().flat_map(BTreeMap::values);
    let coverage_pct = percent(lines().filter(|hit| **hit).count(), lines().count());
    Ok(ToolReport { coverage_pct, ..ToolReport::default() })
}

/// The share in per cent; `None` of nothing.
pub(super) fn percent(hit: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| hit as f64 * 100.0 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_files_count_once() {
        let text = "TN:\nSF:a.js\nFN:1,f\nDA:1,2\nDA:2,0\nLF:2\nLH:1\nend_of_record\n\
                    SF:b.js\nDA:1,0\nDA:2,1e9,checksum\nend_of_record\nSF:a.js\nDA:2,1\nend_of_record\n";
        assert_eq!(parse(text.as_bytes()).unwrap().coverage_pct, Some(75.0));
        assert_eq!(parse(b"SF:a.js\nend_of_record\n").unwrap().coverage_pct, None);
    }

    #[test]
    fn what_is_no_whole_trace_is_refused() {
        assert_eq!(parse(b" \n"), Err(ReportError::Empty));
        assert!(matches!(parse(b"SF:a\nDA:1,1\n"), Err(ReportError::Truncated(_))));
        for text in ["hello\n", "DA:1,1\n", "SF:a\nDA:x,1\nend_of_record\n", "SF:a\nSF:b\n", "end_of_record\n"] {
            assert!(matches!(parse(text.as_bytes()), Err(ReportError::Malformed { .. })), "{text}");
        }
    }
}
