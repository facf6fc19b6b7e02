//! Separates what a change introduces from what was there before.
//!
//! An old project has faults that the change is not asked to fix. Diagnostics of the changed tree are matched with
//! those of the base; those that are left over are new. On a line that the change wrote, an objection is old only where
//! the base has the same in its place: fixing one finding does not excuse introducing another elsewhere. On a line that
//! was there already, an objection is old as often as the base has it. Tests are matched by their ids: a test that is
//! gone has not passed. The court decides whether any of it matters.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use assize_core::diff::{Diff, DiffLineKind, FileChange, FileStatus};
use assize_report::driver_events::WHOLE;
use assize_report::{Diagnostic, TestCase, TestOutcome, TestRun};
use serde::{Deserialize, Serialize};

use crate::gate::{Dimension, Gate, GateRun, GateState};

/// Where files and lines of the base are found again in the changed tree.
#[derive(Debug, Clone, Default)]
pub struct Moves {
    renamed: BTreeMap<String, String>,
    added_lines: BTreeMap<String, BTreeSet<u32>>,
    /// By the path in the changed tree. `None` where the change of a file is not known in full.
    shifts: BTreeMap<String, Option<LineShift>>,
}

/// How the lines of one file moved.
#[derive(Debug, Clone, Default)]
struct LineShift {
    /// Lines of the base that stand in a hunk.
    was: BTreeMap<u32, BaseLine>,
    /// Added lines: the hunk, and the text.
    added: BTreeMap<u32, (usize, String)>,
    /// The first line of the base after each hunk, and the same line in the changed tree.
    after: BTreeMap<u32, u32>,
}

/// A line of the base.
#[derive(Debug, Clone)]
struct BaseLine {
    hunk: usize,
    /// Where it is now, unless it was removed.
    now: Option<u32>,
    /// What it said, if it was removed.
    text: Option<String>,
}

impl Moves {
    /// Returns whether a file of the changed tree is one that the change touches.
    pub fn touch(&self, path: &str) -> bool {
        self.shifts.contains_key(path)
    }
}

impl LineShift {
    fn of(file: &FileChange) -> Self {
        let mut shift = Self::default();
        for (index, hunk) in file.hunks.iter().enumerate() {
            // A side without lines is named by the line before it.
            let has_none = |other: DiffLineKind| u32::from(hunk.lines.iter().all(|line| line.kind == other));
            let mut old = hunk.old_start.saturating_add(has_none(DiffLineKind::Added));
            let mut new = hunk.new_start.saturating_add(has_none(DiffLineKind::Removed));
            for line in &hunk.lines {
                // Moved code is often indented otherwise.
                let text = line.text.inspect().trim().to_owned();
                match line.kind {
                    DiffLineKind::Added => drop(shift.added.insert(new, (index, text))),
                    DiffLineKind::Removed => {
                        drop(shift.was.insert(old, BaseLine { hunk: index, now: None, text: Some(text) }));
                    }
                    DiffLineKind::Context => {
                        drop(shift.was.insert(old, BaseLine { hunk: index, now: Some(new), text: None }));
                    }
                }
                old = old.saturating_add(u32::from(line.kind != DiffLineKind::Added));
                new = new.saturating_add(u32::from(line.kind != DiffLineKind::Removed));
            }
            shift.after.insert(old, new);
        }
        shift
    }

    /// Returns where a line of the base is now.
    fn now(&self, line: u32) -> Option<u32> {
        if let Some(was) = self.was.get(&line) {
            return was.now;
        }
        let before = self.after.range(..=line).next_back();
        Some(before.map_or(line, |(old, new)| new.saturating_add(line - old)))
    }
}

impl Moves {
    /// Reads them out of a change.
    pub fn of(diff: &Diff) -> Self {
        let renamed = diff.files.iter().filter(|file| file.status == FileStatus::Renamed);
        let renamed = renamed.filter_map(|file| Some((file.old_path.clone()?, file.path.clone()))).collect();
        let added = |file: &FileChange| file.added_lines().map(|(line, _)| line).collect();
        let mut moves = Self {
            renamed,
            added_lines: diff.files.iter().map(|file| (file.path.clone(), added(file))).collect(),
            shifts: BTreeMap::new(),
        };
        for file in &diff.files {
            let is_whole = file.lines_cut == 0 && file.old_known;
            let shift = is_whole.then(|| LineShift::of(file));
            // One that is gone and came again has two changes, of which neither tells it all.
            moves.shifts.entry(file.path.clone()).and_modify(|known| *known = None).or_insert(shift);
        }
        moves.pair_up(diff);
        moves
    }

    /// Finds files that got another name and that git does not see: it compares bytes, and only of files that it tracks.
    /// One that is gone and one that came are the same file when half of their lines are, the most alike first.
    fn pair_up(&mut self, diff: &Diff) {
        let gone: Vec<&FileChange> = diff.files.iter().filter(|file| file.status == FileStatus::Deleted).collect();
        let came: Vec<&FileChange> = diff.files.iter().filter(|file| file.status == FileStatus::Added).collect();
        if gone.len().saturating_mul(came.len()) > PAIRS_MAX {
            return;
        }
        let mut alike: Vec<(usize, usize, usize)> = Vec::new();
        for (from, old) in gone.iter().enumerate() {
            let kept = lines_of(old);
            for (to, new) in came.iter().enumerate() {
                let all = old.removed_count() + new.added_count();
                let same = new.added_count() - new_lines(&kept, new).len();
                if same > 0 && 2 * same * 100 >= all * ALIKE_PERCENT_MIN {
                    alike.push((2 * same * 100 / all, from, to));
                }
            }
        }
        alike.sort_by_key(|(percent, from, to)| (std::cmp::Reverse(*percent), *from, *to));
        let (mut left, mut taken) = (BTreeSet::new(), BTreeSet::new());
        for (_, from, to) in alike {
            if left.contains(&from) || taken.contains(&to) {
                continue;
            }
            left.insert(from);
            taken.insert(to);
            let (old, new) = (gone[from], came[to]);
            self.renamed.insert(old.path.clone(), new.path.clone());
            self.added_lines.insert(new.path.clone(), new_lines(&lines_of(old), new));
            self.shifts.insert(new.path.clone(), None);
        }
    }

    /// Returns the files that got another name: how each was called in the base, and what it is called now.
    pub fn renamed(&self) -> impl Iterator<Item = (&str, &str)> {
        self.renamed.iter().map(|(old, new)| (old.as_str(), new.as_str()))
    }

    /// Returns what a path of the base is called now.
    fn now<'a>(&'a self, path: &'a str) -> &'a str {
        self.renamed.get(path).map_or(path, String::as_str)
    }

    fn is_added(&self, diagnostic: &Diagnostic) -> bool {
        let lines = diagnostic.path.as_ref().and_then(|path| self.added_lines.get(path));
        lines.zip(diagnostic.line).is_some_and(|(lines, line)| lines.contains(&line))
    }

    /// Pairs equal objections of one file with those of the base, and returns what is left over of `now`.
    fn left_over<'d>(
        &self,
        path: Option<&str>,
        now: Vec<NumberedDiagnostic<'d>>,
        base: Vec<NumberedDiagnostic<'d>>,
    ) -> Vec<NumberedDiagnostic<'d>> {
        let untouched = LineShift::default();
        let shift = path.and_then(|path| self.shifts.get(path)).map_or(Some(&untouched), Option::as_ref);
        let is_added = |found: &Diagnostic| self.is_added(found);
        let mut pairs = Pairs { now, base };
        if let Some(shift) = shift {
            // The very line.
            pairs.join(|now| now.line.filter(|_| !is_added(now)), |base| shift.now(base.line?));
            // A line that moved.
            let text = |base: &Diagnostic| shift.was.get(&base.line?)?.text.as_deref();
            pairs.join(|now| Some(shift.added.get(&now.line?)?.1.as_str()), text);
            // One that was written anew in its place.
            pairs.join(|now| Some(shift.added.get(&now.line?)?.0), |base| Some(shift.was.get(&base.line?)?.hunk));
            // What is about the file as a whole stands at a fixed number.
            pairs.join(|now| now.line.filter(|_| is_added(now)), |base| base.line);
        }
        pairs.join(|now| (!is_added(now)).then_some(()), |_| Some(()));
        pairs.join(|_| Some(()), |base| (shift.is_none() || base.line.is_none()).then_some(()));
        pairs.now
    }
}

/// A diagnostic, and which one of the run it is.
type NumberedDiagnostic<'d> = (usize, &'d Diagnostic);

/// Equal objections that have not found their like yet.
struct Pairs<'d> {
    now: Vec<NumberedDiagnostic<'d>>,
    base: Vec<NumberedDiagnostic<'d>>,
}

impl Pairs<'_> {
    /// Takes out pairs with the same key, the first ones first. What has no key stays.
    fn join<K: Ord>(
        &mut self,
        key_now: impl Fn(&Diagnostic) -> Option<K>,
        key_base: impl Fn(&Diagnostic) -> Option<K>,
    ) {
        let mut places: BTreeMap<K, Vec<usize>> = BTreeMap::new();
        for (number, found) in self.base.iter().rev() {
            if let Some(key) = key_base(found) {
                places.entry(key).or_default().push(*number);
            }
        }
        let mut taken = BTreeSet::new();
        self.now.retain(|(_, found)| {
            let base = key_now(found).and_then(|key| places.get_mut(&key)?.pop());
            taken.extend(base);
            base.is_none()
        });
        self.base.retain(|(number, _)| !taken.contains(number));
    }
}

/// Most pairs of files that are compared to find out which got another name.
pub const PAIRS_MAX: usize = 10_000;
/// How much of two files has to be the same for them to be one that moved: what git asks for as well.
const ALIKE_PERCENT_MIN: usize = 50;

/// Counts the lines that a file had before it went.
fn lines_of(gone: &FileChange) -> BTreeMap<&str, usize> {
    let mut lines = BTreeMap::new();
    for (_, line) in gone.removed_lines() {
        *lines.entry(line).or_default() += 1;
    }
    lines
}

/// Returns the lines of a file that came which are more than another one had.
fn new_lines(kept: &BTreeMap<&str, usize>, came: &FileChange) -> BTreeSet<u32> {
    let mut left = kept.clone();
    let mut is_new = |line: &str| match left.get_mut(line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    came.added_lines().filter(|(_, line)| is_new(line)).map(|(number, _)| number).collect()
}

/// What makes two diagnostics the same, wherever they moved to: file, code and message. Numbers in a message often are
/// lines or counts, which move along. Of a script that failed as a whole what it printed last does not count: it is seldom the
/// same twice.
fn key(diagnostic: &Diagnostic, path: Option<&str>) -> (Option<String>, String, String) {
    let is_whole = diagnostic.code == "build" || diagnostic.code.starts_with("script:");
    let said = diagnostic.message.split_once(": ").filter(|_| is_whole).map_or(&*diagnostic.message, |(what, _)| what);
    let mut message = String::with_capacity(said.len());
    let mut in_number = false;
    for character in said.chars() {
        if !character.is_ascii_digit() {
            message.push(character);
        } else if !in_number {
            message.push('#');
        }
        in_number = character.is_ascii_digit();
    }
    (path.map(str::to_owned), diagnostic.code.clone(), message)
}

/// Returns the diagnostics that the base has not.
///
/// The same objection may stand several times in a file. One on an added line is an old one when the base has it on a
/// line that said the same, in the same hunk or under the same number. Of those on lines that were there, as many are
/// old as the base has: which of several equal objections is the new one cannot be told for sure, that one is new can.
pub fn new_diagnostics(now: &[Diagnostic], base: &[Diagnostic], moves: &Moves) -> Vec<Diagnostic> {
    let mut known: BTreeMap<_, Vec<NumberedDiagnostic<'_>>> = BTreeMap::new();
    for (number, found) in base.iter().enumerate() {
        let path = found.path.as_deref().map(|path| moves.now(path));
        known.entry(key(found, path)).or_default().push((number, found));
    }
    let mut groups: BTreeMap<_, Vec<NumberedDiagnostic<'_>>> = BTreeMap::new();
    for (number, found) in now.iter().enumerate() {
        groups.entry(key(found, found.path.as_deref())).or_default().push((number, found));
    }
    let mut new: Vec<NumberedDiagnostic<'_>> = Vec::new();
    for (key, group) in groups {
        let old = known.remove(&key).unwrap_or_default();
        new.extend(moves.left_over(key.0.as_deref(), group, old));
    }
    new.sort_unstable_by_key(|(number, _)| *number);
    new.into_iter().map(|(_, found)| found.clone()).collect()
}

/// How the tests of the changed tree stand against those of the base.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestComparison {
    /// Tests that the base has and that are not reported any more.
    pub missing: Vec<String>,
    /// Tests that ran in the base and are now skipped or left out.
    pub no_longer_run: Vec<String>,
    /// Those of both lists that test edge cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edge_gone: Vec<String>,
    /// Tests that the base has not.
    pub added: usize,
}

/// Leaves of a run's objections those that another run on the same tree has as well.
pub fn keep_shared(run: &mut GateRun, other: &GateRun) {
    let Some(report) = &mut run.report else { return };
    let key = |found: &Diagnostic| (found.code.clone(), found.path.clone(), found.line, found.message.clone());
    let there: BTreeSet<_> = other.report.iter().flat_map(|report| &report.diagnostics).map(key).collect();
    report.diagnostics.retain(|found| there.contains(&key(found)));
    report.diagnostics_left_out =
        report.diagnostics_left_out.min(other.report.as_ref().map_or(0, |report| report.diagnostics_left_out));
    if report.diagnostics.is_empty() && report.diagnostics_left_out == 0 && report.tests.is_none() {
        run.state = GateState::Passed;
    }
}

/// Leaves out what a checker objects to in files that a run has made, such as those of a build.
pub fn leave_out_made(run: &mut GateRun, is_made: impl Fn(&str) -> bool) {
    let Some(report) = &mut run.report else { return };
    let before = report.diagnostics.len();
    report.diagnostics.retain(|found| found.path.as_ref().is_none_or(|path| !is_made(path)));
    let is_less = report.diagnostics.len() < before;
    if is_less && report.diagnostics.is_empty() && report.diagnostics_left_out == 0 && report.tests.is_none() {
        run.state = GateState::Passed;
    }
}

/// Where a rule counts as broken that the base breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenRule {
    /// In the whole tree.
    Everywhere,
    /// In the files alone in which the base breaks it.
    InItsFiles,
    /// In the files in which the base breaks it, and in those that the base does not have.
    InItsFilesAndNew,
}

impl BrokenRule {
    /// Returns where rules of a checker count as broken; `None` where the base breaking them excuses nothing.
    ///
    /// A checker which the maintainers run on every change would have kept the base out: here it has rules, or a version,
    /// that it did not have there. A formatter has one rule for everything, so where they run one, it counts as broken in
    /// the files alone that it objects to on the base: elsewhere it writes as theirs does. A formatter that nothing
    /// calls, and that most of the base's files do not satisfy, is not the project's. What a checker of types says follows from
    /// other files: one that nothing calls says nothing new of a file in which the base breaks the same rule, and of a file
    /// that is new it says what it says of those that are there.
    pub fn of(is_called: bool, kind: CheckerKind, base: &GateRun, files: &BTreeSet<String>) -> Option<Self> {
        match (is_called, kind) {
            (true, CheckerKind::Linter) => Some(Self::Everywhere),
            (true, CheckerKind::Formatter) => Some(Self::InItsFiles),
            (false, CheckerKind::OfTypes) => Some(Self::InItsFilesAndNew),
            (false, CheckerKind::Formatter) => objects_to_most(base, files).then_some(Self::Everywhere),
            (false, CheckerKind::Linter) | (true, CheckerKind::OfTypes) => None,
        }
    }
}

/// What a checker looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckerKind {
    /// The layout of files.
    Formatter,
    /// Rules of style.
    Linter,
    /// Types, in a language that runs without them as well.
    OfTypes,
}

impl CheckerKind {
    /// The kind of a gate; `None` for what runs code, or builds it.
    pub fn of(gate: &dyn Gate) -> Option<Self> {
        let is_of_style = gate.dimensions().iter().all(|dimension| *dimension == Dimension::Style);
        let builds = gate.builds_in().is_some_and(|tool| tool != gate.id());
        let is_of_types = gate.dimensions().contains(&Dimension::Types) && !builds;
        match (gate.is_formatter(), is_of_style) {
            (true, _) => Some(Self::Formatter),
            (false, true) => Some(Self::Linter),
            (false, false) => is_of_types.then_some(Self::OfTypes),
        }
    }
}

/// Returns whether a run objects to more than half of the files whose names end as those do that it objects to.
fn objects_to_most(run: &GateRun, files: &BTreeSet<String>) -> bool {
    let objected: BTreeSet<&str> =
        run.report.iter().flat_map(|report| &report.diagnostics).filter_map(|found| found.path.as_deref()).collect();
    let kinds: BTreeSet<_> = objected.iter().map(|path| Path::new(path).extension()).collect();
    let like_them = files.iter().filter(|path| kinds.contains(&Path::new(path).extension())).count();
    objected.len() * 2 > like_them
}

/// Takes out of a run what is new and breaks a rule that the base breaks as well. `files` are those of the base. Returns how
/// many objections that were.
pub fn take_out_broken_rules(
    run: &mut GateRun,
    base: &GateRun,
    moves: &Moves,
    counts: BrokenRule,
    files: &BTreeSet<String>,
) -> usize {
    let (Some(report), Some(before)) = (&run.report, &base.report) else { return 0 };
    let rules: BTreeSet<&str> = before.diagnostics.iter().map(|found| found.code.as_str()).collect();
    let in_files: BTreeSet<_> = before.diagnostics.iter().map(|found| (&found.code, &found.path)).collect();
    let is_new = |found: &Diagnostic| found.path.as_ref().is_some_and(|path| !files.contains(path));
    let counts = |found: &Diagnostic| match counts {
        BrokenRule::Everywhere => rules.contains(found.code.as_str()),
        BrokenRule::InItsFilesAndNew if is_new(found) => rules.contains(found.code.as_str()),
        BrokenRule::InItsFiles | BrokenRule::InItsFilesAndNew => in_files.contains(&(&found.code, &found.path)),
    };
    let new = new_diagnostics(&report.diagnostics, &before.diagnostics, moves);
    let taken = new.into_iter().filter(counts).collect();
    take_out(run, taken)
}

/// Takes out of a formatter's run its objections to the layout of files that it could not read on the base: nothing says how
/// they were laid out there. Returns how many objections that were.
///
/// It names the line of what it cannot read, and none where it would write a file differently.
pub fn take_out_unread(run: &mut GateRun, base: &GateRun) -> usize {
    let (Some(report), Some(before)) = (&run.report, &base.report) else { return 0 };
    let unread: BTreeSet<_> =
        before.diagnostics.iter().filter(|found| found.line.is_some()).map(|it| &it.path).collect();
    let of_unread = |found: &&Diagnostic| found.line.is_none() && unread.contains(&found.path);
    let taken = report.diagnostics.iter().filter(of_unread).cloned().collect();
    take_out(run, taken)
}

/// Takes objections out of a run, each once. Returns how many there were.
fn take_out(run: &mut GateRun, mut taken: Vec<Diagnostic>) -> usize {
    let count = taken.len();
    let Some(report) = &mut run.report else { return 0 };
    report.diagnostics.retain(|found| match taken.iter().position(|other| other == found) {
        Some(at) => {
            taken.swap_remove(at);
            false
        }
        None => true,
    });
    if count > 0 && report.diagnostics.is_empty() && report.diagnostics_left_out == 0 {
        run.state = GateState::Passed;
    }
    count
}

/// The name of a test without where it stands.
pub fn own_name(id: &str) -> &str {
    let own = id.rsplit(" > ").next().unwrap_or(id);
    let own = own.rsplit("::").next().unwrap_or(own);
    if own.len() < id.len() {
        return own;
    }
    go_package(id).map_or(own, |package| &id[package.len() + 1..])
}

/// The package of a test of Go, by the kinds of names that tests have there: `example.com/shop.TestTotal/empty`.
pub fn go_package(id: &str) -> Option<&str> {
    ["Test", "Fuzz", "Example"].iter().filter_map(|kind| id.find(&format!(".{kind}"))).min().map(|at| &id[..at])
}

/// The file of a test that is named by its place, as examples in prose are: `README.md::line:3,column:1`.
fn file_of_example(id: &str) -> Option<String> {
    id.strip_suffix(own_name(id)).filter(|_| own_name(id).starts_with("line:")).map(str::to_owned)
}

/// The function of a test, and the parameters that it runs with: `tests/a.py::f` and `x-1` of `tests/a.py::f[x-1]`.
fn parameters_of(id: &str) -> Option<(&str, &str)> {
    // What is too long is cut off.
    let inner = id.strip_suffix(']').or_else(|| id.contains(".py::").then_some(id))?;
    inner.split_once('[')
}

/// Returns whether one of the parameters is named by the runner, after the argument and its number: `value0` of `value0-1`.
fn has_number(parameters: &str) -> bool {
    let is_numbered = |part: &str| {
        let name = part.trim_end_matches(|character: char| character.is_ascii_digit());
        name.len() < part.len() && name.starts_with(|character: char| character.is_alphabetic() || character == '_')
    };
    parameters.split('-').any(is_numbered)
}

/// How often each name comes.
pub(crate) fn counted<K: Ord>(names: impl Iterator<Item = K>) -> BTreeMap<K, usize> {
    let mut counts = BTreeMap::new();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    counts
}

/// Takes one of a name, if one is left.
pub(crate) fn take_one<K: Ord>(counts: &mut BTreeMap<K, usize>, name: &K) -> bool {
    let left = counts.get_mut(name).filter(|left| **left > 0);
    left.map(|left| *left -= 1).is_some()
}

/// Compares two runs by the ids of their tests. A test that runs under the same name in another place has moved.
pub fn compare_tests(now: &TestRun, base: &TestRun) -> TestComparison {
    let outcomes: BTreeMap<&str, TestOutcome> = now.cases.iter().map(|case| (&*case.id, case.outcome)).collect();
    let before: BTreeSet<&str> = base.cases.iter().map(|case| &*case.id).collect();
    let added = || now.cases.iter().filter(|case| case.outcome.was_executed() && !before.contains(&*case.id));
    let moved: BTreeSet<&str> = added().map(|case| own_name(&case.id)).collect();
    // A file that could not be read in the base has its tests now, and a run that could not begin has all of them. What
    // went wrong outside of all tests need not do so again.
    let read_now = |case: &TestCase| {
        if case.id == WHOLE || base.faults.contains(&case.id) {
            let beside = |now: &&TestCase| case.path.is_none() || now.path == case.path;
            return now.cases.iter().filter(beside).any(|now| now.outcome.was_executed());
        }
        let inside = ["::", " > ", "."].map(|between| format!("{}{between}", case.id));
        let is_inside = |now: &TestCase| inside.iter().any(|inside| now.id.starts_with(inside));
        case.outcome == TestOutcome::Failed && now.cases.iter().any(is_inside)
    };
    // Lines move.
    let mut examples = counted(added().filter_map(|case| file_of_example(&case.id)));
    // Names that a runner gives to parameters are others in another version of it.
    let mut renamed = counted(added().filter_map(|case| {
        let (function, parameters) = parameters_of(&case.id)?;
        Some((function.to_owned(), has_number(parameters)))
    }));
    let mut is_example = |case: &TestCase| file_of_example(&case.id).is_some_and(|file| take_one(&mut examples, &file));
    let mut is_renamed = |case: &TestCase| {
        let Some((function, parameters)) = parameters_of(&case.id) else { return false };
        let kinds: &[bool] = if has_number(parameters) { &[false, true] } else { &[true] };
        kinds.iter().any(|kind| take_one(&mut renamed, &(function.to_owned(), *kind)))
    };
    let missing = |case: &&TestCase| {
        !outcomes.contains_key(&*case.id)
            && !moved.contains(own_name(&case.id))
            && !read_now(case)
            && !is_example(case)
            && !is_renamed(case)
    };
    // Code that calls itself an expected failure has not been tested either.
    let excused = |case: &TestCase, now: TestOutcome| {
        now == TestOutcome::ExpectedFailure && case.outcome != TestOutcome::ExpectedFailure
    };
    let not_run = |case: &&TestCase| {
        let now = outcomes.get(&*case.id).filter(|_| case.outcome.was_executed());
        now.is_some_and(|now| !now.was_executed() || excused(case, *now))
    };
    let ids = |cases: Vec<&TestCase>| cases.into_iter().map(|case| case.id.clone()).collect();
    TestComparison {
        missing: ids(base.cases.iter().filter(missing).collect()),
        no_longer_run: ids(base.cases.iter().filter(not_run).collect()),
        edge_gone: Vec::new(),
        added: now.cases.iter().filter(|case| !before.contains(&*case.id)).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec_report::testing::tested;
    use assize_core::diff::parse_git_patch;
    use assize_core::finding::Severity;
    use assize_report::{Offer, OfferedEdit, Position};

    #[test]
    fn what_a_build_has_made_is_not_held_against_anyone() {
        use crate::exec_report::testing::{diagnostic, lint};
        let of = |path: &str| Diagnostic { path: Some(path.to_owned()), ..diagnostic(1, "odd", Severity::Error) };
        for (found, left, state) in [
            (vec![of("dist/a.js")], 0, GateState::Passed),
            (vec![of("dist/a.js"), of("src/a.js")], 1, GateState::Failed),
            (vec![Diagnostic { path: None, ..of("") }, of("dist/a.js")], 1, GateState::Failed),
        ] {
            let mut run = lint(&found);
            leave_out_made(&mut run, |path| path.starts_with("dist/"));
            assert_eq!((run.report.map(|report| report.diagnostics.len()), run.state), (Some(left), state));
        }
    }

    /// A file that is gone, and untracked ones that came.
    fn moved(gone: &[(&str, &str)], came: &[(&str, &str)]) -> Moves {
        let removed = |(path, text): &(&str, &str)| {
            let count = text.lines().count();
            let lines: String = text.lines().map(|line| format!("-{line}\n")).collect();
            format!(
                "diff --git a/{path} b/{path}\ndeleted file mode 100644\n--- a/{path}\n+++ /dev/null\n@@ -1,{count} +0,0 @@\n{lines}"
            )
        };
        let patch: String = gone.iter().map(removed).collect();
        let mut files = parse_git_patch(patch.as_bytes());
        assert_eq!(files.len(), gone.len());
        files.extend(came.iter().map(|(path, text)| FileChange { untracked: true, ..FileChange::added(*path, text) }));
        Moves::of(&Diff { files, ..Diff::default() })
    }

    #[test]
    fn a_file_that_got_another_name_is_found_without_git() {
        let old = "a\nb\nc\nd\n";
        let cases: [(&str, &str, Option<&[u32]>); 6] = [
            ("the same", old, Some(&[])),
            ("one more", "a\nb\nnew\nc\nd\n", Some(&[3])),
            ("a line twice", "a\nb\nb\nc\nd\n", Some(&[3])),
            ("half of it", "a\nb\nx\ny\n", Some(&[3, 4])),
            ("less than half", "a\nx\ny\nz\n", None),
            ("nothing", "", None),
        ];
        for (about, text, expected) in cases {
            let moves = moved(&[("old.py", old)], &[("new.py", text)]);
            let is = if expected.is_some() { "new.py" } else { "old.py" };
            assert_eq!(moves.now("old.py"), is, "{about}");
            if let Some(lines) = expected {
                assert_eq!(moves.added_lines["new.py"], lines.iter().copied().collect(), "{about}");
            }
        }
    }

    #[test]
    fn the_most_alike_are_the_same_file() {
        let moves =
            moved(&[("a", "1\n2\n3\n4\n"), ("b", "1\n2\n3\n5\n")], &[("x", "1\n2\n3\n5\n"), ("y", "1\n2\n3\n4\n")]);
        assert_eq!((moves.now("a"), moves.now("b")), ("y", "x"));
        let moves = moved(&[("a", "1\n2\n")], &[("x", "1\n2\n"), ("y", "1\n2\n")]);
        assert_eq!(moves.now("a"), "x", "one file does not become two");
    }

    #[test]
    fn only_so_many_files_are_compared() {
        let gone: Vec<String> = (0..100).map(|number| format!("gone-{number}")).collect();
        let gone: Vec<(&str, &str)> = gone.iter().map(|path| (path.as_str(), "1\n2\n")).collect();
        let came: Vec<String> = (0..PAIRS_MAX / 100 + 1).map(|number| format!("came-{number:03}")).collect();
        let came: Vec<(&str, &str)> = came.iter().map(|path| (path.as_str(), "1\n2\n")).collect();
        assert_eq!(moved(&gone, &came[1..]).now("gone-0"), "came-001", "at the limit");
        assert_eq!(moved(&gone, &came).now("gone-0"), "gone-0", "one past it");
    }

    fn diagnostic(path: &str, line: u32, message: &str) -> Diagnostic {
        Diagnostic {
            code: "F401".to_owned(),
            severity: Severity::Error,
            path: Some(path.to_owned()),
            line: Some(line),
            message: message.to_owned(),
            offer: None,
        }
    }

    #[test]
    fn each_checker_is_of_a_kind() {
        use CheckerKind::{Formatter, Linter, OfTypes};
        let kind = |id: &str| CheckerKind::of(*crate::gate::GATES.iter().find(|gate| gate.id() == id).expect(id));
        for (id, expected) in [
            ("gofmt", Some(Formatter)),
            ("eslint", Some(Linter)),
            ("tsc", Some(OfTypes)),
            ("mypy", Some(OfTypes)),
            ("pyright", Some(OfTypes)),
            ("cargo-check", None),
            ("go-build", None),
            ("pytest", None),
        ] {
            assert_eq!(kind(id), expected, "{id}");
        }
    }

    #[test]
    fn a_rule_that_the_base_breaks_is_not_held_against_the_change() {
        use crate::exec_report::testing::lint;
        let in_file = |path: &str, code: &str, line: u32, message: &str| Diagnostic {
            code: code.to_owned(),
            ..diagnostic(path, line, message)
        };
        let coded = |code: &str, line: u32, message: &str| in_file("a.py", code, line, message);
        let base = lint(&[coded("E1", 1, "old"), coded("E1", 2, "old, too")]);
        let taken = |now: &[Diagnostic]| {
            let mut run = lint(now);
            let count =
                take_out_broken_rules(&mut run, &base, &Moves::default(), BrokenRule::Everywhere, &BTreeSet::new());
            let left: Vec<String> =
                run.report.iter().flat_map(|report| &report.diagnostics).map(|found| found.message.clone()).collect();
            (count, left.join(", "), run.state)
        };
        let old = coded("E1", 1, "old");
        assert_eq!(taken(&[old.clone(), coded("E1", 9, "new")]), (1, "old".to_owned(), GateState::Failed));
        assert_eq!(taken(&[coded("E1", 9, "new")]), (1, String::new(), GateState::Passed));
        assert_eq!(
            taken(&[coded("E2", 9, "new")]),
            (0, "new".to_owned(), GateState::Failed),
            "the base keeps that rule"
        );
        assert_eq!(taken(&[old, coded("E1", 9, "new"), coded("E1", 12, "new")]).0, 2);
        let tree = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<BTreeSet<_>>();
        let (alone, two) = (tree(&["a.py", "README.md"]), tree(&["a.py", "b.py"]));
        let formatted = |path: &str, is_called, files| {
            let counts = BrokenRule::of(is_called, CheckerKind::Formatter, &base, files)?;
            let mut run = lint(&[in_file(path, "E1", 9, "new")]);
            Some(take_out_broken_rules(&mut run, &base, &Moves::default(), counts, files))
        };
        let called = (formatted("a.py", true, &two), formatted("b.py", true, &two));
        assert_eq!(called, (Some(1), Some(0)), "a formatter that wrote b.py as it stands knows it");
        assert_eq!(formatted("b.py", false, &alone), Some(1), "nothing calls it, and the base does not satisfy it");
        assert_eq!(formatted("b.py", false, &two), None, "half of the base satisfies it");
        let of = |is_called, kind| BrokenRule::of(is_called, kind, &base, &two);
        assert_eq!(of(true, CheckerKind::Linter), Some(BrokenRule::Everywhere));
        assert_eq!(of(false, CheckerKind::Linter), None, "a linter with settings and no call is held to");
        assert_eq!(of(false, CheckerKind::OfTypes), Some(BrokenRule::InItsFilesAndNew));
        let typed = |path: &str, code: &str| {
            let mut run = lint(&[in_file(path, code, 9, "new")]);
            take_out_broken_rules(&mut run, &base, &Moves::default(), BrokenRule::InItsFilesAndNew, &two)
        };
        let of_files = [typed("a.py", "E1"), typed("b.py", "E1"), typed("new.py", "E1"), typed("new.py", "E2")];
        assert_eq!(of_files, [1, 0, 1, 0], "b.py keeps the rule, and a new file is like those that do not");
        assert_eq!(of(true, CheckerKind::OfTypes), None, "what the maintainers run they hold to");
    }

    #[test]
    fn a_script_that_fails_on_the_base_as_well_may_print_something_else() {
        let ended = |code: &str, message: &str| Diagnostic {
            code: code.to_owned(),
            line: None,
            ..diagnostic("package.json", 1, message)
        };
        let is_new =
            |now: Diagnostic, base: Diagnostic| !new_diagnostics(&[now], &[base], &Moves::default()).is_empty();
        let failed = |said: &str| format!("the script `test` ended with status 1: {said}");
        assert!(!is_new(ended("script:test", &failed("see b")), ended("script:test", &failed("see a"))));
        assert!(is_new(ended("script:lint", &failed("see b")), ended("script:test", &failed("see a"))));
        assert!(!is_new(ended("build", "`x` did not work: b"), ended("build", "`x` did not work: a")));
        assert!(is_new(ended("build", "`y` did not work: a"), ended("build", "`x` did not work: a")));
        assert!(is_new(ended("E1", "no name: b"), ended("E1", "no name: a")));
    }

    #[test]
    fn the_layout_of_a_file_that_the_base_could_not_read_is_not_held_against_the_change() {
        use crate::exec_report::testing::lint;
        let layout = |path: &str| Diagnostic { line: None, ..diagnostic(path, 1, "it would write this differently") };
        let base = lint(&[diagnostic("a.go", 7, "missing ','"), layout("b.go")]);
        let left = |now: &[Diagnostic]| {
            let mut run = lint(now);
            (take_out_unread(&mut run, &base), run.state)
        };
        assert_eq!(left(&[layout("a.go")]), (1, GateState::Passed));
        assert_eq!(left(&[layout("a.go"), layout("c.go")]), (1, GateState::Failed), "c.go was well laid out");
        assert_eq!(left(&[diagnostic("a.go", 9, "missing ','")]), (0, GateState::Failed), "it still cannot be read");
    }

    fn lines(now: &[Diagnostic], base: &[Diagnostic], patch: &str) -> Vec<u32> {
        let diff = Diff { files: parse_git_patch(patch.as_bytes()), ..Diff::default() };
        new_diagnostics(now, base, &Moves::of(&diff)).into_iter().filter_map(|found| found.line).collect()
    }

    #[test]
    fn only_what_the_base_has_not_is_new() {
        let old = [diagnostic("a.py", 1, "unused os"), diagnostic("a.py", 2, "unused sys")];
        let moved = [diagnostic("a.py", 11, "unused os"), diagnostic("a.py", 12, "unused sys")];
        assert_eq!(lines(&moved, &old, ""), [0_u32; 0]);
        let more = [moved[0].clone(), moved[1].clone(), diagnostic("a.py", 5, "unused re")];
        assert_eq!(lines(&more, &old, ""), [5]);
        assert_eq!(lines(&[diagnostic("b.py", 1, "unused os")], &old, ""), [1]);
    }

    #[test]
    fn what_a_tool_offers_makes_no_objection_a_new_one() {
        let edit = OfferedEdit {
            path: "a.py".to_owned(),
            start: Position::Byte(0),
            end: Position::Byte(1),
            replacement: String::new(),
        };
        let plain = [diagnostic("a.py", 1, "unused os")];
        let offered = plain.clone().map(|found| Diagnostic { offer: Offer::of(vec![edit.clone()]), ..found });
        for (now, base) in [(&plain, &offered), (&offered, &plain)] {
            assert_eq!(lines(now, base, ""), [0_u32; 0]);
            assert_eq!(new_diagnostics(now, &[], &Moves::default()), *now, "it keeps its own");
        }
    }

    #[test]
    fn of_equal_objections_the_one_on_an_added_line_is_new() {
        let patch = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,2 @@\n+import os\n import os\n";
        let old = [diagnostic("a.py", 1, "unused os")];
        let now = [diagnostic("a.py", 1, "unused os"), diagnostic("a.py", 2, "unused os")];
        assert_eq!(lines(&now, &old, patch), [1]);
        assert_eq!(lines(&now, &old, ""), [2]);
    }

    /// A patch of one file.
    fn hunks(hunks: &[&str]) -> String {
        format!("diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n{}", hunks.concat())
    }

    #[test]
    fn a_fault_is_not_made_for_another_one_that_was_mended_elsewhere() {
        let mended = "@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4\n";
        let made = "@@ -14,2 +14,3 @@\n 14\n+made\n 15\n";
        let gone = "@@ -2,3 +2,2 @@\n 2\n-3\n 4\n";
        let same_text = "@@ -14,2 +13,3 @@\n 14\n+    3\n 15\n";
        /// What is tried, the hunks, and lines with the fault: in the base, now, and those that are new.
        type LineShiftCase<'a> = (&'a str, &'a [&'a str], &'a [u32], &'a [u32], &'a [u32]);
        let cases: [LineShiftCase<'_>; 12] = [
            ("mended in a line that was written anew", &[mended, made], &[3], &[15], &[15]),
            ("mended in a line that is as it was", &[made], &[3], &[15], &[15]),
            ("mended in a line that went", &[gone, "@@ -14,2 +13,3 @@\n 14\n+made\n 15\n"], &[3], &[14], &[14]),
            ("a line that moved, indented otherwise", &[gone, same_text], &[3], &[14], &[]),
            ("written anew in its place", &[mended], &[3], &[3], &[]),
            ("the line before it was added", &[made], &[15], &[15], &[]),
            ("about the file, at a fixed number", &["@@ -1,0 +1,2 @@\n+a\n+b\n"], &[2], &[2], &[]),
            ("pushed down", &["@@ -0,0 +1,2 @@\n+a\n+b\n"], &[3, 9], &[5, 11], &[]),
            ("pushed down, and one above", &["@@ -0,0 +1,2 @@\n+a\n+b\n"], &[3, 9], &[1, 5, 11], &[1]),
            ("one mended, one stays, one made", &[made], &[3, 9], &[9, 15], &[15]),
            ("one below, one made", &[made], &[3, 17], &[15, 18], &[15]),
            ("made by what was done elsewhere", &[mended], &[3], &[9], &[]),
        ];
        for (about, patch, base, now, expected) in cases {
            let of = |lines: &[u32]| -> Vec<_> { lines.iter().map(|line| diagnostic("a.py", *line, "x")).collect() };
            assert_eq!(lines(&of(now), &of(base), &hunks(patch)), expected, "{about}");
        }
    }

    #[test]
    fn where_a_change_is_not_known_in_full_equal_objections_are_counted() {
        let patch = hunks(&["@@ -14,2 +14,3 @@\n 14\n+made\n 15\n"]);
        let whole = parse_git_patch(patch.as_bytes());
        let with = |spoil: fn(&mut Vec<FileChange>)| {
            let mut files = whole.clone();
            spoil(&mut files);
            let moves = Moves::of(&Diff { files, ..Diff::default() });
            new_diagnostics(&[diagnostic("a.py", 15, "x")], &[diagnostic("a.py", 3, "x")], &moves).len()
        };
        assert_eq!(with(|_| ()), 1);
        assert_eq!(with(|files| files[0].lines_cut = 1), 0);
        assert_eq!(with(|files| files[0].old_known = false), 0);
        assert_eq!(with(|files| files.push(files[0].clone())), 0);
        // Of a file that moved without git knowing it, too.
        let moves = moved(&[("a.py", "a\nb\nc\nd\n")], &[("b.py", "a\nb\nnew\nd\n")]);
        let (old, now) = (diagnostic("a.py", 3, "x"), diagnostic("b.py", 3, "x"));
        assert_eq!(new_diagnostics(&[now], &[old], &moves), []);
    }

    #[test]
    fn a_renamed_file_keeps_its_old_faults() {
        let patch = "diff --git a/a.py b/b.py\nsimilarity index 100%\nrename from a.py\nrename to b.py\n";
        let old = [diagnostic("a.py", 1, "unused os")];
        assert_eq!(lines(&[diagnostic("b.py", 1, "unused os")], &old, patch), [0_u32; 0]);
    }

    #[test]
    fn numbers_in_messages_move_along() {
        let old = [diagnostic("a.py", 1, "redefinition of x from line 10")];
        assert_eq!(lines(&[diagnostic("a.py", 1, "redefinition of x from line 2")], &old, ""), [0_u32; 0]);
        assert_eq!(lines(&[diagnostic("a.py", 1, "redefinition of y from line 10")], &old, ""), [1]);
    }

    #[test]
    fn a_name_of_a_place_or_of_another_runner_is_the_same_test() {
        let run = |ids: &[&str]| {
            let cases: Vec<_> = ids.iter().map(|id| (*id, TestOutcome::Passed)).collect();
            tested(&cases).report.and_then(|report| report.tests).expect("tests")
        };
        let of = |base: &[&str], now: &[&str]| compare_tests(&run(now), &run(base)).missing.len();
        assert_eq!(of(&["t.py::f[value0]", "t.py::f[value1]"], &["t.py::f[0a]", "t.py::f[bc]"]), 0);
        assert_eq!(of(&["t.py::f[0a]", "t.py::f[bc]"], &["t.py::f[value0]", "t.py::f[value1]"]), 0);
        assert_eq!(of(&["t.py::f[rows0-a-+--+]"], &["t.py::f[rows0-a-expected0]"]), 0, "a long one gets a number");
        assert_eq!(of(&["t.py::f[rows0-a-+--"], &["t.py::f[rows0-a-expected0]"]), 0, "its end is cut off");
        assert_eq!(of(&["t.py::f[value0]", "t.py::f[value1]"], &["t.py::f[0a]"]), 1, "one of two is gone");
        assert_eq!(of(&["t.py::f[hard]"], &["t.py::f[easy]"]), 1, "it is another case");
        assert_eq!(of(&["t.py::f[value0]"], &["t.py::g[0a]"]), 1, "it is another test");
        assert_eq!(of(&["t.py::x[22:39]"], &["t.py::x[22:40]"]), 1, "the base would have to say that its names move");
        let prose = run(&["a.md::line:3,column:1", "a.md::line:40,column:1"]);
        let missing = |ids: &[&str]| compare_tests(&run(ids), &prose).missing.len();
        assert_eq!(missing(&["a.md::line:5,column:1", "a.md::line:42,column:1"]), 0);
        assert_eq!(missing(&["a.md::line:5,column:1", "b.md::line:42,column:1"]), 1);
    }

    #[test]
    fn tests_that_are_gone_or_no_longer_run_are_named() {
        let run = |cases: &[(&str, TestOutcome)]| TestRun {
            cases: cases
                .iter()
                .map(|(id, outcome)| TestCase {
                    id: (*id).to_owned(),
                    path: None,
                    outcome: *outcome,
                    message: None,
                    time_ms: None,
                })
                .collect(),
            ..TestRun::default()
        };
        use TestOutcome::{Failed, Passed, Skipped};
        let base = run(&[
            ("a", Passed),
            ("b", Failed),
            ("c", Passed),
            ("d", Skipped),
            ("old::f", Passed),
            ("new", Failed),
            (WHOLE, Failed),
        ]);
        let now = run(&[("a", Passed), ("c", Skipped), ("d", Skipped), ("e", Passed), ("new::f", Passed)]);
        let comparison = compare_tests(&now, &base);
        assert_eq!(comparison.missing, ["b"]);
        assert_eq!(comparison.no_longer_run, ["c"]);
        assert_eq!(comparison.added, 2);
        assert_eq!(compare_tests(&run(&[("a", Skipped)]), &run(&[(WHOLE, Failed)])).missing, [WHOLE]);
        let fault = TestRun { faults: ["b".to_owned()].into(), ..base };
        assert!(compare_tests(&now, &fault).missing.is_empty());
        // A package that could not be built has its tests now.
        let unbuilt = run(&[("example.com/a", Failed)]);
        assert!(compare_tests(&run(&[("example.com/a.TestB", Passed)]), &unbuilt).missing.is_empty());
        assert_eq!(compare_tests(&run(&[("example.com/ab.TestB", Passed)]), &unbuilt).missing.len(), 1);
        // A package becomes part of a module.
        let (bare, module) = (run(&[("_/x/a.TestB/c", Passed)]), run(&[("example.com/a.TestB/c", Passed)]));
        assert!(compare_tests(&module, &bare).missing.is_empty());
        assert_eq!(compare_tests(&run(&[("example.com/a.TestD", Passed)]), &bare).missing.len(), 1);
        let nothing = run(&[("a", Skipped)]);
        assert!(compare_tests(&nothing, &fault).missing.contains(&"b".to_owned()), "nothing runs any more");
    }
}
