//! The final message quotes how a run of tests ended, and no run of the session ended so.

use crate::transcript::test_output::tally;
use crate::transcript::{CommandRun, TranscriptFacts};

/// Returns the quoted line, and the last run since the last edit, which came to something else.
pub(super) fn never_printed<'a>(message: &'a str, facts: &'a TranscriptFacts, edited: u64) -> Option<(&'a str, &'a CommandRun)> {
    let (last, _) = facts.last_test_run(edited)?;
    let counted = last.tests?;
    // What a person counts together from several runs is not quoted.
    let runs: Vec<&CommandRun> = facts.test_runs().map(|(run, _)| run).collect();
    if runs.iter().any(|run| run.tests.is_none()) {
        return None;
    }
    let was_printed = |line: &str| facts.commands.iter().any(|run| run.output.inspect().contains(line));
    quoted(message).find_map(|line| {
        let said = tally(line).filter(|said| said.passed > 0)?;
        let differs = (said.passed, said.failed) != (counted.passed, counted.failed);
        let is_of_one = runs.iter().any(|run| run.tests.is_some_and(|own| (own.passed, own.failed) == (said.passed, said.failed)));
        (differs && !is_of_one && !was_printed(line)).then_some((line, last))
    })
}

/// What a message has in marks of code, and the lines that it has in fences.
fn quoted(message: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    let in_fences = message.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        fenced && !is_fence
    });
    let spans = message.lines().filter(|line| !line.contains("```")).flat_map(|line| line.split('`').skip(1).step_by(2));
    in_fences.map(str::trim).chain(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::after_runs;

    #[test]
    fn a_result_that_no_run_came_to_is_found() {
        let red = ("pytest -q", 1, "1 failed, 6 passed in 0.04s");
        let green = ("pytest -q", 0, "6 passed in 0.04s");
        for (message, runs, expected) in [
            ("The whole run: `7 passed in 0.03s`.", &[red][..], Some("7 passed in 0.03s")),
            ("```\n7 passed in 0.03s\n```", &[red], Some("7 passed in 0.03s")),
            ("The whole run: `6 passed in 0.03s`.", &[green], None),
            ("First `1 failed, 6 passed in 0.04s`, then all passed.", &[red, green], None),
            ("It printed `1 failed, 6 passed in 0.1s`.", &[red], None),
            ("7 passed.", &[red], None),
            ("`7 passed in 0.03s`", &[red, ("npm test", 0, "> vitest")], None),
        ] {
            let evidence = after_runs(message, runs);
            let facts = evidence.transcript.get().expect("there is one");
            assert_eq!(never_printed(evidence.message(), facts, 0).map(|(line, _)| line), expected, "{message}");
        }
    }
}
