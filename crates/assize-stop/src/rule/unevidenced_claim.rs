//! The final message says that tests pass, and no run after the last edit of code shows it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use assize_core::finding::{Certainty, Severity};
use assize_ecosystem::{is_code, is_generated};
use assize_core::text::quote;
use assize_ecosystem::command::CommandRole;

use super::{Findings, Needs, Rule};
use crate::claim::claims_tests_pass;
use crate::claim_scope::{is_about_all, is_partial};
use crate::evidence::Evidence;
use crate::transcript::command::selects_tests;
use crate::transcript::{CommandRun, CommandState, TestResult, TranscriptFacts};

/// See the module.
pub struct UnevidencedClaim;

impl Rule for UnevidencedClaim {
    fn id(&self) -> &'static str {
        "unevidenced-claim"
    }

    fn needs(&self) -> Needs {
        Needs::Transcript
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(facts) = evidence.transcript.get() else { return };
        let edited = facts.last_edit(counts).unwrap_or(0);
        let last_run = facts.last_test_run(edited);
        // That a run contradicts the claim is another rule's business.
        if matches!(last_run, Some((_, TestResult::Failed | TestResult::NoneRan))) {
            return;
        }
        let Some(claim) = claims_tests_pass(evidence.message()) else { return };
        if let Some((run, TestResult::Passed)) = last_run
            && run.step > edited
        {
            let is_whole = is_about_all(claim) || is_of_all_asked(evidence, claim);
            if is_whole && run.role == CommandRole::Test && ran_selected_tests_alone(facts, edited) && !is_the_users_own(evidence, run) {
                // A claim with the very number that ran says how many these are.
                let counted = run.tests.is_some_and(|tally| claim.contains(&tally.passed.to_string()));
                let sure = !counted && !out_of_sight(evidence, facts, edited);
                findings.file(
                    Severity::Error,
                    if sure { Certainty::Certain } else { Certainty::Likely },
                    format!("The final message speaks of all tests, but since the last edit of code only selected ones were run: {}. Run all of them, or say which were run.", quote(run.command.inspect())),
                );
            }
            return;
        }
        match last_run {
            Some((run, result)) if run.step > edited => {
                let passed = |later: &&CommandRun| later.test_result() == Some(TestResult::Passed);
                let mut later = facts.commands_after(run.step).filter(|later| later.reads_output_of(run));
                if result == TestResult::Unknown && !results_unrecorded(facts) && !later.any(|later| passed(&later)) {
                    file_unknown(run, findings);
                }
            }
            _ => {
                let later: Vec<&CommandRun> =
                    facts.commands.iter().filter(|run| may_follow(facts, run, edited)).collect();
                if speaks_of_checks(claim) && later.iter().any(|run| is_fine_check(run)) {
                    return;
                }
                let sure = last_run.is_none_or(|(run, _)| !may_follow(facts, run, edited))
                    && later.iter().all(|run| run.role == CommandRole::Other && run.runs_nothing())
                    && !out_of_sight(evidence, facts, edited);
                let what = match last_run {
                    Some(_) => "the last run of tests was before the last edit of code",
                    None => "the session shows no run of tests",
                };
                findings.file(
                    Severity::Error,
                    if sure { Certainty::Certain } else { Certainty::Likely },
                    format!("The final message says that tests pass, but {what}. Run the tests that cover the change and report what they show, or say that they were not run.{}", command_to_run(facts)),
                );
            }
        }
    }
}

/// Returns whether a claim of the suite is one of all tests, since the user asked for all of them to be run.
fn is_of_all_asked(evidence: &Evidence, claim: &str) -> bool {
    static ALL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:whole|full|entire|complete) (?:\w+ )?(?:suite|tests?|test run|run)\b|\ball (?:the |of the )?tests\b|\b(?:unit|integration) (?:and|AND|&|\+) (?:unit|integration|e2e)\b").expect("valid pattern")
    });
    let lower = claim.to_ascii_lowercase();
    let is_whole = ["suite", "everything", "the tests of the", "the tests pass", "tests are green", "test run"].iter().any(|words| lower.contains(words));
    is_whole && !is_partial(claim) && evidence.directives.iter().any(|directive| ALL.is_match(directive.text.inspect()))
}

/// Returns whether all runs of tests since the last edit selected some of them.
fn ran_selected_tests_alone(facts: &TranscriptFacts, edited: u64) -> bool {
    let mut runs = facts.commands_after(edited).filter(|run| run.role == CommandRole::Test || run.tests.is_some());
    runs.all(|run| selects_tests(run.command.inspect()))
}

/// Returns whether a prompt names the command: what the user calls the tests are all of them.
fn is_the_users_own(evidence: &Evidence, run: &CommandRun) -> bool {
    let command = run.command.inspect().replace("2>&1", "");
    let command = command.split(" | ").next().unwrap_or_default().rsplit("&& ").next().unwrap_or_default().trim();
    evidence.directives.iter().flat_map(|directive| directive.all_text()).any(|text| command.len() > 6 && text.contains(command))
}

/// Names the last command with which the session ran tests.
fn command_to_run(facts: &TranscriptFacts) -> String {
    let run = facts.commands.iter().rfind(|run| run.role == CommandRole::Test && !run.was_refused());
    run.map_or_else(String::new, |run| format!(" Run: {}", quote(run.command.inspect())))
}

fn file_unknown(run: &CommandRun, findings: &mut Findings<'_>) {
    let command = quote(run.command.inspect());
    let why = match run.state {
        CommandState::Running => "was sent to the background and its end is not shown",
        _ => "does not show how it ended",
    };
    findings.file(
        Severity::Warning,
        Certainty::Likely,
        format!("The final message says that tests pass, but the last run of tests, {command}, {why}. Run the tests so that their result can be seen."),
    );
}

/// Edits of prose, of generated files and outside of any project do not call for tests.
fn counts(path: &str) -> bool {
    let scratch = ["/tmp/", "/private/tmp/", "/var/folders/", "/private/var/folders/", "/dev/shm/"];
    is_code(path) && !is_generated(path) && !scratch.iter().any(|folder| path.starts_with(folder))
}

/// Returns whether a command may have been started after the edit. Calls that are made together
/// are dated by their start, edits by their end, so that a command given together with the edit
/// before it has the lower step. One after the other, an edit takes two steps and the command's
/// result one.
fn may_follow(facts: &TranscriptFacts, run: &CommandRun, edited: u64) -> bool {
    let between: BTreeSet<u64> =
        facts.edits.iter().map(|edit| edit.step).filter(|step| (run.step..=edited).contains(step)).collect();
    run.step > edited || edited - run.step < 1 + 2 * between.len() as u64
}

/// Some agents' transcripts hold no results at all; that a run's is missing then says nothing.
fn results_unrecorded(facts: &TranscriptFacts) -> bool {
    facts
        .commands
        .iter()
        .all(|run| run.output.is_empty() && !matches!(run.state, CommandState::Succeeded | CommandState::Failed))
}

fn speaks_of_checks(claim: &str) -> bool {
    let claim = claim.to_ascii_lowercase();
    claim.contains("check") && !["test", "suite", "spec"].iter().any(|word| claim.contains(word))
}

fn is_fine_check(run: &CommandRun) -> bool {
    run.role != CommandRole::Other && run.state != CommandState::Failed
}

/// Returns whether tests may have been run where the session does not show it.
fn out_of_sight(evidence: &Evidence, facts: &TranscriptFacts, edited: u64) -> bool {
    static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:ci|pipelines?|github actions|workflow runs?|sub-?agents?|agents? (?:ran|reports?|reported|confirm(?:s|ed))|delegated|you (?:ran|said|reported|mentioned|confirmed)|your (?:run|report)|according to|by hand|manually|hooks?)\b")
            .expect("valid pattern")
    });
    // Who answers a question about tests claims nothing of a run.
    let asked = evidence.directives.last().is_some_and(|directive| directive.text.inspect().trim_end().ends_with('?'));
    !facts.limits.is_empty()
        || asked && edited <= facts.last_prompt_step
        || facts.delegation_step.is_some_and(|step| step > edited)
        || ELSEWHERE.is_match(evidence.message())
        || evidence.directives.iter().any(|directive| claims_tests_pass(directive.text.inspect()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::gathered::EvidencePart;
    use crate::rule::testing::{asked, found, grades, says};
    use crate::transcript::{FactsBuilder, ToolCall, ToolResult};

    /// A session in words: `edit PATH`, `bg COMMAND`, `delegate`, or a command that succeeds.
    fn session(steps: &[&str]) -> TranscriptFacts {
        let mut facts = FactsBuilder::default();
        facts.prompt("Go on");
        for (index, step) in steps.iter().enumerate() {
            let id = index.to_string();
            let call = match step.split_once(' ') {
                Some(("edit", path)) => ToolCall::Edit { paths: vec![path.to_owned()] },
                Some(("bg", command)) => ToolCall::Command { command: command.to_owned(), background: true },
                _ if *step == "delegate" => ToolCall::Delegation,
                _ => ToolCall::Command { command: (*step).to_owned(), background: false },
            };
            facts.call(&id, call);
            let output = if step.contains("test") { "test result: ok. 3 passed; 0 failed; 0 ignored" } else { "done" };
            facts.result(&id, &ToolResult { is_error: false, exit_status: Some(0), output: output.to_owned() });
        }
        facts.finish()
    }

    fn after(message: &str, steps: &[&str]) -> Evidence {
        Evidence { transcript: EvidencePart::Gathered(session(steps)), ..says(message) }
    }

    const CLAIM: &str = "I've added the retry. All tests pass.";

    #[test]
    fn a_claim_without_a_run_is_certain() {
        for steps in [
            &[][..],
            &["edit src/net.rs"],
            &["cargo test", "edit src/net.rs"],
            &["edit src/net.rs", "cargo test", "edit src/net.rs", "git status --short"],
            &["cargo test", "edit src/a.py", "edit README.md", "ls -la", "rg -n retry src"],
            &["cargo build", "edit src/net.rs", "git diff", "mkdir -p out"],
            &["npm test", "edit src/net.test.ts"],
        ] {
            assert_eq!(grades(&UnevidencedClaim, &after(CLAIM, steps)), [Certainty::Certain], "{steps:?}");
        }
    }

    #[test]
    fn a_run_that_the_session_may_hide_makes_it_likely() {
        for (message, steps) in [
            (CLAIM, &["edit src/net.rs", "./verify.sh"][..]),
            (CLAIM, &["edit src/net.rs", "cargo clippy"]),
            (CLAIM, &["edit src/net.rs", "docker compose run app check"]),
            (CLAIM, &["edit src/net.rs", "git commit -m retry"]),
            (CLAIM, &["edit src/net.rs", "gh pr checks 12"]),
            (CLAIM, &["edit src/net.rs", "nix develop -c true"]),
            (CLAIM, &["edit src/net.rs", "delegate"]),
            (CLAIM, &["cargo test", "edit src/net.rs", "python scratch.py"]),
            ("The subagent has run them: all tests pass.", &["edit src/net.rs"]),
            ("All tests pass in CI.", &["edit src/net.rs"]),
        ] {
            assert_eq!(grades(&UnevidencedClaim, &after(message, steps)), [Certainty::Likely], "{message} {steps:?}");
        }
    }

    #[test]
    fn a_run_whose_end_is_not_shown_makes_it_likely() {
        let evidence = after(CLAIM, &["edit src/net.rs", "bg cargo test", "ls"]);
        assert_eq!(grades(&UnevidencedClaim, &evidence), [Certainty::Likely]);
        let mut facts = FactsBuilder::default();
        facts.call("1", ToolCall::Command { command: "npm test | tail -1".into(), background: false });
        facts.result("1", &ToolResult { is_error: false, exit_status: Some(0), output: "bye".into() });
        let evidence = Evidence { transcript: EvidencePart::Gathered(facts.finish()), ..says(CLAIM) };
        assert_eq!(grades(&UnevidencedClaim, &evidence), [Certainty::Likely]);
    }

    #[test]
    fn a_transcript_with_gaps_makes_it_likely() {
        let mut evidence = after(CLAIM, &["edit src/net.rs"]);
        if let EvidencePart::Gathered(facts) = &mut evidence.transcript {
            facts.limits.push("3 early commands were left out".into());
        }
        assert_eq!(grades(&UnevidencedClaim, &evidence), [Certainty::Likely]);
        let asked = asked("I ran it: all tests pass. Update the docs of net.rs.", CLAIM);
        let evidence = Evidence { transcript: EvidencePart::Gathered(session(&["edit src/net.rs"])), ..asked };
        assert_eq!(grades(&UnevidencedClaim, &evidence), [Certainty::Likely]);
    }

    #[test]
    fn counter_examples() {
        for (message, steps) in [
            (CLAIM, &["edit src/net.rs", "cargo test"][..]),
            (CLAIM, &["cargo test"]),
            (CLAIM, &["edit src/net.rs", "cargo test", "edit README.md", "edit docs/net.md"]),
            (CLAIM, &["edit src/net.rs", "cargo test", "edit Cargo.lock", "edit package.json"]),
            (CLAIM, &["edit src/net.rs", "cargo test", "edit /tmp/scratch.py"]),
            (CLAIM, &["edit src/net.rs", "cd app && npm run test:unit", "git commit -am x", "git push"]),
            ("All checks pass.", &["edit src/net.rs", "cargo clippy"]),
            ("I've added the retry. I have not run the tests.", &["edit src/net.rs"]),
            ("The tests should pass now.", &["edit src/net.rs"]),
            ("Run `cargo test` to see whether all tests pass.", &["edit src/net.rs"]),
            ("I've added the retry.", &["edit src/net.rs"]),
            ("Do all tests pass?", &["edit src/net.rs"]),
        ] {
            assert_eq!(grades(&UnevidencedClaim, &after(message, steps)), [], "{message} {steps:?}");
        }
    }

    #[test]
    fn a_contradicted_claim_is_left_to_its_rule() {
        let mut facts = FactsBuilder::default();
        facts.call("1", ToolCall::Command { command: "cargo test".into(), background: false });
        facts.result("1", &ToolResult { is_error: true, exit_status: Some(101), output: String::new() });
        let evidence = Evidence { transcript: EvidencePart::Gathered(facts.finish()), ..says(CLAIM) };
        assert_eq!(grades(&UnevidencedClaim, &evidence), []);
    }

    #[test]
    fn calls_that_were_made_together_are_not_certain() {
        let together = |calls: &[&str]| {
            let mut facts = FactsBuilder::default();
            for (index, call) in calls.iter().enumerate() {
                let call = match call.strip_prefix("edit ") {
                    Some(path) => ToolCall::Edit { paths: vec![path.to_owned()] },
                    None => ToolCall::Command { command: (*call).to_owned(), background: false },
                };
                facts.call(&index.to_string(), call);
            }
            for index in 0..calls.len() {
                let output = "test result: ok. 3 passed; 0 failed; 0 ignored".to_owned();
                facts.result(&index.to_string(), &ToolResult { is_error: false, exit_status: Some(0), output });
            }
            Evidence { transcript: EvidencePart::Gathered(facts.finish()), ..says(CLAIM) }
        };
        for calls in
            [&["edit src/a.rs", "cargo test"][..], &["edit src/a.rs", "edit src/b.rs", "edit src/c.rs", "cargo test"]]
        {
            assert_eq!(grades(&UnevidencedClaim, &together(calls)), [Certainty::Likely], "{calls:?}");
        }
    }

    #[test]
    fn transcripts_without_results_are_believed_to_have_run() {
        let mut facts = FactsBuilder::default();
        facts.call("1", ToolCall::Command { command: "go test ./...".into(), background: false });
        let evidence = Evidence { transcript: EvidencePart::Gathered(facts.finish()), ..says(CLAIM) };
        assert_eq!(grades(&UnevidencedClaim, &evidence), []);
    }

    #[test]
    fn the_finding_stays_the_same_while_the_fact_does() {
        let key = |message: &str, steps: &[&str]| found(&UnevidencedClaim, &after(message, steps)).remove(0).key();
        assert_eq!(
            key("All 3 tests pass.", &["cargo test", "edit src/a.rs"]),
            key("The tests are passing.", &["cargo test", "edit src/b.rs", "edit src/c.rs"])
        );
    }
}
