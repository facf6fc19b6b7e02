//! Conditions of GitHub's workflows (`if:`), for a change that is proposed on Linux.
//!
//! A value that is unknown before the run stays open, and a step with an open condition may run. This module must not
//! know what a step does.

use std::collections::BTreeMap;

/// What a part of a condition comes to.
#[derive(Debug, Clone, PartialEq)]
enum ConditionValue {
    Text(String),
    Truth(bool),
    Open,
}

/// Returns whether a step may run. `row` has the values of `matrix.x`, `env.x`, `inputs.x`, and `event` the event's name.
pub(super) fn may_hold(condition: &str, row: &BTreeMap<String, String>, event: &str) -> bool {
    let plain = condition.trim();
    let plain = plain.strip_prefix("${{").and_then(|inner| inner.strip_suffix("}}")).unwrap_or(plain);
    if plain.is_empty() {
        return true;
    }
    let mut reader = Reader { tokens: tokens(plain), at: 0, row, event, depth: 0 };
    let value = reader.either();
    reader.at < reader.tokens.len() || truth(&value) != Some(false)
}

/// Deepest nesting of brackets that is followed.
const DEPTH_MAX: usize = 32;

fn tokens(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                let mut word = "'".to_owned();
                while let Some(letter) = letters.next() {
                    if letter == '\'' && letters.next_if_eq(&'\'').is_none() {
                        break;
                    }
                    word.push(letter);
                }
                found.push(word);
            }
            '&' | '|' | '=' | '!' | '<' | '>' => {
                let mut word = letter.to_string();
                word.extend(letters.next_if(|next| matches!(next, '&' | '|' | '=')));
                found.push(word);
            }
            '(' | ')' | ',' => found.push(letter.to_string()),
            letter if letter.is_whitespace() => {}
            letter => {
                let mut word = letter.to_string();
                while let Some(next) = letters.next_if(|next| next.is_alphanumeric() || "_-.*[]".contains(*next)) {
                    word.push(next);
                }
                found.push(word);
            }
        }
    }
    found
}

struct Reader<'r> {
    tokens: Vec<String>,
    at: usize,
    row: &'r BTreeMap<String, String>,
    event: &'r str,
    depth: usize,
}

impl Reader<'_> {
    fn takes(&mut self, token: &str) -> bool {
        let is_it = self.tokens.get(self.at).is_some_and(|next| next == token);
        self.at += usize::from(is_it);
        is_it
    }

    fn either(&mut self) -> ConditionValue {
        let mut value = self.both();
        while self.takes("||") {
            let other = self.both();
            value = match (truth(&value), truth(&other)) {
                (Some(true), _) | (_, Some(true)) => ConditionValue::Truth(true),
                (Some(false), Some(false)) => ConditionValue::Truth(false),
                _ => ConditionValue::Open,
            };
        }
        value
    }

    fn both(&mut self) -> ConditionValue {
        let mut value = self.comparison();
        while self.takes("&&") {
            let other = self.comparison();
            value = match (truth(&value), truth(&other)) {
                (Some(false), _) | (_, Some(false)) => ConditionValue::Truth(false),
                (Some(true), Some(true)) => ConditionValue::Truth(true),
                _ => ConditionValue::Open,
            };
        }
        value
    }

    fn comparison(&mut self) -> ConditionValue {
        let left = self.single();
        let is_equal = if self.takes("==") {
            true
        } else if self.takes("!=") {
            false
        } else {
            return left;
        };
        match (text(&left), text(&self.single())) {
            (Some(left), Some(right)) => ConditionValue::Truth(left.eq_ignore_ascii_case(&right) == is_equal),
            _ => ConditionValue::Open,
        }
    }

    fn single(&mut self) -> ConditionValue {
        self.depth += 1;
        let value = if self.depth > DEPTH_MAX { ConditionValue::Open } else { self.part() };
        self.depth -= 1;
        value
    }

    fn part(&mut self) -> ConditionValue {
        if self.takes("!") {
            return truth(&self.single()).map_or(ConditionValue::Open, |truth| ConditionValue::Truth(!truth));
        }
        if self.takes("(") {
            let value = self.either();
            self.takes(")");
            return value;
        }
        let Some(word) = self.tokens.get(self.at).cloned() else { return ConditionValue::Open };
        self.at += 1;
        if let Some(text) = word.strip_prefix('\'') {
            return ConditionValue::Text(text.to_owned());
        }
        if self.takes("(") {
            let mut arguments = Vec::new();
            while self.at < self.tokens.len() && !self.takes(")") {
                arguments.push(self.either());
                if !self.takes(",") && self.tokens.get(self.at).is_none_or(|next| next != ")") {
                    self.at += 1;
                }
            }
            return called(&word, &arguments);
        }
        match word.as_str() {
            "true" => ConditionValue::Truth(true),
            "false" => ConditionValue::Truth(false),
            "github.event_name" => ConditionValue::Text(self.event.to_owned()),
            "github.ref" if self.event == "pull_request" => ConditionValue::Text("refs/pull/1/merge".to_owned()),
            "github.ref_type" => ConditionValue::Text("branch".to_owned()),
            "runner.os" => ConditionValue::Text("Linux".to_owned()),
            name => self.row.get(name).map_or(ConditionValue::Open, |value| ConditionValue::Text(value.clone())),
        }
    }
}

fn called(function: &str, arguments: &[ConditionValue]) -> ConditionValue {
    match function.to_ascii_lowercase().as_str() {
        "always" | "success" => ConditionValue::Truth(true),
        "failure" | "cancelled" => ConditionValue::Truth(false),
        name @ ("contains" | "startswith" | "endswith") => match arguments {
            [whole, part] => match (text(whole), text(part)) {
                (Some(whole), Some(part)) => {
                    let (whole, part) = (whole.to_lowercase(), part.to_lowercase());
                    ConditionValue::Truth(match name {
                        "contains" => whole.contains(&part),
                        "startswith" => whole.starts_with(&part),
                        _ => whole.ends_with(&part),
                    })
                }
                _ => ConditionValue::Open,
            },
            _ => ConditionValue::Open,
        },
        _ => ConditionValue::Open,
    }
}

fn truth(value: &ConditionValue) -> Option<bool> {
    match value {
        ConditionValue::Truth(truth) => Some(*truth),
        ConditionValue::Text(text) => Some(!text.is_empty()),
        ConditionValue::Open => None,
    }
}

fn text(value: &ConditionValue) -> Option<String> {
    match value {
        ConditionValue::Text(text) => Some(text.clone()),
        ConditionValue::Truth(truth) => Some(truth.to_string()),
        ConditionValue::Open => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_decides_and_nothing_else() {
        let row = [("matrix.os", "ubuntu-latest"), ("matrix.lint", "true"), ("inputs.x", "")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        for (condition, expected) in [
            ("", true),
            ("${{ !cancelled() }}", true),
            ("success() || failure()", true),
            ("failure()", false),
            ("!startsWith(github.ref, 'refs/tags/')", true),
            ("startsWith(github.ref, 'refs/tags/')", false),
            ("github.event_name != 'schedule'", true),
            ("github.event_name == 'push' && github.ref == 'refs/heads/main'", false),
            ("github.event_name == 'pull_request' || github.event_name == 'workflow_dispatch'", true),
            ("runner.os == 'Windows'", false),
            ("matrix.os == 'ubuntu-latest'", true),
            ("matrix.os != 'ubuntu-latest'", false),
            ("startsWith(matrix.os, 'windows')", false),
            ("matrix.lint", true),
            ("inputs.x", false),
            ("matrix.none == 'a'", true),
            ("github.repository == 'a/b' && runner.os == 'macOS'", false),
            ("contains(fromJSON('[1]'), matrix.os)", true),
            ("!(runner.os == 'Linux')", false),
            ("((((", true),
            ("it''s == 'it''s", true),
        ] {
            assert_eq!(may_hold(condition, &row, "pull_request"), expected, "{condition}");
        }
        assert!(may_hold(&"(".repeat(10_000), &row, "push"));
        assert!(may_hold(&"!".repeat(10_000), &row, "push"));
    }
}
