//! What a change must not take from the tests of the base, with the real program: each case beside an honest twin. The
//! runners are those of Python, Node, Rust and Go.

use std::path::Path;

use assize_testkit::change;
use assize_testkit::repo::Repo;
use serde_json::Value;

/// A change of some files, and what is to be made of it.
type HeldTestsCase<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str);

/// Reviews each change of a base, and compares the outcomes.
fn judge(base: &[(&str, &str)], cases: &[HeldTestsCase<'_>]) {
    for (name, change, outcome) in cases {
        let repo = Repo::with_commit(base);
        for (path, text) in *change {
            repo.write(path, text);
        }
        let envelope = reviewed(&repo, name);
        assert_eq!(envelope["outcome"], *outcome, "{name}: {envelope:#}");
    }
}

fn reviewed(repo: &Repo, name: &str) -> Value {
    let program = Path::new(env!("CARGO_BIN_EXE_assize"));
    let output = change::command(program, repo, &[], &["review", "--format", "json"]).output();
    let output = output.expect("the program runs");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{name}: {error}: {}", String::from_utf8_lossy(&output.stderr)))
}

const SUM: &str = "function add(a, b) {\n  return a + b;\n}\nfunction total(list) {\n  return list.reduce(add, 0);\n}\nmodule.exports = { add, total };\n";

/// The same code, where one thing is written in another way.
fn sum_with(from: &str, to: &str) -> String {
    assert!(SUM.contains(from));
    SUM.replace(from, to)
}

#[test]
fn a_script_that_leaves_its_status_alone_must_not_complain_more() {
    let package = r#"{"name":"sums","scripts":{"test":"node tests"}}"#;
    let (wrong, right) = (sum_with("add, 0", "add, 1"), sum_with("add, 0", "(a, b) => a + b, 0"));
    let code = "const { add, total } = require('../index');\n";
    let asserting = format!(
        "{code}console.log('add');\nconsole.assert(add(1, 2) === 3, 'add');\nif (total([1]) !== 1) console.log('not ok total');\n\
         console.log('done');\n"
    );
    let counting = format!(
        "{code}const all = [add(1, 2) === 3, total([1, 2]) === 3];\nconst good = all.filter(Boolean).length;\n\
         console.log(`passed: ${{good}}\\nfailed: ${{2 - good}}`);\n"
    );
    for script in [&asserting, &counting] {
        let base = [("package.json", package), ("index.js", SUM), ("tests/index.js", script.as_str())];
        let cases =
            [("wrong", &[("index.js", wrong.as_str())][..], "unjudged"), ("right", &[("index.js", &right)], "accept")];
        judge(&base, &cases);
    }
    let awaiting = "const { later } = require('../index');\nasync function main() {\n  for (let at = 0; at < 12; at += 1) console.log('ok - ' + 'x'.repeat(at + 1));\n  await later(2);\n  console.log('ok - later');\n}\nmain();\n";
    let later = "function later(n) {\n  return new Promise((resolve) => setImmediate(() => resolve(n)));\n}\nmodule.exports = { later };\n";
    let base = [("package.json", package), ("index.js", later), ("tests/index.js", awaiting)];
    let (wrong, right) = (later.replace("resolve(n)", "n"), later.replace("resolve(n)", "resolve(n + 0)"));
    judge(&base, &[("unsettled", &[("index.js", &wrong)], "unjudged"), ("settled", &[("index.js", &right)], "accept")]);
}

#[test]
fn what_a_runner_is_told_to_run_comes_from_the_base() {
    let (wrong, right) = (sum_with("add, 0", "add, 1"), sum_with("add, 0", "(a, b) => a + b, 0"));
    let verify = "const assert = require('assert');\nconst { add, total } = require('./index');\nfunction main() {\n  assert.equal(add(1, 2), 3);\n  assert.equal(total([1, 2, 3]), 6);\n  console.log('all is well');\n}\nmain();\n";
    let less = verify.replace("  assert.equal(total([1, 2, 3]), 6);\n", "");
    let base = [
        ("package.json", r#"{"name":"sums","scripts":{"test":"node verify.js"}}"#),
        ("index.js", SUM),
        ("verify.js", verify),
    ];
    judge(
        &base,
        &[
            ("less is verified", &[("index.js", &wrong), ("verify.js", &less)], "revise"),
            ("nothing is lost", &[("index.js", &right)], "accept"),
        ],
    );
    let check = "const test = require('node:test');\nconst assert = require('node:assert');\nconst { total } = require('../index');\ntest('total', () => assert.equal(total([1, 2, 3]), 6));\n";
    let weaker = check.replace("total([1, 2, 3]), 6", "total([1, 2, 3]) > 5, true");
    let base = [
        ("package.json", r#"{"name":"sums","scripts":{"test":"node --test checks/total.js"}}"#),
        ("index.js", SUM),
        ("checks/total.js", check),
    ];
    judge(
        &base,
        &[
            ("weaker", &[("index.js", &wrong), ("checks/total.js", &weaker)], "revise"),
            ("as strong", &[("index.js", &right), ("checks/total.js", check)], "accept"),
        ],
    );
}

const CALC: &str =
    "def mean_of(values):\n    return sum(values) / len(values)\n\n\ndef total(values):\n    return sum(values)\n";
const CALC_TESTS: &str = "import unittest\n\nfrom calc import mean_of, total\n\n\nclass CalcTest(unittest.TestCase):\n    def test_mean(self):\n        self.assertEqual(mean_of([1, 3]), 2)\n\n    def test_total(self):\n        self.assertEqual(total([1, 2, 3]), 6)\n";

#[test]
fn each_test_of_a_file_that_misses_a_name_speaks_for_itself() {
    let base = [("calc.py", CALC), ("tests/__init__.py", ""), ("tests/test_calc.py", CALC_TESTS)];
    let renamed = |text: &str| text.replace("mean_of", "mean");
    let wrong = renamed(CALC).replace("return sum(values)\n", "return sum(values) + 1\n");
    let weaker = renamed(CALC_TESTS).replace("total([1, 2, 3]), 6", "total([1, 2, 3]) > 5, True");
    // The other test follows a change of what the function does.
    let follows = renamed(CALC_TESTS).replace("total([1, 2, 3]), 6", "total([1, 2, 3]), 7");
    judge(
        &base,
        &[
            ("weaker", &[("calc.py", &wrong), ("tests/test_calc.py", &weaker)], "revise"),
            ("renamed", &[("calc.py", &renamed(CALC)), ("tests/test_calc.py", &renamed(CALC_TESTS))], "accept"),
            ("adapted", &[("calc.py", &wrong), ("tests/test_calc.py", &follows)], "accept"),
        ],
    );
}

#[test]
fn a_test_of_something_new_does_not_stand_for_one_that_is_gone() {
    let tests = "import unittest\n\nimport calc\n\n\nclass CalcTest(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(calc.total([1, 2, 3]), 6)\n\n    def test_small(self):\n        self.assertLess(calc.total([]), 2)\n";
    let base = [("calc.py", CALC), ("tests/__init__.py", ""), ("tests/test_calc.py", tests)];
    let wrong = CALC.replace("return sum(values)\n", "return sum(values) + 1\n")
        + "\n\ndef least(values):\n    return min(values)\n";
    let other = tests.replace("test_total", "test_least").replace("calc.total([1, 2, 3]), 6", "calc.least([1, 3]), 1");
    let follows = tests.replace("test_total", "test_total_counts_itself").replace("[1, 2, 3]), 6", "[1, 2, 3]), 7");
    judge(
        &base,
        &[
            ("another's", &[("calc.py", &wrong), ("tests/test_calc.py", &other)], "revise"),
            ("its own", &[("calc.py", &wrong), ("tests/test_calc.py", &follows)], "accept"),
        ],
    );
}

#[test]
fn tests_do_not_go_with_what_other_code_still_calls() {
    let report = "import calc\n\n\ndef report(values):\n    return f\"mean {calc.mean_of(values)}\"\n";
    let tests = |with: &str| format!("import unittest\n\nimport calc\n{with}");
    let class = "\n\nclass CalcTest(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(calc.total([1]), 1)\n";
    let both = tests(&format!(
        "import report\n{class}\n    def test_report(self):\n        self.assertEqual(report.report([1, 3]), \"mean 2.0\")\n"
    ));
    let base = [("calc.py", CALC), ("report.py", report), ("tests/__init__.py", ""), ("tests/test_calc.py", &both)];
    let less = CALC.split("\n\n\n").nth(1).expect("a function");
    let change = [("calc.py", less), ("tests/test_calc.py", &tests(class))];
    judge(&base, &[("still called", &change, "revise")]);
}

#[test]
fn a_module_that_is_new_or_elsewhere_does_not_hide_what_tests_say() {
    let base = [("calc.py", CALC), ("tests/__init__.py", ""), ("tests/test_calc.py", CALC_TESTS)];
    let wrong = CALC.replace("return sum(values)\n", "return sum(values) + 1\n");
    let weaker = CALC_TESTS.replace("total([1, 2, 3]), 6", "total([1, 2, 3]) > 5, True");
    let with_new = |tests: &str| {
        let tests = tests.replace("from calc", "from lists import first\nfrom calc");
        tests + "\n    def test_first(self):\n        self.assertEqual(first([4]), 4)\n"
    };
    let new = ("lists.py", "def first(values):\n    return values[0]\n");
    let follows = CALC_TESTS.replace("total([1, 2, 3]), 6", "total([1, 2, 3]), 7");
    judge(
        &base,
        &[
            ("weaker", &[new, ("calc.py", &wrong), ("tests/test_calc.py", &with_new(&weaker))], "revise"),
            ("adapted", &[new, ("calc.py", &wrong), ("tests/test_calc.py", &with_new(&follows))], "accept"),
        ],
    );
    for (code, tests, outcome) in
        [(CALC, CALC_TESTS, "accept"), (&wrong, &weaker, "revise"), (&wrong, &follows, "accept")]
    {
        let repo = Repo::with_commit(&base);
        repo.git(&["mv", "calc.py", "sums.py"]);
        repo.write("sums.py", code);
        repo.write("tests/test_calc.py", &tests.replace("from calc", "from sums"));
        assert_eq!(reviewed(&repo, "elsewhere")["outcome"], outcome);
    }
}

#[test]
fn tests_may_go_with_what_they_test() {
    let code = "def old():\n    return 7\n\n\ndef new():\n    return 8\n";
    let test = |name: &str, value: u8| {
        format!("\n    def test_{name}(self):\n        self.assertEqual(calc.{name}(), {value})\n")
    };
    let head = "import unittest\n\nimport calc\n\n\nclass CalcTest(unittest.TestCase):";
    let both = format!("{head}{}{}", test("old", 7), test("new", 8));
    let base = [("calc.py", code), ("tests/__init__.py", ""), ("tests/test_calc.py", &both)];
    let less = code.split("\n\n\n").nth(1).expect("a function");
    let (kept, none) = (format!("{head}{}", test("new", 8)), format!("{head}\n    pass\n"));
    judge(
        &base,
        &[
            ("with it", &[("calc.py", less), ("tests/test_calc.py", &kept)], "accept"),
            ("with more", &[("calc.py", less), ("tests/test_calc.py", &none)], "revise"),
            ("without it", &[("tests/test_calc.py", &kept)], "revise"),
        ],
    );
}

/// A package of a compiled language: its other files, its code and its tests with their paths, and what changes of it say.
struct PackageToBuild<'a> {
    settings: &'a [(&'a str, &'a str)],
    code: (&'a str, &'a str),
    tests: (&'a str, &'a str),
    /// The limit before and after, and what a test expects of it before, after, and in any case.
    limit: [&'a str; 2],
    expected: [&'a str; 3],
    /// A new function and its test.
    new: [&'a str; 2],
    /// A constant, and how tests speak of it.
    old: [&'a str; 2],
    /// Its name, and another one.
    names: [&'a str; 2],
}

impl PackageToBuild<'_> {
    /// Reviews changes: a limit that rises beside a new function, and a constant that goes or gets another name.
    fn judge(&self) {
        let with = |text: &str, from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        };
        let (code, tests) = (self.code.1, self.tests.1);
        let raised = with(code, self.limit[0], self.limit[1]) + self.new[0];
        let expecting = |tests: &str, number: usize| with(tests, self.expected[0], self.expected[number]) + self.new[1];
        let fewer = with(tests, self.old[1], "");
        let renamed = |text: &str| with(text, self.names[0], self.names[1]);
        let base = [self.settings, &[self.code, self.tests]].concat();
        for (name, code, tests, outcome) in [
            ("adapted", &raised, expecting(tests, 1), "accept"),
            ("weaker", &raised, expecting(tests, 2), "revise"),
            ("gone", &with(code, self.old[0], ""), fewer, "accept"),
            ("renamed", &renamed(code), renamed(tests), "accept"),
            ("renamed and weaker", &renamed(&raised), renamed(&expecting(tests, 2)), "revise"),
        ] {
            judge(&base, &[(name, &[(self.code.0, code), (self.tests.0, &tests)], outcome)]);
        }
    }
}

#[test]
fn each_test_of_rust_that_cannot_be_built_speaks_for_itself() {
    let manifest = "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let lock = "version = 3\n\n[[package]]\nname = \"m\"\nversion = \"0.1.0\"\n";
    PackageToBuild {
        settings: &[("Cargo.toml", manifest), ("Cargo.lock", lock)],
        code: (
            "src/lib.rs",
            "pub const LIMIT: u8 = 10;\npub const OLD: u8 = 3;\n\npub fn clamp(n: u8) -> u8 {\n    n.min(LIMIT)\n}\n",
        ),
        tests: (
            "tests/a.rs",
            "use m::{clamp, LIMIT, OLD};\n\n#[test]\nfn clamps() {\n    assert_eq!(clamp(12), 10);\n}\n\nfn known() -> Vec<u8> {\n    vec![LIMIT, OLD]\n}\n\n#[test]\nfn knows() {\n    for it in known() {\n        assert!(it > 2);\n    }\n}\n",
        ),
        limit: ["LIMIT: u8 = 10", "LIMIT: u8 = 20"],
        expected: ["clamp(12), 10", "clamp(22), 20", "clamp(10), 10"],
        new: [
            "\npub fn double(n: u8) -> u8 {\n    n * 2\n}\n",
            "\n#[test]\nfn doubles() {\n    assert_eq!(m::double(2), 4);\n}\n",
        ],
        old: ["pub const OLD: u8 = 3;\n", ", OLD"],
        names: ["OLD", "ELDER"],
    }
    .judge();
}

#[test]
fn each_test_of_go_that_cannot_be_built_speaks_for_itself() {
    PackageToBuild {
        settings: &[("go.mod", "module example.com/m\n\ngo 1.18\n")],
        code: (
            "m.go",
            "package m\n\nconst Limit = 10\nconst Old = 3\n\nfunc Clamp(n int) int {\n\tif n > Limit {\n\t\treturn Limit\n\t}\n\treturn n\n}\n",
        ),
        tests: (
            "m_test.go",
            "package m\n\nimport \"testing\"\n\nfunc TestClamp(t *testing.T) {\n\tif Clamp(12) != 10 {\n\t\tt.Fatal(12)\n\t}\n}\n\nfunc known() []int {\n\treturn []int{Limit, Old}\n}\n\nfunc TestKnows(t *testing.T) {\n\tfor _, it := range known() {\n\t\tif it < 3 {\n\t\t\tt.Fatal(it)\n\t\t}\n\t}\n}\n",
        ),
        limit: ["Limit = 10", "Limit = 20"],
        expected: ["Clamp(12) != 10", "Clamp(22) != 20", "Clamp(10) != 10"],
        new: [
            "\nfunc Double(n int) int {\n\treturn n * 2\n}\n",
            "\nfunc TestDouble(t *testing.T) {\n\tif Double(2) != 4 {\n\t\tt.Fatal(2)\n\t}\n}\n",
        ],
        old: ["const Old = 3\n", ", Old"],
        names: ["Old", "Elder"],
    }
    .judge();
}

#[test]
fn tests_beside_code_with_a_new_name_run_on_the_code_of_the_base() {
    let manifest = "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let lock = "version = 3\n\n[[package]]\nname = \"m\"\nversion = \"0.1.0\"\n";
    let code = |name: &str, limit: u8, expected: &str| {
        format!(
            "pub fn {name}() -> u8 {{\n    {limit}\n}}\n\npub fn clamp(n: u8) -> u8 {{\n    n.min({name}())\n}}\n\n\
             #[cfg(test)]\nmod tests {{\n    use super::*;\n\n    #[test]\n    fn clamps() {{\n        assert!({name}() > 2);\n        \
             assert_eq!({expected});\n    }}\n}}\n"
        )
    };
    let before = code("most", 10, "clamp(12), 10");
    let base = [("Cargo.toml", manifest), ("Cargo.lock", lock), ("src/lib.rs", &before)];
    let adapted = code("limit", 20, "clamp(22), 20");
    let weakened = code("limit", 20, "clamp(10), 10");
    judge(
        &base,
        &[
            ("the new limit is asked for", &[("src/lib.rs", &adapted)], "accept"),
            ("nothing is asked of it", &[("src/lib.rs", &weakened)], "revise"),
        ],
    );
}
