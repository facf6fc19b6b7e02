//! What is held against a change, with the real program: only what its base does not show. The tools are scripts and
//! Python's own runner of tests.

use std::path::Path;
use std::process::Command;

use assize_testkit::change::{default_homes, search_path};
use assize_testkit::repo::Repo;
use serde_json::Value;

const CODE: &str = "import socket\n\n\ndef double(n):\n    return n + n\n\n\ndef host(name):\n    \
                    return socket.gethostbyname(name)\n\n\ndef halve(n):\n    return n // 3\n";
const TESTS: &str = "import unittest\nimport lib\n\n\nclass T(unittest.TestCase):\n    def test_double(self):\n        \
                     self.assertEqual(lib.double(2), 4)\n\n    def test_host(self):\n        \
                     lib.host(\"nowhere.invalid\")\n\n    def test_halve(self):\n        \
                     self.assertEqual(lib.halve(8), 4)\n";

/// A repository of which two tests fail: one for want of a network, one for a fault in the code.
fn repository(settings: &str) -> Repo {
    let files = [
        ("lib.py", CODE),
        ("tests/__init__.py", ""),
        ("tests/test_lib.py", TESTS),
        (".gitignore", "__pycache__/\n"),
        ("assize.toml", settings),
    ];
    Repo::with_commit(&files)
}

/// Reviews the work tree, with some words as the specification.
fn review(repo: &Repo, specification: &str) -> Value {
    let spec = repo.outside().join("spec.md");
    std::fs::write(&spec, specification).expect("written");
    let output = Command::new(Path::new(env!("CARGO_BIN_EXE_assize")))
        .args(["review", "--format", "json", "--spec"])
        .arg(&spec)
        .current_dir(repo.path())
        .env_clear()
        .env("PATH", search_path(&[]))
        .envs(default_homes())
        .env("HOME", repo.outside())
        .output()
        .expect("the program runs");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn excuses(envelope: &Value) -> Vec<(String, String)> {
    let gates = envelope["exec"]["gates"].as_array().expect("gates");
    let tests = gates.iter().filter_map(|gate| gate["tests"]["failing"].as_array()).flatten();
    let text = |value: &Value| value.as_str().unwrap_or("none").rsplit(':').next().unwrap_or_default().to_owned();
    let mut found: Vec<_> = tests.map(|test| (text(&test["id"]), text(&test["excuse"]))).collect();
    found.sort();
    found
}

#[test]
fn a_red_test_counts_where_it_depends_on_the_change() {
    for (from, to, asked, outcome, expected) in [
        ("n + n", "2 * n", "Be simpler.", "accept", &[("test_halve", "known_red"), ("test_host", "known_red")][..]),
        ("n + n", "2 * n", "Make test_halve pass.", "revise", &[("test_halve", "none"), ("test_host", "known_red")]),
        ("n // 3", "n // 5", "Halve.", "revise", &[("test_halve", "none"), ("test_host", "known_red")]),
        ("n // 3", "n // 2", "Halve.", "accept", &[("test_host", "known_red")]),
        (
            "import socket",
            "import socket\n\nLIMIT = 3",
            "Limit.",
            "revise",
            // What no network keeps from passing tells nothing of it.
            &[("test_halve", "none"), ("test_host", "known_red")],
        ),
        (
            "gethostbyname(name)",
            "gethostbyname(str(name))",
            "Take names.",
            "accept",
            &[("test_halve", "known_red"), ("test_host", "known_red")],
        ),
    ] {
        let repo = repository("");
        repo.write("lib.py", &CODE.replace(from, to));
        let envelope = review(&repo, asked);
        let expected: Vec<_> = expected.iter().map(|(id, excuse)| ((*id).to_owned(), (*excuse).to_owned())).collect();
        let plan = envelope["verdict"]["fix_plan"].to_string();
        for (id, excuse) in &expected {
            assert_eq!(
                plan.contains(id),
                excuse == "none",
                "{id} is asked for where it is held against the change: {plan}"
            );
        }
        assert_eq!((envelope["outcome"].as_str(), excuses(&envelope)), (Some(outcome), expected), "{to}: {envelope}");
    }
}

#[test]
fn a_test_whose_name_says_the_time_is_the_same_test() {
    let timed = "\n\nfor n in range(lib.TIMES):\n    setattr(T, f\"test_at_{time.time_ns()}\", lambda self: self.assertEqual(lib.double(3), 6))\n";
    for (from, to, outcome) in [
        ("n + n", "2 * n", "accept"),
        ("n + n", "n + 2", "revise"),
        // One of them no longer runs.
        ("TIMES = 2", "TIMES = 1", "revise"),
    ] {
        let code = format!("{CODE}\n\nTIMES = 2\n");
        let tests = format!("{}{timed}", TESTS.replace("import unittest", "import time\nimport unittest"));
        let files = [
            ("lib.py", &*code),
            ("tests/__init__.py", ""),
            ("tests/test_lib.py", &tests),
            (".gitignore", "__pycache__/\n"),
        ];
        let repo = Repo::with_commit(&files);
        repo.write("lib.py", &code.replace(from, to));
        let envelope = review(&repo, "Be simpler.");
        assert_eq!(envelope["outcome"], outcome, "{to}: {envelope}");
    }
}

#[test]
fn tests_that_the_base_lists_may_fail() {
    let repo = repository(
        "[gates]\nknown_red = [\"tests/test_lib.py::T::test_host\", \"tests/test_lib.py::T::test_halve\"]\n",
    );
    repo.write("lib.py", &CODE.replace("n // 3", "n // 5"));
    assert_eq!(review(&repo, "Halve.")["outcome"], "accept");
    // What the change itself lists does not count.
    let repo = repository("");
    repo.write("assize.toml", "[gates]\nknown_red = [\"tests/test_lib.py::T::test_double\"]\n");
    repo.write("lib.py", &CODE.replace("n + n", "n + 3"));
    assert_eq!(review(&repo, "Halve.")["outcome"], "revise");
}

#[test]
fn a_test_may_be_adapted_where_nothing_was_asked_for() {
    let triple = ("n + n", "3 * n");
    let (right, weak) =
        (("lib.double(2), 4", "lib.double(2), 6"), ("assertEqual(lib.double(2), 4", "assertIsNotNone(lib.double(2)"));
    for (settings, asked, test, outcome) in [
        ("", "", right, "accept"),
        ("", "", weak, "revise"),
        ("", "", ("def test_double", "def _test_double"), "revise"),
        // It fails on the base for nothing but a name that the change brings.
        ("", "", ("lib.double(2), 4", "lib.LIMIT, 3"), "revise"),
        ("", "Be simpler.", right, "revise"),
        ("", "Double is to give three times its argument; adapt the tests.", right, "accept"),
        ("[review]\nadapted_tests = \"never\"\n", "", right, "revise"),
    ] {
        let repo = repository(settings);
        let limit = if test.1.contains("LIMIT") { "\n\nLIMIT = 3\n" } else { "" };
        repo.write("lib.py", &format!("{}{limit}", CODE.replace(triple.0, triple.1)));
        repo.write("tests/test_lib.py", &TESTS.replace(test.0, test.1));
        let envelope = review(&repo, asked);
        assert_eq!(envelope["outcome"].as_str(), Some(outcome), "{asked} {test:?} {settings}: {envelope}");
        let said = envelope["findings"].as_array().expect("findings").iter().any(|it| it["rule"] == "tests-adapted");
        assert_eq!(said, outcome == "accept" && asked.is_empty(), "{test:?}");
    }
}

#[test]
fn a_test_may_go_with_what_tests_in_another_file_ask_for() {
    let base =
        format!("def double(n):\n    return n + n\n\n{}\ndef after(n):\n    return n + 1\n", "# Far.\n".repeat(9));
    let test_file = |name: &str, asserts: &[&str]| {
        let cases = asserts.iter().enumerate();
        let cases: String = cases.map(|(at, it)| format!("    def test_{at}(self):\n        self.{it}\n\n")).collect();
        format!("import unittest\nimport lib\n\n\nclass {name}(unittest.TestCase):\n{cases}")
    };
    let (double, after) = ("assertEqual(lib.double(2), 4)", "assertEqual(lib.after(2), 3)");
    let (any_double, any_after) = ("assertIsNotNone(lib.double(2))", "assertIsNotNone(lib.after(2))");
    let (triple, broken) = (("n + n", "3 * n"), ("n + 1", "n + 2"));
    let asks = "assertEqual(lib.double(5), 15)";
    for (changes, tests, new, outcome) in [
        (&[triple][..], [any_double, after], asks, "accept"),
        // It says nothing of what changed.
        (&[triple], [any_double, after], "assertEqual(lib.double(0), 0)", "revise"),
        // No test asks for the other part.
        (&[triple, broken], [double, any_after], asks, "revise"),
        (&[triple, broken], [any_double, any_after], asks, "revise"),
        (&[triple, ("n + 1", "1 + n")], [any_double, after], asks, "accept"),
    ] {
        let repo = Repo::with_commit(&[
            ("lib.py", &base),
            ("tests/__init__.py", ""),
            ("tests/test_lib.py", &test_file("T", &[double, after])),
            (".gitignore", "__pycache__/\n"),
        ]);
        repo.write("lib.py", &changes.iter().fold(base.clone(), |code, (from, to)| code.replace(from, to)));
        repo.write("tests/test_lib.py", &test_file("T", &tests));
        repo.write("tests/test_new.py", &test_file("N", &[new]));
        let envelope = review(&repo, "");
        assert_eq!(envelope["outcome"].as_str(), Some(outcome), "{new} {changes:?}: {envelope:#}");
    }
}

#[test]
fn a_test_may_go_with_what_it_tests_where_nothing_was_asked_for() {
    const DOUBLE: &str = "def double(n):\n    return n + n\n\n\n";
    const DANGLING: &str = "def quadruple(n):\n    return double(double(n))\n\n\n";
    const TEST_DOUBLE: &str = "    def test_double(self):\n        self.assertEqual(lib.double(2), 4)\n\n";
    const TEST_THIRD: &str = "    def test_third(self):\n        self.assertEqual(lib.halve(9), 3)\n\n";
    const TEST_ZERO: &str = "    def test_zero(self):\n        self.assertEqual(lib.halve(0), 0)\n";
    let tests = format!("{TESTS}\n{TEST_THIRD}{TEST_ZERO}");
    let (removed, broken) = ((DOUBLE, ""), ("n // 3", "n // 5"));
    for (settings, asked, changes, gone, outcome) in [
        ("", "", &[removed][..], &[TEST_DOUBLE][..], "accept"),
        // Another one that goes beside it does not come to what is removed.
        ("", "", &[removed, broken], &[TEST_DOUBLE, TEST_THIRD], "revise"),
        // Code of the change still calls it: that breaks, and is not removed.
        ("", "", &[(DOUBLE, DANGLING)], &[TEST_DOUBLE], "revise"),
        // What it tests is still there.
        ("", "", &[("n + n", "3 * n"), ("def host", "def address")], &[TEST_DOUBLE], "revise"),
        ("", "Be simpler.", &[removed], &[TEST_DOUBLE], "revise"),
        ("[review]\nadapted_tests = \"never\"\n", "", &[removed], &[TEST_DOUBLE], "revise"),
    ] {
        let repo = repository(settings);
        repo.write("tests/test_lib.py", &tests);
        repo.commit("two more tests");
        repo.write("lib.py", &changes.iter().fold(CODE.to_owned(), |code, (from, to)| code.replace(from, to)));
        repo.write("tests/test_lib.py", &gone.iter().fold(tests.clone(), |tests, test| tests.replace(test, "")));
        let envelope = review(&repo, asked);
        assert_eq!(envelope["outcome"].as_str(), Some(outcome), "{asked} {gone:?} {settings}: {envelope}");
        let said = envelope["findings"].as_array().expect("findings").iter().any(|it| {
            it["message"]
                .as_str()
                .is_some_and(|it| it.contains("removes tests of the base with the code that they test"))
        });
        let is_free = asked.is_empty() && settings.is_empty();
        assert_eq!(said, is_free && changes.contains(&removed), "{gone:?}");
    }
}

#[test]
fn what_a_commit_brought_may_be_taken_back_with_its_tests() {
    let lenient = |code: &str| code.replace("n + n", "(n or 0) + (n or 0)");
    let none = "    def test_none(self):\n        self.assertEqual(lib.double(None), 0)\n";
    let tests = format!("{TESTS}\n{none}");
    for (asked, code, outcome) in [
        ("", CODE.to_owned(), "accept"),
        // It is not what it was.
        ("", CODE.replace("n + n", "2 * n"), "revise"),
        ("Be simpler.", CODE.to_owned(), "revise"),
    ] {
        let repo = repository("");
        repo.write("lib.py", &lenient(CODE));
        repo.write("tests/test_lib.py", &tests);
        repo.commit("none");
        repo.write("lib.py", &code);
        repo.write("tests/test_lib.py", TESTS);
        let envelope = review(&repo, asked);
        assert_eq!(envelope["outcome"].as_str(), Some(outcome), "{asked} {code}: {envelope}");
        let said = envelope["findings"].to_string().contains("takes back what commit");
        assert_eq!(said, outcome == "accept", "{code}");
    }
}

#[test]
fn submodules_that_are_left_out_are_named() {
    let inner = Repo::with_commit(&[("x.py", "1\n")]);
    let repo = repository("");
    let inner = inner.path().to_str().expect("text").to_owned();
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &inner, "vendor/part"]);
    repo.commit("a submodule");
    repo.write("lib.py", &CODE.replace("n + n", "2 * n"));
    let envelope = review(&repo, "Be simpler.");
    let limits = envelope["limits"].to_string();
    assert!(limits.contains("submodules are left out: vendor/part"), "{envelope:#}");
    let envelope = review(&repository(""), "Be simpler.");
    assert!(!envelope["limits"].to_string().contains("submodules"), "{envelope:#}");
}

#[test]
fn a_test_that_passes_again_is_flaky() {
    // One test fails in the second run, which is the one with the change.
    const RUNNER: &str = "echo run >> COUNT\necho 1..2\necho ok 1 - test_sound\n\
                          if [ $(wc -l < COUNT) = 2 ]; then echo not ok 2 - test_first; exit 1; fi\n\
                          echo ok 2 - test_first\n";
    for (reruns, outcome, expected) in
        [(2, "accept", &[("test_first", "flaky")][..]), (0, "revise", &[("test_first", "none")])]
    {
        let gate = "[[gate]]\nid = \"scripted\"\ncommand = [\"/bin/sh\", \"run.sh\"]\n\
                    dimension = \"tests_functional\"\nreport = \"tap\"\n";
        let settings = format!("[gates]\nreruns = {reruns}\nsandbox = \"off\"\n\n{gate}");
        let repo = Repo::with_commit(&[("assize.toml", &settings), ("notes.txt", "one\n")]);
        let count = repo.outside().join("count").display().to_string();
        repo.write("run.sh", &RUNNER.replace("COUNT", &count));
        repo.commit("a runner");
        repo.write("lib.c", "int x;\n");
        let envelope = review(&repo, "Be simpler.");
        let expected: Vec<_> = expected.iter().map(|(id, excuse)| ((*id).to_owned(), (*excuse).to_owned())).collect();
        assert_eq!((envelope["outcome"].as_str(), excuses(&envelope)), (Some(outcome), expected), "{envelope:#}");
    }
}

#[test]
fn what_nothing_measured_is_unknown() {
    let empty = "import unittest\n\n\nclass T(unittest.TestCase):\n    pass\n";
    let tested = "import unittest\nimport lib\n\n\nclass T(unittest.TestCase):\n    def test_double(self):\n        \
                  self.assertEqual(lib.double(2), 4)\n";
    for (tests, functional) in [(None, Value::Null), (Some(empty), Value::Null), (Some(tested), 1.0.into())] {
        let repo = Repo::with_commit(&[("assize.toml", "[review]\nrequire = []\n"), ("lib.py", CODE)]);
        if let Some(tests) = tests {
            repo.write("test_lib.py", tests);
            repo.commit("tests");
        }
        repo.write("lib.py", &CODE.replace("n + n", "2 * n"));
        let envelope = review(&repo, "Be simpler.");
        assert_eq!(envelope["outcome"], "accept", "{tests:?}: {envelope}");
        let scores = &envelope["verdict"]["scores"];
        assert_eq!(
            (&scores["tests_functional"], &scores["tests_edge"]),
            (&functional, &Value::Null),
            "{tests:?}: {scores}"
        );
        assert_eq!((&scores["style"], &scores["types"]), (&Value::Null, &Value::Null), "{tests:?}: {scores}");
        assert_eq!((&scores["compilation"], &scores["security"]), (&1.0.into(), &1.0.into()), "{tests:?}: {scores}");
        let fields = scores.as_object().expect("scores");
        assert!(["tests_functional", "tests_edge", "style", "types"].iter().all(|name| fields.contains_key(*name)));
    }
}

/// How a test that hangs ended on the base is kept, like any other end: only the change waits for it again.
#[test]
fn a_test_that_hangs_on_the_base_is_waited_for_once() {
    const TESTS: &str = "import time\nimport unittest\nimport lib\n\n\nclass T(unittest.TestCase):\n    def test_double(self):\n        \
                         self.assertEqual(lib.double(2), 4)\n\n    def test_hangs(self):\n        \
                         open(\"LOG\", \"a\").write(\"waits\\n\")\n        while True:\n            time.sleep(1)\n";
    let settings = "[gates]\nsandbox = \"off\"\ntest_seconds = 1\n";
    let repo = Repo::with_commit(&[("assize.toml", settings), ("lib.py", CODE), ("tests/__init__.py", "")]);
    let log = repo.outside().join("log");
    repo.write("tests/test_lib.py", &TESTS.replace("LOG", &log.display().to_string()));
    repo.commit("a test that hangs");
    repo.write("lib.py", &CODE.replace("n + n", "2 * n"));
    let waits = || {
        let _ = std::fs::remove_file(&log);
        let envelope = review(&repo, "");
        assert_eq!(envelope["outcome"], "accept", "{envelope:#}");
        assert_eq!(excuses(&envelope), [("test_hangs".to_owned(), "known_red".to_owned())], "{envelope:#}");
        std::fs::read_to_string(&log).expect("it was waited for").lines().count()
    };
    let (first, again) = (waits(), waits());
    assert!(first > again, "{first} times at first, {again} times when the base is known");
}

/// What hangs on the base is not waited for as long as there; a test that only became slow has its whole time.
#[test]
fn beside_a_test_that_hangs_on_the_base_others_have_their_time() {
    const TESTS: &str = "import time\nimport unittest\nimport lib\n\n\nclass T(unittest.TestCase):\n    def test_double(self):\n        \
                         time.sleep(lib.NAP)\n        self.assertEqual(lib.double(2), 4)\n\n    def test_hangs(self):\n        \
                         while True:\n            time.sleep(1)\n";
    for (nap, waited) in [("0", "within 5 s"), ("6.5", "within 8 s")] {
        let code = format!("NAP = 0\n{CODE}");
        let settings = "[gates]\nsandbox = \"off\"\ntest_seconds = 8\n";
        let files =
            [("assize.toml", settings), ("lib.py", &*code), ("tests/__init__.py", ""), ("tests/test_lib.py", TESTS)];
        let repo = Repo::with_commit(&files);
        repo.write("lib.py", &code.replace("n + n", "2 * n").replace("NAP = 0", &format!("NAP = {nap}")));
        let envelope = review(&repo, "");
        assert_eq!(envelope["outcome"], "accept", "{nap}: {envelope:#}");
        let said = envelope["exec"].to_string();
        assert!(said.contains(waited), "{nap}: {said}");
    }
}

#[test]
fn a_script_without_a_report_counts_where_it_notices_the_change() {
    const CODE: &str = "exports.double = (n) => {\n  return n + n;\n};\n";
    const CHECK: &str = "const { double } = require('./lib.js');\nconsole.log('checks double');\n\
                         if (double(2) !== 4) throw new Error('it is not 4');\nconsole.log('1 check, all well');\n";
    const MANIFEST: &str = "{\"name\": \"shop\", \"scripts\": {\"test\": \"node check.js\"}}\n";
    for (code, check, outcome) in [
        ("return 2 * n;", CHECK, "accept"),
        ("return n * n;", "const lib = require('./lib.js');\nconsole.log('checks nothing');\n", "unjudged"),
        ("return 2 * n;", "require('./lib.js').double(2);\n", "unjudged"),
        ("return 3 * n;", CHECK, "revise"),
        // It is left before its end.
        ("console.log('1 check'); process.exit(0); return n;", CHECK, "unjudged"),
    ] {
        let repo = Repo::with_commit(&[("package.json", MANIFEST), ("lib.js", CODE), ("check.js", check)]);
        repo.write("lib.js", &CODE.replace("return n + n;", code));
        let envelope = review(&repo, "Be simpler.");
        assert_eq!(envelope["outcome"].as_str(), Some(outcome), "{code} {check}: {envelope}");
    }
}

/// Types are no code that a script could notice, and neither is what a manifest says about the package.
#[test]
fn a_script_without_a_report_lets_types_pass_and_the_number_of_a_version() {
    const MANIFEST: &str = "{\"name\": \"shop\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node check.js\"}}\n";
    for (code, manifest, outcome) in [
        ("", MANIFEST.replace("1.0.0", "1.0.1"), "accept"),
        ("", MANIFEST.replace("1.0.0\"", "1.0.1\", \"main\": \"other.js\""), "unjudged"),
        ("console.log('side effect');\n", MANIFEST.replace("1.0.0", "1.0.1"), "unjudged"),
    ] {
        let lib = "exports.double = (n) => 2 * n;\n";
        let files = [
            ("package.json", MANIFEST),
            ("lib.js", lib),
            ("index.d.ts", "export function double(n: number): number;\n"),
            ("check.js", "console.log('checks nothing');\n"),
        ];
        let repo = Repo::with_commit(&files);
        repo.write("index.d.ts", "export function double(n: number | bigint): number;\n");
        repo.write("package.json", &manifest);
        repo.write("lib.js", &format!("{lib}{code}"));
        let envelope = review(&repo, "");
        assert_eq!(envelope["outcome"].as_str(), Some(outcome), "{code} {manifest}: {envelope}");
    }
}

#[test]
fn only_tests_that_a_change_touches_run_a_second_time() {
    const OTHER: &str = "import unittest\nimport lib\n\n\nclass O(unittest.TestCase):\n    def test_other(self):\n        \
                         open(\"LOG\", \"a\").write(\"ran\\n\")\n        self.assertEqual(lib.double(1), 2)\n";
    let new = (
        "class T(unittest.TestCase):",
        "class T(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(lib.double(3), 6)\n",
    );
    let helper = "from tests.test_lib import T as Base\n\n\nclass H(Base):\n    pass\n";
    // Each run of Python's tests is two: the one with every second test expecting something else.
    for (more, runs) in [("", 2), (helper, 4)] {
        let repo = Repo::with_commit(&[
            ("assize.toml", "[gates]\nsandbox = \"off\"\nmutants = 0\n"),
            ("lib.py", "def double(n):\n    return n + n\n"),
            ("tests/__init__.py", ""),
            (
                "tests/test_lib.py",
                "import unittest\nimport lib\n\n\nclass T(unittest.TestCase):\n    def test_double(self):\n        self.assertEqual(lib.double(2), 4)\n",
            ),
        ]);
        let log = repo.outside().join("log");
        repo.write("tests/test_other.py", &OTHER.replace("LOG", &log.display().to_string()));
        if !more.is_empty() {
            repo.write("tests/test_more.py", more);
        }
        repo.commit("tests");
        let first = review(&repo, "Nothing.");
        assert_eq!(first["outcome"], "accept", "{first}");
        let text = std::fs::read_to_string(repo.path().join("tests/test_lib.py")).expect("it is there");
        repo.write("tests/test_lib.py", &text.replace(new.0, new.1));
        repo.write("lib.py", "def double(n):\n    return 2 * n\n");
        let _ = std::fs::remove_file(&log);
        let envelope = review(&repo, "Be simpler.");
        assert_eq!(envelope["outcome"], "accept", "{envelope:#}");
        let ran = std::fs::read_to_string(&log).unwrap_or_default().lines().count();
        assert_eq!(ran, runs, "{more}: {envelope}");
    }
}

/// What a change deletes stays deleted where its dependencies are installed anew: they are installed in the base's tree.
#[test]
fn what_a_change_deletes_does_not_come_back_with_its_dependencies() {
    let manifest = |version: &str| {
        format!(
            "[package]\nname = \"shop\"\nversion = \"{version}\"\nedition = \"2021\"\n\n[dependencies]\nhelper = {{ path = \"helper\" }}\n\n[workspace]\n"
        )
    };
    let helper = "[package]\nname = \"helper\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let code = "pub fn double(n: u32) -> u32 {\n    helper::add(n, n)\n}\n";
    let repo = Repo::with_commit(&[
        ("Cargo.toml", &manifest("0.1.0")),
        ("src/lib.rs", code),
        ("build.rs", "fn main() {}\n"),
        ("tests/shop.rs", "#[test]\nfn doubles() {\n    assert_eq!(shop::double(2), 4);\n}\n"),
        ("helper/Cargo.toml", helper),
        ("helper/src/lib.rs", "pub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n"),
        (".gitignore", "target/\nCargo.lock\n"),
    ]);
    repo.write("Cargo.toml", &manifest("0.2.0"));
    repo.write(
        "src/lib.rs",
        &code.replace(
            "helper::add(n, n)",
            "match option_env!(\"OUT_DIR\") {\n        Some(_) => 0,\n        None => helper::add(n, n),\n    }",
        ),
    );
    std::fs::remove_file(repo.path().join("build.rs")).expect("it was there");
    let envelope = review(&repo, "Remove build.rs, and say what it gave.");
    assert_eq!(envelope["outcome"], "accept", "{envelope:#}");
}

/// What stands for ruff: it objects to `import os` in what it is given.
const RUFF: &str = "#!/usr/bin/env python3\nimport glob, json, os, sys\npaths = [it for it in sys.argv[2:] if not it.startswith('-')]\n\
files = [f for path in paths for f in ([path] if path.endswith('.py') else glob.glob(path + '/**/*.py', recursive=True))]\n\
place = {'row': 1, 'column': 1}\n\
found = [{'code': 'F401', 'message': 'unused', 'filename': os.path.abspath(f), 'location': place, 'end_location': place} \
for f in files if 'import os' in open(f).read()]\n\
print(json.dumps(found))\nsys.exit(bool(found))\n";

#[test]
fn a_change_does_not_choose_what_checkers_look_at() {
    use std::os::unix::fs::PermissionsExt as _;

    let pipeline = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: tox\n";
    let tox = |paths: &str| format!("[testenv]\ncommands =\n    ruff check {paths}\n");
    let outcome = |before: &str, after: &str, path: &str| {
        let repo = Repo::with_commit(&[
            ("src/a.py", "a = 1\n"),
            ("docs/b.py", "b = 1\n"),
            ("tox.ini", &tox(before)),
            ("pyproject.toml", "[tool.ruff]\n"),
            (".github/workflows/ci.yml", pipeline),
            ("assize.toml", "[review]\nrequire = []\n[prepare]\nmode = \"off\"\n"),
        ]);
        let tools = repo.outside().join("tools");
        std::fs::create_dir_all(&tools).expect("made");
        std::fs::write(tools.join("ruff"), RUFF).expect("written");
        std::fs::set_permissions(tools.join("ruff"), std::fs::Permissions::from_mode(0o755)).expect("executable");
        repo.write("tox.ini", &tox(after));
        repo.write(path, "import os\na = 2\n");
        let output = Command::new(Path::new(env!("CARGO_BIN_EXE_assize")))
            .args(["review", "--format", "json"])
            .current_dir(repo.path())
            .env_clear()
            .env("PATH", search_path(&[tools]))
            .envs(default_homes())
            .env("HOME", repo.outside())
            .output()
            .expect("the program runs");
        let envelope: Value = serde_json::from_slice(&output.stdout).expect("an envelope");
        envelope["outcome"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(outcome("src", "src", "src/a.py"), "revise");
    assert_eq!(outcome("src", "src", "docs/b.py"), "accept", "no call names it");
    assert_eq!(outcome("src", "docs", "src/a.py"), "revise", "the base has it looked at");
    assert_eq!(outcome("src", "src docs", "docs/b.py"), "revise", "the change has it looked at");
}
