//! A scripted agent: sends the events that a harness sends, through the real program.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

use crate::change::default_homes;
use crate::repo::Repo;

/// An agent at work in a repository, with a home of its own and an emptied environment.
#[derive(Debug)]
pub struct Agent {
    program: PathBuf,
    repo: Repo,
    session: String,
}

impl Agent {
    /// Lets an agent work in a repository; `program` is the `assize` executable.
    pub fn new(program: &Path, repo: Repo) -> Self {
        Self { program: program.to_owned(), repo, session: "session-1".to_owned() }
    }

    /// Returns the repository.
    pub fn repo(&self) -> &Repo {
        &self.repo
    }

    /// Makes a command of the program in the repository, in an emptied environment.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(self.repo.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.repo.outside())
            .env("TMPDIR", self.repo.outside())
            .envs(default_homes());
        command
    }

    /// Runs the program.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).stdin(Stdio::null()).output().expect("the program runs")
    }

    /// Runs the program and expects exit code 0; returns what it printed.
    pub fn read(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "assize {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// Fills in what every event has.
    pub fn event(&self, name: &str, fields: Value) -> Value {
        let mut event = json!({
            "hook_event_name": name,
            "session_id": self.session,
            "cwd": self.repo.path(),
            "transcript_path": self.transcript(),
        });
        if let (Some(event), Value::Object(fields)) = (event.as_object_mut(), fields) {
            event.extend(fields);
        }
        event
    }

    /// Returns the folder of what must not be lost.
    pub fn state(&self) -> PathBuf {
        self.repo.outside().join(".local/state/assize")
    }

    /// Returns where the transcript is.
    pub fn transcript(&self) -> PathBuf {
        self.repo.outside().join("transcript.jsonl")
    }

    /// Adds a line to the transcript.
    pub fn writes(&self, line: &Value) {
        let mut file =
            std::fs::OpenOptions::new().create(true).append(true).open(self.transcript()).expect("a transcript");
        writeln!(file, "{line}").expect("written");
    }

    /// Writes a file, as the agent's tool does: the transcript has the call.
    pub fn edits(&self, path: &str, text: &str) {
        self.repo.write(path, text);
        self.calls("Write", &json!({"file_path": self.repo.path().join(path), "content": text}), "written");
    }

    /// Adds a command that ended well to the transcript; it is not run.
    pub fn says_that_it_ran(&self, command: &str, printed: &str) {
        self.calls("Bash", &json!({"command": command}), printed);
    }

    fn calls(&self, tool: &str, input: &Value, result: &str) {
        let id = std::fs::metadata(self.transcript()).map_or(0, |meta| meta.len()).to_string();
        let call = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        self.writes(&json!({"type": "assistant", "message": {"role": "assistant", "content": [call]}}));
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": result, "is_error": false});
        self.writes(&json!({"type": "user", "message": {"role": "user", "content": [result]}}));
    }

    /// Starts the hook of Claude Code on an event and leaves it running.
    pub fn start(&self, event: &Value) -> Child {
        self.start_with(self.command(&["hook", "claude-code"]), event)
    }

    /// Starts a command of one's own on an event.
    pub fn start_with(&self, mut command: Command, event: &Value) -> Child {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the hook runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        // A hook that is killed early does not read its input.
        let _ = stdin.write_all(event.to_string().as_bytes());
        child
    }

    /// Sends an event to the hook of Claude Code and waits for the answer.
    pub fn sends(&self, name: &str, fields: Value) -> Output {
        self.start(&self.event(name, fields)).wait_with_output().expect("the hook ends")
    }

    /// Opens the session and says what the user says.
    pub fn is_asked(&self, prompt: &str) {
        assert!(self.sends("SessionStart", json!({"source": "startup"})).status.success());
        assert!(self.sends("UserPromptSubmit", json!({"prompt": prompt, "prompt_id": "p1"})).status.success());
        self.writes_prompt(prompt);
    }

    /// Adds what the user says to the transcript and returns the transcript's path.
    pub fn writes_prompt(&self, prompt: &str) -> String {
        self.writes(&json!({"type": "user", "message": {"role": "user", "content": prompt}}));
        self.transcript().display().to_string()
    }

    /// Stops with a final message and returns the hook's answer, if it gives one.
    pub fn stops(&self, message: &str) -> Option<Value> {
        let output = self.sends(
            "Stop",
            json!({"stop_hook_active": false, "last_assistant_message": message, "background_tasks": []}),
        );
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).expect("text");
        (!text.trim().is_empty()).then(|| serde_json::from_str(&text).expect("JSON"))
    }
}
