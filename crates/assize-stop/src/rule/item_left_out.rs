//! The user asked for something by name, and nothing of the change answers it.

mod effects;
mod heads;
mod kind_of_file;
mod searched;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use assize_core::diff::{Diff, FileChange};
use assize_core::finding::{Certainty, Severity};
use assize_core::path::file_name;
use assize_core::text::quote;
use assize_ecosystem::{Language, is_code, is_test};
use regex::Regex;

use super::failing_check::is_alone;
use super::nothing_changed::{asks_for_change, orders_elsewise};
use super::reading::{DiffSide, has_word, read};
use super::{Findings, Needs, Rule};
use crate::claim::{asks_user, leaves_undone, names_obstacle, sentences};
use crate::directive::Directive;
use crate::evidence::Evidence;
use crate::names::{NameSource, is_file_of};
use crate::phrases::Meaning::{Order, SaysUnchanged, WantsTests};

/// See the module.
pub struct ItemLeftOut;

/// Words that make an order of what is said of things.
const DEMANDS: [&str; 14] = [
    " must ", " should ", " need to ", " have to ", "go through", " sollen ", " müssen ", " deben ", " tienen que ", " doivent ", " devem ", " devono ", " moeten ", " должны ",
];
/// Fewest things that make a list.
const LIST_MIN: usize = 3;
/// Changed files of a list whose names show that it is one of files.
const STEMS_MIN: usize = 2;

impl Rule for ItemLeftOut {
    fn id(&self) -> &'static str {
        "item-left-out"
    }

    fn needs(&self) -> Needs {
        Needs::DiffAndTranscript
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let (Some(diff), [directive]) = (evidence.diff.get(), evidence.directives.as_slice()) else { return };
        let message = evidence.message();
        let changes_code = diff.files.iter().any(|file| is_code(&file.path) && !is_test(&file.path));
        if message.trim().is_empty() || !changes_code || names_obstacle(message).is_some() || leaves_undone(message).is_some() {
            return;
        }
        let sure = is_alone(evidence) && evidence.transcript.get().is_some_and(|facts| facts.delegation_step.is_none());
        let certainty = if sure { Certainty::Certain } else { Certainty::Likely };
        let mut file = |certainty, what: String| {
            findings.file(
                Severity::Error,
                certainty,
                format!("Directive {} asks for {what}. Do it, or say in the final message why it is not needed.", directive.id),
            );
        };
        if wants_tests(directive) && !touches_tests(diff) && !excuses(message, "test") {
            file(certainty, "tests, and the change has none".to_owned());
        }
        for document in documents(directive) {
            const CHANGELOGS: [&str; 5] = ["changelog", "history", "changes", "news", "release"];
            let is_there = |change: &FileChange| {
                let (name, path) = (file_name(&change.path).to_lowercase(), change.path.to_lowercase());
                name.starts_with(&document)
                    || document == "changelog" && (CHANGELOGS.iter().any(|other| name.starts_with(other)) || ["changeset", "changelog", "newsfragment", "changes/", "news/", "releasenotes"].iter().any(|part| path.contains(part)))
                    || document == "readme" && path.ends_with("docs/index.md")
            };
            // It may lie beside the work tree.
            let is_edited = evidence.transcript.get().is_some_and(|facts| facts.edits.iter().any(|edit| file_name(&edit.path).to_lowercase().starts_with(&document)));
            if !is_edited && !diff.files.iter().any(is_there) && !excuses(message, &document) && asks_user(message).is_none() {
                file(certainty, format!("a change of the {document}, and the change has none"));
            }
        }
        for pair in evidence.names.iter().filter(|sighting| sighting.name.source == NameSource::Paired && !sighting.places.is_empty()) {
            let path = pair.name.text.as_str();
            let stem = path.split('.').next().unwrap_or(path).to_lowercase();
            if !diff.files.iter().any(|file| file_name(&file.path) == path) && !excuses(message, &stem) && asks_user(message).is_none() {
                file(certainty, format!("the same in {} as in another file, and the change does not touch it", quote(path)));
            }
        }
        if let Some(thing) = kind_of_file::missing(directive.text.inspect(), diff)
            && !excuses(message, &thing.to_lowercase())
            && asks_user(message).is_none()
        {
            file(certainty, format!("a {thing}, and the change has no file of that kind"));
        }
        if let Some(facts) = evidence.transcript.get()
            && let Some(place) = searched::left(directive.text.inspect(), message, facts, diff)
        {
            file(certainty, format!("{} to change in all places, a search of this session listed {}, and the change does not touch it", quote(place.word), quote(place.path)));
        }
        if let Some(effect) = effects::unanswered(directive.text.inspect(), diff)
            && asks_user(message).is_none()
            && !SaysUnchanged.is_in(message)
        {
            file(certainty, format!("{effect}, and no line of the change has a word of that"));
        }
        if let Some(missing) = heads::left_out(directive.text.inspect(), diff)
            && !excuses(message, &missing.to_lowercase())
            && asks_user(message).is_none()
        {
            file(certainty, format!("{} in a list, and the change has all of the list but that", quote(missing)));
        }
        for (list, missing) in lists(directive, diff).iter().filter_map(|list| Some((list, left_out(list, diff)?))) {
            // Files of these names leave no doubt what was meant.
            let is_said = has_word(message, missing) || list.iter().filter(|item| is_stem(item, diff)).count() >= STEMS_MIN;
            if is_said && !excuses(message, &missing.to_lowercase()) {
                let others = list.iter().filter(|item| **item != missing).map(|item| quote(item)).collect::<Vec<_>>().join(", ");
                file(certainty, format!("{others} and {}, and the change has all but the last", quote(missing)));
            }
        }
    }
}

/// Returns whether a sentence of the message that names the thing says that it stayed as it was, or is there.
fn excuses(message: &str, thing: &str) -> bool {
    static EXCUSE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:no|not|nothing|none|never|already|exist(?:s|ing)?|unchanged|untouched|unaffected|skipp?\w*|left|later|needs? no|cannot|",
            r"except|covered?|same|through|via|inherit\w*|extends?|derives?|takes? (?:it|both|them|all) from|delegates?)\b|n(?:'|’)t\b",
        ))
        .expect("valid pattern")
    });
    sentences(message).any(|sentence| {
        sentence.to_lowercase().contains(thing) && (EXCUSE.is_match(sentence) || SaysUnchanged.is_in(sentence))
    })
}

/// Returns whether a directive orders tests.
fn wants_tests(directive: &Directive) -> bool {
    static WANTS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:add|write|include|create)\b (?:\w+ ){0,3}?(?:unit |regression |integration |e2e )?tests?\b(?: (?:for|to|please|too|as well|that|which|covering)\b|[.,;!)]|$)|",
            r"\b(?:each |everything )?with (?:unit |regression |some |a few |new )?tests?(?:[.,;!)]|$| (?:please|too))|\btests?,? (?:please|too|as well)\b|^[ -/:-@]*(?:please |and |also )*tests?[.!]?$",
        ))
        .expect("valid pattern")
    });
    static UNLESS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:no|not|don'?t|without|if|unless|when|later|maybe|could|optional\w*|manual\w*|smoke|run|a/b|load)\b|\?").expect("valid pattern")
    });
    let words = directive.text.inspect();
    if !words.to_lowercase().contains("test") && !WantsTests.is_in(words) {
        return false;
    }
    sentences(words).any(|sentence| {
        (WANTS.is_match(sentence) || WantsTests.is_in(sentence)) && !UNLESS.is_match(sentence)
    })
}

/// Returns whether a change has lines of tests.
fn touches_tests(diff: &Diff) -> bool {
    let in_tests = |file: &FileChange| {
        ["test", "spec", "feature", ".robot", "cases", "e2e"].iter().any(|word| file.path.to_lowercase().contains(word))
            || is_test(&file.path)
            || file.added_lines().any(|(_, line)| line.contains("test") || line.contains("Test") || line.contains(">>>"))
            || read(file, DiffSide::New).iter().flatten().any(|line| line.changed && line.in_test)
    };
    diff.files.iter().any(in_tests)
}

/// The documents that a directive orders to be changed.
fn documents(directive: &Directive) -> BTreeSet<String> {
    static WANTS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:add|update|document|describe|mention|extend|write|note|adjust|put)\b[ -~]{0,60}\b(readme|changelog)\b|\b(readme|changelog)\b,? (?:entry|section|as well|too|also|please)\b|",
            r"^[ -/:-@]*(?:\d+[.)] )?(?:and |also |plus )?(?:the )?(readme|changelog)(?: entry)?[.!]?$|^[ -/:-@]*(?:\d+[.)] )?(readme|changelog)(?:\.md)?: [ -~]",
        ))
        .expect("valid pattern")
    });
    static AS_SOURCE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:see|read|per|following|follow|according|as (?:in|described)|like|from|check|look|if|unless|not|don'?t|without|no|when|generated?)\b|\?").expect("valid pattern")
    });
    let mut found = BTreeSet::new();
    let words = directive.text.inspect().to_lowercase();
    if !words.contains("readme") && !words.contains("changelog") {
        return found;
    }
    for sentence in sentences(directive.text.inspect()).filter(|sentence| !AS_SOURCE.is_match(sentence)) {
        if let Some(document) = WANTS.captures(sentence).and_then(|found| found.iter().skip(1).flatten().next()) {
            found.insert(document.as_str().to_lowercase());
        } else if Order.is_in(sentence) && orders_elsewise(sentence) {
            let lower = sentence.to_lowercase();
            found.extend(["readme", "changelog"].into_iter().filter(|name| lower.contains(name)).map(str::to_owned));
        }
    }
    found
}

/// The lists of names of code, paths or routes in a directive.
fn lists<'d>(directive: &'d Directive, diff: &Diff) -> Vec<Vec<&'d str>> {
    static LIST: LazyLock<Regex> = LazyLock::new(|| {
        let item = r"`?[A-Za-z_/.][\w./:-]*[A-Za-z0-9_](?:\(\))?`?";
        Regex::new(&format!(r"(?-u){item}(?:, {item})+(?:,? (?:and|und|y|et|e|i|en|or) {item})?")).expect("valid pattern")
    });
    static ITEM: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?-u)[A-Za-z_/.][\w./:-]*[A-Za-z0-9_]").expect("valid pattern"));
    const WORDS: [&str; 9] = ["and", "und", "y", "et", "e", "i", "en", "or", "e.g"];
    let text = directive.text.inspect();
    if text.matches(", ").count() == 0 {
        return Vec::new();
    }
    let all_of = |list: regex::Match<'_>| -> Vec<&'d str> {
        ITEM.find_iter(&text[list.range()]).map(|item| item.as_str()).filter(|item| !WORDS.contains(item)).collect()
    };
    // Words of a language are no names: at least one sign of code in each of them.
    let is_name = |item: &&str| {
        item.contains(['_', '/', '.']) || item.chars().skip(1).any(|letter| letter.is_ascii_uppercase()) || text.contains(&format!("{item}()"))
    };
    let ordered = |list: &regex::Match<'_>| {
        let line = text[..list.start()].rfind('\n').map_or(0, |at| at + 1);
        let end = text[list.end()..].find('\n').map_or(text.len(), |at| list.end() + at);
        let sentence = &text[line..end];
        !sentence.ends_with('?') && (asks_for_change(sentence) || orders_elsewise(sentence) || DEMANDS.iter().any(|words| sentence.contains(words)))
    };
    let mut found: Vec<Vec<&str>> = LIST.find_iter(text).filter(ordered).map(all_of).collect();
    let are_stems = |list: &[&str]| list.iter().filter(|item| is_stem(item, diff)).count() >= STEMS_MIN;
    found.retain(|list| list.len() >= LIST_MIN && (list.iter().all(is_name) || are_stems(list)));
    found
}

/// Returns whether a changed file of code is called so, but for its ending.
fn is_stem(item: &str, diff: &Diff) -> bool {
    let is_called = |path: &str| file_name(path).split_once('.').is_some_and(|(stem, _)| stem == item);
    diff.files.iter().any(|file| is_code(&file.path) && is_called(&file.path))
}

/// The one thing of a list that the change has nothing of, where it has all others: as a changed file, or in its added lines.
fn left_out<'a>(list: &[&'a str], diff: &Diff) -> Option<&'a str> {
    let is_file = |item: &str| diff.files.iter().any(|file| is_file_of(&file.path, item)) || is_stem(item, diff);
    let is_added = |item: &str| diff.files.iter().flat_map(FileChange::added_lines).any(|(_, line)| line.contains(member(item)));
    let is_context = |item: &str| diff.files.iter().flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.lines).any(|line| line.text.inspect().contains(member(item)));
    for is_there in [&is_file as &dyn Fn(&str) -> bool, &is_added, &is_context] {
        let missing: Vec<&&str> = list.iter().filter(|item| !is_there(item)).collect();
        // A word of prose before the names is none of them.
        let begins_alike = |item: &str| {
            let is_upper = |word: &str| word.starts_with(|first: char| first.is_ascii_uppercase());
            list.iter().any(|other| *other != item && is_upper(other) == is_upper(item))
        };
        if let [missing] = missing.as_slice()
            && begins_alike(missing)
            && !is_context(missing)
            && !is_file(missing)
        {
            return Some(missing);
        }
    }
    None
}

/// What stands in code of a thing that is named with its owner: `get` of `Source.get`.
fn member(item: &str) -> &str {
    if item.contains('/') || Language::of(item).is_some() {
        return item;
    }
    item.rsplit(['.', ':']).next().filter(|last| last.len() > 2).unwrap_or(item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{asked, grades, modified, with_files};

    fn check(directive: &str, message: &str, files: Vec<FileChange>) -> Vec<Certainty> {
        grades(&ItemLeftOut, &Evidence { diff: with_files(files).diff, ..asked(directive, message) })
    }

    #[test]
    fn tests_and_documents_that_were_ordered_are_missed() {
        let code = || vec![modified("src/slug.ts", "+return title;\n")];
        for directive in [
            "Transliterate the umlauts, and add tests for slug.ts.",
            "Add a retry with tests.",
            "Add a retry. Tests please.",
            "直してください。テストも足してください。",
        ] {
            assert_eq!(check(directive, "Done.", code()), [Certainty::Certain], "{directive}");
        }
        for directive in ["1. add --json\n2. README: the new option into the table", "Add the option. README as well.", "Add the option and update the README.", "Добавь опцию. В README добавь раздел."] {
            assert_eq!(check(directive, "Done.", code()), [Certainty::Certain], "{directive}");
        }
        for (directive, message) in [
            ("Add a retry. Make sure the tests pass.", "Done."),
            ("Add a retry, with tests if it is easy.", "Done."),
            ("Add a retry with tests.", "The existing tests cover it already."),
            ("Add a retry as described in the README.", "Done."),
        ] {
            assert_eq!(check(directive, message, code()), [], "{directive}");
        }
        let tested = vec![modified("src/slug.ts", "+x\n"), modified("src/slug.test.ts", "+x\n")];
        assert_eq!(check("Fix it and add tests.", "Done.", tested), []);
    }

    #[test]
    fn the_line_of_a_list_that_was_forgotten_is_named() {
        let ask = "The protocol only knows SET. Add\n\n  DEL key     OK or NIL\n  HAS key     YES or NO\n  RENAME key to  OK or NIL\n\nmake test must pass";
        let code = |lines: &str| vec![modified("proto.c", lines)];
        let two = "+if (strcmp(cmd, \"DEL\") == 0)\n+else if (strcmp(cmd, \"HAS\") == 0)\n";
        assert_eq!(check(ask, "The protocol knows the commands now.", code(two)), [Certainty::Certain]);
        assert_eq!(check(ask, "`RENAME` is left out.", code(two)), []);
        assert_eq!(check(ask, "The protocol knows the commands now.", code(&format!("{two}+db_rename(db)\n"))), []);
        assert_eq!(check(ask, "The protocol knows the commands now.", code("+DEL\n")), []);
    }

    #[test]
    fn the_one_of_a_list_that_was_forgotten_is_named() {
        let ask = "/reports/sales, /reports/refunds, /reports/stock and /reports/audit must require the scope.";
        let done = "`/reports/sales` and `/reports/audit` require the scope.";
        let routes = |lines: &str| vec![modified("src/routes.php", lines)];
        let three = "+'/reports/sales', '/reports/refunds', '/reports/stock'\n";
        assert_eq!(check(ask, done, routes(three)), [Certainty::Certain]);
        assert_eq!(check(ask, "`/reports/audit` needs nothing: it has it.", routes(three)), []);
        assert_eq!(check(ask, done, routes(&format!("{three} '/reports/audit'\n"))), []);
        assert_eq!(check(ask, done, routes("+'/reports/sales'\n")), []);
        let (issn, ismn) = (modified("src/Issn.java", "+x\n"), modified("src/Ismn.java", "+x\n"));
        assert_eq!(check("Please add two more classes, Issn and Ismn, like Isbn13.", "Added both classes.", vec![issn, ismn]), []);
        let ask = "Die Handler (orders, customers, invoices) sollen nach 3 Sekunden abbrechen.";
        let file = |name: &str| modified(name, "+ctx, cancel := context.WithTimeout(r.Context(), queryTimeout)\n");
        let both = || vec![file("web/orders.go"), file("web/customers.go")];
        assert_eq!(check(ask, "Die Handler brechen jetzt nach 3 Sekunden ab.", both()), [Certainty::Certain]);
        assert_eq!(check(ask, "`invoices` brauchte nichts, bleibt unverändert.", both()), []);
        assert_eq!(check(ask, "Die Handler brechen jetzt ab.", vec![file("web/orders.go")]), []);
    }
}
