//! Data sets and rulings as tables: CSV always, Parquet where it is built in.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};

const RUBRIC: &str = r#"
rubric = 1
id = "notes"
subject = "a note"

[[mode]]
id = "long"
asks = "Is it short?"
[[mode.clause]]
fails = "size(record.text) > 10"
says = "it has more than 10 characters"

[[mode]]
id = "rude"
asks = "Is it polite?"
fails_if = ["It insults somebody."]
"#;

struct TablesFixture {
    folder: tempfile::TempDir,
}

impl TablesFixture {
    fn new() -> Self {
        let fixture = Self { folder: tempfile::tempdir().expect("a folder") };
        fixture.write("rubric.toml", RUBRIC);
        let notes = [json!({"id": "a", "text": "Hello."}), json!({"id": "b", "text": "Hello, \"you\",\nthere."})];
        fixture.write("notes.jsonl", &notes.map(|note| format!("{note}\n")).concat());
        let labels = json!([{"mode": "rude", "label": 0, "reason": "It greets."}]);
        let verdict = json!({"id": "a", "judge": "j", "labels": labels, "overall_quality_score": 4});
        fixture.write("verdicts.jsonl", &format!("{verdict}\n"));
        fixture
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    fn run(&self, arguments: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
        command.args(["eval", "run", "rubric.toml"]).args(arguments.split_whitespace());
        command.current_dir(self.folder.path()).env_clear().env("HOME", self.folder.path());
        command.output().expect("the program runs")
    }
}

const HEADER: &str = "id,hash,outcome,unjudged,score,findings,tokens_in,tokens_out,cost_usd,fails.long,reason.long,fails.rude,reason.rude";

fn without_hashes(table: &str) -> String {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let rows = reader.records().map(|row| {
        let row = row.expect("a row");
        let cells: Vec<&str> = row.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, cell)| cell).collect();
        cells.join("|") + "\n"
    });
    rows.collect()
}

#[test]
fn rulings_are_written_as_a_table() {
    let fixture = TablesFixture::new();
    fixture.run("notes.jsonl --verdicts verdicts.jsonl --output rulings.csv");
    let table = fs::read_to_string(fixture.path("rulings.csv")).expect("written");
    assert_eq!(table.lines().next(), Some(HEADER));
    assert_eq!(
        without_hashes(&table),
        "a|accept||4||0|0||0|no clause is broken|0|It greets.\n\
         b|reject|||clause-broken: `long`: it has more than 10 characters|0|0||1|it has more than 10 characters||there is no verdict of a judge\n"
    );
    let printed = fixture.run("notes.jsonl --verdicts verdicts.jsonl --output - --to csv --quiet");
    assert_eq!(String::from_utf8_lossy(&printed.stdout), table, "the form can be named");
    let lines = fixture.run("notes.jsonl --verdicts verdicts.jsonl --output rulings.csv --to jsonl --quiet");
    assert_eq!(lines.status.code(), Some(1), "a record is rejected");
    let text = fs::read_to_string(fixture.path("rulings.csv")).expect("written");
    assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{text}");
}

#[test]
fn a_form_that_nobody_knows_is_refused() {
    let fixture = TablesFixture::new();
    let output = fixture.run("notes.jsonl --output rulings --to xlsx");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && error.contains("jsonl, csv, parquet"), "{error}");
    assert!(!fixture.path("rulings").exists());
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_is_read_and_written() {
    let fixture = TablesFixture::new();
    let output = fixture.run("notes.jsonl --verdicts verdicts.jsonl --output rulings.parquet");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    // Rulings are records as well: their columns are judged by a clause.
    let rubric = RUBRIC.replace("size(record.text) > 10", "record.outcome == 'reject' && record['fails.long'] == 1");
    fixture.write("rubric.toml", &rubric);
    let output = fixture.run("rulings.parquet --clauses-only --format json");
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&told["tally"]["records"], &told["tally"]["rejected"]), (&json!(2), &json!(1)), "{told}");
    fs::rename(fixture.path("rulings.parquet"), fixture.path("rulings")).expect("renamed");
    let again = fixture.run("rulings --clauses-only --format json");
    assert_eq!(again.stdout, output.stdout, "it names itself");
    let output = fixture.run("notes.jsonl --from parquet");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && error.contains("is no Parquet that can be read"), "{error}");
}

#[cfg(not(feature = "parquet"))]
#[test]
fn where_parquet_is_left_out_it_is_said_how_to_get_it() {
    let fixture = TablesFixture::new();
    fixture.write("notes.parquet", "PAR1");
    for arguments in ["notes.parquet", "notes.jsonl --output rulings.parquet"] {
        let output = fixture.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && error.contains("--features parquet"), "{error}");
    }
    assert!(!fixture.path("rulings.parquet").exists());
}
