//! By what the lines that come are indented, where those that are looked for are not indented as the file is.
//!
//! A patch that indents all of its lines otherwise means new lines so as well. But some indent only what they look for
//! otherwise, and write new lines as the file has them. Lines on both sides tell.

use similar::DiffTag;

use super::counterpart::{change_groups, counterparts};
use crate::block::{HunkLine, HunkLineKind};
use crate::indent::{IndentMap, parted};
use crate::line::line_diff;

/// The answer.
pub(super) enum SpokenDepth {
    /// As those that are looked for.
    OfPatch,
    /// As the file is.
    OfFile,
    /// The lines give no clear answer.
    Unclear,
}

/// What lines on both sides say.
#[derive(Default)]
struct DepthVotes {
    /// Whether they are more than brackets.
    is_told: bool,
    for_patch: usize,
    for_file: usize,
    /// Whether those for the patch stand around all others: a line that is only moved into a block may happen to be as deep as in the
    /// file.
    encloses: bool,
}

impl DepthVotes {
    /// Counts what lines say that are the same, or become each other: they speak for the patch where they have the same depth in it,
    /// and for the file where the new one has the depth that the old one has there. Brackets speak where nothing else does.
    fn of(block: &[HunkLine], pairs: &[Option<(&str, &str)>], lines: &[(usize, usize)]) -> Self {
        let olds: Vec<usize> = (0..block.len()).filter(|index| block[*index].is_old()).collect();
        let vote = |(old, new): &(usize, usize)| {
            let (from, to) = pairs[olds.binary_search(old).ok()?]?;
            let indent = parted(&block[*new].content).0;
            match (from != to, indent == from, indent == to) {
                (true, true, _) => Some((*old, true)),
                (true, _, true) => Some((*old, false)),
                _ => None,
            }
        };
        let all: Vec<(usize, bool)> = lines.iter().filter_map(vote).collect();
        let tells = |old: usize| block[old].text().is_some_and(|text| text.contains(char::is_alphanumeric));
        let is_told = all.iter().any(|(old, _)| tells(*old));
        let votes: Vec<bool> =
            all.into_iter().filter(|(old, _)| !is_told || tells(*old)).map(|(_, vote)| vote).collect();
        let for_patch = votes.iter().filter(|vote| **vote).count();
        let encloses = votes.first() == Some(&true) && votes.last() == Some(&true);
        Self { is_told, for_patch, for_file: votes.len() - for_patch, encloses }
    }

    fn is_for_patch(&self) -> bool {
        self.for_patch > 0 && self.for_file == 0
    }

    fn is_for_file(&self) -> bool {
        self.for_file > 0 && self.for_patch == 0
    }
}

/// Says by what the lines that come are indented. `pairs` has the indentation of each old line in the patch, and in the file.
///
/// Lines are paired in two ways. Those that stay in the block are the same if patch and file are indented alike throughout, but lines of
/// other depths may look the same by chance. Those that are the same but for white space may be other lines with the same text.
pub(super) fn spoken_depth(block: &[HunkLine], pairs: &[Option<(&str, &str)>], map: &IndentMap) -> SpokenDepth {
    if map.is_same() {
        return SpokenDepth::OfPatch;
    }
    let by_block = DepthVotes::of(block, pairs, &lines_by_block(block));
    let by_text = DepthVotes::of(block, pairs, &lines_by_text(block));
    let by_block = if by_text.is_told && !by_block.is_told { DepthVotes::default() } else { by_block };
    let is_most = by_text.for_patch > by_text.for_file || by_text.for_patch + by_text.for_file == 0;
    let for_patch =
        (by_block.for_file == 0 || by_block.encloses) && is_most && (by_block.for_patch > 0 || by_text.is_for_patch());
    let for_file =
        by_text.is_for_file() && !by_block.is_for_patch() || by_block.is_for_file() && by_text.for_patch == 0;
    let is_told = [by_block, by_text].iter().any(|votes| votes.for_patch + votes.for_file > 0);
    let added: Vec<&HunkLine> =
        block.iter().filter(|line| line.kind == HunkLineKind::Added && !line.is_blank()).collect();
    let depth = |line: &&HunkLine| parted(&line.content).0.len();
    let least = added.iter().map(depth).min().unwrap_or(0);
    let told = || pairs.iter().flatten();
    let from = told().map(|pair| pair.0.len()).min().unwrap_or(0);
    let to = told().map(|pair| pair.1.len()).min().unwrap_or(0);
    let is_seen = |line: &&HunkLine| told().any(|(from, _)| *from == parted(&line.content).0);
    let is_deep = !added.is_empty()
        && least == to
        && to != from
        && !added.iter().filter(|line| depth(line) == least).all(is_seen);
    match (for_patch, for_file) {
        (true, false) if !is_deep => SpokenDepth::OfPatch,
        (false, true) if least >= to || added.is_empty() => SpokenDepth::OfFile,
        (false, false) if !is_told && is_deep => SpokenDepth::OfFile,
        (false, false) if !is_told => SpokenDepth::OfPatch,
        _ => SpokenDepth::Unclear,
    }
}

/// Returns the old and the new lines of a block that are the same, or become each other, by their place in it: lines that stay, and
/// within each change those that differ in white space alone, or are like each other.
fn lines_by_block(block: &[HunkLine]) -> Vec<(usize, usize)> {
    let stay = (0..block.len()).filter(|index| block[*index].kind == HunkLineKind::Context);
    let mut found: Vec<(usize, usize)> = stay.map(|index| (index, index)).collect();
    found.extend(counterparts(block).into_iter().map(|(new, old)| (old, new)));
    for group in change_groups(block) {
        let of = |kind| group.clone().filter(|index| block[*index].kind == kind).collect::<Vec<_>>();
        found.extend(same_but_for_space(block, &of(HunkLineKind::Removed), &of(HunkLineKind::Added)));
    }
    found.sort_unstable_by_key(|(old, new)| (*new, *old));
    found.dedup();
    found
}

/// Returns the old and the new lines of a block that are the same but for white space, by their place in it.
fn lines_by_text(block: &[HunkLine]) -> Vec<(usize, usize)> {
    let without = |gone| (0..block.len()).filter(|index| block[*index].kind != gone).collect::<Vec<_>>();
    same_but_for_space(block, &without(HunkLineKind::Added), &without(HunkLineKind::Removed))
}

fn same_but_for_space(block: &[HunkLine], old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
    let text = |lines: &[usize]| lines.iter().map(|line| block[*line].content.trim_ascii()).collect::<Vec<_>>();
    let steps = line_diff(&text(old), &text(new));
    let same = steps.iter().filter(|step| step.tag() == DiffTag::Equal);
    let pairs = same.flat_map(|step| step.old_range().zip(step.new_range()));
    pairs.map(|(one, other)| (old[one], new[other])).collect()
}
