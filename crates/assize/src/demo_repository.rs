//! Temporary repositories for showing or proving something, and an agent's session played in one.
//!
//! `assize demo` and `assize doctor` send events through the very code that agents' hooks call; it is passed in. This
//! module knows no command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use assize_engine::ledger::{Filter, Ledger, LedgerError};
use assize_engine::scratch::Scratch;
use assize_ledger::event::LedgerEvent;
use assize_stop::court::StopRecord;
use serde_json::{Value, json};

use crate::exit::{Failure, Result};
use crate::hook::HookOutput;
use crate::host::Host;

/// Answers an event of an agent, given by its id, as that agent's hook does.
pub type Hook = fn(agent: &str, event: &Value, host: &Host) -> HookOutput;

/// When and by whom the first commit is made: the same everywhere, so that its name is.
const AUTHOR: [(&str, &str); 6] = [
    ("GIT_AUTHOR_NAME", "Assize"),
    ("GIT_AUTHOR_EMAIL", "assize@example.org"),
    ("GIT_AUTHOR_DATE", "1767225600 +0000"),
    ("GIT_COMMITTER_NAME", "Assize"),
    ("GIT_COMMITTER_EMAIL", "assize@example.org"),
    ("GIT_COMMITTER_DATE", "1767225600 +0000"),
];

/// A temporary repository with one commit, in a folder with room for a home folder and other files beside it.
#[derive(Debug)]
pub struct DemoRepository {
    folder: Scratch,
    root: PathBuf,
}

impl DemoRepository {
    /// Makes a repository with one commit of these files.
    ///
    /// # Errors
    ///
    /// Fails when git is missing or the disk is full.
    pub fn new(files: &[(&str, &str)]) -> Result<Self> {
        let failed = |error: std::io::Error| Failure::new(format!("a temporary folder: {error}"));
        let folder = Scratch::new("assize-demo-").map_err(failed)?;
        // git names the same folder by its real path.
        let root = folder.path().canonicalize().map_err(failed)?.join("project");
        let repository = Self { folder, root };
        for (path, contents) in files {
            repository.write(path, contents)?;
        }
        repository.git(&["init", "--quiet"])?;
        repository.git(&["add", "--all"])?;
        repository.git(&["commit", "--quiet", "--message", "start"])?;
        Ok(repository)
    }

    /// Returns the root of the repository.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path of a file or folder beside the repository.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file below the root.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be written.
    pub fn write(&self, path: &str, contents: &str) -> Result<()> {
        write(&self.root.join(path), contents)
    }

    /// Writes a file beside the repository.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be written.
    pub fn write_beside(&self, name: &str, contents: &str) -> Result<()> {
        write(&self.beside(name), contents)
    }

    /// Runs git in the repository, without the user's settings.
    ///
    /// # Errors
    ///
    /// Fails when git is missing or fails.
    pub fn git(&self, arguments: &[&str]) -> Result<()> {
        let output = Command::new("git")
            .args(["-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(&self.root)
            .envs(AUTHOR)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE")
            .env_remove("GIT_DEFAULT_HASH")
            .output()
            .map_err(|error| Failure::new(format!("git cannot be started: {error}")).hint("install git"))?;
        if output.status.success() {
            return Ok(());
        }
        Err(Failure::new(format!("git {}: {}", arguments[0], String::from_utf8_lossy(&output.stderr).trim())))
    }
}

fn write(path: &Path, contents: &str) -> Result<()> {
    let failed = |error| Failure::new(format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(path, contents).map_err(failed)
}

/// A session of an agent in a temporary repository.
#[derive(Debug)]
pub struct DemoSession {
    repository: DemoRepository,
    host: Host,
    hook: Hook,
    session: String,
    lines: u32,
}

impl DemoSession {
    /// Makes a session in a repository.
    pub fn new(repository: DemoRepository, host: &Host, hook: Hook, session: &str) -> Self {
        let host = Host { folder: repository.root().to_owned(), configuration: None, ..host.clone() };
        Self { repository, host, hook, session: session.to_owned(), lines: 0 }
    }

    fn transcript(&self) -> PathBuf {
        self.repository.beside("transcript.jsonl")
    }

    fn event(&self, name: &str, fields: Value) -> String {
        let mut event = json!({
            "session_id": self.session,
            "transcript_path": self.transcript(),
            "cwd": self.repository.root(),
            "hook_event_name": name,
        });
        if let (Some(event), Value::Object(fields)) = (event.as_object_mut(), fields) {
            event.extend(fields);
        }
        (self.hook)("claude-code", &event, &self.host).stdout
    }

    /// Opens the session with a prompt of the user.
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
        self.repository.write(path, contents)?;
        let file = self.repository.root().join(path);
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

    /// Reads the last ruling out of the repository's ledger.
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
            LedgerEvent::StopRuled(record) => Some(*record),
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
