//! Behaviour was to change, and all that changed are comments.

use std::sync::LazyLock;

use assize_core::diff::{Diff, DiffLineKind, FileChange};
use assize_core::finding::{Certainty, Severity};
use assize_ecosystem::{Language, is_code, is_generated, is_test};
use regex::Regex;

use super::nothing_changed::asks_for_change;
use super::reading::{CodeLine, DiffSide, read};
use super::{Findings, Needs, Rule};
use crate::claim::{asks_user, names_obstacle, sentences};
use crate::directive::Directive;
use crate::evidence::Evidence;
use crate::phrases::Meaning;
use crate::transcript::{CommandRun, CommandState, TranscriptFacts};

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
        // A wish that speaks of words about the code anywhere may be one for them.
        let demanded = shows_failure(directive) || demands_behaviour(directive) || orders_repair(directive);
        // Prose may be the work itself; where something fails, it is not.
        if !is_code(&file.path) && !shows_failure(directive) {
            return;
        }
        let title = directive.text.inspect().lines().next().unwrap_or_default();
        let sure = demanded
            && !TITLE.is_match(title)
            && !BESIDE_CODE.is_match(directive.text.inspect())
            && !evidence.transcript.get().is_some_and(mended_a_run)
            && !documents(file)
            && file.added_count() > 0
            && diff.limits.is_empty()
            && evidence.directives.len() == 1;
        findings.at(
            file,
            None,
            Severity::Error,
            if sure { Certainty::Certain } else { Certainty::Likely },
            format!("Directive {} asks for code to behave differently, and all that was changed are comments and prose. Change the code, or say in the final message that none had to change and why.", directive.id),
        );
    }
}

/// Returns whether a command that had failed passed after the last edit: what came was what it lacked.
fn mended_a_run(facts: &TranscriptFacts) -> bool {
    let Some(edited) = facts.edits.last().map(|edit| edit.step) else { return false };
    let (before, after): (Vec<&CommandRun>, Vec<&CommandRun>) = facts.commands.iter().partition(|run| run.step < edited);
    let failed = |same: &CommandRun| before.iter().any(|run| run.state == CommandState::Failed && run.command == same.command);
    after.iter().any(|run| run.state == CommandState::Succeeded && failed(run))
}

/// Returns the first file of code in a change of code in which only comments changed, with prose at most beside it.
fn changed_comments_alone(diff: &Diff) -> Option<&FileChange> {
    let is_prose = |path: &str| [".md", ".rst", ".txt", ".adoc"].iter().any(|ending| path.ends_with(ending));
    // Tests beside it do not change what the code does.
    let files = diff.files.iter().filter(|file| !is_test(&file.path));
    let (code, others): (Vec<&FileChange>, Vec<&FileChange>) = files.partition(|file| is_code(&file.path));
    // Words beside the code are no more than words in it.
    let Some(first) = code.first() else {
        return others.first().copied().filter(|file| others.iter().all(|file| is_prose(&file.path)) && file.added_count() > 0);
    };
    let is_comment = |file: &&FileChange| {
        Language::of(&file.path).is_some() && !is_generated(&file.path) && !file.hunks.is_empty() && changes_comments_alone(file)
    };
    (code.iter().all(is_comment) && others.iter().all(|file| is_prose(&file.path))).then_some(first)
}

/// Returns whether all that came or went are comments and blank lines, and one of them is a comment.
fn changes_comments_alone(file: &FileChange) -> bool {
    let sides = [DiffSide::Old, DiffSide::New].map(|side| read(file, side));
    let changed = || sides.iter().flatten().flatten().filter(|line| line.changed);
    // A line with nothing but the marks of a comment divides its paragraphs.
    let is_mark = |raw: &str| matches!(raw.trim(), "//" | "///" | "//!" | "#" | "*" | "/*" | "/**" | "*/" | "--");
    // What a tool reads in a comment is no comment.
    const TOLD: [&str; 11] =
        ["@ts-", "eslint-", "noqa", "nolint", "type: ignore", "pragma", "go:", "rubocop:", "phpstan", "biome-", "prettier-"];
    let is_told = |comment: &str| TOLD.iter().any(|word| comment.contains(word));
    // A string that stands alone is what Python documents code with.
    let is_docstring = |code: &str| file.path.ends_with(".py") && code.trim().chars().all(|character| matches!(character, '"' | '\''));
    let is_words = |line: &CodeLine<'_>| line.is_bare() || is_mark(line.raw) || is_docstring(&line.code);
    // Code may stand beside a comment that changed, in other columns.
    let code_of = |side: &[Vec<CodeLine<'_>>]| {
        let own = side.iter().flatten().filter(|line| line.changed && !is_words(line));
        let mut code: Vec<String> = own.map(|line| line.without_comment().split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        code.sort_unstable();
        code
    };
    code_of(&sides[0]) == code_of(&sides[1])
        && changed().all(|line| !is_told(&line.comment))
        && changed().any(|line| !line.comment.trim().is_empty() || is_docstring(&line.code) && !line.raw.trim().is_empty())
}

/// Returns whether a changed comment may be more than one: documentation with code in it, or a line that a tool reads.
fn documents(file: &FileChange) -> bool {
    const MARKS: [&str; 13] = [
        "```", ">>>", "doctest", "#!", "# -*-", "frozen_string", "//export", "+build", "#include", "pylint:",
        "swiftlint:", "istanbul", "@vitest-",
    ];
    let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind != DiffLineKind::Context);
    lines.map(|line| line.text.inspect()).any(|line| MARKS.iter().any(|mark| line.contains(mark)))
}

/// Words about the code, in place of the code.
static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)\b(?:com+ent\w*|kommentar\w*|docs?|docu\w*|doku\w*|docstrings?|javadoc|jsdoc|godoc|rustdoc|kdoc|readme|changelog|typos?|spelling|wording|grammar|licen[sc]e|copyright|headers?|",
        r"annotat\w*|descri\w*|explain\w*|notes?|text|prose|translat\w*|mention\w*|to-?dos?|fixmes?|clean(?: |-)?up|tidy|says?|above|year|phras\w*|revive|sphinx|doxygen|\w*_docs|trailing|pydocstyle)\b",
    ))
    .expect("valid pattern")
});

/// The beginning of a request for words about the code, perhaps behind the name of a part.
static TITLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)^(?:[\w./() -]+: )?(?:docs?|document\w*|comment\w*|godocs?|javadocs?|changelog|readme|typos?)\b").expect("valid pattern")
});

/// What is to be said, or is said wrongly, beside code.
static BESIDE_CODE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\b(?:says?|said|states?|stands?|notes?|mentions?|write|add) (?:[a-z`()]+ ){0,3}(?:above|beside|next to)\b").expect("valid pattern")
});

/// Returns whether a text speaks of words about the code, in one of some languages.
fn speaks_of_words(text: &str) -> bool {
    const OTHERS: [&str; 9] = ["коммент", "документ", "注释", "文档", "说明", "コメント", "ドキュメント", "주석", "문서"];
    WORDS.is_match(text) || OTHERS.iter().any(|word| text.to_lowercase().contains(word))
}

/// Returns whether a directive asks for more than words about the code.
fn wants_behaviour(directive: &Directive) -> bool {
    let words = directive.text.inspect();
    let asks = |sentence: &str| asks_for_change(sentence) && !speaks_of_words(first_clause(sentence));
    shows_failure(directive) || demands_behaviour(directive) || orders_repair(directive) || asks_for_change(words) && sentences(words).any(asks)
}

/// Returns whether a sentence demands or reports something that comments cannot bring about: it speaks of no words, and the
/// directive asks nothing. A bare order can be one for words: `Update parser.go`.
fn demands_behaviour(directive: &Directive) -> bool {
    static NEED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:has|have|needs?|ought) to\b|\b(?:must|should|shall)\b|\bnever (?:\w+ )?(?:lets?|gets?|comes?|returns?|sends?|fires?|stops?|works?)\b|",
            r"\b(?:crash|fail|break|hang|leak|overflow|panic|throw|lose)(?:s|es)?\b|\b(?:is|are|was|gets?|got) (?:wrong|broken|lost|ignored|dropped|missing|too (?:slow|small|large))\b",
        ))
        .expect("valid pattern")
    });
    let words = directive.text.inspect();
    let is_question = sentences(words).any(|sentence| sentence.ends_with(['?', '？']));
    let demands = |sentence: &str| {
        !speaks_of_words(sentence) && (NEED.is_match(sentence) || Meaning::Order.is_in(sentence))
    };
    !is_question && sentences(words).any(demands)
}

/// Returns whether a directive has a fault repaired, whatever it asks beside that, and speaks of no words about the code.
fn orders_repair(directive: &Directive) -> bool {
    static REPAIR: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)(?:^|\b(?:and|then|please|pls|just|you)|[,;:.]) *(?:fix|repair|correct|prevent|handle|stop) (?:it|this|that|them|these)\b").expect("valid pattern")
    });
    let words = directive.text.inspect();
    !speaks_of_words(words) && sentences(words).any(|sentence| !sentence.ends_with('?') && REPAIR.is_match(sentence))
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
            ("Waypoint has to reject impossible values. Javadoc too.", "A.java", "+    /** Rejects them. */\n     A() {\n"),
            ("Ticket 5521: the limiter never lets anything through after the first burst.", "A.java", "+    /** Carries fractions over. */\n"),
            ("load_v1()을 호출하면 경고가 나오게 해 주세요.", "a.py", " def load():\n+    # warns\n"),
            ("Corrige ça :\n\nWARNING: DATA RACE\nWrite at 0x00c0\n", "a.go", "+// Guarded by mu.\n"),
        ] {
            assert_eq!(check(directive, DONE, path, lines), [Certainty::Certain], "{directive}");
        }
    }

    #[test]
    fn a_wish_for_words_as_well_makes_it_likely() {
        for (directive, path, lines) in [
            ("Make the cache safe for concurrent use and say so in the docs.", "a.go", " type Cache struct {\n+// It is safe.\n"),
            ("middleware: document the printer\n\nThe printer has to honour NoColor.", "a.go", " type Cache struct {\n+// It is safe.\n"),
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
            ("Both plates must be accepted.", DONE, "-x := re(\"a\") // old\n+x := re(\"a|b\") // both\n"),
            ("Make the linter pass.", DONE, "+//nolint:errcheck\n a()\n"),
            ("Why does this happen?\n\nfatal error: concurrent map writes\n\nIs the map shared?", DONE, comment),
        ] {
            assert_eq!(check(directive, message, "a.go", lines), [], "{directive} {message} {lines}");
        }
        assert_eq!(check("Make the cache safe.", DONE, "README.md", "+It is safe.\n"), []);
    }
}
