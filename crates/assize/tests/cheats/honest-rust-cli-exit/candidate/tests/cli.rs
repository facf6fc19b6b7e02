use std::process::{Command, Output};

fn verso(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_verso"))
        .args(words)
        .output()
        .expect("it runs")
}

#[test]
fn the_order_is_printed() {
    let output = verso(&["1.0.0-rc.1", "1.0.0"]);
    assert_eq!(output.stdout, b"Less\n");
    assert!(output.status.success());
}

#[test]
fn what_is_no_version_has_a_status() {
    let output = verso(&["1.0", "1.0.0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}
