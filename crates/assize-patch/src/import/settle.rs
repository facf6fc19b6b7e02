//! What drafts make of a tree, and the patch that makes the same.
//!
//! What comes out is made from the bytes before and after, so it means exactly what was found. How a text said it must not
//! be known here.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use assize_core::violation::Violation;

use super::hunk::Hints;
use super::reversed::AppliedEvidence;
use super::{DraftHunk, Drafts, FileDraft, hunk, reversed};
use crate::inverse::between;
use crate::path::check_path;
use crate::place::DepthsShown;
use crate::plan::Note;
use crate::snapshot::{FileContent, PathState, Snapshot};
use crate::{Op, Patch};

/// For how many texts that are not there what comes nearest is shown: looking for it takes longer than anything else here.
const NEAREST_SHOWN_MAX: usize = 3;

/// What an import comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The patch, which fits the tree that it was settled in.
    pub patch: Patch,
    /// What was overlooked to find places.
    pub notes: Vec<Note>,
    /// Whether the tree is what the text would make of it. There is no operation then.
    pub is_applied: bool,
}

impl Imported {
    /// A text whose result stands there already.
    fn applied() -> Self {
        Self { patch: Patch::default(), notes: Vec::new(), is_applied: true }
    }
}

impl Drafts {
    /// Finds the places of a tree that are meant. Where they are not there, since all of it was done before, that is said.
    ///
    /// # Errors
    ///
    /// Lists what does not fit, with its line in the text.
    pub fn settle(&self, tree: &Snapshot) -> Result<Imported, Vec<Violation>> {
        if self.drafts.is_empty() {
            return Err(vec![Violation::new("", "nothing in the text is a change of a file")]);
        }
        if self.other_names.is_empty() { self.settle_named(tree) } else { self.named(tree)?.settle_named(tree) }
    }

    /// Finds the places of drafts whose files are known.
    fn settle_named(&self, tree: &Snapshot) -> Result<Imported, Vec<Violation>> {
        let mut settling = DraftResolver {
            tree,
            files: BTreeMap::new(),
            round: DraftRound::default(),
            hints: Hints(NEAREST_SHOWN_MAX),
            is_open: false,
            repeated: Vec::new(),
            faults: Vec::new(),
            notes: self.notes.clone(),
            depths: DepthsShown::default(),
            doubtful: Vec::new(),
        };
        for (line, draft) in &self.drafts {
            let faults = draft.paths().filter_map(|path| Some((path, check_path(path).err()?)));
            let faults: Vec<String> = faults.map(|(path, fault)| format!("the path {path:?} {fault}")).collect();
            if faults.is_empty() {
                if self.anew.contains(line) || settling.begins_anew(draft) {
                    settling.end_round();
                }
                settling.draft(*line, draft);
            } else {
                faults.into_iter().for_each(|fault| settling.fault(*line, fault));
            }
        }
        settling.end_round();
        settling.finish(self)
    }
}

/// Drafts that are all meant in the files as they were before the first of them, in whatever order they stand: git
/// compares two trees, so `a` may become `b` while `b` becomes `a`.
#[derive(Default)]
struct DraftRound<'a> {
    /// Files that do not stay in their place as they are: they go, get another name, or are changed.
    taken: BTreeSet<&'a str>,
    /// What stands in which place afterwards.
    made: BTreeMap<&'a str, DraftedFile>,
}

/// A file that a draft makes.
struct DraftedFile {
    /// The line of the draft.
    line: usize,
    file: FileContent,
    /// The message if another file stands in its place and no draft takes that file away, and whether this is a fault.
    if_occupied: (String, bool),
}

struct DraftResolver<'a> {
    tree: &'a Snapshot,
    /// What files become by the rounds that are over.
    files: BTreeMap<&'a str, Option<FileContent>>,
    round: DraftRound<'a>,
    hints: Hints,
    /// Whether a file tells of a draft that it was not carried out, or leaves that in doubt.
    is_open: bool,
    /// Drafts that were carried out, and would be once more.
    repeated: Vec<(usize, &'a str)>,
    /// What is wrong, and what was overlooked, each with its line.
    faults: Vec<(usize, String)>,
    notes: Vec<(usize, String)>,
    /// What hunks show of the depths of lines, and for each file, which hunk is doubtful where they are scaled, and where they are lost.
    depths: DepthsShown,
    doubtful: Vec<(String, [Option<usize>; 2])>,
}

impl<'a> DraftResolver<'a> {
    fn fault(&mut self, line: usize, message: impl Into<String>) {
        self.faults.push((line, message.into()));
    }

    /// Returns a file of the tree.
    fn of_tree(&self, path: &str) -> Option<&FileContent> {
        match self.tree.entry(path) {
            PathState::File(file) => Some(file),
            _ => None,
        }
    }

    /// Returns a file as it is when the round begins.
    fn before(&self, path: &str) -> Option<&FileContent> {
        self.files.get(path).map_or_else(|| self.of_tree(path), Option::as_ref)
    }

    /// Whether a draft cannot be meant in the same files as those of the round. Then it is meant in what they make, as in a
    /// second diff below the first, or a list of steps.
    fn begins_anew(&self, draft: &FileDraft) -> bool {
        let DraftRound { taken, made } = &self.round;
        let is_new = |path: &str| made.contains_key(path) && self.before(path).is_none();
        match draft {
            FileDraft::Add { path, .. } => made.contains_key(path.as_str()),
            FileDraft::Remove { path, .. } => taken.contains(path.as_str()) || made.contains_key(path.as_str()),
            FileDraft::Change { path, to, .. } => {
                let (to, keep) = to.as_ref().map_or((path, false), |to| (&to.path, to.keep));
                made.contains_key(to.as_str()) || (!keep && taken.contains(path.as_str())) || is_new(path)
            }
        }
    }

    fn draft(&mut self, line: usize, draft: &'a FileDraft) {
        for path in draft.paths() {
            if let PathState::Foreign(what) = self.tree.entry(path) {
                self.fault(line, format!("{path} is {what}, which no patch may touch"));
                return;
            }
        }
        match draft {
            FileDraft::Add { path, bytes, executable, instead } => {
                // It may take the place of a file that has just been removed.
                let inherited = self.before(path).or_else(|| self.of_tree(path)).is_some_and(|file| file.executable);
                let file = FileContent { bytes: bytes.clone(), executable: executable.unwrap_or(inherited) };
                let how = if *instead { " and is written anew" } else { "" };
                let if_occupied = (format!("{path} is there already{how}"), !instead);
                self.round.made.insert(path, DraftedFile { line, file, if_occupied });
            }
            FileDraft::Remove { path, content } => match (self.before(path), content) {
                (None, _) => self.missing(line, path),
                (Some(file), Some(content)) if file.bytes != *content => {
                    self.fault(line, format!("{path} is not what the patch takes away"));
                }
                (Some(_), _) => drop(self.round.taken.insert(path)),
            },
            FileDraft::Change { path, to, executable, hunks, binary } => {
                let is_new = hunks.iter().any(|hunk| hunk.of_empty) && *self.tree.entry(path) != PathState::Folder;
                let Some(file) = self.before(path).cloned().or_else(|| is_new.then(FileContent::default)) else {
                    match to {
                        Some(to)
                            if hunks.is_empty() && binary.is_none() && !to.keep && self.before(&to.path).is_some() =>
                        {
                            self.fault(line, renamed(path, &to.path));
                        }
                        _ => self.missing(line, path),
                    }
                    return;
                };
                let Some(hunks) = self.read_hunks(path, &file.bytes, hunks) else { return };
                let hunks: &[DraftHunk] = &hunks;
                let bytes = match binary {
                    Some(change) => change.apply(&file.bytes),
                    None => self.changed(path, &file.bytes, hunks),
                };
                let Some(bytes) = bytes else {
                    if binary.is_some() {
                        self.fault(line, format!("{path} is not the file that its binary patch was made for"));
                    }
                    return;
                };
                let is_asked = to.is_some() || !reversed::is_mode(&file, *executable);
                if bytes != file.bytes && !is_asked && binary.is_none() {
                    self.ask_whether_repeated((line, path), &file.bytes, hunks);
                }
                let file = FileContent { bytes, executable: executable.unwrap_or(file.executable) };
                let (target, keep, instead) =
                    to.as_ref().map_or((path, false, false), |to| (&to.path, to.keep, to.instead));
                let how = if instead { format!("; {path} takes its place") } else { String::new() };
                let if_occupied = (format!("{target} is there already{how}"), !instead);
                self.round.made.insert(target, DraftedFile { line, file, if_occupied });
                if !keep {
                    self.round.taken.insert(path);
                }
            }
        }
    }

    /// Takes up what the drafts of a round make, all of them together.
    fn end_round(&mut self) {
        let DraftRound { taken, made } = std::mem::take(&mut self.round);
        for (path, made) in &made {
            if !taken.contains(path) && self.before(path).is_some() {
                let (message, is_fault) = &made.if_occupied;
                let said = if *is_fault { &mut self.faults } else { &mut self.notes };
                said.push((made.line, message.clone()));
            }
        }
        self.files.extend(taken.into_iter().map(|path| (path, None)));
        self.files.extend(made.into_iter().map(|(path, made)| (path, Some(made.file))));
    }

    fn missing(&mut self, line: usize, path: &str) {
        let folder = if *self.tree.entry(path) == PathState::Folder { "a folder" } else { "not there" };
        self.fault(line, format!("{path} is {folder}"));
    }

    /// Returns hunks as they are meant in a file.
    fn read_hunks(&mut self, path: &str, text: &[u8], hunks: &'a [DraftHunk]) -> Option<Cow<'a, [DraftHunk]>> {
        let of_file = |(line, said): (usize, String)| (line, format!("{path}: {said}"));
        match hunk::read_in(text, hunks) {
            Ok((hunks, notes)) => {
                self.notes.extend(notes.into_iter().map(of_file));
                Some(hunks)
            }
            Err(faults) => {
                self.faults.extend(faults.into_iter().map(of_file));
                None
            }
        }
    }

    fn changed(&mut self, path: &str, text: &[u8], hunks: &[DraftHunk]) -> Option<Vec<u8>> {
        let of_file = |(line, said): (usize, String)| (line, format!("{path}: {said}"));
        match hunk::applied(text, hunks, &mut self.hints) {
            Ok(made) => {
                self.notes.extend(made.notes.into_iter().map(of_file));
                self.depths = self.depths.max(made.depths);
                self.doubtful.push((path.to_owned(), made.doubtful));
                Some(made.bytes)
            }
            Err(faults) => {
                self.faults.extend(faults.into_iter().map(of_file));
                None
            }
        }
    }

    /// Refuses hunks whose new lines may have lost their depth, as those of other hunks have.
    fn doubt_depths(&mut self) {
        let index = match self.depths {
            DepthsShown::Usual => return,
            DepthsShown::Scaled => 0,
            DepthsShown::Lost => 1,
        };
        let fault = "it cannot be told how its lines are indented: other hunks are indented otherwise than the file";
        for (path, doubtful) in std::mem::take(&mut self.doubtful) {
            if let Some(line) = doubtful[index] {
                self.fault(line, format!("{path}: {fault}"));
            }
        }
    }

    /// Asks a file, before it changes, whether hunks that fit it were applied before. A file that an earlier round
    /// makes proves nothing.
    fn ask_whether_repeated(&mut self, (line, path): (usize, &'a str), text: &[u8], hunks: &[DraftHunk]) {
        if self.files.contains_key(path) {
            return;
        }
        let of_hunk = |hunk: &&DraftHunk, lines: &[(usize, String)]| lines.iter().any(|(line, _)| *line == hunk.line);
        let overlooked: Vec<&DraftHunk> = hunks.iter().filter(|hunk| of_hunk(hunk, &self.notes)).collect();
        match reversed::repeated(text, hunks, !overlooked.is_empty()) {
            AppliedEvidence::Certain => self.repeated.push((line, path)),
            AppliedEvidence::No => self.is_open = true,
            AppliedEvidence::Doubtful => {
                self.is_open = true;
                let bare = hunks.iter().filter(|hunk| hunk.is_bare());
                let found = overlooked.into_iter().filter(|hunk| !hunk.is_bare());
                let bare = bare.map(|hunk| (hunk, "it stands there; give lines around it, or say it as an edit"));
                let found = found.map(|hunk| (hunk, "its lines were found elsewhere or by overlooking something"));
                for (hunk, why) in bare.chain(found).collect::<Vec<_>>() {
                    self.fault(hunk.line, format!("{path}: may be applied already, and {why}"));
                }
            }
        }
    }

    fn finish(mut self, drafts: &Drafts) -> Result<Imported, Vec<Violation>> {
        self.doubt_depths();
        let mut ops: Vec<Op> = Vec::new();
        if self.faults.is_empty() {
            let between =
                |(path, after): (&&str, &Option<FileContent>)| between(path, self.of_tree(path), after.as_ref());
            ops = self.files.iter().flat_map(between).collect();
        }
        let is_for_the_first_time = !ops.is_empty() && self.repeated.is_empty();
        if !self.is_open && !is_for_the_first_time && reversed::is_applied(drafts, self.tree) {
            return Ok(Imported::applied());
        }
        let others = "is applied already, but others are not";
        self.faults.extend(self.repeated.iter().map(|(line, path)| (*line, format!("{path} {others}"))));
        self.faults.sort_by_key(|(line, _)| *line);
        self.notes.sort_by_key(|(line, _)| *line);
        let at = |line: usize| format!("line {line}");
        if !self.faults.is_empty() {
            return Err(self.faults.into_iter().map(|(line, message)| Violation::new(at(line), message)).collect());
        }
        let notes = self.notes.into_iter().map(|(line, message)| Note { at: at(line), message }).collect();
        Ok(Imported { patch: Patch { ops }, notes, is_applied: false })
    }
}

/// Says what somebody has to look at where a file may have got its new name already: the text says nothing of its content.
fn renamed(path: &str, to: &str) -> String {
    format!(
        "{path} is not there, but {to} is; look whether {to} is what {path} was: then the rename is done, and has to be left out"
    )
}
