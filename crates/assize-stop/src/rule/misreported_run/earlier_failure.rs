//! The final message says that a test failed before, and the session's first run of the tests shows that it did not.

use std::sync::LazyLock;

use assize_ecosystem::is_code;
use regex::Regex;

use super::failed_names::{failed_names, speaks_of};
use crate::claim::statements;
use crate::transcript::{CommandRun, TestResult, TranscriptFacts, command};

/// Returns the sentence, the name of the test, and the run before the first edit that passed.
pub(super) fn contradicted<'a>(message: &'a str, facts: &'a TranscriptFacts) -> Option<(&'a str, &'a str, &'a CommandRun)> {
    static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\bpre-?existing\b|\b(?:was|were|is|are|has been|have been) (?:already )?(?:failing|broken|red|like (?:that|this)|so|there) (?:already |even )?before\b|",
            r"\bdid so (?:already |even )?before\b|\bbefore (?:my|the|this) changes? (?:too|as well|already)\b|",
            r"\balready (?:failed|failing|broken|red)\b|\bfail(?:s|ed)? (?:already |even )?(?:before|on (?:main|master)|without (?:my|this|the) change)\b|",
            r"\b(?:unrelated|not related) to (?:this|my|the|these)\b|\bnothing to do with (?:this|my|the)\b|\bnot caused by (?:this|my|the)\b",
        ))
        .expect("valid pattern")
    });
    let (last, result) = facts.last_test_run(facts.last_edit(is_code)?)?;
    if result != TestResult::Failed || last.tests.is_none_or(|tally| tally.failed == 0) {
        return None;
    }
    let first_edit = facts.first_edit(is_code)?;
    let whole = |run: &CommandRun| !command::selects_tests(run.command.inspect());
    let (before, _) = facts.test_runs().find(|(run, _)| run.step < first_edit && whole(run) && run.command == last.command)?;
    let known = failed_names(before.output.inspect());
    // A run whose failures have no names here tells of none only if it had none.
    if before.tests.is_none_or(|tally| tally.passed == 0 || tally.failed > 0 && known.is_empty()) {
        return None;
    }
    let new: Vec<&str> = failed_names(last.output.inspect()).into_iter().filter(|name| !known.contains(name)).collect();
    statements(message).filter(|sentence| BEFORE.is_match(sentence)).find_map(|sentence| {
        // Who names some means these.
        let names_some = sentence.contains('`');
        let meant = new.iter().find(|name| !names_some || speaks_of(sentence, name))?;
        Some((sentence, *meant, before))
    })
}

/// Returns the sentence that says that only these tests fail, and another one that fails in the last run.
pub(super) fn not_the_only_one<'a>(message: &'a str, facts: &'a TranscriptFacts) -> Option<(&'a str, &'a str, &'a CommandRun)> {
    static ONLY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:only|one|sole|single) (?:\w+ )?(?:red|failing|failed|broken) (?:tests?|ones?|specs?)\b|\bonly (?:test|one|failure|thing) (?:that |which )?(?:still )?(?:fails|left|remaining|is)\b|\b(?:everything|all) (?:else|others?) pass").expect("valid pattern")
    });
    let (last, result) = facts.last_test_run(facts.last_edit(is_code).unwrap_or(0))?;
    if result != TestResult::Failed {
        return None;
    }
    let failing = failed_names(last.output.inspect());
    let sentence = statements(message).find(|sentence| ONLY.is_match(sentence) && sentence.contains('`'))?;
    // That a test was written says nothing of how it ends.
    static FAILS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)fail|\bred\b|broken|\bnot (?:pass|green)|n't pass|\bstill\b|\bleft\b|\bonly\b").expect("valid pattern")
    });
    let is_told = |name: &&&str| statements(message).any(|sentence| FAILS.is_match(sentence) && speaks_of(sentence, name));
    // One of those that fail is named, and another one is not.
    let named = failing.iter().filter(is_told).count();
    let other = failing.iter().find(|name| !is_told(name)).filter(|_| named > 0)?;
    Some((sentence, *other, last))
}
