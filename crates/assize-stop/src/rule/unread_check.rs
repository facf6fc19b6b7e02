//! A check was started behind the shell's back, and its end was not looked at.

use assize_core::finding::{Certainty, Severity};
use assize_core::text::quote;
use assize_ecosystem::command::CommandRole;

use super::{Findings, Needs, Rule};
use crate::evidence::Evidence;
use crate::transcript::{CommandRun, TestResult};

/// See the module.
pub struct UnreadCheck;

impl Rule for UnreadCheck {
    fn id(&self) -> &'static str {
        "unread-check"
    }

    fn needs(&self) -> Needs {
        Needs::Transcript
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(facts) = evidence.transcript.get() else { return };
        let started = facts.commands_after(facts.last_prompt_step).rfind(|run| leaves_running(run));
        let Some(run) = started else { return };
        let was_read = facts.commands_after(run.step).any(|later| {
            later.reads_output_of(run) || later.test_result().is_some_and(|result| result != TestResult::Unknown) || waits(later)
        });
        let wanted = evidence.directives.iter().flat_map(|directive| directive.all_text()).any(|text| ["background", "watch", "log"].iter().any(|word| text.contains(word)));
        if was_read || wanted || facts.interrupted {
            return;
        }
        let sure = facts.limits.is_empty() && facts.delegation_step.is_none_or(|step| step < run.step);
        findings.file(
            Severity::Error,
            if sure { Certainty::Certain } else { Certainty::Likely },
            format!("{} was left running by the shell, and nothing looked at how it ended; no one comes back to it once the agent stops. Wait for it, and read what it says.", quote(run.command.inspect())),
        );
    }
}

/// Returns whether a run of tests is left behind by a shell that is done.
fn leaves_running(run: &CommandRun) -> bool {
    let command = run.command.inspect().replace("2>&1", "").replace("&>", ">").replace("&&", ";");
    run.role == CommandRole::Test
        && run.tests.is_none()
        && command.contains('>')
        && command.split('&').skip(1).any(|rest| rest.is_empty() || rest.starts_with([' ', '\n', ';', ')']))
        && !command.contains("wait")
        && !command.contains("tail")
        && !command.contains("cat ")
}

/// Returns whether a command waits for one that was left running.
fn waits(run: &CommandRun) -> bool {
    let command = run.command.inspect();
    ["wait", "tail ", "cat ", "jobs", "pgrep", "ps ", "sleep", "until "].iter().any(|word| command.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::gathered::EvidencePart;
    use crate::rule::testing::{asked, grades};
    use crate::transcript::{FactsBuilder, ToolCall, ToolResult};

    fn after(commands: &[(&str, &str)]) -> Vec<Certainty> {
        let mut facts = FactsBuilder::default();
        facts.prompt("Add coupons, leave the tests green");
        for (index, (command, output)) in commands.iter().enumerate() {
            let id = index.to_string();
            facts.call(&id, ToolCall::Command { command: (*command).to_owned(), background: false });
            facts.result(&id, &ToolResult { exit_status: Some(0), output: (*output).to_owned(), ..ToolResult::default() });
        }
        let transcript = EvidencePart::Gathered(facts.finish());
        grades(&UnreadCheck, &Evidence { transcript, ..asked("Add coupons, leave the tests green", "Done.") })
    }

    #[test]
    fn tests_that_were_left_running_are_certain() {
        let left = ("./gradlew test > /tmp/test.log 2>&1 & echo started", "started");
        assert_eq!(after(&[left]), [Certainty::Certain]);
        assert_eq!(after(&[left, ("git status", "")]), [Certainty::Certain]);
        for later in [("sleep 60; tail -5 /tmp/test.log", "BUILD SUCCESSFUL"), ("./gradlew test", "3 tests completed"), ("wait", "")] {
            assert_eq!(after(&[left, later]), [], "{later:?}");
        }
        for run in ["./gradlew test 2>&1 | tail -3", "cd app && npm test > /tmp/log", "npm test > /tmp/log 2>&1 & wait; cat /tmp/log", "npm run dev > /tmp/log &"] {
            assert_eq!(after(&[(run, "")]), [], "{run}");
        }
    }
}
