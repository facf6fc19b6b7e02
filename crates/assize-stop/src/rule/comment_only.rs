//! Behaviour was to change, and all that changed are comments.

use std::sync::LazyLock;

use assize_core::diff::{Diff, DiffLineKind, FileChange};
use assize_core::finding::{Certainty, Severity};
use assize_ecosystem::{Language, is_code, is_generated};
use regex::Regex;

use super::nothing_changed::asks_for_change;
use super::reading::{DiffSide, read};
use super::{Findings, Needs, Rule};
use crate::claim::{asks_user, names_obstacle, sentences};
use crate::directive::Directive;
use crate::evidence::Evidence;

/// See the module.
pub struct CommentOnly;

impl Rule for CommentOnly {
    fn id(&self) -> &'static str {
        "comment-only"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let Some(file) = changed_comments_alone(diff) else { return };
        let message = evidence.message();
        if message.trim().is_empty() || asks_user(message).is_some() || says_so(message) || names_obstacle(message).is_some() {
            return;
        }
        let Some(directive) = evidence.directives.iter().find(|directive| wants_behaviour(directive)) else { return };
        // Only a failure shows that code has to change; a wish may be one for other words.
        let sure = shows_failure(directive)
            && !documents(file)
            && diff.limits.is_empty()
            && evidence.directives.len() == 1;
        findings.at(
            file,
            None,
            Severity::Error,
            if sure { Certainty::Certain } else { Certainty::Likely },
            format!("Directive {} asks for code to behave differently, and all that was changed are comments. Change the code, or say in the final message that none had to change and why.", directive.id),
        );
    }
}

/// Returns the first file of code in a change of code in which only comments changed, with prose at most beside it.
fn changed_comments_alone(diff: &Diff) -> Option<&FileChange> {
    let is_prose = |path: &str| [".md", ".rst", ".txt", ".adoc"].iter().any(|ending| path.ends_with(ending));
    let (code, others): (Vec<&FileChange>, Vec<&FileChange>) = diff.files.iter().partition(|file| is_code(&file.path));
    let first = code.first()?;
    let is_comment = |file: &&FileChange| {
        Language::of(&file.path).is_some() && !is_generated(&file.path) && !file.hunks.is_empty() && changes_comments_alone(file)
    };
    (code.iter().all(is_comment) && others.iter().all(|file| is_prose(&file.path))).then_some(first)
}

/// Returns whether every line that came or went is a comment or blank, and one of them is a comment.
fn changes_comments_alone(file: &FileChange) -> bool {
    let sides = [DiffSide::Old, DiffSide::New].map(|side| read(file, side));
    let changed = || sides.iter().flatten().flatten().filter(|line| line.changed);
    // A line with nothing but the marks of a comment divides its paragraphs.
    let is_mark = |raw: &str| matches!(raw.trim(), "//" | "///" | "//!" | "#" | "*" | "/*" | "/**" | "*/" | "--");
    // What a tool reads in a comment is no comment.
    const TOLD: [&str; 11] =
        ["@ts-", "eslint-", "noqa", "nolint", "type: ignore", "pragma", "go:", "rubocop:", "phpstan", "biome-", "prettier-"];
    let is_told = |comment: &str| TOLD.iter().any(|word| comment.contains(word));
    changed().all(|line| (line.is_bare() || is_mark(line.raw)) && !is_told(&line.comment)) && changed().any(|line| !line.comment.trim().is_empty())
}

/// Returns whether a changed comment may be more than one: documentation with code in it, or a line that a tool reads.
fn documents(file: &FileChange) -> bool {
    const MARKS: [&str; 15] = [
        "///", "//!", "```", ">>>", "doctest", "#!", "# -*-", "frozen_string", "//export", "+build", "#include", "pylint:",
        "swiftlint:", "istanbul", "@vitest-",
    ];
    let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind != DiffLineKind::Context);
    lines.map(|line| line.text.inspect()).any(|line| MARKS.iter().any(|mark| line.contains(mark)))
}

/// Returns whether a directive asks for more than words about the code.
fn wants_behaviour(directive: &Directive) -> bool {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:comment\w*|docs?|docu\w*|docstrings?|javadoc|jsdoc|godoc|rustdoc|kdoc|readme|typos?|spelling|wording|grammar|licen[sc]e|copyright|headers?|",
            r"annotat\w*|descri\w*|explain\w*|notes?|text|prose|translat\w*|mention\w*)\b",
        ))
        .expect("valid pattern")
    });
    let words = directive.text.inspect();
    let asks = |sentence: &str| asks_for_change(sentence) && !WORDS.is_match(first_clause(sentence));
    shows_failure(directive) || asks_for_change(words) && sentences(words).any(asks)
}

/// Returns whether a directive holds a pasted failure, and is no question.
fn shows_failure(directive: &Directive) -> bool {
    static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?m-u)^\s*(?:panic: |thread '[ -&(-~]*' panicked|Traceback \(most recent|fatal error: |goroutine \d+ \[|WARNING: DATA RACE|Exception in thread|",
            r"error: Undefined Behavior|(?:[A-Za-z]+\.)+[A-Za-z]*(?:Exception|Error): |Segmentation fault)",
        ))
        .expect("valid pattern")
    });
    let words = directive.text.inspect();
    FAILURE.is_match(words) && !words.trim_end().ends_with('?')
}

/// What stands before the first `and`: what comes behind it is asked for as well.
fn first_clause(sentence: &str) -> &str {
    sentence.find(" and ").map_or(sentence, |end| &sentence[..end])
}

/// Returns whether the message says that the code stayed as it was.
fn says_so(message: &str) -> bool {
    static SAYS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:only|just|nothing but) [ -~]{0,30}\b(?:comment\w*|docs?|docu\w*|docstrings?|javadoc)\b|\b(?:comment\w*|docs?|docu\w*)[ -]only\b|",
            r"\bno (?:\w+ )?(?:code|functional|behaviou?r\w*|logic) (?:was |has )?chang\w*|\b(?:code|behaviou?r|logic) (?:itself )?(?:is|was|stays?|remains?|did(?:n'?t| not)) (?:the same|unchanged|as it|not chang|chang)|",
            r"\balready\b|\b(?:not|n(?:'|’)t) (?:a bug|needed?|necessary|reproducible|change)|\binstead of\b|\brather than\b",
        ))
        .expect("valid pattern")
    });
    sentences(message).any(|sentence| SAYS.is_match(sentence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{asked, changed, grades};

    fn check(directive: &str, message: &str, path: &str, lines: &str) -> Vec<Certainty> {
        grades(&CommentOnly, &Evidence { diff: changed(path, lines).diff, ..asked(directive, message) })
    }

    const DONE: &str = "The cache is safe for concurrent use now.";

    #[test]
    fn comments_in_place_of_code_are_certain() {
        for (directive, path, lines) in [
            ("tileserver died:\n\nfatal error: concurrent map writes\n", "a.java", "+    /** Guarded by the lock. */\n     void put() {\n"),
            ("Corrige ça :\n\nWARNING: DATA RACE\nWrite at 0x00c0\n", "a.go", "+// Guarded by mu.\n"),
        ] {
            assert_eq!(check(directive, DONE, path, lines), [Certainty::Certain], "{directive}");
        }
    }

    #[test]
    fn a_wish_for_other_behaviour_makes_it_likely() {
        for (directive, path, lines) in [
            ("Make the cache safe for concurrent use and say so in the docs.", "a.go", " type Cache struct {\n+// It is safe.\n"),
            ("Fix the off-by-one in the pager.", "a.rs", "-    // counts from 0\n+    // counts from 1\n     page += 1;\n"),
        ] {
            assert_eq!(check(directive, DONE, path, lines), [Certainty::Likely], "{directive}");
        }
    }

    #[test]
    fn counter_examples() {
        let comment = "+// Guarded by mu.\n type A struct{}\n";
        for (directive, message, lines) in [
            ("Fix the typo in the comment of Cache.", DONE, comment),
            ("Document the locking.", DONE, comment),
            ("Make the cache safe.", "It is already safe, the comment says so now.", comment),
            ("Make the cache safe.", "I only changed comments: the map is never shared.", comment),
            ("Make the cache safe.", "Which of the two caches do you mean?", comment),
            ("Make the cache safe.", DONE, "+// Guarded by mu.\n+var mu sync.Mutex\n"),
            ("Make the cache safe.", DONE, "-x := 1 // one\n+x := 2 // one\n"),
            ("Make the linter pass.", DONE, "+//nolint:errcheck\n a()\n"),
            ("Why does this happen?\n\nfatal error: concurrent map writes\n\nIs the map shared?", DONE, comment),
        ] {
            assert_eq!(check(directive, message, "a.go", lines), [], "{directive} {message} {lines}");
        }
        assert_eq!(check("Make the cache safe.", DONE, "README.md", "+It is safe.\n"), []);
    }
}
