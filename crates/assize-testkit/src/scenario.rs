//! Scenarios: one agent at work in one repository, and what the stop court is to make of it.
//!
//! A scenario is a folder. It is laid out as a real git repository, the agent's steps are written as
//! a transcript of Claude Code's shape, and the real executable is called the way the agent calls its
//! hook. What it must not know is any rule: it compares names.
//!
//! # The folder
//!
//! - `scenario.toml`: what happens and what is expected, see [`Scenario`]
//! - `before/`: the files that are committed at the start
//! - `dirty/`: the user's own uncommitted work at the start, if any
//! - `after/`: the files as the agent leaves them. Where a later turn leaves a file differently,
//!   `after-2/`, `after-3/`, … hold it for that turn.
//!
//! A component `dot_x` of a path stands for `.x`, so that a scenario's settings do not act on the
//! repository that the corpus lies in.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::repo::Repo;
use transcript::Transcript;

pub mod pair;
mod transcript;

/// Bytes of a scenario's file that are read.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// One agent at work, and what is to be made of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The name of the folder.
    #[serde(skip)]
    pub name: String,
    /// One sentence: what happens.
    pub about: String,
    /// Whether a careful reviewer would let the agent stop at its last stop.
    pub honest: bool,
    /// Whether it is known that the evidence judge lets this dishonest scenario pass. Such
    /// scenarios are counted as missed, not left out.
    #[serde(default)]
    pub blind: bool,
    /// Why the evidence judge cannot see it.
    pub why_blind: Option<String>,
    /// The language that the work is mostly in.
    pub language: String,
    /// The folder that the agent works in, below the root.
    pub folder: Option<String>,
    /// Whether the agent commits everything before each stop.
    #[serde(default)]
    pub commits: bool,
    /// Files that have Windows line ends.
    #[serde(default)]
    pub crlf: Vec<String>,
    /// Texts that stand for others in the scenario's files. They replace what must not lie around in a
    /// repository as it is, such as the form of a key, a conflict marker or an invisible character.
    #[serde(default)]
    pub substitute: BTreeMap<String, String>,
    /// The prompts and what follows each of them.
    #[serde(rename = "turn")]
    pub turns: Vec<Turn>,
    /// Where the files come from, turn 0 being the start.
    #[serde(skip)]
    files: Vec<BTreeMap<String, Vec<u8>>>,
    /// The user's own uncommitted work.
    #[serde(skip)]
    dirty: BTreeMap<String, Vec<u8>>,
}

/// A prompt, the steps that follow it, and the stop.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// What the user says.
    pub prompt: Option<String>,
    /// Whether the agent continues because it was blocked, without a prompt.
    #[serde(default)]
    pub continues: bool,
    /// What the agent does.
    #[serde(rename = "step")]
    pub steps: Vec<AgentStep>,
    /// Commands that still run in the background at the stop.
    #[serde(default)]
    pub background: Vec<String>,
    /// The final message. Absent where the user interrupts the agent: then there is no stop.
    #[serde(rename = "final")]
    pub final_message: Option<String>,
    /// Whether a careful reviewer would let the agent stop here, where it differs from the whole.
    pub honest: Option<bool>,
    /// What is expected of the stop.
    pub expect: Option<ExpectedStop>,
}

/// One thing that the agent does.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AgentStep {
    /// Reads a file.
    Read(String),
    /// Changes a file that is there.
    Edit(String),
    /// Writes a file whole.
    Write(String),
    /// Deletes a file.
    Delete(String),
    /// Tries to change a file and fails.
    FailedEdit(String),
    /// Runs a command.
    Run(RunStep),
    /// Sets its own list.
    Todo(Vec<ScenarioTodo>),
    /// Says something in between.
    Says(String),
    /// Lets a subagent work.
    Delegate {
        /// What for.
        task: String,
        /// What comes back.
        report: String,
    },
    /// Commits everything with this message.
    Commit(String),
    /// Is interrupted by the user.
    Interrupted(bool),
}

/// A command, its result, and the files that it changes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunStep {
    /// The command line.
    pub command: String,
    /// The exit status.
    #[serde(default)]
    pub status: i32,
    /// What it prints.
    #[serde(default)]
    pub output: String,
    /// Whether it is left running.
    #[serde(default)]
    pub background: bool,
    /// Files that it writes.
    #[serde(default)]
    pub writes: Vec<String>,
    /// Files that it deletes.
    #[serde(default)]
    pub deletes: Vec<String>,
}

/// An item of the agent's own list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioTodo {
    /// What is to be done.
    pub text: String,
    /// `pending`, `in_progress`, `completed` or `deleted`.
    pub state: String,
}

/// What is expected of a stop.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedStop {
    /// The ruling: `accept`, `revise`, or `unjudged` where there is nothing to judge.
    pub outcome: String,
    /// The rules with certain findings, all of them.
    #[serde(default)]
    pub certain: BTreeSet<String>,
    /// Rules with likely findings; there may be others.
    #[serde(default)]
    pub likely: BTreeSet<String>,
    /// Whether the agent is allowed to stop although its work is not accepted.
    #[serde(default)]
    pub released: bool,
}

impl Scenario {
    /// Loads a scenario and checks that it makes sense.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub fn load(folder: &Path) -> Result<Self, String> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self::load_named(folder, &name).map_err(|error| format!("{name}: {error}"))
    }

    fn load_named(folder: &Path, name: &str) -> Result<Self, String> {
        let text = String::from_utf8(read(&folder.join("scenario.toml"))?).map_err(|error| error.to_string())?;
        let mut scenario: Self = toml::from_str(&text).map_err(|error| format!("scenario.toml: {error}"))?;
        name.clone_into(&mut scenario.name);
        for entry in fs::read_dir(folder).map_err(|error| error.to_string())? {
            let entry = entry.map_err(|error| error.to_string())?.file_name().to_string_lossy().into_owned();
            let turn = entry.strip_prefix("after-").and_then(|number| number.parse::<usize>().ok());
            let known = matches!(entry.as_str(), "scenario.toml" | "before" | "dirty" | "after");
            if !known && !turn.is_some_and(|turn| (2..=scenario.turns.len()).contains(&turn)) {
                return Err(format!("`{entry}` is no part of a scenario of {} turns", scenario.turns.len()));
            }
        }
        scenario.files = vec![scenario.folder_files(&folder.join("before"))?];
        for turn in 1..=scenario.turns.len() {
            let after = if turn == 1 { "after".to_owned() } else { format!("after-{turn}") };
            let files = scenario.folder_files(&folder.join(after))?;
            scenario.files.push(files);
        }
        scenario.dirty = scenario.folder_files(&folder.join("dirty"))?;
        for turn in &mut scenario.turns {
            turn.substitute(&scenario.substitute);
        }
        scenario.check_itself()?;
        Ok(scenario)
    }

    /// Reads the files below a folder, by the path that they get.
    fn folder_files(&self, folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let mut files = BTreeMap::new();
        let mut folders = if folder.exists() { vec![folder.to_owned()] } else { Vec::new() };
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(&next).map_err(|error| format!("{}: {error}", next.display()))? {
                let path = entry.map_err(|error| error.to_string())?.path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let inside = path.strip_prefix(folder).expect("below the folder");
                let name = laid_out_name(inside);
                let contents = self.contents(&name, read(&path)?);
                files.insert(name, contents);
            }
        }
        Ok(files)
    }

    fn contents(&self, name: &str, bytes: Vec<u8>) -> Vec<u8> {
        let Ok(mut text) = String::from_utf8(bytes.clone()) else { return bytes };
        substitute(&mut text, &self.substitute);
        if self.crlf.iter().any(|path| path == name) {
            text = text.replace('\n', "\r\n");
        }
        text.into_bytes()
    }

    /// Returns the contents that a file gets in a turn, counted from 1.
    fn after(&self, turn: usize, path: &str) -> Option<&[u8]> {
        self.files[1..=turn].iter().rev().find_map(|files| files.get(path)).map(Vec::as_slice)
    }

    fn check_itself(&self) -> Result<(), String> {
        if !self.about.ends_with('.') {
            return Err("`about` is no sentence".to_owned());
        }
        if self.blind != self.why_blind.is_some() || self.blind && self.honest {
            return Err("`blind` is for dishonest scenarios and goes with `why_blind`".to_owned());
        }
        if self.turns.first().is_none_or(|turn| turn.continues) {
            return Err("the first turn needs a prompt".to_owned());
        }
        let last = self.turns.iter().rev().find_map(|turn| turn.expect.as_ref()).ok_or("no turn ends in a stop")?;
        let caught = self.turns.iter().filter_map(|turn| turn.expect.as_ref()).any(|expect| expect.outcome == "revise");
        if self.honest && last.outcome == "revise" {
            return Err("an honest scenario must not end in `revise`".to_owned());
        }
        if !self.honest && caught == self.blind {
            return Err("a dishonest scenario is either found out or `blind`".to_owned());
        }
        for (index, turn) in self.turns.iter().enumerate() {
            turn.check_itself().map_err(|error| format!("turn {}: {error}", index + 1))?;
        }
        self.check_steps()
    }

    /// Checks that the steps fit the files.
    fn check_steps(&self) -> Result<(), String> {
        let mut there: BTreeSet<&str> = self.files[0].keys().chain(self.dirty.keys()).map(String::as_str).collect();
        let mut used = BTreeSet::new();
        for (index, turn) in self.turns.iter().enumerate() {
            let number = index + 1;
            for step in &turn.steps {
                self.check_step(step, number, &mut there, &mut used)
                    .map_err(|error| format!("turn {number}: {error}"))?;
            }
        }
        for (turn, files) in self.files.iter().enumerate().skip(1) {
            if let Some(path) = files.keys().find(|path| !used.contains(&(turn, path.as_str()))) {
                return Err(format!("no step writes `{path}` of turn {turn}"));
            }
        }
        Ok(())
    }

    fn check_step<'a>(
        &'a self,
        step: &'a AgentStep,
        turn: usize,
        there: &mut BTreeSet<&'a str>,
        used: &mut BTreeSet<(usize, &'a str)>,
    ) -> Result<(), String> {
        let present = |there: &BTreeSet<&str>, path: &str| {
            if there.contains(path) { Ok(()) } else { Err(format!("`{path}` is not there yet")) }
        };
        let mut write = |there: &mut BTreeSet<&'a str>, path: &'a str| {
            let source = (1..=turn).rev().find(|turn| self.files[*turn].contains_key(path));
            used.insert((source.ok_or(format!("no folder has `{path}` after this"))?, path));
            there.insert(path);
            Ok(())
        };
        match step {
            AgentStep::Read(path) | AgentStep::FailedEdit(path) => present(there, path),
            AgentStep::Edit(path) => present(there, path).and_then(|()| write(there, path)),
            AgentStep::Write(path) => write(there, path),
            AgentStep::Delete(path) => {
                present(there, path)?;
                there.remove(path.as_str());
                Ok(())
            }
            AgentStep::Run(run) => {
                for path in &run.deletes {
                    present(there, path)?;
                    there.remove(path.as_str());
                }
                run.writes.iter().try_for_each(|path| write(there, path))
            }
            _ => Ok(()),
        }
    }

    /// Plays the scenario with an executable of Assize.
    ///
    /// # Panics
    ///
    /// Panics when the world around the scenario cannot be made or the executable does not start.
    pub fn run(&self, executable: &Path) -> ScenarioRun {
        let mut fixture = FixtureRepository::new(self, executable);
        fixture.event("SessionStart", json!({"source": "startup", "model": transcript::MODEL}));
        let mut stops = Vec::new();
        let mut sent_back = false;
        for (index, turn) in self.turns.iter().enumerate() {
            fixture.play(index + 1, turn);
            if let Some(message) = &turn.final_message {
                let reply = fixture.stop(message, sent_back, &turn.background);
                sent_back = reply.reason.is_some();
                if let Some(reason) = &reply.reason {
                    fixture.transcript.feedback(reason);
                }
                stops.push((index, reply));
            }
        }
        fixture.finish(stops)
    }
}

impl Turn {
    fn substitute(&mut self, table: &BTreeMap<String, String>) {
        let texts = self.prompt.iter_mut().chain(&mut self.final_message);
        texts.for_each(|text| substitute(text, table));
        for step in &mut self.steps {
            match step {
                AgentStep::Run(run) => {
                    [&mut run.command, &mut run.output].into_iter().for_each(|text| substitute(text, table));
                }
                AgentStep::Says(text) | AgentStep::Commit(text) => substitute(text, table),
                _ => {}
            }
        }
    }

    fn check_itself(&self) -> Result<(), String> {
        let interrupted = matches!(self.steps.last(), Some(AgentStep::Interrupted(_)));
        if self.continues == self.prompt.is_some() {
            return Err("a turn has either a prompt or `continues`".to_owned());
        }
        if interrupted == self.expect.is_some() || interrupted == self.final_message.is_some() {
            return Err("a turn ends in a final message with expectations, or in an interruption".to_owned());
        }
        let Some(expect) = &self.expect else { return Ok(()) };
        let blocks = expect.outcome == "revise";
        if !matches!(expect.outcome.as_str(), "accept" | "revise" | "unjudged") {
            return Err(format!("`{}` is no outcome", expect.outcome));
        }
        if blocks == expect.certain.is_empty() || expect.released && !blocks {
            return Err("`certain` names the rules of a `revise`, and of nothing else".to_owned());
        }
        for step in &self.steps {
            if let AgentStep::Todo(items) = step
                && let Some(item) = items.iter().find(|item| !transcript::TODO_STATES.contains(&item.state.as_str()))
            {
                return Err(format!("`{}` is no state of an item", item.state));
            }
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if fs::metadata(path).map_err(failed)?.len() > FILE_BYTES_MAX {
        return Err(format!("{} has more than {FILE_BYTES_MAX} bytes", path.display()));
    }
    fs::read(path).map_err(failed)
}

fn laid_out_name(inside: &Path) -> String {
    let component = |part: std::path::Component<'_>| {
        let part = part.as_os_str().to_string_lossy().into_owned();
        part.strip_prefix("dot_").map_or(part.clone(), |rest| format!(".{rest}"))
    };
    inside.components().map(component).collect::<Vec<_>>().join("/")
}

fn substitute(text: &mut String, table: &BTreeMap<String, String>) {
    for (mark, meaning) in table {
        if text.contains(mark) {
            *text = text.replace(mark, meaning);
        }
    }
}

/// A repository with an agent and the executable in it.
struct FixtureRepository<'a> {
    scenario: &'a Scenario,
    executable: PathBuf,
    repo: Repo,
    home: PathBuf,
    transcript: Transcript,
    prompts: usize,
}

/// What a stop was answered.
#[derive(Debug, Clone, Default)]
struct HookAnswer {
    reason: Option<String>,
    notice: Option<String>,
    trouble: Option<String>,
}

const SESSION: &str = "5c0ffee0-0000-4000-8000-000000000001";

impl<'a> FixtureRepository<'a> {
    fn new(scenario: &'a Scenario, executable: &Path) -> Self {
        let repo = Repo::empty();
        for (path, contents) in &scenario.files[0] {
            lay(&repo.path().join(path), contents);
        }
        repo.commit("Before");
        for (path, contents) in &scenario.dirty {
            lay(&repo.path().join(path), contents);
        }
        let home = repo.outside().join("home");
        let cwd = repo.path().join(scenario.folder.as_deref().unwrap_or("."));
        fs::create_dir_all(&cwd).expect("a folder");
        let path = home.join(".claude/projects/-work-tree").join(format!("{SESSION}.jsonl"));
        fs::create_dir_all(path.parent().expect("has a parent")).expect("a folder");
        let cwd = cwd.canonicalize().expect("exists");
        let transcript = Transcript::create(&path, SESSION, &cwd);
        Self { scenario, executable: executable.to_owned(), repo, home, transcript, prompts: 0 }
    }

    fn play(&mut self, number: usize, turn: &Turn) {
        if let Some(prompt) = &turn.prompt {
            self.prompts += 1;
            self.event("UserPromptSubmit", json!({"prompt": prompt}));
            let id = self.prompt_id();
            self.transcript.prompt(prompt, &id);
        }
        for step in &turn.steps {
            self.step(number, step);
        }
        if self.scenario.commits && turn.final_message.is_some() {
            self.commit("Work of the agent");
        }
        if let Some(message) = &turn.final_message {
            self.transcript.says(message, true);
        }
    }

    fn step(&mut self, turn: usize, step: &AgentStep) {
        match step {
            AgentStep::Read(path) => {
                let text = fs::read_to_string(self.place(path)).unwrap_or_default();
                let place = self.place(path);
                self.transcript.read(&place, &text);
            }
            AgentStep::Edit(path) => {
                let old = fs::read_to_string(self.place(path)).unwrap_or_default();
                self.overlay(turn, path);
                let new = fs::read_to_string(self.place(path)).unwrap_or_default();
                let place = self.place(path);
                self.transcript.edit(&place, &old, &new);
            }
            AgentStep::Write(path) => {
                self.overlay(turn, path);
                let text = fs::read_to_string(self.place(path)).unwrap_or_default();
                let place = self.place(path);
                self.transcript.write(&place, &text);
            }
            AgentStep::Delete(path) => {
                self.repo.remove(path);
                self.transcript.run(&format!("rm {path}"), 0, "", false);
            }
            AgentStep::FailedEdit(path) => {
                let place = self.place(path);
                self.transcript.failed_edit(&place);
            }
            AgentStep::Run(run) => {
                run.deletes.iter().for_each(|path| self.repo.remove(path));
                run.writes.iter().for_each(|path| self.overlay(turn, path));
                self.transcript.run(&run.command, run.status, &run.output, run.background);
            }
            AgentStep::Todo(items) => self.transcript.todo(items),
            AgentStep::Says(text) => self.transcript.says(text, false),
            AgentStep::Delegate { task, report } => self.transcript.delegate(task, report),
            AgentStep::Commit(message) => self.commit(message),
            AgentStep::Interrupted(_) => self.transcript.interrupted(),
        }
    }

    fn place(&self, path: &str) -> PathBuf {
        self.repo.path().join(path)
    }

    fn overlay(&self, turn: usize, path: &str) {
        let contents = self.scenario.after(turn, path).expect("checked when the scenario was loaded");
        lay(&self.place(path), contents);
    }

    fn commit(&mut self, message: &str) {
        self.repo.commit(message);
        let title = message.lines().next().unwrap_or_default();
        let output = format!("[main {}] {title}", &self.repo.head()[..7]);
        let command = format!("git add --all && git commit -m \"$(cat <<'EOF'\n{message}\nEOF\n)\"");
        self.transcript.run(&command, 0, &output, false);
    }

    fn prompt_id(&self) -> String {
        format!("9a0b0000-0000-4000-8000-{:012}", self.prompts)
    }

    fn stop(&mut self, message: &str, sent_back: bool, background: &[String]) -> HookAnswer {
        let tasks: Vec<Value> = background
            .iter()
            .enumerate()
            .map(|(index, command)| {
                json!({"id": format!("bash_{}", index + 1), "type": "shell", "status": "running", "description": command, "command": command})
            })
            .collect();
        self.event(
            "Stop",
            json!({
                "stop_hook_active": sent_back,
                "last_assistant_message": message,
                "background_tasks": tasks,
                "session_crons": [],
            }),
        )
    }

    /// Calls the hook, as the agent does.
    fn event(&self, name: &str, fields: Value) -> HookAnswer {
        let mut event = json!({
            "session_id": SESSION,
            "transcript_path": self.transcript.path(),
            "cwd": self.transcript.cwd(),
            "hook_event_name": name,
        });
        let object = event.as_object_mut().expect("an object");
        if self.prompts > 0 {
            object.insert("prompt_id".to_owned(), json!(self.prompt_id()));
            object.insert("permission_mode".to_owned(), json!("acceptEdits"));
            object.insert("effort".to_owned(), json!({"level": "high"}));
        }
        let Value::Object(fields) = fields else { unreachable!("fields are an object") };
        object.extend(fields);
        let output = self.call(&["hook", "claude-code"], event.to_string().as_bytes());
        read_reply(&output)
    }

    fn call(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut child = Command::new(&self.executable)
            .args(arguments)
            .current_dir(self.transcript.cwd())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(crate::change::default_homes())
            .env("HOME", &self.home)
            .env("XDG_CONFIG_HOME", self.home.join(".config"))
            .env("XDG_CACHE_HOME", self.home.join(".cache"))
            .env("XDG_DATA_HOME", self.home.join(".local/share"))
            .env("XDG_STATE_HOME", self.home.join(".local/state"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the executable starts");
        child.stdin.take().expect("piped").write_all(input).expect("the executable reads");
        child.wait_with_output().expect("the executable ends")
    }

    fn finish(self, stops: Vec<(usize, HookAnswer)>) -> ScenarioRun {
        let export = self.call(&["ledger", "export", "--format", "json"], b"");
        let text = String::from_utf8_lossy(&export.stdout);
        let records: Vec<Value> = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter(|line| line["kind"] == "stop_ruled")
            .map(|mut line| line["payload"].take())
            .collect();
        let trouble = (records.len() != stops.len()).then(|| {
            let said = String::from_utf8_lossy(&export.stderr).into_owned();
            format!("{} stops, {} rulings in the ledger; {said}", stops.len(), records.len())
        });
        let stops = stops
            .into_iter()
            .zip(records)
            .map(|((turn, reply), record)| ScenarioStop::new(turn, reply, &record))
            .collect();
        ScenarioRun { stops, trouble }
    }
}

fn lay(path: &Path, contents: &[u8]) {
    fs::create_dir_all(path.parent().expect("has a parent")).expect("a folder");
    fs::write(path, contents).expect("written");
}

fn read_reply(output: &Output) -> HookAnswer {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let object: Option<Value> = serde_json::from_str(&stdout).ok();
    let text = |field: &str| object.as_ref().and_then(|object| object[field].as_str()).map(str::to_owned);
    let silent = stdout.trim().is_empty();
    let sound = output.status.success() && stderr.trim().is_empty() && (silent || object.is_some());
    HookAnswer {
        reason: text("reason").filter(|_| text("decision").as_deref() == Some("block")),
        notice: text("systemMessage"),
        trouble: (!sound).then(|| format!("{}: {stdout}{stderr}", output.status)),
    }
}

/// What a stop came to.
#[derive(Debug, Clone)]
pub struct ScenarioStop {
    /// The turn that it ends, counted from 0.
    pub turn: usize,
    /// What the agent was told when it was blocked.
    pub blocked: Option<String>,
    /// What the person at the terminal was told.
    pub notice: Option<String>,
    /// The ruling.
    pub outcome: String,
    /// The findings.
    pub findings: Vec<RecordedFinding>,
    trouble: Option<String>,
}

/// A finding as the ledger has it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RecordedFinding {
    /// The rule.
    pub rule: String,
    /// How sure it is: `certain` or `likely`.
    pub certainty: String,
    /// The file.
    pub path: Option<String>,
    /// The line.
    pub line: Option<u32>,
    /// What is the case.
    pub message: String,
}

impl ScenarioStop {
    fn new(turn: usize, reply: HookAnswer, record: &Value) -> Self {
        let findings = Vec::<RecordedFinding>::deserialize(&record["inputs"]["findings"]);
        // A court that could not look has found nothing, which must not pass for there being nothing.
        let blind = [&record["inputs"]["rules_not_run"], &record["inputs"]["evidence"]["missing"]]
            .into_iter()
            .find(|list| list.as_array().is_some_and(|list| !list.is_empty()))
            .map(|list| format!("the court could not look at everything: {list}"));
        let unread = findings.as_ref().err().map(|error| format!("the ledger's findings cannot be read: {error}"));
        Self {
            turn,
            blocked: reply.reason,
            notice: reply.notice,
            outcome: record["decision"]["ruling"]["outcome"].as_str().unwrap_or_default().to_owned(),
            findings: findings.unwrap_or_default(),
            trouble: reply.trouble.or(unread).or(blind),
        }
    }

    /// Returns the rules that have findings of a certainty.
    pub fn rules(&self, certainty: &str) -> BTreeSet<String> {
        self.findings
            .iter()
            .filter(|finding| finding.certainty == certainty)
            .map(|finding| finding.rule.clone())
            .collect()
    }

    fn check(&self, expect: &ExpectedStop) -> Vec<String> {
        let mut wrong = Vec::new();
        wrong.extend(self.trouble.clone());
        if self.outcome != expect.outcome {
            wrong.push(format!("the outcome is `{}`, not `{}`", self.outcome, expect.outcome));
        }
        let certain = self.rules("certain");
        if certain != expect.certain {
            wrong.push(format!("certain are {certain:?}, not {:?}", expect.certain));
        }
        let missing: Vec<_> = expect.likely.difference(&self.rules("likely")).cloned().collect();
        if !missing.is_empty() {
            wrong.push(format!("not likely are {missing:?}"));
        }
        let to_block = expect.outcome == "revise" && !expect.released;
        if self.blocked.is_some() != to_block {
            wrong.push(format!("the agent was {}", if to_block { "let go" } else { "sent back" }));
        }
        if to_block && !self.blocked.as_ref().is_some_and(|reason| self.names_first_finding(reason)) {
            wrong.push("the agent is not told what was found".to_owned());
        }
        wrong
    }

    fn names_first_finding(&self, reason: &str) -> bool {
        let certain = self.findings.iter().find(|finding| finding.certainty == "certain");
        certain.is_none_or(|finding| {
            let beginning: String = finding.message.replace('\n', " ").chars().take(40).collect();
            reason.contains(&beginning)
        })
    }
}

/// What a scenario came to.
#[derive(Debug, Clone)]
pub struct ScenarioRun {
    /// The stops, in order.
    pub stops: Vec<ScenarioStop>,
    trouble: Option<String>,
}

impl ScenarioRun {
    /// Compares what happened with what was expected.
    ///
    /// # Errors
    ///
    /// Lists every difference, with the findings.
    pub fn check(&self, scenario: &Scenario) -> Result<(), String> {
        let mut report = String::new();
        if let Some(trouble) = &self.trouble {
            let _ = writeln!(report, "  {trouble}");
        }
        for stop in &self.stops {
            let Some(expect) = &scenario.turns[stop.turn].expect else { continue };
            let wrong = stop.check(expect);
            if wrong.is_empty() {
                continue;
            }
            for line in wrong {
                let _ = writeln!(report, "  turn {}: {line}", stop.turn + 1);
            }
            for finding in &stop.findings {
                let place = finding.path.as_deref().unwrap_or("-");
                let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
                let _ =
                    writeln!(report, "    {} {} {place}{line} {}", finding.certainty, finding.rule, finding.message);
            }
        }
        if report.is_empty() { Ok(()) } else { Err(format!("{}: {}\n{report}", scenario.name, scenario.about)) }
    }

    /// Returns whether the agent was blocked at least once.
    pub fn was_sent_back(&self) -> bool {
        self.stops.iter().any(|stop| stop.blocked.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "about = \"A file is changed.\"\nhonest = true\nlanguage = \"text\"\n";
    const TURN: &str = "[[turn]]\nprompt = \"Change it\"\nstep = [{ edit = \"a.txt\" }]\nfinal = \"Changed.\"\nexpect = { outcome = \"accept\" }\n";

    fn load(head: &str, turns: &str, files: &[(&str, &str)]) -> Result<Scenario, String> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        lay(&folder.path().join("scenario.toml"), format!("{head}{turns}").as_bytes());
        for (path, contents) in files {
            lay(&folder.path().join(path), contents.as_bytes());
        }
        Scenario::load(folder.path())
    }

    #[test]
    fn files_are_laid_out_by_turn_with_their_marks_replaced() {
        let head = format!("{HEAD}crlf = [\"a.txt\"]\n[substitute]\n\"@X@\" = \"\\u200B\"\n");
        let twice = format!("{TURN}{TURN}");
        let files = [("before/a.txt", "1\n"), ("after/a.txt", "@X@\n"), ("after-2/a.txt", "3\n")];
        let scenario = load(&head, &twice, &files).expect("sound");
        assert_eq!(scenario.after(1, "a.txt"), Some("\u{200b}\r\n".as_bytes()));
        assert_eq!(scenario.after(2, "a.txt"), Some("3\r\n".as_bytes()));
        assert_eq!(laid_out_name(Path::new("dot_github/dot_x/y")), ".github/.x/y");
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let files = [("before/a.txt", "1\n"), ("after/a.txt", "2\n")];
        assert!(load(HEAD, TURN, &files).is_ok());
        let turn = |from: &str, to: &str| TURN.replace(from, to);
        let dishonest = HEAD.replace("true", "false");
        for (head, turns, files, what) in [
            (HEAD, TURN, &files[..1], "no folder has `a.txt`"),
            (HEAD, TURN, &files[1..], "`a.txt` is not there yet"),
            (HEAD, TURN, &[files[0], files[1], ("after/b.txt", "")][..], "no step writes `b.txt`"),
            (HEAD, TURN, &[files[0], files[1], ("after-2/a.txt", "")][..], "`after-2` is no part"),
            (HEAD, &turn("final = \"Changed.\"", ""), &files, "a turn ends in"),
            (HEAD, &turn("prompt = \"Change it\"", "continues = true"), &files, "needs a prompt"),
            (HEAD, &turn("edit", "edits"), &files, "unknown variant `edits`"),
            (HEAD, &turn("accept", "pass"), &files, "`pass` is no outcome"),
            (HEAD, &turn("\"accept\"", "\"revise\""), &files, "must not end in `revise`"),
            (&dishonest, TURN, &files, "found out or `blind`"),
            (&format!("{dishonest}blind = true\n"), TURN, &files, "goes with `why_blind`"),
            (&HEAD.replace("changed.", "changed"), TURN, &files, "no sentence"),
        ] {
            let error = load(head, turns, files).expect_err(what);
            assert!(error.contains(what), "{error}");
        }
    }
}
