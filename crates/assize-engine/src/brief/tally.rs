//! The counts of a tree's names, brought up to date.
//!
//! Kept counts hold for exactly the files that they were made of: each that is new, changed, gone, or plays another
//! part now is taken out or put in. What the counts mean is for `assize-brief` to say.

use assize_brief::tally::{Counted, NameTally};
use assize_brief::unit::parts;

use super::cache::Kept;
use super::scene::Looked;
use super::tree_of;

/// Where more than one of so many files changed, counting anew is no slower.
const CHANGED_SHARE: usize = 4;

/// The counts of the names of a tree.
#[derive(Debug, Default)]
pub struct CountedNames {
    /// What each file's names count for, in the order of the files.
    pub counted: Vec<Counted>,
    /// The counts.
    pub tally: NameTally,
    /// Whether the kept counts are exactly these.
    pub is_kept: bool,
}

impl CountedNames {
    /// Counts the names of files, as far as they are not counted already. The files stand in the order of their paths.
    pub fn of(files: &[Looked<'_>], kept: &Kept<'_>) -> Self {
        let counted = counted_for(files);
        if let Some(names) = brought_up_to_date(files, &counted, kept) {
            return names;
        }
        let mut tally = NameTally::default();
        for (file, counted) in files.iter().zip(&counted) {
            if let Some(facts) = file.facts() {
                tally.add(&file.path, facts, *counted);
            }
        }
        Self { counted, tally, is_kept: false }
    }
}

fn counted_for(files: &[Looked<'_>]) -> Vec<Counted> {
    let tree = tree_of(files.iter().map(|file| (file.path.as_str(), file.said())));
    let parts = parts(&tree);
    let counted = |file: &Looked<'_>| {
        let id = tree.find(&file.path).filter(|_| file.facts().is_some());
        id.map_or(Counted::Not, |id| Counted::of(parts[id.index()]))
    };
    files.iter().map(counted).collect()
}

/// Takes the kept counts and changes them where files changed; `None` where that is not worth it or cannot be done.
fn brought_up_to_date(files: &[Looked<'_>], counted: &[Counted], kept: &Kept<'_>) -> Option<CountedNames> {
    let mut changed = Vec::new();
    let mut met = 0;
    for (file, counted) in files.iter().zip(counted) {
        let Some(found) = &file.found else { continue };
        let before = kept.get(&file.path);
        met += usize::from(before.is_some());
        if before.is_none_or(|(indexed, _)| (indexed.digest, indexed.counted) != (found.digest, *counted)) {
            changed.push((file, *counted));
        }
    }
    let is_there = |path: &str| {
        let place = files.binary_search_by(|file| file.path.as_str().cmp(path));
        place.is_ok_and(|place| files[place].found.is_some())
    };
    let gone: Vec<_> =
        if met == kept.len() { Vec::new() } else { kept.files().filter(|(path, _)| !is_there(path)).collect() };
    if (changed.len() + gone.len()) * CHANGED_SHARE > files.len() {
        return None;
    }
    let mut tally = kept.tally()?;
    let is_kept = changed.is_empty() && gone.is_empty();
    // A row that is damaged leaves nothing to go by.
    let before = changed.iter().filter_map(|(file, _)| Some((file.path.as_str(), kept.get(&file.path)?)));
    for (path, (indexed, row)) in before.chain(gone) {
        if let Some(facts) = &row.said()?.facts {
            tally.remove(path, facts, indexed.counted);
        }
    }
    for (file, counted) in changed {
        if let Some(facts) = file.facts() {
            tally.add(&file.path, facts, counted);
        }
    }
    Some(CountedNames { counted: counted.to_vec(), tally, is_kept })
}
