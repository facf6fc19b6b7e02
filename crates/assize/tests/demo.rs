//! `assize demo`: every court behaves as expected on bundled inputs, and what is printed is the same every time.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use assize_testkit::machine_test::{CannotRun, Tested, run, test};
use serde_json::Value;

fn demo(path: Option<OsString>, arguments: &[&str]) -> Output {
    let home = tempfile::tempdir().expect("a temporary folder");
    Command::new(env!("CARGO_BIN_EXE_assize"))
        .arg("demo")
        .args(arguments)
        .current_dir(home.path())
        .env_clear()
        .env("PATH", path.or_else(|| std::env::var_os("PATH")).unwrap_or_default())
        .env("HOME", home.path())
        .output()
        .expect("the program runs")
}

fn main() {
    run(vec![
        test("every_court_behaves_as_expected", every_court_behaves_as_expected),
        test("programs_get_what_every_command_printed", programs_get_what_every_command_printed),
        test("what_this_machine_cannot_show_is_left_out_and_said", what_this_machine_cannot_show_is_left_out_and_said),
    ])
}

fn every_court_behaves_as_expected() -> Tested {
    let output = demo(None, &[]);
    let printed = String::from_utf8(output.stdout).expect("text");
    if let Some(reason) = printed.lines().find_map(|line| line.strip_prefix("  left out: ")) {
        return Err(CannotRun(reason.to_owned()));
    }
    insta::assert_snapshot!(printed);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    Ok(())
}

fn programs_get_what_every_command_printed() -> Tested {
    let output = demo(None, &["--format", "json"]);
    let printed = String::from_utf8(output.stdout).expect("text");
    let document: Value = serde_json::from_str(&printed).expect("one document");
    let parts = document["scenes"].as_array().expect("scenes");
    if let Some(reason) = parts.iter().find_map(|fixture| fixture["left_out"].as_str()) {
        return Err(CannotRun(reason.to_owned()));
    }
    assert_eq!((output.status.code(), parts.len()), (Some(0), 8), "{printed}");
    for fixture in parts {
        assert_eq!(fixture["as_expected"], true, "{fixture}");
        for step in fixture["steps"].as_array().expect("steps") {
            assert!(!step["result"].is_null(), "{step}");
        }
    }
    assert_eq!(parts[0]["steps"][0]["result"]["outcome"], "revise");
    assert_eq!(parts[1]["steps"][0]["result"]["outcome"], "revise");
    Ok(())
}

fn what_this_machine_cannot_show_is_left_out_and_said() -> Tested {
    let tools = tempfile::tempdir().expect("a temporary folder");
    let git = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .map(|folder| folder.join("git"))
        .find(|git| git.is_file())
        .expect("git is installed");
    link(&git, &tools.path().join("git"));
    let output = demo(Some(tools.path().into()), &[]);
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(printed.contains("2. Review"), "{printed}");
    assert_eq!(printed.matches("\n  left out: python3 is not on the search path\n").count(), 4, "{printed}");
    assert!(printed.ends_with("? left out on this machine: 2, 3, 5, 7\n"), "{printed}");
    assert_eq!(output.status.code(), Some(3), "{printed}");
    Ok(())
}

fn link(program: &Path, place: &Path) {
    let program = fs::canonicalize(program).expect("it is there");
    symlink(program, place).expect("a link");
}
