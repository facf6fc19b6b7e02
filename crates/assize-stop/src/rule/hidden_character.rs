//! Text holds invisible characters.

use std::collections::BTreeSet;

use assize_core::diff::{FileChange, FileStatus};
use assize_core::finding::{Certainty, Severity};
use assize_ecosystem::is_generated;
use assize_check::security::hidden::{SourceLine, in_line, in_name, in_words, may_hide};
use assize_core::text::quote;

use super::reading::{CodeLine, MovedLines, DiffSide, read};
use super::{Findings, Needs, Rule};
use crate::evidence::Evidence;

/// See the module.
pub struct HiddenCharacter;

impl Rule for HiddenCharacter {
    fn id(&self) -> &'static str {
        "hidden-character"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        if let Some(diff) = evidence.diff.get() {
            let mut moved = MovedLines::new(diff);
            let glance = findings.glance;
            for (file, _) in glance.added().filter(|(file, added)| !is_generated(&file.path) && may_hide(added)) {
                check_file(file, &mut moved, findings);
            }
            for file in &diff.files {
                check_name(file, findings);
            }
        }
        check_words(evidence, findings);
    }
}

/// Longest line that a person reads; longer ones are built.
const READ_BYTES_MAX: usize = 2_000;

fn check_file(file: &FileChange, moved: &mut MovedLines<'_>, findings: &mut Findings<'_>) {
    let mut seen = BTreeSet::new();
    for line in read(file, DiffSide::New).iter().flatten().filter(|line| line.changed) {
        let sights = in_line(source(line), &file.path);
        if sights.is_empty() || moved.take(line.raw) {
            continue;
        }
        for sight in sights {
            // One finding a kind and file says enough.
            if seen.insert((sight.kind, sight.certainty)) {
                let message =
                    format!("{} holds {}. Take it out, or write it as an escape.", quote(line.raw), sight.describe());
                // What no one reads as it stands misleads no reader.
                let certainty = if line.raw.len() > READ_BYTES_MAX { Certainty::Likely } else { sight.certainty };
                findings.at(file, Some(line.number), Severity::Error, certainty, message);
            }
        }
    }
}

fn source<'a>(line: &'a CodeLine<'_>) -> SourceLine<'a> {
    SourceLine { raw: line.raw, code: &line.code, first: line.number == 1 }
}

/// A name counts when it is new.
fn check_name(file: &FileChange, findings: &mut Findings<'_>) {
    if matches!(file.status, FileStatus::Added | FileStatus::Renamed)
        && let Some(sight) = in_name(&file.path)
    {
        let message = format!("The name of the file {} holds {}. Rename it.", quote(&file.path), sight.describe());
        findings.at(file, None, Severity::Error, sight.certainty, message);
    }
}

/// The final message and the commands.
fn check_words(evidence: &Evidence, findings: &mut Findings<'_>) {
    let commands = evidence.transcript.get().into_iter().flat_map(|facts| &facts.commands);
    let commands = commands.map(|run| ("A command of the session", run.command.inspect()));
    let mut seen = BTreeSet::new();
    for (what, text) in std::iter::once(("The final message", evidence.message())).chain(commands) {
        for sight in in_words(text) {
            if seen.insert((what, sight.character)) {
                let message = format!(
                    "{what} holds {}: what is read is not what stands there. Write it without.",
                    sight.describe()
                );
                findings.file(Severity::Warning, Certainty::Likely, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{changed, found, grades, says};
    use Certainty::{Certain, Likely};

    fn check(path: &str, lines: &str) -> Vec<Certainty> {
        grades(&HiddenCharacter, &changed(path, lines))
    }

    #[test]
    fn a_line_that_no_one_reads_is_likely() {
        let grade = |length: usize| {
            let line = format!("+const a = \"\u{202e}{}\";\n", "x".repeat(length));
            grades(&HiddenCharacter, &changed("a.js", &line))
        };
        assert_eq!(grade(1_900), [Certainty::Certain]);
        assert_eq!(grade(2_000), [Certainty::Likely]);
    }

    #[test]
    fn reordered_and_tagged_code_is_certain() {
        for (path, lines) in [
            ("src/a.rs", "+    if level != \"user\u{202e} \u{2066}// admin\u{2069} \u{2066}\" {\n"),
            ("src/a.py", "+    role = 'a\u{202d}b'\n"),
            ("src/a.ts", "+// \u{2067}return\u{2069}\n"),
            ("src/a.go", "+\tx := \"\u{202b}\"\n"),
            ("src/a.c", "+/* \u{e0069}\u{e0067}\u{e006e} */\n"),
            ("app/a.rb", "+# \u{202e}\n"),
            ("src/a.js", "+  let allow\u{200c}ed = false;\n"),
        ] {
            let grades = check(path, lines);
            assert!(!grades.is_empty() && grades.iter().all(|grade| *grade == Certain), "{path}: {grades:?}");
        }
    }

    #[test]
    fn what_can_be_harmless_is_likely() {
        for (path, lines) in [
            ("src/a.rs", "+let name = \"na\u{200b}me\";\n"),
            ("src/a.py", "+x = 'a\u{2060}b'\n"),
            ("src/a.ts", "+const mark = '\u{200f}';\n"),
            ("src/a.sh", "+echo '\u{1b}[31m'\n"),
            ("src/a.rs", " x\n+\u{feff}fn main() {}\n"),
            ("tests/bidi.rs", "+let sample = \"\u{202e}\";\n"),
            ("locales/en.json", "+{\"a\": \"\u{2068}x\u{2069}\"}\n"),
            ("locales/ar.json", "+{\"a\": \"\u{202e}x\"}\n"),
            ("src/a.ts", "+const title = '\u{2067}שלום\u{2069}';\n"),
            ("src/i18n/he.ts", "+  x: '\u{2068}{name}\u{2069}',\n"),
            ("AGENTS.md", "+Be good.\u{e0041}\n"),
            ("src/a.ts", "+const joined = 'a\u{200d}b';\n"),
        ] {
            let grades = check(path, lines);
            assert!(!grades.is_empty() && grades.iter().all(|grade| *grade == Likely), "{path}: {grades:?}");
        }
        assert_eq!(grades(&HiddenCharacter, &says("Done.\u{202e}")), [Likely]);
        assert_eq!(grades(&HiddenCharacter, &says("Done.\u{e0041}")), [Likely]);
    }

    #[test]
    fn counter_examples() {
        for (path, lines) in [
            ("src/a.rs", "+let name = \"naïve – Ünïcode 日本語\";\n"),
            ("src/a.ts", "+const family = '👨\u{200d}👩\u{200d}👧';\n"),
            ("src/a.ts", "+const healer = '🧑🏽\u{200d}⚕\u{fe0f}';\n"),
            ("src/flags.ts", "+const scotland = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}';\n"),
            ("src/fa.ts", "+const text = 'می\u{200c}خواهم';\n"),
            ("src/a.cs", "+\u{feff}using System;\n"),
            ("src/a.c", "+\u{c}\n"),
            ("docs/a.md", "+zero\u{200b}width and soft\u{ad}hyphen\n"),
            ("src/a.rs", "-let na\u{200b}me = 1;\n+    let na\u{200b}me = 1;\n"),
            ("src/a.rs", " let na\u{200b}me = 1;\n+x\n"),
            ("dist/a.js", "+'\u{200b}'\n"),
            ("src/a.rs", "+let escape = \"\\u{202e}\";\n"),
            ("locales/en.json", "+{\"a\": \"wide\u{200b}ning\"}\n"),
            ("locales/ar.json", "+{\"a\": \"\u{2068}x\u{2069}\"}\n"),
            ("locale/fa/django.po", "+msgstr \"\u{200f}%(model_name)s با\"\n"),
            ("conf/locale/ar/formats.py", "+SHORT = \"d\u{200f}/m\"\n"),
        ] {
            assert_eq!(check(path, lines), [], "{path}: {lines}");
        }
        assert_eq!(grades(&HiddenCharacter, &says("Done 👨\u{200d}👩\u{200d}👧, naïve\u{200b}")), []);
    }

    #[test]
    fn a_message_names_the_character_and_not_its_line() {
        let finding = &found(&HiddenCharacter, &changed("src/a.rs", "+let a = '\u{200b}';\n+let b = '\u{200b}';\n"))[0];
        assert!(finding.message.contains("U+200B") && finding.message.contains("⟨U+200B⟩"), "{}", finding.message);
    }
}
