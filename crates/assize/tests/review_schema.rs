//! The look at schemas before the review court: real repositories, the real program, nothing to run.

use std::process::{Command, Output};

use assize_testkit::repo::Repo;
use serde_json::Value;

const SETTINGS: &str =
    "[review]\nrequire = []\n\n[[schema]]\nschema = 'schemas/order.json'\ninstances = 'orders/*.json'\n";
const SCHEMA: &str = r#"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Order",
  "type": "object",
  "required": ["id", "total"],
  "additionalProperties": false,
  "properties": {
    "id": {"type": "string"},
    "total": {"type": "integer"},
    "note": {"type": "string"}
  }
}
"#;
const INSTANCE: &str = "{\n  \"id\": \"a\",\n  \"total\": 3\n}\n";
const TYPES: &str = "export interface Order {\n  id: string;\n  total: number;\n  note?: string;\n}\n";

/// A project with a schema, a document and a type of code, all in step.
fn project() -> Repo {
    Repo::with_commit(&[
        ("assize.toml", SETTINGS),
        ("schemas/order.json", SCHEMA),
        ("orders/first.json", INSTANCE),
        ("src/order.ts", TYPES),
    ])
}

/// Runs the program with a home of its own.
fn run(repo: &Repo, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_assize"))
        .args(arguments)
        .current_dir(repo.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", repo.outside())
        .output()
        .expect("the program starts")
}

fn review(repo: &Repo, more: &[&str]) -> Value {
    let arguments: Vec<&str> = ["--format", "json", "review"].iter().chain(more).copied().collect();
    let output = run(repo, &arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// The outcome, the score of the dimension, and the places that the fix plan names.
fn judged(envelope: &Value) -> (String, Option<f64>, Vec<String>) {
    let steps = envelope["verdict"]["fix_plan"].as_array().cloned().unwrap_or_default();
    let files = steps.iter().filter_map(|step| step["file"].as_str()).map(str::to_owned).collect();
    (
        envelope["outcome"].as_str().unwrap_or_default().to_owned(),
        envelope["verdict"]["scores"]["schema"].as_f64(),
        files,
    )
}

fn root_cause(envelope: &Value) -> &str {
    envelope["verdict"]["explanations"]["root_cause"].as_str().unwrap_or_default()
}

fn expect_revise(repo: &Repo, file: &str, words: &[&str]) {
    let envelope = review(repo, &[]);
    assert_eq!(judged(&envelope), ("revise".to_owned(), Some(0.0), vec![file.to_owned()]), "{envelope:#}");
    for word in words {
        assert!(root_cause(&envelope).contains(word), "{word}: {}", root_cause(&envelope));
    }
}

#[test]
fn a_clean_change_is_accepted() {
    let repo = project();
    repo.write(
        "schemas/order.json",
        &SCHEMA.replace("\"note\": {\"type\": \"string\"}", "\"note\": {\"type\": \"string\", \"maxLength\": 80}"),
    );
    repo.write("orders/second.json", "{\"id\": \"b\", \"total\": 4, \"note\": \"soon\"}\n");
    let envelope = review(&repo, &[]);
    assert_eq!(judged(&envelope), ("accept".to_owned(), Some(1.0), Vec::new()), "{envelope:#}");
}

#[test]
fn a_broken_schema_is_sent_back() {
    let repo = project();
    repo.write("schemas/order.json", &SCHEMA.replace("\"integer\"", "\"intger\""));
    expect_revise(&repo, "schemas/order.json", &["schema-json", "schemas/order.json:9", "intger"]);
    repo.write("schemas/order.json", &SCHEMA.replace("{\"type\": \"integer\"}", "{\"$ref\": \"#/$defs/money\"}"));
    expect_revise(&repo, "schemas/order.json", &["schemas/order.json:9", "leads nowhere", "/$defs/money"]);
}

#[test]
fn a_document_that_does_not_fit_is_sent_back() {
    let repo = project();
    repo.write("orders/first.json", "{\n  \"id\": \"a\",\n  \"total\": \"3\"\n}\n");
    expect_revise(&repo, "orders/first.json", &["schema-instances", "orders/first.json:3", "integer", "/total"]);
    // It is the schema that changed, and the document that no longer fits.
    repo.write("orders/first.json", INSTANCE);
    repo.write("schemas/order.json", &SCHEMA.replace("[\"id\", \"total\"]", "[\"id\", \"total\", \"note\"]"));
    expect_revise(&repo, "orders/first.json", &["orders/first.json:1", "note"]);
}

#[test]
fn types_that_drift_from_their_schema_are_sent_back() {
    let repo = project();
    let grown = SCHEMA.replace("\"note\": {", "\"paid\": {\"type\": \"boolean\"},\n    \"note\": {");
    repo.write("schemas/order.json", &grown);
    expect_revise(&repo, "src/order.ts", &["schema-types", "src/order.ts:1", "paid"]);
    repo.write("src/order.ts", &TYPES.replace("note?: string;", "note?: string;\n  paid?: boolean;"));
    assert_eq!(judged(&review(&repo, &[])).0, "accept");
    repo.write("src/order.ts", &TYPES.replace("note?: string;", "note?: string;\n  paid?: string;"));
    expect_revise(&repo, "src/order.ts", &["src/order.ts:5", "boolean"]);
}

#[test]
fn what_breaks_the_wire_is_sent_back() {
    let message = |body: &str| format!("syntax = \"proto3\";\npackage shop.v1;\nmessage Order {{\n{body}\n}}\n");
    let repo = Repo::with_commit(&[
        ("assize.toml", SETTINGS),
        ("shop.proto", &message("  string id = 1;\n  string note = 2;")),
    ]);
    repo.write("shop.proto", &message("  string id = 1;"));
    expect_revise(&repo, "shop.proto", &["schema-protobuf", "number 2", "not reserved"]);
    repo.write("shop.proto", &message("  reserved 2;\n  string id = 1;"));
    assert_eq!(judged(&review(&repo, &[])).0, "accept");
}

#[test]
fn old_faults_do_not_count_but_with_all() {
    let repo = Repo::with_commit(&[
        ("assize.toml", SETTINGS),
        ("schemas/order.json", &SCHEMA.replace("\"integer\"", "\"intger\"")),
        ("api.graphql", "type Query { a: Missing }\n"),
    ]);
    repo.write("README.md", "# Shop\n");
    let envelope = review(&repo, &[]);
    assert_eq!(judged(&envelope), ("accept".to_owned(), Some(1.0), Vec::new()), "{envelope:#}");
    let envelope = review(&repo, &["--all"]);
    let (outcome, score, files) = judged(&envelope);
    assert_eq!((outcome.as_str(), score), ("revise", Some(0.0)), "{envelope:#}");
    assert_eq!(files, ["api.graphql", "schemas/order.json"]);
}

#[test]
fn what_is_left_out_is_not_looked_at() {
    let repo = project();
    repo.write("orders/first.json", "{}\n");
    assert_eq!(judged(&review(&repo, &["--skip", "schema-instances"])).0, "accept");
    let envelope = review(&repo, &["--skip", "schema"]);
    assert_eq!((judged(&envelope).0.as_str(), judged(&envelope).1), ("accept", None));
}

#[test]
fn results_are_shown_in_every_form() {
    let repo = project();
    repo.write("orders/first.json", "{\n  \"id\": \"a\",\n  \"total\": \"3\"\n}\n");
    let arguments = ["--format", "human", "review", "--output", "sarif=a.sarif,markdown=a.md,junit=a.xml"];
    let output = run(&repo, &arguments);
    assert_eq!(output.status.code(), Some(1));
    let human = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(human.contains("schema-instances") && human.contains("orders/first.json:3"), "{human}");
    let read = |name: &str| std::fs::read_to_string(repo.path().join(name)).expect("written");
    let sarif: Value = serde_json::from_str(&read("a.sarif")).expect("JSON");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "schema-instances/does-not-fit");
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
    assert!(read("a.md").contains("schema-instances") && read("a.xml").contains("schema-instances"));
}
