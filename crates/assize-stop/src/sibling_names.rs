//! Names that a prompt asks for side by side, of which the change brought one and not the other.
//!
//! This module knows no rule, and searches nothing.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use assize_core::diff::FileChange;
use assize_ecosystem::{is_code, is_generated, is_setting, is_test};
use regex::Regex;

use crate::claim::sentences;
use crate::evidence::Evidence;
use crate::names::{Name, NameKind, NameSource, words};

/// How a name of code is written: names of one kind are written alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameSpelling {
    Option,
    Call,
    Snake,
    Constant,
    Camel,
    Pascal,
}

/// The names that stand in one part of a prompt beside one of their shape that the change brought, and that it does not have.
pub(crate) fn siblings(evidence: &Evidence) -> Vec<Name> {
    let [directive] = evidence.directives.as_slice() else { return Vec::new() };
    let Some(diff) = evidence.diff.get() else { return Vec::new() };
    let own = || diff.files.iter().filter(|file| is_code(&file.path) && !is_generated(&file.path));
    if own().any(|file| file.lines_cut > 0) {
        return Vec::new();
    }
    let told =
        |lines: Vec<&str>| -> BTreeSet<String> { lines.into_iter().flat_map(words).map(str::to_owned).collect() };
    let productive = || own().filter(|file| !is_test(&file.path) && !is_setting(&file.path));
    let came = told(productive().flat_map(FileChange::added_lines).map(|(_, line)| line).collect());
    let touched = told(
        diff.files
            .iter()
            .flat_map(|file| file.removed_lines().chain(file.added_lines()))
            .map(|(_, line)| line)
            .collect(),
    );
    let went = told(own().flat_map(FileChange::removed_lines).map(|(_, line)| line).collect());
    let mut names = BTreeSet::new();
    for part in parts(directive.text.inspect()) {
        let found = shaped(part);
        for (shape, name) in
            found.iter().filter(|(_, name)| !touched.contains(bare(name)) && !is_option_of(name, &touched))
        {
            let is_new = |other: &str| {
                let has = |set: &BTreeSet<String>| set.contains(bare(other)) || is_option_of(other, set);
                has(&came) && !has(&went)
            };
            if found.iter().any(|(kind, other)| kind == shape && other != name && is_new(other)) {
                names.insert(Name { source: NameSource::Sibling, kind: NameKind::Word, text: bare(name).to_owned() });
            }
        }
    }
    names.into_iter().collect()
}

/// The parts of a prompt in which names that belong together stand: sentences that ask for something, and lists of code.
fn parts(prompt: &str) -> impl Iterator<Item = &str> {
    static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\?|\b(?:or|oder|ou|not|no|never|without|instead|rather|than|like|unlike|remove|drop|delete|rename|renamed|replaces?|old|legacy|",
            r"fails?|failing|e\.g|nicht|kein\w*|wie|statt|pas|sans|comme|sin|como)\b|n(?:'|’)t\b",
        ))
        .expect("valid pattern")
    });
    let is_code = |part: &&str| part.lines().all(|line| line.starts_with([' ', '\t', '-', '*']));
    let lists = prompt.split("\n\n").filter(is_code);
    lists.chain(sentences(prompt)).filter(|part| !OTHERS.is_match(part))
}

/// The names of code in a text, each with how it is written. Those of another module, behind a point, are not the project's.
fn shaped(text: &str) -> BTreeSet<(NameSpelling, &str)> {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?-u)(?:^|(?u:[^A-Za-z0-9_.:/$@-]))(?:(?<option>--[a-z][\w-]{2,})|(?<call>[A-Za-z_]\w{3,50})\(|",
            r"(?<snake>[a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b|(?<constant>[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)\b|",
            r"(?<camel>[a-z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)\b|(?<pascal>(?:[A-Z][a-z0-9]+){2,})\b)",
        ))
        .expect("valid pattern")
    });
    const SHAPES: [(&str, NameSpelling); 6] = [
        ("option", NameSpelling::Option),
        ("call", NameSpelling::Call),
        ("snake", NameSpelling::Snake),
        ("constant", NameSpelling::Constant),
        ("camel", NameSpelling::Camel),
        ("pascal", NameSpelling::Pascal),
    ];
    let found = |captures: regex::Captures<'_>| {
        SHAPES.iter().find_map(|(group, shape)| {
            let name = captures.name(group)?;
            // A file, or a module that something is taken from.
            let rest = &text[name.end()..];
            let is_file = rest.starts_with('.') && rest[1..].starts_with(|next: char| next.is_alphanumeric());
            (!is_file && !rest.starts_with(['/', ':'])).then_some((*shape, name.range()))
        })
    };
    NAME.captures_iter(text).filter_map(found).map(|(shape, range)| (shape, &text[range])).collect()
}

/// A name without the dashes of an option.
fn bare(name: &str) -> &str {
    name.trim_start_matches("--")
}

/// Returns whether an option stands in code as the name of a field, of which a library makes the option.
fn is_option_of(name: &str, words: &BTreeSet<String>) -> bool {
    let Some(option) = name.strip_prefix("--") else { return false };
    let option = option.strip_prefix("no-").unwrap_or(option);
    let joined = option.replace('-', "").to_lowercase();
    let parts: Vec<&str> = option.split('-').filter(|part| part.len() > 2).collect();
    words.contains(&option.replace('-', "_"))
        || words.iter().any(|word| word.replace('_', "").to_lowercase() == joined)
        || parts.iter().all(|part| words.contains(*part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{asked, changed};

    fn found(prompt: &str, path: &str, lines: &str) -> Vec<String> {
        let evidence = Evidence { diff: changed(path, lines).diff, ..asked(prompt, "Done.") };
        siblings(&evidence).into_iter().map(|name| name.text).collect()
    }

    #[test]
    fn of_names_that_are_asked_for_together_the_rest_is_looked_up() {
        let two = "Publish both: ingest_dropped_total (a counter) and ingest_queue_depth (how many wait).";
        assert_eq!(
            found(two, "queue.go", "+var dropped = expvar.NewInt(\"ingest_dropped_total\")\n"),
            ["ingest_queue_depth"]
        );
        let shown = "Put the rules into VoucherPolicy with\n\n  allows(Voucher, Cart): bool\n  reasons(Voucher, Cart): array\n\nand a test.";
        assert_eq!(
            found(shown, "src/VoucherPolicy.php", "+    public function allows(Voucher $v, Cart $c): bool\n"),
            ["reasons"]
        );
        let options = "The export gets --since DAY and --until DAY.";
        assert_eq!(found(options, "cli.py", "+    parser.add_argument('--since')\n"), ["until"]);
    }

    #[test]
    fn a_name_that_stands_alone_or_is_no_wish_is_not() {
        let line = "+var dropped = expvar.NewInt(\"ingest_dropped_total\")\n";
        for (prompt, path, lines) in [
            ("Publish ingest_dropped_total.", "queue.go", line),
            ("Publish ingest_dropped_total or ingest_queue_depth.", "queue.go", line),
            ("Publish ingest_dropped_total, as QUEUE_DEPTH says.", "queue.go", line),
            ("Publish ingest_dropped_total and ingest_queue_depth.", "queue.go", "+var depth = 1\n"),
            ("Publish ingest_dropped_total and ingest_queue_depth.", "queue_test.go", line),
            ("Publish ingest_dropped_total beside expvar.ingest_depth.", "queue.go", line),
            ("--dry-run and --since, please", "cli.rs", "+    since: String,\n+    dry_run: bool,\n"),
        ] {
            assert_eq!(found(prompt, path, lines), [] as [&str; 0], "{prompt}");
        }
    }
}
