//! What a command calls: behind programs that only start others, the program that does the work.
//!
//! It must not read any file.

use assize_core::path::{file_name, parent};

/// Programs that start the command behind them, and their options that take a value as the next word. The program may be of
/// several words.
const STARTERS: [(&[&str], &[&str]); 27] = [
    (&["uv", "run"], UV),
    (&["uv", "tool", "run"], UV),
    (&["uvx"], UV),
    (&["pipx", "run"], &["--spec", "--python"]),
    (&["poetry", "run"], &[]),
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
    (&["nyc"], COVERAGE),
    (&["c8"], COVERAGE),
    (&["istanbul", "cover"], ISTANBUL),
    (&["cross-env"], &[]),
    (&["dotenv"], &[]),
    (&["timeout"], &["-k", "-s"]),
    (&["bundle", "exec"], &[]),
];
const UV: &[&str] = &[
    "--cache-dir",
    "--config-file",
    "--directory",
    "--env-file",
    "--exclude-newer",
    "--extra",
    "--from",
    "--group",
    "--index",
    "--no-extra",
    "--no-group",
    "--only-group",
    "--package",
    "--project",
    "--python",
    "--resolution",
    "--with",
    "--with-editable",
    "--with-requirements",
    "-p",
];
/// Of the oldest tool that measures what tests of JavaScript cover.
const ISTANBUL: &[&str] = &["--config", "--dir", "--print", "--report", "--root", "-x"];
/// Of the others.
const COVERAGE: &[&str] = &[
    "--branches",
    "--cache-dir",
    "--config",
    "--cwd",
    "--exclude",
    "--extension",
    "--functions",
    "--include",
    "--lines",
    "--nycrc-path",
    "--report-dir",
    "--reporter",
    "--reports-dir",
    "--require",
    "--src",
    "--statements",
    "--temp-dir",
    "--temp-directory",
    "--watermarks",
    "-c",
    "-e",
    "-i",
    "-n",
    "-o",
    "-r",
    "-x",
];
/// Options between the words of a starter that take a value as the next word.
const GLOBAL: &[&str] = &["--cache-dir", "--directory", "--project", "-C"];
/// Options of Python that take a value as the next word.
const PYTHON: &[&str] = &["-W", "-X"];

/// Returns the options of a program that only starts another one, of those that take a value as the next word.
pub fn valued_options(program: &str) -> &'static [&'static str] {
    STARTERS.iter().find(|(words, _)| words.first() == Some(&program)).map_or(&[], |(_, valued)| valued)
}

/// Takes away what only starts a command. A program is named without its folder, unless it may be a script of the
/// project's.
pub(super) fn unwrapped(words: &[String]) -> Vec<String> {
    let mut words: Vec<String> = words.to_vec();
    while let Some(inner) = inner(&words) {
        words = inner;
    }
    if let Some(first) = words.first_mut() {
        let name = file_name(first);
        let is_installed = !first.contains('/') || parent(first).ends_with("bin");
        *first = match name {
            "gradlew" => "gradle".to_owned(),
            "mvnw" => "mvn".to_owned(),
            "py.test" => "pytest".to_owned(),
            "_mocha" => "mocha".to_owned(),
            _ if !is_installed => first.clone(),
            name => name.split('@').next().filter(|name| !name.is_empty()).unwrap_or(name).to_owned(),
        };
    }
    words
}

/// The command behind one that only starts it.
fn inner(words: &[String]) -> Option<Vec<String>> {
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let first = file_name(texts.first()?);
    if first.starts_with("python") || first == "py" {
        let module = behind_options(&texts[1..], PYTHON);
        let names = |word: &&str| word.starts_with('-') && !word.starts_with("--") && word.ends_with('m');
        return (module.first().is_some_and(names) && module.len() > 1).then(|| owned(&module[1..]));
    }
    if first == "cargo" {
        return cargo(&texts);
    }
    // In each package of a workspace: that is for others to follow.
    let is_everywhere = |word: &&str| matches!(*word, "-r" | "--recursive" | "-F") || word.starts_with("--filter");
    if first == "pnpm" && texts.iter().take_while(|word| **word != "exec").any(is_everywhere) {
        return None;
    }
    let (rest, valued) = STARTERS.iter().find_map(|(program, valued)| {
        let mut rest = &texts[..];
        for (at, word) in program.iter().enumerate() {
            let own = if at == 0 { rest } else { behind_options(rest, GLOBAL) };
            own.first().filter(|first| file_name(first) == *word)?;
            rest = &own[1..];
        }
        (!rest.is_empty()).then_some((rest, *valued))
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
            "-m" | "-Im" | "-Bm" => return &words[at..],
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
    let options = rest.iter().take_while(|word| word.starts_with('-')).count();
    if options > 0 && rest.len() > options {
        return Some([&["cargo"], &rest[options..]].concat().iter().map(|it| (*it).to_owned()).collect());
    }
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
            ("uv -q run --no-group x mypy", "mypy"),
            ("cargo --locked -q test", "cargo test"),
            ("c8 --reporter html mocha", "mocha"),
            ("c8 --exclude build -x test -r text -r html mocha", "mocha"),
            ("scripts/check", "scripts/check"),
            ("python -Im black .", "black ."),
            ("uv run", "uv run"),
            ("npm", "npm"),
        ] {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            assert_eq!(unwrapped(&words).join(" "), expected, "{text}");
        }
    }
}
