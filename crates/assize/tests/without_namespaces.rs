//! Gates of projects with installed dependencies where there is no sandbox: what they import has to be the copy.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use assize_testkit::change;
use assize_testkit::repo::Repo;
use serde_json::Value;

/// What git ignores of a project of Python, with its environment and without.
const IGNORED: &str = ".venv/\n__pycache__/\n";
const NOT_IGNORED: &str = "__pycache__/\n";

fn review(repo: &Repo) -> Value {
    let arguments = ["review", "--sandbox", "off", "--format", "json"];
    let mut command = change::command(Path::new(env!("CARGO_BIN_EXE_assize")), repo, &[], &arguments);
    let output = command.output().expect("the program runs");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// What became of a gate: its state, and why it came to no result.
fn gate(envelope: &Value, id: &str) -> (String, String) {
    let gates = envelope["exec"]["gates"].as_array().expect("gates");
    let gate = gates.iter().find(|gate| gate["id"] == id).expect("the gate");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&gate["state"]), text(&gate["trouble"]["detail"]))
}

/// A project of Python whose package lies in a folder, with an environment in which it is installed from there.
fn python(folder: &str, ignored: &str) -> Repo {
    let package = if folder.is_empty() { "shop/__init__.py".to_owned() } else { format!("{folder}/shop/__init__.py") };
    let tests = "import unittest\nimport shop\n\n\nclass T(unittest.TestCase):\n    def test_total(self):\n        \
                 self.assertEqual(shop.total([1, 2]), 3)\n";
    let repo = Repo::with_commit(&[
        (&package, "def total(prices):\n    return sum(prices)\n"),
        ("tests/__init__.py", ""),
        ("tests/test_shop.py", tests),
        ("pyproject.toml", "[project]\nname = \"shop\"\nversion = \"1\"\n"),
        (".gitignore", ignored),
        ("assize.toml", "[prepare]\nmode = \"off\"\n"),
    ]);
    let environment = repo.path().join(".venv");
    let made = Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&environment).status();
    assert!(made.expect("it starts").success());
    // Newer versions of Python have git ignore an environment.
    let _ = fs::remove_file(environment.join(".gitignore"));
    let library = fs::read_dir(environment.join("lib")).expect("a folder").next().expect("a version").expect("read");
    let place = repo.path().join(folder).canonicalize().expect("a folder");
    let link = library.path().join("site-packages/shop.pth");
    fs::write(link, format!("{}\n", place.display())).expect("written");
    repo
}

/// The files that the last review took for changed, as the ledger has them.
fn changed(repo: &Repo) -> Vec<String> {
    let arguments = ["ledger", "show", "--format", "json"];
    let mut command = change::command(Path::new(env!("CARGO_BIN_EXE_assize")), repo, &[], &arguments);
    let output = command.output().expect("the program runs");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let entry: Value = serde_json::from_str(shown.lines().last().expect("an entry")).expect("JSON");
    let files = entry["payload"]["inputs"]["patch_summary"].as_array().expect("files");
    files.iter().filter_map(|file| file["path"].as_str()).map(str::to_owned).collect()
}

#[test]
fn an_environment_is_used_where_the_copy_is_what_it_imports() {
    for (folder, ignored) in [("", IGNORED), ("src", IGNORED), ("", NOT_IGNORED), ("src", NOT_IGNORED)] {
        let repo = python(folder, ignored);
        let untracked = String::from_utf8_lossy(&repo.git(&["status", "--porcelain"]).stdout).into_owned();
        assert_eq!(untracked.contains("?? .venv/"), ignored == NOT_IGNORED, "{untracked}");
        let package = format!("{folder}/shop/__init__.py").trim_start_matches('/').to_owned();
        repo.write(&package, "def total(prices):\n    return sum(prices) + 0\n");
        let right = review(&repo);
        assert_eq!((gate(&right, "unittest").0.as_str(), &right["outcome"]), ("passed", &"accept".into()), "{right}");
        assert_eq!(changed(&repo), [package.as_str()], "{ignored}");
        repo.write(&package, "def total(prices):\n    return 4\n");
        let wrong = review(&repo);
        assert_eq!((gate(&wrong, "unittest").0.as_str(), &wrong["outcome"]), ("failed", &"revise".into()), "{wrong}");
        assert_eq!(changed(&repo), [package.as_str()], "{ignored}");
    }
}

#[test]
fn a_package_that_is_found_elsewhere_is_not_tested() {
    let repo = python("lib", IGNORED);
    // The tests would find it through the environment, in the user's own tree.
    repo.write("lib/shop/__init__.py", "def total(prices):\n    return 4\n");
    let envelope = review(&repo);
    let (state, why) = gate(&envelope, "unittest");
    assert_ne!(envelope["outcome"], "accept", "{envelope:#}");
    assert!(state == "not_ready" && why.contains("shop"), "{state}: {why}\n{envelope}");
    // What only reads files reads those of the copy.
    assert_eq!(gate(&envelope, "python-compile").0, "passed", "{envelope}");
}

#[test]
fn packages_of_npm_are_copied_and_must_not_lead_back() {
    let lays_out = || {
        let repo = Repo::with_commit(&[
            (
                "package.json",
                "{\"name\":\"root\",\"scripts\":{\"test\":\"node --test test/\"},\"workspaces\":[\"lib\"],\"dependencies\":{\"lib\":\"*\"}}\n",
            ),
            ("lib/package.json", "{\"name\":\"lib\",\"main\":\"index.js\"}\n"),
            ("lib/index.js", "module.exports = () => 3;\n"),
            (
                "test/a.test.js",
                "const test = require('node:test');\nconst assert = require('node:assert');\n\
                 test('three', () => assert.equal(require('lib')(), 3));\n",
            ),
            (".gitignore", "node_modules/\n"),
            ("assize.toml", "[prepare]\nmode = \"off\"\n"),
        ]);
        fs::create_dir(repo.path().join("node_modules")).expect("made");
        repo
    };
    let repo = lays_out();
    symlink("../lib", repo.path().join("node_modules/lib")).expect("linked");
    repo.write("lib/index.js", "module.exports = () => 4;\n");
    let wrong = review(&repo);
    assert_eq!((gate(&wrong, "node-test").0.as_str(), &wrong["outcome"]), ("failed", &"revise".into()), "{wrong}");
    let repo = lays_out();
    symlink(repo.path().join("lib"), repo.path().join("node_modules/lib")).expect("linked");
    repo.write("lib/index.js", "module.exports = () => 4;\n");
    let back = review(&repo);
    let (state, why) = gate(&back, "node-test");
    assert!(
        state == "not_ready" && why.contains("node_modules/lib leads to the tree itself"),
        "{state}: {why}\n{back}"
    );
    assert_eq!(back["outcome"], "unjudged");
}
