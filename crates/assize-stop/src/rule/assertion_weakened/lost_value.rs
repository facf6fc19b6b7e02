//! An assertion in whose place another one came that lacks values which it expected, and brings none.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use assize_ecosystem::Language;
use regex::Regex;

use super::super::reading::code_of;
use super::{ASSERTION, ChangeBlock, EXACT};

/// Returns the number of the line that took the place, and the texts of the old and of the new assertion.
pub(super) fn found<'a>(block: &ChangeBlock<'a>, language: Option<Language>) -> Option<(u32, &'a str, &'a str)> {
    let asserts = |text: &str| ASSERTION.is_match(&code_of(text, language));
    let old = block.removed.iter().find(|text| EXACT.is_match(&code_of(text, language)))?;
    let (line, new) = block.added.iter().find(|(_, text)| asserts(text))?;
    let values = |texts: &mut dyn Iterator<Item = &'a str>| texts.flat_map(values_of).collect::<BTreeSet<&str>>();
    let were = values(&mut block.removed.iter().copied());
    let are = values(&mut block.added.iter().map(|(_, text)| *text));
    (are.is_subset(&were) && are != were).then_some((*line, old.trim(), new.trim()))
}

/// The numbers and texts of a line.
fn values_of(line: &str) -> impl Iterator<Item = &str> {
    static VALUE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#""([^"\n]*)"|'([^'\n]*)'|\b([0-9][0-9_.]*)\b"#).expect("valid pattern")
    });
    VALUE.captures_iter(line).filter_map(|found| found.iter().skip(1).flatten().next()).map(|value| value.as_str())
}
