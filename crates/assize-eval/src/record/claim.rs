//! What a judge's reason says of counts, held against the record.
//!
//! Models miscount, and say so with confidence: "does not exceed 8 steps", of twelve. Only what cannot be misread is looked at: a
//! relation, a number, and the name of a list that the record has. Whether the label is right must not be decided here.

use std::sync::LazyLock;

use assize_core::text::{NUMBER_WORDS, number};
use regex::Regex;
use serde_json::{Map, Value};

/// A statement about how many there are, which the record contradicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miscount {
    /// The statement, as it stands in the reason.
    pub says: String,
    /// The list that it speaks of.
    pub field: String,
    /// How many there are.
    pub count: usize,
}

/// Largest number that is looked at; a larger one is hardly a count.
const NUMBER_MAX: usize = 10_000;

/// Returns what a reason says of the record's lists and is wrong.
pub fn miscounts(reason: &str, fields: &Map<String, Value>) -> Vec<Miscount> {
    static STATEMENT: LazyLock<Regex> = LazyLock::new(|| {
        let relation = "(?P<not>does not |doesn't |do not |don't |not |never )?(?P<relation>exceeds?|exceeding|more than|over|above|\
                        fewer than|less than|under|below|at least|at most|no more than|not more than|up to|within|\
                        has|have|contains?|lists?|includes?|there are|exactly|only)";
        let limit = "(?: (?:a total of|the limit of|the maximum of|exactly|only|the|its))?";
        Regex::new(&format!(r"(?i)\b{relation}{limit} (?P<number>\d+|{NUMBER_WORDS})[ -](?P<noun>[a-z]+)\b"))
            .expect("valid pattern")
    });
    let lists: Vec<(&str, usize)> =
        fields.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_array()?.len()))).collect();
    let statements = STATEMENT.captures_iter(reason).filter_map(|found| {
        let (field, count) = *lists.iter().find(|(name, _)| names(name, &found["noun"]))?;
        let number = number(&found["number"]).filter(|number| *number <= NUMBER_MAX)?;
        let whole = found.get(0)?;
        if !states(&reason[..whole.start()]) || !speaks_of_all(&reason[whole.end()..]) {
            return None;
        }
        let holds = Relation::of(&found["relation"], found.name("not").is_some())?.holds(count, number);
        (!holds).then(|| Miscount { says: found[0].to_owned(), field: field.to_owned(), count })
    });
    statements.collect()
}

/// Returns whether what stands before in the same sentence leaves it a plain statement: rules, conditions and denials are none.
fn states(before: &str) -> bool {
    const NO_STATEMENT: [&str; 24] = [
        "allow",
        "allowed",
        "allows",
        "can",
        "cannot",
        "could",
        "fail",
        "fails",
        "guideline",
        "if",
        "limit",
        "may",
        "might",
        "must",
        "never",
        "no",
        "not",
        "requirement",
        "rule",
        "should",
        "than",
        "unless",
        "without",
        "would",
    ];
    let sentence = before.rsplit(['.', ';', '!', '?']).next().unwrap_or_default().to_lowercase();
    let mut words =
        sentence.split(|character: char| !character.is_alphanumeric() && character != '\'' && character != '’');
    !words.any(|word| NO_STATEMENT.contains(&word) || word.ends_with("n't") || word.ends_with("n’t"))
}

/// Returns whether what follows a statement leaves it one of the whole list: "fewer than 3 steps mention the breaker" is not.
fn speaks_of_all(rest: &str) -> bool {
    const GO_ON: [&str; 11] = ["and", "as", "because", "but", "for", "in", "limit", "maximum", "since", "so", "while"];
    let rest = rest.trim_start();
    let word = rest.split(|character: char| !character.is_alphabetic()).next().unwrap_or_default();
    word.is_empty() || GO_ON.contains(&word.to_lowercase().as_str())
}

/// Returns whether a noun names a list: `step` or `steps` names `steps`, `tools` names `tools_required`.
fn names(field: &str, noun: &str) -> bool {
    let stem = |word: &str| word.to_lowercase().trim_end_matches('s').to_owned();
    let noun = stem(noun);
    let first = field.split(['_', '-', '.']).next().unwrap_or_default();
    noun.len() > 2 && (stem(field) == noun || (first.ends_with('s') && stem(first) == noun))
}

/// How a count stands to a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    More,
    Fewer,
    AtLeast,
    AtMost,
    Equal,
}

impl Relation {
    /// `None` for what is no statement of a count, such as "does not have 8 steps".
    fn of(words: &str, not: bool) -> Option<Self> {
        let relation = match words.to_lowercase().as_str() {
            "exceed" | "exceeds" | "exceeding" | "more than" | "over" | "above" => Self::More,
            "fewer than" | "less than" | "under" | "below" => Self::Fewer,
            "at least" => Self::AtLeast,
            "at most" | "no more than" | "not more than" | "up to" | "within" => Self::AtMost,
            _ => Self::Equal,
        };
        Some(match (relation, not) {
            (relation, false) => relation,
            (Self::More, true) => Self::AtMost,
            (Self::Fewer, true) => Self::AtLeast,
            (Self::AtLeast, true) => Self::Fewer,
            (Self::AtMost, true) => Self::More,
            (Self::Equal, true) => return None,
        })
    }

    fn holds(self, count: usize, number: usize) -> bool {
        match self {
            Self::More => count > number,
            Self::Fewer => count < number,
            Self::AtLeast => count >= number,
            Self::AtMost => count <= number,
            Self::Equal => count == number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn wrong(reason: &str) -> bool {
        let record = json!({"steps": vec!["x"; 12], "tools_required": ["a", "b"], "text": "steps"});
        !miscounts(reason, record.as_object().expect("an object")).is_empty()
    }

    #[test]
    fn a_reason_that_miscounts_is_found() {
        for reason in [
            "It is for a beginner and does not exceed 8 steps.",
            "The guide has only 8 steps.",
            "It stays within the limit of 8 steps.",
            "It contains eleven steps, which is fine.",
            "There are 3 tools.",
            "It lists fewer than two tools.",
            "It doesn't exceed the 8-step limit.",
            "No more than ten steps.",
        ] {
            assert!(wrong(reason), "{reason}");
        }
    }

    #[test]
    fn what_is_right_or_says_nothing_of_a_count_is_left() {
        for reason in [
            "It has 12 steps.",
            "It exceeds 8 steps.",
            "It does not exceed 12 steps.",
            "The limit of 8 steps is for beginners.",
            "Step 3 should come first.",
            "It does not have 8 steps.",
            "Fewer than 3 steps mention the breaker.",
            "It has 2 steps that repeat each other.",
            "It does not have more than 8 steps.",
            "It is done without exceeding 8 steps.",
            "It should have at least 20 steps.",
            "It would only fail with fewer than 8 steps.",
            "The limit allows up to 4 steps.",
            "If it had at most 8 steps, it would pass.",
            "It has 5 sentences.",
            "More than 1 tool is needed.",
            "",
        ] {
            assert!(!wrong(reason), "{reason}");
        }
    }

    #[test]
    fn a_miscount_names_its_list() {
        let record = json!({"steps": vec!["x"; 12]});
        let found = miscounts("It does not exceed 8 steps.", record.as_object().expect("an object"));
        let expected = Miscount { says: "does not exceed 8 steps".to_owned(), field: "steps".to_owned(), count: 12 };
        assert_eq!(found, [expected]);
    }
}
