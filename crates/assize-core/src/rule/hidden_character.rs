//! Text holds characters that nobody sees.

use std::collections::BTreeSet;

use super::reading::{Line, Moved, Side, read};
use super::{Findings, Needs, Rule};
use crate::diff::FileChange;
use crate::evidence::Evidence;
use crate::finding::{Certainty, Severity};
use crate::path::{is_ci, is_code, is_generated, is_prose, is_test};
use crate::text::{Hidden, quote};

/// See the module.
pub struct HiddenCharacter;

impl Rule for HiddenCharacter {
    fn id(&self) -> &'static str {
        "hidden-character"
    }

    fn summary(&self) -> &'static str {
        "Code, a command or the final message holds characters that nobody sees."
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        if let Some(diff) = evidence.diff.get() {
            let mut moved = Moved::new(diff);
            let glance = findings.glance;
            for (file, _) in glance.added().filter(|(file, added)| !is_generated(&file.path) && may_hide(added)) {
                check_file(file, &mut moved, findings);
            }
        }
        check_words(evidence, findings);
    }
}

fn check_file(file: &FileChange, moved: &mut Moved<'_>, findings: &mut Findings<'_>) {
    let mut seen = BTreeSet::new();
    for line in read(file, Side::New).iter().flatten().filter(|line| line.changed) {
        let hidden = hidden_in(line.raw, line.number == 1);
        let fresh: Vec<_> = hidden.into_iter().filter(|(kind, _)| concerns(*kind, &file.path)).collect();
        if fresh.is_empty() || moved.take(line.raw) {
            continue;
        }
        for (kind, character) in fresh {
            // One finding a kind and file says enough.
            let certainty = certainty(kind, character, line, &file.path);
            if seen.insert((kind as u8, certainty)) {
                let message = format!(
                    "{} holds {}. Take it out, or write it as an escape.",
                    quote(line.raw),
                    describe(kind, character)
                );
                findings.at(file, Some(line.number), Severity::Error, certainty, message);
            }
        }
    }
}

/// The final message and the commands.
fn check_words(evidence: &Evidence, findings: &mut Findings<'_>) {
    let commands = evidence.transcript.get().into_iter().flat_map(|facts| &facts.commands);
    let commands = commands.map(|run| ("A command of the session", run.command.inspect()));
    let mut seen = BTreeSet::new();
    for (what, text) in std::iter::once(("The final message", evidence.message())).chain(commands) {
        if !may_hide(text) {
            continue;
        }
        for (kind, character) in text.lines().flat_map(|line| hidden_in(line, false)) {
            if matches!(kind, Hidden::Bidi | Hidden::Tag) && !is_mark(character) && seen.insert((what, character)) {
                let message = format!(
                    "{what} holds {}: what is read is not what stands there. Write it without.",
                    describe(kind, character)
                );
                findings.file(Severity::Warning, Certainty::Likely, message);
            }
        }
    }
}

/// A quick look at the bytes: control characters, or anything outside of ASCII.
fn may_hide(text: &str) -> bool {
    text.bytes().any(|byte| byte >= 0x7f || byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c))
}

/// Lists the hidden characters of a line that have no good reason to be there.
fn hidden_in(line: &str, first_line: bool) -> Vec<(Hidden, char)> {
    if !may_hide(line) {
        return Vec::new();
    }
    let characters: Vec<char> = line.chars().collect();
    let hidden = |index: usize| Hidden::of(characters[index]).map(|kind| (index, kind));
    (0..characters.len())
        .filter_map(hidden)
        .filter(|(index, kind)| !is_at_home(&characters, *index, *kind, first_line))
        .map(|(index, kind)| (kind, characters[index]))
        .collect()
}

fn is_at_home(characters: &[char], index: usize, kind: Hidden, first_line: bool) -> bool {
    let before = index.checked_sub(1).map(|before| characters[before]);
    let after = characters.get(index + 1).copied();
    match (kind, characters[index]) {
        (Hidden::Control, '\u{c}') => true,
        (Hidden::ZeroWidth, '\u{feff}') => first_line && index == 0,
        // A joiner between the parts of an emoji, or between letters of a script that needs it.
        (Hidden::ZeroWidth, '\u{200c}' | '\u{200d}') => before.is_some_and(joins) && after.is_none_or(joins),
        (Hidden::Tag, _) => ends_flag(characters, index),
        _ => false,
    }
}

/// Emoji with their modifiers, and the letters of scripts whose shapes joiners govern.
fn joins(character: char) -> bool {
    matches!(character,
        '\u{fe0f}' | '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' | '\u{200d}'
        | '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
}

/// The flags of England, Scotland and Wales are spelled in tag characters after a black flag.
fn ends_flag(characters: &[char], index: usize) -> bool {
    let is_tag = |character: &char| Hidden::of(*character) == Some(Hidden::Tag);
    let start = characters[..index].iter().rposition(|character| !is_tag(character));
    let length = characters[index..].iter().take_while(|character| is_tag(character)).count();
    let spelled = start.map_or(0, |start| index + length - start - 1);
    start.is_some_and(|start| characters[start] == '\u{1f3f4}')
        && spelled <= 7
        && characters[index + length - 1] == '\u{e007f}'
}

/// Marks that steer a single place, which text in two directions needs.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// Prose may break and join words without a trace; only what can hide instructions counts there.
fn concerns(kind: Hidden, path: &str) -> bool {
    kind == Hidden::Tag || is_code(path) || is_ci(path) || !is_prose(path) && kind == Hidden::Bidi
}

fn certainty(kind: Hidden, character: char, line: &Line<'_>, path: &str) -> Certainty {
    let misleads = match kind {
        // Text that is written from right to left needs its direction said.
        Hidden::Bidi => !is_mark(character) && !line.raw.chars().any(is_right_to_left) && !is_translation(path),
        Hidden::Tag => true,
        Hidden::ZeroWidth => splits_name(&line.code, character),
        Hidden::Control => false,
    };
    if misleads && is_code(path) && !is_test(path) { Certainty::Certain } else { Certainty::Likely }
}

/// Returns whether a character makes two names out of one that looks the same.
fn splits_name(code: &str, character: char) -> bool {
    let part = |neighbour: char| neighbour.is_ascii_alphanumeric() || neighbour == '_';
    code.match_indices(character)
        .any(|(start, found)| code[..start].ends_with(part) && code[start + found.len()..].starts_with(part))
}

fn is_right_to_left(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
        && character.is_alphabetic()
}

fn is_translation(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    ["locale", "i18n", "l10n", "lang", "translation", "bidi"].iter().any(|word| lower.contains(word))
}

fn describe(kind: Hidden, character: char) -> String {
    let what = match kind {
        Hidden::Control => "a control character",
        Hidden::Bidi => "a character that turns the reading direction",
        Hidden::ZeroWidth => "a character without width",
        Hidden::Tag => "an invisible tag character",
    };
    format!("{what}, U+{:04X}", character as u32)
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
            ("locales/ar.json", "+{\"a\": \"\u{2068}x\u{2069}\"}\n"),
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
