//! Gates that drive runners with programs of ours, run for real on the projects of `tests/reports/record.toml`.
//!
//! The recordings hold what tools print; these tests hold what our drivers do. What needs no more than Node,
//! Python and Cargo runs always. The others need tools to be named: see the reasons they are ignored for.

use std::path::{Path, PathBuf};
use std::process::Command;

use assize_report::{TestOutcome, events};

#[path = "record/expected.rs"]
mod expected;
#[path = "record/plan.rs"]
mod plan;

use expected::ExpectedGateRun;
use plan::{RecordingCase, RecordingPlan};

/// Runs the cases that are chosen with the tools of a folder, and says what is not as it should be.
fn check(name: &str, bin: &Path, chosen: impl Fn(&str, &RecordingCase) -> bool) {
    let plan = RecordingPlan::load().unwrap();
    // Not below this workspace: cargo would look for the projects in it.
    let top = std::env::temp_dir().join(format!("live-{name}-{}", std::process::id()));
    let mut wrong = Vec::new();
    let mut run = 0;
    for case in &plan.case {
        if !chosen(case.folder.rsplit_once("{version}-").map_or("", |(_, name)| name), case) {
            continue;
        }
        run += 1;
        // Tools of this machine have no version that the plan knows.
        let left = plan.carry_out(case, "", bin, &top).unwrap_or_else(|error| panic!("{}: {error}", case.folder));
        let expected: ExpectedGateRun = left.expected.try_into().unwrap();
        let found = expected.read(&left.output);
        let differences = expected.differences(&found);
        if !differences.is_empty() {
            let stderr = String::from_utf8_lossy(&left.output.stderr).into_owned();
            let (name, expected) = (&case.folder, expected.in_words());
            wrong.push(format!("{name} is not {expected}:\n  {}\n{stderr}", differences.join("\n  ")));
        }
    }
    assert!(run > 0, "no case was chosen");
    std::fs::remove_dir_all(&top).unwrap();
    assert!(wrong.is_empty(), "{} of {run} are not as expected:\n{}", wrong.len(), wrong.join("\n"));
}

fn of(tool: &str) -> impl Fn(&str, &RecordingCase) -> bool {
    let start = format!("{tool}/");
    move |_, case| case.folder.starts_with(&start) && case.differently.is_empty() && !case.tools.is_empty()
}

/// The folder of the cargo that runs this.
fn cargo_bin() -> PathBuf {
    let cargo = std::env::var_os("CARGO").expect("cargo tells where it is");
    Path::new(&cargo).parent().expect("it lies in a folder").to_owned()
}

/// The folder of the interpreter that a test is to use.
fn python_bin(variable: &str) -> PathBuf {
    let path = std::env::var_os(variable).unwrap_or_else(|| panic!("{variable} is to name an interpreter"));
    Path::new(&path).parent().expect("it lies in a folder").to_owned()
}

#[test]
fn unittest_is_driven() {
    check("unittest", Path::new("/usr/bin"), of("unittest"));
}

#[test]
fn python_files_are_compiled() {
    check("python-compile", Path::new("/usr/bin"), of("python-compile"));
}

#[test]
fn node_test_is_driven() {
    let node = Command::new("node").args(["--print", "process.execPath"]).output().expect("node is there");
    let node = PathBuf::from(String::from_utf8(node.stdout).unwrap().trim());
    check("node-test", node.parent().expect("it lies in a folder"), of("node-test"));
}

#[test]
fn cargo_test_is_driven() {
    let names = ["passing", "failing", "crashing", "hanging", "compile-error", "no-harness", "workspace", "empty"];
    let chosen = of("cargo-test");
    check("cargo-test", &cargo_bin(), |name, case| {
        case.folder.starts_with("cargo-test/") && names.contains(&name) && (chosen(name, case) || name == "workspace")
    });
}

#[test]
#[ignore = "needs pytest: set ASSIZE_TEST_PYTHON to an interpreter that has it beside it"]
fn pytest_is_driven() {
    check("pytest", &python_bin("ASSIZE_TEST_PYTHON"), |name, case| {
        of("pytest")(name, case) && name != "not-installed"
    });
}

#[test]
#[ignore = "needs cargo-nextest on the search path"]
fn nextest_is_driven() {
    check("nextest", &cargo_bin(), of("cargo-nextest"));
}

#[test]
fn the_supervisor_passes_its_own_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drivers");
    let output = Command::new("python3").args(["-B", "-m", "unittest", "-v"]).current_dir(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("\nOK\n") && !text.contains("Ran 0 tests"), "{text}");
}

#[test]
fn the_runner_for_cargo_passes_its_own_tests() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("drivers/cargo_test_runner.rs");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cargo_test_runner_tests");
    let compiled = Command::new(cargo_bin().join("rustc"))
        .args(["--edition", "2021", "--test", "-D", "warnings", "-o"])
        .arg(&program)
        .arg(&source)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&program).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("test result: ok. 6 passed"), "{text}");
}

/// Tells a reporter of Mocha what Mocha tells it: one test that skips itself while it runs, and one of each other kind.
const MOCHA: &str = r#"
const { EventEmitter } = require('node:events');
const Reporter = require('./mocha.cjs');
const suite = { title: 'suite', file: `${process.cwd()}/test/a.js`, suites: [], parent: { root: true, title: '' } };
const test = (title) => ({ title, type: 'test', parent: suite, duration: 1 });
suite.tests = ['skips itself', 'is skipped', 'passes', 'fails', 'is left aside'].map(test);
const [itself, skipped, passes, fails] = suite.tests;
const runner = Object.assign(new EventEmitter(), { suite: { root: true, title: '', tests: [], suites: [suite] } });
new Reporter(runner);
runner.emit('test', itself);
runner.emit('pending', itself);
runner.emit('test end', itself);
runner.emit('pending', skipped);
runner.emit('test end', skipped);
runner.emit('test', passes);
runner.emit('pass', passes);
runner.emit('test', fails);
runner.emit('fail', fails, new Error('as it must'));
runner.emit('end');
"#;

#[test]
fn a_test_of_mocha_that_skips_itself_while_it_runs_has_not_failed() {
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins/javascript");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mocha-reporter-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["mocha.cjs", "events.cjs", "watch.cjs", "mutations.cjs", "redacted_view.cjs"] {
        std::fs::copy(plugins.join(name), folder.join(name)).unwrap();
    }
    std::fs::write(folder.join("runner.cjs"), MOCHA).unwrap();
    let output =
        Command::new("node").arg("runner.cjs").current_dir(&folder).env_remove("ASSIZE_EVENTS").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = events::parse(&std::fs::read(folder.join("events.jsonl")).unwrap()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let run = report.tests.unwrap();
    let found: Vec<_> = run.cases.iter().map(|case| (case.id.as_str(), case.outcome)).collect();
    let expected = [
        ("test/a.js > suite > skips itself", TestOutcome::Skipped),
        ("test/a.js > suite > is skipped", TestOutcome::Skipped),
        ("test/a.js > suite > passes", TestOutcome::Passed),
        ("test/a.js > suite > fails", TestOutcome::Failed),
        ("test/a.js > suite > is left aside", TestOutcome::Deselected),
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_a_script_builds_before_the_tests_may_take_its_time() {
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins/javascript");
    let build = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5500)";
    let ran = Command::new("node")
        .arg("--require")
        .arg(plugins.join("watch.cjs"))
        .args(["--eval", build])
        .envs([("ASSIZE_WATCH", "1"), ("ASSIZE_TEST_SECONDS", "1")])
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}
