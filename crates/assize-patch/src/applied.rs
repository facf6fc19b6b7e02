//! Whether a patch has been applied already.
//!
//! A file shows this where an operation leaves something behind that was not there before. An
//! operation that only removes a text leaves nothing, so this module claims nothing about it. A splice names
//! lines by their number, so the file only shows that the inserted lines stand there. They may have stood
//! there before.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::line::{LineEnding, TextLines};
use super::locate::{Located, MatchTier, locate};
use super::snapshot::{FileContent, PathState, Snapshot};
use super::{NumberedOp, Op};

/// What the tree says of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AppliedState {
    /// Its result stands there.
    Applied,
    /// Its result may stand there, or the file may be another one.
    CannotTell,
    /// Its result stands there, and it could be carried out all the same.
    Doubtful,
    /// Its result does not stand there.
    Open,
}

/// Carries out the edits and splices of a file at a path; `None` where they do not fit it.
pub(super) type Rewrite = fn(&str, &FileContent, &[NumberedOp<'_>]) -> Option<FileContent>;

/// Says what the tree says of each operation.
pub(super) fn states(ops: &[NumberedOp<'_>], tree: &Snapshot, rewrite: Rewrite) -> Vec<AppliedState> {
    let mut by_path: BTreeMap<&str, Vec<NumberedOp<'_>>> = BTreeMap::new();
    for one in ops.iter().filter(|(_, op)| matches!(op, Op::Edit { .. } | Op::Splice { .. })) {
        by_path.entry(one.1.path()).or_default().push(*one);
    }
    let spliced: BTreeMap<&str, AppliedState> = by_path
        .into_iter()
        .filter_map(|(path, ops)| match tree.entry(path) {
            PathState::File(file) => Some((path, spliced(path, file, &ops, rewrite).unwrap_or(AppliedState::Open))),
            _ => None,
        })
        .collect();
    let state = |op: &Op| match op {
        Op::Splice { path, .. } => spliced.get(path.as_str()).copied().unwrap_or(AppliedState::Open),
        _ => state(op, ops, tree),
    };
    ops.iter().map(|(_, op)| state(op)).collect()
}

/// Returns whether a patch is applied as a whole. Where one operation leaves doubt, only another on the same file settles it:
/// what stands in one file says nothing of the others.
pub(super) fn whole(ops: &[NumberedOp<'_>], states: &[AppliedState]) -> bool {
    let of = |wanted: AppliedState| {
        let found = ops.iter().zip(states).filter(move |(_, state)| **state == wanted);
        found.map(|((_, op), _)| op.path()).collect::<BTreeSet<_>>()
    };
    let applied = of(AppliedState::Applied);
    !applied.is_empty() && !states.contains(&AppliedState::Open) && of(AppliedState::Doubtful).is_subset(&applied)
}

fn state(op: &Op, ops: &[NumberedOp<'_>], tree: &Snapshot) -> AppliedState {
    let entry = tree.entry(op.path());
    match (op, entry) {
        (Op::Add { executable, .. }, PathState::File(file)) => {
            let same = op.content().is_some_and(|bytes| bytes == file.bytes);
            let mode = executable.is_none_or(|executable| executable == file.executable);
            if same && mode { AppliedState::Applied } else { AppliedState::Open }
        }
        (Op::Remove { path }, _) => {
            let is_rewritten =
                ops.iter().any(|(_, other)| matches!(other, Op::Add { path: added, .. } if added == path));
            // A folder has taken the place of the file.
            if is_rewritten || matches!(entry, PathState::Absent | PathState::Folder) {
                AppliedState::CannotTell
            } else {
                AppliedState::Open
            }
        }
        (Op::Edit { find, replace, occurrences, .. }, PathState::File(file)) => {
            edited(&file.bytes, find, replace, occurrences.unwrap_or(1))
        }
        _ => AppliedState::Open,
    }
}

/// Returns the state of all splices of a file together. `None` if the lines that they insert do not stand where they
/// would, or if they insert nothing.
fn spliced(path: &str, file: &FileContent, ops: &[NumberedOp<'_>], rewrite: Rewrite) -> Option<AppliedState> {
    let lines = TextLines::of(&file.bytes);
    let mut splices = Vec::with_capacity(ops.len());
    for (_, op) in ops {
        // An edit moves lines by an unknown number.
        let Op::Splice { start, delete_count, insert, .. } = op else { return None };
        splices.push((*start as usize, *delete_count as usize, insert.as_deref().unwrap_or_default()));
    }
    splices.sort_by_key(|(start, deleted, _)| (*start, *deleted));
    let (mut come, mut gone) = (0, 0);
    for (start, deleted, insert) in splices {
        let put_in = TextLines::with_mark(insert.as_bytes());
        let at = (start + come).checked_sub(gone)?;
        // A text that has `\r\n` itself says how each of its lines ends.
        let says_endings = insert.contains("\r\n");
        let ends_alike = |line: usize, ending: LineEnding| !says_endings || lines.ending(at + line) == Some(ending);
        let stands = |line: usize| {
            at + line < lines.count()
                && lines.content(at + line) == put_in.content(line)
                && put_in.ending(line).is_none_or(|ending| ends_alike(line, ending))
        };
        if !(0..put_in.count()).all(stands) {
            return None;
        }
        come += put_in.count();
        gone += deleted;
    }
    // Lines that take the place of the same lines change nothing, however often they do so.
    let is_same = || rewrite(path, file, ops).as_ref() == Some(file);
    (come > 0).then(|| if is_same() { AppliedState::CannotTell } else { AppliedState::Doubtful })
}

fn edited(text: &[u8], find: &str, replace: &str, occurrences: u32) -> AppliedState {
    let lines = TextLines::of(text);
    let (old, new) = (located(&lines, find), located(&lines, replace));
    let old = old.or_else(|| locate(&lines, (find, replace), MatchTier::Near).filter(|_| !find.is_empty()));
    if [&old, &new].into_iter().flatten().any(|located| located.is_cut) {
        return AppliedState::Open;
    }
    let is_exact = |located: &Option<Located>| located.as_ref().is_some_and(|located| located.tier == MatchTier::Exact);
    let (old_is_exact, new_is_exact) = (is_exact(&old), is_exact(&new));
    let spans = |located: Option<Located>| {
        located.into_iter().flat_map(|located| located.matches).map(|one| one.span).collect::<Vec<_>>()
    };
    // Where the old text stands byte for byte, the new one has to as well: they may differ in white space alone.
    let (old, new) = (spans(old), spans(new.filter(|_| !old_is_exact || new_is_exact)));
    let is_there = new.len() == occurrences as usize;
    if !are_within(&old, &new) {
        if is_there && new_is_exact && !old_is_exact { AppliedState::Doubtful } else { AppliedState::Open }
    } else if replace.is_empty() {
        AppliedState::CannotTell
    } else if is_there {
        AppliedState::Applied
    } else {
        AppliedState::Open
    }
}

fn located(lines: &TextLines<'_>, wanted: &str) -> Option<Located> {
    if wanted.is_empty() { None } else { locate(lines, (wanted, wanted), MatchTier::Punctuation) }
}

/// Whether each of some places lies within one of others. In both lists one begins and ends behind the one before it.
pub(super) fn are_within(inner: &[Range<usize>], outer: &[Range<usize>]) -> bool {
    let mut outer = outer.iter().peekable();
    let mut last: Option<&Range<usize>> = None;
    inner.iter().all(|place| {
        while let Some(next) = outer.next_if(|next| next.start <= place.start) {
            last = Some(next);
        }
        last.is_some_and(|last| place.end <= last.end)
    })
}
