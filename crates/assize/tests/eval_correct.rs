//! `assize eval correct` with a corrector: the real program, and model servers on this machine that correct, judge and misbehave.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use assize_testkit::model_server::{ModelScript, ModelServer, RecordedRequest, ScriptedReply};
use serde_json::{Value, json};

const RUBRIC: &str = r#"
rubric = 1
id = "notes"
subject = "a note"

[[mode]]
id = "rude"
asks = "Is it polite?"
fails_if = ["It insults somebody."]

[[mode]]
id = "long"
asks = "Is it short?"
[[mode.clause]]
fails = "size(record.text) > 30"
says = "it has more than 30 characters"
"#;

/// Notes that a judge failed, and a server behind three names: a corrector, the judge that failed them, and another one.
struct CorrectionFixture {
    folder: tempfile::TempDir,
}

impl CorrectionFixture {
    /// Of so many notes every second one is rude, and every tenth is too long.
    fn new(records: usize, server: &ModelServer) -> Self {
        let fixture = Self { folder: tempfile::tempdir().expect("a folder") };
        fixture.write("rubric.toml", RUBRIC);
        let note = |at: usize| {
            let rude = if at.is_multiple_of(2) { "You fool. " } else { "" };
            let long = if at.is_multiple_of(10) { "and so on and on and on and on" } else { "" };
            json!({"id": format!("n{at}"), "text": format!("{rude}Hello {at}{long}"), "kind": 1}).to_string() + "\n"
        };
        fixture.write("notes.jsonl", &(0..records).map(note).collect::<String>());
        let verdict = |at: usize| {
            let labels = [json!({"mode": "rude", "label": u8::from(at.is_multiple_of(2)), "reason": "It says fool."})];
            json!({"id": format!("n{at}"), "judge": "first", "labels": labels, "overall_quality_score": 3}).to_string()
                + "\n"
        };
        fixture.write("verdicts.jsonl", &(0..records).map(verdict).collect::<String>());
        let judge = |id: &str| {
            format!(
                "[[judge]]\nid = \"{id}\"\nkind = \"openai\"\nmodel = \"model-{id}\"\nbase_url = \"{}\"\nmax_tokens = 200\n\
                 price_in_usd_per_mtok = 1.0\nprice_out_usd_per_mtok = 2.0\n",
                server.openai_base_url()
            )
        };
        fixture.write("assize.toml", &["writer", "second"].map(judge).concat());
        fixture
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("written")
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
        command.arg("eval").args(arguments.split_whitespace()).current_dir(self.folder.path());
        command.env_clear().env("HOME", self.folder.path());
        command
    }

    fn correct(&self, arguments: &str) -> Output {
        self.eval(&format!("correct rubric.toml notes.jsonl --verdicts verdicts.jsonl {arguments}"))
    }

    fn eval(&self, arguments: &str) -> Output {
        self.command(arguments).output().expect("the program runs")
    }

    fn told(&self, arguments: &str) -> Value {
        let output = self.correct(&format!("{arguments} --format json"));
        let text = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)))
    }

    fn refused(&self, arguments: &str) -> String {
        let output = self.correct(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

/// The value of a field in the record that a request shows.
fn shown(request: &RecordedRequest, field: &str) -> String {
    let text = request.last_user_text();
    let begins = format!("\"{field}\": \"");
    let line = text.lines().find_map(|line| line.trim().strip_prefix(&begins)).expect("the field");
    line.trim_end_matches(',').trim_end_matches('"').to_owned()
}

fn correction(field: &str, value: &str) -> ScriptedReply {
    let change = json!({"field": field, "value": value});
    ScriptedReply::text(json!({"changes": [change], "summary": "It is polite and short."}).to_string())
}

/// A corrector that takes the insult out, and a judge that looks for it.
fn honest(request: &RecordedRequest) -> ScriptedReply {
    let text = shown(request, "text");
    if request.model() == "model-writer" {
        return correction("text", &text.replace("You fool. ", "").replace("and so on and on and on and on", ""));
    }
    judged(&text)
}

fn judged(text: &str) -> ScriptedReply {
    let label = json!({"mode": "rude", "label": u8::from(text.contains("fool")), "reason": "By its second word."});
    ScriptedReply::text(json!({"labels": [label], "overall_quality_score": 3}).to_string())
}

#[test]
fn failing_records_are_corrected_and_judged_by_another() {
    let server = ModelServer::start(ModelScript::route(honest));
    let fixture = CorrectionFixture::new(40, &server);
    let told = fixture.told("--corrector writer --output corrected.jsonl --held-out kept.txt");
    let found = &told["correcting"];
    // Twenty are rude; four of them are kept from the corrector.
    assert_eq!(
        (&found["failed"], &found["corrected"], &found["held_out"]),
        (&json!(20), &json!(16), &json!(4)),
        "{told}"
    );
    assert_eq!(found["mended"], json!({"failed": 16, "mended": 16, "unjudged": 0}), "{told}");
    assert_eq!(found["mended_held_out"], json!({"failed": 4, "mended": 0, "unjudged": 0}), "{told}");
    let rude = &found["correction"]["comparison"]["modes"][0];
    assert_eq!(
        (&rude["name"], &rude["only_first"], &rude["only_second"], &rude["remaining"]),
        (&json!("rude"), &json!(16), &json!(0), &json!(0)),
        "{told}"
    );
    assert_eq!(told["outcome"], "reject", "what was held out still fails");
    let kept = fixture.read("kept.txt");
    assert_eq!(kept.lines().count(), 4);
    let corrected = fixture.read("corrected.jsonl");
    assert_eq!(corrected.lines().count(), 40);
    assert_eq!(corrected.matches("You fool").count(), 4, "those that were kept");
    for request in server.model_requests().iter().filter(|request| request.model() == "model-writer") {
        let id = shown(request, "id");
        assert!(!kept.lines().any(|line| line == format!("\"{id}\"")), "the corrector saw {id}");
    }
    // Sixteen corrections, each judged before and after, and four records judged twice.
    assert_eq!(server.model_requests().len(), 16 + 32 + 8);
    assert_eq!(told["asked"]["calls"], 56, "{told}");
    fixture.write("correction.json", &told.to_string());
    let report = fixture
        .eval("report rubric.toml notes.jsonl --verdicts verdicts.jsonl --correction correction.json --format json");
    let report: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    let fails: Vec<&Value> =
        report["correction"]["stages"].as_array().expect("stages").iter().map(|phase| &phase["fails"]).collect();
    assert_eq!(fails[1], 0, "{report}");
    let notes = report["correction"]["notes"].to_string();
    assert!(notes.contains("of 4 that were held out, 0 pass the second time"), "{report}");
    assert_eq!(report["correction"]["modes"][0]["fixed"], 16, "{report}");
    let again = fixture.told("--corrector writer --output corrected.jsonl");
    assert_eq!(server.model_requests().len(), 56, "nothing is asked twice: {again}");
    assert_eq!(again["correcting"], told["correcting"]);
}

#[test]
fn a_judge_that_changes_its_mind_shows_on_what_was_held_out() {
    // The judge passes whatever it is asked about a second time.
    let seen = std::sync::Mutex::new(std::collections::HashSet::new());
    let moody = move |request: &RecordedRequest| {
        let text = shown(request, "text");
        match request.model() {
            "model-writer" => correction("text", &format!("{text}!")),
            _ if seen.lock().expect("no thread failed").insert(text.clone()) => judged(&text),
            _ => judged(""),
        }
    };
    let server = ModelServer::start(ModelScript::route(moody));
    let fixture = CorrectionFixture::new(40, &server);
    let told = fixture.told("--corrector writer --hold-out 0.5 --calls 1");
    assert_eq!(told["correcting"]["mended"], json!({"failed": 10, "mended": 0, "unjudged": 0}), "{told}");
    // Of these one is too long besides, whatever a judge says.
    let held_out = &told["correcting"]["mended_held_out"];
    assert_eq!((&held_out["failed"], held_out["mended"].as_u64() >= Some(7)), (&json!(10), true), "{told}");
}

#[test]
fn a_corrector_that_fails_costs_no_record() {
    let mean = |request: &RecordedRequest| match (request.model(), shown(request, "id").as_str()) {
        ("model-writer", "n2") => ScriptedReply::text("I would leave out the insult."),
        ("model-writer", "n4") => ScriptedReply::Refusal("No.".to_owned()),
        ("model-writer", "n6") => correction("id", "n7"),
        ("model-writer", "n8") => correction("kind", "\"polite\""),
        ("model-writer", "n12") => {
            ScriptedReply::text(json!({"changes": [], "summary": "It is a quotation."}).to_string())
        }
        _ => honest(request),
    };
    let server = ModelServer::start(ModelScript::route(mean));
    let fixture = CorrectionFixture::new(20, &server);
    let before = fixture.read("notes.jsonl");
    let told = fixture.told("--corrector writer --hold-out 0 --output corrected.jsonl");
    let found = &told["correcting"];
    assert_eq!((&found["corrected"], &found["left"], &found["held_out"]), (&json!(5), &json!(1), &json!(0)), "{told}");
    assert_eq!(found["uncorrected"], json!({"refused": 1, "malformed": 3}), "{told}");
    assert_eq!(told["open"].as_array().map(Vec::len), Some(5), "{told}");
    let corrected = fixture.read("corrected.jsonl");
    let lines: Vec<(&str, &str)> = before.lines().zip(corrected.lines()).collect();
    let line = |at: usize| lines[at];
    for at in [1, 2, 4, 6, 8, 12] {
        assert_eq!(line(at).0, line(at).1, "n{at} is as it was");
    }
    assert_ne!(line(10).0, line(10).1);
}

#[test]
fn a_correction_that_is_killed_goes_on_and_ends_as_if_it_had_not_been() {
    let server = ModelServer::start(ModelScript::route(|request: &RecordedRequest| honest(request).late(20)));
    let arguments = "correct rubric.toml notes.jsonl --verdicts verdicts.jsonl --corrector writer --calls 4 --output corrected.jsonl --format json";
    let whole = CorrectionFixture::new(120, &server);
    let told: Value = serde_json::from_slice(&whole.eval(arguments).stdout).expect("JSON");
    let calls = server.model_requests().len();
    let fixture = CorrectionFixture::new(120, &server);
    for after_ms in [150, 400, 700] {
        let mut child =
            fixture.command(arguments).stdout(std::process::Stdio::null()).spawn().expect("the program runs");
        std::thread::sleep(std::time::Duration::from_millis(after_ms));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        assert!(!fixture.path("corrected.jsonl").exists() || fixture.read("corrected.jsonl").lines().count() == 120);
    }
    let again: Value = serde_json::from_slice(&fixture.eval(arguments).stdout).expect("JSON");
    assert_eq!(again["correcting"], told["correcting"]);
    assert_eq!(fixture.read("corrected.jsonl"), whole.read("corrected.jsonl"));
    let interrupted = again["asked"]["interrupted"].as_array().map_or(0, Vec::len);
    let paid = server.model_requests().len() - calls;
    assert!(paid <= calls + interrupted, "{paid} calls where {calls} do, and {interrupted} were interrupted: {again}");
}

#[test]
fn clauses_alone_can_say_what_came_of_it() {
    let server = ModelServer::start(ModelScript::route(honest));
    let fixture = CorrectionFixture::new(40, &server);
    let told = fixture.told("--corrector writer --clauses-only --hold-out 0");
    let correction = &told["correcting"]["correction"];
    assert_eq!(correction["by_clause"], json!([4, 0]), "{told}");
    assert_eq!(correction["comparison"]["pooled"]["unjudged"], 20, "{told}");
    assert_eq!((&told["outcome"], server.model_requests().len()), (&json!("unjudged"), 20), "{told}");
}

#[test]
fn whoever_has_a_part_in_it_is_no_judge_of_it() {
    let server = ModelServer::start(ModelScript::route(honest));
    let fixture = CorrectionFixture::new(10, &server);
    let error = fixture.refused("--corrector writer --judge writer");
    assert!(error.contains("writer") && error.contains("--clauses-only"), "{error}");
    let verdicts = fixture.read("verdicts.jsonl");
    fixture.write("verdicts.jsonl", &verdicts.replace("\"first\"", "\"second\""));
    let error = fixture.refused("--corrector writer");
    assert!(error.contains("writer, second"), "{error}");
    let error = fixture.refused("--corrector nobody");
    assert!(error.contains("there are writer, second"), "{error}");
    let error = fixture.refused("--corrector writer --judge second --output notes.jsonl");
    assert!(error.contains("--output notes.jsonl: that is what is read"), "{error}");
    let error = fixture.refused("");
    assert!(error.contains("--corrected") && error.contains("--corrector"), "{error}");
    assert_eq!(server.model_requests().len(), 0);
}

#[test]
fn a_template_is_revised_by_what_was_not_held_out() {
    let revising = |request: &RecordedRequest| {
        if !request.system_text().contains("placeholder") {
            return honest(request);
        }
        let template = "Write a note to {name}. Call nobody a fool.";
        let rules = json!([{"mode": "rude", "rule": "It forbids insults."}]);
        ScriptedReply::text(json!({"template": template, "rules": rules}).to_string())
    };
    let server = ModelServer::start(ModelScript::route(revising));
    let fixture = CorrectionFixture::new(40, &server);
    fixture.write("prompt.txt", "Write a note to {name}.");
    let told = fixture.told("--corrector writer --template prompt.txt --revised revised.txt");
    assert_eq!(told["revision"]["rules"][0]["mode"], "rude", "{told}");
    assert_eq!(fixture.read("revised.txt"), "Write a note to {name}. Call nobody a fool.");
    let asked = server.model_requests();
    let request = asked.iter().find(|request| request.system_text().contains("placeholder")).expect("it was asked");
    assert!(request.mentions("Of 36 records 16 failed."), "{}", request.last_user_text());
}

#[test]
fn nobody_is_asked_to_say_what_it_would_cost() {
    let server = ModelServer::start(ModelScript::route(honest));
    let fixture = CorrectionFixture::new(40, &server);
    let told = fixture.told("--corrector writer --dry-run");
    // Sixteen to the corrector, and forty to the judge: each of the twenty twice.
    assert_eq!(told["need"]["questions"], 56, "{told}");
    assert!(told["need"]["usd_high"].as_f64() > Some(0.0), "{told}");
    let told = fixture.told("--corrector writer --budget-usd 0.004");
    assert!(told["correcting"]["uncorrected"]["over_budget"].as_u64() > Some(0), "{told}");
    assert!(told["asked"]["spent_usd"].as_f64() <= Some(0.004), "{told}");
}

#[test]
fn what_nobody_judged_is_not_taken_for_good() {
    let server = ModelServer::start(ModelScript::route(honest));
    let fixture = CorrectionFixture::new(3, &server);
    fixture.write("notes.jsonl", "{\"id\":\"n0\",\"text\":\"Hello.\"}\n");
    fixture.write("verdicts.jsonl", "{\"id\":\"n0\",\"judge\":\"first\",\"error\":\"timeout\"}\n");
    let output = fixture.correct("--corrector writer --format json");
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &told["correcting"]["unjudged"]), (Some(3), &json!(1)), "{told}");
    fs::copy(fixture.path("verdicts.jsonl"), fixture.path("verdicts.csv")).expect("copied");
    let output = fixture.eval("correct rubric.toml notes.jsonl --verdicts verdicts.csv --corrector writer");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && error.contains("--to jsonl"), "{error}");
    let output = fixture.eval("correct rubric.toml - --verdicts - --corrector writer");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && error.contains("only one of"), "{error}");
    assert_eq!(server.model_requests().len(), 0);
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let server = ModelServer::start(ModelScript::route(honest));
    let fixture = CorrectionFixture::new(4, &server);
    fixture.write("prompt.txt", "Write to {name}.");
    let elsewhere = "--corrected notes.jsonl --corrected-verdicts verdicts.jsonl";
    for arguments in [
        &format!("{elsewhere} --output merged.jsonl"),
        &format!("{elsewhere} --held-out kept.txt"),
        &format!("{elsewhere} --dry-run"),
        &format!("{elsewhere} --template prompt.txt --revised other.txt"),
        &format!("{elsewhere} --judge second"),
        "--corrector writer --corrected-verdicts verdicts.jsonl",
        "--corrector writer --template prompt.txt",
        "--corrector writer --output -",
        "--corrector writer --output one.jsonl --held-out one.jsonl",
        "--corrector writer --output corrected.csv",
        "--corrector writer --held-out assize.toml",
        "--corrector writer --output nowhere/corrected.jsonl",
        "--corrector writer --hold-out 0.91",
    ] {
        let error = fixture.refused(arguments);
        assert!(error.starts_with("error: "), "{arguments}: {error}");
    }
    assert_eq!(server.model_requests().len(), 0, "nobody is paid before it is known that it can be written");
    assert!(!fixture.path("merged.jsonl").exists() && !fixture.path("one.jsonl").exists());
}

#[test]
fn a_budget_needs_the_price_of_the_judge_too() {
    let server = ModelServer::start(ModelScript::route(honest));
    let fixture = CorrectionFixture::new(4, &server);
    let config = fixture.read("assize.toml");
    let (writer, second) = config.split_once("[[judge]]\nid = \"second\"").expect("two judges");
    let second = second.replace("price_in_usd_per_mtok = 1.0\n", "");
    fixture.write("assize.toml", &format!("{writer}[[judge]]\nid = \"second\"{second}"));
    let error = fixture.refused("--corrector writer --budget-usd 1");
    assert!(error.contains("price of judge `second`"), "{error}");
    assert_eq!(server.model_requests().len(), 0, "the corrector is not paid for what nobody could judge");
    let told = fixture.told("--corrector writer --clauses-only --budget-usd 1");
    assert!(told["asked"]["spent_usd"].as_f64() > Some(0.0), "the corrector alone has a budget: {told}");
}

#[test]
fn the_ledger_tells_two_data_sets_apart() {
    let server = ModelServer::start(ModelScript::route(honest));
    let data = |records: usize| {
        let fixture = CorrectionFixture::new(records, &server);
        fixture.told("--corrector writer");
        let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
        command
            .args(["ledger", "export"])
            .current_dir(fixture.folder.path())
            .env_clear()
            .env("HOME", fixture.folder.path());
        let exported = String::from_utf8(command.output().expect("it runs").stdout).expect("a text");
        let line = exported.lines().find(|line| line.contains("eval_corrected")).expect("it stands there").to_owned();
        line.split("\"data\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a hash").to_owned()
    };
    let (one, same, other) = (data(10), data(10), data(12));
    assert!(one == same && one != other && !one.is_empty(), "{one} {other}");
}

#[test]
fn where_nothing_fails_nothing_is_asked() {
    let server = ModelServer::start(ModelScript::route(honest));
    let fixture = CorrectionFixture::new(40, &server);
    let verdicts = fixture.read("verdicts.jsonl");
    fixture.write("verdicts.jsonl", &verdicts.replace("\"label\":1", "\"label\":0"));
    let text =
        (0..40).map(|at| json!({"id": format!("n{at}"), "text": "Hello."}).to_string() + "\n").collect::<String>();
    fixture.write("notes.jsonl", &text);
    let output = fixture.correct("--corrector writer");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(server.model_requests().len(), 0);
}
