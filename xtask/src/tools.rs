//! Installs the tools of several languages: packages below `target/tools`, and packages of the system.

use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{Result, command, read, run as execute, target};

/// The variable that names the folder of tools to tests.
pub const VARIABLE: &str = "ASSIZE_TEST_TOOLS";

/// Python packages, with their versions.
const PYTHON_PACKAGES: [&str; 3] = ["pytest==8.4.2", "ruff==0.14.5", "mypy==1.18.2"];
/// Node packages, with their versions.
const NODE_PACKAGES: [&str; 4] = ["typescript@5.9.3", "@types/node@20.19.25", "vitest@3.2.4", "eslint@9.39.1"];

/// Returns the folder of tools.
pub fn folder() -> PathBuf {
    target("tools")
}

/// Sets up an environment with the Python packages, unless it is there.
pub fn python() -> Result {
    let folder = folder().join("python");
    once(&folder, &PYTHON_PACKAGES, || {
        execute(command("python3", &["-m", "venv", "--clear", &folder.to_string_lossy()]))?;
        let mut install =
            command(folder.join("bin/python"), &["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        install.args(PYTHON_PACKAGES);
        execute(install)
    })
}

/// Installs the Node packages, unless they are there.
pub fn node() -> Result {
    npm("node", &NODE_PACKAGES)
}

/// Installs Node packages in a folder of this name among the tools, unless they are there.
pub fn npm(name: &str, packages: &[&str]) -> Result {
    let folder = folder().join(name);
    once(&folder, packages, || npm_install(&folder, packages))
}

/// Installs one Node package in a folder, without running its scripts.
pub fn npm_without_scripts(folder: &Path, package: &str) -> Result {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    npm_install(folder, &["--ignore-scripts", package])
}

fn npm_install(folder: &Path, arguments: &[&str]) -> Result {
    let prefix = folder.to_string_lossy().into_owned();
    let mut install = command("npm", &["install", "--no-save", "--no-audit", "--no-fund", "--prefix", &prefix]);
    install.args(arguments);
    execute(install)
}

/// Installs what is not there yet, and notes what is.
fn once(folder: &Path, packages: &[&str], install: impl FnOnce() -> Result) -> Result {
    let stamp = folder.join("installed");
    let wanted = packages.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    install()?;
    fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
}

/// Installs packages of the system with apt-get.
pub fn apt(packages: &[&str]) -> Result {
    let is_root = read(command("id", &["--user"]))?.trim() == "0";
    let install = [&["install", "--yes", "--quiet", "--no-install-recommends"], packages].concat();
    for arguments in [&["update", "--quiet"][..], &install] {
        execute(if is_root {
            command("apt-get", arguments)
        } else {
            command("sudo", &[&["apt-get"], arguments].concat())
        })?;
    }
    Ok(())
}

/// Finds a program on the path by one of its names.
pub fn on_path(names: &[&str]) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    names.iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()))
}
