//! Measures what a review costs beside the plain commands of its gates: the processor time of all processes.
//!
//! The projects are public packages in two releases (`first-try.toml`), or merged commits of clones. Both run with what Assize has installed for them.
//! The first review finds out about the base as well; the next ones know it. The plain commands run on the change as
//! well, in a folder in which the base was built before.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::timed;
use crate::first_try;
use crate::first_try::clones::{self, MergedCommit};
use crate::shell::{self, Result, command};

/// The packages: of each language some whose tests take little, and some whose tests take seconds.
const PACKAGES: [&str; 9] = [
    "blinker",
    "webcolors",
    "voluptuous",
    "reusify",
    "process-warning",
    "object-inspect",
    "lexopt",
    "slab",
    "fixedbitset",
];

/// What is typed for a gate without Assize.
const PLAIN: [(&str, &str); 25] = [
    ("ava", "npx --no-install ava"),
    ("black", ".venv/bin/python -m black --check --quiet ."),
    ("borp", "npx --no-install borp"),
    ("cargo-check", "cargo check --workspace --all-targets --offline"),
    ("cargo-clippy", "cargo clippy --workspace --all-targets --offline"),
    ("cargo-fmt", "cargo fmt --all --check"),
    ("cargo-test", "cargo test --workspace --offline"),
    ("eslint", "npx --no-install eslint ."),
    ("go-build", "go build ./..."),
    ("go-test", "go test ./..."),
    ("go-vet", "go vet ./..."),
    ("gofmt", "gofmt -l ."),
    ("jest", "npx --no-install jest"),
    ("mocha", "npx --no-install mocha"),
    ("mypy", ".venv/bin/python -m mypy ."),
    ("node-test", "node --test"),
    ("prettier", "npx --no-install prettier --check ."),
    ("pytest", ".venv/bin/python -m pytest -q"),
    ("python-compile", ".venv/bin/python -m compileall -q -x .venv ."),
    ("ruff-check", ".venv/bin/python -m ruff check ."),
    ("ruff-format", ".venv/bin/python -m ruff format --check ."),
    ("tape", "npx --no-install tape 'test/**/*.js'"),
    ("tsc", "npx --no-install tsc --noEmit"),
    ("unittest", ".venv/bin/python -m unittest"),
    ("vitest", "npx --no-install vitest run"),
];

/// What is reviewed: the packages, or of each clone in a folder the newest commit that changed code.
fn repositories(clones: Option<&Path>) -> Result<Vec<(String, PathBuf)>> {
    let Some(folder) = clones else {
        return PACKAGES.iter().map(|name| Ok(((*name).to_owned(), first_try::repository_of(name)?))).collect();
    };
    let newest: BTreeMap<String, MergedCommit> =
        clones::choose(folder)?.into_iter().map(|commit| (commit.name.clone(), commit)).collect();
    newest.into_iter().map(|(name, commit)| Ok((name, commit.repository()?))).collect()
}

/// Prepares what is reviewed, runs everything and prints the table.
pub fn run(rounds: usize, clones: Option<&Path>) -> Result {
    let assize = shell::release_program()?;
    println!(
        "\n{:60} {:>8} {:>9} {:>9} {:>7} {:>9}  ruling",
        "processor seconds", "plain", "unknown", "known", "ratio", "mutants"
    );
    for (name, repository) in repositories(clones)? {
        let place = tempfile::tempdir().map_err(|error| error.to_string())?;
        let home = place.path();
        // What is installed here must not be found where Assize has to install it.
        let folder = home.join(&name);
        let to = folder.to_string_lossy();
        shell::run(command("git", &["clone", "--quiet", &repository.to_string_lossy(), &to]))?;
        let call = |words: &str| format!("'{}' {words} --format json", assize.display());
        timed(&folder, home, &call("doctor --gates"))?;
        bring(home, &folder)?;
        let listed = timed(&folder, home, &call("gates --list"))?.printed;
        let listed: serde_json::Value = serde_json::from_str(&listed).map_err(|error| format!("{error}: {listed}"))?;
        let used = listed["used"].as_array().into_iter().flatten();
        let lines: Vec<(&str, &str)> = used.filter_map(plain_line).collect();
        let plain = lines.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("; ");
        // What is measured is what somebody types who has built the base, and now has the change for the first time.
        let clean = "git clean -xfdq --exclude=.venv --exclude=node_modules";
        let commit = shell::read(command("git", &["-C", &to, "rev-parse", "HEAD"]))?;
        let checked_out = |commit: &str| format!("git checkout --quiet --force --detach {}", commit.trim());
        let of_change = || {
            timed(&folder, home, &format!("{clean}; {}; {plain}", checked_out(&format!("{}~1", commit.trim()))))?;
            timed(&folder, home, &checked_out(&commit))?;
            timed(&folder, home, &plain)
        };
        let plain = least(rounds, of_change)?;
        let review = call("review --base HEAD~1 --mutants 0");
        let unknown = timed(&folder, home, &review)?.processor;
        let known = least(rounds, || timed(&folder, home, &review))?;
        let mutants = timed(&folder, home, &call("review --base HEAD~1"))?;
        let record: serde_json::Value = serde_json::from_str(&mutants.printed)
            .map_err(|error| format!("the review of {name}: {error}: {}", mutants.printed))?;
        let (mutants, outcome) = (mutants.processor, record["outcome"].as_str().unwrap_or_default());
        let ids = lines.iter().map(|(id, _)| *id).collect::<Vec<_>>().join(", ");
        let what = format!("{name} ({ids})");
        println!("{what:60} {plain:>8.2} {unknown:>9.2} {known:>9.2} {:>7.1} {mutants:>9.2}  {outcome}", known / plain);
    }
    Ok(())
}

/// The id of a gate, and what is typed for it: a script of the package is typed as it stands.
fn plain_line(gate: &serde_json::Value) -> Option<(&str, &str)> {
    let (id, command) = (gate["id"].as_str()?, gate["command"].as_str()?);
    let listed = PLAIN.into_iter().find(|(of, _)| *of == id).map(|(_, line)| line);
    Some((id, listed.or_else(|| Some(command).filter(|command| command.starts_with("sh -c")))?))
}

/// The least processor time of several runs.
fn least(rounds: usize, run: impl Fn() -> Result<super::TimedRun>) -> Result<f64> {
    (0..rounds).try_fold(f64::INFINITY, |least, _| run().map(|run| least.min(run.processor)))
}

/// Brings what Assize has installed into the package's own folder, where plain commands find it.
fn bring(home: &Path, folder: &Path) -> Result {
    let installed = ["-maxdepth", "6", "-path", "*/tree/.venv", "-o", "-path", "*/tree/node_modules"];
    let found = shell::read(command("find", &[&[&*home.join(".cache").to_string_lossy()], &installed[..]].concat()))?;
    for installed in found.lines() {
        shell::run(command("cp", &["--recursive", "--no-clobber", installed, &folder.to_string_lossy()]))?;
    }
    Ok(())
}
