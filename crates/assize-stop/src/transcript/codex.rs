//! Transcripts of Codex CLI: one JSON object a line, `{"timestamp","type","payload"}`, in
//! `~/.codex/sessions/**/rollout-*.jsonl`.
//!
//! Three ways in which Codex calls tools are read:
//!
//! - functions: `shell` (`command` is a list), `shell_command` (`command` is a string) and
//!   `exec_command` (`cmd`) with `write_stdin` for a command that outlasts its wait, as in
//!   `codex-rs/protocol/src/models.rs` and `codex-rs/core/src/tools/context_tests.rs` of
//!   openai/codex; results are `{"output","metadata":{"exit_code"}}` (0.46),
//!   `Exit code: N … Output:` (0.133) or `Chunk ID … Process exited with code N … Output:`;
//! - freeform tools: `custom_tool_call` of `apply_patch`;
//! - code mode (0.144 and later): `custom_tool_call` of `exec`, whose input is JavaScript that
//!   calls `tools.exec_command({cmd})` and `tools.apply_patch(patch)`. Only calls with literal
//!   arguments can be read off a script; what the script printed is tried for `exit_code`, and
//!   the events `exec_command_end` and `item_completed` (0.149 and later), which not every mode
//!   of recording writes, give the status when they are there.
//!
//! The shapes of code mode and of its events were seen in other readers' recorded samples, not in
//! a running program: they are inferred. Where a status is not recorded, none is made up.

use std::borrow::Cow;
use std::collections::HashMap;

use assize_core::text::Untrusted;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{FactsBuilder, TodoItem, ToolCall, ToolResult, TranscriptFormat, patch_paths, read_line, todo_state};
use crate::directive::user_words;

/// Calls, sessions and cells that are remembered at one time; further ones are not followed.
pub const FOLLOWED_MAX: usize = 1_000;
/// Nested calls that are read off one script of code mode.
pub const NESTED_CALLS_MAX: usize = 50;

/// Reads transcripts of Codex CLI.
#[derive(Debug, Default)]
pub struct CodexTranscript {
    /// The names of the calls that wait for their output.
    calls: HashMap<String, CodexCall>,
    /// Commands that outlasted their wait, by the session that continues them.
    sessions: HashMap<u64, String>,
    /// Scripts that outlasted their wait, by the cell that continues them.
    cells: HashMap<String, Vec<Nested>>,
    /// Commands of scripts whose status is not known yet.
    open: Vec<Nested>,
    /// Whether the user's messages come as events; they then come as items, too.
    user_events: bool,
}

/// What a call's output is to be read for.
#[derive(Debug)]
enum CodexCall {
    /// Ends a command.
    Command,
    /// Ends any other call.
    Other,
    /// Continues a command that outlasted its wait.
    Poll { session: u64 },
    /// Continues a script that outlasted its wait.
    Wait { cell: String },
    /// A script, and what it calls in order.
    Script(Vec<Nested>),
}

/// A call that a script of code mode makes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Nested {
    Command { id: String, command: String },
    Patch { id: String },
    Poll { session: u64 },
}

#[derive(Deserialize)]
struct CodexLine<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CodexItem {
    #[serde(rename = "type")]
    kind: String,
    role: String,
    content: Value,
    name: String,
    namespace: String,
    arguments: Value,
    input: String,
    call_id: Option<String>,
    id: Option<String>,
    output: Value,
    action: Value,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CodexEvent {
    #[serde(rename = "type")]
    kind: String,
    message: String,
    reason: String,
    call_id: String,
    command: Value,
    exit_code: Option<i64>,
    aggregated_output: String,
    stdout: String,
    item: Value,
}

impl TranscriptFormat for CodexTranscript {
    fn line(&mut self, line: &[u8], facts: &mut FactsBuilder) {
        let Some(line) = read_line::<CodexLine<'_>>(line, facts) else { return };
        let Some(payload) = line.payload.map(RawValue::get) else { return };
        match line.kind.as_deref() {
            Some("response_item") => {
                if let Ok(item) = serde_json::from_str(payload) {
                    self.item(item, facts);
                }
            }
            Some("event_msg") => {
                if let Ok(event) = serde_json::from_str(payload) {
                    self.event(&event, facts);
                }
            }
            _ => {}
        }
    }
}

impl CodexTranscript {
    fn item(&mut self, item: CodexItem, facts: &mut FactsBuilder) {
        let id = item.call_id.or(item.id).unwrap_or_default();
        match item.kind.as_str() {
            "message" => match item.role.as_str() {
                "user" if !self.user_events && content_texts(&item.content).any(is_prompt) => {
                    facts.prompt(
                        &content_texts(&item.content).filter(|text| is_prompt(text)).collect::<Vec<_>>().join("\n"),
                    );
                }
                "assistant" => facts.message(&content_texts(&item.content).collect::<Vec<_>>().join("\n")),
                _ => {}
            },
            "function_call" => {
                let arguments = match &item.arguments {
                    Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
                    other => other.clone(),
                };
                self.function(&id, &item.name, &item.namespace, &arguments, facts);
            }
            "local_shell_call" => {
                self.command(&id, command_line(&item.action["command"]), facts);
            }
            "custom_tool_call" => match bare_name(&item.name) {
                "apply_patch" => {
                    facts.call(&id, ToolCall::Edit { paths: patch_paths(&item.input) });
                    self.follow(id, CodexCall::Other);
                }
                "exec" => self.script(id, &item.input, facts),
                _ => {
                    facts.call(&id, ToolCall::Other);
                    self.follow(id, CodexCall::Other);
                }
            },
            "function_call_output" | "custom_tool_call_output" => self.output(&id, &item.output, facts),
            _ => {}
        }
    }

    fn function(&mut self, id: &str, name: &str, namespace: &str, arguments: &Value, facts: &mut FactsBuilder) {
        match bare_name(name) {
            "shell" | "container.exec" | "shell_command" | "local_shell" => {
                self.command(id, command_line(&arguments["command"]), facts);
            }
            "exec_command" => self.command(id, command_line(&arguments["cmd"]), facts),
            "write_stdin" if arguments["session_id"].is_u64() => {
                let session = arguments["session_id"].as_u64().unwrap_or_default();
                self.follow(id.to_owned(), CodexCall::Poll { session });
            }
            "wait" if !arguments["cell_id"].is_null() => {
                let cell = &arguments["cell_id"];
                let cell = cell.as_str().map_or_else(|| cell.to_string(), str::to_owned);
                self.follow(id.to_owned(), CodexCall::Wait { cell });
            }
            "apply_patch" => {
                let paths = patch_paths(arguments["input"].as_str().unwrap_or_default());
                facts.call(id, ToolCall::Edit { paths });
                self.follow(id.to_owned(), CodexCall::Other);
            }
            "update_plan" => {
                facts.call(id, ToolCall::Todos(plan(&arguments["plan"])));
                self.follow(id.to_owned(), CodexCall::Other);
            }
            other => {
                let delegates = namespace.starts_with("mcp")
                    || other.starts_with("mcp__")
                    || other.contains("__")
                    || matches!(other, "spawn_agent" | "send_input" | "delegate" | "send_message");
                facts.call(id, if delegates { ToolCall::Delegation } else { ToolCall::Other });
                self.follow(id.to_owned(), CodexCall::Other);
            }
        }
    }

    fn command(&mut self, id: &str, command: String, facts: &mut FactsBuilder) {
        // Older versions apply patches through the shell.
        if command.contains("*** Begin Patch") {
            facts.call(id, ToolCall::Edit { paths: patch_paths(&command) });
            self.follow(id.to_owned(), CodexCall::Other);
        } else {
            facts.call(id, ToolCall::Command { command, background: false });
            self.follow(id.to_owned(), CodexCall::Command);
        }
    }

    fn follow(&mut self, id: String, call: CodexCall) {
        if self.calls.len() < FOLLOWED_MAX {
            self.calls.insert(id, call);
        }
    }

    /// Notes what a script calls, in its order. A patch beside commands counts as made at once,
    /// so that a command after it in the script comes after it in the facts.
    fn script(&mut self, id: String, script: &str, facts: &mut FactsBuilder) {
        let calls = script_calls(script);
        let commands = calls.iter().any(|call| matches!(call, ScriptCall::Command(_)));
        let mut nested = Vec::new();
        for (index, call) in calls.into_iter().enumerate() {
            let own = format!("{id}#{index}");
            match call {
                ScriptCall::Command(command) => {
                    facts.call(&own, ToolCall::Command { command: command.clone(), background: false });
                    nested.push(Nested::Command { id: own, command });
                }
                ScriptCall::Patch(paths) => {
                    facts.call(&own, ToolCall::Edit { paths });
                    if commands {
                        facts.result(&own, &ToolResult::default());
                    } else {
                        nested.push(Nested::Patch { id: own });
                    }
                }
                ScriptCall::Poll(session) => nested.push(Nested::Poll { session }),
                ScriptCall::Unreadable => {
                    facts.call(&own, ToolCall::Delegation);
                }
            }
        }
        self.follow(id, CodexCall::Script(nested));
    }

    fn output(&mut self, id: &str, raw: &Value, facts: &mut FactsBuilder) {
        let texts = output_texts(raw);
        match self.calls.remove(id) {
            Some(CodexCall::Command) => self.command_output(id, &texts.join("\n"), facts),
            Some(CodexCall::Other) => facts.result(id, &other_result(&texts.join("\n"))),
            Some(CodexCall::Poll { session }) => {
                if let Some(command) = self.sessions.remove(&session) {
                    self.command_output(&command, &texts.join("\n"), facts);
                }
            }
            Some(CodexCall::Wait { cell }) => {
                if let Some(nested) = self.cells.remove(&cell) {
                    self.script_output(nested, &texts, facts);
                }
            }
            Some(CodexCall::Script(nested)) => self.script_output(nested, &texts, facts),
            None => {}
        }
    }

    fn command_output(&mut self, id: &str, text: &str, facts: &mut FactsBuilder) {
        let (outcome, output) = read_output(text);
        match outcome {
            CodexCommandEnd::Exited(status) => facts.result(id, &ended(Some(status), &output)),
            CodexCommandEnd::Running(session) => {
                facts.output(id, &output);
                if self.sessions.len() < FOLLOWED_MAX {
                    self.sessions.insert(session, id.to_owned());
                }
            }
            CodexCommandEnd::Failed => {
                facts.result(id, &ToolResult { is_error: true, exit_status: None, output });
            }
            CodexCommandEnd::Untold => facts.output(id, &output),
        }
    }

    /// A script prints what it likes. If it prints one record of `exec_command` for each command,
    /// these are their results; else only what was printed is known.
    fn script_output(&mut self, nested: Vec<Nested>, texts: &[String], facts: &mut FactsBuilder) {
        let all = texts.join("\n");
        if let Some(rest) = all.strip_prefix("Script running with cell ID ") {
            let cell: String = rest.chars().take_while(|character| !character.is_whitespace()).collect();
            if self.cells.len() < FOLLOWED_MAX {
                self.cells.insert(cell.trim_end_matches('.').to_owned(), nested);
            }
            return;
        }
        let failed = all.starts_with("Script failed");
        let records: Vec<CodexExecResult> =
            texts.iter().flat_map(|text| text.lines().filter_map(CodexExecResult::read)).collect();
        let askers = nested.iter().filter(|call| !matches!(call, Nested::Patch { .. })).count();
        let mut records = if records.len() == askers { records } else { Vec::new() }.into_iter();
        let only = askers == 1;
        for call in nested {
            match call {
                Nested::Patch { id } => {
                    facts.result(&id, &ToolResult { is_error: failed, ..ToolResult::default() });
                }
                Nested::Command { id, command } => match records.next() {
                    Some(record) => self.record(&id, Some(command), &record, facts),
                    None => {
                        if only {
                            facts.output(&id, &all);
                        }
                        if self.open.len() < FOLLOWED_MAX {
                            self.open.push(Nested::Command { id, command });
                        }
                    }
                },
                Nested::Poll { session } => {
                    if let (Some(record), Some(id)) = (records.next(), self.sessions.remove(&session)) {
                        self.record(&id, None, &record, facts);
                    }
                }
            }
        }
    }

    fn record(&mut self, id: &str, command: Option<String>, record: &CodexExecResult, facts: &mut FactsBuilder) {
        match (record.exit_code, record.session_id) {
            (Some(status), _) => facts.result(id, &ended(Some(status), &record.output)),
            (None, Some(session)) => {
                facts.output(id, &record.output);
                if self.sessions.len() < FOLLOWED_MAX {
                    self.sessions.insert(session, id.to_owned());
                }
                if let Some(command) = command
                    && self.open.len() < FOLLOWED_MAX
                {
                    self.open.push(Nested::Command { id: id.to_owned(), command });
                }
            }
            (None, None) => facts.output(id, &record.output),
        }
    }

    fn event(&mut self, event: &CodexEvent, facts: &mut FactsBuilder) {
        match event.kind.as_str() {
            "user_message" => {
                self.user_events = true;
                if is_prompt(&event.message) {
                    facts.prompt(&event.message);
                }
            }
            "turn_aborted" if event.reason.is_empty() || event.reason == "interrupted" => facts.interrupted(),
            "exec_command_end" => {
                let output = if event.aggregated_output.is_empty() { &event.stdout } else { &event.aggregated_output };
                self.command_event(&event.call_id, &command_line(&event.command), event.exit_code, output, facts);
            }
            "item_completed" if event.item["type"] == "CommandExecution" => {
                let text = |key: &str| event.item[key].as_str().unwrap_or_default();
                let output =
                    if text("aggregated_output").is_empty() { text("stdout") } else { text("aggregated_output") };
                let command = command_line(&event.item["command"]);
                self.command_event(text("id"), &command, event.item["exit_code"].as_i64(), output, facts);
            }
            _ => {}
        }
    }

    /// An event of a command that a script ran. Commands that were called directly have their own
    /// output, and their events are passed over.
    fn command_event(&mut self, id: &str, command: &str, status: Option<i64>, output: &str, facts: &mut FactsBuilder) {
        let Some(status) = status else { return };
        if self.calls.contains_key(id) {
            return;
        }
        let scripts = self.calls.values_mut().filter_map(|call| match call {
            CodexCall::Script(nested) => Some(nested),
            _ => None,
        });
        for nested in std::iter::once(&mut self.open).chain(scripts).chain(self.cells.values_mut()) {
            if let Some(id) = take_command(nested, command) {
                facts.result(&id, &ended(Some(status), output));
                return;
            }
        }
    }
}

/// Takes the first command with these words out of the list and gives its id.
fn take_command(nested: &mut Vec<Nested>, words: &str) -> Option<String> {
    let is_it = |call: &Nested| matches!(call, Nested::Command { command, .. } if command.trim() == words.trim());
    match nested.remove(nested.iter().position(is_it)?) {
        Nested::Command { id, .. } => Some(id),
        _ => None,
    }
}

/// The result of a call that is no command: fine unless it says otherwise.
fn other_result(text: &str) -> ToolResult {
    let (outcome, output) = read_output(text);
    let is_error =
        matches!(outcome, CodexCommandEnd::Failed) || matches!(outcome, CodexCommandEnd::Exited(status) if status != 0);
    ToolResult { is_error, exit_status: None, output }
}

fn ended(exit_status: Option<i64>, output: &str) -> ToolResult {
    ToolResult { is_error: exit_status.is_some_and(|status| status != 0), exit_status, output: output.to_owned() }
}

/// Drops the namespace that some versions put before a tool's name.
fn bare_name(name: &str) -> &str {
    name.strip_prefix("functions.").unwrap_or(name)
}

fn is_prompt(text: &str) -> bool {
    user_words(text).is_some()
}

/// Walks over the text of a message's blocks.
fn content_texts(content: &Value) -> impl Iterator<Item = &str> {
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    blocks.iter().filter_map(|block| block["text"].as_str())
}

/// A command is a string or a list of words; of a shell's `-lc` only the script counts.
fn command_line(raw: &Value) -> String {
    if let Some(text) = raw.as_str() {
        return text.to_owned();
    }
    let words: Vec<&str> =
        raw.as_array().map(Vec::as_slice).unwrap_or_default().iter().filter_map(Value::as_str).collect();
    match words.as_slice() {
        [shell, "-c" | "-lc" | "-ic", script] if shell.ends_with("sh") => (*script).to_owned(),
        [shell, .., script] if shell.contains("pwsh") || shell.contains("powershell") => (*script).to_owned(),
        words => words.join(" "),
    }
}

fn plan(raw: &Value) -> Vec<TodoItem> {
    let items = raw.as_array().map(Vec::as_slice).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| {
            let state = todo_state(item["status"].as_str()?);
            Some(TodoItem { id: None, text: Untrusted::new(item["step"].as_str()?), state })
        })
        .collect()
}

/// An output is a string or a list of blocks of which the text ones count.
fn output_texts(raw: &Value) -> Vec<String> {
    match raw {
        Value::String(text) => vec![text.clone()],
        Value::Array(_) => content_texts(raw).map(str::to_owned).collect(),
        Value::Object(object) => object.get("content").map(output_texts).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// How a command's output says that it ended.
#[derive(Debug, PartialEq, Eq)]
enum CodexCommandEnd {
    Exited(i64),
    Running(u64),
    Failed,
    Untold,
}

/// Reads the status off the shapes of output that versions of Codex have used; gives the part
/// that the command printed.
fn read_output(text: &str) -> (CodexCommandEnd, String) {
    #[derive(Deserialize)]
    struct Wrapped {
        output: String,
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    struct Metadata {
        exit_code: i64,
    }
    if text.starts_with('{')
        && let Ok(wrapped) = serde_json::from_str::<Wrapped>(text)
    {
        return (CodexCommandEnd::Exited(wrapped.metadata.exit_code), wrapped.output);
    }
    let (head, body) = match text.split_once("\nOutput:") {
        Some((head, body)) => (head, body.strip_prefix('\n').unwrap_or(body)),
        None => (text, ""),
    };
    // A head is a handful of labelled lines; anything longer is output that merely has the word.
    if head.lines().count() <= 8 {
        for line in head.lines() {
            if let Some(status) = number_after(line, &["Exit code: ", "Process exited with code "]) {
                return (CodexCommandEnd::Exited(status), body.to_owned());
            }
            if let Some(session) = number_after(line, &["Process running with session ID "]) {
                return (CodexCommandEnd::Running(session.unsigned_abs()), body.to_owned());
            }
        }
    }
    let failed = [
        "exec_command failed",
        "apply_patch verification failed",
        "execution error",
        "failed in sandbox",
        "aborted by user",
    ]
    .iter()
    .any(|opening| text.starts_with(opening));
    (if failed { CodexCommandEnd::Failed } else { CodexCommandEnd::Untold }, text.to_owned())
}

fn number_after(line: &str, labels: &[&str]) -> Option<i64> {
    let rest = labels.iter().find_map(|label| line.strip_prefix(label))?;
    rest.split(|character: char| !character.is_ascii_digit() && character != '-').next()?.parse().ok()
}

/// What `tools.exec_command` resolves to in code mode, when a script prints it whole.
#[derive(Debug, Deserialize)]
struct CodexExecResult {
    #[serde(default)]
    exit_code: Option<i64>,
    #[serde(default)]
    session_id: Option<u64>,
    output: String,
}

impl CodexExecResult {
    fn read(line: &str) -> Option<Self> {
        let line = line.trim();
        line.starts_with('{').then(|| serde_json::from_str(line).ok())?
    }
}

/// A call that can be read off a script.
#[derive(Debug, PartialEq, Eq)]
enum ScriptCall {
    Command(String),
    Patch(Vec<String>),
    Poll(u64),
    /// A call that may do anything, since its arguments are computed or its tool is unknown.
    Unreadable,
}

/// Reads the calls off a script, in order.
fn script_calls(script: &str) -> Vec<ScriptCall> {
    let mut calls = Vec::new();
    let mut at = 0;
    while let Some(found) = script[at..].find("tools.") {
        at += found + "tools.".len();
        let rest = &script[at..];
        let name_end = rest.find(|character: char| !character.is_ascii_alphanumeric() && character != '_');
        let (name, arguments) = rest.split_at(name_end.unwrap_or(rest.len()));
        let Some(arguments) = arguments.trim_start().strip_prefix('(') else { continue };
        match name {
            "exec_command" => calls.push(match literal_field(arguments, "cmd") {
                Some(command) => ScriptCall::Command(command),
                None => ScriptCall::Unreadable,
            }),
            // The patch may be bound to a name beforehand, so the whole script is looked at.
            "apply_patch" => {
                let paths = patch_paths(script);
                if !calls.contains(&ScriptCall::Patch(paths.clone())) {
                    calls.push(if paths.is_empty() { ScriptCall::Unreadable } else { ScriptCall::Patch(paths) });
                }
            }
            "write_stdin" => {
                if let Some(session) = number_field(arguments, "session_id") {
                    calls.push(ScriptCall::Poll(session));
                }
            }
            "view_image" | "update_plan" | "web__run" | "wait" => {}
            _ => calls.push(ScriptCall::Unreadable),
        }
        if calls.len() == NESTED_CALLS_MAX {
            break;
        }
    }
    calls
}

/// Finds `name: "literal"` among the arguments of a call; a computed value has none.
fn literal_field(arguments: &str, name: &str) -> Option<String> {
    let value = field(arguments, name)?;
    let quote = value.chars().next().filter(|character| matches!(character, '"' | '\'' | '`'))?;
    let mut text = String::new();
    let mut characters = value.char_indices().skip(1);
    while let Some((index, character)) = characters.next() {
        if character == quote {
            let after = value[index + character.len_utf8()..].trim_start();
            return after.starts_with([',', '}']).then_some(text);
        }
        if quote == '`' && character == '$' {
            return None;
        }
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next()?.1 {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            other => text.push(other),
        }
    }
    None
}

fn number_field(arguments: &str, name: &str) -> Option<u64> {
    field(arguments, name)?.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

/// Finds the text behind `name:` before the call closes.
fn field<'a>(arguments: &'a str, name: &str) -> Option<&'a str> {
    let mut at = 0;
    while let Some(found) = arguments[at..].find(name) {
        let start = at + found;
        // The next call's arguments are not this one's.
        if arguments[..start].contains("tools.") {
            return None;
        }
        at = start + name.len();
        let before = arguments[..start].trim_end().chars().next_back();
        let rest = arguments[at..].trim_start_matches(['"', '\'']).trim_start();
        if matches!(before, Some('{' | ',' | '"' | '\''))
            && let Some(value) = rest.strip_prefix(':')
        {
            return Some(value.trim_start());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{CommandState, TestResult, TranscriptFacts};
    use serde_json::json;

    fn read(lines: &[Value]) -> TranscriptFacts {
        let mut facts = FactsBuilder::default();
        let mut codex = CodexTranscript::default();
        for line in lines {
            codex.line(line.to_string().as_bytes(), &mut facts);
        }
        facts.finish()
    }

    fn line(kind: &str, payload: Value) -> Value {
        let mut line = json!({"timestamp": "2026-08-20T10:00:01Z", "type": kind});
        line["payload"] = payload;
        line
    }

    fn item(payload: Value) -> Value {
        line("response_item", payload)
    }

    fn event(payload: Value) -> Value {
        line("event_msg", payload)
    }

    fn function(id: &str, name: &str, arguments: &Value) -> Value {
        item(json!({"type": "function_call", "name": name, "arguments": arguments.to_string(), "call_id": id}))
    }

    fn output(id: &str, output: Value) -> Value {
        let mut payload = json!({"type": "function_call_output", "call_id": id});
        payload["output"] = output;
        item(payload)
    }

    fn script(id: &str, input: &str) -> Value {
        item(json!({"type": "custom_tool_call", "status": "completed", "call_id": id, "name": "exec", "input": input}))
    }

    fn script_output(id: &str, texts: &[&str]) -> Value {
        let blocks: Vec<Value> = texts.iter().map(|text| json!({"type": "input_text", "text": text})).collect();
        item(json!({"type": "custom_tool_call_output", "call_id": id, "output": blocks}))
    }

    const OK: &str = "test result: ok. 3 passed; 0 failed; 0 ignored";
    const FAILED: &str = "test result: FAILED. 2 passed; 1 failed; 0 ignored";

    #[test]
    fn prompts_messages_and_interruptions_are_read() {
        let facts = read(&[
            json!({"type": "session_meta", "payload": {"id": "s", "cwd": "/w", "cli_version": "0.133.0"}}),
            item(json!({"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "rules"}]})),
            item(
                json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>x</environment_context>"}]}),
            ),
            item(
                json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "# AGENTS.md instructions for /w"}, {"type": "input_text", "text": "fix it"}]}),
            ),
            item(
                json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}),
            ),
        ]);
        assert_eq!(facts.last_prompt_step, 1);
        assert_eq!(facts.last_message.as_ref().map(Untrusted::inspect), Some("Done."));

        let facts = read(&[
            event(json!({"type": "user_message", "message": "fix it", "kind": "plain"})),
            item(json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "fix it"}]})),
            event(json!({"type": "turn_aborted", "reason": "interrupted"})),
        ]);
        assert_eq!((facts.last_prompt_step, facts.interrupted), (1, true));
    }

    #[test]
    fn every_shape_of_output_tells_its_status() {
        for (name, arguments, text) in [
            (
                "shell",
                json!({"command": ["bash", "-lc", "cargo test"]}),
                json!({"output": FAILED, "metadata": {"exit_code": 101, "duration_seconds": 0.5}}).to_string(),
            ),
            (
                "shell_command",
                json!({"command": "cargo test"}),
                format!("Exit code: 101\nWall time: 2 seconds\nOutput:\n{FAILED}\n"),
            ),
            (
                "exec_command",
                json!({"cmd": "cargo test", "yield_time_ms": 1000}),
                format!(
                    "Chunk ID: a1\nWall time: 1.2000 seconds\nProcess exited with code 101\nOriginal token count: 9\nOutput:\n{FAILED}\n"
                ),
            ),
        ] {
            let facts = read(&[function("c1", name, &arguments), output("c1", json!(text))]);
            assert_eq!(facts.commands[0].command.inspect(), "cargo test", "{name}");
            assert_eq!(facts.commands[0].state, CommandState::Failed, "{name}");
            assert_eq!(facts.commands[0].test_result(), Some(TestResult::Failed), "{name}");
            assert_eq!(facts.commands[0].output.inspect().trim(), FAILED, "{name}");
        }
        let facts = read(&[
            item(
                json!({"type": "local_shell_call", "call_id": "c1", "status": "completed", "action": {"type": "exec", "command": ["bash", "-lc", "npm test"]}}),
            ),
            output("c1", json!("Exit code: 0\nWall time: 1 seconds\nOutput:\n  3 passing (9ms)")),
        ]);
        assert_eq!(facts.commands[0].test_result(), Some(TestResult::Passed));
    }

    #[test]
    fn a_status_that_is_not_recorded_is_not_made_up() {
        let facts = read(&[function("c1", "exec_command", &json!({"cmd": "npm test"})), output("c1", json!("ok"))]);
        assert_eq!(facts.commands[0].state, CommandState::Unknown);
        let facts = read(&[function("c1", "exec_command", &json!({"cmd": "npm test"}))]);
        assert_eq!(facts.commands[0].state, CommandState::Unknown);
        // A line of the program's own output that looks like a status.
        let long = format!("{}\nExit code: 0\n\nOutput:\nx", "line\n".repeat(10));
        let facts = read(&[function("c1", "exec_command", &json!({"cmd": "npm test"})), output("c1", json!(long))]);
        assert_eq!(facts.commands[0].state, CommandState::Unknown);
    }

    #[test]
    fn a_command_that_outlasts_its_wait_is_followed() {
        let running = "Chunk ID: a\nWall time: 1.0 seconds\nProcess running with session ID 42\nOutput:\nCompiling\n";
        let mut lines = vec![
            function("c1", "exec_command", &json!({"cmd": "cargo test"})),
            output("c1", json!(running)),
            function("c2", "write_stdin", &json!({"session_id": 42, "chars": ""})),
            output("c2", json!(running)),
        ];
        assert_eq!(read(&lines).commands[0].state, CommandState::Unknown);
        lines.push(function("c3", "write_stdin", &json!({"session_id": 42, "chars": ""})));
        lines.push(output(
            "c3",
            json!(format!("Chunk ID: b\nWall time: 9.0 seconds\nProcess exited with code 0\nOutput:\n{OK}\n")),
        ));
        let facts = read(&lines);
        assert_eq!((facts.commands.len(), facts.commands[0].test_result()), (1, Some(TestResult::Passed)));
    }

    #[test]
    fn patches_are_edits_however_they_are_applied() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** Add File: src/b.rs\n+z\n*** Update File: src/c.rs\n*** Move to: src/d.rs\n*** End Patch\n";
        let paths = |facts: TranscriptFacts| facts.edits.into_iter().map(|edit| edit.path).collect::<Vec<_>>();
        let applied =
            "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM src/a.rs\n";
        let expected = ["src/a.rs", "src/c.rs", "src/b.rs", "src/d.rs"];
        let custom = [
            item(
                json!({"type": "custom_tool_call", "status": "completed", "call_id": "p1", "name": "apply_patch", "input": patch}),
            ),
            item(json!({"type": "custom_tool_call_output", "call_id": "p1", "output": applied})),
        ];
        assert_eq!(paths(read(&custom)), expected);
        let shell = [
            function("p1", "shell", &json!({"command": ["bash", "-lc", format!("apply_patch <<'EOF'\n{patch}EOF")]})),
            output("p1", json!("{\"output\":\"Success.\",\"metadata\":{\"exit_code\":0}}")),
        ];
        assert_eq!(paths(read(&shell)), expected);
        let failed = [
            item(json!({"type": "custom_tool_call", "call_id": "p1", "name": "apply_patch", "input": patch})),
            item(
                json!({"type": "custom_tool_call_output", "call_id": "p1", "output": "apply_patch verification failed: Failed to find expected lines in src/a.rs"}),
            ),
        ];
        assert!(paths(read(&failed)).is_empty());
    }

    #[test]
    fn the_plan_is_the_agents_list() {
        let facts = read(&[
            function(
                "u1",
                "update_plan",
                &json!({"explanation": "x", "plan": [{"step": "a", "status": "completed"}, {"step": "b", "status": "in_progress"}]}),
            ),
            output("u1", json!("Plan updated")),
        ]);
        assert_eq!(facts.open_todos().map(|item| item.text.inspect()).collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn scripts_of_code_mode_are_read_call_by_call() {
        let patch = "*** Begin Patch\n*** Update File: src/cache.ts\n@@\n-a\n+b\n*** End Patch";
        let source = format!(
            "const patched = await tools.apply_patch({});\ntext(patched);\ntext(await tools.exec_command({{cmd:\"npm test\", yield_time_ms:10000}}));\ntext(await tools.exec_command({{\"cmd\":\"git status\"}}));",
            json!(patch)
        );
        let facts = read(&[
            script("c1", &source),
            script_output(
                "c1",
                &[
                    "Script completed\nWall time 1.2 seconds\nOutput:\n",
                    "Done!",
                    &json!({"exit_code": 1, "output": "  3 passing (9ms)\n  1 failing", "wall_time_seconds": 1.0})
                        .to_string(),
                    &json!({"exit_code": 0, "output": ""}).to_string(),
                ],
            ),
        ]);
        let commands: Vec<_> = facts.commands.iter().map(|run| (run.command.inspect(), run.state)).collect();
        assert_eq!(commands, [("npm test", CommandState::Failed), ("git status", CommandState::Succeeded)]);
        assert_eq!(facts.edits[0].path, "src/cache.ts");
        assert!(facts.edits[0].step < facts.commands[0].step);
    }

    #[test]
    fn a_script_that_prints_only_the_output_has_no_status() {
        let source = "const r = await tools.exec_command({cmd:\"cargo test\", workdir:\"/repo\"}); text(r.output);";
        let told = script_output("c1", &["Script completed\nWall time 1.2 seconds\nOutput:\n", OK]);
        let facts = read(&[script("c1", source), told.clone()]);
        assert_eq!(facts.commands[0].state, CommandState::Unknown);
        assert_eq!(facts.commands[0].test_result(), Some(TestResult::Passed));
        // An event tells the status, before or after the output.
        let ended = event(json!({"type": "item_completed", "item": {"type": "CommandExecution", "id": "exec-1",
            "command": ["/bin/zsh", "-lc", "cargo test"], "status": "failed", "exit_code": 101, "stdout": FAILED}}));
        for lines in [[script("c1", source), told.clone(), ended.clone()], [script("c1", source), ended, told]] {
            let facts = read(&lines);
            assert_eq!((facts.commands.len(), facts.commands[0].test_result()), (1, Some(TestResult::Failed)));
        }
    }

    #[test]
    fn scripts_and_their_commands_may_outlast_their_wait() {
        let source = "text(await tools.exec_command({cmd:\"npm test\"}));";
        let facts = read(&[
            script("c1", source),
            script_output("c1", &["Script running with cell ID 5\nWall time 31.0 seconds\nOutput:\n"]),
            function("c2", "wait", &json!({"cell_id": "5", "yield_time_ms": 1000})),
            output(
                "c2",
                json!([{"type": "input_text", "text": "Script completed\nWall time 0.0 seconds\nOutput:\n"}, {"type": "input_text", "text": json!({"exit_code": 1, "output": "1 failing"}).to_string()}]),
            ),
        ]);
        assert_eq!((facts.commands.len(), facts.commands[0].state), (1, CommandState::Failed));

        let facts = read(&[
            script("c1", source),
            script_output("c1", &["Script completed\nOutput:\n", &json!({"session_id": 7, "output": ""}).to_string()]),
            script("c2", "text(await tools.write_stdin({session_id:7,chars:\"\"}));"),
            script_output(
                "c2",
                &["Script completed\nOutput:\n", &json!({"exit_code": 0, "output": "  3 passing"}).to_string()],
            ),
        ]);
        assert_eq!((facts.commands.len(), facts.commands[0].test_result()), (1, Some(TestResult::Passed)));
    }

    #[test]
    fn what_a_script_computes_counts_as_out_of_sight() {
        let facts = read(&[script(
            "c1",
            "const r = await tools.exec_command({cmd: \"sed -n '\" + range + \"p' a\"}); text(r.output);",
        )]);
        assert!(facts.commands.is_empty() && facts.delegation_step.is_some());
        let facts = read(&[script("c1", "for (const c of list) await tools.exec_command({cmd: c});")]);
        assert!(facts.commands.is_empty() && facts.delegation_step.is_some());
        let facts = read(&[script("c1", "text(ALL_TOOLS.length);")]);
        assert!(facts.delegation_step.is_none());
    }

    #[test]
    fn a_patch_of_a_failed_script_is_no_edit() {
        let source = "const patch = \"*** Begin Patch\\n*** Update File: src/a.ts\\n*** End Patch\";\ntext(await tools.apply_patch(patch));";
        let facts = read(&[
            script("c1", source),
            script_output(
                "c1",
                &["Script failed\nWall time 0.1 seconds\nOutput:\n", "Script error:\napply_patch verification failed"],
            ),
        ]);
        assert!(facts.edits.is_empty());
        let facts = read(&[script("c1", source), script_output("c1", &["Script completed\nOutput:\n", "{}"])]);
        assert_eq!(facts.edits[0].path, "src/a.ts");
    }

    #[test]
    fn what_is_followed_is_bounded() {
        let mut codex = CodexTranscript::default();
        let mut facts = FactsBuilder::default();
        for number in 0..=FOLLOWED_MAX {
            let line = function(&number.to_string(), "exec_command", &json!({"cmd": "ls"})).to_string();
            codex.line(line.as_bytes(), &mut facts);
        }
        assert_eq!(codex.calls.len(), FOLLOWED_MAX);
        assert_eq!(
            script_calls(&"tools.exec_command({cmd:\"a\"});".repeat(NESTED_CALLS_MAX + 1)).len(),
            NESTED_CALLS_MAX
        );
    }

    #[test]
    fn unreadable_lines_are_passed_over() {
        let mut codex = CodexTranscript::default();
        let mut facts = FactsBuilder::default();
        for line in [
            "{",
            "null",
            "[]",
            "{\"type\":\"response_item\",\"payload\":7}",
            "{\"type\":\"world_state\",\"payload\":{}}",
            "{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call\",\"name\":\"exec_command\",\"arguments\":\"{\",\"call_id\":\"c\"}}",
        ] {
            codex.line(line.as_bytes(), &mut facts);
        }
        assert!(!facts.finish().limits.is_empty());
    }
}
