//! What a shell command line is for.
//!
//! A shallow reading of command lines: enough to tell a run of tests from a listing of files. It
//! must not try to be a shell.

use assize_ecosystem::command::CommandRole;

/// Tells what a command line is for; the most telling part of it counts.
pub fn role(command: &str) -> CommandRole {
    let mut role = CommandRole::Other;
    for part in parts(command) {
        let words: Vec<&str> = part.iter().map(String::as_str).collect();
        match assize_ecosystem::command_role(&words) {
            CommandRole::Test => return CommandRole::Test,
            CommandRole::Check => role = CommandRole::Check,
            CommandRole::Script if role == CommandRole::Other => role = CommandRole::Script,
            _ => {}
        }
    }
    role
}

/// Returns whether a command line runs selected tests: those of a file, a package or a pattern. What it does not know selects nothing.
pub fn selects_tests(command: &str) -> bool {
    const OPTIONS: [&str; 13] = [
        "-k",
        "-m",
        "-t",
        "-g",
        "-run",
        "-p",
        "--package",
        "--grep",
        "--filter",
        "--tests",
        "--testNamePattern",
        "--test-name-pattern",
        "--testPathPattern",
    ];
    const OF_CARGO: [&str; 4] = ["--test", "--lib", "--bin", "--doc"];
    parts(command).iter().any(|part| {
        let words: Vec<&str> = part.iter().map(String::as_str).collect();
        if assize_ecosystem::command_role(&words) != CommandRole::Test {
            return false;
        }
        // `-m` in front of the runner starts it: `python -m pytest`.
        let runner = words.iter().position(|word| is_runner(word)).unwrap_or(0);
        let arguments = &words[runner + 1..];
        let names_one = |word: &&str| {
            let option = word.split('=').next().unwrap_or(word);
            let file = word.rsplit('/').next().unwrap_or(word);
            OPTIONS.contains(&option)
                || words[0] == "cargo" && OF_CARGO.contains(&option)
                || word.contains("::")
                || word.starts_with("-Dtest=")
                || !word.starts_with('-')
                    && word.contains(['/', '.'])
                    && !word.contains("...")
                    && !file.is_empty()
                    && *word != "."
        };
        // `cargo test NAME`, and only there: a word alone may be a script elsewhere.
        let filter = words.starts_with(&["cargo", "test"])
            && words[2..].iter().take_while(|word| **word != "--").any(|word| !word.starts_with('-'))
            && !words[2..].iter().any(|word| word.starts_with("--") && word.len() > 2);
        arguments.iter().any(names_one) || filter
    })
}

fn is_runner(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    matches!(
        name,
        "test"
            | "pytest"
            | "unittest"
            | "jest"
            | "vitest"
            | "mocha"
            | "rspec"
            | "phpunit"
            | "nextest"
            | "ctest"
            | "tox"
            | "ava"
            | "tap"
    )
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
/// not opened, and where input comes from and output goes to is left out.
pub(crate) fn parts(command: &str) -> Vec<Vec<String>> {
    let mut parts = vec![Vec::new()];
    let mut word = String::new();
    let (mut quote, mut is_target) = (None, false);
    let end_word = |word: &mut String, parts: &mut Vec<Vec<String>>, is_target: &mut bool| {
        let ended = std::mem::take(word);
        if !ended.is_empty() && !std::mem::take(is_target) {
            parts.last_mut().expect("never empty").push(ended);
        }
    };
    let mut characters = command.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => word.push(character),
            (None, '\'' | '"') => quote = Some(character),
            (None, '<' | '>') if next != Some('(') => {
                // The number of a stream stands right before it: `2>&1`.
                if word.bytes().all(|byte| byte.is_ascii_digit()) {
                    word.clear();
                }
                end_word(&mut word, &mut parts, &mut is_target);
                while characters.next_if(|next| matches!(next, '<' | '>' | '&')).is_some() {}
                is_target = true;
            }
            (None, '&') if next == Some('>') => {}
            (None, ';' | '|' | '&' | '\n' | '(' | ')') => {
                end_word(&mut word, &mut parts, &mut is_target);
                is_target = false;
                parts.push(Vec::new());
            }
            (None, _) if character.is_whitespace() => end_word(&mut word, &mut parts, &mut is_target),
            (None, _) => word.push(character),
        }
    }
    end_word(&mut word, &mut parts, &mut is_target);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirections_are_no_words() {
        let split = |command: &str| parts(command).iter().map(|part| part.join(" ")).collect::<Vec<_>>();
        assert_eq!(split("cargo test 2>&1 | tail -5"), ["cargo test", "tail -5"]);
        assert_eq!(split("go test ./... > out.txt 2> err.txt && cat out.txt"), ["go test ./...", "cat out.txt"]);
        assert_eq!(split("pytest -q &> log; wc -l < log"), ["pytest -q", "wc -l"]);
        assert_eq!(split("echo 'a > b' >> c"), ["echo a > b"]);
        assert_eq!(split("server & pytest"), ["server", "pytest"]);
        assert!(!selects_tests("cargo test 2>&1") && !selects_tests("npm test > /tmp/out.txt"));
        assert!(selects_tests("cargo test parser 2>&1"));
    }

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
            assert_eq!(super::role(command), role, "{command}");
        }
    }

    #[test]
    fn selected_tests_are_told_from_all() {
        for command in [
            "pytest tests/test_api.py -q",
            "python -m pytest -k login",
            "npx vitest run src/cart.test.ts",
            "npx jest -t 'adds'",
            "go test ./store -run TestGet",
            "cargo test -p core",
            "cargo test parser",
            "cd app && cargo test --lib",
            "pytest tests/test_api.py::test_login",
            "node --test test/cart.test.js",
            "mvn -q test -Dtest=CartTest",
            "bundle exec rspec spec/cart_spec.rb",
        ] {
            assert!(selects_tests(command), "{command}");
        }
        for command in [
            "pytest -q",
            "python -m pytest",
            "uv run pytest -x --tb=short",
            "npm test",
            "npx vitest run",
            "go test ./...",
            "cargo test --workspace --all-features",
            "cargo test",
            "cargo test -- --nocapture",
            "node --test",
            "mvn -q test",
            "ls tests/test_api.py",
        ] {
            assert!(!selects_tests(command), "{command}");
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
