//! What the README shows is what happens.

use std::process::Command;

use assize_testkit::machine_test::{CannotRun, Tested, run, test};

fn main() {
    run(vec![test("the_recorded_session_is_true", the_recorded_session_is_true)])
}

fn the_recorded_session_is_true() -> Tested {
    let readme = include_str!("../../../README.md");
    let session = readme.split("```console\n$ assize demo\n").nth(1).and_then(|rest| rest.split("```").next());
    let home = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(env!("CARGO_BIN_EXE_assize"))
        .args(["demo", "--color", "never"])
        .current_dir(home.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home.path())
        .output()
        .expect("the program runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    let (recorded, shown) = (parts(session.expect("a recorded session")), parts(&printed));
    assert!(!recorded.is_empty() && recorded.len() <= shown.len(), "{printed}");
    let mut left_out = None;
    for (recorded, shown) in recorded.into_iter().zip(shown) {
        match shown.lines().find_map(|line| line.strip_prefix("  left out: ")) {
            Some(reason) => left_out = Some(CannotRun(format!("a part cannot be shown here: {reason}"))),
            None => assert_eq!(recorded, shown),
        }
    }
    left_out.map_or(Ok(()), Err)
}

/// The parts of a demonstration; a blank line ends each.
fn parts(session: &str) -> Vec<&str> {
    session.split("\n\n").map(str::trim_end).filter(|part| !part.is_empty()).collect()
}
