//! Trees whose settings and git folder are laid out against whoever judges them. No gate is needed to see it; the whole
//! corpus of such trees is `tests/host_escapes`.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use assize_testkit::change::program::ProgramRun;
use assize_testkit::change::run;
use assize_testkit::repo::Repo;

const TIME_MAX: Duration = Duration::from_secs(60);

/// A gate that would leave a mark outside of the tree, and a judge that would.
fn settings(mark: &Path) -> String {
    let mark = mark.display();
    format!(
        "[gates]\nsandbox = \"off\"\n\n[[gate]]\nid = \"mine\"\ncommand = [\"touch\", \"{mark}\"]\ndimension = \"style\"\nreport = \"sarif\"\n\n\
         [[judge]]\nid = \"mine\"\nkind = \"command\"\nargv = [\"touch\", \"{mark}\"]\n"
    )
}

fn assize(repo: &Repo, arguments: &[&str]) -> ProgramRun {
    run(Path::new(env!("CARGO_BIN_EXE_assize")), repo, &[], arguments, TIME_MAX)
}

fn changed() -> Repo {
    let repo = Repo::with_commit(&[("README.md", "one\n")]);
    repo.write("README.md", "two\n");
    repo
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

/// Changes a repository.
type HostileSetup = fn(&Repo);

#[test]
fn a_pipe_in_place_of_the_settings_keeps_nobody_waiting() {
    let repo = changed();
    pipe(&repo.path().join("assize.toml"));
    let ran = assize(&repo, &["review", "--format", "json"]);
    assert_eq!(ran.code(), Some(0), "the settings of the base hold: {}", ran.complaint());
    assert!(ran.complaint().contains("no regular file"), "{}", ran.complaint());
    let ran = assize(&repo, &["gates", "--list"]);
    assert_eq!(ran.code(), Some(2), "{}", ran.complaint());
    assert!(ran.complaint().contains("assize.toml: it is no regular file"), "{}", ran.complaint());
}

#[test]
fn a_change_that_cannot_be_read_is_unjudged() {
    let unreadable: [(&str, HostileSetup); 3] = [
        ("HEAD names no commit", |repo| drop(repo.git(&["symbolic-ref", "HEAD", "refs/heads/none"]))),
        ("no git folder", |repo| {
            fs::remove_dir_all(repo.path().join(".git")).expect("removed");
            pipe(&repo.path().join(".git"));
        }),
        (".gitignore is a pipe", |repo| pipe(&repo.path().join(".gitignore"))),
    ];
    for (why, make) in unreadable {
        let repo = changed();
        make(&repo);
        let ran = assize(&repo, &["review", "--format", "json"]);
        assert_eq!(ran.code(), Some(3), "{why}: {}", ran.complaint());
        let envelope: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("an envelope");
        assert_eq!(envelope["outcome"], "unjudged", "{why}");
        let detail = envelope["unjudged"]["detail"].as_str().expect("a reason");
        assert!(detail.contains("cannot be read") && detail.contains(why), "{detail}");
    }
}

/// Without a commit there are no settings that the change did not choose.
#[test]
fn the_tree_does_not_choose_what_runs_outside_of_the_sandbox() {
    let in_no_repository: HostileSetup = |repo| fs::remove_dir_all(repo.path().join(".git")).expect("removed");
    let layouts: [(&str, HostileSetup); 2] = [("a repository", |_| {}), ("no repository", in_no_repository)];
    for (about, lay) in layouts {
        for arguments in [&["review"][..], &["review", "--all"], &["gates"], &["gates", "--list"]] {
            let repo = changed();
            let mark = repo.outside().join("mark");
            repo.write("assize.toml", &settings(&mark));
            lay(&repo);
            let ran = assize(&repo, arguments);
            assert!(!mark.exists(), "{arguments:?} in {about}: {}", ran.complaint());
        }
        // The trap is one: with the word of a person it is sprung.
        let repo = changed();
        let mark = repo.outside().join("mark");
        repo.write("assize.toml", &settings(&mark));
        lay(&repo);
        assize(&repo, &["gates", "--trust-config"]);
        assert!(mark.exists(), "{about}");
    }
}

#[test]
fn a_base_that_is_named_wrongly_is_bad_usage() {
    let ran = assize(&changed(), &["review", "--base", "no-such-branch"]);
    assert_eq!(ran.code(), Some(2), "{}", ran.complaint());
    assert!(ran.complaint().contains("no such commit"), "{}", ran.complaint());
}
