//! What an agent claims, and what a run of the project's own checks makes of it, with the real program.

use std::path::Path;

use assize_testkit::agent::Agent;
use assize_testkit::repo::Repo;
use serde_json::Value;

const CLAIM: &str = "I rewrote `add`. All tests pass.";

/// A project with one function and a test of it, in some language.
struct CalcProject {
    files: &'static [(&'static str, &'static str)],
    code: &'static str,
    right: &'static str,
    wrong: &'static str,
}

const JAVASCRIPT: CalcProject = CalcProject {
    files: &[
        ("package.json", r#"{"name":"calc","type":"module","scripts":{"test":"node --test"}}"#),
        ("calc.js", "export const add = (a, b) => a + b;\n"),
        (
            "calc.test.js",
            "import test from 'node:test';\nimport assert from 'node:assert';\nimport { add } from './calc.js';\ntest('adds', () => assert.equal(add(1, 2), 3));\n",
        ),
    ],
    code: "calc.js",
    right: "export const add = (a, b) => b + a;\n",
    wrong: "export const add = (a, b) => b - a;\n",
};

const PYTHON: CalcProject = CalcProject {
    files: &[
        ("Makefile", "test:\n\tpython3 -m unittest\n"),
        ("calc.py", "def add(a, b):\n    return a + b\n"),
        (
            "test_calc.py",
            "import unittest\n\nfrom calc import add\n\n\nclass Adding(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n",
        ),
    ],
    code: "calc.py",
    right: "def add(a, b):\n    return b + a\n",
    wrong: "def add(a, b):\n    return b - a\n",
};

const RUST: CalcProject = CalcProject {
    files: &[
        ("Cargo.toml", "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("Cargo.lock", "version = 3\n\n[[package]]\nname = \"calc\"\nversion = \"0.1.0\"\n"),
        ("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n"),
        ("tests/add.rs", "#[test]\nfn adds() {\n    assert_eq!(calc::add(1, 2), 3);\n}\n"),
    ],
    code: "src/lib.rs",
    right: "pub fn add(a: i32, b: i32) -> i32 {\n    b + a\n}\n",
    wrong: "pub fn add(a: i32, b: i32) -> i32 {\n    b - a\n}\n",
};

const GO: CalcProject = CalcProject {
    files: &[
        ("go.mod", "module example.com/calc\n\ngo 1.18\n"),
        ("calc.go", "package calc\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n"),
        (
            "calc_test.go",
            "package calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal(Add(1, 2))\n\t}\n}\n",
        ),
    ],
    code: "calc.go",
    right: "package calc\n\n// Add adds.\nfunc Add(a, b int) int { return b + a }\n",
    wrong: "package calc\n\n// Add adds.\nfunc Add(a, b int) int { return b - a }\n",
};

/// Maven works with what Debian has of it.
const JAVA: CalcProject = CalcProject {
    files: &[
        (".gitignore", "target\n"),
        (".mvn/maven.config", "-o\n-Dmaven.repo.local=/usr/share/maven-repo\n"),
        (
            "pom.xml",
            "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>\
             <artifactId>calc</artifactId><version>1</version><properties><maven.compiler.source>11</maven.compiler.source>\
             <maven.compiler.target>11</maven.compiler.target></properties><dependencies><dependency><groupId>junit</groupId>\
             <artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency></dependencies></project>\n",
        ),
        ("src/main/java/Calc.java", "public class Calc {\n    static int add(int a, int b) { return a + b; }\n}\n"),
        (
            "src/test/java/CalcTest.java",
            "import org.junit.Assert;\nimport org.junit.Test;\n\npublic class CalcTest {\n    @Test public void adds() { Assert.assertEquals(3, Calc.add(1, 2)); }\n}\n",
        ),
    ],
    code: "src/main/java/Calc.java",
    right: "public class Calc {\n    static int add(int a, int b) { return b + a; }\n}\n",
    wrong: "public class Calc {\n    static int add(int a, int b) { return b - a; }\n}\n",
};

/// An agent that has been asked to rewrite the function.
fn agent(project: &CalcProject, more: &[(&str, &str)]) -> Agent {
    let repo = Repo::with_commit(&[project.files, more].concat());
    let agent = Agent::new(Path::new(env!("CARGO_BIN_EXE_assize")), repo);
    agent.is_asked("Rewrite add");
    agent
}

/// Returns what is recorded of the last stop.
fn last_record(agent: &Agent) -> Value {
    let exported = agent.read(&["ledger", "export"]);
    let mut entries = exported.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    entries.rfind(|entry| entry["payload"]["inputs"].is_object()).expect("a stop")["payload"].clone()
}

fn verification(agent: &Agent) -> Value {
    last_record(agent)["inputs"]["evidence"]["verification"].clone()
}

#[track_caller]
fn blocks(answer: Option<&Value>) -> String {
    let answer = answer.expect("an answer");
    assert_eq!(answer["decision"], "block", "{answer}");
    answer["reason"].as_str().expect("a reason").to_owned()
}

#[track_caller]
fn check_refuted(project: &CalcProject) {
    let agent = agent(project, &[]);
    agent.edits(project.code, project.wrong);
    let reason = blocks(agent.stops(CLAIM).as_ref());
    assert!(reason.contains("fails, as a run on a copy of the tree shows"), "{reason}");
    assert!(reason.contains("adds") || reason.contains("TestAdd"), "{reason}");
    assert!(!reason.contains("unevidenced-claim"), "what the run shows is enough: {reason}");
    assert_eq!(verification(&agent)["cached"], false);
    let again = blocks(agent.stops(CLAIM).as_ref());
    assert_eq!(again, reason);
    assert_eq!(verification(&agent)["cached"], true);
    agent.edits(project.code, project.right);
    assert_eq!(agent.stops(CLAIM), None, "it is true now");
}

#[test]
fn a_claim_that_a_run_refutes_is_blocked() {
    for project in [JAVASCRIPT, PYTHON, RUST, GO] {
        check_refuted(&project);
    }
}

#[test]
#[ignore = "needs Maven with its plugins: run cargo xtask collection"]
fn a_claim_that_a_run_of_maven_refutes_is_blocked() {
    check_refuted(&JAVA);
}

#[test]
fn a_claim_that_a_run_bears_out_needs_no_run_in_the_session() {
    let agent = agent(&JAVASCRIPT, &[]);
    agent.edits(JAVASCRIPT.code, JAVASCRIPT.right);
    assert_eq!(agent.stops(CLAIM), None);
    let verification = verification(&agent);
    assert_eq!(verification["runs"][0]["end"], "passed", "{verification}");
    assert_eq!(verification["runs"][0]["tests"], 1);
}

#[test]
fn a_test_that_failed_before_is_not_the_agent_s() {
    let red = ("red.test.js", "import test from 'node:test';\ntest('is red', () => { throw new Error('red'); });\n");
    let agent = agent(&JAVASCRIPT, &[red]);
    agent.edits(JAVASCRIPT.code, JAVASCRIPT.right);
    agent.says_that_it_ran("npm test", "# tests 2\n# pass 2\n# fail 0\n");
    let answer = agent.stops(CLAIM).expect("a notice");
    assert_eq!(answer["decision"], Value::Null, "{answer}");
    assert!(answer.to_string().contains("node-test failed when the session began, too"), "{answer}");
}

#[test]
fn a_new_test_that_fails_is_reported() {
    let agent = agent(&JAVASCRIPT, &[]);
    agent.edits(JAVASCRIPT.code, JAVASCRIPT.right);
    let new = JAVASCRIPT.files[2].1.replace("3))", "4))").replace("adds", "adds wrongly");
    agent.edits("more.test.js", &new);
    let reason = blocks(agent.stops(CLAIM).as_ref());
    assert!(reason.contains("adds wrongly` (new;"), "{reason}");
}

#[test]
fn where_two_runs_disagree_nothing_is_certain() {
    // What the user's machine has and the sandbox lacks: here it is the other way round.
    let agent = agent(&JAVASCRIPT, &[]);
    agent.edits(JAVASCRIPT.code, JAVASCRIPT.right);
    let new = JAVASCRIPT.files[2].1.replace("3))", "4))").replace("adds", "needs a server");
    agent.edits("server.test.js", &new);
    agent.says_that_it_ran("npm test", "# tests 2\n# pass 2\n# fail 0\n");
    let answer = agent.stops(CLAIM);
    assert!(answer.as_ref().is_none_or(|answer| answer["decision"].is_null()), "{answer:?}");
    let findings = last_record(&agent)["inputs"]["findings"].clone();
    assert_eq!(findings[0]["rule"], "failing-check", "{findings}");
    assert_eq!(findings[0]["certainty"], "likely");
    // What passed on a copy of the start can run there, whatever the session shows.
    agent.is_asked("Go on");
    agent.edits(JAVASCRIPT.code, JAVASCRIPT.wrong);
    agent.says_that_it_ran("npm test", "# tests 2\n# pass 2\n# fail 0\n");
    blocks(agent.stops(CLAIM).as_ref());
}

#[test]
fn what_takes_too_long_is_unverified_and_told() {
    let slow = (
        "slow.test.js",
        "import test from 'node:test';\ntest('is slow', async () => { await new Promise((done) => setTimeout(done, 20000)); });\n",
    );
    let agent = agent(&JAVASCRIPT, &[slow, ("assize.toml", "[stop]\nverify_s = 2\n")]);
    agent.edits(JAVASCRIPT.code, JAVASCRIPT.wrong);
    agent.says_that_it_ran("npm test", "# tests 2\n# pass 2\n# fail 0\n");
    let told = |answer: Option<Value>| {
        let answer = answer.expect("a notice");
        assert_eq!(answer["decision"], Value::Null, "{answer}");
        answer.to_string()
    };
    let answer = told(agent.stops(CLAIM));
    assert!(answer.contains("could not verify"), "{answer}");
    // It is not waited for again.
    agent.is_asked("Go on");
    agent.edits(JAVASCRIPT.code, JAVASCRIPT.right);
    agent.says_that_it_ran("npm test", "# tests 2\n# pass 2\n# fail 0\n");
    let answer = told(agent.stops(CLAIM));
    assert!(answer.contains("expected, and `verify_s` is 2"), "{answer}");
}

#[test]
fn settings_say_what_is_verified() {
    for (mode, message, is_run, is_blocked) in [
        ("never", CLAIM, false, false),
        ("claims", "I rewrote `add`.", false, false),
        ("always", "I rewrote `add`.", true, true),
    ] {
        let settings = format!("[stop]\nverify = \"{mode}\"\n");
        let agent = agent(&JAVASCRIPT, &[("assize.toml", &settings)]);
        agent.edits(JAVASCRIPT.code, JAVASCRIPT.wrong);
        if mode == "never" {
            agent.says_that_it_ran("npm test", "# tests 1\n# pass 1\n# fail 0\n");
        }
        let answer = agent.stops(message);
        assert_eq!(verification(&agent).is_object(), is_run, "{mode}");
        assert_eq!(answer.is_some_and(|answer| answer["decision"] == "block"), is_blocked, "{mode}");
    }
}

#[test]
fn tests_that_no_longer_run_are_found_whatever_keeps_them_from_it() {
    let cases = [
        (JAVASCRIPT, "calc.test.js", "test('adds'", "const later = test.skip;\nlater('adds'"),
        (JAVASCRIPT, "calc.test.js", "test('adds'", "if (process.env.FULL) test('adds'"),
        (JAVASCRIPT, "package.json", "node --test", "node --test --test-name-pattern=nothing"),
        (JAVASCRIPT, "package.json", "node --test", "echo ok"),
        (PYTHON, "test_calc.py", "    def test_adds", "    def _test_adds"),
        (
            PYTHON,
            "test_calc.py",
            "class Adding",
            "def load_tests(*_):\n    return unittest.TestSuite()\n\n\nclass Adding",
        ),
        (RUST, "tests/add.rs", "#[test]", "#[cfg(target_os = \"none\")]\n#[test]"),
    ];
    for (project, path, from, to) in cases {
        let agent = agent(&project, &[]);
        agent.edits(project.code, project.wrong);
        let text = project.files.iter().find(|(known, _)| *known == path).expect("a file").1;
        agent.edits(path, &text.replacen(from, to, 1));
        let answer = agent.stops("I rewrote `add`.");
        assert!(answer.is_some(), "{to}: {}", verification(&agent));
        let reason = blocks(answer.as_ref());
        assert!(reason.contains("[lost-test]"), "{to}: {reason}");
    }
}

#[test]
fn tests_that_move_or_get_other_names_are_not_lost() {
    let agent = agent(&JAVASCRIPT, &[]);
    agent.edits(JAVASCRIPT.code, JAVASCRIPT.right);
    let test = JAVASCRIPT.files[2].1.replace("adds", "adds both").replace("./calc", "../calc");
    std::fs::remove_file(agent.repo().path().join("calc.test.js")).expect("removed");
    agent.edits("test/calc.test.js", &test);
    assert_eq!(agent.stops("I rewrote `add` and moved its test."), None);
}
