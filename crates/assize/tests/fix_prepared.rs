//! `assize fix` with a tool that is only there once it is installed for the copy, and beside one that is not there.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use assize_testkit::change::search_path;
use assize_testkit::machine_test::{CannotRun, Tested, run, test};
use assize_testkit::repo::Repo;
use serde_json::Value;

/// Stands for a formatter: one blank on each side of an equals sign in the files of `src`.
const FORMATTER: &str = r#"#!/usr/bin/env node
const fs = require("node:fs");
const path = require("node:path");
const writes = process.argv.includes("--write");
const source = fs.readdirSync("src").map((name) => path.join("src", name));
let unformatted = 0;
for (const file of source) {
  const text = fs.readFileSync(file, "utf8");
  const formatted = text.replace(/ += +/g, " = ");
  if (formatted === text) continue;
  unformatted += 1;
  if (writes) fs.writeFileSync(file, formatted);
  else console.error(`[warn] ${file}`);
}
if (!writes && unformatted === 0) console.log("All matched files use Prettier code style!");
if (!writes && unformatted > 0) console.error("Code style issues found in the above file.");
process.exitCode = !writes && unformatted > 0 ? 1 : 0;
"#;
const TEST: &str = "import assert from \"node:assert/strict\";\nimport test from \"node:test\";\nimport { one } from \"../src/one.js\";\n\n\
                    test(\"one is one\", () => assert.equal(one(), 1));\n";
const BASE: &str = "export function one() {\n  const one = 1;\n  return one;\n}\n";
const CHANGED: &str = "export function one() {\n  const number  =  1;\n  return number;\n}\n";

fn main() {
    run(vec![
        test("a_formatter_that_an_installation_brings_fixes", a_formatter_that_an_installation_brings_fixes),
        test("what_a_tool_fixed_is_kept_beside_a_missing_one", what_a_tool_fixed_is_kept_beside_a_missing_one),
        test(
            "a_formatter_among_the_packages_fixes_without_mounts",
            a_formatter_among_the_packages_fixes_without_mounts,
        ),
    ])
}

fn a_formatter_that_an_installation_brings_fixes() -> Tested {
    let repo = Repo::empty();
    let formatter = repo.outside().join("prettier");
    fs::create_dir_all(&formatter).expect("a folder");
    let manifest = r#"{"name": "prettier", "version": "1.0.0", "bin": {"prettier": "cli.js"}}"#;
    fs::write(formatter.join("package.json"), manifest).expect("written");
    fs::write(formatter.join("cli.js"), FORMATTER).expect("written");
    repo.write("tools/README", "What is installed from here.\n");
    let packed = Command::new("npm")
        .args(["pack", "--silent", "--pack-destination"])
        .arg(repo.path().join("tools"))
        .current_dir(&formatter)
        .env("HOME", repo.outside())
        .output();
    if !packed.is_ok_and(|output| output.status.success()) {
        return Err(CannotRun("npm is not installed".to_owned()));
    }
    let manifest = r#"{"name": "one", "type": "module", "scripts": {"test": "node --test"}, "devDependencies": {"prettier": "file:tools/prettier-1.0.0.tgz"}}"#;
    for (path, text) in [
        ("package.json", manifest),
        (".prettierrc", "{}\n"),
        (".gitignore", "node_modules/\n"),
        ("src/one.js", BASE),
        ("test/one.test.js", TEST),
    ] {
        repo.write(path, text);
    }
    repo.commit("base");
    repo.write("src/one.js", CHANGED);
    let fixed = assize(&repo, &["fix", "--tools-only", "--yes"]);
    if fixed["review"]["exec"]["sandbox"]
        .as_str()
        .is_none_or(|level| !level.contains("bubblewrap") && !level.contains("namespaces"))
    {
        return Err(CannotRun("nothing is installed without a sandbox with namespaces".to_owned()));
    }
    let gates = fixed["review"]["exec"]["gates"].as_array().expect("gates");
    let formatter = gates.iter().find(|gate| gate["id"] == "prettier").expect("the gate of the formatter");
    if formatter["state"] == "not_ready" {
        return Err(CannotRun(format!("npm installs nothing here: {}", formatter["trouble"]["detail"])));
    }
    assert_eq!((&fixed["outcome"], &fixed["fix"]["written"]), (&"accept".into(), &true.into()), "{fixed}");
    let now = fs::read_to_string(repo.path().join("src/one.js")).expect("read");
    assert_eq!(now, CHANGED.replace("  =  ", " = "));
    Ok(())
}

/// A formatter objects, and a type checker that the policy requires is not there: with the format right, the change is
/// unjudged.
fn what_a_tool_fixed_is_kept_beside_a_missing_one() -> Tested {
    if Command::new("node").arg("--version").output().is_err() {
        return Err(CannotRun("node is not installed".to_owned()));
    }
    let settings = "[prepare]\nmode = \"off\"\n\n[gates]\nsandbox = \"off\"\n\n[review]\nrequire = [\"types\"]\n\n[[gate]]\n\
                    id = \"types\"\ncommand = [\"a-checker-of-nowhere\"]\ndimension = \"types\"\n\
                    report = \"sarif\"\n";
    let repo = Repo::empty();
    for (path, text) in [
        ("assize.toml", settings),
        ("package.json", r#"{"name": "one", "type": "module"}"#),
        (".prettierrc", "{}\n"),
        ("src/one.js", BASE),
    ] {
        repo.write(path, text);
    }
    repo.commit("base");
    repo.write("src/one.js", CHANGED);
    let tools = repo.outside().join("tools");
    fs::create_dir(&tools).expect("a folder");
    fs::write(tools.join("prettier"), FORMATTER).expect("written");
    fs::set_permissions(tools.join("prettier"), fs::Permissions::from_mode(0o755)).expect("executable");
    let fix = |arguments: &[&str]| {
        let mut command = command(&repo, &["fix", "--tools-only"]);
        let path = search_path(std::slice::from_ref(&tools));
        command.args(arguments).env("PATH", path).output().expect("the program runs")
    };
    let now = || fs::read_to_string(repo.path().join("src/one.js")).expect("read");
    let diff = "-  const number  =  1;\n+  const number = 1;\n";

    let output = fix(&["--yes", "--format", "human"]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!((output.status.code(), now().as_str()), (Some(3), CHANGED), "{shown}");
    let way = "nothing was written: 1 file would change; --keep-best takes what is better and not accepted";
    for words in [diff, way, "a-checker-of-nowhere is not installed"] {
        assert!(shown.contains(words), "{words}\n\n{shown}");
    }
    let output = fix(&["--keep-best", "--yes", "--format", "json"]);
    let fixed: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!((output.status.code(), &fixed["outcome"]), (Some(3), &"unjudged".into()), "{fixed}");
    assert_eq!((&fixed["fix"]["written"], now()), (&true.into(), CHANGED.replace("  =  ", " = ")), "{fixed}");
    let gates = fixed["review"]["exec"]["gates"].as_array().expect("gates");
    let state = |id: &str| gates.iter().find(|gate| gate["id"] == id).and_then(|gate| gate["state"].as_str());
    assert_eq!((state("prettier"), state("types")), (Some("passed"), Some("not_ready")), "{fixed}");
    Ok(())
}

fn a_formatter_among_the_packages_fixes_without_mounts() -> Tested {
    if Command::new("node").arg("--version").output().is_err() {
        return Err(CannotRun("node is not installed".to_owned()));
    }
    let repo = Repo::empty();
    for (path, text) in [
        ("assize.toml", "[prepare]\nmode = \"off\"\n\n[gates]\nsandbox = \"off\"\n\n[review]\nrequire = []\n"),
        ("package.json", r#"{"name": "one", "type": "module"}"#),
        (".prettierrc", "{}\n"),
        (".gitignore", "node_modules/\n"),
        ("src/one.js", BASE),
        ("node_modules/.bin/prettier", FORMATTER),
        ("node_modules/prettier/package.json", r#"{"name": "prettier", "version": "3.0.0"}"#),
    ] {
        repo.write(path, text);
    }
    let formatter = repo.path().join("node_modules/.bin/prettier");
    fs::set_permissions(formatter, fs::Permissions::from_mode(0o755)).expect("executable");
    repo.commit("base");
    repo.write("src/one.js", CHANGED);
    let fixed = assize(&repo, &["fix", "--tools-only", "--yes"]);
    assert_eq!((&fixed["outcome"], &fixed["fix"]["written"]), (&"accept".into(), &true.into()), "{fixed}");
    let now = fs::read_to_string(repo.path().join("src/one.js")).expect("read");
    assert_eq!(now, CHANGED.replace("  =  ", " = "));
    Ok(())
}

fn command(repo: &Repo, arguments: &[&str]) -> Command {
    let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_assize")));
    command
        .args(arguments)
        .current_dir(repo.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", repo.outside())
        .stdin(Stdio::null());
    command
}

fn assize(repo: &Repo, arguments: &[&str]) -> Value {
    let output = command(repo, arguments).args(["--format", "json"]).output().expect("the program runs");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}
