//! Finds out whether a change takes back what one of the base's commits brought.

use std::collections::BTreeMap;
use std::path::Path;

use assize_core::diff::{Diff, FileChange, parse_git_patch};
use assize_core::path::is_prose;

use crate::git::Repository;

/// The most commits that are looked at.
const COMMITS_MAX: usize = 30;
/// The most files that a change may have.
const FILES_MAX: usize = 60;

/// The lines that go and those that come in each file, in their order. What is written for people may say otherwise.
type ChangedLines<'a> = BTreeMap<&'a str, (Vec<&'a str>, Vec<&'a str>)>;

/// Returns the commit whose work a change takes back: the lines that come and go are those that went and came with it.
pub(super) fn taken_back(root: &Path, base: &str, diff: &Diff) -> Option<String> {
    let own = lines_of(&diff.files);
    if own.is_empty() || own.len() > FILES_MAX || diff.files.iter().any(|file| file.binary || file.lines_cut > 0) {
        return None;
    }
    let repository = Repository::discover(root).ok()??;
    let paths: Vec<&str> = own.keys().copied().collect();
    let commits = repository.commits_that_touch(base, &paths, COMMITS_MAX).ok()?;
    commits.into_iter().find(|commit| {
        let back = repository.patch_back(commit).map(|patch| parse_git_patch(&patch)).unwrap_or_default();
        lines_of(&back) == own
    })
}

fn lines_of(files: &[FileChange]) -> ChangedLines<'_> {
    let own = files.iter().filter(|file| !is_prose(&file.path));
    own.map(|file| {
        let removed = file.removed_lines().map(|(_, line)| line).collect();
        (file.path.as_str(), (removed, file.added_lines().map(|(_, line)| line).collect()))
    })
    .collect()
}
