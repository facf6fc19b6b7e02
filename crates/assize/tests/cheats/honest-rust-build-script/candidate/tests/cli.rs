use std::process::Command;

#[test]
fn the_version_is_printed() {
    let output = Command::new(env!("CARGO_BIN_EXE_verso"))
        .arg("--version")
        .output()
        .expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.starts_with(env!("CARGO_PKG_VERSION")), "{text}");
}
