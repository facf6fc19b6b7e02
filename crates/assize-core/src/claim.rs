//! What a final message claims.
//!
//! Reads sentences of prose, in English, and knows nothing of what really happened. A claim is
//! returned as the sentence that makes it, so that a finding can quote it.

use std::sync::LazyLock;

use regex::Regex;

/// Splits a message into sentences, code blocks left out: code is no claim.
pub fn sentences(message: &str) -> impl Iterator<Item = &str> {
    let mut in_fence = false;
    message
        .lines()
        .filter(move |line| {
            let fence = line.trim_start().starts_with("```");
            if fence {
                in_fence = !in_fence;
            }
            !fence && !in_fence && !line.trim_start().starts_with('>')
        })
        .flat_map(split_sentences)
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty())
}

fn split_sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .char_indices()
            .find(|(index, character)| {
                matches!(character, '.' | '!' | '?' | ';')
                    && rest[index + 1..].chars().next().is_none_or(char::is_whitespace)
            })
            .map_or(rest.len(), |(index, _)| index + 1);
        let (sentence, remaining) = rest.split_at(end);
        rest = remaining;
        Some(sentence)
    })
}

/// Wording that turns a claim into something else: a negation, condition, wish or exception.
fn hedged(sentence: &str) -> bool {
    static HEDGE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)\b(?:not|n't|never|no longer|once|when|if|until|unless|should|would|could|might|may|will|to make|",
            r"make sure|ensure|verify|except|apart from|other than|but|however|although|though|before|after you|please|",
            r"can(?:not|'t)|did(?:n't| not)|have(?:n't| not)|still|fails?|failing|failed|failures?|assuming|expected to|need(?:s)? to|most|some|pre-?existing|so that|",
            r"whether|previously|earlier|already passed)\b|n't\b|\?$",
        ))
        .expect("valid pattern")
    });
    static NO_FAILURES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:no|0|zero|without(?: any)?) (?:test )?(?:fail(?:ures?|ing|ed)|errors?)(?: tests?)?\b")
            .expect("valid pattern")
    });
    HEDGE.is_match(&NO_FAILURES.replace_all(sentence, ""))
}

/// Returns the sentence that says that tests pass.
pub fn claims_tests_pass(message: &str) -> Option<&str> {
    static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)\b(?:tests?|test suite|suite|specs?|checks)\b.{0,40}\b(?:pass(?:es|ed|ing)?|(?:is|are|all|now) green|succeed(?:s|ed)?)\b",
            r"|\bpass(?:es|ed|ing) (?:all|every|its|the) (?:\w+ )?tests\b",
            r"|\b\d+(?:/\d+)? (?:tests? )?pass(?:ed|ing)?\b",
            r"|\b(?:tests?|suite) (?:is|are|run(?:s)?) (?:all )?(?:ok|fine|clean)\b",
        ))
        .expect("valid pattern")
    });
    sentences(message).find(|sentence| CLAIM.is_match(sentence) && !hedged(sentence))
}

/// Returns the sentence that says that the work is finished.
pub fn claims_done(message: &str) -> Option<&str> {
    static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)^(?:\W*)(?:all )?(?:done|finished|completed?|fixed|implemented)\b",
            r"|\b(?:is|are|it's|everything(?:'s| is)|all) (?:now )?(?:all )?(?:done|finished|complete[d]?|fixed|implemented|in place|working|ready)\b",
            r"|\bi(?:'ve| have)? (?:now |successfully |also |just )*(?:added|implemented|fixed|created|updated|finished|completed|written|wrote|refactored|removed|renamed|built|changed|made|replaced|moved)\b",
            r"|\b(?:successfully|fully) (?:added|implemented|fixed|created|updated|completed|refactored)\b",
            r"|\b(?:has|have) been (?:added|implemented|fixed|created|updated|completed|refactored|removed|renamed)\b",
        ))
        .expect("valid pattern")
    });
    sentences(message).find(|sentence| CLAIM.is_match(sentence) && !hedged(sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_about_tests_are_told_from_wishes() {
        for claim in [
            "All tests pass.",
            "I fixed it. The test suite passes now!",
            "12/12 tests passing",
            "Tests: all green",
            "The tests passed with 0 failures.",
            "All 42 tests passed without any errors.",
        ] {
            assert!(claims_tests_pass(claim).is_some(), "{claim}");
        }
        for other in [
            "Run the tests to check that they pass, please.",
            "Tests should pass.",
            "The tests do not pass.",
            "Some tests pass.",
            "Do the tests pass?",
            "```\nall tests pass\n```",
            "> all tests pass",
            "If the tests pass, we can merge.",
            "I passed the config to the test helper.",
            "Two tests pass but one is broken",
        ] {
            assert!(claims_tests_pass(other).is_none(), "{other}");
        }
    }

    #[test]
    fn claims_of_completion_are_told_from_plans() {
        for claim in
            ["Done.", "I've added the parser.", "Everything is in place.", "The bug has been fixed.", "All done!"]
        {
            assert!(claims_done(claim).is_some(), "{claim}");
        }
        for other in [
            "I will add the parser.",
            "Not done yet.",
            "Is it done?",
            "I have not fixed it.",
            "I looked at the parser.",
        ] {
            assert!(claims_done(other).is_none(), "{other}");
        }
    }
}
