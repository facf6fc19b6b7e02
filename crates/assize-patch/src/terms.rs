//! The terms for a patch that is handed in, by any author, and whether it fits a tree under these terms.
//!
//! This module collects every fault of a patch, so that all of them are reported at once. Only the syntax check is
//! elsewhere, because it needs grammars.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::violation::Violation;

use super::plan::position;
use super::{
    FilePin, NamePolicy, NumberedOp, Patch, PatchDocumentFaults, PatchInput, PatchLimits, PatchPlan, PathState,
    Protection, Snapshot, check_path, plan_of,
};

/// What holds for a patch.
#[derive(Debug, Clone, Default)]
pub struct PatchTerms {
    /// How large it may be.
    pub limits: PatchLimits,
    /// Which files it may not touch.
    pub protection: Protection,
    /// Whether it may break the syntax of a file.
    pub syntax: SyntaxPolicy,
    /// Which names may stand side by side.
    pub names: NamePolicy,
    /// What the files that it changes have to be, where it was made for these and no others; `None` for one that must not
    /// be there.
    pub pins: Option<BTreeMap<String, Option<FilePin>>>,
}

/// Whether a patch may break the syntax of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SyntaxPolicy {
    /// It is refused then.
    #[default]
    Guarded,
    /// The syntax is not checked.
    Free,
}

/// A patch that fits a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FittingPatch {
    /// Its operations.
    pub patch: Patch,
    /// What it makes of the tree.
    pub plan: PatchPlan,
}

impl PatchTerms {
    /// Returns the terms for a patch that was checked when it was made, and that is applied once more.
    #[must_use]
    pub fn checked_before(self) -> Self {
        Self { limits: PatchLimits::NONE, protection: self.protection.for_tools(), ..self }
    }

    /// Says what a patch makes of a tree.
    ///
    /// # Errors
    ///
    /// Lists everything that is wrong with it, in the order of its operations. Of one that is too large no more is said.
    pub fn fit(&self, handed: &PatchInput, tree: &Snapshot) -> Result<FittingPatch, Vec<Violation>> {
        let imported = handed.settle(tree)?;
        let too_much = self.limits.check(&imported.patch);
        if !too_much.is_empty() {
            return Err(too_much);
        }
        if imported.is_applied {
            return Ok(FittingPatch {
                patch: imported.patch,
                plan: PatchPlan { is_applied: true, ..PatchPlan::default() },
            });
        }
        let mut plan = self.planned(&imported.patch.numbered(), tree)?;
        plan.notes.splice(0..0, imported.notes);
        Ok(FittingPatch { patch: imported.patch, plan })
    }

    /// Lists everything that is wrong with a document that cannot be taken: what of it is sound may not fit the tree either.
    pub fn faults(&self, unsound: &PatchDocumentFaults, tree: &Snapshot) -> Vec<Violation> {
        let sound: Vec<NumberedOp<'_>> = unsound.sound.iter().map(|(index, op)| (*index, op)).collect();
        let unfit = if sound.is_empty() { Vec::new() } else { self.planned(&sound, tree).err().unwrap_or_default() };
        let mut faults: Vec<Violation> = unsound.faults.iter().cloned().chain(unfit).collect();
        faults.sort_by_key(|fault| position(&fault.at));
        faults
    }

    fn planned(&self, ops: &[NumberedOp<'_>], tree: &Snapshot) -> Result<PatchPlan, Vec<Violation>> {
        let mut faults = misplaced(ops);
        let nowhere: BTreeSet<&str> =
            ops.iter().map(|(_, op)| op.path()).filter(|path| check_path(path).is_err()).collect();
        let placed: Vec<NumberedOp<'_>> = ops.iter().copied().filter(|(_, op)| !nowhere.contains(op.path())).collect();
        faults.extend(self.protection.check(&placed));
        faults.extend(self.moved(&placed, tree));
        let plan = if placed.is_empty() && !ops.is_empty() {
            Ok(PatchPlan::default())
        } else {
            plan_of(&placed, tree, self.names)
        };
        match plan {
            Ok(plan) => {
                faults.extend(self.protection.check_contents(&placed, &plan.changes, tree));
                if faults.is_empty() {
                    return Ok(plan);
                }
            }
            Err(unfit) => faults.extend(unfit),
        }
        faults.sort_by_key(|fault| position(&fault.at));
        Err(faults)
    }

    /// Lists the operations on files that are no longer what the patch was made for.
    fn moved(&self, ops: &[NumberedOp<'_>], tree: &Snapshot) -> Vec<Violation> {
        let Some(pins) = &self.pins else { return Vec::new() };
        let now = |path: &str| match tree.entry(path) {
            PathState::File(file) => Some(FilePin::of(file)),
            _ => None,
        };
        let fault = |(index, op): &NumberedOp<'_>| {
            let is_same = pins.get(op.path()).is_some_and(|pin| *pin == now(op.path()));
            let message = format!("{} was changed meanwhile", op.path());
            (!is_same).then(|| Violation::new(format!("ops[{index}].path"), message))
        };
        ops.iter().filter_map(fault).collect()
    }
}

/// Lists the operations on what is no path of a patch. Documents are refused for it when they are read; operations may have
/// been made by somebody else.
fn misplaced(ops: &[NumberedOp<'_>]) -> Vec<Violation> {
    let fault = |(index, op): &NumberedOp<'_>| {
        let message = check_path(op.path()).err()?;
        Some(Violation::new(format!("ops[{index}].path"), format!("{:?} {message}", op.path())))
    };
    ops.iter().filter_map(fault).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileContent, PatchForm};

    fn tree() -> Snapshot {
        Snapshot::of_files(
            ["a.txt", "b.txt", "Cargo.lock"].map(|path| (path.to_owned(), FileContent::plain(&b"one\n"[..]))),
        )
    }

    /// Returns where something is wrong with a document.
    fn places(document: &str, terms: &PatchTerms) -> Vec<String> {
        let faults = match PatchInput::read(document.as_bytes(), PatchForm::Json, &terms.limits) {
            Ok(handed) => terms.fit(&handed, &tree()).map(|fit| fit.plan).err().unwrap_or_default(),
            Err(unsound) => terms.faults(&unsound, &tree()),
        };
        faults.into_iter().map(|fault| fault.at).collect()
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        let edit =
            |path: &str, find: &str| format!(r#"{{"kind":"edit","path":"{path}","find":"{find}","replace":"x"}}"#);
        let document = |ops: &[String]| format!(r#"{{"ops":[{}]}}"#, ops.join(","));
        let usual = PatchTerms::default();
        let unsound = edit("b.txt", "one").replace("find", "search");
        for (ops, expected) in [
            (vec![edit("a.txt", "one")], vec![]),
            // Each fault alone: in the document, in the tree, in a protected file.
            (vec![unsound.clone()], vec!["ops[0].search", "ops[0].find"]),
            (vec![edit("a.txt", "two")], vec!["ops[0].find"]),
            (vec![edit("Cargo.lock", "one")], vec!["ops[0].path"]),
            // And all of them together, in the order of the operations.
            (
                vec![edit("a.txt", "two"), unsound.clone(), edit("Cargo.lock", "one"), edit("../c", "one")],
                vec!["ops[0].find", "ops[1].search", "ops[1].find", "ops[2].path", "ops[3].path"],
            ),
            // What depends on an operation that cannot be read is not guessed at.
            (
                vec![
                    r#"{"kind":"remove","path":"a.txt","why":""}"#.to_owned(),
                    r#"{"kind":"add","path":"a.txt","content":""}"#.to_owned(),
                ],
                vec!["ops[0].why"],
            ),
        ] {
            assert_eq!(places(&document(&ops), &usual), expected, "{ops:?}");
        }
        let tight =
            PatchTerms { limits: PatchLimits { ops_max: 1, ..PatchLimits::default() }, ..PatchTerms::default() };
        let ops = [edit("a.txt", "one"), edit("b.txt", "two")];
        assert_eq!(places(&document(&ops), &tight), ["ops"], "what is too large is not worked on");
        let handed = PatchInput::read(document(&ops).as_bytes(), PatchForm::Json, &PatchLimits::NONE).expect("sound");
        let faults = tight.fit(&handed, &tree()).expect_err("too much");
        assert_eq!(faults.iter().map(|fault| fault.at.as_str()).collect::<Vec<_>>(), ["ops"]);
    }

    #[test]
    fn a_path_that_leads_nowhere_is_refused_whoever_wrote_it() {
        let op = |path: &str| crate::Op::Remove { path: path.to_owned() };
        let handed = PatchInput::Operations(Patch { ops: vec![op("../a"), op("c.txt")] });
        let faults = PatchTerms::default().fit(&handed, &tree()).expect_err("refused");
        assert_eq!(faults.iter().map(|fault| fault.at.as_str()).collect::<Vec<_>>(), ["ops[0].path", "ops[1].path"]);
        let handed = PatchInput::Operations(Patch { ops: vec![op("../a")] });
        assert_eq!(PatchTerms::default().fit(&handed, &tree()).expect_err("refused").len(), 1);
    }

    #[test]
    fn what_is_pinned_has_to_be_what_it_was() {
        let handed = PatchInput::Operations(Patch { ops: vec![crate::Op::Remove { path: "a.txt".to_owned() }] });
        let pinned = |bytes: &str| {
            let pin = FilePin::of(&FileContent::plain(bytes));
            PatchTerms { pins: Some(BTreeMap::from([("a.txt".to_owned(), Some(pin))])), ..PatchTerms::default() }
        };
        assert!(pinned("one\n").fit(&handed, &tree()).is_ok());
        assert!(pinned("two\n").fit(&handed, &tree()).is_err());
    }
}
