//! Patches as others write them: nothing panics, and what fits a tree can be taken back byte for byte.
#![no_main]

use std::collections::BTreeMap;

use assize_core::patch::import::FORMATS;
use assize_core::patch::{File, Handed, Patch, PatchLimits, Snapshot, inverse, plan};
use libfuzzer_sys::fuzz_target;

type Tree = BTreeMap<String, File>;

fn tree() -> Tree {
    [
        ("a.txt", &b"one\ntwo\n\tthree  \nfour"[..]),
        ("d/b.txt", b"one\r\ntwo\r\nthree\r\n"),
        ("d/latin", b"\xef\xbb\xbfcaf\xe9\none\none\n"),
        ("empty", b""),
    ]
    .map(|(path, bytes)| (path.to_owned(), File::plain(bytes)))
    .into()
}

/// Returns the tree that a patch makes of another, if it fits, and the patch that takes it back.
fn applied(patch: &Patch, before: &Tree) -> Option<(Tree, Patch)> {
    let snapshot = Snapshot::of_files(before.clone());
    let plan = plan(patch, &snapshot).ok()?;
    let mut after = before.clone();
    for change in &plan.changes {
        match &change.after {
            Some(file) => after.insert(change.path.clone(), file.clone()),
            None => after.remove(&change.path),
        };
    }
    Some((after, inverse(&plan, &snapshot)))
}

fuzz_target!(|data: &[u8]| {
    let Some((first, document)) = data.split_first() else { return };
    let from = FORMATS.get(usize::from(*first) % (FORMATS.len() + 1)).copied();
    let limits = PatchLimits::default();
    let before = tree();
    let Ok(handed) = Handed::read(document, from, &limits) else { return };
    let Ok(imported) = handed.settle(&Snapshot::of_files(before.clone()), &limits) else { return };
    let Some((after, back)) = applied(&imported.patch, &before) else { return };
    if after != before {
        let (again, _) = applied(&back, &after).expect("what takes it back fits");
        assert_eq!(again, before);
    }
});
