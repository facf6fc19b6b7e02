//! A work tree made up for showing or proving something, and an agent played in it.
//!
//! `assize demo` and `assize doctor` send events through the very code that agents' hooks call.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use assize_core::court::stop::StopRecord;
use assize_core::session::Event;
use assize_engine::ledger::{Filter, Ledger, LedgerError};
use serde_json::{Value, json};

use crate::command::hook::rehearse;
use crate::exit::{Failure, Result};
use crate::host::Host;

/// A temporary repository with an agent in it.
#[derive(Debug)]
pub struct Stage {
    folder: tempfile::TempDir,
    host: Host,
    session: String,
    lines: u32,
}

impl Stage {
    /// Makes a repository with one commit of these files and this configuration.
    ///
    /// # Errors
    ///
    /// Fails when git is missing or the disk is full.
    pub fn new(host: &Host, session: &str, configuration: &str, files: &[(&str, &str)]) -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("assize-stage-")
            .tempdir()
            .map_err(|error| Failure::new(format!("a temporary folder: {error}")))?;
        let root = folder.path().join("project");
        let host = Host { folder: root, configuration: None, ..host.clone() };
        let stage = Self { folder, host, session: session.to_owned(), lines: 0 };
        stage.write("assize.toml", configuration)?;
        for (path, contents) in files {
            stage.write(path, contents)?;
        }
        stage.git(&["init", "--quiet"])?;
        stage.git(&["add", "--all"])?;
        stage.git(&["commit", "--quiet", "--message", "start"])?;
        Ok(stage)
    }

    /// Returns the root of the repository.
    pub fn root(&self) -> &Path {
        &self.host.folder
    }

    /// Writes a file.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be written.
    pub fn write(&self, path: &str, contents: &str) -> Result<()> {
        let path = self.root().join(path);
        let failed = |error| Failure::new(format!("{}: {error}", path.display()));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        fs::write(&path, contents).map_err(failed)
    }

    fn git(&self, arguments: &[&str]) -> Result<()> {
        let identity = ["-c", "user.name=Assize", "-c", "user.email=assize@example.org", "-c", "commit.gpgsign=false"];
        let output = Command::new("git")
            .args(identity)
            .args(arguments)
            .current_dir(self.root())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE")
            .output()
            .map_err(|error| Failure::new(format!("git cannot be started: {error}")).hint("install git"))?;
        if output.status.success() {
            return Ok(());
        }
        Err(Failure::new(format!("git {}: {}", arguments[0], String::from_utf8_lossy(&output.stderr).trim())))
    }

    fn transcript(&self) -> PathBuf {
        self.folder.path().join("transcript.jsonl")
    }

    fn event(&self, name: &str, fields: Value) -> String {
        let mut event = json!({
            "session_id": self.session,
            "transcript_path": self.transcript(),
            "cwd": self.root(),
            "hook_event_name": name,
        });
        if let (Some(event), Value::Object(fields)) = (event.as_object_mut(), fields) {
            event.extend(fields);
        }
        rehearse("claude-code", &event, &self.host).stdout
    }

    /// Opens the session and says what the user says.
    ///
    /// # Errors
    ///
    /// Fails when the transcript cannot be written.
    pub fn prompt(&mut self, text: &str) -> Result<()> {
        self.event("SessionStart", json!({"source": "startup"}));
        self.event("UserPromptSubmit", json!({"prompt": text, "prompt_id": "p1"}));
        self.line(&json!({"type": "user", "message": {"role": "user", "content": text}}))
    }

    /// Lets the agent change a file.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be written.
    pub fn edits(&mut self, path: &str, contents: &str) -> Result<()> {
        self.write(path, contents)?;
        let file = self.root().join(path);
        self.tool("Write", &json!({"file_path": file}), "The file has been written.", false)
    }

    /// Lets the agent run a command, with this result.
    ///
    /// # Errors
    ///
    /// Fails when the transcript cannot be written.
    pub fn runs(&mut self, command: &str, output: &str, failed: bool) -> Result<()> {
        let output = if failed { format!("Exit code 1\n{output}") } else { output.to_owned() };
        self.tool("Bash", &json!({"command": command}), &output, failed)
    }

    fn tool(&mut self, name: &str, input: &Value, output: &str, is_error: bool) -> Result<()> {
        let id = format!("toolu_{:02}", self.lines);
        self.line(&json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": input}]}}))?;
        self.line(&json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": output}]}}))
    }

    fn line(&mut self, line: &Value) -> Result<()> {
        use std::io::Write as _;

        self.lines += 1;
        let path = self.transcript();
        let failed = |error| Failure::new(format!("{}: {error}", path.display()));
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        writeln!(file, "{line}").map_err(failed)
    }

    /// Reads the last ruling out of the stage's ledger.
    ///
    /// # Errors
    ///
    /// Fails when there is none.
    pub fn last_ruling(&self) -> Result<StopRecord> {
        let failed = |error: LedgerError| Failure::new(error.to_string());
        let ledger = Ledger::open_read_only(&self.host.ledger()).map_err(failed)?;
        let entries = ledger.entries(&Filter::default()).map_err(failed)?;
        let rulings = entries.iter().rev().filter_map(|entry| ledger.event(entry).ok());
        let mut records = rulings.filter_map(|event| match event {
            Event::StopRuled(record) => Some(*record),
            _ => None,
        });
        records.next().ok_or_else(|| Failure::new("nothing was ruled; this is a fault of Assize"))
    }

    /// Lets the agent stop with a final message, and returns what the hook answers.
    ///
    /// # Errors
    ///
    /// Fails when the transcript cannot be written.
    pub fn stops(&mut self, message: &str) -> Result<String> {
        self.line(&json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": message}]}}))?;
        Ok(self.event(
            "Stop",
            json!({"stop_hook_active": false, "last_assistant_message": message, "background_tasks": []}),
        ))
    }
}
