//! What the places of a patch show together of its indentation.
//!
//! A block with nothing but lines at the left edge does not show how its patch indents lines. Other blocks of the patch may: where they
//! are indented otherwise than the file, its new lines may be as well.

use super::counterpart::counterparts;
use super::spoken_depth::SpokenDepth;
use super::{Placement, SearchedLines, is_known};
use crate::block::HunkLine;
use crate::indent::{IndentMap, parted};

/// What a place shows of the depths of lines in a whole patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum DepthsShown {
    /// Nothing, or that they are those of the file.
    #[default]
    Usual,
    /// They are so many times those of the file.
    Scaled,
    /// They are lost: lines of one depth have several in the file.
    Lost,
}

impl DepthsShown {
    /// Returns what a map shows by which new lines are indented.
    pub(super) fn of(map: &IndentMap, depth: &SpokenDepth) -> Self {
        match depth {
            SpokenDepth::OfPatch if map.is_contradictory() => Self::Lost,
            SpokenDepth::OfPatch if map.is_scaled() => Self::Scaled,
            _ => Self::Usual,
        }
    }
}

/// How the indentations of a patch become those of a file, and whether those of other blocks say something of it. A block that
/// shows alone that it is indented as the file is says nothing of others, and they say nothing of it.
pub(crate) fn indent_together(searched: &SearchedLines<'_>, places: &mut [&mut Placement<'_>]) -> Result<(), usize> {
    if places.iter().all(|place| place.indent.is_shift()) {
        return Ok(());
    }
    let is_shown = |place: &Placement<'_>| shows_usual_depths(searched, place);
    let (mut unclear, mut pairs) = (Vec::new(), Vec::new());
    for (index, place) in places.iter().enumerate().filter(|(_, place)| !is_shown(place)) {
        let owned = |(from, to): (&str, &str)| (from.to_owned(), to.to_owned());
        pairs.extend(searched.indents(place).into_iter().flatten().map(owned));
        if place.indent.is_same() || !place.indent.is_shift() {
            unclear.push(index);
        }
    }
    let map = IndentMap::of(pairs.iter().map(|(from, to)| (from.as_str(), to.as_str())));
    for index in unclear {
        if !is_known(&places[index].block, &map) {
            return Err(index);
        }
        places[index].indent = map.clone();
    }
    Ok(())
}

/// Whether a place shows alone that its block is indented as the file is, by the characters that its new lines have.
fn shows_usual_depths(searched: &SearchedLines<'_>, place: &Placement<'_>) -> bool {
    let of_one_kind =
        |one: &str, other: &str| one.bytes().chain(other.bytes()).all(|byte| one.starts_with(byte as char));
    let added = || place.block.iter().filter(|line| !line.is_old()).map(|line| parted(&line.content).0);
    let shows =
        |(from, to): (&str, &str)| from == to && !from.is_empty() && added().all(|added| of_one_kind(from, added));
    place.indent.is_same() && searched.indents(place).into_iter().flatten().any(shows)
}

/// Whether it is doubtful how new lines of a place are indented, where other places of the patch show this of its depths: the block
/// does not show it, and lines come that take the place of no others.
pub(crate) fn is_depth_doubtful(searched: &SearchedLines<'_>, place: &Placement<'_>, shown: DepthsShown) -> bool {
    let counterparts = counterparts(&place.block);
    let mut added = place.block.iter().enumerate().filter(|(_, line)| !line.is_old() && !line.is_blank());
    let is_in_doubt = |(index, line): (usize, &HunkLine)| match shown {
        DepthsShown::Usual => false,
        DepthsShown::Scaled => !parted(&line.content).0.is_empty(),
        DepthsShown::Lost => !counterparts.contains_key(&index),
    };
    place.depths == DepthsShown::Usual
        && place.indent.is_same()
        && added.any(is_in_doubt)
        && !shows_usual_depths(searched, place)
}
