//! The market with models: one reads the issue, ranks bids and looks at boxes, another one bids and answers with a patch.
//!
//! The models are scripted, on loopback; everything else is real.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use assize_testkit::change;
use assize_testkit::model_server::{ModelScript, ModelServer, RecordedRequest, ScriptedReply};
use assize_testkit::repo::Repo;
use serde_json::{Value, json};

const GREET: &str = "\"\"\"Greetings.\"\"\"\n\n\ndef greet(name: str) -> str:\n    \"\"\"Say hello.\"\"\"\n    return f\"Hello, {name}\"\n";
const TESTS: &str = "\"\"\"Saying hello.\"\"\"\n\nimport unittest\n\nfrom greet import greet\n\n\nclass GreetTest(unittest.TestCase):\n    \"\"\"What is said.\"\"\"\n\n    def test_the_name_is_said(self) -> None:\n        self.assertEqual(greet(\"Ann\"), \"Hello, Ann\")\n";
const PART: &str = "\n\ndef part(name: str) -> str:\n    \"\"\"Say goodbye.\"\"\"\n    return f\"Goodbye, {name}\"\n";

/// What the judge says of the box.
#[derive(Clone, Copy, PartialEq)]
enum BoxAnswer {
    Met,
    MetNowhere,
    NotMet,
    Silence,
}

/// The name of the schema that an answer has to fit.
fn schema(request: &RecordedRequest) -> &str {
    request.body["response_format"]["json_schema"]["name"].as_str().unwrap_or_default()
}

fn bidder(request: &RecordedRequest) -> ScriptedReply {
    let answer = match schema(request) {
        "bid" => json!({
            "approach": "A function beside the one that is there.",
            "pseudo_code": "part(name) = Goodbye, name",
            "changes": [{"path": "greet.py", "kind": "edit", "brief": "the function", "requirements": ["req_1", "req_1.1", "req_implicit_1"]}],
            "estimated_lines": 6,
            "risk": "None: nothing calls it yet.",
            "success_probability": 0.9
        }),
        "patch" => json!({"ops": [{
            "kind": "edit", "path": "greet.py",
            "find": "    return f\"Hello, {name}\"\n", "replace": format!("    return f\"Hello, {{name}}\"\n{PART}")
        }]}),
        other => panic!("the bidder is asked for {other}"),
    };
    ScriptedReply::text(answer.to_string())
}

fn judge(request: &RecordedRequest, about: BoxAnswer) -> ScriptedReply {
    let score = |reason: &str| json!({"reason": reason, "score": 0.7});
    let answer = match (schema(request), about) {
        ("requirements", _) => json!({
            "explicit_requirements": [{"id": "req_1", "components": ["A function `part(name)`", "It names whom it is said to"]}],
            "implicit_requirements": [{"text": "It has a docstring.", "reasoning": "CLAUDE.md wants one everywhere."}]
        }),
        ("bids_verdict", _) => json!({"bids": [{
            "proposal_id": "proposal_1",
            "technical_quality": score("It stands beside `greet`."), "innovation": score("Plain and sound.")
        }]}),
        ("boxes_verdict", BoxAnswer::Silence) => return ScriptedReply::error(500, "overloaded"),
        ("boxes_verdict", about) => {
            let mut found =
                json!({"id": "req_1", "reason": "`part` is in greet.py.", "met": about != BoxAnswer::NotMet});
            if about != BoxAnswer::NotMet {
                found["path"] = json!(if about == BoxAnswer::Met { "greet.py" } else { "elsewhere.py" });
            }
            json!({"boxes": [found]})
        }
        (other, _) => panic!("the judge is asked for {other}"),
    };
    ScriptedReply::text(answer.to_string())
}

struct MarketModelFixture {
    repo: Repo,
    server: ModelServer,
}

impl MarketModelFixture {
    fn new(about: BoxAnswer) -> Self {
        let server = ModelServer::start(ModelScript::route(move |request: &RecordedRequest| match request.model() {
            "bidder" => bidder(request),
            _ => judge(request, about),
        }));
        let repo = Repo::empty();
        repo.write("greet.py", GREET);
        repo.write("tests/__init__.py", "");
        repo.write("tests/test_greet.py", TESTS);
        repo.write("CLAUDE.md", "Every function must have a docstring.\n");
        repo.write("issue.md", "# Say goodbye\n\n- [ ] `part(name)` says goodbye\n");
        let fixture = Self { repo, server };
        fixture.configure("bidder");
        fs::write(fixture.repo.outside().join(".gitconfig"), "[user]\n\tname = P\n\temail = p@example.org\n")
            .expect("written");
        fixture
    }

    fn configure(&self, bidder: &str) {
        let url = self.server.openai_base_url();
        self.repo.write(
            "assize.toml",
            &format!(
                "[review]\njudges = []\n\
                 [market]\nshowings = 2\ncoverage = {{ argv = [\"sh\", \"-c\", \"grep -c . greet.py\"] }}\n\
                 [[judge]]\nid = \"judge\"\nkind = \"openai\"\nmodel = \"judge\"\nbase_url = \"{url}\"\n\
                 [[bidder]]\nid = \"model\"\nmodel = {{ id = \"bidder\", kind = \"openai\", model = \"{bidder}\", base_url = \"{url}\" }}\n"
            ),
        );
        self.repo.commit("Begin");
    }

    fn market(&self, arguments: &[&str]) -> (Output, Value) {
        let mut command = change::command(Path::new(env!("CARGO_BIN_EXE_assize")), &self.repo, &[], &["market"]);
        command.args(arguments).args(["--spec", "issue.md", "--format", "json"]).stdin(Stdio::null());
        let output = command.output().expect("it runs");
        let said = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        (output, said)
    }

    fn ticked(&self) -> usize {
        fs::read_to_string(self.repo.path().join("issue.md")).expect("readable").matches("- [x]").count()
    }
}

#[test]
fn a_model_bids_and_implements_and_another_one_judges() {
    let fixture = MarketModelFixture::new(BoxAnswer::Met);
    let (output, extracted) = fixture.market(&["extract"]);
    assert_eq!(extracted["requirements"]["extracted_by"], "judge", "{output:?}");
    assert_eq!(extracted["requirements"]["explicit_requirements"][0]["components"][1], "It names whom it is said to");
    let (_, by_rules) = fixture.market(&["extract", "--rules-only"]);
    assert_eq!(by_rules["requirements"]["extracted_by"], "rules");

    let (output, run) = fixture.market(&["run"]);
    assert_eq!((output.status.code(), &run["promise"]), (Some(0), &json!("COMPLETE")), "{output:?}");
    let scores = &run["rounds"][0]["rankings"][0]["scores"];
    assert_eq!((&scores["technical_quality"], &scores["innovation"]), (&json!(0.7), &json!(0.7)));
    let verified = &run["verifications"][0];
    assert_eq!(verified["boxes"][0]["because"], "1 of 1 judges point at where it is done");
    // Six lines of greet.py that say something, and then nine: it is a number like any other.
    assert_eq!(verified["metrics"]["coverage_delta"], 3.0, "{verified:#}");
    assert_eq!(fixture.ticked(), 1);
    // Two showings of one bid are the same question, which is paid for once.
    let asked = fixture.server.model_requests();
    assert_eq!(asked.iter().filter(|request| schema(request) == "bids_verdict").count(), 1);
    let log = fixture.repo.git(&["log", "--format=%B"]).stdout;
    assert!(String::from_utf8_lossy(&log).contains("Assize-Bidder: model"));
}

#[test]
fn a_box_that_judges_do_not_find_done_is_not_ticked() {
    for about in [BoxAnswer::NotMet, BoxAnswer::MetNowhere] {
        let fixture = MarketModelFixture::new(about);
        let (output, run) = fixture.market(&["run"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(run["verifications"][0]["failure"]["failure_type"], "spec_not_met");
        assert_eq!(run["events"][0]["outcome"], "ranked_first_failure");
        assert_eq!(fixture.ticked(), 0);
    }
}

#[test]
fn where_no_judge_can_say_whether_a_box_is_done_nobody_is_charged() {
    let fixture = MarketModelFixture::new(BoxAnswer::Silence);
    let (output, run) = fixture.market(&["run"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!((&run["outcome"], &run["events"]), (&json!("unjudged"), &json!([])));
    assert_eq!(fixture.ticked(), 0);
}

#[test]
fn who_bids_is_not_the_only_judge_of_it() {
    let fixture = MarketModelFixture::new(BoxAnswer::Met);
    fixture.configure("judge");
    let (output, _) = fixture.market(&["run"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("judge `judge` is the bidder `model` as well"), "{said}");
}
