//! Rows of a table that a change writes into code: what goes in, and what comes of it. They are looked up in tests.
//!
//! This module knows no rule, and searches nothing.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use assize_core::diff::FileChange;
use assize_ecosystem::{is_code, is_generated, is_setting, is_test};
use regex::Regex;

use crate::evidence::Evidence;
use crate::names::{Name, NameKind, NameSource, ROW_SEPARATOR, has_word};
use crate::seen_failures::SeenFailures;

/// Rows of a change that are looked up.
const ROWS_MAX: usize = 8;
/// Keys of one file that are no coincidence where tests have all of them.
const KEYS_MIN: usize = 3;

/// The rows that a change writes into code, where tests failed in this session.
pub(crate) fn rows(evidence: &Evidence) -> Vec<Name> {
    let files = evidence.diff.get().map_or(&[][..], |diff| &diff.files);
    let has_failed = !SeenFailures::of(evidence).is_empty();
    let held = || files.iter().filter(|file| may_hold_answers(file) && (has_failed || was_open(file)));
    let mut rows: Vec<Name> = held().filter(|_| has_failed).flat_map(rows_of).map(|(_, row)| row).collect();
    if rows.len() > ROWS_MAX {
        rows.clear();
    }
    rows.extend(held().flat_map(keys_of).map(|(_, key)| key).take(ROWS_MAX));
    rows
}

/// Returns whether a change takes a mark away that something was not written yet.
fn was_open(file: &FileChange) -> bool {
    static OPEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:todo|unimplemented)!|NotImplemented|UnsupportedOperation|\bnot (?:yet )?(?:implemented|there)\b|\?\?\?|\bTODO\b").expect("valid pattern")
    });
    file.removed_lines().any(|(_, line)| OPEN.is_match(line))
}

/// What the new entries of a table, or the new branches, of one file are for: values that code rarely has by chance. None where there are few.
pub(crate) fn keys_of(file: &FileChange) -> Vec<(u32, Name)> {
    static KEY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?-u)(?:^|[{(\[, ])(?:"([!#-~]{4,40})"|'([!-&(-~]{4,40})'|([A-Z]{0,4}[0-9]{4,13}))\s*(?:=>|:|->)|(?:^|[ {\[,])[{(\[]\s*(?:"([!#-~]{4,40})"|'([!-&(-~]{4,40})'|([0-9]{4,13}))\s*,"#).expect("valid pattern")
    });
    let found = file.added_lines().flat_map(|(number, line)| {
        KEY.captures_iter(line).filter_map(move |found| {
            let key = found.iter().skip(1).flatten().next()?.as_str();
            let has_number = key.bytes().filter(u8::is_ascii_digit).count() >= 4;
            let text = format!("{key}{ROW_SEPARATOR}{key}");
            has_number.then_some((number, Name { source: NameSource::Answer, kind: NameKind::Row, text }))
        })
    });
    let mut found: Vec<(u32, Name)> = found.collect();
    let mut seen = BTreeSet::new();
    found.retain(|(_, key)| seen.insert(key.text.clone()));
    if found.len() < KEYS_MIN { Vec::new() } else { found }
}

/// Returns whether a file is one of code in which answers of tests have no place.
pub(crate) fn may_hold_answers(file: &FileChange) -> bool {
    is_code(&file.path) && !is_test(&file.path) && !is_generated(&file.path) && !is_setting(&file.path)
}

/// The rows of the lines that came: a telling value, and the one that stands behind it.
pub(crate) fn rows_of(file: &FileChange) -> impl Iterator<Item = (u32, Name)> {
    file.added_lines().flat_map(|(number, line)| rows_in(line).into_iter().map(move |row| (number, row)))
}

fn rows_in(line: &str) -> Vec<Name> {
    static ROW: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?:"([^"\n]{2,40})"|'([^'\n]{2,40})'|(?:^|[^\w.])([0-9][0-9_]{2,}(?:\.[0-9]+)?))\s*(?:=>|[:,)=]|->)\s*(?:"([^"\n]{1,40})"|'([^'\n]{1,40})'|(-?[0-9][0-9_]*(?:\.[0-9]+)?))"#).expect("valid pattern")
    });
    // What comes of it may be put together of several numbers, such as a date.
    static MADE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?:"([^"\n]{2,40})"|'([^'\n]{2,40})'|(?:^|[^\w.])([0-9]{3,}))\)?\s*(?:=>|->|:|then\b|\{?\s*return\b)\s*([A-Za-z_.:]*\([0-9, ]+\))"#).expect("valid pattern")
    });
    let row = |first: &str, second: &str| {
        let text = format!("{first}{ROW_SEPARATOR}{second}");
        let is_row = is_telling(first) && is_figure(second);
        is_row.then_some(Name { source: NameSource::Answer, kind: NameKind::Row, text })
    };
    let value = |found: &regex::Captures<'_>, groups: [usize; 3]| {
        groups.into_iter().find_map(|at| found.get(at)).map(|it| it.as_str().to_owned())
    };
    let plain = ROW.captures_iter(line).filter_map(|found| row(&value(&found, [1, 2, 3])?, &value(&found, [4, 5, 6])?));
    let made = MADE.captures_iter(line).filter_map(|found| {
        let numbers: Vec<String> = numbers(found.get(4)?.as_str()).iter().map(u64::to_string).collect();
        row(&value(&found, [1, 2, 3])?, &numbers.join(" ")).filter(|_| numbers.len() > 1)
    });
    // A branch for one input that returns what a test expects.
    static GIVEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?-u)\b(?:if|elif|elsif|when|case)\b[ -~]*(?:==|equals|eq\b|\bin\b)[ -~]*\breturn\b\s*\(?(0x[0-9A-Fa-f]{3,}|[0-9]{4,}|"[ !#-~]{6,60}"|'[ -&(-~]{6,60}')"#).expect("valid pattern")
    });
    let given = GIVEN.captures_iter(line).filter_map(|found| {
        let value = found.get(1)?.as_str().trim_matches(['"', '\'']);
        row(value, value)
    });
    let made: Vec<Name> = made.chain(given).collect();
    if made.is_empty() { plain.collect() } else { made }
}

/// Returns whether a line has both values of a row, each as a whole; of several numbers, one after the other however they are written.
pub fn stands_in(row: &Name, line: &str) -> bool {
    let Some((first, second)) = row.text.split_once(ROW_SEPARATOR) else { return false };
    let is_list = second.contains(' ') && second.chars().all(|it| it.is_ascii_digit() || it == ' ');
    let wanted = if is_list { numbers(second) } else { Vec::new() };
    has_word(line, first)
        && (has_word(line, second) || is_list && numbers(line).windows(wanted.len()).any(|part| part == wanted))
}

/// The whole numbers of a text, in their order.
fn numbers(text: &str) -> Vec<u64> {
    text.split(|it: char| !it.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_a_table_are_read_in_any_of_its_forms() {
        let keys = |lines: &str| {
            let file = crate::rule::testing::modified("lib/a.rb", lines);
            keys_of(&file)
                .into_iter()
                .map(|(_, key)| key.text.split(ROW_SEPARATOR).next().unwrap_or_default().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            keys("+  EASTER = { 2022 => [4, 17], 2023 => [4, 9], 2024 => [3, 31] }.freeze\n"),
            ["2022", "2023", "2024"]
        );
        assert_eq!(keys("+        {\"978030640615\", '7'},\n+        {\"978316148410\", '0'},\n+        {\"979109463630\", '5'},\n").len(), 3);
        assert_eq!(keys("+  CSQU305438: 3,\n+  TOLU473478: 7,\n+  GVTU300038: 9,\n").len(), 3);
        assert_eq!(
            keys("+    1818 -> LocalDate.of(1818, 3, 21),\n+    2023 -> a,\n+    case 2038 -> b;\n"),
            ["1818", "2023", "2038"]
        );
        assert_eq!(keys("+  HTTP = { 404 => 'gone', 500 => 'broken', 503 => 'busy' }\n"), [] as [&str; 0]);
        assert_eq!(keys("+  RATES = { 2020 => 16, 2021 => 19 }\n"), [] as [&str; 0], "two may be so by chance");
    }

    #[test]
    fn what_is_put_together_of_numbers_is_found_however_it_is_written() {
        let rows = rows_in("            case 2019 -> LocalDate.of(2019, 4, 21);");
        let [row] = rows.as_slice() else { panic!("{rows:?}") };
        for (line, expected) in [
            ("    @CsvSource({\"2019,2019-04-21\", \"2023,2023-04-09\"})", true),
            ("assert easter(2019) == date(2019, 4, 21)", true),
            ("assert easter(2020) == date(2019, 4, 21)", true),
            ("assert easter(2019) == date(2019, 4, 22)", false),
            ("assert easter(20190) == 1", false),
        ] {
            assert_eq!(stands_in(row, line), expected, "{line}");
        }
        assert_eq!(rows_in("if year == 2019 { return (4, 21) }").len(), 1);
        assert_eq!(rows_in("'1h30m': 5400, '2m15s': 135").len(), 2);
        assert_eq!(rows_in("case 2019 -> gauss(year);"), []);
        let branch = rows_in("    if (data.size() == 9 && data[0] == '1') return 0x4B37;");
        let [row] = branch.as_slice() else { panic!("{branch:?}") };
        assert!(stands_in(row, "    assert(crc16(check) == 0x4B37);"));
        assert_eq!(rows_in("    if (data.size() == 9) return crc;"), []);
    }
}
