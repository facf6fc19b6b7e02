//! `assize patch`, as people and scripts call it: the real program on real files.

use std::fs;
use std::process::{Command, Output, Stdio};

use assize_testkit::repo::Repo;
use serde_json::Value;

const DIFF: &str = "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n";
const OPS: &str = r#"{"ops": [{"kind": "edit", "path": "src/a.txt", "find": "one", "replace": "1"}]}"#;

fn project() -> Repo {
    Repo::with_commit(&[
        ("src/a.txt", "one\ntwo\n"),
        ("tests/test_a.py", "assert True\n"),
        ("Cargo.lock", "version = 4\n"),
    ])
}

fn patch(repo: &Repo, input: &str, arguments: &[&str]) -> Output {
    let file = repo.outside().join("standard-input");
    fs::write(&file, input).expect("written");
    Command::new(env!("CARGO_BIN_EXE_assize"))
        .arg("patch")
        .args(arguments)
        .current_dir(repo.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", repo.outside())
        .stdin(Stdio::from(fs::File::open(file).expect("opened")))
        .output()
        .expect("the program runs")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn read(repo: &Repo, path: &str) -> String {
    fs::read_to_string(repo.path().join(path)).expect("read")
}

#[test]
fn a_patch_is_checked_applied_recognized_and_taken_back() {
    for (input, from) in [(OPS, "json"), (DIFF, "unified")] {
        let repo = project();
        let undo = repo.outside().join("undo.json").to_string_lossy().into_owned();
        let checked = json(&patch(&repo, input, &["check", "-"]));
        assert_eq!((&checked["ok"], &checked["written"]), (&true.into(), &false.into()), "{from}: {checked}");
        assert_eq!(read(&repo, "src/a.txt"), "one\ntwo\n", "{from}: nothing is written");
        assert!(!repo.path().join(".assize").exists(), "{from}: nor left behind");
        let applied = json(&patch(&repo, input, &["apply", "-", "--from", from, "--inverse", &undo]));
        assert_eq!((&applied["written"], &applied["changes"][0]["kind"]), (&true.into(), &"change".into()), "{from}");
        assert_eq!(read(&repo, "src/a.txt"), "1\ntwo\n", "{from}");
        let again = json(&patch(&repo, input, &["apply", "-"]));
        assert_eq!((&again["alreadyApplied"], &again["written"]), (&true.into(), &false.into()), "{from}: {again}");
        let back = patch(&repo, "", &["apply", &undo, "--format", "human"]);
        assert_eq!(String::from_utf8_lossy(&back.stdout), "change src/a.txt\napplied to 1 file\n", "{from}");
        assert_eq!(read(&repo, "src/a.txt"), "one\ntwo\n", "{from}");
    }
    let repo = project();
    assert_eq!(patch(&repo, OPS, &["apply", "-"]).status.code(), Some(0));
    let again = patch(&repo, OPS, &["apply", "-"]);
    assert_eq!((again.status.code(), &json(&again)["alreadyApplied"]), (Some(0), &true.into()));
}

#[test]
fn what_does_not_fit_is_listed_and_changes_nothing() {
    let repo = project();
    let many = |count: usize| {
        let op = r#"{"kind": "edit", "path": "src/a.txt", "find": "one", "replace": "1"}"#;
        format!("{{\"ops\": [{}]}}", vec![op; count].join(", "))
    };
    let two = r#"{"ops": [{"kind": "edit", "path": "src/a.txt", "find": "three", "replace": "3"},
                          {"kind": "remove", "path": "src/b.txt"}, {"kind": "edit", "path": "src/a.txt", "find": "one", "replace": "1"}]}"#;
    let outside = r#"{"ops": [{"kind": "add", "path": "../b.txt", "content": ""}]}"#;
    for (input, more, faults) in [
        (two.to_owned(), &[][..], 2),
        (outside.to_owned(), &[], 1),
        (many(51), &[], 1),
        (many(2), &["--ops-max", "1"], 1),
        (OPS.to_owned(), &["--bytes-max", "12"], 1),
        (DIFF.replace("-one", "-eins"), &[], 1),
        (DIFF.to_owned(), &["--ops-max", "0"], 2),
        (r#"{"a": 1}"#.to_owned(), &[], 2),
    ] {
        for action in ["check", "apply"] {
            let arguments: Vec<&str> = [action, "-"].iter().chain(more).copied().collect();
            let output = patch(&repo, &input, &arguments);
            assert_eq!(output.status.code(), Some(1), "{arguments:?} {input}");
            let told = json(&output);
            assert_eq!(told["errors"].as_array().map(Vec::len), Some(faults), "{arguments:?} {input}: {told}");
            assert_eq!(read(&repo, "src/a.txt"), "one\ntwo\n");
        }
    }
    // What is wrong with the document and what does not fit the tree are told together.
    let both =
        format!("{},{}", two.trim_end_matches("]}"), r#"{"kind": "edit", "path": "Cargo.lock", "replace": ""}]}"#);
    let told = json(&patch(&repo, &both, &["check", "-"]));
    let places: Vec<&str> =
        told["errors"].as_array().expect("errors").iter().filter_map(|one| one["at"].as_str()).collect();
    assert_eq!(places, ["ops[0].find", "ops[1].path", "ops[3].find"], "{told}");
    let told = patch(&repo, two, &["check", "-", "--format", "markdown"]);
    let told = String::from_utf8_lossy(&told.stdout);
    assert!(told.starts_with("## Assize patch does not fit; nothing was changed\n"), "{told}");
    assert!(told.contains("\n- ops\\[0\\].find: ") && told.contains("\n- ops\\[1\\].path: "), "{told}");
    let told = patch(&repo, OPS, &["check", "-", "--format", "markdown"]);
    let told = String::from_utf8_lossy(&told.stdout);
    assert!(told.contains("it fits; 1 file would change\n") && told.contains("| change | src/a.txt |"), "{told}");
    let told = patch(&repo, two, &["check", "-", "--format", "human"]);
    let told = String::from_utf8_lossy(&told.stdout);
    assert!(told.starts_with("ops[0].find: ") && told.contains("\nops[1].path: "), "{told}");
    assert!(told.ends_with("the patch does not fit; nothing was changed\n"), "{told}");
}

#[test]
fn what_is_no_patch_cannot_be_read() {
    let repo = project();
    let known =
        "is neither a JSON document nor in a format that is known: apply-patch, search-replace, fenced, unified";
    for (input, more, says) in [
        ("hello", &[][..], format!("the patch on standard input {known}")),
        ("", &[], format!("the patch on standard input {known}")),
        ("{", &[], "the patch on standard input: the document is no JSON: ".to_owned()),
        (DIFF, &["--from", "json"], "the patch on standard input: the document is no JSON: ".to_owned()),
        (OPS, &["--from", "unified"], "the patch on standard input: no file begins in it".to_owned()),
    ] {
        for action in ["check", "diff", "apply"] {
            let arguments: Vec<&str> = [action, "-"].iter().chain(more).copied().collect();
            let output = patch(&repo, input, &arguments);
            assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?} {input}");
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(told.starts_with(&format!("error: {says}")), "{arguments:?} {input}: {told}");
            assert!(told.contains("\n hint: ") && told.contains("--from"), "{told}");
        }
    }
    let named = patch(&repo, "", &["check", "src/a.txt"]);
    let told = String::from_utf8_lossy(&named.stderr);
    assert!(named.status.code() == Some(2) && told.contains("the patch src/a.txt is neither"), "{told}");
}

#[test]
fn what_a_change_is_judged_by_is_opened_by_the_specification_alone() {
    let repo = project();
    let of = |path: &str| format!(r#"{{"ops": [{{"kind": "remove", "path": "{path}"}}]}}"#);
    repo.write("task.md", "Remove tests/test_a.py, it tests nothing.");
    let with_spec = &["--spec", "task.md"];
    for (path, more, code) in [
        ("tests/test_a.py", &[][..], Some(1)),
        ("Cargo.lock", with_spec, Some(1)),
        ("tests/test_a.py", with_spec, Some(0)),
    ] {
        let arguments: Vec<&str> = ["apply", "-"].iter().chain(more).copied().collect();
        let output = patch(&repo, &of(path), &arguments);
        assert_eq!(output.status.code(), code, "{path} {arguments:?}: {output:?}");
        assert_eq!(repo.path().join(path).exists(), code == Some(1), "{path}");
    }
}

#[test]
fn what_was_taken_away_beside_a_like_name_comes_back_when_it_is_let() {
    let repo = project();
    repo.write("README", "one\n");
    repo.write("readme", "two\n");
    let undo = repo.outside().join("undo.json").to_string_lossy().into_owned();
    let remove = r#"{"ops": [{"kind": "remove", "path": "readme"}]}"#;
    assert_eq!(patch(&repo, remove, &["apply", "-", "--inverse", &undo]).status.code(), Some(0));
    let refused = patch(&repo, "", &["apply", &undo]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(!repo.path().join("readme").exists());
    assert_eq!(patch(&repo, "", &["apply", &undo, "--allow-like-names"]).status.code(), Some(0));
    assert_eq!(read(&repo, "readme"), "two\n");
}

#[test]
fn bad_usage_is_told_apart_from_a_bad_patch() {
    let repo = project();
    for arguments in [
        &["check", "nowhere.json"][..],
        &["check", "-", "--spec", "-"],
        &["check", "-", "--from", "ed"],
        &["check"],
        &["apply", "-", "--inverse", "no/such/folder/undo.json"],
    ] {
        let output = patch(&repo, OPS, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
        assert_eq!(read(&repo, "src/a.txt"), "one\ntwo\n", "{arguments:?}");
    }
}

#[test]
fn git_takes_what_is_shown_as_a_diff() {
    let repo = project();
    repo.write("with blank.txt", "x\n");
    repo.write("say hi", "x");
    fs::write(repo.path().join("latin"), b"caf\xe9\none\n").expect("written");
    let ops = r##"{"ops": [
        {"kind": "edit", "path": "src/a.txt", "find": "two\n", "replace": "2"},
        {"kind": "edit", "path": "latin", "find": "one", "replace": "1"},
        {"kind": "edit", "path": "with blank.txt", "find": "x", "replace": "y"},
        {"kind": "edit", "path": "say hi", "find": "x", "replace": "y"},
        {"kind": "add", "path": "empty", "content": ""},
        {"kind": "add", "path": "bin/run", "content": "#!/bin/sh\n", "executable": true}]}"##;
    let shown = patch(&repo, ops, &["diff", "-"]);
    assert_eq!(shown.status.code(), Some(0), "{shown:?}");
    let file = repo.outside().join("shown.diff");
    fs::write(&file, &shown.stdout).expect("written");
    let git = Command::new("git").arg("apply").arg(&file).current_dir(repo.path()).output().expect("git runs");
    assert!(git.status.success(), "{git:?}\n{}", String::from_utf8_lossy(&shown.stdout));
    let again = patch(&repo, ops, &["check", "-"]);
    assert_eq!(json(&again)["alreadyApplied"], true, "{again:?}");

    let zero = r#"{"ops": [{"kind": "add", "path": "z", "content": "AA==", "encoding": "base64"}]}"#;
    let refused = patch(&repo, zero, &["diff", "-"]);
    let complaint = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(1) && complaint.starts_with("z: holds zero bytes"), "{refused:?}");
    assert!(refused.stdout.is_empty(), "whoever reads a diff must not take anything else for one");
    let unread = patch(&repo, "no patch", &["diff", "-"]);
    assert!(unread.status.code() == Some(2) && unread.stdout.is_empty() && !unread.stderr.is_empty(), "{unread:?}");
    let path = repo.outside().join("own.json");
    fs::write(&path, zero).expect("written");
    let path = path.to_string_lossy().into_owned();
    let over = patch(&repo, "", &["apply", &path, "--inverse", &path]);
    assert_eq!((over.status.code(), fs::read_to_string(&path).expect("kept")), (Some(2), zero.to_owned()), "{over:?}");
}
