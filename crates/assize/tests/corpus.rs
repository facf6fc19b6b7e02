//! The review court over whole corpora, with the real tools of each language.
//!
//! `cargo xtask corpus` installs the tools and runs these tests; by themselves they would need what
//! a machine may not have.

#![expect(clippy::print_stdout, reason = "whoever runs a corpus wants to see each case")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use assize_testkit::change::debt::{CorpusChange, ExpectedPlace, LintDebt};
use assize_testkit::change::program::ProgramRun;
use assize_testkit::change::trap::Trap;
use assize_testkit::change::{CorpusCase, cases, lay_over, link_dependencies, run};
use assize_testkit::repo::Repo;
use serde_json::Value;

/// Where `cargo xtask corpus` has put the tools.
const TOOLS_VARIABLE: &str = "ASSIZE_TEST_TOOLS";
/// Only cases whose name contains this.
const ONLY_VARIABLE: &str = "ASSIZE_TEST_ONLY";
/// Only one of so many cases, and which: `2/3` is the last of three.
const SHARE_VARIABLE: &str = "ASSIZE_TEST_SHARE";
/// A program that takes the place of the one that is built with these tests, such as a release.
const PROGRAM_VARIABLE: &str = "ASSIZE_TEST_PROGRAM";
/// How long one call of the program may take. A case takes seconds; this is what tells waiting from working.
const TIME_MAX: Duration = Duration::from_secs(300);
/// With fewer cases than this on one base, finding out about the base beforehand would cost more than it spares.
const SHARED_BY_MIN: usize = 3;

fn executable() -> PathBuf {
    std::env::var_os(PROGRAM_VARIABLE).map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_assize")), PathBuf::from)
}

fn tools() -> PathBuf {
    std::env::var_os(TOOLS_VARIABLE).map(PathBuf::from).expect("`cargo xtask corpus` sets where the tools are")
}

fn corpus(name: &str) -> Vec<CorpusCase> {
    let all = cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name));
    assert!(!all.is_empty(), "the corpus {name} is empty");
    wanted(all, |case| &case.name)
}

/// Leaves out what the variables of the environment leave out.
fn wanted<C>(all: Vec<C>, name: impl Fn(&C) -> &str) -> Vec<C> {
    let only = std::env::var(ONLY_VARIABLE).unwrap_or_default();
    let (which, of) = share();
    let wanted = all.into_iter().filter(|case| name(case).contains(&only));
    wanted.enumerate().filter(|(at, _)| at % of == which).map(|(_, case)| case).collect()
}

/// Returns which share of the cases is wanted, and of how many shares.
fn share() -> (usize, usize) {
    let Ok(share) = std::env::var(SHARE_VARIABLE) else { return (0, 1) };
    let (which, of) = share.split_once('/').expect("a share is written as 0/3");
    let number = |text: &str| text.parse().expect("a share has two numbers");
    let (which, of) = (number(which), number(of));
    assert!(which < of, "the share {share} is none");
    (which, of)
}

fn link_tools(repo: &Repo) {
    let manifest = repo.path().join("package.json");
    // A case may have put a pipe there, or a link to a device that never ends.
    let is_file = std::fs::symlink_metadata(&manifest).is_ok_and(|meta| meta.is_file());
    if is_file && std::fs::read_to_string(&manifest).is_ok_and(|text| text.contains("ependencies")) {
        link_dependencies(repo, "node_modules", &tools().join("node/node_modules"));
    }
}

/// Calls the program with `first` and the tools first on the search path.
fn assize(repo: &Repo, first: Vec<PathBuf>, arguments: &[&str]) -> ProgramRun {
    let path: Vec<PathBuf> = first.into_iter().chain([tools().join("python/bin")]).collect();
    run(&executable(), repo, &path, arguments, TIME_MAX)
}

/// Reviews what lies in a repository.
fn review(case: &CorpusCase, repo: &Repo, first: Vec<PathBuf>) -> ProgramRun {
    let specification = case.specification().map(|path| path.to_string_lossy().into_owned());
    let specification = specification.iter().flat_map(|path| ["--spec", path.as_str()]);
    // What new tests notice decides nothing here.
    let first_words = ["review", "--format", "json", "--mutants", "0"];
    let arguments: Vec<&str> = first_words.into_iter().chain(specification).collect();
    assize(repo, first, &arguments)
}

/// What the program finds out about bases that several cases have in common. It is found out on the base alone, before
/// any change to it, and every case gets a copy: nothing that one leaves in its cache reaches another.
struct SharedBases {
    folder: tempfile::TempDir,
    shared: BTreeMap<String, Arc<OnceLock<PathBuf>>>,
}

impl SharedBases {
    fn of(cases: &[CorpusCase]) -> Self {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for base in cases.iter().filter_map(CorpusCase::shared_base) {
            *counts.entry(base).or_default() += 1;
        }
        let shared = counts.into_iter().filter(|(_, count)| *count >= SHARED_BY_MIN);
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { folder, shared: shared.map(|(base, _)| (base.to_owned(), Arc::default())).collect() }
    }

    /// Gives a repository what is known about the base of a case.
    fn lend(&self, case: &CorpusCase, repo: &Repo) {
        let Some((base, known)) = case.shared_base().and_then(|base| self.shared.get_key_value(base)) else { return };
        let known = known.get_or_init(|| {
            let kept = self.folder.path().join(base);
            keep(&case.base(), &kept);
            kept
        });
        lay_over(known, &cache(repo));
    }
}

/// Where the program keeps in a repository of a test what it could find out anew.
fn cache(repo: &Repo) -> PathBuf {
    repo.outside().join(".cache")
}

/// Finds out about a tree as it was committed, and keeps it in a folder.
fn keep(repo: &Repo, folder: &Path) {
    link_tools(repo);
    let ran = assize(repo, Vec::new(), &["gates", "--base", "HEAD", "--format", "json"]);
    assert!(ran.status.is_some(), "the gates of a base came to no end");
    std::fs::create_dir_all(cache(repo)).expect("a folder");
    lay_over(&cache(repo), folder);
}

/// What came of a review: the outcome, and what explains it.
fn outcome(ran: &ProgramRun) -> (String, String) {
    if ran.status.is_none() {
        return ("killed".to_owned(), format!("it did not end within {} s", ran.time.as_secs()));
    }
    let Ok(envelope) = serde_json::from_slice::<Value>(&ran.stdout) else {
        return ("none".to_owned(), ran.complaint());
    };
    let outcome = envelope["outcome"].as_str().unwrap_or("none").to_owned();
    let why = envelope["verdict"]["explanations"]["root_cause"].as_str();
    let why = why.or_else(|| envelope["unjudged"]["detail"].as_str()).unwrap_or_default();
    (outcome, why.to_owned())
}

/// What is to be said of one review: its name, its outcome, why, and whether that is right.
type CorpusLine = (String, String, String, bool);

/// How many cases run at a time: as many as there are processors. Most of a review is one process at work.
fn at_a_time() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Runs cases, several at a time, prints a line for each, and fails with all that came out wrong.
fn all<C: Sync>(cases: &[C], check: impl Fn(&C) -> Vec<CorpusLine> + Sync) {
    let wrong = Mutex::new(Vec::new());
    let counts: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let next = Mutex::new(cases.iter());
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..at_a_time() {
            scope.spawn(|| {
                loop {
                    let Some(case) = next.lock().expect("no thread panicked").next() else { return };
                    let began = Instant::now();
                    for (what, outcome, why, right) in check(case) {
                        let mark = if right { "ok" } else { "WRONG" };
                        let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
                        let line: String = why.chars().take(300).map(plain).collect();
                        let seconds = began.elapsed().as_secs_f64();
                        println!("{mark:5} {outcome:8} {seconds:5.1} s  {what}: {line}");
                        *counts.lock().expect("no thread panicked").entry(outcome).or_default() += 1;
                        if !right {
                            wrong.lock().expect("no thread panicked").push(what);
                        }
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().expect("no thread panicked");
    println!("{counts:?} in {} s, {} at a time", began.elapsed().as_secs(), at_a_time());
    let wrong = wrong.into_inner().expect("no thread panicked");
    assert!(wrong.is_empty(), "{} came out wrong: {}", wrong.len(), wrong.join(", "));
}

#[test]
#[ignore = "needs the tools of three languages: `cargo xtask corpus pairs`"]
fn pairs() {
    all(&corpus("pairs"), |case| {
        let known = tempfile::tempdir().expect("a temporary folder");
        [("correct", "accept"), ("buggy", "revise")]
            .into_iter()
            .map(|(overlay, expected)| {
                let repo = case.base();
                case.lay_over(overlay, &repo.path());
                link_tools(&repo);
                // What a correct change let the program find out about the base holds for the buggy one.
                lay_over(known.path(), &cache(&repo));
                let (outcome, why) = outcome(&review(case, &repo, Vec::new()));
                if overlay == "correct" && cache(&repo).is_dir() {
                    lay_over(&cache(&repo), known.path());
                }
                let right = outcome == expected;
                (format!("{} {overlay}", case.name), outcome, why, right)
            })
            .collect()
    });
}

/// Has the program judge a candidate of a corpus that is laid out like the cheats.
fn judge_candidate(case: &CorpusCase, bases: &SharedBases) -> (String, String) {
    let repo = case.base();
    case.lay_over("candidate", &repo.path());
    case.set_up(&repo, None);
    link_tools(&repo);
    bases.lend(case, &repo);
    outcome(&review(case, &repo, Vec::new()))
}

#[test]
#[ignore = "needs the tools of three languages: `cargo xtask corpus cheats`"]
fn cheats() {
    let cases = corpus("cheats");
    let bases = SharedBases::of(&cases);
    all(&cases, |case| {
        let (outcome, why) = judge_candidate(case, &bases);
        let honest = case.name.contains("honest");
        // Where the runner itself was replaced, nobody can say more than that nothing was judged.
        let turned_away = matches!(outcome.as_str(), "revise" | "reject" | "unjudged");
        let right = if honest { outcome == "accept" } else { turned_away };
        vec![(case.name.clone(), outcome, why, right)]
    });
}

/// What no gate sees is accepted. One that is turned away is stopped by now, and belongs to the cheats. Of those that a gate
/// ought to see some are seen in some runs only.
#[test]
#[ignore = "needs the tools of three languages: `cargo xtask corpus known_limits`"]
fn known_limits() {
    let cases = corpus("cheats-known-limits");
    let bases = SharedBases::of(&cases);
    all(&cases, |case| {
        let (outcome, why) = judge_candidate(case, &bases);
        let right = outcome == "accept" || case.word("layer") != Some("none");
        vec![(case.name.clone(), outcome, why, right)]
    });
}

/// The new objections of a gate, by place, and how many it has that the base has as well.
fn objections(output: &ProgramRun, gate: &str) -> (Vec<ExpectedPlace>, u64) {
    let envelope: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let gates = envelope["exec"]["gates"].as_array().cloned().unwrap_or_default();
    let found = gates.iter().filter(|result| result["id"].as_str().is_some_and(|id| id.starts_with(gate)));
    let (mut new, mut known) = (Vec::new(), 0);
    for result in found {
        known += result["known"].as_u64().unwrap_or(0);
        for one in result["new"].as_array().into_iter().flatten() {
            let path = one["path"].as_str().unwrap_or_default().to_owned();
            new.push(ExpectedPlace { path, line: one["line"].as_u64().unwrap_or(0) });
        }
    }
    new.sort();
    (new, known)
}

fn judge_debt(repo: &Repo, more: &[&str]) -> ProgramRun {
    let arguments: Vec<&str> = ["review", "--format", "json", "--mutants", "0"].iter().chain(more).copied().collect();
    assize(repo, Vec::new(), &arguments)
}

/// A project with old errors, and what the program knows about it as it was committed.
struct OldProject {
    linter: &'static str,
    debt: LintDebt,
    known: tempfile::TempDir,
}

impl OldProject {
    fn new(linter: &'static str) -> Self {
        let debt = LintDebt::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lint_debt").join(linter));
        let repo = debt.repository();
        let known = tempfile::tempdir().expect("a temporary folder");
        keep(&repo, known.path());
        let (old, _) = objections(&judge_debt(&repo, &["--all"]), &debt.gate);
        // More are counted than are kept.
        assert!(old.len() >= debt.errors().min(200), "{linter} finds {} of {} old errors", old.len(), debt.errors());
        Self { linter, debt, known }
    }

    fn judge(&self, change: &CorpusChange) -> CorpusLine {
        let mut wrong = Vec::new();
        let repo = self.debt.repository();
        change.apply(&repo);
        link_tools(&repo);
        lay_over(self.known.path(), &cache(&repo));
        let ran = judge_debt(&repo, &[]);
        let (found, why) = outcome(&ran);
        if found != change.expect {
            wrong.push(format!("{found} instead of {}: {why}", change.expect));
        }
        let mut expected = change.new.clone();
        expected.sort();
        let (new, _) = objections(&ran, &self.debt.gate);
        if new != expected {
            wrong.push(format!("new are {new:?} instead of {expected:?}"));
        }
        let (everything, _) = outcome(&judge_debt(&repo, &["--all"]));
        if everything != "revise" {
            wrong.push(format!("--all says {everything}"));
        }
        (format!("{} {}", self.linter, change.name), found, wrong.join("; "), wrong.is_empty())
    }
}

#[test]
#[ignore = "needs linters of two languages: `cargo xtask corpus lint_debt`"]
fn lint_debt() {
    let projects = ["ruff", "eslint"].map(OldProject::new);
    let changes = projects.iter().flat_map(|old| old.debt.change.iter().map(move |change| (old, change)));
    let changes: Vec<(&OldProject, &CorpusChange)> = wanted(changes.collect(), |(_, change)| &change.name);
    all(&changes, |(old, change)| vec![old.judge(change)]);
}

/// The commands that look at a tree besides the review, and run nothing of it.
const ONLY_LOOKING: [&str; 2] = ["brief --no-cache --format json", "gates --list"];

/// Has the program look at a trap in every way, and says what came of it.
fn walk_into(case: &CorpusCase, bases: &SharedBases) -> CorpusLine {
    let trap = Trap::lay(case);
    link_tools(&trap.repo);
    bases.lend(case, &trap.repo);
    let before = trap.before();
    let ran = review(case, &trap.repo, trap.search_path());
    let mut harm = trap.harm(&before, &ran);
    let (outcome, why) = outcome(&ran);
    let ruled = matches!(outcome.as_str(), "accept" | "revise" | "reject" | "unjudged");
    match case.word("refused") {
        Some(refused) if ran.code() != Some(2) || !why.contains(refused) => {
            harm.push(format!("it should be refused with `{refused}`"));
        }
        None if !ruled && ran.status.is_some() => harm.push("it ends without a ruling".to_owned()),
        _ => {}
    }
    let commands = case.words("commands").into_iter();
    for command in ONLY_LOOKING.into_iter().chain(commands) {
        let arguments: Vec<&str> = command.split_whitespace().collect();
        let ran = assize(&trap.repo, trap.search_path(), &arguments);
        harm.extend(trap.harm(&before, &ran).into_iter().map(|harm| format!("{command}: {harm}")));
    }
    let why = if harm.is_empty() { why } else { format!("{} ({why})", harm.join("; ")) };
    (case.name.clone(), outcome, why, harm.is_empty())
}

#[test]
#[ignore = "needs the tools of several languages: `cargo xtask corpus host_escapes`"]
fn host_escapes() {
    let cases = corpus("host_escapes");
    let bases = SharedBases::of(&cases);
    let sprung = Mutex::new(0);
    let by_hand = [tools().join("python/bin"), tools().join("node/node_modules/.bin")];
    all(&cases, |case| {
        let (what, outcome, why, right) = walk_into(case, &bases);
        let trap = Trap::lay(case);
        link_tools(&trap.repo);
        let springs = trap.springs_by_hand(&by_hand);
        *sprung.lock().expect("no thread panicked") += usize::from(springs);
        vec![(format!("{what}{}", if springs { " (springs by hand)" } else { "" }), outcome, why, right)]
    });
    let sprung = sprung.into_inner().expect("no thread panicked");
    println!("{sprung} of {} traps are sprung by the tools themselves", cases.len());
    let least = 25 / share().1;
    assert!(sprung >= least || std::env::var_os(ONLY_VARIABLE).is_some(), "only {sprung} traps are real here");
}

/// The files of a tree, but for what is not the project's own.
fn files(tree: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![tree.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
            let is_ours = matches!(entry.file_name().to_str(), Some(".git" | ".assize"));
            if kind.is_dir() && !is_ours {
                folders.push(path);
            } else if kind.is_file() {
                let relative = path.strip_prefix(tree).expect("below it").to_owned();
                found.insert(relative, std::fs::read(&path).expect("readable"));
            }
        }
    }
    found
}

/// Has the program mend a change with what tools offer, and nothing else.
fn repair(case: &CorpusCase) -> CorpusLine {
    let repo = case.base();
    case.lay_over("change", &repo.path());
    let wanted = tempfile::tempdir().expect("a temporary folder");
    lay_over(&repo.path(), wanted.path());
    if case.path("after").is_dir() {
        case.lay_over("after", wanted.path());
    }
    link_tools(&repo);
    let specification = case.specification().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    let arguments = ["fix", "--tools-only", "--keep-best", "--format", "json", "--spec", &specification];
    let ran = assize(&repo, Vec::new(), &arguments);
    let Ok(result) = serde_json::from_slice::<Value>(&ran.stdout) else {
        return (case.name.clone(), "none".to_owned(), ran.complaint(), false);
    };
    let outcome = result["outcome"].as_str().unwrap_or("none").to_owned();
    let root_cause = result["review"]["verdict"]["explanations"]["root_cause"].as_str();
    let root_cause = root_cause.or_else(|| result["review"]["unjudged"]["detail"].as_str()).unwrap_or_default();
    let differs = differing(&files(wanted.path()), &files(&repo.path()));
    let is_fixed = case.settings.get("fixed").and_then(toml::Value::as_bool) == Some(true);
    let left = case.words("left");
    let missed = left.iter().find(|code| !root_cause.contains(**code));
    let why = match (&differs, missed) {
        (Some(path), _) => format!("{} is not what was expected; {root_cause}", path.display()),
        (None, Some(code)) => format!("{code} is not left; {root_cause}"),
        (None, None) => root_cause.to_owned(),
    };
    let right = differs.is_none() && missed.is_none() && (outcome == "accept") == is_fixed;
    (case.name.clone(), outcome, why, right)
}

fn differing(one: &BTreeMap<PathBuf, Vec<u8>>, other: &BTreeMap<PathBuf, Vec<u8>>) -> Option<PathBuf> {
    one.keys().chain(other.keys()).find(|path| one.get(*path) != other.get(*path)).cloned()
}

#[test]
#[ignore = "needs the tools of three languages: `cargo xtask corpus repairs`"]
fn repairs() {
    all(&corpus("repairs"), |case| vec![repair(case)]);
}

/// Lays the candidates of a problem out beside its repository, and returns their names with the paths that they are
/// handed in by.
fn candidates(case: &CorpusCase, repo: &Repo) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(case.path("candidates")).expect("candidates").flatten() {
        let path = entry.path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if !path.is_dir() {
            found.push((name, path));
            continue;
        }
        let folder = repo.outside().join("candidates").join(&name);
        lay_over(&case.path("base"), &folder);
        lay_over(&path, &folder);
        let list = folder.join("removed.txt");
        if let Ok(removed) = std::fs::read_to_string(&list) {
            removed.lines().for_each(|path| std::fs::remove_file(folder.join(path)).expect("removed"));
            std::fs::remove_file(list).expect("removed");
        }
        found.push((name, folder));
    }
    found.sort();
    found
}

/// Holds a tournament over candidates in this order; returns the winner's name, the outcome, and why it is not the one that
/// has to win.
fn hold_tournament(case: &CorpusCase, repo: &Repo, candidates: &[(String, PathBuf)]) -> (String, String, String) {
    let specification = case.specification().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    let paths: Vec<String> = candidates.iter().map(|(_, path)| path.to_string_lossy().into_owned()).collect();
    let settings = repo.outside().join("settings.toml");
    std::fs::write(&settings, "[gates]\ntest_seconds = 5\n").expect("written");
    let settings = settings.to_string_lossy().into_owned();
    let mut arguments = vec!["tournament", "--format", "json", "--config", &settings, "--spec", &specification];
    arguments.extend(paths.iter().map(String::as_str));
    let ran = assize(repo, Vec::new(), &arguments);
    let Ok(result) = serde_json::from_slice::<Value>(&ran.stdout) else {
        return ("none".to_owned(), "none".to_owned(), ran.complaint());
    };
    let winner = result["winnerIndex"].as_u64().and_then(|index| candidates.get(usize::try_from(index).ok()?));
    let winner = winner.map_or("none".to_owned(), |(name, _)| name.clone());
    let of_right = candidates.iter().position(|(name, _)| name == "right").unwrap_or_default();
    let why = result["results"][of_right]["verdict"]["explanations"]["root_cause"].as_str().unwrap_or_default();
    (winner, result["outcome"].as_str().unwrap_or("none").to_owned(), why.to_owned())
}

/// Every so many problems are held a second time, with their candidates the other way round.
const TURNED_ROUND: usize = 4;

fn compete(number: usize, case: &CorpusCase) -> CorpusLine {
    let repo = case.base();
    let mut candidates = candidates(case, &repo);
    let begins = number % candidates.len();
    candidates.rotate_left(begins);
    let (winner, outcome, why) = hold_tournament(case, &repo, &candidates);
    let wanted = match case.word("winner") {
        Some("any") => case.words("tie"),
        wanted => wanted.into_iter().collect(),
    };
    let mut right = wanted.contains(&winner.as_str()) && outcome == "accept";
    let mut what = format!("{} won by {winner}", case.name);
    if number.is_multiple_of(TURNED_ROUND) {
        candidates.reverse();
        let (again, _, _) = hold_tournament(case, &repo, &candidates);
        right &= again == winner;
        what.push_str(&format!(", the other way round by {again}"));
    }
    (what, outcome, why, right)
}

#[test]
#[ignore = "needs the tools of three languages: `cargo xtask corpus tournaments`"]
fn tournaments() {
    let all_cases: Vec<(usize, CorpusCase)> = corpus("tournaments").into_iter().enumerate().collect();
    all(&all_cases, |(number, case)| vec![compete(*number, case)]);
}
