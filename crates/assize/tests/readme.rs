//! What the README shows is what happens.

use std::io::Write as _;
use std::process::Command;

#[test]
fn the_recorded_session_is_true() {
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
    for (recorded, shown) in recorded.into_iter().zip(shown) {
        if shown.contains("\n  left out: ") {
            let _ = writeln!(
                std::io::stderr(),
                "NOT TESTED: a part of the recorded session cannot be shown on this machine:\n{shown}"
            );
        } else {
            assert_eq!(recorded, shown);
        }
    }
}

/// The parts of a demonstration; a blank line ends each.
fn parts(session: &str) -> Vec<&str> {
    session.split("\n\n").map(str::trim_end).filter(|part| !part.is_empty()).collect()
}
