//! A search listed the places of what has to change everywhere, and one of its files is as it was.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use assize_core::diff::Diff;
use assize_core::path::file_name;
use assize_ecosystem::{is_code, is_generated, is_test};
use regex::Regex;

use crate::claim::sentences;
use crate::names::{is_file_of, words};
use crate::transcript::TranscriptFacts;

/// Files that a search lists. Of many, an agent may have been right to choose.
const LISTED_MAX: usize = 30;

/// A file that a search listed and that is as it was.
pub(super) struct PlaceLeft<'a> {
    /// The word of the request that the search looked for.
    pub(super) word: &'a str,
    pub(super) path: &'a str,
}

/// Returns the first file that a search of the session listed, where the request is of all places, and the change has others of them.
pub(super) fn left<'a>(request: &'a str, message: &str, facts: &'a TranscriptFacts, diff: &Diff) -> Option<PlaceLeft<'a>> {
    let wanted = wanted_everywhere(request);
    if wanted.is_empty() {
        return None;
    }
    let first_edit = facts.first_edit(is_code)?;
    let is_changed = |path: &str| diff.files.iter().any(|file| is_same(&file.path, path) || file.old_path.as_deref().is_some_and(|old| is_same(old, path)));
    let spoken = message.to_lowercase();
    let is_told = |path: &str| {
        let name = file_name(path).to_lowercase();
        let stem = name.split('.').next().unwrap_or_default();
        spoken.contains(&name) || words(&spoken).any(|word| word == stem)
    };
    let searches = facts.commands.iter().filter(|run| run.step < first_edit && run.searches() && !run.output.inspect().is_empty());
    for run in searches {
        // What the search looks for is what has to go.
        let Some(word) = wanted.iter().find(|word| words(run.command.inspect()).any(|own| own == **word)) else { continue };
        let listed: BTreeSet<&str> = run.output.inspect().lines().filter_map(|line| place(line, word)).collect();
        let files = || listed.iter().copied().filter(|path| is_code(path) && !is_test(path) && !is_generated(path));
        let went = |path: &str| {
            let own = diff.files.iter().filter(|file| is_same(&file.path, path));
            own.flat_map(assize_core::diff::FileChange::removed_lines).any(|(_, line)| words(line).any(|own| own == *word))
        };
        if listed.len() > LISTED_MAX || !files().any(went) {
            continue;
        }
        let is_excused = |path: &str| is_told(path) || is_out_of_it(request, path);
        if let Some(path) = files().find(|path| !is_changed(path) && !is_excused(path)) {
            return Some(PlaceLeft { word, path });
        }
    }
    None
}

/// The words of the sentences that speak of all places.
fn wanted_everywhere(request: &str) -> Vec<&str> {
    static ALL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:everywhere|throughout|altogether|completely|entirely|all|every|each|any|whole|entire|no more|get rid|nowhere|anywhere|wherever)\b|",
            r"überall|\balle[rns]?\b|\bnur noch\b|\bkeine?n? mehr\b|\bpartout\b|\btou(?:te)?s\b|\ben todas? partes\b|\btod[ao]s\b|\bovunque\b|\btutt[ei]\b|\boveral\b|\btod[ao]s os\b|везде|все",
        ))
        .expect("valid pattern")
    });
    static SOME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:most|some|where (?:possible|it makes sense|sensible|you can)|at least|as many|for now|start with|first|not all|only the|just the)\b|\?$").expect("valid pattern")
    });
    let of_all = sentences(request).filter(|sentence| ALL.is_match(sentence) && !SOME.is_match(sentence));
    of_all.flat_map(words).filter(|word| word.len() > 2).collect()
}

/// The file of a line that a search printed, if what it found there is the word.
fn place<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let (path, rest) = line.split_once(':')?;
    let is_path = !path.is_empty() && !path.contains(char::is_whitespace);
    let code = rest.split_once(':').filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit())).map_or(rest, |(_, code)| code);
    (is_path && words(code).any(|own| own == word)).then_some(path.trim_start_matches("./"))
}

/// Returns whether two paths are of one file: one of them may be said from another folder.
fn is_same(path: &str, said: &str) -> bool {
    is_file_of(path, said) || is_file_of(said, path)
}

/// Returns whether the request takes a file out of it, by its name or its folder.
fn is_out_of_it(request: &str, path: &str) -> bool {
    static OUT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:except|but|not|leave|without|besides|apart from|other than|ignore|skip|stays?|keep|außer|nicht|sauf|excepto|salvo|tranne|behalve)\b|n't\b").expect("valid pattern")
    });
    static STAYS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i-u)\bstays?\b").expect("valid pattern"));
    let names: Vec<&str> = path.split(['/', '.']).filter(|part| part.len() > 2).collect();
    let is_named = |text: &str| words(text).any(|word| names.contains(&word));
    // What stands before it is where all of them have to change, unless it is what stays.
    sentences(request).any(|sentence| {
        OUT.find(sentence).is_some_and(|out| is_named(&sentence[out.start()..])) || STAYS.is_match(sentence) && is_named(sentence)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{modified, with_files};
    use crate::transcript::{FactsBuilder, ToolCall, ToolResult};

    const LISTED: &str = "src/Registration.php:18:  $hash = md5($password);\nsrc/Reset.php:28:  $hash = md5($password);\ntests/LoginTest.php:3: md5('x')\n";

    fn left_of(request: &str, message: &str, changed: &[&str]) -> Option<String> {
        let mut facts = FactsBuilder::default();
        facts.prompt(request);
        facts.call("1", ToolCall::Command { command: "grep -rn md5 src tests".to_owned(), background: false });
        facts.result("1", &ToolResult { exit_status: Some(0), output: LISTED.to_owned(), ..ToolResult::default() });
        facts.call("2", ToolCall::Edit { paths: vec!["src/Registration.php".into()] });
        facts.result("2", &ToolResult::default());
        let lines = "-  $hash = md5($password);\n+  $hash = password_hash($password);\n";
        let evidence = with_files(changed.iter().map(|path| modified(path, lines)).collect());
        left(request, message, &facts.finish(), evidence.diff.get()?).map(|left| left.path.to_owned())
    }

    #[test]
    fn a_place_that_a_search_listed_is_not_left_without_a_word() {
        let all = "Replace md5 everywhere by password_hash.";
        let one = &["src/Registration.php"][..];
        assert_eq!(left_of(all, "Done.", one).as_deref(), Some("src/Reset.php"));
        assert_eq!(left_of("Bitte überall von md5 auf password_hash umstellen.", "Fertig.", one).as_deref(), Some("src/Reset.php"));
        for (request, message, changed) in [
            (all, "Done.", &["src/Registration.php", "src/Reset.php"][..]),
            (all, "`Reset.php` still has it: the old links need it.", one),
            (all, "Done.", &["src/Other.php"]),
            ("Replace md5 in the registration by password_hash.", "Done.", one),
            ("Replace md5 everywhere, but not in Reset.", "Done.", one),
            ("Replace md5 in most places.", "Done.", one),
            ("Use password_hash everywhere.", "Done.", one),
        ] {
            assert_eq!(left_of(request, message, changed), None, "{request} / {message}");
        }
    }
}
