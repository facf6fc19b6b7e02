//! Writes transcripts as Claude Code does, after what version 2.1.197 was seen to write.
//!
//! One block a line, tool results as lines of the user, and the lines in between that no reader of
//! facts needs. Clock and ids are counters, so that two runs write the same.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::ScenarioTodo;

/// The model that is written down.
pub(super) const MODEL: &str = "claude-opus-4-8";
/// What the agent calls the states of its list's items.
pub(super) const TODO_STATES: [&str; 4] = ["pending", "in_progress", "completed", "deleted"];

/// A transcript that is being written.
pub(super) struct Transcript {
    path: PathBuf,
    file: File,
    cwd: PathBuf,
    session: String,
    prompt_id: String,
    last_uuid: Option<String>,
    lines: u32,
    calls: u32,
    list: Vec<ScenarioTodo>,
}

impl Transcript {
    pub(super) fn create(path: &Path, session: &str, cwd: &Path) -> Self {
        let file = OpenOptions::new().create(true).append(true).open(path).expect("a transcript");
        Self {
            path: path.to_owned(),
            file,
            cwd: cwd.to_owned(),
            session: session.to_owned(),
            prompt_id: String::new(),
            last_uuid: None,
            lines: 0,
            calls: 0,
            list: Vec::new(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn cwd(&self) -> &Path {
        &self.cwd
    }

    pub(super) fn prompt(&mut self, text: &str, prompt_id: &str) {
        prompt_id.clone_into(&mut self.prompt_id);
        self.aside(json!({"type": "queue-operation", "operation": "enqueue", "content": text}));
        self.aside(json!({"type": "queue-operation", "operation": "dequeue"}));
        self.line(json!({
            "type": "user",
            "message": {"role": "user", "content": text},
            "permissionMode": "acceptEdits",
            "promptSource": "typed",
        }));
        self.line(json!({
            "type": "attachment",
            "attachment": {"type": "skill_listing", "content": "- verify: Verify that a code change does what it's supposed to"},
        }));
    }

    pub(super) fn says(&mut self, text: &str, last: bool) {
        let reason = if last { "end_turn" } else { "tool_use" };
        self.block(&json!({"type": "text", "text": text}), reason);
        if last {
            self.aside(json!({"type": "last-prompt", "leafUuid": self.last_uuid}));
        }
    }

    pub(super) fn read(&mut self, place: &Path, text: &str) {
        let numbered: Vec<String> =
            text.lines().enumerate().map(|(index, line)| format!("{}\t{line}", index + 1)).collect();
        self.call("Read", &json!({"file_path": place}), &numbered.join("\n"), &json!({"type": "text"}), false);
    }

    pub(super) fn edit(&mut self, place: &Path, old: &str, new: &str) {
        let (old, new) = difference(old, new);
        let input = json!({"file_path": place, "old_string": old, "new_string": new, "replace_all": false});
        let result = format!("The file {} has been updated successfully.", place.display());
        self.call("Edit", &input, &result, &json!({"filePath": place, "userModified": false}), false);
    }

    pub(super) fn failed_edit(&mut self, place: &Path) {
        let input = json!({"file_path": place, "old_string": "old", "new_string": "new", "replace_all": false});
        let result = "<tool_use_error>String to replace not found in file.\nString: old</tool_use_error>";
        self.call("Edit", &input, result, &json!("Error: String to replace not found in file.\nString: old"), true);
    }

    pub(super) fn write(&mut self, place: &Path, text: &str) {
        let input = json!({"file_path": place, "content": text});
        let result = format!("File created successfully at: {}", place.display());
        self.call("Write", &input, &result, &json!({"type": "create", "filePath": place}), false);
    }

    pub(super) fn run(&mut self, command: &str, status: i32, output: &str, background: bool) {
        let mut input = json!({"command": command, "description": "Run a command"});
        if background {
            input["run_in_background"] = json!(true);
        }
        let output = output.trim_matches('\n');
        if status == 0 {
            let extra = json!({"stdout": output, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false});
            return self.call("Bash", &input, output, &extra, false);
        }
        let result = format!("Exit code {status}\n{output}");
        let extra = json!(format!("Error: {result}"));
        self.call("Bash", &input, &result, &extra, true);
    }

    pub(super) fn delegate(&mut self, task: &str, report: &str) {
        let input = json!({"description": task, "prompt": task, "subagent_type": "general-purpose"});
        self.call("Task", &input, report, &json!({"status": "completed"}), false);
    }

    /// Brings the agent's list into the given state, by the calls that Claude Code has for it.
    /// Sets the list: what is no longer in it is deleted.
    pub(super) fn todo(&mut self, items: &[ScenarioTodo]) {
        let gone = |known: &&ScenarioTodo| !items.iter().any(|item| item.text == known.text);
        let deleted = |known: &ScenarioTodo| ScenarioTodo { text: known.text.clone(), state: "deleted".to_owned() };
        let gone: Vec<ScenarioTodo> = self.list.iter().filter(gone).map(deleted).collect();
        for item in items.iter().chain(&gone) {
            let known = self.list.iter().position(|known| known.text == item.text);
            let number = known.unwrap_or(self.list.len()) + 1;
            if known.is_none() {
                let input = json!({"subject": item.text, "description": item.text, "activeForm": item.text});
                let result = format!("Task #{number} created successfully: {}", item.text);
                let extra = json!({"task": {"id": number.to_string(), "subject": item.text}});
                self.call("TaskCreate", &input, &result, &extra, false);
                self.list.push(ScenarioTodo { text: item.text.clone(), state: "pending".to_owned() });
            }
            if self.list[number - 1].state != item.state {
                let from = std::mem::replace(&mut self.list[number - 1].state, item.state.clone());
                let input = json!({"taskId": number.to_string(), "status": item.state});
                let extra = json!({"success": true, "updatedFields": ["status"], "statusChange": {"from": from, "to": item.state}});
                self.call("TaskUpdate", &input, &format!("Updated task #{number} status"), &extra, false);
            }
        }
    }

    pub(super) fn interrupted(&mut self) {
        let text = "[Request interrupted by user]";
        self.line(json!({"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": text}]}}));
    }

    pub(super) fn feedback(&mut self, reason: &str) {
        let text = format!("Stop hook feedback:\n{reason}");
        self.line(json!({"type": "user", "isMeta": true, "message": {"role": "user", "content": text}}));
        self.line(json!({
            "type": "attachment",
            "attachment": {"type": "hook_blocking_error", "hookName": "Stop", "hookEvent": "Stop", "blockingError": {"blockingError": reason}},
        }));
    }

    fn call(&mut self, name: &str, input: &Value, output: &str, extra: &Value, is_error: bool) {
        self.calls += 1;
        let id = format!("toolu_{:04}", self.calls);
        self.block(&json!({"type": "tool_use", "id": id, "name": name, "input": input}), "tool_use");
        let mut result = json!({"tool_use_id": id, "type": "tool_result", "content": output});
        if is_error || name == "Bash" {
            result["is_error"] = json!(is_error);
        }
        let caller = self.last_uuid.clone();
        self.line(json!({
            "type": "user",
            "message": {"role": "user", "content": [result]},
            "toolUseResult": extra,
            "sourceToolAssistantUUID": caller,
        }));
    }

    fn block(&mut self, block: &Value, stop_reason: &str) {
        let number = self.lines;
        self.line(json!({
            "type": "assistant",
            "message": {
                "id": format!("msg_{number:04}"),
                "type": "message",
                "role": "assistant",
                "model": MODEL,
                "content": [block],
                "stop_reason": stop_reason,
                "stop_sequence": null,
                "usage": {"input_tokens": 10, "cache_read_input_tokens": 0, "output_tokens": 7, "service_tier": "standard"},
            },
            "requestId": format!("req_{number:04}"),
        }));
    }

    /// Writes a line that belongs to the conversation.
    fn line(&mut self, mut line: Value) {
        let uuid = format!("00000000-0000-4000-8000-{:012x}", self.lines + 1);
        let object = line.as_object_mut().expect("an object");
        let is_user = object["type"] == "user";
        object.insert("parentUuid".to_owned(), json!(self.last_uuid));
        object.insert("isSidechain".to_owned(), json!(false));
        if is_user {
            object.insert("promptId".to_owned(), json!(self.prompt_id));
        }
        object.insert("uuid".to_owned(), json!(uuid));
        object.insert("timestamp".to_owned(), json!(self.timestamp()));
        object.insert("userType".to_owned(), json!("external"));
        object.insert("entrypoint".to_owned(), json!("cli"));
        object.insert("cwd".to_owned(), json!(self.cwd));
        object.insert("sessionId".to_owned(), json!(self.session));
        object.insert("version".to_owned(), json!("2.1.197"));
        object.insert("gitBranch".to_owned(), json!("main"));
        self.last_uuid = Some(uuid);
        self.put(&line);
    }

    /// Writes a line beside the conversation.
    fn aside(&mut self, mut line: Value) {
        let object = line.as_object_mut().expect("an object");
        object.insert("timestamp".to_owned(), json!(self.timestamp()));
        object.insert("sessionId".to_owned(), json!(self.session));
        self.put(&line);
    }

    fn timestamp(&self) -> String {
        let second = self.lines;
        format!("2026-03-02T{:02}:{:02}:{:02}.000Z", 9 + second / 3600, second / 60 % 60, second % 60)
    }

    fn put(&mut self, line: &Value) {
        self.lines += 1;
        writeln!(self.file, "{line}").expect("written");
    }
}

/// Cuts off the lines that two texts begin and end with.
fn difference(old: &str, new: &str) -> (String, String) {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    (old[..old.len() - tail].join("\n"), new[..new.len() - tail].join("\n"))
}
