//! Transcripts of Gemini CLI, in `~/.gemini/tmp/<project>/chats/session-*`.
//!
//! Two shapes, both from `packages/core/src/services/chatRecordingService.ts` of
//! google-gemini/gemini-cli: one document `{"sessionId","messages":[…]}` (until early 2026), and
//! lines that are messages, `{"$set":{…}}` updates or `{"$rewindTo"}` marks (since). A message of
//! type `gemini` carries its `toolCalls` with their results; in the second shape it is written
//! anew, under the same id, whenever it grows.
//!
//! `run_shell_command` puts `Exit Code: N` into its result; newer versions leave it out when it
//! is 0 (`packages/core/src/tools/shell.ts`), older ones write it always. That no exit code means
//! success holds only for the newer ones, and is believed where the result has the shape of a
//! finished command. `write_todos` follows its declaration; a sample of it was not seen.
//!
//! A rewound conversation stays in the facts: what was run was run.

use std::collections::HashSet;

use assize_core::text::Untrusted;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{FactsBuilder, TodoItem, ToolCall, ToolResult, TranscriptFormat, read_line, todo_state};
use crate::directive::user_words;

/// Ids of messages and tool calls that are remembered, so that none counts twice.
pub const SEEN_IDS_MAX: usize = 100_000;

/// Reads the lines of transcripts of Gemini CLI.
#[derive(Debug, Default)]
pub struct GeminiTranscript {
    seen: HashSet<String>,
}

/// The shape of a transcript that is one document.
#[derive(Deserialize)]
struct GeminiDocument<'a> {
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct GeminiRecord<'a> {
    #[serde(rename = "$set", borrow)]
    set: Option<Set<'a>>,
    id: Option<Value>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Set<'a> {
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct GeminiMessage {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    content: Value,
    #[serde(rename = "toolCalls")]
    tool_calls: Vec<GeminiCall>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct GeminiCall {
    id: String,
    name: String,
    args: Value,
    result: Value,
    status: String,
}

impl TranscriptFormat for GeminiTranscript {
    fn line(&mut self, line: &[u8], facts: &mut FactsBuilder) {
        let Some(record) = read_line::<GeminiRecord<'_>>(line, facts) else { return };
        if let Some(set) = record.set {
            self.messages(&set.messages, facts);
        } else if record.id.is_some()
            && let Ok(message) = serde_json::from_slice(line)
        {
            self.message(message, facts);
        }
    }

    fn document(&mut self, bytes: &[u8], facts: &mut FactsBuilder) {
        match serde_json::from_slice::<GeminiDocument<'_>>(bytes) {
            Ok(document) => self.messages(&document.messages, facts),
            Err(_) => bytes.split(|byte| *byte == b'\n').for_each(|line| self.line(line, facts)),
        }
    }
}

impl GeminiTranscript {
    fn messages(&mut self, messages: &[&RawValue], facts: &mut FactsBuilder) {
        for message in messages.iter().filter_map(|raw| serde_json::from_str(raw.get()).ok()) {
            self.message(message, facts);
        }
    }

    fn message(&mut self, message: GeminiMessage, facts: &mut FactsBuilder) {
        let text = content_text(&message.content);
        match message.kind.as_str() {
            "user" if is_prompt(&text) && self.is_new("message", &message.id) => facts.prompt(&text),
            "gemini" => {
                if !text.trim().is_empty() && self.is_new("message", &message.id) {
                    facts.message(&text);
                }
                for call in message.tool_calls {
                    self.call(&call, facts);
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, call: &GeminiCall, facts: &mut FactsBuilder) {
        if self.is_new("call", &call.id) {
            facts.call(&call.id, tool_call(&call.name, &call.args));
        }
        let ended = !call.result.is_null() || matches!(call.status.as_str(), "success" | "error" | "cancelled");
        if ended && self.is_new("result", &call.id) {
            let output = result_text(&call.result);
            let is_error = matches!(call.status.as_str(), "error" | "cancelled");
            if call.name == "run_shell_command" {
                command_result(&call.id, is_error, &output, facts);
            } else {
                facts.result(&call.id, &ToolResult { is_error, exit_status: None, output });
            }
        }
    }

    /// What has no id cannot be told from anything else and counts as new.
    fn is_new(&mut self, what: &str, id: &str) -> bool {
        let key = format!("{what} {id}");
        if id.is_empty() {
            return true;
        }
        if self.seen.len() >= SEEN_IDS_MAX {
            return !self.seen.contains(&key);
        }
        self.seen.insert(key)
    }
}

fn command_result(id: &str, is_error: bool, output: &str, facts: &mut FactsBuilder) {
    let status = exit_code(output);
    // A command that was cut off, sent away or killed has no exit code and did not succeed.
    let unfinished = ["Command moved to background", "Command was cancelled", "Command was automatically cancelled"]
        .iter()
        .any(|opening| output.starts_with(opening));
    let killed = output
        .lines()
        .any(|line| line.strip_prefix("Signal: ").is_some_and(|signal| !matches!(signal.trim(), "0" | "(none)" | "")));
    // Without an exit code only the shape tells that the command came to its end; a summary of the
    // output, which the CLI can be set to record instead, has none.
    let shapeless = status.is_none() && !is_error && !killed && !output.lines().any(|line| line.starts_with("Output:"));
    if unfinished || shapeless {
        facts.output(id, output);
    } else {
        let is_error = is_error || killed || status.is_some_and(|status| status != 0);
        facts.result(id, &ToolResult { is_error, exit_status: status.filter(|_| !killed), output: output.to_owned() });
    }
}

/// The last `Exit Code: N` counts: lines before it may be the program's own.
fn exit_code(output: &str) -> Option<i64> {
    let line = output.lines().rev().find_map(|line| line.trim().strip_prefix("Exit Code: "))?;
    line.trim().parse().ok()
}

/// The CLI opens a conversation with a message of its own that looks like the user's.
fn is_prompt(text: &str) -> bool {
    let text = text.trim_start();
    !text.starts_with("<session_context>")
        && !text.starts_with("This is the Gemini CLI. We are setting up the context")
        && user_words(text).is_some()
}

fn tool_call(name: &str, args: &Value) -> ToolCall {
    let text = |key: &str| args[key].as_str().unwrap_or_default().to_owned();
    match name {
        "run_shell_command" => {
            ToolCall::Command { command: text("command"), background: args["is_background"].as_bool().unwrap_or(false) }
        }
        "replace" | "write_file" | "edit" => {
            let path = if text("file_path").is_empty() { text("absolute_path") } else { text("file_path") };
            ToolCall::Edit { paths: vec![path] }
        }
        "write_todos" => ToolCall::Todos(todos(&args["todos"])),
        "read_file"
        | "read_many_files"
        | "list_directory"
        | "glob"
        | "grep_search"
        | "search_file_content"
        | "google_web_search"
        | "web_fetch"
        | "save_memory"
        | "ask_user"
        | "get_internal_docs"
        | "enter_plan_mode"
        | "exit_plan_mode"
        | "activate_skill"
        | "update_topic"
        | "complete_task" => ToolCall::Other,
        // What is left are subagents and tools of other servers.
        _ => ToolCall::Delegation,
    }
}

fn todos(raw: &Value) -> Vec<TodoItem> {
    let items = raw.as_array().map(Vec::as_slice).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| {
            let state = todo_state(item["status"].as_str()?);
            Some(TodoItem { id: None, text: Untrusted::new(item["description"].as_str()?), state })
        })
        .collect()
}

/// A content is a string or a list of parts of which the text ones count.
fn content_text(raw: &Value) -> String {
    match raw {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> =
                parts.iter().filter_map(|part| part.as_str().or_else(|| part["text"].as_str())).collect();
            texts.join("\n")
        }
        Value::Object(_) => raw["text"].as_str().unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

/// A result is a list of parts; a function response has its text under `output` or `error`.
fn result_text(raw: &Value) -> String {
    let parts = match raw {
        Value::Array(parts) => parts.as_slice(),
        Value::Null => &[],
        other => std::slice::from_ref(other),
    };
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| {
            let response = &part["functionResponse"]["response"];
            response["output"].as_str().or_else(|| response["error"].as_str()).or_else(|| part["text"].as_str())
        })
        .collect();
    texts.join("\n").trim_start_matches("<untrusted_context>").trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{CommandState, TestResult, TranscriptFacts};
    use serde_json::json;

    fn read_lines(lines: &[Value]) -> TranscriptFacts {
        let mut facts = FactsBuilder::default();
        let mut gemini = GeminiTranscript::default();
        for line in lines {
            gemini.line(line.to_string().as_bytes(), &mut facts);
        }
        facts.finish()
    }

    fn read_document(messages: Value) -> TranscriptFacts {
        let mut facts = FactsBuilder::default();
        let mut whole = json!({"sessionId": "s", "projectHash": "h", "startTime": "t", "lastUpdated": "t"});
        whole["messages"] = messages;
        let text = serde_json::to_string_pretty(&whole).expect("valid JSON");
        GeminiTranscript::default().document(text.as_bytes(), &mut facts);
        facts.finish()
    }

    fn shell(id: &str, command: &str, status: &str, output: &str) -> Value {
        json!({"id": id, "name": "run_shell_command", "args": {"command": command, "description": "x"}, "status": status,
            "result": [{"functionResponse": {"id": id, "name": "run_shell_command", "response": {"output": output}}}],
            "timestamp": "2026-10-02T08:00:14.000Z", "resultDisplay": "x"})
    }

    fn one_command(call: Value) -> (CommandState, Option<TestResult>) {
        let mut messages = json!([{"id": "g1", "type": "gemini", "content": ""}]);
        messages[0]["toolCalls"] = vec![call].into();
        let facts = read_document(messages);
        (facts.commands[0].state, facts.commands[0].test_result())
    }

    #[test]
    fn a_document_is_read() {
        let facts = read_document(json!([
            {"id": "u0", "type": "user", "content": "This is the Gemini CLI. We are setting up the context for our chat."},
            {"id": "u1", "timestamp": "t", "type": "user", "content": "fix the parser"},
            {"id": "i1", "type": "info", "content": "Model switched"},
            {"id": "g1", "timestamp": "t", "type": "gemini", "content": "", "thoughts": [], "model": "gemini-2.5-pro", "toolCalls": [
                {"id": "replace-1", "name": "replace", "args": {"file_path": "/w/src/a.ts", "old_string": "a", "new_string": "b"}, "status": "success",
                 "result": [{"functionResponse": {"id": "replace-1", "name": "replace", "response": {"output": "Successfully modified file"}}}]},
                {"id": "w-1", "name": "write_file", "args": {"file_path": "/w/src/b.ts", "content": "x"}, "status": "error",
                 "result": [{"functionResponse": {"id": "w-1", "name": "write_file", "response": {"error": "denied"}}}]},
                shell("s-1", "npm test", "success", "Command: npm test\nDirectory: (root)\nOutput:   3 passing (9ms)\nError: (none)\nExit Code: 0\nSignal: (none)"),
            ]},
            {"id": "g2", "type": "gemini", "content": "All 3 tests pass."},
        ]));
        assert_eq!(facts.edits.iter().map(|edit| edit.path.as_str()).collect::<Vec<_>>(), ["/w/src/a.ts"]);
        assert_eq!(facts.commands[0].state, CommandState::Succeeded);
        assert_eq!((facts.last_prompt_step, facts.tool_errors), (1, 1));
        assert_eq!(facts.last_message.as_ref().map(Untrusted::inspect), Some("All 3 tests pass."));
    }

    #[test]
    fn results_of_commands_tell_their_status() {
        let failed = "Command: npm test\nDirectory: (root)\nOutput:   3 passing (9ms)\n  1 failing\nError: (none)\nExit Code: 1\nSignal: 0\nProcess Group PGID: 52866";
        assert_eq!(
            one_command(shell("1", "npm test", "success", failed)),
            (CommandState::Failed, Some(TestResult::Failed))
        );
        let newer = "<untrusted_context>\nOutput: 3 passed in 0.10s\nProcess Group PGID: 48211\n</untrusted_context>";
        assert_eq!(one_command(shell("1", "pytest", "success", newer)).0, CommandState::Succeeded);
        assert_eq!(one_command(shell("1", "pytest", "error", "no such tool")).0, CommandState::Failed);
        assert_eq!(one_command(shell("1", "pytest", "success", "The tests went well.")).0, CommandState::Unknown);
        assert_eq!(one_command(shell("1", "pytest", "success", "Output: x\nSignal: 9")).0, CommandState::Failed);
        let moved = "Command moved to background (PID: 33701). Output hidden. Press Ctrl+B to view.";
        assert_eq!(one_command(shell("1", "npm test", "success", moved)).0, CommandState::Unknown);
        let cancelled = "Command was cancelled by user before it could complete.";
        assert_eq!(one_command(shell("1", "npm test", "success", cancelled)).0, CommandState::Unknown);
        let waiting =
            json!({"id": "1", "name": "run_shell_command", "args": {"command": "npm test"}, "status": "executing"});
        assert_eq!(one_command(waiting).0, CommandState::Unknown);
    }

    #[test]
    fn lines_that_repeat_a_message_count_once() {
        let meta = json!({"sessionId": "s", "projectHash": "h", "startTime": "t", "lastUpdated": "t", "kind": "main"});
        let empty = json!({"id": "g1", "type": "gemini", "content": "", "thoughts": []});
        let call = shell(
            "run_shell_command__1",
            "npm test",
            "success",
            "Output:   3 passing (9ms)\n  1 failing\nExit Code: 1",
        );
        let grown = json!({"id": "g1", "type": "gemini", "content": "", "toolCalls": [call]});
        let user = json!({"id": "u1", "type": "user", "content": [{"text": "run the tests"}]});
        let response =
            json!({"id": "u2", "type": "user", "content": [{"functionResponse": {"id": "run_shell_command__1"}}]});
        let end = json!({"id": "g2", "type": "gemini", "content": [{"text": "One test fails."}]});
        let facts = read_lines(&[
            meta,
            json!({"$set": {"messages": [{"id": "c0", "type": "user", "content": [{"text": "<session_context>\nThis is the Gemini CLI.\n</session_context>"}]}], "lastUpdated": "t"}}),
            user.clone(),
            json!({"$set": {"lastUpdated": "t"}}),
            empty,
            grown.clone(),
            grown.clone(),
            response,
            end.clone(),
            json!({"$rewindTo": "g2"}),
            json!({"$set": {"messages": [user, grown, end]}}),
        ]);
        assert_eq!((facts.commands.len(), facts.tool_calls, facts.last_prompt_step), (1, 1, 1));
        assert_eq!(facts.commands[0].test_result(), Some(TestResult::Failed));
    }

    #[test]
    fn a_document_of_lines_is_read_as_lines() {
        let mut facts = FactsBuilder::default();
        GeminiTranscript::default().document(
            b"{\"sessionId\":\"s\",\"projectHash\":\"h\"}\n{\"id\":\"u1\",\"type\":\"user\",\"content\":[{\"text\":\"go\"}]}\n{\"id\":\"g1\",\"type\":\"gem",
            &mut facts,
        );
        let facts = facts.finish();
        assert_eq!(facts.last_prompt_step, 1);
        assert_eq!(facts.limits, ["lines that cannot be read were passed over"]);
    }

    #[test]
    fn lists_and_delegations_are_read() {
        let facts = read_document(json!([{"id": "g1", "type": "gemini", "content": "", "toolCalls": [
            {"id": "t", "name": "write_todos", "status": "success", "args": {"todos": [{"description": "a", "status": "completed"}, {"description": "b", "status": "blocked"}, {"description": "c", "status": "cancelled"}]}},
            {"id": "d", "name": "codebase_investigator", "status": "success", "args": {}},
        ]}]));
        assert_eq!(facts.open_todos().map(|item| item.text.inspect()).collect::<Vec<_>>(), ["b"]);
        assert!(facts.delegation_step.is_some());
    }

    #[test]
    fn remembered_ids_are_bounded() {
        let mut gemini = GeminiTranscript::default();
        for number in 0..SEEN_IDS_MAX {
            assert!(gemini.is_new("call", &number.to_string()));
        }
        assert!(!gemini.is_new("call", "0") && gemini.is_new("call", "one more") && gemini.is_new("call", "one more"));
        assert_eq!(gemini.seen.len(), SEEN_IDS_MAX);
    }
}
