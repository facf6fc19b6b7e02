//! Transcripts of GitHub Copilot CLI: one event a line, `{"type","data","id","timestamp",
//! "parentId"}`, in `~/.copilot/session-state/<session>/events.jsonl`.
//!
//! The events follow `nodejs/src/generated/session-events.ts` of github/copilot-sdk and recorded
//! sessions of versions 0.0.407 to 1.0.76. What a shell tool answers is prose with a mark at its
//! end: `<exited with exit code N>`, `<shellId: X completed with exit code N>` or `<command with id:
//! X exited with exit code N>` when the command is over, `<command with shellId: X is still
//! running …>` and `<command started in background with shellId: X>` when it is not. `update_todo`
//! is undocumented; its list is read as Markdown or as items, both inferred. Lists that newer
//! versions keep in a database (the `sql` tool) are not read.

use std::borrow::Cow;
use std::collections::HashMap;

use assize_core::text::Untrusted;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{
    FactsBuilder, TodoItem, TodoState, ToolCall, ToolResult, TranscriptFormat, patch_paths, read_line, todo_state,
};
use crate::directive::user_words;

/// Calls and shells that are remembered at one time; further ones are not followed.
pub const FOLLOWED_MAX: usize = 1_000;

/// Reads transcripts of GitHub Copilot CLI.
#[derive(Debug, Default)]
pub struct CopilotTranscript {
    calls: HashMap<String, CopilotCall>,
    /// Commands that outlasted their wait, by the shell that continues them.
    shells: HashMap<String, String>,
}

/// What a call's result is to be read for.
#[derive(Debug)]
enum CopilotCall {
    /// Ends a command, which may run in a shell of this name.
    Command { shell: Option<String> },
    /// Continues the command in this shell.
    Poll { shell: String },
    /// Ends any other call.
    Other,
}

#[derive(Deserialize)]
struct CopilotLine<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(rename = "agentId", borrow)]
    agent: Option<Cow<'a, str>>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Data {
    content: Value,
    source: Option<String>,
    reason: String,
    #[serde(rename = "parentToolCallId")]
    parent: Option<String>,
    #[serde(rename = "toolCallId")]
    id: String,
    #[serde(rename = "toolName")]
    tool: String,
    #[serde(rename = "mcpServerName")]
    server: Option<String>,
    arguments: Value,
    success: Option<bool>,
    result: Value,
    error: Value,
}

impl TranscriptFormat for CopilotTranscript {
    fn line(&mut self, line: &[u8], facts: &mut FactsBuilder) {
        let Some(line) = read_line::<CopilotLine<'_>>(line, facts) else { return };
        let wanted = ["user.message", "assistant.message", "tool.execution_start", "tool.execution_complete", "abort"];
        let Some(kind) = line.kind.as_deref().filter(|kind| wanted.contains(kind)) else { return };
        let Some(data) = line.data.and_then(|raw| serde_json::from_str::<Data>(raw.get()).ok()) else { return };
        // What a subagent does is its own business until it reports.
        if line.agent.is_some() || data.parent.is_some() {
            return;
        }
        match kind {
            "user.message" => {
                let typed =
                    data.source.as_deref().is_none_or(|source| source == "user" || source.starts_with("command"));
                if typed && let Some(words) = user_words(&text_of(&data.content)) {
                    facts.prompt(&words);
                }
            }
            "assistant.message" => {
                let text = text_of(&data.content);
                if !text.trim().is_empty() {
                    facts.message(&text);
                }
            }
            "tool.execution_start" => self.start(&data, facts),
            "tool.execution_complete" => self.complete(&data, facts),
            _ => {
                // Older versions say `user_interrupt`; other reasons are the program's own.
                if data.reason.is_empty() || data.reason.starts_with("user") {
                    facts.interrupted();
                }
            }
        }
    }
}

impl CopilotTranscript {
    fn start(&mut self, data: &Data, facts: &mut FactsBuilder) {
        let parsed = match &data.arguments {
            Value::String(text) => serde_json::from_str(text).ok(),
            _ => None,
        };
        let arguments = parsed.as_ref().unwrap_or(&data.arguments);
        let text = |key: &str| arguments[key].as_str().unwrap_or_default().to_owned();
        let shell = || ["shellId", "sessionId"].iter().find_map(|key| arguments[*key].as_str().map(str::to_owned));
        let (call, follow) = match data.tool.as_str() {
            _ if data.server.is_some() => (ToolCall::Delegation, CopilotCall::Other),
            "bash" | "powershell" | "local_shell" | "shell" => {
                // The result also says whether the command continues in the background. The result counts.
                (
                    ToolCall::Command { command: text("command"), background: false },
                    CopilotCall::Command { shell: shell() },
                )
            }
            "read_bash" | "read_powershell" | "write_bash" | "write_powershell" | "stop_bash" | "stop_powershell" => {
                (ToolCall::Other, CopilotCall::Poll { shell: shell().unwrap_or_default() })
            }
            "str_replace_editor" if text("command") == "view" => (ToolCall::Other, CopilotCall::Other),
            "edit" | "create" | "write" | "str_replace_editor" | "str_replace" | "insert" => {
                let path = if text("path").is_empty() { text("file_path") } else { text("path") };
                (ToolCall::Edit { paths: vec![path] }, CopilotCall::Other)
            }
            "apply_patch" => {
                let patch = data.arguments.as_str().map_or_else(|| text("patch") + &text("input"), str::to_owned);
                (ToolCall::Edit { paths: patch_paths(&patch) }, CopilotCall::Other)
            }
            "update_todo" => (ToolCall::Todos(todos(&arguments["todos"])), CopilotCall::Other),
            "view"
            | "glob"
            | "grep"
            | "rg"
            | "report_intent"
            | "ask_user"
            | "web_fetch"
            | "web_search"
            | "skill"
            | "sql"
            | "store_memory"
            | "list_bash"
            | "list_powershell"
            | "exit_plan_mode"
            | "task_complete"
            | "read"
            | "session_artifacts"
            | "fetch_copilot_cli_documentation" => (ToolCall::Other, CopilotCall::Other),
            // What is left are subagents and tools of extensions.
            _ => (ToolCall::Delegation, CopilotCall::Other),
        };
        facts.call(&data.id, call);
        if self.calls.len() < FOLLOWED_MAX {
            self.calls.insert(data.id.clone(), follow);
        }
    }

    fn complete(&mut self, data: &Data, facts: &mut FactsBuilder) {
        let output = result_text(&data.result, &data.error);
        let failed = data.success == Some(false);
        match self.calls.remove(&data.id) {
            Some(CopilotCall::Command { shell }) => {
                let status = exit_status(&data.result, &output);
                let id = data.id.clone();
                self.end_command(id, shell, status, failed, &output, facts);
            }
            Some(CopilotCall::Poll { shell }) => {
                facts.result(&data.id, &ToolResult { is_error: failed, ..ToolResult::default() });
                if let Some(id) = self.shells.remove(&shell) {
                    let status = exit_status(&data.result, &output);
                    self.end_command(id, Some(shell), status, false, &output, facts);
                }
            }
            Some(CopilotCall::Other) => {
                facts.result(&data.id, &ToolResult { is_error: failed, exit_status: None, output });
            }
            None => {}
        }
    }

    fn end_command(
        &mut self,
        id: String,
        shell: Option<String>,
        status: Option<i64>,
        failed: bool,
        output: &str,
        facts: &mut FactsBuilder,
    ) {
        if status.is_some() || failed {
            let is_error = failed || status.is_some_and(|status| status != 0);
            facts.result(&id, &ToolResult { is_error, exit_status: status, output: output.to_owned() });
            return;
        }
        facts.output(&id, output);
        if let Some(shell) = mark(output).and_then(shell_name).or(shell)
            && self.shells.len() < FOLLOWED_MAX
        {
            self.shells.insert(shell, id);
        }
    }
}

/// A content is a string or a list of blocks of which the text ones count.
fn text_of(raw: &Value) -> String {
    match raw {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

fn result_text(result: &Value, error: &Value) -> String {
    let text = match result {
        Value::String(text) => text.as_str(),
        other => other["content"].as_str().or_else(|| other["detailedContent"].as_str()).unwrap_or_default(),
    };
    if text.is_empty() { error["message"].as_str().unwrap_or_default().to_owned() } else { text.to_owned() }
}

/// Lends the mark `<…>` that ends what a shell tool answers.
fn mark(output: &str) -> Option<&str> {
    output.trim_end().lines().next_back()?.trim().strip_prefix('<')?.strip_suffix('>')
}

fn exit_status(result: &Value, output: &str) -> Option<i64> {
    let contents = result["contents"].as_array().map(Vec::as_slice).unwrap_or_default();
    let told = contents.iter().find(|part| part["type"] == "shell_exit").and_then(|part| part["exitCode"].as_i64());
    told.or_else(|| mark(output)?.split_once("exit code ")?.1.trim().parse().ok())
}

/// Reads the shell's name from a mark which says that the command is still running.
fn shell_name(mark: &str) -> Option<String> {
    let rest = ["shellId: ", "sessionId: ", "with id: "].iter().find_map(|label| mark.split_once(label))?.1;
    Some(rest.split_whitespace().next()?.to_owned())
}

fn todos(raw: &Value) -> Vec<TodoItem> {
    let item = |text: &str, state| TodoItem { id: None, text: Untrusted::new(text.trim()), state };
    if let Some(text) = raw.as_str() {
        let open = text.lines().filter_map(|line| {
            let rest = line.trim_start().trim_start_matches(['-', '*', '+']).trim_start();
            let (mark, text) = rest.strip_prefix('[')?.split_once(']')?;
            Some(item(text, if mark.trim().is_empty() { TodoState::Pending } else { TodoState::Closed }))
        });
        return open.collect();
    }
    let items = raw.as_array().map(Vec::as_slice).unwrap_or_default();
    items
        .iter()
        .filter_map(|entry| {
            let text = entry["content"].as_str().or_else(|| entry["title"].as_str())?;
            Some(item(text, todo_state(entry["status"].as_str()?)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{CommandState, TestResult, TranscriptFacts};
    use serde_json::json;

    fn read(lines: &[Value]) -> TranscriptFacts {
        let mut facts = FactsBuilder::default();
        let mut copilot = CopilotTranscript::default();
        for line in lines {
            copilot.line(line.to_string().as_bytes(), &mut facts);
        }
        facts.finish()
    }

    fn event(kind: &str, data: Value) -> Value {
        let mut event =
            json!({"type": kind, "id": "5d9ed826", "timestamp": "2026-07-30T01:56:54.006Z", "parentId": null});
        event["data"] = data;
        event
    }

    fn start(id: &str, tool: &str, arguments: Value) -> Value {
        let mut data = json!({"toolCallId": id, "toolName": tool, "turnId": "0"});
        data["arguments"] = arguments;
        event("tool.execution_start", data)
    }

    fn complete(id: &str, success: bool, content: &str) -> Value {
        event(
            "tool.execution_complete",
            json!({"toolCallId": id, "success": success, "result": {"content": content, "detailedContent": content}}),
        )
    }

    #[test]
    fn prompts_messages_and_interruptions_are_read() {
        let facts = read(&[
            event("session.start", json!({"sessionId": "s", "copilotVersion": "1.0.76"})),
            event(
                "user.message",
                json!({"content": "fix the parser", "transformedContent": "<current_datetime>x</current_datetime>fix the parser", "attachments": []}),
            ),
            event("user.message", json!({"content": "keep going", "source": "autopilot"})),
            event("assistant.message", json!({"messageId": "m", "content": "", "toolRequests": []})),
            event("assistant.message", json!({"messageId": "m", "content": "Fixed.", "toolRequests": []})),
            event("abort", json!({"reason": "user_initiated"})),
        ]);
        assert_eq!((facts.last_prompt_step, facts.interrupted), (1, true));
        assert_eq!(facts.last_message.as_ref().map(Untrusted::inspect), Some("Fixed."));
        assert!(!read(&[event("abort", json!({"reason": "tool_failure"}))]).interrupted);
    }

    #[test]
    fn every_mark_tells_the_status() {
        for (content, state) in [
            ("12 passed in 0.1s\n<exited with exit code 0>", CommandState::Succeeded),
            ("1 failed in 0.1s\n<exited with exit code 1>", CommandState::Failed),
            ("1 failed in 0.1s\n<shellId: 0 completed with exit code 1>\n", CommandState::Failed),
            ("12 passed in 0.1s\n<command with id: 0 exited with exit code 0>", CommandState::Succeeded),
            ("12 passed in 0.1s", CommandState::Unknown),
            ("", CommandState::Unknown),
            ("see <exited with exit code 0> above", CommandState::Unknown),
        ] {
            let facts = read(&[
                start("c1", "bash", json!({"command": "pytest", "mode": "sync"})),
                complete("c1", true, content),
            ]);
            assert_eq!(facts.commands[0].state, state, "{content}");
        }
        let told = event(
            "tool.execution_complete",
            json!({"toolCallId": "c1", "success": true,
            "result": {"content": "x", "contents": [{"type": "shell_exit", "shellId": "0", "exitCode": 2}]}}),
        );
        assert_eq!(
            read(&[start("c1", "powershell", json!({"command": "npm test"})), told]).commands[0].state,
            CommandState::Failed
        );
        let denied = event(
            "tool.execution_complete",
            json!({"toolCallId": "c1", "success": false, "error": {"message": "denied", "code": "denied"}}),
        );
        assert_eq!(
            read(&[start("c1", "bash", json!({"command": "npm test"})), denied]).commands[0].state,
            CommandState::Failed
        );
    }

    #[test]
    fn a_command_that_outlasts_its_wait_is_followed() {
        let mut lines = vec![
            start("c1", "bash", json!({"command": "npm test", "initial_wait": 30, "mode": "sync"})),
            complete(
                "c1",
                true,
                "> jest\n<command with shellId: 7 is still running after 30 seconds. Use read_bash to continue waiting for output, or stop_bash to stop it.>",
            ),
        ];
        assert_eq!(read(&lines).commands[0].state, CommandState::Unknown);
        lines.push(start("c2", "read_bash", json!({"shellId": "7", "delay": 10})));
        lines.push(complete("c2", true, "<command with shellId: 7 is still running after 10 seconds.>"));
        lines.push(start("c3", "read_bash", json!({"shellId": "7", "delay": 10})));
        lines.push(complete(
            "c3",
            true,
            "Tests:       1 failed, 2 passed, 3 total\n<shellId: 7 completed with exit code 1>",
        ));
        let facts = read(&lines);
        assert_eq!((facts.commands.len(), facts.commands[0].test_result()), (1, Some(TestResult::Failed)));

        let facts = read(&[
            start("c1", "powershell", json!({"command": "npm test", "mode": "async", "shellId": "tests"})),
            complete("c1", true, "<command started in background with shellId: tests>"),
            start("c2", "stop_powershell", json!({"shellId": "tests"})),
            complete("c2", true, "<command with id: tests stopped>"),
        ]);
        assert_eq!(facts.commands[0].state, CommandState::Unknown);
    }

    #[test]
    fn edits_are_read_from_every_tool() {
        let facts = read(&[
            start("e1", "edit", json!({"path": "/w/src/a.rs", "old_str": "a", "new_str": "b"})),
            complete("e1", true, "File updated"),
            start("e2", "create", json!({"path": "/w/src/b.rs", "file_text": "x"})),
            complete("e2", false, ""),
            start(
                "e3",
                "apply_patch",
                json!(
                    "*** Begin Patch\n*** Update File: /w/src/c.rs\n@@\n-a\n+b\n*** Add File: d.rs\n+x\n*** End Patch"
                ),
            ),
            complete("e3", true, "Done"),
            start("e4", "str_replace_editor", json!({"command": "view", "path": "/w/src/e.rs"})),
            complete("e4", true, "fn main() {}"),
            start("e5", "edit", json!("{\"path\":\"/w/src/f.rs\"}")),
            complete("e5", true, "ok"),
        ]);
        let paths: Vec<_> = facts.edits.iter().map(|edit| edit.path.as_str()).collect();
        assert_eq!(paths, ["/w/src/a.rs", "/w/src/c.rs", "d.rs", "/w/src/f.rs"]);
        assert!(facts.delegation_step.is_none());
    }

    #[test]
    fn lists_are_read_in_either_shape() {
        for todos in [
            json!("- [x] a\n- [ ] b"),
            json!([{"content": "a", "status": "completed"}, {"title": "b", "status": "in_progress"}]),
        ] {
            let facts = read(&[start("t", "update_todo", json!({"todos": todos}))]);
            assert_eq!(facts.open_todos().map(|item| item.text.inspect()).collect::<Vec<_>>(), ["b"]);
        }
    }

    #[test]
    fn subagents_are_left_out_and_said_to_have_been_called() {
        let mut nested = start("n1", "bash", json!({"command": "npm test"}));
        nested["agentId"] = json!("agent-3");
        let child = event(
            "tool.execution_start",
            json!({"toolCallId": "n2", "toolName": "edit", "arguments": {"path": "a"}, "parentToolCallId": "c1"}),
        );
        let facts = read(&[start("c1", "task", json!({"description": "test it"})), nested, child]);
        assert_eq!((facts.tool_calls, facts.commands.len()), (1, 0));
        assert!(facts.delegation_step.is_some());
        let mcp = event(
            "tool.execution_start",
            json!({"toolCallId": "m", "toolName": "edit", "mcpServerName": "ide", "arguments": {}}),
        );
        assert!(read(&[mcp]).delegation_step.is_some());
    }

    #[test]
    fn what_is_followed_is_bounded() {
        let mut copilot = CopilotTranscript::default();
        let mut facts = FactsBuilder::default();
        for number in 0..=FOLLOWED_MAX {
            copilot
                .line(start(&number.to_string(), "bash", json!({"command": "ls"})).to_string().as_bytes(), &mut facts);
        }
        assert_eq!(copilot.calls.len(), FOLLOWED_MAX);
    }

    #[test]
    fn unreadable_lines_are_passed_over() {
        let mut facts = FactsBuilder::default();
        for line in [
            "{",
            "null",
            "[]",
            "{\"type\":\"user.message\",\"data\":7}",
            "{\"type\":\"user.message\"}",
            "{\"type\":\"session.idle\",\"data\":{}}",
        ] {
            CopilotTranscript::default().line(line.as_bytes(), &mut facts);
        }
        let facts = facts.finish();
        assert_eq!((facts.tool_calls, facts.last_prompt_step), (0, 0));
        assert!(!facts.limits.is_empty());
    }
}
