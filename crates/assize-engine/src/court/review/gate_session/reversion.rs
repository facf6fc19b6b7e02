//! Finds out whether a change takes files back to what they were before one of the base's commits.

use std::collections::BTreeSet;
use std::path::Path;

use assize_core::diff::Diff;
use assize_core::path::is_prose;
use assize_syntax::inline_tests::FILE_BYTES_MAX;

use crate::git::Repository;
use crate::regular_file;

/// The most commits that are looked at.
const COMMITS_MAX: usize = 30;
/// The most files that a change may have.
const FILES_MAX: usize = 60;

/// Returns the commit whose work a change takes back, with all that came to the same files since: each file is as it was before that
/// commit. What is written for people may say otherwise.
pub(super) fn taken_back(root: &Path, base: &str, diff: &Diff) -> Option<String> {
    let named = diff.files.iter().flat_map(|file| [Some(&file.path), file.old_path.as_ref()]).flatten();
    let paths: BTreeSet<&str> = named.map(String::as_str).filter(|path| !is_prose(path)).collect();
    if paths.is_empty() || paths.len() > FILES_MAX {
        return None;
    }
    let repository = Repository::discover(root).ok()??;
    let now = |path: &str| match regular_file::read(&root.join(path), FILE_BYTES_MAX as u64) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(_) => None,
    };
    let paths: Vec<&str> = paths.into_iter().collect();
    let commits = repository.commits_that_touch(base, &paths, COMMITS_MAX).ok()?;
    commits.into_iter().find(|commit| {
        let before = format!("{commit}^");
        paths.iter().all(|path| repository.contents(&before, path).is_ok_and(|then| then == now(path)))
    })
}
