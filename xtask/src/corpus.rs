//! Installs the tools of several languages and runs the review court over whole corpora with them.

use std::fs;

use crate::shell::{Result, command, integration_test, run as execute, target, workspace};

/// Python packages that the corpora need, with their versions.
const PYTHON_PACKAGES: [&str; 3] = ["pytest==8.4.2", "ruff==0.14.5", "mypy==1.18.2"];
/// Node packages that the corpora need, with their versions.
const NODE_PACKAGES: [&str; 4] = ["typescript@5.9.3", "@types/node@20.19.25", "vitest@3.2.4", "eslint@9.39.1"];

/// Runs the corpora, or the one that is named; `only` picks cases by a part of their name, `one_of` runs one of so many, the
/// next one with each commit.
pub fn run(corpus: Option<&str>, only: Option<&str>, one_of: Option<u32>) -> Result {
    python()?;
    node()?;
    let mut tests = integration_test("corpus");
    tests.args(corpus).args(["--nocapture", "--test-threads=1"]);
    tests.env("ASSIZE_TEST_TOOLS", target("tools"));
    if let Some(only) = only {
        tests.env("ASSIZE_TEST_ONLY", only);
    }
    if let Some(one_of) = one_of {
        let which = commits()? % one_of;
        println!("share {which} of {one_of}, by the number of commits");
        tests.env("ASSIZE_TEST_SHARE", format!("{which}/{one_of}"));
    }
    execute(tests)
}

/// Returns how many commits there are.
fn commits() -> Result<u32> {
    let output = command("git", &["rev-list", "--count", "HEAD"]).output().map_err(|error| format!("git: {error}"))?;
    String::from_utf8_lossy(&output.stdout).trim().parse().map_err(|_| "git counts no commits".to_owned())
}

/// Writes the table of tricks into the book. What stands in it is said by the test that holds it fresh.
pub fn write_table() -> Result {
    let mut test = workspace("test", &["--test", "book", "the_table_of_tricks"]);
    test.env("ASSIZE_TEST_WRITE_TABLE", "1");
    execute(test)
}

/// Sets up an environment with the Python packages, unless it is there.
fn python() -> Result {
    let folder = target("tools").join("python");
    let stamp = folder.join("installed");
    let wanted = PYTHON_PACKAGES.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    execute(command("python3", &["-m", "venv", "--clear", &folder.to_string_lossy()]))?;
    let mut install =
        command(folder.join("bin/python"), &["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    install.args(PYTHON_PACKAGES);
    execute(install)?;
    fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
}

/// Installs the Node packages, unless they are there.
fn node() -> Result {
    let folder = target("tools").join("node");
    let stamp = folder.join("installed");
    let wanted = NODE_PACKAGES.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let prefix = folder.to_string_lossy().into_owned();
    let mut install = command("npm", &["install", "--no-save", "--no-audit", "--no-fund", "--prefix", &prefix]);
    install.args(NODE_PACKAGES);
    execute(install)?;
    fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
}
