//! What a project has its tools called by.
//!
//! A tool that the maintainers call is in use even if nothing configures it. This must not know what tools there are.

use super::Project;

/// Finds the first command that begins with one of these words, and says where it stands.
pub(super) fn mentioned(project: &Project, words: &[&str]) -> Option<String> {
    project.pipeline.commands.iter().find_map(|command| {
        let words = words.iter().find(|words| command.begins_with(words))?;
        Some(format!("{} calls `{words}`", command.source))
    })
}
