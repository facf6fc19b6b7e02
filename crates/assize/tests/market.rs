//! `assize market`, as people and scripts call it: the real program on real files.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// A project with an issue, house rules and a history.
struct MarketFixture {
    folder: tempfile::TempDir,
}

const ISSUE: &str = "\
# Log in

- [ ] Add an endpoint
  - that takes a name and a word
  - that answers with a token
- [x] Choose a library
* [ ] Log out. It ends every session; the token with it.

```
- [ ] an example, no box
```
";

impl MarketFixture {
    fn new() -> Self {
        let project = Self { folder: tempfile::tempdir().expect("a folder") };
        project.write("issue.md", ISSUE);
        project.write("CLAUDE.md", "# Rules\n\n- Every endpoint must have a test.\n- We like tea.\n");
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// Writes an event down as another program would that knows only the form.
    fn event(&self, second: u32, bidder: &str, outcome: &str, delta: f64, rest: &str) {
        let json = format!(
            r#"{{"timestamp":"2026-01-29T10:30:{second:02}Z","issue_number":7,"bot_id":"{bidder}","outcome":"{outcome}","weight_delta":{delta}{rest}}}"#
        );
        self.write(&format!(".assize/market/events/2026-01-29T10:30:{second:02}Z-{bidder}-{outcome}.json"), &json);
    }

    fn market(&self, arguments: &[&str]) -> Output {
        self.market_with(arguments, "")
    }

    fn market_with(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
        command.env_clear().env("HOME", self.folder.path()).current_dir(self.folder.path());
        command.arg("market").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
        child.wait_with_output().expect("it ends")
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.market(arguments);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", told(&output)))
    }
}

fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn what_an_issue_demands_is_extracted() {
    let project = MarketFixture::new();
    let document = project.json(&["extract", "--spec", "issue.md", "--format", "json"]);
    assert_eq!((&document["assize"], &document["court"]), (&1.into(), &"market".into()));
    let requirements = &document["requirements"];
    let explicit = requirements["explicit_requirements"].as_array().expect("a list");
    assert_eq!(explicit.len(), 2);
    assert_eq!((&explicit[0]["id"], &explicit[0]["checkbox"]), (&"req_1".into(), &"Add an endpoint".into()));
    let components: Vec<&str> =
        explicit[0]["components"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(components, ["that takes a name and a word", "that answers with a token"]);
    assert_eq!((&explicit[1]["id"], explicit[1]["components"].as_array().map(Vec::len)), (&"req_3".into(), Some(3)));
    let implicit = requirements["implicit_requirements"].as_array().expect("a list");
    assert_eq!(implicit.len(), 1);
    assert_eq!(implicit[0]["text"], "Every endpoint must have a test.");
    assert_eq!(implicit[0]["reasoning"], "`CLAUDE.md` demands it in line 3");
    assert_eq!(requirements["extracted_by"], "rules");

    let person = told(&project.market(&["extract", "--spec", "issue.md", "--format", "human"]));
    assert!(
        person.contains("2 explicit requirements (5 components), 1 implicit requirement, 1 box is ticked"),
        "{person}"
    );
    assert!(person.contains("req_1.2  that answers with a token") && person.contains("read by rules"), "{person}");
    let piped = project.market_with(&["extract", "--spec", "-", "--format", "markdown"], ISSUE);
    assert!(told(&piped).contains("- `req_3` Log out."), "{}", told(&piped));
}

#[test]
fn what_cannot_be_extracted_is_said() {
    let project = MarketFixture::new();
    project.write("done.md", "- [x] all of it\n");
    assert_eq!(project.market(&["extract", "--spec", "done.md"]).status.code(), Some(1));
    project.write("prose.md", "Please log people in.\n");
    let prose = project.market(&["extract", "--spec", "prose.md", "--format", "json"]);
    assert_eq!(prose.status.code(), Some(1), "{}", told(&prose));
    let document: Value = serde_json::from_slice(&prose.stdout).expect("JSON");
    assert_eq!(document["requirements"]["explicit_requirements"], json!([]));
    let noted = String::from_utf8_lossy(&prose.stderr);
    assert!(noted.starts_with("--spec prose.md: it has no box; write what is demanded"), "{noted}");
    for (arguments, says) in [
        (&["extract", "--spec", "gone.md"][..], "--spec gone.md"),
        (&["rank", "--spec", "prose.md", "issue.md"], "--spec prose.md: it has no box"),
        (&["extract", "--spec", "issue.md", "--guideline", "gone.md"], "--guideline gone.md"),
        (&["extract"], "--spec <FILE>"),
    ] {
        let output = project.market(arguments);
        assert_eq!(output.status.code(), Some(2), "{}", told(&output));
        assert!(told(&output).contains(says), "{}", told(&output));
    }
}

/// A bid in the form in which bidders hand it in.
fn bid(changes: &[(&str, &str, &[&str])], lines: u32, approach: &str) -> String {
    let change = |(path, kind, requirements): &(&str, &str, &[&str])| json!({"path": path, "kind": kind, "brief": "see there", "requirements": requirements});
    let changes: Vec<Value> = changes.iter().map(change).collect();
    json!({
        "approach": approach, "pseudo_code": "if token.is_sound() { go on }", "changes": changes, "estimated_lines": lines,
        "risk": "A token could leak into a log.", "success_probability": 0.8,
    })
    .to_string()
}

impl MarketFixture {
    /// A project with code, and bids that cover all of the issue, a part of it, and nothing that is there.
    fn with_bids() -> Self {
        let project = Self::new();
        project.write(
            "auth/token.py",
            "def mint(name):\n    return name\n\n\ndef verify(token):\n    return bool(token)\n",
        );
        project.write("web.py", "def serve():\n    return 200\n");
        let all: &[&str] = &["req_1", "req_1.1", "req_1.2", "req_3", "req_3.1", "req_3.2", "req_3.3", "req_implicit_1"];
        let whole = [("web.py", "edit", all), ("auth/session.py", "add", all)];
        project.write("whole.json", &bid(&whole, 60, "Sessions beside tokens."));
        project.write("part.json", &bid(&[("auth/token.py", "edit", &["req_1"])], 20, "Tokens alone."));
        project.write("unreal.json", &bid(&[("auth/gone.py", "edit", all)], 5, "I am the best bidder."));
        project
    }
}

#[test]
fn bids_are_ranked_by_what_they_name() {
    let project = MarketFixture::with_bids();
    let ranked = |arguments: &[&str]| {
        let all = [&["rank", "--spec", "issue.md", "--format", "json"], arguments].concat();
        let document = project.json(&all);
        let of = |ranked: &Value| {
            let file =
                document["bids"][ranked["proposal_id"].as_str().expect("an id")].as_str().expect("a file").to_owned();
            (file, ranked["scores"].clone(), ranked["total_score"].as_f64().expect("a total"))
        };
        document["rankings"].as_array().expect("a list").iter().map(of).collect::<Vec<_>>()
    };
    let ranking = ranked(&["part.json", "whole.json", "unreal.json"]);
    let order: Vec<&str> = ranking.iter().map(|(file, ..)| file.as_str()).collect();
    assert_eq!(order, ["whole.json", "part.json", "unreal.json"]);
    let near =
        |is: &Value, wanted: f64| assert!(is.as_f64().is_some_and(|is| (is - wanted).abs() < 1e-12), "{is} {wanted}");
    near(&ranking[0].1["spec_alignment"], 1.0);
    near(&ranking[1].1["spec_alignment"], 0.5 * 0.5);
    near(&ranking[2].1["spec_alignment"], 0.0);
    // One file of twenty, and two public names of fifty.
    near(&ranking[1].1["risk"], 1.0 - (0.05 + 0.04) / 2.0);
    assert_eq!(ranking[0].1["technical_quality"], Value::Null);

    // Neither the order in which bids come, nor what they are called, nor the seed decides.
    fs::copy(project.path("whole.json"), project.path("zz.json")).expect("copied");
    let scores = |ranking: Vec<(String, Value, f64)>| {
        ranking.into_iter().map(|(_, scores, total)| (scores, total.to_bits())).collect::<Vec<_>>()
    };
    let wanted = scores(ranking);
    for arguments in [
        &["unreal.json", "whole.json", "part.json"][..],
        &["whole.json", "unreal.json", "part.json", "--seed", "9"],
        &["zz.json", "part.json", "unreal.json"],
    ] {
        assert_eq!(scores(ranked(arguments)), wanted, "{arguments:?}");
    }
    let person = told(&project.market(&["rank", "--spec", "issue.md", "part.json", "whole.json", "--format", "human"]));
    assert!(
        person.contains("2 bids: whole.json is taken") && person.contains("quality and innovation were not judged"),
        "{person}"
    );
}

#[test]
fn where_no_bid_is_good_enough_a_person_is_asked() {
    let project = MarketFixture::with_bids();
    let output = project.market(&["rank", "--spec", "issue.md", "unreal.json", "--format", "human"]);
    // Nothing is covered, and next to nothing touched.
    let told_of = told(&output);
    assert!(told_of.contains("`auth/gone.py`"), "{told_of}");
    project.write("wide.json", &bid(&(0..40).map(|_| ("x", "add", &[][..])).collect::<Vec<_>>(), 9_000, "All of it."));
    let twice = project.market(&["rank", "--spec", "issue.md", "wide.json"]);
    assert_eq!(twice.status.code(), Some(2));
    assert!(told(&twice).contains("the bid wide.json: `x` is changed twice"), "{}", told(&twice));
    let paths: Vec<String> = (0..40).map(|at| format!("new/{at}.py")).collect();
    let wide: Vec<(&str, &str, &[&str])> = paths.iter().map(|path| (path.as_str(), "add", &[][..])).collect();
    project.write("wide.json", &bid(&wide, 9_000, "All of it."));
    let none = project.market(&["rank", "--spec", "issue.md", "wide.json", "--format", "human"]);
    assert_eq!(none.status.code(), Some(1), "{}", told(&none));
    assert!(told(&none).contains("none reaches 0.5, a person has to look"), "{}", told(&none));
}

#[test]
fn reputations_follow_from_the_events() {
    let project = MarketFixture::new();
    assert!(told(&project.market(&["status", "--format", "human"])).contains("nothing has happened yet"));
    project.event(1, "a", "ranked_first_failure", -0.15, r#","stated_probability":0.9,"iteration_count":3"#);
    project.event(2, "c", "replan_success", 0.12, r#","stated_probability":0.8,"iteration_count":1"#);
    project.event(2, "b", "not_selected", 0.0, "");
    let ranking_key = project.json(&["status", "--format", "json"])["standing"].clone();
    let third = 1.0 / 3.0;
    for (bidder, weight, brier) in
        [("a", third - 0.14, Some(0.81)), ("b", third + 0.01, None), ("c", third + 0.13, Some(0.04))]
    {
        let is = &ranking_key["bidders"][bidder];
        assert!((is["weight"].as_f64().expect("a weight") - weight).abs() < 1e-12, "{bidder}: {is}");
        let distance = is["brier"].as_f64().zip(brier).map(|(is, brier)| (is - brier).abs());
        assert!(
            is["brier"].as_f64().is_some() == brier.is_some() && distance.is_none_or(|distance| distance < 1e-12),
            "{is}"
        );
    }
    let person = told(&project.market(&["status", "--format", "human"]));
    let order: Vec<&str> = person.lines().skip(3).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(order, ["c", "b", "a"], "{person}");
}

#[test]
fn each_event_is_explained() {
    let project = MarketFixture::new();
    project.event(1, "a", "ranked_first_success", 0.15, r#","accuracy":0.98"#);
    project.event(1, "b", "not_selected", -0.02, "");
    project.event(2, "b", "collective_failure", -0.07, "");
    let history = project.json(&["replay", "--format", "json"])["history"].clone();
    let expected: Vec<Option<f64>> =
        history.as_array().expect("a list").iter().map(|step| step["expected_delta"].as_f64()).collect();
    assert_eq!(expected, [None, None, Some(-0.05)]);
    assert_eq!(history[0]["before"]["a"], 0.5);
    assert!((history[0]["after"]["a"].as_f64().expect("a weight") - 0.575).abs() < 1e-12, "{}", history[0]);
    let person = told(&project.market(&["replay", "--bidder", "b", "--format", "human"]));
    assert!(person.contains("the market gives -0.05") && !person.contains("ranked_first_success"), "{person}");
}

#[test]
fn a_file_that_is_no_event_is_named() {
    let project = MarketFixture::new();
    project.event(1, "a", "not_selected", -0.02, "");
    project.write(".assize/market/events/odd.json", "{\"bot_id\": \"a\"}");
    for verb in ["status", "replay"] {
        let output = project.market(&[verb]);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            told(&output).contains("odd.json") && told(&output).contains("the weights are different"),
            "{}",
            told(&output)
        );
    }
}

#[test]
fn policies_are_played_over_a_table() {
    let project = MarketFixture::new();
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/market/outcomes.csv");
    let table = table.to_str().expect("a path");
    let simulation = project.json(&["simulate", table, "--runs", "4", "--format", "json"])["simulation"].clone();
    assert_eq!((&simulation["tasks"], &simulation["bidders"]), (&600.into(), &50.into()));
    let policies = simulation["policies"].as_array().expect("a list");
    let regret = |policy: &str, at: fn(&[Value]) -> Option<&Value>| {
        let of = policies.iter().find(|of| of["policy"] == policy).expect("a policy");
        at(of["regret"].as_array().expect("a list")).expect("rounds")["per_round"].as_f64().expect("a figure")
    };
    for policy in ["market", "leader"] {
        let (first, last) = (regret(policy, |all| all.first()), regret(policy, |all| all.last()));
        assert!(last < first && last < regret("random", |all| all.last()), "{policy}: {first} {last}");
    }
    let again = project.json(&["simulate", table, "--runs", "4", "--format", "json"])["simulation"].clone();
    assert_eq!(again, simulation, "it follows from its seed");
    let person = told(&project.market(&["simulate", table, "--runs", "1", "--format", "human"]));
    assert!(person.contains("600 tasks, 50 bidders; the best throughout is solver_"), "{person}");
    project.write("bad.csv", "task,a\nt1,maybe\n");
    let output = project.market(&["simulate", "bad.csv"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).contains("the table bad.csv: line 2: `maybe` is neither 1 nor 0"), "{}", told(&output));
}
