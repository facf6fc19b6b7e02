//! Rows of a table that a change writes into code: what goes in, and what comes of it. They are looked up in tests.
//!
//! This module knows no rule, and searches nothing.

use std::sync::LazyLock;

use assize_core::diff::FileChange;
use assize_ecosystem::{is_code, is_generated, is_setting, is_test};
use regex::Regex;

use crate::evidence::Evidence;
use crate::names::{Name, NameKind, NameSource, ROW_SEPARATOR};
use crate::seen_failures::SeenFailures;

/// Rows of a change that are looked up.
const ROWS_MAX: usize = 8;

/// The rows that a change writes into code, where tests failed in this session.
pub(crate) fn rows(evidence: &Evidence) -> Vec<Name> {
    if SeenFailures::of(evidence).is_empty() {
        return Vec::new();
    }
    let files = evidence.diff.get().map_or(&[][..], |diff| &diff.files);
    let rows: Vec<Name> =
        files.iter().filter(|file| may_hold_answers(file)).flat_map(rows_of).map(|(_, row)| row).collect();
    if rows.len() > ROWS_MAX { Vec::new() } else { rows }
}

/// Returns whether a file is one of code in which answers of tests have no place.
pub(crate) fn may_hold_answers(file: &FileChange) -> bool {
    is_code(&file.path) && !is_test(&file.path) && !is_generated(&file.path) && !is_setting(&file.path)
}

/// The rows of the lines that came: a telling value, and the one that stands behind it.
pub(crate) fn rows_of(file: &FileChange) -> impl Iterator<Item = (u32, Name)> {
    static ROW: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?:"([^"\n]{2,40})"|'([^'\n]{2,40})'|(?:^|[^\w.])([0-9][0-9_]{2,}(?:\.[0-9]+)?))\s*(?:=>|[:,)=]|->)\s*(?:"([^"\n]{1,40})"|'([^'\n]{1,40})'|(-?[0-9][0-9_]*(?:\.[0-9]+)?))"#).expect("valid pattern")
    });
    file.added_lines().flat_map(|(number, line)| {
        ROW.captures_iter(line).filter_map(move |found| {
            let value = |groups: [usize; 3]| groups.into_iter().find_map(|at| found.get(at)).map(|it| it.as_str());
            let (first, second) = (value([1, 2, 3])?, value([4, 5, 6])?);
            let text = format!("{first}{ROW_SEPARATOR}{second}");
            (is_telling(first) && is_figure(second))
                .then_some((number, Name { source: NameSource::Answer, kind: NameKind::Row, text }))
        })
    })
}

/// Returns whether a literal is a value, and not a sign.
pub(crate) fn is_figure(literal: &str) -> bool {
    literal.chars().any(char::is_alphanumeric)
}

/// Returns whether a literal is one that code rarely has by chance.
pub(crate) fn is_telling(literal: &str) -> bool {
    let digits = literal.bytes().filter(u8::is_ascii_digit).count();
    digits >= 3 && !matches!(literal, "100" | "1000" | "200" | "404" | "500")
        || literal.len() > 3 && literal.contains(char::is_alphabetic)
}
