//! Takes out of a change what others did, by what was observed between tool calls.

use std::collections::{BTreeMap, HashMap, HashSet};

use assize_core::diff::{Diff, FileChange, FileStatus};
use assize_stop::attribution::{Author, FileVersion, LineHistory};
use assize_stop::observation::{Observation, ObservedFile};
use assize_stop::session::Baseline;

use crate::git::Repository;
use crate::tree_journal::{JournalMark, TreeJournal};

/// Paths that are named of what others changed.
const NAMED_MAX: usize = 5;
/// The most places, each a path in a commit, where contents that git may have brought are looked for.
const PLACES_MAX: usize = 100_000;

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
    let (Some(observations), Some(journal)) = (baseline.observations, baseline.journal.clone()) else { return };
    let observations = match judged.journal.observations(&JournalMark { journal, observations }) {
        Ok(observations) => observations,
        Err(error) => {
            diff.limits.push(format!("{error}: every change counts as this session's"));
            return;
        }
    };
    let mut parting = Parting::new(judged, baseline, repository, &observations);
    parting.take_out_what_git_brought(&diff.files);
    let mut others: BTreeMap<Author, Vec<String>> = BTreeMap::new();
    let files = std::mem::take(&mut diff.files);
    diff.files = files
        .into_iter()
        .filter_map(|file| {
            let path = file.path.clone();
            let (own, authors) = parting.part(file);
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
        diff.limits.push(format!("{}, and {judged}: {named}{more}", author.as_words()));
    }
}

/// A change of a file between two looks.
struct FileStep<'a> {
    seq: u64,
    author: Author,
    seen: &'a ObservedFile,
    /// Whether git moved something in between.
    is_of_git: bool,
    /// How many of the foreign commits were there by then.
    foreign: usize,
    /// Lines that git brought.
    brought: HashSet<String>,
}

/// What a change is parted by.
struct Parting<'a> {
    judged: &'a JudgedSession,
    baseline: &'a Baseline,
    repository: &'a Repository,
    /// Commits that are not the session's: those of its beginning, then those that came from elsewhere.
    foreign: Vec<String>,
    /// The changes of each path since the session began, oldest first.
    steps: HashMap<&'a str, Vec<FileStep<'a>>>,
    /// What was noted of a path when the session began.
    noted: HashMap<&'a str, &'a ObservedFile>,
}

impl<'a> Parting<'a> {
    /// Sorts what was observed by its paths.
    fn new(
        judged: &'a JudgedSession,
        baseline: &'a Baseline,
        repository: &'a Repository,
        observations: &'a [Observation],
    ) -> Self {
        let own: Vec<String> = std::iter::once(&judged.session).chain(&baseline.continues).cloned().collect();
        let began = baseline.observations.unwrap_or_default();
        let foreign = baseline.commits.clone();
        let mut parting = Self { judged, baseline, repository, foreign, steps: HashMap::new(), noted: HashMap::new() };
        for observation in observations {
            if observation.seq <= began {
                parting.noted.extend(observation.files.iter().map(|seen| (seen.path.as_str(), seen)));
            } else if !observation.noted {
                parting.take_in(observation, &own);
            }
        }
        parting
    }

    fn take_in(&mut self, observation: &'a Observation, own: &[String]) {
        if let Some(moved) = &observation.git {
            self.foreign.extend(moved.fetched.iter().cloned());
            // An older state is checked out: nothing of it is new.
            let head = moved.head.as_ref().filter(|head| self.repository.is_reached(head, &self.foreign));
            self.foreign.extend(head.cloned());
        }
        for seen in &observation.files {
            let step = FileStep {
                seq: observation.seq,
                author: observation.author(&seen.path, own),
                seen,
                is_of_git: observation.git.is_some(),
                foreign: self.foreign.len(),
                brought: HashSet::new(),
            };
            self.steps.entry(&seen.path).or_default().push(step);
        }
    }

    /// Contents that a foreign commit has at the same path were brought by git. Where git moved something, so were the lines
    /// of such contents.
    fn take_out_what_git_brought(&mut self, files: &[FileChange]) {
        let paths: HashSet<&str> = files.iter().flat_map(paths_of).collect();
        let foreign = self.foreign.clone();
        let per_path = foreign.len().min(PLACES_MAX / paths.len().max(1));
        let is_wanted = |step: &FileStep<'_>| step.author.may_be_own() && step.seen.hash.is_some();
        let wanted = self.steps.iter().filter(|(path, steps)| paths.contains(**path) && steps.iter().any(is_wanted));
        // The commits that came last tell most.
        let places =
            wanted.flat_map(|(path, _)| foreign.iter().rev().take(per_path).map(|commit| (commit.as_str(), *path)));
        let places: Vec<(&str, &str)> = places.collect();
        let Ok(objects) = self.repository.objects_at(&places) else { return };
        let mut texts: HashMap<String, Option<String>> = HashMap::new();
        for (path, steps) in &mut self.steps {
            for step in steps.iter_mut().filter(|step| is_wanted(step)) {
                let there = foreign[..step.foreign].iter().filter_map(|commit| objects.get(&(commit.as_str(), *path)));
                let there: HashSet<&String> = there.collect();
                if step.seen.object.as_ref().is_some_and(|object| there.contains(object)) {
                    step.author = Author::Git;
                } else if step.is_of_git {
                    for object in there {
                        let text = texts.entry(object.clone()).or_insert_with(|| self.repository.text_of(object));
                        step.brought.extend(text.iter().flat_map(|text| text.lines()).map(str::to_owned));
                    }
                }
            }
        }
    }

    /// Returns the session's part of a file's change, and who else changed it.
    fn part(&self, file: FileChange) -> (Option<FileChange>, Vec<Author>) {
        let of_path = |path| self.steps.get(path).map_or(&[][..], Vec::as_slice);
        let mut steps: Vec<&FileStep<'_>> = paths_of(&file).flat_map(of_path).collect();
        steps.sort_by_key(|step| step.seq);
        let mut authors: Vec<Author> = steps.iter().map(|step| step.author).collect();
        authors.sort_unstable();
        authors.dedup();
        match authors[..] {
            // The journal does not look everywhere, such as in folders that are ignored.
            [] => return (Some(FileChange { old_known: false, ..file }), Vec::new()),
            [Author::Own] if self.is_own_alone(&file, &steps) => return (Some(file), Vec::new()),
            _ if !authors.iter().any(|author| author.may_be_own()) => return (None, authors),
            _ => {}
        }
        let Some(history) = self.history(&file, &steps) else {
            authors.retain(|author| *author != Author::Own);
            return (Some(FileChange { old_known: false, ..file }), authors);
        };
        (history.own_part(&file), history.others())
    }

    /// Returns whether nothing of a change, all steps of which are the session's, came from elsewhere: from git, or from before the
    /// session.
    fn is_own_alone(&self, file: &FileChange, steps: &[&FileStep<'_>]) -> bool {
        let was_dirty = |path: &str| self.baseline.dirty.iter().any(|(dirty, _)| dirty == path);
        steps.iter().all(|step| step.brought.is_empty()) && !paths_of(file).any(was_dirty)
    }

    /// Follows a file line by line; `None` where the contents of one of its versions are not known.
    fn history(&self, file: &FileChange, steps: &[&FileStep<'_>]) -> Option<LineHistory> {
        if file.binary || file.lines_cut > 0 {
            return None;
        }
        let began_as = file.old_path.as_deref().filter(|_| file.status == FileStatus::Renamed).unwrap_or(&file.path);
        let mut history = LineHistory::new(self.start(began_as)?.as_deref());
        for FileStep { author, seen, brought, .. } in steps {
            // Where a file moves, its old path is only left.
            if seen.path != file.path && seen.hash.is_none() {
                continue;
            }
            let text = match &seen.hash {
                None => None,
                Some(_) => Some(self.judged.journal.contents(seen)?),
            };
            history.follow(&FileVersion { author: *author, text, brought: brought.clone() });
        }
        Some(history)
    }

    /// The contents of a file when the session began; `Some(None)` if there was none.
    fn start(&self, path: &str) -> Option<Option<String>> {
        if self.baseline.dirty.iter().any(|(dirty, _)| dirty == path) {
            let noted = self.noted.get(path)?;
            return match noted.hash {
                None => Some(None),
                Some(_) => self.judged.journal.contents(noted).map(Some),
            };
        }
        match &self.baseline.commit {
            None => Some(None),
            Some(commit) => self.repository.contents(commit, path).ok(),
        }
    }
}

/// The paths of a file, before and after the change.
fn paths_of(file: &FileChange) -> impl Iterator<Item = &str> {
    file.old_path.as_deref().into_iter().chain([file.path.as_str()])
}
