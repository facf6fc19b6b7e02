//! Updates the counts of a tree's names.
//!
//! Cached counts hold for exactly the files that they were made from. Each file that was added, changed, removed or
//! classified differently is subtracted or added. `assize-brief` defines what the counts mean.

use assize_brief::tally::{CountedFor, NameTally};
use assize_brief::unit::roles;

use super::cache::CachedSurvey;
use super::scan::ScannedFile;
use super::tree_of;

/// If more than one file in this many changed, counting all of them is no slower.
const CHANGED_SHARE: usize = 4;

/// The counts of the names of a tree.
#[derive(Debug, Default)]
pub struct CountedNames {
    /// How each file's names are counted, in the order of the files.
    pub counted: Vec<CountedFor>,
    /// The counts.
    pub tally: NameTally,
    /// Whether the cached counts are the same.
    pub is_cached: bool,
}

impl CountedNames {
    /// Counts the names of files, based on the cached counts where possible. The files must be sorted by path.
    pub fn of(files: &[ScannedFile<'_>], cached: &CachedSurvey<'_>) -> Self {
        let counted = counted_for(files);
        if let Some(names) = updated(files, &counted, cached) {
            return names;
        }
        let mut tally = NameTally::default();
        for (file, counted) in files.iter().zip(&counted) {
            if let Some(facts) = file.facts() {
                tally.add(&file.path, facts, *counted);
            }
        }
        Self { counted, tally, is_cached: false }
    }
}

fn counted_for(files: &[ScannedFile<'_>]) -> Vec<CountedFor> {
    let tree = tree_of(files.iter().map(|file| (file.path.as_str(), file.summary())));
    let roles = roles(&tree);
    let counted = |file: &ScannedFile<'_>| {
        let id = tree.find(&file.path).filter(|_| file.facts().is_some());
        id.map_or(CountedFor::Not, |id| CountedFor::of(roles[id.index()]))
    };
    files.iter().map(counted).collect()
}

/// Updates the cached counts for changed files. Returns `None` if that is not worthwhile or not possible.
fn updated(files: &[ScannedFile<'_>], counted: &[CountedFor], cached: &CachedSurvey<'_>) -> Option<CountedNames> {
    let mut changed = Vec::new();
    let mut met = 0;
    for (file, counted) in files.iter().zip(counted) {
        let Some(found) = &file.found else { continue };
        let before = cached.get(&file.path);
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
        if met == cached.len() { Vec::new() } else { cached.files().filter(|(path, _)| !is_there(path)).collect() };
    if (changed.len() + gone.len()) * CHANGED_SHARE > files.len() {
        return None;
    }
    let mut tally = cached.tally()?;
    let is_kept = changed.is_empty() && gone.is_empty();
    // Without an intact row the old counts of a file cannot be subtracted.
    let before = changed.iter().filter_map(|(file, _)| Some((file.path.as_str(), cached.get(&file.path)?)));
    for (path, (indexed, row)) in before.chain(gone) {
        if let Some(facts) = &row.summary()?.facts {
            tally.remove(path, facts, indexed.counted);
        }
    }
    for (file, counted) in changed {
        if let Some(facts) = file.facts() {
            tally.add(&file.path, facts, counted);
        }
    }
    Some(CountedNames { counted: counted.to_vec(), tally, is_cached: is_kept })
}
