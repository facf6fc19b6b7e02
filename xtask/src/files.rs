//! The files of the project that checks look at, without the corpora: those hold the code of the judged.

use std::fs;

use crate::shell::{Result, command, read, root};

/// Folders that hold code and texts of the judged.
const CORPORA: [&str; 8] = [
    "/tests/scenarios/",
    "/tests/pairs/",
    "/tests/cheats",
    "/tests/host_escapes/",
    "/tests/market/play/",
    "/tests/patch_cases/",
    "/tests/repairs/",
    "/tests/tournaments/",
];

/// Lists the Rust sources, by their paths from the root.
pub fn sources() -> Result<Vec<String>> {
    Ok(listed("*.rs")?.into_iter().filter(|path| !CORPORA.iter().any(|corpus| path.contains(corpus))).collect())
}

/// Lists the Markdown files that people read or models are asked with. Those below `tests` belong to corpora.
pub fn markdown() -> Result<Vec<String>> {
    Ok(listed("*.md")?.into_iter().filter(|path| !path.contains("/tests/")).collect())
}

/// Lists the TOML files that people read: settings, templates, rubrics and manifests. Those below `tests` belong to corpora.
pub fn toml() -> Result<Vec<String>> {
    Ok(listed("*.toml")?.into_iter().filter(|path| !path.contains("/tests/")).collect())
}

/// Lists the files that git knows, or would add, and that are there.
pub fn listed(pattern: &str) -> Result<Vec<String>> {
    let listed = read(command("git", &["ls-files", "--cached", "--others", "--exclude-standard", pattern]))?;
    Ok(listed.lines().filter(|path| root().join(path).is_file()).map(str::to_owned).collect())
}

/// Reads a file by its path from the root.
pub fn text(path: &str) -> Result<String> {
    fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))
}

/// Reads files, each with its path.
pub fn texts(paths: Vec<String>) -> Result<Vec<(String, String)>> {
    paths.into_iter().map(|path| text(&path).map(|text| (path, text))).collect()
}
