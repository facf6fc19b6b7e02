//! Twins of Python's tests, made and run: what has one, what has none, and that every twin fails where its test passes.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Makes twins of each source time and again, and calls the tests of functions with and without them.
const HARNESS: &str = r#"
import json, random, sys
makers, sources = json.load(sys.stdin)
twins = {}
exec(compile(makers, "twins.py", "exec"), twins)

def passes(source, name):
    space = {"__name__": "tests"}
    exec(compile(source, "tests.py", "exec"), space)
    try:
        space[name]()
    except Exception:
        return False
    return True

def seen(source):
    found = {}
    for seed in range(12):
        for name, change in twins["changes_of"](source.encode(), random.Random(seed)).items():
            twin = twins["written"](source.encode(), change.edits)
            ran = "::" in name or (passes(source, name) and not passes(twin, name))
            before = found.setdefault(name, {"line": change.line, "sure": change.sure, "differs": True})
            before["differs"] = before["differs"] and bool(ran) and before["line"] == change.line
    return found

json.dump([seen(source) for source in sources], sys.stdout)
"#;

/// Returns for each source its tests with twins, and whether passing ones tell against the code for sure.
fn mutated_tests(sources: &[&str]) -> Vec<BTreeMap<String, bool>> {
    let input = json!([include_str!("../drivers/mutated_tests.py"), sources]).to_string();
    let mut python = Command::new("python3")
        .args(["-I", "-c", HARNESS])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 is installed");
    python.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it listens");
    let output = python.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", output.status);
    let all: Vec<BTreeMap<String, Value>> = serde_json::from_slice(&output.stdout).expect("JSON");
    let of = |(source, found): (&&str, BTreeMap<String, Value>)| {
        let sure = |(name, change): (String, Value)| {
            assert_eq!(
                change["differs"], true,
                "the twin of {name} passes, or is of another line each time:\n{source}"
            );
            (name, change["sure"] == true)
        };
        found.into_iter().map(sure).collect()
    };
    sources.iter().zip(all).map(of).collect()
}

/// Returns whether the test of each source has a twin; all of them are called `test_a`.
fn have_mutated_tests(sources: &[&str]) -> Vec<bool> {
    mutated_tests(sources).iter().map(|found| found.contains_key("test_a")).collect()
}

#[test]
fn comparisons_with_certain_values_have_mutated_tests_that_fail() {
    let sources = [
        "def test_a():\n    assert 1 + 1 == 2\n",
        "def test_a():\n    assert 4 == abs(-4), 'why'\n",
        "def test_a():\n    assert 'ä'.upper() == 'Ä'; assert True\n",
        "def test_a():\n    assert b'a' * 2 == b'aa'\n",
        "def test_a():\n    assert (1 > 2) == False\n",
        "def test_a():\n    assert 1 / 4 == 0.25\n",
        "def test_a():\n    assert -abs(3) == -3\n",
        "def test_a():\n    assert dict().get(1) == None\n",
        "def test_a():\n    assert sorted([2, 1]) == [1, 2]\n",
        "def test_a():\n    assert list() == []\n",
        "def test_a():\n    assert tuple() == ()\n",
        "def test_a():\n    assert set('aa') == {'a'}\n",
        "def test_a():\n    assert dict(a=[1, -2]) == {'a': [1, -2]}\n",
        "def test_a():\n    want = [3, -4]\n    assert list((3, -4)) == want\n",
        "def test_a():\n    for one in [1, 2]:\n        assert one * 0 == 0\n",
        "def test_a():\n    assert 'a' in 'cab'\n",
        "def test_a():\n    assert abs(-2) > 1\n",
        "def test_a():\n    assert -3 <= abs(-2)\n",
        "def test_a():\n    a, b = [1], [1]\n    assert a[:] == b[:]\n",
        "def test_a():\r\n    assert 1 + 1 == 2\r\n",
        "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1 + 1, 2)\n",
    ];
    let found = mutated_tests(&sources);
    for (source, found) in sources.iter().zip(found) {
        assert_eq!(found.len(), 1, "{source}");
        assert!(found.into_values().all(|sure| sure), "{source}");
    }
}

#[test]
fn what_may_honestly_pass_with_anything_is_not_told_for_sure() {
    let sources = [
        "IsEqual = int\ndef test_a():\n    one = IsEqual(1)\n    assert one + 1 == 2\n",
        "import base\nclass T(base.Case):\n    def test_a(self):\n        self.assertEqual(1 + 1, 2)\n",
    ];
    for (source, found) in sources.iter().zip(mutated_tests(&sources)) {
        assert!(found.len() == 1 && found.into_values().all(|sure| !sure), "{source}");
    }
}

#[test]
fn a_test_that_could_pass_unchanged_has_no_mutated_test() {
    let sources = [
        "def test_a():\n    assert True\n",
        "def test_a():\n    assert 1 == 1\n",
        "def test_a():\n    if len('a') == 1:\n        assert 1 + 1 == 2\n",
        "def test_a():\n    for one in []:\n        assert one == 2\n",
        "def test_a():\n    for one in [1, 2]:\n        assert one * 0 == 0\n        break\n",
        "def test_a():\n    return\n    assert 1 + 1 == 2\n",
        "def test_a():\n    locals()\n    assert 1 + 1 == 2\n",
        "def other(f):\n    return f\n@other\ndef test_a():\n    assert 1 + 1 == 2\n",
        "def test_a():\n    assert 1 + 1 == 2\ntest_b = test_a\n",
        "def test_a():\n    assert 1 + 1 == 2\ndef test_a():\n    assert 1 + 2 == 3\n",
        "def test_a():\n    assert any_of(1) == every(2)\n",
        "def test_a():\n    assert 3 in range(4)\n",
        "def test_a():\n    assert dict(a=2) == {'a': 1, 'a': 2}\n",
        "async def test_a(self):\n    pass\nclass T(Base):\n    async def test_a(self):\n        assert 1 + 1 == 2\n",
        "# takes a snapshot\ndef test_a():\n    assert 1 + 1 == 2\n",
        "# coding: latin-1\ndef test_a():\n    assert 1 + 1 == 2\n",
        "def test_a():\n    assert 1 + 1 == 2\n\u{c}\n",
        "def test_a():\n    assert 1 + 1 == 2\n\r \n",
        "def test_a(:\n",
        "",
    ];
    let found = have_mutated_tests(&sources);
    let with: Vec<&&str> = sources.iter().zip(found).filter(|(_, has)| *has).map(|(source, _)| source).collect();
    assert!(with.is_empty(), "{with:#?}");
}

#[test]
fn limits_hold_on_both_sides() {
    let test = "def test_a():\n    assert 1 + 1 == 2\n";
    let long = |bytes: usize| format!("{test}#{}", "x".repeat(bytes - test.len() - 1));
    let deep = |depth: usize| {
        let list = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        format!("every = eval\ndef test_a():\n    assert every('{list}') == {list}\n")
    };
    // The number within is a level of its own.
    let sources = [long(1 << 20), long((1 << 20) + 1), deep(19), deep(20)];
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    assert_eq!(have_mutated_tests(&sources), [true, false, true, false]);

    // Of a large file that a runner reads for each of them, as many as stay within ten times the largest file.
    let many = |count: usize| -> String {
        (0..count).map(|at| format!("def test_{at}():\n    assert 1 + {at} == {}\n", at + 1)).collect()
    };
    let padded = |bytes: usize| format!("{}#{}", many(30), "x".repeat(bytes - many(30).len() - 1));
    let (half, whole) = (padded(1 << 19), padded(1 << 20));
    let counts: Vec<usize> = mutated_tests(&[&half, &whole]).iter().map(BTreeMap::len).collect();
    assert_eq!(counts, [20, 10]);
}
