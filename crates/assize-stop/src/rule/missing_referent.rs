//! A directive names something, and the work tree does not have it.

use std::sync::LazyLock;

use regex::Regex;
use assize_core::finding::{Certainty, Severity};
use assize_core::path::file_name;
use assize_core::text::quote;

use super::{Findings, Needs, Rule};
use crate::claim::asks_user;
use crate::directive::{Directive, Referent, ReferentKind};
use crate::evidence::Evidence;

/// See the module.
pub struct MissingReferent;

impl Rule for MissingReferent {
    fn id(&self) -> &'static str {
        "missing-referent"
    }

    fn needs(&self) -> Needs {
        Needs::Message
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let message = evidence.message();
        let settled =
            evidence.directives.iter().any(|directive| directive.may_supersede) || asks_user(message).is_some();
        for sighting in evidence.referents.iter().filter(|sighting| !sighting.present) {
            let referent = &sighting.referent;
            if referent.to_remove || is_example(&referent.name) || made_elsewhere(evidence, referent) {
                continue;
            }
            let directive = evidence.directives.iter().find(|directive| directive.id == referent.directive);
            let to_create = referent.to_create;
            let sure = !settled
                && referent.kind == ReferentKind::File
                && to_create
                && !speaks_of(message, &referent.name)
                && directive.is_some_and(|directive| asks_to_create(directive, referent));
            let (what, remedy) = match to_create {
                true => ("asks for", "Create it, or say under which name it was created or why it was not."),
                false => ("names", "Check what is meant by it, and say so if it does not exist."),
            };
            findings.file(
                if to_create { Severity::Error } else { Severity::Warning },
                if sure { Certainty::Certain } else { Certainty::Likely },
                format!(
                    "Directive {} {what} {}, which the work tree does not have. {remedy}",
                    referent.directive,
                    quote(&referent.name)
                ),
            );
        }
    }
}

/// Returns whether a file of this name was made or changed in another folder, as when the directive
/// means a folder below the root.
fn made_elsewhere(evidence: &Evidence, referent: &Referent) -> bool {
    let file = file_name(&referent.name);
    let changed = evidence.diff.get().map_or(&[][..], |diff| &diff.files).iter().map(|change| change.path.as_str());
    let edited = evidence.transcript.get().map_or(&[][..], |facts| &facts.edits).iter().map(|edit| edit.path.as_str());
    referent.kind == ReferentKind::File && changed.chain(edited).any(|path| file_name(path) == file)
}

/// Returns whether the name stands for others, or for a thing that is no file of a work tree: a
/// pattern, an example path, a product, an address.
fn is_example(name: &str) -> bool {
    static EXAMPLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)[*?<>{}$%]|…|(?:^|/)(?:path|foo|bar|baz|example|your|my|some|xxx?|folder|dir)(?:[-_/.]|$)|(?:^|/)\.\.\.|",
            r"^(?:[\w-]+\.)+(?:com|org|net|io|dev|ai|app|gov|edu|co|uk|de)(?:/|$)|^www\.|",
            r"^(?:node|next|nuxt|vue|react|angular|express|ember|backbone|three|d3|chart|alpine|discord|nest|solid|svelte|socket|p5|moment|day|ethers|web3|tensorflow|brain|",
            r"matter|pixi|phaser|babylon|leaflet|handlebars|mustache|underscore|lodash|require|knockout|meteor|electron|bun|deno|fabric|paper|anime|plotly|highlight|prism|",
            r"marked|pdf|video|reveal|swagger|hono|koa|hapi|fastify|adonis|quasar|astro|gatsby|remix|llama|asp|ml)\.(?:js|ts|py|cpp|c|net|rs)$",
        ))
        .expect("valid pattern")
    });
    EXAMPLE.is_match(name)
}

/// A message that speaks of the name accounts for it, one way or the other.
fn speaks_of(message: &str, name: &str) -> bool {
    message.contains(name) || message.contains(file_name(name)) || message.to_lowercase().contains("instead of")
}

/// Returns whether the directive asks for the file itself, not for something about or inside it: a verb
/// of creation right before the name, nothing that turns it after.
fn asks_to_create(directive: &Directive, referent: &Referent) -> bool {
    static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)(?:^|(?u:[^\w'’]))(create|add|write|introduce|generate|make)\s+(?:(?:me|us|a|an|the|new|empty|small|simple|short|file|files|script|module|component|document|page|",
            r"markdown|python|rust|test|config|called|named|at|in|under|and|[\w./-]*\.\w{1,5},?)\s+)*[`'\x22*_(\[]*$",
        ))
        .expect("valid pattern")
    });
    static TURNS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)^[`'\x22*_)\]]*\s+(?:to|into|as|from|support|support\w*|handling|entry|entries|reference|link|parser|parsing|loader|loading|reader|reading|files?|format|",
            r"import|export|output|input|if|when|unless|like|or|style|syntax|compatib\w*|for (?:me|us)|and (?:then )?(?:delete|remove))\b",
        ))
        .expect("valid pattern")
    });
    static MAYBE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\?|\b(?:should|could|might|maybe|perhaps|if|unless|optional(?:ly)?|when|whenever|example|for instance|e\.g|such as|don(?:'|’)?t|do not|not|never|instead|ignored?|script that|tool that|program that|command that|function that)\b")
            .expect("valid pattern")
    });
    directive.text.inspect().lines().any(|line| {
        line.match_indices(&referent.name).any(|(start, name)| {
            let clause = [". ", "; ", "! ", "? "]
                .iter()
                .filter_map(|end| line[..start].rfind(end))
                .max()
                .map_or(0, |end| end + 2);
            let (before, after) = (&line[clause..start], &line[start + name.len()..]);
            BEFORE.is_match(before)
                && !TURNS.is_match(after)
                && !MAYBE.is_match(before)
                && !MAYBE.is_match(sentence_rest(after))
        })
    })
}

/// Lends what is left of the sentence.
fn sentence_rest(after: &str) -> &str {
    let end = after.find(". ").or_else(|| after.find("! ")).map_or(after.len(), |index| index + 1);
    &after[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::diff::FileChange;
    use crate::directive::referents;
    use crate::evidence::ReferentSighting;
    use crate::rule::testing::{asked, found, grades, with_files};

    /// Evidence in which none of the things that the directive names is present.
    fn lacking(directive: &str, message: &str) -> Evidence {
        let mut evidence = asked(directive, message);
        evidence.referents = referents(&evidence.directives)
            .into_iter()
            .map(|referent| ReferentSighting { referent, present: false })
            .collect();
        assert!(!evidence.referents.is_empty() || directive.contains("nothing named"), "{directive}");
        evidence
    }

    fn check(directive: &str) -> Vec<Certainty> {
        grades(&MissingReferent, &lacking(directive, "Done."))
    }

    #[test]
    fn a_file_that_was_to_be_created_is_certain() {
        for directive in [
            "Create src/net/retry.rs with a backoff.",
            "Please add a new file docs/retry.md",
            "Write a script called `run_all.sh` in the root",
            "Create a Python module at src/tools/report.py that prints the totals.",
            "Generate a config file deploy/settings.yaml.",
            "1. Create `tests/retry_test.rs`.",
            "make a new component src/ui/Button.tsx and style it",
        ] {
            assert_eq!(check(directive), [Certainty::Certain], "{directive}");
        }
    }

    #[test]
    fn names_that_may_be_meant_otherwise_are_likely() {
        for directive in [
            "Add config.json to .gitignore",
            "Write a function that reads settings.toml",
            "Implement a parser for package.json",
            "Add support for tsconfig.json",
            "Create notes.md if it is missing",
            "Fix the crash in src/net/client.rs",
            "Rework `parse_line` in the scanner",
            "Add a test for src/net/client.rs",
            "Create a tool that writes out/report.json",
            "Should we create docs/faq.md",
        ] {
            assert_eq!(check(directive), [Certainty::Likely], "{directive}");
        }
    }

    #[test]
    fn messages_that_account_for_it_and_corrections_make_it_likely() {
        let directive = "Create src/net/retry.rs with a backoff.";
        for message in [
            "I put the backoff into client.rs instead of a new file.",
            "I did not create src/net/retry.rs.",
            "Which backoff do you want?",
        ] {
            assert_eq!(grades(&MissingReferent, &lacking(directive, message)), [Certainty::Likely], "{message}");
        }
        let mut corrected = lacking(directive, "Done.");
        corrected.directives.extend(Directive::from_prompt("No, call it backoff", 2, Vec::new()));
        assert_eq!(grades(&MissingReferent, &corrected), [Certainty::Likely]);
    }

    #[test]
    fn counter_examples() {
        for directive in [
            "Delete src/old.rs",
            "Rename src/old.rs and keep its tests",
            "Create a Node.js server, nothing named",
            "Write it with three.js",
            "Create a file such as path/to/file.rs",
            "Add a link to example.com/docs/guide.html",
            "Create your_module.py like the others",
            "Replace `oldName` by something better",
            "Never create foo/bar.rs",
        ] {
            assert_eq!(check(directive), [], "{directive}");
        }
    }

    #[test]
    fn what_is_present_is_fine_and_each_is_named_once() {
        let mut evidence = lacking("Create src/a.rs and fix src/b.rs", "Done.");
        let findings = found(&MissingReferent, &evidence);
        assert_eq!(findings.len(), 2);
        assert!(
            findings[0].message.contains("d1") && findings[0].message.contains("`src/a.rs`"),
            "{}",
            findings[0].message
        );
        for sighting in &mut evidence.referents {
            sighting.present = true;
        }
        assert_eq!(grades(&MissingReferent, &evidence), []);
        let mut nested = lacking("Create src/a.rs", "Done.");
        nested.diff = with_files(vec![FileChange::added("packages/app/src/a.rs", "fn main() {}")]).diff;
        assert_eq!(grades(&MissingReferent, &nested), []);
    }
}
