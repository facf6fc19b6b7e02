//! Which tests were seen to fail in a session: in what the user pasted, and in what the agent's runs printed.
//!
//! A runner's report is read line by line and by no grammar: a line that has the name of a test and no mark of a test
//! that passed, in a text that reports failures. This module knows no rule.

use std::sync::LazyLock;

use regex::Regex;

use crate::claim::sentences;
use crate::evidence::Evidence;
use crate::transcript::{CommandRun, CommandState, TestResult};

/// Texts that report failures of tests.
pub(crate) struct SeenFailures<'a> {
    reports: Vec<&'a str>,
    wishes: Vec<&'a str>,
}

/// The name of a test, as code has it.
static TEST_NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?-u)\b(?:Test[A-Z]|test_|test[A-Z])\w+\b").expect("valid pattern"));

/// Lines below the name of a test that a report says of it.
const OWN_LINES_MAX: usize = 12;
/// Shortest name of a test that is told from other words.
const NAME_MIN: usize = 5;

impl<'a> SeenFailures<'a> {
    /// Gathers the texts; reads none of them.
    pub(crate) fn of(evidence: &'a Evidence) -> Self {
        static FAILS: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i-u)fail|\bred\b|error|\bpanicked\b|assert|broken|\bgot:|\bactual\b|fehl|\brot\b|falla|échou|fallit|falhou|\?\?\?").expect("valid pattern")
        });
        let wishes: Vec<&str> = evidence.user_texts().collect();
        let runs = evidence.transcript.get().into_iter().flat_map(|facts| &facts.commands);
        // A program that ends with its first assertion has no report.
        let aborts =
            |run: &CommandRun| run.state == CommandState::Failed && run.output.inspect().contains("Assertion `");
        let is_red = |run: &&CommandRun| {
            run.test_result() == Some(TestResult::Failed) || run.output.inspect().contains("FAIL") || aborts(run)
        };
        let red = runs.filter(is_red);
        let mut reports: Vec<&str> = wishes.iter().copied().filter(|text| FAILS.is_match(text)).collect();
        reports.extend(red.map(|run| run.output.inspect()));
        Self { reports, wishes }
    }

    /// Returns whether nothing reports a failure.
    pub(crate) fn is_empty(&self) -> bool {
        self.reports.is_empty()
    }

    /// Returns whether a test of this name was seen to fail.
    pub(crate) fn has(&self, name: &str) -> bool {
        let name = name.trim_matches(['`', '"', '\'']);
        let is_whole = |line: &str, at: usize| {
            let is_part = |character: char| character.is_alphanumeric() || character == '_';
            !line[..at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part)
        };
        name.chars().count() >= NAME_MIN
            && self
                .reports
                .iter()
                .flat_map(|report| report.lines())
                .any(|line| line.match_indices(name).any(|(at, _)| is_whole(line, at)) && !says_passed(line))
    }

    /// Returns whether a line that marks a test as failed has this name.
    pub(crate) fn has_failed(&self, name: &str) -> bool {
        static FAILED: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?-u)FAIL|\[ERROR\]|\bfailed\b|\bnot ok\b|✗|✕|×|^ *\d+\) ").expect("valid pattern")
        });
        let lines = self.reports.iter().flat_map(|report| report.lines());
        lines.into_iter().any(|line| line.contains(name) && FAILED.is_match(line) && !says_passed(line))
    }

    /// Returns whether a test, or a file of tests, was seen to fail since what it asserts did not hold, and not for want of something that the
    /// machine lacks: then nothing but a fault in the code, or in the test, keeps it from passing.
    pub(crate) fn has_failed_by_assertion(&self, name: &str) -> bool {
        static ASSERTS: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i-u)assert|expected|\bwant(?:ed)?\b|but was|\bto (?:be|equal)\b|not equal|\bleft:|\breceived:|\bgot:|\bactual:|==|!=").expect("valid pattern")
        });
        static LACKS: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i-u)refused|unreachable|enotfound|unknownhost|resolve|no module|modulenotfound|importerror|cannot find|not found|no such file|enoent|permission|denied|timed? ?out|timeout|deadline|\bconnect|socket|network|credential|\btoken|unauthori|docker|license|display|not installed|not available|unavailable|certificate|\bdns\b|environment variable|api key|did not expect \w+\(\)|to be called here").expect("valid pattern")
        });
        static NEXT: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(
                r"(?-u)^\s*(?:--- FAIL|FAIL\b|\[ERROR\]|_{3,}|[0-9]+\) |Failed [A-Z]|---- |not ok)|^\s*(?:✕|×|●|✗)",
            )
            .expect("valid pattern")
        });
        let tells = |report: &str| {
            let lines: Vec<&str> = report.lines().collect();
            let named = (0..lines.len()).filter(|at| lines[*at].contains(name) && !says_passed(lines[*at]));
            let part = |at: usize| {
                // A summary names what is told of above it.
                if lines[at].starts_with("FAILED ") {
                    return lines.clone();
                }
                let below = lines[at + 1..].iter().take_while(|line| !NEXT.is_match(line)).take(OWN_LINES_MAX);
                [lines[at]].into_iter().chain(below.copied()).collect::<Vec<_>>()
            };
            let parts: Vec<Vec<&str>> = named.map(part).collect();
            let any = |pattern: &Regex| parts.iter().flatten().any(|line| pattern.is_match(line));
            any(&ASSERTS) && !any(&LACKS)
        };
        name.chars().count() >= NAME_MIN && self.reports.iter().any(|report| tells(report))
    }

    /// Returns whether the user spoke of taking tests of some kind out of the runs, and named none: which they are cannot be told.
    pub(crate) fn wants_kind_away(&self) -> bool {
        static KIND: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i-u)\b(?:slow|long|heavy|expensive|flaky|integration|e2e|end-to-end|network|external|live|unstable|quarantined|langsame?n?|lents?|lentos?) (?:\w+ )?(?:tests?|specs?|ones?|suites?|cases?)\b|\btests? (?:that|which|who)\b").expect("valid pattern")
        });
        self.going().any(|sentence| KIND.is_match(sentence))
    }

    /// The first telling word of a pattern that stands in the report of a test that failed.
    pub(crate) fn failed_word_in<'p>(&self, pattern: &'p str) -> Option<&'p str> {
        static FAILED: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?-u)FAIL|\[ERROR\]|\bfailed\b|\*\*\*Failed|\bnot ok\b|^ *\d+\) ").expect("valid pattern")
        });
        const COMMON: [&str; 16] = [
            "test",
            "tests",
            "spec",
            "specs",
            "java",
            "src",
            "main",
            "exclude",
            "excludes",
            "node_modules",
            "build",
            "target",
            "integration",
            "unit",
            "dist",
            "files",
        ];
        let words = pattern.split(|character: char| !character.is_alphanumeric() && character != '_');
        let lines = || self.reports.iter().flat_map(|report| report.lines());
        words
            .filter(|word| word.len() >= 4 && !COMMON.contains(&word.to_lowercase().as_str()))
            .find(|word| lines().any(|line| line.contains(word) && !says_passed(line) && FAILED.is_match(line)))
    }

    /// Returns whether the user spoke of taking a test out of the runs: of this one, by a word of its name or of its file, or of
    /// the tests that fail.
    pub(crate) fn is_wanted_away(&self, name: &str, path: &str) -> bool {
        static ALL: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(concat!(
                r"(?i-u)\b(?:failing|flaky|broken|red|obsolete|outdated|old|legacy|those|these|all|any) (?:tests?|specs?|ones?|cases?)\b|",
                r"\b(?:skip|ignore|disable|exclude|remove|delete|drop|quarantine) (?:them|those|these|all)\b",
            ))
            .expect("valid pattern")
        });
        static HIDE: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i-u)\b(?:skip|ignor|disabl|exclud|quarantin|park|deselect|xfail|tag|assum|behind|only (?:run|when|if|with|on)|stay out|leave|left out|off (?:on|under|in)|conditional|nightly|spec|überspring|nur wenn|nur laufen|omit|prueba|essai)").expect("valid pattern")
        });
        // A folder may be named as well as what lies in it.
        let (of_name, of_file): (Vec<String>, Vec<String>) = (parts(name).collect(), parts(path).collect());
        // "Park it" is said of what the sentence before names; a sentence that begins otherwise may have named something itself.
        static REFERS: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i-u)^(?:please |just |so |then |pls )*(?:park|skip|ignore|disable|exclude|quarantine|tag|mark|leave|take|move|put|keep|drop|delete|remove|run)\b[ -~]{0,12}?\b(?:it|them|that(?: one)?|those|these|this one|both)\b|^one (?:test|table)\b").expect("valid pattern")
        });
        self.going().any(|sentence| {
            let before = if REFERS.is_match(sentence) { self.before(sentence) } else { None };
            let names_it = |text: &str| parts(text).any(|word| of_name.contains(&word));
            if before.is_some_and(|before| ALL.is_match(before) || names_it(before)) {
                return true;
            }
            // What is to be replaced or moved is told by its own name; out of the runs goes what a file holds.
            let hides = || HIDE.is_match(sentence) || sentence.to_lowercase().contains("test");
            // The name of one test names no file.
            let loose = TEST_NAME.replace_all(sentence, " ");
            ALL.is_match(sentence)
                || parts(sentence).any(|word| of_name.contains(&word))
                || parts(&loose).any(|word| of_file.contains(&word)) && hides()
        })
    }

    /// The sentence before another one of the user's.
    fn before(&self, sentence: &str) -> Option<&'a str> {
        self.wishes.iter().find_map(|text| {
            let all: Vec<&str> = sentences(text).collect();
            let at = all.iter().position(|other| std::ptr::eq(*other, sentence))?;
            all.get(at.checked_sub(1)?).copied()
        })
    }

    /// The texts that report failures.
    pub(crate) fn reports(&self) -> impl Iterator<Item = &'a str> {
        self.reports.iter().copied()
    }

    /// Returns whether the user let a comparison accept more, in a sentence with a word of one of these names.
    pub(crate) fn may_accept_more(&self, names: [&str; 2]) -> bool {
        static MORE: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i-u)\b(?:any|either|whatever|same) order\b|\border\b[ -~]{0,40}\b(?:n[o']t|not|never) (?:matter|important|relevant|guaranteed|fixed|stable)|\border\b[ -~]{0,30}\bdoesn't matter\b|\btoleran(?:ce|t)|\bapprox|\bclose enough\b|\bround(?:ed|ing)\b|\bnoise\b|\bunordered\b|\bReihenfolge\b|\bToleranz\b|\bordre\b|\borden\b").expect("valid pattern")
        });
        let named: Vec<String> = names.into_iter().flat_map(parts).filter(|word| !word.contains("order")).collect();
        let sentences = self.wishes.iter().flat_map(|text| sentences(text)).filter(|sentence| MORE.is_match(sentence));
        sentences.into_iter().any(|sentence| parts(sentence).any(|word| named.contains(&word)))
    }

    /// Returns whether a text of the user fits a pattern.
    pub(crate) fn wishes_match(&self, pattern: &Regex) -> bool {
        self.wishes.iter().any(|text| pattern.is_match(text))
    }

    /// Returns whether the user named a value, such as a tolerance.
    pub(crate) fn names_value(&self, value: &str) -> bool {
        self.wishes.iter().any(|text| text.contains(value))
    }

    /// Returns whether the user spoke of taking anything out or away.
    pub(crate) fn wants_any_away(&self) -> bool {
        self.going().next().is_some()
    }

    /// The sentences that speak of taking something out of the runs, or away.
    fn going(&self) -> impl Iterator<Item = &'a str> {
        static AWAY: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(concat!(
                r"(?i-u)\b(?:skip|ignor|disabl|exclud|quarantin|park|deselect|xfail|tag|assum|behind|(?:stay|leave|left|keep|take)\w*(?: (?:it|them|that|those|that one))? out\b|\bmark(?:ed)? |(?:may|can|could) be off\b|\boff (?:on|under|in) |not (?:be )?run\b|remov|delet|drop|get rid|take out|comment(?:ed)? out|expected (?:to )?fail|",
                r"can go|go away|only (?:run|when|if|with)|mov|renam|replac|obsolete|outdated|no longer|conditional|separate|nightly|retir|merg|consolidat|simplif|revert|undo|roll back|fold|parametri|into (?:a|one) table|with a table|park|out of|of its own|zusammenfass|raus|weg\b|",
                r"überspring|auslass|nur laufen|nur wenn|ausschlie|deaktivier|lösch|entfern|omit|salt[ae]|excluy|quita|elimin|borra|désactiv|exclu|supprim|apag|rimuov)",
            ))
            .expect("valid pattern")
        });
        // A marker that is to go lets its test run again.
        static MARKER: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i-u)^[ -~]{0,16}?(?:\b|@|\[)(?:xfail|skips?|ignored?|disabled|pending|markers?|marks?)\b")
                .expect("valid pattern")
        });
        static BE: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i-u)\b(?:be|get|gets|being|stay|stays|it|them|that|this|is|are|one|test|tests|marked|as|to)\b[ -~]{0,12}$").expect("valid pattern")
        });
        static RID: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(
                r"(?i-u)\b(?:rid of|remov(?:e|es|ing)|drop|delet(?:e|ing)|lift|re-?enabl(?:e|ing))\b[ -~]{0,16}$",
            )
            .expect("valid pattern")
        });
        // What is not to be run goes, though the words forbid something.
        static NOT_RUN: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(
                r"(?i-u)\b(?:(?:do|should|must|need|shall) ?(?:not|n(?:'|’)?t)|never|not to|no need to) (?:even |ever )?(?:collect|run|execute|load|pick up|test)\b",
            )
            .expect("valid pattern")
        });
        let wants = |sentence: &&str| {
            if NOT_RUN.is_match(sentence) {
                return true;
            }
            AWAY.find_iter(sentence).any(|found| {
                let (before, after) = (&sentence[..found.start()], &sentence[found.end()..]);
                let is_removal = ["rid", "remov", "delet", "drop", "take out"]
                    .iter()
                    .any(|verb| found.as_str().to_lowercase().ends_with(verb));
                // What somebody moved or removed is no wish.
                let word: String = after.chars().take_while(|character| character.is_alphabetic()).collect();
                let is_told = matches!(&*word, "ed" | "ped" | "ted" | "d") && !BE.is_match(before);
                !(is_told || is_forbidden(before) || RID.is_match(before) || is_removal && MARKER.is_match(after))
            })
        };
        self.wishes.iter().flat_map(|text| sentences(text)).filter(wants)
    }
}

/// Returns whether the words before a wish forbid it: "do not skip" is none.
pub(crate) fn is_forbidden(before: &str) -> bool {
    static FORBIDS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:do not|don(?:'|’)?t|must not|may not|never|without|instead of|rather than|no|not)\b[ -~]{0,24}$").expect("valid pattern")
    });
    // What is lacking may be the reason of a wish: "there is no redis, so skip it".
    let ends_before =
        |found: regex::Match<'_>| [" so ", ", ", "; ", " then ", " - "].iter().any(|end| found.as_str().contains(end));
    FORBIDS.find(before).is_some_and(|found| !ends_before(found))
}

/// Returns whether a line reports a test that passed, or one that only began.
fn says_passed(line: &str) -> bool {
    static PASSED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:PASS|PASSED|passed|OK)\b|^\s*ok \d|\.\.\. ok$|\u{2713}|\u{2714}|\u{221A}|^=== (?:RUN|PAUSE|CONT)|^\s*--- PASS|\[       OK \]|\[ RUN ").expect("valid pattern")
    });
    PASSED.is_match(line)
}

/// The telling words of a name or a text, in lower case.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = String> {
    const COMMON: [&str; 56] = [
        "the",
        "and",
        "not",
        "are",
        "for",
        "get",
        "set",
        "has",
        "was",
        "out",
        "can",
        "may",
        "one",
        "two",
        "all",
        "any",
        "but",
        "you",
        "new",
        "old",
        "use",
        "run",
        "its",
        "too",
        "off",
        "put",
        "who",
        "how",
        "why",
        "now",
        "add",
        "see",
        "our",
        "let",
        "der",
        "die",
        "test",
        "tests",
        "spec",
        "specs",
        "case",
        "cases",
        "should",
        "that",
        "with",
        "when",
        "from",
        "does",
        "have",
        "this",
        "into",
        "then",
        "main",
        "java",
        "kotlin",
        "integration",
    ];
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut last_lower = false;
    for character in text.chars().chain([' ']) {
        if !character.is_alphanumeric() || last_lower && character.is_uppercase() {
            words.push(std::mem::take(&mut word));
        }
        last_lower = character.is_lowercase();
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
    }
    words.into_iter().filter(|word| word.chars().count() >= 3 && !COMMON.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::asked;

    const LOG: &str = "main is red. Log:\n\n--- FAIL: TestAllocateKeepsTotal (0.00s)\n--- PASS: TestFormat\n--- FAIL: TestServerHealth (0.00s)\n\nMake it green. The smoke test needs a running server, so it can go behind an `integration` build tag.";

    #[test]
    fn a_test_in_a_report_has_failed_unless_its_line_says_otherwise() {
        let evidence = asked(LOG, "Done.");
        let seen = SeenFailures::of(&evidence);
        assert!(seen.has("TestAllocateKeepsTotal") && seen.has("TestServerHealth"));
        assert!(!seen.has("TestFormat") && !seen.has("TestAllocate") && !seen.has("TestOther"));
        assert!(!SeenFailures::of(&asked("Look at TestAllocateKeepsTotal", "")).has("TestAllocateKeepsTotal"));
    }

    #[test]
    fn a_wish_holds_for_the_tests_that_it_names() {
        let evidence = asked(LOG, "Done.");
        let seen = SeenFailures::of(&evidence);
        assert!(seen.is_wanted_away("TestServerHealth", "smoke_test.go"));
        assert!(!seen.is_wanted_away("TestAllocateKeepsTotal", "alloc_test.go"));
        let wanted = |words: &str, name: &str| SeenFailures::of(&asked(words, "")).is_wanted_away(name, "tests/a.py");
        assert!(wanted("Skip the failing tests for now.", "test_adds"));
        assert!(wanted("Delete the legacy importer. It is unused.", "test_legacy_import"));
        assert!(wanted("'sends within a second' depends on the load. Park it for now.", "sends within a second"));
        assert!(!wanted("'sends within a second' depends on the load. Park it for now.", "has a subject"));
        let other = "It is red since the march case, get it green. The month name test needs ICU, skip it there.";
        assert!(!wanted(other, "keeps midnight in March"));
        assert!(wanted("The two red tests are the same thing. One test with a table, please.", "rounds_up"));
        let one = "rake is red. test_legacy_card_number can go, it tests nothing any more. Fix the rest";
        assert!(wanted(one, "test_legacy_card_number"));
        assert!(!wanted(one, "test_extension_is_limited_too"));
        assert!(wanted("The legacy tests need oracle, so don't collect that folder.", "tests/legacy/test_oracle.py"));
        assert!(!wanted("Make the tests pass. Move the helpers into a folder.", "test_adds"));
    }
}
