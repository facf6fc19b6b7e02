//! Which checks a command line makes, and what the last run of a kind came to.

use std::collections::BTreeSet;

use assize_ecosystem::command::CommandRole;
use assize_ecosystem::find_tool;
use assize_ecosystem::tool::ToolKind;

use crate::transcript::check_output::{found_nothing, reports_fault};
use crate::transcript::command::parts;
use crate::transcript::{CommandRun, CommandState};
use crate::verification::CheckKind;

/// Tells which checks a command line makes.
pub fn kinds(command: &str) -> BTreeSet<CheckKind> {
    let mut kinds = BTreeSet::new();
    for part in parts(command) {
        let words: Vec<&str> = part.iter().map(String::as_str).collect();
        let role = assize_ecosystem::command_role(&words);
        if role == CommandRole::Test {
            kinds.insert(CheckKind::Tests);
            kinds.insert(CheckKind::Build);
        }
        let hooks = words.first() == Some(&"pre-commit");
        if !matches!(role, CommandRole::Check | CommandRole::Script) && !hooks {
            continue;
        }
        let mut own = BTreeSet::new();
        for word in &words {
            let name = word.rsplit('/').next().unwrap_or(word);
            for kind in find_tool(name).into_iter().flat_map(|tool| tool.kinds) {
                match kind {
                    ToolKind::Formatter | ToolKind::Linter => own.insert(CheckKind::Lint),
                    ToolKind::TypeChecker => own.insert(CheckKind::Types),
                    _ => false,
                };
            }
            let holds = |texts: &[&str]| texts.iter().any(|text| name.contains(text));
            if holds(&LINTERS) {
                own.insert(CheckKind::Lint);
            }
            if holds(&["type", "tsc", "mypy", "pyright"]) {
                own.insert(CheckKind::Types);
            }
            if holds(&["build", "compile", "tsc", "bundle", "assemble", "package", "make"]) {
                own.insert(CheckKind::Build);
            }
        }
        // `cargo check` builds, `ruff check` does not.
        if own.is_empty() && words.iter().any(|word| word.contains("check")) {
            own.insert(CheckKind::Build);
        }
        kinds.append(&mut own);
    }
    kinds
}

/// Parts of the names of linters and formatters, and of the tasks that run them.
const LINTERS: [&str; 16] = [
    "lint",
    "fmt",
    "format",
    "clippy",
    "vet",
    "style",
    "detekt",
    "spotless",
    "pmd",
    "rubocop",
    "credo",
    "clang-tidy",
    "cppcheck",
    "phpcs",
    "scalafix",
    "spotbugs",
];

/// What a run of a check came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckResult {
    /// It found nothing.
    Clean,
    /// It found something. `sure` where that is the check's own doing, and not that of another command on the line.
    Faulty {
        /// Whether nothing else on the line can have failed.
        sure: bool,
    },
    /// The transcript does not tell.
    Unknown,
}

/// Returns the last of these runs of a kind, and what it came to.
pub fn last_check(commands: &[CommandRun], kind: CheckKind) -> Option<(&CommandRun, CheckResult)> {
    let is_meant =
        |run: &&CommandRun| !run.was_refused() && !run.only_prints() && kinds(run.command.inspect()).contains(&kind);
    let run = commands.iter().rev().find(is_meant)?;
    Some((run, result_of(run, kind)))
}

/// Returns what a run of a kind of check came to.
pub fn result_of(run: &CommandRun, kind: CheckKind) -> CheckResult {
    let said = found_nothing(run.command.inspect(), run.output.inspect(), kind == CheckKind::Build);
    if let Some(status) = echoed_status(run) {
        let sure = checks_alone(run.command.inspect(), kind);
        return if status == 0 { CheckResult::Clean } else { CheckResult::Faulty { sure } };
    }
    let says_so = reports_fault(run.output.inspect(), kind);
    match (run.state, said) {
        (CommandState::Failed, Some(false)) => CheckResult::Faulty { sure: true },
        // The status is that of the last command on the line.
        (CommandState::Succeeded, _) if says_so && runs_before_another(run.command.inspect(), kind) => {
            CheckResult::Faulty { sure: true }
        }
        (CommandState::Failed, _) => CheckResult::Faulty { sure: checks_alone(run.command.inspect(), kind) },
        (CommandState::Succeeded, _) | (_, Some(true)) => CheckResult::Clean,
        (_, Some(false)) => CheckResult::Faulty { sure: says_so || checks_alone(run.command.inspect(), kind) },
        (CommandState::Unknown | CommandState::Running, None) => CheckResult::Unknown,
    }
}

/// The status that `echo $?` printed last, behind the command.
fn echoed_status(run: &CommandRun) -> Option<i32> {
    let (_, echo) = run.command.inspect().rsplit_once("; echo")?;
    let is_of_status = echo.contains("$?") && !echo.contains([';', '&', '|']);
    let last = run.output.inspect().lines().rev().find(|line| !line.trim().is_empty()).filter(|_| is_of_status)?;
    let digits = last.trim_end_matches(|character: char| !character.is_ascii_digit());
    digits.rsplit(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

/// Returns whether a check of this kind stands before a semicolon or the end of a line, and something else behind it.
fn runs_before_another(command: &str, kind: CheckKind) -> bool {
    let mut rest = command.split([';', '\n']).filter(|part| !part.trim().is_empty()).peekable();
    std::iter::from_fn(|| rest.next().filter(|_| rest.peek().is_some())).any(|part| kinds(part).contains(&kind))
}

/// Returns whether every command on the line that can find fault is a check of this kind alone.
fn checks_alone(command: &str, kind: CheckKind) -> bool {
    parts(command).iter().all(|part| {
        let words: Vec<&str> = part.iter().map(String::as_str).collect();
        let kinds = kinds(&part.join(" "));
        assize_ecosystem::command_role(&words) == CommandRole::Other
            || kinds.contains(&kind) && !kinds.contains(&CheckKind::Tests)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{FactsBuilder, ToolCall, ToolResult};

    #[test]
    fn commands_are_told_apart_by_what_they_check() {
        use CheckKind::{Build, Lint, Tests, Types};
        for (command, expected) in [
            ("npx eslint src", &[Lint][..]),
            ("npm run lint", &[Lint]),
            ("cargo clippy --all-targets", &[Lint]),
            ("npx tsc --noEmit", &[Types, Build]),
            ("uv run mypy src", &[Types]),
            ("npm run build", &[Build]),
            ("./gradlew detekt", &[Lint]),
            ("cargo test", &[Tests, Build]),
            ("ruff check . && mypy .", &[Types, Lint]),
            ("git status", &[]),
        ] {
            assert_eq!(kinds(command), expected.iter().copied().collect(), "{command}");
        }
    }

    #[test]
    fn a_fault_is_sure_where_nothing_else_can_have_failed() {
        let result = |command: &str, status: i64, output: &str, kind| {
            let mut facts = FactsBuilder::default();
            facts.call("1", ToolCall::Command { command: command.to_owned(), background: false });
            let output = output.to_owned();
            facts.result("1", &ToolResult { is_error: status != 0, exit_status: Some(status), output });
            last_check(&facts.finish().commands, kind).map(|(_, result)| result)
        };
        let faulty = |sure| Some(CheckResult::Faulty { sure });
        assert_eq!(result("npm run lint", 1, "x", CheckKind::Lint), faulty(true));
        assert_eq!(result("npm run lint && npm test", 1, "x", CheckKind::Lint), faulty(false));
        assert_eq!(
            result("npm run lint | tail -3", 0, "✖ 2 problems (1 error, 1 warning)", CheckKind::Lint),
            faulty(true)
        );
        assert_eq!(result("npm run lint | tail -3", 0, "bye", CheckKind::Lint), Some(CheckResult::Unknown));
        assert_eq!(result("cd web && npm run lint", 0, "", CheckKind::Lint), Some(CheckResult::Clean));
        assert_eq!(result("npm test", 1, "", CheckKind::Lint), None);
        assert_eq!(
            result("just lint; echo \"exit $?\"", 0, "warning: x\nexit 0", CheckKind::Lint),
            Some(CheckResult::Clean)
        );
        assert_eq!(result("just lint; echo $?", 0, "error: x\n101\n", CheckKind::Lint), faulty(true));
        assert_eq!(result("pre-commit run mypy --all-files", 1, "mypy....Failed", CheckKind::Types), faulty(true));
        let types = "a.py:2: error: Function is missing a type annotation  [no-untyped-def]\nFound 1 error in 1 file (checked 3 source files)\n2 passed in 0.02s";
        assert_eq!(result("ruff check . ; mypy ; pytest -q", 0, types, CheckKind::Types), faulty(true));
        assert_eq!(result("ruff check . ; mypy ; pytest -q", 0, types, CheckKind::Lint), Some(CheckResult::Clean));
        assert_eq!(result("pytest -q && mypy", 0, types, CheckKind::Types), Some(CheckResult::Clean));
    }
}
