//! The agent stops while its own list has open items.

use std::sync::LazyLock;

use regex::Regex;
use assize_core::finding::{Certainty, Severity};
use assize_core::text::{Untrusted, quote};

use super::{Findings, Needs, Rule};
use crate::claim::{asks_user, claims_remaining_work, names_obstacle, sentences};
use crate::directive::Directive;
use crate::evidence::Evidence;
use crate::transcript::TranscriptFacts;

/// Items of the list that a finding names.
pub const ITEMS_NAMED_MAX: usize = 5;

/// See the module.
pub struct TodoListOpen;

impl Rule for TodoListOpen {
    fn id(&self) -> &'static str {
        "todo-list-open"
    }

    fn needs(&self) -> Needs {
        Needs::Transcript
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(facts) = evidence.transcript.get() else { return };
        let mut open: Vec<String> =
            facts.open_todos().filter(|item| !item.text.is_empty()).map(|item| quote(item.text.inspect())).collect();
        let goes_on = announces(evidence.message());
        if open.is_empty() || facts.interrupted || is_stale(facts) || !goes_on && speaks_openly(evidence.message()) {
            return;
        }
        let more = if open.len() > ITEMS_NAMED_MAX { " and more" } else { "" };
        open.truncate(ITEMS_NAMED_MAX);
        // Parts of a transcript that were left out may have closed items.
        // Work that came after the list was touched may be what its items were.
        let worked_on = facts.edits.iter().any(|edit| edit.step > facts.todos_step);
        // A turn that changed nothing answered something.
        let works = facts.edits.iter().any(|edit| edit.step > facts.last_prompt_step);
        let awaits = facts.open_todos().any(|item| AWAITS.is_match(item.text.inspect()));
        let sure = !awaits && facts.limits.is_empty() && !evidence.directives.iter().any(lets_stop) && (goes_on || works && !worked_on);
        findings.file(
            Severity::Error,
            if sure { Certainty::Certain } else { Certainty::Likely },
            format!("The agent's own list has open items: {}{more}. Finish them, close those that are done or no longer wanted, or say in the final message which remain and why.", open.join(", ")),
        );
    }
}

/// An item that is the user's to do.
static AWAITS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)^(?:the )?(?:user|customer|you|human|maintainer)s? \w+|^(?:wait|await|ask|get|obtain|request|seek)\w*\b[ -~]{0,30}\b(?:approval|feedback|sign-?off|confirmation|answer|reply|review|user|go-?ahead)\b").expect("valid pattern")
});

/// Returns whether the message ends with the announcement that the work continues: it does not, once the agent stops.
fn announces(message: &str) -> bool {
    static ANNOUNCES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:moving on to|continuing with|proceeding (?:to|with)|on to (?:step|part|item|task)|i(?:'|’)m (?:now )?(?:adding|implementing|moving on|continuing|working on)|i(?:(?:'|’)ll| will) now)\b").expect("valid pattern")
    });
    let mut end = sentences(message).collect::<Vec<_>>().into_iter().rev().take(3);
    asks_user(message).is_none() && names_obstacle(message).is_none() && end.any(|sentence| ANNOUNCES.is_match(sentence))
}

fn speaks_openly(message: &str) -> bool {
    claims_remaining_work(message).is_some() || asks_user(message).is_some() || names_obstacle(message).is_some()
}

/// Returns whether the list did not change since the last prompt: it may belong to work that the user no longer wants.
fn is_stale(facts: &TranscriptFacts) -> bool {
    facts.todos_step < facts.last_prompt_step
}

/// Returns whether a directive may have ended the work on the list: by a limit of its own, or by
/// taking an earlier one back.
fn lets_stop(directive: &Directive) -> bool {
    static STOP: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:stop|pause|wait)\b|\b(?:only|just) (?:do )?(?:the )?(?:first|one|step|phase|part|item|task)\b|\b(?:first|one) (?:item|step|task|phase|part)s? (?:only|at a time)\b|",
            r"\b(?:step|phase|part|item|task) (?:\d+|one) (?:only|for now|first)\b|\bstart with\b|\bfor now\b|\bbefore (?:you )?(?:continu|proceed|mov|go)\w*|",
            r"\b(?:keep|maintain|make|write|start|collect)\s(?:me |a |an |your |the |running |short )*(?:to-?do|task)[- ]?lists?\b(?:\s+(?:of|with|for)\b|[ -/:-@]*$)|\b(?:to-?do|task)[- ]?list of\b|",
            r"\b(?:check|confirm) (?:in )?with me\b|\b(?:don'?t|do not) (?:continue|proceed|go on|start)\b|\bplan(?:ning)?\b",
        ))
        .expect("valid pattern")
    });
    directive.may_supersede
        || std::iter::once(&directive.text)
            .map(Untrusted::inspect)
            .flat_map(sentences)
            .any(|words| STOP.is_match(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::gathered::EvidencePart;
    use crate::rule::testing::{asked, found, grades};
    use crate::transcript::{FactsBuilder, TodoItem, TodoState, ToolCall, ToolResult};

    fn list(items: &[(&str, TodoState)]) -> ToolCall {
        let item =
            |(text, state): &(&str, TodoState)| TodoItem { id: None, text: Untrusted::new(*text), state: *state };
        ToolCall::Todos(items.iter().map(item).collect())
    }

    fn with(directive: &str, message: &str, items: &[(&str, TodoState)]) -> Evidence {
        let mut facts = FactsBuilder::default();
        facts.prompt("Go on");
        facts.call("0", ToolCall::Edit { paths: vec!["src/parser.rs".into()] });
        facts.result("0", &ToolResult::default());
        facts.call("1", list(items));
        Evidence { transcript: EvidencePart::Gathered(facts.finish()), ..asked(directive, message) }
    }

    const OPEN: [(&str, TodoState); 3] = [
        ("Write the parser", TodoState::Closed),
        ("Write the tests", TodoState::InProgress),
        ("Update the docs", TodoState::Pending),
    ];

    #[test]
    fn open_items_are_certain() {
        for (directive, message) in [
            ("Implement the parser with tests and docs", "I've implemented the parser."),
            ("Implement the parser with tests and docs", "Everything is done."),
            ("Implement the parser with tests and docs", ""),
            ("Fix all five findings of the review", "Fixed. No open to-dos."),
            ("Port the module to Rust", "The port is complete and all tests pass."),
            ("Port the module to Rust", "Done! There is nothing left to do."),
            ("Make the to-do list sortable, with tests and docs", "The list is sortable."),
        ] {
            assert_eq!(grades(&TodoListOpen, &with(directive, message, &OPEN)), [Certainty::Certain], "{message}");
        }
    }

    #[test]
    fn the_open_items_are_named_up_to_a_limit() {
        let message = |count: usize| {
            let names: Vec<String> = (0..count).map(|number| format!("item {number}")).collect();
            let items: Vec<_> = names.iter().map(|name| (name.as_str(), TodoState::Pending)).collect();
            found(&TodoListOpen, &with("Do it all", "Done.", &items)).remove(0).message
        };
        assert!(message(ITEMS_NAMED_MAX).contains("`item 4`. Finish"), "{}", message(ITEMS_NAMED_MAX));
        let over = message(ITEMS_NAMED_MAX + 1);
        assert!(over.contains("`item 4` and more. Finish") && !over.contains("item 5"), "{over}");
    }

    #[test]
    fn directives_that_account_for_them_make_it_likely() {
        for (directive, message) in [
            ("Implement the parser, then stop", "The parser is in place."),
            ("Do one step at a time", "Step one is in place."),
            ("Start with the parser", "The parser is in place."),
            ("explore how to cache the page, keep a todo list of ideas", "Three ideas are on the list."),
            ("Go over the parser and make a task list.", "It's on the list."),
            ("Check with me before you continue with the docs", "The parser is in place."),
        ] {
            assert_eq!(
                grades(&TodoListOpen, &with(directive, message, &OPEN)),
                [Certainty::Likely],
                "{directive} / {message}"
            );
        }
    }

    #[test]
    fn an_item_of_the_user_makes_it_likely() {
        let items = [("Write the spec", TodoState::Closed), ("User reviews the spec", TodoState::Pending)];
        assert_eq!(grades(&TodoListOpen, &with("Design the parser", "The spec is written.", &items)), [Certainty::Likely]);
    }

    #[test]
    fn a_turn_that_changes_nothing_is_likely() {
        let mut facts = FactsBuilder::default();
        facts.prompt("How would you measure it?");
        facts.call("1", list(&OPEN));
        let evidence = Evidence {
            transcript: EvidencePart::Gathered(facts.finish()),
            ..asked("How would you measure it?", "With two runs, one of each.")
        };
        assert_eq!(grades(&TodoListOpen, &evidence), [Certainty::Likely]);
    }

    #[test]
    fn a_list_from_before_the_last_prompt_says_nothing() {
        let mut facts = FactsBuilder::default();
        facts.prompt("Go on");
        facts.call("1", list(&OPEN));
        facts.prompt("Go on");
        let evidence = Evidence {
            transcript: EvidencePart::Gathered(facts.finish()),
            ..asked("What is the name of the flag?", "It is `--dry-run`.")
        };
        assert_eq!(grades(&TodoListOpen, &evidence), []);
        let mut corrected = with("Implement the parser", "The parser is in place.", &OPEN);
        corrected.directives.extend(Directive::from_prompt("No, forget the docs", 2, Vec::new()));
        assert_eq!(grades(&TodoListOpen, &corrected), [Certainty::Likely]);
    }

    #[test]
    fn counter_examples() {
        let closed = [("Write the parser", TodoState::Closed), ("Write the tests", TodoState::Closed)];
        for (directive, message, items) in [
            ("Implement the parser", "Done.", &closed[..]),
            ("Implement the parser", "Done.", &[]),
            ("Implement the parser", "The docs remain.", &closed),
            ("Implement the parser", "", &[]),
            ("Stop after the parser", "Done.", &closed),
            ("Implement the parser", "Should I continue?", &closed),
            ("Implement the parser", "Done.", &[("", TodoState::Pending)]),
            ("Implement the parser", "The docs are not done yet.", &OPEN),
            ("Implement the parser", "Two items remain on the list.", &OPEN),
            ("Implement the parser", "Which format should the docs have?", &OPEN),
            ("Implement the parser", "The docs need access to the wiki.", &OPEN),
        ] {
            assert_eq!(grades(&TodoListOpen, &with(directive, message, items)), [], "{message}");
        }
        let mut facts = FactsBuilder::default();
        facts.call("1", list(&OPEN));
        facts.interrupted();
        let evidence = Evidence { transcript: EvidencePart::Gathered(facts.finish()), ..asked("Implement the parser", "") };
        assert_eq!(grades(&TodoListOpen, &evidence), []);
    }
}
