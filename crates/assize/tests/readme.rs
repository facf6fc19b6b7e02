//! What the README shows is what happens.

use std::process::Command;

#[test]
fn the_recorded_session_is_true() {
    let readme = include_str!("../../../README.md");
    let session = readme.split("```console\n$ assize demo\n").nth(1).and_then(|rest| rest.split("```").next());
    let home = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(env!("CARGO_BIN_EXE_assize"))
        .args(["demo", "--color", "never"])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home.path())
        .output()
        .expect("the program runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{printed}");
    assert!(printed.starts_with(session.expect("a recorded session").trim_end()), "{printed}");
}
