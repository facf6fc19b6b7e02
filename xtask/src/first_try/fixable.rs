//! Faults that the tools of a package fix themselves, put into it to see whether `assize fix --tools-only` has them do it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use assize_ecosystem::{FileRole, is_code, is_generated};
use regex::Regex;
use serde_json::Value;

use super::assize;
use crate::shell::{Result, command, read};

/// The gates whose tools can rewrite files or offer safe edits.
const FIXING: [&str; 10] = [
    "biome",
    "black",
    "cargo-check",
    "cargo-clippy",
    "cargo-fmt",
    "eslint",
    "gofmt",
    "prettier",
    "ruff-check",
    "ruff-format",
];

/// What is done to a text, by the ending of the file: a name, a pattern, and what takes the place of its first match.
const FAULTS: [(&str, &str, &str, &str); 28] = [
    ("py", "an unused import", r"(?m)^(import|from) (\w)", "import colorsys\n$1 $2"),
    ("py", "spaces", r"(?m)^( +\w+) = (\w)", "$1  =  $2"),
    ("py", "other quotes", r#"= "(\w+)"\n"#, "= '$1'\n"),
    ("py", "a negation in front", r"(?m)(if|and|or|return) ([a-z]\w*) not in ", "$1 not $2 in "),
    ("py", "an f-string without need", r#"\("([a-zA-Z ]+)"\)"#, r#"(f"$1")"#),
    ("py", "blank lines", r"(?m)^( +return \w+)\n\n\n", "$1\n\n\n\n\n"),
    ("py", "a space before a comma", r"(?m)^( +\w+\(\w+), (\w+\))", "$1 , $2"),
    ("py", "an import twice", r"(?m)^(import \w+)\n", "$1\n$1\n"),
    ("rs", "spaces", r"(?m)^( +)let (\w+) = ", "${1}let  $2  = "),
    ("rs", "indentation", r"(?m)^    (\w[^\n]*;\n)", "       $1"),
    ("rs", "a needless return", r"(?m)(fn [^{;\n]*-> [^{;\n]+\{\n +)([\w.]+)\n( *\})", "${1}return $2;\n$3"),
    ("rs", "a comparison with true", r"(?m)^( +)if ([\w.]+\(\)) \{", "${1}if $2 == true {"),
    ("rs", "an unused import", r"(?m)^use (core|std|alloc)", "use core::ops::Shl;\nuse $1"),
    ("rs", "an unused mut", r"(?m)^( +)let (\w+) = ", "${1}let mut $2 = "),
    ("rs", "needless parentheses", r"(?m)^( +)(if|while) ([\w.!]+(?:\(\))?) \{", "${1}$2 ($3) {"),
    ("rs", "two semicolons", r"(?m)^( +let \w+ = [^\n;{]*;)\n", "$1;\n"),
    ("rs", "a comparison of a length", r"(\w+)\.is_empty\(\)", "$1.len() == 0"),
    ("rs", "a needless lifetime", r"const (\w+): &(str|\[u8\])", "const $1: &'static $2"),
    ("rs", "an unneeded unit", r"(?m)^( *(?:pub )?fn \w+\([^)\n]*\)) \{", "$1 -> () {"),
    ("rs", "an assignment in full", r"(?m)^( +)(\w+(?:\.\w+)*) (\+|-)= ", "${1}$2 = $2 $3 "),
    ("js", "no semicolon", r"(?m)^(\s*(?:const|let|var) \w+ = [\w.]+);$", "$1"),
    ("js", "let for const", r"(?m)^( +)const (\w+) = ", "${1}let $2 = "),
    ("js", "other quotes", r"require\('([\w:./-]+)'\)", "require(\"$1\")"),
    ("js", "spaces", r"(?m)^( *(?:const|let|var) \w+) = ", "$1  =  "),
    ("js", "var for const", r"(?m)^( +)(?:const|let) (\w+) = ", "${1}var $2 = "),
    ("js", "indentation", r"(?m)^( +)(return [^\n]*)\n", "$1   $2\n"),
    ("js", "blank lines", r"(?m)^(\S[^\n]*)\n\n(\S)", "$1\n\n\n\n\n$2"),
    ("js", "a space at the end", r"(?m)^( *(?:const|let|var) [^\n]*[;,\w)])$", "$1  "),
];

/// How many faults were put into packages, and what became of them.
#[derive(Debug, Default)]
pub struct FixCount {
    /// Faults to which a tool of the package objects.
    pub told: u32,
    /// Those of them that were fixed.
    pub fixed: u32,
    /// Those at which something else was changed.
    pub elsewhere: u32,
}

/// Puts each kind of fault into a package in turn, and has it fixed.
pub fn fix(program: &Path, folder: &Path, name: &str, count: &mut FixCount) -> Result {
    let gates = assize(program, folder, &["gates", "--list"])?;
    let listed = gates["used"].as_array().into_iter().flatten().filter_map(|gate| gate["id"].as_str());
    let (ids, others): (BTreeSet<&str>, BTreeSet<&str>) = listed.partition(|id| FIXING.contains(id));
    // Tests take minutes in some packages, and say nothing of these faults.
    let config = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    fs::write(config.path(), "[review]\nrequire = []\n").map_err(|error| error.to_string())?;
    let config = config.path().to_string_lossy();
    let mut repair = vec!["fix", "--tools-only", "--yes", "--anew", "--config", &config];
    repair.extend(others.iter().flat_map(|id| ["--skip", id]));
    let only: Vec<&str> = std::iter::once("gates").chain(ids.iter().flat_map(|id| ["--only", id])).collect();
    if ids.is_empty() {
        println!("{name}: no tool that fixes");
        return Ok(());
    }
    let before = objections(&assize(program, folder, &only)?);
    for (ending, kind, pattern, replacement) in FAULTS {
        let pattern = Regex::new(pattern).expect("every pattern can be read");
        let Some((path, text, broken)) = broken(folder, (ending, kind, name), &pattern, replacement)? else { continue };
        let write = |text: &str| fs::write(folder.join(&path), text).map_err(|error| format!("{path}: {error}"));
        write(&broken)?;
        let told = is_more(&objections(&assize(program, folder, &only)?), &before);
        if !told.is_empty() {
            count.told += 1;
            let answer = assize(program, folder, &repair);
            let left = objections(&assize(program, folder, &only)?);
            let mut status = command("git", &["status", "--porcelain", "--untracked-files=no"]);
            status.current_dir(folder);
            let status = read(status)?;
            let others: Vec<&str> = status.lines().filter(|line| !line.ends_with(&*path)).collect();
            let is_same = fs::read_to_string(folder.join(&path)).is_ok_and(|now| now == text);
            let is_fixed = others.is_empty() && (is_same || is_more(&left, &before).is_empty());
            count.fixed += u32::from(is_fixed);
            count.elsewhere += u32::from(!others.is_empty());
            let outcome = answer.as_ref().map_or("no answer", |it| it["outcome"].as_str().unwrap_or("?")).to_owned();
            let word = if is_fixed { "fixed" } else { "NOT FIXED" };
            println!("{name}: {path}: {kind} ({}): {word}, {outcome}{}", told.join(", "), others.join(","));
        }
        write(&text)?;
        let mut clean = command("git", &["checkout", "--quiet", "."]);
        clean.current_dir(folder);
        read(clean)?;
    }
    Ok(())
}

/// How many objections each gate has.
fn objections(envelope: &Value) -> BTreeMap<String, u64> {
    let gates = envelope["exec"]["gates"].as_array().into_iter().flatten();
    let count = |gate: &Value| {
        let new = gate["new"].as_array().map_or(0, Vec::len) as u64;
        new + gate["new_left_out"].as_u64().unwrap_or(0)
    };
    gates.filter_map(|gate| Some((gate["id"].as_str()?.to_owned(), count(gate)))).collect()
}

/// The gates that have more objections than before.
fn is_more(now: &BTreeMap<String, u64>, before: &BTreeMap<String, u64>) -> Vec<String> {
    let more = now.iter().filter(|(id, count)| **count > before.get(*id).copied().unwrap_or(0));
    more.map(|(id, _)| id.clone()).collect()
}

/// Finds a file of the package's own code that takes a fault: its path, its text, and the text with the fault.
fn broken(
    folder: &Path,
    (ending, kind, name): (&str, &str, &str),
    pattern: &Regex,
    replacement: &str,
) -> Result<Option<(String, String, String)>> {
    let mut git = command("git", &["ls-files"]);
    git.current_dir(folder);
    let listed = read(git)?;
    let is_own = |path: &&str| {
        let endings = if ending == "js" { &["js", "cjs", "mjs", "ts"][..] } else { &[ending][..] };
        let has_ending = PathBuf::from(path).extension().is_some_and(|it| endings.iter().any(|one| it == *one));
        has_ending && is_code(path) && !is_generated(path) && FileRole::of(path) == FileRole::Production
    };
    let with_fault = |path: &str| {
        let text = fs::read_to_string(folder.join(path)).ok()?;
        let broken = pattern.replace(&text, replacement).into_owned();
        (broken != text).then(|| (path.to_owned(), text, broken))
    };
    let mut found: Vec<_> = listed.lines().filter(is_own).filter_map(with_fault).collect();
    let seed = name.bytes().chain(kind.bytes()).fold(7_u64, |seed, byte| seed.wrapping_mul(31) ^ u64::from(byte));
    let at = (!found.is_empty()).then(|| fastrand::Rng::with_seed(seed).usize(..found.len()));
    Ok(at.map(|at| found.swap_remove(at)))
}
