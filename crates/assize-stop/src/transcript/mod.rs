//! Facts from an agent's transcript, whatever the agent.
//!
//! Each agent's format is one file here and turns lines into steps; [`FactsBuilder`] keeps what
//! courts ask for and forgets the rest, so that memory does not grow with the transcript. Formats
//! must not judge, and rules must not know formats.

pub mod check_output;
pub mod claude_code;
pub mod codex;
pub mod command;
pub mod copilot;
pub mod cursor;
pub mod fault_output;
pub mod gemini;
mod run;
pub mod test_output;

pub use run::last_test_run;

use std::collections::{HashMap, VecDeque};

use assize_core::text::{Untrusted, head, tail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use assize_ecosystem::command::CommandRole;
use command::masks_status;

use crate::directive::overrules;
use test_output::{TestTally, tally};

/// Commands that are kept, the latest ones.
pub const COMMANDS_MAX: usize = 200;
/// Edits that are kept, the latest ones.
pub const EDITS_MAX: usize = 1_000;
/// Bytes of a command that are kept.
pub const COMMAND_BYTES_MAX: usize = 2_000;
/// Bytes of a command's output that are kept, from its end.
pub const OUTPUT_BYTES_MAX: usize = 2_000;
/// Items of the agent's own list that are kept.
pub const TODOS_MAX: usize = 100;
/// Tool calls that may wait for their result at one time.
pub const PENDING_CALLS_MAX: usize = 1_000;
/// Prompts that are kept, the latest ones.
pub const PROMPTS_MAX: usize = 50;
/// Bytes of a prompt that are kept.
pub const PROMPT_BYTES_MAX: usize = 8 * 1024;
/// Bytes of the last message that are kept.
pub const MESSAGE_BYTES_MAX: usize = 64 * 1024;

/// Stops of one session that are kept, where they are asked for; the first ones.
pub const STOPS_MAX: usize = 10_000;

/// How a command ended, as far as the transcript tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CommandState {
    /// It said that it succeeded.
    Succeeded,
    /// It said that it failed.
    Failed,
    /// Its result is hidden (`|| true`, a pipe) or was not recorded.
    Unknown,
    /// It was still running.
    Running,
}

/// One command that the agent ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandRun {
    /// When it was started, in steps of the session.
    pub step: u64,
    /// The command line.
    pub command: Untrusted<String>,
    /// What the command is for.
    pub role: CommandRole,
    /// How it ended.
    pub state: CommandState,
    /// What its output says of tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestTally>,
    /// The end of its output.
    pub output: Untrusted<String>,
}

/// What a run of tests showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestResult {
    /// Tests ran and none failed.
    Passed,
    /// At least one failed, or the runner did.
    Failed,
    /// The runner ended without running a test.
    NoneRan,
    /// The transcript does not tell.
    Unknown,
}

impl CommandRun {
    /// Returns what the run showed, if it was a run of tests.
    pub fn test_result(&self) -> Option<TestResult> {
        if self.role != CommandRole::Test && self.tests.is_none() {
            return None;
        }
        Some(match (&self.tests, self.state) {
            (Some(tally), _) if tally.failed > 0 => TestResult::Failed,
            (_, CommandState::Failed) => TestResult::Failed,
            (Some(tally), _) if tally.passed == 0 => TestResult::NoneRan,
            (Some(_), _) => TestResult::Passed,
            (None, CommandState::Succeeded) => TestResult::Passed,
            (None, _) => TestResult::Unknown,
        })
    }
}

/// One change of a file by a tool of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileEdit {
    /// When it was made, in steps of the session.
    pub step: u64,
    /// The path, as the agent wrote it.
    pub path: String,
}

/// How far an item of the agent's own list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TodoState {
    /// Not begun.
    Pending,
    /// Begun.
    InProgress,
    /// Done, or taken off the list.
    Closed,
}

/// An item of the agent's own list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TodoItem {
    /// The id, where the agent's list has ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What is to be done.
    pub text: Untrusted<String>,
    /// How far it is.
    pub state: TodoState,
}

/// What a session's transcript tells.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TranscriptFacts {
    /// Commands, oldest first.
    pub commands: Vec<CommandRun>,
    /// Edits, oldest first.
    pub edits: Vec<FileEdit>,
    /// The agent's own list in its last state.
    pub todos: Vec<TodoItem>,
    /// Tool calls that ended in an error.
    pub tool_errors: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// When the last prompt of a user came, in steps of the session.
    pub last_prompt_step: u64,
    /// When the agent last touched its own list, in steps of the session.
    #[serde(default)]
    pub todos_step: u64,
    /// When a tool was last called whose doings the transcript does not show, in steps of the
    /// session: a subagent, a tool of another server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegation_step: Option<u64>,
    /// What the user said, oldest first.
    #[serde(default)]
    pub prompts: Vec<Untrusted<String>>,
    /// Whether the last thing that happened is that the user interrupted the agent.
    pub interrupted: bool,
    /// The agent's last message in the transcript, which can lag behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_message: Option<Untrusted<String>>,
    /// What was left out, and why.
    #[serde(default)]
    pub limits: Vec<String>,
}

impl TranscriptFacts {
    /// Returns whether the prompts that let the state pass are here, as many as came in. A program can send a prompt to the hook
    /// that no one typed. Of a longer session the last prompts are here alone, which says nothing of the others.
    pub fn bears_out_overrules(&self, came_in: usize) -> bool {
        let here = self.prompts.iter().filter(|prompt| overrules(prompt.inspect())).count();
        came_in <= here || self.prompts.len() >= PROMPTS_MAX
    }

    /// Returns the step of the last edit of a file that counts for `wanted`.
    pub fn last_edit(&self, wanted: impl Fn(&str) -> bool) -> Option<u64> {
        self.edits.iter().rev().find(|edit| wanted(&edit.path)).map(|edit| edit.step)
    }

    /// Returns the step of the first edit of a file that counts for `wanted`.
    pub fn first_edit(&self, wanted: impl Fn(&str) -> bool) -> Option<u64> {
        self.edits.iter().find(|edit| wanted(&edit.path)).map(|edit| edit.step)
    }

    /// Walks over the runs of tests, oldest first.
    pub fn test_runs(&self) -> impl DoubleEndedIterator<Item = (&CommandRun, TestResult)> {
        self.commands.iter().filter_map(|run| run.test_result().map(|result| (run, result)))
    }

    /// Walks over the commands that were started after a step, oldest first.
    pub fn commands_after(&self, step: u64) -> impl DoubleEndedIterator<Item = &CommandRun> {
        self.commands.iter().filter(move |run| run.step > step)
    }

    /// Walks over the items of the agent's own list that are not closed.
    pub fn open_todos(&self) -> impl Iterator<Item = &TodoItem> {
        self.todos.iter().filter(|item| item.state != TodoState::Closed)
    }
}

/// What a tool call does, as far as courts care.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolCall {
    /// Runs a command line.
    Command {
        /// The command line.
        command: String,
        /// Whether the agent continues without waiting for it.
        background: bool,
    },
    /// Changes files.
    Edit {
        /// The paths, as the agent wrote them.
        paths: Vec<String>,
    },
    /// Replaces the agent's own list.
    Todos(Vec<TodoItem>),
    /// Adds one item to the agent's own list.
    TodoAdded(TodoItem),
    /// Changes one item of the agent's own list.
    TodoMoved {
        /// The item's id.
        id: String,
        /// Its new state.
        state: TodoState,
    },
    /// Hands work to somebody whose doings the transcript does not show: a subagent, a tool of
    /// another server.
    Delegation,
    /// Anything else.
    Other,
}

/// How a tool call ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolResult {
    /// Whether the harness calls it an error.
    pub is_error: bool,
    /// The command's exit status, where the transcript has one.
    pub exit_status: Option<i64>,
    /// What the tool printed.
    pub output: String,
}

/// A place in a session at which the agent said something and waited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopMark {
    /// When, in steps of the session.
    pub step: u64,
    /// The line of the transcript that holds the message, counted from 1; 0 where the transcript has no lines.
    pub line: u64,
    /// What the agent said.
    pub message: Untrusted<String>,
    /// When a tool had last been called whose doings the transcript does not show.
    pub delegation_step: Option<u64>,
}

/// Turns the steps of a session into facts, with bounded memory.
#[derive(Debug, Clone, Default)]
pub struct FactsBuilder {
    facts: TranscriptFacts,
    step: u64,
    /// The line that is being read, counted from 1.
    line: u64,
    /// The places at which the agent stopped, where they are asked for; the last one may still move.
    stops: Option<Vec<StopMark>>,
    /// Whether the agent said something since the last prompt.
    has_answered: bool,
    /// Whether the agent called a tool since it last said something.
    has_called: bool,
    /// When the agent last said something.
    message_step: u64,
    commands: VecDeque<CommandRun>,
    edits: VecDeque<FileEdit>,
    commands_dropped: u64,
    edits_dropped: u64,
    /// Calls that wait for their result.
    pending: HashMap<String, Pending>,
}

#[derive(Debug, Clone)]
enum Pending {
    Command { step: u64 },
    Edit { paths: Vec<String> },
    TodoAdded(TodoItem),
    Other,
}

impl FactsBuilder {
    /// Makes a builder that keeps every stop of a session, and many times more commands and edits than a court asks for.
    pub fn of_all_stops() -> Self {
        Self { stops: Some(Vec::new()), ..Self::default() }
    }

    /// Returns how many commands and edits are kept.
    fn limits(&self) -> (usize, usize) {
        if self.stops.is_some() { (COMMANDS_MAX * 100, EDITS_MAX * 20) } else { (COMMANDS_MAX, EDITS_MAX) }
    }

    /// Notes that the next line of the transcript is read.
    pub fn next_line(&mut self) {
        self.line += 1;
    }

    /// Returns the stops with what the whole session shows.
    pub fn finish_with_stops(mut self) -> (TranscriptFacts, Vec<StopMark>) {
        self.drop_unfinished();
        let stops = self.stops.take().unwrap_or_default();
        (self.finish(), stops)
    }

    /// Drops the last stop if the agent went on after its words: it was interrupted, or the user spoke in the midst of it.
    fn drop_unfinished(&mut self) {
        if self.has_answered && self.has_called {
            self.stops.as_mut().map(Vec::pop);
        }
        self.has_answered = false;
    }

    /// Notes what the user said.
    pub fn prompt(&mut self, words: &str) {
        self.step += 1;
        self.drop_unfinished();
        if self.facts.prompts.len() == PROMPTS_MAX {
            self.facts.prompts.remove(0);
        }
        self.facts.prompts.push(Untrusted::new(head(words, PROMPT_BYTES_MAX)));
        self.facts.last_prompt_step = self.step;
        self.facts.interrupted = false;
    }

    /// Notes that the user stopped the agent.
    pub fn interrupted(&mut self) {
        self.step += 1;
        self.facts.interrupted = true;
    }

    /// Notes what the agent said.
    pub fn message(&mut self, text: &str) {
        self.step += 1;
        self.facts.interrupted = false;
        if !text.trim().is_empty() {
            self.message_step = self.step;
            let message = Untrusted::new(head(text, MESSAGE_BYTES_MAX));
            if let Some(stops) = &mut self.stops {
                let stop = StopMark {
                    step: self.step,
                    line: self.line,
                    message: message.clone(),
                    delegation_step: self.facts.delegation_step,
                };
                // What it said in between was no stop.
                if self.has_answered {
                    stops.pop();
                }
                if stops.len() < STOPS_MAX {
                    stops.push(stop);
                }
            }
            self.has_answered = true;
            self.has_called = false;
            self.facts.last_message = Some(message);
        }
    }

    /// Returns whether the last thing that happened is that the agent said this, or the end of it.
    pub fn ends_with(&self, message: &str) -> bool {
        let last = self.facts.last_message.as_ref().map_or("", |last| last.inspect().trim());
        let message = head(message.trim(), MESSAGE_BYTES_MAX);
        self.message_step == self.step
            && !last.is_empty()
            && (message.ends_with(last) || last.ends_with(message.trim()))
    }

    /// Notes that something was left out.
    pub fn limit(&mut self, what: impl Into<String>) {
        let what = what.into();
        if self.facts.limits.len() < 20 && !self.facts.limits.contains(&what) {
            self.facts.limits.push(what);
        }
    }

    /// Notes a tool call.
    pub fn call(&mut self, id: &str, call: ToolCall) {
        self.step += 1;
        self.facts.tool_calls += 1;
        self.facts.interrupted = false;
        self.has_called = true;
        if matches!(call, ToolCall::Todos(_) | ToolCall::TodoAdded(_) | ToolCall::TodoMoved { .. }) {
            self.facts.todos_step = self.step;
        }
        let pending = match call {
            ToolCall::Delegation => {
                self.facts.delegation_step = Some(self.step);
                Pending::Other
            }
            ToolCall::Command { command, background } => {
                self.start_command(&command, background);
                Pending::Command { step: self.step }
            }
            ToolCall::Edit { paths } => Pending::Edit { paths },
            ToolCall::Todos(mut items) => {
                items.truncate(TODOS_MAX);
                self.facts.todos = items;
                Pending::Other
            }
            ToolCall::TodoAdded(item) => Pending::TodoAdded(item),
            ToolCall::TodoMoved { id, state } => {
                if let Some(item) = self.facts.todos.iter_mut().find(|item| item.id.as_deref() == Some(&id)) {
                    item.state = state;
                }
                Pending::Other
            }
            ToolCall::Other => Pending::Other,
        };
        if self.pending.len() < PENDING_CALLS_MAX {
            self.pending.insert(id.to_owned(), pending);
        }
    }

    /// Notes the result of a tool call.
    pub fn result(&mut self, id: &str, result: &ToolResult) {
        self.step += 1;
        self.facts.tool_errors += u64::from(result.is_error);
        match self.pending.remove(id) {
            Some(Pending::Command { step }) => self.end_command(step, result),
            Some(Pending::Edit { paths }) if !result.is_error => {
                for path in paths {
                    self.push_edit(path);
                }
            }
            Some(Pending::TodoAdded(item)) if !result.is_error && self.facts.todos.len() < TODOS_MAX => {
                let id = item.id.clone().or_else(|| first_number(&result.output));
                self.facts.todos.push(TodoItem { id, ..item });
            }
            _ => {}
        }
    }

    /// Notes the output of a command whose end is not known yet, or never will be. The call still
    /// waits for its result.
    pub fn output(&mut self, id: &str, output: &str) {
        let Some(Pending::Command { step }) = self.pending.get(id) else { return };
        let step = *step;
        let Some(run) = self.commands.iter_mut().rev().find(|run| run.step == step) else { return };
        run.tests = tally(output);
        run.output = Untrusted::new(tail(output, OUTPUT_BYTES_MAX));
    }

    fn start_command(&mut self, command: &str, background: bool) {
        if self.commands.len() == self.limits().0 {
            self.commands.pop_front();
            self.commands_dropped += 1;
        }
        self.commands.push_back(CommandRun {
            step: self.step,
            command: Untrusted::new(head(command, COMMAND_BYTES_MAX)),
            role: command::role(command),
            state: if background { CommandState::Running } else { CommandState::Unknown },
            tests: None,
            output: Untrusted::default(),
        });
    }

    fn end_command(&mut self, step: u64, result: &ToolResult) {
        let Some(run) = self.commands.iter_mut().rev().find(|run| run.step == step) else { return };
        if run.state == CommandState::Running {
            return;
        }
        run.tests = tally(&result.output);
        let failed = result.exit_status.map_or(result.is_error, |status| status != 0);
        run.state = if failed {
            CommandState::Failed
        } else if masks_status(run.command.inspect()) {
            CommandState::Unknown
        } else {
            CommandState::Succeeded
        };
        run.output = Untrusted::new(tail(&result.output, OUTPUT_BYTES_MAX));
    }

    fn push_edit(&mut self, path: String) {
        if self.edits.len() == self.limits().1 {
            self.edits.pop_front();
            self.edits_dropped += 1;
        }
        self.edits.push_back(FileEdit { step: self.step, path });
    }

    /// Returns the facts.
    pub fn finish(mut self) -> TranscriptFacts {
        if self.commands_dropped > 0 {
            self.limit(format!("{} early commands were left out", self.commands_dropped));
        }
        if self.edits_dropped > 0 {
            self.limit(format!("{} early edits were left out", self.edits_dropped));
        }
        self.facts.commands = self.commands.into();
        self.facts.edits = self.edits.into();
        self.facts
    }
}

fn first_number(text: &str) -> Option<String> {
    let start = text.find(|character: char| character.is_ascii_digit())?;
    let digits: String = text[start..].chars().take_while(char::is_ascii_digit).collect();
    Some(digits)
}

/// A format of transcripts: turns one line into steps.
pub trait TranscriptFormat {
    /// Reads one line. A line that cannot be read is passed over: formats age, and a court must
    /// not fall with them.
    fn line(&mut self, line: &[u8], facts: &mut FactsBuilder);

    /// Reads a transcript whole.
    fn document(&mut self, bytes: &[u8], facts: &mut FactsBuilder) {
        for line in bytes.split(|byte| *byte == b'\n') {
            facts.next_line();
            self.line(line, facts);
        }
    }
}

/// Reads the JSON of one line, and notes as a limit that it cannot be read.
fn read_line<'a, T: Deserialize<'a>>(line: &'a [u8], facts: &mut FactsBuilder) -> Option<T> {
    let Ok(text) = std::str::from_utf8(line) else {
        facts.limit("lines that are not UTF-8 were passed over");
        return None;
    };
    if text.trim().is_empty() {
        return None;
    }
    let read = serde_json::from_str(text);
    if read.is_err() {
        facts.limit("lines that cannot be read were passed over");
    }
    read.ok()
}

/// Lists the files that a patch of the `*** Begin Patch` kind names. Line ends may be escaped, as
/// inside a string literal.
fn patch_paths(patch: &str) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for marker in ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "] {
        for rest in patch.split(marker).skip(1) {
            let end = rest.find(['\n', '\r', '"', '`']).unwrap_or(rest.len());
            let path = rest[..end].split("\\n").next().unwrap_or_default().trim();
            if !path.is_empty() && !paths.iter().any(|known| known == path) {
                paths.push(path.to_owned());
            }
        }
    }
    paths
}

/// Reads the words that agents' lists have for how far an item is.
fn todo_state(word: &str) -> TodoState {
    match word {
        "pending" | "blocked" => TodoState::Pending,
        "in_progress" => TodoState::InProgress,
        _ => TodoState::Closed,
    }
}

/// Tells whose transcript it is by its first lines; `None` where they fit no agent's.
pub fn kind_of(lines: &[Value]) -> Option<TranscriptKind> {
    let has = |line: &Value, field: &str| line.get(field).is_some();
    lines.iter().find_map(|line| {
        let kind = line["type"].as_str().unwrap_or_default();
        if has(line, "payload") {
            Some(TranscriptKind::Codex)
        } else if has(line, "data") && kind.contains('.') {
            Some(TranscriptKind::Copilot)
        } else if has(line, "messages") || kind == "gemini" || has(line, "projectHash") {
            Some(TranscriptKind::Gemini)
        } else if matches!(kind, "user" | "assistant") && has(line, "message") {
            Some(TranscriptKind::ClaudeCode)
        } else if has(line, "role") && has(line, "message") {
            Some(TranscriptKind::Cursor)
        } else {
            None
        }
    })
}

/// Whose transcript it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TranscriptKind {
    /// Claude Code, and agents that write the same shape.
    ClaudeCode,
    /// A subagent of Claude Code, whose lines stand in a file of their own.
    ClaudeCodeSubagent,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// GitHub Copilot CLI.
    Copilot,
    /// Cursor's agent.
    Cursor,
}

impl TranscriptKind {
    /// Returns a reader of the kind's lines.
    pub fn format(self) -> Box<dyn TranscriptFormat> {
        match self {
            Self::ClaudeCode => Box::new(claude_code::ClaudeCodeTranscript::default()),
            Self::ClaudeCodeSubagent => Box::new(claude_code::ClaudeCodeTranscript { of_subagent: true }),
            Self::Codex => Box::new(codex::CodexTranscript::default()),
            Self::Gemini => Box::new(gemini::GeminiTranscript::default()),
            Self::Copilot => Box::new(copilot::CopilotTranscript::default()),
            Self::Cursor => Box::new(cursor::CursorTranscript::default()),
        }
    }

    /// Returns whether a transcript may be one JSON document instead of lines. It is then read
    /// whole, by [`TranscriptFormat::document`], which takes either shape.
    pub fn is_document(self) -> bool {
        self == Self::Gemini
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(command: &str, result: &ToolResult) -> TranscriptFacts {
        let mut builder = FactsBuilder::default();
        builder.call("1", ToolCall::Command { command: command.to_owned(), background: false });
        builder.result("1", result);
        builder.finish()
    }

    fn result_of(command: &str, status: i64, output: &str) -> Option<TestResult> {
        let result = ToolResult { is_error: status != 0, exit_status: Some(status), output: output.to_owned() };
        ran(command, &result).commands[0].test_result()
    }

    #[test]
    fn a_run_of_tests_is_what_it_shows() {
        assert_eq!(
            result_of("cargo test", 0, "test result: ok. 3 passed; 0 failed; 0 ignored"),
            Some(TestResult::Passed)
        );
        assert_eq!(
            result_of("cargo test", 101, "test result: FAILED. 2 passed; 1 failed; 0 ignored"),
            Some(TestResult::Failed)
        );
        assert_eq!(
            result_of("cargo test | tail -3", 0, "test result: FAILED. 2 passed; 1 failed; 0 ignored"),
            Some(TestResult::Failed)
        );
        assert_eq!(result_of("cargo test || true", 0, "…"), Some(TestResult::Unknown));
        assert_eq!(
            result_of("pytest", 0, "collected 0 items\n\n=== no tests ran in 0.01s ==="),
            Some(TestResult::NoneRan)
        );
        assert_eq!(
            result_of("./check.sh", 0, "test result: ok. 3 passed; 0 failed; 0 ignored"),
            Some(TestResult::Passed)
        );
        assert_eq!(result_of("ls", 0, "a"), None);
    }

    #[test]
    fn memory_is_bounded_and_what_was_dropped_is_said() {
        let mut builder = FactsBuilder::default();
        for number in 0..=COMMANDS_MAX {
            builder.call(&number.to_string(), ToolCall::Command { command: "ls".into(), background: false });
        }
        for number in 0..=EDITS_MAX {
            builder.call(&number.to_string(), ToolCall::Edit { paths: vec!["a".into()] });
            builder.result(&number.to_string(), &ToolResult::default());
        }
        let facts = builder.finish();
        assert_eq!((facts.commands.len(), facts.edits.len()), (COMMANDS_MAX, EDITS_MAX));
        assert_eq!(facts.limits, ["1 early commands were left out", "1 early edits were left out"]);
    }

    #[test]
    fn output_can_come_before_the_result() {
        let mut builder = FactsBuilder::default();
        builder.call("1", ToolCall::Command { command: "cargo test".into(), background: false });
        builder.output("1", "test result: ok. 3 passed; 0 failed; 0 ignored");
        builder.output("no-such-call", "test result: FAILED. 0 passed; 9 failed; 0 ignored");
        let partial = builder.commands[0].clone();
        assert_eq!((partial.state, partial.test_result()), (CommandState::Unknown, Some(TestResult::Passed)));
        builder.result("1", &ToolResult { is_error: true, exit_status: Some(101), output: String::new() });
        assert_eq!(builder.finish().commands[0].state, CommandState::Failed);
    }

    #[test]
    fn a_session_ends_with_the_message_that_came_last() {
        let mut builder = FactsBuilder::default();
        assert!(!builder.ends_with("Done."));
        builder.message("All is well.\nDone.\n");
        assert!(builder.ends_with("All is well.\nDone.") && builder.ends_with("Done."));
        assert!(!builder.ends_with("All is well."));
        builder.call("1", ToolCall::Other);
        assert!(!builder.ends_with("Done."));
        builder.result("1", &ToolResult::default());
        builder.message("Done.");
        // A harness may put the texts of one turn together.
        assert!(builder.ends_with("I looked again.\n\nDone."));
    }

    #[test]
    fn lists_and_delegations_are_dated() {
        let mut builder = FactsBuilder::default();
        builder.call("1", ToolCall::Todos(Vec::new()));
        builder.prompt("Go on");
        builder.call("2", ToolCall::Delegation);
        let facts = builder.finish();
        assert_eq!((facts.todos_step, facts.last_prompt_step, facts.delegation_step), (1, 2, Some(3)));
    }

    #[test]
    fn every_kind_has_a_reader_that_survives_nonsense() {
        for kind in [
            TranscriptKind::ClaudeCode,
            TranscriptKind::ClaudeCodeSubagent,
            TranscriptKind::Codex,
            TranscriptKind::Gemini,
            TranscriptKind::Copilot,
            TranscriptKind::Cursor,
        ] {
            let mut facts = FactsBuilder::default();
            let mut format = kind.format();
            for line in
                [&b""[..], b"{", b"null", b"[]", b"7", b"\xff\xfe", b"{\"type\":\"x\"}", b"{\"type\":3}", b"\"x\""]
            {
                format.line(line, &mut facts);
            }
            let facts = facts.finish();
            assert_eq!((facts.tool_calls, facts.commands.len(), facts.edits.len()), (0, 0, 0), "{kind:?}");
        }
        assert!(TranscriptKind::Gemini.is_document() && !TranscriptKind::Codex.is_document());
    }

    #[test]
    fn prompts_are_kept_up_to_their_limits() {
        let mut builder = FactsBuilder::default();
        for number in 0..=PROMPTS_MAX {
            builder.prompt(&number.to_string());
        }
        builder.prompt(&"x".repeat(PROMPT_BYTES_MAX));
        builder.prompt(&"x".repeat(PROMPT_BYTES_MAX + 1));
        let prompts = builder.finish().prompts;
        assert_eq!((prompts.len(), prompts[0].inspect()), (PROMPTS_MAX, "3"));
        assert!(prompts[PROMPTS_MAX - 2..].iter().all(|prompt| prompt.len() == PROMPT_BYTES_MAX));
    }

    #[test]
    fn failed_edits_are_no_edits() {
        let mut builder = FactsBuilder::default();
        builder.call("1", ToolCall::Edit { paths: vec!["a".into()] });
        builder.result("1", &ToolResult { is_error: true, ..ToolResult::default() });
        let facts = builder.finish();
        assert_eq!((facts.edits.len(), facts.tool_errors), (0, 1));
    }
}
