//! What CI checks besides the tests.

use crate::shell::{self, Result, cargo, command, read, target};
use crate::{book, schema, tidy};

/// The version of cargo-deny that CI uses.
const DENY: &str = "0.20.2";

fn all() -> Result {
    shell::run(cargo(&["fmt", "--all", "--check"]))?;
    shell::run(shell::workspace("clippy", &["--all-targets", "--", "--deny", "warnings"]))?;
    // What is built in the place of Parquet without its feature.
    shell::run(cargo(&["check", "--quiet", "--package", "assize-engine"]))?;
    let mut doc = shell::workspace("doc", &["--no-deps", "--document-private-items"]);
    doc.env("RUSTDOCFLAGS", "--deny warnings");
    shell::run(doc)?;
    schema::run(true)?;
    tidy::run()?;
    packages()?;
    book::run()?;
    deny()
}

/// Runs every check.
pub fn run() -> Result {
    all().inspect(|()| eprintln!("ci: all is well"))
}

/// Whether the crates can be published. They are not built anew from what is packed.
fn packages() -> Result {
    const OWN: [&str; 4] = ["--exclude", "xtask", "--exclude", "assize-testkit"];
    let mut package = cargo(&["package", "--workspace", "--no-verify", "--allow-dirty", "--quiet"]);
    package.args(OWN);
    shell::run(package)
}

/// Licences, sources and duplicates. Advisories need their database from the network; where that
/// cannot be reached they are left out, loudly.
fn deny() -> Result {
    let tools = target("tools");
    let deny = tools.join("bin/cargo-deny");
    let current = read(command(&deny, &["--version"])).is_ok_and(|version| version.contains(DENY));
    if !current {
        let root = tools.to_string_lossy();
        shell::run(cargo(&["install", "cargo-deny", "--version", DENY, "--locked", "--debug", "--root", &root]))?;
    }
    shell::run(command(&deny, &["check", "bans", "licenses", "sources"]))?;
    if let Err(error) = shell::run(command(&deny, &["check", "advisories"])) {
        if read(command(&deny, &["fetch"])).is_ok() {
            return Err(error);
        }
        eprintln!("warning: the advisory database cannot be reached; advisories were not checked");
    }
    Ok(())
}
