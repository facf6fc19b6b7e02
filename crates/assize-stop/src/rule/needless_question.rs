//! The final message asks for leave to go on, where it was given already.

use std::sync::LazyLock;

use regex::Regex;
use assize_core::finding::{Certainty, Severity};
use assize_core::text::quote;

use super::nothing_changed::asks_for_change;
use super::{Findings, Needs, Rule};
use crate::claim::{asks_permission, claims_done, names_obstacle, sentences};
use crate::directive::{GO_AHEAD, says_go_ahead};
use crate::evidence::Evidence;
use crate::phrases::Meaning::Order;
use crate::transcript::CommandRun;

/// See the module.
pub struct NeedlessQuestion;

impl Rule for NeedlessQuestion {
    fn id(&self) -> &'static str {
        "needless-question"
    }

    fn needs(&self) -> Needs {
        Needs::Message
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let message = evidence.message();
        if let Some(question) = idle_question(evidence) {
            findings.file(
                Severity::Error,
                Certainty::Certain,
                format!("The final message asks {}, a directive says to go on without asking, and nothing has been changed. Decide, do the work, and say what was decided.", quote(question)),
            );
            return;
        }
        let Some(question) = asks_permission(message) else { return };
        if DANGEROUS.is_match(message) || is_choice(question) {
            return;
        }
        let words = || evidence.directives.iter().map(|directive| directive.text.inspect());
        if words().any(wants_to_be_asked) {
            return;
        }
        let told = words().any(|words| sentences(words).any(says_go_ahead));
        if told {
            let more_of_the_same = CONTINUES.is_match(question);
            let extra = EXTRA.is_match(question);
            let done = claims_done(message).is_some();
            // An offer of something beyond the task keeps nothing waiting.
            if extra && done || !more_of_the_same && !words().any(asks_for_change) {
                return;
            }
            let sure =
                question.contains('?') && names_obstacle(message).is_none() && !extra && (more_of_the_same || !done);
            findings.file(
                Severity::Error,
                if sure { Certainty::Certain } else { Certainty::Likely },
                format!("The final message asks {}, although a directive says to go on without asking. If the step is part of the task and needs no approval, take it; else say what has to be decided.", quote(question)),
            );
        } else if evidence.changed() == Some(false) && words().next_back().is_some_and(asks_for_change) {
            findings.file(
                Severity::Warning,
                Certainty::Likely,
                format!("The final message asks {}, and nothing has been changed yet. If the directive already answers it and no approval is needed, go on with the work; else say what has to be decided.", quote(question)),
            );
        }
    }
}

/// The question with which an agent stopped that was told to decide itself and has changed nothing.
fn idle_question(evidence: &Evidence) -> Option<&str> {
    let facts = evidence.transcript.get()?;
    let message = evidence.message();
    let told = || evidence.directives.iter().any(|directive| sentences(directive.text.inspect()).any(says_go_ahead));
    static WORK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:add|fix|implement|build|create|write|port|make|update|change|replace|remove|refactor|rename|move|migrate|convert|finish|do (?:it|this|that))\b").expect("valid pattern")
    });
    let orders = |text: &str| WORK.is_match(text) || Order.is_in(text);
    let idle = evidence.changed() == Some(false)
        && evidence.directives.iter().any(|directive| orders(directive.text.inspect()))
        && facts.limits.is_empty()
        && !facts.commands_after(facts.last_prompt_step).any(CommandRun::acts_outside)
        && !facts.edits.iter().any(|edit| edit.step > facts.last_prompt_step);
    let wants_to_be_asked = || evidence.directives.iter().any(|directive| wants_to_be_asked(directive.text.inspect()));
    if !idle || claims_done(message).is_some() || names_obstacle(message).is_some() || DANGEROUS.is_match(message) || !told() || wants_to_be_asked() {
        return None;
    }
    let last = sentences(message).collect::<Vec<_>>();
    let asks = |sentence: &&str| sentence.trim_end_matches(['*', '_', ')', ' ']).ends_with(['?', '？']) && !needs_knowledge(sentence);
    last.into_iter().rev().take(3).find(asks)
}

/// Returns whether only the user can know what a question asks for.
fn needs_knowledge(question: &str) -> bool {
    static KNOWLEDGE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:what(?:(?:'|’)s| is| are) (?:the|your)|where (?:is|are|can|do)|who (?:is|are)|what do you mean|could you (?:share|send|provide|paste)|can you (?:share|send|provide|paste))\b").expect("valid pattern")
    });
    KNOWLEDGE.is_match(question)
}

/// Actions that an agent should ask about first, even if a directive says to go ahead.
static DANGEROUS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)\b(?:delet\w*|drop(?:s|ped|ping)?|destroy\w*|wipe\w*|truncate\w*|overwrit\w*|reset\w*|revert\w*|irreversibl\w*|destructive\w*|",
        r"deploy\w*|push\w*|publish\w*|releas\w*|force\w*|prod(?:uction)?|live|pay(?:ments?|ing)?|purchas\w*|bill(?:ing|ed)?|costs?|charge[sd]?|",
        r"credentials?|secrets?|tokens?|passwords?|api[- ]?keys?|merg(?:e|es|ed|ing)|rebas\w*|history|migrat\w*|rm -|sudo|root|send(?:s|ing)?|",
        r"e-?mails?|install\w*|upgrad\w*|downgrad\w*|licen[cs]e\w*|legal|security|breaking|approv\w*|permission\w*|denied|plan mode|user data|customers?)\b",
    ))
    .expect("valid pattern")
});

/// Returns whether the words want the agent to ask; that it is not to ask says the opposite.
fn wants_to_be_asked(words: &str) -> bool {
    sentences(words).any(|sentence| ASK_FIRST.is_match(&GO_AHEAD.replace_all(sentence, " ")))
}

static ASK_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)\b(?:ask (?:me|first|before|if|when|for (?:my|approval|confirmation|permission))|(?:check|confirm|verify|clarify) with me|wait for (?:me|my)|",
        r"(?:stop|pause) (?:and|before|after|when)|let me (?:know|review|see|approve|decide)|before you (?:start|continue|proceed|change|write|implement)|",
        r"step by step|one (?:step|thing) at a time|plan|propos(?:e|al)|options?|suggest\w*|should (?:i|we)|what do you think)\b",
    ))
    .expect("valid pattern")
});

/// Questions that ask to go on with the very task.
static CONTINUES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\b(?:continue|proceed|go ahead|go on|keep going|carry on|move on|start|begin|finish|the (?:rest|others?)|remaining)\b")
        .expect("valid pattern")
});

/// Questions that offer something beyond the task.
static EXTRA: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\b(?:also|as well|additional(?:ly)?|further|extra|more|another|else|too|optional(?:ly)?|next)\b")
        .expect("valid pattern")
});

/// Questions between several things are the user's to answer.
fn is_choice(question: &str) -> bool {
    static CHOICE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:or|which|option|prefer|either|rather|instead|versus|vs)\b").expect("valid pattern")
    });
    CHOICE.is_match(question)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{asked, grades, modified};

    fn check(directive: &str, message: &str) -> Vec<Certainty> {
        grades(&NeedlessQuestion, &asked(directive, message))
    }

    #[test]
    fn asking_where_one_was_told_not_to_is_certain() {
        for (directive, message) in [
            (
                "Port all modules to TypeScript. Don't ask, just do it.",
                "I ported three modules. Should I continue with the rest?",
            ),
            ("Fix every lint warning without asking.", "I fixed half of them. Shall I proceed with the others?"),
            (
                "Implement the importer. No questions please.",
                "Here is how it would work. Would you like me to implement it?",
            ),
            ("Work autonomously on the backlog.", "The first item is in place. Do you want me to continue?"),
            ("Keep going until everything is done.", "Two of five parsers are written. Would you like me to go on?"),
            ("Just do it.", "I can do that. Shall I start?"),
            ("Refactor the scanner, don’t ask me for confirmation.", "Want me to go ahead?"),
            ("Port all modules. Don't ask, just do it.", "Should I use tabs or spaces?"),
            ("Don't wait for me, just decide and build it.", "Should the columns be separated by `;` or by `,`?"),
            ("貸出期間の変更をお願いします。確認の質問はなしで進めてください。", "進める前に確認させてください。月曜へずらしますか?"),
            ("I'm away for the day, finish the whole list.", "I did the first task. Should I proceed?"),
        ] {
            assert_eq!(check(directive, message), [Certainty::Certain], "{directive}");
        }
    }

    #[test]
    fn what_may_be_meant_otherwise_is_likely() {
        let told = "Port all modules. Don't ask, just do it.";
        for message in [
            "The network is down. Should I continue?",
            "I've ported everything. Would you like me to write a changelog?",
            "Let me know if you want me to continue.",
        ] {
            assert_eq!(check(told, message), [Certainty::Likely], "{message}");
        }
        assert_eq!(check("Add a retry to the client.", "I can add a retry. Should I proceed?"), [Certainty::Likely]);
    }

    #[test]
    fn counter_examples() {
        let told = "Port all modules. Don't ask, just do it.";
        for (directive, message) in [
            // A choice, or a thing that only the user knows.
            (told, "What is the name of the bucket?"),
            // Things to ask about.
            (told, "Everything is ported. Shall I delete the old files?"),
            (told, "Done. Would you like me to deploy it to production?"),
            (told, "The work is complete. Should I push the branch?"),
            (told, "The tool was denied. Should I continue?"),
            (told, "This rewrites the git history. Shall I proceed?"),
            // Offers beyond the task.
            (told, "All modules are done. Would you like me to also add benchmarks?"),
            // Directives that want to be asked, or say nothing about asking.
            ("Port all modules without asking, but ask me before touching the API.", "Should I continue?"),
            ("Make a plan for the port. Don't ask questions.", "Here it is. Shall I start?"),
            (
                "The installer should run without asking the user for the path.",
                "The prompt is gone. Should I proceed with the docs?",
            ),
            ("Don't just do it, think first.", "I thought about it. Should I proceed?"),
            ("What would you change here?", "I would rename it. Should I go ahead?"),
            ("Explain the module, no questions please.", "It reads lines. Would you like me to write this down?"),
            // No question at the end.
            (told, "I asked myself: should I continue? I did. All modules are ported. The tests pass."),
            (told, "All modules are ported."),
        ] {
            assert_eq!(check(directive, message), [], "{directive} / {message}");
        }
    }

    #[test]
    fn a_question_after_work_is_no_idle_question() {
        let mut evidence =
            asked("Add a retry to the client.", "I've added it to the reader. Should I continue with the writer?");
        evidence.diff = crate::rule::testing::with_files(vec![modified("src/a.rs", "+x")]).diff;
        assert_eq!(grades(&NeedlessQuestion, &evidence), []);
    }
}
