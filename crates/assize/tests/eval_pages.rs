//! `assize eval label` and `assize eval report`, as people and browsers meet them, and the drift gate.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

const RUBRIC: &str = r#"
rubric = 1
id = "notes"
subject = "a note"

[record]
strata = ["kind"]

[[mode]]
id = "rude"
asks = "Is it polite?"
fails_if = ["It insults somebody."]

[[mode]]
id = "vague"
asks = "Does it name what it speaks of?"
fails_if = ["It could be about anything."]
"#;

const HOSTILE: &str = "<img src=x onerror=alert(1)></script>";

struct PagesFixture {
    folder: tempfile::TempDir,
}

impl PagesFixture {
    fn new(records: usize) -> Self {
        let fixture = Self { folder: tempfile::tempdir().expect("a folder") };
        fixture.write("rubric.toml", RUBRIC);
        let note = |at: usize| json!({"id": format!("n{at}"), "kind": HOSTILE, "text": "Hello."}).to_string() + "\n";
        fixture.write("notes.jsonl", &(0..records).map(note).collect::<String>());
        fixture
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    /// Verdicts on so many records, of which these are rude.
    fn verdicts(&self, name: &str, records: usize, rude: impl Fn(usize) -> bool) {
        let label = |mode: &str, label: bool| json!({"mode": mode, "label": u8::from(label), "reason": HOSTILE});
        let verdict = |at: usize| {
            let labels = [label("rude", rude(at)), label("vague", false)];
            json!({"id": format!("n{at}"), "labels": labels, "overall_quality_score": 3}).to_string() + "\n"
        };
        self.write(name, &(0..records).map(verdict).collect::<String>());
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
        command.arg("eval").args(arguments.split_whitespace()).current_dir(self.folder.path());
        command.env_clear().env("HOME", self.folder.path());
        command
    }

    fn eval(&self, arguments: &str) -> Output {
        self.command(arguments).output().expect("the program runs")
    }
}

/// The page's server, until it is dropped.
struct PageServer {
    child: Child,
    port: u16,
    token: String,
}

impl PageServer {
    fn start(fixture: &PagesFixture) -> Self {
        let mut command = fixture.command("label rubric.toml notes.jsonl --rater ann");
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program runs");
        let stderr = BufReader::new(child.stderr.take().expect("standard error"));
        let line = stderr.lines().map_while(Result::ok).find(|line| line.contains("http://")).expect("an address");
        let (address, token) = line.trim().split_once("/#token=").expect("a token");
        let port = address.rsplit_once(':').expect("a port").1.parse().expect("a number");
        Self { child, port, token: token.to_owned() }
    }

    /// Sends a request and returns the status and the body.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        let host = format!("127.0.0.1:{}", self.port);
        let has_host = headers.iter().any(|(name, _)| *name == "host");
        let host = if has_host { String::new() } else { format!("host: {host}\r\n") };
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{host}{headers}connection: close\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("read");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, answer.split_once("\r\n\r\n").expect("a body").1.to_owned())
    }

    fn api(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let (status, body) = self.send(method, path, &[("x-assize-token", &self.token)], body);
        (status, serde_json::from_str(&body).unwrap_or_default())
    }
}

impl Drop for PageServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn what_another_window_kept_is_not_written_over() {
    let fixture = PagesFixture::new(2);
    let server = PageServer::start(&fixture);
    let (_, seen) = server.api("GET", "/api/record/0", "");
    assert_eq!(seen["version"], 0);
    let (status, _) = server.api("POST", "/api/record/0", r#"{"labels":{"rude":1},"version":0}"#);
    assert_eq!(status, 200);
    let (status, why) = server.api("POST", "/api/record/0", r#"{"labels":{"rude":0},"version":0}"#);
    assert_eq!(status, 409, "{why}");
    assert!(why["error"].as_str().is_some_and(|why| why.contains("another window")), "{why}");
    let (_, record) = server.api("GET", "/api/record/0", "");
    assert_eq!((&record["labels"]["rude"], &record["version"]), (&json!(1), &json!(1)), "{record}");
    let (status, kept) = server.api("POST", "/api/record/0", r#"{"labels":{"rude":0},"version":1}"#);
    assert_eq!((status, &kept["version"]), (200, &json!(2)));
}

#[test]
fn labels_are_kept_and_gone_on_with() {
    let fixture = PagesFixture::new(3);
    {
        let server = PageServer::start(&fixture);
        let (_, task) = server.api("GET", "/api/task", "");
        assert_eq!(task["records"].as_array().map(Vec::len), Some(3), "{task}");
        assert_eq!(task["rubric"]["modes"][0]["id"], "rude");
        let (status, kept) = server.api("POST", "/api/record/0", r#"{"labels":{"rude":1,"vague":0},"note":"hm"}"#);
        assert_eq!((status, kept), (200, json!({"done": true, "left": 2, "version": 1})));
        let (_, kept) = server.api("POST", "/api/record/1", r#"{"labels":{"rude":0,"vague":null}}"#);
        assert_eq!(kept, json!({"done": false, "left": 2, "version": 1}));
    }
    let server = PageServer::start(&fixture);
    let (_, record) = server.api("GET", "/api/record/0", "");
    assert_eq!((&record["labels"], &record["note"]), (&json!({"rude": 1, "vague": 0}), &json!("hm")), "{record}");
    server.api("POST", "/api/record/1", r#"{"labels":{"rude":0,"vague":1}}"#);
    server.api("POST", "/api/record/0", r#"{"labels":{"rude":0,"vague":0}}"#);
    fixture.verdicts("verdicts.jsonl", 3, |at| at == 0);
    let output =
        fixture.eval("calibrate rubric.toml notes.jsonl --verdicts verdicts.jsonl --labels labels.jsonl --format json");
    let evaluation: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(evaluation["trial"]["labelled"], 2, "each record has one line: {evaluation}");
    assert_eq!(evaluation["raters"], json!(["ann"]));
}

#[test]
fn the_page_is_for_whoever_was_given_the_token() {
    let fixture = PagesFixture::new(1);
    let server = PageServer::start(&fixture);
    let token = ("x-assize-token", server.token.as_str());
    let own = format!("http://localhost:{}", server.port);
    for (path, headers, status) in [
        ("/", vec![], 200),
        ("/api/task", vec![token], 200),
        ("/api/task", vec![token, ("origin", own.as_str())], 200),
        ("/api/task", vec![], 401),
        ("/api/task", vec![("x-assize-token", "wrong")], 401),
        ("/api/task", vec![token, ("origin", "http://evil.example")], 403),
        ("/api/task", vec![token, ("origin", "null")], 403),
        ("/api/task", vec![token, ("host", "evil.example")], 403),
        ("/", vec![("host", "evil.example")], 403),
        ("/api/record/7", vec![token], 404),
        ("/etc/passwd", vec![token], 404),
    ] {
        assert_eq!(server.send("GET", path, &headers, "").0, status, "{path} {headers:?}");
    }
    for body in
        [r#"{"labels":{"kind":1}}"#, r#"{"labels":{"rude":2}}"#, r#"{"labels":{"rude":true}}"#, r#"{"label":{}}"#, "{"]
    {
        let (status, _) = server.api("POST", "/api/record/0", body);
        assert!((400..500).contains(&status), "{body}: {status}");
    }
    assert!(!fixture.path("labels.jsonl").exists(), "nothing was kept");
    let most = 256 * 1024;
    let note = |chars: usize| format!(r#"{{"labels":{{}},"note":"{}"}}"#, "x".repeat(chars));
    assert_eq!(server.api("POST", "/api/record/0", &note(4_000)).0, 200);
    assert_eq!(server.api("POST", "/api/record/0", &note(4_001)).0, 422);
    assert_eq!(server.api("POST", "/api/record/0", &note(most)).0, 413);
}

#[test]
fn a_report_is_one_page_and_the_same_numbers() {
    let fixture = PagesFixture::new(12);
    fixture.verdicts("verdicts.jsonl", 12, |at| at % 4 == 0);
    let output = fixture.eval(
        "report rubric.toml notes.jsonl --verdicts verdicts.jsonl --output report.html --junit j.xml --format json",
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!((&report["tally"]["rejected"], &report["records"][0]["id"]), (&json!(3), &json!("n0")), "{report}");
    assert_eq!(report["by_field"][0]["rows"][0]["failed"], 3);
    let page = fs::read_to_string(fixture.path("report.html")).expect("written");
    let data = page.split_once("id=\"data\">").expect("data").1.split_once("</script>").expect("its end").0;
    assert!(!data.contains('<') && data.contains("\\u003cimg src=x"), "what strangers wrote is no markup");
    assert!(!page.contains("src=\"http") && !page.contains("sourceMappingURL"), "it needs nothing else");
    let junit = fs::read_to_string(fixture.path("j.xml")).expect("written");
    assert!(junit.contains("tests=\"12\"") && junit.contains("failures=\"3\""), "{junit}");
    let nowhere = fixture.eval("report rubric.toml notes.jsonl --verdicts verdicts.jsonl --format human");
    assert_eq!(nowhere.status.code(), Some(2));
}

#[test]
fn drift_against_a_baseline_is_an_exit_code() {
    let fixture = PagesFixture::new(40);
    fixture.verdicts("v1.jsonl", 40, |at| at % 4 == 0);
    fixture.verdicts("v2.jsonl", 40, |at| at % 4 == 0 || at == 1);
    fixture.verdicts("v3.jsonl", 40, |at| at % 2 == 0);
    for name in ["v1", "v2", "v3"] {
        fixture.eval(&format!("run rubric.toml notes.jsonl --verdicts {name}.jsonl --output {name}-rulings.jsonl"));
    }
    let against = |name: &str, more: &str| {
        fixture.eval(&format!(
            "compare rubric.toml notes.jsonl --verdicts {name}-rulings.jsonl --against v1-rulings.jsonl --format json {more}"
        ))
    };
    assert_eq!(against("v1", "").status.code(), Some(0));
    assert_eq!(against("v2", "").status.code(), Some(0), "one of eighty labels");
    fixture.write("people.csv", "id,rude,vague\nn1,0,0\n");
    let moved = against("v2", "--labels people.csv");
    assert_eq!(moved.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&moved.stdout).expect("JSON");
    assert!(
        told["drift"]["reasons"][0].as_str().is_some_and(|reason| reason.contains("against what people say: `n1`"))
    );
    assert_eq!(against("v3", "").status.code(), Some(1));
}
