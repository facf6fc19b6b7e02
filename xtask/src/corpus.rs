//! Installs the tools of several languages and runs the review court over whole corpora with them.

use crate::first_try::{self, FirstTrySelection};
use crate::shell::{Result, command, integration_test, run as execute, workspace};
use crate::tools;

/// Runs the corpora, or the one that is named; `only` picks cases by a part of their name, `one_of` runs one of so many, the
/// next one with each commit.
pub fn run(corpus: Option<&str>, only: Option<&str>, one_of: Option<u32>) -> Result {
    tools::python()?;
    tools::node()?;
    let mut tests = integration_test("corpus");
    tests.args(corpus).args(["--nocapture", "--test-threads=1"]);
    tests.env(tools::VARIABLE, tools::folder());
    if let Some(only) = only {
        tests.env("ASSIZE_TEST_ONLY", only);
    }
    if let Some((which, one_of)) = share(one_of)? {
        tests.env("ASSIZE_TEST_SHARE", format!("{which}/{one_of}"));
    }
    execute(tests)
}

/// Reviews releases of public packages or commits of clones, or a share of them.
pub fn first_try(selection: FirstTrySelection<'_>, one_of: Option<u32>) -> Result {
    first_try::run(&FirstTrySelection { share: share(one_of)?, ..selection })
}

/// Returns which share is due.
fn share(one_of: Option<u32>) -> Result<Option<(u32, u32)>> {
    let Some(one_of) = one_of else { return Ok(None) };
    let which = commits()? % one_of;
    println!("share {which} of {one_of}, by the number of commits");
    Ok(Some((which, one_of)))
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
