//! The published schemas describe what the program really prints: real commands on small inputs, held against `schemas/`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use assize_testkit::repo::Repo;
use serde_json::{Map, Value, json};

#[path = "market/fixture.rs"]
#[expect(dead_code, reason = "other tests use the rest of it")]
mod fixture;

/// A gate that objects to every line with the word BAD.
const CHECK: &str = r#"
printf '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"mine"}},"results":['
awk '/BAD/ { printf "%s{\"ruleId\":\"bad\",\"level\":\"error\",\"message\":{\"text\":\"line %d\"},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"src/a.txt\"},\"region\":{\"startLine\":%d}}}]}", sep, NR, NR; sep="," }' src/a.txt
printf ']}]}\n'
"#;
const SETTINGS: &str = "[review]\nrequire = []\n[gates]\nsandbox = \"off\"\n[[gate]]\nid = \"mine\"\ncommand = [\"sh\", \"check.sh\"]\n\
                        dimension = \"style\"\nreport = \"sarif\"\n\
                        [fixer.command]\nargv = [\"sh\", \"-c\", \"sed -i 's/BAD //' src/a.txt\"]\n";
const ISSUE: &str = "- [ ] Write the second line\n  - in words\n- [x] Write the first line\n";

fn schemas() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas")
}

/// A schema whose objects have no fields but those that it names. The published one leaves room for fields that later
/// versions add; what is printed today has to be named today.
fn strict(name: &str) -> Value {
    let path = schemas().join(format!("{name}.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut schema: Value = serde_json::from_str(&text).expect("a schema is JSON");
    close(&mut schema, false);
    schema
}

/// Closes each object. The branches beside an object's own fields describe the same object, which is closed as a whole.
fn close(schema: &mut Value, is_branch: bool) {
    let Some(fields) = schema.as_object_mut() else { return };
    let has_fields = fields.contains_key("properties");
    for (key, below) in fields.iter_mut() {
        match key.as_str() {
            "properties" | "$defs" | "patternProperties" => {
                below.as_object_mut().into_iter().flat_map(Map::values_mut).for_each(|schema| close(schema, false));
            }
            "anyOf" | "oneOf" | "allOf" => {
                let branches = below.as_array_mut().into_iter().flatten();
                branches.for_each(|schema| close(schema, has_fields || is_branch));
            }
            "prefixItems" => below.as_array_mut().into_iter().flatten().for_each(|schema| close(schema, false)),
            "items" | "additionalProperties" => close(below, false),
            _ => {}
        }
    }
    if has_fields && !is_branch && !fields.contains_key("additionalProperties") {
        fields.insert("unevaluatedProperties".to_owned(), false.into());
    }
}

/// Lists what is wrong with a document.
fn faults(schema: &Value, document: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).expect("the schema is valid");
    validator.iter_errors(document).map(|fault| format!("{}: {fault}", fault.instance_path())).collect()
}

/// Holds a document against its schema, and then the schema against the document: it notices each field that is missing,
/// is of another kind, or is called something else.
#[track_caller]
fn expect_described(name: &str, document: &Value) {
    let schema = strict(name);
    let found = faults(&schema, document);
    assert!(found.is_empty(), "{name}: {}\n{document:#}", found.join("\n"));
    let fields = document.as_object().expect("an object");
    for field in fields.keys() {
        let mut changed = document.clone();
        changed[field] = if fields[field].is_boolean() { json!("no boolean") } else { json!(true) };
        assert!(!faults(&schema, &changed).is_empty(), "{name}: `{field}` may be anything");
        let required = schema["required"].as_array().is_some_and(|names| names.contains(&json!(field)));
        let mut changed = document.clone();
        let value = changed.as_object_mut().and_then(|fields| fields.remove(field));
        assert_eq!(faults(&schema, &changed).is_empty(), !required, "{name}: `{field}`");
        changed["no_such_field"] = value.unwrap_or_default();
        assert!(!faults(&schema, &changed).is_empty(), "{name}: `{field}` may have another name");
    }
}

fn described(output: &Output, name: &str) -> Value {
    let told = || fixture::told(output);
    let document = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", told()));
    expect_described(name, &document);
    document
}

/// A repository with a gate and a fixer, and a change that the gate objects to.
struct SchemaFixture {
    repo: Repo,
}

impl SchemaFixture {
    fn new() -> Self {
        let repo = Repo::with_commit(&[
            ("assize.toml", SETTINGS),
            ("check.sh", CHECK),
            ("src/a.txt", "one\ntwo\nthree\n"),
            ("tests/test_a.txt", "a test\n"),
        ]);
        repo.write("src/a.txt", "one\nBAD two\nthree\n");
        Self { repo }
    }

    fn beside(&self, name: &str, text: &str) -> String {
        let path = self.repo.outside().join(name);
        fs::write(&path, text).expect("written");
        path.display().to_string()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_assize"))
            .args(["--format", "json"])
            .args(arguments)
            .current_dir(self.repo.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.repo.outside())
            .env("XDG_CACHE_HOME", self.repo.outside().join("cache"))
            .stdin(Stdio::null())
            .output()
            .expect("the program runs")
    }

    fn expect(&self, arguments: &[&str], name: &str) -> Value {
        described(&self.run(arguments), name)
    }
}

#[test]
fn fixes_are_described() {
    let world = SchemaFixture::new();
    let dry = world.expect(&["fix", "--dry-run"], "fix");
    assert_eq!((&dry["outcome"], &dry["fix"]["written"]), (&json!("accept"), &json!(false)), "{dry:#}");
    let listed = world.expect(&["fix", "--resume"], "fix-resumable");
    assert_eq!(listed["open"].as_array().map(Vec::len), Some(1), "{listed:#}");
    let fixed = world.expect(&["fix", "--yes"], "fix");
    assert_eq!(fixed["fix"]["written"], true, "{fixed:#}");
    let mut changed = fixed;
    changed["fix"]["no_such_field"] = json!(1);
    assert!(!faults(&strict("fix"), &changed).is_empty(), "fields of fields are held against the schema as well");
}

#[test]
fn tournaments_are_described() {
    let world = SchemaFixture::new();
    world.repo.write("src/a.txt", "one\ntwo\nthree\n");
    let patch = |name: &str, find: &str, replace: &str| {
        let op = json!({"kind": "edit", "path": "src/a.txt", "find": find, "replace": replace});
        world.beside(name, &json!({"ops": [op]}).to_string())
    };
    let (good, bad, stale) =
        (patch("good.json", "two", "2"), patch("bad.json", "two", "BAD"), patch("stale.json", "four", "4"));
    let held = world.expect(&["tournament", &bad, &good, &stale, &good], "tournament");
    assert_eq!((&held["winnerIndex"], &held["results"][3]["duplicateOf"]), (&json!(1), &json!(1)), "{held:#}");
    assert!(held["results"][2]["errors"].is_array(), "{held:#}");
    let made = world.expect(&["tournament", "--generate", "1", &good], "tournament");
    assert!(made["generated"].is_object(), "{made:#}");
    let none = world.expect(&["tournament", &stale], "tournament");
    assert_eq!(none["winnerIndex"], Value::Null, "{none:#}");
}

#[test]
fn bids_and_their_ranking_are_described() {
    let world = SchemaFixture::new();
    let issue = world.beside("issue.md", ISSUE);
    let extracted = world.expect(&["market", "extract", "--spec", &issue], "market-requirements");
    assert_eq!(extracted["requirements"]["explicit_requirements"].as_array().map(Vec::len), Some(1), "{extracted:#}");
    let bid = |requirements: &[&str]| {
        let change = json!({"path": "src/a.txt", "kind": "edit", "brief": "see there", "requirements": requirements});
        json!({
            "approach": "Words.", "pseudo_code": "write", "changes": [change], "estimated_lines": 2, "risk": "None.",
            "success_probability": 0.8,
        })
    };
    let (whole, part) = (bid(&["req_1", "req_1.1"]), bid(&[]));
    expect_described("market-bid", &whole);
    let (first, second) =
        (world.beside("whole.json", &whole.to_string()), world.beside("part.json", &part.to_string()));
    let ranked = world.expect(&["market", "rank", "--spec", &issue, &first, &second], "market-ranking");
    assert_eq!((&ranked["outcome"], ranked["rankings"].as_array().map(Vec::len)), (&json!("accept"), Some(2)));
    // What the schema of bids refuses is refused by the program, and the other way round.
    let wrong = [
        ("a field more", json!({"name": "me"})),
        ("no number", json!({"estimated_lines": "2"})),
        ("another kind", json!({"changes": [{"path": "src/a.txt", "kind": "move"}]})),
    ];
    for (what, fields) in wrong {
        let mut bid = whole.clone();
        bid.as_object_mut().expect("an object").extend(fields.as_object().cloned().expect("fields"));
        assert!(!faults(&strict("market-bid"), &bid).is_empty(), "{what}");
        let file = world.beside("wrong.json", &bid.to_string());
        assert_eq!(world.run(&["market", "rank", "--spec", &issue, &file]).status.code(), Some(2), "{what}");
    }
}

#[test]
fn policies_are_described() {
    let world = SchemaFixture::new();
    let table = world.beside("table.csv", "task,fast,careful\na,1,1\nb,0,1\nc,1,1\n");
    let played = world.expect(&["market", "simulate", &table, "--runs", "2"], "market-simulation");
    assert_eq!(played["simulation"]["best"]["bidder"], "careful", "{played:#}");
}

#[test]
fn a_run_of_the_market_and_its_events_are_described() {
    let repo = fixture::laid_out("python", &["careful", "hasty"], "");
    let issue = repo.outside().join("issue.md");
    fs::copy(fixture::of_plays("play/python/issue.md"), &issue).expect("copied");
    let market = |arguments: &[&str]| {
        fixture::command(&repo, &[], &[arguments, &["--format", "json"]].concat()).output().expect("it runs")
    };
    let run = ["run", "--seed", "7", "--spec", issue.to_str().expect("a path")];
    let first = described(&market(&run), "market-run");
    assert!(first.get("promise").is_none() && first["verifications"].as_array().is_some_and(|all| all.len() == 2));
    let last = described(&market(&run), "market-run");
    assert_eq!((&last["ending"], &last["promise"]), (&json!("complete"), &json!("COMPLETE")), "{last:#}");
    let events = fixture::events(&repo);
    assert!(events.len() > 3, "{events:?}");
    events.iter().for_each(|event| expect_described("market-event", event));
    let status = described(&market(&["status"]), "market-reputations");
    assert!(status["standing"]["bidders"]["careful"].is_object(), "{status:#}");
    let history = described(&market(&["replay"]), "market-history");
    assert_eq!(history["history"].as_array().map(Vec::len), Some(events.len()), "{history:#}");
}

/// The names of all schemas, and the commands that the page of the folder says print one.
fn listed() -> (BTreeSet<String>, BTreeSet<String>) {
    let page = fs::read_to_string(schemas().join("README.md")).expect("the page");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let (mut names, mut commands) = (BTreeSet::new(), BTreeSet::new());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        names.insert(cells[0].trim_matches('`').to_owned());
        commands.extend(cells[2].split(", ").map(|command| command.trim_matches('`').to_owned()));
    }
    (names, commands)
}

#[test]
fn every_schema_is_listed_and_valid() {
    let (names, _) = listed();
    let files = fs::read_dir(schemas()).expect("the folder").flatten();
    let files = files.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let files: BTreeSet<String> = files.filter(|name| name.ends_with(".json")).collect();
    assert_eq!(names, files);
    for name in names {
        jsonschema::validator_for(&strict(name.trim_end_matches(".json"))).expect("a valid schema");
    }
}
