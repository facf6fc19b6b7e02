//! Whether a patch fits a tree, and what the tree is then.
//!
//! Everything is decided here, before a byte is written: every fault of every operation is listed,
//! or the patch fits whole. How files get written must not be known here.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use assize_core::path::within;
use assize_core::violation::Violation;
use serde::Serialize;

use super::line::{LineEnding, TextLines, with_ending};
use super::locate::{Located, MATCHES_MAX, MatchTier, locate};
use super::nearest::nearest;
use super::path::{folded, folders};
use super::snapshot::{FileContent, PathState, Snapshot};
use super::{NumberedOp, Op, Patch, applied};

/// What a patch makes of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatchPlan {
    /// The files that it changes, by path. None if it is applied already.
    pub changes: Vec<FileTransition>,
    /// What was overlooked to make it fit.
    pub notes: Vec<Note>,
    /// Whether the tree is what the patch would make of it.
    pub is_applied: bool,
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileTransition {
    /// Which file.
    pub path: String,
    /// What it has to be, so that the plan holds; nothing if it must not be there.
    pub before: Option<FilePin>,
    /// What it will be; nothing if it goes.
    pub after: Option<FileContent>,
}

impl FileTransition {
    /// Returns what happens to the file: `add`, `remove` or `change`.
    pub fn kind(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => "add",
            (Some(_), None) => "remove",
            (Some(_), Some(_)) => "change",
        }
    }
}

/// What a file was when a plan was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePin {
    /// BLAKE3 over its bytes, in hexadecimal digits.
    pub hash: String,
    /// Whether it could be executed.
    pub executable: bool,
}

impl FilePin {
    /// Returns what tells this file from any other.
    pub fn of(file: &FileContent) -> Self {
        Self { hash: file.hash(), executable: file.executable }
    }
}

/// What somebody should know of an operation that fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Note {
    /// Which operation, such as `ops[3]`.
    pub at: String,
    /// What to know.
    pub message: String,
}

/// Which names may stand side by side in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NamePolicy {
    /// Those that every file system takes for two.
    #[default]
    Portable,
    /// Any that the tree's own file system takes for two. What was taken away from such a tree is only put back so.
    Any,
}

/// Plans a patch. The snapshot has to hold every path that the patch names, and the names in every folder above.
///
/// # Errors
///
/// Lists every fault with its operation and field.
pub fn plan(patch: &Patch, tree: &Snapshot) -> Result<PatchPlan, Vec<Violation>> {
    plan_of(&patch.numbered(), tree, NamePolicy::Portable)
}

/// Plans operations of a patch, as [`plan()`] does all of them.
///
/// # Errors
///
/// Lists every fault with its operation and field.
pub fn plan_of(ops: &[NumberedOp<'_>], tree: &Snapshot, names: NamePolicy) -> Result<PatchPlan, Vec<Violation>> {
    let mut by_path: BTreeMap<&str, Vec<NumberedOp<'_>>> = BTreeMap::new();
    for (index, op) in ops {
        by_path.entry(op.path()).or_default().push((*index, op));
    }
    let removed = by_path.iter().filter(|(_, ops)| matches!(ops.as_slice(), [(_, Op::Remove { .. })]));
    let removed = removed.map(|(path, _)| *path).collect();
    let mut planner = Planner::of(tree, names, removed);
    let changes: Vec<FileTransition> = by_path.iter().filter_map(|(path, ops)| planner.file(path, ops)).collect();
    planner.collisions(&by_path, &changes);
    if ops.is_empty() {
        planner.faults.push(Violation::new("ops", "is empty; there is nothing to apply"));
    }
    let states = applied::states(ops, tree, rewritten);
    if applied::whole(ops, &states) {
        return Ok(PatchPlan { is_applied: true, ..PatchPlan::default() });
    }
    let in_state = |wanted: applied::AppliedState| {
        ops.iter().zip(&states).filter(move |(_, state)| **state == wanted).map(|((index, _), _)| *index)
    };
    for ((index, op), _) in ops.iter().zip(&states).filter(|(_, state)| **state == applied::AppliedState::Doubtful) {
        let (field, why) = match op {
            Op::Splice { .. } => ("insert", "it stands there; say it as an edit, with text around it"),
            _ => (
                "find",
                "what it looks for was found by overlooking something; give what it looks for as it stands there",
            ),
        };
        planner.fault(*index, field, format!("may be applied already, and {why}"));
    }
    // An edit whose result stands there would be carried out once more.
    let is_repeated = |(index, op): &NumberedOp<'_>| {
        matches!(op, Op::Edit { find, replace, .. } if find != replace)
            && in_state(applied::AppliedState::Applied).any(|applied| applied == *index)
    };
    if planner.faults.is_empty() && !ops.iter().any(is_repeated) {
        return Ok(PatchPlan { changes, notes: planner.notes, is_applied: false });
    }
    for index in in_state(applied::AppliedState::Applied) {
        planner.faults.push(Violation::new(format!("ops[{index}]"), "is applied already, but others are not"));
    }
    planner.faults.sort_by_key(|fault| position(&fault.at));
    Err(planner.faults)
}

/// Carries out edits and splices of a file; nothing if they do not fit it.
pub(super) fn rewritten(path: &str, file: &FileContent, ops: &[NumberedOp<'_>]) -> Option<FileContent> {
    Planner::of(&Snapshot::default(), NamePolicy::Portable, BTreeSet::new()).rewritten(path, file, ops)
}

/// Orders faults by their operation.
pub(super) fn position(at: &str) -> usize {
    let digits = at.strip_prefix("ops[").and_then(|rest| rest.split(']').next());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Most bytes of a file that a patch may touch, and that it may make a file have by edits and splices.
pub const FILE_BYTES_MAX: usize = 64 << 20;
/// What a file with more of them is called.
pub const LARGER_FILE: &str = "a file larger than 64 MiB";
/// Most bytes that the edits of a patch may insert beyond their own text: by repeating it, and by indenting it.
pub const GROWTH_BYTES_MAX: usize = 64 << 20;

struct Planner<'a> {
    tree: &'a Snapshot,
    names: NamePolicy,
    /// How many bytes edits may still insert beyond their own text.
    grows: usize,
    /// Files that go and do not come back.
    removed: BTreeSet<&'a str>,
    faults: Vec<Violation>,
    notes: Vec<Note>,
}

/// Bytes of a file that an operation puts others in the place of.
struct Replacement {
    op: usize,
    span: Range<usize>,
    with: Vec<u8>,
    /// The ending of the line above, for lines that come behind one which may have none.
    above: Option<LineEnding>,
}

impl<'a> Planner<'a> {
    fn of(tree: &'a Snapshot, names: NamePolicy, removed: BTreeSet<&'a str>) -> Self {
        Self { tree, names, grows: GROWTH_BYTES_MAX, removed, faults: Vec::new(), notes: Vec::new() }
    }

    fn fault(&mut self, op: usize, field: &str, message: impl Into<String>) {
        self.faults
            .push(Violation::new(format!("ops[{op}]{}{field}", if field.is_empty() { "" } else { "." }), message));
    }

    fn note(&mut self, op: usize, message: String) {
        self.notes.push(Note { at: format!("ops[{op}]"), message });
    }

    /// Plans all operations on one file.
    fn file(&mut self, path: &str, ops: &[NumberedOp<'_>]) -> Option<FileTransition> {
        if let Some((later, earlier)) = contradiction(ops) {
            self.fault(later, "", format!("contradicts ops[{earlier}], which is about {path} as well"));
            return None;
        }
        let there = self.tree.entry(path);
        for place in std::iter::once(path).chain(folders(path)) {
            if let PathState::Foreign(what) = self.tree.entry(place) {
                self.fault(ops[0].0, "path", format!("{place} is {what}, which no patch may touch or pass"));
                return None;
            }
        }
        let before = match there {
            PathState::File(file) => Some(file),
            _ => None,
        };
        let after = match ops {
            [(index, Op::Add { .. })] if before.is_some() => {
                let hint = "edit it, or remove it in the same patch";
                self.fault(*index, "path", format!("{path} is there already; {hint}"));
                return None;
            }
            [(index, Op::Add { .. })] if *there == PathState::Folder && !self.is_emptied(path) => {
                self.fault(*index, "path", format!("{path} is a folder"));
                return None;
            }
            [(index, op @ Op::Add { .. })] | [_, (index, op @ Op::Add { .. })] => Some(self.added(*index, op, before)?),
            [(_, Op::Remove { .. })] => None,
            _ => before.and_then(|file| self.rewritten(path, file, ops)),
        };
        match (before, ops[0].1) {
            (None, Op::Remove { .. } | Op::Edit { .. } | Op::Splice { .. }) => {
                let message = if *there == PathState::Folder {
                    format!("{path} is a folder; operations take one file each")
                } else {
                    format!("{path} is not there{}", self.similar_name(path))
                };
                self.fault(ops[0].0, "path", message);
                None
            }
            _ if before == after.as_ref() => {
                self.note(ops[0].0, format!("{path} stays as it is"));
                None
            }
            _ => Some(FileTransition { path: path.to_owned(), before: before.map(FilePin::of), after }),
        }
    }

    /// Returns whether nothing is left in a folder, so that a file can take its place.
    fn is_emptied(&self, folder: &str) -> bool {
        let below = format!("{folder}/");
        let is_concerned = self.removed.range(below.as_str()..).next().is_some_and(|path| path.starts_with(&below));
        is_concerned
            && self.tree.names(folder).map(|name| within(folder, name)).all(|path| {
                self.removed.contains(path.as_str())
                    || (*self.tree.entry(&path) == PathState::Folder && self.is_emptied(&path))
            })
    }

    /// Returns the file that an operation adds, in the place of another perhaps.
    fn added(&mut self, index: usize, op: &Op, instead_of: Option<&FileContent>) -> Option<FileContent> {
        let Op::Add { executable, .. } = op else { return None };
        let Some(bytes) = op.content() else {
            self.fault(index, "content", "is no base64");
            return None;
        };
        let inherited = instead_of.is_some_and(|file| file.executable);
        Some(FileContent { bytes, executable: executable.unwrap_or(inherited) })
    }

    /// Carries out edits and splices of one file, all of them in the file as it was.
    fn rewritten(&mut self, path: &str, file: &FileContent, ops: &[NumberedOp<'_>]) -> Option<FileContent> {
        let lines = TextLines::of(&file.bytes);
        let faults_before = self.faults.len();
        let mut replacements: Vec<Replacement> = Vec::new();
        for (index, op) in ops {
            match op {
                Op::Edit { find, replace, occurrences, .. } => {
                    let wanted = occurrences.unwrap_or(1);
                    let found = self.edited((path, *index), &lines, (find, replace), wanted);
                    replacements.extend(found);
                }
                Op::Splice { start, delete_count, insert, .. } => {
                    let insert = insert.as_deref().unwrap_or_default();
                    let found = self.spliced((path, *index), &lines, (*start, *delete_count), insert);
                    replacements.extend(found);
                }
                Op::Add { .. } | Op::Remove { .. } => {}
            }
        }
        // Text inserted at the beginning of a replaced span stands before the text that replaces the span.
        replacements.sort_by_key(|one| (one.span.start, one.span.end));
        self.overlaps(path, &lines, &replacements);
        let gone: usize = replacements.iter().map(|one| one.span.len()).sum();
        let put_in: usize = replacements.iter().map(|one| one.with.len()).sum();
        let bytes_count = (file.bytes.len() + put_in).saturating_sub(gone);
        if self.faults.len() == faults_before && bytes_count > FILE_BYTES_MAX {
            let message = format!("makes {path} {bytes_count} bytes large, where {FILE_BYTES_MAX} is the most");
            self.fault(ops[0].0, "", message);
        }
        if self.faults.len() > faults_before {
            return None;
        }
        let mut bytes = Vec::with_capacity(bytes_count);
        let mut copied = 0;
        for one in &replacements {
            bytes.extend_from_slice(&file.bytes[copied..one.span.start]);
            if let Some(ending) = one.above.filter(|_| lines.is_within_line(&bytes)) {
                bytes.extend_from_slice(ending.bytes());
            }
            bytes.extend_from_slice(&one.with);
            copied = one.span.end;
        }
        bytes.extend_from_slice(&file.bytes[copied..]);
        Some(FileContent { bytes, executable: file.executable })
    }

    /// Looks for operations that touch the same bytes. Two insertions at one place count as well: their order is not
    /// known.
    fn overlaps(&mut self, path: &str, lines: &TextLines<'_>, replacements: &[Replacement]) {
        for pair in replacements.windows(2) {
            let [earlier, later] = pair else { continue };
            let line = lines.line_at(later.span.start) + 1;
            let (first, second) = (earlier.op.min(later.op), earlier.op.max(later.op));
            if later.span == earlier.span && later.span.is_empty() {
                self.fault(second, "", format!("inserts text where ops[{first}] does, in {path} at line {line}"));
            } else if later.span.start < earlier.span.end && first == second {
                self.fault(second, "find", format!("its places in {path} overlap at line {line}"));
            } else if later.span.start < earlier.span.end {
                self.fault(second, "", format!("overlaps ops[{first}] in {path} at line {line}"));
            }
        }
    }

    fn edited(
        &mut self,
        (path, op): (&str, usize),
        lines: &TextLines<'_>,
        (find, replace): (&str, &str),
        wanted: u32,
    ) -> Vec<Replacement> {
        if find.is_empty() {
            self.fault(op, "find", "is empty; it would match everywhere");
            return Vec::new();
        }
        let Some(located) = locate(lines, (find, replace), MatchTier::Near) else {
            self.fault(op, "find", format!("does not occur in {path}{}", nearest(lines, find)));
            return Vec::new();
        };
        let places = || {
            let first = located.matches.iter().take(5);
            let numbers: Vec<String> = first.map(|one| (lines.line_at(one.span.start) + 1).to_string()).collect();
            let more = if located.matches.len() > 5 { " and more" } else { "" };
            format!("lines {}{more}", numbers.join(", "))
        };
        if located.is_cut || located.matches.len() != wanted as usize {
            let more = if located.is_cut { "more than " } else { "" };
            let count = format!("{more}{} times in {path} ({})", located.matches.len(), places());
            if located.is_cut && wanted as usize > MATCHES_MAX {
                self.fault(op, "occurrences", format!("is {wanted}, where {MATCHES_MAX} is the most"));
            } else if wanted == 1 {
                let hint = "give more of the text around it, or `occurrences` if all are meant";
                self.fault(op, "find", format!("occurs {count}; {hint}"));
            } else {
                self.fault(op, "occurrences", format!("is {wanted}, but the text occurs {count}"));
            }
            return Vec::new();
        }
        if located.tier != MatchTier::Exact {
            let overlooked = located.tier.overlooks();
            self.note(op, format!("was found in {path} ({}) by overlooking {overlooked}", places()));
        }
        self.put_in((path, op), lines, (find, replace), &located)
    }

    /// Returns what takes the place of each match.
    fn put_in(
        &mut self,
        (path, op): (&str, usize),
        lines: &TextLines<'_>,
        texts: (&str, &str),
        located: &Located,
    ) -> Vec<Replacement> {
        let mut replacements = Vec::with_capacity(located.matches.len());
        let mut own = texts.1.len();
        for one in &located.matches {
            let bytes_max = own + self.grows;
            let Some(with) = located.replacement(one, lines, texts, bytes_max) else {
                let hint = "by repeating texts and indenting them";
                self.fault(op, "", format!("makes {path} grow too much: {GROWTH_BYTES_MAX} bytes is the most {hint}"));
                return Vec::new();
            };
            self.grows -= with.len().saturating_sub(own);
            own = own.saturating_sub(with.len());
            replacements.push(Replacement { op, span: one.span.clone(), with, above: None });
        }
        replacements
    }

    fn spliced(
        &mut self,
        (path, op): (&str, usize),
        lines: &TextLines<'_>,
        (start, delete_count): (u32, u32),
        insert: &str,
    ) -> Option<Replacement> {
        let (start, deleted) = (start as usize, delete_count as usize);
        let count = lines.count();
        if start > count {
            self.fault(op, "start", format!("is {start}, but {path} has {count} lines"));
            return None;
        }
        if deleted > count - start {
            let left = count - start;
            self.fault(op, "deleteCount", format!("is {deleted}, but {path} has {left} lines from {start} on"));
            return None;
        }
        if deleted == 0 && insert.is_empty() {
            self.fault(op, "", "neither deletes nor inserts a line");
            return None;
        }
        let end = start + deleted;
        let ending = lines.ending_near(start);
        let mut with = with_ending(insert, ending).into_owned();
        let was_open = count > 0 && lines.ending(count - 1).is_none();
        // A splice inserts whole lines. The last one ends as well, unless it ends a file that had no last ending.
        if !with.is_empty() && !with.ends_with(b"\n") && (end < count || !was_open) {
            with.extend_from_slice(ending.bytes());
        }
        let above = (start == count && !with.is_empty()).then_some(ending);
        Some(Replacement { op, span: lines.span(start..end), with, above })
    }

    /// Says which file may have been meant.
    fn similar_name(&self, path: &str) -> String {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let like = self.tree.names(folder).find(|other| folded(other) == folded(name));
        like.map(|other| format!("; there is {other}, written otherwise")).unwrap_or_default()
    }

    /// Returns the file or folder that some file system takes for a new one of this name.
    fn taken_for<'p>(
        &self,
        folder: &'p str,
        name: &'p str,
        gone: &BTreeSet<&str>,
        existing: &mut NamesByFolder<'p>,
    ) -> Option<String> {
        if self.names == NamePolicy::Any || self.tree.names(folder).any(|there| there == name) {
            return None;
        }
        let key = (folder, folded(name));
        let is_like = |other: &&str| folded(other) == key.1 && !gone.contains(within(folder, other).as_str());
        let there = self.tree.names(folder).find(is_like);
        let other = there.or_else(|| existing.get(&key).copied().filter(|other| *other != name));
        let other = other.map(|other| within(folder, other));
        existing.entry(key).or_insert(name);
        other
    }

    /// Looks for files that would get into each other's way: two names that some file system takes for one, or a
    /// file where a folder has to be.
    fn collisions(&mut self, by_path: &BTreeMap<&str, Vec<NumberedOp<'_>>>, changes: &[FileTransition]) {
        let gone: BTreeSet<&str> =
            changes.iter().filter(|change| change.after.is_none()).map(|change| change.path.as_str()).collect();
        let new = changes.iter().filter(|change| change.before.is_none()).map(|change| change.path.as_str());
        let new: BTreeSet<&str> = new.collect();
        let mut existing = BTreeMap::new();
        for path in &new {
            let op = by_path[path].last().map_or(0, |(index, _)| *index);
            let mut rest: &str = path;
            for folder in folders(path) {
                let name = rest.rsplit_once('/').map_or(rest, |(_, name)| name);
                let is_file = rest.len() == path.len();
                if !is_file && new.contains(rest) {
                    self.fault(op, "path", format!("{rest} would have to be a file and a folder"));
                }
                if !is_file && !gone.contains(rest) && matches!(self.tree.entry(rest), PathState::File(_)) {
                    self.fault(op, "path", format!("{rest} is a file, so nothing can lie in it"));
                }
                if let Some(other) = self.taken_for(folder, name, &gone, &mut existing) {
                    self.fault(op, "path", format!("{path} and {other} are one file to some file systems"));
                }
                rest = folder;
            }
        }
    }
}

/// Every name that will stand in a folder, by the folder and what it folds to.
type NamesByFolder<'a> = BTreeMap<(&'a str, String), &'a str>;

/// Returns the first operation on a file that cannot go with one before it, and that one.
fn contradiction(ops: &[NumberedOp<'_>]) -> Option<(usize, usize)> {
    let is_rewrite = matches!(ops, [(_, Op::Remove { .. }), (_, Op::Add { .. })]);
    let takes_whole = |op: &Op| matches!(op, Op::Add { .. } | Op::Remove { .. });
    if ops.len() < 2 || is_rewrite {
        return None;
    }
    let whole = ops.iter().position(|(_, op)| takes_whole(op))?;
    let (earlier, later) = if whole == 0 { (ops[0].0, ops[1].0) } else { (ops[0].0, ops[whole].0) };
    Some((later, earlier))
}
