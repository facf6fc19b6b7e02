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
    let block = |(file, new): (&str, &str)| {
        format!("{file}\n<<<<<<< SEARCH\nfn two(a: u16) {{\n=======\n{new}\n>>>>>>> REPLACE\n")
    };
    let text: String = [("a", "v"), ("b", "w"), ("a", "x"), ("b", "y"), ("a", "z")].map(block).concat();
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

#[test]
fn the_tree_tells_which_name_is_meant() {
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    let block = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
    let diff = |old: &str, new: &str| format!("--- {old}\n+++ {new}\n{hunk}");
    let (unified, blocks) = ("unified", "search-replace");
    for (id, text, files, expected) in [
        (unified, diff("old/f", "new/f"), vec!["f"], Ok("f")),
        (unified, diff("old/f", "new/f"), vec!["f", "new/f"], Ok("new/f")),
        (unified, diff("old/f", "new/f"), vec!["f", "old/f"], Err("is meant")),
        (unified, diff("old/f", "new/f"), vec!["old/f"], Err("new/f is not there")),
        (unified, diff("old/f", "new/g"), vec!["f", "g"], Err("new/g is not there")),
        (unified, diff("f (old)", "f (new)"), vec!["f"], Ok("f")),
        (unified, diff("f (old)", "f (new)"), vec!["f (new)"], Ok("f (new)")),
        (unified, diff("f (old)", "f (new)"), vec!["f", "f (new)"], Err("is meant")),
        (unified, diff("f", "f (2)"), vec!["f"], Err("f (2) is not there")),
        (unified, diff("/dev/null", "b/f (new)"), vec![], Err("is meant")),
        (unified, diff("**a/f**", "**b/f**"), vec!["f"], Ok("f")),
        (unified, diff("`f`", "`f` (updated)"), vec!["f"], Ok("f")),
        (unified, format!("+++ b/f\n{hunk}"), vec!["f"], Ok("f")),
        (unified, format!("+++ b/f\n{hunk}"), vec!["b/f"], Ok("b/f")),
        (unified, format!("+++ b/f\n{hunk}"), vec!["f", "b/f"], Err("is meant")),
        (unified, format!("+++ src/f\n{hunk}"), vec!["src/f", "f"], Ok("src/f")),
        (blocks, format!("1. x.md\n{block}"), vec!["x.md"], Ok("x.md")),
        (blocks, format!("1. x.md\n{block}"), vec!["1. x.md"], Ok("1. x.md")),
        (blocks, format!("1. x.md\n{block}"), vec!["x.md", "1. x.md"], Err("is meant")),
    ] {
        let before: Vec<(&str, &str)> = files.iter().map(|path| (*path, "a\n")).collect();
        match (imported(id, &before, &text), expected) {
            (Ok(after), Ok(path)) => {
                let changed: Vec<&String> =
                    after.iter().filter(|(_, text)| *text == "b\n").map(|(path, _)| path).collect();
                assert_eq!(changed, [path], "{text}{files:?}");
            }
            (Err(faults), Err(fault)) => assert!(faults[0].contains(fault), "{faults:?}: {text}{files:?}"),
            (outcome, expected) => panic!("{outcome:?} where {expected:?} is expected: {text}{files:?}"),
        }
    }
}

#[test]
fn a_file_that_comes_below_another_prefix_is_refused() {
    let text = "--- old/f\n+++ new/f\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ new/g\n@@ -0,0 +1 @@\n+g\n";
    check_fault("unified", &[("f", "a\n")], text, "whether new/ belongs to the path new/g");
    check("unified", &[("new/f", "a\n")], text, &[("new/f", "b\n"), ("new/g", "g\n")]);
}

#[test]
fn what_is_said_twice_is_done_once() {
    let hunk = |start: usize| format!("@@ -{start},1 +{start},2 @@\n a\n+b\n");
    let diff = |hunks: &str| format!("--- a/f\n+++ b/f\n{hunks}");
    check("unified", &[("f", "a\n")], &diff(&[hunk(1), hunk(1)].concat()), &[("f", "a\nb\n")]);
    check_fault("unified", &[("f", "a\n")], &diff(&[hunk(1), hunk(2)].concat()), "overlaps the change of line 3");
    let cut = diff(&[hunk(1), "@@ -1,2 +1,3 @@\n a\n+b\n".to_owned()].concat());
    check_fault("unified", &[("f", "a\n")], &cut, "overlaps");
    let block = |file: &str, new: &str| format!("{file}\n<<<<<<< SEARCH\na\n=======\n{new}\n>>>>>>> REPLACE\n");
    let files = [("f", "a\n"), ("g", "a\n")];
    let (one, other) = (block("f", "a\nb"), block("g", "x"));
    let after = [("f", "a\nb\n"), ("g", "x\n")];
    check("search-replace", &files, &[&*one, &one, &other].concat(), &after);
    check("search-replace", &files, &[&*one, &other, &one].concat(), &after);
    let differ = [&*one, &block("f", "a\nc")].concat();
    check_fault("search-replace", &files, &differ, "overlaps");
    // Below a second change of the file, a block is a step of its own.
    let steps = [&*one, &other, &block("f", "a\nc"), &block("g", "y").replace("\na\n", "\nx\n"), &one].concat();
    check("search-replace", &files, &steps, &[("f", "a\nb\nc\nb\n"), ("g", "y\n")]);
}

#[test]
fn a_dot_at_the_beginning_of_a_path_is_overlooked() {
    let diff = |path: &str| format!("--- {path}\n+++ {path}\n@@ -1 +1 @@\n-a\n+b\n");
    let block = |path: &str| format!("{path}\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n");
    let apply = |path: &str| format!("*** Begin Patch\n*** Update File: {path}\n-a\n+b\n*** End Patch\n");
    let fenced = |path: &str| format!("@@@ edit {path}\na\n@@@ with\nb\n@@@ end\n");
    let texts = |path: &str| {
        [
            ("unified", diff(path)),
            ("search-replace", block(path)),
            ("apply-patch", apply(path)),
            ("fenced", fenced(path)),
        ]
    };
    for (id, text) in texts("././d/f") {
        check(id, &[("d/f", "a\n")], &text, &[("d/f", "b\n")]);
    }
    for (path, fault) in [("./../d/f", "leads out of the tree"), ("d/./f", "has an empty or `.` component")] {
        for (id, text) in texts(path) {
            check_fault(id, &[("d/f", "a\n")], &text, fault);
        }
    }
}

#[test]
fn lines_without_their_sign_are_read_where_counts_and_the_file_agree() {
    let diff = |header: &str, body: &str| format!("--- a/f\n+++ b/f\n{header}\n{body}");
    let gap = " a\n+x\n\n+y\n b\n";
    let lost = "if a:\n-    b\n+    B\n    c\n";
    let source = "if a:\n    b\n    c\n";
    for (header, body, before, after) in [
        ("@@ -1,2 +1,5 @@", gap, "a\nb\n", Some("a\nx\n\ny\nb\n")),
        ("@@ -1,3 +1,5 @@", gap, "a\n\nb\n", Some("a\nx\n\ny\nb\n")),
        ("@@ -1,2 +1,5 @@", gap, "a\n\nb\na\nb\n", None),
        // An empty line that parts hunks is none of them, whatever the header counts.
        ("@@ -1,1 +1,3 @@", " a\n+x\n\nThat is all.\n", "a\nb\n", Some("a\nx\nb\n")),
        ("@@ -1,3 +1,3 @@", lost, source, Some("if a:\n    B\n    c\n")),
        ("@@ -1,4 +1,3 @@", lost, source, None),
        ("@@", lost, source, None),
        ("@@ -1,3 +1,3 @@", lost, "if a:\n    b\n   c\n", Some("if a:\n    B\n   c\n")),
        ("@@ -1,3 +1,3 @@", lost, "if a:\n    b\n  c\n", None),
        // All of it is indented, so that nothing seems to lack.
        ("@@ -1,2 +1,2 @@", "    b\n-    c\n+    C\n", source, Some("if a:\n    b\n    C\n")),
        // Blanks took the place of signs in all lines: the line that comes has lost one as well.
        ("@@ -2,2 +2,3 @@", "    b\n+   x\n    c\n", source, Some("if a:\n    b\n    x\n    c\n")),
    ] {
        let outcome = imported("unified", &[("f", before)], &diff(header, body));
        assert_eq!(outcome.ok().map(|files| files["f"].clone()).as_deref(), after, "{header}\n{body}in\n{before}");
    }
}

#[test]
fn beside_a_hunk_without_signs_no_other_is_found_loosely() {
    let diff = |second: &str| {
        format!("--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\nif a:\n-    b\n+    B\n    c\n@@ -5,2 +5,3 @@\n{second}")
    };
    let source = "if a:\n    b\n    c\nelse:\n    d\n    e\n";
    let after = "if a:\n    B\n    c\nelse:\n    d\n    x\n    e\n";
    check("unified", &[("f", source)], &diff("    d\n+    x\n    e\n"), &[("f", after)]);
    check("unified", &[("f", source)], &diff("     d\n+    x\n     e\n"), &[("f", after)]);
    check_fault("unified", &[("f", source)], &diff("    D\n+    x\n    e\n"), "another hunk lacks the space");
    // A text that ends too early stays one that may be cut.
    let cut = "--- a/f\n+++ b/f\n@@ -5,9 +5,9 @@\n    d\n-    e\n+    E\n";
    let long = [source, "    g\n    h\n    i\n    j\n    k\n    l\n    m\n    n\n    o\n"].concat();
    check_fault("unified", &[("f", &long)], cut, "it may be cut");
}

#[test]
fn a_hunk_said_to_begin_the_file_is_refused_a_few_lines_below() {
    let hunk = "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n+new\n four = 4\n five = 5\n";
    let text = |above: usize| format!("{}four = 4\nfive = 5\n", "other\n".repeat(above));
    for above in [1, 3] {
        check_fault("unified", &[("f", &text(above))], hunk, "begins the file, as its header says");
    }
    for above in [0, 4] {
        let (before, after) = (text(above), text(above).replace("four", "new\nfour"));
        check("unified", &[("f", &before)], hunk, &[("f", &after)]);
    }
    // Where a line above it says where it comes, its number is merely wrong.
    let told = hunk.replace("+new\n", " other\n+new\n").replace("-1,2 +1,3", "-1,3 +1,4");
    check("unified", &[("f", &text(2))], &told, &[("f", "other\nother\nnew\nfour = 4\nfive = 5\n")]);
}
