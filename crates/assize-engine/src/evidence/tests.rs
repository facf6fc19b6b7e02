//! Evidence from real work trees.

use assize_stop::directive::Directive;
use assize_testkit::repo::Repo;

use super::*;

fn session(baseline: Baseline, words: &str) -> SessionState {
    let active = Directive::from_prompt(words, 1, Vec::new()).into_iter().collect();
    SessionState { baseline: Some(baseline), directives_seen: 1, active, ..SessionState::default() }
}

fn gathered(repo: &Repo, session: &SessionState) -> Evidence {
    gather(&Sources { work_tree: WorkTree::project(&repo.path()), ..Sources::default() }, session)
}

fn paths(evidence: &Evidence) -> Vec<&str> {
    evidence.diff.get().expect("a diff").files.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn a_session_answers_for_what_it_changed_and_for_nothing_before() {
    let repo = Repo::with_commit(&[("a.rs", "fn a() {}\n"), ("b.rs", "fn b() {}\n"), ("c.rs", "fn c() {}\n")]);
    repo.write("a.rs", "fn a() { /* by the user */ }\n");
    repo.write("notes.txt", "the user's\n");
    repo.write("b.rs", "fn b() { /* by the user */ }\n");
    let session = session(baseline(&repo.path()).expect("a baseline"), "go");
    assert_eq!(paths(&gathered(&repo, &session)), [] as [&str; 0]);
    repo.write("b.rs", "fn b() { /* by both */ }\n");
    repo.write("c.rs", "fn c() { 1 }\n");
    repo.write("new.rs", "fn new() {}\n");
    let evidence = gathered(&repo, &session);
    assert_eq!(paths(&evidence), ["b.rs", "c.rs", "new.rs"]);
    assert_eq!(evidence.diff.get().expect("a diff").limits.len(), 2);
    repo.commit("all of it");
    let committed = gathered(&repo, &session);
    assert_eq!(committed.head, Some(repo.head()));
    assert_eq!(paths(&committed), ["b.rs", "c.rs", "new.rs"]);
    assert_eq!(committed.fingerprint, evidence.fingerprint, "a commit changes no contents");
    repo.write("c.rs", "fn c() { 2 }\n");
    assert_ne!(gathered(&repo, &session).fingerprint, evidence.fingerprint);
}

#[test]
fn new_syntax_errors_differ_from_old_ones() {
    let repo = Repo::with_commit(&[("old.rs", "fn a( {\nfn b() {}\n"), ("new.rs", "fn a() {}\n")]);
    let session = session(baseline(&repo.path()).expect("a baseline"), "go");
    repo.write("old.rs", "fn a( {\nfn b() { 1 }\n");
    repo.write("new.rs", "fn a() {\n");
    repo.write("fresh.py", "def f(:\n    pass\n");
    let evidence = gathered(&repo, &session);
    let broken: Vec<&str> = evidence
        .diff
        .get()
        .expect("a diff")
        .files
        .iter()
        .filter(|file| !file.syntax_errors.is_empty())
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(broken, ["fresh.py", "new.rs"]);
}

#[test]
fn a_new_file_answers_for_its_own_syntax_alone() {
    use assize_core::diff::{
        DiffHunk, DiffLine,
        DiffLineKind::{Added, Context},
    };

    let repo = Repo::with_commit(&[("a.rs", "")]);
    let found = |lines: &[(assize_core::diff::DiffLineKind, &str)]| {
        let text: String = lines.iter().map(|(_, line)| format!("{line}\n")).collect();
        repo.write("new.rs", &text);
        let line = |(kind, text): &(assize_core::diff::DiffLineKind, &str)| DiffLine {
            kind: *kind,
            text: Untrusted::new((*text).to_owned()),
        };
        let hunk = DiffHunk { old_start: 1, new_start: 1, lines: lines.iter().map(line).collect() };
        let mut files = [FileChange { hunks: vec![hunk], ..FileChange::new("new.rs", FileStatus::Added) }];
        check_syntax(&repo.path(), &mut files, None);
        !files[0].syntax_errors.is_empty()
    };
    assert!(found(&[(Added, "fn a( {")]));
    assert!(found(&[(Added, "fn a( {"), (Context, "fn b() {}")]));
    assert!(!found(&[(Added, "fn a() {}"), (Context, "<<<<<<< HEAD")]), "the others' line");
}

#[test]
fn referents_are_looked_up() {
    let repo = Repo::with_commit(&[("src/net/retry.rs", "fn retry_after() {}\n")]);
    let session = session(
        baseline(&repo.path()).expect("a baseline"),
        "Use `retry_after` from retry.rs in src/client.rs and add `max_retries` to `no_such_thing`",
    );
    repo.write("src/limits.rs", "const max_retries: u8 = 3;\n");
    let evidence = gathered(&repo, &session);
    let mut missing: Vec<&str> =
        evidence.referents.iter().filter(|seen| !seen.present).map(|seen| seen.referent.name.as_str()).collect();
    missing.sort_unstable();
    assert_eq!(missing, ["no_such_thing", "src/client.rs"]);
}

#[test]
fn untracked_files_are_read_up_to_their_limit() {
    let repo = Repo::with_commit(&[("a", "x\n")]);
    let session = session(baseline(&repo.path()).expect("a baseline"), "go");
    let line = "0123456789abcde\n";
    let count = UNTRACKED_BYTES_MAX as usize / line.len();
    repo.write("fits.txt", &line.repeat(count));
    repo.write("long.txt", &format!("{}x", line.repeat(count)));
    repo.write("binary", "a\0b");
    let evidence = gathered(&repo, &session);
    let diff = evidence.diff.get().expect("a diff");
    assert!(diff.limits.iter().any(|limit| limit.starts_with("long.txt")), "{:?}", diff.limits);
    assert!(!diff.limits.iter().any(|limit| limit.starts_with("fits.txt")), "{:?}", diff.limits);
    assert!(diff.file("binary").expect("listed").binary);
    assert!(diff.file("fits.txt").expect("listed").lines_cut > 0, "more lines than are kept");
}

#[test]
fn a_link_is_not_followed() {
    let repo = Repo::with_commit(&[("a", "x\n")]);
    let session = session(baseline(&repo.path()).expect("a baseline"), "go");
    let secret = repo.outside().join("secret");
    std::fs::write(&secret, "private\n").expect("written");
    std::os::unix::fs::symlink(&secret, repo.path().join("link")).expect("linked");
    let evidence = gathered(&repo, &session);
    assert_eq!(evidence.diff.get().expect("a diff").file("link").expect("listed").added_count(), 0);
}

#[test]
fn a_folder_without_git_shows_what_the_transcript_names() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a.py");
    std::fs::write(&file, "print(1)\n").expect("written");
    let transcript = folder.path().join("t.jsonl");
    let write = serde_json::json!({"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"Write","input":{"file_path":file}}]}});
    let result = serde_json::json!({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"ok"}]}});
    let prompt = serde_json::json!({"type":"user","message":{"role":"user","content":"go"}});
    std::fs::write(&transcript, format!("{prompt}\n{write}\n{result}\n")).expect("written");
    let sources = Sources {
        work_tree: WorkTree::project(folder.path()),
        transcript: Some((transcript, TranscriptKind::ClaudeCode)),
        ..Sources::default()
    };
    let evidence = gather(&sources, &session(baseline(folder.path()).expect("a baseline"), "go"));
    let diff = evidence.diff.get().expect("a diff");
    assert_eq!(paths(&evidence), ["a.py"]);
    assert!(!diff.files[0].old_known && diff.limits[0].contains("no git repository"));
    let nothing = gather(
        &Sources { work_tree: WorkTree::project(folder.path()), ..Sources::default() },
        &SessionState::default(),
    );
    assert_eq!(nothing.missing_parts().len(), 3);
}

#[test]
fn a_broken_repository_is_a_missing_part_and_no_failure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join(".git"), "gitdir: /no/such/place\n").expect("written");
    let evidence = gather(
        &Sources { work_tree: WorkTree::project(folder.path()), ..Sources::default() },
        &SessionState::default(),
    );
    assert!(evidence.diff.why_missing().expect("missing").contains("/no/such/place"));
}

#[test]
fn our_own_files_are_not_the_agents_work() {
    let repo = Repo::with_commit(&[("a", "x\n")]);
    let session = session(baseline(&repo.path()).expect("a baseline"), "go");
    repo.write(".assize/ledger.db", "x");
    assert!(gathered(&repo, &session).diff.get().expect("a diff").is_empty());
}

fn limits(evidence: &Evidence) -> String {
    evidence.diff.get().expect("a diff").limits.join("\n")
}

#[test]
fn only_regular_files_are_read() {
    use std::os::unix::fs::symlink;

    let repo = Repo::with_commit(&[("a.rs", "fn a() {}\n"), ("b.rs", "fn b() {}\n")]);
    let session = session(baseline(&repo.path()).expect("a baseline"), "go");
    let pipe = repo.outside().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    repo.remove("a.rs");
    repo.remove("b.rs");
    symlink(&pipe, repo.path().join("a.rs")).expect("linked");
    symlink("/dev/zero", repo.path().join("b.rs")).expect("linked");
    symlink(&pipe, repo.path().join("c.rs")).expect("linked");
    symlink("/dev/zero", repo.path().join("d.rs")).expect("linked");
    let evidence = gathered(&repo, &session);
    // git lists a file that became a link as removed and as added.
    assert_eq!(paths(&evidence), ["a.rs", "a.rs", "b.rs", "b.rs", "c.rs", "d.rs"]);
    for path in [&pipe, &repo.path().join("c.rs"), Path::new("/dev/zero"), repo.outside()] {
        assert!(regular_file::read(path, 10).is_err(), "{}", path.display());
    }
    assert!(content_hash(&pipe).is_some());
}

#[test]
fn earlier_untracked_files_use_nothing_up() {
    let repo = Repo::with_commit(&[("z", "x\n")]);
    for number in 0..=UNTRACKED_MAX {
        repo.write(&format!("a/{number}"), "the user's\n");
    }
    let session = session(baseline(&repo.path()).expect("a baseline"), "go");
    repo.write("b.rs", "fn b() {}\n");
    let evidence = gathered(&repo, &session);
    assert_eq!(paths(&evidence), ["b.rs"]);
    assert_eq!(
        limits(&evidence),
        format!(
            "{} files that had been changed before the session began and were not touched since",
            UNTRACKED_MAX + 1
        )
    );
    for number in 1..UNTRACKED_MAX {
        repo.write(&format!("c/{number}"), "new\n");
    }
    assert!(!limits(&gathered(&repo, &session)).contains("not looked at"));
    repo.write("d/1", "new\n");
    repo.write("d/2", "new\n");
    let evidence = gathered(&repo, &session);
    assert_eq!(paths(&evidence).len(), UNTRACKED_MAX);
    assert!(limits(&evidence).contains("2 new untracked files were not looked at"), "{}", limits(&evidence));
}

#[test]
fn what_a_baseline_does_not_remember_is_stated() {
    let repo = Repo::with_commit(&[("z", "x\n")]);
    for number in 0..DIRTY_MAX {
        repo.write(&format!("a/{number:04}"), "the user's\n");
    }
    let whole = baseline(&repo.path()).expect("a baseline");
    assert_eq!((whole.dirty.len(), whole.dirty_cut), (DIRTY_MAX, false));
    repo.write("b.rs", "fn b() {}\n");
    let cut = baseline(&repo.path()).expect("a baseline");
    assert_eq!((cut.dirty.len(), cut.dirty_cut), (DIRTY_MAX, true));
    let evidence = gathered(&repo, &session(cut, "go"));
    assert!(limits(&evidence).contains("more than 2000 files"), "{}", limits(&evidence));
    assert!(!evidence.diff.get().expect("a diff").file("b.rs").expect("shown").old_known);
    let evidence = gathered(&repo, &session(whole, "go"));
    assert!(evidence.diff.get().expect("a diff").file("b.rs").expect("shown").old_known);
}

#[test]
fn without_a_measurement_in_a_repository_the_last_commit_counts() {
    let repo = Repo::with_commit(&[("old.rs", "fn old( {\n"), ("b.rs", "fn b() {}\n")]);
    repo.write("b.rs", "fn b() { 1 }\n");
    repo.write("new.rs", "fn new() {}\n");
    let known = |evidence: &Evidence| -> Vec<bool> {
        evidence.diff.get().expect("a diff").files.iter().map(|file| file.old_known).collect()
    };
    let evidence = gathered(&repo, &session(Baseline::default(), "go"));
    assert_eq!(paths(&evidence), ["b.rs", "new.rs"]);
    assert!(limits(&evidence).contains("measured from the last commit"));
    assert_eq!(evidence.start.why_missing(), Some("no hook saw it"));
    assert_eq!(known(&evidence), [true, false], "a file without an earlier state may be an old one");
    // Commits of a repository that the session made hide nothing.
    let folder = Baseline { measured: BaselineScope::Folder, ..Baseline::default() };
    let evidence = gathered(&repo, &session(folder, "go"));
    assert_eq!(paths(&evidence), ["b.rs", "new.rs", "old.rs"]);
    assert_eq!((evidence.start.get(), known(&evidence)), (Some(&()), vec![false; 3]));
    let nothing = Baseline { measured: BaselineScope::Repository, ..Baseline::default() };
    assert_eq!(paths(&gathered(&repo, &session(nothing, "go"))), ["b.rs", "new.rs", "old.rs"]);
}

#[test]
fn a_repository_created_during_the_session_has_no_baseline() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(baseline(folder.path()).expect("a baseline").measured, BaselineScope::Folder);
    let repo = Repo::empty();
    assert_eq!(baseline(&repo.path()).expect("a baseline").measured, BaselineScope::Repository);
    repo.write("old.py", "def f(:\n");
    repo.git(&["add", "old.py"]);
    let evidence = gathered(&repo, &session(baseline(folder.path()).expect("a baseline"), "go"));
    assert_eq!(paths(&evidence), ["old.py"]);
    assert!(!evidence.diff.get().expect("a diff").files[0].old_known);
}

#[test]
fn a_repository_that_is_gone_hides_no_change() {
    let repo = Repo::with_commit(&[("a.rs", "fn a() {}\n")]);
    let session = session(baseline(&repo.path()).expect("a baseline"), "go");
    repo.write("a.rs", "fn a() { todo!() }\n");
    fs::remove_dir_all(repo.path().join(".git")).expect("removed");
    let evidence = gathered(&repo, &session);
    assert!(evidence.diff.why_missing().is_some_and(|why| why.contains("is gone")), "{:?}", evidence.diff);
}

#[test]
fn a_transcript_without_the_prompts_is_none() {
    let repo = Repo::with_commit(&[("a.rs", "fn a() {}\n")]);
    let session = session(baseline(&repo.path()).expect("a baseline"), "go");
    let at = repo.outside().join("transcript.jsonl");
    let transcript = || {
        let sources = Sources {
            work_tree: WorkTree::project(&repo.path()),
            transcript: Some((at.clone(), TranscriptKind::ClaudeCode)),
            ..Sources::default()
        };
        gather(&sources, &session).transcript
    };
    let prompt = r#"{"type":"user","message":{"role":"user","content":"go"}}"#;
    for (contents, is_there) in [("", false), ("garbage\n", false), ("\0\0\0", false), (prompt, true)] {
        fs::write(&at, contents).expect("written");
        assert_eq!(transcript().get().is_some(), is_there, "{contents:?}");
    }
    fs::remove_file(&at).expect("removed");
    assert!(std::process::Command::new("mkfifo").arg(&at).status().expect("mkfifo").success());
    assert!(transcript().why_missing().is_some_and(|why| why.contains("no regular file")));
}

#[test]
fn large_files_do_not_hide_the_rest_of_the_change() {
    let line = "0123456789abcde\n";
    let repo = Repo::with_commit(&[("a.rs", "fn a() {}\n")]);
    let session = session(baseline(&repo.path()).expect("a baseline"), "go");
    repo.write("a.rs", "fn a() { 1 }\n");
    repo.write("large.txt", &line.repeat(crate::git::PATCH_BYTES_MAX / line.len() + 1));
    repo.git(&["add", "large.txt"]);
    let evidence = gathered(&repo, &session);
    assert_eq!(paths(&evidence), ["a.rs", "large.txt"]);
    let large = evidence.diff.get().expect("a diff").file("large.txt").expect("shown");
    assert!(large.status == FileStatus::Added && large.lines_cut > 0, "{large:?}");
    assert!(limits(&evidence).contains("large.txt"));
}

#[test]
fn a_baseline_whose_commit_is_gone_is_a_missing_part_that_names_it() {
    let repo = Repo::with_commit(&[("a.rs", "fn a() {}\n")]);
    let session = session(baseline(&repo.path()).expect("a baseline"), "go");
    let gone = repo.head();
    std::fs::remove_dir_all(repo.path().join(".git")).expect("removed");
    repo.git(&["init", "--quiet"]);
    repo.write("b.rs", "fn b() {}\n");
    repo.commit("anew");
    let evidence = gathered(&repo, &session);
    assert!(evidence.diff.why_missing().expect("missing").contains(&gone));
}

#[test]
fn a_listing_that_panics_is_no_empty_listing() {
    let panicked: thread::Result<Result<Vec<Listed>, GitError>> = Err(Box::new("a panic"));
    assert!(joined(panicked).is_err());
    assert!(joined::<Vec<Listed>>(Ok(Ok(Vec::new()))).is_ok());
}

#[test]
fn what_git_ignores_and_is_spoken_of_is_said_to_be_unseen() {
    let repo = Repo::with_commit(&[(".gitignore", "config/local.toml\n"), ("config/default.toml", "port = 80\n")]);
    repo.write("config/local.toml", "port = 80\n");
    let limits = |words: &str| {
        let session = session(baseline(&repo.path()).expect("a baseline"), words);
        repo.write("config/local.toml", "port = 8080\n");
        gathered(&repo, &session).diff.get().expect("a diff").limits.clone()
    };
    assert_eq!(
        limits("Set the port to 8080 in config/local.toml."),
        ["the change of config/local.toml, which git ignores"]
    );
    assert_eq!(limits("Set the port to 8080 in config/default.toml."), [""; 0]);
}
