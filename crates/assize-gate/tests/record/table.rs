//! The tables of recordings in `docs/src/reference/reports.md`.

use std::collections::BTreeMap;

const BEGIN: &str = "<!-- recordings: begin -->\n";
const END: &str = "<!-- recordings: end -->";

/// What a recorded project is like, and the words by which the names of cases belong to it. What fits none
/// has crashed or was not run as it should be.
const KINDS: [(&str, &[&str]); 3] = [
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

/// Puts the tables into a page; `None` where it has no place for it. `rows` are `tool/version-case` and what
/// it is read as.
pub fn put_in(page: &str, rows: &BTreeMap<String, String>) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{}{END}{after}", tables(rows)))
}

/// Where a recording stands in its table: the version's numbers, the version, the kind of project, and the case.
type Place = (Vec<u64>, String, usize, String);

/// One table for each tool, with one recording on each line.
fn tables(rows: &BTreeMap<String, String>) -> String {
    let mut by_tool: BTreeMap<&str, BTreeMap<Place, &str>> = BTreeMap::new();
    for (name, words) in rows {
        let (tool, case) = name.split_once('/').unwrap_or((name, ""));
        let (version, case) = version_and_name(case);
        let numbers = version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
        let place = (numbers, version.to_owned(), kind(case), case.to_owned());
        by_tool.entry(tool).or_default().insert(place, words);
    }
    let mut text = String::new();
    for (tool, recordings) in by_tool {
        text.push_str(&format!("\n### {tool}\n\n| version | project | case | read as |\n|---|---|---|---|\n"));
        for ((_, version, kind, case), words) in recordings {
            let kind = KINDS.get(kind).map_or("other", |(name, _)| *name);
            text.push_str(&format!("| {version} | {kind} | {case} | {words} |\n"));
        }
    }
    text + "\n"
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

fn kind(case: &str) -> usize {
    let fits = |words: &[&str]| words.iter().any(|word| case == *word || case.starts_with(&format!("{word}-")));
    let ends = |words: &[&str]| words.iter().any(|word| case.ends_with(&format!("-{word}")));
    let found = KINDS.iter().position(|(_, words)| fits(words));
    found.or_else(|| KINDS.iter().position(|(_, words)| ends(words))).unwrap_or(KINDS.len())
}
