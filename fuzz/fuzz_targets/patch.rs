//! Patches as others write them: nothing panics, and what fits a tree can be taken back byte for byte, or written as a diff
//! that means the same.
#![no_main]

use std::collections::BTreeMap;

use assize_patch::import::FORMATS;
use assize_patch::{FileContent, PatchForm, PatchInput, Patch, PatchLimits, Snapshot, inverse, plan, unified};
use libfuzzer_sys::fuzz_target;

type FuzzTree = BTreeMap<String, FileContent>;

fn tree() -> FuzzTree {
    [
        ("a.txt", &b"one\ntwo\n\tthree  \nfour"[..]),
        ("d/b.txt", b"one\r\ntwo\r\nthree\r\n"),
        ("d/latin", b"\xef\xbb\xbfcaf\xe9\none\none\n"),
        ("empty", b""),
    ]
    .map(|(path, bytes)| (path.to_owned(), FileContent::plain(bytes)))
    .into()
}

/// What a patch that fits makes of a tree.
struct Applied {
    after: FuzzTree,
    /// The patch that takes it back.
    back: Patch,
    /// The same as a diff, where that can show it.
    diff: Option<Vec<u8>>,
}

fn applied(patch: &Patch, before: &FuzzTree) -> Option<Applied> {
    let snapshot = Snapshot::of_files(before.clone());
    let plan = plan(patch, &snapshot).ok()?;
    let mut after = before.clone();
    for change in &plan.changes {
        match &change.after {
            Some(file) => after.insert(change.path.clone(), file.clone()),
            None => after.remove(&change.path),
        };
    }
    Some(Applied { after, back: inverse(&plan, &snapshot), diff: unified(&plan, &snapshot).ok() })
}

fn imported(document: &[u8], form: PatchForm, before: &FuzzTree, limits: &PatchLimits) -> Option<Patch> {
    let handed = PatchInput::read(document, form, limits).ok()?;
    Some(handed.settle(&Snapshot::of_files(before.clone())).ok()?.patch)
}

fuzz_target!(|data: &[u8]| {
    let Some((first, document)) = data.split_first() else { return };
    let forms = FORMATS.iter().map(|format| PatchForm::Foreign(*format)).chain([PatchForm::Json, PatchForm::Guessed]);
    let Some(form) = forms.cycle().nth(usize::from(*first)) else { return };
    let before = tree();
    let Some(patch) = imported(document, form, &before, &PatchLimits::default()) else { return };
    let Some(Applied { after, back, diff }) = applied(&patch, &before) else { return };
    if after == before {
        return;
    }
    assert_eq!(applied(&back, &after).expect("what takes it back fits").after, before);
    if let Some(diff) = diff {
        let limits = PatchLimits { ops_max: 10_000, bytes_max: 1 << 30 };
        let same = imported(&diff, PatchForm::named("unified").expect("a form"), &before, &limits)
            .expect("what is exported is read");
        assert_eq!(applied(&same, &before).expect("what is exported fits").after, after);
    }
});
