//! Gates of projects with installed packages: what they import is the copy that is judged, never the user's own tree for
//! which the packages were installed.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use assize_engine::gate::{Planned, PreparedWorktree, RunTerms, RunnerTest};
use assize_engine::sandbox::{Sandbox, SandboxHost, SandboxTier};
use assize_engine::work_copy::WorkCopy;
use assize_gate::gate::{GATES, GateState, GateTrouble};
use assize_testkit::change;
use assize_testkit::machine_test::{CannotRun, Tested};
use assize_testkit::repo::Repo;
use serde_json::Value;

use super::world::launcher;

const RIGHT: &str = "def total(prices):\n    return sum(prices)\n";
const WRONG: &str = "def total(prices):\n    return 4\n";
const TESTS: &str = "import unittest\nimport shop\n\n\nclass T(unittest.TestCase):\n    def test_total(self):\n        \
                     self.assertEqual(shop.total([1, 2]), 3)\n";
/// Stands for a formatter that is installed in an environment: it judges the code that it imports.
const FORMATTER: &str = "import sys\nimport shop\n\nif shop.total([1, 2]) != 3:\n    \
                         sys.exit('would reformat shop\\n1 file would be reformatted.')\n\
                         print('1 file would be left unchanged.', file=sys.stderr)\n";
/// Stands for pytest: it says what it imports, and gives up.
const PYTEST: &str = "__version__ = '8.0'\n\n\nclass File:\n    pass\n\n\nclass Module(File):\n    pass\n\n\n\
                      def hookimpl(**options):\n    return lambda hook: hook\n\n\ndef main(arguments, plugins):\n    \
                      import shop\n    print('a stand-in counts', shop.total([1, 2]), flush=True)\n    return 3\n";

/// Returns a sandbox of a tier in which the user's own tools are found.
fn sandbox_of(tier: SandboxTier) -> Result<Sandbox, CannotRun> {
    let found = Sandbox::at(tier, &launcher(), &SandboxHost::of_this_process());
    found.map_err(|error| CannotRun(format!("{tier} cannot be had here: {error}")))
}

fn write_program(path: &Path, text: &str) {
    fs::write(path, text).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("executable");
}

/// Makes an environment of Python beside a project, with an editable install of the package in one of its folders, and with
/// programs as pip writes them where the path has a blank.
fn install(root: &Path, folder: &str, has_pytest: bool) {
    let environment = root.join(".venv");
    let made = Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&environment).status();
    assert!(made.expect("it starts").success());
    let library = fs::read_dir(environment.join("lib")).expect("a folder").next().expect("a version").expect("read");
    let packages = library.path().join("site-packages");
    fs::write(packages.join("__editable__.shop-1.pth"), format!("{}\n", root.join(folder).display())).expect("written");
    let python = environment.join("bin/python");
    let begin = format!("#!/bin/sh\n'''exec' \"{}\" \"$0\" \"$@\"\n' '''\n", python.display());
    for tool in ["black", "mypy"] {
        write_program(&environment.join("bin").join(tool), &format!("{begin}{FORMATTER}"));
    }
    if has_pytest {
        fs::write(packages.join("pytest.py"), PYTEST).expect("written");
        write_program(&environment.join("bin/pytest"), &begin);
    }
}

/// The files of a project of Python whose package lies in a folder.
fn files_of(folder: &str, settings: &str) -> Vec<(String, String)> {
    let package = format!("{folder}/shop/__init__.py").trim_start_matches('/').to_owned();
    let manifest = format!("[project]\nname = \"shop\"\nversion = \"1\"\n\n[tool.black]\n{settings}");
    [
        (package.as_str(), RIGHT),
        ("tests/__init__.py", ""),
        ("tests/test_shop.py", TESTS),
        ("pyproject.toml", &manifest),
        (".gitignore", ".venv/\nnode_modules/\n__pycache__/\n"),
        ("assize.toml", "[prepare]\nmode = \"off\"\n"),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .into()
}

/// How a gate ended that ran in a copy, and why it came to no result.
type GateEnd = (GateState, Option<(GateTrouble, String)>);

/// Runs a gate in a copy of a project in which one file differs from the user's own.
fn run_in_copy(repo: &Repo, paths: &[String], changed: (&str, &str), gate: &str, sandbox: &Sandbox) -> GateEnd {
    let root = repo.path().canonicalize().expect("a folder");
    let mut copy = WorkCopy::of_folder(&root, paths.iter().cloned()).expect("a copy");
    copy.write(changed.0, changed.1).expect("written");
    let build = tempfile::tempdir().expect("a folder");
    let search_path = std::env::var("PATH").unwrap_or_default();
    let mut prepared = PreparedWorktree::new(copy, &root, &search_path, build.path().to_owned());
    let gate = GATES.iter().find(|known| known.id() == gate).expect("a gate");
    let setup = gate.detect(&prepared.project).into_iter().next().expect("it is in use");
    let planned = Planned { gate: *gate, setup: &setup };
    let ran = prepared
        .run(planned, sandbox, &RunTerms::default(), RunnerTest::Canary("unpredictable"), &mut |_| {})
        .expect("it runs");
    (ran.run.state, ran.run.trouble)
}

/// A project of Python with its environment, and the paths of its files.
fn python(folder: &str, settings: &str) -> (Repo, Vec<String>) {
    let repo = Repo::empty();
    let files = files_of(folder, settings);
    for (path, text) in &files {
        repo.write(path, text);
    }
    install(&repo.path().canonicalize().expect("a folder"), folder, settings.contains("pytest"));
    (repo, files.into_iter().map(|(path, _)| path).collect())
}

/// With namespaces the copy stands where the user's tree stands, and an environment leads to the copy.
pub fn an_editable_install_leads_to_the_copy(tier: SandboxTier) -> Tested {
    let sandbox = sandbox_of(tier)?;
    for folder in ["", "src", "lib"] {
        let (repo, paths) = python(folder, "");
        let package = paths[0].as_str();
        for gate in ["unittest", "black"] {
            for (own, judged, state) in [
                (RIGHT, RIGHT, GateState::Passed),
                (RIGHT, WRONG, GateState::Failed),
                (WRONG, RIGHT, GateState::Passed),
            ] {
                repo.write(package, own);
                let (found, why) = run_in_copy(&repo, &paths, (package, judged), gate, &sandbox);
                assert_eq!(found, state, "{gate} of {package}, {judged:?} beside {own:?}: {why:?}");
            }
        }
    }
    Ok(())
}

pub fn pytest_is_the_one_of_the_environment(tier: SandboxTier) -> Tested {
    let sandbox = sandbox_of(tier)?;
    let (repo, paths) = python("src", "\n[tool.pytest.ini_options]\n");
    for (judged, counts) in [(RIGHT, "a stand-in counts 3"), (WRONG, "a stand-in counts 4")] {
        let (state, why) = run_in_copy(&repo, &paths, (&paths[0], judged), "pytest", &sandbox);
        let (kind, detail) = why.expect("it gives up");
        assert_eq!(state, GateState::Errored);
        assert!(kind != GateTrouble::MissingTool && detail.contains(counts), "{kind:?}: {detail}");
    }
    Ok(())
}

/// A package of the same workspace that packages of npm lead to, and a test that loads it.
fn node(link: impl Fn(&Path) -> PathBuf) -> (Repo, Vec<String>) {
    let repo = Repo::empty();
    let files = [
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
    ];
    for (path, text) in files {
        repo.write(path, text);
    }
    let root = repo.path().canonicalize().expect("a folder");
    fs::create_dir(root.join("node_modules")).expect("made");
    symlink(link(&root), root.join("node_modules/lib")).expect("linked");
    (repo, files.map(|(path, _)| path.to_owned()).into())
}

/// A workspace as pnpm installs it: packages of the registry lie in a store, each beside links to what it needs, and a
/// package of the workspace has links of its own, to others of the workspace, too.
fn pnpm() -> (Repo, Vec<String>) {
    const STORE: &str = "node_modules/.pnpm";
    let repo = Repo::empty();
    let files = [
        ("package.json", "{\"name\":\"root\",\"scripts\":{\"test\":\"node --test packages/a/test/\"}}\n"),
        ("pnpm-workspace.yaml", "packages:\n  - packages/*\n"),
        ("packages/a/package.json", "{\"name\":\"a\",\"dependencies\":{\"b\":\"workspace:*\",\"x\":\"1.0.0\"}}\n"),
        ("packages/b/package.json", "{\"name\":\"b\",\"main\":\"index.js\"}\n"),
        ("packages/b/index.js", "module.exports = () => 3;\n"),
        (
            "packages/a/test/a.test.js",
            "const test = require('node:test');\nconst assert = require('node:assert');\n\
             test('three', () => assert.equal(require('b')(), require('x')()));\n",
        ),
    ];
    for (path, text) in files {
        repo.write(path, text);
    }
    for (name, index) in [("x", "module.exports = require('y');\n"), ("y", "module.exports = () => 3;\n")] {
        let package = format!("{STORE}/{name}@1.0.0/node_modules/{name}");
        repo.write(&format!("{package}/package.json"), &format!("{{\"name\":\"{name}\",\"version\":\"1.0.0\"}}\n"));
        repo.write(&format!("{package}/index.js"), index);
    }
    let root = repo.path();
    fs::create_dir(root.join("packages/a/node_modules")).expect("made");
    for (link, target) in [
        (format!("{STORE}/x@1.0.0/node_modules/y"), "../../y@1.0.0/node_modules/y"),
        ("packages/a/node_modules/x".to_owned(), "../../../node_modules/.pnpm/x@1.0.0/node_modules/x"),
        ("packages/a/node_modules/b".to_owned(), "../../b"),
    ] {
        symlink(target, root.join(link)).expect("linked");
    }
    (repo, files.map(|(path, _)| path.to_owned()).into())
}

pub fn a_link_of_a_workspace_leads_to_the_copy(tier: SandboxTier) -> Tested {
    let sandbox = sandbox_of(tier)?;
    let layouts = [node(|_| "../lib".into()), node(|root| root.join("lib")), pnpm()];
    for ((repo, paths), package) in layouts.into_iter().zip(["lib", "lib", "packages/b"]) {
        for (judged, state) in [("() => 2 + 1", GateState::Passed), ("() => 4", GateState::Failed)] {
            let (path, text) = (format!("{package}/index.js"), format!("module.exports = {judged};\n"));
            let (found, why) = run_in_copy(&repo, &paths, (&path, &text), "node-test", &sandbox);
            assert_eq!(found, state, "{path} {judged}: {why:?}");
        }
    }
    Ok(())
}

/// Landlock alone moves nothing: a gate runs where what it imports is found in the copy, and says why where it is not.
pub fn with_landlock_alone_gates_run_where_the_copy_is_what_they_import() -> Tested {
    let sandbox = sandbox_of(SandboxTier::Landlock)?;
    for folder in ["", "src"] {
        let (repo, paths) = python(folder, "");
        for (judged, state) in [(RIGHT, GateState::Passed), (WRONG, GateState::Failed)] {
            let (found, why) = run_in_copy(&repo, &paths, (&paths[0], judged), "unittest", &sandbox);
            assert_eq!(found, state, "{} {judged:?}: {why:?}", paths[0]);
        }
    }
    // Where the copy is not what comes first, an entry of the import path that leads back is enough; a folder of the user's
    // tree that cannot be read proves nothing.
    for (folder, gate, detail) in
        [("lib", "unittest", "shop is not found in the copy"), ("src", "mypy", "the import path leads to")]
    {
        let (repo, paths) = python(folder, "\n[tool.mypy]\n");
        let (state, why) = run_in_copy(&repo, &paths, (&paths[0], WRONG), gate, &sandbox);
        let (kind, said) = why.unwrap_or_else(|| panic!("{gate} ran, and is {state:?}"));
        assert_eq!((state, kind), (GateState::Errored, GateTrouble::Machine), "{said}");
        assert!(said.contains(detail), "{said}");
    }
    let wrong = ("lib/index.js", "module.exports = () => 4;\n");
    for ((repo, paths), path) in [(node(|_| "../lib".into()), wrong.0), (pnpm(), "packages/b/index.js")] {
        let right = (path, "module.exports = () => 2 + 1;\n");
        let (state, why) = run_in_copy(&repo, &paths, right, "node-test", &sandbox);
        assert_eq!(state, GateState::Passed, "{path}: {why:?}");
        let (state, why) = run_in_copy(&repo, &paths, (path, wrong.1), "node-test", &sandbox);
        assert_eq!(state, GateState::Failed, "{path}: {why:?}");
    }
    let (repo, paths) = node(|root| root.join("lib"));
    let (state, why) = run_in_copy(&repo, &paths, wrong, "node-test", &sandbox);
    let (kind, detail) = why.unwrap_or_else(|| panic!("it ran, and is {state:?}"));
    assert_eq!((state, kind), (GateState::Errored, GateTrouble::Machine), "{detail}");
    assert!(detail.contains("node_modules/lib leads to the tree itself"), "{detail}");
    Ok(())
}

/// The files that the only review of a project took for changed, as the ledger has them.
fn changed(repo: &Repo) -> Vec<String> {
    let arguments = ["ledger", "show", "1", "--format", "json"];
    let output = change::command(Path::new(env!("CARGO_BIN_EXE_assize")), repo, &[], &arguments).output();
    let entry: Value = serde_json::from_slice(&output.expect("the program runs").stdout).expect("an entry");
    let files = entry["payload"]["inputs"]["patch_summary"].as_array().expect("files");
    files.iter().filter_map(|file| file["path"].as_str()).map(str::to_owned).collect()
}

/// The whole review: what an environment has installed from the user's tree is that of the base on the base, and that of
/// the change with the change. The environment itself is no part of the change, whether git ignores it or not.
pub fn a_review_in_an_environment_judges_the_change() -> Tested {
    [SandboxTier::Bubblewrap, SandboxTier::Namespaces]
        .map(sandbox_of)
        .into_iter()
        .find(Result::is_ok)
        .ok_or_else(|| CannotRun("there are no namespaces here".to_owned()))??;
    let right = "def total(prices):\n    return sum(prices) + 0\n";
    for (is_ignored, code, outcome) in
        [(true, right, "accept"), (true, WRONG, "revise"), (false, right, "accept"), (false, WRONG, "revise")]
    {
        let (repo, paths) = python("src", "");
        if !is_ignored {
            repo.write(".gitignore", "__pycache__/\n");
            // Newer versions of Python have git ignore an environment.
            let _ = fs::remove_file(repo.path().join(".venv/.gitignore"));
        }
        let added: Vec<&str> = ["add", "--"].into_iter().chain(paths.iter().map(String::as_str)).collect();
        repo.git(&added);
        repo.git(&["commit", "--quiet", "--message", "base"]);
        let untracked = String::from_utf8_lossy(&repo.git(&["status", "--porcelain"]).stdout).into_owned();
        assert_eq!(untracked.contains("?? .venv/"), !is_ignored, "{untracked}");
        repo.write(&paths[0], code);
        let arguments = ["review", "--sandbox", "require", "--format", "json"];
        let output = change::command(Path::new(env!("CARGO_BIN_EXE_assize")), &repo, &[], &arguments).output();
        let output = output.expect("the program runs");
        let envelope: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(envelope["outcome"], outcome, "{envelope:#}");
        assert_eq!(changed(&repo), [paths[0].as_str()], "{untracked}");
        let state = if outcome == "accept" { "passed" } else { "failed" };
        for id in ["unittest", "black"] {
            let gates = envelope["exec"]["gates"].as_array().expect("gates");
            let gate = gates.iter().find(|gate| gate["id"] == id).expect("the gate");
            assert_eq!(gate["state"], state, "{id}: {envelope}");
            // Had the base been run with the user's tree, it would be as red.
            let failing = gate["tests"]["failing"].as_array().into_iter().flatten();
            assert!(failing.into_iter().all(|test| test["passed_before"] == true), "{envelope:#}");
        }
    }
    Ok(())
}
