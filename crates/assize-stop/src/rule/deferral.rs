//! The final message puts off, or hands back, work that was asked for.

use std::sync::LazyLock;

use regex::Regex;
use assize_core::finding::{Certainty, Severity};
use assize_core::text::{Untrusted, quote};

use super::{Findings, Needs, Rule};
use crate::claim::{asks_user, claims_done, defers_work, leaves_undone, mentions_failure, names_obstacle, sentences};
use crate::directive::{Directive, DirectiveKind};
use crate::evidence::Evidence;

/// See the module.
pub struct Deferral;

impl Rule for Deferral {
    fn id(&self) -> &'static str {
        "deferral"
    }

    fn needs(&self) -> Needs {
        Needs::Message
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let message = evidence.message();
        let undone = leaves_undone(message);
        let Some(sentence) = undone.or_else(|| defers_work(message)) else { return };
        // What is outside of the agent's power, or waits for an answer, is rightly left.
        if names_obstacle(message).is_some() || asks_user(message).is_some() {
            return;
        }
        if evidence.directives.is_empty() || evidence.directives.iter().any(limits_scope) {
            return;
        }
        if is_offer(sentence) && claims_done(message).is_some() || sets_bounds(sentence) {
            return;
        }
        let by_name = undone.is_some_and(|sentence| {
            !gives_reason(sentence) && evidence.directives.iter().any(|directive| asks_for_it(directive, sentence))
        });
        let asked_for = by_name
            || !gives_reason_near(message, sentence)
                && evidence.directives.iter().any(|directive| asks_for_all_put_off(directive, sentence));
        let superseded = evidence.directives.iter().any(|directive| directive.kind == DirectiveKind::Correction);
        let sure = asked_for && !superseded;
        let what = if sure { "was asked for and not done" } else { "puts work off or hands it back" };
        findings.file(
            Severity::Error,
            if sure { Certainty::Certain } else { Certainty::Likely },
            format!("The final message says {}, which {what}. If the directives ask for it and nothing stands in the way, do it; else say what stands in the way or why it is not part of the task.", quote(sentence)),
        );
    }
}

/// Returns whether the directive leaves room for work that is not done now.
fn limits_scope(directive: &Directive) -> bool {
    static LIMIT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:only|for now|not yet|no need|optional(?:ly)?|if (?:possible|time|you can)|later|skip|leave|phase|step|part|stage|milestone|",
            r"start with|starting with|begin with|mvp|prototype|minimal|spike|poc|proof of concept|skeleton|scaffold|stub|draft|first (?:version|pass|cut|step)|",
            r"plan|review|explain|summari[sz]e|list|what|why|how|which|next steps?|follow-?ups?|status|report|remaining)\b|\bjust (?:the|a|an|this|that|one|look|tell|show)\b",
        ))
        .expect("valid pattern")
    });
    sentences(directive.text.inspect()).any(|sentence| LIMIT.is_match(sentence))
}

/// Returns whether the sentence offers more than was asked for.
fn is_offer(sentence: &str) -> bool {
    static OFFER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:can|could|may|might|consider|optional(?:ly)?|if (?:you|needed|desired|wanted)|recommend|suggest|nice to have|would be|worth|ideas?|improvements?|enhancements?)\b")
            .expect("valid pattern")
    });
    OFFER.is_match(sentence)
}

/// Returns whether the sentence says that the thing is no part of the task.
fn sets_bounds(sentence: &str) -> bool {
    static BOUNDS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\byou (?:only |just |did(?:n(?:'|’)t| not) )?(?:asked?|said|wanted|told|mentioned?|requested?)\b|\b(?:not|n(?:'|’)t|no) (?:asked|requested|part of|needed?|required|necessary)\b|",
            r"\b(?:unnecessary|already|unrelated|out of scope$|as (?:requested|asked|instructed|agreed)|on purpose|intentional(?:ly)?|deliberate(?:ly)?|by design)\b",
        ))
        .expect("valid pattern")
    });
    BOUNDS.is_match(sentence)
}

fn gives_reason(sentence: &str) -> bool {
    static REASON: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:because|since|as (?:it|that|they|there|this|the|you|requested|asked|instructed|agreed|per)|due to|already|unnecessary|",
            r"(?:not|n(?:'|’)t|no) (?:need(?:ed)?|necessary|required|part|asked|requested)|out of scope|would|so that|to (?:avoid|keep)|per your|",
            r"you (?:asked|said|told|wanted|can|may)|instead|rather|unrelated|on purpose|intentional(?:ly)?|deliberate(?:ly)?|unless|until|but|while|whether)\b",
        ))
        .expect("valid pattern")
    });
    REASON.is_match(sentence)
}

/// Returns whether everything that the sentence names was named by one clause of the directive, and
/// the directive has the same verb: to keep a thing is not to remove it. Two names at least, so that
/// a chance word does not count.
fn asks_for_it(directive: &Directive, undone: &str) -> bool {
    let (verbs, names): (Vec<String>, Vec<String>) = stems(undone).partition(|stem| VERBS.contains(&stem.as_str()));
    if verbs.is_empty() || names.len() < 2 {
        return false;
    }
    std::iter::once(&directive.text).map(Untrusted::inspect).flat_map(sentences).any(|sentence| {
        let asked: Vec<String> = stems(sentence).collect();
        let clauses = || sentence.split([',', ':']).filter(|clause| !REFUSES.is_match(clause));
        verbs.iter().all(|verb| asked.contains(verb))
            && clauses().any(|clause| {
                let asked: Vec<String> = stems(clause).collect();
                names.iter().all(|name| asked.contains(name))
            })
    })
}

/// Returns whether the sentence puts things off by name, and the directive asks for each of them. Two
/// words at least, so that a chance word does not count.
fn asks_for_all_put_off(directive: &Directive, sentence: &str) -> bool {
    static PUT_OFF: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\bi(?:(?:'|’)ll| will|(?:'|’)m|(?:'|’)ve| have)? (?:leave|leaving|left|defer|deferring|deferred|postponed?|postponing)\s+([ -~]{3,120}?)\s+",
            r"(?:for|to|until) (?:later|(?:a|an|another|the next) (?:follow-?up|later|future|pr|session|change|time)|follow-?ups?)\b",
        ))
        .expect("valid pattern")
    });
    let Some(things) = PUT_OFF.captures(sentence).and_then(|found| found.get(1)) else { return false };
    let things: Vec<Vec<String>> = things
        .as_str()
        .split(',')
        .flat_map(|part| part.split(" and "))
        .map(|thing| stems(thing).collect::<Vec<_>>())
        .filter(|thing| !thing.is_empty())
        .collect();
    if things.iter().map(Vec::len).sum::<usize>() < 2 {
        return false;
    }
    let clauses: Vec<Vec<String>> = sentences(directive.text.inspect())
        .flat_map(|sentence| sentence.split([',', ':']))
        .filter(|clause| !REFUSES.is_match(clause))
        .map(|clause| stems(clause).collect())
        .collect();
    things.iter().all(|thing| clauses.iter().any(|clause| thing.iter().all(|stem| clause.contains(stem))))
}

/// Returns whether the sentence or one beside it gives a reason.
fn gives_reason_near(message: &str, sentence: &str) -> bool {
    let all: Vec<&str> = sentences(message).collect();
    let Some(index) = all.iter().position(|other| *other == sentence) else { return true };
    let near = &all[index.saturating_sub(1)..(index + 2).min(all.len())];
    near.iter().any(|sentence| gives_reason(sentence)) || mentions_failure(message)
}

static REFUSES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\b(?:not|don'?t|without|never|no|except|unless|instead)\b").expect("valid pattern")
});

/// Words that say nothing about what is talked of.
const EMPTY_WORDS: [&str; 36] = [
    "thi", "that", "thes", "thos", "with", "from", "hav", "been", "also", "still", "into", "onto", "than", "then",
    "them", "they", "ther", "her", "yet", "all", "any", "the", "and", "for", "not", "did", "didn", "haven", "hasn",
    "isn", "aren", "was", "are", "has", "now", "out",
];

/// Stems of what can be asked for and left undone.
const VERBS: [&str; 22] = [
    "implement",
    "add",
    "writ",
    "updat",
    "migrat",
    "fix",
    "convert",
    "port",
    "wir",
    "handl",
    "creat",
    "replac",
    "renam",
    "remov",
    "refactor",
    "integrat",
    "document",
    "finish",
    "complet",
    "cover",
    "start",
    "test",
];

/// Walks over the words that carry meaning, without their endings.
fn stems(text: &str) -> impl Iterator<Item = String> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_')
        .filter(|word| word.len() >= 3)
        .map(|word| {
            let word = word.to_lowercase();
            if matches!(word.as_str(), "written" | "wrote") {
                return "writ".to_owned();
            }
            let stem = ["ing", "ed", "es", "e", "s"]
                .iter()
                .find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() >= 3));
            stem.unwrap_or(&word).to_owned()
        })
        .filter(|stem| !EMPTY_WORDS.contains(&stem.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{asked, grades, says};

    fn check(directive: &str, message: &str) -> Vec<Certainty> {
        grades(&Deferral, &asked(directive, message))
    }

    const TASK: &str = "Implement the CSV importer, wire it into the CLI and write the migration guide.";

    #[test]
    fn a_plain_statement_about_what_was_asked_for_is_certain() {
        for (directive, message) in [
            (TASK, "I've implemented the importer. I haven't written the migration guide yet."),
            (TASK, "The importer works. I did not implement the CSV importer."),
            (
                "Add a retry to the client and update the error messages.",
                "I've added the retry. I didn't update the error messages.",
            ),
            (
                "Port the scanner, the parser and the code generator to Rust.",
                "Scanner and parser are ported. The code generator is not ported yet.",
            ),
            (
                "Migrate all call sites. Remove the legacy adapter.",
                "All call sites are migrated. I haven't removed the legacy adapter.",
            ),
            (
                "Convert the settings page and update the settings schema",
                "The page is converted. The settings schema has not been updated.",
            ),
            (
                "Add pagination to GET /projects, update the OpenAPI file and the docs, and add tests.",
                "I've added pagination.\n\nI'll leave the OpenAPI file, the docs and the tests for a follow-up.",
            ),
            (TASK, "I've implemented the importer. I left the migration guide for later."),
        ] {
            assert_eq!(check(directive, message), [Certainty::Certain], "{message}");
        }
    }

    #[test]
    fn putting_off_is_likely() {
        for message in [
            "The importer is in. I'll leave the CLI for later.",
            "As a next step, you can write the migration guide.",
            "The remaining work is the wiring of the CLI.",
            "You will need to implement the CLI command.",
            "Due to time constraints, I only implemented the importer.",
            "The guide can be written in a follow-up.",
            "I haven't written tests for the importer's error paths.",
            "I didn't write the migration guide because it is long.",
            "I haven't removed the CSV importer.",
            "I did not write tests.",
            "I'll leave the migration guide and the benchmarks for a follow-up.",
            "I'll leave the migration guide for a follow-up. It depends on the schema, which would change.",
            "The tests of the guide are broken on main. I'll leave the migration guide for a follow-up.",
        ] {
            assert_eq!(check(TASK, message), [Certainty::Likely], "{message}");
        }
    }

    #[test]
    fn counter_examples() {
        for (directive, message) in [
            // Legitimate reasons.
            (TASK, "I haven't written the migration guide yet: I need access to the old schema."),
            (TASK, "The CLI is not wired up yet, since the sandbox has no network to install clap."),
            (TASK, "I didn't run the deployment: that needs your approval."),
            (TASK, "I haven't written the migration guide. Which format should it have?"),
            // Limited scope.
            ("Implement the importer only.", "Implemented. The CLI is not wired up."),
            ("Start with the importer.", "Done. The remaining work is the CLI."),
            ("Implement step 1 of PLAN.md", "Done. The remaining steps are open."),
            ("Add the importer for now, we do the CLI later", "I've added it. I haven't wired the CLI."),
            ("What is left to do?", "The remaining work is the CLI."),
            // Offers after completion.
            (TASK, "All done. As a next step you could add fuzzing."),
            (TASK, "Everything is implemented. In a follow-up, caching could be added."),
            // Reports.
            (TASK, "I've finished all remaining items."),
            (TASK, "Everything is in place; nothing remains."),
            (TASK, "I did not touch the public API."),
            (TASK, "I didn't add an exporter, since you only asked for an importer."),
            (TASK, "I did not update the changelog: that was not requested."),
            (TASK, "I left the old importer out on purpose for now."),
            (TASK, "You need to restart the server to see the change."),
        ] {
            assert_eq!(check(directive, message), [], "{directive} / {message}");
        }
        assert_eq!(grades(&Deferral, &says("I'll leave the docs for later.")), []);
    }

    #[test]
    fn a_corrected_directive_is_not_certain() {
        let mut evidence = asked(TASK, "I haven't written the migration guide yet.");
        evidence.directives.extend(Directive::from_prompt("No, the guide can wait", 2, Vec::new()));
        assert_eq!(grades(&Deferral, &evidence), [Certainty::Likely]);
        let refused = "Implement the importer, do not write the migration guide.";
        for message in ["I haven't written the migration guide.", "I'll leave the migration guide for a follow-up."] {
            assert_eq!(check(refused, message), [Certainty::Likely], "{message}");
        }
    }
}
