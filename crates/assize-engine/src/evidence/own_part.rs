//! Takes out of a change what others did, by what was observed between tool calls.

use std::collections::{BTreeMap, HashSet};

use assize_core::diff::{Diff, FileChange, FileStatus};
use assize_stop::attribution::{Author, FileVersion, LineHistory};
use assize_stop::observation::{Observation, ObservedFile};
use assize_stop::session::Baseline;

use crate::git::Repository;
use crate::tree_journal::TreeJournal;

/// Paths that are named of what others changed.
const NAMED_MAX: usize = 5;

/// Whose part of a change is wanted.
#[derive(Debug, Clone)]
pub struct JudgedSession {
    /// The journal of its work tree.
    pub journal: TreeJournal,
    /// Its name.
    pub session: String,
}

/// Leaves the session's own part in a change. Says in the limits what others did. Without observations from the
/// session's beginning on, everything stays.
pub(super) fn leave_own_part(diff: &mut Diff, judged: &JudgedSession, baseline: &Baseline, repository: &Repository) {
    let Some(seen) = baseline.observations else { return };
    let observations = match judged.journal.observations(seen) {
        Ok(observations) => observations,
        Err(error) => {
            diff.limits.push(format!("{error}: every change counts as this session's"));
            return;
        }
    };
    let parted = Parting { judged, baseline, repository, seen, observations: &observations };
    let mut others: BTreeMap<Author, Vec<String>> = BTreeMap::new();
    let files = std::mem::take(&mut diff.files);
    diff.files = files
        .into_iter()
        .filter_map(|file| {
            let path = file.path.clone();
            let (own, authors) = parted.part(file);
            for author in authors {
                others.entry(author).or_default().push(path.clone());
            }
            own
        })
        .collect();
    for (author, paths) in others {
        let more = paths.len().saturating_sub(NAMED_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let named = paths[..paths.len().min(NAMED_MAX)].join(", ");
        let judged = if author.may_be_own() { "not certain" } else { "not judged" };
        diff.limits.push(format!("changed {}, and {judged}: {named}{more}", author.as_words()));
    }
}

/// A change of a file between two looks.
struct FileStep<'a> {
    author: Author,
    observation: &'a Observation,
    seen: &'a ObservedFile,
}

/// What a change is parted by.
struct Parting<'a> {
    judged: &'a JudgedSession,
    baseline: &'a Baseline,
    repository: &'a Repository,
    seen: u64,
    observations: &'a [Observation],
}

impl Parting<'_> {
    /// Returns the session's part of a file's change, and who else changed it.
    fn part(&self, file: FileChange) -> (Option<FileChange>, Vec<Author>) {
        let paths: HashSet<&str> = [Some(file.path.as_str()), file.old_path.as_deref()].into_iter().flatten().collect();
        let since = self.observations.iter().filter(|observation| observation.seq > self.seen && !observation.noted);
        let steps: Vec<FileStep<'_>> = since
            .flat_map(|observation| observation.files.iter().map(move |seen| (observation, seen)))
            .filter(|(_, seen)| paths.contains(seen.path.as_str()))
            .map(|(observation, seen)| FileStep { author: self.author(observation, seen), observation, seen })
            .collect();
        let mut authors: Vec<Author> = steps.iter().map(|step| step.author).collect();
        authors.sort_unstable();
        authors.dedup();
        match authors[..] {
            // The journal does not look everywhere, such as in folders that are ignored.
            [] => return (Some(FileChange { old_known: false, ..file }), Vec::new()),
            [Author::Own] if steps.iter().all(|step| step.observation.merged.is_none()) => {
                return (Some(file), Vec::new());
            }
            _ if !authors.iter().any(|author| author.may_be_own()) => return (None, authors),
            _ => {}
        }
        let Some(history) = self.history(&file, &steps) else {
            authors.retain(|author| *author != Author::Own);
            return (Some(FileChange { old_known: false, ..file }), authors);
        };
        (history.own_part(&file), history.others())
    }

    fn author(&self, observation: &Observation, file: &ObservedFile) -> Author {
        observation.author(file, &self.judged.session, self.baseline.at_ms.unwrap_or(i64::MIN))
    }

    /// Follows a file line by line; `None` where the contents of one of its versions are not known.
    fn history(&self, file: &FileChange, steps: &[FileStep<'_>]) -> Option<LineHistory> {
        if file.binary || file.lines_cut > 0 {
            return None;
        }
        let began_as = file.old_path.as_deref().filter(|_| file.status == FileStatus::Renamed).unwrap_or(&file.path);
        let mut history = LineHistory::new(self.start(began_as)?.as_deref());
        for FileStep { author, observation, seen } in steps {
            // Where a file moves, its old path is only left.
            if seen.path != file.path && seen.hash.is_none() {
                continue;
            }
            let text = match &seen.hash {
                None => None,
                Some(_) => Some(self.judged.journal.contents(seen)?),
            };
            let brought = observation.merged.as_deref().and_then(|commit| self.lines_before(commit, &file.path));
            let brought = brought.unwrap_or_default();
            history.follow(&FileVersion { brought, ..FileVersion::new(*author, text.as_deref()) });
        }
        Some(history)
    }

    /// The lines of a file in a commit that git has had since before the session.
    fn lines_before(&self, commit: &str, path: &str) -> Option<HashSet<String>> {
        let object = self.repository.object_at(commit, path)?;
        let since = *self.repository.objects_since(&[&object]).ok()?.get(&object)?;
        let is_older = since.is_none_or(|since| self.baseline.at_ms.is_none_or(|began| since < began));
        let text = self.repository.contents(commit, path).ok().flatten().filter(|_| is_older)?;
        Some(text.lines().map(str::to_owned).collect())
    }

    /// The contents of a file when the session began; `Some(None)` if there was none.
    fn start(&self, path: &str) -> Option<Option<String>> {
        if self.baseline.dirty.iter().any(|(dirty, _)| dirty == path) {
            let before = self.observations.iter().rev().filter(|observation| observation.seq <= self.seen);
            let kept = before.flat_map(|observation| &observation.files).find(|seen| seen.path == path)?;
            return match kept.hash {
                None => Some(None),
                Some(_) => self.judged.journal.contents(kept).map(Some),
            };
        }
        match &self.baseline.commit {
            None => Some(None),
            Some(commit) => self.repository.contents(commit, path).ok(),
        }
    }
}
