//! The final message says that a test failed before, and the session's first run of the tests shows that it did not.

use std::sync::LazyLock;

use assize_ecosystem::is_code;
use regex::Regex;

use crate::claim::statements;
use crate::transcript::{CommandRun, TestResult, TranscriptFacts, command};

/// Returns the sentence, the name of the test, and the run before the first edit that passed.
pub(super) fn contradicted<'a>(message: &'a str, facts: &'a TranscriptFacts) -> Option<(&'a str, &'a str, &'a CommandRun)> {
    static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\bpre-?existing\b|\b(?:was|were|is|are|has been|have been) (?:already )?(?:failing|broken|red|like (?:that|this)|so|there) (?:already |even )?before\b|",
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
    if before.tests.is_none_or(|tally| tally.failed > 0 || tally.passed == 0) || before.test_result() != Some(TestResult::Passed) {
        return None;
    }
    statements(message).filter(|sentence| BEFORE.is_match(sentence)).find_map(|sentence| {
        let names = sentence.split('`').skip(1).step_by(2).filter(|name| name.len() > 4);
        let failed = |name: &&str| {
            last.output.inspect().lines().any(|line| line.contains(*name) && (line.contains("FAIL") || line.contains("fail") || line.contains('✕') || line.contains('×')))
        };
        names.into_iter().find(failed).map(|name| (sentence, name, before))
    })
}
