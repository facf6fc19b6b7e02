//! Running programs and finding folders.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What goes wrong with a chore, in words.
pub type Result<T = ()> = std::result::Result<T, String>;

/// Returns the root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// Returns a folder of ours below `target`.
pub fn target(name: &str) -> PathBuf {
    root().join("target").join(name)
}

/// Makes a command that runs in the root.
pub fn command(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// Makes a command of cargo.
pub fn cargo(arguments: &[&str]) -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), arguments)
}

/// What everything is built with, so that no crate is built twice.
const BUILT_WITH: [&str; 3] = ["--workspace", "--features", "assize/parquet"];

/// Makes a command of cargo for the whole workspace, with every feature.
pub fn workspace(subcommand: &str, arguments: &[&str]) -> Command {
    cargo(&[&[subcommand], &BUILT_WITH[..], arguments].concat())
}

/// Makes a command that runs one file of integration tests, those included that need a tool.
pub fn integration_test(name: &str) -> Command {
    workspace("test", &["--test", name, "--", "--include-ignored"])
}

/// Builds the program and returns its path. A variable may name another one, such as a release.
pub fn program() -> Result<PathBuf> {
    if let Some(given) = std::env::var_os("ASSIZE_TEST_PROGRAM") {
        return Ok(PathBuf::from(given));
    }
    run(workspace("build", &["--quiet", "--bin", "assize"]))?;
    let metadata = read(cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    Ok(Path::new(metadata["target_directory"].as_str().unwrap_or("target")).join("debug/assize"))
}

/// Builds the program as it is released and returns its path. The same variable may name another one.
pub fn release_program() -> Result<PathBuf> {
    if let Some(given) = std::env::var_os("ASSIZE_TEST_PROGRAM") {
        return Ok(PathBuf::from(given));
    }
    run(workspace("build", &["--quiet", "--release", "--bin", "assize"]))?;
    Ok(root().join("target/release/assize"))
}

/// Runs a command to its end and says what it is.
pub fn run(mut command: Command) -> Result {
    let words: Vec<String> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let shown = words.join(" ");
    eprintln!("\x1b[1m$ {shown}\x1b[0m");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` ended with {status}")),
        Err(error) => Err(format!("`{shown}` cannot be started: {error}")),
    }
}

/// Runs a command and returns what it prints.
pub fn read(mut command: Command) -> Result<String> {
    let output = command.output().map_err(|error| format!("{command:?} cannot be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
