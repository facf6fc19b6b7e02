//! Finds parts that make a rubric lenient without intent.
//!
//! A judge fills every gap of a rubric with its own standard, and that standard is generous. So this module looks for
//! gaps in a rubric: levers that are not set, criteria that say little, words that cannot be measured, and counts that
//! are left to a judge although they can be computed. All of it is advice; a rubric that is lenient on purpose is
//! sound.

use std::sync::LazyLock;

use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::text::{NUMBER_WORDS, number, quote};
use regex::Regex;

use super::{FailureMode, Rubric};

/// A criterion of fewer words leaves its judge alone.
pub const CRITERION_WORDS_MIN: usize = 6;

/// Words that ask for a measure and bring none.
const UNMEASURED: [&str; 32] = [
    "adequate",
    "adequately",
    "appropriate",
    "bad",
    "basic",
    "clear",
    "clearly",
    "complex",
    "confusing",
    "decent",
    "detailed",
    "enough",
    "excessive",
    "few",
    "good",
    "helpful",
    "inadequate",
    "insufficient",
    "long",
    "many",
    "obvious",
    "poor",
    "proper",
    "properly",
    "reasonable",
    "short",
    "significant",
    "several",
    "sufficient",
    "sufficiently",
    "too",
    "unhelpful",
];

/// Looks at a rubric, and returns what could be said more strictly.
pub fn lint(rubric: &Rubric) -> Vec<Finding> {
    let mut findings = Vec::new();
    levers(rubric, &mut findings);
    for mode in &rubric.modes {
        of_mode(mode, &mut findings);
    }
    findings
}

fn levers(rubric: &Rubric, findings: &mut Vec<Finding>) {
    let (strictness, score) = (&rubric.strictness, &rubric.score);
    let unset =
        |set: bool, at: &str, why: &str| (!set).then(|| warning("lever-not-set", &format!("`{at}` is not set: {why}")));
    findings.extend(
        [
            unset(
                strictness.identity.is_some(),
                "strictness.identity",
                "nothing tells the judge that it is a strict one",
            ),
            unset(
                strictness.expectation.is_some(),
                "strictness.expectation",
                "a judge that does not expect failures finds none; say how many a record usually has",
            ),
            unset(
                strictness.doubt.is_some(),
                "strictness.doubt",
                "where it is of two minds, a judge passes; say what it is to do",
            ),
            unset(!score.words.is_empty(), "score.words", "scores without words mean what each judge likes"),
            unset(
                score.expectation.is_some(),
                "score.expectation",
                "without an anchor scores gather at the top; say where most records lie",
            ),
        ]
        .into_iter()
        .flatten(),
    );
}

fn of_mode(mode: &FailureMode, findings: &mut Vec<Finding>) {
    let id = &mode.id;
    if mode.fails_if.is_empty() && mode.clauses.is_empty() {
        findings.push(warning(
            "no-criteria",
            &format!("`{id}` has neither criteria nor clauses: its judge decides what fails"),
        ));
    }
    let measures =
        mode.fails_if.iter().any(|text| has_number(text) || names_examples(text)) || !mode.clauses.is_empty();
    if !mode.fails_if.is_empty() && !measures && mode.examples.is_empty() {
        let message = format!("`{id}` has no threshold, no named example and no clause: nothing in it can be checked");
        findings.push(warning("no-threshold", &message));
    }
    if mode.is_asked() && mode.examples.is_empty() {
        findings.push(note("no-example", &format!("`{id}` has no example of what fails and what just passes")));
    }
    for (index, criterion) in mode.fails_if.iter().enumerate() {
        let at = format!("`{id}`, criterion {}", index + 1);
        of_criterion(mode, criterion, &at, findings);
    }
}

fn of_criterion(mode: &FailureMode, criterion: &str, at: &str, findings: &mut Vec<Finding>) {
    let words: Vec<String> = criterion
        .split(|character: char| !character.is_alphanumeric() && character != '-')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.len() < CRITERION_WORDS_MIN {
        let message =
            format!("{at}: {} says little; name what is missing or wrong, and by which measure", quote(criterion));
        findings.push(warning("vague-criterion", &message));
    }
    let mut unmeasured: Vec<&str> = UNMEASURED.into_iter().filter(|word| words.iter().any(|is| is == word)).collect();
    if !unmeasured.is_empty() && !has_number(criterion) && !names_examples(criterion) {
        unmeasured.dedup();
        let message = format!("{at}: {} cannot be measured; give a number, a list or examples", listed(&unmeasured));
        findings.push(warning("unmeasured-word", &message));
    }
    if let Some(offer) = offer(criterion)
        && mode.clauses.is_empty()
    {
        let message = format!("{at} can be computed, and a judge miscounts: write it as a clause, such as `{offer}`");
        findings.push(warning("countable", &message));
    }
}

fn has_number(text: &str) -> bool {
    text.chars().any(|character| character.is_ascii_digit()) || NUMBER_WORDS.split('|').any(|word| has_word(text, word))
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|character: char| !character.is_alphanumeric()).any(|part| part.eq_ignore_ascii_case(word))
}

fn names_examples(text: &str) -> bool {
    ["such as", "for example", "e.g.", "for instance"].iter().any(|mark| text.to_lowercase().contains(mark))
        || text.contains(['"', '“', '`'])
        || text.contains(": ")
}

/// Returns the clause that a countable phrase asks for.
fn offer(criterion: &str) -> Option<String> {
    static PHRASE: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = format!(
            r"(?i)\b(more than|over|fewer than|less than|under|at least|at most|no more than|exceeds?)\s+(\d+|{NUMBER_WORDS})\s+(?:\w+\s+)?(steps?|sentences?|words?|items?|tools?|tips?|\w+s)\b"
        );
        Regex::new(&pattern).expect("valid pattern")
    });
    let found = PHRASE.captures(criterion)?;
    let number = number(&found[2])?;
    let noun = found[3].to_lowercase();
    // Criteria say what fails: of what "at least" and "at most" allow, the opposite does.
    let relation = match found[1].to_lowercase().as_str() {
        "fewer than" | "less than" | "under" | "at least" => "<",
        _ => ">",
    };
    Some(match noun.trim_end_matches('s') {
        "sentence" => format!("sentences(record.answer) {relation} {number}"),
        "word" => format!("words(record.answer) {relation} {number}"),
        singular => format!("items(record.{singular}s) {relation} {number}"),
    })
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn warning(rule: &str, message: &str) -> Finding {
    Finding::general(rule, Severity::Warning, Certainty::Likely, message)
}

fn note(rule: &str, message: &str) -> Finding {
    Finding::general(rule, Severity::Note, Certainty::Likely, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::tests::SMALL;

    fn rules(text: &str) -> Vec<String> {
        lint(&Rubric::read(text).expect("sound").0).into_iter().map(|finding| finding.rule).collect()
    }

    fn count(text: &str, rule: &str) -> usize {
        rules(text).iter().filter(|found| *found == rule).count()
    }

    fn with_criterion(criterion: &str) -> String {
        SMALL.replace("It would fit any other appliance as well.", criterion)
    }

    #[test]
    fn levers_that_are_not_set_are_named() {
        assert_eq!(count(SMALL, "lever-not-set"), 5);
        let set = "[strictness]\nidentity = \"You are strict.\"\nexpectation = \"Most have faults.\"\ndoubt = \"Then it fails.\"\n[score]\nwords = [\"a\", \"b\", \"c\", \"d\", \"e\"]\nexpectation = \"Most are 3 or 4.\"\n[[mode]]\nid = \"too";
        assert_eq!(count(&SMALL.replace("[[mode]]\nid = \"too", set), "lever-not-set"), 0);
    }

    #[test]
    fn what_cannot_be_checked_is_named() {
        for (criterion, rule, found) in [
            ("Lacks detail.", "vague-criterion", 1),
            ("The answer names no shop that sells the part.", "vague-criterion", 0),
            ("The list of tools is suspiciously short for the work.", "unmeasured-word", 1),
            ("The list of tools is short: fewer than 3 of them.", "unmeasured-word", 0),
            ("A tip is a commonplace, such as 'take enough time'.", "unmeasured-word", 0),
            ("The guide for a beginner has more than 8 steps in it.", "countable", 1),
            ("The guide for a beginner has a great deal to do.", "countable", 0),
        ] {
            assert_eq!(count(&with_criterion(criterion), rule), found, "{criterion}");
        }
    }

    #[test]
    fn a_clause_is_offered_for_what_can_be_counted() {
        for (criterion, clause) in [
            ("It has more than 8 steps.", Some("items(record.steps) > 8")),
            ("The answer has fewer than three substantive sentences.", Some("sentences(record.answer) < 3")),
            ("It does not have at least two tips.", Some("items(record.tips) < 2")),
            ("The answer exceeds 200 words.", Some("words(record.answer) > 200")),
            ("It is about 8 steps.", None),
        ] {
            assert_eq!(offer(criterion).as_deref(), clause, "{criterion}");
        }
    }

    #[test]
    fn what_is_computed_already_is_not_offered() {
        let text = SMALL.replace("A beginner would lose the thread.", "A guide for beginners has more than 8 steps.");
        assert_eq!(count(&text, "countable"), 0);
    }
}
