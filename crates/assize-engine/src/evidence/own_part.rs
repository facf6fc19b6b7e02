//! Takes out of a change what others did, by what was observed between tool calls.

use std::collections::{BTreeMap, HashMap, HashSet};

use assize_core::diff::{Diff, FileChange, FileStatus};
use assize_stop::attribution::{Author, FileVersion, LineHistory, NOT_CERTAIN, NOT_JUDGED};
use assize_stop::observation::{Observation, ObservedFile};
use assize_stop::session::Baseline;

use crate::git::Repository;
use crate::tree_journal::{JournalMark, TreeJournal};

/// Paths that are named of what others changed.
const NAMED_MAX: usize = 5;
/// Paths that are named of what is not certain.
const UNCERTAIN_NAMED_MAX: usize = 100;
/// The most paths that were left at once among which one is looked for whose lines are alike.
const ALIKE_MAX: usize = 50;
/// The most paths that a file is followed through.
const MOVES_MAX: usize = 16;
/// The most files whose earlier paths are looked for.
const FOLLOWED_MAX: usize = 20;
/// The most contents of a file, the last ones first, that a step of git is compared with.
const BROUGHT_MAX: usize = 32;
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
    parting.give_back_what_was_stashed();
    let mut others: BTreeMap<Author, Vec<String>> = BTreeMap::new();
    let mut lost = Vec::new();
    let files = std::mem::take(&mut diff.files);
    diff.files = files
        .into_iter()
        .filter_map(|file| {
            let path = file.path.clone();
            let part = parting.part(file);
            for author in part.others {
                others.entry(author).or_default().push(path.clone());
            }
            if part.is_lost {
                lost.push(path);
            }
            part.own
        })
        .collect();
    for (author, paths) in others {
        diff.limits.push(if author.may_be_own() {
            format!("{}{NOT_CERTAIN}{}", author.as_words(), named(&paths, UNCERTAIN_NAMED_MAX))
        } else {
            format!("{}{NOT_JUDGED}{}", author.as_words(), named(&paths, NAMED_MAX))
        });
    }
    if !lost.is_empty() {
        let paths = named(&lost, UNCERTAIN_NAMED_MAX);
        diff.limits.push(format!("changed by others as well while its contents are not on record{NOT_CERTAIN}{paths}"));
    }
}

fn named(paths: &[String], most: usize) -> String {
    let more = paths.len().saturating_sub(most);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", paths[..paths.len().min(most)].join(", "))
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
    /// Contents that git brought.
    brought: Vec<String>,
}

/// What of a file's change is whose.
struct FilePart {
    /// The session's part; `None` if it has none.
    own: Option<FileChange>,
    /// Who else changed it.
    others: Vec<Author>,
    /// Whether it cannot be told line by line any more.
    is_lost: bool,
}

/// The changes of a file while it was at one path.
struct Passage<'a> {
    path: &'a str,
    /// Who brought it there from another path; `None` where it began there, or where git takes both paths for one file.
    moved_by: Option<Author>,
    steps: Vec<&'a FileStep<'a>>,
}

/// The changes of a file over all paths that it had, oldest first.
struct Lineage<'a> {
    began_as: &'a str,
    passages: Vec<Passage<'a>>,
}

impl<'a> Lineage<'a> {
    fn steps(&self) -> impl Iterator<Item = &'a FileStep<'a>> {
        self.passages.iter().flat_map(|passage| &passage.steps).copied()
    }
}

/// What a change is parted by.
struct Parting<'a> {
    judged: &'a JudgedSession,
    baseline: &'a Baseline,
    repository: &'a Repository,
    /// Commits that are not the session's: those of its beginning, then those that came from elsewhere.
    foreign: Vec<String>,
    /// Commits of stashes that the session made, each with the observation of that.
    stashed: Vec<(String, u64)>,
    /// The changes of each path since the session began, oldest first.
    steps: HashMap<&'a str, Vec<FileStep<'a>>>,
    /// The paths that had the contents of a hash at some time.
    holders: HashMap<&'a str, Vec<&'a str>>,
    /// The paths that were left with each observation.
    left: HashMap<u64, Vec<&'a str>>,
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
        let (steps, holders, noted, left) = (HashMap::new(), HashMap::new(), HashMap::new(), HashMap::new());
        let mut parting =
            Self { judged, baseline, repository, foreign, stashed: Vec::new(), steps, holders, left, noted };
        for observation in observations {
            if observation.seq <= began {
                parting.noted.extend(observation.files.iter().map(|seen| (seen.path.as_str(), seen)));
            } else if observation.noted {
                // The session began before its beginning was heard.
                for seen in &observation.files {
                    parting.noted.entry(&seen.path).or_insert(seen);
                }
            } else {
                parting.take_in(observation, &own);
            }
        }
        for observation in observations {
            let Some(unheard) = &observation.unheard else { continue };
            let may_have_been_open = |step: &&mut FileStep<'_>| unheard.since < step.seq && step.seq <= observation.seq;
            for step in parting.steps.values_mut().flatten().filter(may_have_been_open) {
                step.author = unheard.author(step.author, &own);
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
            let is_known = |stashed: &String| {
                self.foreign.contains(stashed) || self.stashed.iter().any(|(known, _)| known == stashed)
            };
            let stashed: Vec<String> = moved.stashed.iter().filter(|stashed| !is_known(stashed)).cloned().collect();
            if observation.open.iter().any(|open| own.contains(&open.session)) {
                self.stashed.extend(stashed.into_iter().map(|commit| (commit, observation.seq)));
            } else {
                self.foreign.extend(stashed);
            }
        }
        for seen in &observation.files {
            match &seen.hash {
                Some(hash) => self.holders.entry(hash).or_default().push(&seen.path),
                None => self.left.entry(observation.seq).or_default().push(&seen.path),
            }
            let step = FileStep {
                seq: observation.seq,
                author: observation.author(&seen.path, own),
                seen,
                is_of_git: observation.git.is_some(),
                foreign: self.foreign.len(),
                brought: Vec::new(),
            };
            self.steps.entry(&seen.path).or_default().push(step);
        }
    }

    /// The paths that a file has, and had since the session began.
    fn paths_had(&self, file: &FileChange) -> Vec<String> {
        let lineage = self.lineage(file);
        let had = lineage.passages.iter().map(|passage| passage.path).chain([lineage.began_as]);
        paths_of(file).chain(had).map(str::to_owned).collect()
    }

    /// The other paths that files had before, where git moved something while the session's calls were open: git follows a file that
    /// was moved.
    fn earlier_paths(&self, files: &[FileChange]) -> HashMap<String, Vec<String>> {
        let is_wanted = |step: &FileStep<'_>| step.is_of_git && step.author.may_be_own() && step.seen.hash.is_some();
        let wanted = files
            .iter()
            .filter(|file| self.steps.get(file.path.as_str()).is_some_and(|steps| steps.iter().any(is_wanted)));
        let earlier = wanted.take(FOLLOWED_MAX).map(|file| {
            let lineage = self.lineage(file);
            let own = [lineage.began_as].into_iter().chain(lineage.passages.iter().map(|passage| passage.path));
            let mut paths: Vec<String> =
                own.map(str::to_owned).chain(self.repository.earlier_paths(&file.path)).collect();
            paths.retain(|path| *path != file.path);
            paths.sort_unstable();
            paths.dedup();
            (file.path.clone(), paths)
        });
        earlier.collect()
    }

    /// Contents that a foreign commit has at a path that the file has or had were brought by git. Where git moved something, so were
    /// the lines of such contents.
    fn take_out_what_git_brought(&mut self, files: &[FileChange]) {
        let earlier = self.earlier_paths(files);
        let names = |path: &str| -> Vec<&str> { earlier.get(path).into_iter().flatten().map(String::as_str).collect() };
        let paths: HashSet<String> = files.iter().flat_map(|file| self.paths_had(file)).collect();
        let foreign = self.foreign.clone();
        let per_path = foreign.len().min(PLACES_MAX / paths.len().max(1));
        let is_wanted = |step: &FileStep<'_>| step.author.may_be_own() && step.seen.hash.is_some();
        let wanted = self.steps.iter().filter(|(path, steps)| paths.contains(**path) && steps.iter().any(is_wanted));
        // The commits that came last tell most.
        let named: Vec<&str> = wanted.flat_map(|(path, _)| [vec![*path], names(path)].concat()).collect();
        let places = named
            .into_iter()
            .flat_map(|path| foreign.iter().rev().take(per_path).map(move |commit| (commit.as_str(), path)));
        let places: Vec<(&str, &str)> = places.collect();
        let Ok(objects) = self.repository.objects_at(&places) else { return };
        let mut texts: HashMap<String, Option<String>> = HashMap::new();
        for (path, steps) in &mut self.steps {
            // What git brings back as it was when the session began is of before.
            let began = self.noted.get(*path).and_then(|noted| noted.hash.as_ref());
            for step in
                steps.iter_mut().filter(|step| step.is_of_git && began.is_some() && step.seen.hash.as_ref() == began)
            {
                step.author = Author::Git;
            }
            let names = [vec![*path], names(path)].concat();
            for step in steps.iter_mut().filter(|step| is_wanted(step)) {
                let there = foreign[..step.foreign].iter().rev();
                let there =
                    there.flat_map(|commit| names.iter().filter_map(|name| objects.get(&(commit.as_str(), *name))));
                let mut seen = HashSet::new();
                let there: Vec<&String> = there.filter(|object| seen.insert(*object)).collect();
                if step.seen.object.as_ref().is_some_and(|object| there.contains(&object)) {
                    step.author = Author::Git;
                } else if step.is_of_git {
                    for object in there.into_iter().take(BROUGHT_MAX) {
                        let text = texts.entry(object.clone()).or_insert_with(|| self.repository.text_of(object));
                        step.brought.extend(text.clone());
                    }
                }
            }
        }
    }

    /// Parts a file's change.
    fn part(&self, file: FileChange) -> FilePart {
        let lineage = self.lineage(&file);
        let mut authors: Vec<Author> = lineage.steps().map(|step| step.author).collect();
        // What became of the old path says nothing of the new one, unless git takes both for one file.
        if file.status == FileStatus::Renamed {
            let old = file.old_path.as_deref().and_then(|old| self.steps.get(old));
            authors.extend(old.into_iter().flatten().map(|step| step.author));
        }
        authors.sort_unstable();
        authors.dedup();
        let part = |own, others| FilePart { own, others, is_lost: false };
        match authors[..] {
            // The journal does not look everywhere, such as in folders that are ignored.
            [] => return part(Some(FileChange { old_known: false, ..file }), Vec::new()),
            [Author::Own] if self.is_own_alone(&file, &lineage) => return part(Some(file), Vec::new()),
            _ if !authors.iter().any(|author| author.may_be_own()) => return part(None, authors),
            _ => {}
        }
        let Some(history) = self.history(&file, &lineage) else {
            authors.retain(|author| *author != Author::Own);
            return FilePart { own: Some(FileChange { old_known: false, ..file }), others: authors, is_lost: true };
        };
        part(history.own_part(&file), history.others())
    }

    /// Returns whether nothing of a change, all steps of which are the session's, came from elsewhere: from git, or from before the
    /// session.
    fn is_own_alone(&self, file: &FileChange, lineage: &Lineage<'_>) -> bool {
        let was_dirty = |path: &str| self.baseline.dirty.iter().any(|(dirty, _)| dirty == path);
        let is_moved_back = lineage.passages.iter().any(|passage| passage.moved_by == Some(Author::Git));
        let is_brought = lineage.steps().any(|step| !step.brought.is_empty());
        !is_brought && !is_moved_back && !paths_of(file).chain([lineage.began_as]).any(was_dirty)
    }

    /// What others take out of a stash that the session made is the session's, where it differs from what it was made on.
    fn give_back_what_was_stashed(&mut self) {
        let stashed: Vec<(String, String, u64)> =
            self.stashed.iter().map(|(commit, seq)| (commit.clone(), format!("{commit}^"), *seq)).collect();
        let is_wanted = |step: &FileStep<'_>| step.is_of_git && !step.author.may_be_own() && step.seen.hash.is_some();
        let wanted = self.steps.iter().filter(|(_, steps)| steps.iter().any(is_wanted));
        let places = wanted.flat_map(|(path, _)| {
            stashed.iter().flat_map(|(commit, base, _)| [(commit.as_str(), *path), (base.as_str(), *path)])
        });
        let places: Vec<(&str, &str)> = places.take(PLACES_MAX).collect();
        let Ok(objects) = self.repository.objects_at(&places) else { return };
        for (path, steps) in &mut self.steps {
            for step in steps.iter_mut().filter(|step| is_wanted(step)) {
                let seen = step.seen.object.as_ref();
                let was_stashed = |(commit, base, seq): &(String, String, u64)| {
                    let [stashed, before] = [commit, base].map(|commit| objects.get(&(commit.as_str(), *path)));
                    *seq < step.seq && seen.is_some() && stashed == seen && before != seen
                };
                if stashed.iter().any(was_stashed) {
                    step.author = Author::Own;
                }
            }
        }
    }

    /// Follows a file back through the paths that it had.
    fn lineage<'s>(&'s self, file: &'s FileChange) -> Lineage<'s> {
        let mut passages = Vec::new();
        let (mut path, mut until) = (file.path.as_str(), u64::MAX);
        loop {
            let steps: Vec<&FileStep<'_>> =
                self.steps.get(path).into_iter().flatten().filter(|step| step.seq < until).collect();
            let made = self.made_at(file, path, &steps);
            let renamed = file.old_path.as_deref().filter(|_| file.status == FileStatus::Renamed && path == file.path);
            let moved = || made.and_then(|at| self.origin(path, steps[at]));
            let Some(from) = renamed.or_else(moved).filter(|_| passages.len() < MOVES_MAX) else {
                passages.push(Passage { path, moved_by: None, steps });
                passages.reverse();
                return Lineage { began_as: path, passages };
            };
            let made = made.map(|at| steps[at]);
            // Where the old path is there again, what it had at the beginning is no one's.
            let is_back =
                self.steps.get(from).and_then(|steps| steps.last()).is_some_and(|last| last.seen.hash.is_some());
            let moved_by = made.map(|step| if is_back { Author::Git } else { step.author });
            let moved_by = moved_by.filter(|_| renamed.is_none());
            until = made.map_or(until, |step| step.seq);
            let steps = steps.into_iter().filter(|step| made.is_none_or(|made| step.seq >= made.seq)).collect();
            passages.push(Passage { path, moved_by, steps });
            path = from;
        }
    }

    /// The step with which a path came to have the file that it has now, where it had none before.
    fn made_at(&self, file: &FileChange, path: &str, steps: &[&FileStep<'_>]) -> Option<usize> {
        let is_new = |path: &str| {
            let is_dirty = self.baseline.dirty.iter().any(|(dirty, _)| dirty == path);
            if path == file.path && !is_dirty {
                matches!(file.status, FileStatus::Added | FileStatus::Renamed)
            } else {
                self.start(path) == Some(None)
            }
        };
        let is_there = |at: usize| steps[at].seen.hash.is_some();
        let comes =
            |at: &usize| is_there(*at) && at.checked_sub(1).map_or_else(|| is_new(path), |before| !is_there(before));
        // What comes back as it was, such as out of a stash, was made before.
        let was_there = |at: usize| steps[..at].iter().any(|step| step.seen.hash == steps[at].seen.hash);
        (0..steps.len()).rev().filter(comes).find(|at| !was_there(*at))
    }

    /// The path from which a file was moved with a step: it had the same contents until then. `None` where the file is new, or a
    /// copy.
    fn origin(&self, path: &str, made: &FileStep<'_>) -> Option<&'a str> {
        let hash = made.seen.hash.as_ref();
        let is_left = |other: &str| {
            let steps = self.steps.get(other)?;
            let left = steps.iter().position(|step| step.seq == made.seq && step.seen.hash.as_ref() != hash)?;
            Some(steps[..left].last()?.seen.hash.as_ref() == hash)
        };
        let holders = self.holders.get(hash?.as_str())?.iter().copied();
        holders.filter(|other| *other != path).find(|other| is_left(other) == Some(true)).or_else(|| self.alike(made))
    }

    /// The path that was left with a step and had most lines of what the step made, but for their space.
    fn alike(&self, made: &FileStep<'_>) -> Option<&'a str> {
        let lines = |text: &str| {
            text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        let left = self.left.get(&made.seq).filter(|left| left.len() <= ALIKE_MAX)?;
        let now = lines(&self.judged.journal.contents(made.seen)?);
        let had = left.iter().filter_map(|other| {
            let before = match self.steps.get(other)?.iter().rfind(|step| step.seq < made.seq) {
                Some(before) => self.judged.journal.contents(before.seen),
                None => self.start(other).flatten(),
            };
            let before: HashSet<String> = lines(&before?).into_iter().collect();
            Some((now.iter().filter(|line| before.contains(*line)).count(), *other))
        });
        had.max().filter(|(shared, _)| 2 * shared > now.len()).map(|(_, other)| other)
    }

    /// Follows a file line by line; `None` where the contents of one of its versions are not known.
    fn history(&self, file: &FileChange, lineage: &Lineage<'_>) -> Option<LineHistory> {
        if file.binary || file.lines_cut > 0 {
            return None;
        }
        let mut history = LineHistory::new(self.start(lineage.began_as)?.as_deref());
        for (index, passage) in lineage.passages.iter().enumerate() {
            if let Some(author) = passage.moved_by {
                history.arrive_elsewhere(author);
            }
            for FileStep { author, seen, brought, is_of_git, .. } in &passage.steps {
                // Where a file moves, its old path is only left.
                if index + 1 < lineage.passages.len() && seen.hash.is_none() {
                    continue;
                }
                let text = match &seen.hash {
                    None => None,
                    Some(_) => Some(self.judged.journal.contents(seen)?),
                };
                history.follow(&FileVersion { author: *author, text, brought: brought.clone(), is_of_git: *is_of_git });
            }
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
