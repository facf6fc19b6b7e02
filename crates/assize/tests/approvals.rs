//! What people say of the stop court's findings: approvals, marks, and how often a rule was overruled.

use std::fs;
use std::path::Path;
use std::process::Output;

use assize_testkit::agent::Agent;
use assize_testkit::repo::Repo;
use serde_json::{Value, json};

fn agent() -> Agent {
    Agent::new(Path::new(env!("CARGO_BIN_EXE_assize")), Repo::with_commit(&[("src/lib.rs", "pub fn a() {}\n")]))
}

/// Begins another session of the agent, and lets it stop with a stub. Returns the answer.
fn stub(agent: &Agent, session: &str) -> Option<Value> {
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    let at = |fields: Value| {
        let mut fields = fields;
        fields["session_id"] = json!(session);
        fields
    };
    agent.sends("SessionStart", at(json!({"source": "startup"})));
    let asked = "Implement `parse` in src/parse.rs";
    agent.sends("UserPromptSubmit", at(json!({"prompt": asked, "prompt_id": "p1"})));
    agent.repo().write("src/parse.rs", "pub fn parse() {\n\n    todo!()\n}\n");
    let transcript = agent.writes_prompt(asked);
    let stop = json!({"last_assistant_message": "Done.", "stop_hook_active": false, "transcript_path": transcript});
    let output = agent.sends("Stop", at(stop));
    serde_json::from_slice(&output.stdout).ok()
}

fn is_block(answer: Option<&Value>) -> bool {
    answer.is_some_and(|answer| answer["decision"] == "block")
}

fn run(agent: &Agent, arguments: &[&str]) -> Output {
    agent.command(arguments).output().expect("the program runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

fn last_ruling(agent: &Agent) -> String {
    let exported = agent.read(&["ledger", "export"]);
    let mut rulings = exported.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let last = rulings.rfind(|entry| entry["kind"] == "stop_ruled").expect("a ruling");
    last["seq"].to_string()
}

#[test]
fn an_approved_finding_stands_in_this_session_and_in_later_ones() {
    let agent = agent();
    assert!(is_block(stub(&agent, "first").as_ref()));
    let entry = last_ruling(&agent);
    let approved = run(&agent, &["approve", &entry, "--why", "the parser comes next week", "--format", "human"]);
    assert_eq!(approved.status.code(), Some(0), "{}", said(&approved));
    let file = fs::read_to_string(agent.repo().path().join("assize-approvals.toml")).expect("written");
    assert!(file.contains("placeholder-added") && file.contains("the parser comes next week"), "{file}");
    let answer = stub(&agent, "first");
    assert!(!is_block(answer.as_ref()), "{answer:?}");
    let told = answer.expect("a notice")["systemMessage"].as_str().unwrap_or_default().to_owned();
    assert!(told.contains("approved until") && told.contains("the parser comes next week"), "{told}");
    assert!(!is_block(stub(&agent, "second").as_ref()));
    let listed = run(&agent, &["approve", "--list", "--format", "human"]);
    assert!(said(&listed).contains("placeholder-added"), "{}", said(&listed));
    // Who takes the entry out of the file takes the approval back.
    agent.repo().write("assize-approvals.toml", "");
    assert!(is_block(stub(&agent, "third").as_ref()));
}

#[test]
fn a_file_of_approvals_holds_from_the_next_session_on_and_not_after_its_last_day() {
    let approvals = |until: &str| {
        format!(
            "[[approval]]\nrule = \"placeholder-added\"\npath = \"src/parse.rs\"\ncontent = \"todo!()\"\nwhy = \"agreed\"\nuntil = \"{until}\"\n"
        )
    };
    for (until, blocks) in [("2999-12-31", false), ("2020-01-01", true)] {
        let agent = agent();
        agent.repo().write("assize-approvals.toml", &approvals(until));
        assert!(is_block(stub(&agent, "zero").as_ref()), "what is not committed may be an agent's");
        agent.repo().remove("src/parse.rs");
        agent.repo().commit("approvals");
        assert_eq!(is_block(stub(&agent, "first").as_ref()), blocks, "{until}");
    }
    // What is written during the session lets nothing stand.
    let agent = agent();
    agent.is_asked("Implement `parse` in src/parse.rs");
    agent.repo().write("assize-approvals.toml", &approvals("2999-12-31"));
    agent.repo().write("src/parse.rs", "pub fn parse() {\n    todo!()\n}\n");
    assert!(is_block(agent.stops("Done.").as_ref()));
}

#[test]
fn what_cannot_be_approved_is_refused_with_a_reason() {
    let agent = agent();
    assert!(is_block(stub(&agent, "first").as_ref()));
    let entry = last_ruling(&agent);
    for (arguments, expected) in [
        (&["approve", "9999", "--why", "x"][..], "the ledger has no entry 9999"),
        (&["approve", "x", "--why", "x"], "`x` names no finding"),
        (&["approve", &entry, "--why", " "], "--why is blank"),
        (&["approve", &entry, "--why", "x", "--until", "2020-01-01"], "is no day to come"),
        (&["approve", "1", "--why", "x"], "is no ruling of the stop court"),
    ] {
        let output = run(&agent, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(said(&output).contains(expected), "{arguments:?}: {}", said(&output));
    }
    let inside = agent.command(&["approve", &entry, "--why", "x"]).env("CLAUDECODE", "1").output().expect("it runs");
    assert_eq!(inside.status.code(), Some(2));
    assert!(said(&inside).contains("this is for a person to decide"), "{}", said(&inside));
    agent.repo().write("assize-approvals.toml", "[[approval]]\nrule = 1\n");
    let broken = run(&agent, &["approve", &entry, "--why", "x"]);
    assert!(said(&broken).contains("assize-approvals.toml"), "{}", said(&broken));
    assert!(!agent.repo().path().join("assize-approvals.toml").metadata().is_ok_and(|file| file.len() > 30));
}

#[test]
fn a_number_that_names_nothing_makes_no_ledger() {
    let agent = agent();
    for arguments in [&["approve", "7", "--why", "x"][..], &["ledger", "mark", "7", "wrong"]] {
        let output = run(&agent, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(said(&output).contains("nothing has been judged here yet"), "{}", said(&output));
    }
    assert!(!agent.state().exists());
}

#[test]
fn a_rule_that_people_overrule_is_downgraded_on_request() {
    let agent = agent();
    for session in ["one", "two", "three", "four", "five"] {
        assert!(is_block(stub(&agent, session).as_ref()), "{session}");
        let marked = run(&agent, &["ledger", "mark", &last_ruling(&agent), "wrong"]);
        assert_eq!(marked.status.code(), Some(0), "{}", said(&marked));
    }
    let known: Value = serde_json::from_str(&agent.read(&["stop", "calibrate"])).expect("JSON");
    let source = &known["sources"][0];
    assert_eq!(
        (&source["source"], &source["sessions"], &source["overruled"]),
        (&json!("placeholder-added"), &json!(5), &json!(5)),
        "{known:#}"
    );
    assert_eq!(source["worse_than_limit"], true, "{known:#}");
    assert!(is_block(stub(&agent, "six").as_ref()), "nothing is downgraded unasked");
    let inside = agent.command(&["stop", "calibrate", "--downgrade"]).env("CLAUDECODE", "1").output().expect("it runs");
    assert_eq!(inside.status.code(), Some(2), "{}", said(&inside));
    let shown = run(&agent, &["stop", "calibrate", "--downgrade", "--format", "human"]);
    assert!(said(&shown).contains("placeholder-added no longer blocks alone"), "{}", said(&shown));
    assert!(!is_block(stub(&agent, "seven").as_ref()));
    assert!(
        agent
            .read(&["ledger", "show", "--format", "human"])
            .contains("no longer blocks alone: overruled in 5 of 6 sessions")
    );
    assert!(agent.read(&["ledger", "verify"]).contains("\"sound\":true"));
}
