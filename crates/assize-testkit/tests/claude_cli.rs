//! The contract with the real `claude` binary, held against a scripted model.
//!
//! These tests say what Assize relies on in a program that it does not own: how a verdict comes back, what
//! an error looks like, what a Stop hook is given and what the model is told of it. Where one fails after
//! the pinned version is raised, the program has changed, and so must what relies on it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use assize_testkit::claude_cli::{self, ALLOW_BASH, ClaudeCli, PINNED_VERSION};
use assize_testkit::model_server::{MessageBlock, ModelScript, ModelServer, ModelStop, ScriptedReply};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A home, a project and the binary; all of it is gone when the test ends.
struct ContractSession {
    cli: ClaudeCli,
    directory: TempDir,
}

impl ContractSession {
    fn new() -> Self {
        let session = Self { cli: ClaudeCli::required(), directory: tempfile::tempdir().unwrap() };
        fs::create_dir(session.project()).unwrap();
        session
    }

    fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    fn project(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    fn print(&self, server: &ModelServer, prompt: &str) -> Command {
        self.cli.print(&self.home(), server, &self.project(), prompt)
    }

    /// A session as a judge runs it: no tools, no settings, no transcript, one structured answer.
    fn judge(&self, server: &ModelServer) -> Command {
        let mut command = self.print(server, "judge this");
        command.args(["--tools", "", "--setting-sources", "", "--no-session-persistence"]);
        command.args(["--json-schema", &schema().to_string()]);
        command
    }

    /// Installs a Stop hook that keeps what it is given, one line per event, and then runs `script`.
    fn install_stop_hook(&self, script: &str) {
        let hook = self.directory.path().join("stop.sh");
        let events = self.stop_events_file();
        let text = format!("tr -d '\\n' >> '{0}'\necho >> '{0}'\n{script}\n", events.display());
        fs::write(&hook, text).unwrap();
        let command = format!("sh '{}'", hook.display());
        let hooks = json!([{"hooks": [{"type": "command", "command": command}]}]);
        claude_cli::write_project_settings(&self.project(), &json!({"hooks": {"Stop": hooks}}));
    }

    fn stop_events_file(&self) -> PathBuf {
        self.directory.path().join("stop.jsonl")
    }

    fn stop_events(&self) -> Vec<Value> {
        claude_cli::read_json_lines(&self.stop_events_file())
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"pass": {"type": "boolean"}, "reason": {"type": "string"}},
        "required": ["pass", "reason"],
        "additionalProperties": false,
    })
}

fn verdict(reason: &str) -> Value {
    json!({"pass": false, "reason": reason})
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn the_binary_has_the_pinned_version() {
    let session = ContractSession::new();
    let server = ModelServer::start(ModelScript::of([]));
    let run = ClaudeCli::run(session.cli.command(&session.home(), &server).arg("--version"));
    assert_eq!(run.stdout.trim(), format!("{PINNED_VERSION} (Claude Code)"));
    assert_eq!(server.requests(), []);
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn a_text_answer_comes_back_and_nothing_else_is_asked() {
    let session = ContractSession::new();
    let server = ModelServer::start(ModelScript::of([ScriptedReply::text("It is green.")]));
    let run = ClaudeCli::run(&mut session.print(&server, "Is it green?"));
    assert!(run.status.success(), "{run:?}");
    let envelope = run.envelope();
    assert_eq!(envelope["type"], "result");
    assert_eq!(envelope["subtype"], "success");
    assert_eq!(envelope["is_error"], false);
    assert_eq!(envelope["result"], "It is green.");
    assert_eq!(envelope["stop_reason"], "end_turn");
    assert_eq!(envelope["usage"]["input_tokens"], 120);
    assert_eq!(envelope["usage"]["output_tokens"], 30);
    assert_eq!(envelope.get("structured_output"), None);

    let asked: Vec<(String, String)> =
        server.requests().into_iter().map(|request| (request.method, request.path)).collect();
    let expected = [("HEAD", "/"), ("POST", "/v1/messages")];
    assert_eq!(asked, expected.map(|(method, path)| (method.to_owned(), path.to_owned())));
    let request = &server.model_requests()[0];
    assert_eq!(request.body["stream"], true);
    assert_eq!(request.header("x-api-key"), Some(claude_cli::DUMMY_API_KEY));
    assert!(request.last_user_text().ends_with("Is it green?"));
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn the_prompt_may_come_on_standard_input() {
    let session = ContractSession::new();
    let server = ModelServer::start(ModelScript::of([ScriptedReply::text("read")]));
    let mut command = session.cli.command(&session.home(), &server);
    command.current_dir(session.project()).args(["-p", "--output-format", "json"]);
    let prompt = format!("long {}end", "prompt ".repeat(100_000));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(prompt.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let envelope: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(envelope["result"], "read");
    assert!(server.model_requests()[0].mentions(&prompt));
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn a_schema_brings_structured_output() {
    let session = ContractSession::new();
    let server = ModelServer::start(ModelScript::of([ScriptedReply::StructuredOutput(verdict("no test"))]));
    let run = ClaudeCli::run(&mut session.judge(&server));
    assert!(run.status.success(), "{run:?}");
    let envelope = run.envelope();
    assert_eq!(envelope["is_error"], false);
    assert_eq!(envelope["structured_output"], verdict("no test"));
    assert_eq!(envelope["num_turns"], 2);
    let result: Value = serde_json::from_str(envelope["result"].as_str().unwrap()).unwrap();
    assert_eq!(result, verdict("no test"));

    let requests = server.model_requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].tools(), ["StructuredOutput"]);
    assert_eq!(requests[0].body["tools"][0]["input_schema"], schema());
    assert_eq!(claude_cli::transcripts(&session.home()), [] as [PathBuf; 0]);
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn an_answer_against_the_schema_is_sent_back_to_the_model() {
    let session = ContractSession::new();
    let server = ModelServer::start(ModelScript::of([
        ScriptedReply::StructuredOutput(json!({"pass": "maybe"})),
        ScriptedReply::StructuredOutput(verdict("now valid")),
    ]));
    let run = ClaudeCli::run(&mut session.judge(&server));
    assert_eq!(run.envelope()["structured_output"], verdict("now valid"));
    assert!(server.model_requests()[1].mentions("Output does not match required schema"));

    let server = ModelServer::start(ModelScript::always(ScriptedReply::StructuredOutput(json!({}))));
    let run = ClaudeCli::run(&mut session.judge(&server));
    assert_eq!(run.status.code(), Some(1));
    let envelope = run.envelope();
    assert_eq!(envelope["subtype"], "error_max_structured_output_retries");
    assert_eq!(envelope["is_error"], true);
    assert_eq!(envelope.get("result"), None);
    assert_eq!(server.model_requests().len(), 5);
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn without_the_structured_call_there_is_success_and_no_structured_output() {
    let session = ContractSession::new();
    let server = ModelServer::start(ModelScript::always(ScriptedReply::text("I would say it passes.")));
    let run = ClaudeCli::run(&mut session.judge(&server));
    assert!(run.status.success(), "{run:?}");
    let envelope = run.envelope();
    assert_eq!(envelope["subtype"], "success");
    assert_eq!(envelope["is_error"], false);
    assert_eq!(envelope.get("structured_output"), None);
    assert_eq!(envelope["result"], "I would say it passes.");
    let requests = server.model_requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[1].last_user_text().contains("[structured-output-enforce]"));
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn a_structured_answer_can_be_one_that_must_not_count() {
    let session = ContractSession::new();
    let call = |reason: &str| MessageBlock::tool("StructuredOutput", verdict(reason));

    // Cut off at the token limit, and still a success: only `stop_reason` tells.
    let cut = ScriptedReply::stopped([call("cut")], ModelStop::MaxTokens);
    let server = ModelServer::start(ModelScript::of([cut]));
    let run = ClaudeCli::run(&mut session.judge(&server));
    assert!(run.status.success(), "{run:?}");
    let envelope = run.envelope();
    assert_eq!(envelope["is_error"], false);
    assert_eq!(envelope["structured_output"], verdict("cut"));
    assert_eq!(envelope["stop_reason"], "max_tokens");

    // Refused, an error, and yet with an output.
    let refused = ScriptedReply::stopped([call("refused")], ModelStop::Refusal);
    let server = ModelServer::start(ModelScript::of([refused]));
    let run = ClaudeCli::run(&mut session.judge(&server));
    assert_eq!(run.status.code(), Some(1));
    let envelope = run.envelope();
    assert_eq!(envelope["is_error"], true);
    assert_eq!(envelope["structured_output"], verdict("refused"));
    assert_eq!(envelope["stop_reason"], "refusal");

    // Two verdicts in one reply: the last wins, and only `num_turns` tells.
    let server = ModelServer::start(ModelScript::of([ScriptedReply::blocks([call("first"), call("second")])]));
    let run = ClaudeCli::run(&mut session.judge(&server));
    assert!(run.status.success(), "{run:?}");
    let envelope = run.envelope();
    assert_eq!(envelope["structured_output"], verdict("second"));
    assert_eq!(envelope["num_turns"], 3);
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn an_api_error_is_a_success_with_is_error() {
    let session = ContractSession::new();
    for code in [400, 401, 404, 429, 500, 529] {
        let server = ModelServer::start(ModelScript::always(ScriptedReply::error(code, "no such luck")));
        let run = ClaudeCli::run(&mut session.judge(&server));
        assert_eq!(run.status.code(), Some(1), "{code}: {run:?}");
        let envelope = run.envelope();
        assert_eq!(envelope["subtype"], "success", "{code}");
        assert_eq!(envelope["is_error"], true, "{code}");
        assert_eq!(envelope["api_error_status"], code);
        assert_eq!(envelope.get("structured_output"), None, "{code}");
        assert!(envelope["result"].is_string(), "{code}");
        // A 404 is tried once more without streaming, whatever the environment says.
        let tries = if code == 404 { 2 } else { 1 };
        assert_eq!(server.model_requests().len(), tries, "{code}");
    }
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn a_broken_answer_is_an_error_too() {
    let session = ContractSession::new();
    for (reply, status) in [
        (ScriptedReply::DropConnection, Value::Null),
        (ScriptedReply::RawBody("no events here".into()), Value::Null),
        (ScriptedReply::RawBody(String::new()), Value::Null),
        (ScriptedReply::text("cut in the middle").cut_off(500), Value::Null),
        (ScriptedReply::Refusal("I will not".into()), Value::Null),
        (ScriptedReply::Truncated("half of".into()), Value::Null),
        (ScriptedReply::error(503, "<h1>down</h1>"), json!(503)),
    ] {
        let name = format!("{reply:?}");
        let server = ModelServer::start(ModelScript::always(reply));
        let run = ClaudeCli::run(&mut session.judge(&server));
        assert_eq!(run.status.code(), Some(1), "{name}: {run:?}");
        let envelope = run.envelope();
        assert_eq!(envelope["is_error"], true, "{name}");
        assert_eq!(envelope["api_error_status"], status, "{name}");
        assert_eq!(envelope.get("structured_output"), None, "{name}");
    }
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn a_model_that_never_answers_is_given_up_after_the_api_timeout() {
    let session = ContractSession::new();
    let server = ModelServer::start(ModelScript::always(ScriptedReply::Hang));
    let begin = Instant::now();
    let run = ClaudeCli::run(session.judge(&server).env("API_TIMEOUT_MS", "1500"));
    assert!(begin.elapsed() > Duration::from_millis(1500));
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(run.envelope()["is_error"], true);
    assert!(run.envelope()["result"].as_str().unwrap().starts_with("Request timed out"));
    assert_eq!(server.model_requests().len(), 1);
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn a_stop_hook_that_blocks_once_sends_its_reason_to_the_model() {
    let session = ContractSession::new();
    session.install_stop_hook(
        r#"test -e "$CLAUDE_PROJECT_DIR/blocked" && exit 0
           touch "$CLAUDE_PROJECT_DIR/blocked"
           printf '{"decision":"block","reason":"The tests have not been run."}'"#,
    );
    let server =
        ModelServer::start(ModelScript::of([ScriptedReply::text("All done."), ScriptedReply::text("Now it is.")]));
    let run = ClaudeCli::run(&mut session.print(&server, "Do it."));
    assert!(run.status.success(), "{run:?}");
    assert_eq!(run.envelope()["result"], "Now it is.");

    let requests = server.model_requests();
    assert_eq!(requests.len(), 2);
    let feedback = "Stop hook feedback:\nThe tests have not been run.";
    assert!(!requests[0].mentions("Stop hook feedback"));
    assert_eq!(requests[1].last_user_text(), feedback);

    let events = session.stop_events();
    assert_eq!(events.len(), 2);
    for (event, active, message) in [(&events[0], false, "All done."), (&events[1], true, "Now it is.")] {
        assert_eq!(event["hook_event_name"], "Stop");
        assert_eq!(event["stop_hook_active"], active);
        assert_eq!(event["last_assistant_message"], message);
        assert_eq!(event["background_tasks"], json!([]));
        assert_eq!(event["session_id"], run.envelope()["session_id"]);
        assert_eq!(event["prompt_id"], events[0]["prompt_id"]);
        let project = session.project().canonicalize().unwrap();
        assert_eq!(Path::new(event["cwd"].as_str().unwrap()), project);
    }

    let transcripts = claude_cli::transcripts(&session.home());
    let transcript = Path::new(events[0]["transcript_path"].as_str().unwrap());
    assert_eq!(transcripts, [transcript]);
    let lines = claude_cli::read_json_lines(transcript);
    let said = lines.iter().find(|line| line["message"]["content"] == feedback).unwrap();
    assert_eq!(said["type"], "user");
    assert_eq!(said["isMeta"], true);
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn a_stop_hook_that_always_blocks_is_overridden_in_the_end() {
    let session = ContractSession::new();
    session.install_stop_hook("echo 'Not yet.' >&2; exit 2");
    let server = ModelServer::start(ModelScript::always(ScriptedReply::text("Done, I say.")));
    let run = ClaudeCli::run(&mut session.print(&server, "Do it."));
    assert!(run.status.success(), "{run:?}");
    assert_eq!(run.envelope()["is_error"], false);
    assert_eq!(run.envelope()["result"], "");
    assert_eq!(session.stop_events().len(), 9);
    let requests = server.model_requests();
    assert_eq!(requests.len(), 9);
    assert!(requests[1].last_user_text().ends_with("]: Not yet.\n"));
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn a_judge_session_fires_no_project_hook() {
    let session = ContractSession::new();
    session.install_stop_hook("exit 2");
    let server = ModelServer::start(ModelScript::of([ScriptedReply::StructuredOutput(verdict("alone"))]));
    let run = ClaudeCli::run(&mut session.judge(&server));
    assert_eq!(run.envelope()["structured_output"], verdict("alone"));
    assert!(!session.stop_events_file().exists());
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn a_bash_call_runs_and_stands_in_the_transcript() {
    let session = ContractSession::new();
    let good = json!({"command": "echo made > made.txt && echo said", "description": "make"});
    let bad = json!({"command": "echo broken >&2; exit 3", "description": "break"});
    let server = ModelServer::start(ModelScript::of([
        ScriptedReply::blocks([MessageBlock::text("I make it."), MessageBlock::tool("Bash", good.clone())]),
        ScriptedReply::tool("Bash", bad),
        ScriptedReply::text("Made."),
    ]));
    let run = ClaudeCli::run(session.print(&server, "Make it.").args(ALLOW_BASH));
    assert!(run.status.success(), "{run:?}");
    let envelope = run.envelope();
    assert_eq!(envelope["result"], "Made.");
    assert_eq!(envelope["permission_denials"], json!([]));
    assert_eq!(envelope["num_turns"], 3);
    let made = fs::read_to_string(session.project().join("made.txt")).unwrap();
    assert_eq!(made, "made\n");

    let requests = server.model_requests();
    assert_eq!(requests[1].last_user_text(), "said");
    assert_eq!(requests[2].last_user_text(), "Exit code 3\nbroken");

    let transcripts = claude_cli::transcripts(&session.home());
    assert_eq!(transcripts.len(), 1);
    let lines = claude_cli::read_json_lines(&transcripts[0]);
    let blocks = |kind: &str| -> Vec<&Value> {
        lines
            .iter()
            .filter_map(|line| line["message"]["content"].as_array())
            .flatten()
            .filter(|block| block["type"] == kind)
            .collect()
    };
    let calls = blocks("tool_use");
    let results = blocks("tool_result");
    assert_eq!((calls.len(), results.len()), (2, 2));
    assert_eq!(calls[0]["name"], "Bash");
    assert_eq!(calls[0]["input"], good);
    assert_eq!(results[0]["tool_use_id"], calls[0]["id"]);
    assert_eq!(results[0]["content"], "said");
    assert_eq!(results[0]["is_error"], false);
    assert_eq!(results[1]["is_error"], true);
    let prompt = lines.iter().find(|line| line["type"] == "user").unwrap();
    assert_eq!(prompt["message"]["content"], "Make it.");
    let answer = lines.iter().find(|line| line["type"] == "assistant").unwrap();
    assert_eq!(answer["requestId"], "req_0001");
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn without_permission_a_bash_call_is_denied_and_listed() {
    let session = ContractSession::new();
    let call = json!({"command": "echo made > made.txt", "description": "make"});
    let server = ModelServer::start(ModelScript::of([
        ScriptedReply::tool("Bash", call.clone()),
        ScriptedReply::text("I may not."),
    ]));
    let run = ClaudeCli::run(&mut session.print(&server, "Make it."));
    assert!(run.status.success(), "{run:?}");
    let denials = run.envelope()["permission_denials"].clone();
    assert_eq!(denials[0]["tool_name"], "Bash");
    assert_eq!(denials[0]["tool_input"], call);
    assert!(!session.project().join("made.txt").exists());
}
