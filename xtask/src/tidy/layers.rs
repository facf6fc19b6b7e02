//! Which crate may know which, and what the pure ones must not know.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::shell::{Result, cargo, read};

/// The crates from the bottom up: each knows only those before it.
pub const CRATES: [&str; 15] = [
    "assize-core",
    "assize-ecosystem",
    "assize-syntax",
    "assize-report",
    "assize-gate",
    "assize-check",
    "assize-brief",
    "assize-stop",
    "assize-patch",
    "assize-review",
    "assize-eval",
    "assize-market",
    "assize-ledger",
    "assize-engine",
    "assize",
];

/// How many of them are pure, from the bottom.
const PURE: usize = 13;

/// What a pure crate must never depend on, directly or through others.
const FORBIDDEN_CRATES: [&str; 14] = [
    "tokio",
    "async-std",
    "mio",
    "reqwest",
    "ureq",
    "hyper",
    "rusqlite",
    "tempfile",
    "getrandom",
    "rand",
    "rustix",
    "nix",
    "chrono",
    "jiff",
];

/// What a pure crate must never name.
pub const FORBIDDEN_WORDS: [&str; 8] =
    ["std::fs", "std::process", "std::env", "std::net", "std::thread", "SystemTime", "Instant", "async fn"];

/// Returns whether a file belongs to a pure crate.
pub fn is_pure(path: &str) -> bool {
    CRATES[..PURE]
        .iter()
        .any(|name| path.strip_prefix("crates/").is_some_and(|rest| rest.starts_with(&format!("{name}/src/"))))
}

/// Checks the manifests.
pub fn check(wrong: &mut Vec<String>) -> Result {
    let known = dependencies()?;
    for (name, on) in &known {
        let Some(place) = CRATES.iter().position(|layer| layer == name) else {
            if name.starts_with("assize") && name != "assize-testkit" {
                wrong.push(format!("{name} has no place among the layers"));
            }
            continue;
        };
        for used in on.iter().filter(|used| used.starts_with("assize")) {
            if CRATES.iter().position(|layer| layer == used).is_none_or(|below| below >= place) {
                wrong.push(format!("{name} depends on {used}, which is not below it"));
            }
        }
    }
    for name in &CRATES[..PURE] {
        let tree = read(cargo(&["tree", "--package", name, "--edges", "normal", "--prefix", "depth"]))?;
        let forbidden: BTreeSet<&str> =
            beyond_hash_tables(&tree).filter(|used| FORBIDDEN_CRATES.contains(used)).collect();
        wrong.extend(forbidden.iter().map(|used| format!("{name} depends on {used}")));
    }
    Ok(())
}

/// The crates of a tree, without those that `ahash` alone brings: hash tables seed themselves, those of the standard library
/// as well, and it asks the system for that and no more.
fn beyond_hash_tables(tree: &str) -> impl Iterator<Item = &str> {
    let mut seeds_at: Option<usize> = None;
    tree.lines().filter_map(move |line| {
        let name_at = line.find(|character: char| !character.is_ascii_digit())?;
        let (depth, name) = (line[..name_at].parse().ok()?, line[name_at..].split(' ').next()?);
        if seeds_at.is_some_and(|seeds| depth > seeds) {
            return None;
        }
        seeds_at = (name == "ahash").then_some(depth);
        Some(name)
    })
}

/// What each package of the workspace depends on outside its tests.
fn dependencies() -> Result<BTreeMap<String, Vec<String>>> {
    let metadata = read(cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
    let of = |package: &Value| {
        let on = list(&package["dependencies"]);
        (name(package), on.iter().filter(|on| on["kind"].is_null()).map(name).collect())
    };
    Ok(list(&metadata["packages"]).iter().map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_seeds_hash_tables_is_passed_over_and_nothing_else() {
        let tree =
            "0assize-core v0.1.0\n1cel v0.15.0\n2ahash v0.8.0\n3getrandom v0.3.0\n2tempfile v3.0.0\n1rand v0.9.0";
        let names: Vec<&str> = beyond_hash_tables(tree).collect();
        assert_eq!(names, ["assize-core", "cel", "ahash", "tempfile", "rand"]);
    }
}
