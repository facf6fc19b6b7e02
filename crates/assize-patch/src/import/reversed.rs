//! Whether a patch in another format was applied before.
//!
//! Each draft is reversed: the lines that it would insert have to stand in their place, letter by letter. A draft that
//! only removes lines answers neither yes nor no: a file that never had these lines looks the same. A new name alone
//! does not answer either, because it does not say what the file held. This module must not know what happens to a
//! patch that was applied before.
//!
//! Some patches fit a file again after they were applied: one that inserts a line by its number, or below the last
//! line. The file does not always show whether the patch is meant again or was only handed in twice.

use std::collections::BTreeSet;

use super::hunk::Hints;
use super::{AtEnd, DraftHunk, Drafts, FileDraft, HunkLine, HunkLineKind, hunk};
use crate::applied::are_within;
use crate::snapshot::{FileContent, PathState, Snapshot};

/// What the tree says of a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DraftState {
    /// It was done.
    Done,
    /// Nothing.
    Nothing,
    /// It was not done.
    Open,
}

/// What a file tells of hunks that would change it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AppliedEvidence {
    /// They have not been applied.
    No,
    /// They have been applied: applying them again would change lines that they inserted themselves.
    Certain,
    /// The lines that they insert stand there, but the hunks may be meant again.
    Doubtful,
}

/// Says whether hunks that fit a text were applied to it before. `overlooked` says whether the search for their places
/// had to overlook something.
pub(super) fn repeated(text: &[u8], hunks: &[DraftHunk], overlooked: bool) -> AppliedEvidence {
    let turned = turned(hunks);
    // A hunk that removes lines by their number does not say what they held.
    let is_told = hunks.iter().all(|hunk| hunk.deletes == 0);
    let is_made = || hunk::applied(text, &turned, &mut Hints(0)).is_ok_and(|made| leads_to(&made.bytes, hunks, text));
    if turned_round(text, hunks, &turned) != DraftState::Done || is_told && !is_made() {
        return AppliedEvidence::No;
    }
    let within = || Some(are_within(&hunk::stands(text, hunks)?, &hunk::stands(text, &turned)?));
    if hunks.iter().any(DraftHunk::is_bare) {
        AppliedEvidence::Doubtful
    } else if within().unwrap_or(false) {
        AppliedEvidence::Certain
    } else if overlooked {
        AppliedEvidence::Doubtful
    } else {
        AppliedEvidence::No
    }
}

/// Returns whether everything that a text asks for stands in a tree: nothing is open, and something is done.
pub(super) fn is_applied(drafts: &Drafts, tree: &Snapshot) -> bool {
    // What took the place of a file that went says nothing against that it went.
    let mut made = BTreeSet::new();
    let mut answers: Vec<DraftState> = Vec::with_capacity(drafts.drafts.len());
    for (_, draft) in drafts.drafts.iter().rev() {
        let is_replaced = matches!(draft, FileDraft::Remove { path, .. } if made.contains(path));
        answers.push(if is_replaced { DraftState::Nothing } else { said(draft, tree) });
        match draft {
            FileDraft::Add { path, .. } => drop(made.insert(path)),
            FileDraft::Change { to: Some(to), .. } => drop(made.insert(&to.path)),
            FileDraft::Remove { .. } | FileDraft::Change { to: None, .. } => {}
        }
    }
    answers.contains(&DraftState::Done) && !answers.contains(&DraftState::Open)
}

fn said(draft: &FileDraft, tree: &Snapshot) -> DraftState {
    let file = |path: &str| match tree.entry(path) {
        PathState::File(file) => Some(file),
        _ => None,
    };
    match draft {
        FileDraft::Add { path, bytes, executable, .. } => match file(path) {
            Some(file) if file.bytes == *bytes && is_mode(file, *executable) => DraftState::Done,
            _ => DraftState::Open,
        },
        FileDraft::Remove { path, .. } => {
            if file(path).is_some() {
                DraftState::Open
            } else {
                DraftState::Nothing
            }
        }
        FileDraft::Change { path, to, executable, hunks, binary } => {
            let target = to.as_ref().map_or(path.as_str(), |to| &to.path);
            let went = to.as_ref().is_none_or(|to| to.keep || file(path).is_none());
            match file(target) {
                Some(file) if went && is_mode(file, *executable) => {
                    if let Some(change) = binary {
                        return if change.revert(&file.bytes).is_some() { DraftState::Done } else { DraftState::Open };
                    }
                    let state = |hunks: &[DraftHunk]| turned_round(&file.bytes, hunks, &turned(hunks));
                    let others = || hunks.iter().map(DraftHunk::in_other_reading).collect::<Vec<_>>();
                    let said = match state(hunks) {
                        DraftState::Open if hunks.iter().any(|hunk| hunk.other.is_some()) => state(&others()),
                        said => said,
                    };
                    match said {
                        // A mode that is asked for stands there, or it does not.
                        DraftState::Nothing if executable.is_some() => DraftState::Done,
                        said => said,
                    }
                }
                _ => DraftState::Open,
            }
        }
    }
}

pub(super) fn is_mode(file: &FileContent, executable: Option<bool>) -> bool {
    executable.is_none_or(|executable| executable == file.executable)
}

/// Turns the hunks of a file round.
fn turned(hunks: &[DraftHunk]) -> Vec<DraftHunk> {
    let mut in_order: Vec<&DraftHunk> = hunks.iter().collect();
    // Those above move those below, in whatever order they stand.
    if hunks.iter().all(|hunk| hunk.start.is_some()) {
        in_order.sort_by_key(|hunk| (hunk.start, hunk.deletes));
    }
    let mut shift = 0_isize;
    in_order.into_iter().map(|hunk| turned_one(hunk, &mut shift)).collect()
}

/// Says whether hunks were put into a text.
fn turned_round(text: &[u8], hunks: &[DraftHunk], turned: &[DraftHunk]) -> DraftState {
    // Most often they were not, and this is known long before each is looked for in every way there is.
    if !hunk::stand_exactly(text, turned) {
        return DraftState::Open;
    }
    // Lines that stand where a number says may stand there by chance, unless another hunk tells.
    let is_by_number =
        |hunk: &DraftHunk| hunk.is_bare() && hunk.start.is_some() && !hunk.of_empty && !hunk.is_by_number;
    if !hunks.is_empty() && hunks.iter().all(is_by_number) {
        return DraftState::Open;
    }
    match hunk::applied(text, turned, &mut Hints(0)) {
        // A note says that something was overlooked: then it may be another place.
        Ok(made) if made.notes.is_empty() && (!hunks.iter().any(is_loose) || leads_to(&made.bytes, hunks, text)) => {
            if hunks.iter().any(puts_in) {
                DraftState::Done
            } else {
                DraftState::Nothing
            }
        }
        _ => DraftState::Open,
    }
}

/// Whether neither lines nor a number say where a hunk stands: lines like its own may stand elsewhere.
fn is_loose(hunk: &DraftHunk) -> bool {
    hunk.is_bare() && hunk.start.is_none()
}

/// Whether hunks make one text of another.
fn leads_to(before: &[u8], hunks: &[DraftHunk], after: &[u8]) -> bool {
    let as_printed = |hunk: &DraftHunk| DraftHunk { is_by_number: true, is_printed: true, ..hunk.clone() };
    let hunks: Vec<DraftHunk> = hunks.iter().map(as_printed).collect();
    hunk::applied(before, &hunks, &mut Hints(0)).is_ok_and(|made| made.bytes == after)
}

/// Whether a hunk leaves something behind: lines come, and not the same that go.
fn puts_in(hunk: &DraftHunk) -> bool {
    let side = |gone: HunkLineKind| hunk.lines.iter().filter(move |line| line.kind != gone);
    let comes = hunk.lines.iter().any(|line| line.kind == HunkLineKind::Added);
    let is_same = |(one, other): (&HunkLine, &HunkLine)| one.content == other.content && one.end == other.end;
    let (old, new) = (side(HunkLineKind::Added), side(HunkLineKind::Removed));
    comes && (hunk.deletes > 0 || old.clone().count() != new.clone().count() || !old.zip(new).all(is_same))
}

/// Turns a hunk round. `shift` is by how many lines those above it have moved it.
fn turned_one(hunk: &DraftHunk, shift: &mut isize) -> DraftHunk {
    let start = hunk.start.and_then(|start| start.checked_add_signed(*shift));
    let mut lines = hunk.lines.clone();
    for line in &mut lines {
        line.kind = match line.kind {
            HunkLineKind::Context => HunkLineKind::Context,
            HunkLineKind::Removed => {
                *shift = shift.saturating_sub(1);
                HunkLineKind::Added
            }
            HunkLineKind::Added => {
                *shift = shift.saturating_add(1);
                HunkLineKind::Removed
            }
        };
    }
    *shift = shift.saturating_sub_unsigned(hunk.deletes);
    // What was put into an empty file is all that stands there, and what nothing leads to was put at the end.
    let is_last = is_loose(hunk) && hunk.anchors.is_empty();
    let to_end = hunk.to_end || hunk.of_empty || is_last;
    // What the numbers and hashes of the text say of the file as it was, they do not say of what was made of it.
    let (deletes, of_empty, base, missing) = (0, false, None, None);
    let (is_by_number, is_printed) = (true, true);
    DraftHunk {
        is_by_number,
        is_printed,
        start,
        lines,
        deletes,
        at_end: AtEnd::AsBefore,
        to_end,
        of_empty,
        base,
        missing,
        ..hunk.clone()
    }
}

#[cfg(test)]
mod tests {
    use crate::import::recognized;
    use crate::plan;
    use crate::snapshot::{FileContent, PathState, Snapshot};

    const DIFF: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2.5\n three\n@@ -7,2 +8,2 @@\n seven\n-eight\n+8\n";
    const BEGIN: &str = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** End Patch\n";
    const BLOCK: &str = "a.txt\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n";
    const NEW: &str = "--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+new\n";
    const GONE: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,2 @@\n one\n-two\n three\n";
    const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

    fn tree(text: &str) -> Snapshot {
        Snapshot::of_files([("a.txt".to_owned(), FileContent::plain(text.as_bytes()))])
    }

    /// Applies a text, settles it once more against the tree that `change` makes, and returns the second result.
    fn again(text: &str, change: impl Fn(Snapshot) -> Snapshot) -> Result<bool, usize> {
        let drafts =
            recognized(text.as_bytes()).expect("one format").expect("a format").read(text.as_bytes()).expect("drafts");
        let mut tree = tree(TEXT);
        let first = drafts.settle(&tree).expect("it fits");
        assert!(!first.is_applied, "{text}");
        for change in plan(&first.patch, &tree).expect("it fits").changes {
            tree.put(change.path, change.after.map_or(PathState::Absent, PathState::File));
        }
        drafts.settle(&change(tree)).map(|settled| settled.is_applied).map_err(|faults| faults.len())
    }

    #[test]
    fn what_was_done_is_recognized_in_every_format() {
        for text in [DIFF, BEGIN, BLOCK, NEW] {
            assert_eq!(again(text, |tree| tree), Ok(true), "{text}");
        }
    }

    #[test]
    fn a_half_and_what_was_only_taken_away_are_not() {
        let half = |mut tree: Snapshot| {
            tree.put("a.txt", PathState::File(FileContent::plain(TEXT.replace("two", "2\n2.5").as_bytes())));
            tree
        };
        assert_eq!(again(DIFF, half), Err(1), "the second hunk is open, the first does not stand there any more");
        assert!(again(GONE, |tree| tree).is_err(), "it may never have been there");
        let other = |_| tree("one\n2\nthree, and something else\n");
        assert!(again(DIFF, other).is_err());
        assert!(
            again(NEW, |mut tree| {
                tree.put("b.txt", PathState::File(FileContent::plain(&b"newer\n"[..])));
                tree
            })
            .is_err()
        );
    }
}
