//! Transcripts of Cursor's agent: one JSON object a line, in
//! `~/.cursor/projects/<project>/agent-transcripts/<id>/<id>.jsonl`.
//!
//! The format is not documented; the shape is inferred from sessions that other readers recorded
//! between February and September 2026: `{"role","message":{"content":[…]}}` with blocks `text` and
//! `tool_use` (`name`, `input`), and `{"type":"turn_ended","status"}` at the end of a turn. Blocks
//! have no ids and **what tools returned is not recorded**: how a command ended stays unknown, and an
//! edit counts as made, which the facts state as a limit. Where a block has an id, its
//! `tool_result` is waited for, as in the shape that Claude Code writes.

use std::borrow::Cow;

use assize_core::text::Untrusted;
use serde::Deserialize;
use serde_json::Value;

use super::{
    FactsBuilder, TODOS_MAX, TodoItem, ToolCall, ToolResult, TranscriptFormat, patch_paths, read_line, todo_state,
};
use crate::directive::user_words;

/// Reads transcripts of Cursor's agent.
#[derive(Debug, Default)]
pub struct CursorTranscript {
    /// The agent's list, which it updates in parts.
    todos: Vec<TodoItem>,
    /// Calls so far, which stand in for ids.
    calls: u64,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CursorLine<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    status: Cow<'a, str>,
    message: CursorMessage,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CursorMessage {
    content: Value,
}

impl TranscriptFormat for CursorTranscript {
    fn line(&mut self, line: &[u8], facts: &mut FactsBuilder) {
        let Some(line) = read_line::<CursorLine<'_>>(line, facts) else { return };
        if line.kind == "turn_ended" {
            if line.status == "aborted" {
                facts.interrupted();
            }
            return;
        }
        let whole = [line.message.content];
        let blocks = match &whole[0] {
            Value::Array(blocks) => blocks.as_slice(),
            _ => whole.as_slice(),
        };
        for block in blocks {
            let text = block.as_str().or_else(|| block["text"].as_str());
            match (&*line.role, text) {
                ("user", Some(text)) if is_prompt(text) => facts.prompt(text),
                ("assistant", Some(text)) => say(text, facts),
                ("assistant", None) if block["type"] == "tool_use" => self.call(block, facts),
                (_, None) if block["type"] == "tool_result" => result(block, facts),
                _ => {}
            }
        }
    }
}

impl CursorTranscript {
    fn call(&mut self, block: &Value, facts: &mut FactsBuilder) {
        let call = self.tool_call(block["name"].as_str().unwrap_or_default(), &block["input"]);
        if let Some(id) = block["id"].as_str() {
            facts.call(id, call);
            return;
        }
        facts.limit("what tools returned is not recorded");
        self.calls += 1;
        let id = format!("call {}", self.calls);
        let ends_unseen = matches!(call, ToolCall::Command { .. });
        facts.call(&id, call);
        if !ends_unseen {
            facts.result(&id, &ToolResult::default());
        }
    }

    fn tool_call(&mut self, name: &str, input: &Value) -> ToolCall {
        let text = |key: &str| input[key].as_str().unwrap_or_default().to_owned();
        match name {
            "Shell" | "Bash" => {
                let background = input["block_until_ms"] == 0 || input["is_background"] == true;
                ToolCall::Command { command: text("command"), background }
            }
            "StrReplace" | "Write" | "Delete" | "Edit" | "MultiEdit" | "EditNotebook" => {
                let path =
                    ["path", "file_path", "target_notebook"].iter().map(|key| text(key)).find(|path| !path.is_empty());
                ToolCall::Edit { paths: path.into_iter().collect() }
            }
            "ApplyPatch" => {
                let patch = input.as_str().map_or_else(|| text("patch") + &text("input"), str::to_owned);
                ToolCall::Edit { paths: patch_paths(&patch) }
            }
            "TodoWrite" => {
                self.update_todos(input);
                ToolCall::Todos(self.todos.clone())
            }
            "Read" | "ReadFile" | "Grep" | "Glob" | "LS" | "ListDir" | "SemanticSearch" | "WebSearch" | "WebFetch"
            | "ReadLints" | "AskQuestion" | "SwitchMode" | "CreatePlan" | "FetchRules" | "Await" | "AwaitShell"
            | "GetMcpTools" | "GetDynamicTools" | "UpdateCurrentStep" => ToolCall::Other,
            // What is left are subagents and tools of other servers.
            _ => ToolCall::Delegation,
        }
    }

    /// The list comes whole, or in parts that are merged by id.
    fn update_todos(&mut self, input: &Value) {
        if input["merge"] != true {
            self.todos.clear();
        }
        for item in input["todos"].as_array().map(Vec::as_slice).unwrap_or_default() {
            let state = todo_state(item["status"].as_str().unwrap_or("pending"));
            let id = item["id"].as_str().map(str::to_owned);
            let text = item["content"].as_str();
            if let Some(known) = self.todos.iter_mut().find(|known| known.id.is_some() && known.id == id) {
                known.state = state;
                if let Some(text) = text {
                    known.text = Untrusted::new(text);
                }
            } else if self.todos.len() < TODOS_MAX {
                self.todos.push(TodoItem { id, text: Untrusted::new(text.unwrap_or_default()), state });
            }
        }
    }
}

fn result(block: &Value, facts: &mut FactsBuilder) {
    let Some(id) = block["tool_use_id"].as_str() else { return };
    let output = match &block["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    };
    facts.result(id, &ToolResult { is_error: block["is_error"] == true, exit_status: None, output });
}

/// What the model thought is blacked out in place; it is no message.
fn say(text: &str, facts: &mut FactsBuilder) {
    let text = text.replace("[REDACTED]", "");
    if !text.trim().is_empty() {
        facts.message(text.trim());
    }
}

/// A prompt stands in an element of its own among what the program adds.
fn is_prompt(text: &str) -> bool {
    match text.split_once("<user_query>") {
        Some((_, rest)) => user_words(rest.split("</user_query>").next().unwrap_or(rest)).is_some(),
        None => user_words(text).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{CommandState, TestResult, TranscriptFacts};
    use serde_json::json;

    fn read(lines: &[Value]) -> TranscriptFacts {
        let mut facts = FactsBuilder::default();
        let mut cursor = CursorTranscript::default();
        for line in lines {
            cursor.line(line.to_string().as_bytes(), &mut facts);
        }
        facts.finish()
    }

    fn says(role: &str, blocks: Value) -> Value {
        let mut line = json!({"role": role, "message": {}});
        line["message"]["content"] = blocks;
        line
    }

    fn uses(name: &str, input: Value) -> Value {
        let mut block = json!({"type": "tool_use", "name": name});
        block["input"] = input;
        says("assistant", vec![block].into())
    }

    #[test]
    fn a_turn_is_read() {
        let facts = read(&[
            says(
                "user",
                json!([{"type": "text", "text": "<timestamp>Thursday, Jul 23, 2026, 1:18 PM (UTC+9)</timestamp>\n<user_query>\nRun the tests.\n</user_query>"}]),
            ),
            says(
                "assistant",
                json!([
                    {"type": "text", "text": "I'll run them now.\n\n[REDACTED]"},
                    {"type": "tool_use", "name": "Shell", "input": {"command": "go test ./...", "description": "tests"}},
                ]),
            ),
            says("assistant", json!([{"type": "text", "text": "[REDACTED]"}])),
            says("assistant", json!([{"type": "text", "text": "DONE"}])),
            json!({"type": "turn_ended", "status": "success"}),
        ]);
        assert_eq!((facts.last_prompt_step, facts.interrupted), (1, false));
        assert_eq!(facts.commands[0].test_result(), Some(TestResult::Unknown));
        assert_eq!(facts.last_message.as_ref().map(Untrusted::inspect), Some("DONE"));
        assert_eq!(facts.limits, ["what tools returned is not recorded"]);
    }

    #[test]
    fn edits_count_as_made() {
        let facts = read(&[
            uses("StrReplace", json!({"path": "/w/a.go", "old_string": "a", "new_string": "b"})),
            uses("Write", json!({"path": "/w/b.go", "contents": "x"})),
            uses("Delete", json!({"path": "/w/c.go"})),
            uses("EditNotebook", json!({"target_notebook": "/w/d.ipynb"})),
            uses("ApplyPatch", json!("*** Begin Patch\n*** Update File: /w/e.go\n*** End Patch")),
            uses("Read", json!({"path": "/w/f.go"})),
        ]);
        let paths: Vec<_> = facts.edits.iter().map(|edit| edit.path.as_str()).collect();
        assert_eq!(paths, ["/w/a.go", "/w/b.go", "/w/c.go", "/w/d.ipynb", "/w/e.go"]);
    }

    #[test]
    fn results_are_read_where_they_are_recorded() {
        let facts = read(&[
            says(
                "assistant",
                json!([{"type": "tool_use", "id": "t1", "name": "Shell", "input": {"command": "pytest"}}]),
            ),
            says(
                "user",
                json!([{"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": "1 failed in 0.1s"}]),
            ),
        ]);
        assert_eq!((facts.commands[0].state, facts.last_prompt_step), (CommandState::Failed, 0));
        assert!(facts.limits.is_empty());
    }

    #[test]
    fn the_list_is_merged_by_id() {
        let facts = read(&[
            uses(
                "TodoWrite",
                json!({"merge": false, "todos": [{"id": "1", "content": "a", "status": "in_progress"}, {"id": "2", "content": "b", "status": "pending"}, {"id": "3", "content": "c", "status": "pending"}]}),
            ),
            uses(
                "TodoWrite",
                json!({"merge": true, "todos": [{"id": "1", "status": "completed"}, {"id": "3", "status": "cancelled"}]}),
            ),
        ]);
        assert_eq!(facts.open_todos().map(|item| item.text.inspect()).collect::<Vec<_>>(), ["b"]);
        assert_eq!(facts.todos.len(), 3);
        let many: Vec<Value> = (0..=TODOS_MAX)
            .map(|number| json!({"id": number.to_string(), "content": "x", "status": "pending"}))
            .collect();
        assert_eq!(read(&[uses("TodoWrite", json!({"todos": many}))]).todos.len(), TODOS_MAX);
    }

    #[test]
    fn background_delegation_and_interruption_are_told() {
        let facts = read(&[
            uses("Shell", json!({"command": "npm run dev", "block_until_ms": 0})),
            uses("Task", json!({"description": "explore"})),
            json!({"type": "turn_ended", "status": "aborted", "error": "User aborted/interrupted manually."}),
        ]);
        assert_eq!(facts.commands[0].state, CommandState::Running);
        assert!(facts.delegation_step.is_some() && facts.interrupted);
    }

    #[test]
    fn unreadable_lines_are_passed_over() {
        let mut facts = FactsBuilder::default();
        for line in [
            "{",
            "null",
            "[]",
            "{\"role\":7}",
            "{\"role\":\"user\"}",
            "{\"role\":\"user\",\"message\":{\"content\":\"fix the bug\"}}",
        ] {
            CursorTranscript::default().line(line.as_bytes(), &mut facts);
        }
        let facts = facts.finish();
        assert_eq!((facts.tool_calls, facts.last_prompt_step), (0, 1));
        assert!(!facts.limits.is_empty());
    }
}
