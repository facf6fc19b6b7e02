//! Plans: tables of what fits and what does not, and properties over random trees.

use proptest::prelude::*;

use super::*;
use crate::violation::Violation;

fn tree(files: &[(&str, &str)]) -> Snapshot {
    Snapshot::of_files(files.iter().map(|(path, text)| ((*path).to_owned(), File::plain(*text))))
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
fn carried_out(plan: &Plan, tree: &Snapshot) -> Snapshot {
    let mut files: std::collections::BTreeMap<String, File> = tree
        .entries()
        .filter_map(|(path, entry)| match entry {
            Entry::File(file) => Some((path.to_owned(), file.clone())),
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
            Entry::File(file) => Ok(String::from_utf8(file.bytes.clone()).expect("text")),
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
    check(text, &[splice("f", 0, 0, "1"), splice("f", 0, 0, "2")], "1\n2\na\nb\nc\nd\n");
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
    tree.put("link", Entry::Foreign("a symbolic link"));
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
    half.put("d/e", Entry::Absent);
    let faults = plan(&patch, &half).expect_err("refused");
    assert!(
        faults.iter().any(|fault| fault.to_string() == "ops[0]: is applied already, but others are not"),
        "{faults:?}"
    );
    // That a text is missing does not say that it was taken away by this patch.
    assert!(plan(&Patch { ops: vec![edit("c", "9\n", "")] }, &before).is_err());
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
fn a_file_that_takes_the_place_of_another_inherits_its_mode() {
    let script = File { bytes: b"x".to_vec(), executable: true };
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
    let latin = File::plain(&b"caf\xE9\nx = 1\n\xFF\xFE\n"[..]);
    let tree = Snapshot::of_files([("f".to_owned(), latin.clone()), ("g".to_owned(), latin)]);
    let patch = Patch { ops: vec![edit("f", "x = 1", "x = 2"), remove("g")] };
    let made = plan(&patch, &tree).expect("it fits");
    let after = carried_out(&made, &tree);
    assert_eq!(*after.entry("f"), Entry::File(File::plain(&b"caf\xE9\nx = 2\n\xFF\xFE\n"[..])));
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

/// What is put in, and at times looked for.
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

/// What may become operations that fit a tree: which file, what, where, and what is put in.
type Wish = ((prop::sample::Index, u8), (prop::sample::Index, prop::sample::Index), usize, (bool, Option<bool>));

/// Makes operations of a wish that fit a tree, taken by themselves.
fn granted(((which, kind), (from, to), piece, (is_said, executable)): &Wish, tree: &Snapshot) -> Vec<Op> {
    let files: Vec<(&str, &File)> = tree
        .entries()
        .filter_map(|(path, entry)| if let Entry::File(file) = entry { Some((path, file)) } else { None })
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
            let count = line::Lines::of(&file.bytes).count();
            let start = from.index(count + 1);
            let gone = to.index(count - start + 1).min(2);
            vec![splice(path, u32::try_from(start).expect("few"), u32::try_from(gone).expect("few"), piece)]
        }
    }
}

/// Grants wishes one after the other, as long as all operations together fit.
fn fitting(wishes: &[Wish], tree: &Snapshot) -> Option<(Patch, Plan)> {
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
    let file = (text(), any::<bool>()).prop_map(|(bytes, executable)| File { bytes, executable });
    prop::collection::vec(file, 3)
        .prop_map(|files| Snapshot::of_files(["a", "b", "d/c"].map(str::to_owned).into_iter().zip(files)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_patch_and_its_inverse_leave_the_tree_as_it_was(
        before in files(),
        wishes in prop::collection::vec(any::<Wish>(), 1..12),
    ) {
        if let Some((patch, made)) = fitting(&wishes, &before) {
            let after = carried_out(&made, &before);
            let back = inverse(&made, &before);
            if back.ops.is_empty() {
                prop_assert_eq!(after, before);
            } else {
                let back = plan(&back, &after).expect("the inverse fits");
                prop_assert_eq!(carried_out(&back, &after), before, "{:?}", patch);
            }
        }
    }

    #[test]
    fn any_document_is_planned_or_refused(tree in files(), ops in prop::collection::vec(any_op(), 0..6)) {
        let patch = Patch { ops };
        let planned = plan(&patch, &tree);
        prop_assert!(planned.is_ok() || planned.is_err_and(|faults| !faults.is_empty()));
        // What stands in a document comes out of it, or is refused.
        let text = serde_json::to_string(&patch).expect("JSON");
        if let Ok(handed) = Handed::read(text.as_bytes(), None, &PatchLimits::default()) {
            prop_assert_eq!(&handed, &Handed::Operations(patch));
        }
    }

    #[test]
    fn one_file_leads_to_any_other(before in text(), after in text(), modes in any::<(bool, bool)>()) {
        let before = File { bytes: before, executable: modes.0 };
        let after = File { bytes: after, executable: modes.1 };
        let tree = Snapshot::of_files([("f".to_owned(), before.clone())]);
        let ops = between("f", Some(&before), Some(&after));
        prop_assert_eq!(ops.is_empty(), before == after);
        if !ops.is_empty() {
            let made = plan(&Patch { ops }, &tree).expect("it fits");
            prop_assert_eq!(made.changes[0].after.as_ref(), Some(&after));
        }
    }
}
