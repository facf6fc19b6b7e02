//! What a specification asks for, as far as security goes.
//!
//! Who asks for a release job gets one: then a change of CI is no surprise, and what would be certain is only likely. What a
//! specification forbids it does not ask for, and to name a thing is not to ask for a change of it.

use std::sync::LazyLock;

use assize_core::finding::Certainty;
use assize_core::path::file_name;
use assize_gate::test_policy::sentences;
use regex::Regex;

/// The sentences of a specification that ask for a change.
#[derive(Debug, Clone, Default)]
pub struct RequestedChanges {
    sentences: Vec<String>,
}

impl RequestedChanges {
    /// Reads a specification.
    pub fn by(specification: &str) -> Self {
        static FORBIDS: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i)\b(?:not|never|without|don['’]t|must\s+stay|leave|keep|untouched|unchanged)\b")
                .expect("valid pattern")
        });
        static CHANGES: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(
                r"(?i)\b(?:add|allow|adapt|bump|chang|configur|creat|delet|depend|disabl|drop|edit|enabl|extend|fix|grant|install|introduc|loosen|migrat|modif|mov|pin|port|publish|releas|remov|renam|replac|run|set|skip|switch|turn|updat|upgrad|us|vendor|writ)(?:e|es|ed|ing|s|y|ies|ated?|ating)?\b",
            )
            .expect("valid pattern")
        });
        let asking = |sentence: &String| !FORBIDS.is_match(sentence) && CHANGES.is_match(sentence);
        Self { sentences: sentences(specification).filter(asking).map(|asked| asked.to_lowercase()).collect() }
    }

    /// Returns whether it names a file, by its path or by its name.
    pub fn names(&self, path: &str) -> bool {
        let (path, name) = (path.to_lowercase(), file_name(path).to_lowercase());
        self.sentences.iter().any(|sentence| sentence.contains(&path) || has_word(sentence, &name))
    }

    /// Returns whether it speaks of one of these.
    pub fn speaks_of(&self, words: &[&str]) -> bool {
        self.sentences.iter().any(|sentence| words.iter().any(|word| has_word(sentence, word)))
    }

    /// Takes the certainty off a finding about a file that was asked for.
    pub fn soften(&self, path: &str, words: &[&str]) -> Certainty {
        if self.names(path) || self.speaks_of(words) { Certainty::Likely } else { Certainty::Certain }
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let part = |neighbour: char| neighbour.is_alphanumeric() || matches!(neighbour, '_' | '-' | '/');
    !word.is_empty()
        && text.match_indices(word).any(|(start, _)| {
            let after = &text[start + word.len()..];
            // "workflow" asks for "workflows" as well.
            let after = after.strip_prefix('s').unwrap_or(after);
            !text[..start].ends_with(part) && !after.starts_with(part)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_a_thing_is_told_from_who_names_or_forbids_it() {
        let words = ["ci", "workflow"];
        for (specification, expected) in [
            ("Add a workflow that publishes on a tag.", Certainty::Likely),
            ("Update CI to Node 22", Certainty::Likely),
            ("Change .github/workflows/ci.yml so that it caches.", Certainty::Likely),
            ("Fix ci.yml.", Certainty::Likely),
            ("Add a parser for durations.", Certainty::Certain),
            ("Do not change CI.", Certainty::Certain),
            ("The parser fails in CI.", Certainty::Certain),
            ("Add a parser. Leave the workflow as it is.", Certainty::Certain),
            ("", Certainty::Certain),
        ] {
            assert_eq!(
                RequestedChanges::by(specification).soften(".github/workflows/ci.yml", &words),
                expected,
                "{specification}"
            );
        }
    }
}
