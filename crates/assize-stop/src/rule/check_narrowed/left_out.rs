//! Settings by which a check no longer looks at what it complained of.

use std::sync::LazyLock;

use assize_core::diff::{Diff, DiffLineKind, FileChange, FileStatus};
use assize_core::path::file_name;
use assize_core::text::quote;
use assize_ecosystem::{is_code, is_generated, is_setting, is_test};
use regex::Regex;

use super::{LookingAway, Session, stem_of};
use crate::transcript::fault_output::faults;

/// A pattern for what a check leaves out that fits a changed file, of which a run has complained.
pub(super) fn left_out(file: &FileChange, diff: &Diff, session: &Session<'_>) -> Option<LookingAway> {
    static OUT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)(?:exclude|ignorepatterns|ignores?|exclusions?|omit|skip)\w*[\x22']?\s*[:=]\s*([ -~]{3,160})").expect("valid pattern")
    });
    if is_code(&file.path) && !is_setting(&file.path) {
        return None;
    }
    let own = || {
        let is_own = |other: &&FileChange| is_code(&other.path) && !is_test(&other.path) && !is_generated(&other.path) && other.added_count() > 0;
        diff.files.iter().filter(is_own)
    };
    // What a check complained of need not be part of the change.
    let complained = || session.facts.commands.iter().filter(|run| !run.only_looks()).flat_map(|run| faults(run.output.inspect())).map(|fault| fault.path);
    let was: Vec<&str> = file.removed_lines().filter_map(|(_, line)| Some(OUT.captures(line)?.get(1)?.as_str())).collect();
    file.added_lines().find_map(|(number, line)| {
        let list = OUT.captures(line)?.get(1)?.as_str();
        let patterns: Vec<Regex> = left_out_by(list).filter(|item| !was.iter().any(|old| old.contains(item))).filter_map(pattern_of).collect();
        let fits = |path: &str| patterns.iter().any(|pattern| pattern.is_match(path)) && !was.iter().any(|old| Regex::new(old.trim()).is_ok_and(|old| old.is_match(path)));
        let folder = |path: &str| path.rsplit('/').nth(1).unwrap_or_default().to_owned();
        let is_hidden = |path: &str| fits(path) && !session.takes_out(&[stem_of(path)]) && !session.takes_out(&[&folder(path)]);
        let changed = own().map(|other| other.path.as_str()).filter(|path| session.complains_of(file_name(path)));
        let hidden = changed.chain(complained().filter(|path| !is_test(path) && !is_generated(path))).find(|path| is_hidden(path))?;
        Some((number, format!("{} leaves out {}, of which a check has complained in this session. Correct the code instead.", quote(line), quote(hidden))))
    })
}

/// The items of what settings leave out: a list, or one pattern.
fn left_out_by(list: &str) -> impl Iterator<Item = &str> {
    let is_list = list.contains(['"', '\'']) || list.trim_start().starts_with('[');
    let items = list.split(move |letter: char| is_list && ",[]".contains(letter));
    items.map(|item| item.trim().trim_matches(['"', '\'', ' '])).filter(|item| item.len() > 3)
}

/// The pattern of an item: a regular expression, or a path with wildcards that stands for all below it.
fn pattern_of(item: &str) -> Option<Regex> {
    if item.contains(['^', '$', '(', '|', '\\']) {
        return Regex::new(item).ok();
    }
    let path = regex::escape(item.trim_start_matches("./").trim_end_matches('/')).replace(r"\*\*/", "(?:[^ ]*/)?").replace(r"\*\*", "[^ ]*").replace(r"\*", "[^/ ]*");
    Regex::new(&format!("(?:^|/){path}(?:/|$)")).ok()
}

/// A file whose coverage is no longer measured, where a run has shown it as not covered.
pub(super) fn not_measured(file: &FileChange, session: &Session<'_>) -> Option<LookingAway> {
    static OMIT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)(?:\bomit\b|coveragepathignorepatterns|coverage[ -~]{0,20}exclude|collectcoveragefrom|--omit|\[report\]|<exclude>)[ -~]*").expect("valid pattern")
    });
    static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?-u)([A-Za-z_][\w-]{2,})\.(?:py|js|ts|tsx|jsx|rb|go|java|kt|php|rs)\b").expect("valid pattern"));
    if !is_setting(&file.path) && file_name(&file.path) != ".coveragerc" {
        return None;
    }
    let adds_omit = file.hunks.iter().flat_map(|hunk| &hunk.lines).any(|line| line.kind != DiffLineKind::Removed && OMIT.is_match(line.text.inspect()));
    if !adds_omit || session.is_asked("omit") || session.is_asked("exclude") {
        return None;
    }
    file.added_lines().find_map(|(number, line)| {
        let name = NAME.find(line)?.as_str();
        let shown = session.facts.commands.iter().any(|run| {
            run.output.inspect().lines().any(|line| line.contains(name) && line.contains(['%', '|']) && line.chars().any(|letter| letter.is_ascii_digit()))
        });
        (shown && !session.takes_out(&[stem_of(name)])).then(|| (number, format!("{} takes {} out of the measured coverage, which a run has shown as not covered. Cover it, or ask the user.", quote(line), quote(name))))
    })
}

/// A folder that a check no longer looks at, of which it has complained.
pub(super) fn no_longer_included(file: &FileChange, diff: &Diff, session: &Session<'_>) -> Option<LookingAway> {
    static IN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)[\x22']?(include|files|packages|paths|src|roots|testpaths)[\x22']?\s*[:=]\s*[\[\x22']([ -~]+)").expect("valid pattern")
    });
    if !is_setting(&file.path) {
        return None;
    }
    let listed = |line: &str| -> Option<(String, Vec<String>)> {
        let found = IN.captures(line)?;
        let items = found[2].split(|letter: char| !(letter.is_alphanumeric() || "/_.*-".contains(letter)));
        Some((found[1].to_owned(), items.filter(|item| !item.is_empty()).map(str::to_owned).collect()))
    };
    file.added_lines().find_map(|(number, line)| {
        let (key, now) = listed(line)?;
        let before = file.removed_lines().filter_map(|(_, line)| listed(line)).find(|(other, _)| *other == key)?.1;
        let lost = before.into_iter().find(|item| {
            let folder = item.split('*').next().unwrap_or_default().trim_end_matches('/');
            let went = |other: &FileChange| {
                other.status == FileStatus::Deleted && other.path.starts_with(folder) || other.old_path.as_deref().is_some_and(|old| old.starts_with(folder))
            };
            !diff.files.iter().any(went) && !session.takes_out(&[folder]) && !now.contains(item) && folder.len() > 2 && session.complains_of(&format!("{folder}/"))
        })?;
        Some((number, format!("{} no longer has {}, of which a check has complained in this session. Correct the code instead.", quote(line), quote(&lost))))
    })
}
