//! `assize stop audit` reads the sessions that agents left behind, of all agents, and changes nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

const SESSION: &str = "0a1b2c3d-1111-2222-3333-444455556666";

fn write(home: &TempDir, path: &str, lines: &[Value]) -> PathBuf {
    let path = home.path().join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(&path, text).expect("written");
    path
}

/// A session of Claude Code: a prompt, an edit, a command, and a last message.
fn claude(project: &Path, command: &str, output: &str, message: &str) -> Vec<Value> {
    let said = |role: &str, content: Value| json!({"type": role, "cwd": project, "message": {"role": role, "content": content}});
    let call =
        |id: &str, name: &str, input: Value| json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
    let result = |id: &str, text: &str| json!([{"type": "tool_result", "tool_use_id": id, "content": text}]);
    vec![
        said("user", json!("Fix the price")),
        said("assistant", call("1", "Edit", json!({"file_path": project.join("price.py")}))),
        said("user", result("1", "ok")),
        said("assistant", call("2", "Bash", json!({"command": command}))),
        said("user", result("2", output)),
        said("assistant", json!([{"type": "text", "text": message}])),
    ]
}

fn audit(home: &TempDir, folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_assize"))
        .args(["stop", "audit"])
        .args(arguments)
        .env_clear()
        .env("HOME", home.path())
        .current_dir(folder)
        .output()
        .expect("the program runs")
}

fn envelope(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Basis by agent, of all claims about tests.
fn bases(envelope: &Value) -> Vec<(String, String)> {
    let mut bases: Vec<(String, String)> = Vec::new();
    for session in envelope["sessions"].as_array().expect("sessions") {
        for claim in session["claims"].as_array().expect("claims") {
            assert_eq!(claim["subject"], "tests", "{claim}");
            bases.push((
                session["agent"].as_str().unwrap_or_default().to_owned(),
                claim["basis"].as_str().unwrap_or_default().to_owned(),
            ));
        }
    }
    bases.sort();
    bases
}

#[test]
fn sessions_of_all_agents_are_found_and_told_apart() {
    let home = tempfile::tempdir().expect("a folder");
    let project = home.path().join("shop");
    fs::create_dir_all(&project).expect("made");
    let failed = claude(&project, "python -m pytest -q", "1 failed, 2 passed in 0.10s", "Fixed. All tests pass.");
    write(&home, &format!(".claude/projects/-shop/{SESSION}.jsonl"), &failed);
    // What a subagent did is its parent's to answer for.
    write(&home, ".claude/projects/-shop/agent-1a2b.jsonl", &failed);
    write(
        &home,
        ".codex/sessions/2026/11/29/rollout-2026-11-29T00-00-00-1.jsonl",
        &[
            json!({"type": "session_meta", "payload": {"cwd": project}}),
            json!({"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix the price"}]}}),
            json!({"type": "response_item", "payload": {"type": "function_call", "name": "shell", "call_id": "1", "arguments": "{\"command\":[\"pytest\"]}"}}),
            json!({"type": "response_item", "payload": {"type": "function_call_output", "call_id": "1", "output": "{\"output\":\"3 passed in 0.1s\",\"metadata\":{\"exit_code\":0}}"}}),
            json!({"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "All tests pass."}]}}),
        ],
    );
    write(
        &home,
        ".gemini/tmp/shop/chats/session-1.json",
        &[json!({"sessionId": "s", "messages": [
            {"id": "u1", "type": "user", "content": "Fix the price"},
            {"id": "g1", "type": "gemini", "content": "All tests pass."},
        ]})],
    );
    write(
        &home,
        ".cursor/projects/shop/agent-transcripts/1/1.jsonl",
        &[
            json!({"role": "user", "message": {"content": [{"type": "text", "text": "Fix the price"}]}}),
            json!({"role": "assistant", "message": {"content": [{"type": "tool_use", "name": "Shell", "input": {"command": "pytest"}}]}}),
            json!({"role": "assistant", "message": {"content": [{"type": "text", "text": "All tests pass."}]}}),
        ],
    );
    write(
        &home,
        ".copilot/session-state/1/events.jsonl",
        &[
            json!({"type": "session.start", "data": {"context": {"cwd": project}}}),
            json!({"type": "user.message", "data": {"content": "Fix the price"}}),
            json!({"type": "assistant.message", "data": {"content": "All tests pass."}}),
        ],
    );
    let seen = envelope(&audit(&home, home.path(), &[]));
    let expected = [
        ("claude-code", "failed"),
        ("codex", "run"),
        ("copilot", "never_run"),
        ("cursor", "hidden"),
        ("gemini", "never_run"),
    ];
    assert_eq!(bases(&seen), expected.map(|(agent, basis)| (agent.to_owned(), basis.to_owned())), "{seen:#}");
    assert_eq!(seen["projects"][0]["project"], project.to_str().expect("text"), "{seen:#}");

    let only = envelope(&audit(&home, home.path(), &["--agent", "codex"]));
    assert_eq!(bases(&only).len(), 1, "{only:#}");
    let here = envelope(&audit(&home, &project, &["--here"]));
    assert_eq!(bases(&here).len(), 3, "the stores of two agents do not say where the work was done: {here:#}");
    // Whose transcript it is shows in its lines.
    let moved = home.path().join("backup");
    fs::rename(home.path().join(".codex/sessions/2026/11/29"), &moved).expect("moved");
    let named = envelope(&audit(&home, home.path(), &["backup"]));
    assert_eq!(bases(&named), [("codex".to_owned(), "run".to_owned())], "{named:#}");
}

#[test]
fn a_person_is_shown_the_sentence_the_command_and_the_place() {
    let home = tempfile::tempdir().expect("a folder");
    let project = home.path().join("shop");
    let markup = "All tests pass <script>alert(1)</script>.";
    let path = write(
        &home,
        &format!(".claude/projects/-shop/{SESSION}.jsonl"),
        &claude(&project, "pytest", "1 failed in 0.10s", markup),
    );
    let before = fs::read(&path).expect("there");
    let shown = audit(&home, home.path(), &["--format", "human", "--output", "audit.html"]);
    let text = String::from_utf8(shown.stdout).expect("text");
    assert!(text.contains("1 project · 1 session · 1 stop · 1 claim"), "{text}");
    assert!(text.contains(&format!("“{markup}”")) && text.contains("the last run failed: pytest"), "{text}");
    assert!(text.contains(&format!("{}:6", path.display())), "{text}");
    let page = fs::read_to_string(home.path().join("audit.html")).expect("written");
    assert!(page.contains("the last run failed: pytest") && !page.contains("<script>"), "{page}");
    assert_eq!(fs::read(&path).expect("there"), before);
    assert!(!home.path().join(".local").exists(), "nothing is recorded");
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_shown() {
    let home = tempfile::tempdir().expect("a folder");
    let project = home.path().join("shop");
    write(&home, "sessions/a.jsonl", &claude(&project, "pytest", "3 passed in 0.1s", "All tests pass."));
    fs::write(home.path().join("sessions/torn.jsonl"), "{\"type\":\"user\",\"mess").expect("written");
    fs::write(home.path().join("sessions/noise.jsonl"), [0xff, 0xfe, 0, 10]).expect("written");
    fs::write(home.path().join("sessions/other.json"), "[1, 2]").expect("written");
    let seen = envelope(&audit(&home, home.path(), &["sessions"]));
    assert_eq!(bases(&seen), [("claude-code".to_owned(), "run".to_owned())], "{seen:#}");

    let absent = audit(&home, home.path(), &["nowhere"]);
    let said = String::from_utf8_lossy(&absent.stderr).into_owned();
    assert_eq!(absent.status.code(), Some(2), "{said}");
    assert!(said.contains("nowhere: no such file or folder"), "{said}");

    let empty = tempfile::tempdir().expect("a folder");
    let none = audit(&empty, empty.path(), &[]);
    let said = String::from_utf8_lossy(&none.stderr).into_owned();
    assert_eq!(none.status.code(), Some(0), "{said}");
    assert!(said.contains("no session of an agent was found in") && said.contains(".claude/projects"), "{said}");
}
