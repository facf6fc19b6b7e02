//! Checks that no compiler makes: layers, names, sizes.

use std::fs;

use assize_core::rule::RULES;

use crate::shell::{Result, cargo, command, read, root};

/// Longest function, in lines. Tables may be long; functions that decide may not.
const FUNCTION_LINES_MAX: usize = 100;

/// What the core must never depend on, directly or through others.
const FORBIDDEN_IN_CORE: [&str; 14] = [
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

/// What the core must never name.
const FORBIDDEN_WORDS_IN_CORE: [&str; 8] =
    ["std::fs", "std::process", "std::env", "std::net", "std::thread", "SystemTime", "Instant", "async fn"];

/// Runs every check and reports all that is wrong.
pub fn run() -> Result {
    let mut wrong = Vec::new();
    layers(&mut wrong)?;
    rules(&mut wrong);
    for path in sources()? {
        let text = fs::read_to_string(root().join(&path)).map_err(|error| format!("{path}: {error}"))?;
        source(&path, &text, &mut wrong);
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("tidy:\n  {}", wrong.join("\n  "))) }
}

fn sources() -> Result<Vec<String>> {
    let listed = read(command("git", &["ls-files", "--cached", "--others", "--exclude-standard", "*.rs"]))?;
    // The code in corpora is that of the judged.
    const CORPORA: [&str; 8] = [
        "/tests/scenarios/",
        "/tests/pairs/",
        "/tests/cheats",
        "/tests/host_escapes/",
        "/tests/sandbox/",
        "/tests/patch_cases/",
        "/tests/repairs/",
        "/tests/tournaments/",
    ];
    let there = |path: &&str| root().join(path).is_file() && !CORPORA.iter().any(|corpus| path.contains(corpus));
    Ok(listed.lines().filter(there).map(str::to_owned).collect())
}

/// `assize → engine → core`, and the core knows nobody and nothing of the outside.
fn layers(wrong: &mut Vec<String>) -> Result {
    // Hash tables seed themselves, those of the standard library as well; `ahash` asks the system for that and no more.
    const PRUNED: [&str; 2] = ["--prune", "ahash"];
    let tree = |package: &str| {
        let arguments = ["tree", "--package", package, "--edges", "normal", "--prefix", "none"];
        read(cargo(&[&arguments[..], &PRUNED].concat()))
    };
    for line in tree("assize-core")?.lines() {
        let name = line.split(' ').next().unwrap_or_default();
        let own = name.starts_with("assize") && name != "assize-core";
        if own || FORBIDDEN_IN_CORE.contains(&name) {
            wrong.push(format!("assize-core depends on {name}"));
        }
    }
    for package in ["assize", "assize-engine"] {
        if tree(package)?.lines().any(|line| line.starts_with("assize-testkit ")) {
            wrong.push(format!("{package} depends on the testkit outside its tests"));
        }
    }
    Ok(())
}

/// A rule is one file, named by its id.
fn rules(wrong: &mut Vec<String>) {
    let folder = root().join("crates/assize-core/src/rule");
    for rule in RULES {
        let file = folder.join(format!("{}.rs", rule.id().replace('-', "_")));
        if !file.is_file() {
            wrong.push(format!("the rule {} has no file {}", rule.id(), file.display()));
        }
    }
}

fn source(path: &str, text: &str, wrong: &mut Vec<String>) {
    if !text.starts_with("//!") && !path.starts_with("fuzz/") {
        wrong.push(format!("{path}: it does not open with why it exists (`//!`)"));
    }
    let in_core = path.starts_with("crates/assize-core/src/");
    for (index, line) in text.lines().enumerate() {
        let place = format!("{path}:{}", index + 1);
        let code = line.trim_start();
        if in_core && !code.starts_with("//") {
            for word in FORBIDDEN_WORDS_IN_CORE.iter().filter(|word| names(code, word)) {
                wrong.push(format!("{place}: the core names {word}"));
            }
        }
        if code == "#[ignore]" {
            wrong.push(format!("{place}: a test is ignored without a reason"));
        }
        if code.starts_with("#[allow(") || code.starts_with("#![allow(") {
            wrong.push(format!("{place}: use #[expect(…, reason = …)]"));
        }
    }
    for (name, line, length) in functions(text) {
        if length > FUNCTION_LINES_MAX && !path.contains("/tests") {
            wrong.push(format!("{path}:{line}: `{name}` has {length} lines, more than {FUNCTION_LINES_MAX}"));
        }
    }
}

/// Whole words only, and not inside a string.
fn names(code: &str, word: &str) -> bool {
    let Some(at) = code.find(word) else { return false };
    let before = code[..at].chars().next_back();
    let after = code[at + word.len()..].chars().next();
    let edge = |character: Option<char>| character.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    edge(before) && edge(after) && !code[..at].contains('"')
}

/// Finds functions by their indentation, which rustfmt makes dependable.
fn functions(text: &str) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(String, usize, usize)> = None;
    for (index, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let code = line.trim_start();
        if let Some((name, start, depth)) = &open {
            if indent == *depth && code.starts_with('}') {
                found.push((name.clone(), start + 1, index - start + 1));
                open = None;
            }
            continue;
        }
        let words = ["pub(crate) ", "pub(super) ", "pub ", "const ", "async ", "unsafe "];
        let bare = words.iter().fold(code, |code, word| code.strip_prefix(word).unwrap_or(code));
        if let Some(rest) = bare.strip_prefix("fn ")
            && !code.ends_with([';', '}'])
        {
            let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            open = Some((name.to_owned(), index, indent));
        }
    }
    found
}
