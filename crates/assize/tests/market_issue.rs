//! `assize market run --issue 12` from end to end: a real repository and real gates, and a scripted `gh` that keeps the issue in files.
//!
//! What GitHub does to those who use it is done here: too many requests, answers that do not come or are lost, people who edit meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use assize_testkit::repo::Repo;
use fixture::{events, outcomes, told};
use serde_json::Value;

#[path = "market/fixture.rs"]
mod fixture;

const TITLE: &str = "Volume discounts and totals";
const VIEW: &str = "issue view 12 --json body,title,labels,state";
const COMMENTS: &str = "issue view 12 --json comments";
const COMMENT: &str = "issue comment 12 --body-file -";
const EDIT_BODY: &str = "issue edit 12 --body-file -";
const ADD_ATTENTION: &str = "issue edit 12 --add-label attention-needed";
const MAKE_ATTENTION: &str = "label create attention-needed --description Set by Assize --color D93F0B";
const RUN: [&str; 7] = ["run", "--issue", "12", "--seed", "7", "--format", "human"];
/// How long a run or a call may take before something is wrong with it.
const TIME_MAX: Duration = Duration::from_secs(120);

/// A repository and its issue, and those who bid for it.
struct IssueFixture {
    repo: Repo,
}

impl IssueFixture {
    fn new(bidders: &[&str]) -> Self {
        let play = Self { repo: fixture::laid_out("python", bidders, "[market]\ncall_s_max = 3\n") };
        fixture::install(&fixture::of_plays("gh.sh"), &play.beside("tools/gh"));
        fs::create_dir_all(play.beside("hub/comments")).expect("made");
        fs::write(play.beside("tools/gh-state"), play.beside("hub").to_str().expect("a path")).expect("written");
        let known = [
            ("title", TITLE),
            ("state", "OPEN"),
            ("labels", "bug\n"),
            ("repo-labels", "bug\n"),
            ("faults", ""),
            ("calls", ""),
            ("ends", ""),
        ];
        for (name, text) in known {
            play.tell(name, text);
        }
        play.tell("body", &body());
        play
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.repo.outside().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        fixture::command(&self.repo, &[self.beside("tools")], arguments)
    }

    fn run(&self) -> Output {
        self.command(&RUN).output().expect("it runs")
    }

    /// Writes what `gh` knows.
    fn tell(&self, name: &str, text: &str) {
        fs::write(self.beside("hub").join(name), text).expect("written");
    }

    /// Reads what `gh` knows.
    fn known(&self, name: &str) -> String {
        fs::read_to_string(self.beside("hub").join(name)).expect("readable")
    }

    /// The calls of `gh` so far.
    fn calls(&self) -> Vec<String> {
        let call = |line: &str| line.split_once(' ').expect("a process and its arguments").1.to_owned();
        self.known("calls").lines().map(call).collect()
    }

    fn count(&self, begins: &str) -> usize {
        self.calls().iter().filter(|call| call.starts_with(begins)).count()
    }

    fn comments(&self) -> Vec<String> {
        let folder = fs::read_dir(self.beside("hub/comments")).expect("a folder");
        folder.map(|entry| fs::read_to_string(entry.expect("an entry").path()).expect("readable")).collect()
    }

    /// Nothing was asked of `gh` that it does not know, and everything that was to go wrong did.
    fn check_calls(&self) {
        let refused = fs::read_to_string(self.beside("hub/refused")).unwrap_or_default();
        assert_eq!((refused.as_str(), self.known("faults").as_str()), ("", ""));
    }

    /// Waits for calls whose caller was killed: they go on without it.
    fn settle(&self) {
        let begun = Instant::now();
        while self.known("ends").lines().count() < self.known("calls").lines().count() {
            assert!(begun.elapsed() < TIME_MAX, "{:?}", self.calls());
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn git(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.repo.git(arguments).stdout).expect("text")
    }

    fn branch(&self) -> String {
        self.git(&["symbolic-ref", "--short", "HEAD"]).trim().to_owned()
    }
}

/// The body of the issue, with whatever JSON and shells write in a way of their own: lines end as those of browsers do, and the last not
/// at all.
fn body() -> String {
    let text = fs::read_to_string(fixture::of_plays("play/python/issue.md")).expect("readable");
    format!("Said \"at the till\": C:\\new\\tills,\tund größer.\n\n{}", text.trim_end()).replace('\n', "\r\n")
}

fn word<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().expect("a word")
}

/// The run that an event belongs to.
fn run_of(event: &Value) -> String {
    word(event, "run").split_once('/').expect("a run and an iteration").0.to_owned()
}

/// The marker by which a run finds what it has said.
fn marker(run: &str) -> String {
    format!("<!-- assize: {run}/attention -->")
}

#[test]
fn the_boxes_of_an_issue_are_ticked_and_nothing_else() {
    let play = IssueFixture::new(&["careful", "hasty", "half"]);
    // While boxes are ticked, somebody saves an older text with a line of their own.
    play.tell(
        "theirs.sed",
        "s/^- \\[x\\] A cart gives/- [ ] A cart gives/\n/^Carts come first/a\\\nNobody pays less than a cent.\r\n",
    );
    play.tell("faults", "view:rate\nview:hang\nedit-body:conflict\nedit-body:lost\n");
    let output = play.run();
    let text = told(&output);
    assert!(output.status.success() && text.contains("## Result: SUCCESS"), "{text}");
    assert!(text.contains("(replan round)") && !text.contains("COMPLETE"), "{text}");
    let after = "since receipts show what carts say.";
    let early = body()
        .replace("- [ ] A cart", "- [x] A cart")
        .replace(after, &format!("{after}\r\nNobody pays less than a cent."));
    assert_eq!(play.known("body"), early);
    assert_eq!(play.count(EDIT_BODY), 2);
    assert_eq!(play.known("labels"), "bug\nin-progress\n");
    assert_eq!(play.branch(), "assize/issue-12");
    let of = format!("#12: {TITLE}");
    let log = [format!("Market: what became of {of}"), format!("Implement {of}"), "Begin".to_owned()];
    assert_eq!(fixture::log(&play.repo), log);

    let output = play.run();
    let text = told(&output);
    assert!(output.status.success() && text.contains("<promise>COMPLETE</promise>"), "{text}");
    assert_eq!(play.known("body"), early.replace("- [ ] A receipt", "- [x] A receipt"));
    assert_eq!((play.count(EDIT_BODY), play.known("labels").as_str()), (3, "bug\n"));
    assert_eq!(outcomes(&play.repo), fixture::IN_THE_END);
    assert!(events(&play.repo).iter().all(|event| event["issue_number"] == 12), "{:?}", events(&play.repo));
    assert_eq!(fixture::log(&play.repo).len(), 5);
    assert!(play.comments().is_empty() && play.git(&["status", "--porcelain"]).is_empty());
    play.check_calls();
}

#[test]
fn two_failures_are_said_once() {
    let play = IssueFixture::new(&["hasty", "half"]);
    play.tell("faults", "comment:lost\n");
    let output = play.run();
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert_eq!(play.known("labels"), "bug\nin-progress\nattention-needed\n");
    let comments = play.comments();
    assert_eq!(comments.len(), 1, "{comments:?}");
    let runs: BTreeSet<String> = events(&play.repo).iter().map(run_of).collect();
    let run = runs.first().expect("a run");
    for part in ["## Marketplace Failure\n", "Check branch: `assize/issue-12", &marker(run)] {
        assert_eq!(comments[0].matches(part).count(), 1, "{part}: {}", comments[0]);
    }
    // What a person is sent to is there.
    let branch = comments[0].split("Check branch: `").nth(1).and_then(|rest| rest.split('`').next()).expect("a branch");
    assert_eq!(play.git(&["log", "-1", "--format=%s", branch, "--"]).trim(), format!("Not accepted: #12: {TITLE}"));
    assert!(runs.len() == 1 && !comments[0].contains("- [ ]"), "{}", comments[0]);
    // The label is not known at first; and before the comment is written again, somebody looks.
    let calls = play.calls();
    let last = calls.iter().rposition(|call| call == VIEW).expect("a look");
    assert_eq!(calls[last + 1..], [ADD_ATTENTION, MAKE_ATTENTION, ADD_ATTENTION, COMMENTS, COMMENT, COMMENTS]);
    assert_eq!(play.count("label create attention-needed"), 1);
    assert_eq!(
        outcomes(&play.repo),
        [
            "half collective_failure",
            "half replan_failure",
            "hasty collective_failure",
            "hasty ranked_first_failure",
            "hasty resubmitted"
        ]
    );
    assert!(play.known("body") == body() && play.count(EDIT_BODY) == 0, "{}", play.known("body"));
    play.check_calls();
}

/// When a run is killed.
#[derive(Debug)]
enum KillMoment {
    /// So many milliseconds after it began.
    After(u64),
    /// As soon as `gh` is called in this way.
    Called(&'static str),
    /// As soon as so many events are on record.
    Events(usize),
}

#[test]
fn what_was_killed_says_nothing_twice() {
    let play = IssueFixture::new(&["hasty", "half"]);
    let kills = [
        KillMoment::Called("issue edit 12 --add-label in-progress"),
        KillMoment::After(40),
        KillMoment::After(300),
        KillMoment::Events(1),
        KillMoment::Events(3),
        KillMoment::Called(ADD_ATTENTION),
        KillMoment::Called(MAKE_ATTENTION),
        KillMoment::Called(COMMENT),
    ];
    let (mut killed, mut ended) = (0, false);
    for kill in &kills {
        let before = play.calls().len();
        let mut child = play.command(&RUN).spawn().expect("it starts");
        let begun = Instant::now();
        let is_time = || match kill {
            KillMoment::After(time_ms) => begun.elapsed() >= Duration::from_millis(*time_ms),
            KillMoment::Called(begins) => play.calls()[before..].iter().any(|call| call.starts_with(begins)),
            KillMoment::Events(count) => events(&play.repo).len() >= *count,
        };
        while child.try_wait().expect("a child").is_none() && !is_time() {
            assert!(begun.elapsed() < TIME_MAX, "{kill:?}");
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("killed");
        let output = child.wait_with_output().expect("it ends");
        play.settle();
        ended = output.status.code().is_some();
        if ended {
            // It was faster than who wanted to kill it.
            assert_eq!(output.status.code(), Some(1), "{kill:?}: {}", told(&output));
            break;
        }
        killed += 1;
    }
    assert!(killed >= 6, "{killed}");
    if !ended {
        let output = play.run();
        assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    }
    let mut said: BTreeMap<String, usize> = events(&play.repo).iter().map(|event| (run_of(event), 0)).collect();
    let comments = play.comments();
    for (run, times) in &mut said {
        *times = comments.iter().filter(|comment| comment.contains(&marker(run))).count();
    }
    // It is one run, unless the last kill came between its end and that of the program.
    assert!(!said.is_empty() && said.values().all(|times| *times == 1), "{said:?}");
    assert_eq!(comments.len(), said.len(), "{comments:?}");
    let commits = play.git(&["log", "--all", "--format=%s"]);
    assert_eq!(commits.matches("Not accepted: #12: ").count(), said.len(), "{commits}");
    let mut seen = BTreeSet::new();
    for event in events(&play.repo) {
        let words = ["run", "bot_id", "outcome"].map(|name| word(&event, name).to_owned());
        assert!(seen.insert(words), "{:?}", events(&play.repo));
    }
    assert_eq!(play.known("labels"), "bug\nin-progress\nattention-needed\n");
    assert_eq!(play.known("repo-labels"), "bug\nin-progress\nattention-needed\n");
    assert!(play.known("body") == body() && play.git(&["status", "--porcelain"]).is_empty());
    play.check_calls();
}

#[test]
fn what_cannot_be_reached_is_said() {
    let play = IssueFixture::new(&["careful"]);
    let says = |command: &mut Command, words: &str| {
        let text = told(&command.output().expect("it runs"));
        assert!(text.starts_with("Some(2)\n") && text.contains(words), "{words}: {text}");
    };
    // Where `gh` is installed, it lies beside git.
    let search_path = std::env::var_os("PATH").expect("a search path");
    let git = std::env::split_paths(&search_path).map(|folder| folder.join("git")).find(|git| git.is_file());
    fs::create_dir(play.beside("git-alone")).expect("made");
    symlink(git.expect("git"), play.beside("git-alone/git")).expect("a link");
    says(
        play.command(&RUN).env("PATH", play.beside("git-alone")),
        "issue 12 cannot be reached without the program `gh`; install it from https://cli.github.com",
    );
    assert!(play.calls().is_empty());
    play.tell("logged-out", "");
    says(&mut play.command(&RUN), "issue 12 cannot be reached because `gh` is not logged in; run `gh auth login`");
    fs::remove_file(play.beside("hub/logged-out")).expect("removed");
    play.tell("state", "CLOSED");
    says(&mut play.command(&RUN), "issue 12 is closed");
    play.tell("state", "OPEN");
    says(&mut play.command(&["run", "--issue", "13"]), "issue 13 is not in this repository; check its number");
    assert_eq!(play.calls(), [VIEW, VIEW, &VIEW.replace("12", "13")]);
    assert_eq!((play.known("labels").as_str(), play.known("body")), ("bug\n", body()));
    assert_eq!((fixture::log(&play.repo), play.branch().as_str()), (vec!["Begin".to_owned()], "main"));
    assert_eq!(play.git(&["branch", "--format=%(refname:short)"]), "main\n");
    assert!(play.git(&["status", "--porcelain"]).is_empty());
    play.check_calls();
}
