//! Who did it: an agent answers for what its own tool calls wrote, and for nothing else.

use std::path::Path;

use assize_testkit::agent::Agent;
use assize_testkit::repo::Repo;
use serde_json::{Value, json};

const STUB: &str = "pub fn parse() {\n    todo!()\n}\n";
const FINISHED: &str = "pub fn parse() -> u8 {\n    7\n}\n";

/// An agent whose tool calls are told to the hook.
fn agent_in(repo: Repo) -> Agent {
    let agent = Agent::new(Path::new(env!("CARGO_BIN_EXE_assize")), repo);
    agent.read(&["init", "claude-code"]);
    agent
}

fn agent() -> Agent {
    agent_in(Repo::with_commit(&[
        ("src/lib.rs", "pub fn a() {}\n"),
        ("tests/a.rs", "#[test]\nfn a() {\n    assert!(true);\n}\n"),
    ]))
}

/// A session asks for a parser.
fn is_asked(agent: &Agent, session: &str, prompt: &str) {
    agent.sends("SessionStart", json!({"session_id": session, "source": "startup"}));
    agent.sends("UserPromptSubmit", json!({"session_id": session, "prompt": prompt, "prompt_id": "p1"}));
    agent.writes(&json!({"type": "user", "message": {"role": "user", "content": prompt}}));
}

/// A session calls a tool, which does something.
fn calls(agent: &Agent, session: &str, id: &str, tool: impl FnOnce()) {
    begins(agent, session, id);
    tool();
    ends(agent, session, id);
}

fn begins(agent: &Agent, session: &str, id: &str) {
    agent.sends("PreToolUse", json!({"session_id": session, "tool_name": "Bash", "tool_use_id": id}));
}

fn ends(agent: &Agent, session: &str, id: &str) {
    agent.sends(
        "PostToolUse",
        json!({"session_id": session, "tool_name": "Bash", "tool_use_id": id, "tool_response": {}}),
    );
}

fn stops(agent: &Agent, session: &str) -> Value {
    let stop =
        json!({"session_id": session, "stop_hook_active": false, "last_assistant_message": "I implemented `parse`."});
    let output = agent.sends("Stop", stop);
    serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
}

/// The last stop on record: its outcome, its findings and its limits.
fn last_stop(agent: &Agent) -> (String, String, String) {
    let exported = agent.read(&["ledger", "export"]);
    let entries = exported.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let stop = entries.rev().find(|entry| entry["kind"] == "stop_ruled").expect("a stop");
    let inputs = &stop["payload"]["inputs"];
    let outcome = stop["outcome"].as_str().unwrap_or_default().to_owned();
    (outcome, inputs["findings"].to_string(), inputs["evidence"]["limits"].to_string())
}

#[test]
fn a_stub_of_its_own_blocks() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    calls(&agent, "one", "1", || agent.repo().write("src/parse.rs", STUB));
    assert_eq!(stops(&agent, "one")["decision"], "block");
    calls(&agent, "one", "2", || agent.repo().write("src/parse.rs", FINISHED));
    assert_eq!(stops(&agent, "one"), Value::Null);
}

#[test]
fn a_stub_of_another_session_is_held_against_that_one() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    is_asked(&agent, "two", "Implement `scan` in src/scan.rs");
    calls(&agent, "two", "1", || agent.repo().write("src/scan.rs", STUB));
    calls(&agent, "one", "1", || agent.repo().write("src/parse.rs", FINISHED));
    assert_eq!(stops(&agent, "one"), Value::Null);
    let (outcome, _, limits) = last_stop(&agent);
    assert_eq!(outcome, "accept");
    assert!(limits.contains("changed by another session, and not judged: src/scan.rs"), "{limits}");
    assert_eq!(stops(&agent, "two")["decision"], "block");
}

#[test]
fn two_sessions_in_one_file_have_a_part_each() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/lib.rs");
    is_asked(&agent, "two", "Implement `scan` in src/lib.rs");
    let lib = |more: &str| format!("pub fn a() {{}}\n{more}");
    calls(&agent, "one", "1", || agent.repo().write("src/lib.rs", &lib(FINISHED)));
    let scan = STUB.replace("parse", "scan");
    calls(&agent, "two", "1", || agent.repo().write("src/lib.rs", &lib(&format!("{FINISHED}{scan}"))));
    assert_eq!(stops(&agent, "one"), Value::Null);
    let reason = stops(&agent, "two")["reason"].as_str().unwrap_or_default().to_owned();
    assert!(reason.contains("src/lib.rs:6"), "{reason}");
}

#[test]
fn what_a_person_typed_is_the_persons() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    calls(&agent, "one", "1", || agent.repo().write("src/parse.rs", FINISHED));
    agent.repo().write("tests/a.rs", "#[test]\n#[ignore]\nfn a() {\n    assert!(true);\n}\n");
    assert_eq!(stops(&agent, "one"), Value::Null);
    let (outcome, _, limits) = last_stop(&agent);
    assert_eq!(outcome, "accept");
    assert!(limits.contains("by no tool call: by a person or another program"), "{limits}");
}

#[test]
fn what_lay_uncommitted_when_the_session_began_is_not_the_sessions() {
    let agent = agent();
    let lib = |more: &str| format!("pub fn a() {{}}\n{more}");
    agent.repo().write("src/lib.rs", &lib(&STUB.replace("parse", "scan")));
    is_asked(&agent, "one", "Implement `parse` in src/lib.rs");
    let with = |parse: &str| lib(&format!("{}{parse}", STUB.replace("parse", "scan")));
    calls(&agent, "one", "1", || agent.repo().write("src/lib.rs", &with(STUB)));
    let reason = stops(&agent, "one")["reason"].as_str().unwrap_or_default().to_owned();
    assert!(reason.contains("src/lib.rs:6") && !reason.contains("src/lib.rs:3"), "{reason}");
    calls(&agent, "one", "2", || agent.repo().write("src/lib.rs", &with(FINISHED)));
    assert_eq!(stops(&agent, "one"), Value::Null);
}

#[test]
fn what_git_brings_is_not_the_sessions() {
    let brings: [(&str, &[&str]); 3] = [
        ("a checkout", &["checkout", "--quiet", "other"]),
        ("a merge that only moves ahead", &["merge", "--quiet", "other"]),
        ("files of another branch", &["checkout", "--quiet", "other", "--", "."]),
    ];
    for (what, arguments) in brings {
        let repo = Repo::with_commit(&[("src/lib.rs", "pub fn a() {}\n")]);
        repo.git(&["checkout", "--quiet", "-b", "other"]);
        repo.write("src/scan.rs", STUB);
        repo.commit("a stub of somebody");
        repo.git(&["checkout", "--quiet", "-"]);
        // Git writes an object anew only if it has none; it is older than the session.
        std::thread::sleep(std::time::Duration::from_millis(20));
        let agent = agent_in(repo);
        is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
        calls(&agent, "one", "1", || {
            agent.repo().git(arguments);
            agent.repo().write("src/parse.rs", FINISHED);
        });
        assert_eq!(stops(&agent, "one"), Value::Null, "{what}: {:?}", last_stop(&agent));
        let (outcome, _, limits) = last_stop(&agent);
        assert_eq!(outcome, "accept", "{what}");
        assert!(limits.contains("brought by git, and not judged: src/scan.rs"), "{what}: {limits}");
    }
}

#[test]
fn lines_of_the_other_side_of_a_merge_are_not_the_sessions() {
    let lines: Vec<String> = (0..30).map(|number| format!("// line {number}")).collect();
    let text = |first: &str, last: &str| format!("{first}\n{}\n{last}\n", lines.join("\n"));
    let repo = Repo::with_commit(&[("src/lib.rs", &text("// first", "// last"))]);
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    repo.write("src/lib.rs", &text("// first", "pub fn scan() { todo!() }"));
    repo.commit("a stub of somebody");
    repo.git(&["checkout", "--quiet", "-"]);
    std::thread::sleep(std::time::Duration::from_millis(20));
    let agent = agent_in(repo);
    is_asked(&agent, "one", "Implement `parse` in src/lib.rs");
    calls(&agent, "one", "1", || {
        agent.repo().write("src/lib.rs", &text("pub fn parse() -> u8 { 7 }", "// last"));
        agent.repo().git(&["commit", "--quiet", "--all", "--message", "parse"]);
    });
    calls(&agent, "one", "2", || {
        agent.repo().git(&["merge", "--quiet", "--no-edit", "other"]);
    });
    let merged = std::fs::read_to_string(agent.repo().path().join("src/lib.rs")).expect("a file");
    assert!(merged.contains("todo!()") && merged.contains("pub fn parse"), "{merged}");
    assert_eq!(stops(&agent, "one"), Value::Null, "{:?}", last_stop(&agent));
    let (_, _, limits) = last_stop(&agent);
    assert!(limits.contains("brought by git, and not judged: src/lib.rs"), "{limits}");
}

#[test]
fn what_the_session_committed_stays_its_own() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    calls(&agent, "one", "1", || {
        agent.repo().git(&["checkout", "--quiet", "-b", "work"]);
        agent.repo().write("src/parse.rs", STUB);
        agent.repo().commit("a stub");
        agent.repo().git(&["checkout", "--quiet", "-"]);
    });
    calls(&agent, "one", "2", || {
        agent.repo().git(&["checkout", "--quiet", "work"]);
    });
    assert_eq!(stops(&agent, "one")["decision"], "block");
}

#[test]
fn calls_of_two_sessions_at_once_are_not_certain() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    is_asked(&agent, "two", "Implement `scan` in src/scan.rs");
    begins(&agent, "one", "1");
    begins(&agent, "two", "1");
    agent.repo().write("src/scan.rs", STUB);
    agent.repo().write("src/parse.rs", FINISHED);
    ends(&agent, "one", "1");
    ends(&agent, "two", "1");
    let told = stops(&agent, "one");
    assert_eq!(told.get("decision"), None);
    assert!(told["systemMessage"].as_str().is_some_and(|told| told.contains("not certain")), "{told}");
    let (_, findings, limits) = last_stop(&agent);
    assert!(
        findings.contains(r#""certainty":"likely""#) && !findings.contains(r#""certainty":"certain""#),
        "{findings}"
    );
    assert!(limits.contains("another one at the same time, and not certain"), "{limits}");
}

#[test]
fn an_agent_that_did_nothing_is_not_helped_by_others() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    agent.repo().write("src/parse.rs", FINISHED);
    stops(&agent, "one");
    let (_, findings, _) = last_stop(&agent);
    assert!(findings.contains("nothing-changed"), "{findings}");
}

#[test]
fn a_task_in_the_background_writes_for_its_session() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    begins(&agent, "one", "1");
    let response = json!({"backgroundTaskId": "b1"});
    agent.sends(
        "PostToolUse",
        json!({"session_id": "one", "tool_name": "Bash", "tool_use_id": "1", "tool_response": response}),
    );
    agent.repo().write("src/parse.rs", STUB);
    assert_eq!(stops(&agent, "one")["decision"], "block");
}

#[test]
fn a_cleared_session_keeps_what_it_wrote() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    calls(&agent, "one", "1", || agent.repo().write("src/parse.rs", STUB));
    agent.sends("SessionEnd", json!({"session_id": "one", "reason": "clear"}));
    agent.sends("SessionStart", json!({"session_id": "two", "source": "clear"}));
    assert_eq!(stops(&agent, "two")["decision"], "block", "{:?}", last_stop(&agent));
}

/// The hook at the start of a session is killed: its prompt says that it follows, and so does a session after one whose own start
/// was not heard.
#[test]
fn a_cleared_session_is_followed_by_one_whose_start_was_not_heard() {
    let next = json!({"session_id": "three", "prompt": "Go on", "prompt_id": "p2"});
    for is_cleared_twice in [false, true] {
        let agent = agent();
        is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
        calls(&agent, "one", "1", || agent.repo().write("src/parse.rs", STUB));
        agent.sends("SessionEnd", json!({"session_id": "one", "reason": "clear"}));
        if is_cleared_twice {
            agent.sends("SessionEnd", json!({"session_id": "two", "reason": "clear"}));
        }
        agent.sends("UserPromptSubmit", next.clone());
        assert_eq!(stops(&agent, "three")["decision"], "block", "{:?}", last_stop(&agent));
        // One that is begun afterwards follows nothing.
        agent.sends("UserPromptSubmit", json!({"session_id": "four", "prompt": "Explain it", "prompt_id": "p3"}));
        assert_eq!(stops(&agent, "four"), Value::Null, "{:?}", last_stop(&agent));
    }
}

/// The hook at the end of a session is killed: the next one begins after a session was cleared, and there is only one.
#[test]
fn a_cleared_session_is_followed_although_its_end_was_not_heard() {
    for (others, is_followed) in [(0, true), (1, false)] {
        let agent = agent();
        for other in 0..others {
            is_asked(&agent, &format!("other {other}"), "Implement `count` in src/count.rs");
        }
        is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
        calls(&agent, "one", "1", || agent.repo().write("src/parse.rs", STUB));
        agent.sends("SessionStart", json!({"session_id": "two", "source": "clear"}));
        agent.sends("UserPromptSubmit", json!({"session_id": "two", "prompt": "Explain it", "prompt_id": "p2"}));
        assert_eq!(stops(&agent, "two")["decision"] == "block", is_followed, "{:?}", last_stop(&agent));
    }
}

#[test]
fn what_a_session_did_before_it_was_heard_to_begin_is_its_own() {
    let agent = agent();
    agent.repo().write("src/scan.rs", STUB);
    is_asked(&agent, "two", "Implement `count` in src/count.rs");
    calls(&agent, "one", "1", || agent.repo().write("src/parse.rs", STUB));
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    assert_eq!(stops(&agent, "one")["decision"], "block", "{:?}", last_stop(&agent));
    let (_, findings, _) = last_stop(&agent);
    assert!(findings.contains("src/parse.rs") && !findings.contains("src/scan.rs"), "{findings}");
}

#[test]
fn what_was_done_before_a_session_was_cleared_is_its_own_although_no_beginning_was_heard() {
    let agent = agent();
    is_asked(&agent, "two", "Implement `count` in src/count.rs");
    calls(&agent, "one", "1", || agent.repo().write("src/parse.rs", STUB));
    agent.sends("SessionEnd", json!({"session_id": "one", "reason": "clear"}));
    agent.sends("SessionStart", json!({"session_id": "three", "source": "clear"}));
    agent.sends("UserPromptSubmit", json!({"session_id": "three", "prompt": "Go on", "prompt_id": "p2"}));
    assert_eq!(stops(&agent, "three")["decision"], "block", "{:?}", last_stop(&agent));
}

#[test]
fn without_a_prompt_and_a_transcript_nothing_is_silent() {
    let agent = agent();
    agent.sends("SessionStart", json!({"session_id": "one", "source": "startup"}));
    calls(&agent, "one", "1", || agent.repo().write("src/parse.rs", STUB));
    agent.writes(&json!("no line of a transcript"));
    let told = stops(&agent, "one");
    assert!(told["systemMessage"].as_str().is_some_and(|told| told.contains("no prompt was heard")), "{told}");
}

#[test]
fn a_prompt_that_was_not_heard_is_caught_up() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    calls(&agent, "one", "1", || agent.repo().write("src/parse.rs", FINISHED));
    assert_eq!(stops(&agent, "one"), Value::Null, "{:?}", last_stop(&agent));
    agent.writes(&json!({"type": "user", "message": {"role": "user", "content": "Implement `scan` in src/scan.rs"}}));
    calls(&agent, "one", "2", || agent.repo().write("src/scan.rs", STUB));
    assert_eq!(stops(&agent, "one")["decision"], "block", "{:?}", last_stop(&agent));
}

/// Without the settings that send them, it is not known whether calls were open.
#[test]
fn without_the_agents_settings_nothing_is_certain_and_nothing_silent() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    std::fs::remove_dir_all(agent.repo().path().join(".claude")).expect("removed");
    agent.repo().write("src/parse.rs", STUB);
    let told = stops(&agent, "one");
    assert!(told["systemMessage"].as_str().is_some_and(|told| told.contains("not certain")), "{told}");
}

#[test]
fn where_contents_are_lost_nothing_is_silent() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/lib.rs");
    agent.repo().write("src/lib.rs", "pub fn a() {}\npub fn b() {}\n");
    calls(&agent, "one", "1", || ());
    calls(&agent, "one", "2", || {
        agent.repo().write("src/lib.rs", &format!("pub fn a() {{}}\npub fn b() {{}}\n{STUB}"));
    });
    for project in std::fs::read_dir(agent.state().join("projects")).expect("a folder").flatten() {
        for kept in std::fs::read_dir(project.path().join("journal/contents")).expect("contents").flatten() {
            std::fs::write(kept.path(), "").expect("emptied");
        }
    }
    let told = stops(&agent, "one");
    let notice = told["systemMessage"].as_str().unwrap_or_default();
    assert!(notice.contains("not certain (changed by others as well") && notice.contains("src/lib.rs"), "{told}");
}

/// An edit that waits for its user's leave has not been made yet.
#[test]
fn an_edit_that_is_open_takes_no_lines_of_others() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    is_asked(&agent, "two", "Implement `scan` in src/parse.rs");
    let input = json!({"file_path": agent.repo().path().join("src/parse.rs")});
    let fields = json!({"session_id": "two", "tool_name": "Write", "tool_use_id": "e", "tool_input": input});
    agent.sends("PreToolUse", fields);
    calls(&agent, "one", "1", || agent.repo().write("src/parse.rs", STUB));
    for session in ["one", "two"] {
        let told = stops(&agent, session);
        assert!(told["systemMessage"].as_str().is_some_and(|told| told.contains("not certain")), "{session}: {told}");
    }
}

/// A file that an agent moves without git keeps the lines of others, and one that is made anew in its place has none of its.
#[test]
fn a_file_that_moves_takes_its_authors_along() {
    let body: String = (0..9).map(|n| format!("\npub fn f{n}() -> u8 {{\n    {n}\n}}\n")).collect();
    let agent = agent_in(Repo::with_commit(&[("src/lib.rs", &body)]));
    let (lib, core) = (agent.repo().path().join("src/lib.rs"), agent.repo().path().join("src/core.rs"));
    is_asked(&agent, "one", "Move src/lib.rs to src/core.rs");
    agent.repo().write("src/lib.rs", &format!("{body}{STUB}"));
    calls(&agent, "one", "1", || std::fs::rename(&lib, &core).expect("moved"));
    agent.repo().write("src/lib.rs", STUB);
    assert_eq!(stops(&agent, "one").get("decision"), None, "{:?}", last_stop(&agent));
    calls(&agent, "one", "2", || {
        agent.repo().write("src/core.rs", &format!("{body}{STUB}pub fn two() {{ todo!(\"two\") }}\n"));
    });
    agent.sends("UserPromptSubmit", json!({"session_id": "one", "prompt": "Add `two`", "prompt_id": "p2"}));
    assert_eq!(stops(&agent, "one")["decision"], "block", "{:?}", last_stop(&agent));
    let (_, findings, _) = last_stop(&agent);
    assert!(findings.contains("two") && !findings.contains("src/lib.rs"), "{findings}");
    let before = findings;
    for stash in [&["stash", "push", "--quiet", "--include-untracked", "--", "src"][..], &["stash", "pop", "--quiet"]] {
        calls(&agent, "other", "3", || drop(agent.repo().git(stash)));
    }
    stops(&agent, "one");
    assert_eq!(last_stop(&agent).1, before, "what is stashed and taken out again stays whose it was");
}

/// A file is moved away and taken out of the repository again: what is left at the new path was there before.
#[test]
fn a_file_that_was_moved_and_is_back_leaves_nothing_of_the_sessions() {
    let agent = agent_in(Repo::with_commit(&[("src/lib.rs", &format!("pub fn a() {{}}\n{STUB}"))]));
    let (lib, core) = (agent.repo().path().join("src/lib.rs"), agent.repo().path().join("src/core.rs"));
    is_asked(&agent, "one", "Move src/lib.rs to src/core.rs");
    calls(&agent, "one", "1", || std::fs::rename(&lib, &core).expect("moved"));
    calls(&agent, "one", "2", || drop(agent.repo().git(&["reset", "--quiet", "--hard"])));
    assert_eq!(stops(&agent, "one").get("decision"), None, "{:?}", last_stop(&agent));
    calls(&agent, "one", "3", || {
        agent.repo().write("src/core.rs", &format!("pub fn a() {{}}\n{STUB}pub fn b() {{ todo!(\"b\") }}\n"));
    });
    agent.sends("UserPromptSubmit", json!({"session_id": "one", "prompt": "Add `b`", "prompt_id": "p2"}));
    assert_eq!(stops(&agent, "one")["decision"], "block", "{:?}", last_stop(&agent));
}

/// Git follows a file that was moved: what a merge brings to it stands at its old path in the other branch.
#[test]
fn lines_that_a_merge_brings_to_a_file_that_was_moved_are_brought_by_git() {
    let body: String = (0..9).map(|n| format!("\npub fn f{n}() -> u8 {{\n    {n}\n}}\n")).collect();
    for is_moved_before in [true, false] {
        let agent = agent_in(Repo::with_commit(&[("src/lib.rs", &body)]));
        let git = |arguments: &[&str]| drop(agent.repo().git(arguments));
        git(&["checkout", "--quiet", "-b", "theirs"]);
        agent.repo().write("src/lib.rs", &format!("{body}{STUB}"));
        git(&["commit", "--quiet", "--message", "a stub of a colleague", "--", "src"]);
        git(&["checkout", "--quiet", "-"]);
        let moves = || {
            git(&["mv", "src/lib.rs", "src/core.rs"]);
            git(&["commit", "--quiet", "--message", "moved", "--", "src"]);
        };
        if is_moved_before {
            moves();
        }
        is_asked(&agent, "one", "Merge theirs");
        if !is_moved_before {
            calls(&agent, "one", "1", moves);
        }
        calls(&agent, "one", "2", || git(&["merge", "--quiet", "--no-edit", "theirs"]));
        assert_eq!(stops(&agent, "one").get("decision"), None, "{:?}", last_stop(&agent));
    }
}

/// A session puts its work into a stash, and another one takes it out.
#[test]
fn what_comes_out_of_a_stash_is_whose_it_was() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    calls(&agent, "one", "1", || {
        agent.repo().write("src/parse.rs", STUB);
        agent.repo().write("src/lib.rs", "pub fn a() { todo!(\"a\") }\n");
        agent.repo().git(&["stash", "push", "--quiet", "--include-untracked", "--", "src"]);
    });
    is_asked(&agent, "two", "Implement `scan` in src/scan.rs");
    calls(&agent, "two", "1", || {
        agent.repo().git(&["stash", "pop", "--quiet"]);
        agent.repo().write("src/scan.rs", FINISHED);
    });
    assert_eq!(stops(&agent, "two").get("decision"), None, "{:?}", last_stop(&agent));
    assert_eq!(stops(&agent, "one")["decision"], "block", "{:?}", last_stop(&agent));
}

/// A file of another branch is taken into the tree and changed by one command. HEAD stays where it is.
#[test]
fn what_is_checked_out_from_another_branch_is_brought_by_git() {
    let agent = agent();
    agent.repo().git(&["checkout", "--quiet", "-b", "theirs"]);
    agent.repo().write("src/lib.rs", &format!("pub fn a() {{}}\n{STUB}"));
    agent.repo().git(&["commit", "--quiet", "--message", "a stub of a colleague", "--", "src"]);
    agent.repo().git(&["checkout", "--quiet", "-"]);
    is_asked(&agent, "one", "Take src/lib.rs from the branch theirs and add `b`");
    calls(&agent, "one", "1", || {
        agent.repo().git(&["checkout", "--quiet", "theirs", "--", "src"]);
        agent.repo().write("src/lib.rs", &format!("pub fn a() {{}}\n{STUB}pub fn b() {{}}\n"));
    });
    assert_eq!(stops(&agent, "one").get("decision"), None, "{:?}", last_stop(&agent));
}

#[test]
fn an_edit_names_its_file() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    is_asked(&agent, "two", "Implement `scan` in src/scan.rs");
    begins(&agent, "two", "1");
    let edit = |name: &str| {
        let path = agent.repo().path().join("src/parse.rs");
        let input = json!({"file_path": path});
        agent.sends(name, json!({"session_id": "one", "tool_name": "Write", "tool_use_id": "e", "tool_input": input}));
    };
    edit("PreToolUse");
    agent.repo().write("src/parse.rs", STUB);
    edit("PostToolUse");
    assert_eq!(stops(&agent, "one")["decision"], "block", "{:?}", last_stop(&agent));
}

/// While an edit is made, a command of another session writes into the same file.
#[test]
fn a_file_with_more_than_an_edit_wrote_is_not_the_edits_alone() {
    for (has_more, is_certain) in [(false, true), (true, false)] {
        let agent = agent();
        is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
        is_asked(&agent, "two", "Implement `scan` in src/parse.rs");
        begins(&agent, "two", "1");
        let input = json!({"file_path": agent.repo().path().join("src/parse.rs"), "content": STUB});
        let edit = |name: &str| {
            agent.sends(
                name,
                json!({"session_id": "one", "tool_name": "Write", "tool_use_id": "e", "tool_input": input}),
            );
        };
        edit("PreToolUse");
        agent.repo().write("src/parse.rs", &if has_more { format!("{STUB}{FINISHED}") } else { STUB.to_owned() });
        edit("PostToolUse");
        assert_eq!(stops(&agent, "one")["decision"] == "block", is_certain, "{:?}", last_stop(&agent));
    }
}

#[test]
fn a_journal_that_is_begun_anew_excuses_nothing() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    calls(&agent, "one", "1", || {
        for project in std::fs::read_dir(agent.state().join("projects")).expect("a folder").flatten() {
            std::fs::remove_dir_all(project.path().join("journal")).expect("removed");
        }
    });
    calls(&agent, "one", "2", || agent.repo().write("src/parse.rs", STUB));
    assert_eq!(stops(&agent, "one")["decision"], "block", "{:?}", last_stop(&agent));
    let (_, _, limits) = last_stop(&agent);
    assert!(limits.contains("every change counts as this session's"), "{limits}");
}

#[test]
fn packing_objects_makes_no_stub_older() {
    for arguments in [&["gc", "--quiet"][..], &["repack", "-adq"]] {
        let agent = agent();
        is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
        calls(&agent, "one", "1", || {
            agent.repo().write("src/parse.rs", STUB);
            agent.repo().commit("a stub");
            agent.repo().git(arguments);
        });
        assert_eq!(stops(&agent, "one")["decision"], "block", "{arguments:?}");
    }
}

#[test]
fn contents_of_another_path_are_no_excuse() {
    let agent = agent_in(Repo::with_commit(&[("templates/parse.rs", STUB)]));
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    calls(&agent, "one", "1", || agent.repo().write("src/parse.rs", STUB));
    assert_eq!(stops(&agent, "one")["decision"], "block");
}

/// A colleague's stub comes with a pull; what the session pushes stays its own.
#[test]
fn what_is_pulled_is_the_colleagues_and_what_is_pushed_is_not() {
    let repo = Repo::with_commit(&[("src/lib.rs", "pub fn a() {}\n")]);
    let outside = repo.outside().to_owned();
    let remote = outside.join("remote.git").display().to_string();
    let colleague = outside.join("colleague");
    let at = colleague.display().to_string();
    repo.git(&["init", "--quiet", "--bare", &remote]);
    repo.git(&["remote", "add", "origin", &remote]);
    repo.git(&["push", "--quiet", "--set-upstream", "origin", "HEAD"]);
    let branch = String::from_utf8(repo.git(&["branch", "--show-current"]).stdout).expect("a name");
    repo.git(&["clone", "--quiet", "--branch", branch.trim(), &remote, &at]);
    let agent = agent_in(repo);
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    std::fs::create_dir_all(colleague.join("src")).expect("made");
    std::fs::write(colleague.join("src/scan.rs"), STUB).expect("written");
    agent.repo().git(&["-C", &at, "add", "--all"]);
    agent.repo().git(&["-C", &at, "commit", "--quiet", "--message", "a stub of a colleague"]);
    agent.repo().git(&["-C", &at, "push", "--quiet"]);
    calls(&agent, "one", "1", || {
        agent.repo().git(&["pull", "--quiet", "--ff-only"]);
        agent.repo().write("src/parse.rs", FINISHED);
    });
    assert_eq!(stops(&agent, "one"), Value::Null, "{:?}", last_stop(&agent));
    let (_, _, limits) = last_stop(&agent);
    assert!(limits.contains("brought by git, and not judged: src/scan.rs"), "{limits}");
    agent.sends(
        "UserPromptSubmit",
        json!({"session_id": "one", "prompt": "Implement `count` in src/count.rs", "prompt_id": "p2"}),
    );
    agent.writes(&json!({"type": "user", "message": {"role": "user", "content": "Implement `count` in src/count.rs"}}));
    calls(&agent, "one", "2", || {
        agent.repo().write("src/count.rs", STUB);
        agent.repo().commit("a stub");
        agent.repo().git(&["push", "--quiet"]);
    });
    calls(&agent, "one", "3", || {
        agent.repo().git(&["fetch", "--quiet"]);
    });
    assert_eq!(stops(&agent, "one")["decision"], "block", "{:?}", last_stop(&agent));
}

/// Subagents send their parent's session, and what they write is their parent's.
#[test]
fn a_subagent_writes_for_its_parent() {
    let agent = agent();
    is_asked(&agent, "one", "Implement `parse` in src/parse.rs");
    let call = |name: &str| {
        let fields = json!({"session_id": "one", "agent_id": "a1", "tool_name": "Write", "tool_use_id": "9"});
        agent.sends(name, fields);
    };
    call("PreToolUse");
    agent.repo().write("src/parse.rs", STUB);
    call("PostToolUse");
    assert_eq!(stops(&agent, "one")["decision"], "block");
}
