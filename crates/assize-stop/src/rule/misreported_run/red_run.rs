//! The final message says that a test was seen to fail before the change, and no run of the session failed.

use std::sync::LazyLock;

use assize_ecosystem::is_code;
use regex::Regex;

use crate::claim::statements;
use crate::transcript::{CommandState, TestResult, TranscriptFacts};

/// Returns the sentence that speaks of a red run before the change, where tests were run and none of the runs was red.
pub(super) fn never_seen<'a>(message: &'a str, facts: &TranscriptFacts) -> Option<&'a str> {
    static RED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:red|fail(?:s|ed|ing)?|rot|rouge|roj[oa])\b").expect("valid pattern")
    });
    static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:old|original|unfixed|unpatched|unchanged|previous|buggy) (?:code|version|implementation|behaviou?r|logic)\b|\bpre-?fix\b|",
            r"\b(?:before|without) (?:the|my|any|this|that) (?:fix|change|edit|patch|correction)\b|\bbefore (?:fixing|changing|touching|implementing)\b|\bfirst\b|",
            r"\b(?:vor|ohne) d(?:er|ie|em) (?:Änderung|Korrektur|Fix)\b|\bzuerst\b|\bavant (?:la|le|ma) (?:correction|modification|changement)\b|\bantes del? (?:cambio|arreglo)\b",
        ))
        .expect("valid pattern")
    });
    static SEEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:r[au]n|saw|seen|watched|confirmed|verified|checked|executed|observed|lief|gelaufen|ausgeführt|lancé|exécuté|ejecuté|ejecutado)\b").expect("valid pattern")
    });
    static DENIES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:not|never|would|should|could|might|may|if|unless|will|cannot|you|please)\b|n(?:'|’)t\b|\?$").expect("valid pattern")
    });
    // A program that tries something out shows a fault and ends well.
    let edited = facts.first_edit(is_code).unwrap_or(0);
    let tries = facts.commands.iter().any(|run| run.step < edited && run.test_result().is_none() && !run.only_looks() && !run.runs_nothing());
    static OF_TEST: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i-u)test|spec\b|\bred\b|\brot\b").expect("valid pattern"));
    let mut runs = facts.test_runs().peekable();
    // Tests that failed in another shape, or whose end is not known, may be what is meant.
    let only_green = runs.peek().is_some() && runs.all(|(_, result)| result == TestResult::Passed);
    let any_failed = || facts.commands.iter().any(|run| run.state != CommandState::Succeeded && !run.only_looks());
    if !only_green || tries || any_failed() || facts.delegation_step.is_some() || !facts.limits.is_empty() {
        return None;
    }
    let says = |sentence: &&str| RED.is_match(sentence) && OF_TEST.is_match(sentence) && BEFORE.is_match(sentence) && SEEN.is_match(sentence) && !DENIES.is_match(sentence);
    statements(message).find(says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::after_runs;

    #[test]
    fn a_red_run_has_to_be_one_of_the_session() {
        let green = ("dotnet test", 0, "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3");
        let red = ("dotnet test", 1, "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3");
        for (message, runs, said) in [
            ("1. `A_night` written and run against the old code: red, expected 12.00, actual 16.00", &[green][..], true),
            ("I ran the new test first and saw it fail.", &[green], true),
            ("I ran the new test first and saw it fail.", &[red, green], false),
            ("I ran the tests; all pass.", &[green], false),
            ("I did not run the new test before the fix, but it would have failed.", &[green], false),
            ("The import failed for empty files first.", &[green], false),
            ("I ran the new test first and saw it fail.", &[], false),
        ] {
            let evidence = after_runs(message, runs);
            assert_eq!(never_seen(message, evidence.transcript.get().unwrap()).is_some(), said, "{message}");
        }
    }
}
