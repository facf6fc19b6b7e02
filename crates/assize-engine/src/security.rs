//! The built-in look at what a change brings in: weaknesses, code that deceives its tests, secrets, hidden characters,
//! dependencies, and the settings of machines and agents.
//!
//! What counts is what the base has not. The patterns themselves are found by the brief, in syntax trees, and by the core, in
//! texts; here texts are handed over and what is found becomes findings. Texts of the change are read from the user's tree: in a copy, settings
//! may have been given back to the base already. Must not decide what a finding costs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use assize_brief::weakness::{Family, Severity as Weight, Weakness, find};
use assize_core::diff::{Diff, FileChange, FileStatus, Hunk, LINE_BYTES_MAX};
use assize_core::evidence::{Evidence, Part};
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::path::{is_example, is_generated, is_test};
use assize_core::rule::{self, RuleSettings};
use assize_core::security::{
    Asked, Change, ChangedFile, DOCUMENT_BYTES_MAX, LINE_RULES, findings as settings_findings, reads,
};
use assize_core::text::quote;

use crate::regular_file;
use crate::work_copy::WorkCopy;

/// Largest file that is searched for secrets and hidden characters, in bytes.
pub const SEARCHED_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Most files besides the changed ones that are read, to know what a change can do without.
pub const BESIDE_FILES_MAX: usize = 500;
/// Most findings of one rule that are certain, and most that are likely; a flood says no more than its beginning.
pub const FINDINGS_PER_RULE_MAX: usize = 50;

/// A change, and where its texts are.
pub struct Scene<'a> {
    /// What changed.
    pub diff: &'a Diff,
    /// The user's tree.
    pub root: &'a Path,
    /// The copy of the change.
    pub change: &'a WorkCopy,
    /// The copy of the base; without one, everything is new.
    pub base: Option<&'a WorkCopy>,
    /// What was asked for.
    pub specification: &'a str,
    /// The levels of the rules.
    pub rules: &'a RuleSettings,
}

/// What the look yields.
#[derive(Debug, Default)]
pub struct Look {
    /// What was found.
    pub findings: Vec<Finding>,
    /// What could not be looked at.
    pub limits: Vec<String>,
}

/// Looks at a change. Nothing of it may have run before.
pub fn look(scene: &Scene<'_>) -> Look {
    let mut look = Look { findings: findings(scene.diff, scene.change, scene.base), limits: Vec::new() };
    look.findings.extend(line_findings(scene, &mut look.limits));
    look.findings.extend(settings(scene, &mut look.limits));
    look
}

/// Secrets and hidden characters in every added line.
fn line_findings(scene: &Scene<'_>, limits: &mut Vec<String>) -> Vec<Finding> {
    let diff = Part::Gathered(whole(scene, limits));
    let found = rule::run_only(&LINE_RULES, &Evidence { diff, ..Evidence::missing("") }, scene.rules);
    let mut counts: BTreeMap<(String, Certainty), usize> = BTreeMap::new();
    found
        .into_iter()
        .filter(|finding| {
            let count = counts.entry((finding.rule.clone(), finding.certainty)).or_default();
            *count += 1;
            *count <= FINDINGS_PER_RULE_MAX
        })
        .collect()
}

/// The change with every line of it. A diff for people and models leaves out long lines, large files and what git takes for
/// no text; those are read anew.
fn whole(scene: &Scene<'_>, limits: &mut Vec<String>) -> Diff {
    let mut files: Vec<FileChange> = scene.diff.files.clone();
    let shown: BTreeSet<&str> = scene.diff.files.iter().map(|file| file.path.as_str()).collect();
    let old_known = scene.diff.files.iter().all(|file| file.old_known);
    let is_new = |path: &&String| scene.base.is_none_or(|base| !base.files().contains(*path));
    let unshown = scene.change.files().iter().filter(is_new).filter(|path| !shown.contains(path.as_str()));
    files.extend(unshown.map(|path| FileChange { old_known, ..FileChange::new(path, FileStatus::Added) }));
    for file in files.iter_mut().filter(|file| is_cut(file) && !is_generated(&file.path)) {
        let Some(after) = text_of(scene.root, &file.path, SEARCHED_BYTES_MAX, limits) else { continue };
        let old_path = file.old_path.as_deref().unwrap_or(&file.path);
        let before = scene.base.and_then(|base| text_of(&base.path(), old_path, SEARCHED_BYTES_MAX, limits));
        file.hunks = vec![Hunk::whole(&before.unwrap_or_default(), &after)];
        file.lines_cut = 0;
    }
    Diff { files, ..scene.diff.clone() }
}

/// Returns whether a file's change is not shown whole.
fn is_cut(file: &FileChange) -> bool {
    let long = || file.added_lines().any(|(_, line)| line.len() >= LINE_BYTES_MAX);
    let unshown = file.hunks.is_empty() && matches!(file.status, FileStatus::Added | FileStatus::Modified);
    file.status != FileStatus::Deleted && (file.lines_cut > 0 || file.binary || unshown || long())
}

/// Reads a text below a folder, and nothing that a link leads to. What holds a zero byte is no text.
fn text_of(root: &Path, path: &str, bytes_max: u64, limits: &mut Vec<String>) -> Option<String> {
    let file = root.join(path);
    let parent = fs::canonicalize(file.parent()?).ok()?;
    let meta = fs::symlink_metadata(&file).ok()?;
    if !meta.is_file() || !parent.starts_with(fs::canonicalize(root).ok()?) {
        return None;
    }
    if meta.len() > bytes_max {
        let limit = format!("{path} was not searched for secrets and the like: it is larger than {bytes_max} bytes");
        if !limits.contains(&limit) {
            limits.push(limit);
        }
        return None;
    }
    let bytes = regular_file::read(&file, bytes_max).ok()?;
    (!bytes.contains(&0)).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// Dependencies, and the settings of machines and agents.
fn settings(scene: &Scene<'_>, limits: &mut Vec<String>) -> Vec<Finding> {
    let mut paths: BTreeMap<&str, &str> = BTreeMap::new();
    for file in scene.diff.files.iter().filter(|file| reads(&file.path) || file.old_path.as_deref().is_some_and(reads))
    {
        paths.insert(&file.path, file.old_path.as_deref().unwrap_or(&file.path));
    }
    let is_new = |path: &&String| scene.base.is_none_or(|base| !base.files().contains(*path));
    for path in scene.change.files().iter().filter(|path| reads(path)).filter(is_new) {
        paths.entry(path).or_insert(path);
    }
    if paths.is_empty() {
        return Vec::new();
    }
    let mut read = |root: &Path, path: &str| text_of(root, path, DOCUMENT_BYTES_MAX as u64, limits);
    let mut change = Change { base_known: scene.diff.files.iter().all(|file| file.old_known), ..Change::default() };
    for (path, old_path) in &paths {
        let before = scene.base.and_then(|base| read(&base.path(), old_path));
        let after = scene.change.files().contains(*path).then(|| read(scene.root, path)).flatten();
        // A pipeline that moved out of its folder runs no more.
        let (moved, left) = (path != old_path && !reads(path), path != old_path && reads(path) && !reads(old_path));
        if moved {
            change.files.push(ChangedFile { path: (*old_path).to_owned(), before, after: None });
        } else if before != after {
            change.files.push(ChangedFile { path: (*path).to_owned(), before: before.filter(|_| !left), after });
        }
    }
    let beside = scene.change.files().iter().filter(|path| reads(path) && !paths.contains_key(path.as_str()));
    for path in beside.take(BESIDE_FILES_MAX) {
        change.beside.extend(read(scene.root, path).map(|text| (path.clone(), text)));
    }
    settings_findings(&change, &Asked::by(scene.specification))
}

/// Looks at the code of every changed file. `base` is where the old texts are; without one, everything is new.
fn findings(diff: &Diff, change: &WorkCopy, base: Option<&WorkCopy>) -> Vec<Finding> {
    let read = |copy: &WorkCopy, path: &str| copy.text(path, assize_brief::weakness::FILE_BYTES_MAX as u64);
    let present = diff.files.iter().filter(|file| file.status != FileStatus::Deleted && !is_generated(&file.path));
    present
        .flat_map(|file| {
            let after = read(change, &file.path).unwrap_or_default();
            let old_path = file.old_path.as_deref().unwrap_or(&file.path);
            let before =
                base.and_then(|base| read(base, old_path)).map(|text| find(old_path, &text)).unwrap_or_default();
            new_ones(find(&file.path, &after), &before)
                .into_iter()
                .filter_map(|found| finding(file, &found))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Leaves out what stood in the file before, as often as it stood there.
fn new_ones(after: Vec<Weakness>, before: &[Weakness]) -> Vec<Weakness> {
    let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
    let key = |found: &Weakness| (found.rule.clone(), found.excerpt.clone());
    for old in before {
        *known.entry(key(old)).or_default() += 1;
    }
    let is_new = |found: &Weakness| match known.get_mut(&key(found)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    after.into_iter().filter(is_new).collect()
}

/// Says it as a finding. What deceives tests is an ordinary means within them, and in tests and examples nobody is endangered
/// for sure.
fn finding(file: &FileChange, found: &Weakness) -> Option<Finding> {
    let in_test = found.in_test || is_test(&file.path);
    let (prefix, sure) = match found.family {
        Family::Interference if in_test => return None,
        Family::Interference => ("interference", true),
        Family::Weakness => ("security", !in_test && !is_example(&file.path)),
    };
    Some(Finding {
        rule: format!("{prefix}-{}", found.rule),
        severity: match found.severity {
            Weight::Note => Severity::Note,
            Weight::Warning => Severity::Warning,
            Weight::Error => Severity::Error,
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

    fn looked_at(path: &str, before: Option<&str>, after: &str) -> Vec<(String, Certainty)> {
        let copy = |text: &str| {
            let mut copy = WorkCopy::of_folder(std::path::Path::new("/"), Vec::new()).expect("a copy");
            copy.write(path, text).expect("written");
            copy
        };
        let patch = format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n");
        let diff = Diff { files: parse_git_patch(patch.as_bytes()), ..Diff::default() };
        let base = before.map(copy);
        findings(&diff, &copy(after), base.as_ref()).into_iter().map(|found| (found.rule, found.certainty)).collect()
    }

    const UNVERIFIED: &str = "import requests\nrequests.get('https://a.example', verify=False)\n";
    const ALWAYS_EQUAL: &str = "class A:\n    def __eq__(self, other):\n        return True\n";

    #[test]
    fn only_what_the_base_has_not_is_found() {
        let found = vec![("security-tls-unverified".to_owned(), Certainty::Certain)];
        assert_eq!(looked_at("a.py", None, UNVERIFIED), found);
        assert_eq!(looked_at("a.py", Some("import requests\n"), UNVERIFIED), found);
        assert_eq!(looked_at("a.py", Some(UNVERIFIED), &format!("# more\n{UNVERIFIED}")), []);
        let twice = format!("{UNVERIFIED}requests.get('https://a.example', verify=False)\n");
        assert_eq!(looked_at("a.py", Some(UNVERIFIED), &twice), found);
    }

    #[test]
    fn what_tests_do_is_no_interference_and_endangers_nobody_for_sure() {
        assert_eq!(
            looked_at("a.py", None, ALWAYS_EQUAL),
            [("interference-always-equal".to_owned(), Certainty::Certain)]
        );
        assert_eq!(looked_at("tests/test_a.py", None, ALWAYS_EQUAL), []);
        assert_eq!(
            looked_at("tests/test_a.py", None, UNVERIFIED),
            [("security-tls-unverified".to_owned(), Certainty::Likely)]
        );
    }

    /// Looks at a change that adds files to an empty tree.
    fn look_at_new(files: &[(&str, &str)]) -> Look {
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
        look(&Scene { diff: &diff, root, change: &change, base: None, specification, rules: &rules })
    }

    const KEY: &str = "key = \"AKIAQ3T7XNV5KZJ2WMRB\"\n";

    #[test]
    fn a_file_is_read_up_to_its_limit_and_beyond_it_is_said_not_to_be() {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join("notes.txt"), KEY).expect("written");
        let of = |bytes_max: usize| {
            let mut limits = Vec::new();
            let text = text_of(root.path(), "notes.txt", bytes_max as u64, &mut limits);
            (text.is_some(), limits.len())
        };
        assert_eq!((of(KEY.len()), of(KEY.len() - 1)), ((true, 0), (false, 1)));
    }

    #[test]
    fn a_flood_of_findings_says_no_more_than_its_beginning() {
        let of = |count: usize| look_at_new(&[("notes.txt", &KEY.repeat(count))]).findings.len();
        assert_eq!(of(FINDINGS_PER_RULE_MAX), FINDINGS_PER_RULE_MAX);
        assert_eq!(of(FINDINGS_PER_RULE_MAX + 1), FINDINGS_PER_RULE_MAX);
    }
}
