//! What a project has its tools called by: pipelines, hooks before commits, files of make and just.
//!
//! A tool that they call is in use even if nothing configures it. This must not know what tools
//! there are.

use assize_ecosystem::calls_tools;

use super::Project;

/// Finds the first file that calls a tool in one of these words, and says so.
pub(super) fn mentioned(project: &Project, words: &[&str]) -> Option<String> {
    let callers = project.manifests.iter().filter(|(path, _)| calls_tools(path));
    for (path, text) in callers {
        let code = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        for line in code {
            if let Some(word) = words.iter().find(|word| has_words(line, word)) {
                return Some(format!("{path} calls `{word}`"));
            }
        }
    }
    None
}

/// Whole words only: `ruff` is not in `truffle`, nor in `ruff-action`'s neighbour `scruff`.
fn has_words(line: &str, words: &str) -> bool {
    let edge = |character: Option<char>| character.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    line.match_indices(words)
        .any(|(at, _)| edge(line[..at].chars().next_back()) && edge(line[at + words.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pipeline_calls_is_in_use() {
        let project = |path: &str, text: &str| Project {
            manifests: [(path.to_owned(), text.to_owned())].into(),
            ..Project::default()
        };
        let ci = ".github/workflows/ci.yml";
        for (path, text, found) in [
            (ci, "    - run: cargo clippy --all", true),
            (ci, "    # - run: cargo clippy --all", false),
            (ci, "    - run: cargo clippyx", false),
            ("Makefile", "lint:\n\tcargo clippy", true),
            ("docs/a.md", "cargo clippy", false),
        ] {
            assert_eq!(mentioned(&project(path, text), &["cargo clippy"]).is_some(), found, "{path}: {text}");
        }
    }
}
