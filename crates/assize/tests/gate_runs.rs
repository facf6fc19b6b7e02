//! Gates with the real program: what is kept of a base, and when a run is over. The tool is a script.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use assize_engine::gate::MANIFEST_BYTES_MAX;
use assize_testkit::change;
use assize_testkit::repo::Repo;
use serde_json::Value;

/// A repository whose one gate is a script on the search path.
struct GateRunFixture {
    repo: Repo,
}

impl GateRunFixture {
    fn new(wall_seconds: u64) -> Self {
        let settings = format!(
            "[review]\nrequire = []\n\n[gates]\nsandbox = \"off\"\n\n[gates.limits]\nwall_seconds = {wall_seconds}\n\n\
             [[gate]]\nid = \"lint\"\ncommand = [\"scripted-lint\"]\ndimension = \"style\"\nreport = \"ruff\"\n"
        );
        let repo = Repo::with_commit(&[("assize.toml", &settings), ("a.py", "import os\n")]);
        repo.write("notes.txt", "A change.\n");
        Self { repo }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.repo.outside().join(name)
    }

    /// Writes the tool: it counts its runs, does something, and objects to one line.
    fn tool(&self, does: &str) {
        let runs = self.at("runs");
        let text = format!(
            "#!/bin/sh\necho run >> {}\n{does}\necho '[{{\"code\":\"E999\",\"filename\":\"a.py\",\
             \"location\":{{\"row\":1,\"column\":1}},\"message\":\"odd\"}}]'\nexit 1\n",
            runs.display()
        );
        let tool = self.at("bin/scripted-lint");
        fs::create_dir_all(self.at("bin")).expect("made");
        fs::write(&tool, text).expect("written");
        fs::set_permissions(tool, fs::Permissions::from_mode(0o755)).expect("set");
    }

    fn runs(&self) -> usize {
        fs::read_to_string(self.at("runs")).unwrap_or_default().lines().count()
    }

    fn review(&self) -> Value {
        let own = std::env::var_os("PATH").unwrap_or_default();
        let path = [self.at("bin")].into_iter().chain(std::env::split_paths(&own));
        let output = Command::new(Path::new(env!("CARGO_BIN_EXE_assize")))
            .args(["review", "--format", "json"])
            .current_dir(self.repo.path())
            .env_clear()
            .env("PATH", std::env::join_paths(path).expect("a path"))
            .env("HOME", self.repo.outside())
            .env("XDG_CACHE_HOME", self.at("cache"))
            .output()
            .expect("the program runs");
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// Reviews, and returns the result of the gate.
    fn gate(&self) -> Value {
        let envelope = self.review();
        let gates = envelope["exec"]["gates"].as_array().expect("gates");
        gates.iter().find(|gate| gate["id"] == "lint").expect("the gate ran").clone()
    }
}

#[test]
fn what_is_known_of_a_base_is_known_of_one_version_of_a_tool() {
    let world = GateRunFixture::new(60);
    let mut runs = Vec::new();
    for does in [": a", ": a", ": b", ": b"] {
        // The same file is not written anew.
        if runs.len() % 2 == 0 {
            world.tool(does);
        }
        let result = world.gate();
        assert_eq!((&result["state"], &result["known"]), (&"passed".into(), &1.into()), "{result}");
        runs.push(world.runs());
    }
    assert_eq!(runs, [2, 3, 5, 6], "the change each time, the base once for each version");
}

#[test]
fn a_gate_may_be_silent_for_as_long_as_it_may_run() {
    for (wall_seconds, state) in [(60, "passed"), (1, "not_ready")] {
        let world = GateRunFixture::new(wall_seconds);
        world.tool("sleep 2");
        let result = world.gate();
        assert_eq!(result["state"], state, "{result}");
    }
}

#[test]
fn a_manifest_that_is_too_large_to_be_read_is_that_of_the_base() {
    let world = GateRunFixture::new(60);
    world.tool("");
    world.repo.write("pyproject.toml", "[tool.ruff]\n");
    world.repo.commit("ruff");
    let limit = "pyproject.toml is larger than 1048576 bytes: gates ran with the base's";
    for (bytes, is_said) in [(MANIFEST_BYTES_MAX, false), (MANIFEST_BYTES_MAX + 1, true)] {
        world.repo.write("pyproject.toml", &"\n".repeat(usize::try_from(bytes).expect("it fits")));
        let envelope = world.review();
        assert_eq!(envelope.to_string().contains(limit), is_said);
        assert!(!envelope.to_string().contains("gate-removed"), "the base's settings hold either way");
    }
}

/// Objects to each file of tests but one, as a formatter objects to what it did not write; and writes a cache, or nothing.
const OBJECTING: &str = "const fs = require('node:fs');\nif (WRITES) fs.writeFileSync('.cache', 'x');\n\
    process.exit(fs.readdirSync('test').join() === 'shop.test.js' ? 0 : 1);\n";

#[test]
fn what_a_script_checks_before_the_tests_does_not_see_tests_of_ours() {
    for writes in ["false", "true"] {
        let repo = Repo::with_commit(&[
            ("package.json", r#"{"name":"shop","scripts":{"test":"node check.js && node --test test/*.test.js"}}"#),
            ("check.js", &OBJECTING.replace("WRITES", writes)),
            ("shop.js", "module.exports = (prices) => prices.reduce((sum, it) => sum + it, 0);\n"),
            (
                "test/shop.test.js",
                "const total = require('../shop.js');\nrequire('node:test').test('total', () => require('node:assert').equal(total([1, 2]), 3));\n",
            ),
            (".gitignore", ".cache\n"),
        ]);
        repo.write("shop.js", "module.exports = (prices) => {\n  let sum = 0;\n  for (const it of prices) sum += it;\n  return sum;\n};\n");
        let envelope = reviewed(&repo, &[]);
        assert_eq!(envelope["outcome"], "accept", "{writes}: {envelope}");
        // What it objects to in the change counts.
        repo.write("test/extra.txt", "x\n");
        let envelope = reviewed(&repo, &[]);
        assert_eq!(envelope["outcome"], "revise", "{writes}: {envelope}");
    }
}

/// Reviews a change of a shop whose script for tests is this, with tools of the user's.
fn review_of_shop(scripts: &str, more: &[(&str, &str)], tools: &[PathBuf]) -> Value {
    let change =
        "module.exports = (prices) => {\n  let sum = 0;\n  for (const it of prices) sum += it;\n  return sum;\n};\n";
    review_of_shop_with(change, scripts, more, tools)
}

/// The same with this change of its code.
fn review_of_shop_with(change: &str, scripts: &str, more: &[(&str, &str)], tools: &[PathBuf]) -> Value {
    let manifest = format!("{{\"name\":\"shop\",\"scripts\":{{{scripts}}}}}");
    let files = [
        ("package.json", manifest.as_str()),
        ("assize.toml", "[prepare]\nmode = \"off\"\n"),
        ("shop.js", "module.exports = (prices) => prices.reduce((sum, it) => sum + it, 0);\n"),
        (
            "test/shop.test.js",
            "const total = require('../shop.js');\nrequire('node:test').test('total', () => require('node:assert').equal(total([1, 2]), 3));\n",
        ),
        (".gitignore", ".cache\n"),
    ];
    let repo = Repo::with_commit(&[&files, more].concat());
    repo.write("shop.js", change);
    reviewed(&repo, tools)
}

/// Reviews what has changed in a repository, with tools of the user's.
fn reviewed(repo: &Repo, tools: &[PathBuf]) -> Value {
    let program = Path::new(env!("CARGO_BIN_EXE_assize"));
    let output = change::command(program, repo, tools, &["review", "--format", "json"]).output();
    serde_json::from_slice(&output.expect("the program runs").stdout).expect("JSON")
}

/// A folder with a stand-in of a formatter that objects to each file of tests but one, as to what somebody else wrote.
fn formatter(folder: &Path) -> PathBuf {
    let text = "#!/usr/bin/env node\n\
        const odd = require('node:fs').readdirSync('test').filter((name) => name !== 'shop.test.js');\n\
        console.log('Checking formatting...');\n\
        odd.forEach((name) => console.error(`[warn] test/${name}`));\n\
        if (odd.length === 0) console.log('All matched files use Prettier code style!');\n\
        else console.error('Code style issues found in the above file. Run Prettier with --write to fix.');\n\
        process.exit(odd.length === 0 ? 0 : 1);\n";
    let tool = folder.join("prettier");
    fs::write(&tool, text).expect("written");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("set");
    folder.to_owned()
}

/// The faults that gates hold against a change.
fn new_faults(envelope: &Value) -> Vec<String> {
    let gates = envelope["exec"]["gates"].as_array().expect("gates");
    gates.iter().flat_map(|gate| gate["new"].as_array().cloned().unwrap_or_default()).map(|it| it.to_string()).collect()
}

#[test]
fn an_unclean_base_gets_no_new_fault_from_tests_of_ours() {
    let tools = tempfile::tempdir().expect("a folder");
    let tools = [formatter(tools.path())];
    // Names what it objects to, as formatters do: a name that cannot be guessed would be a new fault each time.
    let check = "const odd = require('node:fs').readdirSync('test').filter((name) => name !== 'shop.test.js');\n\
                 if (odd.length > 0) { console.error(`not formatted: ${odd}`); process.exit(1); }\n";
    for (script, outcome) in [
        // Without the check the tests do not begin, on the base either.
        ("node check.js && node --test test/*.test.js", "unjudged"),
        ("node --test test/*.test.js && node check.js", "accept"),
        ("prettier --check . && node --test test/*.test.js", "accept"),
        ("node --test test/*.test.js && prettier --check .", "accept"),
    ] {
        let more = [("check.js", check), ("test/old.txt", "old\n"), (".prettierrc", "{}\n")];
        let envelope = review_of_shop(&format!("\"test\":\"{script}\""), &more, &tools);
        assert_eq!(new_faults(&envelope), [""; 0], "{script}: {envelope}");
        assert_eq!(envelope["outcome"], outcome, "{script}: {envelope}");
    }
}

#[test]
fn what_a_script_checks_after_the_tests_does_not_see_tests_of_ours() {
    let tools = tempfile::tempdir().expect("a folder");
    let tools = [formatter(tools.path())];
    for scripts in [
        r#""test":"node --test test/*.test.js && node check.js""#,
        r#""test":"node --test test/*.test.js && prettier --check .""#,
        r#""test":"node --test test/*.test.js","posttest":"node check.js""#,
        r#""test":"node --test test/*.test.js; node check.js""#,
    ] {
        for writes in ["false", "true"] {
            let check = OBJECTING.replace("WRITES", writes);
            let envelope = review_of_shop(scripts, &[("check.js", &check), (".prettierrc", "{}\n")], &tools);
            assert_eq!(envelope["outcome"], "accept", "{scripts} {writes}: {envelope}");
        }
    }
}

#[test]
fn a_test_that_comes_upon_tests_of_ours_is_asked_without_them() {
    let lists = "const { test } = require('node:test');\nconst assert = require('node:assert');\n\
        const files = require('node:fs').readdirSync(__dirname);\n\
        test('each file of tests is known', () => assert.deepEqual(files, ['list.test.js', 'shop.test.js']));\n\
        test('the total of none', () => assert.equal(require('../shop.js')([]), TOTAL));\n";
    let limit = "node-test ran without a canary: on the base, tests fail when one stands beside them";
    for (fault, outcome) in [(false, "accept"), (true, "revise")] {
        // The change is the same each time: with the fault, it breaks what the base has for the total of none.
        let more = [("test/list.test.js", &*lists.replace("TOTAL", "0"))];
        let scripts = r#""test":"node --test test/*.test.js""#;
        let of_change = if fault { "1" } else { "0" };
        let change = format!(
            "module.exports = (prices) => {{\n  let sum = prices.length ? 0 : {of_change};\n  for (const it of prices) sum += it;\n  return sum;\n}};\n"
        );
        let envelope = review_of_shop_with(&change, scripts, &more, &[]);
        assert_eq!(envelope["outcome"], outcome, "{envelope:#}");
        assert!(envelope.to_string().contains(limit), "{envelope:#}");
    }
    let plain = review_of_shop(r#""test":"node --test test/*.test.js""#, &[], &[]);
    assert!(!plain.to_string().contains("without a canary"), "{plain}");
}

#[test]
fn tests_of_what_is_built_are_built_first() {
    let review = |code: &str| {
        let scripts = r#"{"build":"node build.js","test":"node --test test/*.test.js"}"#;
        let repo = Repo::with_commit(&[
            ("package.json", &format!("{{\"name\":\"shop\",\"scripts\":{scripts}}}")),
            (
                "build.js",
                "const fs = require('node:fs');\nrequire('./shop.js');\nfs.mkdirSync('dist', { recursive: true });\n\
                 fs.copyFileSync('shop.js', 'dist/shop.js');\n",
            ),
            ("shop.js", "module.exports = (prices) => prices.reduce((sum, it) => sum + it, 0);\n"),
            (
                "test/shop.test.js",
                "const total = require('../dist/shop.js');\nrequire('node:test').test('total', () => require('node:assert').equal(total([1, 2]), 3));\n",
            ),
            (".gitignore", "dist/\n"),
        ]);
        repo.write("shop.js", code);
        reviewed(&repo, &[])
    };
    let right =
        "module.exports = (prices) => {\n  let sum = 0;\n  for (const it of prices) sum += it;\n  return sum;\n};\n";
    assert_eq!(review(right)["outcome"], "accept");
    let wrong = review(&right.replace("sum += it", "sum = it"));
    assert!(wrong["outcome"] == "revise" && wrong.to_string().contains("1 of 1 tests failed"), "{wrong}");
    let unbuilt = review("module.exports = (prices) => {\n");
    assert_eq!(unbuilt["outcome"], "revise", "{unbuilt}");
}

#[test]
fn a_script_of_tests_is_built_first_as_well() {
    let review = |code: &str| {
        let scripts = r#"{"build":"mkdir -p dist && cp shop.js dist/shop.js","test":"node tests"}"#;
        let repo = Repo::with_commit(&[
            ("package.json", &format!("{{\"name\":\"shop\",\"scripts\":{scripts}}}")),
            (
                "shop.js",
                "function total(prices) {\n  return prices.reduce((sum, it) => sum + it, 0);\n}\nmodule.exports = total;\n",
            ),
            (
                "tests/index.js",
                "const total = require('../dist/shop.js');\nrequire('node:assert').equal(total([1, 2]), 3);\nconsole.log('total ok');\n",
            ),
            (".gitignore", "dist/\n"),
        ]);
        repo.write("shop.js", code);
        reviewed(&repo, &[])
    };
    let right = "function total(prices) {\n  let sum = 0;\n  for (const it of prices) sum += it;\n  return sum;\n}\nmodule.exports = total;\n";
    let envelope = review(right);
    assert_eq!(envelope["outcome"], "accept", "{envelope:#}");
    assert_eq!(review(&right.replace("sum += it", "sum = it"))["outcome"], "revise");
}

#[test]
fn a_script_that_checks_types_is_built_first_where_the_change_needs_it() {
    for (needed, outcome) in [("dist/shop.js", "accept"), ("dist/none.js", "revise")] {
        let scripts = r#"{"build":"mkdir -p dist && cp shop.js dist/shop.js","typecheck":"node check.js"}"#;
        let check = "for (const it of require('./needs.json')) require.resolve(`./${it}`);\n";
        let repo = Repo::with_commit(&[
            ("package.json", &format!("{{\"name\":\"shop\",\"scripts\":{scripts}}}")),
            ("assize.toml", "[review]\nrequire = []\n"),
            ("shop.js", "module.exports = 1;\n"),
            ("check.js", check),
            ("needs.json", "[\"shop.js\"]\n"),
            (".gitignore", "dist/\n"),
        ]);
        repo.write("needs.json", &format!("[\"shop.js\", \"{needed}\"]\n"));
        let envelope = reviewed(&repo, &[]);
        assert_eq!(envelope["outcome"], outcome, "{envelope:#}");
    }
}

#[test]
fn the_parser_of_the_language_has_the_last_word() {
    let raw = "exports.path = () => String.raw`[0]\\x`;\n";
    for (text, outcome, parses) in [(raw, "accept", true), ("exports.path = () => {\n", "revise", false)] {
        let repo = Repo::with_commit(&[
            ("package.json", r#"{"name":"a"}"#),
            ("assize.toml", "[review]\nrequire = []\n"),
            ("path.js", "exports.path = () => '';\n"),
        ]);
        repo.write("path.js", text);
        let envelope = reviewed(&repo, &[]);
        assert_eq!(envelope["outcome"], outcome, "{envelope:#}");
        assert_eq!(envelope.to_string().contains("seemed not to parse"), parses, "{envelope:#}");
    }
}

#[test]
fn a_script_of_tests_notices_values_of_a_module_and_is_not_asked_about_types() {
    let code = "const PATTERN = /^[a-z]$/;\nexports.isName = (text) => PATTERN.test(text);\n";
    let types = "export declare function isName(text: string): boolean;\n";
    let wider = code.replace("[a-z]", "[a-z]+");
    let check = "const { isName } = require('../index.js');\nrequire('node:assert').ok(isName('a'));\nconsole.log('names ok');\n";
    let blind = "console.log('names ok');\n";
    for (check, path, text, outcome) in [
        (check, "index.js", wider.as_str(), "accept"),
        (check, "index.js", &code.replace("a-z", "b-z"), "revise"),
        (blind, "index.js", &wider, "unjudged"),
        (blind, "index.d.ts", &types.replace("text:", "name:"), "accept"),
    ] {
        let repo = Repo::with_commit(&[
            ("package.json", r#"{"name":"names","scripts":{"test":"node tests"}}"#),
            ("index.js", code),
            ("index.d.ts", types),
            ("tests/index.js", check),
        ]);
        repo.write(path, text);
        let envelope = reviewed(&repo, &[]);
        assert_eq!(envelope["outcome"], outcome, "{path} {text}: {envelope}");
    }
}

#[test]
fn code_is_held_to_the_base_s_tests_though_the_change_has_another_runner() {
    let package = |script: &str| format!("{{\"name\":\"shop\",\"scripts\":{{\"test\":\"{script}\"}}}}");
    let sum = "const total = require('../shop.js');\nconst assert = require('node:assert');\n";
    let test = format!("{sum}require('node:test').test('total', () => assert.equal(total([1, 2]), 3));\n");
    for (total, outcome) in [("sum + it, 0", "accept"), ("sum + it, 1", "revise")] {
        let repo = Repo::with_commit(&[
            ("package.json", &*package("node --test test/*.test.js")),
            ("assize.toml", "[prepare]\nmode = \"off\"\n"),
            ("shop.js", "module.exports = (prices) => eval(prices.join('+'));\n"),
            ("test/shop.test.js", &test),
        ]);
        repo.write("package.json", &package("node test/shop.test.js"));
        repo.write("shop.js", &format!("module.exports = (prices) => prices.reduce((sum, it) => {total});\n"));
        repo.write("test/shop.test.js", &format!("{sum}assert.equal(total([1, 2]), 3);\n"));
        let envelope = reviewed(&repo, &[]);
        assert_eq!(envelope["outcome"], outcome, "{envelope:#}");
    }
}

#[test]
fn a_canary_that_does_not_work_on_a_red_base_tells_nothing_against_its_fix() {
    let tests = "const total = require('../shop.js');\nconst { test } = require('node:test');\nconst assert = require('node:assert');\n\
        test('total', () => assert.strictEqual(total([1, 2]), 3));\n\
        test('total of none', () => assert.strictEqual(total([]), 0));\n";
    let strict = "const assert = require('node:assert');\n\
        if (!/shop.test.js$/.test(process.argv[1])) assert.equal = () => { throw new Error('not strict'); };\n";
    for (start, outcome) in [(0, "accept"), (1, "revise")] {
        let manifest = r#"{"name":"shop","scripts":{"test":"node --require ./strict.js --test test/*.test.js"}}"#;
        let repo = Repo::with_commit(&[
            ("package.json", manifest),
            ("assize.toml", "[prepare]\nmode = \"off\"\n"),
            ("strict.js", strict),
            ("shop.js", "module.exports = (prices) => eval(prices.join('+'));\n"),
            ("test/shop.test.js", tests),
        ]);
        repo.write(
            "shop.js",
            &format!("module.exports = (prices) => prices.reduce((sum, it) => sum + it, {start});\n"),
        );
        let envelope = reviewed(&repo, &[]);
        assert_eq!(envelope["outcome"], outcome, "{envelope:#}");
    }
}

#[test]
fn a_canary_that_does_not_work_on_the_base_tells_nothing_against_a_change() {
    let tests = "import total from '../shop.js';\nimport { test } from 'node:test';\nimport assert from 'node:assert';\n\
        test('total', () => assert.equal(total([1, 2]), 3));\n";
    let known = "if (/test.*js$/.test(process.argv[1]) && !process.argv[1].endsWith('shop.test.js')) throw new Error('unknown');\n";
    for (script, is_seen) in [
        // The files of tests are modules, and only their own folder says so.
        ("node --test test/*.test.js", false),
        // Something refuses files of tests that it does not know.
        ("node --import ./known.mjs --test test/*.test.js", true),
    ] {
        for (start, outcome) in [(0, "accept"), (1, "revise")] {
            let manifest = format!("{{\"name\":\"shop\",\"scripts\":{{\"test\":\"{script}\"}}}}");
            let repo = Repo::with_commit(&[
                ("package.json", &*manifest),
                ("assize.toml", "[prepare]\nmode = \"off\"\n"),
                ("known.mjs", known),
                ("shop.js", "module.exports = (prices) => eval(prices.join('+'));\n"),
                ("test/package.json", r#"{"type":"module"}"#),
                ("test/shop.test.js", tests),
            ]);
            let total = format!("(prices) => prices.reduce((sum, it) => sum + it, {start})");
            repo.write("shop.js", &format!("module.exports = {total};\n"));
            let envelope = reviewed(&repo, &[]);
            assert_eq!(envelope["outcome"], outcome, "{script}: {envelope}");
            assert_eq!(envelope.to_string().contains("ran without a canary: on the base, "), is_seen, "{envelope:#}");
        }
    }
}

#[test]
fn a_package_that_reaches_another_by_a_path_is_affected_by_it() {
    let package = |name: &str| format!("{{\"name\":\"{name}\",\"scripts\":{{\"test\":\"node --test\"}}}}");
    let test = |from: &str, prices: &str, sum: u32| {
        format!(
            "const {{ test }} = require('node:test');\nconst assert = require('node:assert');\n\
             test('total', () => assert.equal(require('{from}')({prices}), {sum}));\n"
        )
    };
    for (start, outcome) in [("0", "accept"), ("prices.length > 2 ? 1 : 0", "revise")] {
        let repo = Repo::with_commit(&[
            ("package.json", r#"{"private":true,"workspaces":["packages/*"]}"#),
            ("assize.toml", "[prepare]\nmode = \"off\"\n"),
            ("packages/core/package.json", &package("core")),
            ("packages/core/shop.js", "module.exports = (prices) => eval(prices.join('+'));\n"),
            ("packages/core/shop.test.js", &test("./shop.js", "[1, 2]", 3)),
            ("packages/web/package.json", &package("web")),
            ("packages/web/page.test.js", &test("../core/shop.js", "[1, 2, 3]", 6)),
            ("packages/lone/package.json", &package("lone")),
            ("packages/lone/lone.test.js", &test("node:path", "'0'", 0).replace("require('node:path')", "Number")),
        ]);
        let total = format!("(prices) => prices.reduce((sum, it) => sum + it, {start})");
        repo.write("packages/core/shop.js", &format!("module.exports = {total};\n"));
        let envelope = reviewed(&repo, &[]).to_string();
        assert!(envelope.contains(&format!("\"outcome\":\"{outcome}\"")), "{envelope:#}");
        assert!(envelope.contains("packages/web") && !envelope.contains("packages/lone/lone.test.js"), "{envelope:#}");
    }
}

/// Puts a version 98 of Node where an earlier review would have left it: it is the installed one, and says that it was brought.
fn bring_node_98(repo: &Repo) {
    let machine = if cfg!(target_arch = "x86_64") { "x64" } else { "arm64" };
    let runtime = repo.outside().join(format!(".cache/assize/runtimes-1/node-linux-{machine}-98"));
    fs::create_dir_all(&runtime).expect("made");
    let installed = Command::new("node").args(["-p", "process.execPath"]).output().expect("Node is there").stdout;
    let installed = String::from_utf8(installed).expect("a path");
    let brought = format!("#!/bin/sh\nBROUGHT=yes exec {} \"$@\"\n", installed.trim());
    fs::write(runtime.join("node"), brought).expect("written");
    fs::set_permissions(runtime.join("node"), fs::Permissions::from_mode(0o755)).expect("set");
}

#[test]
fn a_version_of_node_that_the_project_names_runs_where_no_test_passes_with_the_installed_one() {
    let test = "const { test } = require('node:test');\nconst assert = require('node:assert');\n\
        test('total', () => { assert.equal(process.env.BROUGHT, 'yes'); assert.equal(require('../shop.js')([1, 2]), 3); });\n";
    for (named, total, outcome) in [
        (true, "prices.reduce((sum, it) => sum + it, 0)", "accept"),
        (true, "prices.reduce((sum, it) => sum + it, 1)", "revise"),
        (false, "prices.reduce((sum, it) => sum + it, 0)", "unjudged"),
    ] {
        let ci =
            format!("on: push\njobs: {{a: {{steps: [{{with: {{node-version: {}}}}}]}}}}\n", if named { 98 } else { 0 });
        let repo = Repo::with_commit(&[
            ("package.json", r#"{"name":"shop","scripts":{"test":"node --test test/*.test.js"}}"#),
            (".github/workflows/ci.yml", &ci),
            ("shop.js", "module.exports = (prices) => eval(prices.join('+'));\n"),
            ("test/shop.test.js", test),
        ]);
        bring_node_98(&repo);
        repo.write("shop.js", &format!("module.exports = (prices) => {total};\n"));
        let envelope = reviewed(&repo, &[]);
        assert_eq!(envelope["outcome"], outcome, "{envelope:#}");
        assert_eq!(
            envelope.to_string().contains("Node 98 ran, as .github/workflows/ci.yml names it"),
            named,
            "{envelope:#}"
        );
    }
}

#[test]
fn a_change_that_asks_for_another_node_runs_with_it() {
    let test = "const { test } = require('node:test');\nconst assert = require('node:assert');\n\
        test('total', () => { assert.equal(require('../shop.js')([1, 2]), 3); });\n";
    let manifest = |engines: &str| {
        format!(
            r#"{{"name":"shop","engines":{{"node":"{engines}"}},"scripts":{{"test":"node --test test/*.test.js"}}}}"#
        )
    };
    let reduced = |start: u32| format!("prices.reduce((sum, it) => sum + it, {start})");
    for (engines, start, outcome) in [(">=98", 0, "accept"), (">=98", 1, "revise"), (">=14", 0, "revise")] {
        let repo = Repo::with_commit(&[
            ("package.json", &manifest(">=14")),
            ("shop.js", "module.exports = (prices) => eval(prices.join('+'));\n"),
            ("test/shop.test.js", test),
        ]);
        bring_node_98(&repo);
        repo.write("package.json", &manifest(engines));
        let total = reduced(start);
        repo.write("shop.js", &format!("module.exports = (prices) => process.env.BROUGHT && {total};\n"));
        let envelope = reviewed(&repo, &[]);
        assert_eq!(envelope["outcome"], outcome, "{envelope:#}");
        let said = envelope.to_string().contains("Node 98 ran, as package.json of the change names it");
        assert_eq!(said, engines == ">=98", "{envelope:#}");
    }
}

#[test]
fn tests_of_a_script_that_changes_the_folder_are_named_from_the_package() {
    let test = |greeting: &str| {
        format!(
            "const test = require('node:test');\nconst assert = require('node:assert');\n\
             const {{ add, greet }} = require('../shop.js');\ntest('add', () => assert.equal(add(1, 2), 3));\n\
             test('greet', () => assert.equal(greet('Ann'), '{greeting} Ann'));\n"
        )
    };
    let code =
        |greeting: &str| format!("exports.add = (a, b) => a + b;\nexports.greet = (name) => `{greeting} ${{name}}`;\n");
    let repo = Repo::with_commit(&[
        ("package.json", r#"{"name":"shop","scripts":{"test":"cd spec && node --test"}}"#),
        ("assize.toml", "[prepare]\nmode = \"off\"\n"),
        ("shop.js", &code("Hello")),
        ("spec/shop.test.js", &test("Hello")),
    ]);
    repo.write("shop.js", &code("Good day"));
    repo.write("spec/shop.test.js", &test("Good day"));
    let envelope = reviewed(&repo, &[]);
    assert_eq!(envelope["outcome"], "accept", "{envelope:#}");
    let said = envelope.to_string();
    assert!(said.contains("spec/shop.test.js > greet") && !said.contains("without a canary"), "{said}");
}

#[test]
fn what_lies_in_a_folder_for_caches_is_there_and_more_can_be_added() {
    let test = "const test = require('node:test');\nconst assert = require('node:assert');\nconst fs = require('node:fs');\n\
         test('total', () => {\n  const prices = require('../node_modules/.cache/store/prices.js');\n  \
         fs.writeFileSync('node_modules/.cache/seen', '');\n  assert.equal(require('../shop.js')(prices), 3);\n});\n";
    let code = |start: u32| format!("module.exports = (prices) => prices.reduce((sum, it) => sum + it, {start});\n");
    for (start, outcome) in [(0, "accept"), (1, "revise")] {
        let repo = Repo::with_commit(&[
            ("package.json", r#"{"name":"shop","scripts":{"test":"node --test test/*.test.js"}}"#),
            ("assize.toml", "[prepare]\nmode = \"off\"\n"),
            (".gitignore", "node_modules\n"),
            ("shop.js", "module.exports = (prices) => eval(prices.join('+'));\n"),
            ("test/shop.test.js", test),
        ]);
        repo.write("node_modules/.cache/store/prices.js", "module.exports = [1, 2];\n");
        repo.write("shop.js", &code(start));
        let envelope = reviewed(&repo, &[]);
        assert_eq!(envelope["outcome"], outcome, "{envelope:#}");
    }
}

#[test]
fn tests_of_the_base_that_do_not_build_hold_nothing() {
    let test = |call: &str| {
        format!(
            "package shop\n\nimport \"testing\"\n\nfunc TestHalf(t *testing.T) {{\n\tif got := {call}; got != 2 {{\n\t\t\
             t.Fatalf(\"got %d\", got)\n\t}}\n}}\n"
        )
    };
    for (now, outcome) in [("a / 2", "accept"), ("a / 3", "revise")] {
        let repo = Repo::with_commit(&[
            ("go.mod", "module example.com/shop\n\ngo 1.18\n"),
            ("shop.go", "package shop\n\n// Half halves.\nfunc Half(a int) int { return a - a/2 }\n"),
            ("shop_test.go", &test("Half(4, 1)")),
        ]);
        repo.write("shop.go", &format!("package shop\n\n// Half halves.\nfunc Half(a int) int {{ return {now} }}\n"));
        repo.write("shop_test.go", &test("Half(4)"));
        let envelope = reviewed(&repo, &[]);
        assert_eq!(envelope["outcome"], outcome, "{envelope:#}");
    }
}

#[test]
fn a_package_without_tests_is_judged_by_those_beside_it() {
    let manifest = |name: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{rest}\n[workspace]\n")
    };
    let lock = |packages: &[&str]| {
        let package = |name: &&str| match *name {
            "tool" => {
                "\n[[package]]\nname = \"tool\"\nversion = \"0.1.0\"\ndependencies = [\n \"zone\",\n]\n".to_owned()
            }
            name => format!("\n[[package]]\nname = \"{name}\"\nversion = \"0.1.0\"\n"),
        };
        format!("version = 3\n{}", packages.iter().map(package).collect::<String>())
    };
    let code = |name: &str| format!("pub fn zone() -> &'static str {{\n    \"{name}\"\n}}\n");
    let tests = "#[test]\nfn there_is_one() {\n    assert!(!zone::zone().is_empty());\n}\n";
    let (root, tool) = (manifest("zone", ""), manifest("tool", "[dependencies]\nzone = { path = \"..\" }\n"));
    let (root_lock, tool_lock) = (lock(&["zone"]), lock(&["tool", "zone"]));
    let with_tests = [
        ("Cargo.toml", root.as_str()),
        ("Cargo.lock", &root_lock),
        ("src/lib.rs", &code("UTC")),
        ("tool/Cargo.toml", &tool),
        ("tool/Cargo.lock", &tool_lock),
        ("tool/src/main.rs", "fn main() {\n    println!(\"{}\", zone::zone());\n}\n"),
        ("tests/zone.rs", tests),
    ];
    let (package, others): (Vec<_>, Vec<_>) = with_tests.iter().partition(|(path, _)| path.starts_with("tool/"));
    for (base, outcome) in [(&with_tests[..], "accept"), (&with_tests[..6], "unjudged"), (&others, "accept")] {
        let repo = Repo::with_commit(base);
        repo.write("src/lib.rs", &code("Etc/UTC"));
        // It may come with the change as well.
        package.iter().for_each(|(path, text)| repo.write(path, text));
        let envelope = reviewed(&repo, &[]);
        assert_eq!(envelope["outcome"], outcome, "{envelope:#}");
    }
}

#[test]
fn a_test_that_is_slow_on_the_base_has_more_time() {
    let code = |seconds: &str| format!("import time\n\n\ndef wait():\n    time.sleep({seconds})\n    return True\n");
    let tests = "import unittest\n\nimport slow\n\n\nclass SlowTest(unittest.TestCase):\n    def test_wait(self):\n        self.assertTrue(slow.wait())\n";
    for (seconds, outcome) in [("8", "accept"), ("60", "revise")] {
        let repo = Repo::with_commit(&[
            ("assize.toml", "[gates]\ntest_seconds = 4\n"),
            ("slow.py", &code("2.5")),
            ("tests/__init__.py", ""),
            ("tests/test_slow.py", tests),
        ]);
        repo.write("slow.py", &code(seconds));
        let envelope = reviewed(&repo, &[]);
        assert_eq!(envelope["outcome"], outcome, "{envelope:#}");
    }
}
