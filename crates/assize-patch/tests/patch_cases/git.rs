//! Real git and random trees: what it prints makes the last tree of the first, byte for byte and mode for mode, and
//! what is written here does so in its hands.
//!
//! Each tree comes of the one before by steps that git has words for: renames, copies, swaps, changes of mode and of
//! lines. How git prints is drawn as well. No such output may leave anything to be overlooked.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use assize_patch::{FileContent, Patch, PatchForm, PatchInput, PatchLimits, Snapshot, between, plan, unified};
use proptest::prelude::*;

use super::{CaseFiles, carried_out};

/// Names that git writes as they are, in quotes, with a tab behind them, or only just does not mistake for others.
const NAMES: [&str; 12] =
    ["a", "b.txt", "d", "d/a", "d/e f", "ü/ß", "say 'x'", "日本/x", "x b/x", "--", "rename to x", "diff --git a/x b/x"];
const LINES: [&str; 14] = [
    "",
    "a",
    "b",
    "  a",
    "\ta",
    "é",
    "-- ",
    "++ b/x",
    "-- a/x",
    "@@ -1 +1 @@",
    "diff --git a/x b/x",
    "\\ No",
    "a\rb",
    "\u{feff}",
];
/// Random trees for each property; git is started several times for each.
const CASES: u32 = 80;
/// Ways to look for what became of a file.
const SEARCHES: [&[&str]; 6] = [
    &["--no-renames"],
    &["-M"],
    &["-M1%", "-C1%"],
    &["-M", "-C", "--find-copies-harder"],
    &["-B", "-M"],
    &["-B1%/1%", "-M1%", "-C1%", "--find-copies-harder"],
];
/// Ways to print it.
const FORMS: [&[&str]; 8] = [
    &[],
    &["--unified=0"],
    &["--unified=1", "--full-index"],
    &["--unified=50", "--binary"],
    &["--no-prefix"],
    &["--patience", "--inter-hunk-context=3"],
    &["--patch-with-stat", "--summary"],
    &["--patch-with-raw", "--function-context"],
];

/// A folder of git's that each test has for itself.
fn repository(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("patch-git-{name}"));
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(&folder).expect("a folder");
    git(&folder, &["init", "--quiet", "--bare"], b"");
    folder
}

fn git(folder: &PathBuf, arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let mut git = Command::new("git")
        .args(["-c", "core.abbrev=12"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_DIR", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git is installed");
    git.stdin.take().expect("a pipe").write_all(input).expect("it listens");
    let output = git.wait_with_output().expect("it ends");
    assert!(output.status.success(), "git {arguments:?}: {}", output.status);
    output.stdout
}

/// Commits trees one upon the other, as `0`, `1` and so on.
fn commit(folder: &PathBuf, trees: &[CaseFiles]) {
    let mut stream = Vec::new();
    for (index, tree) in trees.iter().enumerate() {
        let message = "A change\n\n- of lines\n+ and more\n\n```\ndiff\n```\n";
        stream.extend(format!("commit refs/heads/{index}\ncommitter A <a@example.org> {index} +0000\n").into_bytes());
        stream.extend(format!("data {}\n{message}\n", message.len()).into_bytes());
        if index > 0 {
            stream.extend(format!("from refs/heads/{}\n", index - 1).into_bytes());
        }
        stream.extend(b"deleteall\n");
        for (path, file) in tree {
            let mode = if file.executable { "100755" } else { "100644" };
            stream.extend(format!("M {mode} inline {path}\ndata {}\n", file.bytes.len()).into_bytes());
            stream.extend_from_slice(&file.bytes);
            stream.push(b'\n');
        }
    }
    git(folder, &["fast-import", "--quiet", "--force"], &stream);
}

/// What becomes of a tree. Files are meant by their number among those that are there.
#[derive(Debug, Clone)]
enum TreeMutation {
    Remove(usize),
    Rename(usize, &'static str),
    Copy(usize, &'static str),
    Swap(usize, usize),
    Mode(usize),
    /// Puts other lines in the place of some.
    Lines(usize, usize, usize, Vec<u8>),
    /// Gives all lines the other ending.
    Endings(usize),
    /// Takes away the last byte.
    Last(usize),
    Write(&'static str, Vec<u8>, bool),
}

fn put(tree: &mut CaseFiles, name: &str, file: FileContent) {
    let is_within = |one: &str, other: &str| one.strip_prefix(other).is_some_and(|rest| rest.starts_with('/'));
    if !tree.keys().any(|other| is_within(name, other) || is_within(other, name)) {
        tree.insert(name.to_owned(), file);
    }
}

fn name_at(tree: &CaseFiles, number: usize) -> Option<String> {
    tree.keys().nth(number.checked_rem(tree.len())?).cloned()
}

fn carry_out(step: &TreeMutation, tree: &mut CaseFiles) {
    let (TreeMutation::Remove(number)
    | TreeMutation::Rename(number, _)
    | TreeMutation::Copy(number, _)
    | TreeMutation::Swap(number, _)
    | TreeMutation::Mode(number)
    | TreeMutation::Lines(number, ..)
    | TreeMutation::Endings(number)
    | TreeMutation::Last(number)) = step
    else {
        if let TreeMutation::Write(name, bytes, executable) = step {
            put(tree, name, FileContent { bytes: bytes.clone(), executable: *executable });
        }
        return;
    };
    let Some(name) = name_at(tree, *number) else { return };
    let mut file = tree[&name].clone();
    match step {
        TreeMutation::Remove(_) => drop(tree.remove(&name)),
        TreeMutation::Rename(_, to) => {
            tree.remove(&name);
            put(tree, to, file);
        }
        TreeMutation::Copy(_, to) => put(tree, to, file),
        TreeMutation::Swap(_, other) => {
            let other = name_at(tree, *other).expect("the tree has files");
            let there = tree.insert(other, file).expect("a file");
            tree.insert(name, there);
        }
        TreeMutation::Mode(_) => {
            file.executable = !file.executable;
            tree.insert(name, file);
        }
        TreeMutation::Lines(_, from, count, put) => {
            let lines: Vec<&[u8]> = file.bytes.split_inclusive(|byte| *byte == b'\n').collect();
            let from = from % (lines.len() + 1);
            let to = (from + count).min(lines.len());
            let bytes = [lines[..from].concat(), put.clone(), lines[to..].concat()].concat();
            tree.insert(name, FileContent { bytes, ..file });
        }
        TreeMutation::Endings(_) => {
            let text: Vec<&[u8]> = file.bytes.split(|byte| *byte == b'\n').collect();
            let is_crlf = text.first().is_some_and(|line| line.ends_with(b"\r"));
            let other = |line: &&[u8]| line.strip_suffix(b"\r").unwrap_or(line).to_vec();
            let ending: &[u8] = if is_crlf { b"\n" } else { b"\r\n" };
            let bytes = text.iter().map(other).collect::<Vec<_>>().join(ending);
            tree.insert(name, FileContent { bytes, ..file });
        }
        TreeMutation::Last(_) => {
            file.bytes.pop();
            tree.insert(name, file);
        }
        TreeMutation::Write(..) => {}
    }
}

fn some_lines() -> impl Strategy<Value = Vec<u8>> {
    let numbered = (0..40_u8).prop_map(|number| format!("line {number}").into_bytes());
    let odd = prop::sample::select(&LINES[..]).prop_map(|line| line.as_bytes().to_vec());
    let line = prop_oneof![4 => numbered, 2 => odd, 1 => Just(b"caf\xe9".to_vec())];
    let ending = prop::sample::select(vec!["\n", "\n", "\n", "\r\n"]);
    prop::collection::vec((line, ending), 0..14).prop_map(|lines| {
        lines.into_iter().flat_map(|(line, ending)| [&line[..], ending.as_bytes()].concat()).collect()
    })
}

fn some_step() -> impl Strategy<Value = TreeMutation> {
    let name = || prop::sample::select(&NAMES[..]);
    let file = 0..NAMES.len();
    prop_oneof![
        file.clone().prop_map(TreeMutation::Remove),
        (file.clone(), name()).prop_map(|(file, name)| TreeMutation::Rename(file, name)),
        (file.clone(), name()).prop_map(|(file, name)| TreeMutation::Copy(file, name)),
        (file.clone(), file.clone()).prop_map(|(one, other)| TreeMutation::Swap(one, other)),
        file.clone().prop_map(TreeMutation::Mode),
        (file.clone(), 0..14_usize, 0..4_usize, some_lines())
            .prop_map(|(file, from, count, put)| TreeMutation::Lines(file, from, count, put)),
        file.clone().prop_map(TreeMutation::Endings),
        file.prop_map(TreeMutation::Last),
        (name(), some_lines(), any::<bool>())
            .prop_map(|(name, bytes, executable)| TreeMutation::Write(name, bytes, executable)),
    ]
}

/// Trees of which each comes of the one before.
fn some_trees(count: usize) -> impl Strategy<Value = Vec<CaseFiles>> {
    let written = prop::collection::vec((prop::sample::select(&NAMES[..]), some_lines(), any::<bool>()), 1..6);
    (written, prop::collection::vec(prop::collection::vec(some_step(), 0..7), count - 1)).prop_map(
        |(written, steps)| {
            let mut trees = vec![CaseFiles::new()];
            for (name, bytes, executable) in written {
                carry_out(&TreeMutation::Write(name, bytes, executable), &mut trees[0]);
            }
            for steps in steps {
                let mut tree = trees.last().expect("a tree").clone();
                steps.iter().for_each(|step| carry_out(step, &mut tree));
                trees.push(tree);
            }
            trees
        },
    )
}

/// Reads a diff and returns the tree that it makes, or what is wrong.
fn imported(text: &[u8], before: &CaseFiles) -> Result<CaseFiles, String> {
    let tree = Snapshot::of_files(before.clone());
    let handed =
        PatchInput::read(text, PatchForm::Guessed, &PatchLimits::NONE).map_err(|faults| format!("{faults:?}"))?;
    let imported = handed.settle(&tree).map_err(|faults| format!("{faults:?}"))?;
    if !imported.notes.is_empty() {
        return Err(format!("{:?}", imported.notes));
    }
    if imported.patch.ops.is_empty() {
        return Ok(before.clone());
    }
    let made = plan(&imported.patch, &tree).map_err(|faults| format!("{faults:?}"))?;
    Ok(carried_out(&made, before))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_diff_of_two_trees_makes_one_of_the_other(
        trees in some_trees(2),
        search in prop::sample::select(&SEARCHES[..]),
        form in prop::sample::select(&FORMS[..]),
        quoted in any::<bool>(),
    ) {
        static REPOSITORY: LazyLock<PathBuf> = LazyLock::new(|| repository("two"));
        prop_assume!(trees[0] != trees[1]);
        commit(&REPOSITORY, &trees);
        let quote = format!("core.quotePath={quoted}");
        let text = git(&REPOSITORY, &[&["-c", &quote, "diff"], search, form, &["0", "1"]].concat(), b"");
        let made = imported(&text, &trees[0]);
        prop_assert_eq!(made, Ok(trees[1].clone()), "{}", String::from_utf8_lossy(&text));
    }

    #[test]
    fn a_series_of_commits_makes_the_last_tree_of_the_first(
        trees in some_trees(4),
        search in prop::sample::select(&SEARCHES[..]),
        format in prop::sample::select(vec!["--format=medium", "--format=email", "--format=oneline"]),
    ) {
        static REPOSITORY: LazyLock<PathBuf> = LazyLock::new(|| repository("series"));
        commit(&REPOSITORY, &trees);
        let text = git(&REPOSITORY, &[&["log", "--reverse", "--patch", format], search, &["0..3"]].concat(), b"");
        prop_assume!(text.windows(11).any(|words| words == b"diff --git "));
        let made = imported(&text, &trees[0]);
        prop_assert_eq!(made, Ok(trees[3].clone()), "{}", String::from_utf8_lossy(&text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn git_applies_what_is_exported(trees in some_trees(2)) {
        static REPOSITORY: LazyLock<PathBuf> = LazyLock::new(|| repository("export"));
        prop_assume!(trees[0] != trees[1]);
        commit(&REPOSITORY, &trees);
        let paths: BTreeSet<&String> = trees[0].keys().chain(trees[1].keys()).collect();
        let ops = paths.into_iter().flat_map(|path| between(path, trees[0].get(path), trees[1].get(path)));
        let tree = Snapshot::of_files(trees[0].clone());
        let made = plan(&Patch { ops: ops.collect() }, &tree).expect("it fits");
        let text = unified(&made, &tree).expect("text");
        git(&REPOSITORY, &["read-tree", "0"], b"");
        git(&REPOSITORY, &["apply", "--cached", "--whitespace=nowarn"], &text);
        let made = git(&REPOSITORY, &["write-tree"], b"");
        prop_assert_eq!(made, git(&REPOSITORY, &["rev-parse", "1^{tree}"], b""), "{}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn what_git_takes_for_binary_is_taken_where_its_content_is_there() {
    let folder = repository("binary");
    let tree = |bytes: &[u8]| {
        CaseFiles::from([
            ("i".to_owned(), FileContent::plain(bytes)),
            ("t".to_owned(), FileContent::plain(bytes.len().to_string())),
        ])
    };
    commit(&folder, &[tree(b"a\0b"), tree(b"a\0bc")]);
    let text = git(&folder, &["diff", "--full-index", "0", "1"], b"");
    let refused = imported(&text, &tree(b"a\0b")).expect_err("refused");
    assert!(refused.contains("line 1") && refused.contains("is a binary file"), "{refused}");
    let noise: Vec<u8> = (0..20_000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes()).collect();
    let (mut long, mut moved) = (noise.clone(), noise.clone());
    long.extend_from_slice(b"and more");
    moved.rotate_left(30_000);
    for (before, after) in
        [(&b"a\0b"[..], &b"a\0bc"[..]), (b"\0", b""), (b"", b"\0"), (&noise, &long), (&long, &noise), (&noise, &moved)]
    {
        commit(&folder, &[tree(before), tree(after)]);
        let text = git(&folder, &["diff", "--binary", "0", "1"], b"");
        assert_eq!(imported(&text, &tree(before)), Ok(tree(after)));
        assert_eq!(imported(&text, &tree(after)), Ok(tree(after)), "it is applied already");
        let mut other = tree(before);
        other.insert("i".to_owned(), FileContent::plain(&b"other\0"[..]));
        assert!(imported(&text, &other).is_err(), "it was made for another file");
    }
    let gone = CaseFiles::from([("t".to_owned(), FileContent::plain("3"))]);
    commit(&folder, &[tree(b"a\0b"), gone.clone()]);
    let text = git(&folder, &["diff", "--binary", "0", "1"], b"");
    assert_eq!(imported(&text, &tree(b"a\0b")), Ok(gone.clone()));
    let text = git(&folder, &["diff", "--binary", "1", "0"], b"");
    assert_eq!(imported(&text, &gone), Ok(tree(b"a\0b")));
    // A new name says all, whatever stands in the file.
    let renamed = CaseFiles::from([
        ("j".to_owned(), FileContent::plain(&b"a\0b"[..])),
        ("t".to_owned(), FileContent::plain("3")),
    ]);
    commit(&folder, &[tree(b"a\0b"), renamed.clone()]);
    assert_eq!(imported(&git(&folder, &["diff", "--binary", "-M", "0", "1"], b""), &tree(b"a\0b")), Ok(renamed));
}
