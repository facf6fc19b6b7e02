//! What tools offer by themselves: fixes of compilers and linters that they call safe, and files as formatters want them.
//!
//! Only what is new is mended, and nothing that is protected. Formatters run in the sandbox, in a copy of their own; what
//! they change beside the files that they were called for is dropped.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use assize_core::court::review::ReviewRecord;
use assize_core::fix::mechanical;
use assize_core::gate::GateState;
use assize_core::patch::{File, Op, Patch, PatchLimits, Protection, Snapshot, plan};
use assize_core::report::Diagnostic;

use super::command::difference;
use crate::court::review::{GateTerms, ReviewError, sandbox_beside};
use crate::gate::{Bench, Planned, detect};
use crate::patch::FILE_BYTES_MAX;
use crate::regular_file;
use crate::work_copy::{CopyError, WorkCopy};

/// Returns the patch that the tools offer for what a review objects to; an empty one where they offer nothing. `home` is
/// the project that `tree` is a copy of.
///
/// # Errors
///
/// Fails when a copy cannot be made, or the sandbox that was demanded cannot be had.
pub fn offered(
    record: &ReviewRecord,
    tree: &WorkCopy,
    home: &Path,
    terms: &GateTerms,
    protection: &Protection,
) -> Result<Patch, ReviewError> {
    let gates = || record.inputs.exec.gates.iter().filter(|gate| gate.state == GateState::Failed);
    let open = |fault: &&Diagnostic| fault.path.as_deref().is_some_and(|path| is_open(protection, path));
    let faults: Vec<Diagnostic> = gates().flat_map(|gate| &gate.new).filter(open).cloned().collect();
    // These are the tools' own words about faults that the gates name; the result is checked as any other is.
    let (patch, _) = mechanical::patch(&faults, &PatchLimits::NONE, &|path| read(&tree.path(), path));
    let mut scratch = tree.again()?;
    lay(&mut scratch, &patch)?;
    let mut touched: BTreeSet<&str> = patch.ops.iter().map(Op::path).collect();
    let build = tempfile::tempdir().map_err(|error| CopyError::Io { path: std::env::temp_dir(), error })?;
    let bench = Bench::new(scratch, home, &terms.search_path, build.path().to_owned());
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
        if bench.rewrite(Planned { gate: *tool, setup }, &files, &sandbox, &terms.run)? {
            touched.extend(files);
        }
    }
    let state = |root: &Path| -> BTreeMap<String, File> {
        touched.iter().filter_map(|path| Some(((*path).to_owned(), read(root, path)?))).collect()
    };
    Ok(difference(&state(&tree.path()), &state(&bench.copy.path())))
}

/// Returns whether a patch may change a file that is there.
fn is_open(protection: &Protection, path: &str) -> bool {
    let change = Op::Splice { path: path.to_owned(), start: 0, delete_count: 0, insert: None };
    protection.check(&Patch { ops: vec![change] }).is_empty()
}

fn read(root: &Path, path: &str) -> Option<File> {
    let full = root.join(path);
    let bytes = regular_file::read(&full, FILE_BYTES_MAX).ok().filter(|bytes| bytes.len() as u64 <= FILE_BYTES_MAX)?;
    let executable = std::fs::symlink_metadata(&full).ok()?.permissions().mode() & 0o100 != 0;
    Some(File { bytes, executable })
}

/// Carries out a patch in a copy that nobody else looks at.
fn lay(copy: &mut WorkCopy, patch: &Patch) -> Result<(), CopyError> {
    let paths: BTreeSet<&str> = patch.ops.iter().map(Op::path).collect();
    let files = paths.into_iter().filter_map(|path| Some((path.to_owned(), read(&copy.path(), path)?)));
    let Ok(plan) = plan(patch, &Snapshot::of_files(files)) else { return Ok(()) };
    for change in plan.changes {
        match change.after {
            Some(file) => copy.write_file(&change.path, &file.bytes, file.executable)?,
            None => copy.remove(&change.path)?,
        }
    }
    Ok(())
}
