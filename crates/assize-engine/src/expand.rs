//! Reads what a prompt refers to: custom slash commands, skills and `@file`.
//!
//! Reads only command files of the project and of the home folder, and files inside the project.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use assize_core::text::Untrusted;
use assize_stop::directive::{Attachment, at_files, slash_command};
use regex::{Captures, Regex};

/// The most attachments of one prompt.
pub const ATTACHMENTS_MAX: usize = 10;
/// The most bytes that are read of each attachment.
pub const ATTACHMENT_BYTES_MAX: usize = 16 * 1024;

/// Reads what the prompt refers to. References that cannot be read remain as they are in the prompt.
pub fn attachments(prompt: &str, project: &Path, home: Option<&Path>) -> Vec<Attachment> {
    let mut found = Vec::new();
    let mut texts = vec![prompt.to_owned()];
    if let Some((name, arguments)) = slash_command(prompt)
        && let Some(text) = command_file(name, project, home).and_then(|path| read(&path))
    {
        let text = filled(without_front_matter(&text), arguments);
        texts.push(text.clone());
        found.push(attachment(&format!("/{name}"), text));
    }
    let mut files: Vec<&str> = Vec::new();
    for file in texts.iter().flat_map(|text| at_files(text)) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    for file in files {
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

/// Fills in what was typed behind the name of a command: `$ARGUMENTS` is all of it, `$1` its first word, which may be quoted.
/// Where the text has a place for neither, agents put it at the end.
fn filled(text: &str, arguments: &str) -> String {
    static PLACE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\$(?:ARGUMENTS\b|(?P<number>[1-9])\b)").expect("valid pattern"));
    if !PLACE.is_match(text) {
        let end = if arguments.is_empty() { String::new() } else { format!("\n\nARGUMENTS: {arguments}\n") };
        return format!("{text}{end}");
    }
    let words = shlex::split(arguments).unwrap_or_else(|| arguments.split_whitespace().map(str::to_owned).collect());
    let fill =
        |found: &Captures<'_>| match found.name("number").and_then(|number| number.as_str().parse::<usize>().ok()) {
            Some(number) => words.get(number - 1).cloned().unwrap_or_default(),
            None => arguments.to_owned(),
        };
    PLACE.replace_all(text, fill).into_owned()
}

/// `/git:commit` is stored in `commands/git/commit.md`, and a skill in a folder of its name; agents differ only in the folder.
fn command_file(name: &str, project: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let below = format!("{}.md", name.replace(':', "/"));
    let places = [".claude/commands", ".cursor/commands", ".codex/prompts", ".github/prompts", ".gemini/commands"];
    let skills = [".claude/skills", ".agents/skills", ".github/skills"];
    let bases = [Some(project), home];
    bases
        .into_iter()
        .flatten()
        .flat_map(|base| {
            let commands = places.map(|place| base.join(place).join(&below));
            commands.into_iter().chain(skills.map(|place| base.join(place).join(name).join("SKILL.md")))
        })
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
    fn arguments_are_filled_in_where_they_belong() {
        for (text, arguments, expected) in [
            ("Tag $ARGUMENTS now.", "v1 'a b'", "Tag v1 'a b' now."),
            ("Fix $1 in $2; $3 stays.", "12 'my app'", "Fix 12 in my app;  stays."),
            ("Costs $10 and $PATH: $1", "x", "Costs $10 and $PATH: x"),
            ("Review it.", "src/a.rs", "Review it.\n\nARGUMENTS: src/a.rs\n"),
            ("Review it.", "", "Review it."),
            ("$1 and $1", "it's", "it's and it's"),
        ] {
            assert_eq!(filled(text, arguments), expected, "{text}");
        }
    }

    #[test]
    fn skills_and_files_within_commands_are_read() {
        let project = project();
        let write = |path: &str, text: &str| {
            let path = project.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        };
        write(".claude/skills/port/SKILL.md", "---\nname: port\n---\nPort $1 as @notes.md says; see @../outside.\n");
        let found = attachments("/port lib/a.js", project.path(), None);
        let found: Vec<(String, String)> =
            found.into_iter().map(|found| (found.name, found.text.inspect().to_owned())).collect();
        assert_eq!(found[0], ("/port".into(), "Port lib/a.js as @notes.md says; see @../outside.\n".into()));
        assert_eq!(found[1..], [("@notes.md".to_owned(), "Use tabs.\n".to_owned())]);
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
