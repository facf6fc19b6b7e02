//! What a plan makes of a tree, as a unified diff with git's own headers.
//!
//! The lines are compared by a library. What such a diff cannot say in plain text is named, and nothing is left
//! out in silence.

use assize_core::violation::Violation;
use diffy::DiffOptions;

use super::plan::{FileTransition, PatchPlan};
use super::snapshot::{FileContent, PathState, Snapshot};

/// Writes a plan as a unified diff. `tree` is what the plan was made for.
///
/// # Errors
///
/// Names the files with zero bytes, which are no text to git.
pub fn unified(plan: &PatchPlan, tree: &Snapshot) -> Result<Vec<u8>, Vec<Violation>> {
    let (mut text, mut faults) = (Vec::new(), Vec::new());
    for change in &plan.changes {
        let before = match tree.entry(&change.path) {
            PathState::File(file) => Some(file),
            _ => None,
        };
        let is_text = |file: Option<&FileContent>| file.is_none_or(|file| !file.bytes.contains(&0));
        if is_text(before) && is_text(change.after.as_ref()) {
            file(change, before, &mut text);
        } else {
            faults.push(Violation::new(&change.path, "holds zero bytes, which a unified diff cannot show"));
        }
    }
    if faults.is_empty() { Ok(text) } else { Err(faults) }
}

fn file(change: &FileTransition, before: Option<&FileContent>, text: &mut Vec<u8>) {
    let after = change.after.as_ref();
    let (old, new) = (name("a/", &change.path), name("b/", &change.path));
    let mut line = |words: &str| {
        text.extend_from_slice(words.as_bytes());
        text.push(b'\n');
    };
    line(&format!("diff --git {old} {new}"));
    match (before, after) {
        (None, Some(file)) => line(&format!("new file mode {}", mode(file))),
        (Some(file), None) => line(&format!("deleted file mode {}", mode(file))),
        (Some(was), Some(is)) if was.executable != is.executable => {
            line(&format!("old mode {}", mode(was)));
            line(&format!("new mode {}", mode(is)));
        }
        _ => {}
    }
    let bytes = |file: Option<&FileContent>| file.map_or(Vec::new(), |file| file.bytes.clone());
    let (was, is) = (bytes(before), bytes(after));
    if was == is {
        return;
    }
    // A name with a space in it ends with a tab, so that no reader takes a date for a part of the name.
    let end = |name: &str| if name.contains(' ') { "\t" } else { "" };
    let side = |file: Option<&FileContent>, name: &str| match file {
        Some(_) => format!("{name}{}", end(name)),
        None => "/dev/null".to_owned(),
    };
    line(&format!("--- {}", side(before, &old)));
    line(&format!("+++ {}", side(after, &new)));
    let diff = DiffOptions::new().create_patch_bytes(&was, &is).to_bytes();
    // The library's own names stand in the first two lines.
    let hunks = diff.splitn(3, |byte| *byte == b'\n').nth(2).unwrap_or_default();
    text.extend_from_slice(hunks);
}

fn mode(file: &FileContent) -> &'static str {
    if file.executable { "100755" } else { "100644" }
}

/// Writes a name as git does: in quotes where it holds one.
fn name(prefix: &str, path: &str) -> String {
    if path.contains('"') { format!("\"{prefix}{}\"", path.replace('"', "\\\"")) } else { format!("{prefix}{path}") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::{Patch, PatchForm, PatchInput, PatchLimits, between, plan};

    type ExportTestTree = BTreeMap<String, FileContent>;

    fn snapshot(tree: &ExportTestTree) -> Snapshot {
        Snapshot::of_files(tree.clone())
    }

    fn leading_to(before: &ExportTestTree, after: &ExportTestTree) -> Patch {
        let paths: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        Patch { ops: paths.into_iter().flat_map(|path| between(path, before.get(path), after.get(path))).collect() }
    }

    fn exported(before: &ExportTestTree, after: &ExportTestTree) -> Result<Vec<u8>, Vec<Violation>> {
        let tree = snapshot(before);
        let made = plan(&leading_to(before, after), &tree).map_err(|faults| panic!("{faults:?}")).expect("it fits");
        unified(&made, &tree)
    }

    fn tree(files: &[(&str, &[u8], bool)]) -> ExportTestTree {
        let file = |(path, bytes, executable): &(&str, &[u8], bool)| {
            ((*path).to_owned(), FileContent { bytes: bytes.to_vec(), executable: *executable })
        };
        files.iter().map(file).collect()
    }

    #[test]
    fn every_kind_of_change_has_its_header() {
        let before = tree(&[
            ("a b.txt", b"1\n2\n3\n4\n5\n6\n", false),
            ("gone", b"x", true),
            ("mode", b"", false),
            ("say \"hi\"", b"x\n", false),
        ]);
        let after = tree(&[
            ("a b.txt", b"1\n2\n3\n4\n5\nsix", false),
            ("empty", b"", false),
            ("mode", b"", true),
            ("say \"hi\"", b"y\n", false),
        ]);
        let text = String::from_utf8(exported(&before, &after).expect("text")).expect("UTF-8");
        insta::assert_snapshot!(text.replace('\t', "<tab>"));
    }

    #[test]
    fn what_is_no_text_is_named() {
        let before = tree(&[("a", b"1\n", false), ("b", b"1\n", false)]);
        let after = tree(&[("a", b"1\0", false), ("b", b"2\n", false)]);
        let faults = exported(&before, &after).expect_err("it holds a zero byte");
        assert_eq!(faults.iter().map(|fault| fault.at.as_str()).collect::<Vec<_>>(), ["a"]);
    }

    fn some_tree() -> impl Strategy<Value = ExportTestTree> {
        let line = prop::sample::select(vec![
            "",
            "a",
            "b",
            "a b",
            "\ta",
            "é",
            "\u{feff}a",
            "$&",
            "--- a/x",
            "+",
            "a\rb",
            "diff --git a/x b/x",
        ]);
        let ending = prop::sample::select(vec!["\n", "\r\n", "\n", "\n"]);
        let lines = prop::collection::vec((line, ending), 0..12);
        let last = prop::sample::select(vec![&b""[..], b"", b"end", b"\xe9nd"]);
        let text = (lines, last).prop_map(|(lines, last)| {
            let mut bytes: Vec<u8> =
                lines.into_iter().flat_map(|(line, ending)| format!("{line}{ending}").into_bytes()).collect();
            bytes.extend_from_slice(last);
            bytes
        });
        let byte = prop::sample::select(&b"\n\n\n\r\t +-@\\a\xef\xbb\xbf\xff"[..]);
        let bytes = prop_oneof![text, prop::collection::vec(byte, 0..24)];
        let file = (bytes, any::<bool>()).prop_map(|(bytes, executable)| FileContent { bytes, executable });
        let name = prop::sample::select(vec!["a", "b.txt", "d/a", "d/e f", "ü/ß", "say 'x'"]);
        prop::collection::btree_map(name.prop_map(str::to_owned), file, 0..5)
    }

    proptest! {
        #[test]
        fn what_is_exported_can_be_imported_and_means_the_same(before in some_tree(), after in some_tree()) {
            prop_assume!(before != after);
            let text = exported(&before, &after).expect("no zero bytes");
            let tree = snapshot(&before);
            let limits = PatchLimits { ops_max: 1_000, bytes_max: 1 << 20 };
            let handed = PatchInput::read(&text, PatchForm::Guessed, &limits).expect("a diff");
            let imported = handed.settle(&tree).expect("it fits");
            prop_assert_eq!(&imported.notes, &[]);
            let mut made = before.clone();
            for change in plan(&imported.patch, &tree).expect("it fits").changes {
                match change.after {
                    Some(file) => drop(made.insert(change.path, file)),
                    None => drop(made.remove(&change.path)),
                }
            }
            prop_assert_eq!(made, after);
        }
    }
}
