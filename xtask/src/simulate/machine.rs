//! The machine of a simulated session: one work tree, the agents and the person in it, and the hooks of the real program.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::Duration;

use assize_testkit::agent::Agent;
use assize_testkit::repo::Repo;
use fastrand::Rng;
use serde_json::{Value, json};

use super::answer::SimulatedAnswer;
use super::fault::{BASE_TESTS, FaultAuthor, MENU, PlantedFault, SHAPE, SOURCES, TESTS, base_test, good_function};
use super::loss::StateLoss;
use super::tally::{PropertyViolation, SimulationTally};

/// The longest time after which a hook is killed, in microseconds. It is about as long as a hook takes.
const KILL_MICROS_MAX: u64 = 25_000;

/// A call of a tool that may be open, as far as the hook can know.
#[derive(Debug, Clone)]
pub struct ToolCallAtWork {
    /// Its id.
    pub id: String,
    /// The one file that it writes.
    pub path: Option<String>,
    /// Whether it has returned, and left a task in the background.
    pub is_task: bool,
}

/// An agent at work.
#[derive(Debug, Clone)]
pub struct SimulatedAgent {
    /// The id of its session.
    pub session: String,
    /// Prompts that it was given.
    pub prompts: usize,
    /// Whether it works on a prompt.
    pub is_asked: bool,
    /// Calls that may be open.
    pub open: Vec<ToolCallAtWork>,
    /// The commit that was checked out at its last stop, where that was accepted or killed.
    pub settled_at: Option<String>,
    /// Losses before the session began.
    pub losses_before: usize,
    /// Whether the hook can have seen how the session began.
    pub is_start_seen: bool,
    /// The events of the session whose hooks were killed.
    pub killed: Vec<String>,
    /// Faults that tasks in the background are about to write.
    pub tasks: Vec<PlantedFault>,
    /// Faults that were in the tree, and in no commit, when the session began.
    pub uncommitted: BTreeSet<usize>,
}

/// A simulated session of several agents.
pub struct SimulatedMachine {
    /// The repository, and the hooks in it.
    pub hooks: Agent,
    /// Where all chance comes from.
    pub rng: Rng,
    /// The seed of the session.
    pub seed: u64,
    /// Whether each step is printed.
    pub is_shown: bool,
    /// The share of hooks that are killed.
    pub kill_share: f64,
    /// The agents.
    pub agents: Vec<SimulatedAgent>,
    /// All faults that were ever planted.
    pub faults: Vec<PlantedFault>,
    /// Files that were moved: from where, and to where.
    pub moved: Vec<(&'static str, String)>,
    /// All that was lost.
    pub losses: Vec<StateLoss>,
    /// What it came to.
    pub tally: SimulationTally,
    numbers: usize,
}

impl SimulatedMachine {
    /// Makes a repository with several branches, and the agents that will work in it.
    pub fn new(program: &Path, seed: u64, is_shown: bool) -> Self {
        let mut rng = Rng::with_seed(seed);
        let hooks = Agent::new(program, Repo::empty());
        let agents = (0..rng.usize(1..=3)).map(SimulatedAgent::new).collect();
        let kill_share = if rng.u8(..10) < 4 { 0.12 } else { 0.0 };
        let mut machine = Self {
            hooks,
            rng,
            seed,
            is_shown,
            kill_share,
            agents,
            faults: Vec::new(),
            moved: Vec::new(),
            losses: Vec::new(),
            tally: SimulationTally::default(),
            numbers: 0,
        };
        machine.found();
        machine
    }

    /// The first commit, a branch of a colleague with faults, and one without.
    fn found(&mut self) {
        let repo = self.hooks.repo();
        let tests: Vec<String> = (0..BASE_TESTS).map(base_test).collect();
        repo.write(TESTS, &(tests.join("\n\n") + "\n"));
        for (at, path) in SOURCES.into_iter().chain([SHAPE]).enumerate() {
            let functions: Vec<String> = (0..4).map(|value| good_function(1_000 + at * 10 + value, value)).collect();
            repo.write(path, &(functions.join("\n\n") + "\n"));
        }
        repo.write(MENU, "soup: 1\n\nbread: 2\n\ntea: 3\n");
        repo.write(".gitignore", ".claude\n.assize\n");
        let scope: &[&str] =
            if self.rng.bool() { &["init", "claude-code"] } else { &["init", "claude-code", "--user"] };
        self.hooks.read(scope);
        self.hooks.repo().commit("first");
        for branch in ["theirs", "side"] {
            self.hooks.repo().git(&["checkout", "--quiet", "-b", branch, "main"]);
            let faults = if branch == "theirs" { self.rng.usize(1..=3) } else { 0 };
            for _ in 0..faults {
                let fault = self.draw_fault(FaultAuthor::Colleague);
                self.plant(fault, "in a commit of before");
            }
            let path = SOURCES[self.rng.usize(..SOURCES.len())];
            self.add_good(path);
            self.hooks.repo().commit(branch);
        }
        self.hooks.repo().git(&["checkout", "--quiet", "main"]);
    }

    /// Returns the next number of a fault, a function or a call.
    pub fn number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    /// Says what happens, where a session is shown.
    pub fn show(&self, what: impl FnOnce() -> String) {
        if self.is_shown {
            println!("    {}", what());
        }
    }

    /// Notes that a property did not hold.
    pub fn violated(&mut self, property: char, suspect: &'static str, what: String) {
        self.show(|| format!("{property}: {what}"));
        // The same again in a session says nothing new.
        let is_same = |other: &PropertyViolation| other.property == property && other.suspect == suspect;
        if self.tally.violations.iter().any(is_same) {
            return;
        }
        self.tally.violations.push(PropertyViolation { seed: self.seed, property, suspect, what });
    }

    /// Returns what the ledger has of the last stop of an agent.
    fn last_stop(&self, who: usize) -> Option<Value> {
        let exported = self.hooks.run(&["ledger", "export"]).stdout;
        let exported = String::from_utf8_lossy(&exported).into_owned();
        let mut entries = exported.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let session = format!("claude-code/{}", self.agents[who].session);
        entries.find(|entry| entry["kind"] == "stop_ruled" && entry["session"] == session)
    }

    /// Returns whether the last stop of an agent was judged without knowing who wrote what.
    pub fn lacks_journal(&self, who: usize) -> bool {
        let limits = self.last_stop(who).map(|stop| stop["payload"]["inputs"]["evidence"]["limits"].to_string());
        limits.is_some_and(|limits| limits.contains("every change counts as this session's"))
    }

    /// Prints what the ledger has of the last stop of an agent.
    pub fn show_last_stop(&self, who: usize) {
        if !self.is_shown {
            return;
        }
        let Some(stop) = self.last_stop(who) else { return };
        let inputs = &stop["payload"]["inputs"];
        println!("      {} {}", stop["session"], stop["outcome"]);
        for finding in inputs["findings"].as_array().into_iter().flatten() {
            println!("      {} {} {}", finding["certainty"], finding["rule"], finding["path"]);
        }
        for limit in inputs["evidence"]["limits"].as_array().into_iter().flatten() {
            println!("      limit: {limit}");
        }
    }

    /// Returns the text of a file of the work tree; empty if there is none.
    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.hooks.repo().path().join(path)).unwrap_or_default()
    }

    /// Returns whether a fault is in the work tree.
    pub fn is_there(&self, fault: &PlantedFault) -> bool {
        self.place_of(fault).is_some()
    }

    /// Returns the file of the work tree that has a fault. Git follows a file that was moved.
    pub fn place_of<'f>(&'f self, fault: &'f PlantedFault) -> Option<&'f str> {
        let moved = self.moved.iter().filter(|(from, _)| *from == fault.path).map(|(_, to)| to.as_str());
        std::iter::once(fault.path.as_str()).chain(moved).find(|path| {
            let text = self.text(path);
            !text.is_empty() && fault.is_in(&text)
        })
    }

    /// Returns whether a fault may be in a file: its own, or one that this was moved to.
    pub fn may_be_in(&self, fault: &PlantedFault, path: &str) -> bool {
        fault.path == path || self.moved.iter().any(|(from, to)| *from == fault.path && to == path)
    }

    /// Returns whether a file was moved from here, or to here.
    pub fn is_of_moved_file(&self, path: Option<&str>) -> bool {
        self.moved.iter().any(|(from, to)| path.is_some_and(|path| path == *from || path == to))
    }

    /// Draws a fault that an author is to write.
    pub fn draw_fault(&mut self, author: FaultAuthor) -> PlantedFault {
        let number = self.number();
        PlantedFault::draw(number, author, &mut self.rng)
    }

    /// Writes a fault into its file, or something good where it does not fit in.
    pub fn plant(&mut self, mut fault: PlantedFault, how: &str) {
        let Some(text) = self.with_fault(&fault, &self.text(&fault.path)) else { return self.add_good(&fault.path) };
        self.hooks.repo().write(&fault.path, &text);
        fault.may_blame = self.open_for(&fault.path);
        fault.is_claimed = self.is_claimed(&fault);
        self.note_fault(fault, how);
    }

    /// Whether an edit of the same file by another agent is open. The hook takes that one for the author.
    fn is_claimed(&self, fault: &PlantedFault) -> bool {
        let names = |agent: &SimulatedAgent| agent.open.iter().any(|call| call.path.as_deref() == Some(&fault.path));
        let mut naming = self.agents.iter().enumerate().filter(|(_, agent)| names(agent));
        naming.any(|(at, _)| fault.author != FaultAuthor::Agent(at))
    }

    /// A colleague commits a fault elsewhere and pushes it.
    pub fn colleague_pushes(&mut self) {
        let folder = self.hooks.repo().outside().join("colleague");
        let at = folder.display().to_string();
        if !folder.exists() {
            let remote = self.hooks.repo().outside().join("remote.git").display().to_string();
            self.git(&["clone", "--quiet", "--bare", ".", &remote]);
            self.git(&["remote", "add", "origin", &remote]);
            self.git(&["clone", "--quiet", "--branch", "main", &remote, &at]);
        }
        let fault = self.draw_fault(FaultAuthor::Colleague);
        let path = folder.join(&fault.path);
        let text = self.with_fault(&fault, &fs::read_to_string(&path).unwrap_or_default());
        if text.is_some_and(|text| fs::write(&path, text).is_ok()) {
            self.git(&["-C", &at, "add", "--all"]);
            self.git(&["-C", &at, "commit", "--quiet", "--message", "of a colleague"]);
            self.git(&["-C", &at, "push", "--quiet", "origin", "main"]);
            self.note_fault(fault, "pushed");
        }
    }

    /// Returns a text with a fault; `None` where it does not fit in, or another one concerns the same test.
    fn with_fault(&mut self, fault: &PlantedFault, text: &str) -> Option<String> {
        let is_taken = self.faults.iter().any(|other| other.word() == fault.word());
        fault.plant(text, &mut self.rng).filter(|_| !is_taken)
    }

    fn note_fault(&mut self, mut fault: PlantedFault, how: &str) {
        how.clone_into(&mut fault.how);
        let PlantedFault { number, kind, author, path, .. } = &fault;
        self.show(|| format!("{author:?} writes fault {number} ({kind:?}) into {path}, {how}"));
        self.tally.count("faults", author.as_words());
        self.faults.push(fault);
    }

    /// Adds a function without a fault, or changes a file that has no functions.
    pub fn add_good(&mut self, path: &str) {
        let number = self.number();
        let text = self.text(path);
        let block = match path {
            MENU => format!("dish_{number}: {number}"),
            TESTS => format!("#[test]\nfn good_{number}() {{\n    assert_eq!(shop::good(), {number});\n}}"),
            _ => good_function(number, number),
        };
        let text = super::fault::with_block(&text, &block, &mut self.rng);
        self.hooks.repo().write(path, &text);
        self.show(|| format!("good_{number} into {path}"));
    }

    /// The agents whose open calls may have written a file.
    pub fn open_for(&self, path: &str) -> BTreeSet<usize> {
        let may =
            |agent: &SimulatedAgent| agent.open.iter().any(|call| call.path.as_deref().is_none_or(|only| only == path));
        self.agents.iter().enumerate().filter(|(_, agent)| may(agent)).map(|(at, _)| at).collect()
    }

    /// Sends an event of an agent to the hook, or kills the hook at it.
    pub fn send(&mut self, who: usize, name: &str, fields: Value) -> SimulatedAnswer {
        let is_killed = self.rng.f64() < self.kill_share;
        let after = self.rng.u64(..KILL_MICROS_MAX);
        let mut child = self.start(who, name, fields);
        if is_killed {
            thread::sleep(Duration::from_micros(after));
            // One that has ended has answered.
            if !matches!(child.try_wait(), Ok(Some(_))) && child.kill().is_ok() && child.wait().is_ok() {
                self.show(|| format!("agent {who}: the hook of {name} is killed after {after} µs"));
                self.tally.count("hooks", "killed");
                self.agents[who].killed.push(name.to_owned());
                return SimulatedAnswer::Killed;
            }
        }
        self.answer(who, name, child)
    }

    /// Starts the hook on an event of an agent.
    pub fn start(&self, who: usize, name: &str, fields: Value) -> Child {
        let mut event = self.hooks.event(name, fields);
        event["session_id"] = json!(self.agents[who].session);
        event["transcript_path"] = json!(self.transcript(who));
        self.show(|| format!("agent {who}: {name} {}", event["tool_use_id"].as_str().unwrap_or_default()));
        self.hooks.start(&event)
    }

    /// Waits for the answer of a hook.
    pub fn answer(&mut self, who: usize, name: &str, child: Child) -> SimulatedAnswer {
        self.tally.count("hooks", "answered");
        let answer = match child.wait_with_output() {
            Ok(output) => SimulatedAnswer::of(&output),
            Err(error) => Err(error.to_string()),
        };
        let answer = answer.unwrap_or_else(|fault| {
            self.violated('C', "the answer", format!("{name} of agent {who}: {fault}"));
            SimulatedAnswer::Silent
        });
        let is_unrecorded = |answer: &SimulatedAnswer| matches!(answer, SimulatedAnswer::Notice(notice) if notice.contains("could not record"));
        if is_unrecorded(&answer) && !self.losses.iter().any(|loss| loss.explains("ledger_unavailable")) {
            self.violated('C', "not recorded", format!("{name} of agent {who}: {answer:?}"));
        }
        if answer != SimulatedAnswer::Silent {
            self.show(|| format!("  agent {who} is answered: {answer:?}"));
        }
        answer
    }

    /// Returns where the transcript of an agent lies.
    pub fn transcript(&self, who: usize) -> std::path::PathBuf {
        self.hooks.repo().outside().join(format!("transcript-{who}.jsonl"))
    }

    /// Adds a line to the transcript of an agent, as its harness does.
    pub fn writes(&self, who: usize, line: &Value) {
        use std::io::Write as _;

        let file = fs::OpenOptions::new().create(true).append(true).open(self.transcript(who));
        let written = file.and_then(|mut file| writeln!(file, "{line}"));
        written.expect("a transcript");
    }

    /// Runs git, whatever comes of it; returns whether it succeeded.
    pub fn git(&self, arguments: &[&str]) -> bool {
        let done = self.hooks.repo().try_git(arguments).status.success();
        self.show(|| format!("git {} {}", arguments.join(" "), if done { "" } else { "(failed)" }));
        done
    }

    /// Returns what git prints; empty if it fails.
    pub fn git_reads(&self, arguments: &[&str]) -> String {
        let output = self.hooks.repo().try_git(arguments);
        if output.status.success() { String::from_utf8_lossy(&output.stdout).trim().to_owned() } else { String::new() }
    }
}

impl SimulatedAgent {
    fn new(number: usize) -> Self {
        Self {
            session: format!("agent-{number}"),
            prompts: 0,
            is_asked: false,
            open: Vec::new(),
            settled_at: None,
            losses_before: 0,
            is_start_seen: false,
            killed: Vec::new(),
            tasks: Vec::new(),
            uncommitted: BTreeSet::new(),
        }
    }
}
