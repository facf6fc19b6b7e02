//! What an agent, or a careless command, can do so that the stop court sees less. Nothing of it is a silent release.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Output;

use assize_testkit::agent::Agent;
use assize_testkit::repo::Repo;
use serde_json::{Value, json};

const STUB: &str = "pub fn parse() {\n    todo!()\n}\n";

/// An agent that was asked for a parser.
fn agent() -> Agent {
    let program = Path::new(env!("CARGO_BIN_EXE_assize"));
    let agent = Agent::new(program, Repo::with_commit(&[("src/lib.rs", "pub fn a() {}\n")]));
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent
}

/// The agent leaves a stub, and says that it is done.
fn leaves_a_stub(agent: &Agent) -> Option<Value> {
    agent.repo().write("src/parse.rs", STUB);
    agent.stops("Done.")
}

fn is_blocked(answer: Option<&Value>, by: &str) {
    let answer = answer.expect("an answer");
    assert_eq!(answer["decision"], "block", "{answer}");
    assert!(answer["reason"].as_str().is_some_and(|reason| reason.contains(by)), "{answer}");
}

/// The agent may stop, and the person is told why nothing was judged.
fn is_unjudged(answer: Option<&Value>, why: &str) {
    let answer = answer.expect("an answer");
    assert_eq!(answer.get("decision"), None, "{answer}");
    let notice = answer["systemMessage"].as_str().unwrap_or_default();
    assert!(notice.contains("judge this stop") && notice.contains(why), "{notice}");
}

fn last_outcome(agent: &Agent) -> String {
    let exported = agent.read(&["ledger", "export"]);
    let entries = exported.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let outcome = entries.rev().find(|entry| entry["kind"] == "stop_ruled").map(|entry| entry["outcome"].clone());
    outcome.and_then(|outcome| outcome.as_str().map(str::to_owned)).unwrap_or_default()
}

fn answer(output: &Output) -> Option<Value> {
    assert!(output.status.success(), "{output:?}");
    (!output.stdout.trim_ascii().is_empty()).then(|| serde_json::from_slice(&output.stdout).expect("JSON"))
}

/// Sends a stop through the hook in an environment of its own.
fn stops_with(agent: &Agent, environment: &[(&str, &str)], fields: Value) -> Option<Value> {
    let mut command = agent.command(&["hook", "claude-code"]);
    command.envs(environment.iter().copied());
    let mut stop = json!({"stop_hook_active": false, "last_assistant_message": "Done.", "background_tasks": []});
    if let (Some(stop), Value::Object(fields)) = (stop.as_object_mut(), fields) {
        stop.extend(fields);
    }
    answer(&agent.start_with(command, &agent.event("Stop", stop)).wait_with_output().expect("the hook ends"))
}

#[test]
fn a_clean_work_tree_takes_nothing_from_the_court() {
    let agent = agent();
    agent.repo().write(".gitignore", "target\n");
    agent.repo().git(&["clean", "-fdxq"]);
    is_blocked(leaves_a_stub(&agent).as_ref(), "src/parse.rs");
    agent.repo().git(&["clean", "-fdxq"]);
    is_blocked(leaves_a_stub(&agent).as_ref(), "src/parse.rs");
}

#[test]
fn a_repository_that_is_removed_or_made_anew_is_missed() {
    let agent = agent();
    fs::remove_dir_all(agent.repo().path().join(".git")).expect("removed");
    is_unjudged(leaves_a_stub(&agent).as_ref(), "gone");
    agent.repo().git(&["init", "--quiet"]);
    agent.repo().commit("all of it");
    is_unjudged(leaves_a_stub(&agent).as_ref(), "no longer in the repository");
}

#[test]
fn another_git_in_front_of_the_first_one_changes_nothing() {
    let agent = agent();
    let folder = agent.repo().outside().join("bin");
    fs::create_dir(&folder).expect("made");
    fs::write(folder.join("git"), "#!/bin/sh\nexit 0\n").expect("written");
    fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o755)).expect("set");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").expect("a search path"));
    agent.repo().write("src/parse.rs", STUB);
    is_blocked(stops_with(&agent, &[("PATH", &path)], json!({})).as_ref(), "src/parse.rs");
    // A session that begins with it has no beginning.
    let begins = |name: &str, fields: Value| {
        let mut command = agent.command(&["hook", "claude-code"]);
        command.env("PATH", &path);
        let mut event = agent.event(name, fields);
        event["session_id"] = json!("session-2");
        answer(&agent.start_with(command, &event).wait_with_output().expect("the hook ends"));
    };
    begins("SessionStart", json!({"source": "startup"}));
    begins("UserPromptSubmit", json!({"prompt": "Implement `parse` in src/parse.rs", "prompt_id": "p2"}));
    let stopped = stops_with(&agent, &[("PATH", &path)], json!({"session_id": "session-2"}));
    is_unjudged(stopped.as_ref(), "start of the session");
}

#[test]
fn the_variable_of_judges_silences_no_court() {
    let agent = agent();
    agent.repo().write("src/parse.rs", STUB);
    let stopped = stops_with(&agent, &[("ASSIZE_JUDGE", "1")], json!({}));
    is_blocked(stopped.as_ref(), "src/parse.rs");
    let told = stopped.expect("an answer")["systemMessage"].as_str().unwrap_or_default().to_owned();
    assert!(told.contains("ASSIZE_JUDGE"), "{told}");
}

/// The hook is called by a program that judges, as an agent that judges would call it.
#[test]
fn a_judge_at_work_does_not_call_its_own_judge() {
    let agent = agent();
    let event = agent.event("Stop", json!({"last_assistant_message": "Done.", "stop_hook_active": false}));
    let at = |name: &str| agent.repo().outside().join(name).display().to_string();
    fs::write(at("event"), event.to_string()).expect("written");
    let program = env!("CARGO_BIN_EXE_assize");
    let script = format!(
        "'{program}' hook claude-code < '{}' > '{}' 2>&1; echo \"$?\" >> '{}'",
        at("event"),
        at("said"),
        at("said")
    );
    let judge = format!("[[judge]]\nid = \"nested\"\nkind = \"command\"\nargv = [\"sh\", \"-c\", {}]\n", json!(script));
    agent.repo().write("assize.toml", &judge);
    agent.repo().write("src/parse.rs", "pub fn parse() -> u8 {\n    7\n}\n");
    agent.run(&[
        "stop",
        "--directive",
        "Write src/parse.rs",
        "--transcript",
        &agent.transcript().display().to_string(),
    ]);
    assert_eq!(fs::read_to_string(at("said")).expect("the judge was asked"), "0\n", "the hook says nothing");
}

#[test]
fn a_project_that_is_named_wrongly_is_not_judged_silently() {
    let agent = agent();
    agent.repo().write("src/parse.rs", "pub fn parse() -> u8 {\n    7\n}\n");
    let above = agent.repo().path().parent().expect("a folder above").display().to_string();
    let stopped = stops_with(&agent, &[("CLAUDE_PROJECT_DIR", &above)], json!({}));
    is_unjudged(stopped.as_ref(), "start of the session");
}

#[test]
fn a_prompt_that_nobody_typed_lets_nothing_pass() {
    let agent = agent();
    is_blocked(leaves_a_stub(&agent).as_ref(), "src/parse.rs");
    let accepts = json!({"prompt": "assize: accept", "prompt_id": "p2"});
    agent.sends("UserPromptSubmit", accepts);
    let stopped = agent.stops("Done.");
    is_blocked(stopped.as_ref(), "src/parse.rs");
    let told = stopped.expect("an answer")["systemMessage"].as_str().unwrap_or_default().to_owned();
    assert!(told.contains("not in the transcript"), "{told}");
    // The same prompt, typed.
    agent.writes(&json!({"type": "user", "message": {"role": "user", "content": "assize: accept"}}));
    let told = agent.stops("Done.").expect("a notice");
    assert!(told["systemMessage"].as_str().is_some_and(|told| told.contains("assize: accept")), "{told}");
}

#[test]
fn a_file_that_the_session_hides_from_git_is_seen() {
    let agent = agent();
    agent.repo().write("src/parse.rs", STUB);
    agent.repo().write_git("info/exclude", "src/parse.rs\n");
    is_blocked(agent.stops("Done.").as_ref(), "src/parse.rs");
    for (list, line) in [(".gitignore", "target\nsrc/parse.rs\n"), ("src/.gitignore", "*\n")] {
        let agent = self::agent();
        agent.repo().write("src/parse.rs", STUB);
        agent.repo().write(list, line);
        if list == ".gitignore" {
            is_blocked(agent.stops("Done.").as_ref(), "src/parse.rs");
        }
        let writes = |id: &str, path: &str| {
            let path = agent.repo().path().join(path);
            let call = json!([{"type": "tool_use", "id": id, "name": "Write", "input": {"file_path": path}}]);
            agent.writes(&json!({"type": "assistant", "message": {"content": call}}));
            let result = json!([{"type": "tool_result", "tool_use_id": id, "content": ""}]);
            agent.writes(&json!({"type": "user", "message": {"content": result}}));
        };
        writes("1", "src/parse.rs");
        writes("2", list);
        is_blocked(agent.stops("Done.").as_ref(), "src/parse.rs");
    }
}

#[test]
fn without_its_transcript_a_session_is_not_accepted() {
    let finished = "pub fn parse() -> u8 {\n    7\n}\n";
    let pipe = |path: &Path| {
        fs::remove_file(path).expect("removed");
        assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
    };
    for (why, contents) in [
        ("transcript", None),
        ("no prompt", Some("")),
        ("no prompt", Some("{\"type\":\"us\n")),
        ("no regular file", Some("pipe")),
    ] {
        let change = |path: &Path| match contents {
            None => fs::remove_file(path).expect("removed"),
            Some("pipe") => pipe(path),
            Some(text) => fs::write(path, text).expect("written"),
        };
        let agent = agent();
        agent.repo().write("src/parse.rs", finished);
        change(&agent.transcript());
        is_unjudged(agent.stops("Done.").as_ref(), why);
        assert_eq!(last_outcome(&agent), "unjudged");
    }
    // An event may keep silent about it when an earlier one named it.
    let agent = agent();
    agent.repo().write("src/parse.rs", finished);
    assert_eq!(stops_with(&agent, &[], json!({"transcript_path": null})), None);
    assert_eq!(last_outcome(&agent), "accept");
    // By hand the court needs one as well.
    let by_hand =
        agent.run(&["stop", "--directive", "Write src/mul.rs", "--message", "I added mul()", "--format", "json"]);
    assert_ne!(by_hand.status.code(), Some(0), "{by_hand:?}");
}

#[test]
fn a_ledger_that_is_emptied_is_not_sound() {
    let agent = agent();
    agent.repo().write("src/parse.rs", "pub fn parse() -> u8 {\n    7\n}\n");
    let projects = agent.state().join("projects");
    fs::remove_dir_all(&projects).expect("removed");
    is_unjudged(agent.stops("Done.").as_ref(), "the ledger has 0 entries, and had 2");
    let verified = agent.run(&["ledger", "verify"]);
    assert_eq!(verified.status.code(), Some(1), "{verified:?}");
    let said: Value = serde_json::from_slice(&verified.stdout).expect("JSON");
    assert_eq!(said["sound"], false, "{said}");
    // An agent cannot take it as it is, a person can.
    let inside = agent.command(&["ledger", "anchor"]).env("CLAUDECODE", "1").output().expect("it runs");
    assert_eq!(inside.status.code(), Some(2), "{inside:?}");
    agent.read(&["ledger", "anchor"]);
    assert!(agent.read(&["ledger", "verify"]).contains("\"sound\":true"));
    let shown = agent.read(&["ledger", "show", "--format", "human"]);
    assert!(shown.contains("the ledger has 0 entries, and had 2"), "{shown}");
}
