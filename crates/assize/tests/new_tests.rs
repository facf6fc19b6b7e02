//! Whether the tests that a change adds notice faults in it, with the real program and real runners of tests.

use std::path::Path;

use assize_testkit::change;
use assize_testkit::repo::Repo;
use serde_json::Value;

/// A project in one language: the code before and after, its tests, and a test that notices faults beside one that does not.
struct NewTestsCase {
    /// What cannot be found out without it.
    program: &'static str,
    files: &'static [(&'static str, &'static str)],
    code: (&'static str, &'static str, &'static str),
    tests: &'static str,
    telling: &'static str,
    hollow: &'static str,
}

const PYTHON: NewTestsCase = NewTestsCase {
    program: "python3",
    files: &[("tests/__init__.py", ""), ("assize.toml", "[prepare]\nmode = \"off\"\n")],
    code: (
        "shop.py",
        "def total(prices):\n    return sum(prices)\n",
        "def total(prices, least=0):\n    if least < 0:\n        return 0\n    return sum(it for it in prices if it > least)\n",
    ),
    tests: "tests/test_shop.py",
    telling: "    def test_new(self):\n        self.assertEqual(shop.total([3, -1]), 3)\n",
    hollow: "    def test_new(self):\n        shop.total([3, -1])\n",
};
const RUST: NewTestsCase = NewTestsCase {
    program: "cargo",
    files: &[
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("Cargo.lock", "version = 3\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
    ],
    code: (
        "src/lib.rs",
        "pub fn total(prices: &[i32]) -> i32 {\n    prices.iter().sum()\n}\n",
        "pub fn total(prices: &[i32]) -> i32 {\n    let least = 0;\n    prices.iter().filter(|it| **it > least).sum()\n}\n",
    ),
    tests: "tests/shop.rs",
    telling: "#[test]\nfn new() {\n    assert_eq!(shop::total(&[3, -1]), 3);\n}\n",
    hollow: "#[test]\nfn new() {\n    shop::total(&[3, -1]);\n}\n",
};
const JAVASCRIPT: NewTestsCase = NewTestsCase {
    program: "node",
    files: &[("package.json", "{\"name\":\"shop\",\"scripts\":{\"test\":\"node --test test/*.test.js\"}}\n")],
    code: (
        "shop.js",
        "module.exports = (prices) => prices.reduce((sum, it) => sum + it, 0);\n",
        "module.exports = (prices, least = 0) => {\n  if (least < 0) return 0;\n  return prices.filter((it) => it > least)\
         .reduce((sum, it) => sum + it, 0);\n};\n",
    ),
    tests: "test/shop.test.js",
    telling: "test('new', () => assert.equal(total([3, -1]), 3));\n",
    hollow: "test('new', () => { total([3, -1]); });\n",
};

impl NewTestsCase {
    /// The tests of the base.
    fn old_tests(&self) -> &'static str {
        match self.program {
            "python3" => {
                "import unittest\nimport shop\n\n\nclass T(unittest.TestCase):\n    def test_old(self):\n        \
                 self.assertEqual(shop.total([1, 2]), 3)\n"
            }
            "cargo" => "#[test]\nfn old() {\n    assert_eq!(shop::total(&[1, 2]), 3);\n}\n",
            _ => {
                "const test = require('node:test');\nconst assert = require('node:assert');\nconst total = require('../shop.js');\n\
                 test('old', () => assert.equal(total([1, 2]), 3));\n"
            }
        }
    }

    /// Reviews the change with such a new test.
    fn review(&self, new: &str, settings: &str) -> Value {
        let (path, before, after) = self.code;
        let mut files = self.files.to_vec();
        files.extend([(path, before), (self.tests, self.old_tests()), (".gitignore", "__pycache__/\ntarget/\n")]);
        let repo = Repo::with_commit(&files);
        if !settings.is_empty() {
            repo.write("assize.toml", settings);
            repo.commit("Settings");
        }
        repo.write(path, after);
        repo.write(self.tests, &format!("{}\n{new}", self.old_tests()));
        let arguments = ["review", "--format", "json"];
        let mut command = change::command(Path::new(env!("CARGO_BIN_EXE_assize")), &repo, &[], &arguments);
        let output = command.output().expect("the program runs");
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// How many mutants had this outcome, the one without functions left out.
fn count(envelope: &Value, outcome: &str) -> usize {
    let mutants = envelope["exec"]["mutation"][0]["mutants"].as_array().into_iter().flatten();
    mutants.filter(|mutant| mutant["outcome"] == outcome && mutant["operator"] != "cut_off").count()
}

fn is_hollow(envelope: &Value) -> bool {
    let findings = envelope["findings"].as_array().into_iter().flatten();
    findings.into_iter().any(|finding| finding["rule"] == "hollow-tests")
}

fn in_language(case: &NewTestsCase) {
    let telling = case.review(case.telling, "");
    assert!(telling["outcome"] == "accept" && !is_hollow(&telling), "{telling}");
    let mutation = &telling["exec"]["mutation"][0];
    assert!(mutation["tests"] == 1 && mutation["fail_on_base"] == 1, "{telling}");
    // The functions of JavaScript here are values of the module.
    let cut_off = mutation["mutants"][0]["operator"] == "cut_off";
    assert_eq!(cut_off, case.program != "node", "{telling}");
    assert!(count(&telling, "killed") >= 1, "{telling}");
    let hollow = case.review(case.hollow, "");
    assert!(hollow["outcome"] == "accept" && is_hollow(&hollow), "{hollow}");
    assert_eq!(
        (count(&hollow, "killed"), &hollow["exec"]["mutation"][0]["fail_on_base"]),
        (0, &Value::from(0)),
        "{hollow}"
    );
}

#[test]
fn new_tests_of_python_are_tried_on_faults() {
    in_language(&PYTHON);
}

#[test]
fn new_tests_of_rust_are_tried_on_faults() {
    in_language(&RUST);
}

#[test]
fn new_tests_of_javascript_are_tried_on_faults() {
    in_language(&JAVASCRIPT);
}

#[test]
fn hollow_tests_block_where_likely_findings_do_and_can_be_left_untried() {
    let off = "[prepare]\nmode = \"off\"\n";
    let blocking = PYTHON.review(PYTHON.hollow, &format!("{off}[review]\nblock_on = \"likely\"\n"));
    assert_eq!(blocking["outcome"], "revise", "{blocking}");
    let untried = PYTHON.review(PYTHON.hollow, &format!("{off}[gates]\nmutants = 0\n"));
    assert!(untried["exec"].get("mutation").is_none() && !is_hollow(&untried), "{untried}");
    let two = PYTHON.review(PYTHON.telling, &format!("{off}[gates]\nmutants = 2\n"));
    assert_eq!(count(&two, "killed") + count(&two, "survived"), 2, "{two}");
}

#[test]
fn without_new_tests_nothing_is_tried() {
    let envelope = PYTHON.review("", "");
    assert!(envelope["outcome"] == "accept" && envelope["exec"].get("mutation").is_none(), "{envelope:#}");
}
