//! The court ran a check, and it fails where it did not when the session began.

use assize_core::finding::{Certainty, Severity};
use assize_core::text::{listed, quote};
use assize_ecosystem::is_code;

use super::contradicted_claim::is_partial;
use super::{Findings, Needs, Rule};
use crate::claim::admits_failure;
use crate::evidence::Evidence;
use crate::transcript::TestResult;
use crate::attribution::Author;
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
        for run in evidence.verification.iter().flat_map(|verification| &verification.runs) {
            let CheckEnd::Broken { before, new } = &run.end else { continue };
            let claim = run.kind.claim(evidence.message());
            // A message that speaks of some tests, or of failures elsewhere, may be right about its part.
            let is_told = admits_failure(evidence.message()).is_some();
            let is_own = claim.is_some() || is_alone(evidence);
            let sure = !claim.is_some_and(is_partial) && !is_told && is_own && !passed_outside(evidence, run);
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
                parts.push(format!("{} (not so when the session began)", shown(before)));
            }
            if !new.is_empty() {
                parts.push(format!("{} (new)", shown(new)));
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

/// Returns whether the session shows that the same tests passed after the last edit: then the copy, or the sandbox, may be
/// what they fail for.
fn passed_outside(evidence: &Evidence, run: &CheckRun) -> bool {
    if run.kind != CheckKind::Tests {
        return false;
    }
    let Some(facts) = evidence.transcript.get() else { return false };
    let edited = facts.last_edit(is_code).unwrap_or(0);
    facts.last_test_run(edited).is_some_and(|(last, result)| {
        let ran_all = last.tests.is_none_or(|tally| tally.passed >= run.tests);
        result == TestResult::Passed && last.step > edited && ran_all
    })
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
            lost: Vec::new(),
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
            ("All tests pass.", Some("===== 2 passed in 0.1s =====")),
            ("I added the function.", None),
        ] {
            assert_eq!(grades(&FailingCheck, &after(message, broken(), output)), [Certainty::Certain], "{message} {output:?}");
        }
        let said = found(&FailingCheck, &after("All tests pass.", broken(), None)).remove(0).message;
        assert_eq!(said, "The final message says that tests pass, but pytest fails, as a run on a copy of the tree shows: `t.py::test_a` (not so when the session began); `t.py::test_b` (new). Fix it, or say that it fails and why. Run: `assize gates --only pytest`");
    }

    #[test]
    fn two_runs_that_disagree_and_parts_make_it_likely() {
        for (message, output) in [
            ("All tests pass.", Some("===== 12 passed in 0.1s =====")),
            ("The new tests pass.", None),
            ("All tests pass, but test_a fails.", None),
        ] {
            assert_eq!(grades(&FailingCheck, &after(message, broken(), output)), [Certainty::Likely], "{message} {output:?}");
        }
    }

    #[test]
    fn other_ends_are_no_finding() {
        for end in [CheckEnd::Passed, CheckEnd::KnownRed, CheckEnd::Unknown { why: "no time".to_owned() }] {
            assert_eq!(grades(&FailingCheck, &after("All tests pass.", end, None)), []);
        }
    }
}
