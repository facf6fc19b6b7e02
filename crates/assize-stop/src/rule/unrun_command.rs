//! The user ordered a command to be run, and it was not.

use std::sync::LazyLock;

use assize_core::finding::{Certainty, Severity};
use assize_core::text::quote;
use assize_ecosystem::is_code;
use regex::Regex;

use super::{Findings, Needs, Rule};
use crate::claim::{names_obstacle, sentences};
use crate::evidence::Evidence;
use crate::names::words;
use crate::transcript::TestResult;

/// See the module.
pub struct UnrunCommand;

/// Words of a command that tell it from others.
const TELLING_WORDS: usize = 4;

impl Rule for UnrunCommand {
    fn id(&self) -> &'static str {
        "unrun-command"
    }

    fn needs(&self) -> Needs {
        Needs::DiffAndTranscript
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let (Some(facts), [directive]) = (evidence.transcript.get(), evidence.directives.as_slice()) else { return };
        let message = evidence.message();
        if facts.interrupted || message.trim().is_empty() || names_obstacle(message).is_some() || evidence.changed() != Some(true) {
            return;
        }
        let complete = facts.limits.is_empty() && facts.delegation_step.is_none();
        // Where tests passed after the last edit, the program may have been called by another one.
        let passed = facts.last_test_run(facts.last_edit(is_code).unwrap_or(0)).is_some_and(|(_, result)| result == TestResult::Passed);
        if let Some(program) = handed_over(directive.text.inspect(), message).filter(|_| !passed)
            && !facts.commands.iter().any(|run| words(run.command.inspect()).any(|word| word == program) && !run.was_refused())
        {
            findings.file(
                Severity::Error,
                if complete { Certainty::Certain } else { Certainty::Likely },
                format!("Directive {} says to get {} green, no command of the session runs it, and the final message leaves that to the user. Run it and repair what it reports, or say why it cannot be run.", directive.id, quote(program)),
            );
            return;
        }
        let has_run = |command: &str| {
            let told: Vec<&str> = words(command).collect();
            facts.commands.iter().any(|run| !run.was_refused() && words(run.command.inspect()).take(told.len()).eq(told.iter().copied()))
        };
        if let Some(command) = left_lines(message).map(str::trim).find(|line| is_ordered_by_name(directive.text.inspect(), line) && !has_run(line))
        {
            findings.file(
                Severity::Error,
                if complete { Certainty::Certain } else { Certainty::Likely },
                format!("Directive {} has {} run, no command of the session does, and the final message leaves that to the user. Run it and report what it shows, or say why it cannot be run.", directive.id, quote(command)),
            );
            return;
        }
        if let Some(command) = asked_back(directive.text.inspect(), message).filter(|command| !has_run(command)) {
            findings.file(
                Severity::Error,
                if complete { Certainty::Certain } else { Certainty::Likely },
                format!("Directive {} asks for what a run shows, and the final message tells the user to run {} and to say what it shows. Run it and report that, or say why it cannot be run.", directive.id, quote(command)),
            );
            return;
        }
        for (command, measures) in ordered(directive.text.inspect()) {
            // Another runner may have started the same.
            const RUNNERS: [&str; 16] = ["python", "python3", "npm", "pnpm", "yarn", "npx", "bun", "node", "uv", "poetry", "pipenv", "run", "exec", "--", "bundle", "./gradlew"];
            let telling = command.split_whitespace().filter(|word| !RUNNERS.contains(word));
            let core: Vec<&str> = telling.take(TELLING_WORDS).map(|word| word.trim_start_matches("./")).collect();
            let has_run = |line: &str| core.iter().all(|word| line.contains(word));
            if facts.commands.iter().any(|run| (has_run(run.command.inspect()) || has_run(run.output.inspect())) && !run.was_refused()) || admits(message) {
                continue;
            }
            findings.file(
                Severity::Error,
                // The same can be run in other ways; a measurement cannot.
                if complete && measures { Certainty::Certain } else { Certainty::Likely },
                format!("Directive {} says to run {}, and no command of the session is it. Run it, or say why it cannot be run.", directive.id, quote(command)),
            );
        }
    }
}

/// The program that the directive orders to be green, and that the message tells the user to run.
fn handed_over<'a>(directive: &'a str, message: &str) -> Option<&'a str> {
    static GREEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:get|make|until|till|so that|have|bring|see|keep) `?([a-z][\w-]{2,20})(?: [a-z./-]+)?`? (?:to )?(?:is |be |are |stay )?(?:all )?(?:green|pass(?:es|ing)?|clean|happy|through|work)\b|",
            r"\b(?:run|execute) `?([a-z][\w-]{2,20})\b[ -~]{0,30}? (?:and|then|until) (?:fix|get|make|it|see|show|tell|report|paste|send|give)\b|\b`?([a-z][\w-]{2,20})`? (?:must|has to|should|needs to) (?:pass|be green|be clean|succeed)\b",
        ))
        .expect("valid pattern")
    });
    const OTHERS: [&str; 16] = ["the", "them", "test", "tests", "all", "everything", "that", "this", "build", "lint", "suite", "pipeline", "code", "sure", "main", "they"];
    let programs = GREEN.captures_iter(directive).filter_map(|found| Some(found.iter().skip(1).flatten().next()?.as_str()));
    let told = |program: &str| {
        let runs = message.split('`').skip(1).step_by(2).filter(|span| words(span).any(|word| word == program) && span.contains(' '));
        runs.into_iter().any(|span| leads_to(message, span)) || left_lines(message).any(|line| words(line).next() == Some(program))
    };
    programs.filter(|program| !OTHERS.contains(program)).find(|program| told(program))
}

/// The command that the message tells the user to run and to say what it shows, where the directive asks to be told that.
fn asked_back<'m>(directive: &str, message: &'m str) -> Option<&'m str> {
    static ASKS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:tell|report|show|give|send) (?:me|us|back)\b[ -~]{0,20}?\b(?:how (?:many|much|long|often)|the (?:number|count|result|output|total|time|rows?)|what (?:it|they|that) (?:prints?|says?|shows?|gives?))|",
            r"\breport (?:how (?:many|much|long)|the (?:number|count|result|output|total|time))",
        ))
        .expect("valid pattern")
    });
    static BACK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:let me know|tell me|send me|give me|report back|paste|share)\b[ -~]{0,20}?\b(?:the|what|how (?:many|much|long)|its|whatever)\b").expect("valid pattern")
    });
    static RUN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:run|execute|call|apply)\b[ -_a-~]{0,20}`([a-z./][\w./-]* [ -_a-~]{2,100})`").expect("valid pattern")
    });
    if !ASKS.is_match(directive) || !sentences(message).any(|sentence| BACK.is_match(sentence)) {
        return None;
    }
    Some(RUN.captures(message)?.get(1)?.as_str())
}

/// Returns whether a directive names a command by its first two words, and not as what others run.
fn is_ordered_by_name(directive: &str, line: &str) -> bool {
    static MAY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:if|unless|can|could|may|might|don'?t|not|never|would|users?|fails?|failing|failed|when|after)\b|\?").expect("valid pattern")
    });
    let mut told = line.split_whitespace();
    let (Some(program), Some(what)) = (told.next(), told.next()) else { return false };
    let is_word = |word: &str| word.len() > 2 && word.chars().all(|it| it.is_ascii_alphanumeric() || "-_:.".contains(it));
    let named = format!("{program} {what}");
    is_word(program) && is_word(what) && sentences(directive).any(|sentence| sentence.contains(&named) && !MAY.is_match(sentence))
}

/// The lines of code under words that leave them to the user.
fn left_lines(message: &str) -> impl Iterator<Item = &str> {
    static LEAVES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:to finish|to (?:see|check|verify|try|apply|test) [ -~]{2,40}|left (?:for you|to do)|next steps?|remaining|still to|then run|please run|you (?:can|could|should|need to|have to|may|only have to)|run this|on your (?:machine|side))\b[ -~]*:$").expect("valid pattern")
    });
    let mut is_left = false;
    message.lines().filter(move |line| {
        let text = line.trim();
        let is_code = line.starts_with("    ") || line.starts_with('\t');
        if !is_code && !text.is_empty() && !text.starts_with("```") {
            // In fences lines of code begin where others do.
            is_left = LEAVES.is_match(text) || is_left && !text.ends_with(['.', ':']);
        }
        is_left && !text.starts_with("```") && !LEAVES.is_match(text)
    })
}

/// Returns whether the line of a message that has this command tells somebody to run it.
fn leads_to(message: &str, span: &str) -> bool {
    static TELLS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)^[ -/:-@]*(?:[0-9]+[.)] *)?(?:then |please |now |just |next,? )*(?:run|execute|try|call|start)\b|\b(?:you (?:can|could|should|need to|have to|may|only)|please|left to|remains to|next step)\b").expect("valid pattern")
    });
    message.lines().filter(|line| line.contains(span)).any(|line| TELLS.is_match(line))
}

/// The commands in marks of code that a text orders to be run, and whether they are to measure something.
fn ordered(text: &str) -> Vec<(&str, bool)> {
    static ORDER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)^[ -/:-@]*(?:please |then |and |finally |afterwards |also )*(?:run|execute|measure (?:it |this )?(?:with|using)|benchmark (?:it )?with|verify (?:it )?with|check (?:it )?with) `([a-z./][\w./-]* [ -_a-~]{2,80})`").expect("valid pattern")
    });
    static MAY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:if|unless|can|could|may|might|optional\w*|don'?t|not|never|would|users?|should be able|to see)\b|\?").expect("valid pattern")
    });
    let orders = sentences(text).filter(|sentence| !MAY.is_match(sentence));
    let command = |sentence| Some((ORDER.captures(sentence)?.get(1)?.as_str(), sentence.to_ascii_lowercase().contains("measure") || sentence.to_ascii_lowercase().contains("benchmark")));
    orders.filter_map(command).collect()
}

/// Returns whether a message says that something was not run.
fn admits(message: &str) -> bool {
    static ADMITS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:not|never|n(?:'|’)t|without|cannot|unable|skipped)\b[ -~]{0,40}\b(?:run|ran|running|measure\w*|execut\w*|verif\w*)\b|\b(?:run|ran|measured?|executed|verified)\b[ -~]{0,20}\b(?:not|never)\b|\buntested\b|\bunverified\b").expect("valid pattern")
    });
    sentences(message).any(|sentence| ADMITS.is_match(sentence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::gathered::EvidencePart;
    use crate::rule::testing::{asked, changed, grades};
    use crate::transcript::{FactsBuilder, ToolCall, ToolResult};

    fn after(prompt: &str, message: &str, commands: &[&str]) -> Vec<Certainty> {
        let mut facts = FactsBuilder::default();
        facts.prompt(prompt);
        for (index, command) in commands.iter().enumerate() {
            let id = index.to_string();
            facts.call(&id, ToolCall::Command { command: (*command).to_owned(), background: false });
            facts.result(&id, &ToolResult { exit_status: Some(0), ..ToolResult::default() });
        }
        let transcript = EvidencePart::Gathered(facts.finish());
        grades(&UnrunCommand, &Evidence { transcript, diff: changed("src/lib.rs", "+x\n").diff, ..asked(prompt, message) })
    }

    #[test]
    fn what_has_to_be_green_is_not_left_to_the_user() {
        let ask = "Port the Makefile to CMake. Build it and get ctest green.";
        let left = "The port is written.\n\n1. run `cmake -B build && ctest --test-dir build`\n";
        assert_eq!(after(ask, left, &["cmake --version"]), [Certainty::Certain]);
        assert_eq!(after(ask, left, &["ctest --test-dir build"]), []);
        assert_eq!(after(ask, "Done. `ctest --test-dir build` is in the README.", &["cmake --version"]), []);
        assert_eq!(after("Port the Makefile to CMake.", left, &["cmake --version"]), []);
        assert_eq!(after(ask, "ctest is not installed here. Please run `ctest --test-dir build`.", &[]), []);
    }

    #[test]
    fn what_a_run_shows_is_not_asked_of_the_user() {
        let ask = "Apply it to dev.db and tell me how many rows got filled.";
        let back = "To bring dev.db up to date, run `python -m backfill dev.db`. Let me know the number.";
        assert_eq!(after(ask, back, &["pytest -q"]), [Certainty::Certain]);
        assert_eq!(after(ask, back, &["python -m backfill dev.db"]), []);
        assert_eq!(after("Write the backfill.", back, &["pytest -q"]), []);
        assert_eq!(after(ask, "17 rows are filled. In production, run `python -m backfill prod.db`.", &[]), []);
    }

    #[test]
    fn a_command_that_the_directive_names_is_not_left_to_the_user() {
        let ask = "Call it WAREHOUSE_TOKEN everywhere, then make mock + make smoke and paste me what smoke prints.";
        let left = "The scripts have the new name.\n\nTo see the smoke test, run:\n\n    make mock\n    make smoke\n";
        assert_eq!(after(ask, left, &["bash -n scripts/sync.sh"]), [Certainty::Certain]);
        assert_eq!(after(ask, left, &["make mock", "make smoke"]), []);
        assert_eq!(after("Rename the token. make smoke fails without docker", left, &["ls"]), []);
    }

    #[test]
    fn an_order_to_run_something_is_kept() {
        let ask = "Speed it up. Measure with `cargo run --release --bin bench` before and after.";
        assert_eq!(after(ask, "From 31 to 2 ns.", &["cargo test"]), [Certainty::Certain]);
        assert_eq!(after(ask, "From 7 to 1 ns.", &["cargo run -q --release --bin bench | tail -3"]), []);
        assert_eq!(after(ask, "I did not run the benchmark.", &["cargo test"]), []);
        for ask in ["Make `npm run lint` pass.", "You can run `make dev` to see it.", "Run `make docs` if it is there.", "Run the tests."] {
            assert_eq!(after(ask, "Done.", &[]), [], "{ask}");
        }
    }
}
