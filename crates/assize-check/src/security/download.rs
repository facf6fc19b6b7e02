//! Whether a command runs what it downloads.

use std::sync::LazyLock;

use regex::Regex;

/// Returns whether a command runs what it downloads.
pub(super) fn is_download_and_run(command: &str) -> bool {
    static PIPED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)\b(?:curl|wget|fetch|http)\b[^|;&\n]*\|\s*(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+\S+\s+)?(?:/(?:usr/)?bin/)?(?:ba|z|da|k)?sh\b",
            r"|\b(?:curl|wget)\b[^|;&\n]*\|\s*(?:sudo\s+(?:-\S+\s+)*)?(?:python3?|node|perl|ruby|php)\b",
            r"|\b(?:ba|z|da)?sh\s+(?:-\w+\s+)*(?:<\(|-c\s+[\x22']?\$\(|[\x22']?\$\()\s*(?:curl|wget)\b",
            r"|\beval\s+[\x22']?(?:\$\(|`)\s*(?:curl|wget)\b",
            r"|\b(?:iex|invoke-expression)\b.*\b(?:iwr|irm|invoke-webrequest|downloadstring)\b|\b(?:iwr|irm|invoke-webrequest)\b[^|\n]*\|\s*(?:iex|invoke-expression)\b",
        ))
        .expect("valid pattern")
    });
    PIPED.is_match(command)
}
