//! The table of recordings in `docs/reports.md`.

use std::collections::BTreeMap;

const BEGIN: &str = "<!-- recordings: begin -->\n";
const END: &str = "<!-- recordings: end -->";

/// The columns, and the words by which the names of cases belong to them. What fits none has crashed or was not run
/// as it should be.
const COLUMNS: [(&str, &[&str]); 3] = [
    ("passing", &["passing", "clean", "measured", "warned", "warnings"]),
    (
        "failing",
        &[
            "failing",
            "findings",
            "errors",
            "unformatted",
            "syntax-error",
            "no-build",
            "compile-error",
            "do-not-compile",
            "failures-ignored",
            "nasty-words",
            "workspace",
            "no-harness",
            "own-patterns",
            "json",
        ],
    ),
    ("empty", &["empty", "no-tests", "deselected", "no-inputs"]),
];

/// Puts the table into a page; `None` where it has no place for it. `rows` are `tool/version-case` and what it is read as.
pub fn put_in(page: &str, rows: &BTreeMap<String, String>) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{}{END}{after}", table(rows)))
}

fn table(rows: &BTreeMap<String, String>) -> String {
    let mut by_tool: BTreeMap<(String, Vec<u64>, String), [Vec<String>; 4]> = BTreeMap::new();
    for (name, words) in rows {
        let (tool, case) = name.split_once('/').unwrap_or((name, ""));
        let (version, case) = version_and_name(case);
        let numbers = version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
        let cells = by_tool.entry((tool.to_owned(), numbers, version.to_owned())).or_default();
        cells[column(case)].push(format!("{case}: {words}"));
    }
    let mut text =
        "| tool | version | passing | failing | empty | crashed, left, or not to be run |\n|---|---|---|---|---|---|\n"
            .to_owned();
    for ((tool, _, version), cells) in by_tool {
        let cells: Vec<String> = cells.iter().map(|cell| cell.join("; ")).collect();
        text.push_str(&format!("| {tool} | {version} | {} |\n", cells.join(" | ")));
    }
    text
}

/// Takes `perl-5.36-bailed-out` apart: the version goes up to the last hyphen behind a digit or `nightly`.
fn version_and_name(case: &str) -> (&str, &str) {
    let mut at = 0;
    for (index, part) in case.split('-').enumerate() {
        let is_version = part.starts_with(|c: char| c.is_ascii_digit()) || part == "nightly";
        at += part.len() + usize::from(index > 0);
        if is_version {
            return (&case[..at], case[at..].trim_start_matches('-'));
        }
    }
    ("", case)
}

fn column(case: &str) -> usize {
    let fits = |words: &[&str]| words.iter().any(|word| case == *word || case.starts_with(&format!("{word}-")));
    let ends = |words: &[&str]| words.iter().any(|word| case.ends_with(&format!("-{word}")));
    let found = COLUMNS.iter().position(|(_, words)| fits(words));
    found.or_else(|| COLUMNS.iter().position(|(_, words)| ends(words))).unwrap_or(COLUMNS.len())
}
