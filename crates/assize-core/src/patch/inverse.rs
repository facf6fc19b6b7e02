//! The patch that takes another one back.
//!
//! It is written from the bytes before and after, not from the operations, and tried out before it is
//! handed over: what it makes of the changed tree is the tree as it was, byte for byte.

use std::ops::Range;

use base64::Engine as _;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::line::Lines;
use super::plan::{Change, Plan, plan};
use super::snapshot::{Entry, File, Snapshot};
use super::{Encoding, Op, Patch};

/// Returns the patch that leads from one file to another: a few lines where that is enough, else the whole file.
pub fn between(path: &str, before: Option<&File>, after: Option<&File>) -> Vec<Op> {
    match (before, after) {
        (None, None) => Vec::new(),
        (Some(_), None) => vec![Op::Remove { path: path.to_owned() }],
        (None, Some(after)) => vec![added(path, after)],
        (Some(before), Some(after)) if before == after => Vec::new(),
        (Some(before), Some(after)) => by_lines(path, before, after)
            .unwrap_or_else(|| vec![Op::Remove { path: path.to_owned() }, added(path, after)]),
    }
}

/// Returns the patch that leads from the tree that a plan makes back to the one that it was made for.
pub fn inverse(made: &Plan, tree: &Snapshot) -> Patch {
    let before = |change: &Change| match tree.entry(&change.path) {
        Entry::File(file) => Some(file.clone()),
        _ => None,
    };
    let ops =
        made.changes.iter().flat_map(|change| between(&change.path, change.after.as_ref(), before(change).as_ref()));
    Patch { ops: ops.collect() }
}

fn added(path: &str, file: &File) -> Op {
    let (content, encoding) = match std::str::from_utf8(&file.bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (base64::engine::general_purpose::STANDARD.encode(&file.bytes), Some(Encoding::Base64)),
    };
    // What takes the place of another file would be what that was.
    Op::Add { path: path.to_owned(), content, encoding, executable: Some(file.executable) }
}

/// Returns splices, if these can say it exactly.
fn by_lines(path: &str, before: &File, after: &File) -> Option<Vec<Op>> {
    if before.executable != after.executable {
        return None;
    }
    let (old, new) = (Lines::of(&before.bytes), Lines::of(&after.bytes));
    let whole = |lines: &Lines<'_>| (0..lines.count()).map(|line| lines.whole(line).to_vec()).collect::<Vec<_>>();
    let (old_lines, new_lines) = (whole(&old), whole(&new));
    let mut ops = Vec::new();
    for step in capture_diff_slices(Algorithm::Myers, &old_lines, &new_lines) {
        let (gone, put): (Range<usize>, Range<usize>) = match step {
            DiffOp::Equal { .. } => continue,
            DiffOp::Delete { old_index, old_len, new_index } => (old_index..old_index + old_len, new_index..new_index),
            DiffOp::Insert { old_index, new_index, new_len } => (old_index..old_index, new_index..new_index + new_len),
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                (old_index..old_index + old_len, new_index..new_index + new_len)
            }
        };
        let insert = std::str::from_utf8(&after.bytes[new.span(put)]).ok()?;
        ops.push(Op::Splice {
            path: path.to_owned(),
            start: u32::try_from(gone.start).ok()?,
            delete_count: u32::try_from(gone.len()).ok()?,
            insert: (!insert.is_empty()).then(|| insert.to_owned()),
        });
    }
    let tree = Snapshot::of_files([(path.to_owned(), before.clone())]);
    let made = plan(&Patch { ops: ops.clone() }, &tree).ok()?;
    let is_exact = matches!(made.changes.as_slice(), [change] if change.after.as_ref() == Some(after));
    is_exact.then_some(ops)
}
