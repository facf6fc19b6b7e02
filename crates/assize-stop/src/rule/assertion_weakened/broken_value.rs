//! An expectation that was a value and is now what programs print where they have none.

use std::sync::LazyLock;

use assize_core::diff::{FileChange, FileStatus};
use assize_core::path::is_prose;
use assize_ecosystem::{is_code, is_test};
use regex::Regex;

use super::blocks;

/// What is printed where something went wrong on the way.
static BROKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bNaN\b|\bundefined\b|\[object Object\]|\bInfinity\b|<(?:function|lambda|bound method) |%!\w\(|\bMISSING\b").expect("valid pattern")
});

/// A line of what tests expect that came.
pub(super) struct BrokenValue<'a> {
    pub(super) line: u32,
    pub(super) new: &'a str,
    pub(super) old: &'a str,
    pub(super) shown: &'a str,
}

/// Returns the first line in what tests expect that shows such a value in the place of another one.
pub(super) fn expected(file: &FileChange) -> Option<BrokenValue<'_>> {
    if file.status != FileStatus::Modified || !is_expectation(&file.path) {
        return None;
    }
    let in_code = is_code(&file.path);
    blocks(file).iter().find_map(|block| in_place(&block.removed, &block.added, in_code))
}

/// Compares as many lines as went with those that came, one by one.
fn in_place<'a>(removed: &[&'a str], added: &[(u32, &'a str)], in_code: bool) -> Option<BrokenValue<'a>> {
    let pairs = removed.iter().zip(added).filter(|_| removed.len() == added.len());
    // In code, what is printed stands in a string; outside of it the word may be a value of the language.
    let is_printed = |line: &str, at: usize| !in_code || line[..at].matches(['"', '\'', '`']).count() % 2 == 1;
    pairs.into_iter().find_map(|(old, (line, new))| {
        let found = BROKEN.find(new).filter(|found| is_printed(new, found.start()))?;
        // What stands before it stood there before, and a figure or a text followed.
        let before = new[..found.start()].trim_start();
        let value = old.trim_start().strip_prefix(before)?;
        let is_value = value.starts_with(|first: char| first.is_alphanumeric() || "-+.\"'".contains(first));
        (is_value && !BROKEN.is_match(old)).then_some(BrokenValue { line: *line, new, old, shown: found.as_str() })
    })
}

fn is_expectation(path: &str) -> bool {
    let lower = path.to_lowercase();
    let is_shown = ["snap", "golden", "expected", "approved", "testdata", "fixtures"].iter().any(|word| lower.contains(word));
    is_test(path) || is_shown && !is_prose(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::modified;

    #[test]
    fn a_value_does_not_become_nonsense() {
        let found = |path: &str, lines: &str| expected(&modified(path, lines)).is_some();
        let snapshot = "-2 x Poster A1  39.80 €\n+2 x Poster A1  NaN €\n";
        assert!(found("test/__snapshots__/invoice.test.js.snap", snapshot));
        assert!(found("testdata/greeting.golden", "-Hello Ines!\n+Hello undefined!\n"));
        assert!(found("a.test.js", "-  expect(name(x)).toBe('x: Ines');\n+  expect(name(x)).toBe('x: [object Object]');\n"));
        for (path, lines) in [
            ("src/invoice.js", snapshot),
            ("test/a.snap", "+2 x Poster A1  NaN €\n"),
            ("test/a.snap", "-2 x Poster A1  NaN €\n+3 x Poster A1  NaN €\n"),
            ("a.test.js", "-  expect(mean([])).toBeNull();\n+  expect(mean([])).toBeNaN();\n"),
            ("a.test.js", "-  expect(find('x')).toBe(null);\n+  expect(find('x')).toBe(undefined);\n"),
            ("a.test.js", "-  expect(find('x')).toBe(null);\n+  const other = undefined;\n"),
        ] {
            assert!(!found(path, lines), "{path}: {lines}");
        }
    }
}
