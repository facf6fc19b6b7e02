//! Merged changes of clones: of each clone the newest commits that changed code.

use std::fs;
use std::path::{Path, PathBuf};

use assize_ecosystem::{FileRole, is_code, is_generated};

use crate::shell::{Result, command, read, run as execute, target};

/// How many commits of a clone are taken.
const COMMITS_MAX: usize = 3;
/// How many lines of code a commit may change.
const LINES_MAX: usize = 400;
/// How many commits are looked through.
const LOOKED_THROUGH_MAX: &str = "--max-count=200";

/// A commit of a clone.
pub struct MergedCommit {
    /// The clone, or its folder `.git`.
    clone: PathBuf,
    /// What the clone is called.
    pub name: String,
    /// The commit, shortened.
    pub commit: String,
}

/// Chooses the commits of each clone in a folder.
pub fn choose(folder: &Path) -> Result<Vec<MergedCommit>> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut clones: Vec<PathBuf> = fs::read_dir(folder).map_err(failed)?.flatten().map(|entry| entry.path()).collect();
    clones.sort();
    let mut chosen = Vec::new();
    for clone in clones {
        let name = clone.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // A clone whose history git cannot read says nothing of the others.
        let commits = commits(&clone).unwrap_or_else(|error| {
            eprintln!("{name} is left out: {error}");
            Vec::new()
        });
        for commit in commits {
            chosen.push(MergedCommit { clone: clone.clone(), name: name.clone(), commit });
        }
    }
    Ok(chosen)
}

/// The newest commits that changed code that is no test, and not too much of it; the last one is the newest.
fn commits(clone: &Path) -> Result<Vec<String>> {
    let at = clone.to_string_lossy();
    let log = ["-C", &at, "log", "--first-parent", "--diff-merges=first-parent", "--no-renames", "--numstat"];
    let log = read(command("git", &[&log[..], &[LOOKED_THROUGH_MAX, "--format=commit %h"]].concat()))?;
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for line in log.lines() {
        if let Some(commit) = line.strip_prefix("commit ") {
            counted.push((commit, 0));
        } else if let ([added, removed, path], Some((_, lines))) =
            (&line.split('\t').collect::<Vec<_>>()[..], counted.last_mut())
        {
            let is_own = is_code(path) && !is_generated(path) && FileRole::of(path) == FileRole::Production;
            let changed = |count: &str| count.parse::<usize>().unwrap_or(0);
            *lines += if is_own { changed(added) + changed(removed) } else { 0 };
        }
    }
    let of_size = counted.into_iter().filter(|(_, lines)| (1..=LINES_MAX).contains(lines));
    let newest: Vec<String> = of_size.map(|(commit, _)| commit.to_owned()).take(COMMITS_MAX).collect();
    Ok(newest.into_iter().rev().collect())
}

impl MergedCommit {
    /// Makes a work tree at the commit, unless it is there.
    pub fn repository(&self) -> Result<PathBuf> {
        // Tests may ask what their folder is called.
        let folder = target("first-try").join("clones").join(&self.commit).join(&self.name);
        if !folder.exists() {
            let (from, to) = (self.clone.to_string_lossy(), folder.to_string_lossy());
            execute(command("git", &["clone", "--quiet", "--shared", "--no-checkout", &from, &to]))?;
            execute(command("git", &["-C", &to, "checkout", "--quiet", "--detach", &self.commit]))?;
        }
        Ok(folder)
    }
}
