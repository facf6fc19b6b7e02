//! Lines that take the place of lines like them.
//!
//! Where as many lines come as go, and each is like the one whose turn it is, a block says more than that lines go and
//! come: it says which becomes which. The new line then stands where the old one stood, and as deep.

use std::collections::BTreeMap;
use std::ops::Range;

use super::squeezed;
use crate::block::{HunkLine, HunkLineKind};
use crate::nearest::{likeness, pairs_of};

/// How alike two lines have to be, so that one becomes the other.
const LIKENESS_MIN: f64 = 0.5;

/// Returns the runs of lines of a block that go or come, each without a line that stays.
pub(super) fn change_groups(block: &[HunkLine]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (index, _) in block.iter().enumerate().filter(|(_, line)| line.kind != HunkLineKind::Context) {
        match groups.last_mut() {
            Some(group) if group.end == index => group.end += 1,
            _ => groups.push(index..index + 1),
        }
    }
    groups
}

/// Returns which line that goes becomes which line that comes, for each new line of which that is certain. Lines are named
/// by their place in the block.
pub(super) fn counterparts(block: &[HunkLine]) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    for group in change_groups(block) {
        let (count, is_even) = (group.len() / 2, group.len().is_multiple_of(2));
        let (old, new) = (group.start..group.start + count, group.start + count..group.end);
        let are = |lines: Range<usize>, kind| block[lines].iter().all(|line| line.kind == kind);
        if is_even
            && are(old.clone(), HunkLineKind::Removed)
            && are(new.clone(), HunkLineKind::Added)
            && old.clone().zip(new.clone()).all(|(old, new)| is_like(&block[old], &block[new]))
        {
            found.extend(new.zip(old));
        }
    }
    found
}

/// Whether the lines that come up to one, which is named by its place in the block, stand above all that follows those that go: the last
/// one becomes that.
pub(super) fn ends_alike(block: &[HunkLine], last: usize) -> bool {
    let group = change_groups(block).into_iter().find(|group| group.end == last + 1);
    let Some(group) = group else { return false };
    let count = block[group.clone()].iter().take_while(|line| line.kind == HunkLineKind::Removed).count();
    let is_sorted = block[group.start + count..group.end].iter().all(|line| line.kind == HunkLineKind::Added);
    let is_told = !block[last].is_blank();
    count > 0 && count < group.len() && is_sorted && is_told && is_like(&block[group.start + count - 1], &block[last])
}

/// Whether the lines that come where one goes, which is named by its place in the block, begin with what becomes of it, or with what
/// becomes of the line below it; also where no line comes.
pub(super) fn begins_alike(block: &[HunkLine], first: usize) -> bool {
    let group = change_groups(block).into_iter().find(|group| group.contains(&first));
    let Some(group) = group else { return false };
    let is = |kind| move |index: &usize| block[*index].kind == kind;
    let old = || (first..group.end).filter(is(HunkLineKind::Removed));
    let new = group.clone().find(is(HunkLineKind::Added));
    new.is_none_or(|new| new > first && old().any(|old| is_like(&block[old], &block[new])))
}

fn is_like(old: &HunkLine, new: &HunkLine) -> bool {
    match old.text().zip(new.text()) {
        Some((old, new)) if squeezed(old) == squeezed(new) => true,
        Some((old, new)) => {
            let (old, new) = (pairs_of(old), pairs_of(new));
            !old.is_empty() && likeness(&old, &new) >= LIKENESS_MIN
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::sample_block;

    #[test]
    fn lines_are_paired_where_as_many_alike_come_as_go() {
        let found = |lines: &[&str]| {
            let block = sample_block(lines);
            counterparts(&block).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(found(&[" a", "-version = 1", "+version = 2", " b", "-total = x", "+total = y"]), [(2, 1), (5, 4)]);
        assert_eq!(found(&["-version = 1", "-total = x", "+version = 2", "+total = y"]), [(2, 0), (3, 1)]);
        let none: [(usize, usize); 0] = [];
        // Not alike, in another order, another number, or with a line between that stays.
        assert_eq!(found(&["-version = 1", "+def first():"]), none);
        assert_eq!(found(&["-version = 1", "-total = x", "+total = y", "+version = 2"]), none);
        assert_eq!(found(&["+version = 2", "-version = 1"]), none);
        assert_eq!(found(&["-version = 1", "+version = 2", "+total = y"]), none);
        assert_eq!(found(&["-version = 1", " a", "+version = 2"]), none);
    }
}
