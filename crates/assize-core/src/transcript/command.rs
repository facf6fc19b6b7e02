//! What a shell command line is for.
//!
//! A shallow reading of command lines: enough to tell a run of tests from a listing of files. It
//! must not try to be a shell.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

impl CommandRole {
    /// Reads a command line; the most telling part of it counts.
    pub fn of(command: &str) -> Self {
        let mut role = Self::Other;
        for part in parts(command) {
            match part_role(&part) {
                Self::Test => return Self::Test,
                Self::Check => role = Self::Check,
                Self::Script if role == Self::Other => role = Self::Script,
                _ => {}
            }
        }
        role
    }
}

/// Returns whether the command line hides the exit status of its main part.
pub fn masks_status(command: &str) -> bool {
    if command.contains("pipefail") {
        return false;
    }
    let flat = command.replace("2>&1", "");
    flat.contains("|| true")
        || flat.contains("||true")
        || flat.contains("|| :")
        || flat.contains("|| echo")
        || flat.contains("; echo")
        || flat.contains("; true")
        || flat.replace("||", "").contains('|')
        || flat.trim_end().ends_with('&') && !flat.trim_end().ends_with("&&")
}

/// Splits a command line into simple commands of words. Quotes are respected, substitutions are
/// not opened.
pub(super) fn parts(command: &str) -> Vec<Vec<String>> {
    let mut parts = vec![Vec::new()];
    let mut word = String::new();
    let mut quote = None;
    let end_word = |word: &mut String, parts: &mut Vec<Vec<String>>| {
        if !word.is_empty() {
            parts.last_mut().expect("never empty").push(std::mem::take(word));
        }
    };
    for character in command.chars() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => word.push(character),
            (None, '\'' | '"') => quote = Some(character),
            (None, ';' | '|' | '&' | '\n' | '(' | ')') => {
                end_word(&mut word, &mut parts);
                parts.push(Vec::new());
            }
            (None, _) if character.is_whitespace() => end_word(&mut word, &mut parts),
            (None, _) => word.push(character),
        }
    }
    end_word(&mut word, &mut parts);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Programs that run another program given as their arguments.
const WRAPPERS: [&str; 22] = [
    "sudo", "time", "env", "nice", "timeout", "npx", "bunx", "pnpx", "xvfb-run", "uv", "poetry", "pipenv", "hatch",
    "pdm", "bundle", "nohup", "stdbuf", "command", "exec", "direnv", "rye", "mise",
];

fn part_role(words: &[String]) -> CommandRole {
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    while let Some(first) = words.first() {
        let wrapper = WRAPPERS.contains(first);
        let assignment = first.contains('=') && !first.starts_with(['-', '.', '/']);
        let argument = first.starts_with('-') || first.trim_end_matches(['s', 'm']).parse::<f64>().is_ok();
        if wrapper || assignment || argument || matches!(*first, "run" | "exec" | "-m") {
            words.remove(0);
        } else {
            break;
        }
    }
    let Some((&program, arguments)) = words.split_first() else { return CommandRole::Other };
    let program = program.rsplit('/').next().unwrap_or(program);
    let has = |word: &str| arguments.contains(&word);
    let first = arguments.iter().find(|word| !word.starts_with(['-', '+'])).copied().unwrap_or_default();
    match program {
        "pytest" | "py.test" | "tox" | "nox" | "jest" | "vitest" | "mocha" | "ava" | "karma" | "playwright"
        | "cypress" | "rspec" | "phpunit" | "pest" | "ctest" | "bats" | "gotestsum" | "prove" | "nosetests"
        | "cargo-nextest" | "busted" | "tap" | "trybuild" => CommandRole::Test,
        "cargo" => match first {
            "test" | "nextest" | "t" | "miri" | "llvm-cov" | "mutants" | "tarpaulin" => CommandRole::Test,
            "build" | "check" | "clippy" | "b" | "c" | "doc" | "fmt" | "deny" => CommandRole::Check,
            "run" | "r" | "xtask" | "bench" => CommandRole::Script,
            _ => CommandRole::Other,
        },
        "npm" | "pnpm" | "yarn" | "bun" | "deno" => script_role(arguments),
        "go" => match first {
            "test" => CommandRole::Test,
            "build" | "vet" => CommandRole::Check,
            "run" => CommandRole::Script,
            _ => CommandRole::Other,
        },
        "python" | "python3" | "python2" | "py" => {
            if has("pytest")
                || has("unittest")
                || has("doctest")
                || arguments.iter().any(|word| is_test_name(word))
                || (has("manage.py") && has("test"))
            {
                CommandRole::Test
            } else {
                CommandRole::Script
            }
        }
        "node" | "ruby" | "php" | "tsx" | "ts-node" | "perl" | "bash" | "sh" | "zsh" => {
            if has("--test") || arguments.iter().any(|word| is_test_name(word)) {
                CommandRole::Test
            } else {
                CommandRole::Script
            }
        }
        "make" | "just" | "task" | "mask" | "rake" | "ninja" | "bazel" | "nx" | "turbo" | "invoke" | "lerna"
        | "meson" => {
            let telling = |word: &&str| word.contains("test") || word.contains("spec");
            if arguments.iter().any(telling) { CommandRole::Test } else { CommandRole::Check }
        }
        "mvn" | "mvnw" | "gradle" | "gradlew" | "sbt" | "ant" => {
            if arguments
                .iter()
                .any(|word| word.contains("test") || matches!(*word, "verify" | "install" | "check" | "package"))
            {
                CommandRole::Test
            } else {
                CommandRole::Check
            }
        }
        "dotnet" | "swift" | "mix" | "flutter" | "dart" | "zig" | "stack" | "cabal" | "lein" | "elm-test"
        | "composer" | "rails" => {
            if first.contains("test") || program == "elm-test" {
                CommandRole::Test
            } else {
                CommandRole::Check
            }
        }
        "tsc" | "eslint" | "biome" | "prettier" | "ruff" | "mypy" | "pyright" | "flake8" | "pylint" | "black"
        | "rustfmt" | "golangci-lint" | "gofmt" | "shellcheck" | "gcc" | "g++" | "clang" | "clang++" | "rustc"
        | "javac" | "cmake" | "vue-tsc" | "next" | "vite" | "webpack" | "tsup" | "esbuild" => CommandRole::Check,
        _ if is_test_name(program) => CommandRole::Test,
        _ if words[0].starts_with("./") || words[0].starts_with('/') || program.contains('.') => CommandRole::Script,
        _ => CommandRole::Other,
    }
}

/// Reads the script names of a JavaScript package manager.
fn script_role(arguments: &[&str]) -> CommandRole {
    let mut words = arguments.iter().filter(|word| !word.starts_with('-'));
    let mut name = words.next().copied().unwrap_or_default();
    if matches!(name, "run" | "run-script" | "exec" | "dlx" | "x" | "task" | "workspace") {
        name = words.next().copied().unwrap_or_default();
    }
    if name == "t"
        || name.contains("test")
        || matches!(name, "vitest" | "jest" | "mocha" | "e2e" | "playwright" | "cypress")
    {
        CommandRole::Test
    } else if ["build", "lint", "check", "type", "tsc", "format", "eslint"].iter().any(|part| name.contains(part)) {
        CommandRole::Check
    } else if matches!(name, "install" | "i" | "ci" | "add" | "remove" | "view" | "ls" | "init" | "") {
        CommandRole::Other
    } else {
        CommandRole::Script
    }
}

fn is_test_name(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let stem = name.split('.').next().unwrap_or(name);
    let parts = stem.split(['_', '-', ':']);
    !name.starts_with('-') && parts.into_iter().any(|part| matches!(part, "test" | "tests" | "spec" | "runtests"))
        || name.contains(".test.")
        || name.contains(".spec.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_read_off_the_words() {
        for (command, role) in [
            ("cargo test -p core", CommandRole::Test),
            ("cd app && RUST_LOG=1 cargo +nightly nextest run", CommandRole::Test),
            ("npx vitest run 2>&1 | tail -20", CommandRole::Test),
            ("npm run test:unit -- --watch=false", CommandRole::Test),
            ("pnpm --silent test", CommandRole::Test),
            ("uv run pytest -q", CommandRole::Test),
            ("timeout 60 python -m pytest", CommandRole::Test),
            ("python -m doctest checkout.py -v | tail -3", CommandRole::Test),
            ("python3 tests/test_api.py", CommandRole::Test),
            ("./run_tests.sh", CommandRole::Test),
            ("make test", CommandRole::Test),
            ("go test ./...", CommandRole::Test),
            ("./gradlew check", CommandRole::Test),
            ("cargo build --release", CommandRole::Check),
            ("npm run build", CommandRole::Check),
            ("tsc --noEmit", CommandRole::Check),
            ("python main.py", CommandRole::Script),
            ("./verify.sh", CommandRole::Script),
            ("ls tests", CommandRole::Other),
            ("git commit -m 'cargo test passes'", CommandRole::Other),
            ("echo \"cargo test\"", CommandRole::Other),
            ("grep -rn test src", CommandRole::Other),
            ("npm install", CommandRole::Other),
            ("cat latest.txt", CommandRole::Other),
        ] {
            assert_eq!(CommandRole::of(command), role, "{command}");
        }
    }

    #[test]
    fn hidden_statuses_are_noticed() {
        for command in ["cargo test || true", "cargo test 2>&1 | tail -5", "cargo test; echo done", "npm t &"] {
            assert!(masks_status(command), "{command}");
        }
        for command in ["cargo test 2>&1", "a && b", "a || b", "set -o pipefail; cargo test | tail"] {
            assert!(!masks_status(command), "{command}");
        }
    }
}
