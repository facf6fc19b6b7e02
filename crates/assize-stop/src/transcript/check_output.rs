//! What the output of a linter, formatter, checker of types or build says, where its exit status is hidden.
//!
//! Only the last words that tools are known to end with count. What is not known tells nothing.

use std::sync::LazyLock;

use regex::Regex;

use super::command::parts;

/// What tools print where they find nothing.
const CLEAN: [&str; 13] = [
    "0 issues.",
    "All checks passed",
    "Success: no issues found",
    "All matched files use Prettier code style",
    "Found 0 errors",
    "0 errors, 0 warnings",
    "No ESLint warnings or errors",
    "No fixes applied",
    "Finished `",
    "built in ",
    "Compiled successfully",
    "BUILD SUCCESS",
    "would be left unchanged",
];

/// Tools that print nothing where they find nothing.
const SILENT: [&[&str]; 10] = [
    &["go", "build"],
    &["go", "vet"],
    &["gofmt", "-l"],
    &["cargo", "fmt"],
    &["rustfmt", "--check"],
    &["tsc"],
    &["npx", "tsc"],
    &["eslint"],
    &["npx", "eslint"],
    &["flake8"],
];

/// Returns whether the output of a command line says that its check found nothing; `None` where it does not tell.
pub fn found_nothing(command: &str, output: &str) -> Option<bool> {
    static FOUND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?m-u)^(?:\s*error(?:\[E\d+\])?[: ]|Found [1-9]\d* (?:errors?|diagnostics?)|[1-9]\d* issues?:|would reformat )|",
            r"\berror TS\d+|✖ \d+ problems? \([1-9]|Code style issues|BUILD FAIL|Failed to compile|could not compile",
        ))
        .expect("valid pattern")
    });
    if FOUND.is_match(output) {
        return Some(false);
    }
    if CLEAN.iter().any(|words| output.contains(words)) {
        return Some(true);
    }
    let parts = parts(command);
    let is_silent = |part: &Vec<String>| SILENT.iter().any(|call| call.iter().eq(part.iter().take(call.len())));
    (output.trim().is_empty() && parts.iter().any(is_silent)).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_of_tools_are_known() {
        for (command, output, result) in [
            ("golangci-lint run ./... 2>&1 | tail -3", "0 issues.\n", Some(true)),
            ("golangci-lint run ./... 2>&1 | tail -3", "12 issues:\n* errcheck: 12\n", Some(false)),
            ("uv run ruff check . 2>&1 | tail -2", "All checks passed!\n", Some(true)),
            ("uv run ruff check . 2>&1 | tail -2", "Found 3 errors.\n", Some(false)),
            ("mypy src | tail -1", "Success: no issues found in 24 source files", Some(true)),
            ("go build ./... 2>&1 | head -5", "", Some(true)),
            ("go build ./... 2>&1 | head -5", "./a.go:3:2: undefined: x", None),
            ("npx eslint . | tail -3", "✖ 3 problems (2 errors, 1 warning)", Some(false)),
            ("npx eslint . | tail -3", "✖ 1 problem (0 errors, 1 warning)", None),
            ("npx tsc --noEmit | head", "src/a.ts(3,5): error TS2322: Type", Some(false)),
            ("cargo build 2>&1 | tail -1", "    Finished `dev` profile [unoptimized] target(s) in 0.4s", Some(true)),
            ("cargo build 2>&1 | tail -5", "error[E0308]: mismatched types", Some(false)),
            ("./check.sh | tail", "", None),
        ] {
            assert_eq!(found_nothing(command, output), result, "{command}: {output}");
        }
    }
}
