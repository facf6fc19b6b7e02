//! The final message says what a search found, and the last search found something else.

use std::sync::LazyLock;

use assize_core::path::file_name;
use regex::Regex;

use crate::claim::{hedged, holds_any, statements};
use crate::transcript::{CommandRun, TranscriptFacts};

/// Returns the sentence, the last search, and the file that it lists and the sentence excludes.
pub(super) fn contradicted<'a>(
    message: &'a str,
    facts: &'a TranscriptFacts,
    edited: u64,
) -> Option<(&'a str, &'a CommandRun, &'a str)> {
    static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:grep|rg|search)\b[ -~]{0,60}?\b(?:only|just|solely) (?:finds?|found|shows?|lists?|the|in|hits?|matches)\b|\b(?:grep|rg|search)\b[ -~]{0,40}?\b(?:only|just) |",
            r"\b(?:grep|rg)\b[ -~]{0,40}?\b(?:ne (?:trouve|liste|montre) plus que|(?:findet|zeigt|listet) nur|(?:solo|sólo|só) (?:encuentra|encontra|queda|lista)|encuentra (?:solo|sólo)|trova solo|vindt alleen)\b",
        ))
            .expect("valid pattern")
    });
    if !holds_any(message, &["grep", "rg ", "search"]) {
        return None;
    }
    let claim = statements(message).find(|sentence| CLAIM.is_match(sentence) && !hedged(sentence))?;
    // Which hits are meant is told by the files that the sentence names.
    let named: Vec<&str> = claim.split(|character: char| character.is_whitespace() || "`,;:()'\"".contains(character)).collect();
    let is_file = |word: &&str| word.trim_end_matches('.').rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && ending.chars().all(char::is_alphanumeric));
    if !named.iter().any(is_file) {
        return None;
    }
    let is_search = |run: &&CommandRun| run.searches() && !run.command.inspect().contains('|');
    let run = facts.commands.iter().rev().find(is_search).filter(|run| run.step > edited)?;
    let listed = run.output.inspect().lines().filter_map(|line| {
        let (path, rest) = line.split_once(':')?;
        let is_path = !path.is_empty() && !path.contains(char::is_whitespace) && assize_ecosystem::is_code(path);
        (is_path && rest.starts_with(|character: char| character.is_ascii_digit())).then_some(path)
    });
    let is_named = |path: &str| named.iter().any(|word| word.trim_end_matches('.').ends_with(file_name(path)));
    let other = listed.into_iter().find(|path| !is_named(path))?;
    Some((claim, run, other))
}
