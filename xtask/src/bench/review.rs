//! Measures what a review costs beside the plain commands of its gates: the processor time of all processes.
//!
//! The projects are public packages in two releases (`first-try.toml`). What they depend on is installed first, for both
//! alike. The first review finds out about the base as well; the next ones know it.

use std::path::Path;

use super::timed;
use crate::first_try;
use crate::shell::{self, Result, cargo, command, root};

/// The packages: of each language some whose tests take little, and some whose tests take seconds.
const PACKAGES: [&str; 9] = [
    "blinker",
    "webcolors",
    "voluptuous",
    "reusify",
    "process-warning",
    "object-inspect",
    "lexopt",
    "smawk",
    "fixedbitset",
];

/// What is typed for a gate without Assize.
const PLAIN: [(&str, &str); 15] = [
    ("borp", "npx --no-install borp"),
    ("cargo-check", "cargo check --workspace --all-targets --offline"),
    ("cargo-clippy", "cargo clippy --workspace --all-targets --offline"),
    ("cargo-fmt", "cargo fmt --all --check"),
    ("cargo-test", "cargo test --workspace --offline"),
    ("eslint", "npx --no-install eslint ."),
    ("mypy", ".venv/bin/python -m mypy ."),
    ("node-test", "node --test"),
    ("pytest", ".venv/bin/python -m pytest -q"),
    ("python-compile", ".venv/bin/python -m compileall -q -x .venv ."),
    ("ruff-check", ".venv/bin/python -m ruff check ."),
    ("ruff-format", ".venv/bin/python -m ruff format --check ."),
    ("tape", "npx --no-install tape 'test/**/*.js'"),
    ("tsc", "npx --no-install tsc --noEmit"),
    ("unittest", ".venv/bin/python -m unittest"),
];

/// Prepares the packages, runs everything and prints the table.
pub fn run(rounds: usize) -> Result {
    shell::run(cargo(&["build", "--release", "--package", "assize"]))?;
    let assize = root().join("target/release/assize");
    println!(
        "\n{:60} {:>8} {:>9} {:>9} {:>7} {:>9}",
        "processor seconds", "plain", "unknown", "known", "ratio", "mutants"
    );
    for name in PACKAGES {
        let place = tempfile::tempdir().map_err(|error| error.to_string())?;
        let home = place.path();
        // What is installed here must not be found where Assize has to install it.
        let folder = home.join(name);
        let (from, to) = (first_try::repository_of(name)?, folder.to_string_lossy());
        shell::run(command("git", &["clone", "--quiet", &from.to_string_lossy(), &to]))?;
        install(&folder)?;
        let call = |words: &str| format!("'{}' {words} --format json", assize.display());
        let listed = timed(&folder, home, &call("gates --list"))?.printed;
        let listed: serde_json::Value = serde_json::from_str(&listed).map_err(|error| format!("{error}: {listed}"))?;
        let used = listed["used"].as_array().into_iter().flatten().filter_map(|gate| gate["id"].as_str());
        let lines: Vec<(&str, &str)> = used.filter_map(|id| PLAIN.into_iter().find(|(of, _)| *of == id)).collect();
        let plain = lines.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("; ");
        // What is typed first builds; what is measured has been built, as in a folder that somebody works in.
        timed(&folder, home, &plain)?;
        let plain = least(rounds, || timed(&folder, home, &plain))?;
        let review = call("review --base HEAD~1 --mutants 0");
        let unknown = timed(&folder, home, &review)?.processor;
        let known = least(rounds, || timed(&folder, home, &review))?;
        let mutants = timed(&folder, home, &call("review --base HEAD~1"))?.processor;
        let ids = lines.iter().map(|(id, _)| *id).collect::<Vec<_>>().join(", ");
        let what = format!("{name} ({ids})");
        println!("{what:60} {plain:>8.2} {unknown:>9.2} {known:>9.2} {:>7.1} {mutants:>9.2}", known / plain);
    }
    Ok(())
}

/// The least processor time of several runs.
fn least(rounds: usize, run: impl Fn() -> Result<super::TimedRun>) -> Result<f64> {
    (0..rounds).try_fold(f64::INFINITY, |least, _| run().map(|run| least.min(run.processor)))
}

/// Installs what the tests of a package need, in the package's own folder.
fn install(folder: &Path) -> Result {
    let exists = |name: &str| folder.join(name).exists();
    if (exists("pyproject.toml") || exists("setup.py")) && !exists(".venv") {
        let mut venv = command("python3", &["-m", "venv", ".venv"]);
        venv.current_dir(folder);
        shell::run(venv)?;
        let mut pip = command(folder.join(".venv/bin/python"), &["-m", "pip", "install", "--quiet"]);
        pip.args(["pytest", "pytest-asyncio", "ruff", "mypy", "."]).current_dir(folder);
        shell::run(pip)?;
    } else if exists("package.json") && !exists("node_modules") {
        let mut npm = command("npm", &["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]);
        npm.current_dir(folder);
        shell::run(npm)?;
    } else if exists("Cargo.toml") {
        let mut fetch = command("cargo", &["fetch", "--quiet"]);
        fetch.current_dir(folder);
        shell::run(fetch)?;
    }
    Ok(())
}
