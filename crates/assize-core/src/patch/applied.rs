//! Whether a patch has been applied already.
//!
//! A file tells it where an operation leaves something behind that was not there before. Where it
//! does not (a text that was only taken away is simply not there), nothing is claimed.

use super::line::Lines;
use super::locate::{Located, Tier, locate};
use super::snapshot::{Entry, Snapshot};
use super::{Op, Patch};

/// What the tree says of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Its result stands there.
    Applied,
    /// Its result may stand there, or the file may be another one.
    CannotTell,
    /// Its result stands there, and something like what it looks for as well.
    Doubtful,
    /// Its result does not stand there.
    Open,
}

/// Says what the tree says of each operation.
pub(super) fn states(patch: &Patch, tree: &Snapshot) -> Vec<State> {
    patch.ops.iter().map(|op| state(op, patch, tree)).collect()
}

/// Returns whether a patch is applied as a whole.
pub(super) fn whole(states: &[State]) -> bool {
    states.contains(&State::Applied) && !states.contains(&State::Open)
}

fn state(op: &Op, patch: &Patch, tree: &Snapshot) -> State {
    let entry = tree.entry(op.path());
    match (op, entry) {
        (Op::Add { executable, .. }, Entry::File(file)) => {
            let same = op.content().is_some_and(|bytes| bytes == file.bytes);
            let mode = executable.is_none_or(|executable| executable == file.executable);
            if same && mode { State::Applied } else { State::Open }
        }
        (Op::Remove { path }, _) => {
            let is_rewritten =
                patch.ops.iter().any(|other| matches!(other, Op::Add { path: added, .. } if added == path));
            // A folder has taken the place of the file.
            if is_rewritten || matches!(entry, Entry::Absent | Entry::Folder) { State::CannotTell } else { State::Open }
        }
        (Op::Edit { find, replace, occurrences, .. }, Entry::File(file)) => {
            edited(&file.bytes, find, replace, occurrences.unwrap_or(1))
        }
        // Lines by number look the same before and after.
        _ => State::Open,
    }
}

fn edited(text: &[u8], find: &str, replace: &str, occurrences: u32) -> State {
    let lines = Lines::of(text);
    let located = |wanted: &str| (!wanted.is_empty()).then(|| locate(text, &lines, wanted, "")).flatten();
    let (old, new) = (located(find), located(replace));
    let is_exact = |located: &Option<Located>| located.as_ref().is_some_and(|located| located.tier == Tier::Exact);
    let (old_is_exact, new_is_exact) = (is_exact(&old), is_exact(&new));
    let spans = |located: Option<Located>| located.map(|located| located.matches).unwrap_or_default();
    // Where the old text stands byte for byte, the new one has to as well: they may differ in white space alone.
    let (old, new) = (spans(old), spans(new.filter(|_| !old_is_exact || new_is_exact)));
    let within = |inner: &std::ops::Range<usize>| {
        new.iter().any(|outer| outer.span.start <= inner.start && inner.end <= outer.span.end)
    };
    let is_there = new.len() == occurrences as usize;
    if !old.iter().all(|place| within(&place.span)) {
        if is_there && new_is_exact && !old_is_exact { State::Doubtful } else { State::Open }
    } else if replace.is_empty() {
        State::CannotTell
    } else if is_there {
        State::Applied
    } else {
        State::Open
    }
}
