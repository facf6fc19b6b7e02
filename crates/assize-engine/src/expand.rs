//! Reads what a prompt refers to: custom slash commands and `@file`.
//!
//! Reads only command files of the project and of the home folder, and files inside the project.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use assize_core::text::Untrusted;
use assize_stop::directive::{Attachment, at_files, slash_command};

/// The most attachments of one prompt.
pub const ATTACHMENTS_MAX: usize = 10;
/// The most bytes that are read of each attachment.
pub const ATTACHMENT_BYTES_MAX: usize = 16 * 1024;

/// Reads what the prompt refers to. References that cannot be read remain as they are in the prompt.
pub fn attachments(prompt: &str, project: &Path, home: Option<&Path>) -> Vec<Attachment> {
    let mut found = Vec::new();
    if let Some((name, arguments)) = slash_command(prompt)
        && let Some(text) = command_file(name, project, home).and_then(|path| read(&path))
    {
        found.push(attachment(&format!("/{name}"), without_front_matter(&text).replace("$ARGUMENTS", arguments)));
    }
    for file in at_files(prompt) {
        let inside = project.join(file);
        let confined =
            inside.canonicalize().is_ok_and(|real| project.canonicalize().is_ok_and(|root| real.starts_with(root)));
        if confined && let Some(text) = read(&inside) {
            found.push(attachment(&format!("@{file}"), text));
        }
    }
    found.truncate(ATTACHMENTS_MAX);
    found
}

fn attachment(name: &str, text: String) -> Attachment {
    Attachment { name: name.to_owned(), text: Untrusted::new(text) }
}

/// `/git:commit` is stored in `commands/git/commit.md`; agents differ only in the folder.
fn command_file(name: &str, project: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let below = format!("{}.md", name.replace(':', "/"));
    let places = [".claude/commands", ".cursor/commands", ".codex/prompts", ".github/prompts", ".gemini/commands"];
    let bases = [Some(project), home];
    bases
        .into_iter()
        .flatten()
        .flat_map(|base| places.map(|place| base.join(place).join(&below)))
        .find(|path| path.is_file())
}

fn read(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let meta = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    fs::File::open(path).ok()?.take(ATTACHMENT_BYTES_MAX as u64).read_to_end(&mut bytes).ok()?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if meta.len() > ATTACHMENT_BYTES_MAX as u64 {
        text.push_str(&format!("\n[cut after {ATTACHMENT_BYTES_MAX} of {} bytes]", meta.len()));
    }
    Some(text)
}

fn without_front_matter(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("---\n") else { return text };
    rest.split_once("\n---\n").map_or(text, |(_, body)| body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(folder.path().join(".claude/commands/git")).expect("made");
        fs::write(folder.path().join(".claude/commands/git/tag.md"), "---\nmodel: x\n---\nTag $ARGUMENTS now.\n")
            .expect("written");
        fs::write(folder.path().join("notes.md"), "Use tabs.\n").expect("written");
        folder
    }

    fn names_and_texts(prompt: &str) -> Vec<(String, String)> {
        let project = project();
        let found = attachments(prompt, project.path(), None);
        found.into_iter().map(|found| (found.name, found.text.inspect().to_owned())).collect()
    }

    #[test]
    fn commands_and_files_are_expanded() {
        assert_eq!(names_and_texts("/git:tag v1.2"), [("/git:tag".into(), "Tag v1.2 now.\n".into())]);
        assert_eq!(names_and_texts("do as @notes.md says"), [("@notes.md".into(), "Use tabs.\n".into())]);
    }

    #[test]
    fn nothing_outside_the_project_is_read() {
        assert_eq!(names_and_texts("see @../../../etc/passwd and @/etc/passwd and @missing.md"), []);
    }

    #[test]
    fn a_file_is_cut_at_its_limit_and_says_so() {
        let project = project();
        let text = |bytes: usize| {
            fs::write(project.path().join("big.md"), "x".repeat(bytes)).expect("written");
            attachments("@big.md", project.path(), None)[0].text.inspect().to_owned()
        };
        assert_eq!(text(ATTACHMENT_BYTES_MAX).len(), ATTACHMENT_BYTES_MAX);
        assert!(text(ATTACHMENT_BYTES_MAX + 1).contains("[cut after"));
    }
}
