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
    let mut extended = BTreeSet::new();
    find_extended(&schema, &mut extended);
    close(&mut schema, false, &extended);
    schema
}

/// Finds the definitions that an object extends by fields of its own: that object is closed, and not the definition.
fn find_extended(schema: &Value, extended: &mut BTreeSet<String>) {
    if let (Some(definition), true) = (schema["$ref"].as_str(), schema["properties"].is_object()) {
        extended.insert(definition.trim_start_matches("#/$defs/").to_owned());
    }
    match schema {
        Value::Object(fields) => fields.values().for_each(|below| find_extended(below, extended)),
        Value::Array(list) => list.iter().for_each(|below| find_extended(below, extended)),
        _ => {}
    }
}

/// Closes each object. The branches beside an object's own fields describe the same object, which is closed as a whole.
fn close(schema: &mut Value, is_branch: bool, extended: &BTreeSet<String>) {
    let Some(fields) = schema.as_object_mut() else { return };
    let has_fields = fields.contains_key("properties");
    for (key, below) in fields.iter_mut() {
        match key.as_str() {
            "properties" | "$defs" | "patternProperties" => {
                for (name, schema) in below.as_object_mut().into_iter().flat_map(Map::iter_mut) {
                    close(schema, key == "$defs" && extended.contains(name), extended);
                }
            }
            "anyOf" | "oneOf" | "allOf" => {
                let branches = below.as_array_mut().into_iter().flatten();
                branches.for_each(|schema| close(schema, has_fields || is_branch, extended));
            }
            "prefixItems" => {
                below.as_array_mut().into_iter().flatten().for_each(|schema| close(schema, false, extended));
            }
            "items" | "additionalProperties" => close(below, false, extended),
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

const RUBRIC: &str = r#"
rubric = 1
id = "notes"
subject = "a note"

[trust]
labels_min = 2

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
/// A judge that finds nothing, and a corrector that greets.
const JUDGE: &str = r#"
if grep -q '"schema_name":"record_correction"'; then
    echo '{"changes": [{"field": "text", "value": "Hello."}], "summary": "It is polite."}'
else
    echo '{"labels": [{"mode": "rude", "label": 0, "reason": "It greets."}], "overall_quality_score": 4}'
fi
"#;

/// Four notes, of which every second one is rude.
fn data_set() -> SchemaFixture {
    let world = SchemaFixture::new();
    let judge = world.beside("judge.sh", JUDGE);
    let judges = ["writer", "second"].map(|id| {
        format!(
            "[[judge]]\nid = \"{id}\"\nkind = \"command\"\nmodel = \"model-{id}\"\nargv = [\"sh\", \"{judge}\"]\nprice_usd_per_call = 0.01\n"
        )
    });
    world.repo.write("assize.toml", &judges.concat());
    world.repo.write("rubric.toml", RUBRIC);
    let texts = ["Hello.", "You fool.", "Good day.", "You fool, and so on and on and on and on."];
    let mut lines = [String::new(), String::new(), "id,rude,long\n".to_owned()];
    for (at, text) in texts.iter().enumerate() {
        let (id, rude) = (format!("n{at}"), at % 2);
        let label = json!({"mode": "rude", "label": rude, "reason": "By its second word."});
        let verdict = json!({"id": id, "judge": "first", "labels": [label], "overall_quality_score": 3});
        lines[0] += &format!("{}\n", json!({"id": id, "text": text}));
        lines[1] += &format!("{verdict}\n");
        lines[2] += &format!("{id},{rude},{}\n", u8::from(at == 3));
    }
    for (name, text) in ["notes.jsonl", "verdicts.jsonl", "people.csv"].iter().zip(lines) {
        world.repo.write(name, &text);
    }
    world
}

#[test]
fn results_of_a_data_set_are_described() {
    let world = data_set();
    let eval = |arguments: &str, name: &str| {
        let words: Vec<&str> = std::iter::once("eval").chain(arguments.split_whitespace()).collect();
        world.expect(&words, name)
    };
    eval("lint rubric.toml", "eval-lint");
    let need = eval("run rubric.toml notes.jsonl --judge writer --dry-run", "eval-need");
    assert!(need["need"]["questions"].as_u64() > Some(0), "{need:#}");
    let run = eval("run rubric.toml notes.jsonl --judge writer --output asked.jsonl", "eval-run");
    assert!(run["asked"]["calls"].as_u64() > Some(0), "{run:#}");
    let given = "run rubric.toml notes.jsonl --verdicts verdicts.jsonl --output rulings.jsonl";
    assert!(eval(given, "eval-run").get("asked").is_none());
    for file in ["asked.jsonl", "rulings.jsonl"] {
        let rulings = fs::read_to_string(world.repo.path().join(file)).expect("written");
        assert_eq!(rulings.lines().count(), 4, "{file}");
        let lines = rulings.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        lines.for_each(|line| expect_described("record-ruling", &line));
    }
    eval("calibrate rubric.toml notes.jsonl --verdicts verdicts.jsonl --labels people.csv", "eval-evaluation");
    eval("compare rubric.toml notes.jsonl --verdicts verdicts.jsonl --with asked.jsonl", "eval-comparison");
    eval("compare rubric.toml notes.jsonl --verdicts asked.jsonl --against rulings.jsonl", "eval-drift");
    eval("plan rubric.toml notes.jsonl --labels people.csv", "eval-plan");
    let report = "report rubric.toml notes.jsonl --verdicts rulings.jsonl --labels people.csv";
    eval(report, "eval-report");
}

#[test]
fn corrections_are_described() {
    let world = data_set();
    let correct = |arguments: &str, name: &str| {
        let arguments = format!("eval correct rubric.toml notes.jsonl --verdicts verdicts.jsonl {arguments}");
        world.expect(&arguments.split_whitespace().collect::<Vec<_>>(), name)
    };
    correct("--corrector writer --dry-run", "eval-need");
    let done = correct("--corrector writer --hold-out 0 --output corrected.jsonl", "eval-correcting");
    assert_eq!(done["correcting"]["corrected"], 2, "{done:#}");
    let run = "eval run rubric.toml corrected.jsonl --judge second --output rulings.jsonl";
    world.expect(&run.split_whitespace().collect::<Vec<_>>(), "eval-run");
    let checked = correct("--corrected corrected.jsonl --corrected-verdicts rulings.jsonl", "eval-correction");
    world.repo.write("correction.json", &checked.to_string());
    let report = "eval report rubric.toml notes.jsonl --verdicts verdicts.jsonl --correction correction.json";
    let report = world.expect(&report.split_whitespace().collect::<Vec<_>>(), "eval-report");
    assert!(report["correction"].is_object(), "{report:#}");
}

#[test]
fn a_line_of_labels_is_what_the_program_reads() {
    let world = data_set();
    let line = |id: &str, rude: u8| {
        let labels = json!({"rude": rude, "long": null});
        json!({"id": id, "record": "", "rubric": "", "rater": "me", "labels": labels, "at": "0"})
    };
    let lines = [line("n0", 0), line("n1", 1)];
    for line in &lines {
        assert_eq!(faults(&strict("eval-label"), line), Vec::<String>::new());
    }
    let mut wrong = lines[0].clone();
    wrong["labels"]["rude"] = json!("rude");
    assert!(!faults(&strict("eval-label"), &wrong).is_empty());
    let mut bare = lines;
    for line in &mut bare {
        // Hashes that fit nothing would be told as those of other records.
        line.as_object_mut().expect("an object").retain(|name, _| name != "record" && name != "rubric");
    }
    world.repo.write("labels.jsonl", &bare.map(|line| format!("{line}\n")).concat());
    let calibrate = "eval calibrate rubric.toml notes.jsonl --verdicts verdicts.jsonl --labels labels.jsonl";
    let read = world.expect(&calibrate.split_whitespace().collect::<Vec<_>>(), "eval-evaluation");
    assert_eq!((&read["raters"], &read["trial"]["labelled"]), (&json!(["me"]), &json!(2)), "{read:#}");
}

#[test]
fn a_review_its_gates_and_its_patches_are_described() {
    let world = SchemaFixture::new();
    let review = world.expect(&["review"], "review-envelope");
    expect_described("exec-report", &review["exec"]);
    expect_described("review-verdict", &review["verdict"]);
    let verdict = world.beside("verdict.json", &review["verdict"].to_string());
    let checked = world.expect(&["review", "--check-verdict", &verdict], "document-check");
    assert_eq!(checked["ok"], true, "{checked:#}");
    let wrong = world.beside("wrong.json", "{}");
    let checked = world.expect(&["review", "--check-verdict", &wrong], "document-check");
    assert_eq!(checked["ok"], false, "{checked:#}");
    world.expect(&["gates"], "gates");
    world.expect(&["gates", "--list"], "gates-list");
    let edit = |find: &str| {
        let op = json!({"kind": "edit", "path": "src/a.txt", "find": find, "replace": "2"});
        json!({"ops": [op]})
    };
    expect_described("patch", &edit("BAD two"));
    let good = world.beside("good.json", &edit("BAD two").to_string());
    let stale = world.beside("stale.json", &edit("four").to_string());
    let fits = world.expect(&["patch", "check", &good], "patch-check");
    assert_eq!((&fits["ok"], &fits["written"]), (&json!(true), &json!(false)), "{fits:#}");
    let unfit = world.expect(&["patch", "check", &stale], "patch-check");
    assert_eq!(unfit["ok"], false, "{unfit:#}");
    let applied = world.expect(&["patch", "apply", &good], "patch-check");
    assert_eq!(applied["written"], true, "{applied:#}");
}

/// Holds each line that a command prints against a schema.
#[track_caller]
fn expect_lines(output: &Output, name: &str) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(!lines.is_empty(), "{}", fixture::told(output));
    lines.iter().for_each(|line| expect_described(name, line));
    lines
}

#[test]
fn stops_and_the_ledger_are_described() {
    let world = SchemaFixture::new();
    let asked = "Write the second line in src/a.txt";
    let line = json!({"type": "user", "message": {"role": "user", "content": asked}});
    let transcript = world.beside("transcript.jsonl", &line.to_string());
    let stop = world.expect(&["stop", "--directive", asked, "--transcript", &transcript], "stop-envelope");
    expect_described("stop-verdict", &stop["verdict"]);
    expect_lines(&world.run(&["stop", "--rules"]), "stop-rule");
    world.expect(&["stop", "audit", &transcript], "stop-audit");
    world.expect(&["stop", "calibrate"], "stop-calibration");
    world.expect(&["approve", "--list"], "approvals");
    world.expect(&["pause", "--minutes", "5"], "pause");
    world.expect(&["pause"], "pause");
    world.expect(&["resume"], "resume");
    expect_lines(&world.run(&["ledger", "show"]), "ledger-line");
    for line in expect_lines(&world.run(&["ledger", "export"]), "ledger-line") {
        let event = json!({"schema": strict("ledger-event"), "event": line["payload"]});
        assert_eq!(faults(&event["schema"], &event["event"]), Vec::<String>::new(), "{line:#}");
    }
    world.expect(&["ledger", "show", "--shadow"], "ledger-shadow");
    let sound = world.expect(&["ledger", "verify"], "ledger-check");
    assert_eq!(sound["sound"], true, "{sound:#}");
    world.expect(&["ledger", "anchor"], "ledger-check");
    let rulings = expect_lines(&world.run(&["ledger", "export"]), "ledger-line");
    let ruling = rulings.iter().find(|line| line["kind"] == "stop_ruled").expect("a ruling");
    let replayed = world.expect(&["ledger", "replay", &ruling["seq"].to_string()], "ledger-replay");
    assert_eq!(replayed["same"], true, "{replayed:#}");
}

#[test]
fn what_is_said_of_a_project_and_of_the_program_is_described() {
    let world = SchemaFixture::new();
    world.repo.write("a.py", "import os\nimport b\n");
    world.repo.write("b.py", "def go():\n    return 1\n");
    world.expect(&["brief", "--no-cache"], "brief");
    world.expect(&["brief", "--no-cache", "--for-prompt", "300"], "brief-prompt");
    let imports = world.expect(&["brief", "--no-cache", "--imports"], "brief-imports");
    assert_eq!(imports["imports"].as_array().map(Vec::len), Some(2), "{imports:#}");
    assert!(expect_lines(&world.run(&["explain"]), "page").len() > 20);
    world.expect(&["explain", "placeholder-added"], "page");
    world.expect(&["doctor"], "doctor");
    let installed = world.expect(&["init", "claude-code"], "init");
    assert_eq!(installed["installed"][0]["changed"], true, "{installed:#}");
    let up = world.expect(&["doctor", "--no-judges"], "doctor");
    assert!(up["checks"].as_array().is_some_and(|checks| checks.len() > 2), "{up:#}");
}

#[test]
fn the_demo_is_described() {
    let demo = SchemaFixture::new().expect(&["demo"], "demo");
    let (rows, _) = listed();
    for step in demo["scenes"].as_array().into_iter().flatten().filter_map(|part| part["steps"].as_array()).flatten() {
        let command = step["command"].as_str().expect("a command");
        // The command of the table with the most words that the step has in their order.
        let named = |printed: &&(String, String)| {
            let mut words = command.split_whitespace();
            printed.0.split_whitespace().all(|word| words.any(|of_step| of_step == word))
        };
        let found = rows.iter().filter(named).max_by_key(|(command, _)| command.split_whitespace().count());
        let name = match found {
            Some((_, name)) => name,
            None if command.contains(" hook ") => "stop-envelope",
            None => panic!("{command} has no schema"),
        };
        let documents = step["result"].as_array().cloned().unwrap_or_else(|| vec![step["result"].clone()]);
        for document in documents {
            assert_eq!(faults(&strict(name), &document), Vec::<String>::new(), "{command}: {name}");
        }
    }
}

/// The rows of a table of the page of the folder, by the first cell of its head.
fn table(head: &str) -> Vec<Vec<String>> {
    let page = fs::read_to_string(schemas().join("README.md")).expect("the page");
    let lines = page.lines().skip_while(|line| !line.starts_with(&format!("| {head} |"))).skip(2);
    let rows = lines.take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// The commands that print JSON, each with the name of its schema; and the commands without a document.
fn listed() -> (Vec<(String, String)>, Vec<String>) {
    let mut printed = Vec::new();
    for row in table("schema") {
        let name = row[0].trim_matches('`').trim_end_matches(".json").to_owned();
        let commands = row[2].split(", ").map(|command| command.trim_matches('`')).filter(|name| !name.is_empty());
        printed.extend(commands.map(|command| (command.to_owned(), name.clone())));
    }
    (printed, table("command").iter().map(|row| row[0].trim_matches('`').to_owned()).collect())
}

#[test]
fn every_schema_is_listed_and_valid() {
    let names: BTreeSet<String> = table("schema").iter().map(|row| row[0].trim_matches('`').to_owned()).collect();
    let files = fs::read_dir(schemas()).expect("the folder").flatten();
    let files = files.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let files: BTreeSet<String> = files.filter(|name| name.ends_with(".json")).collect();
    assert_eq!(names, files);
    for name in names {
        jsonschema::validator_for(&strict(name.trim_end_matches(".json"))).expect("a valid schema");
    }
}

/// The commands below a command that can be called as they stand, as the help lists them.
fn commands_below(words: &[String]) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_assize")).args(&words[1..]).arg("--help").output().expect("the help");
    let help = String::from_utf8(output.stdout).expect("text");
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    let names = names.filter_map(|line| line.split(' ').next()).filter(|name| *name != "help");
    let mut below: Vec<String> = names.flat_map(|name| commands_below(&[words, &[name.to_owned()]].concat())).collect();
    if !help.contains("<COMMAND>") {
        assert!(help.contains("--format <FORMAT>"), "{words:?}");
        below.push(words.join(" "));
    }
    below
}

#[test]
fn every_command_has_a_schema_or_a_reason_for_none() {
    let (printed, without) = listed();
    let printed: Vec<&str> = printed.iter().map(|(command, _)| command.as_str()).collect();
    let all = commands_below(&["assize".to_owned()]);
    assert!(all.len() > 30, "{all:?}");
    for command in &all {
        let count =
            printed.iter().copied().chain(without.iter().map(String::as_str)).filter(|name| name == command).count();
        assert_eq!(
            count, 1,
            "`{command}` stands neither in `PUBLISHED` nor in `WITHOUT` of xtask/src/schema.rs, or twice"
        );
    }
    for name in printed.iter().copied().chain(without.iter().map(String::as_str)) {
        let command = name.split(" --").next().unwrap_or_default();
        assert!(all.iter().any(|known| known == command), "there is no command `{name}`");
    }
}
