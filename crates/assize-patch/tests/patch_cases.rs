//! Runs every patch under `patch_cases/` against its tree.
//!
//! `patch_cases/README.md` says how a case is laid out. What is held for all of them: every byte and every mode of
//! the tree is the expected one, or every fault is, in order; the inverse leads back to the tree as it was; and a
//! patch that was carried out is recognized, where the tree can tell it. Trees at random are [`git`]'s.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use assize_core::violation::Violation;
use assize_patch::import::{DraftHunk, Drafts, FORMATS, FileDraft, HunkLineKind, recognized};
use assize_patch::{
    FileContent, JSON, Op, Patch, PatchForm, PatchInput, PatchLimits, PatchPlan, PathState, Snapshot, inverse, plan,
};
use serde::Deserialize;

#[path = "patch_cases/git.rs"]
mod git;

/// Cases that must be there, so that a wrong path does not pass for a clean run.
const CASES_MIN: usize = 200;
/// Cases in which each operation and each format must be tried.
const EACH_MIN: usize = 10;

type CaseFiles = BTreeMap<String, FileContent>;

/// What `case.toml` says.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    from: Option<String>,
    ops_max: Option<usize>,
    bytes_max: Option<usize>,
    notes: Vec<String>,
    applied: bool,
    again: Option<bool>,
    repeats: bool,
    executable: BTreeSet<String>,
    executable_after: Option<BTreeSet<String>>,
}

struct PatchCase {
    settings: Settings,
    document: Vec<u8>,
    before: CaseFiles,
    /// The tree that comes of it, or the faults.
    expected: Result<CaseFiles, Vec<String>>,
}

/// What becomes of a document that is handed in a second time.
#[derive(Debug, PartialEq, Eq)]
enum SecondApply {
    Recognized,
    Refused,
    /// It is carried out, as if for the first time.
    Repeated,
}

/// What became of a patch.
struct AppliedCase {
    patch: Patch,
    plan: PatchPlan,
    notes: Vec<String>,
}

fn add_files(found: &mut CaseFiles, folder: &Path, prefix: &str, executable: &BTreeSet<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let entry = entry.expect("an entry");
        let name = format!("{prefix}{}", entry.file_name().to_str().expect("a name in UTF-8"));
        if entry.path().is_dir() {
            add_files(found, &entry.path(), &format!("{name}/"), executable);
        } else {
            let bytes = fs::read(entry.path()).expect("a file");
            let executable = executable.contains(&name);
            found.insert(name, FileContent { bytes, executable });
        }
    }
}

fn files(folder: &Path, executable: &BTreeSet<String>) -> CaseFiles {
    let mut found = CaseFiles::new();
    add_files(&mut found, folder, "", executable);
    found
}

impl PatchCase {
    fn load(folder: &Path) -> Result<Self, String> {
        let settings: Settings = match fs::read_to_string(folder.join("case.toml")) {
            Ok(text) => toml::from_str(&text).map_err(|error| error.to_string())?,
            Err(_) => Settings::default(),
        };
        let known = ["before", "after", "errors", "patch", "case.toml"];
        for entry in fs::read_dir(folder).map_err(|error| error.to_string())? {
            let name = entry.map_err(|error| error.to_string())?.file_name();
            if !known.iter().any(|one| name == *one) {
                return Err(format!("{} has no place in a case", name.display()));
            }
        }
        let before = files(&folder.join("before"), &settings.executable);
        let after = files(&folder.join("after"), settings.executable_after.as_ref().unwrap_or(&settings.executable));
        let expected = match fs::read_to_string(folder.join("errors")) {
            Ok(_) if !after.is_empty() => return Err("has both `after` and `errors`".to_owned()),
            Ok(text) => Err(text.lines().map(str::to_owned).collect()),
            Err(_) if settings.applied && after.is_empty() => Ok(before.clone()),
            Err(_) => Ok(after),
        };
        let document = fs::read(folder.join("patch")).map_err(|error| format!("patch: {error}"))?;
        Ok(Self { settings, document, before, expected })
    }

    fn limits(&self) -> PatchLimits {
        let usual = PatchLimits::default();
        PatchLimits {
            ops_max: self.settings.ops_max.unwrap_or(usual.ops_max),
            bytes_max: self.settings.bytes_max.unwrap_or(usual.bytes_max),
        }
    }

    fn handed(&self) -> Result<PatchInput, Vec<Violation>> {
        let from = self.settings.from.as_deref().map(|id| PatchForm::named(id).expect("a known form"));
        PatchInput::read(&self.document, from.unwrap_or_default(), &self.limits()).map_err(|unsound| unsound.faults)
    }

    /// Returns the format that the document is read as.
    fn format(&self) -> &str {
        match &self.settings.from {
            Some(id) => id,
            None if self.document.trim_ascii_start().starts_with(b"{") => JSON,
            None => recognized(&self.document).ok().flatten().map_or("", |format| format.id()),
        }
    }

    fn outcome(&self) -> Result<AppliedCase, Vec<Violation>> {
        let tree = Snapshot::of_files(self.before.clone());
        let imported = self.handed()?.settle(&tree)?;
        if imported.is_applied {
            let plan = PatchPlan { is_applied: true, ..PatchPlan::default() };
            return Ok(AppliedCase { patch: imported.patch, plan, notes: Vec::new() });
        }
        let faults = self.limits().check(&imported.patch);
        if !faults.is_empty() {
            return Err(faults);
        }
        let plan = plan(&imported.patch, &tree)?;
        let notes = imported.notes.iter().chain(&plan.notes).map(|note| format!("{}: {}", note.at, note.message));
        Ok(AppliedCase { notes: notes.collect(), patch: imported.patch, plan })
    }

    /// Lists what is not as it is expected.
    fn differences(&self) -> Vec<String> {
        match (self.outcome(), &self.expected) {
            (Err(faults), Err(expected)) => fault_differences(&faults, expected),
            (Err(faults), Ok(_)) => {
                vec![format!("is refused:\n{}", faults.iter().map(line).collect::<Vec<_>>().join("\n"))]
            }
            (Ok(outcome), Err(expected)) => {
                let after = carried_out(&outcome.plan, &self.before);
                vec![format!("is taken, not refused with {expected:#?}; it makes {}", shown(&after))]
            }
            (Ok(outcome), Ok(expected)) => self.tree_differences(&outcome, expected),
        }
    }

    fn tree_differences(&self, outcome: &AppliedCase, expected: &CaseFiles) -> Vec<String> {
        let AppliedCase { patch, plan: made, notes } = outcome;
        let mut found = Vec::new();
        let after = carried_out(made, &self.before);
        if after != *expected {
            found.push(format!("makes {}\n  where is expected {}", shown(&after), shown(expected)));
        }
        let wanted = &self.settings.notes;
        if notes.len() != wanted.len() || !notes.iter().zip(wanted).all(|(note, part)| note.contains(part.as_str())) {
            found.push(format!("notes {notes:#?}\n  where are expected {wanted:#?}"));
        }
        if made.is_applied != self.settings.applied {
            found.push(format!("is applied already: {}", made.is_applied));
        }
        let later = Snapshot::of_files(after.clone());
        if !made.changes.is_empty() {
            match plan(&inverse(made, &Snapshot::of_files(self.before.clone())), &later) {
                Ok(back) if carried_out(&back, &after) == self.before => {}
                Ok(back) => found.push(format!("its inverse makes {}", shown(&carried_out(&back, &after)))),
                Err(faults) => found.push(format!("its inverse is refused: {faults:?}")),
            }
        }
        let usual = || match self.handed() {
            Ok(PatchInput::Drafts(drafts)) => notes.is_empty() && drafts_leave_something(&drafts),
            _ => leaves_something(patch),
        };
        let wanted = self.settings.again.unwrap_or_else(usual);
        let again = self.again(&later);
        if (again == SecondApply::Recognized) != wanted {
            found.push(format!("once it is carried out, that is recognized: {}", !wanted));
        }
        if again == SecondApply::Repeated && self.format() != JSON && !self.settings.repeats {
            found.push("it is carried out twice".to_owned());
        }
        found
    }

    /// Hands the document in once more.
    fn again(&self, later: &Snapshot) -> SecondApply {
        let settled = self.handed().and_then(|handed| handed.settle(later));
        match settled
            .and_then(|imported| Ok((imported.is_applied || plan(&imported.patch, later)?.is_applied, imported)))
        {
            Ok((true, _)) => SecondApply::Recognized,
            Ok((false, _)) => SecondApply::Repeated,
            Err(_) => SecondApply::Refused,
        }
    }
}

/// Whether each operation can be seen in a tree afterwards, or at least does not deny it, and one can be seen.
fn leaves_something(patch: &Patch) -> bool {
    let is_seen =
        |op: &Op| matches!(op, Op::Add { .. }) || matches!(op, Op::Edit { replace, .. } if !replace.is_empty());
    let is_denied = |op: &Op| {
        let mut of_file = patch.ops.iter().filter(|other| other.path() == op.path());
        // As many lines as they take the place of: to put them in once more changes nothing.
        let puts_in = |other: &Op| match other {
            Op::Splice { insert: Some(insert), delete_count, .. } => insert.lines().count() == *delete_count as usize,
            _ => false,
        };
        matches!(op, Op::Splice { .. }) && !of_file.all(puts_in)
    };
    patch.ops.iter().any(is_seen) && !patch.ops.iter().any(is_denied)
}

/// Whether every draft can be seen in a tree afterwards, or at least does not deny it, and one can be seen.
fn drafts_leave_something(drafts: &Drafts) -> bool {
    let comes = |hunk: &DraftHunk| hunk.lines.iter().any(|line| line.kind == HunkLineKind::Added);
    // A line that is put in by its number may stand there by chance, unless another hunk tells.
    let is_by_number =
        |hunk: &DraftHunk| !hunk.of_empty && hunk.lines.iter().all(|line| line.kind == HunkLineKind::Added);
    let is_seen = |draft: &FileDraft| match draft {
        FileDraft::Add { .. } => true,
        FileDraft::Change { executable, hunks, .. } => executable.is_some() || hunks.iter().any(comes),
        FileDraft::Remove { .. } => false,
    };
    let is_denied = |draft: &FileDraft| match draft {
        FileDraft::Change { hunks, .. } => !hunks.is_empty() && hunks.iter().all(is_by_number),
        FileDraft::Add { .. } | FileDraft::Remove { .. } => false,
    };
    let mut all = drafts.drafts.iter().map(|(_, draft)| draft);
    all.clone().any(is_seen) && !all.any(is_denied)
}

fn line(fault: &Violation) -> String {
    format!("{}: {}", fault.at, fault.message)
}

fn fault_differences(faults: &[Violation], expected: &[String]) -> Vec<String> {
    let is_it = |(fault, expected): (&Violation, &String)| {
        let (at, beginning) = expected.split_once(": ").expect("`at: beginning of message`");
        fault.at == at && fault.message.starts_with(beginning)
    };
    if !expected.is_empty() && faults.len() == expected.len() && faults.iter().zip(expected).all(is_it) {
        return Vec::new();
    }
    let faults: Vec<String> = faults.iter().map(line).collect();
    vec![format!("is refused with\n{}\n  where is expected\n{}", faults.join("\n"), expected.join("\n"))]
}

/// Returns the files that a plan makes of others.
fn carried_out(made: &PatchPlan, before: &CaseFiles) -> CaseFiles {
    let mut files = before.clone();
    for change in &made.changes {
        match &change.after {
            Some(file) => drop(files.insert(change.path.clone(), file.clone())),
            None => drop(files.remove(&change.path)),
        }
    }
    let tree = Snapshot::of_files(files.clone());
    assert!(tree.entries().filter(|(_, entry)| matches!(entry, PathState::File(_))).count() == files.len());
    files
}

fn shown(files: &CaseFiles) -> String {
    let one = |(path, file): (&String, &FileContent)| {
        let mode = if file.executable { " (executable)" } else { "" };
        format!("\n    {path:?}{mode}: {}", file.bytes[..file.bytes.len().min(400)].escape_ascii())
    };
    files.iter().map(one).collect()
}

fn kinds(patch: &Patch) -> BTreeSet<&'static str> {
    let kind = |op: &Op| match op {
        Op::Add { .. } => "add",
        Op::Remove { .. } => "remove",
        Op::Edit { .. } => "edit",
        Op::Splice { .. } => "splice",
    };
    patch.ops.iter().map(kind).collect()
}

#[test]
fn every_patch_makes_what_is_expected_of_its_tree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/patch_cases");
    let entries = fs::read_dir(&root).expect("the corpus").map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for folder in &folders {
        let name = folder.file_name().expect("a name").to_string_lossy();
        match PatchCase::load(folder) {
            Ok(case) => {
                *tried.entry(case.format().to_owned()).or_default() += 1;
                if let Ok(PatchInput::Operations(patch)) = case.handed() {
                    kinds(&patch).into_iter().for_each(|kind| *tried.entry(kind.to_owned()).or_default() += 1);
                }
                wrong.extend(case.differences().iter().map(|difference| format!("{name}: {difference}")));
            }
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{} differences\n\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(folders.len() >= CASES_MIN, "{} cases", folders.len());
    let formats = FORMATS.iter().map(|format| format.id()).chain([JSON]);
    for what in formats.chain(["add", "remove", "edit", "splice"]) {
        let count = tried.get(what).copied().unwrap_or(0);
        assert!(count >= EACH_MIN, "{what} is tried in {count} cases only");
    }
}
