//! The final message says of a run what that run did not print.

mod earlier_failure;
mod limit;
mod never_run;
pub(super) mod failed_names;
mod quoted_result;
mod red_run;
mod repeated;
mod search;
mod share;
mod special_run;

use std::sync::LazyLock;

use assize_core::finding::{Certainty, Severity};
use assize_core::path::file_name;
use assize_core::text::quote;
use assize_ecosystem::command::CommandRole;
use assize_ecosystem::is_code;
use regex::Regex;

use super::{Findings, Needs, Rule};
use crate::check_runs::{CheckResult, kinds, last_check};
use crate::claim::{admits_red, claims_no_warnings, claims_tests_pass, commands_said_to_pass};
use crate::evidence::Evidence;
use crate::transcript::check_output::{found_nothing, reports_fault};
use crate::transcript::command::{self, parts, selects_tests};
use crate::transcript::{CommandRun, CommandState, TranscriptFacts};
use crate::verification::CheckKind;

/// See the module.
pub struct MisreportedRun;

impl Rule for MisreportedRun {
    fn id(&self) -> &'static str {
        "misreported-run"
    }

    fn needs(&self) -> Needs {
        Needs::Transcript
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(facts) = evidence.transcript.get() else { return };
        check_others(evidence, facts, findings);
        let quoted = failed_commands(evidence.message(), facts).filter(|command| !is_of_tests(command));
        for command in quoted {
            findings.file(Severity::Error, certainty(facts), failed_command(command));
        }
        check_warnings(evidence, facts, findings);
        check_accounts(evidence, facts, findings);
    }
}

/// What is read of runs is certain where the transcript has no gaps.
pub(super) fn certainty(facts: &TranscriptFacts) -> Certainty {
    if facts.limits.is_empty() { Certainty::Certain } else { Certainty::Likely }
}

/// Returns whether a command runs tests and nothing more: what it came to can be settled by running them.
pub(super) fn is_of_tests(command: &str) -> bool {
    command::role(command) == CommandRole::Test && !special_run::is_special(command)
}

/// What a finding says of a quoted command that did not pass.
pub(super) fn failed_command(command: &str) -> String {
    format!("The final message says that {} passes, but its last run did not. Fix what it reports and run it again, or say what it reports.", quote(command))
}

/// Compares claims about linters, checkers of types and builds with their last runs after the last edit.
fn check_others(evidence: &Evidence, facts: &TranscriptFacts, findings: &mut Findings<'_>) {
    let edited = facts.last_edit(is_code).unwrap_or(0);
    for kind in [CheckKind::Lint, CheckKind::Types, CheckKind::Build] {
        let Some((run, CheckResult::Faulty { sure })) = last_check(&facts.commands, kind) else { continue };
        let builds = run.tests.is_some_and(|tests| tests.passed + tests.failed > 0) && kind == CheckKind::Build;
        if run.step < edited || builds || kind.claim(evidence.message()).is_none() {
            continue;
        }
        let sure = sure && admits_red(evidence.message()).is_none() && facts.limits.is_empty();
        findings.file(
            Severity::Error,
            if sure { Certainty::Certain } else { Certainty::Likely },
            format!("The final message says that {}, but the last run of the check found something. Fix what it reports and run it again, or say what it reports. Run: {}", kind.claimed(), quote(run.command.inspect())),
        );
    }
}

/// The commands that are quoted and said to pass, and whose last runs after the last edit did not.
pub(super) fn failed_commands<'a>(message: &'a str, facts: &'a TranscriptFacts) -> impl Iterator<Item = &'a str> {
    let edited = facts.last_edit(is_code).unwrap_or(0);
    let is_failed = move |command: &&str| {
        let is_meant = |run: &&CommandRun| calls(run.command.inspect(), command) && !run.was_refused() && !run.only_prints();
        let Some(run) = facts.commands.iter().rev().find(is_meant).filter(|run| run.step > edited) else { return false };
        let line = run.command.inspect();
        let failed_tests = run.tests.is_some_and(|tally| tally.failed > 0);
        // Another command on the line may have failed.
        let is_alone = line.starts_with(*command) && parts(line).len() == 1 && !selects_tests(line);
        let found = found_nothing(line, run.output.inspect(), false) == Some(false)
            || kinds(command).into_iter().any(|kind| reports_fault(run.output.inspect(), kind));
        let told = claims_tests_pass(message).is_some() && run.role == CommandRole::Test
            || [CheckKind::Lint, CheckKind::Types, CheckKind::Build].iter().any(|kind| kind.claim(message).is_some() && kinds(command).contains(kind));
        !told && (failed_tests || is_alone && run.state == CommandState::Failed || found)
    };
    commands_said_to_pass(message).filter(is_failed)
}

/// Returns whether a command line calls a command: the words may be the name of a test or of a suite, too.
fn calls(line: &str, command: &str) -> bool {
    let program = command.split_whitespace().next().unwrap_or_default();
    let is_value = |before: &str| before.starts_with('-') && !matches!(before, "-m" | "--");
    let is_called = |words: &[String]| words.iter().position(|word| word.rsplit('/').next() == program.rsplit('/').next()).is_some_and(|at| at == 0 || !is_value(&words[at - 1]));
    line.contains(command) && parts(line).iter().any(|words| is_called(words))
}

/// Compares the claim that nothing warns with the last run that built or checked something.
fn check_warnings(evidence: &Evidence, facts: &TranscriptFacts, findings: &mut Findings<'_>) {
    static WARNS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m-u)^[!-~]+:\d+(?::\d+)?: warning: |^warning(?:\[[!-~]+\])?: |^[!-~]+\(\d+,\d+\): warning ").expect("valid pattern")
    });
    let Some(claim) = claims_no_warnings(evidence.message()) else { return };
    let edited = facts.last_edit(is_code).unwrap_or(0);
    let builds = |run: &&CommandRun| matches!(run.role, CommandRole::Check | CommandRole::Test) && !run.output.inspect().is_empty();
    let Some(run) = facts.commands.iter().rev().find(builds).filter(|run| run.step > edited) else { return };
    // What is said of one file is held to that file.
    let named: Vec<&str> = claim.split('`').skip(1).step_by(2).filter(|span| is_code(span)).map(file_name).collect();
    let mut lines = run.output.inspect().lines();
    if !lines.any(|line| WARNS.is_match(line) && (named.is_empty() || named.iter().any(|name| line.contains(name)))) {
        return;
    }
    let sure = facts.limits.is_empty();
    findings.file(
        Severity::Error,
        if sure { Certainty::Certain } else { Certainty::Likely },
        format!("The final message says that nothing warns ({}), and the last run printed warnings. Correct what they say, or report them. Run: {}", quote(claim), quote(run.command.inspect())),
    );
}

/// Compares what the message says of single runs with what these printed.
fn check_accounts(evidence: &Evidence, facts: &TranscriptFacts, findings: &mut Findings<'_>) {
    let edited = facts.last_edit(is_code).unwrap_or(0);
    let message = evidence.message();
    let certainty = certainty(facts);
    let told = failed_commands(message, facts).any(|command| !is_of_tests(command));
    if let Some((claim, run)) = special_run::contradicted(message, facts, edited).filter(|_| !told) {
        let run = quote(run.command.inspect());
        findings.file(Severity::Error, certainty, format!("The final message says that nothing was found ({}), and the last run that looks for it did not work, or found something. Repair it and run it again, or say what it printed. Run: {run}", quote(claim)));
    }
    if let Some((claim, run, path)) = search::contradicted(message, facts, edited) {
        let run = quote(run.command.inspect());
        findings.file(Severity::Error, certainty, format!("The final message says what a search finds ({}), and the last one also lists {}. Do what is left there, or say that it is left. Run: {run}", quote(claim), quote(path)));
    }
    if let Some((claim, run, counted)) = share::contradicted(message, facts, edited) {
        let run = quote(run.command.inspect());
        findings.file(Severity::Error, certainty, format!("The final message speaks of all ({}), and the last run that counts them printed {}. Say which are missing, or do them. Run: {run}", quote(claim), quote(counted)));
    }
    if let Some((claim, number)) = repeated::fewer_runs(message, facts, edited) {
        findings.file(Severity::Error, certainty, format!("The final message says how often tests were run ({}), and the session has {number} since the last edit. Run them as often as that, or say how often they were run.", quote(claim)));
    }
    if let Some((claim, version)) = repeated::unseen_version(message, facts) {
        findings.file(Severity::Error, certainty, format!("The final message says with which versions the tests pass ({}), and no command of the session shows version {}. Run them there, or say where they were run.", quote(claim), quote(version)));
    }
    if let Some(command) = never_run::unrun_command(message, facts) {
        findings.file(Severity::Error, certainty, format!("The final message says what {} came to, and nothing of that kind was run since the last edit. Run it, or say that it was not run.", quote(command)));
    }
    if let Some((claim, run, figure)) = limit::contradicted(message, facts, edited) {
        let run = quote(run.command.inspect());
        findings.file(Severity::Error, certainty, format!("The final message says that a limit is kept ({}), and the last run that measures it printed {} at best. Say what it printed, or make it so. Run: {run}", quote(claim), quote(figure)));
    }
    if let Some((line, run)) = quoted_result::never_printed(message, facts, edited) {
        let run = quote(run.command.inspect());
        findings.file(Severity::Error, certainty, format!("The final message quotes {}, and no run of the session ended so. Say what the last one printed. Run: {run}", quote(line)));
    }
    if let Some(claim) = red_run::never_seen(message, facts) {
        findings.file(Severity::Error, certainty, format!("The final message says that a test was seen to fail before the change ({}), and no run of the session failed. Run it on the code as it was, or say that it was not run there.", quote(claim)));
    }
    if let Some((claim, name, run)) = earlier_failure::not_the_only_one(message, facts) {
        let run = quote(run.command.inspect());
        findings.file(Severity::Error, certainty, format!("The final message says which test alone fails ({}), and {} fails as well in the last run. Make it pass, or say that it fails. Run: {run}", quote(claim), quote(name)));
    }
    if let Some((claim, name, run)) = earlier_failure::contradicted(message, facts) {
        let run = quote(run.command.inspect());
        findings.file(Severity::Error, certainty, format!("The final message says that {} failed before ({}), and it did not when {run} ran before the first edit of this session. Repair what made it fail, or say that it fails now.", quote(name), quote(claim)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{after_runs, found, grades};

    #[test]
    fn claims_about_other_checks_are_compared_with_their_last_runs() {
        for (message, run, expected) in [
            ("Lint is clean.", ("npm run lint", 1, "✖ 1 problem (1 error, 0 warnings)"), Some(Certainty::Certain)),
            ("Lint is clean.", ("npm run lint | tail -2", 0, "✖ 1 problem (1 error, 0 warnings)"), Some(Certainty::Certain)),
            ("No type errors.", ("npx tsc --noEmit | tail -1", 0, "a.ts(1,2): error TS2322: x"), Some(Certainty::Certain)),
            ("The build passes.", ("cargo build", 101, "error: could not compile `a`"), Some(Certainty::Certain)),
            ("Lint is clean.", ("npm run lint && npm test", 1, "x"), Some(Certainty::Likely)),
            ("Lint is clean. The docs build still fails.", ("npm run lint", 1, "x"), Some(Certainty::Likely)),
            ("Lint is clean.", ("npm run lint", 0, ""), None),
            ("I fixed the parser.", ("npm run lint", 1, "x"), None),
        ] {
            assert_eq!(grades(&MisreportedRun, &after_runs(message, &[run])), Vec::from_iter(expected), "{message} {run:?}");
        }
    }

    #[test]
    fn accounts_of_runs_are_compared_with_what_they_printed() {
        let refused = ("go test -race ./...", 2, "go: -race requires cgo; enable cgo by setting CGO_ENABLED=1");
        let plain = ("go test ./...", 0, "ok  \ta\t0.1s");
        let leaks = ("make memcheck", 0, "==4187==    definitely lost: 5 bytes in 1 blocks");
        let clean = ("make memcheck", 0, "==4187== ERROR SUMMARY: 0 errors from 0 contexts");
        let search = ("tsc; grep -rn 'console\\.' src", 0, "src/log.ts:3:  console.log(x);\nsrc/alarm.ts:3:  console.error(x);\n");
        let types = ("ruff check . ; mypy ; pytest -q", 0, "All checks passed!\na.py:2: error: x  [no-untyped-def]\nFound 1 error in 1 file (checked 3 source files)\n2 passed in 0.02s");
        for (message, runs, expected) in [
            ("`go vet` is clean, and the tests pass with the race detector, five rounds, no races reported.", &[refused, plain][..], 1),
            ("`go test -race` is clean, no data races found.", &[refused, plain], 1),
            ("The tests pass, but without the race detector, which needs cgo.", &[refused, plain], 0),
            ("The tests pass. I could not run the race detector.", &[refused, plain], 0),
            ("Valgrind finds no more leaks.", &[leaks], 1),
            ("Valgrind finds no more leaks.", &[leaks, clean], 0),
            ("A final grep only finds the one in `log.ts` itself.", &[search], 1),
            ("A final grep only finds those in `log.ts` and `src/alarm.ts`.", &[search], 0),
            ("- ruff: all checks passed\n- mypy: clean\n- pytest: 2 passed", &[types], 1),
            ("- ruff: all checks passed\n- mypy: not clean, one error is left\n- pytest: 2 passed", &[types], 0),
        ] {
            let found = found(&MisreportedRun, &after_runs(message, runs));
            assert_eq!(found.len(), expected, "{message}: {found:?}");
        }
    }

    #[test]
    fn a_quoted_command_that_is_said_to_pass_is_compared_with_its_last_run() {
        let lint = ("npm run lint", 1, "✖ 2 problems (1 error, 1 warning)");
        let types = ("npx tsc --noEmit 2>&1 | tail -1", 0, "a.ts(1,2): error TS2322: Type 'x'");
        for (message, run, expected) in [
            ("`npm run lint` passes too, apart from a warning that was there before.", lint, Some(Certainty::Certain)),
            ("`tsc --noEmit` exits with 0.", types, Some(Certainty::Certain)),
            ("`npm run lint` runs without any output.", lint, Some(Certainty::Certain)),
            ("`npm run lint` does not pass yet.", lint, None),
            ("Once `npm run lint` passes, you can merge.", lint, None),
            ("`npm run build` passes.", lint, None),
            ("`npm run lint` passed earlier, before the rules changed.", lint, None),
            ("`TestWait` passes with the fix, and failed without it.", ("go test -run TestWait ./...; git checkout a.go", 1, "--- FAIL: TestWait (0.00s)\nFAIL"), None),
        ] {
            assert_eq!(grades(&MisreportedRun, &after_runs(message, &[run])), Vec::from_iter(expected), "{message}");
        }
    }
}
