//! Gathers the evidence of a stop: what changed, what the agent did, and what it said.
//!
//! No part depends on a model, and a part that fails does not affect the others. The work tree is only read.

mod own_part;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use assize_core::diff::{Diff, FILE_LINES_MAX, FileChange, FileStatus, NewSyntaxError, parse_git_patch};
use assize_core::gathered::{EvidencePart, Fingerprint};
use assize_core::path::file_name;
use assize_core::text::Untrusted;
use assize_stop::answer_rows::stands_in;
use assize_stop::directive::{Referent, ReferentKind, referents};
use assize_stop::evidence::{Evidence, ReferentSighting};
use assize_stop::names::{Name, NameKind, NameSighting, NameSource, NameUse, ROW_SEPARATOR, use_of};
use assize_stop::session::{Baseline, BaselineScope, SessionState};
use assize_stop::spoken_names::names_to_look_up;
use assize_stop::transcript::{TranscriptFacts, TranscriptKind};

pub use own_part::JudgedSession;
use own_part::leave_own_part;

use crate::git::{GitError, Ignored, Large, Listed, Repository, SHOWN_BYTES_MAX};
use crate::regular_file;
use crate::syntax::{self, ParsedCache, errors_of_all};
use crate::transcript;
use crate::work_tree::WorkTree;

/// The most untracked files whose contents are read.
pub const UNTRACKED_MAX: usize = 500;
/// The most bytes of one untracked file that are read.
pub const UNTRACKED_BYTES_MAX: u64 = 256 * 1024;
/// The largest file that is hashed, in bytes. For a larger one, size and modification time stand for the contents.
pub const HASHED_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// The most files that a baseline records as already different.
pub const DIRTY_MAX: usize = 2_000;
/// The largest ignore list that a baseline records, in bytes.
pub const IGNORE_LIST_BYTES_MAX: usize = 64 * 1024;
/// The longest search for names in the tree.
pub const LOOK_UP_TIME_MAX: Duration = Duration::from_millis(500);
/// Places of a name that are kept.
pub const NAME_PLACES_MAX: usize = 20;

/// The sources of a stop's evidence.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The tree in which the agent works.
    pub work_tree: WorkTree,
    /// The transcript and its format, if there is one.
    pub transcript: Option<(PathBuf, TranscriptKind)>,
    /// The final message, if the agent's harness provides it.
    pub final_message: Option<String>,
    /// A folder for cached results.
    pub cache: Option<PathBuf>,
    /// Whose part of the change is wanted, where that was observed.
    pub judged: Option<JudgedSession>,
    /// Whether the transcript is that of a subagent: of its parent's part of the change it answers for the files that it edited.
    pub edited_alone: bool,
}

/// Records the state of a work tree, so that later changes can be distinguished from earlier ones.
///
/// # Errors
///
/// Fails if there is a repository that cannot be read.
pub fn baseline(folder: &Path) -> Result<Baseline, GitError> {
    match Repository::discover(folder)? {
        Some(repository) => baseline_in(&repository, BaselineScope::Repository),
        None => Ok(Baseline { measured: BaselineScope::Folder, ..Baseline::default() }),
    }
}

/// Records the state of a project of which a snapshot was just taken into the repository in `home`.
///
/// # Errors
///
/// Fails if the repository cannot be read.
pub fn snapshot_baseline(home: &Path, project: &Path) -> Result<Baseline, GitError> {
    match Repository::with_work_tree(home, project)? {
        Some(repository) => baseline_in(&repository, BaselineScope::Snapshot),
        None => Ok(Baseline { measured: BaselineScope::Folder, ..Baseline::default() }),
    }
}

fn baseline_in(repository: &Repository, measured: BaselineScope) -> Result<Baseline, GitError> {
    repository.try_out()?;
    let git = repository.program()?.to_str().map(str::to_owned);
    let ignore_list = repository.own_ignore_list().ok().filter(|list| list.len() <= IGNORE_LIST_BYTES_MAX);
    let commit = repository.head()?;
    let (changed, listed) = beside_listing(repository, || repository.changed_paths(commit.as_deref()));
    let untracked = listed?.into_iter().filter(|file| !file.tracked).map(|file| file.path);
    let mut paths = changed?.into_iter().chain(untracked).filter(|path| !is_ours(path));
    let dirty = paths.by_ref().take(DIRTY_MAX).map(|path| {
        let hash = content_hash(&repository.root().join(&path)).map(hex);
        (path, hash)
    });
    let dirty = dirty.collect();
    Ok(Baseline {
        approvals: None,
        commit,
        dirty,
        dirty_cut: paths.next().is_some(),
        measured,
        git,
        ignore_list,
        observations: None,
        journal: None,
        commits: repository.tips(&[]).unwrap_or_default(),
        continues: Vec::new(),
        configuration: None,
    })
}

/// Lists the files of a repository while other work is done.
fn beside_listing<T>(repository: &Repository, work: impl FnOnce() -> T) -> (T, Result<Vec<Listed>, GitError>) {
    thread::scope(|scope| {
        let listed = scope.spawn(|| repository.files());
        (work(), joined(listed.join()))
    })
}

/// The result of a thread that panicked is an error, not an empty result.
fn joined<T>(result: thread::Result<Result<T, GitError>>) -> Result<T, GitError> {
    result.unwrap_or_else(|_| {
        Err(GitError::Failed {
            what: "ls-files".to_owned(),
            detail: "the thread that read its output panicked".to_owned(),
        })
    })
}

/// Gathers the evidence of a stop.
pub fn gather(sources: &Sources, session: &SessionState) -> Evidence {
    let wanted = referents(&session.active);
    let (tree, facts) = thread::scope(|scope| {
        let facts = scope.spawn(|| read_transcript(sources, session));
        let tree = look_at_tree(sources, session.baseline.as_ref(), &wanted);
        let facts = facts.join().unwrap_or_else(|_| EvidencePart::Missing("reading the transcript failed".to_owned()));
        (tree, facts)
    });
    let scope = session.baseline.as_ref().map(|baseline| baseline.measured).unwrap_or_default();
    let tree = match tree {
        Ok(Some(tree)) => {
            let tree = tree.with_hidden_files(&facts, session.baseline.as_ref());
            let tree = tree.own_part(sources, session.baseline.as_ref());
            if sources.edited_alone { tree.edited_part(&facts) } else { tree }
        }
        Ok(None) if matches!(scope, BaselineScope::Repository | BaselineScope::Snapshot) => WorkTreeEvidence {
            diff: EvidencePart::Missing("the git repository of the session's start is gone".to_owned()),
            ..WorkTreeEvidence::default()
        },
        Ok(None) => without_git(sources.work_tree.folder(), &facts, &wanted),
        Err(error) => {
            WorkTreeEvidence { diff: EvidencePart::Missing(error.to_string()), ..WorkTreeEvidence::default() }
        }
    };
    let listed = tree.listed;
    let from_transcript = || facts.get().and_then(|facts| facts.last_message.clone());
    let mut evidence = Evidence {
        directives: session.active.clone(),
        diff: tree.diff,
        start: match scope {
            BaselineScope::Not => EvidencePart::Missing("no hook saw it".to_owned()),
            BaselineScope::Folder | BaselineScope::Snapshot | BaselineScope::Repository => EvidencePart::Gathered(()),
        },
        head: tree.head,
        fingerprint: tree.fingerprint,
        accepted_fingerprint: session.accepted_fingerprint.clone(),
        // The transcript can lag behind for longer than it is waited for, so the harness's own message has precedence.
        final_message: sources.final_message.clone().map(Untrusted::new).or_else(from_transcript),
        transcript: relative(facts, sources.work_tree.folder()),
        attempts: session.attempts.clone(),
        referents: tree.sightings,
        names: Vec::new(),
        verification: None,
    };
    if let Some((repository, listed)) = &listed {
        evidence.names = look_up_names(repository, listed, names_to_look_up(&evidence));
        if evidence.changed() == Some(false) {
            let unseen = ignored_files_spoken_of(&evidence, repository, listed);
            if let EvidencePart::Gathered(diff) = &mut evidence.diff {
                diff.limits.extend(unseen.iter().map(|path| format!("the change of {path}, which git ignores")));
            }
        }
    }
    evidence
}

/// Files that the last directive or the final message names and that git ignores: what became of them is not in the change.
fn ignored_files_spoken_of(evidence: &Evidence, repository: &Repository, listed: &[Listed]) -> Vec<String> {
    const SPOKEN_MAX: usize = 16;
    let directive = evidence.directives.last().map_or("", |directive| directive.text.inspect());
    let texts = [directive, evidence.message()];
    let words = texts
        .iter()
        .flat_map(|text| text.split(|character: char| character.is_whitespace() || "`'\",;:()".contains(character)));
    let paths = words.map(|word| word.trim_start_matches("./").trim_end_matches('.')).filter(|word| word.contains('.'));
    let is_below = |path: &&str| !path.starts_with(['/', '~']) && !path.contains("..");
    let mut paths: Vec<&str> =
        paths.filter(is_below).filter(|path| repository.root().join(path).is_file()).take(SPOKEN_MAX).collect();
    paths.retain(|path| !listed.iter().any(|file| file.path == *path));
    if paths.is_empty() {
        return Vec::new();
    }
    let mut ignored: Vec<String> =
        repository.ignored(&paths).unwrap_or_default().into_iter().map(|it| it.path).collect();
    ignored.sort_unstable();
    ignored.dedup();
    ignored
}

/// Looks up names in the work tree. What is not known in time is left out.
fn look_up_names(repository: &Repository, listed: &[Listed], names: Vec<Name>) -> Vec<NameSighting> {
    let words: Vec<&str> = names.iter().filter(|name| name.kind != NameKind::File).map(word_of).collect();
    let found = if words.is_empty() { Some(Vec::new()) } else { repository.words_used(&words, LOOK_UP_TIME_MAX).ok() };
    let is_file = |name: &Name, path: &str| match name.kind {
        // A folder can be named as it is from elsewhere.
        NameKind::File => file_name(path) == file_name(&name.text),
        NameKind::Word | NameKind::Function | NameKind::Method => file_name(path).contains(&name.text),
        NameKind::Row => false,
    };
    let sighting = |name: Name| {
        let used = found.as_ref()?.iter().filter(|(_, word)| name.kind != NameKind::File && *word == word_of(&name));
        let files = listed.iter().map(|file| &file.path).filter(|path| is_file(&name, path));
        let is_there = name.kind == NameKind::File
            && name.source == NameSource::Claimed
            && repository.root().join(&name.text).exists();
        let mut places: Vec<String> = used.map(|(path, _)| path).chain(files).take(NAME_PLACES_MAX).cloned().collect();
        places.extend(is_there.then(|| name.text.clone()));
        places.sort_unstable();
        places.dedup();
        match name.source {
            NameSource::Claimed
            | NameSource::Requested
            | NameSource::Renamed
            | NameSource::Paired
            | NameSource::Sibling => {}
            NameSource::Answer => {
                places.retain(|path| assize_ecosystem::is_test(path) && has_row(&name, path, repository.root()));
            }
            NameSource::Removed | NameSource::Absent => places = users_of(&name, &places, repository.root()),
            NameSource::HandedBack if name.kind == NameKind::Word => {
                places.retain(|path| is_home_of(&name.text, path, repository.root()));
            }
            NameSource::HandedBack => places.truncate(1),
        }
        Some(NameSighting { name, places })
    };
    names.into_iter().filter_map(sighting).collect()
}

/// The word by which a name is searched for: the first value of a row.
fn word_of(name: &Name) -> &str {
    name.text.split(ROW_SEPARATOR).next().unwrap_or_default()
}

/// Returns whether one line of a file has both values of a row.
fn has_row(name: &Name, path: &str, root: &Path) -> bool {
    let text = regular_file::open(&root.join(path)).ok().and_then(|file| std::io::read_to_string(file).ok());
    text.is_some_and(|text| text.lines().any(|line| stands_in(name, line)))
}

/// The evidence from the work tree.
#[derive(Debug)]
struct WorkTreeEvidence {
    diff: EvidencePart<Diff>,
    head: Option<String>,
    fingerprint: Fingerprint,
    sightings: Vec<ReferentSighting>,
    /// The repository, with the paths that git lists in it.
    listed: Option<(Repository, Vec<Listed>)>,
}

impl WorkTreeEvidence {
    /// Adds files that the agent wrote and that the session keeps git from showing, with a line that it added to an ignore
    /// list.
    fn with_hidden_files(mut self, facts: &EvidencePart<TranscriptFacts>, baseline: Option<&Baseline>) -> Self {
        let edits = facts.get().map_or(&[][..], |facts| &facts.edits);
        let (Some((repository, listed)), EvidencePart::Gathered(diff)) = (&self.listed, &mut self.diff) else {
            return self;
        };
        let root = repository.root();
        let mut written: BTreeSet<String> = edits.iter().filter_map(|edit| path_below(root, &edit.path)).collect();
        let is_longer_list = |file: &FileChange| file.path.ends_with(".gitignore") && file.added_count() > 0;
        if diff.files.iter().any(is_longer_list) {
            let ignored = repository.ignored_files().unwrap_or_default();
            written.extend(ignored.into_iter().filter(|path| assize_ecosystem::is_code(path)));
        }
        let known: HashSet<&str> = listed.iter().map(|file| file.path.as_str()).collect();
        let is_there = |path: &&str| !known.contains(path) && regular_file::open(&root.join(path)).is_ok();
        let unlisted: Vec<&str> = written.iter().map(String::as_str).filter(is_there).take(UNTRACKED_MAX).collect();
        let ignored = if unlisted.is_empty() { Vec::new() } else { repository.ignored(&unlisted).unwrap_or_default() };
        let is_of_session = |ignored: &Ignored| {
            let added = |file: &FileChange| file.added_lines().any(|(number, _)| number == ignored.line);
            // A list that ignores itself is in no diff.
            diff.file(&ignored.list).is_some_and(added) || unlisted.contains(&ignored.list.as_str())
        };
        let before = BaselineTree::of(baseline);
        let mut hashes = Vec::new();
        for path in
            ignored.iter().filter(|ignored| is_of_session(ignored)).map(|ignored| &ignored.path).collect::<Vec<_>>()
        {
            let hash = content_hash(&root.join(path));
            if before.is_untouched(path, hash) {
                continue;
            }
            let change = read_whole(&root.join(path), path, &mut diff.limits);
            diff.files.push(FileChange { untracked: true, old_known: before.existed_at_start(path), ..change });
            hashes.push((path.clone(), hash));
        }
        if !hashes.is_empty() {
            let shown = blake3::hash(self.fingerprint.0.as_bytes()).into();
            let all = hashes.iter().map(|(path, hash)| (path.as_str(), *hash)).chain([("", Some(shown))]);
            self.fingerprint = Fingerprint::of(all);
            check_syntax(root, &mut diff.files, None);
            diff.files.sort_by(|a, b| a.path.cmp(&b.path));
        }
        self
    }
}

impl WorkTreeEvidence {
    /// Leaves the files in the change that a transcript shows as edited.
    fn edited_part(mut self, facts: &EvidencePart<TranscriptFacts>) -> Self {
        let edits = facts.get().map_or(&[][..], |facts| &facts.edits);
        if let (Some((repository, _)), EvidencePart::Gathered(diff)) = (&self.listed, &mut self.diff) {
            let edited: HashSet<String> =
                edits.iter().filter_map(|edit| path_below(repository.root(), &edit.path)).collect();
            diff.files.retain(|file| edited.contains(&file.path));
        }
        self
    }

    /// Leaves the session's own part in the change.
    fn own_part(mut self, sources: &Sources, baseline: Option<&Baseline>) -> Self {
        let (Some((repository, _)), EvidencePart::Gathered(diff)) = (&self.listed, &mut self.diff) else { return self };
        if let (Some(judged), Some(baseline)) = (&sources.judged, baseline) {
            leave_own_part(diff, judged, baseline, repository);
            check_syntax(repository.root(), &mut diff.files, sources.cache.as_deref());
        }
        self
    }
}

/// Returns the path of an edit below the root; `None` if it does not lead there.
fn path_below(root: &Path, edit: &str) -> Option<String> {
    let full = root.join(edit);
    let below = full.strip_prefix(root).ok()?;
    let is_plain = below.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    below.to_str().filter(|path| is_plain && !path.is_empty() && !is_ours(path)).map(str::to_owned)
}

impl Default for WorkTreeEvidence {
    fn default() -> Self {
        Self {
            diff: EvidencePart::Missing(String::new()),
            head: None,
            fingerprint: Fingerprint::default(),
            sightings: Vec::new(),
            listed: None,
        }
    }
}

/// A transcript without any of the prompts that came in is not that of the session, or no longer.
fn read_transcript(sources: &Sources, session: &SessionState) -> EvidencePart<TranscriptFacts> {
    let Some((path, kind)) = &sources.transcript else {
        return EvidencePart::Missing("none is named".to_owned());
    };
    match transcript::read_facts(path, *kind, sources.final_message.as_deref()) {
        Ok(facts) if facts.prompts.is_empty() && session.directives_seen > 0 => {
            EvidencePart::Missing(format!("{}: it has no prompt, and the session had one", path.display()))
        }
        Ok(facts) => EvidencePart::Gathered(facts),
        Err(error) => EvidencePart::Missing(format!("{}: {error}", path.display())),
    }
}

/// Makes paths of edits relative to the work tree, as those of the diff are.
fn relative(facts: EvidencePart<TranscriptFacts>, folder: &Path) -> EvidencePart<TranscriptFacts> {
    let EvidencePart::Gathered(mut facts) = facts else { return facts };
    let root = crate::git::project_root(folder);
    for edit in &mut facts.edits {
        if let Ok(inside) = Path::new(&edit.path).strip_prefix(&root) {
            edit.path = inside.to_string_lossy().into_owned();
        }
    }
    EvidencePart::Gathered(facts)
}

fn look_at_tree(
    sources: &Sources,
    baseline: Option<&Baseline>,
    wanted: &[Referent],
) -> Result<Option<WorkTreeEvidence>, GitError> {
    let cache = sources.cache.as_deref();
    let Some(mut repository) = sources.work_tree.repository()? else { return Ok(None) };
    let mut limits = Vec::new();
    if let Some(baseline) = baseline {
        hold_to_the_start(&mut repository, baseline, &mut limits)?;
    }
    // Only a baseline measured in a repository defines the base commit of a change there.
    let scope = baseline.map(|baseline| baseline.measured).unwrap_or_default();
    let baseline = baseline.filter(|_| matches!(scope, BaselineScope::Repository | BaselineScope::Snapshot));
    let from = match (baseline, scope) {
        (Some(baseline), _) => baseline.commit.clone(),
        (None, BaselineScope::Not) => {
            limits.push("the change is measured from the last commit".to_owned());
            repository.head()?
        }
        // The session made the repository itself, with all of its commits.
        (None, _) => None,
    };
    let patch = || patch_or_part(&repository, from.as_deref());
    let (first, listed) = beside_listing(&repository, patch);
    let listed = listed?;
    let (patch, large) = if repository.unhide(&listed)? {
        limits.push("index entries that hide changes were looked behind".to_owned());
        patch()?
    } else {
        first?
    };
    let mut files = parse_git_patch(&patch);
    add_large(large, &mut files, &mut limits);
    merge_unmerged(&mut files);
    let before = BaselineTree::of(baseline);
    let untouched = add_untracked(repository.root(), &listed, &before, &mut files, &mut limits);
    files.retain(|file| !is_ours(&file.path));
    for file in files.iter_mut().filter(|file| file.status == FileStatus::Added) {
        file.old_known = before.existed_at_start(&file.path);
    }
    let hashes = hash_all(repository.root(), &files);
    let mut files: Vec<(FileChange, Option<[u8; 32]>)> = files.into_iter().zip(hashes).collect();
    leave_out_untouched(&mut files, &before, untouched, &mut limits);
    files.sort_by(|a, b| a.0.path.cmp(&b.0.path));
    let fingerprint = Fingerprint::of(files.iter().map(|(file, hash)| (file.path.as_str(), *hash)));
    let mut files: Vec<FileChange> = files.into_iter().map(|(file, _)| file).collect();
    check_syntax(repository.root(), &mut files, cache);
    let sightings = look_up(&repository, &listed, &files, wanted);
    let diff = EvidencePart::Gathered(Diff { baseline: from, files, limits });
    let head = repository.head()?;
    Ok(Some(WorkTreeEvidence { diff, head, fingerprint, sightings, listed: Some((repository, listed)) }))
}

/// Has git and the repository's own ignore list be those of the session's start.
fn hold_to_the_start(
    repository: &mut Repository,
    baseline: &Baseline,
    limits: &mut Vec<String>,
) -> Result<(), GitError> {
    if let Some(git) = baseline.git.as_ref().map(PathBuf::from) {
        if repository.program()? != git {
            limits.push(format!("another git is found than {} at the start of the session", git.display()));
        }
        if git.is_file() {
            repository.call(git);
        } else {
            repository.try_out()?;
        }
    }
    if let Some(list) = &baseline.ignore_list
        && *list != repository.own_ignore_list()?
    {
        limits.push("`.git/info/exclude` was changed; what it said at the start of the session holds".to_owned());
        repository.hold_ignore_list(list)?;
    }
    Ok(())
}

/// Returns the patch; if it is too large, returns the part without large files, and those files.
fn patch_or_part(repository: &Repository, from: Option<&str>) -> Result<(Vec<u8>, Vec<Large>), GitError> {
    match repository.patch(from) {
        Err(GitError::TooLarge(_)) => repository.patch_of_small(from),
        result => result.map(|patch| (patch, Vec::new())),
    }
}

/// Adds files whose change is not shown.
fn add_large(large: Vec<Large>, files: &mut Vec<FileChange>, limits: &mut Vec<String>) {
    for file in large {
        limits.push(format!("the change of {}, which is larger than {SHOWN_BYTES_MAX} bytes", file.path));
        let status = match (file.before, file.after) {
            (_, false) => FileStatus::Deleted,
            (false, true) => FileStatus::Added,
            (true, true) => FileStatus::Modified,
        };
        let lines_cut = file.lines.unwrap_or_default();
        files.push(FileChange { binary: file.lines.is_none(), lines_cut, ..FileChange::new(file.path, status) });
    }
}

/// git lists an unmerged file twice, once for its state and once for its contents.
fn merge_unmerged(files: &mut Vec<FileChange>) {
    let unmerged: Vec<String> =
        files.iter().filter(|file| file.status == FileStatus::Unmerged).map(|file| file.path.clone()).collect();
    for path in unmerged {
        let with_contents = files.iter().any(|file| file.path == path && file.status != FileStatus::Unmerged);
        if with_contents {
            files.retain(|file| file.path != path || file.status != FileStatus::Unmerged);
            for file in files.iter_mut().filter(|file| file.path == path) {
                file.status = FileStatus::Unmerged;
            }
        }
    }
}

/// Shows files of a folder without a repository: whole, and as possibly older than the session.
pub fn shown_whole(root: &Path, paths: &[String]) -> Diff {
    let mut limits = vec!["no git repository: there is nothing to compare with, and files are shown whole".to_owned()];
    let shown = paths.iter().take(UNTRACKED_MAX).map(|path| {
        let change = read_whole(&root.join(path), path, &mut limits);
        FileChange { old_known: false, ..change }
    });
    let mut files: Vec<FileChange> = shown.collect();
    if paths.len() > UNTRACKED_MAX {
        limits.push(format!("{} files more were not looked at", paths.len() - UNTRACKED_MAX));
    }
    check_syntax(root, &mut files, None);
    Diff { baseline: None, files, limits }
}

/// The work tree when the session began.
struct BaselineTree<'a> {
    seen: bool,
    dirty: HashMap<&'a str, Option<&'a str>>,
    dirty_cut: bool,
}

impl<'a> BaselineTree<'a> {
    fn of(baseline: Option<&'a Baseline>) -> Self {
        let dirty = baseline.map_or(&[][..], |baseline| &baseline.dirty);
        Self {
            seen: baseline.is_some(),
            dirty: dirty.iter().map(|(path, hash)| (path.as_str(), hash.as_deref())).collect(),
            dirty_cut: baseline.is_some_and(|baseline| baseline.dirty_cut),
        }
    }

    /// Returns whether a file was already different and has not changed since.
    fn is_untouched(&self, path: &str, hash: Option<[u8; 32]>) -> bool {
        self.dirty.get(path).is_some_and(|then| *then == hash.map(hex).as_deref())
    }

    /// Returns whether it is known that a file outside the commit existed.
    fn existed_at_start(&self, path: &str) -> bool {
        self.seen && (!self.dirty_cut || self.dirty.contains_key(path))
    }
}

/// Adds untracked files. Returns how many were skipped because they are unchanged.
fn add_untracked(
    root: &Path,
    listed: &[Listed],
    before: &BaselineTree<'_>,
    files: &mut Vec<FileChange>,
    limits: &mut Vec<String>,
) -> usize {
    let mut untouched = 0;
    let mut touched = listed.iter().filter(|file| !file.tracked && !is_ours(&file.path)).filter(|file| {
        let as_before = before.dirty.contains_key(file.path.as_str())
            && before.is_untouched(&file.path, content_hash(&root.join(&file.path)));
        untouched += usize::from(as_before);
        !as_before
    });
    for file in touched.by_ref().take(UNTRACKED_MAX) {
        let mut change = read_whole(&root.join(&file.path), &file.path, limits);
        change.untracked = true;
        // A file that git no longer tracks but that still exists replaces its own removal.
        files.retain(|other| other.path != file.path);
        files.push(change);
    }
    let left_out = touched.count();
    if left_out > 0 {
        limits.push(format!("{left_out} new untracked files were not looked at"));
    }
    untouched
}

/// Reads a file as an added file. Links are not followed.
fn read_whole(path: &Path, name: &str, limits: &mut Vec<String>) -> FileChange {
    let Ok(mut bytes) = regular_file::read(path, UNTRACKED_BYTES_MAX) else {
        return FileChange::new(name, FileStatus::Added);
    };
    if bytes.contains(&0) {
        return FileChange { binary: true, ..FileChange::new(name, FileStatus::Added) };
    }
    if bytes.len() as u64 > UNTRACKED_BYTES_MAX {
        bytes.truncate(UNTRACKED_BYTES_MAX as usize);
        limits.push(format!("{name} beyond its first {UNTRACKED_BYTES_MAX} bytes"));
    }
    let mut change = FileChange::added(name, &String::from_utf8_lossy(&bytes));
    for hunk in &mut change.hunks {
        let over = hunk.lines.len().saturating_sub(FILE_LINES_MAX);
        hunk.lines.truncate(FILE_LINES_MAX);
        change.lines_cut += u32::try_from(over).unwrap_or(u32::MAX);
    }
    change
}

/// Files that Assize itself writes are not the agent's work.
fn is_ours(path: &str) -> bool {
    path == ".assize" || path.starts_with(".assize/")
}

fn hash_all(root: &Path, files: &[FileChange]) -> Vec<Option<[u8; 32]>> {
    files.iter().map(|file| content_hash(&root.join(&file.path))).collect()
}

/// Hashes a file's contents and whether it is executable, or a link's target. Returns `None` if there is nothing at
/// the path.
fn content_hash(path: &Path) -> Option<[u8; 32]> {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::MetadataExt as _;

    let meta = fs::symlink_metadata(path).ok()?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(meta.mode() & 0o170_100).to_le_bytes());
    if meta.is_symlink() {
        hasher.update(fs::read_link(path).ok()?.as_os_str().as_bytes());
    } else if meta.is_file() && meta.len() <= HASHED_BYTES_MAX {
        hasher.update(&regular_file::read(path, HASHED_BYTES_MAX).ok()?);
    } else {
        hasher.update(&meta.len().to_le_bytes()).update(&meta.mtime().to_le_bytes());
    }
    Some(*hasher.finalize().as_bytes())
}

fn hex(hash: [u8; 32]) -> String {
    blake3::Hash::from_bytes(hash).to_hex().to_string()
}

/// Skips files that were already different when the session began and have not changed since.
fn leave_out_untouched(
    files: &mut Vec<(FileChange, Option<[u8; 32]>)>,
    before: &BaselineTree<'_>,
    already: usize,
    limits: &mut Vec<String>,
) {
    let all = files.len() + already;
    files.retain(|(file, hash)| !before.is_untouched(&file.path, *hash));
    let touched = files.iter().filter(|(file, _)| before.dirty.contains_key(file.path.as_str())).count();
    let left_out = all - files.len();
    if left_out > 0 {
        limits.push(format!(
            "{left_out} files that had been changed before the session began and were not touched since"
        ));
    }
    if touched > 0 {
        limits.push(format!(
            "{touched} files had already been changed when the session began; without observations their change is shown whole"
        ));
    }
    if before.dirty_cut {
        limits.push(format!(
            "more than {DIRTY_MAX} files had already been changed when the session began; the rest of them cannot be told from its own work"
        ));
    }
}

/// Parses the new state of each changed file. If it has errors, the old state decides whether they are new.
fn check_syntax(root: &Path, files: &mut [FileChange], cache: Option<&Path>) {
    let parsed = |file: &FileChange| {
        !matches!(file.status, FileStatus::Deleted | FileStatus::Unmerged)
            // If the change was cut, old errors cannot be distinguished from new ones.
            && (file.status == FileStatus::Added || file.lines_cut == 0)
            && !file.binary
            && assize_ecosystem::is_code(&file.path)
            && !assize_ecosystem::is_generated(&file.path)
    };
    let wanted: Vec<usize> = (0..files.len()).filter(|index| parsed(&files[*index])).collect();
    let texts: Vec<(usize, String)> = wanted
        .into_iter()
        .filter_map(|index| {
            let bytes = regular_file::read(&root.join(&files[index].path), syntax::FILE_BYTES_MAX as u64).ok()?;
            let text = String::from_utf8(bytes).ok().filter(|text| text.len() <= syntax::FILE_BYTES_MAX)?;
            Some((index, text))
        })
        .collect();
    let named: Vec<(&str, String)> =
        texts.iter().map(|(index, text)| (files[*index].path.as_str(), text.clone())).collect();
    let mut sound = ParsedCache::open(cache);
    let errors = errors_of_all(&named, &mut sound);
    sound.close();
    for ((index, text), errors) in texts.iter().zip(errors) {
        let file = &mut files[*index];
        let before = || old_state(file, text).map_or(0, |old| syntax::errors(&file.path, &old).len());
        if !errors.is_empty() && before() == 0 && is_own_error(file, &errors) {
            file.syntax_errors = errors;
        }
    }
}

/// Returns whether a new file with lines of others in it fails to parse for lines of the change.
fn is_own_error(file: &FileChange, errors: &[NewSyntaxError]) -> bool {
    let added: BTreeMap<u32, &str> = file.added_lines().collect();
    let has_lines_of_others = file.hunks.iter().flat_map(|hunk| &hunk.lines).count() > added.len();
    if file.status != FileStatus::Added || !has_lines_of_others {
        return true;
    }
    let alone: String = added.values().map(|line| format!("{line}\n")).collect();
    errors.iter().any(|error| added.contains_key(&error.line)) && !syntax::errors(&file.path, &alone).is_empty()
}

/// Reverts a file's hunks. Returns `None` if the file is new or its change was cut.
fn old_state(file: &FileChange, new: &str) -> Option<String> {
    use assize_core::diff::DiffLineKind;

    if file.status == FileStatus::Added || file.lines_cut > 0 {
        return None;
    }
    let mut old = String::with_capacity(new.len());
    let mut lines = new.lines();
    let mut next = 1;
    for hunk in &file.hunks {
        while next < hunk.new_start {
            old.push_str(lines.next()?);
            old.push('\n');
            next += 1;
        }
        for line in &hunk.lines {
            match line.kind {
                DiffLineKind::Removed => {
                    old.push_str(line.text.inspect());
                    old.push('\n');
                }
                DiffLineKind::Added => {
                    lines.next()?;
                    next += 1;
                }
                DiffLineKind::Context => {
                    old.push_str(lines.next()?);
                    old.push('\n');
                    next += 1;
                }
            }
        }
    }
    for line in lines {
        old.push_str(line);
        old.push('\n');
    }
    Some(old)
}

/// Looks up what the directives name.
fn look_up(
    repository: &Repository,
    listed: &[Listed],
    files: &[FileChange],
    wanted: &[Referent],
) -> Vec<ReferentSighting> {
    let added = |name: &str| files.iter().any(|file| file.added_lines().any(|(_, line)| line.contains(name)));
    let unseen: Vec<&str> = wanted
        .iter()
        .filter(|referent| referent.kind == ReferentKind::Identifier && !added(&referent.name))
        .map(|referent| referent.name.as_str())
        .collect();
    // If the search does not finish, nothing is known to be missing.
    let found =
        if unseen.is_empty() { Some(Vec::new()) } else { repository.words_present(&unseen, LOOK_UP_TIME_MAX).ok() };
    let present = |referent: &Referent| match referent.kind {
        ReferentKind::Identifier => {
            !unseen.contains(&referent.name.as_str())
                || found.as_ref().is_none_or(|found| found.contains(&referent.name))
        }
        ReferentKind::File => {
            let inside = format!("/{}", referent.name);
            repository.root().join(&referent.name).exists()
                || listed.iter().any(|file| file.path.ends_with(&inside) || file.path == referent.name)
        }
    };
    wanted.iter().map(|referent| ReferentSighting { referent: referent.clone(), present: present(referent) }).collect()
}

/// Returns whether a file is named after a name, or defines it.
fn is_home_of(name: &str, path: &str, root: &Path) -> bool {
    let stem = file_name(path).split('.').next().unwrap_or_default();
    let text = || regular_file::open(&root.join(path)).ok().and_then(|file| std::io::read_to_string(file).ok());
    assize_ecosystem::is_code(path)
        && (stem == name || text().is_some_and(|text| use_of(&text, name, NameKind::Word) == NameUse::Defines))
}

/// The files of these that call a name or import it; none where one of them defines it, or cannot be read.
fn users_of(name: &Name, places: &[String], root: &Path) -> Vec<String> {
    let mut users = Vec::new();
    for path in places {
        let text = regular_file::open(&root.join(path)).ok().and_then(|file| std::io::read_to_string(file).ok());
        match text.map(|text| use_of(&text, &name.text, name.kind)) {
            Some(NameUse::Uses) => users.push(path.clone()),
            Some(NameUse::Mentions) => {}
            Some(NameUse::Defines) | None => return Vec::new(),
        }
    }
    users
}

/// Without git there is no earlier state. The files that the transcript shows as edited are shown whole, and rules
/// treat findings in them as likely at best.
fn without_git(folder: &Path, facts: &EvidencePart<TranscriptFacts>, wanted: &[Referent]) -> WorkTreeEvidence {
    let Some(facts) = facts.get() else {
        return WorkTreeEvidence {
            diff: EvidencePart::Missing("no git repository".to_owned()),
            ..WorkTreeEvidence::default()
        };
    };
    let mut limits = vec!["no git repository: files that the agent edited are shown whole".to_owned()];
    let mut names: Vec<String> = facts
        .edits
        .iter()
        .filter_map(|edit| {
            folder.join(&edit.path).strip_prefix(folder).ok().map(|path| path.to_string_lossy().into_owned())
        })
        .collect();
    names.sort();
    names.dedup();
    names.truncate(UNTRACKED_MAX);
    let mut files = Vec::new();
    let mut hashes = Vec::new();
    for name in names {
        let path = folder.join(&name);
        let mut change = read_whole(&path, &name, &mut limits);
        change.old_known = false;
        if !path.exists() {
            change.status = FileStatus::Deleted;
        }
        hashes.push((name, content_hash(&path)));
        files.push(change);
    }
    check_syntax(folder, &mut files, None);
    let fingerprint = Fingerprint::of(hashes.iter().map(|(name, hash)| (name.as_str(), *hash)));
    let sightings = wanted
        .iter()
        .filter(|referent| referent.kind == ReferentKind::File)
        .map(|referent| ReferentSighting { referent: referent.clone(), present: folder.join(&referent.name).exists() })
        .collect();
    WorkTreeEvidence {
        diff: EvidencePart::Gathered(Diff { baseline: None, files, limits }),
        head: None,
        fingerprint,
        sightings,
        listed: None,
    }
}

#[cfg(test)]
mod tests;
