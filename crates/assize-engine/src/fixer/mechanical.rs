//! What tools offer by themselves: fixes of compilers and linters that they call safe, and files as formatters want them.
//!
//! Only what is new is mended, and nothing that is protected. Formatters run in the sandbox, in a copy of their own; what
//! they change beside the files that they were called for is dropped.

use std::collections::BTreeSet;
use std::path::Path;

use assize_core::court::review::ReviewRecord;
use assize_core::fix::mechanical;
use assize_core::gate::GateState;
use assize_core::patch::{File, Op, Patch, PatchLimits, Protection, Snapshot, between, check_path, in_part, plan};
use assize_core::report::Diagnostic;

use crate::court::review::{GateTerms, ReviewError, sandbox_beside};
use crate::gate::{Bench, Planned, detect};
use crate::scratch::Scratch;
use crate::tree;
use crate::work_copy::{CopyError, WorkCopy};

/// Returns the patch that the tools offer for what a review objects to; an empty one where they offer nothing. `home` is
/// the project that `copy` is one of.
///
/// # Errors
///
/// Fails when a copy cannot be made, or the sandbox that was demanded cannot be had.
pub fn offered(
    record: &ReviewRecord,
    copy: &WorkCopy,
    home: &Path,
    terms: &GateTerms,
    protection: &Protection,
) -> Result<Patch, ReviewError> {
    let gates = || record.inputs.exec.gates.iter().filter(|gate| gate.state == GateState::Failed);
    let open = |fault: &&Diagnostic| fault.path.as_deref().is_some_and(|path| is_open(protection, path));
    let faults: Vec<Diagnostic> = gates().flat_map(|gate| &gate.new).filter(open).cloned().collect();
    // These are the tools' own words about faults that the gates name; the result is checked as any other is.
    let patch = mechanical::patch(&faults, &PatchLimits::NONE, &|path| read(&copy.path(), path));
    let mut scratch = copy.again()?;
    lay(&mut scratch, &patch)?;
    let mut touched: BTreeSet<&str> = patch.ops.iter().map(Op::path).collect();
    let build = Scratch::new("assize-build-").map_err(|error| CopyError::Io { path: std::env::temp_dir(), error })?;
    let mut bench = Bench::new(scratch, home, &terms.search_path, build.path().to_owned());
    let used = detect(&bench.project, &terms.declared, &terms.off);
    for gate in gates() {
        let files: BTreeSet<&str> = gate.new.iter().filter(open).filter_map(|fault| fault.path.as_deref()).collect();
        let files: Vec<&str> = files.into_iter().collect();
        let Some((tool, setup)) = used.iter().find(|(tool, setup)| tool.id() == gate.id && setup.folder == gate.folder)
        else {
            continue;
        };
        if files.is_empty() || tool.rewrite(setup, &bench.project, &files).is_none() {
            continue;
        }
        let sandbox = sandbox_beside(home, terms.sandbox)?;
        let concerned: BTreeSet<&str> = files.iter().copied().chain(touched.iter().copied()).collect();
        let before: Vec<(&str, Option<File>)> =
            concerned.into_iter().map(|path| (path, read(&bench.copy.path(), path))).collect();
        let is_done = bench.rewrite(Planned { gate: *tool, setup }, &files, &sandbox, &terms.run)?;
        for (path, before) in &before {
            if !is_done {
                put_back(&mut bench.copy, path, before.as_ref())?;
            } else if files.contains(path) {
                let lines =
                    gate.new.iter().filter(|fault| fault.path.as_deref() == Some(*path)).map(|fault| fault.line);
                hold_to(&mut bench.copy, path, before.as_ref(), lines.collect())?;
            }
        }
        touched.extend(files.into_iter().filter(|_| is_done));
    }
    let (before, after) = (copy.path(), bench.copy.path());
    // No formatter takes a file away: where none can be read, something went wrong.
    let made = touched.iter().filter_map(|path| Some((path, read(&after, path)?)));
    let ops = made.flat_map(|(path, after)| between(path, read(&before, path).as_ref(), Some(&after)));
    Ok(Patch { ops: ops.collect() })
}

/// Lines around a difference that a formatter shows with it.
const CONTEXT: usize = 3;

/// Takes back what a formatter did to a file elsewhere than at the lines that it objected to, where it named lines: what is
/// old stays as it is.
fn hold_to(copy: &mut WorkCopy, path: &str, before: Option<&File>, lines: Option<Vec<u32>>) -> Result<(), CopyError> {
    let after = read(&copy.path(), path);
    let (Some(lines), Some(before), Some(after)) = (lines, before, after) else { return Ok(()) };
    let mut reached = 0;
    let kept = in_part(&before.bytes, &after.bytes, |gone| {
        // A difference begins within its context, and goes on as long as its parts have that in common.
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

/// Undoes what a formatter did that did not come to its end.
fn put_back(copy: &mut WorkCopy, path: &str, before: Option<&File>) -> Result<(), CopyError> {
    match before {
        Some(before) => copy.write_file(path, &before.bytes, before.executable),
        None => Ok(()),
    }
}

/// Returns whether a patch may change a file that is there.
fn is_open(protection: &Protection, path: &str) -> bool {
    let change = Op::Splice { path: path.to_owned(), start: 0, delete_count: 0, insert: None };
    check_path(path).is_ok() && protection.check(&[(0, &change)]).is_empty()
}

/// Reads a file that tools may mend. What cannot be read is left alone.
fn read(root: &Path, path: &str) -> Option<File> {
    tree::file(root, path).ok().flatten()
}

/// Carries out a patch in a copy that nobody else looks at.
fn lay(copy: &mut WorkCopy, patch: &Patch) -> Result<(), CopyError> {
    let paths: BTreeSet<&str> = patch.ops.iter().map(Op::path).collect();
    let files = paths.into_iter().filter_map(|path| Some((path.to_owned(), read(&copy.path(), path)?)));
    let Ok(plan) = plan(patch, &Snapshot::of_files(files)) else { return Ok(()) };
    copy.carry_out(&plan.changes)
}
