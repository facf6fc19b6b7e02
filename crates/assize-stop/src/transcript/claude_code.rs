//! Transcripts of Claude Code: one JSON object a line.
//!
//! The format is declared internal by its makers, so everything unknown is passed over.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use assize_core::text::Untrusted;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{FactsBuilder, TodoItem, TodoState, ToolCall, ToolResult, TranscriptFormat};
use crate::directive::user_words;

/// Reads transcripts of Claude Code and of agents that write the same shape.
#[derive(Debug, Default)]
pub struct ClaudeCodeTranscript {
    /// Whether it is that of a subagent, which has a file of its own.
    pub of_subagent: bool,
}

/// A line in which every block has the shape that is known. Most lines are read this way, in one
/// pass; the others block by block.
#[derive(Deserialize)]
struct ClaudeLine<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(rename = "isSidechain", default)]
    is_sidechain: bool,
    #[serde(rename = "isMeta", default)]
    is_meta: bool,
    #[serde(borrow, default)]
    message: Option<ClaudeMessage<'a>>,
}

#[derive(Deserialize)]
struct ClaudeMessage<'a> {
    #[serde(borrow, default)]
    content: Option<TextOr<'a, ClaudeBlock<'a>>>,
}

/// What may be a text or a list.
enum TextOr<'a, T> {
    Text(Cow<'a, str>),
    List(Vec<T>),
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for TextOr<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<'a, T>(PhantomData<(&'a str, T)>);
        impl<'de: 'a, 'a, T: Deserialize<'de>> Visitor<'de> for Either<'a, T> {
            type Value = TextOr<'a, T>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text or a list")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(TextOr::Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(TextOr::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(TextOr::List(list))
            }
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
}

#[derive(Deserialize)]
struct ClaudeBlock<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_use_id: Option<Cow<'a, str>>,
    #[serde(default)]
    is_error: Option<bool>,
    #[serde(borrow, default)]
    content: Option<TextOr<'a, ClaudeResultPart<'a>>>,
}

/// A part of a tool's result; the text ones count.
#[derive(Deserialize)]
struct ClaudeResultPart<'a> {
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
}

/// A line of which one block has another shape: the blocks stay raw, so that it does not spoil its
/// neighbours.
#[derive(Deserialize)]
struct OddLine<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(rename = "isSidechain", default)]
    is_sidechain: bool,
    #[serde(rename = "isMeta", default)]
    is_meta: bool,
    #[serde(borrow, default)]
    message: Option<OddMessage<'a>>,
}

#[derive(Deserialize)]
struct OddMessage<'a> {
    #[serde(borrow, default)]
    content: Option<TextOr<'a, &'a RawValue>>,
}

impl<'a> OddLine<'a> {
    fn into_line(self) -> ClaudeLine<'a> {
        let content = self.message.and_then(|message| message.content).map(|content| match content {
            TextOr::Text(text) => TextOr::Text(text),
            TextOr::List(raw) => {
                TextOr::List(raw.into_iter().filter_map(|block| serde_json::from_str(block.get()).ok()).collect())
            }
        });
        let message = Some(ClaudeMessage { content });
        ClaudeLine { kind: self.kind, is_sidechain: self.is_sidechain, is_meta: self.is_meta, message }
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Input {
    command: String,
    run_in_background: bool,
    file_path: String,
    notebook_path: String,
    todos: Vec<ClaudeTodo>,
    subject: String,
    #[serde(rename = "taskId")]
    task_id: String,
    status: String,
}

#[derive(Deserialize)]
struct ClaudeTodo {
    content: String,
    #[serde(default)]
    status: String,
}

impl TranscriptFormat for ClaudeCodeTranscript {
    fn line(&mut self, line: &[u8], facts: &mut FactsBuilder) {
        // Only two kinds of line matter; the others can be large.
        let Ok(text) = std::str::from_utf8(line) else {
            facts.limit("lines that are not UTF-8 were passed over");
            return;
        };
        if text.trim().is_empty() {
            return;
        }
        let read = serde_json::from_str::<ClaudeLine<'_>>(text)
            .or_else(|_| serde_json::from_str::<OddLine<'_>>(text).map(OddLine::into_line));
        let Ok(line) = read else {
            facts.limit("lines that cannot be read were passed over");
            return;
        };
        // What a subagent does is its own business until it reports.
        if line.is_sidechain && !self.of_subagent {
            return;
        }
        let Some(content) = line.message.and_then(|message| message.content) else { return };
        match line.kind.as_deref() {
            Some("user") => user(content, line.is_meta, facts),
            Some("assistant") => assistant(content, facts),
            _ => {}
        }
    }
}

fn user(content: TextOr<'_, ClaudeBlock<'_>>, is_meta: bool, facts: &mut FactsBuilder) {
    let blocks = match content {
        TextOr::Text(text) => return prompt(&text, is_meta, facts),
        TextOr::List(blocks) => blocks,
    };
    for block in blocks {
        match (block.kind.as_deref(), &block.tool_use_id) {
            (Some("tool_result"), Some(id)) => {
                let output = block.content.map(result_text).unwrap_or_default();
                let is_error = block.is_error.unwrap_or(false);
                let exit_status = is_error.then(|| exit_status(&output)).flatten();
                facts.result(id, &ToolResult { is_error, exit_status, output });
            }
            (Some("text"), _) => prompt(block.text.as_deref().unwrap_or_default(), is_meta, facts),
            _ => {}
        }
    }
}

fn prompt(text: &str, is_meta: bool, facts: &mut FactsBuilder) {
    if text.starts_with("[Request interrupted by user") {
        facts.interrupted();
    } else if !is_meta && let Some(words) = user_words(text) {
        facts.prompt(&words);
    }
}

fn assistant(content: TextOr<'_, ClaudeBlock<'_>>, facts: &mut FactsBuilder) {
    let blocks = match content {
        TextOr::Text(text) => return facts.message(&text),
        TextOr::List(blocks) => blocks,
    };
    for block in blocks {
        match block.kind.as_deref() {
            Some("text") => facts.message(block.text.as_deref().unwrap_or_default()),
            Some("tool_use") => {
                let name = block.name.as_deref().unwrap_or_default();
                let input = block.input.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
                facts.call(block.id.as_deref().unwrap_or_default(), tool_call(name, input));
            }
            _ => {}
        }
    }
}

fn tool_call(name: &str, input: Input) -> ToolCall {
    match name {
        "Bash" | "PowerShell" => ToolCall::Command { command: input.command, background: input.run_in_background },
        "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
            let path = if input.file_path.is_empty() { input.notebook_path } else { input.file_path };
            ToolCall::Edit { paths: vec![path] }
        }
        "TodoWrite" => ToolCall::Todos(
            input
                .todos
                .into_iter()
                .map(|todo| TodoItem { id: None, text: Untrusted::new(todo.content), state: todo_state(&todo.status) })
                .collect(),
        ),
        "TaskCreate" => {
            ToolCall::TodoAdded(TodoItem { id: None, text: Untrusted::new(input.subject), state: TodoState::Pending })
        }
        "TaskUpdate" if !input.status.is_empty() => {
            ToolCall::TodoMoved { id: input.task_id, state: todo_state(&input.status) }
        }
        "Task" | "Agent" => ToolCall::Delegation,
        name if name.starts_with("mcp__") => ToolCall::Delegation,
        _ => ToolCall::Other,
    }
}

fn todo_state(status: &str) -> TodoState {
    match status {
        "pending" => TodoState::Pending,
        "in_progress" => TodoState::InProgress,
        _ => TodoState::Closed,
    }
}

fn result_text(content: TextOr<'_, ClaudeResultPart<'_>>) -> String {
    match content {
        TextOr::Text(text) => text.into_owned(),
        TextOr::List(parts) => parts.into_iter().filter_map(|part| part.text).collect::<Vec<_>>().join("\n"),
    }
}

/// A failed command's result opens with `Exit code N`.
fn exit_status(output: &str) -> Option<i64> {
    let rest = output.trim_start().strip_prefix("Exit code ")?;
    rest.split(|character: char| !character.is_ascii_digit() && character != '-').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{CommandState, TestResult, TranscriptFacts};

    fn read(lines: &[&str]) -> TranscriptFacts {
        let mut builder = FactsBuilder::default();
        for line in lines {
            ClaudeCodeTranscript::default().line(line.as_bytes(), &mut builder);
        }
        builder.finish()
    }

    const RUN: &str = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cargo test","description":"x"}}]}}"#;

    #[test]
    fn commands_and_their_results_are_read() {
        let facts = read(&[
            r#"{"type":"user","message":{"role":"user","content":"Fix it"},"promptId":"p"}"#,
            RUN,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"Exit code 101\ntest result: FAILED. 1 passed; 1 failed; 0 ignored"}]},"toolUseResult":"Error: x"}"#,
        ]);
        assert_eq!(facts.commands[0].state, CommandState::Failed);
        assert_eq!(facts.commands[0].test_result(), Some(TestResult::Failed));
        assert_eq!((facts.tool_calls, facts.tool_errors, facts.last_prompt_step), (1, 1, 1));
    }

    #[test]
    fn edits_todos_and_messages_are_read() {
        let facts = read(&[
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/w/a.rs","content":"x"}}]}}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"ok"}]}]}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"TodoWrite","input":{"todos":[{"content":"a","status":"completed","activeForm":"x"},{"content":"b","status":"in_progress"}]}}]}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}"#,
        ]);
        assert_eq!(facts.edits[0].path, "/w/a.rs");
        assert_eq!(facts.open_todos().map(|item| item.text.inspect()).collect::<Vec<_>>(), ["b"]);
        assert_eq!(facts.last_message.as_ref().map(Untrusted::inspect), Some("Done."));
    }

    #[test]
    fn tasks_are_followed_by_their_number() {
        let facts = read(&[
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"TaskCreate","input":{"subject":"a"}}]}}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"Task #7 created successfully: a"}]}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"TaskUpdate","input":{"taskId":"7","status":"completed"}}]}}"#,
        ]);
        assert_eq!((facts.todos.len(), facts.open_todos().count()), (1, 0));
    }

    #[test]
    fn an_odd_block_does_not_spoil_its_neighbours() {
        let facts = read(&[
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":{"odd":1}},{"type":"text","text":"Done."},7]}}"#,
        ]);
        assert_eq!(facts.last_message.as_ref().map(Untrusted::inspect), Some("Done."));
    }

    #[test]
    fn interruptions_and_sidechains_are_told_apart() {
        assert!(
            read(&[
                r#"{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}"#
            ])
            .interrupted
        );
        let facts =
            read(&[r#"{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"sub"}]}}"#]);
        assert_eq!(facts.last_message, None);
    }

    #[test]
    fn unreadable_lines_are_passed_over_and_counted_as_a_limit() {
        let facts = read(&[
            "{",
            "null",
            "[]",
            "\u{0}",
            r#"{"type":"new-kind","x":1}"#,
            r#"{"type":"user","message":{"content":7}}"#,
        ]);
        assert_eq!(facts.tool_calls, 0);
        assert!(!facts.limits.is_empty());
    }
}
