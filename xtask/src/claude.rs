//! Installs the real `claude` program and runs the tests that need it.

use std::path::PathBuf;

use assize_testkit::claude_cli::{EXECUTABLE_VARIABLE, NPM_PACKAGE, PINNED_VERSION, native_package};

use crate::shell::{Result, command, integration_test, read, run as execute, target};
use crate::tools;

/// Installs the pinned version below `target` unless it is there, and runs the tests.
pub fn run() -> Result {
    let program = install()?;
    let mut tests = integration_test("claude_cli");
    tests.env(EXECUTABLE_VARIABLE, &program);
    execute(tests)
}

fn install() -> Result<PathBuf> {
    let folder = target("claude-cli");
    let native = native_package().ok_or("there is no `claude` program for this platform")?;
    let program = folder.join("node_modules").join(native).join("claude");
    if read(command(&program, &["--version"])).is_ok_and(|version| version.contains(PINNED_VERSION)) {
        return Ok(program);
    }
    tools::npm_without_scripts(&folder, &format!("{NPM_PACKAGE}@{PINNED_VERSION}"))?;
    if program.is_file() { Ok(program) } else { Err(format!("{} was not installed", program.display())) }
}
