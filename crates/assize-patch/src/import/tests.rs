//! Texts in each format, and the trees that they make of a tree.

use std::collections::BTreeMap;

use super::*;
use crate::{FileContent, Snapshot, plan};

fn tree(files: &[(&str, &str)]) -> Snapshot {
    Snapshot::of_files(files.iter().map(|(path, text)| ((*path).to_owned(), FileContent::plain(*text))))
}

/// Imports a text and carries it out; returns every file, or every fault.
fn imported(id: &str, files: &[(&str, &str)], text: &str) -> Result<BTreeMap<String, String>, Vec<String>> {
    let said = |faults: Vec<Violation>| faults.iter().map(Violation::to_string).collect::<Vec<_>>();
    let tree = tree(files);
    let drafts = format(id).expect("a format").read(text.as_bytes()).map_err(said)?;
    let imported = drafts.settle(&tree).map_err(said)?;
    let mut after: BTreeMap<String, String> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    for change in plan(&imported.patch, &tree).map_err(said)?.changes {
        match change.after {
            Some(file) => drop(after.insert(change.path, String::from_utf8(file.bytes).expect("text"))),
            None => drop(after.remove(&change.path)),
        }
    }
    Ok(after)
}

fn check(id: &str, files: &[(&str, &str)], text: &str, expected: &[(&str, &str)]) {
    let expected = expected.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    assert_eq!(imported(id, files, text), Ok(expected), "{text}");
}

fn check_fault(id: &str, files: &[(&str, &str)], text: &str, expected: &str) {
    let faults = imported(id, files, text).expect_err("refused");
    assert!(faults.iter().any(|fault| fault.contains(expected)), "{faults:?} for\n{text}");
}

#[test]
fn apply_patch_is_read() {
    let text = "*** Begin Patch\n*** Add File: n/new.md\n+one\n+\n*** Update File: a.py\n*** Move to: b.py\n@@ class A:\n@@     def f(self):\n-        return 1\n+        return 2\n*** Delete File: old\n*** End Patch\n";
    let source = "def f(self):\n        return 1\n\nclass A:\n    def g(self):\n        return 1\n\n    def f(self):\n        return 1\n";
    let after = "def f(self):\n        return 1\n\nclass A:\n    def g(self):\n        return 1\n\n    def f(self):\n        return 2\n";
    check("apply-patch", &[("a.py", source), ("old", "x")], text, &[("b.py", after), ("n/new.md", "one\n\n")]);
}

#[test]
fn apply_patch_overlooks_what_its_own_tools_overlook() {
    for text in [
        "*** Begin Patch\n*** Update File: f\n@@\n a\n-b\n+c\n*** End Patch",
        "```\n *** Begin Patch  \n*** Update File: f \n a\n-b\n+c\n *** End Patch\n```\n",
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: f\n@@ a\n-b\n+c\n*** End of File\n*** End Patch\nEOF\n",
    ] {
        check("apply-patch", &[("f", "a\nb\n")], text, &[("f", "a\nc\n")]);
    }
    let grown = "*** Begin Patch\n*** Update File: f\n@@\n+c\n+d\n*** End Patch";
    check("apply-patch", &[("f", "a\nb\n")], grown, &[("f", "a\nb\nc\nd\n")]);
    let ended = "*** Begin Patch\n*** Update File: f\n@@\n-b\n+c\n*** End Patch";
    check("apply-patch", &[("f", "a\nb")], ended, &[("f", "a\nc\n")]);
    let anew = "*** Begin Patch\n*** Add File: f\n+x\n*** End Patch";
    check("apply-patch", &[("f", "a\n")], anew, &[("f", "x\n")]);
}

#[test]
fn apply_patch_is_refused_with_its_line() {
    let within = |body: &str| format!("*** Begin Patch\n{body}\n*** End Patch\n");
    for (text, fault) in [
        ("nothing".to_owned(), "line 1: there is no line `*** Begin Patch`"),
        ("*** Begin Patch\n*** Delete File: f\n".to_owned(), "there is no line `*** End Patch`"),
        (within(""), "nothing in the text is a change of a file"),
        (within("*** Frobnicate File: f"), "line 2: is no header"),
        (within("*** Update File: f"), "line 2: there is no hunk below it"),
        (within("*** Update File: f\n@@"), "line 3: the hunk has no lines"),
        (within("*** Update File: f\n@@\n-z\n+y"), "line 3: f: its lines do not stand there"),
        (within("*** Update File: f\n@@\n-a\n+y"), "f: its lines stand there 2 times where 1 is meant (lines 1, 3)"),
        (within("*** Update File: f\n@@ nowhere\n-a\n+y"), "the line \"nowhere\", which leads to it, is not there"),
        (within("*** Update File: g\n@@\n-a\n+y"), "line 2: g is not there"),
        (within("*** Delete File: g"), "line 2: g is not there"),
        (within("*** Delete File: d"), "line 2: d is a folder"),
        (within("*** Add File: ../x\n+x"), "the path \"../x\" leads out of the tree"),
        (within("*** Add File: x\ny"), "line 3: every line of a new file begins with `+`"),
    ] {
        check_fault("apply-patch", &[("f", "a\nb\na\n"), ("d/x", "")], &text, fault);
    }
}

#[test]
fn search_replace_is_read() {
    let text = "Here you are.\n\nsrc/a.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n\n```\n<<<<<<< SEARCH\ny = 1\n=======\n>>>>>>> REPLACE\n```\n\nn.txt\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n";
    check(
        "search-replace",
        &[("src/a.py", "x = 1\ny = 1\nz = 1\n")],
        text,
        &[("src/a.py", "x = 2\nz = 1\n"), ("n.txt", "new\n")],
    );
    let block = |old: &str| format!("f\n<<<<<<< SEARCH\n{old}\n=======\nx\n>>>>>>> REPLACE\n");
    check_fault("search-replace", &[("f", "a\na\n")], &block("a"), "stand there 2 times");
    check_fault("search-replace", &[("f", "a\n")], &block("b"), "do not stand there");
    check_fault("search-replace", &[], "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "no path stands above");
    check_fault("search-replace", &[], "f\n<<<<<<< SEARCH\na\n=======\nb\n", "no `=======` or no `>>>>>>> REPLACE`");
}

#[test]
fn our_plain_form_is_read() {
    let text = "@@@ edit a b.txt 2\none\n@@@ with\n1\n@@@ end\n\n@@@@ add n.md\n@@@ end\n@@@@ end\n@@@ splice s 1 2\nX\n@@@ end\n@@@ remove r\n";
    check(
        "fenced",
        &[("a b.txt", "one\ntwo\none\n"), ("s", "a\nb\nc\nd\n"), ("r", "")],
        text,
        &[("a b.txt", "1\ntwo\n1\n"), ("n.md", "@@@ end\n"), ("s", "a\nX\nd\n")],
    );
    for (text, fault) in [
        ("@@@ edit f\na\n@@@ end\n", "an edit has `with` once"),
        ("@@@ edit f\n@@@ with\na\n@@@ end\n", "looks for nothing"),
        ("@@@ add f\na\n", "the operation has no end"),
        ("@@@ move f g\n", "is no operation"),
        ("@@@ splice f 1 9\n@@@ end\n", "takes 9 lines from line 2 on, but the file has 1"),
    ] {
        check_fault("fenced", &[("f", "a\n")], text, fault);
    }
}

#[test]
fn unified_diffs_are_read() {
    let text = "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n\\ No newline at end of file\ndiff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\ndiff --git a/gone b/gone\ndeleted file mode 100644\nindex 1..0\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\ndiff --git a/made b/made\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/made\n@@ -0,0 +1 @@\n+y\n";
    check(
        "unified",
        &[("f", "a\nb\nc"), ("old", "o\n"), ("gone", "x\n")],
        text,
        &[("f", "a\nB\nc"), ("new", "o\n"), ("made", "y\n")],
    );
    let plain = "--- f.orig\n+++ f\n@@ -3,2 +3,2 @@\n b\n-c\n+C\n";
    check("unified", &[("f", "a\nb\nc\n")], plain, &[("f", "a\nb\nC\n")]);
    let endings = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n";
    check("unified", &[("f", "a\r\nb\r\n")], endings, &[("f", "a\nb\r\n")]);
    let link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n";
    check_fault("unified", &[], link, "is a symbolic link");
    check_fault("unified", &[("f", "z\n")], plain, "do not stand there");
}

#[test]
fn a_text_is_recognized_by_its_form() {
    for (text, id) in [
        ("x\n*** Begin Patch\n", Some("apply-patch")),
        ("f\n<<<<<<< SEARCH\n", Some("search-replace")),
        ("@@@ remove f\n", Some("fenced")),
        ("diff --git a/f b/f\n", Some("unified")),
        ("--- a\n+++ b\n@@ -1 +1 @@\n", Some("unified")),
        ("hello", None),
    ] {
        assert_eq!(recognized(text.as_bytes()).map(|format| format.map(PatchFormat::id)), Ok(id), "{text}");
    }
}

#[test]
fn what_comes_nearest_is_shown_for_the_first_few() {
    let block = |file: &str| format!("{file}\n<<<<<<< SEARCH\nfn two(a: u16) {{\n=======\nx\n>>>>>>> REPLACE\n");
    let text: String = ["a", "b", "a", "b", "a"].iter().map(|file| block(file)).collect();
    let source = "fn one() {}\nfn two(a: u8) {\n";
    let faults = imported("search-replace", &[("a", source), ("b", source)], &text).expect_err("nothing is there");
    let hinted: Vec<bool> = faults.iter().map(|fault| fault.contains("nearest to it is line 2")).collect();
    assert_eq!(hinted, [true, true, true, false, false], "{faults:?}");
}

#[test]
fn formats_side_by_side_are_told_from_one_within_another() {
    let apply = "*** Begin Patch\n*** Delete File: f\n*** End Patch\n";
    let block = "f\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
    let diff = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
    let fenced = "@@@ remove f\n";
    let within = |lines: &str| format!("@@@@ add g\n{lines}@@@@ end\n");
    for text in [apply, block, diff, fenced] {
        let alone = recognized(text.as_bytes()).map(|format| format.map(PatchFormat::id));
        assert!(alone.is_ok_and(|id| id.is_some()), "{text}");
        let inner = recognized(within(text).as_bytes()).map(|format| format.map(PatchFormat::id));
        assert_eq!(inner, Ok(Some("fenced")), "{text}");
        for other in [apply, block, diff, fenced] {
            let both = format!("{text}\n{other}");
            assert_eq!(recognized(both.as_bytes()).is_ok(), text == other, "{both}");
            // If the fenced file has no end, its extent is unknown.
            let cut = within(other).replace("@@@@ end\n", text);
            assert_eq!(
                recognized(cut.as_bytes()).map(|format| format.map(PatchFormat::id)),
                Ok(Some("fenced")),
                "{cut}"
            );
        }
    }
    // Counts that are wrong take up no more than the lines of a hunk.
    let miscounted = diff.replace("-1,2 +1,2", "-1,4 +1,4") + "\n" + apply;
    assert!(recognized(miscounted.as_bytes()).is_err());
}
