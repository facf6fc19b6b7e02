//! `assize eval run` with judges: the real program, and a model server on this machine that fails in every way.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use assize_engine::ledger_place::LedgerPlace;
use assize_testkit::model_server::{ModelScript, ModelServer, RecordedRequest, ScriptedReply, TokenUsage};
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
id = "vague"
asks = "Does it name what it speaks of?"
fails_if = ["It could be about anything."]
"#;

/// A folder with notes, a rubric, and a configuration with one judge.
struct JudgedRunFixture {
    folder: tempfile::TempDir,
}

impl JudgedRunFixture {
    fn new(records: usize, server: &ModelServer, settings: &str) -> Self {
        let fixture = Self { folder: tempfile::tempdir().expect("a folder") };
        fixture.write("rubric.toml", RUBRIC);
        let notes: String =
            (0..records).map(|at| format!("{}\n", json!({"id": format!("n{at}"), "text": "Hello."}))).collect();
        fixture.write("notes.jsonl", &notes);
        let judge = format!(
            "[[judge]]\nid = \"j\"\nkind = \"openai\"\nmodel = \"m\"\nbase_url = \"{}\"\nmax_tokens = 200\n\
             price_in_usd_per_mtok = 1.0\nprice_out_usd_per_mtok = 2.0\n{settings}",
            server.openai_base_url()
        );
        fixture.write("assize.toml", &judge);
        fixture
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The folder of what must not be lost.
    fn state(&self) -> PathBuf {
        self.path(".local/state/assize")
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
        command
            .arg("eval")
            .args(arguments.split_whitespace())
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path());
        command
    }

    fn run(&self, arguments: &str) -> Value {
        let output = self.command(&format!("run rubric.toml notes.jsonl --format json {arguments}")).output();
        told(&output.expect("the program runs"))
    }

    fn lines(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(name)).expect("written");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

fn told(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// The name of the record that a request is about.
fn record_of(request: &RecordedRequest) -> String {
    let text = request.body["messages"][1]["content"].as_str().expect("a case");
    let line = text.lines().find_map(|line| line.trim().strip_prefix("\"id\": \"")).expect("an id");
    line.split('"').next().expect("a name").to_owned()
}

/// A verdict that depends on the record alone: every third note is rude.
fn verdict(record: &str) -> String {
    let at: usize = record[1..].parse().expect("a number");
    let rude = u8::from(at.is_multiple_of(3));
    json!({
        "labels": [
            {"mode": "rude", "label": rude, "reason": format!("So {record} is.")},
            {"mode": "vague", "label": 0, "reason": "It says hello."},
        ],
        "overall_quality_score": 3,
    })
    .to_string()
}

fn good(request: &RecordedRequest) -> ScriptedReply {
    ScriptedReply::text(verdict(&record_of(request))).with_usage(TokenUsage::new(300, 50))
}

#[test]
fn every_record_is_judged_once_and_kept() {
    let server = ModelServer::start(ModelScript::route(good));
    let fixture = JudgedRunFixture::new(30, &server, "");
    let told = fixture.run("--output rulings.jsonl");
    assert_eq!(told["tally"]["records"], 30, "{told}");
    assert_eq!((&told["tally"]["rejected"], &told["tally"]["accepted"]), (&json!(10), &json!(20)), "{told}");
    assert_eq!(told["asked"]["calls"], 30);
    let spent = told["asked"]["spent_usd"].as_f64().expect("an amount");
    assert!((spent - 30.0 * (300.0 + 100.0) / 1e6).abs() < 1e-6, "{spent}");
    assert_eq!(server.model_requests().len(), 30);
    let rulings = fixture.lines("rulings.jsonl");
    let ids: Vec<&str> = rulings.iter().filter_map(|ruling| ruling["record"]["id"].as_str()).collect();
    assert_eq!(ids, (0..30).map(|at| format!("n{at}")).collect::<Vec<_>>());
    assert_eq!(rulings[3]["opinions"][0]["judge"]["id"], "j");
    let before = fs::read(fixture.path("rulings.jsonl")).expect("written");
    let again = fixture.run("--output rulings.jsonl");
    assert_eq!(again["asked"]["answered_before"], 30, "{again}");
    assert_eq!(server.model_requests().len(), 30, "nothing is asked twice");
    assert_eq!(fs::read(fixture.path("rulings.jsonl")).expect("written"), before);
}

#[test]
fn what_cannot_be_kept_is_not_paid_for() {
    let server = ModelServer::start(ModelScript::route(good));
    let fixture = JudgedRunFixture::new(5, &server, "");
    let ledger = LedgerPlace::of_project(&fixture.state(), &fixture.path("")).file().to_owned();
    fs::create_dir_all(ledger.parent().expect("a folder")).expect("made");
    fs::write(ledger, "not ours").expect("written");
    let output = fixture.command("run rubric.toml notes.jsonl").output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("ledger.db is no ledger of Assize"), "{said}");
    assert_eq!(server.model_requests().len(), 0, "nobody was asked");
    // Who asks nobody keeps nothing.
    let told = fixture.run("--dry-run");
    assert_eq!(told["need"]["questions"], 5, "{told}");
}

#[test]
fn a_server_that_fails_in_every_way_costs_one_more_call() {
    let asked: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    let failing = move |request: &RecordedRequest| {
        let record = record_of(request);
        let time = {
            let mut asked = asked.lock().expect("no thread failed");
            let times = asked.entry(record.clone()).or_default();
            *times += 1;
            *times
        };
        let at: usize = record[1..].parse().expect("a number");
        match (time, at % 20) {
            (1, 0 | 1) => ScriptedReply::error(429, "slow down"),
            (1, 2 | 3) => ScriptedReply::error(529, "overloaded"),
            (1, 4 | 5) => ScriptedReply::Empty,
            (1, 6 | 7) => ScriptedReply::Truncated("{\"labels\":[".to_owned()),
            (1, 8) => ScriptedReply::error(500, "oops"),
            (1, 9) => ScriptedReply::Refusal("I would rather not.".to_owned()),
            _ => good(request),
        }
    };
    let server = ModelServer::start(ModelScript::route(failing));
    let fixture = JudgedRunFixture::new(1_000, &server, "");
    let told = fixture.run("--output rulings.jsonl");
    assert_eq!(told["tally"]["unjudged"], 0, "{told}");
    assert_eq!(told["tally"]["rejected"], 334, "{told}");
    assert!(server.model_requests().len() <= 1_550, "{} calls", server.model_requests().len());
    assert_eq!(told["asked"]["calls"], server.model_requests().len());
}

#[test]
fn what_cannot_be_judged_is_unjudged_with_its_cause() {
    let mean = |request: &RecordedRequest| match record_of(request).as_str() {
        "n1" => ScriptedReply::text("I would say it is fine."),
        "n2" => ScriptedReply::Refusal("No.".to_owned()),
        "n3" => ScriptedReply::error(500, "oops"),
        "n4" => ScriptedReply::text(verdict("n4").replace("vague", "rude")),
        _ => good(request),
    };
    let server = ModelServer::start(ModelScript::route(mean));
    let fixture = JudgedRunFixture::new(5, &server, "");
    let told = fixture.run("--output rulings.jsonl");
    assert_eq!(told["tally"]["unjudged"], 4, "{told}");
    let rulings = fixture.lines("rulings.jsonl");
    let causes: Vec<&str> = rulings[1..].iter().filter_map(|ruling| ruling["unjudged"]["cause"].as_str()).collect();
    assert_eq!(causes, ["malformed", "refused", "unavailable", "malformed"]);
    // What holds no verdict stays; what brought no reply is asked for again.
    let before = server.model_requests().len();
    let told = fixture.run("");
    let asked: HashSet<String> = server.model_requests()[before..].iter().map(record_of).collect();
    assert_eq!(asked, HashSet::from(["n3".to_owned()]), "{told}");
    let before = server.model_requests().len();
    fixture.run("--again");
    let asked: HashSet<String> = server.model_requests()[before..].iter().map(record_of).collect();
    assert_eq!(asked.len(), 4, "{asked:?}");
}

#[test]
fn a_budget_is_kept_and_can_be_raised() {
    let server = ModelServer::start(ModelScript::route(good));
    let fixture = JudgedRunFixture::new(100, &server, "");
    let dry = fixture.run("--dry-run");
    assert_eq!(dry["need"]["questions"], 100, "{dry}");
    let (low, high) = (dry["need"]["usd_low"].as_f64().expect("low"), dry["need"]["usd_high"].as_f64().expect("high"));
    assert_eq!(server.model_requests().len(), 0);
    let told = fixture.run("--budget-usd 0.01 --output rulings.jsonl");
    let spent = told["asked"]["spent_usd"].as_f64().expect("an amount");
    assert!(spent > 0.0 && spent <= 0.01, "{spent}");
    assert!(told["tally"]["causes"]["over_budget"].as_u64().is_some_and(|count| count > 70), "{told}");
    let first = server.model_requests().len();
    assert!((10..30).contains(&first), "{first} calls of 0.0004 each, and the most that one can cost is set aside");
    let told = fixture.run("--output rulings.jsonl");
    assert_eq!(told["tally"]["unjudged"], 0, "{told}");
    assert_eq!(server.model_requests().len(), 100, "what was answered is not asked again");
    let spent = told["asked"]["spent_usd"].as_f64().expect("an amount");
    assert!((0.04 - spent).abs() < 1e-6 && 0.0 < low && low < high && spent <= high, "{low} {spent} {high}");
}

#[test]
fn without_a_price_no_budget_is_kept() {
    let server = ModelServer::start(ModelScript::route(good));
    let fixture = JudgedRunFixture::new(3, &server, "");
    let config = fs::read_to_string(fixture.path("assize.toml")).expect("there");
    fixture.write("assize.toml", &config.replace("price_in_usd_per_mtok = 1.0\n", ""));
    let output = fixture.command("run rubric.toml notes.jsonl --budget-usd 1").output().expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("price of judge `j`") && error.contains("price_in_usd_per_mtok"), "{error}");
    assert_eq!(server.model_requests().len(), 0);
}

#[test]
fn repeats_decide_by_majority_and_show_the_noise() {
    let asked: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    // Of three replies about n0 one differs.
    let moody = move |request: &RecordedRequest| {
        let record = record_of(request);
        let mut asked = asked.lock().expect("no thread failed");
        let times = asked.entry(record.clone()).or_default();
        *times += 1;
        if record == "n0" && *times == 2 {
            ScriptedReply::text(verdict("n1").replace("n1", "n0"))
        } else {
            good(request)
        }
    };
    let server = ModelServer::start(ModelScript::route(moody));
    let fixture = JudgedRunFixture::new(4, &server, "");
    let told = fixture.run("--repeats 3 --output rulings.jsonl");
    assert_eq!(server.model_requests().len(), 12);
    assert_eq!(told["tally"]["rejected"], 2, "{told}");
    assert_eq!(told["tally"]["judges"]["j"]["noise"][0], json!({"pairs": 12, "differ": 2}), "{told}");
    assert_eq!(fixture.lines("rulings.jsonl")[0]["opinions"].as_array().expect("a list").len(), 3);
    // What was written can be handed in again, as one opinion a judge.
    let again = fixture.run("--verdicts rulings.jsonl");
    assert_eq!(again["tally"]["rejected"], 2, "{again}");
}

#[test]
fn some_records_can_be_selected() {
    let server = ModelServer::start(ModelScript::route(good));
    let fixture = JudgedRunFixture::new(40, &server, "");
    let told = fixture.run("--sample 7 --seed 3 --output rulings.jsonl");
    assert_eq!(told["tally"]["records"], 7, "{told}");
    fixture.run("--sample 9 --seed 3 --output more.jsonl");
    assert_eq!(server.model_requests().len(), 9, "the larger sample holds the smaller one");
    let output =
        fixture.command("run rubric.toml notes.jsonl --clauses-only --where record.id=='n7' --format json").output();
    let told = self::told(&output.expect("it runs"));
    assert_eq!((&told["tally"]["records"], &told["tally"]["unjudged"]), (&json!(1), &json!(1)), "{told}");
}

#[test]
fn a_judge_that_nobody_configured_is_named() {
    let server = ModelServer::start(ModelScript::route(good));
    let fixture = JudgedRunFixture::new(1, &server, "");
    let output = fixture.command("run rubric.toml notes.jsonl --judge k").output().expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && error.contains("--judge k") && error.contains("there are j"), "{error}");
    fixture.write("assize.toml", "[eval]\nrepeats = 0\n");
    let output = fixture.command("run rubric.toml notes.jsonl").output().expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && error.contains("[eval] repeats is 0"), "{error}");
}

#[test]
fn two_judges_that_are_one_are_refused() {
    let server = ModelServer::start(ModelScript::route(good));
    let again = format!(
        "[[judge]]\nid = \"k\"\nkind = \"openai\"\nmodel = \"m\"\nbase_url = \"{}\"\nmax_tokens = 200\n",
        server.openai_base_url()
    );
    let fixture = JudgedRunFixture::new(3, &server, &again);
    let output = fixture.command("run rubric.toml notes.jsonl").output().expect("the program runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && error.contains("judges `j` and `k` are one"), "{error}");
    assert_eq!(server.model_requests().len(), 0);
    assert_eq!(fixture.run("--judge k")["tally"]["judges"]["k"]["judged"], 3);
}

#[test]
fn data_that_change_under_a_run_end_it() {
    static NOTES: OnceLock<PathBuf> = OnceLock::new();
    const RECORDS: usize = 6_000;
    let damaging = |request: &RecordedRequest| {
        // Long before the last records are read for the second time.
        let notes = NOTES.get().expect("it is known by now");
        let notes = fs::File::options().write(true).open(notes).expect("there");
        let length = notes.metadata().expect("readable").len();
        notes.write_all_at(b"oops\n", length - 5).expect("written");
        good(request)
    };
    let server = ModelServer::start(ModelScript::route(damaging));
    let fixture = JudgedRunFixture::new(0, &server, "");
    let note = |at: usize| json!({"id": format!("n{at}"), "text": "Hello. ".repeat(100)}).to_string() + "\n";
    fixture.write("notes.jsonl", &(0..RECORDS).map(note).collect::<String>());
    NOTES.set(fixture.path("notes.jsonl")).expect("set once");
    let mut command = fixture.command("run rubric.toml notes.jsonl --output rulings.jsonl");
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the program runs");
    let begin = Instant::now();
    while child.try_wait().expect("a state").is_none() {
        assert!(begin.elapsed() < Duration::from_secs(120), "it waits for ever");
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().expect("it has ended");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && error.contains("line 6000"), "{error}");
    assert!(!fixture.path("rulings.jsonl").exists(), "half a run is none");
}

/// How often a run is killed; `ASSIZE_KILLS` sets it.
fn kills() -> usize {
    std::env::var("ASSIZE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(20)
}

#[test]
fn a_run_that_is_killed_goes_on_and_pays_for_no_answer_twice() {
    const CALLS: usize = 8;
    let paid: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    let counting = {
        let paid = Arc::clone(&paid);
        move |request: &RecordedRequest| {
            *paid.lock().expect("no thread failed").entry(record_of(request)).or_default() += 1;
            good(request).late(20)
        }
    };
    let server = ModelServer::start(ModelScript::route(counting));
    let settings = format!("[eval]\ncalls_max = {CALLS}\nbudget_usd = 100.0\n");
    let whole = JudgedRunFixture::new(1_000, &server, &settings);
    whole.run("--output rulings.jsonl");
    let expected = fs::read(whole.path("rulings.jsonl")).expect("written");
    let (mut killed, mut random) = (0, 7_u64);
    while killed < kills() {
        paid.lock().expect("no thread failed").clear();
        let fixture = JudgedRunFixture::new(1_000, &server, &settings);
        let mut ended = false;
        while killed < kills() && !ended {
            let mut command = fixture.command("run rubric.toml notes.jsonl --output rulings.jsonl --quiet");
            let mut child = command.stdout(std::process::Stdio::null()).spawn().expect("the program runs");
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            std::thread::sleep(std::time::Duration::from_millis(10 + (random >> 33) % 500));
            ended = child.try_wait().expect("a state").is_some();
            child.kill().expect("it can be killed");
            child.wait().expect("it ends");
            killed += usize::from(!ended);
        }
        let told = fixture.run("--output rulings.jsonl");
        assert_eq!(fs::read(fixture.path("rulings.jsonl")).expect("written"), expected, "not what it would have been");
        let interrupted = told["asked"]["interrupted"].as_array().expect("a list").clone();
        let named: HashSet<&str> = interrupted.iter().filter_map(|call| call["record"].as_str()).collect();
        let paid = paid.lock().expect("no thread failed");
        let calls: usize = paid.values().sum();
        assert!(calls - 1_000 <= interrupted.len(), "{calls} calls, {} interrupted", interrupted.len());
        assert!(interrupted.len() <= CALLS * killed, "{} interrupted by {killed} kills", interrupted.len());
        for (record, times) in paid.iter().filter(|(_, times)| **times > 1) {
            assert!(named.contains(record.as_str()), "{record} was asked about {times} times");
        }
        let spent = told["asked"]["spent_usd"].as_f64().expect("an amount");
        assert!(calls as f64 * 0.0004 <= spent + 1e-9, "{calls} calls for {spent}");
    }
}

#[test]
fn a_budget_is_not_passed_however_often_a_run_is_killed() {
    const BUDGET_USD: f64 = 0.1;
    let server = ModelServer::start(ModelScript::route(|request: &RecordedRequest| good(request).late(20)));
    let fixture = JudgedRunFixture::new(1_000, &server, &format!("[eval]\ncalls_max = 8\nbudget_usd = {BUDGET_USD}\n"));
    for time in 0..kills().min(20) {
        let mut command = fixture.command("run rubric.toml notes.jsonl --quiet");
        let mut child = command.stdout(std::process::Stdio::null()).spawn().expect("the program runs");
        std::thread::sleep(std::time::Duration::from_millis(150 + 20 * time as u64));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }
    let told = fixture.run("");
    let paid = server.model_requests().len() as f64 * 0.0004;
    let spent = told["asked"]["spent_usd"].as_f64().expect("an amount");
    assert!(paid <= spent + 1e-9 && spent <= BUDGET_USD, "{paid} paid, {spent} counted");
    assert!(told["tally"]["causes"]["over_budget"].as_u64().is_some_and(|count| count > 500), "{told}");
}
