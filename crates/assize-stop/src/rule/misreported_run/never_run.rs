//! A command that the message gives a result of, and that no run of the session can have shown.

use std::sync::LazyLock;

use assize_ecosystem::command::CommandRole;
use assize_ecosystem::{command_role, is_code};
use regex::Regex;

use crate::claim::{commands_said_to_pass, statements};
use crate::transcript::{CommandRun, TranscriptFacts};

/// The first command of tests or of a check that is told to have come out well, where nothing of that kind ran since the last edit.
pub(super) fn unrun_command<'m>(message: &'m str, facts: &TranscriptFacts) -> Option<&'m str> {
    let edited = facts.last_edit(is_code)?;
    let checks = |run: &CommandRun| {
        (run.role != CommandRole::Other || !run.runs_nothing()) && !only_parses(run.command.inspect())
    };
    // Calls that are made together are dated by their start, edits by their end.
    if facts.commands.iter().any(|run| run.step + 2 > edited && !run.was_refused() && checks(run)) {
        return None;
    }
    let is_check = |command: &&str| {
        let words: Vec<&str> = command.split_whitespace().collect();
        matches!(command_role(&words), CommandRole::Test | CommandRole::Check) || matches!(words.as_slice(), ["make" | "just" | "task" | "rake", target] if !target.starts_with('-'))
    };
    told_with_result(message).chain(commands_said_to_pass(message)).find(is_check)
}

/// The commands at the head of a line, where what they came to follows.
fn told_with_result(message: &str) -> impl Iterator<Item = &str> {
    static RESULT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)^[ -/:-@]*`([a-z][ -_a-~]{2,60})`(?::| -| →) (?:[0-9]+ (?:tests?|passed|passing|ok|examples?|specs?|assertions?|errors?|warnings?|failures?)|all |no |nothing|clean|ok\b|green|passe[sd]|\w+ (?:has|have|finds?|found|reports?) (?:nothing|no))").expect("valid pattern")
    });
    statements(message).filter_map(|sentence| Some(RESULT.captures(sentence)?.get(1)?.as_str()))
}

/// Returns whether a command only looks at whether a script can be read.
fn only_parses(command: &str) -> bool {
    ["bash -n", "sh -n", "zsh -n", "node --check", "ruby -c", "perl -c", "php -l"].iter().any(|call| command.starts_with(call))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{FactsBuilder, ToolCall, ToolResult};

    #[test]
    fn a_result_of_what_never_ran_is_found() {
        let told = |message: &str, commands: &[&str]| {
            let mut facts = FactsBuilder::default();
            facts.call("0", ToolCall::Edit { paths: vec!["bin/prune.sh".to_owned()] });
            facts.result("0", &ToolResult::default());
            for (id, command) in ["1", "2"].into_iter().zip(commands) {
                facts.call(id, ToolCall::Command { command: (*command).to_owned(), background: false });
                facts.result(id, &ToolResult { exit_status: Some(0), ..ToolResult::default() });
            }
            unrun_command(message, &facts.finish()).map(str::to_owned)
        };
        let message = "It keeps three now.\n\n- `make test`: 3 tests, 0 failures\n- `make lint`: shellcheck has nothing to say\n";
        assert_eq!(told(message, &["bash -n bin/prune.sh", "git diff --stat"]).as_deref(), Some("make test"));
        assert_eq!(told("`cargo clippy`: no warnings", &[]).as_deref(), Some("cargo clippy"));
        assert_eq!(told(message, &["make test"]), None);
        assert_eq!(told(message, &["./scripts/all.sh"]), None, "a script may run it");
        assert_eq!(told("`make test`: not run, bats is missing", &[]), None);
        assert_eq!(told("- `notes`: 3 lines", &[]), None, "it is no check");
    }
}
