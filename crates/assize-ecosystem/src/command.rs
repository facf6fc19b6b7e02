//! What a command is for: does it run tests, check the code, or something else?

use serde::{Deserialize, Serialize};

/// What a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CommandRole {
    /// Runs tests.
    Test,
    /// Builds, lints or checks types.
    Check,
    /// Starts a program or script whose purpose the name does not tell.
    Script,
    /// Anything else: looking around, version control, file handling.
    Other,
}

/// The first argument that is no option.
pub(crate) fn subcommand<'a>(arguments: &[&'a str]) -> &'a str {
    arguments.iter().find(|word| !word.starts_with(['-', '+'])).copied().unwrap_or_default()
}

/// The role of a program whose subcommand says whether it runs tests.
pub(crate) fn test_or_check(arguments: &[&str]) -> CommandRole {
    if subcommand(arguments).contains("test") { CommandRole::Test } else { CommandRole::Check }
}

/// Returns whether an argument names tests.
pub(crate) fn names_tests(arguments: &[&str]) -> bool {
    arguments.iter().any(|word| is_test_word(word))
}

/// Returns whether a word names tests: `run_tests.sh`, `tests/test_api.py`, `a.spec.ts`.
pub(crate) fn is_test_word(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let stem = name.split('.').next().unwrap_or(name);
    let parts = stem.split(['_', '-', ':']);
    !name.starts_with('-') && parts.into_iter().any(|part| matches!(part, "test" | "tests" | "spec" | "runtests"))
        || name.contains(".test.")
        || name.contains(".spec.")
}
