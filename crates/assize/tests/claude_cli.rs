//! The real `claude` program with our hook in it, and as a judge of ours.
//!
//! The model behind it is scripted, on loopback; everything else is real.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assize_testkit::change;
use assize_testkit::claude_cli::{ALLOW_BASH, ClaudeCli, hermetic_environment};
use assize_testkit::model_server::{MessageBlock, ModelScript, ModelServer, ModelStop, ScriptedReply};
use assize_testkit::repo::Repo;
use serde_json::{Value, json};

/// A project with a home, and the programs.
struct ClaudeFixture {
    cli: ClaudeCli,
    repo: Repo,
}

impl ClaudeFixture {
    fn new() -> Self {
        Self { cli: ClaudeCli::required(), repo: Repo::with_commit(&[("README.md", "A project.\n")]) }
    }

    fn home(&self) -> PathBuf {
        self.repo.outside().join("home")
    }

    fn assize(&self, server: &ModelServer, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
        command.args(arguments).current_dir(self.repo.path()).env_clear();
        command.envs(change::default_homes()).envs(hermetic_environment(&self.home(), server));
        command.output().expect("assize runs")
    }

    /// Judges a made-up piece of work with the `claude` judge and returns the envelope.
    fn judged(&self, script: ModelScript) -> (Value, ModelServer) {
        let server = ModelServer::start(script);
        let program = self.cli.executable().display().to_string();
        let judge = format!(
            "[[judge]]\nid = \"claude\"\nkind = \"claude\"\nmodel = \"sonnet\"\nprogram = {}\n",
            json!(program)
        );
        self.repo.write("assize.toml", &judge);
        self.repo.write("src/parse.rs", "pub fn parse() -> u8 {\n    7\n}\n");
        let asked = "Write src/parse.rs and test it";
        let transcript = self.repo.outside().join("transcript.jsonl");
        let line = json!({"type": "user", "message": {"role": "user", "content": asked}});
        std::fs::write(&transcript, format!("{line}\n")).expect("written");
        let transcript = transcript.display().to_string();
        let of_case = ["--directive", asked, "--message", "Done.", "--transcript", &transcript];
        let output = self.assize(&server, &[&["stop", "--format", "json"][..], &of_case].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let envelope = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?} {output:?}"));
        (envelope, server)
    }
}

fn verdict(pass: bool) -> Value {
    let missing: &[&str] = if pass { &[] } else { &["a test of the parser"] };
    json!({
        "pass": pass,
        "reason": "No test covers the parser.",
        "missingItems": missing,
        "questionsForUser": [],
        "forwardProgress": true,
        "suggestedNextSteps": [],
    })
}

fn write(path: &Path, contents: &str) -> ScriptedReply {
    ScriptedReply::blocks([MessageBlock::tool("Write", json!({"file_path": path, "content": contents}))])
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn a_premature_stop_is_blocked_the_model_hears_why_and_the_second_stop_passes() {
    let session = ClaudeFixture::new();
    let file = session.repo.path().join("src/parse.rs");
    let server = ModelServer::start(ModelScript::of([
        write(&file, "pub fn parse() -> u8 {\n    todo!()\n}\n"),
        ScriptedReply::text("Done. I've implemented the parser."),
        ScriptedReply::blocks([MessageBlock::tool("Read", json!({"file_path": file}))]),
        write(&file, "pub fn parse() -> u8 {\n    7\n}\n"),
        ScriptedReply::text("The parser returns its value now."),
    ]));
    let init = session.assize(&server, &["init", "claude-code"]);
    assert!(init.status.success(), "{init:?}");
    let mut command =
        session.cli.print(&session.home(), &server, &session.repo.path(), "Implement `parse` in src/parse.rs");
    let run = ClaudeCli::run(command.args(ALLOW_BASH));
    assert!(run.status.success(), "{run:?}");
    assert_eq!(run.envelope()["result"], "The parser returns its value now.", "{run:?}");
    let requests = server.model_requests();
    assert_eq!(requests.len(), 5, "nothing loops");
    let told = requests[2].last_user_text();
    assert!(told.contains("src/parse.rs:2") && told.contains("todo!()"), "{told}");
    assert_eq!(server.unused_replies(), 0);

    let ledger = session.assize(&server, &["ledger", "export"]);
    let entries: Vec<Value> =
        String::from_utf8_lossy(&ledger.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let outcomes: Vec<&Value> =
        entries.iter().filter(|entry| entry["kind"] == "stop_ruled").map(|entry| &entry["outcome"]).collect();
    assert_eq!(outcomes, ["revise", "accept"]);
    assert!(
        entries.iter().any(|entry| entry["kind"] == "prompted" && entry["payload"]["directive"]["kind"] == "initial")
    );
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn an_agent_that_never_gives_in_is_let_go_by_us_and_not_by_its_harness() {
    let session = ClaudeFixture::new();
    let file = session.repo.path().join("src/parse.rs");
    let stub = write(&file, "pub fn parse() -> u8 {\n    todo!()\n}\n");
    let server = ModelServer::start(ModelScript::of([stub]).then_always(ScriptedReply::text("Done.")));
    session.assize(&server, &["init", "claude-code"]);
    let mut command =
        session.cli.print(&session.home(), &server, &session.repo.path(), "Implement `parse` in src/parse.rs");
    let run = ClaudeCli::run(command.args(ALLOW_BASH));
    assert!(run.status.success(), "{run:?}");
    assert_eq!(run.envelope()["result"], "Done.", "the last word is the agent's, not an empty result");
    // The edit, the first stop, and one more request for each of the two blocks.
    assert_eq!(server.model_requests().len(), 4);
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn the_claude_judge_returns_a_validated_verdict() {
    let session = ClaudeFixture::new();
    let (envelope, server) = session.judged(
        ModelScript::of([ScriptedReply::StructuredOutput(verdict(false))]).then_always(ScriptedReply::text("ok")),
    );
    assert_eq!(
        (&envelope["outcome"], &envelope["verdict"]["missingItems"][0]),
        (&json!("revise"), &json!("a test of the parser"))
    );
    assert_eq!(envelope["judges"][1]["id"], "claude");
    let asked = &server.model_requests()[0];
    assert!(asked.mentions("Write src/parse.rs and test it") && asked.mentions("pub fn parse"));
    assert!(asked.tools().iter().all(|tool| *tool == "StructuredOutput"), "{:?}", asked.tools());
    let (envelope, _server) = session.judged(
        ModelScript::of([ScriptedReply::StructuredOutput(verdict(true))]).then_always(ScriptedReply::text("ok")),
    );
    assert_eq!(envelope["outcome"], "accept");
}

#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn what_the_claude_judge_cannot_say_is_unjudged() {
    let session = ClaudeFixture::new();
    let cut = ScriptedReply::stopped([MessageBlock::tool("StructuredOutput", verdict(true))], ModelStop::MaxTokens);
    for (script, causes) in [
        (ModelScript::always(ScriptedReply::error(404, "no such model")), &["unavailable"][..]),
        (ModelScript::always(ScriptedReply::error(500, "out of order")), &["unavailable", "timeout"]),
        (ModelScript::always(ScriptedReply::text("It looks fine to me.")), &["malformed", "empty"]),
        (ModelScript::always(cut), &["truncated", "unavailable"]),
    ] {
        let (envelope, _server) = session.judged(script);
        assert_eq!(envelope["outcome"], "unjudged", "{envelope:#}");
        let cause = envelope["unjudged"]["cause"].as_str().expect("a cause");
        assert!(causes.contains(&cause), "{envelope:#}");
    }
}

/// What the scripted model does for the market: it bids where a verdict is asked for, and else edits by the shell.
fn bids_and_implements(request: &assize_testkit::model_server::RecordedRequest) -> ScriptedReply {
    if request.tools().contains(&"StructuredOutput") {
        return ScriptedReply::tool(
            "StructuredOutput",
            json!({
                "approach": "A function beside the one that is there.",
                "pseudo_code": "def part(name): return f'Goodbye, {name}'",
                "changes": [
                    {"path": "greet.py", "kind": "edit", "brief": "the function", "requirements": ["req_1", "req_1.1"]},
                    {"path": "tests/test_part.py", "kind": "add", "brief": "its test", "requirements": ["req_1"]}
                ],
                "estimated_lines": 14,
                "risk": "None: nothing calls it yet.",
                "success_probability": 0.9
            }),
        );
    }
    let script = "\
printf '\\n\\ndef part(name: str) -> str:\\n    \"\"\"Say goodbye.\"\"\"\\n    return f\"Goodbye, {name}\"\\n' >> greet.py
cat > tests/test_part.py <<'END'
\"\"\"Saying goodbye.\"\"\"

import unittest

from greet import part


class PartTest(unittest.TestCase):
    \"\"\"What is said.\"\"\"

    def test_the_name_is_said(self) -> None:
        self.assertEqual(part(\"Ann\"), \"Goodbye, Ann\")
END
";
    if request.last_user_text().contains("Carry the bid out") {
        ScriptedReply::tool("Bash", json!({"command": script, "description": "Write the function and its test"}))
    } else {
        ScriptedReply::text("Both are written.")
    }
}

/// The real program as a bidder and as the implementer of its bid, in the sandbox; a script bids against it.
#[test]
#[ignore = "needs the claude binary: run cargo xtask claude"]
fn claude_bids_in_the_market_and_implements_its_bid() {
    let session = ClaudeFixture::new();
    let server = ModelServer::start(ModelScript::route(bids_and_implements));
    let repo = &session.repo;
    repo.write("greet.py", "\"\"\"Greetings.\"\"\"\n\n\ndef greet(name: str) -> str:\n    \"\"\"Say hello.\"\"\"\n    return f\"Hello, {name}\"\n");
    repo.write("tests/__init__.py", "");
    repo.write(
        "tests/test_greet.py",
        "\"\"\"Saying hello.\"\"\"\n\nimport unittest\n\nfrom greet import greet\n\n\nclass GreetTest(unittest.TestCase):\n    \"\"\"What is said.\"\"\"\n\n    def test_the_name_is_said(self) -> None:\n        self.assertEqual(greet(\"Ann\"), \"Hello, Ann\")\n",
    );
    let program = session.cli.executable().display().to_string();
    let environment = hermetic_environment(&session.home(), &server);
    let names: Vec<String> = environment
        .iter()
        .map(|(name, _)| name.to_str().expect("a name").to_owned())
        .filter(|name| !matches!(name.as_str(), "HOME" | "PATH" | "TMPDIR"))
        .collect();
    let argv =
        [&program, "-p", "--output-format", "json", ALLOW_BASH[0], ALLOW_BASH[1], ALLOW_BASH[2]].map(str::to_owned);
    let rival = r#"printf '{"approach":"Rewrite it all.","changes":[{"path":"greet.py","kind":"edit","requirements":["req_1.1"]},{"path":"a.py","kind":"add"},{"path":"b/c.py","kind":"add"}],"estimated_lines":900,"risk":"Much.","success_probability":0.2}'"#;
    repo.write(
        "assize.toml",
        &format!(
            "[[bidder]]\nid = \"claude\"\nmodel = {{ id = \"claude\", kind = \"claude\", model = \"sonnet\", program = {} }}\n\
             implement = {{ argv = {}, network = true, env = {}, read = [{}], time_s = 120 }}\n\
             [[bidder]]\nid = \"rival\"\nbid = {{ argv = [\"sh\", \"-c\", {}] }}\nimplement = {{ argv = [\"false\"] }}\n",
            json!(program),
            json!(argv),
            json!(names),
            json!(session.cli.directory()),
            json!(rival),
        ),
    );
    repo.write("issue.md", "# Say goodbye\n\n- [ ] `part(name)` says goodbye\n");
    repo.commit("Begin");
    std::fs::create_dir_all(session.home()).expect("made");
    std::fs::write(session.home().join(".gitconfig"), "[user]\n\tname = P\n\temail = p@example.org\n")
        .expect("written");
    let output = session.assize(&server, &["market", "run", "--spec", "issue.md", "--format", "human"]);
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("- Received 2 proposals\n") && text.contains("<promise>COMPLETE</promise>"), "{text}");
    let log = String::from_utf8_lossy(&repo.git(&["log", "--format=%B"]).stdout).into_owned();
    assert!(log.contains("Implement Say goodbye") && log.contains("Assize-Bidder: claude"), "{log}");
    let changed = repo.git(&["log", "--grep", "^Implement", "--format=", "--name-only"]).stdout;
    assert_eq!(String::from_utf8_lossy(&changed).trim(), "greet.py\ntests/test_part.py", "{log}");
    let ticked = std::fs::read_to_string(repo.path().join("issue.md")).expect("readable");
    assert!(ticked.contains("- [x] `part(name)` says goodbye"), "{ticked}");
}
