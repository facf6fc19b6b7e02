//! The built-in security gate: checks a change for weaknesses, code that deceives its tests, secrets, hidden
//! characters, dependencies, and settings of machines and agents.
//!
//! Only what the base does not have counts. Syntax trees are checked by `assize-syntax` and texts by `assize-check`;
//! this module reads the texts and turns results into findings. Texts of the change come from the user's tree, because
//! settings in a copy may have been restored from the base. This module must not decide what a finding costs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use assize_check::security::{
    DOCUMENT_BYTES_MAX, FileVersions, LINE_RULES, RequestedChanges, SecurityChange, findings as settings_findings,
    reads,
};
use assize_check::weakness::{FILE_BYTES_MAX, Weakness, WeaknessFamily, WeaknessSeverity, find};
use assize_core::diff::{Diff, DiffHunk, FileChange, FileStatus, LINE_BYTES_MAX};
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::gathered::EvidencePart;
use assize_core::path::is_example;
use assize_core::text::quote;
use assize_ecosystem::{is_generated, is_test};
use assize_stop::evidence::Evidence;
use assize_stop::rule::{self, RuleSettings};
use assize_syntax::language::language_of;

use crate::regular_file;
use crate::work_copy::WorkCopy;

/// The largest file that is searched for secrets and hidden characters, in bytes.
pub const SEARCHED_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The most unchanged files that are read to determine what the change affects.
pub const BESIDE_FILES_MAX: usize = 500;
/// The most certain and the most likely findings of one rule. Further ones are only counted.
pub const FINDINGS_PER_RULE_MAX: usize = 50;

/// A change, and where its texts are.
pub struct SecurityScanContext<'a> {
    /// The diff.
    pub diff: &'a Diff,
    /// The user's tree.
    pub root: &'a Path,
    /// The copy of the change.
    pub change: &'a WorkCopy,
    /// The copy of the base; without one, everything is new.
    pub base: Option<&'a WorkCopy>,
    /// The specification of the change.
    pub specification: &'a str,
    /// The levels of the rules.
    pub rules: &'a RuleSettings,
}

/// The result of the security check.
#[derive(Debug, Default)]
pub struct SecurityReport {
    /// The findings.
    pub findings: Vec<Finding>,
    /// What could not be checked.
    pub limits: Vec<String>,
}

/// Checks a change. No code of the change may have run before.
pub fn look(context: &SecurityScanContext<'_>) -> SecurityReport {
    let mut limits = Vec::new();
    let mut all = findings(context.diff, context.change, context.base, &mut limits);
    all.extend(line_findings(context, &mut limits));
    let mut findings = without_flood(all, &mut limits);
    findings.extend(settings(context, &mut limits));
    SecurityReport { findings, limits }
}

/// Finds secrets and hidden characters in added lines.
fn line_findings(context: &SecurityScanContext<'_>, limits: &mut Vec<String>) -> Vec<Finding> {
    let diff = EvidencePart::Gathered(whole(context, limits));
    rule::run_only(&LINE_RULES, &Evidence { diff, ..Evidence::missing("") }, context.rules)
}

/// Drops findings beyond the limit of a rule, and reports how many.
fn without_flood(found: Vec<Finding>, limits: &mut Vec<String>) -> Vec<Finding> {
    let mut counts: BTreeMap<(String, Certainty), usize> = BTreeMap::new();
    let mut kept = Vec::new();
    for finding in found {
        let count = counts.entry((finding.rule.clone(), finding.certainty)).or_default();
        *count += 1;
        if *count <= FINDINGS_PER_RULE_MAX {
            kept.push(finding);
        }
    }
    let left_out = |((rule, _), count): ((String, _), usize)| {
        let more = count.saturating_sub(FINDINGS_PER_RULE_MAX);
        (more > 0).then(|| format!("{rule}: findings beyond the first {FINDINGS_PER_RULE_MAX} are left out ({more})"))
    };
    limits.extend(counts.into_iter().filter_map(left_out));
    kept
}

/// Returns the complete diff. The diff for people and models omits long lines, large files and binary files; they are
/// read again here.
fn whole(context: &SecurityScanContext<'_>, limits: &mut Vec<String>) -> Diff {
    let mut files: Vec<FileChange> = context.diff.files.clone();
    let shown: BTreeSet<&str> = context.diff.files.iter().map(|file| file.path.as_str()).collect();
    let old_text_known = context.diff.files.iter().all(|file| file.old_known);
    let is_new = |path: &&String| context.base.is_none_or(|base| !base.files().contains(*path));
    let unshown = context.change.files().iter().filter(is_new).filter(|path| !shown.contains(path.as_str()));
    files.extend(
        unshown.map(|path| FileChange { old_known: old_text_known, ..FileChange::new(path, FileStatus::Added) }),
    );
    for file in files.iter_mut().filter(|file| is_cut(file) && !is_generated(&file.path)) {
        let mut read = |root: &Path, path: &str| plain_text_of(root, path, SEARCHED_BYTES_MAX, limits);
        let Some(after) = read(context.root, &file.path) else { continue };
        let old_path = file.old_path.as_deref().unwrap_or(&file.path);
        let before = context.base.and_then(|base| read(&base.path(), old_path));
        file.hunks = vec![DiffHunk::whole(&before.unwrap_or_default(), &after)];
        file.lines_cut = 0;
    }
    Diff { files, ..context.diff.clone() }
}

/// Returns whether a file's change is not shown completely.
fn is_cut(file: &FileChange) -> bool {
    let long = || file.added_lines().any(|(_, line)| line.len() >= LINE_BYTES_MAX);
    let unshown = file.hunks.is_empty() && matches!(file.status, FileStatus::Added | FileStatus::Modified);
    file.status != FileStatus::Deleted && (file.lines_cut > 0 || file.binary || unshown || long())
}

/// Reads a text as [`text_of`] does, unless it contains a zero byte.
fn plain_text_of(root: &Path, path: &str, bytes_max: u64, limits: &mut Vec<String>) -> Option<String> {
    text_of(root, path, bytes_max, "secrets and the like", limits).filter(|text| !text.contains('\0'))
}

/// Reads a text below a folder, without following links. A file that is too large to be searched for what is `sought`
/// is reported.
fn text_of(root: &Path, path: &str, bytes_max: u64, sought: &str, limits: &mut Vec<String>) -> Option<String> {
    let file = root.join(path);
    let parent = fs::canonicalize(file.parent()?).ok()?;
    let meta = fs::symlink_metadata(&file).ok()?;
    if !meta.is_file() || !parent.starts_with(fs::canonicalize(root).ok()?) {
        return None;
    }
    if meta.len() > bytes_max {
        let limit = format!("{path} was not searched for {sought}: it is larger than {bytes_max} bytes");
        if !limits.contains(&limit) {
            limits.push(limit);
        }
        return None;
    }
    let bytes = regular_file::read(&file, bytes_max).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Checks dependencies, and the settings of machines and agents.
fn settings(context: &SecurityScanContext<'_>, limits: &mut Vec<String>) -> Vec<Finding> {
    let mut paths: BTreeMap<&str, &str> = BTreeMap::new();
    for file in
        context.diff.files.iter().filter(|file| reads(&file.path) || file.old_path.as_deref().is_some_and(reads))
    {
        paths.insert(&file.path, file.old_path.as_deref().unwrap_or(&file.path));
    }
    let is_new = |path: &&String| context.base.is_none_or(|base| !base.files().contains(*path));
    for path in context.change.files().iter().filter(|path| reads(path)).filter(is_new) {
        paths.entry(path).or_insert(path);
    }
    if paths.is_empty() {
        return Vec::new();
    }
    let mut read = |root: &Path, path: &str| plain_text_of(root, path, DOCUMENT_BYTES_MAX as u64, limits);
    let mut change = SecurityChange {
        base_known: context.diff.files.iter().all(|file| file.old_known),
        ..SecurityChange::default()
    };
    for (path, old_path) in &paths {
        let before = context.base.and_then(|base| read(&base.path(), old_path));
        let after = context.change.files().contains(*path).then(|| read(context.root, path)).flatten();
        // A pipeline file that was moved out of its folder no longer runs.
        let (moved, left) = (path != old_path && !reads(path), path != old_path && reads(path) && !reads(old_path));
        if moved {
            change.files.push(FileVersions { path: (*old_path).to_owned(), before, after: None });
        } else if before != after {
            change.files.push(FileVersions { path: (*path).to_owned(), before: before.filter(|_| !left), after });
        }
    }
    let mut beside = context.change.files().iter().filter(|path| reads(path) && !paths.contains_key(path.as_str()));
    for path in beside.by_ref().take(BESIDE_FILES_MAX) {
        change.beside.extend(read(context.root, path).map(|text| (path.clone(), text)));
    }
    let unread = beside.count();
    if unread > 0 {
        limits.push(format!(
            "unchanged files with settings or dependencies beyond the first {BESIDE_FILES_MAX} were not read ({unread})"
        ));
    }
    settings_findings(&change, &RequestedChanges::by(context.specification))
}

/// Checks the code of every changed file. `base` has the old texts; without one, everything is new.
fn findings(diff: &Diff, change: &WorkCopy, base: Option<&WorkCopy>, limits: &mut Vec<String>) -> Vec<Finding> {
    let present = diff.files.iter().filter(|file| file.status != FileStatus::Deleted && !is_generated(&file.path));
    present
        .flat_map(|file| {
            let old_path = file.old_path.as_deref().unwrap_or(&file.path);
            let after = weaknesses(change, &file.path, limits);
            // If the base was not searched, more of the change is new, never less.
            let before = base.map(|base| weaknesses(base, old_path, &mut Vec::new())).unwrap_or_default();
            let touches_runners = before.iter().any(|found| found.family == WeaknessFamily::Interference);
            let new = new_ones(after, &before).into_iter();
            new.filter_map(|found| finding(file, &found, touches_runners)).collect::<Vec<_>>()
        })
        .collect()
}

/// Searches a file, if it is code. Invalid UTF-8 in code is replaced; a file with zero bytes is not code.
fn weaknesses(copy: &WorkCopy, path: &str, limits: &mut Vec<String>) -> Vec<Weakness> {
    if language_of(path).is_none() {
        return Vec::new();
    }
    let text = text_of(&copy.path(), path, FILE_BYTES_MAX as u64, "weaknesses", limits);
    let text = text.filter(|text| !(text.contains('\0') && text.contains(char::REPLACEMENT_CHARACTER)));
    text.map(|text| find(path, &text)).unwrap_or_default()
}

/// Drops weaknesses that the file had before, as many as it had.
fn new_ones(after: Vec<Weakness>, before: &[Weakness]) -> Vec<Weakness> {
    let mut preexisting: BTreeMap<(String, String), usize> = BTreeMap::new();
    let key = |found: &Weakness| (found.rule.clone(), found.excerpt.clone());
    for old in before {
        *preexisting.entry(key(old)).or_default() += 1;
    }
    let is_new = |found: &Weakness| match preexisting.get_mut(&key(found)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    after.into_iter().filter(is_new).collect()
}

/// Makes a finding. Code that would deceive tests is normal inside tests, and likely to be honest in a file of the product
/// whose base does such things already, such as a helper for the tests of others. In tests and examples, a weakness is
/// never certain to be a danger.
fn finding(file: &FileChange, found: &Weakness, touches_runners: bool) -> Option<Finding> {
    let in_test = found.in_test || is_test(&file.path);
    let (prefix, sure) = match found.family {
        WeaknessFamily::Interference if in_test => return None,
        WeaknessFamily::Interference => ("interference", !touches_runners),
        WeaknessFamily::Weakness => ("security", !in_test && !is_example(&file.path)),
    };
    Some(Finding {
        rule: format!("{prefix}-{}", found.rule),
        severity: match found.severity {
            WeaknessSeverity::Note => Severity::Note,
            WeaknessSeverity::Warning => Severity::Warning,
            WeaknessSeverity::Error => Severity::Error,
        },
        certainty: if found.certain && sure && file.old_known { Certainty::Certain } else { Certainty::Likely },
        path: Some(file.path.clone()),
        line: Some(found.line),
        message: format!("{} {}", quote(&found.excerpt), found.message),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::diff::parse_git_patch;

    fn found_rules(path: &str, before: Option<&str>, after: &str) -> Vec<(String, Certainty)> {
        let copy = |text: &str| {
            let mut copy = WorkCopy::of_folder(std::path::Path::new("/"), Vec::new()).expect("a copy");
            copy.write(path, text).expect("written");
            copy
        };
        let patch = format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n");
        let diff = Diff { files: parse_git_patch(patch.as_bytes()), ..Diff::default() };
        let base = before.map(copy);
        let mut limits = Vec::new();
        findings(&diff, &copy(after), base.as_ref(), &mut limits)
            .into_iter()
            .map(|found| (found.rule, found.certainty))
            .collect()
    }

    const UNVERIFIED: &str = "import requests\nrequests.get('https://a.example', verify=False)\n";
    const ALWAYS_EQUAL: &str = "class A:\n    def __eq__(self, other):\n        return True\n";

    #[test]
    fn only_what_the_base_has_not_is_found() {
        let found = vec![("security-tls-unverified".to_owned(), Certainty::Certain)];
        assert_eq!(found_rules("a.py", None, UNVERIFIED), found);
        assert_eq!(found_rules("a.py", Some("import requests\n"), UNVERIFIED), found);
        assert_eq!(found_rules("a.py", Some(UNVERIFIED), &format!("# more\n{UNVERIFIED}")), []);
        let twice = format!("{UNVERIFIED}requests.get('https://a.example', verify=False)\n");
        assert_eq!(found_rules("a.py", Some(UNVERIFIED), &twice), found);
    }

    #[test]
    fn what_tests_do_is_no_interference_and_endangers_nobody_for_sure() {
        assert_eq!(
            found_rules("a.py", None, ALWAYS_EQUAL),
            [("interference-always-equal".to_owned(), Certainty::Certain)]
        );
        assert_eq!(found_rules("tests/test_a.py", None, ALWAYS_EQUAL), []);
        assert_eq!(
            found_rules("tests/test_a.py", None, UNVERIFIED),
            [("security-tls-unverified".to_owned(), Certainty::Likely)]
        );
    }

    #[test]
    fn a_name_excuses_no_interference_and_the_base_does() {
        let plugin = "def pytest_runtest_makereport(item, call):\n    return None\n";
        let found = |before, path| found_rules(path, before, &format!("import pytest\n{plugin}"));
        let rule = |certainty| ("interference-runner-touched".to_owned(), certainty);
        assert_eq!(found(Some("import pytest\n"), "shop/testing.py"), [rule(Certainty::Likely)]);
        assert_eq!(found(Some("import json\n"), "shop/testing.py")[1], rule(Certainty::Certain));
        assert_eq!(found(None, "shop/testing.py")[1], rule(Certainty::Certain));
        assert_eq!(found(None, "tests/conftest.py"), []);
    }

    /// Checks a change that adds files to an empty tree.
    fn look_at_new(files: &[(&str, &str)]) -> SecurityReport {
        let root = tempfile::tempdir().expect("a folder");
        let mut change = WorkCopy::of_folder(std::path::Path::new("/"), Vec::new()).expect("a copy");
        let mut diff = Diff::default();
        for (path, text) in files {
            fs::write(root.path().join(path), text).expect("written");
            change.write(path, text).expect("written");
            diff.files.push(FileChange { binary: true, old_known: true, ..FileChange::new(*path, FileStatus::Added) });
        }
        let rules = RuleSettings::default();
        let (root, specification) = (root.path(), "");
        look(&SecurityScanContext { diff: &diff, root, change: &change, base: None, specification, rules: &rules })
    }

    const KEY: &str = "key = \"AKIAQ3T7XNV5KZJ2WMRB\"\n";

    #[test]
    fn files_beyond_the_limit_are_reported_as_unread() {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join("notes.txt"), KEY).expect("written");
        let of = |bytes_max: usize| {
            let mut limits = Vec::new();
            let text = text_of(root.path(), "notes.txt", bytes_max as u64, "secrets", &mut limits);
            (text.is_some(), limits.len())
        };
        assert_eq!((of(KEY.len()), of(KEY.len() - 1)), ((true, 0), (false, 1)));
    }

    #[test]
    fn code_beyond_the_limit_is_reported_as_unsearched() {
        let of = |path: &str, bytes: usize| {
            let padding = bytes - UNVERIFIED.len() - 2;
            let look = look_at_new(&[(path, &format!("{UNVERIFIED}#{}\n", " ".repeat(padding)))]);
            (look.findings.len(), look.limits)
        };
        let limit = format!("a.py was not searched for weaknesses: it is larger than {FILE_BYTES_MAX} bytes");
        assert_eq!(of("a.py", FILE_BYTES_MAX), (1, vec![]));
        assert_eq!(of("a.py", FILE_BYTES_MAX + 1), (0, vec![limit]));
        assert_eq!(of("a.txt", FILE_BYTES_MAX + 1), (0, vec![]), "it is no code");
    }

    #[test]
    fn code_with_bytes_that_are_no_text_is_searched() {
        let of = |before: &[u8]| {
            let mut change = WorkCopy::of_folder(Path::new("/"), Vec::new()).expect("a copy");
            change.write("a.py", "").expect("written");
            fs::write(change.path().join("a.py"), [before, UNVERIFIED.as_bytes()].concat()).expect("written");
            let diff = Diff { files: vec![FileChange::new("a.py", FileStatus::Added)], ..Diff::default() };
            findings(&diff, &change, None, &mut Vec::new()).len()
        };
        assert_eq!((of(b"# \xe9\n"), of(b"# \0\n"), of(b"# \xe9\0\n")), (1, 1, 0));
    }

    #[test]
    fn files_beside_the_change_are_read_up_to_their_limit() {
        let of = |count: usize| {
            let root = tempfile::tempdir().expect("a folder");
            let folder = root.path().join(".github/workflows");
            fs::create_dir_all(&folder).expect("made");
            let names: Vec<String> = (0..=count).map(|number| format!(".github/workflows/{number}.yml")).collect();
            for name in &names {
                fs::write(root.path().join(name), "on: push\n").expect("written");
            }
            let copy = || WorkCopy::of_folder(root.path(), names.clone()).expect("a copy");
            let mut base = copy();
            base.write(&names[0], "on: pull_request\n").expect("written");
            let diff = Diff { files: vec![FileChange::new(&names[0], FileStatus::Modified)], ..Diff::default() };
            let (rules, base) = (RuleSettings::default(), Some(&base));
            let change = copy();
            look(&SecurityScanContext {
                diff: &diff,
                root: root.path(),
                change: &change,
                base,
                specification: "",
                rules: &rules,
            })
            .limits
        };
        assert_eq!(of(BESIDE_FILES_MAX), [""; 0]);
        let limit = format!(
            "unchanged files with settings or dependencies beyond the first {BESIDE_FILES_MAX} were not read (1)"
        );
        assert_eq!(of(BESIDE_FILES_MAX + 1), [limit]);
    }

    #[test]
    fn a_flood_of_findings_says_no_more_than_its_beginning() {
        let of = |count: usize| {
            let look = look_at_new(&[("notes.txt", &KEY.repeat(count))]);
            (look.findings.len(), look.limits)
        };
        let limit = format!("secret: findings beyond the first {FINDINGS_PER_RULE_MAX} are left out (1)");
        assert_eq!(of(FINDINGS_PER_RULE_MAX), (FINDINGS_PER_RULE_MAX, vec![]));
        assert_eq!(of(FINDINGS_PER_RULE_MAX + 1), (FINDINGS_PER_RULE_MAX, vec![limit]));
    }
}
