//! Plans: tables of what fits and what does not, and properties over random trees.

use assize_core::violation::Violation;
use proptest::prelude::*;

use super::*;

fn tree(files: &[(&str, &str)]) -> Snapshot {
    Snapshot::of_files(files.iter().map(|(path, text)| ((*path).to_owned(), FileContent::plain(*text))))
}

fn add(path: &str, content: &str) -> Op {
    Op::Add { path: path.to_owned(), content: content.to_owned(), encoding: None, executable: None }
}

fn remove(path: &str) -> Op {
    Op::Remove { path: path.to_owned() }
}

fn edit(path: &str, find: &str, replace: &str) -> Op {
    Op::Edit { path: path.to_owned(), find: find.to_owned(), replace: replace.to_owned(), occurrences: None }
}

fn edit_all(path: &str, find: &str, replace: &str, count: u32) -> Op {
    Op::Edit { path: path.to_owned(), find: find.to_owned(), replace: replace.to_owned(), occurrences: Some(count) }
}

fn splice(path: &str, start: u32, delete_count: u32, insert: &str) -> Op {
    let insert = (!insert.is_empty()).then(|| insert.to_owned());
    Op::Splice { path: path.to_owned(), start, delete_count, insert }
}

/// Returns the tree that a plan makes.
fn carried_out(plan: &PatchPlan, tree: &Snapshot) -> Snapshot {
    let mut files: std::collections::BTreeMap<String, FileContent> = tree
        .entries()
        .filter_map(|(path, entry)| match entry {
            PathState::File(file) => Some((path.to_owned(), file.clone())),
            _ => None,
        })
        .collect();
    for change in &plan.changes {
        match &change.after {
            Some(file) => drop(files.insert(change.path.clone(), file.clone())),
            None => drop(files.remove(&change.path)),
        }
    }
    Snapshot::of_files(files)
}

/// Plans against one file and returns what it becomes, or every fault.
fn planned(text: &str, ops: &[Op]) -> Result<String, Vec<String>> {
    let tree = tree(&[("f", text)]);
    match plan(&Patch { ops: ops.to_vec() }, &tree) {
        Ok(made) => match carried_out(&made, &tree).entry("f") {
            PathState::File(file) => Ok(String::from_utf8(file.bytes.clone()).expect("text")),
            other => Err(vec![format!("{other:?}")]),
        },
        Err(faults) => Err(faults.iter().map(Violation::to_string).collect()),
    }
}

fn check(text: &str, ops: &[Op], expected: &str) {
    assert_eq!(planned(text, ops), Ok(expected.to_owned()), "{ops:?} on {text:?}");
}

fn check_faults(text: &str, ops: &[Op], expected: &[&str]) {
    assert_eq!(
        planned(text, ops),
        Err(expected.iter().map(|&fault| fault.to_owned()).collect()),
        "{ops:?} on {text:?}"
    );
}

#[test]
fn operations_are_meant_in_the_file_as_it_was() {
    let text = "a\nb\nc\nd\n";
    check(text, &[splice("f", 3, 1, "D"), splice("f", 0, 1, "A\nA")], "A\nA\nb\nc\nD\n");
    check(text, &[splice("f", 1, 0, "x"), edit("f", "b", "B"), splice("f", 2, 1, "")], "a\nx\nB\nd\n");
    check(text, &[edit("f", "a\n", ""), edit("f", "b\n", "")], "c\nd\n");
    check("x x x", &[edit_all("f", "x", "yy", 3)], "yy yy yy");
    check(text, &[splice("f", 0, 4, "")], "");
}

#[test]
fn a_file_keeps_its_endings_its_mark_and_its_last_line() {
    check("a\r\nb\r\n", &[splice("f", 1, 1, "x\ny")], "a\r\nx\r\ny\r\n");
    check("a\r\nb\n", &[splice("f", 2, 0, "c")], "a\r\nb\nc\n");
    check("a\nb", &[splice("f", 1, 1, "x")], "a\nx");
    check("a\nb", &[splice("f", 2, 0, "c")], "a\nb\nc");
    check("a\nb", &[splice("f", 2, 0, "c\n")], "a\nb\nc\n");
    check("a\nb", &[splice("f", 0, 1, "x")], "x\nb");
    check("a\nb\n", &[splice("f", 1, 1, "x")], "a\nx\n");
    check("", &[splice("f", 0, 0, "x")], "x\n");
    check("\u{feff}a\nb\n", &[splice("f", 0, 1, "x")], "\u{feff}x\nb\n");
    check("\u{feff}a\nb\n", &[edit("f", "a\nb", "c")], "\u{feff}c\n");
}

#[test]
fn every_fault_is_listed_with_its_place() {
    check_faults(
        "one\ntwo\ntwo\n",
        &[
            edit("f", "two", "2"),
            edit("f", "thre", "3"),
            edit_all("f", "two", "2", 3),
            splice("f", 4, 0, "x"),
            splice("f", 2, 2, ""),
            remove("g"),
        ],
        &[
            "ops[0].find: occurs 2 times in f (lines 2, 3); give more of the text around it, or `occurrences` if all are meant",
            "ops[1].find: does not occur in f",
            "ops[2].occurrences: is 3, but the text occurs 2 times in f (lines 2, 3)",
            "ops[3].start: is 4, but f has 3 lines",
            "ops[4].deleteCount: is 2, but f has 1 lines from 2 on",
            "ops[5].path: g is not there",
        ],
    );
    check_faults("a\n", &[], &["ops: is empty; there is nothing to apply"]);
    check_faults("a\n", &[edit("f", "", "x")], &["ops[0].find: is empty; it would match everywhere"]);
    check_faults(
        "let x = 1;\n",
        &[edit("f", "let y = 1;", "")],
        &["ops[0].find: does not occur in f; nearest to it is line 1: \"let x = 1;\""],
    );
}

#[test]
fn what_touches_the_same_bytes_is_refused() {
    let text = "a\nb\nc\n";
    check_faults(text, &[edit("f", "a\nb", "x"), edit("f", "b\nc", "y")], &["ops[1]: overlaps ops[0] in f at line 2"]);
    check_faults(text, &[splice("f", 0, 3, "x"), splice("f", 1, 0, "y")], &["ops[1]: overlaps ops[0] in f at line 2"]);
    check_faults(text, &[edit("f", "b", "x"), edit("f", "b", "x")], &["ops[1]: overlaps ops[0] in f at line 2"]);
    check_faults("aaa\n", &[edit_all("f", "aa", "b", 2)], &["ops[0].find: its places in f overlap at line 1"]);
    check(text, &[splice("f", 0, 1, "x"), splice("f", 1, 0, "y")], "x\ny\nb\nc\n");
    // The order of two texts at one place is not known.
    for (place, line) in [(0, 1), (1, 2), (3, 3)] {
        let fault = format!("ops[1]: inserts text where ops[0] does, in f at line {line}");
        check_faults(text, &[splice("f", place, 0, "x"), splice("f", place, 0, "y")], &[&fault]);
        check_faults(text, &[splice("f", place, 0, "x"), splice("f", place, 0, "x")], &[&fault]);
    }
}

#[test]
fn sequences_that_contradict_each_other_are_refused() {
    for (ops, fault) in [
        (vec![add("g", "x"), add("g", "y")], "ops[1]: contradicts ops[0], which is about g as well"),
        (vec![add("g", "x"), edit("g", "x", "y")], "ops[1]: contradicts ops[0], which is about g as well"),
        (vec![remove("f"), edit("f", "a", "b")], "ops[1]: contradicts ops[0], which is about f as well"),
        (vec![edit("f", "a", "b"), remove("f")], "ops[1]: contradicts ops[0], which is about f as well"),
        (vec![remove("f"), remove("f")], "ops[1]: contradicts ops[0], which is about f as well"),
        (vec![remove("f"), add("f", "x"), add("f", "y")], "ops[1]: contradicts ops[0], which is about f as well"),
        (vec![add("f", "x")], "ops[0].path: f is there already; edit it, or remove it in the same patch"),
    ] {
        check_faults("a\n", &ops, &[fault]);
    }
    check("a\n", &[remove("f"), add("f", "x")], "x");
}

#[test]
fn paths_that_get_into_each_others_way_are_refused() {
    let tree = tree(&[("src/lib.rs", "x"), ("README.md", "x"), ("straße/a", "x")]);
    for (ops, fault) in [
        (vec![add("readme.md", "")], Some("ops[0].path: readme.md and README.md are one file to some file systems")),
        (vec![add("Src/main.rs", "")], Some("ops[0].path: Src/main.rs and src are one file to some file systems")),
        (vec![add("STRASSE/b", "")], Some("ops[0].path: STRASSE/b and straße are one file to some file systems")),
        (
            vec![add("n/é", ""), add("n/e\u{301}", "")],
            Some("ops[0].path: n/é and n/e\u{301} are one file to some file systems"),
        ),
        (vec![add("src/lib.rs/x", "")], Some("ops[0].path: src/lib.rs is a file, so nothing can lie in it")),
        (vec![add("n", ""), add("n/m", "")], Some("ops[1].path: n would have to be a file and a folder")),
        (vec![remove("src")], Some("ops[0].path: src is a folder; operations take one file each")),
        (vec![add("src", "")], Some("ops[0].path: src is a folder")),
        (
            vec![edit("readme.md", "x", "y")],
            Some("ops[0].path: readme.md is not there; there is README.md, written otherwise"),
        ),
        (vec![remove("README.md"), add("readme.md", "")], None),
        (vec![remove("src/lib.rs"), add("src/lib.rs/x", "")], None),
        (vec![remove("src/lib.rs"), add("src", "")], None),
        (vec![remove("README.md"), add("src", "")], Some("ops[1].path: src is a folder")),
        (vec![add("src/a", ""), add("src/b", "")], None),
        (vec![add("n/a", ""), add("n/b/c", "")], None),
    ] {
        let faults = plan(&Patch { ops }, &tree).err();
        let faults = faults.map(|faults| faults.iter().map(Violation::to_string).collect::<Vec<_>>());
        assert_eq!(faults, fault.map(|fault| vec![fault.to_owned()]));
    }
}

#[test]
fn what_is_no_plain_file_is_not_touched() {
    let mut tree = tree(&[("a", "x")]);
    tree.put("link", PathState::Foreign("a symbolic link"));
    tree.put_names("", ["link".to_owned()]);
    for op in [remove("link"), edit("link", "x", "y"), add("link", ""), add("link/x", ""), edit("link/x", "x", "y")] {
        let faults = plan(&Patch { ops: vec![op.clone()] }, &tree).expect_err("refused");
        assert!(faults[0].message.contains("is a symbolic link"), "{op:?}: {faults:?}");
    }
}

#[test]
fn an_applied_patch_is_recognized() {
    let before = tree(&[("a", "use x;\nfn f() {}\n"), ("b", "old"), ("c", "1\n2\n")]);
    let patch = Patch {
        ops: vec![edit("a", "use x;", "use x;\nuse y;"), remove("b"), add("d/e", "new\n"), edit("c", "1\n", "")],
    };
    let made = plan(&patch, &before).expect("it fits");
    assert!(!made.is_applied);
    let after = carried_out(&made, &before);
    let again = plan(&patch, &after).expect("it is recognized");
    assert!(again.is_applied && again.changes.is_empty());
    // One half of it is not the whole.
    let mut half = after.clone();
    half.put("d/e", PathState::Absent);
    let faults = plan(&patch, &half).expect_err("refused");
    assert!(
        faults.iter().any(|fault| fault.to_string() == "ops[0]: is applied already, but others are not"),
        "{faults:?}"
    );
    // That a text is missing does not say that it was taken away by this patch.
    assert!(plan(&Patch { ops: vec![edit("c", "9\n", "")] }, &before).is_err());
}

#[test]
fn places_are_replaced_up_to_a_limit() {
    let text = |count: usize| "ab\n".repeat(count);
    let replaced = |count: usize, wanted: usize| {
        planned(&text(count), &[edit_all("f", "b", "c", u32::try_from(wanted).expect("few"))])
    };
    assert_eq!(replaced(MATCHES_MAX, MATCHES_MAX), Ok("ac\n".repeat(MATCHES_MAX)));
    let lines = "in f (lines 1, 2, 3, 4, 5 and more)";
    for (count, wanted, fault) in [
        (MATCHES_MAX + 1, MATCHES_MAX + 1, "ops[0].occurrences: is 10001, where 10000 is the most".to_owned()),
        (2, MATCHES_MAX + 1, "ops[0].occurrences: is 10001, but the text occurs 2 times in f (lines 1, 2)".to_owned()),
        (
            MATCHES_MAX + 1,
            MATCHES_MAX,
            format!("ops[0].occurrences: is 10000, but the text occurs more than 10000 times {lines}"),
        ),
    ] {
        assert_eq!(replaced(count, wanted), Err(vec![fault]));
    }
    let hint = "give more of the text around it, or `occurrences` if all are meant";
    for (count, said) in [(MATCHES_MAX, "10000"), (MATCHES_MAX + 1, "more than 10000")] {
        let fault = format!("ops[0].find: occurs {said} times {lines}; {hint}");
        check_faults(&text(count), &[edit("f", "b", &"c".repeat(40_000))], &[&fault]);
    }
}

#[test]
fn a_file_that_is_larger_is_called_so() {
    assert_eq!(LARGER_FILE, format!("a file larger than {} MiB", FILE_BYTES_MAX >> 20));
}

#[test]
fn no_file_is_made_larger_than_may_be() {
    const PIECE: usize = FILE_BYTES_MAX / 1024;
    let made = |rest: &str| {
        let ops = [edit_all("f", " ", &"x".repeat(PIECE), 1024)];
        planned(&format!("{}{rest}", " ".repeat(1024)), &ops).map(|text| text.len())
    };
    assert_eq!(made(""), Ok(FILE_BYTES_MAX));
    let fault = format!("ops[0]: makes f {} bytes large, where {FILE_BYTES_MAX} is the most", FILE_BYTES_MAX + 1);
    assert_eq!(made("!"), Err(vec![fault]));
}

#[test]
fn edits_repeat_and_indent_their_text_up_to_a_limit() {
    const PIECE: usize = GROWTH_BYTES_MAX / 512;
    let growth = |of_each: [usize; 3], ops: &[Op]| {
        let text = |spaces: usize| " ".repeat(spaces);
        let tree = tree(&[("f", &text(of_each[0])), ("g", &text(of_each[1])), ("h", &text(of_each[2]))]);
        plan(&Patch { ops: ops.to_vec() }, &tree).map(|made| made.changes.len()).map_err(|faults| faults[0].to_string())
    };
    let all = |path: &str, count: u32| edit_all(path, " ", &"x".repeat(PIECE), count);
    assert_eq!(growth([257, 257, 1], &[all("f", 257), all("g", 257), edit("h", " ", &"x".repeat(PIECE))]), Ok(3));
    let hint = "by repeating texts and indenting them";
    let fault = |file: &str| format!("makes {file} grow too much: {GROWTH_BYTES_MAX} bytes is the most {hint}");
    assert_eq!(growth([257, 258, 1], &[all("f", 257), all("g", 258)]), Err(format!("ops[1]: {}", fault("g"))));
    // A deep place indents every line.
    let indented = |depth: usize| {
        let text = format!("{0}a\n{0}b\n", " ".repeat(depth));
        planned(&text, &[edit("f", "a\nb\n", &"x\n".repeat(1024))]).map(|text| text.len())
    };
    assert_eq!(indented(PIECE / 2 - 2), Ok(FILE_BYTES_MAX));
    assert_eq!(indented(PIECE / 2 + 1), Err(vec![format!("ops[0]: {}", fault("f"))]));
}

#[test]
fn many_places_that_were_replaced_are_recognized() {
    let count = u32::try_from(MATCHES_MAX).expect("few");
    let after = tree(&[("f", &"ab\n".repeat(MATCHES_MAX))]);
    let applied = |ops: Vec<Op>| plan(&Patch { ops }, &after).map(|made| made.is_applied).unwrap_or_default();
    assert!(applied(vec![edit_all("f", "a", "ab", count)]));
    assert!(!applied(vec![edit_all("f", "b", "bc", count)]));
    assert!(!applied(vec![edit_all("f", "a", "ab", count - 1)]), "it stands there once more");
}

#[test]
fn splices_whose_text_stands_there_are_doubted() {
    let doubt = "may be applied already, and it stands there; say it as an edit, with text around it";
    for (ops, faults) in [
        (vec![splice("f", 1, 0, "x\ny")], 1),
        (vec![splice("f", 1, 1, "x\ny\n")], 1),
        (vec![splice("f", 4, 0, "z")], 1),
        // What comes and goes above moves the lines below; what only goes is seen with the rest.
        (vec![splice("f", 3, 0, "z"), splice("f", 0, 1, "x\ny")], 2),
        (vec![splice("f", 0, 1, ""), splice("f", 2, 0, "z")], 2),
    ] {
        let before = tree(&[("f", "a\nb\nc\nd\n")]);
        let patch = Patch { ops };
        let after = carried_out(&plan(&patch, &before).expect("it fits"), &before);
        let again = plan(&patch, &after).expect_err("it may be applied already");
        let again: Vec<String> = again.iter().map(|fault| fault.message.clone()).collect();
        assert_eq!(again, vec![doubt; faults], "{patch:?}");
        // What another file says settles nothing.
        let with = Patch { ops: [patch.ops, vec![add("g", "x")]].concat() };
        let after = carried_out(&plan(&with, &before).expect("it fits"), &before);
        let again = plan(&with, &after).expect_err("it may be applied already");
        assert_eq!(again.iter().filter(|fault| fault.message == doubt).count(), faults, "{with:?}");
    }
    // The same lines again change nothing, and lines that go tell nothing.
    check("a\nx\n", &[splice("f", 1, 1, "x")], "a\nx\n");
    check("a\nb\n", &[splice("f", 0, 1, "")], "b\n");
    check("a\nx\n", &[splice("f", 1, 0, "x"), splice("f", 0, 0, "y")], "y\na\nx\nx\n");
}

#[test]
fn one_half_of_a_patch_that_is_applied_is_not_repeated() {
    let patch = [edit("f", "a", "a b"), splice("f", 1, 0, "x\n")];
    check("a\nc\n", &patch, "a b\nx\nc\n");
    check_faults("a b\nx\nc\n", &patch, &["ops[0]: is applied already, but others are not"]);
    // What changes nothing is no half.
    check("a\nc\n", &[edit("f", "a", "a"), edit("f", "c", "d")], "a\nd\n");
}

#[test]
fn an_inverse_that_was_applied_is_recognized() {
    for (text, ops) in [
        ("a\nb\nc\n", vec![splice("f", 1, 0, "x\n")]),
        ("a\nb\nc\n", vec![splice("f", 1, 1, "")]),
        ("a\nb\nc\n", vec![edit("f", "b", "B"), splice("f", 3, 0, "d")]),
        ("a\r\nb\r\nc", vec![edit("f", "b\nc", "B\nC")]),
        ("\u{feff}a\nb\n", vec![splice("f", 0, 0, "x"), add("g", "y")]),
        ("x\ny\n}\nz\n", vec![splice("f", 3, 0, "}")]),
    ] {
        let before = tree(&[("f", text)]);
        let made = plan(&Patch { ops: ops.clone() }, &before).expect("it fits");
        let back = inverse(&made, &before);
        let after = carried_out(&made, &before);
        assert_eq!(carried_out(&plan(&back, &after).expect("it fits"), &after), before, "{ops:?}");
        assert!(plan(&back, &before).expect("it is recognized").is_applied, "{ops:?}: {back:?}");
    }
}

#[test]
fn what_stays_as_it_is_is_no_change() {
    let tree = tree(&[("f", "x\n")]);
    let made = plan(&Patch { ops: vec![remove("f"), add("f", "x\n"), splice("f", 0, 0, "")] }, &tree);
    assert!(made.is_err(), "a splice contradicts");
    let made = plan(&Patch { ops: vec![edit("f", "x", "x")] }, &tree).expect("it fits");
    assert!(made.changes.is_empty());
}

#[test]
fn names_that_are_one_to_some_file_system_stand_only_where_they_stood() {
    let files =
        |paths: &[&str]| Snapshot::of_files(paths.iter().map(|path| ((*path).to_owned(), FileContent::plain("x"))));
    let fits = |tree: &Snapshot, ops: &[Op], names: NamePolicy| {
        plan_of(&Patch { ops: ops.to_vec() }.numbered(), tree, names).is_ok()
    };
    for (tree, ops, is_portable) in [
        (files(&["a"]), vec![add("A", "y")], false),
        (files(&["a"]), vec![add("A/b", "y")], false),
        (files(&[]), vec![add("a", "y"), add("A", "y")], false),
        (files(&["a"]), vec![remove("a"), add("A", "y")], true),
        (files(&["a", "A"]), vec![remove("A")], true),
        // Nothing new gets into the way of anything: both folders have been there.
        (files(&["d/a", "D/a"]), vec![add("d/b", "y")], true),
        (files(&["d/a", "D/a"]), vec![add("d/A", "y")], false),
    ] {
        assert_eq!(fits(&tree, &ops, NamePolicy::Portable), is_portable, "{ops:?}");
        assert!(fits(&tree, &ops, NamePolicy::Any), "{ops:?}");
    }
    assert!(!fits(&files(&["a"]), &[add("a", "y")], NamePolicy::Any), "it is there");
    let tree = files(&["a", "A"]);
    let made = plan(&Patch { ops: vec![remove("A")] }, &tree).expect("it fits");
    assert!(fits(&carried_out(&made, &tree), &inverse(&made, &tree).ops, NamePolicy::Any));
}

#[test]
fn a_file_that_takes_the_place_of_another_inherits_its_mode() {
    let script = FileContent { bytes: b"x".to_vec(), executable: true };
    let tree = Snapshot::of_files([("run".to_owned(), script)]);
    let modes = |executable: Option<bool>| {
        let put = Op::Add { path: "run".to_owned(), content: "y".to_owned(), encoding: None, executable };
        let made = plan(&Patch { ops: vec![remove("run"), put] }, &tree).expect("it fits");
        made.changes[0].after.as_ref().expect("a file").executable
    };
    assert_eq!([None, Some(true), Some(false)].map(modes), [true, true, false]);
}

#[test]
fn bytes_that_are_no_text_survive_and_come_back() {
    let latin = FileContent::plain(&b"caf\xE9\nx = 1\n\xFF\xFE\n"[..]);
    let tree = Snapshot::of_files([("f".to_owned(), latin.clone()), ("g".to_owned(), latin)]);
    let patch = Patch { ops: vec![edit("f", "x = 1", "x = 2"), remove("g")] };
    let made = plan(&patch, &tree).expect("it fits");
    let after = carried_out(&made, &tree);
    assert_eq!(*after.entry("f"), PathState::File(FileContent::plain(&b"caf\xE9\nx = 2\n\xFF\xFE\n"[..])));
    let back = plan(&inverse(&made, &tree), &after).expect("the inverse fits");
    assert_eq!(carried_out(&back, &after), tree);
}

#[test]
fn operations_have_the_names_that_fixers_write() {
    let json = r#"{"ops":[{"kind":"add","path":"a","content":"x"},{"kind":"remove","path":"b"},{"kind":"edit","path":"c","find":"x","replace":"y"},{"kind":"splice","path":"d","start":0,"deleteCount":2,"insert":"z"}]}"#;
    let patch: Patch = serde_json::from_str(json).expect("a patch");
    assert_eq!(patch.ops.iter().map(Op::path).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    assert_eq!(serde_json::to_string(&patch).expect("JSON"), json);
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    const LINES: [&[u8]; 7] = [b"a", b"b", b"", b"  a", b"caf\xE9", b"\xC3\xA9", b"$&"];
    const ENDINGS: [&[u8]; 4] = [b"\n", b"\n", b"\n", b"\r\n"];
    let (line, ending) = (prop::sample::select(&LINES[..]), prop::sample::select(&ENDINGS[..]));
    (any::<bool>(), prop::collection::vec((line, ending), 0..8), any::<bool>()).prop_map(|(mark, lines, open)| {
        let mut bytes = if mark { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
        for (line, ending) in lines {
            bytes.extend_from_slice(line);
            bytes.extend_from_slice(ending);
        }
        while open && matches!(bytes.last(), Some(b'\n' | b'\r')) {
            bytes.pop();
        }
        bytes
    })
}

/// Texts to insert, and at times to look for.
const PIECES: [&str; 9] = ["a", "b\n", "a\nb", "", "x\r\ny\n", "é", "$&\n$1", "\u{feff}", "b\r\n\n"];
/// Paths of files that are there, that may be made, and that no patch may name.
const PATHS: [&str; 18] =
    ["a", "b", "d/c", "n/new", "D/x", "d", "d/c/x", "B", "n", "", ".", "..", "/", "a/", "d//c", "nul", "a\0", ".git/x"];

/// Any operation at all.
fn any_op() -> impl Strategy<Value = Op> {
    let path = prop::sample::select(&PATHS[..]).prop_map(str::to_owned);
    let piece = || prop::sample::select(&PIECES[..]).prop_map(str::to_owned);
    let number = || prop_oneof![8 => 0_u32..6, 1 => Just(u32::MAX), 1 => Just(u32::MAX - 1)];
    (path, piece(), piece(), number(), number(), 0..4_u8, any::<(bool, Option<bool>)>()).prop_map(
        |(path, one, other, first, second, kind, (is_said, executable))| match kind {
            0 => Op::Add { path, content: one, encoding: is_said.then_some(Encoding::Base64), executable },
            1 => Op::Remove { path },
            2 => Op::Edit { path, find: one, replace: other, occurrences: is_said.then_some(first) },
            _ => Op::Splice { path, start: first, delete_count: second, insert: is_said.then_some(one) },
        },
    )
}

/// A sample that may become operations that fit a tree: the file, the kind, the place and the text to insert.
type SampleOperation =
    ((prop::sample::Index, u8), (prop::sample::Index, prop::sample::Index), usize, (bool, Option<bool>));

/// Makes operations of a wish that fit a tree, taken by themselves.
fn granted(((which, kind), (from, to), piece, (is_said, executable)): &SampleOperation, tree: &Snapshot) -> Vec<Op> {
    let files: Vec<(&str, &FileContent)> = tree
        .entries()
        .filter_map(|(path, entry)| if let PathState::File(file) = entry { Some((path, file)) } else { None })
        .collect();
    let (path, file) = files[which.index(files.len())];
    let piece = PIECES[piece % PIECES.len()];
    let added = |path: &str| Op::Add {
        path: path.to_owned(),
        content: piece.to_owned(),
        encoding: None,
        executable: *executable,
    };
    match kind % 12 {
        0 => vec![added(["n/new", "n/m", "new"][from.index(3)])],
        1 => vec![remove(path)],
        2 => vec![remove(path), added(path)],
        3..6 => {
            // Some bytes that stand there, as often as they do.
            let (from, to) = (from.index(file.bytes.len() + 1), to.index(file.bytes.len() + 1));
            let Ok(find) = std::str::from_utf8(&file.bytes[from.min(to)..from.max(to)]) else { return Vec::new() };
            let count = (0..file.bytes.len()).filter(|at| file.bytes[*at..].starts_with(find.as_bytes())).count();
            let count = u32::try_from(count).expect("few");
            if *is_said || count > 1 { vec![edit_all(path, find, piece, count)] } else { vec![edit(path, find, piece)] }
        }
        _ => {
            let count = line::TextLines::of(&file.bytes).count();
            let start = from.index(count + 1);
            let gone = to.index(count - start + 1).min(2);
            vec![splice(path, u32::try_from(start).expect("few"), u32::try_from(gone).expect("few"), piece)]
        }
    }
}

/// Grants wishes one after the other, as long as all operations together fit.
fn fitting(wishes: &[SampleOperation], tree: &Snapshot) -> Option<(Patch, PatchPlan)> {
    let mut fits = None;
    let mut patch = Patch::default();
    for wish in wishes {
        let kept = patch.ops.len();
        patch.ops.extend(granted(wish, tree));
        match plan(&patch, tree) {
            Ok(made) if !made.is_applied => fits = Some((patch.clone(), made)),
            _ => patch.ops.truncate(kept),
        }
    }
    fits
}

fn files() -> impl Strategy<Value = Snapshot> {
    let file = (text(), any::<bool>()).prop_map(|(bytes, executable)| FileContent { bytes, executable });
    prop::collection::vec(file, 3)
        .prop_map(|files| Snapshot::of_files(["a", "b", "d/c"].map(str::to_owned).into_iter().zip(files)))
}

/// Checks that a plan is for its tree, and does what its patch speaks of and nothing else.
fn is_consistent(made: &PatchPlan, patch: &Patch, tree: &Snapshot) -> Result<(), TestCaseError> {
    prop_assert!(!made.is_applied || made.changes.is_empty());
    prop_assert!(made.changes.windows(2).all(|pair| pair[0].path < pair[1].path));
    for change in &made.changes {
        let there = match tree.entry(&change.path) {
            PathState::File(file) => Some(file),
            _ => None,
        };
        prop_assert_eq!(&change.before, &there.map(FilePin::of), "{}", change.path);
        prop_assert!(change.after.as_ref() != there, "{} does not change", change.path);
        let ops: Vec<&Op> = patch.ops.iter().filter(|op| op.path() == change.path).collect();
        prop_assert!(!ops.is_empty(), "nothing speaks of {}", change.path);
        match ops.as_slice() {
            [Op::Remove { .. }] => prop_assert_eq!(&change.after, &None),
            [op @ Op::Add { .. }] | [_, op @ Op::Add { .. }] => {
                let bytes = change.after.as_ref().map(|file| file.bytes.clone());
                prop_assert_eq!(bytes, op.content());
            }
            ops => {
                let is_part = |op: &&Op| matches!(op, Op::Edit { .. } | Op::Splice { .. });
                prop_assert!(ops.iter().all(is_part));
                let modes = (there.map(|file| file.executable), change.after.as_ref().map(|file| file.executable));
                prop_assert_eq!(modes.0, modes.1);
            }
        }
    }
    let after = carried_out(made, tree);
    for (path, entry) in tree.entries().filter(|(_, entry)| matches!(entry, PathState::File(_))) {
        let is_changed = made.changes.iter().any(|change| change.path == path);
        prop_assert!(is_changed || after.entry(path) == entry, "{} is not as it was", path);
    }
    // What is recognized once more changes nothing; what is planned once more is of the new tree.
    if let Ok(again) = plan(patch, &after) {
        prop_assert!(!again.is_applied || again.changes.is_empty());
        let pin = |path: &str| match after.entry(path) {
            PathState::File(file) => Some(FilePin::of(file)),
            _ => None,
        };
        prop_assert!(again.changes.iter().all(|change| change.before == pin(&change.path)));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_patch_and_its_inverse_leave_the_tree_as_it_was(
        before in files(),
        wishes in prop::collection::vec(any::<SampleOperation>(), 1..12),
    ) {
        if let Some((patch, made)) = fitting(&wishes, &before) {
            let after = carried_out(&made, &before);
            let back = inverse(&made, &before);
            if back.ops.is_empty() {
                prop_assert_eq!(after, before);
            } else {
                let planned = plan(&back, &after).expect("the inverse fits");
                prop_assert_eq!(&carried_out(&planned, &after), &before, "{:?}", patch);
                // Carried out once more, edits are recognized or refused.
                if back.ops.iter().all(|op| matches!(op, Op::Edit { .. })) {
                    prop_assert!(plan(&back, &before).map_or(true, |again| again.is_applied), "{:?}", back);
                }
            }
        }
    }

    #[test]
    fn any_document_is_planned_or_refused(tree in files(), ops in prop::collection::vec(any_op(), 0..6)) {
        let patch = Patch { ops };
        match plan(&patch, &tree) {
            Ok(made) => is_consistent(&made, &patch, &tree)?,
            Err(faults) => {
                // Each fault says which operation it is about.
                prop_assert!(!faults.is_empty());
                let is_at_one = |at: &str| (0..patch.ops.len()).any(|index| at.starts_with(&format!("ops[{index}]")));
                prop_assert!(faults.iter().all(|fault| is_at_one(&fault.at) || patch.ops.is_empty()), "{:?}", faults);
            }
        }
        // What stands in a document comes out of it, or is refused.
        let text = serde_json::to_string(&patch).expect("JSON");
        if let Ok(handed) = PatchInput::read(text.as_bytes(), PatchForm::Guessed, &PatchLimits::default()) {
            prop_assert_eq!(&handed, &PatchInput::Operations(patch));
        }
    }

    #[test]
    fn one_file_leads_to_any_other(before in text(), after in text(), modes in any::<(bool, bool)>()) {
        let before = FileContent { bytes: before, executable: modes.0 };
        let after = FileContent { bytes: after, executable: modes.1 };
        let tree = Snapshot::of_files([("f".to_owned(), before.clone())]);
        let ops = between("f", Some(&before), Some(&after));
        prop_assert_eq!(ops.is_empty(), before == after);
        if !ops.is_empty() {
            let made = plan(&Patch { ops }, &tree).expect("it fits");
            prop_assert_eq!(made.changes[0].after.as_ref(), Some(&after));
        }
    }
}
