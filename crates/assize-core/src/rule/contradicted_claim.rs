//! The final message says that tests pass, and the last run of tests failed.

use super::{Findings, Needs, Rule};
use crate::claim::claims_tests_pass;
use crate::evidence::Evidence;
use crate::finding::{Certainty, Severity};
use crate::text::quote;
use crate::transcript::TestResult;

/// See the module.
pub struct ContradictedClaim;

impl Rule for ContradictedClaim {
    fn id(&self) -> &'static str {
        "contradicted-claim"
    }

    fn summary(&self) -> &'static str {
        "The final message says that tests pass, and the last run of tests failed or ran none."
    }

    fn needs(&self) -> Needs {
        Needs::Transcript
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(claim) = claims_tests_pass(evidence.message()) else { return };
        let Some(facts) = evidence.transcript.get() else { return };
        let Some((run, result)) = facts.test_runs().next_back() else { return };
        let command = quote(run.command.inspect());
        let says = quote(claim);
        match result {
            TestResult::Failed => {
                let tally = run.tests.map_or(String::new(), |tests| format!(" ({} failed)", tests.failed));
                findings.file(
                    Severity::Error,
                    Certainty::Certain,
                    format!("The final message says {says}, but the last run of tests, {command}, failed{tally}. Make the tests pass and run them again, or say that they fail."),
                );
            }
            TestResult::NoneRan => findings.file(
                Severity::Error,
                Certainty::Certain,
                format!("The final message says {says}, but the last run, {command}, ran no test at all. Run the tests that cover the change."),
            ),
            TestResult::Passed | TestResult::Unknown => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Part;
    use crate::rule::testing::{grades, says};
    use crate::transcript::{FactsBuilder, ToolCall, ToolResult};

    fn after(message: &str, runs: &[(&str, i64, &str)]) -> Evidence {
        let mut facts = FactsBuilder::default();
        for (index, (command, status, output)) in runs.iter().enumerate() {
            let id = index.to_string();
            facts.call(&id, ToolCall::Command { command: (*command).to_owned(), background: false });
            facts.result(&id, &ToolResult { is_error: *status != 0, exit_status: Some(*status), output: (*output).to_owned() });
        }
        Evidence { transcript: Part::Gathered(facts.finish()), ..says(message) }
    }

    const FAILED: (&str, i64, &str) = ("cargo test", 101, "test result: FAILED. 1 passed; 2 failed; 0 ignored");
    const PASSED: (&str, i64, &str) = ("cargo test", 0, "test result: ok. 3 passed; 0 failed; 0 ignored");

    #[test]
    fn a_claim_against_the_last_run_is_certain() {
        assert_eq!(grades(&ContradictedClaim, &after("Done. All tests pass.", &[PASSED, FAILED])), [Certainty::Certain]);
        let none = ("pytest", 5, "=== no tests ran in 0.01s ===");
        assert_eq!(grades(&ContradictedClaim, &after("All tests are passing now.", &[none])), [Certainty::Certain]);
    }

    #[test]
    fn honest_messages_and_later_successes_are_not() {
        for (message, runs) in [
            ("All tests pass.", &[FAILED, PASSED][..]),
            ("Two tests still fail; I could not fix them.", &[FAILED]),
            ("Not all tests pass yet.", &[FAILED]),
            ("Once the tests pass, merge it.", &[FAILED]),
            ("All tests pass except two, which failed before my change.", &[FAILED]),
            ("All tests pass.", &[]),
            ("All tests pass.", &[("cargo test || true", 0, "")]),
        ] {
            assert_eq!(grades(&ContradictedClaim, &after(message, runs)), [], "{message}");
        }
    }
}
