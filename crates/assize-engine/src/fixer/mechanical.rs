//! Fixes that tools offer: suggestions that compilers and linters call safe, and the output of formatters.
//!
//! Only new faults in writable files are fixed. Formatters run in the sandbox, in a copy of their own. Their changes
//! to other files than the given ones are dropped.

use std::collections::BTreeSet;
use std::path::Path;

use assize_gate::gate::{Gate, GateState, Setup};
use assize_patch::{FileContent, Op, Patch, PatchLimits, Protection, Snapshot, between, check_path, in_part, plan};
use assize_report::Diagnostic;
use assize_review::court::ReviewRecord;
use assize_review::fix::mechanical;

use crate::court::review::{GateTerms, ReviewError, sandbox_beside, source_state};
use crate::gate::{Planned, PreparedWorktree};
use crate::git::Repository;
use crate::scratch::Scratch;
use crate::tree;
use crate::work_copy::{CopyError, WorkCopy};

/// Returns the patch that the tools offer for the failed gates of a review; an empty patch if they offer nothing.
/// `home` is the project from which `copy` was made.
///
/// # Errors
///
/// Fails if a copy cannot be made, or the required sandbox is not available.
pub fn offered(
    record: &ReviewRecord,
    copy: &WorkCopy,
    home: &Path,
    terms: &GateTerms,
    protection: &Protection,
) -> Result<Patch, ReviewError> {
    let gates = || record.inputs.exec.gates.iter().filter(|gate| gate.state == GateState::Failed);
    let is_writable = |fault: &&Diagnostic| fault.path.as_deref().is_some_and(|path| is_writable(protection, path));
    let faults: Vec<Diagnostic> = gates().flat_map(|gate| &gate.new).filter(is_writable).cloned().collect();
    // These suggestions come from the tools themselves; the result is checked like any other patch.
    let patch = mechanical::patch(&faults, &PatchLimits::NONE, &|path| read(&copy.path(), path));
    let mut scratch = copy.again()?;
    check_out(&mut scratch, &patch)?;
    let mut touched: BTreeSet<&str> = patch.ops.iter().map(Op::path).collect();
    let build = Scratch::new("assize-build-").map_err(|error| CopyError::Io { path: std::env::temp_dir(), error })?;
    let mut worktree = PreparedWorktree::new(scratch, home, &terms.search_path, build.path().to_owned());
    let used = terms.plan(&worktree.project, None).due;
    let sandbox = sandbox_beside(home, terms.sandbox)?;
    let failed = |(tool, setup): &&(&dyn Gate, Setup)| {
        gates().any(|gate| (&*gate.id, &gate.folder) == (tool.id(), &setup.folder))
    };
    let failed: Vec<_> = used.iter().filter(failed).cloned().collect();
    // The review has installed the same for its own copy, so that this takes it from the cache.
    let source = source_state(Repository::discover(home)?.as_ref(), record.inputs.case.base.as_deref());
    worktree.prepare(&worktree.plans(&failed), &sandbox, &terms.preparation, (&source, None), &mut |_, _| {})?;
    for gate in gates() {
        let files: BTreeSet<&str> =
            gate.new.iter().filter(is_writable).filter_map(|fault| fault.path.as_deref()).collect();
        let files: Vec<&str> = files.into_iter().collect();
        let Some((tool, setup)) = used.iter().find(|(tool, setup)| tool.id() == gate.id && setup.folder == gate.folder)
        else {
            continue;
        };
        if files.is_empty() || tool.rewrite(setup, &worktree.project, &files).is_none() {
            continue;
        }
        let concerned: BTreeSet<&str> = files.iter().copied().chain(touched.iter().copied()).collect();
        let before: Vec<(&str, Option<FileContent>)> =
            concerned.into_iter().map(|path| (path, read(&worktree.copy.path(), path))).collect();
        let is_done = worktree.rewrite(Planned { gate: *tool, setup }, &files, &sandbox, &terms.run)?;
        for (path, before) in &before {
            if !is_done {
                put_back(&mut worktree.copy, path, before.as_ref())?;
            } else if files.contains(path) {
                let lines =
                    gate.new.iter().filter(|fault| fault.path.as_deref() == Some(*path)).map(|fault| fault.line);
                hold_to(&mut worktree.copy, path, before.as_ref(), lines.collect())?;
            }
        }
        touched.extend(files.into_iter().filter(|_| is_done));
    }
    let (before, after) = (copy.path(), worktree.copy.path());
    // No formatter removes a file. If a file cannot be read, something went wrong.
    let made = touched.iter().filter_map(|path| Some((path, read(&after, path)?)));
    let ops = made.flat_map(|(path, after)| between(path, read(&before, path).as_ref(), Some(&after)));
    Ok(Patch { ops: ops.collect() })
}

/// How many context lines a formatter shows around a difference.
const CONTEXT: usize = 3;

/// Reverts a formatter's changes outside the reported lines, if lines were reported: old code stays as it is.
fn hold_to(
    copy: &mut WorkCopy,
    path: &str,
    before: Option<&FileContent>,
    lines: Option<Vec<u32>>,
) -> Result<(), CopyError> {
    let after = read(&copy.path(), path);
    let (Some(lines), Some(before), Some(after)) = (lines, before, after) else { return Ok(()) };
    let mut reached = 0;
    let kept = in_part(&before.bytes, &after.bytes, |gone| {
        // A difference begins within its context, and continues while its parts share context lines.
        let begins = lines.iter().any(|line| {
            let line = *line as usize;
            (line.saturating_sub(1)..line.saturating_add(CONTEXT)).contains(&gone.start)
        });
        let goes_on = reached > 0 && gone.start <= reached + 2 * CONTEXT;
        if begins || goes_on {
            reached = gone.end;
        }
        begins || goes_on
    });
    copy.write_file(path, &kept, before.executable)
}

/// Reverts the changes of a formatter that did not finish.
fn put_back(copy: &mut WorkCopy, path: &str, before: Option<&FileContent>) -> Result<(), CopyError> {
    match before {
        Some(before) => copy.write_file(path, &before.bytes, before.executable),
        None => Ok(()),
    }
}

/// Returns whether a patch may change an existing file.
fn is_writable(protection: &Protection, path: &str) -> bool {
    let change = Op::Splice { path: path.to_owned(), start: 0, delete_count: 0, insert: None };
    check_path(path).is_ok() && protection.check(&[(0, &change)]).is_empty()
}

/// Reads a file that tools may fix. Returns `None` if it cannot be read.
fn read(root: &Path, path: &str) -> Option<FileContent> {
    tree::file(root, path).ok().flatten()
}

/// Carries out a patch in a private copy.
fn check_out(copy: &mut WorkCopy, patch: &Patch) -> Result<(), CopyError> {
    let paths: BTreeSet<&str> = patch.ops.iter().map(Op::path).collect();
    let files = paths.into_iter().filter_map(|path| Some((path.to_owned(), read(&copy.path(), path)?)));
    let Ok(plan) = plan(patch, &Snapshot::of_files(files)) else { return Ok(()) };
    copy.carry_out(&plan.changes)
}
