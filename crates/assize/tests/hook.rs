//! The hook as an agent calls it: real processes, real git, a real ledger.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use assize_engine::ledger_place::LedgerPlace;
use assize_testkit::agent::Agent;
use assize_testkit::repo::Repo;
use serde_json::{Value, json};

fn agent() -> Agent {
    Agent::new(Path::new(env!("CARGO_BIN_EXE_assize")), Repo::with_commit(&[("src/lib.rs", "pub fn a() {}\n")]))
}

fn reason(answer: Option<Value>) -> String {
    let answer = answer.expect("a block");
    assert_eq!(answer["decision"], "block", "{answer}");
    answer["reason"].as_str().expect("a reason").to_owned()
}

fn notice(answer: Option<Value>) -> String {
    let answer = answer.expect("a notice");
    assert_eq!(answer.get("decision"), None, "{answer}");
    answer["systemMessage"].as_str().expect("a notice").to_owned()
}

#[test]
fn a_premature_stop_is_sent_back_and_an_honest_one_let_go() {
    let agent = agent();
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    assert!(reason(agent.stops("Done.")).contains("src/parse.rs:2"));
    agent.repo().write("src/parse.rs", "pub fn parse() -> u8 {\n    7\n}\n");
    assert_eq!(agent.stops("`parse` is implemented."), None);
    let shown = agent.read(&["ledger", "show", "--format", "human"]);
    assert!(shown.contains("revise") && shown.contains("accept"), "{shown}");
    assert!(agent.read(&["ledger", "verify"]).contains("\"sound\":true"));
}

#[test]
fn every_ruling_can_be_replayed() {
    let agent = agent();
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    for _ in 0..4 {
        agent.stops("Done.");
    }
    let exported = agent.read(&["ledger", "export"]);
    let mut rulings = 0;
    for line in exported.lines() {
        let entry: Value = serde_json::from_str(line).expect("JSON");
        if entry["kind"] == "stop_ruled" {
            rulings += 1;
            agent.read(&["ledger", "replay", &entry["seq"].to_string()]);
        }
    }
    assert_eq!(rulings, 4);
}

#[test]
fn the_same_again_is_let_go_with_a_notice() {
    let agent = agent();
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    reason(agent.stops("Done."));
    reason(agent.stops("Done."));
    assert!(notice(agent.stops("Done.")).contains("not accepted"));
}

#[test]
fn parallel_sessions_do_not_mix() {
    let agent = agent();
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    let other = agent.sends("Stop", json!({"session_id": "other", "transcript_path": null, "last_assistant_message": "Hi.", "stop_hook_active": false}));
    assert!(other.status.success() && other.stdout.is_empty(), "{other:?}");
    reason(agent.stops("Done."));
}

#[test]
fn a_malformed_event_allows_and_is_recorded() {
    let agent = agent();
    for garbage in [json!("text"), json!({"hook_event_name": "Stop"}), json!(null)] {
        let output = agent.start(&garbage).wait_with_output().expect("the hook ends");
        assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
        assert!(!output.stderr.is_empty());
    }
    let exported = agent.read(&["ledger", "export"]);
    assert_eq!(exported.lines().filter(|line| line.contains("event_malformed")).count(), 3, "{exported}");
    let unknown = agent.sends("SomethingNew", json!({"unheard_of": [1, 2]}));
    assert!(unknown.status.success() && unknown.stdout.is_empty() && unknown.stderr.is_empty());
}

#[test]
fn a_configuration_that_cannot_be_read_does_not_switch_the_court_off() {
    let agent = agent();
    agent.repo().write("assize.toml", "[stop\n");
    agent.repo().commit("broken");
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    reason(agent.stops("Done."));
    agent.repo().write("src/parse.rs", "pub fn parse() -> u8 {\n    7\n}\n");
    assert!(notice(agent.stops("Done.")).contains("bad_configuration"));
    agent.repo().write("assize.toml", "");
    assert_eq!(agent.stops("Done."), None, "once mended it is read");
}

#[test]
fn the_person_is_told_of_a_configuration_that_cannot_be_used() {
    let told = |answer: &Value| answer["systemMessage"].as_str().unwrap_or_default().to_owned();
    let fault = "assize.toml: line 2: [stop] mode: unknown value `shadwo`, expected `enforce` or `shadow`";
    let agent = agent();
    agent.repo().write("assize.toml", "[stop]\nmode = \"shadwo\"\n");
    agent.repo().commit("broken");
    let start = |session: &str, source: &str| {
        let output = agent.sends("SessionStart", json!({"source": source, "session_id": session}));
        serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default()
    };
    assert!(told(&start("session-1", "startup")).contains(fault));
    // A session whose start was not announced begins with its first prompt.
    for (prompt, is_told) in [("Begin", true), ("Continue", false)] {
        let prompt = json!({"prompt": prompt, "prompt_id": "p", "session_id": "unannounced"});
        let stdout = String::from_utf8(agent.sends("UserPromptSubmit", prompt).stdout).expect("text");
        assert_eq!(stdout.contains("systemMessage"), is_told, "{stdout}");
    }
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    let again = start("session-1", "compact");
    assert!(told(&again).contains(fault), "{again}");
    assert!(again["hookSpecificOutput"]["additionalContext"].as_str().expect("a context").contains("src/parse.rs"));
    let block = agent.stops("Done.").expect("a block");
    assert!(told(&block).contains(fault) && reason(Some(block.clone())).contains("src/parse.rs"), "{block}");
    agent.stops("Done.");
    let released = notice(agent.stops("Done."));
    assert!(released.contains("not accepted") && released.contains(fault), "{released}");
    agent.repo().write("src/parse.rs", "pub fn parse() -> u8 {\n    7\n}\n");
    let unjudged = notice(agent.stops("Done."));
    assert!(unjudged.contains("bad_configuration") && unjudged.matches(fault).count() == 1, "{unjudged}");
    agent.repo().write("assize.toml", "[stop]\nmode = \"enforce\"\n");
    assert_eq!(start("session-1", "resume")["systemMessage"], Value::Null);
    assert_eq!(agent.stops("Done."), None);
}

#[test]
fn sessions_are_found_by_what_is_shown_of_them() {
    let agent = agent();
    agent.is_asked("Begin");
    assert!(agent.read(&["ledger", "show", "--session", "sess"]).contains("prompted"));
    assert!(agent.read(&["ledger", "show", "--session", "claude-code/session-1"]).contains("prompted"));
    let unknown = agent.run(&["ledger", "show", "--session", "nobody"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn what_cannot_be_written_is_an_error_and_a_closed_pipe_is_none() {
    let agent = agent();
    agent.is_asked("Begin");
    let mut export = agent.command(&["ledger", "export"]);
    export.stdout(std::fs::File::create("/dev/full").expect("/dev/full"));
    assert_eq!(export.status().expect("it runs").code(), Some(2));
}

#[test]
fn a_hook_that_is_set_up_wrongly_does_not_block() {
    for arguments in [&["hook", "no-such-agent"][..], &["hook"], &["hook", "claude-code", "--unheard-of"]] {
        let output = agent().run(arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn settings_are_given_back_byte_for_byte() {
    let agent = agent();
    let path = ".claude/settings.local.json";
    let before = "{\n\t\"model\": \"opus\",\n\n\t\"hooks\": {\"Stop\": []}\n}\r\n";
    agent.repo().write(path, before);
    let read = || std::fs::read_to_string(agent.repo().path().join(path)).expect("settings");
    agent.read(&["init", "claude-code"]);
    let once = read();
    assert!(once.contains("hook claude-code"), "{once}");
    agent.read(&["init", "claude-code"]);
    assert_eq!(read(), once);
    let doctor = agent.run(&["doctor", "--format", "human"]);
    assert!(doctor.status.success(), "{doctor:?}");
    agent.read(&["pause"]);
    assert_eq!(agent.run(&["doctor"]).status.code(), Some(1), "a paused court is no gate");
    agent.read(&["resume"]);
    agent.read(&["init", "--uninstall"]);
    assert_eq!(read(), before);
    assert_eq!(agent.run(&["doctor"]).status.code(), Some(1), "no hook, no gate");
    agent.read(&["init", "gemini"]);
    agent.read(&["init", "--uninstall"]);
    assert!(!agent.repo().path().join(".gemini/settings.json").exists());
}

#[test]
fn a_configuration_that_is_no_text_does_not_take_the_hook_down() {
    let agent = agent();
    agent.read(&["init", "claude-code"]);
    std::fs::write(agent.repo().path().join("assize.toml"), b"[stop]\n# f\xfcr\n").expect("written");
    let doctor = agent.run(&["doctor", "--format", "human"]);
    let told = String::from_utf8_lossy(&doctor.stdout);
    assert_eq!(doctor.status.code(), Some(1), "{told}");
    let fault = "assize.toml: line 2: the byte 0xfc is not UTF-8; save the file as UTF-8";
    assert!(told.contains("✗ configuration") && told.contains(fault), "{told}");
    assert!(told.contains("✓ a stub with a false claim  blocked"), "{told}");
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    let block = agent.stops("Done.").expect("a block");
    assert!(block["systemMessage"].as_str().expect("a notice").contains(fault), "{block}");
}

#[test]
fn whole_numbers_and_courts_that_are_wrong_are_told_what_is_right() {
    let agent = agent();
    agent.is_asked("Begin");
    for (arguments, says) in [
        (&["ledger", "show", "abc"][..], "'abc' for '[ID]': give a whole number, 1 or more"),
        (&["ledger", "show", "0"], "'0' for '[ID]': give a whole number, 1 or more"),
        (&["ledger", "replay", "-1"], "'-1' for '<ID>': give a whole number, 1 or more"),
        (&["ledger", "show", "--last", "-1"], "'-1' for '--last <N>': give a whole number, 0 or more"),
        (&["ledger", "show", "--last", "4294967296"], "the number is too large"),
        (&["pause", "--minutes", "abc"], "'abc' for '--minutes <N>': give a whole number from 1 to 10080"),
        (&["pause", "--minutes", "0"], "give a whole number from 1 to 10080"),
        (&["pause", "--minutes", "10081"], "give a whole number from 1 to 10080"),
        (&["ledger", "show", "--court", "stpo"], "[possible values: stop, review, fix, tournament, market, eval]"),
    ] {
        let output = agent.run(arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(says), "{arguments:?}: {told}");
    }
    agent.read(&["ledger", "show", "--court", "stop", "--last", "0"]);
    agent.read(&["pause", "--minutes", "1"]);
    agent.read(&["pause", "--minutes", "10080"]);
}

#[test]
fn nobody_changes_the_rules_during_the_game() {
    let agent = agent();
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    agent.repo().write("assize.toml", "[stop]\nmode = \"shadow\"\n[rules]\nplaceholder-added = \"off\"\n");
    reason(agent.stops("Done."));
}

#[test]
fn what_an_agent_removes_of_the_court_is_held_against_it() {
    let agent = agent();
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    agent.repo().write(".assize/eval.db", "");
    let call = json!([{"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "rm -rf .assize"}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": "1", "content": ""}]);
    agent.writes(&json!({"type": "assistant", "message": {"content": call}}));
    agent.writes(&json!({"type": "user", "message": {"content": result}}));
    std::fs::remove_dir_all(agent.repo().path().join(".assize")).expect("removed");
    let reason = reason(agent.stops("Done."));
    assert!(reason.contains("rm -rf .assize") && reason.contains("src/parse.rs"), "{reason}");
}

#[test]
fn shadow_watches_and_sums_up() {
    let agent = agent();
    agent.repo().write("assize.toml", "[stop]\nmode = \"shadow\"\n");
    agent.repo().commit("shadow");
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    assert_eq!(agent.stops("Done."), None);
    let summed = agent.read(&["ledger", "show", "--shadow", "--format", "human"]);
    assert!(summed.contains("1 would have been blocked") && summed.contains("placeholder-added"), "{summed}");
}

#[test]
fn a_person_has_the_last_word() {
    let agent = agent();
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    reason(agent.stops("Done."));
    agent.read(&["pause"]);
    assert!(notice(agent.stops("Done.")).contains("paused"));
    agent.read(&["resume"]);
    reason(agent.stops("Done."));
    agent.sends("UserPromptSubmit", json!({"prompt": "assize: accept", "prompt_id": "p2"}));
    agent.writes(&json!({"type": "user", "message": {"role": "user", "content": "assize: accept"}}));
    assert!(notice(agent.stops("Done.")).contains("assize: accept"));
    let mut from_agent = agent.command(&["pause"]);
    from_agent.env("CLAUDECODE", "1");
    assert_eq!(from_agent.output().expect("it runs").status.code(), Some(2));
}

#[test]
fn what_was_asked_for_outlives_the_agents_memory() {
    let agent = agent();
    agent.is_asked("Implement `parse` in src/parse.rs");
    let output = agent.sends("SessionStart", json!({"source": "compact"}));
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("additionalContext") && text.contains("src/parse.rs"), "{text}");
}

#[test]
fn nobody_answers_for_the_commits_of_others() {
    let agent = agent();
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.repo().write("src/parse.rs", "pub fn parse() -> u8 {\n    7\n}\n");
    assert_eq!(agent.stops("Done."), None);
    agent.repo().write("src/theirs.rs", "pub fn theirs() {\n    todo!()\n}\n");
    agent.repo().commit("by a colleague");
    agent.sends("UserPromptSubmit", json!({"prompt": "Now implement `lex` in src/lex.rs", "prompt_id": "p2"}));
    agent.repo().write("src/lex.rs", "pub fn lex() -> u8 {\n    8\n}\n");
    assert_eq!(agent.stops("Done."), None);
    agent.sends("UserPromptSubmit", json!({"prompt": "And `fmt` in src/fmt.rs", "prompt_id": "p3"}));
    agent.repo().write("src/fmt.rs", "pub fn fmt() {\n    todo!()\n}\n");
    agent.repo().commit("by the agent");
    let reason = reason(agent.stops("Done."));
    assert!(reason.contains("src/fmt.rs") && !reason.contains("theirs"), "{reason}");
}

#[test]
fn what_was_asked_for_outlives_a_clear_which_begins_another_session() {
    let agent = agent();
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.sends("SessionEnd", json!({"reason": "clear"}));
    let next = json!({"source": "clear", "session_id": "session-2", "transcript_path": null});
    let text = String::from_utf8(agent.sends("SessionStart", next).stdout).expect("text");
    assert!(text.contains("additionalContext") && text.contains("src/parse.rs"), "{text}");
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    let stop = json!({"session_id": "session-2", "transcript_path": null, "last_assistant_message": "Done.", "stop_hook_active": false});
    assert!(String::from_utf8_lossy(&agent.sends("Stop", stop).stdout).contains("block"));
}

#[test]
fn a_repository_within_the_project_has_no_court_of_its_own() {
    let agent = agent();
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    agent.repo().git(&["init", "--quiet", "sub"]);
    let stop = json!({"cwd": agent.repo().path().join("sub"), "transcript_path": null, "last_assistant_message": "Done.", "stop_hook_active": false});
    let mut command = agent.command(&["hook", "claude-code"]);
    command.env("CLAUDE_PROJECT_DIR", agent.repo().path());
    let output = agent.start_with(command, &agent.event("Stop", stop)).wait_with_output().expect("the hook ends");
    assert!(String::from_utf8_lossy(&output.stdout).contains("src/parse.rs"), "{output:?}");
    assert!(!agent.repo().path().join("sub/.assize").exists());
}

#[test]
fn an_interrupted_court_takes_its_judges_along() {
    let agent = agent();
    let pid_file = agent.repo().outside().join("judge.pid");
    let script = format!("echo $$ > '{}'; sleep 60", pid_file.display());
    let judge = format!("[[judge]]\nid = \"slow\"\nkind = \"command\"\nargv = [\"sh\", \"-c\", {}]\n", json!(script));
    agent.repo().write("assize.toml", &judge);
    agent.repo().write("src/parse.rs", "pub fn parse() -> u8 {\n    7\n}\n");
    let mut court = agent.command(&["stop", "--directive", "Write src/parse.rs"]).spawn().expect("it runs");
    let began = Instant::now();
    let judge = loop {
        let written = std::fs::read_to_string(&pid_file).unwrap_or_default();
        if written.ends_with('\n') {
            break written.trim().to_owned();
        }
        assert!(began.elapsed() < Duration::from_secs(20), "the judge never began");
        std::thread::sleep(Duration::from_millis(10));
    };
    Command::new("kill").args(["-INT", &court.id().to_string()]).status().expect("kill runs");
    assert_eq!(court.wait().expect("it ends").code(), Some(130));
    std::thread::sleep(Duration::from_millis(200));
    let alive = std::fs::read_to_string(format!("/proc/{judge}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    assert!(!alive, "the judge is still at work");
}

/// The answer comes in time and says that nothing was recorded.
fn answers_without_a_ledger(agent: &Agent, command: Command) {
    let event = agent.event("Stop", json!({"last_assistant_message": "Done.", "stop_hook_active": false}));
    let began = Instant::now();
    let output = agent.start_with(command, &event).wait_with_output().expect("the hook ends");
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    assert!(output.status.success(), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("a notice");
    assert_eq!(answer.get("decision"), None, "{answer}");
    assert!(answer["systemMessage"].as_str().expect("a notice").contains("did not judge"), "{answer}");
}

#[test]
fn without_a_folder_for_the_ledger_the_hook_answers() {
    let agent = agent();
    std::fs::write(agent.repo().outside().join(".local"), "a file where the folder belongs").expect("written");
    answers_without_a_ledger(&agent, agent.command(&["hook", "claude-code"]));
}

#[test]
fn on_a_full_disk_the_hook_answers() {
    let agent = agent();
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    // No file may grow any more: what a full disk does, without the rights to mount one.
    let mut command = agent.command(&[]);
    let program = command.get_program().to_owned();
    command = {
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -f 0; trap '' XFSZ; exec \"$0\" hook claude-code"]).arg(program);
        shell.current_dir(agent.repo().path()).env_clear();
        shell.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", agent.repo().outside());
        shell
    };
    answers_without_a_ledger(&agent, command);
}

#[test]
fn a_damaged_ledger_is_named_and_left_alone() {
    let agent = agent();
    let path = LedgerPlace::of_project(&agent.state(), &agent.repo().path()).file().to_owned();
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(&path, "this is no database, and it is long enough to be looked at").expect("written");
    answers_without_a_ledger(&agent, agent.command(&["hook", "claude-code"]));
    assert!(std::fs::read_to_string(&path).expect("still there").starts_with("this is no database"));
    let shown = agent.run(&["ledger", "verify"]);
    assert_eq!(shown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&shown.stderr).contains("ledger.db"));
}

#[test]
fn many_hooks_at_once_lose_nothing() {
    let agent = agent();
    agent.is_asked("Begin");
    std::thread::scope(|scope| {
        for worker in 0..16 {
            let agent = &agent;
            scope.spawn(move || {
                for number in 0..4 {
                    let prompt =
                        json!({"prompt": format!("Do {worker}/{number}"), "prompt_id": format!("{worker}-{number}")});
                    assert!(agent.sends("UserPromptSubmit", prompt).status.success());
                }
            });
        }
    });
    let verified: Value = serde_json::from_str(&agent.read(&["ledger", "verify"])).expect("JSON");
    assert_eq!((&verified["sound"], &verified["entries"]), (&json!(true), &json!(2 + 16 * 4)));
}

#[test]
fn a_server_in_the_background_excuses_nothing() {
    let agent = agent();
    agent.is_asked("Write src/parse.rs");
    agent.repo().write("src/parse.rs", "pub fn parse() -> u8 {\n    todo!()\n}\n");
    let stop = |command: &str| {
        let task =
            json!({"id": "b1", "type": "shell", "status": "running", "description": "a task", "command": command});
        let fields = json!({"stop_hook_active": false, "last_assistant_message": "Done.", "background_tasks": [task]});
        String::from_utf8(agent.sends("Stop", fields).stdout).expect("text")
    };
    assert!(stop("npm run dev").contains("\"decision\":\"block\""));
    assert!(stop("cargo test").contains("1 background tasks are still running"));
}

#[test]
fn a_plan_is_not_judged_unless_something_was_changed() {
    let agent = agent();
    agent.is_asked("Plan how src/parse.rs is to be written");
    let stop = || {
        let fields = json!({"stop_hook_active": false, "last_assistant_message": "I've added parse(). All tests pass.", "permission_mode": "plan"});
        String::from_utf8(agent.sends("Stop", fields).stdout).expect("text")
    };
    assert_eq!(stop(), "");
    assert!(agent.read(&["ledger", "show", "--format", "human"]).contains("it only plans"));
    agent.repo().write("src/parse.rs", "pub fn parse() -> u8 {\n    todo!()\n}\n");
    assert!(stop().contains("\"decision\":\"block\""), "the mode was changed after the work");
}

#[test]
fn settings_that_the_agent_does_not_read_are_refused_and_told() {
    let agent = agent();
    let path = ".claude/settings.local.json";
    let written = || std::fs::read_to_string(agent.repo().path().join(path)).expect("the file");
    for text in ["{\n  // mine\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n}\n"] {
        agent.repo().write(path, text);
        let output = agent.run(&["init", "claude-code"]);
        let said = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("a comment or a trailing comma") && said.contains("line "), "{said}");
        assert_eq!(written(), text, "nothing is written");
    }
    agent.repo().write(path, "{}\n");
    agent.read(&["init", "claude-code"]);
    let doctor = || {
        let output = agent.run(&["doctor", "--format", "human"]);
        String::from_utf8(output.stdout).expect("text")
    };
    let installed = written();
    agent.repo().write(path, &installed.replacen('{', "{ // mine\n", 1));
    assert!(doctor().contains("a comment or a trailing comma"), "{}", doctor());
    agent.repo().write(path, &installed);
    agent.repo().write(".claude/settings.json", "{ \"disableAllHooks\" : true }\n");
    assert!(doctor().contains("settings.json switches all hooks off"), "{}", doctor());
}

#[test]
fn a_project_without_git_is_compared_with_how_it_was() {
    let repo =
        Repo::with_commit(&[("shop.py", "def total(prices):\n    return sum(prices)\n"), ("notes.txt", "one\n")]);
    std::fs::remove_dir_all(repo.path().join(".git")).expect("removed");
    let agent = Agent::new(Path::new(env!("CARGO_BIN_EXE_assize")), repo);
    agent.sends("SessionStart", json!({"source": "startup"}));
    agent.is_asked("Implement `average` in shop.py");
    agent.edits(
        "shop.py",
        "def total(prices):\n    return sum(prices)\n\n\ndef average(prices):\n    raise NotImplementedError\n",
    );
    let blocked = reason(agent.stops("Done."));
    assert!(blocked.contains("shop.py:6") && blocked.contains("placeholder-added"), "{blocked}");
    agent.edits("shop.py", "def total(prices):\n    return sum(prices)\n\n\ndef average(prices):\n    return total(prices) / len(prices)\n");
    assert_eq!(agent.stops("`average` is there."), None);
    let shown = agent.read(&["ledger", "show", "--format", "human"]);
    assert!(shown.contains("accept"), "{shown}");
    assert!(!agent.repo().path().join(".git").exists(), "nothing is written into the project");
    agent.is_asked("Now the median as well");
    let exported = agent.read(&["ledger", "export"]);
    assert_eq!(
        exported.matches(r#""measured":"snapshot""#).count(),
        1,
        "the next prompt begins nothing anew: {exported}"
    );
}

/// Sends the stop of a subagent of the session, whose transcript shows one written file.
fn subagent_stops(agent: &Agent, path: &str, text: &str, message: &str) -> Option<Value> {
    let transcript = agent.repo().outside().join("agent-a1.jsonl");
    agent.repo().write(path, text);
    let input = json!({"file_path": agent.repo().path().join(path), "content": text});
    let line = |kind: &str, content: Value| {
        json!({"type": kind, "isSidechain": true, "message": {"role": kind, "content": content}}).to_string()
    };
    let lines = [
        line("user", json!("Write the parser and its tests.")),
        line("assistant", json!([{"type": "tool_use", "id": "t1", "name": "Write", "input": input}])),
        line("user", json!([{"type": "tool_result", "tool_use_id": "t1", "content": "written"}])),
        line("assistant", json!([{"type": "text", "text": message}])),
    ];
    std::fs::write(&transcript, lines.join("\n") + "\n").expect("written");
    let output = agent.sends(
        "SubagentStop",
        json!({"agent_id": "a1", "agent_type": "coder", "agent_transcript_path": transcript, "stop_hook_active": false,
               "last_assistant_message": message}),
    );
    serde_json::from_slice(&output.stdout).ok()
}

#[test]
fn a_subagent_answers_for_what_it_wrote() {
    let agent = Agent::new(
        Path::new(env!("CARGO_BIN_EXE_assize")),
        Repo::with_commit(&[("a.py", "x = 1\n"), ("b.py", "y = 1\n")]),
    );
    agent.is_asked("Have the parser written");
    let conflict = "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> other\n";
    let reply = subagent_stops(&agent, "parser.py", conflict, "The parser is there.").expect("a reply");
    assert_eq!(reply["decision"], "block", "{reply}");
    assert!(reply["reason"].as_str().is_some_and(|reason| reason.contains("conflict-marker")), "{reply}");
    let reply =
        subagent_stops(&agent, "parser.py", "def parse(text):\n    return text.split()\n", "The parser is there.");
    assert!(reply.is_none_or(|reply| reply["decision"] != "block"));
}

#[test]
fn a_subagent_does_not_answer_for_others_nor_for_what_it_only_read() {
    let agent = Agent::new(Path::new(env!("CARGO_BIN_EXE_assize")), Repo::with_commit(&[("a.py", "x = 1\n")]));
    agent.is_asked("Have the parser written");
    agent.edits("a.py", "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> other\n");
    let reply =
        subagent_stops(&agent, "parser.py", "def parse(text):\n    return text.split()\n", "The parser is there.");
    assert!(reply.is_none_or(|reply| reply["decision"] != "block"), "its parent wrote a.py");
    let transcript = agent.repo().outside().join("agent-a2.jsonl");
    std::fs::write(&transcript, "").expect("written");
    let reader = json!({"agent_id": "a2", "agent_type": "Explore", "agent_transcript_path": transcript});
    assert!(agent.sends("SubagentStop", reader).stdout.is_empty());
    let parent = agent.stops("Done.").expect("a reply");
    assert_eq!(parent["decision"], "block", "{parent}");
}
