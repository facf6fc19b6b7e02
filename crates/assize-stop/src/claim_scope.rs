//! How much a claim about tests covers: all of them, or some.

use std::sync::LazyLock;

use assize_ecosystem::command::CommandRole;
use regex::Regex;

use crate::transcript::command;

/// Returns whether a claim speaks of all tests.
pub fn is_about_all(sentence: &str) -> bool {
    let words = sentence.to_ascii_lowercase();
    let mut words = words.split(|character: char| !character.is_ascii_alphabetic());
    words.any(|word| matches!(word, "all" | "full" | "whole" | "entire" | "every" | "complete"))
        && !is_partial(sentence)
}

/// Returns whether the claim is about some of the tests.
pub fn is_partial(claim: &str) -> bool {
    static PART: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:new|added|unit|integration|e2e|end-to-end|regression|relevant|affected|related|updated|targeted|focused|corresponding|",
            r"these|those|this|both|two|three|four|five|my|its|existing|other|backend|frontend|doc|smoke|type|lint)\b",
            // What is said of something else than tests narrows nothing.
            r"(?:[ ,/+-]+[a-z0-9`-]+){0,3}[ ,/+-]+(?:tests?|specs?|suites?|cases?|checks?|ones|examples?|pass\w*)\b",
        ))
        .expect("valid pattern")
    });
    let mut whole = String::with_capacity(claim.len());
    for (index, span) in claim.split('`').enumerate() {
        // Every second span is quoted. A command that runs all tests is no part of them.
        match index % 2 == 1 && runs_all_tests(span) {
            true => whole.push_str("the tests"),
            false if index % 2 == 1 => return true,
            false => whole.push_str(span),
        }
    }
    PART.is_match(&whole)
}

/// Returns whether a command line runs tests and selects none of them.
fn runs_all_tests(command: &str) -> bool {
    let plain = |word: &str| {
        matches!(
            word,
            "npm"
                | "pnpm"
                | "yarn"
                | "bun"
                | "deno"
                | "npx"
                | "run"
                | "test"
                | "t"
                | "cargo"
                | "nextest"
                | "--workspace"
                | "--all"
                | "--all-features"
                | "pytest"
                | "-q"
                | "python"
                | "-m"
                | "unittest"
                | "uv"
                | "poetry"
                | "tox"
                | "jest"
                | "vitest"
                | "mocha"
                | "go"
                | "./..."
                | "make"
                | "just"
                | "mvn"
                | "gradle"
                | "./gradlew"
                | "rspec"
                | "bundle"
                | "exec"
                | "dotnet"
                | "swift"
                | "mix"
                | "ctest"
        )
    };
    command::role(command) == CommandRole::Test && command.split_whitespace().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tests_are_told_from_some() {
        for (claim, all) in [
            ("All tests pass.", true),
            ("The whole suite is green.", true),
            ("All tests pass (`cargo test`).", true),
            ("Tests pass.", false),
            ("All new tests pass.", false),
            ("All 5 tests of `cart` pass.", false),
        ] {
            assert_eq!(is_about_all(claim), all, "{claim}");
        }
    }
}
