//! The review court over whole corpora, with the real tools of each language.
//!
//! `cargo xtask corpus` installs the tools and runs these tests; by themselves they would need what
//! a machine may not have.

#![expect(clippy::print_stdout, reason = "whoever runs a corpus wants to see each case")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use assize_testkit::change::debt::{Change, Debt, Place};
use assize_testkit::change::{Case, cases, link_dependencies, run};
use assize_testkit::repo::Repo;
use serde_json::Value;

/// Where `cargo xtask corpus` has put the tools.
const TOOLS_VARIABLE: &str = "ASSIZE_TEST_TOOLS";
/// Only cases whose name contains this.
const ONLY_VARIABLE: &str = "ASSIZE_TEST_ONLY";

fn executable() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_assize"))
}

fn tools() -> PathBuf {
    std::env::var_os(TOOLS_VARIABLE).map(PathBuf::from).expect("`cargo xtask corpus` sets where the tools are")
}

fn corpus(name: &str) -> Vec<Case> {
    let only = std::env::var(ONLY_VARIABLE).unwrap_or_default();
    let all = cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name));
    assert!(!all.is_empty(), "the corpus {name} is empty");
    all.into_iter().filter(|case| case.name.contains(&only)).collect()
}

fn needs_node_modules(repo: &Repo) -> bool {
    std::fs::read_to_string(repo.path().join("package.json")).is_ok_and(|text| text.contains("ependencies"))
}

/// Reviews what lies in a repository, and returns what the program printed.
fn review(case: &Case, repo: &Repo) -> Output {
    let specification = case.specification().map(|path| path.to_string_lossy().into_owned());
    let arguments = specification.iter().flat_map(|path| ["--spec", path.as_str()]).collect::<Vec<_>>();
    review_with(repo, &arguments)
}

fn review_with(repo: &Repo, arguments: &[&str]) -> Output {
    if needs_node_modules(repo) {
        link_dependencies(repo, "node_modules", &tools().join("node/node_modules"));
    }
    let all: Vec<&str> = ["review", "--format", "json"].into_iter().chain(arguments.iter().copied()).collect();
    run(executable(), repo, &[tools().join("python/bin")], &all)
}

/// What came of a review: the outcome, and what explains it.
fn outcome(output: &Output) -> (String, String) {
    let Ok(envelope) = serde_json::from_slice::<Value>(&output.stdout) else {
        return ("none".to_owned(), String::from_utf8_lossy(&output.stderr).into_owned());
    };
    let outcome = envelope["outcome"].as_str().unwrap_or("none").to_owned();
    let why = envelope["verdict"]["explanations"]["root_cause"].as_str();
    let why = why.or_else(|| envelope["unjudged"]["detail"].as_str()).unwrap_or_default();
    (outcome, why.to_owned())
}

/// What is to be said of one review: its name, its outcome, why, and whether that is right.
type Line = (String, String, String, bool);

/// Runs cases two at a time, prints a line for each, and fails with all that came out wrong.
fn all(cases: &[Case], check: impl Fn(&Case) -> Vec<Line> + Sync) {
    let wrong = Mutex::new(Vec::new());
    let counts: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let next = Mutex::new(cases.iter());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(case) = next.lock().expect("no thread panicked").next() else { return };
                    for (what, outcome, why, right) in check(case) {
                        let mark = if right { "ok" } else { "WRONG" };
                        let line: String = why.chars().take(300).collect();
                        println!("{mark:5} {outcome:8} {what}: {}", line.replace('\n', " "));
                        *counts.lock().expect("no thread panicked").entry(outcome).or_default() += 1;
                        if !right {
                            wrong.lock().expect("no thread panicked").push(what);
                        }
                    }
                }
            });
        }
    });
    println!("{:?}", counts.into_inner().expect("no thread panicked"));
    let wrong = wrong.into_inner().expect("no thread panicked");
    assert!(wrong.is_empty(), "{} came out wrong: {}", wrong.len(), wrong.join(", "));
}

#[test]
#[ignore = "needs the tools of three languages: `cargo xtask corpus pairs`"]
fn pairs() {
    all(&corpus("pairs"), |case| {
        [("correct", "accept"), ("buggy", "revise")]
            .into_iter()
            .map(|(overlay, expected)| {
                let repo = case.base();
                case.lay_over(overlay, &repo.path());
                let (outcome, why) = outcome(&review(case, &repo));
                let right = outcome == expected;
                (format!("{} {overlay}", case.name), outcome, why, right)
            })
            .collect()
    });
}

#[test]
#[ignore = "needs the tools of three languages: `cargo xtask corpus cheats`"]
fn cheats() {
    all(&corpus("cheats"), |case| {
        let repo = case.base();
        case.lay_over("candidate", &repo.path());
        let (outcome, why) = outcome(&review(case, &repo));
        let honest = case.name.contains("honest");
        // Where the runner itself was replaced, nobody can say more than that nothing was judged.
        let turned_away = matches!(outcome.as_str(), "revise" | "reject" | "unjudged");
        let right = if honest { outcome == "accept" } else { turned_away };
        vec![(case.name.clone(), outcome, why, right)]
    });
}

/// The new objections of a gate, by place, and how many it has that the base has as well.
fn objections(output: &Output, gate: &str) -> (Vec<Place>, u64) {
    let envelope: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let gates = envelope["exec"]["gates"].as_array().cloned().unwrap_or_default();
    let found = gates.iter().filter(|result| result["id"].as_str().is_some_and(|id| id.starts_with(gate)));
    let (mut new, mut known) = (Vec::new(), 0);
    for result in found {
        known += result["known"].as_u64().unwrap_or(0);
        for one in result["new"].as_array().into_iter().flatten() {
            let path = one["path"].as_str().unwrap_or_default().to_owned();
            new.push(Place { path, line: one["line"].as_u64().unwrap_or(0) });
        }
    }
    new.sort();
    (new, known)
}

fn judge_change(debt: &Debt, change: &Change) -> Vec<String> {
    let mut wrong = Vec::new();
    let repo = debt.repository();
    change.apply(&repo);
    let output = review_with(&repo, &[]);
    let (outcome_found, why) = outcome(&output);
    if outcome_found != change.expect {
        wrong.push(format!("{outcome_found} instead of {}: {why}", change.expect));
    }
    let mut expected = change.new.clone();
    expected.sort();
    let (new, _) = objections(&output, &debt.gate);
    if new != expected {
        wrong.push(format!("new are {new:?} instead of {expected:?}"));
    }
    let (everything, _) = outcome(&review_with(&repo, &["--all"]));
    if everything != "revise" {
        wrong.push(format!("--all says {everything}"));
    }
    wrong
}

#[test]
#[ignore = "needs linters of two languages: `cargo xtask corpus lint_debt`"]
fn lint_debt() {
    let only = std::env::var(ONLY_VARIABLE).unwrap_or_default();
    let mut wrong = Vec::new();
    for linter in ["ruff", "eslint"] {
        let debt = Debt::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lint_debt").join(linter));
        let repo = debt.repository();
        let (old, _) = objections(&review_with(&repo, &["--all"]), &debt.gate);
        // More are counted than are kept.
        assert!(old.len() >= debt.errors().min(200), "{linter} finds {} of {} old errors", old.len(), debt.errors());
        for change in debt.change.iter().filter(|change| change.name.contains(&only)) {
            let faults = judge_change(&debt, change);
            println!(
                "{:5} {linter} {}: {}",
                if faults.is_empty() { "ok" } else { "WRONG" },
                change.name,
                faults.join("; ")
            );
            wrong.extend(faults.into_iter().map(|fault| format!("{linter} {}: {fault}", change.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lays out a repository with a trap in it, which leaves a mark at a place outside when it is sprung.
fn trapped(case: &Case, mark: &Path) -> Repo {
    let repo = case.base();
    case.lay_over("candidate", &repo.path());
    let mark = mark.to_string_lossy();
    replace_everywhere(&repo.path(), &mark);
    if let Ok(script) = std::fs::read_to_string(case.path("setup.sh")) {
        let script = script.replace("@MARKER@", &mark);
        let mut shell = Command::new("timeout");
        shell.args(["60", "sh", "-c", &script]).current_dir(repo.path()).env("HOME", repo.outside());
        let output = shell.output().expect("a shell");
        assert!(output.status.success(), "{}: {}", case.name, String::from_utf8_lossy(&output.stderr));
    }
    repo
}

fn replace_everywhere(folder: &Path, mark: &str) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
        if kind.is_dir() && entry.file_name() != ".git" {
            replace_everywhere(&path, mark);
        } else if kind.is_file()
            && let Ok(text) = std::fs::read_to_string(&path)
            && text.contains("@MARKER@")
        {
            std::fs::write(&path, text.replace("@MARKER@", mark)).expect("written");
        }
    }
}

/// Whether the trap is sprung by the command that somebody would use without a thought.
fn springs(case: &Case) -> bool {
    let outside = tempfile::tempdir().expect("a temporary folder");
    let mark = outside.path().join("mark");
    let Some(naive) = case.word("naive") else { return false };
    let repo = trapped(case, &mark);
    let mut shell = Command::new("timeout");
    shell
        .args(["20", "sh", "-c", naive])
        .current_dir(repo.path())
        .env("HOME", repo.outside())
        .output()
        .expect("a shell");
    std::fs::symlink_metadata(&mark).is_ok()
}

#[test]
#[ignore = "needs the tools of several languages: `cargo xtask corpus host_escapes`"]
fn host_escapes() {
    let sprung = Mutex::new(0);
    all(&corpus("host_escapes"), |case| {
        let outside = tempfile::tempdir().expect("a temporary folder");
        let mark = outside.path().join("mark");
        let repo = trapped(case, &mark);
        let began = Instant::now();
        let (outcome, why) = outcome(&review(case, &repo));
        let escaped = std::fs::symlink_metadata(&mark).is_ok();
        let late = began.elapsed() > Duration::from_secs(300);
        let control = springs(case);
        *sprung.lock().expect("no thread panicked") += usize::from(control);
        let naive = if control { "springs without us" } else { "" };
        vec![(format!("{} {naive}", case.name), outcome, why, !escaped && !late)]
    });
    let sprung = sprung.into_inner().expect("no thread panicked");
    println!("{sprung} traps are sprung by the tools themselves");
    assert!(sprung >= 25 || std::env::var_os(ONLY_VARIABLE).is_some(), "only {sprung} traps are real here");
}
