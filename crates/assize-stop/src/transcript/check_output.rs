//! What the output of a linter, formatter, checker of types or build says, where its exit status is hidden.
//!
//! Only the last words that tools are known to end with count. What is not known tells nothing.

use std::sync::LazyLock;

use regex::Regex;

use super::command::parts;
use crate::verification::CheckKind;

/// What tools print where a build comes to its end.
const BUILT: [&str; 4] = ["Finished `", "built in ", "Compiled successfully", "BUILD SUCCESS"];
/// What checkers print where they find nothing.
const CLEAN: [&str; 9] = [
    "0 issues.",
    "All checks passed",
    "Success: no issues found",
    "All matched files use Prettier code style",
    "Found 0 errors",
    "0 errors, 0 warnings",
    "No ESLint warnings or errors",
    "No fixes applied",
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

/// What agents write down where a command printed nothing.
const BLANK: [&str; 4] = [
    "(Bash completed with no output)",
    "(PowerShell completed with no output)",
    "Tool ran without output",
    "(no output)",
];

/// Programs that print nothing of their own behind such a tool.
const QUIET: [&str; 7] = ["cd", "echo", "head", "tail", "cat", "set", "true"];

/// Returns whether an output has words with which only checks of this kind say that they found something, whatever else ran on the
/// same line.
pub fn reports_fault(output: &str, kind: CheckKind) -> bool {
    static TYPES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m-u)\berror TS\d+|^Found [1-9]\d* errors? in \d+ files?\b|^[1-9]\d* errors?, \d+ warnings?, \d+ informations?").expect("valid pattern")
    });
    static LINT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?m-u)✖ \d+ problems? \([1-9]|^Found [1-9]\d* (?:errors?\.|diagnostics?)|^[1-9]\d* issues?:|^would reformat |\bCode style issues|",
            r"\b[1-9]\d* offenses? detected|^[1-9]\d* files? would be reformatted",
        ))
        .expect("valid pattern")
    });
    static BUILD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m-u)\berror (?:TS|CS)\d+|\bBUILD FAIL|\bBuild FAILED|Failed to compile|could not compile|\bundefined reference to\b").expect("valid pattern")
    });
    match kind {
        CheckKind::Types => TYPES.is_match(output),
        CheckKind::Lint => LINT.is_match(output),
        CheckKind::Build => BUILD.is_match(output),
        CheckKind::Tests => false,
    }
}

/// Returns whether the output of a command line says that its check found nothing; `None` where it does not tell. `builds` says
/// whether a build is asked about.
pub fn found_nothing(command: &str, output: &str, builds: bool) -> Option<bool> {
    if ["--version", "--help", "--showConfig"].iter().any(|option| command.contains(option)) {
        return None;
    }
    static FOUND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?m-u)^(?:\s*error(?:\[E\d+\])?[: ]|Found [1-9]\d* (?:errors?|diagnostics?)|[1-9]\d* issues?:|would reformat )|",
            r"\berror TS\d+|✖ \d+ problems? \([1-9]|Code style issues|BUILD FAIL|Failed to compile|could not compile",
        ))
        .expect("valid pattern")
    });
    // A program that is not there finds nothing, and nothing wrong.
    let is_missing = |line: &&str| {
        ["Failed to spawn", "command not found", "not recognized as"].iter().any(|words| line.contains(words))
    };
    if output.lines().filter(|line| !is_missing(line)).any(|line| FOUND.is_match(line)) {
        return Some(false);
    }
    let ends: &[&str] = if builds { &BUILT } else { &CLEAN };
    if ends.iter().any(|words| output.contains(words)) {
        return Some(true);
    }
    let parts = parts(command);
    let is_silent = |part: &&Vec<String>| SILENT.iter().any(|call| call.iter().eq(part.iter().take(call.len())));
    let silent = parts.iter().filter(is_silent).count();
    if silent == 0 {
        return None;
    }
    static FAULT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m-u)^[!-~]+:\d+(?::\d+)?: |^[!-~]+\.go$").expect("valid pattern"));
    let is_said = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !BLANK.contains(&line) && !line.starts_with("go: ")
    };
    // Others on the line may have printed it.
    let alone = parts.iter().filter(|part| !is_silent(part)).all(|part| QUIET.contains(&part[0].as_str()));
    let echoes = parts.iter().any(|part| part[0] == "echo");
    match (output.lines().any(|line| is_said(&line)), FAULT.is_match(output)) {
        (false, _) => Some(true),
        (true, true) => (alone && silent == 1 && !command.contains("eslint")).then_some(false),
        // What `echo` says is no fault.
        (true, false) => (alone && echoes && output.lines().filter(is_said).count() == 1).then_some(true),
    }
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
            ("ruff check . && ty check . | tail -4", "All checks passed!\nerror: Failed to spawn: `ty`\n", Some(true)),
            ("mypy src | tail -1", "Success: no issues found in 24 source files", Some(true)),
            ("go build ./... 2>&1 | head -5", "", Some(true)),
            ("go build ./... 2>&1 | head -5", "./a.go:3:2: undefined: x", Some(false)),
            ("go build ./... 2>&1 | head -5", "go: downloading x v1.0.0", Some(true)),
            ("go vet ./... 2>&1 | head -5", "(Bash completed with no output)", Some(true)),
            ("npx tsc --noEmit 2>&1 | tail -1; echo \"exit: $?\"", "  Type 'x' is not assignable.\nexit: 0", None),
            ("npx tsc --noEmit && echo OK", "OK", Some(true)),
            ("npx tsc --noEmit 2>&1 | tail -5", "npm notice New version of npm", None),
            ("npx tsc --version | head -1", "Version 5.4.5", None),
            ("go vet ./... 2>&1 | head; echo $?", "./a.go:3:2: undefined: x", Some(false)),
            ("npm run lint && npm run build | tail -1", "✓ built in 3.1s", Some(true)),
            ("go vet ./... && go test ./... | tail -1", "ok  a 0.1s", None),
            ("npx eslint . | tail -3", "✖ 3 problems (2 errors, 1 warning)", Some(false)),
            ("npx eslint . | tail -3", "✖ 1 problem (0 errors, 1 warning)", None),
            ("npx tsc --noEmit | head", "src/a.ts(3,5): error TS2322: Type", Some(false)),
            ("cargo build 2>&1 | tail -1", "    Finished `dev` profile [unoptimized] target(s) in 0.4s", Some(true)),
            ("cargo build 2>&1 | tail -5", "error[E0308]: mismatched types", Some(false)),
            ("./check.sh | tail", "", None),
        ] {
            let builds = command.contains("build");
            assert_eq!(found_nothing(command, output, builds), result, "{command}: {output}");
        }
    }
}
