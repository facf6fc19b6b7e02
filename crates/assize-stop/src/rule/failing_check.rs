//! The court ran a check, and it fails where it did not when the session began.

use std::sync::LazyLock;

use assize_core::finding::{Certainty, Severity};
use assize_core::text::{listed, quote};
use regex::Regex;

use crate::claim_scope::is_partial;
use super::{Findings, Needs, Rule};
use crate::claim::admits_red;
use crate::evidence::Evidence;
use crate::attribution::Author;
use crate::transcript::TestResult;
use crate::transcript::command::selects_tests;
use crate::verification::{CheckEnd, CheckKind, CheckRun};

/// See the module.
pub struct FailingCheck;

/// Failures that a finding names.
const NAMED_MAX: usize = 3;

impl Rule for FailingCheck {
    fn id(&self) -> &'static str {
        "failing-check"
    }

    fn needs(&self) -> Needs {
        Needs::Verification
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(verification) = &evidence.verification else { return };
        for run in &verification.runs {
            let CheckEnd::Broken { before, new } = &run.end else { continue };
            let claim = run.kind.claim(evidence.message());
            // A message that speaks of some tests, or of failures elsewhere, may be right about its part.
            let is_told = admits_red(evidence.message()).is_some();
            let is_own = claim.is_some() || is_alone(evidence) && !verification.dirty_start;
            let is_whole = claim.is_none_or(|claim| !is_partial(claim) && !names_part(claim, run) || names_place(claim, before));
            // What passed on a copy of the start can run there. A new test may need what a copy or the sandbox lacks.
            let can_run = !before.is_empty() || !passed_once(evidence, run);
            // What the session broke is broken, however much of the tests the message speaks of.
            let is_regression = !before.is_empty() && is_alone(evidence) && !verification.dirty_start;
            let sure = can_run && (is_whole || is_regression) && !is_told && is_own;
            let opening = match claim {
                Some(_) => format!("The final message says that {}, but {} fails", run.kind.claimed(), run.name),
                None => format!("{} fails", run.name),
            };
            let shown = |list: &[String]| {
                let list: Vec<String> = list.iter().map(|name| quote(name)).collect();
                listed(&list.iter().map(String::as_str).collect::<Vec<_>>(), NAMED_MAX)
            };
            let mut parts = Vec::new();
            if !before.is_empty() {
                parts.push(format!("{} (not so at the commit where the session began)", shown(before)));
            }
            if !new.is_empty() {
                parts.push(format!("{} (new; the sandbox has no network, home or repository)", shown(new)));
            }
            findings.file(
                Severity::Error,
                if sure { Certainty::Certain } else { Certainty::Likely },
                format!("{opening}, as a run on a copy of the tree shows: {}. Fix it, or say that it fails and why. Run: {}", parts.join("; "), run.command),
            );
        }
    }
}

/// Returns whether the session is the only one that changed the tree.
pub(super) fn is_alone(evidence: &Evidence) -> bool {
    let others = [Author::Unclear, Author::Session, Author::Person, Author::Git].map(Author::as_words);
    let limits = evidence.diff.get().map_or(&[][..], |diff| &diff.limits);
    !limits.iter().any(|limit| others.iter().any(|words| limit.starts_with(words)))
}

/// Returns whether the session shows that as many tests passed at some time: then the new ones did, outside of the sandbox.
fn passed_once(evidence: &Evidence, run: &CheckRun) -> bool {
    let Some(facts) = evidence.transcript.get().filter(|_| run.kind == CheckKind::Tests) else { return false };
    facts.commands.iter().any(|command| {
        command.test_result() == Some(TestResult::Passed)
            && !selects_tests(command.command.inspect())
            && command.tests.is_none_or(|tally| tally.passed >= run.tests)
    })
}

/// Returns whether a claim names the very file or folder in which a check finds fault now.
fn names_place(claim: &str, found: &[String]) -> bool {
    let quoted = claim.split('`').skip(1).step_by(2).map(|path| path.trim_matches(['.', '/', '*']));
    let is_there = |path: &str| found.iter().any(|fault| fault.split(':').next().is_some_and(|file| file.contains(path)));
    quoted.filter(|path| path.len() > 2).any(is_there)
}

/// Returns whether a claim is about some of the tests: those of a file, one of them, or another number than ran.
fn names_part(claim: &str, run: &CheckRun) -> bool {
    static PART: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:in|for|of|from|under|within) [`\w]|\b(?:test|spec)(?: now)? pass").expect("valid pattern")
    });
    let mut numbers = claim.split(|character: char| !character.is_ascii_digit()).filter_map(|text| text.parse::<u64>().ok());
    run.kind == CheckKind::Tests && (PART.is_match(claim) || numbers.any(|number| number != run.tests))
}

#[cfg(test)]
mod tests {
    use assize_core::gathered::EvidencePart;

    use super::*;
    use crate::rule::testing::{found, grades, says};
    use crate::transcript::{FactsBuilder, ToolCall, ToolResult};
    use crate::verification::StopVerification;

    fn after(message: &str, end: CheckEnd, output: Option<&str>) -> Evidence {
        let run = CheckRun {
            name: "pytest".to_owned(),
            kind: CheckKind::Tests,
            command: "`assize gates --only pytest`".to_owned(),
            tests: 12,
            end,
            lost: Vec::new(), hidden: Vec::new(),
            added: 0,
        };
        let mut evidence = says(message);
        evidence.verification = Some(StopVerification { runs: vec![run], ..StopVerification::default() });
        let mut facts = FactsBuilder::default();
        facts.prompt("Go on");
        facts.call("1", ToolCall::Edit { paths: vec!["a.py".to_owned()] });
        facts.result("1", &ToolResult { is_error: false, exit_status: None, output: String::new() });
        if let Some(output) = output {
            facts.call("2", ToolCall::Command { command: "pytest".to_owned(), background: false });
            facts.result("2", &ToolResult { is_error: false, exit_status: Some(0), output: output.to_owned() });
        }
        evidence.transcript = EvidencePart::Gathered(facts.finish());
        evidence
    }

    fn broken() -> CheckEnd {
        CheckEnd::Broken { before: vec!["t.py::test_a".to_owned()], new: vec!["t.py::test_b".to_owned()] }
    }

    #[test]
    fn a_check_that_fails_is_certain() {
        for (message, output) in [
            ("All tests pass.", None),
            ("All tests pass, those in `t.py` too.", None),
            ("All tests pass.", Some("===== 12 passed in 0.1s =====")),
            ("All 12 tests pass.", None),
            ("I added the function.", None),
        ] {
            assert_eq!(grades(&FailingCheck, &after(message, broken(), output)), [Certainty::Certain], "{message} {output:?}");
        }
        let said = found(&FailingCheck, &after("All tests pass.", broken(), None)).remove(0).message;
        assert_eq!(said, "The final message says that tests pass, but pytest fails, as a run on a copy of the tree shows: `t.py::test_a` (not so at the commit where the session began); `t.py::test_b` (new; the sandbox has no network, home or repository). Fix it, or say that it fails and why. Run: `assize gates --only pytest`");
    }

    #[test]
    fn parts_and_what_the_sandbox_may_lack_make_it_likely() {
        assert_eq!(grades(&FailingCheck, &after("All tests pass, but test_a fails.", broken(), None)), [Certainty::Likely]);
        for message in ["The new tests pass.", "All tests in `b.py` pass.", "The add test passes.", "All 2 tests pass."] {
            let mut evidence = after(message, broken(), None);
            assert_eq!(grades(&FailingCheck, &evidence), [Certainty::Certain], "this session broke what passed: {message}");
            if let Some(verification) = &mut evidence.verification {
                verification.dirty_start = true;
            }
            assert_eq!(grades(&FailingCheck, &evidence), [Certainty::Likely], "{message}");
        }
        let new = CheckEnd::Broken { before: Vec::new(), new: vec!["t.py::test_b".to_owned()] };
        for (output, expected) in [
            (Some("===== 12 passed in 0.1s ====="), Certainty::Likely),
            (Some("===== 2 passed in 0.1s ====="), Certainty::Certain),
            (None, Certainty::Certain),
        ] {
            assert_eq!(grades(&FailingCheck, &after("All tests pass.", new.clone(), output)), [expected], "{output:?}");
        }
        let mut dirty = after("I added the function.", broken(), None);
        if let Some(verification) = &mut dirty.verification {
            verification.dirty_start = true;
        }
        assert_eq!(grades(&FailingCheck, &dirty), [Certainty::Likely]);
    }

    #[test]
    fn other_ends_are_no_finding() {
        for end in [CheckEnd::Passed, CheckEnd::KnownRed, CheckEnd::Unknown { why: "no time".to_owned() }] {
            assert_eq!(grades(&FailingCheck, &after("All tests pass.", end, None)), []);
        }
    }
}
