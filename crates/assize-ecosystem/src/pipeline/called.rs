//! What a command calls: behind programs that only start others, the program that does the work.
//!
//! It must not read any file.

use assize_core::path::file_name;

/// Programs that start the command behind them, and their options that take a value as the next word. The program may be of
/// several words.
const STARTERS: [(&[&str], &[&str]); 27] = [
    (&["uv", "run"], UV),
    (&["uv", "tool", "run"], UV),
    (&["uvx"], UV),
    (&["pipx", "run"], &["--spec", "--python"]),
    (&["poetry", "run"], &[]),
    (&["pdm", "run"], &["-p"]),
    (&["rye", "run"], &[]),
    (&["pipenv", "run"], &[]),
    (&["pixi", "run"], &["-e", "--environment"]),
    (&["conda", "run"], &["-n", "-p"]),
    (&["micromamba", "run"], &["-n", "-p"]),
    (&["coverage", "run"], &["--source", "--rcfile", "--include", "--omit", "--context"]),
    (&["npx"], &["-p", "--package"]),
    (&["bunx"], &[]),
    (&["pnpx"], &[]),
    (&["pnpm", "exec"], &[]),
    (&["pnpm", "dlx"], &[]),
    (&["yarn", "exec"], &[]),
    (&["yarn", "dlx"], &[]),
    (&["npm", "exec"], &[]),
    (&["bun", "x"], &[]),
    (&["nyc"], &[]),
    (&["c8"], &[]),
    (&["cross-env"], &[]),
    (&["dotenv"], &[]),
    (&["timeout"], &["-k", "-s"]),
    (&["bundle", "exec"], &[]),
];
const UV: &[&str] = &[
    "--directory",
    "--env-file",
    "--extra",
    "--from",
    "--group",
    "--only-group",
    "--package",
    "--project",
    "--python",
    "--with",
    "--with-editable",
    "--with-requirements",
    "-p",
];
/// Options of Python that take a value as the next word.
const PYTHON: &[&str] = &["-W", "-X"];

/// Takes away what only starts a command.
pub(super) fn unwrapped(words: &[String]) -> Vec<String> {
    let mut words: Vec<String> = words.to_vec();
    while let Some(inner) = inner(&words) {
        words = inner;
    }
    if let Some(first) = words.first_mut() {
        *first = match file_name(first) {
            "gradlew" => "gradle",
            "mvnw" => "mvn",
            "py.test" => "pytest",
            name => name.split('@').next().filter(|name| !name.is_empty()).unwrap_or(name),
        }
        .to_owned();
    }
    words
}

/// The command behind one that only starts it.
fn inner(words: &[String]) -> Option<Vec<String>> {
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let first = file_name(texts.first()?);
    if first.starts_with("python") || first == "py" {
        let module = behind_options(&texts[1..], PYTHON);
        return (module.first() == Some(&"-m") && module.len() > 1).then(|| owned(&module[1..]));
    }
    if first == "cargo" {
        return cargo(&texts);
    }
    let (_, rest, valued) = STARTERS.iter().find_map(|(program, valued)| {
        let is_it =
            texts.len() > program.len() && file_name(texts[0]) == program[0] && texts[1..program.len()] == program[1..];
        is_it.then(|| (program, &texts[program.len()..], *valued))
    })?;
    let mut rest = behind_options(rest, valued);
    // A module that is measured, and numbers that are limits.
    if rest.first() == Some(&"-m") {
        rest = &rest[1..];
    }
    let is_value =
        |word: &&&str| word.trim_end_matches(['s', 'm']).parse::<f64>().is_ok() || super::shell::is_assignment(word);
    let skipped = rest.iter().take_while(is_value).count();
    (rest.len() > skipped).then(|| owned(&rest[skipped..]))
}

/// What stands behind options; `-m` names what is started.
fn behind_options<'w, 't>(words: &'w [&'t str], valued: &[&str]) -> &'w [&'t str] {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match *word {
            "--" => return &words[at + 1..],
            "-m" => return &words[at..],
            word if valued.contains(&word) => at += 2,
            word if word.starts_with('-') => at += 1,
            _ => break,
        }
    }
    words.get(at..).unwrap_or_default()
}

/// Tools of cargo that run its tests in their own way, and toolchains that are named.
fn cargo(words: &[&str]) -> Option<Vec<String>> {
    let rest = words.get(1..)?;
    match rest {
        [toolchain, rest @ ..] if toolchain.starts_with('+') => {
            Some([&["cargo"], rest].concat().iter().map(|it| (*it).to_owned()).collect())
        }
        ["llvm-cov", "nextest" | "test", rest @ ..] | ["llvm-cov" | "tarpaulin", rest @ ..] => {
            Some([&["cargo", "test"], rest].concat().iter().map(|it| (*it).to_owned()).collect())
        }
        ["hack" | "minimal-versions", rest @ ..] => {
            let at = rest.iter().position(|word| matches!(*word, "test" | "check" | "clippy" | "build" | "nextest"))?;
            Some(owned(&[&["cargo"], &rest[at..]].concat()))
        }
        _ => None,
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_starts_a_command_is_taken_away() {
        for (text, expected) in [
            ("uv run --frozen --group test pytest -x", "pytest -x"),
            ("uvx --with tox-uv tox run -e py", "tox run -e py"),
            ("uvx ruff@0.9 check", "ruff check"),
            ("python -X dev -m coverage run -p -m pytest tests", "pytest tests"),
            ("python3.12 -m tox -e lint", "tox -e lint"),
            ("python setup.py test", "python setup.py test"),
            (".venv/bin/pytest", "pytest"),
            ("npx --no-install eslint .", "eslint ."),
            ("nyc --reporter=lcov npm test", "npm test"),
            ("cross-env A=1 jest", "jest"),
            ("timeout 10m cargo +nightly test", "cargo test"),
            ("cargo llvm-cov nextest --workspace", "cargo test --workspace"),
            ("cargo hack --feature-powerset check --lib", "cargo check --lib"),
            ("./gradlew check", "gradle check"),
            ("uv run", "uv run"),
            ("npm", "npm"),
        ] {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            assert_eq!(unwrapped(&words).join(" "), expected, "{text}");
        }
    }
}
