//! Names of files and of things in code: why one is looked up in the work tree, where it was found, and what a text does with it.
//!
//! This module searches nothing, and does not know which names are wanted.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

/// Why a name is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum NameSource {
    /// The final message says that something of this name does something.
    Claimed,
    /// The change removes its definition and adds none.
    Removed,
    /// The prompt names it, and the final message speaks of it as done, or tells the user to do something about it.
    HandedBack,
    /// The prompt asks for something of this name.
    Requested,
    /// The final message says that nothing uses it any more.
    Absent,
    /// The prompt has it renamed everywhere.
    Renamed,
    /// The prompt asks for the same in two places, and the change has the other one.
    Paired,
    /// The prompt asks for it beside another name, which the change brought.
    Sibling,
    /// The change writes it into code beside what comes of it: one word of a row, with the other one behind [`ROW_SEPARATOR`].
    Answer,
}

/// What a name is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum NameKind {
    /// A path.
    File,
    /// A word of code.
    Word,
    /// A function or a type that was at the top of a file: it is called by its name alone, or by that of its module before it.
    Function,
    /// A method of a class that the change shows, and that inherits nothing: what is called so is that method.
    Method,
    /// Two values of one row.
    Row,
}

/// What divides the two values of a row.
pub const ROW_SEPARATOR: char = '\u{1f}';

/// A name to look up.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Name {
    /// Why.
    pub source: NameSource,
    /// What it is of.
    pub kind: NameKind,
    /// The name.
    pub text: String,
}

/// Where a name was found in the work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NameSighting {
    /// The name.
    pub name: Name,
    /// Files that have it, or are it: some of them.
    pub places: Vec<String>,
}

/// The words of a line of code.
pub(crate) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !character.is_alphanumeric() && character != '_').filter(|word| word.len() > 2)
}

/// Returns whether a text holds a word that is not part of a longer one.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    let part = |character: char| character.is_alphanumeric() || character == '_';
    !word.is_empty()
        && text.match_indices(word).any(|(start, _)| {
            !text[..start].chars().next_back().is_some_and(part)
                && !text[start + word.len()..].chars().next().is_some_and(part)
        })
}

/// Returns whether a file is the one that a text names, by its path or by the end of it.
pub(crate) fn is_file_of(path: &str, said: &str) -> bool {
    path == said || path.strip_suffix(said).is_some_and(|folder| folder.ends_with('/'))
}

/// The name that a line defines, of a function or a type.
pub(crate) fn definition(line: &str) -> Option<&str> {
    static DEFINES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?-u)^\s*(?:(?:pub(?:\([a-z]+\))?|export|default|public|private|protected|internal|static|async|final|abstract|override|const|unsafe|suspend|open|inline) )*",
            r"(?:fn|def|func|function|class|struct|enum|trait|interface|fun|module|record)\s+(?:\([ -(*-~]*\)\s*)?(?:self\.)?([A-Za-z_]\w+)",
        ))
        .expect("valid pattern")
    });
    DEFINES.captures(line)?.get(1).map(|name| name.as_str())
}

/// What a file does with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameUse {
    /// It defines it.
    Defines,
    /// It calls it, or imports it.
    Uses,
    /// It has the word in a comment, a text or a place that tells nothing.
    Mentions,
}

/// Marks that a line begins with which holds no code.
const COMMENTS: [&str; 9] = ["//", "#", "*", "/*", "--", ";", "<!--", "'''", "\"\"\""];

/// Returns whether a line takes something from elsewhere.
fn is_import(line: &str) -> bool {
    ["import ", "from ", "use ", "using ", "require"].iter().any(|word| line.starts_with(word))
        || line.contains("require(")
}

/// Tells what a text does with a name of a kind.
pub fn use_of(text: &str, name: &str, kind: NameKind) -> NameUse {
    let mut end = NameUse::Mentions;
    let is_imported = |receiver: &str| {
        text.lines()
            .map(str::trim_start)
            .filter(|line| is_import(line))
            .any(|line| words(line).any(|word| word == receiver))
    };
    for line in text.lines().map(str::trim_start).filter(|line| line.contains(name)) {
        let assigns =
            || line.split(['=', ':']).next().is_some_and(|left| left != line && words(left).last() == Some(name));
        let is_method =
            || line.strip_prefix(name).is_some_and(|rest| rest.starts_with('(') && rest.trim_end().ends_with('{'));
        if definition(line) == Some(name) || assigns() || is_method() {
            return NameUse::Defines;
        }
        let is_comment = COMMENTS.iter().any(|mark| line.starts_with(mark));
        let imports = is_import(line);
        let names_module = |before: &str, after: &str| {
            let is_quote = ['"', '\'', '`'];
            kind == NameKind::Word && imports && before.ends_with(is_quote) && after.starts_with(is_quote)
        };
        let is_use = |at: usize| {
            let (before, after) = (&line[..at], &line[at + name.len()..]);
            let is_part = |character: char| character.is_alphanumeric() || character == '_';
            let is_quoted = before.matches(['"', '\'', '`']).count() % 2 == 1;
            let in_comment = before.contains("//") || before.contains(" #");
            let receiver =
                before.strip_suffix('.').or_else(|| before.strip_suffix("::")).or_else(|| before.strip_suffix("->"));
            let is_called = match receiver {
                Some(receiver) if kind == NameKind::Function => {
                    words(receiver).last().is_some_and(|word| receiver.ends_with(word) && is_imported(word))
                }
                Some(_) => true,
                None => after.starts_with(['(', '!']) || before.ends_with(':'),
            };
            !before.ends_with(is_part)
                && !after.starts_with(is_part)
                && (!is_quoted || names_module(before, after))
                && !in_comment
                && (imports || is_called)
        };
        if !is_comment && line.match_indices(name).any(|(at, _)| is_use(at)) {
            end = NameUse::Uses;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_told_from_a_mention() {
        let name = "to_csv_legacy";
        for (text, expected) in [
            ("  File.write(path, report.to_csv_legacy)", NameUse::Uses),
            ("from report import to_csv_legacy", NameUse::Uses),
            ("x = to_csv_legacy(rows)", NameUse::Uses),
            ("# to_csv_legacy(rows) went", NameUse::Mentions),
            ("x = 'to_csv_legacy(rows)'", NameUse::Mentions),
            ("import { a } from 'to_csv_legacy'", NameUse::Uses),
            ("const a = 'to_csv_legacy'", NameUse::Mentions),
            ("to_csv_legacy_2(rows)", NameUse::Mentions),
            ("x.to_csv_legacy\ndef to_csv_legacy(rows):", NameUse::Defines),
            ("const to_csv_legacy = () => {};", NameUse::Defines),
        ] {
            assert_eq!(use_of(text, name, NameKind::Word), expected, "{text}");
        }
    }

    #[test]
    fn a_function_is_not_the_method_of_something_else() {
        for (text, expected) in [
            ("from pathlib import Path\nx = Path(a).resolve().is_within(b)", NameUse::Mentions),
            ("x = path.is_within(b)", NameUse::Mentions),
            ("from util import paths\nx = paths.is_within(b)", NameUse::Uses),
            ("const paths = require('./paths');\nx = paths.is_within(b);", NameUse::Uses),
            ("x = is_within(a, b)", NameUse::Uses),
        ] {
            assert_eq!(use_of(text, "is_within", NameKind::Function), expected, "{text}");
        }
    }
}
