//! Effects that a directive asks for, and of which no line of the change has a word.
//!
//! Each has many names in code. Where none of them came, nothing answers the wish, however it could have been written.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use assize_core::diff::{Diff, FileChange};
use assize_ecosystem::{is_code, is_generated, is_test};
use regex::{Regex, RegexBuilder};

use crate::claim::sentences;

/// A wish: what it is called in a finding, how directives say it, and what code has that answers it.
struct Effect {
    called: &'static str,
    wish: &'static str,
    answer: &'static str,
}

/// Words before a verb that make an order of it.
const ORDER: &str = r"(?:^[^\w`]*(?:please |also |then |and |but |just |always |\d+[.)] )*|\b(?:must|should|shall|has to|have to|needs? to|let it|make (?:it|them)) (?:also |then |instead |just |always |rather |simply )?)";

const EFFECTS: [Effect; 9] = [
    Effect {
        called: "an error to be raised",
        wish: r"ORDER(?:throw|reject|refuse|abort)\b|ORDERraise (?:an? |the )?(?:\w*error|\w*exception|if|when|for|on|unless)\b|\b(?:must|should|has to|have to|needs? to) (?:be (?:a|an) (?:\w+ )?(?:error|exception)|be (?:rejected|refused)|fail)\b",
        answer: r"throw|raise|reject|\berr|error|panic|abort|exit|fail|refus|[^\d]4\d\d\b|badrequest|bad_request|forbidden|not_?found|conflict|require|precondition|assert|ensure|bail|guard|invalid|exception|\bdie\b|\?;|\bcheck\(|deny|denied|status",
    },
    Effect {
        called: "a line in the log",
        wish: r"ORDER(?:log|warn)\b|\blog (?:a|an|each|every) (?:warning|line|error|message|entry)\b",
        answer: r"log|warn|print|console|echo|stderr|puts|trace|debug|\binfo|emit|notice|alert|report|record|syslog|telemetry|message",
    },
    Effect {
        called: "a timeout",
        wish: r"\b(?:add|with|needs?|set|give \w+|has|have|gets?) (?:a |an |the )?(?:\w+ ){0,2}time-?outs?\b",
        answer: r"time_?-?out|deadline|expir|duration|seconds|_s\b|_ms\b|\bms\b|abortsignal|setsockopt|after|wait_?for|alarm|timer|cancel",
    },
    Effect {
        called: "another attempt",
        wish: r"ORDER(?:retry|try again)\b|\bretry (?:up to|\d|once|twice|three)",
        answer: r"retr|attempt|again|tries|\bfor\b|while|loop|times|backoff|repeat|resilien|polly|tenacity",
    },
    Effect {
        called: "an order of the results",
        wish: r"\b(?:sort(?:ed)?|ordered) (?:\w+ ){0,2}?(?:by|descending|ascending|alphabetically)\b",
        answer: r"sort|order|cmp|compar|rank|\basc\b|\bdesc\b|min|max|heap|binarysearch|bisect|tree(?:map|set)|btree",
    },
    Effect {
        called: "a transaction",
        wish: r"\bin (?:a|one) (?:db |database |single )?transaction\b",
        answer: r"trans|begin|commit|atomic|\btx\b|session|unitofwork|rollback|with (?:self\.)?(?:\w+\.)?(?:db|conn|connection)\b|savepoint",
    },
    Effect {
        called: "that upper and lower case are alike",
        wish: r"\bcase[- ]insensitive(?:ly)?\b|\bignor(?:e|ing) (?:the )?case\b|\bregardless of case\b",
        answer: r"lower|upper|casefold|ignore_?case|\(\?i|/[gmuy]*i[gmuy]*\b|insensitive|collat|fold|ilike|casecmp|strcasecmp|nocase|-i\b|re\.i\b",
    },
    Effect {
        called: "a mark that it is deprecated",
        wish: r"ORDERdeprecate\b|\bmark (?:it|them|the \w+|`[^`]+`) (?:as )?deprecated\b",
        answer: r"deprecat|obsolete|warn",
    },
    Effect {
        called: "a lock",
        wish: r"\b(?:thread[- ]safe|(?:protect|guard) (?:it |them )?(?:with|by) a (?:lock|mutex))\b",
        answer: r"lock|mutex|sync|atomic|concurrent|semaphore|actor|channel|chan\b|volatile|monitor|thread",
    },
];

/// Words of a sentence that wishes nothing new.
const STAYS: &str = r"(?i-u)\?|\b(?:still|as before|keep|keeps|continues?|like now|no longer|not|never|without|instead of|rather than|stop|remove|drop|currently|today|bug|broken|wrong|optional\w*|maybe|perhaps|could|might|later)\b|n(?:'|’)t\b";

/// Returns what a directive asks for and no line of the change has a word of.
pub(super) fn unanswered(directive: &str, diff: &Diff) -> Option<&'static str> {
    static PATTERNS: LazyLock<Vec<(Regex, Regex)>> = LazyLock::new(|| {
        let build = |pattern: &str| {
            let whole = pattern.replace("ORDER", ORDER);
            RegexBuilder::new(&whole).case_insensitive(true).build().expect("valid pattern")
        };
        EFFECTS.iter().map(|effect| (build(effect.wish), build(effect.answer))).collect()
    });
    static STAYING: LazyLock<Regex> = LazyLock::new(|| Regex::new(STAYS).expect("valid pattern"));
    let wishes: Vec<&str> = sentences(directive).filter(|sentence| !STAYING.is_match(sentence)).collect();
    let wished = EFFECTS.iter().zip(PATTERNS.iter()).filter(|(_, (wish, _))| wishes.iter().any(|sentence| wish.is_match(sentence)));
    let mut wished = wished.peekable();
    wished.peek()?;
    let product = || diff.files.iter().filter(|file| !is_test(&file.path) && !is_generated(&file.path));
    if diff.files.iter().any(|file| file.lines_cut > 0) || !product().any(|file| is_code(&file.path)) {
        return None;
    }
    // A line that only moved is no answer.
    let went: BTreeSet<&str> = product().flat_map(FileChange::removed_lines).map(|(_, line)| line.trim()).collect();
    let came: Vec<&str> = product().flat_map(FileChange::added_lines).map(|(_, line)| line.trim()).filter(|line| !went.contains(line)).collect();
    let is_answered = |answer: &Regex| came.iter().any(|line| answer.is_match(line));
    wished.find(|(_, (_, answer))| !is_answered(answer)).map(|(effect, _)| effect.called)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::changed;

    #[test]
    fn a_wish_of_which_the_change_has_no_word_is_unanswered() {
        let check = |directive: &str, lines: &str| unanswered(directive, changed("src/plots.ts", lines).diff.get().expect("a diff"));
        let moved = "-    if (!plot) throw new Error('none');\n+    const plot = this.get(id);\n+  get(id) {\n+    if (!plot) throw new Error('none');\n";
        let wish = "1. add release(id)\n2. assign must throw if the plot already has a tenant";
        assert_eq!(check(wish, moved), Some("an error to be raised"));
        assert_eq!(check(wish, "+    if (plot.tenant) throw new Error('taken');\n"), None);
        assert_eq!(check(wish, "+    if (plot.tenant) return res.status(409).end();\n"), None);
        assert_eq!(check("It should raise UnitError for an unknown unit.", "+  return 1;\n"), Some("an error to be raised"));
        assert_eq!(check("List them sorted by name.", "+  return rows.filter((it) => it.open);\n"), Some("an order of the results"));
        assert_eq!(check("Compare them ignoring case.", "+  return a === b;\n"), Some("that upper and lower case are alike"));
        assert_eq!(check("Log a warning when the file is old.", "+  if (age > 3) return;\n"), Some("a line in the log"));
        for directive in [
            "assign must still throw for an unknown plot, add release(id)",
            "Raise both timeouts to 30 seconds.",
            "Should it throw?",
            "It should not throw any more.",
            "It throws for an empty list, please fix.",
            "Add release(id)",
        ] {
            assert_eq!(check(directive, "+  release(id) { this.get(id).tenant = null; }\n"), None, "{directive}");
        }
    }
}
