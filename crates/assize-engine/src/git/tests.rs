//! Repositories of unusual shapes, made with real git.

use super::*;
use assize_testkit::repo::{Repo, git_is_older_than};

fn repository(repo: &Repo) -> Repository {
    Repository::discover(&repo.path()).expect("a readable repository").expect("a repository")
}

fn patch(repo: &Repo, from: Option<&str>) -> String {
    String::from_utf8(repository(repo).patch(from).expect("a patch")).expect("text")
}

fn paths(repo: &Repo) -> Vec<(String, bool)> {
    let mut files: Vec<_> =
        repository(repo).files().expect("a listing").into_iter().map(|file| (file.path, file.tracked)).collect();
    files.sort();
    files
}

#[test]
fn branches_and_tags_are_listed_up_to_a_limit() {
    let repo = Repo::with_commit(&[("a.txt", "one\n")]);
    repo.git(&["branch", "-m", "main"]);
    repo.git(&["tag", "v1"]);
    repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    assert_eq!(repository(&repo).branches_and_tags().expect("a listing"), ["main", "origin/main", "v1"]);
    let head = repo.head();
    repo.git(&["tag", "--delete", "v1"]);
    let listed = |tags: usize| {
        let tags: String = (0..tags).map(|number| format!("{head} refs/tags/t{number:06}\n")).collect();
        repo.write_git("packed-refs", &format!("# pack-refs with: peeled fully-peeled sorted \n{tags}"));
        repository(&repo).branches_and_tags().expect("a listing").len()
    };
    // In addition to the two branches.
    assert_eq!((listed(NAMES_MAX - 2), listed(NAMES_MAX - 1)), (NAMES_MAX, NAMES_MAX));
    assert!(!repository(&repo).is_shallow());
    repo.write_git("shallow", &repo.head());
    assert!(repository(&repo).is_shallow());
}

#[test]
fn a_change_is_seen_committed_or_not() {
    let repo = Repo::with_commit(&[("a.txt", "one\n")]);
    let first = repository(&repo).head().expect("readable").expect("a commit");
    repo.write("a.txt", "two\n");
    let loose = patch(&repo, Some(&first));
    assert!(loose.contains("-one\n+two\n"), "{loose}");
    repo.commit("second");
    assert_eq!(patch(&repo, Some(&first)), loose);
    assert_eq!(repository(&repo).changed_paths(Some(&first)).expect("a listing"), ["a.txt"]);
}

/// An edit of the same size in the instant of the commit looks unchanged by size and time alone.
#[test]
fn a_change_in_the_instant_of_the_commit_is_seen() {
    for _ in 0..20 {
        let repo = Repo::with_commit(&[("a.txt", "90\n")]);
        repo.write("a.txt", "75\n");
        std::thread::sleep(Duration::from_millis(15));
        assert!(patch(&repo, Some(&repo.head())).contains("+75"));
    }
}

#[test]
fn untracked_files_are_listed_and_ignored_ones_are_not() {
    let repo = Repo::with_commit(&[("a.txt", "one\n"), (".gitignore", "*.log\n")]);
    repo.write("b c.txt", "new\n");
    repo.write("x.log", "noise\n");
    repo.write_git("info/exclude", "private\n");
    repo.write("private", "mine\n");
    assert_eq!(paths(&repo), [(".gitignore".into(), true), ("a.txt".into(), true), ("b c.txt".into(), false)]);
}

#[test]
fn what_package_managers_installed_is_not_listed() {
    let repo = Repo::with_commit(&[("a.txt", "one\n"), ("kept/node_modules/.package-lock.json", "{}\n")]);
    for path in [
        "kept/node_modules/is-odd/index.js",
        ".venv/pyvenv.cfg",
        ".venv/lib/python3.12/site-packages/pip/__init__.py",
        "my environment/pyvenv.cfg",
        "web/node_modules/.package-lock.json",
        "web/node_modules/is-odd/index.js",
        "tests/fixtures/node_modules/is-even/index.js",
        "web/page.ts",
    ] {
        repo.write(path, "new\n");
    }
    let untracked: Vec<String> =
        paths(&repo).into_iter().filter(|(_, tracked)| !tracked).map(|(path, _)| path).collect();
    // The mark in `kept` is tracked: the person who committed it wants to see what changes beside it.
    let kept = ["kept/node_modules/is-odd/index.js", "tests/fixtures/node_modules/is-even/index.js", "web/page.ts"];
    assert_eq!(untracked, kept);
}

#[test]
fn a_repository_without_commits_is_compared_with_nothing() {
    let repo = Repo::empty();
    repo.write("a.txt", "one\n");
    assert_eq!(repository(&repo).head().expect("readable"), None);
    assert_eq!(patch(&repo, None), "");
    repo.git(&["add", "a.txt"]);
    assert!(patch(&repo, None).contains("+one"));
}

#[test]
fn detached_packed_and_linked_heads_are_read() {
    let repo = Repo::with_commit(&[("a.txt", "one\n")]);
    let commit = repository(&repo).head().expect("readable").expect("a commit");
    repo.git(&["pack-refs", "--all"]);
    assert_eq!(repository(&repo).head().expect("readable"), Some(commit.clone()));
    repo.git(&["checkout", "--quiet", "--detach"]);
    assert_eq!(repository(&repo).head().expect("readable"), Some(commit.clone()));
    let linked = tempfile::tempdir().expect("a temporary folder");
    let tree = linked.path().join("work tree");
    repo.git(&["worktree", "add", "--quiet", "-b", "side", tree.to_str().expect("text")]);
    let side = Repository::discover(&tree).expect("readable").expect("a repository");
    assert_eq!(side.head().expect("readable"), Some(commit));
    fs::write(tree.join("a.txt"), "two\n").expect("written");
    assert!(
        String::from_utf8_lossy(&side.patch(side.head().expect("readable").as_deref()).expect("a patch"))
            .contains("+two")
    );
}

#[test]
fn renames_merges_and_submodules_are_seen() {
    let repo = Repo::with_commit(&[("a.txt", "one\ntwo\nthree\n")]);
    let base = repo.head();
    repo.git(&["mv", "a.txt", "b.txt"]);
    assert!(patch(&repo, Some(&base)).contains("rename to b.txt"));
    repo.commit("moved");
    repo.git(&["checkout", "--quiet", "-b", "left"]);
    repo.write("b.txt", "left\n");
    repo.commit("left");
    repo.git(&["checkout", "--quiet", "-b", "right", "HEAD~1"]);
    repo.write("b.txt", "right\n");
    repo.commit("right");
    repo.try_git(&["merge", "left"]);
    let merged = patch(&repo, Some(&base));
    assert!(merged.contains("Unmerged path b.txt") || merged.contains("<<<<<<<"), "{merged}");

    let inner = Repo::with_commit(&[("x", "1\n")]);
    let outer = Repo::with_commit(&[("y", "1\n")]);
    outer.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        inner.path().to_str().expect("text"),
        "sub",
    ]);
    outer.commit("with a submodule");
    let base = outer.head();
    outer.write("sub/x", "2\n");
    assert_eq!(patch(&outer, Some(&base)), "");
    let within = Repository::discover(&outer.path().join("sub")).expect("readable").expect("a repository");
    assert!(
        String::from_utf8_lossy(&within.patch(within.head().expect("readable").as_deref()).expect("a patch"))
            .contains("+2")
    );
}

#[test]
fn sha256_reftable_and_split_index_are_read() {
    for options in [&["--object-format=sha256"][..], &["--ref-format=reftable"]] {
        if git_is_older_than(2, 45) {
            continue;
        }
        let repo = Repo::init(options);
        repo.write("a.txt", "one\n");
        repo.commit("first");
        let head = repository(&repo).head().expect("readable");
        assert_eq!(head, Some(repo.head()), "{options:?}");
        repo.write("a.txt", "two\n");
        assert!(patch(&repo, head.as_deref()).contains("+two"), "{options:?}");
    }
    let repo = Repo::with_commit(&[("a.txt", "one\n")]);
    repo.git(&["update-index", "--split-index"]);
    repo.write("a.txt", "two\n");
    assert!(patch(&repo, Some(&repo.head())).contains("+two"));
}

#[test]
fn hidden_changes_are_found_without_touching_the_index() {
    let repo = Repo::with_commit(&[("a.txt", "one\n"), ("b.txt", "one\n")]);
    repo.git(&["update-index", "--assume-unchanged", "a.txt"]);
    repo.git(&["update-index", "--skip-worktree", "b.txt"]);
    repo.write("a.txt", "hidden a\n");
    repo.write("b.txt", "hidden b\n");
    let index = fs::read(repo.path().join(".git/index")).expect("an index");
    let repository = repository(&repo);
    let listed = repository.files().expect("a listing");
    assert!(repository.unhide(&listed).expect("made visible"));
    let patch = String::from_utf8(repository.patch(Some(&repo.head())).expect("a patch")).expect("text");
    assert!(patch.contains("+hidden a") && patch.contains("+hidden b"), "{patch}");
    assert_eq!(fs::read(repo.path().join(".git/index")).expect("an index"), index);
}

#[test]
fn words_are_found_whole() {
    let repo = Repo::with_commit(&[("a.rs", "fn retry_after() {}\n")]);
    repo.write("b.rs", "struct Backoff;\n");
    let present = repository(&repo)
        .words_present(&["retry_after", "Backoff", "retry", "-v", "nowhere"], Duration::from_secs(5))
        .expect("searched");
    assert_eq!(present, ["Backoff", "retry_after"]);
}

/// A repository that names every kind of program, each of which would leave a file behind.
#[test]
fn no_program_that_a_repository_names_is_run() {
    let repo = Repo::with_commit(&[
        ("a.txt", "one\n"),
        ("b.bin", "x\n"),
        (".gitattributes", "* filter=evil diff=evil merge=evil\n*.bin diff=evil\n"),
    ]);
    let trap = repo.outside().join("trap.sh");
    let sprung = repo.outside().join("sprung");
    fs::write(&trap, format!("#!/bin/sh\necho \"$0 $@\" >> '{}'\ncat\n", sprung.display())).expect("written");
    let base = repo.head();
    std::process::Command::new("chmod").args(["+x", trap.to_str().expect("text")]).status().expect("chmod");
    let trap = trap.to_str().expect("text").to_owned();
    let hostile = format!(
        "[core]\n\tfsmonitor = {trap}\n\thooksPath = {trap}\n\tpager = {trap}\n\teditor = {trap}\n\tsshCommand = {trap}\n\tautocrlf = false\n\
         [diff]\n\texternal = {trap}\n[diff \"evil\"]\n\ttextconv = {trap}\n\tcommand = {trap}\n\
         [filter \"evil\"]\n\tclean = {trap}\n\tsmudge = {trap}\n\tprocess = {trap}\n\trequired = true\n\
         [merge \"evil\"]\n\tdriver = {trap}\n[include]\n\tpath = ../more.config\n[alias]\n\tdiff = !{trap}\n\
         [remote \"origin\"]\n\turl = ext::{trap}\n\tpromisor = true\n[extensions]\n\tpartialClone = origin\n"
    );
    let more = format!("[diff]\n\texternal = {trap}\n[core]\n\tfsmonitor = {trap}\n");
    repo.write_git("config", &hostile);
    repo.write("more.config", &more);
    for hook in ["post-index-change", "fsmonitor-watchman", "query-watchman", "pre-commit"] {
        repo.write_git(&format!("hooks/{hook}"), &format!("#!/bin/sh\n{trap}\n"));
        let path = repo.path().join(".git/hooks").join(hook);
        std::process::Command::new("chmod").arg("+x").arg(path).status().expect("chmod");
    }
    repo.write("a.txt", "two\n");
    let look = |repository: &Repository| {
        repository.patch(Some(&base)).expect("a patch");
        repository.changed_paths(Some(&base)).expect("a listing");
        let listed = repository.files().expect("a listing");
        repository.unhide(&listed).expect("looked at");
        repository.words_present(&["two"], Duration::from_secs(5)).expect("searched");
        repository.head().expect("read");
    };
    look(&repository(&repo));
    assert!(!sprung.exists(), "{}", fs::read_to_string(&sprung).unwrap_or_default());

    // The same through redirection: a `.git` file and a `commondir` that lead to the hostile folder.
    let moved = repo.outside().join("moved.git");
    fs::rename(repo.path().join(".git"), &moved).expect("moved");
    fs::write(repo.path().join(".git"), format!("gitdir: {}\n", moved.display())).expect("written");
    look(&repository(&repo));
    let thin = repo.outside().join("thin.git");
    fs::create_dir(&thin).expect("made");
    fs::copy(moved.join("HEAD"), thin.join("HEAD")).expect("copied");
    fs::copy(moved.join("index"), thin.join("index")).expect("copied");
    fs::write(thin.join("commondir"), "../moved.git\n").expect("written");
    fs::write(thin.join("config"), &hostile).expect("written");
    fs::write(repo.path().join(".git"), format!("gitdir: {}\n", thin.display())).expect("written");
    look(&repository(&repo));
    assert!(!sprung.exists(), "{}", fs::read_to_string(&sprung).unwrap_or_default());

    // Git without the shadow does run the programs.
    fs::write(repo.path().join(".git"), format!("gitdir: {}\n", moved.display())).expect("written");
    repo.try_git_with_config(&["diff"]);
    assert!(sprung.exists(), "the trap is no trap");
}

#[test]
fn odd_folders_are_errors_that_name_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert!(Repository::discover(folder.path()).expect("looked").is_none());
    fs::write(folder.path().join(".git"), "gitdir: /no/such/place\n").expect("written");
    let error = Repository::discover(folder.path()).expect_err("refused").to_string();
    assert!(error.contains("/no/such/place"), "{error}");
    fs::write(folder.path().join(".git"), "hello").expect("written");
    assert!(Repository::discover(folder.path()).expect_err("refused").to_string().contains("gitdir"));
}

#[test]
fn a_patch_that_is_too_large_is_read_without_its_large_files() {
    let line = "0123456789abcde\n";
    let large = line.repeat(PATCH_BYTES_MAX / line.len() + 1);
    let other = "abcdefghijklmno\n".repeat(PATCH_BYTES_MAX / line.len() + 1);
    let repo = Repo::with_commit(&[("small.rs", "one\n"), ("gone: 1.txt", &other), ("same.txt", &large)]);
    let base = repo.head();
    repo.write("small.rs", "two\n");
    repo.write("*.rs", &large);
    repo.write("edge.txt", &"x".repeat(SHOWN_BYTES_MAX as usize));
    repo.remove("gone: 1.txt");
    repo.git(&["add", "--all"]);
    assert!(matches!(repository(&repo).patch(Some(&base)), Err(GitError::TooLarge(_))));
    let (patch, mut left_out) = repository(&repo).patch_of_small(Some(&base)).expect("a patch");
    let patch = String::from_utf8(patch).expect("text");
    assert!(patch.contains("+two") && patch.contains("edge.txt") && !patch.contains("gone: 1.txt"));
    left_out.sort_by(|a, b| a.path.cmp(&b.path));
    let lines = Some(u32::try_from(large.lines().count()).expect("a number"));
    let file = |path: &str, before| Large { path: path.to_owned(), before, after: !before, lines };
    assert_eq!(left_out, [file("*.rs", false), file("gone: 1.txt", true)]);
    let (patch, left_out) = repository(&repo).patch_of_small(None).expect("a patch from nothing");
    assert!(patch.ends_with(b"+two\n") && left_out.len() == 2, "{left_out:?}");
}

#[test]
fn a_commit_that_is_gone_is_named() {
    let repo = Repo::with_commit(&[("a.txt", "one\n")]);
    let gone = "1234567890123456789012345678901234567890";
    let error = repository(&repo).patch(Some(gone)).expect_err("refused");
    assert!(matches!(&error, GitError::Gone(commit) if commit == gone), "{error}");
    assert!(error.to_string().contains(gone));
}

#[test]
fn a_git_within_the_tree_is_not_run() {
    let repo = Repo::with_commit(&[("bin/git", "#!/bin/sh\nexit 0\n")]);
    let trap = repo.path().join("bin/git");
    fs::set_permissions(&trap, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("set");
    let started = |path: &std::ffi::OsStr| {
        let repository = repository(&repo);
        repository.search_path.set(SearchPath::outside(path, repository.root())).expect("not looked for yet");
        repository.command(&["version"], true).map(|command| PathBuf::from(command.get_program()))
    };
    let real = started(&std::env::var_os("PATH").expect("a search path")).expect("git is there");
    let folder = real.parent().expect("a folder").to_owned();
    let first = [repo.path().join("bin"), folder].into_iter();
    assert_eq!(started(&std::env::join_paths(first).expect("a path")).expect("git is there"), real);
    let error = started(repo.path().join("bin").as_os_str()).expect_err("there is no other").to_string();
    assert!(error.contains("leads out of the tree"), "{error}");
}

#[test]
fn a_head_that_leads_nowhere_is_no_missing_base() {
    let repo = Repo::empty();
    assert_eq!(repository(&repo).head_to_compare().expect("readable"), None);
    repo.write("a.txt", "one\n");
    repo.commit("first");
    assert_eq!(repository(&repo).head_to_compare().expect("readable"), Some(repo.head()));
    repo.git(&["symbolic-ref", "HEAD", "refs/heads/none"]);
    assert!(matches!(repository(&repo).head_to_compare(), Err(GitError::NoHead)));
    repo.write_git("HEAD", "nothing of the kind\n");
    assert!(repository(&repo).head_to_compare().is_err());
}

#[test]
fn git_never_waits_forever() {
    let made: [(&str, &str); 4] = [
        ("a/.gitignore", "a/.gitignore"),
        ("a/.gitattributes", "a/.gitattributes"),
        (".git/objects/info/alternates", ".git/objects/info/alternates"),
        (".git/packed-refs", ".git/packed-refs"),
    ];
    for (path, named) in made {
        let repo = Repo::with_commit(&[("a/b.txt", "one\n")]);
        let base = repo.head();
        repo.write("a/b.txt", "two\n");
        pipe(&repo.path().join(path));
        let before = std::time::Instant::now();
        let repository = repository(&repo);
        let looked =
            repository.files().and_then(|_| repository.patch(Some(&base))).and_then(|_| repository.resolve("main"));
        let error = looked.expect_err("refused").to_string();
        assert!(error.starts_with(named) && error.contains("pipe"), "{error}");
        assert!(before.elapsed() < GIT_TIME_MAX, "{path}: {:?}", before.elapsed());
    }
}

#[test]
fn a_commit_is_not_written_out_of_a_pipe() {
    let repo = Repo::with_commit(&[("a.txt", "one\n")]);
    let blob = String::from_utf8(repo.git(&["rev-parse", "HEAD:a.txt"]).stdout).expect("text");
    let object = format!(".git/objects/{}/{}", &blob[..2], blob[2..].trim());
    fs::remove_file(repo.path().join(&object)).expect("removed");
    pipe(&repo.path().join(&object));
    let into = tempfile::tempdir().expect("a temporary folder");
    let error = repository(&repo).check_out(&repo.head(), into.path()).expect_err("refused").to_string();
    assert!(error.starts_with(&object), "{error}");
}

#[test]
fn a_pipe_in_place_of_an_index_is_not_waited_for() {
    let repo = Repo::with_commit(&[("a.txt", "one\n")]);
    repo.write_git("index", "");
    fs::remove_file(repo.path().join(".git/index")).expect("removed");
    pipe(&repo.path().join(".git/index"));
    assert!(Repository::discover(&repo.path()).expect_err("refused").to_string().contains("index"));
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

#[test]
fn a_commit_is_written_out_without_a_filter() {
    let repo = Repo::with_commit(&[("a.txt", "one\n"), ("b/c.sh", "x\n"), (".gitattributes", "*.txt filter=evil\n")]);
    let first = repo.head();
    let marker = repo.outside().join("marker");
    repo.git(&["config", "filter.evil.smudge", &format!("touch '{}'; cat", marker.display())]);
    repo.write("a.txt", "two\n");
    repo.git(&["config", "filter.evil.clean", "cat"]);
    repo.commit("second");
    let into = tempfile::tempdir().expect("a temporary folder");
    let paths = repository(&repo).check_out(&first, into.path()).expect("written");
    assert_eq!(paths, [".gitattributes", "a.txt", "b/c.sh"]);
    assert_eq!(fs::read_to_string(into.path().join("a.txt")).expect("there"), "one\n");
    assert!(!marker.exists());
    assert_eq!(fs::read_to_string(repo.path().join("a.txt")).expect("there"), "two\n");
    let tree = |commit: &str| repository(&repo).tree_of(commit).expect("a tree");
    assert_ne!(tree(&first), tree("HEAD"));
}
